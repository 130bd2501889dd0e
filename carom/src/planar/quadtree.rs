//! B7 in the plane: a loose quadtree over boxes, for all overlapping pairs and for those that overlap one box.
//!
//! A square is divided into four of half its side. A box goes to the quarter of its middle if it is no longer than the
//! quarter's side, so it reaches at most half a side beyond it; longer boxes stay in a leaf of their own at the node.
//! Where all boxes would go to one quarter, the square first shrinks to the boxes' middles: a few boxes far away cost
//! one level and not a hundred. What a walk leaves out is decided by the boxes around what nodes hold, not by the
//! squares, so no rounding loses a pair.
//! Stops at eight boxes, at boxes too long for the quarters and where middles coincide: every division parts the boxes,
//! so there are fewer levels than boxes. Cost: O(n · levels) to build; n walks of O(depth + nodes reached) for all pairs.
//! Loses with long thin boxes that cross each other: a thousand of one length in a square of that side make one leaf.
//! Source: Ulrich 2000, Loose Octrees, in Game Programming Gems; there with fixed squares and without the shrinking.
//! The same in space, with eight boxes compared at once, is [`crate::broad::Octree`].

use super::{PlanarError, finite};
use crate::broad::preorder::{self, Merged, Node};
use glam::DVec2;

/// A box along the axes of the plane: finite, and not inside out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarBox {
    min: DVec2,
    max: DVec2,
}

impl PlanarBox {
    /// The box between two corners, which may be the same point.
    pub fn new(min: DVec2, max: DVec2) -> Result<Self, PlanarError> {
        finite(&[min, max])?;
        if min.cmple(max).all() { Ok(Self { min, max }) } else { Err(PlanarError::InsideOut { min, max }) }
    }

    /// The least corner.
    pub fn min(&self) -> DVec2 {
        self.min
    }

    /// The greatest corner.
    pub fn max(&self) -> DVec2 {
        self.max
    }

    /// Whether the two have a point in common; boxes that touch do.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// No finite box overflows it.
    fn middle(&self) -> DVec2 {
        self.min * 0.5 + self.max * 0.5
    }
}

impl Merged for PlanarBox {
    fn merged_with(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Boxes in the plane, found by where they are.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{PlanarBox, Quadtree};
///
/// let square = |x: f64| PlanarBox::new(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0));
/// let tree = Quadtree::over(&[square(0.0)?, square(0.5)?, square(7.0)?])?;
/// let mut pairs = Vec::new();
/// tree.visit_pairs(|a, b| pairs.push((a, b)));
/// assert_eq!(pairs, [(0, 1)]);
/// tree.visit_overlapping(&square(6.5)?, |id| assert_eq!(id, 2));
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Quadtree {
    nodes: Vec<Node<PlanarBox>>,
    /// In the order of the leaves.
    items: Vec<Item>,
    depths: Vec<u32>,
    sorted: Vec<Item>,
    tasks: Vec<Task>,
}

/// Boxes up to this many make a leaf.
const LEAF: usize = 8;

/// The quarters, and before them the boxes that stay.
const BUCKETS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Item {
    bounds: PlanarBox,
    id: u32,
}

/// Items that are to be divided.
#[derive(Debug, Clone, Copy)]
struct Task {
    start: usize,
    end: usize,
    depth: u32,
    square: Square,
}

#[derive(Debug, Clone, Copy)]
struct Square {
    middle: DVec2,
    /// Half of the side, which is the side of a quarter.
    half: f64,
}

impl Square {
    /// The square around the items' middles.
    fn around(items: &[Item]) -> Self {
        let (mut least, mut greatest) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for item in items {
            least = least.min(item.bounds.middle());
            greatest = greatest.max(item.bounds.middle());
        }
        Self { middle: least * 0.5 + greatest * 0.5, half: (greatest * 0.5 - least * 0.5).max_element() }
    }

    fn bucket(&self, item: &Item) -> usize {
        // A size that overflows is greater than any half.
        if (item.bounds.max - item.bounds.min).max_element() > self.half {
            return 0;
        }
        1 + item.bounds.middle().cmpge(self.middle).bitmask() as usize
    }

    fn quarter(&self, bucket: usize) -> Self {
        let sign = |bit: usize| if (bucket - 1) >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let half = 0.5 * self.half;
        Self { middle: self.middle + half * DVec2::new(sign(0), sign(1)), half }
    }

    /// How many items go to each bucket; none if one bucket would get all.
    fn division(&self, items: &[Item]) -> Option<[usize; BUCKETS]> {
        let mut counts = [0; BUCKETS];
        items.iter().for_each(|item| counts[self.bucket(item)] += 1);
        counts.iter().all(|&count| count < items.len()).then_some(counts)
    }
}

impl Quadtree {
    /// A tree over these boxes; a box's id is its place in the list.
    pub fn over(boxes: &[PlanarBox]) -> Result<Self, PlanarError> {
        let mut tree = Self::default();
        tree.rebuild(boxes)?;
        Ok(tree)
    }

    /// Forgets all boxes but not its memory and takes in these, for scenes that move.
    pub fn rebuild(&mut self, boxes: &[PlanarBox]) -> Result<(), PlanarError> {
        if boxes.len() > MOST_BOXES {
            return Err(PlanarError::TooMany { count: boxes.len() });
        }
        self.nodes.clear();
        self.depths.clear();
        self.items.clear();
        self.items.extend((0u32..).zip(boxes).map(|(id, &bounds)| Item { bounds, id }));
        if !boxes.is_empty() {
            let square = Square::around(&self.items);
            self.tasks.push(Task { start: 0, end: boxes.len(), depth: 0, square });
        }
        while let Some(task) = self.tasks.pop() {
            self.grow(task);
        }
        preorder::close(&mut self.nodes, &self.depths);
        Ok(())
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Calls `visit` with each two boxes that overlap, once, the smaller id first.
    pub fn visit_pairs(&self, mut visit: impl FnMut(u32, u32)) {
        for leaf in self.nodes.iter().filter(|node| node.is_leaf()) {
            for (index, item) in leaf.items().zip(&self.items[leaf.items()]) {
                let mut meet = |others: &[Item]| {
                    for other in others.iter().filter(|other| other.bounds.overlaps(&item.bounds)) {
                        visit(item.id.min(other.id), item.id.max(other.id));
                    }
                };
                meet(&self.items[index + 1..leaf.items().end]);
                // Leaves before this one have met it already.
                let reaches = |bounds: &PlanarBox, _| bounds.overlaps(&item.bounds);
                preorder::walk(&self.nodes, leaf.end as usize, reaches, |node| meet(&self.items[node.items()]));
            }
        }
    }

    /// Calls `visit` with each box that overlaps this one, once.
    pub fn visit_overlapping(&self, bounds: &PlanarBox, mut visit: impl FnMut(u32)) {
        preorder::walk(
            &self.nodes,
            0,
            |around, _| around.overlaps(bounds),
            |leaf| {
                let overlapping = self.items[leaf.items()].iter().filter(|item| item.bounds.overlaps(bounds));
                overlapping.for_each(|item| visit(item.id));
            },
        );
    }

    /// Calls `visit` with the box around each node and its depth, from the root on, to draw the tree.
    pub fn visit_nodes(&self, mut visit: impl FnMut(&PlanarBox, u32)) {
        preorder::with_depths(&self.nodes, |node, _, depth| visit(&node.volume, depth));
    }

    fn grow(&mut self, mut task: Task) {
        let items = &self.items[task.start..task.end];
        let mut division = None;
        if items.len() > LEAF {
            division = task.square.division(items);
            let around = Square::around(items);
            // A square that does not shrink would be tried in vain.
            if division.is_none() && around.half < task.square.half {
                task.square = around;
                division = around.division(items);
            }
        }
        let Some(counts) = division else { return self.push_leaf(task.start..task.end, task.depth) };
        self.push_node(items_box(items), 0..0, task.depth);
        let mut starts = [task.start; BUCKETS];
        for bucket in 1..BUCKETS {
            starts[bucket] = starts[bucket - 1] + counts[bucket - 1];
        }
        self.sort(&task, starts);
        let depth = task.depth + 1;
        // Taken from the end: the first quarter comes next.
        for bucket in (1..BUCKETS).rev().filter(|&bucket| counts[bucket] > 0) {
            let (start, square) = (starts[bucket], task.square.quarter(bucket));
            self.tasks.push(Task { start, end: start + counts[bucket], depth, square });
        }
        if counts[0] > 0 {
            self.push_leaf(task.start..starts[1], depth);
        }
    }

    /// Puts the items of a task in the order of their buckets.
    fn sort(&mut self, task: &Task, mut places: [usize; BUCKETS]) {
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.items[task.start..task.end]);
        for item in &self.sorted {
            let place = &mut places[task.square.bucket(item)];
            self.items[*place] = *item;
            *place += 1;
        }
    }

    fn push_leaf(&mut self, range: std::ops::Range<usize>, depth: u32) {
        self.push_node(items_box(&self.items[range.clone()]), range, depth);
    }

    fn push_node(&mut self, volume: PlanarBox, range: std::ops::Range<usize>, depth: u32) {
        self.nodes.push(Node { volume, end: 0, first: range.start as u32, count: range.len() as u32 });
        self.depths.push(depth);
    }
}

/// Places in lists are u32, and there may be twice as many nodes as boxes.
const MOST_BOXES: usize = 1 << 31;

/// The box around some items, of which there is at least one.
fn items_box(items: &[Item]) -> PlanarBox {
    items.iter().fold(items[0].bounds, |whole, item| whole.merged_with(&item.bounds))
}
