//! What a world holds: descriptions of bodies on the way in ([`Body`]), ids, and views of what is inside.

mod store;
mod view;

pub(crate) use store::{Bodies, MARGIN_SHARE, Nature, Rest};
pub use store::{Collider, Motion};
pub use view::{BodyMut, BodyRef};

use crate::mass::{MassError, MassProperties};
use crate::pose::{LocalPose, Pose, PoseError};
use crate::shape::{Shape, ShapeKind};
use glam::{DVec3, Quat, Vec3};

/// Names a body for as long as it lives. Ids of removed bodies are not mistaken for those of later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    slot: u32,
    generation: u32,
}

impl std::fmt::Display for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "body {}.{}", self.slot, self.generation)
    }
}

/// What may move a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum BodyKind {
    /// Nothing.
    Fixed,
    /// Its own velocity only; nothing it meets slows it down.
    Kinematic,
    /// Forces, impulses and contacts.
    Dynamic,
}

/// How a body's surface behaves in contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient of friction, 0 or more. Two surfaces meet with the geometric mean of theirs.
    pub friction: f32,
    /// The share of the closing speed that is given back, 0 to 1. Two surfaces meet with the greater of theirs.
    pub restitution: f32,
    /// What resists rolling: a torque of this share of the load times the size of the smaller shape, 0 or more. Two
    /// surfaces meet with the greater of theirs.
    pub rolling_friction: f32,
    /// How the surface moves along itself in the body's frame, as a conveyor's does, in m/s.
    pub surface_velocity: Vec3,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.5, restitution: 0.0, rolling_friction: 0.0, surface_velocity: Vec3::ZERO }
    }
}

impl Material {
    /// How two surfaces behave together; the velocity is that of the second against the first.
    pub fn mixed(self, other: Self) -> Self {
        Self {
            // Roots first: the product may overflow.
            friction: self.friction.sqrt() * other.friction.sqrt(),
            restitution: self.restitution.max(other.restitution),
            rolling_friction: self.rolling_friction.max(other.rolling_friction),
            surface_velocity: other.surface_velocity - self.surface_velocity,
        }
    }
}

/// Where a dynamic body's mass comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MassSource {
    /// Its shapes filled with a density, in kg/m³.
    Density(f32),
    /// Its shapes filled evenly to this mass, in kg.
    Mass(f32),
    /// Given outright.
    Properties(MassProperties),
}

/// A body as it is described to [`World::add`](crate::world::World::add), which checks all of it.
///
/// ```
/// use carom::prelude::*;
///
/// let mut world = World::default();
/// let crate_id = world.add(
///     Body::dynamic()
///         .at([0.0, 2.0, 0.0])
///         .shape(Shape::cuboid(0.5, 0.5, 0.5)?)
///         .mass(20.0)
///         .friction(0.6),
/// )?;
/// assert_eq!(world.body(crate_id)?.mass(), Some(20.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a body takes part only once it is added to a world"]
pub struct Body {
    kind: BodyKind,
    pose: Pose,
    velocity: Vec3,
    angular_velocity: Vec3,
    shapes: Vec<(LocalPose, Shape)>,
    material: Material,
    mass: MassSource,
    linear_damping: f32,
    angular_damping: f32,
    gravity_scale: f32,
    may_sleep: bool,
}

impl Body {
    /// A body that never moves.
    pub fn fixed() -> Self {
        Self::new(BodyKind::Fixed)
    }

    /// A body that moves at its own velocity, whatever it meets.
    pub fn kinematic() -> Self {
        Self::new(BodyKind::Kinematic)
    }

    /// A body that forces, impulses and contacts move.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// A body of the given kind at the origin.
    pub fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            pose: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            shapes: Vec::new(),
            material: Material::default(),
            mass: MassSource::Density(1000.0),
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            may_sleep: true,
        }
    }

    /// Its frame's origin is here.
    pub fn at(mut self, position: impl Into<DVec3>) -> Self {
        self.pose.position = position.into();
        self
    }

    /// Its frame is turned so.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Its frame is here and turned so.
    pub fn pose(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// The velocity of its centre of mass, in m/s.
    pub fn velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// Its angular velocity, in rad/s around the axes of the world.
    pub fn angular_velocity(mut self, angular_velocity: impl Into<Vec3>) -> Self {
        self.angular_velocity = angular_velocity.into();
        self
    }

    /// It has this shape, too, at the origin of its frame.
    pub fn shape(self, shape: Shape) -> Self {
        self.shape_at(LocalPose::IDENTITY, shape)
    }

    /// It has this shape, too, at this pose in its frame.
    pub fn shape_at(mut self, pose: LocalPose, shape: Shape) -> Self {
        self.shapes.push((pose, shape));
        self
    }

    /// Its coefficient of friction.
    pub fn friction(mut self, friction: f32) -> Self {
        self.material.friction = friction;
        self
    }

    /// Its coefficient of restitution.
    pub fn restitution(mut self, restitution: f32) -> Self {
        self.material.restitution = restitution;
        self
    }

    /// How much it resists rolling; see [`Material::rolling_friction`].
    pub fn rolling_friction(mut self, rolling_friction: f32) -> Self {
        self.material.rolling_friction = rolling_friction;
        self
    }

    /// How its surface moves along itself, in its frame; see [`Material::surface_velocity`].
    pub fn surface_velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.material.surface_velocity = velocity.into();
        self
    }

    /// Its shapes are filled with this density, in kg/m³; 1000 unless said.
    pub fn density(mut self, density: f32) -> Self {
        self.mass = MassSource::Density(density);
        self
    }

    /// Its shapes are filled evenly to this mass, in kg.
    pub fn mass(mut self, mass: f32) -> Self {
        self.mass = MassSource::Mass(mass);
        self
    }

    /// Its mass, centre of mass and inertia are these, whatever its shapes.
    pub fn mass_properties(mut self, properties: MassProperties) -> Self {
        self.mass = MassSource::Properties(properties);
        self
    }

    /// Its velocity decays at this rate, in 1/s.
    pub fn linear_damping(mut self, damping: f32) -> Self {
        self.linear_damping = damping;
        self
    }

    /// Its angular velocity decays at this rate, in 1/s.
    pub fn angular_damping(mut self, damping: f32) -> Self {
        self.angular_damping = damping;
        self
    }

    /// How much of the world's gravity it feels; 1 unless said.
    pub fn gravity_scale(mut self, scale: f32) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Whether it may fall asleep when it and all that it touches have come to rest; so unless said.
    pub fn may_sleep(mut self, may_sleep: bool) -> Self {
        self.may_sleep = may_sleep;
        self
    }

    /// This description with its poses at unit rotation, or the first thing that is wrong with it.
    fn checked(mut self) -> Result<Self, BodyError> {
        self.pose = self.pose.checked().map_err(|error| BodyError::Pose { error })?;
        finite("velocity", self.velocity)?;
        finite("angular velocity", self.angular_velocity)?;
        in_range("friction", self.material.friction, 0.0, f32::MAX)?;
        in_range("restitution", self.material.restitution, 0.0, 1.0)?;
        in_range("rolling friction", self.material.rolling_friction, 0.0, f32::MAX)?;
        finite("surface velocity", self.material.surface_velocity)?;
        in_range("linear damping", self.linear_damping, 0.0, f32::MAX)?;
        in_range("angular damping", self.angular_damping, 0.0, f32::MAX)?;
        in_range("gravity scale", self.gravity_scale, -f32::MAX, f32::MAX)?;
        for (index, (pose, shape)) in self.shapes.iter_mut().enumerate() {
            *pose = pose.checked().map_err(|error| BodyError::ShapePose { index, error })?;
            if let Some(kind) = crate::narrow::without_contacts(shape) {
                return Err(BodyError::NoContacts { index, kind });
            }
            if self.kind == BodyKind::Dynamic && matches!(shape, Shape::HalfSpace(_)) {
                return Err(BodyError::Unbounded { index });
            }
        }
        Ok(self)
    }

    /// Mass, centre and inertia in the body's frame; only asked of dynamic bodies.
    fn properties(&self) -> Result<MassProperties, BodyError> {
        let filled = |density: f32| {
            if self.shapes.is_empty() {
                return Err(BodyError::NoMass);
            }
            let mut parts = Vec::with_capacity(self.shapes.len());
            for (index, (pose, shape)) in self.shapes.iter().enumerate() {
                let part = MassProperties::of_shape(shape, density);
                parts.push(part.map_err(|error| BodyError::Mass { index, error })?.moved(pose));
            }
            MassProperties::combined(parts).map_err(|error| BodyError::TotalMass { error })
        };
        let whole =
            |properties: Result<MassProperties, MassError>| properties.map_err(|error| BodyError::TotalMass { error });
        let properties = match self.mass {
            MassSource::Density(density) => filled(density)?,
            MassSource::Mass(mass) => whole(filled(1.0)?.with_mass(mass))?,
            MassSource::Properties(properties) => whole(properties.checked())?,
        };
        let inverse = properties.inverse_inertia();
        let can_turn = inverse.is_finite() && inverse.determinant() > 0.0;
        if properties.mass.recip().is_finite() && can_turn { Ok(properties) } else { Err(BodyError::TooLight) }
    }
}

/// Why a body was refused or cannot be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// No body has this id, or no longer.
    #[error("there is no {id}: it was removed or belongs to another world")]
    Unknown {
        /// The id that was asked for.
        id: BodyId,
    },
    /// The pose is unsound.
    #[error("the body's pose: {error}")]
    Pose {
        /// What is wrong with it.
        error: PoseError,
    },
    /// The pose of a shape in the body is unsound.
    #[error("the pose of shape {index}: {error}")]
    ShapePose {
        /// Which shape, counted from 0.
        index: usize,
        /// What is wrong with its pose.
        error: PoseError,
    },
    /// A vector is NaN or infinite.
    #[error("the {what} is {value}, not finite")]
    NotFinite {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: Vec3,
    },
    /// A number is NaN or outside of its range.
    #[error("the {what} is {value}; it must be from {least} to {greatest}")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f32,
        /// The least it may be.
        least: f32,
        /// The greatest it may be.
        greatest: f32,
    },
    /// A shape of a dynamic body has no mass.
    #[error("shape {index} gives the body no mass: {error}")]
    Mass {
        /// Which shape, counted from 0.
        index: usize,
        /// Why not.
        error: MassError,
    },
    /// A dynamic body without shapes needs its mass given outright.
    #[error("a dynamic body needs a shape with volume, or mass properties of its own")]
    NoMass,
    /// The body's mass or inertia as a whole is unsound.
    #[error("the body's mass: {error}")]
    TotalMass {
        /// What is wrong with it.
        error: MassError,
    },
    /// The mass or a moment of inertia is so small that its inverse overflows.
    #[error("the body's mass or inertia is too small: its inverse is no finite number")]
    TooLight,
    /// A half-space reaches to infinity and cannot move.
    #[error("shape {index} is a half-space, which only fixed and kinematic bodies can have")]
    Unbounded {
        /// Which shape, counted from 0.
        index: usize,
    },
    /// The world cannot collide this shape yet.
    #[error("shape {index} has a {kind}, for which the world computes no contacts yet")]
    NoContacts {
        /// Which shape, counted from 0.
        index: usize,
        /// The kind that is missing.
        kind: ShapeKind,
    },
}

fn finite(what: &'static str, value: Vec3) -> Result<(), BodyError> {
    if value.is_finite() { Ok(()) } else { Err(BodyError::NotFinite { what, value }) }
}

fn in_range(what: &'static str, value: f32, least: f32, greatest: f32) -> Result<(), BodyError> {
    // False for NaN, too.
    if (least..=greatest).contains(&value) {
        Ok(())
    } else {
        Err(BodyError::OutOfRange { what, value, least, greatest })
    }
}
