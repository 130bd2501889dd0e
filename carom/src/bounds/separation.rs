//! Whether two convex sets, known by their support maps, can be proven apart.
//!
//! Walks towards the point of the difference A − B that is closest to the origin: keeps a simplex of at most four
//! differences of support points, takes its closest point `v` and asks for the support along `−v`. If the whole
//! difference lies beyond a plane across `v`, the sets are apart, and that plane proves it. Stops with "not proven" if
//! the simplex holds the origin, if the closest point no longer comes closer, or after 64 rounds: the answer errs only
//! towards overlap, and only for gaps near the rounding of f64; the distance it then gives is never too small. A few rounds of some 0.2 µs each.
//! Source: Gilbert, Johnson and Keerthi, 1988, doi:10.1109/56.2083. Departs from it in the sub-distance step, which
//! tries every face of the simplex and keeps the closest point that lies within its face, without cofactor tests.

use super::rounding::ROUNDING;
use glam::DVec3;

/// What the search found.
pub(super) enum Separation {
    /// A plane between the two has a gap greater than asked for.
    Apart,
    /// No such plane was found; two points of the sets are this close.
    Within(f64),
}

/// Searches for a plane that keeps A and B more than `gap` apart. The maps give the farthest point along a direction of
/// any length; `start` leads from the middle of B to that of A, and the maps answer relative to one of the two.
pub(super) fn separate(
    support_a: impl Fn(DVec3) -> DVec3,
    support_b: impl Fn(DVec3) -> DVec3,
    start: DVec3,
    gap: f64,
) -> Separation {
    let mut simplex = [DVec3::ZERO; 4];
    let mut count = 0;
    let mut closest = if start == DVec3::ZERO { DVec3::X } else { start };
    let mut least = f64::INFINITY;
    let mut rounding = 0.0_f64;
    for _round in 0..64 {
        let (a, b) = (support_a(-closest), support_b(closest));
        let difference = a - b;
        // Support points near the origin may be small differences of large terms: centre and offset.
        let slack = ROUNDING * (a.length() + b.length() + start.length());
        rounding = rounding.max(slack);
        if closest.dot(difference) > (gap + slack) * closest.length() {
            return Separation::Apart;
        }
        simplex[count] = difference;
        count += 1;
        let Some((point, kept)) = closest_in_simplex(&simplex[..count]) else { break };
        let squared = point.length_squared();
        if squared >= least {
            break;
        }
        least = squared;
        if kept == 0b1111 || squared <= slack * slack {
            break;
        }
        closest = point;
        let all = simplex;
        count = 0;
        for (index, corner) in all.iter().enumerate() {
            if kept >> index & 1 == 1 {
                simplex[count] = *corner;
                count += 1;
            }
        }
    }
    Separation::Within(least.sqrt() + rounding)
}

/// The point of a simplex that is closest to the origin, and the corners of the face in whose inside it lies, as bits.
fn closest_in_simplex(simplex: &[DVec3]) -> Option<(DVec3, u32)> {
    let mut best: Option<(DVec3, u32)> = None;
    for face in 1_u32..1 << simplex.len() {
        let mut corners = [DVec3::ZERO; 4];
        let mut count = 0;
        for (index, corner) in simplex.iter().enumerate() {
            if face >> index & 1 == 1 {
                corners[count] = *corner;
                count += 1;
            }
        }
        if let Some(point) = closest_inside_face(&corners[..count])
            && best.is_none_or(|(least, _)| point.length_squared() < least.length_squared())
        {
            best = Some((point, face));
        }
    }
    best
}

/// The point closest to the origin of the line, plane or space through the corners, if it is between them.
fn closest_inside_face(corners: &[DVec3]) -> Option<DVec3> {
    match *corners {
        [a] => Some(a),
        [a, b] => {
            let along = b - a;
            let part = -a.dot(along) / along.length_squared();
            (0.0..=1.0).contains(&part).then(|| a + along * part)
        }
        [a, b, c] => {
            let normal = (b - a).cross(c - a);
            let squared = normal.length_squared();
            let inside = [(a, b), (b, c), (c, a)].iter().all(|(from, to)| normal.dot(from.cross(*to)) >= 0.0);
            (squared > 0.0 && inside).then(|| normal * (a.dot(normal) / squared))
        }
        [a, b, c, d] => {
            // The origin is inside if it is on the same side of each face as the corner across.
            let volume = (b - a).cross(c - a).dot(d - a);
            let parts = [b.cross(c).dot(d), -a.cross(c).dot(d), a.cross(b).dot(d), -a.cross(b).dot(c)];
            (volume != 0.0 && parts.iter().all(|part| part * volume > 0.0)).then_some(DVec3::ZERO)
        }
        _ => None,
    }
}
