//! Points in the order of the cells of a grid, row by row, without storing the grid.
//!
//! The cell is as wide as the radius, so two points within it are in the same or in adjacent cells. Cells are numbered
//! `(z · rows + y) · columns + x` with an empty cell after each row and an empty row after each layer: the three cells
//! x−1, x, x+1 of a row are then adjacent numbers, and a step off the grid lands on an empty cell. Only cells with
//! points are kept, so memory is linear in the points however far they spread.
//!
//! Along an axis with more than 2²⁰ cells, or of radius 0, slabs take the place of cells: in sorted order a slab begins
//! at the first point more than a radius above the beginning of the last, and a slab is left empty where the gap
//! between neighbours is wider than the radius. A point p of a slab that begins at s has s ≤ p ≤ s + r; what is within
//! r of it lies below s + 2r, hence in this slab or the next, which begins above s + r. There are no more than two
//! slabs for a point, whatever the spread; above 2²¹ of them neighbours are put together, which keeps adjacency.
//! Cost: one radix sort, and one more for each axis of slabs.

use crate::radix::{self, Keyed};
use glam::Vec3;

/// How many cells an axis may have before slabs are cheaper, and how many slabs.
const MAX_CELLS: f64 = (1 << 20) as f64;
const MAX_SLABS: u64 = 1 << 21;

/// Room for the rounding of distances in f32 and of cell numbers in f64.
const SLACK: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// The number of a cell, and which point is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct InCell {
    pub(super) key: u64,
    pub(super) index: u32,
}

impl Keyed for InCell {
    #[inline(always)]
    fn key(&self) -> u64 {
        self.key
    }
}

/// Points sorted by cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// The points in order; those of equal cells in the order of their indices.
    pub(super) order: Vec<InCell>,
    /// The numbers of the cells that have points, ascending.
    pub(super) keys: Vec<u64>,
    /// The first point of each cell in `order`, and the end.
    pub(super) starts: Vec<u32>,
    /// How far apart the numbers of cells are that follow each other along x, y and z.
    pub(super) strides: [u64; 3],
    along_axis: Vec<InCell>,
    spare: Vec<InCell>,
}

impl Cells {
    /// Sorts the points, which are finite, into cells no narrower than `radius`.
    pub(super) fn sort(&mut self, points: &[Vec3], radius: f32) {
        let reach = f64::from(radius) * SLACK;
        self.order.clear();
        self.order.extend((0..points.len() as u32).map(|index| InCell { key: 0, index }));
        self.strides = [1; 3];
        let mut greatest = 0;
        for axis in [2, 1, 0] {
            let count = self.number_along(points, axis, reach);
            // One more, which stays empty.
            let with_gap = count + 1;
            for stride in &mut self.strides[axis + 1..] {
                *stride *= with_gap;
            }
            greatest = greatest * with_gap + count;
        }
        radix::sort(&mut self.order, &mut self.spare, u64::BITS - greatest.leading_zeros());
        self.list_cells();
    }

    /// Appends to each key the number of the point's cell along an axis; returns how many cells there are.
    fn number_along(&mut self, points: &[Vec3], axis: usize, reach: f64) -> u64 {
        let values = || points.iter().map(|point| f64::from(point[axis]));
        let (least, greatest) = values().fold((f64::MAX, f64::MIN), |(a, b), value| (a.min(value), b.max(value)));
        let width = ((greatest - least) / reach).floor() + 1.0;
        if width <= MAX_CELLS {
            let count = width as u64;
            for (item, value) in self.order.iter_mut().zip(values()) {
                let cell = (((value - least) / reach) as u64).min(count - 1);
                item.key = item.key * (count + 1) + cell;
            }
            return count;
        }
        self.along_axis.clear();
        self.along_axis.extend(
            points.iter().zip(0..).map(|(point, index)| InCell { key: u64::from(ordered_bits(point[axis])), index }),
        );
        radix::sort(&mut self.along_axis, &mut self.spare, u32::BITS);
        let (mut slab, mut begin, mut last) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for item in &mut self.along_axis {
            let value = f64::from(points[item.index as usize][axis]);
            if value - begin > reach {
                slab += if value - last > reach { 2 } else { 1 };
                begin = value;
            }
            last = value;
            item.key = slab;
        }
        let mut together = 0;
        while slab >> together >= MAX_SLABS {
            together += 1;
        }
        let count = (slab >> together) + 1;
        for item in &self.along_axis {
            let key = &mut self.order[item.index as usize].key;
            *key = *key * (count + 1) + (item.key >> together);
        }
        count
    }

    fn list_cells(&mut self) {
        self.keys.clear();
        self.starts.clear();
        for (item, place) in self.order.iter().zip(0..) {
            if self.keys.last() != Some(&item.key) {
                self.keys.push(item.key);
                self.starts.push(place);
            }
        }
        self.starts.push(self.order.len() as u32);
    }
}

/// Bits that are ordered as the numbers are; −0 and 0 may have different ones.
fn ordered_bits(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}
