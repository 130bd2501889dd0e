//! The distance of two convex cores (GJK): the point of least norm of their difference A - B, in f64.
//!
//! A simplex of at most four points of A - B, each known as a pair of points, holds the best point v so far; |v| is
//! an upper bound. The support w along -v gives the lower bound v·w/|v|, because the plane through w normal to v has
//! all of A - B beyond it. w joins the simplex, and the face of it that is nearest to the origin is kept. v never
//! gets longer, and polytopes end after finitely many steps; smooth bodies converge at least linearly.
//! Stops: when the bounds meet to 1e-12 of the distance or within rounding; when a tetrahedron holds the origin; when
//! the cores are proven near or far enough for the question; when rounding lets neither bound move for 12 steps; at
//! 1000 steps. The reason and both bounds are part of the answer.
//! Cost: two supports and at most three triangles a step; boxes and hulls take 2 to 4 steps on average, curved bodies
//! 5 to 26, the worst of random pairs 70; with a kept simplex, one or two.
//! Source: Gilbert, Johnson, Keerthi (1988), doi:10.1109/56.2083; the stop rule is van den Bergen's (1999),
//! doi:10.1080/10867651.1999.10487502. Departs from both: see `simplex.rs` for the nearest face; both bounds are the
//! best of all steps, not of the last.

use super::convex::SupportFault;
use super::feature::Pair;
use super::simplex::{Difference, Simplex, Vertex, Vertices};
use crate::trace::{GjkStep, StopReason, Tracer};
use glam::DVec3;

const STEP_LIMIT: usize = 1000;

/// Where the bounds have met, relative to the distance: far below f32, because the closest points of smooth bodies
/// are known to the square root of it only.
const RELATIVE_GAP: f64 = 1e-12;

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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// The vertices that simplices were made of.
    pub(crate) vertices: Vertices,
    /// The simplex with the nearest point.
    pub(crate) simplex: Simplex,
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
    /// The nearest point, as a point of each core.
    pub(crate) fn pair(&self) -> Pair {
        self.simplex.pair(&self.vertices)
    }

    pub(crate) fn corners(&self) -> impl ExactSizeIterator<Item = &Vertex> {
        self.simplex.vertices(&self.vertices)
    }
}

impl Cache {
    fn keep(&mut self, found: &Found) {
        self.count = found.corners().len() as u32;
        for (kept, vertex) in self.corners.iter_mut().zip(found.corners()) {
            *kept = vertex.corners;
        }
        self.normal = found.normal.as_vec3();
    }

    /// Fills in the vertices to start with and tells how many they are.
    #[inline]
    fn start(&self, difference: &mut Difference<'_>, vertices: &mut Vertices) -> Result<usize, SupportFault> {
        if self.count > 0 {
            let count = self.corners.len().min(self.count as usize);
            let mut known = 0;
            for corners in &self.corners[..count] {
                let Some(vertex) = difference.vertex(*corners) else { break };
                vertices.set(known, vertex);
                known += 1;
            }
            if known == count {
                return Ok(count);
            }
        }
        let outlook = difference.outlook();
        let start = if self.normal == glam::Vec3::ZERO {
            outlook
        } else {
            -self.normal.as_dvec3().try_normalize().unwrap_or(-outlook)
        };
        let (vertex, _) = difference.support(start)?;
        vertices.set(0, vertex);
        Ok(1)
    }
}

/// Searches until the goal is reached.
#[inline]
pub(crate) fn search(
    difference: &mut Difference<'_>,
    goal: Goal,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Found, SupportFault> {
    let mut vertices = Vertices::new();
    let count = cache.start(difference, &mut vertices)?;
    let simplex = if count == 1 { Simplex::first(&vertices) } else { Simplex::around_first(&vertices, count) };
    let mut found = Found {
        vertices,
        simplex,
        normal: DVec3::ZERO,
        lower: f64::NEG_INFINITY,
        upper: simplex.nearest().length(),
        reason: StopReason::Enclosed,
    };
    if !simplex.encloses_the_origin() {
        found.reason = descend(&mut found, difference, goal, tracer)?;
    }
    tracer.stop(found.reason);
    cache.keep(&found);
    Ok(found)
}

#[inline]
fn descend(
    found: &mut Found,
    difference: &mut Difference<'_>,
    goal: Goal,
    tracer: &mut impl Tracer,
) -> Result<StopReason, SupportFault> {
    let mut simplex = found.simplex;
    let mut fruitless_steps = 0;
    for _ in 0..STEP_LIMIT {
        if found.upper <= goal.near {
            return Ok(StopReason::Near);
        }
        let direction = simplex.direction(&found.vertices);
        let (farthest, along) = difference.support(-direction)?;
        fruitless_steps += 1;
        if -along > found.lower {
            (found.lower, found.normal, fruitless_steps) = (-along, direction, 0);
        }
        tracer.gjk(|| GjkStep {
            simplex: simplex.vertices(&found.vertices).map(Vertex::record).collect(),
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
        let place = found.vertices.add(farthest, &simplex, &found.simplex);
        simplex = simplex.with(&found.vertices, place);
        if simplex.encloses_the_origin() {
            (found.simplex, found.upper) = (simplex, 0.0);
            return Ok(StopReason::Enclosed);
        }
        let length = simplex.nearest().length();
        if length < found.upper {
            (found.simplex, found.upper, fruitless_steps) = (simplex, length, 0);
        }
        if fruitless_steps > FRUITLESS_LIMIT {
            return Ok(StopReason::Rounding);
        }
    }
    Ok(StopReason::IterationLimit)
}
