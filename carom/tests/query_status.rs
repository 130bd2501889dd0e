//! What answers prove: each status, and planes between convex shapes against the reach of the shapes themselves.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Vec3};
use carom::pose::Pose;
use carom::query::{self, Distance, Gap, QueryError, Status, Stop};
use carom::shape::{Shape, SupportMap};
use distance_shapes::{convex, reach};
use fastrand::Rng;
use random::{cube, direction, rotation};

#[test]
fn a_plane_between_shapes_has_them_on_its_sides() {
    let mut random = Rng::with_seed(1);
    let mut counts = [0; 2];
    for case in 0..20_000 {
        let (a, b) = (convex(&mut random, 10.0), convex(&mut random, 10.0));
        let far = cube(&mut random) * [1.0, 1e3, 1e7][case % 3];
        let pose_a = Pose::new(far, rotation(&mut random));
        let mut pose_b = Pose::new(far + cube(&mut random) * 5.0, rotation(&mut random));
        if case % 4 == 0
            && let Some(gap) = query::distance(&a, &pose_a, &b, &pose_b).unwrap().gap()
        {
            // Down to a gap of some thousandths of a millionth.
            pose_b.position -= gap.normal.as_dvec3() * (gap.distance - 1e-9).max(0.0);
        }
        let apart = query::distance(&a, &pose_a, &b, &pose_b).unwrap();
        let plane = query::separating_plane(&a, &pose_a, &b, &pose_b).unwrap();
        let context = || format!("{a:?} {pose_a:?}\n{b:?} {pose_b:?}\n{apart:?}\n{plane:?}");
        let Some(plane) = plane else {
            counts[0] += 1;
            assert!(apart.lower() <= 1e-11 + 1e-14 * far.length(), "{}", context());
            continue;
        };
        counts[1] += 1;
        assert_eq!(apart.status(), Status::Separated, "{}", context());
        assert!((plane.normal.length() - 1.0).abs() < 1e-14, "{}", context());
        let below = plane.height(pose_a.position) + reach(&a, pose_a.rotation, plane.normal);
        let above = plane.height(pose_b.position) - reach(&b, pose_b.rotation, -plane.normal);
        assert!(below < 0.0 && above > 0.0, "{below:e} {above:e} {}", context());
    }
    println!("{} without a plane, {} with one", counts[0], counts[1]);
    assert!(counts.iter().all(|count| *count > 1_000), "{counts:?}");
    let floor = Shape::half_space([0.0, 1.0, 0.0]).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let over = query::separating_plane(&floor, &Pose::IDENTITY, &ball, &Pose::at([3.0, 2.5, 1.0])).unwrap().unwrap();
    assert!(over.normal == DVec3::Y && (over.point.y - 1.0).abs() < 1e-12);
    let sheet = Shape::mesh(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert_eq!(query::separating_plane(&sheet, &Pose::IDENTITY, &ball, &Pose::at([9.0, 0.0, 0.0])).unwrap(), None);
}

#[test]
fn touching_pairs_are_told_as_such() {
    let mut random = Rng::with_seed(2);
    let mut counts = [0; 4];
    for _ in 0..3_000 {
        let (a, b) = (convex(&mut random, 3.0), convex(&mut random, 3.0));
        let pose_a = Pose::new(cube(&mut random), rotation(&mut random));
        let pose_b = Pose::new(cube(&mut random) * 3.0, rotation(&mut random));
        let first = query::penetration(&a, &pose_a, &b, &pose_b).unwrap();
        for by in [-1e-3, 0.0, 1e-3] {
            let way = (first.depth + by) * first.normal.as_dvec3();
            let at = Pose { position: pose_b.position + way, ..pose_b };
            let found = query::penetration(&a, &pose_a, &b, &at).unwrap();
            let distance = query::distance(&a, &pose_a, &b, &at).unwrap();
            let status = found.status();
            counts[status as usize] += 1;
            match status {
                Status::Separated => assert!(found.upper < 0.0 && found.depth < 0.0 && distance.gap().is_some()),
                Status::Touching => assert!(found.depth.abs() < 1e-6, "{found:?}"),
                Status::Overlapping => assert!(found.lower > 0.0 && distance.value() == 0.0, "{found:?} {distance:?}"),
                Status::IterationLimit => assert!(found.stop == Stop::IterationLimit),
            }
            if by != 0.0 && first.depth.abs() > 1e-2 {
                assert!(status != Status::Touching, "{found:?}");
            }
        }
    }
    println!("separated, touching, overlapping, limit: {counts:?}");
    // Faces on faces, exactly, and balls that touch.
    let cube = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let beside = query::penetration(&cube, &Pose::IDENTITY, &cube, &Pose::at([2.0, 0.3, 0.0])).unwrap();
    assert_eq!(beside.status(), Status::Touching, "{beside:?}");
    let ball = Shape::sphere(1.0).unwrap();
    let touching = query::distance(&ball, &Pose::IDENTITY, &ball, &Pose::at([0.0, 2.0, 0.0])).unwrap();
    assert_eq!(touching.status(), Status::Touching, "{touching:?}");
    assert!(counts[0] > 1_000 && counts[2] > 1_000, "{counts:?}");
}

/// A support map that is not of any convex shape: it answers with noise.
#[derive(Debug)]
struct Noise;

impl SupportMap for Noise {
    fn support(&self, direction: Vec3) -> Vec3 {
        let turned = Vec3::new((direction.x * 9e3).sin(), (direction.y * 9e3).sin(), (direction.z * 9e3).sin());
        direction + turned
    }
}

#[test]
fn what_is_not_proven_is_told() {
    let gap = Gap {
        distance: 1.0,
        on_a: DVec3::ZERO,
        on_b: DVec3::X,
        normal: Vec3::X,
        lower: 0.0,
        upper: 1.0,
        stop: Stop::IterationLimit,
    };
    assert_eq!(Distance::Undecided(gap).status(), Status::IterationLimit);
    // Whatever a map that contradicts itself brings about, the bounds are in order and the status follows from them.
    let (noise, mut random) = (Shape::custom(Noise), Rng::with_seed(3));
    for _ in 0..2_000 {
        let pose = Pose::at(direction(&mut random) * random.f64() * 4.0);
        let found = query::distance(&noise, &Pose::IDENTITY, &Shape::sphere(0.5).unwrap(), &pose).unwrap();
        assert!(found.lower() <= found.upper(), "{found:?}");
        assert_eq!(found.status() == Status::Separated, found.lower() > 0.0, "{found:?}");
    }
    // Two half-spaces: as far as there is a depth it is told, and else why there is none.
    let floor = Shape::half_space([0.0, 1.0, 0.0]).unwrap();
    let ceiling = Shape::half_space([0.0, -1.0, 0.0]).unwrap();
    let deep = query::penetration(&floor, &Pose::IDENTITY, &ceiling, &Pose::at([5.0, -0.5, 0.0])).unwrap();
    assert!((deep.depth - 0.5).abs() < 1e-12 && deep.normal == Vec3::Y, "{deep:?}");
    let endless = query::penetration(&floor, &Pose::IDENTITY, &floor, &Pose::at([0.0, 3.0, 0.0]));
    assert_eq!(endless, Err(QueryError::Endless));
}
