//! The narrow phase.

mod contact;

use crate::{Effort, Rows};

const AREA: &str = "narrow";
const PEER: &str = "parry3d 0.31";

pub fn rows(effort: Effort, only: &str) -> Rows {
    contact::rows(effort, only)
}
