//! Where things are: poses in the world (f64 position) and poses of one thing in the frame of another (f32).
//!
//! Everything between two bodies is computed in the frame of one of them, so precision does not depend on how far
//! from the origin they are: [`Pose::b_in_a`] subtracts in f64 and narrows afterwards.

use glam::{DQuat, DVec3, Mat3, Quat, Vec3};

/// How far a rotation's squared length may be from 1 before a door refuses it.
const UNIT_TOLERANCE: f32 = 1e-3;

/// A rigid placement in the world: position in f64, rotation in f32.
///
/// The fields are open; every door that takes a pose checks it with [`Pose::checked`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Where the body's frame has its origin.
    pub position: DVec3,
    /// How the body's frame is turned; of unit length.
    pub rotation: Quat,
}

/// A rigid placement of one frame in another, in f32.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct LocalPose {
    /// Where the inner frame has its origin.
    pub position: Vec3,
    /// Always zero. A position is read four numbers at a time; in a gap there would be what was there before, often a
    /// tiny number, with which some machines compute a hundred times slower.
    #[cfg_attr(feature = "serde", serde(skip))]
    unused: f32,
    /// How the inner frame is turned; of unit length.
    pub rotation: Quat,
}

/// Why a pose was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// A coordinate of the position is NaN or infinite.
    #[error("the position {0} is not finite")]
    Position(DVec3),
    /// The rotation is not finite or not of unit length.
    #[error("the rotation {0} is not a unit quaternion")]
    Rotation(Quat),
}

fn checked_rotation(rotation: Quat) -> Result<Quat, PoseError> {
    let error = (rotation.length_squared() - 1.0).abs();
    // Of unit length already: to normalise again would change the last bits at every pass. NaN fails both tests.
    if error <= 4.0 * f32::EPSILON {
        Ok(rotation)
    } else if error <= UNIT_TOLERANCE {
        Ok(rotation.normalize())
    } else {
        Err(PoseError::Rotation(rotation))
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The world's own frame.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: Quat::IDENTITY };

    /// A pose from its parts.
    pub const fn new(position: DVec3, rotation: Quat) -> Self {
        Self { position, rotation }
    }

    /// Not turned, at `position`.
    pub fn at(position: impl Into<DVec3>) -> Self {
        Self::new(position.into(), Quat::IDENTITY)
    }

    /// This pose with its rotation brought to exactly unit length, or what is wrong with it.
    pub fn checked(self) -> Result<Self, PoseError> {
        if !self.position.is_finite() {
            return Err(PoseError::Position(self.position));
        }
        Ok(Self { position: self.position, rotation: checked_rotation(self.rotation)? })
    }

    /// The pose of `b` seen from `a`: subtracted and turned in f64, then narrowed.
    pub fn b_in_a(a: &Self, b: &Self) -> LocalPose {
        let a_to_world = unit(a.rotation);
        let world_to_a = a_to_world.conjugate();
        let position = world_to_a * (b.position - a.position);
        LocalPose::new(position.as_vec3(), (world_to_a * unit(b.rotation)).normalize().as_quat())
    }

    /// The world pose of something placed at `local` in this frame.
    pub fn compose(&self, local: &LocalPose) -> Self {
        Self { position: self.point_to_world(local.position), rotation: (self.rotation * local.rotation).normalize() }
    }

    /// A point of this frame, in the world.
    pub fn point_to_world(&self, point: Vec3) -> DVec3 {
        self.position + (self.rotation * point).as_dvec3()
    }

    /// A point of the world, in this frame.
    pub fn point_to_local(&self, point: DVec3) -> Vec3 {
        (unit(self.rotation).conjugate() * (point - self.position)).as_vec3()
    }
}

/// An f32 rotation as an f64 one of exactly unit length.
fn unit(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

impl Default for LocalPose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl LocalPose {
    /// The frame itself.
    pub const IDENTITY: Self = Self::new(Vec3::ZERO, Quat::IDENTITY);

    /// A pose from its parts.
    pub const fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position, unused: 0.0, rotation }
    }

    /// Not turned, at `position`.
    pub fn at(position: impl Into<Vec3>) -> Self {
        Self::new(position.into(), Quat::IDENTITY)
    }

    /// This pose with its rotation brought to exactly unit length, or what is wrong with it.
    pub fn checked(self) -> Result<Self, PoseError> {
        if !self.position.is_finite() {
            return Err(PoseError::Position(self.position.as_dvec3()));
        }
        Ok(Self { rotation: checked_rotation(self.rotation)?, ..self })
    }

    /// A point of the inner frame, in the outer one.
    pub fn point_to_outer(&self, point: Vec3) -> Vec3 {
        self.rotation * point + self.position
    }

    /// A point of the outer frame, in the inner one.
    pub fn point_to_inner(&self, point: Vec3) -> Vec3 {
        self.rotation.conjugate() * (point - self.position)
    }

    /// A direction of the inner frame, in the outer one.
    pub fn direction_to_outer(&self, direction: Vec3) -> Vec3 {
        self.rotation * direction
    }

    /// A direction of the outer frame, in the inner one.
    pub fn direction_to_inner(&self, direction: Vec3) -> Vec3 {
        self.rotation.conjugate() * direction
    }

    /// The pose in the outermost frame of something placed at `inner` in this one.
    pub fn compose(&self, inner: &Self) -> Self {
        Self::new(self.point_to_outer(inner.position), (self.rotation * inner.rotation).normalize())
    }

    /// The outer frame seen from the inner one: from `b_in_a`, `a_in_b`.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self::new(rotation * -self.position, rotation)
    }

    /// The rotation as a matrix, for turning many vectors.
    pub fn rotation_matrix(&self) -> Mat3 {
        Mat3::from_quat(self.rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_millimetre_survives_a_billion_metres_from_the_origin() {
        let a = Pose::at([1e9, -1e9, 1e9]);
        let b = Pose::at([1e9 + 0.001, -1e9, 1e9]);
        let b_in_a = Pose::b_in_a(&a, &b);
        assert!((b_in_a.position.x - 0.001).abs() < 2e-7, "{b_in_a:?}");
    }

    #[test]
    fn composing_and_seeing_from_are_inverse() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..10_000 {
            let mut quat = || {
                let r = |random: &mut fastrand::Rng| random.f32() * 2.0 - 1.0;
                Quat::from_xyzw(r(&mut random), r(&mut random), r(&mut random), r(&mut random) + 1e-3).normalize()
            };
            let a = Pose::new(DVec3::new(1e5, 2.0, -3e4), quat());
            let local = LocalPose::new(Vec3::new(0.3, -2.0, 1.0), quat());
            let seen = Pose::b_in_a(&a, &a.compose(&local));
            assert!(seen.position.distance(local.position) < 2e-6, "{seen:?} {local:?}");
            assert!(seen.rotation.dot(local.rotation).abs() > 1.0 - 1e-6);
            let round = local.compose(&local.inverse());
            assert!(round.position.length() < 2e-6 && round.rotation.w.abs() > 1.0 - 1e-6);
        }
    }

    #[test]
    fn bad_poses_are_refused_by_name() {
        let nan = Pose::at([0.0, f64::NAN, 0.0]);
        assert!(matches!(nan.checked(), Err(PoseError::Position(_))));
        let turned = Pose::new(DVec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, f32::NAN));
        assert!(matches!(turned.checked(), Err(PoseError::Rotation(_))));
        let long = LocalPose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0));
        assert!(matches!(long.checked(), Err(PoseError::Rotation(_))));
        assert!(matches!(LocalPose::at([f32::INFINITY, 0.0, 0.0]).checked(), Err(PoseError::Position(_))));
    }
}
