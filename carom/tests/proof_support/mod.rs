//! Oracles for convex pairs that share nothing with the library but the numbers that its shapes are made of.
//!
//! A pair is known by the supports of its difference A - B, from first principles and in f64. Every direction proves
//! something: a gap along it is a lower bound of the distance, an overlap along it an upper bound of the depth.
//! `minimum_norm` brackets the distance, `directions` bounds the depth of any pair from below, `faces` gives the depth
//! of polytopes, and `judge` weighs the library's answers against all of it.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

pub mod directions;
pub mod faces;
pub mod judge;
pub mod minimum_norm;
pub mod pair;
pub mod poses;
pub mod solids;
pub mod tally;

/// How many cases to run: the usual number times `CAROM_CASES`, which may be a fraction.
pub fn cases(usual: usize) -> usize {
    let factor: f64 = std::env::var("CAROM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    ((usual as f64 * factor) as usize).max(1)
}

/// Only pairs whose names contain `CAROM_ONLY`, if it is set.
pub fn is_wanted(pair: &str) -> bool {
    std::env::var("CAROM_ONLY").map_or(true, |only| pair.contains(&only))
}
