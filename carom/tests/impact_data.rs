//! Every published query with an exact answer: no miss, no late time, no false alarm (T3).
//!
//! `CAROM_IMPACT_RESULTS=FILE` writes the answers as lines of scene, index, hit and time, for other judges.

mod impact_queries;

use carom::impact::{Outcome, Status, Terms, cubic, features};
use std::fmt::Write;

#[test]
fn every_published_query_is_answered_exactly() {
    let (mut lines, mut wrong) = (String::new(), Vec::new());
    for scene in impact_queries::scenes() {
        let (mut contacts, mut alarms, mut unresolved, mut earliest) = (0, 0, 0, 0.0f64);
        let mut plain = [0, 0];
        for (index, query) in scene.queries.iter().enumerate() {
            let found = features(query.kind, &query.start, &query.end, &Terms::default()).unwrap();
            let name = format!("{} {index}", scene.stem);
            contacts += usize::from(query.first.is_some());
            unresolved += usize::from(matches!(found, Outcome::Hit { status: Status::Unresolved, .. }));
            match (found.time(), query.first) {
                (None, None) => {}
                (None, Some(_)) => wrong.push(format!("{name} is missed")),
                (Some(_), None) => alarms += 1,
                (Some(time), Some(first)) => {
                    earliest = earliest.max(first[0] - time);
                    if time > first[1] {
                        wrong.push(format!("{name} is late: {time} instead of {}", first[1]));
                    }
                    let distance = impact_queries::distance_at(query, time);
                    if distance > 1.000_001e-6 {
                        wrong.push(format!("{name} is {distance} apart at {time}"));
                    }
                }
            }
            let root = cubic::first_root(query.kind, &query.start, &query.end).unwrap();
            plain[0] += usize::from(root.is_none() && query.first.is_some());
            plain[1] += usize::from(root.is_some() && query.first.is_none());
            let time = found.time().unwrap_or(f64::INFINITY);
            writeln!(lines, "{name} {} {time:e}", u8::from(found.is_hit())).unwrap();
        }
        println!(
            "{}: {} queries, {contacts} contacts, {alarms} false alarms, {unresolved} unresolved, up to {earliest:.1e} \
             early; the plain cubic has {} misses and {} false alarms",
            scene.stem,
            scene.queries.len(),
            plain[0],
            plain[1]
        );
        if alarms > 0 {
            wrong.push(format!("{}: {alarms} false alarms", scene.stem));
        }
    }
    if let Ok(path) = std::env::var("CAROM_IMPACT_RESULTS") {
        std::fs::write(path, lines).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
