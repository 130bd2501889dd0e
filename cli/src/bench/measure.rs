//! Replays recorded boxes through one structure against the clock.

use super::check::{Checker, Disagreement, MOST_FOR_BRUTE_FORCE, Reference};
use super::recording::Recording;
use super::results::{grouped, time};
use crate::report::Spread;
use carom::broad::{BroadPhaseError, Structure};
use indicatif::ProgressBar;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Replays are repeated until they have taken this long together, but not more often than [`MOST_REPLAYS`].
const ENOUGH: Duration = Duration::from_millis(250);
const MOST_REPLAYS: u32 = 10;

/// From this many boxes on, smaller builds tell whether a build fits into the budget.
const PROBED: usize = 5_000;

/// What one structure did.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) structure: Structure,
    pub(super) outcome: Outcome,
    pub(super) disagreement: Option<Disagreement>,
}

/// How far it came.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All steps were taken.
    Complete(Replay),
    /// It took too long; what was measured until then.
    OverBudget { until: Option<Replay>, note: String },
    /// It was not tried.
    Skipped { note: String },
}

/// One way through the steps.
#[derive(Debug, Default)]
pub(super) struct Replay {
    pub(super) build: Duration,
    /// All steps together.
    pub(super) updates: Duration,
    pub(super) steps: u32,
    pub(super) tests: u64,
    pub(super) pairs: Spread,
    pub(super) memory: usize,
    /// What a structure that picks another by itself has picked at the end, and why.
    pub(super) choice: Option<String>,
}

impl Replay {
    pub(super) fn total(&self) -> Duration {
        self.build + self.updates
    }
}

/// Replays the recording, checked at first, then as often as it is short.
pub(super) fn measure(
    structure: Structure,
    recording: &Recording,
    reference: &Reference,
    budget: f64,
    bar: &ProgressBar,
) -> Result<Measured, String> {
    let refused = |error: BroadPhaseError| format!("{}: {error}", structure.name());
    let count = recording.start.len();
    let without = |outcome| Measured { structure, outcome, disagreement: None };
    if structure == Structure::BruteForce && count > MOST_FOR_BRUTE_FORCE {
        bar.inc(u64::from(recording.steps) + 1);
        return Ok(without(Outcome::Skipped {
            note: format!("more than {} boxes", grouped(MOST_FOR_BRUTE_FORCE as f64)),
        }));
    }
    if count >= PROBED
        && let Some(expected) = expected_build(structure, recording).map_err(refused)?.filter(|time| *time > budget)
    {
        bar.inc(u64::from(recording.steps) + 1);
        let note = format!("the build alone would take about {}", time(expected));
        return Ok(without(Outcome::OverBudget { until: None, note }));
    }
    let mut checker = Checker::new(structure, recording, reference);
    let mut best = replay(structure, recording, budget, Some(&mut checker), bar).map_err(refused)?;
    let disagreement = checker.disagreement;
    if best.steps < recording.steps || best.total().as_secs_f64() > budget {
        let note = format!("after {} of {} steps", best.steps, recording.steps);
        return Ok(Measured { structure, outcome: Outcome::OverBudget { until: Some(best), note }, disagreement });
    }
    let mut spent = best.total();
    for _ in 1..MOST_REPLAYS {
        if spent >= ENOUGH {
            break;
        }
        let again = replay(structure, recording, budget, None, &ProgressBar::hidden()).map_err(refused)?;
        spent += again.total();
        // The machine's other work only ever adds time, and a build is too short to be judged by the replay around it.
        best.build = best.build.min(again.build);
        if again.steps == recording.steps {
            best.updates = best.updates.min(again.updates);
        }
    }
    Ok(Measured { structure, outcome: Outcome::Complete(best), disagreement })
}

/// Ends early when the budget is spent.
fn replay(
    structure: Structure,
    recording: &Recording,
    budget: f64,
    mut checker: Option<&mut Checker<'_>>,
    bar: &ProgressBar,
) -> Result<Replay, BroadPhaseError> {
    let mut broad = structure.build();
    let mut replay = Replay::default();
    let mut moves = Vec::new();
    for step in 0..=recording.steps {
        // What changes is made out before the clock runs.
        if step > 0 {
            recording.moves(step, &mut moves);
        }
        let start = Instant::now();
        if step == 0 {
            for (bounds, id) in recording.start.iter().zip(0..) {
                broad.insert(id, *bounds)?;
            }
        }
        broad.update_many(&moves)?;
        let count = black_box(broad.pairs()).len();
        let changes = black_box(broad.changes());
        let taken = start.elapsed();
        if let Some(checker) = checker.as_deref_mut() {
            checker.add(&changes);
            checker.look(step, || broad.pairs());
        }
        if step == 0 {
            replay.build = taken;
        } else {
            replay.updates += taken;
        }
        replay.steps = step;
        replay.tests += broad.cost().tests;
        replay.pairs.add(count);
        bar.inc(1);
        if replay.total().as_secs_f64() > budget {
            bar.inc(u64::from(recording.steps - step));
            break;
        }
    }
    replay.memory = broad.cost().memory;
    replay.choice = broad.choice().map(|choice| format!("picked {}: {}", choice.structure.name(), choice.reason));
    Ok(replay)
}

/// How many seconds a build will take, by how the time grows from a sixteenth of the boxes to a quarter: at least with
/// their number, at most with its square. Nothing if it is too little to be worth a guess.
fn expected_build(structure: Structure, recording: &Recording) -> Result<Option<f64>, BroadPhaseError> {
    let sixteenth = build_time(structure, recording, 16)?;
    let quarter = build_time(structure, recording, 4)?;
    let growth = (quarter / sixteenth.max(1e-9)).clamp(4.0, 16.0);
    Ok((quarter > 1e-3).then_some(quarter * growth))
}

/// How many seconds it takes to build with every so manieth box.
fn build_time(structure: Structure, recording: &Recording, every: usize) -> Result<f64, BroadPhaseError> {
    let mut broad = structure.build();
    let start = Instant::now();
    for (bounds, id) in recording.start.iter().step_by(every).zip(0..) {
        broad.insert(id, *bounds)?;
    }
    black_box(broad.pairs());
    Ok(start.elapsed().as_secs_f64())
}
