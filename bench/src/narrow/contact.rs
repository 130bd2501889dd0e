//! Contact manifolds from cold and warm, against parry3d: the same poses and the same margin on both sides.

use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows, clouds};
use carom::glam::{Quat, Vec3};
use carom::narrow::{PairCache, contact, contact_cached};
use carom::pose::{LocalPose, Pose};
use carom::query;
use carom::shape::Shape;
use fastrand::Rng;
use parry3d::math::{Pose as PeerPose, Rotation, Vector};
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape as PeerShape};
use std::hint::black_box;

/// Poses per row, cycled through so that no branch predictor learns one.
const POSES: usize = 256;
/// Frames of a warm pair.
const FRAMES: usize = 16;
const MARGIN: f32 = 0.05;

struct Kind {
    name: &'static str,
    ours: Shape,
    peer: Box<dyn PeerShape>,
}

fn kinds() -> Result<Vec<Kind>, String> {
    let text = |error: carom::shape::ShapeError| error.to_string();
    let hull = |name, count| {
        let points = clouds::sphere(count);
        let peer_points: Vec<Vector> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
        let peer = ConvexPolyhedron::from_convex_hull(&peer_points).ok_or("the peer has no hull")?;
        Ok::<_, String>(Kind { name, ours: Shape::hull(&points).map_err(text)?, peer: Box::new(peer) })
    };
    Ok(vec![
        Kind { name: "sphere", ours: Shape::sphere(1.0).map_err(text)?, peer: Box::new(Ball::new(1.0)) },
        Kind {
            name: "box",
            ours: Shape::cuboid(1.0, 0.8, 0.6).map_err(text)?,
            peer: Box::new(Cuboid::new(Vector::new(1.0, 0.8, 0.6))),
        },
        Kind {
            name: "capsule",
            ours: Shape::capsule(0.7, 0.5).map_err(text)?,
            peer: Box::new(Capsule::new_y(0.7, 0.5)),
        },
        hull("hull32", 32)?,
        hull("hull256", 256)?,
    ])
}

/// Poses at a signed distance drawn from `gap`: in along a random line until they touch, and then by the gap along the
/// same line.
fn poses(shape: &Shape, gap: (f32, f32)) -> Result<Vec<LocalPose>, String> {
    let mut random = Rng::with_seed(77);
    let mut symmetric = move || random.f32() * 2.0 - 1.0;
    let mut poses = Vec::with_capacity(POSES);
    while poses.len() < POSES {
        let toward = Vec3::new(symmetric(), symmetric(), symmetric());
        let rotation = Quat::from_xyzw(symmetric(), symmetric(), symmetric(), symmetric());
        if !(0.1..1.0).contains(&toward.length_squared()) || !(0.1..1.0).contains(&rotation.length_squared()) {
            continue;
        }
        let (toward, rotation) = (toward.normalize(), rotation.normalize());
        let gap = gap.0 + (gap.1 - gap.0) * (0.5 + 0.5 * symmetric());
        let mut along = 6.0f32;
        for _ in 0..200 {
            let pose = Pose::new((toward * along).as_dvec3(), rotation);
            let apart =
                query::distance(shape, &Pose::IDENTITY, shape, &pose).map_err(|error| error.to_string())?.value();
            let step = apart as f32 - gap.max(0.0);
            if step.abs() < 1e-5 {
                break;
            }
            along -= step;
        }
        poses.push(LocalPose::new(toward * (along + gap.min(0.0)), rotation));
    }
    Ok(poses)
}

fn to_peer(pose: &LocalPose) -> PeerPose {
    let (p, q) = (pose.position, pose.rotation);
    PeerPose::from_parts(Vector::new(p.x, p.y, p.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

type PeerManifold = ContactManifold<(), ()>;

fn peer_contact(kind: &Kind, pose: &PeerPose, manifold: &mut PeerManifold) {
    let shape = kind.peer.as_ref();
    let done = DefaultQueryDispatcher.contact_manifold_convex_convex(pose, shape, shape, None, None, MARGIN, manifold);
    debug_assert!(done.is_ok(), "the peer knows these pairs");
}

pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    for kind in kinds()? {
        for (pose, gap) in [("near", (0.005, 0.04)), ("far", (1.0, 2.0)), ("deep", (-0.5, -0.05))] {
            let case = format!("contact/{}/{pose}", kind.name);
            if case.starts_with(only) {
                rows.push(cold_row(effort, case, &kind, &poses(&kind.ours, gap)?));
            }
        }
        let case = format!("warm/contact-{}", kind.name);
        if case.starts_with(only) {
            rows.push(warm_row(effort, case, &kind, &poses(&kind.ours, (-0.01, -0.001))?));
        }
    }
    Ok(rows)
}

/// How the results compare: the depth of the deepest point on both sides.
fn agreement(kind: &Kind, poses: &[LocalPose]) -> String {
    let (mut touching, mut differing, mut points, mut peer_points) = (0, 0, 0, 0);
    for pose in poses {
        let ours = contact(&kind.ours, &kind.ours, pose, MARGIN).ok().flatten();
        let mut peer = PeerManifold::new();
        peer_contact(kind, &to_peer(pose), &mut peer);
        let depth = ours.map(|manifold| manifold.contacts().iter().map(|c| c.depth).fold(f32::MIN, f32::max));
        let peer_depth = peer.points.iter().map(|contact| -contact.dist).reduce(f32::max);
        points += ours.map_or(0, |manifold| manifold.contacts().len());
        peer_points += peer.points.len();
        touching += usize::from(ours.is_some());
        differing += usize::from(match (depth, peer_depth) {
            (Some(ours), Some(peer)) => (ours - peer).abs() > 2e-3,
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
        });
    }
    let mean = |points: usize| points as f64 / touching.max(1) as f64;
    let mut note = String::new();
    if touching > 0 {
        note = format!("{:.1} points, the peer {:.1}", mean(points), mean(peer_points));
    }
    if differing > 0 {
        note += &format!("; {differing} of {} depths differ by more than 2e-3", poses.len());
    }
    note
}

fn cold_row(effort: Effort, case: String, kind: &Kind, poses: &[LocalPose]) -> Row {
    let peer_poses: Vec<PeerPose> = poses.iter().map(to_peer).collect();
    let run_ours = || {
        for pose in poses {
            // Looked at where it is, as the peer's is.
            black_box(&contact(black_box(&kind.ours), black_box(&kind.ours), black_box(pose), MARGIN));
        }
    };
    let run_peer = || {
        for pose in &peer_poses {
            let mut manifold = PeerManifold::new();
            peer_contact(black_box(kind), black_box(pose), &mut manifold);
            black_box(&manifold);
        }
    };
    let times = compare(effort, poses.len(), run_ours, Some(run_peer));
    Row::new(AREA, case, PEER, times, agreement(kind, poses))
}

/// Resting pairs that tremble; both sides keep what they found in the frame before.
fn warm_row(effort: Effort, case: String, kind: &Kind, poses: &[LocalPose]) -> Row {
    let mut random = Rng::with_seed(78);
    let mut small = || (random.f32() * 2.0 - 1.0) * 3e-5;
    let frames: Vec<Vec<LocalPose>> = poses
        .iter()
        .map(|pose| {
            let mut frame = || {
                let turn = Quat::from_xyzw(small(), small(), small(), 1.0).normalize();
                let shift = Vec3::new(small(), small(), small());
                LocalPose::new(pose.position + shift, (turn * pose.rotation).normalize())
            };
            (0..FRAMES).map(|_| frame()).collect()
        })
        .collect();
    let peer_frames: Vec<Vec<PeerPose>> = frames.iter().map(|frames| frames.iter().map(to_peer).collect()).collect();
    let mut caches = vec![PairCache::default(); poses.len()];
    let mut manifolds: Vec<PeerManifold> = poses.iter().map(|_| PeerManifold::new()).collect();
    let run_ours = || {
        for frame in 0..FRAMES {
            for (frames, cache) in frames.iter().zip(&mut caches) {
                black_box(&contact_cached(&kind.ours, &kind.ours, black_box(&frames[frame]), MARGIN, cache));
            }
        }
    };
    let run_peer = || {
        for frame in 0..FRAMES {
            for (frames, manifold) in peer_frames.iter().zip(&mut manifolds) {
                peer_contact(kind, black_box(&frames[frame]), manifold);
                black_box(&*manifold);
            }
        }
    };
    let times = compare(effort, poses.len() * FRAMES, run_ours, Some(run_peer));
    Row::new(AREA, case, PEER, times, "tremble of 3e-5".to_owned())
}
