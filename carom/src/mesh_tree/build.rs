//! Building: triangles in fours along the Hilbert curve, and a tree over the fours top down, by surfaces.
//!
//! Triangles are sorted by where their middles lie on a Hilbert curve, much larger ones after the others so that they
//! do not spoil the boxes of small ones; every four of them stay together, which makes the rest four times cheaper.
//! The middles of the fours fall into 16 bins along the axis where they are spread widest, and a set is divided between
//! the bins where surface times number of both sides comes to the least. Up to 16 fours are sorted instead and divided
//! at the best even place, so that bottom nodes, of two fours, are full. A node divides its set until it has eight
//! parts, always the part of greatest surface. Below 12 levels parts are halved by number, the most numerous first, so
//! no input makes a tree deeper than 24. Cost: O(n) for the sort, O(n/4 log n) above it.
//! Sources: Wald 2007, doi 10.1109/RT.2007.4342588, for the bins; Wald, Benthin, Boulos 2008,
//! doi 10.1109/RT.2008.4634620, for opening the greatest surface first.

use super::PARALLEL;
use super::node::{Children, LANES, Node};
use crate::broad::hilbert;
use crate::radix;
use fearless_simd::{Level, Simd, SimdBase, dispatch, u32x8};
use glam::{Vec3, Vec3A};
use rayon::prelude::*;
use std::cmp::Ordering;

/// So many triangles stay together.
const GROUP: usize = 4;
/// So many groups fill a bottom node.
const FULL: usize = LANES / GROUP;
/// Parts of so many groups are sorted and divided exactly.
const SORTED: usize = 16;
const BINS: usize = 16;
/// How many keys a worker makes at the least; a multiple of [`LANES`].
const PORTION: usize = 1 << 12;
/// From this depth on parts are halved by number.
const MAX_UNBALANCED: u32 = 12;
/// 2^30 groups halved into eighths are 10 levels more; the bottom and the root are two.
pub(super) const MAX_DEPTH: usize = MAX_UNBALANCED as usize + 12;

/// The box around some triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    min: Vec3A,
    max: Vec3A,
}

impl Span {
    const NOTHING: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    #[inline(always)]
    pub(super) fn around([a, b, c]: [Vec3; 3]) -> Self {
        let [a, b, c] = [a, b, c].map(Vec3A::from);
        Self { min: a.min(b).min(c), max: a.max(b).max(c) }
    }

    #[inline(always)]
    fn with(self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The sum of the sides would overflow.
    #[inline(always)]
    fn center(&self) -> Vec3A {
        self.min * 0.5 + self.max * 0.5
    }

    /// Half of the surface, in units in which it does not overflow.
    #[inline(always)]
    fn surface(&self, unit: f32) -> f32 {
        let size = self.max * unit - self.min * unit;
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// What a build makes.
pub(super) struct Built {
    /// The root first.
    pub(super) nodes: Vec<Node>,
    /// The triangles in the order of the bottom nodes.
    pub(super) order: Vec<u32>,
    /// How many nodes a way from the root to a triangle has at the most.
    pub(super) levels: u32,
}

impl Built {
    /// Nothing yet, with room for the tree over so many groups.
    fn with_room_for(groups: usize) -> Self {
        let nodes = Vec::with_capacity(groups / 2 + groups / 12 + 1);
        Self { nodes, order: Vec::with_capacity(groups * GROUP), levels: 1 }
    }
}

/// The tree over the boxes of triangles. `unit` is a power of two that brings the coordinates to the order of one.
pub(super) fn build(level: Level, boxes: &[Span], unit: f32) -> Built {
    let source = Source { level, unit, sorted: &along_curve(level, boxes, unit), boxes };
    let around = |group: &[u32]| group.iter().fold(Span::NOTHING, |span, &id| span.with(&boxes[id as usize]));
    let groups = source.sorted.chunks(GROUP).zip(0u32..);
    let mut items: Vec<Item> = groups.map(|(group, id)| Item { around: around(group), id }).collect();
    let whole = Part::of(&items, 0, items.len());
    if boxes.len() < PARALLEL {
        let mut built = source.grow(&mut items, whole, 0);
        built.nodes.shrink_to_fit();
        return built;
    }
    let (parts, count) = divided(&mut items, whole, unit, false);
    let parts = &parts[..count];
    let root = node_around(level, parts.iter().map(|part| &part.around), 1, false);
    if rayon::current_num_threads() == 1 {
        // The same tree as below, without putting it together.
        let mut built = Built::with_room_for(whole.len());
        built.nodes.push(root);
        built.nodes.resize(1 + count, Node::EMPTY);
        for (place, &part) in (1..).zip(parts) {
            source.grow_at(&mut items, (part, place, 1), &mut built);
        }
        built.nodes.shrink_to_fit();
        return built;
    }
    let grown: Vec<Built> =
        runs(&mut items, parts).into_par_iter().map(|(items, part)| source.grow(items, part, 1)).collect();
    joined(root, &grown)
}

/// What a tree is built from.
struct Source<'a> {
    level: Level,
    unit: f32,
    /// The triangles along the curve.
    sorted: &'a [u32],
    boxes: &'a [Span],
}

impl Source<'_> {
    /// The tree over a part of the items.
    fn grow(&self, items: &mut [Item], whole: Part, depth: u32) -> Built {
        let mut built = Built::with_room_for(whole.len());
        built.nodes.push(Node::EMPTY);
        self.grow_at(items, (whole, 0, depth), &mut built);
        built
    }

    /// Grows a tree over a part of the items from a place among the nodes, at a depth.
    fn grow_at(&self, items: &mut [Item], seed: (Part, usize, u32), Built { nodes, order, levels }: &mut Built) {
        let Source { level, unit, sorted, boxes } = *self;
        let mut open = vec![seed];
        while let Some((part, place, depth)) = open.pop() {
            *levels = (*levels).max(depth + 1);
            if part.len() <= FULL {
                let first = order.len();
                for item in &items[part.start..part.end] {
                    let start = item.id as usize * GROUP;
                    order.extend_from_slice(&sorted[start..sorted.len().min(start + GROUP)]);
                }
                let spans = order[first..].iter().map(|&triangle| &boxes[triangle as usize]);
                nodes[place] = node_around(level, spans, first as u32, true);
                continue;
            }
            let first = nodes.len();
            let (parts, count) = divided(items, part, unit, depth >= MAX_UNBALANCED);
            let parts = &parts[..count];
            nodes[place] = node_around(level, parts.iter().map(|part| &part.around), first as u32, false);
            nodes.resize(first + count, Node::EMPTY);
            open.extend(parts.iter().enumerate().map(|(child, &part)| (part, first + child, depth + 1)));
        }
    }
}

/// The items of each part by themselves, and the part as one of these.
fn runs<'a>(items: &'a mut [Item], parts: &[Part]) -> Vec<(&'a mut [Item], Part)> {
    let mut by_place: Vec<usize> = (0..parts.len()).collect();
    by_place.sort_unstable_by_key(|&part| parts[part].start);
    let mut rest = items;
    let mut runs = Vec::with_capacity(parts.len());
    for index in by_place {
        let part = parts[index];
        let (run, after) = rest.split_at_mut(part.len());
        rest = after;
        runs.push((index, run, Part { start: 0, end: part.len(), ..part }));
    }
    runs.sort_unstable_by_key(|(index, ..)| *index);
    runs.into_iter().map(|(_, run, part)| (run, part)).collect()
}

/// One tree of a root and the trees below it: their roots come next, then the rest of each.
fn joined(root: Node, trees: &[Built]) -> Built {
    let nodes_in_all = trees.iter().map(|tree| tree.nodes.len()).sum::<usize>();
    let mut nodes = Vec::with_capacity(1 + nodes_in_all);
    let mut order = Vec::with_capacity(trees.iter().map(|tree| tree.order.len()).sum());
    nodes.push(root);
    let (mut node_start, mut slot_start) = (trees.len(), 0);
    let mut levels = 1;
    // A child at place i of its own tree, which is never its root, comes to `node_start + i`.
    let mut starts = Vec::with_capacity(trees.len());
    for tree in trees {
        starts.push((node_start as u32, slot_start as u32));
        node_start += tree.nodes.len() - 1;
        slot_start += tree.order.len();
        levels = levels.max(tree.levels);
    }
    let moved = |node: &Node, (nodes, slots): (u32, u32)| {
        let mut node = *node;
        node.first += if node.is_bottom { slots } else { nodes };
        node
    };
    nodes.extend(trees.iter().zip(&starts).map(|(tree, &start)| moved(&tree.nodes[0], start)));
    for (tree, &start) in trees.iter().zip(&starts) {
        nodes.extend(tree.nodes[1..].iter().map(|node| moved(node, start)));
        order.extend_from_slice(&tree.order);
    }
    Built { nodes, order, levels }
}

fn node_around<'a>(level: Level, spans: impl Iterator<Item = &'a Span>, first: u32, is_bottom: bool) -> Node {
    let (mut min, mut max) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    let mut count = 0;
    for span in spans.take(LANES) {
        for axis in 0..3 {
            min[axis][count] = span.min[axis];
            max[axis][count] = span.max[axis];
        }
        count += 1;
    }
    // Lanes that stay empty repeat the last, so that they change nothing.
    for lane in count..LANES {
        for axis in 0..3 {
            min[axis][lane] = min[axis][count.saturating_sub(1)];
            max[axis][lane] = max[axis][count.saturating_sub(1)];
        }
    }
    Node::around(level, [&min, &max], Children { first, count: count as u16, is_bottom })
}

/// The triangles by size class, and within a class along the Hilbert curve through their middles.
fn along_curve(level: Level, boxes: &[Span], unit: f32) -> Vec<u32> {
    // A few cells to a triangle of a surface.
    match boxes.len() {
        0..1_000 => along_curve_of::<6>(level, boxes, unit),
        1_000..200_000 => along_curve_of::<8>(level, boxes, unit),
        _ => along_curve_of::<10>(level, boxes, unit),
    }
}

/// The same through a cube of `2^BITS` cells a side.
fn along_curve_of<const BITS: u32>(level: Level, boxes: &[Span], unit: f32) -> Vec<u32> {
    let middles = boxes.iter().map(|span| span.center() * unit);
    let (least, greatest) = middles.fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(least, greatest), middle| {
        (least.min(middle), greatest.max(middle))
    });
    let scale = ((1u32 << BITS) as f32 - 0.5) / (greatest - least).max_element();
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let curve = Curve::<BITS> { unit, least, scale, usual: usual_extent(boxes, unit) };
    let mut keys = vec![0u64; boxes.len()];
    let write = |(portion, (keys, boxes)): (usize, (&mut [u64], &[Span]))| {
        dispatch!(level, simd => curve.write_keys(simd, (portion * PORTION) as u32, boxes, keys));
    };
    if boxes.len() >= PARALLEL {
        keys.par_chunks_mut(PORTION).zip(boxes.par_chunks(PORTION)).enumerate().for_each(write);
    } else {
        keys.chunks_mut(PORTION).zip(boxes.chunks(PORTION)).enumerate().for_each(write);
    }
    // Two bits more for the class.
    radix::sort(&mut keys, &mut Vec::new(), 3 * BITS + 2);
    keys.into_iter().map(|key| key as u32).collect()
}

/// A cube of `2^BITS` cells a side with the curve through them, and sizes that are usual.
struct Curve<const BITS: u32> {
    unit: f32,
    least: Vec3A,
    scale: f32,
    usual: f32,
}

impl<const BITS: u32> Curve<BITS> {
    /// The keys of boxes whose numbers begin with `first`: size class, rank and number from the upper bits down.
    #[inline(always)]
    fn write_keys<S: Simd>(&self, simd: S, first: u32, boxes: &[Span], keys: &mut [u64]) {
        let &Self { unit, least, scale, usual } = self;
        for (chunk, (boxes, keys)) in (0u32..).zip(boxes.chunks(LANES).zip(keys.chunks_mut(LANES))) {
            let mut cells = [[0u32; LANES]; 3];
            let mut classes = [0u64; LANES];
            for (lane, span) in boxes.iter().enumerate() {
                // The conversion saturates, and makes zero of NaN.
                let cell = ((span.center() * unit - least) * scale).to_array().map(|cell| cell as u32);
                (0..3).for_each(|axis| cells[axis][lane] = cell[axis]);
                // Steps of 16 from 4 times the usual.
                let extent = (span.max * unit - span.min * unit).max_element() / (4.0 * usual);
                classes[lane] = u64::from(extent > 1.0) + u64::from(extent > 16.0) + u64::from(extent > 256.0);
            }
            let [x, y, z] = &cells;
            let cells = [u32x8::from_slice(simd, x), u32x8::from_slice(simd, y), u32x8::from_slice(simd, z)];
            let mut ranks = [0; LANES];
            hilbert::rank::<BITS, _>(cells).store_slice(&mut ranks);
            for (lane, key) in keys.iter_mut().enumerate() {
                let number = first + chunk * LANES as u32 + lane as u32;
                *key = (classes[lane] << (3 * BITS) | u64::from(ranks[lane])) << 32 | u64::from(number);
            }
        }
    }
}

/// The median of the largest extents of a sample.
fn usual_extent(boxes: &[Span], unit: f32) -> f32 {
    let mut sample = [0.0f32; 64];
    let taken = boxes.iter().step_by((boxes.len() / sample.len()).max(1));
    let extents = taken.map(|span| (span.max * unit - span.min * unit).max_element());
    let count = sample.iter_mut().zip(extents).map(|(place, extent)| *place = extent).count();
    sample[..count].sort_unstable_by(f32::total_cmp);
    sample[count / 2]
}

/// A group of triangles: the box around them and its number.
#[derive(Debug, Clone, Copy)]
struct Item {
    around: Span,
    id: u32,
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
            around = around.with(&item.around);
            middles = with_middle(middles, item);
        }
        Self { start, end, around, middles }
    }

    fn len(&self) -> usize {
        self.end - self.start
    }
}

#[inline(always)]
fn with_middle(span: Span, item: &Item) -> Span {
    let middle = item.around.center();
    span.with(&Span { min: middle, max: middle })
}

/// Up to eight parts of a part.
fn divided(items: &mut [Item], whole: Part, unit: f32, is_halving: bool) -> ([Part; LANES], usize) {
    let mut parts = [whole; LANES];
    let mut count = 1;
    while count < LANES {
        let rank = |part: &Part| if is_halving { part.len() as f32 } else { part.around.surface(unit) };
        let largest = (0..count)
            .filter(|&index| parts[index].len() > FULL)
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
    let axis = Vec3::from(extent).max_position();
    if part.len() <= SORTED {
        return sorted_halves(items, part, axis, unit);
    }
    let parts = match Bins::new(part, axis, extent[axis], unit) {
        Some(bins) if !is_halving => bins.divide(items, part),
        Some(_) | None => None,
    };
    parts.unwrap_or_else(|| {
        let middle = part.len() / 2;
        items[part.start..part.end].select_nth_unstable_by(middle, |a, b| order_along(axis, a, b));
        let middle = part.start + middle;
        [Part::of(items, part.start, middle), Part::of(items, middle, part.end)]
    })
}

fn order_along(axis: usize, a: &Item, b: &Item) -> Ordering {
    let along = |item: &Item| item.around.center()[axis];
    along(a).total_cmp(&along(b)).then(a.id.cmp(&b.id))
}

/// Few items are sorted, and divided where bottom nodes come out full.
fn sorted_halves(items: &mut [Item], part: &Part, axis: usize, unit: f32) -> [Part; 2] {
    let own = &mut items[part.start..part.end];
    own.sort_unstable_by(|a, b| order_along(axis, a, b));
    let mut after = [Span::NOTHING; SORTED / FULL + 1];
    for (index, chunk) in own.chunks(FULL).enumerate().rev() {
        after[index] = chunk.iter().fold(after[index + 1], |span, item| span.with(&item.around));
    }
    let mut before = Span::NOTHING;
    let mut best = (f32::INFINITY, FULL);
    for (index, chunk) in own.chunks(FULL).enumerate() {
        if index > 0 {
            let count = index * FULL;
            let cost = before.surface(unit) * count as f32 + after[index].surface(unit) * (own.len() - count) as f32;
            if cost < best.0 {
                best = (cost, count);
            }
        }
        before = chunk.iter().fold(before, |span, item| span.with(&item.around));
    }
    let middle = part.start + best.1;
    [Part::of(items, part.start, middle), Part::of(items, middle, part.end)]
}

/// How middles are told apart along an axis.
struct Bins {
    axis: usize,
    least: f32,
    unit: f32,
    scale: f32,
}

/// What is in a bin: the box around the items, the box around their middles, and their number.
type Bin = (Span, Span, usize);

impl Bins {
    /// None if the middles are not spread.
    fn new(part: &Part, axis: usize, extent: f32, unit: f32) -> Option<Self> {
        let scale = (BINS as f32 - 1.0) / extent;
        let least = part.middles.min[axis] * unit;
        scale.is_finite().then_some(Self { axis, least, unit, scale })
    }

    /// Rounded by a number whose last digit is one: several times faster than a conversion, which saturates.
    #[inline(always)]
    fn of(&self, item: &Item) -> usize {
        const ROUNDER: f32 = (1u32 << 23) as f32;
        let place = (item.around.center()[self.axis] * self.unit - self.least) * self.scale;
        (place + ROUNDER).to_bits() as usize % BINS
    }

    /// Two parts between the bins where it costs least; none if one bin holds all.
    fn divide(&self, items: &mut [Item], part: &Part) -> Option<[Part; 2]> {
        let items = &mut items[part.start..part.end];
        let mut bins: [Bin; BINS] = [(Span::NOTHING, Span::NOTHING, 0); BINS];
        for item in items.iter() {
            let (around, middles, count) = &mut bins[self.of(item)];
            *around = around.with(&item.around);
            *middles = with_middle(*middles, item);
            *count += 1;
        }
        let first_above = cheapest_gap(&bins, self.unit)?;
        let mut left = 0;
        for index in 0..items.len() {
            if self.of(&items[index]) < first_above {
                items.swap(index, left);
                left += 1;
            }
        }
        let joined = |bins: &[Bin], start: usize, end: usize| {
            let nothing = (Span::NOTHING, Span::NOTHING);
            let join = |(around, middles): (Span, Span), bin: &Bin| (around.with(&bin.0), middles.with(&bin.1));
            let (around, middles) = bins.iter().fold(nothing, join);
            Part { start: part.start + start, end: part.start + end, around, middles }
        };
        Some([joined(&bins[..first_above], 0, left), joined(&bins[first_above..], left, items.len())])
    }
}

/// The first bin of the upper part, both parts having items.
fn cheapest_gap(bins: &[Bin; BINS], unit: f32) -> Option<usize> {
    let mut costs = [f32::INFINITY; BINS];
    let (mut above, mut count_above) = (Span::NOTHING, 0);
    for bin in (1..BINS).rev() {
        above = above.with(&bins[bin].0);
        count_above += bins[bin].2;
        if count_above > 0 {
            costs[bin] = above.surface(unit) * count_above as f32;
        }
    }
    let (mut below, mut count_below) = (Span::NOTHING, 0);
    let mut best = (f32::INFINITY, None);
    for bin in 1..BINS {
        below = below.with(&bins[bin - 1].0);
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
