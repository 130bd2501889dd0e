//! Narrow phase: where two convex parts touch, how deep and along which normal.
//!
//! Everything is computed in the frame of the smaller part, so precision does not depend on where in the world they
//! are, nor on how large the other is.

mod cuboid_cuboid;
mod half_space;
mod sphere;
pub mod triangle_triangle;

use crate::body::Bodies;
use crate::mid::{self, ConvexPair};
use crate::pose::{LocalPose, Pose};
use crate::shape::{Shape, ShapeKind};
use glam::Vec3;

/// The most points that one manifold has.
pub const MAX_POINTS: usize = 4;

/// One point of contact between two parts, in the frame of the first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LocalContact {
    /// Half way between the two surfaces.
    pub point: Vec3,
    /// How far the surfaces are inside each other along the normal; not negative.
    pub depth: f32,
    /// Which features of both make the point: the same while the contact is the same.
    pub feature: u32,
}

/// How two convex parts touch, in the frame of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalManifold {
    /// The direction in which the second part must move to get free; of unit length.
    pub normal: Vec3,
    contacts: [LocalContact; MAX_POINTS],
    count: usize,
}

impl LocalManifold {
    /// A manifold of one point.
    pub(crate) fn of_one(normal: Vec3, contact: LocalContact) -> Self {
        let mut manifold = Self::empty(normal);
        manifold.push(contact);
        manifold
    }

    /// A manifold without points yet.
    pub(crate) fn empty(normal: Vec3) -> Self {
        Self { normal, contacts: [LocalContact::default(); MAX_POINTS], count: 0 }
    }

    /// One point more, while there is room.
    pub(crate) fn push(&mut self, contact: LocalContact) {
        if let Some(place) = self.contacts.get_mut(self.count) {
            *place = contact;
            self.count += 1;
        }
    }

    /// The points.
    pub fn contacts(&self) -> &[LocalContact] {
        &self.contacts[..self.count]
    }

    /// The same contact in the frame of the second part, which then counts as the first.
    pub(crate) fn flipped(mut self, b_in_a: &LocalPose) -> Self {
        self.normal = -b_in_a.direction_to_inner(self.normal);
        for contact in &mut self.contacts[..self.count] {
            contact.point = b_in_a.point_to_inner(contact.point);
        }
        self
    }
}

/// One point of contact between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contact {
    /// From the centre of mass of the first body, in the axes of the world.
    pub arm_a: Vec3,
    /// From the centre of mass of the second body, in the axes of the world.
    pub arm_b: Vec3,
    /// How far the surfaces are inside each other.
    pub depth: f32,
    /// Which features of both make the point.
    pub feature: u32,
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
pub(crate) fn collide(pairs: &[ConvexPair], bodies: &Bodies, manifolds: &mut Vec<Manifold>) {
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
        let contact = contact(near.0, far.0, &far_in_near);
        debug_assert!(contact.is_ok(), "the door lets in only shapes with contacts: {contact:?}");
        if let Ok(Some(local)) = contact {
            let size = reach(near.0);
            manifolds.push(in_world(pair, &local, &near.1.pose, if is_swapped { -1.0 } else { 1.0 }, size, bodies));
        }
    }
}

/// About how far a part reaches from its origin.
fn reach(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Cuboid(cuboid) => cuboid.core().half_extents().max_element() + cuboid.radius(),
        Shape::HalfSpace(_) => f32::INFINITY,
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Hull(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_)
        | Shape::Custom(_) => 1.0,
    }
}

/// The pose of a half-space moved along its plane to beside another part, which changes nothing but the numbers' size;
/// of any other shape its own pose.
fn beside(shape: &Shape, pose: &Pose, other: &Pose) -> Pose {
    let Shape::HalfSpace(half_space) = shape else { return *pose };
    let normal = (pose.rotation.as_dquat() * half_space.normal().as_dvec3()).normalize();
    let height = normal.dot(other.position - pose.position);
    Pose { position: other.position - normal * height, rotation: pose.rotation }
}

/// The contact of two convex parts, none if they are apart, or an error if the pair has no contact test yet. The
/// pose of the second is seen from the first.
///
/// This is the one place that lists every pair of shapes.
///
/// ```
/// use carom::prelude::*;
///
/// let (ball, floor) = (Shape::sphere(1.0)?, Shape::half_space([0.0, 1.0, 0.0])?);
/// let ball_in_floor = LocalPose::at([3.0, 0.75, 0.0]);
/// let manifold = carom::narrow::contact(&floor, &ball, &ball_in_floor)?.expect("they touch");
/// assert_eq!(manifold.normal, Vec3::Y);
/// assert_eq!(manifold.contacts()[0].depth, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact(a: &Shape, b: &Shape, b_in_a: &LocalPose) -> Result<Option<LocalManifold>, NoContactTest> {
    let none = Err(NoContactTest { a: a.kind(), b: b.kind() });
    Ok(match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => sphere::with_sphere(a, b, b_in_a),
        (Shape::Sphere(a), Shape::Cuboid(b)) => sphere::with_cuboid(a, b, b_in_a),
        (Shape::Sphere(a), Shape::HalfSpace(b)) => mirrored(b_in_a, |a_in_b| half_space::with_sphere(b, a, a_in_b)),
        (Shape::Cuboid(a), Shape::Sphere(b)) => mirrored(b_in_a, |a_in_b| sphere::with_cuboid(b, a, a_in_b)),
        (Shape::Cuboid(a), Shape::Cuboid(b)) if a.radius() > 0.0 || b.radius() > 0.0 => return none,
        (Shape::Cuboid(a), Shape::Cuboid(b)) => cuboid_cuboid::contact(a.core(), b.core(), b_in_a),
        (Shape::Cuboid(a), Shape::HalfSpace(b)) => mirrored(b_in_a, |a_in_b| half_space::with_cuboid(b, a, a_in_b)),
        (Shape::HalfSpace(a), Shape::Sphere(b)) => half_space::with_sphere(a, b, b_in_a),
        (Shape::HalfSpace(a), Shape::Cuboid(b)) => half_space::with_cuboid(a, b, b_in_a),
        // Two half-spaces overlap without end: there is no point to push at.
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => return none,
        (
            Shape::Sphere(_) | Shape::Cuboid(_) | Shape::HalfSpace(_),
            Shape::Point(_)
            | Shape::Segment(_)
            | Shape::Triangle(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Hull(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_)
            | Shape::Custom(_),
        )
        | (
            Shape::Point(_)
            | Shape::Segment(_)
            | Shape::Triangle(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Hull(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_)
            | Shape::Custom(_),
            Shape::Point(_)
            | Shape::Segment(_)
            | Shape::Triangle(_)
            | Shape::Sphere(_)
            | Shape::Cuboid(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Hull(_)
            | Shape::HalfSpace(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_)
            | Shape::Custom(_),
        ) => return none,
    })
}

/// No contacts are computed for this pair of shapes yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no contacts are computed between a {a} and a {b} yet")]
pub struct NoContactTest {
    /// The first shape.
    pub a: ShapeKind,
    /// The second shape.
    pub b: ShapeKind,
}

/// The first kind in a shape that has no contacts with every sharp shape that the world knows; the parts of a compound
/// are asked one by one.
pub(crate) fn without_contacts(shape: &Shape) -> Option<ShapeKind> {
    if let Shape::Compound(compound) = shape {
        return compound.parts().iter().find_map(|part| without_contacts(&part.shape));
    }
    let probes = [Shape::sphere(1.0), Shape::cuboid(1.0, 1.0, 1.0)];
    let has_contacts = |probe: &Shape| contact(shape, probe, &LocalPose::IDENTITY).is_ok();
    (!probes.iter().flatten().all(has_contacts)).then(|| shape.kind())
}

/// The answer of the mirror pair, turned round.
fn mirrored(b_in_a: &LocalPose, contact: impl FnOnce(&LocalPose) -> Option<LocalManifold>) -> Option<LocalManifold> {
    let a_in_b = b_in_a.inverse();
    contact(&a_in_b).map(|manifold| manifold.flipped(&a_in_b))
}

/// A manifold in the frame of a part at `pose`, in the axes of the world; `sign` is -1 if that part is the second.
fn in_world(pair: &ConvexPair, local: &LocalManifold, pose: &Pose, sign: f32, size: f32, bodies: &Bodies) -> Manifold {
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
            feature: local.feature,
        };
    }
    Manifold { pair: *pair, normal: pose.rotation * local.normal * sign, size, contacts, count: local.count }
}
