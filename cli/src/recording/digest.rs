//! What is kept of a frame to tell whether a second run is the same, and if not, which stage and which body differ first.

use super::Format;
use carom::body::{BodyId, BodyKind, BodyRef};
use carom::narrow::Manifold;
use carom::world::{Stop, World};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// 64 bits of what each stage of a step made, in the order of the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StageDigests {
    pub(crate) pairs: u64,
    pub(crate) contacts: u64,
    pub(crate) impulses: u64,
    pub(crate) velocities: u64,
    /// What was stopped on its way, when and by what; 0 in format 1.
    pub(crate) stops: u64,
    pub(crate) poses: u64,
    /// Of all of it and of who sleeps: [`World::hash`].
    pub(crate) all: u64,
}

/// A frame in few bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FrameDigest {
    pub(crate) stages: StageDigests,
    /// 16 bits of each body: of its pose and velocity, from format 2 on also of whether it sleeps and of what it meets,
    /// touches and is stopped by. In a file, each minus that of the frame before: zeros while it rests.
    pub(crate) bodies: Vec<u16>,
}

/// The same in format 1.
#[derive(Deserialize)]
pub(super) struct FrameDigestOne {
    /// Of pairs, contacts, impulses, velocities, poses and all.
    stages: [u64; 6],
    bodies: Vec<u16>,
}

impl From<FrameDigestOne> for FrameDigest {
    fn from(FrameDigestOne { stages, bodies }: FrameDigestOne) -> Self {
        let [pairs, contacts, impulses, velocities, poses, all] = stages;
        Self { stages: StageDigests { pairs, contacts, impulses, velocities, stops: 0, poses, all }, bodies }
    }
}

impl FrameDigest {
    /// By the rules of a format: a recording is compared by those that it was made by.
    pub(crate) fn of(world: &World, format: Format) -> Self {
        let mut stages = StageDigests::of(world);
        let bodies = match format {
            Format::One => {
                stages.stops = 0;
                world.bodies().map(|body| of_body(body).short()).collect()
            }
            Format::Two => of_bodies(world),
        };
        Self { stages, bodies }
    }

    /// This frame with its bodies counted from those of the frame before.
    pub(super) fn minus(&self, before: &[u16]) -> Self {
        let before = before.iter().copied().chain(std::iter::repeat(0));
        let bodies = self.bodies.iter().zip(before).map(|(now, before)| now.wrapping_sub(before)).collect();
        Self { stages: self.stages, bodies }
    }
}

/// Turns frames that were counted from the one before into plain ones.
pub(super) fn undo_differences(frames: &mut [FrameDigest]) {
    for index in 1..frames.len() {
        let (done, rest) = frames.split_at_mut(index);
        if let (Some(before), Some(now)) = (done.last(), rest.first_mut()) {
            let pairs = now.bodies.iter_mut().zip(&before.bodies);
            pairs.for_each(|(now, before)| *now = now.wrapping_add(*before));
        }
    }
}

impl StageDigests {
    fn of(world: &World) -> Self {
        let [mut pairs, mut contacts, mut impulses, mut velocities, mut stops, mut poses] = [Digest::default(); 6];
        for met in world.met() {
            pairs.word(u64::from(met.pair.a) << 32 | u64::from(met.pair.b));
        }
        for manifold in world.manifolds() {
            digest_manifold(manifold, &mut contacts, &mut impulses);
        }
        for body in world.bodies() {
            let motion = body.motion();
            velocities.floats(motion.velocity.to_array());
            velocities.floats(motion.angular_velocity.to_array());
            motion.center.to_array().iter().for_each(|value| poses.word(value.to_bits()));
            poses.floats(motion.rotation.to_array());
        }
        for (stop, [body, other]) in stops_of(world) {
            stops.word((body as u64) << 32 | other as u64);
            digest_stop(stop, &mut stops);
        }
        Self {
            pairs: pairs.0,
            contacts: contacts.0,
            impulses: impulses.0,
            velocities: velocities.0,
            stops: stops.0,
            poses: poses.0,
            all: world.hash(),
        }
    }

    /// The first stage whose result is another one, in words. The last stage to move bodies is that which stops them, and it
    /// leaves their velocities: poses that differ are its doing if what it stopped does, and the response's else.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<&'static str> {
        let stages = [
            (self.pairs == other.pairs, "broad phase (pairs)"),
            (self.contacts == other.contacts, "narrow phase (contacts)"),
            (self.impulses == other.impulses, "response (impulses)"),
            (self.velocities == other.velocities, "response (velocities)"),
            (self.stops == other.stops, "impact (what is stopped on its way)"),
            (self.poses == other.poses, "response (poses)"),
            (self.all == other.all, "rest (who sleeps, and what is kept from step to step)"),
        ];
        stages.into_iter().find(|(is_same, _)| !is_same).map(|(_, stage)| stage)
    }
}

/// Of each body how it moves, whether it sleeps, and what it has to do with others.
fn of_bodies(world: &World) -> Vec<u16> {
    let mut digests: Vec<Digest> = world.bodies().map(of_body).collect();
    digests.iter_mut().zip(world.bodies()).for_each(|(digest, body)| digest.word(u64::from(body.is_asleep())));
    let is_dynamic: Vec<bool> = world.bodies().map(|body| body.kind() == BodyKind::Dynamic).collect();
    // What happens between a body and the floor is told of the body.
    let mut tell = |bodies: [usize; 2], word: u64| {
        let count = bodies.iter().filter(|body| is_dynamic[**body]).count();
        bodies.into_iter().filter(|body| is_dynamic[*body] || count == 0).for_each(|body| digests[body].word(word));
    };
    for met in world.met() {
        let bodies = [met.pair.a, met.pair.b].map(|slot| world.collider(slot).map(|collider| collider.body as usize));
        if let [Some(a), Some(b)] = bodies {
            tell([a, b], u64::from(met.pair.a) << 32 | u64::from(met.pair.b));
        }
    }
    for manifold in world.manifolds() {
        let [mut contacts, mut impulses] = [Digest::default(); 2];
        digest_manifold(manifold, &mut contacts, &mut impulses);
        let bodies = [manifold.pair.a.body, manifold.pair.b.body].map(|body| body as usize);
        tell(bodies, contacts.0);
        tell(bodies, impulses.0);
    }
    for (stop, [body, _]) in stops_of(world) {
        let mut digest = Digest::default();
        digest_stop(stop, &mut digest);
        digests[body].word(digest.0);
    }
    digests.iter().map(|digest| digest.short()).collect()
}

fn digest_manifold(manifold: &Manifold, contacts: &mut Digest, impulses: &mut Digest) {
    contacts.floats(manifold.normal.to_array());
    impulses.floats(manifold.friction.to_array());
    impulses.floats([manifold.twist]);
    for contact in manifold.contacts() {
        contacts.floats(contact.arm_a.to_array());
        contacts.floats(contact.arm_b.to_array());
        contacts.floats([contact.depth]);
        impulses.floats([contact.impulse]);
    }
}

fn digest_stop(stop: &Stop, digest: &mut Digest) {
    digest.floats([stop.time]);
    stop.point.to_array().iter().for_each(|value| digest.word(value.to_bits()));
    digest.floats(stop.normal.to_array());
}

/// What the last step stopped, with the numbers of the two bodies.
fn stops_of(world: &World) -> impl Iterator<Item = (&Stop, [usize; 2])> {
    let stops = &world.last_step().stops;
    let some = if stops.is_empty() { 0 } else { world.len() };
    let numbers: HashMap<BodyId, usize> = world.bodies().map(|body| body.id()).zip(0..some).collect();
    stops.iter().filter_map(move |stop| Some((stop, [*numbers.get(&stop.body)?, *numbers.get(&stop.other)?])))
}

fn of_body(body: BodyRef<'_>) -> Digest {
    let (motion, mut digest) = (body.motion(), Digest::default());
    motion.center.to_array().iter().for_each(|value| digest.word(value.to_bits()));
    digest.floats(motion.rotation.to_array());
    digest.floats(motion.velocity.to_array());
    digest.floats(motion.angular_velocity.to_array());
    digest
}

/// Words mixed into one: each is multiplied in, so that order and every bit count.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Digest {
    /// Its 16 best bits.
    fn short(self) -> u16 {
        (self.0 >> 48) as u16
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0xd134_2543_de82_ef95);
    }

    fn floats<const N: usize>(&mut self, floats: [f32; N]) {
        floats.iter().for_each(|value| self.word(u64::from(value.to_bits())));
    }
}
