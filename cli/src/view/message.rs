//! The text messages between pages and the program: docs/viewer-protocol.md.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a page asks for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum Command {
    Play,
    Pause,
    Restart,
    Step {
        #[serde(default = "one")]
        count: u32,
    },
    Back {
        #[serde(default = "one")]
        count: u32,
    },
    Seek {
        frame: u32,
    },
    Scene {
        name: String,
    },
    Grab {
        body: u32,
        point: [f64; 3],
    },
    Drag {
        to: [f64; 3],
    },
    Drop,
    Shoot {
        from: [f64; 3],
        velocity: [f32; 3],
    },
    Overlays {
        on: Vec<String>,
    },
    Stream {
        on: bool,
    },
    Inspect {
        body: u32,
    },
    Microscope {
        slots: [u32; 2],
    },
    Broad {
        structure: String,
    },
    Solver {
        name: String,
    },
    Compare,
    Converge,
    Bounds {
        volume: String,
    },
    Record,
    Speed {
        factor: f64,
    },
}

fn one() -> u32 {
    1
}

/// What the program tells.
#[derive(Debug, Serialize)]
#[serde(tag = "tell", rename_all = "snake_case")]
pub(super) enum Tell<'a> {
    Hello {
        version: &'a str,
        scenes: Vec<Listed>,
        structures: Vec<&'a str>,
        solvers: Vec<&'a str>,
        threads: usize,
        can_control: bool,
    },
    Compare {
        /// How many boxes there are, and how many the last step moved.
        boxes: usize,
        moved: usize,
        rows: Vec<Compared>,
    },
    Recording {
        name: String,
        base64: String,
    },
    State {
        playing: bool,
        frame: u32,
        kept: [u32; 2],
        hash: String,
        structure: &'a str,
        solver: &'a str,
        speed: f64,
        step_ms: Option<[f32; 6]>,
        step_cpu_ms: Option<[f32; 6]>,
        recorded: bool,
    },
    /// Something to know that is no error.
    Note {
        message: String,
    },
    Error {
        message: String,
    },
}

/// A scene that can be asked for.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) shows: String,
    pub(super) capabilities: Vec<String>,
}

/// A broad-phase structure on the boxes of the moment.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Compared {
    pub(super) name: &'static str,
    pub(super) pairs_tested: u64,
    pub(super) pairs_true: usize,
    pub(super) build_ms: f64,
    pub(super) update_ms: f64,
}

impl Tell<'_> {
    pub(super) fn text(&self) -> String {
        text(self)
    }
}

/// Any message as JSON.
pub(super) fn text(message: &impl Serialize) -> String {
    // Numbers, strings and lists always have a JSON form.
    serde_json::to_string(message).unwrap_or_default()
}

pub(super) fn error(message: impl Into<String>) -> String {
    Tell::Error { message: message.into() }.text()
}

/// A value as JSON that is written out already: short f32 stay short.
pub(super) fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}
