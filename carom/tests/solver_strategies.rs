//! Each strategy that solves contact by contact, against closed forms: impacts, friction, rolling, rest and stacks.

mod random;

use carom::prelude::*;
use carom::response::{FaultCause, FaultStage, Projection, Solver};
use random::vector;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;

const STRATEGIES: [Solver; 4] = [
    Solver::ProjectedGaussSeidel { iterations: 32, warm: false },
    Solver::ProjectedGaussSeidel { iterations: 32, warm: true },
    Solver::WorstFirst { iterations: 32, projection: Projection::Linear },
    Solver::WorstFirst { iterations: 32, projection: Projection::Nonlinear },
];

fn weightless(solver: Solver) -> World {
    World::builder().gravity([0.0; 3]).bounce_threshold(0.0).solver(solver).build().expect("zero gravity is finite")
}

fn heavy(solver: Solver) -> World {
    World::builder().solver(solver).sleeping(false).build().expect("the usual gravity is finite")
}

/// A world with a floor at height 0.
fn on_a_floor(solver: Solver, friction: f32) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = heavy(solver);
    world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?).friction(friction))?;
    Ok(world)
}

#[test]
fn head_on_spheres_of_any_masses_part_as_newton_says() -> Outcome {
    for solver in STRATEGIES {
        for (restitution, masses) in
            [(1.0f32, [1.0f32, 1.0]), (1.0, [1.0, 5.0]), (0.5, [3.0, 1.0]), (0.0, [1.0, 1.0]), (0.0, [1.0, 100.0])]
        {
            let mut world = weightless(solver);
            let speeds = [2.0, -1.0];
            let mut ids = Vec::new();
            for ((x, speed), mass) in [0.0, 1.5].into_iter().zip(speeds).zip(masses) {
                let body = Body::dynamic().at([x, 0.0, 0.0]).velocity([speed, 0.0, 0.0]).mass(mass);
                ids.push(world.add(body.shape(Shape::sphere(0.5)?).restitution(restitution))?);
            }
            for _ in 0..60 {
                world.step(DT)?;
            }
            let [a, b] = masses;
            let shared = (a * speeds[0] + b * speeds[1]) / (a + b);
            let closing = speeds[0] - speeds[1];
            let expected = [shared - restitution * closing * b / (a + b), shared + restitution * closing * a / (a + b)];
            for (id, expected) in ids.into_iter().zip(expected) {
                let velocity = world.body(id)?.velocity();
                let error = (velocity - Vec3::X * expected).length();
                assert!(error < 1e-5, "{solver:?}, e = {restitution}, {masses:?}: {velocity}, expected {expected}");
            }
        }
    }
    Ok(())
}

/// Lecture 004: j = −(1 + e)·c / (1/mₐ + 1/m_b + (rₐ×n)ᵀIₐ⁻¹(rₐ×n) + (r_b×n)ᵀI_b⁻¹(r_b×n)).
#[test]
fn an_off_centre_hit_has_the_lectures_impulse() -> Outcome {
    for solver in STRATEGIES {
        let mut world = weightless(solver);
        // A ball flies along −x at the end of a rod that lies along y.
        let half = Vec3::new(0.1, 1.0, 0.1);
        let rod = Body::dynamic().shape(Shape::cuboid(half.x, half.y, half.z)?).mass(3.0);
        let rod = world.add(rod.restitution(0.6).friction(0.0))?;
        let ball = Body::dynamic().at([1.0, 0.8, 0.0]).velocity([-4.0, 0.0, 0.0]).shape(Shape::sphere(0.2)?).mass(0.5);
        let ball = world.add(ball.restitution(0.6).friction(0.0))?;
        for _ in 0..30 {
            world.step(DT)?;
        }
        let inertia_z = 3.0 / 3.0 * (half.x * half.x + half.y * half.y);
        let arm = 0.8;
        let impulse = 1.6 * 4.0 / (1.0 / 3.0 + 1.0 / 0.5 + arm * arm / inertia_z);
        let rod = world.body(rod)?;
        assert!((rod.velocity().x + impulse / 3.0).abs() < 1e-4, "{solver:?}: {}", rod.velocity());
        let spin = rod.angular_velocity().z;
        assert!((spin - arm * impulse / inertia_z).abs() < 1e-4, "{solver:?}: {spin}");
        let expected = -4.0 + impulse / 0.5;
        assert!((world.body(ball)?.velocity().x - expected).abs() < 1e-4, "{solver:?}");
    }
    Ok(())
}

/// A ball that hits the floor at a slant. While it slides throughout, friction takes μ·j = μ·m·(1 + e)·c; else the point
/// of contact is stopped, by m·v·2/7.
#[test]
fn a_slanting_hit_spins_a_ball_as_coulomb_says() -> Outcome {
    for solver in STRATEGIES.into_iter().chain([Solver::default()]) {
        for (friction, sideways) in [(0.1f32, 6.0f32), (0.9, 1.0)] {
            let mut world = weightless(solver);
            world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?).friction(friction))?;
            let direction = Vec3::new(0.6, 0.0, 0.8);
            let body = Body::dynamic().at([0.0, 1.0, 0.0]).velocity(direction * sideways - Vec3::Y * 3.0);
            let id = world.add(body.shape(Shape::sphere(0.5)?).mass(2.0).restitution(0.5).friction(friction))?;
            for _ in 0..30 {
                world.step(DT)?;
            }
            let impulse = (friction * 1.5 * 3.0).min(sideways * 2.0 / 7.0);
            let expected = direction * (sideways - impulse) + Vec3::Y * 1.5;
            let body = world.body(id)?;
            assert!((body.velocity() - expected).length() < 1e-4, "{solver:?}: {}, not {expected}", body.velocity());
            // The inertia is 2/5·m·r²; the impulse acts at −r·y.
            let spin = Vec3::Y.cross(direction) * (impulse / (0.4 * 0.5));
            assert!((body.angular_velocity() - spin).length() < 1e-3, "{solver:?}: {}", body.angular_velocity());
        }
    }
    Ok(())
}

#[test]
fn momentum_stays_and_energy_does_not_grow() -> Outcome {
    for solver in STRATEGIES {
        let mut world = weightless(solver);
        let mut random = fastrand::Rng::with_seed(8);
        for index in 0..40 {
            let place = vector(&mut random, 4.0);
            let half = Vec3::splat(0.3) + vector(&mut random, 0.2);
            let shape = if index % 2 == 0 { Shape::cuboid(half.x, half.y, half.z)? } else { Shape::sphere(half.x)? };
            let body = Body::dynamic().at(place.as_dvec3()).velocity(-place + vector(&mut random, 1.0)).shape(shape);
            world.add(body.angular_velocity(vector(&mut random, 4.0)).friction(0.8).restitution(0.3))?;
        }
        let (before, energy) = (world.momentum(), world.energy().total());
        let scale: f64 = world.bodies().map(|body| f64::from(body.mass().unwrap_or(0.0))).sum();
        let (mut hits, mut last, mut most_won) = (0, energy, 0.0f64);
        for _ in 0..300 {
            hits += world.step(DT)?.contacts;
            most_won = most_won.max((world.energy().total() - last) / energy);
            last = world.energy().total();
        }
        let drift = (world.momentum().linear - before.linear).length() / scale;
        let turned = (world.momentum().angular - before.angular).length() / scale;
        println!(
            "{solver:?}: {hits} contacts, momentum {drift:.1e}, angular {turned:.1e} m²/s, energy won {most_won:.1e}"
        );
        assert!(hits > 100, "{hits} contacts prove nothing");
        assert!(drift < 1e-4, "{solver:?}: {drift}");
        // Projection without velocities shifts m·x×v a little; the impulses do not.
        assert!(turned < 0.03, "{solver:?}: {turned}");
        assert!(most_won < 1e-3 && last < 0.9 * energy, "{solver:?}: {most_won} won at once, {last} of {energy} left");
    }
    Ok(())
}

#[test]
fn elastic_spheres_keep_their_energy_worst_first() -> Outcome {
    let mut world = weightless(Solver::WorstFirst { iterations: 32, projection: Projection::Linear });
    let mut random = fastrand::Rng::with_seed(7);
    for index in 0..100 {
        let cell = Vec3::new((index % 5) as f32, (index / 5 % 5) as f32, (index / 25) as f32) - Vec3::splat(2.0);
        let place = cell * 1.5 + vector(&mut random, 0.2);
        let body = Body::dynamic().at(place.as_dvec3()).velocity(-place * 1.5 + vector(&mut random, 1.0));
        world.add(body.shape(Shape::sphere(0.3 + 0.25 * random.f32())?).restitution(1.0).friction(0.0))?;
    }
    let energy = world.energy().total();
    let (mut hits, mut worst) = (0, 0.0f64);
    for _ in 0..1000 {
        hits += world.step(DT)?.contacts;
        worst = worst.max((world.energy().total() / energy - 1.0).abs());
    }
    println!("{hits} contacts, energy off by {worst:.1e}");
    assert!(hits > 200 && worst < 1e-5, "{hits} contacts, energy off by {worst:e}");
    Ok(())
}

/// Impulses that pass on from ball to ball: the last one flies off with the speed of the first.
#[test]
fn an_impact_passes_through_a_row_of_touching_balls() -> Outcome {
    let mut world = weightless(Solver::WorstFirst { iterations: 32, projection: Projection::Linear });
    let mut ids = Vec::new();
    for index in 0..5 {
        // A hair closer than touching: there are contacts, shallower than what is pushed out.
        let x = f64::from(index) * 0.9999 - if index == 0 { 0.5 } else { 0.0 };
        let speed = if index == 0 { 3.0 } else { 0.0 };
        let body = Body::dynamic().at([x, 0.0, 0.0]).velocity([speed, 0.0, 0.0]);
        ids.push(world.add(body.shape(Shape::sphere(0.5)?).restitution(1.0).friction(0.0))?);
    }
    for _ in 0..30 {
        world.step(DT)?;
    }
    for (id, expected) in ids.into_iter().zip([0.0, 0.0, 0.0, 0.0, 3.0]) {
        let speed = world.body(id)?.velocity().x;
        assert!((speed - expected).abs() < 1e-4, "{speed}, expected {expected}");
    }
    Ok(())
}

#[test]
fn a_ball_bounces_as_high_as_its_restitution_says_and_comes_to_rest() -> Outcome {
    const SHORT: f32 = 2e-4;
    for solver in STRATEGIES {
        for restitution in [0.0f32, 0.3, 0.6, 0.9] {
            let mut world = on_a_floor(solver, 0.5)?;
            let body = Body::dynamic().at([0.0, 2.5, 0.0]).shape(Shape::sphere(0.5)?).restitution(restitution);
            let id = world.add(body)?;
            let (mut bounced, mut highest) = (false, 0.0f64);
            for _ in 0..(2.0 / SHORT) as usize {
                bounced |= world.step(SHORT)?.contacts > 0;
                let body = world.body(id)?;
                if bounced {
                    highest = highest.max(body.position().y);
                }
                if bounced && restitution > 0.0 && highest > 0.55 && body.velocity().y < -0.1 {
                    break;
                }
            }
            let expected = 0.5 + 2.0 * f64::from(restitution * restitution);
            // What it dips in is missing above: up to the way of a step.
            let slack = 0.01 * (expected - 0.5) + 6.3 * f64::from(SHORT);
            assert!((highest - expected).abs() < slack, "{solver:?}, e = {restitution}: {highest}, not {expected}");
            for _ in 0..1500 {
                world.step(DT)?;
            }
            let body = world.body(id)?;
            assert!(body.velocity().length() < 1e-3, "{solver:?}, e = {restitution}: {}", body.velocity());
            assert!((body.position().y - 0.5).abs() < 0.006, "{solver:?}: {}", body.position());
        }
    }
    Ok(())
}

#[test]
fn a_box_rests_without_creeping_and_sleeps() -> Outcome {
    for solver in STRATEGIES {
        let mut world = World::builder().solver(solver).build()?;
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        let body = |x: f64| -> Result<Body, ShapeError> {
            Ok(Body::dynamic().at([x, 0.55, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))
        };
        let (wakeful, sleeper) = (world.add(body(0.0)?.may_sleep(false))?, world.add(body(5.0)?)?);
        for _ in 0..120 {
            world.step(DT)?;
        }
        let rest = world.body(wakeful)?.pose();
        assert!((rest.position.y - 0.5).abs() < 0.006, "{solver:?}: {rest:?}");
        let (mut furthest, mut most_turn) = (0.0f64, 0.0f32);
        for _ in 0..10_000 {
            world.step(DT)?;
            let pose = world.body(wakeful)?.pose();
            furthest = furthest.max(pose.position.distance(rest.position));
            let turn = rest.rotation.conjugate() * pose.rotation;
            most_turn = most_turn.max(2.0 * Vec3::new(turn.x, turn.y, turn.z).length());
        }
        // The box is 1 m wide.
        assert!(furthest < 1e-4 && most_turn < 1e-4, "{solver:?}: moved by {furthest} m, turned by {most_turn}");
        assert!(world.body(sleeper)?.is_asleep() && !world.body(wakeful)?.is_asleep(), "{solver:?}");
        // Struck, it wakes and slides.
        world.body_mut(sleeper)?.set_velocity([1.0, 0.0, 0.0])?;
        world.step(DT)?;
        assert!(world.body(sleeper)?.velocity().x > 0.5, "{solver:?}");
    }
    Ok(())
}

#[test]
fn a_stack_of_five_stands() -> Outcome {
    for solver in STRATEGIES {
        let mut world = on_a_floor(solver, 0.5)?;
        let ids = stack(&mut world, 5)?;
        for _ in 0..600 {
            world.step(DT)?;
        }
        let mut worst = 0.0f64;
        for (level, id) in ids.into_iter().enumerate() {
            let place = world.body(id)?.position();
            worst = worst.max((place - DVec3::new(0.0, 0.5 + level as f64, 0.0)).length());
        }
        println!("{solver:?}: off by {worst:.4} m after 10 s");
        assert!(worst < 0.06, "{solver:?}: off by {worst}");
    }
    Ok(())
}

fn stack(world: &mut World, height: u32) -> Result<Vec<BodyId>, Box<dyn std::error::Error>> {
    (0..height)
        .map(|level| {
            let body = Body::dynamic().at([0.0, 0.5 + f64::from(level), 0.0]);
            Ok(world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?))?)
        })
        .collect()
}

#[test]
fn a_sliding_box_stops_where_friction_says() -> Outcome {
    let (friction, speed) = (0.4f32, 3.0f32);
    for solver in STRATEGIES {
        for degrees in [0.0f32, 22.5, 45.0] {
            let mut world = on_a_floor(solver, friction)?;
            let course = Quat::from_rotation_y(degrees.to_radians()) * Vec3::X;
            let body = Body::dynamic().at([0.0, 0.2 - 0.002, 0.0]).velocity(course * speed);
            let id = world.add(body.shape(Shape::cuboid(0.5, 0.2, 0.5)?).friction(friction))?;
            for _ in 0..480 {
                world.step(1.0 / 240.0)?;
            }
            let (place, velocity) = (world.body(id)?.position(), world.body(id)?.velocity());
            let expected = f64::from(speed * speed / (2.0 * friction * GRAVITY));
            let travelled = place.x.hypot(place.z);
            assert!((travelled / expected - 1.0).abs() < 0.01, "{solver:?}, {degrees}°: {travelled}, not {expected}");
            assert!(velocity.length() < 1e-3, "{solver:?}, {degrees}°: {velocity}");
            let straight = course.as_dvec3().dot(place) / travelled;
            assert!(straight > 0.9999, "{solver:?}, {degrees}°: off course to {place}");
        }
    }
    Ok(())
}

/// On a slope a box stays while tan θ < μ; above, it is faster by g·(sin θ − μ·cos θ) each second.
#[test]
fn a_box_slips_at_the_friction_angle() -> Outcome {
    let friction = 0.5f32;
    for solver in STRATEGIES {
        for ratio in [0.99f32, 1.01, 1.5] {
            let angle = (friction * ratio).atan();
            let turn = Quat::from_rotation_z(-angle);
            let normal = turn * Vec3::Y;
            let mut world = heavy(solver);
            world.add(Body::fixed().shape(Shape::half_space(normal)?).friction(friction))?;
            let body = Body::dynamic().at((normal * 0.198).as_dvec3()).rotated(turn);
            let id = world.add(body.shape(Shape::cuboid(0.5, 0.2, 0.5)?).friction(friction))?;
            for _ in 0..240 {
                world.step(1.0 / 120.0)?;
            }
            let speed = world.body(id)?.velocity().dot(turn * Vec3::X);
            let expected = (2.0 * GRAVITY * (angle.sin() - friction * angle.cos())).max(0.0);
            // A hundredth above the angle the pull is the difference of two that are a hundred times as large.
            assert!((speed - expected).abs() < 0.01 * expected + 5e-4, "{solver:?}: {speed}, expected {expected}");
        }
    }
    Ok(())
}

/// A torque of ρ·r·N against the rolling slows a rolling ball by 5/7·ρ·g: N·ρ·r / (r·(m + I/r²)).
#[test]
fn a_rolling_ball_stops_where_rolling_friction_says() -> Outcome {
    let (rolling_friction, speed, radius) = (0.05f32, 1.0f32, 0.25f32);
    for solver in STRATEGIES {
        let mut world = on_a_floor(solver, 0.8)?;
        let body = Body::dynamic().at([0.0, f64::from(radius) - 0.002, 0.0]).velocity([speed, 0.0, 0.0]);
        let body = body.angular_velocity([0.0, 0.0, -speed / radius]).shape(Shape::sphere(radius)?).friction(0.8);
        let id = world.add(body.rolling_friction(rolling_friction))?;
        for _ in 0..1000 {
            world.step(1.0 / 240.0)?;
        }
        let expected = f64::from(speed * speed / (2.0 * 5.0 / 7.0 * rolling_friction * GRAVITY));
        let (travelled, velocity) = (world.body(id)?.position().x, world.body(id)?.velocity());
        assert!((travelled / expected - 1.0).abs() < 0.01, "{solver:?}: {travelled}, expected {expected}");
        assert!(velocity.length() < 1e-3, "{solver:?}: {velocity}");
    }
    Ok(())
}

/// Of what pulls a ball down a slope, 5/7 make it faster: a = g·sin α / (1 + I/mr²).
#[test]
fn a_sphere_rolls_down_a_slope_with_five_sevenths_of_its_pull() -> Outcome {
    for solver in STRATEGIES {
        for slope in [0.1f32, 0.3, 0.6] {
            let turn = Quat::from_rotation_z(-slope.atan());
            let normal = turn * Vec3::Y;
            let mut world = heavy(solver);
            world.add(Body::fixed().shape(Shape::half_space(normal)?).friction(1.0))?;
            let body = Body::dynamic().at((normal * 0.498).as_dvec3()).shape(Shape::sphere(0.5)?).friction(1.0);
            let id = world.add(body)?;
            for _ in 0..240 {
                world.step(1.0 / 120.0)?;
            }
            let expected = 2.0 * 5.0 / 7.0 * GRAVITY * slope.atan().sin();
            let body = world.body(id)?;
            let (speed, spin) = (body.velocity().dot(turn * Vec3::X), -0.5 * body.angular_velocity().z);
            assert!((speed / expected - 1.0).abs() < 0.01, "{solver:?}, {slope}: {speed} m/s instead of {expected}");
            assert!((spin / expected - 1.0).abs() < 0.01, "{solver:?}, {slope}: turns at {spin} m/s");
        }
    }
    Ok(())
}

/// On a conveyor a box gains μ·g each second until it is as fast as the belt.
#[test]
fn a_conveyor_carries_a_box() -> Outcome {
    for solver in STRATEGIES {
        let mut world = heavy(solver);
        let belt = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(20.0, 0.5, 2.0)?).friction(0.4);
        world.add(belt.surface_velocity([2.0, 0.0, 0.0]))?;
        let body = Body::dynamic().at([0.0, 0.198, 0.0]).shape(Shape::cuboid(0.3, 0.2, 0.3)?).friction(0.4);
        let id = world.add(body)?;
        for _ in 0..60 {
            world.step(1.0 / 240.0)?;
        }
        let speed = world.body(id)?.velocity().x;
        let expected = 0.25 * 0.4 * GRAVITY;
        assert!((speed / expected - 1.0).abs() < 1e-3, "{solver:?}: {speed}, expected {expected}");
        for _ in 0..240 {
            world.step(1.0 / 240.0)?;
        }
        let speed = world.body(id)?.velocity().x;
        assert!((speed - 2.0).abs() < 1e-3, "{solver:?}: {speed}");
    }
    Ok(())
}

#[test]
fn warm_starts_need_fewer_rounds() -> Outcome {
    const MOST: u32 = 600;
    // Of what gravity adds in a step.
    let wanted = 1e-2 * GRAVITY * DT;
    let rounds = |warm: bool| -> Result<(usize, usize, f32), Box<dyn std::error::Error>> {
        let mut world = on_a_floor(Solver::ProjectedGaussSeidel { iterations: MOST, warm }, 0.5)?;
        stack(&mut world, 5)?;
        let (mut sum, mut most) = (0, 0);
        for step in 0..120 {
            world.step(DT)?;
            if step >= 60 {
                let reached = world.convergence().iter().position(|&residual| residual <= wanted);
                let needed = 1 + reached.ok_or("the residual was not reached")?;
                (sum, most) = (sum + needed, most.max(needed));
            }
        }
        Ok((sum, most, world.convergence().first().copied().unwrap_or(0.0)))
    };
    let (cold, warm) = (rounds(false)?, rounds(true)?);
    for (name, (sum, most, first)) in [("cold", cold), ("warm", warm)] {
        let mean = sum as f32 / 60.0;
        println!(
            "{name}: {mean:.1} rounds to {wanted:.1e} m/s on five boxes, at most {most}; the first at {first:.1e} m/s"
        );
    }
    assert!(4 * warm.0 < cold.0, "cold {cold:?}, warm {warm:?}");
    Ok(())
}

#[test]
fn overlapping_boxes_are_moved_apart_and_none_deeper() -> Outcome {
    // Turning one box out of another may turn it a little into a third.
    for (projection, most_growth, most_left) in [(Projection::Linear, 1.02, 0.0075), (Projection::Nonlinear, 1.1, 0.01)]
    {
        let (mut worst_growth, mut worst_left) = (0.0f32, 0.0f32);
        for seed in 0..20 {
            let mut world = weightless(Solver::WorstFirst { iterations: 16, projection });
            let mut random = fastrand::Rng::with_seed(seed);
            // A row of boxes, each a little inside of the next, turned a little.
            for index in 0..6 {
                let place = DVec3::new(f64::from(index) * 0.9, 0.1 * random.f64(), 0.1 * random.f64());
                let turn = Quat::from_scaled_axis(vector(&mut random, 0.1));
                let body = Body::dynamic().at(place).rotated(turn).density(100.0 + 900.0 * random.f32());
                world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?).friction(0.0))?;
            }
            let start = world.step(DT)?.deepest;
            let mut depths = Vec::new();
            for _ in 0..60 {
                depths.push(world.step(DT)?.deepest);
            }
            assert!(start > 0.05, "seed {seed}: {start} m to take out prove nothing");
            worst_growth = worst_growth.max(depths.iter().copied().fold(0.0, f32::max) / start);
            let left = depths.last().copied().unwrap_or(start);
            worst_left = worst_left.max(left);
            let moving = world.bodies().map(|body| body.velocity().length()).fold(0.0, f32::max);
            assert!(moving < 1e-5, "{projection:?}, seed {seed}: projection made {moving} m/s");
        }
        println!("{projection:?}: later depths up to {worst_growth:.3} of the first, {worst_left:.4} m left after 1 s");
        assert!(worst_growth < most_growth, "{projection:?}: {worst_growth} of the depth at the start");
        assert!(worst_left < most_left, "{projection:?}: {worst_left} m left");
    }
    Ok(())
}

/// Depth beside the middle of a plank: moved without turning it goes back as a whole; turning, it yields by less, and turns by no more
/// than the limit.
#[test]
fn nonlinear_projection_turns_a_plank_by_no_more_than_its_limit() -> Outcome {
    let run = |projection: Projection, depth: f64| -> Result<(f64, f32), Box<dyn std::error::Error>> {
        let mut world = weightless(Solver::WorstFirst { iterations: 16, projection });
        // A ball of radius 0.1 sticks out of the plank's lower side, at 0.2.
        world.add(Body::fixed().at([0.6, 0.2 - depth, 0.0]).shape(Shape::sphere(0.1)?))?;
        let rod = world.add(Body::dynamic().at([0.0, 0.4, 0.0]).shape(Shape::cuboid(1.0, 0.2, 0.5)?).friction(0.0))?;
        world.step(DT)?;
        let body = world.body(rod)?;
        Ok((body.position().y - 0.4, body.rotation().to_scaled_axis().z))
    };
    let (depth, slop) = (0.05, 0.001);
    let inside = 0.1 - depth;
    // The size of the sphere is 0.1, so the slop is 0.001.
    let (moved, turned) = run(Projection::Linear, depth)?;
    assert!((moved - (inside - slop)).abs() < 1e-4 && turned == 0.0, "{moved} m, {turned} rad");
    // Shares 1/m and x²/I with I = m/3·(1² + 0.2²), x = 0.6.
    let (moved, turned) = run(Projection::Nonlinear, depth)?;
    let yields = 0.36 * 3.0 / 1.04;
    assert!((moved - (inside - slop) / (1.0 + yields)).abs() < 1e-3, "{moved} m");
    assert!((f64::from(turned) - (inside - slop) * yields / (1.0 + yields) / 0.6).abs() < 2e-3, "{turned} rad");
    // Deeper, the turn ends at 0.1 rad, and the centre moves by what is missing.
    let (moved, turned) = run(Projection::Nonlinear, -0.1)?;
    assert!((turned - 0.1).abs() < 1e-4, "{turned} rad");
    assert!((moved - (0.2 - slop - 0.06)).abs() < 1e-3, "{moved} m");
    Ok(())
}

/// Of each fault of the last step whose it is, when it arose and what it is.
fn told(world: &World) -> Vec<(BodyId, FaultStage, FaultCause)> {
    world.last_step().faults.iter().map(|fault| (fault.body, fault.stage, fault.cause)).collect()
}

#[test]
fn bodies_that_overflow_are_named_and_the_rest_goes_on() -> Outcome {
    for solver in STRATEGIES {
        let mut world = weightless(solver);
        let bystander = world.add(Body::dynamic().at([0.0, 9.0, 0.0]).velocity([1.0; 3]).shape(Shape::sphere(0.5)?))?;
        // Each speed is a number; that at which they close is none.
        let mut broken = Vec::new();
        for x in [0.0f64, 0.9] {
            let speed = if x == 0.0 { 2e38 } else { -2e38 };
            let body = Body::dynamic().at([x, 0.0, 0.0]).velocity([speed, 0.0, 0.0]).shape(Shape::sphere(0.5)?);
            broken.push((world.add(body.restitution(1.0))?, x));
        }
        world.step(DT)?;
        let expected: Vec<_> = broken.iter().map(|&(id, _)| (id, FaultStage::Contacts, FaultCause::Velocity)).collect();
        assert_eq!(told(&world), expected, "{solver:?}");
        for &(id, x) in &broken {
            let body = world.body(id)?;
            assert!(body.is_set_aside() && body.velocity() == Vec3::ZERO, "{solver:?}");
            assert_eq!(body.position(), DVec3::X * x, "{solver:?}");
        }
        world.step(DT)?;
        assert_eq!(told(&world), [], "{solver:?}");
        for body in world.bodies() {
            assert!(body.velocity().is_finite() && body.position().is_finite(), "{solver:?}");
        }
        assert_eq!(world.body(bystander)?.velocity(), Vec3::ONE);
    }
    Ok(())
}

#[test]
fn a_torque_that_overflows_names_the_spin_for_every_solver() -> Outcome {
    for solver in STRATEGIES.into_iter().chain([Solver::default()]) {
        let mut world = weightless(solver);
        let bystander = world.add(Body::dynamic().at([0.0, 9.0, 0.0]).velocity([1.0; 3]).shape(Shape::sphere(0.5)?))?;
        // The torque is a number; divided by an inertia of 1e-4 it is none.
        let top = world.add(Body::dynamic().shape(Shape::sphere(0.5)?).mass(1e-3))?;
        world.body_mut(top)?.apply_torque([0.0, f32::MAX, 0.0])?;
        world.step(DT)?;
        assert_eq!(told(&world), [(top, FaultStage::Forces, FaultCause::AngularVelocity)], "{solver:?}");
        let body = world.body(top)?;
        assert!(body.is_set_aside() && body.pose() == Pose::IDENTITY, "{solver:?}");
        assert_eq!(body.angular_velocity(), Vec3::ZERO, "{solver:?}");
        world.step(DT)?;
        assert_eq!(told(&world), [], "{solver:?}");
        assert_eq!(world.body(bystander)?.velocity(), Vec3::ONE, "{solver:?}");
    }
    Ok(())
}
