//! Grids, hash and sweeps where the scenes of `broad_all_structures` are too small or too tame: many cells, many
//! octaves of size, boxes that reach to the ends of f32, bodies that flew away.

use carom::bounds::Aabb;
use carom::broad::{BoxRay, Drawn, Pair, Structure};
use carom::prelude::*;
use std::collections::BTreeSet;

const STRUCTURES: [Structure; 5] = [
    Structure::SortAndSweep,
    Structure::SweepAndPrune,
    Structure::UniformGrid,
    Structure::HierarchicalGrid,
    Structure::SpatialHash,
];

fn vector(random: &mut fastrand::Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.f32()))
}

fn around(center: Vec3, half: Vec3) -> Aabb {
    Aabb::new(center - half, center + half)
}

fn touch(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|axis| !(a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis]))
}

fn scenes() -> Vec<(&'static str, Vec<Aabb>)> {
    let mut random = fastrand::Rng::with_seed(60);
    let random = &mut random;
    let even = |random: &mut fastrand::Rng, count: usize| -> Vec<Aabb> {
        (0..count).map(|_| around(vector(random) * 18.0, vector(random) * 0.5 + 0.2)).collect()
    };
    let mut with_floor = even(random, 3000);
    with_floor.push(Aabb::new(Vec3::new(-1e3, -1.0, -1e3), Vec3::new(1e3, 0.5, 1e3)));
    let mut flown_away = even(random, 3000);
    for (place, far) in [1e7, -1e7, 1e20, -3e38].into_iter().enumerate() {
        flown_away[100 * place] = around(Vec3::new(far, 1.0, 1.0), Vec3::ONE * 0.5);
        flown_away[100 * place + 1] = around(Vec3::new(far, 1.2, 1.0), Vec3::ONE * 0.5);
    }
    // A tenth is far, too many to be set apart: 60 bits of cells.
    let mut two_worlds = even(random, 3000);
    for bounds in two_worlds.iter_mut().step_by(10) {
        *bounds = Aabb::new(bounds.min * 0.5 + 1e5, bounds.max * 0.5 + 1e5);
    }
    let octaves = |random: &mut fastrand::Rng, low: f32, high: f32| -> Vec<Aabb> {
        (0..1500)
            .map(|_| {
                let size = (low + (high - low) * random.f32()).exp2();
                around((vector(random) - 0.5) * 4.0 * size.max(8.0), vector(random) * size)
            })
            .collect()
    };
    let whole = Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
    let mut ends_of_the_world = octaves(random, -10.0, 2.0);
    ends_of_the_world.extend([whole; 3]);
    ends_of_the_world.push(Aabb::new(Vec3::splat(f32::MAX), Vec3::splat(f32::MAX)));
    ends_of_the_world.push(Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(-f32::MAX)));
    ends_of_the_world.push(Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30)));
    vec![
        ("even", even(random, 3000)),
        ("floor", with_floor),
        ("flown away", flown_away),
        ("two worlds", two_worlds),
        ("octaves", octaves(random, -6.0, 6.0)),
        ("all octaves", octaves(random, -120.0, 120.0)),
        ("ends of the world", ends_of_the_world),
        ("all whole", vec![whole; 60]),
        (
            "points on a plane",
            (0..2000).map(|_| (vector(random) * Vec3::new(40.0, 0.0, 40.0)).floor()).map(point).collect(),
        ),
        (
            "points on a line",
            (0..600).map(|_| (vector(random) * Vec3::new(0.0, 1e4, 0.0)).floor()).map(point).collect(),
        ),
        ("one place", vec![point(Vec3::new(3.0, -0.0, 1e9)); 200]),
        ("signed zeros", (0..40).map(|index| point(Vec3::splat(if index % 2 == 0 { 0.0 } else { -0.0 }))).collect()),
        ("least numbers", (0..300).map(|_| point(vector(random) * 1e-40)).collect()),
        ("touching lattice", (0..1000).map(lattice).collect()),
    ]
}

fn point(place: Vec3) -> Aabb {
    Aabb::new(place, place)
}

/// Unit boxes that touch in faces, edges and corners, on whole numbers.
fn lattice(index: u32) -> Aabb {
    let corner = Vec3::new((index % 10) as f32, (index / 10 % 10) as f32, (index / 100) as f32);
    Aabb::new(corner, corner + 1.0)
}

#[test]
fn pairs_are_those_of_a_plain_comparison_in_wild_scenes() {
    for (scene, boxes) in scenes() {
        let mut expected = BTreeSet::new();
        for (a, one) in (0u32..).zip(&boxes) {
            for (b, other) in (0u32..).zip(&boxes).skip(a as usize + 1) {
                if touch(one, other) {
                    expected.insert(Pair { a, b });
                }
            }
        }
        for structure in STRUCTURES {
            let mut broad = structure.build();
            for (id, bounds) in (0u32..).zip(&boxes) {
                broad.insert(id, *bounds).expect("sound");
            }
            let found: BTreeSet<Pair> = broad.pairs().iter().copied().collect();
            assert_eq!(broad.pairs().len(), found.len(), "{structure:?} repeats a pair in {scene}");
            assert!(found == expected, "{structure:?} finds {} of {} pairs in {scene}", found.len(), expected.len());
            let limit = 1000 * boxes.len() + (1 << 20) + 64 * expected.len();
            assert!(broad.cost().memory < limit, "{structure:?} holds {} bytes in {scene}", broad.cost().memory);
        }
    }
}

#[test]
fn windows_and_rays_find_what_a_plain_pass_finds_in_wild_scenes() {
    for (scene, boxes) in scenes() {
        for structure in STRUCTURES {
            let mut random = fastrand::Rng::with_seed(61);
            let mut broad = structure.build();
            for (id, bounds) in (0u32..).zip(&boxes) {
                broad.insert(id, *bounds).expect("sound");
            }
            broad.pairs();
            for round in 0..60 {
                let (from, to) = (boxes[random.usize(0..boxes.len())], boxes[random.usize(0..boxes.len())]);
                let window = if round % 2 == 0 { from } else { Aabb::new(from.min.min(to.min), from.max.max(to.max)) };
                let mut found = Vec::new();
                broad.overlapping(&window, &mut |id| found.push(id));
                found.sort_unstable();
                let expected: Vec<u32> =
                    (0u32..).zip(&boxes).filter(|(_, own)| touch(own, &window)).map(|(id, _)| id).collect();
                assert_eq!(found, expected, "{structure:?} in {scene}: {window:?}");

                // Between two boxes, along an axis, and to the end of the world.
                let (origin, target) = (from.center(), to.center() + (vector(&mut random) - 0.5) * 0.1);
                let direction = [target - origin, Vec3::AXES[round % 3], -Vec3::AXES[round % 3]][random.usize(0..3)];
                let limit = [0.3, 1.0, 7.0, f32::INFINITY][random.usize(0..4)];
                let Some(ray) = BoxRay::new(origin, direction, limit) else { continue };
                let mut met = BTreeSet::new();
                // At the ends of f32 a box beside the ray is met at infinity, which is nowhere.
                broad.cast_ray(&ray, &mut |id, entry| {
                    assert!(met.insert(id) || entry.is_infinite(), "{structure:?} meets {id} twice in {scene}");
                    if entry.is_infinite() {
                        met.remove(&id);
                    }
                    f32::INFINITY
                });
                // The box test itself is the library's; which boxes are brought to it is what may go wrong.
                let entries = (0u32..)
                    .zip(&boxes)
                    .filter_map(|(id, own)| Some((id, ray.entry(own, limit)?)))
                    .filter(|(_, entry)| entry.is_finite());
                let expected: BTreeSet<u32> = entries.clone().map(|(id, _)| id).collect();
                assert_eq!(met, expected, "{structure:?} in {scene}: {ray:?}");
                let mut first = f32::INFINITY;
                broad.cast_ray(&ray, &mut |_, entry| {
                    first = first.min(entry);
                    first
                });
                let nearest = entries.map(|(_, entry)| entry).fold(f32::INFINITY, f32::min);
                assert_eq!(first, nearest, "{structure:?} in {scene}: first hit of {ray:?}");
            }
        }
    }
}

#[test]
fn drawn_cells_hold_each_box_once_and_contain_its_corner() {
    let mut random = fastrand::Rng::with_seed(62);
    let boxes: Vec<Aabb> = (0..500)
        .map(|index| around(vector(&mut random) * 20.0, Vec3::splat(0.05 * (1 << (index % 7)) as f32)))
        .collect();
    for structure in [Structure::UniformGrid, Structure::HierarchicalGrid, Structure::SpatialHash] {
        let mut broad = structure.build();
        for (id, bounds) in (0u32..).zip(&boxes) {
            broad.insert(id, *bounds).expect("sound");
        }
        broad.pairs();
        let mut total = 0;
        let mut cells = Vec::new();
        broad.draw(&mut |part| match part {
            Drawn::Cell { bounds, count, .. } => {
                total += count;
                cells.push(bounds);
            }
            other => panic!("{structure:?} draws {other:?}"),
        });
        assert_eq!(total as usize, boxes.len(), "{structure:?}");
        for bounds in &boxes {
            let corner = point(bounds.min);
            let slack = Vec3::splat(1e-3);
            let is_held = |cell: &Aabb| touch(&Aabb::new(cell.min - slack, cell.max + slack), &corner);
            assert!(cells.iter().any(is_held), "{structure:?} has no cell for {bounds:?}");
        }
    }
}

#[test]
fn sweep_and_prune_follows_leaps_and_crowds_as_well_as_small_steps() {
    let mut random = fastrand::Rng::with_seed(63);
    let mut boxes: Vec<Aabb> =
        (0..800).map(|_| around(vector(&mut random) * 10.0, vector(&mut random) * 0.4)).collect();
    let mut broad = Structure::SweepAndPrune.build();
    let mut oracle = Structure::BruteForce.build();
    for (id, bounds) in (0u32..).zip(&boxes) {
        broad.insert(id, *bounds).expect("sound");
        oracle.insert(id, *bounds).expect("sound");
    }
    for frame in 0..60 {
        for (id, bounds) in (0u32..).zip(&mut boxes) {
            let step = (vector(&mut random) - 0.5) * 0.02;
            *bounds = match frame % 6 {
                // All leap, which the insertion sort gives up; all fall flat onto one plane; a few leap; all drift.
                3 => around(vector(&mut random) * 10.0, vector(&mut random) * 0.4),
                4 => Aabb::new(bounds.min.with_y(0.0), bounds.max.with_y(0.0)),
                5 if id % 50 == 0 => around(vector(&mut random) * 10.0, Vec3::ONE),
                _ => Aabb::new(bounds.min + step, bounds.max + step),
            };
            broad.update(id, *bounds, step).expect("sound");
            oracle.update(id, *bounds, step).expect("sound");
        }
        let sets = |pairs: &[Pair]| pairs.iter().copied().collect::<BTreeSet<Pair>>();
        if frame % 4 != 1 {
            assert_eq!(sets(broad.pairs()), sets(oracle.pairs()), "frame {frame}");
        }
        // Not every frame is looked at for changes, so some cancel.
        if frame % 3 == 0 {
            let (changes, expected) = (broad.changes(), oracle.changes());
            assert_eq!(sets(changes.began), sets(expected.began), "frame {frame}: began");
            assert_eq!(sets(changes.ended), sets(expected.ended), "frame {frame}: ended");
            assert_eq!(changes.began.len(), sets(changes.began).len(), "frame {frame}");
            assert_eq!(changes.ended.len(), sets(changes.ended).len(), "frame {frame}");
        }
    }
}
