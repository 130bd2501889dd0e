//! The few boxes that would spoil a grid, too long for its cells or far from all others: a plain list, compared eight
//! at a time with each other and with what they cover of the grid.

use super::Pair;
use super::columns::{BoxColumns, WideBox};
use super::sorted_cells::SortedCells;
use crate::bounds::Aabb;
use fearless_simd::{Level, dispatch};

/// Boxes set apart from a grid.
#[derive(Debug, Clone)]
pub(super) struct Apart {
    level: Level,
    pub(super) ids: Vec<u32>,
    columns: BoxColumns,
}

impl Default for Apart {
    fn default() -> Self {
        Self { level: crate::simd::level(), ids: Vec::new(), columns: BoxColumns::default() }
    }
}

impl Apart {
    /// Takes the boxes of `ids`, which was filled before.
    pub(super) fn gather(&mut self, boxes: &[Aabb]) {
        self.columns.gather(boxes, &self.ids);
    }

    /// Adds the pairs among them.
    pub(super) fn join(&self, pairs: &mut Vec<Pair>) -> u64 {
        let mut tests = 0;
        dispatch!(self.level, simd => for (index, &id) in self.ids.iter().enumerate() {
            let bounds = WideBox::new(simd, &self.columns.get(index));
            tests += self.columns.visit_overlaps(simd, index + 1, self.ids.len(), &bounds, |other| {
                pairs.push(Pair::new(id, self.ids[other]));
            });
        });
        tests
    }

    /// Adds the pairs with boxes of a grid.
    pub(super) fn join_cells(&self, cells: &SortedCells, pairs: &mut Vec<Pair>) -> u64 {
        let mut tests = 0;
        for (index, &id) in self.ids.iter().enumerate() {
            tests += cells.visit_overlapping(&self.columns.get(index), |other| pairs.push(Pair::new(id, other)));
        }
        tests
    }

    /// Calls `visit` with each that overlaps `bounds`.
    pub(super) fn visit_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        dispatch!(self.level, simd => {
            let wide = WideBox::new(simd, bounds);
            self.columns.visit_overlaps(simd, 0, self.ids.len(), &wide, |index| visit(self.ids[index]));
        });
    }

    pub(super) fn memory(&self) -> usize {
        self.ids.capacity() * size_of::<u32>() + self.columns.memory()
    }
}
