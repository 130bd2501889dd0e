//! Boxes that nothing is known about: build the structure, list all pairs.
//!
//! Runs take turns between two sets, the second being the first with its ids shuffled. With the same set every time a
//! tree rebuilt in place would find its leaves in the order in which it had left them, sorted already.

use super::{AREA, parry, scenes};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::bounds::Aabb;
use carom::broad::{BroadPhase as _, DynamicTree};
use rayon::ThreadPool;
use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A peer that takes longer has its time from the two runs whose results are compared.
const TOO_LONG: Duration = Duration::from_secs(2);

/// The same boxes in two orders.
pub type Sets = [Vec<Aabb>; 2];

/// A peer that lists all pairs of the boxes it was made with.
pub trait PairFinder {
    fn peer(&self) -> &'static str;

    /// How it goes about it.
    fn note(&self) -> &'static str;

    /// Builds and finds the pairs of one of the two sets, in the memory of the last run if it can.
    fn run(&mut self, set: usize);

    /// What the last run found: each pair once, either id first.
    fn pairs(&self) -> &[(u32, u32)];
}

type Scene = fn() -> Vec<Aabb>;
type MakeFinder = fn(&Sets) -> Box<dyn PairFinder>;

pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    let cases: [(&str, Scene); 6] = [
        ("full/u1k", || scenes::uniform(1_000)),
        ("full/u10k", || scenes::uniform(10_000)),
        ("full/u100k", || scenes::uniform(100_000)),
        ("full/u1M", || scenes::uniform(1_000_000)),
        ("full/pile100k", || scenes::pile(100_000)),
        ("full/pow100k", || scenes::power_law(100_000)),
    ];
    let is_wanted = |case: &str| case.starts_with(only) && (effort == Effort::Full || case != "full/u1M");
    for (case, boxes) in cases.into_iter().filter(|(case, _)| is_wanted(case)) {
        compare_all(effort, case, boxes(), &mut rows)?;
    }
    for (case, number) in [("full/real01", 1), ("full/real02", 2), ("full/real03", 3)] {
        if is_wanted(case) {
            match scenes::recorded(number)? {
                Some(boxes) => compare_all(effort, case, boxes, &mut rows)?,
                None => println!("{case} is left out: {} is not there", scenes::recorded_path(number).display()),
            }
        }
    }
    Ok(rows)
}

fn compare_all(effort: Effort, case: &str, boxes: Vec<Aabb>, rows: &mut Vec<Row>) -> Result<(), String> {
    let sets = in_two_orders(boxes);
    let mut tree = DynamicTree::default();
    let mut find_ours = |set: usize| {
        tree.rebuild_from(&sets[set]).map_err(|error| format!("{case}: {error}"))?;
        Ok::<_, String>(sorted(tree.pairs().iter().map(|pair| (pair.a, pair.b))))
    };
    let expected = [find_ours(0)?, find_ours(1)?];
    let makers: &[MakeFinder] = &[
        |sets| Box::new(parry::Finder::new(sets)),
        |sets| Box::new(RStar::new(sets)),
        #[cfg(feature = "box3d")]
        |sets| Box::new(super::box3d::Finder::new(sets)),
    ];
    for make in makers {
        let mut peer = make(&sets);
        let mut shortest = Duration::MAX;
        for (set, expected) in expected.iter().enumerate() {
            let start = Instant::now();
            peer.run(set);
            shortest = shortest.min(start.elapsed());
            let found = sorted(peer.pairs().iter().copied());
            if found != *expected {
                return Err(format!("{case}: {} pairs, {} of {}", expected.len(), found.len(), peer.peer()));
            }
        }
        let note = format!("{} pairs; {}", expected[0].len(), peer.note());
        let name = peer.peer();
        let (mut our_turn, mut peer_turn) = (0, 0);
        let run_ours = || {
            our_turn += 1;
            // These boxes were taken before: they are sound.
            if tree.rebuild_from(black_box(&sets[our_turn % 2])).is_ok() {
                black_box(tree.pairs());
            }
        };
        let run_peer = || {
            peer_turn += 1;
            peer.run(peer_turn % 2);
        };
        let is_slow = shortest > TOO_LONG;
        let mut times = compare(effort, 1, run_ours, (!is_slow).then_some(run_peer));
        if is_slow {
            times.peer_ns = Some(shortest.as_nanos() as f64);
        }
        rows.push(Row::new(AREA, case.to_owned(), name, times, note));
    }
    Ok(())
}

/// The case of [`threads_row`].
pub const THREADS: &str = "threads/u100k";

/// Ours on two threads against ours on one.
pub fn threads_row(effort: Effort, one: &ThreadPool, two: &ThreadPool) -> Result<Row, String> {
    let case = THREADS;
    let boxes = scenes::uniform(100_000);
    let mut trees = [DynamicTree::default(), DynamicTree::default()];
    let [on_one, on_two] = &mut trees;
    let find = |tree: &mut DynamicTree| {
        // Refused boxes would show in the comparison of results.
        let _ = black_box(tree.rebuild_from(&boxes));
        black_box(tree.pairs());
    };
    one.install(|| find(on_one));
    two.install(|| find(on_two));
    if on_one.pairs() != on_two.pairs() || on_one.pairs().is_empty() {
        return Err(format!("{case}: other pairs on two threads than on one"));
    }
    let times = compare(effort, 1, || two.install(|| find(on_two)), Some(|| one.install(|| find(on_one))));
    Ok(Row::new(AREA, case.to_owned(), "carom on one thread", times, "ours on two threads".to_owned()))
}

fn in_two_orders(boxes: Vec<Aabb>) -> Sets {
    let mut shuffled = boxes.clone();
    fastrand::Rng::with_seed(7).shuffle(&mut shuffled);
    [boxes, shuffled]
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
    leaves: [Vec<Leaf>; 2],
    pairs: Vec<(u32, u32)>,
}

impl RStar {
    fn new(sets: &Sets) -> Self {
        let leaf = |(id, bounds): (u32, &Aabb)| {
            GeomWithData::new(Rectangle::from_corners(bounds.min.to_array(), bounds.max.to_array()), id)
        };
        let leaves = [0, 1].map(|set: usize| (0..).zip(&sets[set]).map(leaf).collect());
        Self { leaves, pairs: Vec::new() }
    }
}

impl PairFinder for RStar {
    fn peer(&self) -> &'static str {
        "rstar 0.14"
    }

    fn note(&self) -> &'static str {
        "bulk load"
    }

    fn run(&mut self, set: usize) {
        let tree = RTree::bulk_load(self.leaves[set].clone());
        // It reports each pair in both orders, and each box with itself.
        let candidates = tree.intersection_candidates_with_other_tree(&tree);
        self.pairs.clear();
        self.pairs.extend(candidates.map(|(a, b)| (a.data, b.data)).filter(|(a, b)| a < b));
    }

    fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}
