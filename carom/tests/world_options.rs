//! Options of bodies and shapes, each against its closed form.

use carom::body::{BodyShape, Material, Mixing};
use carom::detector::Filter;
use carom::prelude::*;
use carom::response::Solver;
use carom::world::{StepError, WorldError};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;

fn weightless(solver: Solver) -> Result<World, WorldError> {
    World::builder().gravity([0.0; 3]).solver(solver).build()
}

fn solvers() -> [Solver; 2] {
    [Solver::default(), Solver::ProjectedGaussSeidel { iterations: 16, warm: true }]
}

fn unit_cube() -> Result<Shape, ShapeError> {
    Shape::cuboid(0.5, 0.5, 0.5)
}

#[test]
fn a_body_locked_along_x_moves_along_z_as_a_free_one() -> Outcome {
    for solver in solvers() {
        let mut world = weightless(solver)?;
        let free = world.add(Body::dynamic().shape(unit_cube()?).mass(2.0))?;
        let body = Body::dynamic().at([0.0, 5.0, 0.0]).velocity([3.0, 0.0, 0.0]);
        let locked = world.add(body.shape(unit_cube()?).mass(2.0).lock_translation([true, false, false]))?;
        for _ in 0..60 {
            for id in [free, locked] {
                world.body_mut(id)?.apply_force([4.0, 0.0, 6.0])?;
            }
            world.step(DT)?;
        }
        let (free, locked) = (world.body(free)?, world.body(locked)?);
        assert_eq!(locked.position().x, 0.0);
        assert_eq!(locked.velocity().x, 0.0);
        assert_eq!(locked.position().z, free.position().z);
        assert!((locked.velocity().z - 3.0).abs() < 1e-4, "{}", locked.velocity());
        assert!(free.position().x > 0.9);
    }
    Ok(())
}

#[test]
fn a_push_by_contact_does_not_move_along_a_locked_axis() -> Outcome {
    let mut world = weightless(Solver::default())?;
    let body = Body::dynamic().shape(unit_cube()?).lock_translation([true, false, false]).lock_rotation([true; 3]);
    let held = world.add(body.friction(0.0))?;
    let ball = Body::dynamic().at([-2.0, 0.2, 0.0]).velocity([5.0, 0.0, 0.0]).shape(Shape::sphere(0.4)?);
    let ball = world.add(ball.friction(0.0))?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    assert_eq!(world.body(held)?.position().x, 0.0);
    // Nothing gives way, so nothing but the ball has changed: it stands.
    assert!(world.body(ball)?.velocity().x.abs() < 0.05, "{}", world.body(ball)?.velocity());
    assert!(world.body(ball)?.position().x < -0.85);
    Ok(())
}

#[test]
fn only_the_free_axis_turns_and_by_torque_over_inertia() -> Outcome {
    for solver in solvers() {
        let mut world = weightless(solver)?;
        // Askew, so that the free axis is no principal one.
        let turn = Quat::from_rotation_x(0.5) * Quat::from_rotation_z(0.7);
        let body = Body::dynamic().rotated(turn).shape(Shape::cuboid(1.0, 0.25, 0.5)?).mass(3.0);
        let id = world.add(body.lock_rotation([true, false, true]))?;
        let inertia = world.body(id)?.inertia().ok_or("dynamic")?.y_axis.y;
        for _ in 0..30 {
            world.body_mut(id)?.apply_torque([5.0, 0.4, -3.0])?;
            world.step(DT)?;
        }
        let spin = world.body(id)?.angular_velocity();
        // The moment about the axis does not change while the body turns around it.
        let expected = 0.4 / inertia * 0.5;
        assert_eq!([spin.x, spin.z], [0.0; 2]);
        assert!((spin.y - expected).abs() < 1e-4 * expected, "{} and not {expected}", spin.y);
        // Around y nothing moves up or down.
        let (before, after) = (turn * Vec3::X, world.body(id)?.rotation() * Vec3::X);
        assert!((before.y - after.y).abs() < 1e-5);
    }
    Ok(())
}

#[test]
fn speeds_stay_below_their_limits() -> Outcome {
    for solver in solvers() {
        let mut world = weightless(solver)?;
        let body = Body::dynamic().shape(unit_cube()?).mass(1.0).max_speed(2.0).max_angular_speed(3.0);
        let id = world.add(body.velocity([9.0, 0.0, 0.0]))?;
        assert_eq!(world.body(id)?.velocity().x, 2.0);
        for _ in 0..60 {
            world.body_mut(id)?.apply_force([0.0, 50.0, 0.0])?;
            world.body_mut(id)?.apply_torque([0.0, 50.0, 0.0])?;
            world.step(DT)?;
            assert!(world.body(id)?.velocity().length() <= 2.0 + 1e-5);
            assert!(world.body(id)?.angular_velocity().length() <= 3.0 + 1e-4);
        }
        assert!((world.body(id)?.angular_velocity().y - 3.0).abs() < 1e-3);
    }
    Ok(())
}

#[test]
fn a_constant_force_acts_until_it_is_cleared() -> Outcome {
    let mut world = weightless(Solver::default())?;
    let id = world.add(Body::dynamic().shape(unit_cube()?).mass(4.0))?;
    world.body_mut(id)?.set_constant_force([8.0, 0.0, 0.0])?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    assert!((world.body(id)?.velocity().x - 2.0).abs() < 1e-4);
    assert!((world.body(id)?.position().x - 1.0).abs() < 1e-3, "half of a t²");
    world.body_mut(id)?.set_constant_force([0.0; 3])?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    assert!((world.body(id)?.velocity().x - 2.0).abs() < 1e-4);
    Ok(())
}

#[test]
fn what_is_disabled_takes_no_part() -> Outcome {
    let mut world = World::default();
    let floor = world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    let body = world.add(Body::dynamic().at([0.0, 1.0, 0.0]).shape(unit_cube()?))?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    world.body_mut(body)?.set_enabled(false);
    world.step(DT)?;
    assert_eq!(world.events().ended().len(), 1);
    let still = world.body(body)?.pose();
    for _ in 0..10 {
        world.step(DT)?;
    }
    assert_eq!(world.body(body)?.pose(), still);
    world.body_mut(body)?.set_enabled(true);
    world.step(DT)?;
    assert_eq!(world.events().began().len(), 1);
    // Without the floor it falls, though it had come to rest.
    for _ in 0..120 {
        world.step(DT)?;
    }
    assert!(world.body(body)?.is_asleep());
    world.body_mut(floor)?.set_enabled(false);
    for _ in 0..60 {
        world.step(DT)?;
    }
    assert!(world.body(body)?.position().y < -3.0, "{}", world.body(body)?.position());
    Ok(())
}

#[test]
fn groups_and_the_filter_say_who_meets() -> Outcome {
    let mut world = World::default();
    let floor = BodyShape::new(Shape::cuboid(9.0, 0.5, 9.0)?).filter(Filter { groups: 0b01, mask: u32::MAX });
    world.add(Body::fixed().part(floor))?;
    let falls = BodyShape::new(unit_cube()?).filter(Filter { groups: u32::MAX, mask: 0b10 });
    let falls = world.add(Body::dynamic().at([0.0, 2.0, 0.0]).part(falls))?;
    let stands = world.add(Body::dynamic().at([4.0, 2.0, 0.0]).shape(unit_cube()?).user_data(1))?;
    world.set_filter(|a, b| a.body.user_data() + b.body.user_data() < 2);
    for _ in 0..120 {
        world.step(DT)?;
    }
    assert!(world.body(falls)?.position().y < -5.0);
    assert!((world.body(stands)?.position().y - 1.0).abs() < 0.02);
    // What the filter looks at has changed: nobody knows until it is asked again.
    world.body_mut(stands)?.set_user_data(2);
    world.step(DT)?;
    assert!((world.body(stands)?.position().y - 1.0).abs() < 0.02);
    world.refilter(stands)?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    assert!(world.body(stands)?.position().y < -1.0);
    Ok(())
}

#[test]
fn changed_groups_are_asked_again_by_themselves() -> Outcome {
    let mut world = World::default();
    world.add(Body::fixed().shape(Shape::cuboid(9.0, 0.5, 9.0)?))?;
    let id = world.add(Body::dynamic().at([0.0, 1.0, 0.0]).shape(unit_cube()?))?;
    for _ in 0..120 {
        world.step(DT)?;
    }
    world.body_mut(id)?.set_shape_filter(0, Filter { groups: 0, mask: 0 })?;
    for _ in 0..30 {
        world.step(DT)?;
    }
    assert!(world.body(id)?.position().y < 0.5);
    Ok(())
}

#[test]
fn surfaces_mix_by_the_greater_rule() {
    let of = |friction, friction_mixing| Material { friction, friction_mixing, ..Material::default() };
    let mix = |a: Option<Mixing>, b: Option<Mixing>| of(0.2, a).mixed(of(0.8, b)).friction;
    assert!((mix(None, None) - 0.4).abs() < 1e-6);
    for (rule, expected) in [
        (Mixing::GeometricMean, 0.4),
        (Mixing::Average, 0.5),
        (Mixing::Min, 0.2),
        (Mixing::Multiply, 0.16),
        (Mixing::Max, 0.8),
    ] {
        assert!((mix(Some(rule), None) - expected).abs() < 1e-6, "{rule:?}");
        assert!((mix(None, Some(rule)) - expected).abs() < 1e-6, "{rule:?}");
        assert!((mix(Some(Mixing::GeometricMean), Some(rule)) - expected).abs() < 1e-6, "{rule:?}");
        assert!((mix(Some(rule), Some(Mixing::Max)) - 0.8).abs() < 1e-6, "{rule:?}");
    }
    let bouncy = |restitution, restitution_mixing| Material { restitution, restitution_mixing, ..Material::default() };
    assert_eq!(bouncy(0.2, None).mixed(bouncy(0.9, None)).restitution, 0.9);
    assert_eq!(bouncy(0.2, Some(Mixing::Min)).mixed(bouncy(0.9, None)).restitution, 0.2);
    assert!(of(f32::MAX, Some(Mixing::Multiply)).mixed(of(f32::MAX, None)).friction.is_finite());
}

#[test]
fn each_shape_has_its_own_surface_and_sensors_weigh_nothing() -> Outcome {
    let mut world = World::default();
    let ice = Material { friction: 0.0, friction_mixing: Some(Mixing::Min), ..Material::default() };
    let left = BodyShape::new(Shape::cuboid(5.0, 0.5, 5.0)?).at(LocalPose::at([0.0, 0.0, -5.0])).material(ice);
    let right = BodyShape::new(Shape::cuboid(5.0, 0.5, 5.0)?).at(LocalPose::at([0.0, 0.0, 5.0]));
    world.add(Body::fixed().part(left).part(right).friction(0.9))?;
    let slide = |z: f64| Body::dynamic().at([-3.0, 1.0, z]).velocity([2.0, 0.0, 0.0]).friction(0.9);
    let on_ice = world.add(slide(-3.0).shape(unit_cube()?))?;
    let on_tar = world.add(slide(3.0).shape(unit_cube()?).part(BodyShape::new(Shape::sphere(3.0)?).sensor()))?;
    assert!((world.body(on_tar)?.mass().ok_or("dynamic")? - 1000.0).abs() < 0.01);
    for _ in 0..60 {
        world.step(DT)?;
    }
    assert!((world.body(on_ice)?.velocity().x - 2.0).abs() < 0.02, "{}", world.body(on_ice)?.velocity());
    assert!(world.body(on_tar)?.velocity().x.abs() < 0.02, "{}", world.body(on_tar)?.velocity());
    world.body_mut(on_tar)?.set_mass(50.0)?;
    assert_eq!(world.body(on_tar)?.mass(), Some(50.0));
    Ok(())
}

#[test]
fn nothing_unsound_comes_in_and_nothing_changes() -> Outcome {
    let mut world = World::default();
    let fixed = world.add(Body::fixed().shape(unit_cube()?))?;
    let id = world.add(Body::dynamic().at([0.0, 3.0, 0.0]).shape(unit_cube()?))?;
    let before = world.hash();
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for value in bad {
        assert!(matches!(world.step(value), Err(StepError::TimeStep { .. })));
        let vector = Vec3::new(0.0, value, 0.0);
        let mut body = world.body_mut(id)?;
        assert!(matches!(body.set_velocity(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_angular_velocity(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_force(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_torque(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse_at(vector, [0.0; 3]), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse_at([0.0; 3], vector.as_dvec3()), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_constant_force(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_constant_torque(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_pose(Pose::at(vector.as_dvec3())), Err(BodyError::Pose { .. })));
        assert!(matches!(body.set_mass(value), Err(BodyError::TotalMass { .. })));
        assert!(matches!(body.set_damping(value, 0.0), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_damping(0.0, value), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_gravity_scale(value), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_max_speed(Some(value)), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_max_angular_speed(Some(value)), Err(BodyError::OutOfRange { .. })));
        let surface = Material { friction: value, ..Material::default() };
        assert!(matches!(body.set_material(surface), Err(BodyError::OutOfRange { .. })));
        let part = BodyShape::new(unit_cube()?);
        assert!(world.add(Body::dynamic().part(part.clone().material(surface))).is_err());
        assert!(world.add(Body::dynamic().part(part.at(LocalPose::at(vector)))).is_err());
        assert!(world.add(Body::dynamic().shape(unit_cube()?).max_speed(value)).is_err());
        assert!(World::builder().hit_speed(value).build().is_err());
    }
    assert!(matches!(world.body_mut(fixed)?.set_mass(1.0), Err(BodyError::NotDynamic { .. })));
    assert!(matches!(
        world.body_mut(id)?.set_shape_material(1, Material::default()),
        Err(BodyError::NoShape { index: 1, .. })
    ));
    assert_eq!(world.len(), 2);
    assert_eq!(world.hash(), before);
    Ok(())
}
