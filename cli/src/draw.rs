//! Draws a world as an SVG.
use carom::world::World;
pub(crate) fn picture(_world: &World, _name: &str) -> String { String::new() }
