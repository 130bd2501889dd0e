//! Settings that are changed while a world runs: what they do at once, what they refuse, and that snapshots keep them.

mod law_worlds;

use carom::prelude::*;
use carom::world::{Continuous, MOST_SUBSTEPS};
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, add_floor, run, unit_cube};

const NOT_FINITE: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

/// Takes steps until all that can sleep does.
fn settle(world: &mut World) -> Outcome {
    for _ in 0..1200 {
        world.step(DT)?;
        if world.bodies().all(|body| body.is_asleep() || body.kind() != BodyKind::Dynamic) {
            return Ok(());
        }
    }
    Err("something is awake after 20 s".into())
}

/// A box that rests on a floor and one that floats: both sleep, and both fall once there is a gravity that lets them.
#[test]
fn another_gravity_wakes_what_sleeps() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let resting = world.add(Body::dynamic().at([0.0, 0.4999, 0.0]).shape(unit_cube()?))?;
        let floating = world.add(Body::dynamic().at([5.0, 9.0, 0.0]).gravity_scale(0.0).shape(unit_cube()?))?;
        run(&mut world, 60)?;
        assert!(world.bodies().skip(1).all(|body| body.is_asleep()), "{solver:?}");
        world.set_gravity([0.0, -GRAVITY, 0.0])?;
        world.set_gravity(world.gravity())?;
        assert!(world.bodies().skip(1).all(|body| body.is_asleep()), "{solver:?}: woken by what is as it was");
        // Upwards, for a second.
        world.set_gravity([0.0, 2.0, 0.0])?;
        assert_eq!(world.gravity(), Vec3::new(0.0, 2.0, 0.0));
        run(&mut world, 60)?;
        let speed = world.body(resting)?.velocity().y;
        assert!((speed - 2.0).abs() < 1e-3, "{solver:?}: {speed} m/s");
        assert_eq!(world.body(floating)?.velocity(), Vec3::ZERO, "{solver:?}");
    }
    Ok(())
}

/// What may not sleep any more wakes; and what may again does so with what it touches, as from the start on.
#[test]
fn sleep_is_switched_off_and_on() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let boxes = [0.4999, 1.4997, 2.4995];
        let boxes = boxes.map(|y| Ok(Body::dynamic().at([0.0, y, 0.0]).shape(unit_cube()?)));
        let boxes: Result<Vec<Body>, ShapeError> = boxes.into_iter().collect();
        let ids: Result<Vec<BodyId>, BodyError> = boxes?.into_iter().map(|body| world.add(body)).collect();
        let ids = ids?;
        assert!(world.sleeping());
        settle(&mut world)?;
        world.set_sleeping(false);
        assert!(!world.sleeping() && !world.bodies().any(|body| body.is_asleep()), "{solver:?}");
        run(&mut world, 90)?;
        assert!(!world.bodies().any(|body| body.is_asleep()), "{solver:?}");
        world.set_sleeping(true);
        settle(&mut world)?;
        // They sleep as one.
        world.body_mut(ids[2])?.apply_impulse([1.0, 0.0, 0.0])?;
        world.step(DT)?;
        assert!(!world.bodies().any(|body| body.is_asleep()), "{solver:?}");
    }
    Ok(())
}

#[test]
fn thresholds_hold_from_the_next_step_on() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
        add_floor(&mut world, 0.0, 1.0)?;
        let ball = Body::dynamic().at([0.0, 1.0, 0.0]).velocity([0.0, -2.0, 0.0]);
        let ball = world.add(ball.shape(Shape::sphere(0.5)?).restitution(1.0))?;
        // Once it rebounds, and once it does not; each time it is or is not a hit.
        for (threshold, hit_speed, rebounds, hits) in [(1.0, 1.0, true, 1), (3.0, 3.0, false, 0), (0.1, 0.1, true, 1)] {
            world.set_bounce_threshold(threshold)?;
            world.set_hit_speed(hit_speed)?;
            assert_eq!([world.bounce_threshold(), world.hit_speed()], [threshold, hit_speed]);
            world.body_mut(ball)?.set_pose(Pose::at([0.0, 1.0, 0.0]))?;
            world.body_mut(ball)?.set_velocity([0.0, -2.0, 0.0])?;
            let mut told = 0;
            for _ in 0..30 {
                world.step(DT)?;
                told += world.events().hits().len();
            }
            let (speed, expected) = (world.body(ball)?.velocity().y, if rebounds { 2.0 } else { 0.0 });
            assert!((speed - expected).abs() < 0.02, "{solver:?}, from {threshold} m/s on: {speed} m/s");
            assert_eq!(told, hits, "{solver:?}, from {hit_speed} m/s on");
        }
    }
    Ok(())
}

#[test]
fn what_is_unsound_is_refused_and_changes_nothing() -> Outcome {
    let mut world = World::default();
    let before = world.hash();
    for value in NOT_FINITE {
        for axis in 0..3 {
            let mut gravity = Vec3::ONE;
            gravity[axis] = value;
            let error = world.set_gravity(gravity);
            assert_eq!(format!("{error:?}"), format!("{:?}", Err::<(), _>(WorldError::Gravity { gravity })));
        }
    }
    for speed in NOT_FINITE.into_iter().chain([-1e-30]) {
        let error = world.set_bounce_threshold(speed);
        assert_eq!(format!("{error:?}"), format!("{:?}", Err::<(), _>(WorldError::BounceThreshold { speed })));
        let error = world.set_hit_speed(speed);
        assert_eq!(format!("{error:?}"), format!("{:?}", Err::<(), _>(WorldError::HitSpeed { speed })));
    }
    let pieces = MOST_SUBSTEPS + 1;
    assert_eq!(world.set_continuous(Continuous::Substeps(pieces)), Err(WorldError::Pieces { pieces }));
    assert_eq!(world.continuous(), Continuous::Default);
    assert_eq!([world.bounce_threshold(), world.hit_speed()], [1.0; 2]);
    assert_eq!(world.hash(), before);
    Ok(())
}

#[test]
fn snapshots_keep_all_settings_and_the_hash_tells_those_that_steps_depend_on() -> Outcome {
    let mut world = World::default();
    let mut hashes = vec![world.hash()];
    let mut note = |world: &World| {
        assert!(!hashes.contains(&world.hash()));
        hashes.push(world.hash());
    };
    world.set_gravity([1.0, 2.0, 3.0])?;
    note(&world);
    world.set_sleeping(false);
    note(&world);
    world.set_bounce_threshold(0.25)?;
    note(&world);
    world.set_hit_speed(0.75)?;
    world.set_continuous(Continuous::Substeps(3))?;
    let mut other = World::default();
    other.restore(&world.snapshot());
    assert_eq!(other.hash(), world.hash());
    assert_eq!(other.gravity(), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(other.continuous(), Continuous::Substeps(3));
    assert_eq!([other.bounce_threshold(), other.hit_speed()], [0.25, 0.75]);
    assert!(!other.sleeping());
    Ok(())
}
