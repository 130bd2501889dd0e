//! From manifolds to packs: what of a patch does not change during a step.

use super::colour::{NO_PATCH, Patch};
use super::lanes::{Lanes, Tensors, Twists, Vectors, load, store};
use super::pack::{COUPLED, Pack, Softness, UNEVEN, WIDTH};
use super::state::Mass;
use crate::body::Bodies;
use crate::narrow::{Contact, Manifold, Meeting, rolling_radius};
use crate::response::Origin;
use fearless_simd::{Level, dispatch, f32x8, prelude::*};
use glam::Vec3;

/// The mean distance of an even load from the middle of a patch, as a share of that of the points: on a line, on a disc whose
/// rim they are, and on a square, (√2 + arsinh 1) / (3 √2); on longer rectangles it comes down to that of a line.
const ON_A_LINE: f32 = 0.5;
const ON_A_DISC: f32 = 2.0 / 3.0;
const ON_A_SQUARE: f32 = 0.541;
/// A response to friction whose determinant is less than this share of its trace's square is along one line, but for rounding.
const LEAST_DETERMINANT: f32 = 1e-6;

/// What of a step the packs depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) gravity: Vec3,
    /// Of patches between bodies, and against what does not move.
    pub(super) softness: [Softness; 2],
    /// Slower impacts do not rebound.
    pub(super) bounce_threshold: f32,
    /// How long a substep is, measured in those of the last step.
    pub(super) stretch: f32,
}

/// What packs are filled from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) meetings: &'a [Meeting],
    pub(super) bodies: &'a Bodies,
    /// Of each row.
    pub(super) masses: &'a [Mass],
    pub(super) first_movable: u32,
}

impl<'a> Source<'a> {
    fn manifold(&self, patch: &Patch) -> &'a Manifold {
        let Origin::Contact { meeting, manifold } = patch.origin;
        &self.meetings[meeting as usize].manifolds()[manifold as usize]
    }

    /// Asks for the manifolds of patches that are next, with so many points at the most.
    #[inline(always)]
    pub(super) fn fetch(&self, lanes: &[Patch], points: usize) {
        for patch in lanes {
            let Origin::Contact { meeting, .. } = patch.origin;
            if let Some(meeting) = self.meetings.get(meeting as usize) {
                meeting.fetch(points);
            }
        }
    }

    /// The most points that one of the patches has. All manifolds are touched here, one right after the other, so that
    /// they come from memory together.
    fn points_of(&self, lanes: &[Patch]) -> usize {
        let patches = lanes.iter().filter(|patch| **patch != NO_PATCH);
        patches.map(|patch| self.manifold(patch).contacts().len()).max().unwrap_or(0)
    }
}

/// What is known of the patches in the axes of the world, until the axes of the patches are known.
#[derive(Debug, Clone)]
struct Draft {
    /// Where the points are, from the middle of their patch.
    offsets: [[Lanes; 3]; 4],
    /// What friction and resistance to rolling push at first.
    friction: [Lanes; 3],
    rolling: [Lanes; 3],
    surface_velocity: [Lanes; 3],
    /// What the distances of the points from the middle add to the reach of twist.
    twist_share: Lanes,
}

/// Fills a pack with its patches.
pub(super) fn fill(level: Level, pack: &mut Pack, lanes: &[Patch], source: &Source<'_>, plan: &Plan) {
    let points = source.points_of(lanes);
    if lanes.contains(&NO_PATCH) {
        pack.clone_from(&Pack::EMPTY);
    }
    pack.forget_points(points);
    let nothing = [[0.0; WIDTH]; 3];
    let mut draft = Draft {
        offsets: [nothing; 4],
        friction: nothing,
        rolling: nothing,
        surface_velocity: nothing,
        twist_share: [0.0; WIDTH],
    };
    for (lane, patch) in lanes.iter().enumerate().take(WIDTH).filter(|(_, patch)| **patch != NO_PATCH) {
        fill_lane(pack, &mut draft, lane, patch, source, plan);
    }
    dispatch!(level, simd => derive(simd, pack, &draft, source.masses));
}

fn fill_lane(pack: &mut Pack, draft: &mut Draft, lane: usize, patch: &Patch, source: &Source<'_>, plan: &Plan) {
    let manifold = source.manifold(patch);
    let contacts = manifold.contacts();
    let share = 1.0 / contacts.len() as f32;
    let [middle_a, middle_b] = contacts.iter().fold([Vec3::ZERO; 2], |[a, b], c| [a + c.arm_a, b + c.arm_b]);
    // Friction acts on each body's own surface: by the time the two touch, the gap between them is used up.
    let gap: f32 = contacts.iter().map(|contact| (-contact.depth).max(0.0)).sum();
    let half_gap = manifold.normal * (0.5 * share * gap);
    let middle = middle_a * share;
    let [middle_a, middle_b] = [middle - half_gap, middle_b * share + half_gap];
    for (side, arm) in [middle_a, middle_b].into_iter().enumerate() {
        pack.bodies[side][lane] = patch.rows[side];
        set(&mut pack.arms[side], lane, arm);
    }
    let material = &manifold.material;
    // What parts again after a blow is over: friction must not hold what the blow pushed.
    let is_loose = !(manifold.is_held || manifold.rebounds);
    pack.is_loose |= is_loose;
    pack.angular |= u8::from(!manifold.is_round) << lane;
    pack.loose[lane] = if is_loose { 1.0 } else { 0.0 };
    set(&mut pack.normal, lane, manifold.normal);
    pack.friction[lane] = material.friction_when(|| {
        let [a, b] = [manifold.pair.a.body, manifold.pair.b.body].map(|body| &source.bodies.motions[body as usize]);
        let velocity = b.velocity_at(middle_b) - a.velocity_at(middle_a) + material.surface_velocity;
        velocity.reject_from_normalized(manifold.normal).length()
    });
    if material.rolling_friction > 0.0 {
        pack.roll(lane, material.rolling_friction * rolling_radius(&manifold.pair, source.bodies));
    }
    let softness = &plan.softness[usize::from(patch.rows[0].min(patch.rows[1]) < source.first_movable)];
    for (lanes, value) in pack.softness.iter_mut().zip([softness.rate, softness.mass, softness.impulse]) {
        lanes[lane] = value;
    }
    for (point, contact) in contacts.iter().enumerate() {
        set(&mut draft.offsets[point], lane, contact.arm_a - middle);
        pack.point[point].gap[lane] = -contact.depth;
        pack.point[point].gap_now[lane] = -contact.depth;
        // The mark of a point that is there, until its mass is known.
        pack.point[point].mass[lane] = 1.0;
        pack.point[point].impulse[lane] = contact.carried * plan.stretch;
        if material.restitution > 0.0 {
            let impact = impact_speed(manifold, contact, source.bodies, plan);
            if impact > plan.bounce_threshold {
                pack.bounce(point, lane, impact, material.restitution);
            }
        }
    }
    draft.twist_share[lane] = share
        * match (contacts.len(), manifold.is_round) {
            (0..=2, _) => ON_A_LINE,
            (_, true) => ON_A_DISC,
            (_, false) => ON_A_SQUARE,
        };
    set(&mut draft.surface_velocity, lane, material.surface_velocity);
    // What held a blow is over with it.
    let carried = if manifold.rebounds { 0.0 } else { plan.stretch };
    set(&mut draft.friction, lane, manifold.friction * carried);
    set(&mut draft.rolling, lane, manifold.rolling * carried);
    // A single point does not hold against twist, whatever it did as one of several.
    pack.twist_impulse[lane] = if contacts.len() > 1 { manifold.twist * carried } else { 0.0 };
}

/// How fast two bodies will close at a point once they are there, falling on through the gap.
fn impact_speed(manifold: &Manifold, contact: &Contact, bodies: &Bodies, plan: &Plan) -> f32 {
    let indices = [manifold.pair.a.body as usize, manifold.pair.b.body as usize];
    let [a, b] = indices.map(|index| &bodies.motions[index]);
    let closing = (a.velocity_at(contact.arm_a) - b.velocity_at(contact.arm_b)).dot(manifold.normal);
    if closing <= 0.0 {
        return 0.0;
    }
    let [falling_a, falling_b] = indices.map(|index| {
        let motion = &bodies.motions[index];
        plan.gravity * bodies.gravity_scale(index as u32) + motion.force * motion.inverse_mass
    });
    let by_forces = manifold.normal.dot(falling_a - falling_b);
    (closing * closing - 2.0 * by_forces * contact.depth).max(0.0).sqrt()
}

#[inline(always)]
fn set(lanes: &mut [Lanes; 3], lane: usize, value: Vec3) {
    lanes[0][lane] = value.x;
    lanes[1][lane] = value.y;
    lanes[2][lane] = value.z;
}

/// A unit vector across each normal. Source: Duff et al. 2017, Building an Orthonormal Basis, Revisited.
#[inline(always)]
fn tangents<S: Simd>(simd: S, normal: Vectors<S>) -> Vectors<S> {
    let zero = f32x8::splat(simd, 0.0);
    let sign = f32x8::splat(simd, 1.0).copysign(normal.z);
    let a = f32x8::splat(simd, -1.0) / (sign + normal.z);
    let b = normal.x * normal.y * a;
    Vectors { x: sign * normal.x * normal.x * a + 1.0, y: sign * b, z: zero - sign * normal.x }
}

/// How contacts move the bodies in these rows.
#[inline(always)]
fn masses_of<S: Simd>(simd: S, rows: &[u32; WIDTH], masses: &[Mass]) -> (Vectors<S>, Tensors<S>) {
    let [a, b, c, d] = [rows[0] as usize, rows[1] as usize, rows[2] as usize, rows[3] as usize];
    let [e, f, g, h] = [rows[4] as usize, rows[5] as usize, rows[6] as usize, rows[7] as usize];
    let (a, b, c, d) = (&masses[a], &masses[b], &masses[c], &masses[d]);
    let (e, f, g, h) = (&masses[e], &masses[f], &masses[g], &masses[h]);
    let low = [&a.inverse_mass, &b.inverse_mass, &c.inverse_mass, &d.inverse_mass];
    let high = [&e.inverse_mass, &f.inverse_mass, &g.inverse_mass, &h.inverse_mass];
    let mass = Twists::from_rows(simd, low, high).linear;
    let low = [&a.inverse_inertia, &b.inverse_inertia, &c.inverse_inertia, &d.inverse_inertia];
    let high = [&e.inverse_inertia, &f.inverse_inertia, &g.inverse_inertia, &h.inverse_inertia];
    (mass, Tensors::from_rows(simd, low, high))
}

/// Axes, responses and masses from normals, arms, inertias and the rest.
#[inline(always)]
fn derive<S: Simd>(simd: S, pack: &mut Pack, draft: &Draft, masses: &[Mass]) {
    let zero = f32x8::splat(simd, 0.0);
    let normal = Vectors::load(simd, &pack.normal);
    let tangent = tangents(simd, normal);
    tangent.store(&mut pack.tangent);
    let across = normal.cross(tangent);
    let arm_a = Vectors::load(simd, &pack.arms[0]);
    let arm_b = Vectors::load(simd, &pack.arms[1]);
    let (mass_a, inertia_a) = masses_of(simd, &pack.bodies[0], masses);
    let (mass_b, inertia_b) = masses_of(simd, &pack.bodies[1], masses);
    let are_free = mass_a.are_even() & mass_b.are_even();
    pack.is_plain = (are_free & inertia_a.are_round(simd) & inertia_b.are_round(simd)).all_true();
    if pack.is_plain {
        store(mass_a.x, &mut pack.plain[0][0]);
        store(inertia_a.xx, &mut pack.plain[0][1]);
        store(mass_b.x, &mut pack.plain[1][0]);
        store(inertia_b.xx, &mut pack.plain[1][1]);
    } else {
        mass_a.store(&mut pack.inverse_mass[0]);
        mass_b.store(&mut pack.inverse_mass[1]);
        inertia_a.store(&mut pack.inverse_inertia[0]);
        inertia_b.store(&mut pack.inverse_inertia[1]);
    }
    // The surface of the first carries the second along.
    let surface_velocity = Vectors::load(simd, &draft.surface_velocity);
    store(zero - tangent.dot(surface_velocity), &mut pack.surface[0]);
    store(zero - across.dot(surface_velocity), &mut pack.surface[1]);
    let friction = Vectors::load(simd, &draft.friction);
    store(tangent.dot(friction), &mut pack.friction_impulse[0]);
    store(across.dot(friction), &mut pack.friction_impulse[1]);
    if pack.rolls {
        let rolling = Vectors::load(simd, &draft.rolling);
        store(tangent.dot(rolling), &mut pack.rolling_impulse[0]);
        store(across.dot(rolling), &mut pack.rolling_impulse[1]);
    }
    let mass = mass_a.plus(mass_b);
    let (most_a, most_b) = (mass_a.x.max(mass_a.y).max(mass_a.z), mass_b.x.max(mass_b.y).max(mass_b.z));
    let (light, heavy) = (most_a.max(most_b), most_a.min(most_b));
    pack.is_uneven = (heavy.simd_gt(zero) & light.simd_gt(heavy * UNEVEN)).any_true();

    let (normal_a, normal_b) = (arm_a.cross(normal), arm_b.cross(normal));
    let (turn_a, turn_b) = (inertia_a.times(normal_a), inertia_b.times(normal_b));
    let turn = turn_a.plus(turn_b);
    let around_tangent = inertia_a.times(tangent).plus(inertia_b.times(tangent));
    let around_across = inertia_a.times(across).plus(inertia_b.times(across));
    let aa = normal.scaled(mass).dot(normal) + (normal_a.dot(turn_a) + normal_b.dot(turn_b));
    let (ab, ac) = (tangent.dot(turn), across.dot(turn));
    let (bb, cc, bc) = (tangent.dot(around_tangent), across.dot(around_across), across.dot(around_tangent));
    if pack.rolls || pack.bounces {
        let [to_aa, to_bb, to_cc, to_ab, to_bc, to_ac] = &mut pack.response;
        store(aa, to_aa);
        store(bb, to_bb);
        store(cc, to_cc);
        store(ab, to_ab);
        store(bc, to_bc);
        store(ac, to_ac);
    }
    let count = pack.points.min(4) as usize;
    let mut reach = zero;
    for (points, offset) in pack.point.iter_mut().zip(&draft.offsets).take(count) {
        let offset = Vectors::load(simd, offset);
        reach += offset.dot(offset).sqrt();
        let p = across.dot(offset);
        let q = zero - tangent.dot(offset);
        store(p, &mut points.levers[0]);
        store(q, &mut points.levers[1]);
        let seen = aa + (p * p * bb + q * q * cc) + (p * ab + q * ac + p * q * bc) * 2.0;
        let is_there = load(simd, &points.mass).simd_gt(zero) & seen.simd_gt(zero);
        store(is_there.select(f32x8::splat(simd, 1.0) / seen, zero), &mut points.mass);
    }
    if count > 1 {
        store(reach * load(simd, &draft.twist_share), &mut pack.twist_reach);
    }
    for (index, [one, other]) in COUPLED.into_iter().enumerate() {
        if other < count {
            let (one, other) = (&pack.point[one].levers, &pack.point[other].levers);
            let (p, q) = (load(simd, &one[0]), load(simd, &one[1]));
            let (r, s) = (load(simd, &other[0]), load(simd, &other[1]));
            let straight = aa + (p + r) * ab + (q + s) * ac;
            store(straight + (p * r * bb + q * s * cc) + (p * s + q * r) * bc, &mut pack.couplings[index]);
        }
    }

    let (tangent_a, tangent_b) = (arm_a.cross(tangent), arm_b.cross(tangent));
    let (across_a, across_b) = (arm_a.cross(across), arm_b.cross(across));
    let (turn_a, turn_b) = (inertia_a.times(tangent_a), inertia_b.times(tangent_b));
    let uu = tangent.scaled(mass).dot(tangent) + (tangent_a.dot(turn_a) + tangent_b.dot(turn_b));
    let uv = tangent.scaled(mass).dot(across) + (across_a.dot(turn_a) + across_b.dot(turn_b));
    let (turn_a, turn_b) = (inertia_a.times(across_a), inertia_b.times(across_b));
    let vv = across.scaled(mass).dot(across) + (across_a.dot(turn_a) + across_b.dot(turn_b));
    // By its trace, so that bodies may be as light or heavy as they like.
    let trace = uu + vv;
    let size = trace.simd_gt(zero).select(f32x8::splat(simd, 1.0) / trace, zero);
    let (uu, vv, uv) = (uu * size, vv * size, uv * size);
    let determinant = uu * vv - uv * uv;
    // Where axes are locked the two may yield along one line only: friction acts along that.
    let is_sound = determinant.simd_gt(f32x8::splat(simd, LEAST_DETERMINANT));
    let inverse = is_sound.select(size / determinant, size);
    store(is_sound.select(vv, uu) * inverse, &mut pack.friction_mass[0]);
    store(is_sound.select(uu, vv) * inverse, &mut pack.friction_mass[1]);
    store(is_sound.select(zero - uv, uv) * inverse, &mut pack.friction_mass[2]);
    if count > 1 {
        let around = normal.dot(inertia_a.times(normal).plus(inertia_b.times(normal)));
        let can_twist = around.simd_gt(zero);
        store(can_twist.select(f32x8::splat(simd, 1.0) / around, zero), &mut pack.twist_mass);
    }
}
