//! What the program is asked to do, and its manual.

use crate::bench;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

const AFTER: &str = "\
Exit status:
  0  fine
  1  a finding: a body went non-finite, a step was refused, or structures disagree
  2  wrong usage
  3  a file that cannot be read, understood or written

Examples:
  carom                                        simulate the default scene
  carom scenes                                 what there is to see
  carom run boxes --steps 300                  simulate 300 steps and sum up
  carom run my-scene.json --json               the same for a file, as JSON
  carom draw shower --steps 180 -o shower.svg   a picture after 1.5 seconds
  carom bench broad shower                     which broad-phase structure is fastest there";

const AFTER_RUN: &str = "\
Output with --json, one object:
  scene, steps, dt                  what was run; dt in seconds
  simulated_seconds, wall_seconds   how much time passed, in the world and outside
  bodies                            {total, dynamic, kinematic, fixed}
  pairs, contacts                   {last, mean, peak}: counts per step
  deepest                           the greatest depth of any contact in any step, in m
  energy                            {start, end}, each {kinetic, potential, total}, in J
  momentum                          {start, end}, each {linear: [x, y, z], angular: [x, y, z]}, in Ns and Nms
  stages                            {broad, narrow, response}: seconds spent in all steps together
  faults                            bodies that went non-finite: [{body, name, step, cause}]
  end                               where the bodies are: [{name, kind, position, rotation, velocity,
                                    angular_velocity}]; rotation as x, y, z, w

Examples:
  carom run billiards
  carom run ramp --steps 120 --dt 0.005
  carom run my-scene.toml --json | jq .energy
  generate-scene | carom run -

A scene file is JSON, or TOML if its name ends in .toml; `-` reads JSON from standard input.
`carom schema` prints its JSON Schema.";

const AFTER_DRAW: &str = "\
The picture is an SVG of the scene after the last step, seen from slightly above, with the camera far enough away to
hold everything that moves.

Examples:
  carom draw boxes --output boxes.svg
  carom draw break --steps 700 --trails --output break.svg
  carom draw my-scene.json --steps 0 --output start.svg";

const AFTER_PATH: &str = "\
A path file is JSON:
  {\"bodies\": [\"crane\", 4], \"keys\": [{\"time\": 0, \"position\": [0, 1, 0], \"rotation\": [0, 0, 0, 1]}, …]}
  bodies       the bodies of the scene that move together, by name or number; they keep their places beside the first
  keys         poses of the first body, in the order of time; rotation as x, y, z, w, none if left out; times are a
               second apart if left out. Between keys it moves and turns evenly, the shorter way round
  within       how near counts as a hit, in m; 0 if left out
  tolerance, precision, center   see PathOptions of the library

Exit status 0: proven free, between the keys as well. 1: not.

Output with --json, one object:
  scene, keys, outcome   outcome is free, hit or unproven
  hit                    {time, body, other, distance, on_body, on_other}, or null
  clearance              the same, with proven: nothing is nearer anywhere on the path";

const AFTER_SCENES: &str = "\
Output with --json, one array of objects:
  name, shows       the scene, and a sentence on what it shows
  capabilities      the ids of docs/capabilities.md that it shows
  bodies, steps, dt how many bodies, and how many steps of which length in seconds";

/// Simulate, list, draw and measure scenes of colliding bodies.
///
/// carom finds which bodies touch, where, when and how deep, and moves them apart by the laws of mechanics. Without a
/// command it simulates its default scene and prints what happened: bodies, pairs and contacts, energy and momentum at
/// the start and at the end, and where the time went.
#[derive(Debug, Parser)]
#[command(name = "carom", version, after_long_help = AFTER, after_help = "See `carom --help` for more.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene and sum up what happened.
    ///
    /// A progress bar goes to standard error while that is a terminal, the summary to standard output.
    #[command(after_long_help = AFTER_RUN)]
    Run {
        /// The name of a scene that the program knows, or a scene file.
        scene: String,
        /// How many steps to take, instead of what the scene says.
        #[arg(long, value_name = "N")]
        steps: Option<u32>,
        /// The length of a step in seconds, instead of what the scene says.
        #[arg(long, value_name = "S", value_parser = time_step)]
        dt: Option<f32>,
        /// Print one JSON object instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// List the scenes that the program knows.
    #[command(after_long_help = AFTER_SCENES)]
    Scenes {
        /// Print a JSON array instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Draw a picture of a scene.
    #[command(after_long_help = AFTER_DRAW)]
    Draw {
        /// The name of a scene that the program knows, or a scene file.
        scene: String,
        /// How many steps to take before drawing, instead of what the scene says.
        #[arg(long, value_name = "N")]
        steps: Option<u32>,
        /// The length of a step in seconds, instead of what the scene says.
        #[arg(long, value_name = "S", value_parser = time_step)]
        dt: Option<f32>,
        /// Draw the paths of the bodies, too.
        #[arg(long)]
        trails: bool,
        /// The SVG file to write.
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
    /// Check whether bodies of a scene can go along a path.
    ///
    /// Every other body of the scene is in the way, where it stands at the start.
    #[command(after_long_help = AFTER_PATH)]
    Path {
        /// The name of a scene that the program knows, or a scene file.
        scene: String,
        /// The path file.
        path: PathBuf,
        /// Print one JSON object instead of sentences.
        #[arg(long)]
        json: bool,
        /// Draw the scene and the path to this SVG file.
        #[arg(long, value_name = "FILE")]
        draw: Option<PathBuf>,
    },
    /// Measure parts of the engine against each other.
    ///
    /// Without an area it lists the areas.
    Bench {
        #[command(subcommand)]
        area: Option<bench::Area>,
    },
    /// Print the JSON Schema of scene files.
    ///
    /// Editors that know the schema complete and check scenes as they are written: name it in the file's "$schema".
    Schema,
}

fn time_step(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(dt) if f32::is_finite(dt) && dt > 0.0 => Ok(dt),
        Ok(_) => Err("a time step is greater than zero".into()),
        Err(error) => Err(format!("{error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn a_time_step_is_a_positive_number() {
        assert_eq!(time_step("0.01"), Ok(0.01));
        for wrong in ["0", "-1", "NaN", "inf", "1e99", "fast", ""] {
            assert!(time_step(wrong).is_err(), "{wrong}");
        }
    }
}
