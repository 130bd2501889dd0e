//! What a user sees of one body.

use super::motion::{Nature, turned};
use super::{Bodies, BodyId, BodyKind, Collider, Material, Motion};
use crate::mass::MassProperties;
use crate::pose::Pose;
use glam::{DVec3, Mat3, Quat, Vec3};

/// A body, to read.
#[derive(Debug, Clone, Copy)]
pub struct BodyRef<'a> {
    bodies: &'a Bodies,
    dense: usize,
}

/// A shape of a body, to read: what filters and questions are asked about.
#[derive(Debug, Clone, Copy)]
pub struct ShapeRef<'a> {
    /// Its body.
    pub body: BodyRef<'a>,
    /// Its slot, which stays the same as long as its body lives.
    pub slot: u32,
    /// What it is.
    pub collider: &'a Collider,
}

impl<'a> ShapeRef<'a> {
    pub(crate) fn new(bodies: &'a Bodies, slot: u32) -> Option<Self> {
        let collider = bodies.collider(slot)?;
        Some(Self { body: BodyRef::new(bodies, collider.body as usize), slot, collider })
    }
}

impl<'a> BodyRef<'a> {
    pub(crate) fn new(bodies: &'a Bodies, dense: usize) -> Self {
        Self { bodies, dense }
    }

    fn nature(&self) -> &'a Nature {
        &self.bodies.natures[self.dense]
    }

    /// Its velocities, mass and inertia as the solver sees them.
    pub fn motion(&self) -> &'a Motion {
        &self.bodies.motions[self.dense]
    }

    /// Its id.
    pub fn id(&self) -> BodyId {
        self.nature().id
    }

    /// What may move it.
    pub fn kind(&self) -> BodyKind {
        self.nature().kind
    }

    /// Where its frame is and how it is turned.
    pub fn pose(&self) -> Pose {
        self.bodies.pose(self.dense as u32)
    }

    /// Where its frame's origin is.
    pub fn position(&self) -> DVec3 {
        self.pose().position
    }

    /// How its frame is turned.
    pub fn rotation(&self) -> Quat {
        self.motion().rotation
    }

    /// Where its centre of mass is, in the world.
    pub fn center_of_mass(&self) -> DVec3 {
        self.motion().center
    }

    /// The velocity of its centre of mass.
    pub fn velocity(&self) -> Vec3 {
        self.motion().velocity
    }

    /// Its angular velocity, around the axes of the world.
    pub fn angular_velocity(&self) -> Vec3 {
        self.motion().angular_velocity
    }

    /// Its mass, if it is dynamic.
    pub fn mass(&self) -> Option<f32> {
        (self.kind() == BodyKind::Dynamic).then_some(self.nature().mass)
    }

    /// Its mass, centre of mass and inertia in its own frame, if it is dynamic.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let ball = world.add(Body::dynamic().shape_at(LocalPose::at([0.0, 2.0, 0.0]), Shape::sphere(0.5)?).mass(10.0))?;
    /// let properties = world.body(ball)?.mass_properties().expect("it is dynamic");
    /// assert_eq!(properties.center_of_mass, Vec3::new(0.0, 2.0, 0.0));
    /// // 2/5·m·r²
    /// assert!((properties.inertia.x_axis.x - 1.0).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mass_properties(&self) -> Option<MassProperties> {
        let nature = self.nature();
        let (mass, center_of_mass, inertia) = (nature.mass, nature.center_of_mass, nature.inertia);
        (nature.kind == BodyKind::Dynamic).then_some(MassProperties { mass, center_of_mass, inertia })
    }

    /// Its inertia about the centre of mass in the axes of the world, if it is dynamic.
    pub fn inertia(&self) -> Option<Mat3> {
        (self.kind() == BodyKind::Dynamic).then(|| turned(self.nature().inertia, self.motion().rotation))
    }

    /// How its surface behaves; that of its first shape.
    pub fn material(&self) -> Material {
        self.shapes().next().map_or_else(Material::default, |collider| collider.material)
    }

    /// Its shapes.
    pub fn shapes(&self) -> impl Iterator<Item = &'a Collider> + use<'a> {
        let bodies = self.bodies;
        self.nature().colliders.iter().filter_map(move |&slot| bodies.collider(slot))
    }

    /// Whether it sleeps: it and all that it touches have come to rest, and nothing has disturbed them since.
    pub fn is_asleep(&self) -> bool {
        self.bodies.rests[self.dense].is_asleep()
    }

    /// Whether it may fall asleep.
    pub fn may_sleep(&self) -> bool {
        self.bodies.rests[self.dense].may_sleep
    }

    /// No step leaves it faster than this, in m/s; none for no limit.
    pub fn max_speed(&self) -> Option<f32> {
        self.nature().most_speed
    }

    /// No step leaves it turning faster than this, in rad/s; none for no limit.
    pub fn max_angular_speed(&self) -> Option<f32> {
        self.nature().most_angular_speed
    }

    /// Whether it was left out of the simulation because it went non-finite. It takes no part then, as a disabled body, until
    /// [`BodyMut::set_pose`](super::BodyMut::set_pose) or [`BodyMut::set_enabled`](super::BodyMut::set_enabled) takes it back.
    pub fn is_set_aside(&self) -> bool {
        self.nature().set_aside
    }

    /// Whether the user lets it take part.
    pub fn is_enabled(&self) -> bool {
        !self.nature().is_disabled
    }

    /// The caller's number.
    pub fn user_data(&self) -> u64 {
        self.nature().user_data
    }

    /// The slots of its shapes, in the order in which they were given: what events and pairs name.
    pub fn slots(&self) -> &'a [u32] {
        &self.nature().colliders
    }

    /// The rates at which its velocity and its angular velocity decay, in 1/s.
    pub fn damping(&self) -> [f32; 2] {
        [self.nature().linear_damping, self.nature().angular_damping]
    }

    /// How much of the world's gravity it feels.
    pub fn gravity_scale(&self) -> f32 {
        self.nature().gravity_scale
    }

    /// The axes of the world along which it cannot move.
    pub fn locked_translation(&self) -> [bool; 3] {
        self.nature().locked
    }

    /// The axes of the world around which it cannot turn.
    pub fn locked_rotation(&self) -> [bool; 3] {
        self.nature().locked_rotation
    }

    /// The force that acts in every step.
    pub fn constant_force(&self) -> Vec3 {
        self.nature().constant[0]
    }

    /// The torque that acts in every step.
    pub fn constant_torque(&self) -> Vec3 {
        self.nature().constant[1]
    }
}
