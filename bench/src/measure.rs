//! Timing two sides in turns, and showing the result.

use crate::Effort;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One comparison. `ratio` is peer / ours: above 1 we are faster.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    pub area: String,
    pub case: String,
    pub ours_ns: f64,
    pub peer: String,
    pub peer_ns: Option<f64>,
    pub ratio: Option<f64>,
    /// Anything that is not equal about the comparison, or why the peer has no time.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Row {
    pub fn new(area: &str, case: String, peer: &str, times: Times, note: String) -> Self {
        let (area, peer) = (area.to_owned(), peer.to_owned());
        let ratio = times.peer_ns.map(|peer_ns| peer_ns / times.ours_ns);
        Self { area, case, ours_ns: times.ours_ns, peer, peer_ns: times.peer_ns, ratio, note }
    }
}

/// The shortest time of one run of each side, in nanoseconds.
pub struct Times {
    pub ours_ns: f64,
    pub peer_ns: Option<f64>,
}

/// Runs `ours` and `peer` in turns and takes the shortest time of each; `jobs` is how many jobs one run does.
pub fn compare(effort: Effort, jobs: usize, mut ours: impl FnMut(), mut peer: Option<impl FnMut()>) -> Times {
    let budget = Duration::from_millis(if effort == Effort::Quick { 700 } else { 3000 });
    let start = Instant::now();
    let mut shortest = [f64::INFINITY; 2];
    for turn in 0.. {
        if turn >= 3 && start.elapsed() > budget {
            break;
        }
        shortest[0] = shortest[0].min(time(&mut ours));
        if let Some(peer) = &mut peer {
            shortest[1] = shortest[1].min(time(peer));
        }
    }
    let [ours_ns, peer_ns] = shortest.map(|shortest| shortest / jobs as f64);
    Times { ours_ns, peer_ns: peer.is_some().then_some(peer_ns) }
}

fn time(run: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_nanos() as f64
}

/// Prints the rows as a table and writes them to `json`.
pub fn report(rows: &[Row], json: Option<&Path>) -> Result<(), String> {
    println!("{:<34} {:>12} {:>12} {:>9}  peer", "case", "ours", "peer", "peer/ours");
    for row in rows {
        let peer = row.peer_ns.map_or_else(|| "failed".to_owned(), duration);
        let ratio = row.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        println!("{:<34} {:>12} {peer:>12} {ratio:>9}  {}  {}", row.case, duration(row.ours_ns), row.peer, row.note);
    }
    let losses = rows.iter().filter(|row| row.ratio.is_some_and(|ratio| ratio < 1.0)).count();
    println!("{} of {} cases are slower than the peer", losses, rows.len());
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(rows).map_err(|error| error.to_string())?;
        std::fs::write(path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The rows that [`report`] wrote to files, put together. A case that was measured twice counts as it was measured last.
pub fn read(files: &[PathBuf]) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for path in files {
        let fault = |cause: String| format!("{}: {cause}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let part: Vec<Row> = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
        for row in part {
            match rows.iter_mut().find(|known| (&known.area, &known.case) == (&row.area, &row.case)) {
                Some(known) => *known = row,
                None => rows.push(row),
            }
        }
    }
    Ok(rows)
}

fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}
