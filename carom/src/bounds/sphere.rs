//! Spheres: four numbers, one comparison, and turning changes nothing.

use super::cloud::Cloud;
use super::rounding::{ROUNDING, motion_slack, nearest, padded};
use super::smallest_ball::{ritter_center, smallest_ball_center};
use super::{BoundingVolume, BoundsError};
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// A ball around something.
///
/// ```
/// use carom::bounds::{BoundingSphere, BoundingVolume, SphereFit};
/// use carom::prelude::*;
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let exact = BoundingSphere::around_points(&corners)?;
/// let quick = BoundingSphere::fitted_to_points(&corners, SphereFit::Ritter)?;
/// assert!((exact.radius() - (2.0_f32 / 3.0).sqrt()).abs() < 1e-6);
/// assert!(quick.radius() >= exact.radius());
/// # Ok::<(), carom::bounds::BoundsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingSphere {
    center: Vec3,
    radius: f32,
}

/// How the centre of a sphere is chosen. The radius is measured from it, so that every choice encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SphereFit {
    /// The middle of the axis-aligned box: one pass, up to √3 times too large.
    BoxCenter,
    /// Ritter's, repeated: eight passes whatever the points, mostly 1 to 5% too large.
    Ritter,
    /// The smallest sphere there is (Welzl): about ten passes.
    #[default]
    Welzl,
}

impl BoundingSphere {
    /// The sphere around points, by the given fit.
    pub fn fitted_to_points(points: &[Vec3], fit: SphereFit) -> Result<Self, BoundsError> {
        Cloud::of_points(points).map(|cloud| Self::fitted(&cloud, fit))
    }

    /// The sphere around a shape, by the given fit.
    pub fn fitted_to_shape(shape: &Shape, fit: SphereFit) -> Result<Self, BoundsError> {
        Cloud::of_shape(shape).map(|cloud| Self::fitted(&cloud, fit))
    }

    /// The radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    fn fitted(cloud: &Cloud, fit: SphereFit) -> Self {
        let center = match fit {
            SphereFit::BoxCenter => cloud.box_center(),
            SphereFit::Ritter => ritter_center(cloud),
            SphereFit::Welzl => smallest_ball_center(cloud),
        };
        let center = nearest(cloud.origin + center);
        Self { center, radius: padded(cloud.reach_from_point(center.as_dvec3() - cloud.origin)) }
    }

    /// The sphere around a ball in f64.
    pub(super) fn of_ball(center: DVec3, radius: f64) -> Self {
        let rounded = nearest(center);
        Self { center: rounded, radius: padded(radius + rounded.as_dvec3().distance(center)) }
    }

    fn center_and_radius(&self) -> (DVec3, f64) {
        (self.center.as_dvec3(), f64::from(self.radius))
    }
}

impl BoundingVolume for BoundingSphere {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        Self::fitted_to_points(points, SphereFit::Welzl)
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        Self::fitted_to_shape(shape, SphereFit::Welzl)
    }

    fn center(&self) -> Vec3 {
        self.center
    }

    fn merged(&self, other: &Self) -> Self {
        let ((a, a_radius), (b, b_radius)) = (self.center_and_radius(), other.center_and_radius());
        let distance = a.distance(b);
        if distance + b_radius <= a_radius {
            return *self;
        }
        if distance + a_radius <= b_radius {
            return *other;
        }
        let radius = 0.5 * (distance + a_radius + b_radius);
        let center = nearest(a + (b - a) * ((radius - a_radius) / distance));
        let exact = center.as_dvec3();
        Self { center, radius: padded((exact.distance(a) + a_radius).max(exact.distance(b) + b_radius)) }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ((a, a_radius), (b, b_radius)) = (self.center_and_radius(), other.center_and_radius());
        let reach = (a_radius + b_radius) * (1.0 + ROUNDING);
        a.distance_squared(b) <= reach * reach
    }

    fn contains(&self, point: Vec3) -> bool {
        let (center, radius) = self.center_and_radius();
        center.distance(point.as_dvec3()) <= radius * (1.0 + ROUNDING)
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let (before, radius) = self.center_and_radius();
        let after = pose.rotation.as_dquat().normalize() * before + pose.position.as_dvec3();
        let center = nearest(after);
        let slack = motion_slack(before.length() + radius, after.length() + radius);
        Self { center, radius: padded(radius + center.as_dvec3().distance(after) + slack) }
    }

    fn volume(&self) -> f32 {
        let (_, radius) = self.center_and_radius();
        (4.0 / 3.0 * PI * radius * radius * radius) as f32
    }

    fn surface_area(&self) -> f32 {
        let (_, radius) = self.center_and_radius();
        (4.0 * PI * radius * radius) as f32
    }
}
