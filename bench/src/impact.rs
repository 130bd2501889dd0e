//! Time of impact: `t3/<set>` is the conservative test of features that move linearly, in packs, against the plain cubic,
//! which is not conservative, on queries with exact answers; none may be missed and no time be late. `single/…` are the
//! same one by one, by kind as well. `rigid/<pair>` is that of bodies that move and turn,
//! `rigid/<pair>-linear` that of bodies that only move, `world/…` what a world makes of it.

#[path = "../../carom/tests/impact_queries/mod.rs"]
mod queries;
mod rigid;

use crate::measure::{Row, compare};
use crate::{Effort, Rows, narrow, scenes};
use carom::impact::{Kind, Terms, cubic, features, features_each};
use queries::Query;
use std::hint::black_box;
use std::time::Instant;

const AREA: &str = "impact";
const PEER: &str = "plain cubic";
/// The slowest query may take as long, in nanoseconds.
const SLOWEST: f64 = 200_000.0;

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = rigid::rows(effort, only)?;
    rows.extend(narrow::linear_casts(AREA, effort, |pair| format!("rigid/{pair}-linear"), only)?);
    rows.extend(scenes::world_rows(AREA, effort, only)?);
    if only.starts_with("rigid") || only.starts_with("world") {
        return Ok(rows);
    }
    let scenes = queries::scenes();
    let kinds = [None, Some(Kind::VertexFace), Some(Kind::EdgeEdge)];
    for (name, is_cloth) in [("published", false), ("cloth", true)] {
        for (prefix, kind) in [("t3", None)].into_iter().chain(kinds.map(|kind| ("single", kind))) {
            let end = match kind {
                None => "",
                Some(Kind::VertexFace) => "-vertex-face",
                Some(Kind::EdgeEdge) => "-edge-edge",
            };
            let case = format!("{prefix}/{name}{end}");
            if !case.starts_with(only) {
                continue;
            }
            let set: Vec<&Query> = scenes
                .iter()
                .filter(|scene| scene.stem.starts_with("cloth") == is_cloth)
                .flat_map(|scene| &scene.queries)
                .filter(|query| kind.is_none_or(|kind| query.kind == kind))
                .collect();
            if set.is_empty() {
                return Err("the queries of shared/data are not there".to_owned());
            }
            rows.push(row(effort, case, &set)?);
        }
    }
    Ok(rows)
}

fn row(effort: Effort, case: String, set: &[&Query]) -> Result<Row, String> {
    let terms = Terms::default();
    if let Some(index) = differing(set, &terms) {
        return Err(format!("{case}: query {index} of a pack has another answer than by itself"));
    }
    let ours = |query: &Query| features(query.kind, &query.start, &query.end, &terms);
    let plain = |query: &Query| cubic::first_root(query.kind, &query.start, &query.end);
    let (mut alarms, mut plain_misses, mut plain_alarms) = (0, 0, 0);
    let mut slowest = 0.0f64;
    for (index, query) in set.iter().enumerate() {
        let found = ours(query).map_err(|error| error.to_string())?;
        match (found.time(), query.first) {
            (None, Some(_)) => return Err(format!("{case}: query {index} is missed")),
            (Some(time), Some(first)) if time > first[1] => return Err(format!("{case}: query {index} is late")),
            (Some(_), None) => alarms += 1,
            (None, None) | (Some(_), Some(_)) => {}
        }
        let root = plain(query).map_err(|error| error.to_string())?;
        plain_misses += usize::from(root.is_none() && query.first.is_some());
        plain_alarms += usize::from(root.is_some() && query.first.is_none());
        // The shortest of a few, as the machine does other things, too.
        let mut shortest = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            let _ = black_box(ours(black_box(query)));
            shortest = shortest.min(start.elapsed().as_nanos() as f64);
        }
        slowest = slowest.max(shortest);
    }
    let packs = [Kind::VertexFace, Kind::EdgeEdge].map(|kind| {
        let queries = set.iter().filter(|query| query.kind == kind).map(|query| [query.start, query.end]);
        (kind, queries.collect::<Vec<_>>())
    });
    let is_packed = case.starts_with("t3");
    let run_ours = || {
        if is_packed {
            for (kind, queries) in &packs {
                let _ = black_box(features_each(*kind, queries, &terms, |_, found| {
                    let _ = black_box(found);
                }));
            }
            return;
        }
        for query in set {
            let _ = black_box(ours(query));
        }
    };
    let run_plain = || {
        for query in set {
            let _ = black_box(plain(query));
        }
    };
    let times = compare(effort, set.len(), run_ours, Some(run_plain));
    let note = format!(
        "{} queries: no miss, {alarms} false alarms, slowest {:.1} µs; the cubic has {plain_misses} misses and \
         {plain_alarms} false alarms",
        set.len(),
        slowest / 1e3
    );
    if slowest > SLOWEST {
        return Err(format!("{case}: {note}"));
    }
    Ok(Row::new(AREA, case, PEER, times, note))
}

/// The first query, of those of its kind, that a pack answers otherwise than a query by itself.
fn differing(set: &[&Query], terms: &Terms) -> Option<usize> {
    let mut differing = None;
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let queries: Vec<_> =
            set.iter().filter(|query| query.kind == kind).map(|query| [query.start, query.end]).collect();
        let _ = features_each(kind, &queries, terms, |index, found| {
            if found != features(kind, &queries[index][0], &queries[index][1], terms) {
                differing = differing.or(Some(index));
            }
        });
    }
    differing
}

/// Prints the rows that do not reach their bar: half the speed of the cubic; five times that of parry where bodies turn,
/// twice where hulls do not; as fast as Box3D with bullets; and a container at most 5 % dearer than without.
pub fn print_summary(rows: &[Row]) {
    let bar = |row: &Row| match row.case.as_str() {
        "rigid/sphere" => 1.0,
        "rigid/hull32-linear" | "rigid/hull256-linear" => 2.0,
        case if case.ends_with("-linear") => 1.0,
        case if case.starts_with("rigid") => 5.0,
        case if case.starts_with("t3") => 0.5,
        "world/container" => 1.0 / 1.05,
        case if case.starts_with("world") => 1.0,
        _ => 0.0,
    };
    for row in rows.iter().filter(|row| row.note.starts_with(scenes::DEVIATES)) {
        println!("{}: {}", row.case, row.note);
    }
    for (row, ratio) in rows.iter().filter_map(|row| Some((row, row.ratio?))).filter(|(row, ratio)| *ratio < bar(row)) {
        println!("{}: {ratio:.2} is below the bar of {:.2}", row.case, bar(row));
    }
}
