//! Point clouds to make hulls of.

use carom::glam::{Quat, Vec3};
use fastrand::Rng;

fn symmetric(rng: &mut Rng) -> f32 {
    rng.f32() * 2.0 - 1.0
}

fn ball_point(rng: &mut Rng) -> Vec3 {
    loop {
        let point = Vec3::new(symmetric(rng), symmetric(rng), symmetric(rng));
        if point.length_squared() <= 1.0 {
            return point;
        }
    }
}

pub fn ball(count: usize) -> Vec<Vec3> {
    let mut rng = Rng::with_seed(1);
    (0..count).map(|_| ball_point(&mut rng)).collect()
}

pub fn sphere(count: usize) -> Vec<Vec3> {
    let mut rng = Rng::with_seed(2);
    (0..count).map(|_| ball_point(&mut rng).normalize()).collect()
}

/// Points in a solid cube.
pub fn cube(count: usize) -> Vec<Vec3> {
    let mut rng = Rng::with_seed(3);
    (0..count).map(|_| Vec3::new(symmetric(&mut rng), symmetric(&mut rng), symmetric(&mut rng))).collect()
}

/// Points on the faces of a cube.
pub fn cube_faces(count: usize) -> Vec<Vec3> {
    let mut rng = Rng::with_seed(4);
    cube(count)
        .into_iter()
        .map(|mut point| {
            point[rng.usize(..3)] = if rng.bool() { 1.0 } else { -1.0 };
            point
        })
        .collect()
}

/// The points of a cubic grid with `side` points along each axis.
pub fn grid(side: usize) -> Vec<Vec3> {
    (0..side * side * side)
        .map(|i| Vec3::new((i % side) as f32, (i / side % side) as f32, (i / side / side) as f32) / side as f32)
        .collect()
}

/// A prism over a regular polygon, with `sides` sides.
pub fn prism(sides: usize) -> Vec<Vec3> {
    (0..2 * sides)
        .map(|i| {
            let angle = (i / 2) as f32 / sides as f32 * std::f32::consts::TAU;
            Vec3::new(angle.cos(), if i % 2 == 0 { -1.0 } else { 1.0 }, angle.sin())
        })
        .collect()
}

pub fn turned(points: Vec<Vec3>) -> Vec<Vec3> {
    let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    points.into_iter().map(|point| turn * point).collect()
}

/// A long thin cloud, as of a beam that lies across the axes.
pub fn beam(count: usize) -> Vec<Vec3> {
    turned(ball(count).into_iter().map(|point| point * Vec3::new(1.0, 0.05, 0.02)).collect())
}
