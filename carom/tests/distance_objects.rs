//! Distances between shapes against answers that are known by construction, closed forms and brute force in f64.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::Pose;
use carom::query::{self, Distance, Stop};
use carom::shape::Shape;
use distance_shapes::{Told, convex, golden, reach, separated, support, turn};
use fastrand::Rng;
use random::{cube, direction, rotation};

/// Two shapes with supports that face each other along a normal at a known distance: that is their distance.
#[derive(Debug)]
struct Known {
    a: Shape,
    pose_a: Pose,
    b: Shape,
    pose_b: Pose,
    distance: f64,
    size: f64,
}

fn known(random: &mut Rng, ratio: f32, distance: f64, place: DVec3) -> Known {
    let (a, b) = (convex(random, ratio), convex(random, ratio));
    let (rotation_a, rotation_b) = (rotation(random), rotation(random));
    let normal = direction(random);
    let facing = |shape: &Shape, rotation: Quat, along: DVec3| {
        turn(rotation) * support(shape, turn(rotation).conjugate() * along)
    };
    let on_a = facing(&a, rotation_a, normal);
    let on_b = facing(&b, rotation_b, -normal);
    let pose_a = Pose::new(place, rotation_a);
    let pose_b = Pose::new(place + on_a + distance * normal - on_b, rotation_b);
    let size = on_a.length() + on_b.length() + distance;
    Known { a, pose_a, b, pose_b, distance, size }
}

/// Asserts everything that a distance promises, against the known answer.
fn check(known: &Known, tolerance: f64) -> Distance {
    let Known { a, pose_a, b, pose_b, distance, size } = known;
    let found = query::distance(a, pose_a, b, pose_b).unwrap();
    let context = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?} \n{distance} {found:?}");
    let place_error = 4.0 * f64::EPSILON * pose_a.position.length();
    assert!((found.value() - distance).abs() <= tolerance * size + place_error, "wrong: {}", context());
    let slack = 1e-14 * size + place_error;
    assert!(found.lower() <= distance + slack && *distance <= found.upper() + slack, "bounds: {}", context());
    assert!(found.upper() - found.lower() <= tolerance * size, "loose: {}", context());
    match &found {
        Distance::Apart(gap) => {
            assert!((gap.on_a.distance(gap.on_b) - gap.distance).abs() <= 1e-12 * size + place_error, "{}", context());
            assert!(gap.lower > 0.0 && gap.stop != Stop::IterationLimit, "{}", context());
        }
        Distance::Overlapping { .. } => assert!(*distance <= tolerance * size, "{}", context()),
        Distance::Undecided(_) => panic!("undecided: {}", context()),
    }
    found
}

/// Asserts that the closest points are on the shapes: no direction has them outside.
fn check_points(random: &mut Rng, known: &Known, found: &Distance) {
    let Some(gap) = found.gap() else { return };
    for (shape, pose, point) in [(&known.a, &known.pose_a, gap.on_a), (&known.b, &known.pose_b, gap.on_b)] {
        for _ in 0..200 {
            let along = direction(random);
            let outside = along.dot(point - pose.position) - reach(shape, pose.rotation, along);
            assert!(outside <= 1e-12 * known.size, "{outside} outside of {shape:?} {pose:?} {gap:?}");
        }
    }
}

#[test]
fn a_gap_made_along_a_normal_is_found() {
    let mut random = Rng::with_seed(1);
    for case in 0..100_000 {
        let gap = [1.0, 1e-3, 100.0, 1e-6, 1e-9][case % 5];
        let known = known(&mut random, 10.0, gap, DVec3::ZERO);
        let found = check(&known, 1e-11);
        if case % 50 == 0 {
            check_points(&mut random, &known, &found);
        }
    }
}

#[test]
fn needles_and_slabs_are_no_exception() {
    let mut random = Rng::with_seed(2);
    for case in 0..100_000 {
        let known = known(&mut random, 1e4, [1.0, 1e-3, 1e-5][case % 3], DVec3::ZERO);
        check(&known, 1e-11);
    }
}

#[test]
fn far_from_the_origin_nothing_changes() {
    let mut random = Rng::with_seed(3);
    for case in 0..20_000 {
        let place = DVec3::new(1.0, -0.5, 0.25) * [1e6, 1e9][case % 2];
        let known = known(&mut random, 10.0, [1.0, 1e-2][case % 2], place);
        let found = query::distance(&known.a, &known.pose_a, &known.b, &known.pose_b).unwrap();
        // The pose itself is rounded: that is all that may be lost.
        let rounding = 4.0 * f64::EPSILON * place.length();
        assert!((found.value() - known.distance).abs() <= rounding + 1e-11, "{found:?} {}", known.distance);
    }
}

#[test]
fn touching_shapes_overlap_or_are_apart_by_rounding_only() {
    let mut random = Rng::with_seed(4);
    let mut apart = 0;
    for case in 0..40_000 {
        let known = known(&mut random, [10.0, 1e4][case % 2], 0.0, DVec3::ZERO);
        let found = check(&known, 1e-11);
        apart += usize::from(found.lower() > 0.0);
        // A thousandth of a millionth farther in, most overlap for sure; none may be undecided.
        let deeper = Pose { position: known.pose_b.position * (1.0 - 1e-9), ..known.pose_b };
        let found = query::distance(&known.a, &known.pose_a, &known.b, &deeper).unwrap();
        assert!(!matches!(found, Distance::Undecided(_)), "{known:?}\n{found:?}");
    }
    println!("{apart} of 40000 touching pairs are apart by rounding");
}

#[test]
fn mirrored_pairs_and_moved_pairs_have_the_same_distance() {
    let mut random = Rng::with_seed(5);
    for _ in 0..20_000 {
        let Known { a, pose_a, b, pose_b, size, .. } = known(&mut random, 100.0, 0.25, DVec3::ZERO);
        let one = query::distance(&a, &pose_a, &b, &pose_b).unwrap();
        let other = query::distance(&b, &pose_b, &a, &pose_a).unwrap();
        assert!((one.value() - other.value()).abs() <= 1e-11 * size, "{one:?} {other:?}");
        let (Some(gap), Some(mirrored)) = (one.gap(), other.gap()) else { panic!("{one:?} {other:?}") };
        assert!((gap.normal + mirrored.normal).length() < 1e-5, "{one:?} {other:?}");
        // Turned as a whole; the rotations are rounded to f32 on the way.
        let turned = rotation(&mut random);
        let moved = |pose: &Pose| Pose {
            position: turn(turned) * pose.position + DVec3::new(3.0, -2.0, 1.0),
            rotation: (turn(turned) * turn(pose.rotation)).as_quat(),
        };
        let moved = query::distance(&a, &moved(&pose_a), &b, &moved(&pose_b)).unwrap();
        assert!((one.value() - moved.value()).abs() <= 1e-6 * size, "{one:?} {moved:?}");
    }
}

#[test]
fn boxes_and_hulls_agree_with_all_separating_planes() {
    let mut random = Rng::with_seed(6);
    let (mut apart, mut over) = (0, 0);
    for _ in 0..4_000 {
        let mut polytope = || -> (Shape, Vec<DVec3>) {
            if random.bool() {
                let half = cube(&mut random).as_vec3().abs() + 0.05;
                let corner = |index: usize| {
                    half * Vec3::from_array([0, 1, 2].map(|axis| (index >> axis & 1) as f32 * 2.0 - 1.0))
                };
                let shape = Shape::cuboid(half.x, half.y, half.z).unwrap();
                (shape, (0..8).map(|index| corner(index).as_dvec3()).collect())
            } else {
                let points: Vec<Vec3> = (0..random.usize(4..10)).map(|_| cube(&mut random).as_vec3()).collect();
                (Shape::hull(&points).unwrap(), points.iter().map(|point| point.as_dvec3()).collect())
            }
        };
        let ((a, points_a), (b, points_b)) = (polytope(), polytope());
        let pose_a = Pose::new(cube(&mut random), rotation(&mut random));
        let pose_b = Pose::new(pose_a.position + cube(&mut random) * 1.5, rotation(&mut random));
        let placed = |points: Vec<DVec3>, pose: &Pose| -> Vec<DVec3> {
            points.into_iter().map(|point| turn(pose.rotation) * point + pose.position).collect()
        };
        let expected = separated(&placed(points_a, &pose_a), &placed(points_b, &pose_b));
        let found = query::distance(&a, &pose_a, &b, &pose_b).unwrap();
        assert!((found.value() - expected.max(0.0)).abs() <= 1e-12, "{expected} {found:?} {a:?} {b:?}");
        assert!(
            found.lower() <= expected.max(0.0) + 1e-14 && expected <= found.upper() + 1e-14,
            "{expected} {found:?}"
        );
        assert_eq!(query::overlap(&a, &pose_a, &b, &pose_b), Ok(expected <= 1e-13), "{expected}");
        if expected > 0.0 { apart += 1 } else { over += 1 }
    }
    assert!(apart > 500 && over > 500, "{apart} {over}");
}

#[test]
fn closed_forms() {
    let mut random = Rng::with_seed(7);
    for _ in 0..20_000 {
        let (radius_a, radius_b) = (random.f32() + 0.01, random.f32() + 0.01);
        let (ball_a, ball_b) = (Shape::sphere(radius_a).unwrap(), Shape::sphere(radius_b).unwrap());
        let place = |random: &mut Rng| Pose::new(cube(random) * 3.0, rotation(random));
        let (pose_a, pose_b) = (place(&mut random), place(&mut random));
        let radii = f64::from(radius_a) + f64::from(radius_b);
        let found = query::distance(&ball_a, &pose_a, &ball_b, &pose_b).unwrap();
        let expected = (pose_a.position.distance(pose_b.position) - radii).max(0.0);
        assert!((found.value() - expected).abs() < 1e-13 && found.upper() - found.lower() < 1e-12);

        // A ball and a box: clamp the centre.
        let half = cube(&mut random).as_vec3().abs() + 0.01;
        let cuboid = Shape::cuboid(half.x, half.y, half.z).unwrap();
        let center = turn(pose_a.rotation).conjugate() * (pose_b.position - pose_a.position);
        let outside = center - center.clamp(-half.as_dvec3(), half.as_dvec3());
        let expected = (outside.length() - f64::from(radius_b)).max(0.0);
        let found = query::distance(&cuboid, &pose_a, &ball_b, &pose_b).unwrap();
        assert!((found.value() - expected).abs() < 1e-13, "{found:?} {expected}");

        // Two capsules: search along one axis for the point nearest to the other.
        let capsule_a = Shape::capsule(half.x, radius_a).unwrap();
        let capsule_b = Shape::capsule(half.y, radius_b).unwrap();
        let end = |pose: &Pose, half: f32, side: f64| {
            turn(pose.rotation) * DVec3::new(0.0, side * f64::from(half), 0.0) + pose.position
        };
        let (low, high) = (end(&pose_a, half.x, -1.0), end(&pose_a, half.x, 1.0));
        let (start, stop) = (end(&pose_b, half.y, -1.0), end(&pose_b, half.y, 1.0));
        let to_b = |point: DVec3| {
            let share = (point - start).dot(stop - start) / (stop - start).length_squared();
            point.distance(start.lerp(stop, share.clamp(0.0, 1.0)))
        };
        let expected = golden(|share| to_b(low.lerp(high, share)), 0.0, 1.0, 80).1 - radii;
        let found = query::distance(&capsule_a, &pose_a, &capsule_b, &pose_b).unwrap();
        assert!((found.value() - expected.max(0.0)).abs() < 1e-12, "{found:?} {expected}");
    }
}

#[test]
fn a_ball_and_an_ellipsoid_against_a_dense_search() {
    let mut random = Rng::with_seed(8);
    for _ in 0..300 {
        let radii = (cube(&mut random).abs() + 0.1).as_vec3();
        let ellipsoid = Shape::ellipsoid(radii.x, radii.y, radii.z).unwrap();
        let center = direction(&mut random) * (1.2 + random.f64() * 3.0);
        let on_surface = |u: f64, v: f64| radii.as_dvec3() * DVec3::new(u.cos() * v.cos(), v.sin(), u.sin() * v.cos());
        // A grid over the surface, refined around its best cell again and again.
        let (mut u, mut v, mut width) = (0.0, 0.0, std::f64::consts::PI);
        for _ in 0..40 {
            let cells = (-20..=20).flat_map(|i| (-20..=20).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 20.0)));
            let at = |(i, j): (f64, f64)| on_surface(u + i * width, v + j * width).distance(center);
            let best = cells.min_by(|p, q| at(*p).total_cmp(&at(*q))).unwrap();
            (u, v) = (u + best.0 * width, v + best.1 * width);
            width *= 0.4;
        }
        let expected = on_surface(u, v).distance(center) - 0.125;
        let ball = Shape::sphere(0.125).unwrap();
        let found = query::distance(&ellipsoid, &Pose::IDENTITY, &ball, &Pose::at(center)).unwrap();
        assert!((found.value() - expected.max(0.0)).abs() < 1e-11, "{found:?} {expected} {radii}");
        let projected = query::project_point(&ellipsoid, &Pose::IDENTITY, center).unwrap();
        assert!((projected.distance - expected - 0.125).abs() < 1e-11, "{projected:?} {expected} {radii}");
    }
}

#[test]
fn shapes_of_the_users_own_are_right_to_a_millionth_of_their_size() {
    let mut random = Rng::with_seed(9);
    let mut worst: f64 = 0.0;
    for case in 0..20_000 {
        let mut known = known(&mut random, 10.0, [1.0, 1e-2][case % 2], DVec3::ZERO);
        if matches!(known.a, Shape::Point(_)) {
            continue;
        }
        known.a = Shape::custom(Told(known.a));
        let found = query::distance(&known.a, &known.pose_a, &known.b, &known.pose_b).unwrap();
        let error = (found.value() - known.distance).abs() / known.size;
        worst = worst.max(error);
        assert!(
            error < 1e-6,
            "{error}{known:?}
{found:?}"
        );
        assert!(
            found.lower() <= known.distance && known.distance <= found.upper(),
            "{known:?}
{found:?}"
        );
        assert!(
            found.upper() - found.lower() < 2e-5 * known.size,
            "{known:?}
{found:?}"
        );
    }
    println!("worst error of a told support map: {worst:.1e} of the size");
}
