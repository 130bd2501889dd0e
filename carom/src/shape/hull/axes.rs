//! What the search for a separating axis of two hulls needs to know beforehand: balls inside and around, how far faces
//! turn at each edge, and which edges a face has.

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
    outer_from_center: f32,
    outer_radius: f64,
    least_cosine: f32,
    arc_cosines: Vec<f32>,
    face_edges: Vec<u32>,
}

impl AxisIndex {
    /// The edge that leads from each of the faces' corners to the next.
    pub(super) fn face_edges(&self) -> &[u32] {
        &self.face_edges
    }
}

impl ConvexHull {
    /// A ball inside the hull, around the mean of the vertices.
    pub(crate) fn inner_ball(&self) -> InnerBall {
        self.axes.inner
    }

    /// How far a vertex is from the middle of the inner ball, at the most; a little too much, if anything.
    pub(crate) fn outer_from_center(&self) -> f32 {
        self.axes.outer_from_center
    }

    /// How far a vertex is from the origin, at the most.
    pub(crate) fn outer_radius(&self) -> f64 {
        self.axes.outer_radius
    }

    /// For each edge, the cosine of half the angle between the normals of its faces; a little too small, if anything.
    pub(crate) fn arc_cosines(&self) -> &[f32] {
        &self.axes.arc_cosines
    }

    /// The least of [`ConvexHull::arc_cosines`].
    pub(crate) fn least_cosine(&self) -> f32 {
        self.axes.least_cosine
    }
}

/// Fills in the index of a hull that is otherwise complete.
pub(super) fn prepare(hull: &mut ConvexHull) {
    let sum: DVec3 = hull.vertices.iter().map(|vertex| vertex.as_dvec3()).sum();
    let center = (sum / hull.vertices.len().max(1) as f64).as_vec3();
    let below = |plane: &super::FacePlane| f64::from(plane.offset) - plane.normal.as_dvec3().dot(center.as_dvec3());
    let inner = hull.planes.iter().map(below).fold(f64::INFINITY, f64::min);
    let inner = if inner.is_finite() { (inner * (1.0 - 1e-6)).max(0.0) as f32 } else { 0.0 };
    let from_center = |vertex: &Vec3| vertex.as_dvec3().distance(center.as_dvec3());
    let outer = hull.vertices.iter().map(from_center).fold(0.0, f64::max) * (1.0 + 1e-6);
    let cosine = |edge: &super::HullEdge| {
        let [left, right] = edge.faces.map(|face| hull.planes[face as usize].normal.as_dvec3());
        (0.5 * (1.0 + left.dot(right)) - 1e-6).max(0.0).sqrt() as f32
    };
    let arc_cosines: Vec<f32> = hull.edges.iter().map(cosine).collect();
    hull.axes = AxisIndex {
        inner: InnerBall { center, radius: inner },
        outer_from_center: outer as f32,
        outer_radius: hull.vertices.iter().map(|vertex| vertex.as_dvec3().length()).fold(0.0, f64::max),
        least_cosine: arc_cosines.iter().copied().fold(1.0, f32::min),
        face_edges: face_edges(hull),
        arc_cosines,
    };
}

/// The edge from each corner of each face to the next. It is looked for at the end that has fewer edges, which takes
/// linear time on the whole even if some vertices have very many: the graph is planar (Chiba, Nishizeki 1985,
/// doi:10.1137/0214017).
fn face_edges(hull: &ConvexHull) -> Vec<u32> {
    let mut edges = Vec::with_capacity(hull.face_corners.len());
    for face in 0..hull.planes.len() {
        let corners = hull.face_corners(face);
        for (index, &from) in corners.iter().enumerate() {
            let to = corners[if index + 1 < corners.len() { index + 1 } else { 0 }];
            let is_from_less = hull.edges_at(from).len() <= hull.edges_at(to).len();
            edges.push(if is_from_less { hull.edge_between(from, to) } else { hull.edge_between(to, from) });
        }
    }
    edges
}
