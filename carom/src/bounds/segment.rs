//! Closest points of segments, in f64.

use glam::DVec3;

/// The part of the way from `a` to `b` at which the segment is closest to `point`.
pub(super) fn closest_fraction(a: DVec3, b: DVec3, point: DVec3) -> f64 {
    let along = b - a;
    let squared = along.length_squared();
    if squared > 0.0 { (along.dot(point - a) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// The distance of `point` from the segment between `a` and `b`.
pub(super) fn distance_to_segment(a: DVec3, b: DVec3, point: DVec3) -> f64 {
    (a + (b - a) * closest_fraction(a, b, point)).distance(point)
}

/// From the closest point of the first segment to the closest point of the second. Where they are almost parallel it
/// may run between two points that are not quite the closest.
///
/// After Ericson, "Real-Time Collision Detection", 2005, section 5.1.9, with the determinant from the cross product,
/// whose relative error is that of the sine of the angle and not of its square.
pub(super) fn shortest_connection([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> DVec3 {
    let (u, v, w) = (b - a, d - c, a - c);
    let determinant = u.cross(v).length_squared();
    let on_first = if determinant > 0.0 {
        ((u.dot(v) * v.dot(w) - u.dot(w) * v.length_squared()) / determinant).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let on_second = closest_fraction(c, d, a + u * on_first);
    let point = c + v * on_second;
    point - (a + u * closest_fraction(a, b, point))
}
