//! Boxes that nothing is known about: build the structure, list all pairs.

use super::{AREA, parry, peers_note, scenes};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::bounds::Aabb;
use carom::broad::{BroadPhase as _, DynamicTree, Pair};
use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};
use std::hint::black_box;

/// A peer that lists all pairs of the boxes it was made with.
pub trait PairFinder {
    fn peer(&self) -> &'static str;

    /// How it goes about it.
    fn note(&self) -> &'static str;

    /// Builds and finds, in the memory of the last run if it can.
    fn run(&mut self);

    /// What the last run found: each pair once, either id first.
    fn pairs(&self) -> &[(u32, u32)];
}

pub fn rows(effort: Effort) -> Rows {
    let mut rows = Vec::new();
    let mut cases = vec![
        ("full/u1k".to_owned(), scenes::uniform(1_000)),
        ("full/u10k".to_owned(), scenes::uniform(10_000)),
        ("full/u100k".to_owned(), scenes::uniform(100_000)),
        ("full/pile100k".to_owned(), scenes::pile(100_000)),
        ("full/pow100k".to_owned(), scenes::power_law(100_000)),
    ];
    if effort == Effort::Full {
        cases.push(("full/u1M".to_owned(), scenes::uniform(1_000_000)));
    }
    for number in 1..=3 {
        match scenes::recorded(number)? {
            Some(boxes) => cases.push((format!("full/real{number:02}"), boxes)),
            None => {
                println!("full/real{number:02} is left out: {} is not there", scenes::recorded_path(number).display())
            }
        }
    }
    for (case, boxes) in cases {
        compare_all(effort, &case, &boxes, &mut rows)?;
    }
    Ok(rows)
}

fn compare_all(effort: Effort, case: &str, boxes: &[Aabb], rows: &mut Vec<Row>) -> Result<(), String> {
    let mut tree = DynamicTree::from_boxes(boxes).map_err(|error| format!("{case}: {error}"))?;
    let expected = sorted(tree.pairs().iter().map(|pair| (pair.a, pair.b)));
    let makers: &[fn(&[Aabb]) -> Box<dyn PairFinder>] = &[
        |boxes| Box::new(parry::Finder::new(boxes)),
        |boxes| Box::new(RStar::new(boxes)),
        #[cfg(feature = "box3d")]
        |boxes| Box::new(super::box3d::Finder::new(boxes)),
    ];
    for make in makers {
        let mut peer = make(boxes);
        peer.run();
        let found = sorted(peer.pairs().iter().copied());
        if found != expected {
            return Err(format!("{case}: {} pairs, {} of {}", expected.len(), found.len(), peer.peer()));
        }
        let run_ours = || {
            // The boxes were taken before; they are sound.
            if tree.rebuild_from(black_box(boxes)).is_ok() {
                black_box::<&[Pair]>(tree.pairs());
            }
        };
        let (name, note) = (peer.peer(), peer.note());
        let times = compare(effort, 1, run_ours, Some(|| peer.run()));
        let note = peers_note(&[&format!("{} pairs", expected.len()), note]);
        rows.push(Row::new(AREA, case.to_owned(), name, times, note));
    }
    Ok(())
}

/// In one form, to compare.
pub fn sorted(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<_> = pairs.map(|(a, b)| (a.min(b), a.max(b))).collect();
    pairs.sort_unstable();
    pairs
}

type Leaf = GeomWithData<Rectangle<[f32; 3]>, u32>;

/// rstar: loaded in bulk, then joined with itself.
struct RStar {
    leaves: Vec<Leaf>,
    pairs: Vec<(u32, u32)>,
}

impl RStar {
    fn new(boxes: &[Aabb]) -> Self {
        let leaf = |(id, bounds): (u32, &Aabb)| {
            GeomWithData::new(Rectangle::from_corners(bounds.min.to_array(), bounds.max.to_array()), id)
        };
        Self { leaves: (0..).zip(boxes).map(leaf).collect(), pairs: Vec::new() }
    }
}

impl PairFinder for RStar {
    fn peer(&self) -> &'static str {
        "rstar 0.14"
    }

    fn note(&self) -> &'static str {
        "bulk load"
    }

    fn run(&mut self) {
        let tree = RTree::bulk_load(self.leaves.clone());
        // It reports each pair in both orders, and each box with itself.
        let candidates = tree.intersection_candidates_with_other_tree(&tree);
        self.pairs.clear();
        self.pairs.extend(candidates.map(|(a, b)| (a.data, b.data)).filter(|(a, b)| a < b));
    }

    fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}
