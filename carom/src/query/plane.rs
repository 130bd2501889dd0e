//! A plane between two convex shapes that are apart, proven to separate them.
//!
//! The distance search ends with a direction that leaves a gap. How far each shape reaches along it is measured anew in
//! f64, and the plane half way is told only if what is left on both sides is more than rounding, that of the place in the
//! world included. Cost: a distance and two supports.

use super::form::{Form, Pieces};
use super::{QueryError, between, pairs};
use crate::distance::feature;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation};
use crate::distance::signed::Cache;
use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;

/// A plane in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Its unit normal.
    pub normal: DVec3,
    /// A point of it.
    pub point: DVec3,
}

impl Plane {
    /// How far a point is above the plane; negative below it.
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.point)
    }
}

/// A plane that has all of the first shape below it and all of the second above it, proven in f64, rounding included.
///
/// None if the two are not proven to be apart, or so little that no plane can be told between them where they are; and for
/// compounds, meshes and height fields, which can be apart without any plane between them.
///
/// ```
/// use carom::prelude::*;
///
/// let (ball, cone) = (Shape::sphere(0.5)?, Shape::cone(1.0, 1.0)?);
/// let place = Pose::at([2.0, 1.0, 0.0]);
/// let plane = query::separating_plane(&ball, &Pose::IDENTITY, &cone, &place)?.expect("they are apart");
/// assert!(plane.height(DVec3::ZERO) < -0.5 && plane.height(place.position) > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separating_plane(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Option<Plane>, QueryError> {
    let (offset, turned) = between(pose_a, pose_b)?;
    let b_in_a = Placement::seen_from(&turned, offset, pose_b.rotation);
    let (a, b) = (Form::of(a), Form::of(b));
    if matches!(a, Form::Pieces(_)) || matches!(b, Form::Pieces(_)) {
        return Ok(None);
    }
    let found = pairs::separation(&a, &b, &b_in_a, f64::INFINITY, &mut Cache::default(), &mut ())?;
    let Some(found) = found.filter(|found| found.relation == Relation::Apart) else { return Ok(None) };
    let Some(normal) = found.normal.try_normalize() else { return Ok(None) };
    let Some((high, doubt_a)) = reach(&a, &Placement::IDENTITY, normal)? else { return Ok(None) };
    let Some((low, doubt_b)) = reach(&b, &b_in_a, -normal)? else { return Ok(None) };
    let half = 0.5 * (-low - high);
    let position = pose_a.position;
    let world = 8.0 * f64::EPSILON * (position.length() + offset.length() + high.abs() + low.abs());
    if half <= doubt_a.max(doubt_b) + world {
        return Ok(None);
    }
    let normal_in_world = turned.direction_to_outer(normal).normalize();
    // Beside the closest points, not beside the origin: far along the plane its rounding would be felt.
    let beside = 0.5 * (found.on_a + found.on_b);
    let point = beside + (high + half - normal.dot(beside)) * normal;
    Ok(Some(Plane { normal: normal_in_world, point: position + turned.point_to_outer(point) }))
}

/// How far a form reaches along a unit direction and what that may be off by; none if there is no end.
fn reach(form: &Form<'_>, placement: &Placement, direction: DVec3) -> Result<Option<(f64, f64)>, QueryError> {
    match form {
        Form::Convex(convex) => {
            let farthest = direction.dot(separation::placed_support(convex, placement, direction)?) + convex.radius;
            let size = convex.core.reach()?;
            let scale = placement.position.length() + size + convex.radius;
            Ok(Some((farthest, 2.0 * feature::ROUNDING * scale + convex.core.support_error(size))))
        }
        Form::HalfSpace(normal) => {
            // Along its normal it ends at its plane, and in no other direction.
            let normal = placement.direction_to_outer(*normal);
            let height = normal.dot(placement.position);
            let is_along = (normal - direction).length() <= 4.0 * f64::EPSILON;
            Ok(is_along.then_some((height, 4.0 * feature::ROUNDING * placement.position.length())))
        }
        Form::Pieces(Pieces::Mesh(_) | Pieces::HeightField(_) | Pieces::Compound(_)) => Ok(None),
    }
}
