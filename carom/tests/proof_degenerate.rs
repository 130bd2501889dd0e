//! Shapes and poses at the edge of what there is: flat, thin as a needle, a point, tiny, huge, coincident, nested,
//! touching to the bit, unsound. Each question has an answer with bounds in order or a typed error: never NaN, never a
//! panic, and where the truth is plain it is the truth.

mod proof_support;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::narrow::{LocalContact, contact};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance};
use carom::shape::Shape;
use fastrand::Rng;
use proof_support::tally::Tally;
use random::{cube, direction, rotation, rotation_often_aligned};
use std::fmt::Debug;

/// Thin, flat, pointed, tiny and huge ones. Those that a constructor refuses are left out: that is a status too.
fn shapes() -> Vec<Shape> {
    let points = |points: &[[f32; 3]]| points.iter().map(|point| Vec3::from_array(*point)).collect::<Vec<_>>();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let almost_flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1e-7], [0.0, 1.0, 0.0], [0.5, 0.5, 1e-6]];
    let needle = [[0.0, -1.0, 0.0], [1e-6, 1.0, 0.0], [0.0, 1.0, 1e-6], [-1e-6, 1.0, -1e-6]];
    let same = [[0.5, 0.5, 0.5]; 8];
    let mut all = vec![
        Ok(Shape::point()),
        Shape::segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        Shape::segment([0.0; 3], [1e-20, 0.0, 0.0]),
        Shape::triangle([0.0; 3], [1.0, 0.0, 0.0], [0.5, 1e-6, 0.0]),
        Shape::triangle([-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]),
        Shape::triangle([0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
        Shape::sphere(1.0),
        Shape::sphere(0.0),
        Shape::sphere(1e-30),
        Shape::sphere(1e30),
        Shape::cuboid(1.0, 1.0, 1.0),
        Shape::cuboid(1.0, 1e-6, 1.0),
        Shape::cuboid(1e-6, 1.0, 1e-6),
        Shape::cuboid(1e-20, 1e-20, 1e-20),
        Shape::cuboid(1e15, 1e15, 1e15),
        Shape::cuboid(1.0, 0.0, 1.0),
        Shape::capsule(1.0, 1e-7),
        Shape::capsule(1e-7, 1.0),
        Shape::capsule(1.0, 0.0),
        Shape::cylinder(1e-6, 1.0),
        Shape::cylinder(1.0, 1e-6),
        Shape::cylinder(1.0, 1.0),
        Shape::cone(1.0, 1e-6),
        Shape::cone(1e-6, 1.0),
        Shape::cone(1.0, 1.0),
        Shape::ellipsoid(1.0, 1e-5, 1.0),
        Shape::ellipsoid(1e-5, 1.0, 1e-5),
        Shape::ellipsoid(1.0, 1.0, 1.0),
        Shape::hull(&points(&square)),
        Shape::hull(&points(&almost_flat)),
        Shape::hull(&points(&needle)),
        Shape::hull(&points(&same)),
        Shape::half_space([0.0, 1.0, 0.0]),
    ];
    let grown: Vec<_> = all.iter().flatten().map(|shape| shape.rounded(1e-3)).collect();
    all.extend(grown);
    all.into_iter().flatten().collect()
}

/// All questions; what cannot be true is noted.
fn ask(tally: &mut Tally, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    let pair = format!("{}/{}", a.kind(), b.kind());
    let mut check = |is_true: bool, what: &str, found: &dyn Debug| {
        if !is_true {
            tally.fail(&format!("{what}, {pair}"), || {
                format!("{found:?}\n      {a:?} {pose_a:?}\n      {b:?} {pose_b:?}")
            });
        }
    };
    let is_unit = |normal: Vec3| (normal.length() - 1.0).abs() < 1e-5;
    let distance = query::distance(a, pose_a, b, pose_b);
    if let Ok(found) = &distance {
        let bounds = [found.lower(), found.value(), found.upper()];
        check(bounds.iter().all(|bound| bound.is_finite() && *bound >= 0.0), "distance", found);
        check(bounds[0] <= bounds[1] && bounds[1] <= bounds[2], "order of the bounds", found);
        match found {
            Distance::Apart(gap) | Distance::Undecided(gap) => {
                check(gap.on_a.is_finite() && gap.on_b.is_finite() && is_unit(gap.normal), "gap", found);
            }
            Distance::Overlapping { common, .. } => check(common.is_finite(), "common point", found),
        }
    }
    let overlap = query::overlap(a, pose_a, b, pose_b);
    if let (Ok(found), Ok(answer)) = (&distance, &overlap) {
        let scale = (pose_b.position - pose_a.position).length() + 1.0;
        check(!(found.lower() > 1e-9 * scale && *answer), "wrong yes", found);
    }
    if let Ok(found) = &query::penetration(a, pose_a, b, pose_b) {
        let numbers = [found.depth, found.lower, found.upper];
        check(numbers.iter().all(|number| number.is_finite()), "depth", found);
        check(is_unit(found.normal) && found.on_a.is_finite() && found.on_b.is_finite(), "normal and points", found);
        let slack = 1e-9 * (found.depth.abs() + 1.0);
        let is_ordered = found.lower <= found.depth + slack && found.depth <= found.upper + slack;
        check(is_ordered, "order of the depth's bounds", found);
    }
    let b_in_a = Pose::b_in_a(pose_a, pose_b);
    for margin in [0.0, 0.5] {
        if let Ok(Some(manifold)) = &contact(a, b, &b_in_a, margin) {
            let is_sound = |found: &LocalContact| found.point.is_finite() && found.depth.is_finite();
            check(is_unit(manifold.normal) && !manifold.contacts().is_empty(), "manifold", manifold);
            // `contacts_of_a_ball_and_a_capsule_are_numbers` in proof_regressions.rs.
            let is_known = is_ball(a) && is_segment(b) || is_segment(a) && is_ball(b);
            check(is_known || manifold.contacts().iter().all(is_sound), "contact", manifold);
        }
    }
}

fn is_ball(shape: &Shape) -> bool {
    matches!(shape, Shape::Point(_) | Shape::Sphere(_))
}

fn is_segment(shape: &Shape) -> bool {
    matches!(shape, Shape::Segment(_) | Shape::Capsule(_))
}

#[test]
fn every_pair_has_a_status_everywhere() {
    let shapes = shapes();
    let mut random = Rng::with_seed(91);
    let mut tally = Tally::default();
    for a in &shapes {
        for b in &shapes {
            let mut places = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE, DVec3::Y * 2.0, DVec3::X * 2.0];
            places.extend([DVec3::splat(1e-30), DVec3::X * 1e6, DVec3::Y * 1e30, DVec3::X * 1e-7]);
            places.extend((0..6).map(|_| cube(&mut random) * [1e-6, 1.0, 3.0][random.usize(0..3)]));
            for place in places {
                for aligned in [true, false] {
                    let turn = if aligned { Quat::IDENTITY } else { rotation_often_aligned(&mut random) };
                    let pose_a = Pose::new(DVec3::ZERO, if aligned { Quat::IDENTITY } else { rotation(&mut random) });
                    ask(&mut tally, a, &pose_a, b, &Pose::new(place, turn));
                    tally.count("all", "questions");
                }
            }
        }
    }
    tally.conclude(&format!("{} degenerate shapes", shapes.len()));
}

#[test]
fn unsound_poses_are_refused() {
    let cube = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let unsound = [
        Pose::at([f64::NAN, 0.0, 0.0]),
        Pose::at([0.0, f64::INFINITY, 0.0]),
        Pose::new(DVec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        Pose::new(DVec3::ZERO, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)),
        Pose::new(DVec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)),
    ];
    for pose in &unsound {
        for [pose_a, pose_b] in [[pose, &Pose::IDENTITY], [&Pose::IDENTITY, pose]] {
            assert!(query::distance(&cube, pose_a, &cube, pose_b).is_err(), "{pose:?}");
            assert!(query::overlap(&cube, pose_a, &cube, pose_b).is_err(), "{pose:?}");
            assert!(query::penetration(&cube, pose_a, &cube, pose_b).is_err(), "{pose:?}");
        }
        let local = LocalPose::new(pose.position.as_vec3(), pose.rotation);
        assert!(contact(&cube, &cube, &local, 0.0).is_err(), "{pose:?}");
    }
    for margin in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(contact(&cube, &cube, &LocalPose::IDENTITY, margin).is_err(), "{margin}");
    }
}

/// A solid at its own place overlaps itself, by no less than the thinnest of it and no more than twice the ball around
/// it.
#[test]
fn a_shape_overlaps_itself() {
    let mut random = Rng::with_seed(92);
    for shape in shapes() {
        if matches!(shape, Shape::HalfSpace(_)) {
            continue;
        }
        for _ in 0..20 {
            let pose = Pose::new(cube(&mut random) * 10.0, rotation(&mut random));
            let found = query::distance(&shape, &pose, &shape, &pose).unwrap();
            // A needle may be thinner than what the rounding of its rotation moves it by.
            assert!(found.value() < 1e-12, "{shape:?} {pose:?} {found:?}");
            assert_eq!(query::overlap(&shape, &pose, &shape, &pose), Ok(true), "{shape:?} {pose:?}");
        }
    }
}

/// A small solid well inside a large one: it gets free along the nearest side, with all of its own extent on top.
#[test]
fn nested_solids_are_as_deep_as_the_way_out() {
    let mut random = Rng::with_seed(93);
    for _ in 0..2_000 {
        let half = Vec3::new(1.0 + random.f32(), 1.0 + random.f32(), 1.0 + random.f32());
        let radius = 0.01 + 0.1 * random.f32();
        let (large, ball) = (Shape::cuboid(half.x, half.y, half.z).unwrap(), Shape::sphere(radius).unwrap());
        let place = cube(&mut random) * 0.8;
        let turn = rotation(&mut random);
        let world = turn.as_dquat().normalize() * place;
        let found = query::penetration(&large, &Pose::new(DVec3::ZERO, turn), &ball, &Pose::at(world)).unwrap();
        let expected = (half.as_dvec3() - place.abs()).min_element() + f64::from(radius);
        assert!((found.depth - expected).abs() < 1e-9, "{expected} {found:?}");
        // Balls in a ball: along the line of the centres.
        let (outer, offset) = (Shape::sphere(2.0).unwrap(), direction(&mut random) * random.f64());
        let found = query::penetration(&outer, &Pose::IDENTITY, &ball, &Pose::at(offset)).unwrap();
        let expected = 2.0 + f64::from(radius) - offset.length();
        assert!((found.depth - expected).abs() < 1e-9, "{expected} {found:?}");
    }
}
