//! Resistance to rolling of all that rolls, by every solver, against its closed forms.

mod law_worlds;

use carom::prelude::*;
use carom::response::Solver;
use carom::shape::Part;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, run, world};

/// Something that rolls along x on a radius, as it lies in its own frame.
struct Wheel {
    name: &'static str,
    shape: Shape,
    radius: f32,
    rotation: Quat,
}

/// Small and large ones, short and long ones, and one that is a part of something.
fn wheels() -> Result<Vec<Wheel>, ShapeError> {
    let axle = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let wheel = |name, shape, radius, rotation| Wheel { name, shape, radius, rotation };
    let part = |shape, pose| Part { shape, pose };
    let dumbbell = [-0.4, 0.4].map(|z| Ok(part(Shape::sphere(0.2)?, LocalPose::at([0.0, 0.0, z]))));
    let on_axle = part(Shape::cylinder(0.3, 0.3)?, LocalPose::new(Vec3::ZERO, axle));
    Ok(vec![
        wheel("ball", Shape::sphere(0.25)?, 0.25, Quat::IDENTITY),
        wheel("small cylinder", Shape::cylinder(0.1, 0.05)?, 0.05, axle),
        wheel("disc", Shape::cylinder(0.1, 0.6)?, 0.6, axle),
        wheel("roller", Shape::cylinder(1.5, 0.2)?, 0.2, axle),
        wheel("long capsule", Shape::capsule(1.5, 0.2)?, 0.2, axle),
        wheel(
            "dumbbell",
            Shape::compound(dumbbell.into_iter().collect::<Result<_, ShapeError>>()?)?,
            0.2,
            Quat::IDENTITY,
        ),
        wheel("cylinder in a compound", Shape::compound(vec![on_axle])?, 0.3, Quat::IDENTITY),
    ])
}

/// A world with a floor that is turned about z by an angle, and a wheel on it that rolls down along it at a speed.
fn rolling(
    solver: Solver,
    wheel: &Wheel,
    (resistance, angle, speed): (f32, f32, f32),
) -> Result<(World, BodyId), Box<dyn std::error::Error>> {
    let mut world = world(World::builder().solver(solver).gravity([0.0, -GRAVITY, 0.0]));
    let slope = Quat::from_rotation_z(-angle);
    let floor =
        Body::fixed().at((slope * Vec3::NEG_Y).as_dvec3()).rotated(slope).shape(Shape::cuboid(50.0, 1.0, 50.0)?);
    world.add(floor.friction(1.0))?;
    let place = slope * Vec3::Y * (wheel.radius * 0.9999);
    let body = Body::dynamic().at(place.as_dvec3()).rotated(slope * wheel.rotation).velocity(slope * Vec3::X * speed);
    let body = body.angular_velocity(Vec3::NEG_Z * (speed / wheel.radius)).shape(wheel.shape.clone());
    let id = world.add(body.friction(1.0).rolling_friction(resistance))?;
    Ok((world, id))
}

/// How much more than its mass what rolls has to be accelerated by: 1 + I / m r².
fn inertia_share(world: &World, id: BodyId, wheel: &Wheel) -> Result<f32, Box<dyn std::error::Error>> {
    let properties = world.body(id)?.mass_properties().ok_or("it is dynamic")?;
    let axis = wheel.rotation.conjugate() * Vec3::Z;
    Ok(1.0 + axis.dot(properties.inertia * axis) / (properties.mass * wheel.radius * wheel.radius))
}

/// A torque of ρ·r·N slows m·v·(1 + I/m r²), whatever the form.
#[test]
fn whatever_rolls_slows_by_the_radius_on_which_it_rolls() -> Outcome {
    let resistance = 0.05;
    for solver in SOLVERS {
        for wheel in wheels()? {
            let speed = 4.0 * wheel.radius.sqrt();
            let (mut world, id) = rolling(solver, &wheel, (resistance, 0.0, speed))?;
            let share = inertia_share(&world, id, &wheel)?;
            let steps = 40;
            run(&mut world, steps)?;
            let lost = speed - world.body(id)?.velocity().x;
            let expected = resistance * GRAVITY / share * steps as f32 * DT;
            let case = format!("{solver:?}, {}: {lost} m/s and not {expected}", wheel.name);
            assert!((lost / expected - 1.0).abs() < 0.02, "{case}");
        }
    }
    Ok(())
}

/// It stays on slopes below atan ρ, and on steeper ones it is accelerated by g·(sin α − ρ·cos α) / (1 + I/m r²).
#[test]
fn whatever_rolls_stays_on_slopes_that_its_resistance_can_hold() -> Outcome {
    let resistance = 0.1f32;
    for solver in SOLVERS {
        for wheel in wheels()? {
            for (share_of_angle, holds) in [(0.98f32, true), (1.5, false)] {
                let angle = (share_of_angle * resistance).atan();
                let (mut world, id) = rolling(solver, &wheel, (resistance, angle, 0.0))?;
                let share = inertia_share(&world, id, &wheel)?;
                run(&mut world, 60)?;
                let speed = world.body(id)?.velocity().length();
                let pull = GRAVITY * (angle.sin() - resistance * angle.cos()).max(0.0);
                let expected = pull / share;
                let case = format!("{solver:?}, {} at {share_of_angle} of ρ: {speed} m/s", wheel.name);
                // Those that begin with nothing do not find the whole load on a slope, or what turns against it.
                let holds_fast =
                    matches!(solver, Solver::SoftStep { .. } | Solver::ProjectedGaussSeidel { warm: true, .. });
                if holds {
                    assert!(speed < if holds_fast { 2e-3 } else { 0.03 }, "{case}");
                } else {
                    assert!((speed / expected - 1.0).abs() < 0.02, "{case} and not {expected}");
                }
            }
        }
    }
    Ok(())
}
