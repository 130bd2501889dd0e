//! Coulomb's law: sliding, sticking and rolling, against the closed form.

mod law_worlds;

use carom::prelude::*;
use law_worlds::{DT, GRAVITY, Outcome, run, with_floor, world};

/// A floor with its surface at y = 0 under gravity that is turned as if the floor were inclined, falling towards x.
fn inclined(slope: f32, friction: f32) -> Result<World, Box<dyn std::error::Error>> {
    let angle = slope.atan();
    let mut world = world(World::builder().gravity([GRAVITY * angle.sin(), -GRAVITY * angle.cos(), 0.0]));
    law_worlds::add_floor(&mut world, friction, 0.0)?;
    Ok(world)
}

#[test]
fn a_box_slides_as_far_in_every_direction_and_does_not_turn() -> Outcome {
    let (friction, speed) = (0.4f32, 4.0f32);
    // s = v² / 2μg.
    let expected = f64::from(speed * speed / (2.0 * friction * GRAVITY));
    let directions = (0..12).map(|index| 30.0 * index as f32).chain([22.5, 45.0]);
    let mut worst = (0.0f64, 0.0f32);
    for degrees in directions {
        let mut world = with_floor(friction, 0.0)?;
        let direction = Quat::from_rotation_y(degrees.to_radians()) * Vec3::X;
        let body = Body::dynamic().at([0.0, 0.25, 0.0]).velocity(direction * speed);
        let id = world.add(body.shape(Shape::cuboid(0.5, 0.25, 0.5)?).friction(friction))?;
        run(&mut world, 120)?;
        let body = world.body(id)?;
        let place = body.position();
        let travelled = place.x.hypot(place.z);
        let off = travelled / expected - 1.0;
        assert!(off.abs() < 0.01, "{degrees}°: {travelled} m instead of {expected}");
        assert!(body.velocity().length() < 1e-3, "{degrees}°: still moving by {}", body.velocity());
        let straight = direction.as_dvec3().dot(place) / travelled;
        assert!(straight > 0.9999, "{degrees}°: off course to {place}");
        let yaw = (body.rotation() * Vec3::X).z.abs();
        assert!(yaw < 0.01, "{degrees}°: turned by {yaw}");
        worst = (worst.0.max(off.abs()), worst.1.max(yaw));
    }
    println!("the way is off by {:.3} % at the most, the yaw {:.5}", worst.0 * 100.0, worst.1);
    Ok(())
}

#[test]
fn a_box_holds_below_the_friction_angle_and_slides_above() -> Outcome {
    for friction in [0.2f32, 0.5, 0.9] {
        for share in [0.99f32, 1.01, 1.5] {
            let slope = share * friction;
            let mut world = inclined(slope, friction)?;
            let body = Body::dynamic().at([-20.0, 0.2, 0.0]).shape(Shape::cuboid(0.6, 0.2, 0.6)?);
            let id = world.add(body.friction(friction))?;
            run(&mut world, 120)?;
            // a = g·(sin α − μ·cos α), none below the angle; the box starts in mid-step.
            let acceleration = f64::from(GRAVITY * slope.atan().cos() * (slope - friction)).max(0.0);
            let expected = 0.5 * acceleration * (120.0 * f64::from(DT)).powi(2);
            let way = world.body(id)?.position().x + 20.0;
            let case = format!("μ = {friction}, slope {share} μ: {way} m instead of {expected}");
            if share < 1.0 {
                assert!(way.abs() < 2e-3, "{case}");
                assert!(world.body(id)?.velocity().length() < 1e-3, "{case}");
            } else if share < 1.1 {
                // A hundredth above the angle, the way is the difference of two that are a hundred times longer.
                assert!(way > 0.5 * expected && way < 2.0 * expected, "{case}");
            } else {
                assert!((way / expected - 1.0).abs() < 0.01, "{case}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_sphere_rolls_down_a_slope_with_five_sevenths_of_its_pull() -> Outcome {
    for slope in [0.1f32, 0.3, 0.6] {
        let mut world = inclined(slope, 1.0)?;
        let body = Body::dynamic().at([-40.0, 0.5, 0.0]).shape(Shape::sphere(0.5)?).friction(1.0);
        let id = world.add(body)?;
        let steps = 120;
        run(&mut world, steps)?;
        let time = steps as f32 * DT;
        let body = world.body(id)?;
        let expected = 5.0 / 7.0 * GRAVITY * slope.atan().sin() * time;
        let found = body.velocity().x;
        assert!((found / expected - 1.0).abs() < 0.01, "slope {slope}: {found} m/s instead of {expected}");
        let turns = -body.angular_velocity().z * 0.5;
        assert!((turns / expected - 1.0).abs() < 0.01, "slope {slope}: turns at {turns} m/s, rolls at {found}");
    }
    Ok(())
}

#[test]
fn a_sliding_sphere_goes_over_to_rolling_at_five_sevenths_of_its_speed() -> Outcome {
    let mut world = with_floor(0.3, 0.0)?;
    let body = Body::dynamic().at([0.0, 0.5, 0.0]).velocity([7.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?).friction(0.3);
    let id = world.add(body)?;
    run(&mut world, 120)?;
    let body = world.body(id)?;
    assert!((body.velocity().x - 5.0).abs() < 0.05, "{} m/s instead of 5", body.velocity().x);
    assert!((body.angular_velocity().z + 10.0).abs() < 0.1, "{} 1/s instead of −10", body.angular_velocity().z);
    Ok(())
}

#[test]
fn without_friction_nothing_slows_down() -> Outcome {
    let mut world = with_floor(0.0, 0.0)?;
    let body = Body::dynamic().at([-5.0, 0.25, 0.0]).velocity([3.0, 0.0, 1.0]).shape(Shape::cuboid(0.5, 0.25, 0.5)?);
    let id = world.add(body.friction(0.0))?;
    run(&mut world, 300)?;
    let velocity = world.body(id)?.velocity();
    assert!((velocity - Vec3::new(3.0, 0.0, 1.0)).length() < 1e-3, "{velocity}");
    Ok(())
}

#[test]
fn a_box_spinning_on_the_floor_stops_within_the_time_of_its_patch() -> Outcome {
    // Between the bounds of friction all at the rim and all at a third of the radius: t = I·ω / (μ·m·g·r).
    let (friction, spin, half) = (0.5f32, 10.0f32, 0.5f32);
    let mut world = with_floor(friction, 0.0)?;
    let body = Body::dynamic().at([0.0, f64::from(half), 0.0]).angular_velocity([0.0, spin, 0.0]);
    let id = world.add(body.shape(Shape::cuboid(half, half, half)?).friction(friction))?;
    let inertia_per_mass = 2.0 / 3.0 * half * half;
    let time_at = |radius: f32| inertia_per_mass * spin / (friction * GRAVITY * radius);
    let mut stopped = f32::INFINITY;
    for step in 0..240 {
        world.step(DT)?;
        if world.body(id)?.angular_velocity().length() < 0.01 {
            stopped = step as f32 * DT;
            break;
        }
    }
    let (least, most) = (time_at(half * 2.0f32.sqrt()), time_at(half / 3.0));
    assert!((least * 0.95..most).contains(&stopped), "{stopped} s instead of {least} to {most}");
    let place = world.body(id)?.position();
    assert!(place.x.hypot(place.z) < 0.01, "it wandered to {place}");
    Ok(())
}
