//! Narrow phase: where two convex parts touch, how deep and along which normal.
//!
//! Everything is computed in the frame of the first part, so precision does not depend on where in the world they are.

mod cuboid_cuboid;
mod half_space;
mod sphere;

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
        let b_in_a = Pose::b_in_a(&pair.a.pose, &pair.b.pose);
        let contact = contact(shape_a, shape_b, &b_in_a);
        debug_assert!(contact.is_ok(), "the door lets in only shapes with contacts: {contact:?}");
        if let Ok(Some(local)) = contact {
            manifolds.push(in_world(pair, &local, bodies));
        }
    }
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
    let has_test = |shape: &Shape| !matches!(shape, Shape::Compound(_)) && without_contacts(shape).is_none();
    if !(has_test(a) && has_test(b)) {
        return Err(NoContactTest { a: a.kind(), b: b.kind() });
    }
    Ok(contact_of(a, b, b_in_a))
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

/// See [`contact`], which keeps away the pairs that have no test yet.
fn contact_of(a: &Shape, b: &Shape, b_in_a: &LocalPose) -> Option<LocalManifold> {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => sphere::with_sphere(a, b, b_in_a),
        (Shape::Sphere(a), Shape::Cuboid(b)) => sphere::with_cuboid(a, b, b_in_a),
        (Shape::Sphere(a), Shape::HalfSpace(b)) => mirrored(b_in_a, |a_in_b| half_space::with_sphere(b, a, a_in_b)),
        (Shape::Cuboid(a), Shape::Sphere(b)) => mirrored(b_in_a, |a_in_b| sphere::with_cuboid(b, a, a_in_b)),
        (Shape::Cuboid(a), Shape::Cuboid(b)) => cuboid_cuboid::contact(a.core(), b.core(), b_in_a),
        (Shape::Cuboid(a), Shape::HalfSpace(b)) => mirrored(b_in_a, |a_in_b| half_space::with_cuboid(b, a, a_in_b)),
        (Shape::HalfSpace(a), Shape::Sphere(b)) => half_space::with_sphere(a, b, b_in_a),
        (Shape::HalfSpace(a), Shape::Cuboid(b)) => half_space::with_cuboid(a, b, b_in_a),
        // Neither has a mass, so no force could part them.
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => None,
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
        ) => None,
    }
}

/// The first kind in a shape for which there is no contact test yet; the parts of a compound are asked one by one.
pub(crate) fn without_contacts(shape: &Shape) -> Option<ShapeKind> {
    match shape {
        Shape::Sphere(_) | Shape::HalfSpace(_) => None,
        Shape::Cuboid(cuboid) => (cuboid.radius() > 0.0).then_some(ShapeKind::Cuboid),
        Shape::Compound(compound) => compound.parts().iter().find_map(|part| without_contacts(&part.shape)),
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
        | Shape::Custom(_) => Some(shape.kind()),
    }
}

/// The answer of the mirror pair, turned round.
fn mirrored(b_in_a: &LocalPose, contact: impl FnOnce(&LocalPose) -> Option<LocalManifold>) -> Option<LocalManifold> {
    let a_in_b = b_in_a.inverse();
    contact(&a_in_b).map(|manifold| manifold.flipped(&a_in_b))
}

fn in_world(pair: &ConvexPair, local: &LocalManifold, bodies: &Bodies) -> Manifold {
    let motions = bodies.motions();
    let (center_a, center_b) = (motions[pair.a.body as usize].center, motions[pair.b.body as usize].center);
    let rotation = pair.a.pose.rotation;
    let part_from_center_a = (pair.a.pose.position - center_a).as_vec3();
    let part_from_center_b = (pair.a.pose.position - center_b).as_vec3();
    let mut contacts = [Contact::default(); MAX_POINTS];
    for (contact, local) in contacts.iter_mut().zip(local.contacts()) {
        let from_part = rotation * local.point;
        *contact = Contact {
            arm_a: part_from_center_a + from_part,
            arm_b: part_from_center_b + from_part,
            depth: local.depth,
            feature: local.feature,
        };
    }
    Manifold { pair: *pair, normal: rotation * local.normal, contacts, count: local.count }
}
