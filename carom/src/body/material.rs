//! How surfaces behave in contact, alone and together.

use super::BodyError;
use super::error::{finite, in_range};
use glam::Vec3;

/// How a surface behaves in contact.
///
/// ```
/// use carom::body::{Material, Mixing};
///
/// let ice = Material { friction: 0.02, friction_mixing: Some(Mixing::Min), ..Material::default() };
/// let rubber = Material { friction: 1.2, ..Material::default() };
/// assert_eq!(ice.mixed(rubber).friction, 0.02);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient of friction, 0 or more: while the surfaces slide, and at rest unless `static_friction` is more.
    pub friction: f32,
    /// The share of the closing speed that is given back, 0 to 1.
    pub restitution: f32,
    /// What resists rolling: a torque of this share of the load times the radius of what rolls, 0 or more. That is the
    /// radius of a ball, capsule, cylinder or cone, the smaller of two; of shapes with corners it is about how far the
    /// smaller reaches from its middle, which resists their tipping. Two surfaces meet with the greater of theirs. A
    /// wheel with ρ stays where it is on slopes below atan ρ.
    pub rolling_friction: f32,
    /// How the surface moves along itself in the body's frame, as a conveyor's does, in m/s. What it pushes does not sleep,
    /// whether it is carried along or held back.
    pub surface_velocity: Vec3,
    /// The coefficient of friction while the surfaces do not slide, if that is more than `friction`. Both are mixed alike.
    pub static_friction: f32,
    /// How its friction is mixed with that of another surface; none has no say. If neither has, by
    /// [`Mixing::GeometricMean`]; if both have, by the greater rule in the order of [`Mixing`].
    pub friction_mixing: Option<Mixing>,
    /// The same for restitution; if neither surface has a say, by [`Mixing::Max`].
    pub restitution_mixing: Option<Mixing>,
}

/// How the coefficients of two surfaces become one. Of two rules the greater one is taken, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mixing {
    /// The square root of their product.
    GeometricMean,
    /// Half of their sum.
    Average,
    /// The lesser.
    Min,
    /// Their product.
    Multiply,
    /// The greater.
    Max,
}

impl Mixing {
    /// One coefficient from two, both finite and not negative; so is the answer.
    #[inline]
    pub fn mix(self, one: f32, other: f32) -> f32 {
        match self {
            // Roots first: the product may overflow.
            Self::GeometricMean => one.sqrt() * other.sqrt(),
            Self::Average => 0.5 * one + 0.5 * other,
            Self::Min => one.min(other),
            Self::Multiply => (one * other).min(f32::MAX),
            Self::Max => one.max(other),
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            rolling_friction: 0.0,
            surface_velocity: Vec3::ZERO,
            static_friction: 0.0,
            friction_mixing: None,
            restitution_mixing: None,
        }
    }
}

impl Material {
    /// How two surfaces behave together; the velocity is that of the second against the first.
    #[inline]
    pub fn mixed(self, other: Self) -> Self {
        // None is less than any rule.
        let friction_mixing = self.friction_mixing.max(other.friction_mixing);
        let restitution_mixing = self.restitution_mixing.max(other.restitution_mixing);
        let of_friction = friction_mixing.unwrap_or(Mixing::GeometricMean);
        let of_restitution = restitution_mixing.unwrap_or(Mixing::Max);
        // Of most surfaces neither has it.
        let holds_more = self.static_friction > self.friction || other.static_friction > other.friction;
        let at_rest = |surface: &Self| surface.static_friction.max(surface.friction);
        Self {
            friction: of_friction.mix(self.friction, other.friction),
            restitution: of_restitution.mix(self.restitution, other.restitution),
            rolling_friction: self.rolling_friction.max(other.rolling_friction),
            surface_velocity: other.surface_velocity - self.surface_velocity,
            static_friction: if holds_more { of_friction.mix(at_rest(&self), at_rest(&other)) } else { 0.0 },
            friction_mixing,
            restitution_mixing,
        }
    }

    /// The coefficient for surfaces that slide as fast as `sliding` says, in m/s. It is asked only where it matters.
    pub(crate) fn friction_when(&self, sliding: impl FnOnce() -> f32) -> f32 {
        // What is put on a slope gives way by up to 2 cm/s while its load comes.
        const HELD_SPEED: f32 = 0.02;
        let holds = self.static_friction > self.friction && sliding() < HELD_SPEED;
        if holds { self.static_friction } else { self.friction }
    }

    /// This material, or the first thing that is wrong with it.
    pub fn checked(self) -> Result<Self, BodyError> {
        in_range("friction", self.friction, 0.0, f32::MAX)?;
        in_range("static friction", self.static_friction, 0.0, f32::MAX)?;
        in_range("restitution", self.restitution, 0.0, 1.0)?;
        in_range("rolling friction", self.rolling_friction, 0.0, f32::MAX)?;
        finite("surface velocity", self.surface_velocity)?;
        Ok(self)
    }
}
