//! A rigid placement of one frame in another, in f64: what single queries compute with, so that a small body on a
//! wide terrain keeps the digits that an f32 [`crate::pose::LocalPose`] would round away.

use crate::pose::{LocalPose, Pose};
use glam::{DMat3, DQuat, DVec3, Quat};

/// Where the inner frame stands in the outer one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    pub(crate) rotation: DMat3,
    pub(crate) position: DVec3,
}

impl Placement {
    pub(crate) const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, position: DVec3::ZERO };

    #[inline(always)]
    pub(crate) fn new(position: DVec3, rotation: Quat) -> Self {
        Self { rotation: matrix(rotation), position }
    }

    /// The frame of a pose, its position left out: the world's axes, seen from the body's own place.
    #[inline(always)]
    pub(crate) fn turned(pose: &Pose) -> Self {
        Self::new(DVec3::ZERO, pose.rotation)
    }

    #[inline(always)]
    pub(crate) fn of_part(pose: &LocalPose) -> Self {
        Self::new(pose.position.as_dvec3(), pose.rotation)
    }

    /// What stands at an offset and a rotation in the axes of the world, seen from a frame turned in them.
    pub(crate) fn seen_from(turned: &Self, offset: DVec3, rotation: Quat) -> Self {
        let inward = turned.rotation.transpose();
        Self { rotation: inward * matrix(rotation), position: inward * offset }
    }

    /// The same from the rotation that the frame is turned by, with fewer products.
    #[inline(always)]
    pub(crate) fn seen_from_rotation(frame: Quat, turned: &Self, offset: DVec3, rotation: Quat) -> Self {
        let relative = frame.as_dquat().conjugate() * rotation.as_dquat();
        Self { rotation: matrix_of(relative), position: turned.direction_to_inner(offset) }
    }

    #[inline(always)]
    pub(crate) fn point_to_outer(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.position
    }

    #[inline(always)]
    pub(crate) fn direction_to_outer(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }

    #[inline(always)]
    pub(crate) fn point_to_inner(&self, point: DVec3) -> DVec3 {
        self.direction_to_inner(point - self.position)
    }

    #[inline(always)]
    pub(crate) fn direction_to_inner(&self, direction: DVec3) -> DVec3 {
        self.rotation.transpose() * direction
    }

    /// The placement in the outermost frame of what stands at `inner` in this one.
    pub(crate) fn compose(&self, inner: &Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, position: self.point_to_outer(inner.position) }
    }

    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, position: rotation * -self.position }
    }
}

/// The matrix of a rotation, brought to unit length on the way.
#[inline(always)]
fn matrix(rotation: Quat) -> DMat3 {
    matrix_of(rotation.as_dquat())
}

#[inline(always)]
fn matrix_of(q: DQuat) -> DMat3 {
    // One division in place of a square root and four.
    let twice = 2.0 / q.length_squared();
    let (x, y, z) = (q.x * twice, q.y * twice, q.z * twice);
    let (xx, yy, zz) = (q.x * x, q.y * y, q.z * z);
    let (xy, yz, zx) = (q.x * y, q.y * z, q.z * x);
    let (wx, wy, wz) = (q.w * x, q.w * y, q.w * z);
    DMat3::from_cols(
        DVec3::new(1.0 - (yy + zz), xy + wz, zx - wy),
        DVec3::new(xy - wz, 1.0 - (zz + xx), yz + wx),
        DVec3::new(zx + wy, yz - wx, 1.0 - (xx + yy)),
    )
}
