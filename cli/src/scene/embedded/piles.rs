//! Bodies that fall on each other and come to rest.

use super::parts::{
    Draft, GOLDEN, Item, PLASTIC, SILVER, any_solid, any_turn, ball, capsule, compound, cuboid, cylinder, floor, rims,
    spread, stone,
};
use carom::glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// Balls and boxes that fall into a tray.
pub(super) fn shower() -> Value {
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(3.8, 3.8, 0.8).into_iter().map(|rim| rim.restitution(0.2)));
    for index in 0..96 {
        let (layer, place) = (index / 16, index % 16);
        let size = 0.24 + 0.16 * spread(index, PLASTIC);
        let shape = match index % 3 {
            0 => ball(size),
            1 => cuboid(size, 0.8 * size, size),
            _ => cuboid(0.6 * size, 1.3 * size, 0.8 * size),
        };
        let aside = [GOLDEN, SILVER].map(|irrational| 0.3 * spread(index, irrational));
        let body = Item::dynamic(shape).restitution(if index % 3 == 0 { 0.5 } else { 0.1 }).turned(any_turn(index));
        bodies.push(body.at(
            1.2 * (place % 4) as f64 - 1.95 + aside[0],
            1.5 + 1.1 * layer as f64,
            1.2 * (place / 4) as f64 - 1.95 + aside[1],
        ));
    }
    Draft::new("shower", "Balls and boxes shower into a tray and settle.", &["R1", "R2", "R3", "R9"])
        .steps(1200, 120.0)
        .seen([7.7, 8.7, 14.3], [0.0, 1.5, 0.0])
        .bodies(bodies)
}

/// Boxes of many proportions, each turned its own way, fall on a floor and on each other.
pub(super) fn boxes() -> Value {
    let mut bodies = vec![floor(0.5)];
    for index in 0..64 {
        let (layer, place) = (index / 9, index % 9);
        let [x, y, z] = [GOLDEN, PLASTIC, SILVER].map(|irrational| 0.2 + 0.3 * spread(index, irrational));
        let body = Item::dynamic(cuboid(x, y, z)).restitution(0.2).turned(any_turn(index));
        bodies.push(body.at(
            1.15 * ((place % 3) as f64 - 1.0),
            1.2 + 1.3 * layer as f64,
            1.15 * ((place / 3) as f64 - 1.0),
        ));
    }
    let shows = "Boxes tumble onto a floor and onto each other, and come to rest.";
    Draft::new("boxes", shows, &["M1", "N4", "R1", "R2", "R3", "R4"])
        .steps(1200, 120.0)
        .seen([6.0, 6.0, 12.0], [0.0, 1.5, 0.0])
        .bodies(bodies)
}

/// Every convex shape: solids fall on points, wires and triangles that are fixed.
pub(super) fn shapes() -> Value {
    let mut bodies = vec![floor(0.5)];
    bodies.extend(rims(5.6, 3.4, 0.9));
    for index in 0..9 {
        let (x, z) = ((index % 3) as f64 - 1.0, (index / 3) as f64 - 1.0);
        bodies.push(Item::fixed(json!({ "point": {} })).named("point").at(-3.0 + 0.7 * x, 1.0, 0.7 * z));
    }
    for index in 0..7 {
        let wire = json!({ "segment": { "a": [0, 0, -1.4], "b": [0, 0.3, 1.4] } });
        bodies.push(Item::fixed(wire).named("wire").at(-0.9 + 0.3 * f64::from(index), 1.4, 0.0).friction(0.2));
    }
    for side in [-1.0, 1.0] {
        let sail = json!({ "triangle": { "a": [-1.2, 0, 0], "b": [1.2, 0, 0], "c": [0, 0.9, 1.4 * side] } });
        bodies.push(Item::fixed(sail).named("sail").at(3.2, 0.9, 0.0).friction(0.2));
    }
    for index in 0..72 {
        let (layer, place) = (index / 9, index % 9);
        let column = index % 3;
        let body = Item::dynamic(any_solid(index, 0.36)).turned(any_turn(index));
        bodies.push(body.at(
            3.0 * (column as f64 - 1.0) + 0.25 * (spread(index, GOLDEN) - 0.5),
            2.6 + 1.0 * layer as f64,
            0.9 * ((place / 3) as f64 - 1.0),
        ));
    }
    let shows = "Balls, boxes, capsules, cylinders, cones, ellipsoids, hulls and rounded boxes rain on points, on wires, \
        which are segments, and on triangles.";
    Draft::new("shapes", shows, &["S1", "M2", "N2", "N4", "R1", "R2"])
        .steps(960, 120.0)
        .seen([6.0, 6.0, 13.0], [0.0, 1.5, 0.0])
        .bodies(bodies)
}

/// Hulls of 32 corners in a heap.
pub(super) fn stones() -> Value {
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(3.0, 3.0, 0.9));
    for index in 0..240 {
        let (layer, place) = (index / 25, index % 25);
        let body = Item::dynamic(stone(index, 0.42, 32)).turned(any_turn(index)).friction(0.6).with("density", 2600);
        bodies.push(body.at(
            0.98 * ((place % 5) as f64 - 2.0) + 0.1 * spread(index, SILVER),
            1.0 + 0.95 * layer as f64,
            0.98 * ((place / 5) as f64 - 2.0) + 0.1 * spread(index, GOLDEN),
        ));
    }
    let shows = "Stones, each the convex hull of 32 points, are poured into a heap.";
    Draft::new("stones", shows, &["S2", "S4", "M1", "N2", "N4", "R7"])
        .steps(600, 60.0)
        .seen([9.0, 8.0, 13.0], [0.0, 1.8, 0.0])
        .bodies(bodies)
}

/// Bodies of several shapes.
pub(super) fn compounds() -> Value {
    let id = DQuat::IDENTITY;
    let along_x = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let along_z = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let dumbbell = compound([
        (DVec3::X * -0.5, id, ball(0.26)),
        (DVec3::X * 0.5, id, ball(0.26)),
        (DVec3::ZERO, along_x, cylinder(0.45, 0.08)),
    ]);
    let jack = compound([
        (DVec3::ZERO, id, capsule(0.45, 0.12)),
        (DVec3::ZERO, along_x, capsule(0.45, 0.12)),
        (DVec3::ZERO, along_z, capsule(0.45, 0.12)),
    ]);
    let mut table = vec![(DVec3::Y * 0.3, id, cuboid(0.5, 0.06, 0.4))];
    for (x, z) in [(-0.4, -0.3), (0.4, -0.3), (-0.4, 0.3), (0.4, 0.3)] {
        table.push((DVec3::new(x, -0.06, z), id, cuboid(0.06, 0.3, 0.06)));
    }
    let corner = compound([
        (DVec3::new(0.0, -0.35, 0.0), id, cuboid(0.5, 0.15, 0.25)),
        (DVec3::new(-0.35, 0.15, 0.0), id, cuboid(0.15, 0.35, 0.25)),
    ]);
    let hammer =
        compound([(DVec3::Y * 0.5, along_x, cylinder(0.35, 0.18)), (DVec3::Y * -0.1, id, cuboid(0.07, 0.5, 0.07))]);
    let kinds = [dumbbell, jack, compound(table), corner, hammer];
    let mut bodies = vec![floor(0.5)];
    bodies.extend(rims(3.2, 3.2, 0.6));
    for index in 0..80 {
        let (layer, place) = (index / 16, index % 16);
        let body = Item::dynamic(kinds[index % kinds.len()].clone()).turned(any_turn(index));
        bodies.push(body.at(
            1.45 * (place % 4) as f64 - 2.2 + 0.1 * spread(index, GOLDEN),
            1.2 + 1.4 * layer as f64,
            1.45 * (place / 4) as f64 - 2.2 + 0.1 * spread(index, SILVER),
        ));
    }
    let shows = "Dumbbells, jacks, tables, corners and hammers, each a compound of simple shapes, tangle in a tray.";
    Draft::new("compounds", shows, &["S3", "S6", "M5", "N4"])
        .steps(720, 60.0)
        .seen([8.0, 8.0, 13.0], [0.0, 1.5, 0.0])
        .bodies(bodies)
}

/// A downpour of all kinds of solids, with the broad phase left to the engine.
pub(super) fn rain() -> Value {
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(6.0, 6.0, 1.2));
    for index in 0..1000 {
        let (layer, place) = (index / 100, index % 100);
        let radius = 0.2 + 0.25 * spread(index, PLASTIC).powi(2);
        let body = Item::dynamic(any_solid(index, radius)).turned(any_turn(index)).restitution(0.2);
        bodies.push(body.at(
            1.05 * (place % 10) as f64 - 4.75 + 0.1 * spread(index, GOLDEN),
            1.2 + 1.1 * layer as f64 + 0.2 * spread(index, SILVER),
            1.05 * (place / 10) as f64 - 4.75 + 0.1 * spread(index, PLASTIC),
        ));
    }
    let shows = "A thousand solids of eight kinds rain into a tray; the engine picks the broad phase by what it sees.";
    Draft::new("rain", shows, &["B15", "M2", "N1", "N2", "N4", "R7"])
        .with("broad_phase", "auto")
        .steps(600, 60.0)
        .seen([15.5, 14.2, 24.5], [0.0, 2.0, 0.0])
        .bodies(bodies)
}
