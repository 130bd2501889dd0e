//! Contacts of two objects in the world: the one place where a detector asks the narrow phase.

use super::Object;
use crate::bounds::{Aabb, BoundingVolume};
use crate::narrow::{self, ContactError, Feature, MAX_POINTS};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DVec3, Vec3};

/// How a part of one object and a part of another touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldManifold {
    /// Which part of the first and of the second object; 0 for a shape that is its own only part.
    pub parts: [u32; 2],
    /// The direction in which the second object must move to get free, in the world; of unit length.
    pub normal: Vec3,
    points: [TouchPoint; MAX_POINTS],
    count: usize,
}

/// One point of contact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TouchPoint {
    /// Half way between the two surfaces, in the world.
    pub point: DVec3,
    /// How far the surfaces are inside each other along the normal; negative if they are apart, by at most the margin.
    pub depth: f32,
    /// Which feature of the first and of the second part makes the point: the same while the contact is the same.
    pub features: [Feature; 2],
}

impl WorldManifold {
    /// The points, in the order of their features.
    pub fn points(&self) -> &[TouchPoint] {
        &self.points[..self.count]
    }
}

/// Calls `visit` with each contact of two objects that are at most `margin` apart; goes on after a pair of parts that
/// has none, and ends with the first error.
pub(super) fn between(
    a: &Object,
    b: &Object,
    margin: f32,
    mut visit: impl FnMut(&WorldManifold),
) -> Result<(), ContactError> {
    let mut outcome = Ok(());
    for_each_part(a.shape(), a.pose(), |part_a, shape_a, pose_a| {
        let bounds = Aabb::around_shape_at(shape_a, pose_a).enlarged(margin);
        for_each_part(b.shape(), b.pose(), |part_b, shape_b, pose_b| {
            if bounds.overlaps(&Aabb::around_shape_at(shape_b, pose_b)) {
                match of_parts((shape_a, pose_a), (shape_b, pose_b), margin) {
                    Ok(Some(manifold)) => visit(&WorldManifold { parts: [part_a, part_b], ..manifold }),
                    Ok(None) => {}
                    Err(error) => outcome = outcome.and(Err(error)),
                }
            }
        });
    });
    outcome
}

fn for_each_part(shape: &Shape, pose: &Pose, mut visit: impl FnMut(u32, &Shape, &Pose)) {
    if let Shape::Compound(compound) = shape {
        for (index, part) in (0u32..).zip(compound.parts()) {
            visit(index, &part.shape, &pose.compose(&part.pose));
        }
    } else {
        visit(0, shape, pose);
    }
}

/// In the frame of the smaller part the contact is near the origin, however large the other is.
fn of_parts(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f32) -> Result<Option<WorldManifold>, ContactError> {
    let size = |(shape, pose): (&Shape, &Pose)| Aabb::around_shape_at(shape, pose).half_extents().max_element();
    let is_swapped = size(b) < size(a);
    let (near, far) = if is_swapped { (b, a) } else { (a, b) };
    let far_pose = beside(far.0, far.1, near.1);
    let far_in_near = Pose::b_in_a(near.1, &far_pose);
    let Some(found) = narrow::contact(near.0, far.0, &far_in_near, margin)? else { return Ok(None) };
    let normal = near.1.rotation * found.normal;
    let mut manifold = WorldManifold {
        parts: [0; 2],
        normal: if is_swapped { -normal } else { normal },
        points: [TouchPoint::default(); MAX_POINTS],
        count: found.contacts().len().min(MAX_POINTS),
    };
    for (point, contact) in manifold.points.iter_mut().zip(found.contacts()) {
        let [one, other] = contact.features;
        *point = TouchPoint {
            point: near.1.point_to_world(contact.point),
            depth: contact.depth,
            features: if is_swapped { [other, one] } else { [one, other] },
        };
    }
    manifold.points[..manifold.count].sort_unstable_by_key(|point| point.features);
    Ok(Some(manifold))
}

/// The pose of a half-space slid along its plane to beside the other, which keeps the digits; any other pose as it is.
fn beside(shape: &Shape, pose: &Pose, other: &Pose) -> Pose {
    let Shape::HalfSpace(half_space) = shape else { return *pose };
    let normal = pose.rotation.as_dquat().normalize() * half_space.normal().as_dvec3().normalize();
    let height = normal.dot(other.position - pose.position);
    Pose { position: other.position - height * normal, ..*pose }
}
