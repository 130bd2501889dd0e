//! What a step has found of the live pairs, a bit each: so that later stages look at those pairs only that they mean.
//!
//! A pair is some dozen bytes, and where there are many of them each look at all comes from memory; their bits are in every
//! cache. They are right from the end of the stage that collides to the end of the step, while no pair changes its place; and
//! while that stage goes on they follow pairs that do.

use super::Head;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many pairs have their bits in one word.
pub(in crate::narrow) const WORD: usize = u64::BITS as usize;

/// The words of some neighbouring pairs, in a line of memory of their own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(in crate::narrow) struct Marks {
    /// It was collided in this step, or asked and left alone.
    known: AtomicU64,
    /// It pushes.
    pushing: AtomicU64,
    /// It touched after the last step.
    touched: AtomicU64,
    /// It pushed when islands last followed it.
    linked: AtomicU64,
    /// It is deep enough to touch; and it has pushed in this step, and so touches.
    deep: AtomicU64,
    pushed: AtomicU64,
    /// One of its manifolds leads into other ground.
    inner: AtomicU64,
    /// How many manifolds those that push have.
    manifolds: AtomicU32,
}

/// The bits of some pairs of one word, to be put in at once.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    known: u64,
    pushing: u64,
    touched: u64,
    linked: u64,
    deep: u64,
    pushed: u64,
    inner: u64,
    manifolds: u32,
}

impl Found {
    /// Takes note of a pair as it was before it is collided.
    #[inline(always)]
    pub(super) fn note_before(&mut self, place: usize, head: &Head) {
        self.known |= 1 << (place % WORD);
        self.touched |= u64::from(head.is_touching) << (place % WORD);
        self.linked |= u64::from(head.is_linked) << (place % WORD);
    }

    /// Takes note of what was found.
    #[inline(always)]
    pub(super) fn note(&mut self, place: usize, head: &Head) {
        self.pushing |= u64::from(head.pushes()) << (place % WORD);
        self.manifolds += if head.pushes() { head.manifolds } else { 0 };
        self.deep |= u64::from(head.manifolds > 0 && head.deepest >= 0.0) << (place % WORD);
        self.inner |= u64::from(head.has_inner) << (place % WORD);
    }
}

impl Marks {
    /// The words, each with the bits that go there.
    #[inline(always)]
    fn words_with(&self, found: Found) -> [(&AtomicU64, u64); 7] {
        [
            (&self.known, found.known),
            (&self.pushing, found.pushing),
            (&self.touched, found.touched),
            (&self.linked, found.linked),
            (&self.deep, found.deep),
            (&self.pushed, found.pushed),
            (&self.inner, found.inner),
        ]
    }

    /// Adds what was found of some of the pairs.
    pub(super) fn put(&self, found: Found) {
        for (word, bits) in self.words_with(found) {
            // Of most nothing is to be said.
            if bits != 0 {
                word.fetch_or(bits, Ordering::Relaxed);
            }
        }
        if found.manifolds > 0 {
            self.manifolds.fetch_add(found.manifolds, Ordering::Relaxed);
        }
    }

    /// Forgets a pair; says whether it was collided in this step.
    pub(super) fn forget(&mut self, place: usize, head: &Head) -> bool {
        let bit = 1 << (place % WORD);
        let was_known = self.known() & bit != 0;
        if *self.pushing.get_mut() & bit != 0 {
            *self.manifolds.get_mut() -= head.manifolds;
        }
        for (word, _) in self.words_with(Found::default()) {
            word.fetch_and(!bit, Ordering::Relaxed);
        }
        was_known
    }

    /// Those that were collided in this step.
    pub(super) fn known(&self) -> u64 {
        self.known.load(Ordering::Relaxed)
    }

    pub(in crate::narrow) fn pushing(&self) -> u64 {
        self.pushing.load(Ordering::Relaxed)
    }

    /// Those that push and did not when islands last followed them, or do no longer.
    pub(super) fn changed_links(&self) -> u64 {
        self.pushing() ^ self.linked.load(Ordering::Relaxed)
    }

    pub(in crate::narrow) fn manifolds(&self) -> u32 {
        self.manifolds.load(Ordering::Relaxed)
    }

    pub(in crate::narrow) fn note_inner(&mut self, place: usize) {
        *self.inner.get_mut() |= 1 << (place % WORD);
    }

    /// Those that touch now, as far as no manifold leads into other ground; those that touched before; and those of which
    /// manifolds do.
    pub(super) fn touches(&self) -> [u64; 3] {
        let [deep, pushed, touched, inner] =
            [&self.deep, &self.pushed, &self.touched, &self.inner].map(|word| word.load(Ordering::Relaxed));
        [deep | pushed, touched, inner]
    }

    pub(super) fn has_pushed(&self, place: usize) -> bool {
        self.pushed.load(Ordering::Relaxed) >> (place % WORD) & 1 != 0
    }
}

/// The places of the bits of a word whose first is given.
pub(in crate::narrow) fn places(first: usize, word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let place = (rest != 0).then(|| first + rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        place
    })
}

/// Who tells which pairs have pushed, mostly one after the other in their order: word by word, since writing what others may
/// write takes long.
#[derive(Debug, Clone)]
pub(crate) struct Pushed<'a> {
    marks: &'a [Marks],
    word: usize,
    bits: u64,
}

impl<'a> Pushed<'a> {
    pub(super) fn new(marks: &'a [Marks]) -> Self {
        Self { marks, word: 0, bits: 0 }
    }

    /// A pair has pushed, or not.
    #[inline(always)]
    pub(crate) fn tell(&mut self, place: u32, has_pushed: bool) {
        let word = place as usize / WORD;
        if word != self.word {
            self.put();
            self.word = word;
        }
        self.bits |= u64::from(has_pushed) << (place as usize % WORD);
    }

    fn put(&mut self) {
        let pushed = std::mem::take(&mut self.bits);
        if let Some(marks) = self.marks.get(self.word) {
            marks.put(Found { pushed, ..Found::default() });
        }
    }
}

impl Drop for Pushed<'_> {
    fn drop(&mut self) {
        self.put();
    }
}
