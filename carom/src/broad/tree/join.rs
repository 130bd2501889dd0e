//! All pairs at once: the blocks under one parent go down the tree together and meet the blocks that come after them.
//!
//! Which boxes overlap is as good as random to a processor, so a loop over the set bits of a mask costs a wrong guess
//! each time it ends, more than the test itself. Hence lists are appended to without asking: all eight lanes are
//! written, those that were hit in front, and the length grows by how many were ([`BoxBlock`] masks index a table).

use super::super::Pair;
use super::super::block::{BoxBlock, LANES};
use super::DynamicTree;
use super::nodes::SHIFT;
use fearless_simd::{Simd, SimdBase, dispatch, u32x8};
use rayon::prelude::*;
use std::ops::Range;

/// Buffers of a join.
#[derive(Debug, Clone, Default)]
pub(super) struct JoinScratch {
    /// Blocks of a level that the blocks at hand may overlap, and of the next level down.
    here: Vec<u32>,
    below: Vec<u32>,
    /// Leaves that the leaf at hand may overlap.
    others: Vec<u32>,
}

/// How many leaves are compared at a time.
const BATCH: usize = 64;

impl JoinScratch {
    pub(super) fn memory(&self) -> usize {
        (self.here.capacity() + self.below.capacity() + self.others.capacity()) * size_of::<u32>()
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

/// Appends `offset + bit` for each bit of `mask` to the first `count` of `list`, which has room for eight more.
#[inline(always)]
fn append<S: Simd>(simd: S, list: &mut [u32], count: &mut usize, mask: u32, offset: u32) {
    let bits = u32x8::load_array_ref(simd, &SET_BITS[(mask & 255) as usize]);
    if let Some(place) = list.get_mut(*count..*count + LANES) {
        (bits + u32x8::splat(simd, offset)).store_slice(place);
    }
    *count += (mask & 255).count_ones() as usize;
}

/// How many parents of leaves a worker takes at the least.
const PORTION: usize = 32;
/// How many portions there are for each thread, so that none waits long for the others.
const PORTIONS_A_THREAD: usize = 6;

impl DynamicTree {
    /// Replaces `near` by all pairs of overlapping enlarged boxes, each in the given state. Several threads take
    /// portions of the blocks and their pairs are put together in the order of the blocks, so the list is the same for
    /// any number of threads.
    pub(super) fn join_all(&mut self, state: u32) {
        let Self { level, nodes, near, scratch, .. } = self;
        let (level, levels) = (*level, &nodes.levels);
        near.clear();
        let parents = levels.first().map_or(0, Vec::len).div_ceil(LANES);
        if rayon::current_num_threads() == 1 || parents < 4 * PORTION {
            self.tests = dispatch!(level, simd => join(simd, levels, 0..parents, state, scratch, near));
            return;
        }
        let length = parents.div_ceil(PORTIONS_A_THREAD * rayon::current_num_threads()).max(PORTION);
        let count = parents.div_ceil(length);
        // About as many as last time.
        let expected = near.capacity() / count * 5 / 4;
        let portions: Vec<(u64, Vec<Pair>)> = (0..count)
            .into_par_iter()
            .map_init(JoinScratch::default, |scratch, portion| {
                let range = portion * length..((portion + 1) * length).min(parents);
                let mut near = Vec::with_capacity(expected);
                let tests = dispatch!(level, simd => join(simd, levels, range, state, scratch, &mut near));
                (tests, near)
            })
            .collect();
        let total = portions.iter().map(|(_, pairs)| pairs.len()).sum::<usize>();
        near.reserve_exact(total);
        near.resize(total, Pair::default());
        let mut rest = &mut near[..];
        let mut places = Vec::with_capacity(count);
        for (_, pairs) in &portions {
            let (place, after) = std::mem::take(&mut rest).split_at_mut(pairs.len());
            places.push((place, pairs));
            rest = after;
        }
        places.par_iter_mut().for_each(|(place, pairs)| place.copy_from_slice(pairs));
        self.tests = portions.iter().map(|(tests, _)| tests).sum();
    }
}

/// The pairs whose smaller slot is in a leaf under one of the parents in `range`; returns how many boxes were compared.
#[inline(always)]
fn join<S: Simd>(
    simd: S,
    levels: &[Vec<BoxBlock>],
    range: Range<usize>,
    state: u32,
    scratch: &mut JoinScratch,
    near: &mut Vec<Pair>,
) -> u64 {
    let Some((leaves, upper)) = levels.split_first() else { return 0 };
    let mut found = Found::new(near, state);
    let Some((parents, upper)) = upper.split_first() else {
        leaves.iter().for_each(|leaf| found.add_inside(simd, leaf, 0));
        found.flush();
        return (leaves.len() * LANES * LANES) as u64;
    };
    let JoinScratch { here, below, others } = scratch;
    here.resize(parents.len() + LANES, 0);
    below.resize(parents.len() + LANES, 0);
    // Lanes of the leaf at hand with the leaf that each must be compared with: `leaf << 3 | lane`.
    let mut tasks = [0u32; (BATCH + 1) * LANES];
    let mut tests = 0;
    for parent in range {
        let met_count = later_parents(simd, upper, parent, here, below, &mut tests);
        if others.len() < (met_count + 2) * LANES {
            others.resize((met_count + 2) * LANES, 0);
        }
        let own_parent = &parents[parent];
        let first_leaf = parent * LANES;
        for (lane, leaf) in leaves[first_leaf..].iter().take(LANES).enumerate() {
            let bounds = own_parent.get(lane);
            let mut other_count = 0;
            let siblings = own_parent.overlaps(simd, &bounds) & (!1u32 << lane);
            append(simd, others, &mut other_count, siblings, first_leaf as u32);
            for &met in &here[..met_count] {
                let hits = parents[met as usize].overlaps(simd, &bounds);
                append(simd, others, &mut other_count, hits, met << SHIFT);
            }

            let first_slot = ((first_leaf + lane) * LANES) as u32;
            found.add_inside(simd, leaf, first_slot);
            tests += met_count + other_count + LANES;
            for batch in others[..other_count].chunks(BATCH) {
                let own = leaf.loaded(simd);
                let mut task_count = 0;
                for &other in batch {
                    let other_bounds = parents[other as usize >> SHIFT].get(other as usize);
                    append(simd, &mut tasks, &mut task_count, own.overlaps(simd, &other_bounds), other << SHIFT);
                }
                tests += task_count;
                for &task in &tasks[..task_count] {
                    let (other, lane) = (task >> SHIFT, task % LANES as u32);
                    let hits = leaves[other as usize].overlaps(simd, &leaf.get(lane as usize));
                    found.add(simd, hits, first_slot + lane, other << SHIFT);
                }
            }
        }
    }
    found.flush();
    (tests * LANES) as u64
}

/// Fills `here` with the parents of leaves after `parent` that overlap it, in order; `upper` are the levels above them.
/// Returns how many there are.
#[inline(always)]
fn later_parents<S: Simd>(
    simd: S,
    upper: &[Vec<BoxBlock>],
    parent: usize,
    here: &mut Vec<u32>,
    below: &mut Vec<u32>,
    tests: &mut usize,
) -> usize {
    let Some(grandparents) = upper.first() else { return 0 };
    let bounds = grandparents[parent >> SHIFT].get(parent % LANES);
    let mut count = 1;
    here[0] = 0;
    for (height, level) in upper.iter().enumerate().rev() {
        // Those before this one have met it already; on the way down its own ancestors must stay.
        let own_ancestor = (parent >> (SHIFT as usize * height)) as u32 + u32::from(height == 0);
        let mut count_below = 0;
        for &node in &here[..count] {
            let first_child = node << SHIFT;
            let met = own_ancestor.saturating_sub(first_child).min(LANES as u32);
            let hits = level[node as usize].overlaps(simd, &bounds) & (!0u32 << met);
            append(simd, below, &mut count_below, hits, first_child);
        }
        *tests += count;
        count = count_below;
        std::mem::swap(here, below);
    }
    count
}

/// How many pairs are held back before they are listed.
const HELD: usize = 512;

/// Pairs on their way to the list.
struct Found<'a> {
    near: &'a mut Vec<Pair>,
    state: u32,
    count: usize,
    /// The first and the second slots of the pairs held.
    firsts: [u32; HELD],
    seconds: [u32; HELD],
}

impl<'a> Found<'a> {
    fn new(near: &'a mut Vec<Pair>, state: u32) -> Self {
        Self { near, state, count: 0, firsts: [0; HELD], seconds: [0; HELD] }
    }

    /// The pairs within a leaf.
    #[inline(always)]
    fn add_inside<S: Simd>(&mut self, simd: S, leaf: &BoxBlock, first_slot: u32) {
        let own = leaf.loaded(simd);
        for lane in 0..LANES - 1 {
            let later = own.overlaps(simd, &leaf.get(lane)) & (!1u32 << lane);
            self.add(simd, later, first_slot + lane as u32, first_slot);
        }
    }

    /// A slot with each slot of a block that was hit.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, hits: u32, slot: u32, first_slot: u32) {
        if let Some(firsts) = self.firsts.get_mut(self.count..self.count + LANES) {
            u32x8::splat(simd, slot).store_slice(firsts);
        }
        append(simd, &mut self.seconds, &mut self.count, hits, first_slot | self.state);
        if self.count > HELD - LANES {
            self.flush();
        }
    }

    /// Lists what is held.
    #[cold]
    fn flush(&mut self) {
        if self.near.capacity() - self.near.len() < self.count {
            // By little, not by double: the list is a large part of the tree's memory.
            self.near.reserve_exact(self.near.len() / 16 + HELD);
        }
        let held = self.firsts.iter().zip(&self.seconds).take(self.count);
        self.near.extend(held.map(|(&a, &b)| Pair { a, b }));
        self.count = 0;
    }
}
