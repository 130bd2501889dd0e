//! What moves by itself: drums, blades, belts and gears; and what only watches.

use super::parts::{
    Draft, GOLDEN, Item, SILVER, about_x, about_y, about_z, any_solid, any_turn, ball, compound, cuboid, cylinder,
    floor, hull, part, rims, spread,
};
use carom::glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A drum of flat slabs that turns about z, with boxes in it.
pub(super) fn washer() -> Value {
    let (sides, radius, half_depth) = (16, 4.0, 1.6);
    let slab = radius * (PI / f64::from(sides)).tan() + 0.02;
    let mut drum = Vec::new();
    for side in 0..sides {
        let angle = TAU * f64::from(side) / f64::from(sides);
        let out = DVec3::new(angle.cos(), angle.sin(), 0.0);
        drum.push(part((radius + 0.15) * out, about_z(angle), cuboid(0.15, slab, half_depth)));
        if side % 4 == 0 {
            // A ledge that lifts what lies before it.
            drum.push(part((radius - 0.35) * out, about_z(angle), cuboid(0.35, 0.08, half_depth)));
        }
    }
    let drum = Item::of_parts(drum).with("kind", "kinematic").named("drum").turning(0.0, 0.0, 0.9).friction(0.7);
    let back = Item::fixed(cuboid(4.6, 4.6, 0.1)).named("back").at(0.0, 0.0, -half_depth - 0.12).friction(0.1);
    let mut bodies = vec![drum, back];
    // In front a grille, so that one sees in.
    for bar in -13..=13 {
        let y = 0.32 * f64::from(bar);
        let half = (4.3f64.powi(2) - y * y).sqrt();
        bodies.push(Item::fixed(cuboid(half, 0.015, 0.03)).named("bar").at(0.0, y, half_depth + 0.06).friction(0.1));
    }
    for index in 0..240 {
        let (column, row, layer) = (index % 8, index / 8 % 5, index / 40);
        let half = 0.21 + 0.04 * spread(index, GOLDEN);
        bodies.push(
            Item::dynamic(cuboid(half, half, half)).friction(0.6).turned(about_z(0.1 * spread(index, SILVER))).at(
                0.56 * (column as f64 - 3.5),
                0.6 * layer as f64 - 1.9,
                0.58 * (row as f64 - 2.0),
            ),
        );
    }
    let shows = "A drum turns without end and tumbles 240 boxes, which the dynamic tree follows.";
    Draft::new("washer", shows, &["B11", "B12", "R7", "R9"])
        .with("broad_phase", "dynamic_tree")
        .steps(900, 60.0)
        .seen([3.0, 2.0, 14.0], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// Blades that bat away what falls on them.
pub(super) fn blades() -> Value {
    let rotor = |turn: f64| {
        let mut parts = vec![(DVec3::ZERO, DQuat::IDENTITY, cylinder(0.3, 0.25))];
        for blade in 0..3 {
            let angle = TAU * f64::from(blade) / 3.0;
            let out = DVec3::new(angle.cos(), 0.0, -angle.sin());
            parts.push((1.25 * out, about_y(angle) * about_x(0.5 * turn), cuboid(1.1, 0.04, 0.25)));
        }
        compound(parts)
    };
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(6.5, 5.0, 1.6));
    for (x, turn) in [(-1.6, 1.0), (1.6, -1.0)] {
        let body = Item::kinematic(rotor(turn)).named("rotor").at(x, 1.5, 0.0).turned(about_y(0.5 * PI * turn));
        bodies.push(body.turning(0.0, 14.0 * turn, 0.0).friction(0.2).restitution(0.3));
    }
    for index in 0..90 {
        let body = Item::dynamic(any_solid(index, 0.2)).turned(any_turn(index)).restitution(0.3);
        bodies.push(body.at(
            3.4 * (spread(index, GOLDEN) - 0.5),
            3.0 + 0.25 * index as f64,
            2.4 * (spread(index, SILVER) - 0.5),
        ));
    }
    let shows = "Two rotors whose tips run at 33 m/s bat away all that falls on them.";
    Draft::new("blades", shows, &["B13", "M3", "T5", "R1"])
        .steps(1440, 240.0)
        .seen([4.6, 7.6, 17.5], [0.0, 0.8, 0.0])
        .bodies(bodies)
}

/// Four belts in a square, each of which feeds the next.
pub(super) fn conveyor() -> Value {
    let (half, width, speed) = (4.0, 1.0, 1.5);
    let mut bodies = vec![floor(0.6)];
    for side in 0..4 {
        let turn = about_y(FRAC_PI_2 * f64::from(side));
        // Along x at the near side; it takes over from the belt before it in the corner at its left.
        let place = |x: f64, y: f64, z: f64| turn * DVec3::new(x, y, z);
        let at = |body: Item, place: DVec3| body.at(place.x, place.y, place.z).turned(turn);
        let belt = Item::fixed(cuboid(half - width, 0.25, width)).named("belt").friction(0.8);
        bodies.push(at(belt.with("surface_velocity", json!([speed, 0, 0])), place(0.0, 0.75, half)));
        // In the corner the surface runs on and turns: it pushes to the next belt.
        let corner = Item::fixed(cuboid(width, 0.25, width)).named("corner").friction(0.8);
        let corner = corner.with("surface_velocity", json!([0.7 * speed, 0, -0.9 * speed]));
        bodies.push(at(corner, place(half, 0.75, half)));
        let outer = Item::fixed(cuboid(half + width + 0.2, 0.5, 0.1)).named("rail").friction(0.05);
        bodies.push(at(outer, place(0.0, 1.0, half + width + 0.1)));
        let inner = Item::fixed(cuboid(half - width - 0.2, 0.15, 0.1)).named("inner rail").friction(0.05);
        bodies.push(at(inner, place(0.0, 1.15, half - width - 0.1)));
    }
    for index in 0..24 {
        let turn = about_y(FRAC_PI_2 * (index % 4) as f64);
        let place = turn * DVec3::new(0.9 * (index / 4) as f64 - 2.25, 1.4, 4.0 + 0.6 * (spread(index, GOLDEN) - 0.5));
        let shape = match index % 3 {
            0 => cuboid(0.3, 0.25, 0.25),
            1 => cylinder(0.25, 0.3),
            _ => cuboid(0.2, 0.35, 0.3),
        };
        let body = Item::dynamic(shape).friction(0.6).turned(about_y(spread(index, SILVER)));
        bodies.push(body.at(place.x, place.y, place.z));
    }
    let shows = "Belts that do not move but drag what lies on them carry parcels around a square, without end.";
    Draft::new("conveyor", shows, &["R2"]).steps(1800, 60.0).seen([5.0, 11.0, 13.0], [0.0, 0.5, 0.0]).bodies(bodies)
}

/// A wheel with teeth of equal pitch, that turns about z; tooth 0 points along x.
fn gear(teeth: u32, pitch_radius: f64, half_width: f64) -> Item {
    let pitch = TAU / f64::from(teeth);
    let (foot, tip) = (pitch_radius - 0.17, pitch_radius + 0.13);
    let mut parts = vec![part(DVec3::ZERO, about_x(FRAC_PI_2), cylinder(half_width, foot))];
    // Wide at the foot, narrow at the tip, with some play at the pitch circle.
    let (foot_half, tip_half) = (0.30 * pitch * pitch_radius, 0.13 * pitch * pitch_radius);
    let tooth = hull([-1.0, 1.0].into_iter().flat_map(|side| {
        let z = side * half_width;
        [(foot - 0.05, foot_half), (foot - 0.05, -foot_half), (tip, tip_half), (tip, -tip_half)]
            .map(|(x, y)| DVec3::new(x, y, z))
    }));
    for index in 0..teeth {
        parts.push(part(DVec3::ZERO, about_z(pitch * f64::from(index)), tooth.clone()));
    }
    Item::of_parts(parts)
}

/// A train of three gears, of which only the first is driven.
pub(super) fn gears() -> Value {
    let module = 0.1;
    let mut bodies = Vec::new();
    let mut x = 0.0;
    for (index, teeth) in [12u32, 24, 16].into_iter().enumerate() {
        let radius = module * f64::from(teeth);
        x += if index == 0 { 0.0 } else { radius };
        // A tooth of one meets a gap of the next: on the left side of the second, where all counts of teeth are even.
        let turn = if index == 1 { PI / f64::from(teeth) } else { 0.0 };
        let wheel = gear(teeth, radius, 0.2);
        let body = if index == 0 {
            wheel.with("kind", "kinematic").named("driver").turning(0.0, 0.0, 1.5)
        } else {
            let locks = vec![true, true, false];
            let body = wheel.named(format!("{teeth} teeth")).with("lock_translation", vec![true; 3]);
            body.with("lock_rotation", locks).with("angular_damping", 0.3)
        };
        bodies.push(body.at(x, 2.8, 0.0).turned(about_z(turn)).friction(0.1));
        x += radius;
    }
    let shows =
        "Gears of 12, 24 and 16 teeth, held on their axes by locks: only contacts of their teeth drive the train.";
    Draft::new("gears", shows, &["T5", "R9"])
        .weightless()
        .steps(1200, 120.0)
        .seen([2.9, 3.6, 12.0], [2.9, 2.8, 0.0])
        .bodies(bodies)
}

/// Gates that are told of what passes through them.
pub(super) fn sensors() -> Value {
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(4.0, 3.5, 0.4));
    // A chute of three slopes, to and fro.
    for level in 0..3 {
        let side = if level % 2 == 0 { 1.0 } else { -1.0 };
        let y = 5.2 - 1.7 * f64::from(level);
        let slope = Item::fixed(cuboid(2.6, 0.08, 0.8)).named("slope").at(-0.7 * side, y, 0.0).friction(0.3);
        bodies.push(slope.turned(about_z(-0.22 * side)));
        let gate = Item::fixed(cuboid(0.04, 0.6, 0.8)).named("gate").with("sensor", true);
        bodies.push(gate.at(-0.7 * side, y + 0.7, 0.0));
        // What falls off its end is thrown back onto the next.
        bodies.push(Item::fixed(cuboid(0.08, 1.0, 0.9)).named("stop").at(3.4 * side, y - 0.7, 0.0).restitution(0.0));
        for z in [-0.9, 0.9] {
            let wall = Item::fixed(cuboid(2.6, 0.2, 0.08)).named("wall").at(-0.7 * side, y + 0.2, z).friction(0.1);
            bodies.push(wall.turned(about_z(-0.22 * side)));
        }
    }
    // One that sweeps over the floor.
    let eye = Item::kinematic(cuboid(3.0, 0.4, 0.05)).named("eye").with("sensor", true).at(0.0, 0.4, 2.0);
    bodies.push(eye.turning(0.0, 0.8, 0.0));
    for index in 0..30 {
        let body = Item::dynamic(if index % 3 == 0 { cuboid(0.17, 0.17, 0.17) } else { ball(0.2) }).friction(0.3);
        let aside = 0.9 * (spread(index, GOLDEN) - 0.5);
        bodies.push(body.at(-2.4 + 0.3 * spread(index, SILVER), 6.4 + 0.5 * index as f64, aside));
    }
    let shows = "Balls run down a chute through gates that only watch: they tell who enters and who leaves, and stop \
        nobody.";
    Draft::new("sensors", shows, &["Q1", "Q2"]).steps(900, 60.0).seen([2.0, 5.0, 14.0], [0.0, 3.0, 0.0]).bodies(bodies)
}
