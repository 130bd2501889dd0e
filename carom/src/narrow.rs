//! Narrow phase: where two shapes touch, how deep and along which normal (M2, N4, N5, N6). [`contact`] is for two convex
//! ones; [`contacts`] takes any and answers patch by patch.
//!
//! Everything is computed in the frame of the smaller part, or of a ball of about the same size, so precision does not depend
//! on where in the world they are, nor on how large the other is.

mod cache;
mod capsule;
mod clip;
mod convex;
mod cuboid_cuboid;
mod feature;
mod half_space;
mod hull_hull;
mod manifold;
mod meetings;
mod mesh;
mod patch;
mod rolling;
mod sphere;
mod stage;
pub mod triangle_triangle;

pub use cache::PairCache;
pub use feature::{Feature, FeatureKind};
pub use manifold::{LocalContact, LocalManifold, MAX_POINTS};
pub use meetings::ContactFault;
pub use mesh::{ContactBuffer, InnerEdges, PartIndex, PartManifold, contacts};
pub use stage::{Contact, Manifold};

pub(crate) use meetings::{Head, Link, Meetings, MeetingsCopy, may_meet};
pub(crate) use rolling::rolling_radius;
pub(crate) use stage::{Meeting, reach};

use crate::distance::convex::{Convex, SupportFault};
use crate::distance::placement::Placement;
use crate::pose::{LocalPose, PoseError};
use crate::shape::{Capsule, HalfSpace, Shape, ShapeKind};
use crate::trace::Tracer;
use glam::{DVec3, Vec3};

/// The contact of two convex parts, none if they are more than `margin` apart. The pose of the second is seen from the
/// first. Points with a gap have a negative depth.
///
/// ```
/// use carom::prelude::*;
///
/// let (ball, floor) = (Shape::sphere(1.0)?, Shape::half_space([0.0, 1.0, 0.0])?);
/// let ball_in_floor = LocalPose::at([3.0, 0.75, 0.0]);
/// let manifold = carom::narrow::contact(&floor, &ball, &ball_in_floor, 0.0)?.expect("they touch");
/// assert_eq!(manifold.normal, Vec3::Y);
/// assert_eq!(manifold.contacts()[0].depth, 0.25);
///
/// let above = LocalPose::at([3.0, 1.5, 0.0]);
/// let near = carom::narrow::contact(&floor, &ball, &above, 0.6)?.expect("nearer than the margin");
/// assert_eq!(near.contacts()[0].depth, -0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ContactError`]: the pair has no contacts, as two half-spaces, whose common region has no end; or the pose, the margin or
/// a user's support map is not sound.
pub fn contact(a: &Shape, b: &Shape, b_in_a: &LocalPose, margin: f32) -> Result<Option<LocalManifold>, ContactError> {
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        return contact_of_balls([a.radius(), b.radius()], b_in_a, margin);
    }
    if let (Shape::Capsule(a), Shape::Capsule(b)) = (a, b) {
        return contact_of_capsules(a, b, b_in_a, margin);
    }
    contact_of_any(a, b, b_in_a, margin, None)
}

/// The same as [`contact`], faster for a pair that has moved little since the last call with its cache.
///
/// A cache belongs to one pair of shapes in one order. The answer depends on it only within a tolerance: while the pair
/// has moved by less than 3e-4 of the smaller shape's size, the points found last are moved along.
///
/// ```
/// use carom::narrow::{PairCache, contact_cached};
/// use carom::prelude::*;
///
/// let (floor, cube) = (Shape::cuboid(5.0, 0.5, 5.0)?, Shape::cuboid(0.5, 0.5, 0.5)?);
/// let mut cache = PairCache::default();
/// for step in 0..10 {
///     let pose = LocalPose::at([0.0, 0.99 + 1e-6 * step as f32, 0.0]);
///     let manifold = contact_cached(&floor, &cube, &pose, 0.0, &mut cache)?.expect("they touch");
///     assert_eq!(manifold.contacts().len(), 4);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`contact`].
pub fn contact_cached(
    a: &Shape,
    b: &Shape,
    b_in_a: &LocalPose,
    margin: f32,
    cache: &mut PairCache,
) -> Result<Option<LocalManifold>, ContactError> {
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        return contact_of_balls([a.radius(), b.radius()], b_in_a, margin);
    }
    if let (Shape::Capsule(a), Shape::Capsule(b)) = (a, b) {
        return contact_of_capsules(a, b, b_in_a, margin);
    }
    contact_of_any(a, b, b_in_a, margin, Some(cache))
}

/// The same as [`contact`], told step by step: the axes that were tested of boxes and hulls, the iterations of the distance
/// and the depth search of other pairs, and how their faces were clipped. Pairs with a closed form have nothing to tell.
///
/// ```
/// use carom::narrow::contact_traced;
/// use carom::prelude::*;
/// use carom::trace::{StopReason, Trace};
///
/// let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
/// let turned = LocalPose::new([1.5, 0.2, 0.1].into(), Quat::from_rotation_z(0.3));
/// let mut trace = Trace::default();
/// let manifold = contact_traced(&cube, &cube, &turned, 0.0, &mut trace)?.expect("they touch");
/// // Of the axes that were tested, the contact has the one with the widest gap.
/// let widest = trace.axes.iter().map(|step| step.gap).fold(f64::MIN, f64::max);
/// let deepest = manifold.contacts().iter().map(|contact| contact.depth).fold(f32::MIN, f32::max);
/// assert!((widest + f64::from(deepest)).abs() < 1e-5);
/// assert_eq!(trace.reasons, [StopReason::BoundsMet]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`contact`].
pub fn contact_traced(
    a: &Shape,
    b: &Shape,
    b_in_a: &LocalPose,
    margin: f32,
    tracer: &mut impl Tracer,
) -> Result<Option<LocalManifold>, ContactError> {
    let b_in_a = door(b_in_a, margin)?.unwrap_or(*b_in_a);
    if let (Shape::Capsule(a), Shape::Capsule(b)) = (a, b) {
        return Ok(capsule::contact(a, b, &b_in_a, margin));
    }
    contact_by_form(a, b, &b_in_a, || Placement::of_part(&b_in_a), margin, (None, tracer))
}

/// Why there is no contact.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactError {
    /// The pair has no contacts.
    #[error(transparent)]
    NoTest(#[from] NoContactTest),
    /// The pose is not sound.
    #[error("the pose of the second shape: {0}")]
    Pose(#[from] PoseError),
    /// The margin is negative or not finite.
    #[error("the margin is {margin}; it must be a finite number that is not negative")]
    Margin {
        /// What was given.
        margin: f32,
    },
    /// A user's support map answered with NaN or infinity.
    #[error("a support map answered {value} along {direction}")]
    Support {
        /// What it was asked.
        direction: DVec3,
        /// What it answered.
        value: DVec3,
    },
}

impl From<SupportFault> for ContactError {
    fn from(fault: SupportFault) -> Self {
        Self::Support { direction: fault.direction, value: fault.value }
    }
}

/// No contacts are computed for this pair of shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no contacts are computed between a {a} and a {b} yet")]
pub struct NoContactTest {
    /// The first shape.
    pub a: ShapeKind,
    /// The second shape.
    pub b: ShapeKind,
}

/// The contact of two balls, which does not depend on how they are turned. So cheap that a frame on the stack, for what
/// is seldom or for other pairs, would be felt; so both are functions of their own.
fn contact_of_balls(radii: [f32; 2], b_in_a: &LocalPose, margin: f32) -> Result<Option<LocalManifold>, ContactError> {
    // NaN where the margin is not finite.
    let is_off = (b_in_a.rotation.length_squared() - 1.0).abs() + 0.0 * margin;
    let is_near = b_in_a.position.as_dvec3().length_squared() < f64::INFINITY;
    if is_off <= ROUNDED && margin >= 0.0 && is_near {
        Ok(sphere::with_ball(radii, b_in_a, margin))
    } else {
        contact_of_mended_balls(radii, b_in_a, margin)
    }
}

#[cold]
fn contact_of_mended_balls(
    radii: [f32; 2],
    b_in_a: &LocalPose,
    margin: f32,
) -> Result<Option<LocalManifold>, ContactError> {
    Ok(sphere::with_ball(radii, &mended(b_in_a, margin)?, margin))
}

/// The contact of two capsules; a function of its own for the same reason.
#[inline(never)]
fn contact_of_capsules(
    a: &Capsule,
    b: &Capsule,
    b_in_a: &LocalPose,
    margin: f32,
) -> Result<Option<LocalManifold>, ContactError> {
    match door(b_in_a, margin)? {
        None => Ok(capsule::contact(a, b, b_in_a, margin)),
        Some(pose) => Ok(capsule::contact_wide(capsule::axis_of(a), capsule::axis_of(b), &pose, margin)),
    }
}

/// The contact of a pair that was not let in yet.
#[inline(never)]
fn contact_of_any(
    a: &Shape,
    b: &Shape,
    b_in_a: &LocalPose,
    margin: f32,
    cache: Option<&mut PairCache>,
) -> Result<Option<LocalManifold>, ContactError> {
    let normalized;
    let b_in_a = match door(b_in_a, margin)? {
        None => b_in_a,
        Some(pose) => {
            normalized = pose;
            &normalized
        }
    };
    if let Some(kept) = cache.as_ref().and_then(|cache| cache.kept(b_in_a, margin)) {
        return Ok(kept.moved(b_in_a, margin));
    }
    contact_in(a, b, b_in_a, || Placement::of_part(b_in_a), margin, cache)
}

/// So far from 1 the square of a unit rotation may be for having been rounded.
const ROUNDED: f32 = 4.0 * f32::EPSILON;

/// Lets in what is sound; a pose that is not quite of unit rotation comes back as one that is.
#[inline(always)]
fn door(b_in_a: &LocalPose, margin: f32) -> Result<Option<LocalPose>, ContactError> {
    // All at once, for what is common: whatever is not finite, or has a square that is not, makes the sum NaN.
    let is_off = (b_in_a.rotation.length_squared() - 1.0).abs() + 0.0 * (b_in_a.position.length_squared() + margin);
    if is_off <= ROUNDED && margin >= 0.0 { Ok(None) } else { mended(b_in_a, margin).map(Some) }
}

/// What is sound, one by one.
#[cold]
fn mended(b_in_a: &LocalPose, margin: f32) -> Result<LocalPose, ContactError> {
    if !(0.0..f32::INFINITY).contains(&margin) {
        return Err(ContactError::Margin { margin });
    }
    Ok(b_in_a.checked()?)
}

/// A shape, sorted by how its contacts are found.
#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    /// A ball by its radius, or a point.
    Ball(f32),
    /// A capsule or a segment.
    Capsule(capsule::Axis),
    /// A box by half of its extents and its rounding.
    Cuboid(Vec3, f32),
    /// Any other convex solid.
    Convex,
    HalfSpace(&'a HalfSpace),
    /// Answered part by part, before it comes here.
    Pieces,
}

impl<'a> Form<'a> {
    fn of(shape: &'a Shape) -> Self {
        match shape {
            Shape::Point(_) => Self::Ball(0.0),
            Shape::Sphere(sphere) => Self::Ball(sphere.radius()),
            Shape::Segment(segment) => Self::Capsule(([segment.a(), segment.b()], 0.0)),
            Shape::Capsule(capsule) => Self::Capsule(capsule::axis_of(capsule)),
            Shape::Cuboid(cuboid) => Self::Cuboid(cuboid.core().half_extents(), cuboid.radius()),
            Shape::Triangle(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Hull(_)
            | Shape::Custom(_) => Self::Convex,
            Shape::HalfSpace(half_space) => Self::HalfSpace(half_space),
            Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => Self::Pieces,
        }
    }
}

/// The contact of any pair. `placement` is the same as `b_in_a`, with all digits.
#[inline]
fn contact_in(
    a: &Shape,
    b: &Shape,
    b_in_a: &LocalPose,
    placement: impl FnOnce() -> Placement,
    margin: f32,
    cache: Option<&mut PairCache>,
) -> Result<Option<LocalManifold>, ContactError> {
    // So cheap that sorting out all pairs would cost as much.
    if let (Shape::Sphere(a), Shape::Sphere(b)) = (a, b) {
        return Ok(sphere::with_ball([a.radius(), b.radius()], b_in_a, margin));
    }
    if let (Shape::Capsule(a), Shape::Capsule(b)) = (a, b) {
        return Ok(capsule::contact(a, b, b_in_a, margin));
    }
    if let (Shape::Hull(a), Shape::Hull(b)) = (a, b) {
        let cores = (a.core().outer_radius() + b.core().outer_radius()) as f32;
        if is_beyond(cores + a.radius() + b.radius(), b_in_a, margin) {
            return Ok(None);
        }
    }
    contact_by_form(a, b, b_in_a, placement, margin, (cache, &mut ()))
}

/// The one place that lists every pair. Not inlined: its frame is large.
#[inline(never)]
fn contact_by_form(
    a: &Shape,
    b: &Shape,
    b_in_a: &LocalPose,
    placement: impl FnOnce() -> Placement,
    margin: f32,
    (cache, tracer): (Option<&mut PairCache>, &mut impl Tracer),
) -> Result<Option<LocalManifold>, ContactError> {
    use Form::{Ball, Capsule, Cuboid, HalfSpace, Pieces};
    let none = || Err(ContactError::NoTest(NoContactTest { a: a.kind(), b: b.kind() }));
    Ok(match (Form::of(a), Form::of(b)) {
        (Ball(a), Ball(b)) => sphere::with_ball([a, b], b_in_a, margin),
        (Ball(a), Capsule(b)) => sphere::with_capsule(a, b, b_in_a, margin),
        (Ball(a), Cuboid(half, radius)) => sphere::with_cuboid(a, (half, radius), b_in_a, margin),
        (Ball(a), HalfSpace(b)) => mirrored(b_in_a, |a_in_b| half_space::with_ball(b, a, a_in_b, margin)),
        (Capsule(a), Ball(b)) => mirrored(b_in_a, |a_in_b| sphere::with_capsule(b, a, a_in_b, margin)),
        (Capsule(a), Capsule(b)) => capsule::contact_wide(a, b, b_in_a, margin),
        (Cuboid(half, radius), Ball(b)) => {
            mirrored(b_in_a, |a_in_b| sphere::with_cuboid(b, (half, radius), a_in_b, margin))
        }
        (HalfSpace(a), Ball(b)) => half_space::with_ball(a, b, b_in_a, margin),
        (Cuboid(half_a, radius_a), Cuboid(half_b, radius_b))
            if is_beyond(half_a.length() + radius_a + half_b.length() + radius_b, b_in_a, margin) =>
        {
            None
        }
        (Cuboid(half_a, radius_a), Cuboid(half_b, radius_b)) if cache.is_none() => {
            let boxes = [(half_a, radius_a), (half_b, radius_b)];
            cuboid_cuboid::contact_alone(boxes, &placement(), f64::from(margin), tracer)?
        }
        (Ball(_) | Capsule(_) | Cuboid(..) | Form::Convex, Form::Convex)
        | (Form::Convex, Ball(_) | Capsule(_) | Cuboid(..))
        | (Capsule(_) | Cuboid(..), Cuboid(..))
        | (Cuboid(..), Capsule(_)) => match (convex::of_shape(a), convex::of_shape(b)) {
            (Some(a), Some(b)) => cache::contact(&Pair { a: &a, b: &b, b_in_a }, placement, margin, (cache, tracer))?,
            (Some(_) | None, Some(_) | None) => return none(),
        },
        (HalfSpace(a), Capsule(_) | Cuboid(..) | Form::Convex) => match convex::of_shape(b) {
            Some(b) => half_space::with_convex(a, &b, &placement(), f64::from(margin), tracer)?,
            None => return none(),
        },
        (Capsule(_) | Cuboid(..) | Form::Convex, HalfSpace(b)) => match convex::of_shape(a) {
            Some(a) => {
                let a_in_b = placement().inverse();
                let tracer = &mut half_space::Mirrored { tracer, a_in_b: &a_in_b };
                let mirror = half_space::with_convex(b, &a, &a_in_b, f64::from(margin), tracer)?;
                mirror.map(|manifold| manifold.flipped(&b_in_a.inverse()))
            }
            None => return none(),
        },
        // Two half-spaces overlap without end: there is no point to push at.
        (HalfSpace(_), HalfSpace(_))
        | (Pieces, Ball(_) | Capsule(_) | Cuboid(..) | Form::Convex | HalfSpace(_) | Pieces)
        | (Ball(_) | Capsule(_) | Cuboid(..) | Form::Convex | HalfSpace(_), Pieces) => return none(),
    })
}

/// Whether balls around the origins of two parts, whose radii add up to `reach`, are farther apart than the margin.
fn is_beyond(reach: f32, b_in_a: &LocalPose, margin: f32) -> bool {
    // The rounding of all of it, and room.
    let reach = (reach + margin) * (1.0 + 1e-6);
    b_in_a.position.length_squared() > reach * reach
}

/// Two convex parts and where the second is.
struct Pair<'a> {
    a: &'a Convex<'a>,
    b: &'a Convex<'a>,
    b_in_a: &'a LocalPose,
}

/// The first kind in a shape that has no contacts with every sharp shape that the world knows; the parts of a compound
/// are asked one by one.
pub(crate) fn without_contacts(shape: &Shape) -> Option<ShapeKind> {
    if let Shape::Compound(compound) = shape {
        return compound.parts().iter().find_map(|part| without_contacts(&part.shape));
    }
    if matches!(shape, Shape::Mesh(_) | Shape::HeightField(_)) {
        return None;
    }
    let probes = [Shape::sphere(1.0), Shape::cuboid(1.0, 1.0, 1.0)];
    // Far apart, where the answer is cheap: whether there is one depends on the kinds.
    let apart = LocalPose::at([0.0, 1e6, 0.0]);
    let has_contacts = |probe: &Shape| contact(shape, probe, &apart, 0.0).is_ok();
    (!probes.iter().flatten().all(has_contacts)).then(|| shape.kind())
}

/// The answer of the mirror pair, turned round.
fn mirrored(b_in_a: &LocalPose, contact: impl FnOnce(&LocalPose) -> Option<LocalManifold>) -> Option<LocalManifold> {
    let a_in_b = b_in_a.inverse();
    contact(&a_in_b).map(|manifold| manifold.flipped(&a_in_b))
}
