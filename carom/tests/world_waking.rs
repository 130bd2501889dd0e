//! What wakes sleepers, and what leaves them as they are.

mod law_worlds;

use carom::body::{BodyMut, BodyShape, Material, ShapeRef};
use carom::detector::Filter;
use carom::prelude::*;
use carom::world::WorldBuilder;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, run, unit_cube};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A body whose upper side is at height 0, and a cube that sleeps on it.
fn sleeper_on(ground: Body, builder: WorldBuilder) -> Result<(World, BodyId, BodyId), Box<dyn std::error::Error>> {
    let mut world = builder.build()?;
    let slab = Shape::cuboid(20.0, 0.5, 20.0)?;
    let ground = world.add(ground.at([0.0, -0.5, 0.0]).shape(slab).friction(0.5))?;
    let cube = world.add(Body::dynamic().at([0.0, 0.499, 0.0]).shape(unit_cube()?))?;
    run(&mut world, 120)?;
    assert!(world.body(cube)?.is_asleep());
    Ok((world, ground, cube))
}

/// A floor and ten cubes side by side, touching or not, all asleep.
fn sleepers(spacing: f64) -> Result<(World, BodyId, Vec<BodyId>), Box<dyn std::error::Error>> {
    let mut world = World::default();
    let floor = world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(50.0, 0.5, 50.0)?))?;
    let cubes = (0..10)
        .map(|index| {
            let body = Body::dynamic().at([spacing * f64::from(index), 0.5, 0.0]);
            Ok(world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?).friction(0.3))?)
        })
        .collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
    for _ in 0..180 {
        world.step(DT)?;
    }
    for id in &cubes {
        assert!(world.body(*id)?.is_asleep());
    }
    Ok((world, floor, cubes))
}

#[test]
fn a_hit_wakes_a_chain_of_ten_in_one_step() -> Outcome {
    let (mut world, _, cubes) = sleepers(1.0)?;
    world.add(Body::dynamic().at([-1.2, 0.5, 0.0]).velocity([15.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    world.step(DT)?;
    for id in &cubes {
        assert!(!world.body(*id)?.is_asleep());
    }
    Ok(())
}

#[test]
fn a_hit_wakes_none_that_it_does_not_reach() -> Outcome {
    let (mut world, _, cubes) = sleepers(3.0)?;
    world.add(Body::dynamic().at([0.0, 1.9, 0.0]).shape(Shape::sphere(0.5)?))?;
    for _ in 0..40 {
        world.step(DT)?;
    }
    assert!(!world.body(cubes[0])?.is_asleep());
    for id in &cubes[1..] {
        assert!(world.body(*id)?.is_asleep());
    }
    Ok(())
}

#[test]
fn removal_and_a_ground_that_moves_away_wake() -> Outcome {
    let (mut world, floor, cubes) = sleepers(3.0)?;
    world.remove(floor)?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    for id in &cubes {
        assert!(world.body(*id)?.position().y < -3.0);
    }
    let (mut world, floor, cubes) = sleepers(3.0)?;
    world.body_mut(floor)?.set_pose(Pose::at([0.0, -9.0, 0.0]))?;
    for _ in 0..30 {
        world.step(DT)?;
    }
    for id in &cubes {
        assert!(world.body(*id)?.position().y < 0.0);
    }
    Ok(())
}

#[test]
fn something_put_into_a_sleeper_wakes_it() -> Outcome {
    let (mut world, _, cubes) = sleepers(3.0)?;
    let post = world.add(Body::fixed().at([0.0, 20.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    world.step(DT)?;
    assert!(world.body(cubes[4])?.is_asleep());
    world.body_mut(post)?.set_pose(Pose::at([12.7, 0.5, 0.0]))?;
    world.step(DT)?;
    assert!(!world.body(cubes[4])?.is_asleep());
    assert!(world.body(cubes[3])?.is_asleep());
    Ok(())
}

#[test]
fn sleepers_stand_to_the_last_bit_and_are_not_collided() -> Outcome {
    let (mut world, _, cubes) = sleepers(1.0)?;
    let poses: Vec<Pose> = cubes.iter().map(|id| Ok(world.body(*id)?.pose())).collect::<Result<_, BodyError>>()?;
    let before = world.hash();
    for _ in 0..100 {
        world.step(DT)?;
        // A pair that is collided anew forgets what it pushed until the solver says it again.
        assert!(world.manifolds().flat_map(|manifold| manifold.contacts()).any(|contact| contact.impulse > 0.0));
        assert_eq!(world.events().persisting().count(), 0);
    }
    assert_eq!(world.hash(), before);
    for (id, pose) in cubes.iter().zip(poses) {
        assert_eq!(world.body(*id)?.pose(), pose);
    }
    Ok(())
}

/// What is done to a belt that stood.
type Switch = fn(&mut BodyMut<'_>) -> Result<(), BodyError>;

#[test]
fn a_belt_that_is_switched_on_carries_what_slept_on_it() -> Outcome {
    let switches: [Switch; 2] = [
        |belt| belt.set_material(Material { surface_velocity: Vec3::X, ..belt.as_ref().material() }),
        |belt| belt.set_shape_material(0, Material { surface_velocity: Vec3::X, ..belt.as_ref().material() }),
    ];
    for solver in SOLVERS {
        for belt in [Body::fixed(), Body::kinematic()] {
            for switch in switches {
                let (mut world, belt, cube) = sleeper_on(belt.clone(), World::builder().solver(solver))?;
                switch(&mut world.body_mut(belt)?)?;
                run(&mut world, 60)?;
                // It gains μ·g each second: after 0.2 s it is as fast as the belt.
                let speed = world.body(cube)?.velocity().x;
                assert!((speed - 1.0).abs() < 1e-3, "{solver:?}: {speed} m/s");
            }
        }
    }
    Ok(())
}

#[test]
fn a_slope_that_turns_to_ice_lets_go_of_what_slept_on_it() -> Outcome {
    let angle = 0.3f32;
    let turn = Quat::from_rotation_z(-angle);
    let normal = turn * Vec3::Y;
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        let slope = world.add(Body::fixed().shape(Shape::half_space(normal)?).friction(0.6))?;
        let cube = Body::dynamic().at((normal * 0.499).as_dvec3()).rotated(turn).shape(unit_cube()?);
        let cube = world.add(cube.friction(0.6))?;
        run(&mut world, 120)?;
        assert!(world.body(cube)?.is_asleep(), "{solver:?}");
        let material = Material { friction: 0.0, ..world.body(slope)?.material() };
        world.body_mut(slope)?.set_material(material)?;
        run(&mut world, 60)?;
        // g·sin α·t.
        let (speed, expected) = (world.body(cube)?.velocity().dot(turn * Vec3::X), GRAVITY * angle.sin());
        assert!((speed / expected - 1.0).abs() < 0.01, "{solver:?}: {speed} m/s instead of {expected}");
    }
    Ok(())
}

#[test]
fn a_surface_that_stays_as_it_was_and_one_that_nobody_touches_wake_none() -> Outcome {
    let (mut world, floor, cubes) = sleepers(3.0)?;
    let material = world.body(floor)?.material();
    world.body_mut(floor)?.set_material(material)?;
    let post = world.add(Body::fixed().at([1.5, 2.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    world.step(DT)?;
    world.body_mut(post)?.set_material(Material { friction: 0.9, ..material })?;
    world.step(DT)?;
    for id in &cubes {
        assert!(world.body(*id)?.is_asleep());
    }
    // One cube wakes what it touches, and none beyond.
    let (mut world, _, cubes) = sleepers(3.0)?;
    world.body_mut(cubes[3])?.set_material(Material { friction: 0.9, ..material })?;
    world.step(DT)?;
    for (index, id) in cubes.iter().enumerate() {
        assert_eq!(world.body(*id)?.is_asleep(), index != 3);
    }
    Ok(())
}

#[test]
fn a_platform_that_begins_to_move_takes_along_what_slept_on_it() -> Outcome {
    for solver in SOLVERS {
        for velocity in [Vec3::X * 0.5, Vec3::Y * 0.5, Vec3::NEG_Y * 0.5] {
            let (mut world, platform, cube) = sleeper_on(Body::kinematic(), World::builder().solver(solver))?;
            world.body_mut(platform)?.set_velocity(velocity)?;
            run(&mut world, 90)?;
            let found = world.body(cube)?.velocity();
            assert!((found - velocity).length() < 0.02, "{solver:?}: {found} on what moves by {velocity}");
        }
        let (mut world, platform, cube) = sleeper_on(Body::kinematic(), World::builder().solver(solver))?;
        world.body_mut(platform)?.set_angular_velocity([0.0, 0.5, 0.0])?;
        run(&mut world, 90)?;
        let spin = world.body(cube)?.angular_velocity();
        assert!((spin - Vec3::Y * 0.5).length() < 0.02, "{solver:?}: {spin}");
    }
    Ok(())
}

#[test]
fn ground_that_is_disabled_or_meets_others_lets_what_slept_on_it_fall() -> Outcome {
    let nobody = Filter { groups: 0, mask: 0 };
    for solver in SOLVERS {
        for kind in [BodyKind::Fixed, BodyKind::Kinematic] {
            for by_groups in [false, true] {
                let (mut world, ground, cube) = sleeper_on(Body::new(kind), World::builder().solver(solver))?;
                if by_groups {
                    world.body_mut(ground)?.set_shape_filter(0, nobody)?;
                } else {
                    world.body_mut(ground)?.set_enabled(false);
                }
                run(&mut world, 60)?;
                // g·t²/2, and what the lectures' solvers add to it in a step.
                let fallen = 0.5 - world.body(cube)?.position().y;
                assert!((fallen / f64::from(0.5 * GRAVITY) - 1.0).abs() < 0.02, "{solver:?}: {fallen} m");
            }
        }
    }
    Ok(())
}

/// A post that a cube sleeps in, as far as they do not meet, pushes it out once they do: however that comes about.
#[test]
fn what_comes_to_meet_a_sleeper_that_it_is_in_wakes_it() -> Outcome {
    let nobody = Filter { groups: 0, mask: 0 };
    for solver in SOLVERS {
        for kind in [BodyKind::Fixed, BodyKind::Kinematic] {
            for way in ["enabled", "groups", "filter", "added"] {
                let (mut world, _, cube) = sleeper_on(Body::fixed(), World::builder().solver(solver))?;
                let part = BodyShape::new(Shape::cuboid(0.5, 2.0, 0.5)?);
                let post = Body::new(kind).at([0.9, 2.0, 0.0]).user_data(1);
                let is_met = Arc::new(AtomicBool::new(way != "filter"));
                let asked = Arc::clone(&is_met);
                world.set_filter(move |a: ShapeRef<'_>, b: ShapeRef<'_>| {
                    asked.load(Ordering::Relaxed) || (a.body.user_data() | b.body.user_data()) != 1
                });
                let post = match way {
                    "enabled" => Some(world.add(post.part(part).disabled())?),
                    "groups" => Some(world.add(post.part(part.filter(nobody)))?),
                    "filter" => Some(world.add(post.part(part))?),
                    _ => {
                        world.add(post.part(part))?;
                        None
                    }
                };
                if let Some(post) = post {
                    world.step(DT)?;
                    assert!(world.body(cube)?.is_asleep(), "{solver:?}, {way}: they do not meet yet");
                    match way {
                        "enabled" => world.body_mut(post)?.set_enabled(true),
                        "groups" => world.body_mut(post)?.set_shape_filter(0, Filter::default())?,
                        _ => {
                            is_met.store(true, Ordering::Relaxed);
                            world.refilter(post)?;
                        }
                    }
                }
                run(&mut world, 60)?;
                let place = world.body(cube)?.position();
                // It was 0.1 m inside.
                assert!((place.x + 0.1).abs() < 0.02, "{solver:?}, {kind:?}, {way}: {place}");
            }
        }
    }
    Ok(())
}
