//! A step allocates nothing once all that is kept has grown: counted by the allocator of this binary, in all threads that
//! take part. Each scene is played several times over: its bodies are put back to where they began, so that rounds need
//! about the same. What is kept grows less and less often, and there must be rounds that need no more.

#![allow(unsafe_code, reason = "an allocator that counts")]

mod counting_allocator;
mod random;

use carom::body::BodyShape;
use carom::prelude::*;
use carom::world::Continuous;
use counting_allocator::Counting;
use fastrand::Rng;
use random::{between, direction, rotation, vector};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread takes steps. Those of the test harness do not.
    static IS_COUNTED: Cell<bool> = const { Cell::new(false) };
    /// How often this thread has allocated: threads of a pool that has been dropped do so as they end.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

fn count_one() {
    // Not while the thread is ending.
    if IS_COUNTED.try_with(Cell::get) == Ok(true) {
        COUNT.fetch_add(1, Ordering::Relaxed);
        OWN.set(OWN.get() + 1);
    }
}

#[global_allocator]
static COUNTING: Counting = Counting(count_one);

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const DT: f32 = 1.0 / 60.0;

/// One test at a time: they share the counter.
static TURN: Mutex<()> = Mutex::new(());

/// A scene is played so often at the most, and so many rounds in a row must not allocate.
const ROUNDS: usize = 40;
const QUIET_ROUNDS: usize = 2;

/// Plays a scene for `steps` steps, again and again, on one thread and on two, until some rounds allocate nothing.
fn allocates_nothing(build: impl Fn(usize) -> Outcome<World> + Sync, steps: usize) -> Outcome {
    allocates_nothing_with(0, build, steps)
}

/// The same of a scene that is to have so many pairs at once.
fn allocates_nothing_with(least_pairs: usize, build: impl Fn(usize) -> Outcome<World> + Sync, steps: usize) -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.start_handler(|_| IS_COUNTED.set(true)).build()?;
        let (quiet, faults) = pool.install(|| -> Outcome<(usize, Vec<(usize, usize)>)> {
            let mut world = build(threads)?;
            let mut faults = Vec::with_capacity(steps);
            let start: Vec<_> = world
                .bodies()
                .filter(|body| body.kind() != BodyKind::Fixed)
                .map(|body| (body.id(), body.pose(), body.velocity(), body.angular_velocity()))
                .collect();
            let (mut most_contacts, mut most_pairs, mut quiet) = (0, 0, 0);
            for round in 0..ROUNDS {
                for &(id, pose, velocity, turning) in &start {
                    let mut body = world.body_mut(id)?;
                    body.set_pose(pose)?;
                    body.set_velocity(velocity)?;
                    body.set_angular_velocity(turning)?;
                }
                faults.clear();
                for step in 0..steps {
                    let before = COUNT.load(Ordering::Relaxed);
                    let done = world.step(DT)?;
                    let count = COUNT.load(Ordering::Relaxed) - before;
                    (most_contacts, most_pairs) = (most_contacts.max(done.contacts), most_pairs.max(done.pairs));
                    if count > 0 {
                        faults.push((step, count));
                    }
                }
                quiet = if faults.is_empty() { quiet + 1 } else { 0 };
                if quiet == QUIET_ROUNDS {
                    println!("{threads} threads: up to round {round} {quiet} allocate nothing in {steps} steps each");
                    break;
                }
            }
            assert!(most_contacts > 20, "{most_contacts} contacts prove nothing");
            assert!(most_pairs >= least_pairs, "{most_pairs} pairs are fewer than {least_pairs}");
            Ok((quiet, faults))
        })?;
        assert_eq!(quiet, QUIET_ROUNDS, "{threads} threads; steps and how often each allocated at last: {faults:?}");
    }
    Ok(())
}

/// A small world is stepped by the thread that asks for it: another would have to be woken in every step, and what it is told
/// by is allocated now and then.
#[test]
fn a_small_world_calls_nobody() -> Outcome {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut world = world(4)?;
    floor(&mut world)?;
    world.add(Body::dynamic().at([0.0, 0.5, 0.0]).may_sleep(false).shape(Shape::sphere(0.5)?))?;
    (0..60).try_for_each(|_| world.step(DT).map(|_| ()))?;
    IS_COUNTED.set(true);
    let before = OWN.get();
    let outcome = (0..1000).try_for_each(|_| world.step(DT).map(|_| ()));
    let count = OWN.get() - before;
    IS_COUNTED.set(false);
    outcome?;
    assert_eq!(count, 0);
    Ok(())
}

/// From a thread that is none of the pool's a shared step is handed over to it, for which rayon's queue allocates a block once
/// in some sixty times. Nothing else is.
#[test]
fn a_step_from_outside_the_pool_allocates_only_to_be_handed_over() -> Outcome {
    const STEPS: usize = 630;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut world = World::builder().threads(2).sleeping(false).build()?;
    floor(&mut world)?;
    pour(&mut world, [6, 4, 6], |_| Shape::cuboid(0.5, 0.5, 0.5))?;
    (0..600).try_for_each(|_| world.step(DT).map(|_| ()))?;
    IS_COUNTED.set(true);
    let before = OWN.get();
    let outcome = (0..STEPS).try_for_each(|_| world.step(DT).map(|_| ()));
    let count = OWN.get() - before;
    IS_COUNTED.set(false);
    outcome?;
    println!("{count} allocations in {STEPS} steps");
    assert!(count <= STEPS / 60 + 2, "{count} allocations");
    Ok(())
}

fn world(threads: usize) -> Outcome<World> {
    Ok(World::builder().threads(threads).build()?)
}

fn floor(world: &mut World) -> Outcome {
    world.add(Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(40.0, 1.0, 40.0)?))?;
    Ok(())
}

/// Walls around a square of this half width.
fn walls(world: &mut World, half: f32) -> Outcome {
    for (x, z) in [(1.0f32, 0.0f32), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let place = Vec3::new(x, 0.0, z) * (half + 0.5) + Vec3::Y * 10.0;
        let shape = Shape::cuboid(half - (half - 0.5) * x.abs(), 10.0, half - (half - 0.5) * z.abs())?;
        world.add(Body::fixed().at(place.as_dvec3()).shape(shape))?;
    }
    Ok(())
}

/// A grid of bodies above the ground, a little astray.
fn pour(world: &mut World, count: [i32; 3], mut shape: impl FnMut(usize) -> Result<Shape, ShapeError>) -> Outcome {
    let mut random = Rng::with_seed(7);
    let [across, high, deep] = count;
    for index in 0..across * high * deep {
        let (x, y, z) = (index % across, index / across / deep, index / across % deep);
        let cell = Vec3::new(x as f32 - 0.5 * (across - 1) as f32, y as f32, z as f32 - 0.5 * (deep - 1) as f32);
        let place = 1.2 * cell + Vec3::Y + vector(&mut random, 0.05);
        let body = Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random));
        world.add(body.shape(shape(index as usize)?))?;
    }
    Ok(())
}

#[test]
fn a_pyramid_at_rest() -> Outcome {
    let pyramid = |threads| {
        let mut world = World::builder().threads(threads).sleeping(false).build()?;
        floor(&mut world)?;
        for level in 0..15 {
            for index in 0..15 - level {
                let place = [f64::from(index) - 0.5 * f64::from(14 - level), 0.5 + f64::from(level), 0.0];
                world.add(Body::dynamic().at(place).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
            }
        }
        Ok(world)
    };
    allocates_nothing(pyramid, 120)
}

#[test]
fn a_container_that_bodies_fall_into_and_sleep_in() -> Outcome {
    let container = |threads| {
        let mut world = world(threads)?;
        floor(&mut world)?;
        walls(&mut world, 5.0)?;
        pour(&mut world, [7, 5, 7], |index| match index % 3 {
            0 => Shape::sphere(0.5),
            1 => Shape::cuboid(0.4, 0.4, 0.4),
            _ => Shape::capsule(0.3, 0.3),
        })?;
        Ok(world)
    };
    allocates_nothing(container, 150)
}

#[test]
fn hulls_on_a_mesh() -> Outcome {
    let terrain = |threads| {
        let mut random = Rng::with_seed(3);
        let side = 33u32;
        let place = |index: u32| Vec3::new((index % side) as f32, 0.2 * random.f32(), (index / side) as f32);
        let vertices: Vec<Vec3> = (0..side * side).map(place).map(|place| place - Vec3::new(16.0, 1.0, 16.0)).collect();
        let cells = (0..side * (side - 1)).filter(|index| index % side < side - 1);
        let triangles = cells.flat_map(|a| [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]).collect();
        let mut world = world(threads)?;
        world.add(Body::fixed().shape(Shape::mesh(vertices, triangles)?))?;
        pour(&mut world, [8, 1, 8], |_| {
            let points: Vec<Vec3> = (0..24).map(|_| direction(&mut random).as_vec3() * 0.5).collect();
            Shape::hull(&points)
        })?;
        Ok(world)
    };
    allocates_nothing(terrain, 90)
}

#[test]
fn a_pile_of_hulls() -> Outcome {
    let pile = |threads| {
        let mut random = Rng::with_seed(5);
        let mut world = world(threads)?;
        floor(&mut world)?;
        walls(&mut world, 4.0)?;
        pour(&mut world, [5, 4, 5], |_| {
            let points: Vec<Vec3> =
                (0..32).map(|_| direction(&mut random).as_vec3() * between(&mut random, 0.4, 0.5)).collect();
            Shape::hull(&points)
        })?;
        Ok(world)
    };
    allocates_nothing(pile, 120)
}

#[test]
fn bullets_that_are_swept() -> Outcome {
    let bullets = |threads| {
        let mut world = World::builder().threads(threads).continuous(Continuous::Default).build()?;
        floor(&mut world)?;
        pour(&mut world, [6, 4, 6], |_| Shape::cuboid(0.4, 0.4, 0.4))?;
        for index in 0..40 {
            let place = DVec3::new(-20.0, 0.3 + 0.1 * f64::from(index), f64::from(index % 7) - 3.0);
            let body = Body::dynamic().at(place).velocity([400.0, 0.0, 0.0]);
            world.add(body.shape(Shape::sphere(0.05)?).density(2000.0))?;
        }
        world.add(Body::fixed().at([10.0, 5.0, 0.0]).shape(Shape::cuboid(0.01, 5.0, 20.0)?))?;
        Ok(world)
    };
    allocates_nothing(bullets, 120)
}

/// From so many pairs on they are put in the order of space.
const LARGE: usize = 2049;

#[test]
fn a_large_container_with_a_stirrer_a_sensor_and_a_filter() -> Outcome {
    let container = |threads| {
        let mut world = world(threads)?;
        floor(&mut world)?;
        walls(&mut world, 9.0)?;
        pour(&mut world, [14, 9, 14], |index| match index % 3 {
            0 => Shape::sphere(0.5),
            1 => Shape::cuboid(0.4, 0.4, 0.4),
            _ => Shape::capsule(0.3, 0.3),
        })?;
        let stirrer = Body::kinematic().at([0.0, 1.0, 0.0]).angular_velocity([0.0, 1.5, 0.0]);
        world.add(stirrer.shape(Shape::cuboid(6.0, 0.4, 0.4)?).user_data(1))?;
        let sensor = BodyShape::new(Shape::cuboid(3.0, 2.0, 3.0)?).sensor();
        world.add(Body::fixed().at([0.0, 3.0, 0.0]).part(sensor))?;
        // Every seventh is nothing to the stirrer.
        let movable = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic);
        let ghosts: Vec<BodyId> = movable.map(|body| body.id()).step_by(7).collect();
        for id in ghosts {
            world.body_mut(id)?.set_user_data(2);
        }
        world.set_filter(|a, b| a.body.user_data() + b.body.user_data() != 3);
        Ok(world)
    };
    allocates_nothing_with(LARGE, container, 90)
}
