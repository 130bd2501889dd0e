//! The exact decision of `exact.rs` with coefficients that are exact and only then rounded.
//!
//! However thin the features and near the contact: each coefficient keeps all its digits, so that only a root within
//! 1e-14 of one of a side, or of another root, is not decided by them. Roots are found from the left by `volume.rs`,
//! and at each the sides tell.

use super::exact::Verdict;
use super::volume::Volume;

/// What the volume's coefficients and those of the sides tell, unless a root may be double. `look` decides about a part
/// of the step with one root that is too near to some sides, whose signs are not known.
#[inline(always)]
pub(super) fn decide(
    volume: [f64; 4],
    sides: &[[f64; 3]; 4],
    look: impl Fn(f64, f64, &[Option<i32>; 4]) -> Verdict,
) -> Option<Verdict> {
    /// A cubic has three roots.
    const MOST_ROOTS: usize = 3;
    let volume = Volume::rounded(volume);
    let mut time = 0.0;
    let mut free = Verdict::Free;
    for _ in 0..=MOST_ROOTS {
        time = volume.free_until(time);
        if time >= 1.0 {
            return Some(free);
        }
        let after = volume.beyond(time)?;
        let signs = sides.map(|side| sign_between(&side, time, after));
        let (above, below) = (signs.contains(&Some(1)), signs.contains(&Some(-1)));
        if !(above && below) {
            if !signs.contains(&None) && (above || below) {
                return Some(Verdict::Touches);
            }
            match look(time, after, &signs) {
                Verdict::Touches => return Some(Verdict::Touches),
                Verdict::Unresolved => free = Verdict::Unresolved,
                Verdict::Free => {}
            }
        }
        time = after;
    }
    None
}

/// The sign that a quadratic keeps between two times; that of zero is 0.
#[inline(always)]
fn sign_between(side: &[f64; 3], from: f64, to: f64) -> Option<i32> {
    if *side == [0.0; 3] {
        return Some(0);
    }
    let most = side.iter().fold(0.0, |most: f64, coefficient| most.max(coefficient.abs()));
    let [a, b, c] = *side;
    // The polar form of the quadratic at both times: its Bernstein coefficients between them. Each mean of means is off
    // by less than 8u of the largest, and the rounding of the coefficients adds 2u.
    let polar = |p: f64, q: f64| {
        let (ab, bc) = (a * (1.0 - p) + b * p, b * (1.0 - p) + c * p);
        ab * (1.0 - q) + bc * q
    };
    let error = 32.0 * f64::EPSILON * most;
    let values = [polar(from, from), polar(from, to), polar(to, to)];
    if values.iter().all(|&value| value > error) {
        Some(1)
    } else if values.iter().all(|&value| value < -error) {
        Some(-1)
    } else {
        None
    }
}
