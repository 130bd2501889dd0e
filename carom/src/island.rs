//! R8: islands of bodies that touch, and their sleep.
//!
//! An island is a set of movable bodies connected by contacts that push; what nothing moves connects nothing. When all
//! bodies of an island have hardly moved for a while, the island falls asleep: its bodies stand still, and no stage looks
//! at them or at the pairs among them. It wakes as a whole, when something that is awake comes near one of its bodies,
//! when the user changes one, or when one that it touched is taken away or has another surface. Its contacts are as they
//! were, so it goes on where it stopped.
//! Sleep should not stop what would go on by itself: what a kinematic body or a running surface carries along
//! does not rest, what nothing pushes rests only if it does not move at all, and the rest must not gather speed.
//! Cost: nothing while no body has been still for long enough; else a union–find (by halving of paths, smaller index as
//! root) over all constraints among bodies that are awake, almost linear; nothing for those that sleep. Source: Tarjan, van Leeuwen 1984, doi 10.1145/62.2160.

use crate::body::{Bodies, Rest};
use crate::narrow::{Manifold, Meetings};
use crate::response::{self, Edge, Origin};

/// Bodies that have been slower than this for as long as that, in m/s and s, may sleep.
pub(crate) const STILL_SPEED: f32 = 0.05;
pub(crate) const STILL_TIME: f32 = 0.5;

/// Room for finding islands; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    /// Of each body that is awake its place among them.
    place_of: Vec<u32>,
    parents: Vec<u32>,
    /// Of each of them, how long it has been still; then of each root, how long the island has.
    still_for: Vec<f32>,
    /// Of each of them, whether a contact pushed it.
    is_pushed: Vec<bool>,
    names: Vec<u32>,
    pub(crate) next_name: u32,
}

impl Islands {
    /// The stage after the solver: lets islands that are still fall asleep.
    pub(crate) fn put_to_sleep(&mut self, meetings: &Meetings, bodies: &mut Bodies) {
        let is_due = |body: &u32| bodies.rests[*body as usize].still_for >= STILL_TIME;
        if !bodies.awake().iter().any(is_due) {
            return;
        }
        self.join(meetings, bodies);
        self.count_rests(bodies);
        let Self { parents, still_for, names, next_name, .. } = self;
        let count = bodies.awake().len();
        names.clear();
        names.resize(count, Rest::AWAKE);
        for place in 0..count {
            let (root, body) = (root_of(parents, place as u32) as usize, bodies.awake()[place]);
            if !bodies.activity(body).moves || still_for[root] < STILL_TIME {
                continue;
            }
            if names[root] == Rest::AWAKE {
                names[root] = *next_name;
                // After four thousand million islands the first name comes again; its bearer has long been awake.
                *next_name = (*next_name + 1) % Rest::AWAKE;
            }
            bodies.fall_asleep(body as usize, names[root]);
        }
    }

    /// Finds the islands of those awake, and who of them is pushed and who is carried along.
    fn join(&mut self, meetings: &Meetings, bodies: &Bodies) {
        let Self { place_of, parents, still_for, is_pushed, .. } = self;
        let count = bodies.awake().len();
        still_for.clear();
        still_for.extend(bodies.awake().iter().map(|body| bodies.rests[*body as usize].still_for));
        parents.clear();
        parents.extend(0..count as u32);
        is_pushed.clear();
        is_pushed.resize(count, false);
        place_of.resize(bodies.len(), 0);
        for (place, body) in (0..).zip(bodies.awake()) {
            place_of[*body as usize] = place;
        }
        let mut join = |edge: Edge| {
            let Origin::Contact { meeting, manifold } = edge.origin;
            let (activities, places) =
                (edge.bodies.map(|body| bodies.activity(body)), edge.bodies.map(|body| place_of[body as usize]));
            if activities.iter().all(|activity| activity.moves) {
                unite(parents, places[0], places[1]);
            }
            let has_pushed = meetings.has_pushed(meeting);
            // Seldom: what most edges ask of their bodies is in few bytes.
            let is_driven = activities.iter().any(|activity| activity.conveys)
                && drives(&meetings.meetings()[meeting as usize].manifolds()[manifold as usize]);
            for side in (0..2).filter(|side| activities[*side].moves) {
                let (place, other) = (places[side] as usize, edge.bodies[1 - side]);
                is_pushed[place] |= has_pushed;
                // What is carried along does not rest.
                if is_driven || (!activities[1 - side].moves && bodies.moves_by_itself(other as usize)) {
                    still_for[place] = 0.0;
                }
            }
        };
        (0..response::edge_blocks(meetings)).for_each(|block| response::for_each_edge(meetings, block, &mut join));
    }

    /// For how long each island has been still: for as long as that of its bodies that was so last.
    fn count_rests(&mut self, bodies: &mut Bodies) {
        let Self { parents, still_for, is_pushed, .. } = self;
        for (place, still_for) in still_for.iter_mut().enumerate() {
            let rest = &mut bodies.rests[bodies.awake[place] as usize];
            if !is_pushed[place] {
                *still_for = still_for.min(rest.motionless_for);
            }
            // It is asked again when it has been still for long enough anew, not in every step.
            if *still_for == 0.0 && rest.still_for > 0.0 {
                rest.still_for = 0.0;
            }
        }
        for place in 0..still_for.len() {
            let root = root_of(parents, place as u32) as usize;
            still_for[root] = still_for[root].min(still_for[place]);
        }
    }

    /// The stage before the solver: wakes islands that something awake has come near to; says whether there are any.
    pub(crate) fn wake(meetings: &mut Meetings, bodies: &mut Bodies) -> bool {
        for head in meetings.waking_heads() {
            for body in head.bodies {
                if bodies.rests[body as usize].is_asleep() {
                    bodies.wake(body as usize);
                }
            }
        }
        let wakes = bodies.wake_islands();
        if wakes {
            // Their pairs take part as they are.
            meetings.sort_live(bodies);
        }
        wakes
    }
}

/// Whether surfaces that run along each other push what they touch: friction holds and they are pressed together.
fn drives(manifold: &Manifold) -> bool {
    // Of what runs across the contact rounding may leave a little along it.
    const LEAST_SHARE: f32 = 1e-3;
    let (material, velocity) = (&manifold.material, manifold.material.surface_velocity);
    let along = velocity.reject_from_normalized(manifold.normal);
    let has_friction = material.friction > 0.0 || material.static_friction > 0.0;
    let runs = along.length_squared() > LEAST_SHARE * LEAST_SHARE * velocity.length_squared();
    has_friction && runs && manifold.has_pushed()
}

/// The name of the set that a body is in, by union–find.
pub(crate) fn root_of(parents: &mut [u32], mut body: u32) -> u32 {
    while parents[body as usize] != body {
        let above = parents[parents[body as usize] as usize];
        parents[body as usize] = above;
        body = above;
    }
    body
}

/// Makes one set of two.
pub(crate) fn unite(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root_of(parents, a), root_of(parents, b));
    // The smaller index, so that the order of the patches means nothing.
    parents[a.max(b) as usize] = a.min(b);
}
