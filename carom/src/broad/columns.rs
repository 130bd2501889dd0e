//! Boxes coordinate by coordinate, so that any eight that follow each other are tested at once. Unlike a
//! [`BoxBlock`](super::block::BoxBlock) the eight may begin anywhere, as the runs of a sorted list do.

use super::block::{LANES, NOTHING};
use crate::bounds::Aabb;
use fearless_simd::{Simd, SimdBase, SimdMask, f32x8};
use glam::Vec3;

/// Six columns of one length, eight longer than there are boxes; what is beyond overlaps nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct BoxColumns {
    min: [Vec<f32>; 3],
    max: [Vec<f32>; 3],
}

impl BoxColumns {
    /// Takes in the boxes of these ids, in this order, in place of those before.
    pub(super) fn gather(&mut self, boxes: &[Aabb], order: &[u32]) {
        for (columns, rest) in [(&mut self.min, NOTHING.min.x), (&mut self.max, NOTHING.max.x)] {
            for column in columns.iter_mut() {
                column.resize(order.len() + LANES, rest);
                column[order.len()..].fill(rest);
            }
        }
        let [min_x, min_y, min_z] = self.min.each_mut().map(|column| &mut column[..order.len()]);
        let [max_x, max_y, max_z] = self.max.each_mut().map(|column| &mut column[..order.len()]);
        for (index, &id) in order.iter().enumerate() {
            let Aabb { min, max } = boxes[id as usize];
            (min_x[index], min_y[index], min_z[index]) = (min.x, min.y, min.z);
            (max_x[index], max_y[index], max_z[index]) = (max.x, max.y, max.z);
        }
    }

    /// A box by its place.
    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> Aabb {
        Aabb {
            min: Vec3::new(self.min[0][index], self.min[1][index], self.min[2][index]),
            max: Vec3::new(self.max[0][index], self.max[1][index], self.max[2][index]),
        }
    }

    /// Least coordinates along an axis.
    pub(super) fn min(&self, axis: usize) -> &[f32] {
        &self.min[axis]
    }

    /// Greatest coordinates along an axis.
    pub(super) fn max(&self, axis: usize) -> &[f32] {
        &self.max[axis]
    }

    /// Bit `i` says whether the box at `first + i` overlaps `bounds`, for eight boxes.
    #[inline(always)]
    pub(super) fn overlaps<S: Simd>(&self, simd: S, first: usize, bounds: &WideBox<S>) -> u32 {
        // No closures: one that is not inlined runs without the wide instructions.
        let [min_x, min_y, min_z] = &self.min;
        let [max_x, max_y, max_z] = &self.max;
        let x = eight(simd, min_x, first).simd_le(bounds.max[0]) & bounds.min[0].simd_le(eight(simd, max_x, first));
        let y = eight(simd, min_y, first).simd_le(bounds.max[1]) & bounds.min[1].simd_le(eight(simd, max_y, first));
        let z = eight(simd, min_z, first).simd_le(bounds.max[2]) & bounds.min[2].simd_le(eight(simd, max_z, first));
        (x & y & z).to_bitmask() as u32
    }

    /// Calls `visit` with the place of each box from `first` to before `end` that overlaps; returns how many were
    /// compared.
    #[inline(always)]
    pub(super) fn visit_overlaps<S: Simd>(
        &self,
        simd: S,
        first: usize,
        end: usize,
        bounds: &WideBox<S>,
        mut visit: impl FnMut(usize),
    ) -> u64 {
        let mut start = first;
        while start < end {
            let mut hits = self.overlaps(simd, start, bounds) & lanes_below(end - start);
            while hits != 0 {
                visit(start + hits.trailing_zeros() as usize);
                hits &= hits - 1;
            }
            start += LANES;
        }
        (start - first) as u64
    }

    /// How many bytes it holds.
    pub(super) fn memory(&self) -> usize {
        self.min.iter().chain(&self.max).map(|column| column.capacity() * size_of::<f32>()).sum()
    }
}

/// Eight numbers of a column.
#[inline(always)]
pub(super) fn eight<S: Simd>(simd: S, column: &[f32], first: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &column[first..first + LANES])
}

/// The lower `count` of eight bits.
#[inline(always)]
pub(super) fn lanes_below(count: usize) -> u32 {
    !(!0u32 << count.min(LANES))
}

/// A box in every lane.
pub(super) struct WideBox<S: Simd> {
    pub(super) min: [f32x8<S>; 3],
    pub(super) max: [f32x8<S>; 3],
}

impl<S: Simd> WideBox<S> {
    /// The box eight times.
    #[inline(always)]
    pub(super) fn new(simd: S, bounds: &Aabb) -> Self {
        let Aabb { min, max } = bounds;
        Self {
            min: [f32x8::splat(simd, min.x), f32x8::splat(simd, min.y), f32x8::splat(simd, min.z)],
            max: [f32x8::splat(simd, max.x), f32x8::splat(simd, max.y), f32x8::splat(simd, max.z)],
        }
    }
}
