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
        if !self.gravity.is_finite() {
            return Err(WorldError::Gravity { gravity: self.gravity });
        }
        // False for NaN, too.
        if !(0.0..=f32::MAX).contains(&self.bounce_threshold) {
            return Err(WorldError::BounceThreshold { speed: self.bounce_threshold });
        }
        if !(0.0..=f32::MAX).contains(&self.hit_speed) {
            return Err(WorldError::HitSpeed { speed: self.hit_speed });
        }
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

/// Why a world could not be built.
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
}
