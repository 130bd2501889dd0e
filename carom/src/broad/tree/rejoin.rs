//! All pairs anew, when many boxes have left their enlarged ones, compared with those before.

use super::super::Pair;
use super::build::KEPT;
use super::{DynamicTree, NONE, NearPair, TOUCHING};
use fearless_simd::{Simd, dispatch};

/// The pairs that touched before, by their smaller slots.
#[derive(Debug, Clone, Default)]
pub(super) struct Before {
    /// By id.
    pairs: Vec<Pair>,
    /// Where the partners of each slot begin, and the end of the last.
    starts: Vec<u32>,
    /// The greater slots; the upper bit says that the pair still touches.
    partners: Vec<u32>,
}

impl Before {
    pub(super) fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>() + (self.starts.capacity() + self.partners.capacity()) * 4
    }

    /// Sorts the pairs by their smaller slots; `slots_of` gives the slots of a pair, the smaller first, unless one of its
    /// proxies is gone.
    fn sort(&mut self, slots: usize, slots_of: impl Fn(Pair) -> Option<Pair>) {
        self.starts.clear();
        self.starts.resize(slots + 1, 0);
        for pair in self.pairs.iter().filter_map(|&pair| slots_of(pair)) {
            self.starts[pair.a as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.partners.clear();
        self.partners.resize(sum as usize, 0);
        // From the back, each run fills from its end to its start, which the table then holds.
        for pair in self.pairs.iter().rev().filter_map(|&pair| slots_of(pair)) {
            let start = &mut self.starts[pair.a as usize];
            *start -= 1;
            self.partners[*start as usize] = pair.b;
        }
    }

    fn partners_of(&mut self, slot: u32) -> &mut [u32] {
        let (start, end) = (self.starts[slot as usize], self.starts[slot as usize + 1]);
        &mut self.partners[start as usize..end as usize]
    }
}

impl DynamicTree {
    /// Lists near pairs as they were at the last refresh, after the memory of the list was used for something else.
    pub(super) fn find_near_again(&mut self) {
        self.join_all(0);
        let Self { slots, near, level, .. } = self;
        dispatch!(*level, simd => mark_touching(simd, slots, near));
        self.pairs_are_current = false;
        self.quiet = 0..0;
    }

    /// Sorts and joins all slots, and tells what began and ended.
    pub(super) fn rejoin(&mut self) {
        let mut before = std::mem::take(&mut self.before);
        before.pairs.clear();
        if self.is_looked_at {
            let touching = self.near.iter().filter(|pair| pair.is_touching());
            before.pairs.extend(touching.map(|pair| pair.ids(&self.slots)));
        }
        self.sort(false);
        self.left.clear();
        self.join_all(0);
        let Self { slots, slot_of, near, events, is_looked_at, level, .. } = self;
        dispatch!(*level, simd => mark_touching(simd, slots, near));
        if *is_looked_at {
            let slots_of = |pair: Pair| {
                let (a, b) = (slot_of[pair.a as usize], slot_of[pair.b as usize]);
                (a != NONE && b != NONE).then(|| Pair::new(a, b))
            };
            before.sort(slots.len(), slots_of);
            for pair in near.iter().filter(|pair| pair.is_touching()) {
                match before.partners_of(pair.a).iter_mut().find(|partner| **partner == pair.second()) {
                    Some(partner) => *partner |= TOUCHING,
                    None => events.began.push(pair.ids(slots)),
                }
            }
            events.ended.extend(before.pairs.iter().filter(|&&pair| slots_of(pair).is_none()));
            for slot in 0..slots.len() as u32 {
                let ended = before.partners_of(slot).iter().filter(|&&partner| partner & TOUCHING == 0);
                events.ended.extend(ended.map(|&partner| Pair::new(slots.id(slot), slots.id(partner))));
            }
        }
        if before.pairs.len() <= KEPT {
            self.before = before;
        }
    }
}

/// Marks the pairs whose boxes overlap.
#[inline(always)]
fn mark_touching<S: Simd>(simd: S, slots: &super::slots::Slots, near: &mut [Pair]) {
    for pair in near {
        pair.b |= if slots.overlap(simd, pair.a, pair.b) { TOUCHING } else { 0 };
    }
}
