//! What is shot at something.

use crate::{Scene, Settles, Shape};
use glam::Vec3;

/// 1,000 balls of 2 cm at 400 m/s, each at a box of its own in a wall of 40 by 25. In a step a ball goes 6.7 m, through
/// boxes of 20 cm.
pub fn bullets() -> Scene {
    let mut scene = Scene::new(9.81, 0.5, Settles::Moves);
    scene.is_swept = true;
    scene.floor(100.0);
    let brick = scene.cuboid([0.25, 0.25, 0.1]);
    let ball = scene.shape(Shape::Sphere { radius: 0.02 });
    let mut random = fastrand::Rng::with_seed(9);
    let places: Vec<Vec3> = (0..1_000u16)
        .map(|index| Vec3::new(0.5 * f32::from(index % 40) - 9.75, 0.25 + 0.5 * f32::from(index / 40), 0.0))
        .collect();
    for &place in &places {
        scene.dynamic(brick, place);
    }
    for &place in &places {
        let aim = Vec3::new(random.f32() - 0.5, random.f32() - 0.5, 0.0) * 0.3;
        let bullet = scene.dynamic(ball, place + aim + Vec3::NEG_Z * (2.0 + 60.0 * random.f32()));
        bullet.velocity = Vec3::Z * 400.0;
        bullet.is_bullet = true;
    }
    scene
}
