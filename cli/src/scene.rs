//! Scenes: a world to be, how long to run it, and what it shows. They come from files and from the program itself, and
//! all pass through the same door.

pub(crate) mod embedded;
mod error;
mod file;
mod json;
mod schema;
mod settings;
mod shape_file;

pub(crate) use error::{Look, SceneError, Text};
pub(crate) use json::json_error;
pub(crate) use schema::SCHEMA;
#[cfg(test)]
pub(crate) use schema::tests::objection;
pub(crate) use settings::{Camera, Settings};

use crate::recording::Recording;
use carom::body::{Body, BodyError};
use carom::glam::Vec3;
use carom::pose::PoseError;
use carom::world::{World, WorldBuilder, WorldError};
use serde::Serialize;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// A scene whose text was sound; its bodies are checked when the world is made.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) name: String,
    pub(crate) shows: String,
    pub(crate) capabilities: Vec<String>,
    pub(crate) dt: f32,
    pub(crate) steps: u32,
    pub(crate) bodies: Vec<SceneBody>,
    pub(crate) settings: Settings,
    pub(crate) camera: Option<Camera>,
    text: Text,
}

/// What a list of scenes says of one. Field names are part of the program's interface; its manual lists them.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) shows: String,
    pub(crate) capabilities: Vec<String>,
    pub(crate) bodies: usize,
    pub(crate) steps: u32,
    pub(crate) dt: f32,
}

/// A body and where it stands in the scene's text.
#[derive(Debug)]
pub(crate) struct SceneBody {
    pub(crate) name: Option<String>,
    body: Body,
    force: Vec3,
    torque: Vec3,
    /// Whether more than one of its fields says how heavy it is.
    has_many_masses: bool,
    span: Range<usize>,
}

/// The scene of that name, or in that file; `-` is JSON on standard input.
pub(crate) fn find(name: &str) -> Result<Scene, SceneError> {
    if let Some(text) = embedded::text(name) {
        return file::read(&Text::new(name, text));
    }
    if name == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| SceneError::file(Path::new("standard input"), "cannot be read", &error))?;
        return file::read(&Text::new("standard input", text));
    }
    let path = Path::new(name);
    if !path.exists() && !name.contains(['/', '\\', '.']) {
        return Err(SceneError::unknown_scene(name));
    }
    if Recording::is_one(path) {
        let help = "`carom view`, `replay` and `export` play it".to_string();
        return Err(SceneError::refused(format!("{name} is a recording and no scene"), help));
    }
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::file(path, "cannot be read", &error))?;
    file::read(&Text::new(name, text))
}

/// The scene in a text, which [`Scene::source`] gave.
pub(crate) fn read(name: &str, text: &str) -> Result<Scene, SceneError> {
    file::read(&Text::new(name, text))
}

/// The scenes that the program brings along, the default first. Their bodies are counted but not made.
pub(crate) fn listed() -> Result<Vec<Listed>, SceneError> {
    let texts = embedded::names().into_iter().filter_map(|name| Some((name, embedded::text(name)?)));
    texts.map(|(name, text)| json::listed(&Text::new(name, text))).collect()
}

impl Scene {
    /// Its name and its text, for a recording.
    pub(crate) fn source(&self) -> (&str, &str) {
        (self.text.name(), self.text.as_str())
    }

    /// The same scene with another number of steps or another time step.
    pub(crate) fn with(mut self, steps: Option<u32>, dt: Option<f32>) -> Self {
        self.steps = steps.unwrap_or(self.steps);
        self.dt = dt.unwrap_or(self.dt);
        self
    }

    /// The world at its start; bodies count as in the scene.
    pub(crate) fn world(&self) -> Result<World, SceneError> {
        self.world_by(self.settings.builder())
    }

    /// The same world, built by other settings.
    pub(crate) fn world_by(&self, builder: WorldBuilder) -> Result<World, SceneError> {
        let mut world = builder.build().map_err(|error| {
            let field = match error {
                WorldError::BounceThreshold { .. } => "bounce_threshold",
                WorldError::HitSpeed { .. } => "hit_speed",
                _ => "gravity",
            };
            self.text.error_at_field(field, 0..self.text.len(), error.to_string())
        })?;
        for (index, body) in self.bodies.iter().enumerate() {
            body.enter(&mut world).map_err(|error| self.refused(index, &error))?;
        }
        Ok(world)
    }

    /// What the scene calls a body.
    pub(crate) fn title(&self, index: usize) -> String {
        body_title(index, self.bodies.get(index).and_then(|body| body.name.as_deref()))
    }

    fn refused(&self, index: usize, error: &BodyError) -> SceneError {
        let span = self.bodies[index].span.clone();
        // A TOML table's span may end with its header; what follows up to the next body is the body's.
        let end = self.bodies.get(index + 1).map_or(self.text.len(), |next| next.span.start);
        let message = format!("{}: {error}", self.title(index));
        match blamed_field(error) {
            Some(field) => self.text.error_at_field(field, span.start..end, message),
            None => self.text.error(span, message, "this body"),
        }
    }
}

impl SceneBody {
    fn enter(&self, world: &mut World) -> Result<(), BodyError> {
        let id = world.add(self.body.clone())?;
        if self.force != Vec3::ZERO {
            world.body_mut(id)?.set_constant_force(self.force)?;
        }
        if self.torque != Vec3::ZERO {
            world.body_mut(id)?.set_constant_torque(self.torque)?;
        }
        Ok(())
    }
}

fn body_title(index: usize, name: Option<&str>) -> String {
    name.map_or_else(|| format!("body {index}"), |name| format!("body {index} ({name})"))
}

/// The field of a body that a refusal is about.
fn blamed_field(error: &BodyError) -> Option<&'static str> {
    match error {
        BodyError::Pose { error: PoseError::Position(_) } => Some("position"),
        BodyError::Pose { error: PoseError::Rotation(_) } => Some("rotation"),
        BodyError::NotFinite { what, .. } | BodyError::OutOfRange { what, .. } => FIELDS
            .iter()
            .find(|field| field.replace('_', " ") == *what)
            .copied()
            .or((*what == "greatest speed").then_some("max_speed")),
        BodyError::NoContacts { .. } | BodyError::ShapePose { .. } => Some("shape"),
        BodyError::Mass { .. } | BodyError::TotalMass { .. } => Some("density"),
        _ => None,
    }
}

/// The fields of a body that a refusal may name.
const FIELDS: &[&str] = &[
    "velocity",
    "angular_velocity",
    "friction",
    "restitution",
    "static_friction",
    "rolling_friction",
    "surface_velocity",
    "linear_damping",
    "angular_damping",
    "gravity_scale",
    "force",
    "torque",
];
