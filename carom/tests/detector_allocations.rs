//! What is asked again allocates nothing: contacts into a warm buffer, and the questions of a warm detector. Counted by the
//! allocator of this binary, in the thread that asks.

#![allow(unsafe_code, reason = "an allocator that counts")]

mod counting_allocator;
mod random;

use carom::detector::{Detector, Filter, Object, all_pairs};
use carom::narrow::{ContactBuffer, contacts};
use carom::prelude::*;
use carom::query::{PairCache, Ray, Sweep};
use carom::shape::Part;
use counting_allocator::Counting;
use fastrand::Rng;
use random::{between, direction, rotation, vector};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count_one() {
    // Not while the thread is ending.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

#[global_allocator]
static COUNTING: Counting = Counting(count_one);

fn allocations(ask: impl FnOnce()) -> usize {
    let before = COUNT.get();
    ask();
    COUNT.get() - before
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn shapes(random: &mut Rng) -> Result<Vec<(&'static str, Shape)>, ShapeError> {
    let points: Vec<Vec3> = (0..40).map(|_| direction(random).as_vec3()).collect();
    let hull = Shape::hull(&points)?;
    let Shape::Hull(round) = &hull else { return Ok(Vec::new()) };
    let mut triangles = Vec::new();
    for face in 0..round.core().planes().len() {
        let corners = round.core().face_corners(face);
        triangles.extend((1..corners.len() - 1).map(|second| [corners[0], corners[second], corners[second + 1]]));
    }
    let closed = Shape::mesh(round.core().vertices().to_vec(), triangles)?;
    let side = 9u32;
    let place = |index: u32| Vec3::new((index % side) as f32 - 4.0, 0.3 * random.f32(), (index / side) as f32 - 4.0);
    let vertices: Vec<Vec3> = (0..side * side).map(place).collect();
    let cells = (0..side * (side - 1)).filter(|index| index % side < side - 1);
    let open = cells.flat_map(|a| [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]).collect();
    let parts = vec![
        Part { pose: LocalPose::at([-0.6, 0.0, 0.0]), shape: Shape::sphere(0.5)? },
        Part { pose: LocalPose::at([0.6, 0.0, 0.0]), shape: Shape::cuboid(0.5, 0.4, 0.3)? },
    ];
    Ok(vec![
        ("ball", Shape::sphere(0.8)?),
        ("box", Shape::cuboid(0.8, 0.5, 0.6)?),
        ("capsule", Shape::capsule(0.6, 0.4)?),
        ("cylinder", Shape::cylinder(0.6, 0.5)?),
        ("cone", Shape::cone(0.6, 0.5)?),
        ("ellipsoid", Shape::ellipsoid(0.9, 0.5, 0.6)?),
        ("hull", hull),
        ("rounded hull", Shape::hull(&points)?.rounded(0.1)?),
        ("triangle", Shape::triangle([0.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 0.3, 1.0])?),
        ("height field", Shape::height_field(9, 9, (0..81).map(|_| 0.3 * random.f32()).collect(), [1.0, 1.0])?),
        ("open mesh", Shape::mesh(vertices, open)?),
        ("closed mesh", closed),
        ("compound", Shape::compound(parts)?),
    ])
}

#[test]
fn contacts_into_a_warm_buffer_allocate_nothing() -> Outcome {
    let mut random = Rng::with_seed(1);
    let shapes = shapes(&mut random)?;
    let mut faults = Vec::new();
    let mut touched = 0;
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            let poses: Vec<LocalPose> =
                (0..20).map(|_| LocalPose::new(vector(&mut random, 1.2), rotation(&mut random))).collect();
            let mut buffer = ContactBuffer::new();
            let mut ask = |pose: &LocalPose| {
                contacts(a, b, pose, 0.02, &mut buffer).map(|()| buffer.manifolds().len()).unwrap_or_default()
            };
            poses.iter().for_each(|pose| touched += ask(pose));
            let count = allocations(|| poses.iter().for_each(|pose| touched += ask(pose)));
            if count > 0 {
                faults.push(format!("{name_a} and {name_b}: {count}"));
            }
        }
    }
    assert!(touched > 2000, "the poses prove nothing: {touched}");
    assert!(faults.is_empty(), "{faults:?}");
    Ok(())
}

#[test]
fn distances_of_convex_shapes_allocate_nothing() -> Outcome {
    let mut random = Rng::with_seed(2);
    let shapes = shapes(&mut random)?;
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            let pose =
                Pose::new(direction(&mut random) * f64::from(between(&mut random, 0.5, 4.0)), rotation(&mut random));
            let mut cache = PairCache::default();
            let ask = |cache: &mut PairCache| {
                let _ = query::distance_cached(a, &Pose::IDENTITY, b, &pose, cache);
                let _ = query::overlap(a, &Pose::IDENTITY, b, &pose);
                let _ = query::ray_cast(b, &pose, &Ray::new([0.0, 0.0, 0.0], pose.position.as_vec3()));
            };
            ask(&mut cache);
            let count = allocations(|| ask(&mut cache));
            assert_eq!(count, 0, "{name_a} and {name_b}");
        }
    }
    Ok(())
}

#[test]
fn a_warm_detector_allocates_nothing() -> Outcome {
    let mut random = Rng::with_seed(3);
    let mut detector = Detector::default();
    let mut ids = Vec::new();
    for _ in 0..12 {
        for (_, shape) in shapes(&mut random)? {
            let pose = Pose::new(vector(&mut random, 8.0).as_dvec3(), rotation(&mut random));
            ids.push(detector.insert(Object::new(shape, pose))?);
        }
    }
    let all = Filter::default();
    let asked = Shape::cuboid(0.7, 0.6, 0.5)?;
    let place = Pose::at([1.0, 0.5, -1.0]);
    let ray = Ray::new([-9.0, 0.3, 0.2], [1.0, 0.02, 0.01]);
    let mut counts: Vec<(&str, [usize; 2])> = Vec::new();
    let mut found = 0usize;
    let mut shift = 1e-3;
    // Twice to grow what is kept, then moved a little and counted.
    for round in 0..3 {
        for (index, id) in ids.iter().enumerate() {
            let pose = *detector.get(*id)?.pose();
            let by = if index % 2 == 0 { shift } else { -shift };
            let moved = allocations(|| {
                let _ = detector.set_pose(*id, Pose::new(pose.position + DVec3::X * by, pose.rotation));
            });
            if round == 2 {
                assert_eq!(moved, 0, "moving an object");
            }
        }
        shift = -shift;
        // What has moved is sorted in at the first question, which may make room for it.
        detector.settle();
        let mut outcomes = Vec::with_capacity(16);
        let mut count = |name: &'static str, ask: &mut dyn FnMut() -> Result<(), carom::detector::DetectorError>| {
            let mut outcome = Ok(());
            let number = allocations(|| outcome = ask());
            outcomes.push((name, number, outcome));
        };
        count("overlaps", &mut || detector.overlaps(all_pairs, |_, _| found += 1));
        count("contacts", &mut || detector.contacts(0.01, all_pairs, |_, _, _| found += 1));
        count("closer_than", &mut || detector.closer_than(0.2, all_pairs, |_| found += 1));
        count("closest_pair", &mut || detector.closest_pair(all_pairs).map(drop));
        count("distances_of", &mut || detector.distances_of(ids[0], 2.0, all_pairs, |_| found += 1));
        count("closest_to", &mut || detector.closest_to(ids[1], all_pairs).map(drop));
        count("overlaps_with", &mut || detector.overlaps_with(&asked, &place, &all, |_| found += 1));
        count("distances_to", &mut || detector.distances_to(&asked, &place, 1.0, &all, |_| found += 1));
        count("nearest_to", &mut || detector.nearest_to(&asked, &place, 9.0, &all).map(drop));
        count("contacts_with", &mut || detector.contacts_with(&asked, &place, 0.1, &all, |_, _| found += 1));
        count("cast", &mut || detector.cast(&asked, &place, &Sweep::by(DVec3::X * 4.0), &all).map(drop));
        count("ray_cast", &mut || detector.ray_cast(&ray, &all).map(drop));
        count("ray_hits", &mut || detector.ray_hits(&ray, &all).map(drop));
        count("project_point", &mut || detector.project_point(DVec3::Y, 9.0, &all).map(drop));
        for (name, number, outcome) in outcomes {
            outcome?;
            println!("round {round}, {name}: {number} allocations");
            if round == 2 {
                let allowed = match name {
                    // It asks for a shape that is not in the set, and takes a buffer of its own.
                    "contacts_with" => 20,
                    // The first to look for pairs after all objects have moved; those after it find them there.
                    "overlaps" => 4,
                    _ => 0,
                };
                counts.push((name, [number, allowed]));
            }
        }
    }
    assert!(found > 500, "the set proves nothing: {found}");
    let faults: Vec<_> = counts.iter().filter(|(_, [count, allowed])| count > allowed).collect();
    assert!(faults.is_empty(), "{faults:?}");
    Ok(())
}
