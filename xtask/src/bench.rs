//! `cargo xtask bench`: forwards to the program in `bench/`, a workspace of its own.

mod peers;

use crate::repository;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs the comparison; its arguments are its own business, a missing program is ours.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let manifest = repository::root().join("bench/Cargo.toml");
    if !manifest.is_file() {
        eprintln!("xtask: there is no bench/Cargo.toml in this checkout, so there is nothing to measure");
        return ExitCode::FAILURE;
    }
    let mut command = Command::new(repository::cargo());
    // Scenes are measured as a user of the library builds it; their peers are built apart, as is best for each.
    let is_plain = arguments.first() == Some(&"scenes");
    let profile = if is_plain { "plain" } else { "release" };
    command.args(["run", "--profile", profile, "--quiet", "--manifest-path"]).arg(&manifest);
    if is_plain {
        // Empty flags here go before those of any variable and any configuration file.
        command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", "");
    }
    if matches!(arguments.first(), Some(&("broad" | "all"))) {
        match missing_for_box3d() {
            None => {
                command.args(["--features", "box3d"]).env("CFLAGS", native_c_flags());
            }
            Some(missing) => tell_missing(missing),
        }
    }
    let is_built = match arguments.first() {
        Some(&"scenes") => peers::build(&manifest, peers::Wanted::All),
        // Only Box3D is asked to keep bullets from passing.
        Some(&"impact") => peers::build(&manifest, peers::Wanted::Box3d),
        _ => true,
    };
    if !is_built {
        return ExitCode::FAILURE;
    }
    match command.arg("--").args(arguments).status() {
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

/// C knows nothing of rustc's flags: let it use what the machine has.
fn native_c_flags() -> String {
    let flags = env::var("CFLAGS").unwrap_or_default() + " -march=native";
    flags.trim().to_owned()
}

fn tell_missing(missing: &str) {
    eprintln!("xtask: box3d is not measured, there is no {missing}; on Debian: apt-get install cmake libclang-dev");
}

/// What building Box3D and the bindings to it lacks on this machine.
fn missing_for_box3d() -> Option<&'static str> {
    let path = env::var_os("PATH").unwrap_or_default();
    if !env::split_paths(&path).any(|folder| folder.join("cmake").is_file() || folder.join("cmake.exe").is_file()) {
        return Some("cmake");
    }
    let set = env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let usual = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib"].map(PathBuf::from);
    // Distributions keep it in a folder of its own, such as llvm-19/lib, or that of the architecture.
    let below_usual: Vec<PathBuf> =
        entries(Path::new("/usr/lib")).into_iter().flat_map(|folder| [folder.join("lib"), folder]).collect();
    let has_library = set.into_iter().chain(usual).chain(below_usual).any(|folder| has_libclang(&folder));
    (!has_library).then_some("libclang")
}

/// Whether a folder, or LIBCLANG_PATH itself, is or holds the shared library. `libclang-cpp` is another one.
fn has_libclang(path: &Path) -> bool {
    let is_library = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ["libclang.so", "libclang-", "libclang.dylib", "libclang.dll"].iter().any(|start| name.starts_with(start))
            && !name.starts_with("libclang-cpp")
            && (name.contains(".so") || name.ends_with(".dylib") || name.ends_with(".dll"))
            && path.exists()
    };
    is_library(path) || entries(path).iter().any(|entry| is_library(entry))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
