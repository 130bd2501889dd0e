//! `carom export`: a recording as a page that plays by itself, or as an animated glTF.

mod glb;
mod html;
mod tracks;

use crate::recording::Recording;
use crate::scene::SceneError;
use crate::{Failure, simulate};
use std::path::Path;
use tracks::Tracks;

/// What to write.
pub(crate) enum Target<'a> {
    Html(&'a Path),
    Glb(&'a Path),
}

/// Runs a recording and writes where its bodies were. `page` is another page than the one that is built in.
pub(crate) fn export(recording: &Path, target: &Target<'_>, page: Option<&Path>) -> Result<(), Failure> {
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
    let (path, bytes) = match target {
        Target::Html(path) => (path, html::page(&page.unwrap_or_default(), &session, &tracks)),
        Target::Glb(path) => (path, glb::file(&session, &tracks)),
    };
    let bytes = bytes.map_err(|error| SceneError::file(path, "cannot be made", &error))?;
    std::fs::write(path, bytes).map_err(|error| SceneError::file(path, "cannot be written", &error))?;
    // A run that differs from the recording is shown, but not in silence.
    match tracks.first_difference {
        Some(frame) => Err(Failure::Finding(format!(
            "{} was written, but from frame {frame} on it differs from what was recorded: see `carom replay`",
            path.display()
        ))),
        None => Ok(()),
    }
}
