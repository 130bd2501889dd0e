//! The scenes that the program brings along: small ones as files, the others made here. All are texts, and are read like
//! any other scene.

mod broad;
mod ground;
mod impacts;
mod machines;
mod options;
mod pairs;
mod parts;
mod piles;
mod solvers;
mod stacks;

use serde_json::Value;
use std::borrow::Cow;

/// What runs when nothing is asked for.
pub(crate) const DEFAULT: &str = "shower";

enum Origin {
    File(&'static str),
    Made(fn() -> Value),
}

use Origin::{File, Made};

const SCENES: &[(&str, Origin)] = &[
    (DEFAULT, Made(piles::shower)),
    ("boxes", Made(piles::boxes)),
    ("shapes", Made(piles::shapes)),
    ("stones", Made(piles::stones)),
    ("compounds", Made(piles::compounds)),
    ("rain", Made(piles::rain)),
    ("bounce", File(include_str!("../../scenes/bounce.json"))),
    ("billiards", Made(impacts::billiards)),
    ("break", Made(impacts::break_shot)),
    ("cradle", Made(impacts::cradle)),
    ("bullets", Made(impacts::bullets)),
    ("tunnelling", Made(impacts::tunnelling)),
    ("ramp", File(include_str!("../../scenes/ramp.json"))),
    ("stack", Made(stacks::stack)),
    ("pyramid", Made(stacks::pyramid)),
    ("dominoes", Made(stacks::dominoes)),
    ("cards", Made(stacks::cards)),
    ("islands", Made(stacks::islands)),
    ("overlap", Made(stacks::overlap)),
    ("masses", Made(options::masses)),
    ("settings", Made(options::settings)),
    ("spin", File(include_str!("../../scenes/spin.json"))),
    ("washer", Made(machines::washer)),
    ("blades", Made(machines::blades)),
    ("conveyor", Made(machines::conveyor)),
    ("gears", Made(machines::gears)),
    ("sensors", Made(machines::sensors)),
    ("terrain", Made(ground::terrain)),
    ("hills", Made(ground::hills)),
    ("seams", Made(ground::seams)),
    ("chain", Made(ground::chain)),
    ("decomposed", Made(ground::decomposed)),
    ("few", Made(broad::few)),
    ("street", Made(broad::street)),
    ("traffic", Made(broad::traffic)),
    ("gas", Made(broad::gas)),
    ("sizes", Made(broad::sizes)),
    ("fireworks", Made(broad::fireworks)),
    ("clusters", Made(broad::clusters)),
    ("grove", Made(broad::grove)),
    ("city", Made(broad::city)),
    ("stairs", Made(broad::stairs)),
    ("particles", Made(pairs::particles)),
    ("gjk", Made(pairs::gjk)),
    ("sat", Made(pairs::sat)),
    ("bounds", Made(pairs::bounds)),
    ("path", Made(pairs::path)),
    ("plane", Made(pairs::plane)),
    ("corners", Made(pairs::corners)),
    ("rolling", Made(solvers::rolling)),
    ("worst", Made(solvers::worst)),
    ("cold", Made(solvers::cold)),
    ("warm", Made(solvers::warm)),
    ("far", Made(solvers::far)),
];

/// The names, the default first.
pub(crate) fn names() -> Vec<&'static str> {
    SCENES.iter().map(|(name, _)| *name).collect()
}

/// The text of a scene, in JSON.
pub(crate) fn text(name: &str) -> Option<Cow<'static, str>> {
    let (_, origin) = SCENES.iter().find(|(known, _)| *known == name)?;
    Some(match origin {
        File(text) => Cow::Borrowed(text),
        Made(make) => Cow::Owned(make().to_string()),
    })
}

#[cfg(test)]
mod claims;
#[cfg(test)]
mod tests;
