//! Filling the tree: the slots in the order of the curve, the blocks above them, all pairs.

use super::super::Pair;
use super::super::block::{BoxBlock, BoxNumbers, LANES, LoadedBlock, NOTHING, NUMBERS};
use super::join::join_all;
use super::scatter::{self, Scattered};
use super::slots::write_box;
use super::{DynamicTree, NONE, NearPair, PORTION, TOUCHING, follow, is_parallel, order};
use crate::bounds::Aabb;
use crate::radix;
use fearless_simd::{Simd, SimdBase, dispatch};
use rayon::prelude::*;

impl DynamicTree {
    /// Sorts boxes on the memory of both lists of pairs, or leaves that to [`DynamicTree::fill`]. The tree must be filled
    /// or its pairs found again afterwards.
    pub(super) fn order(&mut self, boxes: &[Aabb]) -> Order {
        let bits = order::list(self.level, boxes, &mut self.near);
        let is_whole = self.near.len() == boxes.len();
        let is_sorted = !(is_whole && scatter::is_better(boxes.len(), bits));
        if is_sorted {
            radix::sort(&mut self.near, &mut self.pairs, bits);
        }
        Order { is_whole, is_sorted, bits }
    }

    /// Fills the tree with these boxes by id, whatever it held before; their keys were listed before.
    pub(super) fn fill(&mut self, boxes: &[Aabb], order: Order) {
        let (keys, level) = (&self.near, self.level);
        let count = keys.len();
        self.slots.reset(count);
        if count < boxes.len() {
            self.slot_of.clear();
        }
        self.slot_of.resize(boxes.len(), NONE);
        self.nodes.reset(count);
        let mut no_parents = [BoxBlock::EMPTY];
        if let Some((leaves, upper)) = self.nodes.levels.split_first_mut() {
            let parents = upper.first_mut().map_or(&mut no_parents[..], |parents| parents);
            let (corners, ids) = self.slots.parts_mut();
            let fill = |((((keys, leaves), parents), corners), ids): Filled<'_>| {
                let part = Part { leaves, parents, corners, ids };
                dispatch!(level, simd => part.fill(simd, boxes, keys, count >= OUT_OF_CACHE));
            };
            if !order.is_sorted {
                let scattered = Scattered { boxes, keys, bits: order.bits };
                let part = Part { leaves, parents, corners, ids };
                self.pairs.resize(count, Pair::default());
                dispatch!(level, simd => scattered.fill(simd, part, &mut self.pairs, &mut self.slot_of));
            } else if is_parallel(count) {
                let parts = keys.par_chunks(PORTION * LANES).zip(leaves.par_chunks_mut(PORTION));
                let parts = parts.zip(parents.par_chunks_mut(PORTION / LANES));
                let parts = parts.zip(corners.par_chunks_mut(PORTION * LANES * NUMBERS));
                parts.zip(ids.par_chunks_mut(PORTION * LANES)).for_each(fill);
            } else {
                fill(((((keys, leaves), parents), corners), ids));
            }
        }
        self.nodes.fill_upper(2);
        let Self { nodes, near, scratch, pairs, slots, slot_of, .. } = self;
        let mut list_slots = || {
            if order.is_sorted {
                (0u32..).zip(slots.ids()).for_each(|(slot, &id)| slot_of[id as usize] = slot);
            }
        };
        let mut join = || join_all(level, &nodes.levels, TOUCHING, (near, pairs), scratch);
        self.tests = if is_parallel(count) {
            rayon::join(list_slots, join).1
        } else {
            list_slots();
            join()
        };
        let pairs = self.near.len();
        self.pairs.truncate(pairs);
        give_back(&mut self.near, pairs);
        give_back(&mut self.pairs, pairs);
        self.count = count;
        self.left.clear();
        self.free.clear();
        self.quiet = 0..0;
        self.unsorted = 0;
        self.is_current = true;
        self.pairs_are_current = false;
        self.decay = follow::Decay::default();
    }

    /// Builds the tree as if its boxes had come all at once; there were no pairs before.
    pub(super) fn build_anew(&mut self) {
        let bounds = |id: u32| self.slot(id).map_or(NOTHING, |slot| self.slots.bounds(slot));
        let boxes: Vec<Aabb> = (0..self.slot_of.len() as u32).map(bounds).collect();
        let order = self.order(&boxes);
        self.fill(&boxes, order);
        if self.is_looked_at {
            let Self { near, events, slots, .. } = self;
            events.began.extend(near.iter().map(|pair| pair.ids(slots)));
        }
    }

    /// Sorts the slots anew and drops the free ones. Slots change their numbers: `near` and the marks go with them
    /// or, if the caller joins afterwards, are left behind.
    pub(super) fn sort(&mut self, keep_near: bool) {
        self.sort_by(keep_near, false);
    }

    /// As [`DynamicTree::sort`] with all that is near; if `apart`, what has moved comes first, in an order of its own.
    pub(super) fn sort_by(&mut self, keep_near: bool, apart: bool) {
        self.quiet = 0..0;
        let Self { nodes, slots, slot_of, near, left, level, carried, pairs, own_keys, new_slot, .. } = self;
        let old_leaves = nodes.levels.first().map_or(&[][..], |leaves| leaves);
        let keys = if keep_near { own_keys } else { &mut *near };
        // The list of ids is out of date: until it is written anew the sort has its memory.
        let bits = order::list(*level, old_leaves, keys);
        let mut movers = 0;
        if apart {
            for key in keys.iter_mut() {
                let has_moved = slots.has_moved(key.b);
                key.a |= u32::from(!has_moved) << bits;
                movers += u32::from(has_moved);
            }
        }
        radix::sort(keys, pairs, bits + u32::from(apart));
        carried.clear();
        carried.extend(keys.iter().map(|key| {
            let slot = key.b;
            Carried {
                id: slots.id(slot),
                bounds: slots.bounds(slot),
                enlarged: nodes.get(slot),
                has_moved: slots.has_moved(slot),
                has_left: slots.has_left(slot),
            }
        }));
        new_slot.clear();
        new_slot.resize(if keep_near { slots.len() } else { 0 }, NONE);
        slots.reset(keys.len());
        nodes.reset(keys.len());
        for (slot, (carried, key)) in (0u32..).zip(carried.iter().zip(keys.iter())) {
            slots.set_id(slot, carried.id);
            slots.set_bounds(slot, &carried.bounds);
            if keep_near && carried.has_moved {
                slots.mark_moved(slot);
            }
            if keep_near && carried.has_left {
                slots.mark_left(slot);
            }
            slot_of[carried.id as usize] = slot;
            if let Some(place) = new_slot.get_mut(key.b as usize) {
                *place = slot;
            }
        }
        if let Some(leaves) = nodes.levels.first_mut() {
            for (block, carried) in leaves.iter_mut().zip(carried.chunks(LANES)) {
                carried.iter().enumerate().for_each(|(lane, carried)| block.set(lane, &carried.enlarged));
            }
        }
        nodes.fill_upper(1);
        slots.set_movers(movers);
        if keep_near {
            for pair in near.iter_mut() {
                let (a, b) = (new_slot[pair.a as usize], new_slot[pair.second() as usize]);
                *pair = Pair::near(a.min(b), a.max(b), pair.is_touching());
            }
            left.iter_mut().for_each(|slot| *slot = new_slot[*slot as usize]);
        }
        if apart {
            // The pairs of movers come first, as their first slots do.
            radix::sort(near, pairs, usize::BITS - slots.len().leading_zeros());
            self.quiet = near.partition_point(|pair| slots.is_mover(pair.a))..near.len();
        }
        self.free.clear();
        self.unsorted = 0;
        self.decay = follow::Decay::default();
        if self.carried.len() > KEPT {
            self.carried = Vec::new();
        }
        if self.new_slot.len() > KEPT {
            (self.own_keys, self.new_slot) = (Vec::new(), Vec::new());
        }
    }
}

/// Whether the keys of boxes are in order, and what they are.
#[derive(Clone, Copy)]
pub(super) struct Order {
    /// All boxes are sound.
    pub(super) is_whole: bool,
    /// If not, the keys are in the order of ids.
    is_sorted: bool,
    /// How many bits a rank has.
    bits: u32,
}

/// Scratch of more entries than this is given back after use.
pub(super) const KEPT: usize = 1 << 15;

/// Gives back memory that a list had for the sort if it needs much less for its own `count`.
fn give_back(list: &mut Vec<Pair>, count: usize) {
    if list.capacity() > KEPT.max(count + count / 4) {
        list.shrink_to(count);
    }
}

/// What is known of a slot on its way to another place.
#[derive(Debug, Clone)]
pub(super) struct Carried {
    id: u32,
    bounds: Aabb,
    enlarged: Aabb,
    has_moved: bool,
    has_left: bool,
}

/// So many boxes are more than a cache holds.
pub(super) const OUT_OF_CACHE: usize = 1 << 18;

/// The slots under one parent.
pub(super) const FAMILY: usize = LANES * LANES;

/// Some slots with their leaves and the parents of these, whose first is that of the first slot.
pub(super) struct Part<'a> {
    pub(super) leaves: &'a mut [BoxBlock],
    pub(super) parents: &'a mut [BoxBlock],
    pub(super) corners: &'a mut [f32],
    pub(super) ids: &'a mut [u32],
}

/// The keys of a part and its fields.
type Filled<'a> = ((((&'a [Pair], &'a mut [BoxBlock]), &'a mut [BoxBlock]), &'a mut [f32]), &'a mut [u32]);

impl Part<'_> {
    /// Puts the boxes in the places that the keys give them.
    #[inline(always)]
    fn fill<S: Simd>(self, simd: S, boxes: &[Aabb], keys: &[Pair], is_far: bool) {
        let leaves = self.leaves.chunks_mut(LANES).zip(self.parents);
        let places = self.corners.chunks_mut(FAMILY * NUMBERS).zip(self.ids.chunks_mut(FAMILY));
        let mut fetched = [NOTHING; FAMILY];
        for ((keys, (leaves, parent)), (corners, ids)) in keys.chunks(FAMILY).zip(leaves).zip(places) {
            ids.iter_mut().zip(keys).for_each(|(id, key)| *id = key.b);
            if is_far {
                // Fetched before they are put in place: so many more reads from memory are under way at a time.
                for (bounds, key) in fetched.iter_mut().zip(keys) {
                    *bounds = boxes[key.b as usize];
                }
            }
            for (lane, (leaf, keys)) in leaves.iter_mut().zip(keys.chunks(LANES)).enumerate() {
                let corners = &mut corners[lane * LANES * NUMBERS..];
                let Ok(&[a, b, c, d, e, f, g, h]) = <&[Pair; LANES]>::try_from(keys) else {
                    fill_rest(leaf, corners, keys.iter().map(|key| &boxes[key.b as usize]));
                    parent.set(lane, &leaf.union());
                    continue;
                };
                let eight = if is_far {
                    let near = &fetched[lane * LANES..(lane + 1) * LANES];
                    [&near[0], &near[1], &near[2], &near[3], &near[4], &near[5], &near[6], &near[7]]
                } else {
                    [a, b, c, d, e, f, g, h].map(|key| &boxes[key.b as usize])
                };
                let eight = BoxNumbers::of_eight(simd, eight);
                for (numbers, place) in eight.iter().zip(corners.chunks_exact_mut(NUMBERS)) {
                    numbers.first.store_slice(&mut place[..4]);
                    numbers.last.store_slice(&mut place[2..]);
                }
                LoadedBlock::of(simd, eight).store(leaf);
                parent.set(lane, &BoxNumbers::union(eight));
            }
        }
    }
}

/// The last leaf, if it isn't full.
fn fill_rest<'a>(leaf: &mut BoxBlock, corners: &mut [f32], boxes: impl Iterator<Item = &'a Aabb>) {
    for (lane, (bounds, place)) in boxes.zip(corners.chunks_exact_mut(NUMBERS)).enumerate() {
        write_box(place, bounds);
        leaf.set(lane, bounds);
    }
}
