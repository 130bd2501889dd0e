//! Reads scenes from JSON and TOML, so that every error knows its place in the text.
//!
//! TOML's reader knows the span of each value. JSON's knows only how far it has read, so bodies and shapes are taken as
//! raw slices of the text first, and each is then read on its own: what is wrong with it is in that slice.

use super::error::{SceneError, Text};
use super::{Scene, SceneBody, body_title};
use carom::body::{Body, BodyKind};
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::LocalPose;
use carom::shape::Shape;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ops::Range;
use toml::Spanned;

/// A scene as it is written, with bodies of type `B`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `bodies`")]
struct SceneFile<B> {
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    name: Option<String>,
    #[serde(default)]
    shows: String,
    #[serde(default)]
    capabilities: Vec<String>,
    #[serde(default = "earth")]
    gravity: Vec3,
    #[serde(default = "sixtieth")]
    dt: f32,
    #[serde(default = "ten_seconds")]
    steps: u32,
    bodies: Vec<B>,
}

/// A body as it is written, with shapes of type `S`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `shape` or `shapes`")]
struct BodyFile<S> {
    name: Option<String>,
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
    restitution: Option<f32>,
    friction: Option<f32>,
}

/// A shape and its pose in the body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `shape`")]
struct PartFile<S> {
    #[serde(default)]
    position: Vec3,
    #[serde(default)]
    rotation: Quat,
    shape: S,
}

fn earth() -> Vec3 {
    Vec3::new(0.0, -9.81, 0.0)
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
pub(super) fn read(text: Text) -> Result<Scene, SceneError> {
    if text.name().to_lowercase().ends_with(".toml") { read_toml(text) } else { read_json(text) }
}

fn read_toml(text: Text) -> Result<Scene, SceneError> {
    let scene: SceneFile<Spanned<BodyFile<Shape>>> =
        toml::from_str(text.as_str()).map_err(|error| toml_error(&text, &error))?;
    let SceneFile { name, shows, capabilities, gravity, dt, steps, bodies, _schema } = scene;
    let bodies = bodies
        .into_iter()
        .map(|body| {
            let span = body.span();
            let mut written = body.into_inner();
            SceneBody { name: written.name.take(), body: described(written), span }
        })
        .collect();
    checked(Parts { name, shows, capabilities, gravity, dt, steps, bodies }, text)
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

fn read_json(text: Text) -> Result<Scene, SceneError> {
    let whole = text.as_str();
    let scene: SceneFile<&RawValue> =
        serde_json::from_str(whole).map_err(|error| json_error(&text, 0..whole.len(), "", &error))?;
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for (index, raw) in scene.bodies.iter().enumerate() {
        bodies.push(json_body(&text, index, span_in(whole, raw))?);
    }
    let SceneFile { name, shows, capabilities, gravity, dt, steps, .. } = scene;
    checked(Parts { name, shows, capabilities, gravity, dt, steps, bodies }, text)
}

fn json_body(text: &Text, index: usize, span: Range<usize>) -> Result<SceneBody, SceneError> {
    let whole = text.as_str();
    let written: BodyFile<&RawValue> = serde_json::from_str(&whole[span.clone()])
        .map_err(|error| json_error(text, span.clone(), &body_title(index, None), &error))?;
    let title = body_title(index, written.name.as_deref());
    let shape = |raw: &RawValue| -> Result<Shape, SceneError> {
        serde_json::from_str(raw.get()).map_err(|error| json_error(text, span_in(whole, raw), &title, &error))
    };
    let BodyFile { name, kind, position, rotation, velocity, angular_velocity, density, restitution, friction, .. } =
        written;
    let mut parts = Vec::with_capacity(written.shapes.len());
    for part in written.shapes {
        parts.push(PartFile { position: part.position, rotation: part.rotation, shape: shape(part.shape)? });
    }
    let body = BodyFile {
        name: None,
        kind,
        position,
        rotation,
        velocity,
        angular_velocity,
        shape: written.shape.map(shape).transpose()?,
        shapes: parts,
        density,
        restitution,
        friction,
    };
    Ok(SceneBody { name, body: described(body), span })
}

/// Where a raw value stands in the text that it was read from.
fn span_in(whole: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr() as usize - whole.as_ptr() as usize;
    start..start + raw.get().len()
}

/// The body for the world; what is not written stays as the library has it.
fn described(written: BodyFile<Shape>) -> Body {
    let mut body = Body::new(written.kind)
        .at(written.position)
        .rotated(written.rotation)
        .velocity(written.velocity)
        .angular_velocity(written.angular_velocity);
    if let Some(shape) = written.shape {
        body = body.shape(shape);
    }
    for part in written.shapes {
        body = body.shape_at(LocalPose::new(part.position, part.rotation), part.shape);
    }
    if let Some(density) = written.density {
        body = body.density(density);
    }
    if let Some(restitution) = written.restitution {
        body = body.restitution(restitution);
    }
    if let Some(friction) = written.friction {
        body = body.friction(friction);
    }
    body
}

struct Parts {
    name: Option<String>,
    shows: String,
    capabilities: Vec<String>,
    gravity: Vec3,
    dt: f32,
    steps: u32,
    bodies: Vec<SceneBody>,
}

fn checked(parts: Parts, text: Text) -> Result<Scene, SceneError> {
    let Parts { name, shows, capabilities, gravity, dt, steps, bodies } = parts;
    if !(dt > 0.0 && dt.is_finite()) {
        let message = format!("the time step is {dt} s; it must be a finite number greater than zero");
        return Err(text.error_at_field("dt", 0..text.len(), message));
    }
    let name = name.unwrap_or_else(|| text.name().to_string());
    Ok(Scene { name, shows, capabilities, dt, steps, bodies, gravity, text })
}

/// What JSON's reader says of the slice `span`, placed in the whole text.
pub(crate) fn json_error(text: &Text, span: Range<usize>, title: &str, error: &serde_json::Error) -> SceneError {
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&suffix).unwrap_or(&said);
    let message = if title.is_empty() { said.to_string() } else { format!("{title}: {said}") };
    let slice = &text.as_str()[span.clone()];
    if error.line() == 0 {
        // The value was well formed, and refused as a whole.
        return text.error(span, message, "this value");
    }
    let line_start: usize = slice.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
    let offset = (line_start + error.column().saturating_sub(1)).min(slice.len());
    let (label, token) = match opening(slice, offset) {
        // A sound list or object that was refused when it had been read.
        Some(start) if error.is_data() => ("this value", start..offset + 1),
        _ if error.is_eof() => ("the text ends here", token_at(slice, offset)),
        _ => ("here", token_at(slice, offset)),
    };
    text.error(span.start + token.start..span.start + token.end, message, label)
}

/// Where the list or object begins that ends at `offset`; none if the letter there closes nothing.
fn opening(text: &str, offset: usize) -> Option<usize> {
    let mut open = Vec::new();
    let mut letters = text.bytes().enumerate();
    while let Some((at, letter)) = letters.next() {
        match letter {
            b'"' => {
                // To the end of the string; a backslash takes the next letter with it.
                while let Some((_, letter)) = letters.next().filter(|(_, letter)| *letter != b'"') {
                    if letter == b'\\' {
                        letters.next();
                    }
                }
            }
            b'{' | b'[' => open.push(at),
            b'}' | b']' if at == offset => return open.pop(),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    None
}

/// The string, number or word that has the letter at `offset`, or that letter alone: JSON's reader stops at the end or
/// the beginning of what it could not use.
fn token_at(text: &str, offset: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    match bytes.get(offset) {
        Some(b'"') => bytes[..offset].iter().rposition(|&byte| byte == b'"').unwrap_or(offset)..offset + 1,
        Some(byte) if is_word(byte) => {
            let start = bytes[..offset].iter().rposition(|byte| !is_word(byte)).map_or(0, |before| before + 1);
            let end =
                bytes[offset..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |length| offset + length);
            start..end
        }
        Some(_) => offset..offset + 1,
        // The text ended too early: point to its last letter.
        None => text.trim_end().len().saturating_sub(1)..text.trim_end().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_by_one_of_their_letters() {
        let text = r#"{"radius": -1.5, "x": [true]}"#;
        let token = |offset| &text[token_at(text, offset)];
        assert_eq!(token(8), "\"radius\"");
        assert_eq!(token(14), "-1.5");
        assert_eq!(token(11), "-1.5");
        assert_eq!(token(26), "true");
        assert_eq!(token(28), "}");
        assert_eq!(token(400), "}");
        assert_eq!(token_at("", 0), 0..0);
    }

    #[test]
    fn the_beginning_of_what_is_closed_is_found() {
        let text = r#"{"a }\"": [1, {}], "b": 2}"#;
        assert_eq!(opening(text, text.len() - 1), Some(0));
        assert_eq!(opening(text, text.find("}]").unwrap_or(0)), text.find("{}"));
        assert_eq!(opening(text, text.find("]").unwrap_or(0)), text.find("[1"));
        assert_eq!(opening(text, 4), None, "in a string");
        assert_eq!(opening("}", 0), None);
        assert_eq!(opening("{\"", 9), None);
    }

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
            if let Err(error) = read(Text::new(name, text)).and_then(|scene| scene.world().map(drop)) {
                refused += 1;
                assert!(error.rendered(super::super::Look::Plain).contains("×"));
            }
        }
        assert!(refused > 10_000, "{refused}");
    }
}
