//! What there is to measure, and its manual.

use crate::threads::Threads;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The answer to `carom bench` alone.
pub(crate) const AREAS: &str = "\
area    what is measured
broad   every broad-phase structure on one scene: build, update, memory,
        and whether all agree

Try `carom bench broad shower`, or `carom bench broad --help`.
";

/// The same for a program.
pub(crate) const AREAS_JSON: &str =
    "[{\"area\": \"broad\", \"measures\": \"every broad-phase structure on one scene\"}]\n";

const AFTER_BROAD: &str = "\
Scenes:
  NAME              a scene that the program knows (`carom scenes`); it
                    is simulated once
  FILE.json, .toml  a scene file, likewise; `-` reads JSON from standard
                    input
  FILE.txt          boxes that do not move, one a line: min.x min.y
                    min.z max.x max.y max.z; lines that begin with # and
                    empty lines are passed over
  uniform:N         N boxes of about the same size, spread evenly in a
                    cube
  pile:N            N equal boxes in rows and layers on one large floor,
                    all touching their neighbours
  power:N           N boxes of very different sizes: ten times smaller,
                    a thousand times more frequent
  clustered:N       N boxes in dense heaps of about a thousand, with
                    much empty space between them
  line:N            N boxes in one long row along x
  N is from 1 to 1000000. The boxes of these five come from --seed. They
  drift to and fro, by up to two hundredths of their size a step (in a
  pile, two thousandths).

How it is measured:
  The boxes of all colliders are recorded in every step, then replayed
  through each structure: all boxes are inserted, and in every step
  those that changed are updated. After each step the structure is asked
  for all pairs and for what began and ended, and the clock runs for
  just these calls. Short replays are repeated; the fastest build and
  the fastest updates count.

How it is checked:
  At sampled steps (at all steps, where there are few boxes) each
  structure's pairs are compared with those of brute force, and the
  pairs that began and ended must add up to the pairs that are there.
  Above 20000 boxes brute force takes no part; the default structure is
  the reference then, every other is compared with it, and the
  neighbours of some boxes are counted one by one.

  --budget is looked at between steps. Before a large build, builds of a
  sixteenth and a quarter of the boxes tell whether it would fit.

Columns:
  build             to insert all boxes, find the first pairs and report
                    them
  update/step       to update what moved, find the pairs and what began
                    and ended: the mean over the steps
  tests/step        pairs of boxes that were compared: the mean over the
                    start and all steps
  pairs/step        pairs of boxes that overlap: likewise
  memory            what the structure holds after the last step
  total             build and all updates
  × best            the total as a multiple of the least

Output with --json, one object:
  scene, boxes, steps   what was replayed
  threads               how many threads the structures could use
  moves                 how many boxes changed a step, in the mean
  seed                  where the boxes came from; null unless the scene
                        is one of the five above
  pairs                 {last, mean, peak}: pairs that overlap, per
                        step; null if no structure came to the end
  budget_seconds        what each structure was given
  reference             the name of the structure that the others are
                        compared with
  checked_steps         at how many steps (the start is one) pairs were
                        compared
  structures            the fastest first, then those that are wrong or
                        did not come to the end: [{name, state, note,
                        build_seconds, update_seconds, tests, pairs,
                        memory_bytes, total_seconds, times_best}]; state
                        is \"complete\", \"wrong\", \"over budget\" or
                        \"skipped\"; note says why, or what a structure
                        that picks another by itself has picked and why;
                        what was not measured is null
  disagreements         [{structure, step, missing, extra, example,
                        events}]: how many pairs are missing and how
                        many are too many, one of them as two numbers of
                        boxes, and whether only the events are wrong

Examples:
  carom bench broad shower
  carom bench broad uniform:100000 --movers 10 --plot uniform.svg
  carom bench broad bounds01.txt
  carom bench broad power:20000 --json | jq '.structures[0].name'

Exit status: 1 if structures disagree, or a body of the scene went
non-finite.";

/// An area of the engine.
#[derive(Debug, Subcommand)]
pub(crate) enum Area {
    /// Run every broad-phase structure on a scene and compare them.
    ///
    /// Prints how long each takes to be built and to follow moving boxes, how many pairs of boxes it compares, what it
    /// holds in memory, and whether all find the same pairs. A progress bar goes to standard error while that is a
    /// terminal.
    #[command(after_long_help = AFTER_BROAD)]
    Broad(BroadArguments),
}

/// How to compare broad-phase structures.
#[derive(Debug, Args)]
pub(crate) struct BroadArguments {
    /// A scene, a scene file, a file of boxes, or KIND:N for N made boxes; see below with --help.
    pub(crate) scene: String,
    /// How many steps to take, instead of what the scene says; without that 20, and none where nothing moves.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u32>,
    /// How many of the boxes move, in percent; for made boxes only [default: 100].
    #[arg(long, value_name = "N", value_parser = percent)]
    pub(crate) movers: Option<f64>,
    /// Where random numbers begin; for made boxes only [default: 1].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How long one structure may take, in seconds.
    #[arg(long, value_name = "S", default_value = "10", value_parser = budget)]
    pub(crate) budget: f64,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw a bar chart, too: to FILE.svg, or to FILE.html with the table.
    #[arg(long, value_name = "FILE", value_parser = plot_file)]
    pub(crate) plot: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        Ok(_) => Err("a percentage is from 0 to 100".into()),
        Err(error) => Err(format!("{error}")),
    }
}

fn budget(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if f64::is_finite(seconds) && seconds > 0.0 => Ok(seconds),
        Ok(_) => Err("a budget is greater than zero".into()),
        Err(error) => Err(format!("{error}")),
    }
}

fn plot_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "html") => Ok(path),
        _ => Err("the name of a chart ends in .svg or .html".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_and_budgets_have_limits() {
        assert_eq!(percent("12.5"), Ok(12.5));
        for wrong in ["-1", "100.1", "NaN", "inf", "half", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
        assert_eq!(budget("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "NaN", "inf", ""] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn charts_are_svg_or_html() {
        assert!(plot_file("a.svg").is_ok() && plot_file("b/c.html").is_ok());
        for wrong in ["a.png", "svg", ".svg", ""] {
            assert!(plot_file(wrong).is_err(), "{wrong}");
        }
    }
}
