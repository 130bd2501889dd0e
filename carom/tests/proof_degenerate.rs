//! Shapes and poses at the edge of what there is: flat, thin as a needle, a point, tiny, huge, coincident, nested,
//! touching to the bit, unsound. Each question has an answer with bounds in order or a typed error: never NaN, never a
//! panic, and where the truth is plain it is the truth.

mod proof_support;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::narrow::{ContactBuffer, ContactError, LocalContact, PartManifold, contact, contacts};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Cast, Distance, Ray, Sweep};
use carom::shape::{Part, Shape, ShapeError, SupportMap};
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

/// Surfaces and compounds with as little sense: slivers, specks, a closed mesh without a volume, cliffs, parts on top of
/// each other. What a constructor refuses is left out here, too.
fn surfaces() -> Vec<Shape> {
    let points = |points: &[[f32; 3]]| points.iter().map(|point| Vec3::from_array(*point)).collect::<Vec<_>>();
    let corners = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    let solid = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    let scaled = |scale: f32| points(&corners).iter().map(|point| *point * scale).collect::<Vec<_>>();
    let flat = points(&[[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]);
    let slivers = points(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1e-6], [0.0, 1e-6, -1e-6]]);
    let on_top = |shape: Result<Shape, ShapeError>| {
        shape.and_then(|shape| {
            let part = || Part { pose: LocalPose::IDENTITY, shape: shape.clone() };
            Shape::compound(vec![part(), part()])
        })
    };
    let all = [
        Shape::mesh(scaled(1.0), solid.clone()),
        Shape::mesh(scaled(1e-15), solid.clone()),
        Shape::mesh(scaled(1e12), solid.clone()),
        Shape::mesh(flat.clone(), vec![[0, 1, 2], [0, 2, 1]]),
        Shape::mesh(flat, solid),
        Shape::mesh(slivers, vec![[0, 1, 2], [0, 1, 3]]),
        Shape::mesh(points(&[[0.0; 3]; 3]), vec![[0, 1, 2]]),
        Shape::height_field(3, 3, vec![0.0; 9], [1.0, 1.0]),
        Shape::height_field(2, 2, vec![0.0, 1e6, -1e6, 0.0], [1e-3, 1e-3]),
        Shape::height_field(3, 3, vec![1e-30; 9], [1e-12, 1e-12]),
        on_top(Shape::cuboid(1.0, 1.0, 1.0)),
        on_top(Ok(Shape::point())),
        on_top(Shape::mesh(scaled(1.0), vec![[0, 1, 2]])),
        Ok(Shape::custom(Speck)),
    ];
    all.into_iter().flatten().collect()
}

/// A user's shape without any extent.
#[derive(Debug)]
struct Speck;

impl SupportMap for Speck {
    fn support(&self, _: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

/// Counts the errors of one question by their sort.
fn count_error<E: Debug>(tally: &mut Tally, pair: &str, question: &'static str, error: &E) {
    let text = format!("{error:?}");
    let sort = text.split([' ', '(', '{']).next().unwrap_or_default();
    tally.count(&format!("{question} refused: {sort}, {pair}"), "times");
}

fn is_unit(normal: Vec3) -> bool {
    (normal.length() - 1.0).abs() < 1e-5
}

/// All questions; what cannot be true is noted, and errors are counted.
fn ask(tally: &mut Tally, buffer: &mut ContactBuffer, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    let pair = format!("{}/{}", a.kind(), b.kind());
    let context = |found: &dyn Debug| format!("{found:?}\n      {a:?} {pose_a:?}\n      {b:?} {pose_b:?}");
    let check = |tally: &mut Tally, is_true: bool, what: &str, found: &dyn Debug| {
        if !is_true {
            tally.fail(&format!("{what}, {pair}"), || context(found));
        }
    };
    let distance = query::distance(a, pose_a, b, pose_b);
    match &distance {
        Ok(found) => {
            let bounds = [found.lower(), found.value(), found.upper()];
            check(tally, bounds.iter().all(|bound| bound.is_finite() && *bound >= 0.0), "distance", found);
            check(tally, bounds[0] <= bounds[1] && bounds[1] <= bounds[2], "order of the bounds", found);
            match found {
                Distance::Apart(gap) | Distance::Undecided(gap) => {
                    let is_sound = gap.on_a.is_finite() && gap.on_b.is_finite() && is_unit(gap.normal);
                    check(tally, is_sound, "gap", found);
                }
                Distance::Overlapping { common, .. } => check(tally, common.is_finite(), "common point", found),
            }
        }
        Err(error) => count_error(tally, &pair, "distance", error),
    }
    let overlap = query::overlap(a, pose_a, b, pose_b);
    match (&distance, &overlap) {
        (Ok(found), Ok(answer)) => {
            let scale = (pose_b.position - pose_a.position).length() + 1.0;
            check(tally, !(found.lower() > 1e-9 * scale && *answer), "wrong yes", found);
        }
        (_, Err(error)) => count_error(tally, &pair, "overlap", error),
        (Err(_), Ok(_)) => {}
    }
    match &query::penetration(a, pose_a, b, pose_b) {
        Ok(found) => {
            let numbers = [found.depth, found.lower, found.upper];
            check(tally, numbers.iter().all(|number| number.is_finite()), "depth", found);
            let is_sound = is_unit(found.normal) && found.on_a.is_finite() && found.on_b.is_finite();
            check(tally, is_sound, "normal and points", found);
            let slack = 1e-9 * (found.depth.abs() + 1.0);
            let is_ordered = found.lower <= found.depth + slack && found.depth <= found.upper + slack;
            check(tally, is_ordered, "order of the depth's bounds", found);
        }
        Err(error) => count_error(tally, &pair, "depth", error),
    }
    let motion = (pose_a.position - pose_b.position) * 2.0 + DVec3::new(0.3, -0.1, 0.2);
    match &query::cast(b, pose_b, a, pose_a, &Sweep::by(motion)) {
        Ok(found) => {
            if let Some(impact) = found.impact() {
                let is_sound = (0.0..=1.0).contains(&impact.time)
                    && !impact.distance.is_nan()
                    && is_unit(impact.normal)
                    && impact.on_a.is_finite()
                    && impact.on_b.is_finite();
                check(tally, is_sound, "cast", found);
            }
            if matches!(found, Cast::Undecided(_)) {
                tally.count(&format!("cast undecided, {pair}"), "times");
            }
        }
        Err(error) => count_error(tally, &pair, "cast", error),
    }
    let b_in_a = Pose::b_in_a(pose_a, pose_b);
    let is_sound = |found: &LocalContact| found.point.is_finite() && found.depth.is_finite();
    for margin in [0.0, 0.5] {
        match contacts(a, b, &b_in_a, margin, buffer) {
            Ok(()) => {
                for PartManifold { manifold, .. } in buffer.manifolds() {
                    check(tally, is_unit(manifold.normal) && !manifold.contacts().is_empty(), "patch", manifold);
                    check(tally, manifold.contacts().iter().all(is_sound), "contact of a patch", manifold);
                }
            }
            Err(error) => count_error(tally, &pair, "contacts", &error),
        }
        match &contact(a, b, &b_in_a, margin) {
            Ok(Some(manifold)) => {
                check(tally, is_unit(manifold.normal) && !manifold.contacts().is_empty(), "manifold", manifold);
                check(tally, manifold.contacts().iter().all(is_sound), "contact", manifold);
            }
            Ok(None) => {}
            // Surfaces and compounds have patches instead.
            Err(ContactError::NoTest(_)) => tally.count("no single contact", "times"),
            Err(error) => count_error(tally, &pair, "contact", error),
        }
    }
}

/// Rays at a shape and points beside it, in it and on it.
fn ask_one(tally: &mut Tally, shape: &Shape, pose: &Pose, random: &mut Rng) {
    let kind = shape.kind().to_string();
    for place in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Y * 1e-7, DVec3::ONE * 3.0, DVec3::X * 1e6, DVec3::Y * 1e30] {
        let point = pose.position + place;
        let fail = |tally: &mut Tally, what: &str, found: &dyn Debug| {
            tally.fail(&format!("{what}, {kind}"), || format!("{found:?}\n      {shape:?} {pose:?} {point:?}"));
        };
        match &query::project_point(shape, pose, point) {
            Ok(found) if found.point.is_finite() && found.distance >= 0.0 => tally.count(&kind, "projections"),
            Ok(found) => fail(tally, "projection", found),
            Err(error) => count_error(tally, &kind, "projection", error),
        }
        for aim in [DVec3::X, -DVec3::Y, direction(random), -place] {
            let Some(aim) = aim.try_normalize() else { continue };
            let ray = Ray::new(point, aim.as_vec3());
            match &query::ray_cast(shape, pose, &ray) {
                Ok(None) => tally.count(&kind, "rays that miss"),
                Ok(Some(hit)) if hit.distance >= 0.0 && hit.point.is_finite() && is_unit(hit.normal) => {
                    tally.count(&kind, "rays that hit");
                }
                Ok(Some(hit)) => fail(tally, "ray", &(hit, ray)),
                Err(error) => count_error(tally, &kind, "ray", error),
            }
        }
    }
}

#[test]
fn every_pair_has_a_status_everywhere() {
    let mut shapes = shapes();
    shapes.extend(surfaces());
    let mut random = Rng::with_seed(91);
    let mut tally = Tally::default();
    let mut buffer = ContactBuffer::new();
    for a in &shapes {
        for pose in [Pose::IDENTITY, Pose::new(DVec3::new(1e6, 0.0, -1e6), rotation(&mut random))] {
            ask_one(&mut tally, a, &pose, &mut random);
        }
        for b in &shapes {
            let is_slow = a.as_support_map().is_none() && b.as_support_map().is_none();
            let mut places = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE, DVec3::Y * 2.0, DVec3::X * 2.0];
            places.extend([DVec3::splat(1e-30), DVec3::X * 1e6, DVec3::Y * 1e30, DVec3::X * 1e-7]);
            places.extend((0..6).map(|_| cube(&mut random) * [1e-6, 1.0, 3.0][random.usize(0..3)]));
            for (index, place) in places.into_iter().enumerate() {
                // Two surfaces at a quarter of the places in each way: their ways out are long searches.
                let ways =
                    [true, false].into_iter().filter(|aligned| !is_slow || index % 4 == 2 * usize::from(*aligned));
                for aligned in ways {
                    let turn = if aligned { Quat::IDENTITY } else { rotation_often_aligned(&mut random) };
                    let pose_a = Pose::new(DVec3::ZERO, if aligned { Quat::IDENTITY } else { rotation(&mut random) });
                    ask(&mut tally, &mut buffer, a, &pose_a, b, &Pose::new(place, turn));
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
