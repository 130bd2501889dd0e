//! Snapshots: all that the next step depends on, and a hash of it.
//!
//! A step is a function of the snapshot, of what the user has changed since, of `dt`, and of the filter's answers. The broad
//! phase is not part of it: pairs are taken from it in the order of their slots, so only the boxes matter, and a restored
//! world builds it anew from them. Neither is the number of threads. What was kept of each pair (caches, impulses) is.

use super::events::Log;
use super::{Continuous, Step, World};
use crate::body::Bodies;
use crate::bounds::Aabb;
use crate::narrow::MeetingsCopy;
use crate::response::Solver;
use glam::{DVec3, Vec3};

/// A world at one moment, to go back to; see [`World::snapshot`].
#[derive(Debug, Clone)]
pub struct Snapshot {
    bodies: Bodies,
    /// By slot, as the broad phase has them.
    boxes: Vec<(u32, Aabb)>,
    meetings: MeetingsCopy,
    log: Log,
    gravity: Vec3,
    solver: Solver,
    bounce_threshold: f32,
    sleeps: bool,
    continuous: Continuous,
    boxes_for: Option<f32>,
    last_steps: [Option<f32>; 2],
    slab_axis: usize,
    /// What the last step did, so that a world that goes back tells what it told then.
    step: Step,
    time: f64,
}

impl Snapshot {
    /// How many bytes it holds. Large shapes are shared with the world and not counted.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let empty = world.snapshot().size();
    /// world.add(Body::dynamic().shape(Shape::sphere(0.5)?))?;
    /// assert!((200..2000).contains(&(world.snapshot().size() - empty)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn size(&self) -> usize {
        let boxes = self.boxes.capacity() * size_of::<(u32, Aabb)>();
        size_of::<Self>() + self.bodies.size() + boxes + self.meetings.size() + self.log.size() + self.step.size()
    }
}

impl World {
    /// All that the next step depends on, but for the filter, the broad phase and the number of threads, which belong to
    /// the world. Nothing changes in the world.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    /// world.add(Body::dynamic().at([0.0, 1.2, 0.0]).angular_velocity([1.0, 2.0, 3.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// let before = world.snapshot();
    /// let run = |world: &mut World| -> Result<u64, Box<dyn std::error::Error>> {
    ///     for _ in 0..60 {
    ///         world.step(1.0 / 60.0)?;
    ///     }
    ///     Ok(world.hash())
    /// };
    /// let first = run(&mut world)?;
    /// world.restore(&before);
    /// assert_eq!(run(&mut world)?, first);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        let mut boxes = Vec::with_capacity(self.broad.len());
        boxes.extend(self.boxes());
        Snapshot {
            bodies: self.bodies.clone(),
            boxes,
            meetings: self.meetings.copy(),
            log: self.log.clone(),
            gravity: self.gravity,
            solver: self.solver,
            bounce_threshold: self.bounce_threshold,
            sleeps: self.sleeps,
            continuous: self.continuous,
            boxes_for: self.boxes_for,
            last_steps: self.outcome.last_steps(),
            slab_axis: self.slabs.axis(),
            step: self.step.clone(),
            time: self.time,
        }
    }

    /// Goes back to a snapshot, of this world or of another. From there on, the same changes and steps give the same bodies
    /// bit for bit. Ids are those of the time of the snapshot. [`World::last_step`] tells what it told then; there
    /// are no events until the next step.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.bodies.clone_from(&snapshot.bodies);
        self.broad = self.structure.build();
        for (slot, bounds) in &snapshot.boxes {
            let inserted = self.broad.insert(*slot, *bounds);
            debug_assert_eq!(inserted, Ok(()), "the boxes were in a broad phase before");
        }
        self.meetings.restore(&snapshot.meetings);
        self.log.restore(&snapshot.log);
        self.gravity = snapshot.gravity;
        self.solver = snapshot.solver;
        self.bounce_threshold = snapshot.bounce_threshold;
        self.sleeps = snapshot.sleeps;
        self.continuous = snapshot.continuous;
        self.boxes_for = snapshot.boxes_for;
        self.outcome.set_last_steps(snapshot.last_steps);
        self.islands.forget();
        self.slabs.set_axis(snapshot.slab_axis);
        self.time = snapshot.time;
        self.step.clone_from(&snapshot.step);
    }

    /// 64 bits of what a step is a function of: all of the bodies and of their surfaces, all contacts with their impulses,
    /// and the world's settings. Worlds that differ in one of them have, but for chance, different hashes. Left out are into
    /// which pieces a step is cut ([`Continuous`]), the user's numbers, the inside of shapes, of which only the size counts, and
    /// what pairs keep beside their contacts only to be faster; these show in what comes later.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let build = |threads: usize, speed: f32| -> Result<u64, Box<dyn std::error::Error>> {
    ///     let mut world = World::builder().threads(threads).build()?;
    ///     world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    ///     world.add(Body::dynamic().at([0.0, 2.0, 0.0]).velocity([speed, 0.0, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    ///     (0..90).try_for_each(|_| world.step(1.0 / 60.0).map(drop))?;
    ///     Ok(world.hash())
    /// };
    /// assert_eq!(build(1, 0.5)?, build(2, 0.5)?);
    /// assert_ne!(build(1, 0.5)?, build(1, 0.5000001)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hash(&self) -> u64 {
        let mut digest = Digest::default();
        for ((motion, rest), nature) in self.bodies.motions.iter().zip(&self.bodies.rests).zip(&self.bodies.natures) {
            digest.place(motion.center);
            digest.floats(motion.rotation.to_array());
            for vector in [motion.velocity, motion.angular_velocity, motion.force, motion.torque] {
                digest.floats(vector.to_array());
            }
            digest.floats([rest.still_for, rest.still_from, rest.motionless_for, motion.inverse_mass]);
            digest.flags([rest.is_asleep(), rest.may_sleep, nature.set_aside, nature.is_disabled]);
            nature.add_to(&mut digest);
        }
        for collider in self.bodies.colliders.iter().flatten() {
            collider.add_to(&mut digest);
        }
        for head in self.meetings.heads() {
            digest.word(u64::from(head.pair.a) << 32 | u64::from(head.pair.b));
            digest.flags([head.is_touching]);
        }
        for manifold in self.meetings.manifolds() {
            for vector in [manifold.normal, manifold.friction, manifold.rolling] {
                digest.floats(vector.to_array());
            }
            digest.floats([manifold.twist]);
            digest.flags([manifold.rebounds]);
            for contact in manifold.contacts() {
                digest.floats(contact.arm_a.to_array());
                digest.floats(contact.arm_b.to_array());
                digest.floats([contact.depth, contact.impulse, contact.carried]);
            }
        }
        digest.floats(self.outcome.last_steps().map(|step| step.unwrap_or(0.0)));
        digest.floats([self.boxes_for.unwrap_or(-1.0), self.bounce_threshold]);
        digest.floats(self.gravity.to_array());
        digest.flags([self.sleeps]);
        digest.word(u64::from(self.meetings.changes()) << 2 | self.slabs.axis() as u64);
        // Settings are small: what they print tells them apart.
        format!("{:?} {:?}", self.solver, self.meetings.inner_edges())
            .bytes()
            .for_each(|byte| digest.word(u64::from(byte)));
        digest.end()
    }
}

/// Words mixed into one: each is multiplied in, so that order and every bit count.
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Digest {
    pub(crate) fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0xd134_2543_de82_ef95);
    }

    pub(crate) fn floats<const N: usize>(&mut self, floats: [f32; N]) {
        floats.iter().for_each(|value| self.word(u64::from(value.to_bits())));
    }

    /// Up to 64.
    pub(crate) fn flags<const N: usize>(&mut self, flags: [bool; N]) {
        self.word(flags.iter().fold(1, |word, flag| word << 1 | u64::from(*flag)));
    }

    fn place(&mut self, place: DVec3) {
        place.to_array().iter().for_each(|value| self.word(value.to_bits()));
    }

    fn end(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xda94_2042_e4dd_58b5);
        mixed ^ (mixed >> 29)
    }
}
