//! When two bodies that go on as they move now will touch: the engine's own search, step by step.
//!
//! [`rigid::time_of_impact`] goes from one proven time to the next and can be told after how many it has to end. So the same
//! question with no step, with one, with two gives the times that the search goes through, each with what it has measured
//! there, until it comes to an end by itself.

use super::pieces::Piece;
use carom::glam::{DVec3, Vec3};
use carom::impact::rigid::{Options, Outcome, Sweep, time_of_impact};
use carom::pose::Pose;
use carom::query::{self, Distance};
use carom::world::World;
use serde::Serialize;

/// The times that the search went through, and how it ended.
#[derive(Debug, Serialize)]
pub(super) struct Advancement {
    pub(super) steps: Vec<Advance>,
    pub(super) ending: String,
}

/// Where the two are at a time, in the frame of the first piece at that time.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Advance {
    pub(super) time: f64,
    pub(super) distance: f64,
    point_a: Vec3,
    point_b: Vec3,
    b: RelativePose,
}

#[derive(Debug, Clone, Serialize)]
struct RelativePose {
    position: [f32; 3],
    rotation: [f32; 4],
}

/// It looks this far ahead, in s.
const HORIZON: f64 = 2.0;

/// How a piece goes on.
fn sweep(world: &World, piece: &Piece) -> Option<Sweep> {
    let motion = world.bodies().nth(piece.body as usize)?.motion();
    let center = piece.pose.point_to_local(motion.center).as_dvec3();
    let sweep = Sweep::of(piece.pose, motion.velocity.as_dvec3()).about(center);
    Some(sweep.turning(motion.angular_velocity.as_dvec3()))
}

fn advance_at(time: f64, distance: f64, [on_a, on_b]: [DVec3; 2], [a, b]: [&Sweep; 2]) -> Advance {
    let (pose_a, pose_b) = (a.pose_at(time), b.pose_at(time));
    let relative = Pose::b_in_a(&pose_a, &pose_b);
    Advance {
        time,
        distance,
        point_a: pose_a.point_to_local(on_a),
        point_b: pose_a.point_to_local(on_b),
        b: RelativePose { position: relative.position.to_array(), rotation: relative.rotation.to_array() },
    }
}

/// The steps to the contact; none if the two are in contact now, or do not move against each other.
pub(super) fn advance(world: &World, a: &Piece, b: &Piece) -> Option<Advancement> {
    let (sweep_a, sweep_b) = (sweep(world, a)?, sweep(world, b)?);
    let turns = |sweep: &Sweep| sweep.angular_velocity != DVec3::ZERO;
    if sweep_a.velocity == sweep_b.velocity && !turns(&sweep_a) && !turns(&sweep_b) {
        return None;
    }
    let sweeps = [&sweep_a, &sweep_b];
    let measured = |time: f64| {
        let poses = [sweep_a.pose_at(time), sweep_b.pose_at(time)];
        match query::distance(&a.shape, &poses[0], &b.shape, &poses[1]).ok()? {
            Distance::Apart(gap) | Distance::Undecided(gap) => {
                Some(advance_at(time, gap.distance, [gap.on_a, gap.on_b], sweeps))
            }
            Distance::Overlapping { .. } => None,
        }
    };
    let mut steps = vec![measured(0.0)?];
    let usual = Options { most_time: HORIZON, ..Options::default() };
    for iterations in 0..=usual.iterations {
        let options = Options { iterations, ..usual };
        let outcome = time_of_impact(&a.shape, &sweep_a, &b.shape, &sweep_b, &options).ok()?;
        let Some(impact) = outcome.impact() else {
            steps.extend(measured(HORIZON));
            return Some(Advancement { steps, ending: format!("proven: nothing touches for {HORIZON} s") });
        };
        let goes_on = steps.last().is_some_and(|last| impact.time > last.time);
        if goes_on {
            steps.push(advance_at(impact.time, impact.distance, [impact.on_a, impact.on_b], sweeps));
        }
        match outcome {
            Outcome::Hit(_) => {
                return Some(Advancement { steps, ending: format!("they touch at {:.6} s", impact.time) });
            }
            Outcome::AtStart(_) => return None,
            // The first may be where the two stand.
            Outcome::Early(_) if goes_on || iterations == 0 => {}
            Outcome::Early(_) | Outcome::Free => break,
        }
    }
    Some(Advancement {
        steps,
        ending: "no further time can be proven: the two graze, or rounding is all that is left".to_string(),
    })
}
