//! What the space-partitioning trees and the static hierarchy share: boxes in leaves, a tight box around each node,
//! and the answers. The trees differ in how they divide the boxes.
//!
//! Every box lies in one leaf, so each pair of boxes belongs to one pair of leaves (or one leaf), and the join meets
//! each pair of leaves once: a leaf goes through the nodes that come after it and leaves out what its box does not
//! reach. Nodes are pruned by the boxes around what they hold, not by cells or planes that were computed, so no
//! rounding can lose a pair. Eight boxes of a leaf are compared at once.
//! Cost of the join: n/8 walks of O(depth + nodes reached).

use super::block::{BoxBlock, LANES, LoadedBlock};
use super::preorder::{self, Node};
use super::{BoxRay, Drawn, Pair, Proxies};
use crate::bounds::{Aabb, BoundingVolume};
use fearless_simd::{Level, Simd, dispatch};
use glam::Vec3;
use std::cmp::Ordering;

/// A box and its proxy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Item {
    pub(super) bounds: Aabb,
    pub(super) id: u32,
}

impl Item {
    pub(super) const NONE: Self = Self { bounds: Aabb::new(Vec3::ZERO, Vec3::ZERO), id: u32::MAX };

    /// The middle of the box; no box overflows it.
    #[inline(always)]
    pub(super) fn center(&self) -> Vec3 {
        self.bounds.min * 0.5 + self.bounds.max * 0.5
    }
}

/// Replaces `items` by the boxes of all proxies.
pub(super) fn gather(proxies: &Proxies, items: &mut Vec<Item>) {
    items.clear();
    items.extend(proxies.iter().map(|(id, &bounds)| Item { bounds, id }));
}

/// Sorts items into less, equal and greater; returns where equal and greater begin.
#[inline(always)]
pub(super) fn divide<T: Copy>(items: &mut [T], mut side: impl FnMut(&T) -> Ordering) -> (usize, usize) {
    let (mut less, mut next, mut greater) = (0, 0, items.len());
    while next < greater {
        match side(&items[next]) {
            Ordering::Less => {
                items.swap(less, next);
                less += 1;
                next += 1;
            }
            Ordering::Equal => next += 1,
            Ordering::Greater => {
                greater -= 1;
                items.swap(next, greater);
            }
        }
    }
    (less, greater)
}

/// The tree.
#[derive(Debug, Clone)]
pub(super) struct BoxTree {
    level: Level,
    /// A leaf's items are slots; each leaf begins with a new block.
    pub(super) nodes: Vec<Node<Aabb>>,
    /// While it is built, the depth of each node.
    depths: Vec<u32>,
    blocks: Vec<BoxBlock>,
    /// By slot.
    ids: Vec<u32>,
}

impl Default for BoxTree {
    fn default() -> Self {
        Self { level: crate::simd::level(), nodes: Vec::new(), depths: Vec::new(), blocks: Vec::new(), ids: Vec::new() }
    }
}

impl BoxTree {
    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.depths.clear();
        self.blocks.clear();
        self.ids.clear();
    }

    /// The next node in order, one that has children; returns its index.
    pub(super) fn push_inner(&mut self, depth: u32) -> usize {
        self.nodes.push(Node { volume: Item::NONE.bounds, end: 0, first: 0, count: 0 });
        self.depths.push(depth);
        self.nodes.len() - 1
    }

    /// The next node in order, a leaf over at least one item.
    pub(super) fn push_leaf(&mut self, items: &[Item], depth: u32) {
        let Some((head, rest)) = items.split_first() else { return };
        let volume = rest.iter().fold(head.bounds, |whole, item| whole.merged(&item.bounds));
        self.nodes.push(Node { volume, end: 0, first: self.ids.len() as u32, count: items.len() as u32 });
        self.depths.push(depth);
        for eight in items.chunks(LANES) {
            let mut block = BoxBlock::EMPTY;
            for (lane, item) in eight.iter().enumerate() {
                block.set(lane, &item.bounds);
            }
            self.blocks.push(block);
            self.ids.extend(eight.iter().map(|item| item.id));
        }
        self.ids.resize(self.blocks.len() * LANES, u32::MAX);
    }

    /// Ends the building.
    pub(super) fn close(&mut self) {
        preorder::close(&mut self.nodes, &self.depths);
    }

    /// Adds each overlapping pair once. `admits` may reject a node, by its index, where it knows that nothing in it
    /// overlaps the box.
    pub(super) fn find_pairs(&self, admits: impl Fn(usize, &Aabb) -> bool, pairs: &mut Vec<Pair>) -> u64 {
        dispatch!(self.level, simd => join(simd, self, &admits, pairs))
    }

    /// The candidates of `Index`; `admits` as above.
    pub(super) fn candidates(&self, bounds: &Aabb, admits: impl Fn(usize, &Aabb) -> bool, visit: &mut dyn FnMut(u32)) {
        let reaches = |volume: &Aabb, index: usize| volume.overlaps(bounds) && admits(index, bounds);
        preorder::walk(&self.nodes, 0, reaches, |leaf| {
            for slot in leaf.items() {
                if self.blocks[slot / LANES].get(slot).overlaps(bounds) {
                    visit(self.ids[slot]);
                }
            }
        });
    }

    /// The ray candidates of `Index`: nearer children first, so that a limit drawn in spares the farther ones.
    pub(super) fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        let mut limit = ray.limit();
        let Some(entry) = self.nodes.first().and_then(|root| ray.entry(&root.volume, limit)) else { return };
        let mut stack = vec![(entry, 0usize)];
        while let Some((entry, index)) = stack.pop() {
            if entry > limit {
                continue;
            }
            let node = &self.nodes[index];
            for slot in node.items() {
                if ray.entry(&self.blocks[slot / LANES].get(slot), limit).is_some() {
                    limit = limit.min(visit(self.ids[slot]));
                }
            }
            let base = stack.len();
            let met = preorder::children(&self.nodes, index)
                .filter_map(|child| ray.entry(&self.nodes[child].volume, limit).map(|entry| (entry, child)));
            stack.extend(met);
            stack[base..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        }
    }

    pub(super) fn draw(&self, sink: &mut dyn FnMut(Drawn)) {
        preorder::with_depths(&self.nodes, |node, _, depth| sink(Drawn::Node { bounds: node.volume, depth }));
    }

    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<Aabb>>()
            + (self.depths.capacity() + self.ids.capacity()) * size_of::<u32>()
            + self.blocks.capacity() * size_of::<BoxBlock>()
    }
}

fn blocks_of(leaf: &Node<Aabb>) -> std::ops::Range<usize> {
    leaf.first as usize / LANES..leaf.items().end.div_ceil(LANES)
}

#[inline(always)]
fn join<S: Simd>(simd: S, tree: &BoxTree, admits: &impl Fn(usize, &Aabb) -> bool, pairs: &mut Vec<Pair>) -> u64 {
    let BoxTree { nodes, blocks, ids, .. } = tree;
    let mut tests = 0;
    for leaf in nodes.iter().filter(|node| node.is_leaf()) {
        let range = blocks_of(leaf);
        for index in range.clone() {
            let block = &blocks[index];
            let own = block.loaded(simd);
            let own_ids = &ids[index * LANES..(index + 1) * LANES];
            for lane in 0..LANES - 1 {
                let hits = own.overlaps(simd, &block.get(lane)) & (!1u32 << lane);
                report(hits, own_ids[lane], own_ids, pairs);
            }
            tests += (LANES * (LANES - 1)) as u64;
            let bounds = if range.len() == 1 { leaf.volume } else { block.union() };
            for other in index + 1..range.end {
                let other_ids = &ids[other * LANES..(other + 1) * LANES];
                tests += meet(simd, &own, (&bounds, own_ids), &blocks[other], other_ids, pairs);
            }
            let mut next = leaf.end as usize;
            while let Some(node) = nodes.get(next) {
                tests += 1;
                if !(reaches(&node.volume, &bounds) && admits(next, &bounds)) {
                    next = node.end as usize;
                    continue;
                }
                if node.is_leaf() {
                    for other in blocks_of(node) {
                        let other_ids = &ids[other * LANES..(other + 1) * LANES];
                        tests += meet(simd, &own, (&bounds, own_ids), &blocks[other], other_ids, pairs);
                    }
                }
                next += 1;
            }
        }
    }
    tests
}

/// The boxes of one block, which lie in `bounds`, against those of another that reach into `bounds`.
#[inline(always)]
fn meet<S: Simd>(
    simd: S,
    own: &LoadedBlock<S>,
    (bounds, own_ids): (&Aabb, &[u32]),
    other: &BoxBlock,
    other_ids: &[u32],
    pairs: &mut Vec<Pair>,
) -> u64 {
    let mut reaching = other.overlaps(simd, bounds);
    let tests = LANES as u64 * (1 + u64::from(reaching.count_ones()));
    while reaching != 0 {
        let lane = reaching.trailing_zeros() as usize;
        reaching &= reaching - 1;
        report(own.overlaps(simd, &other.get(lane)), other_ids[lane % LANES], own_ids, pairs);
    }
    tests
}

/// All six comparisons before the one branch: most nodes are missed along an axis that no one can foretell.
#[inline(always)]
fn reaches(node: &Aabb, bounds: &Aabb) -> bool {
    (node.min.x <= bounds.max.x)
        & (bounds.min.x <= node.max.x)
        & (node.min.y <= bounds.max.y)
        & (bounds.min.y <= node.max.y)
        & (node.min.z <= bounds.max.z)
        & (bounds.min.z <= node.max.z)
}

#[inline(always)]
fn report(mut hits: u32, id: u32, others: &[u32], pairs: &mut Vec<Pair>) {
    while hits != 0 {
        pairs.push(Pair::new(id, others[hits.trailing_zeros() as usize % LANES]));
        hits &= hits - 1;
    }
}
