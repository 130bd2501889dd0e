//! Bounds of motions against dense samples of the surface in space and time: nothing leaves them, and they are tight.

use carom::bounds::{Aabb, BoundingVolume, BoundsError, Motion, SweepError};
use carom::glam::{DQuat, DVec3};
use carom::prelude::*;
use carom::shape::{Part, SupportMap};

const TIMES: usize = 16;

/// A user's shape: a disc across the z axis, off the origin.
#[derive(Debug)]
struct Coin;

impl SupportMap for Coin {
    fn support(&self, direction: Vec3) -> Vec3 {
        Vec3::new(0.5, 0.0, 0.0) + direction.with_z(0.0).normalize_or_zero()
    }
}

fn vector(random: &mut fastrand::Rng, reach: f32) -> Vec3 {
    Vec3::from([(); 3].map(|()| (random.f32() * 2.0 - 1.0) * reach))
}

fn size(random: &mut fastrand::Rng) -> f32 {
    10.0_f32.powf(random.f32() * 2.0 - 1.0)
}

fn rotation(random: &mut fastrand::Rng) -> Quat {
    let part = |random: &mut fastrand::Rng| random.f32() * 2.0 - 1.0;
    Quat::from_xyzw(part(random), part(random), part(random), part(random) + 1e-3).normalize()
}

fn cloud(random: &mut fastrand::Rng, count: usize) -> Vec<Vec3> {
    let reach = size(random);
    (0..count).map(|_| vector(random, reach)).collect()
}

const KINDS: usize = 16;

/// A shape of each bounded kind.
fn shape(random: &mut fastrand::Rng, kind: usize) -> Shape {
    let shape = match kind {
        0 => Ok(Shape::point()),
        1 => Shape::segment(vector(random, 2.0), vector(random, 2.0)),
        2 => Shape::triangle(vector(random, 2.0), vector(random, 2.0), vector(random, 2.0)),
        3 => Shape::sphere(size(random)),
        4 => Shape::cuboid(size(random), size(random), size(random)),
        5 => Shape::capsule(size(random), size(random)),
        6 => Shape::cylinder(size(random), size(random)),
        7 => Shape::cone(size(random), size(random)),
        8 => Shape::ellipsoid(size(random), size(random), size(random)),
        9 => Shape::hull(&cloud(random, 12)),
        10 => Shape::cuboid(size(random), size(random), size(random)).and_then(|core| core.rounded(0.3)),
        11 => Shape::hull(&cloud(random, 8)).and_then(|core| core.rounded(0.1)),
        12 => Shape::mesh(cloud(random, 6), vec![[0, 1, 2], [2, 3, 4], [3, 4, 5]]),
        13 => Shape::height_field(3, 2, (0..6).map(|_| random.f32()).collect(), [1.0, 2.0]),
        14 => Ok(Shape::custom(Coin)),
        _ => {
            let mut part = |kind: usize| {
                let pose = LocalPose::new(vector(random, 3.0), rotation(random));
                Part { pose, shape: self::shape(random, kind) }
            };
            Shape::compound(vec![part(3), part(4), part(6), part(11)])
        }
    };
    shape.expect("a sound shape")
}

/// Points of the surface, the extreme ones among them, in the shape's frame.
fn surface(random: &mut fastrand::Rng, shape: &Shape) -> Vec<DVec3> {
    match shape {
        Shape::Mesh(mesh) => mesh.vertices().iter().map(|vertex| vertex.as_dvec3()).collect(),
        Shape::HeightField(field) => (0..field.heights().len()).map(|sample| field.vertex(sample).as_dvec3()).collect(),
        Shape::Compound(compound) => {
            let place = |part: &Part, point: DVec3| {
                part.pose.rotation.as_dquat().normalize() * point + part.pose.position.as_dvec3()
            };
            let parts = compound.parts();
            parts.iter().flat_map(|part| surface(random, &part.shape).into_iter().map(|p| place(part, p))).collect()
        }
        convex => {
            let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
            let directions = axes.into_iter().chain((0..14).map(|_| vector(random, 1.0)));
            directions.filter_map(|direction| convex.support(direction)).map(|point| point.as_dvec3()).collect()
        }
    }
}

/// A random motion: still, sliding, turning a little or much, near the origin or far away.
fn motion(random: &mut fastrand::Rng) -> Motion {
    let away = [0.0, 0.0, 100.0, 1e7][random.usize(..4)];
    let start = Pose::new(DVec3::new(away, -0.5 * away, 0.1 * away), rotation(random));
    let speed = [0.0, 0.01, 1.0, 50.0][random.usize(..4)];
    let displacement = vector(random, speed).as_dvec3();
    let angle = [0.0, 1e-4, 0.1, 1.0, 3.1][random.usize(..5)] * random.f32();
    let turn = Quat::from_axis_angle(vector(random, 1.0).normalize_or(Vec3::X), angle);
    let turned = if angle == 0.0 { start.rotation } else { (turn * start.rotation).normalize() };
    let end = Pose::new(start.position + displacement, turned);
    let pivot = if random.bool() { Vec3::ZERO } else { vector(random, 2.0) };
    Motion::between(start, end).about(pivot)
}

/// Where a point of the body is at a time, by spherical interpolation in f64.
fn place(motion: &Motion, point: DVec3, time: f64) -> DVec3 {
    let [from, to] = [motion.start, motion.end].map(|pose| pose.rotation.as_dquat().normalize());
    let pivot = motion.pivot.as_dvec3();
    let (a, b) = (motion.start.position + from * pivot, motion.end.position + to * pivot);
    a + (b - a) * time + from.slerp(to, time).normalize() * (point - pivot)
}

fn unit(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

#[test]
fn nothing_leaves_the_bounds() {
    let mut random = fastrand::Rng::with_seed(13);
    for case in 0..8000 {
        let shape = shape(&mut random, case % KINDS);
        let motion = motion(&mut random);
        let aabb = motion.aabb(&shape);
        let (least, greatest) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let with_fits = case % 4 == 0;
        let fits = with_fits.then(|| {
            let ball = motion.sphere(&shape).expect("a bounded shape");
            (ball, motion.oriented_box(&shape).expect("a bounded shape"))
        });
        for point in surface(&mut random, &shape) {
            for step in 0..=TIMES {
                let at = place(&motion, point, step as f64 / TIMES as f64);
                // The samples themselves are rounded to f64 in the world.
                let rounding = 1e-15 * (at.length() + motion.end.position.length() + 10.0);
                let inside = at.cmpge(least - rounding).all() && at.cmple(greatest + rounding).all();
                assert!(inside, "case {case}: {at} {aabb:?} {motion:?}");
                let Some((ball, oriented)) = fits else { continue };
                let distance = at.distance(ball.center().as_dvec3());
                assert!(distance <= f64::from(ball.radius()), "case {case}: {distance} {ball:?}");
                let local = unit(oriented.rotation()).conjugate() * (at - oriented.center().as_dvec3());
                let half = oriented.half_extents().as_dvec3();
                assert!(local.abs().cmple(half).all(), "case {case}: {local} {half} {motion:?} {shape:?}");
            }
        }
    }
}

/// A bound that is merely large would pass the test above.
#[test]
fn boxes_are_no_larger_than_the_sagitta_allows() {
    let mut random = fastrand::Rng::with_seed(14);
    for case in 0..4000 {
        let shape = shape(&mut random, case % KINDS);
        let motion = motion(&mut random);
        let aabb = motion.aabb(&shape);
        let ends = Aabb::around_shape_at(&shape, &motion.start).merged(&Aabb::around_shape_at(&shape, &motion.end));
        let angle = unit(motion.start.rotation).angle_between(unit(motion.end.rotation));
        if motion.start.rotation == motion.end.rotation {
            assert_eq!(aabb, ends, "case {case}: a displacement sweeps the box of both ends");
            continue;
        }
        let pivot = motion.pivot.as_dvec3();
        let own = Aabb::around_shape(&shape).expect("bounded");
        let corner = (own.min.as_dvec3() - pivot).abs().max((own.max.as_dvec3() - pivot).abs());
        let rounding = 1e-6 * (aabb.min.abs().max(aabb.max.abs()).max_element() as f64 + corner.length());
        // The reach of an ellipsoid, a custom shape or a compound of various parts is a bound.
        let loose = if [8, 14, 15].contains(&(case % KINDS)) { 1.5 } else { 1.0 };
        let allowed = loose * corner.length() * (1.0 - (0.5 * angle).cos()) + rounding;
        let excess = (ends.min - aabb.min).max(aabb.max - ends.max).as_dvec3().max_element();
        assert!(excess <= allowed, "case {case}: {excess} beyond the ends, {allowed} allowed, angle {angle}");
        if angle < 0.7 {
            continue;
        }
        let size = (aabb.max.as_dvec3() - aabb.min.as_dvec3()).max_element();
        let path = motion.start.position.distance(motion.end.position) + 2.0 * pivot.length();
        let reach = loose * corner.length();
        assert!(size <= path + 2.0 * reach + rounding, "case {case}: {size} is more than ball and path");
    }
}

#[test]
fn spheres_and_oriented_boxes_are_tight_for_displacements() {
    let mut random = fastrand::Rng::with_seed(15);
    for _ in 0..500 {
        let start = Pose::new(vector(&mut random, 10.0).as_dvec3(), rotation(&mut random));
        let half = Vec3::new(size(&mut random), size(&mut random), size(&mut random));
        let cuboid = Shape::cuboid(half.x, half.y, half.z).expect("sound");
        let length = f64::from(size(&mut random));
        let motion = Motion::along(start, unit(start.rotation) * DVec3::X * length);
        let exact = 8.0 * (half.as_dvec3() + DVec3::X * 0.5 * length).element_product();
        let oriented = f64::from(motion.oriented_box(&cuboid).expect("bounded").volume());
        assert!((oriented / exact - 1.0).abs() < 1e-4, "{oriented} {exact}");

        let radius = size(&mut random);
        let ball = motion.sphere(&Shape::sphere(radius).expect("sound")).expect("bounded");
        let exact = f64::from(radius) + 0.5 * length;
        assert!((f64::from(ball.radius()) / exact - 1.0).abs() < 1e-5, "{ball:?} {exact}");
    }
    // A needle that flies sideways out of every axis: the box along the motion beats the others.
    let needle = Shape::capsule(1.0, 0.01).expect("sound");
    let motion = Motion::along(Pose::IDENTITY, DVec3::new(10.0, 10.0, 0.0));
    assert!(motion.oriented_box(&needle).expect("bounded").volume() < 20.0 * 1.5 * 0.03);
}

/// The greatest product with a direction, in f64.
fn support_value(shape: &Shape, direction: DVec3) -> f64 {
    match shape {
        Shape::Compound(compound) => compound
            .parts()
            .iter()
            .map(|part| {
                let turned = unit(part.pose.rotation).conjugate() * direction;
                direction.dot(part.pose.position.as_dvec3()) + support_value(&part.shape, turned)
            })
            .fold(f64::NEG_INFINITY, f64::max),
        convex => convex.support(direction.as_vec3()).expect("convex").as_dvec3().dot(direction),
    }
}

#[test]
fn swept_volumes_enclose_the_motion_and_are_exact_for_displacements() {
    let mut random = fastrand::Rng::with_seed(16);
    for case in 0..6000 {
        let kind = case % KINDS;
        let shape = shape(&mut random, kind);
        let motion = motion(&mut random);
        let volume = match motion.volume(&shape) {
            Ok(volume) => volume,
            Err(error) => {
                let at_rest = motion.start == motion.end;
                let expected = matches!(error, SweepError::NotConvex { .. }) && (kind == 12 || kind == 13);
                assert!(expected && !at_rest, "case {case}: {error} {shape:?} {motion:?}");
                continue;
            }
        };
        if motion.start == motion.end {
            assert_eq!(volume, shape);
            continue;
        }
        let into_start = unit(motion.start.rotation).conjugate();
        let points = surface(&mut random, &shape);
        let path = motion.start.position.distance(motion.end.position);
        let reach = points.iter().map(|point| point.length()).fold(path, f64::max);
        for _ in 0..25 {
            let direction = vector(&mut random, 1.0).as_dvec3().normalize_or(DVec3::X);
            let value = support_value(&volume, direction);
            let seen = |time: f64| {
                let local = |point: &DVec3| into_start * (place(&motion, *point, time) - motion.start.position);
                points.iter().map(|point| local(point).dot(direction)).fold(f64::NEG_INFINITY, f64::max)
            };
            // Corners are rounded to f32, and so are the hull's own faces; far away f64 has 1e-9 left.
            let rounding = 4e-6 * reach + 1e-8;
            for step in 0..=TIMES {
                let at = seen(step as f64 / TIMES as f64);
                assert!(at <= value + rounding, "case {case}: {at} > {value} {shape:?} {motion:?}");
            }
            if motion.start.rotation == motion.end.rotation {
                let displacement = into_start * (motion.end.position - motion.start.position);
                let exact = support_value(&shape, direction)
                    .max(support_value(&shape, direction) + displacement.dot(direction));
                // Plates are 2⁻¹⁷ thick and more.
                assert!((value - exact).abs() <= 2e-5 * reach + 1e-8, "case {case}: {value} {exact} {shape:?}");
            }
        }
    }
}

#[test]
fn a_swept_sphere_is_a_capsule_and_a_swept_box_a_polytope() {
    let ball = Shape::sphere(0.5).expect("sound");
    let motion = Motion::along(Pose::at([1e6, 0.0, 0.0]), DVec3::new(0.0, 3.0, 4.0));
    let capsule = Shape::capsule_between([0.0; 3], [0.0, 3.0, 4.0], 0.5).expect("sound");
    assert_eq!(motion.volume(&ball), Ok(capsule.clone()));
    let spinning = Motion { end: Pose::new(motion.end.position, Quat::from_rotation_x(1.0)), ..motion };
    let Ok(Shape::Capsule(around)) = spinning.volume(&ball) else { panic!("no capsule") };
    assert!(around.radius() >= 0.5 && around.radius() < 0.50001, "a sphere about its centre turns on the spot");

    let cuboid = Shape::cuboid(1.0, 2.0, 3.0).expect("sound");
    let Ok(Shape::Hull(hull)) = Motion::along(Pose::IDENTITY, DVec3::ONE).volume(&cuboid) else { panic!("no hull") };
    assert_eq!((hull.core().vertices().len(), hull.core().face_count(), hull.radius()), (14, 12, 0.0));
    let Ok(Shape::Hull(hull)) = Motion::along(Pose::IDENTITY, DVec3::X).volume(&cuboid) else { panic!("no hull") };
    assert_eq!((hull.core().vertices().len(), hull.core().face_count()), (8, 6));
    let triangle = Shape::triangle([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).expect("sound");
    let Ok(Shape::Hull(prism)) = Motion::along(Pose::IDENTITY, DVec3::Z).volume(&triangle) else { panic!("no hull") };
    assert_eq!((prism.core().vertices().len(), prism.core().face_count()), (6, 5));
}

#[test]
fn what_sweeps_no_volume_is_still_a_shape() {
    let rod = Shape::segment([0.0; 3], [1.0, 0.0, 0.0]).expect("sound");
    let along = Motion::along(Pose::IDENTITY, DVec3::X * 2.0).volume(&rod);
    let longer = |a: [f32; 3], b: [f32; 3]| Shape::segment(a, b).expect("sound");
    assert!(along == Ok(longer([0.0; 3], [3.0, 0.0, 0.0])) || along == Ok(longer([3.0, 0.0, 0.0], [0.0; 3])));
    let point = Motion::along(Pose::IDENTITY, DVec3::Y).volume(&Shape::point()).expect("a segment");
    assert!(matches!(point, Shape::Segment(_)));
    let Ok(Shape::Hull(plate)) = Motion::along(Pose::IDENTITY, DVec3::Y).volume(&rod) else { panic!("no plate") };
    let thickness = plate.support(Vec3::Z).z - plate.support(Vec3::NEG_Z).z;
    assert!(thickness > 0.0 && thickness < 1e-4, "{thickness}");
}

#[test]
fn motions_end_where_they_should() {
    let mut random = fastrand::Rng::with_seed(17);
    for _ in 0..2000 {
        let motion = motion(&mut random);
        for (time, end) in [(0.0, motion.start), (1.0, motion.end)] {
            let pose = motion.pose_at(time);
            let rounding = 1e-6 + 1e-14 * end.position.length();
            assert!(pose.position.distance(end.position) < rounding, "{pose:?} {end:?}");
            assert!(pose.rotation.dot(end.rotation).abs() > 1.0 - 1e-6);
        }
        let (half, point) = (motion.pose_at(0.5), DVec3::new(0.3, -1.0, 2.0));
        let there = half.position + unit(half.rotation) * point;
        assert!(there.distance(place(&motion, point, 0.5)) < 1e-5, "{motion:?}");
    }
}

#[test]
fn boxes_sweep_along_displacements() {
    let mut random = fastrand::Rng::with_seed(18);
    for _ in 0..5000 {
        let (a, b) = (vector(&mut random, 10.0), vector(&mut random, 10.0));
        let own = Aabb::new(a.min(b), a.max(b));
        let reach = [1e-6, 1.0, 1e4][random.usize(..3)];
        let by = vector(&mut random, reach);
        let swept = own.swept(by);
        let (min, max) = (own.min.as_dvec3(), own.max.as_dvec3());
        let (least, greatest) = (min.min(min + by.as_dvec3()), max.max(max + by.as_dvec3()));
        assert!(swept.min.as_dvec3().cmple(least).all() && swept.max.as_dvec3().cmpge(greatest).all());
        assert!((swept.min.as_dvec3() - least).abs().max_element() < 1e-6 * (1.0 + least.abs().max_element()));
        assert!((swept.max.as_dvec3() - greatest).abs().max_element() < 1e-6 * (1.0 + greatest.abs().max_element()));
    }
    let still = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);
    assert_eq!(still.swept(Vec3::ZERO), still);
}

#[test]
fn half_spaces_and_bad_poses_are_bounded_by_everything() {
    let ground = Shape::half_space(Vec3::Y).expect("sound");
    let sinking = Motion::along(Pose::IDENTITY, DVec3::Y * -2.0);
    let bounds = sinking.aabb(&ground);
    assert!(bounds.max.y == 0.0 && bounds.min.y == -f32::MAX && bounds.max.x == f32::MAX);
    assert_eq!(sinking.sphere(&ground), Err(BoundsError::Unbounded));
    assert_eq!(sinking.oriented_box(&ground), Err(BoundsError::Unbounded));
    assert!(matches!(sinking.volume(&ground), Err(SweepError::NotConvex { .. })));
    let tipping = Motion::between(Pose::IDENTITY, Pose::new(DVec3::ZERO, Quat::from_rotation_z(1.0)));
    assert_eq!(tipping.aabb(&ground).max, Vec3::splat(f32::MAX));

    let ball = Shape::sphere(1.0).expect("sound");
    for bad in [Pose::at([f64::NAN, 0.0, 0.0]), Pose::new(DVec3::ZERO, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0))] {
        let bounds = Motion::between(Pose::IDENTITY, bad).aabb(&ball);
        assert!(!bounds.min.is_nan() && bounds.min.x == -f32::MAX && bounds.max.x == f32::MAX, "{bounds:?}");
        assert!(Motion::between(Pose::IDENTITY, bad).volume(&ball).is_err());
    }
    let far = Motion::along(Pose::IDENTITY, DVec3::X * 1e300);
    assert!(far.volume(&ball).is_err());
    assert_eq!(far.aabb(&ball).max.x, f32::MAX);
}
