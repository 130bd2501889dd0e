//! A scene for each broad phase, of the kind that suits it; see docs/broad-phase.md.

use super::parts::{
    Draft, GOLDEN, Item, PLASTIC, SILVER, about_y, any_solid, any_turn, ball, capsule, cuboid, floor, on_sphere, rims,
    spread, stone,
};
use carom::glam::DVec3;
use serde_json::{Value, json};

/// Walls around a room of half the given size, elastic and without friction: a gas of bodies stays in it.
fn room(half: f64) -> Vec<Item> {
    let mut walls = Vec::new();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        for side in [-1.0, 1.0] {
            let mut normal = [0.0; 3];
            normal[axis] = -side;
            let mut place = [0.0; 3];
            place[axis] = side * half;
            let wall = Item::fixed(json!({ "half_space": { "normal": normal } })).named(format!("wall across {name}"));
            walls.push(wall.at(place[0], place[1], place[2]).restitution(1.0).friction(0.0));
        }
    }
    walls
}

/// Few bodies: every box against every other.
pub(super) fn few() -> Value {
    let mut bodies = vec![floor(0.5)];
    bodies.extend(rims(2.0, 2.0, 0.6));
    for index in 0..16 {
        let body = Item::dynamic(any_solid(index, 0.35)).turned(any_turn(index)).restitution(0.4);
        bodies.push(body.at(1.0 * (index % 4) as f64 - 1.5, 1.5 + 0.2 * index as f64, 1.0 * (index / 4) as f64 - 1.5));
    }
    let shows = "Few bodies, for which brute force, every box against every other, is as good as any broad phase.";
    Draft::new("few", shows, &["B1", "B12"])
        .with("broad_phase", "brute_force")
        .steps(480, 60.0)
        .seen([4.0, 5.0, 9.0], [0.0, 0.8, 0.0])
        .bodies(bodies)
}

/// A long narrow street: along it boxes are sorted, and few overlap there.
pub(super) fn street() -> Value {
    let mut bodies = vec![floor(0.5)];
    for z in [-1.3, 1.3] {
        bodies.push(Item::fixed(cuboid(62.0, 0.4, 0.2)).named("kerb").at(0.0, 0.4, z).friction(0.1));
    }
    for index in 0..240 {
        let body = Item::dynamic(any_solid(index, 0.35)).turned(any_turn(index)).restitution(0.3);
        let speed = 3.0 * (spread(index, PLASTIC) - 0.5);
        bodies.push(
            body.at(0.5 * index as f64 - 60.0, 1.0 + spread(index, SILVER), 1.2 * (spread(index, GOLDEN) - 0.5))
                .moving(speed, 0.0, 0.0),
        );
    }
    let shows = "A street of 120 m: sort and sweep sorts the boxes along it, where few overlap.";
    Draft::new("street", shows, &["B2"])
        .with("broad_phase", "sort_and_sweep")
        .steps(480, 60.0)
        .seen([-14.0, 9.0, 22.0], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// Lanes of vehicles that overtake: the order along the axes changes by a few swaps a step.
pub(super) fn traffic() -> Value {
    let mut bodies = vec![floor(0.5)];
    for lane in 0..12 {
        let side = if lane < 6 { 1.0 } else { -1.0 };
        let speed = side * (4.0 + 1.5 * f64::from(lane % 6));
        for car in 0..10 {
            let index = (10 * lane + car) as usize;
            let half = 0.9 + 0.6 * spread(index, GOLDEN);
            let x = 5.0 * (f64::from(car) - 4.5) + 1.5 * spread(index, SILVER) - 3.0 * speed;
            let body = Item::kinematic(cuboid(half, 0.5, 0.5)).moving(speed, 0.0, 0.0);
            bodies.push(body.at(x, 0.6, 1.6 * (f64::from(lane) - 5.5) - 0.8 * side));
        }
    }
    // On the strip between the directions lie balls, of which some are run over.
    for index in 0..30 {
        let body = Item::dynamic(ball(0.3)).restitution(0.4).friction(0.4);
        bodies.push(body.at(1.6 * index as f64 - 24.0, 0.3, 2.4 * (spread(index, GOLDEN) - 0.5)));
    }
    let shows = "Twelve lanes of traffic keep their order from step to step, so sweep and prune swaps few neighbours on \
        its three sorted axes; balls lie in the way.";
    Draft::new("traffic", shows, &["B3"])
        .with("broad_phase", "sweep_and_prune")
        .steps(360, 60.0)
        .seen([0.0, 20.0, 24.0], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// Equal balls, evenly spread: cells of a grid have the same size as they.
pub(super) fn gas() -> Value {
    let mut bodies = room(5.0);
    for index in 0..1000 {
        let at = |count: usize| 0.98 * (count as f64 - 4.5);
        let velocity = 3.0 * on_sphere(index + 1);
        let body = Item::dynamic(ball(0.2)).restitution(1.0).friction(0.0).with("may_sleep", false);
        bodies.push(
            body.at(at(index % 10), at(index / 10 % 10), at(index / 100)).moving(velocity.x, velocity.y, velocity.z),
        );
    }
    let shows = "A gas of 1,000 equal balls fills a room evenly, as a uniform grid likes it.";
    Draft::new("gas", shows, &["B4", "R1"])
        .with("broad_phase", "uniform_grid")
        .weightless()
        .steps(480, 120.0)
        .with("bounce_threshold", 0.01)
        .seen([9.9, 7.7, 17.6], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// Balls from small to 32 times as large: each size has a grid of its own.
pub(super) fn sizes() -> Value {
    let mut bodies = vec![floor(0.6)];
    bodies.extend(rims(5.0, 5.0, 1.6));
    let mut bottom = 0.2;
    for (octave, count) in [(0, 3), (1, 9), (2, 36), (3, 100), (4, 196), (5, 256)] {
        let radius = 1.6 / f64::from(1 << octave);
        // A layer for each size, the largest at the bottom.
        let columns = f64::from(count).sqrt().ceil() as usize;
        let apart = 9.4 / columns as f64;
        for index in 0..count as usize {
            let at = |place: usize| apart * (place as f64 - 0.5 * (columns - 1) as f64);
            let aside = 0.2 * radius * (spread(index, GOLDEN) - 0.5);
            let body = Item::dynamic(ball(radius)).friction(0.5).with("rolling_friction", 0.02);
            bodies.push(body.at(at(index % columns) + aside, bottom + radius, at(index / columns) - aside));
        }
        bottom += 2.2 * radius + 0.2;
    }
    let shows = "Balls of six sizes, the largest 32 times the smallest: in the hierarchical grid each is at the level of \
        its size.";
    Draft::new("sizes", shows, &["B5"])
        .with("broad_phase", "hierarchical_grid")
        .steps(600, 60.0)
        .seen([10.0, 10.0, 18.0], [0.0, 2.0, 0.0])
        .bodies(bodies)
}

/// Sparks that fly apart without bounds: a hash has no edge.
pub(super) fn fireworks() -> Value {
    let mut bodies = vec![floor(0.5)];
    for shell in 0..6 {
        let middle =
            DVec3::new(9.0 * (shell % 3) as f64 - 9.0, 16.0 + 3.0 * (shell % 2) as f64, 8.0 * (shell / 3) as f64 - 4.0);
        for spark in 0..150 {
            let index = 150 * shell + spark;
            let out = on_sphere(index + 1);
            let place = middle + (0.9 + 0.8 * spread(index, SILVER)) * out;
            let velocity = 7.0 * out + DVec3::Y * 3.0;
            let body = Item::dynamic(ball(0.12)).restitution(0.5).with("linear_damping", 0.15);
            bodies.push(body.at(place.x, place.y, place.z).moving(velocity.x, velocity.y, velocity.z));
        }
    }
    let shows = "Six shells of sparks fly apart without bounds: a spatial hash needs no edge of the world.";
    Draft::new("fireworks", shows, &["B6"])
        .with("broad_phase", "spatial_hash")
        .steps(720, 120.0)
        .seen([10.0, 14.0, 42.0], [0.0, 9.0, 0.0])
        .bodies(bodies)
}

/// Clusters far from each other, with nothing between: cubes are divided only where there is something.
pub(super) fn clusters() -> Value {
    let mut bodies = Vec::new();
    for cluster in 0..7 {
        let middle = if cluster == 0 { DVec3::ZERO } else { 9.0 * on_sphere(cluster + 2) };
        for member in 0..48 {
            let index = 48 * cluster + member;
            let away = 2.2 * (0.2 + spread(index, PLASTIC)).cbrt() * on_sphere(index + 3);
            let place = middle + away;
            // They fall together: towards the middle of their cluster.
            let velocity = -0.9 * away;
            let body = Item::dynamic(stone(index, 0.3, 16)).turned(any_turn(index)).restitution(0.6);
            bodies.push(body.at(place.x, place.y, place.z).moving(velocity.x, velocity.y, velocity.z));
        }
    }
    let shows = "Seven swarms of rocks collapse and fly apart in empty space: an octree divides only the cubes that hold \
        something.";
    Draft::new("clusters", shows, &["B7"])
        .with("broad_phase", "octree")
        .weightless()
        .steps(480, 60.0)
        .seen([13.2, 9.9, 28.6], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// Trees that stand closer and closer: median planes follow the density.
pub(super) fn grove() -> Value {
    let mut bodies = vec![floor(0.6)];
    for index in 0..180 {
        // Dense in the middle, sparse at the border.
        let radius = 1.2 + 13.0 * ((index as f64 + 0.5) / 180.0).powf(1.2);
        let angle = std::f64::consts::TAU * spread(index, GOLDEN);
        let half = 1.0 + spread(index, SILVER);
        let trunk = Item::fixed(capsule(half, 0.18)).named("trunk");
        bodies.push(trunk.at(radius * angle.cos(), half, radius * angle.sin()));
    }
    for index in 0..200 {
        let radius = 13.0 * spread(index, PLASTIC);
        let angle = std::f64::consts::TAU * spread(index, SILVER);
        let body = Item::dynamic(any_solid(index, 0.22)).turned(any_turn(index)).restitution(0.3);
        bodies.push(body.at(radius * angle.cos(), 5.0 + 4.0 * spread(index, GOLDEN), radius * angle.sin()));
    }
    let shows = "Things fall into a grove that is dense in the middle: the median planes of a k-d tree follow the \
        density.";
    Draft::new("grove", shows, &["B8"])
        .with("broad_phase", "kd_tree")
        .steps(480, 60.0)
        .seen([11.5, 18.4, 30.0], [0.0, 0.6, 0.0])
        .bodies(bodies)
}

/// Blocks of houses and what falls into their streets: planes along the walls part the scene.
pub(super) fn city() -> Value {
    let mut bodies = vec![floor(0.6)];
    for index in 0..100 {
        let (column, row) = (index % 10, index / 10);
        let height = 0.6 + 2.4 * spread(index, GOLDEN).powi(2);
        let house = Item::fixed(cuboid(0.8, height, 0.8)).named("house");
        bodies.push(house.at(2.4 * (column as f64 - 4.5), height, 2.4 * (row as f64 - 4.5)));
    }
    for index in 0..220 {
        let body = Item::dynamic(any_solid(index, 0.25)).turned(any_turn(index)).restitution(0.3);
        bodies.push(body.at(
            23.0 * (spread(index, SILVER) - 0.5),
            7.0 + 4.0 * spread(index, PLASTIC),
            23.0 * (spread(index, GOLDEN) - 0.5),
        ));
    }
    let shows = "Hail on a city of blocks: a BSP tree takes its planes from the walls of the houses.";
    Draft::new("city", shows, &["B9"])
        .with("broad_phase", "bsp")
        .steps(480, 60.0)
        .seen([16.8, 20.4, 28.8], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// A stair of thousands of fixed steps, and few balls: a hierarchy that is built once.
pub(super) fn stairs() -> Value {
    let mut bodies = vec![floor(0.6).at(0.0, -29.3, 0.0)];
    let (steps, per_turn) = (240, 40.0);
    for step in 0..steps {
        let angle = std::f64::consts::TAU * f64::from(step) / per_turn;
        let y = -0.12 * f64::from(step);
        for ring in 0..4 {
            let radius = 3.2 + 0.6 * f64::from(ring);
            let tile = Item::fixed(cuboid(0.3, 0.2, 0.5)).named("step").friction(0.4);
            bodies.push(tile.at(radius * angle.cos(), y, radius * angle.sin()).turned(about_y(-angle)));
        }
        let rail = Item::fixed(cuboid(0.06, 0.4, 0.46)).named("rail").friction(0.1);
        bodies.push(rail.at(5.36 * angle.cos(), y + 0.4, 5.36 * angle.sin()).turned(about_y(-angle)));
    }
    bodies.push(
        Item::fixed(json!({ "cylinder": { "half_height": 18, "radius": 2.9 } })).named("core").at(0.0, -13.0, 0.0),
    );
    for index in 0..40 {
        let angle = 0.05 + 0.1 * (index % 8) as f64;
        let radius = 3.4 + 0.45 * (index / 8) as f64;
        let body = Item::dynamic(ball(0.19)).restitution(0.4).friction(0.4);
        // Down the stair, which is along the ring.
        let speed = 2.5;
        bodies.push(body.at(radius * angle.cos(), 1.0 + 0.02 * index as f64, radius * angle.sin()).moving(
            -speed * angle.sin(),
            0.0,
            speed * angle.cos(),
        ));
    }
    let shows = "Balls hop down a winding stair of 1,200 fixed pieces, over which a hierarchy of boxes is built once and \
        refitted.";
    Draft::new("stairs", shows, &["B10"])
        .with("broad_phase", "static_bvh")
        .steps(720, 60.0)
        .seen([14.0, 6.0, 26.0], [0.0, -6.0, 0.0])
        .bodies(bodies)
}
