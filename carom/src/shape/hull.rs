//! Convex polytopes: faces, edges and neighbours of the convex hull of a point cloud (S4), and its support map (S2).

mod cloud;
mod merge;
mod polytope;
mod quickhull;

use super::{FlatExtent, ShapeError, ShapeKind, SupportMap};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// How often the hull is computed anew without the vertices that merging faces has made redundant.
const MERGE_ROUNDS: u32 = 8;

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

    fn of_cloud(points: &[Vec3]) -> Result<Self, FlatExtent> {
        let scale = cloud::scale_of(points);
        let mut surface = Surface::around(points.to_vec(), scale)?;
        for _ in 0..MERGE_ROUNDS {
            if surface.is_sound() {
                break;
            }
            match Surface::around(surface.corner_points(), scale) {
                Ok(without_redundant) => surface = without_redundant,
                Err(_) => break,
            }
        }
        Ok(surface.into_polytope())
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

/// A triangulated hull on its way to a polytope.
struct Surface {
    points: Vec<Vec3>,
    triangles: quickhull::Triangulation,
    faces: merge::Faces,
    /// Whether each point is a corner of three faces or more.
    is_corner: Vec<bool>,
}

impl Surface {
    fn around(points: Vec<Vec3>, scale: DVec3) -> Result<Self, FlatExtent> {
        let scaled: Vec<DVec3> = points.iter().map(|point| point.as_dvec3() * scale).collect();
        let triangles = quickhull::triangulate(&scaled, cloud::ROUNDING)?;
        let faces = merge::merge(&scaled, &triangles);
        let is_corner = merge::corners_of_three(points.len(), &triangles, &faces);
        Ok(Self { points, triangles, faces, is_corner })
    }

    /// Whether every vertex is a corner of three faces or more.
    fn is_sound(&self) -> bool {
        self.triangles.corners.iter().flatten().all(|&corner| self.is_corner[corner as usize])
    }

    fn corner_points(&self) -> Vec<Vec3> {
        self.points.iter().zip(&self.is_corner).filter(|(_, is_corner)| **is_corner).map(|(&point, _)| point).collect()
    }

    fn into_polytope(mut self) -> ConvexHull {
        if !self.is_sound() {
            merge::take_apart(&self.triangles, &mut self.faces, &self.is_corner);
        }
        polytope::assemble(&self.points, &self.triangles, &self.faces)
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
        self.vertices.iter().copied().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))).unwrap_or_default()
    }
}

impl SupportMap for Arc<ConvexHull> {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.as_ref().support(direction)
    }
}
