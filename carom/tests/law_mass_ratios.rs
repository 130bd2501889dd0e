//! Light under heavy and heavy under light.

mod law_worlds;

use carom::prelude::*;
use law_worlds::{DT, GRAVITY, Outcome, greatest_speed, run, with_floor};

#[test]
fn a_box_rests_on_one_of_another_mass() -> Outcome {
    for (below, above) in [(1.0, 10.0), (1.0, 100.0), (1.0, 1000.0), (1e-3, 1000.0), (1000.0, 1.0), (1000.0, 1e-3)] {
        for askew in [0.0, 0.01] {
            rests_on(below, above, askew, (5e-3, 1e-4))?;
        }
    }
    Ok(())
}

/// The upper one is `askew` m aside; `give` is how far the contacts may give way, `most_speed` how fast the boxes may
/// still be.
fn rests_on(below: f32, above: f32, askew: f64, (give, most_speed): (f64, f32)) -> Outcome {
    let mut world = with_floor(0.5, 0.0)?;
    let mut ids = Vec::new();
    for (x, y, mass) in [(0.0, 0.5, below), (askew, 1.5, above)] {
        ids.push(world.add(Body::dynamic().at([x, y, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(mass))?);
    }
    run(&mut world, 600)?;
    for (&id, (x, y)) in ids.iter().zip([(0.0, 0.5), (askew, 1.5)]) {
        let place = world.body(id)?.position();
        let (aside, sunk) = ((place.x - x).hypot(place.z), y - place.y);
        assert!(
            aside < 2e-3 && (-1e-4..give).contains(&sunk),
            "{above} kg on {below} kg: the box at {y} m is {aside} m aside and {sunk} m low"
        );
    }
    let speed = greatest_speed(&world);
    assert!(speed < most_speed, "{above} kg on {below} kg: still moves at {speed} m/s");
    Ok(())
}

/// Columns of boxes of a kilogram with a heavy one across their tops, in either order of the bodies.
///
/// A contact gives way as a spring that swings 40 times a second with the reduced mass of its two bodies, and 80 times with
/// what stands on the ground: by F / (m·(2πf)²) under the force F. Light ones that are squeezed count with a 16th of what
/// they bear: with their own mass a tonne presses one of a kilogram in by a fifth of its size, and falls off two of them.
/// It comes to rest only if all that bears the burden is relaxed more often: followed through the first light body alone,
/// boxes still tremble at some mm/s after 10 s.
#[test]
fn a_heavy_box_rests_on_columns_of_light_ones() -> Outcome {
    let mut faults = Vec::new();
    for (columns, heavy, layers) in [
        (1, 50.0, &[2, 3, 5][..]),
        (1, 100.0, &[2, 3, 5]),
        (1, 300.0, &[2, 3]),
        (1, 1000.0, &[1, 2, 3, 5]),
        (2, 100.0, &[2, 5]),
        (2, 300.0, &[3]),
        (2, 1000.0, &[2, 3]),
    ] {
        for &layers in layers {
            for is_heavy_first in [false, true] {
                rests_on_columns((columns, layers), heavy, is_heavy_first, &mut faults)?;
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    Ok(())
}

fn rests_on_columns(
    (columns, layers): (usize, usize),
    heavy: f32,
    is_heavy_first: bool,
    faults: &mut Vec<String>,
) -> Outcome {
    let light = 1.0f32;
    let inert = light.max(heavy / 16.0);
    // How deep each layer is pressed into what is below it, all in all.
    let (mut sunk, mut sinks) = (0.0f64, Vec::new());
    for layer in 0..=layers {
        let above = heavy / columns as f32 + (layers - layer) as f32 * light;
        let (mass, rate) = match layer {
            0 => (inert, 80.0),
            _ if layer == layers => (inert * heavy / (inert + heavy), 40.0),
            _ => (0.5 * inert, 40.0),
        };
        sunk += f64::from(above * GRAVITY / (mass * (std::f32::consts::TAU * rate).powi(2)));
        sinks.push(sunk);
    }
    let mut boxes: Vec<(DVec3, f32, f32)> = Vec::new();
    for column in 0..columns {
        let x = 2.0 * column as f64 - (columns - 1) as f64;
        boxes.extend((0..layers).map(|layer| (DVec3::new(x, 0.5 + layer as f64, 0.0), light, 0.5)));
    }
    let half_width = columns as f32 - 0.5;
    boxes.push((DVec3::new(0.0, 0.5 + layers as f64, 0.0), heavy, half_width + 0.1 * (columns - 1) as f32));
    if is_heavy_first {
        boxes.reverse();
    }
    let mut world = with_floor(0.5, 0.0)?;
    let mut ids = Vec::new();
    for &(place, mass, half) in &boxes {
        ids.push(world.add(Body::dynamic().at(place).shape(Shape::cuboid(half, 0.5, 0.5)?).mass(mass))?);
    }
    run(&mut world, 1000)?;
    let case = format!("{heavy} kg on {columns} × {layers}, the heavy one first: {is_heavy_first}");
    for (&id, &(start, _, _)) in ids.iter().zip(&boxes) {
        let moved = world.body(id)?.position() - start;
        let (aside, expected) = (moved.x.hypot(moved.z), sinks[start.y as usize]);
        if aside > 0.01 || (moved.y + expected).abs() > 0.03 * expected + 1e-3 {
            faults
                .push(format!("{case}: the box at {start} is {aside} m aside and {} m low, not {expected}", -moved.y));
        }
    }
    let speed = greatest_speed(&world);
    if speed > 5e-4 {
        faults.push(format!("{case}: still moves at {speed} m/s"));
    }
    Ok(())
}

/// Each box of mass m bears all that are above it, r/(r − 1) times the heaviest, by a spring that swings 40 times a second with
/// the mass r·m / (r + 1). Where the heaviest is over 32 times as heavy it counts with more mass: so it gives way by no more than
/// 32·g·(r + 1) / ((r − 1)·(80π)²), and by up to 2.5 times that while it comes to rest.
#[test]
fn a_column_stands_in_which_each_box_is_heavier_than_the_one_below() -> Outcome {
    for (ratio, levels) in [(2.0f32, 8), (3.0, 7), (4.0, 6), (6.0, 4), (10.0, 4), (31.0, 3)] {
        for is_heavy_first in [false, true] {
            let mut world = with_floor(0.5, 0.0)?;
            let mut order: Vec<i32> = (0..levels).collect();
            if is_heavy_first {
                order.reverse();
            }
            let mut ids = Vec::new();
            for level in order {
                let place = DVec3::new(0.0, 0.4 + 0.8 * f64::from(level), 0.0);
                let body = Body::dynamic().at(place).shape(Shape::cuboid(0.4, 0.4, 0.4)?).mass(ratio.powi(level));
                ids.push((world.add(body)?, place));
            }
            let case = format!("{levels} boxes, each {ratio} times as heavy, the heaviest first: {is_heavy_first}");
            let most_give =
                2.5 * 32.0 * GRAVITY * (ratio + 1.0) / (ratio - 1.0) / (80.0 * std::f32::consts::PI).powi(2);
            let mut deepest = 0.0f32;
            for _ in 0..1000 {
                world.step(DT)?;
                let depths = world.manifolds().flat_map(|manifold| manifold.contacts()).map(|contact| contact.depth);
                deepest = depths.fold(deepest, f32::max);
            }
            assert!(deepest < most_give, "{case}: a contact was {deepest} m deep, not {most_give} at the most");
            for &(id, place) in &ids {
                let moved = world.body(id)?.position() - place;
                assert!(moved.x.hypot(moved.z) < 0.01, "{case}: the box at {place} moved by {moved}");
            }
            let speed = greatest_speed(&world);
            // A tenth of what may fall asleep.
            assert!(speed < 5e-3, "{case}: still moves at {speed} m/s");
        }
    }
    Ok(())
}

#[test]
fn a_ball_of_a_gram_rests_on_a_box_of_a_tonne() -> Outcome {
    let mut world = with_floor(0.5, 0.0)?;
    let crate_id = world.add(Body::dynamic().at([0.0, 0.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(1000.0))?;
    let ball = world.add(Body::dynamic().at([0.1, 1.3, 0.0]).shape(Shape::sphere(0.1)?).mass(1e-3))?;
    run(&mut world, 120)?;
    let rest = world.body(crate_id)?.position();
    run(&mut world, 300)?;
    let moved = world.body(crate_id)?.position().distance(rest);
    assert!(moved < 1e-4, "the box moved by {moved} m");
    let height = world.body(ball)?.position().y - rest.y - 0.6;
    assert!(height.abs() < 0.006, "the ball is {height} m above where it should be");
    let speed = world.body(ball)?.velocity().length();
    assert!(speed < 0.01, "the ball moves at {speed} m/s");
    Ok(())
}

#[test]
fn a_ball_of_a_tonne_rests_on_a_box_of_a_gram() -> Outcome {
    bears_a_tonne(Shape::cuboid(0.5, 0.5, 0.5)?, (Shape::sphere(0.5)?, 0.05))
}

#[test]
fn a_box_of_a_tonne_rests_on_a_ball_of_a_gram() -> Outcome {
    bears_a_tonne(Shape::sphere(0.5)?, (Shape::cuboid(0.5, 0.5, 0.5)?, 0.0))
}

/// A gram on the floor, and a tonne that comes down on it from some height.
fn bears_a_tonne(below: Shape, (above, height): (Shape, f64)) -> Outcome {
    let mut world = with_floor(0.5, 0.0)?;
    let below = world.add(Body::dynamic().at([0.0, 0.5, 0.0]).shape(below).mass(1e-3))?;
    let above = world.add(Body::dynamic().at([0.0, 1.5 + height, 0.0]).shape(above).mass(1000.0))?;
    let start = world.energy().total();
    let mut fastest = 0.0f32;
    for step in 0..1000 {
        world.step(DT)?;
        fastest = fastest.max(greatest_speed(&world));
        let total = world.energy().total();
        assert!(total < 1.01 * start, "step {step}: {total} J of {start} J at the start");
    }
    // Never faster than a fall from where it began.
    assert!(fastest < (2.0f32 * GRAVITY * 1.55).sqrt() + 1.0, "something flew at {fastest} m/s");
    for (id, height) in [(below, 0.5), (above, 1.5)] {
        let place = world.body(id)?.position();
        assert!((place.y - height).abs() < 5e-3 && place.x.hypot(place.z) < 5e-3, "at {place}, not {height} m high");
    }
    let speed = greatest_speed(&world);
    assert!(speed < 1e-3, "still moves at {speed} m/s");
    Ok(())
}

/// The floor bears what weighs, whatever a squeezed body counts as, and in free flight masses are what they are.
#[test]
fn what_is_squeezed_weighs_no_more() -> Outcome {
    let mut world = with_floor(0.5, 0.0)?;
    for (height, mass) in [(0.5, 1.0), (1.5, 1.0), (2.5, 100.0)] {
        world.add(Body::dynamic().at([0.0, height, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(mass))?;
    }
    run(&mut world, 600)?;
    let of_floor = world.manifolds().filter(|manifold| manifold.pair.a.body == 0 || manifold.pair.b.body == 0);
    let borne: f32 = of_floor.flat_map(|manifold| manifold.contacts()).map(|contact| contact.impulse).sum();
    let weight = 102.0 * GRAVITY * DT;
    assert!((borne / weight - 1.0).abs() < 1e-3, "{borne} Ns and not {weight}");

    // A light ball is squeezed between two heavy ones that meet: momentum is kept.
    let mut world = law_worlds::weightless();
    for (x, speed, mass) in [(-1.02, 3.0, 1000.0), (0.0, 0.1, 1.0), (1.01, -2.0, 500.0)] {
        let ball = Body::dynamic().at([x, 0.0, 0.0]).velocity([speed, 0.0, 0.0]);
        world.add(ball.shape(Shape::sphere(0.5)?).mass(mass).restitution(0.5))?;
    }
    let before = world.momentum().linear.x;
    for _ in 0..60 {
        world.step(DT)?;
        let now = world.momentum().linear.x;
        assert!((now - before).abs() < 1e-5 * 4000.0, "{now} Ns of {before}");
    }
    Ok(())
}
