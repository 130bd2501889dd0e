//! Bodies that become something else: dynamic, kinematic or fixed; kinematic ones that are brought somewhere; and bodies that
//! the user puts to sleep.

mod law_worlds;

use carom::body::BodyShape;
use carom::prelude::*;
use carom::world::Continuous;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, add_floor, run, unit_cube};

const KINDS: [BodyKind; 3] = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];

/// A hammer, whose centre of mass is not its origin; with a sensor that weighs nothing.
fn hammer(kind: BodyKind) -> Result<Body, ShapeError> {
    let head = BodyShape::new(Shape::cuboid(0.3, 0.2, 0.2)?).at(LocalPose::at([0.0, 0.8, 0.0]));
    let eye = BodyShape::new(Shape::sphere(2.0)?).sensor();
    let body = Body::new(kind).at([3.0, 4.0, 5.0]).rotated(Quat::from_rotation_x(0.4)).density(700.0);
    Ok(body.velocity([1.0, 0.5, -0.2]).angular_velocity([0.3, -0.1, 0.8]).part(head).part(eye))
}

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

/// Whatever it was before, it goes on as one that was added so: without forces it moves alike, and weighs the same.
#[test]
fn what_becomes_another_kind_is_as_if_it_had_been_added_so() -> Outcome {
    for solver in SOLVERS {
        for before in KINDS {
            for after in KINDS {
                let case = format!("{solver:?}, from {before:?} to {after:?}");
                let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
                let id = world.add(hammer(before)?)?;
                let start = world.body(id)?.pose();
                world.body_mut(id)?.set_kind(after)?;
                assert_eq!(world.body(id)?.kind(), after, "{case}");
                let moved = world.body(id)?.position().distance(start.position);
                assert!(moved < 1e-6, "{case}: its frame is elsewhere by {moved} m");
                let mut twin = World::builder().gravity([0.0; 3]).solver(solver).build()?;
                let twin_id = twin.add(hammer(after)?)?;
                // What is as it was is the twin to the last bit; the others have rounded on their way.
                for _ in 0..30 {
                    world.step(DT)?;
                    twin.step(DT)?;
                }
                let (body, other) = (world.body(id)?, twin.body(twin_id)?);
                assert_eq!(body.mass(), other.mass(), "{case}");
                assert_eq!(body.mass_properties(), other.mass_properties(), "{case}");
                if before == after {
                    assert_eq!(world.hash(), twin.hash(), "{case}");
                }
            }
        }
    }
    Ok(())
}

/// The points of a body keep their velocities, whichever of them is called the body's: that of a kinematic body is its
/// frame's origin, that of a dynamic one its centre of mass.
#[test]
fn its_points_go_on_as_fast_as_they_were() -> Outcome {
    let speed_at = |world: &World, id: BodyId, point: DVec3| -> Result<Vec3, BodyError> {
        let motion = world.body(id)?.motion();
        Ok(motion.velocity_at((point - motion.center).as_vec3()))
    };
    let point = DVec3::new(1.0, -2.0, 7.0);
    for [before, after] in [[BodyKind::Kinematic, BodyKind::Dynamic], [BodyKind::Dynamic, BodyKind::Kinematic]] {
        let mut world = World::builder().gravity([0.0; 3]).build()?;
        let id = world.add(hammer(before)?)?;
        let expected = speed_at(&world, id, point)?;
        world.body_mut(id)?.set_kind(after)?;
        let found = speed_at(&world, id, point)?;
        assert!((found - expected).length() < 1e-5, "{found} and not {expected}");
        world.body_mut(id)?.set_kind(BodyKind::Fixed)?;
        assert_eq!(speed_at(&world, id, point)?, Vec3::ZERO);
        world.body_mut(id)?.set_kind(BodyKind::Dynamic)?;
        assert_eq!(speed_at(&world, id, point)?, Vec3::ZERO);
    }
    Ok(())
}

/// The middle one of three boxes is held, let go, moved along and let go again: the others follow as they must.
#[test]
fn what_lies_on_it_and_below_it_follows() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let mut add = |y: f64| -> Result<BodyId, Box<dyn std::error::Error>> {
            Ok(world.add(Body::dynamic().at([0.0, y, 0.0]).shape(unit_cube()?).mass(2.0))?)
        };
        let [low, middle, top] = [add(0.4999)?, add(1.4997)?, add(2.4995)?];
        settle(&mut world)?;
        world.body_mut(middle)?.set_kind(BodyKind::Fixed)?;
        world.remove(low)?;
        settle(&mut world)?;
        let heights = [world.body(middle)?.position().y, world.body(top)?.position().y];
        assert!((heights[0] - 1.4997).abs() < 0.01 && (heights[1] - 2.4995).abs() < 0.01, "{solver:?}: {heights:?}");
        world.body_mut(middle)?.set_kind(BodyKind::Kinematic)?;
        world.body_mut(middle)?.set_velocity([0.0, 1.0, 0.0])?;
        run(&mut world, 60)?;
        let heights = [world.body(middle)?.position().y, world.body(top)?.position().y];
        assert!((heights[0] - 2.4997).abs() < 0.01 && (heights[1] - 3.4995).abs() < 0.02, "{solver:?}: {heights:?}");
        world.body_mut(middle)?.set_kind(BodyKind::Dynamic)?;
        assert_eq!(world.body(middle)?.mass(), Some(2.0));
        run(&mut world, 180)?;
        let heights = [world.body(middle)?.position().y, world.body(top)?.position().y];
        assert!((heights[0] - 0.5).abs() < 0.02 && (heights[1] - 1.5).abs() < 0.03, "{solver:?}: {heights:?}");
    }
    Ok(())
}

/// m·v of a body of a mass that was set before it was fixed, and falls afterwards.
#[test]
fn a_mass_that_was_set_is_kept_while_it_is_fixed() -> Outcome {
    let mut world = World::default();
    let id = world.add(hammer(BodyKind::Dynamic)?)?;
    world.body_mut(id)?.set_mass(11.0)?;
    let properties = world.body(id)?.mass_properties();
    world.body_mut(id)?.set_kind(BodyKind::Fixed)?;
    assert_eq!([world.body(id)?.mass(), world.body(id)?.inertia().map(|_| 0.0)], [None; 2]);
    assert_eq!(world.body(id)?.mass_properties(), None);
    world.body_mut(id)?.set_kind(BodyKind::Dynamic)?;
    assert_eq!(world.body(id)?.mass_properties(), properties);
    run(&mut world, 30)?;
    let momentum = world.momentum().linear.y;
    assert!((momentum + f64::from(11.0 * GRAVITY * 0.5)).abs() < 1e-2, "{momentum} Ns");
    Ok(())
}

#[test]
fn what_cannot_be_dynamic_stays_as_it_is() -> Outcome {
    let mut world = World::default();
    let ground = world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    let empty = world.add(Body::kinematic().velocity([1.0, 0.0, 0.0]))?;
    let wire = world.add(Body::fixed().shape(Shape::segment(Vec3::ZERO, Vec3::X)?))?;
    run(&mut world, 1)?;
    let before = world.hash();
    let refused = world.body_mut(ground)?.set_kind(BodyKind::Dynamic);
    assert_eq!(refused, Err(BodyError::Unbounded { index: 0 }));
    assert_eq!(world.body_mut(empty)?.set_kind(BodyKind::Dynamic), Err(BodyError::NoMass));
    assert!(matches!(world.body_mut(wire)?.set_kind(BodyKind::Dynamic), Err(BodyError::Mass { index: 0, .. })));
    assert_eq!(world.hash(), before);
    world.body_mut(ground)?.set_kind(BodyKind::Kinematic)?;
    assert_eq!(world.body(ground)?.kind(), BodyKind::Kinematic);
    Ok(())
}

/// Random changes of kind in a heap, and a copy that is restored before each step: both go on alike.
#[test]
fn changes_of_kind_go_on_from_a_snapshot() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let mut random = fastrand::Rng::with_seed(8);
        let mut ids = Vec::new();
        for _ in 0..40 {
            let place = DVec3::new(2.0 * random.f64(), 0.5 + 4.0 * random.f64(), 2.0 * random.f64());
            ids.push(world.add(Body::dynamic().at(place).shape(Shape::cuboid(0.3, 0.2, 0.25)?))?);
        }
        let mut other = World::default();
        for step in 0..150 {
            let id = ids[random.usize(..ids.len())];
            match random.u32(..6) {
                0 => world.body_mut(id)?.set_kind(KINDS[random.usize(..3)])?,
                1 => world.body_mut(id)?.set_kind(BodyKind::Dynamic)?,
                2 => world.body_mut(id)?.sleep(),
                _ => {}
            }
            other.restore(&world.snapshot());
            world.step(DT)?;
            other.step(DT)?;
            assert_eq!(world.hash(), other.hash(), "{solver:?}, step {step}");
            let islands = world.islands();
            for (index, body) in world.bodies().enumerate() {
                assert_eq!(islands[index].is_some(), body.kind() == BodyKind::Dynamic, "{solver:?}, step {step}");
            }
        }
        assert!(world.bodies().all(|body| body.motion().is_finite()), "{solver:?}");
    }
    Ok(())
}

#[test]
fn a_kinematic_body_comes_to_where_it_is_told_to() -> Outcome {
    let mut random = fastrand::Rng::with_seed(12);
    for solver in SOLVERS {
        for continuous in [Continuous::Default, Continuous::Substeps(3), Continuous::Adaptive] {
            let mut world = World::builder().solver(solver).continuous(continuous).build()?;
            let id = world.add(hammer(BodyKind::Kinematic)?)?;
            for case in 0..30 {
                let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * random.f64() - 1.0)));
                let (place, turn) = (vector(3.0), Quat::from_scaled_axis(vector(1.8).as_vec3()));
                // Either of the two quaternions of a rotation.
                let pose = Pose::new(place, if case % 2 == 0 { turn } else { -turn });
                let dt = DT * (1.0 + 0.5 * random.f32());
                world.body_mut(id)?.move_to(pose, dt)?;
                world.step(dt)?;
                let found = world.body(id)?.pose();
                let off = found.position.distance(pose.position);
                let turned = (found.rotation.as_dquat() * pose.rotation.as_dquat().conjugate()).xyz().length();
                assert!(off < 2e-6 && turned < 2e-6, "{solver:?}, {continuous:?}: off by {off} m and {turned}");
            }
            // There already: it stands.
            let pose = world.body(id)?.pose();
            world.body_mut(id)?.move_to(pose, DT)?;
            assert!(world.body(id)?.velocity().length() < 1e-6 && world.body(id)?.angular_velocity().length() < 1e-4);
        }
    }
    Ok(())
}

#[test]
fn a_target_that_is_none_is_refused() -> Outcome {
    let mut world = World::default();
    let id = world.add(hammer(BodyKind::Kinematic)?)?;
    let before = world.hash();
    let pose = Pose::at([1.0, 2.0, 3.0]);
    for dt in [0.0, -DT, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE] {
        assert!(matches!(world.body_mut(id)?.move_to(pose, dt), Err(BodyError::OutOfRange { .. })), "{dt}");
    }
    let nowhere = Pose::at([f64::NAN, 0.0, 0.0]);
    assert!(matches!(world.body_mut(id)?.move_to(nowhere, DT), Err(BodyError::Pose { .. })));
    // A place, but one that no finite velocity leads to.
    let far = Pose::at([1e300, 0.0, 0.0]);
    assert!(matches!(world.body_mut(id)?.move_to(far, DT), Err(BodyError::NotFinite { .. })));
    assert_eq!(world.hash(), before);
    for kind in [BodyKind::Fixed, BodyKind::Dynamic] {
        let other = world.add(hammer(kind)?)?;
        assert_eq!(world.body_mut(other)?.move_to(pose, DT), Err(BodyError::NotKinematic { id: other }));
    }
    Ok(())
}

/// A stack that is put to sleep before the first step costs nothing from then on; and wakes as one.
#[test]
fn what_is_put_to_sleep_does_not_move_until_something_wakes_it() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let mut boxes = Vec::new();
        // With gaps, so that they would move.
        for level in 0..4 {
            let body = Body::dynamic().at([0.0, 0.52 + 1.02 * f64::from(level), 0.0]).velocity([0.1, 0.0, 0.0]);
            boxes.push(world.add(body.shape(unit_cube()?))?);
        }
        boxes.iter().try_for_each(|id| world.body_mut(*id).map(|mut body| body.sleep()))?;
        let places: Vec<Pose> = world.bodies().map(|body| body.pose()).collect();
        for step in 0..30 {
            world.step(DT)?;
            assert!(world.bodies().skip(1).all(|body| body.is_asleep()), "{solver:?}, step {step}");
        }
        assert!(world.bodies().map(|body| body.pose()).eq(places), "{solver:?}");
        let ball = Body::dynamic().at([0.0, 8.0, 0.0]).velocity([0.0, -9.0, 0.0]).shape(Shape::sphere(0.5)?);
        world.add(ball)?;
        let mut has_woken = false;
        for _ in 0..60 {
            world.step(DT)?;
            has_woken |= !world.body(boxes[3])?.is_asleep();
        }
        assert!(has_woken, "{solver:?}: it was struck");
    }
    Ok(())
}

/// One of a heap is put to sleep while they tumble: all that touch it stop, but for one that may not sleep, which wakes it.
#[test]
fn what_contacts_connect_falls_asleep_with_it() -> Outcome {
    for solver in SOLVERS {
        for may_sleep in [true, false] {
            let mut world = World::builder().solver(solver).build()?;
            add_floor(&mut world, 0.5, 0.0)?;
            let stack = |x: f64, y: f64| -> Result<Body, ShapeError> {
                Ok(Body::dynamic().at([x, y, 0.0]).shape(unit_cube()?))
            };
            let boxes = [world.add(stack(0.0, 0.4999)?)?, world.add(stack(0.0, 1.4997)?)?];
            let top = world.add(stack(0.0, 2.4995)?.may_sleep(may_sleep))?;
            let beside = world.add(stack(3.0, 0.4999)?)?;
            run(&mut world, 5)?;
            world.body_mut(boxes[0])?.sleep();
            assert!(world.body(boxes[0])?.is_asleep() && !world.body(top)?.is_asleep(), "{solver:?}");
            world.step(DT)?;
            let asleep = |world: &World, id: BodyId| world.body(id).map(|body| body.is_asleep());
            for id in [boxes[0], boxes[1], top] {
                assert_eq!(asleep(&world, id)?, may_sleep, "{solver:?}");
            }
            assert!(!asleep(&world, beside)?, "{solver:?}: it touches none of them");
            // And as one they wake.
            world.body_mut(top)?.wake();
            world.step(DT)?;
            assert!(!asleep(&world, boxes[0])?, "{solver:?}");
        }
    }
    Ok(())
}

#[test]
fn what_may_not_sleep_is_not_put_to_sleep_and_loss_of_ground_wakes() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        let ground = world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(3.0, 0.5, 3.0)?))?;
        let restless = world.add(Body::dynamic().at([0.0, 5.0, 0.0]).may_sleep(false).shape(unit_cube()?))?;
        let lift = world.add(Body::kinematic().at([9.0, 0.0, 0.0]).velocity([0.0, 1.0, 0.0]).shape(unit_cube()?))?;
        let stone = world.add(Body::dynamic().at([2.0, 0.4999, 0.0]).shape(unit_cube()?))?;
        for id in [ground, restless, lift] {
            world.body_mut(id)?.sleep();
            assert!(!world.body(id)?.is_asleep(), "{solver:?}");
        }
        run(&mut world, 3)?;
        assert!(world.body(restless)?.velocity().y < 0.0 && world.body(lift)?.position().y > 0.0, "{solver:?}");
        world.body_mut(stone)?.sleep();
        world.remove(ground)?;
        run(&mut world, 30)?;
        assert!(world.body(stone)?.position().y < 0.0, "{solver:?}: it hangs");
    }
    Ok(())
}
