//! B4: a uniform grid.
//!
//! Cells are a little longer than the longest edge of any box. A box is kept once, in the cell of its least corner, so
//! boxes that overlap are in the same cell or in neighbours; of the 26 around, half are looked at, as five runs of a
//! sorted list, and each pair is met once. Boxes much longer than all others, one in 128 at the most, are set apart
//! and compared with what they cover, or a floor would make one cell of the world; so are the few that are far from all
//! others. Cells are not made smaller than half of the boxes' distance, for empty ones would outnumber the boxes.
//! Cost: linear while sizes are within about 4 : 1, and then the least of all structures above some thousand boxes;
//! where sizes differ much more, small boxes crowd in large cells: the hierarchical grid or a tree wins.
//! Source: Ericson 2005, Real-Time Collision Detection, 7.1, with a sort in place of lists and of an array of cells.

use super::apart::Apart;
use super::sorted_cells::{SortedCells, Tiling};
use super::spread::{Lengths, Spread, longest_edge};
use super::{BoxRay, Drawn, Index, Pair, Proxies, Rebuilt};
use crate::bounds::{Aabb, BoundingVolume};

/// One box in this many may be set apart.
const OVERSIZE_SHARE: usize = 128;

/// A uniform grid, sorted anew for every look at the pairs.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{BroadPhase, Pair, UniformGrid};
/// use carom::prelude::Vec3;
///
/// let mut broad = UniformGrid::default();
/// for id in 0..3 {
///     let corner = Vec3::X * id as f32;
///     broad.insert(id, Aabb::new(corner, corner + Vec3::ONE))?;
/// }
/// assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }]);
/// # Ok::<(), carom::broad::BroadPhaseError>(())
/// ```
pub type UniformGrid = Rebuilt<Cells>;

/// Boxes sorted by the cells of a uniform grid, and those too large for it.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    cells: SortedCells,
    apart: Apart,
    lengths: Lengths,
    fitting: Vec<u32>,
}

impl Index for Cells {
    fn rebuild(&mut self, proxies: &Proxies) {
        let spread = Spread::of(proxies);
        self.lengths.count(proxies);
        let longest = self.lengths.greatest_but(proxies.len() / OVERSIZE_SHARE);
        let window = spread.window(proxies);
        self.fitting.clear();
        self.apart.ids.clear();
        for (id, bounds) in proxies.iter() {
            let fits = longest_edge(bounds) <= longest && window.contains(bounds.min);
            let list = if fits { &mut self.fitting } else { &mut self.apart.ids };
            list.push(id);
        }
        let tiling = Tiling::new(f64::from(longest).max(0.5 * spread.spacing), spread.middle);
        self.cells.rebuild(proxies.raw(), &self.fitting, tiling);
        self.apart.gather(proxies.raw());
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        self.cells.join(pairs) + self.apart.join_cells(&self.cells, pairs) + self.apart.join(pairs)
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.apart.visit_overlapping(bounds, &mut *visit);
        self.cells.visit_overlapping(bounds, visit);
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        for &id in &self.apart.ids {
            visit(id);
        }
        self.cells.visit_ray(ray, visit);
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        self.cells.visit_cells(|bounds, count| sink(Drawn::Cell { bounds, level: 0, count }));
    }

    fn memory(&self) -> usize {
        let lists = self.fitting.capacity() * size_of::<u32>() + self.lengths.memory();
        lists + self.cells.memory() + self.apart.memory()
    }
}
