//! carom and parry3d-f64 asked for the same distances, yes or no and depths; where they disagree, the oracle of carom's
//! own tests says who is right. `cargo test --release --test second_opinion -- --nocapture` prints agreements and
//! disagreements by pair; `CAROM_CASES=n` runs n times as many cases. parry has no ellipsoid.

#[path = "../../carom/tests/proof_support/mod.rs"]
mod proof_support;
#[path = "../../carom/tests/random/mod.rs"]
mod random;

use carom::prelude::{Pose, Quat, Vec3, query};
use fastrand::Rng;
use parry3d_f64::math::{Pose as PeerPose, Rotation, Vector};
use parry3d_f64::shape::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Shape as PeerShape};
use proof_support::directions::{Outcome, prove_depth};
use proof_support::judge::{DEPTH_BAR, DISTANCE_BAR};
use proof_support::pair::Pair;
use proof_support::poses::{SETTINGS, Setting, place};
use proof_support::solids::{Form, KINDS, Kind, Solid, pairs_of_kinds};
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted, minimum_norm};

/// What both must agree on, as a share of the smaller size.
const AGREEMENT: f64 = 1e-6;

/// The same solid for the peer; none if it has no such shape or finds no hull.
fn to_peer(kind: Kind, solid: &Solid) -> Option<Box<dyn PeerShape>> {
    Some(match &solid.form {
        Form::Polytope(polytope) if kind == Kind::Cuboid => {
            let half = polytope.corners.iter().fold(carom::glam::DVec3::ZERO, |most, corner| most.max(*corner));
            Box::new(Cuboid::new(Vector::new(half.x, half.y, half.z)))
        }
        Form::Polytope(polytope) => {
            let points: Vec<Vector> =
                polytope.corners.iter().map(|corner| Vector::new(corner.x, corner.y, corner.z)).collect();
            Box::new(ConvexPolyhedron::from_convex_hull(&points)?)
        }
        Form::Capsule(half, radius) => {
            Box::new(Capsule::new(Vector::new(0.0, -half, 0.0), Vector::new(0.0, *half, 0.0), *radius))
        }
        Form::Cylinder(half, radius) => Box::new(Cylinder::new(*half, *radius)),
        Form::Cone(half, radius) => Box::new(Cone::new(*half, *radius)),
        Form::Ellipsoid(_) => return None,
    })
}

fn pose_to_peer(pose: &Pose) -> PeerPose {
    let turn = pose.rotation.as_dquat().normalize();
    let place = Vector::new(pose.position.x, pose.position.y, pose.position.z);
    PeerPose::from_parts(place, Rotation::from_xyzw(turn.x, turn.y, turn.z, turn.w))
}

struct Both {
    ours: Solid,
    peer: Box<dyn PeerShape>,
}

/// The sizes of the solids against each other.
const RATIOS: [f32; 6] = [1.0, 1.0, 0.3, 0.1, 1e-2, 1e-4];

fn stock(kind: Kind) -> Vec<Both> {
    let solids = (0..48).map(|seed| Solid::random(kind, seed, RATIOS[(seed / 4) as usize % RATIOS.len()]));
    solids.filter_map(|ours| Some(Both { peer: to_peer(kind, &ours)?, ours })).collect()
}

/// Yes or no. Where the two differ and it is not a mere touch, the widest gap tells or a depth that no direction undercuts.
fn overlaps(tally: &mut Tally, name: &str, setting: Setting, pair: &Pair<'_>, theirs: Option<bool>) {
    let size = pair.size();
    let ours = match query::overlap(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b) {
        Ok(ours) => ours,
        // A touch that it says itself it cannot tell.
        Err(query::QueryError::Undecided { upper }) if upper <= DISTANCE_BAR * size => {
            return tally.count(name, "undecided about a touch");
        }
        Err(error) => return tally.fail(&format!("{name} overlap refused"), || format!("{error} {}", pair.recipe())),
    };
    let Some(theirs) = theirs else { return tally.count(name, "yes or no refused by the peer") };
    if ours == theirs {
        return tally.count(name, if ours { "both yes" } else { "both no" });
    }
    let context = || format!("{setting:?}: ours {ours}, theirs {theirs}\n      {}", pair.recipe());
    let apart = minimum_norm::distance(pair, 1e-13 * pair.scale()).lower;
    let is_deep = || apart <= 0.0 && prove_depth(pair, DISTANCE_BAR * size, 30_000) == Outcome::Proven;
    match apart > DISTANCE_BAR * size {
        true if ours => tally.fail(&format!("{name} wrong yes"), context),
        true => tally.error(name, "yes or no: the peer is wrong", apart / size, context),
        false if !is_deep() => tally.count(name, "they differ about a touch"),
        false if ours => tally.error(name, "yes or no: the peer is wrong", DISTANCE_BAR, context),
        false => tally.fail(&format!("{name} wrong no"), context),
    }
}

fn compare(tally: &mut Tally, name: &str, setting: Setting, pair: &Pair<'_>, peer: [&dyn PeerShape; 2]) {
    let size = pair.size();
    let (pose_a, pose_b) = (pose_to_peer(&pair.pose_a), pose_to_peer(&pair.pose_b));
    let ours = query::distance(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b).unwrap().value();
    let theirs = match parry3d_f64::query::distance(&pose_a, peer[0], &pose_b, peer[1]) {
        Ok(theirs) => theirs.distance,
        Err(_) => return tally.count(name, "refused by the peer"),
    };
    tally.count(name, "cases");
    let theirs_overlap = parry3d_f64::query::intersection_test(&pose_a, peer[0], &pose_b, peer[1]);
    overlaps(tally, name, setting, pair, theirs_overlap.ok().map(|found| found.intersecting));
    let context = || format!("{setting:?}: ours {ours:e}, theirs {theirs:e}\n      {}", pair.recipe());
    if (ours - theirs).abs() > AGREEMENT * size || theirs.is_nan() {
        let truth = minimum_norm::distance(pair, 1e-13 * pair.scale());
        let off = |value: f64| (truth.lower.max(0.0) - value).max(value - truth.upper.max(0.0)).max(0.0) / size;
        if off(theirs) > 0.5 * AGREEMENT || theirs.is_nan() {
            tally.error(name, "distance: the peer is off", off(theirs), context);
        }
        if off(ours) > DISTANCE_BAR {
            tally.fail(&format!("{name} distance"), context);
        }
    }
    let Ok(ours) = query::penetration(&pair.a.shape, &pair.pose_a, &pair.b.shape, &pair.pose_b) else {
        return tally.fail(&format!("{name} no penetration"), context);
    };
    if ours.depth <= DEPTH_BAR * size {
        return;
    }
    tally.count(name, "deep");
    let theirs = match parry3d_f64::query::contact(&pose_a, peer[0], &pose_b, peer[1], 0.0) {
        Ok(Some(theirs)) => theirs,
        Ok(None) => return tally.error(name, "depth: the peer finds no contact", ours.depth / size, context),
        Err(_) => return tally.count(name, "contact refused by the peer"),
    };
    let n = theirs.normal1;
    let along = carom::glam::DVec3::new(n.x, n.y, n.z);
    let freed = along.try_normalize().map_or(f64::INFINITY, |along| -pair.gap(along));
    if freed < ours.depth - DEPTH_BAR * size {
        tally.fail(&format!("{name} depth: the peer's normal frees with {freed:e}"), || {
            format!("{ours:?} {}", context())
        });
    }
    let off = (freed - ours.depth).max(-theirs.dist - ours.depth).max(ours.depth + theirs.dist) / size;
    if off > DEPTH_BAR {
        tally.error(name, "depth: the peer is off", off, context);
    }
}

#[test]
fn parry_and_carom_agree_or_parry_is_wrong() {
    let stocks: Vec<Vec<Both>> = KINDS.iter().map(|kind| stock(*kind)).collect();
    let mut tally = Tally::default();
    for kinds in pairs_of_kinds() {
        let name = format!("{}/{}", kinds[0].name(), kinds[1].name());
        let [of_a, of_b] = kinds.map(|kind| &stocks[kind as usize]);
        let mut random = Rng::with_seed(101);
        let is_known = !of_a.is_empty() && !of_b.is_empty() && is_wanted(&name);
        for case in 0..if is_known { cases(3_000) } else { 0 } {
            let (a, b) = (&of_a[random.usize(0..of_a.len())], &of_b[random.usize(0..of_b.len())]);
            let setting = SETTINGS[case % SETTINGS.len()];
            let (pair, _) = place(&mut random, setting, &a.ours, &b.ours);
            compare(&mut tally, &name, setting, &pair.at_origin(), [a.peer.as_ref(), b.peer.as_ref()]);
        }
    }
    tally.conclude("second opinion");
}

/// The two sides mean the same by a pose and a shape.
#[test]
fn a_plain_pair_is_the_same_for_both() {
    let cube = Solid::of(carom::prelude::Shape::cuboid(1.0, 2.0, 3.0).unwrap(), String::new());
    let peer = to_peer(Kind::Cuboid, &cube).unwrap();
    let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let (pose_a, pose_b) = (Pose::IDENTITY, Pose::new(Vec3::new(5.0, 0.0, 0.0).as_dvec3(), turn));
    let theirs =
        parry3d_f64::query::distance(&pose_to_peer(&pose_a), peer.as_ref(), &pose_to_peer(&pose_b), peer.as_ref());
    assert!((theirs.unwrap().distance - 2.0).abs() < 1e-7);
    assert!((query::distance(&cube.shape, &pose_a, &cube.shape, &pose_b).unwrap().value() - 2.0).abs() < 1e-7);
}
