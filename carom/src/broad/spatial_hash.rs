//! B6: a spatial hash, the cells of an unbounded grid of several levels in one table.
//!
//! Level l has cells of side 2^l. A box belongs to the least level whose cells are longer than its longest edge and is
//! kept once, in the cell of its least corner; only cells that hold something are stored. Boxes that overlap are then
//! in neighbouring cells of one level, or the coarser one is in or next to the cell that holds the finer one's corner
//! at the coarser level. So each cell gathers what is in it, in its neighbours after it and in the cells around it on
//! all coarser levels, and compares its boxes with that, eight at a time. Cell numbers end at ±2^29; what is farther
//! out shares the last cells, which no more parts neighbours than the division by a power of two, which is exact.
//! Cost: linear, with 13 look-ups a cell and ten more for each coarser level in use. Wins over the sorted grids
//! nowhere when all pairs are wanted; it is the one that needs neither bounds nor middle nor sorting.
//! Source: Teschner, Heidelberger, Müller, Pomeranets, Gross 2003, Optimized Spatial Hashing for Collision Detection of
//! Deformable Objects (VMV), for the hash; Mirtich 1996 for levels. Here a probe compares whole cell numbers, so boxes
//! of different cells never share a bucket.

mod table;

use super::block::{BoxBlock, LANES};
use super::cell_walk::walk;
use super::spread::{Spread, longest_edge};
use super::{BoxRay, Drawn, Index, Pair, Proxies, Rebuilt};
use crate::bounds::{Aabb, BoundingVolume};
use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, IVec3, Vec3};
use table::{Cell, CellTable};

/// A hash of cells of all sizes, filled anew for every look at the pairs.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{BroadPhase, Pair, SpatialHash};
/// use carom::prelude::Vec3;
///
/// let mut broad = SpatialHash::default();
/// broad.insert(0, Aabb::new(Vec3::splat(-1e6), Vec3::splat(1e6)))?;
/// broad.insert(1, Aabb::new(Vec3::ZERO, Vec3::splat(0.1)))?;
/// assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }]);
/// # Ok::<(), carom::broad::BroadPhaseError>(())
/// ```
pub type SpatialHash = Rebuilt<HashedCells>;

/// Boxes by cell, the cells in a hash table.
#[derive(Debug, Clone)]
pub struct HashedCells {
    level: Level,
    table: CellTable,
    /// The levels in use, rising.
    levels: Vec<LevelInUse>,
    /// The boxes of each cell one after the other, and their ids.
    boxes: Vec<Aabb>,
    ids: Vec<u32>,
    cell_of: Vec<u32>,
    gathered: Gathered,
}

#[derive(Debug, Clone, Copy)]
struct LevelInUse {
    level: i32,
    cells: u32,
    /// Least and greatest cell.
    first: IVec3,
    last: IVec3,
}

/// What the boxes of a cell are compared with.
#[derive(Debug, Clone, Default)]
struct Gathered {
    blocks: Vec<BoxBlock>,
    ids: Vec<u32>,
}

impl Gathered {
    fn clear(&mut self) {
        self.blocks.clear();
        self.ids.clear();
    }

    #[inline(always)]
    fn push(&mut self, id: u32, bounds: &Aabb) {
        let lane = self.ids.len() % LANES;
        if lane == 0 {
            self.blocks.push(BoxBlock::EMPTY);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.set(lane, bounds);
        }
        self.ids.push(id);
    }
}

impl Default for HashedCells {
    fn default() -> Self {
        Self {
            level: crate::simd::level(),
            table: CellTable::default(),
            levels: Vec::new(),
            boxes: Vec::new(),
            ids: Vec::new(),
            cell_of: Vec::new(),
            gathered: Gathered::default(),
        }
    }
}

/// Levels of cells that hold all lengths, also twice the greatest f32, with room for the rounding of lengths.
const LAST_LEVEL: i32 = 130;
const FIRST_LEVEL: i32 = -126;
/// Cell numbers are from minus this to this, so that their differences are numbers, too.
const LAST_CELL: i32 = 1 << 29;

/// The least level whose cells are longer than `length`.
#[inline(always)]
fn level_of(length: f32) -> i32 {
    // A little longer, for the rounding of lengths; the exponent of a length is that of the power of two below it.
    let exponent = ((length * 1.001).to_bits() >> 23) as i32 - 127;
    (exponent + 1).clamp(FIRST_LEVEL, LAST_LEVEL)
}

/// 2^level.
#[inline(always)]
fn side(level: i32) -> f64 {
    f64::from_bits(((1023 + level) as u64) << 52)
}

/// The cell of a point at a level.
#[inline(always)]
fn cell_at(level: i32, point: Vec3) -> IVec3 {
    let place = (point.as_dvec3() * side(-level)).floor();
    let last = DVec3::splat(f64::from(LAST_CELL));
    place.clamp(-last, last).as_ivec3()
}

impl Index for HashedCells {
    fn rebuild(&mut self, proxies: &Proxies) {
        // Look-ups are dearer than comparisons: cells are not smaller than the boxes' distance.
        let shortest = level_of(Spread::of(proxies).spacing.min(f64::from(f32::MAX)) as f32);
        self.table.clear(proxies.len());
        self.cell_of.clear();
        for (_, bounds) in proxies.iter() {
            let level = level_of(longest_edge(bounds)).max(shortest);
            self.cell_of.push(self.table.count(level, cell_at(level, bounds.min)));
        }
        self.table.begin_runs();
        self.boxes.clear();
        self.boxes.resize(proxies.len(), super::block::NOTHING);
        self.ids.clear();
        self.ids.resize(proxies.len(), 0);
        for ((id, bounds), &cell) in proxies.iter().zip(&self.cell_of) {
            let place = self.table.next_place(cell) as usize;
            self.boxes[place] = *bounds;
            self.ids[place] = id;
        }
        self.list_levels();
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        let mut gathered = std::mem::take(&mut self.gathered);
        let mut tests = 0;
        for cell in self.table.cells() {
            let own = self.gather(cell, &mut gathered);
            tests += dispatch!(self.level, simd => compare(simd, &self.boxes[own], &gathered, pairs));
        }
        self.gathered = gathered;
        tests
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        for level in &self.levels {
            let first = cell_at(level.level, bounds.min) - 1;
            self.visit_block(level, first, cell_at(level.level, bounds.max), |cell| {
                self.ids[cell.run()].iter().for_each(|&id| visit(id));
            });
        }
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        for level in self.levels.iter().rev() {
            let steps = (level.last - level.first).max_element() as u32;
            // The last cells hold what is beyond them, too.
            let has_border = level.first.min_element() <= -LAST_CELL || level.last.max_element() >= LAST_CELL;
            if has_border || steps > level.cells {
                self.table.cells().filter(|cell| cell.level == level.level).for_each(|cell| {
                    self.ids[cell.run()].iter().for_each(|&id| {
                        visit(id);
                    });
                });
                continue;
            }
            let size = side(level.level);
            let corner = level.first.as_dvec3() * size;
            walk(ray, corner, size, level.last - level.first + 2, |from, to, mut limit| {
                self.visit_block(level, level.first + from - 1, level.first + to, |cell| {
                    self.ids[cell.run()].iter().for_each(|&id| limit = limit.min(visit(id)));
                });
                limit
            });
        }
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        for cell in self.table.cells() {
            let number = self.levels.iter().rev().position(|level| level.level == cell.level).unwrap_or(0);
            let min = cell.place.as_dvec3() * side(cell.level);
            let bounds = Aabb::rounded_outward(min, min + side(cell.level));
            sink(Drawn::Cell { bounds, level: number as u32, count: cell.run().len() as u32 });
        }
    }

    fn memory(&self) -> usize {
        let words = self.ids.capacity() + self.cell_of.capacity() + self.gathered.ids.capacity();
        let boxes = self.boxes.capacity() * size_of::<Aabb>() + self.gathered.blocks.capacity() * size_of::<BoxBlock>();
        words * size_of::<u32>() + boxes + self.levels.capacity() * size_of::<LevelInUse>() + self.table.memory()
    }
}

impl HashedCells {
    fn list_levels(&mut self) {
        self.levels.clear();
        for cell in self.table.cells() {
            let place = match self.levels.binary_search_by_key(&cell.level, |level| level.level) {
                Ok(place) => place,
                Err(place) => {
                    let new = LevelInUse { level: cell.level, cells: 0, first: cell.place, last: cell.place };
                    self.levels.insert(place, new);
                    place
                }
            };
            let level = &mut self.levels[place];
            level.cells += 1;
            level.first = level.first.min(cell.place);
            level.last = level.last.max(cell.place);
        }
    }

    /// Gathers what a cell's boxes are compared with, its own first; returns where those are.
    #[inline(always)]
    fn gather(&self, cell: &Cell, gathered: &mut Gathered) -> std::ops::Range<usize> {
        gathered.clear();
        let own = cell.run();
        let mut around = super::block::NOTHING;
        for (&id, bounds) in self.ids[own.clone()].iter().zip(&self.boxes[own.clone()]) {
            gathered.push(id, bounds);
            around = around.merged(bounds);
        }
        let mut take = |found: &Cell| {
            let run = found.run();
            for (&id, bounds) in self.ids[run.clone()].iter().zip(&self.boxes[run]) {
                if bounds.overlaps(&around) {
                    gathered.push(id, bounds);
                }
            }
        };
        for level in self.levels.iter().filter(|level| level.level >= cell.level) {
            let first = cell_at(level.level, around.min) - 1;
            let last = cell_at(level.level, around.max);
            if level.level > cell.level {
                self.visit_block(level, first, last, &mut take);
            } else {
                // Two cells of a level meet once: the planes after, the rows after in this plane, the cells in this row.
                let IVec3 { x, y, z } = cell.place;
                self.visit_block(level, first.with_z(z + 1), last, &mut take);
                self.visit_block(level, IVec3::new(first.x, y + 1, z), last.with_z(z), &mut take);
                self.visit_block(level, IVec3::new(x + 1, y, z), last.with_y(y).with_z(z), &mut take);
            }
        }
        own
    }

    /// Calls `visit` with the cells of a block that hold something.
    #[inline(always)]
    fn visit_block(&self, level: &LevelInUse, first: IVec3, last: IVec3, mut visit: impl FnMut(&Cell)) {
        let (first, last) = (first.max(level.first), last.min(level.last));
        if first.cmpgt(last).any() {
            return;
        }
        let counts = (last - first + 1).as_u64vec3();
        let count = counts.x.saturating_mul(counts.y).saturating_mul(counts.z);
        if count > self.table.len() as u64 {
            let is_inside = |cell: &&Cell| {
                cell.level == level.level && first.cmple(cell.place).all() && cell.place.cmple(last).all()
            };
            return self.table.cells().filter(is_inside).for_each(visit);
        }
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    if let Some(cell) = self.table.find(level.level, IVec3::new(x, y, z)) {
                        visit(cell);
                    }
                }
            }
        }
    }
}

/// Each of a cell's boxes, which begin the gathered list, against all behind it there.
#[inline(always)]
fn compare<S: Simd>(simd: S, own: &[Aabb], gathered: &Gathered, pairs: &mut Vec<Pair>) -> u64 {
    let mut tests = 0;
    for (index, bounds) in own.iter().enumerate() {
        let id = gathered.ids[index];
        let mut first = index % LANES + 1;
        for block in index / LANES..gathered.blocks.len() {
            let mut hits = gathered.blocks[block].overlaps(simd, bounds) & (!0u32 << first);
            first = 0;
            tests += LANES as u64;
            while hits != 0 {
                pairs.push(Pair::new(id, gathered.ids[block * LANES + hits.trailing_zeros() as usize]));
                hits &= hits - 1;
            }
        }
    }
    tests
}
