//! Point sets for the tests of particles: even, clustered and every degenerate kind.
#![allow(dead_code, reason = "each test binary uses a part")]

use carom::prelude::*;

pub(crate) const KINDS: usize = 11;

/// A random set of about `count` points of one of the [`KINDS`].
pub(crate) fn points(random: &mut fastrand::Rng, kind: usize, count: usize) -> Vec<Vec3> {
    let mut even = |reach: f32| Vec3::from([(); 3].map(|()| (random.f32() * 2.0 - 1.0) * reach));
    let direction = even(1.0);
    let corner = even(5.0);
    let spread = |random: &mut fastrand::Rng| 10.0_f32.powi(random.i32(-30..30));
    match kind {
        0 => (0..count).map(|_| even(1.0)).collect(),
        1 => {
            let centers: Vec<Vec3> = (0..4).map(|_| even(10.0)).collect();
            (0..count).map(|index| centers[index % 4] + even(0.3)).collect()
        }
        2 => vec![corner; count],
        3 => (0..count).map(|_| corner + direction * random.f32()).collect(),
        // On the corners of cells of radius 1, 0.5 and 0.25, with many equal distances.
        4 => (0..count).map(|_| Vec3::from([(); 3].map(|()| random.i32(-8..8) as f32 * 0.25))).collect(),
        // Where f32 has few digits left for the differences.
        5 => (0..count).map(|_| Vec3::new(1e6, -2e6, 3e6) + even(4.0)).collect(),
        6 => (0..count).map(|_| Vec3::new(random.f32(), 0.0, random.f32())).collect(),
        // From the least to the greatest numbers there are.
        7 => (0..count).map(|_| Vec3::from([(); 3].map(|()| (random.f32() - 0.5) * spread(random)))).collect(),
        // A cluster and one point far away.
        8 => (0..count).map(|index| if index == 0 { Vec3::splat(-1e30) } else { even(1.0) }).collect(),
        // Half of the points twice.
        9 => {
            let half: Vec<Vec3> = (0..count.div_ceil(2)).map(|_| even(1.0)).collect();
            (0..count).map(|index| half[index % half.len()]).collect()
        }
        _ => {
            let scale = spread(random);
            (0..count).map(|_| Vec3::from([(); 3].map(|()| random.f32() * scale))).collect()
        }
    }
}
