//! All pairs of colliders whose boxes overlap, with what each keeps from step to step.

use super::stage::{Manifold, Meeting, Room};
use super::{InnerEdges, mesh};
use crate::body::Bodies;
use crate::broad::{Changes, Pair};
use crate::island;
use crate::shape::Shape;
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
    /// Its bodies, as they are numbered in this step.
    pub(crate) bodies: [u32; 2],
    /// How many manifolds it has, how many points these have, and how deep the deepest is.
    pub(crate) manifolds: u32,
    pub(crate) points: u32,
    pub(crate) deepest: f32,
    /// Whether one of the two bodies sleeps.
    touches_sleeper: bool,
    /// Whether one of the two is ground for N6: nothing moves it, or it is a compound.
    pub(crate) has_ground: bool,
    /// Whether one of the manifolds leads into other ground.
    pub(crate) has_inner: bool,
}

/// A manifold that pushes, by where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pushing {
    /// The pair, and which of its manifolds.
    pub(crate) meeting: u32,
    pub(crate) manifold: u32,
    pub(crate) bodies: [u32; 2],
    /// Whether it has one point only.
    pub(crate) is_point: bool,
}

impl Head {
    fn new(pair: Pair, is_sensor: bool) -> Self {
        Self {
            pair,
            is_live: true,
            is_touching: false,
            was_touching: false,
            is_sensor,
            bodies: [0; 2],
            manifolds: 0,
            points: 0,
            deepest: 0.0,
            touches_sleeper: false,
            has_ground: false,
            has_inner: false,
        }
    }

    pub(crate) fn pushes(&self) -> bool {
        self.is_live && !self.is_sensor && self.manifolds > 0
    }

    /// Whether something awake has come near a body that sleeps.
    pub(crate) fn wakes(&self) -> bool {
        self.touches_sleeper && self.pushes()
    }

    /// Takes note of what was found.
    fn note(&mut self, manifolds: &[Manifold]) {
        self.manifolds = manifolds.len() as u32;
        self.points = manifolds.iter().map(|manifold| manifold.contacts().len() as u32).sum();
        self.deepest = manifolds.iter().map(Manifold::deepest).fold(f32::NEG_INFINITY, f32::max);
        self.has_inner = false;
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
    activities: Vec<Activity>,
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
            self.heads.push(Head::new(pair, is_sensor));
            self.meetings.push(self.spare.pop().unwrap_or_else(Meeting::new));
        }
    }

    /// Bodies are awake that were not: their pairs take part as they are.
    pub(crate) fn enliven(&mut self, bodies: &Bodies) {
        Activity::list(bodies, &mut self.activities);
        for head in &mut self.heads {
            if let (Some(a), Some(b)) = (bodies.collider(head.pair.a), bodies.collider(head.pair.b)) {
                head.is_live = self.activities[a.body as usize].is_live(self.activities[b.body as usize]);
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
        for head in &mut self.heads {
            for (body, slot) in head.bodies.iter_mut().zip([head.pair.a, head.pair.b]) {
                *body = bodies.collider(slot).map_or(*body, |collider| collider.body);
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

    /// The manifolds that push.
    pub(crate) fn pushing(&self) -> impl Iterator<Item = (Pushing, &Manifold)> {
        self.pushing_places()
            .map(|place| (place, &self.meetings[place.meeting as usize].manifolds()[place.manifold as usize]))
    }

    /// Where the manifolds that push are. Of pairs with a single one only the head is looked at: it is small, and they
    /// are most.
    pub(crate) fn pushing_places(&self) -> impl Iterator<Item = Pushing> {
        let live = (0u32..).zip(&self.heads).filter(|(_, head)| head.pushes());
        live.flat_map(move |(meeting, head)| {
            (0..head.manifolds).filter_map(move |manifold| {
                let place = Pushing { meeting, manifold, bodies: head.bodies, is_point: head.points == 1 };
                if head.manifolds == 1 && !head.has_inner {
                    return Some(place);
                }
                let found = &self.meetings[meeting as usize].manifolds()[manifold as usize];
                (!found.is_inner).then_some(Pushing { is_point: found.contacts().len() == 1, ..place })
            })
        })
    }

    /// The same, to write what they did.
    pub(crate) fn pushing_mut(&mut self) -> impl Iterator<Item = &mut Manifold> {
        let live = self.heads.iter().zip(&mut self.meetings).filter(|(head, _)| head.pushes());
        live.flat_map(|(_, meeting)| meeting.manifolds_mut()).filter(|manifold| !manifold.is_inner)
    }

    /// The stage: collides all pairs that may have changed.
    pub(crate) fn collide(&mut self, bodies: &Bodies, workers: usize, margins: Margins) {
        let Self { heads, meetings, rooms, counters, activities, .. } = self;
        Activity::list(bodies, activities);
        let activities = &*activities;
        let blocks = heads.len().div_ceil(BLOCK) as u32;
        let workers = if blocks < 4 { 1 } else { workers };
        while rooms.len() < workers.clamp(1, threads::MOST_WORKERS) {
            rooms.push(Room::with_inner_edges(self.inner_edges));
        }
        let (shared_heads, shared_meetings) = (Shared::new(heads), Shared::new(meetings));
        let shared_rooms = Shared::new(rooms);
        threads::run(workers, &[blocks], counters, |Task { worker, block, .. }| {
            let start = block as usize * BLOCK;
            let places = start..shared_heads.len().min(start + BLOCK);
            // SAFETY: each block is one worker's.
            #[allow(unsafe_code)]
            let touched = places
                .clone()
                .map(|place| unsafe { touch(shared_heads.get(place), shared_meetings.get(place), bodies) });
            std::hint::black_box(touched.sum::<f64>());
            for place in places {
                // SAFETY: each block is one worker's, and each worker has a room of its own.
                #[allow(unsafe_code)]
                let (head, meeting, room) = unsafe {
                    (shared_heads.get_mut(place), shared_meetings.get_mut(place), shared_rooms.get_mut(worker))
                };
                let (Some(a), Some(b)) = (bodies.collider(head.pair.a), bodies.collider(head.pair.b)) else {
                    continue;
                };
                let [body_a, body_b] = [activities[a.body as usize], activities[b.body as usize]];
                head.is_live = body_a.is_live(body_b);
                if head.is_live {
                    head.bodies = [a.body, b.body];
                    head.touches_sleeper = body_a.sleeps() || body_b.sleeps();
                    let is_compound = |shape: &Shape| matches!(shape, Shape::Compound(_));
                    let is_ground = !body_a.moves || !body_b.moves || is_compound(&a.shape) || is_compound(&b.shape);
                    head.has_ground = is_ground;
                    let margin = margins.of_pair(a, b, bodies);
                    meeting.update([head.pair.a, head.pair.b], margin, bodies, room);
                    head.note(meeting.manifolds());
                }
            }
        });
        if self.inner_edges == InnerEdges::Smooth {
            mesh::mark_inner_seams(&mut self.heads, &mut self.meetings, bodies, &mut self.seams);
        }
    }
}

/// Reads a little of all that colliding a pair will need. One pair right after the other, so that what is not in the cache
/// comes from memory for many of them at a time, instead of for each when it is needed.
fn touch(head: &Head, meeting: &Meeting, bodies: &Bodies) -> f64 {
    let collider =
        |slot: u32| bodies.collider(slot).map_or(0.0, |collider| collider.pose.position.x + f64::from(collider.margin));
    let points = meeting.manifolds().first().map_or(0, |manifold| manifold.contacts().len());
    collider(head.pair.a) + collider(head.pair.b) + points as f64
}

/// What a body takes part in, for the question of which pairs are collided.
#[derive(Debug, Clone, Copy, Default)]
struct Activity {
    moves: bool,
    /// It is awake, or moves by itself.
    acts: bool,
    is_left_out: bool,
}

impl Activity {
    fn list(bodies: &Bodies, list: &mut Vec<Self>) {
        list.clear();
        list.extend((0..bodies.len()).map(|body| {
            let moves = bodies.motions[body].is_movable();
            let acts = if moves { !bodies.rests[body].is_asleep() } else { island::is_moving(bodies, body as u32) };
            Self { moves, acts, is_left_out: bodies.natures[body].is_left_out() }
        }));
    }

    fn sleeps(self) -> bool {
        self.moves && !self.acts
    }

    /// Whether contacts may move one of the two, one of them is awake, and neither is left out.
    fn is_live(self, other: Self) -> bool {
        (self.moves || other.moves) && (self.acts || other.acts) && !(self.is_left_out || other.is_left_out)
    }
}
