//! What a scene file holds, in JSON and in TOML, so that every error knows its place in the text.

use super::error::{SceneError, Text};
use super::settings::{Camera, ContinuousFile, InnerEdgesFile, MixingFile, Settings, SolverFile, StructureFile, yes};
use super::shape_file::ShapeFile;
use super::{Listed, Scene, SceneBody, body_title, json};
use carom::body::{Body, BodyKind, BodyShape, Material};
use carom::broad::Structure;
use carom::detector::Filter;
use carom::glam::{DVec3, Quat, Vec3};
use carom::mass::MassProperties;
use carom::narrow::InnerEdges;
use carom::pose::LocalPose;
use carom::response::Solver;
use carom::shape::Shape;
use carom::world::Continuous;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// A scene as it is written, with bodies of type `B`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `bodies`")]
pub(super) struct SceneFile<B> {
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    name: Option<String>,
    #[serde(default)]
    shows: String,
    #[serde(default)]
    capabilities: Vec<String>,
    #[serde(default = "earth")]
    gravity: Vec3,
    #[serde(default, with = "StructureFile")]
    broad_phase: Structure,
    #[serde(default, with = "SolverFile")]
    solver: Solver,
    #[serde(default, with = "InnerEdgesFile")]
    inner_edges: InnerEdges,
    #[serde(default = "yes")]
    sleeping: bool,
    #[serde(default = "one")]
    bounce_threshold: f32,
    #[serde(default = "one")]
    hit_speed: f32,
    #[serde(default, with = "ContinuousFile")]
    continuous: Continuous,
    camera: Option<Camera>,
    #[serde(default = "sixtieth")]
    dt: f32,
    #[serde(default = "ten_seconds")]
    steps: u32,
    pub(super) bodies: Vec<B>,
}

/// A body as it is written, with shapes of type `S`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `shape` or `shapes`")]
pub(super) struct BodyFile<S> {
    pub(super) name: Option<String>,
    #[serde(default = "dynamic")]
    kind: BodyKind,
    #[serde(default)]
    position: DVec3,
    #[serde(default)]
    rotation: Quat,
    #[serde(default)]
    velocity: Vec3,
    #[serde(default)]
    angular_velocity: Vec3,
    shape: Option<S>,
    #[serde(default = "Vec::new")]
    shapes: Vec<PartFile<S>>,
    density: Option<f32>,
    mass: Option<f32>,
    mass_properties: Option<MassProperties>,
    restitution: Option<f32>,
    friction: Option<f32>,
    static_friction: Option<f32>,
    rolling_friction: Option<f32>,
    surface_velocity: Option<Vec3>,
    friction_mixing: Option<MixingFile>,
    restitution_mixing: Option<MixingFile>,
    #[serde(default)]
    sensor: bool,
    groups: Option<u32>,
    mask: Option<u32>,
    linear_damping: Option<f32>,
    angular_damping: Option<f32>,
    gravity_scale: Option<f32>,
    #[serde(default)]
    lock_translation: [bool; 3],
    #[serde(default)]
    lock_rotation: [bool; 3],
    max_speed: Option<f32>,
    max_angular_speed: Option<f32>,
    #[serde(default)]
    force: Vec3,
    #[serde(default)]
    torque: Vec3,
    #[serde(default = "yes")]
    may_sleep: bool,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    user_data: u64,
}

/// A shape and its pose in the body. What it does not say of its surface and its groups is as the body says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `shape`")]
struct PartFile<S> {
    #[serde(default)]
    position: Vec3,
    #[serde(default)]
    rotation: Quat,
    shape: S,
    restitution: Option<f32>,
    friction: Option<f32>,
    static_friction: Option<f32>,
    rolling_friction: Option<f32>,
    surface_velocity: Option<Vec3>,
    friction_mixing: Option<MixingFile>,
    restitution_mixing: Option<MixingFile>,
    sensor: Option<bool>,
    groups: Option<u32>,
    mask: Option<u32>,
    #[serde(default)]
    user_data: u64,
}

fn earth() -> Vec3 {
    Vec3::new(0.0, -9.81, 0.0)
}

fn one() -> f32 {
    1.0
}

fn sixtieth() -> f32 {
    1.0 / 60.0
}

fn ten_seconds() -> u32 {
    600
}

fn dynamic() -> BodyKind {
    BodyKind::Dynamic
}

/// The scene in a text; a name that ends in `.toml` says that it is TOML.
pub(super) fn read(text: &Text) -> Result<Scene, SceneError> {
    if text.name().to_lowercase().ends_with(".toml") { read_toml(text) } else { json::read(text) }
}

fn read_toml(text: &Text) -> Result<Scene, SceneError> {
    let mut scene: SceneFile<Spanned<BodyFile<Spanned<ShapeFile>>>> =
        toml::from_str(text.as_str()).map_err(|error| toml_error(text, &error))?;
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for (index, body) in std::mem::take(&mut scene.bodies).into_iter().enumerate() {
        let span = body.span();
        let written = body.into_inner();
        let title = body_title(index, written.name.as_deref());
        let shape = |file: Spanned<ShapeFile>| {
            let span = file.span();
            let shape = file.into_inner().shape(text.folder());
            shape.map_err(|said| text.error(span, format!("{title}: {said}"), "this shape"))
        };
        bodies.push(written.described(span, shape)?);
    }
    checked(scene, bodies, text)
}

/// What TOML's reader says, with the body that it says it of.
fn toml_error(text: &Text, error: &toml::de::Error) -> SceneError {
    /// A second reading that only wants to know where the bodies are.
    #[derive(Deserialize)]
    struct Bodies {
        bodies: Vec<Spanned<toml::Table>>,
    }
    let span = error.span().unwrap_or(0..text.len());
    let said = error.message().trim_end();
    let bodies = toml::from_str(text.as_str()).map_or_else(|_| Vec::new(), |scene: Bodies| scene.bodies);
    let message = match bodies.iter().rposition(|body| body.span().start <= span.start && span.start > 0) {
        Some(index) => {
            let name = bodies[index].get_ref().get("name").and_then(toml::Value::as_str);
            format!("{}: {said}", body_title(index, name))
        }
        None => said.to_string(),
    };
    text.error(span, message, "here")
}

impl<B> SceneFile<B> {
    /// What a list says of it.
    pub(super) fn listed(self, text: &Text) -> Listed {
        let Self { name, shows, capabilities, steps, dt, bodies, .. } = self;
        let name = name.unwrap_or_else(|| text.name().to_string());
        Listed { name, shows, capabilities, bodies: bodies.len(), steps, dt }
    }
}

impl<S> BodyFile<S> {
    /// The body for the world, with the shapes that `shape` makes; what is not written stays as the library has it.
    pub(super) fn described(
        mut self,
        span: Range<usize>,
        mut shape: impl FnMut(S) -> Result<Shape, SceneError>,
    ) -> Result<SceneBody, SceneError> {
        let mut body = Body::new(self.kind)
            .at(self.position)
            .rotated(self.rotation)
            .velocity(self.velocity)
            .angular_velocity(self.angular_velocity)
            .material(self.material())
            .lock_translation(self.lock_translation)
            .lock_rotation(self.lock_rotation)
            .may_sleep(self.may_sleep)
            .user_data(self.user_data);
        let every = Filter::default();
        let filter = Filter { groups: self.groups.unwrap_or(every.groups), mask: self.mask.unwrap_or(every.mask) };
        let as_body = |part: BodyShape, is_sensor: bool| if is_sensor { part.sensor() } else { part };
        if let Some(written) = self.shape.take() {
            body = body.part(as_body(BodyShape::new(shape(written)?).filter(filter), self.sensor));
        }
        for part in std::mem::take(&mut self.shapes) {
            let material = part.material(self.material());
            let filter =
                Filter { groups: part.groups.unwrap_or(filter.groups), mask: part.mask.unwrap_or(filter.mask) };
            let PartFile { position, rotation, sensor, user_data, .. } = part;
            let made = BodyShape::new(shape(part.shape)?).at(LocalPose::new(position, rotation));
            let made = made.material(material).filter(filter).user_data(user_data);
            body = body.part(as_body(made, sensor.unwrap_or(self.sensor)));
        }
        let with = |body: Body, value: Option<f32>, set: fn(Body, f32) -> Body| match value {
            Some(value) => set(body, value),
            None => body,
        };
        body = with(body, self.density, Body::density);
        body = with(body, self.mass, Body::mass);
        body = with(body, self.linear_damping, Body::linear_damping);
        body = with(body, self.angular_damping, Body::angular_damping);
        body = with(body, self.gravity_scale, Body::gravity_scale);
        body = with(body, self.max_speed, Body::max_speed);
        body = with(body, self.max_angular_speed, Body::max_angular_speed);
        if let Some(properties) = self.mass_properties {
            body = body.mass_properties(properties);
        }
        if !self.enabled {
            body = body.disabled();
        }
        let masses = [self.density.is_some(), self.mass.is_some(), self.mass_properties.is_some()];
        let has_many_masses = masses.iter().filter(|is_given| **is_given).count() > 1;
        Ok(SceneBody { name: self.name, body, force: self.force, torque: self.torque, has_many_masses, span })
    }

    fn material(&self) -> Material {
        let usual = Material::default();
        Material {
            friction: self.friction.unwrap_or(usual.friction),
            static_friction: self.static_friction.unwrap_or(usual.static_friction),
            restitution: self.restitution.unwrap_or(usual.restitution),
            rolling_friction: self.rolling_friction.unwrap_or(usual.rolling_friction),
            surface_velocity: self.surface_velocity.unwrap_or(usual.surface_velocity),
            friction_mixing: self.friction_mixing.map(Into::into),
            restitution_mixing: self.restitution_mixing.map(Into::into),
        }
    }
}

impl<S> PartFile<S> {
    /// The body's material but for what the part says.
    fn material(&self, body: Material) -> Material {
        Material {
            friction: self.friction.unwrap_or(body.friction),
            static_friction: self.static_friction.unwrap_or(body.static_friction),
            restitution: self.restitution.unwrap_or(body.restitution),
            rolling_friction: self.rolling_friction.unwrap_or(body.rolling_friction),
            surface_velocity: self.surface_velocity.unwrap_or(body.surface_velocity),
            friction_mixing: self.friction_mixing.map(Into::into).or(body.friction_mixing),
            restitution_mixing: self.restitution_mixing.map(Into::into).or(body.restitution_mixing),
        }
    }
}

/// The scene, once what its text says beside the bodies is sound.
pub(super) fn checked<B>(scene: SceneFile<B>, bodies: Vec<SceneBody>, text: &Text) -> Result<Scene, SceneError> {
    let SceneFile {
        gravity, broad_phase, solver, inner_edges, sleeping, bounce_threshold, hit_speed, continuous, ..
    } = scene;
    let settings =
        Settings { gravity, broad_phase, solver, inner_edges, sleeping, bounce_threshold, hit_speed, continuous };
    let SceneFile { name, shows, capabilities, camera, dt, steps, .. } = scene;
    let wrong = |field: &str, message: String| Err(text.error_at_field(field, 0..text.len(), message));
    if !(dt > 0.0 && dt.is_finite()) {
        return wrong("dt", format!("the time step is {dt} s; it must be a finite number greater than zero"));
    }
    if let Some((field, message)) = settings.overlong() {
        return wrong(field, message);
    }
    if let Some(message) = camera.and_then(|camera| camera.objection()) {
        return wrong("camera", message);
    }
    if let Some((index, body)) = bodies.iter().enumerate().find(|(_, body)| body.has_many_masses) {
        let title = body_title(index, body.name.as_deref());
        let message = format!("{title}: of `density`, `mass` and `mass_properties` only one can be given");
        return Err(text.error(body.span.clone(), message, "this body"));
    }
    let name = name.unwrap_or_else(|| text.name().to_string());
    Ok(Scene { name, shows, capabilities, dt, steps, bodies, settings, camera, text: text.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_text_of_any_kind_is_an_error_and_not_a_panic() {
        let json = r#"{"name": "å", "dt": 0.01, "bodies": [{"shape": {"sphere": {"radius": 1}}, "kind": "fixed"}]}"#;
        let toml = "name = 'å'\ndt = 0.01\n[[bodies]]\nkind = 'fixed'\nshape = { sphere = { radius = 1 } }\n";
        let mut random = fastrand::Rng::with_seed(7);
        let mut refused = 0;
        for case in 0..20_000 {
            let (name, sound) = if case % 2 == 0 { ("a.json", json) } else { ("a.toml", toml) };
            let mut bytes = sound.as_bytes().to_vec();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..=bytes.len()).min(bytes.len().saturating_sub(1));
                match random.u8(..3) {
                    0 if !bytes.is_empty() => drop(bytes.remove(at)),
                    1 => bytes.insert(at, *random.choice(b"\"{}[]:,='-1e9.\n\\\xc3").unwrap_or(&b'0')),
                    _ => bytes.truncate(at + 1),
                }
            }
            let Ok(text) = String::from_utf8(bytes) else { continue };
            if let Err(error) = read(&Text::new(name, text)).and_then(|scene| scene.world().map(drop)) {
                refused += 1;
                assert!(error.rendered(super::super::Look::Plain).contains("×"));
            }
        }
        assert!(refused > 10_000, "{refused}");
    }
}
