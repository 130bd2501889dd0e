//! R8: islands of bodies that touch, and their sleep.
//!
//! An island is a set of movable bodies connected by contacts that push; what nothing moves connects nothing. When all
//! bodies of an island have hardly moved for a while, the island falls asleep: its bodies stand still, and no stage looks
//! at them or at the pairs among them. It wakes as a whole, when something that is awake comes near one of its bodies,
//! when the user changes one, or when one that it touched is taken away. Its contacts are as they were, so it goes on
//! where it stopped.
//! Cost: nothing while no body has been still for long enough; else a union–find (by halving of paths, smaller index as
//! root) over all patches, almost linear. Source: Tarjan, van Leeuwen 1984, doi 10.1145/62.2160.

use crate::body::{Bodies, BodyKind, Rest};
use crate::narrow::Meetings;

/// Bodies that have been slower than this for as long as that, in m/s and s, may sleep.
pub(crate) const STILL_SPEED: f32 = 0.05;
const STILL_TIME: f32 = 0.5;

/// Room for finding islands; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    parents: Vec<u32>,
    /// Of each root, how long the island has been still.
    still_for: Vec<f32>,
    names: Vec<u32>,
    pub(crate) next_name: u32,
}

impl Islands {
    /// The stage after the solver: lets islands that are still fall asleep.
    pub(crate) fn put_to_sleep(&mut self, meetings: &Meetings, bodies: &mut Bodies) {
        let Self { parents, still_for, names, next_name } = self;
        if !bodies.rests.iter().any(|rest| !rest.is_asleep() && rest.still_for >= STILL_TIME) {
            return;
        }
        parents.clear();
        parents.extend(0..bodies.len() as u32);
        still_for.clear();
        still_for.extend(bodies.rests.iter().map(|rest| rest.still_for));
        for place in meetings.pushing_places() {
            let [a, b] = place.bodies;
            let [moves_a, moves_b] = [a, b].map(|body| bodies.motions[body as usize].is_movable());
            if moves_a && moves_b {
                unite(parents, a, b);
            } else {
                // What is carried along does not rest.
                let (body, ground) = if moves_a { (a, b) } else { (b, a) };
                if is_moving(bodies, ground) {
                    still_for[body as usize] = 0.0;
                }
            }
        }
        for body in 0..bodies.len() as u32 {
            let root = root_of(parents, body);
            still_for[root as usize] = still_for[root as usize].min(still_for[body as usize]);
        }
        names.clear();
        names.resize(bodies.len(), Rest::AWAKE);
        for body in 0..bodies.len() {
            let root = root_of(parents, body as u32) as usize;
            let sleeps = bodies.motions[body].is_movable() && still_for[root] >= STILL_TIME;
            if !sleeps || bodies.rests[body].is_asleep() {
                continue;
            }
            if names[root] == Rest::AWAKE {
                names[root] = *next_name;
                // After four thousand million islands the first name comes again; its bearer has long been awake.
                *next_name = (*next_name + 1) % Rest::AWAKE;
            }
            bodies.fall_asleep(body, names[root]);
        }
    }

    /// The stage before the solver: wakes islands that something awake has come near to.
    pub(crate) fn wake(meetings: &mut Meetings, bodies: &mut Bodies) {
        for head in meetings.heads().iter().filter(|head| head.wakes()) {
            for body in head.bodies {
                if bodies.rests[body as usize].is_asleep() {
                    bodies.wake(body as usize);
                }
            }
        }
        if bodies.wake_islands() {
            meetings.enliven(bodies);
        }
    }
}

/// Whether a body that contacts do not move is moving by itself.
pub(crate) fn is_moving(bodies: &Bodies, body: u32) -> bool {
    let motion = &bodies.motions[body as usize];
    bodies.natures[body as usize].kind == BodyKind::Kinematic
        && (motion.velocity != glam::Vec3::ZERO || motion.angular_velocity != glam::Vec3::ZERO)
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
