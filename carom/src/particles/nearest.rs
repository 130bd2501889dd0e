//! The k nearest points to each of many, exactly.
//!
//! A search begins in the leaf of the query and goes up: on each level the other children of the ancestor that are near
//! enough are searched, nearest first. So there is a good bound from the start, and what is sorted is little. A subtree
//! is left out when its box is farther than the k-th found, or as far and its smallest index greater: then none of its
//! points could be among the k. Queries of the tree's own points go leaf by leaf, so that consecutive ones read the
//! same memory. Cost for points of even density: k + log n; the result needs no more memory than the answer twice.

use super::neighbours::{Neighbours, distance_squared, key, reset};
use super::point_tree::{Leaf, PointTree, SHIFT, scaled};
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
            dispatch!(self.level, simd => for (row, slot) in rows.chunks_exact_mut(count).zip(chunk * CHUNK..) {
                let leaf = &self.leaves[slot / LANES];
                search(simd, self, leaf.point(slot % LANES), slot / LANES, leaf.ids[slot % LANES], row);
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
            dispatch!(self.level, simd => for (row, &query) in rows.chunks_exact_mut(count).zip(queries) {
                let query = scaled(query, self.scale);
                search(simd, self, query, leaf_near(simd, self, query), u32::MAX, row);
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

/// Fills `row`, which holds no neighbours yet, with the nearest to `query`, except the point `own`.
#[inline(always)]
fn search<S: Simd>(simd: S, tree: &PointTree, query: Vec3, start: usize, own: u32, row: &mut [u64]) {
    let mut stack = [Waiting::default(); STACK];
    offer(simd, &tree.leaves[start], query, own, row);
    for height in 0..tree.levels.len() {
        let searched = start >> (SHIFT * height as u32);
        let mut waiting =
            push_children(simd, tree, height, searched >> SHIFT, searched % LANES, query, row, &mut stack, 0);
        while waiting > 0 {
            waiting -= 1;
            let Waiting { key, height, place } = stack[waiting];
            if key > worst(row) {
                continue;
            }
            if height == 0 {
                offer(simd, &tree.leaves[place as usize], query, own, row);
            } else {
                let (height, place) = (height as usize - 1, place as usize);
                waiting = push_children(simd, tree, height, place, LANES, query, row, &mut stack, waiting);
            }
        }
    }
    if row.len() > SORTED {
        row.sort_unstable();
    }
}

/// Puts the children of a node that are near enough on the stack, nearest on top, except child `but`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn push_children<S: Simd>(
    simd: S,
    tree: &PointTree,
    height: usize,
    place: usize,
    but: usize,
    query: Vec3,
    row: &[u64],
    stack: &mut [Waiting; STACK],
    bottom: usize,
) -> usize {
    let node = &tree.levels[height][place];
    let worst = worst(row);
    let distances = node.distances_squared(simd, query);
    let near = distances.simd_le(f32x8::splat(simd, distance_squared(worst))).to_bitmask() as u32;
    let there = (1u32 << children_below(tree, height, place)) - 1;
    let mut hits = near & there & !(1 << but);
    let distances = distances.to_array();
    let mut top = bottom;
    while hits != 0 {
        let lane = hits.trailing_zeros() as usize % LANES;
        hits &= hits - 1;
        let key = key(distances[lane], node.smallest[lane]);
        if key > worst || top >= STACK {
            continue;
        }
        let child = Waiting { key, height: height as u32, place: ((place << SHIFT) + lane) as u32 };
        let mut to = top;
        while to > bottom && stack[to - 1].key < key {
            stack[to] = stack[to - 1];
            to -= 1;
        }
        stack[to] = child;
        top += 1;
    }
    top
}

/// Takes the points of a leaf into the row if they are nearer than what is there.
#[inline(always)]
fn offer<S: Simd>(simd: S, leaf: &Leaf, query: Vec3, own: u32, row: &mut [u64]) {
    let distances = leaf.distances_squared(simd, query);
    let mut hits = distances.simd_le(f32x8::splat(simd, distance_squared(worst(row)))).to_bitmask() as u32;
    let distances = distances.to_array();
    while hits != 0 {
        let lane = hits.trailing_zeros() as usize % LANES;
        hits &= hits - 1;
        let key = key(distances[lane], leaf.ids[lane]);
        if key < worst(row) && leaf.ids[lane] != own {
            if row.len() <= SORTED { insert_sorted(row, key) } else { replace_top(row, key) }
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
