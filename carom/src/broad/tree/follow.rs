//! Following motion: which boxes get another enlarged box, and what that changes in the pairs.

use super::super::Pair;
use super::super::block::LANES;
use super::super::events::Events;
use super::batch::BATCH;
use super::build::{KEPT, OUT_OF_CACHE};
use super::slots::Slots;
use super::{DynamicTree, NONE, NearPair, TOUCHING, is_parallel};
use crate::bounds::Aabb;
use crate::radix;
use fearless_simd::{Simd, dispatch};
use glam::Vec3;
use rayon::prelude::*;
use std::hint::black_box;
use std::ops::Range;

/// How many displacements ahead a box is enlarged.
const FRAMES_AHEAD: f32 = 32.0;
/// But by no more than this many times its largest extent: in a dense heap that falls, boxes that reach far ahead would
/// all be near each other.
const MOST_AHEAD: f32 = 1.0;
/// How much it is enlarged on every side besides, as a share of its largest extent.
const SHARE: f32 = 0.01;
/// An enlarged box with this many times the room it would be given now is given up.
const TOO_LARGE: f32 = 4.0;
/// Above one in this many changed slots all pairs are found anew.
const REJOIN_SHARE: usize = 4;
/// Up to one in this many slots may move for the others to count as still.
const MOVERS_SHARE: usize = 4;
/// From so many slots on, in a tree that the cache holds, what moves is told apart if it is at most one in so many.
const PARTED_FROM: usize = 1 << 12;
const FEW_MOVERS: usize = 16;
/// After so many refreshes in which something moved that is not among the movers.
const SURPRISES: u32 = 8;
/// What moves is told apart for the first time after this many refreshes.
pub(super) const PARTS_AFTER: u32 = 4;
/// Queries this much dearer than after the last sort make for another.
const DECAYED: f64 = 1.3;
/// How many queries must have been counted before decay is believed.
const ENOUGH_QUERIES: u64 = 512;

/// Whether an enlarged box has become too large is asked in one refresh of so many.
const ROOM_IS_JUDGED_EVERY: u32 = 32;

/// How many pairs are looked through at a time.
const CHUNK: usize = 1024;
/// How many slots are fetched before and after those at hand.
const AHEAD: usize = 1 << 12;
/// How many pairs a worker lists at a time.
const LISTED: usize = 1 << 13;

/// The cost of queries since the last sort.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Decay {
    first: Visits,
    lately: Visits,
}

#[derive(Debug, Clone, Copy, Default)]
struct Visits {
    queries: u64,
    blocks: u64,
}

impl Visits {
    fn mean(self) -> f64 {
        self.blocks as f64 / self.queries.max(1) as f64
    }
}

impl Decay {
    fn count(&mut self, queries: u64, blocks: u64) {
        let visits = if self.first.queries < ENOUGH_QUERIES { &mut self.first } else { &mut self.lately };
        visits.queries += queries;
        visits.blocks += blocks;
    }

    fn is_reached(&self) -> bool {
        self.lately.queries >= ENOUGH_QUERIES && self.lately.mean() > DECAYED * self.first.mean()
    }
}

/// How large a box is given room for the motion ahead and a little on every side; none if the enlarged box at hand still
/// serves.
pub(super) fn enlarged_if_needed(enlarged: &Aabb, bounds: &Aabb, displacement: Vec3) -> Option<Aabb> {
    let extents = bounds.max - bounds.min;
    let margin = SHARE * extents.max_element();
    let most = MOST_AHEAD * extents.max_element();
    let ahead = if displacement.is_finite() { displacement * FRAMES_AHEAD } else { Vec3::ZERO };
    let ahead = ahead.clamp(Vec3::splat(-most), Vec3::splat(most));
    if enlarged.min.cmple(bounds.min).all() && bounds.max.cmple(enlarged.max).all() {
        let room = (enlarged.max - enlarged.min) - extents;
        let wanted = 2.0 * margin + ahead.abs().max_element();
        if room.max_element() <= TOO_LARGE * wanted {
            return None;
        }
    }
    let grown =
        Aabb { min: bounds.min - margin + ahead.min(Vec3::ZERO), max: bounds.max + margin + ahead.max(Vec3::ZERO) };
    // A margin that overflows is none.
    Some(if grown.min.is_finite() && grown.max.is_finite() { grown } else { *bounds })
}

/// Touching pairs taken out of `near`, until they are found again or have ended. Each belongs to the slot that looks for
/// it, which comes first: that which left or, if both did, the smaller. In the order of these slots they are looked up
/// where the last one was, which a table of ids could not offer.
#[derive(Debug, Clone, Default)]
pub(super) struct Parted {
    /// The upper bit of the second slot says that it was found again.
    pairs: Vec<Pair>,
    spare: Vec<Pair>,
    /// How many were handed out by [`Parted::of`].
    taken: usize,
}

/// Writes the ids of touching pairs to a list that has room for all; returns how many there are.
fn list_touching(near: &[Pair], ids: &[u32], pairs: &mut [Pair]) -> usize {
    let mut count = 0;
    for pair in near {
        if let Some(place) = pairs.get_mut(count) {
            *place = Pair::new(ids[pair.a as usize], ids[pair.second() as usize]);
        }
        count += usize::from(pair.is_touching());
    }
    count
}

/// So many partners are looked through; more are sorted.
const LOOKED_THROUGH: usize = 16;

impl Parted {
    /// Orders the pairs by the slots that they belong to, all below `slots`.
    fn sort(&mut self, slots: usize) {
        self.taken = 0;
        radix::sort(&mut self.pairs, &mut self.spare, usize::BITS - slots.leading_zeros());
    }

    /// The pairs of a slot, which is greater than the one asked for before.
    #[inline(always)]
    fn of(&mut self, slot: u32) -> &mut [Pair] {
        let first = self.taken;
        let count = self.pairs[first..].iter().take_while(|pair| pair.a == slot).count();
        self.taken += count;
        let pairs = &mut self.pairs[first..first + count];
        if count > LOOKED_THROUGH {
            pairs.sort_unstable_by_key(|pair| pair.b);
        }
        pairs
    }

    /// Forgets all pairs, and memory that a quiet frame does not need.
    fn clear(&mut self) {
        self.pairs.clear();
        if self.pairs.capacity() > KEPT {
            *self = Self::default();
        }
    }

    pub(super) fn memory(&self) -> usize {
        (self.pairs.capacity() + self.spare.capacity()) * size_of::<Pair>()
    }
}

/// Whether a partner is among the pairs of one slot, which is noted.
fn is_found_again(pairs: &mut [Pair], partner: u32) -> bool {
    let found = if pairs.len() > LOOKED_THROUGH {
        pairs.binary_search_by_key(&partner, |pair| pair.second()).ok().map(|index| &mut pairs[index])
    } else {
        pairs.iter_mut().find(|pair| pair.second() == partner)
    };
    found.map(|pair| pair.b |= TOUCHING).is_some()
}

impl DynamicTree {
    /// Brings `near` and the events up to date with the boxes.
    pub(super) fn refresh(&mut self) {
        if self.is_current {
            return;
        }
        self.is_current = true;
        self.refreshes = self.refreshes.wrapping_add(1);
        self.judges_room = self.refreshes.is_multiple_of(ROOM_IS_JUDGED_EVERY);
        self.pairs_are_current = false;
        if !std::mem::take(&mut self.pairs_are_wanted) && self.pairs.capacity() > KEPT {
            // Who asks for changes only need not pay for the list.
            self.pairs = Vec::new();
        }
        self.events.begin();
        let removed = self.left.iter().any(|&slot| !self.slots.has_box(slot));
        self.events.may_cancel |= removed;
        if self.near.is_empty() && !removed && self.left.len() == self.count {
            self.build_anew();
        } else if self.left.len() * REJOIN_SHARE > self.count {
            self.rejoin();
        } else {
            let is_decayed = self.decay.is_reached() || self.unsorted * REJOIN_SHARE > self.count;
            let parts = self.is_to_be_parted();
            if is_decayed || parts {
                self.sort_in_place(parts || self.slots.has_movers());
            } else if !self.left.is_empty() {
                self.nodes.refit();
            }
            self.follow();
        }
        self.slots.forget_moves();
        self.left.clear();
    }

    /// Lists the touching pairs by id.
    pub(super) fn list_pairs(&mut self) {
        if std::mem::replace(&mut self.pairs_are_current, true) {
            return;
        }
        let Self { slots, near, pairs, .. } = self;
        let touching = |near: &[Pair]| near.iter().filter(|pair| pair.is_touching()).count();
        let list = |near: &[Pair], pairs: &mut [Pair]| {
            let touching = near.iter().filter(|pair| pair.is_touching());
            pairs.iter_mut().zip(touching).for_each(|(place, pair)| *place = pair.ids(slots));
        };
        if !is_parallel(near.len()) && near.len() <= pairs.capacity() {
            // There is room for all: each is written, and stays if the next is written behind it.
            pairs.resize(near.len(), Pair::default());
            let count = list_touching(near, slots.ids(), pairs);
            pairs.truncate(count);
            return;
        }
        let counts: Vec<usize> = near.par_chunks(LISTED).map(touching).collect();
        let total = counts.iter().sum();
        if pairs.capacity() < total {
            pairs.clear();
            pairs.reserve_exact(total);
        }
        pairs.resize(total, Pair::default());
        let mut rest = &mut pairs[..];
        let mut portions = Vec::with_capacity(counts.len());
        for (near, count) in near.chunks(LISTED).zip(counts) {
            let (places, after) = std::mem::take(&mut rest).split_at_mut(count);
            portions.push((near, places));
            rest = after;
        }
        portions.par_iter_mut().for_each(|(near, places)| list(near, places));
    }

    /// Sorts without losing the slots of removed proxies, whose pairs have yet to end.
    fn sort_in_place(&mut self, apart: bool) {
        self.end_removed();
        self.sort_by(true, apart);
    }

    /// Whether what moves is to have slots of its own. Of a large tree in which little moves, most of the memory need not
    /// be read any more then.
    fn is_to_be_parted(&mut self) -> bool {
        let (slots, moved) = (self.slots.len(), self.slots.moved_count());
        if slots < OUT_OF_CACHE {
            if slots < PARTED_FROM || moved * FEW_MOVERS >= slots || self.slots.surprises() == 0 {
                return false;
            }
            // Sorting costs about as much as they did.
            self.surprised = (self.surprised + 1) % SURPRISES;
            return self.surprised == 0;
        }
        let is_worth_it = slots >= OUT_OF_CACHE && moved * MOVERS_SHARE < slots && 2 * self.slots.surprises() > moved;
        if !is_worth_it || self.refreshes < self.parts_from {
            return false;
        }
        // Who moves something else all the time is not to pay for it often.
        self.parts_from = self.refreshes.saturating_add(self.refreshes.max(PARTS_AFTER));
        true
    }

    /// Takes out the pairs of removed proxies and frees their slots.
    fn end_removed(&mut self) {
        let Self { slots, near, events, left, is_looked_at, .. } = self;
        self.quiet = 0..0;
        near.retain(|pair| {
            let gone = !slots.has_box(pair.a) || !slots.has_box(pair.second());
            if gone && pair.is_touching() && *is_looked_at {
                events.ended.push(pair.ids(slots));
            }
            !gone
        });
        left.retain(|&slot| {
            let stays = slots.has_box(slot);
            if !stays {
                slots.set_id(slot, NONE);
            }
            stays
        });
    }

    /// The pairs of what has moved, and new neighbours of what left its enlarged box.
    fn follow(&mut self) {
        let level = self.level;
        let (first_began, first_ended) = (self.events.began.len(), self.events.ended.len());
        let compared = dispatch!(level, simd => self.compare_moved(simd));
        // In the order of the tree one query finds in the cache what the one before it has touched.
        self.left.sort_unstable();
        let blocks = dispatch!(level, simd => self.meet_neighbours(simd));
        self.tests = compared + blocks * LANES as u64;
        let Self { slots, near, left, free, gaps, events, quiet, .. } = self;
        // The events are of slots so far. Where no cache holds the ids, reading them is much faster all at once.
        let began = events.began[first_began..].iter_mut();
        began.chain(&mut events.ended[first_ended..]).for_each(|pair| *pair = pair.ids(slots));
        // What no new pair has taken is filled from the end.
        for &gap in gaps.iter().rev() {
            near.swap_remove(gap as usize);
        }
        quiet.end = quiet.end.min(near.len());
        for &slot in left.iter() {
            if !slots.has_box(slot) {
                slots.set_id(slot, NONE);
                free.push(slot);
            }
        }
    }

    /// Compares the boxes of pairs of which one has moved. Pairs of slots that left are taken out: where they stood is
    /// listed in `gaps`, and touching ones are parted. Returns how many pairs were looked at.
    #[inline(always)]
    fn compare_moved<S: Simd>(&mut self, simd: S) -> u64 {
        let Self { slots, near, events, parted, is_looked_at, left, gaps, quiet, .. } = self;
        let known = Known { slots, quiet, any_left: !left.is_empty(), is_looked_at: *is_looked_at };
        // The lists of the tree are lent.
        let lists = [&mut events.began, &mut events.ended, &mut parted.pairs].map(std::mem::take);
        let [began, ended, parted_pairs] = lists;
        let mut found = Found { began, ended, parted: parted_pairs, gaps: std::mem::take(gaps), tests: 0 };
        found.gaps.clear();
        known.compare(simd, near, &mut found);
        (events.began, events.ended, parted.pairs, *gaps) = (found.began, found.ended, found.parted, found.gaps);
        found.tests
    }

    /// Lists the pairs of what left its enlarged box, in the gaps first, of which the unused are left. Returns how many
    /// blocks were looked at.
    #[inline(always)]
    fn meet_neighbours<S: Simd>(&mut self, simd: S) -> u64 {
        let Self { slots, near, events, left, nodes, parted, gaps, batch, quiet, .. } = self;
        if gaps.iter().any(|gap| quiet.contains(&(*gap as usize))) {
            // What comes to stand there may move.
            *quiet = 0..0;
        }
        parted.sort(slots.len());
        let mut arrivals = Arrivals { near, gaps, filled: 0, events, is_looked_at: self.is_looked_at };
        let mut blocks = 0;
        for asking in left.chunks(BATCH) {
            blocks += batch.ask(simd, nodes, slots, asking);
            for (&slot, found) in asking.iter().zip(batch.answers()) {
                let before = parted.of(slot);
                for other in found.filter(|other| slots.is_asked_by(*other, slot)) {
                    arrivals.take(slot, other, slots.overlap(simd, slot, other), before);
                }
                arrivals.end(before);
            }
        }
        let filled = arrivals.filled;
        parted.clear();
        gaps.drain(..filled.min(gaps.len()));
        self.decay.count(left.len() as u64, blocks);
        blocks
    }
}

/// What [`DynamicTree::meet_neighbours`] fills.
struct Arrivals<'a> {
    near: &'a mut Vec<Pair>,
    gaps: &'a [u32],
    /// How many gaps are filled, or would be if there were as many.
    filled: usize,
    events: &'a mut Events,
    is_looked_at: bool,
}

impl Arrivals<'_> {
    /// A slot is near another now; `before` are those that it touched.
    #[inline(always)]
    fn take(&mut self, slot: u32, other: u32, is_touching: bool, before: &mut [Pair]) {
        let pair = Pair::near(slot.min(other), slot.max(other), is_touching);
        match self.gaps.get(self.filled) {
            Some(&gap) => self.near[gap as usize] = pair,
            None => push_sparingly(self.near, pair),
        }
        self.filled += 1;
        if is_touching && self.is_looked_at && !is_found_again(before, other) {
            self.events.began.push(pair);
        }
    }

    /// All have come that a slot is near.
    #[inline(always)]
    fn end(&mut self, before: &[Pair]) {
        self.events.ended.extend(before.iter().filter(|pair| !pair.is_touching()));
    }
}

/// The list grows by little, not by double: it is a large part of the tree's memory.
#[inline(always)]
fn push_sparingly(near: &mut Vec<Pair>, pair: Pair) {
    if near.len() == near.capacity() {
        near.reserve_exact(near.len() / 16 + CHUNK);
    }
    near.push(pair);
}

/// What has changed in some pairs.
struct Found {
    began: Vec<Pair>,
    ended: Vec<Pair>,
    /// See [`Parted`].
    parted: Vec<Pair>,
    /// Places of pairs of slots that left.
    gaps: Vec<u32>,
    /// How many pairs were looked at.
    tests: u64,
}

/// What is known when pairs are compared.
struct Known<'a> {
    slots: &'a Slots,
    quiet: &'a Range<usize>,
    any_left: bool,
    is_looked_at: bool,
}

impl Known<'_> {
    /// Compares pairs of which one has moved.
    #[inline(always)]
    fn compare<S: Simd>(&self, simd: S, near: &mut [Pair], found: &mut Found) {
        let slots = self.slots;
        if 2 * slots.moved_count() > slots.len() {
            for (place, pair) in (0u32..).zip(near.iter_mut()) {
                self.compare_pair(simd, place, pair, found);
            }
            found.tests += near.len() as u64;
            return;
        }
        // Which pairs have moved is hard to foresee, so those are listed first without asking.
        let mut moved = [0u16; CHUNK];
        let is_far = slots.len() >= OUT_OF_CACHE;
        let mut touched = 0;
        for (chunk, pairs) in (0u32..).zip(near.chunks_mut(CHUNK)) {
            let start = chunk * CHUNK as u32;
            let places = start as usize..start as usize + pairs.len();
            if slots.surprises() == 0 && self.quiet.contains(&places.start) && self.quiet.contains(&(places.end - 1)) {
                continue;
            }
            let mut count = 0;
            for (index, pair) in pairs.iter().enumerate() {
                moved[count % CHUNK] = index as u16;
                count += usize::from(slots.either_moved(pair.a, pair.second()));
            }
            if is_far && count > 0 {
                // Pairs that have moved are about in the order of their slots, and partners are close by. Read from
                // end to end their boxes come several times as fast as one by one.
                let pair = pairs[moved[count / 2] as usize];
                let middle = if slots.is_mover(pair.a) { pair.second() } else { pair.a } as usize;
                let (before, end) = (middle.saturating_sub(AHEAD), (middle + AHEAD).min(slots.len()));
                let start = if touched > end + AHEAD { before } else { before.max(touched) };
                if start < end {
                    black_box(slots.touch(start..end));
                    touched = end;
                }
            }
            for &index in &moved[..count] {
                self.compare_pair(simd, start + u32::from(index), &mut pairs[index as usize], found);
            }
            found.tests += count as u64;
        }
    }

    /// A pair and its place in the list.
    #[inline(always)]
    fn compare_pair<S: Simd>(&self, simd: S, place: u32, pair: &mut Pair, found: &mut Found) {
        let (a, b) = (pair.a, pair.second());
        if self.any_left && self.slots.either_left(a, b) {
            self.part(place, *pair, found);
        } else if self.slots.overlap(simd, a, b) != pair.is_touching() {
            pair.b ^= TOUCHING;
            self.tell(*pair, found);
        }
    }

    #[cold]
    fn part(&self, place: u32, pair: Pair, found: &mut Found) {
        if pair.is_touching() && self.is_looked_at {
            let (a, b) = (pair.a, pair.second());
            found.parted.push(if self.slots.has_left(a) { Pair { a, b } } else { Pair { a: b, b: a } });
        }
        found.gaps.push(place);
    }

    #[cold]
    fn tell(&self, pair: Pair, found: &mut Found) {
        if self.is_looked_at {
            let list = if pair.is_touching() { &mut found.began } else { &mut found.ended };
            list.push(pair);
        }
    }
}
