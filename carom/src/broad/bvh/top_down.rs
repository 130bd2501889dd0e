//! Builds from the root: items are divided in two until few are left.
//!
//! Median: half of the items on each side, along the axis where their middles are spread widest; depth log2(n).
//! Surface: the middles fall into 16 bins along that axis; the gap between bins is taken where the surfaces of both
//! sides, weighted by their numbers, come to the least, since a random question meets a convex volume inside another
//! with the ratio of their surfaces. Below 48 levels, and where bins do not divide, the median takes over, so no
//! input makes the tree deeper than 80. Cost: O(n log n).
//! Source: Wald 2007, doi 10.1109/RT.2007.4342588, for the bins; one axis instead of three.

use super::{Bvh, size};
use crate::bounds::BoundingVolume;
use crate::broad::preorder::Node;
use glam::Vec3;

const BINS: usize = 16;
const MAX_UNBALANCED: u32 = 48;

/// An item and its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Center {
    point: Vec3,
    item: u32,
}

impl<V: BoundingVolume> Bvh<V> {
    /// Divides by `split`, which sorts the items and says how many go left.
    pub(super) fn build_top_down(
        &mut self,
        volumes: &[V],
        middles: &[Vec3],
        leaf: usize,
        split: impl Fn(&mut [Center], &[V]) -> usize,
    ) {
        let Self { nodes, order, scratch, .. } = self;
        let super::Scratch { centers, tasks, depths, .. } = scratch;
        centers.clear();
        centers.extend(middles.iter().zip(0u32..).map(|(&point, item)| Center { point, item }));
        tasks.clear();
        if !centers.is_empty() {
            tasks.push((0, centers.len(), 0));
        }
        while let Some((start, end, depth)) = tasks.pop() {
            let count = end - start;
            // Filled in when all leaves are known.
            let volume = volumes[centers[start].item as usize].clone();
            depths.push(depth);
            if count <= leaf {
                nodes.push(Node { volume, end: 0, first: start as u32, count: count as u32 });
                continue;
            }
            nodes.push(Node { volume, end: 0, first: 0, count: 0 });
            let range = &mut centers[start..end];
            let left = if depth < MAX_UNBALANCED { split(range, volumes) } else { split_at_median(range, volumes) };
            tasks.push((start + left, end, depth + 1));
            tasks.push((start, start + left, depth + 1));
        }
        order.extend(centers.iter().map(|center| center.item));
    }
}

/// The least and greatest middle along the axis where they are spread widest.
fn widest(centers: &[Center]) -> (usize, f32, f32) {
    let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for center in centers {
        least = least.min(center.point);
        greatest = greatest.max(center.point);
    }
    let axis = (greatest * 0.5 - least * 0.5).max_position();
    (axis, least[axis], greatest[axis])
}

pub(super) fn split_at_median<V>(centers: &mut [Center], _volumes: &[V]) -> usize {
    let (axis, ..) = widest(centers);
    let middle = centers.len() / 2;
    centers.select_nth_unstable_by(middle, |a, b| a.point[axis].total_cmp(&b.point[axis]).then(a.item.cmp(&b.item)));
    middle
}

pub(super) fn split_by_surface<V: BoundingVolume>(centers: &mut [Center], volumes: &[V]) -> usize {
    let (axis, least, greatest) = widest(centers);
    // Twice the halves, which do not overflow.
    let scale = BINS as f32 * 0.5 / (greatest * 0.5 - least * 0.5);
    if !scale.is_finite() {
        return split_at_median(centers, volumes);
    }
    // The conversion saturates.
    let bin_of = |center: &Center| (((center.point[axis] - least) * scale) as usize).min(BINS - 1);
    let mut bins: [Option<V>; BINS] = [const { None }; BINS];
    let mut counts = [0usize; BINS];
    for center in centers.iter() {
        let bin = bin_of(center);
        counts[bin] += 1;
        join(&mut bins[bin], &volumes[center.item as usize]);
    }
    let mut costs = [0.0f32; BINS];
    let (mut above, mut count) = (None::<V>, 0);
    for bin in (1..BINS).rev() {
        count += counts[bin];
        bins[bin].as_ref().inspect(|volume| join(&mut above, volume));
        costs[bin] = above.as_ref().map_or(0.0, size) * count as f32;
    }
    let (mut below, mut count) = (None::<V>, 0);
    let mut best = (f32::INFINITY, 0);
    for bin in 1..BINS {
        count += counts[bin - 1];
        bins[bin - 1].as_ref().inspect(|volume| join(&mut below, volume));
        let cost = costs[bin] + below.as_ref().map_or(0.0, size) * count as f32;
        if cost < best.0 && count > 0 && count < centers.len() {
            best = (cost, bin);
        }
    }
    if best.1 == 0 {
        return split_at_median(centers, volumes);
    }
    let mut left = 0;
    for index in 0..centers.len() {
        if bin_of(&centers[index]) < best.1 {
            centers.swap(index, left);
            left += 1;
        }
    }
    left
}

#[inline(always)]
fn join<V: BoundingVolume>(whole: &mut Option<V>, part: &V) {
    *whole = Some(match whole {
        Some(whole) => whole.merged(part),
        None => part.clone(),
    });
}
