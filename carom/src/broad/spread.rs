//! What a grid needs to know of a set of boxes before it chooses its cells: where they are, how far apart, how long.

use super::Proxies;
use crate::bounds::{Aabb, BoundingVolume};
use glam::Vec3;

/// How many boxes are looked at for middle and spacing.
const SAMPLES: usize = 32;

/// Where boxes are and how far apart, judged by a few of them; outliers hardly count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    /// About the median of their least corners.
    pub(super) middle: Vec3,
    /// The side of the cube that each would have for itself; 0 if they are all in one place.
    pub(super) spacing: f64,
    /// Three times as long as where most of their least corners are: what is outside is far from the others.
    window: Aabb,
}

/// One box in this many may be far from the others.
const OUTLIER_SHARE: usize = 256;

impl Spread {
    pub(super) fn of(proxies: &Proxies) -> Self {
        let stride = (proxies.id_end() / SAMPLES).max(1);
        let mut corners = [Vec3::ZERO; SAMPLES];
        let mut count = 0;
        for bounds in proxies.raw().iter().step_by(stride).filter(|bounds| bounds.min.x <= bounds.max.x) {
            if let Some(place) = corners.get_mut(count) {
                *place = bounds.min;
                count += 1;
            }
        }
        if count == 0 {
            return Self { middle: Vec3::ZERO, spacing: 0.0, window: WHOLE };
        }
        let (mut middle, mut volume, mut dimensions) = (Vec3::ZERO, 1.0f64, 0);
        let mut window = WHOLE;
        for axis in 0..3 {
            let mut along = corners.map(|corner| corner[axis]);
            let along = &mut along[..count];
            along.sort_unstable_by(f32::total_cmp);
            middle[axis] = along[count / 2];
            // The middle eight tenths.
            let (low, high) = (along[count / 10], along[count - 1 - count / 10]);
            let length = (f64::from(high) - f64::from(low)) / 0.8;
            window.min[axis] = low - (high - low);
            window.max[axis] = high + (high - low);
            if length > 0.0 {
                volume *= length;
                dimensions += 1;
            }
        }
        let a_box = volume / proxies.len().max(1) as f64;
        let spacing = match dimensions {
            0 => 0.0,
            1 => a_box,
            2 => a_box.sqrt(),
            _ => libm::cbrt(a_box),
        };
        Self { middle, spacing, window }
    }

    /// The window that leaves out the few boxes that are far from the others, or everything if they are not few.
    pub(super) fn window(&self, proxies: &Proxies) -> Aabb {
        let outside = proxies.iter().filter(|(_, bounds)| !self.window.contains(bounds.min)).count();
        if outside <= proxies.len() / OUTLIER_SHARE { self.window } else { WHOLE }
    }
}

const WHOLE: Aabb = Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));

/// The longest edge; infinite if that is beyond f32.
#[inline(always)]
pub(super) fn longest_edge(bounds: &Aabb) -> f32 {
    (bounds.max - bounds.min).max_element()
}

/// How many boxes have their longest edge in each quarter of an octave.
#[derive(Debug, Clone)]
pub(super) struct Lengths {
    counts: Vec<u32>,
    greatest: f32,
}

/// Sign, exponent and two bits of the mantissa remain.
const BUCKET_SHIFT: u32 = 21;
const BUCKETS: usize = 1 << 10;

impl Default for Lengths {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], greatest: 0.0 }
    }
}

impl Lengths {
    pub(super) fn count(&mut self, proxies: &Proxies) {
        self.counts.fill(0);
        self.greatest = 0.0;
        for (_, bounds) in proxies.iter() {
            let length = longest_edge(bounds);
            self.greatest = self.greatest.max(length);
            self.counts[(length.to_bits() >> BUCKET_SHIFT) as usize % BUCKETS] += 1;
        }
    }

    /// The greatest length, if it is finite and no more than twice the length that all but `outliers` boxes keep below;
    /// otherwise that.
    pub(super) fn greatest_but(&self, outliers: usize) -> f32 {
        let mut above = 0;
        let mut bucket = BUCKETS - 1;
        while bucket > 0 && above + self.counts[bucket] as usize <= outliers {
            above += self.counts[bucket] as usize;
            bucket -= 1;
        }
        // Infinite lengths have a bucket of their own, the one after f32::MAX.
        let end = f32::from_bits(((bucket as u32 + 1) << BUCKET_SHIFT) - 1);
        let end = if end.is_finite() { end } else { f32::MAX };
        if self.greatest <= 2.0 * end && self.greatest.is_finite() { self.greatest } else { end }
    }

    pub(super) fn memory(&self) -> usize {
        self.counts.capacity() * size_of::<u32>()
    }
}
