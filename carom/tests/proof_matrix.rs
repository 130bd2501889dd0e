//! Distance, overlap and depth of all 28 pairs of seven kinds of solids in six settings, with sizes up to 1 : 10,000
//! and places up to a million from the origin: no wrong yes or no beyond 1e-5 of the smaller size, no distance off by
//! more, no depth too small by more than 1e-4 of it, bounds that hold the truth, and a status where there is no answer.
//!
//! Every answer is judged by proofs that need not trust the library (`proof_support::judge`). Prints the cases and the
//! worst errors by pair, as shares of the smaller solid's size. `CAROM_CASES=100` runs a hundred times as many: about a
//! million of each pair. `CAROM_ONLY=box/` picks pairs, `CAROM_WORST=1` prints what makes the worst cases again.

mod proof_support;
mod random;

use carom::glam::DVec3;
use carom::query::{self, Distance, QueryError, Stop};
use fastrand::Rng;
use proof_support::directions::{Outcome, prove_depth};
use proof_support::judge::{self, DEPTH_BAR, DISTANCE_BAR};
use proof_support::pair::Pair;
use proof_support::poses::{SETTINGS, Setting, Stock, place};
use proof_support::solids::{KINDS, Kind, pairs_of_kinds};
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted};

/// How far deepest points may be from being opposite each other on their solids, as a share of the smaller size. 1.6e-4 was
/// seen, of a cone in a box: where a curved rim is deepest is flat, and its place known less well than its depth.
const DEEPEST_POINTS_BAR: f64 = 5e-4;

/// How many triangles of directions a proof may look at.
const BUDGET: usize = 30_000;

/// One case in so many has its depth proven by all directions, whatever its bounds say.
const PROVEN: usize = 50;

/// All questions about one pair, judged.
fn ask(tally: &mut Tally, name: &str, (case, setting): (usize, Setting), pair: &Pair<'_>, hint: DVec3) {
    let is_proven = (case / SETTINGS.len()).is_multiple_of(PROVEN);
    let size = pair.size();
    let case = |what: String| move || format!("{setting:?}: {what}\n      {}", pair.recipe());
    let (a, b) = (&pair.a.shape, &pair.b.shape);
    tally.count(name, "cases");
    let distance = match query::distance(a, &pair.pose_a, b, &pair.pose_b) {
        Ok(distance) => distance,
        Err(error) => return tally.fail(&format!("{name} distance refused"), case(error.to_string())),
    };
    let column = match distance {
        Distance::Apart(_) => "distance",
        Distance::Overlapping { .. } => "common point",
        Distance::Undecided(_) => "undecided",
    };
    match judge::distance(pair, &distance, hint) {
        Ok(error) => tally.error(name, column, error, case(format!("{distance:?}"))),
        Err(fault) => tally.fail(&format!("{name} {column}"), case(fault)),
    }
    if distance.gap().is_some_and(|gap| gap.stop == Stop::IterationLimit) {
        tally.count(name, "distance at the limit");
    }

    // Yes or no, where it is clear: by the distance, which was judged, and by a gap that was seen.
    match query::overlap(a, &pair.pose_a, b, &pair.pose_b) {
        Ok(true) if distance.lower().max(pair.gap(hint)) > DISTANCE_BAR * size => {
            tally.fail(&format!("{name} overlap: wrong yes"), case(format!("{distance:?}")));
        }
        Ok(false) if matches!(distance, Distance::Overlapping { .. }) => {
            tally.count(name, "no where the distance is zero");
            // Touching to within rounding may be either; a point that is well inside of both may not.
            let inside = query::penetration(a, &pair.pose_a, b, &pair.pose_b).map(|found| found.lower);
            if inside.is_ok_and(|depth| depth > DISTANCE_BAR * size) {
                tally.fail(&format!("{name} overlap: wrong no"), case(format!("{distance:?}")));
            }
        }
        Ok(_) => {}
        Err(QueryError::Undecided { upper }) if upper >= pair.gap(hint) => tally.count(name, "overlap undecided"),
        Err(error) => tally.fail(&format!("{name} overlap refused"), case(error.to_string())),
    }

    let found = match query::penetration(a, &pair.pose_a, b, &pair.pose_b) {
        Ok(found) => found,
        Err(error) => return tally.fail(&format!("{name} penetration refused"), case(error.to_string())),
    };
    let column = if found.depth > 0.0 { "depth" } else { "negative depth" };
    match judge::penetration(pair, &found, hint) {
        Ok(error) => tally.error(name, column, error, case(format!("{found:?}"))),
        Err(fault) => tally.fail(&format!("{name} {column}"), case(fault)),
    }
    if found.stop == Stop::IterationLimit {
        tally.count(name, "depth at the limit");
    }
    // Where the bounds leave it open whether something frees with less, the oracle tells, and now and then anyway.
    let is_wide = found.upper - found.lower > DEPTH_BAR * size;
    if found.depth > DEPTH_BAR * size && (is_wide || is_proven) {
        match prove_depth(pair, found.depth - DEPTH_BAR * size, BUDGET) {
            Outcome::Proven if is_wide => tally.count(name, "wide bounds, but proven"),
            Outcome::Proven => tally.count(name, "depth proven by all directions"),
            Outcome::Unknown => tally.count(name, "depth not refuted"),
            Outcome::Refuted(along, freed) => {
                tally.fail(&format!("{name} too deep"), case(format!("{along} frees with {freed:e}: {found:?}")));
            }
        }
    }
    let astray = judge::deepest_points(pair, &found);
    tally.error(name, "deepest points", astray, case(format!("{found:?}")));
    if astray > DEEPEST_POINTS_BAR {
        tally.fail(&format!("{name} deepest points"), case(format!("astray by {astray:e}: {found:?}")));
    }
    // The two questions must not contradict each other.
    let apart = if let Distance::Apart(gap) = &distance { gap.distance } else { 0.0 };
    let signed = if matches!(distance, Distance::Apart(_)) { -found.depth } else { (-found.depth).max(0.0) };
    if !matches!(distance, Distance::Undecided(_)) && (apart - signed).abs() > DISTANCE_BAR * size {
        tally.fail(&format!("{name} distance and depth differ"), case(format!("{distance:?}\n      {found:?}")));
    }
    tally.error(name, "width of the bounds", (found.upper - found.lower) / size, case(format!("{found:?}")));
}

/// The answers far from the origin are those at the origin; points are right to within the rounding of their places.
fn far_from_origin(tally: &mut Tally, name: &str, pair: &Pair<'_>, hint: DVec3) {
    let (a, b) = (&pair.a.shape, &pair.b.shape);
    let near = pair.at_origin();
    let case = |what: String| move || format!("far from the origin: {what}\n      {}", pair.recipe());
    tally.count(name, "far from the origin");
    let answers = [pair, &near].map(|pair| query::distance(a, &pair.pose_a, b, &pair.pose_b));
    let [Ok(far_answer), Ok(near_answer)] = &answers else {
        return tally.fail(&format!("{name} far: distance refused"), case(format!("{answers:?}")));
    };
    if let Err(fault) = judge::distance(pair, far_answer, hint) {
        tally.fail(&format!("{name} far: distance"), case(fault));
    }
    let is_equal = far_answer.value() == near_answer.value() && far_answer.lower() == near_answer.lower();
    let answers = [pair, &near].map(|pair| query::penetration(a, &pair.pose_a, b, &pair.pose_b));
    let [Ok(far_answer), Ok(near_answer)] = &answers else {
        return tally.fail(&format!("{name} far: penetration refused"), case(format!("{answers:?}")));
    };
    if let Err(fault) = judge::penetration(pair, far_answer, hint) {
        tally.fail(&format!("{name} far: penetration"), case(fault));
    }
    if !(is_equal && far_answer.depth == near_answer.depth && far_answer.normal == near_answer.normal) {
        tally.fail(&format!("{name} far: not as at the origin"), case(format!("{answers:?}")));
    }
}

fn run(kinds: &[[Kind; 2]], seed: u64, usual: usize, title: &str) {
    let stock = Stock::new(&KINDS, 48);
    let mut tally = Tally::default();
    for &[kind_a, kind_b] in kinds {
        let name = format!("{}/{}", kind_a.name(), kind_b.name());
        if !is_wanted(&name) {
            continue;
        }
        let mut random = Rng::with_seed(seed);
        for case in 0..cases(usual) {
            let setting = SETTINGS[case % SETTINGS.len()];
            let [a, b] = stock.pick(&mut random, [kind_a, kind_b]);
            let (pair, hint) = place(&mut random, setting, a, b);
            if pair.pose_a.position.length() > 1e3 {
                far_from_origin(&mut tally, &name, &pair, hint);
            }
            ask(&mut tally, &name, (case, setting), &pair.at_origin(), hint);
        }
    }
    tally.conclude(title);
}

/// All pairs of kinds, those with a large hull apart.
fn pairs(with_large_hulls: bool) -> Vec<[Kind; 2]> {
    pairs_of_kinds().filter(|pair| pair.contains(&Kind::Hull256) == with_large_hulls).collect()
}

#[test]
fn pairs_without_large_hulls_are_right() {
    run(&pairs(false), 41, 10_000, "pairs of solids");
}

#[test]
fn pairs_with_large_hulls_are_right() {
    run(&pairs(true), 42, 10_000, "pairs with a hull of 256 points");
}
