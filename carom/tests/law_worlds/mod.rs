//! Worlds that the laws are tried in.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses some of this")]

use carom::prelude::*;
use carom::response::{Projection, Solver};
use carom::world::WorldBuilder;

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

pub const DT: f32 = 1.0 / 60.0;
pub const GRAVITY: f32 = 9.81;
/// How deep resting contacts may be.
pub const SLOP: f64 = 0.005;

/// The default, and the lectures' solvers in all their ways.
pub const SOLVERS: [Solver; 5] = [
    Solver::SoftStep { substeps: 4 },
    Solver::ProjectedGaussSeidel { iterations: 32, warm: true },
    Solver::ProjectedGaussSeidel { iterations: 32, warm: false },
    Solver::WorstFirst { iterations: 32, projection: Projection::Linear },
    Solver::WorstFirst { iterations: 32, projection: Projection::Nonlinear },
];

/// Whether this is compiled into `large_ways.rs`, where small worlds go the way of large ones.
pub fn is_large_way() -> bool {
    module_path!().starts_with("large_ways::")
}

/// The default solver. Nothing sleeps: laws hold for what is awake.
pub fn world(builder: WorldBuilder) -> World {
    builder.sleeping(false).build().expect("the gravity is finite")
}

pub fn weightless() -> World {
    world(World::builder().gravity([0.0; 3]))
}

pub fn with_gravity() -> World {
    world(World::builder().gravity([0.0, -GRAVITY, 0.0]))
}

/// A world with gravity and a floor whose surface is at y = 0.
pub fn with_floor(friction: f32, restitution: f32) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = with_gravity();
    add_floor(&mut world, friction, restitution)?;
    Ok(world)
}

pub fn add_floor(world: &mut World, friction: f32, restitution: f32) -> Outcome {
    let floor = Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(100.0, 1.0, 100.0)?);
    world.add(floor.friction(friction).restitution(restitution))?;
    Ok(())
}

pub fn unit_cube() -> Result<Shape, ShapeError> {
    Shape::cuboid(0.5, 0.5, 0.5)
}

pub fn run(world: &mut World, steps: usize) -> Outcome {
    for _ in 0..steps {
        world.step(DT)?;
    }
    Ok(())
}

/// The greatest speed of any dynamic body, rotation left out.
pub fn greatest_speed(world: &World) -> f32 {
    world.bodies().map(|body| body.velocity().length()).fold(0.0, f32::max)
}
