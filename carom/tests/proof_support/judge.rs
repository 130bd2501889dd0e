//! Weighs the library's answers about a pair against proofs: supports along directions, and points that are in both.

use super::minimum_norm::{self, Bracket};
use super::pair::Pair;
use super::{directions, faces};
use carom::glam::DVec3;
use carom::query::{Distance, Gap, Penetration};

/// What the issue asks for, as shares of the smaller solid's size.
pub const DISTANCE_BAR: f64 = 1e-5;
pub const DEPTH_BAR: f64 = 1e-4;
/// How far a common point may be out of either.
pub const COMMON_POINT_BAR: f64 = 1e-5;
/// By how much a bound that is said to be proven may be wrong, as a share of the scale.
pub const BOUND_SLACK: f64 = 1e-13;

/// A verdict: how far off an answer is, as a share of the smaller size, or what is wrong with it.
pub type Verdict = Result<f64, String>;

/// How far a point in the world is outside of A and of B, in truth.
fn outside(pair: &Pair<'_>, point: DVec3) -> [f64; 2] {
    let seen = point - pair.pose_a.position;
    let mut found = pair.outside(seen);
    let solids = [(pair.a, pair.turned_a(), DVec3::ZERO), (pair.b, pair.turned_b(), pair.offset)];
    for (found, (solid, turn, place)) in found.iter_mut().zip(solids) {
        // The planes of a polytope tell too little where the point is not next to one.
        if *found > 1e-9 * solid.size {
            let local = turn.transpose() * (seen - place);
            let bracket = minimum_norm::nearest(|along| solid.support(along) - local, local, 1e-13 * solid.size);
            *found = found.max(bracket.lower).min(bracket.upper);
        }
    }
    found
}

/// Judges a distance. `hint` is any direction from A to B.
pub fn distance(pair: &Pair<'_>, found: &Distance, hint: DVec3) -> Verdict {
    match found {
        Distance::Apart(gap) => apart(pair, gap, hint),
        Distance::Overlapping { common, upper } => overlapping(pair, *common, *upper, hint),
        Distance::Undecided(gap) => {
            finite(gap)?;
            let truth = minimum_norm::distance(pair, 1e-12 * pair.scale());
            within_bounds(pair, gap.lower, gap.upper, truth)?;
            Ok(0.0)
        }
    }
}

fn finite(gap: &Gap) -> Result<(), String> {
    let numbers = gap.on_a.is_finite() && gap.on_b.is_finite() && gap.normal.is_finite() && gap.distance.is_finite();
    if !numbers || !gap.lower.is_finite() || !gap.upper.is_finite() {
        return Err(format!("numbers that are not finite: {gap:?}"));
    }
    if !(0.0 <= gap.lower && gap.lower <= gap.distance && gap.distance <= gap.upper) {
        return Err(format!("bounds out of order: {gap:?}"));
    }
    if (gap.normal.length() - 1.0).abs() > 1e-6 {
        return Err(format!("the normal is not of unit length: {gap:?}"));
    }
    Ok(())
}

/// Bounds that are said to be proven hold what is.
fn within_bounds(pair: &Pair<'_>, lower: f64, upper: f64, truth: Bracket) -> Result<(), String> {
    let slack = BOUND_SLACK * pair.scale();
    if lower > truth.upper.max(0.0) + slack || upper < truth.lower - slack {
        return Err(format!("the bounds [{lower:e}, {upper:e}] do not hold the truth {truth:?}"));
    }
    Ok(())
}

fn apart(pair: &Pair<'_>, gap: &Gap, hint: DVec3) -> Verdict {
    finite(gap)?;
    let (size, rounding) = (pair.size(), pair.world_rounding());
    // Below: the widest gap of the directions at hand. Above: the points, if they are of the solids.
    let normal = gap.normal.as_dvec3().normalize();
    let mut truth = Bracket { lower: pair.gap(normal).max(pair.gap(hint)), upper: f64::INFINITY };
    if let Some(between) = (gap.on_b - gap.on_a).try_normalize() {
        truth.lower = truth.lower.max(pair.gap(between));
    }
    let (out_a, out_b) = (outside(pair, gap.on_a)[0], outside(pair, gap.on_b)[1]);
    truth.upper = gap.on_a.distance(gap.on_b) + out_a + out_b + rounding;
    if gap.distance - truth.lower > 1e-9 * size || truth.upper - gap.distance > 1e-9 * size {
        let exact = minimum_norm::distance(pair, 1e-13 * pair.scale());
        truth = Bracket { lower: truth.lower.max(exact.lower), upper: truth.upper.min(exact.upper) };
        if gap.distance - truth.lower > 1e-9 * size {
            let enough = 1e-9 * size - gap.distance;
            truth.lower = truth.lower.max(-directions::least_near(pair, normal, enough));
        }
    }
    within_bounds(pair, gap.lower, gap.upper, truth)?;
    let error = (gap.distance - truth.lower).max(truth.upper - gap.distance).max(0.0) / size;
    if error > DISTANCE_BAR + allowance(pair) {
        return Err(format!("the distance is off by {error:e} of the size: {gap:?}, in truth {truth:?}"));
    }
    let misplaced = (out_a + out_b - 2.0 * rounding).max(0.0) / size;
    if misplaced > DISTANCE_BAR {
        return Err(format!("closest points are {out_a:e} and {out_b:e} off the solids: {gap:?}"));
    }
    if pair.gap(normal) < gap.lower - 3e-7 * pair.scale() {
        return Err(format!("the normal separates by {:e} only: {gap:?}", pair.gap(normal)));
    }
    Ok(error)
}

fn overlapping(pair: &Pair<'_>, common: DVec3, upper: f64, hint: DVec3) -> Verdict {
    if !(common.is_finite() && upper.is_finite() && upper >= 0.0) {
        return Err(format!("numbers that are not sound: common {common}, upper {upper:e}"));
    }
    let gap = pair.gap(hint);
    if gap > upper + BOUND_SLACK * pair.scale() {
        return Err(format!("apart by {gap:e}, but said to overlap with an upper bound of {upper:e}"));
    }
    let rounding = pair.world_rounding();
    let out = outside(pair, common).map(|out| (out - rounding).max(0.0) / pair.size());
    let error = out[0].max(out[1]);
    if error > COMMON_POINT_BAR {
        return Err(format!("the common point is outside by {:e} and {:e} of the size", out[0], out[1]));
    }
    Ok(error)
}

/// Judges a penetration from above and by what `hint` frees; that nothing frees with less is for `directions` to prove.
pub fn penetration(pair: &Pair<'_>, found: &Penetration, hint: DVec3) -> Verdict {
    let numbers = [found.depth, found.lower, found.upper];
    let are_finite = numbers.iter().all(|number| number.is_finite());
    if !(are_finite && found.on_a.is_finite() && found.on_b.is_finite()) {
        return Err(format!("numbers that are not finite: {found:?}"));
    }
    let slack = BOUND_SLACK * pair.scale();
    if !(found.lower <= found.depth + slack && found.depth <= found.upper + slack) {
        return Err(format!("bounds out of order: {found:?}"));
    }
    if (found.normal.length() - 1.0).abs() > 1e-6 {
        return Err(format!("the normal is not of unit length: {found:?}"));
    }
    let size = pair.size();
    let normal = found.normal.as_dvec3().normalize();
    let hinted = -pair.gap(hint);
    if hinted < found.lower - slack {
        return Err(format!("{hint} frees by {hinted:e}, less than the lower bound: {found:?}"));
    }
    let by_normal = -pair.gap(normal);
    let narrowed = 3e-7 * pair.scale();
    if by_normal > found.upper + narrowed {
        return Err(format!("the normal frees by {by_normal:e}, more than the upper bound: {found:?}"));
    }
    let freed = freed_near(pair, found, by_normal.min(hinted));
    let error = (freed - found.depth).max(found.depth - hinted).max(0.0) / size;
    let bar = if found.depth > 0.0 { DEPTH_BAR } else { DISTANCE_BAR };
    if error > bar + allowance(pair) {
        return Err(format!("off by {error:e} of the size: frees by {freed:e}, {hint} by {hinted:e}: {found:?}"));
    }
    Ok(error)
}

/// What frees the pair along the normal that was found, but with all digits: the normal has those of f32 only, which
/// next to a large solid is much for a small one.
fn freed_near(pair: &Pair<'_>, found: &Penetration, by_normal: f64) -> f64 {
    let enough = found.depth + 1e-9 * pair.size();
    if by_normal <= enough {
        return by_normal;
    }
    let between = (found.on_a - found.on_b) * found.depth.signum();
    let by_points = between.try_normalize().map_or(by_normal, |along| by_normal.min(-pair.gap(along)));
    if by_points <= enough {
        return by_points;
    }
    let by_norm = by_points.min(-minimum_norm::distance(pair, 1e-13 * pair.scale()).lower);
    if by_norm <= enough {
        return by_norm;
    }
    // Among the faces of polytopes there is the very normal.
    let by_faces = faces::widest_gap(pair).map_or(by_norm, |gap| by_norm.min(-gap));
    if by_faces <= enough {
        return by_faces;
    }
    by_faces.min(directions::least_near(pair, found.normal.as_dvec3().normalize(), enough))
}

/// What f64 leaves uncertain at the scale of the pair, and the world far from its origin, as a share of the size.
fn allowance(pair: &Pair<'_>) -> f64 {
    (1e-12 * pair.scale() + 2.0 * pair.world_rounding()) / pair.size()
}

/// How far the deepest points are from being each other's, the depth apart along the normal, or off their solids.
pub fn deepest_points(pair: &Pair<'_>, found: &Penetration) -> f64 {
    let normal = found.normal.as_dvec3().normalize();
    // The normal has the digits of f32, which over a long way is much for a small solid.
    let astray = (found.on_a - found.on_b - normal * found.depth).length() - 1e-7 * found.depth.abs();
    let (out_a, out_b) = (outside(pair, found.on_a)[0], outside(pair, found.on_b)[1]);
    (astray.max(out_a).max(out_b) - 2.0 * pair.world_rounding()).max(0.0) / pair.size()
}
