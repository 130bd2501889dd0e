//! What holds whatever the number of substeps, and with steps that are now long and now short.

mod law_worlds;
#[path = "law_worlds/piles.rs"]
mod piles;
mod random;

use carom::prelude::*;
use carom::response::Solver;
use law_worlds::{DT, GRAVITY, Outcome, add_floor, greatest_speed, is_large_way, world};
use piles::{add_pile, add_swarm, sum_of_momenta};

/// How long steps are.
#[derive(Debug, Clone, Copy)]
enum Pace {
    /// All of them 1/60 s.
    Even,
    /// 1/30 s and 1/144 s in turn.
    Alternating,
    /// Anything between these.
    Random,
}

/// A number of substeps, and how long the steps are.
#[derive(Debug, Clone, Copy)]
struct Way {
    substeps: u32,
    pace: Pace,
}

const WAYS: [Way; 6] = [
    Way { substeps: 1, pace: Pace::Even },
    Way { substeps: 2, pace: Pace::Even },
    Way { substeps: 8, pace: Pace::Even },
    Way { substeps: 16, pace: Pace::Even },
    Way { substeps: 4, pace: Pace::Alternating },
    Way { substeps: 4, pace: Pace::Random },
];

const LONG: f32 = 1.0 / 30.0;
const BRIEF: f32 = 1.0 / 144.0;

impl Way {
    fn builder(self) -> carom::world::WorldBuilder {
        World::builder().gravity([0.0, -GRAVITY, 0.0]).solver(Solver::SoftStep { substeps: self.substeps })
    }

    /// The lengths of all steps from now on, the same ones every time.
    fn steps(self) -> impl Iterator<Item = f32> {
        let mut random = fastrand::Rng::with_seed(17);
        (0..).map(move |step| match self.pace {
            Pace::Even => DT,
            Pace::Alternating if step % 2 == 0 => LONG,
            Pace::Alternating => BRIEF,
            Pace::Random => random::between(&mut random, BRIEF, LONG),
        })
    }

    /// Goes on for that many seconds or a step more, and tells how many.
    fn run(self, world: &mut World, seconds: f64) -> Result<f64, carom::world::StepError> {
        let mut time = 0.0;
        for dt in self.steps() {
            if time >= seconds {
                break;
            }
            world.step(dt)?;
            time += f64::from(dt);
        }
        Ok(time)
    }
}

/// From many heights, so that it meets the floor at any moment of a step. What it is off by grows with the step, not
/// with the height.
#[test]
fn a_ball_bounces_as_high_in_steps_of_any_kind() -> Outcome {
    let radius = 0.5f32;
    for (way, bar) in WAYS.into_iter().zip([7e-3, 7e-3, 7e-3, 7e-3, 0.04, 0.04]) {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for restitution in [0.3f32, 0.5, 0.8, 1.0] {
            for index in 0..10 {
                let drop = 4.0 + 0.0373 * f64::from(index);
                let mut world = world(way.builder());
                add_floor(&mut world, 0.0, restitution)?;
                let place = [0.0, drop + f64::from(radius), 0.0];
                let ball = Body::dynamic().at(place).shape(Shape::sphere(radius)?).friction(0.0);
                let id = world.add(ball.restitution(restitution))?;
                // Down, up and not all the way down again.
                let seconds = (1.0 + 1.8 * f64::from(restitution)) * (2.0 * drop / f64::from(GRAVITY)).sqrt();
                let (mut time, mut highest) = (0.0, 0.0f64);
                for dt in way.steps() {
                    world.step(dt)?;
                    time += f64::from(dt);
                    let body = world.body(id)?;
                    if body.velocity().y > 0.0 {
                        highest = highest.max(body.position().y - f64::from(radius));
                    }
                    if time > seconds {
                        break;
                    }
                }
                // v′ = e·v and h = v² / 2g.
                let off = highest - f64::from(restitution * restitution) * drop;
                (low, high) = (low.min(off), high.max(off));
                assert!(off.abs() < bar, "{way:?}, e = {restitution}, from {drop} m: {highest} m high, {off} m off");
            }
        }
        println!("{way:?}: rebounds are off by {low:.4} to {high:.4} m");
    }
    Ok(())
}

/// Within 1 %, but for a single substep: friction slows only at the end of each, by s·dt/v too early.
#[test]
fn a_box_slides_as_far_in_steps_of_any_kind() -> Outcome {
    let (friction, speed) = (0.4f32, 4.0f32);
    let expected = f64::from(speed * speed / (2.0 * friction * GRAVITY));
    for way in WAYS {
        let bar = if way.substeps == 1 { 0.02 } else { 0.01 };
        let (mut worst, mut most_aside) = (0.0f64, 0.0f64);
        for degrees in [0.0f32, 22.5, 45.0] {
            let mut world = world(way.builder());
            add_floor(&mut world, friction, 0.0)?;
            let course = Quat::from_rotation_y(degrees.to_radians()) * Vec3::X;
            let body = Body::dynamic().at([0.0, 0.25, 0.0]).velocity(course * speed);
            let id = world.add(body.shape(Shape::cuboid(0.5, 0.25, 0.5)?).friction(friction))?;
            way.run(&mut world, 2.0)?;
            let place = world.body(id)?.position();
            let way_of_it = place.dot(course.as_dvec3());
            worst = worst.max((way_of_it / expected - 1.0).abs());
            most_aside = most_aside.max((place - course.as_dvec3() * way_of_it).with_y(0.0).length());
            let rest = world.body(id)?.velocity().length();
            assert!((way_of_it / expected - 1.0).abs() < bar, "{way:?}, {degrees}°: {way_of_it} m, not {expected}");
            assert!(most_aside < 1e-3 && rest < 1e-3, "{way:?}, {degrees}°: {most_aside} m aside, at {rest} m/s");
        }
        println!("{way:?}: ways are off by {:.3} % at the most, {most_aside:.1e} m aside", 100.0 * worst);
    }
    Ok(())
}

/// For 20 s, and none sleeps. With one or two substeps towers sway and do not come to rest, and no more do they where
/// one step is five times as long as the next: then they wander.
#[test]
fn towers_stand_in_steps_of_any_kind() -> Outcome {
    // In the order of space they sway more.
    let (first, alternating) = if is_large_way() { ((0.35, 0.4), (0.7, 0.8)) } else { ((0.15, 0.2), (0.45, 0.8)) };
    let bars = [first, (0.06, 0.35), (1e-3, 1e-3), (1e-3, 1e-3), alternating, (0.015, 0.1)];
    for (way, (most_aside, most_speed)) in WAYS.into_iter().zip(bars) {
        for boxes in [5u32, 10] {
            let mut world = world(way.builder());
            add_floor(&mut world, 0.5, 0.0)?;
            let mut ids = Vec::new();
            for level in 0..boxes {
                let start = DVec3::Y * (0.5 + f64::from(level));
                ids.push((world.add(Body::dynamic().at(start).shape(law_worlds::unit_cube()?))?, start));
            }
            way.run(&mut world, 20.0)?;
            let (mut aside, mut sunk) = (0.0f64, 0.0f64);
            for (id, start) in ids {
                let moved = world.body(id)?.position() - start;
                aside = aside.max(moved.x.hypot(moved.z));
                sunk = sunk.max(-moved.y);
            }
            let speed = greatest_speed(&world);
            let case = format!("{way:?}, {boxes} boxes: {aside:.1e} m aside, {sunk:.1e} m low, {speed:.1e} m/s");
            println!("{case}");
            assert!(aside < most_aside && sunk < 0.15 && speed < most_speed, "{case}");
        }
    }
    Ok(())
}

#[test]
fn momentum_is_kept_in_steps_of_any_kind() -> Outcome {
    for way in WAYS {
        let mut worst = [0.0f64; 2];
        for seed in 0..5 {
            let mut world = world(way.builder().gravity([0.0; 3]));
            add_swarm(&mut world, seed)?;
            let (before, momenta) = (world.momentum(), sum_of_momenta(&world));
            way.run(&mut world, 4.0)?;
            let after = world.momentum();
            let off = [after.linear - before.linear, after.angular - before.angular].map(|off| off.length() / momenta);
            worst = [worst[0].max(off[0]), worst[1].max(off[1])];
        }
        println!("{way:?}: momentum is off by {:.1e}, angular momentum by {:.1e}", worst[0], worst[1]);
        assert!(worst[0] < 3e-6, "{way:?}: momentum is off by {:e}", worst[0]);
        // As in even steps of the same length: see `law_conservation.rs`.
        assert!(worst[1] < 1e-2, "{way:?}: angular momentum is off by {:e}", worst[1]);
    }
    Ok(())
}

#[test]
fn no_pile_gains_energy_in_steps_of_any_kind() -> Outcome {
    for (way, bar) in WAYS.into_iter().zip([8e-4, 1.5e-3, 1.7e-4, 5e-5, 4e-3, 1.2e-3]) {
        let (mut most, mut rises, mut moving) = (0.0f64, Vec::new(), 0.0f64);
        for seed in 0..20 {
            let mut world = world(way.builder());
            add_pile(&mut world, seed)?;
            let start = world.energy().total();
            let (mut least, mut rise, mut time) = (start, 0.0f64, 0.0);
            for dt in way.steps() {
                world.step(dt)?;
                let now = world.energy().total();
                most = most.max(now / start);
                rise = rise.max((now - least) / start);
                least = least.min(now);
                time += dt;
                if time > 4.0 {
                    break;
                }
            }
            rises.push(rise);
            moving = moving.max(world.energy().kinetic / start);
        }
        rises.sort_by(f64::total_cmp);
        println!(
            "{way:?}: energy rose by {:.1e} of that at the start at the most, {:.1e} in the median; {moving:.1e} are movement at the end",
            rises[19], rises[10]
        );
        assert!(most < 1.0 + 1e-6, "{way:?}: a pile has {most} of its energy at the start");
        // How much the worst of them gain is chance: of 100 that differ, one gains ten times as much as nine in ten.
        assert!(rises[17] < bar, "{way:?}: the third worst pile gains {}", rises[17]);
        assert!(rises[19] < 0.02, "{way:?}: a pile gains {}", rises[19]);
        assert!(moving < 0.06, "{way:?}: {moving} of a pile's energy is still movement");
    }
    Ok(())
}
