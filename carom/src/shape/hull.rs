//! Convex polytopes: faces, edges and neighbours of the convex hull of a point cloud (S4), and its support map (S2).

mod border;
mod cloud;
mod cull;
mod merge;
mod polytope;
mod quickhull;
mod support;

use super::{FlatExtent, ShapeError, ShapeKind, SupportMap};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// How often at most a hull is computed anew from its own vertices; one or two are enough in practice.
const SETTLING_ROUNDS: u32 = 8;

/// A convex polytope with polygonal faces.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<Vec3>,
    /// `face_corners[face_starts[f]..face_starts[f + 1]]` are the corners of face `f`, counter-clockwise from outside.
    face_starts: Vec<u32>,
    face_corners: Vec<u32>,
    planes: Vec<FacePlane>,
    edges: Vec<HullEdge>,
    /// `neighbours[neighbour_starts[v]..neighbour_starts[v + 1]]` are the neighbours of `v` in the triangulation; those
    /// before `diagonal_starts[v]` share an edge with it, the others are across a face.
    neighbour_starts: Vec<u32>,
    diagonal_starts: Vec<u32>,
    neighbours: Vec<u32>,
    support: support::SupportIndex,
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
    /// The convex hull of a point cloud, in any order and with any duplicates.
    ///
    /// Coordinates are taken to be right to 4 f32 epsilon of the largest along their axis. Triangles that are coplanar to
    /// that accuracy become one polygonal face, and points within it of a face or an edge are left out, so a rotated cube
    /// has six faces and eight vertices whatever points on its surface are given with it. Vertices keep the order of the
    /// input.
    ///
    /// ```
    /// use carom::shape::ConvexHull;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
    /// let hull = ConvexHull::new(&corners.map(Into::into))?;
    /// assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (4, 6, 4));
    /// # Ok::<(), carom::shape::ShapeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ShapeError::TooFewPoints`] for fewer than four points, [`ShapeError::FlatHull`] if they span no volume,
    /// [`ShapeError::VertexNotFinite`] and [`ShapeError::TooMany`].
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        check(points)?;
        Self::of_cloud(points).map_err(|extent| ShapeError::FlatHull { count: points.len(), extent })
    }

    /// The hull of points, computed anew from its own vertices for as long as merging faces left some of them out: so
    /// that it is the exact hull of its vertices, and comes out the same when it is read back from a file.
    fn of_cloud(points: &[Vec3]) -> Result<Self, FlatExtent> {
        let outer = cull::possible_vertices(points);
        let (mut hull, mut is_settled) = Self::of_points(outer.as_deref().unwrap_or(points))?;
        for _ in 0..SETTLING_ROUNDS {
            if is_settled {
                break;
            }
            let Ok(again) = Self::of_points(&hull.vertices) else { break };
            (hull, is_settled) = again;
        }
        support::prepare(&mut hull, is_settled);
        Ok(hull)
    }

    /// The hull of points, and whether all vertices of the exact hull are vertices of it.
    fn of_points(points: &[Vec3]) -> Result<(Self, bool), FlatExtent> {
        let scale = cloud::scale_of(points);
        let scaled: Vec<DVec3> = points.iter().map(|point| point.as_dvec3() * scale).collect();
        let triangles = quickhull::triangulate(&scaled)?;
        let hull = polytope::assemble(points, &triangles, &merge::merge(&scaled, &triangles));
        // By Euler's formula a closed surface of 2n − 4 triangles has n vertices.
        let is_settled = triangles.corners.len() == 2 * hull.vertices.len() - 4;
        Ok((hull, is_settled))
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
        &self.neighbours[self.neighbour_starts[vertex] as usize..self.diagonal_starts[vertex] as usize]
    }

    fn triangulated_neighbours(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbours[self.neighbour_starts[vertex] as usize..self.neighbour_starts[vertex + 1] as usize]
    }
}

fn check(points: &[Vec3]) -> Result<(), ShapeError> {
    super::error::finite_vertices(ShapeKind::Hull, points)?;
    let (count, limit) = (points.len(), u32::MAX as usize / 4);
    if count < 4 {
        return Err(ShapeError::TooFewPoints { count });
    }
    if count > limit {
        return Err(ShapeError::TooMany { shape: ShapeKind::Hull, what: "points", count, limit });
    }
    Ok(())
}

impl SupportMap for ConvexHull {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.vertices[self.support_vertex(direction, u32::MAX) as usize]
    }
}

impl SupportMap for Arc<ConvexHull> {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.as_ref().support(direction)
    }
}
