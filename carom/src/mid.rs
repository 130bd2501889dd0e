//! Mid phase: the convex parts of colliders, by index. Compounds are taken apart where their boxes overlap; a mesh or a
//! height field is one part here: the narrow phase takes the triangles that it needs out of it.

use crate::body::Bodies;
use crate::pose::Pose;
use crate::shape::Shape;

/// Two convex parts that may touch, in the order of their colliders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvexPair {
    /// The first part.
    pub a: ConvexPart,
    /// The second part.
    pub b: ConvexPart,
}

/// A convex shape, a mesh or a height field on a body, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvexPart {
    /// The dense index of the body.
    pub body: u32,
    /// The slot of the collider.
    pub collider: u32,
    /// Which part of a compound; 0 for a shape that is its own only part.
    pub part: u32,
}

/// The shape of a part, and where it is in the world.
pub(crate) fn part_of<'a>(bodies: &'a Bodies, part: &ConvexPart) -> Option<(&'a Shape, Pose)> {
    let collider = bodies.collider(part.collider)?;
    match &collider.shape {
        Shape::Compound(compound) => {
            let child = compound.parts().get(part.part as usize)?;
            Some((&child.shape, collider.pose.compose(&child.pose)))
        }
        shape => Some((shape, collider.pose)),
    }
}
