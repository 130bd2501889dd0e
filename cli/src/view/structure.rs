//! The structure of the broad phase as a section of a frame.

use super::frame::Bytes;
use super::overlay::relative;
use carom::bounds::{Aabb, BoundingVolume};
use carom::broad::Drawn;
use carom::glam::DVec3;
use carom::world::World;

/// Boxes longer than this are those of what has no end, in m: nothing is drawn as large.
const ENDLESS: f32 = 1e5;

/// Writes all parts of the structure, cut to where bodies are.
pub(super) fn fill(bytes: &mut Bytes, world: &World, origin: DVec3) {
    let bounded =
        world.boxes().map(|(_, bounds)| bounds).filter(|bounds| bounds.half_extents().max_element() < ENDLESS);
    let Some(window) = bounded.reduce(|one, other| one.merged(&other)) else { return };
    let before = bytes.0.len();
    world.draw_broad_phase(&mut |drawn| part(bytes, &drawn, &window, origin));
    if bytes.0.len() == before {
        // It is built at the next look for pairs; a copy that has looked already stands for it.
        let mut copy = world.structure().build();
        if world.boxes().try_for_each(|(slot, bounds)| copy.insert(slot, bounds)).is_ok() {
            copy.pairs();
            copy.draw(&mut |drawn| part(bytes, &drawn, &window, origin));
        }
    }
    if bytes.0.len() == before {
        // One list of everything, which is what brute force has.
        part(bytes, &Drawn::Node { bounds: window, depth: 0 }, &window, origin);
    }
}

/// What of a region is in the window; none if nothing is.
fn cut(bounds: &Aabb, window: &Aabb) -> Option<Aabb> {
    let (min, max) = (bounds.min.max(window.min), bounds.max.min(window.max));
    min.cmple(max).all().then(|| Aabb::new(min, max))
}

fn part(bytes: &mut Bytes, drawn: &Drawn, window: &Aabb, origin: DVec3) {
    let region = match drawn {
        Drawn::Node { bounds, .. } | Drawn::Cell { bounds, .. } | Drawn::Plane { region: bounds, .. } => *bounds,
        _ => *window,
    };
    // Cells and regions reach beyond what is in them, and are drawn whole where they have an end.
    let is_bounded = region.half_extents().max_element() < ENDLESS;
    let Some(region) = (if is_bounded { Some(region) } else { cut(&region, window) }) else { return };
    let region = relative(&region, origin);
    let (kind, level, bounds, more) = match *drawn {
        Drawn::Node { depth, .. } => (0, depth, region, [0.0; 4]),
        Drawn::Cell { level, count, .. } => (1, level, region, [count as f32, 0.0, 0.0, 0.0]),
        Drawn::Plane { normal, offset, depth, .. } => {
            let offset = (f64::from(offset) - normal.as_dvec3().dot(origin)) as f32;
            (2, depth, region, [normal.x, normal.y, normal.z, offset])
        }
        Drawn::Interval { axis, min, max, id } => {
            let at = axis as usize % 3;
            let start = origin[at];
            let ends = [min.max(window.min[at]), max.min(window.max[at])];
            let [min, max] = ends.map(|end| (f64::from(end) - start) as f32);
            (3, axis, [min, max, id as f32, 0.0, 0.0, 0.0], [0.0; 4])
        }
        // What the library may draw one day and this protocol does not know.
        _ => return,
    };
    bytes.words([kind, level]);
    bytes.floats(bounds);
    bytes.floats(more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;
    use carom::broad::Structure;

    /// Every structure, on scenes with few and many bodies, with and without an endless floor, at the start, while it runs
    /// and right after it was chosen: something is drawn, it is finite, and it is where bodies are.
    #[test]
    fn every_structure_draws_something_finite_on_every_scene() {
        for name in ["few", "boxes", "gas", "street", "bounce"] {
            let scene = scene::find(name).expect("the scene is known");
            let mut world = scene.world().expect("the scene is sound");
            for structure in Structure::ALL {
                for moment in ["as chosen", "after a step"] {
                    if moment == "as chosen" {
                        world.set_structure(*structure);
                    } else {
                        world.step(scene.dt).expect("a step");
                    }
                    let mut bytes = Bytes::default();
                    fill(&mut bytes, &world, DVec3::ZERO);
                    let case = format!("{name}, {}, {moment}", structure.name());
                    assert!(!bytes.0.is_empty() && bytes.0.len().is_multiple_of(48), "{case}: {}", bytes.0.len());
                    let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes.0[at + byte]));
                    let mut seen = 0;
                    for part in (0..bytes.0.len()).step_by(48) {
                        let floats: [f32; 10] = std::array::from_fn(|index| f32::from_bits(word(part + 8 + 4 * index)));
                        assert!(floats.iter().all(|value| value.is_finite()), "{case}: {floats:?}");
                        let is_interval = word(part) == 3;
                        let length = if is_interval { floats[1] - floats[0] } else { floats[3] - floats[0] };
                        seen += usize::from(length > 0.0 && length < 2e5);
                    }
                    assert!(seen > 0, "{case}: all of it is flat or endless");
                }
            }
        }
    }
}
