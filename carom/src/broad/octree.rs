//! B7: a loose octree, built anew over the boxes.
//!
//! A cube is divided into eight of half its side. A box goes to the octant of its middle if it is no longer than the
//! octant's side, so it reaches at most half a side beyond it; longer boxes stay in a leaf of their own at the node.
//! Where all boxes would go to one octant, the cube first shrinks to the boxes' middles: a few boxes far away, or one
//! around everything, cost one level and not a hundred. Pruning is by the boxes around what nodes hold, so cubes only
//! decide the shape of the tree and their rounding decides nothing.
//! Stops at eight boxes, at boxes too long for the octants, and where middles coincide; a cube is halved at most 280
//! times before f32 ends. Cost: O(n · levels) to build, a counting sort a level; the join is that of `box_tree`.
//! Source: Ulrich 2000, Loose Octrees, in Game Programming Gems; there with fixed cubes and without the shrinking.
//! Made for boxes of like size in clusters of different density: there 1.5 times the dynamic tree's time for a build
//! with all pairs. Loses with long thin boxes: a thousand rods of one length in a cube of that side make one leaf.

use super::box_tree::{BoxTree, Item, gather};
use super::{BoxRay, Drawn, Index, Pair, Proxies};
use crate::bounds::Aabb;
use glam::Vec3;

/// Boxes up to this many make a leaf.
const LEAF: usize = 8;
/// Never reached by halving f32 numbers; a bound that needs no argument.
const MAX_DEPTH: u32 = 300;

/// A loose octree; [`Rebuilt<Octree>`](super::Rebuilt) is the broad phase on it.
#[derive(Debug, Clone, Default)]
pub struct Octree {
    tree: BoxTree,
    items: Vec<Item>,
    sorted: Vec<Item>,
    octants: Vec<u8>,
    tasks: Vec<Task>,
}

#[derive(Debug, Clone, Copy)]
struct Task {
    start: usize,
    end: usize,
    depth: u32,
    cube: Cube,
}

#[derive(Debug, Clone, Copy)]
struct Cube {
    center: Vec3,
    /// Half of the side, which is the side of an octant.
    half: f32,
}

/// The octants, and before them the boxes that stay.
const BUCKETS: usize = 9;

impl Cube {
    /// The cube around the items' middles.
    fn around(items: &[Item]) -> Self {
        let (least, greatest) = items.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(least, greatest), item| {
            (least.min(item.center()), greatest.max(item.center()))
        });
        Self { center: least * 0.5 + greatest * 0.5, half: (greatest * 0.5 - least * 0.5).max_element() }
    }

    #[inline(always)]
    fn bucket(&self, item: &Item) -> u8 {
        // A size that overflows is greater than any half.
        if (item.bounds.max - item.bounds.min).max_element() > self.half {
            return 0;
        }
        let above = item.center().cmpge(self.center);
        1 + above.bitmask() as u8
    }

    fn octant(&self, bucket: usize) -> Self {
        let octant = bucket - 1;
        let sign = |bit: usize| if octant >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let half = 0.5 * self.half;
        Self { center: self.center + Vec3::new(sign(0), sign(1), sign(2)) * half, half }
    }
}

impl Octree {
    /// Counts the items of each bucket; false if one bucket would get all.
    fn count(&mut self, task: &Task, counts: &mut [usize; BUCKETS]) -> bool {
        *counts = [0; BUCKETS];
        self.octants.clear();
        for item in &self.items[task.start..task.end] {
            let bucket = task.cube.bucket(item);
            counts[usize::from(bucket) % BUCKETS] += 1;
            self.octants.push(bucket);
        }
        counts.iter().all(|&count| count < task.end - task.start)
    }

    fn grow(&mut self, mut task: Task) {
        let mut counts = [0; BUCKETS];
        let mut divides = task.end - task.start > LEAF && task.depth < MAX_DEPTH && self.count(&task, &mut counts);
        if !divides && task.end - task.start > LEAF && task.depth < MAX_DEPTH {
            let around = Cube::around(&self.items[task.start..task.end]);
            // A cube that does not shrink would be tried again for ever.
            if around.half < task.cube.half {
                task.cube = around;
                divides = self.count(&task, &mut counts);
            }
        }
        if !divides {
            self.tree.push_leaf(&self.items[task.start..task.end], task.depth);
            return;
        }
        self.tree.push_inner(task.depth);
        let mut places = [task.start; BUCKETS];
        for bucket in 1..BUCKETS {
            places[bucket] = places[bucket - 1] + counts[bucket - 1];
        }
        self.sort(&task, places);
        let depth = task.depth + 1;
        for bucket in (1..BUCKETS).rev().filter(|&bucket| counts[bucket] > 0) {
            let start = places[bucket];
            self.tasks.push(Task { start, end: start + counts[bucket], depth, cube: task.cube.octant(bucket) });
        }
        self.tree.push_leaf(&self.items[task.start..task.start + counts[0]], depth);
    }

    fn sort(&mut self, task: &Task, mut places: [usize; BUCKETS]) {
        self.sorted.clear();
        self.sorted.resize(task.end - task.start, Item::NONE);
        for (item, &bucket) in self.items[task.start..task.end].iter().zip(&self.octants) {
            let place = &mut places[usize::from(bucket) % BUCKETS];
            self.sorted[*place - task.start] = *item;
            *place += 1;
        }
        self.items[task.start..task.end].copy_from_slice(&self.sorted);
    }
}

impl Index for Octree {
    fn rebuild(&mut self, proxies: &Proxies) {
        gather(proxies, &mut self.items);
        self.tree.clear();
        self.tasks.clear();
        if !self.items.is_empty() {
            let cube = Cube::around(&self.items);
            self.tasks.push(Task { start: 0, end: self.items.len(), depth: 0, cube });
        }
        while let Some(task) = self.tasks.pop() {
            self.grow(task);
        }
        self.tree.close();
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        self.tree.find_pairs(|_, _| true, pairs)
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.tree.candidates(bounds, |_, _| true, visit);
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        self.tree.ray_candidates(ray, visit);
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        self.tree.draw(sink);
    }

    fn memory(&self) -> usize {
        self.tree.memory()
            + (self.items.capacity() + self.sorted.capacity()) * size_of::<Item>()
            + self.octants.capacity()
            + self.tasks.capacity() * size_of::<Task>()
    }
}
