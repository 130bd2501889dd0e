//! No file names a folder of one machine, and none holds a marker of unfinished work.

use std::path::Path;

/// Split so that this file does not find itself.
const MARKERS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const HOMES: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("\\Us", "ers\\"), concat!("/ro", "ot/")];

/// Every such place in `files`; what is not text is passed over.
pub(crate) fn findings(root: &Path, files: &[String]) -> Vec<String> {
    let folders = machine_folders(root);
    let mut findings = Vec::new();
    for name in files.iter().filter(|name| !name.ends_with("Cargo.lock")) {
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        findings.extend(in_text(&text, &folders).into_iter().map(|(line, what)| format!("{name}:{line}: {what}")));
    }
    findings
}

/// Folders of the machine we run on, and what home folders look like elsewhere.
fn machine_folders(root: &Path) -> Vec<String> {
    let here = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let around = here.parent().map(|folder| folder.display().to_string());
    let mut folders: Vec<String> = HOMES.iter().map(|home| home.to_string()).collect();
    folders.extend(
        [Some(here.display().to_string()), around, std::env::var("HOME").ok(), std::env::var("CARGO_TARGET_DIR").ok()]
            .into_iter()
            .flatten()
            .filter(|folder| folder.starts_with('/') && folder.trim_end_matches('/').len() > 1)
            .map(|folder| format!("{}/", folder.trim_end_matches('/'))),
    );
    folders
}

fn in_text(text: &str, folders: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(marker) = MARKERS.iter().find(|marker| has_word(line, marker)) {
            found.push((index + 1, format!("`{marker}`: finish it or open an issue")));
        }
        if let Some(folder) = folders.iter().find(|folder| has_path(line, folder)) {
            found.push((index + 1, format!("`{folder}` is a folder of one machine")));
        }
    }
    found
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|found| found == word)
}

/// Whether an absolute path begins with `folder` here, rather than a longer path or an address having it inside.
fn has_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        // A drive letter may stand before a backslash.
        folder.starts_with('\\') || !before.is_some_and(|c| c.is_alphanumeric() || "./_-~*}>)".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let folders = machine_folders(Path::new("/srv/build/carom"));
        in_text(text, &folders).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn markers_are_found_as_words() {
        for marker in MARKERS {
            assert_eq!(lines(&format!("fine\n// {marker}: later\n")), [2]);
            assert_eq!(lines(&format!("// ({marker})")), [1]);
            assert_eq!(lines(&format!("const {marker}_LIST: u8 = 1; // my{marker}s")), []);
        }
        assert_eq!(lines("todo = \"warn\""), []);
    }

    #[test]
    fn folders_of_machines_are_found() {
        for path in [
            "/srv/build/carom/x.rs",
            "see \"/srv/build/other/y\"",
            concat!("/ho", "me/ada/z"),
            concat!("C:\\Us", "ers\\ada\\z"),
            concat!("cd /Us", "ers/ada"),
        ] {
            assert_eq!(lines(path), [1], "{path}");
        }
    }

    #[test]
    fn other_paths_pass() {
        for path in
            ["#!/usr/bin/env bash", "carom/src/lib.rs", concat!("https://a.org/ho", "me/x"), "/srv/", "a/srv/build/x"]
        {
            assert_eq!(lines(path), [], "{path}");
        }
    }
}
