//! What a step tells, and how it is timed.

use super::Stop;
use crate::broad::BroadPhaseError;
use crate::narrow::ContactFault;
use crate::response::Fault;
use std::time::{Duration, Instant};

/// What a step did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Step {
    /// How many pairs of colliders had overlapping boxes.
    pub pairs: usize,
    /// How many patches of contact they had, touching or about to.
    pub manifolds: usize,
    /// How many points of contact there were.
    pub contacts: usize,
    /// The greatest depth among them.
    pub deepest: f32,
    /// Bodies that went non-finite and were set aside.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::response::{FaultCause, FaultStage};
    ///
    /// let mut world = World::default();
    /// let body = world.add(Body::dynamic().shape(Shape::sphere(0.5)?).mass(1e-3))?;
    /// world.body_mut(body)?.apply_force([f32::MAX, 0.0, 0.0])?;
    /// let faults = &world.step(1.0 / 60.0)?.faults;
    /// assert_eq!((faults[0].body, faults[0].stage, faults[0].cause), (body, FaultStage::Forces, FaultCause::Velocity));
    /// // It takes no part until it is put somewhere.
    /// assert!(world.body(body)?.is_set_aside());
    /// world.body_mut(body)?.set_pose(Pose::IDENTITY)?;
    /// assert!(world.step(1.0 / 60.0)?.faults.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub faults: Vec<Fault>,
    /// Pairs whose contacts could not be computed, and that were taken for apart.
    pub contact_faults: Vec<ContactFault>,
    /// Bodies that were stopped on their way, lest they pass through something.
    pub stops: Vec<Stop>,
    /// How long each stage took.
    pub times: StageTimes,
}

impl Step {
    /// How many bytes its lists hold.
    pub(super) fn size(&self) -> usize {
        size_of_val(&self.faults[..]) + size_of_val(&self.contact_faults[..]) + size_of_val(&self.stops[..])
    }
}

/// How long the stages of a step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTimes {
    /// Boxes and pairs.
    pub broad: Duration,
    /// Pairs to contacts.
    pub narrow: Duration,
    /// Contacts to velocities, velocities to poses.
    pub response: Duration,
    /// What is fast to where it first touches.
    pub impact: Duration,
}

impl std::ops::AddAssign for StageTimes {
    fn add_assign(&mut self, other: Self) {
        self.broad += other.broad;
        self.narrow += other.narrow;
        self.response += other.response;
        self.impact += other.impact;
    }
}

/// Why a step was not taken; the world is as it was.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is no positive number, or so short that what is divided by it is none: less than
    /// [`SHORTEST_STEP`](super::SHORTEST_STEP).
    #[error("the time step is {dt} s; it must be a finite number from {} s on", super::SHORTEST_STEP)]
    TimeStep {
        /// What was given.
        dt: f32,
    },
    /// The broad phase refused a box.
    #[error("broad phase: {error}")]
    BroadPhase {
        /// Why.
        #[from]
        error: BroadPhaseError,
    },
}

/// The shortest time step, in s. Divided into the most pieces and substeps that there can be it still has an inverse, and so
/// has its square.
pub const SHORTEST_STEP: f32 = 1e-9;

/// Measures stages one after the other.
pub(super) struct Clock {
    last: Instant,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { last: Instant::now() }
    }

    pub(super) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.last;
        self.last = now;
        lap
    }
}
