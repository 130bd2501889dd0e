//! What an answer proves, in one word.

use super::{Distance, Penetration};
use crate::distance::separation::Stop;

/// What is proven of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// They have no point in common; of convex ones [`super::separating_plane`] tells a plane between them.
    Separated,
    /// They come so close that f64 cannot tell whether they have a point in common.
    Touching,
    /// They have a point in common, up to rounding.
    Overlapping,
    /// The search ended before any of these was proven. Its bounds hold all the same.
    IterationLimit,
}

impl Distance {
    /// What is proven. A search for a distance ends at a common point and does not ask how deep it is: of shapes that touch
    /// from outside it may say [`Status::Overlapping`], and of surfaces that cross [`Status::Touching`], where
    /// [`Penetration::status`] knows better.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::query::Status;
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let at = |x: f64| query::distance(&ball, &Pose::IDENTITY, &ball, &Pose::at([x, 0.0, 0.0]));
    /// assert_eq!(at(2.5)?.status(), Status::Separated);
    /// assert_eq!(at(2.0)?.status(), Status::Touching);
    /// assert_eq!(at(1.5)?.status(), Status::Overlapping);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status(&self) -> Status {
        match self {
            Self::Apart(_) => Status::Separated,
            Self::Overlapping { upper, .. } if *upper > 0.0 => Status::Touching,
            Self::Overlapping { .. } => Status::Overlapping,
            Self::Undecided(_) => Status::IterationLimit,
        }
    }
}

impl Penetration {
    /// What the bounds of the depth prove.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::query::Status;
    ///
    /// let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
    /// let at = |x: f64| query::penetration(&cube, &Pose::IDENTITY, &cube, &Pose::at([x, 0.0, 0.0]));
    /// assert_eq!(at(2.5)?.status(), Status::Separated);
    /// assert_eq!(at(2.0)?.status(), Status::Touching);
    /// assert_eq!(at(1.5)?.status(), Status::Overlapping);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status(&self) -> Status {
        if self.lower > 0.0 {
            Status::Overlapping
        } else if self.upper < 0.0 {
            Status::Separated
        } else if self.stop == Stop::IterationLimit {
            Status::IterationLimit
        } else {
            Status::Touching
        }
    }
}
