//! What the search for a separating axis of two hulls needs to know beforehand: a ball inside, and how far faces turn
//! at each edge.

use super::ConvexHull;
use glam::{DVec3, Vec3};

/// A ball inside a hull.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct InnerBall {
    pub(crate) center: Vec3,
    pub(crate) radius: f32,
}

/// See [`prepare`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct AxisIndex {
    inner: InnerBall,
    outer_radius: f64,
    arc_cosines: Vec<f32>,
}

impl ConvexHull {
    /// A ball inside the hull, around the mean of the vertices.
    pub(crate) fn inner_ball(&self) -> InnerBall {
        self.axes.inner
    }

    /// How far a vertex is from the origin, at the most.
    pub(crate) fn outer_radius(&self) -> f64 {
        self.axes.outer_radius
    }

    /// For each edge, the cosine of half the angle between the normals of its faces; a little too small, if anything.
    pub(crate) fn arc_cosines(&self) -> &[f32] {
        &self.axes.arc_cosines
    }
}

/// Fills in the index of a hull that is otherwise complete.
pub(super) fn prepare(hull: &mut ConvexHull) {
    let sum: DVec3 = hull.vertices.iter().map(|vertex| vertex.as_dvec3()).sum();
    let center = (sum / hull.vertices.len().max(1) as f64).as_vec3();
    let below = |plane: &super::FacePlane| f64::from(plane.offset) - plane.normal.as_dvec3().dot(center.as_dvec3());
    let radius = hull.planes.iter().map(below).fold(f64::INFINITY, f64::min);
    let radius = if radius.is_finite() { (radius * (1.0 - 1e-6)).max(0.0) as f32 } else { 0.0 };
    let cosine = |edge: &super::HullEdge| {
        let [left, right] = edge.faces.map(|face| hull.planes[face as usize].normal.as_dvec3());
        (0.5 * (1.0 + left.dot(right)) - 1e-6).max(0.0).sqrt() as f32
    };
    let arc_cosines = hull.edges.iter().map(cosine).collect();
    let outer_radius = hull.vertices.iter().map(|vertex| vertex.as_dvec3().length()).fold(0.0, f64::max);
    hull.axes = AxisIndex { inner: InnerBall { center, radius }, outer_radius, arc_cosines };
}
