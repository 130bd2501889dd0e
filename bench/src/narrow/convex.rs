//! Distances and overlaps of convex pairs: `distance/<pair>/<pose>`, `overlap/<pair>/<pose>`, and `warm/<pair>/distance`
//! for the distance along a path, from where the last search ended.
//!
//! Each case goes through some hundred random poses, so that no branch can be learnt from one. Parry is called the way
//! that is fastest for it: its own functions for balls and boxes, its generic dispatch for the rest.

use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows, clouds};
use carom::glam::{DVec3, Quat, Vec3};
use carom::prelude::{Pose, Shape, query};
use carom::query::{Distance, PairCache};
use fastrand::Rng;
use parry3d::math::{Pose as PeerPose, Vector};
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape as PeerShape};
use std::hint::black_box;

const COUNT: usize = 400;

pub(super) struct Pair {
    pub(super) name: &'static str,
    pub(super) ours: Shape,
    pub(super) peer: Box<dyn PeerShape>,
    /// How far apart the middles are when the shapes are near, far and deep.
    distances: [f64; 3],
    /// By how much the peer's distances may be off from the bounds that ours prove; more is an error. The shapes reach about
    /// 1. Those of parry are f32, and of hulls and of capsules that nearly touch off by up to half a hundredth.
    agreement: f64,
}

fn hull(name: &'static str, count: usize) -> Result<Pair, String> {
    let points = clouds::sphere(count);
    let ours = Shape::hull(&points).map_err(|error| error.to_string())?;
    let peer_points: Vec<Vector> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
    let peer = ConvexPolyhedron::from_convex_hull(&peer_points).ok_or("parry finds no hull")?;
    Ok(Pair { name, ours, peer: Box::new(peer), distances: [2.1, 6.0, 1.0], agreement: 1e-2 })
}

pub(super) fn pairs() -> Result<Vec<Pair>, String> {
    let fault = |error: carom::prelude::ShapeError| error.to_string();
    let up = Vector::new(0.0, 0.5, 0.0);
    Ok(vec![
        Pair {
            name: "sphere",
            ours: Shape::sphere(1.0).map_err(fault)?,
            peer: Box::new(Ball::new(1.0)),
            distances: [2.1, 6.0, 1.0],
            agreement: 1e-5,
        },
        Pair {
            name: "box",
            ours: Shape::cuboid(0.6, 0.5, 0.7).map_err(fault)?,
            peer: Box::new(Cuboid::new(Vector::new(0.6, 0.5, 0.7))),
            distances: [1.9, 6.0, 0.7],
            agreement: 1e-4,
        },
        Pair {
            name: "capsule",
            ours: Shape::capsule(0.5, 0.5).map_err(fault)?,
            peer: Box::new(Capsule::new(-up, up, 0.5)),
            distances: [1.9, 6.0, 0.8],
            agreement: 1e-2,
        },
        hull("hull32", 32)?,
        hull("hull256", 256)?,
    ])
}

pub(super) fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let inside = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        if (0.01..1.0).contains(&inside.length_squared()) {
            return inside.normalize();
        }
    }
}

pub(super) fn rotation(rng: &mut Rng) -> Quat {
    Quat::from_xyzw(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.499).normalize()
}

pub(super) fn to_peer(pose: &Pose) -> PeerPose {
    let (p, r) = (pose.position.as_vec3(), pose.rotation);
    PeerPose::from_parts(Vector::new(p.x, p.y, p.z), parry3d::math::Rotation::from_xyzw(r.x, r.y, r.z, r.w))
}

type Poses = Vec<[Pose; 2]>;

fn poses(pair: &Pair, which: usize) -> Poses {
    let mut rng = Rng::with_seed(1 + which as u64);
    (0..COUNT)
        .map(|_| {
            let place = DVec3::new(rng.f64(), rng.f64(), rng.f64());
            let apart = direction(&mut rng) * pair.distances[which] * (0.9 + 0.2 * rng.f64());
            let narrowed = (place + apart).as_vec3().as_dvec3();
            let place = place.as_vec3().as_dvec3();
            [Pose::new(place, rotation(&mut rng)), Pose::new(narrowed, rotation(&mut rng))]
        })
        .collect()
}

/// A path of the second shape around the first: one degree and one hundredth of its size a step.
fn path(pair: &Pair) -> Poses {
    let axis = Vec3::new(1.0, 2.0, 3.0).normalize();
    (0..COUNT)
        .map(|step| {
            let angle = step as f32 * 1f32.to_radians();
            let out = pair.distances[0] + 0.2;
            let place =
                DVec3::new(f64::from(angle).cos() * out, 0.01 * f64::from(angle).sin(), f64::from(angle).sin() * out);
            [Pose::IDENTITY, Pose::new(place.as_vec3().as_dvec3(), Quat::from_axis_angle(axis, angle))]
        })
        .collect()
}

/// Both sides of a row and the check that they agree.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    for pair in pairs()? {
        for (which, pose) in ["near", "far", "deep"].into_iter().enumerate() {
            let case = format!("distance/{}/{pose}", pair.name);
            if case.starts_with(only) {
                rows.push(distance_row(effort, case, &pair, &poses(&pair, which))?);
            }
            let case = format!("overlap/{}/{pose}", pair.name);
            if case.starts_with(only) {
                rows.push(overlap_row(effort, case, &pair, &poses(&pair, which))?);
            }
        }
        let case = format!("warm/{}/distance", pair.name);
        if case.starts_with(only) {
            rows.push(warm_row(effort, case, &pair)?);
        }
    }
    Ok(rows)
}

/// A touch may be seen either way up to this depth or gap.
const TOUCH: f64 = 1e-2;

/// How far a distance is out of proven bounds.
fn beyond(proven: &Distance, distance: f32) -> f64 {
    (proven.lower() - f64::from(distance)).max(f64::from(distance) - proven.upper()).max(0.0)
}

fn distance_row(effort: Effort, case: String, pair: &Pair, poses: &Poses) -> Result<Row, String> {
    let peer_poses: Vec<[PeerPose; 2]> = poses.iter().map(|poses| [to_peer(&poses[0]), to_peer(&poses[1])]).collect();
    let peer = pair.peer.as_ref();
    let mut worst: f64 = 0.0;
    let mut refused = 0;
    for (poses, peer_poses) in poses.iter().zip(&peer_poses) {
        let ours = query::distance(&pair.ours, &poses[0], &pair.ours, &poses[1]).map_err(|error| error.to_string())?;
        match parry3d::query::distance(&peer_poses[0], peer, &peer_poses[1], peer) {
            Ok(theirs) => worst = worst.max(beyond(&ours, theirs.distance)),
            Err(_) => refused += 1,
        }
    }
    if worst > pair.agreement {
        return Err(format!("{case}: the peer's distance is off by {worst}"));
    }
    let run_ours = || {
        for poses in poses {
            let _ = black_box(query::distance(black_box(&pair.ours), &poses[0], black_box(&pair.ours), &poses[1]));
        }
    };
    let run_peer = || {
        for poses in &peer_poses {
            let _ = black_box(parry3d::query::distance(&poses[0], black_box(peer), &poses[1], black_box(peer)));
        }
    };
    let times = compare(effort, COUNT, run_ours, (refused == 0).then_some(run_peer));
    Ok(Row::new(
        AREA,
        case,
        PEER,
        times,
        format!("the peer is off by {worst:.0e} at most of what is proven; up to {:.0e} is let pass", pair.agreement),
    ))
}

fn overlap_row(effort: Effort, case: String, pair: &Pair, poses: &Poses) -> Result<Row, String> {
    let peer_poses: Vec<[PeerPose; 2]> = poses.iter().map(|poses| [to_peer(&poses[0]), to_peer(&poses[1])]).collect();
    let peer = pair.peer.as_ref();
    let mut overlaps = 0;
    let mut refused = 0;
    for (poses, peer_poses) in poses.iter().zip(&peer_poses) {
        let ours = query::overlap(&pair.ours, &poses[0], &pair.ours, &poses[1]).map_err(|error| error.to_string())?;
        overlaps += usize::from(ours);
        match parry3d::query::intersection_test(&peer_poses[0], peer, &peer_poses[1], peer) {
            Ok(theirs) if theirs.intersecting == ours => {}
            Ok(_) => {
                // Only a touch may be seen differently.
                let found = query::penetration(&pair.ours, &poses[0], &pair.ours, &poses[1]);
                let depth = found.map_err(|error| error.to_string())?.depth;
                if depth.abs() > TOUCH {
                    return Err(format!("{case}: the peer disagrees at a depth of {depth}"));
                }
            }
            Err(_) => refused += 1,
        }
    }
    let run_ours = || {
        for poses in poses {
            let _ = black_box(query::overlap(black_box(&pair.ours), &poses[0], black_box(&pair.ours), &poses[1]));
        }
    };
    let run_peer = || {
        for poses in &peer_poses {
            let _ =
                black_box(parry3d::query::intersection_test(&poses[0], black_box(peer), &poses[1], black_box(peer)));
        }
    };
    let times = compare(effort, COUNT, run_ours, (refused == 0).then_some(run_peer));
    Ok(Row::new(AREA, case, PEER, times, format!("{overlaps} of {COUNT} overlap")))
}

/// Parry's distance has no memory between calls, so its time is that from cold.
fn warm_row(effort: Effort, case: String, pair: &Pair) -> Result<Row, String> {
    let poses = path(pair);
    let peer_poses: Vec<[PeerPose; 2]> = poses.iter().map(|poses| [to_peer(&poses[0]), to_peer(&poses[1])]).collect();
    let peer = pair.peer.as_ref();
    let shape = &pair.ours;
    let mut cache = PairCache::default();
    let mut worst: f64 = 0.0;
    for (poses, peer_poses) in poses.iter().zip(&peer_poses) {
        let error = |error: query::QueryError| error.to_string();
        let warm = query::distance_cached(shape, &poses[0], shape, &poses[1], &mut cache).map_err(error)?;
        let cold = query::distance(shape, &poses[0], shape, &poses[1]).map_err(error)?;
        if (warm.value() - cold.value()).abs() > 1e-9 {
            return Err(format!("{case}: {warm:?} with a kept start, {cold:?} without"));
        }
        let theirs = parry3d::query::distance(&peer_poses[0], peer, &peer_poses[1], peer);
        worst = worst.max(beyond(&cold, theirs.map_err(|error| error.to_string())?.distance));
    }
    if worst > pair.agreement {
        return Err(format!("{case}: the peer's distance is off by {worst}"));
    }
    let run_ours = || {
        let mut cache = PairCache::default();
        for poses in &poses {
            let _ = black_box(query::distance_cached(black_box(shape), &poses[0], shape, &poses[1], &mut cache));
        }
    };
    let run_peer = || {
        for poses in &peer_poses {
            let _ = black_box(parry3d::query::distance(&poses[0], black_box(peer), &poses[1], black_box(peer)));
        }
    };
    let times = compare(effort, COUNT, run_ours, Some(run_peer));
    Ok(Row::new(AREA, case, PEER, times, format!("the peer keeps nothing, and is off by {worst:.0e} at most")))
}
