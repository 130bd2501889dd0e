//! What a user sees and changes of one body.

use super::store::{Nature, turned};
use super::{Bodies, BodyError, BodyId, BodyKind, Collider, Material, Motion, finite};
use crate::pose::Pose;
use glam::{DVec3, Mat3, Quat, Vec3};

/// A body, to read.
#[derive(Debug, Clone, Copy)]
pub struct BodyRef<'a> {
    bodies: &'a Bodies,
    dense: usize,
}

/// A body, to change. Forces and torques act during the next step; impulses act at once.
#[derive(Debug)]
pub struct BodyMut<'a> {
    bodies: &'a mut Bodies,
    dense: usize,
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

    /// Whether it was left out of the simulation because it went non-finite.
    pub fn is_set_aside(&self) -> bool {
        self.nature().set_aside
    }
}

impl<'a> BodyMut<'a> {
    pub(crate) fn new(bodies: &'a mut Bodies, dense: usize) -> Self {
        Self { bodies, dense }
    }

    /// The same body, to read.
    pub fn as_ref(&self) -> BodyRef<'_> {
        BodyRef::new(self.bodies, self.dense)
    }

    /// Puts it elsewhere at once, without passing through what lies between. A body that was set aside takes part
    /// again.
    pub fn set_pose(&mut self, pose: Pose) -> Result<(), BodyError> {
        let pose = pose.checked().map_err(|error| BodyError::Pose { error })?;
        self.bodies.set_pose(self.dense, pose);
        self.bodies.wake(self.dense);
        self.bodies.natures[self.dense].set_aside = false;
        Ok(())
    }

    /// Gives its centre of mass this velocity. A fixed body has none and stays as it is.
    pub fn set_velocity(&mut self, velocity: impl Into<Vec3>) -> Result<(), BodyError> {
        let velocity = velocity.into();
        finite("velocity", velocity)?;
        if self.as_ref().kind() != BodyKind::Fixed {
            self.motion().velocity = velocity;
        }
        Ok(())
    }

    /// Gives it this angular velocity. A fixed body has none and stays as it is.
    pub fn set_angular_velocity(&mut self, angular_velocity: impl Into<Vec3>) -> Result<(), BodyError> {
        let angular_velocity = angular_velocity.into();
        finite("angular velocity", angular_velocity)?;
        if self.as_ref().kind() != BodyKind::Fixed {
            self.motion().angular_velocity = angular_velocity;
        }
        Ok(())
    }

    /// Pushes its centre of mass during the next step, in N.
    pub fn apply_force(&mut self, force: impl Into<Vec3>) -> Result<(), BodyError> {
        let force = force.into();
        finite("force", force)?;
        self.motion().force += force;
        Ok(())
    }

    /// Pushes it at a point of the world during the next step.
    pub fn apply_force_at(&mut self, force: impl Into<Vec3>, point: impl Into<DVec3>) -> Result<(), BodyError> {
        let (force, arm) = (force.into(), self.arm_to(point.into())?);
        finite("force", force)?;
        self.motion().force += force;
        self.motion().torque += arm.cross(force);
        Ok(())
    }

    /// Turns it during the next step, in Nm around the axes of the world.
    pub fn apply_torque(&mut self, torque: impl Into<Vec3>) -> Result<(), BodyError> {
        let torque = torque.into();
        finite("torque", torque)?;
        self.motion().torque += torque;
        Ok(())
    }

    /// Changes its momentum at once, in Ns.
    pub fn apply_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<(), BodyError> {
        let impulse = impulse.into();
        finite("impulse", impulse)?;
        self.motion().apply_impulse(impulse, Vec3::ZERO);
        Ok(())
    }

    /// Strikes it at a point of the world, in Ns.
    pub fn apply_impulse_at(&mut self, impulse: impl Into<Vec3>, point: impl Into<DVec3>) -> Result<(), BodyError> {
        let (impulse, arm) = (impulse.into(), self.arm_to(point.into())?);
        finite("impulse", impulse)?;
        self.motion().apply_impulse(impulse, arm);
        Ok(())
    }

    /// Changes its angular momentum at once, in Nms around the axes of the world.
    pub fn apply_angular_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<(), BodyError> {
        let impulse = impulse.into();
        finite("angular impulse", impulse)?;
        let motion = self.motion();
        motion.angular_velocity += motion.inverse_inertia * impulse;
        Ok(())
    }

    /// Wakes it, and with the next step all that it slept with.
    pub fn wake(&mut self) {
        self.bodies.wake(self.dense);
    }

    /// What changes it wakes it.
    fn motion(&mut self) -> &mut Motion {
        self.bodies.wake(self.dense);
        &mut self.bodies.motions[self.dense]
    }

    fn arm_to(&mut self, point: DVec3) -> Result<Vec3, BodyError> {
        let arm = (point - self.bodies.motions[self.dense].center).as_vec3();
        finite("point", arm)?;
        Ok(arm)
    }
}
