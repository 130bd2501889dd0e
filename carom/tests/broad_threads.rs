//! The same answer in the same order on any number of threads: pairs and changes of the dynamic tree while boxes move,
//! and close pairs of points while those move.

mod random;

use carom::bounds::Aabb;
use carom::broad::{BroadPhase, DynamicTree, Pair, UniformGrid};
use carom::particles::ClosePairs;
use carom::prelude::*;
use random::vector;

const COUNT: usize = 30_000;
const FRAMES: usize = 20;
const THREADS: [usize; 4] = [1, 2, 3, 8];

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(run)
}

/// Boxes that move straight on, in a cube where each overlaps about three others.
#[derive(Clone)]
struct Scene {
    boxes: Vec<Aabb>,
    /// Zero for those that stay.
    velocities: Vec<Vec3>,
}

impl Scene {
    fn new(percent: usize, speed: f32) -> Self {
        let mut random = fastrand::Rng::with_seed(percent as u64);
        let reach = 0.5 * (8.0 * COUNT as f32 / 3.0).cbrt();
        let boxes = (0..COUNT).map(|_| {
            let (center, half) = (vector(&mut random, reach), 0.5 + 0.25 * vector(&mut random, 1.0));
            Aabb::new(center - half, center + half)
        });
        let boxes = boxes.collect();
        let mut velocity = || if random.usize(..100) < percent { vector(&mut random, speed) } else { Vec3::ZERO };
        Self { boxes, velocities: (0..COUNT).map(|_| velocity()).collect() }
    }

    fn advance(&mut self) {
        for (bounds, &velocity) in self.boxes.iter_mut().zip(&self.velocities) {
            *bounds = Aabb::new(bounds.min + velocity, bounds.max + velocity);
        }
    }
}

/// What is seen in a frame: what began, what ended, and all pairs.
type Frame = [Vec<Pair>; 3];

/// The frames of a scene as the tree tells them.
fn followed(mut scene: Scene) -> Vec<Frame> {
    let mut tree = DynamicTree::from_boxes(&scene.boxes).expect("sound boxes");
    let look = |tree: &mut DynamicTree| {
        let changes = tree.changes();
        let (began, ended) = (changes.began.to_vec(), changes.ended.to_vec());
        [began, ended, tree.pairs().to_vec()]
    };
    let mut frames = vec![look(&mut tree)];
    for _ in 0..FRAMES {
        scene.advance();
        for (id, (bounds, &velocity)) in (0u32..).zip(scene.boxes.iter().zip(&scene.velocities)) {
            if velocity != Vec3::ZERO {
                tree.update(id, *bounds, velocity).expect("a sound box");
            }
        }
        frames.push(look(&mut tree));
    }
    frames
}

/// The pairs by sorting along x: what any number of threads must find, whatever the order.
fn swept_pairs(boxes: &[Aabb]) -> Vec<Pair> {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    order.sort_by(|&a, &b| boxes[a as usize].min.x.total_cmp(&boxes[b as usize].min.x));
    let mut pairs = Vec::new();
    for (place, &a) in order.iter().enumerate() {
        let own = &boxes[a as usize];
        for &b in order[place + 1..].iter().take_while(|&&b| boxes[b as usize].min.x <= own.max.x) {
            let other = &boxes[b as usize];
            if own.min.cmple(other.max).all() && other.min.cmple(own.max).all() {
                pairs.push(Pair::new(a, b));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn check(percent: usize, speed: f32) {
    let scene = Scene::new(percent, speed);
    let expected = on_threads(THREADS[0], || followed(scene.clone()));
    let events: usize = expected[1..].iter().map(|[began, ended, _]| began.len() + ended.len()).sum();
    assert!(expected[0][2].len() > COUNT && events > COUNT / 10, "{} pairs, {events} events", expected[0][2].len());
    for threads in &THREADS[1..] {
        let found = on_threads(*threads, || followed(scene.clone()));
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for (what, (found, expected)) in ["began", "ended", "pairs"].iter().zip(found.iter().zip(expected)) {
                let differs = found.iter().zip(expected).position(|(found, expected)| found != expected);
                let (lengths, percent) = ([found.len(), expected.len()], percent);
                assert!(
                    differs.is_none() && lengths[0] == lengths[1],
                    "frame {number} with {percent} % movers on {threads} threads: {what} of lengths {lengths:?}, \
                     different at {differs:?}"
                );
            }
        }
    }
    // The same order of the wrong pairs would be no use.
    let mut last = scene;
    (0..FRAMES).for_each(|_| last.advance());
    let mut pairs = expected[FRAMES][2].clone();
    pairs.sort_unstable();
    assert!(pairs == swept_pairs(&last.boxes), "wrong pairs with {percent} % movers");
}

#[test]
fn all_boxes_moving_slowly() {
    check(100, 0.02);
}

#[test]
fn a_tenth_of_the_boxes_moving_slowly() {
    check(10, 0.05);
}

/// So fast that the tree is joined anew in every frame, on all threads.
#[test]
fn all_boxes_moving_fast() {
    check(100, 0.5);
}

/// So many boxes that one thread sorts and fills in at once what several sort first: evenly spread, most of them in one
/// small part of the curve, and with a last block that is not full.
#[test]
fn boxes_beyond_the_cache() {
    let mut random = fastrand::Rng::with_seed(9);
    let spread = [(270_001, 45.0, 1.0), (262_144, 3000.0, 0.02), (300_003, 45.0, 0.0)];
    for (count, reach, share) in spread {
        let boxes: Vec<Aabb> = (0..count)
            .map(|index| {
                // The others in a cluster where hardly any two overlap.
                let is_spread = random.f32() < share;
                let center = if is_spread { vector(&mut random, reach) } else { vector(&mut random, 0.02 * reach) };
                let half = if is_spread { 0.4 } else { 1e-4 * reach } * (1.0 + (index % 7) as f32 / 7.0);
                Aabb::new(center - half, center + half)
            })
            .collect();
        let scenes = [1, 3].map(|threads| {
            on_threads(threads, || {
                let mut tree = DynamicTree::default();
                // The second time in memory that has been used.
                for round in 0..2 {
                    tree.rebuild_from(&boxes).expect("sound boxes");
                    for (id, bounds) in (0u32..).zip(&boxes) {
                        assert_eq!(tree.bounds(id), Some(*bounds), "box {id} of {count}, round {round}");
                    }
                }
                tree.pairs().to_vec()
            })
        });
        assert!(scenes[0] == scenes[1], "{count} boxes: other pairs, or in another order");
        // A sweep would take most of a minute.
        let mut grid = UniformGrid::default();
        (0u32..).zip(&boxes).for_each(|(id, bounds)| grid.insert(id, *bounds).expect("a sound box"));
        let [mut pairs, mut expected] = [scenes[0].clone(), grid.pairs().to_vec()];
        pairs.sort_unstable();
        expected.sort_unstable();
        assert!(pairs.len() > count / 100 && pairs == expected, "wrong pairs of {count} boxes");
    }
}

#[test]
fn close_pairs_of_moving_points() {
    let found = THREADS.map(|threads| {
        on_threads(threads, || {
            let mut random = fastrand::Rng::with_seed(5);
            let mut points: Vec<Vec3> = (0..COUNT).map(|_| vector(&mut random, 15.0)).collect();
            let mut close = ClosePairs::default();
            let mut frames = Vec::new();
            for _ in 0..FRAMES {
                points.iter_mut().for_each(|point| *point += vector(&mut random, 0.1));
                frames.push(close.find(&points, 1.0).expect("finite points").to_vec());
            }
            frames
        })
    });
    assert!(found[0].iter().all(|pairs| pairs.len() > COUNT), "too few pairs to mean anything");
    for (threads, frames) in THREADS.iter().zip(&found) {
        for (number, (pairs, expected)) in frames.iter().zip(&found[0]).enumerate() {
            assert!(pairs == expected, "frame {number} on {threads} threads");
        }
    }
}
