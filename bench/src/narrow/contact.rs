//! Contact manifolds from cold and warm, against parry3d: the same poses and the same margin on both sides.
//!
//! Before anything is timed, the depth of the deepest point of each side is held against the bounds that
//! `query::penetration` proves in f64: ours must be within them, and the row says how often the peer's are not.

use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows, clouds};
use carom::glam::{Quat, Vec3};
use carom::narrow::{LocalManifold, PairCache, contact, contact_cached};
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
                rows.push(cold_row(effort, case, &kind, &poses(&kind.ours, gap)?)?);
            }
        }
        for (end, motion) in [("", Motion::Trembling), ("-moving", Motion::Moving)] {
            let case = format!("warm/contact-{}{end}", kind.name);
            if case.starts_with(only) {
                rows.push(warm_row(effort, case, &kind, &poses(&kind.ours, (-0.01, -0.001))?, motion)?);
            }
        }
    }
    Ok(rows)
}

/// What both sides have found, held against what is proven. All shapes reach about 1, so shares of their size and lengths
/// are the same here.
#[derive(Default)]
struct Agreement {
    cases: usize,
    touching: usize,
    points: [usize; 2],
    /// How far ours is out of the bounds at the most.
    worst: f64,
    /// How often the peer's depth is off by more than its tolerance, and by how much at the most.
    peer_off: usize,
    peer_worst: f64,
}

/// By how much our depth may be off from what is proven: what issue 4 asks for, as a share of the size.
const OURS: f64 = 1e-4;
/// By how much the peer's may be off before it is counted.
const PEERS: f64 = 2e-3;
/// If the peer is off more often than in one of so many poses, it does another job.
const MOST_OFF: usize = 4;

/// The depth of the deepest of some points and how many there are.
type Found = (Option<f32>, usize);

fn found_by_peer(manifold: &PeerManifold) -> Found {
    let depths = manifold.points.iter().map(|contact| -contact.dist).filter(|depth| *depth >= -MARGIN);
    (depths.reduce(f32::max), manifold.points.len())
}

fn found_by_us(manifold: Option<&LocalManifold>) -> Found {
    let contacts = manifold.map_or(&[][..], LocalManifold::contacts);
    (contacts.iter().map(|contact| contact.depth).reduce(f32::max), contacts.len())
}

impl Agreement {
    /// Weighs one pose; what a cache has kept may be off by `kept` besides.
    fn weigh(&mut self, kind: &Kind, pose: &LocalPose, ours: Found, peer: Found, kept: f64) -> Result<(), String> {
        let placed = Pose::new(pose.position.as_dvec3(), pose.rotation);
        let truth = query::penetration(&kind.ours, &Pose::IDENTITY, &kind.ours, &placed);
        let truth = truth.map_err(|error| error.to_string())?;
        // Beyond the margin any number is as good as none.
        let least = -f64::from(MARGIN);
        let off = |depth: Option<f32>| {
            let depth = depth.map_or(least, f64::from);
            (truth.lower.max(least) - depth).max(depth - truth.upper.max(least)).max(0.0)
        };
        self.cases += 1;
        self.touching += usize::from(ours.0.is_some());
        self.points = [self.points[0] + ours.1, self.points[1] + peer.1];
        self.worst = self.worst.max(off(ours.0));
        self.peer_off += usize::from(off(peer.0) > PEERS);
        self.peer_worst = self.peer_worst.max(off(peer.0));
        if off(ours.0) > OURS + kept {
            return Err(format!("our depth {:?} is off by {:e}: {truth:?}", ours.0, off(ours.0)));
        }
        Ok(())
    }

    fn conclude(&self, case: &str) -> Result<String, String> {
        if self.peer_off * MOST_OFF > self.cases {
            return Err(format!("{case}: the peer's depth is off in {} of {} poses", self.peer_off, self.cases));
        }
        let mut note = String::new();
        if self.touching > 0 {
            let mean = |points: usize| points as f64 / self.touching as f64;
            note = format!("{:.1} points, the peer {:.1}; ", mean(self.points[0]), mean(self.points[1]));
        }
        note += &format!("depths off by {:.0e} at most, the peer's by {:.0e}", self.worst, self.peer_worst);
        if self.peer_off > 0 {
            note += &format!(", in {} of {} by more than {PEERS}", self.peer_off, self.cases);
        }
        Ok(note)
    }
}

fn cold_row(effort: Effort, case: String, kind: &Kind, poses: &[LocalPose]) -> Result<Row, String> {
    let peer_poses: Vec<PeerPose> = poses.iter().map(to_peer).collect();
    let mut agreement = Agreement::default();
    let mut manifold = PeerManifold::new();
    for (pose, peer_pose) in poses.iter().zip(&peer_poses) {
        let ours = contact(&kind.ours, &kind.ours, pose, MARGIN).map_err(|error| error.to_string())?;
        manifold.clear();
        peer_contact(kind, peer_pose, &mut manifold);
        let found = (found_by_us(ours.as_ref()), found_by_peer(&manifold));
        agreement.weigh(kind, pose, found.0, found.1, 0.0).map_err(|fault| format!("{case}: {fault}"))?;
    }
    let note = agreement.conclude(&case)?;
    let run_ours = || {
        for pose in poses {
            // Looked at where it is, as the peer's is.
            black_box(&contact(black_box(&kind.ours), black_box(&kind.ours), black_box(pose), MARGIN));
        }
    };
    let run_peer = || {
        for pose in &peer_poses {
            // Its points keep their room, so that it allocates nothing.
            manifold.clear();
            peer_contact(black_box(kind), black_box(pose), &mut manifold);
            black_box(&manifold);
        }
    };
    let times = compare(effort, poses.len(), run_ours, Some(run_peer));
    Ok(Row::new(AREA, case, PEER, times, note))
}

/// How a warm pair moves from frame to frame.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Motion {
    /// By up to 3e-5, as what rests does.
    Trembling,
    /// By 1 % of its size aside and by 1°, there and back.
    Moving,
}

fn frames(poses: &[LocalPose], motion: Motion) -> Vec<Vec<LocalPose>> {
    let mut random = Rng::with_seed(78);
    let mut vector = |reach: f32| Vec3::from_array(std::array::from_fn(|_| (random.f32() * 2.0 - 1.0) * reach));
    let tremble = |pose: &LocalPose, turn: Vec3, shift: Vec3| {
        let turn = Quat::from_xyzw(turn.x, turn.y, turn.z, 1.0).normalize();
        LocalPose::new(pose.position + shift, (turn * pose.rotation).normalize())
    };
    let mut of_pose = |pose: &LocalPose| -> Vec<LocalPose> {
        if motion == Motion::Trembling {
            return (0..FRAMES).map(|_| tremble(pose, vector(3e-5), vector(3e-5))).collect();
        }
        let axis = vector(1.0).normalize_or(Vec3::X);
        let aside = pose.position.cross(vector(1.0)).normalize_or(Vec3::X);
        let frame = |index: usize| {
            // There and back, so that the last frame is next to the first.
            let steps = index.min(FRAMES - index) as f32;
            let turn = Quat::from_axis_angle(axis, steps * 1f32.to_radians());
            LocalPose::new(pose.position + aside * (0.01 * steps), (turn * pose.rotation).normalize())
        };
        (0..FRAMES).map(frame).collect()
    };
    poses.iter().map(&mut of_pose).collect()
}

/// Pairs that stay near each other; both sides keep what they found in the frame before.
fn warm_row(effort: Effort, case: String, kind: &Kind, poses: &[LocalPose], motion: Motion) -> Result<Row, String> {
    let frames = frames(poses, motion);
    let peer_frames: Vec<Vec<PeerPose>> = frames.iter().map(|frames| frames.iter().map(to_peer).collect()).collect();
    let mut caches = vec![PairCache::default(); poses.len()];
    let mut manifolds: Vec<PeerManifold> = poses.iter().map(|_| PeerManifold::new()).collect();
    let mut agreement = Agreement::default();
    for frame in 0..FRAMES {
        for index in 0..poses.len() {
            let pose = &frames[index][frame];
            let ours = contact_cached(&kind.ours, &kind.ours, pose, MARGIN, &mut caches[index]);
            let ours = ours.map_err(|error| error.to_string())?;
            peer_contact(kind, &peer_frames[index][frame], &mut manifolds[index]);
            let found = (found_by_us(ours.as_ref()), found_by_peer(&manifolds[index]));
            agreement.weigh(kind, pose, found.0, found.1, 0.0).map_err(|fault| format!("{case}: {fault}"))?;
        }
    }
    let motion = match motion {
        Motion::Trembling => "tremble of 3e-5",
        Motion::Moving => "1 % and 1° a frame",
    };
    let note = format!("{motion}; {}", agreement.conclude(&case)?);
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
    Ok(Row::new(AREA, case, PEER, times, note))
}
