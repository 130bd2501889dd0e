//! The scenes that the program brings along: small ones as files, those of many bodies made here. All are texts, and
//! are read like any other scene.

use serde_json::{Value, json};
use std::borrow::Cow;

/// What runs when nothing is asked for.
pub(crate) const DEFAULT: &str = "shower";

enum Origin {
    File(&'static str),
    Made(fn() -> Value),
}

const SCENES: [(&str, Origin); 8] = [
    (DEFAULT, Origin::Made(shower)),
    ("bounce", Origin::File(include_str!("../../scenes/bounce.json"))),
    ("billiards", Origin::Made(billiards)),
    ("break", Origin::Made(break_shot)),
    ("boxes", Origin::Made(boxes)),
    ("shapes", Origin::Made(shapes)),
    ("spin", Origin::File(include_str!("../../scenes/spin.json"))),
    ("ramp", Origin::File(include_str!("../../scenes/ramp.json"))),
];

/// The names, the default first.
pub(crate) fn names() -> Vec<&'static str> {
    SCENES.iter().map(|(name, _)| *name).collect()
}

/// The text of a scene, in JSON.
pub(crate) fn text(name: &str) -> Option<Cow<'static, str>> {
    let (_, origin) = SCENES.iter().find(|(known, _)| *known == name)?;
    Some(match origin {
        Origin::File(text) => Cow::Borrowed(text),
        Origin::Made(make) => Cow::Owned(format!("{:#}", make())),
    })
}

/// Numbers from 0 to 1, spread evenly and without a pattern that the eye finds: multiples of an irrational number.
fn spread(index: usize, irrational: f64) -> f64 {
    (index as f64 * irrational).fract()
}

/// Enough digits for a scene, few enough to read.
fn rounded<const N: usize>(values: [f64; N]) -> [f64; N] {
    values.map(|value| (value * 1e4).round() / 1e4)
}

const GOLDEN: f64 = 0.618_033_988_75;
const PLASTIC: f64 = 0.754_877_666_25;
const SILVER: f64 = 0.414_213_562_37;

fn floor(friction: f64) -> Value {
    json!({ "name": "floor", "kind": "fixed", "friction": friction, "shape": { "half_space": { "normal": [0, 1, 0] } } })
}

fn turned(index: usize) -> [f64; 4] {
    // Shoemake's uniform rotation from three numbers.
    let (u, v, w) = (spread(index, GOLDEN), spread(index, PLASTIC), spread(index, SILVER));
    let (tau, a, b) = (std::f64::consts::TAU, (1.0 - u).sqrt(), u.sqrt());
    [a * (tau * v).sin(), a * (tau * v).cos(), b * (tau * w).sin(), b * (tau * w).cos()]
        .map(|part| (part * 1e6).round() / 1e6)
}

/// Balls and boxes that fall into a tray.
fn shower() -> Value {
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(3.8, 3.8, 0.8, 0.2, 0.5));
    for index in 0..96 {
        let (layer, place) = (index / 16, index % 16);
        let size = 0.24 + 0.16 * spread(index, PLASTIC);
        let shape = match index % 3 {
            0 => json!({ "sphere": { "radius": rounded([size])[0] } }),
            1 => json!({ "cuboid": { "half_extents": rounded([size, 0.8 * size, size]) } }),
            _ => json!({ "cuboid": { "half_extents": rounded([0.6 * size, 1.3 * size, 0.8 * size]) } }),
        };
        let restitution = if index % 3 == 0 { 0.5 } else { 0.1 };
        let aside = [GOLDEN, SILVER].map(|irrational| 0.3 * spread(index, irrational));
        bodies.push(json!({
            "position": rounded([
                1.2 * (place % 4) as f64 - 1.95 + aside[0],
                1.5 + 1.1 * layer as f64,
                1.2 * (place / 4) as f64 - 1.95 + aside[1],
            ]),
            "rotation": turned(index),
            "restitution": restitution,
            "shape": shape,
        }));
    }
    json!({
        "name": "shower",
        "shows": "Balls and boxes shower into a tray and settle.",
        "capabilities": ["R1", "R2", "R3", "R9"],
        "dt": 0.0083333333,
        "steps": 1200,
        "bodies": bodies,
    })
}

/// Four bars, as high as they are wide, around a field of `half_x` by `half_z`.
fn rims(half_x: f64, half_z: f64, height: f64, restitution: f64, friction: f64) -> Vec<Value> {
    let half = height / 2.0;
    let bar = |name: &str, position: [f64; 3], half_extents: [f64; 3]| {
        fixed_box(name, position, half_extents, restitution, friction)
    };
    vec![
        bar("left rim", [-half_x - half, half, 0.0], [half, half, half_z + height]),
        bar("right rim", [half_x + half, half, 0.0], [half, half, half_z + height]),
        bar("far rim", [0.0, half, -half_z - half], [half_x, half, half]),
        bar("near rim", [0.0, half, half_z + half], [half_x, half, half]),
    ]
}

fn fixed_box(name: &str, position: [f64; 3], half_extents: [f64; 3], restitution: f64, friction: f64) -> Value {
    json!({
        "name": name,
        "kind": "fixed",
        "position": position,
        "restitution": restitution,
        "friction": friction,
        "shape": { "cuboid": { "half_extents": half_extents } },
    })
}

/// A bed with rims around it.
fn table(half_x: f64, half_z: f64, height: f64, restitution: f64, friction: f64) -> Vec<Value> {
    let half = height / 2.0;
    let bed = fixed_box("bed", [0.0, -half, 0.0], [half_x + height, half, half_z + height], restitution, friction);
    let mut bodies = vec![bed];
    bodies.extend(rims(half_x, half_z, height, restitution, friction));
    bodies
}

/// Elastic balls on a table without friction or gravity: their energy stays what it is.
fn billiards() -> Value {
    let (radius, half_x, half_z) = (0.3, 5.0, 3.0);
    let mut bodies = table(half_x, half_z, 0.6, 1.0, 0.0);
    // Every hit multiplies the smallest difference in height; the lid keeps the balls in their layer.
    bodies.push(json!({
        "name": "lid",
        "kind": "fixed",
        "position": [0, 2.0 * radius + 0.002, 0],
        "restitution": 1,
        "friction": 0,
        "shape": { "half_space": { "normal": [0, -1, 0] } },
    }));
    for index in 0..28 {
        let (column, row) = (index % 7, index / 7);
        let angle = std::f64::consts::TAU * spread(index, GOLDEN);
        bodies.push(json!({
            "position": [1.4 * (column as f64 - 3.0), radius + 0.001, 1.4 * (row as f64 - 1.5)],
            "velocity": rounded([4.0 * angle.cos(), 0.0, 4.0 * angle.sin()]),
            "restitution": 1,
            "friction": 0,
            "shape": { "sphere": { "radius": radius } },
        }));
    }
    json!({
        "name": "billiards",
        "shows": "Elastic balls on a closed table without friction: no energy is lost or won.",
        "capabilities": ["R1"],
        "gravity": [0, 0, 0],
        "dt": 0.0025,
        "steps": 4000,
        "bodies": bodies,
    })
}

/// A rack of fifteen balls of true size, and the ball that breaks it.
fn break_shot() -> Value {
    let radius = 0.028_575;
    let mut bodies = table(1.12, 0.56, 0.05, 0.75, 0.2);
    let ball = |name: String, position: [f64; 3], velocity: [f64; 3]| {
        json!({
            "name": name,
            "position": position.map(|part| (part * 1e6).round() / 1e6),
            "velocity": velocity,
            "density": 1700,
            "restitution": 0.93,
            "friction": 0.06,
            "shape": { "sphere": { "radius": radius } },
        })
    };
    // A hair apart, as balls on cloth are, so that the rack does not touch before it is hit.
    let pitch = 2.0 * radius + 1e-5;
    let mut number = 0;
    for row in 0..5 {
        for column in 0..=row {
            number += 1;
            let x = 0.56 + f64::from(row) * pitch * 0.75_f64.sqrt();
            let z = (f64::from(column) - f64::from(row) / 2.0) * pitch;
            bodies.push(ball(format!("ball {number}"), [x, radius, z], [0.0; 3]));
        }
    }
    bodies.push(ball("cue ball".into(), [-0.56, radius, 0.012], [9.0, 0.0, 0.0]));
    json!({
        "name": "break",
        "shows": "A cue ball of 9 m/s breaks a rack of fifteen, in true size.",
        "capabilities": ["R1", "R2"],
        "dt": 0.001,
        "steps": 1500,
        "bodies": bodies,
    })
}

/// Boxes of many proportions, each turned its own way, fall on a floor and on each other.
fn boxes() -> Value {
    let mut bodies = vec![floor(0.5)];
    for index in 0..64 {
        let (layer, place) = (index / 9, index % 9);
        let half = [GOLDEN, PLASTIC, SILVER].map(|irrational| 0.2 + 0.3 * spread(index, irrational));
        bodies.push(json!({
            "position": [
                1.15 * ((place % 3) as f64 - 1.0),
                1.2 + 1.3 * layer as f64,
                1.15 * ((place / 3) as f64 - 1.0),
            ],
            "rotation": turned(index),
            "restitution": 0.2,
            "shape": { "cuboid": { "half_extents": rounded(half) } },
        }));
    }
    json!({
        "name": "boxes",
        "shows": "Boxes tumble onto a floor and onto each other, and come to rest.",
        "capabilities": ["N4", "R1", "R2", "R3"],
        "dt": 0.0083333333,
        "steps": 1200,
        "bodies": bodies,
    })
}

/// One of each convex shape after the other, turned this way and that, falls on a floor.
fn shapes() -> Value {
    let pebble: Vec<[f64; 3]> =
        (0..24).map(|index| rounded(on_sphere(index).map(|coordinate| 0.42 * coordinate))).collect();
    let kinds = [
        json!({ "capsule": { "a": [0, -0.35, 0], "b": [0, 0.35, 0], "radius": 0.22 } }),
        json!({ "cylinder": { "half_height": 0.3, "radius": 0.35 } }),
        json!({ "cone": { "half_height": 0.4, "radius": 0.4 } }),
        json!({ "ellipsoid": { "radii": [0.5, 0.3, 0.25] } }),
        json!({ "hull": { "points": pebble } }),
        json!({ "cuboid": { "half_extents": [0.25, 0.2, 0.3], "radius": 0.08 } }),
        json!({ "sphere": { "radius": 0.35 } }),
    ];
    let mut bodies = vec![floor(0.5)];
    for index in 0..49 {
        let (layer, place) = (index / 9, index % 9);
        bodies.push(json!({
            "position": [
                1.2 * ((place % 3) as f64 - 1.0),
                1.2 + 1.3 * layer as f64,
                1.2 * ((place / 3) as f64 - 1.0),
            ],
            "rotation": turned(index),
            "shape": kinds[index % kinds.len()],
        }));
    }
    json!({
        "name": "shapes",
        "shows": "Capsules, cylinders, cones, ellipsoids, hulls, rounded boxes and balls fall on a floor and on each other.",
        "capabilities": ["S1", "M2", "N2", "N4", "R1", "R2"],
        "dt": 0.0083333333,
        "steps": 720,
        "bodies": bodies,
    })
}

/// Points on the unit sphere, spread evenly.
fn on_sphere(index: usize) -> [f64; 3] {
    let (height, angle) = (2.0 * spread(index, PLASTIC) - 1.0, std::f64::consts::TAU * spread(index, GOLDEN));
    let radius = (1.0 - height * height).sqrt();
    [radius * angle.cos(), height, radius * angle.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_known_by_the_name_in_its_text() {
        for name in names() {
            let text = text(name).expect("a listed scene has a text");
            let value: Value = serde_json::from_str(&text).expect("a scene is JSON");
            assert_eq!(value["name"], name);
            assert!(value["shows"].as_str().is_some_and(|shows| shows.ends_with('.')), "{name}");
            assert!(value["capabilities"].as_array().is_some_and(|ids| !ids.is_empty()), "{name}");
        }
        assert_eq!(names()[0], DEFAULT);
    }
}
