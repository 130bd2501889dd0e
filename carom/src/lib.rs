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

pub mod mesh_tree;

pub mod bounds;
pub mod mass;

pub mod trace;

pub mod distance;
pub mod query;

pub mod gjk;

pub mod decomposition;

pub mod planar;

pub mod body;

pub mod broad;

pub mod particles;

pub mod impact;

pub mod mid;

pub mod narrow;

pub mod response;

pub mod world;

pub mod detector;

mod island;
mod radix;
mod simd;
mod slabs;
mod threads;

pub use simd::{Width, limit_width};
#[doc(hidden)]
pub use threads::{order_few, share_finely};

pub use glam;

/// The examples of the README, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// What most programs need, in one line.
pub mod prelude {
    pub use crate::body::{Body, BodyError, BodyId, BodyKind};
    pub use crate::detector::{Detector, DetectorError, Object, ObjectId};
    pub use crate::distance::Closest;
    pub use crate::mass::{MassError, MassProperties};
    pub use crate::pose::{LocalPose, Pose, PoseError};
    pub use crate::query::{self, Distance, QueryError};
    pub use crate::shape::{Shape, ShapeError, ShapeKind};
    pub use crate::world::{World, WorldError};
    pub use glam::{DVec3, Quat, Vec3};
}
