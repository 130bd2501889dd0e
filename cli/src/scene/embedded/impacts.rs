//! Blows: who strikes whom, how fast, and what becomes of the momentum.

use super::parts::{Draft, GOLDEN, Item, ball, cuboid, floor, height_field, rims, spread};
use serde_json::{Value, json};

/// A bed with rims around it.
fn table(half_x: f64, half_z: f64, height: f64, restitution: f64, friction: f64) -> Vec<Item> {
    let half = height / 2.0;
    let bed = Item::fixed(cuboid(half_x + height, half, half_z + height)).named("bed").at(0.0, -half, 0.0);
    let all = std::iter::once(bed).chain(rims(half_x, half_z, height));
    all.map(|body| body.restitution(restitution).friction(friction)).collect()
}

/// Elastic balls on a table without friction or gravity: their energy stays what it is.
pub(super) fn billiards() -> Value {
    let radius = 0.3;
    let mut bodies = table(5.0, 3.0, 0.6, 1.0, 0.0);
    // Every hit multiplies the smallest difference in height; the lock keeps the balls in their layer.
    for index in 0..28 {
        let (column, row) = (index % 7, index / 7);
        let angle = std::f64::consts::TAU * spread(index, GOLDEN);
        let body = Item::dynamic(ball(radius)).restitution(1.0).friction(0.0);
        bodies.push(
            body.at(1.4 * (column as f64 - 3.0), radius + 0.001, 1.4 * (row as f64 - 1.5))
                .moving(4.0 * angle.cos(), 0.0, 4.0 * angle.sin())
                .with("lock_translation", vec![false, true, false]),
        );
    }
    let shows = "Elastic balls on a closed table without friction: no energy is lost or won.";
    Draft::new("billiards", shows, &["R1", "T1"])
        .weightless()
        .with("solver", json!({ "projected_gauss_seidel": { "iterations": 20, "warm": false } }))
        .with("bounce_threshold", 0.01)
        .steps(4000, 400.0)
        .seen([4.0, 9.0, 10.0], [0.0, 0.0, 0.3])
        .bodies(bodies)
}

/// A rack of fifteen balls of true size, and the ball that breaks it.
pub(super) fn break_shot() -> Value {
    let radius = 0.028_575;
    let mut bodies = table(1.12, 0.56, 0.05, 0.75, 0.2);
    let ball = |name: String| {
        let body = Item::dynamic(json!({ "sphere": { "radius": radius } })).named(name).with("density", 1700);
        body.restitution(0.93).friction(0.06)
    };
    // A hair apart, as balls on cloth are, so that the rack does not touch before it is hit.
    let pitch = 2.0 * radius + 1e-5;
    let place = |x: f64, z: f64| json!([x, radius, z].map(|part| (part * 1e6).round() / 1e6));
    let mut number = 0;
    for row in 0..5 {
        for column in 0..=row {
            number += 1;
            let x = 0.56 + f64::from(row) * pitch * 0.75_f64.sqrt();
            let z = (f64::from(column) - f64::from(row) / 2.0) * pitch;
            bodies.push(ball(format!("ball {number}")).with("position", place(x, z)));
        }
    }
    bodies.push(ball("cue ball".into()).with("position", place(-0.56, 0.012)).moving(9.0, 0.0, 0.0));
    let shows = "A cue ball of 9 m/s breaks a rack of fifteen, in true size.";
    Draft::new("break", shows, &["R1", "R2", "T1"])
        .steps(1500, 1000.0)
        .seen([0.3, 1.5, 1.9], [0.0, 0.0, 0.05])
        .bodies(bodies)
}

/// Newton's cradle without strings: balls on a track that rises at both ends.
pub(super) fn cradle() -> Value {
    let (radius, flat, bend) = (0.3, 2.0, 3.0);
    // Flat in the middle; beyond it the arc of a circle, so that there is no edge where they meet.
    let height = |x: f64, _: f64| {
        let beyond = (x.abs() - flat).max(0.0);
        bend - (bend * bend - beyond * beyond).max(0.0).sqrt()
    };
    let mut bodies =
        vec![Item::fixed(height_field(161, 3, 0.05, height)).named("track").friction(0.0).with("kind", "fixed")];
    let ball = |x: f64, y: f64| {
        let body = Item::dynamic(ball(radius)).at(x, y, 0.0).friction(0.0).restitution(1.0);
        // Not on the track: there the greater restitution counts, unless a surface asks for the lesser.
        body.with("lock_translation", vec![false, false, true]).with("may_sleep", false)
    };
    for index in 0..5 {
        bodies.push(ball(0.61 * (f64::from(index) - 2.0), radius).named(format!("ball {}", index + 1)));
    }
    let angle = 0.55f64;
    let (sine, cosine) = angle.sin_cos();
    let reach = bend - radius - 0.001;
    bodies.push(ball(-flat - reach * sine, bend - reach * cosine).named("striker"));
    bodies[0] = bodies[0].clone().restitution(0.0).with("restitution_mixing", "min");
    let shows = "Newton's cradle on a track without friction: the blow goes through the row, and as many balls leave it \
        as have struck it.";
    Draft::new("cradle", shows, &["R1", "N6", "T1"])
        .steps(2400, 240.0)
        .with("bounce_threshold", 0.01)
        .seen([0.0, 2.0, 9.0], [0.0, 0.7, 0.0])
        .bodies(bodies)
}

/// Fast little balls against thin walls.
fn volley() -> Vec<Item> {
    let mut bodies = vec![floor(0.5)];
    for lane in 0..6 {
        let z = 1.2 * (f64::from(lane) - 2.5);
        let speed = 10.0 * f64::from(1 << lane);
        bodies.push(Item::fixed(cuboid(0.01, 0.5, 0.5)).named("wall").at(3.0, 0.5, z));
        let bullet = Item::dynamic(ball(0.05)).named(format!("{speed} m/s")).with("density", 7800).restitution(0.1);
        let bullet = bullet.at(-4.0 - 0.37 * f64::from(lane), 0.5, z).moving(speed, 0.0, 0.0);
        bodies.push(bullet.with("rolling_friction", 0.1));
    }
    for x in [-7.6, 6.0] {
        bodies.push(Item::fixed(cuboid(1.0, 0.6, 3.8)).named("backstop").at(x, 0.6, 0.0));
    }
    bodies
}

/// Bullets that are stopped.
pub(super) fn bullets() -> Value {
    let shows =
        "Bullets of 10 to 320 m/s strike walls of 2 cm and are stopped, though the fastest flies 5 m in a step.";
    Draft::new("bullets", shows, &["B13", "M3", "M4", "T4", "T6"])
        .steps(240, 60.0)
        .seen([0.5, 7.5, 11.5], [-0.6, 0.0, 0.3])
        .bodies(volley())
}

/// The same bullets where bodies are looked at only at the ends of steps.
pub(super) fn tunnelling() -> Value {
    let shows =
        "The same bullets in a world that looks at bodies only where steps end: the fast ones go through the walls.";
    Draft::new("tunnelling", shows, &["T6"])
        .with("continuous", "off")
        .steps(240, 60.0)
        .seen([0.5, 7.5, 11.5], [-0.6, 0.0, 0.3])
        .bodies(volley())
}
