//! Who does what in the passes, so that workers seldom meet.
//!
//! Worker number p of n has the p-th n-th of all slabs of space: the rows there, and the packs of each colour that begin
//! there. A row that packs of several parts touch, or packs of another part than its own, is on a border, and so is a pack
//! with such a row; all else is inside, and nobody else's. In a stage what is on the border is done first: others wait for
//! that only, see [`crate::threads::run_parts`]. So each row is touched by its packs in the order of the colours, however
//! many parts there are, and results are the same.
//! Cost: a few ns for each body of a patch, by all workers; nothing for one.

use super::colour::Group;
use super::pack::Pack;
use super::slabs::SLABS;
use crate::threads::Board;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// The parts; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    parts: Vec<Part>,
    /// How many of them there are in this step.
    count: usize,
    /// Of each row the parts that touch it, a bit each.
    touched: Vec<AtomicU32>,
    board: Board,
}

/// What one worker does, unless another helps.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Its rows on a border, and runs of those inside.
    pub(super) border_rows: Vec<u32>,
    pub(super) inside_rows: Vec<Range<u32>>,
    /// Its packs, colour by colour: those on a border first.
    packs: Vec<u32>,
    /// Of each colour where its packs in the list begin, and those of them that are inside.
    starts: Vec<[u32; 2]>,
}

impl Part {
    /// All its packs.
    pub(super) fn all_packs(&self) -> &[u32] {
        &self.packs
    }

    /// Its packs of a colour on a border, and those inside.
    #[inline]
    pub(super) fn packs(&self, group: usize) -> [&[u32]; 2] {
        let [start, inside] = self.starts[group].map(|place| place as usize);
        let end = self.starts.get(group + 1).map_or(self.packs.len(), |next| next[0] as usize);
        [&self.packs[start..inside], &self.packs[inside..end]]
    }
}

/// The slabs of a part.
fn slabs_of(part: usize, count: usize) -> Range<usize> {
    SLABS * part / count..SLABS * (part + 1) / count
}

impl Sharing {
    /// Makes so many parts of these colours and rows, of which the slabs are given; row 0 is nobody's.
    pub(super) fn begin(&mut self, count: usize, groups: &[Group], slabs: &[u8]) {
        self.count = count;
        if self.parts.len() < count {
            self.parts.resize_with(count, Part::default);
        }
        let mut part_of = [0; SLABS];
        for (index, part) in self.parts[..count].iter_mut().enumerate() {
            let own = slabs_of(index, count);
            part_of[own.clone()].fill(index);
            part.packs.clear();
            part.starts.clear();
            for group in groups {
                let start = part.packs.len() as u32;
                part.starts.push([start; 2]);
                if !group.is_serial {
                    group.packs_of(&own).into_iter().for_each(|packs| part.packs.extend(packs));
                } else if index == 0 {
                    part.packs.extend(group.packs());
                }
            }
        }
        if count > 1 {
            self.touched.resize_with(slabs.len(), AtomicU32::default);
            for (touched, slab) in self.touched.iter_mut().zip(slabs) {
                *touched.get_mut() = 1 << part_of[usize::from(*slab) % SLABS];
            }
        }
    }

    /// The parts, and the board on which they tell how far they are.
    pub(super) fn parts(&mut self) -> (&[Part], &mut Board) {
        (&self.parts[..self.count], &mut self.board)
    }

    /// The parts, to be settled.
    pub(super) fn split(&mut self) -> (&mut [Part], Marks<'_>) {
        (&mut self.parts[..self.count], Marks { touched: &self.touched, count: self.count })
    }
}

/// Who touches which rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks<'a> {
    touched: &'a [AtomicU32],
    count: usize,
}

impl Marks<'_> {
    /// Takes note that a pack of a part is there.
    #[inline]
    pub(super) fn note(self, part: usize, pack: &Pack) {
        if self.count == 1 {
            return;
        }
        for row in pack.bodies.as_flattened().iter().filter(|row| **row > 0) {
            let touched = &self.touched[*row as usize];
            // Asked first: most often it is known, and who only reads does not take the line from others.
            if touched.load(Ordering::Relaxed) & 1 << part == 0 {
                touched.fetch_or(1 << part, Ordering::Relaxed);
            }
        }
    }

    fn is_on_border(self, row: u32, part: usize) -> bool {
        row > 0 && self.touched[row as usize].load(Ordering::Relaxed) != 1 << part
    }

    /// Tells what of a part is on a border, once all packs are noted.
    pub(super) fn settle(
        self,
        index: usize,
        part: &mut Part,
        groups: &[Group],
        (slabs, rows_of): (&[u8], impl Fn(u32) -> [[u32; 8]; 2]),
    ) {
        part.border_rows.clear();
        part.inside_rows.clear();
        if self.count == 1 {
            part.inside_rows.push(1..slabs.len() as u32);
            return;
        }
        let own = slabs_of(index, self.count);
        let own = own.start as u8..own.end as u8;
        for (row, _) in (0u32..).zip(slabs).skip(1).filter(|(_, slab)| own.contains(slab)) {
            if self.is_on_border(row, index) {
                part.border_rows.push(row);
            } else if let Some(last) = part.inside_rows.last_mut().filter(|last| last.end == row) {
                last.end += 1;
            } else {
                part.inside_rows.push(row..row + 1);
            }
        }
        let all = part.packs.len() as u32;
        for group in 0..groups.len() {
            let end = part.starts.get(group + 1).map_or(all, |next| next[0]) as usize;
            let [start, inside] = &mut part.starts[group];
            // One by one means in their order.
            if groups[group].is_serial {
                *inside = end as u32;
                continue;
            }
            *inside = *start;
            for place in *start as usize..end {
                if rows_of(part.packs[place]).as_flattened().iter().any(|row| self.is_on_border(*row, index)) {
                    part.packs.swap(place, *inside as usize);
                    *inside += 1;
                }
            }
        }
    }
}
