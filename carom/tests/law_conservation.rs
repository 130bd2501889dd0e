//! What contacts must keep, momentum, and must not make, energy.

mod law_worlds;
mod random;

use carom::prelude::*;
use carom::shape::Part;
use law_worlds::{DT, Outcome, weightless, with_gravity};
use random::{between, rotation, vector};

/// A sphere, a box, a capsule or a hull about half a metre across.
fn shape(random: &mut fastrand::Rng) -> Result<Shape, ShapeError> {
    let mut size = || between(random, 0.15, 0.35);
    let sizes = [size(), size(), size()];
    match random.u32(0..4) {
        0 => Shape::sphere(sizes[0]),
        1 => Shape::cuboid(sizes[0], sizes[1], sizes[2]),
        2 => Shape::capsule(sizes[0], 0.6 * sizes[1]),
        _ => {
            let points: Vec<Vec3> =
                (0..16).map(|_| random::direction(random).as_vec3() * between(random, 0.2, 0.35)).collect();
            Shape::hull(&points)
        }
    }
}

#[test]
fn bodies_that_only_meet_each_other_keep_their_momentum() -> Outcome {
    let mut worst = [0.0f64; 2];
    for seed in 0..10 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = weightless();
        let (friction, restitution) = (random.f32(), random.f32());
        for index in 0..64 {
            let cell = Vec3::new((index % 4) as f32, (index / 4 % 4) as f32, (index / 16) as f32) - Vec3::splat(1.5);
            let place = cell + vector(&mut random, 0.1);
            let body = Body::dynamic()
                .at(place.as_dvec3())
                .rotated(rotation(&mut random))
                .velocity(vector(&mut random, 1.0) - place)
                .angular_velocity(vector(&mut random, 4.0))
                .density(between(&mut random, 100.0, 2000.0))
                .friction(friction)
                .restitution(restitution);
            world.add(body.shape(shape(&mut random)?))?;
        }
        let scale = |world: &World| -> f64 {
            world.bodies().map(|body| f64::from(body.mass().unwrap_or(0.0) * body.velocity().length())).sum()
        };
        let (before, momenta) = (world.momentum(), scale(&world));
        let mut contacts = 0;
        for _ in 0..240 {
            contacts += world.step(DT)?.contacts;
        }
        assert!(contacts > 500, "seed {seed}: {contacts} contacts prove nothing");
        let after = world.momentum();
        let linear = (after.linear - before.linear).length() / momenta;
        let angular = (after.angular - before.angular).length() / momenta;
        worst = [worst[0].max(linear), worst[1].max(angular)];
        assert!(linear < 1e-5, "seed {seed}: momentum off by {linear:e} of the sum of all");
        // About the origin, of bodies some metres from it: an arm of one metre.
        assert!(angular < 0.01, "seed {seed}: angular momentum off by {angular:e}");
    }
    println!("momentum off by {:.2e} of the sum of all, angular momentum by {:.2e}", worst[0], worst[1]);
    Ok(())
}

#[test]
fn no_pile_without_restitution_gains_energy() -> Outcome {
    let (mut worst, mut faults) = (0.0f64, Vec::new());
    for seed in 0..50 {
        let mut random = fastrand::Rng::with_seed(100 + seed);
        let mut world = with_gravity();
        let friction = random.f32();
        law_worlds::add_floor(&mut world, friction, 0.0)?;
        for index in 0..27 {
            let cell = Vec3::new((index % 3) as f32, (index / 9) as f32 + 1.0, (index / 3 % 3) as f32);
            // So far apart that none begin inside each other.
            let place = 1.3 * cell + vector(&mut random, 0.05);
            let body = Body::dynamic().at(place.as_dvec3()).rotated(rotation(&mut random)).friction(friction);
            let body = body.velocity(vector(&mut random, 1.0)).angular_velocity(vector(&mut random, 3.0));
            world.add(body.shape(shape(&mut random)?))?;
        }
        let start = world.energy().total();
        let mut least = start;
        let mut gain = 0.0f64;
        for _ in 0..240 {
            world.step(DT)?;
            let total = world.energy().total();
            gain = gain.max((total - least) / start);
            least = least.min(total);
        }
        worst = worst.max(gain);
        if gain > 2e-3 {
            faults.push(format!("seed {seed}: {:.2} % of the start's energy came from nowhere", 100.0 * gain));
        }
        let kinetic = world.energy().kinetic / start;
        if kinetic > 0.05 {
            faults.push(format!("seed {seed}: {:.1} % of the energy is still movement", 100.0 * kinetic));
        }
    }
    println!("energy rose by {:.4} % of that at the start at the most", worst * 100.0);
    assert!(faults.is_empty(), "{faults:#?}");
    Ok(())
}

#[test]
fn a_spinning_handle_flips_and_keeps_its_energy() -> Outcome {
    // A T of two boxes that spins about the axis of its middle moment of inertia: Dzhanibekov's effect.
    let mut world = weightless();
    let bar = Part { pose: LocalPose::IDENTITY, shape: Shape::cuboid(0.5, 0.1, 0.1)? };
    let stem = Part { pose: LocalPose::at([0.0, -0.35, 0.0]), shape: Shape::cuboid(0.08, 0.25, 0.08)? };
    let id = world.add(Body::dynamic().shape(Shape::compound(vec![bar, stem])?))?;
    let inertia = world.body(id)?.inertia().ok_or("it is dynamic")?;
    let moments = [0, 1, 2].map(|axis| inertia.col(axis)[axis]);
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| moments[a].total_cmp(&moments[b]));
    let middle = Vec3::AXES[axes[1]];
    world.body_mut(id)?.set_angular_velocity(middle * 6.0 + Vec3::splat(0.01))?;
    let (energy, momentum) = (world.energy().kinetic, world.momentum().angular);
    let (mut flips, mut is_upright, mut worst) = (0, true, 0.0f64);
    for _ in 0..10_000 {
        world.step(DT)?;
        let along = (world.body(id)?.rotation() * middle).dot(middle);
        if (along > 0.9) != is_upright && along.abs() > 0.9 {
            is_upright = !is_upright;
            flips += 1;
        }
        worst = worst.max((world.energy().kinetic / energy - 1.0).abs());
    }
    println!("{flips} flips, energy off by {:.4} %", worst * 100.0);
    assert!(flips > 10, "{flips} flips about the middle axis");
    assert!(worst < 0.01, "energy off by {worst}");
    let drift = (world.momentum().angular - momentum).length() / momentum.length();
    assert!(drift < 5e-3, "angular momentum off by {drift}");
    Ok(())
}

#[test]
fn spin_about_the_outer_axes_is_steady() -> Outcome {
    for axis in [Vec3::X, Vec3::Z] {
        let mut world = weightless();
        let body = Body::dynamic().shape(Shape::cuboid(0.1, 0.5, 1.0)?);
        let id = world.add(body.angular_velocity(axis * 6.0 + Vec3::splat(0.01)))?;
        for _ in 0..3000 {
            world.step(DT)?;
            let along = (world.body(id)?.rotation() * axis).dot(axis);
            assert!(along > 0.99, "{axis}: it wobbles by {along}");
        }
    }
    Ok(())
}
