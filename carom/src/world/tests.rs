//! Pairs that are not asked, since they cannot have come together, would have had no contacts.

use super::{Continuous, World};
use crate::body::{Body, BodyId, BodyShape};
use crate::pose::{LocalPose, Pose};
use crate::response::Solver;
use crate::shape::{Part, Shape};
use glam::{DVec3, Quat, Vec3};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Runs a world beside one that begins each step as it is and asks all pairs: both must come to the same, bit for bit.
fn compare(mut world: World, steps: u32, mut change: impl FnMut(u32, &mut World) -> Outcome) -> Outcome {
    let mut other = World::default();
    let (mut contacts, mut apart) = (0, 0);
    for step in 0..steps {
        change(step, &mut world)?;
        other.restore(&world.snapshot());
        other.meetings.asks_all = true;
        world.step(1.0 / 60.0)?;
        other.step(1.0 / 60.0)?;
        assert_eq!(world.manifolds().count(), other.manifolds().count(), "step {step}");
        assert_eq!(world.hash(), other.hash(), "step {step}");
        contacts += world.manifolds().count();
        apart += world.meetings.live_heads().iter().filter(|head| head.manifolds == 0).count();
    }
    assert!(contacts > 0 && apart > 0, "{contacts} contacts, {apart} pairs without");
    Ok(())
}

fn shapes() -> Result<Vec<Shape>, Box<dyn std::error::Error>> {
    let points = [[0.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.2, 0.8, 0.1], [0.1, 0.2, 0.7]].map(Vec3::from_array);
    let dumbbell = [-0.4f32, 0.4].map(|x| -> Result<_, crate::shape::ShapeError> {
        Ok(Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::sphere(0.25)? })
    });
    let [one, other] = dumbbell;
    Ok(vec![
        Shape::sphere(0.3)?,
        Shape::cuboid(0.3, 0.25, 0.2)?,
        Shape::cuboid(1.2, 0.06, 0.06)?,
        Shape::capsule(0.3, 0.15)?,
        Shape::hull(&points)?,
        Shape::cylinder(0.2, 0.3)?,
        Shape::compound(vec![one?, other?])?,
    ])
}

/// A heap of all shapes in a box of slabs, with a floor that is one of several kinds.
fn heap(floor: Shape, count: usize, seed: u64) -> Result<(World, Vec<BodyId>), Box<dyn std::error::Error>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut vector = |size: f32| Vec3::from_array([(); 3].map(|()| size * (2.0 * random.f32() - 1.0)));
    let mut world = World::default();
    world.add(Body::fixed().shape(floor))?;
    for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let half = Vec3::new(2.0, 3.0, 2.0) - 1.5 * side.abs();
        world.add(
            Body::fixed().at((2.5 * side + 3.0 * Vec3::Y).as_dvec3()).shape(Shape::cuboid(half.x, half.y, half.z)?),
        )?;
    }
    let shapes = shapes()?;
    let mut ids = Vec::new();
    for index in 0..count {
        let place = vector(1.4) + Vec3::Y * (2.0 + 0.15 * index as f32);
        let body = Body::dynamic().at(place.as_dvec3()).rotated(Quat::from_scaled_axis(vector(2.0)));
        let part = BodyShape::new(shapes[index % shapes.len()].clone());
        ids.push(world.add(body.angular_velocity(vector(8.0)).part(part))?);
    }
    Ok((world, ids))
}

/// A floor of triangles.
fn mesh() -> Result<Shape, crate::shape::ShapeError> {
    let vertices = [[-4.0, 0.0, -4.0], [4.0, 0.1, -4.0], [4.0, 0.0, 4.0], [-4.0, 0.2, 4.0], [0.0, -0.2, 0.0]];
    let triangles = vec![[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]];
    Shape::mesh(vertices.map(Vec3::from_array).to_vec(), triangles)
}

/// Hills of many triangles, open below.
fn hills() -> Result<Shape, crate::shape::ShapeError> {
    let side = 25;
    let corner = |index: u32| {
        let [x, z] = [index % side, index / side].map(|place| 8.0 * place as f32 / (side - 1) as f32 - 4.0);
        Vec3::new(x, 0.3 * (2.0 * x).sin() * (1.7 * z).cos(), z)
    };
    let cells = (0..side * (side - 1)).filter(|start| start % side + 1 < side);
    let triangles = cells.flat_map(|a| [[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]);
    Shape::mesh((0..side * side).map(corner).collect(), triangles.collect())
}

/// A closed block.
fn block() -> Result<Shape, crate::shape::ShapeError> {
    let corner = |index: u32| {
        let side = |bit: u32, half: f32| if index >> bit & 1 == 1 { half } else { -half };
        Vec3::new(side(0, 4.0), side(1, 0.3), side(2, 4.0))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Shape::mesh((0..8).map(corner).collect(), triangles.collect())
}

#[test]
fn a_heap_whose_bodies_are_put_elsewhere() -> Outcome {
    let floors = [Shape::cuboid(4.0, 0.2, 4.0)?, Shape::half_space([0.0, 1.0, 0.0])?, mesh()?, hills()?, block()?];
    for (seed, floor) in (0..).zip(floors) {
        let (world, ids) = heap(floor, 60, seed)?;
        let mut random = fastrand::Rng::with_seed(seed);
        compare(world, 240, |step, world| {
            if step % 7 == 3 {
                let id = ids[random.usize(..ids.len())];
                let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * (2.0 * random.f64() - 1.0)));
                let pose = Pose::new(vector(1.2) + DVec3::Y * 1.5, Quat::from_scaled_axis(vector(3.0).as_vec3()));
                world.body_mut(id)?.set_pose(pose)?;
            }
            if step % 11 == 5 {
                let id = ids[random.usize(..ids.len())];
                let spin = Vec3::from_array([(); 3].map(|()| 60.0 * (random.f32() - 0.5)));
                world.body_mut(id)?.set_angular_velocity(spin)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn long_boxes_that_spin_beside_each_other() -> Outcome {
    let mut world = World::builder().gravity(Vec3::ZERO).continuous(Continuous::Off).build()?;
    let mut random = fastrand::Rng::with_seed(9);
    for index in 0..40 {
        let place = DVec3::new(0.5 * f64::from(index % 8), 0.9 * f64::from(index / 8), 0.0);
        let spin = Vec3::Z * (1.0 + 20.0 * random.f32());
        world.add(Body::dynamic().at(place).angular_velocity(spin).shape(Shape::cuboid(0.9, 0.04, 0.04)?))?;
    }
    compare(world, 200, |_, _| Ok(()))
}

#[test]
fn what_is_carried_round_by_a_kinematic_wheel_and_seen_by_a_sensor() -> Outcome {
    let (mut world, _) = heap(Shape::cuboid(4.0, 0.2, 4.0)?, 40, 4)?;
    let wheel = Body::kinematic().at([0.0, 0.9, 0.0]).angular_velocity([0.0, 0.0, 1.5]);
    let blade = |turn: f32| -> Result<BodyShape, crate::shape::ShapeError> {
        let pose = LocalPose::new(Vec3::ZERO, Quat::from_rotation_z(turn));
        Ok(BodyShape::new(Shape::cuboid(1.2, 0.05, 1.0)?).at(pose))
    };
    world.add(wheel.part(blade(0.0)?).part(blade(1.2)?))?;
    world.add(Body::fixed().at([0.5, 1.0, 0.0]).part(BodyShape::new(Shape::sphere(0.6)?).sensor()))?;
    compare(world, 300, |_, _| Ok(()))
}

#[test]
fn solvers_without_margins() -> Outcome {
    let (world, _) = heap(Shape::half_space([0.0, 1.0, 0.0])?, 25, 8)?;
    let mut world = world;
    world.set_solver(Solver::ProjectedGaussSeidel { iterations: 12, warm: true })?;
    compare(world, 120, |_, _| Ok(()))
}

/// Puts the pairs in the order of space.
fn tidy(World { bodies, meetings, slabs, .. }: &mut World) {
    bodies.list_awake();
    slabs.find(bodies, 1);
    meetings.tidy(slabs, 1);
}

/// Bodies of a heap go and are thrown about: before each step the pairs are put in the order of space. A world that is
/// restored then goes on alike, and each pair is found where it is.
#[test]
fn pairs_are_put_in_order_without_a_trace() -> Outcome {
    let (world, ids) = heap(Shape::cuboid(4.0, 0.2, 4.0)?, 220, 9)?;
    let mut moved = 0;
    compare(world, 200, |step, world| {
        let before: Vec<_> = world.meetings.heads().iter().map(|head| head.pair).collect();
        tidy(world);
        moved += usize::from(!world.meetings.heads().iter().map(|head| head.pair).eq(before));
        for head in world.meetings.heads() {
            assert!(world.meetings.head_of(head.pair).is_some_and(|found| std::ptr::eq(found, head)), "step {step}");
        }
        if step % 20 == 19 {
            world.remove(ids[step as usize])?;
        }
        Ok(())
    })?;
    assert!(moved >= 100, "only {moved} times");
    Ok(())
}

/// Whatever a pair keeps goes with it when pairs are put in order, and then they are in the order of their bodies.
#[test]
fn pairs_keep_what_is_theirs_when_they_are_put_in_order() -> Outcome {
    let (mut world, _) = heap(Shape::cuboid(4.0, 0.2, 4.0)?, 120, 10)?;
    for step in 0..120 {
        world.step(1.0 / 60.0)?;
        if step % 30 != 29 {
            continue;
        }
        let kept = world.meetings.all_kept();
        let order: Vec<_> = world.meetings.heads().iter().map(|head| head.pair).collect();
        tidy(&mut world);
        let World { meetings, slabs, .. } = &world;
        assert!(meetings.all_kept() == kept, "step {step}");
        assert!(!meetings.heads().iter().map(|head| head.pair).eq(order), "step {step}: nothing has moved");
        let rank = |body: &u32| slabs.order_by_kind().1.iter().position(|dense| dense == body).unwrap_or(usize::MAX);
        let ranks = meetings.live_heads().iter().map(|head| head.bodies.iter().map(rank).min());
        assert!(ranks.is_sorted(), "step {step}");
    }
    Ok(())
}

/// Islands that are kept against a flood over all pairs, while bodies fall, part, come, go and are changed; and what is
/// asleep against a world that finds all its islands anew in every step.
#[test]
fn islands_that_are_kept_are_those_that_contacts_connect() -> Outcome {
    let (mut marked, mut exact, mut fell_asleep, mut parted) = (0, 0, 0, 0);
    for seed in 0..6u64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::builder().threads(1).build()?;
        world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
        let stirrer = Body::kinematic().at([0.0, 0.3, 0.0]).angular_velocity([0.0, 1.5, 0.0]);
        world.add(stirrer.shape(Shape::cuboid(2.0, 0.1, 0.1)?))?;
        let shapes = shapes()?;
        let mut other = World::builder().threads(1).build()?;
        let mut before = Vec::new();
        for step in 0..500 {
            if step < 120 || random.u32(0..40) == 0 {
                let place = DVec3::new(6.0 * random.f64() - 3.0, 0.4 + random.f64(), 6.0 * random.f64() - 3.0);
                let shape = shapes[random.usize(0..shapes.len())].clone();
                world.add(Body::dynamic().at(place).user_data(step).shape(shape))?;
            }
            let some = world.bodies().nth(random.usize(2..world.len())).map(|body| body.id());
            match (some, random.u32(0..60)) {
                (Some(id), 0) => world.remove(id)?,
                (Some(id), 1) => {
                    let is_enabled = world.body(id)?.is_enabled();
                    world.body_mut(id)?.set_enabled(!is_enabled);
                }
                (Some(id), 2) => world.body_mut(id)?.set_pose(Pose::at([0.0, 3.0, 1.0]))?,
                _ => {}
            }
            other.restore(&world.snapshot());
            world.step(1.0 / 60.0)?;
            other.step(1.0 / 60.0)?;
            assert_eq!(world.hash(), other.hash(), "seed {seed}, step {step}");
            let (flooded, kept) = (world.islands(), world.islands.kept());
            assert_eq!(flooded.len(), kept.len());
            for (body, island) in flooded.iter().enumerate() {
                let Some(first) = island.map(|first| first as usize) else { continue };
                assert_eq!(kept[body], kept[first], "seed {seed}, step {step}: {body} is connected with {first}");
                let (root, has_lost) = kept[body];
                marked += usize::from(has_lost);
                exact += usize::from(!has_lost && root as usize != body);
                if !has_lost {
                    assert_eq!(
                        flooded[root as usize], *island,
                        "seed {seed}, step {step}: {body} and {root} are apart"
                    );
                }
            }
            let asleep: Vec<_> = world.bodies().map(|body| (body.id(), body.is_asleep())).collect();
            fell_asleep += asleep.iter().filter(|(id, sleeps)| *sleeps && before.contains(&(*id, false))).count();
            let is_marked = |body: usize, first: usize| kept[body] == kept[first] && flooded[body] != flooded[first];
            parted += usize::from((3..kept.len()).any(|body| is_marked(body, kept[body].0 as usize)));
            before = asleep;
        }
    }
    println!("{marked} in marked sets, {exact} connected in others, {fell_asleep} fell asleep, {parted} times apart");
    assert!(marked > 1000 && exact > 1000 && fell_asleep > 100 && parted > 10);
    Ok(())
}
