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
}

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

/// The set bits of a mask of eight, and how many there are.
#[inline(always)]
fn set_bits_of<S: Simd>(simd: S, mask: u32) -> (u32x8<S>, usize) {
    let mask = mask & 255;
    (u32x8::load_array_ref(simd, &SET_BITS[mask as usize]), mask.count_ones() as usize)
}

/// Appends `offset + bit` for each bit of `mask` to the first `count` of `list`, which has room for eight more.
#[inline(always)]
fn append<S: Simd>(simd: S, list: &mut [u32], count: &mut usize, mask: u32, offset: u32) {
    let (bits, count_set) = set_bits_of(simd, mask);
    if let Some(place) = list.get_mut(*count..*count + LANES) {
        (bits + u32x8::splat(simd, offset)).store_slice(place);
    }
    *count += count_set;
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
        leaves.iter().for_each(|leaf| found.count = found.add_inside(simd, found.count, leaf, 0));
        found.flush();
        return (leaves.len() * LANES * LANES) as u64;
    };
    let JoinScratch { here, below } = scratch;
    here.resize(parents.len() + LANES, 0);
    below.resize(parents.len() + LANES, 0);
    let mut walk = Walk { leaves, parents, families: Held::new(), pairs: Held::new(), tasks: Held::new() };
    let mut tests = 0;
    for parent in range {
        let met_count = later_parents(simd, upper, parent, here, below, &mut tests);
        let own_parent = &parents[parent];
        let first_leaf = parent * LANES;
        let mut counts = Counts { families: 0, pairs: 0, tasks: 0, found: found.count, tests: 0 };
        for (lane, leaf) in leaves[first_leaf..].iter().take(LANES).enumerate() {
            let own = (first_leaf + lane) as u32;
            counts.found = found.add_inside(simd, counts.found, leaf, own << SHIFT);
            let siblings = own_parent.overlaps(simd, &own_parent.get(lane)) & (!1u32 << lane);
            counts.pairs = walk.pairs.add_seconds(simd, counts.pairs, siblings, own, first_leaf as u32);
        }
        tests += LANES * (LANES + 1) + met_count;
        let own = own_parent.loaded(simd);
        for &met in &here[..met_count] {
            let bounds = upper[0][met as usize >> SHIFT].get(met as usize);
            let hits = own.overlaps(simd, &bounds);
            counts.families = walk.families.add_firsts(simd, counts.families, hits, first_leaf as u32, met);
            if counts.families > HELD - LANES {
                walk.meet_families(simd, &mut counts, found);
            }
        }
        walk.meet_families(simd, &mut counts, found);
        walk.meet_pairs(simd, &mut counts, found);
        walk.meet_tasks(simd, &mut counts, found);
        tests += counts.tests;
        found.count = counts.found;
    }
    found.flush();
    (tests * LANES) as u64
}

/// What is to be compared, level by level, in lists that are emptied when they are full.
struct Walk<'a> {
    leaves: &'a [BoxBlock],
    parents: &'a [BoxBlock],
    /// Leaves, each with a parent of others that it overlaps.
    families: Held,
    /// Leaves, each with another leaf that it overlaps.
    pairs: Held,
    /// Slots, each with a leaf that it overlaps.
    tasks: Held,
}

/// How long the lists of a walk are. Apart from them, so that they stay in registers: through memory each addition would
/// have to wait for the one before.
struct Counts {
    families: usize,
    pairs: usize,
    tasks: usize,
    found: usize,
    /// How many blocks were compared.
    tests: usize,
}

impl Walk<'_> {
    /// Each leaf with the leaves under a parent.
    #[inline(always)]
    fn meet_families<S: Simd>(&mut self, simd: S, counts: &mut Counts, found: &mut Found<'_>) {
        counts.tests += counts.families;
        for index in 0..counts.families {
            let (leaf, parent) = self.families.get(index);
            let bounds = self.parents[leaf as usize >> SHIFT].get(leaf as usize);
            let hits = self.parents[parent as usize].overlaps(simd, &bounds);
            counts.pairs = self.pairs.add_seconds(simd, counts.pairs, hits, leaf, parent << SHIFT);
            if counts.pairs > HELD - LANES {
                self.meet_pairs(simd, counts, found);
            }
        }
        counts.families = 0;
    }

    /// Each leaf with another.
    #[inline(always)]
    fn meet_pairs<S: Simd>(&mut self, simd: S, counts: &mut Counts, found: &mut Found<'_>) {
        counts.tests += counts.pairs;
        for index in 0..counts.pairs {
            let (leaf, other) = self.pairs.get(index);
            let bounds = self.parents[other as usize >> SHIFT].get(other as usize);
            let hits = self.leaves[leaf as usize].overlaps(simd, &bounds);
            counts.tasks = self.tasks.add_firsts(simd, counts.tasks, hits, leaf << SHIFT, other);
            if counts.tasks > HELD - LANES {
                self.meet_tasks(simd, counts, found);
            }
        }
        counts.pairs = 0;
    }

    /// Each slot with a leaf.
    #[inline(always)]
    fn meet_tasks<S: Simd>(&mut self, simd: S, counts: &mut Counts, found: &mut Found<'_>) {
        counts.tests += counts.tasks;
        for index in 0..counts.tasks {
            let (slot, leaf) = self.tasks.get(index);
            let bounds = self.leaves[slot as usize >> SHIFT].get(slot as usize);
            let hits = self.leaves[leaf as usize].overlaps(simd, &bounds);
            counts.found = found.add(simd, counts.found, hits, slot, leaf << SHIFT);
        }
        counts.tasks = 0;
    }
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

/// How many are held at most.
const HELD: usize = 512;

/// A list of twos, with room for eight more than it holds.
struct Held {
    firsts: [u32; HELD + LANES],
    seconds: [u32; HELD + LANES],
}

impl Held {
    fn new() -> Self {
        Self { firsts: [0; HELD + LANES], seconds: [0; HELD + LANES] }
    }

    #[inline(always)]
    fn get(&self, index: usize) -> (u32, u32) {
        (self.firsts[index % HELD], self.seconds[index % HELD])
    }

    /// After the first `count`, one with each of a block that was hit, of which the first is given; returns how many
    /// there are then.
    #[inline(always)]
    fn add_seconds<S: Simd>(&mut self, simd: S, count: usize, hits: u32, first: u32, second: u32) -> usize {
        let (hits, count_hit) = set_bits_of(simd, hits);
        self.write(count, u32x8::splat(simd, first), hits + u32x8::splat(simd, second));
        count + count_hit
    }

    /// As [`Held::add_seconds`], each of a block that was hit with another.
    #[inline(always)]
    fn add_firsts<S: Simd>(&mut self, simd: S, count: usize, hits: u32, first: u32, second: u32) -> usize {
        let (hits, count_hit) = set_bits_of(simd, hits);
        self.write(count, hits + u32x8::splat(simd, first), u32x8::splat(simd, second));
        count + count_hit
    }

    /// As [`Held::add_seconds`], lanes of a block with those `by` after them.
    #[inline(always)]
    fn add_turned<S: Simd>(&mut self, simd: S, count: usize, hits: u32, by: u32, first: u32) -> usize {
        let (lanes, count_hit) = set_bits_of(simd, hits);
        let others = (lanes + u32x8::splat(simd, by)) & u32x8::splat(simd, LANES as u32 - 1);
        let first = u32x8::splat(simd, first);
        self.write(count, lanes.min(others) + first, lanes.max(others) + first);
        count + count_hit
    }

    #[inline(always)]
    fn write<S: Simd>(&mut self, count: usize, firsts: u32x8<S>, seconds: u32x8<S>) {
        let place = count % HELD;
        firsts.store_slice(&mut self.firsts[place..place + LANES]);
        seconds.store_slice(&mut self.seconds[place..place + LANES]);
    }
}

/// Pairs of slots on their way to the list.
struct Found<'a> {
    /// Where they go, as long as there is room, and how many are there.
    place: &'a mut [Pair],
    written: usize,
    /// Where the rest goes.
    beyond: &'a mut Vec<Pair>,
    state: u32,
    count: usize,
    held: Held,
}

impl<'a> Found<'a> {
    fn new(place: &'a mut [Pair], beyond: &'a mut Vec<Pair>, state: u32) -> Self {
        Self { place, written: 0, beyond, state, count: 0, held: Held::new() }
    }

    /// The pairs within a leaf: those of lanes one, two, three and four apart. Takes and returns, as [`Found::add`]
    /// does, how many are held.
    #[inline(always)]
    fn add_inside<S: Simd>(&mut self, simd: S, mut count: usize, leaf: &BoxBlock, first_slot: u32) -> usize {
        let own = leaf.loaded(simd);
        count = self.held.add_turned(simd, count, own.overlaps_turned::<1>(), 1, first_slot);
        count = self.held.add_turned(simd, count, own.overlaps_turned::<2>(), 2, first_slot);
        count = self.held.add_turned(simd, count, own.overlaps_turned::<3>(), 3, first_slot);
        count = self.held.add_turned(simd, count, own.overlaps_turned::<4>() & 15, 4, first_slot);
        self.without_excess(count)
    }

    /// A slot with each slot of a block that was hit.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, count: usize, hits: u32, slot: u32, first_slot: u32) -> usize {
        let count = self.held.add_seconds(simd, count, hits, slot, first_slot);
        self.without_excess(count)
    }

    /// Lists what is held if there may be no room for the pairs of another leaf.
    #[inline(always)]
    fn without_excess(&mut self, count: usize) -> usize {
        if count <= HELD - 4 * LANES {
            return count;
        }
        self.count = count;
        self.flush();
        0
    }

    /// Lists what is held.
    #[cold]
    fn flush(&mut self) {
        let count = std::mem::take(&mut self.count);
        let mut held =
            self.held.firsts.iter().zip(&self.held.seconds).take(count).map(|(&a, &b)| Pair { a, b: b | self.state });
        let room = &mut self.place[self.written..];
        let taken = room.len().min(count);
        room.iter_mut().zip(held.by_ref().take(taken)).for_each(|(place, pair)| *place = pair);
        self.written += taken;
        if self.beyond.capacity() - self.beyond.len() < count - taken {
            // By little, not by double: the list is a large part of the tree's memory.
            self.beyond.reserve_exact(self.beyond.len() / 16 + HELD);
        }
        self.beyond.extend(held);
    }
}
