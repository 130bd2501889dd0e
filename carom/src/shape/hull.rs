//! Convex polytopes: faces, edges and neighbours of the convex hull of a point cloud (S4), and its support map (S2).

mod axes;
mod border;
mod cloud;
mod cull;
pub(crate) mod lanes;
mod merge;
mod needle;
mod polytope;
mod quickhull;
mod support;

pub use support::SupportMethod;

use super::{FlatExtent, ShapeError, ShapeKind, SupportMap};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// Hulls are computed anew without redundant points until there are none, or until they have taken this many points and
/// four times those of the first one. One or two rounds are usual; clouds as thin as rounding is wide take ten.
const SETTLING_WORK: usize = 100_000;

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
    /// The edge, or the diagonal counted on from the edges, that leads to each of `neighbours`.
    neighbour_edges: Vec<u32>,
    support: support::SupportIndex,
    axes: axes::AxisIndex,
    lanes: lanes::HullLanes,
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
    /// The hull is first computed exactly. Then coordinates are taken to be right to about 4 f32 epsilon of the largest
    /// along their axis: triangles that are coplanar to that accuracy become one polygonal face, and vertices within it
    /// of a face or an edge are left out, so a rotated cube has six faces and eight vertices whatever points on its surface
    /// come with it. No point of the input is above a face with normal `n` by more than 32 epsilon · Σ |nᵢ|·max |xᵢ|.
    /// Vertices keep the order of the input, and the hull of a hull's vertices is the same hull.
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
    /// [`ShapeError::VertexNotFinite`], [`ShapeError::TooMany`], and [`ShapeError::NotFinite`] if the plane of a face is
    /// farther away than f32 can say.
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        check(points)?;
        let flat = |extent| ShapeError::FlatHull { count: points.len(), extent };
        let hull = Self::of_cloud(points).map_err(flat)?;
        for plane in &hull.planes {
            super::error::finite(ShapeKind::Hull, "distance of a face from the origin", plane.offset)?;
        }
        Ok(hull)
    }

    /// The convex hull reduced to at most `max_vertices` vertices, and how far a point of the input is above a face of it
    /// at most, beyond rounding; zero if nothing had to be reduced.
    ///
    /// The vertices are chosen from those of the full hull: four extreme ones, then always the one that is farthest out of
    /// the hull of those before it.
    ///
    /// ```
    /// use carom::shape::ConvexHull;
    ///
    /// let rim = |i: i32| (i as f32 * 0.1).sin_cos();
    /// let points: Vec<_> = (0..126).map(|i| [rim(i / 2).0, rim(i / 2).1, (i % 2) as f32].into()).collect();
    /// let (hull, sticking_out) = ConvexHull::with_budget(&points, 24)?;
    /// assert!(hull.vertices().len() <= 24 && sticking_out < 0.1);
    /// # Ok::<(), carom::shape::ShapeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`ConvexHull::new`], and [`ShapeError::BudgetTooSmall`] for fewer than four vertices.
    pub fn with_budget(points: &[Vec3], max_vertices: usize) -> Result<(Self, f32), ShapeError> {
        if max_vertices < 4 {
            return Err(ShapeError::BudgetTooSmall { budget: max_vertices });
        }
        let full = Self::new(points)?;
        if full.vertices.len() <= max_vertices {
            return Ok((full, 0.0));
        }
        let reduced =
            full.reduced(max_vertices).map_err(|extent| ShapeError::FlatHull { count: points.len(), extent })?;
        let sticking_out = |plane: &FacePlane| {
            let farthest = full.support(plane.normal).as_dvec3();
            plane.normal.as_dvec3().dot(farthest) - f64::from(plane.offset)
        };
        let most = reduced.planes.iter().map(sticking_out).fold(0.0, f64::max);
        Ok((reduced, (most as f32).next_up()))
    }

    fn reduced(&self, max_vertices: usize) -> Result<Self, FlatExtent> {
        let scale = cloud::scale_of(&self.vertices);
        let scaled: Vec<DVec3> = self.vertices.iter().map(|vertex| vertex.as_dvec3() * scale).collect();
        let mut chosen = quickhull::farthest_first(&scaled, max_vertices, scale)?;
        chosen.sort_unstable();
        let points: Vec<Vec3> = chosen.iter().map(|&vertex| self.vertices[vertex as usize]).collect();
        Self::of_cloud(&points)
    }

    fn of_cloud(points: &[Vec3]) -> Result<Self, FlatExtent> {
        let mut surface = match cull::possible_vertices(points) {
            Some(outer) => Surface::around(outer)?,
            None => Surface::around(points.to_vec())?,
        };
        // So that it is the exact hull of its vertices, and comes out the same when they are read back from a file.
        let mut is_settled = false;
        let mut work = SETTLING_WORK + 4 * surface.points.len();
        while work > surface.points.len() {
            work -= surface.points.len();
            let Some(kept) = surface.without_redundant_points() else {
                is_settled = true;
                break;
            };
            surface = Surface::around(kept)?;
        }
        let mut hull = polytope::assemble(&surface.points, &surface.triangles, &surface.faces);
        support::prepare(&mut hull, is_settled);
        axes::prepare(&mut hull);
        lanes::prepare(&mut hull);
        Ok(hull)
    }

    /// The planes of the triangles of the exact hull, as outward unit normals and offsets: all that is needed to tell
    /// whether a point is inside, and quicker than a polytope. None if the points span no volume.
    pub(crate) fn triangle_planes(points: &[Vec3]) -> Option<Vec<(Vec3, f32)>> {
        let scale = cloud::scale_of(points);
        let scaled: Vec<DVec3> = points.iter().map(|point| point.as_dvec3() * scale).collect();
        let triangles = quickhull::triangulate(&scaled).ok()?;
        let unit = |plane: &quickhull::Plane| {
            let normal = plane.normal * scale;
            let length = normal.length();
            ((normal / length).as_vec3(), (plane.offset / length) as f32)
        };
        Some(triangles.planes.iter().map(unit).collect())
    }

    /// The vertices, each a corner of at least three faces.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// How many faces there are.
    pub fn face_count(&self) -> usize {
        self.planes.len()
    }

    /// The corners of face `face`, counter-clockwise from outside.
    ///
    /// # Panics
    ///
    /// If `face` is not below [`ConvexHull::face_count`].
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
    ///
    /// # Panics
    ///
    /// If `vertex` is not an index of [`ConvexHull::vertices`].
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.neighbour_starts[vertex] as usize..self.diagonal_starts[vertex] as usize]
    }

    /// The edges at `vertex`, in the order of its neighbours; none if there is no such vertex.
    pub(crate) fn edges_at(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        let (Some(&from), Some(&to)) = (self.neighbour_starts.get(vertex), self.diagonal_starts.get(vertex)) else {
            return &[];
        };
        &self.neighbour_edges[from as usize..to as usize]
    }

    /// The edge between two neighbouring vertices; a number that is no edge if they are not neighbours.
    pub(crate) fn edge_between(&self, from: u32, to: u32) -> u32 {
        let at = self.edges_at(from);
        let leads_there = |&&edge: &&u32| self.edges[edge as usize].vertices.contains(&to);
        at.iter().find(leads_there).copied().unwrap_or(u32::MAX)
    }

    /// The edges of face `face`: each leads from the corner of the same place to the next.
    pub(crate) fn face_edges(&self, face: u32) -> &[u32] {
        let (from, to) = (self.face_starts[face as usize], self.face_starts[face as usize + 1]);
        &self.axes.face_edges()[from as usize..to as usize]
    }

    /// The outward normal of a face from all its corners, in f64 and as long as twice the face's area.
    pub(crate) fn doubled_face_area(&self, face: usize) -> DVec3 {
        doubled_area(self.face_corners(face).iter().map(|&corner| self.vertices[corner as usize].as_dvec3()))
    }

    fn triangulated_neighbours(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbours[self.neighbour_starts[vertex] as usize..self.neighbour_starts[vertex + 1] as usize]
    }
}

/// The normal of a polygon, as long as twice its area: the sum over a fan of triangles, in which corners that rounding has
/// moved off their plane all have a say.
pub(crate) fn doubled_area(corners: impl IntoIterator<Item = DVec3>) -> DVec3 {
    let mut corners = corners.into_iter();
    let Some(base) = corners.next() else { return DVec3::ZERO };
    let (mut doubled, mut last) = (DVec3::ZERO, DVec3::ZERO);
    for corner in corners {
        let next = corner - base;
        doubled += last.cross(next);
        last = next;
    }
    doubled
}

/// The exact hull of points, and the faces that its triangles make up.
struct Surface {
    points: Vec<Vec3>,
    scaled: Vec<DVec3>,
    triangles: quickhull::Triangulation,
    faces: merge::Faces,
}

impl Surface {
    fn around(points: Vec<Vec3>) -> Result<Self, FlatExtent> {
        let scale = cloud::scale_of(&points);
        let scaled: Vec<DVec3> = points.iter().map(|point| point.as_dvec3() * scale).collect();
        let triangles = quickhull::triangulate(&scaled)?;
        let faces = merge::merge(&scaled, &triangles);
        Ok(Self { points, scaled, triangles, faces })
    }

    /// The vertices without those that lie within rounding of a face or an edge; none if there are no such, and if the
    /// hull of the vertices is sure to come out the same.
    fn without_redundant_points(&self) -> Option<Vec<Vec3>> {
        let kept = |is_kept: &[bool]| {
            Some(self.points.iter().zip(is_kept).filter(|(_, is_kept)| **is_kept).map(|(&point, _)| point).collect())
        };
        if self.faces.is_plain {
            return None;
        }
        let corners = &self.faces.is_corner;
        if self.triangles.corners.iter().flatten().any(|&point| !corners[point as usize]) {
            return kept(corners);
        }
        if let Some(is_kept) = needle::without_needles(&self.scaled, &self.triangles, corners) {
            return kept(&is_kept);
        }
        let is_merged = self.faces.count < self.triangles.corners.len();
        let has_inner_points = corners.contains(&false);
        if is_merged && has_inner_points && !self.triangles.is_unique(&self.scaled) { kept(corners) } else { None }
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
