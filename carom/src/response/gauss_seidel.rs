//! R6: all contacts at once, by the projected Gauss–Seidel method with cached multipliers.
//!
//! The contacts' impulses solve a linear complementarity problem: each contact ends at its wanted speed or faster, pushes
//! j ≥ 0, and pushes only if it is not faster. All are gone through again and again; each moves its total to where its
//! own line of the problem is solved, given what the others have done, and holds it at j ≥ 0 (and in the friction cone).
//! Rows are never built: bodies' velocities carry what the contacts do to each other. With e = 1 and no friction a solved
//! state keeps the energy. Warm, a contact at rest begins with what it pushed in the last step, as its features tell;
//! a pile that hardly moves is nearly solved then. A rebound is not carried on: it happens once. Friction and rolling
//! are kept patch by patch, and each point takes its share by load.
//! Stops when the largest change of velocity in a round is below 1e-6 of the largest closing speed, or after the given
//! number of rounds. Cost: contacts × rounds. Sources: Catto 2005, Iterative Dynamics with Temporal Coherence; lecture
//! 000. The lecture keeps a hash map from features to multipliers; here each pair keeps its own.

use super::impulse::{Constraint, ContactImpulse, Rebound};
use crate::body::Motion;
use crate::narrow::Manifold;
use glam::Vec3;

/// Changes the velocities, and the impulses from those that the bodies already have to those in all; `residuals` takes
/// the largest change of relative velocity of each round.
pub(super) fn solve(
    constraints: &[Constraint],
    impulses: &mut [ContactImpulse],
    motions: &mut [Motion],
    iterations: u32,
    residuals: &mut Vec<f32>,
) {
    let tolerance = tolerance(constraints);
    for _ in 0..iterations {
        let mut largest_change = 0.0f32;
        for (constraint, impulse) in constraints.iter().zip(impulses.iter_mut()) {
            largest_change = largest_change.max(constraint.resolve(motions, impulse, Rebound::FromStart));
        }
        residuals.push(largest_change);
        if largest_change <= tolerance {
            break;
        }
    }
}

/// Begins with the impulses of the last step, which was shorter by the factor `stretch`.
pub(super) fn warm_start(
    manifolds: &[Manifold],
    stretch: f32,
    constraints: &[Constraint],
    impulses: &mut [ContactImpulse],
    motions: &mut [Motion],
) {
    let mut rows = constraints.iter().zip(impulses);
    for manifold in manifolds {
        let load: f32 = manifold.contacts().iter().map(|contact| contact.carried).sum();
        let normal = manifold.normal;
        for (contact, (constraint, impulse)) in manifold.contacts().iter().zip(&mut rows) {
            if !constraint.acts(Rebound::FromStart) || !(contact.carried > 0.0) {
                continue;
            }
            let share = contact.carried / load * stretch;
            let known = ContactImpulse {
                normal: contact.carried * stretch,
                friction: manifold.friction.reject_from_normalized(normal) * share,
                rolling: manifold.rolling.reject_from_normalized(normal) * share,
                has_rebounded: false,
            };
            if known.normal.is_finite() && known.friction.is_finite() && known.rolling.is_finite() {
                *impulse = known;
                constraint.warm_start(motions, impulse);
            }
        }
    }
}

/// Changes of velocity that are not worth another round.
pub(super) fn tolerance(constraints: &[Constraint]) -> f32 {
    constraints.iter().map(|constraint| constraint.closing.abs()).fold(0.0, f32::max).min(f32::MAX) * 1e-6
}

/// Writes to a manifold what its contacts did.
pub(super) fn store(manifold: &mut Manifold, impulses: &mut impl Iterator<Item = ContactImpulse>) {
    let arms = manifold.contacts().iter().map(|contact| contact.arm_b).sum::<Vec3>();
    let middle = arms / manifold.contacts().len().max(1) as f32;
    let normal = manifold.normal;
    let (mut friction, mut rolling, mut twist) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for (contact, impulse) in manifold.contacts_mut().iter_mut().zip(impulses) {
        contact.impulse = impulse.normal;
        contact.carried = if impulse.has_rebounded { 0.0 } else { impulse.normal };
        friction += impulse.friction;
        rolling += impulse.rolling;
        twist += (contact.arm_b - middle).cross(impulse.friction).dot(normal);
    }
    (manifold.friction, manifold.rolling, manifold.twist) = (friction, rolling, twist);
}
