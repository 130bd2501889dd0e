//! What an engine reports of a run, and how that goes from one program to another: a line with the time of a step, and a
//! line of numbers for each dynamic body.

use glam::{Quat, Vec3};
use std::fmt::Write as _;

/// The end of a run.
#[derive(Clone)]
pub struct Outcome {
    /// The mean over the timed steps.
    pub milliseconds: f64,
    /// All dynamic bodies, in the order of the scene.
    pub states: Vec<State>,
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub position: Vec3,
    pub rotation: Quat,
    pub velocity: Vec3,
    pub angular_velocity: Vec3,
}

impl Outcome {
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.milliseconds);
        for state in &self.states {
            let State { position, rotation, velocity, angular_velocity } = state;
            for number in position.to_array().into_iter().chain(rotation.to_array()) {
                let _ = write!(text, "{number} ");
            }
            for number in velocity.to_array().into_iter().chain(angular_velocity.to_array()) {
                let _ = write!(text, "{number} ");
            }
            text.push('\n');
        }
        text
    }

    pub fn from_text(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once('\n')?;
        let state = |line: &str| {
            let numbers: Vec<f32> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
            let [x, y, z, a, b, c, d, vx, vy, vz, wx, wy, wz] = numbers[..].try_into().ok()?;
            Some(State {
                position: Vec3::new(x, y, z),
                rotation: Quat::from_xyzw(a, b, c, d),
                velocity: Vec3::new(vx, vy, vz),
                angular_velocity: Vec3::new(wx, wy, wz),
            })
        };
        Some(Self { milliseconds: first.parse().ok()?, states: rest.lines().map(state).collect::<Option<_>>()? })
    }
}
