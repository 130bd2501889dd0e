//! All pairs at once: the blocks under one parent go down the tree together and meet the blocks that come after them.
//!
//! Which boxes overlap is as good as random to a processor, so a loop over the set bits of a mask costs a wrong guess
//! each time it ends, more than the test itself. Hence lists are appended to without asking: all eight lanes are
//! written, those that were hit in front, and the length grows by how many were ([`BoxBlock`] masks index a table).

use super::super::Pair;
use super::super::block::{BoxBlock, LANES};
use super::DynamicTree;
use super::nodes::SHIFT;
use fearless_simd::{Level, Simd, SimdBase, dispatch, u32x8};
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
const PORTIONS_A_THREAD: usize = 12;

impl DynamicTree {
    /// Replaces `near` by all pairs of overlapping enlarged boxes, each in the given state. Several threads take
    /// portions of the blocks and their pairs are put together in the order of the blocks, so the list is the same for
    /// any number of threads.
    pub(super) fn join_all(&mut self, state: u32) {
        let Self { level, nodes, near, scratch, pairs, .. } = self;
        self.tests = join_all(*level, &nodes.levels, state, (near, pairs), scratch);
    }
}

/// See [`DynamicTree::join_all`]; returns how many boxes were compared.
pub(super) fn join_all(
    level: Level,
    levels: &[Vec<BoxBlock>],
    state: u32,
    (near, pairs): (&mut Vec<Pair>, &mut Vec<Pair>),
    scratch: &mut JoinScratch,
) -> u64 {
    let parents = levels.first().map_or(0, Vec::len).div_ceil(LANES);
    if rayon::current_num_threads() == 1 || parents < 4 * PORTION {
        near.clear();
        let mut found = Found::new(&mut [], near, state);
        return dispatch!(level, simd => join(simd, levels, 0..parents, scratch, &mut found));
    }
    let length = parents.div_ceil(PORTIONS_A_THREAD * rayon::current_num_threads()).max(PORTION);
    let count = parents.div_ceil(length);
    // The list of ids is yet to be written: until then it holds the portions, as far as it has room for them.
    pairs.resize(pairs.capacity(), Pair::default());
    let share = pairs.len() / count;
    let portions: Vec<Portion<'_>> = pairs
        .chunks_exact_mut(share.max(1))
        .map(Some)
        .chain(std::iter::repeat_with(|| None))
        .take(count)
        .enumerate()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map_init(JoinScratch::default, |scratch, (portion, place)| {
            let range = portion * length..((portion + 1) * length).min(parents);
            let (place, mut beyond) = (place.unwrap_or_default(), Vec::new());
            let mut found = Found::new(place, &mut beyond, state);
            let tests = dispatch!(level, simd => join(simd, levels, range, scratch, &mut found));
            let written = found.written;
            Portion { tests, pairs: &place[..written], beyond }
        })
        .collect();
    let total: usize = portions.iter().map(Portion::len).sum();
    // What it held is overwritten: only what it is longer by is filled in vain.
    near.reserve_exact(total.saturating_sub(near.len()));
    near.resize(total, Pair::default());
    let mut rest = &mut near[..];
    let mut places = Vec::with_capacity(count);
    for portion in &portions {
        let (place, after) = std::mem::take(&mut rest).split_at_mut(portion.len());
        places.push((place, portion));
        rest = after;
    }
    places.par_iter_mut().for_each(|(place, portion)| {
        let (first, beyond) = place.split_at_mut(portion.pairs.len());
        first.copy_from_slice(portion.pairs);
        beyond.copy_from_slice(&portion.beyond);
    });
    portions.iter().map(|portion| portion.tests).sum()
}

/// What one worker has found.
struct Portion<'a> {
    tests: u64,
    pairs: &'a [Pair],
    /// What there was no room for.
    beyond: Vec<Pair>,
}

impl Portion<'_> {
    fn len(&self) -> usize {
        self.pairs.len() + self.beyond.len()
    }
}

/// The pairs whose smaller slot is in a leaf under one of the parents in `range`; returns how many boxes were compared.
#[inline(always)]
fn join<S: Simd>(
    simd: S,
    levels: &[Vec<BoxBlock>],
    range: Range<usize>,
    scratch: &mut JoinScratch,
    found: &mut Found<'_>,
) -> u64 {
    let Some((leaves, upper)) = levels.split_first() else { return 0 };
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
        let (here, others) = (&here[..met_count], &mut others[..]);
        let own_parent = &parents[parent];
        let first_leaf = parent * LANES;
        for (lane, leaf) in leaves[first_leaf..].iter().take(LANES).enumerate() {
            let bounds = own_parent.get(lane);
            let mut other_count = 0;
            let siblings = own_parent.overlaps(simd, &bounds) & (!1u32 << lane);
            append(simd, others, &mut other_count, siblings, first_leaf as u32);
            for &met in here {
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
                let mut held = found.count;
                for &task in &tasks[..task_count] {
                    let (other, lane) = (task >> SHIFT, task % LANES as u32);
                    let hits = leaves[other as usize].overlaps(simd, &leaf.get(lane as usize));
                    held = found.add(simd, held, hits, first_slot + lane, other << SHIFT);
                }
                found.count = held;
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
    /// Where they go, as long as there is room, and how many are there.
    place: &'a mut [Pair],
    written: usize,
    /// Where the rest goes.
    beyond: &'a mut Vec<Pair>,
    state: u32,
    count: usize,
    /// The first and the second slots of the pairs held.
    firsts: [u32; HELD],
    seconds: [u32; HELD],
}

impl<'a> Found<'a> {
    fn new(place: &'a mut [Pair], beyond: &'a mut Vec<Pair>, state: u32) -> Self {
        Self { place, written: 0, beyond, state, count: 0, firsts: [0; HELD], seconds: [0; HELD] }
    }

    /// The pairs within a leaf: those of lanes one, two, three and four apart.
    #[inline(always)]
    fn add_inside<S: Simd>(&mut self, simd: S, leaf: &BoxBlock, first_slot: u32) {
        let own = leaf.loaded(simd);
        let mut count = self.count;
        count = self.add_turned(simd, count, own.overlaps_turned::<1>(simd), 1, first_slot);
        count = self.add_turned(simd, count, own.overlaps_turned::<2>(simd), 2, first_slot);
        count = self.add_turned(simd, count, own.overlaps_turned::<3>(simd), 3, first_slot);
        count = self.add_turned(simd, count, own.overlaps_turned::<4>(simd) & 15, 4, first_slot);
        self.count = count;
    }

    /// Lanes that overlap the lane so many after them.
    #[inline(always)]
    fn add_turned<S: Simd>(&mut self, simd: S, mut count: usize, hits: u32, by: u32, first_slot: u32) -> usize {
        let lanes = u32x8::load_array_ref(simd, &SET_BITS[(hits & 255) as usize]);
        let others = (lanes + u32x8::splat(simd, by)) & u32x8::splat(simd, LANES as u32 - 1);
        if let Some(firsts) = self.firsts.get_mut(count..count + LANES) {
            (lanes.min(others) + u32x8::splat(simd, first_slot)).store_slice(firsts);
        }
        if let Some(seconds) = self.seconds.get_mut(count..count + LANES) {
            (lanes.max(others) + u32x8::splat(simd, first_slot | self.state)).store_slice(seconds);
        }
        count += (hits & 255).count_ones() as usize;
        if count > HELD - LANES {
            self.count = count;
            self.flush();
            count = 0;
        }
        count
    }

    /// A slot with each slot of a block that was hit. How many are held goes from call to call in a register: through
    /// memory each call would have to wait for the one before.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, mut count: usize, hits: u32, slot: u32, first_slot: u32) -> usize {
        if let Some(firsts) = self.firsts.get_mut(count..count + LANES) {
            u32x8::splat(simd, slot).store_slice(firsts);
        }
        append(simd, &mut self.seconds, &mut count, hits, first_slot | self.state);
        if count > HELD - LANES {
            self.count = count;
            self.flush();
            count = 0;
        }
        count
    }

    /// Lists what is held.
    #[cold]
    fn flush(&mut self) {
        let mut held = self.firsts.iter().zip(&self.seconds).take(self.count).map(|(&a, &b)| Pair { a, b });
        let room = &mut self.place[self.written..];
        let taken = room.len().min(self.count);
        room.iter_mut().zip(held.by_ref().take(taken)).for_each(|(place, pair)| *place = pair);
        self.written += taken;
        if self.beyond.capacity() - self.beyond.len() < self.count - taken {
            // By little, not by double: the list is a large part of the tree's memory.
            self.beyond.reserve_exact(self.beyond.len() / 16 + HELD);
        }
        self.beyond.extend(held);
        self.count = 0;
    }
}
