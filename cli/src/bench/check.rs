//! Whether a structure gives the right pairs. Pairs are compared by their number and a sum of their hashes: the sum is
//! the same in any order, a pair that comes twice changes the number, and sums add up, so that what began and ended
//! since the start must come to what is there. Only when two sums differ are the pairs themselves compared.

use super::recording::Recording;
use carom::bounds::{Aabb, BoundingVolume};
use carom::broad::{BroadPhaseError, Changes, Pair, Structure};
use serde::Serialize;

/// Above this many boxes brute force takes no part.
pub(super) const MOST_FOR_BRUTE_FORCE: usize = 20_000;

/// How many tests the reference may make in all steps together; it looks at fewer steps if there are many boxes.
const TESTS: u64 = 1_000_000_000;

/// How many boxes' neighbours are counted one by one where brute force takes no part.
pub(super) const SPOTS: usize = 256;

/// What identifies a set of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Digest {
    count: i64,
    sum: u64,
}

/// What the pairs are at some of the steps.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) structure: Structure,
    /// In ascending order; the start is step 0.
    looks: Vec<(u32, Digest)>,
    /// What the reference itself has wrong.
    pub(super) disagreement: Option<Disagreement>,
}

/// A structure whose pairs are not those of the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Disagreement {
    pub(super) structure: &'static str,
    pub(super) step: u32,
    pub(super) missing: usize,
    pub(super) extra: usize,
    pub(super) example: Option<[u32; 2]>,
    /// The pairs are right, and only what began and ended does not come to them.
    pub(super) events: bool,
}

/// Looks at one structure's pairs while it is replayed.
#[derive(Debug)]
pub(super) struct Checker<'a> {
    structure: Structure,
    recording: &'a Recording,
    reference: &'a Reference,
    /// What began and ended so far.
    events: Digest,
    pub(super) disagreement: Option<Disagreement>,
}

impl Reference {
    /// Built anew at each look, so it shares nothing with a structure that follows the boxes.
    pub(super) fn of(recording: &Recording) -> Result<Self, String> {
        let count = recording.start.len();
        let is_small = count <= MOST_FOR_BRUTE_FORCE;
        let structure = if is_small { Structure::BruteForce } else { Structure::default() };
        let steps = sampled_steps(count, recording.steps);
        let mut reference = Self { structure, looks: Vec::new(), disagreement: None };
        let mut boxes = recording.start.clone();
        let mut moves = Vec::new();
        for step in 0..=recording.steps {
            if step > 0 {
                recording.moves(step, &mut moves);
                moves.iter().for_each(|moved| boxes[moved.id as usize] = moved.bounds);
            }
            if steps.binary_search(&step).is_ok() {
                let pairs = pairs_of(structure, &boxes).map_err(|error| format!("step {step}: {error}"))?;
                if !is_small && reference.disagreement.is_none() {
                    reference.disagreement = spot_check(structure, step, &boxes, &pairs);
                }
                reference.looks.push((step, Digest::of(&pairs)));
            }
        }
        Ok(reference)
    }

    /// At how many steps pairs are compared.
    pub(super) fn len(&self) -> usize {
        self.looks.len()
    }
}

impl<'a> Checker<'a> {
    pub(super) fn new(structure: Structure, recording: &'a Recording, reference: &'a Reference) -> Self {
        Self { structure, recording, reference, events: Digest::default(), disagreement: None }
    }

    /// Takes in what began and ended in a step.
    pub(super) fn add(&mut self, changes: &Changes<'_>) {
        let (began, ended) = (Digest::of(changes.began), Digest::of(changes.ended));
        self.events.count += began.count - ended.count;
        self.events.sum = self.events.sum.wrapping_add(began.sum).wrapping_sub(ended.sum);
    }

    /// Compares the pairs after a step, if the step is one of those; `pairs` is asked only then.
    pub(super) fn look<'b>(&mut self, step: u32, pairs: impl FnOnce() -> &'b [Pair]) {
        let looks = &self.reference.looks;
        let Ok(index) = looks.binary_search_by_key(&step, |look| look.0) else { return };
        if self.disagreement.is_some() {
            return;
        }
        let pairs = pairs();
        let found = Digest::of(pairs);
        if found != looks[index].1 {
            // The reference gave its pairs for these very boxes before.
            let wanted = pairs_of(self.reference.structure, &self.recording.boxes_after(step)).unwrap_or_default();
            self.disagreement = Some(Disagreement::between(self.structure, step, pairs.to_vec(), wanted));
        } else if found != self.events {
            let name = self.structure.name();
            let (missing, extra, example) = (0, 0, None);
            self.disagreement = Some(Disagreement { structure: name, step, missing, extra, example, events: true });
        }
    }
}

impl Disagreement {
    fn between(structure: Structure, step: u32, mut found: Vec<Pair>, mut wanted: Vec<Pair>) -> Self {
        found.sort_unstable();
        wanted.sort_unstable();
        let (mut missing, mut extra) = (Vec::new(), Vec::new());
        let (mut found, mut wanted) = (found.into_iter().peekable(), wanted.into_iter().peekable());
        loop {
            match (found.peek(), wanted.peek()) {
                (None, None) => break,
                (Some(one), Some(other)) if one == other => {
                    found.next();
                    wanted.next();
                }
                (Some(one), other) if other.is_none_or(|other| one < other) => extra.extend(found.next()),
                _ => missing.extend(wanted.next()),
            }
        }
        let example = missing.first().or(extra.first()).map(|pair| [pair.a, pair.b]);
        let (missing, extra) = (missing.len(), extra.len());
        Self { structure: structure.name(), step, missing, extra, example, events: false }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let Self { structure, step, missing, extra, example, events } = self;
        if *events {
            return format!(
                "{structure}, step {step}: the pairs are right, but what began and ended does not come to them"
            );
        }
        let example = example.map_or(String::new(), |[a, b]| format!(", for instance boxes {a} and {b}"));
        format!("{structure}, step {step}: {missing} pairs are missing and {extra} are too many{example}")
    }
}

impl Digest {
    fn of(pairs: &[Pair]) -> Self {
        let sum =
            pairs.iter().map(|pair| mixed(u64::from(pair.a) << 32 | u64::from(pair.b))).fold(0, u64::wrapping_add);
        Self { count: pairs.len() as i64, sum }
    }
}

/// Every bit of the result depends on every bit of the key (the finish of SplitMix64, Steele, Lea and Flood 2014).
fn mixed(key: u64) -> u64 {
    let key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ key >> 31
}

/// Spread evenly from the start to the last step, both among them; at the least three where there are as many.
fn sampled_steps(boxes: usize, steps: u32) -> Vec<u32> {
    let per_step = (boxes as u64).pow(2) / 2;
    let looks = (TESTS / per_step.max(1)).max(3).min(u64::from(steps) + 1) as u32;
    let mut sampled: Vec<u32> =
        (0..looks).map(|look| (u64::from(look) * u64::from(steps) / u64::from(looks - 1).max(1)) as u32).collect();
    sampled.dedup();
    sampled
}

fn pairs_of(structure: Structure, boxes: &[Aabb]) -> Result<Vec<Pair>, BroadPhaseError> {
    let mut broad = structure.build();
    for (bounds, id) in boxes.iter().zip(0..) {
        broad.insert(id, *bounds)?;
    }
    Ok(broad.pairs().to_vec())
}

/// Compares the pairs of some boxes, spread over all ids, with what counting one by one finds.
fn spot_check(structure: Structure, step: u32, boxes: &[Aabb], pairs: &[Pair]) -> Option<Disagreement> {
    let every = boxes.len().div_ceil(SPOTS).max(1);
    let is_spot = |id: u32| (id as usize).is_multiple_of(every);
    let mut wanted = Vec::new();
    for spot in (0..boxes.len()).step_by(every) {
        let others = (0..).zip(boxes).filter(|(id, bounds)| boxes[spot].overlaps(bounds) && *id != spot as u32);
        // A pair of two spots is found twice and counts once.
        wanted.extend(
            others.filter(|(id, _)| !is_spot(*id) || *id > spot as u32).map(|(id, _)| Pair::new(spot as u32, id)),
        );
    }
    let found: Vec<Pair> = pairs.iter().copied().filter(|pair| is_spot(pair.a) || is_spot(pair.b)).collect();
    (Digest::of(&found) != Digest::of(&wanted)).then(|| Disagreement::between(structure, step, found, wanted))
}

#[cfg(test)]
mod tests {
    use super::super::recording::Making;
    use super::*;
    use carom::glam::Vec3;

    fn pairs(pairs: &[(u32, u32)]) -> Vec<Pair> {
        pairs.iter().map(|&(a, b)| Pair::new(a, b)).collect()
    }

    #[test]
    fn digests_see_what_differs_and_not_the_order() {
        let digest = |list: &[(u32, u32)]| Digest::of(&pairs(list));
        assert_eq!(digest(&[(0, 1), (1, 2)]), digest(&[(2, 1), (0, 1)]));
        assert_ne!(digest(&[(0, 1), (2, 3)]), digest(&[(0, 3), (1, 2)]));
        assert_ne!(digest(&[(0, 1)]), digest(&[(0, 1), (0, 1)]));
        assert_ne!(digest(&[(0, 0)]), digest(&[]));
    }

    #[test]
    fn a_disagreement_counts_both_ways_and_repetitions() {
        let between = |found, wanted| {
            let found = Disagreement::between(Structure::default(), 4, pairs(found), pairs(wanted));
            (found.missing, found.extra, found.example)
        };
        assert_eq!(between(&[(0, 1), (0, 2)], &[(0, 2), (0, 1)]), (0, 0, None));
        assert_eq!(between(&[(0, 1)], &[(0, 1), (3, 4), (5, 6)]), (2, 0, Some([3, 4])));
        assert_eq!(between(&[(0, 1), (0, 1), (7, 8)], &[(0, 1)]), (0, 2, Some([0, 1])));
        assert_eq!(between(&[(0, 1)], &[(0, 2)]), (1, 1, Some([0, 2])));
    }

    #[test]
    fn sampled_steps_reach_from_the_start_to_the_end() {
        assert_eq!(sampled_steps(100, 5), [0, 1, 2, 3, 4, 5]);
        assert_eq!(sampled_steps(1_000_000, 20), [0, 10, 20]);
        assert_eq!(sampled_steps(1_000_000, 0), [0]);
        assert_eq!(sampled_steps(1_000_000, 1), [0, 1]);
        assert_eq!(sampled_steps(0, 2), [0, 1, 2]);
        assert_eq!(sampled_steps(20_000, 1000).last(), Some(&1000));
    }

    #[test]
    fn a_structure_with_wrong_pairs_or_events_is_found() {
        let making = Making { movers: None, seed: None };
        let Ok(recording) = Recording::of("pile:30", Some(3), making) else { panic!("the scene is sound") };
        let reference = Reference::of(&recording).expect("the boxes are sound");
        let right = pairs_of(Structure::BruteForce, &recording.start).expect("the boxes are sound");
        let found = |began: &[Pair], pairs: &[Pair]| {
            let mut checker = Checker::new(Structure::default(), &recording, &reference);
            checker.add(&Changes { began, ended: &[] });
            checker.look(0, || pairs);
            checker.disagreement.map(|it| (it.missing, it.extra, it.events))
        };
        assert!(right.len() > 50);
        assert_eq!(found(&right, &right), None);
        assert_eq!(found(&right, &right[1..]), Some((1, 0, false)));
        assert_eq!(found(&right, &[&right[..], &right[..1]].concat()), Some((0, 1, false)));
        assert_eq!(found(&right[1..], &right), Some((0, 0, true)));
    }

    #[test]
    fn a_spot_check_finds_what_is_missing_at_a_spot() {
        // A row in which each touches the next, so short that every box is a spot.
        let row: Vec<Aabb> =
            (0..100).map(|at| Aabb::new(Vec3::splat(at as f32), Vec3::splat(at as f32 + 1.0))).collect();
        let right: Vec<Pair> = (0..99).map(|at| Pair::new(at, at + 1)).collect();
        assert_eq!(spot_check(Structure::default(), 0, &row, &right), None);
        let wrong = spot_check(Structure::default(), 0, &row, &right[1..]).expect("a pair is missing");
        assert_eq!((wrong.missing, wrong.extra, wrong.example), (1, 0, Some([0, 1])));
    }
}
