//! What a world holds: descriptions of bodies on the way in ([`Body`]), ids, and views of what is inside.

mod activity;
mod change;
mod error;
mod material;
mod motion;
mod part;
mod rest;
mod store;
mod thickness;
mod view;

pub(crate) use activity::Stir;
pub use change::BodyMut;
pub use error::BodyError;
pub use material::{Material, Mixing};
pub use motion::Motion;
pub(crate) use motion::Nature;
pub use part::BodyShape;
pub(crate) use rest::Rest;
pub use store::Collider;
pub(crate) use store::{Bodies, MARGIN_SHARE};
pub use view::{BodyRef, ShapeRef};

use crate::mass::{MassError, MassProperties, positive};
use crate::pose::{LocalPose, Pose};
use crate::shape::Shape;
use error::{finite, in_range};
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

impl MassSource {
    /// Whether its numbers can be those of a mass.
    fn checked(self) -> Result<(), MassError> {
        match self {
            Self::Density(density) => positive("density", density).map(drop),
            Self::Mass(mass) => positive("mass", mass).map(drop),
            Self::Properties(properties) => properties.checked().map(drop),
        }
    }
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
    shapes: Vec<BodyShape>,
    material: Material,
    mass: MassSource,
    linear_damping: f32,
    angular_damping: f32,
    gravity_scale: f32,
    may_sleep: bool,
    locked: [bool; 3],
    locked_rotation: [bool; 3],
    most_speed: Option<f32>,
    most_angular_speed: Option<f32>,
    is_enabled: bool,
    user_data: u64,
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
            locked: [false; 3],
            locked_rotation: [false; 3],
            most_speed: None,
            most_angular_speed: None,
            is_enabled: true,
            user_data: 0,
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
    pub fn shape_at(self, pose: LocalPose, shape: Shape) -> Self {
        self.part(BodyShape::new(shape).at(pose))
    }

    /// It has this shape, too, with its own options.
    pub fn part(mut self, part: BodyShape) -> Self {
        self.shapes.push(part);
        self
    }

    /// How the surfaces behave of those of its shapes that do not say it themselves.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Its coefficient of friction.
    pub fn friction(mut self, friction: f32) -> Self {
        self.material.friction = friction;
        self
    }

    /// Its coefficient of friction while it does not slide; see [`Material::static_friction`].
    pub fn static_friction(mut self, friction: f32) -> Self {
        self.material.static_friction = friction;
        self
    }

    /// Its coefficient of restitution.
    pub fn restitution(mut self, restitution: f32) -> Self {
        self.material.restitution = restitution;
        self
    }

    /// How much it resists rolling; see [`Material::rolling_friction`].
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// // On a lawn a ball stops; it would roll on else.
    /// let mut world = World::default();
    /// world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?).rolling_friction(0.1))?;
    /// let ball = Body::dynamic().at([0.0, 0.5, 0.0]).velocity([2.0, 0.0, 0.0]).angular_velocity([0.0, 0.0, -4.0]);
    /// let ball = world.add(ball.shape(Shape::sphere(0.5)?))?;
    /// for _ in 0..240 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.body(ball)?.velocity().length() < 0.01);
    /// // 7/5 of v²/2μg.
    /// assert!((world.body(ball)?.position().x - 1.4 * 4.0 / (2.0 * 0.1 * 9.81)).abs() < 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rolling_friction(mut self, rolling_friction: f32) -> Self {
        self.material.rolling_friction = rolling_friction;
        self
    }

    /// How its surface moves along itself, in its frame; see [`Material::surface_velocity`].
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let belt = Body::fixed().rotated(Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2));
    /// world.add(belt.shape(Shape::cuboid(9.0, 0.5, 2.0)?).surface_velocity([1.5, 0.0, 0.0]))?;
    /// let parcel = world.add(Body::dynamic().at([0.0, 0.7, 0.0]).shape(Shape::cuboid(0.3, 0.2, 0.3)?))?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// // The belt is turned, and what it carries with it.
    /// assert!((world.body(parcel)?.velocity() - Vec3::Z * 1.5).length() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// It cannot move along these axes of the world, x, y and z: neither forces nor contacts nor gravity move its centre
    /// of mass along them.
    pub fn lock_translation(mut self, axes: [bool; 3]) -> Self {
        self.locked = axes;
        self
    }

    /// It cannot turn around these axes of the world, x, y and z. A body with one of them locked has no gyroscopic term.
    pub fn lock_rotation(mut self, axes: [bool; 3]) -> Self {
        self.locked_rotation = axes;
        self
    }

    /// No step leaves it faster than this, in m/s.
    pub fn max_speed(mut self, speed: f32) -> Self {
        self.most_speed = Some(speed);
        self
    }

    /// No step leaves it turning faster than this, in rad/s.
    pub fn max_angular_speed(mut self, speed: f32) -> Self {
        self.most_angular_speed = Some(speed);
        self
    }

    /// It takes no part until [`BodyMut::set_enabled`] says so.
    pub fn disabled(mut self) -> Self {
        self.is_enabled = false;
        self
    }

    /// It carries this number, for the caller.
    pub fn user_data(mut self, user_data: u64) -> Self {
        self.user_data = user_data;
        self
    }

    /// This description with its poses at unit rotation, or the first thing that is wrong with it.
    fn checked(mut self) -> Result<Self, BodyError> {
        self.pose = self.pose.checked().map_err(|error| BodyError::Pose { error })?;
        finite("velocity", self.velocity)?;
        finite("angular velocity", self.angular_velocity)?;
        self.material.checked()?;
        if self.kind != BodyKind::Dynamic {
            // It may become dynamic; the others' is computed.
            self.mass.checked().map_err(|error| BodyError::TotalMass { error })?;
        }
        in_range("linear damping", self.linear_damping, 0.0, f32::MAX)?;
        in_range("angular damping", self.angular_damping, 0.0, f32::MAX)?;
        in_range("gravity scale", self.gravity_scale, -f32::MAX, f32::MAX)?;
        for most in [self.most_speed, self.most_angular_speed].into_iter().flatten() {
            in_range("greatest speed", most, 0.0, f32::MAX)?;
        }
        for (index, part) in self.shapes.iter_mut().enumerate() {
            part.pose = part.pose.checked().map_err(|error| BodyError::ShapePose { index, error })?;
            part.material.map_or(Ok(Material::default()), Material::checked)?;
            let shape = &part.shape;
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
        let solid = self.shapes.iter().enumerate().filter(|(_, part)| !part.is_sensor);
        properties_of(self.mass, solid.map(|(index, part)| (index, &part.shape, &part.pose)))
    }
}

/// Mass, centre and inertia in a body's frame, from those of its shapes that are no sensors, each with its index.
fn properties_of<'a>(
    source: MassSource,
    shapes: impl Iterator<Item = (usize, &'a Shape, &'a LocalPose)>,
) -> Result<MassProperties, BodyError> {
    let filled = |density: f32| {
        let mut parts = Vec::new();
        for (index, shape, pose) in shapes {
            let properties = MassProperties::of_shape(shape, density);
            parts.push(properties.map_err(|error| BodyError::Mass { index, error })?.moved(pose));
        }
        if parts.is_empty() {
            return Err(BodyError::NoMass);
        }
        MassProperties::combined(parts).map_err(|error| BodyError::TotalMass { error })
    };
    let whole =
        |properties: Result<MassProperties, MassError>| properties.map_err(|error| BodyError::TotalMass { error });
    let properties = match source {
        MassSource::Density(density) => filled(density)?,
        MassSource::Mass(mass) => whole(filled(1.0)?.with_mass(mass))?,
        MassSource::Properties(properties) => whole(properties.checked())?,
    };
    heavy_enough(properties)
}

/// Mass properties whose inverses are finite.
fn heavy_enough(properties: MassProperties) -> Result<MassProperties, BodyError> {
    let inverse = properties.inverse_inertia();
    // In f64: of what is heavy the product of three inverses is less than f32 can tell.
    let can_turn = inverse.is_finite() && inverse.as_dmat3().determinant() > 0.0;
    if properties.mass.recip().is_finite() && can_turn { Ok(properties) } else { Err(BodyError::TooLight) }
}
