//! The narrow phase against parry3d.

mod cast;
mod clearance;
mod contact;
mod convex;
mod decomposition;
mod mesh;

use crate::measure::Row;
use crate::{Effort, Rows};

pub use cast::convex_rows as linear_casts;

const AREA: &str = "narrow";
const PEER: &str = "parry3d 0.31";

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    for measure in [convex::rows, contact::rows, mesh::rows, decomposition::rows, cast::rows, clearance::rows] {
        rows.extend(measure(effort, only)?);
    }
    Ok(rows)
}

/// Prints how the rows stand against what they should reach.
pub fn print_summary(rows: &[Row]) {
    let bar = |row: &Row| match row.case.split('/').collect::<Vec<_>>()[..] {
        [_, "sphere", _] | [_, "sphere"] => 1.0,
        ["warm", ..] => 1.5,
        // What is asked of it is a number of hulls and a time.
        ["decomposition", ..] => 0.0,
        // Rows of our own, for which to be faster is enough.
        ["cast" | "detector", ..] | ["mesh", "box-candidates"] => 1.0,
        _ => 2.0,
    };
    let rated: Vec<(&Row, f64)> = rows.iter().filter_map(|row| Some((row, row.ratio?))).collect();
    for (row, ratio) in rated.iter().filter(|(row, ratio)| *ratio < bar(row)) {
        println!("{}: {ratio:.2} is below the bar of {}", row.case, bar(row));
    }
    const OTHERS: [&str; 5] = ["warm", "mesh", "decomposition", "cast", "detector"];
    let is_cold = |row: &Row| !OTHERS.iter().any(|start| row.case.starts_with(start));
    let cold: Vec<f64> = rated.iter().filter(|(row, _)| is_cold(row)).map(|(_, ratio)| *ratio).collect();
    if !cold.is_empty() {
        let mean = (cold.iter().map(|ratio| ratio.ln()).sum::<f64>() / cold.len() as f64).exp();
        println!(
            "geometric mean of peer / ours over {} cold rows of convex pairs: {mean:.2}; the bar is 3",
            cold.len()
        );
    }
    let warm = |pair: &str| rows.iter().find(|row| row.case == format!("warm/{pair}/distance")).map(|row| row.ours_ns);
    if let (Some(small), Some(large)) = (warm("hull32"), warm("hull256")) {
        println!("warm distance, hull256 over hull32: {:.2}; the bar is 1.5", large / small);
    }
}
