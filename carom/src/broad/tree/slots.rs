//! What is known of each slot besides its enlarged box.

use super::super::block::{NOTHING, NUMBERS};
use super::NONE;
use crate::bounds::Aabb;
use fearless_simd::{Simd, SimdBase, SimdMask, f32x4};
use glam::{Vec3, Vec3A};
use std::ops::Range;

/// All slots in the order of the tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    /// The boxes as given, six numbers each, and two numbers more at the end: corners are read four numbers at a time.
    corners: Vec<f32>,
    ids: Vec<u32>,
    marks: Vec<u8>,
    moved_count: usize,
    /// Slots below this one hold what moved when they were sorted last, the others what did not.
    movers: u32,
    /// How many of those that moved are not among the movers.
    surprises: usize,
}

/// The box has changed since the last refresh.
const MOVED: u8 = 1;
/// The enlarged box has changed since the last refresh; so the slot is in the list of those that left.
const LEFT: u8 = 2;

/// How many make a line of memory.
const LINE: usize = 16;
/// How many are read beyond the last.
const BEYOND: usize = 2;

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Makes room for `count` slots, neither moved nor left; what they hold is to be written.
    pub(super) fn reset(&mut self, count: usize) {
        self.corners.resize(count * NUMBERS + BEYOND, 0.0);
        self.ids.resize(count, NONE);
        self.marks.clear();
        self.marks.resize(count, 0);
        (self.moved_count, self.movers, self.surprises) = (0, 0, 0);
    }

    /// The first `movers` slots hold all that has moved.
    pub(super) fn set_movers(&mut self, movers: u32) {
        (self.movers, self.surprises) = (movers, 0);
    }

    /// Whether a slot is among those that moved before.
    #[inline(always)]
    pub(super) fn is_mover(&self, slot: u32) -> bool {
        slot < self.movers
    }

    /// Whether any are told apart.
    pub(super) fn has_movers(&self) -> bool {
        self.movers > 0
    }

    /// How many have moved that are not among the movers.
    pub(super) fn surprises(&self) -> usize {
        self.surprises
    }

    pub(super) fn push(&mut self) {
        self.ids.push(NONE);
        let count = self.ids.len();
        self.corners.resize(count * NUMBERS + BEYOND, 0.0);
        self.set_bounds(count as u32 - 1, &NOTHING);
        self.marks.push(0);
    }

    /// The numbers of all boxes and the ids, to be written.
    pub(super) fn parts_mut(&mut self) -> (&mut [f32], &mut [u32]) {
        let count = self.ids.len();
        (&mut self.corners[..count * NUMBERS], &mut self.ids)
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    #[inline(always)]
    pub(super) fn id(&self, slot: u32) -> u32 {
        self.ids[slot as usize]
    }

    #[inline(always)]
    pub(super) fn set_id(&mut self, slot: u32, id: u32) {
        self.ids[slot as usize] = id;
    }

    #[inline(always)]
    fn numbers(&self, slot: u32) -> &[f32] {
        let first = slot as usize * NUMBERS;
        &self.corners[first..first + NUMBERS + BEYOND]
    }

    #[inline(always)]
    pub(super) fn bounds(&self, slot: u32) -> Aabb {
        read_box(self.numbers(slot))
    }

    #[inline(always)]
    pub(super) fn set_bounds(&mut self, slot: u32, bounds: &Aabb) {
        let first = slot as usize * NUMBERS;
        write_box(&mut self.corners[first..first + NUMBERS], bounds);
    }

    /// Puts a box in place of the slot's own; says whether it is another.
    #[inline(always)]
    pub(super) fn replace_bounds(&mut self, slot: u32, min: Vec3A, max: Vec3A) -> bool {
        let first = slot as usize * NUMBERS;
        let numbers = &mut self.corners[first..first + NUMBERS];
        let (old_min, old_max) = (Vec3A::from_slice(numbers), Vec3A::from_slice(&numbers[3..]));
        min.write_to_slice(numbers);
        max.write_to_slice(&mut numbers[3..]);
        !(old_min.cmpeq(min) & old_max.cmpeq(max)).all()
    }

    /// Reads from each line of memory that holds boxes of these slots; what is returned means nothing.
    #[inline(always)]
    pub(super) fn touch(&self, slots: Range<usize>) -> u32 {
        let numbers = &self.corners[slots.start * NUMBERS..slots.end * NUMBERS];
        numbers.iter().step_by(LINE).fold(0, |bits, number| bits | number.to_bits())
    }

    /// Reads from each line of memory that holds the box of this slot; what is returned means nothing.
    #[inline(always)]
    pub(super) fn touch_box(&self, slot: u32) -> u32 {
        let numbers = self.numbers(slot);
        numbers[0].to_bits() | numbers[NUMBERS - 1].to_bits()
    }

    /// Whether there is a box, not just room for one.
    #[inline(always)]
    pub(super) fn has_box(&self, slot: u32) -> bool {
        let numbers = self.numbers(slot);
        numbers[0] <= numbers[3]
    }

    /// Whether the boxes of two slots overlap.
    #[inline(always)]
    pub(super) fn overlap<S: Simd>(&self, simd: S, a: u32, b: u32) -> bool {
        let (a, b) = (self.numbers(a), self.numbers(b));
        let (min_a, max_a) = (f32x4::from_slice(simd, &a[..4]), f32x4::from_slice(simd, &a[3..7]));
        let (min_b, max_b) = (f32x4::from_slice(simd, &b[..4]), f32x4::from_slice(simd, &b[3..7]));
        // The fourth lanes belong to something else.
        (min_a.simd_le(max_b) & min_b.simd_le(max_a)).to_bitmask() & 0b111 == 0b111
    }

    #[inline(always)]
    pub(super) fn mark_moved(&mut self, slot: u32) {
        self.mark(slot, MOVED);
    }

    /// Says whether it had not left before.
    #[inline(always)]
    pub(super) fn mark_left(&mut self, slot: u32) -> bool {
        self.mark(slot, MOVED | LEFT) & LEFT == 0
    }

    /// Returns the marks before.
    #[inline(always)]
    fn mark(&mut self, slot: u32, marks: u8) -> u8 {
        let before = self.marks[slot as usize];
        self.marks[slot as usize] = before | marks;
        let is_first = before & MOVED == 0;
        self.moved_count += usize::from(is_first);
        self.surprises += usize::from(is_first && slot >= self.movers);
        before
    }

    #[inline(always)]
    pub(super) fn has_moved(&self, slot: u32) -> bool {
        self.marks[slot as usize] != 0
    }

    #[inline(always)]
    pub(super) fn has_left(&self, slot: u32) -> bool {
        self.marks[slot as usize] & LEFT != 0
    }

    /// Whether a slot that has left looks for another, which it has found. Two that both left meet once.
    #[inline(always)]
    pub(super) fn is_asked_by(&self, other: u32, slot: u32) -> bool {
        other > slot || (other < slot && !self.has_left(other))
    }

    /// Whether one of two slots has moved.
    #[inline(always)]
    pub(super) fn either_moved(&self, a: u32, b: u32) -> bool {
        self.marks[a as usize] | self.marks[b as usize] != 0
    }

    /// Whether one of two slots has left.
    #[inline(always)]
    pub(super) fn either_left(&self, a: u32, b: u32) -> bool {
        (self.marks[a as usize] | self.marks[b as usize]) & LEFT != 0
    }

    pub(super) fn moved_count(&self) -> usize {
        self.moved_count
    }

    pub(super) fn forget_moves(&mut self) {
        self.surprises = 0;
        if std::mem::take(&mut self.moved_count) > 0 {
            self.marks.fill(0);
        }
    }

    pub(super) fn memory(&self) -> usize {
        (self.corners.capacity() + self.ids.capacity()) * 4 + self.marks.capacity()
    }
}

/// Writes the six numbers of a box.
#[inline(always)]
pub(super) fn write_box(place: &mut [f32], bounds: &Aabb) {
    bounds.min.write_to_slice(place);
    bounds.max.write_to_slice(&mut place[3..]);
}

/// The box that [`write_box`] wrote.
#[inline(always)]
pub(super) fn read_box(numbers: &[f32]) -> Aabb {
    Aabb { min: Vec3::from_slice(numbers), max: Vec3::from_slice(&numbers[3..]) }
}
