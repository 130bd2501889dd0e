//! The order of the live pairs in memory: that of their bodies in space.
//!
//! Stages go through the pairs block by block, and workers through their parts of the blocks. Pairs of neighbours that are
//! side by side in memory are one worker's from stage to stage and from step to step, and so are their bodies. Pairs come
//! and go at the end of the list, so the order is lost little by little; when as many as a part of all have changed it is
//! made anew. That depends on the history of the world only, as the order does.
//! Cost: a counting sort and a move of all pairs, now and then.

use super::{Clearance, Head, Meeting, Meetings};
use crate::slabs::Slabs;

/// Fewer pairs are not put in order: they are in every cache.
const FEW: usize = 2048;
/// They are when one in so many of them has changed.
const CHANGED: usize = 2;

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
        (self.live >= FEW || self.tidies_few) && self.changes as usize * CHANGED > self.live
    }

    /// Puts the live pairs in the order of their bodies, which are in slabs.
    pub(crate) fn tidy(&mut self, slabs: &Slabs) {
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
        self.reorder();
    }

    /// Moves all pairs to where the order wants them.
    fn reorder(&mut self) {
        let Self { heads, clearances, meetings, place_of, tidying: room, .. } = self;
        let order = || room.order.iter().map(|place| *place as usize);
        room.heads.clear();
        room.heads.extend(order().map(|place| heads[place]));
        room.clearances.clear();
        room.clearances.extend(order().map(|place| clearances[place]));
        room.meetings.clear();
        room.meetings.extend(order().map(|place| std::mem::replace(&mut meetings[place], Meeting::new())));
        std::mem::swap(heads, &mut room.heads);
        std::mem::swap(clearances, &mut room.clearances);
        std::mem::swap(meetings, &mut room.meetings);
        for (place, head) in (0..).zip(&*heads) {
            place_of.insert(head.pair, place);
        }
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
