//! What distances cost, printed: `cargo test --profile checked --test distance_cost -- --ignored --nocapture`.

mod distance_shapes;

use carom::distance::{edge_to_edge, face_to_face, point_to_face};
use carom::glam::{DVec3, Vec3};
use carom::pose::Pose;
use carom::query;
use carom::shape::Shape;
use distance_shapes::{cube, direction, rotation};
use fastrand::Rng;
use std::time::Instant;

const PAIRS: usize = 2_000;

#[test]
#[ignore = "prints times, proves nothing"]
fn nanoseconds_a_pair() {
    let mut random = Rng::with_seed(1);
    let cloud: Vec<Vec3> = (0..64).map(|_| direction(&mut random).as_vec3()).collect();
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(0.5, 0.2).unwrap(),
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::cylinder(0.5, 0.3).unwrap(),
        Shape::cone(0.5, 0.3).unwrap(),
        Shape::ellipsoid(0.5, 0.2, 0.3).unwrap(),
        Shape::hull(&cloud).unwrap(),
        Shape::ellipsoid(1.0, 1e-4, 0.5).unwrap(),
    ];
    for (index, a) in shapes.iter().enumerate() {
        for b in &shapes[index..] {
            let mut place = |offset: DVec3| Pose::new(cube(&mut random) + offset, rotation(&mut random));
            let poses: Vec<_> = (0..PAIRS).map(|_| (place(DVec3::ZERO), place(DVec3::X))).collect();
            let start = Instant::now();
            let sum: f64 = poses.iter().map(|(p, q)| query::distance(a, p, b, q).unwrap().value()).sum();
            let each = start.elapsed().as_nanos() / PAIRS as u128;
            println!("{:>12} {:>12} {each:>6} ns, mean distance {:.2}", a.kind(), b.kind(), sum / PAIRS as f64);
        }
    }
    let faces: Vec<[Vec3; 3]> = (0..=PAIRS).map(|_| [0; 3].map(|_| cube(&mut random).as_vec3())).collect();
    let time = |name: &str, kernel: &dyn Fn([Vec3; 3], [Vec3; 3]) -> f32| {
        let start = Instant::now();
        let sum: f32 = faces.windows(2).map(|pair| kernel(pair[0], pair[1])).sum();
        println!("{name:>25} {:>6} ns, sum {sum}", start.elapsed().as_nanos() / PAIRS as u128);
    };
    time("point to face", &|a, b| point_to_face(a[0], b).unwrap().distance);
    time("edge to edge", &|a, b| edge_to_edge([a[0], a[1]], [b[0], b[1]]).unwrap().distance);
    time("face to face", &|a, b| face_to_face(a, b).unwrap().distance);
}
