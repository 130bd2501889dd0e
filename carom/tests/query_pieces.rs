//! Meshes, height fields and compounds against all of their pieces, asked one by one without any culling.

mod distance_shapes;
mod random;

use carom::distance::face_to_face;
use carom::glam::{DVec3, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query;
use carom::shape::{Part, Shape};
use distance_shapes::{convex, turn};
use fastrand::Rng;
use random::{cube, rotation};

fn triangles(shape: &Shape) -> Vec<[Vec3; 3]> {
    match shape {
        Shape::Mesh(mesh) => (0..mesh.triangles().len()).map(|index| mesh.corners(index)).collect(),
        Shape::HeightField(field) => (0..field.triangle_count()).map(|index| field.corners(index)).collect(),
        _ => panic!("no triangles in a {}", shape.kind()),
    }
}

fn soup(random: &mut Rng) -> Shape {
    let vertices: Vec<Vec3> = (0..30).map(|_| cube(random).as_vec3()).collect();
    let mut pick = || random.u32(0..10);
    let triangles = (0..40).map(|_| [pick(), 10 + pick(), 20 + pick()]).collect();
    Shape::mesh(vertices, triangles).unwrap()
}

fn terrain(random: &mut Rng) -> Shape {
    let heights = (0..6 * 7).map(|_| random.f32()).collect();
    Shape::height_field(6, 7, heights, [0.4, 0.3]).unwrap()
}

#[test]
fn surfaces_against_convex_shapes() {
    let mut random = Rng::with_seed(1);
    for case in 0..2_000 {
        let surface = if case % 2 == 0 { soup(&mut random) } else { terrain(&mut random) };
        let body = convex(&mut random, 10.0);
        let pose = Pose::new(cube(&mut random) * 1e3, rotation(&mut random));
        let place = Pose::new(pose.position + cube(&mut random) * 4.0, rotation(&mut random));
        let found = query::distance(&surface, &pose, &body, &place).unwrap();
        let expected = triangles(&surface)
            .into_iter()
            .map(|[a, b, c]| query::distance(&Shape::triangle(a, b, c).unwrap(), &pose, &body, &place).unwrap().value())
            .fold(f64::INFINITY, f64::min);
        assert!((found.value() - expected).abs() <= 1e-11, "{found:?} {expected}");
        assert!(found.lower() <= expected && expected <= found.upper(), "{found:?} {expected}");
        let mirrored = query::distance(&body, &place, &surface, &pose).unwrap();
        assert!((mirrored.value() - expected).abs() <= 1e-11, "{mirrored:?} {expected}");
        let half_space = Shape::half_space(Vec3::Y).unwrap();
        let over = query::distance(&half_space, &place, &surface, &pose).unwrap();
        let up = turn(place.rotation) * DVec3::Y;
        let lowest = triangles(&surface)
            .into_iter()
            .flatten()
            .map(|corner| up.dot(turn(pose.rotation) * corner.as_dvec3() + pose.position - place.position))
            .fold(f64::INFINITY, f64::min);
        assert!((over.value() - lowest.max(0.0)).abs() < 1e-11, "{over:?} {lowest}");
    }
}

#[test]
fn surfaces_against_surfaces() {
    let mut random = Rng::with_seed(2);
    for case in 0..300 {
        let a = soup(&mut random);
        let b = if case % 2 == 0 { soup(&mut random) } else { terrain(&mut random) };
        let place = Pose::new(cube(&mut random) * 3.0, rotation(&mut random));
        let found = query::distance(&a, &Pose::IDENTITY, &b, &place).unwrap();
        let moved: Vec<[Vec3; 3]> = triangles(&b)
            .into_iter()
            .map(|corners| corners.map(|corner| (turn(place.rotation) * corner.as_dvec3() + place.position).as_vec3()))
            .collect();
        let expected = triangles(&a)
            .into_iter()
            .flat_map(|face| moved.iter().map(move |other| face_to_face(face, *other).unwrap().distance))
            .fold(f32::INFINITY, f32::min);
        // The oracle's corners are rounded to f32 where they stand.
        assert!((found.value() - f64::from(expected)).abs() < 2e-6, "{found:?} {expected}");
    }
}

#[test]
fn compounds_are_as_near_as_their_nearest_part() {
    let mut random = Rng::with_seed(3);
    for _ in 0..500 {
        let mut parts: Vec<Part> = (0..4)
            .map(|_| Part {
                pose: LocalPose::new(cube(&mut random).as_vec3() * 2.0, rotation(&mut random)),
                shape: convex(&mut random, 10.0),
            })
            .collect();
        parts.push(Part { pose: LocalPose::at([0.0, 1.0, 0.0]), shape: soup(&mut random) });
        let whole = Shape::compound(parts.clone()).unwrap();
        let pose = Pose::new(cube(&mut random), rotation(&mut random));
        let (body, place) = (convex(&mut random, 10.0), Pose::new(cube(&mut random) * 6.0, rotation(&mut random)));
        let found = query::distance(&whole, &pose, &body, &place).unwrap();
        // The parts' own world poses have rotations rounded to f32.
        let expected = parts
            .iter()
            .map(|part| query::distance(&part.shape, &pose.compose(&part.pose), &body, &place).unwrap().value())
            .fold(f64::INFINITY, f64::min);
        assert!((found.value() - expected).abs() < 5e-6, "{found:?} {expected}");
        let twice = query::distance(&whole, &pose, &whole, &place).unwrap();
        let again = query::distance(&whole, &place, &whole, &pose).unwrap();
        assert!((twice.value() - again.value()).abs() < 1e-10, "{twice:?} {again:?}");
    }
}
