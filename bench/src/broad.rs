//! The broad phase against parry3d, rstar, Box3D and kiddo.

#[cfg(feature = "box3d")]
mod box3d;
mod frame;
mod full;
mod neighbours;
mod pairs;
mod parry;
mod rays;
mod scenes;

use crate::measure::Row;
use crate::{Effort, Rows};
use carom::broad::{BroadPhase as _, DynamicTree};

const AREA: &str = "broad";

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    if cfg!(not(feature = "box3d")) {
        println!("box3d is not measured: this program was built without the feature `box3d`");
    }
    // Ours uses several threads where it is given them; the peers do not.
    let one_thread = threads(1)?;
    let mut rows = Vec::new();
    for measure in [full::rows, frame::rows, rays::rows, neighbours::rows, pairs::rows] {
        rows.extend(one_thread.install(|| measure(effort, only))?);
    }
    if full::THREADS.starts_with(only) {
        rows.push(full::threads_row(effort, &one_thread, &threads(2)?)?);
    }
    Ok(rows)
}

fn threads(count: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().map_err(|error| error.to_string())
}

/// What some cases should reach against the best peer.
struct Bar {
    cases: &'static [&'static str],
    ratio: f64,
}

const BARS: [Bar; 4] = [
    Bar { cases: &["full/u", "full/pile", "full/pow"], ratio: 8.0 },
    Bar { cases: &["frame/"], ratio: 4.0 },
    Bar { cases: &["ray/"], ratio: 1.0 },
    Bar { cases: &["knn/"], ratio: 1.0 },
];
/// How much the time of a box and frame may grow from ten thousand to a million boxes.
const MOST_GROWTH: f64 = 2.5;

/// Prints how the rows stand against the bars, how time grows, and what the structure holds.
pub fn print_summary(rows: &[Row], effort: Effort) -> Result<(), String> {
    for bar in BARS {
        let mut cases: Vec<&str> = rows.iter().map(|row| row.case.as_str()).collect();
        cases.dedup();
        cases.retain(|case| bar.cases.iter().any(|start| case.starts_with(start)));
        let best_peer_of = |case: &str| {
            let timed = rows.iter().filter(|row| row.case == case).filter_map(|row| Some((row.ratio?, row)));
            timed.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let worst = cases.into_iter().filter_map(best_peer_of).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((ratio, row)) = worst {
            let verdict = if ratio >= bar.ratio { "reached" } else { "MISSED" };
            let cases = bar.cases.join(", ");
            println!(
                "best peer / ours, {cases}: at least {ratio:.2} ({}, {}); the bar of {} is {verdict}",
                row.case, row.peer, bar.ratio
            );
        }
    }
    print_growth(rows);
    if !rows.iter().any(|row| row.case.starts_with("frame/")) {
        return Ok(());
    }
    let counts: &[usize] = if effort == Effort::Full { &[100_000, 1_000_000] } else { &[100_000] };
    counts.iter().try_for_each(|&count| print_memory(count))
}

fn print_growth(rows: &[Row]) {
    let per_box = |case: &str, count: f64| {
        let times = rows.iter().filter(|row| row.case == case).map(|row| row.ours_ns / count);
        times.min_by(f64::total_cmp)
    };
    let Some(small) = per_box("frame/u10k-10", 1e4) else { return };
    for (name, count) in [("100k", 1e5), ("1M", 1e6)] {
        let Some(large) = per_box(&format!("frame/u{name}-10"), count) else { continue };
        let growth = large / small;
        let verdict = match name {
            "1M" if growth < MOST_GROWTH => "; the bar of 2.5 is reached",
            "1M" => "; the bar of 2.5 is MISSED",
            _ => "",
        };
        println!(
            "growth, 10 % movers, 10k to {name} boxes: {small:.1} to {large:.1} ns a box and frame, {growth:.2}×\
             {verdict}"
        );
    }
}

fn print_memory(count: usize) -> Result<(), String> {
    let fault = |error: carom::broad::BroadPhaseError| error.to_string();
    let mut motion = scenes::Motion::new(count, 10);
    let mut tree = DynamicTree::from_boxes(&motion.boxes).map_err(fault)?;
    let pairs = tree.pairs().len();
    let built = tree.cost().memory;
    for _ in 0..10 {
        for moved in motion.advance() {
            tree.update(moved.id, moved.bounds, moved.displacement).map_err(fault)?;
        }
        tree.changes();
    }
    let followed = tree.cost().memory;
    let per = |memory: usize, count: usize| memory as f64 / count as f64;
    println!(
        "memory, {count} boxes, {pairs} pairs: {:.0} bytes a box or {:.0} a pair after a build, {:.0} or {:.0} after \
         ten frames with 10 % movers",
        per(built, count),
        per(built, pairs),
        per(followed, count),
        per(followed, pairs)
    );
    Ok(())
}
