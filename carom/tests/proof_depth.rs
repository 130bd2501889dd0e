//! Depths are the least that frees: not only does the normal free the pair with them, no direction frees it with less.
//!
//! For polytopes the oracle is every face that the difference A - B can have, for boxes the 15 axes, and for all 28
//! pairs a search that does away with the whole sphere of directions (`proof_support::directions`). Prints the cases
//! and the worst errors by pair, as shares of the smaller solid's size. `CAROM_CASES=n` runs n times as many.

mod proof_support;
mod random;

use carom::glam::{DMat3, DVec3};
use carom::query::{self, Stop};
use fastrand::Rng;
use proof_support::directions::{Outcome, prove_depth};
use proof_support::judge::{BOUND_SLACK, DEPTH_BAR, DISTANCE_BAR};
use proof_support::pair::Pair;
use proof_support::poses::{SETTINGS, Setting, Stock, place};
use proof_support::solids::{Form, KINDS, Kind, Polytope, pairs_of_kinds};
use proof_support::tally::Tally;
use proof_support::{cases, faces, is_wanted};

const OVERLAPPING: [Setting; 4] = [Setting::Deep, Setting::Near, Setting::ParallelFaces, Setting::ParallelEdges];

/// How many triangles of directions a proof may look at.
const BUDGET: usize = 100_000;

fn name(kinds: [Kind; 2]) -> String {
    format!("{}/{}", kinds[0].name(), kinds[1].name())
}

/// Half of the extents of a box, from its corners.
fn half_extents(polytope: &Polytope) -> DVec3 {
    polytope.corners.iter().fold(DVec3::ZERO, |most, corner| most.max(*corner))
}

#[test]
fn boxes_are_as_deep_as_their_15_axes_say() {
    let stock = Stock::new(&[Kind::Cuboid], 96);
    let mut tally = Tally::default();
    let mut random = Rng::with_seed(51);
    for case in 0..cases(100_000) {
        let [a, b] = stock.pick(&mut random, [Kind::Cuboid; 2]);
        let (pair, _) = place(&mut random, SETTINGS[case % 6], a, b);
        let pair = pair.at_origin();
        let (Form::Polytope(form_a), Form::Polytope(form_b)) = (&a.form, &b.form) else { unreachable!() };
        let turns: [DMat3; 2] = [pair.turned_a(), pair.turned_b()];
        let widest = faces::fifteen_axes(half_extents(form_a), &turns[0], half_extents(form_b), &turns[1], pair.offset);
        let size = pair.size();
        let found = query::penetration(&a.shape, &pair.pose_a, &b.shape, &pair.pose_b).unwrap();
        let overlap = query::overlap(&a.shape, &pair.pose_a, &b.shape, &pair.pose_b);
        let context = || format!("widest gap {widest:e}, {overlap:?}, {found:?}\n      {}", pair.recipe());
        if widest.abs() > DISTANCE_BAR * size && overlap != Ok(widest < 0.0) {
            tally.fail("wrong yes or no", context);
        }
        if widest <= 0.0 {
            let error = (found.depth + widest).abs() / size;
            tally.error("box/box", "depth", error, context);
            if error > DEPTH_BAR {
                tally.fail("depth", context);
            }
        } else {
            // The axes tell that they are apart, not how far.
            tally.count("box/box", "apart");
            if found.depth > -widest + DISTANCE_BAR * size {
                tally.fail("apart", context);
            }
        }
    }
    tally.conclude("boxes by 15 axes");
}

#[test]
fn polytopes_are_as_deep_as_all_their_faces_say() {
    let mut tally = Tally::default();
    let counts = [
        ([Kind::Cuboid, Kind::Cuboid], 20_000),
        ([Kind::Cuboid, Kind::Hull32], 6_000),
        ([Kind::Hull32, Kind::Hull32], 2_500),
        ([Kind::Cuboid, Kind::Hull256], 2_000),
        ([Kind::Hull32, Kind::Hull256], 400),
        ([Kind::Hull256, Kind::Hull256], 100),
    ];
    let stock = Stock::new(&KINDS[..3], 48);
    for (kinds, usual) in counts {
        let name = name(kinds);
        let mut random = Rng::with_seed(52);
        for case in 0..if is_wanted(&name) { cases(usual) } else { 0 } {
            let [a, b] = stock.pick(&mut random, kinds);
            let (pair, _) = place(&mut random, OVERLAPPING[case % 4], a, b);
            let pair = pair.at_origin();
            let found = query::penetration(&a.shape, &pair.pose_a, &b.shape, &pair.pose_b).unwrap();
            let widest = faces::widest_gap(&pair).unwrap();
            let size = pair.size();
            let context = || format!("depth {:e}: {found:?}\n      {}", -widest, pair.recipe());
            if widest > 0.0 {
                tally.count(&name, "apart");
                if found.depth > -widest + DISTANCE_BAR * size {
                    tally.fail(&format!("{name} apart"), context);
                }
                continue;
            }
            let error = (found.depth + widest).abs() / size;
            tally.error(&name, "depth", error, context);
            if error > DEPTH_BAR {
                tally.fail(&format!("{name} depth"), context);
            }
            // Faces of hulls are flat to f32 only, and the oracle's normals with them.
            let slack = BOUND_SLACK * pair.scale() + 1e-7 * size;
            if found.lower > -widest + slack || found.upper < -widest - slack {
                tally.fail(&format!("{name} bounds"), context);
            }
        }
    }
    tally.conclude("polytopes by all faces");
}

/// Whether no direction frees a pair with less than what was found.
fn prove(tally: &mut Tally, name: &str, setting: Setting, pair: &Pair<'_>, shares: &[(f64, &'static str)]) {
    let found = query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b).unwrap();
    let size = pair.size();
    let context = |what: String| move || format!("{setting:?}: {what} {found:?}\n      {}", pair.recipe());
    if found.stop == Stop::IterationLimit {
        tally.count(name, "at the limit");
    }
    if found.depth <= DEPTH_BAR * size {
        return tally.count(name, "shallow or apart");
    }
    for &(share, column) in shares {
        match prove_depth(pair, found.depth - share * size, BUDGET) {
            Outcome::Proven => return tally.count(name, column),
            Outcome::Refuted(along, freed) if share == DEPTH_BAR => {
                let error = (found.depth - freed) / size;
                let what = format!("{along} frees with {freed:e}, less by {error:e} of the size:");
                return tally.fail(&format!("{name} depth"), context(what));
            }
            Outcome::Refuted(along, freed) => {
                let what = format!("{along} frees with {freed:e}");
                tally.error(name, "off by more than 1e-5", (found.depth - freed) / size, context(what));
            }
            Outcome::Unknown => {}
        }
    }
    tally.count(name, "not proven");
}

#[test]
fn no_direction_frees_with_less() {
    let mut tally = Tally::default();
    let stock = Stock::new(&KINDS, 48);
    for kinds in pairs_of_kinds() {
        let name = name(kinds);
        let mut random = Rng::with_seed(53);
        for case in 0..if is_wanted(&name) { cases(400) } else { 0 } {
            let [a, b] = stock.pick(&mut random, kinds);
            let setting = OVERLAPPING[case % 4];
            let (pair, _) = place(&mut random, setting, a, b);
            // To a tenth of the bar in a tenth of the cases, which costs as much as the rest.
            let shares = [(0.1 * DEPTH_BAR, "proven to 1e-5"), (DEPTH_BAR, "proven to 1e-4")];
            let shares = &shares[usize::from(case / 4 % 10 > 0)..];
            prove(&mut tally, &name, setting, &pair.at_origin(), shares);
        }
    }
    let (not_proven, proven) = (tally.total("not proven"), tally.total("proven to 1e-4"));
    tally.conclude("no direction frees with less");
    assert!(not_proven * 50 <= proven, "the oracle gave up on {not_proven} cases and proved {proven}");
}
