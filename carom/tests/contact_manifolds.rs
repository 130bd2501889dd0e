//! Manifolds by construction: how many points rest where, under which names, and what degenerate pairs give.

mod contact_shapes;
mod random;

use carom::narrow::{Feature, FeatureKind, LocalManifold, contact};
use carom::prelude::*;
use contact_shapes::{KINDS, collide, deepest, shape};
use random::{rotation, vector};
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The area that the points span across the normal.
fn area(manifold: &LocalManifold) -> f32 {
    let points: Vec<Vec3> = manifold.contacts().iter().map(|contact| contact.point).collect();
    let mut largest = 0.0f32;
    for a in &points {
        for b in &points {
            for c in &points {
                for d in &points {
                    largest = largest.max(0.5 * (*c - *a).cross(*d - *b).dot(manifold.normal).abs());
                }
            }
        }
    }
    largest
}

#[test]
fn shapes_rest_on_as_many_points_as_they_need() -> Outcome {
    let lying = Quat::from_rotation_z(FRAC_PI_2);
    let slab = Shape::cuboid(10.0, 1.0, 10.0)?;
    let plane = Shape::half_space(Vec3::Y)?;
    let triangle = Shape::triangle([-20.0, 0.0, -20.0], [0.0, 0.0, 30.0], [20.0, 0.0, -20.0])?;
    let top = 1.0;
    let prism: Vec<Vec3> = (0..12)
        .map(|i| {
            let angle = (i / 2) as f32 * std::f32::consts::TAU / 6.0;
            Vec3::new(angle.cos(), if i % 2 == 0 { -1.0 } else { 1.0 }, angle.sin())
        })
        .collect();
    // The shape, how it is turned, how high its middle is above what it stands on, and its points.
    let cases = [
        ("cube", Shape::cuboid(1.0, 1.0, 1.0)?, Quat::IDENTITY, 1.0, 4, 4.0),
        ("rounded cube", Shape::cuboid(1.0, 1.0, 1.0)?.rounded(0.2)?, Quat::IDENTITY, 1.2, 4, 4.0),
        ("sphere", Shape::sphere(1.0)?, Quat::IDENTITY, 1.0, 1, 0.0),
        ("standing capsule", Shape::capsule(1.0, 0.5)?, Quat::IDENTITY, 1.5, 1, 0.0),
        ("lying capsule", Shape::capsule(1.0, 0.5)?, lying, 0.5, 2, 0.0),
        ("standing cylinder", Shape::cylinder(1.0, 1.0)?, Quat::IDENTITY, 1.0, 4, 2.0),
        ("lying cylinder", Shape::cylinder(1.0, 0.5)?, lying, 0.5, 2, 0.0),
        ("standing cone", Shape::cone(1.0, 1.0)?, Quat::IDENTITY, 1.0, 4, 2.0),
        ("cone on its tip", Shape::cone(1.0, 1.0)?, Quat::from_rotation_z(2.0 * FRAC_PI_2), 1.0, 1, 0.0),
        ("ellipsoid", Shape::ellipsoid(2.0, 1.0, 0.5)?, Quat::IDENTITY, 1.0, 1, 0.0),
        ("prism of six sides", Shape::hull(&prism)?, Quat::IDENTITY, 1.0, 4, 1.7),
        ("cube on an edge", Shape::cuboid(1.0, 1.0, 1.0)?, Quat::from_rotation_z(FRAC_PI_4), 2f32.sqrt(), 2, 0.0),
    ];
    for (name, shape, turn, height, count, spanned) in cases {
        for (ground, level) in [(&slab, top), (&plane, 0.0), (&triangle, 0.0)] {
            let pose = LocalPose::new(Vec3::new(0.3, level + height - 0.01, -0.2), turn);
            for (manifold, up) in [
                (collide(ground, &shape, &pose, 0.0), Vec3::Y),
                (collide(&shape, ground, &pose.inverse(), 0.0), pose.direction_to_inner(-Vec3::Y)),
            ] {
                let manifold = manifold.ok_or("it touches")?;
                let on = ground.kind();
                assert_eq!(manifold.contacts().len(), count, "{name} on a {on}: {manifold:?}");
                assert!(manifold.normal.distance(up) < 1e-4, "{name} on a {on}: {manifold:?}");
                assert!(area(&manifold) >= 0.99 * spanned, "{name} on a {on}: {}", area(&manifold));
                for contact in manifold.contacts() {
                    assert!((contact.depth - 0.01).abs() < 1e-4, "{name} on a {on}: {contact:?}");
                }
                let mut names: Vec<[Feature; 2]> = manifold.contacts().iter().map(|contact| contact.features).collect();
                names.dedup();
                assert_eq!(names.len(), count, "{name} on a {on}: {names:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn names_tell_corners_edges_and_faces() -> Outcome {
    let (cube, slab) = (Shape::cuboid(1.0, 1.0, 1.0)?, Shape::cuboid(5.0, 1.0, 5.0)?);
    let kinds = |manifold: &LocalManifold| -> Vec<[FeatureKind; 2]> {
        manifold.contacts().iter().map(|contact| contact.features.map(Feature::kind)).collect()
    };
    // Corners of the cube in the face of the slab, whichever of them is clipped to the other.
    let on_slab = LocalPose::at([0.0, 1.99, 0.0]);
    let manifold = collide(&slab, &cube, &on_slab, 0.0).ok_or("it touches")?;
    assert_eq!(kinds(&manifold), [[FeatureKind::Face, FeatureKind::Vertex]; 4]);
    let mirror = collide(&cube, &slab, &on_slab.inverse(), 0.0).ok_or("it touches")?;
    assert_eq!(kinds(&mirror), [[FeatureKind::Vertex, FeatureKind::Face]; 4]);
    // Half over the side of the slab: two corners, and two edges over the slab's edge.
    let over = collide(&slab, &cube, &LocalPose::at([5.0, 1.99, 0.0]), 0.0).ok_or("it touches")?;
    let edges = kinds(&over).iter().filter(|kinds| **kinds == [FeatureKind::Edge; 2]).count();
    assert_eq!((over.contacts().len(), edges), (4, 2), "{over:?}");
    // Edge across edge.
    let turn = Quat::from_rotation_y(FRAC_PI_2) * Quat::from_rotation_x(FRAC_PI_4);
    let ridge = LocalPose::new(Vec3::new(0.0, 2.0 * 2f32.sqrt() - 0.01, 0.0), turn);
    let turned = LocalPose::new(Vec3::ZERO, Quat::from_rotation_x(FRAC_PI_4));
    let b_in_a = turned.inverse().compose(&ridge);
    let crossing = collide(&cube, &cube, &b_in_a, 0.0).ok_or("it touches")?;
    assert_eq!(kinds(&crossing), [[FeatureKind::Edge; 2]], "{crossing:?}");
    assert!((crossing.contacts()[0].depth - 0.01).abs() < 1e-5);
    let up = turned.direction_to_inner(Vec3::Y);
    assert!(crossing.normal.distance(up) < 1e-5, "{crossing:?}");
    Ok(())
}

#[test]
fn eight_corners_are_reduced_to_four_that_keep_the_area_and_the_deepest() -> Outcome {
    let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
    for tilt in [0.0, 0.002, -0.002] {
        let turn = Quat::from_rotation_y(FRAC_PI_4) * Quat::from_rotation_x(tilt);
        let pose = LocalPose::new(Vec3::new(0.0, 1.99, 0.0), turn);
        let manifold = collide(&cube, &cube, &pose, 0.0).ok_or("it touches")?;
        assert_eq!(manifold.contacts().len(), 4);
        // The octagon has an area of 8 (√2 - 1) = 3.31; the best four corners span 2.34 to 2.83 of it.
        assert!(area(&manifold) > 2.3, "tilt {tilt}: {}", area(&manifold));
        let lowest = carom::shape::support::in_pose(cube.as_support_map().ok_or("convex")?, &pose, Vec3::NEG_Y);
        let depth = deepest(&manifold).depth;
        // The lowest corner of the cube is beside the other's face; the deepest corner of the octagon is not.
        assert!(depth <= 1.0 - lowest.y + 1e-5 && depth >= 0.01 - 1e-5, "{depth}");
    }
    Ok(())
}

#[test]
fn degenerate_pairs_have_finite_contacts() -> Outcome {
    let mut random = fastrand::Rng::with_seed(51);
    let mut shapes: Vec<Shape> = (0..KINDS).map(|kind| shape(&mut random, kind, 1.0)).collect();
    shapes.extend([
        Shape::cuboid(2000.0, 1.0, 2000.0)?,
        Shape::cuboid(1e-4, 1e-4, 1e-4)?,
        Shape::cuboid(1.0, 1e-6, 1e-6)?,
        Shape::capsule(1.0, 1e-6)?,
        Shape::cylinder(1e-5, 1.0)?,
        Shape::cone(1.0, 1e-5)?,
        Shape::ellipsoid(1.0, 1e-4, 1.0)?,
        Shape::triangle([0.0; 3], [1.0, 0.0, 0.0], [0.5, 1e-5, 0.0])?,
        Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(0.3, 1e-5, 0.3)])?,
        Shape::hull(&[Vec3::ZERO, Vec3::X * 100.0, Vec3::new(50.0, 0.01, 0.0), Vec3::new(50.0, 0.0, 0.01)])?,
    ]);
    let places = [
        LocalPose::IDENTITY,
        LocalPose::at([0.0, 1e-20, 0.0]),
        LocalPose::at([1e-6, 0.0, 0.0]),
        LocalPose::new(Vec3::ZERO, Quat::from_rotation_x(1e-4)),
        LocalPose::new(Vec3::new(0.5, 0.0, 0.0), Quat::from_rotation_z(FRAC_PI_4)),
        LocalPose::new(vector(&mut random, 0.3), rotation(&mut random)),
        LocalPose::at([1e18, 0.0, 0.0]),
    ];
    for a in &shapes {
        for b in &shapes {
            for place in &places {
                for margin in [0.0, 0.1] {
                    let Some(manifold) = contact(a, b, place, margin)? else { continue };
                    assert!((manifold.normal.length() - 1.0).abs() < 1e-5, "{a:?} {b:?} {place:?}");
                    assert!((1..=4).contains(&manifold.contacts().len()));
                    for contact in manifold.contacts() {
                        let is_sound =
                            contact.point.is_finite() && contact.depth.is_finite() && contact.depth >= -margin;
                        assert!(is_sound, "{a:?} {b:?} {place:?}: {contact:?}");
                    }
                }
            }
        }
    }
    Ok(())
}
