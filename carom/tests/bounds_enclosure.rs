//! Every volume encloses what it was fitted to, what it was merged from, and what moves with it.

mod bounds_oracle;
mod random;

use bounds_oracle::{CLOUD_KINDS, Oracle, cloud, moved_points, pose, reach, size};
use carom::bounds::{
    Aabb, BoundingCapsule, BoundingCylinder, BoundingEllipsoid, BoundingHull, BoundingSphere, BoundingVolume,
    BoundsError, Kdop, OrientedBox, SphereFit,
};
use carom::pose::LocalPose;
use carom::prelude::*;
use carom::shape::{Part, SupportMap};
use fastrand::Rng;
use glam::DVec3;
use random::{direction, rotation_often_aligned, vector};

/// By the volume's own answer and by the oracle's, which may differ by f64 rounding.
fn assert_encloses<V: Oracle>(volume: &V, points: &[Vec3], size: f64, what: &str) {
    for point in points {
        let outside = volume.outside(point.as_dvec3());
        assert!(
            outside <= 1e-13 * size,
            "{} {what}: {point} of {points:?} is {outside:e} outside of {volume:?}",
            V::NAME
        );
        assert!(volume.contains(*point), "{} {what}: says that {point} is outside of {volume:?}", V::NAME);
    }
    let sizes = [volume.volume(), volume.surface_area(), volume.center().x];
    assert!(sizes.iter().all(|size| !size.is_nan()) && sizes[0] >= 0.0 && sizes[1] >= 0.0, "{} {sizes:?}", V::NAME);
}

fn fits_merges_and_moves<V: Oracle>(cases: u64) {
    let mut random = Rng::with_seed(20_005);
    for case in 0..cases {
        let kind = (case % u64::from(CLOUD_KINDS)) as u32;
        let scale = if case % 3 == 0 { 10f32.powi(random.i32(-15..15)) } else { 1.0 };
        let offset = match case % 5 {
            0 => vector(&mut random, 1e7 * scale),
            1 => vector(&mut random, 10.0 * scale),
            _ => Vec3::ZERO,
        };
        let draw = |random: &mut Rng, kind| -> Vec<Vec3> {
            let count = random.usize(1..20);
            cloud(random, kind, count).iter().map(|point| *point * scale + offset).collect()
        };
        let (points, others) = (draw(&mut random, kind), draw(&mut random, (kind + 3) % CLOUD_KINDS));
        let volume = V::around_points(&points).unwrap();
        let other = V::around_points(&others).unwrap();
        assert_encloses(&volume, &points, size(&points), "fit");
        let whole = size(&points) + size(&others) + points[0].as_dvec3().distance(others[0].as_dvec3());
        let merged = volume.merged(&other);
        assert_encloses(&merged, &points, whole, "merge, first");
        assert_encloses(&merged, &others, whole, "merge, second");
        let motion = pose(&mut random, if case % 7 == 0 { 1e6 * scale } else { 3.0 * scale });
        let after = moved_points(&points, &motion);
        assert_encloses(&volume.moved(&motion), &after, reach(&points) + reach(&after), "motion");
        assert!(volume.overlaps(&volume), "{}: {volume:?}", V::NAME);
        assert!(merged.overlaps(&volume), "{}: {merged:?} {volume:?}", V::NAME);
        assert!(merged.overlaps(&other), "{}: {merged:?} {other:?}", V::NAME);
    }
}

#[test]
fn volumes_enclose_points_merged_points_and_moved_points() {
    for_every_volume!(fits_merges_and_moves, 3_300);
}

#[test]
fn every_sphere_fit_encloses() {
    let mut random = Rng::with_seed(5);
    for case in 0..10_000 {
        let count = random.usize(1..40);
        let offset = if case % 2 == 0 { vector(&mut random, 1e7) } else { Vec3::ZERO };
        let points: Vec<Vec3> =
            cloud(&mut random, case % CLOUD_KINDS, count).iter().map(|point| *point + offset).collect();
        for fit in [SphereFit::BoxCenter, SphereFit::Ritter, SphereFit::Welzl] {
            let sphere = BoundingSphere::fitted_to_points(&points, fit).unwrap();
            assert_encloses(&sphere, &points, size(&points), "fit");
        }
    }
}

/// A custom shape: a lens, known by its support map alone.
#[derive(Debug)]
struct Lens;

impl SupportMap for Lens {
    fn support(&self, direction: Vec3) -> Vec3 {
        let radii = Vec3::new(1.0, 0.3, 0.7);
        radii * (radii * direction).normalize_or_zero()
    }
}

fn shapes() -> Vec<Shape> {
    let mut random = Rng::with_seed(77);
    let corners = cloud(&mut random, 6, 30);
    let part = |shape: &Shape, random: &mut Rng| Part { pose: pose(random, 2.0), shape: shape.clone() };
    let triangles = (0..10).map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]).collect();
    let heights = (0..12).map(|_| random.f32()).collect();
    let simple = vec![
        Shape::point(),
        Shape::segment([1.0, 2.0, 3.0], [2.0, 0.0, 0.0]).unwrap(),
        Shape::triangle([1.0, 2.0, 3.0], [2.0, 0.0, 0.0], [0.0, 0.0, 5.0]).unwrap(),
        Shape::triangle([1.0, 2.0, 3.0], [2.0, 0.0, 0.0], [0.0, 0.0, 5.0]).unwrap().rounded(0.25).unwrap(),
        Shape::sphere(0.75).unwrap(),
        Shape::cuboid(1.0, 2.0, 0.5).unwrap(),
        Shape::cuboid(1.0, 1.0, 1.0).unwrap().rounded(0.3).unwrap(),
        Shape::capsule(1.5, 0.4).unwrap(),
        Shape::capsule_between([1.0, 2.0, 3.0], [-1.0, 0.5, 3.5], 0.3).unwrap(),
        Shape::cylinder(1.0, 0.5).unwrap(),
        Shape::cylinder(0.1, 2.0).unwrap(),
        Shape::cylinder(1.0, 1.1547).unwrap(),
        Shape::cone(1.0, 0.5).unwrap(),
        Shape::cone(0.2, 3.0).unwrap(),
        Shape::ellipsoid(1.0, 2.0, 0.3).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::hull(&corners).unwrap().rounded(0.2).unwrap(),
        Shape::mesh(corners, triangles).unwrap(),
        Shape::height_field(4, 3, heights, [1.0, 0.5]).unwrap(),
        Shape::custom(Lens),
    ];
    let mut all = simple.clone();
    for shape in &simple {
        all.push(Shape::compound(vec![part(shape, &mut random)]).unwrap());
    }
    all.push(Shape::compound(simple.iter().map(|shape| part(shape, &mut random)).collect()).unwrap());
    all
}

/// The farthest point of a shape along a direction, in f64 and written without the library's own support maps.
fn farthest_point(shape: &Shape, direction: DVec3) -> DVec3 {
    let unit = direction.normalize();
    let of_points = |points: Vec<Vec3>| {
        points.into_iter().map(Vec3::as_dvec3).max_by(|a, b| a.dot(unit).total_cmp(&b.dot(unit))).unwrap()
    };
    let rim = |radius: f32| DVec3::new(unit.x, 0.0, unit.z).normalize_or_zero() * f64::from(radius);
    match shape {
        Shape::Point(_) => DVec3::ZERO,
        Shape::Segment(segment) => of_points(vec![segment.a(), segment.b()]),
        Shape::Triangle(triangle) => {
            of_points(triangle.core().corners().to_vec()) + unit * f64::from(triangle.radius())
        }
        Shape::Sphere(sphere) => unit * f64::from(sphere.radius()),
        Shape::Cuboid(cuboid) => of_points(cuboid.core().corners().to_vec()) + unit * f64::from(cuboid.radius()),
        Shape::Capsule(capsule) => {
            of_points(vec![capsule.core().a(), capsule.core().b()]) + unit * f64::from(capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            rim(cylinder.radius()) + DVec3::Y * (unit.y.signum() * f64::from(cylinder.half_height()))
        }
        Shape::Cone(cone) => {
            let apex = DVec3::Y * f64::from(cone.half_height());
            let base = rim(cone.radius()) - apex;
            if unit.dot(apex) > unit.dot(base) { apex } else { base }
        }
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii().as_dvec3();
            radii * (radii * unit).normalize()
        }
        Shape::Hull(hull) => of_points(hull.core().vertices().to_vec()) + unit * f64::from(hull.radius()),
        Shape::Mesh(mesh) => of_points(mesh.vertices().to_vec()),
        Shape::HeightField(field) => of_points((0..field.heights().len()).map(|index| field.vertex(index)).collect()),
        Shape::Compound(compound) => {
            let points = compound.parts().iter().map(|part| {
                let turn = part.pose.rotation.as_dquat().normalize();
                turn * farthest_point(&part.shape, turn.inverse() * unit) + part.pose.position.as_dvec3()
            });
            points.max_by(|a, b| a.dot(unit).total_cmp(&b.dot(unit))).unwrap()
        }
        Shape::Custom(_) => {
            let radii = DVec3::new(1.0, 0.3, 0.7);
            radii * (radii * unit).normalize()
        }
        Shape::HalfSpace(_) => DVec3::ZERO,
    }
}

fn encloses_shapes<V: Oracle>() {
    let mut random = Rng::with_seed(31);
    for shape in shapes() {
        let volume = V::around_shape(&shape).unwrap();
        let motion = LocalPose::new(vector(&mut random, 100.0), rotation_often_aligned(&mut random));
        let moved = volume.moved(&motion);
        let turn = motion.rotation.as_dquat().normalize();
        for _ in 0..2_000 {
            let point = farthest_point(&shape, direction(&mut random));
            let outside = volume.outside(point);
            assert!(outside <= 1e-12, "{}: {point} of {shape:?} is {outside:e} outside of {volume:?}", V::NAME);
            let outside = moved.outside(turn * point + motion.position.as_dvec3());
            assert!(outside <= 1e-12, "{}: moved, {outside:e} outside of {moved:?}", V::NAME);
        }
    }
}

#[test]
fn volumes_enclose_shapes_of_every_kind() {
    for_every_volume!(encloses_shapes);
}

fn near(found: f32, expected: f64, part: f64) -> bool {
    (f64::from(found) - expected).abs() <= part * expected
}

#[test]
fn a_volume_around_its_own_kind_of_shape_is_that_shape() {
    let sphere = BoundingSphere::around_shape(&Shape::sphere(0.7).unwrap()).unwrap();
    assert!(near(sphere.radius(), 0.7_f32.into(), 5e-7) && sphere.center() == Vec3::ZERO, "{sphere:?}");
    let capsule = Shape::capsule_between([1.0, 2.0, 3.0], [-1.0, 0.5, 3.5], 0.3).unwrap();
    let around = BoundingCapsule::around_shape(&capsule).unwrap();
    assert!(near(around.radius(), 0.3, 2e-6), "{around:?}");
    let length = around.ends()[0].distance(around.ends()[1]);
    assert!(near(length, DVec3::new(2.0, 1.5, -0.5).length(), 1e-5), "{around:?}");
    // The second has the same moments about all axes, so that the principal axes say nothing.
    for (half_height, radius) in [(1.0, 0.5), (1.0, 2f32.sqrt()), (1.0, 1.154_700_5), (0.01, 2.0), (50.0, 0.1)] {
        let cylinder = BoundingCylinder::around_shape(&Shape::cylinder(half_height, radius).unwrap()).unwrap();
        assert!(near(cylinder.radius(), radius.into(), 1e-6), "{cylinder:?}");
        assert!(near(cylinder.half_height(), half_height.into(), 1e-6), "{cylinder:?}");
    }
    let ellipsoid = BoundingEllipsoid::around_shape(&Shape::ellipsoid(1.0, 2.0, 0.3).unwrap()).unwrap();
    assert!(near(ellipsoid.volume(), 4.0 / 3.0 * std::f64::consts::PI * 0.6, 2e-6), "{ellipsoid:?}");
    let cuboid = Shape::cuboid(1.0, 2.0, 0.5).unwrap();
    let mut random = Rng::with_seed(9);
    for _ in 0..200 {
        let part = Part { pose: pose(&mut random, 5.0), shape: cuboid.clone() };
        let around = OrientedBox::around_shape(&Shape::compound(vec![part]).unwrap()).unwrap();
        assert!(near(around.volume(), 8.0, 1e-5), "{around:?}");
    }
    let rounded = cuboid.rounded(0.25).unwrap();
    let hull = BoundingHull::around_shape(&rounded).unwrap();
    assert!(near(hull.margin(), 0.25, 1e-6) && hull.hull().vertices().len() == 8, "{hull:?}");
}

/// How many times larger than the shape each volume is, at most: a loose fit of a curved shape shows here.
#[test]
fn fits_of_curved_shapes_are_tight() {
    let pi = std::f64::consts::PI;
    let cylinder = Shape::cylinder(1.0, 0.5).unwrap();
    let sphere = BoundingSphere::around_shape(&cylinder).unwrap();
    assert!(near(sphere.radius(), 1.25_f64.sqrt(), 1e-6), "{sphere:?}");
    // Through the apex and the rim: R = (h² + r²) / 2h with h the full height.
    let cone = BoundingSphere::around_shape(&Shape::cone(1.0, 0.5).unwrap()).unwrap();
    assert!(near(cone.radius(), 4.25 / 4.0, 1e-6), "{cone:?}");
    let lens = BoundingSphere::around_shape(&Shape::ellipsoid(1.0, 2.0, 0.3).unwrap()).unwrap();
    assert!(near(lens.radius(), 2.0, 1e-6), "{lens:?}");
    let ball = Shape::sphere(1.0).unwrap();
    let apart =
        |x: f32, radius: f32| Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::sphere(radius).unwrap() };
    let pair =
        BoundingSphere::around_shape(&Shape::compound(vec![apart(-2.0, 1.0), apart(3.0, 0.5)]).unwrap()).unwrap();
    assert!(near(pair.radius(), 3.25, 1e-6) && (pair.center().x - 0.25).abs() < 1e-5, "{pair:?}");
    let capsule = BoundingCapsule::around_shape(&ball).unwrap();
    assert!(near(capsule.volume(), 4.0 / 3.0 * pi, 1e-5), "{capsule:?}");
    let capsule = BoundingCapsule::around_shape(&Shape::ellipsoid(0.5, 2.0, 0.5).unwrap()).unwrap();
    assert!(capsule.radius() < 0.51, "{capsule:?}");
    let ellipsoid = BoundingEllipsoid::around_shape(&Shape::cuboid(1.0, 2.0, 3.0).unwrap()).unwrap();
    assert!(near(ellipsoid.volume(), 4.0 / 3.0 * pi * 6.0 * 3f64.sqrt().powi(3), 5e-3), "{ellipsoid:?}");
    // The least ellipsoid around a cylinder has radii √(3/2)·r and √3·h.
    let ellipsoid = BoundingEllipsoid::around_shape(&cylinder).unwrap();
    assert!(near(ellipsoid.volume(), 4.0 / 3.0 * pi * 1.5 * 0.25 * 3f64.sqrt(), 1e-2), "{ellipsoid:?}");
    let custom = BoundingSphere::around_shape(&Shape::custom(Lens)).unwrap();
    assert!(custom.radius() < 1.1, "{custom:?}");
}

#[test]
fn nothing_and_what_is_not_finite_are_refused_by_name() {
    fn refuses<V: Oracle>() {
        assert_eq!(V::around_points(&[]).unwrap_err(), BoundsError::NoPoints);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = V::around_points(&[Vec3::ZERO, Vec3::new(0.0, bad, 0.0)]).unwrap_err();
            assert!(matches!(error, BoundsError::NotFinite { index: 1, .. }), "{} {error}", V::NAME);
        }
        let ground = Shape::half_space([0.0, 1.0, 0.0]).unwrap();
        assert_eq!(V::around_shape(&ground).unwrap_err(), BoundsError::Unbounded);
        let broken = V::around_shape(&Shape::custom(Broken)).unwrap_err();
        assert!(matches!(broken, BoundsError::ExtentNotFinite { .. }), "{} {broken}", V::NAME);
    }
    #[derive(Debug)]
    struct Broken;
    impl SupportMap for Broken {
        fn support(&self, _direction: Vec3) -> Vec3 {
            Vec3::NAN
        }
    }
    for_every_volume!(refuses);
}

#[test]
fn what_is_too_large_is_refused_or_enclosed() {
    let far = [Vec3::splat(-3e38), Vec3::splat(3e38)];
    assert!(far.iter().all(|point| Aabb::around_points(&far).unwrap().contains(*point)));
    assert!(far.iter().all(|point| Kdop::<6>::around_points(&far).unwrap().contains(*point)));
    assert!(matches!(BoundingSphere::around_points(&far), Err(BoundsError::TooLarge { .. })));
    assert!(matches!(OrientedBox::around_points(&far), Err(BoundsError::TooLarge { .. })));
    assert!(matches!(BoundingHull::around_points(&far), Err(BoundsError::TooLarge { .. })));
}
