//! The signed distance of two convex shapes: how far they are apart, or how deep they are in each other.
//!
//! Over all unit directions n, the greatest gap that n leaves between the shapes is their distance if it is positive,
//! and the negative of their depth if not; so distance and depth are one continuous quantity, any n proves a lower
//! bound, and rounding a shape takes its radius away wherever the cores are. As long as the cores are apart, the
//! distance search answers; only cores that overlap or touch need the depth search.

use super::convex::{Convex, Core, SupportFault};
use super::expanding_polytope::{self, Tolerance};
use super::feature::Pair;
use super::minimum_norm::{self, Found, Goal};
use super::placement::Placement;
use super::segment::Solid;
use super::separation::{Rounding, Stop, exact};
use super::settling::{opposite_points, settle};
use super::simplex::Difference;
use crate::trace::{StopReason, Tracer};
use glam::DVec3;

pub(crate) use super::minimum_norm::Cache;

/// How near the bounds of the depth of curved cores must come, relative to the smaller of the two.
const CURVED_GAP: f64 = 1e-7;

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

impl Rounding {
    /// The answer for the rounded shapes from a pair of points on the cores, the unit normal from `a` to `b` and the
    /// bounds of the cores' signed distance.
    fn signed(&self, pair: Pair, normal: DVec3, [lower, upper]: [f64; 2], stop: Stop) -> Signed {
        let radius = self.radius_a + self.radius_b;
        let normal = if normal == DVec3::ZERO { DVec3::Y } else { normal };
        // Apart, the pair tells the distance; deep, the direction does: a move by that much is sure to separate. A
        // support map that contradicts itself proves nothing: its bounds must still be in order.
        let distance = if lower > 0.0 { upper } else { lower };
        let upper_of_cores = upper.max(lower);
        // The normal is as near to the line of the pair as the bounds are to each other: over a large radius that is much.
        // The line in turn is only known where the cores are not too near each other.
        let is_wide = radius > 0.0 && lower > 0.0 && upper_of_cores > 1e-3 * radius;
        let way = if is_wide { (pair.on_b - pair.on_a).normalize_or(normal) } else { normal };
        Signed {
            normal,
            distance: distance - radius,
            on_a: pair.on_a + self.radius_a * way,
            on_b: pair.on_b - self.radius_b * way,
            lower: lower - radius - self.slack,
            upper: upper_of_cores - radius + self.slack,
            stop,
        }
    }
}
