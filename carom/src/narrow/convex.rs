//! Any two convex parts: the axis of least separation, then the patches along it.
//!
//! Boxes find the axis among 15, polytopes that overlap by their faces and edges, all others by the general search for
//! the signed distance.

use super::clip::{self, Clipped, Relation, Touch};
use super::cuboid_cuboid::{self, Verdict};
use super::hull_hull::{self, Finding};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::signed::{Cache, signed, signed_traced};
use crate::shape::Shape;
use crate::trace::Tracer;
use glam::DVec3;

/// What is known of two convex parts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    /// Farther apart than the margin, along this axis of any length in the frame of the first if one is known.
    Apart(Option<DVec3>),
    Touching(Clipped),
}

/// What two parts are likely to do: which test is to be tried first, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Anything,
    /// They overlapped where they were, and would still if only they had moved so.
    Overlap,
}

/// What a contact is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be known: along the axis of least depth.
    Knowledge,
    /// To be pushed at: along the normal of a face where that is nearly as shallow as crossing edges. It has more points,
    /// and does not turn with every small turn of the bodies.
    Push,
}

/// What is asked of two parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    pub(super) margin: f64,
    pub(super) expected: Expected,
    pub(super) purpose: Purpose,
}

/// A bounded convex shape as its core and rounding.
pub(super) fn of_shape(shape: &Shape) -> Option<Convex<'_>> {
    let (core, radius) = match shape {
        Shape::Point(_) => (Core::Point, 0.0),
        Shape::Segment(segment) => (Core::Segment([segment.a(), segment.b()].map(|end| end.as_dvec3())), 0.0),
        Shape::Triangle(triangle) => {
            (Core::Triangle(triangle.core().corners().map(|corner| corner.as_dvec3())), triangle.radius())
        }
        Shape::Sphere(sphere) => (Core::Point, sphere.radius()),
        Shape::Cuboid(cuboid) => (Core::Cuboid(cuboid.core().half_extents().as_dvec3()), cuboid.radius()),
        Shape::Capsule(capsule) => {
            (Core::Segment([capsule.core().a(), capsule.core().b()].map(|end| end.as_dvec3())), capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            let (half_height, radius) = (f64::from(cylinder.half_height()), f64::from(cylinder.radius()));
            (Core::Cylinder { half_height, radius }, 0.0)
        }
        Shape::Cone(cone) => {
            let (half_height, radius) = (f64::from(cone.half_height()), f64::from(cone.radius()));
            (Core::Cone { half_height, radius }, 0.0)
        }
        Shape::Ellipsoid(ellipsoid) => (Core::Ellipsoid(ellipsoid.radii().as_dvec3()), 0.0),
        Shape::Hull(hull) => (Core::Hull(hull.core()), hull.radius()),
        Shape::Custom(custom) => (Core::Custom(custom.as_ref()), 0.0),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => return None,
    };
    Some(Convex { core, radius: f64::from(radius) })
}

/// How two convex parts touch, if they are no more than `margin` apart.
pub(super) fn answer(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    wish: Wish,
    (cache, tracer): (&mut Cache, &mut impl Tracer),
) -> Result<Answer, SupportFault> {
    let Wish { margin, expected, purpose } = wish;
    if let (Core::Cuboid(half_a), Core::Cuboid(half_b)) = (a.core, b.core) {
        match cuboid_cuboid::contact((half_a, a.radius), (half_b, b.radius), b_in_a, (margin, purpose), tracer) {
            Verdict::Apart(axis) => return Ok(Answer::Apart(Some(axis))),
            Verdict::Touching(clipped) => return Ok(Answer::Touching(clipped)),
            Verdict::Cornered => {}
        }
    }
    if let (Core::Hull(hull_a), Core::Hull(hull_b)) = (a.core, b.core) {
        match hull_hull::meet((hull_a, hull_b), b_in_a, (margin + a.radius + b.radius, expected), tracer) {
            Finding::Apart(axis) => return Ok(Answer::Apart(Some(axis))),
            Finding::Touching(cores, meeting) => {
                let relation = Relation {
                    separation: cores.separation - a.radius - b.radius,
                    on_a: cores.on_a + a.radius * cores.normal,
                    on_b: cores.on_b - b.radius * cores.normal,
                    ..cores
                };
                let touch = Touch { normal: cores.normal, radii: [a.radius, b.radius], margin, relation: &relation };
                let hulls = (hull_a, hull_b);
                if let Some(clipped) = hull_hull::manifold([a, b], hulls, b_in_a, &touch, meeting, tracer)? {
                    return Ok(Answer::Touching(clipped));
                }
            }
            Finding::Unknown => {}
        }
    }
    searched(a, b, b_in_a, margin, (cache, tracer))
}

/// The same by the general search.
pub(super) fn searched<T: Tracer>(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    margin: f64,
    (cache, tracer): (&mut Cache, &mut T),
) -> Result<Answer, SupportFault> {
    // What is exactly the margin apart still counts.
    let limit = margin + f64::MIN_POSITIVE.max(1e-12 * margin);
    let found = if T::LISTENS {
        signed_traced(a, b, b_in_a, limit, cache, tracer)?
    } else {
        signed(a, b, b_in_a, limit, cache)?
    };
    let Some(found) = found else { return Ok(Answer::Apart(None)) };
    if found.distance > margin {
        return Ok(Answer::Apart(Some(found.normal)));
    }
    let relation = Relation { normal: found.normal, separation: found.distance, on_a: found.on_a, on_b: found.on_b };
    clip::manifold(a, b, b_in_a, (&relation, margin), tracer).map(Answer::Touching)
}
