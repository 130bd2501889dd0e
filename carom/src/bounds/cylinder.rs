//! Cylinders: for wheels, pillars and what turns about an axis, since turning about its own changes nothing.
//!
//! The fit tries a few axes; for each, the smallest circle around the cloud seen along the axis and the extent along
//! it. The least volume wins. Exact for a cylinder; overlap by a search for a separating plane.

use super::cloud::Cloud;
use super::frame::likely_axes;
use super::rounding::{ROUNDING, motion_slack, nearest, padded};
use super::separation::{Separation, separate};
use super::smallest_ball::smallest_ball_center;
use super::stretched::Stretched;
use super::{BoundingVolume, BoundsError};
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DQuat, DVec3, Vec3};
use std::f64::consts::PI;

/// A cylinder around any axis; height and radius may be zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingCylinder {
    center: Vec3,
    axis: Vec3,
    half_height: f32,
    radius: f32,
}

impl BoundingCylinder {
    /// The unit vector along the axis.
    pub fn axis(&self) -> Vec3 {
        self.axis
    }

    /// Half of the height along the axis.
    pub fn half_height(&self) -> f32 {
        self.half_height
    }

    /// The radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    fn fitted(cloud: &Cloud) -> Self {
        let candidates = likely_axes(cloud).into_iter().map(|axis| Self::along(cloud, axis.as_vec3()));
        let smaller = |a: Self, b: Self| if b.score(cloud) < a.score(cloud) { b } else { a };
        candidates.reduce(smaller).unwrap_or_else(|| Self::along(cloud, Vec3::Y))
    }

    fn along(cloud: &Cloud, axis: Vec3) -> Self {
        let unit = axis.as_dvec3().normalize();
        let foot = smallest_ball_center(&cloud.flattened(unit)).reject_from_normalized(unit);
        let (least, greatest) = cloud.extent_along(unit);
        Self::measured(cloud, nearest(cloud.origin + foot + unit * (0.5 * (least + greatest))), axis, 0.0)
    }

    /// The cylinder with this centre and axis around a cloud grown by `slack`.
    fn measured(cloud: &Cloud, center: Vec3, axis: Vec3, slack: f64) -> Self {
        let unit = axis.as_dvec3().normalize();
        let middle = center.as_dvec3() - cloud.origin;
        let (least, greatest) = cloud.extent_along(unit);
        let height = middle.dot(unit);
        Self {
            center,
            axis,
            half_height: padded((greatest - height).max(height - least) + slack),
            radius: padded(cloud.reach_from_line(middle, unit) + slack),
        }
    }

    /// The volume, with a tie between flat ones decided by the other extents.
    fn score(&self, cloud: &Cloud) -> f64 {
        let thickness = 1e-9 * cloud.reach();
        let radius = f64::from(self.radius) + thickness;
        radius * radius * (f64::from(self.half_height) + thickness)
    }

    fn unit_axis(&self) -> DVec3 {
        self.axis.as_dvec3().normalize()
    }

    /// The two ends if the centre and the axis were these.
    fn discs_at(&self, center: DVec3, axis: DVec3) -> [Stretched; 2] {
        let (half_height, radius) = (f64::from(self.half_height), f64::from(self.radius));
        [-half_height, half_height].map(|height| Stretched::disc(center + axis * height, axis, radius))
    }

    /// The support map, seen from `origin`.
    fn support_from(&self, origin: DVec3) -> impl Fn(DVec3) -> DVec3 {
        let (center, axis) = (self.center.as_dvec3() - origin, self.unit_axis());
        let (half_height, radius) = (f64::from(self.half_height), f64::from(self.radius));
        move |direction| {
            let along = direction.dot(axis);
            // Twice, since what the first leaves of a direction along the axis is rounding, and not across the axis.
            let across = direction.reject_from_normalized(axis).reject_from_normalized(axis);
            let rim = across.normalize_or_zero() * radius;
            center + rim + axis * if along < 0.0 { -half_height } else { half_height }
        }
    }
}

impl BoundingVolume for BoundingCylinder {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        Cloud::of_points(points).map(|cloud| Self::fitted(&cloud))
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        Cloud::of_shape(shape).map(|cloud| Self::fitted(&cloud))
    }

    fn center(&self) -> Vec3 {
        self.center
    }

    fn merged(&self, other: &Self) -> Self {
        let discs = [self, other].into_iter().flat_map(|cylinder| {
            cylinder.discs_at(cylinder.center.as_dvec3() - self.center.as_dvec3(), cylinder.unit_axis())
        });
        let frames = [self, other].map(|cylinder| DQuat::from_rotation_arc(DVec3::Y, cylinder.unit_axis()));
        Self::fitted(&Cloud::of(self.center, vec![], discs.collect(), &frames))
    }

    fn overlaps(&self, other: &Self) -> bool {
        let origin = self.center.as_dvec3();
        let start = origin - other.center.as_dvec3();
        let found = separate(self.support_from(origin), other.support_from(origin), start, 0.0);
        matches!(found, Separation::Within(_))
    }

    fn contains(&self, point: Vec3) -> bool {
        let offset = point.as_dvec3() - self.center.as_dvec3();
        let axis = self.unit_axis();
        let slack = ROUNDING * offset.length();
        offset.dot(axis).abs() <= f64::from(self.half_height) + slack
            && offset.reject_from_normalized(axis).length() <= f64::from(self.radius) + slack
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let turn = pose.rotation.as_dquat().normalize();
        let place = |point: DVec3| turn * point + pose.position.as_dvec3();
        let axis = turn * self.unit_axis();
        let (before, after) = (self.center.as_dvec3(), place(self.center.as_dvec3()));
        let center = nearest(after);
        let discs = self.discs_at(after - center.as_dvec3(), axis).to_vec();
        let size = f64::from(self.half_height) + f64::from(self.radius);
        let slack = motion_slack(before.length() + size, after.length() + size);
        Self::measured(&Cloud::of(center, vec![], discs, &[]), center, axis.as_vec3(), slack)
    }

    fn volume(&self) -> f32 {
        let radius = f64::from(self.radius);
        (2.0 * PI * radius * radius * f64::from(self.half_height)) as f32
    }

    fn surface_area(&self) -> f32 {
        let radius = f64::from(self.radius);
        (2.0 * PI * radius * (radius + 2.0 * f64::from(self.half_height))) as f32
    }
}
