//! Boxes and hulls thrown at meshes made by others agree with brute force over all triangles, in f64 and from first
//! principles (`brute`): how far they are apart, whether they overlap, whether they touch and how deep. `mesh_oracle` does
//! the same for rays and points. Prints cases and worst errors by mesh, as shares of the body's size: the radius of the ball
//! around its middle. `CAROM_CASES=n` throws n times as many. Meshes that are not there are skipped, which is printed.

mod brute;
mod contact_shapes;
mod exhaustive;
mod meshes;
mod proof_support;
mod random;

use brute::{Body, Triangle, placed, winding};
use carom::narrow::{ContactBuffer, contacts};
use carom::prelude::*;
use carom::shape::TriangleMesh;
use contact_shapes::hull;
use fastrand::Rng;
use meshes::{NAMES, read};
use proof_support::cases;
use proof_support::judge::DEPTH_BAR;
use proof_support::tally::Tally;
use random::{between, rotation_often_aligned, vector};

/// A mesh that a body is thrown at.
struct Target {
    name: &'static str,
    shape: Shape,
    triangles: Vec<Triangle>,
    is_closed: bool,
}

fn targets() -> Vec<Target> {
    let target = |name: &'static str, mesh: TriangleMesh| {
        let corners = (0..mesh.triangles().len()).map(|index| mesh.corners(index));
        let triangles = placed(corners, &Pose::IDENTITY);
        Target { name, triangles, is_closed: mesh.is_closed(), shape: Shape::from(mesh) }
    };
    NAMES.into_iter().filter_map(|name| read(name).map(|mesh| target(name, mesh))).collect()
}

/// A box or a hull with its corners, about `size` in all directions.
fn thrown(random: &mut Rng, is_hull: bool, size: f32) -> (Shape, Vec<Vec3>) {
    if is_hull {
        let shape = hull(random, 20, size);
        let Shape::Hull(hull) = &shape else { unreachable!("a hull") };
        let corners = hull.core().vertices().to_vec();
        return (shape, corners);
    }
    let half = Vec3::new(between(random, 0.2, 0.6), between(random, 0.2, 0.6), between(random, 0.2, 0.6)) * size;
    let sign = |index: usize, bit: usize| if index >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |index: usize| half * Vec3::new(sign(index, 0), sign(index, 1), sign(index, 2));
    (Shape::cuboid(half.x, half.y, half.z).expect("a box"), (0..8).map(corner).collect())
}

/// Throws bodies: next to a triangle or farther away.
fn each_throw(seed: u64, usual: usize, mut check: impl FnMut(&str, &Target, &Shape, f64, &Pose, &Body)) {
    for target in &targets() {
        let mut random = Rng::with_seed(seed);
        let extent =
            target.triangles.iter().flatten().fold(0.0f64, |most, corner| most.max(corner.abs().max_element()));
        for case in 0..cases(usual) {
            let size = extent as f32 * 10f32.powf(between(&mut random, -2.5, -0.7));
            let (shape, corners) = thrown(&mut random, case % 2 == 1, size);
            let size = corners.iter().map(|corner| corner.as_dvec3().length()).fold(0.0, f64::max);
            let [a, b, c] = target.triangles[random.usize(0..target.triangles.len())];
            let (u, v) = (random.f64(), random.f64());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let away = [1.0, 1.0, 1.0, 8.0][case / 2 % 4] * size;
            let position = (a + (b - a) * u + (c - a) * v + vector(&mut random, 1.0).as_dvec3() * away).as_vec3();
            let pose = Pose::new(position.as_dvec3(), rotation_often_aligned(&mut random));
            let body = Body::new(&corners, size, &pose);
            check(["box", "hull"][case % 2], target, &shape, size, &pose, &body);
        }
    }
}

#[test]
fn distances_and_overlaps_are_those_of_all_triangles() {
    let mut tally = Tally::default();
    each_throw(1, 500, |kind, target, shape, size, pose, body| {
        let name = format!("{} {kind}", target.name);
        let expected = body.distance(&target.triangles);
        let at = Pose::IDENTITY;
        let is_met = expected <= 1e-12 * size;
        if target.is_closed && !is_met && winding(&target.triangles, pose.position) > 0.5 {
            return tally.count(&name, "wholly inside: see mesh_inside.rs");
        }
        let found = query::distance(&target.shape, &at, shape, pose).unwrap();
        let mirrored = query::distance(shape, pose, &target.shape, &at).unwrap();
        let context = || format!("{expected:e}: {found:?}\n      {mirrored:?}\n      {shape:?} {pose:?}");
        tally.count(&name, if is_met { "overlapping" } else { "apart" });
        for found in [&found, &mirrored] {
            let error = (found.value() - expected).abs() / size;
            tally.error(&name, "distance", error, context);
            // The oracle's own digits next to a touch.
            if error > 1e-9 || found.lower() > expected + 1e-12 * size || found.upper() < expected - 1e-9 * size {
                tally.fail(&format!("{name} distance"), context);
            }
        }
        let answers = [
            query::overlap(&target.shape, &at, shape, pose).unwrap(),
            query::overlap(shape, pose, &target.shape, &at).unwrap(),
        ];
        for answer in answers {
            let is_wrong = if answer {
                expected > 1e-9 * size
            } else {
                body.depths(&target.triangles, pose.position).is_some_and(|[least, _]| least > 1e-9 * size)
            };
            if is_wrong {
                tally.fail(&format!("{name} overlap: {answer}"), context);
            }
        }
    });
    tally.conclude("distances from meshes");
}

#[test]
fn contacts_are_those_of_all_triangles() {
    let mut tally = Tally::default();
    let mut buffer = ContactBuffer::new();
    each_throw(2, 1_000, |kind, target, shape, size, pose, body| {
        let name = format!("{} {kind}", target.name);
        // Meshes that are nearly closed have as good as an inside: of their two sides either may push.
        let is_inside = winding(&target.triangles, pose.position).abs() > 0.25;
        let depths = body.depths(&target.triangles, pose.position);
        let local = LocalPose::new(pose.position.as_vec3(), pose.rotation);
        contacts(&target.shape, shape, &local, 0.0, &mut buffer).unwrap();
        let points = buffer.manifolds().iter().flat_map(|patch| patch.manifold.contacts());
        let deepest = points.map(|contact| f64::from(contact.depth)).reduce(f64::max);
        let context = || {
            let shape = format!("{shape:?}");
            format!("{depths:?}, {:?}\n      {shape:.200} {pose:?}", buffer.manifolds())
        };
        if is_inside {
            tally.count(&name, "middle inside");
            if target.is_closed && buffer.manifolds().is_empty() {
                tally.fail(&format!("{name} inside is missed"), context);
            }
            return;
        }
        match (depths, deepest) {
            (None, None) => tally.count(&name, "apart"),
            (None, Some(_)) => {
                let distance = body.distance(&target.triangles) / size;
                tally.error(&name, "touching though apart", distance, context);
                if distance > 1e-6 {
                    tally.fail(&format!("{name} touching though apart"), context);
                }
            }
            (Some([_, along]), None) => {
                tally.error(&name, "missed", along / size, context);
                if along > 1e-6 * size {
                    tally.fail(&format!("{name} missed"), context);
                }
            }
            (Some([least, along]), Some(deepest)) => {
                tally.count("all", "touching");
                tally.error(&name, "deeper", ((deepest - along) / size).max(0.0), context);
                if deepest - along > DEPTH_BAR * size {
                    tally.fail(&format!("{name} too deep"), context);
                }
                // A thin wall that the body reaches through, whose far side is passed over.
                if least - deepest > DEPTH_BAR * size {
                    tally.error("all", "far sides of walls", (least - deepest) / size, context);
                } else {
                    tally.error(&name, "shallower", ((least - deepest) / size).max(0.0), context);
                }
            }
        }
    });
    let (far_sides, touching) = (tally.total("far sides of walls"), tally.total("touching"));
    tally.conclude("contacts with meshes");
    assert!(far_sides * 50 <= touching, "{far_sides} of {touching} depths are those of the other side of a wall");
}
