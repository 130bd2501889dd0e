//! R4: bodies that are still inside each other are pushed apart along the normals, without turning, the lighter one
//! farther. Only a part of the depth is taken out in a step and a little is left in, so contacts persist and nothing
//! jumps; a contact whose bodies will part by their own speed is left alone, so bouncing gains no height.

use crate::body::Bodies;
use crate::narrow::Manifold;
use glam::Vec3;

/// Depth that is left in, in metres, and as a share of the smaller part if that is less.
const SLOP: f32 = 0.005;
const SLOP_SHARE: f32 = 0.01;
/// The share of the rest that is taken out per step.
const SHARE: f32 = 0.3;
/// How often all contacts are gone through; each sees what the ones before it have moved.
const ROUNDS: usize = 4;

/// Moves the bodies of `manifolds`, whose depths are those at the start of the step.
pub(super) fn push_apart(manifolds: &[Manifold], bodies: &mut Bodies, dt: f32, shifts: &mut Vec<Vec3>) {
    shifts.clear();
    shifts.resize(bodies.len(), Vec3::ZERO);
    for _ in 0..ROUNDS {
        for manifold in manifolds {
            let [index_a, index_b] = [manifold.pair.a.body as usize, manifold.pair.b.body as usize];
            let (a, b) = (&bodies.motions()[index_a], &bodies.motions()[index_b]);
            let inverse_mass = a.inverse_mass + b.inverse_mass;
            let left_out = bodies.is_set_aside(manifold.pair.a.body) || bodies.is_set_aside(manifold.pair.b.body);
            if inverse_mass == 0.0 || left_out {
                continue;
            }
            let slop = SLOP.min(SLOP_SHARE * manifold.size);
            for contact in manifold.contacts() {
                let separating = (b.velocity_at(contact.arm_b) - a.velocity_at(contact.arm_a)).dot(manifold.normal);
                let parted = (shifts[index_b] - shifts[index_a]).dot(manifold.normal);
                // What this step's own movement opens is not pushed as well.
                let depth = contact.depth - separating * dt - slop;
                let shift = (SHARE * depth - parted).max(0.0) / inverse_mass;
                shifts[index_a] -= manifold.normal * (shift * a.inverse_mass);
                shifts[index_b] += manifold.normal * (shift * b.inverse_mass);
            }
        }
    }
    for (motion, shift) in bodies.motions.iter_mut().zip(shifts) {
        motion.center += shift.as_dvec3();
    }
}
