//! All pairs at once: each leaf block goes down the tree once and meets the blocks that come after it.
//!
//! Which boxes overlap is as good as random to a processor, so a loop over the set bits of a mask costs a wrong guess
//! each time it ends, more than the test itself. Hence lists are appended to without asking: all eight lanes are
//! written, those that were hit in front, and the length grows by how many were ([`BoxBlock`] masks index a table).

use super::super::block::{BoxBlock, LANES};
use super::nodes::SHIFT;
use super::{DynamicTree, NearPair};
use fearless_simd::{Simd, SimdBase, dispatch, u32x8};
use rayon::prelude::*;
use std::ops::Range;

/// Buffers of a join.
#[derive(Debug, Clone, Default)]
pub(super) struct JoinScratch {
    /// Blocks of a level that the block at hand may overlap, and of the next level down.
    here: Vec<u32>,
    below: Vec<u32>,
}

/// How many blocks are met at a time.
const BATCH: usize = 64;

impl JoinScratch {
    pub(super) fn memory(&self) -> usize {
        (self.here.capacity() + self.below.capacity()) * size_of::<u32>()
    }
}

/// The set bits of each mask, in ascending order, then anything.
static SET_BITS: [[u32; LANES]; 256] = set_bits();

const fn set_bits() -> [[u32; LANES]; 256] {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < LANES {
            if mask >> bit & 1 == 1 {
                table[mask][count] = bit as u32;
                count += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
}

/// Appends `offset + bit << shift` for each bit of `mask` to the first `count` of `list`, which has room for eight more.
#[inline(always)]
fn append<S: Simd>(simd: S, list: &mut [u32], count: &mut usize, mask: u32, offset: u32) {
    let bits = u32x8::load_array_ref(simd, &SET_BITS[(mask & 255) as usize]);
    if let Some(place) = list.get_mut(*count..*count + LANES) {
        (bits + u32x8::splat(simd, offset)).store_slice(place);
    }
    *count += (mask & 255).count_ones() as usize;
}

/// How many blocks a worker takes at a time.
const PORTION: usize = 256;

impl DynamicTree {
    /// Replaces `near` by all pairs of overlapping enlarged boxes, none of them marked as touching. Several threads
    /// take portions of the blocks and their pairs are put together in the order of the blocks, so the list is the same
    /// for any number of threads.
    pub(super) fn join_all(&mut self) {
        let Self { level, nodes, near, scratch, .. } = self;
        let (level, levels) = (*level, &nodes.levels);
        near.clear();
        let blocks = levels.first().map_or(0, Vec::len);
        if rayon::current_num_threads() == 1 || blocks < 4 * PORTION {
            self.tests = dispatch!(level, simd => join(simd, levels, 0..blocks, scratch, near));
            return;
        }
        let portions: Vec<(u64, Vec<NearPair>)> = (0..blocks.div_ceil(PORTION))
            .into_par_iter()
            .map_init(JoinScratch::default, |scratch, portion| {
                let range = portion * PORTION..((portion + 1) * PORTION).min(blocks);
                let mut near = Vec::new();
                let tests = dispatch!(level, simd => join(simd, levels, range, scratch, &mut near));
                (tests, near)
            })
            .collect();
        near.reserve_exact(portions.iter().map(|(_, pairs)| pairs.len()).sum());
        portions.iter().for_each(|(_, pairs)| near.extend_from_slice(pairs));
        self.tests = portions.iter().map(|(tests, _)| tests).sum();
    }
}

/// The pairs whose smaller slot is in one of the blocks of `range`; returns how many boxes were compared.
#[inline(always)]
fn join<S: Simd>(
    simd: S,
    levels: &[Vec<BoxBlock>],
    range: Range<usize>,
    scratch: &mut JoinScratch,
    near: &mut Vec<NearPair>,
) -> u64 {
    let Some((leaves, upper)) = levels.split_first() else { return 0 };
    let JoinScratch { here, below } = scratch;
    here.resize(leaves.len() + LANES, 0);
    below.resize(leaves.len() + LANES, 0);
    // Lanes of the block at hand with the block that each must be compared with: `block << 3 | lane`.
    let mut tasks = [0u32; (BATCH + 1) * LANES];
    let mut found = Found::new(near);
    let mut tests = 0;
    for (index, block) in leaves.iter().enumerate().take(range.end).skip(range.start) {
        let own = block.loaded(simd);
        let first_slot = (index * LANES) as u32;
        for lane in 0..LANES - 1 {
            found.add(own.overlaps(simd, &block.get(lane)) & (!1u32 << lane), first_slot + lane as u32, first_slot);
        }
        tests += LANES - 1;
        let Some(parents) = upper.first() else { break };
        let bounds = parents[index >> SHIFT].get(index % LANES);
        let mut count = 1;
        here[0] = 0;
        for (height, level) in upper.iter().enumerate().rev() {
            // Blocks before this one have met it already; on the way down its own ancestors must stay.
            let own_ancestor = (index >> (SHIFT as usize * height)) as u32 + u32::from(height == 0);
            let mut count_below = 0;
            for &node in &here[..count] {
                let first_child = node << SHIFT;
                let met = own_ancestor.saturating_sub(first_child).min(LANES as u32);
                let hits = level[node as usize].overlaps(simd, &bounds) & (!0u32 << met);
                append(simd, below, &mut count_below, hits, first_child);
            }
            tests += count;
            count = count_below;
            std::mem::swap(here, below);
        }
        for batch in here[..count].chunks(BATCH) {
            let mut task_count = 0;
            for &other in batch {
                let other_bounds = parents[other as usize >> SHIFT].get(other as usize % LANES);
                append(simd, &mut tasks, &mut task_count, own.overlaps(simd, &other_bounds), other << SHIFT);
            }
            tests += batch.len() + task_count;
            for &task in &tasks[..task_count] {
                let (other, lane) = (task >> SHIFT, task % LANES as u32);
                let hits = leaves[other as usize].overlaps(simd, &block.get(lane as usize));
                found.add(hits, first_slot + lane, other << SHIFT);
            }
        }
    }
    found.flush();
    (tests * LANES) as u64
}

/// Pairs on their way to the list.
struct Found<'a> {
    near: &'a mut Vec<NearPair>,
    buffer: [NearPair; 512],
    count: usize,
}

impl<'a> Found<'a> {
    fn new(near: &'a mut Vec<NearPair>) -> Self {
        Self { near, buffer: [NearPair { a: 0, b_and_state: 0 }; 512], count: 0 }
    }

    /// A slot with each slot of a block that was hit. Most hit none or one: that is written without asking.
    #[inline(always)]
    fn add(&mut self, mut hits: u32, slot: u32, first_slot: u32) {
        loop {
            let other = first_slot + (hits.trailing_zeros() & 7);
            self.buffer[self.count % 512] = NearPair { a: slot, b_and_state: other };
            self.count += usize::from(hits != 0);
            if self.count >= 512 {
                self.flush();
            }
            hits &= hits.wrapping_sub(1);
            if hits == 0 {
                break;
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        if self.near.capacity() - self.near.len() < self.count {
            // By a quarter, not by double: the list is the largest part of the tree's memory.
            self.near.reserve_exact(self.near.len() / 4 + self.buffer.len());
        }
        self.near.extend_from_slice(&self.buffer[..self.count]);
        self.count = 0;
    }
}
