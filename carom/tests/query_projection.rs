//! Projections of points: outside against the general distance, inside against the planes around the shape. A ball
//! around a point is inside a convex shape exactly if no plane around the shape is nearer than its radius, so the depth
//! is the least height of those planes.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, QueryError};
use carom::shape::{Part, Shape, SupportMap};
use distance_shapes::{convex, reach};
use fastrand::Rng;
use random::{cube, direction, rotation};

#[test]
fn inside_and_outside_of_every_convex_shape() {
    let mut random = Rng::with_seed(1);
    let mut inside = 0;
    for case in 0..40_000 {
        let shape = convex(&mut random, if case % 2 == 0 { 10.0 } else { 1e3 });
        let pose = Pose::new(cube(&mut random) * 1e3, rotation(&mut random));
        let mut offset = cube(&mut random) * [0.1, 1.0, 3.0][case % 3];
        if case % 7 == 0 {
            // On a plane or axis of symmetry, where the nearest point is not unique.
            let axes = random.u8(0..8);
            offset *= DVec3::from_array([0, 1, 2].map(|axis| f64::from(axes >> axis & 1)));
        }
        let point = pose.position + distance_shapes::turn(pose.rotation) * offset;
        let projection = query::project_point(&shape, &pose, point).unwrap();
        let context = || format!("{shape:?} {pose:?} {point} {projection:?}");
        assert!((projection.point.distance(point) - projection.distance).abs() < 1e-12, "{}", context());
        let apart = query::distance(&Shape::point(), &Pose::at(point), &shape, &pose).unwrap();
        // What is on the projected point is on the surface.
        let touch = query::distance(&Shape::point(), &Pose::at(projection.point), &shape, &pose).unwrap();
        assert!(touch.value() < 2e-12, "{touch:?} {}", context());
        if projection.is_inside {
            inside += 1;
            assert!(apart.gap().is_none(), "{}", context());
            let height = |along: DVec3| reach(&shape, pose.rotation, along) - along.dot(point - pose.position);
            for _ in 0..100 {
                assert!(height(direction(&mut random)) >= projection.distance - 1e-12, "{}", context());
            }
            if projection.distance > 1e-9 {
                // The plane there, and those turned by a little: a corner cut short would show.
                let along = (projection.point - point).normalize();
                assert!((height(along) - projection.distance).abs() < 1e-8, "{} {}", height(along), context());
                for _ in 0..50 {
                    let turned = (along + 0.1 * random.f64() * direction(&mut random)).normalize();
                    assert!(height(turned) >= projection.distance - 1e-12, "{}", context());
                }
            }
        } else {
            assert!(
                (apart.value() - projection.distance).abs() < 2e-12 * (1.0 + apart.value()),
                "{apart:?} {}",
                context()
            );
        }
    }
    assert!(inside > 5_000, "{inside}");
}

#[test]
fn half_spaces_surfaces_and_compounds() {
    let floor = Shape::half_space([0.0, 1.0, 0.0]).unwrap();
    let below = query::project_point(&floor, &Pose::at([0.0, 5.0, 0.0]), DVec3::new(1.0, 3.0, 2.0)).unwrap();
    assert_eq!((below.point, below.is_inside, below.distance), (DVec3::new(1.0, 5.0, 2.0), true, 2.0));
    let terrain = Shape::height_field(4, 4, vec![1.0; 16], [1.0, 1.0]).unwrap();
    let over = query::project_point(&terrain, &Pose::IDENTITY, DVec3::new(0.25, 3.0, 0.125)).unwrap();
    assert_eq!((over.point, over.is_inside, over.distance), (DVec3::new(0.25, 1.0, 0.125), false, 2.0));
    let ball = |x: f32, radius| Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::sphere(radius).unwrap() };
    let pair = Shape::compound(vec![ball(-2.0, 1.0), ball(2.0, 0.5)]).unwrap();
    let project = |x: f64| query::project_point(&pair, &Pose::IDENTITY, DVec3::new(x, 0.0, 0.0)).unwrap();
    assert_eq!((project(0.0).point.x, project(0.0).is_inside), (-1.0, false));
    assert_eq!((project(1.0).point.x, project(1.0).is_inside), (1.5, false));
    assert_eq!((project(2.25).point.x, project(2.25).is_inside), (2.5, true));
}

#[derive(Debug)]
struct Ball;

impl SupportMap for Ball {
    fn support(&self, direction: Vec3) -> Vec3 {
        direction.normalize_or(Vec3::X)
    }
}

/// A box by its support map.
#[derive(Debug)]
struct Block(Vec3);

impl SupportMap for Block {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.0.copysign(direction)
    }
}

#[test]
fn inside_of_shapes_of_users() {
    let mut random = Rng::with_seed(2);
    let half = Vec3::new(1.0, 0.5, 2.0);
    let (ball, block) = (Shape::custom(Ball), Shape::custom(Block(half)));
    let mut worst = [0.0_f64; 2];
    for _ in 0..2_000 {
        let pose = Pose::new(cube(&mut random) * 10.0, rotation(&mut random));
        let offset = cube(&mut random) * 0.55;
        let point = pose.position + distance_shapes::turn(pose.rotation) * offset;
        let in_ball = query::project_point(&ball, &pose, point).unwrap();
        assert!(in_ball.is_inside && (in_ball.point.distance(point) - in_ball.distance).abs() < 1e-12);
        worst[0] = worst[0].max((in_ball.distance - (1.0 - offset.length())).abs());
        assert!((in_ball.point.distance(pose.position) - 1.0).abs() < 2e-5, "{in_ball:?}");
        let offset = cube(&mut random) * 0.99 * half.as_dvec3();
        let point = pose.position + distance_shapes::turn(pose.rotation) * offset;
        let in_block = query::project_point(&block, &pose, point).unwrap();
        assert!(in_block.is_inside, "{offset} {in_block:?}");
        worst[1] = worst[1].max((in_block.distance - (half.as_dvec3() - offset.abs()).min_element()).abs());
    }
    println!("depths are off by {:.1e} in a ball and {:.1e} in a block", worst[0], worst[1]);
    assert!(worst[0] < 2e-5 && worst[1] < 2e-5, "{worst:?}");
    // At the very middle, where all directions are alike.
    match query::project_point(&ball, &Pose::IDENTITY, DVec3::ZERO) {
        Ok(middle) => assert!(middle.is_inside && (middle.distance - 1.0).abs() < 2e-5, "{middle:?}"),
        Err(error) => assert!(matches!(error, query::QueryError::Undecided { .. }), "{error}"),
    }
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let ball = Shape::custom(Ball);
    let outside = query::project_point(&ball, &Pose::IDENTITY, DVec3::new(0.0, 3.0, 0.0)).unwrap();
    assert!((outside.distance - 2.0).abs() < 1e-5 && !outside.is_inside);
    let nan = query::project_point(&ball, &Pose::IDENTITY, DVec3::NAN);
    assert!(matches!(nan, Err(QueryError::Vector { .. })), "{nan:?}");
    let far = query::project_point(&ball, &Pose::IDENTITY, DVec3::splat(1e300));
    assert!(matches!(far, Err(QueryError::TooFar { .. })), "{far:?}");
}
