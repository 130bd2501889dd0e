//! Boxes sorted by the cell of a uniform grid that holds their least corner; x runs fastest, so the cells of a row are
//! one run of the list. No cell is longer than it need be and none is stored: memory is linear in the boxes whatever
//! their spread.
//!
//! No box is longer than a cell, so the least corners of two that overlap differ by at most a cell along each axis.
//! Cells are numbered from the middle of the boxes, 2^20 to either side; what is farther out belongs to the last one.
//! Neither that nor rounding, which the cell's size has room for, parts neighbours. Cells are numbered in f64.
//! Where there are not many more cells than boxes, a counting sort leaves behind a table of where each cell begins.
//! Otherwise cells are sorted by number, and as a walk through the list goes to ever greater numbers, so do the rows
//! around it: their bounds are followed by cursors.
//! Cost: linear, or that of a sort by number if the boxes are spread over more than 2^30 cells.

use super::block::LANES;
use super::cell_walk::walk;
use super::columns::{BoxColumns, WideBox, lanes_below};
use super::{BoxRay, Pair};
use crate::bounds::Aabb;
use crate::radix;
use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, IVec3, Vec3};

/// Cell coordinates are from 0 to this.
const LAST_CELL: i32 = (1 << 21) - 2;
/// How many times as many cells as boxes a table may have.
const CELLS_A_BOX: u64 = 8;
const FEW_CELLS: u64 = 4096;
/// A box's own row and the four after it that touch its cell.
const RUNS: usize = 5;
/// Cells are this much larger than the largest box, for the rounding of lengths and places.
pub(super) const ROOM: f64 = 1.001;

/// Which cell a point is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    corner: DVec3,
    size: f64,
    inverse: f64,
}

impl Tiling {
    /// Cells for boxes up to `longest`, the middle ones at `middle`.
    pub(super) fn new(longest: f64, middle: Vec3) -> Self {
        let size = (longest * ROOM).max(1e-37);
        Self { corner: middle.as_dvec3() - size * f64::from(LAST_CELL / 2), size, inverse: size.recip() }
    }

    /// The cell; farther out the last one.
    #[inline(always)]
    pub(super) fn cell(&self, point: Vec3) -> IVec3 {
        let place = (point.as_dvec3() - self.corner) * self.inverse;
        // Truncation is rounding down, for nothing is below 0.
        place.clamp(DVec3::ZERO, DVec3::splat(f64::from(LAST_CELL))).as_ivec3()
    }

    /// Where a cell is.
    pub(super) fn bounds(&self, cell: IVec3) -> Aabb {
        let min = self.corner + cell.as_dvec3() * self.size;
        Aabb::new(min.as_vec3(), (min + self.size).as_vec3())
    }
}

/// Boxes sorted by cells.
#[derive(Debug, Clone)]
pub(super) struct SortedCells {
    level: Level,
    tiling: Tiling,
    /// The least and greatest cells in use.
    first: IVec3,
    last: IVec3,
    /// How far the numbers of cells are apart that follow each other along y and z.
    row: u64,
    plane: u64,
    /// By number of cell, where its run begins; empty if there are too many cells.
    starts: Vec<u32>,
    /// The numbers of the boxes' cells in rising order and one above all.
    keys: Vec<u64>,
    ids: Vec<u32>,
    columns: BoxColumns,
    cells: Vec<IVec3>,
    items: Vec<u64>,
    spare: Vec<u64>,
}

impl Default for SortedCells {
    fn default() -> Self {
        Self {
            level: crate::simd::level(),
            tiling: Tiling::new(1.0, Vec3::ZERO),
            first: IVec3::ZERO,
            last: IVec3::ZERO,
            row: 1,
            plane: 1,
            starts: Vec::new(),
            keys: Vec::new(),
            ids: Vec::new(),
            columns: BoxColumns::default(),
            cells: Vec::new(),
            items: Vec::new(),
            spare: Vec::new(),
        }
    }
}

impl SortedCells {
    /// Sorts these boxes, none of which may be longer than the tiling is made for.
    pub(super) fn rebuild(&mut self, boxes: &[Aabb], ids: &[u32], tiling: Tiling) {
        self.tiling = tiling;
        self.cells.clear();
        self.cells.extend(ids.iter().map(|&id| tiling.cell(boxes[id as usize].min)));
        self.first = self.cells.iter().copied().reduce(IVec3::min).unwrap_or(IVec3::ZERO);
        self.last = self.cells.iter().copied().reduce(IVec3::max).unwrap_or(IVec3::ZERO);
        // One empty cell between rows and one empty row between planes.
        let counts = (self.last - self.first + 2).as_u64vec3();
        self.row = counts.x;
        self.plane = counts.x * counts.y;
        let count_of_cells = self.plane.saturating_mul(counts.z + 1) + self.row + 2;
        self.ids.clear();
        self.keys.clear();
        if count_of_cells <= CELLS_A_BOX * ids.len() as u64 + FEW_CELLS {
            self.count_sort(ids, count_of_cells as usize);
        } else {
            self.starts.clear();
            self.key_sort(ids, count_of_cells);
        }
        self.keys.push(u64::MAX);
        self.columns.gather(boxes, &self.ids);
    }

    /// The number of a cell. Along each axis 0 is an empty one.
    #[inline(always)]
    fn key(&self, cell: IVec3) -> u64 {
        let [x, y, z] = (cell - self.first + 1).to_array().map(|coordinate| coordinate as u64);
        x + self.row * y + self.plane * z
    }

    fn count_sort(&mut self, ids: &[u32], count_of_cells: usize) {
        self.starts.clear();
        self.starts.resize(count_of_cells, 0);
        self.items.clear();
        for index in 0..self.cells.len() {
            let key = self.key(self.cells[index]);
            self.items.push(key);
            self.starts[key as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.ids.resize(ids.len(), 0);
        self.keys.resize(ids.len(), 0);
        // From the back, each run fills from its end to its start, which the table then holds.
        for (&key, &id) in self.items.iter().zip(ids).rev() {
            let start = &mut self.starts[key as usize];
            *start -= 1;
            self.ids[*start as usize] = id;
            self.keys[*start as usize] = key;
        }
    }

    fn key_sort(&mut self, ids: &[u32], count_of_cells: u64) {
        const RADIX_KEYS: u64 = 1 << 30;
        if count_of_cells < RADIX_KEYS {
            let bits = u64::BITS - count_of_cells.leading_zeros();
            self.items.clear();
            for (index, &id) in ids.iter().enumerate() {
                self.items.push(self.key(self.cells[index]) << 32 | u64::from(id));
            }
            radix::sort(&mut self.items, &mut self.spare, bits);
            self.ids.extend(self.items.iter().map(|&item| item as u32));
            self.keys.extend(self.items.iter().map(|&item| item >> 32));
        } else {
            let mut items: Vec<(u64, u32)> =
                ids.iter().zip(&self.cells).map(|(&id, &cell)| (self.key(cell), id)).collect();
            items.sort_unstable();
            self.ids.extend(items.iter().map(|item| item.1));
            self.keys.extend(items.iter().map(|item| item.0));
        }
    }

    /// The boxes in the order of their cells.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Adds the pairs among all boxes.
    pub(super) fn join(&self, pairs: &mut Vec<Pair>) -> u64 {
        if self.starts.is_empty() {
            let mut cursors = Cursors::new(&self.keys);
            dispatch!(self.level, simd => self.join_by(simd, |row, from, to| cursors.run(row, from, to), pairs))
        } else {
            dispatch!(self.level, simd => self.join_by(simd, |_, from, to| self.run_in_table(from, to), pairs))
        }
    }

    #[inline(always)]
    fn run_in_table(&self, from: u64, to: u64) -> (usize, usize) {
        (self.starts[from as usize] as usize, self.starts[to as usize + 1] as usize)
    }

    /// Each box against those behind it in its own cell and the next, and against those in the four rows after that
    /// touch its cell: half of the cells around, so that each pair is met once.
    #[inline(always)]
    fn join_by<S: Simd>(
        &self,
        simd: S,
        mut run: impl FnMut(usize, u64, u64) -> (usize, usize),
        pairs: &mut Vec<Pair>,
    ) -> u64 {
        let after = [0, self.row, self.plane - self.row, self.plane, self.plane + self.row];
        let mut runs = [(0, 0); RUNS];
        let mut tests = 0;
        let mut last_key = u64::MAX;
        for (index, &id) in self.ids.iter().enumerate() {
            let key = self.keys[index];
            if key != last_key {
                last_key = key;
                for (number, place) in runs.iter_mut().enumerate() {
                    let middle = key + after[number];
                    *place = run(number, middle - 1, middle + 1);
                }
            }
            runs[0].0 = index + 1;
            let bounds = WideBox::new(simd, &self.columns.get(index));
            // The hits of the first eight of each run, in one word.
            let mut hits = 0u64;
            let mut is_long = false;
            for (number, &(start, end)) in runs.iter().enumerate() {
                let length = end - start;
                is_long |= length > LANES;
                let overlaps = self.columns.overlaps(simd, start, &bounds) & lanes_below(length);
                hits |= u64::from(overlaps) << (number * LANES);
            }
            tests += (RUNS * LANES) as u64;
            while hits != 0 {
                let bit = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                pairs.push(Pair::new(id, self.ids[runs[(bit / LANES) % RUNS].0 + bit % LANES]));
            }
            if is_long {
                for &(start, end) in &runs {
                    tests += self.columns.visit_overlaps(simd, start + LANES, end, &bounds, |other| {
                        pairs.push(Pair::new(id, self.ids[other]));
                    });
                }
            }
        }
        tests
    }

    /// Calls `visit` with each box that overlaps `bounds`; returns how many were compared.
    pub(super) fn visit_overlapping(&self, bounds: &Aabb, visit: impl FnMut(u32)) -> u64 {
        dispatch!(self.level, simd => self.visit_overlapping_by(simd, bounds, visit))
    }

    #[inline(always)]
    fn visit_overlapping_by<S: Simd>(&self, simd: S, bounds: &Aabb, mut visit: impl FnMut(u32)) -> u64 {
        // Least corners are up to one cell before the window.
        let first = self.tiling.cell(bounds.min) - 1;
        let last = self.tiling.cell(bounds.max);
        let wide = WideBox::new(simd, bounds);
        let mut tests = 0;
        // Inlined, or it would run without the wide instructions.
        self.visit_runs(
            first,
            last,
            #[inline(always)]
            |start, end| {
                tests += self.columns.visit_overlaps(simd, start, end, &wide, |index| visit(self.ids[index]));
            },
        );
        tests
    }

    /// Calls `visit` with the runs of a block of cells, or with the whole list if that is less work.
    #[inline(always)]
    fn visit_runs(&self, first: IVec3, last: IVec3, mut visit: impl FnMut(usize, usize)) {
        let (first, last) = (first.max(self.first), last.min(self.last));
        if first.cmpgt(last).any() || self.ids.is_empty() {
            return;
        }
        let counts = (last - first + 1).as_u64vec3();
        // Without a table a row is two searches in the list, which take as long as comparing this many boxes.
        let boxes_a_row = if self.starts.is_empty() { 16 * LANES } else { LANES };
        if counts.y * counts.z * boxes_a_row as u64 > self.ids.len() as u64 {
            return visit(0, self.ids.len());
        }
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                let (from, to) = (self.key(IVec3::new(first.x, y, z)), self.key(IVec3::new(last.x, y, z)));
                let (start, end) = if self.starts.is_empty() {
                    let start = self.keys.partition_point(|&key| key < from);
                    (start, start + self.keys[start..].partition_point(|&key| key <= to))
                } else {
                    self.run_in_table(from, to)
                };
                if start < end {
                    visit(start, end);
                }
            }
        }
    }

    /// Calls `visit` with each box in the cells along the ray, nearer cells first; what it returns is the limit.
    pub(super) fn visit_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        // Cells at the border hold what is beyond it, too.
        let has_border = self.first.cmple(IVec3::ZERO).any() || self.last.cmpge(IVec3::splat(LAST_CELL)).any();
        let steps = (self.last - self.first).max_element() as usize;
        if has_border || steps > self.ids.len() / 4 {
            let mut limit = ray.limit();
            for (index, &id) in self.ids.iter().enumerate() {
                if ray.entry(&self.columns.get(index), limit).is_some() {
                    limit = limit.min(visit(id));
                }
            }
            return;
        }
        let corner = self.tiling.corner + self.first.as_dvec3() * self.tiling.size;
        let counts = self.last - self.first + 2;
        walk(ray, corner, self.tiling.size, counts, |from, to, mut limit| {
            self.visit_runs(self.first + from - 1, self.first + to, |start, end| {
                self.ids[start..end].iter().for_each(|&id| limit = limit.min(visit(id)));
            });
            limit
        });
    }

    /// Calls `sink` with each cell that holds boxes and with how many.
    pub(super) fn visit_cells(&self, mut sink: impl FnMut(Aabb, u32)) {
        for run in self.keys[..self.ids.len()].chunk_by(|a, b| a == b) {
            let key = run[0];
            let (z, rest) = (key / self.plane, key % self.plane);
            let cell = IVec3::new((rest % self.row) as i32, (rest / self.row) as i32, z as i32);
            sink(self.tiling.bounds(cell + self.first - 1), run.len() as u32);
        }
    }

    pub(super) fn memory(&self) -> usize {
        let words = self.starts.capacity() + self.ids.capacity() + 3 * self.cells.capacity();
        let long = self.keys.capacity() + self.items.capacity() + self.spare.capacity();
        words * size_of::<u32>() + long * size_of::<u64>() + self.columns.memory()
    }
}

/// The bounds of runs that are asked for in rising order.
struct Cursors<'a> {
    keys: &'a [u64],
    runs: [(usize, usize); RUNS],
}

impl<'a> Cursors<'a> {
    fn new(keys: &'a [u64]) -> Self {
        Self { keys, runs: [(0, 0); RUNS] }
    }

    /// The run of the keys from `from` to `to`. The last key, above all, stops both.
    #[inline(always)]
    fn run(&mut self, number: usize, from: u64, to: u64) -> (usize, usize) {
        let (start, end) = &mut self.runs[number];
        while self.keys[*start] < from {
            *start += 1;
        }
        *end = (*end).max(*start);
        while self.keys[*end] <= to {
            *end += 1;
        }
        (*start, *end)
    }
}
