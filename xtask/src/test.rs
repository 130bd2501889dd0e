//! `cargo xtask test`: the steps, in order.

use crate::checks::{documents, shape_pairs, soundness, tracked};
use crate::repository;
use crate::steps::Steps;
use crate::web;
use std::process::{Command, ExitCode};

/// How much to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything.
    Full,
    /// What takes seconds.
    Fast,
}

/// Runs the steps. All of cargo's use one profile, so that dependencies are built once.
pub(crate) fn run(extent: Extent) -> ExitCode {
    let root = repository::root();
    let cargo = |arguments: &str| {
        let mut command = Command::new(repository::cargo());
        command.current_dir(&root).args(arguments.split(' ')).env("RUSTDOCFLAGS", "-D warnings");
        command
    };
    let mut steps = Steps::default();

    steps.command("format", &mut cargo("fmt --all --check"));
    // Not built here, so that the tests never wait for the peers.
    steps.command("format of the benches", &mut cargo("fmt --manifest-path bench/Cargo.toml --check"));
    steps.command(
        "clippy",
        &mut cargo("clippy --workspace --all-targets --all-features --profile checked -- -D warnings"),
    );
    let test = "test --workspace --all-features --profile checked --no-fail-fast";
    match extent {
        Extent::Full => {
            // First, since tests of the program measure the page where it is built.
            let tools = web::build(&mut steps);
            steps.tests("tests", &mut cargo(&format!("{test} --lib --bins --tests --examples")));
            steps.tests("doc tests", &mut cargo(&format!("{test} --doc")));
            steps.command("documentation", &mut cargo("doc --workspace --no-deps --all-features --profile checked"));
            if let Some(tools) = tools {
                web::try_out(&mut steps, &tools);
            }
        }
        Extent::Fast => steps.tests("tests beside the code", &mut cargo(&format!("{test} --lib --bins"))),
    }

    let files = repository::files(&root);
    let library = repository::walk(&root, "carom/src".as_ref());
    steps.check("paths in the documents", || documents::findings(&root, &files));
    steps.check("nothing panics or prints", || soundness::findings(&root, &library));
    steps.check("every shape pair is listed", || shape_pairs::findings(&root, &library));
    steps.check("no machine paths, nothing open", || tracked::findings(&root, &files));
    steps.finish()
}
