//! Where the repository is and which files belong to it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the workspace's Cargo.toml.
///
/// Cargo says at run time where it runs us from; what was true at build time may be another checkout that shares the
/// target folder.
pub(crate) fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or(manifest.clone(), Path::to_path_buf)
}

/// The cargo that runs us.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The files of the repository, relative to `root`, with `/` between folders, sorted. What git tracks; in an unpacked
/// archive without git, every file outside build folders.
pub(crate) fn files(root: &Path) -> Vec<String> {
    let git = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output();
    let mut files = match git {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|name| !name.is_empty() && root.join(name).is_file())
            .map(String::from)
            .collect(),
        _ => walk(root, Path::new("")),
    };
    files.sort();
    files
}

/// Every file below `root/folder`, relative to `root`.
pub(crate) fn walk(root: &Path, folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return files };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let path = folder.join(&name);
        if !entry.path().is_dir() {
            files.push(path.to_string_lossy().replace('\\', "/"));
        } else if !["target", ".git", "node_modules", "dist"].iter().any(|skipped| name == *skipped) {
            files.extend(walk(root, &path));
        }
    }
    files.sort();
    files
}
