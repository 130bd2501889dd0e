//! `carom path`: whether bodies of a scene can go along keyed poses, and how much room they have.

use crate::scene::{self, Scene, SceneError, Text, json_error};
use crate::{Failure, draw, print, simulate};
use carom::body::Body;
use carom::detector::{Detector, Key, Object, ObjectId, PathError, PathHit, PathOptions, PathOutcome, PathReport};
use carom::glam::{DVec3, Quat};
use carom::impact::rigid::Sweep;
use carom::pose::Pose;
use carom::world::World;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The JSON Schema of path files. The reader does not use it; tests hold the two together.
pub(crate) const SCHEMA: &str = include_str!("../path.schema.json");

/// How many poses between two keys are drawn, as lines of where the bodies' frames go.
const STROKES: u32 = 32;

/// A path as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `bodies` and `keys`")]
struct PathFile {
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// The bodies that move together, by name or number.
    bodies: Vec<BodyName>,
    keys: Vec<KeyFile>,
    #[serde(default)]
    within: f64,
    tolerance: Option<f64>,
    precision: Option<f64>,
    #[serde(default)]
    center: DVec3,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "the name or the number of a body")]
enum BodyName {
    Number(usize),
    Name(String),
}

/// Where the first of the bodies is at a time; without one, keys are a second apart.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `position`")]
struct KeyFile {
    time: Option<f64>,
    position: DVec3,
    #[serde(default)]
    rotation: Quat,
}

/// How the answer is printed, and where it is drawn.
pub(crate) struct Output<'a> {
    pub(crate) json: bool,
    pub(crate) picture: Option<&'a Path>,
}

/// Checks a path and prints what was found.
pub(crate) fn check(scene: &str, path: &Path, output: &Output<'_>) -> Result<(), Failure> {
    let scene = scene::find(scene)?;
    let name = if path == Path::new("-") { scene::STANDARD_INPUT.to_string() } else { path.display().to_string() };
    let text = Text::new(name, scene::text_of(path)?);
    let whole = 0..text.len();
    let file: PathFile = serde_json::from_str(text.as_str())
        .map_err(|error| json_error(&text, whole.clone(), "", &error).with_help(HELP))?;
    // Here, since they reach the library seen from a shape, which brings rotations to unit length.
    for (index, key) in file.keys.iter().enumerate() {
        let wrong = |error| text.error_at_field("keys", whole.clone(), format!("key {index}: {error}")).with_help(HELP);
        Pose::new(key.position, key.rotation).checked().map_err(wrong)?;
    }
    let moving = moving(&scene, &file, &text)?;
    let world = scene.world()?;
    let course = Course::new(&world, &moving, &file)
        .map_err(|message| text.error_at_field("bodies", whole.clone(), message).with_help(HELP))?;
    let searching = simulate::spinner("searching the path");
    let report = course.detector.check_path(&course.linked, &course.keys, &course.options);
    searching.finish_and_clear();
    let report = report.map_err(|error| refused(&text, &error))?;
    if let Some(picture) = output.picture {
        let drawn = course.picture(&scene, &moving, &report)?;
        std::fs::write(picture, drawn).map_err(|error| SceneError::file(picture, "cannot be written", &error))?;
    }
    let summary = Summary::new(&scene, &course, &report);
    print(&if output.json { summary.json() } else { summary.text() })?;
    match report.outcome {
        PathOutcome::Free => Ok(()),
        PathOutcome::Hit(_) => Err(Failure::Finding("the path is not free".to_string())),
        PathOutcome::Unproven(_) => Err(Failure::Finding("the path is not proven free".to_string())),
    }
}

const HELP: &str = "a path file is {\"bodies\": [\"name\", …], \"keys\": [{\"time\": 0, \"position\": [x, y, z], \
                    \"rotation\": [x, y, z, w]}, …]}; see `carom path --help`";

/// The numbers of the bodies that move.
fn moving(scene: &Scene, file: &PathFile, text: &Text) -> Result<Vec<usize>, SceneError> {
    let find = |name: &BodyName| match name {
        BodyName::Number(number) => scene.bodies.get(*number).map(|_| *number).ok_or(number.to_string()),
        BodyName::Name(name) => {
            scene.bodies.iter().position(|body| body.name.as_ref() == Some(name)).ok_or(format!("`{name}`"))
        }
    };
    let mut found = Vec::with_capacity(file.bodies.len());
    for name in &file.bodies {
        found.push(find(name).map_err(|name| {
            text.error_at_field("bodies", 0..text.len(), format!("{} has no body {name}", scene.name)).with_help(HELP)
        })?);
    }
    Ok(found)
}

/// What the library says of the path, placed in the text.
fn refused(text: &Text, error: &PathError) -> SceneError {
    let field = match error {
        PathError::NoMovers | PathError::Object(_) => "bodies",
        PathError::Option { what: "tolerance", .. } => "tolerance",
        PathError::Option { what: "precision", .. } => "precision",
        PathError::Option { what: "centre", .. } => "center",
        PathError::Option { .. } => "within",
        _ => "keys",
    };
    text.error_at_field(field, 0..text.len(), error.to_string()).with_help(HELP)
}

/// A path through a scene: an object for each shape of each body.
struct Course {
    detector: Detector,
    linked: Vec<ObjectId>,
    keys: Vec<Key>,
    options: PathOptions,
    /// The body of each object.
    bodies: Vec<(ObjectId, usize)>,
    /// The keys of the first body itself.
    body_keys: Vec<Key>,
}

impl Course {
    fn new(world: &World, moving: &[usize], file: &PathFile) -> Result<Self, String> {
        let mut detector = Detector::default();
        let (mut linked, mut bodies) = (Vec::new(), Vec::new());
        let mut first = None;
        for (index, body) in world.bodies().enumerate() {
            for collider in body.shapes().filter(|collider| !collider.is_sensor) {
                let pose = body.pose().compose(&collider.pose_in_body);
                let object = Object::new(collider.shape.clone(), pose).with_filter(collider.filter);
                let id = detector.insert(object).map_err(|error| format!("body {index}: {error}"))?;
                bodies.push((id, index));
                if let Some(place) = moving.iter().position(|mover| *mover == index) {
                    linked.push((place, id));
                    if place == 0 && first.is_none() {
                        first = Some(collider.pose_in_body);
                    }
                }
            }
        }
        // The first object is that of the first body, whose frame the keys are of.
        linked.sort_by_key(|(place, _)| *place);
        let first = first.unwrap_or_default();
        let time = |index: usize, key: &KeyFile| key.time.unwrap_or(index as f64);
        let body_keys: Vec<Key> = file
            .keys
            .iter()
            .enumerate()
            .map(|(index, key)| Key { time: time(index, key), pose: Pose::new(key.position, key.rotation) })
            .collect();
        let keys = body_keys.iter().map(|key| Key { pose: key.pose.compose(&first), ..*key }).collect();
        let usual = PathOptions::default();
        let options = PathOptions {
            within: file.within,
            tolerance: file.tolerance.unwrap_or(usual.tolerance),
            precision: file.precision.unwrap_or(usual.precision),
            center: first.point_to_inner(file.center.as_vec3()).as_dvec3(),
        };
        Ok(Self { detector, linked: linked.into_iter().map(|(_, id)| id).collect(), keys, options, bodies, body_keys })
    }

    /// Where the first body is at a time.
    fn pose_at(&self, time: f64, center: DVec3) -> Option<Pose> {
        let next = self.body_keys.iter().position(|key| key.time >= time)?;
        let (to, from) = (self.body_keys.get(next)?, self.body_keys.get(next.saturating_sub(1))?);
        let length = to.time - from.time;
        let share = if length > 0.0 { (time - from.time) / length } else { 0.0 };
        Some(Sweep::between(from.pose, to.pose, center).pose_at(share))
    }

    /// The scene with the bodies at the keys and at the hit or where they are nearest, and lines along their ways.
    fn picture(&self, scene: &Scene, moving: &[usize], report: &PathReport) -> Result<String, Failure> {
        let mut world = scene.world()?;
        let [first, ..] = moving else { return Ok(String::new()) };
        let ids: Vec<_> = world.bodies().map(|body| (body.id(), body.pose())).collect();
        let base = ids[*first].1;
        let seen = report.clearance.map_or(self.body_keys[0].time, |clearance| clearance.time);
        let center = self.options.center;
        let mut ways = vec![Vec::new(); world.len()];
        let span = self.body_keys.len().saturating_sub(1) as u32 * STROKES;
        let (start, end) = (self.body_keys[0].time, self.body_keys[self.body_keys.len() - 1].time);
        let times: Vec<f64> =
            (0..=span).map(|step| start + (end - start) * f64::from(step) / f64::from(span.max(1))).collect();
        let finding = |error: carom::body::BodyError| Failure::Finding(error.to_string());
        for &mover in moving {
            let (id, pose) = ids[mover];
            let link = Pose::b_in_a(&base, &pose);
            let placed = |time: f64| self.pose_at(time, center).map(|base| base.compose(&link));
            ways[mover] = times.iter().filter_map(|time| placed(*time)).map(|pose| pose.position).collect();
            for key in &self.body_keys {
                let shapes: Vec<_> =
                    world.body(id).map_err(finding)?.shapes().map(|it| (it.pose_in_body, it.shape.clone())).collect();
                let mut ghost = Body::kinematic().pose(key.pose.compose(&link));
                for (pose, shape) in shapes {
                    ghost = ghost.shape_at(pose, shape);
                }
                world.add(ghost).map_err(finding)?;
            }
            if let Some(pose) = placed(seen) {
                world.body_mut(id).map_err(finding)?.set_pose(pose).map_err(finding)?;
            }
        }
        let to_eye = scene.camera.map(|camera| camera.from - camera.to);
        let title = format!("A path through {}", scene.name);
        // What was added are the bodies at their keys, mover by mover: all in one colour, and not in that of the hit.
        let like = |body: usize| match body.checked_sub(ids.len()) {
            Some(added) => moving[added / self.body_keys.len()] + 2,
            None => body,
        };
        Ok(draw::picture_coloured(&world, &ways, to_eye, &title, like))
    }
}

/// What is printed.
#[derive(Serialize)]
struct Summary {
    scene: String,
    keys: usize,
    outcome: &'static str,
    hit: Option<Place>,
    clearance: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    time: f64,
    body: String,
    other: String,
    distance: f64,
    /// No less is between them anywhere; only of a clearance.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<f64>,
    on_body: [f64; 3],
    on_other: [f64; 3],
}

impl Summary {
    fn new(scene: &Scene, course: &Course, report: &PathReport) -> Self {
        let title = |id: ObjectId| {
            let body = course.bodies.iter().find(|(object, _)| *object == id).map_or(0, |(_, body)| *body);
            scene.title(body)
        };
        let place = |hit: &PathHit| Place {
            time: hit.time,
            body: title(hit.mover),
            other: title(hit.obstacle),
            distance: hit.distance,
            proven: None,
            on_body: hit.on_mover.to_array(),
            on_other: hit.on_obstacle.to_array(),
        };
        let (outcome, hit) = match &report.outcome {
            PathOutcome::Free => ("free", None),
            PathOutcome::Hit(hit) => ("hit", Some(place(hit))),
            PathOutcome::Unproven(hit) => ("unproven", Some(place(hit))),
        };
        let clearance = report.clearance.filter(|_| hit.is_none()).map(|least| Place {
            time: least.time,
            body: title(least.mover),
            other: title(least.obstacle),
            distance: least.distance,
            proven: Some(least.lower),
            on_body: least.on_mover.to_array(),
            on_other: least.on_obstacle.to_array(),
        });
        Self { scene: scene.name.clone(), keys: course.keys.len(), outcome, hit, clearance }
    }

    fn json(&self) -> String {
        serde_json::to_string_pretty(self).map_or_else(|error| error.to_string(), |text| text + "\n")
    }

    fn text(&self) -> String {
        let point = |[x, y, z]: [f64; 3]| format!("({x:.4}, {y:.4}, {z:.4})");
        let mut text = format!("{}, {} keys: {}\n", self.scene, self.keys, self.outcome);
        if let Some(hit) = &self.hit {
            text += &format!(
                "  at {:.6} s {} meets {} at {}\n  proven free before\n",
                hit.time,
                hit.body,
                hit.other,
                point(hit.on_other)
            );
        }
        if let Some(least) = &self.clearance {
            text += &format!(
                "  least clearance {:.6} m at {:.6} s: {} at {} to {} at {}\n  proven: nowhere less than {:.6} m\n",
                least.distance,
                least.time,
                least.body,
                point(least.on_body),
                least.other,
                point(least.on_other),
                least.proven.unwrap_or_default()
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::objection;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn schema() -> Value {
        serde_json::from_str(SCHEMA).expect("the schema is JSON")
    }

    fn read(path: &Value) -> Result<PathFile, String> {
        serde_json::from_value(path.clone()).map_err(|error| error.to_string())
    }

    /// The names that the reader says it knows when it meets `?`.
    fn known_to_reader(path: &Value) -> BTreeSet<String> {
        let message = read(path).expect_err("`?` is no field");
        let (_, expected) = message.split_once('?').expect("the message names what it met");
        expected.split('`').skip(2).step_by(2).map(String::from).collect()
    }

    fn known_to_schema(node: &Value) -> BTreeSet<String> {
        node["properties"].as_object().expect("properties are listed").keys().cloned().collect()
    }

    #[test]
    fn the_reader_and_the_schema_know_the_same_fields() {
        let schema = schema();
        assert_eq!(known_to_reader(&json!({ "?": 1 })), known_to_schema(&schema));
        let key = json!({ "bodies": [], "keys": [{ "?": 1 }] });
        assert_eq!(known_to_reader(&key), known_to_schema(&schema["$defs"]["key"]));
    }

    #[test]
    fn the_reader_and_the_schema_let_in_the_same_paths() {
        let schema = schema();
        let whole = json!({
            "$schema": "path.schema.json",
            "bodies": ["rod", 4],
            "keys": [{ "time": 0, "position": [0, 1, 0], "rotation": [0, 0, 0, 1] }, { "position": [1, 1, 0] }],
            "within": 0.1,
            "tolerance": 1e-4,
            "precision": 0.1,
            "center": [0, 0, 1],
        });
        assert_eq!(objection(&whole, &schema, &schema), None);
        read(&whole).unwrap_or_else(|error| panic!("{error}"));
        for field in whole.as_object().expect("an object").keys() {
            let mut less = whole.clone();
            less.as_object_mut().expect("an object").remove(field);
            assert_eq!(read(&less).is_err(), objection(&less, &schema, &schema).is_some(), "without {field}");
            let mut wrong = whole.clone();
            wrong[field] = json!({ "no": "such thing" });
            assert!(read(&wrong).is_err() && objection(&wrong, &schema, &schema).is_some(), "wrong {field}");
        }
        for wrong in [json!([{}]), json!([{ "position": [1, 2] }]), json!([{ "position": [1, 2, 3], "rotation": [1] }])]
        {
            let path = json!({ "bodies": ["rod"], "keys": wrong });
            assert!(read(&path).is_err() && objection(&path, &schema, &schema).is_some(), "{path}");
        }
    }
}
