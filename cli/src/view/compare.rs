//! Every broad-phase structure on the boxes of the moment.

use super::message::{Compared, Tell};
use carom::bounds::Aabb;
use carom::broad::{Moved, Structure};
use carom::glam::Vec3;
use std::time::Instant;

/// Brute force takes no part above this many boxes: it would take seconds.
const MOST_FOR_BRUTE_FORCE: usize = 30_000;

/// The message with a row for each structure.
pub(super) fn message(boxes: &[(u32, Aabb)]) -> String {
    let takes_part = |structure: &Structure| *structure != Structure::BruteForce || boxes.len() <= MOST_FOR_BRUTE_FORCE;
    let rows = Structure::ALL.iter().copied().filter(takes_part).map(|structure| row(structure, boxes)).collect();
    Tell::Compare { rows }.text()
}

fn row(structure: Structure, boxes: &[(u32, Aabb)]) -> Compared {
    let start = Instant::now();
    let mut broad = structure.build();
    for (id, bounds) in boxes {
        // The boxes come from a broad phase, so each is sound and there once.
        let inserted = broad.insert(*id, *bounds);
        debug_assert_eq!(inserted, Ok(()));
    }
    broad.pairs();
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let moves: Vec<Moved> =
        boxes.iter().map(|(id, bounds)| Moved { id: *id, bounds: *bounds, displacement: Vec3::ZERO }).collect();
    let start = Instant::now();
    let updated = broad.update_many(&moves);
    debug_assert_eq!(updated, Ok(()));
    let pairs_true = broad.pairs().len();
    let update_ms = start.elapsed().as_secs_f64() * 1e3;
    Compared { name: structure.name(), pairs_tested: broad.cost().tests, pairs_true, build_ms, update_ms }
}
