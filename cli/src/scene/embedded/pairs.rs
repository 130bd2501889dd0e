//! Bodies placed for looking at one algorithm: two shapes close to each other, or one that passes others by.

use super::parts::{
    Draft, GOLDEN, Item, PLASTIC, SILVER, about_x, about_y, about_z, any_turn, ball, capsule, compound, cone, cuboid,
    cylinder, ellipsoid, hull, on_sphere, spread, stone,
};
use carom::glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A point, a segment or a triangle has no mass of its own.
fn weighed(body: Item) -> Item {
    let inertia = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    body.with("mass_properties", json!({ "mass": 1, "center_of_mass": [0, 0, 0], "inertia": inertia }))
}

/// Pairs of all kinds, apart.
pub(super) fn gjk() -> Value {
    let point = json!({ "point": {} });
    let segment = json!({ "segment": { "a": [0, -0.4, 0], "b": [0, 0.4, 0] } });
    let triangle = json!({ "triangle": { "a": [0.3, -0.3, 0], "b": [-0.3, -0.3, 0.1], "c": [0, 0.4, -0.1] } });
    let rounded = json!({ "cuboid": { "half_extents": [0.2, 0.3, 0.2], "radius": 0.1 } });
    let pairs: [(Value, Value, bool); 12] = [
        (ball(0.4), ball(0.3), false),
        (ball(0.4), cuboid(0.25, 0.3, 0.25), false),
        (capsule(0.3, 0.2), capsule(0.2, 0.25), false),
        (cuboid(0.3, 0.3, 0.3), cuboid(0.25, 0.25, 0.25), false),
        (cylinder(0.35, 0.35), cone(0.3, 0.3), false),
        (ellipsoid(0.4, 0.3, 0.25), cylinder(0.25, 0.3), false),
        (stone(1, 0.45, 32), stone(2, 0.45, 32), false),
        (cone(0.35, 0.35), ellipsoid(0.2, 0.4, 0.3), false),
        (rounded, stone(3, 0.42, 12), false),
        (point, cuboid(0.3, 0.3, 0.3), true),
        (segment, cone(0.3, 0.3), true),
        (triangle, capsule(0.25, 0.15), true),
    ];
    let mut bodies = Vec::new();
    for (index, (still, turning, is_bare)) in pairs.into_iter().enumerate() {
        let (x, y) = (2.0 * (index % 4) as f64 - 3.0, 3.0 - 1.5 * (index / 4) as f64);
        let still = Item::dynamic(still).held().at(x - 0.35, y, 0.0);
        bodies.push(if is_bare { weighed(still) } else { still });
        let axis = on_sphere(index + 4);
        let turning = Item::kinematic(turning).at(x + 0.35, y, 0.0).turned(any_turn(index));
        bodies.push(turning.turning(0.5 * axis.x, 0.5 * axis.y, 0.5 * axis.z));
    }
    let shows = "Twelve pairs of shapes, the right one turning beside the left and at times into it: pick a pair and \
        step GJK from simplex to simplex to their distance or depth.";
    Draft::new("gjk", shows, &["N1", "N2", "S7", "S1"])
        .weightless()
        .with("sleeping", false)
        .steps(600, 60.0)
        .seen([0.0, 2.0, 9.0], [0.0, 1.5, 0.0])
        .bodies(bodies)
}

/// Pairs of polytopes that touch in every way, a little inside each other.
pub(super) fn sat() -> Value {
    let prism = |corners: u32| {
        hull((0..corners).flat_map(|corner| {
            let (sine, cosine) = (TAU * f64::from(corner) / f64::from(corners)).sin_cos();
            [-0.35, 0.35].map(|y| DVec3::new(0.45 * cosine, y, 0.45 * sine))
        }))
    };
    let on_corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Y);
    let on_edge = about_z(FRAC_PI_2 / 2.0);
    let cube = || cuboid(0.4, 0.4, 0.4);
    let reach = 0.4;
    // What lies below, what is on it, how that is turned, and how far its lowest point is below its middle.
    let pairs = [
        ("face on face", cube(), cube(), DQuat::IDENTITY, reach),
        ("edge on face", cube(), cube(), on_edge, reach * 2f64.sqrt()),
        ("corner on face", cube(), cube(), on_corner, reach * 3f64.sqrt()),
        ("prism on box", cube(), prism(5), DQuat::IDENTITY, 0.35),
        ("prism on prism", prism(6), prism(3), DQuat::IDENTITY, 0.35),
        ("stone on box", cube(), stone(5, 0.45, 24), DQuat::IDENTITY, 0.4),
    ];
    let mut bodies = Vec::new();
    for (index, (name, below, above, turn, low)) in pairs.into_iter().enumerate() {
        let x = 1.7 * (index as f64 - 3.0);
        let top = if index == 4 { 0.35 } else { reach };
        bodies.push(Item::dynamic(below).named(format!("{name}: below")).held().at(x, reach, 0.0));
        let above = Item::kinematic(above).named(name).at(x, reach + top + low - 0.02, 0.0).turned(turn);
        bodies.push(above.turning(0.0, 0.4, 0.0));
    }
    // Two edges across each other.
    let x = 1.7 * 3.0;
    let below = Item::dynamic(cube()).named("edge on edge: below").held().turned(about_x(FRAC_PI_2 / 2.0));
    bodies.push(below.at(x, 0.57, 0.0));
    let above = Item::kinematic(cube()).named("edge on edge").turned(on_edge).turning(0.0, 0.4, 0.0);
    bodies.push(above.at(x, 0.57 + 2.0 * reach * 2f64.sqrt() - 0.02, 0.0));
    let shows = "Boxes, prisms and stones touch by face, edge and corner, 2 cm deep, while the upper turns: pick a pair \
        and compare the separating axes.";
    Draft::new("sat", shows, &["M1", "N2", "N4", "N5"])
        .weightless()
        .with("sleeping", false)
        .steps(600, 60.0)
        .seen([0.0, 3.5, 12.0], [0.0, 0.9, 0.0])
        .bodies(bodies)
}

/// One of each shape, turning as it flies.
pub(super) fn bounds() -> Value {
    let kinds = [
        ball(0.4),
        cuboid(0.6, 0.25, 0.35),
        capsule(0.5, 0.2),
        cylinder(0.5, 0.25),
        cone(0.5, 0.35),
        ellipsoid(0.7, 0.3, 0.2),
        stone(2, 0.55, 24),
        compound([
            (DVec3::X * -0.4, DQuat::IDENTITY, ball(0.2)),
            (DVec3::X * 0.4, DQuat::IDENTITY, ball(0.3)),
            (DVec3::ZERO, about_z(FRAC_PI_2), cylinder(0.4, 0.06)),
        ]),
    ];
    let mut bodies = Vec::new();
    for (index, shape) in kinds.into_iter().enumerate() {
        let axis = on_sphere(index + 9);
        let (column, row) = (index % 4, index / 4);
        let speed = if row == 0 { 0.5 } else { -0.5 };
        let body = Item::dynamic(shape).turned(any_turn(index)).moving(speed, 0.0, 0.0).with("may_sleep", false);
        let body = body.turning(1.5 * axis.x, 1.5 * axis.y, 1.5 * axis.z);
        bodies.push(body.at(2.0 * column as f64 - 3.0 - 2.5 * speed, 1.6 * row as f64, 0.0));
    }
    let shows = "One of each shape turns as it flies: its box grows and shrinks with the turn, and the box of its whole \
        step leads ahead of it.";
    Draft::new("bounds", shows, &["S5", "M3", "M4", "V1"])
        .weightless()
        .steps(600, 60.0)
        .seen([0.0, 2.0, 10.0], [0.0, 0.8, 0.0])
        .bodies(bodies)
}

/// Balls of radius R/2, of which two meet when their centres are within R.
pub(super) fn particles() -> Value {
    let mut bodies = Vec::new();
    let radius = 0.15;
    for index in 0..1500 {
        // Evenly in a ball, drifting around its axis.
        let place = 5.0 * spread(index, SILVER).cbrt() * on_sphere(index + 1);
        let velocity = DVec3::new(-place.z, 0.0, place.x) * 0.3 + 0.3 * on_sphere(7 * index + 2);
        let body = Item::dynamic(ball(radius)).restitution(1.0).friction(0.0).with("may_sleep", false);
        bodies.push(body.at(place.x, place.y, place.z).moving(velocity.x, velocity.y, velocity.z));
    }
    let shows = "Particles drift; each is drawn as a ball of half the radius R of interaction, so those closer than R are \
        those that touch.";
    Draft::new("particles", shows, &["B14", "B6"])
        .with("broad_phase", "spatial_hash")
        .weightless()
        .with("bounce_threshold", 0.01)
        .steps(480, 60.0)
        .seen([7.8, 9.1, 16.9], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// A bar that turns as it flies, through slots that are turned to match; the last is not.
pub(super) fn path() -> Value {
    let (speed, spin, apart) = (2.0, 1.2, 1.5);
    let start = -6.0;
    let mut bodies = Vec::new();
    for wall in 0..8 {
        let x = start + 1.5 + apart * f64::from(wall);
        let right = spin * (x - start) / speed;
        let angle = if wall == 7 { right + FRAC_PI_2 } else { right };
        // A slot of 2.2 by 0.6 in a square of 3.
        let side = |y: f64, z: f64, half_y: f64, half_z: f64| {
            (DVec3::new(0.0, y, z), DQuat::IDENTITY, cuboid(0.08, half_y, half_z))
        };
        let frame = compound([
            side(0.0, 0.9, 1.5, 0.6),
            side(0.0, -0.9, 1.5, 0.6),
            side(1.3, 0.0, 0.2, 0.3),
            side(-1.3, 0.0, 0.2, 0.3),
        ]);
        let name = if wall == 7 { "wrong slot" } else { "slot" };
        bodies.push(Item::fixed(frame).named(name).at(x, 0.0, 0.0).turned(about_x(angle)));
    }
    let bar = Item::dynamic(cuboid(0.15, 0.9, 0.12)).named("bar").at(start, 0.0, 0.0);
    bodies.push(bar.moving(speed, 0.0, 0.0).turning(spin, 0.0, 0.0).with("may_sleep", false));
    let shows = "A bar turns as it flies and passes seven slots without touching; the eighth is turned the wrong way, \
        and there it strikes.";
    Draft::new("path", shows, &["T5", "T7"])
        .weightless()
        .steps(480, 60.0)
        .seen([-5.0, 5.0, 11.0], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// Polygons in a plane, through pegs.
pub(super) fn plane() -> Value {
    let polygon = |corners: u32, radius: f64| {
        hull((0..corners).flat_map(|corner| {
            let (sine, cosine) = (TAU * f64::from(corner) / f64::from(corners)).sin_cos();
            [-0.2, 0.2].map(|z| DVec3::new(radius * cosine, radius * sine, z))
        }))
    };
    let wall = |half_x: f64, half_y: f64| Item::fixed(cuboid(half_x, half_y, 0.25));
    let mut bodies = vec![wall(5.2, 0.2).named("ground").at(0.0, -0.2, 0.0)];
    for x in [-5.0, 5.0] {
        bodies.push(wall(0.2, 5.0).named("wall").at(x, 5.0, 0.0));
    }
    for slot in -3..=3 {
        bodies.push(wall(0.05, 0.9).named("divider").at(1.25 * f64::from(slot), 0.9, 0.0));
    }
    for row in 0..5 {
        for column in 0..=6 {
            let x = 1.4 * (f64::from(column) - 3.0) + if row % 2 == 0 { 0.0 } else { 0.7 };
            let peg = Item::fixed(cylinder(0.25, 0.12)).named("peg").turned(about_x(FRAC_PI_2)).restitution(0.3);
            bodies.push(peg.at(x, 3.0 + 1.1 * f64::from(row), 0.0));
        }
    }
    for index in 0..90 {
        let corners = 3 + (index % 6) as u32;
        let body = Item::dynamic(polygon(corners, 0.2 + 0.06 * spread(index, GOLDEN))).friction(0.3).restitution(0.2);
        let body = body.with("lock_translation", vec![false, false, true]);
        let body = body.with("lock_rotation", vec![true, true, false]).turned(about_z(TAU * spread(index, SILVER)));
        bodies.push(body.at(1.6 * (spread(index, PLASTIC) - 0.5), 9.0 + 0.3 * index as f64, 0.0));
    }
    let shows = "Polygons of three to eight corners, locked into a plane, fall through pegs as in a flat world: corner on \
        edge, again and again.";
    Draft::new("plane", shows, &["T2", "M1", "R9"])
        .steps(900, 60.0)
        .seen([0.0, 5.5, 20.0], [0.0, 5.0, 0.0])
        .bodies(bodies)
}

/// Corners that strike faces, and edges that strike edges.
pub(super) fn corners() -> Value {
    let on_corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Y);
    let on_edge = about_z(FRAC_PI_2 / 2.0);
    let cube = || cuboid(0.5, 0.5, 0.5);
    let mut bodies = vec![super::parts::floor(0.5)];
    for lane in 0..4 {
        let x = 2.6 * (f64::from(lane) - 1.5);
        let (below, low) =
            if lane < 2 { (DQuat::IDENTITY, 0.5) } else { (about_x(FRAC_PI_2 / 2.0), 0.5 * 2f64.sqrt()) };
        bodies.push(Item::fixed(cube()).named("anvil").at(x, low, 0.0).turned(below));
        let (above, name) = match lane {
            0 => (on_corner, "corner on face"),
            1 => (on_edge * about_y(0.3), "edge on face"),
            2 => (on_edge, "edge across edge"),
            _ => (on_corner * about_y(PI), "corner on edge"),
        };
        let body = Item::dynamic(cube()).named(name).at(x, 4.0, 0.0).turned(above).restitution(0.3);
        bodies.push(body.moving(0.0, -2.0, 0.0));
    }
    let shows =
        "Cubes fall on cubes: a corner on a face, an edge on a face, an edge across an edge, a corner on an edge.";
    Draft::new("corners", shows, &["T3", "N4", "N5", "S7"])
        .steps(360, 120.0)
        .seen([2.0, 4.0, 12.0], [0.0, 1.4, 0.0])
        .bodies(bodies)
}
