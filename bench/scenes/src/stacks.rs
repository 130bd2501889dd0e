//! Boxes that stand on each other.

use crate::{Scene, Settles};
use glam::Vec3;

/// A flat pyramid with a base of 40: 820 boxes.
pub fn pyramid() -> Scene {
    let mut scene = Scene::new(9.81, 0.6, Settles::Stands);
    scene.floor(100.0);
    flat_pyramid(&mut scene, 40, 1000.0, Vec3::ZERO);
    scene
}

/// Box3D's large_pyramid: a flat pyramid with a base of 100, 5,050 boxes.
pub fn large_pyramid() -> Scene {
    let mut scene = Scene::new(10.0, 0.6, Settles::Stands);
    scene.floor(400.0);
    flat_pyramid(&mut scene, 100, 100.0, Vec3::ZERO);
    scene
}

/// Box3D's many_pyramids: 14 × 14 flat pyramids with a base of 10.
pub fn many_pyramids() -> Scene {
    const ROWS: u8 = 14;
    let mut scene = Scene::new(10.0, 0.6, Settles::Stands);
    scene.floor(85.0);
    for row in 0..ROWS {
        for column in 0..ROWS {
            let place = |index: u8| f32::from(index) - 0.5 * f32::from(ROWS - 1);
            flat_pyramid(&mut scene, 10, 100.0, Vec3::new(11.0 * place(column), 0.0, 11.69 * place(row)));
        }
    }
    scene
}

/// 200 stacks of 10 boxes.
pub fn stacks() -> Scene {
    let mut scene = Scene::new(9.81, 0.6, Settles::Stands);
    scene.floor(60.0);
    let shape = scene.cuboid(Vec3::splat(0.5));
    for stack in 0..200u8 {
        let (column, row) = (f32::from(stack % 20) - 9.5, f32::from(stack / 20) - 4.5);
        for level in 0..10u8 {
            scene.dynamic(shape, [3.0 * column, 0.5 + f32::from(level), 3.0 * row]);
        }
    }
    scene
}

/// Jolt's Pyramid: 1,240 boxes that fall onto each other, half a metre from layer to layer.
pub fn jolt_pyramid() -> Scene {
    const HEIGHT: usize = 15;
    let mut scene = Scene::new(9.81, 0.2, Settles::Heap);
    scene.wall([50.0, 1.0, 50.0], [0.0, -1.0, 0.0]);
    let shape = scene.cuboid(Vec3::ONE);
    for layer in 0..HEIGHT {
        let places = layer / 2..HEIGHT - layer.div_ceil(2);
        let along = |index: usize| -15.0 + 2.0 * index as f32 + (layer % 2) as f32;
        for j in places.clone() {
            for k in places.clone() {
                scene.dynamic(shape, [along(j), 1.0 + 2.5 * layer as f32, along(k)]);
            }
        }
    }
    scene
}

/// Thirty boxes on each other.
pub fn tower() -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Stands);
    scene.floor(100.0);
    let shape = scene.cuboid(Vec3::splat(0.5));
    for level in 0..30u8 {
        scene.dynamic(shape, [0.0, 0.5 + f32::from(level), 0.0]);
    }
    scene
}

/// A box of 1,000 kg on one of 1 kg.
pub fn heavy_on_light() -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Stands);
    scene.floor(100.0);
    let shape = scene.cuboid(Vec3::splat(0.5));
    scene.dynamic(shape, [0.0, 0.5, 0.0]).density = 1.0;
    scene.dynamic(shape, [0.0, 1.5, 0.0]).density = 1000.0;
    scene
}

/// Touching boxes of half a metre, one layer of them deep, with the middle of the base at `place`.
fn flat_pyramid(scene: &mut Scene, base: usize, density: f32, place: Vec3) {
    let shape = scene.cuboid(Vec3::splat(0.5));
    for level in 0..base {
        let count = base - level;
        for index in 0..count {
            let x = index as f32 - 0.5 * (count - 1) as f32;
            scene.dynamic(shape, place + Vec3::new(x, 0.5 + level as f32, 0.0)).density = density;
        }
    }
}
