//! What the program is asked to do, and its manual.

mod wrap;

use crate::bench;
use crate::scene::embedded;
use crate::threads::{Threads, ThreadsBesideBrowser};
use clap::{ArgGroup, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const AFTER: &str = "\
Exit status:
  0  fine
  1  a finding: a body went non-finite, a step was refused, structures
     disagree, or a recording runs otherwise
  2  wrong usage
  3  a file that cannot be read, understood or written

Examples:
  carom                                   simulate the default scene
  carom scenes                            what there is to see
  carom run boxes --steps 300             simulate 300 steps and sum up
  carom run my-scene.json --json          the same for a file, as JSON
  carom view boxes --open                 see it live in the browser
  carom run boxes --record a.carom        record a run, to replay it
  carom replay a.carom                    is it the same, bit for bit?
  carom export a.carom --html a.html      a page that plays it
  carom draw shower --steps 180 -o a.svg  a picture after 1.5 seconds
  carom bench broad shower                which structure is fastest";

const AFTER_RUN: &str = "\
Output with --json, one object:
  scene, steps, dt                  what was run; dt in seconds
  simulated_seconds, wall_seconds   how much time passed, in the world
                                    and outside
  bodies                            {total, dynamic, kinematic, fixed}
  pairs, contacts                   {last, mean, peak}: counts per step
  deepest                           the greatest depth of any contact in
                                    any step, in m
  energy                            {start, end}, each {kinetic,
                                    potential, total}, in J
  momentum                          {start, end}, each {linear: [x, y,
                                    z], angular: [x, y, z]}, in Ns and
                                    Nms
  stages                            {broad, narrow, response, impact}:
                                    seconds spent in all steps together
  hash                              16 hexadecimal digits of the state
                                    after the last step
  faults                            bodies that went non-finite: [{body,
                                    name, step, cause}]
  end                               where the bodies are: [{name, kind,
                                    position, rotation, velocity,
                                    angular_velocity}]; rotation as x,
                                    y, z, w

Examples:
  carom run billiards
  carom run ramp --steps 120 --dt 0.005
  carom run my-scene.toml --json | jq .energy
  carom run boxes --record boxes.carom
  generate-scene | carom run -

A scene file is JSON, or TOML if its name ends in .toml; `-` reads JSON
from standard input. `carom schema` prints its JSON Schema.";

const AFTER_DRAW: &str = "\
The picture is an SVG of the scene after the last step, seen from
slightly above, with the camera far enough away to hold everything that
moves.

Examples:
  carom draw boxes --output boxes.svg
  carom draw break --steps 700 --trails --output break.svg
  carom draw my-scene.json --steps 0 --output start.svg";

const AFTER_REPLAY: &str = "\
A recording holds its scene with the mesh files that it names, what was
done to it, hashes of every frame and keyframes; nothing else is needed.
It can be replayed on any machine and with any number of threads. One of
an older version of carom is replayed, too; where that version computed
otherwise, the first frame that differs is named.

Output with --json, one object:
  file, scene, engine   the recording, what it shows, and which version
                        of carom recorded it
  frames, checked       how many frames it has, and up to which one all
                        are the same
  divergence            null, or {frame, body, name, stage, off}: the
                        first frame that differs, the first body in it
                        that touches something else or moves otherwise,
                        the first stage whose result is another (broad
                        phase, narrow phase, response or impact), and
                        how far bodies are off at the next keyframe, in
                        m

Examples:
  carom run boxes --steps 600 --record boxes.carom
  carom replay boxes.carom
  carom replay boxes.carom --json | jq .divergence

Exit status: 1 if a frame differs, 3 if the recording is damaged or of
another format.";

const AFTER_MICROSCOPE: &str = "\
Slots count the shapes of all bodies in the order of the scene, from 0;
a compound is one shape. Of compounds, meshes and height fields, the two
pieces are looked at that are nearest to each other or deepest in each
other.

Output with --json, one object: the message `microscope` of
docs/viewer-protocol.md.

Examples:
  carom microscope boxes 0 1
  carom microscope shapes 0 3 --steps 90 --json | jq .gjk
  carom microscope shapes 1 2 --steps 90 --rust-test > tests/pair.rs";

const AFTER_VIEW: &str = "\
The address goes to standard output, as soon as it can be opened. The
scene waits until a page looks at it. Several pages may look at the same
time; all see and steer the same scene. Nothing listens beyond
127.0.0.1, and the page loads nothing from anywhere else. A page that
loses the program tries to reach it again; a program that is started
anew has another address, and the page says so.

A browser without a graphics card draws on the cores that the steps are
taken on, so one core is left to it: otherwise steps would wait for it,
and seem slower than they are. Where drawing costs nothing, --threads
gives the steps all cores.

Keys in the page:
  Space, P     play and pause              .  →        one step on
  R            begin anew                  ,  ←        one step back
  [  ]         the scene before and after  B           shoot a ball
  ?            all of them

Output with --json, one object:
  address, port, token    where the page is

Examples:
  carom view --open
  carom view pyramid --port 8080
  carom view my-scene.json
  carom view a.carom             a recording of `carom run --record`";

const AFTER_EXPORT: &str = "\
The page is that of `carom view`: camera, plots and timeline work, and
what the engine would have to answer is left out. Poses are kept 30
times a second at the most, rounded to what cannot be seen.

The page's overlays show contacts, boxes, velocities, centres of mass
and sleep; what else `carom view` shows of a recording is greyed there.

Ten seconds of a thousand bodies stay below 3 MB, and so does all that
is less; more may be larger in proportion, and so may large meshes.
Where there is not room for everything, contacts are kept of one frame
in 2, 4, 8 or 16, then poses are rounded up to 4 times as much, then
contacts are left out and poses kept more seldom; standard error says
what was done.

Output with --json, one object:
  file, scene, bytes      what was written, and how large it is
  frames, kept, bodies    how many frames were run, how many of them are
                          in the file, and how many bodies there are
  fineness                null for a glTF, or {rounding, frames,
                          contacts, most_bytes}: poses are rounded to
                          so many times as much as is needed not to see
                          it, and kept so many times more seldom than 30
                          times a second; one kept frame in so many has
                          its contacts, 0 if none has; and how large the
                          page was allowed to be
  first_difference        null, or the first frame that is not what was
                          recorded

The glTF has a node for each body and a mesh for each shape; sensors are
left out, and half-spaces are squares.

Examples:
  carom run boxes --steps 600 --record boxes.carom
  carom export boxes.carom --html boxes.html
  carom export boxes.carom --glb boxes.glb

Exit status: 1 if the run differs from what was recorded (the file is
written all the same), 3 if the recording is damaged or the program was
built without its page.";

const AFTER_BENCH: &str = "\
Output with --json for a scene, one object:
  scene, bodies, steps, dt, repeats   what was run; dt in seconds
  threads                             by how many threads
  stages                              {broad, narrow, response, impact,
                                      step}, each {mean, median, p95,
                                      worst}: seconds a step
  real_time_factor                    how much faster than the clock it
                                      runs
  pairs, contacts                     {last, mean, peak}: counts per
                                      step
  hash                                16 hexadecimal digits of the state
                                      after the last step

Examples:
  carom bench shower
  carom bench my-scene.json --steps 100 --repeats 5 --json
  carom bench broad shower";

const AFTER_COMPLETIONS: &str = "\
Examples:
  carom completions bash > ~/.local/share/bash-completion/completions/carom
  carom completions zsh > ~/.zfunc/_carom
  carom completions fish > ~/.config/fish/completions/carom.fish";

const AFTER_MAN: &str = "\
Examples:
  carom man | man -l -                 read it
  carom man ~/.local/share/man/man1    install all: `man carom-view`";

const AFTER_SCHEMA: &str = "\
Examples:
  carom schema > scene.schema.json
  carom schema path > path.schema.json

Then write {\"$schema\": \"scene.schema.json\", …} in scene files.";

const AFTER_PATH: &str = "\
A path file is JSON:
  {\"bodies\": [\"crane\", 4],
   \"keys\": [{\"time\": 0, \"position\": [0, 1, 0]}, …]}
  bodies       the bodies of the scene that move together, by name or
               number; they keep their places beside the first
  keys         poses of the first body, in the order of time; rotation
               as x, y, z, w, none if left out; times are a second apart
               if left out. Between keys it moves and turns evenly, the
               shorter way round
  within       how near counts as a hit, in m; 0 if left out
  tolerance, precision, center   see PathOptions of the library

The picture of --draw has the bodies at all keys in one colour, the way
between, and in another colour where they hit or are nearest to
something.

Exit status 0: proven free, between the keys as well. 1: not.

Output with --json, one object:
  scene, keys, outcome   outcome is free, hit or unproven
  hit                    {time, body, other, distance, on_body,
                         on_other}, or null
  clearance              the same, with proven: nothing is nearer
                         anywhere on the path

Examples:
  carom path my-scene.json path.json
  carom path my-scene.json path.json --draw path.svg
  carom path my-scene.json path.json --json | jq .clearance.distance
  echo '{\"bodies\": [\"bar\"], \"keys\": [{\"position\": [-6, 0, 0]},
    {\"position\": [-4, 0, 0], \"rotation\": [0.565, 0, 0, 0.825]}]}' |
    carom path path -            through the first slot of a scene that
                                 the program knows

`carom schema path` prints the JSON Schema of path files.";

const AFTER_SCENES: &str = "\
Output with --json, one array of objects:
  name, shows       the scene, and a sentence on what it shows
  capabilities      the ids of docs/capabilities.md that it shows
  bodies, steps, dt how many bodies, and how many steps of which
                    length in seconds

Examples:
  carom scenes
  carom scenes --json | jq -r '.[] | select(.capabilities | index(\"B4\"))'";

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

impl Arguments {
    /// What was said on the command line; wrong usage ends the program, with status 2.
    pub(crate) fn read() -> Self {
        let matches = wrap::wrapped(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
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
        /// Write a recording, too: for `carom replay`, `carom view` and `carom export`.
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
        #[command(flatten)]
        threads: Threads,
        /// Print one JSON object instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Run a recording again and compare every frame.
    ///
    /// Every frame's hash must be the one that was recorded; the first frame that differs is named, with the body and the
    /// stage of the engine that differ first.
    #[command(after_long_help = AFTER_REPLAY)]
    Replay {
        /// The recording.
        recording: PathBuf,
        #[command(flatten)]
        threads: Threads,
        /// Print one JSON object instead of a line.
        #[arg(long)]
        json: bool,
    },
    /// Look at two shapes of a scene through the microscope.
    ///
    /// Prints every iteration of the searches that answer how the two stand to each other.
    #[command(after_long_help = AFTER_MICROSCOPE)]
    Microscope {
        /// The name of a scene that the program knows, a scene file, or a recording.
        scene: String,
        /// The slot of the first shape.
        a: u32,
        /// The slot of the second shape.
        b: u32,
        /// How many steps to take before looking.
        #[arg(long, value_name = "N", default_value = "0")]
        steps: u32,
        #[command(flatten)]
        threads: Threads,
        /// Print a test in Rust that builds the same pair and asks the same question.
        #[arg(long, conflicts_with = "json")]
        rust_test: bool,
        /// Print one JSON object.
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
        #[command(flatten)]
        threads: Threads,
        /// Print the JSON object of `carom run` instead of a line.
        #[arg(long)]
        json: bool,
    },
    /// Check whether bodies of a scene can go along a path.
    ///
    /// Every other body of the scene is in the way, where it stands at the start.
    #[command(after_long_help = AFTER_PATH)]
    Path {
        /// The name of a scene that the program knows, or a scene file.
        scene: String,
        /// The path file; `-` is standard input.
        path: PathBuf,
        #[command(flatten)]
        threads: Threads,
        /// Print one JSON object instead of sentences.
        #[arg(long)]
        json: bool,
        /// Draw the scene and the path to this SVG file.
        #[arg(long, value_name = "FILE")]
        draw: Option<PathBuf>,
    },
    /// See a scene live in the browser.
    ///
    /// The engine runs in this program; a page on 127.0.0.1 draws it. Only who knows the printed address can open it.
    #[command(after_long_help = AFTER_VIEW)]
    View {
        /// The name of a scene that the program knows, a scene file, or a recording.
        #[arg(default_value = embedded::DEFAULT)]
        scene: String,
        /// The port to listen at, instead of any that is free.
        #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
        port: u16,
        #[command(flatten)]
        threads: ThreadsBesideBrowser,
        /// Open the address in the browser, too.
        #[arg(long)]
        open: bool,
        /// Print the address as one JSON object.
        #[arg(long)]
        json: bool,
        /// Serve this page instead of the one that is built in.
        #[arg(long, value_name = "FILE", hide = true)]
        page: Option<PathBuf>,
    },
    /// Write a recording as a page that plays by itself, or as an animated glTF.
    ///
    /// The recording is run again to its end; a progress bar goes to standard error while that is a terminal.
    #[command(after_long_help = AFTER_EXPORT, group(ArgGroup::new("form").required(true)))]
    Export {
        /// The recording.
        recording: PathBuf,
        /// Write one HTML file that plays in any browser, without a network.
        #[arg(long, value_name = "FILE", group = "form")]
        html: Option<PathBuf>,
        /// Write one binary glTF file with an animation.
        #[arg(long, value_name = "FILE", group = "form")]
        glb: Option<PathBuf>,
        #[command(flatten)]
        threads: Threads,
        /// Print one JSON object instead of a line.
        #[arg(long)]
        json: bool,
        /// Take this page instead of the one that is built in.
        #[arg(long, value_name = "FILE", hide = true)]
        page: Option<PathBuf>,
    },
    /// Measure a scene, or parts of the engine against each other.
    ///
    /// With the name of a scene it prints how long the stages of its steps take; without anything it lists the areas.
    #[command(after_long_help = AFTER_BENCH, args_conflicts_with_subcommands = true)]
    Bench {
        #[command(subcommand)]
        area: Option<bench::Area>,
        /// The name of a scene that the program knows, or a scene file.
        scene: Option<String>,
        /// How many steps to take, instead of what the scene says.
        #[arg(long, value_name = "N")]
        steps: Option<u32>,
        /// How often the scene is run; of each step the fastest time counts.
        #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=1000))]
        repeats: u32,
        #[command(flatten)]
        threads: Threads,
        /// Print one JSON object instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Print a script that completes this program's commands in a shell.
    #[command(after_long_help = AFTER_COMPLETIONS)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print this manual as a man page, or write those of all commands.
    #[command(after_long_help = AFTER_MAN)]
    Man {
        /// The folder to write `carom.1` and those of the commands to, instead of printing.
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Print the JSON Schema of scene files, or of path files.
    ///
    /// Editors that know the schema complete and check files as they are written: name it in the file's "$schema".
    #[command(after_long_help = AFTER_SCHEMA)]
    Schema {
        /// What the files describe.
        #[arg(value_enum, default_value = "scene")]
        of: Described,
    },
}

/// What files describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Described {
    /// A scene, for all commands that take one.
    Scene,
    /// A path through a scene, for `carom path`.
    Path,
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
    fn completions_and_the_manual_know_every_command() {
        use clap::ValueEnum;
        let command = <Arguments as clap::CommandFactory>::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert!(names.contains(&"view") && names.contains(&"replay"));
        let mut texts = Vec::new();
        for shell in clap_complete::Shell::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command.clone(), "carom", &mut script);
            texts.push(String::from_utf8_lossy(&script).into_owned());
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut page).expect("memory can be written to");
        texts.push(String::from_utf8_lossy(&page).into_owned());
        for (text, name) in texts.iter().flat_map(|text| names.iter().map(move |name| (text, name))) {
            assert!(text.contains(name), "{name} is missing in {:.100}", text);
        }
    }

    #[test]
    fn a_time_step_is_a_positive_number() {
        assert_eq!(time_step("0.01"), Ok(0.01));
        for wrong in ["0", "-1", "NaN", "inf", "1e99", "fast", ""] {
            assert!(time_step(wrong).is_err(), "{wrong}");
        }
    }
}
