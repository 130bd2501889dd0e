//! A node: up to eight boxes in 80 bytes, and the kernels that test them at once.
//!
//! A box is kept as bytes in the frame of its node: `origin + byte · scale` in f32, the lower side rounded down, the
//! upper one up. The builder decodes what it encodes and moves a byte until the box encloses the original, so the
//! boxes are conservative for every input, whatever the rounding of the decoding.

use crate::bounds::Aabb;
use fearless_simd::{Level, Select, Simd, SimdBase, SimdFloat, SimdMask, dispatch, f32x8};
use glam::{DVec3, Vec3};

/// How many boxes a node holds at the most.
pub(super) const LANES: usize = 8;

/// Up to eight boxes: of nodes, or of triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Node {
    origin: [f32; 3],
    scale: [f32; 3],
    /// The first of its children: nodes, or places in the order of triangles.
    pub(super) first: u32,
    pub(super) count: u16,
    /// Whether the children are triangles.
    pub(super) is_bottom: bool,
    low: [[u8; LANES]; 3],
    high: [[u8; LANES]; 3],
}

/// What a node holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Children {
    pub(super) first: u32,
    pub(super) count: u16,
    pub(super) is_bottom: bool,
}

/// How many bytes a node takes: the price of a walk is the memory that it reads.
const _: () = assert!(size_of::<Node>() == 80);

impl Node {
    pub(super) const EMPTY: Self = Self {
        origin: [0.0; 3],
        scale: [0.0; 3],
        first: 0,
        count: 0,
        is_bottom: true,
        low: [[0; LANES]; 3],
        high: [[0; LANES]; 3],
    };

    /// A node around boxes of finite coordinates, given by their lower and upper sides; lanes beyond the count must
    /// repeat one that counts.
    pub(super) fn around(level: Level, sides: [&[[f32; LANES]; 3]; 2], children: Children) -> Self {
        let Children { first, count, is_bottom } = children;
        let mut node = Self { first, count, is_bottom, ..Self::EMPTY };
        dispatch!(level, simd => node.encode(simd, sides));
        node
    }

    #[inline(always)]
    fn encode<S: Simd>(&mut self, simd: S, [min, max]: [&[[f32; LANES]; 3]; 2]) {
        for axis in 0..3 {
            let (min, max) = (f32x8::load_array_ref(simd, &min[axis]), f32x8::load_array_ref(simd, &max[axis]));
            let least = min.reduce_min();
            let scale = scale_to(least, max.reduce_max());
            (self.origin[axis], self.scale[axis]) = (least, scale);
            let inverse = scale.recip();
            let (origin, wide_scale) = (f32x8::splat(simd, least), f32x8::splat(simd, scale));
            let inverse = f32x8::splat(simd, if inverse.is_finite() { inverse } else { 0.0 });
            let (zero, one, most) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0), f32x8::splat(simd, 255.0));
            let low = ((min - origin) * inverse).floor().max(zero).min(most);
            let high = ((max - origin) * inverse).ceil().max(zero).min(most);
            // A guess is off by one at the most, unless the extent is of the order of the coordinates' rounding.
            let low = (low * wide_scale + origin).simd_gt(min).select((low - one).max(zero), low);
            let high = (high * wide_scale + origin).simd_lt(max).select((high + one).min(most), high);
            let is_inside = (low * wide_scale + origin).simd_gt(min) | (high * wide_scale + origin).simd_lt(max);
            for lane in 0..LANES {
                self.low[axis][lane] = low.as_slice()[lane] as u8;
                self.high[axis][lane] = high.as_slice()[lane] as u8;
            }
            if is_inside.any_true() {
                self.widen(axis, min.as_slice(), max.as_slice());
            }
        }
    }

    /// Moves the bytes out until the boxes hold those given.
    #[cold]
    fn widen(&mut self, axis: usize, min: &[f32], max: &[f32]) {
        for lane in 0..LANES {
            while self.low[axis][lane] > 0 && self.decoded(axis, self.low[axis][lane]) > min[lane] {
                self.low[axis][lane] -= 1;
            }
            while self.high[axis][lane] < u8::MAX && self.decoded(axis, self.high[axis][lane]) < max[lane] {
                self.high[axis][lane] += 1;
            }
        }
    }

    #[inline(always)]
    fn decoded(&self, axis: usize, byte: u8) -> f32 {
        self.origin[axis] + f32::from(byte) * self.scale[axis]
    }

    /// Bits of the lanes that hold a box.
    #[inline(always)]
    pub(super) fn filled(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// The box around all lanes. The upper corner can be decoded beyond the greatest f32, where no vertex is.
    pub(super) fn bounds(&self) -> Aabb {
        let corner = |byte: u8| Vec3::from([0, 1, 2].map(|axis| self.decoded(axis, byte)));
        Aabb::new(corner(0), corner(u8::MAX).min(Vec3::MAX))
    }

    /// The lower and upper sides along an axis, in units of `1 / unit`, which is a power of two.
    #[inline(always)]
    pub(super) fn sides<S: Simd>(&self, simd: S, axis: usize, unit: f32) -> (f32x8<S>, f32x8<S>) {
        let origin = f32x8::splat(simd, self.origin[axis] * unit);
        let scale = f32x8::splat(simd, self.scale[axis] * unit);
        (widened(simd, &self.low[axis]) * scale + origin, widened(simd, &self.high[axis]) * scale + origin)
    }

    /// Bit `i` says whether the box in lane `i` overlaps `bounds`.
    #[inline(always)]
    pub(super) fn overlaps<S: Simd>(&self, simd: S, bounds: &Aabb) -> u32 {
        let (min_x, max_x) = self.sides(simd, 0, 1.0);
        let (min_y, max_y) = self.sides(simd, 1, 1.0);
        let (min_z, max_z) = self.sides(simd, 2, 1.0);
        let Aabb { min, max } = bounds;
        let x = min_x.simd_le(f32x8::splat(simd, max.x)) & max_x.simd_ge(f32x8::splat(simd, min.x));
        let y = min_y.simd_le(f32x8::splat(simd, max.y)) & max_y.simd_ge(f32x8::splat(simd, min.y));
        let z = min_z.simd_le(f32x8::splat(simd, max.z)) & max_z.simd_ge(f32x8::splat(simd, min.z));
        (x & y & z).to_bitmask() as u32 & self.filled()
    }

    /// Where the ray enters each box, and bit `i` whether it meets that of lane `i` before `limit`.
    #[inline(always)]
    pub(super) fn ray_entries<S: Simd>(&self, simd: S, ray: &WalkRay, limit: f32) -> (u32, [f32; LANES]) {
        let mut enter = f32x8::splat(simd, 0.0);
        let mut leave = f32x8::splat(simd, limit);
        for axis in 0..3 {
            let inverse = ray.inverse[axis];
            // The decoded sides as seen from the ray's origin, in units of the way along it; what that rounds otherwise is
            // within the pad.
            let scale = f32x8::splat(simd, self.scale[axis] * ray.unit * inverse);
            let start = self.origin[axis] * ray.unit * inverse;
            let (near, far) =
                if inverse < 0.0 { (&self.high[axis], &self.low[axis]) } else { (&self.low[axis], &self.high[axis]) };
            let near = widened(simd, near) * scale + f32x8::splat(simd, start - ray.near[axis]);
            let far = widened(simd, far) * scale + f32x8::splat(simd, start - ray.far[axis]);
            // Comparisons are false for NaN, so NaN changes nothing.
            enter = near.simd_gt(enter).select(near, enter);
            leave = far.simd_lt(leave).select(far, leave);
        }
        let met = enter.simd_le(leave) & enter.simd_lt(f32x8::splat(simd, f32::INFINITY));
        let mut entries = [0.0; LANES];
        enter.store_slice(&mut entries);
        (met.to_bitmask() as u32 & self.filled(), entries)
    }

    /// The lower and upper sides along all axes.
    #[inline(always)]
    pub(super) fn wide_sides(&self) -> ([[f64; LANES]; 3], [[f64; LANES]; 3]) {
        let (mut min, mut max) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
        for axis in 0..3 {
            for lane in 0..LANES {
                min[axis][lane] = f64::from(self.decoded(axis, self.low[axis][lane]));
                max[axis][lane] = f64::from(self.decoded(axis, self.high[axis][lane]));
            }
        }
        (min, max)
    }

    /// The squares of the distances of the boxes from the box between two corners.
    #[inline(always)]
    pub(super) fn distances_squared(&self, min: DVec3, max: DVec3) -> [f64; LANES] {
        let mut squares = [0.0; LANES];
        for axis in 0..3 {
            let (min, max) = (min[axis], max[axis]);
            for (lane, square) in squares.iter_mut().enumerate() {
                let below = min - f64::from(self.decoded(axis, self.high[axis][lane]));
                let above = f64::from(self.decoded(axis, self.low[axis][lane])) - max;
                let gap = if above > below { above } else { below };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                *square += gap * gap;
            }
        }
        squares
    }
}

/// A step such that 255 of them, as they are decoded, reach from `least` to `greatest`.
fn scale_to(least: f32, greatest: f32) -> f32 {
    let mut scale = ((f64::from(greatest) - f64::from(least)) / 255.0) as f32;
    let mut growth = f32::EPSILON;
    // A few rounds where one rounding was lost; many only if the extent is of the order of the coordinates' rounding.
    while least + 255.0 * scale < greatest {
        scale = scale.next_up() * (1.0 + growth);
        growth *= 4.0;
    }
    scale
}

/// Bytes as numbers. A loop that the compiler makes one conversion of.
#[inline(always)]
fn widened<S: Simd>(simd: S, bytes: &[u8; LANES]) -> f32x8<S> {
    let mut wide = [0.0f32; LANES];
    for (wide, &byte) in wide.iter_mut().zip(bytes) {
        *wide = f32::from(byte);
    }
    f32x8::load_array_ref(simd, &wide)
}

/// A ray for the boxes of a tree: it starts beside them, in units in which they are of the order of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkRay {
    /// The way along it for a step along each axis.
    inverse: Vec3,
    /// The way to its origin, a little before and after it: how far a side may be off by rounding.
    near: Vec3,
    far: Vec3,
    unit: f32,
    /// Where it starts along the ray that is asked for.
    start: f64,
}

impl WalkRay {
    /// From a place along the ray that is asked for, `start` after its beginning.
    #[inline(always)]
    pub(super) fn new((origin, direction): (DVec3, DVec3), pad: f64, unit: f32, start: f64) -> Self {
        // Across an axis a ray is taken for one that moves a little: by less than the pad within any box.
        const LEAST: f32 = 1e-12;
        let inverse = |along: f32| if along.abs() < LEAST { LEAST.copysign(along).recip() } else { along.recip() };
        let inverse = Vec3::from(direction.as_vec3().to_array().map(inverse));
        let (origin, pad) = ((origin * f64::from(unit)).as_vec3(), (pad * f64::from(unit)) as f32);
        let (way, room) = (origin * inverse, pad * inverse.abs());
        Self { inverse, near: way + room, far: way - room, unit, start }
    }

    /// A distance along the ray that is asked for as one along this, rounded up.
    #[inline(always)]
    pub(super) fn walked(&self, distance: f64) -> f32 {
        ((distance - self.start) * f64::from(self.unit) * (1.0 + 1e-6)) as f32
    }
}
