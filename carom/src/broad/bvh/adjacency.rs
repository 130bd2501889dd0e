//! Merging along edges: of all edges between clusters, one whose cluster would have the least surface, a low one among
//! equals, merges first.
//!
//! Volumes only grow, so the cost of an edge only grows: a queue may hold costs of the past. An edge from its head is
//! weighed anew; if it has become dearer it goes back, else none is cheaper. Costs are told apart to a quarter of a
//! doubling of the surface and a doubling of the height, so an edge goes back a few dozen times at the most, even
//! where one item has an edge to all others. Stops when no edge is left: one cluster for each connected piece.
//! Cost: O(m log m) for m edges. There is no bound on the depth but the number of items; no walk recurses.

use super::bottom_up::Forest;
use super::topology::surface;
use crate::bounds::BoundingVolume;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The pairs of triangles that share an edge, for [`BvhBuild::ByAdjacency`](super::BvhBuild::ByAdjacency). Where more
/// than two share one they are joined in a row.
pub fn adjacent_triangles(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (&[a, b, c], triangle) in triangles.iter().zip(0u32..) {
        sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], triangle)));
    }
    sides.sort_unstable();
    let shared = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
    shared.map(|pair| [pair[0].1, pair[1].1]).collect()
}

impl Forest {
    /// Merges the items along these edges; pieces that are left stay in the row.
    pub(super) fn merge_along(&mut self, edges: &[[u32; 2]]) {
        if edges.is_empty() {
            return;
        }
        // By cluster: itself, or one that it has become part of.
        let mut within: Vec<u32> = self.row.clone();
        let mut queue: BinaryHeap<Reverse<(u32, u32, u32)>> = (0u32..)
            .zip(edges)
            .filter(|(_, [a, b])| a != b)
            .map(|(edge, &[a, b])| {
                let (surface, height) = self.cost(a, b);
                Reverse((surface, height, edge))
            })
            .collect();
        while let Some(Reverse((surface, height, edge))) = queue.pop() {
            let [a, b] = edges[edge as usize].map(|item| find(&mut within, item));
            if a == b {
                continue;
            }
            let now = self.cost(a, b);
            if now > (surface, height) {
                queue.push(Reverse((now.0, now.1, edge)));
                continue;
            }
            let whole = self.merge(a, b);
            within.push(whole);
            within[a as usize] = whole;
            within[b as usize] = whole;
        }
        let roots = within.iter().zip(0u32..).filter(|(whole, cluster)| *whole == cluster);
        self.row.clear();
        self.row.extend(roots.map(|(_, cluster)| cluster));
    }

    /// The surface of the union, which is not negative, by exponent and two more bits; then the height.
    fn cost(&self, a: u32, b: u32) -> (u32, u32) {
        let (first, second) = (&self.clusters[a as usize], &self.clusters[b as usize]);
        let surface = surface(&first.bounds.merged(&second.bounds));
        (surface.to_bits() >> (f32::MANTISSA_DIGITS - 3), (1 + first.height.max(second.height)).ilog2())
    }
}

/// The cluster that has not been merged yet; shortens the way to it.
fn find(within: &mut [u32], mut cluster: u32) -> u32 {
    while within[cluster as usize] != cluster {
        let next = within[cluster as usize];
        within[cluster as usize] = within[next as usize];
        cluster = next;
    }
    cluster
}
