//! What happened in a run, as a table for people and as JSON for programs. The JSON's field names are part of the
//! program's interface; its manual lists them.

use crate::scene::Listed;
use carom::body::{BodyKind, BodyRef};
use carom::world::{StageTimes, World};
use serde::Serialize;
use std::fmt::Write;

/// What to try next, for who has run the program without a command.
pub(crate) const NEXT: &str = "
Next, with `cargo run --release --` in place of `carom` in a checkout:
  carom view                                          this scene, live in the browser
  carom scenes                                        what else there is to see
  carom draw shower --steps 180 -o shower.svg         a picture of this scene after 1.5 s
  carom draw break --steps 700 --trails -o break.svg  where the balls of a break shot go
  carom run billiards                                 elastic balls: no energy is lost
  carom bench broad uniform:10000                     which broad phase suits ten thousand boxes
  carom schema                                        how to write a scene of your own
";

/// A run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) scene: String,
    pub(crate) steps: u32,
    pub(crate) dt: f32,
    pub(crate) simulated_seconds: f64,
    pub(crate) wall_seconds: f64,
    pub(crate) bodies: BodyCount,
    pub(crate) pairs: Spread,
    pub(crate) contacts: Spread,
    pub(crate) deepest: f32,
    pub(crate) energy: Span<Energy>,
    pub(crate) momentum: Span<Momentum>,
    pub(crate) stages: Stages,
    pub(crate) hash: String,
    pub(crate) faults: Vec<Fault>,
    pub(crate) end: Vec<BodyState>,
}

/// Before the first step and after the last.
#[derive(Debug, Serialize)]
pub(crate) struct Span<T> {
    pub(crate) start: T,
    pub(crate) end: T,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct BodyCount {
    total: usize,
    dynamic: usize,
    kinematic: usize,
    fixed: usize,
}

/// A count that each step has.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Spread {
    pub(crate) last: usize,
    pub(crate) mean: f64,
    pub(crate) peak: usize,
    #[serde(skip)]
    steps: u32,
}

/// In J.
#[derive(Debug, Serialize)]
pub(crate) struct Energy {
    kinetic: f64,
    potential: f64,
    total: f64,
}

/// In Ns, and in Nms about the origin.
#[derive(Debug, Serialize)]
pub(crate) struct Momentum {
    linear: [f64; 3],
    angular: [f64; 3],
}

/// Seconds spent in each stage, in all steps together.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Stages {
    broad: f64,
    narrow: f64,
    response: f64,
    impact: f64,
}

/// A body that went non-finite and was set aside.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    pub(crate) body: usize,
    pub(crate) name: String,
    pub(crate) step: u32,
    pub(crate) stage: String,
    pub(crate) cause: String,
}

/// Where a body is and how it moves.
#[derive(Debug, Serialize)]
pub(crate) struct BodyState {
    name: Option<String>,
    kind: BodyKind,
    position: [f64; 3],
    rotation: [f32; 4],
    velocity: [f32; 3],
    angular_velocity: [f32; 3],
}

impl Report {
    /// One object, with a line break at its end.
    pub(crate) fn json(&self) -> String {
        pretty(self)
    }

    /// The first thing that must not be, if there is one.
    pub(crate) fn finding(&self) -> Option<String> {
        let Fault { name, step, stage, cause, .. } = self.faults.first()?;
        let count = self.faults.len();
        let others = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
        Some(format!("{name} went non-finite in step {step} ({stage}: {cause}) and was set aside{others}"))
    }

    /// A table of one screen.
    pub(crate) fn table(&self) -> String {
        let BodyCount { total, dynamic, kinematic, fixed } = self.bodies;
        let mut text = String::new();
        let mut line = |name: &str, columns: &[String]| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{name:<12}");
            for column in columns {
                let _ = write!(text, " {column:>22}");
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        };
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        line("", &words(&["start", "end"]));
        let energy = |of: fn(&Energy) -> f64| [joules(of(&self.energy.start)), joules(of(&self.energy.end))];
        line("kinetic", &energy(|energy| energy.kinetic));
        line("potential", &energy(|energy| energy.potential));
        line("energy", &energy(|energy| energy.total));
        let momentum = |of: fn(&Momentum) -> [f64; 3], unit| {
            [vector(of(&self.momentum.start), unit), vector(of(&self.momentum.end), unit)]
        };
        line("momentum", &momentum(|momentum| momentum.linear, "Ns"));
        line("angular", &momentum(|momentum| momentum.angular, "Nms"));
        line("", &[]);
        line("per step", &words(&["mean", "peak"]));
        for (name, spread) in [("pairs", &self.pairs), ("contacts", &self.contacts)] {
            line(name, &[format!("{:.1}", spread.mean), spread.peak.to_string()]);
        }
        line("", &[]);
        line("stage", &words(&["time per step", "share"]));
        let Stages { broad, narrow, response, impact } = self.stages;
        let all = broad + narrow + response + impact;
        let stages = [("broad", broad), ("narrow", narrow), ("response", response), ("impact", impact), ("all", all)];
        for (name, seconds) in stages {
            let per_step = seconds / f64::from(self.steps.max(1)) * 1e6;
            let share = if all > 0.0 { 100.0 * seconds / all } else { 0.0 };
            line(name, &[format!("{per_step:.1} µs"), format!("{share:.0} %")]);
        }
        let mut head = format!(
            "{}: {} steps of {:.3} ms, {:.2} s simulated in {:.2} s\n",
            self.scene,
            self.steps,
            f64::from(self.dt) * 1e3,
            self.simulated_seconds,
            self.wall_seconds
        );
        head += &format!("{total} bodies: {dynamic} dynamic, {fixed} fixed, {kinematic} kinematic; ");
        head += &format!("greatest depth {:.2} mm\n\n", self.deepest * 1e3);
        head + &text
    }
}

/// The scenes as a JSON array, with a line break at its end.
pub(crate) fn scenes_json(scenes: &[Listed]) -> String {
    pretty(&scenes)
}

/// The scenes as a table.
pub(crate) fn scenes_table(scenes: &[Listed]) -> String {
    let mut text = format!("{:<10} {:>6}  {:<20} shows\n", "scene", "bodies", "capabilities");
    for scene in scenes {
        let capabilities = scene.capabilities.join(" ");
        text += &format!("{:<10} {:>6}  {capabilities:<20} {}\n", scene.name, scene.bodies, scene.shows);
    }
    text + "\nTry `carom view NAME`, `carom run NAME`, or `carom draw NAME --output NAME.svg`.\n"
}

/// JSON for programs that people can read, with a line break at its end.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    // Numbers, strings and lists always have a JSON form.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn joules(value: f64) -> String {
    format!("{} J", digits(value))
}

fn vector(value: [f64; 3], unit: &str) -> String {
    format!("[{}] {unit}", value.map(digits).join(" "))
}

/// Four digits that count; nothing smaller than what rounding leaves behind.
fn digits(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        format!("{value:.2e}")
    } else if size >= 1000.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size < 5e-4 {
        "0".into()
    } else {
        format!("{value:.3}")
    }
}

impl FromIterator<BodyKind> for BodyCount {
    fn from_iter<I: IntoIterator<Item = BodyKind>>(kinds: I) -> Self {
        let mut count = Self::default();
        for kind in kinds {
            count.total += 1;
            match kind {
                BodyKind::Dynamic => count.dynamic += 1,
                BodyKind::Kinematic => count.kinematic += 1,
                BodyKind::Fixed => count.fixed += 1,
            }
        }
        count
    }
}

impl Spread {
    /// Takes in the count of one more step.
    pub(crate) fn add(&mut self, count: usize) {
        self.steps += 1;
        self.last = count;
        self.peak = self.peak.max(count);
        self.mean += (count as f64 - self.mean) / f64::from(self.steps);
    }
}

impl Stages {
    /// Takes in the times of one more step.
    pub(crate) fn add(&mut self, times: &StageTimes) {
        self.broad += times.broad.as_secs_f64();
        self.narrow += times.narrow.as_secs_f64();
        self.response += times.response.as_secs_f64();
        self.impact += times.impact.as_secs_f64();
    }
}

impl Energy {
    /// The world's, now.
    pub(crate) fn of(world: &World) -> Self {
        let energy = world.energy();
        Self { kinetic: energy.kinetic, potential: energy.potential, total: energy.total() }
    }
}

impl Momentum {
    /// The world's, now.
    pub(crate) fn of(world: &World) -> Self {
        let momentum = world.momentum();
        Self { linear: momentum.linear.to_array(), angular: momentum.angular.to_array() }
    }
}

impl BodyState {
    /// A body's, now.
    pub(crate) fn of(body: BodyRef<'_>, name: Option<String>) -> Self {
        Self {
            name,
            kind: body.kind(),
            position: body.position().to_array(),
            rotation: body.rotation().to_array(),
            velocity: body.velocity().to_array(),
            angular_velocity: body.angular_velocity().to_array(),
        }
    }
}
