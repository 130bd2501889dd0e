//! Whole scenes against rapier and Box3D: the same bodies, the same time step, the same number of substeps, no sleep and no
//! sweeping of bodies along their paths; that is for [`world_rows`]. The time is the mean of a step, the first one left out.
//!
//! Ours runs in this program. A peer is a program of its own (`bench/peers`), since the features and flags that are best
//! for one would change the others; `cargo xtask bench scenes` builds them. All take turns, and the best turn counts.

mod judge;
mod ours;
mod peers;

use crate::measure::{Row, Times};
use crate::{Effort, Rows};
use carom_bench_scenes::{DT, Entry, GROWTH, Outcome, SCENES, SWEPT, Scene};
use judge::Measures;
use peers::{Field, Peer};

const AREA: &str = "scenes";
const THREADS: [usize; 2] = [1, 2];
/// How many turns every build gets: whatever else the machine does may spoil one.
const SURE_TURNS: usize = 2;
/// A build of a peer whose best turn is this much slower than that of the best one gets no more than these.
const HOPELESS: f64 = 1.3;
/// Into how many pieces the steps of peers are divided where ours differs from them.
const FINER: usize = 4;
/// What a row's note begins with where ours ends elsewhere than the peers do.
pub const DEVIATES: &str = "DEVIATES:";
/// What the note of a row of ours alone begins with if it misses its bar.
const MISSED: &str = "MISSED:";

/// What the note of a row holds if a peer is not there.
const UNRACED: &str = "not measured:";

/// For so many steps engines agree on what becomes of what is shot at: all bullets have hit, and the wall stands. Then it
/// falls, in each engine in its own way and time, and a fallen wall is other work than a standing one.
const SAME_WORK: usize = 60;

/// How ours is to be built: as a user gets it.
const PROFILE: &str = "plain";

/// How it is built: cargo names the folder of a program so.
fn profile() -> String {
    let folder = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.file_name()?.to_owned()));
    folder.map_or_else(|| "unknown".to_owned(), |name| name.to_string_lossy().into_owned())
}

struct Plan {
    steps: usize,
    turns: usize,
}

impl Plan {
    fn new(effort: Effort) -> Self {
        match effort {
            Effort::Quick => Self { steps: 60, turns: 1 },
            Effort::Full => Self { steps: 300, turns: 3 },
        }
    }
}

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let plan = Plan::new(effort);
    println!("carom is built by cargo's profile {}; the bars are for {PROFILE}", profile());
    let mut rows = races(AREA, &plan, SCENES, case_of, only)?;
    if "growth".starts_with(only) {
        rows.push(growth(&plan)?);
    }
    if "gain".starts_with(only) {
        rows.push(gain(&plan)?);
    }
    Ok(rows)
}

fn case_of(scene: &str, threads: usize) -> String {
    format!("{scene}/{threads}t")
}

/// `world/…`: what it costs to keep bodies from passing through each other, in scenes of fast bodies against Box3D, and in
/// a container of slow ones against the same without.
pub fn world_rows(area: &'static str, effort: Effort, only: &str) -> Rows {
    let plan = Plan::new(effort);
    let short = Plan { steps: SAME_WORK, turns: plan.turns + 2 };
    let mut rows = races(area, &short, SWEPT, |name, threads| format!("world/{name}-{threads}t"), only)?;
    if plan.steps > SAME_WORK {
        let case = |name: &str, threads| format!("world/{name}-{}-{threads}t", plan.steps);
        rows.extend(races(area, &plan, SWEPT, case, only)?);
    }
    let case = "world/container".to_owned();
    if case.starts_with(only) {
        rows.push(sweeping(area, case, &plan)?);
    }
    Ok(rows)
}

fn races(area: &'static str, plan: &Plan, entries: &[Entry], case: impl Fn(&str, usize) -> String, only: &str) -> Rows {
    let mut rows = Vec::new();
    let Field { peers, missing } = peers::field();
    for entry in entries {
        let cases = THREADS.map(|threads| (case(entry.name, threads), threads));
        let wanted: Vec<_> = cases.into_iter().filter(|(case, _)| case.starts_with(only)).collect();
        if wanted.is_empty() {
            continue;
        }
        let scene = (entry.build)();
        // Where bodies are swept, only Box3D counts.
        let counts = |name: &&&str| !scene.is_swept || name.starts_with("box3d");
        let missing: Vec<&str> = missing.iter().filter(counts).copied().collect();
        if !missing.is_empty() {
            println!(
                "NOT MEASURED, since not beside this program: {}; `cargo xtask bench` builds them",
                missing.join(", ")
            );
        }
        let mut serial = vec![None; peers.len()];
        for (case, threads) in wanted {
            let (peers, missing) = (&peers, &missing);
            let race = Race { area, name: entry.name, case, threads, scene: &scene, peers, missing, plan };
            rows.push(race.row(&mut serial)?);
        }
    }
    Ok(rows)
}

/// One scene at one number of threads.
struct Race<'a> {
    area: &'static str,
    name: &'static str,
    case: String,
    threads: usize,
    scene: &'a Scene,
    peers: &'a [Peer],
    /// Builds that should race and are not there.
    missing: &'a [&'static str],
    plan: &'a Plan,
}

impl Race<'_> {
    /// `serial` is what builds came to that know one thread only, if they have run: they do the same at any number of
    /// threads, and need no further turns.
    fn row(self, serial: &mut [Option<Outcome>]) -> Result<Row, String> {
        let mut ours: Option<ours::Run> = None;
        let mut theirs = serial.to_vec();
        for turn in 0..self.plan.turns {
            let run = ours::run(self.scene, self.threads, self.plan.steps)?;
            if ours.as_ref().is_none_or(|best| run.outcome.milliseconds < best.outcome.milliseconds) {
                ours = Some(run);
            }
            let best = best_of(&theirs).map_or(f64::INFINITY, |(_, outcome)| outcome.milliseconds);
            for ((peer, kept), serial) in self.peers.iter().zip(&mut theirs).zip(&*serial) {
                let is_hopeless = kept.as_ref().is_some_and(|kept| kept.milliseconds > HOPELESS * best);
                if serial.is_some() || !peer.enters(self.threads) || (turn >= SURE_TURNS && is_hopeless) {
                    continue;
                }
                let outcome = peer.run(self.name, self.threads, self.plan.steps, 1)?;
                if kept.as_ref().is_none_or(|kept| outcome.milliseconds < kept.milliseconds) {
                    *kept = Some(outcome);
                }
            }
        }
        for ((peer, kept), serial) in self.peers.iter().zip(&theirs).zip(serial) {
            if peer.is_serial() {
                serial.clone_from(kept);
            }
        }
        let ours = ours.ok_or("no turn was taken")?;
        self.judged(&ours, &theirs)
    }

    /// What a build of each engine comes to with shorter steps; printed.
    fn finer(&self, time: f32) -> Result<Vec<Measures>, String> {
        let mut found = Vec::new();
        for is_rapier in [false, true] {
            let Some(peer) = self.peers.iter().find(|peer| peer.is_rapier() == is_rapier) else { continue };
            let outcome = peer.run(self.name, self.threads, self.plan.steps, FINER)?;
            let measure = Measures::of(self.scene, &outcome, time)?;
            println!("{:<24} {:<28} {:>12}  {measure}", "", peer.name, format!("{FINER} for 1"));
            found.push(measure);
        }
        Ok(found)
    }

    /// Prints what each engine came to, and the row.
    fn judged(self, ours: &ours::Run, theirs: &[Option<Outcome>]) -> Result<Row, String> {
        // The first step is not timed.
        let time = (self.plan.steps + 1) as f32 * DT;
        let own = Measures::of(self.scene, &ours.outcome, time)?;
        println!("{:<24} {:<28} {:>9.3} ms  {own}", self.case, "carom", ours.outcome.milliseconds);
        println!("{:<24} {:<28} {}", "", "  stages", ours.stages);
        let mut measures = Vec::new();
        for (peer, outcome) in self.peers.iter().zip(theirs) {
            let Some(outcome) = outcome else { continue };
            let measure = Measures::of(self.scene, outcome, time)?;
            println!("{:<24} {:<28} {:>9.3} ms  {measure}", "", peer.name, outcome.milliseconds);
            measures.push(measure);
        }
        let best = self.judge_of(theirs);
        let name = best.map_or("none", |(index, _)| self.peers[index].name);
        let peer_ns = best.map(|(_, outcome)| outcome.milliseconds * 1e6);
        let mut faults = judge::deviations(self.scene, &own, &measures, &[]);
        let mut notes = Vec::new();
        if !faults.is_empty() && !self.scene.is_swept {
            // Theirs may be what the length of the steps has changed.
            let finer = self.finer(time)?;
            faults = judge::deviations(self.scene, &own, &measures, &finer);
            if faults.is_empty() {
                notes.push(format!("spread as in peers with {FINER} steps for each"));
            }
        }
        let [start, most] = ours.energy;
        if most > judge::allowed_energy(self.scene, start)? + judge::rest(self.scene) {
            faults.push(format!("the energy rises from {start:.2} to {most:.2} J a body"));
        }
        if !faults.is_empty() {
            notes.insert(0, format!("{DEVIATES} {}", faults.join("; ")));
        } else if let Some(peer) = best.and_then(|(index, _)| measures.get(index)).filter(|_| self.scene.is_swept) {
            notes.push(format!("{} steps: ends {}; {}", self.plan.steps, own.brief(), peer.brief()));
        }
        if best.is_some_and(|(index, _)| self.scene.restitution > 0.0 && self.peers[index].is_rapier()) {
            notes.push("rapier rebounds at any speed, ours and Box3D from 1 m/s on".to_owned());
        }
        if !self.missing.is_empty() {
            notes.push(format!("{UNRACED} {}", self.missing.join(", ")));
        }
        let times = Times { ours_ns: ours.outcome.milliseconds * 1e6, peer_ns };
        let mut row = Row::new(self.area, self.case, name, times, notes.join("; "));
        if !faults.is_empty() {
            row.ratio = None;
        }
        Ok(row)
    }
}

impl Race<'_> {
    /// The peer that counts: the best; where bodies are swept Box3D, as the bar names it, if it is there.
    fn judge_of<'o>(&self, theirs: &'o [Option<Outcome>]) -> Option<(usize, &'o Outcome)> {
        let named = self.peers.iter().position(|peer| self.scene.is_swept && peer.name.starts_with("box3d"));
        let named = named.and_then(|index| Some((index, theirs.get(index)?.as_ref()?)));
        named.or_else(|| best_of(theirs))
    }
}

fn best_of(outcomes: &[Option<Outcome>]) -> Option<(usize, &Outcome)> {
    let timed = outcomes.iter().enumerate().filter_map(|(index, outcome)| Some((index, outcome.as_ref()?)));
    timed.min_by(|(_, a), (_, b)| a.milliseconds.total_cmp(&b.milliseconds))
}

/// How much the time of a body may grow from 2,000 to 20,000 of them in a container.
const MOST_GROWTH: f64 = 1.5;

fn growth(plan: &Plan) -> Result<Row, String> {
    let mut per_body = [f64::INFINITY; 2];
    for _ in 0..plan.turns {
        for ((count, entry), best) in GROWTH.iter().zip(&mut per_body) {
            let time = ours::run(&(entry.build)(), 1, plan.steps)?.outcome.milliseconds * 1e6 / *count as f64;
            *best = best.min(time);
        }
    }
    let [small, large] = per_body;
    let growth = large / small;
    let text = format!(
        "{growth:.2}× a body and step from 2,000 to 20,000 in a container, {}",
        bar(MOST_GROWTH, growth < MOST_GROWTH)
    );
    Ok(own_row("growth", "carom, 2,000 bodies", [large, small], growth < MOST_GROWTH, text))
}

/// A row of ours beside ours. It has no ratio, since it does not count among the races.
fn own_row(case: &str, beside: &str, times: [f64; 2], is_reached: bool, text: String) -> Row {
    let note = if is_reached { text } else { format!("{MISSED} {text}") };
    let times = Times { ours_ns: times[0], peer_ns: Some(times[1]) };
    Row { ratio: None, ..Row::new(AREA, case.to_owned(), beside, times, note) }
}

fn bar(value: f64, is_reached: bool) -> String {
    format!("the bar of {value} is {}", if is_reached { "reached" } else { "MISSED" })
}

/// What two threads should gain on the container.
const LEAST_GAIN: f64 = 1.7;
/// How often one and two threads take turns.
const GAIN_TURNS: usize = 8;

/// What two threads gain, by the best turn of each. In turns: whatever slows the machine slows both.
fn gain(plan: &Plan) -> Result<Row, String> {
    let scene = container()?;
    let mut best = [f64::INFINITY; 2];
    let mut gains = Vec::new();
    for _ in 0..plan.turns.min(2) * GAIN_TURNS / 2 {
        let mut turn = [0.0; 2];
        for ((threads, best), time) in THREADS.into_iter().zip(&mut best).zip(&mut turn) {
            *time = ours::run(&scene, threads, plan.steps)?.outcome.milliseconds;
            *best = best.min(*time);
        }
        gains.push(turn[0] / turn[1]);
    }
    gains.sort_unstable_by(f64::total_cmp);
    let gain = best[0] / best[1];
    let text = format!(
        "{gain:.2}× by two threads in a container, {}; turn by turn {:.2} to {:.2}×, the middle {:.2}×",
        bar(LEAST_GAIN, gain >= LEAST_GAIN),
        gains[0],
        gains[gains.len() - 1],
        gains[gains.len() / 2]
    );
    let [one, two] = best.map(|milliseconds| milliseconds * 1e6);
    Ok(own_row("gain", "carom, 1 thread", [two, one], gain >= LEAST_GAIN, text))
}

fn container() -> Result<Scene, String> {
    carom_bench_scenes::by_name("container").ok_or_else(|| "there is no container".to_owned())
}

/// The container with fast bodies swept, beside the same without.
fn sweeping(area: &'static str, case: String, plan: &Plan) -> Result<Row, String> {
    let mut scene = container()?;
    let mut times = [f64::INFINITY; 2];
    for _ in 0..8 {
        for (is_swept, time) in [false, true].into_iter().zip(&mut times) {
            scene.is_swept = is_swept;
            *time = time.min(ours::run(&scene, 1, plan.steps)?.outcome.milliseconds * 1e6);
        }
    }
    let [without, with] = times;
    let times = Times { ours_ns: with, peer_ns: Some(without) };
    Ok(Row::new(area, case, "carom, none swept", times, String::new()))
}

/// What the rows should reach against the best peer: each of them, and their geometric mean.
const BARS: [f64; 2] = [1.0, 1.3];

/// Prints how the rows stand against the bars; an error that names those that a full run misses, and where ours came to
/// something else than the peers. A quick run is too short for bars, and too noisy.
pub fn print_summary(rows: &[Row], effort: Effort) -> Result<(), String> {
    let noted = |start: &str| {
        let cases = rows.iter().filter(|row| row.note.starts_with(start)).map(|row| row.case.as_str());
        cases.collect::<Vec<_>>().join(", ")
    };
    let mut missed = Vec::new();
    let ratios = || rows.iter().filter_map(|row| Some((row.ratio?, row.case.as_str())));
    if let Some((worst, case)) = ratios().min_by(|a, b| a.0.total_cmp(&b.0)) {
        println!("best peer / ours: at least {worst:.2} ({case}); {}", bar(BARS[0], worst >= BARS[0]));
        let slower = ratios().filter(|(ratio, _)| *ratio < BARS[0]);
        missed.extend(slower.map(|(ratio, case)| format!("{case} ({ratio:.2} of {})", BARS[0])));
        let count = ratios().count();
        let mean = (ratios().map(|(ratio, _)| ratio.ln()).sum::<f64>() / count as f64).exp();
        println!("geometric mean of {count} cases: {mean:.2}; {}", bar(BARS[1], mean >= BARS[1]));
        // Of all cases, that is; some of them may well be below.
        if mean < BARS[1] && are_complete(rows) {
            missed.push(format!("the geometric mean ({mean:.2} of {})", BARS[1]));
        }
    }
    let own = noted(MISSED);
    if !own.is_empty() {
        missed.push(own);
    }
    let mut faults = Vec::new();
    let unraced = noted_anywhere(rows, UNRACED);
    if effort == Effort::Full && !unraced.is_empty() {
        faults.push(format!("not all peers were raced in {unraced}: bars that they did not try are not reached"));
    }
    if effort == Effort::Full
        && ratios().next().is_none()
        && rows.iter().any(|row| SCENES.iter().any(|entry| row.case.starts_with(entry.name)))
    {
        faults.push("no row has a ratio".to_owned());
    }
    if effort == Effort::Full && !missed.is_empty() {
        faults.push(format!("bars are missed: {}", missed.join(", ")));
    }
    let deviating = noted(DEVIATES);
    if !deviating.is_empty() {
        faults.push(format!("ours deviates from the peers in {deviating}"));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

/// The cases whose notes hold something.
fn noted_anywhere(rows: &[Row], what: &str) -> String {
    let cases = rows.iter().filter(|row| row.note.contains(what)).map(|row| row.case.as_str());
    cases.collect::<Vec<_>>().join(", ")
}

/// Whether every scene was raced at every number of threads.
fn are_complete(rows: &[Row]) -> bool {
    let mut cases = SCENES.iter().flat_map(|entry| THREADS.map(|threads| case_of(entry.name, threads)));
    cases.all(|case| rows.iter().any(|row| row.case == case))
}
