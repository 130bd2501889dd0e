//! One sorted axis of interval ends.

use super::super::sort_and_sweep::ordered;
use super::{GONE, TOUCHED};
use crate::bounds::Aabb;

/// An insertion sort that takes this many swaps an end is given up: sorting and searching anew is cheaper.
const SWAPS_AN_END: usize = 16;

/// The ends of all intervals in rising order. An end is one word: the coordinate in the order of the floats, whether it
/// ends or begins an interval, the id. The first is a sentinel below all others.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    ends: Vec<u64>,
}

const SENTINEL: u64 = 0;
const IS_END: u64 = 1 << 31;
const ID: u64 = IS_END - 1;

fn beginning(bounds: &Aabb, axis: usize, id: u32) -> u64 {
    // Adding 0 turns −0 into 0.
    u64::from(ordered(bounds.min[axis] + 0.0)) << 32 | u64::from(id)
}

fn end(bounds: &Aabb, axis: usize, id: u32) -> u64 {
    u64::from(ordered(bounds.max[axis] + 0.0)) << 32 | IS_END | u64::from(id)
}

impl Default for Axis {
    fn default() -> Self {
        Self { ends: vec![SENTINEL] }
    }
}

impl Axis {
    /// Gives the ends of touched intervals their new places, still in the old order, and takes out those that went.
    pub(super) fn move_ends(&mut self, axis: usize, now: &[Aabb], flags: &[u8]) {
        let mut kept = 1;
        for index in 1..self.ends.len() {
            let mut word = self.ends[index];
            let id = (word & ID) as u32;
            let flags = flags[id as usize];
            if flags & TOUCHED != 0 {
                if flags & GONE != 0 {
                    continue;
                }
                let bounds = &now[id as usize];
                word = if word & IS_END == 0 { beginning(bounds, axis, id) } else { end(bounds, axis, id) };
            }
            self.ends[kept] = word;
            kept += 1;
        }
        self.ends.truncate(kept);
    }

    /// Sorts by swaps of neighbours and calls `crossed` with the two ids whenever a beginning and an end change sides;
    /// false, and unsorted, if that takes too many swaps.
    pub(super) fn insertion_sort(&mut self, mut crossed: impl FnMut(u32, u32)) -> bool {
        let ends = self.ends.as_mut_slice();
        let mut budget = SWAPS_AN_END * ends.len();
        for index in 1..ends.len() {
            let word = ends[index];
            let mut place = index;
            // The sentinel stops it.
            while ends[place - 1] > word {
                let other = ends[place - 1];
                if (word ^ other) & IS_END != 0 {
                    crossed((word & ID) as u32, (other & ID) as u32);
                }
                ends[place] = other;
                place -= 1;
            }
            ends[place] = word;
            let swaps = index - place;
            if swaps > budget {
                return false;
            }
            budget -= swaps;
        }
        true
    }

    /// Sorts in any way.
    pub(super) fn sort(&mut self) {
        self.ends.sort_unstable();
    }

    /// Merges new intervals into the sorted ends.
    pub(super) fn merge_new(&mut self, axis: usize, now: &[Aabb], new: impl Iterator<Item = u32>) {
        let sorted = self.ends.len();
        for id in new {
            let bounds = &now[id as usize];
            self.ends.extend([beginning(bounds, axis, id), end(bounds, axis, id)]);
        }
        if self.ends.len() > sorted {
            // The standard stable sort finds the sorted stretch and merges the rest into it.
            self.ends[sorted..].sort_unstable();
            self.ends.sort();
        }
    }

    /// The ids in the order in which their intervals begin.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = u32> {
        self.ends[1..].iter().filter(|&&word| word & IS_END == 0).map(|&word| (word & ID) as u32)
    }

    pub(super) fn memory(&self) -> usize {
        self.ends.capacity() * size_of::<u64>()
    }
}
