//! `cargo xtask bench`: forwards to the program in `bench/`, a workspace of its own.

use crate::repository;
use std::process::{Command, ExitCode};

/// Runs the comparison; its arguments are its own business, a missing program is ours.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let manifest = repository::root().join("bench/Cargo.toml");
    if !manifest.is_file() {
        eprintln!("xtask: there is no bench/Cargo.toml in this checkout, so there is nothing to measure");
        return ExitCode::FAILURE;
    }
    let status = Command::new(repository::cargo())
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(&manifest)
        .arg("--")
        .args(arguments)
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("xtask: the benchmark ended with {status}");
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(error) => {
            eprintln!("xtask: cargo did not start: {error}");
            ExitCode::FAILURE
        }
    }
}
