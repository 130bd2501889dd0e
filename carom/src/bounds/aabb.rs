//! Axis-aligned boxes: six numbers, six comparisons.

use super::extent::{bounded_extent_along, extent_along};
use super::rounding::{motion_slack, round_down, round_up};
use super::{BoundingVolume, BoundsError, check_points};
use crate::pose::{LocalPose, Pose};
use crate::shape::Shape;
use glam::{DMat3, DQuat, DVec3, Vec3};

/// A box along the axes of its frame, from its least to its greatest corner; closed, so touching boxes overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The corner of least coordinates.
    pub min: Vec3,
    /// The corner of greatest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// A box from two opposite corners, `min` not above `max`.
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The box of f64 bounds, rounded outward; what exceeds f32 ends at its greatest number.
    pub fn rounded_outward(min: DVec3, max: DVec3) -> Self {
        let [x, y, z] = min.to_array().map(round_down);
        let [u, v, w] = max.to_array().map(round_up);
        Self { min: Vec3::new(x, y, z), max: Vec3::new(u, v, w) }
    }

    /// The box around a shape at a pose in the world, computed in f64 and rounded outward. A half-space reaches to
    /// the greatest f32 on its open sides.
    pub fn around_shape_at(shape: &Shape, pose: &Pose) -> Self {
        let (min, max) = turned_extents(shape, pose.rotation.as_dquat().normalize());
        Self::rounded_outward(pose.position + min, pose.position + max)
    }

    /// The middle.
    pub fn center(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Half of the extent along each axis.
    pub fn half_extents(&self) -> Vec3 {
        0.5 * self.max - 0.5 * self.min
    }

    /// Grown by `margin` on every side.
    pub fn enlarged(&self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }
}

/// The least and greatest coordinates of a turned shape, with room for the rounding of f32 computations on it.
fn turned_extents(shape: &Shape, rotation: DQuat) -> (DVec3, DVec3) {
    let axes = DMat3::from_quat(rotation).transpose();
    let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| extent_along(shape, axis));
    let (min, max) = (DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1));
    let reach = min.abs().max(max.abs()).max_element();
    let slack = if reach.is_finite() { 4.0 * f64::from(f32::EPSILON) * reach } else { 0.0 };
    (min - slack, max + slack)
}

impl BoundingVolume for Aabb {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        check_points(points)?;
        let fold = |pick: fn(Vec3, Vec3) -> Vec3| points.iter().copied().reduce(pick).ok_or(BoundsError::NoPoints);
        Ok(Self { min: fold(Vec3::min)?, max: fold(Vec3::max)? })
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        let extent = |axis: DVec3| bounded_extent_along(shape, axis);
        let (x, y, z) = (extent(DVec3::X)?, extent(DVec3::Y)?, extent(DVec3::Z)?);
        Ok(Self::rounded_outward(DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1)))
    }

    fn center(&self) -> Vec3 {
        Self::center(self)
    }

    fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let turned = DMat3::from_quat(pose.rotation.as_dquat().normalize());
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        let (before, half) = (0.5 * (min + max), 0.5 * (max - min));
        let center = turned * before + pose.position.as_dvec3();
        let slack = motion_slack(before.length() + half.length(), center.length() + half.length());
        let half = turned.x_axis.abs() * half.x + turned.y_axis.abs() * half.y + turned.z_axis.abs() * half.z;
        Self::rounded_outward(center - half - slack, center + half + slack)
    }

    fn volume(&self) -> f32 {
        (self.max - self.min).element_product()
    }

    fn surface_area(&self) -> f32 {
        let size = self.max - self.min;
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }
}
