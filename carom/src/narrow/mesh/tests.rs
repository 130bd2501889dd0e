//! What is told of how far a shape is from a mesh that it does not touch, against the distance of the two.

use super::{ContactBuffer, Relative, patches_of};
use crate::distance::placement::Placement;
use crate::pose::{LocalPose, Pose};
use crate::query;
use crate::shape::Shape;
use fastrand::Rng;
use glam::{Quat, Vec3};

const MARGIN: f32 = 0.05;

fn vector(random: &mut Rng, reach: f32) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| reach * (2.0 * random.f32() - 1.0)))
}

/// Loose triangles of all sizes around the origin.
fn mesh(random: &mut Rng) -> Shape {
    let vertices = (0..60).map(|_| vector(random, 2.0)).collect();
    let triangles = (0..12).map(|_| [(); 3].map(|()| random.u32(..60))).filter(|[a, b, c]| a != b && b != c && c != a);
    Shape::mesh(vertices, triangles.collect()).expect("sound")
}

#[test]
fn a_gap_that_is_told_is_there() {
    let mut random = Rng::with_seed(17);
    let points: Vec<Vec3> = (0..12).map(|_| vector(&mut random, 0.4)).collect();
    let shapes = [
        Shape::sphere(0.3).expect("sound"),
        Shape::cuboid(0.5, 0.2, 0.1).expect("sound"),
        Shape::capsule(0.6, 0.1).expect("sound"),
        Shape::hull(&points).expect("sound"),
        Shape::cylinder(0.3, 0.2).expect("sound"),
    ];
    let mut buffer = ContactBuffer::new();
    for shape in &shapes {
        let (mut told, mut wide) = (0, 0);
        for _ in 0..1500 {
            let mesh = mesh(&mut random);
            let pose = LocalPose::new(vector(&mut random, 3.0), Quat::from_scaled_axis(vector(&mut random, 3.0)));
            let relative = Relative { placement: Placement::of_part(&pose), pose };
            buffer.look_beyond(3.0 * MARGIN);
            let found = patches_of(shape, &mesh, &relative, MARGIN, &mut buffer).expect("sound").len();
            let Some(gap) = buffer.gap() else { continue };
            assert_eq!(found, 0, "a gap of what touches");
            let at = Pose::new(pose.position.as_dvec3(), pose.rotation);
            let distance = query::distance(shape, &Pose::IDENTITY, &mesh, &at).expect("sound").upper();
            assert!(f64::from(gap) <= distance + 1e-5, "{gap} told, {distance} there: {shape:?}");
            told += u32::from(gap > MARGIN);
            wide += u32::from(gap > 2.0 * MARGIN);
        }
        assert!(told > 100 && wide > 50, "{told} and {wide} times: {shape:?}");
    }
}
