//! Where to look first for the closest points of two convex cores, by what is known of them beforehand.
//!
//! Two cores whose inner balls overlap have a point in common, and so have two boxes if the point of one that is nearest
//! to the other's middle is in that other. If not, and if `box_box.rs` has not found them, the nearest points of two boxes
//! to each other, found in turns, tell which corners, edges and faces face each other: their corners are a simplex that
//! often holds the closest points, or is a step or two away. The search proves or corrects it; a wrong guess costs time
//! only.
//! Cost: a point to point distance; for boxes two products with a matrix, four for the corners.

use super::convex::{Convex, Core};
use super::minimum_norm::Cache;
use super::placement::Placement;
use glam::DVec3;

/// A point of both cores, if it is seen at once.
#[inline(always)]
pub(crate) fn common_point(a: &Convex<'_>, b: &Convex<'_>, b_in_a: &Placement) -> Option<DVec3> {
    if let (Core::Cuboid(half_a), Core::Cuboid(half_b)) = (&a.core, &b.core) {
        let on_a = b_in_a.position.clamp(-*half_a, *half_a);
        let is_in_b = b_in_a.point_to_inner(on_a).abs().cmple(*half_b).all();
        return if is_in_b { Some(on_a) } else { None };
    }
    let (Some((middle_a, radius_a)), Some((middle_b, radius_b))) = (a.core.inner_ball(), b.core.inner_ball()) else {
        return None;
    };
    let reach = radius_a + radius_b;
    let across = b_in_a.point_to_outer(middle_b) - middle_a;
    let share = radius_a / reach;
    if across.length_squared() < reach * reach { Some(middle_a + share * across) } else { None }
}

/// How often each box is asked for its point nearest to that of the other.
const TURNS: usize = 2;

/// A point of both boxes, if it is found in a few turns; otherwise the empty cache is filled with a guess.
#[inline(always)]
pub(super) fn of_boxes(half_a: DVec3, half_b: DVec3, b_in_a: &Placement, cache: &mut Cache) -> Option<DVec3> {
    let mut from_b = b_in_a.position;
    let mut on_b = DVec3::ZERO;
    for _ in 0..TURNS {
        let on_a = from_b.clamp(-half_a, half_a);
        if on_a == from_b {
            return Some(on_a);
        }
        let from_a = b_in_a.point_to_inner(on_a);
        on_b = from_a.clamp(-half_b, half_b);
        if on_b == from_a {
            return Some(on_a);
        }
        from_b = b_in_a.point_to_outer(on_b);
    }
    let on_a = from_b.clamp(-half_a, half_a);
    let corner =
        |point: DVec3| u32::from(point.x < 0.0) | u32::from(point.y < 0.0) << 1 | u32::from(point.z < 0.0) << 2;
    let nearest = [corner(on_a), corner(on_b)];
    cache.guess(nearest);
    // The nearest corner and its neighbours along the edges on which the points can move: of the parallelogram that
    // these span, the half at the nearest corner holds the points.
    for axis in 0..3 {
        if on_a[axis].abs() < half_a[axis] {
            cache.guess([nearest[0] ^ 1 << axis, nearest[1]]);
        }
        if on_b[axis].abs() < half_b[axis] {
            cache.guess([nearest[0], nearest[1] ^ 1 << axis]);
        }
    }
    None
}
