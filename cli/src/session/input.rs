//! What a user does to a scene while it is played.

use carom::body::{Body, BodyId, BodyKind};
use carom::glam::{DVec3, Vec3};
use carom::pose::Pose;
use carom::response::{Projection, Solver};
use carom::shape::Shape;
use carom::world::World;
use serde::{Deserialize, Serialize};

/// Something done to the world. Bodies count as [`World::bodies`] does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Input {
    /// A body is taken hold of at a point of the world.
    Grab { body: u32, point: DVec3 },
    /// What is held is pulled there.
    Drag { to: DVec3 },
    /// What is held is let go.
    Drop,
    /// A ball is shot.
    Shoot { from: DVec3, velocity: Vec3 },
    /// Contacts are solved in another way.
    Solve(SolverName),
}

/// An input and the frame that it was given in, after that frame's step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Logged {
    pub(crate) frame: u32,
    pub(crate) input: Input,
}

/// A solver with settings that suit most scenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SolverName {
    SoftStep,
    GaussSeidelWarm,
    GaussSeidelCold,
    WorstFirst,
}

/// How many times contacts are gone through by the solvers that do so.
const ROUNDS: u32 = 32;

impl SolverName {
    pub(crate) const ALL: [Self; 4] = [Self::SoftStep, Self::GaussSeidelWarm, Self::GaussSeidelCold, Self::WorstFirst];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SoftStep => "soft step",
            Self::GaussSeidelWarm => "projected gauss-seidel (warm)",
            Self::GaussSeidelCold => "projected gauss-seidel (cold)",
            Self::WorstFirst => "worst first",
        }
    }

    /// That of a solver with any settings.
    pub(crate) fn of(solver: Solver) -> Option<Self> {
        match solver {
            Solver::SoftStep { .. } => Some(Self::SoftStep),
            Solver::ProjectedGaussSeidel { warm: true, .. } => Some(Self::GaussSeidelWarm),
            Solver::ProjectedGaussSeidel { warm: false, .. } => Some(Self::GaussSeidelCold),
            Solver::WorstFirst { .. } => Some(Self::WorstFirst),
            _ => None,
        }
    }

    fn solver(self) -> Solver {
        match self {
            Self::SoftStep => Solver::default(),
            Self::GaussSeidelWarm => Solver::ProjectedGaussSeidel { iterations: ROUNDS, warm: true },
            Self::GaussSeidelCold => Solver::ProjectedGaussSeidel { iterations: ROUNDS, warm: false },
            Self::WorstFirst => Solver::WorstFirst { iterations: ROUNDS, projection: Projection::Nonlinear },
        }
    }
}

/// A body that is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Held {
    body: BodyId,
    /// Where, in the body's frame.
    at: Vec3,
    /// Where it is pulled to, in the world.
    to: DVec3,
}

/// A shot's ball, in m and kg/m³: heavy enough to be felt, small enough to be seen through.
const BALL_RADIUS: f32 = 0.25;
const BALL_DENSITY: f32 = 4000.0;
const FASTEST_SHOT: f32 = 1000.0;
/// The spring that holds a body: so many swings in a second without its damping, in rad/s.
const PULL_RATE: f32 = 14.0;
/// It never accelerates a body by more than this, in m/s².
const STRONGEST_PULL: f32 = 500.0;

impl Input {
    /// Does it. The error says why not, and nothing has changed.
    pub(super) fn act(&self, world: &mut World, held: &mut Option<Held>) -> Result<(), String> {
        match *self {
            Self::Grab { body, point } => {
                let known = world.bodies().nth(body as usize);
                let known = known.ok_or_else(|| format!("there is no body {body}"))?;
                if known.kind() != BodyKind::Dynamic {
                    return Err(format!("body {body} is not dynamic: nothing can pull it"));
                }
                finite(point)?;
                *held = Some(Held { body: known.id(), at: known.pose().point_to_local(point), to: point });
            }
            Self::Drag { to } => {
                finite(to)?;
                held.as_mut().ok_or("nothing is held")?.to = to;
            }
            Self::Drop => *held = None,
            Self::Shoot { from, velocity } => {
                // NaN is in no range.
                if !(0.0..=FASTEST_SHOT).contains(&velocity.length()) {
                    return Err(format!("a shot is at most {FASTEST_SHOT} m/s fast"));
                }
                let ball = Shape::sphere(BALL_RADIUS).map_err(|error| error.to_string())?;
                let body = Body::dynamic().pose(Pose::at(from)).velocity(velocity).shape(ball).density(BALL_DENSITY);
                world.add(body).map_err(|error| error.to_string())?;
            }
            Self::Solve(name) => world.set_solver(name.solver()).map_err(|error| error.to_string())?,
        }
        Ok(())
    }
}

fn finite(point: DVec3) -> Result<(), String> {
    if point.is_finite() { Ok(()) } else { Err(format!("the point {point} is not finite")) }
}

impl Held {
    /// Pulls during the next step: a spring, damped so that it just does not swing, and a brake on the turning.
    pub(super) fn pull(&self, world: &mut World) {
        let Ok(body) = world.body(self.body) else { return };
        let Some(mass) = body.mass() else { return };
        let (pose, motion, inertia) = (body.pose(), body.motion(), body.inertia().unwrap_or_default());
        let point = pose.point_to_world(self.at);
        let arm = (point - motion.center).as_vec3();
        let missing = (self.to - point).as_vec3();
        let pull = missing * (PULL_RATE * PULL_RATE) - motion.velocity_at(arm) * (2.0 * PULL_RATE);
        let force = pull.clamp_length_max(STRONGEST_PULL) * mass;
        let torque = inertia * motion.angular_velocity * -PULL_RATE;
        if let Ok(mut body) = world.body_mut(self.body) {
            // Refused only if it is not finite; then the body is not pulled.
            drop(body.apply_force_at(force, point));
            drop(body.apply_torque(torque));
        }
    }
}
