//! What can be wrong with a body, and the checks at the door.

use super::BodyId;
use crate::mass::MassError;
use crate::pose::PoseError;
use crate::shape::ShapeKind;
use glam::Vec3;

/// Why a body was refused or cannot be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// No body has this id, or no longer.
    #[error("there is no {id}: it was removed or belongs to another world")]
    Unknown {
        /// The id that was asked for.
        id: BodyId,
    },
    /// The pose is unsound.
    #[error("the body's pose: {error}")]
    Pose {
        /// What is wrong with it.
        error: PoseError,
    },
    /// The pose of a shape in the body is unsound.
    #[error("the pose of shape {index}: {error}")]
    ShapePose {
        /// Which shape, counted from 0.
        index: usize,
        /// What is wrong with its pose.
        error: PoseError,
    },
    /// A vector is NaN or infinite.
    #[error("the {what} is {value}, not finite")]
    NotFinite {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: Vec3,
    },
    /// A number is NaN or outside of its range.
    #[error("the {what} is {value}; it must be from {least} to {greatest}")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f32,
        /// The least it may be.
        least: f32,
        /// The greatest it may be.
        greatest: f32,
    },
    /// A shape of a dynamic body has no mass.
    #[error("shape {index} gives the body no mass: {error}")]
    Mass {
        /// Which shape, counted from 0.
        index: usize,
        /// Why not.
        error: MassError,
    },
    /// A dynamic body without shapes needs its mass given outright.
    #[error("a dynamic body needs a shape with volume, or mass properties of its own")]
    NoMass,
    /// The body's mass or inertia as a whole is unsound.
    #[error("the body's mass: {error}")]
    TotalMass {
        /// What is wrong with it.
        error: MassError,
    },
    /// The mass or a moment of inertia is so small that its inverse overflows.
    #[error("the body's mass or inertia is too small: its inverse is no finite number")]
    TooLight,
    /// A half-space reaches to infinity and cannot move.
    #[error("shape {index} is a half-space, which only fixed and kinematic bodies can have")]
    Unbounded {
        /// Which shape, counted from 0.
        index: usize,
    },
    /// Only dynamic bodies have a mass.
    #[error("{id} is not dynamic, so it has no mass")]
    NotDynamic {
        /// The body.
        id: BodyId,
    },
    /// Only kinematic bodies are moved to a target.
    #[error("{id} is not kinematic, so it cannot be moved to a target")]
    NotKinematic {
        /// The body.
        id: BodyId,
    },
    /// The body has fewer shapes.
    #[error("{id} has no shape {index}")]
    NoShape {
        /// The body.
        id: BodyId,
        /// Which shape was asked for, counted from 0.
        index: usize,
    },
    /// The world cannot collide this shape yet.
    #[error("shape {index} has a {kind}, for which the world computes no contacts yet")]
    NoContacts {
        /// Which shape, counted from 0.
        index: usize,
        /// The kind that is missing.
        kind: ShapeKind,
    },
}

pub(super) fn finite(what: &'static str, value: Vec3) -> Result<(), BodyError> {
    if value.is_finite() { Ok(()) } else { Err(BodyError::NotFinite { what, value }) }
}

pub(super) fn in_range(what: &'static str, value: f32, least: f32, greatest: f32) -> Result<(), BodyError> {
    // False for NaN, too.
    if (least..=greatest).contains(&value) {
        Ok(())
    } else {
        Err(BodyError::OutOfRange { what, value, least, greatest })
    }
}
