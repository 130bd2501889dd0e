//! R4: bodies that are still inside each other are moved apart along the normals.
//!
//! Linear: without turning, the lighter one farther, by the inverse of the masses. Nonlinear: they turn as well, as an
//! impulse of the right size would turn them: a body yields at an arm by 1/m + (r × n)ᵀ I⁻¹ (r × n), and each part gets
//! its share of the depth. No body turns by more than a limit in a step; what is missing then is moved.
//! In rounds (for Gauss–Seidel), all contacts are gone through a few times, and only a part of the depth is taken out in
//! a step. Worst first, the deepest contact is resolved in full, and the depths of those that share a body with it follow
//! its movement, until none is left or each has been resolved as often as allowed on average.
//! A little depth is left in, so contacts persist; depths are those that this step's own movement leaves, so that bodies
//! that part by their own speed are left alone, and bouncing gains no height. Velocities stay as they are.
//! Source: lecture 004; to hold the turn by a limit follows Millington 2007, Game Physics Engine Development.

use super::impulse::Constraint;
use super::motion;
use super::worst_first::Order;
use crate::body::{Bodies, Motion, Nature};
use crate::narrow::Manifold;
use glam::Vec3;

/// How bodies that are inside each other are moved apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Projection {
    /// Along the normal, without turning.
    #[default]
    Linear,
    /// Along the normal, turning as a push there would turn them, up to a limit.
    Nonlinear,
}

/// Depth that is left in, in metres, and as a share of the smaller part if that is less.
const SLOP: f32 = 0.005;
const SLOP_SHARE: f32 = 0.01;
/// The share of the rest that is taken out per step, in rounds.
const SHARE: f32 = 0.3;
/// How often all contacts are gone through; each sees what the ones before it have moved.
const ROUNDS: usize = 4;
/// Nonlinear projection turns a body by no more than this in a step, in rad.
const MOST_TURN: f32 = 0.1;
/// Worst first, contacts shallower than this share of the slop are left.
const TOLERANCE: f32 = 0.01;

/// How far a body is moved and turned.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Shift {
    center: Vec3,
    /// A rotation vector.
    turn: Vec3,
}

impl Shift {
    /// About how far it moves points of a body.
    pub(super) fn reaches(&self, nature: &Nature) -> f32 {
        self.center.length() + self.turn.length() * nature.reach
    }

    fn at(&self, arm: Vec3) -> Vec3 {
        self.center + self.turn.cross(arm)
    }
}

/// Moves the bodies of `manifolds`, whose depths are those at the start of the step, in rounds.
pub(super) fn push_apart(manifolds: &[Manifold], bodies: &mut Bodies, dt: f32, shifts: &mut Vec<Shift>) {
    shifts.clear();
    shifts.resize(bodies.len(), Shift::default());
    for _ in 0..ROUNDS {
        for manifold in manifolds {
            let indices = [manifold.pair.a.body as usize, manifold.pair.b.body as usize];
            let [a, b] = indices.map(|index| &bodies.motions()[index]);
            let normal = manifold.normal;
            let inverse_mass = normal.dot((a.inverse_mass_along + b.inverse_mass_along) * normal);
            let yields = inverse_mass > 0.0;
            if !yields || is_left_out(manifold, bodies) {
                continue;
            }
            for excess in excesses(manifold, [a, b], dt) {
                let parted = (shifts[indices[1]].center - shifts[indices[0]].center).dot(normal);
                let push = normal * ((SHARE * excess - parted).max(0.0) / inverse_mass);
                shifts[indices[0]].center -= moved_by(push, a);
                shifts[indices[1]].center += moved_by(push, b);
            }
        }
    }
    apply(shifts, bodies);
}

/// Moves the bodies of `manifolds`, worst first. `constraints` are their contacts, in order.
pub(super) fn push_worst_apart(
    (manifolds, constraints): (&[Manifold], &[Constraint]),
    bodies: &mut Bodies,
    (projection, iterations, dt): (Projection, u32, f32),
    (order, excess, shifts): (&mut Order, &mut Vec<f32>, &mut Vec<Shift>),
) {
    let Order { ranking, neighbours } = order;
    shifts.clear();
    shifts.resize(bodies.len(), Shift::default());
    excess.clear();
    for manifold in manifolds {
        let motions = [&manifold.pair.a, &manifold.pair.b].map(|part| &bodies.motions()[part.body as usize]);
        let left_out = is_left_out(manifold, bodies);
        excess.extend(excesses(manifold, motions, dt).map(|excess| if left_out { 0.0 } else { excess }));
    }
    neighbours.find(constraints, bodies.motions());
    ranking.clear(constraints.len());
    excess.iter().enumerate().for_each(|(index, &excess)| ranking.set(index, excess));
    let most = constraints.len().saturating_mul(iterations as usize);
    for _ in 0..most {
        let (worst, depth) = ranking.worst();
        if depth <= TOLERANCE * SLOP {
            break;
        }
        let row = &constraints[worst];
        resolve(row, depth, bodies.motions(), projection, shifts);
        // Nothing can move it: it must not keep the others from their turn.
        let is_stuck = (excess[worst] - parted(row, shifts)) > 0.999 * depth;
        if is_stuck {
            excess[worst] = f32::NEG_INFINITY;
            ranking.set(worst, 0.0);
        }
        for body in row.bodies {
            for &other in neighbours.of(body) {
                let other = other as usize;
                ranking.set(other, excess[other] - parted(&constraints[other], shifts));
            }
        }
    }
    apply(shifts, bodies);
}

/// How far two bodies have been moved apart at a contact.
fn parted(row: &Constraint, shifts: &[Shift]) -> f32 {
    let [a, b] = row.bodies.map(|body| &shifts[body]);
    (b.at(row.arms[1]) - a.at(row.arms[0])).dot(row.normal)
}

/// Takes the depth out of one contact.
fn resolve(row: &Constraint, depth: f32, motions: &[Motion], projection: Projection, shifts: &mut [Shift]) {
    let bodies = row.bodies.map(|body| &motions[body]);
    // From the first body to the second: the first is pushed back.
    let pushes = [-row.normal, row.normal];
    let straight: f32 = (0..2).map(|side| pushes[side].dot(bodies[side].inverse_mass_along * pushes[side])).sum();
    let mut missing = depth;
    if projection == Projection::Nonlinear {
        let turns: [Vec3; 2] =
            std::array::from_fn(|side| bodies[side].inverse_inertia * row.arms[side].cross(pushes[side]));
        let turning: f32 = (0..2).map(|side| turns[side].cross(row.arms[side]).dot(pushes[side])).sum();
        let size = depth / (straight + turning);
        if !size.is_finite() {
            return;
        }
        for side in 0..2 {
            let shift = &mut shifts[row.bodies[side]];
            let held = (shift.turn + turns[side] * size).clamp_length_max(MOST_TURN);
            missing -= (held - shift.turn).cross(row.arms[side]).dot(pushes[side]);
            shift.turn = held;
        }
    }
    if straight > 0.0 {
        for side in 0..2 {
            shifts[row.bodies[side]].center += moved_by(pushes[side] * (missing / straight), bodies[side]);
        }
    }
}

/// How far a push moves a body; what does not move stays where it is, however hard it is pushed.
fn moved_by(push: Vec3, motion: &Motion) -> Vec3 {
    let inverse_mass = motion.inverse_mass_along;
    Vec3::select(inverse_mass.cmpgt(Vec3::ZERO), push * inverse_mass, Vec3::ZERO)
}

/// By how much the contacts will be deeper than they may be once the bodies have moved.
fn excesses<'a>(manifold: &'a Manifold, [a, b]: [&'a Motion; 2], dt: f32) -> impl Iterator<Item = f32> + 'a {
    let slop = SLOP.min(SLOP_SHARE * manifold.size);
    manifold.contacts().iter().map(move |contact| {
        let separating = (b.velocity_at(contact.arm_b) - a.velocity_at(contact.arm_a)).dot(manifold.normal);
        contact.depth - separating * dt - slop
    })
}

fn is_left_out(manifold: &Manifold, bodies: &Bodies) -> bool {
    bodies.is_set_aside(manifold.pair.a.body) || bodies.is_set_aside(manifold.pair.b.body)
}

fn apply(shifts: &[Shift], bodies: &mut Bodies) {
    for ((nature, motion), shift) in bodies.natures.iter().zip(&mut bodies.motions).zip(shifts) {
        motion.center += shift.center.as_dvec3();
        motion::rotate(nature, motion, shift.turn);
    }
}
