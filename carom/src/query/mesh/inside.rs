//! Whether a point is inside a closed mesh: how often its surface winds around the point.
//!
//! A half-line from the point along +x crosses the surface; each triangle counts by the sense in which it is crossed.
//! The sum is the winding number wherever the half-line goes, if no crossing is counted twice or lost. So the point is
//! taken to be moved by (0, ε², ε), smaller than any number: then its half-line meets no edge and no vertex, and what
//! is left is decided by exact signs, which two triangles give alike for the edge that they share.
//! Cost: the triangles whose boxes the half-line meets. Sources: exact signs by Shewchuk 1997,
//! doi 10.1007/PL00009321; the shift is Edelsbrunner, Mücke 1990, doi 10.1145/77635.77639.

use super::MeshOverlap;
use crate::bounds::Aabb;
use crate::distance::placement::Placement;
use crate::narrow::triangle_triangle;
use crate::shape::TriangleMesh;
use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Whether a point in the mesh's frame is inside or on the surface; never if the mesh is not closed.
pub(super) fn contains(mesh: &TriangleMesh, point: DVec3) -> bool {
    let around = mesh.tree().bounds();
    let is_near = point.cmpge(around.min.as_dvec3()).all() && point.cmple(around.max.as_dvec3()).all();
    if !is_near || !mesh.is_closed() {
        return false;
    }
    let bounds = Aabb::rounded_outward(point, DVec3::new(f64::INFINITY, point.y, point.z));
    let mut winding = 0;
    let mut is_on_surface = false;
    mesh.tree().visit_slots(&bounds, |slot| match crossed(slot.wide_corners(mesh.vertices()), point) {
        Crossed::Not => {}
        Crossed::Sense(sense) => winding += sense,
        Crossed::AtStart => is_on_surface = true,
    });
    is_on_surface || winding != 0
}

enum Crossed {
    Not,
    /// 1 if the half-line leaves through the outside, -1 if it enters there.
    Sense(i32),
    /// The point is on the triangle.
    AtStart,
}

fn crossed(corners: [DVec3; 3], point: DVec3) -> Crossed {
    let [a, b, c] = corners;
    let wide = |point: DVec3| Coord3D { x: point.x, y: point.y, z: point.z };
    // Positive below the triangle seen counter-clockwise from above.
    let below = orient3d(wide(a), wide(b), wide(c), wide(point));
    if below == 0.0 && triangle_triangle::of_wide(corners, [point; 3]).is_some() {
        return Crossed::AtStart;
    }
    // Seen against the half-line the triangle runs counter-clockwise if its outside looks along it; the point is behind
    // it then if it is below.
    let turn = edge_turn(a, b, point) + edge_turn(b, c, point) + edge_turn(c, a, point);
    if turn != 0 && (below > 0.0) == (turn > 0) { Crossed::Sense(turn) } else { Crossed::Not }
}

/// What an edge adds to the turns around the point in the plane of (y, z): it counts if it crosses the half-line from
/// the point along -z, by its sense.
fn edge_turn(from: DVec3, to: DVec3, point: DVec3) -> i32 {
    // The point is a little above its y: a corner at its height is below.
    let (is_from_above, is_to_above) = (from.y > point.y, to.y > point.y);
    if is_from_above == is_to_above {
        return 0;
    }
    let flat = |point: DVec3| Coord { x: point.y, y: point.z };
    let side = orient2d(flat(from), flat(to), flat(point));
    // On the edge, the point is a little to the greater z: to the left of an edge that goes up.
    let is_left = if side == 0.0 { is_to_above } else { side > 0.0 };
    match (is_to_above, is_left) {
        (true, true) => 1,
        (false, false) => -1,
        (true, false) | (false, true) => 0,
    }
}

/// Which of two meshes, whose surfaces do not cross, is inside the other, and a point of both in the frame of the first. A
/// connected piece is wholly inside or wholly outside, so one vertex of each tells.
pub(super) fn nested(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Option<(MeshOverlap, DVec3)> {
    if let Some(point) = vertex_inside(b, a, b_in_a) {
        return Some((MeshOverlap::BInsideA, point));
    }
    let point = vertex_inside(a, b, &b_in_a.inverse())?;
    Some((MeshOverlap::AInsideB, b_in_a.point_to_outer(point)))
}

/// A vertex of a connected piece of `inner`, placed in the frame of `outer`, that is inside it.
fn vertex_inside(inner: &TriangleMesh, outer: &TriangleMesh, inner_in_outer: &Placement) -> Option<DVec3> {
    if !outer.is_closed() {
        return None;
    }
    let places = inner.pieces().iter().map(|&vertex| inner.vertices()[vertex as usize].as_dvec3());
    places.map(|place| inner_in_outer.point_to_outer(place)).find(|point| contains(outer, *point))
}
