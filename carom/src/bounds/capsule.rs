//! Capsules: a segment with a radius, for limbs and anything long.
//!
//! The fit tries a few axes; for each, the line is through the centre of the smallest circle around the cloud seen
//! along the axis, the radius is the reach from that line, and the segment is the shortest whose caps still cover: a
//! ball of radius `r` at height `t` and distance `ρ` from the line allows the upper end to be as low as
//! `t − √((R − r)² − ρ²)`. The least volume wins. Exact for a ball, a capsule and a segment; cylinders, cones and
//! ellipsoids are fitted by polytopes around them, at most 1% too large.

use super::cloud::{Ball, Cloud};
use super::frame::likely_axes;
use super::rounding::{ROUNDING, motion_slack, nearest, padded};
use super::smallest_ball::smallest_ball_center;
use super::{BoundingVolume, BoundsError};
use crate::distance::feature::{edge_edge, nearest_on_edge};
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::PI;

/// All points within a radius of a segment, which may be a single point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingCapsule {
    ends: [Vec3; 2],
    radius: f32,
}

impl BoundingCapsule {
    /// The end points of the segment.
    pub fn ends(&self) -> [Vec3; 2] {
        self.ends
    }

    /// The radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    fn fitted(cloud: &Cloud) -> Self {
        let cloud = cloud.with_corners_for_curves();
        let candidates = likely_axes(&cloud).into_iter().map(|axis| Self::along(&cloud, axis));
        let smaller = |a: Self, b: Self| if b.score(&cloud) < a.score(&cloud) { b } else { a };
        candidates.reduce(smaller).unwrap_or(Self { ends: [nearest(cloud.origin); 2], radius: 0.0 })
    }

    /// The capsule along the unit vector `axis` around a cloud of balls.
    fn along(cloud: &Cloud, axis: DVec3) -> Self {
        let foot = smallest_ball_center(&cloud.flattened(axis)).reject_from_normalized(axis);
        let radius = cloud.reach_from_line(foot, axis) - cloud.margin;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for Ball { center, radius: ball_radius } in &cloud.balls {
            let (height, aside) = (center.dot(axis), center.reject_from_normalized(axis).distance(foot));
            let room = radius - ball_radius;
            let cap = (room * room - aside * aside).max(0.0).sqrt();
            low = low.min(height + cap);
            high = high.max(height - cap);
        }
        // If the ends cross, a ball at any place between them will do.
        let (low, high) = if low > high { (0.5 * (low + high), 0.5 * (low + high)) } else { (low, high) };
        let ends = [low, high].map(|height| nearest(cloud.origin + foot + axis * height));
        Self::between(cloud, ends)
    }

    /// The capsule between two ends around a cloud of balls.
    fn between(cloud: &Cloud, ends: [Vec3; 2]) -> Self {
        let [a, b] = ends.map(|end| end.as_dvec3() - cloud.origin);
        let reach = |ball: &Ball| distance_to_segment([a, b], ball.center) + ball.radius;
        Self { ends, radius: padded(cloud.balls.iter().map(reach).fold(0.0, f64::max) + cloud.margin) }
    }

    /// The volume, with a tie between flat ones decided by length.
    fn score(&self, cloud: &Cloud) -> f64 {
        let ([a, b], radius) = self.segment_and_radius();
        let radius = radius + 1e-9 * cloud.reach();
        PI * radius * radius * (a.distance(b) + 4.0 / 3.0 * radius)
    }

    fn segment_and_radius(&self) -> ([DVec3; 2], f64) {
        (self.ends.map(|end| end.as_dvec3()), f64::from(self.radius))
    }
}

fn distance_to_segment(ends: [DVec3; 2], point: DVec3) -> f64 {
    // Seen from the point, so that a place far from the origin costs no digits.
    let ends = ends.map(|end| end - point);
    let weights = nearest_on_edge(ends);
    (weights[0] * ends[0] + weights[1] * ends[1]).length()
}

impl BoundingVolume for BoundingCapsule {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        Cloud::of_points(points).map(|cloud| Self::fitted(&cloud))
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        Cloud::of_shape(shape).map(|cloud| Self::fitted(&cloud))
    }

    fn center(&self) -> Vec3 {
        self.ends[0].midpoint(self.ends[1])
    }

    fn merged(&self, other: &Self) -> Self {
        let balls = [self, other].into_iter().flat_map(|capsule| {
            let (ends, radius) = capsule.segment_and_radius();
            ends.map(|end| Ball { center: end - self.ends[0].as_dvec3(), radius })
        });
        let frames = [self, other].map(|capsule| {
            let ([a, b], _) = capsule.segment_and_radius();
            DQuat::from_rotation_arc(DVec3::Y, (b - a).try_normalize().unwrap_or(DVec3::Y))
        });
        Self::fitted(&Cloud::of(self.ends[0], balls.collect(), vec![], &frames))
    }

    /// Exact up to rounding. Apart only if the gap is proven along the shortest connection of the two segments, so an
    /// inaccurate connection of almost parallel ones costs no overlap.
    fn overlaps(&self, other: &Self) -> bool {
        let ((a, a_radius), (b, b_radius)) = (self.segment_and_radius(), other.segment_and_radius());
        // From one end of the first, so that the distance from the origin does not matter.
        let base = a[0];
        let (a, b) = (a.map(|end| end - base), b.map(|end| end - base));
        let closest = edge_edge(a, b);
        let connection = closest.on_b - closest.on_a;
        let (a, b) = (a.map(|end| end.dot(connection)), b.map(|end| end.dot(connection)));
        let (highest, lowest) = (a[0].max(a[1]), b[0].min(b[1]));
        let slack = ROUNDING * (highest.abs() + lowest.abs());
        let apart = lowest - highest - slack > (a_radius + b_radius) * connection.length() * (1.0 + ROUNDING);
        !apart
    }

    fn contains(&self, point: Vec3) -> bool {
        let ([a, b], radius) = self.segment_and_radius();
        let point = point.as_dvec3();
        distance_to_segment([a, b], point) <= radius + ROUNDING * (radius + a.distance(point))
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let rotation = pose.rotation.as_dquat().normalize();
        let (before, radius) = self.segment_and_radius();
        let after = before.map(|end| rotation * end + pose.position.as_dvec3());
        let reach = |ends: [DVec3; 2]| ends[0].length().max(ends[1].length()) + radius;
        let ends = after.map(nearest);
        // Both ends stay within their own shift, and every point between them within the greater.
        let shift = ends[0].as_dvec3().distance(after[0]).max(ends[1].as_dvec3().distance(after[1]));
        Self { ends, radius: padded(radius + shift + motion_slack(reach(before), reach(after))) }
    }

    fn volume(&self) -> f32 {
        let ([a, b], radius) = self.segment_and_radius();
        (PI * radius * radius * (a.distance(b) + 4.0 / 3.0 * radius)) as f32
    }

    fn surface_area(&self) -> f32 {
        let ([a, b], radius) = self.segment_and_radius();
        (2.0 * PI * radius * (a.distance(b) + 2.0 * radius)) as f32
    }
}
