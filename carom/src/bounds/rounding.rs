//! From f64 back to f32 without losing what is enclosed.
//!
//! Fits measure in f64 around parameters already narrowed to f32, then round sizes up and add 2⁻²² of them (2 to 4
//! ulp), which covers the f64 rounding of measuring and of testing many times over.

use glam::{DVec3, Vec3};

/// The part of a length by which f64 computations here may be off; sums and products of a few dozen terms stay below.
pub(super) const ROUNDING: f64 = 1e-14;

/// The greatest f32 not above `value`, never infinite; for NaN the least of all, so that a box around it has no end.
#[inline]
pub(super) fn round_down(value: f64) -> f32 {
    if value.is_nan() {
        return -f32::MAX;
    }
    let narrow = value as f32;
    let narrow = if f64::from(narrow) > value { narrow.next_down() } else { narrow };
    narrow.clamp(-f32::MAX, f32::MAX)
}

/// The least f32 not below `value`, never infinite; for NaN the greatest of all.
#[inline]
pub(super) fn round_up(value: f64) -> f32 {
    -round_down(-value)
}

/// A size with its room for rounding. Zero stays zero.
pub(super) fn padded(size: f64) -> f32 {
    round_up(size * (1.0 + 1.0 / f64::from(1 << 22)))
}

/// The nearest f32 point, never infinite.
pub(super) fn nearest(point: DVec3) -> Vec3 {
    point.as_vec3().clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX))
}

/// How far a point may stray when it is moved in f32: by the rounding of its rotation, relative to its distance from
/// the origin before, and by the rounding of the sum, relative to its distance after.
pub(super) fn motion_slack(reach_before: f64, reach_after: f64) -> f64 {
    f64::from(f32::EPSILON) * (8.0 * reach_before + reach_after)
}
