//! `carom export`: a recording as a page that plays by itself, or as an animated glTF.

mod bounds;
mod contacts;
mod glb;
mod html;
mod tracks;

use crate::recording::Recording;
use crate::scene::SceneError;
use crate::{Failure, print, report, simulate};
use serde::Serialize;
use std::path::Path;
use tracks::Tracks;

/// What to write.
pub(crate) enum Target<'a> {
    Html(&'a Path),
    Glb(&'a Path),
}

/// What was written.
#[derive(Debug, Serialize)]
struct Exported {
    file: String,
    scene: String,
    bytes: usize,
    /// How many frames were run, and how many of them are in the file.
    frames: u32,
    kept: usize,
    bodies: usize,
    /// How finely a page is written; a glTF is not rounded and has no contacts.
    fineness: Option<Fineness>,
    /// The first frame that is not what was recorded.
    first_difference: Option<u32>,
}

/// How finely a page is written: as finely as it stays small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Fineness {
    /// Poses are rounded to so many times as much as is needed not to see it.
    rounding: u32,
    /// One in so many frames of the tracks is kept.
    frames: usize,
    /// One in so many kept frames has its contacts; 0 if none has.
    contacts: usize,
    /// Whether bounding volumes are in it.
    bounds: bool,
    /// What the page was to hold at the most, in bytes.
    most_bytes: usize,
}

impl Fineness {
    /// What is left out for it, in words; none if nothing is.
    fn left_out(&self, bytes: usize) -> Option<String> {
        let mut said = Vec::new();
        if !self.bounds {
            said.push("bounding volumes are left out".to_string());
        }
        match self.contacts {
            0 => said.push("contacts are left out".to_string()),
            1 => {}
            every => said.push(format!("contacts are kept of one frame in {every}")),
        }
        if self.rounding > 1 {
            said.push(format!("poses are rounded to {} times as much", self.rounding));
        }
        if self.frames > 1 {
            said.push(format!("poses are kept {} times more seldom", self.frames));
        }
        let most = format!("{:.1} MB", self.most_bytes as f64 / 1e6);
        match (said.is_empty(), bytes > self.most_bytes) {
            (true, _) => None,
            (false, false) => Some(format!("to stay below {most}, {}", said.join(", "))),
            (false, true) => Some(format!("{}, and it is larger than {most} all the same", said.join(", "))),
        }
    }
}

impl Exported {
    fn line(&self) -> String {
        let Self { file, scene, bytes, frames, bodies, .. } = self;
        format!("{file}: {frames} frames of {scene}, {bodies} bodies, {:.2} MB\n", *bytes as f64 / 1e6)
    }
}

/// Runs a recording and writes where its bodies were. `page` is another page than the one that is built in.
pub(crate) fn export(recording: &Path, target: &Target<'_>, page: Option<&Path>, json: bool) -> Result<(), Failure> {
    // What is missing is said before anything is run.
    let page = match target {
        Target::Html(_) => Some(crate::page::load(page)?),
        Target::Glb(_) => None,
    };
    let recording = Recording::read(recording)?;
    let mut session = recording.session()?;
    let bar = simulate::progress(&session.scene().name, recording.last());
    let tracks = Tracks::of(&mut session, &recording, |_| bar.inc(1)).map_err(Failure::Finding)?;
    bar.finish_and_clear();
    let packing = simulate::spinner("packing");
    let (path, made) = match target {
        Target::Html(path) => {
            let made = html::page(&page.unwrap_or_default(), &session, &tracks);
            (path, made.map(|(bytes, fineness)| (bytes, Some(fineness))))
        }
        Target::Glb(path) => (path, glb::file(&session, &tracks).map(|bytes| (bytes, None))),
    };
    let (bytes, fineness) = made.map_err(|error| SceneError::file(path, "cannot be made", &error))?;
    std::fs::write(path, &bytes).map_err(|error| SceneError::file(path, "cannot be written", &error))?;
    packing.finish_and_clear();
    let exported = Exported {
        file: path.display().to_string(),
        scene: session.scene().name.clone(),
        bytes: bytes.len(),
        frames: recording.last(),
        kept: tracks.frames.len().div_ceil(fineness.map_or(1, |fineness| fineness.frames)),
        bodies: tracks.bodies.len(),
        fineness,
        first_difference: tracks.first_difference,
    };
    print(&if json { report::pretty(&exported) } else { exported.line() })?;
    if let Some(said) = fineness.and_then(|fineness| fineness.left_out(bytes.len())) {
        eprintln!("carom: {}: {said}", path.display());
    }
    // A run that differs from the recording is shown, but not in silence.
    match tracks.first_difference {
        Some(frame) => Err(Failure::Finding(format!(
            "{} was written, but from frame {frame} on it differs from what was recorded: see `carom replay`",
            path.display()
        ))),
        None => Ok(()),
    }
}
