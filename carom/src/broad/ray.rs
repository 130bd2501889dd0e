//! A ray against boxes: the slab test, widened by its own rounding so that no hit is lost.
//!
//! The ray enters a box where it has entered all three slabs and leaves where it leaves the first. A division by a
//! zero direction gives ±∞, and 0·∞ gives NaN exactly where the origin lies in a slab's face; `min` and `max` pass
//! over NaN. Source: Ize 2013, Robust BVH Ray Traversal, JCGT 2(2), for the factor that makes it conservative.

use crate::bounds::Aabb;
use glam::Vec3;

/// A ray among boxes: the points `origin + t · direction` for `t` from 0 to `limit`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxRay {
    origin: Vec3,
    direction: Vec3,
    inverse: Vec3,
    limit: f32,
}

/// Twice the rounding of the slab test's three operations.
const WIDENING: f32 = 1.0 + 8.0 * f32::EPSILON;

impl BoxRay {
    /// A ray; none if a number is NaN, the origin infinite, the direction zero or the limit negative.
    pub fn new(origin: Vec3, direction: Vec3, limit: f32) -> Option<Self> {
        let sound = origin.is_finite() && direction.is_finite() && direction != Vec3::ZERO && limit >= 0.0;
        sound.then(|| Self { origin, direction, inverse: direction.recip(), limit })
    }

    /// Where it begins.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Where it goes; distances are in units of this vector.
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// How far it goes.
    pub fn limit(&self) -> f32 {
        self.limit
    }

    /// Where the ray enters a box, 0 if it begins inside; none if it misses it or meets it beyond `limit`.
    pub fn entry(&self, bounds: &Aabb, limit: f32) -> Option<f32> {
        let (one, other) = ((bounds.min - self.origin) * self.inverse, (bounds.max - self.origin) * self.inverse);
        let (mut enter, mut leave) = (0.0f32, limit);
        for axis in 0..3 {
            let (near, far) =
                if self.inverse[axis] < 0.0 { (other[axis], one[axis]) } else { (one[axis], other[axis]) };
            // f32::max and min return the other operand for NaN.
            enter = enter.max(near);
            leave = leave.min(far * WIDENING);
        }
        // A meeting at infinity is none.
        (enter <= leave && enter < f32::INFINITY).then_some(enter)
    }
}
