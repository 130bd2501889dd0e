//! Bodies of all kinds, that fly at each other or fall on each other. For tests that have `law_worlds` and `random`.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of this")]

use super::law_worlds::{Outcome, add_floor};
use super::random::{self, between, rotation, vector};
use carom::prelude::*;

/// A sphere, a box, a capsule or a hull about half a metre across.
pub fn any_shape(random: &mut fastrand::Rng) -> Result<Shape, ShapeError> {
    shape_of(random, [0.15, 0.35], [0.2, 0.35])
}

/// A sphere, a box, a capsule or a hull: half extents of the first three are in one range, corners of hulls as far out
/// as the other says.
pub fn shape_of(random: &mut fastrand::Rng, half: [f32; 2], corners: [f32; 2]) -> Result<Shape, ShapeError> {
    let mut size = || between(random, half[0], half[1]);
    let sizes = [size(), size(), size()];
    match random.u32(0..4) {
        0 => Shape::sphere(sizes[0]),
        1 => Shape::cuboid(sizes[0], sizes[1], sizes[2]),
        2 => Shape::capsule(sizes[0], 0.6 * sizes[1]),
        _ => {
            let far = |random: &mut fastrand::Rng| between(random, corners[0], corners[1]);
            let points: Vec<Vec3> = (0..16).map(|_| random::direction(random).as_vec3() * far(random)).collect();
            Shape::hull(&points)
        }
    }
}

/// 64 bodies of all kinds that fly at each other, with friction and restitution of any size.
pub fn add_swarm(world: &mut World, seed: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    let (friction, restitution) = (random.f32(), random.f32());
    for index in 0..64 {
        let cell = Vec3::new((index % 4) as f32, (index / 4 % 4) as f32, (index / 16) as f32) - Vec3::splat(1.5);
        let place = cell + vector(&mut random, 0.1);
        let body = Body::dynamic()
            .at(place.as_dvec3())
            .rotated(rotation(&mut random))
            .velocity(vector(&mut random, 1.0) - place)
            .angular_velocity(vector(&mut random, 4.0))
            .density(between(&mut random, 100.0, 2000.0))
            .friction(friction)
            .restitution(restitution);
        world.add(body.shape(any_shape(&mut random)?))?;
    }
    Ok(())
}

/// The sum of |m·v| of all dynamic bodies.
pub fn sum_of_momenta(world: &World) -> f64 {
    world.bodies().map(|body| f64::from(body.mass().unwrap_or(0.0) * body.velocity().length())).sum()
}

/// A floor, and 27 bodies of all kinds that come down on it, without restitution.
pub fn add_pile(world: &mut World, seed: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(100 + seed);
    let friction = random.f32();
    add_floor(world, friction, 0.0)?;
    for index in 0..27 {
        let cell = Vec3::new((index % 3) as f32, (index / 9) as f32 + 1.0, (index / 3 % 3) as f32);
        // So far apart that none begin inside each other.
        let place = 1.3 * cell + vector(&mut random, 0.05);
        let body = Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random)).friction(friction);
        let body = body.velocity(vector(&mut random, 1.0)).angular_velocity(vector(&mut random, 3.0));
        world.add(body.shape(any_shape(&mut random)?))?;
    }
    Ok(())
}

/// A narrow room of 2.9 m, and 81 bodies of all kinds that come down in it on each other, without restitution.
pub fn add_dense_pile(world: &mut World, seed: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(300 + seed);
    let friction = random.f32();
    add_floor(world, friction, 0.0)?;
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let wall = Body::fixed().at([x * 2.45, 8.0, z * 2.45]).shape(Shape::cuboid(
            if x == 0.0 { 4.0 } else { 1.0 },
            9.0,
            if z == 0.0 { 4.0 } else { 1.0 },
        )?);
        world.add(wall.friction(friction))?;
    }
    for index in 0..81 {
        let cell = Vec3::new((index % 3) as f32 - 1.0, (index / 9) as f32 + 0.6, (index / 3 % 3) as f32 - 1.0);
        // As narrow as none of them begins inside another, however it is turned.
        let place = 0.95 * cell + vector(&mut random, 0.015);
        let body = Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random)).friction(friction);
        let body = body.velocity(vector(&mut random, 1.0)).angular_velocity(vector(&mut random, 3.0));
        world.add(body.shape(shape_of(&mut random, [0.15, 0.26], [0.3, 0.45])?))?;
    }
    Ok(())
}
