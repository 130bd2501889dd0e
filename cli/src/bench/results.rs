//! What the comparison came to, as a table for people and as JSON for programs. The JSON's field names are part of the
//! program's interface; its manual lists them.

use super::check::{Disagreement, MOST_FOR_BRUTE_FORCE, Reference, SPOTS};
use super::measure::{Measured, Outcome};
use super::recording::Recording;
use crate::report::Spread;
use serde::Serialize;

/// All structures on one scene.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    pub(super) scene: String,
    pub(super) boxes: usize,
    pub(super) steps: u32,
    threads: usize,
    moves: f64,
    seed: Option<u64>,
    pairs: Option<Spread>,
    budget_seconds: f64,
    reference: &'static str,
    checked_steps: usize,
    pub(super) structures: Vec<Row>,
    disagreements: Vec<Disagreement>,
}

/// One structure.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) state: State,
    /// Why it has this state, or what it picked and why.
    pub(super) note: Option<String>,
    pub(super) build_seconds: Option<f64>,
    /// The mean over the steps.
    pub(super) update_seconds: Option<f64>,
    tests: Option<f64>,
    pairs: Option<f64>,
    memory_bytes: Option<usize>,
    pub(super) total_seconds: Option<f64>,
    pub(super) times_best: Option<f64>,
}

/// How far a structure came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Complete,
    /// It came to the end, with wrong answers.
    Wrong,
    #[serde(rename = "over budget")]
    OverBudget,
    Skipped,
}

impl Results {
    pub(super) fn new(recording: &Recording, reference: &Reference, budget: f64) -> Self {
        let mut moves = Vec::new();
        let mut moved = 0;
        for step in 1..=recording.steps {
            recording.moves(step, &mut moves);
            moved += moves.len();
        }
        Self {
            scene: recording.scene.clone(),
            boxes: recording.start.len(),
            steps: recording.steps,
            threads: rayon::current_num_threads(),
            moves: moved as f64 / f64::from(recording.steps.max(1)),
            seed: recording.seed,
            pairs: None,
            budget_seconds: budget,
            reference: reference.structure.name(),
            checked_steps: reference.len(),
            structures: Vec::new(),
            disagreements: reference.disagreement.iter().cloned().collect(),
        }
    }

    /// Takes in one more structure.
    pub(super) fn add(&mut self, measured: Measured) {
        let name = measured.structure.name();
        let wrong = measured.disagreement.as_ref().map(|it| format!("see step {}", it.step));
        self.disagreements.extend(measured.disagreement);
        let (state, replay, note) = match measured.outcome {
            Outcome::Complete(replay) if wrong.is_some() => (State::Wrong, Some(replay), wrong),
            Outcome::Complete(replay) => (State::Complete, Some(replay), None),
            Outcome::OverBudget { until, note } => (State::OverBudget, until, Some(note)),
            Outcome::Skipped { note } => (State::Skipped, None, Some(note)),
        };
        let mut row = Row { note, ..Row::unmeasured(name, state) };
        if let Some(replay) = replay {
            let steps = f64::from(replay.steps);
            row.build_seconds = Some(replay.build.as_secs_f64());
            row.update_seconds = (replay.steps > 0).then(|| replay.updates.as_secs_f64() / steps);
            row.tests = Some(replay.tests as f64 / (steps + 1.0));
            row.pairs = Some(replay.pairs.mean);
            row.memory_bytes = Some(replay.memory);
            row.total_seconds = (state != State::OverBudget).then(|| replay.total().as_secs_f64());
            row.note = row.note.or(replay.choice);
            if state == State::Complete {
                self.pairs.get_or_insert(replay.pairs);
            }
        }
        self.structures.push(row);
    }

    /// Puts the fastest first, those with wrong answers behind them, and those that did not come to the end last.
    pub(super) fn rank(&mut self) {
        let total = |row: &Row| row.total_seconds.unwrap_or(f64::INFINITY);
        self.structures.sort_by(|a, b| a.state.cmp(&b.state).then(total(a).total_cmp(&total(b))));
        let best = self.structures.first().filter(|row| row.state == State::Complete).and_then(|row| row.total_seconds);
        for row in &mut self.structures {
            // A clock that has not moved makes no ratio.
            row.times_best =
                row.total_seconds.zip(best).map(|(total, best)| if best > 0.0 { total / best } else { 1.0 });
        }
    }

    /// What disagrees, in one line.
    pub(super) fn finding(&self) -> Option<String> {
        let first = self.disagreements.first()?;
        let others = match self.disagreements.len() - 1 {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        Some(format!("structures disagree: {}{others}", first.words()))
    }

    /// The scene in a line.
    pub(super) fn head(&self) -> String {
        let share = 100.0 * self.moves / self.boxes.max(1) as f64;
        let moving = match self.steps {
            0 => "at rest".to_string(),
            1 => format!("{share:.0} % of them moving in 1 step"),
            steps => format!("{share:.0} % of them moving in each of {} steps", grouped(f64::from(steps))),
        };
        let seed = self.seed.map_or(String::new(), |seed| format!("; seed {seed}"));
        let boxes = if self.boxes == 1 { "box" } else { "boxes" };
        format!("{}: {} {boxes}, {moving}{seed}", self.scene, grouped(self.boxes as f64))
    }

    /// What was checked, in lines.
    pub(super) fn verdict(&self) -> Vec<String> {
        if !self.disagreements.is_empty() {
            return self.disagreements.iter().map(|it| format!("WRONG: {}", it.words())).collect();
        }
        let steps = match self.steps {
            0 => "at the start".to_string(),
            steps => format!("at the start and {} of {steps} steps", self.checked_steps - 1),
        };
        let cut = self.structures.iter().any(|row| row.state == State::OverBudget && row.pairs.is_some());
        let far = if cut { ", as far as they came" } else { "" };
        let spots = match self.boxes > MOST_FOR_BRUTE_FORCE {
            true => format!(" built anew {steps}{far}; that agrees with counting around {SPOTS} boxes one by one"),
            false => format!(" {steps}{far}"),
        };
        vec![format!("All that ran agree with {}{spots}.", self.reference)]
    }

    /// The table with its head, and what was checked.
    pub(super) fn table(&self) -> String {
        let mut lines = vec![Self::COLUMNS.map(String::from).to_vec()];
        lines.extend(self.structures.iter().map(Row::cells));
        let widths: Vec<usize> = (0..Self::COLUMNS.len())
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default())
            .collect();
        let mut text = self.head() + "\n\n";
        for cells in lines {
            for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                // Names and notes start at the left, numbers end at the right.
                match column {
                    0 => text += &format!("{cell:<width$}"),
                    last if last + 1 == Self::COLUMNS.len() => text += &format!("  {cell}"),
                    _ => text += &format!("  {cell:>width$}"),
                }
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text + "\n" + &self.verdict().join("\n") + "\n"
    }

    /// The heads of the table's columns; the last has no name.
    pub(super) const COLUMNS: [&'static str; 9] =
        ["structure", "build", "update/step", "tests/step", "pairs/step", "memory", "total", "× best", ""];
}

impl Row {
    fn unmeasured(name: &'static str, state: State) -> Self {
        Self {
            name,
            state,
            note: None,
            build_seconds: None,
            update_seconds: None,
            tests: None,
            pairs: None,
            memory_bytes: None,
            total_seconds: None,
            times_best: None,
        }
    }

    /// Whether none that is right is faster.
    pub(super) fn is_best(&self) -> bool {
        self.state == State::Complete && self.times_best == Some(1.0)
    }

    /// A line of the table.
    pub(super) fn cells(&self) -> Vec<String> {
        let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "–".into());
        vec![
            self.name.to_string(),
            or_dash(self.build_seconds.map(time)),
            or_dash(self.update_seconds.map(time)),
            or_dash(self.tests.map(grouped)),
            or_dash(self.pairs.map(grouped)),
            or_dash(self.memory_bytes.map(memory)),
            or_dash(self.total_seconds.map(time)),
            or_dash(self.times_best.map(|times| format!("{times:.2}"))),
            self.remark(),
        ]
    }

    /// What stands behind the numbers.
    pub(super) fn remark(&self) -> String {
        let state = match self.state {
            _ if self.is_best() => "best",
            State::Complete => "",
            State::Wrong => "WRONG",
            State::OverBudget => "over budget",
            State::Skipped => "skipped",
        };
        match &self.note {
            Some(note) if state.is_empty() => note.clone(),
            Some(note) => format!("{state}: {note}"),
            None => state.to_string(),
        }
    }
}

/// Three digits that count.
pub(super) fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        _ if seconds < 1e-3 => (seconds * 1e6, "µs"),
        _ if seconds < 1.0 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

fn memory(bytes: usize) -> String {
    let kibibytes = bytes as f64 / 1024.0;
    if kibibytes < 1000.0 { format!("{kibibytes:.1} KiB") } else { format!("{:.1} MiB", kibibytes / 1024.0) }
}

/// Whole, with commas between thousands.
pub(super) fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::measure::Replay;
    use super::super::recording::Making;
    use super::*;
    use carom::broad::Structure;
    use std::time::Duration;

    fn replay(milliseconds: u64) -> Replay {
        Replay { build: Duration::from_millis(milliseconds), steps: 2, ..Replay::default() }
    }

    #[test]
    fn a_wrong_structure_is_never_the_best() {
        let making = Making { movers: None, seed: None };
        let Ok(recording) = Recording::of("uniform:20", Some(2), making) else { panic!("the scene is sound") };
        let reference = Reference::of(&recording).expect("the boxes are sound");
        let mut results = Results::new(&recording, &reference, 1.0);
        let [wrong, right] = [Structure::DynamicTree, Structure::BruteForce];
        let structure = wrong.name();
        let disagreement =
            Disagreement { structure, step: 1, missing: 2, extra: 0, example: Some([3, 4]), events: false };
        let outcome = Outcome::Complete(replay(1));
        results.add(Measured { structure: wrong, outcome, disagreement: Some(disagreement) });
        let outcome = Outcome::OverBudget { until: Some(replay(9)), note: "after 1 of 2 steps".into() };
        results.add(Measured { structure: right, outcome, disagreement: None });
        results.add(Measured { structure: right, outcome: Outcome::Complete(replay(5)), disagreement: None });
        results.rank();
        let states: Vec<State> = results.structures.iter().map(|row| row.state).collect();
        assert_eq!(states, [State::Complete, State::Wrong, State::OverBudget]);
        assert!(results.structures[0].is_best() && !results.structures[1].is_best());
        assert_eq!(results.structures[2].total_seconds, None);
        let table = results.table();
        for words in ["WRONG: see step 1", "over budget: after 1 of 2 steps", "2 pairs are missing", "boxes 3 and 4"] {
            assert!(table.contains(words), "{words} is missing in\n{table}");
        }
        assert!(results.finding().is_some_and(|finding| finding.contains(structure)));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"].map(String::from),
            [0.0, 999.4, 1000.0, 1_234_567.0].map(grouped)
        );
        assert_eq!(time(0.0), "0.00 µs");
        assert_eq!(time(12.34e-6), "12.3 µs");
        assert_eq!(time(0.1234), "123 ms");
        assert_eq!(time(2.0), "2.00 s");
        assert_eq!(memory(1536), "1.5 KiB");
        assert_eq!(memory(3 << 20), "3.0 MiB");
    }
}
