//! R1: impulses with restitution and friction, over all contacts at once.
//!
//! At a contact with normal n the closing velocity is c = (v_a + ω_a × r_a − v_b − ω_b × r_b)·n. An impulse j along n
//! on b and −j on a changes it by −j·k, k = 1/m_a + 1/m_b + (r_a × n)ᵀ I_a⁻¹ (r_a × n) + (the same for b). What is
//! wanted afterwards is −e times the closing velocity before, whence j = (1 + e)·c / k. With several
//! contacts each changes the others, so all are gone through again and again, each holding its total at j ≥ 0, until
//! no impulse changes any more. With e = 1 and no friction a solved state keeps the energy; equal and opposite
//! impulses keep the momentum whether solved or not. Friction acts against the sliding velocity with at most μ·j.
//! Contacts that close no faster than some times what this step's forces add are at rest and get e = 0: in steps, a
//! ball of restitution e never hops lower than a speed of 1/(1 − e) times that (R3). Stops when the largest change of velocity in a round is below 1e-6 of the largest closing speed, or
//! after the given number of rounds. Cost: contacts × rounds. Sources: Newton's law of impact; Catto 2005, Iterative
//! Dynamics with Temporal Coherence, for holding the totals rather than each impulse at j ≥ 0.

use super::Setting;
use crate::body::{Bodies, Motion};
use crate::narrow::Manifold;
use glam::Vec3;

/// The impulse that a contact passed from its first body to its second in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct ContactImpulse {
    /// Along the manifold's normal; not negative.
    pub(super) normal: f32,
    /// By friction, across the normal, in the axes of the world.
    pub(super) friction: Vec3,
}

/// What of a contact does not change during the rounds.
#[derive(Debug, Clone)]
pub(super) struct Constraint {
    bodies: [usize; 2],
    arms: [Vec3; 2],
    normal: Vec3,
    /// Two directions across the normal.
    tangents: [Vec3; 2],
    /// 1/k for the normal and both tangents.
    effective_mass: f32,
    tangent_mass: [f32; 2],
    /// The separating speed that is wanted.
    target: f32,
    /// The closing speed at the start.
    closing: f32,
    friction: f32,
}

/// Replaces `impulses` by those of the contacts of `manifolds`, in order, and changes the velocities by them.
pub(super) fn solve(
    manifolds: &[Manifold],
    bodies: &mut Bodies,
    before: &[Motion],
    (setting, iterations): (&Setting, u32),
    constraints: &mut Vec<Constraint>,
    impulses: &mut Vec<ContactImpulse>,
) {
    constraints.clear();
    constraints.extend(manifolds.iter().flat_map(|manifold| prepare(manifold, bodies, before, setting)));
    impulses.clear();
    impulses.resize(constraints.len(), ContactImpulse::default());
    let tolerance = constraints.iter().map(|constraint| constraint.closing.abs()).fold(0.0, f32::max) * 1e-6;
    for _ in 0..iterations {
        let mut largest_change = 0.0f32;
        for (constraint, impulse) in constraints.iter().zip(impulses.iter_mut()) {
            largest_change = largest_change.max(constraint.apply(&mut bodies.motions, impulse));
        }
        if largest_change <= tolerance {
            break;
        }
    }
}

fn prepare<'a>(
    manifold: &'a Manifold,
    bodies: &'a Bodies,
    before: &'a [Motion],
    setting: &Setting,
) -> impl Iterator<Item = Constraint> + 'a {
    let indices = [manifold.pair.a.body, manifold.pair.b.body];
    let material = bodies.material(manifold.pair.a.collider).mixed(bodies.material(manifold.pair.b.collider));
    let [a, b] = indices.map(|index| &bodies.motions()[index as usize]);
    let [a_before, b_before] = indices.map(|index| &before[index as usize]);
    // What gravity adds to a speed in this step.
    let scale = indices.map(|index| bodies.gravity_scale(index).abs());
    let fall = setting.gravity.length() * setting.dt * scale[0].max(scale[1]);
    let left_out = indices.iter().any(|&index| bodies.is_set_aside(index));
    let normal = manifold.normal;
    let tangents = <[Vec3; 2]>::from(normal.any_orthonormal_pair());
    manifold.contacts().iter().map(move |contact| {
        let arms = [contact.arm_a, contact.arm_b];
        let mass_along = |direction: Vec3| {
            let turning = |motion: &Motion, arm: Vec3| {
                let lever = arm.cross(direction);
                lever.dot(motion.inverse_inertia * lever)
            };
            let inverse = a.inverse_mass + b.inverse_mass + turning(a, arms[0]) + turning(b, arms[1]);
            if inverse > 0.0 { inverse.recip() } else { 0.0 }
        };
        let closing = (a.velocity_at(arms[0]) - b.velocity_at(arms[1])).dot(normal);
        let closing_before = (a_before.velocity_at(arms[0]) - b_before.velocity_at(arms[1])).dot(normal);
        let gain = (closing - closing_before).abs().max(fall);
        let resting_speed = gain * (1.2 / (1.0 - material.restitution)).clamp(2.0, 10.0);
        // Bodies that part are not in contact: to stop them at 0, should another contact push them together in this
        // step, would do work on them. Without an effective mass there is no impulse.
        let is_parting = closing < -2.0 * gain;
        Constraint {
            bodies: indices.map(|index| index as usize),
            arms,
            normal,
            tangents,
            effective_mass: if is_parting || left_out { 0.0 } else { mass_along(normal) },
            tangent_mass: tangents.map(mass_along),
            target: if closing > resting_speed { material.restitution * closing } else { 0.0 },
            closing,
            friction: material.friction,
        }
    })
}

impl Constraint {
    /// Brings the contact to its target velocity; returns the largest change of relative velocity.
    fn apply(&self, motions: &mut [Motion], impulse: &mut ContactImpulse) -> f32 {
        let [index_a, index_b] = self.bodies;
        let Ok([a, b]) = motions.get_disjoint_mut([index_a, index_b]) else { return 0.0 };
        let [arm_a, arm_b] = self.arms;
        let mut push = |impulse: Vec3| {
            a.apply_impulse(-impulse, arm_a);
            b.apply_impulse(impulse, arm_b);
            b.velocity_at(arm_b) - a.velocity_at(arm_a)
        };
        let separating = push(Vec3::ZERO);

        let wanted = (self.target - separating.dot(self.normal)) * self.effective_mass;
        if !wanted.is_finite() {
            // Numbers have overflowed. The two bodies are at fault, unless one of them is known to be: those that
            // touch it are not.
            if a.is_finite() && b.is_finite() {
                [a, b].into_iter().filter(|body| body.is_movable()).for_each(|body| body.velocity = Vec3::NAN);
            }
            return 0.0;
        }
        let total = (impulse.normal + wanted).max(0.0);
        let change = total - impulse.normal;
        impulse.normal = total;
        let sliding = push(self.normal * change);
        let normal_change = if self.effective_mass > 0.0 { (change / self.effective_mass).abs() } else { 0.0 };

        let limit = self.friction * impulse.normal;
        let mut friction = impulse.friction;
        for (tangent, mass) in self.tangents.into_iter().zip(self.tangent_mass) {
            friction -= tangent * (sliding.dot(tangent) * mass);
        }
        let friction = friction.clamp_length_max(limit);
        let change = friction - impulse.friction;
        if !change.is_finite() {
            return normal_change;
        }
        impulse.friction = friction;
        push(change);
        let mass = self.tangent_mass[0].min(self.tangent_mass[1]);
        let sliding_change = if mass > 0.0 { change.length() / mass } else { 0.0 };
        normal_change.max(sliding_change)
    }
}
