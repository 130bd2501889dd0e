//! Every broad phase against a plain list, under random insertions, moves and removals in many kinds of scenes.

use carom::bounds::Aabb;
use carom::broad::{BoxRay, BroadPhase, BroadPhaseError, Neighbour, Pair, Structure};
use carom::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// All structures, by name.
fn structures() -> Vec<(&'static str, Box<dyn BroadPhase>)> {
    Structure::ALL.iter().map(|structure| (structure.name(), structure.build())).collect()
}

#[derive(Debug, Clone, Copy)]
enum Scene {
    Uniform,
    Clustered,
    StackedOnOneAxis,
    PowerLaw,
    Coincident,
    WholeNumbers,
    ZeroSize,
    OneAroundAll,
    FarAway,
}

const SCENES: [Scene; 9] = [
    Scene::Uniform,
    Scene::Clustered,
    Scene::StackedOnOneAxis,
    Scene::PowerLaw,
    Scene::Coincident,
    Scene::WholeNumbers,
    Scene::ZeroSize,
    Scene::OneAroundAll,
    Scene::FarAway,
];

fn vector(random: &mut fastrand::Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.f32()))
}

fn random_box(scene: Scene, id: u32, random: &mut fastrand::Rng) -> Aabb {
    let around = |center: Vec3, half: Vec3| Aabb::new(center - half, center + half);
    match scene {
        Scene::Uniform => around(vector(random) * 12.0, vector(random) * 1.2),
        Scene::Clustered => {
            let cluster = Vec3::splat((random.u32(0..4) * 10) as f32);
            around(cluster + vector(random) * 2.0, vector(random) * 0.3)
        }
        Scene::StackedOnOneAxis => around(vector(random) * Vec3::new(0.1, 100.0, 0.1), vector(random) * 0.6),
        Scene::PowerLaw => around(vector(random) * 50.0, vector(random) * 0.1 * random.f32().max(1e-3).powf(-0.8)),
        Scene::Coincident => around(Vec3::ONE * random.u32(0..20) as f32, Vec3::ONE * 0.4),
        Scene::WholeNumbers => around((vector(random) * 8.0).floor(), (vector(random) * 2.0).floor()),
        Scene::ZeroSize => {
            let place = (vector(random) * 4.0).floor();
            Aabb::new(place, place)
        }
        Scene::OneAroundAll if id == 0 => Aabb::new(Vec3::splat(-1e4), Vec3::splat(1e4)),
        Scene::OneAroundAll => around(vector(random) * 20.0, vector(random)),
        Scene::FarAway => around(Vec3::new(1e7, -1e7, 1e7) + vector(random) * 40.0, vector(random) * 2.0),
    }
}

/// Overlap written out, axis by axis, independent of the library's comparison.
fn touch(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|axis| !(a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis]))
}

fn plain_pairs(list: &BTreeMap<u32, Aabb>) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for (&a, first) in list {
        for (&b, second) in list.range(a + 1..) {
            if touch(first, second) {
                pairs.insert(Pair { a, b });
            }
        }
    }
    pairs
}

fn as_set(name: &str, pairs: &[Pair]) -> BTreeSet<Pair> {
    let set: BTreeSet<Pair> = pairs.iter().copied().collect();
    assert_eq!(set.len(), pairs.len(), "{name} reports a pair twice");
    assert!(pairs.iter().all(|pair| pair.a < pair.b), "{name} reports the greater id first");
    set
}

fn check_queries(
    name: &str,
    broad: &dyn BroadPhase,
    list: &BTreeMap<u32, Aabb>,
    scene: Scene,
    random: &mut fastrand::Rng,
) {
    let window = random_box(scene, 1, random);
    let mut found = Vec::new();
    broad.overlapping(&window, &mut |id| found.push(id));
    found.sort_unstable();
    let expected: Vec<u32> = list.iter().filter(|(_, bounds)| touch(bounds, &window)).map(|(&id, _)| id).collect();
    assert_eq!(found, expected, "{name}: boxes in {window:?}");

    let center = window.center();
    let radius = random.f32() * 5.0;
    let distance = |bounds: &Aabb| (center.clamp(bounds.min, bounds.max) - center).length_squared();
    found.clear();
    broad.within(center, radius, &mut |id| found.push(id));
    found.sort_unstable();
    let expected: Vec<u32> =
        list.iter().filter(|(_, bounds)| distance(bounds) <= radius * radius).map(|(&id, _)| id).collect();
    assert_eq!(found, expected, "{name}: boxes within {radius} of {center}");

    let count = random.usize(0..10);
    let mut nearest: Vec<Neighbour> = Vec::new();
    broad.nearest(center, count, &mut nearest);
    let mut expected: Vec<(f32, u32)> = list.iter().map(|(&id, bounds)| (distance(bounds), id)).collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    expected.truncate(count);
    let nearest: Vec<(f32, u32)> = nearest.iter().map(|found| (found.distance_squared, found.id)).collect();
    assert_eq!(nearest, expected, "{name}: {count} nearest to {center}");

    let target = random_box(scene, 1, random).center();
    let mut direction = target - center;
    if random.u32(0..3) == 0 {
        direction[random.usize(0..3)] = 0.0;
    }
    if let Some(ray) = BoxRay::new(center, direction, [0.5, 1.0, f32::INFINITY][random.usize(0..3)]) {
        let mut met = BTreeSet::new();
        broad.cast_ray(&ray, &mut |id, entry| {
            assert!(met.insert(id), "{name}: {id} met twice");
            assert!((0.0..=ray.limit()).contains(&entry));
            ray.limit()
        });
        for (id, bounds) in list {
            match passes(&ray, bounds) {
                Some(true) => assert!(met.contains(id), "{name}: {ray:?} misses {bounds:?}"),
                Some(false) => assert!(!met.contains(id), "{name}: {ray:?} meets {bounds:?}"),
                None => {}
            }
        }
        // Drawn in to the first hit, the nearest must be among what was met.
        let mut first = (f32::INFINITY, u32::MAX);
        broad.cast_ray(&ray, &mut |id, entry| {
            first = if entry < first.0 { (entry, id) } else { first };
            first.0
        });
        let expected = met.iter().filter_map(|id| ray.entry(&list[id], ray.limit())).fold(f32::INFINITY, f32::min);
        assert_eq!(first.0, expected, "{name}: first hit of {ray:?}");
    }
}

/// Whether the ray passes the box, by slabs in f64; none when it is too close to call.
fn passes(ray: &BoxRay, bounds: &Aabb) -> Option<bool> {
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    let size = origin.abs().max_element() + bounds.max.abs().max(bounds.min.abs()).max_element() as f64 + 1.0;
    let gap = |slack: f64| {
        let (mut enter, mut leave) = (0.0f64, f64::from(ray.limit()));
        for axis in 0..3 {
            let (low, high) = (f64::from(bounds.min[axis]) - slack, f64::from(bounds.max[axis]) + slack);
            if low > high {
                return false;
            }
            if direction[axis] == 0.0 {
                if origin[axis] < low || origin[axis] > high {
                    return false;
                }
                continue;
            }
            let (one, other) = ((low - origin[axis]) / direction[axis], (high - origin[axis]) / direction[axis]);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        enter <= leave
    };
    let slack = 1e-6 * size;
    match (gap(-slack), gap(slack)) {
        (true, true) => Some(true),
        (false, false) => Some(false),
        _ => None,
    }
}

/// Makes the same change in every structure; all must take or refuse it as the plain list does.
fn change_all(
    all: &mut [(&'static str, Box<dyn BroadPhase>)],
    is_taken: bool,
    change: impl Fn(&mut dyn BroadPhase) -> Result<(), BroadPhaseError>,
) {
    for (name, broad) in all {
        assert_eq!(change(broad.as_mut()).is_ok(), is_taken, "{name}");
    }
}

#[test]
fn ten_thousand_operations_in_every_scene_agree_with_a_plain_list() {
    for scene in SCENES {
        let mut all = structures();
        let mut random = fastrand::Rng::with_seed(scene as u64 + 40);
        let mut list: BTreeMap<u32, Aabb> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let ids = 150;
        for operation in 0..10_000 {
            let id = random.u32(0..ids);
            let bounds = random_box(scene, id, &mut random);
            // Phases of growing, moving and shrinking.
            let phase = operation / 1000 % 3;
            match (random.u32(0..10), phase) {
                (0..6, 0) | (0, 1) | (0, 2) => {
                    let is_new = !list.contains_key(&id);
                    change_all(&mut all, is_new, |broad| broad.insert(id, bounds));
                    list.entry(id).or_insert(bounds);
                }
                (6..8, 0) | (1..3, 1) | (1..5, 2) => {
                    let was_there = list.remove(&id).is_some();
                    change_all(&mut all, was_there, |broad| broad.remove(id));
                }
                _ => {
                    // Most moves are small, as of real bodies; some are leaps.
                    let step = (vector(&mut random) - 0.5) * 0.2;
                    let bounds = match list.get(&id) {
                        Some(old) if random.u32(0..5) > 0 => Aabb::new(old.min + step, old.max + step),
                        Some(_) | None => bounds,
                    };
                    let known = list.get_mut(&id).map(|place| *place = bounds).is_some();
                    change_all(&mut all, known, |broad| broad.update(id, bounds, step));
                }
            }
            if random.u32(0..25) == 0 {
                let expected = plain_pairs(&list);
                let (asks_pairs, asks_changes) = (random.bool(), random.bool());
                let began: BTreeSet<Pair> = expected.difference(&seen).copied().collect();
                let ended: BTreeSet<Pair> = seen.difference(&expected).copied().collect();
                for (name, broad) in &mut all {
                    if asks_pairs {
                        assert_eq!(as_set(name, broad.pairs()), expected, "{name} {scene:?} after {operation}");
                    }
                    if asks_changes {
                        let changes = broad.changes();
                        assert_eq!(as_set(name, changes.began), began, "{name} {scene:?} after {operation}: began");
                        assert_eq!(as_set(name, changes.ended), ended, "{name} {scene:?} after {operation}: ended");
                        let again = broad.changes();
                        assert!(again.began.is_empty() && again.ended.is_empty(), "{name}: changes told twice");
                    }
                }
                if asks_changes {
                    seen = expected;
                }
            }
            if random.u32(0..40) == 0 {
                let after = random.fork();
                for (name, broad) in &all {
                    check_queries(name, broad.as_ref(), &list, scene, &mut after.clone());
                    assert_eq!(broad.len(), list.len());
                    assert_eq!(broad.bounds(id), list.get(&id).copied());
                }
            }
        }
        for id in list.keys() {
            change_all(&mut all, true, |broad| broad.remove(*id));
        }
        for (name, broad) in &mut all {
            assert!(broad.pairs().is_empty() && broad.is_empty(), "{name} {scene:?}");
            let ended = as_set(name, broad.changes().ended);
            assert_eq!(ended, seen, "{name} {scene:?}: ended when all were removed");
            let mut left = 0;
            broad.overlapping(&Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX)), &mut |_| left += 1);
            assert_eq!(left, 0, "{name} {scene:?}");
        }
    }
}

#[test]
fn coherent_motion_of_thousands_keeps_pairs_and_events_right() {
    let mut all = structures();
    let mut random = fastrand::Rng::with_seed(50);
    let count = 3000;
    let mut boxes: Vec<(Aabb, Vec3)> = (0..count)
        .map(|_| {
            let (center, half) = (vector(&mut random) * 20.0, vector(&mut random) * 0.5 + 0.2);
            (Aabb::new(center - half, center + half), (vector(&mut random) - 0.5) * 0.1)
        })
        .collect();
    for (id, (bounds, _)) in (0u32..).zip(&boxes) {
        change_all(&mut all, true, |broad| broad.insert(id, *bounds));
    }
    let mut seen = BTreeSet::new();
    for frame in 0..60 {
        let list: BTreeMap<u32, Aabb> = (0u32..).zip(boxes.iter().map(|(bounds, _)| *bounds)).collect();
        let expected = plain_pairs(&list);
        let began: BTreeSet<Pair> = expected.difference(&seen).copied().collect();
        let ended: BTreeSet<Pair> = seen.difference(&expected).copied().collect();
        for (name, broad) in &mut all {
            let changes = broad.changes();
            assert_eq!(as_set(name, changes.began), began, "{name}, frame {frame}");
            assert_eq!(as_set(name, changes.ended), ended, "{name}, frame {frame}");
            assert_eq!(as_set(name, broad.pairs()), expected, "{name}, frame {frame}");
        }
        seen = expected;
        let movers = if frame % 20 < 10 { count / 10 } else { count };
        for (id, (bounds, velocity)) in (0u32..).zip(&mut boxes).take(movers) {
            *bounds = Aabb::new(bounds.min + *velocity, bounds.max + *velocity);
            change_all(&mut all, true, |broad| broad.update(id, *bounds, *velocity));
        }
    }
}

#[test]
fn auto_says_what_it_picked_and_why() {
    let mut random = fastrand::Rng::with_seed(60);
    for (count, spread, expected) in [
        (50, 1.0, Structure::BruteForce),
        (1000, 1.0, Structure::SortAndSweep),
        (5000, 1.0, Structure::UniformGrid),
        (5000, 100.0, Structure::DynamicTree),
    ] {
        let mut broad = Structure::Auto.build();
        for id in 0..count {
            let center = vector(&mut random) * 50.0;
            let half = if id == 0 { 0.5 * spread } else { 0.5 };
            broad.insert(id, Aabb::new(center - half, center + half)).expect("sound");
        }
        broad.pairs();
        let choice = broad.choice().expect("it picks");
        assert_eq!(choice.structure, expected, "{choice:?}");
        assert_eq!(choice.profile.boxes, count as usize);
        assert!(choice.reason.len() > 20);
        // Followed over a few frames, boxes that stay are best left to the tree.
        for _ in 0..5 {
            for id in 0..count {
                let bounds = broad.bounds(id).expect("inserted");
                let moved = Aabb::new(bounds.min + 0.01, bounds.max + 0.01);
                broad.update(id, moved, Vec3::splat(0.01)).expect("sound");
            }
            broad.changes();
        }
        let expected = if count <= 100 { Structure::BruteForce } else { Structure::DynamicTree };
        assert_eq!(broad.choice().expect("it picks").structure, expected);
    }
}

#[test]
fn the_real_boxes_of_shared_data_give_the_plain_pairs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/boxes");
    for file in ["bounds01.txt", "bounds02.txt", "bounds03.txt"] {
        let Ok(text) = std::fs::read_to_string(format!("{folder}/{file}")) else {
            println!("SKIPPED: {file} is not there");
            continue;
        };
        let boxes: BTreeMap<u32, Aabb> = (0u32..)
            .zip(text.lines().filter_map(|line| {
                let numbers: Vec<f32> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                let &[a, b, c, d, e, f] = numbers.as_slice() else { return None };
                Some(Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)))
            }))
            .collect();
        assert!(boxes.len() > 100, "{file} has {} boxes", boxes.len());
        let expected = plain_pairs(&boxes);
        for (name, mut broad) in structures() {
            for (&id, bounds) in &boxes {
                broad.insert(id, *bounds).expect("sound");
            }
            assert_eq!(as_set(name, broad.pairs()), expected, "{name} on {file}");
        }
    }
}

#[test]
fn unsound_boxes_are_refused_and_change_nothing() {
    for (name, mut broad) in structures() {
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
            assert!(matches!(broad.insert(2, bounds), Err(BroadPhaseError::BadBox { id: 2, .. })), "{name}");
            assert!(
                matches!(broad.update(1, bounds, Vec3::ZERO), Err(BroadPhaseError::BadBox { id: 1, .. })),
                "{name}"
            );
        }
        assert_eq!(broad.insert(1, unit), Err(BroadPhaseError::Taken { id: 1 }), "{name}");
        assert_eq!(broad.insert(u32::MAX, unit), Err(BroadPhaseError::IdTooGreat { id: u32::MAX }), "{name}");
        assert_eq!(broad.remove(7), Err(BroadPhaseError::Unknown { id: 7 }), "{name}");
        assert_eq!(broad.update(7, unit, Vec3::ZERO), Err(BroadPhaseError::Unknown { id: 7 }), "{name}");
        assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }], "{name}");
        // A hint that makes no sense changes no answer.
        assert_eq!(broad.update(0, unit, Vec3::splat(f32::NAN)), Ok(()), "{name}");
        let huge = Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        assert_eq!(broad.update(0, huge, Vec3::splat(f32::MAX)), Ok(()), "{name}");
        assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }], "{name}");
        assert_eq!(broad.bounds(0), Some(huge), "{name}");
    }
}

#[test]
fn a_few_strays_far_away_do_not_make_the_tree_slow() {
    // Work, not time: 20,000 boxes cost some dozens of tests each, with or without strays.
    let mut random = fastrand::Rng::with_seed(61);
    let mut tests = Vec::new();
    for strays in [0, 1, 20] {
        let mut broad = Structure::DynamicTree.build();
        for id in 0..20_000 {
            let far = if id < strays { 1e7 * (id + 1) as f32 } else { 1.0 };
            let center = vector(&mut random) * 40.0 * far;
            broad.insert(id, Aabb::new(center - 0.5, center + 0.5)).expect("sound");
        }
        broad.pairs();
        tests.push(broad.cost().tests);
    }
    assert!(tests.iter().all(|&count| count < 2 * tests[0]), "{tests:?}");
}
