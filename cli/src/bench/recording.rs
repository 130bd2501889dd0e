//! Boxes over time: what a broad phase is fed with, step by step.

use super::{box_file, synthetic};
use crate::scene;
use crate::{Failure, simulate};
use carom::bounds::Aabb;
use carom::broad::Moved;
use carom::world::World;
use std::path::Path;
use synthetic::Drift;

/// How many steps boxes take that no scene tells.
const STEPS: u32 = 20;

/// The boxes of a scene in all its steps; a box's id is its place in `start`.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) scene: String,
    pub(super) steps: u32,
    /// What the boxes were made from, if they were made.
    pub(super) seed: Option<u64>,
    pub(super) start: Vec<Aabb>,
    motion: Motion,
    /// What the simulation found that must not be.
    pub(super) finding: Option<String>,
}

#[derive(Debug)]
enum Motion {
    /// What changed in each step; nothing after the last.
    Recorded(Vec<Vec<Moved>>),
    /// Computed when asked for: a million boxes over many steps would not fit into memory.
    Drifting(Drift),
}

/// What is said about made boxes on the command line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Making {
    pub(super) movers: Option<f64>,
    pub(super) seed: Option<u64>,
}

impl Recording {
    /// Of a scene by its name, as the manual has it; simulates it where it is one of bodies.
    pub(super) fn of(name: &str, steps: Option<u32>, making: Making) -> Result<Self, Failure> {
        if let Some(kind) = synthetic::Kind::named(name)? {
            let seed = making.seed.unwrap_or(1);
            let (start, drift) = kind.boxes(making.movers.unwrap_or(100.0), seed);
            let motion = Motion::Drifting(drift);
            let steps = steps.unwrap_or(STEPS);
            return Ok(Self { scene: name.into(), steps, seed: Some(seed), start, motion, finding: None });
        }
        if making.movers.is_some() || making.seed.is_some() {
            let option = if making.movers.is_some() { "--movers" } else { "--seed" };
            let kinds = synthetic::Kind::NAMES.map(|name| format!("{name}:N")).join(", ");
            return Err(Failure::Usage(format!("{option} is for made boxes ({kinds}), and `{name}` is none of them")));
        }
        if Path::new(name).extension().is_some_and(|extension| extension == "txt") {
            let start = box_file::read(Path::new(name))?;
            let motion = Motion::Recorded(Vec::new());
            return Ok(Self {
                scene: name.into(),
                steps: steps.unwrap_or(0),
                seed: None,
                start,
                motion,
                finding: None,
            });
        }
        Self::of_bodies(name, steps)
    }

    /// Adds what changes in a step to `moves`, which is emptied first; the first step is 1.
    pub(super) fn moves(&self, step: u32, moves: &mut Vec<Moved>) {
        moves.clear();
        match &self.motion {
            Motion::Recorded(steps) => moves.extend(steps.get(step as usize - 1).into_iter().flatten()),
            Motion::Drifting(drift) => moves.extend(drift.moves(&self.start, step)),
        }
    }

    /// All boxes after a step; 0 is the start.
    pub(super) fn boxes_after(&self, step: u32) -> Vec<Aabb> {
        let mut boxes = self.start.clone();
        let mut moves = Vec::new();
        for step in 1..=step {
            self.moves(step, &mut moves);
            for moved in &moves {
                boxes[moved.id as usize] = moved.bounds;
            }
        }
        boxes
    }

    fn of_bodies(name: &str, steps: Option<u32>) -> Result<Self, Failure> {
        let scene = scene::find(name)?.with(steps, None);
        let mut world = scene.world()?;
        let start: Vec<Aabb> = colliders(&world, scene.dt).map(|collider| collider.bounds).collect();
        let mut last = start.clone();
        let mut recorded = Vec::new();
        let report = simulate::run(&scene, &mut world, |world| {
            let changed = |now: &Moved| {
                let before = &mut last[now.id as usize];
                std::mem::replace(before, now.bounds) != now.bounds
            };
            recorded.push(colliders(world, scene.dt).filter(changed).collect());
        })
        .map_err(Failure::Finding)?;
        let finding = report.finding();
        let motion = Motion::Recorded(recorded);
        Ok(Self { scene: scene.name, steps: scene.steps, seed: None, start, motion, finding })
    }
}

/// The boxes of all colliders now. Nothing is removed from a scene's world, so they count alike in every step.
fn colliders(world: &World, dt: f32) -> impl Iterator<Item = Moved> {
    let placed = world.bodies().flat_map(move |body| {
        let (pose, displacement) = (body.pose(), body.velocity() * dt);
        body.shapes().map(move |collider| {
            (Aabb::around_shape_at(&collider.shape, &pose.compose(&collider.pose_in_body)), displacement)
        })
    });
    placed.zip(0..).map(|((bounds, displacement), id)| Moved { id, bounds, displacement })
}
