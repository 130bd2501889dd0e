//! What is kept of a frame to tell whether a second run is the same, and if not, which stage and which body differ first.

use carom::body::BodyRef;
use carom::world::World;
use serde::{Deserialize, Serialize};

/// 64 bits of what each stage of a step made, in the order of the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StageDigests {
    pub(crate) pairs: u64,
    pub(crate) contacts: u64,
    pub(crate) impulses: u64,
    pub(crate) velocities: u64,
    pub(crate) poses: u64,
    /// Of all of it and of who sleeps: [`World::hash`].
    pub(crate) all: u64,
}

/// A frame in few bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FrameDigest {
    pub(crate) stages: StageDigests,
    /// 16 bits of each body's pose and velocity. In a file, each minus that of the frame before: zeros while it rests.
    pub(crate) bodies: Vec<u16>,
}

impl FrameDigest {
    pub(crate) fn of(world: &World) -> Self {
        Self { stages: StageDigests::of(world), bodies: world.bodies().map(of_body).collect() }
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
        let [mut pairs, mut contacts, mut impulses, mut velocities, mut poses] = [Digest::default(); 5];
        for met in world.met() {
            pairs.word(u64::from(met.pair.a) << 32 | u64::from(met.pair.b));
        }
        for manifold in world.manifolds() {
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
        for body in world.bodies() {
            let motion = body.motion();
            velocities.floats(motion.velocity.to_array());
            velocities.floats(motion.angular_velocity.to_array());
            motion.center.to_array().iter().for_each(|value| poses.word(value.to_bits()));
            poses.floats(motion.rotation.to_array());
        }
        Self {
            pairs: pairs.0,
            contacts: contacts.0,
            impulses: impulses.0,
            velocities: velocities.0,
            poses: poses.0,
            all: world.hash(),
        }
    }

    /// The first stage whose result is another one, in words.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<&'static str> {
        let stages = [
            (self.pairs == other.pairs, "broad phase (pairs)"),
            (self.contacts == other.contacts, "narrow phase (contacts)"),
            (self.impulses == other.impulses, "response (impulses)"),
            (self.velocities == other.velocities, "response (velocities)"),
            (self.poses == other.poses, "response (poses)"),
            (self.all == other.all, "rest (who sleeps, and what is kept from step to step)"),
        ];
        stages.into_iter().find(|(is_same, _)| !is_same).map(|(_, stage)| stage)
    }
}

fn of_body(body: BodyRef<'_>) -> u16 {
    let (motion, mut digest) = (body.motion(), Digest::default());
    motion.center.to_array().iter().for_each(|value| digest.word(value.to_bits()));
    digest.floats(motion.rotation.to_array());
    digest.floats(motion.velocity.to_array());
    digest.floats(motion.angular_velocity.to_array());
    (digest.0 >> 48) as u16
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
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0xd134_2543_de82_ef95);
    }

    fn floats<const N: usize>(&mut self, floats: [f32; N]) {
        floats.iter().for_each(|value| self.word(u64::from(value.to_bits())));
    }
}
