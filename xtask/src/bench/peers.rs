//! The programs that `carom-bench scenes` and `carom-bench impact` race against: `bench/peers`, built once for each engine and way of building
//! it. Each has a target folder of its own, or they would overwrite each other.

use super::{missing_for_box3d, native_c_flags, tell_missing};
use crate::repository;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders and features. Which is the best, on one thread or on several, is for the race to tell.
const RAPIER: [(&str, &str); 4] = [
    ("rapier", "rapier"),
    ("rapier-simd8", "simd8"),
    ("rapier-parallel", "parallel"),
    ("rapier-parallel-simd8", "parallel,simd8"),
];

/// Peers may use all that the machine has. Where that is AVX-512, builds for x86-64-v3 were measured beside: of rapier, with
/// and without simd8, and of Box3D, on five scenes, none was faster by more than turns of one build differ.
const NATIVE: &str = "-Ctarget-cpu=native";

/// Which engines a comparison runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    Box3d,
}

/// Builds those that this machine can build; false if one that should work did not.
pub(super) fn build(bench_manifest: &Path, wanted: Wanted) -> bool {
    let Some(bench) = bench_manifest.parent() else { return false };
    // Beside the program that looks for them.
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| bench.join("target"), PathBuf::from).join("peers");
    let command = |folder: &str, features: &str| {
        let mut command = Command::new(repository::cargo());
        command.args(["build", "--release", "--quiet", "--features", features, "--manifest-path"]);
        command.arg(bench.join("peers/Cargo.toml")).arg("--target-dir").arg(target.join(folder));
        // These go before those of any variable and any configuration file.
        command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", NATIVE);
        command
    };
    let mut commands = Vec::new();
    match missing_for_box3d() {
        None => {
            let mut box3d = command("box3d", "box3d");
            box3d.env("CFLAGS", native_c_flags());
            commands.push(box3d);
        }
        Some(missing) => tell_missing(missing),
    }
    for (folder, features) in RAPIER.into_iter().filter(|_| wanted == Wanted::All) {
        commands.push(command(folder, features));
    }
    commands.iter_mut().all(|command| match command.status() {
        Ok(status) if status.success() => true,
        Ok(status) => {
            eprintln!("xtask: building a peer ended with {status}");
            false
        }
        Err(error) => {
            eprintln!("xtask: cargo did not start: {error}");
            false
        }
    })
}
