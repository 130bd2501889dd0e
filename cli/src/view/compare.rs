//! Every broad-phase structure on the last step: built on the boxes that it began with, then brought to those of now.

use super::message::{Compared, Tell};
use carom::bounds::Aabb;
use carom::broad::{Moved, Structure};
use carom::glam::Vec3;
use std::collections::HashMap;
use std::time::Instant;

/// Brute force takes no part above this many boxes: it would take seconds.
const MOST_FOR_BRUTE_FORCE: usize = 30_000;

/// The message with a row for each structure. Boxes that were not there before the step stand where they are now.
pub(super) fn message(before: &[(u32, Aabb)], now: &[(u32, Aabb)]) -> String {
    let known: HashMap<u32, Aabb> = before.iter().copied().collect();
    let start: Vec<(u32, Aabb)> = now.iter().map(|(id, bounds)| (*id, *known.get(id).unwrap_or(bounds))).collect();
    let moved = |((id, bounds), (_, last)): (&(u32, Aabb), &(u32, Aabb))| {
        // A body is expected to go on as it went.
        let displacement: Vec3 = bounds.center() - last.center();
        (bounds != last).then_some(Moved { id: *id, bounds: *bounds, displacement })
    };
    let moves: Vec<Moved> = now.iter().zip(&start).filter_map(moved).collect();
    let takes_part = |structure: &Structure| *structure != Structure::BruteForce || now.len() <= MOST_FOR_BRUTE_FORCE;
    let taking_part = Structure::ALL.iter().copied().filter(takes_part);
    let rows = taking_part.map(|structure| row(structure, &start, &moves)).collect();
    Tell::Compare { boxes: now.len(), moved: moves.len(), rows }.text()
}

fn row(structure: Structure, start: &[(u32, Aabb)], moves: &[Moved]) -> Compared {
    let clock = Instant::now();
    let mut broad = structure.build();
    for (id, bounds) in start {
        // The boxes come from a broad phase, so each is sound and there once.
        let inserted = broad.insert(*id, *bounds);
        debug_assert_eq!(inserted, Ok(()));
    }
    broad.pairs();
    let build_ms = clock.elapsed().as_secs_f64() * 1e3;
    let clock = Instant::now();
    let updated = broad.update_many(moves);
    debug_assert_eq!(updated, Ok(()));
    let pairs_true = broad.pairs().len();
    let update_ms = clock.elapsed().as_secs_f64() * 1e3;
    Compared { name: structure.name(), pairs_tested: broad.cost().tests, pairs_true, build_ms, update_ms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;
    use crate::session::Session;
    use serde_json::Value;

    /// What is timed is a step in which boxes move, and its end is the same for all: that of the world.
    #[test]
    fn the_boxes_of_a_step_move() {
        let scene = scene::find("gas").expect("the scene is known");
        let world = scene.world().expect("the scene is sound");
        let mut session = Session::new(scene, world);
        let told = |session: &Session| -> Value {
            let now: Vec<_> = session.world().boxes().collect();
            serde_json::from_str(&message(session.before().boxes(), &now)).expect("JSON")
        };
        assert_eq!(told(&session)["moved"], 0, "no step was taken yet");
        (0..5).for_each(|_| session.step().expect("a step"));
        let told = told(&session);
        assert_eq!((&told["boxes"], &told["moved"]), (&Value::from(1006), &Value::from(1000)));
        let rows = told["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), Structure::ALL.len());
        assert!(rows.iter().all(|row| row["pairs_true"] == rows[0]["pairs_true"]), "{rows:?}");
    }
}
