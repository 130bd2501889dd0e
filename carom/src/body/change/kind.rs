//! What moves a body: another kind while the world runs, and targets for kinematic bodies.

use super::super::error::{finite, in_range};
use super::super::motion::{is_round, radius_of_gyration};
use super::super::{BodyError, BodyKind, Rest, properties_of};
use super::BodyMut;
use crate::pose::Pose;
use crate::shape::Shape;
use crate::world::SHORTEST_STEP;
use glam::{Mat3, Vec3};

impl BodyMut<'_> {
    /// Lets something else move it from now on. It is as if it had been added with this kind: where it is, as fast as it is,
    /// and with the mass that was said then or since, or that of its shapes; a fixed one stands still. Whom it meets is asked
    /// anew with the next step, and what is near it wakes.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let shelf = world.add(Body::fixed().at([0.0, 3.0, 0.0]).shape(Shape::cuboid(1.0, 0.1, 0.3)?).mass(4.0))?;
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.body(shelf)?.position().y, 3.0);
    /// // It breaks off.
    /// world.body_mut(shelf)?.set_kind(BodyKind::Dynamic)?;
    /// world.step(1.0 / 60.0)?;
    /// assert!(world.body(shelf)?.position().y < 3.0);
    /// assert_eq!(world.body(shelf)?.mass(), Some(4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_kind(&mut self, kind: BodyKind) -> Result<(), BodyError> {
        let before = self.as_ref().kind();
        if kind == before {
            return Ok(());
        }
        let properties = if kind == BodyKind::Dynamic {
            let is_unbounded = |shape: &super::super::Collider| matches!(shape.shape, Shape::HalfSpace(_));
            if let Some(index) = self.as_ref().shapes().position(is_unbounded) {
                return Err(BodyError::Unbounded { index });
            }
            let solid = self.as_ref().shapes().enumerate().filter(|(_, collider)| !collider.is_sensor);
            let parts = solid.map(|(index, collider)| (index, &collider.shape, &collider.pose_in_body));
            Some(properties_of(self.bodies.sources[self.dense], parts)?)
        } else {
            None
        };
        let center_of_mass = properties.map_or(Vec3::ZERO, |properties| properties.center_of_mass);
        let pose = self.as_ref().pose();
        let from_center = center_of_mass - self.bodies.natures[self.dense].center_of_mass;
        let motion = self.bodies.motions[self.dense];
        let (velocity, spin) = match kind {
            BodyKind::Fixed => (Vec3::ZERO, Vec3::ZERO),
            BodyKind::Kinematic | BodyKind::Dynamic => {
                (motion.velocity_at(motion.rotation * from_center), motion.angular_velocity)
            }
        };
        finite("velocity", velocity)?;
        // Nothing is refused from here on. Those that it sleeps with wake as well.
        self.bodies.wake(self.dense);
        let may_sleep = self.bodies.rests[self.dense].may_sleep;
        self.bodies.rests[self.dense] = Rest::new(may_sleep);
        let (nature, motion) = (&mut self.bodies.natures[self.dense], &mut self.bodies.motions[self.dense]);
        nature.kind = kind;
        nature.mass = properties.map_or(0.0, |properties| properties.mass);
        nature.inertia = properties.map_or(Mat3::ZERO, |properties| properties.inertia);
        nature.inverse_inertia = properties.map_or(Mat3::ZERO, |properties| properties.inverse_inertia());
        nature.center_of_mass = center_of_mass;
        nature.reach = properties.as_ref().map_or(0.0, radius_of_gyration);
        nature.is_round = properties.is_none_or(|properties| is_round(properties.inertia));
        motion.inverse_mass = properties.map_or(0.0, |properties| properties.mass.recip());
        (motion.velocity, motion.angular_velocity) = (velocity, spin);
        (motion.force, motion.torque) = (Vec3::ZERO, Vec3::ZERO);
        self.bodies.set_pose(self.dense, pose);
        self.hold();
        self.put();
        self.refilter();
        Ok(())
    }

    /// Gives a kinematic body the velocities with which a step of `dt` seconds brings it to a pose: straight on, and by the
    /// shorter turn. It goes on at them until it is told otherwise; its limits and locks hold for them.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let lift = world.add(Body::kinematic().shape(Shape::cuboid(1.0, 0.1, 1.0)?))?;
    /// let rider = world.add(Body::dynamic().at([0.0, 0.6, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// for step in 1..=120 {
    ///     world.body_mut(lift)?.move_to(Pose::at([0.0, f64::from(step) / 60.0, 0.0]), 1.0 / 60.0)?;
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(lift)?.position().y - 2.0).abs() < 1e-5);
    /// assert!((world.body(rider)?.position().y - 2.6).abs() < 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn move_to(&mut self, pose: Pose, dt: f32) -> Result<(), BodyError> {
        let view = self.as_ref();
        if view.kind() != BodyKind::Kinematic {
            return Err(BodyError::NotKinematic { id: view.id() });
        }
        let pose = pose.checked().map_err(|error| BodyError::Pose { error })?;
        in_range("time step", dt, SHORTEST_STEP, f32::MAX)?;
        let (start, dt) = (view.pose(), f64::from(dt));
        let velocity = ((pose.position - start.position) / dt).as_vec3();
        let turn = (pose.rotation.as_dquat() * start.rotation.as_dquat().conjugate()).normalize();
        // A turn and its opposite are the same rotation: the one by less than half.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let sine = turn.xyz().length();
        let angle = 2.0 * libm::atan2(sine, turn.w);
        let spin = if sine > 0.0 { turn.xyz() * (angle / (sine * dt)) } else { turn.xyz() }.as_vec3();
        finite("velocity", velocity)?;
        finite("angular velocity", spin)?;
        let motion = self.motion();
        (motion.velocity, motion.angular_velocity) = (velocity, spin);
        self.hold();
        Ok(())
    }
}
