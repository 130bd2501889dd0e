//! Distances of shapes where things go wrong: coincident, nested, touching, huge next to tiny, not finite.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance, QueryError};
use carom::shape::{Part, Shape, SupportMap};
use distance_shapes::{convex, reach};
use fastrand::Rng;
use random::{cube, direction, rotation};

/// One of every kind.
fn every_shape() -> Vec<Shape> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let cuboid = Shape::cuboid(0.5, 0.25, 1.0).unwrap();
    let hull = Shape::hull(&corners).unwrap();
    let triangle = Shape::triangle(Vec3::X, Vec3::Y, Vec3::Z).unwrap();
    vec![
        Shape::point(),
        Shape::segment(-Vec3::X, Vec3::Y).unwrap(),
        triangle.clone(),
        triangle.rounded(0.1).unwrap(),
        Shape::sphere(0.5).unwrap(),
        cuboid.clone(),
        cuboid.rounded(0.2).unwrap(),
        Shape::capsule(0.5, 0.25).unwrap(),
        Shape::cylinder(0.5, 0.25).unwrap(),
        Shape::cone(0.5, 0.25).unwrap(),
        Shape::ellipsoid(0.5, 0.25, 1.0).unwrap(),
        hull.clone(),
        hull.rounded(0.1).unwrap(),
        Shape::half_space(Vec3::Y).unwrap(),
        Shape::mesh(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap(),
        Shape::height_field(3, 2, vec![0.0, 0.5, 0.0, 0.25, 0.0, -0.5], [1.0, 1.0]).unwrap(),
        Shape::compound(vec![
            Part { pose: LocalPose::at([1.0, 0.0, 0.0]), shape: Shape::sphere(0.5).unwrap() },
            Part { pose: LocalPose::at([-1.0, 0.0, 0.0]), shape: cuboid },
        ])
        .unwrap(),
        Shape::custom(Diamond),
    ]
}

#[derive(Debug)]
struct Diamond;

impl SupportMap for Diamond {
    fn support(&self, direction: Vec3) -> Vec3 {
        let axis = direction.abs().max_position();
        Vec3::AXES[axis] * if direction[axis] < 0.0 { -1.0 } else { 1.0 }
    }
}

#[test]
fn every_pair_answers_alike_both_ways() {
    let shapes = every_shape();
    let mut random = Rng::with_seed(1);
    for a in &shapes {
        for b in &shapes {
            for case in 0..60 {
                let spread = [0.5, 2.0, 8.0][case % 3];
                let pose_a = Pose::new(cube(&mut random) * spread, rotation(&mut random));
                let pose_b = Pose::new(cube(&mut random) * spread, rotation(&mut random));
                let one = query::distance(a, &pose_a, b, &pose_b).unwrap();
                let other = query::distance(b, &pose_b, a, &pose_a).unwrap();
                let custom = matches!(a, Shape::Custom(_)) || matches!(b, Shape::Custom(_));
                let tolerance = if custom { 1e-5 } else { 1e-10 };
                let context = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?}\n{one:?}\n{other:?}");
                assert!((one.value() - other.value()).abs() <= tolerance, "{}", context());
                for found in [&one, &other] {
                    assert!(!matches!(found, Distance::Undecided(_)), "{}", context());
                    assert!(found.lower() <= found.value() && found.value() <= found.upper(), "{}", context());
                    assert!(found.upper() - found.lower() <= 4.0 * tolerance, "{}", context());
                }
                assert_eq!(query::overlap(a, &pose_a, b, &pose_b), Ok(one.gap().is_none()), "{}", context());
                if let Some(gap) = one.gap() {
                    assert!((gap.on_a.distance(gap.on_b) - gap.distance).abs() <= tolerance, "{}", context());
                    assert!((gap.normal.length() - 1.0).abs() < 1e-6, "{}", context());
                    // Sliding b away by the gap's normal opens it by as much.
                    let away = Pose { position: pose_b.position + 3.0 * gap.normal.as_dvec3(), ..pose_b };
                    let convex = a.as_support_map().is_some() && b.as_support_map().is_some();
                    if convex {
                        let farther = query::distance(a, &pose_a, b, &away).unwrap().value();
                        assert!((farther - gap.distance - 3.0).abs() < 1e-5, "{farther} {}", context());
                    }
                }
            }
        }
    }
}

#[test]
fn a_common_point_is_in_both() {
    let mut random = Rng::with_seed(2);
    let mut overlapping = 0;
    for case in 0..40_000 {
        let ratio = [10.0, 1e4][case % 2];
        let (a, b) = (convex(&mut random, ratio), convex(&mut random, ratio));
        let pose_a = Pose::new(cube(&mut random) * 0.5, rotation(&mut random));
        let pose_b = Pose::new(cube(&mut random) * 0.5, rotation(&mut random));
        let found = query::distance(&a, &pose_a, &b, &pose_b).unwrap();
        assert!(!matches!(found, Distance::Undecided(_)), "{a:?} {pose_a:?} {b:?} {pose_b:?}");
        let Distance::Overlapping { common, .. } = found else { continue };
        overlapping += 1;
        for (shape, pose) in [(&a, &pose_a), (&b, &pose_b)] {
            for _ in 0..50 {
                let along = direction(&mut random);
                let outside = along.dot(common - pose.position) - reach(shape, pose.rotation, along);
                assert!(outside <= 1e-11, "{outside} {shape:?} {pose:?} {common}");
            }
        }
    }
    assert!(overlapping > 5_000, "{overlapping}");
}

#[test]
fn coincident_and_nested_shapes_overlap() {
    for shape in every_shape() {
        let pose = Pose::new(DVec3::new(1.0, 2.0, 3.0), Quat::from_rotation_y(0.3));
        assert_eq!(query::overlap(&shape, &pose, &shape, &pose), Ok(true), "{shape:?}");
        // A grain inside a solid that is ten thousand times as large, off its middle.
        let grain = Shape::cuboid(1e-4, 1e-4, 1e-4).unwrap();
        let hall = Shape::ellipsoid(1.0, 2.0, 3.0).unwrap();
        assert_eq!(query::overlap(&grain, &Pose::at([0.3, 0.2, -0.4]), &hall, &Pose::IDENTITY), Ok(true));
    }
    // A mesh is a surface: what is inside is at the distance to its triangles.
    let corners: Vec<Vec3> =
        (0..8).map(|bits| Vec3::from_array([0, 1, 2].map(|axis| (bits >> axis & 1) as f32 * 2.0 - 1.0))).collect();
    let triangles = vec![
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    let (closed, open) = (Shape::mesh(corners.clone(), triangles.clone()).unwrap(), triangles[2..].to_vec());
    let open = Shape::mesh(corners, open).unwrap();
    let ball = Shape::sphere(0.25).unwrap();
    let ask = |shell: &Shape| query::distance(shell, &Pose::IDENTITY, &ball, &Pose::at([0.5, 0.0, 0.0])).unwrap();
    assert!(matches!(ask(&closed), query::Distance::Overlapping { .. }), "{:?}", ask(&closed));
    assert!((ask(&open).value() - 0.25).abs() < 1e-12, "{:?}", ask(&open));
}

#[test]
fn huge_next_to_tiny_and_at_the_ends_of_the_range() {
    let floor = Shape::cuboid(1e4, 1.0, 1e4).unwrap();
    let grain = Shape::sphere(1e-2).unwrap();
    let found = query::distance(&floor, &Pose::IDENTITY, &grain, &Pose::at([8765.432, 1.0125, -4321.0])).unwrap();
    assert!((found.value() - (0.0125 - f64::from(1e-2_f32))).abs() < 1e-10, "{found:?}");
    let (huge, tiny) = (Shape::cylinder(1e30, 1e30).unwrap(), Shape::cone(1e-30, 1e-30).unwrap());
    let found = query::distance(&huge, &Pose::IDENTITY, &tiny, &Pose::at([3e30, 0.0, 0.0])).unwrap();
    assert!((found.value() / 2e30 - 1.0).abs() < 1e-6, "{found:?}");
    let found = query::distance(&tiny, &Pose::IDENTITY, &tiny, &Pose::at([4e-30, 0.0, 0.0])).unwrap();
    assert!((found.value() / 2e-30 - 1.0).abs() < 1e-6, "{found:?}");
    for size in [1e-38_f32, 1e38] {
        let (a, b) = (Shape::ellipsoid(size, size, size).unwrap(), Shape::cuboid(size, size, size).unwrap());
        let apart = Pose::at([4.0 * f64::from(size), 0.0, 0.0]);
        let found = query::distance(&a, &Pose::IDENTITY, &b, &apart).unwrap();
        assert!((found.value() / f64::from(size) - 2.0).abs() < 1e-6, "{size} {found:?}");
    }
}

#[test]
fn half_spaces_meet_unless_they_face_each_other() {
    let floor = Shape::half_space(Vec3::Y).unwrap();
    let ceiling = Pose::new(DVec3::new(5.0, 3.0, 1.0), Quat::from_rotation_x(std::f32::consts::PI));
    let found = query::distance(&floor, &Pose::IDENTITY, &floor, &ceiling).unwrap();
    assert!((found.value() - 3.0).abs() < 1e-12, "{found:?}");
    let mut random = Rng::with_seed(3);
    for _ in 0..2_000 {
        let (pose_a, pose_b) =
            (Pose::new(cube(&mut random), rotation(&mut random)), Pose::new(cube(&mut random), rotation(&mut random)));
        let found = query::distance(&floor, &pose_a, &floor, &pose_b).unwrap();
        let Distance::Overlapping { common, .. } = found else { panic!("{found:?}") };
        for pose in [pose_a, pose_b] {
            let normal = pose.rotation.as_dquat().normalize() * DVec3::Y;
            assert!(normal.dot(common - pose.position) <= 1e-9 * (1.0 + common.length()));
        }
    }
}

/// Not a support map at all: finite points that have nothing to do with the direction.
#[derive(Debug)]
struct Liar;

impl SupportMap for Liar {
    fn support(&self, direction: Vec3) -> Vec3 {
        let seed =
            direction.to_array().into_iter().fold(1_u64, |seed, x| seed * 31 % 1_000_003 + u64::from(x.to_bits()));
        cube(&mut Rng::with_seed(seed)).as_vec3()
    }
}

#[test]
fn a_support_map_that_lies_gets_an_answer_with_bounds_in_order() {
    let mut random = Rng::with_seed(4);
    let liar = Shape::custom(Liar);
    for _ in 0..2_000 {
        let (body, place) = (convex(&mut random, 10.0), Pose::new(cube(&mut random) * 3.0, rotation(&mut random)));
        let found = query::distance(&liar, &Pose::IDENTITY, &body, &place).unwrap();
        assert!(found.lower() <= found.value() && found.value() <= found.upper(), "{found:?}");
        let ray = query::Ray::new(cube(&mut random) * 3.0, cube(&mut random).as_vec3());
        let _ = query::ray_cast(&liar, &Pose::IDENTITY, &ray);
        let _ = query::project_point(&liar, &Pose::IDENTITY, place.position);
    }
}

#[derive(Debug)]
struct Broken;

impl SupportMap for Broken {
    fn support(&self, direction: Vec3) -> Vec3 {
        if direction.x > 0.3 { Vec3::NAN } else { direction }
    }
}

#[test]
fn what_cannot_be_computed_is_an_error() {
    let ball = Shape::sphere(1.0).unwrap();
    let good = Pose::IDENTITY;
    let bad = [
        Pose::at([f64::NAN, 0.0, 0.0]),
        Pose::at([f64::INFINITY, 0.0, 0.0]),
        Pose::new(DVec3::ZERO, Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0)),
        Pose::new(DVec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
    ];
    for shape in every_shape() {
        for pose in bad {
            for result in [query::distance(&shape, &pose, &ball, &good), query::distance(&ball, &good, &shape, &pose)] {
                assert!(matches!(result, Err(QueryError::Pose { .. })), "{result:?}");
            }
            assert!(query::overlap(&shape, &pose, &ball, &good).is_err());
        }
    }
    let far = query::distance(&ball, &Pose::at([-1e308, 0.0, 0.0]), &ball, &Pose::at([1e308, 0.0, 0.0]));
    assert!(matches!(far, Err(QueryError::TooFar { .. })), "{far:?}");
    let broken = Shape::custom(Broken);
    assert!(matches!(
        query::distance(&broken, &good, &ball, &Pose::at([9.0, 0.0, 0.0])),
        Err(QueryError::Support { .. })
    ));
}
