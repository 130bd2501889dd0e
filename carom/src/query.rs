//! Single questions about shapes at poses in the world; no world of bodies is needed (Q1, S7).
//!
//! Everything is computed in f64 in the frame of one of the shapes, so answers do not depend on how far from the
//! origin the shapes are. A [`Distance`] carries proven bounds. Convex shapes and closed meshes are solids: what is wholly
//! inside overlaps them. Open meshes and height fields are surfaces, and nothing is inside of them. Casts and rays meet the
//! triangles of a mesh from either side; a cast that starts inside a closed one has met it at the start.
//! User-defined shapes answer supports in f32, so their results are right to about 1e-6 of their size; all others to
//! about 1e-12.

mod cast;
mod cast_convex;
pub(crate) mod cast_pieces;
mod escape;
pub(crate) mod form;
mod height_field;
pub mod mesh;
mod pairs;
mod plane;
mod projection;
mod ray;
mod ray_convex;
mod status;

pub use crate::distance::separation::Stop;
pub(crate) use cast::cast_until;
pub use cast::{Cast, Impact, Parting, Sweep, cast};
pub use plane::{Plane, separating_plane};
pub use projection::{Projection, project_point};
pub(crate) use ray::checked_ray;
pub use ray::{Ray, RayHit, ray_cast, ray_hits};
pub use status::Status;

use crate::distance::convex::{Core, SupportFault};
use crate::distance::minimum_norm::Cache;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation, Separation};
use crate::distance::{box_axes, capsules, feature};
use crate::pose::{Pose, PoseError};
use crate::shape::{Shape, ShapeKind};
use crate::trace::Tracer;
use fearless_simd::{Simd, dispatch};
use form::Form;
use glam::{DVec3, Vec3};

/// The greatest distance between two origins that queries compute with; squares of squares of it are still finite.
const FARTHEST: f64 = 1e40;

/// How two shapes stand to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// They have no point in common.
    Apart(Gap),
    /// They have a point in common, or come so close that f64 cannot tell.
    Overlapping {
        /// A point of both, in the world.
        common: DVec3,
        /// Proven: no more than this is between them. Zero, or of the order of rounding.
        upper: f64,
    },
    /// The computation ended before either was proven. The lower bound of the gap is zero.
    Undecided(Gap),
}

/// What is between two shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The distance of the two points.
    pub distance: f64,
    /// The point of the first shape that is closest to the second, in the world.
    pub on_a: DVec3,
    /// The point of the second shape that is closest to the first, in the world.
    pub on_b: DVec3,
    /// The unit normal from the first to the second, in the world: across this direction convex shapes have the widest gap,
    /// to within f32. [`separating_plane`] tells a plane that is proven to be between them.
    pub normal: Vec3,
    /// Proven: the shapes are at least this far apart.
    pub lower: f64,
    /// Proven: the shapes are at most this far apart.
    pub upper: f64,
    /// Why the computation ended.
    pub stop: Stop,
}

/// Where the last search of a pair of shapes ended; see [`distance_cached`]. Empty by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairCache {
    search: Cache,
}

/// How deep two shapes are in each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// By how much the second shape must move along the normal to be free; negative if the shapes are apart.
    pub depth: f64,
    /// The unit direction in which the second shape must move to get free, or already is, in the world.
    pub normal: Vec3,
    /// The point of the first shape that is deepest in the second, or closest to it, in the world.
    pub on_a: DVec3,
    /// The point of the second shape that is deepest in the first, or closest to it, in the world.
    pub on_b: DVec3,
    /// Proven: no shorter move frees the shapes.
    pub lower: f64,
    /// Proven: a move by this along the normal frees the shapes.
    pub upper: f64,
    /// Why the computation ended.
    pub stop: Stop,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A pose is not finite or its rotation not of unit length.
    #[error("the pose of {which}: {error}")]
    Pose {
        /// Whose pose it is.
        which: &'static str,
        /// What is wrong with it.
        error: PoseError,
    },
    /// A point or direction is NaN, infinite or, for a direction, zero.
    #[error("the {what} is {value}")]
    Vector {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
    /// The greatest distance of a ray is NaN or negative.
    #[error("the greatest distance of a ray is {0}; it must not be negative")]
    MaxDistance(f64),
    /// How near a cast is to come is NaN, negative or beyond all that is computed with.
    #[error("a cast is to come within {0}; that must be a finite number that is not negative")]
    Within(f64),
    /// The two are farther from each other than can be computed with.
    #[error("{distance:e} from each other is too far to compute with")]
    TooFar {
        /// How far it is between the origins of the two.
        distance: f64,
    },
    /// A user's support map gave a point that is not finite.
    #[error("the support map of a custom shape answered {value} for the direction {direction}")]
    Support {
        /// What it was asked.
        direction: DVec3,
        /// What it answered.
        value: DVec3,
    },
    /// The computation ended before the answer was proven; the two are at most `upper` apart.
    #[error("the computation ended undecided: the two are at most {upper} apart")]
    Undecided {
        /// The proven upper bound.
        upper: f64,
    },
    /// Two half-spaces that do not face each other overlap without end: no move frees them, so there is no depth.
    #[error("two half-spaces that do not face each other overlap without end: no move frees them")]
    Endless,
    /// This shape cannot answer this question yet.
    #[error("{what} of a {shape} is not supported yet")]
    NotSupported {
        /// The question.
        what: &'static str,
        /// The shape.
        shape: ShapeKind,
    },
}

impl From<SupportFault> for QueryError {
    fn from(fault: SupportFault) -> Self {
        Self::Support { direction: fault.direction, value: fault.value }
    }
}

/// How far two shapes are apart, with closest points.
///
/// Closed meshes are solids, also as parts of compounds: a shape wholly inside one overlaps it, and has
/// [`penetration`](fn@penetration) to tell how deep it is. Open meshes and height fields are surfaces.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::{self, Distance};
///
/// let (ball, floor) = (Shape::sphere(0.5)?, Shape::cuboid(10.0, 1.0, 10.0)?);
/// let Distance::Apart(gap) = query::distance(&ball, &Pose::at([1e9, 4.0, 0.0]), &floor, &Pose::at([1e9, 0.0, 0.0]))?
/// else { panic!() };
/// assert!((gap.distance - 2.5).abs() < 1e-12 && gap.lower <= gap.upper);
/// assert_eq!(gap.normal, -Vec3::Y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Distance, QueryError> {
    distance_from(a, pose_a, b, pose_b, &mut Cache::default(), &mut ())
}

/// [`distance`] from where the last search of the same two shapes ended, which makes it fast while they move little.
///
/// The cache only decides where the search starts, so whatever it holds, the answer is right; it helps convex pairs.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::{self, PairCache};
///
/// let (cone, cube) = (Shape::cone(1.0, 0.5)?, Shape::cuboid(1.0, 1.0, 1.0)?);
/// let mut cache = PairCache::default();
/// for step in 0..10 {
///     let pose = Pose::at([3.0, 0.01 * f64::from(step), 0.0]);
///     let apart = query::distance_cached(&cone, &Pose::IDENTITY, &cube, &pose, &mut cache)?;
///     assert!((apart.value() - query::distance(&cone, &Pose::IDENTITY, &cube, &pose)?.value()).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_cached(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    cache: &mut PairCache,
) -> Result<Distance, QueryError> {
    distance_from(a, pose_a, b, pose_b, &mut cache.search, &mut ())
}

/// [`distance_cached`], given up once it is proven to be `limit` or more: none then. Whatever is nearer is found.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::{self, PairCache};
///
/// let ball = Shape::sphere(1.0)?;
/// let below = |limit: f64| {
///     query::distance_below(&ball, &Pose::IDENTITY, &ball, &Pose::at([5.0, 0.0, 0.0]), limit, &mut PairCache::default())
/// };
/// assert!(below(3.1)?.is_some_and(|found| (found.value() - 3.0).abs() < 1e-12));
/// assert_eq!(below(2.9)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_below(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    limit: f64,
    cache: &mut PairCache,
) -> Result<Option<Distance>, QueryError> {
    let (offset, turned) = between(pose_a, pose_b)?;
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        let found = balls(f64::from(a.radius()), f64::from(b.radius()), pose_a.position, offset);
        return Ok(Some(found).filter(|found| found.lower() < limit));
    }
    let b_in_a = Placement::seen_from(&turned, offset, pose_b.rotation);
    let found = pairs::separation(&Form::of(a), &Form::of(b), &b_in_a, limit, &mut cache.search, &mut ())?;
    found.map(|found| Distance::in_world(Some(found), &turned, pose_a.position)).transpose()
}

/// A point of both, in the world, if one of the two is wholly inside a closed mesh of the other; whether their surfaces
/// cross is not looked at.
pub(crate) fn nested(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Option<DVec3>, QueryError> {
    let (offset, turned) = between(pose_a, pose_b)?;
    let b_in_a = Placement::seen_from(&turned, offset, pose_b.rotation);
    let found = pairs::nested(&Form::of(a), &Form::of(b), &b_in_a)?;
    Ok(found.map(|point| pose_a.position + turned.point_to_outer(point)))
}

/// Tells the search, and answers as without: a search that is told takes no shortcuts, so its last digits may differ.
pub(crate) fn distance_traced(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tracer: &mut impl Tracer,
) -> Result<Distance, QueryError> {
    distance_from(a, pose_a, b, pose_b, &mut Cache::default(), tracer)?;
    distance(a, pose_a, b, pose_b)
}

fn distance_from(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Distance, QueryError> {
    let offset = offset_between(pose_a, pose_b)?;
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        return Ok(balls(f64::from(a.radius()), f64::from(b.radius()), pose_a.position, offset));
    }
    distance_searched((a, pose_a), (b, pose_b), offset, cache, tracer)
}

/// Of any pair. Not inlined: its frame is large.
#[inline(never)]
fn distance_searched(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    offset: DVec3,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Distance, QueryError> {
    dispatch!(crate::simd::level(), simd => distance_wide(simd, a, b, offset, cache, tracer))
}

#[inline(always)]
fn distance_wide<S: Simd>(
    simd: S,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    offset: DVec3,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Distance, QueryError> {
    let turned = Placement::turned(pose_a);
    let b_in_a = Placement::seen_from_rotation(pose_a.rotation, &turned, offset, pose_b.rotation);
    let (a, b) = (Form::of(a), Form::of(b));
    // The common case without the calls of the general one.
    let separation = match (&a, &b) {
        (Form::Convex(a), Form::Convex(b)) => {
            separation::of_convex_wide(simd, a, b, &b_in_a, f64::INFINITY, cache, tracer)?
        }
        (Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(_), Form::HalfSpace(_) | Form::Pieces(_))
        | (Form::HalfSpace(_) | Form::Pieces(_), Form::Convex(_)) => {
            pairs::separation(&a, &b, &b_in_a, f64::INFINITY, cache, tracer)?
        }
    };
    Distance::in_world(separation, &turned, pose_a.position)
}

/// Whether two shapes have a point in common. Touching counts, to within rounding, and so does being wholly inside of a
/// closed mesh.
///
/// ```
/// use carom::prelude::*;
///
/// let cone = Shape::cone(1.0, 0.5)?;
/// assert!(carom::query::overlap(&cone, &Pose::IDENTITY, &cone, &Pose::at([0.9, 0.0, 0.0]))?);
/// assert!(!carom::query::overlap(&cone, &Pose::IDENTITY, &cone, &Pose::at([1.1, 0.0, 0.0]))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<bool, QueryError> {
    // What is common, without a call and before anything else is asked.
    if let Some(offset) = sound_offset(pose_a, pose_b) {
        let turns = [pose_a.rotation, pose_b.rotation];
        if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
            let reach = f64::from(a.radius()) + f64::from(b.radius());
            // As in [`balls`], without the square root.
            let reach = reach + 2.0 * feature::ROUNDING * reach;
            return Ok(offset.length_squared() <= reach * reach);
        }
        if let (Shape::Cuboid(a), Shape::Cuboid(b)) = (a, b)
            && a.radius() + b.radius() == 0.0
        {
            let [half_a, half_b] = [a, b].map(|cuboid| cuboid.core().half_extents().into());
            if let Some(answer) = box_axes::overlap_quickly(half_a, half_b, turns, offset) {
                return Ok(answer);
            }
        }
        if let (Shape::Capsule(a), Shape::Capsule(b)) = (a, b)
            && let Some(answer) = capsules::overlap_quickly(a, b, turns, offset)
        {
            return Ok(answer);
        }
    }
    overlap_searched((a, pose_a), (b, pose_b))
}

/// Of any pair. Not inlined: its frame is large.
#[inline(never)]
fn overlap_searched(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Result<bool, QueryError> {
    let offset = offset_between(a.1, b.1)?;
    dispatch!(crate::simd::level(), simd => overlap_wide(simd, a, b, offset))
}

#[inline(always)]
fn overlap_wide<S: Simd>(
    simd: S,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    offset: DVec3,
) -> Result<bool, QueryError> {
    // The least positive number: whatever is proven apart at all is of no interest.
    let limit = f64::MIN_POSITIVE;
    let (a, b) = (Form::of(a), Form::of(b));
    let seen_from_a =
        || Placement::seen_from_rotation(pose_a.rotation, &Placement::turned(pose_a), offset, pose_b.rotation);
    let separation = match (&a, &b) {
        (Form::Convex(a), Form::Convex(b)) => {
            let reach = a.core.reach()? + a.radius + b.core.reach()? + b.radius;
            // Beyond the spheres around both, rounding included; users' maps are known less well.
            let is_known = a.core.support_error(1.0) + b.core.support_error(1.0) == 0.0;
            if is_known && offset.length_squared() > reach * reach * (1.0 + 1e-12) {
                return Ok(false);
            }
            let b_in_a = seen_from_a();
            if let (Core::Cuboid(half_a), Core::Cuboid(half_b)) = (&a.core, &b.core)
                && a.radius + b.radius == 0.0
                && let Some(answer) = box_axes::overlap(*half_a, *half_b, &b_in_a)
            {
                return Ok(answer);
            }
            let radius = a.radius + b.radius;
            if let Some((pair, along)) = separation::exact(a, b, &b_in_a)
                && (pair.distance() < radius || -along > radius + 1e-12 * reach)
            {
                return Ok(pair.distance() < radius);
            }
            separation::of_convex_wide(simd, a, b, &b_in_a, limit, &mut Cache::default(), &mut ())?
        }
        (Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(_), Form::HalfSpace(_) | Form::Pieces(_))
        | (Form::HalfSpace(_) | Form::Pieces(_), Form::Convex(_)) => {
            pairs::separation(&a, &b, &seen_from_a(), limit, &mut Cache::default(), &mut ())?
        }
    };
    let Some(separation) = separation else { return Ok(false) };
    match separation.relation {
        Relation::Overlapping => Ok(true),
        Relation::Apart => Ok(false),
        Relation::Undecided => Err(QueryError::Undecided { upper: separation.upper }),
    }
}

/// How deep two shapes are in each other: the shortest move that frees them, with the points that are deepest.
///
/// For shapes that are apart it is the distance as a negative number, so that the answer is continuous through contact.
/// Of compounds, of meshes and of height fields the depth is the shortest way out that was found of all parts at once, an
/// upper bound, and `lower` says how much of it is proven: the depth of the two parts that are deepest in each other, or see
/// [`mesh::penetration`]. `stop` is [`Stop::IterationLimit`] where the two are more than a thousandth apart. Closed meshes are solids; open ones and height fields are surfaces with nothing inside, as they
/// are to [`distance`](fn@distance), and the way out may lead to either side.
///
/// ```
/// use carom::prelude::*;
///
/// let (cube, ball) = (Shape::cuboid(1.0, 1.0, 1.0)?, Shape::sphere(0.5)?);
/// let deep = query::penetration(&cube, &Pose::IDENTITY, &ball, &Pose::at([0.2, 0.9, 0.1]))?;
/// assert!((deep.depth - 0.6).abs() < 1e-12 && deep.normal == Vec3::Y);
/// let apart = query::penetration(&cube, &Pose::IDENTITY, &ball, &Pose::at([0.2, 2.5, 0.1]))?;
/// assert!((apart.depth + 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`QueryError::Endless`] for two half-spaces that do not face each other: no move gets them apart. Those that do have the
/// distance of their planes.
pub fn penetration(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Penetration, QueryError> {
    penetration_traced(a, pose_a, b, pose_b, &mut ())
}

pub(crate) fn penetration_traced(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tracer: &mut impl Tracer,
) -> Result<Penetration, QueryError> {
    let (offset, turned) = between(pose_a, pose_b)?;
    let b_in_a = Placement::seen_from_rotation(pose_a.rotation, &turned, offset, pose_b.rotation);
    let Some(found) = pairs::signed(&Form::of(a), &Form::of(b), &b_in_a, f64::INFINITY, tracer)? else {
        // Nothing is farther than infinity.
        return Err(QueryError::TooFar { distance: f64::INFINITY });
    };
    let found = found.placed(&turned);
    Ok(Penetration {
        depth: -found.distance,
        normal: found.normal.as_vec3(),
        on_a: pose_a.position + found.on_a,
        on_b: pose_a.position + found.on_b,
        lower: -found.upper,
        upper: -found.lower,
        stop: found.stop,
    })
}

impl Distance {
    /// The distance; 0 if the shapes overlap.
    pub fn value(&self) -> f64 {
        self.gap().map_or(0.0, |gap| gap.distance)
    }

    /// Proven: the shapes are at least this far apart.
    pub fn lower(&self) -> f64 {
        self.gap().map_or(0.0, |gap| gap.lower)
    }

    /// Proven: the shapes are at most this far apart.
    pub fn upper(&self) -> f64 {
        match self {
            Self::Apart(gap) | Self::Undecided(gap) => gap.upper,
            Self::Overlapping { upper, .. } => *upper,
        }
    }

    /// What is between the shapes, unless they overlap.
    pub fn gap(&self) -> Option<&Gap> {
        match self {
            Self::Apart(gap) | Self::Undecided(gap) => Some(gap),
            Self::Overlapping { .. } => None,
        }
    }

    /// From what was found in the frame of the first shape, which is `turned` in the world and stands at `place`.
    #[inline(always)]
    fn in_world(found: Option<Separation>, turned: &Placement, place: DVec3) -> Result<Self, QueryError> {
        let Some(found) = found else {
            // Nothing is farther than infinity.
            return Err(QueryError::TooFar { distance: f64::INFINITY });
        };
        let (on_a, on_b) =
            (place + turned.direction_to_outer(found.on_a), place + turned.direction_to_outer(found.on_b));
        let gap = Gap {
            // Before the world's rounding: far from the origin the points are rounded, the distance need not be.
            distance: found.distance,
            on_a,
            on_b,
            normal: turned.direction_to_outer(found.normal).as_vec3(),
            lower: found.lower,
            upper: found.upper,
            stop: found.stop,
        };
        Ok(match found.relation {
            Relation::Apart => Self::Apart(gap),
            Relation::Overlapping => Self::Overlapping { common: on_a, upper: found.upper },
            Relation::Undecided => Self::Undecided(gap),
        })
    }
}

/// From the place of the first pose to that of the second, and the frame of the first at the origin, if both are sound.
#[inline]
fn between(pose_a: &Pose, pose_b: &Pose) -> Result<(DVec3, Placement), QueryError> {
    Ok((offset_between(pose_a, pose_b)?, Placement::turned(pose_a)))
}

/// From the place of the first pose to that of the second, if both are sound.
#[inline(always)]
fn offset_between(pose_a: &Pose, pose_b: &Pose) -> Result<DVec3, QueryError> {
    sound_offset(pose_a, pose_b).map_or_else(|| checked_offset(pose_a, pose_b), Ok)
}

/// The same, all at once, for what is common; none for what is not sound, or not quite of unit length.
#[inline(always)]
fn sound_offset(pose_a: &Pose, pose_b: &Pose) -> Option<DVec3> {
    let offset = pose_b.position - pose_a.position;
    let is_near = offset.abs().element_sum() + pose_a.position.abs().element_sum() <= FARTHEST;
    if is_near && is_unit(pose_a.rotation) && is_unit(pose_b.rotation) { Some(offset) } else { None }
}

#[cold]
fn checked_offset(pose_a: &Pose, pose_b: &Pose) -> Result<DVec3, QueryError> {
    checked("the first shape", pose_a)?;
    checked("the second shape", pose_b)?;
    let offset = pose_b.position - pose_a.position;
    near_enough(offset)?;
    Ok(offset)
}

/// Whether a rotation is of unit length, to within a few roundings of f32.
#[inline(always)]
fn is_unit(rotation: glam::Quat) -> bool {
    (rotation.length_squared() - 1.0).abs() <= 1e-6
}

/// The distance of two balls. Their bounds are the distance itself, but for rounding.
fn balls(radius_a: f64, radius_b: f64, place: DVec3, offset: DVec3) -> Distance {
    let length = offset.length();
    let distance = length - radius_a - radius_b;
    let slack = feature::ROUNDING * (length + radius_a + radius_b);
    if distance <= slack {
        // A share of the way by the radii is inside both.
        let share = radius_a / (radius_a + radius_b);
        return Distance::Overlapping { common: place + share * offset, upper: (distance + slack).max(0.0) };
    }
    let normal = offset / length;
    Distance::Apart(Gap {
        distance,
        on_a: place + radius_a * normal,
        on_b: place + (length - radius_b) * normal,
        normal: normal.as_vec3(),
        lower: distance - slack,
        upper: distance + slack,
        stop: Stop::Converged,
    })
}

/// The pose as it is, if it is sound: queries bring its rotation to unit length in f64, which turns it less than
/// [`Pose::checked`] in f32.
#[inline]
fn checked(which: &'static str, pose: &Pose) -> Result<Pose, QueryError> {
    pose.checked().map(|_| *pose).map_err(|error| QueryError::Pose { which, error })
}

#[inline]
fn near_enough(offset: DVec3) -> Result<(), QueryError> {
    let distance = offset.abs().max_element();
    if distance <= FARTHEST { Ok(()) } else { Err(QueryError::TooFar { distance }) }
}
