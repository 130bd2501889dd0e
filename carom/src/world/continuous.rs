//! T6: nothing passes through anything. The stage after the response: what has moved farther in the step than it is
//! thick is looked after along its way, and stopped where it would first touch.
//!
//! Between the pose before the step and that after it a body is taken to move and turn evenly. Fast bodies are those whose
//! way is longer than nine tenths of half their least width: slower ones cannot come to lie with their middle on the
//! other side. What a fast body may meet comes from the broad phase, whose boxes are still those of the step's start, with
//! a query box that is larger by the longest way of anything slow; fast bodies are swept against each other. Each pair is
//! asked for its time of impact (`impact::rigid`), which is never late. A body whose way is cut short keeps its velocity:
//! the next step finds the contact with a gap left, and stops or reflects it. Where contacts are found only when shapes
//! touch, it goes on until it does; else it would hang there for ever. A pair that touches at the start is left to
//! the contacts, unless a ball inside of the body would pass: so a body in a corner is not lost, nor is sliding an impact.
//! Kinematic bodies are stopped by nothing: bodies that they come to, as fast as that, count as fast and are taken along.
//! Cost: a few ns a body, and some µs for each fast body and what it may meet, in parallel; no allocation once warm.
//! Source: after Box2D's and Box3D's continuous stage (Catto), with both bodies moving and no difference of bullets.

mod meets;
mod touch;
mod ways;

use super::{Margins, PairFilter};
use crate::body::{Bodies, BodyId};
use crate::broad::BroadPhase;
use crate::pose::Pose;
use glam::{DVec3, Vec3};
use meets::{Meets, Scene};
use touch::press;
use ways::{FAST, Fast, NOT_FAST, Start, Ways, moves, turned};

/// How a world keeps bodies from passing through each other within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Continuous {
    /// Not at all: bodies are looked at where steps end.
    Off,
    /// Each step is taken as this many equal ones, 1 or more.
    Substeps(u32),
    /// Each step is cut where two bodies first meet, up to 64 times: for few bodies whose impacts matter.
    Adaptive,
    /// Bodies that move farther in a step than they are thick are stopped where they would first touch.
    #[default]
    Default,
}

/// A body that was stopped on its way, by [`Continuous::Default`] or at the end of the pieces of [`Continuous::Adaptive`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Stop {
    /// The body.
    pub body: BodyId,
    /// What it would have passed through, or into.
    pub other: BodyId,
    /// When, as a share of the step.
    pub time: f32,
    /// Where they come near each other.
    pub point: DVec3,
    /// From the body to the other.
    pub normal: Vec3,
}

/// In a step cut at impacts no piece is shorter than this share.
pub(super) const LEAST_PIECE: f32 = 1.0 / 64.0;

/// The stage's buffers; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    /// Of bodies that are awake.
    starts: Vec<Start>,
    fast: Vec<Fast>,
    /// Of each body its place among the fast ones, or none.
    place_of: Vec<u32>,
    /// Kinematic bodies that move, and how far.
    movers: Vec<(u32, f32)>,
    found: Vec<u32>,
    meets: Meets,
    stopped: Vec<(u32, Pose)>,
    /// What the user's forces and torques are in a step of several pieces.
    forces: Vec<[Vec3; 2]>,
}

/// Which bodies there are and how they are found.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) broad: &'a dyn BroadPhase,
    pub(super) filter: &'a PairFilter,
}

impl Sweeps {
    /// Remembers where bodies are before the response moves them.
    pub(super) fn note_starts(&mut self, bodies: &Bodies) {
        self.starts.resize(bodies.len(), Start::default());
        for &dense in bodies.awake() {
            self.starts[dense as usize] = Start::of(&bodies.motions()[dense as usize]);
        }
    }

    /// Remembers the user's forces of a step, which the first of its pieces uses up.
    pub(super) fn note_forces(&mut self, bodies: &Bodies) {
        self.forces.clear();
        self.forces.extend(bodies.motions().iter().map(|motion| [motion.force, motion.torque]));
    }

    /// Lets them act on the next piece.
    pub(super) fn apply_forces(&self, bodies: &mut Bodies) {
        for (motion, [force, torque]) in bodies.motions.iter_mut().zip(&self.forces) {
            (motion.force, motion.torque) = (*force, *torque);
        }
    }

    /// Stops what would pass through something. The colliders are still where the step began.
    pub(super) fn catch(
        &mut self,
        bodies: &mut Bodies,
        around: Around<'_>,
        (dt, margins): (f32, Margins),
        workers: usize,
        stops: &mut Vec<Stop>,
    ) {
        let farthest_slow = self.find_fast(bodies, around.broad, dt, FAST);
        if self.fast.is_empty() {
            return;
        }
        let Self { starts, fast, place_of, meets, .. } = self;
        meets.find_stops(fast, &Scene { ways: Ways { bodies, starts, dt }, around, place_of, farthest_slow }, workers);
        self.stop(bodies, (dt, margins), stops);
    }

    /// The share of the coming step after which two bodies first meet, if all fly freely; 1 if none do.
    pub(super) fn first_impact(&mut self, bodies: &mut Bodies, around: Around<'_>, gravity: Vec3, dt: f32) -> f32 {
        self.note_starts(bodies);
        // For the question only: where they would be.
        for place in 0..bodies.awake().len() {
            let dense = bodies.awake()[place] as usize;
            if moves(bodies, dense) {
                let fall = gravity * bodies.gravity_scale(dense as u32) * dt;
                let motion = &mut bodies.motions[dense];
                motion.center += ((motion.velocity + fall) * dt).as_dvec3();
                motion.rotation = turned(motion.rotation, motion.angular_velocity * dt);
            }
        }
        let farthest_slow = self.find_fast(bodies, around.broad, dt, 0.0);
        let Self { starts, fast, place_of, meets, .. } = self;
        let scene = Scene { ways: Ways { bodies, starts, dt }, around, place_of, farthest_slow };
        let first = meets.first_impact(fast, &scene);
        let Bodies { motions, awake, .. } = bodies;
        for &dense in awake.iter() {
            let (motion, start) = (&mut motions[dense as usize], &self.starts[dense as usize]);
            (motion.center, motion.rotation) = (start.center, start.rotation);
        }
        first as f32
    }

    /// Puts the bodies where they stop. What stopped them, if it goes on, takes them along.
    fn stop(&mut self, bodies: &mut Bodies, (dt, margins): (f32, Margins), stops: &mut Vec<Stop>) {
        self.stopped.clear();
        let ways = Ways { bodies, starts: &self.starts, dt };
        for fast in &self.fast {
            let Some((slots, impact)) = fast.stopped_by else { continue };
            let [Some(own), Some(met)] = slots.map(|slot| bodies.collider(slot)) else { continue };
            let other = met.body;
            let time = fast.until;
            let mut pose = ways.of_body(fast.dense as usize).pose_at(time);
            if margins == Margins::None {
                pose.position += press(&impact, own, met);
            }
            if ways.moves(other as usize) && self.place_of[other as usize] == NOT_FAST {
                let carried = Pose::b_in_a(&ways.of_body(other as usize).pose_at(time), &pose);
                pose = bodies.pose(other).compose(&carried);
            }
            self.stopped.push((fast.dense, pose));
            let [body, other] = [fast.dense, other].map(|dense| bodies.natures[dense as usize].id);
            stops.push(Stop { body, other, time: time as f32, point: impact.on_b, normal: impact.normal });
        }
        // When all are known: a way depends on where the colliders were.
        for &(dense, pose) in &self.stopped {
            // As it is turned otherwise now, the same spin would be another momentum.
            let (nature, motion) = (&bodies.natures[dense as usize], &bodies.motions[dense as usize]);
            let is_uneven = motion.is_movable() && !nature.is_round;
            let momentum = is_uneven.then(|| nature.angular_momentum(motion.rotation, motion.angular_velocity));
            bodies.set_pose(dense as usize, pose);
            if let Some(momentum) = momentum {
                let motion = &mut bodies.motions[dense as usize];
                motion.angular_velocity = motion.inverse_inertia * momentum;
            }
            bodies.wake(dense as usize);
        }
    }
}
