//! Closed meshes as solids: what is inside, what is nested, how deep two are in each other; and meshes at the edge of
//! what a mesh can be.

mod meshes;
mod random;

use carom::bounds::Aabb;
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::Pose;
use carom::query::mesh::{self, MeshOverlap};
use carom::query::{self, QueryError, Ray};
use carom::shape::{Shape, TriangleMesh};
use fastrand::Rng;
use meshes::{FOLDER, box_mesh, read_obj};
use random::{cube, direction, rotation};
use std::path::Path;

fn cuboid(half: Vec3) -> TriangleMesh {
    let (vertices, triangles) = box_mesh(half, Vec3::ZERO);
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Two boxes in one mesh, far from each other.
fn two_boxes() -> TriangleMesh {
    let (mut vertices, mut triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    let (more_vertices, more_triangles) = box_mesh(Vec3::splat(0.1), Vec3::new(10.0, 0.0, 0.0));
    triangles.extend(more_triangles.iter().map(|corners| corners.map(|corner| corner + vertices.len() as u32)));
    vertices.extend(more_vertices);
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// How often the surface winds around a point: the sum of solid angles (van Oosterom and Strackee 1983).
fn winding(mesh: &TriangleMesh, point: DVec3) -> f64 {
    let whole: f64 = (0..mesh.triangles().len())
        .map(|triangle| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3() - point);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
        })
        .sum();
    whole / (4.0 * std::f64::consts::PI)
}

#[test]
fn inside_is_where_the_solid_angles_say() {
    let mut random = Rng::with_seed(1);
    let mut closed = vec![("box".to_owned(), cuboid(Vec3::new(1.0, 2.0, 0.5))), ("two boxes".to_owned(), two_boxes())];
    for name in ["building.obj", "stairs.obj", "test_map01.obj", "voxel_mesh_01.obj", "fcl/env.obj", "fcl/rob.obj"] {
        let Ok(text) = std::fs::read_to_string(Path::new(FOLDER).join(name)) else {
            println!("skipped: {name} is not there");
            continue;
        };
        let (vertices, triangles) = read_obj(&text);
        let mesh = TriangleMesh::repaired(&vertices, &triangles).unwrap().0;
        println!("{name} is {}", if mesh.is_closed() { "closed" } else { "open" });
        if mesh.is_closed() {
            closed.push((name.to_owned(), mesh));
        }
    }
    for (name, mesh) in closed {
        assert!(mesh.is_closed(), "{name}");
        let (bounds, shape) = (mesh.tree().bounds(), Shape::from(mesh.clone()));
        let mut inside = 0;
        for case in 0..1500 {
            let share = cube(&mut random) * 0.5 + 0.5;
            let mut point = bounds.min.as_dvec3() + (bounds.max - bounds.min).as_dvec3() * share;
            // On the lines and planes of vertices, where the half-line meets edges and corners.
            let vertex = mesh.vertices()[random.usize(0..mesh.vertices().len())].as_dvec3();
            match case % 4 {
                0 => point.y = vertex.y,
                1 => (point.y, point.z) = (vertex.y, vertex.z),
                2 => point.z = vertex.z,
                _ => {}
            }
            let times = winding(&mesh, point);
            let found = mesh::contains(&mesh, &Pose::IDENTITY, point).unwrap();
            // So near the surface the solid angles are noise; on it, it is inside.
            let off = query::project_point(&shape, &Pose::IDENTITY, point).unwrap().distance;
            if off < 1e-6 {
                assert!(off > 0.0 || found, "{name}: {point} is on the surface");
                continue;
            }
            assert_eq!(found, times.round() != 0.0, "{name}: {point} {times}");
            inside += usize::from(found);
        }
        println!("{name}: {inside} of 1500 inside");
        assert!(inside > 10, "{name}: {inside} inside");
    }
}

#[test]
fn a_mesh_inside_another_is_found() {
    let (small, large, pair) = (cuboid(Vec3::splat(0.1)), cuboid(Vec3::ONE), two_boxes());
    let mut random = Rng::with_seed(2);
    for _ in 0..300 {
        let far = cube(&mut random) * 1e3;
        let pose_a = Pose::new(far + cube(&mut random) * 0.8, rotation(&mut random));
        let pose_b = Pose::new(far, Quat::IDENTITY);
        assert_eq!(mesh::overlap(&small, &pose_a, &large, &pose_b).unwrap(), Some(MeshOverlap::AInsideB));
        assert_eq!(mesh::overlap(&large, &pose_b, &small, &pose_a).unwrap(), Some(MeshOverlap::BInsideA));
        assert!(mesh::distance(&small, &pose_a, &large, &pose_b).unwrap().value() > 0.0);
    }
    // Only the second piece is inside.
    let pose = Pose::at([-10.0, 0.0, 0.0]);
    assert_eq!(mesh::overlap(&pair, &pose, &large, &Pose::IDENTITY).unwrap(), Some(MeshOverlap::AInsideB));
    // An open box holds nothing.
    let (vertices, mut triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    triangles.pop();
    let open = TriangleMesh::new(vertices, triangles).unwrap();
    assert!(!open.is_closed());
    assert_eq!(mesh::overlap(&small, &Pose::IDENTITY, &open, &Pose::IDENTITY).unwrap(), None);
    assert!(!mesh::contains(&open, &Pose::IDENTITY, DVec3::ZERO).unwrap());
    // Facing inward it is a solid all the same.
    let (vertices, triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    let inward = TriangleMesh::new(vertices, triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()).unwrap();
    assert!(mesh::contains(&inward, &Pose::IDENTITY, DVec3::ZERO).unwrap());
}

/// Boxes along the axes: the depth is the least overlap of their sides, known in closed form.
#[test]
fn the_depth_of_boxes_is_bounded() {
    let mut random = Rng::with_seed(3);
    let mut tight = 0;
    for case in 0..60 {
        let half_a = Vec3::from(std::array::from_fn(|_| 0.5 + random.f32()));
        let half_b = Vec3::from(std::array::from_fn(|_| 0.3 + random.f32()));
        let (a, b) = (cuboid(half_a), cuboid(half_b));
        let offset = cube(&mut random).as_vec3() * (half_a + half_b);
        let (pose_a, pose_b) = (Pose::at([5.0, 0.0, 0.0]), Pose::at(DVec3::new(5.0, 0.0, 0.0) + offset.as_dvec3()));
        let depth = (half_a.as_dvec3() + half_b.as_dvec3() - offset.as_dvec3().abs()).min_element();
        let found = mesh::penetration(&a, &pose_a, &b, &pose_b).unwrap().unwrap();
        assert!(
            found.lower <= depth * (1.0 + 1e-6) && depth <= found.upper * (1.0 + 1e-6),
            "{case}: {found:?} {depth}"
        );
        // Along one of the axes, which are all tried.
        assert!(found.upper <= depth * 1.001 + 1e-6, "{case}: {found:?} {depth}");
        assert!((found.way_out.length() - found.upper).abs() <= 1e-12);
        let out = Pose { position: pose_b.position + found.way_out * (1.0 + 1e-9), ..pose_b };
        assert_eq!(mesh::overlap(&a, &pose_a, &b, &out).unwrap(), None, "{case}: {found:?}");
        tight += usize::from(found.lower > 0.99 * depth);
    }
    println!("{tight} of 60 bounds are tight");
    assert_eq!(
        mesh::penetration(&cuboid(Vec3::ONE), &Pose::IDENTITY, &cuboid(Vec3::ONE), &Pose::at([3.0, 0.0, 0.0])).unwrap(),
        None
    );
}

#[test]
fn turned_boxes_come_free_and_no_sooner_than_the_lower_bound() {
    let mut random = Rng::with_seed(4);
    let (a, b) = (cuboid(Vec3::new(1.0, 0.5, 0.8)), cuboid(Vec3::new(0.4, 0.9, 0.3)));
    for _ in 0..40 {
        let pose_b = Pose::new(cube(&mut random) * 0.7, rotation(&mut random));
        let Some(found) = mesh::penetration(&a, &Pose::IDENTITY, &b, &pose_b).unwrap() else { continue };
        assert!(found.lower <= found.upper && found.upper.is_finite(), "{found:?}");
        let out = Pose { position: pose_b.position + found.way_out * (1.0 + 1e-9), ..pose_b };
        assert_eq!(mesh::overlap(&a, &Pose::IDENTITY, &b, &out).unwrap(), None, "{found:?}");
        for _ in 0..30 {
            let step = direction(&mut random) * found.lower * 0.999;
            let pose = Pose { position: pose_b.position + step, ..pose_b };
            assert!(mesh::overlap(&a, &Pose::IDENTITY, &b, &pose).unwrap().is_some(), "free after {}", step.length());
        }
    }
}

/// Every question to meshes that are as odd as meshes can be.
#[test]
fn odd_meshes_get_sound_answers() {
    let triangle = |scale: f32, offset: Vec3| {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|corner| corner * scale + offset);
        TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()
    };
    let (vertices, triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    let coincident = {
        let repeated = (0..20).flat_map(|_| triangles.clone()).collect();
        TriangleMesh::new(vertices.clone(), repeated).unwrap()
    };
    let flat = {
        let vertices: Vec<Vec3> = (0..400).map(|i| Vec3::new((i % 20) as f32, 0.0, (i / 20) as f32)).collect();
        let cell = |i: u32| [[i, i + 20, i + 1], [i + 1, i + 20, i + 21]];
        let cells = (0..380).filter(|i| i % 20 != 19).flat_map(cell).collect();
        TriangleMesh::new(vertices, cells).unwrap()
    };
    let huge_beside_tiny = {
        let mut all = box_mesh(Vec3::splat(1e-3), Vec3::ZERO);
        let huge = box_mesh(Vec3::splat(1e6), Vec3::ZERO);
        all.1.extend(huge.1.iter().map(|corners| corners.map(|corner| corner + 8)));
        all.0.extend(huge.0);
        TriangleMesh::new(all.0, all.1).unwrap()
    };
    let far = TriangleMesh::new(box_mesh(Vec3::ONE, Vec3::splat(1e6)).0, triangles.clone()).unwrap();
    let greatest = TriangleMesh::new(box_mesh(Vec3::splat(3e38), Vec3::ZERO).0, triangles.clone()).unwrap();
    let least = TriangleMesh::new(box_mesh(Vec3::splat(1e-38), Vec3::ZERO).0, triangles).unwrap();
    let all = [
        triangle(1.0, Vec3::ZERO),
        triangle(1e-30, Vec3::ZERO),
        triangle(1e30, Vec3::ZERO),
        coincident,
        flat,
        huge_beside_tiny,
        far,
        greatest,
        least,
    ];
    let mut random = Rng::with_seed(5);
    for (index, a) in all.iter().enumerate() {
        let reach = a.vertices().iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f32::max);
        // A box at a vertex finds that vertex's triangles.
        let mut found = Vec::new();
        let vertex = a.corners(0)[0];
        a.visit_overlapping(&Aabb::new(vertex, vertex), |triangle, _| found.push(triangle));
        assert!(found.contains(&0), "{index}");
        let shape = Shape::from(a.clone());
        for corners in (0..a.triangles().len()).map(|triangle| a.corners(triangle).map(|corner| corner.as_dvec3())) {
            let [p, q, r] = corners;
            let middle = p / 3.0 + q / 3.0 + r / 3.0;
            let normal = ((q - p) / f64::from(reach)).cross((r - p) / f64::from(reach)).normalize();
            let origin = middle + normal * f64::from(reach);
            // A point beside the triangle is no farther from the mesh.
            let nearest = query::project_point(&shape, &Pose::IDENTITY, origin).unwrap();
            assert!(nearest.distance <= f64::from(reach) * (1.0 + 1e-9), "{index}: {nearest:?}");
            let hit = query::ray_cast(&shape, &Pose::IDENTITY, &Ray::new(origin, -normal.as_vec3())).unwrap();
            assert!(hit.is_some_and(|hit| hit.distance <= f64::from(reach) * (1.0 + 1e-6)), "{index}: {hit:?}");
        }
        let own = mesh::overlap(a, &Pose::IDENTITY, a, &Pose::IDENTITY).unwrap();
        assert!(matches!(own, Some(MeshOverlap::Crossing(_))), "{index}: {own:?}");
        assert_eq!(mesh::distance(a, &Pose::IDENTITY, a, &Pose::IDENTITY).unwrap().value(), 0.0, "{index}");
        for b in &all {
            let pose = Pose::new(cube(&mut random) * 3.0, rotation(&mut random));
            let apart = mesh::distance(a, &Pose::IDENTITY, b, &pose).unwrap();
            assert!(apart.value() >= 0.0 && apart.lower() <= apart.upper(), "{apart:?}");
            let overlap = mesh::overlap(a, &Pose::IDENTITY, b, &pose).unwrap();
            if matches!(overlap, Some(MeshOverlap::Crossing(_))) {
                assert!(apart.lower() == 0.0, "{index}: they cross, and are {apart:?}");
            }
        }
    }
}

#[test]
fn bad_poses_and_points_are_refused() {
    let mesh = cuboid(Vec3::ONE);
    let bad = Pose::at([f64::NAN, 0.0, 0.0]);
    assert!(matches!(mesh::overlap(&mesh, &bad, &mesh, &Pose::IDENTITY), Err(QueryError::Pose { .. })));
    assert!(matches!(mesh::distance(&mesh, &Pose::IDENTITY, &mesh, &bad), Err(QueryError::Pose { .. })));
    assert!(matches!(mesh::penetration(&mesh, &Pose::IDENTITY, &mesh, &bad), Err(QueryError::Pose { .. })));
    let nowhere = DVec3::splat(f64::NAN);
    assert!(matches!(mesh::contains(&mesh, &Pose::IDENTITY, nowhere), Err(QueryError::Vector { .. })));
    let away = Pose::at([1e60, 0.0, 0.0]);
    assert!(matches!(mesh::distance(&mesh, &Pose::IDENTITY, &mesh, &away), Err(QueryError::TooFar { .. })));
    let sheet = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    // A surface with nothing inside is answered for, too: its corner at the middle of the box must come out.
    let open = mesh::penetration(&sheet, &Pose::IDENTITY, &mesh, &Pose::IDENTITY).unwrap().unwrap();
    assert!((open.upper - 1.0).abs() < 1e-6 && (open.lower - 1.0).abs() < 1e-6, "{open:?}");
}
