//! The signed distance of two convex shapes: how far they are apart, or how deep they are in each other.
//!
//! Over all unit directions n, the greatest gap that n leaves between the shapes is their distance if it is positive,
//! and the negative of their depth if not; so distance and depth are one continuous quantity, any n proves a lower
//! bound, and rounding a shape takes its radius away wherever the cores are. As long as the cores are apart, the
//! distance search answers; only cores that overlap or touch need the depth search.

use super::convex::{Convex, Core, SupportFault};
use super::expanding_polytope::{self, Depth, Tolerance};
use super::feature::Pair;
use super::minimum_norm::{self, Found, Goal};
use super::placement::Placement;
use super::segment::Solid;
use super::separation::{Rounding, Stop, exact};
use super::simplex::Difference;
use crate::trace::{StopReason, Tracer};
use glam::DVec3;

pub(crate) use super::minimum_norm::Cache;

/// How near the bounds of the depth of curved cores must come, relative to the smaller of the two.
const CURVED_GAP: f64 = 1e-7;
/// How often the normal of a depth that was not finished is turned at the most.
const SETTLING_STEPS: usize = 80;
/// What such a turn must gain to be worth another, relative to how near the bounds should come.
const SETTLED: f64 = 1e-4;

/// The relation of two shapes in the frame of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Signed {
    /// The unit direction from `a` to `b`: where `b` is, or must move to get free.
    pub(crate) normal: DVec3,
    /// The distance, or the depth as a negative number.
    pub(crate) distance: f64,
    /// The points on the surfaces that are closest or deepest: `distance` is `normal · (on_b - on_a)`, within the
    /// bounds.
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// Proven bounds of the distance, rounding included.
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) stop: Stop,
}

impl Signed {
    /// Seen from `b`, with the two exchanged.
    pub(crate) fn mirrored(&self, b_in_a: &Placement) -> Self {
        Self {
            on_a: b_in_a.point_to_inner(self.on_b),
            on_b: b_in_a.point_to_inner(self.on_a),
            normal: b_in_a.direction_to_inner(-self.normal),
            ..*self
        }
    }

    /// In the frame in which `a` stands at `placement`.
    pub(crate) fn placed(&self, placement: &Placement) -> Self {
        Self {
            on_a: placement.point_to_outer(self.on_a),
            on_b: placement.point_to_outer(self.on_b),
            normal: placement.direction_to_outer(self.normal),
            ..*self
        }
    }
}

/// The signed distance of `b` from `a`; none if it is proven to be `limit` or more. The cache decides where the search
/// starts; the answer depends on it within the bounds only.
pub(crate) fn signed(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    limit: f64,
    cache: &mut Cache,
) -> Result<Option<Signed>, SupportFault> {
    signed_traced(a, b, b_in_a, limit, cache, &mut ())
}

/// The same with a tracer.
pub(crate) fn signed_traced(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    limit: f64,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Option<Signed>, SupportFault> {
    let rounding = Rounding::of(a, b, b_in_a)?;
    let below = |found: Signed| Some(found).filter(|found| found.lower < limit);
    let mut difference = Difference::new(a, b, b_in_a);
    if let Some((pair, along)) = exact(a, b, b_in_a) {
        let distance = pair.distance();
        if distance > rounding.contact {
            let normal = (pair.on_b - pair.on_a) / distance;
            if distance + along <= rounding.contact {
                return Ok(below(rounding.signed(pair, normal, [-along, distance], Stop::Converged)));
            }
        } else if let Some((pair, normal, depth)) = exact_depth(a, b, b_in_a) {
            return Ok(below(rounding.signed(pair, normal, [-depth, -depth], Stop::Converged)));
        }
    }
    let radius = rounding.radius_a + rounding.radius_b;
    let goal = Goal { near: rounding.slack, far: limit + radius + rounding.slack, tolerance: rounding.tolerance };
    let mut found = Found::NONE;
    minimum_norm::search(&mut found, &mut difference, goal, cache, tracer)?;
    if found.reason == StopReason::BeyondLimit {
        return Ok(None);
    }
    if found.lower > 0.0 && (found.reason == StopReason::BoundsMet || found.upper > rounding.contact) {
        let stop = Stop::of(found.reason);
        return Ok(below(rounding.signed(found.pair(), -found.normal, [found.lower, found.upper], stop)));
    }
    let core_scale = rounding.scale - radius;
    let smaller = a.core.reach()?.min(b.core.reach()?) + radius;
    let is_curved = a.core.is_curved() || b.core.is_curved();
    let thin = 1e-13 * core_scale + rounding.support_error;
    let gap = if is_curved { CURVED_GAP * smaller } else { 0.0 };
    let tolerance = Tolerance { gap: gap.max(4.0 * thin), thin };
    let mut depth = expanding_polytope::depth(&mut difference, &found, tolerance, tracer)?;
    if depth.most - depth.least > tolerance.gap {
        settle((a, b, b_in_a), &mut difference, tolerance.gap, &mut depth)?;
    }
    let aside = (depth.pair.on_a - depth.pair.on_b - depth.most * depth.normal).length();
    if aside > 1e-6 * smaller
        && let Some(pair) = opposite_points(a, b, b_in_a, depth.normal, -depth.most)?
    {
        depth.pair = pair;
    }
    // A polytope that does not hold the origin proves nothing; the search before has proven that the cores come near.
    let upper = if depth.least >= 0.0 { -depth.least } else { found.upper };
    Ok(below(rounding.signed(depth.pair, depth.normal, [-depth.most, upper], Stop::of(depth.reason))))
}

/// The deepest points of two cores that meet and have a closed form for that, the unit normal from `a` to `b`, and the depth.
fn exact_depth(a: &Convex<'_>, b: &Convex<'_>, b_in_a: &Placement) -> Option<(Pair, DVec3, f64)> {
    if let Core::Segment(ends) = a.core {
        let ends = ends.map(|end| b_in_a.point_to_inner(end));
        let found = Solid::of(&b.core)?.depth(ends)?;
        return Some((found.pair.placed(b_in_a), b_in_a.direction_to_outer(-found.way_out), found.depth));
    }
    let Core::Segment(ends) = b.core else { return None };
    let found = Solid::of(&a.core)?.depth(ends.map(|end| b_in_a.point_to_outer(end)))?;
    Some((found.pair.mirrored(), found.way_out, found.depth))
}

/// Points of two cores that are opposite each other along a normal, from `a` to `b`, by which the cores are `distance`
/// apart, or deep if it is negative; none if there are no such near enough.
///
/// The supports along the normal need not be: of a face and a corner, the support of the face may be any of its points.
/// Moved apart along the normal by a little, the closest points are.
pub(crate) fn opposite_points(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    normal: DVec3,
    distance: f64,
) -> Result<Option<Pair>, SupportFault> {
    let parted = Parted::along(a, b, b_in_a, normal, distance)?;
    let smaller = a.core.reach()?.min(b.core.reach()?);
    let aside = (parted.pair.on_b - parted.pair.on_a).reject_from_normalized(normal).length();
    let is_opposite = parted.lower > 0.0 && aside <= 1e-3 * smaller;
    Ok(is_opposite.then_some(parted.pair_in_place()))
}

/// Two cores moved apart along a normal by a little more than they are deep.
struct Parted {
    /// The closest points.
    pair: Pair,
    /// The unit normal from `a` to `b` that separates them best, and by how much.
    normal: DVec3,
    lower: f64,
    /// How far `b` was moved.
    way: DVec3,
}

impl Parted {
    fn along(
        a: &Convex<'_>,
        b: &Convex<'_>,
        b_in_a: &Placement,
        normal: DVec3,
        distance: f64,
    ) -> Result<Self, SupportFault> {
        let rounding = Rounding::of(a, b, b_in_a)?;
        let smaller = a.core.reach()?.min(b.core.reach()?);
        let gap = (1e-2 * smaller).max(1e-6 * rounding.scale);
        let way = (gap - distance) * normal;
        let apart = Placement { position: b_in_a.position + way, ..*b_in_a };
        let goal = Goal { near: rounding.slack, far: f64::INFINITY, tolerance: rounding.tolerance };
        let mut found = Found::NONE;
        let mut difference = Difference::new(a, b, &apart);
        minimum_norm::search(&mut found, &mut difference, goal, &mut Cache::default(), &mut ())?;
        Ok(Self { pair: found.pair(), normal: -found.normal, lower: found.lower, way })
    }

    /// The closest points where they are on the cores.
    fn pair_in_place(&self) -> Pair {
        Pair { on_a: self.pair.on_a, on_b: self.pair.on_b - self.way }
    }
}

/// Turns the normal of a depth that the search has not finished to where it frees with less.
///
/// Cores that were moved apart by s along n, and are d apart along m then, reach s n·m - d into each other along m; and d
/// is at least s less what they reach along n. So m frees with no more than n, and with less unless it is n. Next to the
/// axis of a round core such turns are tiny, so each begins beyond the last by twice of what that has turned.
fn settle(
    (a, b, b_in_a): (&Convex<'_>, &Convex<'_>, &Placement),
    difference: &mut Difference<'_>,
    gap: f64,
    depth: &mut Depth,
) -> Result<(), SupportFault> {
    let mut turn = DVec3::ZERO;
    let mut failures = 0;
    for _ in 0..SETTLING_STEPS {
        let start = (depth.normal + 2.0 * turn).normalize_or(depth.normal);
        let (_, most_at_start) = difference.support(start)?;
        let parted = Parted::along(a, b, b_in_a, start, -most_at_start)?;
        let (_, most) = difference.support(parted.normal)?;
        let gain = depth.most - most;
        if parted.lower > 0.0 && gain > 0.0 {
            let is_last = turn == DVec3::ZERO && gain <= SETTLED * gap;
            (turn, failures) = (parted.normal - depth.normal, 0);
            (depth.normal, depth.most, depth.pair) = (parted.normal, most, parted.pair_in_place());
            if is_last {
                break;
            }
        } else if turn == DVec3::ZERO {
            break;
        } else {
            failures += 1;
            turn = if failures < 4 { 0.25 * turn } else { DVec3::ZERO };
        }
    }
    Ok(())
}

impl Rounding {
    /// The answer for the rounded shapes from a pair of points on the cores, the unit normal from `a` to `b` and the
    /// bounds of the cores' signed distance.
    fn signed(&self, pair: Pair, normal: DVec3, [lower, upper]: [f64; 2], stop: Stop) -> Signed {
        let radius = self.radius_a + self.radius_b;
        let normal = if normal == DVec3::ZERO { DVec3::Y } else { normal };
        // Apart, the pair tells the distance; deep, the direction does: a move by that much is sure to separate. A
        // support map that contradicts itself proves nothing: its bounds must still be in order.
        let distance = if lower > 0.0 { upper } else { lower };
        let upper = upper.max(lower) - radius + self.slack;
        Signed {
            normal,
            distance: distance - radius,
            on_a: pair.on_a + self.radius_a * normal,
            on_b: pair.on_b - self.radius_b * normal,
            lower: lower - radius - self.slack,
            upper,
            stop,
        }
    }
}
