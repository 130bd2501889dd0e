//! How long a body has been still, and what falls asleep and wakes together with it.

use super::{Bodies, Motion, Nature};
use crate::island::{STILL_SPEED, STILL_TIME};
use glam::Vec3;

/// Nobody asks whether something has been still for longer than this, in s.
const LONG_STILL: f32 = 2.0 * STILL_TIME;

/// How a body rests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rest {
    /// For how long it has hardly moved, in s.
    pub(crate) still_for: f32,
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

    /// Counts for how long the body has been still.
    pub(crate) fn follow(&mut self, nature: &Nature, motion: &Motion, dt: f32) {
        let turning = motion.angular_velocity.length_squared() * nature.reach * nature.reach;
        let is_slow = motion.velocity.length_squared() + turning < STILL_SPEED * STILL_SPEED;
        // What nothing moves does not rest: nobody waits for it.
        let is_still = is_slow && motion.is_movable();
        let still_for = if is_still && self.may_sleep { (self.still_for + dt).min(LONG_STILL) } else { 0.0 };
        // What moves stays as it is, and so does what has long been still: others who write beside it need not wait.
        if self.still_for != still_for {
            self.still_for = still_for;
        }
    }
}

impl Bodies {
    /// A body stands still from now on, as one of an island.
    pub(crate) fn fall_asleep(&mut self, dense: usize, island: u32) {
        self.rests[dense].island = island;
        let motion = &mut self.motions[dense];
        (motion.velocity, motion.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        self.review(dense);
    }

    /// The body is awake, and those that it sleeps with will be before the next stage.
    pub(crate) fn wake(&mut self, dense: usize) {
        let rest = &mut self.rests[dense];
        rest.still_for = 0.0;
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
                rest.still_for = 0.0;
                self.review(dense);
            }
        }
        self.waking.clear();
        true
    }
}
