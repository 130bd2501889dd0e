//! B5: a hierarchical grid, one uniform grid for each octave of sizes.
//!
//! A box belongs to the level of its longest edge and is kept there once, in the cell of its least corner. Within a
//! level pairs are found as in the uniform grid. Two boxes of different levels are met once, by the coarser one: it
//! goes through the cells of the finer level that it covers, whole rows at a time. So a floor meets what lies on it and
//! does not make the cells of small boxes larger. Boxes shorter than their mean distance share the finest level, and a
//! level of few boxes is joined to the next: they may be smaller than their level, never larger. The few boxes that are
//! far from all others are set apart.
//! Cost: linear for any mixture of sizes as long as what a box covers is mostly what it overlaps. Wins where sizes
//! differ and lie in all places; loses to the uniform grid at equal sizes by a little, to trees where boxes are thin,
//! for the level goes by the longest edge.
//! Source: Ericson 2005, Real-Time Collision Detection, 7.2. There, as in Mirtich 1996, a box is also entered into all
//! coarser levels; asking the finer ones instead keeps memory and sorting linear.

use super::apart::Apart;
use super::sorted_cells::{SortedCells, Tiling};
use super::spread::{Spread, longest_edge};
use super::{BoxRay, Drawn, Index, Pair, Proxies, Rebuilt};
use crate::bounds::{Aabb, BoundingVolume};

/// A level of fewer boxes is joined to the next.
const FEW_BOXES: usize = 64;
/// One for each exponent of f32.
const OCTAVES: usize = 256;

/// A grid for each octave of sizes, sorted anew for every look at the pairs.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{BroadPhase, HierarchicalGrid, Pair};
/// use carom::prelude::Vec3;
///
/// let mut broad = HierarchicalGrid::default();
/// broad.insert(0, Aabb::new(Vec3::splat(-1000.0), Vec3::splat(1000.0)))?;
/// broad.insert(1, Aabb::new(Vec3::ZERO, Vec3::splat(0.1)))?;
/// assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }]);
/// # Ok::<(), carom::broad::BroadPhaseError>(())
/// ```
pub type HierarchicalGrid = Rebuilt<Levels>;

/// Grids from the finest to the coarsest.
#[derive(Debug, Clone, Default)]
pub struct Levels {
    levels: Vec<Level>,
    apart: Apart,
    /// How many of them are in use; the others keep their memory.
    count: usize,
}

#[derive(Debug, Clone, Default)]
struct Level {
    cells: SortedCells,
    ids: Vec<u32>,
    longest: f64,
}

impl Levels {
    fn used(&self) -> &[Level] {
        &self.levels[..self.count]
    }
}

/// The octave of a length, which is not negative.
#[inline(always)]
fn octave(length: f32) -> usize {
    (length.to_bits() >> 23) as usize % OCTAVES
}

/// By octave, the number of its level, and how many levels there are.
fn levels_of_octaves(proxies: &Proxies, shortest: f32) -> ([u8; OCTAVES], usize) {
    let mut counts = [0usize; OCTAVES];
    for (_, bounds) in proxies.iter() {
        counts[octave(longest_edge(bounds).max(shortest))] += 1;
    }
    let mut levels = [0; OCTAVES];
    let (mut level, mut in_level) = (0, 0);
    let mut left = proxies.len();
    for (count, place) in counts.into_iter().zip(&mut levels) {
        *place = level;
        in_level += count;
        left -= count;
        if in_level >= FEW_BOXES && left > 0 {
            level += 1;
            in_level = 0;
        }
    }
    (levels, usize::from(level) + 1)
}

impl Index for Levels {
    fn rebuild(&mut self, proxies: &Proxies) {
        let spread = Spread::of(proxies);
        let shortest = spread.spacing.min(f64::from(f32::MAX)) as f32;
        let (level_of_octave, count) = levels_of_octaves(proxies, shortest);
        self.count = count;
        if self.levels.len() < count {
            self.levels.resize_with(count, Level::default);
        }
        for level in &mut self.levels {
            level.ids.clear();
            level.longest = 0.5 * spread.spacing;
        }
        let window = spread.window(proxies);
        self.apart.ids.clear();
        for (id, bounds) in proxies.iter() {
            if !window.contains(bounds.min) {
                self.apart.ids.push(id);
                continue;
            }
            let length = longest_edge(bounds);
            let level = &mut self.levels[usize::from(level_of_octave[octave(length.max(shortest))])];
            level.ids.push(id);
            // Beyond f32 there is up to twice its greatest number.
            level.longest = level.longest.max(f64::from(length).min(2.0 * f64::from(f32::MAX)));
        }
        for level in &mut self.levels[..count] {
            level.cells.rebuild(proxies.raw(), &level.ids, Tiling::new(level.longest, spread.middle));
        }
        self.apart.gather(proxies.raw());
    }

    fn find_pairs(&mut self, proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        let boxes = proxies.raw();
        let mut tests = self.apart.join(pairs);
        for (index, level) in self.used().iter().enumerate() {
            tests += level.cells.join(pairs) + self.apart.join_cells(&level.cells, pairs);
            for finer in &self.levels[..index] {
                for &id in level.cells.ids() {
                    tests +=
                        finer.cells.visit_overlapping(&boxes[id as usize], |other| pairs.push(Pair::new(id, other)));
                }
            }
        }
        tests
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.apart.visit_overlapping(bounds, &mut *visit);
        for level in self.used() {
            level.cells.visit_overlapping(bounds, &mut *visit);
        }
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        for &id in &self.apart.ids {
            visit(id);
        }
        for level in self.used().iter().rev() {
            level.cells.visit_ray(ray, visit);
        }
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        for (number, level) in (0u32..).zip(self.used().iter().rev()) {
            level.cells.visit_cells(|bounds, count| sink(Drawn::Cell { bounds, level: number, count }));
        }
    }

    fn memory(&self) -> usize {
        let ids: usize = self.levels.iter().map(|level| level.ids.capacity()).sum();
        let cells: usize = self.levels.iter().map(|level| level.cells.memory()).sum();
        ids * size_of::<u32>() + cells + self.apart.memory() + self.levels.capacity() * size_of::<Level>()
    }
}
