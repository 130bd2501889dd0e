//! `rigid/<pair>`: the time of impact of two bodies that move and turn by up to 170° at once, against parry's nonlinear
//! cast. Two of three ways lead to the other body. Ours is judged by distances along the way: nothing may be missed.

use super::AREA;
use crate::measure::{Row, compare};
use crate::{Effort, Rows, clouds};
use carom::glam::{DVec3, Quat};
use carom::impact::rigid::{Options, Outcome, Sweep, time_of_impact};
use carom::prelude::{Pose, Shape, query};
use fastrand::Rng;
use parry3d::math::{Pose as PeerPose, Rotation, Vector};
use parry3d::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape as PeerShape};
use std::hint::black_box;

const PEER: &str = "parry3d 0.31";
const COUNT: usize = 400;
/// In radians: 170°.
const MOST_TURN: f64 = 2.967;
/// Times that differ by more are counted.
const AGREEMENT: f64 = 1e-3;
/// How often the way is looked at to judge.
const SAMPLES: usize = 400;

pub fn rows(effort: Effort, only: &str) -> Rows {
    let fault = |error: carom::prelude::ShapeError| error.to_string();
    let up = Vector::new(0.0, 0.5, 0.0);
    let hull = |count: usize| -> Result<(Shape, Box<dyn PeerShape>), String> {
        let points = clouds::sphere(count);
        let peer_points: Vec<Vector> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
        let peer = ConvexPolyhedron::from_convex_hull(&peer_points).ok_or("parry finds no hull")?;
        Ok((Shape::hull(&points).map_err(fault)?, Box::new(peer)))
    };
    let pairs: [(&str, (Shape, Box<dyn PeerShape>)); 5] = [
        ("sphere", (Shape::sphere(1.0).map_err(fault)?, Box::new(Ball::new(1.0)))),
        ("box", (Shape::cuboid(0.6, 0.5, 0.7).map_err(fault)?, Box::new(Cuboid::new(Vector::new(0.6, 0.5, 0.7))))),
        ("capsule", (Shape::capsule(0.5, 0.5).map_err(fault)?, Box::new(Capsule::new(-up, up, 0.5)))),
        ("hull32", hull(32)?),
        ("hull256", hull(256)?),
    ];
    let mut rows = Vec::new();
    for (name, (ours, peer)) in &pairs {
        let case = format!("rigid/{name}");
        if case.starts_with(only) {
            rows.push(row(effort, case, ours, peer.as_ref())?);
        }
    }
    Ok(rows)
}

struct Way {
    sweeps: [Sweep; 2],
    peer: [NonlinearRigidMotion; 2],
}

fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let inside = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        if (0.01..1.0).contains(&inside.length_squared()) {
            return inside.normalize();
        }
    }
}

fn ways() -> Vec<Way> {
    let mut rng = Rng::with_seed(6);
    let narrowed = |vector: DVec3| vector.as_vec3().as_dvec3();
    let vector = |vector: DVec3| Vector::new(vector.x as f32, vector.y as f32, vector.z as f32);
    (0..COUNT)
        .map(|index| {
            let start = narrowed(direction(&mut rng) * 6.0);
            // Past it in one of three.
            let aim = direction(&mut rng) * if index % 3 == 0 { 3.0 } else { 0.7 };
            let mut sweep = |place: DVec3, velocity: DVec3| {
                let turned =
                    Quat::from_xyzw(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.499).normalize();
                let spin = narrowed(direction(&mut rng) * MOST_TURN * rng.f64());
                Sweep::of(Pose::new(place, turned), velocity).turning(spin)
            };
            let sweeps = [sweep(start, narrowed((aim - start) * 1.5)), sweep(DVec3::ZERO, DVec3::ZERO)];
            let peer = sweeps.map(|sweep| {
                let r = sweep.start.rotation;
                let start = PeerPose::from_parts(vector(sweep.start.position), Rotation::from_xyzw(r.x, r.y, r.z, r.w));
                let (velocity, spin) = (vector(sweep.velocity), vector(sweep.angular_velocity));
                NonlinearRigidMotion::new(start, Vector::ZERO, velocity, spin)
            });
            Way { sweeps, peer }
        })
        .collect()
}

/// When sampling first finds the two nearer than nothing.
fn sampled(shape: &Shape, way: &Way) -> Result<Option<f64>, String> {
    for sample in 0..=SAMPLES {
        let time = sample as f64 / SAMPLES as f64;
        let [a, b] = way.sweeps.map(|sweep| sweep.pose_at(time));
        if query::overlap(shape, &a, shape, &b).map_err(|error| error.to_string())? {
            return Ok(Some(time));
        }
    }
    Ok(None)
}

fn row(effort: Effort, case: String, shape: &Shape, peer_shape: &dyn PeerShape) -> Result<Row, String> {
    let ways = ways();
    let options = Options::default();
    let ours = |way: &Way| time_of_impact(black_box(shape), &way.sweeps[0], shape, &way.sweeps[1], &options);
    let peer = |way: &Way| {
        cast_shapes_nonlinear(&way.peer[0], black_box(peer_shape), &way.peer[1], peer_shape, 0.0, 1.0, true)
    };
    let (mut hits, mut peer_misses, mut differ, mut worst) = (0, 0, 0, 0.0f64);
    for (index, way) in ways.iter().enumerate() {
        let found = ours(way).map_err(|error| error.to_string())?;
        if matches!(found, Outcome::Early(_)) {
            return Err(format!("{case}: way {index} is undecided"));
        }
        let theirs = peer(way).map_err(|error| error.to_string())?.map(|hit| f64::from(hit.time_of_impact));
        let overlap = sampled(shape, way)?;
        let mine = found.time();
        match (mine, overlap) {
            (None, Some(_)) => return Err(format!("{case}: way {index} is missed")),
            (Some(mine), Some(overlap)) if mine > overlap => return Err(format!("{case}: way {index} is late")),
            (_, _) => {}
        }
        hits += usize::from(mine.is_some());
        peer_misses += usize::from(overlap.is_some() && theirs.is_none_or(|time| overlap.is_some_and(|at| time > at)));
        match (mine, theirs) {
            (Some(mine), Some(theirs)) if (mine - theirs).abs() <= AGREEMENT => {
                worst = worst.max((mine - theirs).abs());
            }
            (None, None) => {}
            (Some(_), _) | (None, Some(_)) => differ += 1,
        }
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
    let note = format!(
        "{hits} of {COUNT} hit, none missed or late; parry misses or is late in {peer_misses}; {differ} differ, the \
         others by {worst:.0e} at most"
    );
    Ok(Row::new(AREA, case, PEER, times, note))
}
