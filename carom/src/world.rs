//! The world: bodies, and the one place that knows the order of the stages.

use crate::body::{Bodies, Body, BodyError, BodyId, BodyKind, BodyMut, BodyRef, Collider, MARGIN_SHARE};
use crate::broad::{self, BroadPhase, BroadPhaseError, Moved, Pair, Structure};
use crate::island::Islands;
use crate::narrow::{InnerEdges, Manifold, Meetings};
use crate::response::{self, Fault, Setting, Solver};
use fearless_simd::Level;
use glam::{DVec3, Vec3};
use std::time::{Duration, Instant};

/// Bodies that move and collide.
///
/// ```
/// use carom::prelude::*;
///
/// let mut world = World::default();
/// world.add(Body::fixed().shape(Shape::cuboid(50.0, 0.5, 50.0)?))?;
/// let ball = world.add(Body::dynamic().at([0.0, 10.0, 0.0]).shape(Shape::sphere(0.5)?).restitution(0.8))?;
/// for _ in 0..1200 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(ball)?.position().y - 1.0).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    bodies: Bodies,
    broad: Box<dyn BroadPhase>,
    gravity: Vec3,
    solver: Solver,
    bounce_threshold: f32,
    threads: usize,
    level: Level,
    /// Boxes on their way to the broad phase; kept to spare allocations.
    moves: Vec<Moved>,
    meetings: Meetings,
    islands: Islands,
    sleeps: bool,
    outcome: response::Outcome,
    step: Step,
    time: f64,
}

/// What a step did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Step {
    /// How many pairs of colliders had overlapping boxes.
    pub pairs: usize,
    /// How many patches of contact they had, touching or about to.
    pub manifolds: usize,
    /// How many points of contact there were.
    pub contacts: usize,
    /// The greatest depth among them.
    pub deepest: f32,
    /// Bodies that went non-finite and were set aside.
    pub faults: Vec<Fault>,
    /// How long each stage took.
    pub times: StageTimes,
}

/// How long the stages of a step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTimes {
    /// Boxes and pairs.
    pub broad: Duration,
    /// Pairs to contacts.
    pub narrow: Duration,
    /// Contacts to velocities, velocities to poses.
    pub response: Duration,
}

/// Why a step was not taken; the world is as it was.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is no positive number.
    #[error("the time step is {dt} s; it must be a finite number greater than zero")]
    TimeStep {
        /// What was given.
        dt: f32,
    },
    /// The broad phase refused a box.
    #[error("broad phase: {error}")]
    BroadPhase {
        /// Why.
        #[from]
        error: BroadPhaseError,
    },
}

/// The energy of all dynamic bodies, in J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of movement and rotation.
    pub kinetic: f64,
    /// Of height in the world's gravity, from the origin.
    pub potential: f64,
}

impl Energy {
    /// Both together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// The momentum of all dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Momentum {
    /// In Ns.
    pub linear: DVec3,
    /// About the origin, in Nms.
    pub angular: DVec3,
}

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
}

impl WorldBuilder {
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
        if !(self.bounce_threshold >= 0.0) {
            return Err(WorldError::BounceThreshold { speed: self.bounce_threshold });
        }
        Ok(self.build_unchecked())
    }

    fn build_unchecked(self) -> World {
        World {
            bodies: Bodies::default(),
            broad: self.structure.build(),
            gravity: self.gravity,
            solver: self.solver,
            bounce_threshold: self.bounce_threshold,
            threads: self.threads.unwrap_or_else(rayon::current_num_threads).max(1),
            level: Level::new(),
            moves: Vec::new(),
            meetings: Meetings::new(self.inner_edges),
            islands: Islands::default(),
            sleeps: self.sleeping,
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
}

impl Default for World {
    fn default() -> Self {
        Self::builder().build_unchecked()
    }
}

impl World {
    /// Settings to choose before building.
    pub fn builder() -> WorldBuilder {
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        WorldBuilder {
            gravity,
            structure: Structure::default(),
            solver: Solver::default(),
            inner_edges: InnerEdges::default(),
            bounce_threshold: 1.0,
            threads: None,
            sleeping: true,
        }
    }

    /// Takes in a body; on an error nothing has changed.
    pub fn add(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let id = self.bodies.add(body)?;
        let dense = self.bodies.resolve(id)?;
        let margins = self.margins(0.0);
        for &slot in &self.bodies.natures[dense].colliders {
            if let Some(collider) = self.bodies.collider(slot) {
                let inserted = self.broad.insert(slot, broad::bounds_of(collider, margins));
                debug_assert_eq!(inserted, Ok(()), "slots are fresh and boxes of checked bodies finite");
            }
        }
        Ok(id)
    }

    /// Takes out a body and its shapes.
    pub fn remove(&mut self, id: BodyId) -> Result<(), BodyError> {
        let dense = self.bodies.resolve(id)? as u32;
        let touched = self.meetings.manifolds().map(|manifold| [manifold.pair.a.body, manifold.pair.b.body]);
        for pair in touched.filter(|pair| pair.contains(&dense)) {
            pair.into_iter().for_each(|body| self.bodies.wake(body as usize));
        }
        for slot in self.bodies.remove(id)? {
            let removed = self.broad.remove(slot);
            debug_assert_eq!(removed, Ok(()), "every collider has a proxy");
        }
        // At once: a slot that is used again must not be taken for the old one.
        self.meetings.follow(self.broad.changes(), &self.bodies, |_, _| {});
        self.meetings.renumber(&self.bodies);
        Ok(())
    }

    /// Moves everything on by `dt` seconds.
    pub fn step(&mut self, dt: f32) -> Result<&Step, StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::TimeStep { dt });
        }
        if self.threads > 1 && rayon::current_thread_index().is_none() {
            // All of it inside of the pool: to enter it costs more than a join.
            rayon::join(|| self.go_on(dt), || ()).0?;
        } else {
            self.go_on(dt)?;
        }
        Ok(&self.step)
    }

    /// What the last step did.
    pub fn last_step(&self) -> &Step {
        &self.step
    }

    fn go_on(&mut self, dt: f32) -> Result<(), StepError> {
        let setting = self.setting(dt);
        let margins = self.margins(dt);
        let mut clock = Clock::start();
        let Self { bodies, broad, moves, meetings, outcome, islands, sleeps, .. } = self;
        bodies.wake_islands();
        broad::move_boxes(broad.as_mut(), bodies, (dt, margins), moves)?;
        meetings.follow(broad.changes(), bodies, |_, _| {});
        let broad = clock.lap();
        meetings.collide(bodies, setting.workers, margins);
        Islands::wake(meetings, bodies);
        let narrow = clock.lap();
        response::solve(meetings, bodies, &setting, outcome);
        if *sleeps {
            islands.put_to_sleep(meetings, bodies);
        }
        let response = clock.lap();
        self.time += f64::from(dt);
        self.report(StageTimes { broad, narrow, response });
        Ok(())
    }

    fn setting(&self, dt: f32) -> Setting {
        let substeps = match self.solver {
            Solver::SoftStep { substeps } => substeps.max(1),
            Solver::Impulse { .. } => 1,
        };
        Setting {
            gravity: self.gravity,
            dt,
            solver: self.solver,
            substeps,
            bounce_threshold: self.bounce_threshold,
            workers: self.threads,
            level: self.level,
        }
    }

    /// Whether contacts are found before shapes touch.
    fn margins(&self, dt: f32) -> Margins {
        match self.solver {
            Solver::SoftStep { .. } => Margins::Wide { dt },
            Solver::Impulse { .. } => Margins::None,
        }
    }

    /// A body, to read.
    pub fn body(&self, id: BodyId) -> Result<BodyRef<'_>, BodyError> {
        Ok(BodyRef::new(&self.bodies, self.bodies.resolve(id)?))
    }

    /// A body, to change.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>, BodyError> {
        let dense = self.bodies.resolve(id)?;
        Ok(BodyMut::new(&mut self.bodies, dense))
    }

    /// All bodies, to read.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyRef<'_>> {
        (0..self.bodies.len()).map(|dense| BodyRef::new(&self.bodies, dense))
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Pairs of collider slots whose boxes overlapped in the last step, those of one body and of two that nothing moves
    /// left out.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = Pair> {
        self.meetings.heads().iter().map(|head| head.pair)
    }

    /// Where shapes touched in the last step, or were about to, with what the contacts did. Body indices count as
    /// [`World::bodies`] does, and are good until a body is removed.
    pub fn manifolds(&self) -> impl Iterator<Item = &Manifold> {
        self.meetings.manifolds()
    }

    /// The shape in a collider slot: what pairs and convex parts name.
    pub fn collider(&self, slot: u32) -> Option<&Collider> {
        self.bodies.collider(slot)
    }

    /// The acceleration of free fall.
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// How many seconds have been simulated.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The energy of all dynamic bodies.
    pub fn energy(&self) -> Energy {
        let gravity = self.gravity.as_dvec3();
        self.dynamic_bodies().fold(Energy::default(), |energy, (body, mass)| {
            let nature = &self.bodies.natures[body];
            let motion = &self.bodies.motions[body];
            let spin = (motion.rotation.conjugate() * motion.angular_velocity).as_dvec3();
            let turning = spin.dot(nature.inertia.as_dmat3() * spin);
            let moving = mass * motion.velocity.as_dvec3().length_squared();
            let height = gravity.dot(motion.center) * f64::from(nature.gravity_scale);
            Energy { kinetic: energy.kinetic + 0.5 * (moving + turning), potential: energy.potential - mass * height }
        })
    }

    /// The momentum of all dynamic bodies.
    pub fn momentum(&self) -> Momentum {
        self.dynamic_bodies().fold(Momentum::default(), |momentum, (body, mass)| {
            let nature = &self.bodies.natures[body];
            let motion = &self.bodies.motions[body];
            let linear = motion.velocity.as_dvec3() * mass;
            let rotation = motion.rotation.as_dquat();
            let spin = nature.inertia.as_dmat3() * (rotation.conjugate() * motion.angular_velocity.as_dvec3());
            Momentum {
                linear: momentum.linear + linear,
                angular: momentum.angular + motion.center.cross(linear) + rotation * spin,
            }
        })
    }

    fn dynamic_bodies(&self) -> impl Iterator<Item = (usize, f64)> {
        let natures = self.bodies.natures.iter().enumerate();
        natures
            .filter(|(_, nature)| nature.kind == BodyKind::Dynamic)
            .map(|(body, nature)| (body, f64::from(nature.mass)))
    }

    fn report(&mut self, times: StageTimes) {
        self.step.pairs = self.meetings.len();
        (self.step.manifolds, self.step.contacts, self.step.deepest) = (0, 0, 0.0);
        for head in self.meetings.heads() {
            self.step.manifolds += head.manifolds as usize;
            self.step.contacts += head.points as usize;
            self.step.deepest = self.step.deepest.max(head.deepest);
        }
        self.step.faults.clone_from(&self.outcome.faults);
        self.step.times = times;
    }
}

/// Whether points of contact are found before shapes touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Margins {
    /// When they touch.
    None,
    /// When they are as close as their margins, or as what they move in a step of this length.
    Wide {
        /// In seconds.
        dt: f32,
    },
}

impl Margins {
    /// That of one collider, in the broad phase.
    pub(crate) fn of(self, collider: &Collider) -> f32 {
        match self {
            Self::None => 0.0,
            Self::Wide { .. } => collider.margin,
        }
    }

    /// That of two in the narrow phase. It grows in powers of two with what they move against each other in a step, so
    /// that impacts are seen before they happen, up to the size of the smaller; small changes of speed do not change it.
    pub(crate) fn of_pair(self, a: &Collider, b: &Collider, bodies: &Bodies) -> f32 {
        let Self::Wide { dt } = self else { return 0.0 };
        let least = a.margin.min(b.margin);
        let [velocity_a, velocity_b] = [a, b].map(|collider| bodies.motions()[collider.body as usize].velocity);
        let travel = (velocity_a - velocity_b).length() * dt;
        let most = (1.0 / MARGIN_SHARE) * least;
        let mut margin = least;
        while margin < travel && margin < most {
            margin *= 2.0;
        }
        margin
    }
}

/// Measures stages one after the other.
struct Clock {
    last: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now() }
    }

    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.last;
        self.last = now;
        lap
    }
}
