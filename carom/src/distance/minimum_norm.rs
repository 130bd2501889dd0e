//! The distance of two convex cores (GJK): the point of least norm of their difference A - B, in f64.
//!
//! A simplex of at most four points of A - B, each known as a pair of points, holds the best point v so far; |v| is
//! an upper bound. The support w along -v gives the lower bound v·w/|v|, because the plane through w normal to v has
//! all of A - B beyond it. w joins the simplex, and the face of it that is nearest to the origin is kept. v never
//! gets longer, and polytopes end after finitely many steps; smooth bodies converge at least linearly.
//! Stops: when the bounds meet to 1e-12 of the distance or within rounding; when a tetrahedron holds the origin; when
//! the cores are proven near or far enough for the question; when rounding lets neither bound move for 12 steps; at
//! 1000 steps. The reason and both bounds are part of the answer.
//! `descent.rs` goes first; what follows here is for what it cannot finish.
//! Cost: two supports and at most three triangles a step; boxes and hulls take 2 to 4 steps on average, curved bodies
//! 5 to 26, the worst of random pairs 70; with a kept simplex, one or two.
//! Source: Gilbert, Johnson, Keerthi (1988), doi:10.1109/56.2083; the stop rule is van den Bergen's (1999),
//! doi:10.1080/10867651.1999.10487502. Departs from both: see `simplex.rs` for the nearest face; both bounds are the
//! best of all steps, not of the last.

use super::convex::SupportFault;
use super::descent::{CAREFUL, Face};
use super::feature::Pair;
use super::simplex::{Difference, Simplex, Vertex, Vertices};
use crate::trace::{GjkStep, StopReason, Tracer};
use fearless_simd::{Simd, dispatch};
use glam::DVec3;

const STEP_LIMIT: usize = 1000;

/// Where the bounds have met, relative to the distance: far below f32, because the closest points of smooth bodies
/// are known to the square root of it only.
pub(super) const RELATIVE_GAP: f64 = 1e-12;

/// After so many steps in a row that moved neither bound, rounding has won.
const FRUITLESS_LIMIT: usize = 12;

/// What is asked of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// Cores that come as near as this are near enough.
    pub(crate) near: f64,
    /// Cores that are proven to be so far apart are far enough.
    pub(crate) far: f64,
    /// Where the bounds have met.
    pub(crate) tolerance: f64,
}

/// What a search has found about two cores.
#[derive(Debug)]
pub(crate) struct Found {
    /// The nearest point.
    pub(crate) face: Face,
    /// The unit normal from `b` to `a` that separates the cores best; zero if none was tried.
    pub(crate) normal: DVec3,
    /// By how much it separates them: negative or negative infinity if it does not.
    pub(crate) lower: f64,
    /// The length of the nearest point.
    pub(crate) upper: f64,
    pub(crate) reason: StopReason,
}

/// The corners and the direction that the last search ended with; a good start for the next of the same pair. Whatever
/// it holds, the answer is right: it only decides where the search starts. Empty by default.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cache {
    corners: [[u32; 2]; 4],
    count: u32,
    normal: glam::Vec3,
}

impl Found {
    /// Nothing yet. What a search finds is written in place: it is too large to hand around.
    pub(crate) const NONE: Self = Self {
        face: Face::NONE,
        normal: DVec3::ZERO,
        lower: f64::NEG_INFINITY,
        upper: 0.0,
        reason: StopReason::IterationLimit,
    };

    /// The nearest point, as a point of each core.
    #[inline(always)]
    pub(crate) fn pair(&self) -> Pair {
        self.face.pair()
    }

    pub(crate) fn corners(&self) -> impl ExactSizeIterator<Item = &Vertex> {
        self.face.vertices()
    }
}

impl Cache {
    /// Whether no search has ended yet.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0 && self.normal == glam::Vec3::ZERO
    }

    /// Adds a pair of corners to start with, if there are not three already.
    #[inline]
    pub(super) fn guess(&mut self, corners: [u32; 2]) {
        if let Some(place) = self.corners[..3].get_mut(self.count as usize) {
            *place = corners;
            self.count += 1;
        }
    }

    /// Has the next search begin along the unit normal from `b` to `a`.
    #[inline(always)]
    pub(super) fn start_along(&mut self, normal: DVec3) {
        (self.count, self.normal) = (0, normal.as_vec3());
    }

    #[inline(always)]
    fn keep(&mut self, found: &Found) {
        self.count = found.corners().len() as u32;
        for (kept, vertex) in self.corners.iter_mut().zip(found.corners()) {
            *kept = vertex.corners;
        }
        self.normal = found.normal.as_vec3();
    }

    /// Fills in the vertices to start with, tells how many they are, and how far the difference reaches along which
    /// direction, if that was asked.
    #[inline(always)]
    fn start<S: Simd>(
        &self,
        simd: S,
        difference: &mut Difference<'_>,
        vertices: &mut [Vertex; 4],
    ) -> Result<(usize, Option<(DVec3, f64)>), SupportFault> {
        let count = vertices.len().min(self.count as usize);
        let mut known = 0;
        for (place, corners) in vertices.iter_mut().zip(&self.corners[..count]) {
            let Some(vertex) = difference.vertex(*corners) else { break };
            *place = vertex;
            known += 1;
        }
        if known > 0 && known == count {
            return Ok((count, None));
        }
        let start = if self.normal == glam::Vec3::ZERO { difference.outlook() } else { -self.normal.as_dvec3() };
        let (vertex, along) = difference.quick_support(simd, start)?;
        vertices[0] = vertex;
        Ok((1, Some((start, along))))
    }
}

/// Searches until the goal is reached: quickly, and carefully from there if that does not finish.
pub(crate) fn search(
    found: &mut Found,
    difference: &mut Difference<'_>,
    goal: Goal,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<(), SupportFault> {
    dispatch!(crate::simd::level(), simd => search_wide(simd, found, difference, goal, cache, tracer))
}

/// The same where the level is known already.
#[inline(always)]
pub(super) fn search_wide<S: Simd>(
    simd: S,
    found: &mut Found,
    difference: &mut Difference<'_>,
    goal: Goal,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<(), SupportFault> {
    let (count, first) = cache.start(simd, difference, &mut found.face.vertices)?;
    if let Some((direction, along)) = first {
        // The first look may tell that they are far apart, by far more than the digits that it may lack.
        let lower = -along - CAREFUL * goal.tolerance;
        if lower > goal.far {
            found.face.stay_at_first();
            (found.normal, found.lower, found.upper) = (-direction, lower, found.face.nearest.length());
            found.reason = StopReason::BeyondLimit;
            tracer.stop(found.reason);
            cache.keep(found);
            return Ok(());
        }
    }
    let (reason, bound) = found.face.descend(simd, count, difference, goal, tracer)?;
    found.reason = match reason {
        Some(reason) => {
            found.upper = found.face.nearest.length();
            // Bounds that have met are those of the nearest point itself.
            let length = if reason == StopReason::BoundsMet { found.upper } else { bound.direction.length() };
            if length > 0.0 {
                (found.normal, found.lower) = (bound.direction / length, bound.along / length);
            }
            reason
        }
        None => {
            // From the start again: the simplex that the quick search is stuck with may be nearly flat.
            (found.face.count, _) = cache.start(simd, difference, &mut found.face.vertices)?;
            found.face.places = [0, 1, 2, 3];
            search_carefully(found, difference, goal, tracer)?
        }
    };
    tracer.stop(found.reason);
    cache.keep(found);
    Ok(())
}

/// Goes on from the vertices found so far with every digit; once more from where the best plane touches if rounding
/// ends that.
#[inline(never)]
fn search_carefully(
    found: &mut Found,
    difference: &mut Difference<'_>,
    goal: Goal,
    tracer: &mut impl Tracer,
) -> Result<StopReason, SupportFault> {
    let reason = descend_carefully(found, difference, goal, tracer)?;
    if reason != StopReason::Rounding || found.normal == DVec3::ZERO {
        return Ok(reason);
    }
    let mut again = Found { normal: found.normal, lower: found.lower, ..Found::NONE };
    (again.face.vertices[0], _) = difference.support(-found.normal)?;
    again.face.count = 1;
    let reason_again = descend_carefully(&mut again, difference, goal, tracer)?;
    if again.upper - again.lower >= found.upper - found.lower {
        return Ok(reason);
    }
    *found = again;
    Ok(reason_again)
}

fn descend_carefully(
    found: &mut Found,
    difference: &mut Difference<'_>,
    goal: Goal,
    tracer: &mut impl Tracer,
) -> Result<StopReason, SupportFault> {
    let mut vertices = Vertices::new();
    let count = found.corners().len();
    for (place, vertex) in found.corners().enumerate() {
        vertices.set(place, *vertex);
    }
    let mut best = if count == 1 { Simplex::first(&vertices) } else { Simplex::around_first(&vertices, count) };
    found.upper = best.nearest().length();
    let reason = if best.encloses_the_origin() {
        StopReason::Enclosed
    } else {
        descend(found, &mut vertices, &mut best, difference, goal, tracer)?
    };
    best.write(&vertices, &mut found.face);
    Ok(reason)
}

fn descend(
    found: &mut Found,
    vertices: &mut Vertices,
    best: &mut Simplex,
    difference: &mut Difference<'_>,
    goal: Goal,
    tracer: &mut impl Tracer,
) -> Result<StopReason, SupportFault> {
    let mut simplex = *best;
    let mut fruitless_steps = 0;
    for _ in 0..STEP_LIMIT {
        if found.upper <= goal.near {
            return Ok(StopReason::Near);
        }
        let direction = simplex.direction(vertices);
        let (farthest, along) = difference.support(-direction)?;
        fruitless_steps += 1;
        if -along > found.lower {
            (found.lower, found.normal, fruitless_steps) = (-along, direction, 0);
        }
        tracer.gjk(|| GjkStep {
            simplex: simplex.vertices(vertices).map(Vertex::record).collect(),
            nearest: simplex.nearest(),
            direction: -direction,
            support: farthest.difference,
            lower: found.lower,
            upper: found.upper,
        });
        if found.upper - found.lower <= RELATIVE_GAP * found.upper + goal.tolerance {
            return Ok(StopReason::BoundsMet);
        }
        if found.lower >= goal.far {
            return Ok(StopReason::BeyondLimit);
        }
        let place = vertices.add(farthest, &simplex, best);
        simplex = simplex.with(vertices, place);
        if simplex.encloses_the_origin() {
            (*best, found.upper) = (simplex, 0.0);
            return Ok(StopReason::Enclosed);
        }
        let length = simplex.nearest().length();
        if length < found.upper {
            (*best, found.upper, fruitless_steps) = (simplex, length, 0);
        }
        if fruitless_steps > FRUITLESS_LIMIT {
            return Ok(StopReason::Rounding);
        }
    }
    Ok(StopReason::IterationLimit)
}
