//! Whether two capsules overlap, told quickly in f32 where their distance is nowhere near the sum of their radii.
//!
//! The closest points of the axes are those of the two lines, held to the ends (Ericson, Real-Time Collision Detection, 2005,
//! 5.1.9). They need not be the closest to prove something: two points that are near enough prove that the capsules
//! overlap, and the direction between them that they are apart, if the axes do not reach across the gap along it.
//! What neither proves, by a wide margin for rounding, is left to others.

use crate::shape::Capsule;
use glam::{DVec3, Quat, Vec3A};

/// Squares of sizes whose squares f32 can tell.
const PLAIN_SQUARES: std::ops::Range<f32> = 1e-15..1e15;

/// Whether capsules turned like this overlap, if it can be told; `offset` is from the place of the first to that of the second.
#[inline]
pub(crate) fn overlap_quickly(a: &Capsule, b: &Capsule, [turn_a, turn_b]: [Quat; 2], offset: DVec3) -> Option<bool> {
    let (half_a, half_b) = (turn_a * half_of(a), turn_b * half_of(b));
    let way = Vec3A::from(offset.as_vec3()) + turn_b * middle_of(b) - turn_a * middle_of(a);
    let radii = a.radius() + b.radius();
    let (square_a, square_b, way_square) = (half_a.length_squared(), half_b.length_squared(), way.length_squared());
    // Without a root: (x + y + z)² is at most 3 (x² + y² + z²); a thousandth is more than any rounding.
    let outer = square_a + square_b + radii * radii;
    if !PLAIN_SQUARES.contains(&outer) {
        return None;
    }
    if way_square > 3.003 * outer {
        return Some(false);
    }
    let (product, toward_a, toward_b) = (half_a.dot(half_b), half_a.dot(way), half_b.dot(way));
    let cross_square = square_a * square_b - product * product;
    // NaN where an axis has no length or both are parallel: then any point of the first will do.
    let share_a = ((toward_a * square_b - toward_b * product) / cross_square).clamp(-1.0, 1.0);
    let share_a = if share_a.is_nan() { 0.0 } else { share_a };
    let share_b = ((share_a * product - toward_b) / square_b).clamp(-1.0, 1.0);
    let share_b = if share_b.is_nan() { 0.0 } else { share_b };
    let share_a = ((share_b * product + toward_a) / square_a).clamp(-1.0, 1.0);
    let share_a = if share_a.is_nan() { 0.0 } else { share_a };
    let gap = way + half_b * share_b - half_a * share_a;
    let gap_square = gap.length_squared();
    // Ten times what the roundings of the rotations and the products can add up to.
    let slack_square = 1e-10 * outer;
    let reach_square = radii * radii;
    // (r ± s)² is within r² ± 2 r s + s², and 2 r s at most 1e-4 r² + 1e4 s².
    let (near, far) =
        (reach_square * (1.0 - 1e-4) - 1e4 * slack_square, reach_square * (1.0 + 1e-4) + 1.1e4 * slack_square);
    if gap_square < near {
        return Some(true);
    }
    let along = gap.dot(way) - gap.dot(half_a).abs() - gap.dot(half_b).abs();
    (along > 0.0 && along * along > far * gap_square).then_some(false)
}

fn middle_of(capsule: &Capsule) -> Vec3A {
    Vec3A::from(0.5 * (capsule.core().a() + capsule.core().b()))
}

fn half_of(capsule: &Capsule) -> Vec3A {
    Vec3A::from(0.5 * (capsule.core().b() - capsule.core().a()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use crate::query;
    use crate::shape::Shape;
    use glam::Vec3;

    fn capsule(half_height: f32, radius: f32) -> Capsule {
        match Shape::capsule(half_height, radius).unwrap() {
            Shape::Capsule(capsule) => capsule,
            _ => unreachable!("asked for a capsule"),
        }
    }

    /// The sum of the radii, and the distance that the search in f64 proves.
    #[test]
    fn what_is_told_is_true() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut told = [0; 3];
        for case in 0..100_000 {
            let mut number = || random.f32() * 2.0 - 1.0;
            let mut vector = || Vec3::new(number(), number(), number());
            let sizes = vector().abs() + 0.01;
            let (a, b) = (capsule(sizes.x, sizes.y), capsule(0.3 * sizes.z, 0.5 * sizes.x));
            let turn = |axis: Vec3| Quat::from_axis_angle(axis.normalize(), 3.0 * axis.x);
            let turns = match case % 3 {
                0 => [Quat::IDENTITY; 2],
                1 => [turn(vector()), Quat::IDENTITY],
                _ => [turn(vector()), turn(vector())],
            };
            let offset = 1.7 * vector().as_dvec3();
            let axes = [(&a, turns[0], DVec3::ZERO), (&b, turns[1], offset)].map(|(capsule, turn, place)| {
                let ends = (capsule.core().a(), capsule.core().b());
                (Shape::segment(ends.0, ends.1).unwrap(), Pose::new(place, turn))
            });
            let apart = query::distance(&axes[0].0, &axes[0].1, &axes[1].0, &axes[1].1).unwrap();
            let radii = f64::from(a.radius()) + f64::from(b.radius());
            match overlap_quickly(&a, &b, turns, offset) {
                Some(true) => assert!(apart.upper() < radii, "case {case}: {apart:?}, {radii}"),
                Some(false) => assert!(apart.lower() > radii, "case {case}: {apart:?}, {radii}"),
                None => told[2] += 1,
            }
            told[usize::from(apart.value() < radii)] += 1;
        }
        assert!(told[0] > 20_000 && told[1] > 10_000 && told[2] < 300, "{told:?}");
    }

    #[test]
    fn points_and_parallels_are_told_too() {
        let (ball_like, long) = (capsule(1e-30, 0.5), capsule(1.0, 0.5));
        assert_eq!(overlap_quickly(&ball_like, &long, [Quat::IDENTITY; 2], DVec3::X * 0.9), Some(true));
        assert_eq!(overlap_quickly(&ball_like, &long, [Quat::IDENTITY; 2], DVec3::X * 1.1), Some(false));
        assert_eq!(overlap_quickly(&long, &long, [Quat::IDENTITY; 2], DVec3::X * 0.9), Some(true));
        assert_eq!(overlap_quickly(&long, &long, [Quat::IDENTITY; 2], DVec3::X * 1.1), Some(false));
        assert_eq!(overlap_quickly(&long, &long, [Quat::IDENTITY; 2], DVec3::Y * 2.9), Some(true));
        assert_eq!(overlap_quickly(&long, &long, [Quat::IDENTITY; 2], DVec3::Y * 3.1), Some(false));
    }
}
