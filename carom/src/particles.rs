//! Proximity of point sets (B14): all pairs within a radius, and the nearest neighbours of each point.
//!
//! Both run on rayon's threads and give the same answer in the same order on any number of them. Buffers are kept from
//! call to call, so that a simulation that asks every step stops allocating after the first few.

mod cells;
mod close_pairs;
mod nearest;
mod neighbours;
mod point_tree;

pub use close_pairs::ClosePairs;
pub use neighbours::{Neighbour, Neighbours};
pub use point_tree::PointTree;

use glam::Vec3;

/// How many points are compared at once.
const LANES: usize = 8;

/// Why there is no answer about points.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// A point is NaN or infinite.
    #[error("point {index} is {value}, not a finite point")]
    PointNotFinite {
        /// Which point, counted from 0.
        index: usize,
        /// Its coordinates.
        value: Vec3,
    },
    /// A query point is NaN or infinite.
    #[error("query {index} is {value}, not a finite point")]
    QueryNotFinite {
        /// Which query, counted from 0.
        index: usize,
        /// Its coordinates.
        value: Vec3,
    },
    /// The radius is NaN, infinite or negative.
    #[error("the radius is {radius}; it must be finite and not negative")]
    BadRadius {
        /// The radius.
        radius: f32,
    },
    /// More points than 32-bit indices can name.
    #[error("{count} points are more than {MAX_POINTS}")]
    TooManyPoints {
        /// How many were given.
        count: usize,
    },
    /// There is no memory for so many neighbours.
    #[error("no memory for {count} neighbours of each of {queries} points")]
    TooManyNeighbours {
        /// How many neighbours each was to have.
        count: usize,
        /// How many points asked.
        queries: usize,
    },
}

/// The greatest number of points.
pub const MAX_POINTS: usize = 1 << 31;

fn check_points(points: &[Vec3]) -> Result<(), PointsError> {
    if points.len() > MAX_POINTS {
        return Err(PointsError::TooManyPoints { count: points.len() });
    }
    match points.iter().position(|point| !point.is_finite()) {
        None => Ok(()),
        Some(index) => Err(PointsError::PointNotFinite { index, value: points[index] }),
    }
}
