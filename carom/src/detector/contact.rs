//! Contacts of two objects in the world: the one place where a detector asks the narrow phase.

use super::Object;
use crate::bounds::Aabb;
use crate::narrow::{self, ContactBuffer, ContactError, Feature, MAX_POINTS, PartIndex, PartManifold};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DVec3, Vec3};

/// How a part of one object and a part of another touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldManifold {
    /// Which part of the first and of the second object.
    pub parts: [PartIndex; 2],
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

/// Calls `visit` with each patch of contact of two objects that are at most `margin` apart. In the frame of the smaller one
/// the contact is near the origin, however large the other is.
pub(super) fn between(
    a: &Object,
    b: &Object,
    margin: f32,
    buffer: &mut ContactBuffer,
    mut visit: impl FnMut(&WorldManifold),
) -> Result<(), ContactError> {
    let size = |object: &Object| Aabb::around_shape_at(object.shape(), object.pose()).half_extents().max_element();
    let is_swapped = size(b) < size(a);
    let (near, far) = if is_swapped { (b, a) } else { (a, b) };
    let far_pose = beside(far.shape(), far.pose(), near.pose());
    narrow::contacts(near.shape(), far.shape(), &Pose::b_in_a(near.pose(), &far_pose), margin, buffer)?;
    for patch in buffer.manifolds() {
        visit(&in_world(patch, near.pose(), is_swapped));
    }
    Ok(())
}

/// A patch in the frame of the first of two objects, or of the second if these are swapped, in the world.
fn in_world(patch: &PartManifold, frame: &Pose, is_swapped: bool) -> WorldManifold {
    let in_order = |[one, other]: [Feature; 2]| if is_swapped { [other, one] } else { [one, other] };
    let normal = frame.rotation * patch.manifold.normal;
    let [one, other] = patch.parts;
    let found = patch.manifold.contacts();
    let mut manifold = WorldManifold {
        parts: if is_swapped { [other, one] } else { [one, other] },
        normal: if is_swapped { -normal } else { normal },
        points: [TouchPoint::default(); MAX_POINTS],
        count: found.len().min(MAX_POINTS),
    };
    for (point, contact) in manifold.points.iter_mut().zip(found) {
        *point = TouchPoint {
            point: frame.point_to_world(contact.point),
            depth: contact.depth,
            features: in_order(contact.features),
        };
    }
    manifold.points[..manifold.count].sort_unstable_by_key(|point| point.features);
    manifold
}

/// The pose of a half-space slid along its plane to beside the other, which keeps the digits; any other pose as it is.
fn beside(shape: &Shape, pose: &Pose, other: &Pose) -> Pose {
    let Shape::HalfSpace(half_space) = shape else { return *pose };
    let normal = pose.rotation.as_dquat().normalize() * half_space.normal().as_dvec3().normalize();
    let height = normal.dot(other.position - pose.position);
    Pose { position: other.position - height * normal, ..*pose }
}
