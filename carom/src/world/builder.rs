//! Settings that a world is built with.

use super::continuous::Sweeps;
use super::events::Log;
use super::{Continuous, PairFilter, Step, World};
use crate::body::Bodies;
use crate::broad::{Placed, Structure};
use crate::island::Islands;
use crate::narrow::{InnerEdges, Meetings};
use crate::response::{self, Solver};
use crate::slabs::Slabs;
use crate::threads::Counters;
use glam::Vec3;

/// Into how many substeps a step of [`Solver::SoftStep`], or pieces one of [`Continuous::Substeps`], is divided at the most.
pub const MOST_SUBSTEPS: u32 = 10_000;
/// How often the solvers that have rounds go through the contacts at the most: each round is noted, in memory as well.
pub const MOST_ITERATIONS: u32 = 100_000;

/// Settings of a world to be.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "a builder does nothing until it builds"]
pub struct WorldBuilder {
    gravity: Vec3,
    structure: Structure,
    solver: Solver,
    inner_edges: InnerEdges,
    bounce_threshold: f32,
    threads: Option<usize>,
    sleeping: bool,
    hit_speed: f32,
    continuous: Continuous,
}

impl WorldBuilder {
    pub(super) fn new() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            structure: Structure::default(),
            solver: Solver::default(),
            inner_edges: InnerEdges::default(),
            bounce_threshold: 1.0,
            threads: None,
            sleeping: true,
            hit_speed: 1.0,
            continuous: Continuous::default(),
        }
    }

    /// The acceleration of free fall, in m/s²; (0, −9.81, 0) unless said.
    pub fn gravity(mut self, gravity: impl Into<Vec3>) -> Self {
        self.gravity = gravity.into();
        self
    }

    /// How pairs are found.
    pub fn broad_phase(mut self, structure: Structure) -> Self {
        self.structure = structure;
        self
    }

    /// How contacts are solved.
    pub fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// What is felt of the inner edges of meshes, height fields and abutting shapes; nothing unless said.
    pub fn inner_edges(mut self, inner_edges: InnerEdges) -> Self {
        self.inner_edges = inner_edges;
        self
    }

    /// Impacts slower than this, in m/s, do not rebound, so that what bounces comes to rest; 1 unless said.
    pub fn bounce_threshold(mut self, speed: f32) -> Self {
        self.bounce_threshold = speed;
        self
    }

    /// Whether bodies that have come to rest fall asleep, so that they cost nothing; so unless said.
    pub fn sleeping(mut self, sleeping: bool) -> Self {
        self.sleeping = sleeping;
        self
    }

    /// How bodies are kept from passing through each other within a step.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::world::Continuous;
    ///
    /// // A bullet of 1 cm at 900 m/s, and a wall of 1 mm.
    /// let end = |continuous| -> Result<f64, Box<dyn std::error::Error>> {
    ///     let mut world = World::builder().continuous(continuous).build()?;
    ///     world.add(Body::fixed().shape(Shape::cuboid(0.0005, 2.0, 2.0)?))?;
    ///     let bullet = Body::dynamic().at([-10.0, 0.0, 0.0]).velocity([900.0, 0.0, 0.0]);
    ///     let bullet = world.add(bullet.shape(Shape::sphere(0.005)?))?;
    ///     for _ in 0..10 {
    ///         world.step(1.0 / 60.0)?;
    ///     }
    ///     Ok(world.body(bullet)?.position().x)
    /// };
    /// assert!(end(Continuous::Default)? < 0.0);
    /// assert!(end(Continuous::Off)? > 100.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn continuous(mut self, continuous: Continuous) -> Self {
        self.continuous = continuous;
        self
    }

    /// Pairs that begin to touch at this closing speed or faster, in m/s, are told of as hits; 1 unless said.
    pub fn hit_speed(mut self, speed: f32) -> Self {
        self.hit_speed = speed;
        self
    }

    /// On how many threads of rayon's pool steps are taken; on all of them unless said. The result does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The world, empty.
    pub fn build(self) -> Result<World, WorldError> {
        check_gravity(self.gravity)?;
        check_bounce_threshold(self.bounce_threshold)?;
        check_hit_speed(self.hit_speed)?;
        check_continuous(self.continuous)?;
        check_solver(self.solver)?;
        Ok(self.build_unchecked())
    }

    pub(super) fn build_unchecked(self) -> World {
        World {
            bodies: Bodies::default(),
            broad: self.structure.build(),
            structure: self.structure,
            filter: PairFilter::default(),
            boxes_for: None,
            overlapping: Vec::new(),
            strangers: Vec::new(),
            log: Log::new(self.hit_speed),
            gravity: self.gravity,
            solver: self.solver,
            bounce_threshold: self.bounce_threshold,
            threads: self.threads.unwrap_or_else(rayon::current_num_threads).max(1),
            level: crate::simd::level_for_eight(),
            placed: Placed::default(),
            meetings: Meetings::new(self.inner_edges),
            slabs: Slabs::default(),
            counters: Counters::default(),
            islands: Islands::default(),
            sleeps: self.sleeping,
            continuous: self.continuous,
            sweeps: Sweeps::default(),
            outcome: response::Outcome::default(),
            step: Step::default(),
            time: 0.0,
        }
    }
}

pub(super) fn check_gravity(gravity: Vec3) -> Result<(), WorldError> {
    if gravity.is_finite() { Ok(()) } else { Err(WorldError::Gravity { gravity }) }
}

/// Speeds that something happens from on: NaN is none.
fn is_threshold(speed: f32) -> bool {
    (0.0..=f32::MAX).contains(&speed)
}

pub(super) fn check_bounce_threshold(speed: f32) -> Result<(), WorldError> {
    if is_threshold(speed) { Ok(()) } else { Err(WorldError::BounceThreshold { speed }) }
}

pub(super) fn check_hit_speed(speed: f32) -> Result<(), WorldError> {
    if is_threshold(speed) { Ok(()) } else { Err(WorldError::HitSpeed { speed }) }
}

pub(super) fn check_continuous(continuous: Continuous) -> Result<(), WorldError> {
    match continuous {
        Continuous::Substeps(pieces) if !(1..=MOST_SUBSTEPS).contains(&pieces) => Err(WorldError::Pieces { pieces }),
        Continuous::Off | Continuous::Substeps(_) | Continuous::Adaptive | Continuous::Default => Ok(()),
    }
}

pub(super) fn check_solver(solver: Solver) -> Result<(), WorldError> {
    match solver {
        Solver::SoftStep { substeps } if !(1..=MOST_SUBSTEPS).contains(&substeps) => {
            Err(WorldError::Substeps { substeps })
        }
        Solver::WorstFirst { iterations, .. } | Solver::ProjectedGaussSeidel { iterations, .. }
            if !(1..=MOST_ITERATIONS).contains(&iterations) =>
        {
            Err(WorldError::Iterations { iterations })
        }
        Solver::SoftStep { .. } | Solver::WorstFirst { .. } | Solver::ProjectedGaussSeidel { .. } => Ok(()),
    }
}

/// Why a world could not be built, or not be set otherwise.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Gravity is NaN or infinite.
    #[error("the gravity {gravity} is not finite")]
    Gravity {
        /// What was given.
        gravity: Vec3,
    },
    /// The least speed of rebounds is negative or NaN.
    #[error("the bounce threshold is {speed} m/s; it must not be negative")]
    BounceThreshold {
        /// What was given.
        speed: f32,
    },
    /// The least speed of hits is negative or NaN.
    #[error("the least speed of hits is {speed} m/s; it must not be negative")]
    HitSpeed {
        /// What was given.
        speed: f32,
    },
    /// A step of the default solver has no substep, or too many.
    #[error("the solver's substeps are {substeps}; they must be 1 to {MOST_SUBSTEPS}")]
    Substeps {
        /// What was given.
        substeps: u32,
    },
    /// A solver has no round, or too many.
    #[error("the solver's iterations are {iterations}; they must be 1 to {MOST_ITERATIONS}")]
    Iterations {
        /// What was given.
        iterations: u32,
    },
    /// A step is cut into no piece, or into too many.
    #[error("a step is cut into {pieces} pieces; they must be 1 to {MOST_SUBSTEPS}")]
    Pieces {
        /// What was given.
        pieces: u32,
    },
}
