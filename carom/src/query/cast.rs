//! Linear casts: when a shape that moves along a line first comes near another, for every pair of shapes (Q1).
//!
//! The convex pairs are in `cast_convex.rs`, shapes of many pieces in `cast_pieces.rs`. Everything is computed in the
//! frame of one shape, in which the other moves; half-spaces are a linear equation.

use super::form::Form;
use super::{FARTHEST, QueryError, cast_convex, cast_pieces, near_enough, offset_between, pairs};
use crate::distance::convex::Convex;
use crate::distance::placement::Placement;
use crate::distance::separation;
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DVec3, Vec3};

/// Unit normals whose sum is no longer than this count as opposite.
const OPPOSITE: f64 = 1e-6;

/// Where a cast goes and what it looks for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "a sweep is what a cast is asked with"]
pub struct Sweep {
    /// Where the shape goes in the world, turning not at all: at time 1 it has moved by this.
    pub motion: DVec3,
    /// How near it has to come; 0 for contact.
    pub within: f64,
    /// What to do about shapes that are as near at the start.
    pub parting: Parting,
}

/// What a cast does about two shapes that are near already and come no nearer: a box that slides on a floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parting {
    /// They are [`Cast::AtStart`], as those that go deeper are.
    #[default]
    Counts,
    /// They are passed over. Two convex shapes that part stay apart, so this is a [`Cast::Miss`].
    IsIgnored,
}

/// How a cast ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cast {
    /// Proven: all the way the two are farther from each other than asked.
    Miss,
    /// They come as near as asked.
    Hit(Impact),
    /// They are as near already, at time 0: the deepest place, if they overlap. So are those of which one is wholly inside a
    /// closed mesh of the other, unless parting is ignored: then the mesh is met where the other comes out.
    AtStart(Impact),
    /// The steps came to an end: up to this time they are proven to be farther apart, and nothing is known of later.
    Undecided(Impact),
}

/// Where and when two shapes come near each other.
///
/// At this time they are proven to be no nearer than asked: the first contact is never before it. They are farther by at
/// most 1e-9 of their size and 1e-13 of the motion and the distance at the start; sharp shapes that are to come nearer
/// than 1e-5 of their size are proven to be farther by 1e-5 of it at most, and nearly always are by 1e-9, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// The share of the motion that has passed, from 0 to 1.
    pub time: f64,
    /// How far they are apart then. At the start, the depth as a negative number if they overlap: of the two parts that
    /// are deepest in each other, if they are made of parts; negative infinity for two half-spaces, which no move frees.
    pub distance: f64,
    /// The point of the first shape, which moves, that is closest to the second or deepest in it then, in the world.
    pub on_a: DVec3,
    /// The point of the second shape that is closest to the first or deepest in it, in the world.
    pub on_b: DVec3,
    /// The unit normal from the first to the second, in the world.
    pub normal: Vec3,
}

impl Sweep {
    /// A move that ends at contact.
    pub fn by(motion: impl Into<DVec3>) -> Self {
        Self { motion: motion.into(), within: 0.0, parting: Parting::Counts }
    }

    /// A move along a direction of any length, up to a distance.
    pub fn along(direction: impl Into<DVec3>, distance: f64) -> Self {
        Self::by(direction.into().normalize() * distance)
    }

    /// It ends so far from contact.
    pub fn within(self, within: f64) -> Self {
        Self { within, ..self }
    }

    /// What is near at the start and comes no nearer is passed over.
    pub fn ignoring_parting(self) -> Self {
        Self { parting: Parting::IsIgnored, ..self }
    }

    pub(crate) fn checked(&self) -> Result<(), QueryError> {
        if !self.motion.is_finite() {
            return Err(QueryError::Vector { what: "motion", value: self.motion });
        }
        if !(self.within >= 0.0 && self.within <= FARTHEST) {
            return Err(QueryError::Within(self.within));
        }
        near_enough(self.motion)
    }
}

impl Cast {
    /// Where the move must end: the time of the impact, if there is one or may be one.
    pub fn time(&self) -> Option<f64> {
        self.impact().map(|impact| impact.time)
    }

    /// Where they come near, or may.
    pub fn impact(&self) -> Option<&Impact> {
        match self {
            Self::Miss => None,
            Self::Hit(impact) | Self::AtStart(impact) | Self::Undecided(impact) => Some(impact),
        }
    }
}

/// When the first shape, moving along a line, first comes near the second.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::{Cast, Sweep};
///
/// let (drum, wall) = (Shape::cylinder(1.0, 0.5)?, Shape::cuboid(0.5, 5.0, 5.0)?);
/// let wall_pose = Pose::at([6.0, 0.0, 0.0]);
/// let Cast::Hit(impact) = query::cast(&drum, &Pose::IDENTITY, &wall, &wall_pose, &Sweep::by([10.0, 0.0, 0.0]))?
/// else { panic!() };
/// assert!((impact.time - 0.5).abs() < 1e-8 && impact.normal == Vec3::X);
/// assert_eq!(query::cast(&drum, &Pose::IDENTITY, &wall, &wall_pose, &Sweep::by([4.9, 0.0, 0.0]))?, Cast::Miss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cast(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, sweep: &Sweep) -> Result<Cast, QueryError> {
    cast_until(a, pose_a, b, pose_b, sweep, 1.0)
}

/// The same, a miss if it is later than `limit`.
pub(crate) fn cast_until(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    sweep: &Sweep,
    limit: f64,
) -> Result<Cast, QueryError> {
    let offset = offset_between(pose_a, pose_b)?;
    sweep.checked()?;
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b)
        && let Some(cast) = of_balls([a, b].map(|ball| f64::from(ball.radius())), pose_a.position, offset, sweep, limit)
    {
        return Ok(cast);
    }
    let terms = Terms { within: sweep.within, limit, parting: sweep.parting };
    let (form_a, form_b) = (Form::of(a), Form::of(b));
    let turned = Placement::turned(pose_a);
    let b_in_a = Placement::seen_from_rotation(pose_a.rotation, &turned, offset, pose_b.rotation);
    let approach = Approach { b_in_a, velocity: turned.direction_to_inner(-sweep.motion) };
    let mut found = of_forms(&form_a, &form_b, &approach, &terms)?;
    if found.is_none_or(|found| found.status != Status::AtStart) && sweep.parting == Parting::Counts {
        found = inside_at_start(&form_a, &form_b, &b_in_a)?.or(found);
    }
    let Some(found) = found else { return Ok(Cast::Miss) };
    let place = pose_a.position + found.time * sweep.motion;
    let impact = Impact {
        time: found.time,
        distance: found.distance,
        on_a: place + turned.direction_to_outer(found.on_a),
        on_b: place + turned.direction_to_outer(found.on_b),
        normal: turned.direction_to_outer(found.normal).as_vec3(),
    };
    Ok(match found.status {
        Status::Hit => Cast::Hit(impact),
        Status::AtStart => Cast::AtStart(impact),
        Status::Undecided => Cast::Undecided(impact),
    })
}

/// Where one shape is wholly inside a closed mesh of the other, no surfaces need cross.
fn inside_at_start(a: &Form<'_>, b: &Form<'_>, b_in_a: &Placement) -> Result<Option<LocalImpact>, QueryError> {
    if pairs::nested(a, b, b_in_a)?.is_none() {
        return Ok(None);
    }
    let deep = pairs::signed(a, b, b_in_a, f64::INFINITY, &mut ())?;
    Ok(deep.map(|deep| LocalImpact {
        status: Status::AtStart,
        time: 0.0,
        distance: deep.distance,
        on_a: deep.on_a,
        on_b: deep.on_b,
        normal: deep.normal,
    }))
}

/// Two balls that are apart at the start: a quadratic equation, and nothing to be turned. None if they are near already.
fn of_balls([radius_a, radius_b]: [f64; 2], place: DVec3, offset: DVec3, sweep: &Sweep, limit: f64) -> Option<Cast> {
    let way = sweep.motion;
    let fine = fine_tolerance(radius_a + radius_b, way.abs() + offset.abs(), sweep.within);
    let reach = radius_a + radius_b + sweep.within + 0.5 * fine;
    let excess = offset.length_squared() - reach * reach;
    if excess <= 0.0 {
        return None;
    }
    let closing = offset.dot(way);
    // The line passes the middle by |offset × way| / |way|.
    let chord = reach * reach * way.length_squared() - offset.cross(way).length_squared();
    if closing <= 0.0 || chord < 0.0 {
        return Some(Cast::Miss);
    }
    let time = excess / (closing + chord.sqrt()) * (1.0 - 1e-14);
    if time.is_nan() || time > limit {
        return if time.is_nan() { None } else { Some(Cast::Miss) };
    }
    let between = offset - time * way;
    let length = between.length();
    let normal = between / length;
    let middle = place + time * way;
    Some(Cast::Hit(Impact {
        time,
        distance: length - radius_a - radius_b,
        on_a: middle + radius_a * normal,
        on_b: middle + (length - radius_b) * normal,
        normal: normal.as_vec3(),
    }))
}

/// Where the second shape is in the frame of the first, and how it moves there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Approach {
    pub(super) b_in_a: Placement,
    pub(super) velocity: DVec3,
}

impl Approach {
    pub(super) fn at(&self, time: f64) -> Placement {
        Placement { position: self.b_in_a.position + time * self.velocity, ..self.b_in_a }
    }

    /// The first shape seen from the second.
    pub(super) fn mirrored(&self) -> Self {
        Self { b_in_a: self.b_in_a.inverse(), velocity: self.b_in_a.direction_to_inner(-self.velocity) }
    }

    /// Seen from a part of the first shape.
    pub(super) fn seen_from(&self, part: &Placement) -> Self {
        Self { b_in_a: part.inverse().compose(&self.b_in_a), velocity: part.direction_to_inner(self.velocity) }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) within: f64,
    /// The latest time of interest.
    pub(super) limit: f64,
    pub(super) parting: Parting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Hit,
    AtStart,
    Undecided,
}

/// An impact in the frame of the first shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalImpact {
    pub(super) status: Status,
    pub(super) time: f64,
    pub(super) distance: f64,
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    pub(super) normal: DVec3,
}

impl LocalImpact {
    /// Seen from the second shape, with the two exchanged.
    pub(super) fn mirrored(&self, approach: &Approach) -> Self {
        let b_in_a = approach.at(self.time);
        Self {
            on_a: b_in_a.point_to_inner(self.on_b),
            on_b: b_in_a.point_to_inner(self.on_a),
            normal: b_in_a.direction_to_inner(-self.normal),
            ..*self
        }
    }

    /// In the frame in which the first shape stands at `placement`.
    pub(super) fn placed(&self, placement: &Placement) -> Self {
        Self {
            on_a: placement.point_to_outer(self.on_a),
            on_b: placement.point_to_outer(self.on_b),
            normal: placement.direction_to_outer(self.normal),
            ..*self
        }
    }
}

/// Every pair of forms. Mirror pairs call their twin.
pub(super) fn of_forms(
    a: &Form<'_>,
    b: &Form<'_>,
    approach: &Approach,
    terms: &Terms,
) -> Result<Option<LocalImpact>, QueryError> {
    match (a, b) {
        (Form::Convex(a), Form::Convex(b)) => cast_convex::cast(a, b, approach, terms),
        (Form::HalfSpace(normal), Form::Convex(b)) => onto_half_space(*normal, b, approach, terms),
        (Form::HalfSpace(a), Form::HalfSpace(b)) => Ok(half_spaces(*a, *b, approach, terms)),
        (Form::Pieces(pieces), Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(_)) => {
            cast_pieces::cast(pieces, b, approach, terms)
        }
        (Form::Convex(_), Form::HalfSpace(_) | Form::Pieces(_)) | (Form::HalfSpace(_), Form::Pieces(_)) => {
            let mirrored = approach.mirrored();
            Ok(of_forms(b, a, &mirrored, terms)?.map(|found| found.mirrored(&mirrored)))
        }
    }
}

/// How much farther than asked an impact may be: for a pair of this size, all of it but what supports add.
pub(super) fn tolerance(size: f64, approach: &Approach, within: f64) -> f64 {
    fine_tolerance(size, approach.velocity.abs() + approach.b_in_a.position.abs(), within)
}

/// The same of the way and the distance at the start together.
fn fine_tolerance(size: f64, lengths: DVec3, within: f64) -> f64 {
    1e-9 * size + 1e-13 * lengths.element_sum() + 1e-12 * within
}

/// The lowest point of `b` stays the lowest, and its height changes evenly.
fn onto_half_space(
    normal: DVec3,
    b: &Convex<'_>,
    approach: &Approach,
    terms: &Terms,
) -> Result<Option<LocalImpact>, QueryError> {
    let lowest = separation::placed_support(b, &approach.b_in_a, -normal)? - b.radius * normal;
    let reach = b.core.reach()?;
    let tolerance = tolerance(reach + b.radius, approach, terms.within) + 2.0 * b.core.support_error(reach);
    Ok(over_plane(normal, lowest, approach.velocity, tolerance, terms))
}

/// Two half-spaces overlap unless they face each other.
fn half_spaces(a: DVec3, b: DVec3, approach: &Approach, terms: &Terms) -> Option<LocalImpact> {
    let position = approach.b_in_a.position;
    if (a + approach.b_in_a.direction_to_outer(b)).length() <= OPPOSITE {
        return over_plane(a, position, approach.velocity, tolerance(0.0, approach, terms.within), terms);
    }
    let common = pairs::half_space_to_half_space(a, b, &approach.b_in_a).on_a;
    Some(LocalImpact {
        status: Status::AtStart,
        time: 0.0,
        distance: f64::NEG_INFINITY,
        on_a: common,
        on_b: common,
        normal: a,
    })
}

/// When a point comes near the plane through the origin.
fn over_plane(normal: DVec3, point: DVec3, velocity: DVec3, tolerance: f64, terms: &Terms) -> Option<LocalImpact> {
    let height = normal.dot(point);
    let closing = -normal.dot(velocity);
    let aim = terms.within + 0.5 * tolerance;
    let is_near = height <= aim;
    if closing <= 0.0 && (!is_near || terms.parting == Parting::IsIgnored) {
        return None;
    }
    let time = if is_near { 0.0 } else { (height - aim) / closing };
    let (on_b, height) = (point + time * velocity, height - time * closing);
    let status = if is_near { Status::AtStart } else { Status::Hit };
    let on_a = on_b - height * normal;
    (time <= terms.limit).then_some(LocalImpact { status, time, distance: height, on_a, on_b, normal })
}
