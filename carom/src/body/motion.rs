//! How a body moves, and what of it decides that: mass, inertia and its inverse, what is locked and what is limited.

use super::{BodyId, BodyKind};
use crate::mass::MassProperties;
use crate::pose::Pose;
use crate::world::Digest;
use glam::{DMat3, DVec3, Mat3, Quat, Vec3};

/// What the stages read and write of a body in every step.
#[derive(Debug, Clone, Copy, PartialEq)]
// In this order: what contacts are made of is in the first line of memory.
#[repr(C, align(64))]
pub struct Motion {
    /// How the body's frame is turned.
    pub rotation: Quat,
    /// The centre of mass, in the world.
    pub center: DVec3,
    /// The velocity of the centre of mass.
    pub velocity: Vec3,
    /// The angular velocity, around the axes of the world.
    pub angular_velocity: Vec3,
    /// 1 / mass; 0 for what contacts cannot move.
    pub inverse_mass: f32,
    /// The same along each axis of the world: 0 along those that are locked.
    pub inverse_mass_along: Vec3,
    /// The inverse inertia turned into the world; zero for what contacts cannot turn.
    pub inverse_inertia: Mat3,
    /// What forces and torques the user has applied since the last step.
    pub force: Vec3,
    /// See `force`; around the centre of mass.
    pub torque: Vec3,
}

impl Motion {
    /// The velocity of the body's point at `arm` from the centre of mass.
    pub fn velocity_at(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }

    /// Changes the velocities by an impulse at `arm` from the centre of mass; what contacts cannot move stays as it is.
    pub fn apply_impulse(&mut self, impulse: Vec3, arm: Vec3) {
        // Not only for speed: an impulse that overflows, times zero, is NaN.
        if !self.is_movable() {
            return;
        }
        self.velocity += impulse * self.inverse_mass_along;
        self.angular_velocity += self.inverse_inertia * arm.cross(impulse);
    }

    /// How much faster along a direction an impulse of 1 Ns along it makes the body's point where it acts.
    pub(crate) fn response_to(&self, direction: Vec3, arm: Vec3) -> f32 {
        let lever = arm.cross(direction);
        (self.inverse_mass_along * direction).dot(direction) + (self.inverse_inertia * lever).dot(lever)
    }

    /// Whether contacts and forces move it.
    pub fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0
    }

    /// Whether every number in it is one.
    pub fn is_finite(&self) -> bool {
        self.center.is_finite()
            && self.rotation.is_finite()
            && self.velocity.is_finite()
            && self.angular_velocity.is_finite()
    }
}

/// What of a body seldom changes.
#[derive(Debug, Clone)]
pub(crate) struct Nature {
    pub(crate) id: BodyId,
    pub(crate) kind: BodyKind,
    pub(crate) mass: f32,
    /// About the centre of mass, in the body's frame; zero unless dynamic.
    pub(crate) inertia: Mat3,
    pub(crate) inverse_inertia: Mat3,
    pub(crate) center_of_mass: Vec3,
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    pub(crate) gravity_scale: f32,
    /// Its colliders' slots, which are the proxies in the broad phase.
    pub(crate) colliders: Vec<u32>,
    /// Left out of the simulation because it went non-finite.
    pub(crate) set_aside: bool,
    /// Left out of the simulation because the user wants it so.
    pub(crate) is_disabled: bool,
    /// The axes of the world along which it cannot move, and around which it cannot turn.
    pub(crate) locked: [bool; 3],
    pub(crate) locked_rotation: [bool; 3],
    pub(crate) most_speed: Option<f32>,
    pub(crate) most_angular_speed: Option<f32>,
    /// The force and torque that act in every step.
    pub(crate) constant: [Vec3; 2],
    pub(crate) user_data: u64,
    /// Whether the user has moved it since its boxes were placed.
    pub(crate) is_displaced: bool,
    /// How far its shapes reach from its origin at the most.
    pub(crate) extent: f32,
    /// How far it reaches from its centre of mass, about.
    pub(crate) reach: f32,
    /// Whether every axis has the same moment of inertia, so that a free spin keeps its axis.
    pub(crate) is_round: bool,
    /// Whether a surface of it moves along itself.
    pub(crate) conveys: bool,
}

impl Nature {
    /// 1 along the axes of the world along which it can move, 0 along the others.
    pub(crate) fn free_axes(&self) -> Vec3 {
        Vec3::from_array(self.locked.map(|is_locked| if is_locked { 0.0 } else { 1.0 }))
    }

    /// Tells what of it steps depend on, but for whether it takes part.
    pub(crate) fn add_to(&self, digest: &mut Digest) {
        digest.word(self.kind as u64);
        digest.floats(self.inertia.to_cols_array());
        digest.floats(self.center_of_mass.to_array());
        digest.floats([self.linear_damping, self.angular_damping, self.gravity_scale, self.extent]);
        digest.floats([self.most_speed, self.most_angular_speed].map(|most| most.unwrap_or(-1.0)));
        let [x, y, z] = self.locked;
        let [turn_x, turn_y, turn_z] = self.locked_rotation;
        digest.flags([x, y, z, turn_x, turn_y, turn_z, self.is_displaced]);
        self.constant.iter().for_each(|vector| digest.floats(vector.to_array()));
    }

    /// The world pose of the body's frame.
    pub(crate) fn pose_of(&self, motion: &Motion) -> Pose {
        let to_center = motion.rotation.as_dquat() * self.center_of_mass.as_dvec3();
        Pose { position: motion.center - to_center, rotation: motion.rotation }
    }

    /// Whether nothing moves it for now.
    pub(crate) fn is_left_out(&self) -> bool {
        self.set_aside || self.is_disabled
    }

    /// 1 around the axes of the world around which it can turn, 0 around the others.
    pub(crate) fn free_turns(&self) -> Vec3 {
        Vec3::from_array(self.locked_rotation.map(|is_locked| if is_locked { 0.0 } else { 1.0 }))
    }

    /// Whether it cannot turn freely.
    pub(crate) fn is_turn_locked(&self) -> bool {
        self.locked_rotation.contains(&true)
    }

    /// Brings the inverse inertia in the world up to date with the rotation: `R · I⁻¹ · Rᵀ`, or where rotations are
    /// locked the inverse of what of `R · I · Rᵀ` is free, and zero elsewhere.
    pub(crate) fn turn_inertia(&self, motion: &mut Motion) {
        motion.inverse_inertia = if self.is_turn_locked() && motion.is_movable() {
            inverse_of_free(turned(self.inertia, motion.rotation), self.locked_rotation)
        } else if self.is_round {
            // It stays as it is, and does not gather what rounding would leave beside the diagonal.
            self.inverse_inertia
        } else {
            turned(self.inverse_inertia, motion.rotation)
        };
    }

    /// The angular momentum around the centre of mass, as an angular velocity of the body has it.
    pub(crate) fn angular_momentum(&self, rotation: Quat, angular_velocity: Vec3) -> Vec3 {
        rotation * (self.inertia * (rotation.conjugate() * angular_velocity))
    }

    /// Holds the velocities to their limits.
    pub(crate) fn limit(&self, motion: &mut Motion) {
        if let Some(most) = self.most_speed {
            motion.velocity = motion.velocity.clamp_length_max(most);
        }
        if let Some(most) = self.most_angular_speed {
            motion.angular_velocity = motion.angular_velocity.clamp_length_max(most);
        }
    }

    /// Holds a way and a turn to what the limits allow in `dt`.
    pub(crate) fn limited_way(&self, [shift, turn]: [Vec3; 2], dt: f32) -> [Vec3; 2] {
        let within = |way: Vec3, most: Option<f32>| most.map_or(way, |most| way.clamp_length_max(most * dt));
        [within(shift, self.most_speed), within(turn, self.most_angular_speed)]
    }

    /// Takes on other mass properties; the pose has to be set anew.
    pub(super) fn weigh(&mut self, motion: &mut Motion, properties: &MassProperties) {
        self.mass = properties.mass;
        self.inertia = properties.inertia;
        self.inverse_inertia = properties.inverse_inertia();
        self.center_of_mass = properties.center_of_mass;
        self.reach = radius_of_gyration(properties);
        motion.inverse_mass = properties.mass.recip();
        self.apply_locks(motion);
    }

    /// What is locked has no velocity and no inverse mass.
    pub(super) fn apply_locks(&mut self, motion: &mut Motion) {
        motion.inverse_mass_along = motion.inverse_mass * self.free_axes();
        motion.velocity *= self.free_axes();
        motion.angular_velocity *= self.free_turns();
        // A spin that is held to some axes keeps to them, so it counts as that of a round body.
        self.is_round = self.is_turn_locked() || is_round(self.inertia);
        self.turn_inertia(motion);
    }
}

/// At this distance from the axis all mass would have the greatest moment of inertia.
pub(super) fn radius_of_gyration(properties: &MassProperties) -> f32 {
    let inertia = properties.inertia;
    (inertia.x_axis.x.max(inertia.y_axis.y).max(inertia.z_axis.z) / properties.mass).sqrt()
}

pub(super) fn is_round(inertia: Mat3) -> bool {
    let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    (inertia - Mat3::from_diagonal(Vec3::splat(mean))).abs_diff_eq(Mat3::ZERO, 1e-5 * mean)
}

/// The inverse of the rows and columns of a tensor that are not locked; zero in the others.
fn inverse_of_free(tensor: Mat3, locked: [bool; 3]) -> Mat3 {
    let (mut free, mut is_free) = (tensor.as_dmat3(), DMat3::ZERO);
    for column in 0..3 {
        for row in 0..3 {
            if locked[row] || locked[column] {
                // Ones on the diagonal: the rest is inverted as if it were alone.
                free.col_mut(column)[row] = if row == column { 1.0 } else { 0.0 };
            } else {
                is_free.col_mut(column)[row] = 1.0;
            }
        }
    }
    let inverse = free.inverse();
    let kept = [0, 1, 2].map(|column| inverse.col(column) * is_free.col(column));
    DMat3::from_cols(kept[0], kept[1], kept[2]).as_mat3()
}

/// A tensor of the body's frame, in the world's axes.
pub(crate) fn turned(tensor: Mat3, rotation: Quat) -> Mat3 {
    let rotation = Mat3::from_quat(rotation);
    rotation * tensor * rotation.transpose()
}
