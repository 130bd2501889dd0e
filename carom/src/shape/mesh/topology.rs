//! How the triangles of a mesh hang together.

use glam::Vec3;

/// What queries ask about a mesh as a whole.
#[derive(Debug, Clone)]
pub(super) struct Topology {
    pub(super) is_closed: bool,
    /// A vertex of each connected piece.
    pub(super) pieces: Vec<u32>,
}

impl Topology {
    /// Vertices at one place count as one.
    pub(super) fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let places = places(vertices);
        Self { is_closed: has_no_border(&places, triangles), pieces: pieces(&places, triangles) }
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

/// Union of places by triangles, each set led by its least; paths are halved as they are followed.
fn pieces(places: &[u32], triangles: &[[u32; 3]]) -> Vec<u32> {
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
    let mut pieces = Vec::new();
    for &[corner, ..] in triangles {
        let piece = find(&mut leader, places[corner as usize]) as usize;
        if !is_seen[piece] {
            is_seen[piece] = true;
            pieces.push(corner);
        }
    }
    pieces
}
