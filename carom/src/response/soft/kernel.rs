//! What is done with eight patches at a time: the passes of the soft step.
//!
//! Each pass goes over the points one after the other, each seeing what those before it have done (Gauss–Seidel), by how
//! they are coupled; the bodies' velocities are read and written once a pass. What is kept of a point is the impulse that
//! it wants: its own push leaves that as it is, so a turn is a maximum, a difference and a product for each of the others.
//! A point that is apart may close by its gap within the substep. Depth is taken out softly in [`push`], and the speed
//! that this adds is taken back in [`relax`], which is rigid. Impulses that are no numbers are left out, and break the
//! bodies that caused them. Sources: Catto 2024, Solver2D, for the soft step with relaxation; the reduction of a patch
//! to six numbers is ours.

use super::lanes::{Tensors, Twists, Vectors, load, store};
use super::pack::{COUPLED, Pack, Points, WIDTH};
use super::state::Rows;
use fearless_simd::{f32x8, mask32x8, prelude::*};

/// Bodies that turn by less than this in a step move as if on straight lines, in radians.
const SMALL_TURN: f32 = 0.02;
/// Arcs are followed no farther than this.
const LARGE_TURN: f32 = 0.15;

/// How often the points of a patch that is not held are gone through, to and fro.
const LOOSE_ROUNDS: u32 = 4;

/// How often the points of a patch that was hit find their shares with friction, at the most, until no impulse changes by more
/// than this share; and how often among themselves each time.
const MOST_REBOUND_ROUNDS: u32 = 8;
const REBOUND_SWEEPS: u32 = 8;
const REBOUND_CHANGE: f32 = 1e-6;
/// How often the direction of friction is corrected where it does not hold.
const CONE_STEPS: u32 = 2;

/// What slides by less than this share of what it parts does not slide.
const LEAST_SLIP: f32 = 0.05;

/// What the passes need to know of a substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Substep {
    /// One over its length.
    pub(super) rate: f32,
    /// Depth is taken out no faster than this.
    pub(super) most_push: f32,
}

/// The bodies of a pack, and its axes.
struct Meeting<S: Simd> {
    a: Twists<S>,
    b: Twists<S>,
    normal: Vectors<S>,
    tangent: Vectors<S>,
    across: Vectors<S>,
    arm_a: Vectors<S>,
    arm_b: Vectors<S>,
}

/// What bodies do at the middle of a patch: along the normal, and around both tangents.
#[derive(Clone, Copy)]
struct Closing<S: Simd> {
    along: f32x8<S>,
    around_tangent: f32x8<S>,
    around_across: f32x8<S>,
}

impl<S: Simd> Meeting<S> {
    #[inline(always)]
    fn new(simd: S, pack: &Pack, rows: Rows<'_>) -> Self {
        let normal = Vectors::load(simd, &pack.normal);
        let tangent = Vectors::load(simd, &pack.tangent);
        Self {
            a: rows.velocities(simd, &pack.bodies[0]),
            b: rows.velocities(simd, &pack.bodies[1]),
            normal,
            tangent,
            across: normal.cross(tangent),
            arm_a: Vectors::load(simd, &pack.arms[0]),
            arm_b: Vectors::load(simd, &pack.arms[1]),
        }
    }

    /// How the second body's twist differs from the first's, as points of the patch see it along the normal.
    #[inline(always)]
    fn closing(&self, a: &Twists<S>, b: &Twists<S>) -> Closing<S> {
        let (lever_a, lever_b) = (self.arm_a.cross(self.normal), self.arm_b.cross(self.normal));
        let turning = b.angular.minus(a.angular);
        let along = self.normal.dot(b.linear.minus(a.linear)) + (lever_b.dot(b.angular) - lever_a.dot(a.angular));
        Closing { along, around_tangent: self.tangent.dot(turning), around_across: self.across.dot(turning) }
    }

    /// The same for how they have moved. The middle of a patch of faces and corners goes round on an arc: where a body has
    /// turned by more than a few hundredths that counts, else what spins is pushed away by what it touches. What is round
    /// touches with other points as it turns.
    #[inline(always)]
    fn parted(&self, simd: S, pack: &Pack, a: &Twists<S>, b: &Twists<S>) -> Closing<S> {
        let mut parted = self.closing(a, b);
        let (square_a, square_b) = (a.angular.dot(a.angular), b.angular.dot(b.angular));
        let turns = square_a.max(square_b).simd_gt(f32x8::splat(simd, SMALL_TURN * SMALL_TURN));
        if pack.angular != 0 && turns.any_true() {
            let mut halves = [0.0; WIDTH];
            for (lane, half) in halves.iter_mut().enumerate() {
                *half = if pack.angular >> lane & 1 == 1 { 0.5 } else { 0.0 };
            }
            // What turns far has other corners coming down by then: it must not be let through.
            let most = f32x8::splat(simd, LARGE_TURN * LARGE_TURN);
            let halves = load(simd, &halves) * (most / square_a.max(square_b).max(most));
            // Half of turn × (turn × arm), along the normal.
            let inward_a =
                a.angular.dot(self.arm_a) * a.angular.dot(self.normal) - square_a * self.arm_a.dot(self.normal);
            let inward_b =
                b.angular.dot(self.arm_b) * b.angular.dot(self.normal) - square_b * self.arm_b.dot(self.normal);
            parted.along += (inward_b - inward_a) * halves;
        }
        parted
    }

    /// Acts on both bodies with a force and a torque at the middle of the patch.
    #[inline(always)]
    fn act(&mut self, simd: S, pack: &Pack, force: Vectors<S>, torque: Vectors<S>) {
        let turns = [torque.plus(self.arm_a.cross(force)), torque.plus(self.arm_b.cross(force))];
        self.act_with(simd, pack, force, turns);
    }

    /// The same with a force alone.
    #[inline(always)]
    fn act_at_middle(&mut self, simd: S, pack: &Pack, force: Vectors<S>) {
        self.act_with(simd, pack, force, [self.arm_a.cross(force), self.arm_b.cross(force)]);
    }

    /// Acts with a force, and on each body with a torque.
    #[inline(always)]
    fn act_with(&mut self, simd: S, pack: &Pack, force: Vectors<S>, [torque_a, torque_b]: [Vectors<S>; 2]) {
        let (push, turn) = moved::<S, 0>(simd, pack, force, torque_a);
        self.a.linear = self.a.linear.minus(push);
        self.a.angular = self.a.angular.minus(turn);
        let (push, turn) = moved::<S, 1>(simd, pack, force, torque_b);
        self.b.linear = self.b.linear.plus(push);
        self.b.angular = self.b.angular.plus(turn);
    }

    #[inline(always)]
    fn act_normally(&mut self, simd: S, pack: &Pack, push: &Closing<S>) {
        self.act(simd, pack, self.normal.times(push.along), self.torque_of(push));
    }

    #[inline(always)]
    fn torque_of(&self, push: &Closing<S>) -> Vectors<S> {
        self.tangent.times(push.around_tangent).plus(self.across.times(push.around_across))
    }

    /// Whether what acts along the normal hardly makes the bodies slide at the middle of the patch.
    #[inline(always)]
    fn is_free_of_slip(&self, simd: S, pack: &Pack, push: &Closing<S>) -> mask32x8<S> {
        let (force, torque) = (self.normal.times(push.along), self.torque_of(push));
        let (push_a, turn_a) = moved::<S, 0>(simd, pack, force, torque.plus(self.arm_a.cross(force)));
        let (push_b, turn_b) = moved::<S, 1>(simd, pack, force, torque.plus(self.arm_b.cross(force)));
        let parted = push_a.plus(turn_a.cross(self.arm_a)).plus(push_b.plus(turn_b.cross(self.arm_b)));
        let along = self.normal.dot(parted);
        let slip = parted.minus(self.normal.times(along));
        slip.dot(slip).simd_le(along * along * (LEAST_SLIP * LEAST_SLIP))
    }

    /// The friction that stops what slides at the middle of the patch, with what it is already.
    #[inline(always)]
    fn wanted_friction(&self, simd: S, pack: &Pack, last: [f32x8<S>; 2]) -> [f32x8<S>; 2] {
        let point_b = self.b.linear.plus(self.b.angular.cross(self.arm_b));
        let point_a = self.a.linear.plus(self.a.angular.cross(self.arm_a));
        let sliding = point_b.minus(point_a);
        let along_tangent = self.tangent.dot(sliding) - load(simd, &pack.surface[0]);
        let along_across = self.across.dot(sliding) - load(simd, &pack.surface[1]);
        let [uu, vv, uv] = &pack.friction_mass;
        let (uu, vv, uv) = (load(simd, uu), load(simd, vv), load(simd, uv));
        [last[0] - (uu * along_tangent + uv * along_across), last[1] - (uv * along_tangent + vv * along_across)]
    }

    /// In lanes whose numbers have overflowed both bodies are at fault, unless one of them was before: what touches it is
    /// not.
    #[cold]
    fn break_lanes(&mut self, simd: S, is_number: mask32x8<S>) {
        let most = f32x8::splat(simd, f32::MAX);
        let sum = |v: &Vectors<S>| v.x.abs() + v.y.abs() + v.z.abs();
        let all = sum(&self.a.linear) + sum(&self.a.angular) + sum(&self.b.linear) + sum(&self.b.angular);
        let breaks = all.simd_le(most) & !is_number;
        let nan = f32x8::splat(simd, f32::NAN);
        self.a.linear.x = breaks.select(nan, self.a.linear.x);
        self.b.linear.x = breaks.select(nan, self.b.linear.x);
    }

    #[inline(always)]
    fn write(self, simd: S, pack: &Pack, rows: Rows<'_>) {
        rows.set_velocities(simd, &pack.bodies[0], self.a);
        rows.set_velocities(simd, &pack.bodies[1], self.b);
    }
}

/// How a force and a torque move the first or the second bodies. Cubes and balls take a third of what others do.
#[inline(always)]
fn moved<S: Simd, const SIDE: usize>(
    simd: S,
    pack: &Pack,
    force: Vectors<S>,
    torque: Vectors<S>,
) -> (Vectors<S>, Vectors<S>) {
    if pack.is_plain {
        let [mass, inertia] = &pack.plain[SIDE];
        (force.times(load(simd, mass)), torque.times(load(simd, inertia)))
    } else {
        let (mass, inertia) = (&pack.inverse_mass[SIDE], &pack.inverse_inertia[SIDE]);
        (force.scaled(Vectors::load(simd, mass)), Tensors::load(simd, inertia).times(torque))
    }
}

/// The 3×3 response of a patch to what acts along its normal.
struct Response<S: Simd> {
    rows: [f32x8<S>; 6],
}

impl<S: Simd> Response<S> {
    #[inline(always)]
    fn load(simd: S, pack: &Pack) -> Self {
        let [aa, bb, cc, ab, bc, ac] = &pack.response;
        Self { rows: [load(simd, aa), load(simd, bb), load(simd, cc), load(simd, ab), load(simd, bc), load(simd, ac)] }
    }

    /// What a push at a point with these levers adds to what all points see, and to what acts in all.
    #[inline(always)]
    fn add(&self, change: f32x8<S>, levers: [f32x8<S>; 2], seen: &mut Closing<S>, push: &mut Closing<S>) {
        let [aa, bb, cc, ab, bc, ac] = self.rows;
        let (p, q) = (levers[0] * change, levers[1] * change);
        push.along += change;
        push.around_tangent += p;
        push.around_across += q;
        seen.along += aa * change + ab * p + ac * q;
        seen.around_tangent += ab * change + bb * p + bc * q;
        seen.around_across += ac * change + bc * p + cc * q;
    }
}

impl<S: Simd> Closing<S> {
    #[inline(always)]
    fn zero(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self { along: zero, around_tangent: zero, around_across: zero }
    }

    #[inline(always)]
    fn times(&self, factor: f32x8<S>) -> Self {
        Self {
            along: self.along * factor,
            around_tangent: self.around_tangent * factor,
            around_across: self.around_across * factor,
        }
    }

    #[inline(always)]
    fn dot(&self, other: &Self) -> f32x8<S> {
        self.along * other.along
            + (self.around_tangent * other.around_tangent + self.around_across * other.around_across)
    }

    /// What share of a push may act that changes what is seen so, if it is to give no more energy than there is; and how much
    /// that gives. A share s of it gives s·p·v + s²·p·Δv / 2.
    #[inline(always)]
    fn share_within(&self, simd: S, before: &Self, after: &Self, energy: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let least = f32x8::splat(simd, f32::MIN_POSITIVE);
        let first = self.dot(before);
        let second = ((self.dot(after) - first) * 0.5).max(zero);
        let root = (first * first + second * energy.max(zero) * 4.0).sqrt();
        // Each root where nothing is lost in it.
        let parting = energy.max(zero) * 2.0 / (first + root).max(least);
        let closing = (root - first) / (second * 2.0).max(least);
        let share = first.simd_gt(zero).select(parting, closing);
        // All of it as well where there is no number.
        let share = share.simd_lt(one).select(share, one);
        (share, share * (first + share * second))
    }

    #[inline(always)]
    fn at(&self, levers: [f32x8<S>; 2]) -> f32x8<S> {
        self.along + (levers[0] * self.around_tangent + levers[1] * self.around_across)
    }
}

/// The impulses of the last step act anew.
#[inline(always)]
pub(super) fn warm_start<S: Simd>(simd: S, pack: &mut Pack, rows: Rows<'_>) {
    let mut meeting = Meeting::new(simd, pack, rows);
    let mut push = Closing::zero(simd);
    for point in 0..pack.points.min(4) as usize {
        let impulse = load(simd, &pack.point[point].impulse);
        push.along += impulse;
        push.around_tangent += impulse * load(simd, &pack.point[point].levers[0]);
        push.around_across += impulse * load(simd, &pack.point[point].levers[1]);
    }
    let [along_tangent, along_across] = &pack.friction_impulse;
    let force = meeting
        .normal
        .times(push.along)
        .plus(meeting.tangent.times(load(simd, along_tangent)))
        .plus(meeting.across.times(load(simd, along_across)));
    if pack.rolls {
        push.around_tangent += load(simd, &pack.rolling_impulse[0]);
        push.around_across += load(simd, &pack.rolling_impulse[1]);
    }
    let torque = meeting
        .tangent
        .times(push.around_tangent)
        .plus(meeting.across.times(push.around_across))
        .plus(meeting.normal.times(load(simd, &pack.twist_impulse)));
    meeting.act(simd, pack, force, torque);
    meeting.write(simd, pack, rows);
}

/// Stops what closes, and pushes out of each other what is too deep.
#[inline(always)]
pub(super) fn push<S: Simd>(simd: S, pack: &mut Pack, rows: Rows<'_>, substep: &Substep) {
    let mut meeting = Meeting::new(simd, pack, rows);
    let struck = if pack.bounces { end_blows(simd, pack, &mut meeting) } else { mask32x8::splat(simd, false) };
    if pack.is_loose {
        // By the load of the last substep, which has no push in it; that of a blow is over.
        let load_on_all = struck.select(f32x8::splat(simd, 0.0), total_load(simd, pack));
        solve_friction::<S, true>(simd, pack, &mut meeting, load_on_all);
    }
    solve_normal::<S, true>(simd, pack, rows, substep, &mut meeting, false);
    meeting.write(simd, pack, rows);
}

/// Takes back what friction has done anew in this substep where something is hit: it held a blow, which is over, and to do it
/// once more would turn the body into the other. Tells where.
#[inline(always)]
fn end_blows<S: Simd>(simd: S, pack: &mut Pack, meeting: &mut Meeting<S>) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let rebound =
        pack.rebound[1..].iter().fold(load(simd, &pack.rebound[0]), |most, lanes| most.max(load(simd, lanes)));
    let struck = rebound.simd_gt(zero);
    let [u, v] = [load(simd, &pack.friction_impulse[0]), load(simd, &pack.friction_impulse[1])];
    let twist = load(simd, &pack.twist_impulse);
    let has_held = struck & (u.abs() + v.abs() + twist.abs()).simd_gt(zero);
    if !has_held.any_true() {
        return struck;
    }
    let force = meeting.tangent.times(struck.select(u, zero)).plus(meeting.across.times(struck.select(v, zero)));
    let torque = meeting.normal.times(struck.select(twist, zero));
    let none = Vectors { x: zero, y: zero, z: zero };
    meeting.act(simd, pack, none.minus(force), none.minus(torque));
    store(struck.select(zero, u), &mut pack.friction_impulse[0]);
    store(struck.select(zero, v), &mut pack.friction_impulse[1]);
    store(struck.select(zero, twist), &mut pack.twist_impulse);
    struck
}

/// Stops what closes, without pushing; then friction. The other way round, a stack of ten boxes sways. The last time in a
/// substep, what was pushed is counted.
#[inline(always)]
pub(super) fn relax<S: Simd>(simd: S, pack: &mut Pack, rows: Rows<'_>, substep: &Substep, is_last: bool) {
    let mut meeting = Meeting::new(simd, pack, rows);
    let load_on_all = solve_normal::<S, false>(simd, pack, rows, substep, &mut meeting, is_last);
    // Now that the load has none of the push in it: friction must not hold more than what weighs.
    solve_friction::<S, false>(simd, pack, &mut meeting, load_on_all);
    if pack.rolls {
        solve_rolling(simd, pack, &mut meeting, load_on_all);
    }
    meeting.write(simd, pack, rows);
}

/// Points that were hit part again. That is a push of its own, so friction holds more: a ball that slides all through an
/// impact is turned by μ·(1 + e) of what stops it. Not so where a push makes the bodies slide and friction makes them close:
/// to hold both speeds to what they shall be would add energy. Source: Kane, Levinson 1985, Dynamics: Theory and Applications.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "closures here are not inlined")]
pub(super) fn rebound<S: Simd>(simd: S, pack: &mut Pack, rows: Rows<'_>) {
    if !pack.bounces {
        return;
    }
    let zero = f32x8::splat(simd, 0.0);
    // What has not been hit so far is not hit by rebounds.
    let mut hits = [mask32x8::splat(simd, false); 4];
    let (mut any_hit, mut several_hits) = (mask32x8::splat(simd, false), mask32x8::splat(simd, false));
    let count = pack.points.min(4) as usize;
    for point in 0..count {
        hits[point] =
            load(simd, &pack.point[point].total).simd_gt(zero) & load(simd, &pack.rebound[point]).simd_gt(zero);
        several_hits |= any_hit & hits[point];
        any_hit |= hits[point];
    }
    if !any_hit.any_true() {
        return;
    }
    let mut meeting = Meeting::new(simd, pack, rows);
    let response = Response::load(simd, pack);
    let mut is_free = mask32x8::splat(simd, true);
    let mut energy = load(simd, &pack.rebound_energy);
    for round in 0..MOST_REBOUND_ROUNDS {
        let before = meeting.closing(&meeting.a, &meeting.b);
        let mut seen = before;
        let mut push = Closing::zero(simd);
        let mut changes = [zero; 4];
        // Of themselves first, as far as they go: on the way there a patch may have more energy than in the end.
        for sweep in 0..if count > 1 { REBOUND_SWEEPS } else { 1 } {
            let mut is_settled = mask32x8::splat(simd, true);
            for point in 0..count {
                let levers = [load(simd, &pack.point[point].levers[0]), load(simd, &pack.point[point].levers[1])];
                let rebound = load(simd, &pack.rebound[point]);
                let before = load(simd, &pack.point[point].impulse);
                let impulse = before + changes[point];
                let wanted = impulse - load(simd, &pack.point[point].mass) * (seen.at(levers) - rebound);
                let total = hits[point].select(sound(simd, wanted, impulse), impulse);
                let change = total - impulse;
                is_settled &= change.abs().simd_le(total.abs() * REBOUND_CHANGE);
                changes[point] += change;
                response.add(change, levers, &mut seen, &mut push);
            }
            if is_settled.all_true() {
                // In most passes after the first nothing has come to change it.
                if round == 0 && sweep == 0 {
                    return;
                }
                break;
            }
        }
        if round == 0 {
            is_free = meeting.is_free_of_slip(simd, pack, &push);
        }
        let is_limited = !is_free | several_hits;
        let mut share = f32x8::splat(simd, 1.0);
        if is_limited.any_true() {
            let is_unknown = energy.simd_lt(zero);
            if is_unknown.any_true() {
                let taken = energy_to_rebound(simd, pack, &response, &before, &hits, is_free);
                energy = is_unknown.select(taken, energy);
            }
            let (within, work) = push.share_within(simd, &before, &seen, energy);
            share = is_limited.select(within, share);
            energy -= work;
        }
        push = push.times(share);
        let mut is_done = mask32x8::splat(simd, true);
        for point in 0..count {
            let change = changes[point] * share;
            let total = load(simd, &pack.point[point].impulse) + change;
            is_done &= change.abs().simd_le(total.abs() * REBOUND_CHANGE);
            store(total, &mut pack.point[point].impulse);
            store(load(simd, &pack.point[point].total) + change, &mut pack.point[point].total);
        }
        meeting.act_normally(simd, pack, &push);
        let load_on_all = load(simd, &pack.rebound_load) + push.along;
        store(load_on_all, &mut pack.rebound_load);
        let last = [load(simd, &pack.rebound_friction[0]), load(simd, &pack.rebound_friction[1])];
        let wanted = meeting.wanted_friction(simd, pack, last);
        let limit = is_free.select(load(simd, &pack.friction) * load_on_all.max(zero), zero);
        let total = in_cone(simd, pack, wanted, limit, last);
        store(total[0], &mut pack.rebound_friction[0]);
        store(total[1], &mut pack.rebound_friction[1]);
        let force = meeting.tangent.times(total[0] - last[0]).plus(meeting.across.times(total[1] - last[1]));
        meeting.act_at_middle(simd, pack, force);
        if is_done.all_true() {
            break;
        }
    }
    store(energy, &mut pack.rebound_energy);
    meeting.write(simd, pack, rows);
}

/// How much energy the points that were hit may give back: of what they have taken, as much as the square of the restitution says.
/// Without friction they take Σ q·c / 2, with q what stops them all at once from the speeds c at which they close. Where friction
/// makes them close or part it is no more than that of what they have pushed: that is half of it times c. What still closes, since
/// it was hit in the last substep, is stopped first, and that counts as well.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "closures here are not inlined")]
fn energy_to_rebound<S: Simd>(
    simd: S,
    pack: &Pack,
    response: &Response<S>,
    seen: &Closing<S>,
    hits: &[mask32x8<S>; 4],
    is_free: mask32x8<S>,
) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let restitution = load(simd, &pack.restitution);
    let count = pack.points.min(4) as usize;
    let (mut speeds, mut levers) = ([zero; 4], [[zero; 2]; 4]);
    let mut taken = zero;
    for point in 0..count {
        let Points { total, mass, .. } = &pack.point[point];
        levers[point] = [load(simd, &pack.point[point].levers[0]), load(simd, &pack.point[point].levers[1])];
        let speed = load(simd, &pack.rebound[point]) / restitution.max(f32x8::splat(simd, f32::MIN_POSITIVE));
        speeds[point] = hits[point].select(speed, zero);
        let to_stop = load(simd, mass) * (zero - seen.at(levers[point])).max(zero);
        taken += (load(simd, total) + to_stop) * speeds[point];
    }
    let mut pushes = [zero; 4];
    let (mut stopped, mut all) = (Closing::zero(simd), Closing::zero(simd));
    for _ in 0..REBOUND_SWEEPS {
        let mut is_settled = mask32x8::splat(simd, true);
        for point in 0..count {
            let left = stopped.at(levers[point]) - speeds[point];
            let wanted = pushes[point] - load(simd, &pack.point[point].mass) * left;
            let push = hits[point].select(sound(simd, wanted, pushes[point]), zero);
            let change = push - pushes[point];
            is_settled &= change.abs().simd_le(push * REBOUND_CHANGE);
            response.add(change, levers[point], &mut stopped, &mut all);
            pushes[point] = push;
        }
        if is_settled.all_true() {
            break;
        }
    }
    let mut at_once = zero;
    for point in 0..count {
        at_once += pushes[point] * speeds[point];
    }
    restitution * restitution * 0.5 * is_free.select(at_once, at_once.min(taken))
}

/// An impulse that is a number and does not pull, else the last one.
#[inline(always)]
fn sound<S: Simd>(simd: S, wanted: f32x8<S>, last: f32x8<S>) -> f32x8<S> {
    let is_number = wanted.abs().simd_le(f32x8::splat(simd, f32::MAX));
    is_number.select(wanted.max(f32x8::splat(simd, 0.0)), last)
}

#[inline(always)]
fn total_load<S: Simd>(simd: S, pack: &Pack) -> f32x8<S> {
    let mut total = load(simd, &pack.point[0].impulse);
    for point in 1..pack.points.min(4) as usize {
        total += load(simd, &pack.point[point].impulse);
    }
    total
}

/// All points, one after the other; returns how much they push.
#[inline(always)]
fn solve_normal<S: Simd, const PUSHES: bool>(
    simd: S,
    pack: &mut Pack,
    rows: Rows<'_>,
    substep: &Substep,
    meeting: &mut Meeting<S>,
    counts: bool,
) -> f32x8<S> {
    match pack.points {
        0 | 1 => solve_points::<S, PUSHES, 1>(simd, pack, rows, substep, meeting, counts),
        2 => solve_points::<S, PUSHES, 2>(simd, pack, rows, substep, meeting, counts),
        3 => solve_points::<S, PUSHES, 3>(simd, pack, rows, substep, meeting, counts),
        _ => solve_points::<S, PUSHES, 4>(simd, pack, rows, substep, meeting, counts),
    }
}

/// So many points in each lane. A single one is at the middle of its patch: it has no levers.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "counts that are known are unrolled, and closures here are not inlined")]
fn solve_points<S: Simd, const PUSHES: bool, const COUNT: usize>(
    simd: S,
    pack: &mut Pack,
    rows: Rows<'_>,
    substep: &Substep,
    meeting: &mut Meeting<S>,
    counts: bool,
) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let seen = meeting.closing(&meeting.a, &meeting.b);
    // Bodies move between a push and what relaxes after it, not between that and the next push.
    let moved = if PUSHES {
        Closing::zero(simd)
    } else {
        let moved_a = rows.movements(simd, &pack.bodies[0]);
        let moved_b = rows.movements(simd, &pack.bodies[1]);
        meeting.parted(simd, pack, &moved_a, &moved_b)
    };
    let mut points = Wishes { impulse: [zero; COUNT], wanted: [zero; COUNT] };
    let mut masses = [zero; COUNT];
    for point in 0..COUNT {
        let levers = [load(simd, &pack.point[point].levers[0]), load(simd, &pack.point[point].levers[1])];
        let impulse = load(simd, &pack.point[point].impulse);
        let mass = load(simd, &pack.point[point].mass);
        let speed = if COUNT == 1 { seen.along } else { seen.at(levers) };
        points.impulse[point] = impulse;
        if PUSHES {
            let gap = load(simd, &pack.point[point].gap_now);
            let is_apart = gap.simd_gt(zero);
            let push = (gap * load(simd, &pack.softness[0])).max(f32x8::splat(simd, -substep.most_push));
            let share = is_apart.select(zero, load(simd, &pack.softness[2]));
            masses[point] = is_apart.select(mass, mass * load(simd, &pack.softness[1]));
            let bias = is_apart.select(gap * substep.rate, push);
            points.wanted[point] = impulse - (masses[point] * (speed + bias) + impulse * share);
        } else {
            let way = if COUNT == 1 { moved.along } else { moved.at(levers) };
            let gap = load(simd, &pack.point[point].gap) + way;
            store(gap, &mut pack.point[point].gap_now);
            masses[point] = mass;
            points.wanted[point] = impulse - mass * (speed + gap.max(zero) * substep.rate);
        }
    }
    points.go_round(simd, pack, &masses);
    let mut all = zero;
    for point in 0..COUNT {
        all += points.wanted[point].abs() + points.impulse[point];
    }
    // Not so if one of them is no number.
    let is_number = all.simd_le(f32x8::splat(simd, f32::MAX));
    if !is_number.all_true() {
        meeting.break_lanes(simd, is_number);
        for point in 0..COUNT {
            let before = load(simd, &pack.point[point].impulse);
            points.impulse[point] = is_number.select(points.impulse[point], before);
        }
    }
    let mut change_in_all = Closing::zero(simd);
    let mut load_on_all = zero;
    for point in 0..COUNT {
        let impulse = points.impulse[point];
        let change = impulse - load(simd, &pack.point[point].impulse);
        change_in_all.along += change;
        if COUNT > 1 {
            change_in_all.around_tangent += load(simd, &pack.point[point].levers[0]) * change;
            change_in_all.around_across += load(simd, &pack.point[point].levers[1]) * change;
        }
        load_on_all += impulse;
        store(impulse, &mut pack.point[point].impulse);
        if counts {
            store(load(simd, &pack.point[point].total) + impulse, &mut pack.point[point].total);
        }
    }
    if COUNT == 1 {
        meeting.act_at_middle(simd, pack, meeting.normal.times(change_in_all.along));
    } else {
        meeting.act_normally(simd, pack, &change_in_all);
    }
    load_on_all
}

/// What the points of a patch push, and what they would if nothing but they themselves changed from now on.
struct Wishes<S: Simd, const COUNT: usize> {
    impulse: [f32x8<S>; COUNT],
    wanted: [f32x8<S>; COUNT],
}

#[allow(clippy::needless_range_loop, reason = "counts that are known are unrolled, and closures here are not inlined")]
impl<S: Simd, const COUNT: usize> Wishes<S, COUNT> {
    /// To and fro: one sweep leaves a patch tilted towards the point that came first, and pyramids do not come to rest. More
    /// often where a patch is not held: what falls flat on something is turned aside otherwise, and a heap that falls together
    /// is thrown about. The last point has no second turn: nothing has changed for it.
    #[inline(always)]
    fn go_round(&mut self, simd: S, pack: &Pack, masses: &[f32x8<S>; COUNT]) {
        let mut couplings = [[f32x8::splat(simd, 0.0); COUNT]; COUNT];
        for (index, [one, other]) in COUPLED.into_iter().enumerate() {
            if other < COUNT {
                let coupling = load(simd, &pack.couplings[index]);
                couplings[one][other] = coupling * masses[other];
                couplings[other][one] = coupling * masses[one];
            }
        }
        let rounds = if pack.is_loose && COUNT > 1 { LOOSE_ROUNDS } else { 1 };
        for round in 1..=rounds {
            for point in 0..COUNT {
                self.turn(simd, point, &couplings[point], COUNT);
            }
            for point in (0..COUNT - 1).rev() {
                self.turn(simd, point, &couplings[point], if round == rounds { point } else { COUNT });
            }
        }
    }

    /// A point gets what it wants, and those before `end` see it.
    #[inline(always)]
    fn turn(&mut self, simd: S, point: usize, couplings: &[f32x8<S>; COUNT], end: usize) {
        let impulse = self.wanted[point].max(f32x8::splat(simd, 0.0));
        let change = impulse - self.impulse[point];
        self.impulse[point] = impulse;
        for other in 0..end {
            if other != point {
                self.wanted[other] -= couplings[other] * change;
            }
        }
    }
}

/// Coulomb's cone at the middle of the patch, and friction against twist; of all patches or of loose ones.
#[inline(always)]
fn solve_friction<S: Simd, const ONLY_LOOSE: bool>(
    simd: S,
    pack: &mut Pack,
    meeting: &mut Meeting<S>,
    load_on_all: f32x8<S>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let last = [load(simd, &pack.friction_impulse[0]), load(simd, &pack.friction_impulse[1])];
    let wanted = meeting.wanted_friction(simd, pack, last);
    let limit = load(simd, &pack.friction) * load_on_all;
    let [mut total_u, mut total_v] = in_cone(simd, pack, wanted, limit, last);
    let is_loose = load(simd, &pack.loose).simd_gt(zero);
    if ONLY_LOOSE {
        total_u = is_loose.select(total_u, last[0]);
        total_v = is_loose.select(total_v, last[1]);
    }
    store(total_u, &mut pack.friction_impulse[0]);
    store(total_v, &mut pack.friction_impulse[1]);

    let force = meeting.tangent.times(total_u - last[0]).plus(meeting.across.times(total_v - last[1]));
    // A single point does not hold against twist.
    if pack.points <= 1 {
        return meeting.act_at_middle(simd, pack, force);
    }
    let twisting = meeting.normal.dot(meeting.b.angular.minus(meeting.a.angular));
    let last_twist = load(simd, &pack.twist_impulse);
    let most = limit * load(simd, &pack.twist_reach);
    let wanted = last_twist - load(simd, &pack.twist_mass) * twisting;
    let twist = wanted.min(most).max(zero - most);
    let is_number = wanted.abs().simd_le(f32x8::splat(simd, f32::MAX));
    let mut twist = is_number.select(twist, last_twist);
    if ONLY_LOOSE {
        twist = is_loose.select(twist, last_twist);
    }
    store(twist, &mut pack.twist_impulse);
    meeting.act(simd, pack, force, meeting.normal.times(twist - last_twist));
}

/// What friction pushes where it would stop the sliding, no more than a limit; what it did last where that is no number. Where it is
/// too little, it is that which is against what slides on: long bodies answer more to a push one way than another, and what
/// would stop them points aside. So with K for the response, t for what is sought, w for what is wanted: K (t − w) = −λ t with
/// |t| at the limit, by Newton's method on 1 / |t|. Two steps find its direction to 0.01° in the mean and 1° at worst if K is ten
/// times as great one way as another; and the next pass goes on. Source: Moré, Sorensen 1983, doi 10.1137/0904038.
#[inline(always)]
fn in_cone<S: Simd>(
    simd: S,
    pack: &Pack,
    wanted: [f32x8<S>; 2],
    limit: f32x8<S>,
    last: [f32x8<S>; 2],
) -> [f32x8<S>; 2] {
    // Of what is wanted, so that nothing is divided by nothing where there is no load.
    const LEAST: f32 = 1e-4;
    let square = wanted[0] * wanted[0] + wanted[1] * wanted[1];
    // False for NaN, too.
    let is_number = square.simd_le(f32x8::splat(simd, f32::MAX));
    let holds = square.simd_le(limit * limit);
    // Most do.
    if holds.all_true() {
        return [is_number.select(wanted[0], last[0]), is_number.select(wanted[1], last[1])];
    }
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let least = f32x8::splat(simd, f32::MIN_POSITIVE);
    let length = square.sqrt().max(least);
    let [uu, vv, uv] = &pack.friction_mass;
    let (uu, vv, uv) = (load(simd, uu), load(simd, vv), load(simd, uv));
    // All without their units: the inverse of K by its trace, and pushes by the length of what is wanted.
    let size = one / (uu + vv).max(least);
    let (uu, vv, uv) = (uu * size, vv * size, uv * size);
    let rest = (uu * vv - uv * uv).max(zero);
    let unit = one / length;
    let (u, v) = (wanted[0] * unit, wanted[1] * unit);
    let inverse_limit = length / limit.max(length * LEAST);
    let least_slope = f32x8::splat(simd, LEAST * LEAST);
    // The first step is from no slack at all.
    let mut slack =
        ((inverse_limit - 1.0) / (u * (uu * u + uv * v) + v * (uv * u + vv * v)).max(least_slope)).max(zero);
    let (mut at_u, mut at_v) = (u, v);
    for step in 1..=CONE_STEPS {
        let (p, q, r) = (slack * uu + 1.0, slack * vv + 1.0, slack * uv);
        // The determinant; not p·q − r²: where K is along one line that is nothing but rounding.
        let inverse = one / (one + slack * (one + slack * rest));
        (at_u, at_v) = ((q * u - r * v) * inverse, (p * v - r * u) * inverse);
        if step < CONE_STEPS {
            let (along_u, along_v) = (uu * at_u + uv * at_v, uv * at_u + vv * at_v);
            let slope = (at_u * (q * along_u - r * along_v) + at_v * (p * along_v - r * along_u)) * inverse;
            let now = at_u * at_u + at_v * at_v;
            slack = (slack + (now.sqrt() * inverse_limit - 1.0) * now / slope.max(least_slope)).max(zero);
        }
    }
    let share = limit / (at_u * at_u + at_v * at_v).sqrt().max(least);
    let total = [holds.select(wanted[0], at_u * share), holds.select(wanted[1], at_v * share)];
    [is_number.select(total[0], last[0]), is_number.select(total[1], last[1])]
}

/// Two components no longer than a limit; the last ones where they are no numbers.
#[inline(always)]
fn within<S: Simd>(simd: S, wanted: [f32x8<S>; 2], limit: f32x8<S>, last: [f32x8<S>; 2]) -> [f32x8<S>; 2] {
    let square = wanted[0] * wanted[0] + wanted[1] * wanted[1];
    // False for NaN, too.
    let is_number = square.simd_le(f32x8::splat(simd, f32::MAX));
    let holds = square.simd_le(limit * limit);
    // Most do.
    if holds.all_true() {
        return [is_number.select(wanted[0], last[0]), is_number.select(wanted[1], last[1])];
    }
    let length = square.sqrt().max(f32x8::splat(simd, f32::MIN_POSITIVE));
    let share = holds.select(f32x8::splat(simd, 1.0), limit / length);
    [is_number.select(wanted[0] * share, last[0]), is_number.select(wanted[1] * share, last[1])]
}

/// Resistance against rolling: a torque across the normal, up to a share of the load.
#[inline(always)]
fn solve_rolling<S: Simd>(simd: S, pack: &mut Pack, meeting: &mut Meeting<S>, load_on_all: f32x8<S>) {
    let turning = meeting.b.angular.minus(meeting.a.angular);
    let [_, uu, vv, _, _, _] = &pack.response;
    // Enough for the stiffer of the two ways.
    let response = load(simd, uu).max(load(simd, vv)).max(f32x8::splat(simd, f32::MIN_POSITIVE));
    let last = [load(simd, &pack.rolling_impulse[0]), load(simd, &pack.rolling_impulse[1])];
    let wanted_u = last[0] - meeting.tangent.dot(turning) / response;
    let wanted_v = last[1] - meeting.across.dot(turning) / response;
    let limit = load(simd, &pack.rolling) * load_on_all;
    let [total_u, total_v] = within(simd, [wanted_u, wanted_v], limit, last);
    store(total_u, &mut pack.rolling_impulse[0]);
    store(total_v, &mut pack.rolling_impulse[1]);
    let zero = f32x8::splat(simd, 0.0);
    let none = Vectors { x: zero, y: zero, z: zero };
    let torque = meeting.tangent.times(total_u - last[0]).plus(meeting.across.times(total_v - last[1]));
    meeting.act(simd, pack, none, torque);
}
