//! Runs steps one after the other, keeps going when one fails, and sums up at the end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    passed: usize,
    failed: usize,
}

struct Step {
    name: &'static str,
    time: Duration,
    count: Option<Count>,
    sound: bool,
}

/// The steps that have run.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Step>,
}

impl Steps {
    /// Runs a command whose exit status says whether it is fine.
    pub(crate) fn command(&mut self, name: &'static str, command: &mut Command) {
        self.step(name, || (succeeds(command.status()), None));
    }

    /// Runs `cargo test` or Node's test runner and adds up what it says of its tests.
    pub(crate) fn tests(&mut self, name: &'static str, command: &mut Command) {
        self.step(name, || {
            let mut child = match command.stdout(Stdio::piped()).spawn() {
                Ok(child) => child,
                Err(error) => return (succeeds(Err(error)), None),
            };
            let mut count = Count::default();
            let mut out = std::io::stdout().lock();
            for line in
                child.stdout.take().map(BufReader::new).into_iter().flat_map(BufReader::lines).map_while(Result::ok)
            {
                count += test_result(&line);
                // A closed pipe must not stop the tests.
                let _ = writeln!(out, "{line}");
            }
            (succeeds(child.wait()) && count.failed == 0, Some(count))
        });
    }

    /// Runs a check of our own; it is fine if it finds nothing.
    pub(crate) fn check(&mut self, name: &'static str, findings: impl FnOnce() -> Vec<String>) {
        self.step(name, || {
            let findings = findings();
            for finding in &findings {
                println!("{finding}");
            }
            (findings.is_empty(), None)
        });
    }

    /// Prints the table and the verdict.
    pub(crate) fn finish(self) -> ExitCode {
        print!("\n{}", self.summary());
        if self.done.iter().all(|step| step.sound) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn step(&mut self, name: &'static str, run: impl FnOnce() -> (bool, Option<Count>)) {
        println!("== {name}");
        let start = Instant::now();
        let (sound, count) = run();
        self.done.push(Step { name, time: start.elapsed(), count, sound });
    }

    fn summary(&self) -> String {
        let mut total = Count::default();
        let mut text = format!("{:<32} {:>8}  {:>8} {:>8}  result\n", "step", "time", "passed", "failed");
        for Step { name, time, count, sound } in &self.done {
            let (passed, failed) =
                count.map_or_else(Default::default, |c| (c.passed.to_string(), c.failed.to_string()));
            let result = if *sound { "ok" } else { "FAILED" };
            text += &format!("{name:<32} {:>6.1} s  {passed:>8} {failed:>8}  {result}\n", time.as_secs_f64());
            total += count.unwrap_or_default();
        }
        let broken: Vec<&str> = self.done.iter().filter(|step| !step.sound).map(|step| step.name).collect();
        let verdict = if broken.is_empty() { String::new() } else { format!("; failed: {}", broken.join(", ")) };
        text + &format!("\n{} passed, {} failed{verdict}\n", total.passed, total.failed)
    }
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

fn succeeds(status: std::io::Result<std::process::ExitStatus>) -> bool {
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            println!("the command did not start: {error}");
            false
        }
    }
}

/// What a line like `test result: ok. 3 passed; 0 failed; …`, or Node's `ℹ pass 3`, counts; nothing for any other.
fn test_result(line: &str) -> Count {
    if let Some((word, number)) = line.strip_prefix("ℹ ").and_then(|rest| rest.split_once(' ')) {
        let number = number.parse().unwrap_or(0);
        return match word {
            "pass" => Count { passed: number, failed: 0 },
            "fail" | "cancelled" => Count { passed: 0, failed: number },
            _ => Count::default(),
        };
    }
    let Some(result) = line.strip_prefix("test result:") else { return Count::default() };
    let number_before = |word: &str| {
        let words: Vec<&str> = result.split([' ', ';', '.']).filter(|part| !part.is_empty()).collect();
        words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
    };
    Count { passed: number_before("passed"), failed: number_before("failed") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_added_up() {
        let mut total = Count::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 41 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "the test result: 100 passed; 100 failed",
            "ℹ tests 6",
            "ℹ pass 4",
            "ℹ fail 1",
            "ℹ cancelled 1",
            "ℹ duration_ms 812.5",
        ] {
            total += test_result(line);
        }
        assert_eq!(total, Count { passed: 48, failed: 4 });
    }

    #[test]
    fn a_failed_step_shows_in_the_last_line_and_later_steps_still_run() {
        let mut steps = Steps::default();
        steps.check("first", || vec!["somefile:1: wrong".into()]);
        steps.check("second", Vec::new);
        let summary = steps.summary();
        assert!(summary.ends_with("\n0 passed, 0 failed; failed: first\n"), "{summary}");
        assert!(summary.lines().any(|line| line.starts_with("second") && line.ends_with("ok")), "{summary}");
    }

    #[test]
    fn a_test_command_that_fails_without_counts_is_a_failure() {
        let mut steps = Steps::default();
        steps.tests(
            "broken build",
            Command::new(crate::repository::cargo()).arg("no-such-command").stderr(Stdio::null()),
        );
        assert!(!steps.done[0].sound);
    }
}
