//! The world: bodies, and the one place that knows the order of the stages.

use crate::body::{Bodies, Body, BodyError, BodyId, BodyKind, BodyMut, BodyRef, Collider};
use crate::bounds::Aabb;
use crate::broad::{self, BroadPhase, BroadPhaseError, Pair, Structure};
use crate::mid::{self, ConvexPair};
use crate::narrow::{self, ContactBuffer, InnerEdges, Manifold};
use crate::response::{self, ContactImpulse, Fault, Setting, Solver};
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
    flow: Flow,
    parts: mid::Scratch,
    contacts: ContactBuffer,
    outcome: response::Outcome,
    step: Step,
    time: f64,
}

/// What passes from stage to stage in a step; to read, print and draw.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Flow {
    /// Colliders whose boxes overlap.
    pub pairs: Vec<Pair>,
    /// Their convex parts whose boxes overlap.
    pub convex_pairs: Vec<ConvexPair>,
    /// Where these touch.
    pub manifolds: Vec<Manifold>,
}

/// What a step did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Step {
    /// How many pairs of colliders had overlapping boxes.
    pub pairs: usize,
    /// How many pairs of convex parts were collided.
    pub convex_pairs: usize,
    /// How many of these touched.
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
    /// Pairs to convex parts.
    pub mid: Duration,
    /// Convex parts to contacts.
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

    /// The world, empty.
    pub fn build(self) -> Result<World, WorldError> {
        if !self.gravity.is_finite() {
            return Err(WorldError::Gravity { gravity: self.gravity });
        }
        Ok(self.build_unchecked())
    }

    fn build_unchecked(self) -> World {
        World {
            bodies: Bodies::default(),
            broad: self.structure.build(),
            gravity: self.gravity,
            solver: self.solver,
            flow: Flow::default(),
            parts: mid::Scratch::default(),
            contacts: ContactBuffer::with_inner_edges(self.inner_edges),
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
        let inner_edges = InnerEdges::default();
        WorldBuilder { gravity, structure: Structure::default(), solver: Solver::default(), inner_edges }
    }

    /// Takes in a body; on an error nothing has changed.
    pub fn add(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let id = self.bodies.add(body)?;
        let dense = self.bodies.resolve(id)? as u32;
        let pose = self.bodies.pose(dense);
        for &slot in &self.bodies.natures[dense as usize].colliders {
            if let Some(collider) = self.bodies.collider(slot) {
                let bounds = Aabb::around_shape_at(&collider.shape, &pose.compose(&collider.pose_in_body));
                let inserted = self.broad.insert(slot, bounds);
                debug_assert_eq!(inserted, Ok(()), "slots are fresh and boxes of checked bodies finite");
            }
        }
        Ok(id)
    }

    /// Takes out a body and its shapes.
    pub fn remove(&mut self, id: BodyId) -> Result<(), BodyError> {
        for slot in self.bodies.remove(id)? {
            let removed = self.broad.remove(slot);
            debug_assert_eq!(removed, Ok(()), "every collider has a proxy");
        }
        // They name bodies by dense index, which has changed.
        self.flow = Flow::default();
        self.outcome.impulses.clear();
        Ok(())
    }

    /// Moves everything on by `dt` seconds.
    pub fn step(&mut self, dt: f32) -> Result<&Step, StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::TimeStep { dt });
        }
        let Self { bodies, broad, flow, parts, contacts, outcome, .. } = self;
        let setting = Setting { gravity: self.gravity, dt, solver: self.solver };
        let mut clock = Clock::start();
        broad::find_pairs(broad.as_mut(), bodies, dt, &mut flow.pairs)?;
        let broad = clock.lap();
        mid::expand(&flow.pairs, bodies, parts, &mut flow.convex_pairs);
        let mid = clock.lap();
        narrow::collide(&flow.convex_pairs, bodies, contacts, &mut flow.manifolds);
        let narrow = clock.lap();
        response::solve(&flow.manifolds, bodies, &setting, outcome);
        let response = clock.lap();
        self.time += f64::from(dt);
        self.report(StageTimes { broad, mid, narrow, response });
        Ok(&self.step)
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

    /// What the last step passed from stage to stage. Its body indices count as [`World::bodies`] does, and are good
    /// until a body is added or removed.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The shape in a collider slot: what pairs and convex parts name.
    pub fn collider(&self, slot: u32) -> Option<&Collider> {
        self.bodies.collider(slot)
    }

    /// The impulses of the last step's contacts, in the order of the manifolds and their points.
    pub fn impulses(&self) -> &[ContactImpulse] {
        &self.outcome.impulses
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
        let contacts = || self.flow.manifolds.iter().flat_map(|manifold| manifold.contacts());
        self.step.pairs = self.flow.pairs.len();
        self.step.convex_pairs = self.flow.convex_pairs.len();
        self.step.manifolds = self.flow.manifolds.len();
        self.step.contacts = contacts().count();
        self.step.deepest = contacts().map(|contact| contact.depth).fold(0.0, f32::max);
        self.step.faults.clone_from(&self.outcome.faults);
        self.step.times = times;
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
