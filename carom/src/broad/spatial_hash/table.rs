//! Cells by level and place: a list, and an open-addressing table of numbers into it, linear probing, at most half
//! full.

use glam::IVec3;

/// A cell that holds something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) level: i32,
    pub(super) place: IVec3,
    start: u32,
    end: u32,
}

impl Cell {
    /// Where its boxes are.
    #[inline(always)]
    pub(super) fn run(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// By this the cells of a level are told apart and ordered: no two have the same run.
    #[inline(always)]
    pub(super) fn number(&self) -> u32 {
        self.start
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct CellTable {
    cells: Vec<Cell>,
    /// Numbers of cells or [`FREE`]; the length is a power of two.
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

/// The primes of the source, and one more for the level.
const PRIMES: [u32; 4] = [73_856_093, 19_349_663, 83_492_791, 49_979_687];

#[inline(always)]
fn hash(level: i32, place: IVec3) -> usize {
    let [x, y, z] = place.to_array().map(|coordinate| coordinate as u32);
    let word = x.wrapping_mul(PRIMES[0]) ^ y.wrapping_mul(PRIMES[1]) ^ z.wrapping_mul(PRIMES[2]);
    (word ^ (level as u32).wrapping_mul(PRIMES[3])) as usize
}

impl CellTable {
    /// Takes out all cells and makes room for up to `count`.
    pub(super) fn clear(&mut self, count: usize) {
        self.cells.clear();
        let length = (2 * count).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(length, FREE);
    }

    /// The slot of a cell, or the free one where it would go.
    #[inline(always)]
    fn slot(&self, level: i32, place: IVec3) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(level, place) & mask;
        loop {
            match self.cells.get(self.slots[slot] as usize) {
                Some(cell) if cell.place != place || cell.level != level => slot = (slot + 1) & mask,
                Some(_) | None => return slot,
            }
        }
    }

    /// Counts a box into a cell; returns the cell's number.
    #[inline(always)]
    pub(super) fn count(&mut self, level: i32, place: IVec3) -> u32 {
        let slot = self.slot(level, place);
        if self.slots[slot] == FREE {
            self.slots[slot] = self.cells.len() as u32;
            self.cells.push(Cell { level, place, start: 0, end: 0 });
        }
        let number = self.slots[slot];
        self.cells[number as usize].end += 1;
        number
    }

    /// After all boxes have been counted: lays out the cells' runs one after the other, still empty.
    pub(super) fn begin_runs(&mut self) {
        let mut sum = 0;
        for cell in &mut self.cells {
            cell.start = sum;
            sum += cell.end;
            cell.end = cell.start;
        }
    }

    /// The place of one more box of a cell.
    #[inline(always)]
    pub(super) fn next_place(&mut self, number: u32) -> u32 {
        let end = &mut self.cells[number as usize].end;
        *end += 1;
        *end - 1
    }

    /// A cell, if it holds something.
    #[inline(always)]
    pub(super) fn find(&self, level: i32, place: IVec3) -> Option<&Cell> {
        if self.slots.is_empty() {
            return None;
        }
        self.cells.get(self.slots[self.slot(level, place)] as usize)
    }

    pub(super) fn cells(&self) -> std::slice::Iter<'_, Cell> {
        self.cells.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>() + self.slots.capacity() * size_of::<u32>()
    }
}
