//! A sphere against a sphere or a box: by the closest point, in closed form.

use super::{LocalContact, LocalManifold};
use crate::pose::LocalPose;
use crate::shape::{Cuboid, Rounded, Sphere};
use glam::Vec3;

/// The contact of two spheres. Concentric ones part upwards, for want of a better direction.
pub(super) fn with_sphere(a: &Sphere, b: &Sphere, b_in_a: &LocalPose) -> Option<LocalManifold> {
    // In f64, where no f32 number has a square that overflows or vanishes.
    let between = b_in_a.position.as_dvec3();
    let distance = between.length();
    let depth = (f64::from(a.radius()) + f64::from(b.radius()) - distance) as f32;
    if depth < 0.0 {
        return None;
    }
    let normal = if distance > 0.0 { (between / distance).as_vec3() } else { Vec3::Y };
    let point = normal * (a.radius() - 0.5 * depth);
    Some(LocalManifold::of_one(normal, LocalContact { point, depth, feature: 0 }))
}

/// The contact of a sphere and a box, sharp or rounded.
pub(super) fn with_cuboid(a: &Sphere, b: &Rounded<Cuboid>, b_in_a: &LocalPose) -> Option<LocalManifold> {
    let half = b.core().half_extents();
    let center_in_b = b_in_a.point_to_inner(Vec3::ZERO);
    let closest = center_in_b.clamp(-half, half);
    let to_center = (center_in_b - closest).as_dvec3();
    let distance = to_center.length();
    // `outward` is the box's normal at the contact, `surface` the signed distance of the centre along it.
    let (outward, surface) = if distance > 0.0 {
        ((to_center / distance).as_vec3(), distance)
    } else {
        let to_faces = half - center_in_b.abs();
        let axis = if to_faces.x <= to_faces.y && to_faces.x <= to_faces.z {
            Vec3::X
        } else if to_faces.y <= to_faces.z {
            Vec3::Y
        } else {
            Vec3::Z
        };
        (axis * center_in_b.dot(axis).signum(), -f64::from(to_faces.dot(axis)))
    };
    let depth = (f64::from(a.radius()) + f64::from(b.radius()) - surface) as f32;
    if depth < 0.0 {
        return None;
    }
    let normal = -b_in_a.direction_to_outer(outward);
    let point = normal * (a.radius() - 0.5 * depth);
    Some(LocalManifold::of_one(normal, LocalContact { point, depth, feature: 0 }))
}
