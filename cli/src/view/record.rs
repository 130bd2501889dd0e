//! The session of a page as a recording to keep: it is run again beside the engine, which goes on.

use super::message::{self, Tell};
use crate::recording::Recorder;
use crate::scene::{self, Files, Source};
use crate::session::{Logged, Session};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A session from its start to its last frame.
pub(super) struct Tape {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) files: Option<Files>,
    pub(super) dt: f32,
    pub(super) log: Vec<Logged>,
    pub(super) last: u32,
}

/// The message with the recording, or with why there is none.
pub(super) fn message(tape: &Tape) -> String {
    let name = format!("{}.carom", tape.name);
    match recorded(tape) {
        Ok(bytes) => Tell::Recording { name, base64: STANDARD.encode(bytes) }.text(),
        Err(why) => message::error(format!("it could not be recorded: {why}")),
    }
}

fn recorded(tape: &Tape) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let source = Source { name: &tape.name, text: &tape.text, files: tape.files.as_ref() };
    let scene = scene::read(source)?.with(Some(tape.last), Some(tape.dt));
    let world = scene.world()?;
    let mut recorder = Recorder::new(Vec::new(), &scene, &world)?;
    let mut session = Session::recorded(scene, world, tape.log.clone(), (tape.last, Vec::new()));
    while session.frame() < tape.last {
        session.step_without_inputs()?;
        recorder.step(session.world())?;
        session.act_as_logged();
    }
    Ok(recorder.finish(&tape.log)?)
}
