//! The border of a face: the edges that its triangles share with triangles of other faces, in order.

use super::merge::Faces;
use super::quickhull::Triangulation;

/// An edge of a triangle on the border of its face; it starts at corner `edge` of `triangle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BorderEdge {
    pub(super) triangle: u32,
    pub(super) edge: u32,
}

impl BorderEdge {
    /// The point at which the edge starts.
    pub(super) fn start(self, hull: &Triangulation) -> u32 {
        hull.corners[self.triangle as usize][self.edge as usize]
    }

    /// The point at which the edge ends.
    pub(super) fn end(self, hull: &Triangulation) -> u32 {
        hull.corners[self.triangle as usize][(self.edge as usize + 1) % 3]
    }

    /// The face on the other side.
    pub(super) fn other_face(self, hull: &Triangulation, faces: &Faces) -> u32 {
        faces.of_triangle[hull.neighbours[self.triangle as usize][self.edge as usize] as usize]
    }

    /// The border edge that starts where this one ends, found by turning around that point through the face.
    pub(super) fn next(self, hull: &Triangulation, faces: &Faces) -> Self {
        let face = faces.of_triangle[self.triangle as usize];
        let mut triangle = self.triangle as usize;
        let mut edge = (self.edge as usize + 1) % 3;
        loop {
            let beyond = hull.neighbours[triangle][edge] as usize;
            if faces.of_triangle[beyond] != face {
                return Self { triangle: triangle as u32, edge: edge as u32 };
            }
            let pivot = hull.corners[triangle][edge];
            triangle = beyond;
            edge = hull.corners[beyond].iter().position(|&corner| corner == pivot).unwrap_or(0);
        }
    }

    /// The whole border, starting with this edge.
    pub(super) fn around<'a>(self, hull: &'a Triangulation, faces: &'a Faces) -> impl Iterator<Item = Self> + 'a {
        let mut next = Some(self);
        std::iter::from_fn(move || {
            let edge = next?;
            let after = edge.next(hull, faces);
            next = (after != self).then_some(after);
            Some(edge)
        })
    }
}

/// For each face a border edge that starts at a point which is a corner of three faces; none if it has no such point.
pub(super) fn first_edges(hull: &Triangulation, faces: &Faces) -> Vec<Option<BorderEdge>> {
    let mut first = vec![None; faces.count];
    for (triangle, &face) in faces.of_triangle.iter().enumerate() {
        for edge in 0..3 {
            let edge = BorderEdge { triangle: triangle as u32, edge };
            if faces.is_corner[edge.start(hull) as usize] && edge.other_face(hull, faces) != face {
                first[face as usize] = Some(edge);
            }
        }
    }
    first
}
