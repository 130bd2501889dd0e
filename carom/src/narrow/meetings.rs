//! All pairs of colliders whose boxes overlap, with what each keeps from step to step.

use super::stage::{Manifold, Meeting, Room};
use super::{InnerEdges, mesh};
use crate::body::{Bodies, Collider};
use crate::broad::{Changes, Pair};
use crate::island;
use crate::threads::{self, Counters, Shared, Task};
use crate::world::Margins;
use std::collections::HashMap;

/// So many pairs are collided by a worker in one go.
const BLOCK: usize = 32;

/// A pair, and what is asked of it in every step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Head {
    pub(crate) pair: Pair,
    /// Whether one of the two moves and neither is left out: else it is as it was.
    pub(crate) is_live: bool,
    /// Whether it touched after the last step, and after the one before.
    pub(crate) is_touching: bool,
    pub(crate) was_touching: bool,
    /// Whether it is only told of, and pushes nothing.
    pub(crate) is_sensor: bool,
    /// How many manifolds it has.
    pub(crate) manifolds: u32,
}

impl Head {
    pub(crate) fn pushes(&self) -> bool {
        self.is_live && !self.is_sensor && self.manifolds > 0
    }
}

/// Pairs that met, in the order in which they did, as far as none has ended since.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    heads: Vec<Head>,
    meetings: Vec<Meeting>,
    /// Asked, never walked: its order means nothing.
    place_of: HashMap<Pair, u32>,
    spare: Vec<Meeting>,
    rooms: Vec<Room>,
    counters: Counters,
    inner_edges: InnerEdges,
    seams: mesh::SeamScratch,
}

impl Meetings {
    pub(crate) fn new(inner_edges: InnerEdges) -> Self {
        Self { inner_edges, ..Self::default() }
    }

    /// Follows the broad phase. `ended` is called with what a pair that is no more was.
    pub(crate) fn follow(&mut self, changes: Changes<'_>, bodies: &Bodies, mut ended: impl FnMut(&Head, &[Manifold])) {
        for pair in changes.ended {
            let Some(place) = self.place_of.remove(pair) else { continue };
            let head = self.heads.swap_remove(place as usize);
            let mut meeting = self.meetings.swap_remove(place as usize);
            ended(&head, meeting.manifolds());
            if let Some(moved) = self.heads.get(place as usize) {
                self.place_of.insert(moved.pair, place);
            }
            meeting.clear();
            self.spare.push(meeting);
        }
        for &pair in changes.began {
            let (Some(a), Some(b)) = (bodies.collider(pair.a), bodies.collider(pair.b)) else { continue };
            if a.body == b.body || self.place_of.contains_key(&pair) {
                continue;
            }
            self.place_of.insert(pair, self.heads.len() as u32);
            let is_sensor = a.is_sensor || b.is_sensor;
            let (is_live, is_touching, was_touching) = (true, false, false);
            self.heads.push(Head { pair, is_live, is_touching, was_touching, is_sensor, manifolds: 0 });
            self.meetings.push(self.spare.pop().unwrap_or_else(Meeting::new));
        }
    }

    /// Bodies are awake that were not: their pairs take part as they are.
    pub(crate) fn enliven(&mut self, bodies: &Bodies) {
        for head in &mut self.heads {
            if let (Some(a), Some(b)) = (bodies.collider(head.pair.a), bodies.collider(head.pair.b)) {
                head.is_live = is_live(a, b, bodies);
            }
        }
    }

    /// Bodies have other numbers now.
    pub(crate) fn renumber(&mut self, bodies: &Bodies) {
        for manifold in self.meetings.iter_mut().flat_map(|meeting| meeting.manifolds_mut()) {
            for part in [&mut manifold.pair.a, &mut manifold.pair.b] {
                part.body = bodies.collider(part.collider).map_or(part.body, |collider| collider.body);
            }
        }
    }

    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// The pairs.
    pub(crate) fn heads(&self) -> &[Head] {
        &self.heads
    }

    pub(crate) fn meetings(&self) -> &[Meeting] {
        &self.meetings
    }

    /// The pairs and what they keep, to write the solver's answers to.
    pub(crate) fn meetings_mut(&mut self) -> &mut [Meeting] {
        &mut self.meetings
    }

    /// All manifolds, in the order of the pairs.
    pub(crate) fn manifolds(&self) -> impl Iterator<Item = &Manifold> {
        self.meetings.iter().flat_map(|meeting| meeting.manifolds()).filter(|manifold| !manifold.is_inner)
    }

    /// The manifolds that push: with the place of their pair and their number in it.
    pub(crate) fn pushing(&self) -> impl Iterator<Item = (u32, u32, &Manifold)> {
        let live = (0u32..).zip(self.heads.iter().zip(&self.meetings)).filter(|(_, (head, _))| head.pushes());
        live.flat_map(|(place, (_, meeting))| {
            let manifolds = (0u32..).zip(meeting.manifolds()).filter(|(_, manifold)| !manifold.is_inner);
            manifolds.map(move |(index, manifold)| (place, index, manifold))
        })
    }

    /// The same, to write what they did.
    pub(crate) fn pushing_mut(&mut self) -> impl Iterator<Item = &mut Manifold> {
        let live = self.heads.iter().zip(&mut self.meetings).filter(|(head, _)| head.pushes());
        live.flat_map(|(_, meeting)| meeting.manifolds_mut()).filter(|manifold| !manifold.is_inner)
    }

    /// The stage: collides all pairs that may have changed.
    pub(crate) fn collide(&mut self, bodies: &Bodies, workers: usize, margins: Margins) {
        let Self { heads, meetings, rooms, counters, .. } = self;
        let blocks = heads.len().div_ceil(BLOCK) as u32;
        let workers = if blocks < 4 { 1 } else { workers };
        while rooms.len() < workers.clamp(1, threads::MOST_WORKERS) {
            rooms.push(Room::with_inner_edges(self.inner_edges));
        }
        let (shared_heads, shared_meetings) = (Shared::new(heads), Shared::new(meetings));
        let shared_rooms = Shared::new(rooms);
        threads::run(workers, &[blocks], counters, |Task { worker, block, .. }| {
            let start = block as usize * BLOCK;
            for place in start..shared_heads.len().min(start + BLOCK) {
                // SAFETY: each block is one worker's, and each worker has a room of its own.
                #[allow(unsafe_code)]
                let (head, meeting, room) = unsafe {
                    (shared_heads.get_mut(place), shared_meetings.get_mut(place), shared_rooms.get_mut(worker))
                };
                let (Some(a), Some(b)) = (bodies.collider(head.pair.a), bodies.collider(head.pair.b)) else {
                    continue;
                };
                head.is_live = is_live(a, b, bodies);
                if head.is_live {
                    let margin = margins.of(a).min(margins.of(b));
                    meeting.update([head.pair.a, head.pair.b], margin, bodies, room);
                    head.manifolds = meeting.manifolds().len() as u32;
                }
            }
        });
        if self.inner_edges == InnerEdges::Smooth {
            mesh::mark_inner_seams(&mut self.meetings, bodies, &mut self.seams);
        }
    }
}

/// Whether contacts may move one of the two, one of them is awake, and neither is left out.
fn is_live(a: &Collider, b: &Collider, bodies: &Bodies) -> bool {
    let moves = |collider: &Collider| bodies.motions()[collider.body as usize].is_movable();
    let is_left_out = |collider: &Collider| bodies.natures[collider.body as usize].is_left_out();
    let acts = |collider: &Collider| {
        let body = collider.body;
        if moves(collider) { !bodies.rests[body as usize].is_asleep() } else { island::is_moving(bodies, body) }
    };
    (moves(a) || moves(b)) && (acts(a) || acts(b)) && !is_left_out(a) && !is_left_out(b)
}
