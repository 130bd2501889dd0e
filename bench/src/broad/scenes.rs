//! The boxes that are measured, and how they move.

use carom::bounds::Aabb;
use carom::broad::Moved;
use carom::glam::Vec3;
use std::path::{Path, PathBuf};

/// How far a mover goes in a frame; the mean extent of a box is 1.
const STEP: f32 = 0.02;

/// The side of the cube in which `count` boxes of [`uniform`] overlap about three others each.
pub fn uniform_side(count: usize) -> f32 {
    // Two boxes overlap if their centers are within half the sum of their extents, 2 on average, on each axis.
    (8.0 * count as f32 / 3.0).cbrt()
}

/// Boxes with extents from 0.5 to 1.5, evenly spread.
pub fn uniform(count: usize) -> Vec<Aabb> {
    let mut rng = fastrand::Rng::with_seed(1);
    let side = uniform_side(count);
    (0..count).map(|_| around(random_point(&mut rng) * side, 0.5 + random_point(&mut rng))).collect()
}

/// A packed heap: boxes of about unit size on a disturbed lattice, in no order, on one huge floor.
pub fn pile(count: usize) -> Vec<Aabb> {
    let mut rng = fastrand::Rng::with_seed(2);
    let side = (count as f32).cbrt().ceil() as usize;
    let mut boxes: Vec<Aabb> = (0..count - 1)
        .map(|index| {
            let cell = [index % side, index / (side * side), index / side % side].map(|at| at as f32 + 0.5);
            let jitter = 0.12 * (random_point(&mut rng) - 0.5);
            around(Vec3::from(cell) + jitter, 0.92 + 0.12 * random_point(&mut rng))
        })
        .collect();
    let side = side as f32;
    boxes.push(Aabb::new(Vec3::new(-side, -1.0, -side), Vec3::new(2.0 * side, 0.0, 2.0 * side)));
    rng.shuffle(&mut boxes);
    boxes
}

/// Sizes by a power law, the largest a hundred times the smallest; about three overlaps a box on average.
pub fn power_law(count: usize) -> Vec<Aabb> {
    let mut rng = fastrand::Rng::with_seed(3);
    // With density 2 s⁻³ from 1 to 100, the mean of (s + t)³ over two boxes is about 500.
    let side = (500.0 * count as f32 / 3.0).cbrt();
    (0..count)
        .map(|_| {
            let size = (1.0 - rng.f32()).sqrt().recip().min(100.0);
            around(random_point(&mut rng) * side, size * (0.5 + random_point(&mut rng)))
        })
        .collect()
}

/// Boxes recorded from real scenes, six numbers a line; none if the file is not there.
pub fn recorded(number: usize) -> Result<Option<Vec<Aabb>>, String> {
    let path = recorded_path(number);
    if !path.is_file() {
        return Ok(None);
    }
    let fault = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|error| fault(&error))?;
    let parse = |line: &str| -> Option<Aabb> {
        let numbers: Vec<f32> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let [a, b, c, d, e, f] = numbers.try_into().ok()?;
        Some(Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| parse(line).ok_or_else(|| fault(&format!("not six numbers: {line}"))))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Where the recorded boxes are expected: beside the checkout.
pub fn recorded_path(number: usize) -> PathBuf {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    bench.join(format!("../../shared/data/boxes/bounds{number:02}.txt"))
}

/// `count` points, evenly spread in a unit cube.
pub fn points(count: usize) -> Vec<Vec3> {
    let mut rng = fastrand::Rng::with_seed(4);
    (0..count).map(|_| random_point(&mut rng)).collect()
}

/// Origins inside a cube and unit directions.
pub fn rays(count: usize, side: f32) -> Vec<(Vec3, Vec3)> {
    let mut rng = fastrand::Rng::with_seed(5);
    (0..count).map(|_| (random_point(&mut rng) * side, random_direction(&mut rng))).collect()
}

/// Uniform boxes, some of which move with constant velocities, reflected at the walls.
#[derive(Clone)]
pub struct Motion {
    pub boxes: Vec<Aabb>,
    side: f32,
    moves: Vec<Moved>,
}

impl Motion {
    pub fn new(count: usize, percent: usize) -> Self {
        let boxes = uniform(count);
        let mut rng = fastrand::Rng::with_seed(6);
        let moves = (0u32..)
            .zip(&boxes)
            .filter(|_| rng.usize(0..100) < percent)
            .map(|(id, &bounds)| (id, bounds))
            .collect::<Vec<_>>();
        let moves = moves
            .into_iter()
            .map(|(id, bounds)| Moved { id, bounds, displacement: STEP * random_direction(&mut rng) })
            .collect();
        Self { boxes, side: uniform_side(count), moves }
    }

    /// The movers, a frame later.
    pub fn advance(&mut self) -> &[Moved] {
        for moved in &mut self.moves {
            let center = moved.bounds.center();
            for axis in 0..3 {
                let leaves_below = center[axis] < 0.0 && moved.displacement[axis] < 0.0;
                let leaves_above = center[axis] > self.side && moved.displacement[axis] > 0.0;
                if leaves_below || leaves_above {
                    moved.displacement[axis] = -moved.displacement[axis];
                }
            }
            moved.bounds = Aabb::new(moved.bounds.min + moved.displacement, moved.bounds.max + moved.displacement);
            self.boxes[moved.id as usize] = moved.bounds;
        }
        &self.moves
    }
}

fn around(center: Vec3, extents: Vec3) -> Aabb {
    Aabb::new(center - 0.5 * extents, center + 0.5 * extents)
}

/// Within the unit cube.
fn random_point(rng: &mut fastrand::Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32())
}

fn random_direction(rng: &mut fastrand::Rng) -> Vec3 {
    loop {
        let point = 2.0 * random_point(rng) - 1.0;
        if (0.01..=1.0).contains(&point.length_squared()) {
            return point.normalize();
        }
    }
}
