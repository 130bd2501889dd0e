//! How deep two meshes are inside each other: proven bounds, and a way out.
//!
//! The depth is the length of the shortest translation after which they share no inner point; closed meshes are solids, open
//! ones surfaces with nothing inside. A point of one that is inside the other must travel at least to the surface there, so
//! the deepest vertex bounds the depth from below. Any translation after which the meshes are found apart bounds it from
//! above: along each of a few directions (that of the shortest way out of the hulls, from the deepest vertices to their
//! nearest surfaces, along the normals at the crossings, between the middles, along the axes) the way is tried from the
//! lower bound upward, at last as far as the boxes around the hulls ask, and what is free is halved down to 1e-4; the
//! shortest is cut back to where the surfaces touch. The bounds meet where a vertex is pressed into a face; with edges
//! pressed into edges, or a concave mesh that must be turned around another, they can lie far apart.
//! Stops: at most 60 trials a direction. Cost: a projection for each vertex inside, and an overlap test for each trial.

use super::super::{QueryError, projection};
use super::{corners, inside, placed, surface_separation, visit_crossings};
use crate::distance::convex::{Convex, Core};
use crate::distance::feature::Pair;
use crate::distance::placement::Placement;
use crate::distance::separation::Relation;
use crate::distance::signed::{Cache, signed};
use crate::pose::Pose;
use crate::shape::TriangleMesh;
use glam::DVec3;
use std::ops::ControlFlow;

/// How deep two solids are inside each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// Proven: no shorter translation separates them.
    pub lower: f64,
    /// Proven: the length of `way_out`, which does.
    pub upper: f64,
    /// Moving the second mesh by this leaves it apart from the first, in the world.
    pub way_out: DVec3,
    /// The vertex that lies deepest, in the world; none if only edges have entered.
    pub deepest: Option<DVec3>,
}

/// How deep two meshes are inside each other; none if they are apart. Open ones are surfaces, with nothing inside.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::mesh;
/// use carom::shape::TriangleMesh;
///
/// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
/// // The tip of one through the base of the other.
/// let found = mesh::penetration(&mesh, &Pose::IDENTITY, &mesh, &Pose::at([0.2, 0.2, -0.9]))?.expect("they overlap");
/// assert!((found.lower - 0.1).abs() < 1e-6 && (found.upper - 0.1).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn penetration(
    a: &TriangleMesh,
    pose_a: &Pose,
    b: &TriangleMesh,
    pose_b: &Pose,
) -> Result<Option<Penetration>, QueryError> {
    let b_in_a = placed(pose_a, pose_b)?;
    let frame = Placement::turned(pose_a);
    Ok(crossing(a, b, &b_in_a).map(|found| Penetration {
        lower: found.lower,
        upper: found.way_out.length(),
        way_out: frame.direction_to_outer(found.way_out),
        deepest: found.deepest.map(|point| pose_a.position + frame.point_to_outer(point)),
    }))
}

/// A translation of the second mesh after which it is apart from the first, about the shortest, in the frame of the
/// first; none if they are apart.
pub(crate) fn way_out(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Option<DVec3> {
    crossing(a, b, b_in_a).map(|found| found.way_out)
}

/// A [`Penetration`] in the frame of the first mesh.
pub(in crate::query) struct Local {
    pub(in crate::query) lower: f64,
    pub(in crate::query) way_out: DVec3,
    pub(in crate::query) deepest: Option<DVec3>,
    /// The points of both surfaces that touch at the end of the way out, where they are now.
    pub(in crate::query) on_a: DVec3,
    pub(in crate::query) on_b: DVec3,
}

/// How deep two meshes are in each other; none if they are apart. Those that touch to within rounding have a way out, too:
/// next to no length, but a direction.
pub(in crate::query) fn local(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Option<Local> {
    let do_touch = || {
        let gap = surface_separation(a, b, b_in_a, f64::MIN_POSITIVE);
        gap.is_ok_and(|gap| gap.is_some_and(|gap| gap.relation == Relation::Overlapping))
    };
    (!are_apart(a, b, b_in_a) || do_touch()).then(|| ways_out(a, b, b_in_a))
}

/// The same of those that cross or are nested.
fn crossing(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Option<Local> {
    (!are_apart(a, b, b_in_a)).then(|| ways_out(a, b, b_in_a))
}

fn ways_out(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Local {
    let a_in_b = b_in_a.inverse();
    let of_b = deepest(b, a, b_in_a, 0.0);
    let of_a = deepest(a, b, &a_in_b, of_b.map_or(0.0, |vertex| vertex.depth()));
    // In the frame of `a`, and as ways for `b` to go.
    let of_a = of_a.map(|vertex| Deepest {
        point: b_in_a.point_to_outer(vertex.point),
        way: b_in_a.direction_to_outer(-vertex.way),
    });
    let deepest = of_a.or(of_b);
    // Less what the places of far corners are rounded by.
    let rounding = ROUNDING * (extent(a) + extent(b) + b_in_a.position.length());
    let lower = deepest.map_or(0.0, |vertex| (vertex.depth() - rounding).max(0.0));
    let between = middle(b, b_in_a) - middle(a, &Placement::IDENTITY);
    let directions = [of_hulls(a, b, b_in_a), Some(between), Some(normals_at_crossings(a, b, b_in_a))]
        .into_iter()
        .chain([of_a, of_b].map(|vertex| vertex.map(|vertex| vertex.way)))
        .flatten()
        .chain(flat_normals(a))
        .chain(flat_normals(b).map(|normal| b_in_a.direction_to_outer(normal)))
        .chain(DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]));
    let mut best = (f64::INFINITY, DVec3::Y);
    for direction in directions.filter_map(DVec3::try_normalize) {
        if let Some(length) = way_along(a, b, b_in_a, direction, lower, best.0) {
            best = (length, direction);
        }
    }
    let (length, touching) = shortened(a, b, b_in_a, best);
    let way_out = length.max(SHORTEST) * best.1;
    // Whatever could not be told of the surfaces, they come together somewhere.
    let touching =
        touching.unwrap_or(Pair { on_a: middle(a, &Placement::IDENTITY), on_b: middle(b, b_in_a) + way_out });
    let deepest = deepest.map(|vertex| vertex.point);
    let lower = lower.min(way_out.length());
    Local { lower, way_out, deepest, on_a: touching.on_a, on_b: touching.on_b - way_out }
}

/// A way out is no shorter: one without a length would have no direction.
const SHORTEST: f64 = 1e-150;
/// The rounding of coordinates and of a few steps with them, as a share of the largest.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// How far a mesh reaches from its origin at the most.
fn extent(mesh: &TriangleMesh) -> f64 {
    let bounds = mesh.tree().bounds();
    bounds.min.abs().max(bounds.max.abs()).as_dvec3().length()
}

/// The length of a way out cut back to where the surfaces touch, and where they do: nothing is met on the way back before
/// their distance is used up.
fn shortened(
    a: &TriangleMesh,
    b: &TriangleMesh,
    b_in_a: &Placement,
    (mut length, direction): (f64, DVec3),
) -> (f64, Option<Pair>) {
    let mut touching = None;
    for _ in 0..12 {
        let moved = Placement { position: b_in_a.position + length * direction, ..*b_in_a };
        let Ok(Some(gap)) = surface_separation(a, b, &moved, f64::INFINITY) else { break };
        touching = Some(Pair { on_a: gap.on_a, on_b: gap.on_b });
        if gap.lower <= 1e-8 * length {
            break;
        }
        // A little short of it, so that they stay apart.
        let shorter = (length - 0.999 * gap.lower).max(0.0);
        touching = touching.map(|pair| Pair { on_b: pair.on_b - (length - shorter) * direction, ..pair });
        length = shorter;
    }
    (length, touching)
}

/// A vertex inside the other mesh, and the way from there to the surface.
#[derive(Clone, Copy)]
struct Deepest {
    point: DVec3,
    way: DVec3,
}

impl Deepest {
    fn depth(&self) -> f64 {
        self.way.length()
    }
}

/// The vertex of `inner`, in the frame of `outer`, that is deeper inside than `least`, and deeper than all others.
fn deepest(inner: &TriangleMesh, outer: &TriangleMesh, inner_in_outer: &Placement, least: f64) -> Option<Deepest> {
    let bounds = outer.tree().bounds();
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let mut best: Option<Deepest> = None;
    // Only vertices of triangles are of the mesh. One that comes again is told at once by the depth that it has to beat.
    for &vertex in inner.triangles().iter().flatten() {
        let point = inner_in_outer.point_to_outer(inner.vertices()[vertex as usize].as_dvec3());
        if !(point.cmpge(min).all() && point.cmple(max).all()) {
            continue;
        }
        let least = best.map_or(least, |best| best.depth());
        let way = projection::onto_mesh(outer, point, least).point - point;
        if way.length() > least && inside::contains(outer, point) {
            best = Some(Deepest { point, way });
        }
    }
    best
}

fn are_apart(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> bool {
    let mut is_crossing = false;
    visit_crossings(a, b, b_in_a, |_| {
        is_crossing = true;
        ControlFlow::Break(())
    });
    !is_crossing && inside::nested(a, b, b_in_a).is_none()
}

fn middle(mesh: &TriangleMesh, placement: &Placement) -> DVec3 {
    placement.point_to_outer(mesh.tree().bounds().center().as_dvec3())
}

/// The direction of the shortest way out for the hulls of the two: for convex meshes the best.
fn of_hulls(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Option<DVec3> {
    let [a, b] = [a.hull()?, b.hull()?].map(|hull| Convex { core: Core::Hull(hull), radius: 0.0 });
    signed(&a, &b, b_in_a, f64::INFINITY, &mut Cache::default()).ok().flatten().map(|found| found.normal)
}

/// Both normals of a flat mesh, which has no hull.
fn flat_normals(mesh: &TriangleMesh) -> impl Iterator<Item = DVec3> {
    let normal = || {
        let [p, q, r] = corners(mesh, 0);
        (q - p).cross(r - p)
    };
    let normal = mesh.hull().is_none().then(normal);
    normal.into_iter().flat_map(|normal| [normal, -normal])
}

/// The sum of the normals of `a`, less those of `b`, where the two cross: the way out of a shallow contact.
fn normals_at_crossings(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> DVec3 {
    let normal = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p).normalize_or_zero();
    let mut sum = DVec3::ZERO;
    visit_crossings(a, b, b_in_a, |crossing| {
        let length = crossing.segment[0].distance(crossing.segment[1]);
        let of_b = b_in_a.direction_to_outer(normal(corners(b, crossing.triangle_b)));
        sum += length * (normal(corners(a, crossing.triangle_a)) - of_b);
        ControlFlow::Continue(())
    });
    sum
}

/// The shortest way found along a direction after which the meshes are apart, if it is shorter than `best`.
fn way_along(
    a: &TriangleMesh,
    b: &TriangleMesh,
    b_in_a: &Placement,
    direction: DVec3,
    lower: f64,
    best: f64,
) -> Option<f64> {
    let is_free = |length: f64| {
        let moved = Placement { position: b_in_a.position + length * direction, ..*b_in_a };
        are_apart(a, b, &moved)
    };
    // So far the hulls are apart, and a little farther the meshes are found so.
    let high = a.vertices().iter().map(|vertex| direction.dot(vertex.as_dvec3())).fold(f64::MIN, f64::max);
    let low = b.vertices().iter().map(|vertex| direction.dot(b_in_a.point_to_outer(vertex.as_dvec3())));
    let whole = ((high - low.fold(f64::MAX, f64::min)) * (1.0 + 1e-9)).max(f64::MIN_POSITIVE);
    let end = whole.min(best);
    let mut taken = lower;
    let mut free = (lower * (1.0 + 1e-4)).max(1e-3 * whole);
    while free < end && !is_free(free) {
        taken = free;
        free *= 1.5;
    }
    if free >= end {
        if end == best {
            return None;
        }
        // Beyond both hulls, whatever rounding makes of it.
        free = end;
    }
    for _ in 0..30 {
        if free - taken <= 1e-4 * free {
            break;
        }
        let between = 0.5 * (taken + free);
        if is_free(between) { free = between } else { taken = between }
    }
    Some(free)
}
