//! Boxes in the order of the Hilbert curve through their middles.

use super::super::block::{BoxBlock, BoxNumbers, LANES, LoadedBlock};
use super::super::{Pair, hilbert};
use super::{PORTION, is_parallel};
use crate::bounds::Aabb;
use crate::radix::Keyed;
use fearless_simd::{Bytes, Level, Simd, SimdBase, SimdCvtTruncate, SimdFrom, dispatch, f32x8, i32x8, u32x8};
use glam::{Vec3, Vec3A};
use rayon::prelude::*;

/// How many boxes are looked at to learn where they are.
const SAMPLE: usize = 256;
/// How many of these tell strays from the rest.
const JUDGES: usize = 32;

/// The numbers of the lanes.
const COUNTED: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

/// The key of what is no box.
const LEFT_OUT: Pair = Pair { a: u32::MAX, b: u32::MAX };

/// Where boxes come from, eight at a time. A trait and not a closure, which might not be inlined.
pub(super) trait Source: Sync {
    /// How many boxes there are.
    fn count(&self) -> usize;

    /// One of them.
    fn bounds(&self, index: usize) -> Aabb;

    /// Those from `8 * index` on.
    fn block<S: Simd>(&self, simd: S, index: usize) -> LoadedBlock<S>;
}

impl Source for [Aabb] {
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb {
        self[index]
    }

    #[inline(always)]
    fn block<S: Simd>(&self, simd: S, index: usize) -> LoadedBlock<S> {
        let rest = &self[index * LANES..];
        if let Some([a, b, c, d, e, f, g, h]) = rest.first_chunk() {
            return LoadedBlock::of(simd, BoxNumbers::of_eight(simd, [a, b, c, d, e, f, g, h]));
        }
        let mut block = BoxBlock::EMPTY;
        rest.iter().enumerate().for_each(|(lane, bounds)| block.set(lane, bounds));
        block.loaded(simd)
    }
}

impl Source for [BoxBlock] {
    fn count(&self) -> usize {
        self.len() * LANES
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb {
        self[index / LANES].get(index)
    }

    #[inline(always)]
    fn block<S: Simd>(&self, simd: S, index: usize) -> LoadedBlock<S> {
        self[index].loaded(simd)
    }
}

/// Replaces `keys` by the boxes: each with its rank first and which box it is second. Boxes that are not sound are left
/// out. Returns how many bits the ranks have.
pub(super) fn list(level: Level, source: &(impl Source + ?Sized), keys: &mut Vec<Pair>) -> u32 {
    // Two cells or more to a box, so that few share one, and no more bits than two passes of the sort take.
    match source.count() {
        0..2_000 => list_by::<5>(level, source, keys),
        2_000..16_000 => list_by::<6>(level, source, keys),
        16_000..2_000_000 => list_by::<7>(level, source, keys),
        2_000_000..16_000_000 => list_by::<8>(level, source, keys),
        _ => list_by::<{ hilbert::MOST_BITS }>(level, source, keys),
    }
}

/// Ranks are those of the cells of a cube of `2^BITS` a side.
fn list_by<const BITS: u32>(level: Level, source: &(impl Source + ?Sized), keys: &mut Vec<Pair>) -> u32 {
    let count = source.count();
    let curve = Curve::<BITS>::around(source);
    keys.resize(count, LEFT_OUT);
    let portion_keys = |(portion, keys): (usize, &mut [Pair])| dispatch!(level, simd => curve.write_keys(simd, source, portion * PORTION, keys));
    let left_out: usize = if is_parallel(count) {
        keys.par_chunks_mut(PORTION * LANES).enumerate().map(portion_keys).sum()
    } else {
        keys.chunks_mut(PORTION * LANES).enumerate().map(portion_keys).sum()
    };
    if left_out > 0 {
        keys.retain(|&key| key != LEFT_OUT);
    }
    3 * BITS
}

impl Keyed for Pair {
    #[inline(always)]
    fn key(&self) -> u64 {
        u64::from(self.a)
    }
}

/// A cube of `2^BITS` cells a side with the curve through them.
struct Curve<const BITS: u32> {
    least: Vec3,
    /// Cells a unit, halved: it multiplies the sum of both corners.
    half_scale: f32,
}

impl<const BITS: u32> Curve<BITS> {
    /// A cube around a sample of the boxes, unless a few of them lie so far off that the others would share a few
    /// cells: the middle four fifths tell. What is outside is held to the outermost cells.
    fn around(source: &(impl Source + ?Sized)) -> Self {
        let (mut least, mut greatest) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        for middle in middles(source, SAMPLE) {
            least = least.min(middle);
            greatest = greatest.max(middle);
        }
        let (least, extent) = without_strays(least.into(), greatest.into(), source);
        let half_scale = 0.5 * ((1u32 << BITS) as f32 - 0.5) / extent;
        Self { least, half_scale: if half_scale.is_finite() { half_scale } else { 0.0 } }
    }

    /// The keys of the boxes from block `first` on; returns how many were left out.
    #[inline(always)]
    fn write_keys<S: Simd>(&self, simd: S, source: &(impl Source + ?Sized), first: usize, keys: &mut [Pair]) -> usize {
        let mut left_out = 0;
        for (index, keys) in (first..).zip(keys.chunks_mut(LANES)) {
            let block = source.block(simd, index);
            let numbers = u32x8::splat(simd, (index * LANES) as u32) + u32x8::simd_from(simd, COUNTED);
            let ranks = self.ranks(simd, &block);
            let mut both = [0; 2 * LANES];
            simd.zip_low_u32x8(ranks, numbers).store_slice(&mut both[..LANES]);
            simd.zip_high_u32x8(ranks, numbers).store_slice(&mut both[LANES..]);
            keys.iter_mut().zip(both.as_chunks().0).for_each(|(key, &[a, b])| *key = Pair { a, b });
            let sound = block.sound(simd);
            if sound != 255 {
                let unsound = keys.iter_mut().enumerate().filter(|(lane, _)| sound >> lane & 1 == 0);
                left_out += unsound.map(|(_, key)| *key = LEFT_OUT).count();
            }
        }
        left_out
    }

    #[inline(always)]
    fn ranks<S: Simd>(&self, simd: S, block: &LoadedBlock<S>) -> u32x8<S> {
        let LoadedBlock { min, max } = block;
        let last = f32x8::splat(simd, ((1u32 << BITS) - 1) as f32);
        let zero = f32x8::splat(simd, 0.0);
        let mut cell = [u32x8::splat(simd, 0); 3];
        for axis in 0..3 {
            let least = f32x8::splat(simd, self.least[axis]);
            let at = ((min[axis] - least) + (max[axis] - least)) * f32x8::splat(simd, self.half_scale);
            // Strays are held to the outermost cells; what has NaN is left out.
            let at = at.max(zero).min(last);
            cell[axis] = i32x8::truncate_from(at).bitcast();
        }
        hilbert::rank::<BITS, _>(cell)
    }
}

/// The middles of `count` of the boxes, spread evenly, or of all if there are fewer than twice as many.
#[inline(always)]
fn middles(source: &(impl Source + ?Sized), count: usize) -> impl Iterator<Item = Vec3A> {
    let stride = (source.count() / count).max(1);
    (0..source.count()).step_by(stride).filter_map(|index| {
        let bounds = source.bounds(index);
        let middle = 0.5 * Vec3A::from(bounds.min) + 0.5 * Vec3A::from(bounds.max);
        (bounds.min.x <= bounds.max.x).then_some(middle)
    })
}

/// The least corner and the side of a cube for the curve, given those of the sample.
fn without_strays(least: Vec3, greatest: Vec3, source: &(impl Source + ?Sized)) -> (Vec3, f32) {
    let whole = (greatest * 0.5 - least * 0.5).max_element() * 2.0;
    let mut judges = [[0.0f32; JUDGES]; 3];
    let mut count = 0;
    for middle in middles(source, JUDGES).take(JUDGES) {
        (0..3).for_each(|axis| judges[axis][count] = middle[axis]);
        count += 1;
    }
    if count < JUDGES / 2 {
        return (least, whole);
    }
    let few = count / 10;
    // If more than a few are in either third at the ends of an axis, most are spread over a third of it at the least.
    let thirds = (least + whole / 3.0, greatest - whole / 3.0);
    let is_spread = |(axis, along): (usize, &[f32; JUDGES])| {
        let along = &along[..count];
        let low = along.iter().filter(|&&at| at <= thirds.0[axis]).count();
        let high = along.iter().filter(|&&at| at >= thirds.1[axis]).count();
        low > few && high > few && greatest[axis] - least[axis] >= whole
    };
    if judges.iter().enumerate().any(is_spread) {
        return (least, whole);
    }
    let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
    for (axis, along) in judges.iter_mut().enumerate() {
        let along = &mut along[..count];
        along.sort_unstable_by(f32::total_cmp);
        (low[axis], high[axis]) = (along[few], along[count - 1 - few]);
    }
    let inner = (high - low).max_element();
    if whole <= 6.0 * inner || inner <= 0.0 {
        return (least, whole);
    }
    ((low - 2.0 * inner).max(least), 5.0 * inner)
}
