//! The contacts of spheres, boxes and half-spaces against what must hold of any contact, measured from outside by
//! support maps in f64: the depth is the least way out, the points lie in both shapes, the mirror pair agrees.

mod random;

use carom::narrow::{ContactError, Feature, LocalManifold, contact};
use carom::prelude::*;
use glam::DVec3;
use random::{direction, rotation_often_aligned, vector};

fn shape(random: &mut fastrand::Rng) -> Shape {
    let size = 10f32.powf(random.f32() * 2.0 - 1.0);
    let side = |random: &mut fastrand::Rng| size * (0.1 + random.f32());
    match random.u32(0..3) {
        0 => Shape::sphere(side(random)).expect("positive"),
        1 | 2 => Shape::cuboid(side(random), side(random), side(random)).expect("positive"),
        _ => unreachable!(),
    }
}

/// How far the two reach into each other along a unit direction from `a` to `b`, in f64.
fn overlap_along(a: &Shape, b: &Shape, b_in_a: &LocalPose, direction: DVec3) -> f64 {
    let reach_a = match a {
        Shape::Sphere(sphere) => f64::from(sphere.radius()),
        Shape::Cuboid(cuboid) => direction.abs().dot(cuboid.core().half_extents().as_dvec3()),
        _ => unreachable!("only spheres and boxes are thrown"),
    };
    let rotation = b_in_a.rotation.as_dquat().normalize();
    let reach_b = match b {
        Shape::Sphere(sphere) => f64::from(sphere.radius()),
        Shape::Cuboid(cuboid) => (rotation.conjugate() * direction).abs().dot(cuboid.core().half_extents().as_dvec3()),
        _ => unreachable!("only spheres and boxes are thrown"),
    };
    reach_a + reach_b - direction.dot(b_in_a.position.as_dvec3())
}

fn signed_distance(shape: &Shape, point: Vec3) -> f32 {
    match shape {
        Shape::Sphere(sphere) => point.length() - sphere.radius(),
        Shape::Cuboid(cuboid) => (point.abs() - cuboid.core().half_extents()).max_element(),
        Shape::HalfSpace(half_space) => half_space.normal().dot(point),
        _ => unreachable!("only spheres, boxes and half-spaces are thrown"),
    }
}

fn size(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Cuboid(cuboid) => cuboid.core().half_extents().max_element(),
        _ => 1.0,
    }
}

fn collide(a: &Shape, b: &Shape, b_in_a: &LocalPose) -> Option<LocalManifold> {
    contact(a, b, b_in_a, 0.0).expect("these pairs have a test")
}

fn deepest(manifold: &LocalManifold) -> f32 {
    manifold.contacts().iter().map(|contact| contact.depth).fold(0.0, f32::max)
}

fn moved(pose: &LocalPose, by: Vec3) -> LocalPose {
    LocalPose::new(pose.position + by, pose.rotation)
}

#[test]
fn depth_is_the_least_way_out_and_points_lie_in_both() {
    let mut random = fastrand::Rng::with_seed(21);
    let (mut touching, mut apart) = (0, 0);
    for case in 0..100_000 {
        let (a, b) = (shape(&mut random), shape(&mut random));
        let reach = size(&a) + size(&b);
        let b_in_a = LocalPose::new(vector(&mut random, 1.0) * reach * 1.2, rotation_often_aligned(&mut random));
        let tolerance = 2e-5 * reach;
        match collide(&a, &b, &b_in_a) {
            Some(manifold) => {
                touching += 1;
                let depth = deepest(&manifold);
                assert!((manifold.normal.length() - 1.0).abs() < 1e-5, "case {case}");
                assert!((1..=4).contains(&manifold.contacts().len()), "case {case}");
                let along = overlap_along(&a, &b, &b_in_a, manifold.normal.as_dvec3().normalize()) as f32;
                // Where a face is preferred to an edge that is hardly shallower, clipping may cut off the very tip.
                let allowed = 1.1e-4 * size(&a).min(size(&b)) + 1.1e-4 * depth + tolerance;
                assert!((along - depth).abs() <= allowed, "case {case}: {depth} {along} {manifold:?}");
                // No other direction is a shorter way out, beyond what the preference for faces allows.
                for _ in 0..40 {
                    let other = direction(&mut random);
                    let way = overlap_along(&a, &b, &b_in_a, other) as f32;
                    assert!(way >= depth - allowed, "case {case}: {depth} along {}, {way}", manifold.normal);
                }
                let out = |distance: f32| moved(&b_in_a, manifold.normal * distance);
                assert!(collide(&a, &b, &out(depth + 2.0 * allowed)).is_none(), "case {case}");
                if depth > 3.0 * allowed {
                    assert!(collide(&a, &b, &out(depth - 3.0 * allowed)).is_some(), "case {case}");
                }
                for contact in manifold.contacts() {
                    let half = 0.5 * contact.depth + tolerance;
                    assert!(contact.depth >= 0.0);
                    assert!(signed_distance(&a, contact.point) <= half, "case {case}: {contact:?}");
                    let in_b = b_in_a.point_to_inner(contact.point);
                    assert!(signed_distance(&b, in_b) <= half, "case {case}: {contact:?}");
                }
            }
            None => {
                apart += 1;
                // The centre of each must be outside of the other; a better witness: the closest of many directions.
                assert!(signed_distance(&a, b_in_a.position) > -tolerance, "case {case}");
                assert!(signed_distance(&b, b_in_a.point_to_inner(Vec3::ZERO)) > -tolerance, "case {case}");
                let clear = common_point(&a, &b, &b_in_a, &mut random);
                assert!(clear.is_none(), "case {case}: {clear:?} is in both");
            }
        }
    }
    println!("{touching} touching, {apart} apart");
    assert!(touching > 20_000 && apart > 20_000);
}

/// A point well inside both, if chance finds one: proof of overlap.
fn common_point(a: &Shape, b: &Shape, b_in_a: &LocalPose, random: &mut fastrand::Rng) -> Option<Vec3> {
    let margin = 1e-4 * (size(a) + size(b));
    (0..30).map(|_| b_in_a.position + vector(random, 1.0) * size(b)).find(|&point| {
        signed_distance(a, point) < -margin && signed_distance(b, b_in_a.point_to_inner(point)) < -margin
    })
}

#[test]
fn the_mirror_pair_gives_the_mirrored_contact() {
    let mut random = fastrand::Rng::with_seed(22);
    let floor = Shape::half_space([0.1, 1.0, -0.2]).expect("not zero");
    let mut different_axes = 0;
    for case in 0..50_000 {
        let a = if case % 3 == 0 { floor.clone() } else { shape(&mut random) };
        let b = shape(&mut random);
        let b_in_a =
            LocalPose::new(vector(&mut random, 1.0) * (size(&a) + size(&b)), rotation_often_aligned(&mut random));
        let tolerance = 2e-5 * (size(&a) + size(&b));
        let here = collide(&a, &b, &b_in_a);
        let there = collide(&b, &a, &b_in_a.inverse());
        match (here, there) {
            (Some(here), Some(there)) => {
                let (depth, mirrored) = (deepest(&here), deepest(&there));
                let allowed = 1.1e-4 * size(&a).min(size(&b)) + 1.1e-4 * depth + tolerance;
                assert!((depth - mirrored).abs() <= allowed, "case {case}: {depth} {mirrored}");
                let normal = -b_in_a.direction_to_outer(there.normal);
                // Of equally deep axes each side may choose its own; that must stay rare.
                if depth > 3.0 * allowed && normal.dot(here.normal) < 0.999 {
                    different_axes += 1;
                }
            }
            (None, None) => {}
            (here, there) => {
                let depth = here.or(there).map_or(0.0, |manifold| deepest(&manifold));
                assert!(depth <= tolerance, "case {case}: {here:?} {there:?}");
            }
        }
    }
    // Parallel boxes at equal depths along two axes, about one in a thousand.
    assert!(different_axes < 500, "{different_axes} contacts look elsewhere in the mirror");
}

#[test]
fn a_half_space_touches_what_reaches_below_its_plane() {
    let mut random = fastrand::Rng::with_seed(23);
    for case in 0..50_000 {
        let normal = direction(&mut random).as_vec3().normalize();
        let floor = Shape::half_space(normal).expect("of unit length");
        let body = shape(&mut random);
        let pose = LocalPose::new(vector(&mut random, 1.0) * size(&body) * 2.0, rotation_often_aligned(&mut random));
        let lowest = carom::shape::support::in_pose(
            body.as_support_map().expect("spheres and boxes are convex"),
            &pose,
            -normal,
        );
        let depth = -normal.dot(lowest);
        let tolerance = 1e-5 * size(&body);
        match collide(&floor, &body, &pose) {
            Some(manifold) => {
                assert!((deepest(&manifold) - depth).abs() <= tolerance, "case {case}");
                assert!(manifold.normal.dot(normal) > 1.0 - 1e-5);
                for contact in manifold.contacts() {
                    assert!((normal.dot(contact.point) + 0.5 * contact.depth).abs() <= tolerance, "case {case}");
                    assert!(
                        signed_distance(&body, pose.point_to_inner(contact.point)) <= 0.5 * contact.depth + tolerance
                    );
                }
            }
            None => assert!(depth <= tolerance, "case {case}: {depth}"),
        }
    }
}

#[test]
fn degenerate_poses_have_finite_contacts() {
    let (ball, cube) = (Shape::sphere(1.0).expect("positive"), Shape::cuboid(1.0, 2.0, 3.0).expect("positive"));
    let tiny = Shape::cuboid(1e-3, 1e-3, 1e-3).expect("positive");
    let slab = Shape::cuboid(1e3, 1e-2, 1e3).expect("positive");
    let places = [
        LocalPose::IDENTITY,
        LocalPose::at([0.0, 1e-20, 0.0]),
        LocalPose::at([1.0, 2.0, 3.0]),
        LocalPose::at([0.0, 2.0, 0.0]),
        LocalPose::new(Vec3::ZERO, Quat::from_rotation_x(1e-4)),
        LocalPose::new(Vec3::new(0.5, 0.0, 0.0), Quat::from_rotation_z(std::f32::consts::FRAC_PI_4)),
    ];
    for a in [&ball, &cube, &tiny, &slab] {
        for b in [&ball, &cube, &tiny, &slab] {
            for place in &places {
                if let Some(manifold) = collide(a, b, place) {
                    assert!((manifold.normal.length() - 1.0).abs() < 1e-5, "{a:?} {b:?} {place:?}");
                    for contact in manifold.contacts() {
                        assert!(contact.point.is_finite() && contact.depth.is_finite());
                    }
                }
            }
        }
    }
    assert_eq!(deepest(&collide(&ball, &ball, &LocalPose::IDENTITY).expect("concentric")), 2.0);
    assert_eq!(deepest(&collide(&cube, &cube, &LocalPose::IDENTITY).expect("coincident")), 2.0);
    // A ball inside a box leaves through the nearest face.
    let inside = collide(&cube, &ball, &LocalPose::at([0.9, 0.0, 0.0])).expect("nested");
    assert!((inside.normal - Vec3::X).length() < 1e-6 && (deepest(&inside) - 1.1).abs() < 1e-6, "{inside:?}");
    let stacked = collide(&cube, &cube, &LocalPose::at([0.0, 3.99, 0.0])).expect("stacked");
    assert_eq!(stacked.contacts().len(), 4);
    assert!(stacked.contacts().iter().all(|contact| (contact.depth - 0.01).abs() < 1e-5));
}

#[test]
fn what_has_no_contacts_says_why() {
    let (ball, floor) = (Shape::sphere(1.0).expect("positive"), Shape::half_space(Vec3::Y).expect("not zero"));
    let error = contact(&floor, &floor, &LocalPose::IDENTITY, 0.0).expect_err("no point to push at");
    assert_eq!(error.to_string(), "no contacts are computed between a half-space and a half-space yet");
    for margin in [-1.0, f32::NAN, f32::INFINITY] {
        let error = contact(&ball, &ball, &LocalPose::IDENTITY, margin).expect_err("no margin");
        assert!(matches!(error, ContactError::Margin { .. }), "{error}");
    }
    for pose in [LocalPose::at([f32::NAN, 0.0, 0.0]), LocalPose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 3.0))] {
        let error = contact(&ball, &ball, &pose, 0.0).expect_err("no pose");
        assert!(matches!(error, ContactError::Pose(_)), "{error}");
    }
}

#[test]
fn a_resting_box_keeps_its_features() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::default();
    world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    world.add(Body::dynamic().at([0.0, 1.0, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    let mut features = |steps: usize| -> Result<Vec<[Feature; 2]>, Box<dyn std::error::Error>> {
        for _ in 0..steps {
            world.step(1.0 / 60.0)?;
        }
        let contacts = world.manifolds().flat_map(|manifold| manifold.contacts());
        Ok(contacts.map(|contact| contact.features).collect())
    };
    let first = features(60)?;
    assert_eq!(first.len(), 4);
    for _ in 0..100 {
        assert_eq!(features(10)?, first);
    }
    Ok(())
}
