//! R8: islands of bodies that touch, and their sleep.
//!
//! An island is a set of movable bodies connected by contacts that push; what nothing moves connects nothing. When all
//! bodies of an island have hardly moved for a while, the island falls asleep: its bodies stand still, and no stage looks
//! at them or at the pairs among them. It wakes as a whole, when something that is awake comes near one of its bodies,
//! when the user changes one, or when one that it touched is taken away. Its contacts are as they were, so it goes on
//! where it stopped.
//! Cost: nothing while no body has been still for long enough; else a union–find (by halving of paths, smaller index as
//! root) over all constraints among bodies that are awake, almost linear; nothing for those that sleep. Source: Tarjan, van Leeuwen 1984, doi 10.1145/62.2160.

use crate::body::{Bodies, Rest};
use crate::narrow::Meetings;
use crate::response::{self, Edge};

/// Bodies that have been slower than this for as long as that, in m/s and s, may sleep.
pub(crate) const STILL_SPEED: f32 = 0.05;
pub(crate) const STILL_TIME: f32 = 0.5;

/// Room for finding islands; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    /// Of each body that is awake its place among them.
    place_of: Vec<u32>,
    parents: Vec<u32>,
    /// Of each root, how long the island has been still.
    still_for: Vec<f32>,
    names: Vec<u32>,
    pub(crate) next_name: u32,
}

impl Islands {
    /// The stage after the solver: lets islands that are still fall asleep.
    pub(crate) fn put_to_sleep(&mut self, meetings: &Meetings, bodies: &mut Bodies) {
        let Self { place_of, parents, still_for, names, next_name } = self;
        let still_time = |body: &u32| bodies.rests[*body as usize].still_for;
        if !bodies.awake().iter().any(|body| still_time(body) >= STILL_TIME) {
            return;
        }
        let count = bodies.awake().len();
        still_for.clear();
        still_for.extend(bodies.awake().iter().map(still_time));
        parents.clear();
        parents.extend(0..count as u32);
        place_of.resize(bodies.len(), 0);
        for (place, body) in (0..).zip(bodies.awake()) {
            place_of[*body as usize] = place;
        }
        let mut join = |edge: Edge| {
            let [a, b] = edge.bodies;
            match [a, b].map(|body| bodies.activity(body).moves) {
                [true, true] => unite(parents, place_of[a as usize], place_of[b as usize]),
                // What is carried along does not rest.
                [true, false] if bodies.moves_by_itself(b as usize) => still_for[place_of[a as usize] as usize] = 0.0,
                [false, true] if bodies.moves_by_itself(a as usize) => still_for[place_of[b as usize] as usize] = 0.0,
                [_, _] => {}
            }
        };
        (0..response::edge_blocks(meetings)).for_each(|block| response::for_each_edge(meetings, block, &mut join));
        for place in 0..count {
            let root = root_of(parents, place as u32) as usize;
            still_for[root] = still_for[root].min(still_for[place]);
        }
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
