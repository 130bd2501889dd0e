//! A box that moves along a line, against boxes at rest: when it first meets them, in f64.
//!
//! It meets a box where it has entered all three slabs and left none: the test of a ray, on boxes grown by its size. The
//! moving box is grown by the rounding of that computation, so no meeting is lost. A coordinate that does not move
//! divides by zero, which gives ±∞, or NaN exactly on a face; comparisons with NaN are false and change nothing.

use crate::bounds::Aabb;
use glam::DVec3;

/// How many boxes at rest are tested at once.
pub(crate) const LANES: usize = 8;

/// A box and where it goes in one unit of time. A ray is a box without size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxSweep {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
    pub(crate) motion: DVec3,
    inverse: DVec3,
}

impl BoxSweep {
    pub(crate) fn new(min: DVec3, max: DVec3, motion: DVec3) -> Self {
        let room = 1e-14 * (min.abs().max(max.abs()) + motion.abs());
        Self { min: min - room, max: max + room, motion, inverse: motion.recip() }
    }

    /// The box of `bounds` grown by `margin`.
    pub(crate) fn of_box(bounds: &Aabb, margin: f64, motion: DVec3) -> Self {
        Self::new(bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin, motion)
    }

    /// When it meets each of eight boxes, at the earliest 0; infinity for those that it does not meet until `limit`.
    #[inline(always)]
    pub(crate) fn entries(&self, min: &[[f64; LANES]; 3], max: &[[f64; LANES]; 3], limit: f64) -> [f64; LANES] {
        let mut enter = [0.0f64; LANES];
        let mut leave = [limit; LANES];
        for axis in 0..3 {
            let inverse = self.inverse[axis];
            let (near_side, far_side) = if inverse < 0.0 { (&max[axis], &min[axis]) } else { (&min[axis], &max[axis]) };
            let (own_front, own_back) =
                if inverse < 0.0 { (self.min[axis], self.max[axis]) } else { (self.max[axis], self.min[axis]) };
            for lane in 0..LANES {
                let near = (near_side[lane] - own_front) * inverse;
                let far = (far_side[lane] - own_back) * inverse * (1.0 + 1e-14);
                enter[lane] = if near > enter[lane] { near } else { enter[lane] };
                leave[lane] = if far < leave[lane] { far } else { leave[lane] };
            }
        }
        for lane in 0..LANES {
            let early = enter[lane] * (1.0 - 1e-14);
            enter[lane] = if early <= leave[lane] { early } else { f64::INFINITY };
        }
        enter
    }

    /// The same for one box.
    pub(crate) fn entry(&self, bounds: &Aabb, limit: f64) -> Option<f64> {
        let lanes = |corner: glam::Vec3| corner.to_array().map(|coordinate| [f64::from(coordinate); LANES]);
        let [entry, ..] = self.entries(&lanes(bounds.min), &lanes(bounds.max), limit);
        (entry < f64::INFINITY).then_some(entry)
    }
}
