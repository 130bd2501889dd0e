//! The point of a shape's surface that is nearest to a point.
//!
//! Closed forms in f64 for all but the outside of a convex hull and of user-defined shapes, which are distances of a
//! point (see `minimum_norm.rs`), the inside of the latter, which is a depth (see `expanding_polytope.rs`), and the ellipsoid, whose one equation is bisected down to neighbouring numbers:
//! with p in the positive octant and radii e, the nearest point is x = e²p/(s + e² - e_min²), s the root of
//! |x/e| = 1 - a decreasing function of s, so bisection cannot fail.
//! Source: the ellipsoid's equation is Eberly's (Distance from a Point to an Ellipsoid, 2013); the unknown here is
//! s = t + e_min², which keeps its digits near the centre.

use super::form::{Form, Pieces};
use super::mesh::contains_point;
use super::{QueryError, checked, near_enough};
use crate::bounds::Aabb;
use crate::distance::convex::{Convex, Core};
use crate::distance::feature;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation};
use crate::distance::signed::{Cache, signed};
use crate::pose::Pose;
use crate::shape::{ConvexHull, HeightField, Shape, ShapeKind, TriangleMesh};
use glam::{DVec3, Vec3};

/// Where a point is in relation to a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projection {
    /// The nearest point of the shape's surface, in the world.
    pub point: DVec3,
    /// How far away that is.
    pub distance: f64,
    /// Whether the point asked about is inside the solid or on its surface. Never so for points, segments, sharp
    /// triangles, open meshes and height fields, which have no inside.
    pub is_inside: bool,
}

/// The nearest point of the surface of a shape.
///
/// Inside a compound it is the nearest surface point of the part in which the point lies deepest; where parts overlap
/// that can be inside another part. Inside a user-defined shape the depth of the point is searched (EPA), to about 1e-5 of the
/// shape's size.
///
/// # Errors
///
/// [`QueryError::Undecided`] if the search ended with bounds that are far from each other, as with a support map that
/// contradicts itself.
///
/// ```
/// use carom::prelude::*;
///
/// let drum = Shape::cylinder(1.0, 3.0)?;
/// let projection = query::project_point(&drum, &Pose::IDENTITY, [0.5, 0.75, 0.0].into())?;
/// assert_eq!((projection.point, projection.is_inside), (DVec3::new(0.5, 1.0, 0.0), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn project_point(shape: &Shape, pose: &Pose, point: DVec3) -> Result<Projection, QueryError> {
    let pose = checked("the shape", pose)?;
    if !point.is_finite() {
        return Err(QueryError::Vector { what: "point", value: point });
    }
    near_enough(point - pose.position)?;
    let frame = Placement::turned(&pose);
    let local = frame.point_to_inner(point - pose.position);
    let found = onto_form(&Form::of(shape), local)?;
    Ok(Projection {
        point: pose.position + frame.point_to_outer(found.point),
        distance: found.point.distance(local),
        is_inside: found.is_inside,
    })
}

/// The nearest point of a surface, in the shape's frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnSurface {
    pub(super) point: DVec3,
    /// The unit normal out of the solid there.
    pub(super) outward: DVec3,
    pub(super) is_inside: bool,
}

fn onto_form(form: &Form<'_>, point: DVec3) -> Result<OnSurface, QueryError> {
    match form {
        Form::Convex(convex) => onto_convex(convex, point),
        Form::HalfSpace(normal) => {
            let height = normal.dot(point);
            Ok(OnSurface { point: point - height * *normal, outward: *normal, is_inside: height <= 0.0 })
        }
        Form::Pieces(Pieces::Mesh(mesh)) => {
            let found = onto_mesh(mesh, point, 0.0);
            let is_inside = contains_point(mesh, point);
            let outward = if is_inside { -found.outward } else { found.outward };
            Ok(OnSurface { outward, is_inside, ..found })
        }
        Form::Pieces(Pieces::HeightField(field)) => Ok(onto_height_field(field, point)),
        Form::Pieces(pieces @ Pieces::Compound(_)) => onto_pieces(pieces, point),
    }
}

/// The nearest point of a mesh, or any that is no farther than `enough`.
pub(super) fn onto_mesh(mesh: &TriangleMesh, point: DVec3, enough: f64) -> OnSurface {
    let mut best = Nearest::new(point);
    mesh.tree().visit_near(point, point, f64::INFINITY, |slot| {
        let distance = best.offer(slot.corners(mesh.vertices()));
        if distance <= enough { 0.0 } else { distance }
    });
    onto_triangle(best.corners, point)
}

fn onto_height_field(field: &HeightField, point: DVec3) -> OnSurface {
    let mut best = Nearest::new(point);
    field.visit_near(point, point, f64::INFINITY, |triangle| best.offer(field.corners(triangle as usize)));
    onto_triangle(best.corners, point)
}

/// The nearest triangle so far.
struct Nearest {
    point: DVec3,
    distance: f64,
    corners: [DVec3; 3],
}

impl Nearest {
    fn new(point: DVec3) -> Self {
        Self { point, distance: f64::INFINITY, corners: [DVec3::ZERO; 3] }
    }

    /// Takes a triangle if it is nearer; returns the least distance.
    fn offer(&mut self, corners: [Vec3; 3]) -> f64 {
        let corners = corners.map(|corner| corner.as_dvec3());
        let distance = feature::point_face(self.point, corners).distance();
        if distance < self.distance {
            (self.distance, self.corners) = (distance, corners);
        }
        self.distance
    }
}

/// The nearest surface of the pieces, or the farthest of those that the point is inside of.
fn onto_pieces(pieces: &Pieces<'_>, point: DVec3) -> Result<OnSurface, QueryError> {
    let mut best: Option<(OnSurface, f64)> = None;
    pieces.visit_near(&Aabb::rounded_outward(point, point), f64::INFINITY, |form, placement, _| {
        let found = onto_form(&form, placement.point_to_inner(point))?;
        let found = OnSurface {
            point: placement.point_to_outer(found.point),
            outward: placement.direction_to_outer(found.outward),
            is_inside: found.is_inside,
        };
        // Depth counts as negative distance: the least of all is the nearest surface, or the deepest part.
        let signed = found.point.distance(point) * if found.is_inside { -1.0 } else { 1.0 };
        if best.is_none_or(|(_, least)| signed < least) {
            best = Some((found, signed));
        }
        // Boxes that hold the point must still be visited once it is inside of one part.
        Ok::<f64, QueryError>(best.map_or(f64::INFINITY, |(_, least)| least.max(f64::MIN_POSITIVE)))
    })?;
    // A shape has at least one piece, and the first is always visited.
    best.map(|(found, _)| found).ok_or(QueryError::NotSupported { what: "projection", shape: ShapeKind::Compound })
}

/// The nearest surface point of a core grown by its radius: the nearest of the core, moved out by the radius. From
/// inside the core too, because the depth under the grown surface is the depth under the core's plus the radius.
pub(super) fn onto_convex(convex: &Convex<'_>, point: DVec3) -> Result<OnSurface, QueryError> {
    let core = onto_core(&convex.core, point)?;
    if convex.radius == 0.0 {
        return Ok(core);
    }
    let is_inside = core.is_inside || core.point.distance(point) <= convex.radius;
    Ok(OnSurface { point: core.point + convex.radius * core.outward, outward: core.outward, is_inside })
}

fn onto_core(core: &Core<'_>, point: DVec3) -> Result<OnSurface, QueryError> {
    // Of a core without inside: `fallback` is a normal for points on the core itself.
    let outside = |nearest: DVec3, fallback: DVec3| OnSurface {
        point: nearest,
        outward: unit(point - nearest, fallback),
        is_inside: false,
    };
    Ok(match core {
        Core::Point => outside(DVec3::ZERO, DVec3::Y),
        Core::Segment([a, b]) => {
            let nearest = feature::point_edge(point, [*a, *b]).on_b;
            let along = unit(*b - *a, DVec3::Y);
            let found = outside(nearest, along.any_orthonormal_vector());
            // Off the axis by rounding only, the direction is noise but for being across.
            let is_between = nearest != *a && nearest != *b;
            let across = found.outward - along * along.dot(found.outward);
            if is_between {
                OnSurface { outward: unit(across, along.any_orthonormal_vector()), ..found }
            } else {
                found
            }
        }
        Core::Triangle(corners) => onto_triangle(*corners, point),
        Core::Cuboid(half) => onto_cuboid(*half, point),
        Core::Cylinder { half_height, radius } => {
            let (around, out) = around_axis(point);
            let on_profile = onto_cuboid(DVec3::new(*radius, *half_height, f64::INFINITY), around);
            revolved(on_profile, out)
        }
        Core::Cone { half_height, radius } => {
            let (around, out) = around_axis(point);
            revolved(onto_cone_profile(*half_height, *radius, around), out)
        }
        Core::Ellipsoid(radii) => onto_ellipsoid(*radii, point),
        Core::Hull(hull) => match outside_by_distance(core, point)? {
            Some(found) => found,
            None => under_hull(hull, point),
        },
        Core::Custom(_) => match outside_by_distance(core, point)? {
            Some(found) => found,
            None => by_depth(core, point)?,
        },
    })
}

fn onto_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> OnSurface {
    let nearest = feature::point_face(point, [a, b, c]).on_b;
    let normal = unit((b - a).cross(c - a), DVec3::Y);
    // So near the triangle the direction is noise, and the normal is right at every point of it.
    let size = a.distance(b).max(a.distance(c));
    let is_off = nearest.distance(point) > 1e-13 * size;
    let outward = if is_off { unit(point - nearest, normal) } else { normal };
    OnSurface { point: nearest, outward, is_inside: false }
}

/// The vector at unit length without underflow on the way; `fallback` if it is zero.
fn unit(vector: DVec3, fallback: DVec3) -> DVec3 {
    let largest = vector.abs().max_element();
    if largest > 0.0 { (vector / largest).normalize() } else { fallback }
}

/// A point in the plane through itself and the y axis, as (distance from the axis, y, 0), and the direction away from
/// the axis.
fn around_axis(point: DVec3) -> (DVec3, DVec3) {
    let flat = DVec3::new(point.x, 0.0, point.z);
    (DVec3::new(flat.length(), point.y, 0.0), flat.normalize_or(DVec3::X))
}

fn revolved(profile: OnSurface, out: DVec3) -> OnSurface {
    let revolve = |vector: DVec3| vector.x * out + DVec3::Y * vector.y;
    OnSurface { point: revolve(profile.point), outward: revolve(profile.outward), is_inside: profile.is_inside }
}

fn onto_cuboid(half: DVec3, point: DVec3) -> OnSurface {
    let clamped = point.clamp(-half, half);
    if clamped != point {
        return OnSurface { point: clamped, outward: unit(point - clamped, DVec3::Y), is_inside: false };
    }
    let depth = half - point.abs();
    let axis = depth.min_position();
    let sign = if point[axis] < 0.0 { -1.0 } else { 1.0 };
    let mut nearest = point;
    nearest[axis] = sign * half[axis];
    OnSurface { point: nearest, outward: DVec3::AXES[axis] * sign, is_inside: true }
}

/// The cone's half in the plane of (distance from the axis, y): a triangle of axis, base and side.
fn onto_cone_profile(half_height: f64, radius: f64, point: DVec3) -> OnSurface {
    let (apex, rim) = (DVec3::new(0.0, half_height, 0.0), DVec3::new(radius, -half_height, 0.0));
    let side = DVec3::new(2.0 * half_height, radius, 0.0).normalize_or(DVec3::X);
    let over_side = side.dot(point - apex);
    let under_base = -half_height - point.y;
    if over_side <= 0.0 && under_base <= 0.0 {
        let (outward, height) = if over_side > under_base { (side, over_side) } else { (-DVec3::Y, under_base) };
        return OnSurface { point: point - height * outward, outward, is_inside: true };
    }
    let nearest = feature::point_face(point, [apex, rim, -apex]).on_b;
    let fallback = if over_side > under_base { side } else { -DVec3::Y };
    OnSurface { point: nearest, outward: unit(point - nearest, fallback), is_inside: false }
}

fn onto_ellipsoid(radii: DVec3, point: DVec3) -> OnSurface {
    let is_inside = (point / radii).length_squared() <= 1.0;
    let octant = point.abs();
    let least = radii.min_element();
    let excess = (radii - least) * (radii + least);
    let at = |s: f64| -> DVec3 {
        let along = |axis: usize| {
            let size = radii[axis];
            if octant[axis] == 0.0 { 0.0 } else { size * octant[axis] / (s + excess[axis]) }
        };
        DVec3::new(along(0), along(1), along(2))
    };
    // Along the shortest axes the term alone is one at this s, so the root is not below.
    let shortest = |axis: &usize| excess[*axis] == 0.0;
    let mut low = (0..3).filter(shortest).map(|axis| least * octant[axis]).fold(0.0, f64::max);
    let mut high = (radii * octant).length();
    let mut unit = at(low);
    if low == 0.0 && unit.length_squared() < 1.0 {
        // In the plane of the longer axes and near the centre: two nearest points, over and under; this is one.
        let axis = (0..3).find(|axis| shortest(axis)).unwrap_or(0);
        unit[axis] = (1.0 - unit.length_squared()).sqrt();
    } else {
        // Each halving takes one bit; the exponent range of f64 bounds them all.
        for _ in 0..1200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if at(middle).length_squared() > 1.0 { low = middle } else { high = middle }
        }
        unit = at(high).normalize_or(DVec3::Y);
    }
    let sign = DVec3::ONE.copysign(point);
    OnSurface { point: sign * radii * unit, outward: (sign * unit / radii).normalize_or(DVec3::Y), is_inside }
}

/// The nearest point by the general distance; none if the point is not outside.
fn outside_by_distance(core: &Core<'_>, point: DVec3) -> Result<Option<OnSurface>, QueryError> {
    let (solid, probe) = (Convex { core: *core, radius: 0.0 }, Convex { core: Core::Point, radius: 0.0 });
    let at_point = Placement { position: point, ..Placement::IDENTITY };
    let Some(found) = separation::of_convex(&solid, &probe, &at_point, f64::INFINITY)? else { return Ok(None) };
    match found.relation {
        Relation::Apart => Ok(Some(OnSurface { point: found.on_a, outward: found.normal, is_inside: false })),
        Relation::Overlapping => Ok(None),
        Relation::Undecided => Err(QueryError::Undecided { upper: found.upper }),
    }
}

/// From inside, by the general search for the depth.
fn by_depth(core: &Core<'_>, point: DVec3) -> Result<OnSurface, QueryError> {
    let (solid, probe) = (Convex { core: *core, radius: 0.0 }, Convex { core: Core::Point, radius: 0.0 });
    let at_point = Placement { position: point, ..Placement::IDENTITY };
    // Nothing is farther than infinity, so it is always found.
    let found = signed(&solid, &probe, &at_point, f64::INFINITY, &mut Cache::default())?;
    let Some(found) = found else { return Err(QueryError::Undecided { upper: 0.0 }) };
    if found.upper - found.lower > 1e-4 * core.reach()? {
        return Err(QueryError::Undecided { upper: found.upper.max(0.0) });
    }
    // Straight out: of a flat side the deepest point that was found may be anywhere on it.
    Ok(OnSurface { point: point - found.distance * found.normal, outward: found.normal, is_inside: true })
}

/// From inside a hull, the face of least depth.
fn under_hull(hull: &ConvexHull, point: DVec3) -> OnSurface {
    let mut best = (f64::INFINITY, DVec3::Y);
    for face in 0..hull.face_count() {
        let (normal, offset) = face_plane(hull, face);
        let depth = offset - normal.dot(point);
        if depth < best.0 {
            best = (depth, normal);
        }
    }
    let (depth, outward) = best;
    OnSurface { point: point + depth.max(0.0) * outward, outward, is_inside: true }
}

/// The plane of a face in f64: the normal of its area, and the offset that has all of its corners below.
pub(super) fn face_plane(hull: &ConvexHull, face: usize) -> (DVec3, f64) {
    let corner = |index: u32| hull.vertices()[index as usize].as_dvec3();
    let corners = hull.face_corners(face);
    let normal = hull.doubled_face_area(face).normalize_or(hull.planes()[face].normal.as_dvec3());
    let offset = corners.iter().map(|&index| normal.dot(corner(index))).fold(f64::NEG_INFINITY, f64::max);
    (normal, offset)
}
