//! The boxes of the tree: level 0 holds the enlarged boxes of the slots, each level above the box around each block of
//! the level below. Block `i` of a level lies around lane `i % 8` of block `i / 8` above.

use super::super::Drawn;
use super::super::block::{BoxBlock, LANES, NOTHING};
use super::{PORTION, is_parallel};
use crate::bounds::{Aabb, BoundingVolume};
use glam::Vec3A;
use rayon::prelude::*;

/// log2 of [`LANES`].
pub(super) const SHIFT: u32 = LANES.trailing_zeros();

/// Enough for a walk down: 2^31 slots make 11 levels, and each leaves 7 blocks to be visited later.
pub(super) const STACK: usize = 12 * LANES;

#[derive(Debug, Clone, Default)]
pub(super) struct Nodes {
    /// From the leaves up; the last has one block.
    pub(super) levels: Vec<Vec<BoxBlock>>,
    /// One bit a leaf block: a box in it has changed, so boxes above may be too large.
    dirty: Vec<u64>,
    slots: usize,
}

impl Nodes {
    /// The enlarged box of a slot.
    #[inline(always)]
    pub(super) fn get(&self, slot: u32) -> Aabb {
        match self.levels.first().and_then(|leaves| leaves.get((slot >> SHIFT) as usize)) {
            Some(block) => block.get(slot as usize),
            None => NOTHING,
        }
    }

    /// The corners of the enlarged box of a slot, for tests of all axes at once.
    #[inline(always)]
    pub(super) fn corners(&self, slot: u32) -> (Vec3A, Vec3A) {
        self.levels[0][(slot >> SHIFT) as usize].corners(slot as usize)
    }

    /// Reads from each line of memory that holds the enlarged box of this slot; what is returned means nothing.
    #[inline(always)]
    pub(super) fn touch_block_of(&self, slot: u32) -> u32 {
        self.levels[0][(slot >> SHIFT) as usize].touch()
    }

    /// Makes room for one slot more.
    pub(super) fn push_slot(&mut self) {
        self.slots += 1;
        let mut needed = self.slots.div_ceil(LANES);
        let mut level = 0;
        loop {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
                // A new top lies around what was the top.
                if let Some(below) = level.checked_sub(1) {
                    let unions: Vec<Aabb> = self.levels[below].iter().map(BoxBlock::union).collect();
                    let mut top = BoxBlock::EMPTY;
                    unions.iter().take(LANES).enumerate().for_each(|(lane, bounds)| top.set(lane, bounds));
                    self.levels[level].push(top);
                }
            }
            if self.levels[level].len() < needed {
                self.levels[level].resize(needed, BoxBlock::EMPTY);
            }
            if needed == 1 && level + 1 >= self.levels.len() {
                break;
            }
            needed = needed.div_ceil(LANES);
            level += 1;
        }
        self.dirty.resize(self.levels[0].len().div_ceil(64), 0);
    }

    /// Makes room for `slots` slots, which are all to be written; lanes beyond them are empty.
    pub(super) fn reset(&mut self, slots: usize) {
        self.slots = slots;
        let mut blocks = slots.div_ceil(LANES);
        let mut level = 0;
        while blocks > 0 {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].resize(blocks, BoxBlock::EMPTY);
            if let Some(last) = self.levels[level].last_mut() {
                *last = BoxBlock::EMPTY;
            }
            level += 1;
            blocks = if blocks == 1 { 0 } else { blocks.div_ceil(LANES) };
        }
        self.levels.truncate(level);
        self.dirty.clear();
        self.dirty.resize(slots.div_ceil(LANES).div_ceil(64), 0);
    }

    /// Gives a slot another box; those above have yet to follow by [`Nodes::refit`].
    #[inline(always)]
    pub(super) fn set(&mut self, slot: u32, bounds: &Aabb) {
        let block = (slot >> SHIFT) as usize;
        self.levels[0][block].set(slot as usize % LANES, bounds);
        self.dirty[block / 64] |= 1 << (block % 64);
    }

    /// Gives a slot another box and makes those above large enough for it; they shrink at the next [`Nodes::refit`].
    pub(super) fn enlarge(&mut self, slot: u32, bounds: &Aabb) {
        self.set(slot, bounds);
        let mut index = (slot >> SHIFT) as usize;
        for level in &mut self.levels[1..] {
            let (block, lane) = (index >> SHIFT, index % LANES);
            let around = level[block].get(lane);
            let grown = around.merged(bounds);
            if grown == around {
                break;
            }
            level[block].set(lane, &grown);
            index = block;
        }
    }

    /// Sets every box from a level above the leaves on to what it must enclose.
    pub(super) fn fill_upper(&mut self, first: usize) {
        for level in first..self.levels.len() {
            let (lower, upper) = self.levels.split_at_mut(level);
            let (lower, upper) = (&lower[level - 1], &mut upper[0]);
            let fill = |(block, children): (&mut BoxBlock, &[BoxBlock])| {
                for (lane, child) in children.iter().enumerate() {
                    block.set(lane, &child.union());
                }
            };
            if is_parallel(lower.len() * LANES) {
                upper.par_iter_mut().with_min_len(PORTION / LANES).zip(lower.par_chunks(LANES)).for_each(fill);
            } else {
                upper.iter_mut().zip(lower.chunks(LANES)).for_each(fill);
            }
        }
    }

    /// Shrinks the boxes above leaves that have changed to what they must enclose.
    pub(super) fn refit(&mut self) {
        // The same bits serve each level: those of a level's blocks are read before the next level's are written, and
        // a parent's index is never greater than its child's.
        for level in 1..self.levels.len() {
            let (lower, upper) = self.levels.split_at_mut(level);
            let (lower, upper) = (&lower[level - 1], &mut upper[0]);
            for word in 0..lower.len().div_ceil(64) {
                let mut bits = std::mem::take(&mut self.dirty[word]);
                while bits != 0 {
                    let index = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let (parent, lane) = (index >> SHIFT, index % LANES);
                    upper[parent].set(lane, &lower[index].union());
                    // Word 0 may be both read and written, but only at parents of children already taken.
                    self.dirty[parent / 64] |= 1 << (parent % 64);
                }
            }
        }
        self.dirty.fill(0);
    }

    pub(super) fn draw(&self, sink: &mut dyn FnMut(Drawn)) {
        for (depth, level) in (0u32..).zip(self.levels.iter().rev()) {
            for bounds in level.iter().flat_map(|block| (0..LANES).map(|lane| block.get(lane))) {
                if bounds.min.x <= bounds.max.x {
                    sink(Drawn::Node { bounds, depth });
                }
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        let blocks: usize = self.levels.iter().map(Vec::capacity).sum();
        blocks * size_of::<BoxBlock>() + self.dirty.capacity() * size_of::<u64>()
    }
}
