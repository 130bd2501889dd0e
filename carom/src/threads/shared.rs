//! A slice in which several workers write at once, each in places of its own.
//!
//! The only unsafe code of the library, with its callers in the stages that run in parallel. What makes it sound is said
//! there: a stage gives each block to one worker, patches of one colour have no movable body in common, and parts come to what
//! they share in the order of the stages.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ops::Range;

/// A slice whose places are handed out one by one.
#[derive(Debug)]
pub(crate) struct Shared<'a, T> {
    cells: &'a [UnsafeCell<T>],
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: places are reached through `get` and `get_mut` only, whose callers keep readers and writers of a place apart.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Send for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// All of a slice, which nobody else sees meanwhile.
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        // SAFETY: a cell lies in memory as what is in it, and the slice is borrowed by this alone.
        Self { cells: unsafe { &*(std::ptr::from_mut(slice) as *const [UnsafeCell<T>]) } }
    }

    /// How many places there are.
    pub(crate) fn len(self) -> usize {
        self.cells.len()
    }

    /// A place to read.
    ///
    /// # Safety
    ///
    /// Nobody writes to the place while the reference lives.
    #[inline(always)]
    pub(crate) unsafe fn get(self, index: usize) -> &'a T {
        // SAFETY: nobody writes, as the caller says.
        unsafe { &*self.cells[index].get() }
    }

    /// Asks for so many bytes of a place from its start on: they are needed soon.
    #[inline(always)]
    pub(crate) fn fetch(self, index: usize, bytes: usize) {
        fetch(self.cells[index].get().cast_const(), bytes.min(size_of::<T>()));
    }

    /// Asks for some bytes of a place, which are written soon.
    #[inline(always)]
    pub(crate) fn fetch_to_write(self, index: usize, bytes: Range<usize>) {
        let start = self.cells[index].get().cast_const().cast::<u8>().wrapping_add(bytes.start);
        fetch_to_write(start, bytes.end.min(size_of::<T>()) - bytes.start);
    }

    /// Asks for all of a place, which is written soon.
    #[inline(always)]
    pub(crate) fn fetch_all_to_write(self, index: usize) {
        self.fetch_to_write(index, 0..size_of::<T>());
    }

    /// A place to write.
    ///
    /// # Safety
    ///
    /// Nobody else reads or writes the place while the reference lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get_mut(self, index: usize) -> &'a mut T {
        // SAFETY: nobody else is there, as the caller says.
        unsafe { &mut *self.cells[index].get() }
    }
}

/// Asks for memory that is needed soon; what is in it is not looked at.
#[inline(always)]
pub(crate) fn fetch<T>(place: *const T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for offset in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it is a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast::<i8>().wrapping_add(offset)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (place, bytes);
}

/// Asks for memory that is written soon, for this core alone. Until a line is there, what was written to it waits, and so does
/// all that is written after it, and whatever reads some of that in other pieces than it was written in.
#[inline(always)]
fn fetch_to_write<T>(place: *const T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for offset in (0..bytes).step_by(64) {
        let line = place.cast::<u8>().wrapping_add(offset);
        // SAFETY: it is a hint, whatever the address, and changes nothing; machines that do not know it pass over it.
        unsafe { std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, preserves_flags, readonly)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (place, bytes);
}

/// Writes what is another than before. Who only reads does not take the line of memory from others, and most of what is found
/// anew in every step is as it was.
#[inline(always)]
pub(crate) fn renew<T: PartialEq>(place: &mut T, value: T) {
    if *place != value {
        *place = value;
    }
}
