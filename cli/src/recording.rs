//! Recordings: a scene, what was done to it, and enough of every frame to tell whether a second run is the same.
//!
//! A recording is played by running it again. Each frame has hashes of what every stage made, and 16 bits for each body;
//! every second there is a keyframe with the poses and velocities of all bodies, to tell how far a run that differs is off;
//! it must agree with the run that agrees with the hashes. Files that the scene names are in the recording, too.
//! The file is a row of blocks, each with its own checksum: `blocks.rs` says how.

mod blocks;
mod digest;
mod error;

pub(crate) use blocks::Format;
pub(crate) use digest::FrameDigest;
pub(crate) use error::RecordingError;

use crate::scene::{self, Files, Scene, SceneError, Source};
use crate::session::{Logged, Session};
use crate::simulate;
use blocks::{BlockKind, BlockReader, BlockWriter};
use carom::body::BodyRef;
use carom::world::World;
use digest::FrameDigestOne;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Who recorded what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The version of the program that recorded.
    pub(crate) engine: String,
    /// The scene by its name and its text, so that nothing else is needed.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) dt: f32,
    pub(crate) bodies: u32,
    /// The files that the text names; none in format 1, where they are looked for beside the scene.
    pub(crate) files: Option<Files>,
}

/// The same in format 1.
#[derive(Deserialize)]
struct HeaderOne {
    engine: String,
    name: String,
    text: String,
    dt: f32,
    bodies: u32,
}

impl From<HeaderOne> for Header {
    fn from(HeaderOne { engine, name, text, dt, bodies }: HeaderOne) -> Self {
        Self { engine, name, text, dt, bodies, files: None }
    }
}

/// Where a body was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptBody {
    pub(crate) position: [f64; 3],
    pub(crate) rotation: [f32; 4],
    pub(crate) velocity: [f32; 3],
    pub(crate) angular_velocity: [f32; 3],
}

/// All bodies at a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptFrame {
    pub(crate) frame: u32,
    pub(crate) bodies: Vec<KeptBody>,
}

#[derive(Debug, Serialize, Deserialize)]
struct End {
    frames: u32,
}

/// A recording that was read whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recording {
    pub(crate) format: Format,
    pub(crate) header: Header,
    /// By frame, that of the start first.
    pub(crate) digests: Vec<FrameDigest>,
    pub(crate) keyframes: Vec<KeptFrame>,
    pub(crate) log: Vec<Logged>,
}

const LACKS_FILES: &str = "recordings of format 1 do not hold the files that their scene names: put them where they were \
                           when it was recorded, beside the scene, or record anew";
/// So many frames are in a block, and between two keyframes.
const FRAMES_A_BLOCK: usize = 60;

impl Recording {
    /// Whether a file begins as recordings do.
    pub(crate) fn is_one(path: &Path) -> bool {
        blocks::has_magic(path)
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, SceneError> {
        let bytes = std::fs::read(path).map_err(|error| SceneError::file(path, "cannot be read", &error))?;
        let parsed = simulate::waiting(&format!("reading {}", path.display()), || Self::parse(&bytes));
        parsed.map_err(|error| error.of_file(path))
    }

    /// Reads the bytes of a file. Whatever they are, the answer is a recording or what is wrong with them and where.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, RecordingError> {
        let mut blocks = BlockReader::new(bytes)?;
        let format = blocks.format;
        let header: Header = match format {
            Format::One => blocks.expect::<HeaderOne>(BlockKind::Header)?.into(),
            Format::Two => blocks.expect(BlockKind::Header)?,
        };
        let (mut digests, mut keyframes, mut log) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            match blocks.next_kind()? {
                BlockKind::Frames => match format {
                    Format::One => {
                        let frames: Vec<FrameDigestOne> = blocks.expect(BlockKind::Frames)?;
                        digests.extend(frames.into_iter().map(FrameDigest::from));
                    }
                    Format::Two => digests.extend(blocks.expect::<Vec<FrameDigest>>(BlockKind::Frames)?),
                },
                BlockKind::Keyframe => keyframes.push(blocks.expect(BlockKind::Keyframe)?),
                BlockKind::Inputs => log.extend(blocks.expect::<Vec<Logged>>(BlockKind::Inputs)?),
                BlockKind::End => {
                    let End { frames } = blocks.expect(BlockKind::End)?;
                    if digests.len() as u64 != u64::from(frames) + 1 {
                        return Err(blocks.wrong(format!("it has {} frames and not {frames}", digests.len())));
                    }
                    let is_in_order = log.is_sorted_by_key(|logged: &Logged| logged.frame);
                    if !is_in_order || log.last().is_some_and(|last| last.frame > frames) {
                        return Err(blocks.wrong("its inputs are not in order".to_string()));
                    }
                    if let Some(kept) = keyframes.iter().find(|kept: &&KeptFrame| kept.frame > frames) {
                        return Err(
                            blocks.wrong(format!("it has a keyframe of frame {} and {frames} frames", kept.frame))
                        );
                    }
                    digest::undo_differences(&mut digests);
                    return Ok(Self { format, header, digests, keyframes, log });
                }
                BlockKind::Header => return Err(blocks.wrong("it has a second header".to_string())),
            }
        }
    }

    /// The last frame.
    pub(crate) fn last(&self) -> u32 {
        self.digests.len().saturating_sub(1) as u32
    }

    /// The scene and its world at the start.
    pub(crate) fn scene(&self) -> Result<(Scene, World), SceneError> {
        let steps = Some(self.last());
        let Header { name, text, files, .. } = &self.header;
        let scene = scene::read(Source { name, text, files: files.as_ref() }).map_err(|error| {
            let lacks_files = files.is_none() && text.contains("mesh_file");
            if lacks_files { error.with_help(LACKS_FILES) } else { error }
        })?;
        let scene = scene.with(steps, Some(self.header.dt));
        let world = scene.world()?;
        Ok((scene, world))
    }

    /// A session that plays it.
    pub(crate) fn session(&self) -> Result<Session, SceneError> {
        self.scene().map(|(scene, world)| self.session_of(scene, world))
    }

    /// The same, of the scene and its world at the start.
    pub(crate) fn session_of(&self, scene: Scene, world: World) -> Session {
        let hashes = self.digests.iter().map(|digest| digest.stages.all).collect();
        let session = Session::recorded(scene, world, self.log.clone(), (self.last(), hashes));
        session.with_keyframes(self.keyframes.clone())
    }
}

/// Writes a recording, frame by frame.
pub(crate) struct Recorder<W: Write> {
    blocks: BlockWriter<W>,
    pending: Vec<FrameDigest>,
    last_bodies: Vec<u16>,
    frame: u32,
}

impl Recorder<BufWriter<File>> {
    /// Begins a file, with the world at its start.
    pub(crate) fn create(path: &Path, scene: &Scene, world: &World) -> std::io::Result<Self> {
        Self::new(BufWriter::new(File::create(path)?), scene, world)
    }
}

impl<W: Write> Recorder<W> {
    pub(crate) fn new(writer: W, scene: &Scene, world: &World) -> std::io::Result<Self> {
        let mut blocks = BlockWriter::new(writer)?;
        let Source { name, text, files } = scene.source();
        blocks.write(
            BlockKind::Header,
            &Header {
                engine: env!("CARGO_PKG_VERSION").to_string(),
                name: name.to_string(),
                text: text.to_string(),
                dt: scene.dt,
                bodies: world.len() as u32,
                files: Some(files.cloned().unwrap_or_default()),
            },
        )?;
        let mut recorder = Self { blocks, pending: Vec::new(), last_bodies: Vec::new(), frame: 0 };
        recorder.take(world)?;
        Ok(recorder)
    }

    /// Takes in the world after one more step.
    pub(crate) fn step(&mut self, world: &World) -> std::io::Result<()> {
        self.frame += 1;
        self.take(world)
    }

    /// Writes what is left, and what was done.
    pub(crate) fn finish(mut self, log: &[Logged]) -> std::io::Result<W> {
        self.flush()?;
        if !log.is_empty() {
            self.blocks.write(BlockKind::Inputs, log)?;
        }
        self.blocks.write(BlockKind::End, &End { frames: self.frame })?;
        self.blocks.finish()
    }

    fn take(&mut self, world: &World) -> std::io::Result<()> {
        let digest = FrameDigest::of(world, Format::WRITTEN);
        self.pending.push(digest.minus(&self.last_bodies));
        self.last_bodies = digest.bodies;
        if self.frame.is_multiple_of(FRAMES_A_BLOCK as u32) {
            let bodies = world.bodies().map(KeptBody::of).collect();
            self.blocks.write(BlockKind::Keyframe, &KeptFrame { frame: self.frame, bodies })?;
        }
        if self.pending.len() >= FRAMES_A_BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.blocks.write(BlockKind::Frames, &self.pending)?;
        self.pending.clear();
        Ok(())
    }
}

impl KeptFrame {
    /// The first body of a world that is not as it was kept, and what made of it is another.
    pub(crate) fn difference(&self, world: &World) -> Option<(usize, &'static str)> {
        let found = world.bodies().map(KeptBody::of);
        let differing = found.zip(&self.bodies).enumerate().find(|(_, (found, kept))| found.bits() != kept.bits());
        if let Some((body, (found, kept))) = differing {
            let has_moved = found.bits()[..10] != kept.bits()[..10];
            return Some((body, if has_moved { "keyframe (poses)" } else { "keyframe (velocities)" }));
        }
        let [found, kept] = [world.len(), self.bodies.len()];
        (found != kept).then_some((found.min(kept), "keyframe (number of bodies)"))
    }
}

impl KeptBody {
    /// The pose in ten words, then the velocities; to compare also what is no number.
    fn bits(&self) -> [u32; 16] {
        let mut words = [0; 16];
        let halves = self.position.iter().flat_map(|value| {
            let bits = value.to_bits();
            [bits as u32, (bits >> 32) as u32]
        });
        let floats = self.rotation.iter().chain(&self.velocity).chain(&self.angular_velocity);
        let all = halves.chain(floats.map(|value| value.to_bits()));
        words.iter_mut().zip(all).for_each(|(word, bits)| *word = bits);
        words
    }

    pub(crate) fn of(body: BodyRef<'_>) -> Self {
        Self {
            position: body.position().to_array(),
            rotation: body.rotation().to_array(),
            velocity: body.velocity().to_array(),
            angular_velocity: body.angular_velocity().to_array(),
        }
    }
}

#[cfg(test)]
mod tests;
