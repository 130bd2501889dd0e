//! From f64 back to f32 without losing what is enclosed.
//!
//! Fits measure in f64 around parameters already narrowed to f32, then round sizes up and add 2⁻²² of them (2 to 4
//! ulp), which covers the f64 rounding of measuring and of testing many times over.

use glam::{DVec3, Vec3};

/// The part of a length by which f64 computations here may be off; sums and products of a few dozen terms stay below.
pub(super) const ROUNDING: f64 = 1e-14;

/// The greatest f32 not above `value`, never infinite; for NaN the least of all, so that a box around it has no end. Without
/// branches: which way a number was rounded is chance.
#[inline]
pub(super) fn round_down(value: f64) -> f32 {
    const SIGN: u32 = 1 << 31;
    let narrow = value as f32;
    let bits = narrow.to_bits();
    let below = if bits & SIGN == 0 { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    // Below both zeros is the least number that is negative.
    let below = if bits & !SIGN == 0 { SIGN | 1 } else { below };
    let rounded = f32::from_bits(if f64::from(narrow) > value { below } else { bits });
    if value.is_nan() { -f32::MAX } else { rounded.clamp(-f32::MAX, f32::MAX) }
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

#[cfg(test)]
mod tests {
    use super::{round_down, round_up};

    #[test]
    fn rounding_is_outward_and_by_no_more_than_to_the_next_number() {
        let mut rng = fastrand::Rng::with_seed(3);
        let special = [0.0, -0.0, 1.0, -1.0, f64::MIN_POSITIVE, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY];
        let edges = [f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::from_bits(1), -f32::from_bits(1)].map(f64::from);
        let beside = edges.into_iter().flat_map(|edge| [edge.next_down(), edge, edge.next_up()]);
        let random =
            std::iter::repeat_with(|| f64::from(f32::from_bits(rng.u32(..))) * (1.0 + 1e-9 * rng.f64())).take(100_000);
        for value in special.into_iter().chain(beside).chain(random).filter(|value| !value.is_nan()) {
            let (low, high) = (round_down(value), round_up(value));
            assert!(low.is_finite() && high.is_finite(), "{value}");
            assert!(f64::from(low) <= value || low == f32::MIN, "{value} down to {low}");
            assert!(f64::from(high) >= value || high == f32::MAX, "{value} up to {high}");
            assert!(low == f32::MAX || f64::from(low.next_up()) > value, "{value} down to {low}");
            assert!(high == f32::MIN || f64::from(high.next_down()) < value, "{value} up to {high}");
        }
        assert_eq!((round_down(f64::NAN), round_up(f64::NAN)), (f32::MIN, f32::MAX));
    }
}
