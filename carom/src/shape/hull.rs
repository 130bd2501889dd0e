//! Convex polytopes: faces, edges and neighbours of the convex hull of a point cloud (S4), and its support map (S2).

use super::{ShapeError, ShapeKind, SupportMap};
use glam::Vec3;
use std::sync::Arc;

/// A convex polytope with polygonal faces.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<Vec3>,
    /// `face_corners[face_starts[f]..face_starts[f + 1]]` are the corners of face `f`, counter-clockwise from outside.
    face_starts: Vec<u32>,
    face_corners: Vec<u32>,
    planes: Vec<FacePlane>,
    edges: Vec<HullEdge>,
    /// `neighbours[neighbour_starts[v]..neighbour_starts[v + 1]]` are the vertices that share an edge with `v`.
    neighbour_starts: Vec<u32>,
    neighbours: Vec<u32>,
}

/// The plane of a face: `normal · x = offset`, the solid below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacePlane {
    /// The outward unit normal.
    pub normal: Vec3,
    /// How far the plane is from the origin, along the normal.
    pub offset: f32,
}

/// An edge, listed once: from `vertices[0]` to `vertices[1]` it runs counter-clockwise around `faces[0]`, and the
/// other way around `faces[1]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HullEdge {
    /// The two end points.
    pub vertices: [u32; 2],
    /// The two faces that meet at the edge.
    pub faces: [u32; 2],
}

impl ConvexHull {
    /// The convex hull of a point cloud.
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        super::error::finite_vertices(ShapeKind::Hull, points)?;
        Err(ShapeError::TooFewPoints { count: points.len() })
    }

    /// The vertices, each a corner of at least three faces.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// How many faces there are.
    pub fn face_count(&self) -> usize {
        self.planes.len()
    }

    /// The corners of face `face`, counter-clockwise from outside.
    pub fn face_corners(&self, face: usize) -> &[u32] {
        &self.face_corners[self.face_starts[face] as usize..self.face_starts[face + 1] as usize]
    }

    /// The planes of the faces.
    pub fn planes(&self) -> &[FacePlane] {
        &self.planes
    }

    /// The edges, each once.
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The vertices that share an edge with `vertex`.
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.neighbour_starts[vertex] as usize..self.neighbour_starts[vertex + 1] as usize]
    }
}

impl SupportMap for ConvexHull {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.vertices.iter().copied().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))).unwrap_or_default()
    }
}

impl SupportMap for Arc<ConvexHull> {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.as_ref().support(direction)
    }
}
