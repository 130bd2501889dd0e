//! The planes of a hull, eight at a time, and how high the corners of a triangle are above them.
//!
//! The copy is made once for a hull and all the triangles around it. In f32: it chooses, and what is chosen is measured in
//! f64.

use crate::shape::ConvexHull;
use fearless_simd::{dispatch, f32x8, prelude::*};
use glam::Vec3;

/// How many planes are compared at a time.
const LANES: usize = 8;

/// See above; kept to spare allocations.
#[derive(Debug, Clone, Default)]
pub(super) struct HullPlanes {
    /// Normals and offsets.
    planes: Vec<[[f32; LANES]; 4]>,
    /// The heights of the three corners that were measured last.
    heights: Vec<[[f32; LANES]; 3]>,
    /// Those of a point of an edge.
    inside: Vec<[f32; LANES]>,
    count: usize,
}

impl HullPlanes {
    /// Takes the planes of a hull.
    pub(super) fn prepare(&mut self, hull: &ConvexHull) {
        self.count = hull.planes().len();
        self.planes.clear();
        // Beyond the last, planes that everything is far below of.
        self.planes.resize(self.count.div_ceil(LANES), [[0.0; LANES], [0.0; LANES], [0.0; LANES], [f32::MAX; LANES]]);
        for (index, plane) in hull.planes().iter().enumerate() {
            let block = &mut self.planes[index / LANES];
            let lane = index % LANES;
            (block[0][lane], block[1][lane], block[2][lane]) = plane.normal.into();
            block[3][lane] = plane.offset;
        }
        self.heights.resize(self.planes.len(), [[0.0; LANES]; 3]);
    }

    /// The plane that three corners are highest above.
    pub(super) fn measure(&mut self, corners: [Vec3; 3]) -> usize {
        dispatch!(crate::simd::level(), simd => measure(simd, &self.planes, corners, &mut self.heights))
    }

    /// Whether edge `edge` of the corners measured last comes into the hull, or no farther from it than `margin` along
    /// any plane; [`Self::inside`] is then about a point of it in the middle of what does.
    pub(super) fn enters(&mut self, edge: usize, margin: f32) -> bool {
        let Self { heights, inside, .. } = self;
        let ends = [edge, (edge + 1) % 3];
        inside.resize(heights.len(), [0.0; LANES]);
        dispatch!(crate::simd::level(), simd => enter(simd, heights, ends, margin, inside))
    }

    /// The heights of a point inside, plane by plane.
    pub(super) fn inside(&self) -> &[f32] {
        self.inside.as_flattened()
    }
}

#[inline(always)]
fn measure<S: Simd>(
    _: S,
    planes: &[[[f32; LANES]; 4]],
    corners: [Vec3; 3],
    heights: &mut [[[f32; LANES]; 3]],
) -> usize {
    let mut gaps = [f32::NEG_INFINITY; LANES];
    let mut blocks = [0u32; LANES];
    for (index, (plane, heights)) in (0u32..).zip(planes.iter().zip(heights)) {
        for (height, corner) in heights.iter_mut().zip(corners) {
            for lane in 0..LANES {
                height[lane] =
                    plane[0][lane] * corner.x + plane[1][lane] * corner.y + plane[2][lane] * corner.z - plane[3][lane];
            }
        }
        for lane in 0..LANES {
            let low = if heights[0][lane] < heights[1][lane] { heights[0][lane] } else { heights[1][lane] };
            let low = if heights[2][lane] < low { heights[2][lane] } else { low };
            let is_better = low > gaps[lane];
            gaps[lane] = if is_better { low } else { gaps[lane] };
            blocks[lane] = if is_better { index } else { blocks[lane] };
        }
    }
    let mut best = 0;
    for lane in 1..LANES {
        if gaps[lane] > gaps[best] {
            best = lane;
        }
    }
    blocks[best] as usize * LANES + best
}

/// See [`HullPlanes::enters`].
#[inline(always)]
fn enter<S: Simd>(
    simd: S,
    heights: &[[[f32; LANES]; 3]],
    [from, to]: [usize; 2],
    margin: f32,
    inside: &mut [[f32; LANES]],
) -> bool {
    let (zero, margin) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, margin));
    // The shares of the edge that the planes cut off at both ends.
    let (mut firsts, mut lasts) = (zero, f32x8::splat(simd, 1.0));
    for block in heights {
        let start = f32x8::load_array_ref(simd, &block[from]) - margin;
        let end = f32x8::load_array_ref(simd, &block[to]) - margin;
        let (starts_above, ends_above) = (start.simd_gt(zero), end.simd_gt(zero));
        if (starts_above & ends_above).any_true() {
            return false;
        }
        let share = start / (start - end);
        firsts = starts_above.select(firsts.max(share), firsts);
        lasts = ends_above.select(lasts.min(share), lasts);
    }
    let (mut first, mut last) = (0.0f32, 1.0f32);
    let (mut shares, mut last_shares) = ([0.0; LANES], [0.0; LANES]);
    firsts.store_slice(&mut shares);
    lasts.store_slice(&mut last_shares);
    for lane in 0..LANES {
        first = first.max(shares[lane]);
        last = last.min(last_shares[lane]);
    }
    if first > last {
        return false;
    }
    let middle = 0.5 * (first + last);
    let (to_share, from_share) = (f32x8::splat(simd, middle), f32x8::splat(simd, 1.0 - middle));
    for (block, inside) in heights.iter().zip(inside) {
        let start = f32x8::load_array_ref(simd, &block[from]);
        let end = f32x8::load_array_ref(simd, &block[to]);
        (start * from_share + end * to_share).store_slice(inside);
    }
    true
}
