//! One heap by several solvers, and worlds that ask much of the arithmetic.

use super::parts::{Draft, Item, about_x, ball, capsule, cuboid, floor};
use serde_json::{Value, json};
use std::f64::consts::FRAC_PI_2;

/// The same for each solver: a small pyramid, a tower, and a ball that comes to knock on them.
fn heap(x: f64) -> Vec<Item> {
    let mut bodies = vec![floor(0.6).at(x, 0.0, 0.0)];
    let base = 6;
    for level in 0..base {
        for index in 0..base - level {
            let aside = 1.02 * (f64::from(index) - 0.5 * f64::from(base - 1 - level));
            bodies.push(
                Item::dynamic(cuboid(0.5, 0.5, 0.5)).at(x + aside - 2.0, 0.5 + f64::from(level), 0.0).friction(0.6),
            );
        }
    }
    for level in 0..5 {
        let body = Item::dynamic(cuboid(0.5, 0.5, 0.5)).friction(0.6);
        bodies.push(body.at(x + 4.0, 0.5 + f64::from(level), 0.0));
    }
    bodies
}

fn draft(name: &str, shows: &str, capabilities: &[&str], solver: Value) -> Draft {
    let draft = Draft::new(name, shows, capabilities).with("solver", solver).with("sleeping", false);
    draft.steps(360, 120.0).seen([3.0, 5.0, 15.0], [0.5, 2.6, 0.0])
}

/// By the deepest and fastest contact first.
pub(super) fn worst() -> Value {
    let shows = "A heap solved contact by contact, always the worst first: fastest closing, then deepest.";
    let solver = json!({ "worst_first": { "iterations": 8, "projection": "nonlinear" } });
    draft("worst", shows, &["R4", "R5"], solver).bodies(heap(0.0))
}

/// By Gauss–Seidel from nothing.
pub(super) fn cold() -> Value {
    let shows = "The same heap by projected Gauss–Seidel that begins every step from nothing: many rounds change much.";
    let solver = json!({ "projected_gauss_seidel": { "iterations": 20, "warm": false } });
    draft("cold", shows, &["R6"], solver).bodies(heap(0.0))
}

/// By Gauss–Seidel from the last step's impulses.
pub(super) fn warm() -> Value {
    let shows = "The same heap by projected Gauss–Seidel that begins with the impulses of the last step, known by the \
        features that touch.";
    let solver = json!({ "projected_gauss_seidel": { "iterations": 20, "warm": true } });
    draft("warm", shows, &["R6", "N5"], solver).bodies(heap(0.0))
}

/// The same far away.
pub(super) fn far() -> Value {
    let shows = "The same heap by the default solver, 10,000 km from the origin: positions are 64 bits wide, and nothing \
        trembles.";
    let x = 1e7;
    Draft::new("far", shows, &["R3", "R7"])
        .steps(360, 120.0)
        .seen([x + 3.0, 5.0, 15.0], [x + 0.5, 2.6, 0.0])
        .bodies(heap(x))
}

/// Balls and logs that roll out.
pub(super) fn rolling() -> Value {
    let mut bodies = vec![floor(0.8)];
    for (lane, resistance) in [0.0, 0.01, 0.02, 0.04, 0.08].into_iter().enumerate() {
        let z = 1.3 * (lane as f64 - 2.0);
        let roll = |shape: Value, x: f64, radius: f64, speed: f64| {
            // Rolling from the start: the point that touches stands still.
            let body = Item::dynamic(shape).at(x, radius, z).moving(speed, 0.0, 0.0).turning(0.0, 0.0, -speed / radius);
            body.friction(0.8).with("rolling_friction", resistance).named(format!("rolling friction {resistance}"))
        };
        bodies.push(roll(ball(0.4), -6.0, 0.4, 3.0));
        bodies.push(roll(capsule(0.25, 0.25), -8.0, 0.25, 2.0).turned(about_x(FRAC_PI_2)));
    }
    let shows = "Balls and logs roll out on rolling friction of 0 to 0.08: the more, the sooner they stop; without it \
        they roll on.";
    Draft::new("rolling", shows, &["R2"]).steps(600, 60.0).seen([-3.0, 8.0, 15.0], [0.0, 0.0, 0.0]).bodies(bodies)
}
