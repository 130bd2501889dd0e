//! How the triangles of a mesh hang together.

use glam::{DVec3, Vec3};

/// Sine of the angle up to which two triangles count as one flat surface.
pub(crate) const FLAT: f64 = 0.0087;

/// What queries ask about a mesh as a whole.
#[derive(Debug, Clone)]
pub(super) struct Topology {
    pub(super) is_closed: bool,
    /// A vertex of each connected piece.
    pub(super) pieces: Vec<u32>,
    /// Whether every piece of a closed surface looks outward.
    pub(super) is_outward: bool,
}

impl Topology {
    /// Vertices at one place count as one.
    pub(super) fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let places = places(vertices);
        let (pieces, is_outward) = pieces(&places, vertices, triangles);
        Self { is_closed: has_no_border(&places, triangles), pieces, is_outward }
    }
}

/// The number of each vertex's place.
fn places(vertices: &[Vec3]) -> Vec<u32> {
    // Adding zero turns -0 into +0.
    let bits = |vertex: u32| (vertices[vertex as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| bits(vertex));
    let mut places = vec![0u32; vertices.len()];
    for pair in order.windows(2) {
        let step = u32::from(bits(pair[0]) != bits(pair[1]));
        places[pair[1] as usize] = places[pair[0] as usize] + step;
    }
    places
}

fn has_no_border(places: &[u32], triangles: &[[u32; 3]]) -> bool {
    // Edges from the lesser end to the greater, with the direction in which they are run through.
    let mut edges: Vec<(u64, i8)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|ends| {
            let [from, to] = ends.map(|end| u64::from(places[end as usize]));
            if from < to { (from << 32 | to, 1) } else { (to << 32 | from, -1) }
        })
        .collect();
    edges.sort_unstable();
    edges.chunk_by(|p, q| p.0 == q.0).all(|uses| uses.iter().map(|&(_, sign)| i64::from(sign)).sum::<i64>() == 0)
}

/// A vertex of each connected piece, and whether all pieces enclose a positive volume, if they are closed. Union of
/// places by triangles, each set led by its least; paths are halved as they are followed.
fn pieces(places: &[u32], vertices: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<u32>, bool) {
    let mut leader: Vec<u32> = (0..places.len() as u32).collect();
    let find = |leader: &mut Vec<u32>, mut place: u32| {
        while leader[place as usize] != place {
            leader[place as usize] = leader[leader[place as usize] as usize];
            place = leader[place as usize];
        }
        place
    };
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| places[corner as usize]);
        for other in [b, c] {
            let (p, q) = (find(&mut leader, a), find(&mut leader, other));
            leader[p.max(q) as usize] = p.min(q);
        }
    }
    let mut is_seen = vec![false; places.len()];
    let mut volumes = vec![0.0; places.len()];
    let mut pieces = Vec::new();
    let base = vertices[0].as_dvec3();
    for corners in triangles {
        let piece = find(&mut leader, places[corners[0] as usize]) as usize;
        if !is_seen[piece] {
            is_seen[piece] = true;
            pieces.push(corners[0]);
        }
        let [a, b, c] = corners.map(|corner| vertices[corner as usize].as_dvec3() - base);
        volumes[piece] += a.dot(b.cross(c));
    }
    let is_outward = is_seen.iter().zip(&volumes).all(|(is_seen, volume)| !is_seen || *volume > 0.0);
    (pieces, is_outward)
}

/// Which edges of each triangle can be touched, one byte a triangle: bit `i` says so of edge `i` from the front, bit
/// `3 + i` from the back. An edge can be touched where its neighbour falls away by more than half a degree, where it has
/// no neighbour, and where it has several.
pub(super) fn ridges(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let places = places(vertices);
    let mut edges: Vec<(u64, u32)> = (0u32..)
        .zip(triangles)
        .flat_map(|(triangle, &[a, b, c])| [(a, b), (b, c), (c, a)].map(|ends| (triangle, ends)))
        .zip([0, 1, 2].into_iter().cycle())
        .map(|((triangle, (from, to)), edge)| {
            let [from, to] = [from, to].map(|end| u64::from(places[end as usize]));
            // Checked at the door: three times as many fit into 32 bits for all but absurd meshes, which wrap.
            (from.min(to) << 32 | from.max(to), triangle.wrapping_mul(3).wrapping_add(edge))
        })
        .collect();
    edges.sort_unstable();
    let mut ridges = vec![0b11_1111u8; triangles.len()];
    let corner = |triangle: usize, corner: u32| vertices[triangles[triangle][corner as usize % 3] as usize].as_dvec3();
    for uses in edges.chunk_by(|p, q| p.0 == q.0) {
        let [(_, first), (_, second)] = *uses else { continue };
        for (own, other) in [(first, second), (second, first)] {
            let (triangle, edge) = ((own / 3) as usize, own % 3);
            let (neighbour, shared) = ((other / 3) as usize, other % 3);
            let corners = [0, 1, 2].map(|index| corner(triangle, edge + index));
            let (from_front, from_back) = falls_away(corners, corner(neighbour, shared + 2));
            let flags = u8::from(from_front) | u8::from(from_back) << 3;
            ridges[triangle] &= !(0b1001 << edge);
            ridges[triangle] |= flags << edge;
        }
    }
    ridges
}

/// Whether the neighbour across the first edge of a triangle falls away, seen from the front and from the back;
/// `opposite` is its corner off the edge.
pub(crate) fn falls_away([a, b, c]: [DVec3; 3], opposite: DVec3) -> (bool, bool) {
    let along = b - a;
    let normal = along.cross(c - a);
    // Both as much too large as the normal and the edge are long.
    let height = normal.dot(opposite - a) * along.length();
    let width = normal.length() * along.cross(opposite - a).length();
    let is_folded_back = along.cross(normal).dot(opposite - a) <= 0.0;
    if height.abs() <= FLAT * width { (is_folded_back, is_folded_back) } else { (height < 0.0, height > 0.0) }
}
