//! The pages that map the repository must not name what does not exist.
//!
//! Looked at are `code spans` and [links](..) outside fenced blocks. A span is a path if it has an extension of ours
//! or names a folder; it may be relative to anything (`shape/hull.rs`), may have `*` in it, and may go on to name a test:
//! `carom/tests/oracle_gjk.rs::name`. A link is relative to its page.

use std::collections::BTreeSet;
use std::path::Path;

const PAGES: [&str; 2] = ["ARCHITECTURE.md", "docs/capabilities.md"];
const EXTENSIONS: [&str; 12] =
    [".rs", ".md", ".toml", ".json", ".svg", ".png", ".ts", ".js", ".html", ".yml", ".sh", ".lock"];

/// Every path that a page names and that does not exist; a missing page too.
pub(crate) fn findings(root: &Path, files: &[String]) -> Vec<String> {
    let paths = Paths::new(files);
    let has_function = |file: &str, function: &str| {
        std::fs::read_to_string(root.join(file)).is_ok_and(|text| text.contains(&format!("fn {function}(")))
    };
    let mut findings = Vec::new();
    for page in PAGES {
        match std::fs::read_to_string(root.join(page)) {
            Ok(text) => findings.extend(
                in_page(page, &text, &paths, &has_function)
                    .into_iter()
                    .map(|(line, what)| format!("{page}:{line}: {what}")),
            ),
            Err(error) => findings.push(format!("{page}: {error}")),
        }
    }
    findings
}

/// The repository's files and folders.
struct Paths {
    all: BTreeSet<String>,
}

impl Paths {
    fn new(files: &[String]) -> Self {
        let mut all = BTreeSet::new();
        for file in files {
            all.extend(file.match_indices('/').map(|(at, _)| file[..at].to_string()));
            all.insert(file.clone());
        }
        Self { all }
    }

    /// The paths that are `name` or end in it, component by component; `*` stands for any letters but `/`.
    fn ending_in<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a String> {
        let wanted: Vec<&str> = name.trim_start_matches("./").trim_end_matches('/').split('/').collect();
        self.all.iter().filter(move |path| {
            let parts: Vec<&str> = path.split('/').collect();
            parts.len() >= wanted.len()
                && parts[parts.len() - wanted.len()..].iter().zip(&wanted).all(|(part, wanted)| fits(part, wanted))
        })
    }

    fn has_top_folder(&self, name: &str) -> bool {
        name.split_once('/').is_some_and(|(first, _)| self.all.contains(first))
    }
}

/// Whether `text` is `pattern`, where `*` stands for any letters.
fn fits(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| fits(&text[at..], rest))
        }),
    }
}

fn in_page(page: &str, text: &str, paths: &Paths, has_function: &dyn Fn(&str, &str) -> bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let wrong = code_spans(line).filter_map(|span| wrong_span(span, paths, has_function));
            let broken = link_targets(line).filter_map(|target| wrong_link(page, target, paths));
            found.extend(wrong.chain(broken).map(|what| (index + 1, what)));
        }
    }
    found
}

fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

fn wrong_span(span: &str, paths: &Paths, has_function: &dyn Fn(&str, &str) -> bool) -> Option<String> {
    let (path, test) = span.split_once("::").map_or((span, None), |(path, test)| (path, Some(test)));
    let spelled_like_a_path = path.chars().all(|c| c.is_ascii_alphanumeric() || "._-/*".contains(c));
    let names_a_file = EXTENSIONS.iter().any(|extension| path.ends_with(extension) && path.len() > extension.len());
    let names_a_folder = path.ends_with('/') || paths.has_top_folder(path);
    if !spelled_like_a_path || path.starts_with('/') || !(names_a_file || names_a_folder) {
        return None;
    }
    let mut candidates = paths.ending_in(path).peekable();
    if candidates.peek().is_none() {
        return Some(format!("`{path}` does not exist"));
    }
    let function = test?.rsplit("::").next()?;
    (!candidates.any(|file| has_function(file, function))).then(|| format!("`{path}` has no function `{function}`"))
}

fn wrong_link(page: &str, target: &str, paths: &Paths) -> Option<String> {
    let target = target.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    (!path.is_empty() && !paths.all.contains(&path)).then(|| format!("the link to `{target}` leads nowhere"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(page: &str, text: &str) -> Vec<usize> {
        let files =
            ["README.md", "carom/src/lib.rs", "carom/src/shape/hull.rs", "carom/tests/oracle_gjk.rs", "docs/a.md"];
        let paths = Paths::new(&files.map(String::from));
        let has_function = |file: &str, function: &str| file == "carom/tests/oracle_gjk.rs" && function == "agrees";
        in_page(page, text, &paths, &has_function).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn what_exists_passes() {
        for text in [
            "`carom/src/lib.rs`, `carom/`, `carom/src`, `shape/hull.rs`, `hull.rs`, `./README.md`, `shape/`",
            "`carom/tests/oracle_*.rs` and `carom/tests/oracle_gjk.rs::agrees`, `oracle_gjk.rs::deep::agrees`",
            "[the shapes](carom/src/shape/) [up](./README.md#top) [there](https://a.org/b.md) [here](#below)",
        ] {
            assert_eq!(lines("ARCHITECTURE.md", text), [], "{text}");
        }
        assert_eq!(lines("docs/capabilities.md", "[a](a.md) [readme](../README.md)"), []);
    }

    #[test]
    fn what_does_not_exist_is_found_on_its_line() {
        for text in [
            "`carom/src/gone.rs`",
            "`gone/`",
            "`carom/gone`",
            "`sha/hull.rs`",
            "`ull.rs`",
            "`carom/tests/mirror_*.rs`",
            "`carom/tests/oracle_gjk.rs::gone`",
            "`carom/tests/gone.rs::agrees`",
            "[a](docs/gone.md)",
            "[a](a.md)",
        ] {
            assert_eq!(lines("ARCHITECTURE.md", &format!("fine\n\n`hull.rs` then {text}\n")), [3], "{text}");
        }
        assert_eq!(lines("docs/capabilities.md", "[readme](README.md)"), [1]);
    }

    #[test]
    fn what_is_not_a_path_is_left_alone() {
        for text in
            ["`f32/f64`", "`Shape::hull`", "`.rs`", "`a / b.rs`", "`cargo test`", "carom/gone.rs", "`/tmp/x.rs`"]
        {
            assert_eq!(lines("ARCHITECTURE.md", text), [], "{text}");
        }
        assert_eq!(lines("ARCHITECTURE.md", "```\n`gone.rs`\n```\n`gone.rs`"), [4]);
    }
}
