//! Eight boxes side by side, tested at once.

use super::ray::{BoxRay, WIDENING};
use crate::bounds::Aabb;
use fearless_simd::{Select, Simd, SimdBase, SimdFrom, SimdMask, f32x4, f32x8};
use glam::{Vec3, Vec3A, Vec4};

/// How many boxes a block holds.
pub(super) const LANES: usize = 8;

/// How many numbers make a box.
pub(super) const NUMBERS: usize = 6;

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

    /// The corners of the box in a lane.
    #[inline(always)]
    pub(super) fn corners(&self, lane: usize) -> (Vec3A, Vec3A) {
        let lane = lane % LANES;
        let [min_x, min_y, min_z] = &self.min;
        let [max_x, max_y, max_z] = &self.max;
        (Vec3A::new(min_x[lane], min_y[lane], min_z[lane]), Vec3A::new(max_x[lane], max_y[lane], max_z[lane]))
    }

    /// Uses the block to hold eight boxes one after the other until it is filled lane by lane.
    #[inline(always)]
    pub(super) fn store(&mut self, index: usize, bounds: &Aabb) {
        let half = if index % LANES < LANES / 2 { &mut self.min } else { &mut self.max };
        let first = index % (LANES / 2) * NUMBERS;
        let place = &mut half.as_flattened_mut()[first..first + NUMBERS];
        bounds.min.write_to_slice(place);
        bounds.max.write_to_slice(&mut place[3..]);
    }

    /// The six numbers of a box that was stored.
    #[inline(always)]
    pub(super) fn stored(&self, index: usize) -> &[f32] {
        let half = if index % LANES < LANES / 2 { &self.min } else { &self.max };
        let first = index % (LANES / 2) * NUMBERS;
        &half.as_flattened()[first..first + NUMBERS]
    }

    /// Reads from each line of memory that the block lies in; what is returned means nothing.
    #[inline(always)]
    pub(super) fn touch(&self) -> u32 {
        self.min[0][0].to_bits() | self.min[2][0].to_bits() | self.max[1][0].to_bits() | self.max[2][7].to_bits()
    }

    /// The box around all eight.
    #[inline(always)]
    pub(super) fn union(&self) -> Aabb {
        let least = |lanes: &[f32; LANES]| Vec4::from_slice(lanes).min(Vec4::from_slice(&lanes[4..])).min_element();
        let greatest = |lanes: &[f32; LANES]| Vec4::from_slice(lanes).max(Vec4::from_slice(&lanes[4..])).max_element();
        Aabb {
            min: Vec3::new(least(&self.min[0]), least(&self.min[1]), least(&self.min[2])),
            max: Vec3::new(greatest(&self.max[0]), greatest(&self.max[1]), greatest(&self.max[2])),
        }
    }

    /// The lower and the upper sides along all axes, in f64.
    #[inline(always)]
    pub(super) fn wide_sides(&self) -> ([[f64; LANES]; 3], [[f64; LANES]; 3]) {
        let [min_x, min_y, min_z] = self.min;
        let [max_x, max_y, max_z] = self.max;
        (
            [min_x, min_y, min_z].map(|lanes| lanes.map(f64::from)),
            [max_x, max_y, max_z].map(|lanes| lanes.map(f64::from)),
        )
    }

    /// Bit `i` says whether lane `i` overlaps `bounds`.
    #[inline(always)]
    pub(super) fn overlaps<S: Simd>(&self, simd: S, bounds: &Aabb) -> u32 {
        self.loaded(simd).overlaps(simd, bounds)
    }

    /// Where the ray enters each lane's box, and bit `i` whether it meets that of lane `i` before `limit`: the same
    /// numbers as [`BoxRay::entry`].
    #[inline(always)]
    pub(super) fn ray_entries<S: Simd>(&self, simd: S, ray: &BoxRay, limit: f32) -> (u32, [f32; LANES]) {
        let mut enter = f32x8::splat(simd, 0.0);
        let mut leave = f32x8::splat(simd, limit);
        for axis in 0..3 {
            let inverse = ray.inverse()[axis];
            let (near, far) =
                if inverse < 0.0 { (&self.max[axis], &self.min[axis]) } else { (&self.min[axis], &self.max[axis]) };
            let origin = f32x8::splat(simd, ray.origin()[axis]);
            let inverse = f32x8::splat(simd, inverse);
            let near = (f32x8::load_array_ref(simd, near) - origin) * inverse;
            let far = (f32x8::load_array_ref(simd, far) - origin) * inverse * f32x8::splat(simd, WIDENING);
            // Comparisons are false for NaN, so NaN changes nothing.
            enter = near.simd_gt(enter).select(near, enter);
            leave = far.simd_lt(leave).select(far, leave);
        }
        let met = enter.simd_le(leave) & enter.simd_lt(f32x8::splat(simd, f32::INFINITY));
        let mut entries = [0.0; LANES];
        enter.store_slice(&mut entries);
        (met.to_bitmask() as u32, entries)
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
    pub(super) min: [f32x8<S>; 3],
    pub(super) max: [f32x8<S>; 3],
}

impl<S: Simd> LoadedBlock<S> {
    /// Eight boxes: from numbers box by box to numbers axis by axis, without a way through memory.
    #[inline(always)]
    pub(super) fn of(simd: S, [a, b, c, d, e, f, g, h]: [BoxNumbers<S>; LANES]) -> Self {
        let (low, high) = (transposed(simd, [a, b, c, d]), transposed(simd, [e, f, g, h]));
        let [x, y, z, u, v, w] = low;
        let [x_high, y_high, z_high, u_high, v_high, w_high] = high;
        Self {
            min: [simd.combine_f32x4(x, x_high), simd.combine_f32x4(y, y_high), simd.combine_f32x4(z, z_high)],
            max: [simd.combine_f32x4(u, u_high), simd.combine_f32x4(v, v_high), simd.combine_f32x4(w, w_high)],
        }
    }

    /// Writes the lanes to memory.
    #[inline(always)]
    pub(super) fn store(&self, block: &mut BoxBlock) {
        for axis in 0..3 {
            self.min[axis].store_array(&mut block.min[axis]);
            self.max[axis].store_array(&mut block.max[axis]);
        }
    }

    /// Bit `i` says whether lane `i` overlaps `bounds`.
    #[inline(always)]
    pub(super) fn overlaps(&self, simd: S, bounds: &Aabb) -> u32 {
        let Aabb { min, max } = bounds;
        let x = self.min[0].simd_le(f32x8::splat(simd, max.x)) & f32x8::splat(simd, min.x).simd_le(self.max[0]);
        let y = self.min[1].simd_le(f32x8::splat(simd, max.y)) & f32x8::splat(simd, min.y).simd_le(self.max[1]);
        let z = self.min[2].simd_le(f32x8::splat(simd, max.z)) & f32x8::splat(simd, min.z).simd_le(self.max[2]);
        (x & y & z).to_bitmask() as u32
    }

    /// Bit `i` says whether lane `i` overlaps the lane `BY` after it, the first lanes following the last.
    #[inline(always)]
    pub(super) fn overlaps_turned<const BY: usize>(&self) -> u32 {
        let [x, y, z] = self.min;
        let [u, v, w] = self.max;
        let x = x.simd_le(u.slide::<BY>(u)) & x.slide::<BY>(x).simd_le(u);
        let y = y.simd_le(v.slide::<BY>(v)) & y.slide::<BY>(y).simd_le(v);
        let z = z.simd_le(w.slide::<BY>(w)) & z.slide::<BY>(z).simd_le(w);
        (x & y & z).to_bitmask() as u32
    }

    /// Bit `i` says whether lane `i` has a box that is finite and not inside out.
    #[inline(always)]
    pub(super) fn sound(&self, simd: S) -> u32 {
        let (least, greatest) = (f32x8::splat(simd, -f32::MAX), f32x8::splat(simd, f32::MAX));
        let [x, y, z] = self.min;
        let [u, v, w] = self.max;
        // Nothing is in order with NaN, so that there is none where it matters what the least and the greatest are.
        let ordered = x.simd_le(u) & y.simd_le(v) & z.simd_le(w);
        let bounded = x.min(y).min(z).simd_ge(least) & u.max(v).max(w).simd_le(greatest);
        (ordered & bounded).to_bitmask() as u32
    }
}

/// The six numbers of a box: the first four and the last four.
#[derive(Clone, Copy)]
pub(super) struct BoxNumbers<S: Simd> {
    pub(super) first: f32x4<S>,
    pub(super) last: f32x4<S>,
}

impl<S: Simd> BoxNumbers<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, bounds: &Aabb) -> Self {
        let Aabb { min, max } = bounds;
        Self {
            first: f32x4::simd_from(simd, [min.x, min.y, min.z, max.x]),
            last: f32x4::simd_from(simd, [min.z, max.x, max.y, max.z]),
        }
    }

    /// From eight times six numbers in a row.
    #[inline(always)]
    pub(super) fn of_row(simd: S, row: &[f32; NUMBERS * LANES]) -> [Self; LANES] {
        let at = |index: usize| index * NUMBERS;
        [
            Self::of_six(simd, &row[at(0)..at(1)]),
            Self::of_six(simd, &row[at(1)..at(2)]),
            Self::of_six(simd, &row[at(2)..at(3)]),
            Self::of_six(simd, &row[at(3)..at(4)]),
            Self::of_six(simd, &row[at(4)..at(5)]),
            Self::of_six(simd, &row[at(5)..at(6)]),
            Self::of_six(simd, &row[at(6)..at(7)]),
            Self::of_six(simd, &row[at(7)..at(8)]),
        ]
    }

    #[inline(always)]
    fn of_six(simd: S, numbers: &[f32]) -> Self {
        Self { first: f32x4::from_slice(simd, &numbers[..4]), last: f32x4::from_slice(simd, &numbers[2..]) }
    }

    /// The box around all eight.
    #[inline(always)]
    pub(super) fn union([a, b, c, d, e, f, g, h]: [Self; LANES]) -> Aabb {
        let first = (a.first.min(b.first)).min(c.first.min(d.first));
        let first = first.min((e.first.min(f.first)).min(g.first.min(h.first)));
        let last = (a.last.max(b.last)).max(c.last.max(d.last));
        let last = last.max((e.last.max(f.last)).max(g.last.max(h.last)));
        let ([x, y, z, _], [_, u, v, w]) = (first.to_array(), last.to_array());
        Aabb { min: Vec3::new(x, y, z), max: Vec3::new(u, v, w) }
    }

    /// Written out: a closure may be left out of line.
    #[inline(always)]
    pub(super) fn of_eight(simd: S, [a, b, c, d, e, f, g, h]: [&Aabb; LANES]) -> [Self; LANES] {
        [
            Self::of(simd, a),
            Self::of(simd, b),
            Self::of(simd, c),
            Self::of(simd, d),
            Self::of(simd, e),
            Self::of(simd, f),
            Self::of(simd, g),
            Self::of(simd, h),
        ]
    }
}

/// Four boxes number by number.
#[inline(always)]
fn transposed<S: Simd>(simd: S, boxes: [BoxNumbers<S>; 4]) -> [f32x4<S>; 6] {
    let [a, b, c, d] = boxes;
    let (ac_xy, bd_xy) = (simd.zip_low_f32x4(a.first, c.first), simd.zip_low_f32x4(b.first, d.first));
    let (ac_zu, bd_zu) = (simd.zip_high_f32x4(a.first, c.first), simd.zip_high_f32x4(b.first, d.first));
    let (ac_vw, bd_vw) = (simd.zip_high_f32x4(a.last, c.last), simd.zip_high_f32x4(b.last, d.last));
    [
        simd.zip_low_f32x4(ac_xy, bd_xy),
        simd.zip_high_f32x4(ac_xy, bd_xy),
        simd.zip_low_f32x4(ac_zu, bd_zu),
        simd.zip_high_f32x4(ac_zu, bd_zu),
        simd.zip_low_f32x4(ac_vw, bd_vw),
        simd.zip_high_f32x4(ac_vw, bd_vw),
    ]
}
