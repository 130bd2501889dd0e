//! Snapshots go on bit for bit.

mod random;

use carom::body::{BodyShape, Material, Mixing};
use carom::broad::Structure;
use carom::narrow::InnerEdges;
use carom::prelude::*;
use carom::response::{Projection, Solver};
use carom::shape::Part;
use carom::world::{Continuous, StepError, WorldBuilder};
use random::{rotation, vector};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;

/// A tray full of tumbling shapes, a sensor and a stirrer.
fn heap(threads: usize, structure: Structure) -> Result<World, Box<dyn std::error::Error>> {
    heap_in(World::builder().threads(threads).broad_phase(structure))
}

fn heap_in(builder: WorldBuilder) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = builder.build()?;
    world.add(Body::fixed().shape(Shape::cuboid(8.0, 0.5, 8.0)?))?;
    let stirrer = Body::kinematic().at([0.0, 1.0, 0.0]).angular_velocity([0.0, 1.0, 0.0]);
    world.add(stirrer.shape(Shape::cuboid(3.0, 0.3, 0.3)?))?;
    world.add(Body::fixed().at([0.0, 2.0, 0.0]).part(BodyShape::new(Shape::sphere(1.5)?).sensor()))?;
    let mut random = fastrand::Rng::with_seed(11);
    for index in 0..120 {
        let place = vector(&mut random, 3.0) + Vec3::Y * 5.0;
        let shape = match index % 4 {
            0 => Shape::sphere(0.3)?,
            1 => Shape::cuboid(0.3, 0.2, 0.4)?,
            2 => Shape::capsule(0.2, 0.2)?,
            _ => Shape::compound(vec![
                Part { pose: LocalPose::at([-0.2, 0.0, 0.0]), shape: Shape::sphere(0.2)? },
                Part { pose: LocalPose::at([0.2, 0.0, 0.0]), shape: Shape::cuboid(0.2, 0.2, 0.2)? },
            ])?,
        };
        let body = Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random));
        world.add(body.angular_velocity(vector(&mut random, 3.0)).shape(shape).restitution(0.3))?;
    }
    Ok(world)
}

/// What the user does in a step.
fn poke(world: &mut World, step: u32) -> Outcome {
    let ids: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
    let id = ids[3 + step as usize % (ids.len() - 3)];
    match step % 7 {
        0 => world.body_mut(id)?.apply_impulse([5.0, 20.0, 0.0])?,
        2 => world.body_mut(id)?.set_pose(Pose::at([0.0, 4.0 + f64::from(step % 3), 0.0]))?,
        3 => world.remove(id)?,
        4 => {
            let body = Body::dynamic().at([0.5, 6.0, 0.5]).velocity([0.0, -9.0, 0.0]);
            world.add(body.shape(Shape::sphere(0.25)?))?;
        }
        5 => world.body_mut(id)?.set_enabled(step.is_multiple_of(2)),
        _ => {}
    }
    Ok(())
}

fn run(world: &mut World, steps: std::ops::Range<u32>) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
    steps
        .map(|step| {
            poke(world, step)?;
            world.step(DT)?;
            Ok(world.hash())
        })
        .collect()
}

#[test]
fn restored_worlds_go_on_bit_for_bit() -> Outcome {
    for threads in [1, 2] {
        let mut world = heap(threads, Structure::default())?;
        run(&mut world, 0..60)?;
        // In the middle of what the user does: changes wait for the next step.
        poke(&mut world, 60)?;
        poke(&mut world, 62)?;
        poke(&mut world, 67)?;
        let snapshot = world.snapshot();
        let events = |world: &World| format!("{:?} {:?}", world.events().began(), world.events().entered());
        let counts = |world: &World| {
            let step = world.last_step();
            format!(
                "{} {} {} {} {:?} {:?}",
                step.pairs, step.manifolds, step.contacts, step.deepest, step.faults, step.stops
            )
        };
        let before = counts(&world);
        assert!(world.last_step().contacts > 0);
        let original = run(&mut world, 100..400)?;
        let told = events(&world);
        world.restore(&snapshot);
        assert_eq!(counts(&world), before, "what the last step told");
        assert_eq!(run(&mut world, 100..400)?, original, "the same world, {threads} threads");
        assert_eq!(events(&world), told);
        // Another world, with another broad phase and another number of threads.
        let mut other = World::builder().threads(3 - threads).broad_phase(Structure::SortAndSweep).build()?;
        other.restore(&snapshot);
        assert_eq!(counts(&other), before, "what the last step told");
        assert_eq!(run(&mut other, 100..400)?, original, "another world, {threads} threads");
    }
    Ok(())
}

/// The other strategies keep what they need as well, and a world of other settings takes on those of the snapshot.
#[test]
fn worlds_of_every_strategy_go_on_bit_for_bit() -> Outcome {
    let strategies = [
        Solver::ProjectedGaussSeidel { iterations: 12, warm: true },
        Solver::ProjectedGaussSeidel { iterations: 12, warm: false },
        Solver::WorstFirst { iterations: 6, projection: Projection::Linear },
        Solver::WorstFirst { iterations: 6, projection: Projection::Nonlinear },
    ];
    for solver in strategies {
        let mut world = heap_in(World::builder().threads(1).solver(solver).inner_edges(InnerEdges::Felt))?;
        run(&mut world, 0..70)?;
        poke(&mut world, 72)?;
        let snapshot = world.snapshot();
        let original = run(&mut world, 100..200)?;
        let mut other = World::builder().threads(2).build()?;
        other.restore(&snapshot);
        assert_eq!(run(&mut other, 100..200)?, original, "{solver:?}");
    }
    Ok(())
}

/// So do worlds whose steps are cut into pieces, or that let pass what is fast.
#[test]
fn worlds_of_every_kind_of_step_go_on_bit_for_bit() -> Outcome {
    for continuous in [Continuous::Off, Continuous::Substeps(3), Continuous::Adaptive] {
        let mut world = heap_in(World::builder().threads(2).continuous(continuous))?;
        run(&mut world, 0..70)?;
        poke(&mut world, 72)?;
        let snapshot = world.snapshot();
        let original = run(&mut world, 100..200)?;
        let mut other = World::builder().threads(1).build()?;
        other.restore(&snapshot);
        assert_eq!(run(&mut other, 100..200)?, original, "{continuous:?}");
    }
    Ok(())
}

/// Whatever a step depends on shows in the hash, before it shows in a body.
#[test]
fn the_hash_tells_every_setting() -> Outcome {
    let usual = || World::builder().threads(1);
    let mut hashes = std::collections::HashMap::new();
    let mut note = |what: &str, world: &World| {
        let known = hashes.insert(world.hash(), what.to_owned());
        assert_eq!(known, None, "{what} has the same hash");
    };
    note("the world", &heap_in(usual())?);
    let worlds: [(&str, WorldBuilder); 7] = [
        ("gravity", usual().gravity([0.0, -9.8, 0.0])),
        ("solver", usual().solver(Solver::SoftStep { substeps: 5 })),
        ("another solver", usual().solver(Solver::ProjectedGaussSeidel { iterations: 5, warm: true })),
        ("cold", usual().solver(Solver::ProjectedGaussSeidel { iterations: 5, warm: false })),
        ("sleeping", usual().sleeping(false)),
        ("inner edges", usual().inner_edges(InnerEdges::Felt)),
        ("bounce threshold", usual().bounce_threshold(0.123)),
    ];
    for (what, builder) in worlds {
        note(what, &heap_in(builder)?);
    }
    type Change = fn(&mut carom::body::BodyMut<'_>) -> Result<(), BodyError>;
    let changes: [(&str, Change); 12] = [
        ("friction", |body| body.set_material(Material { friction: 0.51, ..body.as_ref().material() })),
        ("static friction", |body| body.set_material(Material { static_friction: 0.9, ..body.as_ref().material() })),
        ("restitution", |body| body.set_material(Material { restitution: 0.31, ..body.as_ref().material() })),
        ("rolling", |body| body.set_material(Material { rolling_friction: 0.01, ..body.as_ref().material() })),
        ("conveyor", |body| body.set_material(Material { surface_velocity: Vec3::X, ..body.as_ref().material() })),
        ("mixing", |body| {
            body.set_material(Material { friction_mixing: Some(Mixing::Max), ..body.as_ref().material() })
        }),
        ("constant force", |body| body.set_constant_force([0.0, 0.1, 0.0])),
        ("constant torque", |body| body.set_constant_torque([0.0, 0.1, 0.0])),
        ("damping", |body| body.set_damping(0.1, 0.0)),
        ("angular damping", |body| body.set_damping(0.0, 0.1)),
        ("gravity scale", |body| body.set_gravity_scale(0.99)),
        ("limit", |body| body.set_max_speed(Some(1e6))),
    ];
    for (what, change) in changes {
        let mut world = heap_in(usual())?;
        let id = world.bodies().nth(50).ok_or("there are more")?.id();
        change(&mut world.body_mut(id)?)?;
        note(what, &world);
    }
    Ok(())
}

/// Boxes and hulls, heavy and light, that slide and roll on hills of triangles and on a height field.
fn hills(threads: usize) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::builder().threads(threads).build()?;
    let mut random = fastrand::Rng::with_seed(12);
    let side = 21u32;
    let height = |random: &mut fastrand::Rng| 0.3 * random.f32();
    let vertices = (0..side * side).map(|index| {
        let [x, z] = [index % side, index / side].map(|place| 0.8 * place as f32 - 8.0);
        Vec3::new(x, height(&mut random), z)
    });
    let vertices: Vec<Vec3> = vertices.collect();
    let cells = (0..side * (side - 1)).filter(|index| index % side < side - 1);
    let triangles = cells.flat_map(|a| [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]).collect();
    world.add(Body::fixed().shape(Shape::mesh(vertices, triangles)?))?;
    let heights = (0..side * side).map(|_| height(&mut random)).collect();
    let field = Shape::height_field(side as usize, side as usize, heights, [0.8, 0.8])?;
    world.add(Body::fixed().at([20.0, 0.0, 0.0]).shape(field))?;
    for index in 0..100 {
        let place =
            vector(&mut random, 5.0) * Vec3::new(1.0, 0.3, 1.0) + Vec3::new(20.0 * (index % 2) as f32, 2.5, 0.0);
        let shape = if index % 3 == 0 {
            Shape::cuboid(0.3, 0.2, 0.4)?
        } else {
            let points: Vec<Vec3> = (0..20).map(|_| random::direction(&mut random).as_vec3() * 0.4).collect();
            Shape::hull(&points)?
        };
        let body =
            Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random)).velocity(vector(&mut random, 2.0));
        world.add(body.shape(shape).density(if index % 5 == 0 { 1e5 } else { 500.0 }))?;
    }
    Ok(world)
}

/// What is kept between steps goes along: patches on triangles that have hardly moved, and who bears whom.
#[test]
fn worlds_of_triangles_go_on_bit_for_bit() -> Outcome {
    for threads in [1, 2] {
        let mut world = hills(threads)?;
        for taken in [40, 80, 160] {
            for _ in 0..taken {
                world.step(DT)?;
            }
            let snapshot = world.snapshot();
            let go_on = |world: &mut World| -> Result<Vec<u64>, StepError> {
                (0..60).map(|_| world.step(DT).map(|_| ()).map(|()| world.hash())).collect()
            };
            let original = go_on(&mut world)?;
            world.restore(&snapshot);
            assert_eq!(go_on(&mut world)?, original, "the same world after {taken} steps, {threads} threads");
            let mut other = World::builder().threads(3 - threads).build()?;
            other.restore(&snapshot);
            assert_eq!(go_on(&mut other)?, original, "another world after {taken} steps, {threads} threads");
        }
        let touching = world.manifolds().filter(|manifold| manifold.is_touching()).count();
        assert!(touching > 60, "{touching} patches prove nothing");
    }
    Ok(())
}

#[test]
fn a_snapshot_changes_nothing_and_neither_do_questions() -> Outcome {
    let (mut plain, mut watched) = (heap(1, Structure::default())?, heap(1, Structure::default())?);
    for step in 0..80 {
        poke(&mut plain, step)?;
        poke(&mut watched, step)?;
        watched.snapshot();
        let ray = query::Ray::new([0.0, 10.0, 0.0], [0.1, -1.0, 0.2]);
        watched.ray_cast(&ray, &carom::detector::Filter::default())?;
        plain.step(DT)?;
        watched.step(DT)?;
        assert_eq!(plain.hash(), watched.hash(), "step {step}");
    }
    Ok(())
}

#[test]
fn all_broad_phases_lead_to_the_same_world() -> Outcome {
    let mut expected = None;
    for &structure in Structure::ALL {
        let hashes = run(&mut heap(1, structure)?, 0..60)?;
        assert_eq!(expected.get_or_insert_with(|| hashes.clone()), &hashes, "{}", structure.name());
    }
    Ok(())
}

#[test]
fn sleepers_stay_asleep_across_a_snapshot() -> Outcome {
    let mut world = World::default();
    world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    let boxes: Vec<BodyId> = (0..4)
        .map(|level| {
            let body = Body::dynamic().at([0.0, 1.0 + f64::from(level), 0.0]);
            Ok(world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?))?)
        })
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    for _ in 0..240 {
        world.step(DT)?;
    }
    assert!(world.body(boxes[0])?.is_asleep());
    let (snapshot, before) = (world.snapshot(), world.hash());
    let mut other = World::default();
    other.restore(&snapshot);
    assert_eq!(other.hash(), before);
    assert!(other.body(boxes[3])?.is_asleep());
    for world in [&mut world, &mut other] {
        world.step(DT)?;
        world.body_mut(boxes[1])?.apply_impulse([900.0, 0.0, 0.0])?;
        for _ in 0..60 {
            world.step(DT)?;
        }
    }
    assert_eq!(world.hash(), other.hash());
    Ok(())
}

#[test]
fn the_hash_tells_the_least_difference() -> Outcome {
    let world = heap(1, Structure::default())?;
    let before = world.hash();
    assert_eq!(heap(2, Structure::default())?.hash(), before);
    let mut other = heap(1, Structure::default())?;
    let id = other.bodies().nth(50).ok_or("there are more")?.id();
    let velocity = other.body(id)?.velocity();
    other.body_mut(id)?.set_velocity(velocity + Vec3::X * f32::MIN_POSITIVE)?;
    assert_ne!(other.hash(), before);
    Ok(())
}

/// Events are of a step, and of one that was gone back behind nothing is told.
#[test]
fn what_is_restored_tells_of_nothing_until_the_next_step() -> Outcome {
    let mut world = heap(1, Structure::default())?;
    for _ in 0..90 {
        world.step(DT)?;
    }
    assert!(world.events().persisting().count() > 20);
    let snapshot = world.snapshot();
    world.restore(&snapshot);
    let events = world.events();
    assert_eq!((events.began().len(), events.ended().len(), events.persisting().count()), (0, 0, 0));
    world.step(DT)?;
    assert!(world.events().persisting().count() > 20);
    Ok(())
}
