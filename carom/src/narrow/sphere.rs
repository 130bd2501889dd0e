//! Balls and points against each other, against capsules and segments, and against boxes: by the closest point, in
//! closed form. In f64, where no f32 number has a square that overflows or vanishes.

use super::{Feature, LocalContact, LocalManifold};
use crate::pose::LocalPose;
use glam::{DVec3, Vec3};
use std::ops::RangeInclusive;

/// Lengths of which f32 has all digits, and of one over them as well.
const IN_F32: RangeInclusive<f64> = 1e-30..=1e30;

/// The contact of two balls. Concentric ones part upwards, for want of a better direction.
#[inline(always)]
pub(super) fn with_ball(radii: [f32; 2], b_in_a: &LocalPose, margin: f32) -> Option<LocalManifold> {
    let found = touch(b_in_a.position.as_dvec3(), radii, Feature::SURFACE, margin);
    // Not by `map`: the manifold is written once, to where it is wanted.
    let (normal, contact) = found?;
    Some(LocalManifold::of_one(normal, contact))
}

/// The contact of a ball and the capsule around the segment `ends`.
pub(super) fn with_capsule(
    radius: f32,
    (ends, capsule_radius): ([Vec3; 2], f32),
    b_in_a: &LocalPose,
    margin: f32,
) -> Option<LocalManifold> {
    let [from, to] = ends.map(|end| b_in_a.point_to_outer(end).as_dvec3());
    let along = to - from;
    let length_squared = along.length_squared();
    // No length, or none left so far away: either end will do.
    let share = if length_squared > 0.0 { (-from.dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    let closest = from + along * share;
    let radii = [radius, capsule_radius];
    if closest == DVec3::ZERO {
        // The centre is on the axis: any way across it is the shortest.
        let (across, _) = along.normalize_or(DVec3::Y).any_orthonormal_pair();
        return manifold(contact(across.as_vec3(), 0.0, radii, Feature::edge(0), margin));
    }
    let feature = if share == 0.0 {
        Feature::vertex(0)
    } else if share == 1.0 {
        Feature::vertex(1)
    } else {
        Feature::edge(0)
    };
    manifold(touch(closest, radii, feature, margin))
}

/// The contact of a ball and a box, sharp or rounded.
pub(super) fn with_cuboid(
    radius: f32,
    (half, box_radius): (Vec3, f32),
    b_in_a: &LocalPose,
    margin: f32,
) -> Option<LocalManifold> {
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
    let normal = -b_in_a.direction_to_outer(outward);
    manifold(contact(normal, surface, [radius, box_radius], Feature::SURFACE, margin))
}

fn manifold(touch: Option<(Vec3, LocalContact)>) -> Option<LocalManifold> {
    touch.map(|(normal, contact)| LocalManifold::of_one(normal, contact))
}

/// The normal and the contact of a ball around the origin and one around `between`.
#[inline(always)]
fn touch(between: DVec3, radii: [f32; 2], feature: Feature, margin: f32) -> Option<(Vec3, LocalContact)> {
    let square = between.length_squared();
    let reach = f64::from(radii[0]) + f64::from(radii[1]) + f64::from(margin);
    if square > reach * reach {
        return None;
    }
    let distance = square.sqrt();
    let normal = if IN_F32.contains(&distance) {
        // One over the distance, by a division that need not wait for the root.
        between.as_vec3() * (distance * (1.0 / square)) as f32
    } else if distance > 0.0 {
        (between / distance).as_vec3()
    } else {
        Vec3::Y
    };
    contact(normal, distance, radii, feature, margin)
}

/// The contact of a ball around the origin whose centre is `distance` from the other's core.
#[inline(always)]
fn contact(
    normal: Vec3,
    distance: f64,
    radii: [f32; 2],
    feature: Feature,
    margin: f32,
) -> Option<(Vec3, LocalContact)> {
    let depth = (f64::from(radii[0]) + f64::from(radii[1]) - distance) as f32;
    if depth < -margin {
        return None;
    }
    let point = normal * (radii[0] - 0.5 * depth);
    Some((normal, LocalContact { point, depth, features: [Feature::SURFACE, feature] }))
}
