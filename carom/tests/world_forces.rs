//! Forces that act in every step, whatever a step is cut into; what no force moves; and forces that are none.

mod law_worlds;

use carom::prelude::*;
use carom::response::Solver;
use carom::world::{Continuous, WorldBuilder};
use law_worlds::{DT, Outcome, SOLVERS, add_floor, run, unit_cube};

const WAYS: [Continuous; 5] =
    [Continuous::Off, Continuous::Default, Continuous::Substeps(1), Continuous::Substeps(5), Continuous::Adaptive];

/// F/m·t, and for what is set and cleared half of it; turning as well. Balls fly by so that steps are cut at impacts.
#[test]
fn constant_forces_act_once_however_a_step_is_cut() -> Outcome {
    for solver in SOLVERS {
        for continuous in WAYS {
            let builder = World::builder().gravity([0.0; 3]).solver(solver).continuous(continuous);
            let mut world = builder.build()?;
            let ball = || -> Result<Body, ShapeError> { Ok(Body::dynamic().shape(Shape::sphere(0.5)?).mass(2.0)) };
            let driven = world.add(ball()?)?;
            let both = world.add(ball()?.at([0.0, 20.0, 0.0]))?;
            for z in 0..3 {
                let shot = |x: f64| Body::dynamic().at([x, -10.0, f64::from(z)]).velocity([-4.0 * x as f32, 0.0, 0.0]);
                world.add(shot(1.0 + f64::from(z)).shape(Shape::sphere(0.2)?).restitution(1.0))?;
                world.add(shot(-1.0 - f64::from(z)).shape(Shape::sphere(0.2)?).restitution(1.0))?;
            }
            let (force, torque) = (Vec3::new(6.0, -2.0, 1.0), Vec3::new(0.1, -0.3, 0.2));
            for id in [driven, both] {
                world.body_mut(id)?.set_constant_force(force)?;
                world.body_mut(id)?.set_constant_torque(torque)?;
            }
            for step in 0..60 {
                // What is applied in a step is added for this one.
                world.body_mut(both)?.apply_force(force)?;
                if step == 30 {
                    world.body_mut(both)?.set_constant_torque([0.0; 3])?;
                }
                world.step(DT)?;
            }
            let case = format!("{solver:?}, {continuous:?}");
            let inertia = 0.4 * 2.0 * 0.25;
            for (id, expected, spin) in [(driven, force / 2.0, torque / inertia), (both, force, 0.5 * torque / inertia)]
            {
                let body = world.body(id)?;
                let [off, off_spin] = [body.velocity() - expected, body.angular_velocity() - spin];
                assert!(off.length() < 1e-4 * expected.length(), "{case}: {} and not {expected}", body.velocity());
                assert!(off_spin.length() < 1e-4 * spin.length(), "{case}: {} and not {spin}", body.angular_velocity());
            }
        }
    }
    Ok(())
}

/// Nor does one that is disabled gather what acts meanwhile.
#[test]
fn what_no_force_moves_gathers_none() -> Outcome {
    for solver in SOLVERS {
        for continuous in WAYS {
            let build = |kind: BodyKind| -> Result<(World, BodyId), Box<dyn std::error::Error>> {
                let mut world = World::builder().solver(solver).continuous(continuous).build()?;
                add_floor(&mut world, 0.5, 0.0)?;
                let id = world.add(Body::new(kind).at([0.0, 3.0, 0.0]).shape(unit_cube()?))?;
                world.body_mut(id)?.set_enabled(kind != BodyKind::Dynamic);
                Ok((world, id))
            };
            for kind in [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic] {
                let case = format!("{solver:?}, {continuous:?}, {kind:?}");
                let (mut world, id) = build(kind)?;
                world.body_mut(id)?.set_constant_force([5.0, 1.0, 0.0])?;
                world.body_mut(id)?.set_constant_torque([0.0, 1.0, 0.0])?;
                assert_eq!(world.body(id)?.constant_force(), Vec3::new(5.0, 1.0, 0.0), "{case}");
                let place = world.body(id)?.pose();
                // For as long as it is counted for how long something has been still.
                run(&mut world, 70)?;
                let hash = world.hash();
                run(&mut world, 20)?;
                let motion = world.body(id)?.motion();
                assert_eq!([motion.force, motion.torque], [Vec3::ZERO; 2], "{case}");
                assert_eq!([motion.velocity, motion.angular_velocity], [Vec3::ZERO; 2], "{case}");
                assert_eq!(world.body(id)?.pose(), place, "{case}");
                assert_eq!(world.hash(), hash, "{case}: nothing happens, but the state is another");
            }
        }
    }
    Ok(())
}

#[test]
fn forces_that_are_none_keep_nothing_awake() -> Outcome {
    let build = |solver: Solver| -> Result<(World, BodyId), Box<dyn std::error::Error>> {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let id = world.add(Body::dynamic().at([0.0, 0.4999, 0.0]).shape(unit_cube()?).mass(2.0))?;
        Ok((world, id))
    };
    // Held against gravity by half, from the start on: it rests under what acts in every step.
    let half = [0.0, 9.81, 0.0];
    for solver in SOLVERS {
        let (mut world, id) = build(solver)?;
        let (mut twin, twin_id) = build(solver)?;
        twin.body_mut(twin_id)?.set_constant_force(half)?;
        for step in 0..120 {
            let mut body = world.body_mut(id)?;
            body.apply_force([0.0; 3])?;
            body.apply_force_at([0.0; 3], [1.0, 0.0, 0.0])?;
            body.apply_torque([-0.0; 3])?;
            body.apply_impulse([0.0; 3])?;
            body.apply_impulse_at([0.0; 3], [1.0, 0.0, 0.0])?;
            body.apply_angular_impulse([0.0; 3])?;
            body.set_constant_force(half)?;
            body.set_constant_torque([0.0; 3])?;
            assert_eq!(world.hash(), twin.hash(), "{solver:?}, step {step}");
            world.step(DT)?;
            twin.step(DT)?;
        }
        assert!(world.body(id)?.is_asleep(), "{solver:?}");
        // What is something wakes it.
        world.body_mut(id)?.set_constant_force([0.0; 3])?;
        assert!(!world.body(id)?.is_asleep(), "{solver:?}");
        run(&mut world, 60)?;
        assert!(world.body(id)?.is_asleep(), "{solver:?}");
        world.body_mut(id)?.apply_force([0.0, 1e-3, 0.0])?;
        assert!(!world.body(id)?.is_asleep(), "{solver:?}");
    }
    Ok(())
}

/// A force of a step that is cut acts in all of its pieces: half of F/m·t² to within what a piece moves.
#[test]
fn what_is_applied_for_a_step_acts_in_all_of_its_pieces() -> Outcome {
    let world = |builder: WorldBuilder| builder.gravity([0.0; 3]).build();
    for solver in SOLVERS {
        for continuous in WAYS {
            let mut world = world(World::builder().solver(solver).continuous(continuous))?;
            let id = world.add(Body::dynamic().shape(unit_cube()?).mass(4.0))?;
            world.body_mut(id)?.apply_force([8.0, 0.0, 0.0])?;
            run(&mut world, 2)?;
            let speed = world.body(id)?.velocity().x;
            assert!((speed - 2.0 * DT).abs() < 1e-6, "{solver:?}, {continuous:?}: {speed} m/s");
        }
    }
    Ok(())
}
