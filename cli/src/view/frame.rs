//! A frame as bytes, for pages: docs/viewer-protocol.md says what stands where.

use super::overlay::Overlay;
use crate::session::Session;
use carom::body::BodyRef;
use carom::glam::DVec3;
use carom::world::World;

/// The letters that a frame begins with: "CRF2".
const MAGIC: u32 = 0x3246_5243;

/// How many numbers say how the step went.
pub(crate) const STATISTICS: usize = 17;

/// A frame, and the sections that pages have asked for so far.
pub(super) struct Frame {
    hash: u64,
    head: Vec<u8>,
    sections: [Option<Vec<u8>>; Overlay::ALL.len()],
}

impl Frame {
    pub(super) fn of(session: &Session, generation: u32, origin: DVec3) -> Self {
        let world = session.world();
        let hash = world.hash();
        let mut bytes = Bytes::with_capacity(160 + 24 * world.len());
        bytes.words([MAGIC, generation, session.frame(), world.len() as u32]);
        bytes.0.extend(world.time().to_le_bytes());
        bytes.0.extend(hash.to_le_bytes());
        origin.to_array().iter().for_each(|value| bytes.0.extend(value.to_le_bytes()));
        bytes.floats(statistics(world));
        for body in world.bodies() {
            bytes.place(body.position(), origin);
        }
        for body in world.bodies() {
            bytes.0.extend(quantized(body.rotation().to_array()).iter().flat_map(|part| part.to_le_bytes()));
        }
        bytes.0.extend(world.bodies().map(state_bits));
        bytes.pad();
        Self { hash, head: bytes.0, sections: Default::default() }
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// The bytes with the sections of some overlays.
    pub(super) fn with(&mut self, overlays: &[Overlay], session: &Session, origin: DVec3) -> Vec<u8> {
        let mut all = self.head.clone();
        for overlay in overlays {
            let section = &mut self.sections[*overlay as usize];
            all.extend_from_slice(section.get_or_insert_with(|| overlay.section(session, origin)));
        }
        all
    }
}

/// How the last step went, in the protocol's order.
pub(crate) fn statistics(world: &World) -> [f32; STATISTICS] {
    let (step, energy, momentum) = (world.last_step(), world.energy(), world.momentum());
    let milliseconds = |time: std::time::Duration| time.as_secs_f32() * 1e3;
    let times = &step.times;
    let islands = world.islands().iter().zip(0..).filter(|(island, body)| **island == Some(*body)).count();
    let awake = world.bodies().filter(|body| body.motion().is_movable() && !body.is_asleep()).count();
    let [linear, angular] = [momentum.linear, momentum.angular].map(|vector| vector.as_vec3().to_array());
    [
        milliseconds(times.broad),
        milliseconds(times.narrow),
        milliseconds(times.response),
        milliseconds(times.impact),
        energy.kinetic as f32,
        energy.potential as f32,
        linear[0],
        linear[1],
        linear[2],
        angular[0],
        angular[1],
        angular[2],
        step.pairs as f32,
        step.contacts as f32,
        step.deepest,
        islands as f32,
        awake as f32,
    ]
}

/// A unit quaternion in steps of 1/32767.
fn quantized(rotation: [f32; 4]) -> [i16; 4] {
    rotation.map(|part| (part.clamp(-1.0, 1.0) * 32767.0).round() as i16)
}

/// What state a body is in, in the protocol's bits.
pub(crate) fn state_bits(body: BodyRef<'_>) -> u8 {
    u8::from(body.is_asleep()) | u8::from(body.is_set_aside()) << 1 | u8::from(!body.is_enabled()) << 2
}

/// Little-endian bytes.
#[derive(Default)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    pub(super) fn words<const N: usize>(&mut self, words: [u32; N]) {
        words.iter().for_each(|word| self.0.extend(word.to_le_bytes()));
    }

    pub(super) fn floats<const N: usize>(&mut self, floats: [f32; N]) {
        floats.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
    }

    /// A point of the world, counted from an origin.
    pub(super) fn place(&mut self, point: DVec3, origin: DVec3) {
        self.floats((point - origin).as_vec3().to_array());
    }

    /// Zeros up to a whole number of words.
    pub(super) fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }
}
