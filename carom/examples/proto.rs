//! proto
use carom::bounds::{Aabb, BoundingVolume};
use carom::broad::{BroadPhase, DynamicTree, Pair};
use carom::prelude::*;
use std::time::Instant;
fn uniform(n: usize, seed: u64) -> Vec<Aabb> {
    let mut r = fastrand::Rng::with_seed(seed);
    // about 3 overlaps each: n * (2s)^3 / L^3 = 3 with side s in 0.5..1.5 -> mean pair extents sum ~2 => 8n/L^3=3
    let l = (8.3 * n as f32 / 3.0).cbrt();
    (0..n)
        .map(|_| {
            let c = Vec3::new(r.f32(), r.f32(), r.f32()) * l;
            let h = Vec3::new(r.f32(), r.f32(), r.f32()) * 0.5 + 0.25;
            Aabb::new(c - h, c + h)
        })
        .collect()
}
fn main() {
    for n in [1000usize, 10_000, 100_000, 1_000_000] {
        let boxes = uniform(n, 1);
        let mut tree = DynamicTree::default();
        let (mut tb, mut tj) = (f64::INFINITY, f64::INFINITY);
        let mut np = 0;
        for _ in 0..(2_000_000 / n).clamp(5, 200) {
            let t = Instant::now();
            tree = DynamicTree::from_boxes(&boxes).unwrap();
            let b = t.elapsed().as_secs_f64();
            let t = Instant::now();
            np = tree.pairs().len();
            let j = t.elapsed().as_secs_f64();
            tb = tb.min(b);
            tj = tj.min(j);
        }
        println!(
            "{n}: build {:.3} ms join {:.3} ms total {:.3} = {:.1} ns/box, pairs {np}",
            tb * 1e3,
            tj * 1e3,
            (tb + tj) * 1e3,
            (tb + tj) * 1e9 / n as f64
        );
        if n <= 10_000 {
            let mut e: Vec<Pair> = vec![];
            for a in 0..n {
                for b in a + 1..n {
                    if boxes[a].overlaps(&boxes[b]) {
                        e.push(Pair { a: a as u32, b: b as u32 });
                    }
                }
            }
            let mut p = tree.pairs().to_vec();
            p.sort();
            assert_eq!(p, e);
        }
    }
}
