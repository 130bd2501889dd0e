//! How a scene's world works: what pulls its bodies, finds its pairs and solves its contacts; and from where to look.

use carom::body::Mixing;
use carom::broad::Structure;
use carom::glam::{DVec3, Vec3};
use carom::narrow::InnerEdges;
use carom::response::{Projection, Solver};
use carom::world::{Continuous, World, WorldBuilder};
use serde::{Deserialize, Serialize};

/// What a world is built with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(crate) gravity: Vec3,
    pub(crate) broad_phase: Structure,
    pub(crate) solver: Solver,
    pub(crate) inner_edges: InnerEdges,
    pub(crate) sleeping: bool,
    pub(crate) bounce_threshold: f32,
    pub(crate) hit_speed: f32,
    pub(crate) continuous: Continuous,
}

/// From where a scene is best looked at, and what is in the middle then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Camera {
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
}

impl Settings {
    /// A world to be that works so.
    pub(crate) fn builder(&self) -> WorldBuilder {
        World::builder()
            .gravity(self.gravity)
            .broad_phase(self.broad_phase)
            .solver(self.solver)
            .inner_edges(self.inner_edges)
            .sleeping(self.sleeping)
            .bounce_threshold(self.bounce_threshold)
            .hit_speed(self.hit_speed)
            .continuous(self.continuous)
    }

    /// The setting that would make a step take as good as for ever, and what is wrong with it.
    pub(super) fn overlong(&self) -> Option<(&'static str, String)> {
        if let Continuous::Substeps(count) = self.continuous
            && !(1..=MOST_ROUNDS).contains(&count)
        {
            return Some(("continuous", format!("the substeps are {count}; they must be from 1 to {MOST_ROUNDS}")));
        }
        let (field, count) = match self.solver {
            Solver::SoftStep { substeps } => ("substeps", substeps),
            Solver::WorstFirst { iterations, .. } | Solver::ProjectedGaussSeidel { iterations, .. } => {
                ("iterations", iterations)
            }
            // Solvers that are yet to come; the schema and the reader know only those above.
            _ => return None,
        };
        let is_sound = (1..=MOST_ROUNDS).contains(&count);
        (!is_sound).then(|| (field, format!("the solver's {field} are {count}; they must be from 1 to {MOST_ROUNDS}")))
    }
}

impl Camera {
    /// What is wrong with it.
    pub(super) fn objection(&self) -> Option<String> {
        let away = (self.from - self.to).length();
        let is_sound = away > 0.0 && away.is_finite();
        (!is_sound).then(|| format!("the camera at {} cannot look at {}", self.from, self.to))
    }
}

/// More substeps or rounds than anybody has a use for.
const MOST_ROUNDS: u32 = 10_000;

/// The written form of a broad phase.
#[derive(Deserialize)]
#[serde(remote = "Structure", rename_all = "snake_case")]
pub(super) enum StructureFile {
    BruteForce,
    SortAndSweep,
    SweepAndPrune,
    UniformGrid,
    HierarchicalGrid,
    SpatialHash,
    DynamicTree,
    Octree,
    KdTree,
    Bsp,
    StaticBvh,
    Auto,
}

/// The written form of a solver.
#[derive(Deserialize)]
#[serde(remote = "Solver", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum SolverFile {
    SoftStep {
        #[serde(default = "four")]
        substeps: u32,
    },
    WorstFirst {
        #[serde(default = "ten")]
        iterations: u32,
        #[serde(default, with = "ProjectionFile")]
        projection: Projection,
    },
    ProjectedGaussSeidel {
        #[serde(default = "ten")]
        iterations: u32,
        #[serde(default = "yes")]
        warm: bool,
    },
}

/// The written form of what keeps bodies from passing through each other.
#[derive(Deserialize)]
#[serde(remote = "Continuous", rename_all = "snake_case")]
pub(super) enum ContinuousFile {
    Off,
    Substeps(u32),
    Adaptive,
    Default,
}

#[derive(Deserialize)]
#[serde(remote = "Projection", rename_all = "snake_case")]
enum ProjectionFile {
    Linear,
    Nonlinear,
}

/// The written form of what is felt of inner edges.
#[derive(Deserialize)]
#[serde(remote = "InnerEdges", rename_all = "snake_case")]
pub(super) enum InnerEdgesFile {
    Smooth,
    Felt,
}

/// The written form of a mixing rule.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MixingFile {
    GeometricMean,
    Average,
    Min,
    Multiply,
    Max,
}

impl From<MixingFile> for Mixing {
    fn from(rule: MixingFile) -> Self {
        match rule {
            MixingFile::GeometricMean => Self::GeometricMean,
            MixingFile::Average => Self::Average,
            MixingFile::Min => Self::Min,
            MixingFile::Multiply => Self::Multiply,
            MixingFile::Max => Self::Max,
        }
    }
}

fn four() -> u32 {
    4
}

fn ten() -> u32 {
    10
}

pub(super) fn yes() -> bool {
    true
}
