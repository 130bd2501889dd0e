//! Response: from contacts to velocities, and from velocities to poses.

mod impulse;
mod motion;
mod projection;

pub use impulse::ContactImpulse;

use crate::body::{Bodies, BodyId, Motion};
use crate::narrow::Manifold;
use glam::Vec3;

/// How contacts are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Solver {
    /// Impulses with restitution and friction over all contacts at once, then linear projection (R1, R4).
    Impulse {
        /// How often all contacts are gone through at most.
        iterations: u32,
    },
}

impl Default for Solver {
    fn default() -> Self {
        Self::Impulse { iterations: 32 }
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
}

/// The buffers that the stage fills.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The contacts' impulses, in the order of the manifolds and their points.
    pub(crate) impulses: Vec<ContactImpulse>,
    pub(crate) faults: Vec<Fault>,
    /// Each body before the stage, the prepared contacts, and each body's shift out of them; kept to spare allocations.
    before: Vec<Motion>,
    constraints: Vec<impulse::Constraint>,
    shifts: Vec<Vec3>,
}

/// The stage: forces, contacts, movement, projection.
pub(crate) fn solve(manifolds: &[Manifold], bodies: &mut Bodies, setting: &Setting, outcome: &mut Outcome) {
    let Outcome { impulses, faults, before, constraints, shifts } = outcome;
    faults.clear();
    before.clone_from(&bodies.motions);
    motion::apply_forces(bodies, setting);
    set_aside_broken(bodies, before, FaultStage::Forces, faults);
    impulse::solve(manifolds, bodies, before, setting, constraints, impulses);
    set_aside_broken(bodies, before, FaultStage::Contacts, faults);
    motion::advance(bodies, setting.dt);
    projection::push_apart(manifolds, bodies, setting.dt, shifts);
    set_aside_broken(bodies, before, FaultStage::Movement, faults);
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
