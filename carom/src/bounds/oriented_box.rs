//! Oriented boxes: a box turned any way, tight around what is long or flat.
//!
//! Two boxes are apart exactly if one of 15 axes separates them: three face normals each, and the nine cross products
//! of their edges. The products of parallel edges vanish and separate nothing; a slack above the rounding of the test
//! keeps them, and products that are almost zero, from separating by rounding alone.
//! Source: Gottschalk, Lin and Manocha, 1996, doi:10.1145/237170.237244. The fit is in `frame.rs`.

use super::cloud::{Ball, Cloud};
use super::frame::{axes_of, best_rotation};
use super::rounding::{ROUNDING, motion_slack, nearest, padded};
use super::{BoundingVolume, BoundsError};
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DMat3, DVec3, Quat, Vec3};

/// A box in any orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    center: Vec3,
    rotation: Quat,
    half_extents: Vec3,
}

impl OrientedBox {
    /// How the box is turned.
    pub fn rotation(&self) -> Quat {
        self.rotation
    }

    /// Half of the extent along each of the box's own axes.
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    fn fitted(cloud: &Cloud) -> Self {
        let rotation = best_rotation(cloud);
        let axes = axes_of(rotation);
        let extents = [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| cloud.extent_along(axis));
        Self::of_extents(rotation, extents, cloud.origin)
    }

    /// The box turned by `rotation` that reaches so far along each of its axes, measured from `origin`.
    pub(super) fn of_extents(rotation: Quat, extents: [(f64, f64); 3], origin: DVec3) -> Self {
        let axes = axes_of(rotation);
        let center = nearest(origin + axes * DVec3::from_array(extents.map(|(a, b)| 0.5 * (a + b))));
        let middle = (axes.transpose() * (center.as_dvec3() - origin)).to_array();
        let half = |axis: usize| padded((extents[axis].1 - middle[axis]).max(middle[axis] - extents[axis].0));
        Self { center, rotation, half_extents: Vec3::new(half(0), half(1), half(2)) }
    }

    /// The corners, seen from `origin`.
    fn corners_from(&self, origin: Vec3) -> [DVec3; 8] {
        let axes = axes_of(self.rotation) * DMat3::from_diagonal(self.half_extents.as_dvec3());
        let center = self.center.as_dvec3() - origin.as_dvec3();
        std::array::from_fn(|corner| {
            let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            center + axes * DVec3::new(sign(0), sign(1), sign(2))
        })
    }
}

impl BoundingVolume for OrientedBox {
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
        let corners = self.corners_from(self.center).into_iter().chain(other.corners_from(self.center));
        let balls = corners.map(|center| Ball { center, radius: 0.0 }).collect();
        let frames = [self.rotation, other.rotation].map(|rotation| rotation.as_dquat().normalize());
        Self::fitted(&Cloud::of(self.center, balls, vec![], &frames))
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (a_axes, b_axes) = (axes_of(self.rotation), axes_of(other.rotation));
        let (a, b) = (self.half_extents.as_dvec3(), other.half_extents.as_dvec3());
        // Everything in the frame of the first.
        let offset = a_axes.transpose() * (other.center.as_dvec3() - self.center.as_dvec3());
        let b_in_a = a_axes.transpose() * b_axes;
        let size = DMat3::from_cols(b_in_a.x_axis.abs(), b_in_a.y_axis.abs(), b_in_a.z_axis.abs());
        let slack = ROUNDING * (offset.abs().element_sum() + a.element_sum() + b.element_sum());

        let faces_of_a = offset.abs().cmpgt(a + size * b + slack);
        let faces_of_b = (b_in_a.transpose() * offset).abs().cmpgt(size.transpose() * a + b + slack);
        if faces_of_a.any() || faces_of_b.any() {
            return false;
        }
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            for l in 0..3 {
                let (m, n) = ((l + 1) % 3, (l + 2) % 3);
                let b_edge = b_in_a.col(l);
                let gap = (offset[k] * b_edge[j] - offset[j] * b_edge[k]).abs();
                let a_reach = a[j] * size.col(l)[k] + a[k] * size.col(l)[j];
                let b_reach = b[m] * size.col(n)[i] + b[n] * size.col(m)[i];
                if gap > a_reach + b_reach + slack {
                    return false;
                }
            }
        }
        true
    }

    fn contains(&self, point: Vec3) -> bool {
        let offset = point.as_dvec3() - self.center.as_dvec3();
        let local = axes_of(self.rotation).transpose() * offset;
        local.abs().cmple(self.half_extents.as_dvec3() + ROUNDING * offset.length()).all()
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let turn = pose.rotation.as_dquat().normalize();
        let half = self.half_extents.as_dvec3();
        let before = self.center.as_dvec3();
        let after = turn * before + pose.position.as_dvec3();
        let exact_axes = DMat3::from_quat(turn) * axes_of(self.rotation);
        let rotation = (turn * self.rotation.as_dquat().normalize()).normalize().as_quat();
        let center = nearest(after);
        // The rotation and the centre have been rounded; what the box reaches along the new axes is measured.
        let axes = axes_of(rotation).transpose();
        let skew = axes * exact_axes;
        let shift = (axes * (after - center.as_dvec3())).abs();
        let reach = skew.x_axis.abs() * half.x + skew.y_axis.abs() * half.y + skew.z_axis.abs() * half.z;
        let slack = motion_slack(before.length() + half.length(), after.length() + half.length());
        let half_extents = Vec3::from_array((reach + shift + slack).to_array().map(padded));
        Self { center, rotation, half_extents }
    }

    fn volume(&self) -> f32 {
        (8.0 * self.half_extents.as_dvec3().element_product()) as f32
    }

    fn surface_area(&self) -> f32 {
        let half = self.half_extents.as_dvec3();
        (8.0 * (half.x * half.y + half.y * half.z + half.z * half.x)) as f32
    }
}
