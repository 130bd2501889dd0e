//! Support maps against closed forms: the product of support point and direction is the shape's support value h(d),
//! computed here in f64 from the sizes alone, and the support point is a point of the shape.

mod random;

use carom::glam::DVec3;
use carom::prelude::*;
use carom::shape::{SupportMap, support};
use random::{between, rotation, vector};

/// With all shapes and extremes together, well over 100,000 directions.
const DIRECTIONS: usize = 6000;

fn size(random: &mut fastrand::Rng) -> f32 {
    10.0_f32.powf(between(random, -3.0, 3.0))
}

/// Axes, diagonals, zero, and random directions of every length, some of them along or across an axis.
fn direction(random: &mut fastrand::Rng, case: usize) -> Vec3 {
    let special = [
        Vec3::ZERO,
        -Vec3::ZERO,
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
        Vec3::ONE,
        Vec3::NEG_ONE,
        Vec3::splat(f32::MAX),
        Vec3::splat(-1e-45),
        Vec3::new(1e-45, 0.0, 0.0),
        Vec3::new(f32::MAX, -f32::MAX, 0.0),
        Vec3::new(1.0, 1e-30, -1e30),
        Vec3::new(1e-30, -1.0, 1e-30),
        Vec3::new(1e-20, 1.0, 0.0),
    ];
    if let Some(direction) = special.get(case) {
        return *direction;
    }
    let mut direction = vector(random, 1.0);
    if random.u8(..4) == 0 {
        direction[random.usize(..3)] *= 10.0_f32.powf(between(random, -12.0, 0.0));
    }
    if random.u8(..8) == 0 {
        direction[random.usize(..3)] = 0.0;
    }
    direction * [1.0, 1e-30, 1e30, 1e-10, 1e10][case % 5]
}

/// A shape with its support value along a direction, and the distance from it of a point (0 inside), in f64.
struct Oracle {
    shape: Shape,
    value: Box<dyn Fn(DVec3) -> f64>,
    /// How far outside a point is, at most: an upper bound of the distance.
    outside: Box<dyn Fn(DVec3) -> f64>,
    /// The greatest coordinate, which f32 rounding is relative to.
    reach: f64,
}

fn distance_to_segment(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    point.distance(a + along * (b - a))
}

/// The distance from an ellipsoid: the nearest point is r²p / (t + r²) along each axis, t found by bisection.
fn outside_ellipsoid(point: DVec3, radii: DVec3) -> f64 {
    let squares = radii * radii;
    let nearest = |t: f64| squares * point / (squares + t);
    let (mut low, mut high) = (0.0, radii.max_element() * point.length());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if (nearest(middle) / radii).length() > 1.0 { low = middle } else { high = middle }
    }
    point.distance(nearest(high))
}

fn value_of_points(points: &[DVec3], direction: DVec3) -> f64 {
    points.iter().map(|point| direction.dot(*point)).fold(f64::NEG_INFINITY, f64::max)
}

/// The oracle of a polytope: its support points are its vertices, moved out by the radius.
fn polytope(shape: Shape, vertices: &[Vec3], radius: f32) -> Oracle {
    let points: Vec<DVec3> = vertices.iter().map(|vertex| vertex.as_dvec3()).collect();
    let reach = points.iter().map(|point| point.abs().max_element()).fold(0.0, f64::max) + f64::from(radius);
    let (again, radius) = (points.clone(), f64::from(radius));
    Oracle {
        shape,
        value: Box::new(move |d| value_of_points(&points, d) + radius * d.length()),
        outside: Box::new(move |p| again.iter().map(|v| v.distance(p)).fold(f64::INFINITY, f64::min) - radius),
        reach,
    }
}

/// One of each convex shape, with random sizes.
fn oracles(random: &mut fastrand::Rng) -> Vec<Oracle> {
    let mut found = Vec::new();
    let radius = size(random);
    found.push(polytope(Shape::point(), &[Vec3::ZERO], 0.0));
    found.push(polytope(Shape::sphere(radius).unwrap(), &[Vec3::ZERO], radius));

    let [a, b, c] = [(); 3].map(|()| vector(random, 10.0));
    found.push(polytope(Shape::segment(a, b).unwrap(), &[a, b], 0.0));
    found.push(polytope(Shape::capsule_between(a, b, radius).unwrap(), &[a, b], radius));
    let triangle = Shape::triangle(a, b, c).unwrap();
    found.push(polytope(triangle.rounded(radius).unwrap(), &[a, b, c], radius));
    found.push(polytope(triangle, &[a, b, c], 0.0));

    let half = Vec3::from([(); 3].map(|()| size(random)));
    let corners: Vec<Vec3> = (0..8)
        .map(|bits| half * Vec3::from([0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { 1.0 } else { -1.0 })))
        .collect();
    let cuboid = Shape::cuboid(half.x, half.y, half.z).unwrap();
    found.push(polytope(cuboid.rounded(radius).unwrap(), &corners, radius));
    found.push(polytope(cuboid, &corners, 0.0));

    let cloud: Vec<Vec3> = (0..random.usize(8..60)).map(|_| vector(random, 10.0)).collect();
    let hull = Shape::hull(&cloud).unwrap();
    found.push(polytope(hull.rounded(radius).unwrap(), &cloud, radius));
    found.push(polytope(hull, &cloud, 0.0));

    let radii = Vec3::from([(); 3].map(|()| size(random))).as_dvec3();
    found.push(Oracle {
        shape: Shape::ellipsoid(radii.x as f32, radii.y as f32, radii.z as f32).unwrap(),
        value: Box::new(move |d| (radii * d).length()),
        outside: Box::new(move |p| outside_ellipsoid(p, radii)),
        reach: radii.max_element(),
    });
    let (height, wide) = (size(random), size(random));
    let (h, r) = (f64::from(height), f64::from(wide));
    let around = |p: DVec3| p.x.hypot(p.z);
    found.push(Oracle {
        shape: Shape::cylinder(height, wide).unwrap(),
        value: Box::new(move |d| h * d.y.abs() + r * around(d)),
        outside: Box::new(move |p| (around(p) - r).max(0.0) + (p.y.abs() - h).max(0.0)),
        reach: h.max(r),
    });
    found.push(Oracle {
        shape: Shape::cone(height, wide).unwrap(),
        value: Box::new(move |d| (h * d.y).max(r * around(d) - h * d.y)),
        outside: Box::new(move |p| {
            let flat = DVec3::new(around(p), p.y, 0.0);
            let side = distance_to_segment(flat, DVec3::new(0.0, h, 0.0), DVec3::new(r, -h, 0.0));
            side.min(distance_to_segment(flat, DVec3::new(0.0, -h, 0.0), DVec3::new(r, -h, 0.0)))
        }),
        reach: h.max(r),
    });
    found
}

#[test]
fn support_values_are_those_of_the_closed_forms() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut checked = 0;
    for _ in 0..24 {
        for oracle in oracles(&mut random) {
            for case in 0..DIRECTIONS / 12 {
                let direction = direction(&mut random, case);
                let kind = oracle.shape.kind();
                let length = direction.abs().max_element();
                if kind == ShapeKind::Hull && length > 0.0 && !(1e-36..1e36).contains(&length) {
                    continue; // Hulls compare their many vertices in f32, whose range is what it is.
                }
                let point = oracle.shape.support(direction).unwrap();
                assert!(point.is_finite(), "{kind}: {point} along {direction}");
                let (along, at) = (direction.as_dvec3(), point.as_dvec3());
                let (found, expected) = (along.dot(at), (oracle.value)(along));
                let tolerance = 1e-6 * oracle.reach * along.length();
                assert!(
                    (found - expected).abs() <= tolerance,
                    "{kind} along {direction}: {found}, should be {expected}"
                );
                let outside = (oracle.outside)(at);
                assert!(outside <= 1e-6 * oracle.reach, "{kind}: {point} along {direction} is {outside} outside");
                checked += 1;
            }
        }
    }
    assert!(checked >= 100_000, "only {checked} directions");
}

#[test]
fn vertices_are_compared_exactly_whatever_the_size_of_direction_and_shape() {
    // Products of these overflow or vanish in f32, and the difference of two infinities is no answer.
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..20_000 {
        let scale = 10.0_f32.powf(between(&mut random, -38.0, 37.0));
        let length = 10.0_f32.powf(between(&mut random, -37.0, 37.0));
        let [a, b, c] = [(); 3].map(|()| scale * vector(&mut random, 1.0));
        let along = length * vector(&mut random, 1.0);
        let shapes = [(Shape::segment(a, b), vec![a, b]), (Shape::triangle(a, b, c), vec![a, b, c])];
        for (shape, vertices) in shapes {
            let found = shape.unwrap().support(along).unwrap().as_dvec3().dot(along.as_dvec3());
            let exact: Vec<DVec3> = vertices.iter().map(|vertex| vertex.as_dvec3()).collect();
            let best = value_of_points(&exact, along.as_dvec3());
            assert!(found >= best - 1e-12 * best.abs(), "{vertices:?} along {along}: {found}, should be {best}");
        }
        let (height, radius) = (scale, scale * between(&mut random, 0.1, 2.0));
        let point = Shape::cone(height, radius).unwrap().support(along).unwrap().as_dvec3();
        let (h, r, d) = (f64::from(height), f64::from(radius), along.as_dvec3());
        let best = (h * d.y).max(r * d.x.hypot(d.z) - h * d.y);
        assert!((point.dot(d) - best).abs() <= 1e-6 * (h + r) * d.length(), "cone {height} {radius} along {along}");
    }
}

#[test]
fn no_point_of_a_dense_sample_lies_farther() {
    // Points of the surface by other formulas than the support maps': on the rim, between the rims, on the sphere.
    let mut random = fastrand::Rng::with_seed(3);
    let ball = |random: &mut fastrand::Rng| loop {
        let point = vector(random, 1.0);
        if (0.1..=1.0).contains(&point.length()) {
            return point.normalize();
        }
    };
    for _ in 0..60 {
        let (height, radius, round) = (size(&mut random), size(&mut random), size(&mut random));
        let radii = Vec3::new(height, radius, round);
        let mut samples: Vec<(Shape, Vec<Vec3>)> = Vec::new();
        let sphere: Vec<Vec3> = (0..500).map(|_| ball(&mut random)).collect();
        samples.push((Shape::sphere(round).unwrap(), sphere.iter().map(|p| *p * round).collect()));
        let ellipsoid = Shape::ellipsoid(radii.x, radii.y, radii.z).unwrap();
        samples.push((ellipsoid, sphere.iter().map(|p| *p * radii).collect()));
        let rim = |random: &mut fastrand::Rng, wide: f32, y: f32| {
            let (sin, cos) = between(random, 0.0, std::f32::consts::TAU).sin_cos();
            Vec3::new(wide * sin, y, wide * cos)
        };
        let barrel = (0..500).map(|_| {
            let y = between(&mut random, -height, height);
            rim(&mut random, radius, y)
        });
        samples.push((Shape::cylinder(height, radius).unwrap(), barrel.collect()));
        let hat = (0..500).map(|_| {
            let down = random.f32();
            rim(&mut random, down * radius, height * (1.0 - 2.0 * down))
        });
        samples.push((Shape::cone(height, radius).unwrap(), hat.collect()));
        let pill = sphere.iter().map(|p| *p * round + Vec3::Y * between(&mut random, -height, height));
        samples.push((Shape::capsule(height, round).unwrap(), pill.collect()));
        let brick = sphere.iter().map(|p| *p * round + radii * vector(&mut random, 1.0));
        let cuboid = Shape::cuboid(radii.x, radii.y, radii.z).unwrap();
        samples.push((cuboid.rounded(round).unwrap(), brick.collect()));
        for (shape, points) in samples {
            let reach = points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
            for _ in 0..20 {
                let along = vector(&mut random, 1.0);
                let farthest = along.dot(shape.support(along).unwrap());
                for point in &points {
                    let beyond = along.dot(*point) - farthest;
                    assert!(beyond <= 2e-6 * reach, "{}: {point} is {beyond} farther along {along}", shape.kind());
                }
            }
        }
    }
}

#[test]
fn the_support_of_a_placed_shape_is_that_of_its_placed_points() {
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..200 {
        let pose = LocalPose::new(vector(&mut random, 20.0), rotation(&mut random));
        let turn = pose.rotation.as_dquat().normalize();
        for oracle in oracles(&mut random) {
            let map: &dyn SupportMap = oracle.shape.as_support_map().unwrap();
            for _ in 0..10 {
                let along = vector(&mut random, 1.0);
                let found = support::in_pose(map, &pose, along).as_dvec3();
                // h of R·A + x along d is h of A along Rᵀd, plus x·d.
                let d = along.as_dvec3();
                let expected = (oracle.value)(turn.conjugate() * d) + pose.position.as_dvec3().dot(d);
                let tolerance = 2e-6 * (oracle.reach + 20.0) * d.length();
                assert!((found.dot(d) - expected).abs() <= tolerance, "{} along {along}", oracle.shape.kind());
                let back = turn.conjugate() * (found - pose.position.as_dvec3());
                assert!((oracle.outside)(back) <= 2e-6 * (oracle.reach + 20.0), "{}", oracle.shape.kind());
            }
        }
    }
}

#[test]
fn shapes_that_are_not_bounded_and_convex_have_no_support_map() {
    let mesh = Shape::mesh(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let part = carom::shape::Part { pose: LocalPose::IDENTITY, shape: Shape::sphere(1.0).unwrap() };
    for shape in [
        Shape::half_space(Vec3::Y).unwrap(),
        mesh,
        Shape::height_field(2, 2, vec![0.0; 4], [1.0, 1.0]).unwrap(),
        Shape::compound(vec![part]).unwrap(),
    ] {
        assert_eq!(shape.support(Vec3::Y), None, "{}", shape.kind());
    }
}
