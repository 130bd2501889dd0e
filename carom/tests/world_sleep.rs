//! What sleeps and what does not, and that sleepers cost little.

mod law_worlds;
mod random;

use carom::body::{BodyShape, Material};
use carom::prelude::*;
use carom::response::Solver;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, run, unit_cube};
use random::{rotation, vector};

/// As fast as the belt after v / μg, so that of v·t it lacks v² / 2μg.
#[test]
fn slow_belts_do_not_stall() -> Outcome {
    for solver in SOLVERS {
        for belt_speed in [0.03f32, 0.005] {
            let mut world = World::builder().solver(solver).build()?;
            let belt = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(20.0, 0.5, 20.0)?);
            world.add(belt.surface_velocity([belt_speed, 0.0, 0.0]))?;
            // One alone, and one on another: with a solver that starts cold these creep, on a floor that stands as well.
            let mut cubes = Vec::new();
            for (y, z, slack) in [(0.499, 0.0, 0.0), (0.499, 5.0, 0.006), (1.498, 5.0, 0.006)] {
                cubes.push((world.add(Body::dynamic().at([0.0, y, z]).shape(unit_cube()?))?, slack));
            }
            run(&mut world, 300)?;
            let way = f64::from(belt_speed * 5.0 - belt_speed * belt_speed / (2.0 * 0.5 * GRAVITY));
            for (cube, slack) in cubes {
                let body = world.body(cube)?;
                let travelled = body.position().x;
                assert!(!body.is_asleep(), "{solver:?}, {belt_speed} m/s");
                let off = (travelled - way).abs();
                assert!(off < 0.01 * way + slack, "{solver:?}: {travelled} m instead of {way}");
            }
        }
    }
    Ok(())
}

/// A vehicle whose own surface runs drives itself, the other way.
#[test]
fn slow_treads_do_not_stall() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        let body = Body::dynamic().at([0.0, 0.499, 0.0]).shape(unit_cube()?).surface_velocity([-0.03, 0.0, 0.0]);
        let id = world.add(body)?;
        run(&mut world, 300)?;
        let way = world.body(id)?.position().x;
        assert!((way / 0.15 - 1.0).abs() < 0.01, "{solver:?}: {way} m");
    }
    Ok(())
}

#[test]
fn a_belt_keeps_awake_what_a_wall_holds_back_and_what_it_does_not_drive_sleeps() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        let belt = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(5.0, 0.5, 5.0)?);
        let belt = world.add(belt.surface_velocity([0.03, 0.0, 0.0]))?;
        let wall = world.add(Body::fixed().at([1.0, 0.5, 0.0]).shape(unit_cube()?).friction(0.0))?;
        let held = world.add(Body::dynamic().at([0.0, 0.499, 0.0]).shape(unit_cube()?))?;
        // One stands beside the belt and leans against its end, along which nothing runs; one a hair away from it.
        world.add(Body::fixed().at([10.0, -1.5, 0.0]).shape(Shape::cuboid(4.9, 0.5, 5.0)?))?;
        let beside = [[5.5, -2.0], [5.51, 2.0]].map(|[x, z]| -> Result<_, Box<dyn std::error::Error>> {
            Ok(world.add(Body::dynamic().at([x, -0.501, z]).shape(unit_cube()?))?)
        });
        run(&mut world, 300)?;
        assert!(!world.body(held)?.is_asleep(), "{solver:?}");
        assert!(world.body(held)?.velocity().length() < 5e-3, "{solver:?}: {}", world.body(held)?.velocity());
        for id in beside {
            assert!(world.body(id?)?.is_asleep(), "{solver:?}");
        }
        let start = world.body(held)?.position().x;
        world.remove(wall)?;
        run(&mut world, 120)?;
        let way = world.body(held)?.position().x - start;
        assert!((way / 0.06 - 1.0).abs() < 0.02, "{solver:?}: {way} m");
        world.body_mut(belt)?.set_material(Material::default())?;
        run(&mut world, 60)?;
        assert!(world.body(held)?.is_asleep(), "{solver:?}: the belt stands");
    }
    Ok(())
}

/// From rest a·t²/2; the lectures' solvers take the velocity at the end of each step, which adds a share of dt/t.
#[test]
fn small_forces_are_not_lost_to_sleep() -> Outcome {
    for solver in SOLVERS {
        for acceleration in [0.05f32, 0.001] {
            let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
            let [pushed, turned] = [0.0, 5.0].map(|y| -> Result<_, Box<dyn std::error::Error>> {
                Ok(world.add(Body::dynamic().at([0.0, y, 0.0]).shape(unit_cube()?).mass(2.0))?)
            });
            let (pushed, turned) = (pushed?, turned?);
            world.body_mut(pushed)?.set_constant_force([2.0 * acceleration, 0.0, 0.0])?;
            let inertia = world.body(turned)?.inertia().ok_or("dynamic")?.y_axis.y;
            world.body_mut(turned)?.set_constant_torque([0.0, inertia * acceleration, 0.0])?;
            run(&mut world, 240)?;
            let expected = f64::from(0.5 * acceleration * 16.0);
            let way = world.body(pushed)?.position().x;
            assert!((way / expected - 1.0).abs() < 0.01, "{solver:?}: {way} m instead of {expected}");
            let angle = f64::from(world.body(turned)?.rotation().to_scaled_axis().y);
            assert!((angle / expected - 1.0).abs() < 0.01, "{solver:?}: {angle} rad instead of {expected}");
        }
    }
    Ok(())
}

/// What is thrown up stands for a moment, at the worst just when it has been slow for long enough.
#[test]
fn bodies_fall_in_low_gravity_and_rest_on_the_ground() -> Outcome {
    let gravity = 0.02f32;
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0, -gravity, 0.0]).solver(solver).build()?;
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        let speeds = [0.0f32, 0.01, 0.02, 0.04];
        let fall = |index: usize, time: f32| f64::from((speeds[index] - 0.5 * gravity * time) * time);
        let mut thrown = Vec::new();
        for (index, speed) in speeds.into_iter().enumerate() {
            let body = Body::dynamic().at([3.0 * index as f64, 2.0, 0.0]).velocity([0.0, speed, 0.0]);
            thrown.push(world.add(body.shape(unit_cube()?))?);
        }
        // One begins a hair above the ground, one stands on it.
        let low = world.add(Body::dynamic().at([-3.0, 0.51, 0.0]).shape(unit_cube()?))?;
        let resting = world.add(Body::dynamic().at([-6.0, 0.4999, 0.0]).shape(unit_cube()?))?;
        run(&mut world, 240)?;
        for (index, id) in thrown.into_iter().enumerate() {
            let (way, expected) = (world.body(id)?.position().y - 2.0, fall(index, 4.0));
            let error = (way - expected).abs();
            assert!(error < 0.01 * 0.16, "{solver:?}: {way} m instead of {expected}");
        }
        for id in [low, resting] {
            let body = world.body(id)?;
            assert!(body.is_asleep(), "{solver:?}: {} at {}", body.velocity(), body.position());
            assert!((body.position().y - 0.5).abs() < 0.0055, "{solver:?}: {}", body.position());
        }
    }
    Ok(())
}

/// What touches nothing goes on as it is: it sleeps where it stands, and is not stopped by sleep.
#[test]
fn what_floats_sleeps_only_where_it_stands() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
        let body = |y: f64| -> Result<Body, ShapeError> { Ok(Body::dynamic().at([0.0, y, 0.0]).shape(unit_cube()?)) };
        let standing = world.add(body(0.0)?)?;
        let drifting = world.add(body(3.0)?.velocity([0.01, 0.0, 0.0]))?;
        let damped = world.add(body(6.0)?.velocity([0.01, 0.0, 0.0]).linear_damping(5.0))?;
        let left_out = world.add(body(9.0)?.velocity([0.01, 0.0, 0.0]).disabled())?;
        run(&mut world, 40)?;
        assert!(world.body(standing)?.is_asleep(), "{solver:?}");
        run(&mut world, 260)?;
        let way = world.body(drifting)?.position().x;
        assert!((way / 0.05 - 1.0).abs() < 1e-4, "{solver:?}: {way} m");
        // v/c altogether.
        let (damped, way) = (world.body(damped)?.is_asleep(), world.body(damped)?.position().x);
        assert!(damped && (way - 0.002).abs() < 2e-4, "{solver:?}: {damped}, {way} m");
        // It keeps its velocity, for when it takes part again.
        world.body_mut(left_out)?.set_enabled(true);
        run(&mut world, 60)?;
        let way = world.body(left_out)?.position().x;
        assert!((way / 0.01 - 1.0).abs() < 1e-4, "{solver:?}: {way} m");
    }
    Ok(())
}

/// What rolls or slides from rest on something is slow for more than the half second that others are given, and goes on.
#[test]
fn what_gathers_speed_on_the_ground_does_not_sleep() -> Outcome {
    for solver in SOLVERS {
        // A ball on a slope of a third of a degree: 5/7·g·sin α.
        let angle = 0.006f32;
        let turn = Quat::from_rotation_z(-angle);
        let normal = turn * Vec3::Y;
        let mut world = World::builder().solver(solver).build()?;
        world.add(Body::fixed().shape(Shape::half_space(normal)?))?;
        let ball = world.add(Body::dynamic().at((normal * 0.499).as_dvec3()).shape(Shape::sphere(0.5)?))?;
        run(&mut world, 240)?;
        let (speed, expected) = (world.body(ball)?.velocity().x, 4.0 * 5.0 / 7.0 * GRAVITY * angle.sin());
        assert!((speed / expected - 1.0).abs() < 0.02, "{solver:?}: {speed} m/s instead of {expected}");
        // One that is pushed over ice, and pushes another before it.
        let mut world = World::builder().solver(solver).build()?;
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?).friction(0.0))?;
        let cubes = [0.0, 1.0].map(|x| -> Result<_, Box<dyn std::error::Error>> {
            Ok(world.add(Body::dynamic().at([x, 0.499, 0.0]).shape(unit_cube()?).mass(3.0))?)
        });
        let [one, other] = cubes;
        let (one, other) = (one?, other?);
        world.body_mut(one)?.set_constant_force([6.0 * 0.04, 0.0, 0.0])?;
        run(&mut world, 240)?;
        for id in [one, other] {
            let speed = world.body(id)?.velocity().x;
            assert!((speed / 0.16 - 1.0).abs() < 0.02, "{solver:?}: {speed} m/s");
        }
    }
    Ok(())
}

/// What decides over sleep is part of snapshots: a world that goes back in the midst of it goes on as it did.
#[test]
fn what_will_sleep_and_what_will_not_goes_on_from_a_snapshot() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0, -0.5, 0.0]).solver(solver).build()?;
        let floor = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(20.0, 0.5, 20.0)?);
        world.add(floor.surface_velocity([0.02, 0.0, 0.0]))?;
        let ice =
            BodyShape::new(Shape::cuboid(2.0, 0.1, 2.0)?).material(Material { friction: 0.0, ..Material::default() });
        world.add(Body::fixed().at([0.0, 4.0, 0.0]).rotated(Quat::from_rotation_z(0.05)).part(ice))?;
        for (y, scale) in [(0.499, 1.0), (4.61, 1.0), (8.0, 0.0), (12.0, 0.02), (16.0, 1.0)] {
            world.add(Body::dynamic().at([0.0, y, 0.0]).gravity_scale(scale).shape(unit_cube()?))?;
        }
        for taken in [10, 25, 40] {
            run(&mut world, taken)?;
            let mut other = World::default();
            other.restore(&world.snapshot());
            for step in 0..80 {
                world.step(DT)?;
                other.step(DT)?;
                assert_eq!(world.hash(), other.hash(), "{solver:?}: {step} steps after {taken}");
            }
        }
        assert_eq!(world.bodies().filter(|body| body.is_asleep()).count(), 1, "{solver:?}: what floats");
    }
    Ok(())
}

/// Which dynamic bodies contacts connect, each set named by its first: found by walking from body to body.
fn flooded(world: &World) -> Vec<Option<u32>> {
    let moves: Vec<bool> = world.bodies().map(|body| body.kind() == BodyKind::Dynamic).collect();
    let mut neighbours = vec![Vec::new(); moves.len()];
    for manifold in world.manifolds() {
        let parts = [manifold.pair.a, manifold.pair.b];
        let is_sensor = |slot: u32| world.collider(slot).is_some_and(|collider| collider.is_sensor);
        let [a, b] = parts.map(|part| part.body as usize);
        if moves[a] && moves[b] && !parts.iter().any(|part| is_sensor(part.collider)) {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
    }
    let mut names = vec![None; moves.len()];
    for first in 0..moves.len() {
        let mut reached = if moves[first] && names[first].is_none() { vec![first] } else { Vec::new() };
        while let Some(body) = reached.pop() {
            if names[body].replace(first as u32).is_none() {
                reached.extend(&neighbours[body]);
            }
        }
    }
    names
}

/// Heaps of boxes, balls and capsules beside fixed blocks, on a floor, with a platform that sways and a sensor around all.
fn heaps(solver: Solver, seed: u64) -> Result<World, Box<dyn std::error::Error>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut world = World::builder().solver(solver).build()?;
    world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(30.0, 0.5, 30.0)?))?;
    let platform = Body::kinematic().at([0.0, 0.1, 6.0]).shape(Shape::cuboid(2.0, 0.1, 1.0)?);
    world.add(platform.velocity([0.3, 0.0, 0.0]))?;
    world.add(Body::fixed().part(BodyShape::new(Shape::cuboid(9.0, 9.0, 9.0)?).sensor()))?;
    for index in 0..48 {
        let heap = Vec3::new([-4.0, 0.0, 4.0, 0.0][index % 4], 0.0, [0.0, 0.0, 0.0, 6.0][index % 4]);
        let place = heap + vector(&mut random, 0.8) * Vec3::new(1.0, 0.2, 1.0) + Vec3::Y * (0.6 + 0.1 * index as f32);
        let shape = match index % 3 {
            0 => Shape::cuboid(0.3, 0.2, 0.25)?,
            1 => Shape::sphere(0.25)?,
            _ => Shape::capsule(0.2, 0.15)?,
        };
        let body = Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random)).rolling_friction(0.1);
        world.add(body.shape(shape))?;
        // A row of cubes side by side, over whose seams one slides.
        if index < 6 {
            world.add(Body::dynamic().at([f64::from(index as u32), 0.5, -6.0]).shape(unit_cube()?))?;
        } else if index == 6 {
            let slider = Body::dynamic().at([0.0, 1.25, -6.0]).velocity([5.0, 0.0, 0.0]);
            world.add(slider.shape(Shape::cuboid(0.25, 0.25, 0.25)?).friction(0.1))?;
        }
        if index % 8 == 3 {
            let block = Body::fixed().at((heap + vector(&mut random, 1.0)).as_dvec3());
            world.add(block.shape(Shape::cuboid(0.2, 0.5, 0.2)?))?;
        }
    }
    Ok(world)
}

#[test]
fn islands_are_what_contacts_connect_and_each_falls_asleep_at_once() -> Outcome {
    for solver in SOLVERS {
        for seed in 0..3 {
            let mut world = heaps(solver, seed)?;
            let (mut largest, mut fell_asleep, mut slept) = (0, 0, 0);
            for step in 0..600 {
                if step == 450 {
                    let ball = Body::dynamic().at([0.0, 3.0, 0.0]).velocity([0.0, -8.0, 0.0]);
                    world.add(ball.shape(Shape::sphere(0.4)?))?;
                }
                world.step(DT)?;
                let islands = world.islands();
                assert_eq!(islands, flooded(&world), "{solver:?}, seed {seed}, step {step}");
                let asleep: Vec<bool> = world.bodies().map(|body| body.is_asleep()).collect();
                for (body, island) in islands.iter().enumerate() {
                    let first = island.map_or(body, |first| first as usize);
                    assert_eq!(asleep[body], asleep[first], "{solver:?}, seed {seed}, step {step}: {body} and {first}");
                }
                let count = asleep.iter().filter(|is_asleep| **is_asleep).count();
                fell_asleep += count.saturating_sub(slept);
                slept = count;
                let size = |name: u32| islands.iter().filter(|island| **island == Some(name)).count();
                largest = largest.max((0..islands.len() as u32).map(size).max().unwrap_or(0));
            }
            println!("{solver:?}, seed {seed}: up to {largest} in an island, {fell_asleep} fell asleep");
            assert!(largest >= 4 && fell_asleep >= 12, "{solver:?}, seed {seed}: {largest} and {fell_asleep}");
        }
    }
    Ok(())
}

/// Ten balls that roll on ice and never rest; beside them as many cubes as are asked for, side by side and asleep.
fn rollers_beside(sleepers: i32) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::builder().threads(1).build()?;
    let floor = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(400.0, 0.5, 400.0)?);
    world.add(floor.friction(0.5))?;
    let side = f64::from(sleepers).sqrt().ceil() as i32;
    for index in 0..sleepers {
        let place = [f64::from(index % side), 0.5, f64::from(index / side) + 20.0];
        world.add(Body::dynamic().at(place).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    }
    for index in 0..10 {
        let ball = Body::dynamic().at([2.0 * f64::from(index), 0.5, 0.0]).velocity([0.0, 0.0, -0.2]);
        world.add(ball.shape(Shape::sphere(0.5)?))?;
    }
    for _ in 0..40 {
        world.step(DT)?;
    }
    assert_eq!(world.bodies().filter(|body| body.is_asleep()).count(), sleepers as usize);
    Ok(world)
}

#[test]
fn twenty_thousand_sleepers_cost_next_to_nothing() -> Outcome {
    let (mut alone, mut beside) = (rollers_beside(0)?, rollers_beside(20_000)?);
    assert!(beside.last_step().contacts > 200_000);
    // The least of many turns: whatever else the machine does only adds to it. Of each step all, and without the broad
    // phase, which looks at the pairs of all boxes.
    let mut least = [[f64::INFINITY; 2]; 2];
    for _ in 0..300 {
        for (world, [all, rest]) in [&mut alone, &mut beside].into_iter().zip(&mut least) {
            let start = std::time::Instant::now();
            let times = world.step(DT)?.times;
            *all = all.min(1e6 * start.elapsed().as_secs_f64());
            *rest = rest.min(1e6 * (times.narrow + times.response + times.impact).as_secs_f64());
        }
    }
    let [[alone, rest_alone], [beside, rest_beside]] = least;
    println!("a step of ten that roll: {alone:.1} µs alone, {beside:.1} µs beside 20,000 that sleep");
    println!("without the broad phase: {rest_alone:.1} µs alone, {rest_beside:.1} µs beside 20,000 that sleep");
    assert!(beside < 2.0 * alone + 300.0, "{alone} µs alone, {beside} µs beside sleepers");
    assert!(rest_beside < 2.0 * rest_alone + 50.0, "{rest_alone} µs alone, {rest_beside} µs beside sleepers");
    Ok(())
}
