//! Bounds of what moves (B13, M3, M4): around a shape at every moment of a step, so that nothing fast is missed.
//!
//! The pivot, mostly the centre of mass, moves evenly along a line while the shape turns evenly about it by an angle θ.
//! A point at distance ρ from the axis is at ρ(cos φ, sin φ) in the plane across it, φ from −h to h with h = θ/2, and
//! strays from the point ρ(cos h, φ/h·sin h) of the line between its ends. With k = sin h / h the squared gap over ρ²
//! is f(φ) = 1 + cos²h + k²φ² − 2 cos φ cos h − 2kφ sin φ, so f′/2 = kφ(k − cos φ) − sin φ (k − cos h). As sin φ ≥ kφ
//! and k ≥ cos h for 0 ≤ φ ≤ h ≤ π/2, f′/2 ≤ kφ(cos h − cos φ) ≤ 0: the gap is greatest in the middle, ρ(1 − cos h).
//! So all of the motion is within r(1 − cos θ/2) of the convex hull of start and end, where r is how far the shape
//! reaches from the axis, and the excess is across the axis only: second order in θ, and never too small.
//! Large turns are also bounded by the ball around the pivot. Cost of a box: two boxes and one pass over the corners.
//! Source: the bound by the sagitta is folklore in continuous collision detection; the proof is ours.

mod reach;
mod volume;

pub use volume::SweepError;

use super::extent::extent_along;
use super::frame::axes_of;
use super::rounding::ROUNDING;
use super::{Aabb, BoundingSphere, BoundingVolume, BoundsError, OrientedBox};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use reach::{core_reach, rounding_radius};

/// Room for the rounding of points that are moved in f32, relative to how far they are from the body's origin.
const SLACK: f64 = 4.0 * f32::EPSILON as f64;

/// From this value of 1 − cos θ/2 on, about 36°, the ball around the pivot is worth its cost.
const LARGE_TURN: f64 = 0.05;

/// A rigid motion from one pose to another with constant velocity and constant angular velocity.
///
/// ```
/// use carom::bounds::Motion;
/// use carom::prelude::*;
///
/// let ball = Shape::sphere(0.5)?;
/// let shot = Motion::between(Pose::at([0.0, 0.0, 0.0]), Pose::at([100.0, 0.0, 0.0]));
/// let bounds = shot.aabb(&ball);
/// assert!(bounds.min.x <= -0.5 && bounds.max.x >= 100.5 && bounds.max.y < 0.51);
/// assert_eq!(shot.volume(&ball)?, Shape::capsule_between([0.0; 3], [100.0, 0.0, 0.0], 0.5)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Where it begins.
    pub start: Pose,
    /// Where it ends. Of the two ways to turn there the shorter is taken.
    pub end: Pose,
    /// The point of the body that moves along a line, in the body's frame: the centre of mass of a free body.
    pub pivot: Vec3,
}

/// The turn of a motion.
struct Turn {
    /// From start to end, of positive w.
    rotation: DQuat,
    /// The axis in the world; zero without a turn.
    axis: DVec3,
    /// 1 − cos θ/2.
    versine: f64,
}

impl Motion {
    /// The motion between two poses that turns about the body's origin.
    pub const fn between(start: Pose, end: Pose) -> Self {
        Self { start, end, pivot: Vec3::ZERO }
    }

    /// The motion by a displacement, without turning.
    pub fn along(start: Pose, displacement: DVec3) -> Self {
        Self::between(start, Pose::new(start.position + displacement, start.rotation))
    }

    /// The same motion, but turning about a point of the body's frame: this point, not the origin, moves along a line.
    pub const fn about(self, pivot: Vec3) -> Self {
        Self { pivot, ..self }
    }

    /// Where the body is at a time from 0, the start, to 1, the end.
    pub fn pose_at(&self, time: f64) -> Pose {
        let turn = self.turn();
        let half_angle = libm::atan2(turn.rotation.xyz().length(), turn.rotation.w) * time;
        let so_far = DQuat::from_vec4((turn.axis * libm::sin(half_angle)).extend(libm::cos(half_angle)));
        let rotation = (so_far * unit(self.start.rotation)).normalize();
        let [from, to] = self.ends_of(self.pivot.as_dvec3());
        Pose::new(from.lerp(to, time) - rotation * self.pivot.as_dvec3(), rotation.as_quat())
    }

    /// The box around the shape all along. A half-space reaches to the greatest f32 on its open sides.
    ///
    /// Allocates nothing; for a pure displacement it is the box around start and end.
    pub fn aabb(&self, shape: &Shape) -> Aabb {
        let ends = Aabb::around_shape_at(shape, &self.start).merged(&Aabb::around_shape_at(shape, &self.end));
        let turn = self.turn();
        if turn.axis == DVec3::ZERO {
            return ends;
        }
        let across_axes = DVec3::from_array(DVec3::AXES.map(|axis| axis.cross(turn.axis).length()));
        let stray = self.greatest_stray(shape, &turn) * across_axes;
        let hull = Aabb::rounded_outward(ends.min.as_dvec3() - stray, ends.max.as_dvec3() + stray);
        if turn.versine < LARGE_TURN || matches!(shape, Shape::HalfSpace(_)) {
            return hull;
        }
        let reach = core_reach(shape, self.pivot.as_dvec3(), DMat3::IDENTITY) + rounding_radius(shape);
        let reach = reach + SLACK * (reach + f64::from(self.pivot.length()));
        let [from, to] = self.ends_of(self.pivot.as_dvec3());
        let ball = Aabb::rounded_outward(from.min(to) - reach, from.max(to) + reach);
        Aabb::new(hull.min.max(ball.min), hull.max.min(ball.max))
    }

    /// The sphere around the shape all along, or why there is none.
    pub fn sphere(&self, shape: &Shape) -> Result<BoundingSphere, BoundsError> {
        let ball = BoundingSphere::around_shape(shape)?;
        let center = ball.center().as_dvec3();
        let turn = self.turn();
        let [from, to] = self.ends_of(center);
        let [pivot_from, pivot_to] = self.ends_of(self.pivot.as_dvec3());
        let arm = center - self.pivot.as_dvec3();
        let stray = (self.across(&turn) * arm).length() * turn.versine;
        let around_ends = 0.5 * from.distance(to) + stray;
        let around_pivot = 0.5 * pivot_from.distance(pivot_to) + arm.length();
        let (a, b, reach) =
            if around_pivot < around_ends { (pivot_from, pivot_to, around_pivot) } else { (from, to, around_ends) };
        let slack = SLACK * (center.length() + f64::from(ball.radius())) + self.world_rounding();
        Ok(BoundingSphere::of_ball(a.midpoint(b), reach + f64::from(ball.radius()) + slack))
    }

    /// The oriented box around the shape all along, or why there is none: the smallest of those turned like the shape's
    /// own box at the start, in the middle and at the end, and one along the motion.
    pub fn oriented_box(&self, shape: &Shape) -> Result<OrientedBox, BoundsError> {
        let own = unit(OrientedBox::around_shape(shape)?.rotation());
        let turn = self.turn();
        let stray = self.greatest_stray(shape, &turn);
        let [first, middle, last] = [0.0, 0.5, 1.0].map(|time| unit(self.pose_at(time).rotation) * own);
        let along = along_motion(self.end.position - self.start.position, DMat3::from_quat(middle));
        let candidates = [first, middle, last, along].map(DQuat::as_quat);
        let measured = candidates.map(|rotation| {
            let axes = axes_of(rotation);
            let extents = [axes.x_axis, axes.y_axis, axes.z_axis]
                .map(|axis| self.extent(shape, axis, stray * axis.cross(turn.axis).length()));
            let [x, y, z] = extents.map(|(least, greatest)| greatest - least);
            (x * y + y * z + z * x, rotation, extents)
        });
        let [first, rest @ ..] = measured;
        let (_, rotation, extents) =
            rest.into_iter().fold(first, |best, next| if next.0 < best.0 { next } else { best });
        Ok(OrientedBox::of_extents(rotation, extents, self.start.position))
    }

    /// The extent of the motion along a unit vector of the world, from the start position.
    fn extent(&self, shape: &Shape, axis: DVec3, stray: f64) -> (f64, f64) {
        let at = |pose: &Pose| {
            let (least, greatest) = extent_along(shape, unit(pose.rotation).conjugate() * axis);
            let slack = SLACK * least.abs().max(greatest.abs()) + self.world_rounding();
            let offset = axis.dot(pose.position - self.start.position);
            (offset + least - slack, offset + greatest + slack)
        };
        let (a, b) = (at(&self.start), at(&self.end));
        (a.0.min(b.0) - stray, a.1.max(b.1) + stray)
    }

    /// How far any point of the shape strays from the line between its ends.
    fn greatest_stray(&self, shape: &Shape, turn: &Turn) -> f64 {
        if turn.axis == DVec3::ZERO {
            return 0.0;
        }
        turn.versine * core_reach(shape, self.pivot.as_dvec3(), self.across(turn)) * (1.0 + SLACK)
    }

    /// Takes from a vector of the body at the start what is along the axis.
    fn across(&self, turn: &Turn) -> DMat3 {
        let axis = unit(self.start.rotation).conjugate() * turn.axis;
        DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z)
    }

    fn turn(&self) -> Turn {
        let rotation = if self.start.rotation == self.end.rotation {
            DQuat::IDENTITY
        } else {
            (unit(self.end.rotation) * unit(self.start.rotation).conjugate()).normalize()
        };
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        let vector = rotation.xyz();
        // 1 − cos = sin² / (1 + cos), without cancellation.
        Turn { rotation, axis: vector.normalize_or_zero(), versine: vector.length_squared() / (1.0 + rotation.w) }
    }

    /// How far f64 is off where the body is.
    fn world_rounding(&self) -> f64 {
        ROUNDING * (self.start.position.length() + self.end.position.length() + f64::from(self.pivot.length()))
    }

    /// Where a point of the body is in the world at the start and at the end.
    fn ends_of(&self, point: DVec3) -> [DVec3; 2] {
        [self.start, self.end].map(|pose| pose.position + unit(pose.rotation) * point)
    }
}

impl Aabb {
    /// The box around this one all along a displacement, rounded outward.
    pub fn swept(&self, displacement: Vec3) -> Self {
        let (min, max, by) = (self.min.as_dvec3(), self.max.as_dvec3(), displacement.as_dvec3());
        Self::rounded_outward(min + by.min(DVec3::ZERO), max + by.max(DVec3::ZERO))
    }
}

fn unit(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

/// A frame along the displacement; around it, it is turned like that axis of `frame` which is least along it.
fn along_motion(displacement: DVec3, frame: DMat3) -> DQuat {
    let Some(x) = displacement.try_normalize() else { return DQuat::from_mat3(&frame) };
    let least_along = (frame.transpose() * x).abs().min_position();
    let y = frame.col(least_along).reject_from_normalized(x).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}
