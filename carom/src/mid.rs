//! Mid phase: from pairs of colliders to pairs of convex parts. Compounds are taken apart; what cannot push anything
//! (two bodies that contacts do not move, two shapes of one body) is dropped. A mesh or a height field is one part here:
//! the narrow phase takes the triangles that it needs out of it.

use crate::body::Bodies;
use crate::bounds::{Aabb, BoundingVolume};
use crate::broad::Pair;
use crate::pose::Pose;
use crate::shape::Shape;

/// Two convex parts that may touch, in the order of their colliders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvexPair {
    /// The first part.
    pub a: ConvexPart,
    /// The second part.
    pub b: ConvexPart,
}

/// A convex shape, a mesh or a height field on a body, by index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvexPart {
    /// The dense index of the body.
    pub body: u32,
    /// The slot of the collider.
    pub collider: u32,
    /// Which part of a compound; 0 for a shape that is its own only part.
    pub part: u32,
    /// Where the part is, in the world.
    pub pose: Pose,
}

/// The boxes of the second collider's parts; kept to spare allocations.
pub(crate) type Scratch = Vec<(ConvexPart, Aabb)>;

/// The stage: replaces `convex_pairs` by the parts of `pairs` whose boxes overlap.
pub(crate) fn expand(pairs: &[Pair], bodies: &Bodies, scratch: &mut Scratch, convex_pairs: &mut Vec<ConvexPair>) {
    convex_pairs.clear();
    for pair in pairs {
        let (Some(collider_a), Some(collider_b)) = (bodies.collider(pair.a), bodies.collider(pair.b)) else {
            continue;
        };
        let (body_a, body_b) = (collider_a.body, collider_b.body);
        let moves = |body: u32| bodies.motions()[body as usize].is_movable();
        let left_out = bodies.is_set_aside(body_a) || bodies.is_set_aside(body_b);
        if body_a == body_b || left_out || !(moves(body_a) || moves(body_b)) {
            continue;
        }
        scratch.clear();
        for_each_part(bodies, pair.b, |b, shape| scratch.push((b, Aabb::around_shape_at(shape, &b.pose))));
        for_each_part(bodies, pair.a, |a, shape| {
            let bounds = Aabb::around_shape_at(shape, &a.pose);
            let touching = scratch.iter().filter(|(_, other)| bounds.overlaps(other));
            convex_pairs.extend(touching.map(|&(b, _)| ConvexPair { a, b }));
        });
    }
}

/// The shape of a part.
pub(crate) fn shape_of<'a>(bodies: &'a Bodies, part: &ConvexPart) -> Option<&'a Shape> {
    match &bodies.collider(part.collider)?.shape {
        Shape::Compound(compound) => compound.parts().get(part.part as usize).map(|part| &part.shape),
        shape => Some(shape),
    }
}

fn for_each_part<'a>(bodies: &'a Bodies, slot: u32, mut visit: impl FnMut(ConvexPart, &'a Shape)) {
    let Some(collider) = bodies.collider(slot) else { return };
    let pose = bodies.pose(collider.body).compose(&collider.pose_in_body);
    let part = |part: usize, pose: Pose| ConvexPart { body: collider.body, collider: slot, part: part as u32, pose };
    match &collider.shape {
        Shape::Compound(compound) => {
            for (index, child) in compound.parts().iter().enumerate() {
                visit(part(index, pose.compose(&child.pose)), &child.shape);
            }
        }
        shape => visit(part(0, pose), shape),
    }
}
