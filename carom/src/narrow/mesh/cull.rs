//! Which of many triangles come near a point, eight at a time in f32, so that few are measured in f64.
//!
//! The square of the distance from a triangle is that from its plane where the point is above it, else the least of
//! those from its edges. Triangles are dropped only where that is beyond the reach by more than f32 can be off: the
//! rounding of the coordinates, of lengths of the order of the triangle's edges, and a share of the reach. Slivers, whose
//! normals f32 cannot tell, are kept; so is all that overflows. Cost: about 15 ns for eight.

use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch, f32x8};
use glam::{DVec3, Vec3};

pub(super) const LANES: usize = 8;

/// A ball in the frame of the triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    center: Vec3,
    /// The square of how far a triangle may be.
    square: f32,
}

impl Near {
    pub(super) fn new(center: DVec3, reach: f64) -> Self {
        // Coordinates of what is near are of the order of the centre's and the reach.
        let rounding = 8.0 * f64::from(f32::EPSILON) * (center.abs().max_element() + reach);
        let reach = reach * (1.0 + 1e-3) + rounding;
        Self { center: center.as_vec3(), square: (reach * reach) as f32 }
    }
}

/// Up to eight triangles, coordinate by coordinate.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// Of the first corner x, y and z, of the second, of the third.
    corners: [[f32; LANES]; 9],
    triangles: [u32; LANES],
    count: usize,
}

impl Batch {
    pub(super) const EMPTY: Self = Self { corners: [[0.0; LANES]; 9], triangles: [0; LANES], count: 0 };

    #[inline(always)]
    pub(super) fn push(&mut self, triangle: u32, corners: [Vec3; 3]) {
        let lane = self.count % LANES;
        for (corner, place) in corners.iter().enumerate() {
            for axis in 0..3 {
                self.corners[3 * corner + axis][lane] = place[axis];
            }
        }
        self.triangles[lane] = triangle;
        self.count += 1;
    }

    pub(super) fn is_full(&self) -> bool {
        self.count >= LANES
    }

    /// Takes the triangles out, and calls `visit` with those that come near.
    #[inline(always)]
    pub(super) fn sift(&mut self, level: Level, near: &Near, mut visit: impl FnMut(u32, [Vec3; 3])) {
        let mut bits = dispatch!(level, simd => not_far(simd, &self.corners, near)) & ((1 << self.count) - 1);
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize % LANES;
            bits &= bits - 1;
            let corners = [0, 3, 6].map(|first| Vec3::from([0, 1, 2].map(|axis| self.corners[first + axis][lane])));
            visit(self.triangles[lane], corners);
        }
        self.count = 0;
    }
}

type Wide<S> = [f32x8<S>; 3];

#[inline(always)]
fn dot<S: Simd>(u: Wide<S>, v: Wide<S>) -> f32x8<S> {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
fn cross<S: Simd>(u: Wide<S>, v: Wide<S>) -> Wide<S> {
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

#[inline(always)]
fn minus<S: Simd>(u: Wide<S>, v: Wide<S>) -> Wide<S> {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}

/// The square of the distance of the origin from an edge, the square of its length, and whether the origin is on the inner
/// side of it as the triangle's normal sees it.
#[inline(always)]
fn edge<S: Simd>(simd: S, from: Wide<S>, to: Wide<S>, normal: Wide<S>) -> (f32x8<S>, f32x8<S>, f32x8<S>) {
    let along = minus(to, from);
    let length = dot(along, along);
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let share = (zero - dot(from, along)) / length;
    let share = share.simd_gt(zero).select(share, zero);
    let share = share.simd_lt(one).select(share, one);
    let place = [from[0] + along[0] * share, from[1] + along[1] * share, from[2] + along[2] * share];
    (dot(place, place), length, dot(normal, cross(from, along)))
}

/// Bits of the triangles that may come into the ball.
#[inline(always)]
fn not_far<S: Simd>(simd: S, corners: &[[f32; LANES]; 9], near: &Near) -> u32 {
    let x = f32x8::splat(simd, near.center.x);
    let y = f32x8::splat(simd, near.center.y);
    let z = f32x8::splat(simd, near.center.z);
    let a = [load(simd, &corners[0]) - x, load(simd, &corners[1]) - y, load(simd, &corners[2]) - z];
    let b = [load(simd, &corners[3]) - x, load(simd, &corners[4]) - y, load(simd, &corners[5]) - z];
    let c = [load(simd, &corners[6]) - x, load(simd, &corners[7]) - y, load(simd, &corners[8]) - z];
    let normal = cross(minus(b, a), minus(c, a));
    let area = dot(normal, normal);
    let (from_ab, length_ab, side_ab) = edge(simd, a, b, normal);
    let (from_bc, length_bc, side_bc) = edge(simd, b, c, normal);
    let (from_ca, length_ca, side_ca) = edge(simd, c, a, normal);
    let height = dot(normal, a);
    let inside = side_ab.min(side_bc).min(side_ca).simd_ge(f32x8::splat(simd, 0.0));
    let square = inside.select(height * height / area, from_ab.min(from_bc).min(from_ca));
    let longest = length_ab.max(length_bc).max(length_ca);
    let limit = longest * f32x8::splat(simd, 1e-7) + f32x8::splat(simd, near.square);
    // Comparisons are false for NaN, which keeps it.
    let is_far = square.simd_gt(limit) & area.simd_gt(longest * longest * f32x8::splat(simd, 1e-4));
    !is_far.to_bitmask() as u32
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32; LANES]) -> f32x8<S> {
    f32x8::load_array_ref(simd, values)
}
