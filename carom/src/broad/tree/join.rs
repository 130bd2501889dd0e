//! All pairs at once: each leaf block goes down the tree once and meets the blocks that come after it.

use super::super::block::{BoxBlock, LANES, LoadedBlock};
use super::nodes::{SHIFT, STACK};
use super::{DynamicTree, NearPair};
use fearless_simd::{Simd, dispatch};

impl DynamicTree {
    /// Replaces `near` by all pairs of overlapping enlarged boxes, none of them marked as touching.
    pub(super) fn join_all(&mut self) {
        let Self { level, nodes, near, .. } = self;
        near.clear();
        self.tests = dispatch!(*level, simd => join(simd, &nodes.levels, near));
    }
}

#[inline(always)]
fn join<S: Simd>(simd: S, levels: &[Vec<BoxBlock>], near: &mut Vec<NearPair>) -> u64 {
    let Some((leaves, upper)) = levels.split_first() else { return 0 };
    let mut tests = 0;
    let mut stack = [(0u32, 0u32); STACK];
    for (index, block) in leaves.iter().enumerate() {
        let own = block.loaded(simd);
        let first_slot = (index * LANES) as u32;
        for lane in 0..LANES - 1 {
            let hits = own.overlaps(simd, &block.get(lane)) & (!1u32 << lane);
            report(hits, first_slot + lane as u32, first_slot, near);
        }
        tests += (LANES * (LANES - 1)) as u64;
        let Some(parents) = upper.first() else { return tests };
        let bounds = parents[index >> SHIFT].get(index % LANES);
        stack[0] = (upper.len() as u32, 0);
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (height, node) = stack[depth];
            let first_child = node << SHIFT;
            // Blocks before this one have met it already.
            let own_ancestor = (index as u32) >> (SHIFT * (height - 1));
            let mut hits = upper[height as usize - 1][node as usize].overlaps(simd, &bounds);
            tests += LANES as u64;
            if own_ancestor >= first_child {
                let met = if height == 1 { own_ancestor - first_child + 1 } else { own_ancestor - first_child };
                hits &= (!0u32).checked_shl(met).unwrap_or(0);
            }
            if height == 1 {
                while hits != 0 {
                    let other = (first_child + hits.trailing_zeros()) as usize;
                    hits &= hits - 1;
                    let other_bounds = parents[other >> SHIFT].get(other % LANES);
                    let reaching = own.overlaps(simd, &other_bounds);
                    tests += LANES as u64 * (1 + u64::from(reaching.count_ones()));
                    meet(simd, block, first_slot, reaching, &leaves[other].loaded(simd), (other * LANES) as u32, near);
                }
            } else {
                while hits != 0 {
                    let lane = 31 - hits.leading_zeros();
                    hits ^= 1 << lane;
                    if let Some(place) = stack.get_mut(depth) {
                        *place = (height - 1, first_child + lane);
                        depth += 1;
                    }
                }
            }
        }
    }
    tests
}

/// The lanes `reaching` of a block against all of another.
#[inline(always)]
fn meet<S: Simd>(
    simd: S,
    block: &BoxBlock,
    first_slot: u32,
    mut reaching: u32,
    other: &LoadedBlock<S>,
    other_first_slot: u32,
    near: &mut Vec<NearPair>,
) {
    while reaching != 0 {
        let lane = reaching.trailing_zeros();
        reaching &= reaching - 1;
        let hits = other.overlaps(simd, &block.get(lane as usize));
        report(hits, first_slot + lane, other_first_slot, near);
    }
}

#[inline(always)]
fn report(mut hits: u32, slot: u32, other_first_slot: u32, near: &mut Vec<NearPair>) {
    while hits != 0 {
        near.push(NearPair { a: slot, b_and_state: other_first_slot + hits.trailing_zeros() });
        hits &= hits - 1;
    }
}
