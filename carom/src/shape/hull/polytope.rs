//! The arrays of a [`ConvexHull`] from its triangulation and the faces that the triangles make up.

use super::merge::Faces;
use super::quickhull::Triangulation;
use super::{ConvexHull, FacePlane, HullEdge};
use glam::{DVec3, Vec3};

const NONE: u32 = u32::MAX;

/// Numbers the vertices in the order of `points` and collects faces, planes, edges and neighbours. Every point of the
/// triangulation must be a corner of three faces or more.
pub(super) fn assemble(points: &[Vec3], hull: &Triangulation, faces: &Faces) -> ConvexHull {
    let mut number = vec![NONE; points.len()];
    for &corner in hull.corners.iter().flatten() {
        number[corner as usize] = 0;
    }
    let mut vertices = Vec::new();
    for (number, &point) in number.iter_mut().zip(points).filter(|(number, _)| **number != NONE) {
        *number = vertices.len() as u32;
        vertices.push(point);
    }
    let (face_starts, face_corners, edges) = polygons(hull, faces, &number);
    let planes = face_starts
        .windows(2)
        .map(|range| plane(&vertices, &face_corners[range[0] as usize..range[1] as usize]))
        .collect();
    let (neighbour_starts, neighbours) = neighbours(vertices.len(), &edges);
    ConvexHull { vertices, face_starts, face_corners, planes, edges, neighbour_starts, neighbours }
}

/// An edge of a triangle on the border of its face: it starts at corner `edge` of `triangle`.
#[derive(Debug, Clone, Copy)]
struct BorderEdge {
    triangle: u32,
    edge: u32,
}

/// The corners of the faces, in compressed rows, and the edges between faces.
fn polygons(hull: &Triangulation, faces: &Faces, number: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<HullEdge>) {
    let mut first = vec![BorderEdge { triangle: NONE, edge: 0 }; faces.count];
    let mut edges = Vec::new();
    let mut corner_count = 0;
    for (triangle, &face) in faces.of_triangle.iter().enumerate() {
        for edge in 0..3 {
            let other = faces.of_triangle[hull.neighbours[triangle][edge] as usize];
            if other == face {
                continue;
            }
            corner_count += 1;
            first[face as usize] = BorderEdge { triangle: triangle as u32, edge: edge as u32 };
            let vertices = [edge, (edge + 1) % 3].map(|i| number[hull.corners[triangle][i] as usize]);
            if vertices[0] < vertices[1] {
                edges.push(HullEdge { vertices, faces: [face, other] });
            }
        }
    }
    let mut starts = Vec::with_capacity(faces.count + 1);
    let mut corners = Vec::with_capacity(corner_count);
    starts.push(0);
    for start in first {
        let mut at = start;
        loop {
            corners.push(number[hull.corners[at.triangle as usize][at.edge as usize] as usize]);
            at = next_on_border(hull, faces, at);
            if (at.triangle, at.edge) == (start.triangle, start.edge) || corners.len() >= corner_count {
                break;
            }
        }
        starts.push(corners.len() as u32);
    }
    (starts, corners, edges)
}

/// The border edge that starts where `at` ends, found by turning around that point through the triangles of the face.
fn next_on_border(hull: &Triangulation, faces: &Faces, at: BorderEdge) -> BorderEdge {
    let face = faces.of_triangle[at.triangle as usize];
    let mut triangle = at.triangle as usize;
    let mut edge = (at.edge as usize + 1) % 3;
    loop {
        let pivot = hull.corners[triangle][edge];
        let beyond = hull.neighbours[triangle][edge] as usize;
        if faces.of_triangle[beyond] != face {
            return BorderEdge { triangle: triangle as u32, edge: edge as u32 };
        }
        triangle = beyond;
        edge = hull.corners[beyond].iter().position(|&corner| corner == pivot).unwrap_or(0);
    }
}

/// The plane of a polygon: Newell's normal, touching the outermost corner.
fn plane(vertices: &[Vec3], corners: &[u32]) -> FacePlane {
    let position = |corner: u32| vertices[corner as usize].as_dvec3();
    let base = corners.first().map_or(DVec3::ZERO, |&corner| position(corner));
    let spans = corners.windows(2).map(|pair| (position(pair[0]) - base).cross(position(pair[1]) - base));
    let area = spans.sum::<DVec3>();
    // Scaled first: the square of an area of order 1e-80 or 1e+80 is out of range.
    let normal = (area / area.abs().max_element()).normalize().as_vec3();
    let offset = corners.iter().map(|&corner| normal.as_dvec3().dot(position(corner))).fold(f64::MIN, f64::max);
    FacePlane { normal, offset: offset as f32 }
}

/// The vertices at the other end of each vertex's edges, in compressed rows.
fn neighbours(vertex_count: usize, edges: &[HullEdge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; vertex_count + 1];
    for vertex in edges.iter().flat_map(|edge| edge.vertices) {
        starts[vertex as usize + 1] += 1;
    }
    for vertex in 0..vertex_count {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut neighbours = vec![0; edges.len() * 2];
    for edge in edges {
        for [from, to] in [edge.vertices, [edge.vertices[1], edge.vertices[0]]] {
            neighbours[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
    }
    (starts, neighbours)
}
