//! The arrays of a [`ConvexHull`] from its triangulation and the faces that the triangles make up.

use super::axes::AxisIndex;
use super::border::BorderEdge;
use super::lanes::HullLanes;
use super::merge::Faces;
use super::quickhull::Triangulation;
use super::support::SupportIndex;
use super::{ConvexHull, FacePlane, HullEdge};
use glam::{DVec3, Vec3};
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// Numbers the vertices in the order of `points` and collects faces, planes, edges and neighbours.
pub(super) fn assemble(points: &[Vec3], hull: &Triangulation, faces: &Faces) -> ConvexHull {
    let mut number = vec![NONE; points.len()];
    let mut vertices = Vec::new();
    for (number, &point) in number.iter_mut().zip(points).zip(&faces.is_corner).filter(|(_, is)| **is).map(|(n, _)| n) {
        *number = vertices.len() as u32;
        vertices.push(point);
    }
    let (face_starts, face_corners, edges) = polygons(hull, faces, &number);
    let planes = face_starts
        .windows(2)
        .map(|range| plane(&vertices, &face_corners[range[0] as usize..range[1] as usize]))
        .collect();
    let diagonals = diagonals(hull, faces, &number);
    let (neighbour_starts, diagonal_starts, neighbours, neighbour_edges) =
        neighbours(vertices.len(), &edges, &diagonals);
    ConvexHull {
        vertices,
        face_starts,
        face_corners,
        planes,
        edges,
        neighbour_starts,
        diagonal_starts,
        neighbours,
        neighbour_edges,
        support: SupportIndex::default(),
        axes: AxisIndex::default(),
        lanes: HullLanes::default(),
    }
}

/// A corner of a face, and the face beyond the edge that starts there.
#[derive(Debug, Clone, Copy)]
struct Corner {
    vertex: u32,
    other: u32,
}

/// The corners of the faces, in compressed rows, and the edges between faces. Faces start with their lowest vertex and
/// are sorted by it, then by the next, so that equal polytopes are equal to the bit.
fn polygons(hull: &Triangulation, faces: &Faces, number: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<HullEdge>) {
    let (rows, corners) = loops(hull, faces, number);
    let row = |face: u32| &corners[rows[face as usize].clone()];
    let order = sorted_by_first_vertices(&rows, &corners, number.len());
    let mut rank = vec![0; faces.count];
    for (position, &face) in order.iter().enumerate() {
        rank[face as usize] = position as u32;
    }
    let mut starts = Vec::with_capacity(faces.count + 1);
    let mut face_corners = Vec::with_capacity(corners.len());
    let mut edges = Vec::with_capacity(corners.len() / 2);
    starts.push(0);
    for (face, &old) in order.iter().enumerate() {
        let row = row(old);
        for (index, corner) in row.iter().enumerate() {
            let to = row[if index + 1 < row.len() { index + 1 } else { 0 }].vertex;
            if corner.vertex < to {
                let faces = [face as u32, rank[corner.other as usize]];
                edges.push(HullEdge { vertices: [corner.vertex, to], faces });
            }
            face_corners.push(corner.vertex);
        }
        starts.push(face_corners.len() as u32);
    }
    (starts, face_corners, edges)
}

/// The corners of each face in order, starting with the lowest vertex, and where in the list each face has them.
fn loops(hull: &Triangulation, faces: &Faces, number: &[u32]) -> (Vec<Range<usize>>, Vec<Corner>) {
    let mut rows = vec![0..0; faces.count];
    let mut corners: Vec<Corner> = Vec::with_capacity(3 * faces.count);
    for (triangle, &face) in faces.of_triangle.iter().enumerate() {
        if !rows[face as usize].is_empty() {
            continue;
        }
        let start = corners.len();
        let edges = [0, 1, 2].map(|edge| BorderEdge { triangle: triangle as u32, edge });
        let corner = |edge: BorderEdge| Corner {
            vertex: number[edge.start(hull) as usize],
            // It is the same at the points that are left out before the next corner.
            other: edge.other_face(hull, faces),
        };
        if edges.iter().all(|&edge| edge.other_face(hull, faces) != face) {
            corners.extend(edges.map(corner));
        } else if let Some(first) = edges.into_iter().find(|&edge| edge.other_face(hull, faces) != face) {
            corners.extend(first.around(hull, faces).map(corner).filter(|corner| corner.vertex != NONE));
        }
        let row = &mut corners[start..];
        let lowest = (1..row.len()).fold(0, |lowest, i| if row[i].vertex < row[lowest].vertex { i } else { lowest });
        row.rotate_left(lowest);
        rows[face as usize] = start..corners.len();
    }
    (rows, corners)
}

/// The faces in the order of their lowest vertex, and among those with the same, of the vertex after it.
fn sorted_by_first_vertices(rows: &[Range<usize>], corners: &[Corner], vertex_limit: usize) -> Vec<u32> {
    let key = |face: usize, place: usize| corners[rows[face].start + place].vertex;
    let mut starts = vec![0u32; vertex_limit + 1];
    for face in 0..rows.len() {
        starts[key(face, 0) as usize + 1] += 1;
    }
    for vertex in 0..vertex_limit {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts.clone();
    let mut order = vec![0; rows.len()];
    for face in 0..rows.len() {
        let place = &mut next[key(face, 0) as usize];
        order[*place as usize] = face as u32;
        *place += 1;
    }
    for range in starts.windows(2) {
        order[range[0] as usize..range[1] as usize].sort_unstable_by_key(|&face| key(face as usize, 1));
    }
    order
}

/// The plane of a polygon: Newell's normal, touching the outermost corner.
fn plane(vertices: &[Vec3], corners: &[u32]) -> FacePlane {
    let position = |corner: u32| vertices[corner as usize].as_dvec3();
    let base = corners.first().map_or(DVec3::ZERO, |&corner| position(corner));
    let spans = corners.windows(2).map(|pair| (position(pair[0]) - base).cross(position(pair[1]) - base));
    let area = spans.sum::<DVec3>();
    // Scaled first: the square of an area of order 1e-80 or 1e+80 is out of range. A needle that was not settled may have
    // an area that is lost in rounding; any direction is then as right as another.
    let normal = (area / area.abs().max_element()).try_normalize().unwrap_or(DVec3::Y).as_vec3();
    let offset = corners.iter().map(|&corner| normal.as_dvec3().dot(position(corner))).fold(f64::MIN, f64::max);
    FacePlane { normal, offset: offset as f32 }
}

/// The edges of triangles inside a face, each once.
fn diagonals(hull: &Triangulation, faces: &Faces, number: &[u32]) -> Vec<[u32; 2]> {
    if faces.count == hull.corners.len() {
        return Vec::new();
    }
    let all = (0..hull.corners.len() as u32).flat_map(|triangle| [0, 1, 2].map(|edge| BorderEdge { triangle, edge }));
    all.filter(|edge| edge.other_face(hull, faces) == faces.of_triangle[edge.triangle as usize])
        .map(|edge| [edge.start(hull), edge.end(hull)].map(|point| number[point as usize]))
        .filter(|[from, to]| from < to && *to != NONE)
        .collect()
}

/// The vertices at the other end of each vertex's edges and then of its diagonals, in compressed rows: where the rows
/// start, where in them the diagonals do, the rows, and by which edge or diagonal each vertex is reached.
fn neighbours(count: usize, edges: &[HullEdge], diagonals: &[[u32; 2]]) -> (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>) {
    let all = || edges.iter().map(|edge| edge.vertices).chain(diagonals.iter().copied());
    let mut starts = vec![0; count + 1];
    for vertex in all().flatten() {
        starts[vertex as usize + 1] += 1;
    }
    for vertex in 0..count {
        starts[vertex + 1] += starts[vertex];
    }
    let mut next = starts[..count].to_vec();
    let mut diagonal_starts = Vec::new();
    let mut neighbours = vec![0; 2 * (edges.len() + diagonals.len())];
    let mut neighbour_edges = vec![0; neighbours.len()];
    for (index, [a, b]) in all().enumerate() {
        if index == edges.len() {
            diagonal_starts.clone_from(&next);
        }
        for [from, to] in [[a, b], [b, a]] {
            neighbours[next[from as usize] as usize] = to;
            neighbour_edges[next[from as usize] as usize] = index as u32;
            next[from as usize] += 1;
        }
    }
    if diagonals.is_empty() {
        diagonal_starts = next;
    }
    (starts, diagonal_starts, neighbours, neighbour_edges)
}
