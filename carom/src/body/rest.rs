//! How long a body has been still, and what falls asleep and wakes together with it.

use super::{Bodies, Motion, Nature};
use crate::island::{STILL_SPEED, STILL_TIME};
use glam::Vec3;

/// Nobody asks whether something has been still for longer than this, in s.
const LONG_STILL: f32 = 2.0 * STILL_TIME;

/// What is slower than this does not move at all, in m/s: it is 3 cm in eight hours.
const NO_SPEED: f32 = 1e-6;

/// What has become faster by more than this, in m/s, gathers speed and has not been still: from rest at 0.01 m/s². Heaps
/// tremble by less, and fall asleep as soon as without it. What trembles by more falls asleep later, but does: it is counted
/// from its greatest speed then, which is not exceeded for ever.
const MOST_GAIN: f32 = 0.005;

/// How a body rests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rest {
    /// For how long it has hardly moved, in s, and how fast it was as that began, in m/s; which means nothing before.
    pub(crate) still_for: f32,
    pub(crate) still_from: f32,
    /// For how long it has not moved at all, in s.
    pub(crate) motionless_for: f32,
    /// The island that it sleeps in.
    pub(super) island: u32,
    /// Whether it may sleep.
    pub(crate) may_sleep: bool,
}

impl Rest {
    /// Not the name of an island.
    pub(crate) const AWAKE: u32 = u32::MAX;

    pub(crate) fn is_asleep(&self) -> bool {
        self.island != Self::AWAKE
    }

    /// That of a body that has just come.
    pub(super) fn new(may_sleep: bool) -> Self {
        Self { still_for: 0.0, still_from: 0.0, motionless_for: 0.0, island: Self::AWAKE, may_sleep }
    }

    /// It has not been still, whatever was counted.
    fn disturb(&mut self) {
        (self.still_for, self.motionless_for) = (0.0, 0.0);
    }

    /// Counts for how long the body has been still.
    pub(crate) fn follow(&mut self, nature: &Nature, motion: &Motion, dt: f32) {
        let turning = motion.angular_velocity.length_squared() * nature.reach * nature.reach;
        let speed_squared = motion.velocity.length_squared() + turning;
        // What nothing moves does not rest: nobody waits for it.
        let is_still = speed_squared < STILL_SPEED * STILL_SPEED && motion.is_movable() && self.may_sleep;
        let mut rest = *self;
        if is_still {
            let speed = speed_squared.sqrt();
            let begins = self.still_for == 0.0 || speed > self.still_from + MOST_GAIN;
            (rest.still_from, rest.still_for) =
                if begins { (speed, dt) } else { (self.still_from, (self.still_for + dt).min(LONG_STILL)) };
            rest.motionless_for = if speed < NO_SPEED { (self.motionless_for + dt).min(LONG_STILL) } else { 0.0 };
        } else {
            rest.disturb();
        }
        // What moves stays as it is, and so does what has long been still: others who write beside it need not wait.
        if *self != rest {
            *self = rest;
        }
    }
}

impl Bodies {
    /// A name for an island that falls asleep.
    pub(crate) fn name_island(&mut self) -> u32 {
        let name = self.next_island;
        // After four thousand million islands the first name comes again; its bearer has long been awake.
        self.next_island = (name + 1) % Rest::AWAKE;
        name
    }

    /// A body stands still from now on, as one of an island.
    pub(crate) fn fall_asleep(&mut self, dense: usize, island: u32) {
        self.rests[dense].island = island;
        let motion = &mut self.motions[dense];
        (motion.velocity, motion.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        self.review(dense);
    }

    /// A body stands still from now on because the user wants it so: what would have moved it is forgotten.
    pub(crate) fn lull(&mut self, dense: usize, island: u32) {
        let motion = &mut self.motions[dense];
        (motion.force, motion.torque) = (Vec3::ZERO, Vec3::ZERO);
        self.fall_asleep(dense, island);
    }

    /// All are awake, and have not been still.
    pub(crate) fn wake_all(&mut self) {
        for dense in 0..self.rests.len() {
            let rest = &mut self.rests[dense];
            rest.disturb();
            if rest.is_asleep() {
                rest.island = Rest::AWAKE;
                self.review(dense);
            }
        }
        self.waking.clear();
    }

    /// The body is awake, and those that it sleeps with will be before the next stage.
    pub(crate) fn wake(&mut self, dense: usize) {
        let rest = &mut self.rests[dense];
        rest.disturb();
        if rest.is_asleep() {
            self.waking.push(rest.island);
            rest.island = Rest::AWAKE;
            self.review(dense);
        }
    }

    /// Wakes the islands of all bodies that were woken; says whether there were any.
    pub(crate) fn wake_islands(&mut self) -> bool {
        if self.waking.is_empty() {
            return false;
        }
        self.waking.sort_unstable();
        for dense in 0..self.rests.len() {
            let rest = &mut self.rests[dense];
            if rest.is_asleep() && self.waking.binary_search(&rest.island).is_ok() {
                rest.island = Rest::AWAKE;
                rest.disturb();
                self.review(dense);
            }
        }
        self.waking.clear();
        true
    }
}
