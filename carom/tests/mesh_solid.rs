//! Closed meshes are solids to overlap, distance, the detector, paths and casts: what is wholly inside is found, whatever
//! it is and whichever comes first. The oracle is the construction: a torus by its two radii, a box by its planes, a shell
//! by both of its spheres; and the winding number as a sum of solid angles.

mod random;

use carom::detector::{Detector, Key, Object, PathOptions, PathOutcome};
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Cast, Distance, Status, Sweep};
use carom::shape::{Part, Shape, TriangleMesh};
use fastrand::Rng;
use random::{cube, rotation};

/// A torus around y, its ring of radius 2 and its tube of radius `tube`.
fn torus(tube: f32, faces: u32) -> TriangleMesh {
    let angle = |index: u32| std::f32::consts::TAU * index as f32 / faces as f32;
    let point = |i: u32, j: u32| {
        let out = 2.0 + tube * angle(j).cos();
        Vec3::new(out * angle(i).cos(), tube * angle(j).sin(), out * angle(i).sin())
    };
    let vertices = (0..faces * faces).map(|index| point(index / faces, index % faces)).collect();
    let at = |i: u32, j: u32| (i % faces) * faces + j % faces;
    let quads = (0..faces * faces).map(|index| (index / faces, index % faces));
    let triangles = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, c, b], [a, d, c]]
    });
    TriangleMesh::new(vertices, triangles.collect()).unwrap()
}

/// A box of triangles, seen from outside or from inside.
fn box_triangles(half: f32, is_outward: bool, first: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |index: u32| Vec3::new(index as f32 % 2.0, (index / 2 % 2) as f32, (index / 4) as f32) * 2.0 - 1.0;
    let vertices = (0..8).map(|index| corner(index) * half).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let turned = |[a, b, c]: [u32; 3]| if is_outward { [a, b, c] } else { [a, c, b] };
    (vertices, triangles.map(|corners| turned(corners).map(|index| index + first)).collect())
}

fn solid_box(half: f32) -> TriangleMesh {
    let (vertices, triangles) = box_triangles(half, true, 0);
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// A box with a box-shaped hollow.
fn shell(outer: f32, inner: f32) -> TriangleMesh {
    let (mut vertices, mut triangles) = box_triangles(outer, true, 0);
    let (more, hollow) = box_triangles(inner, false, 8);
    vertices.extend(more);
    triangles.extend(hollow);
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// How often a mesh winds around a point: the sum of the solid angles of its triangles (van Oosterom, Strackee 1983).
fn winding(mesh: &TriangleMesh, point: DVec3) -> i64 {
    let mut sum = 0.0;
    for index in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(index).map(|corner| corner.as_dvec3() - point);
        let below = a.length() * b.length() * c.length()
            + a.dot(b) * c.length()
            + b.dot(c) * a.length()
            + c.dot(a) * b.length();
        sum += 2.0 * a.dot(b.cross(c)).atan2(below);
    }
    (sum / (4.0 * std::f64::consts::PI)).round() as i64
}

/// Shapes that fit into a ball of this radius around their origin.
fn small(size: f32) -> Vec<Shape> {
    let part = |x: f32| Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::sphere(0.2 * size).unwrap() };
    let sheet = vec![Vec3::ZERO, Vec3::X * size * 0.9, Vec3::Y * size * 0.9];
    vec![
        Shape::point(),
        Shape::sphere(0.9 * size).unwrap(),
        Shape::cuboid(0.5 * size, 0.5 * size, 0.5 * size).unwrap(),
        Shape::capsule(0.4 * size, 0.4 * size).unwrap(),
        Shape::compound(vec![part(0.7 * size), part(-0.7 * size)]).unwrap(),
        Shape::Mesh(solid_box(0.5 * size).into()),
        Shape::Mesh(TriangleMesh::new(sheet, vec![[0, 1, 2]]).unwrap().into()),
        Shape::height_field(3, 3, vec![0.0; 9], [0.5 * size, 0.5 * size]).unwrap(),
    ]
}

/// All that is asked of a pair, in both orders: whether they overlap.
fn is_overlapping(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, context: &dyn Fn() -> String) -> bool {
    let answers = [(a, pose_a, b, pose_b), (b, pose_b, a, pose_a)].map(|(a, pose_a, b, pose_b)| {
        let overlaps = query::overlap(a, pose_a, b, pose_b).unwrap();
        let distance = query::distance(a, pose_a, b, pose_b).unwrap();
        assert_eq!(overlaps, matches!(distance, Distance::Overlapping { .. }), "{distance:?} {}", context());
        if let Distance::Overlapping { common, .. } = distance {
            for (shape, pose) in [(a, pose_a), (b, pose_b)] {
                let away = query::distance(&Shape::point(), &Pose::at(common), shape, pose).unwrap();
                assert!(away.value() < 1e-8, "{away:?} {}", context());
            }
        }
        let deep = query::penetration(a, pose_a, b, pose_b).unwrap();
        assert!(deep.lower <= deep.upper, "{deep:?} {}", context());
        assert!(if overlaps { deep.upper >= 0.0 } else { deep.lower <= 0.0 }, "{deep:?} {overlaps} {}", context());
        if overlaps {
            // The way out leads out.
            let out = (deep.upper * (1.0 + 1e-6) + 1e-9) * deep.normal.as_dvec3();
            let moved = Pose { position: pose_b.position + out, ..*pose_b };
            let free = query::distance(a, pose_a, b, &moved).unwrap();
            assert!(free.status() != Status::Overlapping, "{deep:?} {free:?} {}", context());
        }
        overlaps
    });
    assert_eq!(answers[0], answers[1], "{}", context());
    answers[0]
}

#[test]
fn what_is_in_a_torus_or_a_shell_is_found() {
    let mut random = Rng::with_seed(1);
    let ring = torus(1.0, 24);
    // Round numbers of faces lie inside the true torus by this much.
    let (tube, size) = (1.0 - (1.0 - (std::f64::consts::PI / 24.0).cos()) * 3.0, 0.1);
    let hollow = shell(3.0, 2.0);
    let mut counts = [0; 2];
    for case in 0..400 {
        let place = cube(&mut random) * 4.0;
        let far = if case % 2 == 0 { DVec3::ZERO } else { cube(&mut random) * 1e6 };
        let turn = rotation(&mut random);
        for (mesh, is_shell) in [(&ring, false), (&hollow, true)] {
            let height = if is_shell {
                let most = place.abs().max_element();
                (most - 3.0).max(2.0 - most)
            } else {
                DVec3::new(place.x.hypot(place.z) - 2.0, place.y, 0.0).length() - 1.0
            };
            let room = if is_shell { 0.0 } else { 1.0 - tube };
            // Near the surface, what is inside depends on the shape.
            let expected = match height {
                height if height < -(size + room) => true,
                height if height > size => false,
                _ => continue,
            };
            assert_eq!(winding(mesh, place) != 0, expected, "{place}");
            let solid = Shape::Mesh(mesh.clone().into());
            let whole =
                Shape::compound(vec![Part { pose: LocalPose::at([0.0, 1.0, 0.0]), shape: solid.clone() }]).unwrap();
            for shape in small(size as f32) {
                let frame = Pose::new(far, turn);
                let at = frame.compose(&LocalPose::new(place.as_vec3(), rotation(&mut random)));
                let context = || format!("{shape:.60?} in {solid:.40?} at {place}");
                counts[usize::from(expected)] += 1;
                assert_eq!(is_overlapping(&solid, &frame, &shape, &at, &context), expected, "{}", context());
                let below = frame.compose(&LocalPose::at([0.0, -1.0, 0.0]));
                assert_eq!(is_overlapping(&whole, &below, &shape, &at, &context), expected, "{}", context());
            }
        }
    }
    println!("{} outside, {} inside", counts[0], counts[1]);
    assert!(counts[0] > 500 && counts[1] > 500, "{counts:?}");
}

#[test]
fn open_meshes_have_no_inside() {
    let (vertices, mut triangles) = box_triangles(1.0, true, 0);
    triangles.pop();
    let open = Shape::Mesh(TriangleMesh::new(vertices, triangles).unwrap().into());
    let ball = Shape::sphere(0.25).unwrap();
    assert!(!query::overlap(&open, &Pose::IDENTITY, &ball, &Pose::IDENTITY).unwrap());
    let apart = query::distance(&open, &Pose::IDENTITY, &ball, &Pose::IDENTITY).unwrap();
    assert!((apart.value() - 0.75).abs() < 1e-12 && apart.status() == Status::Separated);
    assert!(query::penetration(&open, &Pose::IDENTITY, &ball, &Pose::IDENTITY).unwrap().depth < 0.0);
}

/// From outside through the surface to the middle and out again: distance and depth never contradict each other, and the
/// signed distance of a box has a closed form on this way.
#[test]
fn distance_and_depth_agree_on_the_way_in() {
    let solid = Shape::Mesh(solid_box(1.0).into());
    let turn = Quat::from_rotation_y(0.4);
    let shapes =
        [Shape::sphere(0.25).unwrap(), Shape::Mesh(solid_box(0.25).into()), Shape::cuboid(0.25, 0.25, 0.25).unwrap()];
    for (index, shape) in shapes.iter().enumerate() {
        let mut was_touching = false;
        for step in -200..=200_i32 {
            let height = f64::from(step) * 0.01;
            let frame = Pose::new(DVec3::new(1e5, 2e5, -3e5), turn);
            let pose = frame.compose(&LocalPose::at([0.01, height as f32, 0.02]));
            let distance = query::distance(&solid, &frame, shape, &pose).unwrap();
            let deep = query::penetration(&solid, &frame, shape, &pose).unwrap();
            let expected = height.abs() - 1.25;
            let context = || format!("{index} at {height}: {distance:?} {deep:?}");
            if expected > 1e-6 {
                assert!(
                    (distance.value() - expected).abs() < 1e-6 && (deep.depth + expected).abs() < 1e-6,
                    "{}",
                    context()
                );
                assert_eq!([distance.status(), deep.status()], [Status::Separated; 2], "{}", context());
            } else if expected < -1e-6 {
                assert!(distance.gap().is_none() && distance.value() == 0.0, "{}", context());
                assert_eq!(deep.lower > 0.0, deep.status() == Status::Overlapping, "{}", context());
                // The shortest way out may be to the sides, which are 0.02 nearer at the middle.
                let shortest = (-expected).min(1.25 - 0.02);
                assert!((deep.upper - shortest).abs() < 2e-3 && deep.lower <= shortest + 1e-6, "{}", context());
                assert!(deep.lower > 0.0 || index == 1, "{}", context());
                was_touching = true;
            }
        }
        assert!(was_touching);
    }
}

#[test]
fn the_detector_paths_and_casts_find_it_too() {
    let solid = Shape::Mesh(torus(1.0, 24).into());
    let ball = Shape::sphere(0.2).unwrap();
    let inside = Pose::at([2.0, 0.0, 0.0]);
    let mut set = Detector::default();
    let ring = set.insert(Object::new(solid.clone(), Pose::IDENTITY)).unwrap();
    let small = set.insert(Object::new(ball.clone(), inside)).unwrap();
    let hole = set.insert(Object::new(ball.clone(), Pose::IDENTITY)).unwrap();
    let mut pairs = Vec::new();
    set.overlaps(|_, _| true, |a, b| pairs.push((a, b))).unwrap();
    assert_eq!(pairs, [(ring, small)]);
    assert_eq!(set.first_overlap(|_, _| true).unwrap(), Some((ring, small)));
    let closest = set.closest_pair(|_, _| true).unwrap().unwrap();
    assert!(matches!(closest.distance, Distance::Overlapping { .. }) && (closest.a, closest.b) == (ring, small));
    let mut near = Vec::new();
    set.closer_than(0.5, |_, _| true, |pair| near.push((pair.a, pair.b))).unwrap();
    assert_eq!(near, [(ring, small)]);

    // A path that begins inside hits at once; one through the hole is free.
    let along =
        |from: DVec3, to: DVec3| [(0.0, from), (1.0, to)].map(|(time, place)| Key { time, pose: Pose::at(place) });
    let options = PathOptions::default();
    let kept = along(DVec3::new(2.0, 0.0, 0.0), DVec3::new(2.0, 0.1, 0.0));
    let report = set.check_path(&[small], &kept, &options).unwrap();
    let PathOutcome::Hit(hit) = report.outcome else { panic!("{report:?}") };
    assert!(hit.time == 0.0 && hit.obstacle == ring && hit.distance == 0.0, "{hit:?}");
    let _gone = set.remove(small).unwrap();
    let through = along(DVec3::new(0.0, 3.0, 0.0), DVec3::new(0.0, -3.0, 0.0));
    let report = set.check_path(&[hole], &through, &options).unwrap();
    assert!(matches!(report.outcome, PathOutcome::Free), "{report:?}");

    // A cast that begins inside has met the ring already, unless what parts is passed over: then it meets it coming out.
    let sweep = Sweep::by([0.0, 5.0, 0.0]);
    let Cast::AtStart(impact) = query::cast(&ball, &inside, &solid, &Pose::IDENTITY, &sweep).unwrap() else { panic!() };
    let deep = query::penetration(&ball, &inside, &solid, &Pose::IDENTITY).unwrap();
    assert!((impact.distance + deep.depth).abs() < 1e-9 && impact.time == 0.0, "{impact:?} {deep:?}");
    let Cast::Hit(out) = query::cast(&ball, &inside, &solid, &Pose::IDENTITY, &sweep.ignoring_parting()).unwrap()
    else {
        panic!()
    };
    assert!((out.time * 5.0 - 0.8).abs() < 0.02, "{out:?}");

    // A point inside is said to be.
    let projection = query::project_point(&solid, &Pose::IDENTITY, DVec3::new(2.0, 0.3, 0.0)).unwrap();
    assert!(projection.is_inside && (projection.distance - 0.7).abs() < 0.01, "{projection:?}");
    let projection = query::project_point(&solid, &Pose::IDENTITY, DVec3::new(0.3, 0.0, 0.0)).unwrap();
    assert!(!projection.is_inside && (projection.distance - 0.7).abs() < 0.01, "{projection:?}");
}
