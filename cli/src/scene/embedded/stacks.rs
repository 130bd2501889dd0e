//! What people build to see whether a solver is any good.

use super::parts::{Draft, GOLDEN, Item, about_y, about_z, ball, cuboid, cylinder, floor, spread};
use carom::glam::DQuat;
use serde_json::Value;

/// Towers of several kinds.
pub(super) fn stack() -> Value {
    let mut bodies = vec![floor(0.6)];
    for level in 0..10 {
        let y = 0.5 + f64::from(level);
        bodies.push(Item::dynamic(cuboid(0.5, 0.5, 0.5)).at(-6.0, y, 0.0));
        bodies.push(Item::dynamic(cylinder(0.5, 0.6)).at(-3.0, y, 0.0));
        let size = 0.5 - 0.04 * f64::from(level);
        let below: f64 = (0..level).map(|level| 2.0 * (0.5 - 0.04 * f64::from(level))).sum();
        bodies.push(Item::dynamic(cuboid(size, size, size)).at(0.0, below + size, 0.0));
    }
    for level in 0..12 {
        // Three planks side by side, and three across.
        let turn = if level % 2 == 0 { 0.0 } else { std::f64::consts::FRAC_PI_2 };
        for plank in [-1.0, 0.0, 1.0] {
            let (x, z) = if level % 2 == 0 { (0.0, 0.55 * plank) } else { (0.55 * plank, 0.0) };
            let body = Item::dynamic(cuboid(0.8, 0.2, 0.25)).turned(about_y(turn));
            bodies.push(body.at(3.5 + x, 0.2 + 0.4 * f64::from(level), z));
        }
    }
    // What is heavy rests on what is light: each cube weighs eight times the one below it.
    let mut height = 0.0;
    for level in 0..3 {
        let size = 0.25 * f64::from(1 << level);
        bodies.push(Item::dynamic(cuboid(size, size, size)).at(7.5, height + size, 0.0));
        height += 2.0 * size;
    }
    let shows = "Towers stand: of cubes, of drums, of cubes that get smaller, of planks laid across each other, and of \
        cubes that each weigh eight times the one below.";
    Draft::new("stack", shows, &["R3", "R7", "N4", "N5"])
        .steps(600, 60.0)
        .seen([4.0, 7.0, 24.0], [0.5, 4.5, 0.0])
        .bodies(bodies)
}

/// A wall of boxes that gets narrower by one from row to row.
pub(super) fn pyramid() -> Value {
    let base = 24;
    let mut bodies = vec![floor(0.6)];
    for level in 0..base {
        for index in 0..base - level {
            let x = f64::from(index) - 0.5 * f64::from(base - 1 - level);
            bodies.push(Item::dynamic(cuboid(0.5, 0.5, 0.5)).at(1.02 * x, 0.5 + f64::from(level), 0.0).friction(0.6));
        }
    }
    let shows = "A pyramid of 300 boxes stands, and falls asleep.";
    Draft::new("pyramid", shows, &["R3", "R7", "R8", "N4", "N5"])
        .steps(600, 60.0)
        .seen([12.0, 14.0, 40.0], [0.0, 10.0, 0.0])
        .bodies(bodies)
}

/// A spiral of dominoes.
pub(super) fn dominoes() -> Value {
    let mut bodies = vec![floor(0.5)];
    let (inner, per_radian, apart) = (2.2, 0.3, 0.46);
    let mut angle: f64 = 0.0;
    for index in 0..110 {
        let radius = inner + per_radian * angle;
        let (sine, cosine) = angle.sin_cos();
        // Along the spiral, outward; a domino falls along its own x axis.
        let heading = std::f64::consts::FRAC_PI_2 + angle - (per_radian / radius).atan();
        let (ahead_z, ahead_x) = heading.sin_cos();
        let mut body = Item::dynamic(cuboid(0.06, 0.5, 0.25)).friction(0.4).turned(about_y(-heading));
        body = body.at(radius * cosine, 0.5, radius * sine);
        if index == 0 {
            // A push at its top: it turns about its lower edge.
            body = body.moving(1.25 * ahead_x, 0.0, 1.25 * ahead_z).turning(2.5 * ahead_z, 0.0, -2.5 * ahead_x);
        }
        bodies.push(body);
        angle += apart / radius;
    }
    let shows = "The first of 110 dominoes is pushed, and the others fall one after the other, along a spiral.";
    Draft::new("dominoes", shows, &["R2", "R9", "N4", "Q2"])
        .steps(1800, 120.0)
        .seen([0.0, 16.0, 15.0], [0.0, 0.0, 0.5])
        .bodies(bodies)
}

/// Three storeys of cards that lean on each other.
pub(super) fn cards() -> Value {
    let (angle, friction) = (0.3f64, 0.7);
    let (thickness, height, width) = (0.02, 0.5, 0.4);
    let (sine, cosine) = angle.sin_cos();
    // The inner top edges of a tent's cards meet in its middle; the outer ones of their feet stand on the ground.
    let across = thickness * cosine + height * sine;
    let up = thickness * sine + height * cosine;
    let apart = 2.0 * across + 2.0 * height * sine + 0.2;
    let card = |half_x, half_y| Item::dynamic(cuboid(half_x, half_y, width)).friction(friction).with("density", 200);
    let mut bodies = vec![floor(friction)];
    let mut ground = 0.0;
    for storey in 0..3 {
        let tents = 3 - storey;
        for tent in 0..tents {
            let x = apart * (f64::from(tent) - 0.5 * f64::from(tents - 1));
            for side in [-1.0, 1.0] {
                let body = card(thickness, height).turned(about_z(side * angle));
                bodies.push(body.at(x + side * across, ground + up, 0.0));
            }
        }
        ground += 2.0 * up;
        if tents > 1 {
            let half = 0.5 * apart * f64::from(tents - 1) + 0.3;
            bodies.push(card(half, thickness).at(0.0, ground + thickness, 0.0));
            ground += 2.0 * thickness;
        }
    }
    let shows = "A house of cards stands by friction alone: a tent stands while the tangent of its half angle is below \
        the coefficient.";
    Draft::new("cards", shows, &["R2", "R3", "R7", "N4"])
        .steps(600, 60.0)
        .with("sleeping", false)
        .seen([1.5, 2.0, 7.0], [0.0, 1.4, 0.0])
        .bodies(bodies)
}

/// Heaps apart from each other, one of which is hit late.
pub(super) fn islands() -> Value {
    let mut bodies = vec![floor(0.6)];
    for heap in 0..9 {
        let (x, z) = (4.0 * ((heap % 3) as f64 - 1.0), 4.0 * ((heap / 3) as f64 - 1.0));
        for index in 0..6 {
            // The higher they fall from, the later they sleep.
            let y = 0.35 + 0.7 * index as f64 + 0.5 * heap as f64;
            let aside = 0.1 * (spread(6 * heap + index, GOLDEN) - 0.5);
            bodies.push(Item::dynamic(cuboid(0.35, 0.34, 0.35)).at(x + aside, y, z - aside).turned(about_y(aside)));
        }
    }
    // It comes down from 30 m, when the heaps sleep already.
    bodies.push(Item::dynamic(ball(0.6)).named("late").at(0.6, 30.0, 0.3).with("density", 3000));
    let shows = "Nine heaps are nine islands, which fall asleep one by one; a ball that falls from 30 m wakes only the \
        heap that it hits.";
    Draft::new("islands", shows, &["R8", "Q2"])
        .steps(960, 120.0)
        .seen([8.0, 10.0, 16.0], [0.0, 0.5, 0.0])
        .bodies(bodies)
}

/// Bodies that start inside each other.
pub(super) fn overlap() -> Value {
    let mut bodies = vec![floor(0.6)];
    for index in 0..27 {
        let at = |count: usize| 0.7 * (count as f64 - 1.0);
        let body = Item::dynamic(cuboid(0.5, 0.5, 0.5));
        bodies.push(body.at(at(index % 3) - 2.0, 0.5 + 0.7 * (index / 9) as f64, at(index / 3 % 3)));
    }
    for index in 0..18 {
        let turn = DQuat::from_rotation_y(0.3 * index as f64);
        let body = if index % 2 == 0 { Item::dynamic(ball(0.45)) } else { Item::dynamic(cylinder(0.4, 0.4)) };
        bodies.push(
            body.at(
                2.0 + 0.62 * (index % 3) as f64,
                0.45 + 0.62 * (index / 9) as f64,
                0.62 * (index / 3 % 3) as f64 - 0.6,
            )
            .turned(turn),
        );
    }
    let shows = "Boxes, balls and drums begin inside each other and are pushed apart, gently.";
    Draft::new("overlap", shows, &["N2", "R4"]).steps(480, 60.0).seen([5.2, 7.5, 15.5], [0.0, 0.6, 0.0]).bodies(bodies)
}
