//! Four queries side by side, as far as most of them go: a plane across an axis, or the sign of the volume, shows that
//! they are free. The others go on one by one, compiled for the machine's level.
//!
//! The tests are those of `relative.rs` and `volume.rs` with the same bounds of their errors: each lane computes what
//! these would, in the same order, so that it finds free what they do, and nothing else.
//! Cost: 15 ns a query, a third of what they take one by one.

use super::volume::{ERROR, UNDERFLOW};
use super::{Kind, SCALES};
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f64x4};
use glam::DVec3;

/// How many queries are looked at together.
pub(super) const LANES: usize = 4;

/// The four points of a query at the start and at the end of the step.
pub type Query = [[DVec3; 4]; 2];

/// Bit `i` says that query `i` is free, without a separation; where it is not set, nothing is known.
#[inline]
pub(super) fn are_free(level: Level, kind: Kind, queries: &[&Query; LANES]) -> u32 {
    dispatch!(level, simd => are_free_by(simd, kind, queries))
}

type Wide<S> = f64x4<S>;
/// A point of each query.
type Points<S> = [Wide<S>; 3];

#[inline(always)]
pub(super) fn are_free_by<S: Simd>(simd: S, kind: Kind, queries: &[&Query; LANES]) -> u32 {
    // No closures: they would not be compiled for the level.
    let start = gathered(simd, [&queries[0][0], &queries[1][0], &queries[2][0], &queries[3][0]]);
    let end = gathered(simd, [&queries[0][1], &queries[1][1], &queries[2][1], &queries[3][1]]);
    let mut size = Wide::splat(simd, 0.0);
    for points in [&start, &end] {
        for [x, y, z] in points {
            size += x.abs() + y.abs() + z.abs();
        }
    }
    let is_in_scale = size.simd_ge(Wide::splat(simd, SCALES.start)) & size.simd_lt(Wide::splat(simd, SCALES.end));
    let on_one_side = match kind {
        Kind::VertexFace => vertex_on_one_side(&start, &end),
        Kind::EdgeEdge => edges_on_one_side(&start, &end),
    };
    let in_scale = is_in_scale.to_bitmask() as u32;
    if in_scale & !on_one_side == 0 {
        return in_scale & on_one_side;
    }
    in_scale & (on_one_side | keeps_sign(simd, &seen(kind, &start), &seen(kind, &end)))
}

#[inline(always)]
fn gathered<S: Simd>(simd: S, [a, b, c, d]: [&[DVec3; 4]; LANES]) -> [Points<S>; 4] {
    [
        side_by_side(simd, a[0], b[0], c[0], d[0]),
        side_by_side(simd, a[1], b[1], c[1], d[1]),
        side_by_side(simd, a[2], b[2], c[2], d[2]),
        side_by_side(simd, a[3], b[3], c[3], d[3]),
    ]
}

#[inline(always)]
fn side_by_side<S: Simd>(simd: S, a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Points<S> {
    [
        Wide::from_slice(simd, &[a.x, b.x, c.x, d.x]),
        Wide::from_slice(simd, &[a.y, b.y, c.y, d.y]),
        Wide::from_slice(simd, &[a.z, b.z, c.z, d.z]),
    ]
}

/// As in `relative::on_one_side`.
#[inline(always)]
fn vertex_on_one_side<S: Simd>(start: &[Points<S>; 4], end: &[Points<S>; 4]) -> u32 {
    let mut found = 0;
    for axis in 0..3 {
        let [v, a, b, c] = [start[0][axis], start[1][axis], start[2][axis], start[3][axis]];
        let [w, d, e, f] = [end[0][axis], end[1][axis], end[2][axis], end[3][axis]];
        let above = a.min(b).min(c).simd_gt(v) & d.min(e).min(f).simd_gt(w);
        let below = a.max(b).max(c).simd_lt(v) & d.max(e).max(f).simd_lt(w);
        found |= (above | below).to_bitmask() as u32;
    }
    found
}

#[inline(always)]
fn edges_on_one_side<S: Simd>(start: &[Points<S>; 4], end: &[Points<S>; 4]) -> u32 {
    let mut found = 0;
    for axis in 0..3 {
        let [a, b, c, d] = [start[0][axis], start[1][axis], start[2][axis], start[3][axis]];
        let [p, q, r, s] = [end[0][axis], end[1][axis], end[2][axis], end[3][axis]];
        let above = a.min(b).simd_gt(c.max(d)) & p.min(q).simd_gt(r.max(s));
        let below = a.max(b).simd_lt(c.min(d)) & p.max(q).simd_lt(r.min(s));
        found |= (above | below).to_bitmask() as u32;
    }
    found
}

/// As in `Relative::new`.
#[inline(always)]
fn seen<S: Simd>(kind: Kind, [p, q, r, s]: &[Points<S>; 4]) -> [Points<S>; 3] {
    match kind {
        Kind::VertexFace => [minus(q, p), minus(r, p), minus(s, p)],
        Kind::EdgeEdge => [minus(p, r), minus(q, r), minus(s, r)],
    }
}

/// As in `Volume::new` and `Volume::keeps_sign`.
#[inline(always)]
fn keeps_sign<S: Simd>(simd: S, start: &[Points<S>; 3], end: &[Points<S>; 3]) -> u32 {
    let ([a, b, c], [d, e, f]) = (start, end);
    let (first, second, mixed) = (cross(b, c), cross(e, f), plus(&cross(b, f), &cross(e, c)));
    let third = Wide::splat(simd, 1.0 / 3.0);
    let coefficients = [
        dot(a, &first),
        (dot(d, &first) + dot(a, &mixed)) * third,
        (dot(a, &second) + dot(d, &mixed)) * third,
        dot(d, &second),
    ];
    let mut most = [Wide::splat(simd, 0.0); 3];
    for points in [start, end] {
        for point in points {
            most = [most[0].max(point[0].abs()), most[1].max(point[1].abs()), most[2].max(point[2].abs())];
        }
    }
    let error = most[0] * most[1] * most[2] * ERROR + UNDERFLOW;
    let [p, q, r, s] = coefficients;
    let above = p.min(q).min(r.min(s)).simd_gt(error);
    let below = p.max(q).max(r.max(s)).simd_lt(-error);
    (above | below).to_bitmask() as u32
}

#[inline(always)]
fn minus<S: Simd>(a: &Points<S>, b: &Points<S>) -> Points<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn plus<S: Simd>(a: &Points<S>, b: &Points<S>) -> Points<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn cross<S: Simd>(a: &Points<S>, b: &Points<S>) -> Points<S> {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

#[inline(always)]
fn dot<S: Simd>(a: &Points<S>, b: &Points<S>) -> Wide<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
