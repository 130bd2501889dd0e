//! The pairs that push, listed as they are collided: heads are many times as large, and half of them do not push.
//!
//! Blocks of the list are those in which pairs are collided, each with room for all its pairs: whoever has collided some
//! lists them as well, and finds them again in its cache.

use super::Head;
use crate::threads::{self, Shared};

/// A pair that pushes, and what is asked of it after it was collided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pushing {
    pub(crate) meeting: u32,
    pub(crate) bodies: [u32; 2],
    pub(crate) manifolds: u32,
    /// Whether it has one point only.
    pub(crate) is_point: bool,
    /// As its head says.
    pub(crate) has_ground: bool,
    pub(crate) has_inner: bool,
}

impl Pushing {
    fn new(meeting: usize, head: &Head) -> Self {
        let &Head { bodies, manifolds, points, has_ground, has_inner, .. } = head;
        Self { meeting: meeting as u32, bodies, manifolds, is_point: points == 1, has_ground, has_inner }
    }
}

/// How many pairs of a block push, and how many manifolds these have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pairs: u32,
    pub(crate) manifolds: u32,
}

/// The list; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct PushingList {
    block_size: usize,
    /// Of each block the first places are filled.
    pairs: Vec<Pushing>,
    counts: Vec<Counts>,
}

impl PushingList {
    /// Makes room for so many pairs, of which `block_size` are in a block.
    pub(super) fn begin(&mut self, pairs: usize, block_size: usize) {
        self.block_size = block_size;
        let blocks = pairs.div_ceil(block_size);
        self.pairs.resize(blocks * block_size, Pushing::default());
        self.counts.resize(blocks, Counts::default());
    }

    /// The blocks, to be filled.
    pub(super) fn writer(&mut self) -> Writer<'_> {
        let Self { block_size, pairs, counts } = self;
        Writer { block_size: *block_size, pairs: Shared::new(pairs), counts: Shared::new(counts) }
    }

    /// Lists the pairs anew.
    pub(super) fn list(&mut self, heads: &[Head]) {
        let size = threads::block_size(super::BLOCK);
        self.begin(heads.len(), size);
        let writer = self.writer();
        for (block, own) in heads.chunks(size).enumerate() {
            // SAFETY: this worker is alone.
            #[allow(unsafe_code)]
            let mut writer = unsafe { writer.block(block as u32) };
            (block * size..).zip(own).for_each(|(meeting, head)| writer.note(meeting, head));
        }
    }

    /// How many pairs may be in a block.
    pub(crate) fn block_size(&self) -> usize {
        self.block_size
    }

    /// Of each block how many there are.
    pub(crate) fn counts(&self) -> &[Counts] {
        &self.counts
    }

    /// The pairs of a block.
    #[inline]
    pub(crate) fn block(&self, block: u32) -> &[Pushing] {
        let start = block as usize * self.block_size;
        &self.pairs[start..start + self.counts[block as usize].pairs as usize]
    }

    /// A pair, by its block and its place there.
    pub(crate) fn pair_mut(&mut self, block: usize, place: usize) -> &mut Pushing {
        &mut self.pairs[block * self.block_size + place]
    }
}

/// The list while it is filled.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    block_size: usize,
    pairs: Shared<'a, Pushing>,
    counts: Shared<'a, Counts>,
}

impl<'a> Writer<'a> {
    /// A block, with nothing in it.
    ///
    /// # Safety
    ///
    /// Nobody else has it.
    #[allow(unsafe_code)]
    pub(super) unsafe fn block(self, block: u32) -> BlockWriter<'a> {
        // SAFETY: as the caller says.
        let counts = unsafe { self.counts.get_mut(block as usize) };
        *counts = Counts::default();
        BlockWriter { first: block as usize * self.block_size, pairs: self.pairs, counts }
    }
}

/// A block while it is filled.
pub(super) struct BlockWriter<'a> {
    first: usize,
    pairs: Shared<'a, Pushing>,
    counts: &'a mut Counts,
}

impl BlockWriter<'_> {
    /// Lists a pair of the block if it pushes.
    #[inline]
    pub(super) fn note(&mut self, meeting: usize, head: &Head) {
        if head.pushes() {
            // SAFETY: a block has a place for each of its pairs, and is one worker's.
            #[allow(unsafe_code)]
            let pair = unsafe { self.pairs.get_mut(self.first + self.counts.pairs as usize) };
            *pair = Pushing::new(meeting, head);
            self.counts.pairs += 1;
            self.counts.manifolds += head.manifolds;
        }
    }
}
