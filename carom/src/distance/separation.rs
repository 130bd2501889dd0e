//! How far two convex shapes are apart, with proof: a pair of points gives the upper bound, a pair of parallel
//! planes between the shapes the lower one.

use super::box_box;
use super::convex::{Convex, Core, Corners, SupportFault};
use super::descent::CAREFUL;
use super::feature::{self, Pair};
use super::guess;
use super::minimum_norm::{self, Cache, Found, Goal};
use super::placement::Placement;
use super::segment;
use super::simplex::Difference;
use crate::trace::{StopReason, Tracer};
use fearless_simd::{Simd, dispatch};
use glam::DVec3;

/// Why a computation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The bounds met to within the tolerance.
    Converged,
    /// Rounding left nothing to gain; the bounds say how near the answer is.
    Rounding,
    /// The iteration limit was reached; the bounds hold, but may be far from each other.
    IterationLimit,
}

/// The relation of two shapes in the frame of the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Separation {
    /// Closest points; one common point if the shapes overlap.
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// The unit normal of the separating planes, from `a` to `b`; zero if none was found.
    pub(crate) normal: DVec3,
    /// From one of the points to the other, with the digits that they lose where they are far from the origin.
    pub(crate) distance: f64,
    /// Proven: the distance is not below `lower` and not above `upper`, rounding included.
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) relation: Relation,
    pub(crate) stop: Stop,
}

/// What the bounds prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The lower bound is above zero.
    Apart,
    /// A common point is known, up to rounding.
    Overlapping,
    /// Neither is proven.
    Undecided,
}

impl Stop {
    pub(crate) fn of(reason: StopReason) -> Self {
        match reason {
            StopReason::BoundsMet
            | StopReason::BeyondLimit
            | StopReason::Enclosed
            | StopReason::Near
            | StopReason::Flat => Self::Converged,
            StopReason::Rounding => Self::Rounding,
            StopReason::IterationLimit => Self::IterationLimit,
        }
    }

    /// Of a depth that was searched along some directions: it has converged only if the bounds say so.
    pub(crate) fn of_bounds(lower: f64, upper: f64) -> Self {
        if upper - lower <= WAY_TOLERANCE * upper { Self::Converged } else { Self::IterationLimit }
    }
}

/// How near the bounds of a way out must come to each other to have met, as a share of it.
const WAY_TOLERANCE: f64 = 1e-3;

impl Separation {
    #[inline(always)]
    pub(crate) fn overlapping(common: DVec3, upper: f64) -> Self {
        Self {
            on_a: common,
            on_b: common,
            normal: DVec3::ZERO,
            distance: 0.0,
            lower: 0.0,
            upper,
            relation: Relation::Overlapping,
            stop: Stop::Converged,
        }
    }

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

/// What a distance between cores is turned into one between rounded shapes with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding {
    pub(crate) radius_a: f64,
    pub(crate) radius_b: f64,
    /// The size of the pair: all that is computed with is at most as large.
    pub(crate) scale: f64,
    /// How much the supports of the two may be off.
    pub(crate) support_error: f64,
    /// How much the computed bounds may be off.
    pub(crate) slack: f64,
    /// Where the bounds of the cores have met.
    pub(crate) tolerance: f64,
    /// What is not proven apart and comes closer than this touches.
    pub(crate) contact: f64,
}

/// The least distance that the iteration tells from contact, relative to the size of the pair.
const CONTACT: f64 = 1e-12;

/// The separation of `b` from `a`; none if it is proven to be `limit` or more.
pub(crate) fn of_convex(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    limit: f64,
) -> Result<Option<Separation>, SupportFault> {
    of_convex_traced(a, b, b_in_a, limit, &mut Cache::default(), &mut ())
}

/// The same from where the last search of the pair ended, with a tracer.
pub(crate) fn of_convex_traced<T: Tracer>(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    limit: f64,
    cache: &mut Cache,
    tracer: &mut T,
) -> Result<Option<Separation>, SupportFault> {
    dispatch!(crate::simd::level(), simd => of_convex_wide(simd, a, b, b_in_a, limit, cache, tracer))
}

/// The same where the level is known already.
#[inline(always)]
pub(crate) fn of_convex_wide<S: Simd, T: Tracer>(
    simd: S,
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    limit: f64,
    cache: &mut Cache,
    tracer: &mut T,
) -> Result<Option<Separation>, SupportFault> {
    let rounding = Rounding::of(a, b, b_in_a)?;
    if !T::LISTENS && cache.is_empty() {
        let mut common = guess::common_point(a, b, b_in_a);
        if common.is_none()
            && let (Core::Cuboid(half_a), Core::Cuboid(half_b)) = (&a.core, &b.core)
        {
            if let Some(closest) = box_box::closest(*half_a, *half_b, b_in_a)
                && closest.square > rounding.least_plain_square()
            {
                let distance = closest.square.sqrt();
                let normal = (closest.pair.on_a - closest.pair.on_b) / distance;
                cache.start_along(normal);
                let lower = closest.along / distance;
                let found = rounding.separation((closest.pair, distance), normal, lower, Stop::Converged);
                return Ok(if found.lower < limit { Some(found) } else { None });
            }
            common = guess::of_boxes(*half_a, *half_b, b_in_a, cache);
        }
        if let Some(common) = common {
            return Ok(if limit > 0.0 { Some(Separation::overlapping(common, 0.0)) } else { None });
        }
    }
    let found = match exact(a, b, b_in_a) {
        Some((pair, along)) => {
            let distance = pair.distance();
            let normal = (pair.on_a - pair.on_b).normalize_or_zero();
            let exact = rounding.separation((pair, distance), normal, -along, Stop::Converged);
            if exact.relation == Relation::Overlapping || distance + along <= rounding.contact {
                exact
            } else {
                // So near to contact the pair of points is known, but not its direction: prove the bound otherwise.
                let proven = searched(simd, a, b, b_in_a, &rounding, limit, cache, tracer)?;
                if proven.lower > exact.lower { proven } else { exact }
            }
        }
        None => searched(simd, a, b, b_in_a, &rounding, limit, cache, tracer)?,
    };
    Ok(if found.lower < limit { Some(found) } else { None })
}

#[inline(always)]
#[expect(clippy::too_many_arguments)]
fn searched<S: Simd>(
    simd: S,
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    rounding: &Rounding,
    limit: f64,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Separation, SupportFault> {
    let radius = rounding.radius_a + rounding.radius_b;
    let goal =
        Goal { near: radius + rounding.slack, far: radius + rounding.slack + limit, tolerance: rounding.tolerance };
    let mut found = Found::NONE;
    minimum_norm::search_wide(simd, &mut found, &mut Difference::new(a, b, b_in_a), goal, cache, tracer)?;
    Ok(match found.reason {
        StopReason::Enclosed => Separation::overlapping(found.pair().on_a, 0.0),
        reason => rounding.separation((found.pair(), found.upper), found.normal, found.lower, Stop::of(reason)),
    })
}

/// The closest points of two cores that have a closed form for them, in the frame of `a`, and how far the difference of
/// the cores reaches along the unit direction from the one on `a` to the one on `b`.
#[inline(always)]
pub(crate) fn exact(a: &Convex<'_>, b: &Convex<'_>, b_in_a: &Placement) -> Option<(Pair, f64)> {
    if let (Core::Cuboid(half), Core::Segment(ends)) = (&a.core, &b.core) {
        let ends = ends.map(|end| b_in_a.point_to_outer(end));
        let Pair { on_a: on_segment, on_b: on_box } = segment::to_box(ends, *half);
        let pair = Pair { on_a: on_box, on_b: on_segment };
        let direction = (on_segment - on_box).normalize_or_zero();
        return Some((pair, half.dot(direction.abs()) + Corners::Edge(ends).reach(-direction)));
    }
    if let (Core::Segment(ends), Core::Cuboid(half)) = (&a.core, &b.core) {
        let ends_in_b = ends.map(|end| b_in_a.point_to_inner(end));
        let Pair { on_a: on_segment, on_b: on_box } = segment::to_box(ends_in_b, *half);
        let direction = (on_box - on_segment).normalize_or_zero();
        let along = Corners::Edge(ends_in_b).reach(direction) + half.dot(direction.abs());
        return Some((Pair { on_a: on_segment, on_b: on_box }.placed(b_in_a), along));
    }
    // Those of features have one, too; all others are searched.
    let (Some(corners_a), Some(corners_b)) = (a.core.corners(), b.core.corners()) else { return None };
    let corners_b = corners_b.placed(b_in_a);
    let pair = of_corners(corners_a, corners_b);
    let direction = (pair.on_b - pair.on_a).normalize_or_zero();
    Some((pair, corners_a.reach(direction) + corners_b.reach(-direction)))
}

/// The support of a core that stands at `placement`.
pub(crate) fn placed_support(
    convex: &Convex<'_>,
    placement: &Placement,
    direction: DVec3,
) -> Result<DVec3, SupportFault> {
    Ok(placement.point_to_outer(convex.core.support(placement.direction_to_inner(direction))?))
}

#[inline]
fn of_corners(a: Corners, b: Corners) -> Pair {
    let mirrored = |pair: Pair| Pair { on_a: pair.on_b, on_b: pair.on_a };
    match (a, b) {
        (Corners::Point(a), Corners::Point(b)) => Pair { on_a: a, on_b: b },
        (Corners::Point(a), Corners::Edge(b)) => feature::point_edge(a, b),
        (Corners::Point(a), Corners::Face(b)) => feature::point_face(a, b),
        (Corners::Edge(a), Corners::Point(b)) => mirrored(feature::point_edge(b, a)),
        (Corners::Edge(a), Corners::Edge(b)) => feature::edge_edge(a, b),
        (Corners::Edge(a), Corners::Face(b)) => feature::edge_face(a, b),
        (Corners::Face(a), Corners::Point(b)) => mirrored(feature::point_face(b, a)),
        (Corners::Face(a), Corners::Edge(b)) => mirrored(feature::edge_face(b, a)),
        (Corners::Face(a), Corners::Face(b)) => feature::face_face(a, b),
    }
}

impl Rounding {
    #[inline(always)]
    pub(crate) fn of(a: &Convex<'_>, b: &Convex<'_>, b_in_a: &Placement) -> Result<Self, SupportFault> {
        // Without a root: a little more than the lengths themselves.
        let (size_a, size_b) = (a.core.size()?, b.core.size()?);
        let scale = size_a + size_b + b_in_a.position.abs().element_sum() + a.radius + b.radius;
        let support_error = a.core.support_error(size_a) + b.core.support_error(size_b);
        Ok(Self {
            radius_a: a.radius,
            radius_b: b.radius,
            scale,
            support_error,
            slack: feature::ROUNDING * scale + support_error,
            tolerance: 0.5 * feature::ROUNDING * scale + 0.1 * support_error,
            contact: CONTACT * scale + 4.0 * support_error,
        })
    }

    /// The square of a distance that has all the digits of the coordinates; below it, directions are searched with care.
    #[inline(always)]
    fn least_plain_square(&self) -> f64 {
        let least = CAREFUL * self.tolerance;
        least * least
    }

    /// The answer for the rounded shapes from a pair of points on the cores and their distance, the unit normal from `b`
    /// to `a` that separates the cores best, and how far it separates them.
    #[inline(always)]
    pub(crate) fn separation(
        &self,
        (mut pair, core_distance): (Pair, f64),
        normal: DVec3,
        lower: f64,
        stop: Stop,
    ) -> Separation {
        let radius = self.radius_a + self.radius_b;
        let upper = core_distance - radius + self.slack;
        // A support map that contradicts itself proves nothing: its bounds must still be in order.
        let lower = (lower - radius - self.slack).min(upper).max(0.0);
        if core_distance <= radius + self.slack || lower == 0.0 && upper <= self.contact {
            // Inside both shapes: a share of the way by their radii.
            let share = if radius > 0.0 { self.radius_a / radius } else { 0.5 };
            let common = pair.on_a + share.clamp(0.0, 1.0) * (pair.on_b - pair.on_a);
            return Separation::overlapping(common, upper.max(0.0));
        }
        if radius > 0.0 {
            // Along the line of the pair, not the normal: both points must lie on the shapes.
            let toward_b = (pair.on_b - pair.on_a) / core_distance;
            pair.on_a += self.radius_a * toward_b;
            pair.on_b -= self.radius_b * toward_b;
        }
        Separation {
            on_a: pair.on_a,
            on_b: pair.on_b,
            normal: -normal,
            distance: (core_distance - radius).max(lower).min(upper),
            lower,
            upper,
            relation: if lower > 0.0 { Relation::Apart } else { Relation::Undecided },
            stop,
        }
    }
}
