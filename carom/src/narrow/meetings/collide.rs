//! The stage that collides the pairs, but for those that cannot have come together.

use super::{BLOCK, ContactFault, Found, Head, Marks, Meetings, Pair, Totals, WORD};
use crate::body::{Bodies, Collider};
use crate::narrow::stage::{Clearance, Meeting, Room, is_surface};
use crate::narrow::{InnerEdges, mesh};
use crate::shape::Shape;
use crate::threads::{self, Shared};
use crate::world::Margins;
use std::sync::atomic::{AtomicBool, Ordering};

/// The axis that parts two that have a closed form is looked for up to this gap, in least margins.
const WIDE: f32 = 10.0;

/// So many pairs before it is looked at, where a pair is is asked for.
const AHEAD: usize = 12;

impl Meetings {
    /// Before pairs are collided: none has been in this step.
    pub(crate) fn begin_colliding(&mut self, bodies: &Bodies) {
        self.marks.clear();
        (self.is_colliding, self.has_lost, self.has_waking) = (true, false, false);
        self.rooms.iter_mut().for_each(|room| room.totals = Totals::default());
        self.seams.begin(bodies.len());
    }

    /// Whether there are so many pairs that workers share them.
    pub(crate) fn are_shared(&self) -> bool {
        threads::is_worth(self.live > 3 * BLOCK)
    }

    /// The first part of the stage: collides the live pairs that there are, while one worker does something else before it helps.
    /// Pairs may come and go then.
    pub(crate) fn collide_beside(
        &mut self,
        bodies: &Bodies,
        workers: usize,
        margins: Margins,
        beside: impl FnOnce() + Send,
    ) {
        let Self { heads, clearances, meetings, rooms, counters, live, asks_all, seams, marks, .. } = self;
        let asks_all = *asks_all;
        let size = threads::block_size(BLOCK);
        let blocks = live.div_ceil(size) as u32;
        while rooms.len() < workers.clamp(1, threads::MOST_WORKERS) {
            rooms.push(Room::with_inner_edges(self.inner_edges));
        }
        let (shared_heads, shared_meetings) = (Shared::new(&mut heads[..*live]), Shared::new(meetings));
        marks.resize_with(live.div_ceil(WORD), Marks::default);
        let (shared_rooms, shared_clearances) = (Shared::new(rooms), Shared::new(clearances));
        let (met, any_waking) = (seams.met(), AtomicBool::new(false));
        threads::run_beside(workers, beside, blocks, counters, |worker, block| {
            let start = block as usize * size;
            let places = start..shared_heads.len().min(start + size);
            let known = marks[start / WORD].known();
            let is_known = |place: usize| known >> (place % WORD) & 1 != 0;
            if places.clone().all(is_known) {
                return;
            }
            let mut is_asked = [true; BLOCK];
            let mut found = Found::default();
            for (place, is_asked) in places.clone().zip(&mut is_asked) {
                shared_heads.fetch_all_to_write((place + 2 * AHEAD).min(shared_heads.len() - 1));
                if place + AHEAD < places.end {
                    // SAFETY: each block is one worker's.
                    #[allow(unsafe_code)]
                    fetch_places(unsafe { shared_heads.get(place + AHEAD) }, bodies);
                }
                if is_known(place) {
                    *is_asked = false;
                    continue;
                }
                // SAFETY: each block is one worker's.
                #[allow(unsafe_code)]
                let (head, clearance) = unsafe { (shared_heads.get(place), shared_clearances.get(place)) };
                found.note_before(place, head);
                *is_asked = asks_all || !is_parted(head, clearance, bodies, margins);
                if *is_asked {
                    shared_clearances.fetch_all_to_write(place);
                    shared_meetings.fetch_all_to_write(place);
                    bodies.fetch_collider(head.pair.a);
                    bodies.fetch_collider(head.pair.b);
                }
            }
            for place in places.zip(is_asked).filter_map(|(place, is_asked)| is_asked.then_some(place)) {
                // SAFETY: each block is one worker's, and each worker has a room of its own.
                #[allow(unsafe_code)]
                let (head, clearance, meeting, room) = unsafe {
                    (
                        shared_heads.get_mut(place),
                        shared_clearances.get_mut(place),
                        shared_meetings.get_mut(place),
                        shared_rooms.get_mut(worker),
                    )
                };
                collide_pair((head, clearance, meeting), bodies, margins, room);
                found.note(place, head);
                room.totals = room.totals.with(Totals::of(head));
                if head.pushes() {
                    mesh::note_met(met, head);
                }
                if head.wakes() {
                    any_waking.store(true, Ordering::Relaxed);
                }
            }
            // Blocks are as long as words, or shorter.
            marks[start / WORD].put(found);
        });
        self.has_waking |= any_waking.into_inner();
    }

    /// The stage, or what is left of it: collides all live pairs that were not in this step.
    pub(crate) fn collide(&mut self, bodies: &Bodies, workers: usize, margins: Margins) {
        let known: u32 = self.marks.iter().map(|marks| marks.known().count_ones()).sum();
        let left = self.live - known as usize;
        self.collide_beside(bodies, if threads::is_worth(left > BLOCK / 2) { workers } else { 1 }, margins, || ());
        self.is_colliding = false;
        if std::mem::take(&mut self.has_lost) {
            self.count_again(bodies);
        } else {
            self.total = self.rooms.iter().fold(Totals::default(), |total, room| total.with(room.totals));
        }
        self.faults.clear();
        for (pair, error) in self.rooms.iter_mut().flat_map(|room| room.faults.drain(..)) {
            let [a, b] = [pair.a, pair.b].map(|part| bodies.natures[part.body as usize].id);
            if self.places.find(Pair::new(pair.a.collider, pair.b.collider)).is_some_and(|place| place < self.live) {
                self.faults.push(ContactFault { pair, a, b, error });
            }
        }
        // A pair is one worker's, so that its parts are in order.
        self.faults.sort_by_key(|fault| (fault.pair.a.collider, fault.pair.b.collider));
        if self.inner_edges == InnerEdges::Smooth {
            let Self { heads, meetings, seams, live, marks, .. } = self;
            mesh::mark_inner_seams((&mut heads[..*live], meetings), marks, bodies, workers, seams);
        }
    }

    /// Counts what the live pairs have together, and whom bodies have met, without those that have gone since they were collided.
    fn count_again(&mut self, bodies: &Bodies) {
        self.seams.begin(bodies.len());
        self.total = Totals::default();
        for head in &self.heads[..self.live] {
            self.total = self.total.with(Totals::of(head));
            if head.pushes() {
                mesh::note_met(self.seams.met(), head);
            }
        }
    }
}

/// The colliders of a pair.
fn colliders_of<'a>(head: &Head, bodies: &'a Bodies) -> Option<[&'a Collider; 2]> {
    Some([bodies.collider(head.pair.a)?, bodies.collider(head.pair.b)?])
}

/// Whether a pair that did not touch cannot touch in this step either: it stays as it is.
#[inline]
fn is_parted(head: &Head, clearance: &Clearance, bodies: &Bodies, margins: Margins) -> bool {
    if head.manifolds > 0 || !clearance.is_known() {
        return false;
    }
    let Some([a, b]) = colliders_of(head, bodies) else { return false };
    let left = clearance.left(a, b);
    // Most are as far apart as needs not be compared with how fast they are.
    let greatest = if head.is_sensor { 0.0 } else { margins.greatest_of_pair(a, b) };
    left > greatest || left > margins.of_pair(a, b, bodies)
}

/// Collides a pair, and takes note of what was found.
fn collide_pair(
    (head, clearance, meeting): (&mut Head, &mut Clearance, &mut Meeting),
    bodies: &Bodies,
    margins: Margins,
    room: &mut Room,
) {
    let Some([a, b]) = colliders_of(head, bodies) else { return };
    let (body_a, body_b) = (bodies.activity(head.bodies[0]), bodies.activity(head.bodies[1]));
    head.touches_sleeper = body_a.sleeps() || body_b.sleeps();
    let is_compound = |shape: &Shape| matches!(shape, Shape::Compound(_));
    let is_ground = !body_a.moves || !body_b.moves || is_compound(&a.shape) || is_compound(&b.shape);
    head.has_ground = is_ground && !head.is_sensor;
    head.has_surface = is_surface(&a.shape) || is_surface(&b.shape);
    let margin = if head.is_sensor { 0.0 } else { margins.of_pair(a, b, bodies) };
    // What is fast will be somewhere else in the next step.
    let least = a.margin.min(b.margin);
    let wide = (margin <= 2.0 * least).then_some(WIDE * least);
    let gap = meeting.update([head.pair.a, head.pair.b], (margin, wide), bodies, room);
    *clearance = gap.map_or(Clearance::UNKNOWN, |gap| Clearance::new(a, b, gap));
    head.note(meeting.manifolds());
    let may_strike = head.pushes() && !head.is_touching && !head.has_ground;
    head.is_about_to_strike = may_strike && mesh::strike(meeting.manifolds(), bodies);
    head.note_approach(meeting.manifolds(), bodies);
}

/// Asks for where the two of a pair are and how they move: it is looked at soon.
#[inline(always)]
fn fetch_places(head: &Head, bodies: &Bodies) {
    bodies.fetch_place(head.pair.a);
    bodies.fetch_place(head.pair.b);
    head.bodies.iter().for_each(|body| bodies.fetch_motion(*body));
}
