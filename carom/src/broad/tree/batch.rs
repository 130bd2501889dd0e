//! Questions to the tree side by side, level by level: while the blocks of one come from memory, so do those of the
//! others. One by one, each would wait for its own, level after level.

use super::nodes::{Nodes, SHIFT};
use super::slots::Slots;
use crate::bounds::Aabb;
use fearless_simd::Simd;
use std::hint::black_box;

/// How many questions are asked side by side.
pub(super) const BATCH: usize = 32;

/// A question, and a node or slot that it has come to.
#[derive(Debug, Clone, Copy)]
struct Visit {
    question: u32,
    node: u32,
}

/// Room for [`Batch::ask`].
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    boxes: Vec<Aabb>,
    here: Vec<Visit>,
    below: Vec<Visit>,
}

impl Batch {
    /// Finds whose enlarged boxes overlap those of the asking slots; returns how many blocks were looked at.
    #[inline(always)]
    pub(super) fn ask<S: Simd>(&mut self, simd: S, nodes: &Nodes, slots: &Slots, asking: &[u32]) -> u64 {
        let Self { boxes, here, below } = self;
        boxes.clear();
        boxes.extend(asking.iter().map(|&slot| nodes.get(slot)));
        here.clear();
        here.extend((0..asking.len() as u32).map(|question| Visit { question, node: 0 }));
        let mut looked = 0;
        for level in nodes.levels.iter().rev() {
            looked += here.len() as u64;
            black_box(here.iter().fold(0, |bits, visit| bits | level[visit.node as usize].touch()));
            below.clear();
            for &Visit { question, node } in here.iter() {
                let mut hits = level[node as usize].overlaps(simd, &boxes[question as usize]);
                while hits != 0 {
                    below.push(Visit { question, node: (node << SHIFT) + hits.trailing_zeros() });
                    hits &= hits - 1;
                }
            }
            std::mem::swap(here, below);
        }
        black_box(here.iter().fold(0, |bits, visit| bits | slots.touch_box(visit.node)));
        looked
    }

    /// What was found for each question, in the order of asking.
    pub(super) fn answers(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        let mut rest = &self.here[..];
        (0..self.boxes.len() as u32).map(move |question| {
            let count = rest.iter().take_while(|visit| visit.question == question).count();
            let (found, after) = rest.split_at(count);
            rest = after;
            found.iter().map(|visit| visit.node)
        })
    }

    pub(super) fn memory(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb>() + (self.here.capacity() + self.below.capacity()) * size_of::<Visit>()
    }
}
