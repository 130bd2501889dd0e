//! Eight boxes side by side, tested at once.

use crate::bounds::Aabb;
use fearless_simd::{Simd, SimdBase, SimdMask, f32x8};
use glam::Vec3;

/// How many boxes a block holds.
pub(super) const LANES: usize = 8;

/// Eight boxes, coordinate by coordinate. Lanes without a box hold one that overlaps nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(super) struct BoxBlock {
    min: [[f32; LANES]; 3],
    max: [[f32; LANES]; 3],
}

/// Greater below than above, so that no comparison with it succeeds.
pub(super) const NOTHING: Aabb = Aabb::new(Vec3::INFINITY, Vec3::NEG_INFINITY);

impl BoxBlock {
    /// Eight times nothing.
    pub(super) const EMPTY: Self = Self { min: [[f32::INFINITY; LANES]; 3], max: [[f32::NEG_INFINITY; LANES]; 3] };

    /// Puts a box into a lane.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, bounds: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }

    /// The box in a lane.
    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Aabb {
        let lane = lane % LANES;
        Aabb {
            min: Vec3::new(self.min[0][lane], self.min[1][lane], self.min[2][lane]),
            max: Vec3::new(self.max[0][lane], self.max[1][lane], self.max[2][lane]),
        }
    }

    /// The box around all eight.
    #[inline(always)]
    pub(super) fn union(&self) -> Aabb {
        let least = |lanes: &[f32; LANES]| lanes.iter().copied().fold(f32::INFINITY, |a, b| if b < a { b } else { a });
        let greatest =
            |lanes: &[f32; LANES]| lanes.iter().copied().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
        Aabb {
            min: Vec3::new(least(&self.min[0]), least(&self.min[1]), least(&self.min[2])),
            max: Vec3::new(greatest(&self.max[0]), greatest(&self.max[1]), greatest(&self.max[2])),
        }
    }

    /// Bit `i` says whether lane `i` overlaps `bounds`.
    #[inline(always)]
    pub(super) fn overlaps<S: Simd>(&self, simd: S, bounds: &Aabb) -> u32 {
        self.loaded(simd).overlaps(simd, bounds)
    }

    /// The lanes in registers, for many tests. Written out: a closure may be left out of line, where lanes are narrow.
    #[inline(always)]
    pub(super) fn loaded<S: Simd>(&self, simd: S) -> LoadedBlock<S> {
        let [min_x, min_y, min_z] = &self.min;
        let [max_x, max_y, max_z] = &self.max;
        LoadedBlock {
            min: [
                f32x8::load_array_ref(simd, min_x),
                f32x8::load_array_ref(simd, min_y),
                f32x8::load_array_ref(simd, min_z),
            ],
            max: [
                f32x8::load_array_ref(simd, max_x),
                f32x8::load_array_ref(simd, max_y),
                f32x8::load_array_ref(simd, max_z),
            ],
        }
    }
}

/// A block in registers.
pub(super) struct LoadedBlock<S: Simd> {
    min: [f32x8<S>; 3],
    max: [f32x8<S>; 3],
}

impl<S: Simd> LoadedBlock<S> {
    /// Bit `i` says whether lane `i` overlaps `bounds`.
    #[inline(always)]
    pub(super) fn overlaps(&self, simd: S, bounds: &Aabb) -> u32 {
        let Aabb { min, max } = bounds;
        let x = self.min[0].simd_le(f32x8::splat(simd, max.x)) & f32x8::splat(simd, min.x).simd_le(self.max[0]);
        let y = self.min[1].simd_le(f32x8::splat(simd, max.y)) & f32x8::splat(simd, min.y).simd_le(self.max[1]);
        let z = self.min[2].simd_le(f32x8::splat(simd, max.z)) & f32x8::splat(simd, min.z).simd_le(self.max[2]);
        (x & y & z).to_bitmask() as u32
    }
}
