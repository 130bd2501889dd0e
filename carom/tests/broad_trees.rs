//! What the trees among the broad phases promise beyond the right pairs: work that stays small in awkward scenes,
//! pictures that show the structure, rays that go from near to far, and no memory that grows.

use carom::bounds::{Aabb, BoundingVolume};
use carom::broad::{BoxRay, BroadPhase, Bsp, BvhBuild, Drawn, DynamicTree, Pair, Rebuilt, StaticBvh, Structure};
use carom::glam::Vec3Swizzles;
use carom::prelude::*;

fn trees() -> Vec<(&'static str, Box<dyn BroadPhase>)> {
    let slanted = |turn: Quat| {
        (-20..20).map(move |step| {
            let offset = Vec3::X * step as f32;
            [offset, offset + Vec3::Y, offset + Vec3::Z].map(|corner| turn * corner)
        })
    };
    let walls = slanted(Quat::from_rotation_y(0.6)).chain(slanted(Quat::from_rotation_z(-1.1)));
    vec![
        ("octree", Structure::Octree.build()),
        ("k-d tree", Structure::KdTree.build()),
        ("BSP tree", Structure::Bsp.build()),
        ("BSP tree with walls", Box::new(Rebuilt::new(Bsp::from_triangles(walls)))),
        ("hierarchy by surface", Structure::StaticBvh.build()),
        ("hierarchy by medians", Box::new(Rebuilt::new(StaticBvh::new(BvhBuild::Median)))),
        ("hierarchy from below", Box::new(Rebuilt::new(StaticBvh::new(BvhBuild::BottomUp)))),
    ]
}

fn vector(random: &mut fastrand::Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.f32()))
}

fn fill(broad: &mut dyn BroadPhase, boxes: &[Aabb]) {
    for (id, bounds) in (0u32..).zip(boxes) {
        broad.insert(id, *bounds).expect("sound");
    }
}

fn touch(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|axis| !(a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis]))
}

fn plain_pairs(boxes: &[Aabb]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, first) in (0u32..).zip(boxes) {
        let others = (a + 1..).zip(&boxes[a as usize + 1..]);
        pairs.extend(others.filter(|(_, second)| touch(first, second)).map(|(b, _)| Pair { a, b }));
    }
    pairs
}

fn uniform(count: usize, random: &mut fastrand::Rng) -> Vec<Aabb> {
    let side = (3.0 * count as f32).cbrt();
    let one = |random: &mut fastrand::Rng| {
        let (center, half) = (vector(random) * side, vector(random) * 0.5 + 0.2);
        Aabb::new(center - half, center + half)
    };
    (0..count).map(|_| one(random)).collect()
}

/// Awkward scenes, with the greatest work that is fair for each, in tests a box.
fn awkward() -> Vec<(&'static str, Vec<Aabb>, u64)> {
    let mut random = fastrand::Rng::with_seed(31);
    let even = uniform(4000, &mut random);
    let with = |extra: Vec<Aabb>| even.iter().copied().chain(extra).collect::<Vec<Aabb>>();
    let everything = Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
    let cube = |center: Vec3, half: f32| Aabb::new(center - half, center + half);
    let octaves = |count: i32| (0..count).map(move |step| cube(Vec3::ZERO, 2f32.powi(step % 240 - 120)));
    vec![
        ("even", even.clone(), 150),
        ("one around everything", with(vec![everything]), 400),
        ("a hundred around everything", with(vec![everything; 100]), 700),
        ("all equal", vec![cube(Vec3::ONE, 1.0); 1500], 1600),
        ("points in one place", vec![cube(Vec3::splat(1e7), 0.0); 1500], 1600),
        ("nested over all magnitudes", octaves(1500).collect(), 3200),
        ("even next to all magnitudes", with(octaves(240).collect()), 1200),
        ("two far apart", with(even.iter().map(|own| Aabb::new(own.min + 1e7, own.max + 1e7)).collect()), 500),
        ("far away", even.iter().map(|own| Aabb::new(own.min - 1e7, own.max - 1e7)).collect(), 150),
        ("a row", (0..4000).map(|step| cube(Vec3::X * step as f32, 0.4)).collect(), 60),
        ("a row of touching ones", (0..4000).map(|step| cube(Vec3::Y * step as f32, 0.5)).collect(), 60),
        ("tiny", even.iter().map(|own| Aabb::new(own.min * 1e-38, own.max * 1e-38)).collect(), 150),
        ("huge", even.iter().map(|own| Aabb::new(own.min * 1e37, own.max * 1e37)).collect(), 150),
    ]
}

#[test]
fn awkward_scenes_give_the_plain_pairs_with_little_work() {
    for (scene, boxes, fair) in awkward() {
        let expected = plain_pairs(&boxes);
        for (name, mut broad) in trees() {
            fill(broad.as_mut(), &boxes);
            let mut pairs = broad.pairs().to_vec();
            pairs.sort_unstable();
            assert!(pairs == expected, "{name}, {scene}: {} pairs for {}", pairs.len(), expected.len());
            let tests = broad.cost().tests / boxes.len() as u64;
            println!("{scene}: {name}: {tests} tests a box");
            assert!(tests <= fair, "{name}, {scene}: {tests} tests a box");
        }
    }
}

#[test]
fn the_dynamic_tree_counts_what_each_step_compares() {
    let boxes = uniform(4000, &mut fastrand::Rng::with_seed(37));
    let mut tree = DynamicTree::from_boxes(&boxes).expect("sound");
    tree.pairs();
    let all = tree.cost().tests;
    assert!(all > 4000, "{all} tests for all pairs");
    // Where it is, there are some others to compare it with, and not the others with each other.
    let moved = Aabb::new(boxes[7].min + 0.5, boxes[7].max + 0.5);
    tree.update(7, moved, Vec3::ZERO).expect("sound");
    tree.pairs();
    let few = tree.cost().tests;
    assert!((1..all / 20).contains(&few), "{few} tests for one box that moved, {all} for all");
    // Nothing moves: nothing is searched, and the last search stays the last.
    tree.pairs();
    assert_eq!(tree.cost().tests, few);
}

#[test]
fn planes_of_slanted_walls_divide_the_boxes_between_them() {
    // Rooms of a building that stands askew; boxes keep off the walls.
    let turn = Quat::from_rotation_y(0.5) * Quat::from_rotation_x(0.2);
    let mut random = fastrand::Rng::with_seed(41);
    let (rooms, side) = (8, 10.0);
    let mut boxes = Vec::new();
    for _ in 0..3000 {
        let room = (vector(&mut random) * rooms as f32).floor();
        let center = turn * ((room + 0.25 + 0.5 * vector(&mut random)) * side);
        boxes.push(Aabb::new(center - vector(&mut random) * 1.2, center + vector(&mut random) * 1.2));
    }
    let walls = (1..rooms).flat_map(|wall| Vec3::AXES.map(|axis| (axis, axis * wall as f32 * side)));
    let triangles: Vec<[Vec3; 3]> = walls
        .map(|(axis, offset)| [offset, offset + axis.yzx(), offset + axis.zxy()].map(|corner| turn * corner))
        .collect();
    let mut broad = Rebuilt::new(Bsp::from_triangles(triangles.iter().copied()));
    fill(&mut broad, &boxes);
    let mut pairs = broad.pairs().to_vec();
    pairs.sort_unstable();
    assert_eq!(pairs, plain_pairs(&boxes));
    let mut slanted = 0;
    broad.draw(&mut |part| {
        if let Drawn::Plane { normal, offset, .. } = part {
            assert!((normal.length() - 1.0).abs() < 1e-5);
            if normal.abs().max_element() < 0.999 {
                slanted += 1;
                let is_wall = triangles
                    .iter()
                    .any(|corners| corners.iter().all(|corner| (normal.dot(*corner) - offset).abs() < 1e-2));
                assert!(is_wall, "no wall at {normal}, {offset}");
            }
        }
    });
    assert!(slanted >= 3, "{slanted} slanted planes");
    // Triangles without area and without sense are no planes.
    let bad = [[Vec3::ZERO; 3], [Vec3::NAN, Vec3::X, Vec3::Y], [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]];
    let mut broad = Rebuilt::new(Bsp::from_triangles(bad));
    fill(&mut broad, &boxes);
    let mut pairs = broad.pairs().to_vec();
    pairs.sort_unstable();
    assert_eq!(pairs, plain_pairs(&boxes));
}

#[test]
fn pictures_show_nodes_that_hold_every_box_and_planes_that_cross_their_regions() {
    let boxes = uniform(500, &mut fastrand::Rng::with_seed(51));
    let whole = boxes.iter().copied().reduce(|a, b| a.merged(&b)).expect("not empty");
    for (name, mut broad) in trees() {
        fill(broad.as_mut(), &boxes);
        broad.pairs();
        let (mut nodes, mut planes) = (Vec::new(), Vec::new());
        broad.draw(&mut |part| match part {
            Drawn::Node { bounds, depth } => nodes.push((bounds, depth)),
            Drawn::Plane { normal, offset, region, depth } => planes.push((normal, offset, region, depth)),
            _ => panic!("{name} draws {part:?}"),
        });
        assert_eq!(nodes[0], (whole, 0), "{name}: the root");
        assert_eq!(nodes.iter().filter(|(_, depth)| *depth == 0).count(), 1);
        let inside = |inner: &Aabb, outer: &Aabb| outer.contains(inner.min) && outer.contains(inner.max);
        for own in &boxes {
            assert!(nodes.iter().filter(|(bounds, _)| inside(own, bounds)).count() >= 3, "{name}: {own:?}");
        }
        // A node comes after its parent, and inside it.
        let mut path: Vec<Aabb> = Vec::new();
        for (bounds, depth) in &nodes {
            path.truncate(*depth as usize);
            assert_eq!(path.len(), *depth as usize, "{name}: a level is left out");
            assert!(path.last().is_none_or(|parent| inside(bounds, parent)), "{name}");
            path.push(*bounds);
        }
        assert_eq!(planes.is_empty(), !(name.starts_with("k-d") || name.starts_with("BSP")), "{name}");
        for (normal, offset, region, _) in planes {
            let reach = normal.abs().dot(region.half_extents()) * 1.0001;
            assert!((normal.dot(region.center()) - offset).abs() <= reach, "{name}: a plane outside its region");
        }
    }
}

#[test]
fn a_ray_that_stops_at_its_first_hit_looks_at_few_boxes() {
    let boxes: Vec<Aabb> =
        (0..2000).map(|step| Aabb::new(Vec3::X * step as f32, Vec3::X * step as f32 + 0.5)).collect();
    for (name, mut broad) in trees() {
        fill(broad.as_mut(), &boxes);
        broad.pairs();
        for (from, direction, first) in [(-5.0, 1.0, 0), (5000.0, -1.0, 1999)] {
            let ray = BoxRay::new(Vec3::new(from, 0.25, 0.25), Vec3::X * direction, f32::INFINITY).expect("sound");
            let (mut looked, mut nearest) = (0, (f32::INFINITY, u32::MAX));
            broad.cast_ray(&ray, &mut |id, entry| {
                looked += 1;
                nearest = if entry < nearest.0 { (entry, id) } else { nearest };
                nearest.0
            });
            assert_eq!(nearest.1, first, "{name}");
            assert!(looked <= 8, "{name} looks at {looked} boxes");
        }
    }
}

#[test]
fn memory_stays_when_the_same_scene_comes_again() {
    let mut random = fastrand::Rng::with_seed(61);
    let boxes = uniform(3000, &mut random);
    let moved: Vec<Aabb> = boxes.iter().map(|own| Aabb::new(own.max, own.max * 2.0 - own.min)).collect();
    for (name, mut broad) in trees() {
        fill(broad.as_mut(), &boxes);
        let mut frame = |boxes: &[Aabb]| {
            for (id, bounds) in (0u32..).zip(boxes) {
                broad.update(id, *bounds, Vec3::ZERO).expect("known");
            }
            broad.pairs();
            broad.cost().memory
        };
        frame(&boxes);
        let warm = frame(&moved);
        for _ in 0..5 {
            assert!(frame(&boxes) <= warm, "{name}");
            assert!(frame(&moved) <= warm, "{name}");
        }
    }
}

#[test]
fn a_hierarchy_that_is_refitted_keeps_up_with_motion() {
    let mut random = fastrand::Rng::with_seed(71);
    let mut boxes = uniform(1500, &mut random);
    let steps: Vec<Vec3> = boxes.iter().map(|_| (vector(&mut random) - 0.5) * 0.4).collect();
    let mut broad = Rebuilt::new(StaticBvh::default());
    fill(&mut broad, &boxes);
    let mut rebuilds = 0;
    let mut last_decay = 1.0;
    for frame in 0..80 {
        let mut pairs = broad.pairs().to_vec();
        pairs.sort_unstable();
        assert_eq!(pairs, plain_pairs(&boxes), "frame {frame}");
        let decay = broad.index().bvh().decay();
        rebuilds += usize::from(decay < last_decay && decay == 1.0);
        last_decay = decay;
        for ((id, own), step) in (0u32..).zip(&mut boxes).zip(&steps) {
            *own = Aabb::new(own.min + *step, own.max + *step);
            broad.update(id, *own, *step).expect("known");
        }
    }
    assert!((2..40).contains(&rebuilds), "{rebuilds} rebuilds in 80 frames");
}
