//! carom finds which bodies touch, where, when and how deep, and moves them apart by the laws of mechanics.
//!
//! Modules stand in the order in which data flows; ARCHITECTURE.md in the repository draws the path.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

pub mod pose;
pub mod shape;

pub mod bounds;

mod simd;

pub use glam;

/// What most programs need, in one line.
pub mod prelude {
    pub use crate::pose::{LocalPose, Pose, PoseError};
    pub use crate::shape::{Shape, ShapeError, ShapeKind};
    pub use glam::{DVec3, Quat, Vec3};
}
