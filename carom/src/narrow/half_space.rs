//! A half-space against a sphere or a box: what of the other lies below the plane.

use super::{LocalContact, LocalManifold, MAX_POINTS};
use crate::pose::LocalPose;
use crate::shape::{Cuboid, HalfSpace, Rounded, Sphere};

/// The contact of a half-space and a sphere.
pub(super) fn with_sphere(a: &HalfSpace, b: &Sphere, b_in_a: &LocalPose) -> Option<LocalManifold> {
    let normal = a.normal();
    let depth = b.radius() - normal.dot(b_in_a.position);
    if depth < 0.0 {
        return None;
    }
    let point = b_in_a.position - normal * (b.radius() - 0.5 * depth);
    Some(LocalManifold::of_one(normal, LocalContact { point, depth, feature: 0 }))
}

/// The contact of a half-space and a box, sharp or rounded: its deepest corners, at most four. The deepest four of a
/// box that is at most half sunk are the corners of its lowest face, or of its lowest edge and the two next to it.
pub(super) fn with_cuboid(a: &HalfSpace, b: &Rounded<Cuboid>, b_in_a: &LocalPose) -> Option<LocalManifold> {
    let normal = a.normal();
    let mut corners = [LocalContact::default(); 8];
    for (feature, (contact, corner)) in corners.iter_mut().zip(b.core().corners()).enumerate() {
        let corner = b_in_a.point_to_outer(corner);
        let depth = b.radius() - normal.dot(corner);
        *contact = LocalContact { point: corner - normal * (b.radius() - 0.5 * depth), depth, feature: feature as u32 };
    }
    // Stable, so equally deep corners stay in the order of their features.
    corners.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    let mut touching = corners.iter().take(MAX_POINTS).filter(|contact| contact.depth >= 0.0).peekable();
    touching.peek()?;
    let mut manifold = LocalManifold::empty(normal);
    touching.for_each(|contact| manifold.push(*contact));
    Some(manifold)
}
