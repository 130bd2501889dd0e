//! Surfaces: each shape its own, mixed with those that they meet, and belts that are turned and that spin.

mod law_worlds;

use carom::body::{BodyShape, Material, Mixing};
use carom::prelude::*;
use carom::response::Solver;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, add_floor, run};

/// A box that hardly tips.
fn slab() -> Result<Shape, ShapeError> {
    Shape::cuboid(0.3, 0.05, 0.3)
}

/// Strips of floor of one body side by side, each with its own surface.
fn strips(surfaces: &[Material]) -> Result<Body, ShapeError> {
    (0u8..).zip(surfaces).try_fold(Body::fixed(), |body, (index, surface)| {
        let strip = BodyShape::new(Shape::cuboid(50.0, 1.0, 1.0)?).material(*surface);
        Ok(body.part(strip.at(LocalPose::at([0.0, -1.0, 3.0 * f32::from(index)]))))
    })
}

/// How many pieces a step has that move what is touched at the speed that they end with.
fn pieces_of(solver: Solver) -> f32 {
    if let Solver::SoftStep { substeps } = solver { substeps as f32 } else { 1.0 }
}

/// v²/2μg on each strip, less half the way of a piece of a step, which is gone at the speed that it ends with.
#[test]
fn each_strip_of_a_floor_stops_what_slides_after_its_own_way() -> Outcome {
    let coefficients = [0.1f32, 0.3, 0.6, 0.9];
    let surface = |friction| Material { friction, friction_mixing: Some(Mixing::Min), ..Material::default() };
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        world.add(strips(&coefficients.map(surface))?)?;
        let speed = 3.0f32;
        let mut ids = Vec::new();
        for index in 0u8..4 {
            let body = Body::dynamic().at([0.0, 0.0499, 3.0 * f64::from(index)]).velocity([speed, 0.0, 0.0]);
            ids.push(world.add(body.shape(slab()?).friction(5.0))?);
        }
        run(&mut world, 240)?;
        for (id, friction) in ids.iter().zip(coefficients) {
            let way = world.body(*id)?.position().x as f32;
            let late = 0.5 * speed * DT / pieces_of(solver);
            let expected = speed * speed / (2.0 * friction * GRAVITY) - late;
            let off = (way / expected - 1.0).abs();
            assert!(off < 0.01, "{solver:?}, μ = {friction}: {way} m and not {expected}");
        }
    }
    Ok(())
}

/// e·v on each strip, whichever of the two has it.
#[test]
fn each_strip_of_a_floor_gives_back_its_own_share() -> Outcome {
    let coefficients = [0.0f32, 0.25, 0.5, 1.0];
    let surface = |restitution| Material { restitution, friction: 0.0, ..Material::default() };
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
        world.add(strips(&coefficients.map(surface))?)?;
        let (speed, own) = (4.0f32, 0.1f32);
        let mut ids = Vec::new();
        for index in 0u8..4 {
            let ball = Body::dynamic().at([0.0, 1.0, 3.0 * f64::from(index)]).velocity([0.0, -speed, 0.0]);
            ids.push(world.add(ball.shape(Shape::sphere(0.5)?).restitution(own))?);
        }
        run(&mut world, 60)?;
        for (id, restitution) in ids.iter().zip(coefficients) {
            let found = world.body(*id)?.velocity().y;
            let expected = restitution.max(own) * speed;
            assert!((found - expected).abs() < 0.01 * speed, "{solver:?}, e = {restitution}: {found} m/s");
        }
    }
    Ok(())
}

/// The surface runs in the frame of its body: turned, it carries to where that points.
#[test]
fn a_turned_belt_carries_along_its_own_axis() -> Outcome {
    let mut random = fastrand::Rng::with_seed(21);
    for solver in SOLVERS {
        for _ in 0..6 {
            let turn = Quat::from_rotation_y(std::f32::consts::TAU * random.f32());
            // One that lies on its back runs the other way, and one on its side across.
            let flip = [Quat::IDENTITY, Quat::from_rotation_x(std::f32::consts::PI)][random.usize(..2)];
            let rotation = turn * flip;
            let surface = Vec3::new(0.8, 0.0, 0.5);
            let mut world = World::builder().solver(solver).build()?;
            let belt = Body::fixed().at([0.0, -0.5, 0.0]).rotated(rotation).shape(Shape::cuboid(20.0, 0.5, 20.0)?);
            world.add(belt.surface_velocity(surface).friction(1.0))?;
            let id = world.add(Body::dynamic().at([0.0, 0.0499, 0.0]).shape(slab()?).friction(1.0))?;
            run(&mut world, 60)?;
            let (found, expected) = (world.body(id)?.velocity(), rotation * surface);
            let off = (found - expected).length() / expected.length();
            assert!(off < 0.01, "{solver:?}: {found} and not {expected}");
        }
    }
    Ok(())
}

/// Seen from a turntable whose surface runs, what lies on it goes straight on at the surface's speed, as soon as it does
/// not slip any more.
#[test]
fn a_spinning_belt_carries_in_its_own_frame() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        let surface = Vec3::new(0.4, 0.0, 0.0);
        let table = Body::kinematic().at([0.0, -0.5, 0.0]).angular_velocity([0.0, 0.7, 0.0]);
        let table = world.add(table.shape(Shape::cuboid(20.0, 0.5, 20.0)?).surface_velocity(surface).friction(1.0))?;
        let id = world.add(Body::dynamic().at([0.0, 0.0499, 0.0]).shape(slab()?).friction(1.0))?;
        run(&mut world, 30)?;
        let seen = |world: &World| -> Result<DVec3, BodyError> {
            Ok(world.body(table)?.pose().point_to_local(world.body(id)?.center_of_mass()).as_dvec3())
        };
        let before = seen(&world)?;
        run(&mut world, 120)?;
        let moved = (seen(&world)? - before) * DVec3::new(1.0, 0.0, 1.0);
        let off = moved.distance(surface.as_dvec3() * 2.0) / 0.8;
        assert!(off < 0.02, "{solver:?}: {moved} m in 2 s");
    }
    Ok(())
}

/// A tread on a belt: what the one runs ahead the other runs back.
#[test]
fn surfaces_that_meet_run_against_each_other() -> Outcome {
    for solver in SOLVERS {
        for (belt, tread) in [(1.0f32, 0.0f32), (0.0, 0.6), (0.6, 0.6), (0.5, -0.3)] {
            let mut world = World::builder().solver(solver).build()?;
            let ground = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(20.0, 0.5, 20.0)?);
            world.add(ground.surface_velocity([belt, 0.0, 0.0]).friction(1.0))?;
            let body = Body::dynamic().at([0.0, 0.0499, 0.0]).shape(slab()?).friction(1.0);
            let id = world.add(body.surface_velocity([tread, 0.0, 0.0]))?;
            run(&mut world, 60)?;
            let found = world.body(id)?.velocity().x;
            let expected = belt - tread;
            assert!((found - expected).abs() < 0.01, "{solver:?}, {belt} and {tread} m/s: {found} m/s");
        }
    }
    Ok(())
}

/// 7/5 of v²/2μg with the greater resistance of the two, whichever has it: a torque of μ·m·g·r slows m·v·(1 + 2/5).
#[test]
fn the_greater_resistance_to_rolling_counts() -> Outcome {
    let (speed, radius) = (1.5f32, 0.5f32);
    for solver in SOLVERS {
        for (floor, ball) in [(0.05f32, 0.0f32), (0.0, 0.05), (0.02, 0.05), (0.05, 0.05)] {
            let mut world = World::builder().solver(solver).sleeping(false).build()?;
            let ground = Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(100.0, 1.0, 100.0)?);
            world.add(ground.friction(1.0).rolling_friction(floor))?;
            let body = Body::dynamic().at([0.0, 0.4999, 0.0]).velocity([speed, 0.0, 0.0]);
            let body = body.angular_velocity([0.0, 0.0, -speed / radius]).shape(Shape::sphere(radius)?);
            let id = world.add(body.friction(1.0).rolling_friction(ball))?;
            run(&mut world, 400)?;
            let way = world.body(id)?.position().x as f32;
            let late = 0.5 * speed * DT / pieces_of(solver);
            let expected = 1.4 * speed * speed / (2.0 * 0.05 * GRAVITY) - late;
            assert!((way / expected - 1.0).abs() < 0.01, "{solver:?}, {floor} and {ball}: {way} m and not {expected}");
        }
    }
    Ok(())
}

/// Without resistance it rolls on.
#[test]
fn without_resistance_a_ball_rolls_on() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).sleeping(false).build()?;
        add_floor(&mut world, 1.0, 0.0)?;
        let body = Body::dynamic().at([0.0, 0.4999, 0.0]).velocity([1.5, 0.0, 0.0]).angular_velocity([0.0, 0.0, -3.0]);
        let id = world.add(body.shape(Shape::sphere(0.5)?).friction(1.0))?;
        run(&mut world, 240)?;
        let speed = world.body(id)?.velocity().x;
        assert!((speed / 1.5 - 1.0).abs() < 0.01, "{solver:?}: {speed} m/s");
    }
    Ok(())
}
