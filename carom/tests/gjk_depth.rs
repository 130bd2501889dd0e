//! Signed distances of convex shapes against oracles that share no formula with the library: all separating axes for
//! boxes and hulls, known answers by construction, and for every pair the proof that both bounds are what they say:
//! the shapes' own supports leave exactly that gap along the normal, and no direction of a search over the sphere
//! leaves a wider one.
//!
//! Each test prints its cases and worst errors. `CAROM_CASES=n` runs n times as many cases, for the record.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::Pose;
use carom::query::{self, Penetration, Stop};
use carom::shape::Shape;
use distance_shapes::{reach, support, turn};
use fastrand::Rng;
use random::{cube, direction, rotation, rotation_often_aligned};
use std::collections::BTreeMap;

fn cases(usual: usize) -> usize {
    usual * std::env::var("CAROM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

const KINDS: [&str; 8] = ["sphere", "box", "capsule", "hull32", "hull256", "cylinder", "cone", "ellipsoid"];

/// A shape of about the given size.
fn shape(kind: &str, random: &mut Rng, size: f32) -> Shape {
    let mut part = || size * (0.2 + 0.8 * random.f32());
    let (x, y, z) = (part(), part(), part());
    let mut cloud =
        |count: usize| -> Vec<Vec3> { (0..count).map(|_| direction(random).as_vec3() * Vec3::new(x, y, z)).collect() };
    match kind {
        "sphere" => Shape::sphere(x),
        "box" => Shape::cuboid(x, y, z),
        "capsule" => Shape::capsule(x, y),
        "hull32" => Shape::hull(&cloud(32)),
        "hull256" => Shape::hull(&cloud(256)),
        "cylinder" => Shape::cylinder(x, y),
        "cone" => Shape::cone(x, y),
        _ => Shape::ellipsoid(x, y, z),
    }
    .unwrap()
}

/// The gap that a direction leaves between two shapes; negative if they overlap along it.
fn gap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, along: DVec3) -> f64 {
    let between = along.dot(pose_b.position - pose_a.position);
    between - reach(a, pose_a.rotation, along) - reach(b, pose_b.rotation, -along)
}

/// The widest gap of a search over the sphere: many starts, the best of them improved by shrinking random steps.
fn widest(random: &mut Rng, gap: impl Fn(DVec3) -> f64, starts: usize, hint: DVec3) -> f64 {
    let mut found: Vec<(f64, DVec3)> =
        (0..starts).map(|_| direction(random)).chain([hint]).map(|along| (gap(along), along)).collect();
    found.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = f64::NEG_INFINITY;
    for &(mut value, mut along) in &found[..3.min(found.len())] {
        let mut step = 0.2;
        while step > 1e-5 {
            let mut is_better = false;
            for _ in 0..6 {
                let other = (along + step * cube(random)).normalize();
                let other_value = gap(other);
                if other_value > value {
                    (value, along, is_better) = (other_value, other, true);
                }
            }
            if !is_better {
                step *= 0.5;
            }
        }
        best = f64::max(best, value);
    }
    best
}

#[derive(Default)]
struct Record {
    cases: usize,
    deep: usize,
    worst_distance: f64,
    worst_depth: f64,
    loosest: f64,
    unconverged: usize,
}

/// What holds for every answer, by the shapes' own supports. Sizes are those of the smaller shape.
fn prove(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, size: f64, record: &mut Record) -> Penetration {
    let found = query::penetration(a, pose_a, b, pose_b).unwrap();
    let context = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?}\n{found:?}");
    let place = pose_a.position.length().max(pose_b.position.length());
    let scale = pose_a.position.distance(pose_b.position) + size;
    let slack = 1e-13 * scale + 4.0 * f64::EPSILON * place;
    assert!(found.depth.is_finite() && found.normal.is_finite() && found.on_a.is_finite(), "{}", context());
    assert!(found.lower <= found.depth + slack && found.depth <= found.upper + slack, "bounds: {}", context());
    assert!((found.normal.length() - 1.0).abs() < 1e-6, "normal: {}", context());
    // The normal is f32 and a little off, so what it frees is too.
    let along = found.normal.as_dvec3().normalize();
    let freed = gap(a, pose_a, b, pose_b, along);
    assert!(freed >= -found.depth - 2e-7 * scale - slack, "not free: {freed} {}", context());
    assert!(freed <= -found.lower + slack, "{freed} is freed already: {}", context());
    let between = along.dot(found.on_b - found.on_a);
    assert!((between + found.depth).abs() <= 2e-7 * scale + 1e-6 * size + slack, "points: {between} {}", context());
    record.cases += 1;
    record.deep += usize::from(found.depth > 0.0);
    record.unconverged += usize::from(found.stop != Stop::Converged);
    record.loosest = record.loosest.max((found.upper - found.lower) / size);
    found
}

/// How a pair is placed. The second shape's place is made so that their gap along some direction is known.
const POSES: [&str; 6] = ["near", "far", "touching", "deep", "parallel", "edge-parallel"];

fn place(random: &mut Rng, pose: &str, a: &Shape, b: &Shape, size: f64) -> (Pose, Pose) {
    let (turn_a, turn_b) = match pose {
        "parallel" => (Quat::IDENTITY, Quat::from_rotation_y(random.f32())),
        "edge-parallel" => (Quat::from_rotation_x(0.7), Quat::from_rotation_x(random.f32())),
        _ => (rotation(random), rotation(random)),
    };
    let along = match pose {
        "parallel" => DVec3::Y,
        "edge-parallel" => DVec3::new(0.0, 0.6, 0.8),
        _ => direction(random),
    };
    let gap = match pose {
        "near" | "parallel" | "edge-parallel" => (random.f64() - 0.5) * 0.2 * size,
        "far" => 10.0 * size,
        "touching" => (random.f64() - 0.5) * 1e-7 * size,
        _ => -random.f64() * 2.0 * size,
    };
    let on_a = turn(turn_a) * support(a, turn(turn_a).conjugate() * along);
    let on_b = turn(turn_b) * support(b, turn(turn_b).conjugate() * -along);
    (Pose::new(DVec3::ZERO, turn_a), Pose::new(on_a - on_b + gap * along, turn_b))
}

#[test]
fn every_pair_in_every_pose_is_proven() {
    let mut random = Rng::with_seed(1);
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    for _ in 0..cases(12) {
        for (index, kind_a) in KINDS.iter().enumerate() {
            for kind_b in &KINDS[index..] {
                for pose in POSES {
                    let ratio = [1.0, 1.0, 10.0, 1e4][random.usize(0..4)];
                    let (a, b) = (shape(kind_a, &mut random, 1.0), shape(kind_b, &mut random, 1.0 / ratio));
                    let size = f64::from(1.0 / ratio);
                    let (mut pose_a, mut pose_b) = place(&mut random, pose, &a, &b, size);
                    if random.usize(0..4) == 0 {
                        let away = DVec3::new(1e6, -1e6, 1e6);
                        (pose_a.position, pose_b.position) = (pose_a.position + away, pose_b.position + away);
                    }
                    let record = records.entry(format!("{kind_a}/{kind_b}")).or_default();
                    let found = prove(&a, &pose_a, &b, &pose_b, size, record);
                    let context = || format!("{pose}: {a:?} {pose_a:?} {b:?} {pose_b:?}\n{found:?}");
                    let leaves = |along: DVec3| gap(&a, &pose_a, &b, &pose_b, along);
                    let best = widest(&mut random, leaves, 40, found.normal.as_dvec3().normalize());
                    let slack = 1e-13 + 1e-9 * f64::from(u8::from(pose_a.position.length() > 1e5));
                    assert!(best <= -found.lower + slack, "{best} refutes the bound: {}", context());
                    // What the search finds is a gap that there is: the depth may not be more than it says.
                    let error = (best + found.depth).max(0.0) / size;
                    if found.depth > 0.0 {
                        assert!(error <= 1e-4, "depth, {best} is wider: {}", context());
                        record.worst_depth = record.worst_depth.max(error);
                    } else {
                        assert!(error <= 1e-5, "distance, {best} is wider: {}", context());
                        record.worst_distance = record.worst_distance.max(error);
                    }
                }
            }
        }
    }
    println!("pair: cases, of which deep; error of distance, depth, gap of the bounds (of the smaller size); stuck");
    for (pair, record) in &records {
        println!(
            "{pair}: {} {}; {:.1e} {:.1e} {:.1e}; {}",
            record.cases, record.deep, record.worst_distance, record.worst_depth, record.loosest, record.unconverged
        );
    }
}

/// The corners and the candidate axes of a polytope at a pose.
fn polytope(shape: &Shape, pose: &Pose) -> (Vec<DVec3>, Vec<DVec3>, Vec<DVec3>) {
    let turn = turn(pose.rotation);
    let (corners, normals, edges): (Vec<DVec3>, Vec<DVec3>, Vec<DVec3>) = match shape {
        Shape::Cuboid(cuboid) => (
            cuboid.core().corners().iter().map(|corner| corner.as_dvec3()).collect(),
            DVec3::AXES.to_vec(),
            DVec3::AXES.to_vec(),
        ),
        Shape::Hull(hull) => {
            let hull = hull.core();
            let corners: Vec<DVec3> = hull.vertices().iter().map(|corner| corner.as_dvec3()).collect();
            // All triangles of a face, because its corners are coplanar to f32 only.
            let normals = (0..hull.face_count()).flat_map(|face| {
                let at = |place: usize| corners[hull.face_corners(face)[place] as usize];
                (2..hull.face_corners(face).len())
                    .map(|last| (at(last - 1) - at(0)).cross(at(last) - at(0)))
                    .collect::<Vec<_>>()
            });
            let normals = normals.collect();
            let edges = hull.edges().iter().map(|edge| {
                let [from, to] = edge.vertices.map(|vertex| corners[vertex as usize]);
                to - from
            });
            let edges = edges.collect();
            (corners, normals, edges)
        }
        _ => unreachable!(),
    };
    (
        corners.into_iter().map(|corner| turn * corner + pose.position).collect(),
        normals.into_iter().map(|normal| turn * normal).collect(),
        edges.into_iter().map(|edge| turn * edge).collect(),
    )
}

/// The widest gap over all axes that can be the best one of overlapping polytopes.
fn all_axes(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let (corners_a, normals_a, edges_a) = polytope(a, pose_a);
    let (corners_b, normals_b, edges_b) = polytope(b, pose_b);
    let crosses = edges_a.iter().flat_map(|u| edges_b.iter().map(|v| u.cross(*v)));
    let mut best = f64::NEG_INFINITY;
    for axis in normals_a.iter().chain(&normals_b).copied().chain(crosses) {
        let Some(axis) = axis.try_normalize() else { continue };
        let span = |corners: &[DVec3]| {
            corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |span, corner| {
                let along = axis.dot(*corner - pose_a.position);
                (span.0.min(along), span.1.max(along))
            })
        };
        let (span_a, span_b) = (span(&corners_a), span(&corners_b));
        best = best.max(span_b.0 - span_a.1).max(span_a.0 - span_b.1);
    }
    best
}

#[test]
fn depths_of_boxes_and_hulls_are_those_of_all_axes() {
    let mut random = Rng::with_seed(2);
    for (kinds, usual) in [(["box", "box"], 30_000), (["box", "hull32"], 1_500), (["hull32", "hull32"], 200)] {
        let (mut deep, mut worst) = (0, 0.0_f64);
        for _ in 0..cases(usual) {
            let ratio = [1.0, 1.0, 10.0, 1e4][random.usize(0..4)];
            let (a, b) = (shape(kinds[0], &mut random, 1.0), shape(kinds[1], &mut random, 1.0 / ratio));
            let (turn_a, turn_b) = (rotation_often_aligned(&mut random), rotation_often_aligned(&mut random));
            let place = if random.bool() { cube(&mut random) } else { (cube(&mut random) * 4.0).round() * 0.25 };
            let (pose_a, pose_b) = (Pose::new(DVec3::ZERO, turn_a), Pose::new(place, turn_b));
            let expected = all_axes(&a, &pose_a, &b, &pose_b);
            let found = query::penetration(&a, &pose_a, &b, &pose_b).unwrap();
            let context = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?}\n{found:?} expected {}", -expected);
            if expected <= 0.0 {
                deep += 1;
                let error = (found.depth + expected).abs();
                worst = worst.max(error);
                assert!(error <= 1e-11, "depth: {}", context());
                assert!(found.lower <= -expected + 1e-13 && -expected <= found.upper + 1e-13, "{}", context());
            } else {
                assert!(found.depth <= -expected + 1e-12, "apart: {}", context());
            }
        }
        println!("{}/{}: {deep} deep, worst error {worst:.1e}", kinds[0], kinds[1]);
    }
}
