//! What the microscope shows is what the engine says.

use super::{Seen, SeenGjk, look};
use crate::scene;
use crate::session::Session;
use carom::glam::DVec3;
use carom::query;
use serde_json::Value;

fn session(name: &str, frames: u32) -> Session {
    let scene = scene::find(name).expect("the scene is known");
    let world = scene.world().expect("the scene is sound");
    let mut session = Session::new(scene, world);
    (0..frames).for_each(|_| session.step().expect("steps are taken"));
    session
}

fn json(seen: &Seen) -> Value {
    serde_json::to_value(seen).expect("it has a JSON form")
}

/// All pairs of some scene: bounds close in, and the answer is that of the plain question.
#[test]
fn traces_agree_with_plain_answers() {
    let session = session("shapes", 90);
    let slots: Vec<u32> = session.world().shapes().map(|shape| shape.slot).collect();
    let (mut traced, mut overlapping, mut with_axes, mut ended, mut enclosed) = (0, 0, 0, 0, 0);
    for (place, &a) in slots.iter().enumerate() {
        // A third of all pairs has every pair of kinds in it, and takes a third of the time.
        for &b in slots[place + 1..].iter().filter(|b| (a + **b) % 3 == 0) {
            let seen = look(&session, [a, b]).expect("there is something to see");
            let plain = [a, b].map(|slot| session.world().shapes().find(|shape| shape.slot == slot).expect("a shape"));
            let poses = plain.map(|shape| shape.body.pose().compose(&shape.collider.pose_in_body));
            let [of_a, of_b] = plain.map(|shape| &shape.collider.shape);
            let deep = query::penetration(of_a, &poses[0], of_b, &poses[1]).expect("an answer");
            assert!((seen.distance + deep.depth).abs() < 1e-6, "{a} {b}: {} and {}", seen.distance, deep.depth);
            // A search that rounding has ended is begun anew, with one point.
            let is_start = |step: &SeenGjk| step.simplex.len() == 1 && step.support.is_some();
            let closes_in = |steps: &[SeenGjk]| is_start(&steps[1]) || steps[0].upper + 1e-9 >= steps[1].upper;
            assert!(seen.gjk.windows(2).all(closes_in), "{a} {b}");
            if let Some((end, steps)) = seen.gjk.split_last() {
                ended += 1;
                assert!(end.support.is_none() && steps.iter().all(|step| step.support.is_some()), "{a} {b}");
                check_ending(end, seen.reasons[0]);
                enclosed += usize::from(end.simplex.len() == 4);
            }
            if let (Some(last), true) = (seen.gjk.last(), seen.distance > 0.0) {
                let radius = seen.difference.as_ref().map_or(0.0, |difference| f64::from(difference.radius));
                let of_cores = seen.distance + radius;
                // What is proven on the way is true.
                assert!(seen.gjk.iter().all(|step| step.lower <= of_cores + 1e-6 && of_cores <= step.upper + 1e-6));
                assert!((last.upper - of_cores).abs() < 1e-5, "{a} {b}");
                traced += 1;
            }
            overlapping += usize::from(seen.distance < 0.0);
            if !seen.axes.is_empty() {
                with_axes += 1;
                let widest = seen.axes.iter().map(|axis| axis.gap).fold(f64::MIN, f64::max);
                // Axes measure the cores, as the searches do; no gap is wider than their distance.
                let radius = seen.difference.as_ref().map_or(0.0, |difference| f64::from(difference.radius));
                assert!(widest <= seen.distance + radius + 1e-4, "{a} {b}: {widest} and {}", seen.distance);
            }
            let written = json(&seen);
            assert!(written["names"][1].is_string() && written["gjk"].is_array() && written["rust_test"].is_string());
        }
    }
    assert!(traced > 10 && overlapping > 0 && with_axes > 0, "{traced} {overlapping} {with_axes}");
    assert!(ended > traced && enclosed > 0, "{ended} {enclosed}");
}

/// The simplex of the end is of points of both shapes, and its nearest point is in it; if it holds the origin there is
/// nothing nearer, and only then.
fn check_ending(end: &SeenGjk, reason: &str) {
    let corners: Vec<DVec3> = end.simplex.iter().map(|point| point.difference).collect();
    assert!(end.simplex.iter().all(|point| (point.on_a - point.on_b - point.difference).length() < 1e-4), "{reason}");
    assert!((end.upper - end.nearest.length()).abs() < 1e-12 && end.lower <= end.upper + 1e-9, "{reason}");
    let least = corners.iter().map(|corner| corner.dot(end.nearest)).fold(f64::INFINITY, f64::min);
    assert!(least >= end.nearest.length_squared() * (1.0 - 1e-6) - 1e-9, "{reason}");
    assert_eq!(reason.contains("holds the origin"), corners.len() == 4 && end.upper == 0.0, "{reason}");
}

/// Time goes on, and no pair is closer than it may be.
#[test]
fn advancement_never_passes_a_contact() {
    let session = session("shower", 20);
    let slots: Vec<u32> = session.world().shapes().map(|shape| shape.slot).collect();
    let mut hits = 0;
    let (floor, others) = slots.split_first().expect("a floor");
    let neighbours = slots.windows(2).map(|pair| [pair[0], pair[1]]);
    for pair in neighbours.take(60).chain(others.iter().map(|other| [*floor, *other])) {
        let seen = look(&session, pair).expect("there is something to see");
        let Some(advancement) = &seen.advancement else { continue };
        let steps = &advancement.steps;
        assert!(steps.windows(2).all(|pair| pair[0].time < pair[1].time));
        assert!(steps.iter().all(|step| step.distance >= 0.0));
        let touches = advancement.ending.contains("they touch");
        assert_eq!(touches, steps.last().is_some_and(|step| step.distance < 1e-3), "{advancement:?}");
        hits += usize::from(touches);
    }
    assert!(hits > 0);
}

/// What the last step used is found anew, wherever it comes from: kept or not, of compounds, meshes and round shapes; asked
/// in either order it is the same.
#[test]
fn what_a_step_used_is_found_anew() {
    let (mut same, mut held, mut other) = (0, 0, Vec::new());
    for (name, frames) in [("boxes", 240), ("shapes", 90), ("compounds", 120), ("terrain", 120), ("sat", 5)] {
        let session = session(name, frames);
        let pairs: Vec<[u32; 2]> = session
            .world()
            .manifolds()
            .filter(|manifold| manifold.contacts().iter().any(|contact| contact.depth > 0.0))
            .map(|manifold| [manifold.pair.a.collider, manifold.pair.b.collider])
            .collect();
        assert!(!pairs.is_empty(), "{name}");
        for [a, b] in pairs.into_iter().take(40) {
            let seen = look(&session, [a, b]).expect("there is something to see");
            let used = seen.used.as_ref().unwrap_or_else(|| panic!("{name}: nothing is told of {a} and {b}"));
            let mirrored = look(&session, [b, a]).expect("there is something to see").used.expect("it is told");
            assert_eq!(used.differs, mirrored.differs, "{name} {a} {b}: {} and {}", used.says, mirrored.says);
            held += usize::from(json(&seen)["used"]["world"][0]["held"] == true);
            if used.differs { other.push(format!("{name} {a} {b}: {}", used.says)) } else { same += 1 }
        }
    }
    eprintln!("{same} the same, {held} held; {other:#?}");
    assert!(held > 0 && other.len() * 5 < same, "{same} the same, {other:#?}");
}

/// No step has led to the start.
#[test]
fn at_the_start_nothing_was_used() {
    assert!(look(&session("sat", 0), [0, 1]).expect("something to see").used.is_none());
}

#[test]
fn nothing_to_see_is_an_error() {
    let session = session("boxes", 1);
    for wrong in [[0, 0], [0, 1_000_000], [1_000_000, 0]] {
        assert!(look(&session, wrong).is_err(), "{wrong:?}");
    }
}
