//! Bodies that fall onto meshes.

use crate::piles::on_sphere;
use crate::{Body, Kind, Scene, Settles, Shape};
use glam::Vec3;

/// 1,000 hulls of 32 vertices on a mesh terrain of 128 × 128 cells.
pub fn hulls_on_mesh() -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Heap);
    let height = |x: f32, z: f32| 1.5 * (0.3 * x).sin() * (0.25 * z).cos() + 0.25 * (1.1 * x).sin() * (0.9 * z).sin();
    let terrain = scene.shape(grid(128, 1.0, height));
    scene.bodies.push(Body::new(Kind::Fixed, terrain, Vec3::new(-64.0, 0.0, -64.0)));
    let mut random = fastrand::Rng::with_seed(32);
    let hulls: Vec<usize> = (0..8)
        .map(|_| {
            let points = on_sphere(&mut random, 32, 0.6);
            scene.shape(Shape::Hull { points })
        })
        .collect();
    for index in 0..1_000u16 {
        // Five on each other, so that they also meet.
        let (column, row, level) = (f32::from(index % 20), f32::from(index / 20 % 10), f32::from(index / 200));
        let place = Vec3::new(4.0 * (column - 9.5) + 0.2 * level, 3.0 + 1.3 * level, 8.0 * (row - 4.5));
        scene.dynamic(hulls[usize::from(index) % hulls.len()], place);
    }
    scene
}

/// Jolt's ConvexVsMesh: 1,764 bodies of four shapes on a mesh of 20,000 triangles.
pub fn jolt_convex_vs_mesh() -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Heap);
    scene.restitution = 0.6;
    let height = |x: f32, z: f32| 5.0 * (x / 6.0).sin() * (z / 6.0).cos();
    let terrain = scene.shape(grid(100, 3.0, height));
    scene.bodies.push(Body::new(Kind::Fixed, terrain, Vec3::new(-150.0, 5.0, -150.0)));
    let points = vec![Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z];
    let shapes = [
        scene.cuboid([0.5, 0.75, 1.0]),
        scene.shape(Shape::Sphere { radius: 0.5 }),
        scene.shape(Shape::Capsule { half_height: 0.75, radius: 0.5 }),
        scene.shape(Shape::Hull { points }),
    ];
    for x in -10..=10i8 {
        for z in -10..=10i8 {
            for (y, shape) in (0..4i8).zip(shapes) {
                let place = [7.5 * f32::from(x), 15.0 + 2.0 * f32::from(y), 7.5 * f32::from(z)];
                scene.dynamic(shape, place).damping = 0.05;
            }
        }
    }
    scene
}

/// A mesh of `cells` × `cells` squares over x and z from 0, each of two triangles that face up.
fn grid(cells: u32, spacing: f32, height: impl Fn(f32, f32) -> f32) -> Shape {
    let row = cells + 1;
    let vertices = (0..row * row).map(|index| {
        let (x, z) = (spacing * (index % row) as f32, spacing * (index / row) as f32);
        Vec3::new(x, height(x, z), z)
    });
    let triangles = (0..cells * cells).flat_map(|cell| {
        let start = row * (cell / cells) + cell % cells;
        [[start, start + row, start + 1], [start + 1, start + row, start + row + 1]]
    });
    Shape::Mesh { vertices: vertices.collect(), triangles: triangles.collect() }
}
