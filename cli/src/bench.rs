//! Measures alternatives of the engine on one scene, and checks that they give the same answers.

mod arguments;
mod box_file;
mod chart;
mod check;
mod measure;
mod recording;
mod results;
mod synthetic;

pub(crate) use arguments::{AREAS, AREAS_JSON, Area, BroadArguments};

use crate::scene::SceneError;
use crate::{Failure, print, report};
use carom::broad::Structure;
use check::Reference;
use indicatif::{ProgressBar, ProgressStyle};
use recording::{Making, Recording};
use results::Results;
use std::path::Path;

/// Compares all broad-phase structures.
pub(crate) fn broad(arguments: &BroadArguments) -> Result<(), Failure> {
    let making = Making { movers: arguments.movers, seed: arguments.seed };
    let recording = Recording::of(&arguments.scene, arguments.steps, making)?;
    let bar = progress(&recording);
    bar.set_message("reference");
    let reference = Reference::of(&recording).map_err(Failure::Finding)?;
    let mut results = Results::new(&recording, &reference, arguments.budget);
    for &structure in Structure::ALL {
        bar.set_message(structure.name());
        let measured = measure::measure(structure, &recording, &reference, arguments.budget, &bar);
        results.add(measured.map_err(Failure::Finding)?);
    }
    bar.finish_and_clear();
    results.rank();
    print(&if arguments.json { report::pretty(&results) } else { results.table() })?;
    if let Some(path) = &arguments.plot {
        let is_page = path.extension().is_some_and(|extension| extension == "html");
        write(path, &if is_page { chart::page(&results) } else { chart::svg(&results) })?;
    }
    results.finding().or(recording.finding).map_or(Ok(()), |finding| Err(Failure::Finding(finding)))
}

fn write(path: &Path, text: &str) -> Result<(), SceneError> {
    std::fs::write(path, text).map_err(|error| SceneError::file(path, "cannot be written", &error))
}

/// A bar on standard error; nothing where that is no terminal.
fn progress(recording: &Recording) -> ProgressBar {
    let looks = (u64::from(recording.steps) + 1) * Structure::ALL.len() as u64;
    let style = ProgressStyle::with_template("{msg:18} {wide_bar} {percent} %");
    ProgressBar::new(looks).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
