//! Questions about a world against all of its shapes, one by one.

mod random;

use carom::body::ShapeRef;
use carom::broad::Structure;
use carom::detector::Filter;
use carom::prelude::*;
use carom::query::{Cast, Ray, Sweep};
use carom::response::Solver;
use carom::world::{ShapeId, WorldQueryError};
use random::{between, cube, direction, rotation, vector};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn scene(center: DVec3, solver: Solver, structure: Structure) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::builder().gravity([0.0; 3]).solver(solver).broad_phase(structure).build()?;
    let mut random = fastrand::Rng::with_seed(21);
    for index in 0..100u64 {
        let shape = match index % 5 {
            0 => Shape::sphere(between(&mut random, 0.1, 0.9))?,
            1 => Shape::cuboid(0.4, 0.8, 0.3)?,
            2 => Shape::capsule(0.6, 0.3)?,
            3 => Shape::cuboid(0.05, 0.05, 0.05)?,
            _ => Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?,
        };
        let place = center + cube(&mut random) * 3.0;
        let kind = [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic][index as usize % 3];
        let body = Body::new(kind).at(place).rotated(rotation(&mut random)).velocity(vector(&mut random, 20.0));
        world.add(body.angular_velocity(vector(&mut random, 4.0)).shape(shape).user_data(index))?;
    }
    Ok(world)
}

/// Where a shape is, by what the user sees of its body.
fn pose_of(shape: ShapeRef<'_>) -> Pose {
    shape.body.pose().compose(&shape.collider.pose_in_body)
}

fn even(shape: ShapeRef<'_>) -> bool {
    shape.body.user_data().is_multiple_of(2)
}

fn id_of(shape: ShapeRef<'_>) -> ShapeId {
    ShapeId { slot: shape.slot, body: shape.body.id() }
}

/// All questions, at random places, each against every shape.
fn compare(world: &World, center: DVec3, seed: u64, rounds: usize) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    let asked: Vec<ShapeRef<'_>> = world.shapes().filter(|shape| even(*shape) && shape.body.is_enabled()).collect();
    let (mut hits, mut casts, mut overlapping) = (0, 0, 0);
    for _ in 0..rounds {
        let from = center + cube(&mut random) * 5.0;
        // Half of them towards the shapes.
        let aim = if random.bool() { direction(&mut random) } else { center + cube(&mut random) * 3.0 - from };
        let ray = Ray::new(from, aim.normalize().as_vec3() * between(&mut random, 0.1, 3.0));
        let ray = if random.bool() { ray } else { ray.up_to(random.f64() * 12.0) };
        let mut expected = Vec::new();
        for shape in &asked {
            if let Some(hit) = query::ray_cast(&shape.collider.shape, &pose_of(*shape), &ray)? {
                expected.push((hit.distance, id_of(*shape)));
            }
        }
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut found = Vec::new();
        world.ray_cast_all(&ray, &even, &mut found)?;
        assert_eq!(found.iter().map(|hit| (hit.hit.distance, hit.id)).collect::<Vec<_>>(), expected);
        let first = world.ray_cast(&ray, &even)?.map(|hit| (hit.hit.distance, hit.id));
        assert_eq!(first, expected.first().copied());
        assert_eq!(world.ray_hits(&ray, &even)?, !expected.is_empty());
        hits += expected.len();

        let shape = if random.bool() { Shape::sphere(0.3)? } else { Shape::cuboid(0.5, 0.1, 0.3)? };
        let pose = Pose::new(center + cube(&mut random) * 4.0, rotation(&mut random));
        let sweep = Sweep::by(direction(&mut random) * random.f64() * 15.0);
        let mut expected = Vec::new();
        for other in &asked {
            let cast = query::cast(&shape, &pose, &other.collider.shape, &pose_of(*other), &sweep)?;
            if let (Some(time), false) = (cast.time(), matches!(cast, Cast::Miss)) {
                expected.push((time, id_of(*other)));
            }
        }
        let mut found = Vec::new();
        world.cast_all(&shape, &pose, &sweep, &even, &mut found)?;
        casts += expected.len();
        expected.sort_by_key(|found| found.1);
        let mut seen: Vec<_> = found.iter().map(|cast| (cast.cast.time().unwrap_or(-1.0), cast.id)).collect();
        assert!(seen.is_sorted_by(|a, b| a.0 <= b.0));
        seen.sort_by_key(|found| found.1);
        assert_eq!(seen, expected);
        let earliest = expected.iter().map(|found| found.0).reduce(f64::min);
        let first = world.cast(&shape, &pose, &sweep, &even)?.and_then(|cast| cast.cast.time());
        assert_eq!(first.is_some(), earliest.is_some());
        if let (Some(first), Some(earliest)) = (first, earliest) {
            assert!((first - earliest).abs() < 1e-6, "{first} and not {earliest}");
        }

        let mut expected = Vec::new();
        for other in &asked {
            if query::overlap(&shape, &pose, &other.collider.shape, &pose_of(*other))? {
                expected.push(id_of(*other));
            }
        }
        expected.sort_unstable();
        let mut found = Vec::new();
        world.overlaps_with(&shape, &pose, &even, &mut found)?;
        assert_eq!(found, expected);
        overlapping += expected.len();

        let bound = if random.bool() { f64::INFINITY } else { random.f64() * 4.0 };
        let mut distances = Vec::new();
        for other in &asked {
            let distance = query::distance(&shape, &pose, &other.collider.shape, &pose_of(*other))?.value();
            distances.extend((distance < bound).then_some((distance, id_of(*other))));
        }
        let mut found = Vec::new();
        world.distances_to(&shape, &pose, bound, &even, &mut found)?;
        assert_eq!(found.len(), distances.len());
        let least = distances.iter().map(|found| found.0).reduce(f64::min);
        let nearest = world.nearest_to(&shape, &pose, bound, &even)?.map(|found| found.distance.value());
        assert_eq!(nearest.is_some(), least.is_some());
        if let (Some(nearest), Some(least)) = (nearest, least) {
            assert!((nearest - least).abs() < 1e-8, "{nearest} and not {least}");
        }

        let point = center + cube(&mut random) * 4.0;
        let mut least: Option<(f64, ShapeId)> = None;
        for other in &asked {
            let found = query::project_point(&other.collider.shape, &pose_of(*other), point)?;
            let signed = if found.is_inside { -found.distance } else { found.distance };
            if signed <= bound && least.is_none_or(|least| (signed, id_of(*other)) < least) {
                least = Some((signed, id_of(*other)));
            }
        }
        let found = world.project_point(point, bound, &even)?.map(|found| {
            let distance = found.projection.distance;
            (if found.projection.is_inside { -distance } else { distance }, found.id)
        });
        assert_eq!(found, least);
    }
    assert!(hits > rounds / 4 && casts > rounds / 4 && overlapping > rounds / 20, "{hits} {casts} {overlapping}");
    Ok(())
}

#[test]
fn all_questions_are_answered_as_by_brute_force_at_every_moment() -> Outcome {
    for solver in [Solver::default(), Solver::ProjectedGaussSeidel { iterations: 4, warm: true }] {
        let mut world = scene(DVec3::ZERO, solver, Structure::default())?;
        compare(&world, DVec3::ZERO, 1, 300)?;
        for step in 0..4 {
            // With different lengths, so that boxes are placed for each.
            world.step([0.01, 0.02, 0.005, 0.02][step])?;
            compare(&world, DVec3::ZERO, 2 + step as u64, 300)?;
        }
        let ids: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
        let mut random = fastrand::Rng::with_seed(77);
        for id in ids.iter().step_by(3) {
            world.body_mut(*id)?.set_pose(Pose::at(cube(&mut random) * 3.0))?;
        }
        for id in ids.iter().step_by(7) {
            world.body_mut(*id)?.set_enabled(false);
        }
        world.remove(ids[12])?;
        compare(&world, DVec3::ZERO, 9, 300)?;
        world.step(0.01)?;
        compare(&world, DVec3::ZERO, 10, 300)?;
    }
    Ok(())
}

#[test]
fn questions_far_from_the_origin_lose_nothing() -> Outcome {
    let center = DVec3::new(3e6, -7e6, 1e6 + 0.1);
    let mut world = scene(center, Solver::default(), Structure::default())?;
    compare(&world, center, 31, 300)?;
    world.step(0.01)?;
    compare(&world, center, 32, 300)
}

#[test]
fn every_broad_phase_answers_alike() -> Outcome {
    for &structure in Structure::ALL {
        let mut world = scene(DVec3::ZERO, Solver::default(), structure)?;
        world.step(0.01)?;
        compare(&world, DVec3::ZERO, 41, 100)?;
    }
    Ok(())
}

#[test]
fn groups_choose_and_bad_questions_are_refused() -> Outcome {
    let mut world = World::default();
    let part = |groups| -> Result<_, ShapeError> {
        let filter = Filter { groups, mask: u32::MAX };
        Ok(carom::body::BodyShape::new(Shape::sphere(0.5)?).filter(filter))
    };
    world.add(Body::fixed().at([2.0, 0.0, 0.0]).part(part(0b01)?))?;
    let far = world.add(Body::fixed().at([4.0, 0.0, 0.0]).part(part(0b10)?))?;
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    let only = Filter { groups: u32::MAX, mask: 0b10 };
    assert_eq!(world.ray_cast(&ray, &only)?.map(|hit| hit.id.body), Some(far));
    assert!(world.ray_cast(&ray, &(only, |shape: ShapeRef<'_>| shape.body.id() != far))?.is_none());
    let all = Filter::default();
    let ball = Shape::sphere(1.0)?;
    let bad = DVec3::new(f64::NAN, 0.0, 0.0);
    assert!(matches!(world.ray_cast(&Ray::new(bad, [1.0, 0.0, 0.0]), &all), Err(WorldQueryError::Question(_))));
    assert!(matches!(world.ray_cast(&Ray::new([0.0; 3], [0.0; 3]), &all), Err(WorldQueryError::Question(_))));
    assert!(matches!(world.ray_hits(&ray.up_to(-1.0), &all), Err(WorldQueryError::Question(_))));
    assert!(matches!(world.project_point(bad, 1.0, &all), Err(WorldQueryError::Question(_))));
    assert!(matches!(world.project_point(DVec3::ZERO, f64::NAN, &all), Err(WorldQueryError::Bound(_))));
    assert!(matches!(world.nearest_to(&ball, &Pose::at(bad), 1.0, &all), Err(WorldQueryError::Pose { .. })));
    assert!(matches!(world.nearest_to(&ball, &Pose::IDENTITY, -1.0, &all), Err(WorldQueryError::Bound(_))));
    let sweep = Sweep::by(bad);
    assert!(matches!(world.cast(&ball, &Pose::IDENTITY, &sweep, &all), Err(WorldQueryError::Question(_))));
    Ok(())
}
