//! Closed meshes: signed tetrahedra from a point near the mesh to each triangle.
//!
//! By the divergence theorem the tetrahedra's signed moments add up to those of the enclosed solid wherever the point
//! is, provided the surface is closed: every edge is run through as often one way as the other. Two triangles per
//! edge is the common case; four, where two solids touch along an edge, are as good. Edges are matched by the places
//! of their ends, so a mesh that repeats vertices to give them several normals is closed. Where parts of a mesh
//! overlap they count twice, and a part that is inside out counts as a cavity. Costs a sort of vertices and of edges.
//! Source: B. Mirtich 1996, doi:10.1080/10867651.1996.10487458; here by tetrahedra and not by projected faces.

use super::moments::Moments;
use super::wide::Wide;
use super::{EdgeFault, MassError};
use crate::shape::{ShapeKind, TriangleMesh};
use glam::DVec3;

/// The solid inside a closed mesh, at density 1.
pub(super) fn mesh(mesh: &TriangleMesh) -> Result<Wide, MassError> {
    check_closed(mesh)?;
    let used = || mesh.triangles().iter().flatten().map(|&corner| mesh.vertices()[corner as usize].as_dvec3());
    let least = used().fold(DVec3::INFINITY, DVec3::min);
    let greatest = used().fold(DVec3::NEG_INFINITY, DVec3::max);
    let origin = 0.5 * (least + greatest);
    let mut moments = Moments::new();
    for triangle in 0..mesh.triangles().len() {
        moments.add_tetrahedron(mesh.corners(triangle).map(|corner| corner.as_dvec3() - origin));
    }
    if moments.is_flat() {
        return Err(MassError::NoVolume { shape: ShapeKind::Mesh });
    }
    if moments.volume < 0.0 {
        return Err(MassError::InsideOut { volume: moments.volume });
    }
    Ok(moments.around(origin))
}

/// An edge as one triangle runs through it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The places of its ends, the lesser first.
    places: [u32; 2],
    /// Whether it runs from the greater to the lesser.
    reversed: bool,
    /// The vertices at its ends as the triangle names them, the lesser index first.
    vertices: [u32; 2],
}

/// An error that names the first edge, by place, that is not run through as often one way as the other.
fn check_closed(mesh: &TriangleMesh) -> Result<(), MassError> {
    let places = first_vertex_at_each_place(mesh);
    let mut sides: Vec<Side> = mesh
        .triangles()
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[from, to]| {
            let (start, end) = (places[from as usize], places[to as usize]);
            let vertices = [from.min(to), from.max(to)];
            Side { places: [start.min(end), start.max(end)], reversed: start > end, vertices }
        })
        .collect();
    sides.sort_unstable();
    for edge in sides.chunk_by(|a, b| a.places == b.places) {
        let reversed = edge.iter().filter(|side| side.reversed).count();
        if 2 * reversed != edge.len() {
            let fault = match edge.len() {
                1 => EdgeFault::Boundary,
                2 => EdgeFault::Inconsistent,
                triangles => EdgeFault::Branching { triangles },
            };
            return Err(MassError::NotClosed { vertices: edge[0].vertices, fault });
        }
    }
    Ok(())
}

/// For each vertex, the least index of a vertex at the same place.
fn first_vertex_at_each_place(mesh: &TriangleMesh) -> Vec<u32> {
    // Adding zero turns -0 into +0, so that both are one place.
    let bits = |vertex: u32| mesh.vertices()[vertex as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut order: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| (bits(vertex), vertex));
    let mut first = vec![0; order.len()];
    for same in order.chunk_by(|&a, &b| bits(a) == bits(b)) {
        for &vertex in same {
            first[vertex as usize] = same[0];
        }
    }
    first
}
