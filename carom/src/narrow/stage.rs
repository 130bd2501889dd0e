//! The stage of the narrow phase: from pairs of convex parts in the world to manifolds in its axes.

use super::mesh::{self, ContactBuffer, Relative};
use super::{Feature, LocalManifold, MAX_POINTS, contact_in};
use crate::body::Bodies;
use crate::distance::placement::Placement;
use crate::mid::{self, ConvexPair};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::Vec3;

/// One point of contact between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contact {
    /// From the centre of mass of the first body, in the axes of the world.
    pub arm_a: Vec3,
    /// From the centre of mass of the second body, in the axes of the world.
    pub arm_b: Vec3,
    /// How far the surfaces are inside each other.
    pub depth: f32,
    /// Which feature of the first and of the second part makes the point.
    pub features: [Feature; 2],
}

/// How two convex parts of two bodies touch, in the axes of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manifold {
    /// The parts.
    pub pair: ConvexPair,
    /// From the first body to the second; of unit length.
    pub normal: Vec3,
    /// About how far the smaller part reaches from its origin.
    pub size: f32,
    contacts: [Contact; MAX_POINTS],
    count: usize,
}

impl Manifold {
    /// The points.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts[..self.count]
    }
}

/// The stage: replaces `manifolds` by the contacts of `pairs`, in their order.
pub(crate) fn collide(
    pairs: &[ConvexPair],
    bodies: &Bodies,
    contacts: &mut ContactBuffer,
    manifolds: &mut Vec<Manifold>,
) {
    manifolds.clear();
    for pair in pairs {
        let (Some(shape_a), Some(shape_b)) = (mid::shape_of(bodies, &pair.a), mid::shape_of(bodies, &pair.b)) else {
            continue;
        };
        // In the frame of the smaller part the contact is near the origin, however large the other is.
        let is_swapped = reach(shape_a) > reach(shape_b);
        let (near, far) = if is_swapped {
            ((shape_b, &pair.b), (shape_a, &pair.a))
        } else {
            ((shape_a, &pair.a), (shape_b, &pair.b))
        };
        let far_pose = beside(far.0, &far.1.pose, &near.1.pose);
        let far_in_near = Pose::b_in_a(&near.1.pose, &far_pose);
        if !far_in_near.position.is_finite() {
            // Farther apart than f32 can say: boxes that end at the greatest f32 overlap, the shapes do not.
            continue;
        }
        // In f64 from the poses themselves: a cube on a wide slab sees where the slab's far middle is to the last digit.
        let near_pose = &near.1.pose;
        let offset = far_pose.position - near_pose.position;
        let placement = || Placement::seen_from(&Placement::turned(near_pose), offset, far_pose.rotation);
        if is_surface(near.0) || is_surface(far.0) {
            let relative = Relative { pose: far_in_near, placement: placement() };
            let size = reach(near.0);
            for local in mesh::patches_of(near.0, far.0, &relative, contacts) {
                manifolds.push(in_world(pair, &local.manifold, &near.1.pose, is_swapped, size, bodies));
            }
            continue;
        }
        // The door lets in only shapes with contacts; a user's shape that answers NaN later on touches nothing.
        if let Ok(Some(local)) = contact_in(near.0, far.0, &far_in_near, placement, 0.0, None) {
            let size = reach(near.0);
            manifolds.push(in_world(pair, &local, &near.1.pose, is_swapped, size, bodies));
        }
    }
    mesh::drop_inner_seams(manifolds, bodies, contacts);
}

/// About how far a part reaches from its origin.
fn reach(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Cuboid(cuboid) => cuboid.core().half_extents().max_element() + cuboid.radius(),
        // A mesh is rarely the smaller one, and its middle tells nothing of where it is touched.
        Shape::Mesh(_) | Shape::HeightField(_) => f32::MAX,
        Shape::HalfSpace(_) => f32::INFINITY,
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Hull(_)
        | Shape::Compound(_)
        | Shape::Custom(_) => 1.0,
    }
}

/// Whether a part of a body is not convex, but a surface of triangles.
fn is_surface(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::HeightField(_))
}

/// The pose of a half-space moved along its plane to beside another part, which changes nothing but the numbers' size;
/// of any other shape its own pose.
fn beside(shape: &Shape, pose: &Pose, other: &Pose) -> Pose {
    let Shape::HalfSpace(half_space) = shape else { return *pose };
    let normal = (pose.rotation.as_dquat() * half_space.normal().as_dvec3()).normalize();
    let height = normal.dot(other.position - pose.position);
    Pose { position: other.position - normal * height, rotation: pose.rotation }
}

/// A manifold in the frame of a part at `pose`, in the axes of the world; swapped if that part is
/// the second.
fn in_world(
    pair: &ConvexPair,
    local: &LocalManifold,
    pose: &Pose,
    is_swapped: bool,
    size: f32,
    bodies: &Bodies,
) -> Manifold {
    let motions = bodies.motions();
    let [from_a, from_b] = [pair.a.body, pair.b.body].map(|body| {
        let arm = (pose.position - motions[body as usize].center).as_vec3();
        // A centre beyond the range of f32 is that of a floor; it has no lever worth the name.
        if arm.is_finite() { arm } else { Vec3::ZERO }
    });
    let mut contacts = [Contact::default(); MAX_POINTS];
    for (contact, local) in contacts.iter_mut().zip(local.contacts()) {
        let from_part = pose.rotation * local.point;
        *contact = Contact {
            arm_a: from_a + from_part,
            arm_b: from_b + from_part,
            depth: local.depth,
            features: if is_swapped { [local.features[1], local.features[0]] } else { local.features },
        };
    }
    let count = local.contacts().len();
    let normal = pose.rotation * local.normal * if is_swapped { -1.0 } else { 1.0 };
    Manifold { pair: *pair, normal, size, contacts, count }
}
