//! `carom export`: a recording as a page that plays by itself, or as an animated glTF.

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
    /// The first frame that is not what was recorded.
    first_difference: Option<u32>,
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
    let (path, bytes) = match target {
        Target::Html(path) => (path, html::page(&page.unwrap_or_default(), &session, &tracks)),
        Target::Glb(path) => (path, glb::file(&session, &tracks)),
    };
    let bytes = bytes.map_err(|error| SceneError::file(path, "cannot be made", &error))?;
    std::fs::write(path, &bytes).map_err(|error| SceneError::file(path, "cannot be written", &error))?;
    packing.finish_and_clear();
    let exported = Exported {
        file: path.display().to_string(),
        scene: recording.header.name.clone(),
        bytes: bytes.len(),
        frames: recording.last(),
        kept: tracks.frames.len(),
        bodies: tracks.bodies.len(),
        first_difference: tracks.first_difference,
    };
    print(&if json { report::pretty(&exported) } else { exported.line() })?;
    // A run that differs from the recording is shown, but not in silence.
    match tracks.first_difference {
        Some(frame) => Err(Failure::Finding(format!(
            "{} was written, but from frame {frame} on it differs from what was recorded: see `carom replay`",
            path.display()
        ))),
        None => Ok(()),
    }
}
