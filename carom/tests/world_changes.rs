//! What users change of bodies while a world runs: poses, damping, locks, sleep; each against its closed form.

mod law_worlds;

use carom::body::BodyShape;
use carom::prelude::*;
use carom::world::Continuous;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, add_floor, run, unit_cube};

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

/// The frame goes where it is told, and the centre of mass with it.
#[test]
fn a_teleport_keeps_a_shifted_centre_of_mass() -> Outcome {
    let mut random = fastrand::Rng::with_seed(3);
    let center = Vec3::new(0.3, -0.8, 0.5);
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
        let body = Body::dynamic().shape_at(LocalPose::at(center.to_array()), Shape::cuboid(0.2, 0.3, 0.4)?).mass(3.0);
        let id = world.add(body)?;
        for _ in 0..40 {
            let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * random.f64() - 1.0)));
            let pose = Pose::new(vector(50.0), Quat::from_scaled_axis(vector(1.7).as_vec3()));
            let velocity = vector(2.0).as_vec3();
            let mut body = world.body_mut(id)?;
            body.set_pose(pose)?;
            body.set_velocity(velocity)?;
            let body = world.body(id)?;
            let expected = pose.position + pose.rotation.as_dquat() * center.as_dvec3();
            assert!(body.center_of_mass().distance(expected) < 1e-6, "{solver:?}");
            assert!(body.position().distance(pose.position) < 1e-6, "{solver:?}");
            world.step(DT)?;
            // It flies on about its centre of mass, not about its frame's origin.
            let expected = expected + velocity.as_dvec3() * f64::from(DT);
            let off = world.body(id)?.center_of_mass().distance(expected);
            assert!(off < 1e-6, "{solver:?}: off by {off} m");
        }
    }
    Ok(())
}

/// A box that bore 40 times its weight is put beside, onto the same floor: what it pushed there is over.
#[test]
fn a_teleport_carries_no_old_impulses() -> Outcome {
    for solver in SOLVERS {
        for turn in [0.0f32, std::f32::consts::FRAC_PI_2] {
            let mut world = World::builder().solver(solver).build()?;
            add_floor(&mut world, 0.5, 0.0)?;
            let below = world.add(Body::dynamic().at([0.0, 0.4999, 0.0]).shape(unit_cube()?).mass(1.0))?;
            world.add(Body::dynamic().at([0.0, 1.4997, 0.0]).shape(unit_cube()?).mass(40.0))?;
            run(&mut world, 30)?;
            let height = world.body(below)?.position().y;
            let pose = Pose::new(DVec3::new(4.0, height, 1.0), Quat::from_rotation_y(turn));
            world.body_mut(below)?.set_pose(pose)?;
            world.body_mut(below)?.set_velocity([0.0; 3])?;
            world.body_mut(below)?.set_angular_velocity([0.0; 3])?;
            let mut highest = f64::MIN;
            for _ in 0..30 {
                world.step(DT)?;
                highest = highest.max(world.body(below)?.position().y);
            }
            assert!(highest < 0.5 + 1e-3, "{solver:?}, turned by {turn}: it jumps to {highest} m");
            // In the air nothing is left of it at all.
            world.body_mut(below)?.set_pose(Pose::at([4.0, 9.0, 1.0]))?;
            world.body_mut(below)?.set_velocity([0.0; 3])?;
            world.step(DT)?;
            let speed = world.body(below)?.velocity().y;
            assert!((speed + GRAVITY * DT).abs() < 1e-5, "{solver:?}: {speed} m/s");
        }
    }
    Ok(())
}

/// What lies between the two places stops nothing and is struck by nothing.
#[test]
fn a_teleport_is_not_swept() -> Outcome {
    for solver in SOLVERS {
        for continuous in [Continuous::Default, Continuous::Substeps(2), Continuous::Adaptive] {
            let builder = World::builder().gravity([0.0; 3]).solver(solver).continuous(continuous);
            let mut world = builder.build()?;
            let wall = world.add(Body::dynamic().shape(Shape::cuboid(0.01, 3.0, 3.0)?))?;
            let ball = world.add(Body::dynamic().at([-5.0, 0.0, 0.0]).shape(Shape::sphere(0.1)?))?;
            run(&mut world, 2)?;
            for x in [5.0, -3.0, 0.5, -0.5] {
                let place = DVec3::new(x, 0.1, 0.0);
                world.body_mut(ball)?.set_pose(Pose::at(place))?;
                world.step(DT)?;
                let case = format!("{solver:?}, {continuous:?}, to {x} m");
                assert_eq!(world.last_step().stops, [], "{case}");
                assert_eq!(world.body(ball)?.position(), place, "{case}");
                assert_eq!(world.body(wall)?.velocity(), Vec3::ZERO, "{case}");
            }
        }
    }
    Ok(())
}

/// e⁻ᶜᵗ, to within what the implicit step differs from it: by a factor of up to e to half of c²·dt·t.
#[test]
fn damping_that_is_set_lets_speeds_decay() -> Outcome {
    for solver in SOLVERS {
        for (linear, angular) in [(0.5f32, 0.0f32), (0.0, 1.5), (3.0, 0.2)] {
            let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
            let body = Body::dynamic().velocity([4.0, 0.0, -3.0]).angular_velocity([0.0, 2.0, 0.0]);
            let id = world.add(body.shape(Shape::sphere(0.5)?).linear_damping(9.0))?;
            world.body_mut(id)?.set_damping(linear, angular)?;
            assert_eq!(world.body(id)?.damping(), [linear, angular]);
            run(&mut world, 60)?;
            let body = world.body(id)?;
            let speeds = [body.velocity().length() / 5.0, body.angular_velocity().length() / 2.0];
            for (rate, share) in [linear, angular].into_iter().zip(speeds) {
                let off = (share / (-rate).exp() - 1.0).abs();
                let bar = (0.5 * rate * rate * DT).exp_m1() + 1e-5;
                assert!(off < bar, "{solver:?}, {rate}/s: {share} of the speed is left, off by {off}");
            }
            // As fast as that it flies as far as (1 - e⁻ᶜᵗ)/c says.
            let way = if linear > 0.0 { 5.0 * (1.0 - (-linear).exp()) / linear } else { 5.0 };
            let off = (body.position().length() as f32 / way - 1.0).abs();
            assert!(off < linear * DT + 1e-5, "{solver:?}: {} m and not {way}", body.position().length());
            // None at all.
            world.body_mut(id)?.set_damping(0.0, 0.0)?;
            let before = world.body(id)?.velocity();
            run(&mut world, 10)?;
            assert_eq!(world.body(id)?.velocity(), before, "{solver:?}");
        }
    }
    Ok(())
}

#[test]
fn axes_are_locked_and_freed_as_it_falls() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().gravity([1.0, -10.0, 0.0]).solver(solver).build()?;
        let body = Body::dynamic().velocity([0.0, 0.0, 2.0]).angular_velocity([1.0, 2.0, 3.0]);
        let id = world.add(body.shape(Shape::sphere(0.5)?))?;
        run(&mut world, 30)?;
        let mut body = world.body_mut(id)?;
        body.lock_translation([false, true, true]);
        body.lock_rotation([true, false, false]);
        let view = world.body(id)?;
        assert_eq!((view.locked_translation(), view.locked_rotation()), ([false, true, true], [true, false, false]));
        let (place, velocity) = (view.position(), view.velocity());
        assert_eq!((velocity.y, velocity.z), (0.0, 0.0), "{solver:?}");
        assert_eq!(view.angular_velocity(), Vec3::new(0.0, 2.0, 3.0), "{solver:?}");
        run(&mut world, 30)?;
        let view = world.body(id)?;
        assert_eq!((view.position().y, view.position().z), (place.y, place.z), "{solver:?}");
        assert!((view.velocity().x - 1.0).abs() < 1e-4, "{solver:?}: {}", view.velocity());
        assert_eq!(view.angular_velocity(), Vec3::new(0.0, 2.0, 3.0), "{solver:?}");
        let mut body = world.body_mut(id)?;
        body.lock_translation([false; 3]);
        body.lock_rotation([false; 3]);
        body.apply_angular_impulse([0.1, 0.0, 0.0])?;
        run(&mut world, 30)?;
        let view = world.body(id)?;
        assert!((view.velocity() - Vec3::new(1.5, -5.0, 0.0)).length() < 1e-3, "{solver:?}: {}", view.velocity());
        let inertia = view.inertia().ok_or("dynamic")?.x_axis.x;
        assert!((view.angular_velocity().x - 0.1 / inertia).abs() < 1e-5, "{solver:?}: {}", view.angular_velocity());
    }
    Ok(())
}

#[test]
fn a_body_wakes_when_it_is_told_to_with_all_that_it_slept_with() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let below = world.add(Body::dynamic().at([0.0, 0.4999, 0.0]).shape(unit_cube()?))?;
        let above = world.add(Body::dynamic().at([0.0, 1.4997, 0.0]).shape(unit_cube()?))?;
        let beside = world.add(Body::dynamic().at([5.0, 0.4999, 0.0]).shape(unit_cube()?))?;
        settle(&mut world)?;
        world.body_mut(above)?.wake();
        assert!(!world.body(above)?.is_asleep(), "{solver:?}");
        world.step(DT)?;
        let asleep = |world: &World, id: BodyId| world.body(id).map(|body| body.is_asleep());
        assert_eq!([asleep(&world, below)?, asleep(&world, beside)?], [false, true], "{solver:?}");
        // Nothing keeps them awake.
        settle(&mut world)?;
        // What may not sleep keeps all awake that it touches, until it may.
        world.body_mut(above)?.set_may_sleep(false);
        run(&mut world, 120)?;
        assert_eq!([asleep(&world, below)?, asleep(&world, above)?], [false; 2], "{solver:?}");
        world.body_mut(above)?.set_may_sleep(true);
        settle(&mut world)?;
    }
    Ok(())
}

/// A sensor that is carried over sleepers tells of them and lets them sleep.
#[test]
fn a_moving_sensor_wakes_nothing() -> Outcome {
    for solver in SOLVERS {
        for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
            let mut world = World::builder().solver(solver).build()?;
            add_floor(&mut world, 0.5, 0.0)?;
            let sleeper = world.add(Body::dynamic().at([0.0, 0.4999, 0.0]).shape(unit_cube()?))?;
            run(&mut world, 60)?;
            assert!(world.body(sleeper)?.is_asleep(), "{solver:?}");
            let properties = MassProperties::of_shape(&unit_cube()?, 1.0)?;
            let body = Body::new(kind).at([-4.0, 1.0, 0.0]).velocity([4.0, 0.0, 0.0]).gravity_scale(0.0);
            let eye = BodyShape::new(Shape::sphere(0.8)?).sensor();
            let eye = world.add(body.mass_properties(properties).part(eye))?;
            let (mut entered, mut left) = (Vec::new(), Vec::new());
            for step in 0..120 {
                world.step(DT)?;
                assert!(world.body(sleeper)?.is_asleep(), "{solver:?}, {kind:?}, step {step}");
                entered.extend_from_slice(world.events().entered());
                left.extend_from_slice(world.events().left());
            }
            let floor = world.bodies().next().ok_or("no floor")?.id();
            for told in [entered, left] {
                let others: Vec<_> = told.iter().map(|event| [event.sensor.body, event.other.body]).collect();
                let of_sleeper = others.iter().filter(|pair| **pair == [eye, sleeper]).count();
                assert_eq!(of_sleeper, 1, "{solver:?}, {kind:?}: {others:?}");
                assert!(others.iter().all(|[sensor, other]| *sensor == eye && [floor, sleeper].contains(other)));
            }
        }
    }
    Ok(())
}
