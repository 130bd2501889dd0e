//! A tree over boxes that hold whole ways, in f64: halves at the median of the longest side, eight boxes a leaf.

use super::ImpactError;
use glam::DVec3;

const LEAF: usize = 8;

/// A box around all that a feature passes through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SweptBox {
    min: DVec3,
    max: DVec3,
}

impl SweptBox {
    const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    pub(super) fn around(points: impl Iterator<Item = DVec3>) -> Self {
        points.fold(Self::EMPTY, |found, point| Self { min: found.min.min(point), max: found.max.max(point) })
    }

    /// By a room on all sides, rounded outward.
    pub(super) fn grown(&self, room: f64) -> Self {
        let grown = |corner: DVec3| {
            let room = room + f64::EPSILON * (corner.abs() + room);
            (corner - room, corner + room)
        };
        if room == 0.0 { *self } else { Self { min: grown(self.min).0, max: grown(self.max).1 } }
    }

    fn joined(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn meets(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// Boxes in the order of the tree. Nodes are implicit: each has a range of items, halved at its middle.
#[derive(Debug)]
pub(super) struct MovingTree {
    items: Vec<(SweptBox, u32)>,
    /// Bounds of the nodes, a node's children at twice its number and one more.
    nodes: Vec<SweptBox>,
}

impl MovingTree {
    pub(super) fn new(boxes: Vec<SweptBox>) -> Self {
        let mut items: Vec<(SweptBox, u32)> = boxes.into_iter().zip(0..).collect();
        let leaves = items.len().div_ceil(LEAF).next_power_of_two();
        let mut nodes = vec![SweptBox::EMPTY; 2 * leaves];
        build(&mut items, 1, &mut nodes);
        Self { items, nodes }
    }

    /// Calls `visit` with every box that meets `query`, until it fails.
    pub(super) fn visit(
        &self,
        query: &SweptBox,
        visit: &mut impl FnMut(usize) -> Result<(), ImpactError>,
    ) -> Result<(), ImpactError> {
        self.visit_below(1, 0, self.items.len(), query, visit)
    }

    fn visit_below(
        &self,
        node: usize,
        from: usize,
        to: usize,
        query: &SweptBox,
        visit: &mut impl FnMut(usize) -> Result<(), ImpactError>,
    ) -> Result<(), ImpactError> {
        if !self.nodes[node].meets(query) {
            return Ok(());
        }
        if 2 * node >= self.nodes.len() {
            for (bounds, item) in &self.items[from..to] {
                if bounds.meets(query) {
                    visit(*item as usize)?;
                }
            }
            return Ok(());
        }
        let middle = from + (to - from) / 2;
        self.visit_below(2 * node, from, middle, query, visit)?;
        self.visit_below(2 * node + 1, middle, to, query, visit)
    }
}

/// Orders the items below a node and fills in the bounds.
fn build(items: &mut [(SweptBox, u32)], node: usize, nodes: &mut [SweptBox]) {
    nodes[node] = items.iter().fold(SweptBox::EMPTY, |bounds, (item, _)| bounds.joined(item));
    if 2 * node >= nodes.len() {
        return;
    }
    // Twice the centre, in halves against overflow; ties by number, so that the order is always the same.
    let centre = |bounds: &SweptBox| 0.5 * bounds.min + 0.5 * bounds.max;
    let centres = SweptBox::around(items.iter().map(|(bounds, _)| centre(bounds)));
    let spread = 0.5 * centres.max - 0.5 * centres.min;
    let axis = if spread.x >= spread.y && spread.x >= spread.z {
        0
    } else if spread.y >= spread.z {
        1
    } else {
        2
    };
    let middle = items.len() / 2;
    if middle > 0 {
        items.select_nth_unstable_by(middle, |(p, i), (q, j)| {
            centre(p)[axis].total_cmp(&centre(q)[axis]).then(i.cmp(j))
        });
    }
    let (first, second) = items.split_at_mut(middle);
    build(first, 2 * node, nodes);
    build(second, 2 * node + 1, nodes);
}
