//! All pairs of points within a radius.
//!
//! The points are sorted by cell ([`super::cells`]). Each point is compared with those after it: the rest of its cell
//! and the next along x, then three cells of a row in the next row and in three rows of the next layer. That is half of
//! the 27 cells around, so each pair is met once, and five runs of consecutive points, compared eight at a time. The
//! first cell of each run only moves forward from cell to cell. Cost: the sort, and comparisons in proportion to the
//! pairs found: a constant part of the points in neighbouring cells are within the radius.
//!
//! Threads take 512 points each and write to buffers of their own, joined in order.
//! Source: the cell lists of Allen, Tildesley 1987, Computer Simulation of Liquids, 5.3.2, with rows in place of cells.

use super::cells::Cells;
use super::{LANES, PointsError, check_points};
use crate::broad::Pair;
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, f32x8};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// How many points a thread takes at a time. Fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 512;

/// Squares of radii within these neither vanish nor overflow in f32; others are compared in f64.
const SINGLE_RADII: Range<f32> = 1e-18..1e18;

/// Finds all pairs of points within a radius, and keeps its buffers for the next time.
///
/// ```
/// use carom::particles::ClosePairs;
/// use carom::prelude::*;
///
/// let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.5, 0.0), Vec3::splat(9.0)];
/// let mut close = ClosePairs::default();
/// let pairs = close.find(&points, 1.0)?;
/// assert_eq!(pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 1), (0, 2)]);
/// # Ok::<(), carom::particles::PointsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClosePairs {
    level: Level,
    cells: Cells,
    sorted: SortedPoints,
    pairs: Vec<Pair>,
    pairs_of_chunk: Vec<Vec<Pair>>,
}

/// Points in the order of their cells, coordinate by coordinate, with room behind to read eight.
#[derive(Debug, Clone, Default)]
struct SortedPoints {
    coordinates: [Vec<f32>; 3],
    ids: Vec<u32>,
}

/// The squared radius.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Single(f32),
    Double(f64),
}

impl Default for ClosePairs {
    fn default() -> Self {
        Self {
            level: crate::simd::level(),
            cells: Cells::default(),
            sorted: SortedPoints::default(),
            pairs: Vec::new(),
            pairs_of_chunk: Vec::new(),
        }
    }
}

impl ClosePairs {
    /// The pairs of points that are no farther apart than `radius`, each once.
    ///
    /// Distances are those of f32: a pair within rounding of the radius may go either way, but always the same. Points
    /// are taken in the order of their cells, cubes as wide as the radius, by z, then y, then x, then by index; pairs
    /// come in the order of their first point, then of their second.
    pub fn find(&mut self, points: &[Vec3], radius: f32) -> Result<&[Pair], PointsError> {
        check_points(points)?;
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(PointsError::BadRadius { radius });
        }
        let limit = if SINGLE_RADII.contains(&radius) {
            Limit::Single(radius * radius)
        } else {
            Limit::Double(f64::from(radius) * f64::from(radius))
        };
        self.cells.sort(points, radius);
        self.sorted.fill(points, &self.cells);
        let Self { level, cells, sorted, pairs, pairs_of_chunk } = self;
        let level = *level;
        pairs.clear();
        if rayon::current_num_threads() == 1 || points.len() <= CHUNK {
            dispatch!(level, simd => find_from(simd, cells, sorted, 0..points.len(), limit, pairs));
            return Ok(pairs);
        }
        let chunks = points.len().div_ceil(CHUNK);
        if pairs_of_chunk.len() < chunks {
            pairs_of_chunk.resize_with(chunks, Vec::new);
        }
        pairs_of_chunk[..chunks].par_iter_mut().enumerate().for_each(|(chunk, found)| {
            found.clear();
            let own = chunk * CHUNK..(chunk * CHUNK + CHUNK).min(points.len());
            dispatch!(level, simd => find_from(simd, cells, sorted, own, limit, found));
        });
        pairs.reserve(pairs_of_chunk[..chunks].iter().map(Vec::len).sum());
        for found in &pairs_of_chunk[..chunks] {
            pairs.extend_from_slice(found);
        }
        Ok(pairs)
    }

    /// The pairs found last.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }
}

impl SortedPoints {
    fn fill(&mut self, points: &[Vec3], cells: &Cells) {
        for (axis, values) in self.coordinates.iter_mut().enumerate() {
            values.clear();
            values.extend(cells.order.iter().map(|item| points[item.index as usize][axis]));
            values.resize(points.len() + LANES, 0.0);
        }
        self.ids.clear();
        self.ids.extend(cells.order.iter().map(|item| item.index));
        self.ids.resize(points.len() + LANES, 0);
    }

    fn point(&self, place: usize) -> Vec3 {
        let [x, y, z] = &self.coordinates;
        Vec3::new(x[place], y[place], z[place])
    }

    /// Bit `i` says whether point `first + i` is within the limit of `point`.
    #[inline(always)]
    fn close_lanes<S: Simd>(&self, simd: S, point: Vec3, first: usize, limit: Limit) -> u32 {
        let [x, y, z] = &self.coordinates;
        let lanes = first..first + LANES;
        match limit {
            Limit::Single(limit) => {
                let offset = |values: &[f32], own: f32| f32x8::from_slice(simd, values) - f32x8::splat(simd, own);
                let (x, y) = (offset(&x[lanes.clone()], point.x), offset(&y[lanes.clone()], point.y));
                let z = offset(&z[lanes], point.z);
                (x * x + y * y + z * z).simd_le(f32x8::splat(simd, limit)).to_bitmask() as u32
            }
            Limit::Double(limit) => lanes.zip(0..).fold(0, |hits, (place, lane)| {
                let distance_squared = self.point(place).as_dvec3().distance_squared(point.as_dvec3());
                hits | u32::from(distance_squared <= limit) << lane
            }),
        }
    }
}

/// The pairs whose first point, in the order of cells, is one of `own`.
#[inline(always)]
fn find_from<S: Simd>(
    simd: S,
    cells: &Cells,
    sorted: &SortedPoints,
    own: Range<usize>,
    limit: Limit,
    pairs: &mut Vec<Pair>,
) {
    let Cells { keys, starts, strides: [_, row, layer], .. } = cells;
    let offsets = [1, *row, layer - row, *layer, layer + row];
    let mut cell = starts.partition_point(|&start| start as usize <= own.start) - 1;
    // The cells of each run, from the first to the one behind the last.
    let mut runs = offsets.map(|offset| {
        let behind = keys.get(cell).map_or(0, |key| key + offset - 1);
        let first = keys.partition_point(|&key| key < behind);
        first..first
    });
    let mut place = own.start;
    while place < own.end {
        let end_of_cell = starts[cell + 1] as usize;
        for (run, offset) in runs.iter_mut().zip(offsets) {
            let middle = keys[cell] + offset;
            while run.start < keys.len() && keys[run.start] < middle - 1 {
                run.start += 1;
            }
            run.end = run.end.max(run.start);
            // The first run is the cell itself and the next along x.
            let greatest = if offset == 1 { middle } else { middle + 1 };
            while run.end < keys.len() && keys[run.end] <= greatest {
                run.end += 1;
            }
        }
        let mut places = runs.clone().map(|run| starts[run.start] as usize..starts[run.end] as usize);
        while place < end_of_cell.min(own.end) {
            let point = sorted.point(place);
            places[0].start = place + 1;
            for others in &places {
                let mut first = others.start;
                while first < others.end {
                    let mut hits = sorted.close_lanes(simd, point, first, limit);
                    if others.end - first < LANES {
                        hits &= (1 << (others.end - first)) - 1;
                    }
                    while hits != 0 {
                        let other = first + hits.trailing_zeros() as usize;
                        hits &= hits - 1;
                        pairs.push(Pair::new(sorted.ids[place], sorted.ids[other]));
                    }
                    first += LANES;
                }
            }
            place += 1;
        }
        cell += 1;
    }
}
