//! Two capsules or segments: the closest points of their axes, and where the axes are parallel, both ends of the
//! stretch along which they are side by side.
//!
//! The closest points of two segments are those of the two lines, held to the ends: clamp the first, then the second,
//! then the first again (Ericson, Real-Time Collision Detection, 2005, 5.1.9). In f32 where that is exact to its rounding:
//! for capsules of like size whose axes are apart and clearly not parallel. Otherwise in f64, where lines count as
//! parallel from an angle of 1e-4 on, where the choice between their points is within f32 rounding. Axes that cross part
//! along the normal of both.

use super::manifold::Candidate;
use super::{Feature, LocalContact, LocalManifold, manifold};
use crate::distance::placement::Placement;
use crate::pose::LocalPose;
use crate::shape::Capsule;
use glam::{DVec3, Vec3, Vec3A};

/// Square of the sine of the angle below which lines have no single closest points.
const PARALLEL: f64 = 1e-8;
/// Square of the sine of the angle up to which there are two points of contact.
const SIDE_BY_SIDE: f64 = 4e-4;
/// Square of the sine of the angle above which f32 tells the closest points well.
const OBLIQUE: f32 = 2e-3;
/// Squares of lengths may be so many times that of the smaller capsule for f32.
const MOST_RATIO: f32 = 400.0;
/// Squares of sizes whose squares f32 can tell.
const PLAIN_SQUARES: std::ops::Range<f32> = 1e-12..1e12;
/// Square of the distance, as a share of the size's square, below which axes cross.
const CROSSING: f32 = 1e-6;

/// A capsule by the ends of its axis and its radius.
pub(super) type Axis = ([Vec3; 2], f32);

/// The axis and the radius of a capsule.
pub(super) fn axis_of(capsule: &Capsule) -> Axis {
    ([capsule.core().a(), capsule.core().b()], capsule.radius())
}

/// The contact of two capsules.
pub(super) fn contact(a: &Capsule, b: &Capsule, b_in_a: &LocalPose, margin: f32) -> Option<LocalManifold> {
    // In registers of four numbers: it is as many instructions as fit into the machine at once that count here.
    let wide = Vec3A::from;
    let (radius_a, radius_b) = (a.radius(), b.radius());
    let [from_a, to_a] = [a.core().a(), a.core().b()].map(wide);
    let [from_b, to_b] = [b.core().a(), b.core().b()].map(wide);
    let (center_a, half_a) = (0.5 * (from_a + to_a), 0.5 * (to_a - from_a));
    // Most capsules have their middle at their origin, which need not be turned.
    let middle_b = from_b + to_b;
    let at_b = wide(b_in_a.position);
    let center_b = if middle_b == Vec3A::ZERO { at_b } else { at_b + b_in_a.rotation * (0.5 * middle_b) };
    let half_b_in_b = 0.5 * (to_b - from_b);
    let way = center_b - center_a;
    let reach = radius_a + radius_b + margin;
    let (square_a, square_b) = (half_a.length_squared(), half_b_in_b.length_squared());
    let way_square = way.length_squared();
    // Without a root: (x + y + z)² is at most 3 (x² + y² + z²).
    if way_square > 3.001 * (square_a + square_b + reach * reach) {
        return None;
    }
    let half_b = b_in_a.rotation * half_b_in_b;
    let (product, toward_a, toward_b) = (half_a.dot(half_b), half_a.dot(way), half_b.dot(way));
    // The square of the cross product, with enough digits unless they are parallel.
    let cross_square = square_a * square_b - product * product;
    let (size_a, size_b) = (square_a + radius_a * radius_a, square_b + radius_b * radius_b);
    let small = if size_a < size_b { size_a } else { size_b };
    let most = MOST_RATIO * small;
    let is_alike = (size_a < most) & (size_b < most) & (way_square < most) & PLAIN_SQUARES.contains(&small);
    if !is_alike || cross_square <= OBLIQUE * (square_a * square_b) {
        return contact_in_f64(a, b, b_in_a, margin);
    }
    // The points are center + share · half, with shares from -1 to 1.
    let (inverse_a, inverse_b) = (1.0 / square_a, 1.0 / square_b);
    let share_a = ((toward_a * square_b - toward_b * product) / cross_square).clamp(-1.0, 1.0);
    // Each waits for the one before, so what does not depend on it is multiplied first.
    let share_b = (share_a * (product * inverse_b) - toward_b * inverse_b).clamp(-1.0, 1.0);
    let share_a = (share_b * (product * inverse_a) + toward_a * inverse_a).clamp(-1.0, 1.0);
    let gap = way + half_b * share_b - half_a * share_a;
    let gap_square = gap.length_squared();
    if gap_square <= CROSSING * small {
        return contact_in_f64(a, b, b_in_a, margin);
    }
    let distance = gap_square.sqrt();
    let depth = radius_a + radius_b - distance;
    if depth < -margin {
        return None;
    }
    // One over the distance, by a division that need not wait for the root.
    let normal = gap * (distance * (1.0 / gap_square));
    // Without branches: which it is cannot be foreseen.
    let name = |share: f32| {
        let end = Feature::vertex(u32::from(share > 0.0));
        if share.abs() < 1.0 { Feature::edge(0) } else { end }
    };
    let point = center_a + half_a * share_a + normal * (radius_a - 0.5 * depth);
    let contact = LocalContact { point: point.into(), depth, features: [name(share_a), name(share_b)] };
    Some(LocalManifold::of_one(normal.into(), contact))
}

/// Not inlined: axes are on the stack, which the usual case can do without.
#[inline(never)]
fn contact_in_f64(a: &Capsule, b: &Capsule, b_in_a: &LocalPose, margin: f32) -> Option<LocalManifold> {
    contact_wide(axis_of(a), axis_of(b), b_in_a, margin)
}

/// The same of capsules and segments in f64: for axes that cross or are side by side, and for sizes that are unlike.
#[inline(never)]
pub(super) fn contact_wide(
    (ends_a, radius_a): Axis,
    (ends_b, radius_b): Axis,
    b_in_a: &LocalPose,
    margin: f32,
) -> Option<LocalManifold> {
    let [from_a, to_a] = ends_a.map(Vec3::as_dvec3);
    let [from_b, to_b] = ends_b.map(Vec3::as_dvec3);
    // With all digits: beside a small capsule the rounding of a large one's place is much.
    let placement = Placement::of_part(b_in_a);
    let center_b = placement.point_to_outer(0.5 * (from_b + to_b));
    let half_b = placement.direction_to_outer(0.5 * (to_b - from_b));
    let along_a = to_a - from_a;
    let (square_a, quarter_b) = (along_a.length_squared(), half_b.length_squared());
    let (radius_a, radius_b, margin) = (f64::from(radius_a), f64::from(radius_b), f64::from(margin));
    let reach = radius_a + radius_b + margin;
    // Without a root: (x + y + z)² is at most 3 (x² + y² + z²).
    let way = center_b - 0.5 * (from_a + to_a);
    if way.length_squared() > 3.0 * (0.25 * square_a + quarter_b + reach * reach) {
        return None;
    }

    let (from_b, along_b, square_b) = (center_b - half_b, 2.0 * half_b, 4.0 * quarter_b);
    let between = from_b - from_a;
    let product = along_a.dot(along_b);
    let (toward_a, toward_b) = (along_a.dot(between), along_b.dot(between));
    let cross = along_a.cross(along_b);
    let cross_square = cross.length_squared();
    let whole = square_a * square_b;
    let is_parallel = cross_square <= PARALLEL * whole;
    let (inverse_a, inverse_b) = (1.0 / square_a, 1.0 / square_b);
    let mut at_a =
        if is_parallel { 0.5 } else { ((toward_a * square_b - toward_b * product) / cross_square).clamp(0.0, 1.0) };
    let at_b = ((at_a * product - toward_b) * inverse_b).clamp(0.0, 1.0);
    at_a = ((at_b * product + toward_a) * inverse_a).clamp(0.0, 1.0);
    let on_a = from_a + along_a * at_a;
    let gap = from_b + along_b * at_b - on_a;
    let gap_square = gap.length_squared();
    if gap_square > reach * reach {
        return None;
    }
    let distance = gap_square.sqrt();
    let depth = radius_a + radius_b - distance;
    let size = f64::max(square_a, square_b);
    let normal = if gap_square > 1e-24 * size { gap / distance } else { across(cross, along_a, cross_square) };
    if cross_square <= SIDE_BY_SIDE * whole {
        let axes = [(from_a, along_a, inverse_a), (from_b, along_b, inverse_b)];
        if let Some(two) = side_by_side(axes, normal, [radius_a, radius_b], margin)
            && f64::from(two.deepest()) >= depth - 1e-6 * size.sqrt()
        {
            return Some(two);
        }
    }
    let name = |share: f64| {
        if share == 0.0 {
            Feature::vertex(0)
        } else if share == 1.0 {
            Feature::vertex(1)
        } else {
            Feature::edge(0)
        }
    };
    let point = (on_a + normal * (radius_a - 0.5 * depth)).as_vec3();
    let contact = LocalContact { point, depth: depth as f32, features: [name(at_a), name(at_b)] };
    Some(LocalManifold::of_one(normal.as_vec3(), contact))
}

/// The contact at both ends of the stretch along which two axes run beside each other; none if they are behind each
/// other. An axis is a point, a vector along it and one over the square of its length.
fn side_by_side(
    [(from_a, along_a, inverse_a), (from_b, along_b, inverse_b)]: [(DVec3, DVec3, f64); 2],
    normal: DVec3,
    [radius_a, radius_b]: [f64; 2],
    margin: f64,
) -> Option<LocalManifold> {
    let lean = normal.dot(along_a);
    if lean * lean * inverse_a > SIDE_BY_SIDE {
        return None;
    }
    let share = |point: DVec3| (point - from_a).dot(along_a) * inverse_a;
    let (start, end) = (share(from_b), share(from_b + along_b));
    // Which end of which axis ends the stretch, going along the first.
    let (first, last) = if start <= end { ((start, 0), (end, 1)) } else { ((end, 1), (start, 0)) };
    let low = if first.0 > 0.0 {
        (first.0, [Feature::edge(0), Feature::vertex(first.1)])
    } else {
        (0.0, [Feature::vertex(0), Feature::edge(0)])
    };
    let high = if last.0 < 1.0 {
        (last.0, [Feature::edge(0), Feature::vertex(last.1)])
    } else {
        (1.0, [Feature::vertex(1), Feature::edge(0)])
    };
    if low.0 >= high.0 {
        return None;
    }
    let mut candidates = [Candidate::default(); 2];
    let mut count = 0;
    for (share, features) in [low, high] {
        let on_a = from_a + along_a * share;
        let at_b = ((on_a - from_b).dot(along_b) * inverse_b).clamp(0.0, 1.0);
        let depth = radius_a + radius_b - normal.dot(from_b + along_b * at_b - on_a);
        if depth >= -margin {
            candidates[count] = Candidate { place: on_a + normal * (radius_a - 0.5 * depth), depth, features };
            count += 1;
        }
    }
    (count > 0).then(|| manifold::reduced(&mut candidates[..count], normal))
}

/// The way out of two axes that cross, or lie on one line.
fn across(cross: DVec3, along: DVec3, cross_square: f64) -> DVec3 {
    if cross_square > 0.0 { cross / cross_square.sqrt() } else { along.normalize_or(DVec3::X).any_orthonormal_pair().0 }
}
