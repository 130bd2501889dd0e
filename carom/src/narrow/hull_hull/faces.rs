//! The face of a hull with the widest gap to the other: see `axes` for the bounds.

use super::{FaceGap, Side};
use crate::shape::hull::lanes::{self, Greatest, LANES, PlaneBlock};
use crate::trace::Tracer;
use fearless_simd::{Simd, SimdBase, SimdMask, f32x8, u32x8};
use glam::Vec3;

/// The most blocks of faces that are sorted by their bounds at a time.
const LIST_BLOCKS: usize = 8;
/// The most vertices of the other hull that bound the gaps.
const MOST_KNOWN: usize = 6;

/// Vertices of the other hull, in the frame of the one whose axes they bound.
pub(super) struct Known {
    points: [Vec3; MOST_KNOWN],
    count: usize,
}

impl Known {
    pub(super) fn of(point: Vec3) -> Self {
        Self { points: [point; MOST_KNOWN], count: 1 }
    }

    /// The newest take the place of older ones.
    fn push(&mut self, point: Vec3) {
        self.points[self.count % MOST_KNOWN] = point;
        self.count += 1;
    }

    pub(super) fn points(&self) -> &[Vec3] {
        &self.points[..self.count.min(MOST_KNOWN)]
    }
}

/// Faces that may beat the best.
struct List {
    planes: [PlaneBlock; LIST_BLOCKS],
    bounds: [[f32; LANES]; LIST_BLOCKS],
    faces: [[u32; LANES]; LIST_BLOCKS],
    count: usize,
}

/// The face with the greatest gap to the other hull, at least that of `start`.
pub(super) fn best_face<S: Simd>(
    simd: S,
    side: &Side<'_>,
    start: FaceGap,
    known: &mut Known,
    tracer: &mut impl Tracer,
) -> FaceGap {
    simd.vectorize(
        #[inline(always)]
        || best_listed_face(simd, side, start, known, tracer),
    )
}

#[inline(always)]
fn best_listed_face<S: Simd>(
    simd: S,
    side: &Side<'_>,
    start: FaceGap,
    known: &mut Known,
    tracer: &mut impl Tracer,
) -> FaceGap {
    let inner = side.other.inner_ball().radius;
    let mut best = start;
    let mut list = List {
        planes: [[[0.0; LANES]; 4]; LIST_BLOCKS],
        bounds: [[f32::NEG_INFINITY; LANES]; LIST_BLOCKS],
        faces: [[0; LANES]; LIST_BLOCKS],
        count: 0,
    };
    let blocks = side.owner.plane_blocks();
    for (number, block) in blocks.iter().enumerate() {
        let under_ball = lanes::heights(simd, block, side.center) - inner;
        let bounds = under_ball.min(lanes::heights(simd, block, start.point));
        let mut hits = bounds.simd_gt(best.gap).to_bitmask();
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize % LANES;
            hits &= hits - 1;
            let (place, column) = (list.count / LANES, list.count % LANES);
            if column == 0 {
                list.bounds[place] = [f32::NEG_INFINITY; LANES];
            }
            for (row, numbers) in list.planes[place].iter_mut().zip(block) {
                row[column] = numbers[lane];
            }
            list.bounds[place][column] = bounds.as_slice()[lane];
            list.faces[place][column] = (number * LANES + lane) as u32;
            list.count += 1;
        }
        // When there may be no room for another block, and at the end.
        if list.count > (LIST_BLOCKS - 1) * LANES || number + 1 == blocks.len() {
            list.measure(simd, side, &mut best, known, tracer);
            list.count = 0;
        }
    }
    best
}

impl List {
    /// Measures the faces whose bounds are above the best gap, the highest first, each of which lowers the bounds.
    #[inline(always)]
    fn measure<S: Simd>(
        &mut self,
        simd: S,
        side: &Side<'_>,
        best: &mut FaceGap,
        known: &mut Known,
        tracer: &mut impl Tracer,
    ) {
        let blocks = self.count.div_ceil(LANES);
        for _ in 0..self.count {
            let mut greatest = Greatest::new(simd);
            for (number, bounds) in self.bounds[..blocks].iter().enumerate() {
                greatest.take_in(f32x8::load_array_ref(simd, bounds), u32x8::splat(simd, number as u32));
            }
            let (index, bound) = greatest.index();
            if bound <= best.gap {
                return;
            }
            let (place, column) = (index as usize / LANES, index as usize % LANES);
            let measured = side.measure(simd, self.faces[place][column]);
            tracer.axis(|| side.record(&measured));
            if measured.gap > best.gap {
                *best = measured;
            }
            known.push(measured.point);
            for (planes, bounds) in self.planes[..blocks].iter().zip(&mut self.bounds) {
                let lower = f32x8::load_array_ref(simd, bounds).min(lanes::heights(simd, planes, measured.point));
                lower.store_slice(bounds);
            }
            self.bounds[place][column] = f32::NEG_INFINITY;
        }
    }
}
