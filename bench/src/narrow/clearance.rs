//! The clearance of a robot: the least distance over all pairs of links that are not neighbours, along a path of joint
//! angles: `detector/clearance` for hulls of 64 points, `detector/clearance-mesh` for meshes of 800 triangles, and
//! `detector/overlap` for whether any two touch.
//!
//! Parry has no such question. It is given a loop over the pairs that passes over those whose boxes, which are brought up
//! to date, are no nearer than the best so far.

use super::convex::to_peer;
use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::detector::{Detector, Object, ObjectId, all_pairs};
use carom::glam::{DQuat, DVec3, Quat, Vec3};
use carom::prelude::{Pose, Shape};
use parry3d::bounding_volume::Aabb as PeerAabb;
use parry3d::math::{Pose as PeerPose, Vector};
use parry3d::shape::{ConvexPolyhedron, Shape as PeerShape, TriMesh};
use std::hint::black_box;

/// Two arms of so many links.
const LINKS: usize = 9;
const STEPS: usize = 200;

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    for (case, is_mesh) in [("detector/clearance", false), ("detector/clearance-mesh", true)] {
        if case.starts_with(only) {
            rows.push(clearance_row(effort, case, &Robot::new(is_mesh)?)?);
        }
    }
    if "detector/overlap".starts_with(only) {
        rows.push(overlap_row(effort, "detector/overlap", &Robot::new(false)?)?);
    }
    Ok(rows)
}

struct Robot {
    ours: Shape,
    peer: Box<dyn PeerShape>,
    /// The poses of all links in each step.
    path: Vec<Vec<Pose>>,
    peer_path: Vec<Vec<PeerPose>>,
}

/// A link along y, 0.4 long and 0.16 thick.
fn surface(rings: usize, around: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut points = Vec::new();
    for ring in 0..rings {
        let polar = std::f32::consts::PI * (ring as f32 + 0.5) / rings as f32;
        for step in 0..around {
            let angle = std::f32::consts::TAU * (step as f32 + 0.5 * (ring % 2) as f32) / around as f32;
            let (radius, height) = (0.08 * polar.sin().sqrt(), 0.2 * polar.cos());
            points.push(Vec3::new(radius * angle.cos(), height, radius * angle.sin()));
        }
    }
    let at = |ring: usize, step: usize| (ring * around + step % around) as u32;
    let quads = (0..rings - 1).flat_map(|ring| (0..around).map(move |step| (ring, step)));
    let triangles = quads.flat_map(|(ring, step)| {
        let [a, b, c, d] = [at(ring, step), at(ring, step + 1), at(ring + 1, step + 1), at(ring + 1, step)];
        [[a, b, c], [a, c, d]]
    });
    (points, triangles.collect())
}

/// Both arms bend at every joint, each joint at a pace of its own.
fn poses(step: usize) -> Vec<Pose> {
    let time = step as f64 * 0.01;
    let mut poses = Vec::new();
    for arm in 0..2 {
        let mut joint = DVec3::new(if arm == 0 { -0.4 } else { 0.4 }, 0.0, 0.0);
        let mut turned = DQuat::IDENTITY;
        for link in 0..LINKS {
            let pace = 0.7 + 0.3 * (link + 3 * arm) as f64;
            let angle = 0.6 * (pace * time + link as f64).sin();
            let axis = [DVec3::Z, DVec3::X][link % 2];
            turned *= DQuat::from_axis_angle(axis, angle);
            let middle = joint + turned * DVec3::new(0.0, 0.2, 0.0);
            joint += turned * DVec3::new(0.0, 0.4, 0.0);
            let rotation: Quat = turned.as_quat().normalize();
            poses.push(Pose::new(middle.as_vec3().as_dvec3(), rotation));
        }
    }
    poses
}

/// Whether two links are joined.
fn are_neighbours(a: usize, b: usize) -> bool {
    a.abs_diff(b) == 1 && a / LINKS == b / LINKS
}

impl Robot {
    fn new(is_mesh: bool) -> Result<Self, String> {
        let (points, triangles) = if is_mesh { surface(21, 20) } else { surface(8, 8) };
        let fault = |error: carom::prelude::ShapeError| error.to_string();
        let peer_points: Vec<Vector> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
        let (ours, peer): (Shape, Box<dyn PeerShape>) = if is_mesh {
            let peer = TriMesh::new(peer_points, triangles.clone()).map_err(|error| error.to_string())?;
            (Shape::mesh(points, triangles).map_err(fault)?, Box::new(peer))
        } else {
            let peer = ConvexPolyhedron::from_convex_hull(&peer_points).ok_or("parry finds no hull")?;
            (Shape::hull(&points).map_err(fault)?, Box::new(peer))
        };
        let path: Vec<Vec<Pose>> = (0..STEPS).map(poses).collect();
        let peer_path = path.iter().map(|poses| poses.iter().map(to_peer).collect()).collect();
        Ok(Self { ours, peer, path, peer_path })
    }

    fn detector(&self) -> Result<(Detector, Vec<ObjectId>), String> {
        let mut detector = Detector::default();
        let objects = self.path[0].iter().map(|pose| Object::new(self.ours.clone(), *pose));
        let ids: Result<Vec<ObjectId>, String> =
            objects.map(|object| detector.insert(object).map_err(|error| error.to_string())).collect();
        let ids = ids?;
        for a in 0..ids.len() {
            for b in (0..a).filter(|b| are_neighbours(a, *b)) {
                detector.ignore_pair(ids[a], ids[b]).map_err(|error| error.to_string())?;
            }
        }
        Ok((detector, ids))
    }

    fn peer_clearance(&self, poses: &[PeerPose]) -> f32 {
        let boxes: Vec<PeerAabb> = poses.iter().map(|pose| self.peer.compute_aabb(pose)).collect();
        let mut best = f32::INFINITY;
        for a in 0..poses.len() {
            for b in (0..a).filter(|b| !are_neighbours(a, *b)) {
                let gap = (boxes[a].mins - boxes[b].maxs).max(boxes[b].mins - boxes[a].maxs).max(Vector::ZERO);
                if gap.length() < best
                    && let Ok(found) =
                        parry3d::query::distance(&poses[a], self.peer.as_ref(), &poses[b], self.peer.as_ref())
                {
                    best = best.min(found.distance);
                }
            }
        }
        best
    }

    fn peer_overlaps(&self, poses: &[PeerPose]) -> bool {
        let boxes: Vec<PeerAabb> = poses.iter().map(|pose| self.peer.compute_aabb(pose)).collect();
        (0..poses.len()).any(|a| {
            (0..a).filter(|b| !are_neighbours(a, *b)).any(|b| {
                let overlap = boxes[a].mins.max(boxes[b].mins).cmple(boxes[a].maxs.min(boxes[b].maxs)).all();
                let test =
                    || parry3d::query::intersection_test(&poses[a], self.peer.as_ref(), &poses[b], self.peer.as_ref());
                overlap && test().is_ok_and(|found| found.intersecting)
            })
        })
    }
}

fn put(detector: &mut Detector, ids: &[ObjectId], poses: &[Pose]) {
    for (id, pose) in ids.iter().zip(poses) {
        let _ = black_box(detector.set_pose(*id, *pose));
    }
}

fn clearance_row(effort: Effort, case: &str, robot: &Robot) -> Result<Row, String> {
    let (mut detector, ids) = robot.detector()?;
    let mut worst = 0.0f64;
    let mut least = f64::INFINITY;
    for (poses, peer_poses) in robot.path.iter().zip(&robot.peer_path) {
        put(&mut detector, &ids, poses);
        let closest = detector.closest_pair(all_pairs).map_err(|error| error.to_string())?;
        let mine = closest.ok_or("two links are compared")?.distance.value();
        worst = worst.max((mine - f64::from(robot.peer_clearance(peer_poses))).abs());
        least = least.min(mine);
    }
    if worst > 1e-2 {
        return Err(format!("{case}: clearances differ by {worst}"));
    }
    let run_ours = || {
        for poses in &robot.path {
            put(&mut detector, &ids, poses);
            let _ = black_box(detector.closest_pair(all_pairs));
        }
    };
    let run_peer = || {
        for poses in &robot.peer_path {
            black_box(robot.peer_clearance(poses));
        }
    };
    let times = compare(effort, STEPS, run_ours, Some(run_peer));
    let note = format!("{} links; the least is {least:.3}; differ by {worst:.0e} at most", ids.len());
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

fn overlap_row(effort: Effort, case: &str, robot: &Robot) -> Result<Row, String> {
    let (mut detector, ids) = robot.detector()?;
    let mut touching = 0;
    for (poses, peer_poses) in robot.path.iter().zip(&robot.peer_path) {
        put(&mut detector, &ids, poses);
        let mine = detector.first_overlap(all_pairs).map_err(|error| error.to_string())?.is_some();
        if mine != robot.peer_overlaps(peer_poses) {
            return Err(format!("{case}: overlaps differ"));
        }
        touching += usize::from(mine);
    }
    let run_ours = || {
        for poses in &robot.path {
            put(&mut detector, &ids, poses);
            let _ = black_box(detector.first_overlap(all_pairs));
        }
    };
    let run_peer = || {
        for poses in &robot.peer_path {
            black_box(robot.peer_overlaps(poses));
        }
    };
    let times = compare(effort, STEPS, run_ours, Some(run_peer));
    Ok(Row::new(AREA, case.to_owned(), PEER, times, format!("{} links; {touching} of {STEPS} touch", ids.len())))
}
