//! Sorting and filling at once, for boxes that no cache holds, on one thread.
//!
//! To fetch a box from anywhere in memory costs as much as reading a dozen in order. So each is moved twice instead: in
//! the order in which the boxes come, to the part of the curve that its rank lies in, and then, part by part within what
//! a cache holds, to its slot. Both are counting sorts and stable, so the slots are those that sorting by rank first
//! would give. Until a part is taken on its boxes are stored in the leaves that it will fill.
//! Cost: linear; 21 ns a box with a million of them, where a sort and fetching the boxes cost 30.

use super::super::Pair;
use super::super::block::{BoxBlock, BoxNumbers, LANES, LoadedBlock, NUMBERS};
use super::build::{FAMILY, OUT_OF_CACHE, Part};
use super::slots::read_box;
use crate::bounds::Aabb;
use fearless_simd::Simd;
use std::ops::Range;

/// How many bits of the ranks tell slots within a part.
const LOWER_BITS: u32 = 13;
/// Ranks of more bits would make for too many parts.
const MOST_BITS: u32 = 24;

/// Whether so many boxes with ranks of so many bits are filled in faster like this. Several threads share out sorted
/// keys instead.
pub(super) fn is_better(count: usize, bits: u32) -> bool {
    count >= OUT_OF_CACHE && (LOWER_BITS..=MOST_BITS).contains(&bits) && rayon::current_num_threads() == 1
}

/// Boxes by id, with the rank and the id of each.
pub(super) struct Scattered<'a> {
    pub(super) boxes: &'a [Aabb],
    pub(super) keys: &'a [Pair],
    pub(super) bits: u32,
}

impl Scattered<'_> {
    /// Fills the slots, their leaves and the parents of these, and lists the slot of each id. `spare` is scratch of any
    /// content.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&self, simd: S, mut slots: Part<'_>, spare: &mut [Pair], slot_of: &mut [u32]) {
        let starts = self.starts_of_parts();
        self.store(&starts, spare, slots.leaves);
        let mut lower = [0u32; 1 << LOWER_BITS];
        let mut families = 0;
        for part in starts.windows(2).filter(|part| part[0] < part[1]) {
            place(part[0] as usize..part[1] as usize, &mut lower, spare, &mut slots);
            // Boxes of the next part are stored from here on.
            let complete = part[1] as usize / FAMILY;
            slots.enclose(simd, families..complete);
            families = complete;
        }
        let all = slots.ids.len().div_ceil(FAMILY);
        slots.enclose(simd, families..all);

        // In the order of ids, the slots of each part are read in theirs.
        let mut next = starts;
        for (slot, key) in slot_of.iter_mut().zip(self.keys) {
            let next = &mut next[(key.a >> LOWER_BITS) as usize];
            *slot = spare[*next as usize].a;
            *next += 1;
        }
    }

    /// Where the boxes of each part begin, and the end of the last.
    fn starts_of_parts(&self) -> Vec<u32> {
        let mut starts = vec![0; (1 << (self.bits - LOWER_BITS)) + 1];
        self.keys.iter().for_each(|key| starts[(key.a >> LOWER_BITS) as usize + 1] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        starts
    }

    /// Puts boxes and keys where their parts are, those of a part in the order they had; only the lower bits of ranks
    /// are kept.
    fn store(&self, starts: &[u32], keys: &mut [Pair], leaves: &mut [BoxBlock]) {
        let mut next = starts.to_vec();
        for (bounds, key) in self.boxes.iter().zip(self.keys) {
            let next = &mut next[(key.a >> LOWER_BITS) as usize];
            let place = *next as usize;
            *next += 1;
            keys[place] = Pair { a: key.a % (1 << LOWER_BITS), b: key.b };
            leaves[place / LANES].store(place, bounds);
        }
    }
}

/// Puts the stored boxes of a part into their slots; each key then holds the slot.
fn place(part: Range<usize>, lower: &mut [u32; 1 << LOWER_BITS], keys: &mut [Pair], slots: &mut Part<'_>) {
    lower.fill(0);
    let index = |key: &Pair| key.a as usize % (1 << LOWER_BITS);
    for key in &keys[part.clone()] {
        lower[index(key)] += 1;
    }
    let mut sum = part.start as u32;
    for start in lower.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    for (place, key) in part.clone().zip(&mut keys[part]) {
        let next = &mut lower[index(key)];
        let slot = *next as usize;
        *next += 1;
        let first = slot * NUMBERS;
        slots.corners[first..first + NUMBERS].copy_from_slice(slots.leaves[place / LANES].stored(place));
        slots.ids[slot] = key.b;
        key.a = slot as u32;
    }
}

impl Part<'_> {
    /// Fills the leaves of some families from the boxes in their slots, and the parents of these.
    #[inline(always)]
    fn enclose<S: Simd>(&mut self, simd: S, families: Range<usize>) {
        for family in families {
            let leaves = self.leaves[family * LANES..].iter_mut().take(LANES);
            let rows = self.corners[family * FAMILY * NUMBERS..].chunks(LANES * NUMBERS);
            for (lane, (leaf, row)) in leaves.zip(rows).enumerate() {
                let Ok(row) = row.try_into() else {
                    *leaf = BoxBlock::EMPTY;
                    row.chunks_exact(NUMBERS)
                        .enumerate()
                        .for_each(|(lane, numbers)| leaf.set(lane, &read_box(numbers)));
                    self.parents[family].set(lane, &leaf.union());
                    continue;
                };
                let eight = BoxNumbers::of_row(simd, row);
                LoadedBlock::of(simd, eight).store(leaf);
                self.parents[family].set(lane, &BoxNumbers::union(eight));
            }
        }
    }
}
