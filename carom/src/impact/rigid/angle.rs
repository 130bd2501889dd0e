//! Sine and cosine, quickly: both at once, inline, and the same bits on every machine.
//!
//! The angle is reduced to a quarter turn by a π/2 in two parts, of which the products with the count of quarters are
//! exact or as good, and the rest is a Taylor series whose next term is below the last digit.

use std::f64::consts::FRAC_2_PI;

/// π/2 to 33 bits, and the rest of it.
const QUARTER: f64 = 1.570_796_326_734_125_6;
const QUARTER_REST: f64 = 6.077_100_506_506_192e-11;

/// Adding and taking away this rounds to a whole number.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Beyond this the count of quarters is too large for the products.
const QUICK: f64 = 1e5;

/// Sine and cosine of an angle, to within 2e-16.
#[inline(always)]
pub(super) fn sine_cosine(angle: f64) -> (f64, f64) {
    if angle.abs().is_nan() || angle.abs() > QUICK {
        return libm::sincos(angle);
    }
    let count = angle * FRAC_2_PI + ROUNDER - ROUNDER;
    let x = angle - count * QUARTER - count * QUARTER_REST;
    let s = x * x;
    let sine = 1.0 / 6.0
        - s * (1.0 / 120.0
            - s * (1.0 / 5040.0
                - s * (1.0 / 362_880.0
                    - s * (1.0 / 39_916_800.0 - s * (1.0 / 6_227_020_800.0 - s / 1_307_674_368_000.0)))));
    let sine = x - x * s * sine;
    let cosine = 1.0 / 24.0
        - s * (1.0 / 720.0
            - s * (1.0 / 40_320.0
                - s * (1.0 / 3_628_800.0
                    - s * (1.0 / 479_001_600.0 - s * (1.0 / 87_178_291_200.0 - s / 20_922_789_888_000.0)))));
    let cosine = 1.0 - (0.5 * s - s * s * cosine);
    match count as i64 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_the_library_has() {
        let mut random = fastrand::Rng::with_seed(1);
        for case in 0..1_000_000 {
            let reach = [1.0, 10.0, 1e3, 9e4, 1e7][case % 5];
            let angle = (random.f64() * 2.0 - 1.0) * reach;
            let (sine, cosine) = sine_cosine(angle);
            let (known_sine, known_cosine) = libm::sincos(angle);
            assert!((sine - known_sine).abs() < 2.5e-16 && (cosine - known_cosine).abs() < 2.5e-16, "{angle}");
        }
        assert_eq!(sine_cosine(0.0), (0.0, 1.0));
        assert!(sine_cosine(f64::NAN).0.is_nan());
    }
}
