//! The baseline broad phase: pairs, ids and refusals under random insertions, moves and removals.

use carom::bounds::Aabb;
use carom::broad::{BroadPhase, BroadPhaseError, BruteForce, Pair};
use carom::prelude::*;
use std::collections::BTreeMap;

fn random_box(random: &mut fastrand::Rng) -> Aabb {
    let corner = Vec3::from_array(std::array::from_fn(|_| random.f32() * 10.0));
    // Some have no extent at all, and whole coordinates make some touch exactly.
    let size = Vec3::from_array(std::array::from_fn(|_| random.u32(0..3) as f32));
    let corner = if random.bool() { corner.floor() } else { corner };
    Aabb::new(corner, corner + size)
}

/// Overlap written out, axis by axis, independent of the library's comparison.
fn touch(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|axis| !(a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis]))
}

#[test]
fn ten_thousand_operations_agree_with_a_plain_list() {
    let mut random = fastrand::Rng::with_seed(31);
    let mut broad = BruteForce::default();
    let mut list: BTreeMap<u32, Aabb> = BTreeMap::new();
    let (mut pairs, mut found) = (Vec::new(), Vec::new());
    for operation in 0..10_000 {
        let id = random.u32(0..60);
        let bounds = random_box(&mut random);
        match random.u32(0..3) {
            0 => assert_eq!(
                broad.insert(id, bounds).is_ok(),
                !list.contains_key(&id) && list.insert(id, bounds).is_none()
            ),
            1 => {
                let known = list.get_mut(&id).map(|place| *place = bounds).is_some();
                assert_eq!(broad.update(id, bounds, Vec3::ZERO).is_ok(), known);
            }
            _ => assert_eq!(broad.remove(id).is_ok(), list.remove(&id).is_some()),
        }
        if operation % 20 == 0 {
            broad.pairs(&mut pairs);
            let expected: Vec<Pair> = list
                .iter()
                .flat_map(|(&a, first)| {
                    list.range(a + 1..)
                        .filter(move |(_, second)| touch(first, second))
                        .map(move |(&b, _)| Pair { a, b })
                })
                .collect();
            assert_eq!(pairs, expected, "after {operation} operations");
            let window = random_box(&mut random);
            broad.overlapping(&window, &mut found);
            let expected: Vec<u32> =
                list.iter().filter(|(_, bounds)| touch(bounds, &window)).map(|(&id, _)| id).collect();
            assert_eq!(found, expected);
        }
    }
    for id in list.keys() {
        assert_eq!(broad.remove(*id), Ok(()));
    }
    broad.pairs(&mut pairs);
    assert!(pairs.is_empty());
}

#[test]
fn unsound_boxes_are_refused_and_change_nothing() {
    let mut broad = BruteForce::default();
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    broad.insert(0, unit).expect("sound");
    broad.insert(1, unit).expect("sound");
    let bad = [
        Aabb::new(Vec3::new(f32::NAN, 0.0, 0.0), Vec3::ONE),
        Aabb::new(Vec3::ZERO, Vec3::new(0.0, f32::INFINITY, 0.0)),
        Aabb::new(Vec3::ONE, Vec3::ZERO),
        Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY),
    ];
    for bounds in bad {
        assert!(matches!(broad.insert(2, bounds), Err(BroadPhaseError::BadBox { id: 2, .. })));
        assert!(matches!(broad.update(1, bounds, Vec3::ZERO), Err(BroadPhaseError::BadBox { id: 1, .. })));
    }
    assert_eq!(broad.insert(1, unit), Err(BroadPhaseError::Taken { id: 1 }));
    assert_eq!(broad.remove(7), Err(BroadPhaseError::Unknown { id: 7 }));
    assert_eq!(broad.update(7, unit, Vec3::ZERO), Err(BroadPhaseError::Unknown { id: 7 }));
    let mut pairs = Vec::new();
    broad.pairs(&mut pairs);
    assert_eq!(pairs, [Pair { a: 0, b: 1 }]);
}
