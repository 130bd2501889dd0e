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
    if BUILT.is_empty() {
        let help = "install Node.js 20 or later with npm (https://nodejs.org), then build the program anew with \
                    `cargo clean -p carom-cli && cargo build --release`; everything but `view` and `export --html` \
                    works without it";
        return Err(SceneError::refused(
            format!("this program was built without its page: {MISSING}"),
            help.to_string(),
        ));
    }
    Ok(BUILT.to_vec())
}
