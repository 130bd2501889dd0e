//! Which of many triangles come near a point, eight at a time in f32, so that few are measured in f64; and what those are
//! in the frame of the shape beside them, four at a time.
//!
//! The square of the distance from a triangle is that from its plane where the point is above it, else the least of
//! those from its edges. Triangles are dropped only where that is beyond the reach by more than f32 can be off: the
//! rounding of the coordinates, of lengths of the order of the triangle's edges, and a share of the reach. Slivers, whose
//! normals f32 cannot tell, are kept; so is all that overflows. Cost: about 15 ns for eight.

use super::surface::Face;
use crate::distance::placement::Placement;
use fearless_simd::{Level, Select, Simd, SimdBase, SimdFloat, SimdMask, dispatch, f32x8, f64x4};
use glam::{DVec3, Vec3};
use std::ops::{Add, Mul, Sub};

pub(super) const LANES: usize = 8;
/// So many are seen from the shape at a time.
const HALF: usize = LANES / 2;

/// A ball in the frame of the triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    center: Vec3,
    /// The square of how far a triangle may be.
    square: f32,
    /// How far coordinates may be off.
    rounding: f64,
}

/// A share of distances by which f32 may be off.
const SHARE: f64 = 1e-3;

impl Near {
    pub(super) fn new(center: DVec3, reach: f64) -> Self {
        // Coordinates of what is near are of the order of the centre's and the reach.
        let rounding = 8.0 * f64::from(f32::EPSILON) * (center.abs().max_element() + reach);
        let wide = reach * (1.0 + SHARE) + rounding;
        Self { center: center.as_vec3(), square: (wide * wide) as f32, rounding }
    }

    /// The distance that triangles have at the least of which [`Batch::sift`] tells this square.
    pub(super) fn distance(&self, square: f32) -> f64 {
        (f64::from(square).sqrt() - self.rounding) / (1.0 + SHARE)
    }
}

/// Up to eight triangles, coordinate by coordinate.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// Of the first corner x, y and z, of the second, of the third.
    corners: [[f32; LANES]; 9],
    triangles: [u32; LANES],
    count: usize,
    seen: Seen,
}

/// The same in the frame of the shape beside them: the corners, the unit normals, and how far their planes are along these.
/// Normals are zero where there is no area.
#[derive(Debug, Clone)]
struct Seen {
    corners: [[f64; LANES]; 9],
    normals: [[f64; LANES]; 3],
    offsets: [f64; LANES],
}

impl Batch {
    pub(super) const EMPTY: Self = Self {
        corners: [[0.0; LANES]; 9],
        triangles: [0; LANES],
        count: 0,
        seen: Seen { corners: [[0.0; LANES]; 9], normals: [[0.0; LANES]; 3], offsets: [0.0; LANES] },
    };

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

    /// Takes the triangles out: calls `visit` with the numbers and the places in the batch of those that come near, which
    /// are seen from where the surface stands at a placement now. Returns the square of how far the others are at the least,
    /// for [`Near::distance`].
    #[inline(always)]
    pub(super) fn sift(
        &mut self,
        level: Level,
        near: &Near,
        placement: &Placement,
        mut visit: impl FnMut(u32, Lane<'_>),
    ) -> f32 {
        let Self { corners, triangles, count, seen } = self;
        let (mut bits, least) = dispatch!(level, simd => sift(simd, (corners, *count), near, placement, seen));
        *count = 0;
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize % LANES;
            bits &= bits - 1;
            visit(triangles[lane], Lane { seen, lane });
        }
        least
    }
}

/// One triangle of a batch.
pub(super) struct Lane<'a> {
    seen: &'a Seen,
    lane: usize,
}

impl Lane<'_> {
    /// With what only the surface knows of it; none if it has no area.
    #[inline(always)]
    pub(super) fn face(&self, triangle: u32, vertices: [u32; 3], ridges: u8) -> Option<Face> {
        let Self { seen, lane } = *self;
        let vector = |rows: &[[f64; LANES]]| DVec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
        let normal = vector(&seen.normals);
        let corners = [vector(&seen.corners[..3]), vector(&seen.corners[3..6]), vector(&seen.corners[6..])];
        let face = Face { corners, normal, offset: seen.offsets[lane], triangle, vertices, ridges };
        (normal != DVec3::ZERO).then_some(face)
    }
}

/// Vectors side by side.
type Wide<T> = [T; 3];

#[inline(always)]
fn dot<T: Copy + Mul<Output = T> + Add<Output = T>>(u: Wide<T>, v: Wide<T>) -> T {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
fn cross<T: Copy + Mul<Output = T> + Sub<Output = T>>(u: Wide<T>, v: Wide<T>) -> Wide<T> {
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

#[inline(always)]
fn minus<T: Copy + Sub<Output = T>>(u: Wide<T>, v: Wide<T>) -> Wide<T> {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}

/// The square of the distance of the origin from an edge, the square of its length, and whether the origin is on the inner
/// side of it as the triangle's normal sees it.
#[inline(always)]
fn edge<S: Simd>(simd: S, from: Wide<f32x8<S>>, to: Wide<f32x8<S>>, normal: Wide<f32x8<S>>) -> Wide<f32x8<S>> {
    let along = minus(to, from);
    let length = dot(along, along);
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let share = (zero - dot(from, along)) / length;
    let share = share.simd_gt(zero).select(share, zero);
    let share = share.simd_lt(one).select(share, one);
    let place = [from[0] + along[0] * share, from[1] + along[1] * share, from[2] + along[2] * share];
    [dot(place, place), length, dot(normal, cross(from, along))]
}

/// Bits of the triangles that may come into the ball, which are seen from the shape, and the square of how far the others
/// are from its centre at the least.
#[inline(always)]
fn sift<S: Simd>(
    simd: S,
    (corners, count): (&[[f32; LANES]; 9], usize),
    near: &Near,
    placement: &Placement,
    seen: &mut Seen,
) -> (u32, f32) {
    let (bits, least) = not_far(simd, (corners, count), near);
    for first in [0, HALF] {
        if bits >> first & ((1 << HALF) - 1) != 0 {
            see(simd, corners, placement, first, seen);
        }
    }
    (bits, least)
}

/// Bits of the triangles that may come into the ball, and the square of how far the others are at the least.
#[inline(always)]
fn not_far<S: Simd>(simd: S, (corners, count): (&[[f32; LANES]; 9], usize), near: &Near) -> (u32, f32) {
    let x = f32x8::splat(simd, near.center.x);
    let y = f32x8::splat(simd, near.center.y);
    let z = f32x8::splat(simd, near.center.z);
    let a = [load(simd, &corners[0]) - x, load(simd, &corners[1]) - y, load(simd, &corners[2]) - z];
    let b = [load(simd, &corners[3]) - x, load(simd, &corners[4]) - y, load(simd, &corners[5]) - z];
    let c = [load(simd, &corners[6]) - x, load(simd, &corners[7]) - y, load(simd, &corners[8]) - z];
    let normal = cross(minus(b, a), minus(c, a));
    let area = dot(normal, normal);
    let [from_ab, length_ab, side_ab] = edge(simd, a, b, normal);
    let [from_bc, length_bc, side_bc] = edge(simd, b, c, normal);
    let [from_ca, length_ca, side_ca] = edge(simd, c, a, normal);
    let height = dot(normal, a);
    let inside = side_ab.min(side_bc).min(side_ca).simd_ge(f32x8::splat(simd, 0.0));
    let square = inside.select(height * height / area, from_ab.min(from_bc).min(from_ca));
    let longest = length_ab.max(length_bc).max(length_ca);
    let square = square - longest * f32x8::splat(simd, 1e-7);
    // Comparisons are false for NaN, which keeps it.
    let is_told = area.simd_gt(longest * longest * f32x8::splat(simd, 1e-4));
    let is_far = square.simd_gt(f32x8::splat(simd, near.square)) & is_told;
    let is_there = load(simd, &NUMBERS).simd_lt(f32x8::splat(simd, count as f32));
    let least = (is_far & is_there).select(square, f32x8::splat(simd, f32::INFINITY)).reduce_min();
    (!is_far.to_bitmask() as u32 & is_there.to_bitmask() as u32, least)
}

/// Four triangles as seen from where the surface stands at a placement. No closures: those would be compiled without the
/// level's instructions.
#[inline(always)]
fn see<S: Simd>(simd: S, corners: &[[f32; LANES]; 9], placement: &Placement, first: usize, seen: &mut Seen) {
    let a = placed(simd, [&corners[0], &corners[1], &corners[2]], placement, first);
    let b = placed(simd, [&corners[3], &corners[4], &corners[5]], placement, first);
    let c = placed(simd, [&corners[6], &corners[7], &corners[8]], placement, first);
    let normal = cross(minus(b, a), minus(c, a));
    let zero = f64x4::splat(simd, 0.0);
    let inverse = f64x4::splat(simd, 1.0) / dot(normal, normal).sqrt();
    let has_area = inverse.simd_gt(zero) & inverse.simd_le(f64x4::splat(simd, f64::MAX));
    let inverse = has_area.select(inverse, zero);
    let normal = [normal[0] * inverse, normal[1] * inverse, normal[2] * inverse];
    // From the corner nearest to the origin, whose coordinates have most digits.
    let offset = dot(normal, nearer(nearer(a, b), c));
    store(a, first, &mut seen.corners, 0);
    store(b, first, &mut seen.corners, 3);
    store(c, first, &mut seen.corners, 6);
    store(normal, first, &mut seen.normals, 0);
    seen.offsets[first..first + HALF].copy_from_slice(offset.as_slice());
}

/// Four corners at a placement.
#[inline(always)]
fn placed<S: Simd>(simd: S, rows: [&[f32; LANES]; 3], placement: &Placement, first: usize) -> Wide<f64x4<S>> {
    let (x, y, z) = (half(simd, rows[0], first), half(simd, rows[1], first), half(simd, rows[2], first));
    let mut place = [x, y, z];
    let (turn, shift) = (&placement.rotation, placement.position.to_array());
    let [u, v, w] = [turn.x_axis.to_array(), turn.y_axis.to_array(), turn.z_axis.to_array()];
    for axis in 0..3 {
        let turned =
            x * f64x4::splat(simd, u[axis]) + y * f64x4::splat(simd, v[axis]) + z * f64x4::splat(simd, w[axis]);
        place[axis] = turned + f64x4::splat(simd, shift[axis]);
    }
    place
}

#[inline(always)]
fn half<S: Simd>(simd: S, row: &[f32; LANES], first: usize) -> f64x4<S> {
    let (low, high) = simd.widen_f32x8(load(simd, row));
    if first == 0 { low } else { high }
}

/// The one nearer to the origin.
#[inline(always)]
fn nearer<S: Simd>(p: Wide<f64x4<S>>, q: Wide<f64x4<S>>) -> Wide<f64x4<S>> {
    let is_nearer = dot(q, q).simd_lt(dot(p, p));
    [is_nearer.select(q[0], p[0]), is_nearer.select(q[1], p[1]), is_nearer.select(q[2], p[2])]
}

#[inline(always)]
fn store<S: Simd>(vectors: Wide<f64x4<S>>, first: usize, rows: &mut [[f64; LANES]], row: usize) {
    for axis in 0..3 {
        rows[row + axis][first..first + HALF].copy_from_slice(vectors[axis].as_slice());
    }
}

/// Of the lanes.
const NUMBERS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32; LANES]) -> f32x8<S> {
    f32x8::load_array_ref(simd, values)
}
