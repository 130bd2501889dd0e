//! A half-space against a surface of triangles: the corners below the plane.

use super::surface::Surface;
use super::{ContactBuffer, Touch};
use crate::distance::placement::Placement;
use crate::narrow::Feature;
use glam::DVec3;

/// Replaces the touches in the buffer by those of everything below a plane through the origin and a surface in its frame.
pub(super) fn touch(
    normal: DVec3,
    surface: &Surface<'_>,
    surface_in_shape: &Placement,
    margin: f64,
    buffer: &mut ContactBuffer,
) {
    buffer.touches.clear();
    let bounds = surface.bounds();
    let (center, half) = (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3());
    let up = surface_in_shape.direction_to_inner(normal);
    let shift = normal.dot(surface_in_shape.position);
    if up.dot(center) - up.abs().dot(half) + shift > margin + 1e-6 * (center.length() + half.length()) {
        return;
    }
    for triangle in 0..surface.count() {
        let (corners, vertices) = (surface.corners(triangle), surface.vertices(triangle));
        for (corner, vertex) in corners.into_iter().zip(vertices) {
            let depth = -(up.dot(corner) + shift);
            if depth >= -margin {
                let point = surface_in_shape.point_to_outer(corner) + normal * (0.5 * depth);
                let features = [Feature::vertex(vertex), Feature::face(0)];
                buffer.touches.push(Touch { normal: -normal, point, depth, features, triangle });
            }
        }
    }
}
