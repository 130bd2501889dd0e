//! Distances between shapes against answers that are known by construction, closed forms and brute force in f64.

use carom::glam::{DQuat, DVec3, Quat, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance, Stop};
use carom::shape::{Part, Shape, SupportMap};
use fastrand::Rng;

fn cube(random: &mut Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| random.f64() * 2.0 - 1.0))
}

fn direction(random: &mut Rng) -> DVec3 {
    loop {
        let inside = cube(random);
        if (0.01..1.0).contains(&inside.length_squared()) {
            return inside.normalize();
        }
    }
}

fn rotation(random: &mut Rng) -> Quat {
    let [x, y, z, w] = std::array::from_fn(|_| random.f32() * 2.0 - 1.0);
    Quat::from_xyzw(x, y, z, w + 1e-3).normalize()
}

fn between(random: &mut Rng, low: f32, high: f32) -> f32 {
    (low.ln() + random.f32() * (high.ln() - low.ln())).exp()
}

/// A convex shape of one of all kinds, its sizes within a ratio.
fn convex(random: &mut Rng, ratio: f32) -> Shape {
    let low = 1.0 / ratio;
    let size = |random: &mut Rng| between(random, low, 1.0);
    let vector = |random: &mut Rng| cube(random).as_vec3();
    let shape = match random.usize(0..14) {
        0 => Ok(Shape::point()),
        1 => Shape::segment(vector(random), vector(random)),
        2 => Shape::triangle(vector(random), vector(random), vector(random)),
        3 => Shape::triangle(vector(random), vector(random), vector(random)).and_then(|it| it.rounded(0.1)),
        4 => Shape::sphere(size(random)),
        5 => Shape::cuboid(size(random), size(random), size(random)),
        6 => Shape::cuboid(size(random), size(random), size(random)).and_then(|it| it.rounded(size(random))),
        7 => Shape::capsule(size(random), size(random)),
        8 => Shape::cylinder(size(random), size(random)),
        9 => Shape::cone(size(random), size(random)),
        10 | 11 => Shape::ellipsoid(size(random), size(random), size(random)),
        12 => Shape::hull(&cloud(random)),
        _ => Shape::hull(&cloud(random)).and_then(|it| it.rounded(size(random))),
    };
    // A random triangle is never flat, but a cloud may be refused.
    shape.unwrap_or_else(|_| Shape::point())
}

fn cloud(random: &mut Rng) -> Vec<Vec3> {
    let count = random.usize(4..30);
    (0..count).map(|_| cube(random).as_vec3()).collect()
}

/// The farthest point of a shape along a unit direction, in f64 and from the definition of each shape.
fn support(shape: &Shape, along: DVec3) -> DVec3 {
    let most = |points: Vec<Vec3>| {
        points.into_iter().map(|point| point.as_dvec3()).max_by(|p, q| p.dot(along).total_cmp(&q.dot(along))).unwrap()
    };
    let disc = |radius: f32| {
        let flat = DVec3::new(along.x, 0.0, along.z);
        if flat.length() > 0.0 { flat / flat.length() * f64::from(radius) } else { DVec3::ZERO }
    };
    match shape {
        Shape::Point(_) => DVec3::ZERO,
        Shape::Segment(segment) => most(vec![segment.a(), segment.b()]),
        Shape::Triangle(triangle) => most(triangle.core().corners().to_vec()) + along * f64::from(triangle.radius()),
        Shape::Sphere(sphere) => along * f64::from(sphere.radius()),
        Shape::Cuboid(cuboid) => most(cuboid.core().corners().to_vec()) + along * f64::from(cuboid.radius()),
        Shape::Capsule(capsule) => {
            most(vec![capsule.core().a(), capsule.core().b()]) + along * f64::from(capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            disc(cylinder.radius()) + DVec3::Y * f64::from(cylinder.half_height()) * along.y.signum()
        }
        Shape::Cone(cone) => {
            let apex = DVec3::Y * f64::from(cone.half_height());
            let base = disc(cone.radius()) - apex;
            if apex.dot(along) > base.dot(along) { apex } else { base }
        }
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii().as_dvec3();
            radii * radii * along / (radii * along).length()
        }
        Shape::Hull(hull) => most(hull.core().vertices().to_vec()) + along * f64::from(hull.radius()),
        Shape::Custom(custom) => custom.support(along.as_vec3()).as_dvec3(),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => unreachable!(),
    }
}

fn turn(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

/// Two shapes with supports that face each other along a normal at a known distance: that is their distance.
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
    let context = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?} {distance} {found:?}");
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

#[test]
fn a_gap_made_along_a_normal_is_found() {
    let mut random = Rng::with_seed(1);
    for case in 0..60_000 {
        let gap = [1.0, 1e-3, 100.0, 1e-6][case % 4];
        check(&known(&mut random, 10.0, gap, DVec3::ZERO), 1e-9);
    }
}

#[test]
fn needles_and_slabs_are_no_exception() {
    let mut random = Rng::with_seed(2);
    for case in 0..30_000 {
        check(&known(&mut random, 1e4, [1.0, 1e-3, 1e-5][case % 3], DVec3::ZERO), 1e-8);
    }
}
