//! How far the lectures' solvers go where the default stands. What they bear at 32 iterations is a documented limit and
//! no promise: heavier burdens and taller towers fall.

mod law_worlds;

use carom::prelude::*;
use carom::response::Solver;
use law_worlds::{DT, GRAVITY, Outcome, SOLVERS, greatest_speed, run, unit_cube, world};

/// Each of the lectures' solvers with what it bears, in the order of `SOLVERS`.
fn lectures<T>(limits: [T; 4]) -> impl Iterator<Item = (Solver, T)> {
    SOLVERS.into_iter().skip(1).zip(limits)
}

/// A shape of a mass in a place.
struct Thing {
    place: DVec3,
    turn: Quat,
    shape: Shape,
    mass: f32,
}

impl Thing {
    fn upright(place: DVec3, shape: Shape, mass: f32) -> Self {
        Self { place, turn: Quat::IDENTITY, shape, mass }
    }
}

/// On a floor under gravity: how far the farthest has moved after some steps, in m, and how fast the fastest still is.
fn moved(
    solver: Solver,
    things: &[Thing],
    friction: f32,
    steps: usize,
) -> Result<(f64, f32), Box<dyn std::error::Error>> {
    let mut world = world(World::builder().gravity([0.0, -GRAVITY, 0.0]).solver(solver));
    law_worlds::add_floor(&mut world, friction, 0.0)?;
    let mut ids = Vec::new();
    for thing in things {
        let body = Body::dynamic().at(thing.place).rotated(thing.turn).shape(thing.shape.clone()).mass(thing.mass);
        ids.push((world.add(body.friction(friction))?, thing.place));
    }
    run(&mut world, steps)?;
    let mut farthest = 0.0f64;
    for (id, place) in ids {
        farthest = farthest.max(world.body(id)?.position().distance(place));
    }
    Ok((farthest, greatest_speed(&world)))
}

/// Tells what was found, and that it is within the bar.
fn holds(case: &str, (moved, speed): (f64, f32), bar: f64) {
    println!("{case}: moved by {:.1} mm, and still by {:.1} mm/s", 1e3 * moved, 1e3 * speed);
    assert!(moved < bar, "{case}: moved by {moved} m");
}

/// Boxes of 1 m for 10 s. Warm starts bear a hundred times the mass, the others ten times; on a thousand times as much
/// the light one lies still with all of them.
#[test]
fn a_box_bears_one_of_another_mass() -> Outcome {
    for (solver, (most, bar)) in lectures([(100.0f32, 0.014), (10.0, 0.04), (10.0, 0.014), (10.0, 0.016)]) {
        for (below, above, bar) in
            [(1.0, 10.0f32.min(most), bar), (1.0, most, bar), (1000.0, 1.0, 1e-5), (1000.0, 1e-3, 1e-5)]
        {
            let boxes = [(0.5, below), (1.5, above)];
            let boxes = boxes.map(|(y, mass)| unit_cube().map(|cube| Thing::upright(DVec3::Y * y, cube, mass)));
            let boxes = boxes.into_iter().collect::<Result<Vec<_>, _>>()?;
            let case = format!("{solver:?}: {above} kg on {below} kg");
            holds(&case, moved(solver, &boxes, 0.5, 600)?, bar);
        }
    }
    Ok(())
}

/// Without warm starts it rolls away slowly by Gauss–Seidel.
#[test]
fn a_ball_of_a_gram_rests_on_a_box_of_a_tonne() -> Outcome {
    for (solver, bar) in lectures([2e-3, 0.1, 2e-3, 2e-3]) {
        let ball = Thing::upright(DVec3::Y * 1.1, Shape::sphere(0.1)?, 1e-3);
        let things = [Thing::upright(DVec3::Y * 0.5, unit_cube()?, 1000.0), ball];
        holds(&format!("{solver:?}: a gram on a tonne"), moved(solver, &things, 0.5, 600)?, bar);
    }
    Ok(())
}

/// After 10 s.
#[test]
fn low_towers_stand() -> Outcome {
    for (solver, limits) in
        lectures([&[(5u32, 0.016), (10, 0.021), (15, 0.15)][..], &[(5, 0.06)], &[(5, 0.035), (8, 0.1)], &[(5, 0.04)]])
    {
        for &(boxes, bar) in limits {
            let tower =
                (0..boxes).map(|level| Ok(Thing::upright(DVec3::Y * (0.5 + f64::from(level)), unit_cube()?, 1000.0)));
            let tower = tower.collect::<Result<Vec<_>, ShapeError>>()?;
            holds(&format!("{solver:?}: a tower of {boxes}"), moved(solver, &tower, 0.5, 600)?, bar);
        }
    }
    Ok(())
}

/// Worst first for 5 s, the others for 10.
#[test]
fn low_pyramids_stand() -> Outcome {
    for (solver, (base, steps, bar)) in lectures([(10, 600, 0.014), (5, 600, 0.032), (5, 300, 0.005), (5, 300, 0.02)]) {
        let mut pyramid = Vec::new();
        for level in 0..base {
            for index in 0..base - level {
                let x = f64::from(index) - 0.5 * f64::from(base - 1 - level);
                pyramid.push(Thing::upright(DVec3::new(x, 0.5 + f64::from(level), 0.0), unit_cube()?, 1000.0));
            }
        }
        holds(&format!("{solver:?}: a pyramid on {base}"), moved(solver, &pyramid, 0.6, steps)?, bar);
    }
    Ok(())
}

/// Two cards that lean on each other, for 10 s.
#[test]
fn a_tent_of_cards_stands() -> Outcome {
    let (angle, thickness, height) = (0.3f32, 0.02f32, 0.5f32);
    let (sine, cosine) = angle.sin_cos();
    let (across, up) = (thickness * cosine + height * sine, thickness * sine + height * cosine);
    let card = Shape::cuboid(thickness, height, 0.4)?;
    let tent = [-1.0f32, 1.0].map(|side| {
        let turn = Quat::from_rotation_z(side * angle);
        Thing { place: Vec3::new(side * across, up, 0.0).as_dvec3(), turn, shape: card.clone(), mass: 3.2 }
    });
    for (solver, bar) in lectures([5e-3; 4]) {
        holds(&format!("{solver:?}: a tent"), moved(solver, &tent, 0.7, 600)?, bar);
    }
    Ok(())
}

#[test]
fn dominoes_fall_one_after_the_other() -> Outcome {
    for (solver, ()) in lectures([(); 4]) {
        let mut world = world(World::builder().gravity([0.0, -GRAVITY, 0.0]).solver(solver));
        law_worlds::add_floor(&mut world, 0.5, 0.0)?;
        let mut dominoes = Vec::new();
        for index in 0..20 {
            let body = Body::dynamic().at([0.5 * f64::from(index), 0.5, 0.0]);
            dominoes.push(world.add(body.shape(Shape::cuboid(0.06, 0.5, 0.25)?).friction(0.4))?);
        }
        world.body_mut(dominoes[0])?.set_angular_velocity([0.0, 0.0, -2.5])?;
        world.body_mut(dominoes[0])?.set_velocity([1.25, 0.0, 0.0])?;
        let mut fell = vec![-1; dominoes.len()];
        for step in 0..240 {
            world.step(DT)?;
            for (&domino, fell) in dominoes.iter().zip(&mut fell) {
                if *fell < 0 && (world.body(domino)?.rotation() * Vec3::Y).y < 20.0f32.to_radians().cos() {
                    *fell = step;
                }
            }
        }
        println!("{solver:?}: they fell at steps {fell:?}");
        assert!(fell.is_sorted_by(|a, b| a < b) && fell[0] >= 0, "{solver:?}: they fell at steps {fell:?}");
    }
    Ok(())
}
