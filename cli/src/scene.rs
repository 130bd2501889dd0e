//! Scenes: a world to be, how long to run it, and what it shows. They come from files and from the program itself, and
//! all pass through the same door.

pub(crate) mod embedded;
mod error;
mod file;
mod schema;

pub(crate) use error::{Look, SceneError, Text};
pub(crate) use schema::SCHEMA;

use carom::body::{Body, BodyError};
use carom::glam::Vec3;
use carom::pose::PoseError;
use carom::world::World;
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
    gravity: Vec3,
    text: Text,
}

/// A body and where it stands in the scene's text.
#[derive(Debug)]
pub(crate) struct SceneBody {
    pub(crate) name: Option<String>,
    body: Body,
    span: Range<usize>,
}

/// The scene of that name, or in that file; `-` is JSON on standard input.
pub(crate) fn find(name: &str) -> Result<Scene, SceneError> {
    if let Some(text) = embedded::text(name) {
        return file::read(Text::new(name, text));
    }
    if name == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| SceneError::file(Path::new("standard input"), "cannot be read", &error))?;
        return file::read(Text::new("standard input", text));
    }
    let path = Path::new(name);
    if !path.exists() && !name.contains(['/', '\\', '.']) {
        return Err(SceneError::unknown_scene(name));
    }
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::file(path, "cannot be read", &error))?;
    file::read(Text::new(name, text))
}

/// The scene in a text, which [`Scene::source`] gave.
pub(crate) fn read(name: &str, text: &str) -> Result<Scene, SceneError> {
    file::read(Text::new(name, text))
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
        let built = World::builder().gravity(self.gravity).build();
        let mut world =
            built.map_err(|error| self.text.error_at_field("gravity", 0..self.text.len(), error.to_string()))?;
        for (index, body) in self.bodies.iter().enumerate() {
            world.add(body.body.clone()).map_err(|error| self.refused(index, &error))?;
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

fn body_title(index: usize, name: Option<&str>) -> String {
    name.map_or_else(|| format!("body {index}"), |name| format!("body {index} ({name})"))
}

/// The field of a body that a refusal is about.
fn blamed_field(error: &BodyError) -> Option<&'static str> {
    match error {
        BodyError::Pose { error: PoseError::Position(_) } => Some("position"),
        BodyError::Pose { error: PoseError::Rotation(_) } => Some("rotation"),
        BodyError::NotFinite { what: "velocity", .. } => Some("velocity"),
        BodyError::NotFinite { what: "angular velocity", .. } => Some("angular_velocity"),
        BodyError::OutOfRange { what: "friction", .. } => Some("friction"),
        BodyError::OutOfRange { what: "restitution", .. } => Some("restitution"),
        BodyError::NoContacts { .. } | BodyError::ShapePose { .. } => Some("shape"),
        BodyError::Mass { .. } | BodyError::TotalMass { .. } => Some("density"),
        _ => None,
    }
}
