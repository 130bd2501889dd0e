//! What is wrong with a recording, and where in its bytes.

use super::blocks::Format;
use crate::scene::SceneError;
use std::path::Path;

/// Why a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RecordingError {
    #[error("it is no recording: it does not begin with CAROM-REC")]
    NotOne,
    #[error("it is of format {found}; carom {} reads formats 1 to {}", env!("CARGO_PKG_VERSION"), Format::WRITTEN as u8)]
    Version { found: u8 },
    #[error("it ends too early, at byte {at}, in the block `{block}`")]
    Truncated { at: usize, block: &'static str },
    #[error("it is damaged: the checksum of the block `{block}` at byte {at} is wrong")]
    Checksum { at: usize, block: &'static str },
    #[error("the block `{block}` at byte {at} makes no sense: {why}")]
    Block { at: usize, block: &'static str, why: String },
}

impl RecordingError {
    /// With the file and what to do about it.
    pub(crate) fn of_file(self, path: &Path) -> SceneError {
        let help = match &self {
            Self::NotOne => "`carom run SCENE --record FILE` makes one",
            Self::Version { .. } => {
                "it was recorded by a later version of carom: replay it with that one, or record anew"
            }
            Self::Truncated { .. } => "recording was ended before it was done, or the file was not copied whole",
            Self::Checksum { .. } | Self::Block { .. } => "copy it anew from where it was recorded, or record anew",
        };
        SceneError::refused(format!("{}: {self}", path.display()), help.to_string())
    }
}
