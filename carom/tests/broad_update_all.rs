//! Moving all boxes of the dynamic tree at once is the same as moving them one by one; what is refused changes nothing.

use carom::bounds::{Aabb, BoundingVolume as _};
use carom::broad::{BroadPhase, BroadPhaseError, DynamicTree, Moved, Pair, Structure};
use carom::glam::Vec3;
use std::collections::BTreeSet;

fn random_vector(rng: &mut fastrand::Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32()) - 0.5
}

fn plain_pairs(boxes: &[Option<Aabb>]) -> BTreeSet<Pair> {
    let there = || (0u32..).zip(boxes).filter_map(|(id, bounds)| Some((id, (*bounds)?)));
    there()
        .flat_map(|(a, one)| there().filter(move |(b, other)| a < *b && one.overlaps(other)).map(move |(b, _)| (a, b)))
        .map(|(a, b)| Pair { a, b })
        .collect()
}

/// Boxes that fly, turn back, stop and start again; some are removed and come back.
#[test]
fn all_at_once_is_the_same_as_one_by_one() {
    for seed in 0..4 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let count = [9, 60, 400, 700][seed as usize];
        let side = (count as f32 * 2.0).cbrt();
        let mut boxes: Vec<Option<Aabb>> = (0..count)
            .map(|_| {
                let center = random_vector(&mut rng) * side;
                let half = 0.5 * (random_vector(&mut rng) + 0.75);
                Some(Aabb::new(center - half, center + half))
            })
            .collect();
        let mut velocities: Vec<Vec3> = (0..count).map(|_| random_vector(&mut rng) * 0.1).collect();
        let start: Vec<Aabb> = boxes.iter().copied().flatten().collect();
        let mut tree = DynamicTree::from_boxes(&start).expect("sound boxes");
        let mut twin = tree.clone();
        let mut pairs: BTreeSet<Pair> = tree.changes().began.iter().copied().collect();
        twin.changes();
        for frame in 0..120 {
            for (id, velocity) in velocities.iter_mut().enumerate() {
                match rng.u32(0..60) {
                    0 => *velocity = -*velocity,
                    1 => *velocity = Vec3::ZERO,
                    2 => *velocity = random_vector(&mut rng) * if rng.bool() { 0.1 } else { 3.0 },
                    3 if frame % 7 == 0 => match boxes[id].take() {
                        Some(_) => {
                            tree.remove(id as u32).expect("it is there");
                            twin.remove(id as u32).expect("it is there");
                        }
                        None => {
                            let center = random_vector(&mut rng) * side;
                            let bounds = Aabb::new(center - 0.4, center + 0.4);
                            boxes[id] = Some(bounds);
                            tree.insert(id as u32, bounds).expect("it is not there");
                            twin.insert(id as u32, bounds).expect("it is not there");
                        }
                    },
                    _ => {}
                }
                if let Some(bounds) = &mut boxes[id] {
                    *bounds = Aabb::new(bounds.min + *velocity, bounds.max + *velocity);
                }
            }
            tree.update_all(|id| Some((boxes[id as usize].as_ref()?, &velocities[id as usize]))).expect("sound boxes");
            for (id, bounds) in (0u32..).zip(&boxes) {
                if let Some(bounds) = bounds {
                    twin.update(id, *bounds, velocities[id as usize]).expect("sound boxes");
                }
            }
            // Queries see the boxes at once.
            let place = Aabb::new(Vec3::splat(-0.5), Vec3::splat(1.0));
            let mut found = BTreeSet::new();
            tree.overlapping(&place, &mut |id| assert!(found.insert(id), "twice"));
            let expected = (0u32..).zip(&boxes).filter(|(_, bounds)| bounds.is_some_and(|b| b.overlaps(&place)));
            assert_eq!(found, expected.map(|(id, _)| id).collect(), "frame {frame}");

            for tree in [&mut tree, &mut twin] {
                assert_eq!(tree.pairs().iter().copied().collect::<BTreeSet<_>>(), plain_pairs(&boxes), "frame {frame}");
            }
            let changes = tree.changes();
            for pair in changes.ended {
                assert!(pairs.remove(pair), "frame {frame}: {pair:?} had not begun");
            }
            for pair in changes.began {
                assert!(pairs.insert(*pair), "frame {frame}: {pair:?} had not ended");
            }
            assert_eq!(pairs, plain_pairs(&boxes), "frame {frame}");
        }
    }
}

#[test]
fn an_unsound_box_is_refused_and_what_came_before_is_kept() {
    let boxes = [0.0, 10.0, 20.0].map(|at: f32| Aabb::new(Vec3::splat(at), Vec3::splat(at + 1.0)));
    let bad = [
        Aabb::new(Vec3::NAN, Vec3::ONE),
        Aabb::new(Vec3::ONE, Vec3::ZERO),
        Aabb::new(Vec3::ZERO, Vec3::INFINITY),
        Aabb::new(Vec3::NEG_INFINITY, Vec3::ZERO),
    ];
    for bad in bad {
        let mut tree = DynamicTree::from_boxes(&boxes).expect("sound boxes");
        tree.changes();
        let moved = boxes.map(|bounds| Aabb::new(bounds.min * 0.05, bounds.min * 0.05 + 1.0));
        let mut asked = Vec::new();
        let outcome = tree.update_all(|id| {
            asked.push(id);
            Some((if asked.len() == 3 { &bad } else { &moved[id as usize] }, &Vec3::ZERO))
        });
        assert!(matches!(outcome, Err(BroadPhaseError::BadBox { id, .. }) if id == asked[2]), "{outcome:?}");
        assert_eq!(asked.len(), 3);
        let bounds: Vec<_> = asked.iter().filter_map(|&id| tree.bounds(id)).collect();
        let expected = [moved[asked[0] as usize], moved[asked[1] as usize], boxes[asked[2] as usize]];
        assert_eq!(bounds, expected);
        assert_eq!(tree.pairs().len(), 1);
    }
}

#[test]
fn a_refused_rebuild_changes_nothing() {
    let mut rng = fastrand::Rng::with_seed(11);
    let cube = |center: Vec3| Aabb::new(center - 0.5, center + 0.5);
    let mut boxes: Vec<Aabb> = (0..500).map(|_| cube(random_vector(&mut rng) * 9.0)).collect();
    let mut tree = DynamicTree::from_boxes(&boxes).expect("sound boxes");
    let mut pairs: BTreeSet<Pair> = tree.changes().began.iter().copied().collect();
    for frame in 0..40 {
        for (id, bounds) in (0u32..).zip(&mut boxes) {
            let step = random_vector(&mut rng) * 0.2;
            *bounds = Aabb::new(bounds.min + step, bounds.max + step);
            tree.update(id, *bounds, step).expect("a sound box");
        }
        let mut others: Vec<Aabb> = (0..rng.usize(1..900)).map(|_| cube(random_vector(&mut rng) * 9.0)).collect();
        let bad = rng.usize(0..others.len());
        others[bad].max.y = f32::NAN;
        let outcome = tree.rebuild_from(&others);
        assert!(matches!(outcome, Err(BroadPhaseError::BadBox { id, .. }) if id as usize == bad), "{outcome:?}");
        let changes = tree.changes();
        assert!(changes.ended.iter().all(|pair| pairs.remove(pair)), "frame {frame}");
        assert!(changes.began.iter().all(|pair| pairs.insert(*pair)), "frame {frame}");
        let expected = plain_pairs(&boxes.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(pairs, expected, "frame {frame}");
        assert_eq!(tree.pairs().iter().copied().collect::<BTreeSet<_>>(), expected, "frame {frame}");
        assert_eq!(tree.len(), boxes.len());
    }
}

/// Uniform boxes, about three overlaps each, and moves of some of them in no order, a few of them twice.
fn boxes_and_moves(count: usize) -> (Vec<Aabb>, Vec<Moved>) {
    let mut rng = fastrand::Rng::with_seed(count as u64);
    let side = (8.0 * count as f32 / 3.0).cbrt();
    let around = |center: Vec3| Aabb::new(center - 0.5, center + 0.5);
    let boxes: Vec<Aabb> = (0..count).map(|_| around(random_vector(&mut rng) * side)).collect();
    let moves = (0..count / 8)
        .map(|_| {
            let id = rng.u32(..count as u32 / 2);
            let step = random_vector(&mut rng) * if rng.bool() { 0.05 } else { 2.0 };
            let bounds = Aabb::new(boxes[id as usize].min + step, boxes[id as usize].max + step);
            Moved { id, bounds, displacement: step }
        })
        .collect();
    (boxes, moves)
}

/// Both below the size from which the tree goes through its slots in order and above it.
#[test]
fn many_at_once_is_the_same_as_one_by_one() {
    for count in [500, 300_000] {
        let (boxes, moves) = boxes_and_moves(count);
        let mut tree = DynamicTree::from_boxes(&boxes).expect("sound boxes");
        tree.changes();
        let mut twin = tree.clone();
        for round in 0..3 {
            let moves = &moves[round * moves.len() / 3..(round + 1) * moves.len() / 3];
            tree.update_many(moves).expect("sound boxes");
            for moved in moves {
                twin.update(moved.id, moved.bounds, moved.displacement).expect("a sound box");
            }
            for id in 0..count as u32 {
                assert_eq!(tree.bounds(id), twin.bounds(id), "box {id} of {count}");
            }
            let sorted = |pairs: &[Pair]| pairs.iter().copied().collect::<BTreeSet<_>>();
            let (changes, expected) = (tree.changes(), twin.changes());
            assert!(changes.began.len() > count / 100, "too little happens");
            assert_eq!(sorted(changes.began), sorted(expected.began), "began among {count}");
            assert_eq!(sorted(changes.ended), sorted(expected.ended), "ended among {count}");
            assert_eq!(sorted(tree.pairs()), sorted(twin.pairs()), "pairs of {count}");
        }
    }
}

#[test]
fn an_error_among_many_ends_them_and_what_came_before_has_moved() {
    for count in [500, 300_000] {
        let (boxes, mut moves) = boxes_and_moves(count);
        moves.dedup_by_key(|moved| moved.id);
        let middle = moves.len() / 2;
        let bad_box = Aabb { min: Vec3::ZERO, max: Vec3::NAN };
        let moved = moves[middle];
        let bad = [Moved { bounds: bad_box, ..moved }, Moved { id: count as u32, ..moved }];
        for (bad, structure) in bad.iter().flat_map(|bad| [(bad, Structure::DynamicTree), (bad, Structure::Auto)]) {
            let mut broad = structure.build();
            if count == 500 || structure == Structure::DynamicTree {
                for (id, bounds) in (0u32..).zip(&boxes) {
                    broad.insert(id, *bounds).expect("a new id");
                }
                broad.pairs();
                moves[middle] = *bad;
                let refused = broad.update_many(&moves);
                let is_unknown = bad.id == count as u32;
                assert!(match refused {
                    Err(BroadPhaseError::Unknown { id }) => is_unknown && id == bad.id,
                    Err(BroadPhaseError::BadBox { id, .. }) => !is_unknown && id == bad.id,
                    _ => false,
                });
                let mut expected = boxes.clone();
                moves[..middle].iter().for_each(|moved| expected[moved.id as usize] = moved.bounds);
                for (id, bounds) in (0u32..).zip(&expected) {
                    assert_eq!(broad.bounds(id), Some(*bounds), "box {id} of {count}");
                }
            }
        }
    }
}

/// In a tree too large for a cache, what moves is kept apart from what does not. Others begin to move, some go and come
/// back, and all the while the events lead to the pairs that a tree built anew finds.
#[test]
fn who_moves_in_a_large_tree_may_change() {
    let (mut boxes, _) = boxes_and_moves(270_000);
    let mut rng = fastrand::Rng::with_seed(5);
    let mut tree = DynamicTree::from_boxes(&boxes).expect("sound boxes");
    let mut pairs: Vec<Pair> = tree.changes().began.to_vec();
    pairs.sort_unstable();
    let count = boxes.len() as u32;
    let mut velocities: Vec<Vec3> = boxes.iter().map(|_| random_vector(&mut rng) * 0.1).collect();
    let mut gone: Vec<u32> = Vec::new();
    for frame in 0..24u32 {
        let moves_now = |id: u32| match frame {
            0..8 => id.is_multiple_of(10),
            8..12 => id.is_multiple_of(10) || id % 97 == 3,
            12..14 => id % 500 == 1,
            _ => id % 10 == 4,
        };
        if frame == 6 || frame == 13 || frame == 20 {
            for id in gone.drain(..) {
                tree.insert(id, boxes[id as usize]).expect("it is not there");
            }
            for id in (frame..count).step_by(1_000) {
                tree.remove(id).expect("it is there");
                gone.push(id);
            }
        }
        let mut moves = Vec::new();
        for id in (0..count).filter(|id| moves_now(*id) && !gone.contains(id)) {
            let velocity = &mut velocities[id as usize];
            if rng.u32(0..40) == 0 {
                *velocity = -2.0 * *velocity;
            }
            let bounds = &mut boxes[id as usize];
            *bounds = Aabb::new(bounds.min + *velocity, bounds.max + *velocity);
            moves.push(Moved { id, bounds: *bounds, displacement: *velocity });
        }
        tree.update_many(&moves).expect("sound boxes");
        let changes = tree.changes();
        let mut ended = changes.ended.to_vec();
        ended.sort_unstable();
        let before = pairs.len();
        pairs.retain(|pair| ended.binary_search(pair).is_err());
        assert_eq!(before - pairs.len(), ended.len(), "what ended was there, frame {frame}");
        pairs.extend_from_slice(changes.began);
        pairs.sort_unstable();
        assert!(pairs.windows(2).all(|two| two[0] != two[1]), "what began was not there, frame {frame}");

        let mut anew = DynamicTree::from_boxes(&boxes).expect("sound boxes");
        gone.iter().for_each(|id| anew.remove(*id).expect("it is there"));
        let mut expected = anew.pairs().to_vec();
        expected.sort_unstable();
        assert!(pairs == expected, "{} pairs, expected {}, frame {frame}", pairs.len(), expected.len());
    }
}
