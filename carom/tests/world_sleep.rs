//! What sleeps, what wakes it, and that it costs little meanwhile.

use carom::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;

/// A floor and ten cubes side by side, touching or not, all asleep.
fn sleepers(spacing: f64) -> Result<(World, BodyId, Vec<BodyId>), Box<dyn std::error::Error>> {
    let mut world = World::default();
    let floor = world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(50.0, 0.5, 50.0)?))?;
    let cubes = (0..10)
        .map(|index| {
            let body = Body::dynamic().at([spacing * f64::from(index), 0.5, 0.0]);
            Ok(world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?).friction(0.3))?)
        })
        .collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
    for _ in 0..180 {
        world.step(DT)?;
    }
    for id in &cubes {
        assert!(world.body(*id)?.is_asleep());
    }
    Ok((world, floor, cubes))
}

#[test]
fn a_hit_wakes_a_chain_of_ten_in_one_step() -> Outcome {
    let (mut world, _, cubes) = sleepers(1.0)?;
    world.add(Body::dynamic().at([-1.2, 0.5, 0.0]).velocity([15.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    world.step(DT)?;
    for id in &cubes {
        assert!(!world.body(*id)?.is_asleep());
    }
    Ok(())
}

#[test]
fn a_hit_wakes_none_that_it_does_not_reach() -> Outcome {
    let (mut world, _, cubes) = sleepers(3.0)?;
    world.add(Body::dynamic().at([0.0, 1.9, 0.0]).shape(Shape::sphere(0.5)?))?;
    for _ in 0..40 {
        world.step(DT)?;
    }
    assert!(!world.body(cubes[0])?.is_asleep());
    for id in &cubes[1..] {
        assert!(world.body(*id)?.is_asleep());
    }
    Ok(())
}

#[test]
fn removal_and_a_ground_that_moves_away_wake() -> Outcome {
    let (mut world, floor, cubes) = sleepers(3.0)?;
    world.remove(floor)?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    for id in &cubes {
        assert!(world.body(*id)?.position().y < -3.0);
    }
    let (mut world, floor, cubes) = sleepers(3.0)?;
    world.body_mut(floor)?.set_pose(Pose::at([0.0, -9.0, 0.0]))?;
    for _ in 0..30 {
        world.step(DT)?;
    }
    for id in &cubes {
        assert!(world.body(*id)?.position().y < 0.0);
    }
    Ok(())
}

#[test]
fn something_put_into_a_sleeper_wakes_it() -> Outcome {
    let (mut world, _, cubes) = sleepers(3.0)?;
    let post = world.add(Body::fixed().at([0.0, 20.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    world.step(DT)?;
    assert!(world.body(cubes[4])?.is_asleep());
    world.body_mut(post)?.set_pose(Pose::at([12.7, 0.5, 0.0]))?;
    world.step(DT)?;
    assert!(!world.body(cubes[4])?.is_asleep());
    assert!(world.body(cubes[3])?.is_asleep());
    Ok(())
}

#[test]
fn sleepers_stand_to_the_last_bit_and_are_not_collided() -> Outcome {
    let (mut world, _, cubes) = sleepers(1.0)?;
    let poses: Vec<Pose> = cubes.iter().map(|id| Ok(world.body(*id)?.pose())).collect::<Result<_, BodyError>>()?;
    let before = world.hash();
    for _ in 0..100 {
        world.step(DT)?;
        // A pair that is collided anew forgets what it pushed until the solver says it again.
        assert!(world.manifolds().flat_map(|manifold| manifold.contacts()).any(|contact| contact.impulse > 0.0));
        assert_eq!(world.events().persisting().count(), 0);
    }
    assert_eq!(world.hash(), before);
    for (id, pose) in cubes.iter().zip(poses) {
        assert_eq!(world.body(*id)?.pose(), pose);
    }
    Ok(())
}

/// Ten balls that roll on ice and never rest; beside them as many cubes as are asked for, side by side and asleep.
fn rollers_beside(sleepers: i32) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::builder().threads(1).build()?;
    let floor = Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(400.0, 0.5, 400.0)?);
    world.add(floor.friction(0.5))?;
    let side = f64::from(sleepers).sqrt().ceil() as i32;
    for index in 0..sleepers {
        let place = [f64::from(index % side), 0.5, f64::from(index / side) + 20.0];
        world.add(Body::dynamic().at(place).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    }
    for index in 0..10 {
        let ball = Body::dynamic().at([2.0 * f64::from(index), 0.5, 0.0]).velocity([0.0, 0.0, -0.2]);
        world.add(ball.shape(Shape::sphere(0.5)?))?;
    }
    for _ in 0..40 {
        world.step(DT)?;
    }
    assert_eq!(world.bodies().filter(|body| body.is_asleep()).count(), sleepers as usize);
    Ok(world)
}

#[test]
fn twenty_thousand_sleepers_cost_next_to_nothing() -> Outcome {
    let (mut alone, mut beside) = (rollers_beside(0)?, rollers_beside(20_000)?);
    assert!(beside.last_step().contacts > 200_000);
    // The least of many turns: whatever else the machine does only adds to it. Of each step all, and without the broad
    // phase, which looks at the pairs of all boxes.
    let mut least = [[f64::INFINITY; 2]; 2];
    for _ in 0..300 {
        for (world, [all, rest]) in [&mut alone, &mut beside].into_iter().zip(&mut least) {
            let start = std::time::Instant::now();
            let times = world.step(DT)?.times;
            *all = all.min(1e6 * start.elapsed().as_secs_f64());
            *rest = rest.min(1e6 * (times.narrow + times.response + times.impact).as_secs_f64());
        }
    }
    let [[alone, rest_alone], [beside, rest_beside]] = least;
    println!("a step of ten that roll: {alone:.1} µs alone, {beside:.1} µs beside 20,000 that sleep");
    println!("without the broad phase: {rest_alone:.1} µs alone, {rest_beside:.1} µs beside 20,000 that sleep");
    assert!(beside < 2.0 * alone + 300.0, "{alone} µs alone, {beside} µs beside sleepers");
    assert!(rest_beside < 2.0 * rest_alone + 50.0, "{rest_alone} µs alone, {rest_beside} µs beside sleepers");
    Ok(())
}
