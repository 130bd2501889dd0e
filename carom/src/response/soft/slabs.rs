//! Space in slabs across the axis along which bodies are spread most, with about as many of them in each.
//!
//! The axis, and a scale along it, come from where all but a few of some bodies are, evenly picked. Bodies are counted by
//! places on the scale, strays at its ends, and slabs are made of neighbouring places. Nothing but the positions and the order
//! of the bodies means anything, so slabs are the same on any number of threads.
//! Cost: some ns a body, most of it by all workers.

use crate::body::Bodies;
use crate::threads::{self, Counters, Shared, Task};
use glam::{DVec3, Vec3};

/// How many slabs there are: enough for each worker to have one.
pub(super) const SLABS: usize = threads::MOST_WORKERS;
/// So many places are told apart.
const PLACES: usize = 256;
/// So many bodies are looked at for the scale, of which one in so many on either side may be a stray.
const SAMPLE: usize = 64;
const STRAYS: usize = 16;
/// How many rows are in a block.
const BLOCK: usize = 256;

/// Of each row its slab; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Slabs {
    of_row: Vec<u8>,
    counters: Counters,
}

impl Slabs {
    /// Of each row its slab, the first for those that do not move.
    pub(super) fn of_rows(&self) -> &[u8] {
        &self.of_row
    }

    /// Finds the slabs of rows by their bodies.
    pub(super) fn find(&mut self, body_of: &[u32], first_movable: u32, bodies: &Bodies, workers: usize) {
        let Self { of_row, counters } = self;
        of_row.clear();
        of_row.resize(body_of.len(), 0);
        let movable = &body_of[first_movable as usize..];
        let Some(scale) = Scale::over(movable, bodies) else { return };
        let rows = &mut of_row[first_movable as usize..];
        let shared = Shared::new(rows);
        let size = threads::block_size(BLOCK);
        threads::run(workers, &[movable.len().div_ceil(size) as u32], counters, |Task { block, .. }| {
            let start = block as usize * size;
            for (row, dense) in movable.iter().enumerate().skip(start).take(size) {
                // SAFETY: each row is in one block, and each block has one worker.
                #[allow(unsafe_code)]
                let place = unsafe { shared.get_mut(row) };
                *place = scale.place_of(center(*dense, bodies));
            }
        });
        let mut counts = [0u32; PLACES];
        rows.iter().for_each(|place| counts[usize::from(*place)] += 1);
        let mut slabs = [0u8; PLACES];
        let mut before = 0;
        for (slab, count) in slabs.iter_mut().zip(counts) {
            // That of the middle one among those that are here.
            *slab = ((before + count as usize / 2) * SLABS / movable.len()).min(SLABS - 1) as u8;
            before += count as usize;
        }
        rows.iter_mut().for_each(|place| *place = slabs[usize::from(*place)]);
    }
}

fn center(dense: u32, bodies: &Bodies) -> DVec3 {
    bodies.motions()[dense as usize].center
}

/// Places along an axis.
#[derive(Debug, Clone, Copy)]
struct Scale {
    axis: usize,
    least: f64,
    places_a_metre: f32,
}

impl Scale {
    /// For these bodies; none if there are none.
    fn over(movable: &[u32], bodies: &Bodies) -> Option<Self> {
        let origin = center(*movable.first()?, bodies);
        let count = movable.len().min(SAMPLE);
        let stride = movable.len() / count;
        let mut places = [[0.0; SAMPLE]; 3];
        for index in 0..count {
            let place = (center(movable[index * stride], bodies) - origin).as_vec3();
            (0..3).for_each(|axis| places[axis][index] = place[axis]);
        }
        places.iter_mut().for_each(|along| along[..count].sort_unstable_by(f32::total_cmp));
        let corner = |index: usize| Vec3::from_array(places.map(|along| along[index]));
        let (low, high) = (corner(count / STRAYS), corner(count - 1 - count / STRAYS));
        let extents = high - low;
        let axis = extents.max_position();
        // An eighth more on either side; if all are in one place, so be it.
        let least = origin[axis] + f64::from(low[axis] - 0.125 * extents[axis]);
        Some(Self { axis, least, places_a_metre: PLACES as f32 / (1.25 * extents[axis]).max(f32::MIN_POSITIVE) })
    }

    #[inline]
    fn place_of(self, center: DVec3) -> u8 {
        // Held to the ends of the scale, and NaN to its start.
        ((center[self.axis] - self.least) as f32 * self.places_a_metre) as u8
    }
}
