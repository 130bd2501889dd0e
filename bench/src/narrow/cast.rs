//! Linear casts: of convex pairs, which the area of impacts asks for, and `cast/<shape>-mesh` onto a mesh of 20,000
//! triangles. Two of three ways lead to the other shape.

use super::convex::{Pair, direction, pairs, rotation, to_peer};
use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::glam::DVec3;
use carom::prelude::{Pose, Shape, query};
use carom::query::Sweep;
use fastrand::Rng;
use parry3d::math::{Pose as PeerPose, Vector};
use parry3d::query::ShapeCastOptions;
use parry3d::shape::Shape as PeerShape;
use std::hint::black_box;

const COUNT: usize = 400;

/// Where parry's times are off in some of thousand cases, by up to this share of the motion.
const AGREEMENT: f64 = 1e-2;

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    for Pair { name, ours, peer, .. } in &pairs()? {
        let case = format!("cast/{name}-mesh");
        if case.starts_with(only) {
            let (mesh, peer_mesh) = super::mesh::both(142, 71)?;
            let mesh = Shape::from(mesh);
            rows.push(row(AREA, effort, case, (ours, peer.as_ref()), (&mesh, &peer_mesh))?);
        }
    }
    Ok(rows)
}

/// Casts of convex shapes onto their like, for another area.
pub fn convex_rows(area: &'static str, effort: Effort, case: impl Fn(&str) -> String, only: &str) -> Rows {
    let mut rows = Vec::new();
    for Pair { name, ours, peer, .. } in &pairs()? {
        let case = case(name);
        if case.starts_with(only) {
            rows.push(row(area, effort, case, (ours, peer.as_ref()), (ours, peer.as_ref()))?);
        }
    }
    Ok(rows)
}

struct Way {
    poses: [Pose; 2],
    motion: DVec3,
    peer_poses: [PeerPose; 2],
    peer_motion: Vector,
}

fn ways() -> Vec<Way> {
    let mut rng = Rng::with_seed(5);
    let narrowed = |vector: DVec3| vector.as_vec3().as_dvec3();
    (0..COUNT)
        .map(|index| {
            let start = narrowed(direction(&mut rng) * 6.0);
            // Past it in one of three.
            let aim = direction(&mut rng) * if index % 3 == 0 { 3.0 } else { 0.7 };
            let motion = narrowed((aim - start) * 1.5);
            let poses = [Pose::new(start, rotation(&mut rng)), Pose::new(DVec3::ZERO, rotation(&mut rng))];
            let narrow = motion.as_vec3();
            let peer_poses = [to_peer(&poses[0]), to_peer(&poses[1])];
            Way { poses, motion, peer_poses, peer_motion: Vector::new(narrow.x, narrow.y, narrow.z) }
        })
        .collect()
}

type Both<'a> = (&'a Shape, &'a dyn PeerShape);

fn row(area: &'static str, effort: Effort, case: String, a: Both<'_>, b: Both<'_>) -> Result<Row, String> {
    let ways = ways();
    let ours = |way: &Way| query::cast(black_box(a.0), &way.poses[0], b.0, &way.poses[1], &Sweep::by(way.motion));
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    let peer = |way: &Way| {
        let [pose_a, pose_b] = &way.peer_poses;
        parry3d::query::cast_shapes(pose_a, way.peer_motion, black_box(a.1), pose_b, Vector::ZERO, b.1, options)
    };
    let (mut hits, mut worst, mut differ) = (0, 0.0f64, 0);
    for way in &ways {
        let mine = ours(way).map_err(|error| error.to_string())?.time();
        let theirs = peer(way).map_err(|error| error.to_string())?;
        hits += usize::from(mine.is_some());
        match (mine, theirs.map(|hit| f64::from(hit.time_of_impact))) {
            (Some(mine), Some(theirs)) if (mine - theirs).abs() <= AGREEMENT => {
                worst = worst.max((mine - theirs).abs());
            }
            (None, None) => {}
            (Some(_), _) | (None, Some(_)) => differ += 1,
        }
    }
    if differ > COUNT / 50 {
        return Err(format!("{case}: {differ} of {COUNT} casts differ"));
    }
    let run_ours = || {
        for way in &ways {
            let _ = black_box(ours(way));
        }
    };
    let run_peer = || {
        for way in &ways {
            let _ = black_box(peer(way));
        }
    };
    let times = compare(effort, COUNT, run_ours, Some(run_peer));
    let note = format!("{hits} of {COUNT} hit; {differ} differ, the others by {worst:.0e} at most");
    Ok(Row::new(area, case, PEER, times, note))
}
