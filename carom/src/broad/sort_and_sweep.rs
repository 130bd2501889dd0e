//! B2: sort and sweep along one axis.
//!
//! Boxes are sorted by where they begin along the axis on which their middles vary most. Two that overlap do so on that
//! axis too, so whichever begins first finds the other before the first box that begins beyond its end. Sorting is by a
//! whole number that grows with the coordinate but keeps only 18 or 27 bits of the range; the sweep ends by the same
//! number, so what it rounds together costs a test, never a pair.
//! Cost: linear to sort; the sweep compares each box with all that share its stretch of the axis, eight at a time:
//! about n^(5/3) in a cube of evenly spread boxes. Wins with some hundred boxes and in long scenes, loses
//! to grids and trees above.
//! Source: Baraff 1992, Dynamic Simulation of Non-Penetrating Rigid Bodies (thesis), here with one axis and no active
//! list; Ericson 2005, Real-Time Collision Detection, 7.5, for the axis of greatest variance.

use super::block::LANES;
use super::columns::{BoxColumns, WideBox, eight};
use super::{BoxRay, Drawn, Index, Pair, Proxies, Rebuilt};
use crate::bounds::Aabb;
use crate::radix;
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f32x8};
use glam::{DVec3, Vec3};

/// Sort and sweep along the best axis, anew for every look at the pairs.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{BroadPhase, Pair, SortAndSweep};
/// use carom::prelude::Vec3;
///
/// let mut broad = SortAndSweep::default();
/// for id in 0..3 {
///     let corner = Vec3::X * (2.0 * id as f32);
///     broad.insert(id, Aabb::new(corner, corner + Vec3::new(2.0, 1.0, 1.0)))?;
/// }
/// assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }]);
/// # Ok::<(), carom::broad::BroadPhaseError>(())
/// ```
pub type SortAndSweep = Rebuilt<SweptAxis>;

/// Boxes in the order of their beginnings along one axis.
#[derive(Debug, Clone)]
pub struct SweptAxis {
    level: Level,
    axis: usize,
    order: KeyOrder,
    /// In sorted order, with [`LANES`] keys above all others at the end.
    keys: Vec<u32>,
    ids: Vec<u32>,
    columns: BoxColumns,
    /// The longest box along the axis.
    longest: f32,
    items: Vec<u64>,
    spare: Vec<u64>,
}

/// A whole number that does not fall when the coordinate grows.
#[derive(Debug, Clone, Copy, Default)]
struct KeyOrder {
    least: u32,
    shift: u32,
}

/// Two passes of the radix sort for few boxes, three for many.
const KEY_BITS: [u32; 2] = [18, 27];
const MANY_BOXES: usize = 1 << 14;

/// Whole numbers in the order of the floats; −0 comes just before 0.
#[inline(always)]
pub(super) fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

impl KeyOrder {
    /// The order for coordinates from `least` to `greatest`, whose numbers have up to `bits`.
    fn new(least: f32, greatest: f32, bits: u32) -> Self {
        // Adding 0 turns −0 into 0: they are one place.
        let least = ordered(least + 0.0);
        let range = ordered(greatest + 0.0).saturating_sub(least);
        Self { least, shift: (u32::BITS - range.leading_zeros()).saturating_sub(bits) }
    }

    #[inline(always)]
    fn key(self, value: f32) -> u32 {
        ordered(value + 0.0).saturating_sub(self.least) >> self.shift
    }
}

impl Default for SweptAxis {
    fn default() -> Self {
        Self {
            level: crate::simd::level(),
            axis: 0,
            order: KeyOrder::default(),
            keys: Vec::new(),
            ids: Vec::new(),
            columns: BoxColumns::default(),
            longest: 0.0,
            items: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl Index for SweptAxis {
    fn rebuild(&mut self, proxies: &Proxies) {
        self.axis = axis_of_greatest_variance(proxies);
        let axis = self.axis;
        let (mut least, mut greatest) = (f32::MAX, -f32::MAX);
        self.longest = 0.0;
        for (_, bounds) in proxies.iter() {
            least = least.min(bounds.min[axis]);
            greatest = greatest.max(bounds.min[axis]);
            self.longest = self.longest.max(bounds.max[axis] - bounds.min[axis]);
        }
        let bits = KEY_BITS[usize::from(proxies.len() > MANY_BOXES)];
        self.order = KeyOrder::new(least, greatest, bits);
        self.items.clear();
        self.items.extend(
            proxies.iter().map(|(id, bounds)| u64::from(self.order.key(bounds.min[axis])) << 32 | u64::from(id)),
        );
        radix::sort(&mut self.items, &mut self.spare, bits);
        self.ids.clear();
        self.ids.extend(self.items.iter().map(|&item| item as u32));
        self.keys.clear();
        self.keys.extend(self.items.iter().map(|&item| (item >> 32) as u32));
        self.keys.extend([u32::MAX; LANES]);
        self.columns.gather(proxies.raw(), &self.ids);
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        dispatch!(self.level, simd => sweep(simd, self, pairs))
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        // A box that reaches into the window begins at most the longest length before it.
        let (from, to) = (bounds.min[self.axis], bounds.max[self.axis]);
        // Widened by the rounding of this difference and of the lengths.
        let from = from - self.longest;
        let from = self.order.key(from - 4.0 * f32::EPSILON * (from.abs() + self.longest));
        let to = self.order.key(to);
        let keys = &self.keys[..self.ids.len()];
        let (first, end) = (keys.partition_point(|&key| key < from), keys.partition_point(|&key| key <= to));
        dispatch!(self.level, simd => {
            let wide = WideBox::new(simd, bounds);
            self.columns.visit_overlaps(simd, first, end, &wide, |index| visit(self.ids[index]));
        });
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        // The box around the ray, with room for its rounding and for that of the test of a ray with a box.
        let far = (ray.origin() + ray.direction() * ray.limit()).clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        let room = 16.0 * f32::EPSILON * ray.origin().abs().max(far.abs());
        let around = Aabb::new(ray.origin().min(far) - room, ray.origin().max(far) + room);
        self.candidates(&around, &mut |id| {
            visit(id);
        });
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        let (min, max) = (self.columns.min(self.axis), self.columns.max(self.axis));
        for ((&id, &min), &max) in self.ids.iter().zip(min).zip(max) {
            sink(Drawn::Interval { axis: self.axis as u32, min, max, id });
        }
    }

    fn memory(&self) -> usize {
        let words = self.keys.capacity() + self.ids.capacity() + 2 * (self.items.capacity() + self.spare.capacity());
        words * size_of::<u32>() + self.columns.memory()
    }
}

/// The axis on which the boxes' middles vary most. About a thousand boxes are looked at, at even distances.
fn axis_of_greatest_variance(proxies: &Proxies) -> usize {
    let stride = (proxies.id_end() / 1024).max(1);
    let (mut count, mut sum, mut squares) = (0.0f64, DVec3::ZERO, DVec3::ZERO);
    for bounds in proxies.raw().iter().step_by(stride).filter(|bounds| bounds.min.x <= bounds.max.x) {
        let middle = bounds.min.as_dvec3() + bounds.max.as_dvec3();
        count += 1.0;
        sum += middle;
        squares += middle * middle;
    }
    let variance = squares - sum * sum / count.max(1.0);
    if variance.x >= variance.y && variance.x >= variance.z {
        0
    } else if variance.y >= variance.z {
        1
    } else {
        2
    }
}

#[inline(always)]
fn sweep<S: Simd>(simd: S, swept: &SweptAxis, pairs: &mut Vec<Pair>) -> u64 {
    let SweptAxis { axis, order, keys, ids, columns, .. } = swept;
    let [own, one, other] = [*axis, (axis + 1) % 3, (axis + 2) % 3];
    let [own_min, one_min, other_min] = [own, one, other].map(|axis| columns.min(axis));
    let [own_max, one_max, other_max] = [own, one, other].map(|axis| columns.max(axis));
    let mut tests = 0;
    for (index, &id) in ids.iter().enumerate() {
        let own_end = f32x8::splat(simd, own_max[index]);
        let (one_start, one_end) = (f32x8::splat(simd, one_min[index]), f32x8::splat(simd, one_max[index]));
        let (other_start, other_end) = (f32x8::splat(simd, other_min[index]), f32x8::splat(simd, other_max[index]));
        let last_key = order.key(own_max[index]);
        let mut start = index + 1;
        // The keys beyond the end are above all others but those of the greatest coordinates; the end stops those.
        while start < ids.len() && keys[start] <= last_key {
            let begins = eight(simd, own_min, start).simd_le(own_end);
            let along_one =
                eight(simd, one_min, start).simd_le(one_end) & one_start.simd_le(eight(simd, one_max, start));
            let along_other =
                eight(simd, other_min, start).simd_le(other_end) & other_start.simd_le(eight(simd, other_max, start));
            let mut hits = (begins & along_one & along_other).to_bitmask() as u32;
            tests += LANES as u64;
            while hits != 0 {
                let found = start + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                // Among equal keys a later box may begin and end before this one begins.
                if own_max[found] >= own_min[index] {
                    pairs.push(Pair::new(id, ids[found]));
                }
            }
            start += LANES;
        }
    }
    tests
}
