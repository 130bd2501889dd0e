//! Filling the tree: the slots in the order of the curve, the blocks above them, all pairs.

use super::super::Pair;
use super::super::block::{BoxBlock, LANES, NOTHING};
use super::slots::{NUMBERS, write_box};
use super::{DynamicTree, NONE, NearPair, PORTION, TOUCHING, follow, is_parallel, order};
use crate::bounds::Aabb;
use rayon::prelude::*;

impl DynamicTree {
    /// Sorts boxes on the memory of both lists of pairs; says whether all are sound. The tree must be filled or its pairs
    /// found again afterwards.
    pub(super) fn order(&mut self, boxes: &[Aabb]) -> bool {
        order::sort(self.level, boxes, &mut self.near, &mut self.pairs);
        self.near.len() == boxes.len()
    }

    /// Fills the tree with these boxes by id, whatever it held before; they were put in order before.
    pub(super) fn fill(&mut self, boxes: &[Aabb]) {
        let keys = &self.near;
        let count = keys.len();
        self.slots.reset(count);
        if count < boxes.len() {
            self.slot_of.clear();
        }
        self.slot_of.resize(boxes.len(), NONE);
        self.nodes.reset(count);
        if let Some(leaves) = self.nodes.levels.first_mut() {
            let fill = |(((keys, blocks), corners), ids): Filled<'_>| {
                let places = corners.chunks_exact_mut(NUMBERS).zip(ids);
                let mut put = |index: usize, key: &Pair, bounds: &Aabb, (corners, id): (&mut [f32], &mut u32)| {
                    *id = key.b;
                    write_box(corners, bounds);
                    blocks[index / LANES].set(index % LANES, bounds);
                };
                if count < OUT_OF_CACHE {
                    for (index, (key, place)) in keys.iter().zip(places).enumerate() {
                        put(index, key, &boxes[key.b as usize], place);
                    }
                    return;
                }
                // Fetched before they are put in place: so many more reads from memory are under way at a time.
                let mut fetched = [NOTHING; FETCHED];
                for (bounds, key) in fetched.iter_mut().zip(keys) {
                    *bounds = boxes[key.b as usize];
                }
                for (index, ((key, bounds), place)) in keys.iter().zip(&fetched).zip(places).enumerate() {
                    put(index, key, bounds, place);
                }
            };
            let (corners, ids) = self.slots.parts_mut();
            if is_parallel(count) {
                let keys = keys.par_chunks(FETCHED).with_min_len(PORTION * LANES / FETCHED);
                let blocks = leaves.par_chunks_mut(FETCHED / LANES);
                let corners = corners.par_chunks_mut(FETCHED * NUMBERS);
                keys.zip(blocks).zip(corners).zip(ids.par_chunks_mut(FETCHED)).for_each(fill);
            } else {
                let blocks = keys.chunks(FETCHED).zip(leaves.chunks_mut(FETCHED / LANES));
                blocks.zip(corners.chunks_mut(FETCHED * NUMBERS)).zip(ids.chunks_mut(FETCHED)).for_each(fill);
            }
        }
        for (slot, &id) in (0u32..).zip(self.slots.ids()) {
            self.slot_of[id as usize] = slot;
        }
        self.nodes.fill_upper();
        self.join_all(TOUCHING);
        let pairs = self.near.len();
        self.pairs.clear();
        give_back(&mut self.near, pairs);
        give_back(&mut self.pairs, pairs);
        self.count = count;
        self.left.clear();
        self.free.clear();
        self.unsorted = 0;
        self.is_current = true;
        self.pairs_are_current = false;
        self.decay = follow::Decay::default();
    }

    /// Builds the tree as if its boxes had come all at once; there were no pairs before.
    pub(super) fn build_anew(&mut self) {
        let bounds = |id: u32| self.slot(id).map_or(NOTHING, |slot| self.slots.bounds(slot));
        let boxes: Vec<Aabb> = (0..self.slot_of.len() as u32).map(bounds).collect();
        self.order(&boxes);
        self.fill(&boxes);
        if self.is_looked_at {
            let Self { near, events, slots, .. } = self;
            events.began.extend(near.iter().map(|pair| pair.ids(slots)));
        }
    }

    /// Sorts the slots anew and drops the free ones. Slots change their numbers: `near` and the marks go with them
    /// or, if the caller joins afterwards, are left behind.
    pub(super) fn sort(&mut self, keep_near: bool) {
        let Self { nodes, slots, slot_of, near, left, level, carried, pairs, .. } = self;
        let old_leaves = nodes.levels.first().map_or(&[][..], |leaves| leaves);
        let mut own_keys = Vec::new();
        let keys = if keep_near { &mut own_keys } else { &mut *near };
        // The list of ids is out of date: until it is written anew the sort has its memory.
        order::sort(*level, old_leaves, keys, pairs);
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
        let mut new_slot = if keep_near { vec![NONE; slots.len()] } else { Vec::new() };
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
        nodes.fill_upper();
        if keep_near {
            for pair in near.iter_mut() {
                let (a, b) = (new_slot[pair.a as usize], new_slot[pair.second() as usize]);
                *pair = Pair::near(a.min(b), a.max(b), pair.is_touching());
            }
            left.iter_mut().for_each(|slot| *slot = new_slot[*slot as usize]);
        }
        self.free.clear();
        self.unsorted = 0;
        self.decay = follow::Decay::default();
        if self.carried.len() > KEPT {
            self.carried = Vec::new();
        }
    }
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
const OUT_OF_CACHE: usize = 1 << 18;

/// How many boxes are fetched at a time.
const FETCHED: usize = 64;

/// Keys of so many boxes, and where the boxes go.
type Filled<'a> = (((&'a [Pair], &'a mut [BoxBlock]), &'a mut [f32]), &'a mut [u32]);
