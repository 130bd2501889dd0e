//! Contacts in the world: names that stay, and places that do not matter.

mod contact_shapes;
mod random;

use carom::narrow::{Feature, Manifold};
use carom::prelude::*;
use contact_shapes::{KINDS, hull, shape};
use random::{rotation, vector};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn names(world: &World) -> Vec<[Feature; 2]> {
    world.manifolds().flat_map(|manifold| manifold.contacts()).map(|contact| contact.features).collect()
}

#[test]
fn a_box_at_rest_keeps_its_four_names_for_a_thousand_frames() -> Outcome {
    for floor in [Shape::cuboid(5.0, 0.5, 5.0)?, Shape::half_space(Vec3::Y)?] {
        let top = if floor.kind() == ShapeKind::Cuboid { 0.5 } else { 0.0 };
        // Awake: what sleeps is not collided.
        let mut world = World::builder().sleeping(false).build()?;
        world.add(Body::fixed().shape(floor))?;
        world.add(Body::dynamic().at([0.1, top + 0.5, 0.2]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
        for _ in 0..60 {
            world.step(1.0 / 60.0)?;
        }
        let first = names(&world);
        assert_eq!(first.len(), 4);
        for frame in 0..1000 {
            world.step(1.0 / 60.0)?;
            assert_eq!(names(&world), first, "frame {frame}");
        }
    }
    Ok(())
}

#[test]
fn a_hull_of_thirty_two_corners_keeps_its_names_on_its_resting_face() -> Outcome {
    let mut random = fastrand::Rng::with_seed(61);
    let rock = hull(&mut random, 32, 0.5);
    let Shape::Hull(polytope) = &rock else { return Err("a hull".into()) };
    // The face nearest to the middle has it above itself: on that one the rock stands.
    let planes = polytope.core().planes();
    let face = planes.iter().min_by(|a, b| a.offset.total_cmp(&b.offset)).ok_or("faces")?;
    let turn = Quat::from_rotation_arc(face.normal, Vec3::NEG_Y);
    let mut world = World::builder().sleeping(false).build()?;
    world.add(Body::fixed().shape(Shape::cuboid(50.0, 0.5, 50.0)?).friction(1.0))?;
    let height = 0.5 + f64::from(face.offset) - 0.001;
    world.add(Body::dynamic().at([0.0, height, 0.0]).rotated(turn).shape(rock).friction(1.0))?;
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
    }
    let first = names(&world);
    assert_eq!(first.len(), 3, "a face of a rock has three corners: {first:?}");
    for frame in 0..1000 {
        world.step(1.0 / 60.0)?;
        assert_eq!(names(&world), first, "frame {frame}");
    }
    Ok(())
}

#[test]
fn shapes_of_every_kind_come_to_rest_on_the_floor() -> Outcome {
    let mut random = fastrand::Rng::with_seed(62);
    for kind in 3..KINDS - 2 {
        for floor in [Shape::cuboid(50.0, 0.5, 50.0)?, Shape::half_space(Vec3::Y)?] {
            let mut world = World::default();
            world.add(Body::fixed().shape(floor).friction(1.0))?;
            let body = Body::dynamic().at([0.0, 3.0, 0.0]).rotated(rotation(&mut random)).friction(1.0);
            let body = world.add(body.shape(shape(&mut random, kind, 1.0)).linear_damping(0.5).angular_damping(2.0))?;
            let mut deepest = 0.0f32;
            for step in 0..900 {
                let done = world.step(1.0 / 60.0)?;
                if step > 600 {
                    deepest = deepest.max(done.deepest);
                }
            }
            let body = world.body(body)?;
            assert!(body.position().y > -0.01 && body.position().y < 3.0, "kind {kind}: {}", body.position());
            assert!(body.velocity().length() < 0.3, "kind {kind}: {}", body.velocity());
            assert!(deepest < 0.05, "kind {kind}: {deepest}");
        }
    }
    Ok(())
}

/// The manifold of two bodies whose pair stands at `whole` in the world.
fn manifold(a: &Shape, b: &Shape, b_in_a: &LocalPose, whole: &Pose) -> Result<Option<Manifold>, BodyError> {
    let turn = whole.rotation.as_dquat().normalize();
    let at = whole.position + turn * b_in_a.position.as_dvec3();
    let turned = (turn * b_in_a.rotation.as_dquat().normalize()).as_quat().normalize();
    let mut world = World::builder().gravity([0.0; 3]).build().expect("no gravity");
    world.add(Body::fixed().at(whole.position).rotated(whole.rotation).shape(a.clone()))?;
    world.add(Body::dynamic().at(at).rotated(turned).shape(b.clone()))?;
    world.step(1e-4).expect("a sound step");
    Ok(world.manifolds().next().copied())
}

#[test]
fn moving_both_anywhere_changes_nothing() -> Outcome {
    let mut random = fastrand::Rng::with_seed(63);
    let mut compared = 0;
    for kind_a in 3..KINDS - 2 {
        for kind_b in 3..KINDS - 2 {
            for _ in 0..12 {
                let (a, b) = (shape(&mut random, kind_a, 1.0), shape(&mut random, kind_b, 1.0));
                let b_in_a = LocalPose::new(vector(&mut random, 0.9), rotation(&mut random));
                let here = manifold(&a, &b, &b_in_a, &Pose::IDENTITY)?;
                let whole =
                    Pose::new(DVec3::new(1e6, -1e6, 1e6) + vector(&mut random, 1.0).as_dvec3(), rotation(&mut random));
                let there = manifold(&a, &b, &b_in_a, &whole)?;
                let depth = |manifold: &Manifold| manifold.contacts().iter().map(|c| c.depth).fold(f32::MIN, f32::max);
                let name = format!("{} and {}", a.kind(), b.kind());
                match (here, there) {
                    (Some(here), Some(there)) => {
                        compared += 1;
                        assert!((depth(&here) - depth(&there)).abs() < 2e-5, "{name}: {here:?} {there:?}");
                    }
                    (None, None) => {}
                    (here, there) => {
                        let depth = here.or(there).map_or(0.0, |manifold| depth(&manifold));
                        assert!(depth < 1e-5, "{name}: {depth}");
                    }
                }
            }
        }
    }
    assert!(compared > 500, "{compared}");
    Ok(())
}
