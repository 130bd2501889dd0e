//! Light under heavy and heavy under light.

mod law_worlds;

use carom::prelude::*;
use law_worlds::{DT, Outcome, greatest_speed, run, with_floor};

#[test]
fn a_box_rests_on_one_of_another_mass() -> Outcome {
    for (below, above, give) in [(1.0, 10.0, 0.01), (1.0, 100.0, 0.03), (1000.0, 1.0, 0.01)] {
        rests_on(below, above, 0.0, (give, 1e-3))?;
    }
    Ok(())
}

#[test]
fn a_box_of_a_tonne_rests_on_one_of_a_kilogram() -> Outcome {
    // The contact of the two is as stiff as the light one allows: a quarter of its size is what it may give.
    for askew in [0.0, 0.01] {
        rests_on(1.0, 1000.0, askew, (0.25, 1e-3))?;
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
            aside < 0.03 && (-0.01..give).contains(&sunk),
            "{above} kg on {below} kg: the box at {y} m is {aside} m aside and {sunk} m low"
        );
    }
    let speed = greatest_speed(&world);
    assert!(speed < most_speed, "{above} kg on {below} kg: still moves at {speed} m/s");
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
fn a_ball_of_a_tonne_does_no_mischief_on_a_box_of_a_gram() -> Outcome {
    let mut world = with_floor(0.5, 0.0)?;
    let plate = world.add(Body::dynamic().at([0.0, 0.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(1e-3))?;
    let ball = world.add(Body::dynamic().at([0.0, 1.55, 0.0]).shape(Shape::sphere(0.5)?).mass(1000.0))?;
    let start = world.energy().total();
    let mut fastest = 0.0f32;
    for step in 0..600 {
        world.step(DT)?;
        fastest = fastest.max(greatest_speed(&world));
        let total = world.energy().total();
        assert!(total < 1.01 * start, "step {step}: {total} J of {start} J at the start");
    }
    // Never faster than a fall from where the ball began.
    assert!(fastest < (2.0f32 * 9.81 * 1.55).sqrt() + 1.0, "something flew at {fastest} m/s");
    for id in [plate, ball] {
        let place = world.body(id)?.position();
        assert!(place.y > 0.3 && place.y < 1.6, "at {place}");
    }
    Ok(())
}
