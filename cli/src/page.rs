//! The page of the viewer, as the build has made it.

use crate::scene::SceneError;
use std::path::Path;

/// Empty if the build could not make it; `build.rs` says why then.
const BUILT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html"));
const MISSING: &str = env!("CAROM_PAGE_MISSING");

/// The page, from a file if one is given.
pub(crate) fn load(file: Option<&Path>) -> Result<Vec<u8>, SceneError> {
    if let Some(path) = file {
        return std::fs::read(path).map_err(|error| SceneError::file(path, "cannot be read", &error));
    }
    if BUILT.is_empty() { Err(missing(MISSING)) } else { Ok(BUILT.to_vec()) }
}

/// What to say in place of the page.
fn missing(why: &str) -> SceneError {
    let help = "install Node.js 20 or later with npm (https://nodejs.org), then build the program anew with \
                `cargo clean -p carom-cli && cargo build --release`; everything but `view` and `export --html` works \
                without it";
    SceneError::refused(format!("this program was built without its page: {why}"), help.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Look;

    #[test]
    fn what_is_missing_is_said_with_what_to_do() {
        let said = missing("npm is not installed (it comes with Node.js)").rendered(Look::Plain);
        let said = said.replace(['│', '|'], " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in ["built without its page", "npm is not installed", "nodejs.org", "cargo build --release"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    /// An export has 3 MB for the page and what happens in it: this is the page's share.
    #[test]
    fn the_page_leaves_room_for_recordings() {
        assert!(BUILT.len() < 1_000_000, "{} bytes", BUILT.len());
    }

    #[test]
    fn a_page_or_a_reason_is_built_in() {
        assert_eq!(BUILT.is_empty(), !MISSING.is_empty());
    }
}
