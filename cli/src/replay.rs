//! `carom replay`: runs a recording again and compares every frame.

use crate::recording::{FrameDigest, KeptFrame, Recording};
use crate::session::Session;
use crate::{Failure, print, report, simulate};
use carom::glam::DVec3;
use serde::Serialize;
use std::path::Path;

/// What came of it.
#[derive(Debug, Serialize)]
struct Replayed {
    file: String,
    scene: String,
    /// The version that recorded.
    engine: String,
    frames: u32,
    /// How many of them were compared: all, or up to the first that differs.
    checked: u32,
    divergence: Option<Divergence>,
}

/// Where two runs part.
#[derive(Debug, Serialize)]
struct Divergence {
    frame: u32,
    /// The first body that differs, in what it touches or in how it moves; none if it shows in no body yet.
    body: Option<usize>,
    name: Option<String>,
    stage: &'static str,
    /// How far bodies are from where they were recorded at the next keyframe, at the most, in m; none if there is none.
    off: Option<f64>,
}

/// Runs a recording again; a difference is a finding.
pub(crate) fn replay(path: &Path, json: bool) -> Result<(), Failure> {
    let recording = Recording::read(path)?;
    let (scene, start) = recording.scene()?;
    // What was done in frame 0 comes after its digest.
    let mut found = FrameDigest::of(&start, recording.format);
    let mut session = recording.session_of(scene, start);
    let bar = simulate::progress(&session.scene().name, recording.last());
    let mut divergence = None;
    let mut checked = 0;
    for (frame, recorded) in (0..).zip(&recording.digests) {
        let unlike = session.unlike().filter(|unlike| unlike.frame == frame);
        let in_keyframe = || unlike.map(|unlike| (unlike.stage, Some(unlike.body)));
        if let Some((stage, body)) = difference(&found, recorded).or_else(in_keyframe) {
            let name = body.and_then(|body| session.name(body));
            let off = off_at_next_keyframe(&mut session, frame, &recording.keyframes);
            let is_built_otherwise = frame == 0 && unlike.is_none_or(|unlike| unlike.stage != stage);
            let stage = if is_built_otherwise { "start (the scene is built otherwise)" } else { stage };
            divergence = Some(Divergence { frame, body, name, stage, off });
            break;
        }
        checked = frame;
        if frame < recording.last() {
            session.step_without_inputs().map_err(Failure::Finding)?;
            found = FrameDigest::of(session.world(), recording.format);
            session.act_as_logged();
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let replayed = Replayed {
        file: path.display().to_string(),
        scene: session.scene().name.clone(),
        engine: recording.header.engine.clone(),
        frames: recording.last(),
        checked,
        divergence,
    };
    let finding = replayed.finding();
    print(&if json { report::pretty(&replayed) } else { replayed.line() })?;
    finding.map_or(Ok(()), |finding| Err(Failure::Finding(finding)))
}

/// The first stage and the first body of a frame that differ.
fn difference(found: &FrameDigest, recorded: &FrameDigest) -> Option<(&'static str, Option<usize>)> {
    let stage = found.stages.first_difference(&recorded.stages);
    let same_length = found.bodies.len() == recorded.bodies.len();
    let body = found.bodies.iter().zip(&recorded.bodies).position(|(found, recorded)| found != recorded);
    let body = body.or_else(|| (!same_length).then(|| found.bodies.len().min(recorded.bodies.len())));
    match (stage, body) {
        (None, None) => None,
        (Some(stage), body) => Some((stage, body)),
        (None, Some(_)) => Some(("none (only what was kept of the body differs)", body)),
    }
}

fn off_at_next_keyframe(session: &mut Session, frame: u32, keyframes: &[KeptFrame]) -> Option<f64> {
    let kept = keyframes.iter().find(|kept| kept.frame >= frame)?;
    while session.frame() < kept.frame {
        session.step().ok()?;
    }
    let pairs = session.world().bodies().zip(&kept.bodies);
    Some(pairs.map(|(body, kept)| body.position().distance(DVec3::from(kept.position))).fold(0.0, f64::max))
}

impl Replayed {
    fn line(&self) -> String {
        match &self.divergence {
            None => {
                let Self { file, scene, engine, frames, .. } = self;
                format!("{file}: {frames} frames of {scene}, recorded by carom {engine}: every hash is the same\n")
            }
            Some(_) => String::new(),
        }
    }

    fn finding(&self) -> Option<String> {
        let Divergence { frame, body, name, stage, off } = self.divergence.as_ref()?;
        let body = match (body, name) {
            (Some(body), Some(name)) => format!("body {body} ({name})"),
            (Some(body), None) => format!("body {body}"),
            (None, _) => "no body yet".to_string(),
        };
        let mut finding = format!("{}: frame {frame} differs: {body}, stage: {stage}", self.file);
        if let Some(off) = off {
            finding += &format!("; at the next keyframe a body is {off:.2e} m off");
        }
        if self.engine != env!("CARGO_PKG_VERSION") {
            finding += &format!("; it was recorded by carom {}, this is {}", self.engine, env!("CARGO_PKG_VERSION"));
        }
        Some(finding)
    }
}
