//! What bodies and surfaces can be told: weights, gravity, limits, groups, friction.

use super::parts::{Draft, Item, about_x, about_z, ball, cuboid, floor};
use carom::glam::DVec3;
use serde_json::{Value, json};

/// What weighs a thousand times as much as what bears it, and more; and the reverse.
pub(super) fn masses() -> Value {
    let mut bodies = vec![floor(0.6)];
    let mut add = |name: &str, shape: Value, mass: f64, place: [f64; 3]| {
        let [x, y, z] = place;
        bodies.push(Item::dynamic(shape).named(name).at(x, y, z).friction(0.6).with("mass", mass));
    };
    add("tonne", cuboid(0.5, 0.5, 0.5), 1000.0, [-5.0, 0.5, 0.0]);
    add("gram", ball(0.1), 0.001, [-5.0, 1.1, 0.0]);
    for (x, z) in [(-0.35, -0.35), (0.35, -0.35), (-0.35, 0.35), (0.35, 0.35)] {
        add("leg of a gram", cuboid(0.08, 0.25, 0.08), 0.001, [-2.5 + x, 0.25, z]);
    }
    add("tonne on legs", cuboid(0.5, 0.5, 0.5), 1000.0, [-2.5, 1.0, 0.0]);
    for level in 0..4 {
        let (y, mass) = (0.4 + 0.8 * f64::from(level), 10f64.powi(level));
        add("heavier", cuboid(0.4, 0.4, 0.4), mass, [0.0, y, 0.0]);
        add("lighter", cuboid(0.4, 0.4, 0.4), 1000.0 / mass, [2.0, y, 0.0]);
    }
    add("kilogram", cuboid(0.4, 0.4, 0.4), 1.0, [4.0, 0.4, 0.0]);
    add("tonne on a kilogram", cuboid(0.4, 0.4, 0.4), 1000.0, [4.0, 1.2, 0.0]);
    let shows = "A gram rests on a tonne, a tonne on four legs of a gram, and boxes of 1, 10, 100 and 1,000 kg on each other, \
        the heaviest at the top as well as at the bottom.";
    Draft::new("masses", shows, &["R3", "R7"]).steps(600, 60.0).seen([1.0, 3.5, 11.0], [-0.5, 1.4, 0.0]).bodies(bodies)
}

/// One lane for each thing that a body can be told.
pub(super) fn settings() -> Value {
    let mut bodies = vec![floor(0.6)];
    // Down to z > 0: a board that is tilted, and what lies on it, half as high above its middle.
    let lean = |degrees: f64| about_x(degrees.to_radians());
    let board = |x: f64, degrees: f64, friction: f64| {
        let board = Item::fixed(cuboid(0.9, 0.05, 2.5)).named("board").turned(lean(degrees)).friction(friction);
        board.at(x, 1.5, 0.0)
    };
    let on_board = |name: &str, x: f64, degrees: f64, half: f64| {
        let place = lean(degrees) * DVec3::new(0.0, 0.05 + half, -1.0);
        let body = Item::dynamic(cuboid(half, half, half)).named(name).turned(lean(degrees));
        body.at(x, 1.5 + place.y, place.z)
    };
    bodies.push(board(-8.0, 25.0, 0.3));
    let holds = on_board("holds at rest", -8.4, 25.0, 0.2).friction(0.3).with("static_friction", 0.8);
    bodies.push(holds);
    bodies.push(on_board("slides", -7.6, 25.0, 0.2).friction(0.3));
    bodies.push(board(-5.5, 10.0, 1.0));
    bodies.push(on_board("holds by the mean", -5.9, 10.0, 0.2).friction(0.05));
    let ice = on_board("slides as ice", -5.1, 10.0, 0.2).friction(0.05).with("friction_mixing", "min");
    bodies.push(ice);
    bodies.push(Item::dynamic(ball(0.25)).named("falls").at(-3.0, 6.0, 0.0));
    bodies.push(Item::dynamic(ball(0.25)).named("falls slowly").at(-2.2, 6.0, 0.0).with("gravity_scale", 0.02));
    bodies.push(Item::dynamic(ball(0.25)).named("rises").at(-1.4, 1.0, 0.0).with("gravity_scale", -0.02));
    bodies.push(Item::dynamic(ball(0.25)).named("falls evenly").at(-0.6, 6.0, 0.0).with("max_speed", 1.0));
    let hovers = Item::dynamic(cuboid(0.25, 0.25, 0.25)).named("hovers").at(0.2, 2.0, 0.0).with("mass", 10.0);
    bodies.push(hovers.with("force", json!([0, 98.1, 0])));
    // A shelf for those of the first group: the others fall through it.
    let shelf = Item::fixed(cuboid(1.0, 0.05, 0.6)).named("shelf").at(2.4, 2.0, 0.0).with("mask", 1);
    bodies.push(shelf);
    bodies.push(Item::dynamic(ball(0.25)).named("on the shelf").at(2.0, 4.0, 0.0).with("groups", 1));
    bodies.push(Item::dynamic(ball(0.25)).named("through the shelf").at(2.8, 4.0, 0.0).with("groups", 2));
    // On an edge, and not about to fall over.
    let turned = Item::dynamic(cuboid(0.3, 0.3, 0.3)).turned(about_z(std::f64::consts::FRAC_PI_4));
    bodies.push(turned.named("on its edge").at(4.6, 0.43, 0.0).with("lock_rotation", vec![true; 3]));
    let roll = |name: &str, z: f64| Item::dynamic(ball(0.25)).named(name).at(6.0, 0.25, z).moving(1.5, 0.0, 0.0);
    bodies.push(roll("rolls on", -0.5).turning(0.0, 0.0, -6.0));
    bodies.push(roll("rolls to rest", 0.5).turning(0.0, 0.0, -6.0).with("rolling_friction", 0.1));
    let shows = "Each was told something else: to hold faster than it slides, to slide as on ice, to weigh little or less than \
        nothing, to fall at 1 m/s at most, to hover, to fall through a shelf, not to turn, to resist rolling.";
    Draft::new("settings", shows, &["R2", "R9", "Q1"])
        .steps(300, 60.0)
        .seen([-0.5, 5.5, 15.0], [-0.8, 2.2, 0.0])
        .bodies(bodies)
}
