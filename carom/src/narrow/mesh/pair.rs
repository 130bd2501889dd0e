//! Two surfaces of triangles (N3).
//!
//! Two closed meshes are solids. How deep they are in each other, and which way leads out, is what
//! [`crate::query::mesh::penetration`] finds; the points are the vertices of one that are inside the other, each as deep as
//! it must travel that way to the surface, and where no vertex is inside, the ends of the segments along which triangles
//! cross. A mesh wholly inside another has vertices inside, and is pushed out. In all other pairs the triangles of one
//! surface touch the other one by one, as convex shapes do.

use super::surface::{Surface, moved_bounds};
use super::{ContactBuffer, Reach, Touch, touch_surface};
use crate::distance::convex::{Convex, Core};
use crate::distance::placement::Placement;
use crate::narrow::{ContactError, Feature, FeatureKind};
use crate::query::mesh as meshes;
use crate::shape::TriangleMesh;
use glam::DVec3;
use std::ops::ControlFlow;

/// Replaces the touches in the buffer by those of two closed meshes, in the frame of the second.
pub(super) fn touch_solids(
    a: &TriangleMesh,
    b: &TriangleMesh,
    a_in_b: &Placement,
    margin: f64,
    buffer: &mut ContactBuffer,
) -> Result<(), ContactError> {
    buffer.touches.clear();
    let touches = &mut buffer.touches;
    let Some(way) = meshes::way_out(b, a, a_in_b) else {
        return near(a, b, a_in_b, margin, touches);
    };
    // The first must go along the way out; the normal leads from it to the second.
    let (normal, depth) = (-way.normalize_or(DVec3::Y), way.length());
    let b_in_a = a_in_b.inverse();
    let normal_in_a = b_in_a.direction_to_outer(normal);
    for (index, vertex) in (0u32..).zip(b.vertices()) {
        let place = vertex.as_dvec3();
        let in_a = b_in_a.point_to_outer(place);
        if let Some((triangle, depth)) = exit(a, in_a, normal_in_a, depth) {
            let features = [Feature::face(triangle), Feature::vertex(index)];
            touches.push(Touch { normal, point: place + normal * (0.5 * depth), depth, features, triangle });
        }
    }
    for (index, vertex) in (0u32..).zip(a.vertices()) {
        let place = a_in_b.point_to_outer(vertex.as_dvec3());
        if let Some((triangle, depth)) = exit(b, place, -normal, depth) {
            let features = [Feature::vertex(index), Feature::face(triangle)];
            touches.push(Touch { normal, point: place - normal * (0.5 * depth), depth, features, triangle: 0 });
        }
    }
    if touches.is_empty() {
        meshes::visit_crossings(b, a, a_in_b, |crossing| {
            let features = [Feature::face(crossing.triangle_b), Feature::face(crossing.triangle_a)];
            for point in crossing.segment {
                touches.push(Touch { normal, point, depth, features, triangle: crossing.triangle_b });
            }
            ControlFlow::Continue(())
        });
    }
    Ok(())
}

/// The triangle through which a point inside a solid leaves it along a direction, and how far it is; at most `most`.
fn exit(solid: &TriangleMesh, point: DVec3, direction: DVec3, most: f64) -> Option<(u32, f64)> {
    let bounds = solid.tree().bounds();
    let is_near = point.cmpge(bounds.min.as_dvec3()).all() && point.cmple(bounds.max.as_dvec3()).all();
    if !is_near || !meshes::contains_point(solid, point) {
        return None;
    }
    // A little beyond: the way out ends where the solids are found apart.
    meshes::first_triangle(solid, point, direction, most * (1.0 + 1e-3))
}

/// The nearest points of two meshes that are apart by no more than the margin.
fn near(
    a: &TriangleMesh,
    b: &TriangleMesh,
    a_in_b: &Placement,
    margin: f64,
    touches: &mut Vec<Touch>,
) -> Result<(), ContactError> {
    if margin == 0.0 {
        return Ok(());
    }
    if let Some(found) = meshes::surface_separation(b, a, a_in_b, margin)? {
        // From the second, whose frame this is, to the first.
        let gap = found.on_a - found.on_b;
        if let Some(normal) = gap.try_normalize()
            && gap.length() <= margin
        {
            let point = 0.5 * (found.on_a + found.on_b);
            touches.push(Touch { normal, point, depth: -gap.length(), features: [Feature::SURFACE; 2], triangle: 0 });
        }
    }
    Ok(())
}

/// Replaces the touches in the buffer by those of the triangles of `other` with the surface, in the frame of `other`.
pub(super) fn touch_triangles(
    surface: &Surface<'_>,
    other: &Surface<'_>,
    surface_in_other: &Placement,
    margin: f64,
    buffer: &mut ContactBuffer,
) -> Result<(), ContactError> {
    let mut all = std::mem::take(&mut buffer.gathered);
    let mut triangles = std::mem::take(&mut buffer.triangles);
    all.clear();
    triangles.clear();
    let reach = moved_bounds(&surface.bounds(), surface_in_other, margin);
    other.visit(&reach, |triangle| triangles.push(triangle));
    for &triangle in &triangles {
        let corners = other.corners(triangle);
        let convex = Convex { core: Core::Triangle(corners), radius: 0.0 };
        touch_surface(surface, &convex, surface_in_other, Reach { margin, beyond: 0.0 }, buffer)?;
        let vertices = other.vertices(triangle);
        let named = |feature: Feature| {
            let index = feature.index() as usize % 3;
            match feature.kind() {
                FeatureKind::Surface | FeatureKind::Face => Feature::face(triangle),
                FeatureKind::Vertex => Feature::vertex(vertices[index]),
                FeatureKind::Edge => Feature::edge(triangle.wrapping_mul(3).wrapping_add(index as u32)),
            }
        };
        all.extend(buffer.touches.iter().map(|touch| {
            let [of_surface, of_other] = touch.features;
            Touch { features: [of_surface, named(of_other)], ..*touch }
        }));
    }
    buffer.gathered = std::mem::replace(&mut buffer.touches, all);
    buffer.triangles = triangles;
    Ok(())
}
