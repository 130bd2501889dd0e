//! Building: top down, by surfaces.
//!
//! The middles of the boxes fall into 16 bins along the axis where they are spread widest; a set is divided between
//! the bins where surface times number of both sides comes to the least. A node divides its set so until it has eight
//! parts, always the part of greatest surface that has more than eight triangles, and each part becomes a child.
//! Below 12 levels parts are halved by number, the most numerous first, so no input makes a tree deeper than 24.
//! Cost: O(n log n); three passes over the boxes for each doubling of the number of nodes.
//! Sources: Wald 2007, doi 10.1109/RT.2007.4342588, for the bins; Wald, Benthin, Boulos 2008,
//! doi 10.1109/RT.2008.4634620, for opening the greatest surface first.

use super::node::{LANES, Node};
use crate::bounds::Aabb;
use glam::Vec3A;

const BINS: usize = 16;
/// From this depth on parts are halved by number.
const MAX_UNBALANCED: u32 = 12;
/// 2^32 triangles halved into eighths are 11 levels more, and the bottom is one.
pub(super) const MAX_DEPTH: usize = MAX_UNBALANCED as usize + 12;

/// A triangle and its box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    min: Vec3A,
    max: Vec3A,
    id: u32,
}

impl Item {
    pub(super) fn new(bounds: &Aabb, id: u32) -> Self {
        Self { min: bounds.min.into(), max: bounds.max.into(), id }
    }

    /// Twice the middle would overflow; comparisons need no more than this.
    #[inline(always)]
    fn center(&self) -> Vec3A {
        self.min * 0.5 + self.max * 0.5
    }
}

/// The box around some items.
#[derive(Debug, Clone, Copy)]
struct Span {
    min: Vec3A,
    max: Vec3A,
}

impl Span {
    const NOTHING: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    #[inline(always)]
    fn with(self, min: Vec3A, max: Vec3A) -> Self {
        Self { min: self.min.min(min), max: self.max.max(max) }
    }

    /// Half of the surface, in units in which it does not overflow.
    #[inline(always)]
    fn surface(&self, unit: f32) -> f32 {
        let size = self.max * unit - self.min * unit;
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(self.min.into(), self.max.into())
    }
}

/// A run of items, the box around them and the box around their middles.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    around: Span,
    middles: Span,
}

impl Part {
    fn of(items: &[Item], start: usize, end: usize) -> Self {
        let (mut around, mut middles) = (Span::NOTHING, Span::NOTHING);
        for item in &items[start..end] {
            around = around.with(item.min, item.max);
            middles = middles.with(item.center(), item.center());
        }
        Self { start, end, around, middles }
    }

    fn len(&self) -> usize {
        self.end - self.start
    }
}

/// The nodes over the items, the root first, and the items' order in them.
pub(super) fn build(mut items: Vec<Item>, unit: f32) -> (Vec<Node>, Vec<u32>) {
    let mut nodes = Vec::with_capacity(items.len() / 4 + 1);
    nodes.push(Node::EMPTY);
    let root = Part::of(&items, 0, items.len());
    let mut open = vec![(root, 0usize, 0u32)];
    while let Some((part, place, depth)) = open.pop() {
        if part.len() <= LANES {
            let boxes = items[part.start..part.end].iter().map(|item| Span::NOTHING.with(item.min, item.max).bounds());
            nodes[place] = around(boxes, part.start as u32, true);
            continue;
        }
        let first = nodes.len();
        let (parts, count) = divided(&mut items, part, unit, depth >= MAX_UNBALANCED);
        let parts = &parts[..count];
        nodes[place] = around(parts.iter().map(|part| part.around.bounds()), first as u32, false);
        nodes.resize(first + count, Node::EMPTY);
        open.extend(parts.iter().enumerate().map(|(child, &part)| (part, first + child, depth + 1)));
    }
    nodes.shrink_to_fit();
    (nodes, items.iter().map(|item| item.id).collect())
}

fn around(boxes: impl Iterator<Item = Aabb>, first: u32, is_bottom: bool) -> Node {
    let mut all = [Aabb::new(glam::Vec3::ZERO, glam::Vec3::ZERO); LANES];
    let count = all.iter_mut().zip(boxes).map(|(place, bounds)| *place = bounds).count();
    Node::around(&all[..count], first, is_bottom)
}

/// Up to eight parts of a part.
fn divided(items: &mut [Item], whole: Part, unit: f32, is_halving: bool) -> ([Part; LANES], usize) {
    let mut parts = [whole; LANES];
    let mut count = 1;
    while count < LANES {
        let rank = |part: &Part| if is_halving { part.len() as f32 } else { part.around.surface(unit) };
        let largest = (0..count)
            .filter(|&index| parts[index].len() > LANES)
            .max_by(|&a, &b| rank(&parts[a]).total_cmp(&rank(&parts[b])));
        let Some(largest) = largest else { break };
        let [lower, upper] = halves(items, &parts[largest], unit, is_halving);
        parts[largest] = lower;
        parts[count] = upper;
        count += 1;
    }
    (parts, count)
}

fn halves(items: &mut [Item], part: &Part, unit: f32, is_halving: bool) -> [Part; 2] {
    let extent = part.middles.max * unit - part.middles.min * unit;
    let axis = glam::Vec3::from(extent).max_position();
    let middle = match Bins::new(part, axis, extent[axis], unit) {
        Some(bins) if !is_halving => bins.divide(items, part, unit),
        Some(_) | None => None,
    };
    middle.unwrap_or_else(|| {
        let middle = part.len() / 2;
        items[part.start..part.end]
            .select_nth_unstable_by(middle, |a, b| a.center()[axis].total_cmp(&b.center()[axis]).then(a.id.cmp(&b.id)));
        let middle = part.start + middle;
        [Part::of(items, part.start, middle), Part::of(items, middle, part.end)]
    })
}

/// How middles are told apart along an axis.
struct Bins {
    axis: usize,
    least: f32,
    unit: f32,
    scale: f32,
}

impl Bins {
    /// None if the middles are not spread.
    fn new(part: &Part, axis: usize, extent: f32, unit: f32) -> Option<Self> {
        let scale = (BINS as f32 - 0.01) / extent;
        let least = part.middles.min[axis] * unit;
        scale.is_finite().then_some(Self { axis, least, unit, scale })
    }

    /// The conversion saturates.
    #[inline(always)]
    fn of(&self, item: &Item) -> usize {
        (((item.center()[self.axis] * self.unit - self.least) * self.scale) as usize).min(BINS - 1)
    }

    /// Two parts between the bins where it costs least; none if one bin holds all.
    fn divide(&self, items: &mut [Item], part: &Part, unit: f32) -> Option<[Part; 2]> {
        let items = &mut items[part.start..part.end];
        let mut bins = [(Span::NOTHING, Span::NOTHING, 0usize); BINS];
        for item in items.iter() {
            let (around, middles, count) = &mut bins[self.of(item)];
            *around = around.with(item.min, item.max);
            *middles = middles.with(item.center(), item.center());
            *count += 1;
        }
        let first_above = cheapest_gap(&bins, unit)?;
        let mut left = 0;
        for index in 0..items.len() {
            if self.of(&items[index]) < first_above {
                items.swap(index, left);
                left += 1;
            }
        }
        let joined = |bins: &[(Span, Span, usize)], start: usize, end: usize| {
            let nothing = (Span::NOTHING, Span::NOTHING);
            let (around, middles) = bins.iter().fold(nothing, |(around, middles), bin| {
                (around.with(bin.0.min, bin.0.max), middles.with(bin.1.min, bin.1.max))
            });
            Part { start: part.start + start, end: part.start + end, around, middles }
        };
        Some([joined(&bins[..first_above], 0, left), joined(&bins[first_above..], left, items.len())])
    }
}

/// The first bin of the upper part, both parts having items.
fn cheapest_gap(bins: &[(Span, Span, usize); BINS], unit: f32) -> Option<usize> {
    let mut costs = [f32::INFINITY; BINS];
    let (mut above, mut count_above) = (Span::NOTHING, 0);
    for bin in (1..BINS).rev() {
        above = above.with(bins[bin].0.min, bins[bin].0.max);
        count_above += bins[bin].2;
        if count_above > 0 {
            costs[bin] = above.surface(unit) * count_above as f32;
        }
    }
    let (mut below, mut count_below) = (Span::NOTHING, 0);
    let mut best = (f32::INFINITY, None);
    for bin in 1..BINS {
        below = below.with(bins[bin - 1].0.min, bins[bin - 1].0.max);
        count_below += bins[bin - 1].2;
        if count_below > 0 {
            let cost = below.surface(unit) * count_below as f32 + costs[bin];
            if cost < best.0 {
                best = (cost, Some(bin));
            }
        }
    }
    best.1
}
