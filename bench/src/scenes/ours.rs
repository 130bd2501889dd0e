//! Scenes in carom.

use carom::body::{Body, BodyId, BodyKind};
use carom::glam::Quat;
use carom::response::Solver;
use carom::shape::{Shape, ShapeError};
use carom::world::{Continuous, StageTimes, World};
use carom_bench_scenes::{self as scenes, DT, Kind, Outcome, SUBSTEPS, Scene, State};
use std::fmt;
use std::time::{Duration, Instant};

/// What a run came to, and where the time went.
pub struct Run {
    pub outcome: Outcome,
    pub stages: Stages,
    /// At the start and the most there ever was, in J for each dynamic body.
    pub energy: [f64; 2],
}

/// The mean time of each stage.
pub struct Stages(Vec<(&'static str, f64)>);

impl fmt::Display for Stages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: f64 = self.0.iter().map(|(_, time)| time).sum();
        let stages = self.0.iter().map(|(name, time)| format!("{name} {time:.3} ms ({:.0} %)", 100.0 * time / total));
        formatter.write_str(&stages.collect::<Vec<_>>().join(", "))
    }
}

/// The energy is looked at before every so manieth step.
const LOOK_EVERY: usize = 20;

/// Times `steps` steps after a first one.
pub fn run(scene: &Scene, threads: usize, steps: usize) -> Result<Run, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    pool.install(|| {
        let states: Vec<State> = scene.bodies.iter().map(start).collect();
        let (mut world, ids) = build(scene, &states)?;
        let fault = |error: carom::world::StepError| error.to_string();
        let start = world.energy().total();
        let mut most = start;
        world.step(DT).map_err(fault)?;
        let mut sums = [Duration::ZERO; 4];
        let mut elapsed = Duration::ZERO;
        for step in 0..steps {
            // Between the steps that are timed.
            if step % LOOK_EVERY == 0 {
                most = most.max(world.energy().total());
            }
            let begin = Instant::now();
            let StageTimes { broad, narrow, response, impact } = world.step(DT).map_err(fault)?.times;
            for (sum, time) in sums.iter_mut().zip([broad, narrow, response, impact]) {
                *sum += time;
            }
            elapsed += begin.elapsed();
        }
        let per_step = |time: Duration| time.as_secs_f64() * 1e3 / steps.max(1) as f64;
        let milliseconds = per_step(elapsed);
        let stages = ["broad", "narrow", "response", "impact"].into_iter().zip(sums.map(per_step));
        let states = states_of(&world, scene, &ids)?;
        let energy = [start, most.max(world.energy().total())].map(|energy| energy / states.len() as f64);
        Ok(Run { outcome: Outcome { milliseconds, states }, stages: Stages(stages.collect()), energy })
    })
}

/// The scene with each of its bodies in the given state. Whatever a race needs set is set here.
pub fn build(scene: &Scene, states: &[State]) -> Result<(World, Vec<BodyId>), String> {
    let solver = Solver::SoftStep { substeps: SUBSTEPS };
    let continuous = if scene.is_swept { Continuous::Default } else { Continuous::Off };
    let world = World::builder().gravity(scene.gravity).solver(solver).sleeping(false).continuous(continuous);
    let world = world.bounce_threshold(scenes::BOUNCE_THRESHOLD).threads(rayon::current_num_threads());
    let mut world = world.build().map_err(|error| error.to_string())?;
    let shapes = scene.shapes.iter().map(shape).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let mut ids = Vec::with_capacity(scene.bodies.len());
    for (body, state) in scene.bodies.iter().zip(states) {
        let kind = match body.kind {
            Kind::Fixed => BodyKind::Fixed,
            Kind::Kinematic => BodyKind::Kinematic,
            Kind::Dynamic => BodyKind::Dynamic,
        };
        let mut description = Body::new(kind)
            .at(state.position.as_dvec3())
            .rotated(state.rotation)
            .velocity(state.velocity)
            .angular_velocity(state.angular_velocity)
            .density(body.density)
            .friction(scene.friction)
            .restitution(scene.restitution)
            .linear_damping(body.damping)
            .angular_damping(body.damping);
        for &index in &body.shapes {
            description = description.shape(shapes[index].clone());
        }
        ids.push(world.add(description).map_err(|error| error.to_string())?);
    }
    Ok((world, ids))
}

/// A body as the scene describes it.
pub fn start(body: &scenes::Body) -> State {
    State {
        position: body.position,
        rotation: body.rotation,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
    }
}

/// A body that nothing moves but its own velocity, after some time.
pub fn driven(body: &scenes::Body, time: f32) -> State {
    let mut state = start(body);
    state.position += body.velocity * time;
    state.rotation = Quat::from_scaled_axis(body.angular_velocity * time) * body.rotation;
    state
}

fn states_of(world: &World, scene: &Scene, ids: &[BodyId]) -> Result<Vec<State>, String> {
    let dynamic = scene.bodies.iter().zip(ids).filter(|(body, _)| body.kind == Kind::Dynamic);
    dynamic
        .map(|(_, &id)| {
            let body = world.body(id).map_err(|error| error.to_string())?;
            Ok(State {
                position: body.position().as_vec3(),
                rotation: body.rotation(),
                velocity: body.velocity(),
                angular_velocity: body.angular_velocity(),
            })
        })
        .collect()
}

fn shape(shape: &scenes::Shape) -> Result<Shape, ShapeError> {
    match shape {
        scenes::Shape::Sphere { radius } => Shape::sphere(*radius),
        scenes::Shape::Cuboid { half } => Shape::cuboid(half.x, half.y, half.z),
        scenes::Shape::Capsule { half_height, radius } => Shape::capsule(*half_height, *radius),
        scenes::Shape::Hull { points } => Shape::hull(points),
        scenes::Shape::Mesh { vertices, triangles } => Shape::mesh(vertices.clone(), triangles.clone()),
    }
}
