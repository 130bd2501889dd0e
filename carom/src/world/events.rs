//! What a step tells: which shapes began and ceased to touch, and what hit what.
//!
//! A pair touches when a point of contact has no gap or pushed in the step. Pairs of sleepers stay as they are and are not
//! told of. When a body is removed or disabled its touches end, and the next step tells so. Lists are in the order of the
//! slots, so they do not depend on threads or on the broad phase; nothing is allocated once they have their size.

use crate::body::{Bodies, BodyId};
use crate::narrow::{Head, Manifold, Meetings};
use glam::{DVec3, Vec3};

/// Names a shape of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId {
    /// The slot, which stays the same as long as the body lives: see [`World::collider`](super::World::collider).
    pub slot: u32,
    /// The body.
    pub body: BodyId,
}

/// Two shapes that push each other, the one with the smaller slot first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContactEvent {
    /// The first.
    pub a: ShapeId,
    /// The second.
    pub b: ShapeId,
}

/// A sensor and what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SensorEvent {
    /// The sensor.
    pub sensor: ShapeId,
    /// What touches it.
    pub other: ShapeId,
}

/// Two shapes that began to touch fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HitEvent {
    /// The first.
    pub a: ShapeId,
    /// The second.
    pub b: ShapeId,
    /// Where the push was hardest, in the world; if both bodies move, up to the way of one step from there.
    pub point: DVec3,
    /// From the first to the second, there.
    pub normal: Vec3,
    /// How fast they closed as the step began, in m/s; where they did so fastest.
    pub approach_speed: f32,
    /// What the impact pushes along the normals of its points, all together, in Ns: what they have pushed in the step, and what
    /// the speed with which they still close then takes to be stopped. A blow without restitution in the last substep of a
    /// soft step has that rest, which the next step pushes.
    pub impulse: f32,
}

/// What began and ended with a step.
#[derive(Debug, Clone, Copy)]
pub struct Events<'a> {
    log: &'a Log,
    meetings: &'a Meetings,
    bodies: &'a Bodies,
}

impl<'a> Events<'a> {
    /// Shapes that touch and did not before.
    pub fn began(&self) -> &'a [ContactEvent] {
        &self.log.began
    }

    /// Shapes that touched and do no longer, or of which one is gone: its id may be stale.
    pub fn ended(&self) -> &'a [ContactEvent] {
        &self.log.ended
    }

    /// Shapes that touched before and still do, but for sleepers; in the order in which they met.
    pub fn persisting(&self) -> impl Iterator<Item = ContactEvent> + use<'a> {
        let (bodies, began) = (self.bodies, &self.log.began);
        let is_told = self.log.is_told;
        let touches = move |head: &&Head| is_told && head.is_live && head.is_touching && !head.is_sensor;
        let event = move |head| ids(head, bodies).map(|[a, b]| ContactEvent { a, b });
        let touching = self.meetings.heads().iter().filter(touches).filter_map(event);
        touching.filter(|event| began.binary_search(event).is_err())
    }

    /// Shapes that have come into a sensor, by the poses with which the step began.
    pub fn entered(&self) -> &'a [SensorEvent] {
        &self.log.entered
    }

    /// Shapes that have left a sensor, or are gone.
    pub fn left(&self) -> &'a [SensorEvent] {
        &self.log.left
    }

    /// Shapes that began to touch as fast as [`hit_speed`](super::WorldBuilder::hit_speed) or faster. A pair that touches
    /// already does not hit again before it has parted.
    pub fn hits(&self) -> &'a [HitEvent] {
        &self.log.hits
    }
}

/// The lists of the last step, and what has ended since.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    hit_speed: f32,
    began: Vec<ContactEvent>,
    ended: Vec<ContactEvent>,
    entered: Vec<SensorEvent>,
    left: Vec<SensorEvent>,
    hits: Vec<HitEvent>,
    /// Pairs that have parted since the last look at sleepers.
    parted: Vec<[BodyId; 2]>,
    /// Touches that ended before the step that will tell of them.
    gone: Vec<ContactEvent>,
    gone_from_sensors: Vec<SensorEvent>,
    /// Whether there was a step to tell of.
    is_told: bool,
    /// What points of an impact still push; kept to spare allocations.
    rest: Vec<f32>,
}

impl Log {
    pub(crate) fn new(hit_speed: f32) -> Self {
        Self { hit_speed, ..Self::default() }
    }

    /// From which closing speed on pairs are told of as hits.
    pub(crate) fn hit_speed(&self) -> f32 {
        self.hit_speed
    }

    pub(crate) fn set_hit_speed(&mut self, speed: f32) {
        self.hit_speed = speed;
    }

    /// What is told of a step that begins: what ended since the last one.
    pub(crate) fn begin(&mut self) {
        self.began.clear();
        self.entered.clear();
        self.hits.clear();
        self.ended.clear();
        self.left.clear();
        self.ended.append(&mut self.gone);
        self.left.append(&mut self.gone_from_sensors);
    }

    /// Between steps: touches end that the next step tells of; the last one's lists stay as they are.
    pub(crate) fn end(&mut self, head: &Head, bodies: &Bodies) {
        let Some([a, b]) = ids(head, bodies).filter(|_| head.is_touching) else { return };
        if head.is_sensor {
            self.gone_from_sensors.push(sensed([a, b], bodies));
        } else {
            self.gone.push(ContactEvent { a, b });
            self.parted.push([a.body, b.body]);
        }
    }

    /// Wakes what has lost what it touched.
    pub(crate) fn wake_parted(&mut self, bodies: &mut Bodies) {
        for id in self.parted.drain(..).flatten() {
            if let Ok(dense) = bodies.resolve(id)
                && bodies.rests[dense].is_asleep()
            {
                bodies.wake(dense);
            }
        }
    }

    /// Fills the lists after a step.
    pub(crate) fn take(&mut self, meetings: &mut Meetings, bodies: &Bodies) {
        self.ended.append(&mut self.gone);
        self.left.append(&mut self.gone_from_sensors);
        let mut room = std::mem::take(&mut self.rest);
        meetings.note_touching(|head, manifolds| {
            let Some([a, b]) = ids(head, bodies) else { return };
            match (head.is_sensor, head.is_touching) {
                (true, true) => self.entered.push(sensed([a, b], bodies)),
                (true, false) => self.left.push(sensed([a, b], bodies)),
                (false, true) => {
                    self.began.push(ContactEvent { a, b });
                    if head.approach >= self.hit_speed {
                        let mut hit = hit([a, b], head, manifolds, bodies);
                        hit.impulse += outstanding(head, manifolds, bodies, &mut room);
                        self.hits.push(hit);
                    }
                }
                (false, false) => self.ended.push(ContactEvent { a, b }),
            }
        });
        room.clear();
        self.rest = room;
        self.is_told = true;
        self.began.sort_unstable();
        self.ended.sort_unstable();
        self.entered.sort_unstable();
        self.left.sort_unstable();
        self.hits.sort_unstable_by_key(|hit| (hit.a, hit.b));
    }

    /// Forgets the last step, and keeps what ended since as another log has it.
    pub(crate) fn restore(&mut self, other: &Self) {
        self.begin();
        self.is_told = false;
        self.ended.clear();
        self.left.clear();
        self.gone.clone_from(&other.gone);
        self.gone_from_sensors.clone_from(&other.gone_from_sensors);
        self.hit_speed = other.hit_speed;
    }

    /// How many bytes its lists hold.
    pub(crate) fn size(&self) -> usize {
        let contacts = [&self.began, &self.ended, &self.gone].map(|list| size_of_val(&list[..]));
        let sensors = [&self.entered, &self.left, &self.gone_from_sensors].map(|list| size_of_val(&list[..]));
        let others = size_of_val(&self.hits[..]) + size_of_val(&self.parted[..]);
        contacts.iter().chain(&sensors).sum::<usize>() + others
    }

    pub(crate) fn view<'a>(&'a self, meetings: &'a Meetings, bodies: &'a Bodies) -> Events<'a> {
        Events { log: self, meetings, bodies }
    }
}

fn ids(head: &Head, bodies: &Bodies) -> Option<[ShapeId; 2]> {
    let id = |slot: u32| {
        let collider = bodies.collider(slot)?;
        Some(ShapeId { slot, body: bodies.natures[collider.body as usize].id })
    };
    Some([id(head.pair.a)?, id(head.pair.b)?])
}

fn sensed([a, b]: [ShapeId; 2], bodies: &Bodies) -> SensorEvent {
    if bodies.collider(a.slot).is_some_and(|collider| collider.is_sensor) {
        SensorEvent { sensor: a, other: b }
    } else {
        SensorEvent { sensor: b, other: a }
    }
}

fn hit([a, b]: [ShapeId; 2], head: &Head, manifolds: &[Manifold], bodies: &Bodies) -> HitEvent {
    let (mut point, mut normal, mut impulse, mut hardest) = (DVec3::ZERO, Vec3::ZERO, 0.0, -1.0);
    for manifold in manifolds.iter().filter(|manifold| !manifold.is_inner) {
        let [one, other] = [manifold.pair.a.body, manifold.pair.b.body].map(|body| &bodies.motions()[body as usize]);
        for contact in manifold.contacts() {
            impulse += contact.impulse;
            if contact.impulse > hardest {
                hardest = contact.impulse;
                normal = manifold.normal;
                // What has not moved still is where the arm began.
                let (center, arm) =
                    if one.is_movable() { (other.center, contact.arm_b) } else { (one.center, contact.arm_a) };
                point = center + arm.as_dvec3();
            }
        }
    }
    HitEvent { a, b, point, normal, approach_speed: head.approach, impulse }
}

/// What the points of an impact still push after the step, all together, until none of them closes: the projected
/// Gauss–Seidel method on the two bodies alone. Those count that have pushed, and those that are as deep as one of them.
/// Cost: nothing if none closes, else up to some rounds over the points.
fn outstanding(head: &Head, manifolds: &[Manifold], bodies: &Bodies, rest: &mut Vec<f32>) -> f32 {
    const ROUNDS: usize = 24;
    // Of the speed of the impact; and of the size of what meets.
    const SMALL_CHANGE: f32 = 1e-4;
    const AS_DEEP: f32 = 1e-3;
    if head.bodies.iter().any(|body| bodies.is_set_aside(*body)) {
        return 0.0;
    }
    let outer = || manifolds.iter().filter(|manifold| !manifold.is_inner);
    let depths = outer().flat_map(|manifold| {
        let pushed = manifold.contacts().iter().filter(|contact| contact.impulse > 0.0);
        pushed.map(|contact| contact.depth - AS_DEEP * manifold.size)
    });
    let least_depth = depths.fold(0.0, f32::min);
    rest.clear();
    rest.resize(outer().map(|manifold| manifold.contacts().len()).sum(), 0.0);
    let [mut a, mut b] = head.bodies.map(|body| bodies.motions()[body as usize]);
    for _ in 0..ROUNDS {
        let mut greatest_change = 0.0f32;
        let points = outer().flat_map(|manifold| manifold.contacts().iter().map(move |contact| (manifold, contact)));
        for ((manifold, contact), pushed) in points.zip(&mut *rest).filter(|((_, at), _)| at.depth >= least_depth) {
            let (normal, arms) = (manifold.normal, [contact.arm_a, contact.arm_b]);
            let closing = (a.velocity_at(arms[0]) - b.velocity_at(arms[1])).dot(normal);
            let response = a.response_to(normal, arms[0]) + b.response_to(normal, arms[1]);
            let total = (*pushed + closing / response).max(0.0);
            // False as well where nothing can be pushed.
            let changes = total.is_finite() && total != *pushed;
            if changes {
                let push = (total - *pushed) * normal;
                a.apply_impulse(-push, arms[0]);
                b.apply_impulse(push, arms[1]);
                greatest_change = greatest_change.max((total - *pushed).abs() * response);
                *pushed = total;
            }
        }
        if greatest_change <= SMALL_CHANGE * head.approach {
            break;
        }
    }
    rest.iter().sum()
}
