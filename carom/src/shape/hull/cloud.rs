//! The points of a hull in the coordinates in which it is computed, and the first tetrahedron.
//!
//! Each axis is scaled by a power of two so that every coordinate lies in [-1, 1]. That is exact in f64 for any f32,
//! changes the side of no point, and lets error bounds be constants: nothing overflows or underflows on the way.

use super::super::FlatExtent;
use glam::{DVec3, Vec3};

/// How far apart two f32 coordinates that stand for the same place may be, relative to the largest along their axis:
/// 4 epsilon, about what rotating a shape in f32 costs. A plane with normal `n` is uncertain by this times `|n|₁`.
pub(super) const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// The powers of two by which the axes are scaled.
pub(super) fn scale_of(points: &[Vec3]) -> DVec3 {
    let largest = points.iter().fold(Vec3::ZERO, |largest, point| largest.max(point.abs()));
    largest.as_dvec3().to_array().map(power_above_inverse).into()
}

/// `1 / p` for the smallest power of two `p` above `size`.
fn power_above_inverse(size: f64) -> f64 {
    if size == 0.0 {
        return 1.0;
    }
    // An f32 other than zero is a normal f64, so its exponent can be read off and negated.
    let exponent = (size.to_bits() >> 52) & 0x7ff;
    f64::from_bits((2045 - exponent) << 52)
}

/// Four points that span a tetrahedron thicker than rounding, the last below the plane of the others.
pub(super) fn first_tetrahedron(points: &[DVec3]) -> Result<[u32; 4], FlatExtent> {
    if points.is_empty() {
        return Err(FlatExtent::Point);
    }
    let [a, b] = farthest_pair(points);
    let from = points[a];
    let along = (points[b] - from).normalize_or_zero();
    if along == DVec3::ZERO {
        return Err(FlatExtent::Point);
    }
    let off_line = |point: DVec3| (point - from).cross(along);
    let c = farthest(points, |point| off_line(point).length_squared());
    let normal = off_line(points[c]);
    if normal.length() <= ROUNDING {
        return Err(FlatExtent::Line);
    }
    let normal = normal.normalize();
    let height = |point: DVec3| normal.dot(point - from);
    let d = farthest(points, |point| height(point).abs());
    let thickness = height(points[d]);
    if thickness.abs() <= ROUNDING * normal.abs().element_sum() {
        return Err(FlatExtent::Plane);
    }
    // The normal is (c − a) × (b − a), so a, c, b run counter-clockwise seen from its tip.
    let [a, b, c, d] = [a, b, c, d].map(|index| index as u32);
    Ok(if thickness < 0.0 { [a, c, b, d] } else { [a, b, c, d] })
}

/// The lowest and the highest point along the axis on which they are farthest apart.
fn farthest_pair(points: &[DVec3]) -> [usize; 2] {
    let mut lowest = [0; 3];
    let mut highest = [0; 3];
    for (index, point) in points.iter().enumerate() {
        for axis in 0..3 {
            if point[axis] < points[lowest[axis]][axis] {
                lowest[axis] = index;
            }
            if point[axis] > points[highest[axis]][axis] {
                highest[axis] = index;
            }
        }
    }
    let extent = |axis: usize| points[highest[axis]][axis] - points[lowest[axis]][axis];
    let axis = (1..3).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best });
    [lowest[axis], highest[axis]]
}

/// The first point for which `measure` is greatest.
fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, &point) in points.iter().enumerate() {
        let value = measure(point);
        if value > best.1 {
            best = (index, value);
        }
    }
    best.0
}
