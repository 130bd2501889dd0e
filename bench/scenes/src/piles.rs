//! Bodies that fall into heaps.

use crate::{Body, Kind, Scene, Settles, Shape};
use glam::{Quat, Vec3};
use std::f32::consts::TAU;

/// 5,000 spheres, boxes and capsules in an open container.
pub fn container() -> Scene {
    container_of(5_000)
}

/// Spheres, boxes and capsules in an open container of a width by which they lie about 15 deep.
pub fn container_of(count: usize) -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Heap);
    let mut random = fastrand::Rng::with_seed(5);
    let across = (count as f64 / 17.0).sqrt().round() as usize;
    let inner = 0.55 * across as f32 + 0.2;
    let (thickness, height) = (1.0, 20.0);
    scene.floor(inner + 2.0 * thickness);
    for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let along = Vec3::ONE - side.abs() - Vec3::Y;
        let half = side.abs() * thickness + along * (inner + 2.0 * thickness) + Vec3::Y * height;
        scene.wall(half, side * (inner + thickness) + Vec3::Y * height);
    }
    let shapes = [
        scene.shape(Shape::Sphere { radius: 0.5 }),
        scene.cuboid([0.45, 0.4, 0.35]),
        scene.shape(Shape::Capsule { half_height: 0.25, radius: 0.25 }),
    ];
    let middle = 0.5 * (across - 1) as f32;
    for index in 0..count {
        let cell = [index % across, index / (across * across), index / across % across].map(|cell| cell as f32);
        let jitter = Vec3::from_array([(); 3].map(|()| 0.04 * (random.f32() - 0.5)));
        let place = 1.1 * Vec3::new(cell[0] - middle, cell[1] + 0.6, cell[2] - middle) + jitter;
        scene.dynamic(shapes[index % 3], place);
    }
    scene
}

/// Box3D's convex_pile: 8 × 8 × 80 hulls of 32 random points on a sphere of radius 2.
pub fn convex_pile() -> Scene {
    let mut scene = Scene::new(10.0, 0.6, Settles::Heap);
    scene.floor(250.0);
    let points = on_sphere(&mut fastrand::Rng::with_seed(42), 32, 2.0);
    let shape = scene.shape(Shape::Hull { points });
    for layer in 0..80u8 {
        for index in 0..64u8 {
            let (x, z) = (f32::from(index % 8) - 4.0, f32::from(index / 8) - 4.0);
            scene.dynamic(shape, [4.0 * x, 2.0 + 4.0 * f32::from(layer), 4.0 * z]);
        }
    }
    scene
}

/// Box3D's washer: a drum with four paddles that turns by 25° a second, and 8,000 cubes in it.
pub fn washer() -> Scene {
    const COUNT: u16 = 20;
    let mut scene = Scene::new(10.0, 0.6, Settles::Moves);
    scene.wall([60.0, 1.0, 60.0], [0.0, -1.0, 0.0]);
    let middle = Vec3::Y * 21.0;
    let mut drum = Body::new(Kind::Kinematic, 0, middle);
    drum.shapes.clear();
    drum.angular_velocity = Vec3::Z * 25.0f32.to_radians();
    let segment = TAU / 36.0;
    for index in 0..36u8 {
        let (from, to) = (segment * f32::from(index), segment * f32::from(index + 1));
        // Walls reach a little into their neighbours.
        drum.shapes.push(scene.shape(wedge(16.0, 18.0, from - 0.1 * segment, to + 0.1 * segment)));
        if index % 9 == 0 {
            drum.shapes.push(scene.shape(wedge(14.0, 16.0, from, to)));
        }
    }
    scene.bodies.push(drum);
    let shape = scene.cuboid(Vec3::splat(0.2));
    for index in 0..COUNT.pow(3) {
        let cell = [index / (COUNT * COUNT), index / COUNT % COUNT, index % COUNT];
        let place = Vec3::from_array(cell.map(|cell| 0.8 * f32::from(cell) - 8.0));
        scene.dynamic(shape, middle + place);
    }
    scene
}

/// 10,000 spheres that roll about on a floor and seldom meet.
pub fn sparse_spheres() -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Moves);
    let mut random = fastrand::Rng::with_seed(10);
    scene.floor(150.0);
    let shape = scene.shape(Shape::Sphere { radius: 0.5 });
    for index in 0..10_000u16 {
        let (x, z) = (f32::from(index % 100) - 49.5, f32::from(index / 100) - 49.5);
        let [along, across] = [(); 2].map(|()| 4.0 * (random.f32() - 0.5));
        let body = scene.dynamic(shape, [2.0 * x, 0.6, 2.0 * z]);
        body.velocity = Vec3::new(along, 0.0, across);
    }
    scene
}

/// Evenly distributed random points on a sphere about the origin.
pub fn on_sphere(random: &mut fastrand::Rng, count: usize, radius: f32) -> Vec<Vec3> {
    let mut point = || loop {
        let point = Vec3::from_array([(); 3].map(|()| 2.0 * random.f32() - 1.0));
        if (0.01..1.0).contains(&point.length_squared()) {
            return radius * point.normalize();
        }
    };
    (0..count).map(|_| point()).collect()
}

/// A part of a tube about z, 20 m long, between two radii and two angles.
fn wedge(inner: f32, outer: f32, from: f32, to: f32) -> Shape {
    let mut points = Vec::with_capacity(8);
    for z in [-10.0, 10.0] {
        for angle in [from, to] {
            let direction = Quat::from_rotation_z(angle) * Vec3::X;
            points.extend([inner, outer].map(|radius| radius * direction + Vec3::Z * z));
        }
    }
    Shape::Hull { points }
}
