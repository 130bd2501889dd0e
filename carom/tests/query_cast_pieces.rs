//! Casts with meshes, height fields and compounds against all their triangles and parts one by one.

mod distance_shapes;
mod meshes;
mod random;

use carom::glam::{DVec3, Vec3};
use carom::pose::Pose;
use carom::query::{self, Cast, Sweep};
use carom::shape::{HeightField, Shape, TriangleMesh};
use distance_shapes::convex;
use fastrand::Rng;
use meshes::box_mesh;
use random::{cube, rotation};

/// A bumpy closed surface around the origin.
fn rock(random: &mut Rng, rings: usize) -> TriangleMesh {
    let count = 2 * rings;
    let mut vertices = vec![Vec3::Y * (0.8 + 0.4 * random.f32()), -Vec3::Y * (0.8 + 0.4 * random.f32())];
    for ring in 1..rings {
        let polar = std::f32::consts::PI * ring as f32 / rings as f32;
        for step in 0..count {
            let around = std::f32::consts::TAU * step as f32 / count as f32;
            let unit = Vec3::new(polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin());
            vertices.push(unit * (0.8 + 0.4 * random.f32()));
        }
    }
    let at = |ring: usize, step: usize| (2 + (ring - 1) * count + step % count) as u32;
    let mut triangles = Vec::new();
    for step in 0..count {
        triangles.push([0, at(1, step + 1), at(1, step)]);
        triangles.push([1, at(rings - 1, step), at(rings - 1, step + 1)]);
        for ring in 1..rings - 1 {
            triangles.push([at(ring, step), at(ring, step + 1), at(ring + 1, step)]);
            triangles.push([at(ring, step + 1), at(ring + 1, step + 1), at(ring + 1, step)]);
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// The earliest time over a list of shapes at one pose.
fn earliest(a: &Shape, pose_a: &Pose, pieces: &[Shape], pose_b: &Pose, sweep: &Sweep) -> Option<f64> {
    let casts = pieces.iter().map(|piece| query::cast(a, pose_a, piece, pose_b, sweep).unwrap());
    casts.filter_map(|cast| cast.time()).min_by(f64::total_cmp)
}

fn triangles(corners: impl Iterator<Item = [Vec3; 3]>) -> Vec<Shape> {
    corners.map(|[a, b, c]| Shape::triangle(a, b, c).unwrap()).collect()
}

fn agree(found: Cast, first: Option<f64>, sweep: &Sweep, context: &str) {
    // The tolerance of a cast grows with the size of what it is asked about: a triangle's is not a mesh's.
    // Where shapes only graze each other it is wide in time.
    let allowed = 2e-3 + 1e-7 / sweep.motion.length().max(1e-3);
    match (found.time(), first) {
        (Some(found), Some(first)) => assert!((found - first).abs() <= allowed, "{found} {first} {context}"),
        (None, None) => {}
        (found, first) => panic!("{found:?} {first:?} {context}"),
    }
}

#[test]
fn convex_shapes_onto_meshes() {
    let mut random = Rng::with_seed(1);
    let mut hits = 0;
    for case in 0..1_500 {
        let mesh = if case % 3 == 0 {
            let (vertices, triangles) = box_mesh(cube(&mut random).as_vec3().abs() + 0.2, Vec3::ZERO);
            TriangleMesh::new(vertices, triangles).unwrap()
        } else {
            rock(&mut random, 5)
        };
        let pieces = triangles((0..mesh.triangles().len()).map(|index| mesh.corners(index)));
        let mesh = Shape::from(mesh);
        let shape = convex(&mut random, 4.0);
        let place = if case % 5 == 0 { DVec3::splat(1e5) } else { DVec3::ZERO };
        let pose = Pose::new(place + cube(&mut random) * 4.0, rotation(&mut random));
        let mesh_pose = Pose::new(place, rotation(&mut random));
        let motion = (place + cube(&mut random) - pose.position) * [0.4, 1.5][case % 2];
        let sweep = Sweep::by(motion).within([0.0, 0.2][random.usize(0..2)]);
        let context = format!("{case} {shape:?} {pose:?} {mesh_pose:?} {sweep:?}");
        let found = query::cast(&shape, &pose, &mesh, &mesh_pose, &sweep).unwrap();
        agree(found, earliest(&shape, &pose, &pieces, &mesh_pose, &sweep), &sweep, &context);
        hits += usize::from(matches!(found, Cast::Hit(_)));
        let back = Sweep { motion: -motion, ..sweep };
        let mirrored = query::cast(&mesh, &mesh_pose, &shape, &pose, &back).unwrap();
        agree(mirrored, found.time(), &sweep, &context);
        // Independent of all casts: along the way the distance stays above what was asked, and is that at the end.
        let distance = |time: f64| {
            let there = Pose { position: pose.position + time * motion, ..pose };
            query::distance(&shape, &there, &mesh, &mesh_pose).unwrap().value()
        };
        if !matches!(found, Cast::AtStart(_)) {
            let end = found.time().unwrap_or(1.0);
            for step in 0..=12 {
                let time = end * f64::from(step) / 12.0;
                assert!(distance(time) >= sweep.within - 1e-9, "{time} {} {context}", distance(time));
            }
        }
        if let Cast::Hit(impact) = found {
            assert!(distance(impact.time) <= sweep.within + 5e-5, "{} {context}", distance(impact.time));
        }
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn convex_shapes_onto_height_fields() {
    let mut random = Rng::with_seed(2);
    let mut hits = 0;
    for case in 0..1_500 {
        let (columns, rows) = (random.usize(2..14), random.usize(2..14));
        let heights = (0..columns * rows).map(|_| random.f32()).collect();
        let field = HeightField::new(columns, rows, heights, [0.5, 0.3]).unwrap();
        let pieces = triangles((0..field.triangle_count()).map(|index| field.corners(index)));
        let field = Shape::from(field);
        let shape = convex(&mut random, 10.0);
        let pose = Pose::new(cube(&mut random) * DVec3::new(4.0, 3.0, 3.0), rotation(&mut random));
        let field_pose = Pose::new(
            cube(&mut random) * 0.3,
            if case % 2 == 0 { rotation(&mut random) } else { glam::Quat::IDENTITY },
        );
        let mut motion = (cube(&mut random) * 2.0 - pose.position) * [0.5, 1.5][random.usize(0..2)];
        if case % 7 == 0 {
            motion = DVec3::AXES[case % 3] * (random.f64() - 0.5) * 8.0;
        }
        let sweep = Sweep::by(motion);
        let context = format!("{case} {shape:?} {pose:?} {field_pose:?} {sweep:?}");
        let found = query::cast(&shape, &pose, &field, &field_pose, &sweep).unwrap();
        agree(found, earliest(&shape, &pose, &pieces, &field_pose, &sweep), &sweep, &context);
        hits += usize::from(matches!(found, Cast::Hit(_)));
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn meshes_onto_meshes() {
    let mut random = Rng::with_seed(3);
    for case in 0..60 {
        let (a, b) = (rock(&mut random, 4), rock(&mut random, 5));
        let pieces_a = triangles((0..a.triangles().len()).map(|index| a.corners(index)));
        let (a, b) = (Shape::from(a), Shape::from(b));
        let pose_a = Pose::new(cube(&mut random) * 4.0, rotation(&mut random));
        let pose_b = Pose::new(DVec3::ZERO, rotation(&mut random));
        let sweep = Sweep::by((cube(&mut random) - pose_a.position) * 1.5);
        let found = query::cast(&a, &pose_a, &b, &pose_b, &sweep).unwrap();
        let one_by_one =
            pieces_a.iter().filter_map(|piece| query::cast(piece, &pose_a, &b, &pose_b, &sweep).unwrap().time());
        agree(found, one_by_one.min_by(f64::total_cmp), &sweep, &format!("{case}"));
        // As surfaces they are never nearer before.
        if let Cast::Hit(impact) = found {
            for step in 0..20 {
                let time = impact.time * f64::from(step) / 20.0;
                let there = Pose { position: pose_a.position + time * sweep.motion, ..pose_a };
                assert!(query::distance(&a, &there, &b, &pose_b).unwrap().value() > 0.0);
            }
        }
    }
}

#[test]
fn any_hit_is_first_hit() {
    let mut random = Rng::with_seed(4);
    let mut hits = 0;
    for _ in 0..5_000 {
        let mesh = Shape::from(rock(&mut random, 4));
        let pose = Pose::new(cube(&mut random), rotation(&mut random));
        let origin = cube(&mut random) * 3.0;
        let heading = (pose.position + cube(&mut random) * 1.5 - origin).as_vec3();
        let ray = query::Ray::new(origin, heading).up_to(random.f64() * 6.0);
        let first = query::ray_cast(&mesh, &pose, &ray).unwrap();
        assert_eq!(query::ray_hits(&mesh, &pose, &ray).unwrap(), first.is_some());
        hits += usize::from(first.is_some());
    }
    assert!((500..4_500).contains(&hits), "{hits}");
}

#[test]
fn a_half_space_meets_a_mesh_at_its_lowest_point() {
    let (vertices, triangles) = box_mesh(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO);
    let mesh = Shape::mesh(vertices, triangles).unwrap();
    let floor = Shape::half_space(Vec3::Y).unwrap();
    let above = Pose::at([0.0, 7.0, 0.0]);
    let down = query::cast(&mesh, &above, &floor, &Pose::IDENTITY, &Sweep::by([0.0, -10.0, 0.0])).unwrap();
    assert!(
        matches!(down, Cast::Hit(impact) if (impact.time - 0.5).abs() < 1e-8 && impact.normal == -Vec3::Y),
        "{down:?}"
    );
    let up = query::cast(&floor, &Pose::IDENTITY, &mesh, &above, &Sweep::by([0.0, 10.0, 0.0])).unwrap();
    assert!(matches!(up, Cast::Hit(impact) if (impact.time - 0.5).abs() < 1e-8 && impact.normal == Vec3::Y), "{up:?}");
}
