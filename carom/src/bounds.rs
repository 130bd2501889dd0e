//! Bounding volumes: simple shapes around others, for cheap answers of "certainly apart" (S5).
//!
//! Every fit encloses what it is fitted to, rounding included, and every overlap test is conservative: it may say
//! "overlap" of two that are just apart, never "apart" of two that overlap. Sizes are measured in f64 around centres
//! and rotations already narrowed to f32, and padded by 2⁻²² (2 to 4 ulp). [`BoundingVolume::moved`] also leaves room
//! for points that are moved in f32, so move the volume of the body's own frame each time instead of the last result.
//!
//! | volume | bytes | overlap | moved | merged | fit | volume | good for |
//! |---|---|---|---|---|---|---|---|
//! | [`Aabb`] | 24 | 1 | 10 | 1 | 1 | 1 | the broad phase; trees that change every step |
//! | [`BoundingSphere`] | 16 | 1 | 5 | 5 | 20 | 3.6 | what tumbles: turning changes nothing |
//! | [`BoundingCapsule`] | 28 | 11 | 10 | 1000 | 1500 | 0.84 | limbs, ropes, anything long and round |
//! | [`OrientedBox`] | 48 | 6 | 15 | 1500 | 1500 | 0.44 | trees over rigid meshes; long or flat bodies |
//! | [`Kdop<6>`](Kdop) | 24 | 1 | 150 | 1 | 2 | 1 | comparing with the others: it is the box |
//! | [`Kdop<14>`](Kdop) | 56 | 1 | 500 | 1 | 6 | 0.55 | deforming meshes: refits as cheaply as a box |
//! | [`Kdop<18>`](Kdop) | 72 | 1 | 800 | 1 | 8 | 0.50 | the same, with more edges than corners |
//! | [`Kdop<26>`](Kdop) | 104 | 1 | 2000 | 1 | 12 | 0.44 | the same, where narrow tests are dear |
//! | [`BoundingCylinder`] | 32 | 20 | 200 | 20000 | 1500 | 0.79 | wheels, pillars, rotors |
//! | [`BoundingEllipsoid`] | 48 | 20 | 1000 | 12000 | 350 | 0.58 | smooth bodies; statistics of a cloud |
//! | [`BoundingHull`] | 48 + hull | 50 | 15 | 6000 | 400 | 0.22 | the last filter before exact tests |
//!
//! Costs are rough multiples of the box's overlap (for overlap, moving and merging) and of its fit, all in a release
//! build on one x86-64 core with volumes around 20 points of boxes turned at random; the volume is over that of the
//! axis-aligned box around the same points.

mod aabb;
pub(crate) mod box_sweep;
mod capsule;
mod cylinder;
mod ellipsoid;
mod hull;
mod kdop;
mod oriented_box;
mod sphere;
mod swept;

mod cloud;
mod extent;
mod frame;
mod rounding;
mod separation;
mod smallest_ball;
mod smallest_ellipsoid;
mod smallest_rectangle;
mod stretched;

pub use aabb::Aabb;
pub use capsule::BoundingCapsule;
pub use cylinder::BoundingCylinder;
pub use ellipsoid::BoundingEllipsoid;
pub use hull::BoundingHull;
pub use kdop::Kdop;
pub use oriented_box::OrientedBox;
pub use sphere::{BoundingSphere, SphereFit};
pub use swept::{Motion, SweepError};

use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::Vec3;

/// A volume around something.
pub trait BoundingVolume: Clone {
    /// The volume around points, or why there is none.
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError>;

    /// The volume around a shape in the shape's own frame, or why there is none.
    fn around_shape(shape: &Shape) -> Result<Self, BoundsError>;

    /// A point in the middle, to sort by.
    fn center(&self) -> Vec3;

    /// A volume around both.
    fn merged(&self, other: &Self) -> Self;

    /// Whether the two have a point in common; may err on the side of yes.
    fn overlaps(&self, other: &Self) -> bool;

    /// Whether the point is inside or on the surface.
    fn contains(&self, point: Vec3) -> bool;

    /// The volume around this one after a rigid motion: the update of a moving body.
    fn moved(&self, pose: &LocalPose) -> Self;

    /// How much space it takes.
    fn volume(&self) -> f32;

    /// How much surface it has.
    fn surface_area(&self) -> f32;
}

/// Why there is no bounding volume.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// Nothing has no bounds.
    #[error("no points to bound")]
    NoPoints,
    /// A point is NaN or infinite.
    #[error("point {index} is {value}, not a finite point")]
    NotFinite {
        /// Which point, counted from 0.
        index: usize,
        /// Its coordinates.
        value: Vec3,
    },
    /// A shape reaches to what is NaN or infinite; a support map of the user's own may do that.
    #[error("along {direction} the shape reaches from {least} to {greatest}, which is not finite")]
    ExtentNotFinite {
        /// The direction, not of unit length.
        direction: Vec3,
        /// The least product of the direction with a point of the shape.
        least: f64,
        /// The greatest product.
        greatest: f64,
    },
    /// The shape reaches to infinity.
    #[error("a half-space has no bounds")]
    Unbounded,
    /// The points or the shape reach farther than sizes in f32 can be measured.
    #[error("a reach of {reach:e} is too large to bound; coordinates must be below 1e30")]
    TooLarge {
        /// The greatest coordinate.
        reach: f64,
    },
    /// Points that no convex hull could be made of.
    #[error("no convex hull around {count} points")]
    NoHull {
        /// How many points there are.
        count: usize,
    },
}

/// An error if there is no point, or one that is not finite.
fn check_points(points: &[Vec3]) -> Result<(), BoundsError> {
    if points.is_empty() {
        return Err(BoundsError::NoPoints);
    }
    match points.iter().position(|point| !point.is_finite()) {
        None => Ok(()),
        Some(index) => Err(BoundsError::NotFinite { index, value: points[index] }),
    }
}
