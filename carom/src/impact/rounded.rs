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
    if volume == [0.0; 4] {
        return in_plane(sides, 0.0, look);
    }
    let volume = Volume::rounded(volume);
    let mut time = 0.0;
    let mut free = Verdict::Free;
    for _ in 0..=MOST_ROOTS {
        time = volume.free_until(time, 8);
        if time >= 1.0 {
            return Some(free);
        }
        let Some(after) = volume.beyond(time) else {
            // A double root, or one too near to the end: there is no contact where the shadow is off the origin.
            let rest = in_plane(sides, time, |_, _, _| Verdict::Unresolved);
            return rest.filter(|&rest| rest == Verdict::Free && free == Verdict::Free);
        };
        match between(sides, time, after, &look) {
            Verdict::Touches => return Some(Verdict::Touches),
            Verdict::Unresolved => free = Verdict::Unresolved,
            Verdict::Free => {}
        }
        time = after;
    }
    None
}

/// What the sides tell about points that are in a plane from `time` on: they touch where no two signs are opposite.
/// Between the roots of the sides all signs are known, and around each root those of the other sides, unless they have
/// roots there, too: then `look` decides.
#[cold]
fn in_plane(
    sides: &[[f64; 3]; 4],
    time: f64,
    look: impl Fn(f64, f64, &[Option<i32>; 4]) -> Verdict,
) -> Option<Verdict> {
    /// How far around a root its side's sign is not asked for.
    const AROUND: f64 = 1e-9;
    let mut cuts = [1.0; 17];
    for (side, cuts) in sides.iter().zip(cuts.chunks_exact_mut(4)) {
        for (root, cuts) in roots(side).into_iter().zip(cuts.chunks_exact_mut(2)) {
            cuts.copy_from_slice(&[(root - AROUND).clamp(time, 1.0), (root + AROUND).clamp(time, 1.0)]);
        }
    }
    cuts.sort_unstable_by(f64::total_cmp);
    let mut from = time;
    let mut is_known = true;
    for to in cuts {
        match between(sides, from, to, &look) {
            Verdict::Touches => return Some(Verdict::Touches),
            Verdict::Unresolved => is_known = false,
            Verdict::Free => {}
        }
        from = to;
    }
    is_known.then_some(Verdict::Free)
}

/// What the sides tell between two times of points that are in a plane there.
#[inline(always)]
fn between(
    sides: &[[f64; 3]; 4],
    from: f64,
    to: f64,
    look: &impl Fn(f64, f64, &[Option<i32>; 4]) -> Verdict,
) -> Verdict {
    let [a, b, c, d] = sides;
    let sign = |side| sign_between(side, from, to);
    let signs = [sign(a), sign(b), sign(c), sign(d)];
    let (above, below) = (signs.contains(&Some(1)), signs.contains(&Some(-1)));
    if above && below {
        Verdict::Free
    } else if !signs.contains(&None) && (above || below) {
        Verdict::Touches
    } else {
        look(from, to, &signs)
    }
}

/// About where a quadratic is zero; 1 in place of roots that there are not.
fn roots([a, b, c]: &[f64; 3]) -> [f64; 2] {
    let (square, half) = (a - 2.0 * b + c, b - a);
    let sum = -(half + (half * half - square * a).sqrt().copysign(half));
    [sum / square, a / sum].map(|root| if root > 0.0 && root < 1.0 { root } else { 1.0 })
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
