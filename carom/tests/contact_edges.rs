//! Polytopes whose edges cross deep inside each other: beside the crossing they have points that hold them, each as deep as
//! the two overlap there.

mod contact_shapes;
mod random;

use carom::narrow::{FeatureKind, LocalManifold};
use carom::prelude::*;
use contact_shapes::{collide, deepest, hull};
use fastrand::Rng;
use random::{between, direction, rotation};

/// A box, or a hull of few or of many corners; about 1 m.
fn polytope(random: &mut Rng) -> Shape {
    let mut side = || between(random, 0.3, 1.0);
    match (side(), side(), side()) {
        (x, y, z) if x > 0.6 => Shape::cuboid(x, y, z).expect("sound sizes"),
        (x, ..) if x > 0.45 => hull(random, 10, 1.0),
        _ => hull(random, 32, 1.0),
    }
}

fn is_of_edges(manifold: &LocalManifold) -> bool {
    deepest(manifold).features.iter().all(|feature| feature.kind() == FeatureKind::Edge)
}

/// How far a point is outside a solid; negative inside.
fn height(shape: &Shape, pose: &Pose, point: DVec3) -> f64 {
    let found = query::project_point(shape, pose, point).expect("a convex solid");
    if found.is_inside { -found.distance } else { found.distance }
}

/// Both ends of a point's depth are on the surfaces, but for faces that count as across the normal up to 1e-3.
#[test]
fn points_beside_crossing_edges_are_as_deep_as_the_two_overlap_there() {
    const FAR: f64 = 2e-3;
    let mut random = Rng::with_seed(161);
    let (mut cases, mut points) = (0, 0);
    for case in 0..20_000 {
        let (a, b) = (polytope(&mut random), polytope(&mut random));
        let place = direction(&mut random) * f64::from(between(&mut random, 0.2, 1.6));
        let b_in_a = LocalPose::new(place.as_vec3(), rotation(&mut random));
        let Some(manifold) = collide(&a, &b, &b_in_a, 0.0).filter(is_of_edges) else { continue };
        cases += 1;
        points += manifold.contacts().len();
        let pose_b = Pose::new(b_in_a.position.as_dvec3(), b_in_a.rotation);
        let normal = manifold.normal.as_dvec3();
        for contact in manifold.contacts() {
            assert!(contact.depth >= 0.0, "case {case}: {contact:?}");
            let half = 0.5 * f64::from(contact.depth) * normal;
            let (on_a, on_b) = (contact.point.as_dvec3() + half, contact.point.as_dvec3() - half);
            let heights = [height(&a, &Pose::IDENTITY, on_a), height(&b, &pose_b, on_b)];
            assert!(heights.iter().all(|height| height.abs() < FAR), "case {case}: {contact:?} {heights:?}");
        }
    }
    println!("{cases} pairs met at edges, with {points} points");
    assert!(cases > 2_000 && points > 3 * cases, "{points} points of {cases} pairs");
}

/// The crossing is the deepest, and its name is that of the two edges, with points beside it and without.
#[test]
fn the_crossing_stays_the_deepest_and_keeps_its_name() {
    let edge = Shape::cuboid(1.0, 1.0, 1.0).expect("sound sizes");
    let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    let across = Quat::from_rotation_y(1.2) * turn;
    let mut name = None;
    for step in 0..100 {
        let height = 2.0 * std::f32::consts::SQRT_2 - 0.004 * step as f32 - 0.001;
        let b_in_a = LocalPose::new(turn.conjugate() * Vec3::Y * height, turn.conjugate() * across);
        let manifold = collide(&edge, &edge, &b_in_a, 0.0).expect("they overlap");
        let crossing = deepest(&manifold);
        assert!((crossing.depth - 0.004 * step as f32 - 0.001).abs() < 1e-5, "step {step}: {crossing:?}");
        let is_deep = crossing.depth > 0.01 * 2.0;
        assert_eq!(manifold.contacts().len(), if is_deep { 4 } else { 1 }, "step {step}");
        assert_eq!(*name.get_or_insert(crossing.features), crossing.features, "step {step}");
    }
}

/// Hulls that are pressed into each other turn about no single point: with one point where edges cross, some sank into
/// others by more than half their radius.
#[test]
fn a_column_of_hulls_that_falls_in_on_itself_is_nowhere_very_deep() -> Result<(), Box<dyn std::error::Error>> {
    const RADIUS: f32 = 2.0;
    let mut random = Rng::with_seed(42);
    let shape = hull(&mut random, 32, RADIUS);
    let mut world = World::builder().sleeping(false).build()?;
    world.add(Body::fixed().at([0.0, -5.0, 0.0]).shape(Shape::cuboid(200.0, 5.0, 200.0)?))?;
    for layer in 0..60u32 {
        for index in 0..16u32 {
            let [x, z] = [index % 4, index / 4].map(|cell| f64::from(2.0 * RADIUS) * f64::from(cell));
            let y = f64::from(RADIUS) * f64::from(1 + 2 * layer);
            world.add(Body::dynamic().at([x, y, z]).density(1000.0).shape(shape.clone()))?;
        }
    }
    let (mut deepest, mut sum) = (0.0f32, 0.0);
    for step in 0..300 {
        let found = world.step(1.0 / 60.0)?.deepest;
        deepest = deepest.max(found);
        if step >= 200 {
            sum += found;
        }
    }
    println!("deepest {deepest} m, in the last 100 steps {} m in the mean", sum / 100.0);
    assert!(deepest < 0.25 * RADIUS, "{deepest} m");
    Ok(())
}
