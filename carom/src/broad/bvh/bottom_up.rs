//! Builds from the items: clusters merge until one is left.
//!
//! Clusters stand in a row along the Hilbert curve of their middles. In a round each looks at eight neighbours on
//! either side for the one with which it has the least surface; two that choose each other merge in place. The least
//! of all pairs is always such a pair. Equal surfaces are decided by the bits in which the two places differ, which
//! pairs coinciding clusters off by two. A round in which less than an eighth merges is replaced by one that merges
//! each with its neighbour, so there are O(log n) rounds, the depth is as many, and the cost O(n) apart from the sort.
//! Source: Meister, Bittner 2018, Parallel Locally-Ordered Clustering, doi 10.1109/TVCG.2017.2669983; there on the
//! Morton curve and without the bound on rounds.

use super::topology::{Span, surface};
use crate::bounds::{Aabb, BoundingVolume};
use crate::broad::hilbert;
use crate::radix;
use glam::Vec3;

/// Neighbours looked at on each side.
const REACH: usize = 8;
/// Bits per axis of the curve.
const CURVE_BITS: u32 = 10;

/// A binary tree in the making: items first, then clusters in the order in which they came about.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    pub(super) clusters: Vec<Cluster>,
    /// Those that have not been merged yet, in the order of the curve.
    pub(super) row: Vec<u32>,
    merged_row: Vec<u32>,
    /// The least surface of each in the row, and with whom.
    best: Vec<(f32, u32)>,
    keys: Vec<u64>,
    spare: Vec<u64>,
    stack: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cluster {
    pub(super) bounds: Aabb,
    /// The item's number and [`NONE`], or the two that were merged.
    parts: [u32; 2],
    /// How many items it holds.
    count: u32,
    pub(super) height: u32,
}

const NONE: u32 = u32::MAX;

impl Forest {
    /// One cluster for each item.
    pub(super) fn plant(&mut self, boxes: &[Aabb]) {
        self.clusters.clear();
        self.clusters.extend(boxes.iter().zip(0u32..).map(|(&bounds, item)| Cluster {
            bounds,
            parts: [item, NONE],
            count: 1,
            height: 0,
        }));
        self.row.clear();
        self.row.extend(0..boxes.len() as u32);
    }

    /// A cluster of two; the caller takes both out of the row.
    pub(super) fn merge(&mut self, a: u32, b: u32) -> u32 {
        let (first, second) = (&self.clusters[a as usize], &self.clusters[b as usize]);
        let cluster = Cluster {
            bounds: first.bounds.merged(&second.bounds),
            parts: [a, b],
            count: first.count + second.count,
            height: 1 + first.height.max(second.height),
        };
        self.clusters.push(cluster);
        self.clusters.len() as u32 - 1
    }

    /// Merges what is in the row until one is left.
    pub(super) fn merge_nearest(&mut self) {
        self.sort_row();
        while self.row.len() > 1 {
            self.find_nearest();
            let mutual = |best: &[(f32, u32)], place: usize| best[best[place].1 as usize].1 as usize == place;
            let merging = (0..self.row.len()).filter(|&place| mutual(&self.best, place)).count() / 2;
            let slow = merging * 8 < self.row.len();
            let mut merged_row = std::mem::take(&mut self.merged_row);
            merged_row.clear();
            for place in 0..self.row.len() {
                let own = self.row[place];
                let partner = match slow {
                    true => Some(place ^ 1).filter(|&partner| partner < self.row.len()),
                    false => Some(self.best[place].1 as usize).filter(|_| mutual(&self.best, place)),
                };
                match partner {
                    None => merged_row.push(own),
                    Some(partner) if place < partner => merged_row.push(self.merge(own, self.row[partner])),
                    Some(_) => {}
                }
            }
            self.merged_row = std::mem::replace(&mut self.row, merged_row);
        }
    }

    fn find_nearest(&mut self) {
        self.best.clear();
        self.best.resize(self.row.len(), (f32::INFINITY, NONE));
        for place in 0..self.row.len() {
            let bounds = self.clusters[self.row[place] as usize].bounds;
            for other in place + 1..self.row.len().min(place + 1 + REACH) {
                let surface = surface(&bounds.merged(&self.clusters[self.row[other] as usize].bounds));
                for (one, partner) in [(place, other), (other, place)] {
                    let (least, chosen) = self.best[one];
                    let differing = |partner: u32| partner ^ one as u32;
                    let is_better = surface < least
                        || surface == least && (chosen == NONE || differing(partner as u32) < differing(chosen));
                    if is_better {
                        self.best[one] = (surface, partner as u32);
                    }
                }
            }
        }
    }

    /// Sorts the row along the curve, and again along a curve of its own what falls into one cell of it: two crowds far
    /// apart would each fall into one. Ends because the outermost middles always fall into different cells.
    fn sort_row(&mut self) {
        self.stack.clear();
        self.stack.push((0, self.row.len() as u32));
        while let Some((start, end)) = self.stack.pop() {
            self.sort_run(start as usize, end as usize);
            let mut from = 0;
            for same in self.keys.chunk_by(|a, b| a >> 32 == b >> 32) {
                if same.len() > REACH && same.len() < self.keys.len() {
                    self.stack.push((start + from, start + from + same.len() as u32));
                }
                from += same.len() as u32;
            }
        }
    }

    fn sort_run(&mut self, start: usize, end: usize) {
        let run = &mut self.row[start..end];
        let middles = run.iter().map(|&cluster| self.clusters[cluster as usize].bounds.center());
        let (least, greatest) = middles
            .clone()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(least, greatest), at| (least.min(at), greatest.max(at)));
        // Halves do not overflow, and a quotient serves extents whose reciprocal would.
        let half_extent = (greatest * 0.5 - least * 0.5).max_element();
        let last = ((1u32 << CURVE_BITS) - 1) as f32;
        self.keys.clear();
        self.keys.extend(middles.zip(run.iter()).map(|(middle, &cluster)| {
            // NaN, where all middles are one, becomes cell 0.
            let cell = ((middle * 0.5 - least * 0.5) / half_extent * last).to_array().map(|cell| cell as u32);
            u64::from(hilbert::rank::<CURVE_BITS, u32>(cell)) << 32 | u64::from(cluster)
        }));
        if run.len() < 256 {
            self.keys.sort_unstable();
        } else {
            radix::sort(&mut self.keys, &mut self.spare, 3 * CURVE_BITS);
        }
        run.iter_mut().zip(&self.keys).for_each(|(place, &key)| *place = key as u32);
    }

    /// Lists the tree under the last cluster in preorder, with leaves of up to `leaf` items.
    pub(super) fn flatten(&mut self, leaf: usize, nodes: &mut Vec<Span>, order: &mut Vec<u32>, depths: &mut Vec<u32>) {
        self.stack.clear();
        self.stack.extend(self.row.iter().map(|&root| (root, 0)));
        while let Some((cluster, depth)) = self.stack.pop() {
            let Cluster { parts: [left, right], count, .. } = self.clusters[cluster as usize];
            depths.push(depth);
            if count as usize > leaf {
                nodes.push(Span { first: order.len() as u32, count: 0 });
                self.stack.push((right, depth + 1));
                self.stack.push((left, depth + 1));
                continue;
            }
            nodes.push(Span { first: order.len() as u32, count });
            let base = self.stack.len();
            self.stack.push((cluster, depth));
            while self.stack.len() > base {
                let Some((cluster, _)) = self.stack.pop() else { break };
                match self.clusters[cluster as usize].parts {
                    [item, NONE] => order.push(item),
                    [left, right] => self.stack.extend([(right, depth), (left, depth)]),
                }
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.clusters.capacity() * size_of::<Cluster>()
            + (self.row.capacity() + self.merged_row.capacity()) * size_of::<u32>()
            + (self.best.capacity() + self.stack.capacity() + self.keys.capacity() + self.spare.capacity()) * 8
    }
}
