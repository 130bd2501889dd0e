//! Trees of meshes against every triangle one by one: boxes, rays, nearest points, pairs of meshes.
//!
//! The triangles are asked in f64 and from first principles (`brute`). Meshes made by others are used where they are there.
//! `CAROM_CASES=n` runs n times as many poses of `fcl/env.obj` against `fcl/rob.obj`, of which 1,000 are usual;
//! `-- --nocapture` prints what was found.

mod brute;
mod exhaustive;
mod meshes;
mod random;

use brute::{Triangle, distance_of_point, first_meeting, placed};
use carom::bounds::Aabb;
use carom::glam::{DVec3, Quat, Vec3};
use carom::narrow::triangle_triangle;
use carom::pose::Pose;
use carom::query::mesh::{self, MeshOverlap};
use carom::query::{self, Ray};
use carom::shape::{HeightField, Shape, TriangleMesh};
use exhaustive::{least_distance, parts_of_simplex};
use fastrand::Rng;
use meshes::{NAMES, box_mesh, read};
use random::{between, cube, direction, rotation, vector};
use std::ops::ControlFlow;

/// Triangles of all sizes, from a thousandth to the whole.
fn soup(random: &mut Rng, count: usize) -> TriangleMesh {
    let mut vertices = Vec::new();
    for _ in 0..count {
        let (middle, size) = (vector(random, 1.0), 10f32.powf(between(random, -3.0, 0.0)));
        vertices.extend((0..3).map(|_| middle + vector(random, size)));
    }
    let triangles = (0..count as u32).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// A ball of `bands` bands, its radius between 0.8 and 1.2.
fn bumpy_ball(bands: u32, random: &mut Rng) -> TriangleMesh {
    let around = 2 * bands;
    let mut vertices = Vec::new();
    for band in 0..=bands {
        for step in 0..around {
            let (up, turn) = (band as f32 / bands as f32 * std::f32::consts::PI, step as f32 / around as f32);
            let turn = turn * std::f32::consts::TAU;
            let radius = if band == 0 || band == bands { 1.0 } else { between(random, 0.9, 1.1) };
            // At the poles all vertices are at one place.
            let flat = if band == 0 || band == bands { 0.0 } else { up.sin() };
            vertices.push(radius * Vec3::new(flat * turn.cos(), up.cos(), flat * turn.sin()));
        }
    }
    let mut triangles = Vec::new();
    for band in 0..bands {
        for step in 0..around {
            let at = |band: u32, step: u32| band * around + step % around;
            let [a, b, c, d] = [at(band, step), at(band, step + 1), at(band + 1, step + 1), at(band + 1, step)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriangleMesh::repaired(&vertices, &triangles).unwrap().0
}

fn corners_of(mesh: &TriangleMesh) -> impl Iterator<Item = [Vec3; 3]> + '_ {
    (0..mesh.triangles().len()).map(|index| mesh.corners(index))
}

fn meshes() -> Vec<(String, TriangleMesh)> {
    let mut random = Rng::with_seed(7);
    let mut all = vec![("soup".to_owned(), soup(&mut random, 700)), ("ball".to_owned(), bumpy_ball(20, &mut random))];
    for name in NAMES {
        all.extend(read(name).map(|mesh| (name.to_owned(), mesh)));
    }
    all
}

fn extent(mesh: &TriangleMesh) -> (Vec3, Vec3) {
    let vertices = || mesh.vertices().iter().copied();
    (vertices().fold(Vec3::INFINITY, Vec3::min), vertices().fold(Vec3::NEG_INFINITY, Vec3::max))
}

#[test]
fn boxes_find_the_triangles_whose_boxes_they_overlap() {
    let mut random = Rng::with_seed(1);
    for (name, mesh) in meshes() {
        let (least, greatest) = extent(&mesh);
        let tree_bounds = mesh.tree().bounds();
        assert!(tree_bounds.min.cmple(least).all() && tree_bounds.max.cmpge(greatest).all(), "{name}");
        let (mut found_in_all, mut offered) = (0, 0);
        for _ in 0..400 {
            let middle = least + (greatest - least) * (vector(&mut random, 0.6) + 0.5);
            let half = (greatest - least).abs() * 10f32.powf(between(&mut random, -4.0, 0.0));
            let mut bounds = Aabb::new(middle - half, middle + half);
            if random.u32(0..4) == 0 {
                // Boxes that end at a vertex touch its triangles.
                bounds.max = mesh.vertices()[random.usize(0..mesh.vertices().len())];
                bounds.min = bounds.min.min(bounds.max);
            }
            let mut found = Vec::new();
            mesh.visit_overlapping(&bounds, |triangle, corners| {
                assert_eq!(corners, mesh.corners(triangle as usize));
                found.push(triangle);
            });
            let mut by_tree = Vec::new();
            mesh.tree().visit_overlapping(&bounds, |triangle| by_tree.push(triangle));
            assert_eq!(found, by_tree);
            found.sort_unstable();
            offered += found.len();
            let overlaps = |[a, b, c]: [Vec3; 3]| {
                a.min(b).min(c).cmple(bounds.max).all() && a.max(b).max(c).cmpge(bounds.min).all()
            };
            // Boxes are rounded outward; those that only the rounding brought are left out of the comparison.
            found.retain(|&triangle| overlaps(mesh.corners(triangle as usize)));
            let expected: Vec<u32> = (0u32..)
                .zip(corners_of(&mesh))
                .filter(|(_, corners)| overlaps(*corners))
                .map(|(index, _)| index)
                .collect();
            assert_eq!(found, expected, "{name} {bounds:?}");
            found_in_all += found.len();
        }
        let memory = mesh.tree().memory() as f64 / mesh.triangles().len() as f64;
        println!(
            "{name}: {} triangles, {memory:.1} bytes each, {found_in_all} of {offered} found",
            mesh.triangles().len()
        );
        assert!(offered < found_in_all + found_in_all / 4, "{name}: {offered} offered for {found_in_all}");
        assert!(found_in_all > 400 && (memory < 50.0 || mesh.triangles().len() < 32), "{name}: {memory}");
    }
}

/// Whether what a ray was told to meet is what all triangles say, one by one.
fn is_first_meeting(found: Option<f64>, triangles: &[Triangle], ray: &Ray, size: f64) -> bool {
    let doubt = 1e-14 * (size + ray.origin.length());
    let first = first_meeting(triangles, ray.origin, ray.direction.as_dvec3().normalize(), doubt);
    match found {
        Some(found) => found >= first.earliest - doubt && found <= first.latest + doubt,
        None => first.latest >= ray.max_distance - doubt,
    }
}

#[test]
fn rays_and_points_agree_with_all_triangles() {
    let mut random = Rng::with_seed(2);
    for (name, mesh) in meshes() {
        let (least, greatest) = extent(&mesh);
        let size = (greatest - least).length();
        let triangles = placed(corners_of(&mesh), &Pose::IDENTITY);
        let shape = Shape::from(mesh.clone());
        let mut hits = 0;
        for case in 0..150 {
            let vertex = mesh.vertices()[random.usize(0..mesh.vertices().len())].as_dvec3();
            let inside = (least + (greatest - least) * (vector(&mut random, 0.5) + 0.5)).as_dvec3();
            let away = [1.0, 10.0, 1e6][case % 3];
            let origin = inside + direction(&mut random) * f64::from(size) * away;
            // At a vertex, through the inside, along an axis.
            let (origin, aim) = match case % 5 {
                0 => (origin, vertex - origin),
                1 => (DVec3::new(inside.x, origin.y, inside.z), DVec3::new(0.0, inside.y - origin.y, 0.0)),
                2 => (inside, direction(&mut random)),
                _ => (origin, inside - origin),
            };
            let ray = Ray::new(origin, aim.normalize_or(DVec3::X).as_vec3());
            let limit = if case % 7 == 0 { away * f64::from(size) } else { f64::INFINITY };
            let ray = ray.up_to(limit);
            let found = query::ray_cast(&shape, &Pose::IDENTITY, &ray).unwrap().map(|hit| hit.distance);
            let is_same = is_first_meeting(found, &triangles, &ray, f64::from(size));
            assert!(is_same, "{name} {ray:?}: {found:?}");
            hits += usize::from(found.is_some());

            let point = if case % 5 == 0 { vertex } else { origin };
            let nearest = query::project_point(&shape, &Pose::IDENTITY, point).unwrap();
            let expected = distance_of_point(&triangles, point);
            // Which of two triangles that are equally near is taken is decided by the last digit.
            let last_digit = 1e-14 * (expected + f64::from(size) + point.length());
            assert!((nearest.distance - expected).abs() <= last_digit, "{name} {point} {nearest:?} {expected}");
        }
        println!("{name}: {hits} of 150 rays hit");
        assert!(hits > 20, "{name}: {hits} of 150 rays hit");
    }
}

#[test]
fn height_fields_agree_with_all_triangles() {
    let mut random = Rng::with_seed(3);
    let mut hits = 0;
    for round in 0..40 {
        let (columns, rows) = (random.usize(2..14), random.usize(2..14));
        let rough = [0.0, 0.5, 20.0][round % 3];
        let heights = (0..columns * rows).map(|_| rough * random.f32()).collect();
        let spacing = [between(&mut random, 0.1, 3.0), between(&mut random, 0.1, 3.0)];
        let field = HeightField::new(columns, rows, heights, spacing).unwrap();
        let corners: Vec<[Vec3; 3]> = (0..field.triangle_count()).map(|index| field.corners(index)).collect();
        let triangles = placed(corners.iter().copied(), &Pose::IDENTITY);
        let shape = Shape::from(field.clone());
        let size = spacing[0] * columns as f32 + spacing[1] * rows as f32 + rough;
        for case in 0..60 {
            let sample = field.vertex(random.usize(0..columns * rows)).as_dvec3();
            let from = vector(&mut random, size).as_dvec3() * [1.0, 1e5][usize::from(case % 6 == 0)];
            let to = (vector(&mut random, 0.5) * Vec3::new(size, rough + 0.1, size)).as_dvec3();
            let (origin, aim) = match case % 6 {
                1 => (from, sample - from),
                2 => (sample + DVec3::Y * 30.0, -DVec3::Y),
                3 => (sample - DVec3::X * 50.0, DVec3::X),
                4 => (sample + DVec3::Z * 50.0, -DVec3::Z),
                _ => (from, to - from),
            };
            let ray = Ray::new(origin, aim.normalize_or(DVec3::X).as_vec3());
            let found = query::ray_cast(&shape, &Pose::IDENTITY, &ray).unwrap().map(|hit| hit.distance);
            let is_same = is_first_meeting(found, &triangles, &ray, f64::from(size));
            assert!(is_same, "{field:?} {ray:?}: {found:?}");
            hits += usize::from(found.is_some());

            let point = if case % 3 == 0 { sample } else { from };
            let nearest = query::project_point(&shape, &Pose::IDENTITY, point).unwrap();
            let expected = distance_of_point(&triangles, point);
            let last_digit = 1e-14 * (expected + f64::from(size) + point.length());
            assert!((nearest.distance - expected).abs() <= last_digit, "{point} {nearest:?} {expected}");

            let middle = from.as_vec3().clamp(Vec3::splat(-size), Vec3::splat(size)) * 0.5;
            let half = vector(&mut random, 1.0).abs() * size * 0.3;
            let bounds = Aabb::new(middle - half, middle + half);
            let mut inside = Vec::new();
            field.visit_overlapping(&bounds, |triangle, _| inside.push(triangle as usize));
            inside.sort_unstable();
            let overlaps = |[a, b, c]: [Vec3; 3]| {
                a.min(b).min(c).cmple(bounds.max).all() && a.max(b).max(c).cmpge(bounds.min).all()
            };
            let expected: Vec<usize> = (0..corners.len()).filter(|&index| overlaps(corners[index])).collect();
            assert_eq!(inside, expected);
        }
    }
    println!("{hits} of 2400 rays hit");
    assert!(hits > 600, "{hits} of 2400 rays hit");
}

/// Whether two triangles in f64 share a point, and if so how clearly: the least height that decides. Plane against
/// edge, without tolerance; the sign of the result says yes or no, its size by how much.
fn clearly_meet(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
    let unit = |vector: DVec3| vector.normalize_or_zero();
    let normals = [unit((a[1] - a[0]).cross(a[2] - a[0])), unit((b[1] - b[0]).cross(b[2] - b[0]))];
    let sides = |face: [DVec3; 3]| [face[1] - face[0], face[2] - face[1], face[0] - face[2]];
    let mut gap = f64::NEG_INFINITY;
    let mut try_axis = |axis: DVec3| {
        if axis == DVec3::ZERO {
            return;
        }
        let span = |face: [DVec3; 3]| {
            let along = face.map(|corner| axis.dot(corner));
            (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]))
        };
        let ((low_a, high_a), (low_b, high_b)) = (span(a), span(b));
        gap = gap.max(low_b - high_a).max(low_a - high_b);
    };
    normals.into_iter().for_each(&mut try_axis);
    for (side_a, normal) in sides(a).into_iter().map(|side| (side, normals[0])) {
        try_axis(unit(side_a.cross(normal)));
        for side_b in sides(b) {
            try_axis(unit(side_a.cross(side_b)));
        }
    }
    for side_b in sides(b) {
        try_axis(unit(side_b.cross(normals[1])));
    }
    -gap
}

/// All pairs that meet, by separating axes in f64: surely, and perhaps within rounding.
fn brute_pairs(a: &[[DVec3; 3]], b: &[[DVec3; 3]], doubt: f64) -> [Vec<(u32, u32)>; 2] {
    let bounds = |face: &[DVec3; 3]| (face[0].min(face[1]).min(face[2]), face[0].max(face[1]).max(face[2]));
    let b_bounds: Vec<(DVec3, DVec3)> = b.iter().map(bounds).collect();
    let (mut surely, mut perhaps) = (Vec::new(), Vec::new());
    for (index_a, face_a) in (0u32..).zip(a) {
        let (min, max) = bounds(face_a);
        for (index_b, (face_b, (b_min, b_max))) in (0u32..).zip(b.iter().zip(&b_bounds)) {
            if (min - *b_max).max(*b_min - max).max_element() > doubt {
                continue;
            }
            let depth = clearly_meet(*face_a, *face_b);
            if depth > doubt {
                surely.push((index_a, index_b));
            }
            if depth >= -doubt {
                perhaps.push((index_a, index_b));
            }
        }
    }
    [surely, perhaps]
}

fn crossing_pairs(a: &TriangleMesh, pose_a: &Pose, b: &TriangleMesh, pose_b: &Pose) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    mesh::crossings(a, pose_a, b, pose_b, |crossing| {
        found.push((crossing.triangle_a, crossing.triangle_b));
        ControlFlow::Continue(())
    })
    .unwrap();
    found.sort_unstable();
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "a pair came twice");
    found
}

/// Compares with brute force; returns how many pairs meet.
fn check_pairs(a: &TriangleMesh, pose_a: &Pose, b: &TriangleMesh, pose_b: &Pose, doubt: f64) -> usize {
    let [surely, perhaps] = brute_pairs(&placed(corners_of(a), pose_a), &placed(corners_of(b), pose_b), doubt);
    let found = crossing_pairs(a, pose_a, b, pose_b);
    assert!(surely.iter().all(|pair| found.binary_search(pair).is_ok()), "{pose_b:?}: a pair is missing");
    assert!(found.iter().all(|pair| perhaps.binary_search(pair).is_ok()), "{pose_b:?}: a pair is apart");
    let overlap = mesh::overlap(a, pose_a, b, pose_b).unwrap();
    assert_eq!(matches!(overlap, Some(MeshOverlap::Crossing(_))), !found.is_empty(), "{pose_b:?}");
    found.len()
}

#[test]
fn the_robot_meets_its_surroundings_where_its_triangles_do() {
    let (Some(env), Some(rob)) = (read("fcl/env.obj"), read("fcl/rob.obj")) else { return };
    let factor: f64 = std::env::var("CAROM_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1.0);
    let cases = ((1000.0 * factor) as usize).max(1);
    let (least, greatest) = extent(&env);
    let doubt = 1e-12 * f64::from((greatest - least).length());
    let mut random = Rng::with_seed(4);
    let (mut meeting, mut pairs) = (0, 0);
    for _ in 0..cases {
        let position = (least + (greatest - least) * (vector(&mut random, 0.5) + 0.5)).as_dvec3();
        let pose = Pose::new(position, rotation(&mut random));
        let found = check_pairs(&env, &Pose::IDENTITY, &rob, &pose, doubt);
        meeting += usize::from(found > 0);
        pairs += found;
    }
    println!("{meeting} of {cases} poses meet, {pairs} pairs of triangles");
    assert!(meeting > 0 && meeting < cases, "{meeting} of {cases} poses meet");
}

#[test]
fn soups_and_balls_meet_where_their_triangles_do() {
    let mut random = Rng::with_seed(5);
    let mut pairs = 0;
    for case in 0..60 {
        let (a, b) = if case % 2 == 0 {
            (soup(&mut random, 150), soup(&mut random, 90))
        } else {
            (bumpy_ball(8, &mut random), bumpy_ball(5, &mut random))
        };
        // Turned only about the axes in some cases, which leaves edges parallel; and far from the origin.
        let rotation = if case % 4 < 2 { rotation(&mut random) } else { Quat::IDENTITY };
        let far = if case % 3 == 0 { cube(&mut random) * 1e6 } else { DVec3::ZERO };
        let (pose_a, pose_b) = (Pose::new(far, Quat::IDENTITY), Pose::new(far + cube(&mut random), rotation));
        // Far away the oracle's own coordinates are rounded.
        pairs += check_pairs(&a, &pose_a, &b, &pose_b, if case % 3 == 0 { 1e-8 } else { 1e-13 });
    }
    println!("{pairs} pairs of triangles");
    assert!(pairs > 1000);
}

/// The distance of the nearest pair of all triangles; those whose boxes are farther than the best so far are passed over.
fn nearest_pair(a: &[Triangle], b: &[Triangle]) -> f64 {
    let bounds = |[p, q, r]: &Triangle| (p.min(*q).min(*r), p.max(*q).max(*r));
    let parts: Vec<_> = b.iter().map(|face| (bounds(face), parts_of_simplex(face))).collect();
    let mut best = f64::INFINITY;
    for face_a in a {
        let ((min, max), parts_a) = (bounds(face_a), parts_of_simplex(face_a));
        for ((other_min, other_max), parts_b) in &parts {
            if (min - *other_max).max(*other_min - max).max(DVec3::ZERO).length() < best {
                best = best.min(least_distance(&parts_a, parts_b));
            }
        }
    }
    best
}

#[test]
fn distances_agree_with_all_pairs() {
    let mut random = Rng::with_seed(6);
    let (mut apart, mut worst) = (0, 0.0f64);
    for case in 0..60 {
        let a = if case % 2 == 0 { soup(&mut random, 60) } else { bumpy_ball(6, &mut random) };
        let b = if case % 3 == 0 { soup(&mut random, 50) } else { bumpy_ball(4, &mut random) };
        let away = [0.5, 2.0, 3.0, 1e3, 1e6, 1e9][case % 6];
        let pose = Pose::new(direction(&mut random) * away, rotation(&mut random));
        let found = mesh::distance(&a, &Pose::IDENTITY, &b, &pose).unwrap();
        let expected = nearest_pair(&placed(corners_of(&a), &Pose::IDENTITY), &placed(corners_of(&b), &pose));
        // The last digits of the coordinates; next to each other the oracle's own are lost in differences.
        let tolerance = 1e-13 + 1e-15 * away;
        worst = worst.max((found.value() - expected).abs() / (1.0 + away));
        assert!((found.value() - expected).abs() <= tolerance, "{case}: {found:?} {expected}");
        let mirrored = mesh::distance(&b, &pose, &a, &Pose::IDENTITY).unwrap();
        assert!((mirrored.value() - found.value()).abs() <= 1e-12 * (1.0 + away), "{mirrored:?} {found:?}");
        if let Some(gap) = found.gap() {
            apart += 1;
            assert!((gap.on_a.distance(gap.on_b) - gap.distance).abs() <= 1e-12 * (1.0 + away));
            for (mesh, pose, point) in [(&a, Pose::IDENTITY, gap.on_a), (&b, pose, gap.on_b)] {
                let shape = Shape::from(mesh.clone());
                let off = query::project_point(&shape, &pose, point).unwrap().distance;
                assert!(off <= 1e-12 * (1.0 + away), "{off} off the surface");
            }
        }
    }
    println!("{apart} of 60 are apart, off by {worst:.1e} of the size and the distance at the most");
    assert!(apart > 30, "{apart} of 60 are apart");
}

/// The segments of all crossings of two boxes make the closed line along which they cut each other.
#[test]
fn segments_join_to_the_line_of_the_cut() {
    let (vertices, triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    let a = TriangleMesh::new(vertices, triangles).unwrap();
    let (vertices, triangles) = box_mesh(Vec3::new(0.5, 3.0, 0.25), Vec3::ZERO);
    let b = TriangleMesh::new(vertices, triangles).unwrap();
    let mut length = 0.0;
    let pose = Pose::new(DVec3::new(0.1, 0.0, 0.2), Quat::from_rotation_y(0.3));
    mesh::crossings(&a, &Pose::IDENTITY, &b, &pose, |crossing| {
        assert!(!crossing.is_coplanar);
        for end in crossing.segment {
            assert!((end.y.abs() - 1.0).abs() < 1e-6);
        }
        length += crossing.segment[0].distance(crossing.segment[1]);
        ControlFlow::Continue(())
    })
    .unwrap();
    // The beam goes through two faces: twice its girth.
    assert!((length - 6.0).abs() < 1e-6, "{length}");
    let face = [Vec3::ZERO, Vec3::X, Vec3::Y];
    assert!(triangle_triangle::crossing(face, face).is_some_and(|crossing| crossing.is_coplanar));
}
