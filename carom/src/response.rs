//! Response: from contacts to velocities, and from velocities to poses.

mod gauss_seidel;
mod impulse;
mod motion;
mod projection;
mod soft;
mod worst_first;

pub use projection::Projection;

use crate::body::{Bodies, BodyId, Motion};
use crate::island::STILL_SPEED;
use crate::narrow::{Manifold, Meetings};
use crate::slabs::Slabs;
use fearless_simd::Level;
use glam::Vec3;
use impulse::{Constraint, ContactImpulse};

/// How contacts are solved.
///
/// ```
/// use carom::prelude::*;
/// use carom::response::{Projection, Solver};
///
/// // A box that falls on a floor, by each of them.
/// let solvers = [
///     Solver::default(),
///     Solver::WorstFirst { iterations: 16, projection: Projection::Nonlinear },
///     Solver::ProjectedGaussSeidel { iterations: 16, warm: true },
/// ];
/// for solver in solvers {
///     let mut world = World::builder().solver(solver).build()?;
///     world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
///     let falling = world.add(Body::dynamic().at([0.0, 2.0, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
///     for _ in 0..120 {
///         world.step(1.0 / 60.0)?;
///     }
///     assert!((world.body(falling)?.position().y - 1.0).abs() < 0.01);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Solver {
    /// Substeps with soft contacts, warm-started, on all cores (R7).
    SoftStep {
        /// How many substeps a step has, 1 or more.
        substeps: u32,
    },
    /// Contacts one by one, always that which closes fastest; then depths, always the deepest (R4, R5).
    WorstFirst {
        /// How often each contact is resolved at most, on average; 1 or more.
        iterations: u32,
        /// How depth is taken out.
        projection: Projection,
    },
    /// All contacts at once, round by round; then linear projection (R1, R4, R6).
    ProjectedGaussSeidel {
        /// How often all contacts are gone through at most, 1 or more.
        iterations: u32,
        /// Whether contacts begin with what they pushed in the last step.
        warm: bool,
    },
}

impl Default for Solver {
    fn default() -> Self {
        Self::SoftStep { substeps: 4 }
    }
}

/// A body that went non-finite in a step and was set aside at its last sound state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// The body.
    pub body: BodyId,
    /// What was being computed.
    pub stage: FaultStage,
    /// What of the body could not be told any more.
    pub cause: FaultCause,
}

/// What was being computed when a body went non-finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultStage {
    /// Forces and gravity changed its velocity.
    Forces,
    /// Contacts changed its velocity.
    Contacts,
    /// Its velocity moved it.
    Movement,
}

/// What of a body went non-finite first: its numbers were larger than f32 can tell, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultCause {
    /// The velocity of its centre of mass.
    Velocity,
    /// Its angular velocity.
    AngularVelocity,
    /// Where it is.
    Position,
    /// How it is turned.
    Rotation,
}

impl FaultCause {
    /// What of a body's motion is not finite.
    fn of(motion: &Motion) -> Option<Self> {
        let of_pose = || {
            let is_placed = motion.center.is_finite();
            (!is_placed || !motion.rotation.is_finite()).then_some(if is_placed {
                Self::Rotation
            } else {
                Self::Position
            })
        };
        Self::of_velocities(motion.velocity, motion.angular_velocity).or_else(of_pose)
    }

    fn of_velocities(velocity: Vec3, angular_velocity: Vec3) -> Option<Self> {
        if !velocity.is_finite() {
            Some(Self::Velocity)
        } else if !angular_velocity.is_finite() {
            Some(Self::AngularVelocity)
        } else {
            None
        }
    }
}

impl std::fmt::Display for FaultStage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Forces => "forces",
            Self::Contacts => "contacts",
            Self::Movement => "movement",
        })
    }
}

impl std::fmt::Display for FaultCause {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Velocity => "velocity",
            Self::AngularVelocity => "angular velocity",
            Self::Position => "position",
            Self::Rotation => "rotation",
        })
    }
}

/// What the stage needs to know of the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) gravity: Vec3,
    pub(crate) dt: f32,
    pub(crate) solver: Solver,
    /// At least 1; of solvers that have none, 1.
    pub(crate) substeps: u32,
    /// Slower impacts do not rebound, in m/s.
    pub(crate) bounce_threshold: f32,
    pub(crate) workers: usize,
    pub(crate) level: Level,
}

/// The buffers that the stage fills.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) faults: Vec<Fault>,
    /// The largest change of relative velocity in each round of the solver, in m/s.
    pub(crate) residuals: Vec<f32>,
    soft: soft::Soft,
    by_impulses: ByImpulses,
}

/// What the solvers that work contact by contact keep to spare allocations.
#[derive(Debug, Default)]
struct ByImpulses {
    /// Each body before the stage.
    before: Vec<Motion>,
    manifolds: Vec<Manifold>,
    /// The contacts, and what each did.
    constraints: Vec<Constraint>,
    impulses: Vec<ContactImpulse>,
    order: worst_first::Order,
    /// By how much each contact is too deep, and how bodies are moved out.
    excess: Vec<f32>,
    shifts: Vec<projection::Shift>,
    /// How long the last step was.
    last_dt: Option<f32>,
}

impl Outcome {
    /// How long the last step of each solver was: what the next step's impulses are scaled by.
    pub(crate) fn last_steps(&self) -> [Option<f32>; 2] {
        [self.soft.last_dt, self.by_impulses.last_dt]
    }

    /// Of each patch that the soft solver went through last, its pair and its colour.
    pub(crate) fn colours(&self) -> impl Iterator<Item = (u32, u32)> {
        self.soft.colours()
    }

    pub(crate) fn set_last_steps(&mut self, steps: [Option<f32>; 2]) {
        [self.soft.last_dt, self.by_impulses.last_dt] = steps;
    }
}

/// A constraint as colouring and sleep see it, whatever it does: an edge of the graph whose nodes are bodies. (Which of them
/// began and ended, islands are told by `Meetings::follow_links`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) bodies: [u32; 2],
    pub(crate) origin: Origin,
    /// Whether it acts at one point only: such edges share packs.
    pub(crate) is_point: bool,
}

/// Where a constraint comes from: what its rows are filled from, and where its impulses wait for the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A pair of colliders, and which of its manifolds.
    Contact { meeting: u32, manifold: u32 },
}

/// Into how many blocks the constraints of a step are divided.
pub(crate) fn edge_blocks(meetings: &Meetings) -> u32 {
    meetings.edge_blocks()
}

/// A block has no more constraints than this.
pub(crate) fn most_edges(meetings: &Meetings, block: u32) -> u32 {
    meetings.most_edges(block)
}

/// Calls `visit` with all constraints of a block. What else than contacts is to hold bodies together gets blocks of its own
/// here, behind those of the pairs.
pub(crate) fn for_each_edge(meetings: &Meetings, block: u32, visit: impl FnMut(Edge)) {
    meetings.for_each_edge(block, visit);
}

/// The stage: forces, contacts, movement.
pub(crate) fn solve(
    meetings: &mut Meetings,
    bodies: &mut Bodies,
    (slabs, setting): (&Slabs, &Setting),
    outcome: &mut Outcome,
) {
    let Outcome { faults, residuals, soft, by_impulses } = outcome;
    faults.clear();
    residuals.clear();
    match setting.solver {
        Solver::SoftStep { .. } => soft::solve(meetings, bodies, (slabs, setting), soft, faults),
        Solver::WorstFirst { iterations, projection } => {
            by_impulses.begin(meetings, bodies, setting, faults);
            let ByImpulses { before, manifolds, constraints, impulses, order, excess, shifts, .. } = by_impulses;
            worst_first::solve(constraints, impulses, &mut bodies.motions, iterations, (order, residuals));
            set_aside_broken(bodies, before, FaultStage::Contacts, faults);
            motion::advance(bodies, setting.dt);
            let how = (projection, iterations, setting.dt);
            projection::push_worst_apart((manifolds, constraints), bodies, how, (order, excess, shifts));
            by_impulses.finish(meetings, bodies, setting, faults);
        }
        Solver::ProjectedGaussSeidel { iterations, warm } => {
            let stretch = by_impulses.last_dt.map_or(1.0, |last| setting.dt / last);
            by_impulses.begin(meetings, bodies, setting, faults);
            let ByImpulses { before, manifolds, constraints, impulses, shifts, .. } = by_impulses;
            if warm {
                gauss_seidel::warm_start(manifolds, stretch, constraints, impulses, &mut bodies.motions);
            }
            gauss_seidel::solve(constraints, impulses, &mut bodies.motions, iterations, residuals);
            set_aside_broken(bodies, before, FaultStage::Contacts, faults);
            motion::advance(bodies, setting.dt);
            projection::push_apart(manifolds, bodies, setting.dt, shifts);
            by_impulses.finish(meetings, bodies, setting, faults);
        }
    }
}

impl ByImpulses {
    /// Forces act, and contacts are prepared.
    fn begin(&mut self, meetings: &Meetings, bodies: &mut Bodies, setting: &Setting, faults: &mut Vec<Fault>) {
        let Self { before, manifolds, constraints, impulses, .. } = self;
        manifolds.clear();
        manifolds.extend(meetings.pushing());
        before.clone_from(&bodies.motions);
        motion::apply_forces(bodies, setting);
        set_aside_broken(bodies, before, FaultStage::Forces, faults);
        constraints.clear();
        constraints.extend(manifolds.iter().flat_map(|manifold| impulse::prepare(manifold, bodies, before, setting)));
        impulses.clear();
        impulses.resize(constraints.len(), ContactImpulse::default());
        self.last_dt = Some(setting.dt);
    }

    /// Bodies have moved: their rest is followed, and impulses go back to the manifolds.
    fn finish(&mut self, meetings: &mut Meetings, bodies: &mut Bodies, setting: &Setting, faults: &mut Vec<Fault>) {
        set_aside_broken(bodies, &self.before, FaultStage::Movement, faults);
        let Bodies { natures, motions, rests, .. } = bodies;
        for (((nature, motion), rest), shift) in natures.iter().zip(motions).zip(rests).zip(&self.shifts) {
            if !rest.is_asleep() {
                rest.follow(nature, motion, setting.dt);
                // Without a velocity, but on its way out of another body.
                if shift.reaches(nature) > STILL_SPEED * setting.dt {
                    rest.still_for = 0.0;
                }
            }
        }
        let mut impulses = self.impulses.iter().copied();
        meetings.for_each_pushing(|manifold| gauss_seidel::store(manifold, &mut impulses));
    }
}

/// Puts bodies that went non-finite back to where they were, without velocity, and leaves them out from then on.
fn set_aside_broken(bodies: &mut Bodies, before: &[Motion], stage: FaultStage, faults: &mut Vec<Fault>) {
    for (dense, before) in before.iter().enumerate() {
        let motion = &mut bodies.motions[dense];
        let Some(cause) = FaultCause::of(motion) else { continue };
        *motion = *before;
        motion.velocity = Vec3::ZERO;
        motion.angular_velocity = Vec3::ZERO;
        motion.force = Vec3::ZERO;
        motion.torque = Vec3::ZERO;
        bodies.set_aside(dense);
        faults.push(Fault { body: bodies.natures[dense].id, stage, cause });
    }
}
