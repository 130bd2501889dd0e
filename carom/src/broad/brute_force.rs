//! B1: every box against every other. No order to keep and nothing to rebuild, so it is the baseline that every other
//! structure must agree with, and hard to beat for a handful of boxes. Cost: n²/2 tests, eight at a time.

use super::block::{BoxBlock, LANES};
use super::{Drawn, Index, Pair, Proxies, Rebuilt};
use crate::bounds::Aabb;
use fearless_simd::{Level, Simd, dispatch};

/// Every box against every other.
pub type BruteForce = Rebuilt<AllBoxes>;

/// The boxes, eight by eight.
#[derive(Debug, Clone)]
pub struct AllBoxes {
    level: Level,
    ids: Vec<u32>,
    blocks: Vec<BoxBlock>,
}

impl Default for AllBoxes {
    fn default() -> Self {
        Self { level: crate::simd::level(), ids: Vec::new(), blocks: Vec::new() }
    }
}

impl Index for AllBoxes {
    fn rebuild(&mut self, proxies: &Proxies) {
        self.ids.clear();
        self.blocks.clear();
        for (id, bounds) in proxies.iter() {
            let lane = self.ids.len() % LANES;
            if lane == 0 {
                self.blocks.push(BoxBlock::EMPTY);
            }
            if let Some(block) = self.blocks.last_mut() {
                block.set(lane, bounds);
            }
            self.ids.push(id);
        }
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        let Self { level, ids, blocks } = self;
        dispatch!(*level, simd => find_pairs(simd, ids, blocks, pairs))
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        dispatch!(self.level, simd => for (block, ids) in self.blocks.iter().zip(self.ids.chunks(LANES)) {
            let hits = block.overlaps(simd, bounds);
            ids.iter().enumerate().filter(|(lane, _)| hits >> lane & 1 == 1).for_each(|(_, &id)| visit(id));
        });
    }

    fn draw(&self, _proxies: &Proxies, _sink: &mut dyn FnMut(Drawn)) {}

    fn memory(&self) -> usize {
        self.ids.capacity() * size_of::<u32>() + self.blocks.capacity() * size_of::<BoxBlock>()
    }
}

#[inline(always)]
fn find_pairs<S: Simd>(simd: S, ids: &[u32], blocks: &[BoxBlock], pairs: &mut Vec<Pair>) -> u64 {
    let mut tests = 0;
    for (index, own) in ids.iter().enumerate() {
        let bounds = blocks[index / LANES].get(index % LANES);
        let mut first = index % LANES + 1;
        for (block, others) in blocks.iter().zip(ids.chunks(LANES)).skip(index / LANES) {
            let mut hits = block.overlaps(simd, &bounds) & (!0u32 << first);
            first = 0;
            tests += LANES as u64;
            while hits != 0 {
                pairs.push(Pair { a: *own, b: others[hits.trailing_zeros() as usize] });
                hits &= hits - 1;
            }
        }
    }
    tests
}
