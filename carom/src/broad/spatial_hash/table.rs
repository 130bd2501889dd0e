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
}

#[derive(Debug, Clone, Default)]
pub(super) struct CellTable {
    cells: Vec<Cell>,
    /// Hash and number of a cell in one word, or [`FREE`]; the length is a power of two. Most probes end without a look
    /// at the cell.
    slots: Vec<u64>,
    /// The hash's upper bits say the slot.
    shift: u32,
}

const FREE: u64 = u64::MAX;

/// The primes of the source, and one more for the level.
const PRIMES: [u32; 4] = [73_856_093, 19_349_663, 83_492_791, 49_979_687];

#[inline(always)]
fn hash(level: i32, place: IVec3) -> u32 {
    let [x, y, z] = place.to_array().map(|coordinate| coordinate as u32);
    let word = x.wrapping_mul(PRIMES[0]) ^ y.wrapping_mul(PRIMES[1]) ^ z.wrapping_mul(PRIMES[2]);
    // A remainder by a power of two would keep the lower bits, in which neighbouring cells make long clusters; the upper
    // bits of one more product are mixed.
    (word ^ (level as u32).wrapping_mul(PRIMES[3])).wrapping_mul(0x9E37_79B9)
}

impl CellTable {
    /// Takes out all cells and makes room for up to `count`.
    pub(super) fn clear(&mut self, count: usize) {
        self.cells.clear();
        let length = (2 * count).next_power_of_two().clamp(16, 1 << 31);
        self.shift = length.leading_zeros() + 1 - (usize::BITS - u32::BITS);
        self.slots.clear();
        self.slots.resize(length, FREE);
    }

    /// The slot of a cell, or the free one where it would go.
    #[inline(always)]
    fn slot(&self, hash: u32, level: i32, place: IVec3) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> self.shift) as usize & mask;
        loop {
            let word = self.slots[slot];
            if word == FREE {
                return slot;
            }
            if (word >> 32) as u32 == hash {
                let cell = &self.cells[word as u32 as usize];
                if cell.place == place && cell.level == level {
                    return slot;
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Counts a box into a cell; returns the cell's number.
    #[inline(always)]
    pub(super) fn count(&mut self, level: i32, place: IVec3) -> u32 {
        let hash = hash(level, place);
        let slot = self.slot(hash, level, place);
        if self.slots[slot] == FREE {
            self.slots[slot] = u64::from(hash) << 32 | self.cells.len() as u64;
            self.cells.push(Cell { level, place, start: 0, end: 0 });
        }
        let number = self.slots[slot] as u32;
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
        let word = self.slots[self.slot(hash(level, place), level, place)];
        self.cells.get(word as u32 as usize).filter(|_| word != FREE)
    }

    pub(super) fn cells(&self) -> std::slice::Iter<'_, Cell> {
        self.cells.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>() + self.slots.capacity() * size_of::<u64>()
    }
}
