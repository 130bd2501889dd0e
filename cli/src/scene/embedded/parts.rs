//! What made scenes are put together from: shapes and bodies as a file would write them, and numbers without a pattern.

use carom::glam::{DQuat, DVec3};
use serde_json::{Map, Value, json};

/// A scene in the making.
pub(super) struct Draft(Map<String, Value>);

/// A body in the making.
#[derive(Clone)]
pub(super) struct Item(Map<String, Value>);

impl Draft {
    /// A scene of 600 steps of 1/60 s, unless said otherwise.
    pub(super) fn new(name: &str, shows: &str, capabilities: &[&str]) -> Self {
        Self(Map::new()).with("name", name).with("shows", shows).with("capabilities", capabilities.to_vec())
    }

    pub(super) fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.into(), value.into());
        self
    }

    /// So many steps, and how many of them are a second.
    pub(super) fn steps(self, steps: u32, a_second: f64) -> Self {
        self.with("steps", steps).with("dt", digits(1.0 / a_second, 10))
    }

    /// Where it is looked at from, and what is in the middle then.
    pub(super) fn seen(self, from: [f64; 3], to: [f64; 3]) -> Self {
        self.with("camera", json!({ "from": from, "to": to }))
    }

    pub(super) fn weightless(self) -> Self {
        self.with("gravity", json!([0, 0, 0]))
    }

    pub(super) fn bodies(self, bodies: impl IntoIterator<Item = Item>) -> Value {
        let bodies = bodies.into_iter().map(|Item(fields)| Value::Object(fields)).collect::<Vec<_>>();
        Value::Object(self.with("bodies", bodies).0)
    }
}

impl Item {
    pub(super) fn dynamic(shape: Value) -> Self {
        Self(Map::new()).with("shape", shape)
    }

    /// Of several shapes, each of which the broad phase knows.
    pub(super) fn of_parts(parts: Vec<Value>) -> Self {
        Self(Map::new()).with("shapes", parts)
    }

    pub(super) fn fixed(shape: Value) -> Self {
        Self::dynamic(shape).with("kind", "fixed")
    }

    pub(super) fn kinematic(shape: Value) -> Self {
        Self::dynamic(shape).with("kind", "kinematic")
    }

    pub(super) fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.into(), value.into());
        self
    }

    pub(super) fn named(self, name: impl Into<String>) -> Self {
        self.with("name", name.into())
    }

    pub(super) fn at(self, x: f64, y: f64, z: f64) -> Self {
        self.with("position", vector(DVec3::new(x, y, z)))
    }

    pub(super) fn turned(self, rotation: DQuat) -> Self {
        self.with("rotation", quaternion(rotation))
    }

    pub(super) fn moving(self, x: f64, y: f64, z: f64) -> Self {
        self.with("velocity", vector(DVec3::new(x, y, z)))
    }

    pub(super) fn turning(self, x: f64, y: f64, z: f64) -> Self {
        self.with("angular_velocity", vector(DVec3::new(x, y, z)))
    }

    pub(super) fn friction(self, friction: f64) -> Self {
        self.with("friction", friction)
    }

    pub(super) fn restitution(self, restitution: f64) -> Self {
        self.with("restitution", restitution)
    }

    /// It can neither move nor turn, but meets what is fixed: pairs of fixed bodies are left out.
    pub(super) fn held(self) -> Self {
        self.with("lock_translation", vec![true; 3]).with("lock_rotation", vec![true; 3])
    }
}

/// A number with so many digits after the point: enough for a scene, few enough to read.
fn digits(value: f64, count: i32) -> f64 {
    let scale = 10f64.powi(count);
    (value * scale).round() / scale
}

pub(super) fn vector(value: DVec3) -> Value {
    json!(value.to_array().map(|part| digits(part, 5)))
}

pub(super) fn quaternion(rotation: DQuat) -> Value {
    json!(rotation.to_array().map(|part| digits(part, 7)))
}

pub(super) fn ball(radius: f64) -> Value {
    json!({ "sphere": { "radius": digits(radius, 5) } })
}

pub(super) fn cuboid(x: f64, y: f64, z: f64) -> Value {
    json!({ "cuboid": { "half_extents": vector(DVec3::new(x, y, z)) } })
}

/// Along y.
pub(super) fn capsule(half_height: f64, radius: f64) -> Value {
    json!({ "capsule": { "a": [0, -half_height, 0], "b": [0, half_height, 0], "radius": radius } })
}

pub(super) fn cylinder(half_height: f64, radius: f64) -> Value {
    json!({ "cylinder": { "half_height": half_height, "radius": radius } })
}

pub(super) fn cone(half_height: f64, radius: f64) -> Value {
    json!({ "cone": { "half_height": half_height, "radius": radius } })
}

pub(super) fn ellipsoid(x: f64, y: f64, z: f64) -> Value {
    json!({ "ellipsoid": { "radii": [x, y, z] } })
}

pub(super) fn hull(points: impl IntoIterator<Item = DVec3>) -> Value {
    json!({ "hull": { "points": points.into_iter().map(vector).collect::<Vec<_>>() } })
}

pub(super) fn mesh(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Value {
    let vertices: Vec<Value> = vertices.iter().copied().map(vector).collect();
    json!({ "mesh": { "vertices": vertices, "triangles": triangles } })
}

/// A grid of `columns` by `rows` heights, `spacing` apart, around the origin.
pub(super) fn height_field(columns: usize, rows: usize, spacing: f64, height: impl Fn(f64, f64) -> f64) -> Value {
    let at = |index: usize, count: usize| (index as f64 - 0.5 * (count - 1) as f64) * spacing;
    let heights: Vec<f64> = (0..rows * columns)
        .map(|index| digits(height(at(index % columns, columns), at(index / columns, rows)), 5))
        .collect();
    json!({ "height_field": { "columns": columns, "rows": rows, "heights": heights, "spacing": [spacing, spacing] } })
}

/// A shape at its pose in a body or a compound.
pub(super) fn part(position: DVec3, rotation: DQuat, shape: Value) -> Value {
    let fields = [("position", vector(position)), ("rotation", quaternion(rotation)), ("shape", shape)];
    fields.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Shapes held together, each at its pose.
pub(super) fn compound(parts: impl IntoIterator<Item = (DVec3, DQuat, Value)>) -> Value {
    let parts = parts.into_iter().map(|(position, rotation, shape)| part(position, rotation, shape));
    json!({ "compound": { "parts": parts.collect::<Vec<_>>() } })
}

/// The ground: everything below y = 0.
pub(super) fn floor(friction: f64) -> Item {
    Item::fixed(json!({ "half_space": { "normal": [0, 1, 0] } })).named("floor").friction(friction)
}

/// Four bars, as high as they are wide, around a field of `half_x` by `half_z`.
pub(super) fn rims(half_x: f64, half_z: f64, height: f64) -> Vec<Item> {
    let half = height / 2.0;
    let bar = |name: &str, x: f64, z: f64, half_x: f64, half_z: f64| {
        Item::fixed(cuboid(half_x, half, half_z)).named(name).at(x, half, z)
    };
    vec![
        bar("left rim", -half_x - half, 0.0, half, half_z + height),
        bar("right rim", half_x + half, 0.0, half, half_z + height),
        bar("far rim", 0.0, -half_z - half, half_x, half),
        bar("near rim", 0.0, half_z + half, half_x, half),
    ]
}

/// Numbers from 0 to 1, spread evenly and without a pattern that the eye finds: multiples of an irrational number.
pub(super) fn spread(index: usize, irrational: f64) -> f64 {
    (index as f64 * irrational).fract()
}

pub(super) const GOLDEN: f64 = 0.618_033_988_75;
pub(super) const PLASTIC: f64 = 0.754_877_666_25;
pub(super) const SILVER: f64 = 0.414_213_562_37;

/// A rotation for each number, in no order.
pub(super) fn any_turn(index: usize) -> DQuat {
    // Shoemake's uniform rotation from three numbers.
    let (u, v, w) = (spread(index, GOLDEN), spread(index, PLASTIC), spread(index, SILVER));
    let (tau, a, b) = (std::f64::consts::TAU, (1.0 - u).sqrt(), u.sqrt());
    DQuat::from_xyzw(a * (tau * v).sin(), a * (tau * v).cos(), b * (tau * w).sin(), b * (tau * w).cos())
}

/// Points on the unit sphere, spread evenly.
pub(super) fn on_sphere(index: usize) -> DVec3 {
    let (height, angle) = (2.0 * spread(index, PLASTIC) - 1.0, std::f64::consts::TAU * spread(index, GOLDEN));
    let radius = (1.0 - height * height).sqrt();
    DVec3::new(radius * angle.cos(), height, radius * angle.sin())
}

/// A stone: the hull of points on a ball that is squeezed a little, each stone in its own way.
pub(super) fn stone(index: usize, radius: f64, points: usize) -> Value {
    let squeeze = DVec3::new(
        0.7 + 0.3 * spread(index, GOLDEN),
        0.7 + 0.3 * spread(index, PLASTIC),
        0.7 + 0.3 * spread(index, SILVER),
    );
    hull((0..points).map(|point| radius * squeeze * on_sphere(1 + point + 7 * index)))
}

/// One of each convex solid, about as large as a ball of that radius.
pub(super) fn any_solid(index: usize, radius: f64) -> Value {
    let r = radius;
    match index % 8 {
        0 => ball(r),
        1 => cuboid(0.9 * r, 0.7 * r, 0.6 * r),
        2 => capsule(0.6 * r, 0.5 * r),
        3 => cylinder(digits(0.6 * r, 5), digits(0.8 * r, 5)),
        4 => cone(digits(0.8 * r, 5), digits(0.8 * r, 5)),
        5 => ellipsoid(r, digits(0.7 * r, 5), digits(0.55 * r, 5)),
        6 => stone(index, r, 24),
        _ => {
            let half = [0.6 * r, 0.5 * r, 0.7 * r].map(|part| digits(part, 5));
            json!({ "cuboid": { "half_extents": half, "radius": digits(0.2 * r, 5) } })
        }
    }
}

/// A turn about the axis of a compass needle, a wheel seen from the front, a rolling log.
pub(super) fn about_y(angle: f64) -> DQuat {
    DQuat::from_rotation_y(angle)
}

pub(super) fn about_z(angle: f64) -> DQuat {
    DQuat::from_rotation_z(angle)
}

pub(super) fn about_x(angle: f64) -> DQuat {
    DQuat::from_rotation_x(angle)
}
