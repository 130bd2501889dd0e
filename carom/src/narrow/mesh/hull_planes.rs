//! How high the corners of a triangle are above the planes of a hull, eight planes at a time.
//!
//! In f32: it chooses, and what is chosen is measured in f64.

use crate::shape::ConvexHull;
use crate::shape::hull::lanes::{self, Greatest, LANES, PlaneBlock};
use fearless_simd::{Select, Simd, SimdBase, SimdMask, dispatch, f32x8, u32x8};
use glam::Vec3;

/// The heights of three corners above eight planes.
type HeightBlock = [[f32; LANES]; 3];

/// See above; kept to spare allocations.
#[derive(Debug, Clone, Default)]
pub(super) struct HullPlanes {
    /// Of the triangle that was measured last.
    heights: Vec<HeightBlock>,
    /// A bit for each plane that [`Self::mark_above`] has marked.
    marks: Vec<u8>,
}

impl HullPlanes {
    /// The plane of a hull that three corners are highest above.
    pub(super) fn measure(&mut self, hull: &ConvexHull, corners: [Vec3; 3]) -> usize {
        let planes = hull.plane_blocks();
        self.heights.resize(planes.len(), [[0.0; LANES]; 3]);
        dispatch!(crate::simd::level(), simd => measure(simd, planes, corners, &mut self.heights))
    }

    /// Whether edge `edge` of the corners measured last comes into the hull, or no farther from it than `margin` along
    /// any plane; tells the share of the edge in the middle of what does.
    pub(super) fn enters(&self, edge: usize, margin: f32) -> Option<f32> {
        dispatch!(crate::simd::level(), simd => enters(simd, &self.heights, edge, margin))
    }

    /// Marks the planes that the point at a share of an edge is higher above than `floor`.
    pub(super) fn mark_above(&mut self, edge: usize, share: f32, floor: f32) {
        self.marks.resize(self.heights.len(), 0);
        dispatch!(crate::simd::level(), simd => mark(simd, &self.heights, (edge, share, floor), &mut self.marks));
    }

    /// The marked planes.
    pub(super) fn marked(&self) -> impl Iterator<Item = u32> {
        (0u32..).step_by(LANES).zip(&self.marks).flat_map(|(first, &marks)| {
            let mut left = marks;
            std::iter::from_fn(move || {
                let lane = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(first + lane)
            })
        })
    }

    pub(super) fn is_marked(&self, plane: u32) -> bool {
        self.marks[plane as usize / LANES] >> (plane as usize % LANES) & 1 == 1
    }
}

#[inline(always)]
fn measure<S: Simd>(simd: S, planes: &[PlaneBlock], corners: [Vec3; 3], heights: &mut [HeightBlock]) -> usize {
    let mut greatest = Greatest::new(simd);
    let [a, b, c] = corners;
    for (index, (planes, heights)) in (0u32..).zip(planes.iter().zip(heights)) {
        let above_a = lanes::heights(simd, planes, a);
        let above_b = lanes::heights(simd, planes, b);
        let above_c = lanes::heights(simd, planes, c);
        above_a.store_array(&mut heights[0]);
        above_b.store_array(&mut heights[1]);
        above_c.store_array(&mut heights[2]);
        greatest.take_in(above_a.min(above_b).min(above_c), u32x8::splat(simd, index));
    }
    greatest.index().0 as usize
}

#[inline(always)]
fn enters<S: Simd>(simd: S, heights: &[HeightBlock], edge: usize, margin: f32) -> Option<f32> {
    let (from, to) = (edge % 3, (edge + 1) % 3);
    let (zero, one, margin) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0), f32x8::splat(simd, margin));
    let (mut first, mut last) = (zero, one);
    for block in heights {
        let start = f32x8::load_array_ref(simd, &block[from]) - margin;
        let end = f32x8::load_array_ref(simd, &block[to]) - margin;
        let (starts_above, ends_above) = (start.simd_gt(zero), end.simd_gt(zero));
        if (starts_above & ends_above).any_true() {
            return None;
        }
        let share = start / (start - end);
        first = first.max(starts_above.select(share, zero));
        last = last.min(ends_above.select(share, one));
    }
    let (first, last) = (first.reduce_max(), last.reduce_min());
    (first <= last).then_some(0.5 * (first + last))
}

#[inline(always)]
fn mark<S: Simd>(simd: S, heights: &[HeightBlock], (edge, share, floor): (usize, f32, f32), marks: &mut [u8]) {
    let (from, to) = (edge % 3, (edge + 1) % 3);
    for (block, marks) in heights.iter().zip(marks) {
        let start = f32x8::load_array_ref(simd, &block[from]);
        let end = f32x8::load_array_ref(simd, &block[to]);
        *marks = (start * (1.0 - share) + end * share).simd_gt(floor).to_bitmask() as u8;
    }
}
