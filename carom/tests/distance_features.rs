//! Feature distances against three oracles in f64 that share no formula with the library. In every case: the least of
//! the distances of all pairs of sub-features, each a small least-squares problem; and duality, which proves both
//! bounds: the points lie on the features, and two parallel planes as far apart have the features on their outer sides.
//! In a share of the cases, by cost: nested golden-section search over the parameters, which checks the first oracle.

mod distance_shapes;
mod exhaustive;
mod random;

use carom::distance::{
    Closest, DistanceError, edge_to_edge, edge_to_face, face_to_face, point_to_edge, point_to_face, point_to_point,
};
use carom::glam::{DVec3, Vec3};
use distance_shapes::separated;
use exhaustive::{least_distance, parts_of_simplex};
use fastrand::Rng;
use random::vector;

const CASES: usize = 100_000;

/// What is allowed, relative to the size of the input and its place.
const TOLERANCE: f64 = 1e-6;

/// What is allowed against the least of all sub-features, relative to the size, beyond the rounding of the result to f32.
const EXHAUSTIVE_TOLERANCE: f64 = 1e-14;

/// Coordinates from a coarse grid: parallel, coplanar, coincident and touching cases come by themselves.
fn grid(random: &mut Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.i32(-2..=2) as f32))
}

/// `N` points of one of the families that the cases cycle through; the second feature of a family may be tiny or far.
fn feature<const N: usize>(random: &mut Rng, family: usize, second: bool) -> [Vec3; N] {
    let mut points: [Vec3; N] = std::array::from_fn(|_| match family {
        0 | 5.. => vector(random, 1.0),
        1 => grid(random),
        2 => vector(random, 1.0) * if second { 1e-4 } else { 1.0 },
        3 => vector(random, 1.0) * if second { 1e-3 } else { 1e3 },
        4 => vector(random, 1.0) + Vec3::new(1e4, -1e4, 1e4),
    });
    match family {
        // All on one line, and all on nearly one line.
        5 | 6 => {
            let (origin, along) = (vector(random, 1.0), vector(random, 1.0));
            let off = if family == 5 { 0.0 } else { 1e-6 };
            points = points.map(|point| origin + along * (point.x * 2.0) + off * point);
        }
        // Nearly parallel to the x axis whichever feature it is.
        7 => points = points.map(|point| Vec3::new(point.x, point.y * 1e-5, point.z * 1e-5)),
        // All points the same.
        8 => points = [points[0]; N],
        // Only touching by a shared point, or apart.
        9 => points[0] = Vec3::new(0.25, 0.5, 0.75),
        _ => {}
    }
    points
}

const FAMILIES: usize = 10;

/// The least of a convex function over [0, 1].
fn least(function: impl Fn(f64) -> f64, steps: usize) -> f64 {
    distance_shapes::golden(function, 0.0, 1.0, steps).1
}

fn at<const N: usize>(points: &[DVec3; N], s: f64, t: f64) -> DVec3 {
    match points.as_slice() {
        [a] => *a,
        [a, b] => *a + s * (*b - *a),
        [a, b, c] => *a + s * (*b - *a) + (1.0 - s) * t * (*c - *a),
        _ => unreachable!(),
    }
}

/// The distance of a point from a feature by nested search.
fn searched<const N: usize>(point: DVec3, feature: &[DVec3; N], steps: usize) -> f64 {
    match N {
        1 => point.distance(feature[0]),
        2 => least(|s| point.distance(at(feature, s, 0.0)), steps),
        _ => least(|s| least(|t| point.distance(at(feature, s, t)), steps), steps),
    }
}

fn wide<const N: usize>(points: [Vec3; N]) -> [DVec3; N] {
    points.map(|point| point.as_dvec3())
}

/// Asserts both bounds: the points are on the features, and the features are on the outer sides of two planes.
fn prove<const A: usize, const B: usize>(a: [Vec3; A], b: [Vec3; B], closest: Closest) -> f64 {
    let (a64, b64) = (wide(a), wide(b));
    let size = a64.iter().chain(&b64).map(|point| point.distance(a64[0])).fold(0.0, f64::max);
    let place = a64.iter().chain(&b64).map(|point| point.length()).fold(0.0, f64::max);
    // The points are rounded where they stand; the distance is not.
    let (tolerance, point_tolerance) = (TOLERANCE * size, TOLERANCE * size + 2.0 * f64::from(f32::EPSILON) * place);
    let distance = f64::from(closest.distance);
    let (on_a, on_b) = (closest.on_a.as_dvec3(), closest.on_b.as_dvec3());
    let context = || format!("{a:?} {b:?} {closest:?} size {size}");
    assert!((on_a.distance(on_b) - distance).abs() <= point_tolerance, "invariant: {}", context());
    assert!(searched(on_a, &a64, 40) <= point_tolerance, "not on a: {}", context());
    assert!(searched(on_b, &b64, 40) <= point_tolerance, "not on b: {}", context());
    let apart = separated(&a64, &b64).max(0.0);
    assert!(distance <= apart + tolerance, "not least, {apart} is proven: {}", context());
    assert!(distance >= apart - tolerance, "less than what is proven, {apart}: {}", context());
    size
}

fn run<const A: usize, const B: usize>(
    seed: u64,
    kernel: impl Fn([Vec3; A], [Vec3; B]) -> Result<Closest, DistanceError>,
    search: impl Fn(&[DVec3; A], &[DVec3; B]) -> f64,
    search_every: usize,
) {
    let mut random = Rng::with_seed(seed);
    let (mut worst, mut worst_searched) = (0.0_f64, 0.0_f64);
    for case in 0..CASES {
        let family = case % FAMILIES;
        let (a, b) = (feature::<A>(&mut random, family, false), feature::<B>(&mut random, family, true));
        let closest = kernel(a, b).unwrap();
        let size = prove(a, b, closest).max(f64::MIN_POSITIVE);
        let least = least_distance(&parts_of_simplex(&wide(a)), &parts_of_simplex(&wide(b)));
        let rounding = 0.5 * f64::from(f32::EPSILON) * least + f64::from(f32::from_bits(1));
        let error = ((f64::from(closest.distance) - least).abs() - rounding) / size;
        assert!(error <= EXHAUSTIVE_TOLERANCE, "family {family} {a:?} {b:?} {closest:?} least {least}");
        worst = worst.max(error);
        if (case / FAMILIES).is_multiple_of(search_every) {
            let searched = search(&wide(a), &wide(b));
            let error = (least - searched).abs() / size;
            assert!(error <= TOLERANCE, "family {family} {a:?} {b:?} {closest:?} least {least} searched {searched}");
            worst_searched = worst_searched.max(error);
        }
    }
    println!("worst error relative to size, beyond the rounding to f32: {worst:.1e} in {CASES} cases");
    println!("worst difference of the two minimisations: {worst_searched:.1e}");
}

#[test]
fn points() {
    run::<1, 1>(1, |[a], [b]| point_to_point(a, b), |[a], [b]| a.distance(*b), 1);
}

#[test]
fn point_and_edge() {
    run::<1, 2>(2, |[a], b| point_to_edge(a, b), |[a], b| searched(*a, b, 60), 1);
}

#[test]
fn point_and_face() {
    run::<1, 3>(3, |[a], b| point_to_face(a, b), |[a], b| searched(*a, b, 50), 4);
}

#[test]
fn edges() {
    let search = |a: &[DVec3; 2], b: &[DVec3; 2]| least(|s| searched(at(a, s, 0.0), b, 50), 50);
    run::<2, 2>(4, edge_to_edge, search, 4);
}

#[test]
fn edge_and_face() {
    let search = |a: &[DVec3; 2], b: &[DVec3; 3]| least(|s| searched(at(a, s, 0.0), b, 40), 40);
    run::<2, 3>(5, edge_to_face, search, 100);
}

#[test]
fn faces() {
    // Four nested searches take long: twenty-five of each family.
    let search = |a: &[DVec3; 3], b: &[DVec3; 3]| least(|s| least(|t| searched(at(a, s, t), b, 34), 34), 34);
    run::<3, 3>(6, face_to_face, search, 400);
}

#[test]
fn mirrored_features_have_the_same_distance_and_points() {
    let mut random = Rng::with_seed(7);
    for case in 0..CASES {
        let family = case % FAMILIES;
        let (a, b) = (feature::<3>(&mut random, family, false), feature::<3>(&mut random, family, true));
        let (one, other) = (face_to_face(a, b).unwrap(), face_to_face(b, a).unwrap());
        let size = a.iter().chain(&b).map(|point| point.distance(a[0])).fold(0.0, f32::max);
        assert!((one.distance - other.distance).abs() <= 1e-6 * size, "{a:?} {b:?} {one:?} {other:?}");
        let (e, f) = ([a[0], a[1]], [b[0], b[1]]);
        let (one, other) = (edge_to_edge(e, f).unwrap(), edge_to_edge(f, e).unwrap());
        assert!((one.distance - other.distance).abs() <= 1e-6 * size, "{e:?} {f:?} {one:?} {other:?}");
    }
}

#[test]
fn far_from_the_origin_the_distance_has_the_same_bits() {
    let mut random = Rng::with_seed(9);
    for _ in 0..CASES {
        // Multiples of 1/512 stay exact when they are moved by 8192.
        let mut coarse = || (vector(&mut random, 1.0) * 512.0).round() / 512.0;
        let (a, b) = ([coarse(), coarse(), coarse()], [coarse(), coarse(), coarse()]);
        let offset = Vec3::new(8192.0, -8192.0, 4096.0);
        let moved = face_to_face(a.map(|point| point + offset), b.map(|point| point + offset)).unwrap();
        assert_eq!(moved.distance, face_to_face(a, b).unwrap().distance, "{a:?} {b:?}");
    }
}

#[test]
fn a_common_point_gives_distance_zero_and_one_point() {
    let mut random = Rng::with_seed(8);
    for _ in 0..20_000 {
        // An edge through a point inside a triangle, all on multiples of 1/64, where the common point is exact.
        let coarse = |random: &mut Rng| (vector(random, 1.0) * 64.0).round() / 64.0;
        let corners = [coarse(&mut random), coarse(&mut random), coarse(&mut random)];
        let inside = 0.5 * corners[0] + 0.25 * corners[1] + 0.25 * corners[2];
        let away = coarse(&mut random);
        let edge = [inside - away, inside + 2.0 * away];
        for closest in [
            edge_to_face(edge, corners).unwrap(),
            face_to_face(corners, [edge[0], edge[1], edge[1] + coarse(&mut random)]).unwrap(),
            point_to_face(inside, corners).unwrap(),
        ] {
            assert_eq!(closest.distance, 0.0, "{corners:?} {edge:?}");
            assert_eq!(closest.on_a, closest.on_b);
        }
    }
}

#[test]
fn degenerate_features_are_the_simpler_features_that_they_are() {
    let (origin, along) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, -0.25, 1.0));
    let edge = [origin, origin + along];
    let beyond = origin + 3.0 * along;
    let closest = point_to_edge(beyond, edge).unwrap();
    assert_eq!((closest.on_b, closest.distance), (edge[1], 2.0 * along.length()));
    let point = [origin; 2];
    assert_eq!(edge_to_edge(point, [beyond; 2]).unwrap().distance, origin.distance(beyond));
    assert_eq!(face_to_face([origin; 3], [beyond; 3]).unwrap(), point_to_point(origin, beyond).unwrap());
    // Overlapping collinear edges, and flat triangles on one line.
    let later = [origin + 0.5 * along, origin + 2.0 * along];
    assert_eq!(edge_to_edge(edge, later).unwrap().distance, 0.0);
    let flat = [edge[0], edge[1], origin + 0.5 * along];
    let other = [origin + 2.0 * along, origin + 4.0 * along, origin + 3.0 * along];
    assert_eq!(face_to_face(flat, other).unwrap().distance, along.length());
    assert_eq!(face_to_face(flat, flat).unwrap().distance, 0.0);
    // Coplanar triangles, one inside the other.
    let big = [Vec3::ZERO, Vec3::new(9.0, 0.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
    let small = [Vec3::new(2.0, 2.0, 0.0), Vec3::new(3.0, 2.0, 0.0), Vec3::new(2.0, 3.0, 0.0)];
    assert_eq!(face_to_face(big, small).unwrap().distance, 0.0);
    assert_eq!(face_to_face(big, small.map(|corner| corner - Vec3::Z)).unwrap().distance, 1.0);
}

#[test]
fn the_ends_of_the_range_neither_overflow_nor_vanish() {
    let huge = 2e38;
    let triangle = |z: f32, size: f32| [Vec3::new(size, 0.0, z), Vec3::new(0.0, size, z), Vec3::new(-size, -size, z)];
    assert_eq!(face_to_face(triangle(0.0, huge), triangle(1e38, huge)).unwrap().distance, 1e38);
    let tiny = 1e-40;
    assert_eq!(face_to_face(triangle(0.0, tiny), triangle(2e-40, tiny)).unwrap().distance, 2e-40);
    let apart = point_to_point(Vec3::splat(-3e38), Vec3::splat(3e38)).unwrap();
    assert_eq!(apart.distance, f32::INFINITY);
    // Two points a billionth of their place apart are not one point.
    let closest = point_to_edge(Vec3::new(1.0, 1e-12, 0.0), [Vec3::X, Vec3::X]).unwrap();
    assert_eq!(closest.distance, 1e-12);
}

#[test]
fn what_is_not_finite_is_named() {
    let bad = Vec3::new(0.0, f32::NAN, 0.0);
    let error = edge_to_face([Vec3::ZERO, Vec3::X], [Vec3::ZERO, bad, Vec3::Z]).unwrap_err();
    assert!(matches!(error, DistanceError::NotFinite { index: 3, .. }), "{error}");
    assert!(point_to_point(Vec3::splat(f32::INFINITY), Vec3::ZERO).is_err());
}
