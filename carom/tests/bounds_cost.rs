//! What the operations cost, for the table in the documentation of `carom::bounds`. Prints, asserts nothing of time:
//! `cargo test --release -p carom --test bounds_cost -- --ignored --nocapture`.

mod bounds_oracle;

use bounds_oracle::{Oracle, cloud, pose};
use fastrand::Rng;
use glam::Vec3;
use std::hint::black_box;
use std::time::Instant;

fn row<V: Oracle>() {
    let mut random = Rng::with_seed(1);
    let clouds: Vec<Vec<Vec3>> = (0..64).map(|_| cloud(&mut random, 6, 20)).collect();
    let poses: Vec<_> = (0..64).map(|_| pose(&mut random, 2.0)).collect();
    let volumes: Vec<V> = clouds.iter().map(|points| V::around_points(points).unwrap()).collect();
    let moved: Vec<V> = volumes.iter().zip(&poses).map(|(volume, pose)| volume.moved(pose)).collect();
    let pairs: Vec<(usize, usize)> = (0..4096).map(|_| (random.usize(0..64), random.usize(0..64))).collect();
    let time = |run: &dyn Fn(usize, usize) -> f32| {
        let start = Instant::now();
        let mut sum = 0.0;
        for &(a, b) in &pairs {
            sum += run(a, b);
        }
        black_box(sum);
        start.elapsed().as_nanos() as f64 / pairs.len() as f64
    };
    let overlap = time(&|a, b| f32::from(u8::from(moved[a].overlaps(&moved[b]))));
    let merge = time(&|a, b| moved[a].merged(&moved[b]).center().x);
    let motion = time(&|a, b| volumes[a].moved(&poses[b]).center().x);
    let fit = time(&|a, _| V::around_points(&clouds[a]).map_or(0.0, |volume| volume.center().x));
    let mean = volumes.iter().map(|volume| f64::from(volume.volume())).sum::<f64>() / 64.0;
    println!(
        "{:14} {:3} bytes | overlap {overlap:7.1} | moved {motion:8.1} | merged {merge:9.1} | fit {fit:9.1} ns | {mean:.3}",
        V::NAME,
        size_of::<V>()
    );
}

#[test]
#[ignore = "prints times, proves nothing"]
fn costs() {
    for_every_volume!(row);
}
