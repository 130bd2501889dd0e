//! Contacts of all 28 pairs: as deep as the pair is, along a normal that frees it with as much, with points between the
//! two surfaces, there when the shapes are nearer than the margin and not when they are farther.
//!
//! The depth is judged by supports (the normal must free the pair with it), against `query::penetration`, which
//! `proof_matrix` and `proof_depth` judge, and in one case of fifty by a search of all directions for one that frees with
//! less. Poses are exact in f32, so that both see the same pair. Prints the cases and the worst errors by pair, as shares of
//! the size: the radius of the ball around the smaller solid's origin, or a 10,000th of that around the larger one if that is
//! more. `CAROM_CASES=n` runs n times as many.

mod proof_support;
mod random;

use carom::glam::{Quat, Vec3};
use carom::narrow::{LocalManifold, PairCache, contact, contact_cached};
use carom::pose::{LocalPose, Pose};
use carom::prelude::{Body, World};
use carom::query;
use carom::shape::Shape;
use fastrand::Rng;
use proof_support::directions::{Outcome, prove_depth};
use proof_support::judge::{DEPTH_BAR, DISTANCE_BAR};
use proof_support::pair::Pair;
use proof_support::poses::{SETTINGS, Setting, Stock, place};
use proof_support::solids::{KINDS, Solid, pairs_of_kinds};
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted};
use random::{cube, vector};

/// How far a contact point may be from the surfaces, as a share of the size. Points beside the deepest are where patches of
/// curved solids are clipped, whose rims are polygons: 1.3e-3 was seen, of a cone on a hull.
const POINT_BAR: f64 = 2e-3;

/// A depth is told in f32: so many of its last digits, as a share of it, may be lost.
const DIGITS: f64 = 5e-7;

/// What is kept during a motion is off by twice as much at the most: as the pair moves, its depth changes by no more than
/// the motion, and so does the depth along a normal that is kept, which another may undercut by now.
const KEPT_BAR: f64 = 2.0 * 3e-4;

/// In a world the motion may be 1 % of the smaller part's reach, which is up to √2 of the size. 6e-3 was seen.
const WORLD_BAR: f64 = 2.0 * 0.01 * 1.42;

/// Of what errors are a share.
fn size_of(pair: &Pair<'_>) -> f64 {
    pair.size().max(1e-4 * pair.a.size.max(pair.b.size))
}

/// The same pair in the frame of the first solid, its pose rounded to f32.
fn narrowed<'a>(pair: &Pair<'a>) -> (Pair<'a>, LocalPose) {
    let local = Pose::b_in_a(&pair.pose_a, &pair.pose_b);
    (Pair::new(pair.a, Pose::IDENTITY, pair.b, Pose::new(local.position.as_dvec3(), local.rotation)), local)
}

fn judge(tally: &mut Tally, name: &str, setting: Setting, pair: &Pair<'_>, margin: f32, found: &Option<LocalManifold>) {
    let size = size_of(pair);
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
    let deepest = deepest(manifold);
    // Depths and normals have the digits of f32: next to a large solid that is much for a small one.
    let narrowed = 3e-7 * pair.scale();
    // And the faces of hulls, which are flat to f32 only.
    let is_hull = |solid: &Solid| matches!(solid.shape, Shape::Hull(_));
    let flatness = if is_hull(pair.a) || is_hull(pair.b) { 2e-8 * pair.scale() } else { 0.0 };
    let digits = DIGITS * deepest.abs() + flatness;
    let least = -f64::from(margin) - DISTANCE_BAR * size - narrowed;
    if deepest < least || truth.depth < least {
        tally.fail(&format!("{name} beyond the margin"), context);
    }
    let error = ((deepest - truth.depth).abs() - digits).max(0.0) / size;
    let freed = -pair.gap(manifold.normal.as_dvec3().normalize());
    tally.error(name, "depth", error, context);
    if error > DEPTH_BAR {
        tally.fail(&format!("{name} depth"), context);
    }
    let error = ((freed - truth.depth).abs() - narrowed).max(0.0) / size;
    tally.error(name, "normal", error, context);
    if error > DEPTH_BAR {
        tally.fail(&format!("{name} normal"), context);
    }
    for contact in contacts {
        // Half way between the surfaces: each is at half of the depth from it.
        let point = contact.point.as_dvec3();
        let half = manifold.normal.as_dvec3() * (0.5 * f64::from(contact.depth));
        let off = pair.outside(point + half)[0].max(pair.outside(point - half)[1]);
        let error = (off - narrowed).max(0.0) / size;
        tally.error(name, "points", error, context);
        if error > POINT_BAR {
            // `contact_points_are_where_the_boxes_touch` and its like in proof_regressions.rs.
            tally.fail(&format!("{name} points"), context);
        }
    }
}

fn deepest(manifold: &LocalManifold) -> f64 {
    manifold.contacts().iter().map(|contact| f64::from(contact.depth)).fold(f64::NEG_INFINITY, f64::max)
}

/// Whether no direction frees the pair with less than a contact says.
fn prove(tally: &mut Tally, name: &str, pair: &Pair<'_>, manifold: &LocalManifold) {
    let least = deepest(manifold) * (1.0 - DIGITS) - DEPTH_BAR * size_of(pair);
    if least <= 0.0 {
        return;
    }
    match prove_depth(pair, least, 30_000) {
        Outcome::Proven => tally.count(name, "proven by all directions"),
        Outcome::Unknown => tally.count(name, "not refuted"),
        Outcome::Refuted(along, freed) => tally.fail(&format!("{name} too deep"), || {
            format!("{along} frees with {freed:e}: {manifold:?}\n      {}", pair.recipe())
        }),
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
        let is_proven = tally.total("cases") % 50 == 0;
        match contact(&pair.a.shape, &pair.b.shape, local, margin) {
            Ok(found) => {
                judge(&mut tally, name, setting, pair, margin, &found);
                if let Some(manifold) = found.filter(|_| is_proven) {
                    prove(&mut tally, name, pair, &manifold);
                }
            }
            Err(error) => tally.fail(&format!("{name} refused"), || format!("{error} {}", pair.recipe())),
        }
    });
    tally.conclude("contacts");
}

/// Small steps with a cache: what is told is the depth along the normal that is told, and that is the least to within the
/// documented 3e-4 of motion.
#[test]
fn cached_contacts_are_as_deep_as_fresh_ones() {
    let mut tally = Tally::default();
    each_case(82, 400, |name, setting, pair, local, random| {
        let (size, margin) = (size_of(pair), 0.02 * pair.size() as f32);
        let mut cache = PairCache::default();
        let mut pose = *local;
        for _ in 0..6 {
            let found = contact_cached(&pair.a.shape, &pair.b.shape, &pose, margin, &mut cache).unwrap();
            let placed = Pose::new(pose.position.as_dvec3(), pose.rotation);
            let truth = query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, &placed).unwrap().depth;
            let contacts = found.iter().flat_map(|manifold| manifold.contacts());
            let deepest = contacts.map(|contact| f64::from(contact.depth)).fold(f64::NEG_INFINITY, f64::max);
            let moved = Pair::new(pair.a, pair.pose_a, pair.b, placed);
            let context = || format!("{setting:?}: {truth:e} {found:?}\n      {}", moved.recipe());
            // Points that are kept are in the frames of both, in f32.
            let narrowed = 3e-7 * pair.scale();
            let mut note = |column: &'static str, off: f64, bar: f64| {
                let error = (off.abs() - narrowed).max(0.0) / size;
                tally.error(name, column, error, context);
                if error > bar {
                    tally.fail(&format!("{name} {column}"), context);
                }
            };
            if let Some(manifold) = &found {
                let along_normal = -moved.gap(manifold.normal.as_dvec3().normalize());
                note("depth along the normal", deepest - along_normal, DEPTH_BAR);
            }
            let (deepest, expected) = (deepest.max(f64::from(-margin)), truth.max(f64::from(-margin)));
            note("least depth", deepest - expected, KEPT_BAR);
            let step = [0.0, 1e-5, 1e-4, 1e-3, 0.05][random.usize(0..5)] * pair.size() as f32;
            pose.position += vector(random, step);
        }
    });
    tally.conclude("contacts with a cache");
}

/// A world keeps points while a pair moves by up to 1 % of the smaller part's reach, and measures their depths anew along
/// the normal it has kept.
#[test]
fn the_worlds_contacts_are_as_deep_as_the_pair() {
    let mut tally = Tally::default();
    each_case(83, 240, |name, setting, pair, _, random| {
        let depth_of =
            |pose: &Pose| query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, pose).unwrap().depth;
        let size = size_of(pair);
        if !(1e-3..0.2).contains(&(depth_of(&pair.pose_b) / size)) {
            return;
        }
        let mut world = World::builder().gravity([0.0; 3]).sleeping(false).build().unwrap();
        world.add(Body::fixed().shape(pair.a.shape.clone())).unwrap();
        let moving = Body::dynamic().at(pair.pose_b.position).rotated(pair.pose_b.rotation);
        let moving = world.add(moving.shape(pair.b.shape.clone()).mass(1.0)).unwrap();
        let mut pose = pair.pose_b;
        for _ in 0..8 {
            let mut body = world.body_mut(moving).unwrap();
            body.set_pose(pose).unwrap();
            body.set_velocity(Vec3::ZERO).unwrap();
            body.set_angular_velocity(Vec3::ZERO).unwrap();
            world.step(1e-5).unwrap();
            let deepest =
                world.manifolds().map(|manifold| f64::from(manifold.deepest())).fold(f64::NEG_INFINITY, f64::max);
            let truth = depth_of(&pose);
            let moved = Pair::new(pair.a, pair.pose_a, pair.b, pose);
            let context = || format!("{setting:?}: {deepest:e} for {truth:e}\n      {}", moved.recipe());
            if truth > 0.0 {
                let error = ((deepest - truth).abs() - 3e-7 * pair.scale()).max(0.0) / size;
                tally.error(name, "depth", error, context);
                if error > WORLD_BAR {
                    tally.fail(&format!("{name} depth in the world"), context);
                }
            }
            let step = [0.0, 1e-4, 1e-3, 4e-3, 8e-3][random.usize(0..5)] * size;
            pose.position += cube(random) * (0.7 * step);
            if random.bool() {
                pose.rotation = (Quat::from_scaled_axis(vector(random, 0.4 * (step / pair.b.size) as f32))
                    * pose.rotation)
                    .normalize();
            }
        }
    });
    tally.conclude("contacts in a world");
}
