//! Following motion: which boxes get another enlarged box, and what that changes in the pairs.

use super::super::events::Events;
use super::super::{Pair, PairSet};
use super::query::visit_slots;
use super::{DynamicTree, LEFT, NONE, NearPair, REMOVED};
use crate::bounds::{Aabb, BoundingVolume};
use fearless_simd::dispatch;
use glam::Vec3;

/// How many displacements ahead a box is enlarged.
const FRAMES_AHEAD: f32 = 16.0;
/// How much it is enlarged on every side besides, as a share of its largest extent.
const SHARE: f32 = 0.01;
/// An enlarged box with this many times the room it would be given now is given up.
const TOO_LARGE: f32 = 4.0;
/// Above one in this many changed slots all pairs are found anew.
const REJOIN_SHARE: usize = 4;
/// Queries this much dearer than after the last sort make for another.
const DECAYED: f64 = 1.3;
/// How many queries must have been counted before decay is believed.
const ENOUGH_QUERIES: u64 = 512;

/// How many pairs are looked through at a time.
const CHUNK: usize = 1024;

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

/// Another enlarged box, if the one at hand no longer fits: room for the motion ahead and a little on every side.
#[inline(always)]
pub(super) fn enlarged_if_needed(enlarged: &Aabb, bounds: &Aabb, displacement: Vec3) -> Option<Aabb> {
    let ahead = if displacement.is_finite() { displacement * FRAMES_AHEAD } else { Vec3::ZERO };
    let extents = bounds.max - bounds.min;
    let margin = SHARE * extents.max_element();
    let fits = enlarged.min.cmple(bounds.min).all() && bounds.max.cmple(enlarged.max).all();
    if fits {
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

/// Touching pairs taken out of `near`, until they are found again or have ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Parted {
    set: PairSet,
    list: Vec<Pair>,
}

impl Parted {
    fn insert(&mut self, pair: Pair) {
        self.set.insert(pair);
        self.list.push(pair);
    }

    fn remove(&mut self, pair: Pair) -> bool {
        self.set.remove(pair)
    }

    /// Those that were not found again have ended.
    fn end(&mut self, events: &mut Events) {
        let set = &mut self.set;
        events.ended.extend(self.list.drain(..).filter(|&pair| set.remove(pair)));
    }

    pub(super) fn memory(&self) -> usize {
        self.set.memory() + self.list.capacity() * size_of::<Pair>()
    }
}

impl DynamicTree {
    /// Brings `near` and the events up to date with the boxes.
    pub(super) fn refresh(&mut self) {
        if self.is_current {
            return;
        }
        self.is_current = true;
        self.pairs_are_current = false;
        self.events.begin();
        let removed = self.left.iter().any(|&slot| self.slots.flags[slot as usize] & REMOVED != 0);
        self.events.may_cancel |= removed;
        if self.left.len() * REJOIN_SHARE > self.count {
            self.rejoin();
        } else {
            if self.decay.is_reached() || self.unsorted * REJOIN_SHARE > self.count {
                self.sort_in_place();
            } else if !self.left.is_empty() {
                self.nodes.refit();
            }
            self.follow();
        }
        self.slots.flags.fill(0);
        self.left.clear();
    }

    /// Lists the touching pairs by id.
    pub(super) fn list_pairs(&mut self) {
        if std::mem::replace(&mut self.pairs_are_current, true) {
            return;
        }
        let ids = &self.slots.ids;
        self.pairs.clear();
        self.pairs.reserve_exact(self.near.iter().filter(|pair| pair.is_touching()).count());
        self.pairs.extend(
            self.near
                .iter()
                .filter(|pair| pair.is_touching())
                .map(|pair| Pair::new(ids[pair.a as usize], ids[pair.b() as usize])),
        );
    }

    /// Sorts without losing the slots of removed proxies, whose pairs have yet to end.
    fn sort_in_place(&mut self) {
        self.end_removed();
        self.sort(true);
    }

    /// Takes out the pairs of removed proxies and frees their slots.
    fn end_removed(&mut self) {
        let Self { slots, near, events, left, is_looked_at, .. } = self;
        let is_removed = |slot: u32| slots.flags[slot as usize] & REMOVED != 0;
        near.retain(|pair| {
            let gone = is_removed(pair.a) || is_removed(pair.b());
            if gone && pair.is_touching() && *is_looked_at {
                events.ended.push(Pair::new(slots.ids[pair.a as usize], slots.ids[pair.b() as usize]));
            }
            !gone
        });
        left.retain(|&slot| !is_removed(slot));
        for slot in 0..slots.ids.len() {
            if slots.flags[slot] & REMOVED != 0 {
                slots.ids[slot] = NONE;
            }
        }
    }

    /// All pairs anew, compared with those before.
    fn rejoin(&mut self) {
        if self.is_looked_at {
            for pair in self.near.iter().filter(|pair| pair.is_touching()) {
                self.parted.insert(Pair::new(self.slots.ids[pair.a as usize], self.slots.ids[pair.b() as usize]));
            }
        }
        self.near.clear();
        self.sort(false);
        self.join_all();
        let Self { slots, near, events, parted, is_looked_at, .. } = self;
        for pair in near.iter_mut() {
            let (a, b) = (pair.a as usize, pair.b() as usize);
            if slots.bounds[a].overlaps(&slots.bounds[b]) {
                pair.b_and_state |= NearPair::TOUCHING;
                let pair = Pair::new(slots.ids[a], slots.ids[b]);
                if *is_looked_at && !parted.remove(pair) {
                    events.began.push(pair);
                }
            }
        }
        parted.end(events);
        // The table for all pairs is as large as the tree and seldom needed.
        *parted = Parted::default();
    }

    /// Compares the boxes of pairs of which one has moved. Pairs of slots that left are taken out: their first slot is
    /// [`NONE`] afterwards.
    fn compare_moved(&mut self) {
        let Self { slots, near, events, parted, is_looked_at, .. } = self;
        // Which pairs have moved is hard to foresee, so those are listed first without asking.
        let mut moved = [0u16; CHUNK];
        for chunk in near.chunks_mut(CHUNK) {
            let mut count = 0;
            for (index, pair) in chunk.iter().enumerate() {
                let flags = slots.flags[pair.a as usize] | slots.flags[pair.b() as usize];
                moved[count % CHUNK] = index as u16;
                count += usize::from(flags != 0);
            }
            for &index in &moved[..count] {
                let pair = &mut chunk[index as usize];
                let (a, b) = (pair.a as usize, pair.b() as usize);
                if (slots.flags[a] | slots.flags[b]) & LEFT != 0 {
                    if pair.is_touching() && *is_looked_at {
                        parted.insert(Pair::new(slots.ids[a], slots.ids[b]));
                    }
                    pair.a = NONE;
                    continue;
                }
                let is_touching = slots.bounds[a].overlaps(&slots.bounds[b]);
                if is_touching != pair.is_touching() {
                    pair.b_and_state ^= NearPair::TOUCHING;
                    if *is_looked_at {
                        let list = if is_touching { &mut events.began } else { &mut events.ended };
                        list.push(Pair::new(slots.ids[a], slots.ids[b]));
                    }
                }
            }
        }
    }

    /// The pairs of what has moved, and new neighbours of what left its enlarged box.
    fn follow(&mut self) {
        self.compare_moved();
        let Self { slots, near, events, left, nodes, level, parted, is_looked_at, .. } = self;
        if !left.is_empty() {
            near.retain(|pair| pair.a != NONE);
            // In the order of the tree one query finds in the cache what the one before it has touched.
            left.sort_unstable();
        }

        let mut blocks = 0;
        dispatch!(*level, simd => for &slot in left.iter() {
            let own = nodes.get(slot);
            let bounds = slots.bounds[slot as usize];
            blocks += visit_slots(simd, &nodes.levels, &own, |other| {
                // Two that both left meet once.
                if other == slot || (slots.flags[other as usize] & LEFT != 0 && other < slot) {
                    return;
                }
                let is_touching = bounds.overlaps(&slots.bounds[other as usize]);
                near.push(NearPair::new(slot.min(other), slot.max(other), is_touching));
                if is_touching && *is_looked_at {
                    let pair = Pair::new(slots.ids[slot as usize], slots.ids[other as usize]);
                    if !parted.remove(pair) {
                        events.began.push(pair);
                    }
                }
            });
        });
        self.decay.count(left.len() as u64, blocks);
        parted.end(events);
        for &slot in left.iter() {
            if slots.flags[slot as usize] & REMOVED != 0 {
                slots.ids[slot as usize] = NONE;
                self.free.push(slot);
            }
        }
    }
}
