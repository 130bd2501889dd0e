//! A polytope with its corners and edges rounded: the Minkowski sum of a core and a ball.

use super::error::{finite, positive};
use super::{ShapeError, ShapeKind, SupportMap};
use glam::Vec3;

/// All points within `radius` of `core`. Radius 0 is the core itself.
///
/// The radius comes on top of the core: a cuboid of half extents 1 rounded by 0.1 reaches to 1.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded<T> {
    core: T,
    radius: f32,
}

/// The points within a radius of a segment.
pub type Capsule = Rounded<super::Segment>;

impl<T: SupportMap> Rounded<T> {
    /// The core rounded by `radius`, which may be 0 but not negative.
    pub(super) fn new(core: T, radius: f32, shape: ShapeKind) -> Result<Self, ShapeError> {
        let radius = finite(shape, "rounding radius", radius)?;
        if radius < 0.0 {
            return Err(ShapeError::NotPositive { shape, what: "rounding radius", value: radius });
        }
        let rounded = Self { core, radius };
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
            finite(shape, "reach with the rounding", rounded.support(axis).dot(axis))?;
        }
        Ok(rounded)
    }

    /// The same core, rounded by `radius` more.
    pub(super) fn grown(&self, radius: f32, shape: ShapeKind) -> Result<Self, ShapeError>
    where
        T: Clone,
    {
        let radius = positive(shape, "rounding radius", radius)?;
        Self::new(self.core.clone(), self.radius + radius, shape)
    }
}

impl<T> Rounded<T> {
    /// The core as it is.
    pub(super) fn sharp(core: T) -> Self {
        Self { core, radius: 0.0 }
    }

    /// What is rounded.
    pub fn core(&self) -> &T {
        &self.core
    }

    /// By how much.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}
