//! Laws of mechanics that the first world must keep, each with its closed form.

mod law_worlds;
mod random;

use carom::prelude::*;
use carom::response::Solver;
use carom::response::{FaultCause, FaultStage};
use carom::world::StepError;
use random::vector;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;

fn weightless() -> World {
    World::builder().gravity([0.0; 3]).bounce_threshold(0.0).build().expect("zero gravity is finite")
}

#[test]
fn a_hundred_elastic_spheres_keep_momentum_and_energy() -> Outcome {
    // Impulses one after the other lose nothing; in substeps, a ball that is hit by several at once loses a little.
    let gauss_seidel = Solver::ProjectedGaussSeidel { iterations: 32, warm: false };
    for (solver, most_lost) in [(gauss_seidel, 0.005), (Solver::default(), 0.01)] {
        let (lost, won) = elastic_spheres(solver)?;
        assert!(lost < most_lost && won < 0.001, "{solver:?}: {lost} of the energy lost, {won} won");
    }
    Ok(())
}

/// The greatest shares of the energy that a hundred elastic spheres lose and win.
fn elastic_spheres(solver: Solver) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let mut world = World::builder().gravity([0.0; 3]).bounce_threshold(0.0).solver(solver).build()?;
    let mut random = fastrand::Rng::with_seed(7);
    for index in 0..100 {
        let cell = Vec3::new((index % 5) as f32, (index / 5 % 5) as f32, (index / 25) as f32) - Vec3::splat(2.0);
        let place = cell * 1.5 + vector(&mut random, 0.2);
        // Inwards, so that they meet.
        let velocity = -place * 1.5 + vector(&mut random, 1.0);
        let radius = 0.3 + 0.25 * random.f32();
        let body = Body::dynamic().at(place.as_dvec3()).velocity(velocity).angular_velocity(vector(&mut random, 3.0));
        world.add(body.shape(Shape::sphere(radius)?).restitution(1.0).friction(0.0))?;
    }
    let scale: f64 = world.bodies().map(|body| f64::from(body.mass().unwrap_or(0.0) * body.velocity().length())).sum();
    let (energy, momentum) = (world.energy().total(), world.momentum());
    let mut hits = 0;
    let (mut worst_momentum, mut lost, mut won) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..1000 {
        hits += world.step(DT)?.contacts;
        worst_momentum = worst_momentum.max(world.momentum().linear.distance(momentum.linear) / scale);
        let change = world.energy().total() / energy - 1.0;
        (lost, won) = (lost.max(-change), won.max(change));
    }
    println!(
        "{solver:?}: {hits} contacts; momentum off by {worst_momentum:.2e}, energy lost {lost:.1e}, won {won:.1e}"
    );
    assert!(hits > 200, "only {hits} contacts: the scene proves nothing");
    assert!(worst_momentum < 1e-5, "momentum off by {worst_momentum:e} of {scale}");
    Ok((lost, won))
}

#[test]
fn friction_and_rotation_keep_linear_and_angular_momentum() -> Outcome {
    let mut world = weightless();
    let mut random = fastrand::Rng::with_seed(8);
    for index in 0..40 {
        let place = vector(&mut random, 4.0);
        let half = Vec3::splat(0.3) + vector(&mut random, 0.2);
        let shape = if index % 2 == 0 { Shape::cuboid(half.x, half.y, half.z)? } else { Shape::sphere(half.x)? };
        let turn = Quat::from_axis_angle(Vec3::Y, random.f32());
        let body = Body::dynamic().at(place.as_dvec3()).rotated(turn).velocity(-place + vector(&mut random, 1.0));
        world.add(body.angular_velocity(vector(&mut random, 4.0)).shape(shape).friction(0.8).restitution(0.3))?;
    }
    let before = world.momentum();
    let energy = world.energy().total();
    let mut hits = 0;
    for _ in 0..300 {
        hits += world.step(DT)?.contacts;
    }
    assert!(hits > 100, "{hits}");
    let after = world.momentum();
    let scale: f64 = world.bodies().map(|body| f64::from(body.mass().unwrap_or(0.0))).sum();
    assert!((after.linear - before.linear).length() < 1e-4 * scale, "{before:?} {after:?}");
    // Projection moves bodies along the normals without a torque and so shifts m·x×v a little; the impulses do not.
    assert!((after.angular - before.angular).length() < 0.02 * scale, "{before:?} {after:?}");
    assert!(world.energy().total() < energy, "friction and restitution below 1 lose energy");
    Ok(())
}

#[test]
fn head_on_spheres_swap_or_share_their_velocities() -> Outcome {
    for (restitution, expected) in [(1.0, [0.0, 2.0]), (0.0, [1.0, 1.0]), (0.5, [0.5, 1.5])] {
        let mut world = weightless();
        let mut ball = |x: f64, speed: f32| -> Result<BodyId, Box<dyn std::error::Error>> {
            let body = Body::dynamic().at([x, 0.0, 0.0]).velocity([speed, 0.0, 0.0]);
            Ok(world.add(body.shape(Shape::sphere(0.5)?).restitution(restitution))?)
        };
        let (left, right) = (ball(0.0, 2.0)?, ball(1.5, 0.0)?);
        for _ in 0..60 {
            world.step(DT)?;
        }
        for (id, expected) in [(left, expected[0]), (right, expected[1])] {
            let velocity = world.body(id)?.velocity();
            assert!((velocity - Vec3::X * expected).length() < 1e-5, "e = {restitution}: {velocity}");
        }
    }
    Ok(())
}

/// Lecture 004: j = −(1 + e)·c / (1/mₐ + 1/m_b + (rₐ×n)ᵀIₐ⁻¹(rₐ×n) + (r_b×n)ᵀI_b⁻¹(r_b×n)).
#[test]
fn an_off_centre_hit_has_the_lectures_impulse() -> Outcome {
    let mut world = weightless();
    // A ball flies along −x at the end of a rod that lies along y.
    let half = Vec3::new(0.1, 1.0, 0.1);
    let rod = world
        .add(Body::dynamic().shape(Shape::cuboid(half.x, half.y, half.z)?).mass(3.0).restitution(0.6).friction(0.0))?;
    let ball = world.add(
        Body::dynamic()
            .at([1.0, 0.8, 0.0])
            .velocity([-4.0, 0.0, 0.0])
            .shape(Shape::sphere(0.2)?)
            .mass(0.5)
            .restitution(0.6)
            .friction(0.0),
    )?;
    for _ in 0..30 {
        world.step(DT)?;
    }
    let inertia_z = 3.0 / 3.0 * (half.x * half.x + half.y * half.y);
    let arm = 0.8;
    let impulse = 1.6 * 4.0 / (1.0 / 3.0 + 1.0 / 0.5 + arm * arm / inertia_z);
    let rod = world.body(rod)?;
    assert!((rod.velocity().x + impulse / 3.0).abs() < 1e-4, "{} {}", rod.velocity(), impulse / 3.0);
    assert!((rod.angular_velocity().z - arm * impulse / inertia_z).abs() < 1e-4, "{}", rod.angular_velocity());
    let expected = -4.0 + impulse / 0.5;
    assert!((world.body(ball)?.velocity().x - expected).abs() < 1e-4);
    Ok(())
}

#[test]
fn a_ball_bounces_to_the_height_its_restitution_gives() -> Outcome {
    for restitution in [0.3f32, 0.6, 0.9, 1.0] {
        let mut world = World::default();
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        let ball =
            world.add(Body::dynamic().at([0.0, 2.5, 0.0]).shape(Shape::sphere(0.5)?).restitution(restitution))?;
        let dt = 1e-3;
        let (mut bounced, mut highest) = (false, 0.0f64);
        for _ in 0..4000 {
            let contacts = world.step(dt)?.contacts;
            let body = world.body(ball)?;
            if bounced {
                highest = highest.max(body.position().y);
                if contacts > 0 && highest > 0.6 {
                    break;
                }
            }
            bounced |= contacts > 0;
        }
        let expected = 0.5 + 2.0 * f64::from(restitution * restitution);
        assert!((highest - expected).abs() < 0.02, "e = {restitution}: {highest}, expected {expected}");
    }
    Ok(())
}

#[test]
fn a_box_rests_on_the_floor_without_creeping() -> Outcome {
    for floor in [Shape::half_space([0.0, 1.0, 0.0])?, Shape::cuboid(5.0, 0.5, 5.0)?] {
        let top = if floor.kind() == ShapeKind::Cuboid { 0.5 } else { 0.0 };
        let mut world = World::builder().sleeping(false).build()?;
        world.add(Body::fixed().shape(floor))?;
        let id = world.add(Body::dynamic().at([0.0, top + 0.55, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
        for _ in 0..120 {
            world.step(DT)?;
        }
        let rest = world.body(id)?.pose();
        assert!((rest.position.y - top - 0.5).abs() < 0.006, "{rest:?}");
        for _ in 0..1000 {
            world.step(DT)?;
        }
        let after = world.body(id)?.pose();
        assert!((after.position - rest.position).length() < 1e-4, "{rest:?} {after:?}");
        assert!(after.rotation.angle_between(rest.rotation) < 1e-3, "{rest:?} {after:?}");
        assert_eq!(world.step(DT)?.contacts, 4);
    }
    Ok(())
}

#[test]
fn a_stack_of_boxes_stays_up() -> Outcome {
    let mut world = World::default();
    world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    let ids: Vec<_> = (0..5)
        .map(|level| {
            let body = Body::dynamic().at([0.0, 0.5 + f64::from(level), 0.0]);
            Ok(world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?))?)
        })
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    for _ in 0..600 {
        world.step(DT)?;
    }
    for (level, id) in ids.into_iter().enumerate() {
        let place = world.body(id)?.position();
        assert!((place - DVec3::new(0.0, 0.5 + level as f64, 0.0)).length() < 0.06, "box {level} is at {place}");
    }
    Ok(())
}

#[test]
fn a_sliding_box_stops_where_friction_says() -> Outcome {
    let (friction, speed) = (0.4f32, 3.0f32);
    for degrees in [0.0f32, 22.5, 45.0, 90.0] {
        let mut world = World::default();
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?).friction(friction))?;
        let turn = Quat::from_rotation_y(degrees.to_radians());
        let id = world.add(
            Body::dynamic()
                .at([0.0, 0.2 - 0.005, 0.0])
                .velocity(turn * Vec3::X * speed)
                .shape(Shape::cuboid(0.5, 0.2, 0.5)?)
                .friction(friction),
        )?;
        let dt = 1.0 / 240.0;
        for _ in 0..480 {
            world.step(dt)?;
        }
        let body = world.body(id)?;
        let expected = f64::from(speed * speed / (2.0 * friction * 9.81));
        let place = body.position();
        let travelled = place.x.hypot(place.z);
        assert!((travelled / expected - 1.0).abs() < 0.01, "{degrees}°: {travelled}, expected {expected}");
        assert!(body.velocity().length() < 1e-3);
        let straight = (turn * Vec3::X).as_dvec3().dot(place) / travelled;
        assert!(straight > 0.9999, "{degrees}°: off course to {place}");
    }
    Ok(())
}

#[test]
fn forces_torques_and_impulses_follow_newton() -> Outcome {
    let mut world = weightless();
    let id = world.add(Body::dynamic().shape(Shape::sphere(0.5)?).mass(2.0))?;
    let inertia = 0.4 * 2.0 * 0.25;
    world.body_mut(id)?.apply_impulse([4.0, 0.0, 0.0])?;
    world.body_mut(id)?.apply_angular_impulse([0.0, inertia, 0.0])?;
    let body = world.body(id)?;
    assert!((body.velocity() - Vec3::X * 2.0).length() < 1e-6);
    assert!((body.angular_velocity() - Vec3::Y).length() < 1e-6);
    for _ in 0..60 {
        let mut body = world.body_mut(id)?;
        body.apply_force([0.0, 2.0, 0.0])?;
        body.apply_torque([0.0, 0.0, inertia])?;
        world.step(DT)?;
    }
    let body = world.body(id)?;
    assert!((body.velocity() - Vec3::new(2.0, 1.0, 0.0)).length() < 1e-4, "{}", body.velocity());
    assert!((body.angular_velocity() - Vec3::new(0.0, 1.0, 1.0)).length() < 1e-4, "{}", body.angular_velocity());
    // A force acts for one step only, and one at a point turns the body as well.
    world.step(DT)?;
    assert!((world.body(id)?.velocity().y - 1.0).abs() < 1e-4);
    let point = world.body(id)?.center_of_mass() + DVec3::X * 0.5;
    world.body_mut(id)?.apply_impulse_at([0.0, 1.0, 0.0], point)?;
    assert!((world.body(id)?.angular_velocity().z - 1.0 - 0.5 / inertia).abs() < 1e-3);
    let point = world.body(id)?.center_of_mass() + DVec3::X * 0.5;
    world.body_mut(id)?.apply_force_at([0.0, 60.0, 0.0], point)?;
    world.step(DT)?;
    assert!((world.body(id)?.velocity().y - 1.0 - 0.5 - 0.5).abs() < 1e-3);
    assert!((world.body(id)?.angular_velocity().z - 1.0 - 2.0 * 0.5 / inertia).abs() < 1e-3);
    Ok(())
}

#[test]
fn free_fall_and_damping_follow_their_closed_forms() -> Outcome {
    let mut world = World::default();
    let falling = world.add(Body::dynamic().shape(Shape::sphere(0.1)?))?;
    let floating = world.add(
        Body::dynamic()
            .at([5.0, 0.0, 0.0])
            .shape(Shape::sphere(0.1)?)
            .gravity_scale(0.0)
            .velocity([1.0, 0.0, 0.0])
            .linear_damping(0.5),
    )?;
    let steps = 120;
    for _ in 0..steps {
        world.step(DT)?;
    }
    let time = f64::from(DT) * f64::from(steps);
    let expected = -0.5 * 9.81 * time * time;
    assert!((world.body(falling)?.position().y - expected).abs() < 1e-4);
    let expected = (1.0 + 0.5 * DT).powi(-steps);
    assert!((world.body(floating)?.velocity().x - expected).abs() < 1e-5);
    Ok(())
}

#[test]
fn a_spinning_block_flips_about_its_middle_axis_and_keeps_energy_and_momentum() -> Outcome {
    let mut world = weightless();
    let id = world.add(Body::dynamic().shape(Shape::cuboid(0.1, 0.5, 1.0)?).angular_velocity([0.01, 6.0, 0.01]))?;
    let (energy, momentum) = (world.energy().kinetic, world.momentum().angular);
    let (mut flips, mut upright) = (0, true);
    let mut worst = 0.0f64;
    for _ in 0..10_000 {
        world.step(DT)?;
        let axis = (world.body(id)?.rotation() * Vec3::Y).y;
        if (axis > 0.9 && !upright) || (axis < -0.9 && upright) {
            upright = !upright;
            flips += 1;
        }
        worst = worst.max((world.energy().kinetic / energy - 1.0).abs());
    }
    println!("{flips} flips, energy off by {:.3} %", worst * 100.0);
    assert!(flips > 10, "{flips} flips");
    assert!(worst < 0.01, "energy off by {worst}");
    let drift = (world.momentum().angular - momentum).length() / momentum.length();
    assert!(drift < 1e-3, "angular momentum off by {drift}");
    Ok(())
}

#[test]
fn a_kinematic_body_pushes_and_is_not_pushed() -> Outcome {
    for solver in law_worlds::SOLVERS {
        let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
        let pusher = world.add(Body::kinematic().velocity([1.0, 0.0, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
        let ball = world.add(Body::dynamic().at([1.2, 0.0, 0.0]).shape(Shape::sphere(0.5)?))?;
        for _ in 0..60 {
            world.step(DT)?;
        }
        let (pusher, ball) = (world.body(pusher)?, world.body(ball)?);
        assert_eq!(pusher.velocity(), Vec3::X, "{solver:?}");
        assert!((pusher.position().x - 1.0).abs() < 1e-4, "{solver:?}: {}", pusher.position());
        assert!((ball.velocity() - Vec3::X).length() < 1e-3, "{solver:?}: {}", ball.velocity());
        let gap = ball.position().x - pusher.position().x - 1.0;
        assert!((-0.02..1e-3).contains(&gap), "{solver:?}: they are {gap} m apart");
    }
    Ok(())
}

#[test]
fn ten_thousand_kilometres_from_the_origin_nothing_changes() -> Outcome {
    let run = |origin: DVec3| -> Result<Vec<DVec3>, Box<dyn std::error::Error>> {
        let mut world = World::default();
        world.add(Body::fixed().at(origin).shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        world
            .add(Body::dynamic().at(origin + DVec3::new(0.1, 2.0, 0.0)).shape(Shape::sphere(0.5)?).restitution(0.5))?;
        world.add(Body::dynamic().at(origin + DVec3::Y * 0.5).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
        for _ in 0..200 {
            world.step(DT)?;
        }
        Ok(world.bodies().map(|body| body.position() - origin).collect())
    };
    let (here, there) = (run(DVec3::ZERO)?, run(DVec3::new(1e7, -1e7, 1e7))?);
    for (here, there) in here.iter().zip(&there) {
        assert!((*here - *there).length() < 1e-3, "{here} {there}");
    }
    Ok(())
}

#[test]
fn the_same_world_gives_the_same_bits() -> Outcome {
    let run = || -> Result<Vec<u64>, Box<dyn std::error::Error>> {
        let mut world = World::default();
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        let mut random = fastrand::Rng::with_seed(3);
        for level in 0..20 {
            let place = vector(&mut random, 1.0) + Vec3::Y * (1.0 + level as f32);
            world.add(Body::dynamic().at(place.as_dvec3()).shape(Shape::cuboid(0.4, 0.3, 0.5)?).restitution(0.2))?;
        }
        for _ in 0..240 {
            world.step(DT)?;
        }
        Ok(world.bodies().flat_map(|body| body.position().to_array().map(f64::to_bits)).collect())
    };
    assert_eq!(run()?, run()?);
    Ok(())
}

#[test]
fn compounds_collide_part_by_part() -> Outcome {
    use carom::shape::Part;
    let mut world = World::default();
    world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    let parts = [-1.0, 1.0].map(|x| -> Result<Part, ShapeError> {
        Ok(Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::sphere(0.5)? })
    });
    let [left, right] = parts;
    let dumbbell = world.add(Body::dynamic().at([0.0, 1.0, 0.0]).shape(Shape::compound(vec![left?, right?])?))?;
    for _ in 0..120 {
        world.step(DT)?;
    }
    assert_eq!(world.step(DT)?.contacts, 2);
    assert!((world.body(dumbbell)?.position().y - 0.5).abs() < 0.01);
    Ok(())
}

#[test]
fn a_body_that_overflows_is_set_aside_and_the_rest_goes_on() -> Outcome {
    let mut world = World::default();
    let sound = world.add(Body::dynamic().shape(Shape::sphere(0.5)?))?;
    let broken = world.add(Body::dynamic().at([10.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?).mass(1e-3))?;
    world.body_mut(broken)?.apply_force([f32::MAX, 0.0, 0.0])?;
    let step = world.step(DT)?;
    assert_eq!(step.faults.len(), 1);
    assert_eq!((step.faults[0].body, step.faults[0].stage), (broken, FaultStage::Forces));
    assert_eq!(step.faults[0].cause, FaultCause::Velocity);
    assert!(world.body(broken)?.is_set_aside());
    assert_eq!(world.body(broken)?.position(), DVec3::new(10.0, 0.0, 0.0));
    assert!(world.step(DT)?.faults.is_empty());
    assert!(world.body(sound)?.position().y < 0.0);
    // Put somewhere by hand, it takes part again.
    world.body_mut(broken)?.set_pose(Pose::at([20.0, 0.0, 0.0]))?;
    world.step(DT)?;
    assert!(world.body(broken)?.velocity().y < 0.0);
    Ok(())
}

#[test]
fn bad_input_is_refused_at_the_door_and_changes_nothing() -> Outcome {
    let mut world = World::default();
    let ball = || -> Result<Body, ShapeError> { Ok(Body::dynamic().shape(Shape::sphere(0.5)?)) };
    let id = world.add(ball()?)?;
    let refused = [
        ball()?.at([f64::NAN, 0.0, 0.0]),
        ball()?.rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        ball()?.velocity([f32::INFINITY, 0.0, 0.0]),
        ball()?.angular_velocity([f32::NAN, 0.0, 0.0]),
        ball()?.restitution(1.5),
        ball()?.restitution(f32::NAN),
        ball()?.friction(-0.1),
        ball()?.density(0.0),
        ball()?.mass(-1.0),
        ball()?.linear_damping(f32::NAN),
        ball()?.gravity_scale(f32::INFINITY),
        Body::dynamic(),
        Body::dynamic().shape(Shape::half_space([0.0, 1.0, 0.0])?),
        // An open surface has no mass.
        Body::dynamic().shape(Shape::mesh(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]])?),
        ball()?.shape_at(LocalPose::at([f32::NAN; 3]), Shape::sphere(1.0)?),
    ];
    for body in refused {
        let result = world.add(body.clone());
        assert!(result.is_err(), "accepted {body:?}");
        assert_eq!(world.len(), 1);
    }
    for dt in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(world.step(dt), Err(StepError::TimeStep { .. })));
    }
    assert!(World::builder().gravity([f32::NAN; 3]).build().is_err());
    let mut body = world.body_mut(id)?;
    assert!(body.apply_force([f32::NAN; 3]).is_err());
    assert!(body.apply_torque([f32::INFINITY; 3]).is_err());
    assert!(body.apply_impulse([f32::NAN; 3]).is_err());
    assert!(body.apply_impulse_at([1.0, 0.0, 0.0], [f64::NAN; 3]).is_err());
    assert!(body.set_velocity([f32::NAN; 3]).is_err());
    assert!(body.set_pose(Pose::at([f64::INFINITY; 3])).is_err());
    assert_eq!(world.body(id)?.pose(), Pose::IDENTITY);
    assert_eq!(world.body(id)?.velocity(), Vec3::ZERO);
    Ok(())
}

#[test]
fn ids_of_removed_bodies_are_not_mistaken_for_later_ones() -> Outcome {
    let mut world = weightless();
    let mut random = fastrand::Rng::with_seed(11);
    let mut alive: Vec<(BodyId, f64)> = Vec::new();
    let mut dead = Vec::new();
    for serial in 0..2000 {
        if random.bool() || alive.is_empty() {
            let x = f64::from(serial) * 10.0;
            alive.push((world.add(Body::dynamic().at([x, 0.0, 0.0]).shape(Shape::sphere(0.5)?))?, x));
        } else {
            let (id, _) = alive.swap_remove(random.usize(0..alive.len()));
            world.remove(id)?;
            dead.push(id);
        }
        if serial % 100 == 0 {
            world.step(DT)?;
            assert_eq!(world.len(), alive.len());
            for (id, x) in &alive {
                assert_eq!(world.body(*id)?.position().x, *x);
                assert_eq!(world.body(*id)?.shapes().count(), 1);
            }
            for id in &dead {
                assert!(matches!(world.body(*id), Err(BodyError::Unknown { .. })));
            }
        }
    }
    assert!(world.remove(dead[0]).is_err());
    for (id, _) in alive {
        world.remove(id)?;
    }
    assert!(world.is_empty());
    assert_eq!(world.step(DT)?.pairs, 0);
    Ok(())
}
