//! The edges at which a solid turns inward. The planes of the faces next to them are where a person would cut.

use super::solid::Solid;
use glam::DVec3;

/// Faces that turn by less than about ten degrees are taken for parts of a curved surface.
const LEAST_SINE: f64 = 0.17;
const MAX_EDGES: usize = 4000;

/// An edge at which two faces meet with more than half a turn of solid between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReflexEdge {
    pub(super) middle: DVec3,
    /// The outward normals of the two faces.
    pub(super) normals: [DVec3; 2],
}

/// The sharp reflex edges of a solid, the longest if there are too many.
pub(super) fn edges(solid: &Solid<'_>) -> Vec<ReflexEdge> {
    // The lesser end first: an edge is run through both ways by its two triangles.
    let key = |a: DVec3, b: DVec3| {
        let [a, b] = [a, b].map(|end| (end + DVec3::ZERO).to_array().map(f64::to_bits));
        if a < b { (a, b) } else { (b, a) }
    };
    let mut sides = Vec::with_capacity(3 * solid.mesh.triangles().len());
    for triangle in 0..solid.mesh.triangles().len() {
        let [a, b, c] = solid.corners(triangle);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for [from, to, apex] in [[a, b, c], [b, c, a], [c, a, b]] {
            sides.push((key(from, to), [from, to, apex], normal));
        }
    }
    sides.sort_by_key(|side| side.0);
    let mut found: Vec<(f64, ReflexEdge)> = sides
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|uses| {
            let [(_, [from, to, _], first), (_, [_, _, apex], second)] = uses else { return None };
            let middle = 0.5 * (*from + *to);
            let is_reflex = first.dot(*apex - middle) > 0.0 && first.cross(*second).length() > LEAST_SINE;
            is_reflex.then(|| (from.distance(*to), ReflexEdge { middle, normals: [*first, *second] }))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MAX_EDGES);
    found.into_iter().map(|(_, edge)| edge).collect()
}
