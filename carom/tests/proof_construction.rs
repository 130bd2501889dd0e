//! Distances that are known: by construction, by the nearest point of A - B to the origin, and by other doors to the
//! same answer. Prints the cases and the worst errors by pair, as shares of the scale (the sizes and the distance of
//! the two places added up); `CAROM_CASES=n` runs n times as many.

mod proof_support;
mod random;

use carom::pose::Pose;
use carom::query::{self, Distance, Gap, PairCache};
use carom::trace::Trace;
use fastrand::Rng;
use proof_support::judge::DEPTH_BAR;
use proof_support::pair::Pair;
use proof_support::poses::{SETTINGS, Setting, Stock, place};
use proof_support::solids::{KINDS, pairs_of_kinds};
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted, minimum_norm};
use random::cube;

/// Calls with every pair of kinds and so many random cases of it, the first solid at the origin.
fn each_case(seed: u64, usual: usize, mut check: impl FnMut(&str, Setting, &Pair<'_>, &mut Rng)) {
    let stock = Stock::new(&KINDS, 48);
    for kinds in pairs_of_kinds() {
        let name = format!("{}/{}", kinds[0].name(), kinds[1].name());
        let mut random = Rng::with_seed(seed);
        for case in 0..if is_wanted(&name) { cases(usual) } else { 0 } {
            let [a, b] = stock.pick(&mut random, kinds);
            let setting = SETTINGS[case % SETTINGS.len()];
            let (pair, _) = place(&mut random, setting, a, b);
            check(&name, setting, &pair.at_origin(), &mut random);
        }
    }
}

fn gap(pair: &Pair<'_>) -> Option<Gap> {
    match query::distance(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b).unwrap() {
        Distance::Apart(gap) => Some(gap),
        Distance::Overlapping { .. } | Distance::Undecided(_) => None,
    }
}

/// Solve once, move the second solid along the line of the closest points: the distance changes by just as much.
#[test]
fn sliding_along_the_normal_changes_the_distance_by_as_much() {
    let mut tally = Tally::default();
    each_case(61, 1_500, |name, _, pair, random| {
        let Some(found) = gap(pair).filter(|gap| gap.distance > 1e-3 * pair.size()) else {
            return tally.count(name, "overlapping or too near to slide");
        };
        let along = (found.on_b - found.on_a).normalize();
        // Known to within what the line of two rounded points leaves of the distance.
        let known = (found.distance - pair.gap(along)).max(0.0);
        for step in 0..4 {
            let slide = match step {
                0 => -found.distance * random.f64(),
                1 => -found.distance + 1e-6 * pair.size(),
                2 => pair.size() * random.f64(),
                _ => pair.scale() * 10.0 * random.f64(),
            };
            let pose_b = Pose::new(pair.pose_b.position + along * slide, pair.pose_b.rotation);
            let moved = Pair::new(pair.a, pair.pose_a, pair.b, pose_b);
            let context = || format!("slid by {slide:e}, first {found:?}\n      {}", moved.recipe());
            let Some(after) = gap(&moved) else {
                tally.fail(&format!("{name} lost"), context);
                continue;
            };
            // What both answers leave open, by their own words.
            let open = known + (found.upper - found.lower) + (after.upper - after.lower);
            let error = ((after.distance - found.distance - slide).abs() - open).max(0.0) / moved.scale();
            tally.error(name, "error beyond the bounds", error, context);
            tally.error(name, "width of the bounds", (after.upper - after.lower) / moved.scale(), context);
            if error > 1e-12 {
                tally.fail(&format!("{name} slid"), || format!("{error:e}: {after:?} {}", context()));
            }
        }
        // Through contact: the line frees them with what they were slid too far, and the points that met are as far
        // apart.
        let deep = 1e-3 * pair.size();
        let pose_b = Pose::new(pair.pose_b.position - along * (found.distance + deep), pair.pose_b.rotation);
        let after = query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pose_b).unwrap();
        let moved = Pair::new(pair.a, pair.pose_a, pair.b, pose_b);
        let error = (after.depth.abs() - deep - known).max(0.0) / pair.size();
        tally.error(name, "through contact", error, || format!("{deep:e} {after:?}\n      {}", moved.recipe()));
        if error > DEPTH_BAR {
            tally.fail(&format!("{name} through contact"), || format!("{deep:e} {after:?}\n      {}", moved.recipe()));
        }
    });
    tally.conclude("slid along the normal");
}

/// Wolfe's minimum-norm point, from nothing that the library says.
#[test]
fn distances_are_those_of_the_nearest_point_of_the_difference() {
    let mut tally = Tally::default();
    each_case(62, 1_000, |name, setting, pair, _| {
        let truth = minimum_norm::distance(pair, 1e-13 * pair.scale());
        if truth.lower <= 0.0 {
            return tally.count(name, "no gap");
        }
        if truth.upper - truth.lower > 1e-12 * pair.scale() {
            return tally.count(name, "the oracle gave up");
        }
        let found = query::distance(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b).unwrap();
        let error = (found.value() - truth.upper).max(truth.lower - found.value()).max(0.0) / pair.scale();
        let context = || format!("{setting:?}: {truth:?} {found:?}\n      {}", pair.recipe());
        tally.error(name, "error", error, context);
        if error > 2e-12 {
            tally.fail(&format!("{name} distance"), context);
        }
    });
    let (given_up, judged) = (tally.total("the oracle gave up"), tally.total("error"));
    tally.conclude("nearest point of the difference");
    assert!(given_up * 20 <= judged, "the oracle gave up on {given_up} of {judged}");
}

/// Two points that are inside coincide: a proof of overlap. A plane between: a proof of separation.
#[test]
fn certified_yes_and_no() {
    let mut tally = Tally::default();
    each_case(63, 6_000, |name, _, pair, random| {
        let size = pair.size();
        let overlap = |pose_b: &Pose| query::overlap(&pair.a.shape, &pair.pose_a, &pair.b.shape, pose_b);
        let common = pair.turned_a() * pair.a.inner_point(random) - pair.turned_b() * pair.b.inner_point(random);
        let pose_b = Pose::new(common, pair.pose_b.rotation);
        let context = |pose_b: Pose| move || Pair::new(pair.a, pair.pose_a, pair.b, pose_b).recipe();
        tally.count(name, "yes");
        if overlap(&pose_b) != Ok(true) {
            tally.fail(&format!("{name} wrong no"), context(pose_b));
        }
        let along = cube(random).normalize();
        let apart = -pair.gap(along) + 1.1e-5 * size + 1e-12 * pair.scale();
        let aside = cube(random) * size;
        let shift = along * apart + (aside - along * along.dot(aside));
        let pose_b = Pose::new(pair.pose_b.position + shift, pair.pose_b.rotation);
        tally.count(name, "no");
        if overlap(&pose_b) != Ok(false) {
            tally.fail(&format!("{name} wrong yes"), context(pose_b));
        }
    });
    tally.conclude("certified yes and no");
}

/// Traced, cached and plain questions have one answer.
#[test]
fn traced_and_cached_answers_are_the_plain_ones() {
    let mut tally = Tally::default();
    each_case(64, 300, |name, setting, pair, random| {
        let (a, b) = (&pair.a.shape, &pair.b.shape);
        let context = || format!("{setting:?}\n      {}", pair.recipe());
        let plain = query::distance(a, &pair.pose_a, b, &pair.pose_b).unwrap();
        let mut trace = Trace::default();
        let traced = carom::gjk::distance_traced(a, &pair.pose_a, b, &pair.pose_b, &mut trace).unwrap();
        if traced != plain {
            tally.fail(&format!("{name} traced distance"), context);
        }
        if trace.gjk.iter().any(|step| step.upper.is_nan() || step.lower.is_nan() || !step.support.is_finite()) {
            tally.fail(&format!("{name} trace"), context);
        }
        let deep = query::penetration(a, &pair.pose_a, b, &pair.pose_b).unwrap();
        let traced = carom::gjk::penetration_traced(a, &pair.pose_a, b, &pair.pose_b, &mut Trace::default()).unwrap();
        if traced != deep {
            tally.fail(&format!("{name} traced penetration"), context);
        }
        tally.count(name, "traced");
        // Along a path, from a cache that another place has filled.
        let mut cache = PairCache::default();
        let mut place = pair.pose_b.position;
        for _ in 0..4 {
            let pose_b = Pose::new(place, pair.pose_b.rotation);
            let kept = query::distance_cached(a, &pair.pose_a, b, &pose_b, &mut cache).unwrap();
            let fresh = query::distance(a, &pair.pose_a, b, &pose_b).unwrap();
            let open = fresh.upper() - fresh.lower() + kept.upper() - kept.lower();
            let error = ((kept.value() - fresh.value()).abs() - open).max(0.0) / pair.scale();
            let moved = Pair::new(pair.a, pair.pose_a, pair.b, pose_b);
            tally.error(name, "cached", error, context);
            if error > 1e-12 {
                tally.fail(&format!("{name} cached"), || format!("{kept:?} {fresh:?}\n      {}", moved.recipe()));
            }
            place += cube(random) * pair.size() * [0.01, 1.0][random.usize(0..2)];
        }
    });
    tally.conclude("traced and cached");
}
