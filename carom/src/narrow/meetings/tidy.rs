//! The order of the live pairs in memory: that of their bodies in space.
//!
//! Stages go through the pairs block by block, and workers through their parts of the blocks. Pairs of neighbours that are
//! side by side in memory are one worker's from stage to stage and from step to step, and so are their bodies. Pairs come
//! and go at the end of the list, so the order is lost little by little; when as many as a part of all have changed it is
//! made anew. That depends on the history of the world only, as the order does.
//! Cost: a counting sort, and a move of all pairs by all workers, now and then.

use super::{BLOCK, Clearance, Head, Meeting, Meetings};
use crate::slabs::Slabs;
use crate::threads::{self, Shared, Task};

/// Fewer pairs are not put in order: they are in every cache.
const FEW: usize = 2048;
/// They are when one in so many of them has changed.
const CHANGED: usize = 4;
/// So many pairs before its turn one is asked for.
const AHEAD: usize = 4;

/// Room to sort in; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Of each body its place among those that contacts move, or how many these are.
    rank_of: Vec<u32>,
    /// Of each rank how many pairs have it, and then where the next goes.
    counts: Vec<u32>,
    /// Of each pair where it was.
    order: Vec<u32>,
    heads: Vec<Head>,
    clearances: Vec<Clearance>,
    meetings: Vec<Meeting>,
}

impl Meetings {
    /// Whether so many pairs have changed that they should be put in order.
    pub(crate) fn is_untidy(&self) -> bool {
        self.live >= FEW && self.changes as usize * CHANGED > self.live || self.changes > 0 && threads::is_few_ordered()
    }

    /// Puts the live pairs in the order of their bodies, which are in slabs.
    pub(crate) fn tidy(&mut self, slabs: &Slabs, workers: usize) {
        self.changes = 0;
        let Room { rank_of, counts, order, .. } = &mut self.tidying;
        let (_, movable) = slabs.order_by_kind();
        rank_of.clear();
        rank_of.resize(slabs.of_bodies().len(), movable.len() as u32);
        for (rank, dense) in (0..).zip(movable) {
            rank_of[*dense as usize] = rank;
        }
        let rank = |head: &Head| {
            let [a, b] = head.bodies.map(|body| rank_of[body as usize]);
            a.min(b) as usize
        };
        counts.clear();
        counts.resize(movable.len() + 1, 0);
        let live = &self.heads[..self.live];
        live.iter().for_each(|head| counts[rank(head)] += 1);
        let mut next = 0;
        counts.iter_mut().for_each(|count| next += std::mem::replace(count, next));
        order.clear();
        order.resize(self.live, 0);
        for (place, head) in (0..).zip(live) {
            let next = &mut counts[rank(head)];
            order[*next as usize] = place;
            *next += 1;
        }
        order.extend(self.live as u32..self.heads.len() as u32);
        self.reorder(workers);
    }

    /// Moves all pairs to where the order wants them: each worker those that it will collide.
    fn reorder(&mut self, workers: usize) {
        let Self { heads, clearances, meetings, places, counters, tidying: room, .. } = self;
        let Some(&any) = heads.first() else { return };
        room.heads.resize(heads.len(), any);
        room.clearances.resize(heads.len(), Clearance::UNKNOWN);
        room.meetings.resize_with(heads.len(), Meeting::new);
        let moves = places.reorder();
        let order = &room.order;
        let (to_heads, to_clearances) = (Shared::new(&mut room.heads), Shared::new(&mut room.clearances));
        let (meetings_before, to_meetings) = (Shared::new(meetings), Shared::new(&mut room.meetings));
        let size = threads::block_size(BLOCK);
        threads::run(workers, &[order.len().div_ceil(size) as u32], counters, |Task { block, .. }| {
            for place in (0..order.len()).skip(block as usize * size).take(size) {
                if let Some(&ahead) = order.get(place + AHEAD) {
                    meetings_before.fetch_all_to_write(ahead as usize);
                    threads::fetch(&raw const heads[ahead as usize], size_of::<Head>());
                }
                let from = order[place] as usize;
                // SAFETY: each place is in the order once, and in one block.
                #[allow(unsafe_code)]
                unsafe {
                    *to_heads.get_mut(place) = heads[from];
                    *to_clearances.get_mut(place) = clearances[from];
                    std::mem::swap(to_meetings.get_mut(place), meetings_before.get_mut(from));
                    moves.put(from, place);
                }
            }
        });
        std::mem::swap(heads, &mut room.heads);
        std::mem::swap(clearances, &mut room.clearances);
        std::mem::swap(meetings, &mut room.meetings);
    }
}

#[cfg(test)]
impl Meetings {
    /// All that pairs keep, by pair.
    pub(crate) fn all_kept(&self) -> Vec<(crate::broad::Pair, String)> {
        let all = self.heads.iter().zip(&self.clearances).zip(&self.meetings);
        let mut kept: Vec<_> = all
            .map(|((head, clearance), meeting)| (head.pair, format!("{head:?} {clearance:?} {meeting:?}")))
            .collect();
        kept.sort_unstable();
        kept
    }
}
