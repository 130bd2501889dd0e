//! Scenes do what their sentences say.

use super::tests::{load, world};
use carom::body::BodyRef;
use carom::glam::Vec3;
use carom::world::World;

/// The scene's world after its steps, or the given number; `after_step` sees it after each.
fn play(name: &str, steps: Option<u32>, mut after_step: impl FnMut(u32, &World)) -> World {
    let scene = load(name);
    let mut world = world(&scene);
    for step in 0..steps.unwrap_or(scene.steps) {
        if let Err(error) = world.step(scene.dt) {
            panic!("{name} in step {step}: {error}");
        }
        after_step(step, &world);
    }
    world
}

/// The bodies whose names in the scene begin so.
fn named<'a>(world: &'a World, scene: &str, start: &str) -> Vec<BodyRef<'a>> {
    let names = load(scene).bodies;
    let is_meant = |name: &Option<String>| name.as_ref().is_some_and(|name| name.starts_with(start));
    world.bodies().zip(&names).filter(|(_, body)| is_meant(&body.name)).map(|(body, _)| body).collect()
}

/// The bodies that forces move.
fn dynamic(world: &World) -> impl Iterator<Item = BodyRef<'_>> {
    world.bodies().filter(|body| body.mass().is_some())
}

/// How far bodies are from where they began.
fn farthest(name: &str, world: &World) -> f64 {
    let start = super::tests::world(&load(name));
    world.bodies().zip(start.bodies()).map(|(now, then)| now.position().distance(then.position())).fold(0.0, f64::max)
}

#[test]
fn what_is_built_stands() {
    for (name, bound) in
        [("stack", 0.2), ("pyramid", 0.3), ("cards", 0.05), ("masses", 0.05), ("warm", 0.1), ("far", 0.1)]
    {
        let moved = farthest(name, &play(name, None, |_, _| ()));
        assert!(moved < bound, "{name}: a body is {moved} m from where it began");
    }
}

#[test]
fn the_pyramid_sleeps() {
    let world = play("pyramid", None, |_, _| ());
    let awake = dynamic(&world).filter(|body| !body.is_asleep()).count();
    assert_eq!(awake, 0);
}

#[test]
fn dominoes_fall_one_after_the_other_to_the_last() {
    let mut fell = Vec::new();
    let world = play("dominoes", None, |step, world| {
        for (index, body) in dynamic(world).enumerate() {
            fell.resize(fell.len().max(index + 1), u32::MAX);
            let leans = (body.rotation() * Vec3::Y).y < 20f32.to_radians().cos();
            if leans && fell[index] == u32::MAX {
                fell[index] = step;
            }
        }
    });
    assert_eq!(fell.len(), dynamic(&world).count());
    assert!(fell.is_sorted() && fell.iter().all(|step| *step < u32::MAX), "they fell at {fell:?}");
}

#[test]
fn the_cradle_keeps_its_energy_and_swings_on_both_sides() {
    let (mut left, mut right) = (0.0f64, 0.0f64);
    let before = world(&load("cradle")).energy().total();
    let world = play("cradle", None, |_, world| {
        for body in dynamic(world) {
            left = left.min(body.position().x);
            right = right.max(body.position().x);
        }
    });
    let share = world.energy().total() / before;
    assert!((0.97..1.005).contains(&share), "{share} of the energy is left");
    assert!(right > 2.8 && left < -2.8, "from {left} to {right}");
}

#[test]
fn bullets_are_stopped_unless_nothing_stops_them() {
    let beyond = |name: &str| {
        let world = play(name, Some(60), |_, _| ());
        dynamic(&world).filter(|body| body.position().x > 3.0).count()
    };
    assert_eq!(beyond("bullets"), 0);
    assert!(beyond("tunnelling") > 0);
}

#[test]
fn no_energy_is_lost_at_billiards() {
    let before = world(&load("billiards")).energy().total();
    let after = play("billiards", None, |_, _| ()).energy().total();
    assert!((after / before - 1.0).abs() < 0.005, "{before} J, then {after} J");
}

#[test]
fn the_bar_passes_seven_slots_and_strikes_the_eighth() {
    let mut first = None;
    play("path", None, |_, world| {
        if world.last_step().contacts > 0 && first.is_none() {
            first = named(world, "path", "bar").first().map(|bar| bar.position().x);
        }
    });
    // The slots are at -4.5, -3, … and the eighth at 6.
    let first = first.expect("it strikes");
    assert!((5.5..6.0).contains(&first), "it strikes at {first}");
}

#[test]
fn the_driver_drives_the_train_of_gears() {
    let world = play("gears", None, |_, _| ());
    let speed = |start: &str| named(&world, "gears", start)[0].angular_velocity().z;
    // By the numbers of teeth: 1.5 · 12 / 24, and that · 24 / 16.
    assert!((speed("24 teeth") + 0.75).abs() < 0.15, "{}", speed("24 teeth"));
    assert!((speed("16 teeth") - 1.125).abs() < 0.25, "{}", speed("16 teeth"));
}

#[test]
fn parcels_stay_on_the_belts_and_go_round() {
    let mut turned = 0.0;
    let mut last = None;
    let world = play("conveyor", None, |_, world| {
        let Some(body) = dynamic(world).next() else { return };
        let place = body.position();
        let angle = place.z.atan2(place.x);
        if let Some(before) = last.replace(angle) {
            let step: f64 = angle - before;
            turned += step.sin().atan2(step.cos());
        }
    });
    let lowest = dynamic(&world).map(|body| body.position().y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 1.0, "a parcel is at {lowest} m");
    assert!(turned.abs() > 4.0, "in 30 s it went {turned} rad around");
}

#[test]
fn heaps_sleep_until_one_is_hit() {
    let mut asleep_before = 0;
    let mut woken = 0;
    play("islands", None, |_, world| {
        let asleep = dynamic(world).filter(|body| body.is_asleep()).count();
        asleep_before = asleep_before.max(asleep);
        woken = woken.max(asleep_before - asleep);
    });
    assert_eq!(asleep_before, 54, "all heaps sleep while the ball still falls");
    assert!((1..=36).contains(&woken), "{woken} boxes woke");
}

#[test]
fn the_less_rolling_friction_the_farther_they_roll() {
    let world = play("rolling", None, |_, _| ());
    let ways: Vec<f64> = ["0.08", "0.04", "0.02", "0.01", "0"]
        .iter()
        .map(|resistance| {
            let bodies = load("rolling").bodies;
            let name = format!("rolling friction {resistance}");
            let is_meant = |body: &crate::scene::SceneBody| body.name.as_deref() == Some(name.as_str());
            let found = world.bodies().zip(&bodies).find(|(_, body)| is_meant(body));
            found.expect("a ball of each").0.position().x
        })
        .collect();
    assert!(ways.is_sorted_by(|a, b| a < b), "{ways:?}");
}

#[test]
fn seams_stop_nothing() {
    let world = play("seams", None, |_, _| ());
    let ends: Vec<f64> = dynamic(&world).map(|body| body.position().x).collect();
    assert_eq!(ends.len(), 9);
    for place in 0..3 {
        let [triangles, boxes, whole] = [0, 1, 2].map(|lane| ends[3 * lane + place]);
        assert!((triangles - whole).abs() < 0.1 && (boxes - whole).abs() < 0.1, "{triangles} {boxes} {whole}");
    }
}

#[test]
fn gates_tell_who_passes_and_stop_nobody() {
    let (mut entered, mut left) = (0, 0);
    play("sensors", None, |_, world| {
        entered += world.events().entered().len();
        left += world.events().left().len();
    });
    assert!(entered > 45 && left > 45, "{entered} entered and {left} left");
}

#[test]
fn warm_starts_leave_less_to_do() {
    let left = |name: &str| {
        let mut sum = 0.0;
        play(name, Some(120), |_, world| sum += world.convergence().last().copied().unwrap_or_default());
        sum
    };
    let (cold, warm) = (left("cold"), left("warm"));
    assert!(warm < 0.5 * cold, "cold {cold}, warm {warm}");
}

#[test]
fn each_body_does_what_it_was_told() {
    let (mut fastest, mut before) = (0.0f32, None);
    let world = play("settings", None, |step, world| {
        fastest = fastest.max(named(world, "settings", "falls evenly")[0].velocity().length());
        if step == 60 {
            before = Some(named(world, "settings", "rolls on")[0].position().x);
        }
    });
    let place = |name: &str| named(&world, "settings", name)[0].position();
    let start = |name: &str| {
        let scene = load("settings");
        let index = scene.bodies.iter().position(|body| body.name.as_deref() == Some(name)).expect("it is there");
        super::tests::world(&scene).bodies().nth(index).expect("it is there").position()
    };
    for name in ["holds at rest", "holds by the mean", "hovers", "on its edge"] {
        let moved = place(name).distance(start(name));
        assert!(moved < 0.02, "{name}: moved by {moved} m");
    }
    for name in ["slides", "slides as ice"] {
        let moved = place(name).distance(start(name));
        assert!(moved > 0.5, "{name}: moved by {moved} m");
    }
    // g·s·t²/2 in 5 s.
    for (name, scale) in [("falls slowly", 0.02), ("rises", -0.02)] {
        let fallen = start(name).y - place(name).y;
        let expected = 0.5 * 9.81 * scale * 25.0;
        assert!((fallen / expected - 1.0).abs() < 0.01, "{name}: fell {fallen} m and not {expected}");
    }
    assert!((fastest - 1.0).abs() < 1e-3, "it falls at {fastest} m/s");
    let fallen = start("falls evenly").y - place("falls evenly").y;
    assert!((4.8..5.0).contains(&fallen), "at 1 m/s it falls {fallen} m in 5 s");
    assert!((place("on the shelf").y - 2.3).abs() < 0.01 && (place("through the shelf").y - 0.25).abs() < 0.01);
    let rolled = place("rolls on").x - before.expect("it was seen");
    assert!(rolled > 5.5, "in 4 s it rolls {rolled} m");
    // 7/5 of v²/2ρg.
    let rolled = place("rolls to rest").x - 6.0;
    let expected = 1.4 * 1.5 * 1.5 / (2.0 * 0.1 * 9.81);
    assert!((rolled / expected - 1.0).abs() < 0.02, "it rolls {rolled} m and not {expected}");
}
