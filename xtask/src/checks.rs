//! The repository's own checks. Each returns its findings as lines of `file:line: what is wrong`.

pub(crate) mod documents;
pub(crate) mod shape_pairs;
pub(crate) mod soundness;
pub(crate) mod tracked;

use std::path::Path;

/// What `check` finds in each Rust file of `files`; a file that does not parse is a finding too.
fn in_rust_files(root: &Path, files: &[String], check: impl Fn(&syn::File) -> Vec<(usize, String)>) -> Vec<String> {
    let mut findings = Vec::new();
    for name in files.iter().filter(|name| name.ends_with(".rs")) {
        let parsed = std::fs::read_to_string(root.join(name))
            .map_err(|error| (1, error.to_string()))
            .and_then(|text| syn::parse_file(&text).map_err(|error| (error.span().start().line, error.to_string())));
        let found = match parsed {
            Ok(file) => check(&file),
            Err(error) => vec![error],
        };
        findings.extend(found.into_iter().map(|(line, what)| format!("{name}:{line}: {what}")));
    }
    findings
}
