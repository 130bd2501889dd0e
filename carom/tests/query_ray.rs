//! Ray casts against the distance of points along the ray: it is a convex function of the way, so a search finds its
//! least value and a bisection the first zero.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, QueryError, Ray};
use carom::shape::{Part, Shape};
use distance_shapes::{Told, convex, golden, turn};
use fastrand::Rng;
use random::{cube, direction, rotation};

/// Where the ray enters the convex shape by search; none if it stays outside by more than rounding, and how near the
/// ray comes.
fn searched(shape: &Shape, pose: &Pose, ray: &Ray) -> (Option<f64>, f64) {
    let along = ray.direction.as_dvec3().normalize();
    let apart = |way: f64| {
        let probe = Pose::at(ray.origin + way * along);
        query::distance(&Shape::point(), &probe, shape, pose).unwrap().value()
    };
    let reach = (ray.origin - pose.position).length() + 5.0;
    let (nearest, _) = golden(apart, 0.0, reach, 70);
    let nearest = if apart(0.0) <= apart(nearest) { 0.0 } else { nearest };
    if apart(nearest) > 0.0 {
        return (None, apart(nearest));
    }
    let (mut outside, mut inside) = (0.0, nearest);
    if apart(0.0) == 0.0 {
        return (Some(0.0), 0.0);
    }
    for _ in 0..60 {
        let middle = 0.5 * (outside + inside);
        if apart(middle) > 0.0 { outside = middle } else { inside = middle }
    }
    (Some(inside), 0.0)
}

#[test]
fn convex_shapes() {
    let mut random = Rng::with_seed(1);
    let (mut hits, mut misses, mut starts_inside) = (0, 0, 0);
    for case in 0..20_000 {
        let shape = convex(&mut random, if case % 4 == 0 { 100.0 } else { 5.0 });
        let pose = Pose::new(cube(&mut random) * 100.0, rotation(&mut random));
        let origin = pose.position + cube(&mut random) * if case % 3 == 0 { 0.5 } else { 4.0 };
        let target = pose.position + cube(&mut random) * 0.7;
        let mut heading = (target - origin).as_vec3();
        if case % 5 == 0 {
            // Along an axis of the shape, where divisions by zero wait.
            heading = (turn(pose.rotation) * DVec3::AXES[case % 3]).as_vec3();
        }
        let ray = Ray::new(origin, heading);
        let found = query::ray_cast(&shape, &pose, &ray).unwrap();
        let (expected, near) = searched(&shape, &pose, &ray);
        let context = || format!("{shape:?} {pose:?} {ray:?}\n{found:?} {expected:?} {near}");
        match (found, expected) {
            (Some(hit), Some(way)) => {
                hits += 1;
                starts_inside += usize::from(hit.starts_inside);
                // At a grazing hit the first zero is as uncertain as the square root of the rounding.
                let descent = -hit.normal.as_dvec3().dot(heading.as_dvec3().normalize());
                let tolerance: f64 = 1e-10 / descent.clamp(1e-5, 1.0).powi(2);
                assert!((hit.distance - way).abs() <= tolerance.min(1e-4), "{}", context());
                assert!((hit.normal.length() - 1.0).abs() < 1e-6 && descent > -1e-6, "{}", context());
                if way > 1e-6 {
                    let outside = Pose::at(hit.point + 0.01 * hit.normal.as_dvec3());
                    let off = query::distance(&Shape::point(), &outside, &shape, &pose).unwrap();
                    assert!((off.value() - 0.01).abs() < 1e-6, "normal: {off:?} {}", context());
                }
            }
            (None, None) => misses += 1,
            // A ray that only touches may go either way.
            (None, Some(way)) => {
                let beyond = Ray::new(ray.origin + (way + 1e-5) * heading.as_dvec3().normalize(), heading);
                let deeper = query::distance(&Shape::point(), &Pose::at(beyond.origin), &shape, &pose).unwrap();
                assert!(deeper.value() > 0.0, "missed: {}", context());
            }
            (Some(_), None) => assert!(near < 1e-10, "not there: {}", context()),
        }
        // A ray that ends before the hit has none.
        if let Some(hit) = found.filter(|hit| hit.distance > 1e-3) {
            assert_eq!(query::ray_cast(&shape, &pose, &ray.up_to(hit.distance * 0.999)), Ok(None), "{}", context());
        }
    }
    assert!(hits > 6_000 && misses > 4_000 && starts_inside > 500, "{hits} {misses} {starts_inside}");
}

#[test]
fn shapes_of_the_users_own_are_hit_where_their_originals_are() {
    let mut random = Rng::with_seed(2);
    let mut hits = 0;
    for _ in 0..5_000 {
        let original = convex(&mut random, 5.0);
        let told = Shape::custom(Told(original.clone()));
        let pose = Pose::new(cube(&mut random), rotation(&mut random));
        let origin = pose.position + direction(&mut random) * 5.0;
        let ray = Ray::new(origin, (pose.position + cube(&mut random) * 0.5 - origin).as_vec3());
        let (one, other) =
            (query::ray_cast(&original, &pose, &ray).unwrap(), query::ray_cast(&told, &pose, &ray).unwrap());
        if let (Some(one), Some(other)) = (one, other) {
            let descent = -f64::from(one.normal.dot(ray.direction.normalize()));
            assert!((one.distance - other.distance).abs() < 2e-5 / descent.max(0.01), "{original:?} {one:?} {other:?}");
            hits += 1;
        }
    }
    assert!(hits > 2_000, "{hits}");
}

#[test]
fn terrain_is_hit_where_the_ray_goes_under_it() {
    let mut random = Rng::with_seed(3);
    let heights: Vec<f32> = (0..12 * 12).map(|_| random.f32() * 0.5).collect();
    let terrain = Shape::height_field(12, 12, heights.clone(), [1.0, 1.0]).unwrap();
    let height = |x: f64, z: f64| {
        let (x, z) = (x + 5.5, z + 5.5);
        let (column, row) = ((x.floor() as usize).min(10), (z.floor() as usize).min(10));
        let (u, v) = (x - column as f64, z - row as f64);
        let at = |i: usize, j: usize| f64::from(heights[(row + j) * 12 + column + i]);
        // Two triangles that share the diagonal from (0, 0) to (1, 1).
        if u > v {
            at(0, 0) + u * (at(1, 0) - at(0, 0)) + v * (at(1, 1) - at(1, 0))
        } else {
            at(0, 0) + v * (at(0, 1) - at(0, 0)) + u * (at(1, 1) - at(0, 1))
        }
    };
    for _ in 0..500 {
        let origin = DVec3::new(random.f64() * 6.0 - 3.0, 2.0, random.f64() * 6.0 - 3.0);
        let heading = DVec3::new(random.f64() - 0.5, -0.6 - random.f64(), random.f64() - 0.5);
        let ray = Ray::new(origin, heading.as_vec3());
        let along = ray.direction.as_dvec3().normalize();
        let over = |way: f64| {
            let point = origin + way * along;
            point.y - height(point.x, point.z)
        };
        let step = 1e-3;
        let first = (1..6_000).map(|index| f64::from(index) * step).find(|way| over(*way) < 0.0).unwrap();
        let hit = query::ray_cast(&terrain, &Pose::IDENTITY, &ray).unwrap().unwrap();
        assert!(hit.distance <= first && hit.distance >= first - step, "{hit:?} {first}");
        assert!(over(hit.distance).abs() < 1e-9 && hit.normal.y > 0.0);
    }
}

#[test]
fn no_ray_slips_through_a_shared_edge_or_vertex() {
    let mut random = Rng::with_seed(4);
    // A closed shell: the hull of a cloud, as a mesh.
    for _ in 0..50 {
        let cloud: Vec<Vec3> = (0..40).map(|_| direction(&mut random).as_vec3()).collect();
        let Shape::Hull(hull) = Shape::hull(&cloud).unwrap() else { panic!() };
        let hull = hull.core();
        let fans = (0..hull.face_count()).flat_map(|face| {
            let corners = hull.face_corners(face);
            (2..corners.len()).map(|last| [corners[0], corners[last - 1], corners[last]]).collect::<Vec<_>>()
        });
        let shell = Shape::mesh(hull.vertices().to_vec(), fans.collect()).unwrap();
        for edge in hull.edges() {
            let [a, b] = edge.vertices.map(|index| hull.vertices()[index as usize]);
            let share = [0.0, 0.5, random.f32()][random.usize(0..3)];
            // From the middle outwards, at a point of the edge as near as f32 comes to it.
            let ray = Ray::new([0.0, 0.0, 0.0], a.lerp(b, share));
            assert!(query::ray_cast(&shell, &Pose::IDENTITY, &ray).unwrap().is_some(), "{a} {b} {share}");
        }
    }
}

#[test]
fn compounds_half_spaces_and_thin_things() {
    let ball = |x: f32| Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::sphere(1.0).unwrap() };
    let row = Shape::compound(vec![ball(9.0), ball(3.0), ball(6.0)]).unwrap();
    let hit = query::ray_cast(&row, &Pose::IDENTITY, &Ray::new([0.0; 3], [5.0, 0.0, 0.0])).unwrap().unwrap();
    assert_eq!((hit.distance, hit.normal), (2.0, -Vec3::X));
    let inside = query::ray_cast(&row, &Pose::IDENTITY, &Ray::new([6.0, 0.5, 0.0], [5.0, 0.0, 0.0])).unwrap().unwrap();
    assert!(inside.starts_inside && inside.distance == 0.0);
    let floor = Shape::half_space(Vec3::Y).unwrap();
    let down = Ray::new([1e9, 4.0, 0.0], [0.0, -1.0, 0.0]);
    assert_eq!(query::ray_cast(&floor, &Pose::IDENTITY, &down).unwrap().unwrap().distance, 4.0);
    assert_eq!(query::ray_cast(&floor, &Pose::IDENTITY, &down.up_to(3.0)), Ok(None));
    assert_eq!(query::ray_cast(&floor, &Pose::IDENTITY, &Ray::new([0.0, 1.0, 0.0], Vec3::X)), Ok(None));
    // A point, a segment and a triangle seen from its edge are hit only by a ray that goes through them.
    let through = Ray::new([-2.0, 0.0, 0.0], Vec3::X);
    let beside = Ray::new([-2.0, 1e-6, 0.0], Vec3::X);
    for thin in [
        Shape::point(),
        Shape::segment([0.0, 0.0, 0.0], [1.0, 0.0, 1.0]).unwrap(),
        Shape::triangle([0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).unwrap(),
    ] {
        let hit = query::ray_cast(&thin, &Pose::IDENTITY, &through).unwrap().unwrap();
        assert!((hit.distance - 2.0).abs() < 1e-12, "{thin:?} {hit:?}");
        assert_eq!(query::ray_cast(&thin, &Pose::IDENTITY, &beside), Ok(None), "{thin:?}");
    }
}

#[test]
fn bad_rays_are_refused() {
    let ball = Shape::sphere(1.0).unwrap();
    let cast = |ray: Ray| query::ray_cast(&ball, &Pose::IDENTITY, &ray);
    assert!(matches!(cast(Ray::new(DVec3::NAN, Vec3::X)), Err(QueryError::Vector { .. })));
    assert!(matches!(cast(Ray::new(DVec3::ZERO, Vec3::ZERO)), Err(QueryError::Vector { .. })));
    assert!(matches!(cast(Ray::new(DVec3::ZERO, Vec3::NAN)), Err(QueryError::Vector { .. })));
    assert!(matches!(cast(Ray::new(DVec3::ZERO, Vec3::X).up_to(f64::NAN)), Err(QueryError::MaxDistance(_))));
    assert!(matches!(cast(Ray::new(DVec3::ZERO, Vec3::X).up_to(-1.0)), Err(QueryError::MaxDistance(_))));
    assert!(query::ray_cast(&ball, &Pose::at(DVec3::NAN), &Ray::new(DVec3::ZERO, Vec3::X)).is_err());
}
