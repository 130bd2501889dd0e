//! What a user changes of one body. What is refused changes nothing.

mod kind;

use super::error::{finite, in_range};
use super::{Bodies, BodyError, BodyKind, BodyRef, MassSource, Material, Motion, heavy_enough};
use crate::detector::Filter;
use crate::mass::MassProperties;
use crate::pose::Pose;
use glam::{DVec3, Vec3};

/// A body, to change. Forces and torques act during the next step; impulses act at once. What would not leave finite
/// numbers behind is refused.
#[derive(Debug)]
pub struct BodyMut<'a> {
    bodies: &'a mut Bodies,
    dense: usize,
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
    /// again. Its velocity stays as it is.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let ball = world.add(Body::dynamic().velocity([3.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    /// let mut body = world.body_mut(ball)?;
    /// body.set_pose(Pose::new(DVec3::new(0.0, 9.0, 0.0), Quat::from_rotation_y(1.0)))?;
    /// body.set_velocity([0.0; 3])?;
    /// body.set_angular_velocity([0.0, 2.0, 0.0])?;
    /// assert_eq!(world.body(ball)?.position(), DVec3::new(0.0, 9.0, 0.0));
    /// assert!(world.body_mut(ball)?.set_velocity([f32::NAN, 0.0, 0.0]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pose(&mut self, pose: Pose) -> Result<(), BodyError> {
        let pose = pose.checked().map_err(|error| BodyError::Pose { error })?;
        self.bodies.set_pose(self.dense, pose);
        self.put();
        self.bodies.take_back(self.dense);
        Ok(())
    }

    /// Gives its centre of mass this velocity. A fixed body has none and stays as it is.
    pub fn set_velocity(&mut self, velocity: impl Into<Vec3>) -> Result<(), BodyError> {
        let velocity = velocity.into();
        finite("velocity", velocity)?;
        if self.as_ref().kind() != BodyKind::Fixed {
            self.motion().velocity = velocity;
            self.hold();
        }
        Ok(())
    }

    /// Gives it this angular velocity. A fixed body has none and stays as it is.
    pub fn set_angular_velocity(&mut self, angular_velocity: impl Into<Vec3>) -> Result<(), BodyError> {
        let angular_velocity = angular_velocity.into();
        finite("angular velocity", angular_velocity)?;
        if self.as_ref().kind() != BodyKind::Fixed {
            self.motion().angular_velocity = angular_velocity;
            self.hold();
        }
        Ok(())
    }

    /// Pushes its centre of mass during the next step, in N.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::builder().gravity([0.0; 3]).build()?;
    /// let cart = world.add(Body::dynamic().shape(Shape::cuboid(1.0, 0.5, 0.5)?).mass(4.0))?;
    /// // For a second: 8 N on 4 kg.
    /// for _ in 0..60 {
    ///     world.body_mut(cart)?.apply_force([8.0, 0.0, 0.0])?;
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(cart)?.velocity().x - 2.0).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_force(&mut self, force: impl Into<Vec3>) -> Result<(), BodyError> {
        let force = force.into();
        finite("force", force)?;
        self.drive(force, Vec3::ZERO)
    }

    /// Pushes it at a point of the world during the next step.
    pub fn apply_force_at(&mut self, force: impl Into<Vec3>, point: impl Into<DVec3>) -> Result<(), BodyError> {
        let (force, arm) = (force.into(), self.arm_to(point.into())?);
        finite("force", force)?;
        self.drive(force, arm.cross(force))
    }

    /// Turns it during the next step, in Nm around the axes of the world.
    pub fn apply_torque(&mut self, torque: impl Into<Vec3>) -> Result<(), BodyError> {
        let torque = torque.into();
        finite("torque", torque)?;
        self.drive(Vec3::ZERO, torque)
    }

    /// Changes its momentum at once, in Ns.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let ball = world.add(Body::dynamic().shape(Shape::sphere(0.5)?).mass(2.0))?;
    /// world.body_mut(ball)?.apply_impulse([6.0, 0.0, 0.0])?;
    /// assert_eq!(world.body(ball)?.velocity().x, 3.0);
    /// // Beside its middle it turns it, too: by r·j/(2/5·m·r²).
    /// world.body_mut(ball)?.apply_impulse_at([0.0, 0.0, 0.2], [0.5, 0.0, 0.0])?;
    /// assert!((world.body(ball)?.angular_velocity().y + 0.5).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<(), BodyError> {
        let impulse = impulse.into();
        finite("impulse", impulse)?;
        self.strike(|motion| motion.apply_impulse(impulse, Vec3::ZERO))
    }

    /// Strikes it at a point of the world, in Ns.
    pub fn apply_impulse_at(&mut self, impulse: impl Into<Vec3>, point: impl Into<DVec3>) -> Result<(), BodyError> {
        let (impulse, arm) = (impulse.into(), self.arm_to(point.into())?);
        finite("impulse", impulse)?;
        self.strike(|motion| motion.apply_impulse(impulse, arm))
    }

    /// Changes its angular momentum at once, in Nms around the axes of the world.
    pub fn apply_angular_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<(), BodyError> {
        let impulse = impulse.into();
        finite("angular impulse", impulse)?;
        self.strike(|motion| motion.angular_velocity += motion.inverse_inertia * impulse)
    }

    /// Wakes it, and with the next step all that it slept with.
    pub fn wake(&mut self) {
        self.bodies.wake(self.dense);
    }

    /// Puts it to sleep, however it moves: it stands still at once, and with the next step so does all that contacts connect
    /// it with. Whatever else wakes a sleeper wakes it, too; so does one of these that may not sleep. Only dynamic bodies
    /// sleep, and of these none that may not. What is built at rest costs nothing from the start on if it is put to sleep.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let hung = world.add(Body::dynamic().at([0.0, 9.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    /// world.body_mut(hung)?.sleep();
    /// world.step(1.0 / 60.0)?;
    /// assert!(world.body(hung)?.is_asleep());
    /// assert_eq!(world.body(hung)?.position().y, 9.0);
    /// world.body_mut(hung)?.wake();
    /// world.step(1.0 / 60.0)?;
    /// assert!(world.body(hung)?.position().y < 9.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sleep(&mut self) {
        let rest = self.bodies.rests[self.dense];
        if rest.may_sleep && !rest.is_asleep() && self.bodies.motions[self.dense].is_movable() {
            let name = self.bodies.name_island();
            self.bodies.lull(self.dense, name);
            let id = self.as_ref().id();
            self.bodies.lulled.push(id);
        }
    }

    /// Pushes its centre of mass in every step until it is set to something else, in N. Only what is dynamic is moved by it.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// // A balloon of 1 kg, lifted by more than it weighs.
    /// let mut world = World::default();
    /// let balloon = world.add(Body::dynamic().shape(Shape::sphere(0.5)?).mass(1.0))?;
    /// world.body_mut(balloon)?.set_constant_force([0.0, 11.81, 0.0])?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(balloon)?.velocity().y - 2.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_constant_force(&mut self, force: impl Into<Vec3>) -> Result<(), BodyError> {
        let force = force.into();
        finite("force", force)?;
        self.drive_always([force, self.as_ref().constant_torque()]);
        Ok(())
    }

    /// Turns it in every step until it is set to something else, in Nm around the axes of the world.
    pub fn set_constant_torque(&mut self, torque: impl Into<Vec3>) -> Result<(), BodyError> {
        let torque = torque.into();
        finite("torque", torque)?;
        self.drive_always([self.as_ref().constant_force(), torque]);
        Ok(())
    }

    /// Lets it take part or not. What takes no part keeps its pose and velocity, is touched by nothing and found by no
    /// question; what it touched is told of the end and wakes. To enable a body that was set aside lets it take part again,
    /// where it was left.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let trapdoor = world.add(Body::fixed().shape(Shape::cuboid(2.0, 0.1, 2.0)?))?;
    /// let guest = world.add(Body::dynamic().at([0.0, 0.6, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// for is_open in [false, true] {
    ///     world.body_mut(trapdoor)?.set_enabled(!is_open);
    ///     for _ in 0..60 {
    ///         world.step(1.0 / 60.0)?;
    ///     }
    ///     assert_eq!(world.body(guest)?.position().y < 0.0, is_open);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_enabled(&mut self, is_enabled: bool) {
        if is_enabled && self.as_ref().is_set_aside() {
            self.put();
            self.bodies.take_back(self.dense);
        }
        if self.as_ref().is_enabled() != is_enabled {
            self.bodies.natures[self.dense].is_disabled = !is_enabled;
            self.bodies.review(self.dense);
            self.put();
            self.refilter();
        }
    }

    /// Gives all its shapes this material. If it is another one, what lies on it wakes.
    ///
    /// ```
    /// use carom::body::Material;
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let belt = world.add(Body::fixed().shape(Shape::cuboid(9.0, 0.5, 2.0)?))?;
    /// let parcel = world.add(Body::dynamic().at([0.0, 0.7, 0.0]).shape(Shape::cuboid(0.3, 0.2, 0.3)?))?;
    /// // It is switched on.
    /// let runs = Material { surface_velocity: Vec3::X, ..world.body(belt)?.material() };
    /// world.body_mut(belt)?.set_material(runs)?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(parcel)?.velocity().x - 1.0).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_material(&mut self, material: Material) -> Result<(), BodyError> {
        let material = material.checked()?;
        let mut is_another = false;
        for index in 0..self.as_ref().slots().len() {
            is_another |= std::mem::replace(&mut self.collider(index)?.material, material) != material;
        }
        self.resurface(is_another);
        Ok(())
    }

    /// Gives one of its shapes, counted from 0, this material. If it is another one, what lies on the body wakes.
    pub fn set_shape_material(&mut self, index: usize, material: Material) -> Result<(), BodyError> {
        let material = material.checked()?;
        let is_another = std::mem::replace(&mut self.collider(index)?.material, material) != material;
        self.resurface(is_another);
        Ok(())
    }

    /// Puts one of its shapes, counted from 0, into other groups. Whom it meets is asked anew with the next step.
    pub fn set_shape_filter(&mut self, index: usize, filter: Filter) -> Result<(), BodyError> {
        self.collider(index)?.filter = filter;
        self.refilter();
        Ok(())
    }

    /// The rates at which its velocity and its angular velocity decay, in 1/s.
    pub fn set_damping(&mut self, linear: f32, angular: f32) -> Result<(), BodyError> {
        in_range("linear damping", linear, 0.0, f32::MAX)?;
        in_range("angular damping", angular, 0.0, f32::MAX)?;
        let nature = &mut self.bodies.natures[self.dense];
        (nature.linear_damping, nature.angular_damping) = (linear, angular);
        self.wake();
        Ok(())
    }

    /// How much of the world's gravity it feels.
    pub fn set_gravity_scale(&mut self, scale: f32) -> Result<(), BodyError> {
        in_range("gravity scale", scale, -f32::MAX, f32::MAX)?;
        self.bodies.natures[self.dense].gravity_scale = scale;
        self.wake();
        Ok(())
    }

    /// Gives it another mass, spread as before; it must be dynamic.
    pub fn set_mass(&mut self, mass: f32) -> Result<(), BodyError> {
        let nature = &self.bodies.natures[self.dense];
        let (center_of_mass, inertia) = (nature.center_of_mass, nature.inertia);
        let id = nature.id;
        let properties = match nature.kind {
            BodyKind::Dynamic => MassProperties { mass: nature.mass, center_of_mass, inertia }.with_mass(mass),
            BodyKind::Fixed | BodyKind::Kinematic => return Err(BodyError::NotDynamic { id }),
        };
        self.set_mass_properties(properties.map_err(|error| BodyError::TotalMass { error })?)
    }

    /// Gives it another mass, centre of mass and inertia; it must be dynamic. Its frame stays where it is.
    pub fn set_mass_properties(&mut self, properties: MassProperties) -> Result<(), BodyError> {
        let view = self.as_ref();
        if view.kind() != BodyKind::Dynamic {
            return Err(BodyError::NotDynamic { id: view.id() });
        }
        let properties = heavy_enough(properties.checked().map_err(|error| BodyError::TotalMass { error })?)?;
        let pose = view.pose();
        self.bodies.sources[self.dense] = MassSource::Properties(properties);
        self.bodies.natures[self.dense].weigh(&mut self.bodies.motions[self.dense], &properties);
        self.bodies.set_pose(self.dense, pose);
        self.put();
        Ok(())
    }

    /// Locks the axes of the world along which it cannot move, and frees the others.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// // In a plane: it neither leaves it nor turns out of it.
    /// let mut world = World::default();
    /// let card = world.add(Body::dynamic().velocity([1.0, 2.0, 3.0]).shape(Shape::cuboid(0.5, 0.5, 0.1)?))?;
    /// let mut body = world.body_mut(card)?;
    /// body.lock_translation([false, false, true]);
    /// body.lock_rotation([true, true, false]);
    /// body.apply_impulse_at([0.0, 10.0, 10.0], [0.4, 0.0, 0.0])?;
    /// world.step(1.0 / 60.0)?;
    /// let body = world.body(card)?;
    /// assert_eq!((body.position().z, body.velocity().z), (0.0, 0.0));
    /// assert_eq!((body.angular_velocity().x, body.angular_velocity().y), (0.0, 0.0));
    /// assert!(body.angular_velocity().z > 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lock_translation(&mut self, axes: [bool; 3]) {
        self.bodies.natures[self.dense].locked = axes;
        self.hold();
        self.wake();
    }

    /// Locks the axes of the world around which it cannot turn, and frees the others.
    pub fn lock_rotation(&mut self, axes: [bool; 3]) {
        self.bodies.natures[self.dense].locked_rotation = axes;
        self.hold();
        self.wake();
    }

    /// No step leaves it faster than this, in m/s; none for no limit.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let skydiver = world.add(Body::dynamic().shape(Shape::capsule(0.6, 0.3)?))?;
    /// let mut body = world.body_mut(skydiver)?;
    /// body.set_max_speed(Some(5.0))?;
    /// body.set_max_angular_speed(Some(1.0))?;
    /// body.set_angular_velocity([0.0, 0.0, 40.0])?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// let body = world.body(skydiver)?;
    /// assert!((body.velocity().length() - 5.0).abs() < 1e-5 && body.angular_velocity().length() < 1.0 + 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_max_speed(&mut self, speed: Option<f32>) -> Result<(), BodyError> {
        speed.map_or(Ok(()), |speed| in_range("greatest speed", speed, 0.0, f32::MAX))?;
        self.bodies.natures[self.dense].most_speed = speed;
        self.hold();
        Ok(())
    }

    /// No step leaves it turning faster than this, in rad/s; none for no limit.
    pub fn set_max_angular_speed(&mut self, speed: Option<f32>) -> Result<(), BodyError> {
        speed.map_or(Ok(()), |speed| in_range("greatest angular speed", speed, 0.0, f32::MAX))?;
        self.bodies.natures[self.dense].most_angular_speed = speed;
        self.hold();
        Ok(())
    }

    /// Whether it may fall asleep.
    pub fn set_may_sleep(&mut self, may_sleep: bool) {
        self.bodies.rests[self.dense].may_sleep = may_sleep;
        self.wake();
    }

    /// Gives it another number of the caller's.
    pub fn set_user_data(&mut self, user_data: u64) {
        self.bodies.natures[self.dense].user_data = user_data;
    }

    /// Gives one of its shapes, counted from 0, another number of the caller's.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let id = world.add(Body::fixed().shape(Shape::sphere(0.5)?).shape(Shape::cuboid(0.1, 2.0, 0.1)?))?;
    /// world.body_mut(id)?.set_shape_user_data(1, 42)?;
    /// let numbers: Vec<u64> = world.body(id)?.shapes().map(|shape| shape.user_data).collect();
    /// assert_eq!(numbers, [0, 42]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_shape_user_data(&mut self, index: usize, user_data: u64) -> Result<(), BodyError> {
        self.collider(index)?.user_data = user_data;
        Ok(())
    }

    /// Sets what acts in every step. What is as it was wakes nothing.
    fn drive_always(&mut self, constant: [Vec3; 2]) {
        if self.bodies.natures[self.dense].constant != constant {
            self.bodies.set_constant(self.dense, constant);
            self.wake();
        }
    }

    /// Adds to what acts during the next step. Nothing else than a dynamic body feels it, and nothing keeps none awake.
    fn drive(&mut self, force: Vec3, torque: Vec3) -> Result<(), BodyError> {
        let motion = &self.bodies.motions[self.dense];
        if motion.is_movable() && [force, torque] != [Vec3::ZERO; 2] {
            let (force, torque) = (motion.force + force, motion.torque + torque);
            finite("sum of all forces", force)?;
            finite("sum of all torques", torque)?;
            let motion = self.motion();
            (motion.force, motion.torque) = (force, torque);
        }
        Ok(())
    }

    /// Changes its velocities at once, if they are numbers then.
    fn strike(&mut self, change: impl FnOnce(&mut Motion)) -> Result<(), BodyError> {
        let mut motion = self.bodies.motions[self.dense];
        change(&mut motion);
        finite("velocity after the impulse", motion.velocity)?;
        finite("angular velocity after the impulse", motion.angular_velocity)?;
        let is_struck = motion != self.bodies.motions[self.dense];
        if is_struck {
            *self.motion() = motion;
            self.hold();
        }
        Ok(())
    }

    /// Holds its velocities to its locks and limits; its boxes will follow.
    fn hold(&mut self) {
        let (nature, motion) = (&mut self.bodies.natures[self.dense], &mut self.bodies.motions[self.dense]);
        nature.apply_locks(motion);
        nature.limit(motion);
        self.bodies.review(self.dense);
        self.bodies.displace(self.dense);
    }

    /// It is elsewhere or otherwise there: what is near it wakes with the next step.
    fn put(&mut self) {
        let id = self.as_ref().id();
        self.bodies.put.push(id);
        self.bodies.displace(self.dense);
        self.bodies.wake(self.dense);
    }

    /// Its surface was set: if it is another one, what lies on it wakes with the next step, as it may slide or be carried.
    fn resurface(&mut self, is_another: bool) {
        if is_another {
            let id = self.as_ref().id();
            self.bodies.put.push(id);
            self.bodies.note_surfaces(self.dense);
            self.bodies.review(self.dense);
        }
        self.wake();
    }

    fn refilter(&mut self) {
        let id = self.as_ref().id();
        self.bodies.refiltered.push(id);
        self.wake();
    }

    fn collider(&mut self, index: usize) -> Result<&mut super::Collider, BodyError> {
        let view = self.as_ref();
        let unknown = BodyError::NoShape { id: view.id(), index };
        let slot = view.slots().get(index).copied();
        slot.and_then(|slot| self.bodies.collider_mut(slot)).ok_or(unknown)
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
