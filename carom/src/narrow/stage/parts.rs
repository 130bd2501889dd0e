//! Compounds in the world: part by part.

use super::{KEPT_SHARE, Rich, Room, collide};
use crate::body::{Bodies, Collider};
use crate::bounds::{Aabb, BoundingVolume};
use crate::mid::{ConvexPair, ConvexPart};
use crate::narrow::PairCache;
use crate::pose::Pose;
use crate::shape::Shape;

/// What a pair of parts of compounds keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartCache {
    parts: [u32; 2],
    cache: PairCache,
    is_used: bool,
}

impl Rich {
    /// Each part of one collider against each of the other whose boxes overlap.
    pub(super) fn update_parts(
        &mut self,
        colliders: [&Collider; 2],
        slots: [u32; 2],
        margin: f32,
        bodies: &Bodies,
        room: &mut Room,
    ) {
        self.parts.iter_mut().for_each(|part| part.is_used = false);
        room.boxes.clear();
        for_each_part(colliders[1], |part, shape, pose| {
            room.boxes.push((part, Aabb::around_shape_at(shape, &pose).enlarged(margin), pose));
        });
        for_each_part(colliders[0], |part_a, shape_a, pose_a| {
            let bounds = Aabb::around_shape_at(shape_a, &pose_a);
            for &(part_b, _, pose_b) in room.boxes.iter().filter(|(_, other, _)| bounds.overlaps(other)) {
                let Some(shape_b) = part_of(&colliders[1].shape, part_b) else { continue };
                let place = self.parts.iter().position(|known| known.parts == [part_a, part_b]).unwrap_or_else(|| {
                    let parts = [part_a, part_b];
                    self.parts.push(PartCache { parts, cache: PairCache::pushing(KEPT_SHARE), is_used: true });
                    self.parts.len() - 1
                });
                self.parts[place].is_used = true;
                let pair = ConvexPair {
                    a: ConvexPart { body: colliders[0].body, collider: slots[0], part: part_a },
                    b: ConvexPart { body: colliders[1].body, collider: slots[1], part: part_b },
                };
                let sides = [(shape_a, &pose_a), (shape_b, &pose_b)];
                let keeps = (&mut self.parts[place].cache, None, &mut room.contacts);
                if let Err(error) = collide(&pair, sides, margin, (bodies, keeps), &mut self.manifolds) {
                    room.faults.push((pair, error));
                }
            }
        });
        self.parts.retain(|part| part.is_used);
    }
}

/// The parts of a collider with their poses in the world: those of a compound, or the shape itself.
fn for_each_part<'a>(collider: &'a Collider, mut visit: impl FnMut(u32, &'a Shape, Pose)) {
    match &collider.shape {
        Shape::Compound(compound) => {
            for (index, child) in (0u32..).zip(compound.parts()) {
                visit(index, &child.shape, collider.pose.compose(&child.pose));
            }
        }
        shape => visit(0, shape, collider.pose),
    }
}

fn part_of(shape: &Shape, part: u32) -> Option<&Shape> {
    match shape {
        Shape::Compound(compound) => compound.parts().get(part as usize).map(|part| &part.shape),
        shape => Some(shape),
    }
}
