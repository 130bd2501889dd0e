//! Time of impact of two rigid bodies that move and turn at once (T5).
//!
//! A body moves by its centre along a line and turns evenly about it. Every pair of shapes comes down to gaps along one
//! direction each: a gap that is known at two times is bounded between them by how fast bodies turn and how far they
//! reach (`walk.rs`), so nothing is taken on trust between the times that are looked at. Convex pairs go from one best
//! direction to the next (`convex.rs`), half-spaces have one (`half_space.rs`), shapes of many pieces are cut in time
//! and space until few pieces are left (`pieces.rs`, `meshes.rs`). Meshes and height fields are surfaces here, closed or
//! not: what starts wholly inside a closed mesh meets it where it comes out, while queries say that the two overlap.

mod angle;
mod convex;
mod half_space;
mod meshes;
mod motion;
mod pieces;
mod walk;

use crate::distance::minimum_norm::Cache;
use crate::distance::placement::Placement;
use crate::pose::Pose;
use crate::query::QueryError;
use crate::query::form::{Form, Pieces};
use crate::shape::Shape;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use motion::{Course, Motion};

/// The farthest that things may be from each other, and go.
const FARTHEST: f64 = 1e30;
/// The most radians that a body may turn: beyond, angles have too few digits.
const MOST_TURN: f64 = 1e8;

/// How a body moves: its centre evenly along a line, turning evenly about it.
///
/// ```
/// use carom::impact::rigid::Sweep;
/// use carom::prelude::*;
///
/// let sweep = Sweep::of(Pose::IDENTITY, [2.0, 0.0, 0.0]).turning([0.0, 0.0, 1.0]).about([0.5, 0.0, 0.0]);
/// let pose = sweep.pose_at(0.5);
/// assert!((pose.point_to_world(Vec3::new(0.5, 0.0, 0.0)) - DVec3::new(1.5, 0.0, 0.0)).length() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "a sweep is what a time of impact is asked with"]
pub struct Sweep {
    /// Where the body's frame is at time 0.
    pub start: Pose,
    /// The point that moves along a line, in the body's frame: its centre of mass.
    pub center: DVec3,
    /// How far the centre goes in a unit of time.
    pub velocity: DVec3,
    /// The axis in the world, as long as the angle in radians by which the body turns about it in a unit of time.
    pub angular_velocity: DVec3,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The last time of interest; from 0 to it is looked at.
    pub most_time: f64,
    /// How near counts as contact; may be 0.
    pub gap: f64,
    /// How much farther than `gap` they may be at the time that is returned. Less than 2e-6 of their size is not reached.
    pub tolerance: f64,
    /// After how many directions the search of a convex pair ends with [`Outcome::Early`].
    pub iterations: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { most_time: 1.0, gap: 0.0, tolerance: 1e-5, iterations: 128 }
    }
}

/// How two bodies meet, or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// Proven: until the last time they are farther apart than asked.
    Free,
    /// They come as near as asked, to within the tolerance.
    Hit(Impact),
    /// They are as near at time 0 already.
    AtStart(Impact),
    /// The iterations came to an end: up to this time they are proven to be farther apart.
    Early(Impact),
}

/// When and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Proven: before this time they are not as near as asked.
    pub time: f64,
    /// How far apart they are then; 0 if they overlap.
    pub distance: f64,
    /// The point of the first shape that is closest to the second then, in the world; a common point if they overlap.
    pub on_a: DVec3,
    /// The point of the second shape that is closest to the first then, in the world.
    pub on_b: DVec3,
    /// The unit normal from the first to the second, in the world. Zero if they overlap at the start: how to get them
    /// apart is what [`crate::query::penetration`] tells.
    pub normal: Vec3,
}

/// Why a question was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigidError {
    /// A time, gap or tolerance is negative, NaN or infinite, or a turn too large.
    #[error("the {what} is {value}; it must be from 0 to {most:e}")]
    Size {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What can be computed with.
        most: f64,
    },
    /// A pose, velocity or shape is not sound.
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl Sweep {
    /// A body that moves without turning.
    pub fn of(start: Pose, velocity: impl Into<DVec3>) -> Self {
        Self { start, center: DVec3::ZERO, velocity: velocity.into(), angular_velocity: DVec3::ZERO }
    }

    /// A body that stays.
    pub fn at(pose: Pose) -> Self {
        Self::of(pose, DVec3::ZERO)
    }

    /// The same, turning about the centre.
    pub fn turning(self, angular_velocity: impl Into<DVec3>) -> Self {
        Self { angular_velocity: angular_velocity.into(), ..self }
    }

    /// The same, of another centre.
    pub fn about(self, center: impl Into<DVec3>) -> Self {
        Self { center: center.into(), ..self }
    }

    /// From one pose at time 0 to another at time 1, by the shorter way to turn.
    pub fn between(from: Pose, to: Pose, center: impl Into<DVec3>) -> Self {
        let center = center.into();
        let [first, last] = [from, to].map(|pose| unit(pose.rotation));
        let turn = last * first.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let sine = turn.xyz().length();
        let half_angle = libm::atan2(sine, turn.w);
        let angular_velocity = if sine > 0.0 { turn.xyz() * (2.0 * half_angle / sine) } else { DVec3::ZERO };
        let velocity = to.position - from.position + (last * center - first * center);
        Self { start: from, center, velocity, angular_velocity }
    }

    /// Where the body is at a time.
    pub fn pose_at(&self, time: f64) -> Pose {
        let first = unit(self.start.rotation);
        let speed = self.angular_velocity.length();
        if speed == 0.0 {
            return Pose::new(self.start.position + time * self.velocity, self.start.rotation);
        }
        let (sine, cosine) = libm::sincos(0.5 * speed * time);
        let rotation = DQuat::from_vec4((self.angular_velocity * (sine / speed)).extend(cosine)) * first;
        let way = first * self.center - rotation * self.center + time * self.velocity;
        Pose::new(self.start.position + way, rotation.normalize().as_quat())
    }

    /// The same motion from a later time on.
    pub fn after(&self, time: f64) -> Self {
        Self { start: self.pose_at(time), ..*self }
    }

    fn checked(&self, which: &'static str, most_time: f64) -> Result<Self, RigidError> {
        let start = self.start.checked().map_err(|error| QueryError::Pose { which, error })?;
        for (what, value) in [("centre", self.center), ("velocity", self.velocity)] {
            if !value.is_finite() {
                return Err(QueryError::Vector { what, value }.into());
            }
            let distance = value.abs().max_element() * if what == "velocity" { most_time } else { 1.0 };
            if distance > FARTHEST {
                return Err(QueryError::TooFar { distance }.into());
            }
        }
        let turn = self.angular_velocity.length() * most_time;
        if !(turn <= MOST_TURN && self.angular_velocity.is_finite()) {
            return Err(RigidError::Size { what: "turn", value: turn, most: MOST_TURN });
        }
        Ok(Self { start, ..*self })
    }

    fn course(&self) -> Course {
        Course::new(unit(self.start.rotation), self.center, self.angular_velocity)
    }
}

impl Options {
    fn checked(&self) -> Result<(), RigidError> {
        for (what, value) in [("last time", self.most_time), ("gap", self.gap), ("tolerance", self.tolerance)] {
            if !(0.0..=FARTHEST).contains(&value) {
                return Err(RigidError::Size { what, value, most: FARTHEST });
            }
        }
        Ok(())
    }
}

impl Outcome {
    /// Up to when the motion is safe, unless it is so to the end.
    pub fn time(&self) -> Option<f64> {
        self.impact().map(|impact| impact.time)
    }

    /// Where they come near, or may.
    pub fn impact(&self) -> Option<&Impact> {
        match self {
            Self::Free => None,
            Self::Hit(impact) | Self::AtStart(impact) | Self::Early(impact) => Some(impact),
        }
    }
}

/// When two bodies first come near each other. It allocates nothing.
///
/// The time is never after the first contact, and bodies that meet are found however fast they turn: what the
/// iterations do not settle ends [`Outcome::Early`]. Meshes are surfaces: of a body wholly inside a closed one at the start it
/// is told when it comes out; [`crate::query::overlap`] tells whether it is inside.
///
/// ```
/// use carom::impact::rigid::{Options, Outcome, Sweep, time_of_impact};
/// use carom::prelude::*;
///
/// // A rod of length 4 turns half round and meets a post on the way, though neither end of its motion does.
/// let (rod, post) = (Shape::cuboid(2.0, 0.05, 0.05)?, Shape::cylinder(1.0, 0.1)?);
/// let turning = Sweep::at(Pose::IDENTITY).turning([0.0, 3.1, 0.0]);
/// let standing = Sweep::at(Pose::at([0.0, 0.0, 1.5]));
/// let found = time_of_impact(&rod, &turning, &post, &standing, &Options::default())?;
/// let Outcome::Hit(impact) = found else { panic!() };
/// // The rod's side is at the post's where 1.5 · sin(angle) = 0.15, a quarter turn less that angle from the start.
/// assert!((impact.time - (1.5707963 - 0.1001674) / 3.1).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn time_of_impact(
    a: &Shape,
    sweep_a: &Sweep,
    b: &Shape,
    sweep_b: &Sweep,
    options: &Options,
) -> Result<Outcome, RigidError> {
    options.checked()?;
    let sweep_a = sweep_a.checked("the first shape", options.most_time)?;
    let sweep_b = sweep_b.checked("the second shape", options.most_time)?;
    let (course_a, course_b) = (sweep_a.course(), sweep_b.course());
    let offset = (sweep_b.start.position - sweep_a.start.position)
        + (course_b.start * course_b.center - course_a.start * course_a.center);
    let distance = offset.abs().max_element();
    if distance.is_nan() || distance > FARTHEST {
        return Err(QueryError::TooFar { distance }.into());
    }
    let motion = Motion { a: course_a, b: course_b, offset, velocity: sweep_b.velocity - sweep_a.velocity };
    let terms = Terms {
        gap: options.gap,
        tolerance: options.tolerance,
        from: 0.0,
        until: options.most_time,
        iterations: options.iterations,
    };
    let found = of_forms(&Form::of(a), &Form::of(b), &motion, &terms)?;
    let Some(found) = found else { return Ok(Outcome::Free) };
    let turned = motion.a.turned_at(found.time);
    let place = sweep_a.start.position + course_a.start * course_a.center + found.time * sweep_a.velocity;
    let to_world = |point: DVec3| place + turned * (point - motion.a.center);
    let impact = Impact {
        time: found.time,
        distance: found.distance,
        on_a: to_world(found.on_a),
        on_b: to_world(found.on_b),
        normal: (turned * found.normal).as_vec3(),
    };
    Ok(match found.status {
        Status::Hit => Outcome::Hit(impact),
        Status::AtStart => Outcome::AtStart(impact),
        Status::Early => Outcome::Early(impact),
    })
}

/// What is looked for, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) gap: f64,
    pub(crate) tolerance: f64,
    /// Up to here they are known to be apart.
    pub(crate) from: f64,
    pub(crate) until: f64,
    pub(crate) iterations: u32,
}

impl Terms {
    /// The tolerance that can be kept for a pair of this size so far from each other, and by how much supports are off.
    fn tolerance(&self, size: f64, offset: f64, support_error: f64) -> f64 {
        self.tolerance.max(2e-6 * size) + 1e-12 * (offset + self.gap) + 8.0 * support_error
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Hit,
    AtStart,
    Early,
}

/// An impact in the frame of the first shape at its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalImpact {
    pub(crate) status: Status,
    pub(crate) time: f64,
    pub(crate) distance: f64,
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    pub(crate) normal: DVec3,
}

impl LocalImpact {
    /// Seen from the second shape, with the two exchanged.
    fn mirrored(&self, motion: &Motion) -> Self {
        let b_in_a = motion.at(self.time).b_in_a;
        Self {
            on_a: b_in_a.point_to_inner(self.on_b),
            on_b: b_in_a.point_to_inner(self.on_a),
            normal: b_in_a.direction_to_inner(-self.normal),
            ..*self
        }
    }

    /// In the frame in which the first shape stands at `placement`.
    fn placed(&self, placement: &Placement) -> Self {
        Self {
            on_a: placement.point_to_outer(self.on_a),
            on_b: placement.point_to_outer(self.on_b),
            normal: placement.direction_to_outer(self.normal),
            ..*self
        }
    }

    /// The one that comes first; of those at one time, the nearer.
    fn earlier(self, other: Self) -> Self {
        let is_before = other.time < self.time || other.time == self.time && other.distance < self.distance;
        if is_before { other } else { self }
    }
}

/// Every pair of forms. Mirror pairs call their twin.
pub(crate) fn of_forms(
    a: &Form<'_>,
    b: &Form<'_>,
    motion: &Motion,
    terms: &Terms,
) -> Result<Option<LocalImpact>, QueryError> {
    match (a, b) {
        (Form::Convex(a), Form::Convex(b)) => Ok(convex::first_contact(a, b, motion, terms, &mut Cache::default())?),
        (Form::HalfSpace(normal), Form::Convex(_) | Form::Pieces(_)) => {
            Ok(half_space::first_contact(*normal, b, motion, terms)?)
        }
        (Form::HalfSpace(a), Form::HalfSpace(b)) => Ok(half_space::of_two(*a, *b, motion, terms)),
        (Form::Pieces(Pieces::Mesh(a)), Form::Pieces(Pieces::Mesh(b))) => {
            Ok(meshes::first_contact(a, b, motion, terms)?)
        }
        (Form::Pieces(pieces), Form::Convex(_) | Form::Pieces(_)) => pieces::first_contact(pieces, b, motion, terms),
        (Form::Convex(_), Form::HalfSpace(_) | Form::Pieces(_)) | (Form::Pieces(_), Form::HalfSpace(_)) => {
            let mirrored = motion.mirrored();
            Ok(of_forms(b, a, &mirrored, terms)?.map(|found| found.mirrored(&mirrored)))
        }
    }
}

fn unit(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}
