//! Where the bodies of a recording were, frame by frame.

use super::contacts::{KeptContact, contacts_of};
use crate::recording::Recording;
use crate::session::Session;
use crate::view::{STATISTICS, state_bits, statistics};
use carom::glam::{DVec3, Quat, Vec3};

/// Frames are kept so often, in 1/s: what is between them is drawn in between.
const FRAME_RATE: f32 = 30.0;

/// The bodies' ways.
pub(super) struct Tracks {
    /// Positions are counted from here.
    pub(super) origin: DVec3,
    pub(super) seconds_per_frame: f32,
    pub(super) bodies: Vec<Track>,
    pub(super) frames: Vec<KeptFrame>,
    /// The first frame whose hash is not the recorded one.
    pub(super) first_difference: Option<u32>,
}

/// What is kept of a frame beside its bodies.
pub(super) struct KeptFrame {
    pub(super) frame: u32,
    pub(super) hash: u64,
    pub(super) statistics: [f32; STATISTICS],
    /// Of each body that was there.
    pub(super) states: Vec<u8>,
    pub(super) contacts: Vec<KeptContact>,
}

/// A body's way, a pose for each frame.
#[derive(Default)]
pub(super) struct Track {
    pub(super) positions: Vec<Vec3>,
    pub(super) rotations: Vec<Quat>,
}

impl Tracks {
    /// Runs the recording to its end; `after_step` is told of each step.
    pub(super) fn of(
        session: &mut Session,
        recording: &Recording,
        mut after_step: impl FnMut(u32),
    ) -> Result<Self, String> {
        let stride = (1.0 / (FRAME_RATE * recording.header.dt)).round().clamp(1.0, 1e6) as u32;
        let mut tracks = Self {
            origin: session.origin(),
            seconds_per_frame: recording.header.dt * stride as f32,
            bodies: Vec::new(),
            frames: Vec::new(),
            first_difference: None,
        };
        tracks.take(session);
        for frame in 1..=recording.last() {
            session.step_without_inputs()?;
            let recorded = recording.digests.get(frame as usize);
            let is_same = recorded.is_none_or(|recorded| recorded.stages.all == session.world().hash());
            if !is_same && tracks.first_difference.is_none() {
                tracks.first_difference = Some(frame);
            }
            session.act_as_logged();
            if frame % stride == 0 {
                tracks.take(session);
            }
            after_step(frame);
        }
        Ok(tracks)
    }

    fn take(&mut self, session: &Session) {
        let world = session.world();
        let before = self.frames.len();
        self.frames.push(KeptFrame {
            frame: session.frame(),
            hash: world.hash(),
            statistics: statistics(world),
            states: world.bodies().map(state_bits).collect(),
            contacts: contacts_of(world),
        });
        for (index, body) in world.bodies().enumerate() {
            if self.bodies.len() <= index {
                self.bodies.push(Track::default());
            }
            let track = &mut self.bodies[index];
            let (position, rotation) = ((body.position() - self.origin).as_vec3(), body.rotation());
            // A body that comes later stands at its first place before.
            let missing = before - track.positions.len();
            let last = track.rotations.last().copied().unwrap_or(rotation);
            // Of the two quaternions of a rotation the one that is nearer to that of the frame before.
            let rotation = if last.dot(rotation) < 0.0 { -rotation } else { rotation };
            track.positions.extend(std::iter::repeat_n(position, missing + 1));
            track.rotations.extend(std::iter::repeat_n(rotation, missing + 1));
        }
    }

    /// How far bodies go from each other at the most, in m: what positions are rounded by.
    pub(super) fn extent(&self) -> f32 {
        let places = self.bodies.iter().flat_map(|track| &track.positions).filter(|place| place.is_finite());
        let start = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
        let (min, max) = places.fold(start, |(min, max), place| (min.min(*place), max.max(*place)));
        (max - min).max(Vec3::ZERO).length()
    }
}

impl Track {
    /// Whether it stays where it is.
    pub(super) fn is_still(&self) -> bool {
        self.positions.windows(2).all(|pair| pair[0] == pair[1])
            && self.rotations.windows(2).all(|pair| pair[0] == pair[1])
    }
}
