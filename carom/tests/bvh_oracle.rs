//! Hierarchies of every volume, built in every way, against a plain loop over all items.

use carom::bounds::{
    Aabb, BoundingCapsule, BoundingCylinder, BoundingEllipsoid, BoundingHull, BoundingSphere, BoundingVolume, Kdop,
    OrientedBox,
};
use carom::broad::{Bvh, BvhBuild, BvhError, adjacent_triangles};
use carom::prelude::*;
use carom::shape::TriangleMesh;
use std::collections::BTreeSet;

fn vector(random: &mut fastrand::Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.f32()))
}

/// Four points that stand for an item.
type Cloud = [Vec3; 4];

#[derive(Debug, Clone, Copy)]
enum Scene {
    Uniform,
    PowerLaw,
    Coincident,
    Points,
    Flat,
    FarAway,
    Nested,
}

const SCENES: [Scene; 7] =
    [Scene::Uniform, Scene::PowerLaw, Scene::Coincident, Scene::Points, Scene::Flat, Scene::FarAway, Scene::Nested];

fn cloud(scene: Scene, index: usize, random: &mut fastrand::Rng) -> Cloud {
    let around = |center: Vec3, size: f32, random: &mut fastrand::Rng| {
        std::array::from_fn(|_| center + (vector(random) - 0.5) * size)
    };
    match scene {
        Scene::Uniform => around(vector(random) * 5.0, 1.0, random),
        Scene::PowerLaw => {
            let size = 0.05 * random.f32().max(1e-3).powf(-0.8);
            around(vector(random) * 10.0, size, random)
        }
        Scene::Coincident => [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        Scene::Points => [(vector(random) * 3.0).floor(); 4],
        Scene::Flat => around(vector(random) * 5.0, 1.0, random).map(|point| point * Vec3::new(1.0, 0.0, 1.0)),
        Scene::FarAway => around(Vec3::new(1e6, -1e6, 1e6) + vector(random) * 20.0, 4.0, random),
        Scene::Nested => {
            let scale = 1.2f32.powi(index as i32 % 60);
            [Vec3::ZERO, Vec3::X * scale, Vec3::Y * scale, Vec3::Z * scale]
        }
    }
}

fn boxes_of(clouds: &[Cloud]) -> Vec<Aabb> {
    clouds.iter().map(|cloud| Aabb::around_points(cloud).expect("finite")).collect()
}

fn volumes_of<V: BoundingVolume>(clouds: &[Cloud]) -> Vec<V> {
    clouds.iter().map(|cloud| V::around_points(cloud).expect("finite")).collect()
}

/// Items one after another are neighbours, and some others.
fn edges_of(count: usize, random: &mut fastrand::Rng) -> Vec<[u32; 2]> {
    let row = (1..count as u32).filter(|item| item % 7 != 0).map(|item| [item - 1, item]);
    let more: Vec<[u32; 2]> =
        (0..count).map(|_| [random.u32(0..count.max(1) as u32), random.u32(0..count.max(1) as u32)]).collect();
    row.chain(more).collect()
}

fn plain_pairs<V: BoundingVolume>(a: &[V], b: &[V]) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for (first, one) in (0u32..).zip(a) {
        pairs.extend((0u32..).zip(b).filter(|(_, other)| one.overlaps(other)).map(|(second, _)| (first, second)));
    }
    pairs
}

fn tandem_pairs<V: BoundingVolume>(a: &Bvh<V>, b: &Bvh<V>) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    a.visit_pairs_with(b, |first, second| assert!(pairs.insert((first, second)), "{first}, {second} twice"));
    pairs
}

fn found_by<V: BoundingVolume>(bvh: &Bvh<V>, obstacle: &V) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    bvh.visit_overlapping(obstacle, |item| assert!(found.insert(item), "{item} twice"));
    found
}

/// Every build of two sets, before and after a deformation; `count` items a set.
fn check_volume<V: BoundingVolume>(name: &str, count: usize) {
    for scene in SCENES {
        let mut random = fastrand::Rng::with_seed(scene as u64 + 100);
        for (items, others) in [(count, count / 2), (1, count), (0, 3), (2, 1), (9, 9)] {
            let mut clouds: Vec<Cloud> = (0..items).map(|index| cloud(scene, index, &mut random)).collect();
            let other_clouds: Vec<Cloud> = (0..others).map(|index| cloud(scene, index, &mut random)).collect();
            let (mut volumes, other_volumes) = (volumes_of::<V>(&clouds), volumes_of::<V>(&other_clouds));
            let (edges, other_edges) = (edges_of(items, &mut random), edges_of(others, &mut random));
            let mut trees: Vec<Bvh<V>> = Vec::new();
            for (own, theirs) in [
                (BvhBuild::Median, BvhBuild::SurfaceArea),
                (BvhBuild::SurfaceArea, BvhBuild::BottomUp),
                (BvhBuild::BottomUp, BvhBuild::ByAdjacency(&other_edges)),
                (BvhBuild::ByAdjacency(&edges), BvhBuild::Median),
            ] {
                let a = Bvh::new(&volumes, &boxes_of(&clouds), own).expect("sound");
                let b = Bvh::new(&other_volumes, &boxes_of(&other_clouds), theirs).expect("sound");
                let expected = plain_pairs(&volumes, &other_volumes);
                assert_eq!(tandem_pairs(&a, &b), expected, "{name} {scene:?} {own:?} with {theirs:?}");
                for (index, obstacle) in (0u32..).zip(&other_volumes).step_by(7) {
                    let expected: BTreeSet<u32> =
                        expected.iter().filter(|pair| pair.1 == index).map(|pair| pair.0).collect();
                    assert_eq!(found_by(&a, obstacle), expected, "{name} {scene:?} {own:?}: obstacle {index}");
                }
                assert!((a.decay() - 1.0).abs() < 1e-6);
                trees.push(a);
            }
            // The items go elsewhere, so far that nothing of the old volumes would do.
            for (index, place) in clouds.iter_mut().enumerate() {
                let offset = (vector(&mut random) - 0.5) * 4.0;
                *place = cloud(scene, index + 1, &mut random).map(|point| point + offset);
            }
            volumes = volumes_of::<V>(&clouds);
            let expected = plain_pairs(&volumes, &other_volumes);
            let other = Bvh::new(&other_volumes, &boxes_of(&other_clouds), BvhBuild::Median).expect("sound");
            for tree in &mut trees {
                tree.refit(&volumes).expect("as many");
                assert!(tree.decay().is_finite() && tree.decay() > 0.0);
                assert_eq!(tandem_pairs(tree, &other), expected, "{name} {scene:?} after a refit");
                assert_eq!(tree.len(), items);
                assert_eq!(tree.is_empty(), tree.root().is_none());
            }
        }
    }
}

#[test]
fn boxes_and_k_dops_give_the_plain_pairs() {
    check_volume::<Aabb>("box", 300);
    check_volume::<Kdop<14>>("14-DOP", 200);
    check_volume::<Kdop<18>>("18-DOP", 100);
    check_volume::<Kdop<26>>("26-DOP", 100);
}

#[test]
fn spheres_give_the_plain_pairs() {
    check_volume::<BoundingSphere>("sphere", 200);
}

#[test]
fn volumes_that_are_dear_to_merge_give_the_plain_pairs() {
    check_volume::<OrientedBox>("oriented box", 60);
    check_volume::<BoundingCapsule>("capsule", 60);
    check_volume::<BoundingCylinder>("cylinder", 14);
    check_volume::<BoundingEllipsoid>("ellipsoid", 14);
    check_volume::<BoundingHull>("hull", 30);
}

/// The vertices and triangles of an OBJ file, faces of more corners as fans; none if the file is not there.
fn read_obj(name: &str) -> Option<TriangleMesh> {
    let text = std::fs::read_to_string(format!("{}/../../shared/data/meshes/{name}", env!("CARGO_MANIFEST_DIR")));
    let Ok(text) = text else {
        println!("SKIPPED: {name} is not there");
        return None;
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f32> = words.map(|word| word.parse().expect("a number")).collect();
                vertices.push(Vec3::from_slice(&numbers));
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .map(|word| word.split('/').next().expect("a word").parse::<u32>().expect("an index") - 1)
                    .collect();
                triangles.extend(corners[1..].windows(2).map(|two| [corners[0], two[0], two[1]]));
            }
            Some(_) | None => {}
        }
    }
    Some(TriangleMesh::repaired(&vertices, &triangles).expect("a sound file").0)
}

const MESHES: [&str; 6] =
    ["building.obj", "stairs.obj", "test_map01.obj", "voxel_mesh_01.obj", "fcl/env.obj", "fcl/rob.obj"];

#[test]
fn a_box_that_moves_through_a_mesh_meets_the_triangles_that_it_should() {
    for name in MESHES {
        let Some(mesh) = read_obj(name) else { continue };
        let mut random = fastrand::Rng::with_seed(7);
        let mut corners: Vec<[Vec3; 3]> = (0..mesh.triangles().len()).map(|index| mesh.corners(index)).collect();
        let edges = adjacent_triangles(mesh.triangles());
        let builds = [BvhBuild::Median, BvhBuild::SurfaceArea, BvhBuild::BottomUp, BvhBuild::ByAdjacency(&edges)];
        let mut trees: Vec<Bvh<Aabb>> =
            builds.map(|build| Bvh::around_triangles(&mesh, build).expect("a sound mesh")).into();
        let whole = *trees[0].root().expect("not empty");
        let (least, size) = (whole.min, whole.max - whole.min);
        for deformation in 0..3 {
            let boxes: Vec<Aabb> = corners.iter().map(|three| Aabb::around_points(three).expect("finite")).collect();
            for tree in &mut trees {
                tree.refit(&boxes).expect("as many");
            }
            let (from, to) = (least + vector(&mut random) * size, least + vector(&mut random) * size);
            let half = size * 0.1 * vector(&mut random);
            let mut met = 0;
            for step in 0..50 {
                let center = from.lerp(to, step as f32 / 49.0);
                let obstacle = Aabb::new(center - half, center + half);
                let apart =
                    |own: &Aabb, axis: usize| own.max[axis] < obstacle.min[axis] || obstacle.max[axis] < own.min[axis];
                let expected: BTreeSet<u32> = (0u32..)
                    .zip(&boxes)
                    .filter(|(_, own)| (0..3).all(|axis| !apart(own, axis)))
                    .map(|(item, _)| item)
                    .collect();
                met += expected.len();
                for (tree, build) in trees.iter().zip(builds) {
                    let found = found_by(tree, &obstacle);
                    assert!(found == expected, "{name}, {build:?}, deformation {deformation}, step {step}");
                }
            }
            println!("{name}: {} triangles, {met} met in 50 steps", corners.len());
            // Each corner goes its own way, a tenth of the whole: triangles tear apart, which is harder than bending.
            corners.iter_mut().flatten().for_each(|corner| *corner += (vector(&mut random) - 0.5) * 0.2 * size);
        }
    }
}

#[test]
fn two_meshes_in_motion_meet_as_their_triangles_do() {
    let (Some(environment), Some(robot)) = (read_obj("fcl/env.obj"), read_obj("fcl/rob.obj")) else { return };
    let edges = adjacent_triangles(robot.triangles());
    let a = Bvh::<Kdop<18>>::around_triangles(&environment, BvhBuild::SurfaceArea).expect("sound");
    let b = Bvh::<Kdop<18>>::around_triangles(&robot, BvhBuild::ByAdjacency(&edges)).expect("sound");
    let boxes_a = Bvh::<Aabb>::around_triangles(&environment, BvhBuild::BottomUp).expect("sound");
    let boxes_b = Bvh::<Aabb>::around_triangles(&robot, BvhBuild::Median).expect("sound");
    let mut random = fastrand::Rng::with_seed(17);
    let whole = *boxes_a.root().expect("not empty");
    let brute = environment.triangles().len() * robot.triangles().len();
    for _ in 0..3 {
        let place = whole.min + vector(&mut random) * (whole.max - whole.min);
        let rotation = Quat::from_scaled_axis((vector(&mut random) - 0.5) * 6.0);
        let b_in_a = LocalPose::new(place, rotation);
        let mut tests = 0;
        let mut found = BTreeSet::new();
        let overlap = |a: &Aabb, b: &Aabb| {
            tests += 1;
            a.overlaps(&b.moved(&b_in_a))
        };
        boxes_a.visit_pairs_where(&boxes_b, overlap, |one, other| assert!(found.insert((one, other))));
        let moved: Vec<Aabb> = (0..robot.triangles().len())
            .map(|index| Aabb::around_points(&robot.corners(index)).expect("finite").moved(&b_in_a))
            .collect();
        let fixed: Vec<Aabb> = (0..environment.triangles().len())
            .map(|index| Aabb::around_points(&environment.corners(index)).expect("finite"))
            .collect();
        // The box of a moved box is larger than the moved box: the plain pairs of what the leaves compare.
        assert!(found == plain_pairs(&fixed, &moved), "at {b_in_a:?}");
        println!("{} pairs, {tests} tests instead of {brute}", found.len());
        assert!(tests < brute / 20, "{tests} tests of {brute}");
    }
    // Both at rest: trees of k-DOPs.
    let corners = |mesh: &TriangleMesh| -> Vec<Kdop<18>> {
        (0..mesh.triangles().len()).map(|index| Kdop::around_points(&mesh.corners(index)).expect("finite")).collect()
    };
    assert!(tandem_pairs(&a, &b) == plain_pairs(&corners(&environment), &corners(&robot)));
}

#[test]
fn a_refit_after_a_shuffle_costs_more_and_a_rebuild_mends_it() {
    let mut random = fastrand::Rng::with_seed(23);
    let place = |random: &mut fastrand::Rng| {
        let center = vector(random) * 30.0;
        Aabb::new(center, center + 0.5)
    };
    let mut boxes: Vec<Aabb> = (0..2000).map(|_| place(&mut random)).collect();
    for build in [BvhBuild::Median, BvhBuild::SurfaceArea, BvhBuild::BottomUp] {
        let mut tree = Bvh::new(&boxes, &boxes, build).expect("sound");
        let tests = |tree: &Bvh<Aabb>| {
            let mut tests = 0;
            for step in 0..30 {
                let obstacle = Aabb::new(Vec3::splat(step as f32), Vec3::splat(step as f32 + 1.0));
                let reaches = |volume: &Aabb| {
                    tests += 1;
                    volume.overlaps(&obstacle)
                };
                tree.visit_where(reaches, |_| {});
            }
            tests
        };
        let fresh = tests(&tree);
        // Everything moved and grown alike is as good as before.
        let alike: Vec<Aabb> = boxes.iter().map(|own| Aabb::new(own.min * 3.0 + 1.0, own.max * 3.0 + 1.0)).collect();
        tree.refit(&alike).expect("as many");
        assert!((tree.decay() - 1.0).abs() < 1e-3, "{build:?}: {}", tree.decay());
        random.shuffle(&mut boxes);
        tree.refit(&boxes).expect("as many");
        let (decay, decayed) = (tree.decay(), tests(&tree));
        assert!(decay > 10.0 && decayed > 10 * fresh, "{build:?}: {decay}, {decayed} tests after {fresh}");
        tree.rebuild(&boxes, &boxes, build).expect("sound");
        assert!(tree.decay() == 1.0 && tests(&tree) < 2 * fresh, "{build:?}: {} after {fresh}", tests(&tree));
    }
}

#[test]
fn thousands_of_equal_or_nested_items_end_in_time_and_walks_need_no_stack() {
    let count = 20_000;
    let same = vec![Aabb::new(Vec3::ZERO, Vec3::ONE); count];
    let nested: Vec<Aabb> = (0..count).map(|index| Aabb::new(Vec3::splat(-(index as f32)), Vec3::ONE)).collect();
    let huge: Vec<Aabb> = (0..count)
        .map(|index| match index % 100 {
            0 => Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX)),
            1 => Aabb::new(Vec3::new(0.0, -f32::MAX, 0.0), Vec3::new(0.0, f32::MAX, 0.0)),
            _ => Aabb::new(Vec3::splat(index as f32), Vec3::splat(index as f32)),
        })
        .collect();
    // Powers of two along a line: each is nearest to the sum of all before it.
    let growing: Vec<Aabb> = (0..count)
        .map(|index| {
            let place = 2f32.powi(index as i32 % 200 - 100);
            Aabb::new(Vec3::splat(place), Vec3::splat(place))
        })
        .collect();
    let row: Vec<[u32; 2]> = (1..count as u32).map(|item| [item - 1, item]).collect();
    let star: Vec<[u32; 2]> = (1..count as u32).map(|item| [0, item]).collect();
    for (name, boxes) in [("same", &same), ("nested", &nested), ("huge", &huge), ("growing", &growing)] {
        for build in [
            BvhBuild::Median,
            BvhBuild::SurfaceArea,
            BvhBuild::BottomUp,
            BvhBuild::ByAdjacency(&row),
            BvhBuild::ByAdjacency(&star),
        ] {
            let start = std::time::Instant::now();
            let tree = Bvh::new(boxes, boxes, build).expect("sound");
            println!("{name}: {:?}", start.elapsed());
            let obstacle = Aabb::new(Vec3::splat(-2.0), Vec3::splat(50.0));
            let expected = (0u32..).zip(boxes).filter(|(_, own)| own.overlaps(&obstacle)).map(|(item, _)| item);
            assert!(found_by(&tree, &obstacle) == expected.collect(), "{name}");
            assert!(start.elapsed().as_secs_f32() < 2.0, "{name}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn bad_input_is_refused_by_name_and_changes_nothing() {
    let boxes = [Aabb::new(Vec3::ZERO, Vec3::ONE), Aabb::new(Vec3::ONE, Vec3::ONE)];
    let mut tree = Bvh::new(&boxes, &boxes, BvhBuild::Median).expect("sound");
    let inside_out = [boxes[0], Aabb::new(Vec3::ONE, Vec3::ZERO)];
    let not_a_number = [Aabb::new(Vec3::NAN, Vec3::ONE), boxes[0]];
    let infinite = [boxes[0], Aabb::new(Vec3::ZERO, Vec3::INFINITY)];
    for (bad, at) in [(inside_out, 1), (not_a_number, 0), (infinite, 1)] {
        let refused = tree.rebuild(&boxes, &bad, BvhBuild::BottomUp);
        assert!(matches!(refused, Err(BvhError::BadBox { item, .. }) if item == at), "{refused:?}");
    }
    assert_eq!(
        tree.rebuild(&boxes, &boxes[..1], BvhBuild::Median),
        Err(BvhError::CountMismatch { what: "boxes", given: 1, items: 2 })
    );
    assert_eq!(tree.refit(&boxes[..1]), Err(BvhError::CountMismatch { what: "volumes", given: 1, items: 2 }));
    assert_eq!(
        tree.rebuild(&boxes, &boxes, BvhBuild::ByAdjacency(&[[0, 1], [1, 2]])),
        Err(BvhError::EdgeOutOfRange { edge: 1, item: 2, items: 2 })
    );
    assert_eq!(found_by(&tree, &boxes[1]), BTreeSet::from([0, 1]));
}

#[test]
fn triangles_that_share_an_edge_are_adjacent() {
    // Two triangles of a square, one that shares only a corner, and two more on the square's diagonal.
    let triangles = [[0, 1, 2], [2, 1, 3], [3, 4, 5], [1, 2, 6], [2, 7, 1]];
    let edges = adjacent_triangles(&triangles);
    assert_eq!(edges, [[0, 1], [1, 3], [3, 4]]);
}
