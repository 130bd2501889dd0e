//! Settings that can be changed while a world runs. They are part of snapshots.

use super::builder::{check_bounce_threshold, check_continuous, check_gravity, check_hit_speed};
use super::{Continuous, World, WorldError};
use glam::Vec3;

impl World {
    /// The acceleration of free fall.
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Lets everything fall otherwise from the next step on. If it is another gravity, all that sleeps wakes.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let ball = world.add(Body::dynamic().shape(Shape::sphere(0.5)?))?;
    /// world.set_gravity([0.0, 0.0, 1.0])?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(ball)?.velocity() - Vec3::Z).length() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_gravity(&mut self, gravity: impl Into<Vec3>) -> Result<(), WorldError> {
        let gravity = gravity.into();
        check_gravity(gravity)?;
        if gravity != self.gravity {
            self.gravity = gravity;
            self.bodies.wake_all();
        }
        Ok(())
    }

    /// Whether bodies that have come to rest fall asleep.
    pub fn sleeping(&self) -> bool {
        self.sleeps
    }

    /// Lets bodies that have come to rest fall asleep from now on; or wakes all and lets none.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    /// let stone = world.add(Body::dynamic().at([0.0, 0.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// for is_asleep in [true, false, true] {
    ///     world.set_sleeping(is_asleep);
    ///     for _ in 0..60 {
    ///         world.step(1.0 / 60.0)?;
    ///     }
    ///     assert_eq!(world.body(stone)?.is_asleep(), is_asleep);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_sleeping(&mut self, sleeping: bool) {
        if sleeping != self.sleeps {
            self.sleeps = sleeping;
            // Nobody has followed what contacts connect.
            self.islands.forget();
            if !sleeping {
                self.bodies.wake_all();
            }
        }
    }

    /// How bodies are kept from passing through each other within a step.
    pub fn continuous(&self) -> Continuous {
        self.continuous
    }

    /// Keeps bodies from passing through each other in another way from the next step on.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::world::Continuous;
    ///
    /// let mut world = World::builder().continuous(Continuous::Off).build()?;
    /// world.add(Body::fixed().shape(Shape::cuboid(0.0005, 2.0, 2.0)?))?;
    /// let bullet = Body::dynamic().at([-10.0, 0.0, 0.0]).velocity([900.0, 0.0, 0.0]);
    /// let bullet = world.add(bullet.shape(Shape::sphere(0.005)?))?;
    /// world.set_continuous(Continuous::Default)?;
    /// for _ in 0..10 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.body(bullet)?.position().x < 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_continuous(&mut self, continuous: Continuous) -> Result<(), WorldError> {
        check_continuous(continuous)?;
        self.continuous = continuous;
        Ok(())
    }

    /// Impacts slower than this, in m/s, do not rebound.
    pub fn bounce_threshold(&self) -> f32 {
        self.bounce_threshold
    }

    /// Lets impacts rebound from this speed on, in m/s.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::builder().gravity([0.0; 3]).build()?;
    /// world.add(Body::fixed().shape(Shape::sphere(1.0)?).restitution(1.0))?;
    /// let ball = world.add(Body::dynamic().at([2.1, 0.0, 0.0]).velocity([-0.5, 0.0, 0.0]).shape(Shape::sphere(1.0)?))?;
    /// world.set_bounce_threshold(0.4)?;
    /// for _ in 0..30 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.body(ball)?.velocity().x - 0.5).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_bounce_threshold(&mut self, speed: f32) -> Result<(), WorldError> {
        check_bounce_threshold(speed)?;
        self.bounce_threshold = speed;
        Ok(())
    }

    /// Pairs that begin to touch at this closing speed or faster, in m/s, are told of as hits.
    pub fn hit_speed(&self) -> f32 {
        self.log.hit_speed()
    }

    /// Tells of pairs as hits that begin to touch at this closing speed or faster, in m/s.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.set_hit_speed(5.0)?;
    /// assert_eq!(world.hit_speed(), 5.0);
    /// assert_eq!(world.set_hit_speed(-1.0), Err(WorldError::HitSpeed { speed: -1.0 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_hit_speed(&mut self, speed: f32) -> Result<(), WorldError> {
        check_hit_speed(speed)?;
        self.log.set_hit_speed(speed);
        Ok(())
    }
}
