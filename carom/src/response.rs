//! Response: from contacts to velocities, and from velocities to poses.

mod impulse;
mod motion;
mod projection;
mod soft;

use crate::body::{Bodies, BodyId, Motion};
use crate::narrow::{Manifold, Meetings};
use fearless_simd::Level;
use glam::Vec3;

/// How contacts are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Solver {
    /// Substeps with soft contacts, warm-started, on all cores (R7).
    SoftStep {
        /// How many substeps a step has; at least one is made.
        substeps: u32,
    },
    /// Impulses with restitution and friction over all contacts at once, then linear projection (R1, R4).
    Impulse {
        /// How often all contacts are gone through at most.
        iterations: u32,
    },
}

impl Default for Solver {
    fn default() -> Self {
        Self::SoftStep { substeps: 4 }
    }
}

/// A body that went non-finite in a step and was set aside at its last sound state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// The body.
    pub body: BodyId,
    /// What was being computed.
    pub stage: FaultStage,
}

/// What was being computed when a body went non-finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultStage {
    /// Forces and gravity changed its velocity.
    Forces,
    /// Contacts changed its velocity.
    Contacts,
    /// Its velocity moved it.
    Movement,
}

/// What the stage needs to know of the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) gravity: Vec3,
    pub(crate) dt: f32,
    pub(crate) solver: Solver,
    /// At least 1; of solvers that have none, 1.
    pub(crate) substeps: u32,
    /// Slower impacts do not rebound, in m/s.
    pub(crate) bounce_threshold: f32,
    pub(crate) workers: usize,
    pub(crate) level: Level,
}

/// The buffers that the stage fills.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) faults: Vec<Fault>,
    soft: soft::Soft,
    /// Each body before the stage, its manifolds, the prepared contacts and their impulses, and each body's shift out of
    /// them; kept to spare allocations.
    before: Vec<Motion>,
    manifolds: Vec<Manifold>,
    constraints: Vec<impulse::Constraint>,
    impulses: Vec<impulse::ContactImpulse>,
    shifts: Vec<Vec3>,
}

impl Outcome {
    /// How long the last substep was: what the next step's impulses are scaled by.
    pub(crate) fn last_substep(&self) -> Option<f32> {
        self.soft.last_dt
    }

    pub(crate) fn set_last_substep(&mut self, dt: Option<f32>) {
        self.soft.last_dt = dt;
    }
}

/// The stage: forces, contacts, movement.
pub(crate) fn solve(meetings: &mut Meetings, bodies: &mut Bodies, setting: &Setting, outcome: &mut Outcome) {
    outcome.faults.clear();
    match setting.solver {
        Solver::SoftStep { .. } => soft::solve(meetings, bodies, setting, &mut outcome.soft, &mut outcome.faults),
        Solver::Impulse { iterations } => solve_by_impulses(meetings, bodies, setting, iterations, outcome),
    }
}

fn solve_by_impulses(
    meetings: &mut Meetings,
    bodies: &mut Bodies,
    setting: &Setting,
    iterations: u32,
    outcome: &mut Outcome,
) {
    let Outcome { faults, before, manifolds, constraints, impulses, shifts, .. } = outcome;
    manifolds.clear();
    manifolds.extend(meetings.pushing().map(|(_, manifold)| *manifold));
    before.clone_from(&bodies.motions);
    motion::apply_forces(bodies, setting);
    set_aside_broken(bodies, before, FaultStage::Forces, faults);
    impulse::solve(manifolds, bodies, before, (setting, iterations), constraints, impulses);
    set_aside_broken(bodies, before, FaultStage::Contacts, faults);
    motion::advance(bodies, setting.dt);
    projection::push_apart(manifolds, bodies, setting.dt, shifts);
    set_aside_broken(bodies, before, FaultStage::Movement, faults);
    let mut impulses = impulses.iter();
    for manifold in meetings.pushing_mut() {
        let mut friction = Vec3::ZERO;
        for (contact, impulse) in manifold.contacts_mut().iter_mut().zip(&mut impulses) {
            contact.impulse = impulse.normal;
            friction += impulse.friction;
        }
        manifold.friction = friction;
    }
}
/// Puts bodies that went non-finite back to where they were, without velocity, and leaves them out from then on.
fn set_aside_broken(bodies: &mut Bodies, before: &[Motion], stage: FaultStage, faults: &mut Vec<Fault>) {
    for (dense, before) in before.iter().enumerate() {
        if bodies.motions[dense].is_finite() {
            continue;
        }
        let motion = &mut bodies.motions[dense];
        *motion = *before;
        motion.velocity = Vec3::ZERO;
        motion.angular_velocity = Vec3::ZERO;
        motion.force = Vec3::ZERO;
        motion.torque = Vec3::ZERO;
        let nature = &mut bodies.natures[dense];
        nature.set_aside = true;
        faults.push(Fault { body: nature.id, stage });
    }
}
