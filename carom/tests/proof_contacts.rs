//! Contacts of all 28 pairs: as deep as the pair is, along a normal that frees it with as much, with points between the
//! two surfaces, there when the shapes are nearer than the margin and not when they are farther.
//!
//! The depth is judged by supports (the normal must free the pair with it) and against `query::penetration`, which
//! `proof_matrix` and `proof_depth` judge. Poses are exact in f32, so that both see the same pair. Prints the cases and
//! the worst errors by pair, as shares of the smaller solid's size; `CAROM_CASES=n` runs n times as many.

mod proof_support;
mod random;

use carom::narrow::{LocalManifold, PairCache, contact, contact_cached};
use carom::pose::{LocalPose, Pose};
use carom::query;
use fastrand::Rng;
use proof_support::judge::{DEPTH_BAR, DISTANCE_BAR};
use proof_support::pair::Pair;
use proof_support::poses::{SETTINGS, Setting, Stock, place};
use proof_support::solids::{KINDS, pairs_of_kinds};
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted};
use random::vector;

/// How far a contact point may be from the surfaces, as a share of the smaller size and the depth.
const POINT_BAR: f64 = 3e-3;

/// The same pair in the frame of the first solid, its pose rounded to f32.
fn narrowed<'a>(pair: &Pair<'a>) -> (Pair<'a>, LocalPose) {
    let local = Pose::b_in_a(&pair.pose_a, &pair.pose_b);
    (Pair::new(pair.a, Pose::IDENTITY, pair.b, Pose::new(local.position.as_dvec3(), local.rotation)), local)
}

fn judge(tally: &mut Tally, name: &str, setting: Setting, pair: &Pair<'_>, margin: f32, found: &Option<LocalManifold>) {
    let size = pair.size();
    let truth = query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b).unwrap();
    let context = || format!("{setting:?}, margin {margin:e}: {found:?}\n      {truth:?}\n      {}", pair.recipe());
    let Some(manifold) = found else {
        tally.count(name, "none");
        if truth.depth > -f64::from(margin) + DISTANCE_BAR * size {
            tally.fail(&format!("{name} missing"), context);
        }
        return;
    };
    let contacts = manifold.contacts();
    if !(1..=4).contains(&contacts.len()) || !manifold.normal.is_finite() {
        return tally.fail(&format!("{name} manifold"), context);
    }
    let deepest = contacts.iter().map(|contact| f64::from(contact.depth)).fold(f64::NEG_INFINITY, f64::max);
    // Depths and normals have the digits of f32: next to a large solid that is much for a small one.
    let narrowed = 3e-7 * pair.scale();
    let least = -f64::from(margin) - DISTANCE_BAR * size - narrowed;
    if deepest < least || truth.depth < least {
        tally.fail(&format!("{name} beyond the margin"), context);
    }
    let error = ((deepest - truth.depth).abs() - narrowed).max(0.0) / (size + deepest.abs());
    let freed = -pair.gap(manifold.normal.as_dvec3().normalize());
    tally.error(name, "depth", error, context);
    if error > DEPTH_BAR {
        tally.fail(&format!("{name} depth"), context);
    }
    let error = ((freed - truth.depth).abs() - narrowed).max(0.0) / (size + deepest.abs());
    tally.error(name, "normal", error, context);
    if error > DEPTH_BAR {
        tally.fail(&format!("{name} normal"), context);
    }
    for contact in contacts {
        // Half way between the surfaces: each is at half of the depth from it.
        let point = contact.point.as_dvec3();
        let half = manifold.normal.as_dvec3() * (0.5 * f64::from(contact.depth));
        let off = pair.outside(point + half)[0].max(pair.outside(point - half)[1]);
        let error = (off - narrowed).max(0.0) / (size + deepest.abs());
        tally.error(name, "points", error, context);
        if error > POINT_BAR {
            // `contact_points_are_where_the_boxes_touch` and its like in proof_regressions.rs.
            tally.fail(&format!("{name} points"), context);
        }
    }
}

fn each_case(seed: u64, usual: usize, mut check: impl FnMut(&str, Setting, &Pair<'_>, &LocalPose, &mut Rng)) {
    let stock = Stock::new(&KINDS, 48);
    for kinds in pairs_of_kinds() {
        let name = format!("{}/{}", kinds[0].name(), kinds[1].name());
        let mut random = Rng::with_seed(seed);
        for case in 0..if is_wanted(&name) { cases(usual) } else { 0 } {
            let [a, b] = stock.pick(&mut random, kinds);
            let setting = SETTINGS[case % SETTINGS.len()];
            let (pair, _) = place(&mut random, setting, a, b);
            let (pair, local) = narrowed(&pair);
            check(&name, setting, &pair, &local, &mut random);
        }
    }
}

#[test]
fn contacts_are_as_deep_as_the_pair() {
    let mut tally = Tally::default();
    each_case(81, 3_000, |name, setting, pair, local, random| {
        let margin = [0.0, 0.02, 0.3][random.usize(0..3)] * pair.size() as f32;
        tally.count(name, "cases");
        match contact(&pair.a.shape, &pair.b.shape, local, margin) {
            Ok(found) => judge(&mut tally, name, setting, pair, margin, &found),
            Err(error) => tally.fail(&format!("{name} refused"), || format!("{error} {}", pair.recipe())),
        }
    });
    tally.conclude("contacts");
}

/// Small steps with a cache: the answer is the one without it, to within the documented 3e-4 of motion.
#[test]
fn cached_contacts_are_as_deep_as_fresh_ones() {
    let mut tally = Tally::default();
    each_case(82, 400, |name, setting, pair, local, random| {
        let margin = 0.02 * pair.size() as f32;
        let mut cache = PairCache::default();
        let mut pose = *local;
        for _ in 0..6 {
            let found = contact_cached(&pair.a.shape, &pair.b.shape, &pose, margin, &mut cache).unwrap();
            let placed = Pose::new(pose.position.as_dvec3(), pose.rotation);
            let truth = query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, &placed).unwrap().depth;
            let contacts = found.iter().flat_map(|manifold| manifold.contacts());
            let deepest = contacts.map(|contact| f64::from(contact.depth)).fold(f64::NEG_INFINITY, f64::max);
            let (deepest, expected) = (deepest.max(f64::from(-margin)), truth.max(f64::from(-margin)));
            let error = ((deepest - expected).abs() - 3e-7 * pair.scale()).max(0.0) / pair.size();
            let moved = Pair::new(pair.a, pair.pose_a, pair.b, placed);
            let context = || format!("{setting:?}: {truth:e} {found:?}\n      {}", moved.recipe());
            tally.error(name, "depth", error, context);
            if error > 5e-4 {
                tally.fail(&format!("{name} cached depth"), context);
            }
            let step = [0.0, 1e-5, 1e-4, 1e-3, 0.05][random.usize(0..5)] * pair.size() as f32;
            pose.position += vector(random, step);
        }
    });
    tally.conclude("contacts with a cache");
}
