//! The k nearest points to each of many, exactly.
//!
//! A search begins in the leaf of the query and goes up: on each level the other children of the ancestor that are near
//! enough are searched, nearest first. So there is a good bound from the start, and what is sorted is little. A subtree
//! is left out when its box is farther than the k-th found, or as far and its smallest index greater: then none of its
//! points could be among the k. Queries of the tree's own points go leaf by leaf, so that consecutive ones read the
//! same memory. Cost for points of even density: k + log n; the result needs no more memory than the answer twice.

use super::neighbours::{Neighbours, distance_squared, key, reset};
use super::point_tree::{PointTree, SHIFT, scaled};
use super::{LANES, PointsError};
use fearless_simd::{Simd, SimdBase, SimdMask, dispatch, f32x8};
use glam::Vec3;
use rayon::prelude::*;

/// How many queries a thread takes at a time; a multiple of the lanes.
const CHUNK: usize = 256;

/// Up to this many neighbours are kept sorted, more in a heap.
const SORTED: usize = 32;

/// Room for seven nodes on each of eleven levels, and eight more.
const STACK: usize = 96;

impl PointTree {
    /// The `count` nearest neighbours of each point, itself not among them; fewer if there are not so many others.
    /// Of equally near points the one with the smaller index comes first.
    pub fn nearest_of_each(&self, count: usize, neighbours: &mut Neighbours) -> Result<(), PointsError> {
        let count = count.min(self.count.saturating_sub(1));
        neighbours.start(self.count, count, 1.0 / self.scale)?;
        if count == 0 {
            return Ok(());
        }
        let too_many = PointsError::TooManyNeighbours { count, queries: self.count };
        reset(&mut neighbours.searched, self.count * count).map_err(|_| too_many)?;
        neighbours.searched.par_chunks_mut(CHUNK * count).enumerate().for_each(|(chunk, rows)| {
            let mut search = Search::of(self);
            dispatch!(self.level, simd => for (row, slot) in rows.chunks_exact_mut(count).zip(chunk * CHUNK..) {
                let leaf = &self.leaves[slot / LANES];
                search.query = leaf.point(slot % LANES);
                search.own = leaf.ids[slot % LANES];
                search.fill(simd, slot / LANES, row);
            });
        });
        let Neighbours { keys, searched, .. } = neighbours;
        keys.par_chunks_mut(CHUNK * count).zip(self.slot_of.par_chunks(CHUNK)).for_each(|(rows, slots)| {
            for (row, &slot) in rows.chunks_exact_mut(count).zip(slots) {
                row.copy_from_slice(&searched[slot as usize * count..][..count]);
            }
        });
        Ok(())
    }

    /// The `count` points nearest to each query, or all if there are not so many. Of equally near points the one with
    /// the smaller index comes first. Faster if consecutive queries are close to each other.
    pub fn nearest_to(&self, queries: &[Vec3], count: usize, neighbours: &mut Neighbours) -> Result<(), PointsError> {
        if let Some(index) = queries.iter().position(|query| !query.is_finite()) {
            return Err(PointsError::QueryNotFinite { index, value: queries[index] });
        }
        let count = count.min(self.count);
        neighbours.start(queries.len(), count, 1.0 / self.scale)?;
        if count == 0 {
            return Ok(());
        }
        neighbours.keys.par_chunks_mut(CHUNK * count).zip(queries.par_chunks(CHUNK)).for_each(|(rows, queries)| {
            let mut search = Search::of(self);
            dispatch!(self.level, simd => for (row, &query) in rows.chunks_exact_mut(count).zip(queries) {
                search.query = scaled(query, self.scale);
                search.fill(simd, leaf_near(simd, self, search.query), row);
            });
        });
        // So far away that f32 cannot tell the points apart.
        let is_far = |row: &[u64]| row.last().is_some_and(|&key| distance_squared(key) == f32::INFINITY);
        let far_rows = neighbours.keys.chunks_exact(count).enumerate().filter(|(_, row)| is_far(row));
        neighbours.far.extend(far_rows.map(|(row, _)| (row, queries[row].as_dvec3().length() as f32)));
        Ok(())
    }
}

/// A leaf near the query: from the root down the nearest child.
#[inline(always)]
fn leaf_near<S: Simd>(simd: S, tree: &PointTree, query: Vec3) -> usize {
    let mut place = 0;
    for (height, level) in tree.levels.iter().enumerate().rev() {
        let distances = level[place].distances_squared(simd, query).to_array();
        let children = children_below(tree, height, place);
        let mut nearest = 0;
        for lane in 1..children {
            if distances[lane] < distances[nearest] {
                nearest = lane;
            }
        }
        place = (place << SHIFT) + nearest;
    }
    place
}

/// How many children a node of a level has.
#[inline(always)]
fn children_below(tree: &PointTree, height: usize, place: usize) -> usize {
    let below = if height == 0 { tree.leaves.len() } else { tree.levels[height - 1].len() };
    (below - (place << SHIFT)).min(LANES)
}

/// A node to be searched: no point in it has a smaller key.
#[derive(Clone, Copy, Default)]
struct Waiting {
    key: u64,
    height: u32,
    place: u32,
}

/// One search after the other.
struct Search<'a> {
    tree: &'a PointTree,
    query: Vec3,
    /// The point that is not a neighbour.
    own: u32,
    /// What is to be searched still, the nearest on top.
    stack: [Waiting; STACK],
    waiting: usize,
}

impl<'a> Search<'a> {
    fn of(tree: &'a PointTree) -> Self {
        Self { tree, query: Vec3::ZERO, own: u32::MAX, stack: [Waiting::default(); STACK], waiting: 0 }
    }

    /// Fills `row`, which holds no neighbours yet, with the nearest to the query, beginning at leaf `start`.
    #[inline(always)]
    fn fill<S: Simd>(&mut self, simd: S, start: usize, row: &mut [u64]) {
        self.offer(simd, start, row);
        for height in 0..self.tree.levels.len() {
            let searched = start >> (SHIFT * height as u32);
            self.push_children(simd, height, searched >> SHIFT, !(1 << (searched % LANES)), worst(row));
            while self.waiting > 0 {
                self.waiting -= 1;
                let Waiting { key, height, place } = self.stack[self.waiting];
                if key > worst(row) {
                    continue;
                }
                if height == 0 {
                    self.offer(simd, place as usize, row);
                } else {
                    self.push_children(simd, height as usize - 1, place as usize, !0, worst(row));
                }
            }
        }
        if row.len() > SORTED {
            row.sort_unstable();
        }
    }

    /// Puts those of the children `among` a node's eight on the stack that may hold a better point than `worst`.
    #[inline(always)]
    fn push_children<S: Simd>(&mut self, simd: S, height: usize, place: usize, among: u32, worst: u64) {
        let node = &self.tree.levels[height][place];
        let distances = node.distances_squared(simd, self.query);
        let near = distances.simd_le(f32x8::splat(simd, distance_squared(worst))).to_bitmask() as u32;
        let there = (1u32 << children_below(self.tree, height, place)) - 1;
        let mut hits = near & there & among;
        let distances = distances.to_array();
        let bottom = self.waiting;
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize % LANES;
            hits &= hits - 1;
            let key = key(distances[lane], node.smallest[lane]);
            if key > worst || self.waiting >= STACK {
                continue;
            }
            let mut to = self.waiting;
            while to > bottom && self.stack[to - 1].key < key {
                self.stack[to] = self.stack[to - 1];
                to -= 1;
            }
            self.stack[to] = Waiting { key, height: height as u32, place: ((place << SHIFT) + lane) as u32 };
            self.waiting += 1;
        }
    }

    /// Takes the points of a leaf into the row if they are nearer than what is there.
    #[inline(always)]
    fn offer<S: Simd>(&self, simd: S, leaf: usize, row: &mut [u64]) {
        let leaf = &self.tree.leaves[leaf];
        let distances = leaf.distances_squared(simd, self.query);
        let mut hits = distances.simd_le(f32x8::splat(simd, distance_squared(worst(row)))).to_bitmask() as u32;
        let distances = distances.to_array();
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize % LANES;
            hits &= hits - 1;
            let key = key(distances[lane], leaf.ids[lane]);
            if key < worst(row) && leaf.ids[lane] != self.own {
                if row.len() <= SORTED { insert_sorted(row, key) } else { replace_top(row, key) }
            }
        }
    }
}

/// The k-th best so far.
#[inline(always)]
fn worst(row: &[u64]) -> u64 {
    let place = if row.len() <= SORTED { row.len() - 1 } else { 0 };
    row[place]
}

#[inline(always)]
fn insert_sorted(row: &mut [u64], key: u64) {
    let mut to = row.len() - 1;
    while to > 0 && row[to - 1] > key {
        row[to] = row[to - 1];
        to -= 1;
    }
    row[to] = key;
}

/// Puts a smaller key in place of the greatest, which is on top of the heap.
fn replace_top(heap: &mut [u64], key: u64) {
    let mut hole = 0;
    loop {
        let mut child = 2 * hole + 1;
        if child + 1 < heap.len() && heap[child + 1] > heap[child] {
            child += 1;
        }
        if child >= heap.len() || heap[child] <= key {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = key;
}
