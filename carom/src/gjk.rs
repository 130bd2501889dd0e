//! The search for the distance and the depth of two shapes, told step by step (V1).
//!
//! The answers are those of [`crate::query`]. A [`Tracer`] listens to every iteration of the careful search. That of a
//! distance is run for the tracer and the answer is found as ever, mostly by shortcuts with no steps to tell: the bounds of
//! both hold, their last digits may differ. Pairs with a closed form, such as two capsules, have nothing to tell while they are apart.

use crate::pose::Pose;
use crate::query::{self, Distance, Penetration, QueryError};
use crate::shape::Shape;
use crate::trace::Tracer;

/// [`query::distance`], traced.
pub fn distance_traced(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tracer: &mut impl Tracer,
) -> Result<Distance, QueryError> {
    query::distance_traced(a, pose_a, b, pose_b, tracer)
}

/// [`query::penetration`], traced: the distance search and, if the cores overlap, the depth search after it.
///
/// ```
/// use carom::prelude::*;
/// use carom::trace::{StopReason, Trace};
///
/// let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
/// let mut trace = Trace::default();
/// let turned = Pose::new([1.5, 0.2, 0.1].into(), Quat::from_rotation_z(0.3));
/// let deep = carom::gjk::penetration_traced(&cube, &Pose::IDENTITY, &cube, &turned, &mut trace)?;
/// assert_eq!(trace.reasons, [StopReason::Enclosed, StopReason::BoundsMet]);
/// assert!((trace.epa.last().unwrap().upper - deep.depth).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn penetration_traced(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tracer: &mut impl Tracer,
) -> Result<Penetration, QueryError> {
    query::penetration_traced(a, pose_a, b, pose_b, tracer)
}
