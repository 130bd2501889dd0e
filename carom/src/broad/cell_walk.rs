//! A ray's way through a uniform grid, layer by layer. Departs from the usual cell by cell traversal (Amanatides, Woo
//! 1987) so that rounding cannot make it miss a cell: each layer's stretch of the ray is computed afresh and widened.
//! Stops at the block's end or the ray's limit, after at most as many layers as the block is long.

use super::BoxRay;
use glam::{DVec3, IVec3};

/// More than the rounding of the test of a ray with a box.
const ROUNDING: f64 = 16.0 * f32::EPSILON as f64;

/// Goes along a ray through a block of cells, `counts` of them from `corner`, one layer after the other across the axis
/// on which the ray passes most cells. Calls `visit` with the least and greatest cell that the ray can touch in the
/// layer and with the limit, and takes the new limit from it. Places are widened by more than their rounding.
pub(super) fn walk(
    ray: &BoxRay,
    corner: DVec3,
    size: f64,
    counts: IVec3,
    mut visit: impl FnMut(IVec3, IVec3, f32) -> f32,
) {
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    let far = corner + counts.as_dvec3() * size;
    // The boxes are tested in f32, with its rounding.
    let reach = origin.abs().max_element() + corner.abs().max_element().max(far.abs().max_element());
    let slack = 1e-6 * size + ROUNDING * reach;
    let beyond = |limit: f32| f64::from(limit) * (1.0 + ROUNDING);
    // Where the ray is inside the block.
    let (mut enter, mut leave) = (0.0f64, beyond(ray.limit()));
    for axis in 0..3 {
        let (low, high) = (corner[axis] - slack - origin[axis], far[axis] + slack - origin[axis]);
        if direction[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return;
            }
            continue;
        }
        let (one, other) = (low / direction[axis], high / direction[axis]);
        enter = enter.max(one.min(other));
        leave = leave.min(one.max(other));
    }
    if enter > leave {
        return;
    }
    let major = direction.abs().max_position();
    let cell_at = |t: f64, axis: usize, slack: f64| {
        let place = (origin[axis] + t * direction[axis] + slack - corner[axis]) / size;
        place.clamp(0.0, f64::from(counts[axis] - 1)) as i32
    };
    let is_rising = direction[major] > 0.0;
    let toward = if is_rising { slack } else { -slack };
    let (begin, end) = (cell_at(enter, major, -toward), cell_at(leave, major, toward));
    let mut limit = ray.limit();
    let mut layer = begin;
    loop {
        // The stretch of the ray in this layer.
        let low = corner[major] + f64::from(layer) * size - slack - origin[major];
        let high = low + size + 2.0 * slack;
        let (one, other) = (low / direction[major], high / direction[major]);
        let (from, to) = (one.min(other).max(enter), one.max(other).min(leave));
        if from > beyond(limit) {
            return;
        }
        let (mut least, mut greatest) = (IVec3::splat(layer), IVec3::splat(layer));
        for axis in (0..3).filter(|&axis| axis != major) {
            let (one, other) = if direction[axis] < 0.0 { (to, from) } else { (from, to) };
            least[axis] = cell_at(one, axis, -slack);
            greatest[axis] = cell_at(other, axis, slack);
        }
        limit = limit.min(visit(least, greatest, limit));
        if layer == end {
            return;
        }
        layer += if is_rising { 1 } else { -1 };
    }
}
