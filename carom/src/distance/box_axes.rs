//! Whether two boxes overlap, by their 15 separating axes in f64.
//!
//! Two boxes are apart if and only if they are along a face normal of one of them or along the cross product of an edge
//! of each; any axis with a gap proves it. Axes of nearly parallel edges have no digits left, and gaps within rounding
//! of zero prove nothing: these cases are left to the general search.
//! Cost: 15 axes at most, without a division. Source: Gottschalk, Lin, Manocha (1996), doi:10.1145/237170.237244.

use super::feature::ROUNDING;
use super::placement::Placement;
use glam::{DVec3, Mat3A, Quat, Vec3A};

/// Whether boxes of these half extents overlap; none if their axes do not tell.
pub(crate) fn overlap(half_a: DVec3, half_b: DVec3, b_in_a: &Placement) -> Option<bool> {
    let (turn, offset) = (b_in_a.rotation, b_in_a.position);
    let slack = ROUNDING * (offset.abs().element_sum() + half_a.element_sum() + half_b.element_sum());
    let sizes = turn.abs();
    let mut widest = f64::NEG_INFINITY;
    let gaps_a = offset.abs() - half_a - sizes * half_b;
    let gaps_b = (turn.transpose() * offset).abs() - half_b - sizes.transpose() * half_a;
    widest = widest.max(gaps_a.max_element()).max(gaps_b.max_element());
    if widest > slack {
        return Some(false);
    }
    let mut is_clear = true;
    for j in 0..3 {
        let (axis, size) = (turn.col(j), sizes.col(j));
        let (next, last) = (sizes.col((j + 1) % 3), sizes.col((j + 2) % 3));
        // The three axes across this edge of `b` and each of `a`, as the components of vectors.
        let between = offset.cross(axis).abs();
        let reach_a = DVec3::new(
            half_a.y * size.z + half_a.z * size.y,
            half_a.z * size.x + half_a.x * size.z,
            half_a.x * size.y + half_a.y * size.x,
        );
        let reach_b = half_b[(j + 1) % 3] * last + half_b[(j + 2) % 3] * next;
        let gap = (between - reach_a - reach_b).max_element();
        if gap > slack {
            return Some(false);
        }
        widest = widest.max(gap);
        is_clear &= size.max_element() < 1.0 - 1e-6;
    }
    (is_clear && widest < -slack).then_some(true)
}

/// The same in f32 for rotations of unit length to within 1e-6: a quick answer where no gap is anywhere near zero.
#[inline(always)]
pub(crate) fn overlap_quickly(
    half_a: Vec3A,
    half_b: Vec3A,
    [turn_a, turn_b]: [Quat; 2],
    offset: DVec3,
) -> Option<bool> {
    let (inward, offset) = (turn_a.conjugate(), Vec3A::from(offset.as_vec3()));
    // Balls around both, whose radii are at most the root of this in all; a thousandth is more than any rounding.
    // The least number is for squares so small that they have lost their digits.
    if offset.length_squared() > 2.002 * (half_a.length_squared() + half_b.length_squared()) + f32::MIN_POSITIVE {
        return Some(false);
    }
    let boxes = Boxes { half_a, half_b, offset: inward * offset, turn: Mat3A::from_quat(inward * turn_b) };
    // Ten times what the roundings of the rotation and the products can add up to.
    let slack = 1e-5 * (boxes.offset.abs() + half_a + half_b).element_sum();
    // Most boxes that are apart are so by a face.
    let [gaps_a, gaps_b] = boxes.face_gaps();
    let gaps_of_faces = gaps_a.max(gaps_b);
    if gaps_of_faces.max_element() > slack {
        return Some(false);
    }
    let [x, y, z] = boxes.edge_gaps();
    let widest = x.max(y).max(z).max(gaps_of_faces).max_element();
    if widest > slack {
        Some(false)
    } else if widest < -slack {
        Some(true)
    } else {
        None
    }
}

/// Two boxes in f32: where the second is, and how it is turned, as the first sees it.
pub(super) struct Boxes {
    pub(super) half_a: Vec3A,
    pub(super) half_b: Vec3A,
    pub(super) offset: Vec3A,
    pub(super) turn: Mat3A,
}

impl Boxes {
    /// The gaps along the face normals of the first box, and of the second; negative where they overlap.
    #[inline(always)]
    pub(super) fn face_gaps(&self) -> [Vec3A; 2] {
        let Self { half_a, half_b, offset, turn } = self;
        let back = turn.transpose();
        let sizes = |turn: &Mat3A| Mat3A::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        [offset.abs() - *half_a - sizes(turn) * *half_b, (back * *offset).abs() - *half_b - sizes(&back) * *half_a]
    }

    /// The gaps across each edge of the second box and those of the first, times the lengths of these axes, whose squares
    /// are one less the squares of the second's axes.
    #[inline(always)]
    pub(super) fn edge_gaps(&self) -> [Vec3A; 3] {
        let Self { half_a, half_b, offset, turn } = self;
        let [x, y, z] = [turn.x_axis, turn.y_axis, turn.z_axis];
        let [size_x, size_y, size_z] = [x.abs(), y.abs(), z.abs()];
        // Components of a reach across an axis: of half extents, the two that are not along it.
        let (yzx, zxy) = (Vec3A::new(half_a.y, half_a.z, half_a.x), Vec3A::new(half_a.z, half_a.x, half_a.y));
        let reach_a = |size: Vec3A| yzx * Vec3A::new(size.z, size.x, size.y) + zxy * Vec3A::new(size.y, size.z, size.x);
        [
            offset.cross(x).abs() - reach_a(size_x) - (half_b.y * size_z + half_b.z * size_y),
            offset.cross(y).abs() - reach_a(size_y) - (half_b.z * size_x + half_b.x * size_z),
            offset.cross(z).abs() - reach_a(size_z) - (half_b.x * size_y + half_b.y * size_x),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::convex::{Convex, Core};
    use crate::distance::separation::{self, Relation};
    use glam::Quat;

    #[test]
    fn axes_and_search_agree() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut told = [0; 4];
        for case in 0..100_000 {
            let mut number = || random.f64() * 2.0 - 1.0;
            let mut vector = || DVec3::new(number(), number(), number());
            let (half_a, half_b) = (vector().abs() + 0.01, vector().abs() + 0.01);
            let (axis, place) = (vector().as_vec3(), vector() * 2.0);
            let turn = match case % 4 {
                0 => Quat::IDENTITY,
                1 => Quat::from_rotation_y(axis.x),
                _ => Quat::from_axis_angle(axis.normalize(), axis.x * 3.0),
            };
            let b_in_a = Placement::new(place, turn);
            let [a, b] = [half_a, half_b].map(|half| Convex { core: Core::Cuboid(half), radius: 0.0 });
            let found = separation::of_convex(&a, &b, &b_in_a, f64::INFINITY).unwrap().unwrap();
            match overlap(half_a, half_b, &b_in_a) {
                Some(answer) => {
                    assert_eq!(answer, found.relation == Relation::Overlapping, "{half_a} {half_b} {b_in_a:?}");
                    told[usize::from(answer)] += 1;
                }
                None => told[2] += 1,
            }
            let (narrow_a, narrow_b) = (half_a.as_vec3a(), half_b.as_vec3a());
            if let Some(answer) = overlap_quickly(narrow_a, narrow_b, [Quat::IDENTITY, turn], place) {
                assert_eq!(answer, found.relation == Relation::Overlapping, "{half_a} {half_b} {b_in_a:?}");
                told[3] += 1;
            }
        }
        assert!(told[0] > 10_000 && told[1] > 2_000 && told[3] > 50_000, "{told:?}");
    }
}
