//! carom side by side with other engines: `cargo run --release -- <area> [--quick] [--json FILE]`.
//!
//! Each row compares one job. Both sides must first agree on the result; then they are timed in turns within one run,
//! so that what else the machine does strikes both.

mod broad;
mod clouds;
mod impact;
mod measure;
mod narrow;
mod scenes;
mod shapes;

use clap::{Parser, ValueEnum};
use measure::Row;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "carom side by side with other engines")]
struct Arguments {
    /// What to compare.
    area: Area,
    /// Fewer and smaller cases, under a minute.
    #[arg(long)]
    quick: bool,
    /// Write the rows to this file as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only cases whose names begin like this: full/u1M, frame/, support/, …
    #[arg(long, value_name = "START", default_value = "", hide_default_value = true)]
    only: String,
    /// Measure nothing: show what earlier runs wrote to these files as one run, and how it stands against the bars.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "only")]
    parts: Vec<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Area {
    /// Convex hulls and support points.
    Shapes,
    /// The broad phase: pairs of boxes, rays among them, neighbours of points.
    Broad,
    /// The narrow phase: distances, overlaps and contacts of convex pairs; triangle meshes.
    Narrow,
    /// The time of impact.
    Impact,
    /// Whole scenes: stacks, heaps, terrains.
    Scenes,
}

/// How long the comparison may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Quick,
    Full,
}

/// A comparison ends with rows, or with what the two sides disagree on.
type Rows = Result<Vec<Row>, String>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let rows = match arguments.area {
        _ if !arguments.parts.is_empty() => measure::read(&arguments.parts),
        Area::Shapes => shapes::rows(effort, &arguments.only),
        Area::Broad => broad::rows(effort, &arguments.only),
        Area::Narrow => narrow::rows(effort, &arguments.only),
        Area::Impact => impact::rows(effort, &arguments.only),
        Area::Scenes => scenes::rows(effort, &arguments.only),
    };
    let reported = rows.and_then(|rows| {
        measure::report(&rows, arguments.json.as_deref())?;
        match arguments.area {
            Area::Shapes => Ok(()),
            Area::Broad => broad::print_summary(&rows, effort),
            Area::Narrow => {
                narrow::print_summary(&rows);
                Ok(())
            }
            Area::Impact => {
                impact::print_summary(&rows);
                Ok(())
            }
            Area::Scenes => scenes::print_summary(&rows, effort),
        }
    });
    match reported {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
