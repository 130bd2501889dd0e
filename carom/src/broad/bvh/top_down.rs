//! Builds from the root: items are divided in two until few are left.
//!
//! Median: half of the items on each side, along the axis where their middles are spread widest; depth log2(n).
//! Surface: the middles fall into 16 bins along that axis; the gap between bins is taken where the surfaces of both
//! sides, weighted by their numbers, come to the least, since a random question meets a convex volume inside another
//! with the ratio of their surfaces. Below 48 levels, and where bins do not divide, the median takes over, so no
//! input makes the tree deeper than 80. Cost: O(n log n).
//! Source: Wald 2007, doi 10.1109/RT.2007.4342588, for the bins; one axis instead of three.

use super::topology::surface;
use crate::bounds::{Aabb, BoundingVolume};
use crate::broad::block::NOTHING;
use crate::broad::box_tree::Item;
use glam::Vec3;

const BINS: usize = 16;
/// From this depth on only medians are taken.
pub(super) const MAX_UNBALANCED: u32 = 48;

/// The axis where the middles are spread widest, and the least and greatest along it.
fn widest(items: &[Item]) -> (usize, f32, f32) {
    let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items {
        least = least.min(item.center());
        greatest = greatest.max(item.center());
    }
    let axis = (greatest * 0.5 - least * 0.5).max_position();
    (axis, least[axis], greatest[axis])
}

/// Sorts the items into two halves; says where the second begins.
pub(super) fn split_at_median(items: &mut [Item]) -> usize {
    let (axis, ..) = widest(items);
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| a.center()[axis].total_cmp(&b.center()[axis]).then(a.id.cmp(&b.id)));
    middle
}

/// Sorts the items into two parts of little surface; says where the second begins.
pub(super) fn split_by_surface(items: &mut [Item]) -> usize {
    let (axis, least, greatest) = widest(items);
    // Twice the halves, which do not overflow.
    let scale = BINS as f32 * 0.5 / (greatest * 0.5 - least * 0.5);
    if !scale.is_finite() {
        return split_at_median(items);
    }
    // The conversion saturates.
    let bin_of = |item: &Item| (((item.center()[axis] - least) * scale) as usize).min(BINS - 1);
    let mut bins = [(NOTHING, 0usize); BINS];
    for item in items.iter() {
        let (bounds, count) = &mut bins[bin_of(item)];
        *bounds = bounds.merged(&item.bounds);
        *count += 1;
    }
    let Some(first_above) = cheapest_gap(&bins) else { return split_at_median(items) };
    let mut left = 0;
    for index in 0..items.len() {
        if bin_of(&items[index]) < first_above {
            items.swap(index, left);
            left += 1;
        }
    }
    left
}

/// The first bin of the upper part, both parts having items.
fn cheapest_gap(bins: &[(Aabb, usize); BINS]) -> Option<usize> {
    let mut costs = [0.0f32; BINS];
    let (mut above, mut count_above) = (NOTHING, 0);
    for bin in (1..BINS).rev() {
        above = above.merged(&bins[bin].0);
        count_above += bins[bin].1;
        costs[bin] = if count_above == 0 { f32::INFINITY } else { surface(&above) * count_above as f32 };
    }
    let (mut below, mut count_below) = (NOTHING, 0);
    let mut best = (f32::INFINITY, None);
    for bin in 1..BINS {
        below = below.merged(&bins[bin - 1].0);
        count_below += bins[bin - 1].1;
        let cost = surface(&below) * count_below as f32 + costs[bin];
        if cost < best.0 && count_below > 0 {
            best = (cost, Some(bin));
        }
    }
    best.1
}
