//! What structures have in common that are built anew whenever pairs are asked for after a change: the door, queries
//! that see changes at once, and the comparison with the pairs of the last look.

use super::pair_set::PairHistory;
use super::{BoxRay, BroadPhase, BroadPhaseError, Changes, Cost, Drawn, Neighbour, Pair, Proxies, distance_squared};
use crate::bounds::{Aabb, BoundingVolume};
use glam::Vec3;

/// A structure over a fixed set of boxes. It keeps ids and whatever it needs to find boxes again; the boxes themselves
/// are passed to it.
pub trait Index: std::fmt::Debug + Send + Sync {
    /// Builds the structure over these boxes, whatever it held before.
    fn rebuild(&mut self, proxies: &Proxies);

    /// Adds all pairs that overlap to `pairs`, each once; returns how many pairs of boxes were compared. The boxes are
    /// those of the last rebuild.
    fn find_pairs(&mut self, proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64;

    /// Calls `visit` at least once with each box of the last rebuild that overlaps `bounds`; others may come too. The
    /// caller tests the box and drops repetitions.
    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32));

    /// Calls `visit` at least once with each box of the last rebuild that the ray meets before its limit; others may
    /// come too. What `visit` returns is the limit from then on. Unless a structure knows better, the box around the
    /// ray is asked for.
    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        let far = ray.origin() + ray.direction() * ray.limit();
        let far = far.clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        // Room for the rounding of the far end, and of the test that the caller makes.
        let slack = 1e-6 * far.abs().max(ray.origin().abs());
        let around = Aabb::new(ray.origin().min(far) - slack, ray.origin().max(far) + slack);
        self.candidates(&around, &mut |id| {
            visit(id);
        });
    }

    /// Shows the structure.
    fn draw(&self, proxies: &Proxies, sink: &mut dyn FnMut(Drawn));

    /// How many bytes it holds.
    fn memory(&self) -> usize;
}

/// A broad phase on an [`Index`].
#[derive(Debug, Clone, Default)]
pub struct Rebuilt<I> {
    index: I,
    proxies: Proxies,
    /// Whether a proxy has changed since the last rebuild; such are not looked for in the index.
    is_pending: Vec<bool>,
    pending: Vec<u32>,
    /// Whether `pairs` are those of the boxes now.
    is_current: bool,
    pairs: Vec<Pair>,
    tests: u64,
    history: PairHistory,
}

impl<I: Index> Rebuilt<I> {
    /// A broad phase on this index.
    pub fn new(index: I) -> Self
    where
        I: Default,
    {
        Self { index, ..Self::default() }
    }

    /// The index, built over the boxes at the last call of `pairs` or `changes`.
    pub fn index(&self) -> &I {
        &self.index
    }

    fn mark(&mut self, id: u32) {
        self.is_current = false;
        if self.is_pending.len() < self.proxies.id_end() {
            self.is_pending.resize(self.proxies.id_end(), false);
        }
        if !std::mem::replace(&mut self.is_pending[id as usize], true) {
            self.pending.push(id);
        }
    }

    fn refresh(&mut self) {
        if self.is_current {
            return;
        }
        self.index.rebuild(&self.proxies);
        self.pairs.clear();
        self.tests = self.index.find_pairs(&self.proxies, &mut self.pairs);
        for id in self.pending.drain(..) {
            self.is_pending[id as usize] = false;
        }
        self.is_current = true;
    }

    /// Whether a box that the index names is still the one it was built with.
    fn is_settled(&self, id: u32) -> bool {
        !self.is_pending.get(id as usize).copied().unwrap_or(true)
    }

    /// Calls `visit` with each box that has changed since the last rebuild.
    fn visit_pending(&self, mut visit: impl FnMut(u32, &Aabb)) {
        for &id in &self.pending {
            if let Some(bounds) = self.proxies.bounds(id) {
                visit(id, bounds);
            }
        }
    }
}

impl<I: Index> BroadPhase for Rebuilt<I> {
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        self.proxies.insert(id, bounds)?;
        self.mark(id);
        Ok(())
    }

    fn update(&mut self, id: u32, bounds: Aabb, _displacement: Vec3) -> Result<(), BroadPhaseError> {
        self.proxies.update(id, bounds)?;
        self.mark(id);
        Ok(())
    }

    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        self.proxies.remove(id)?;
        self.mark(id);
        Ok(())
    }

    fn bounds(&self, id: u32) -> Option<Aabb> {
        self.proxies.bounds(id).copied()
    }

    fn len(&self) -> usize {
        self.proxies.len()
    }

    fn pairs(&mut self) -> &[Pair] {
        self.refresh();
        &self.pairs
    }

    fn changes(&mut self) -> Changes<'_> {
        self.refresh();
        self.history.look(&self.pairs)
    }

    fn overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        let mut found = Vec::new();
        self.index.candidates(bounds, &mut |id| {
            if self.is_settled(id) && self.proxies.bounds(id).is_some_and(|own| own.overlaps(bounds)) {
                found.push(id);
            }
        });
        self.visit_pending(|id, own| {
            if own.overlaps(bounds) {
                found.push(id);
            }
        });
        found.sort_unstable();
        found.dedup();
        found.into_iter().for_each(visit);
    }

    fn cast_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32) {
        let mut limit = ray.limit();
        let mut met = std::collections::HashSet::new();
        self.visit_pending(|id, bounds| {
            if let Some(entry) = ray.entry(bounds, limit) {
                limit = limit.min(visit(id, entry));
            }
        });
        self.index.ray_candidates(ray, &mut |id| {
            let bounds = self.proxies.bounds(id).filter(|_| self.is_settled(id));
            if let Some(entry) = bounds.and_then(|bounds| ray.entry(bounds, limit))
                && met.insert(id)
            {
                limit = limit.min(visit(id, entry));
            }
            limit
        });
    }

    /// Asks for growing boxes around the point until the nearest are certain.
    fn nearest(&self, point: Vec3, count: usize, found: &mut Vec<Neighbour>) {
        found.clear();
        let count = count.min(self.proxies.len());
        if count == 0 || !point.is_finite() {
            return;
        }
        let mut radius = self.guess_radius(count);
        loop {
            found.clear();
            let is_last = radius >= f32::MAX;
            let limit = if is_last { f32::INFINITY } else { radius * radius };
            let window =
                Aabb::new((point - radius).max(Vec3::splat(-f32::MAX)), (point + radius).min(Vec3::splat(f32::MAX)));
            self.overlapping(&window, &mut |id| {
                if let Some(bounds) = self.proxies.bounds(id) {
                    let distance_squared = distance_squared(bounds, point);
                    if distance_squared <= limit {
                        found.push(Neighbour { id, distance_squared });
                    }
                }
            });
            if found.len() >= count || is_last {
                break;
            }
            radius = (radius * 2.0).min(f32::MAX);
        }
        sort_neighbours(found);
        found.truncate(count);
    }

    fn draw(&self, sink: &mut dyn FnMut(Drawn)) {
        self.index.draw(&self.proxies, sink);
    }

    fn cost(&self) -> Cost {
        let lists =
            self.pairs.capacity() * size_of::<Pair>() + self.pending.capacity() * 4 + self.is_pending.capacity();
        let memory = self.index.memory() + self.proxies.memory() + lists + self.history.memory();
        Cost { tests: self.tests, memory }
    }
}

impl<I> Rebuilt<I> {
    /// A radius that holds about `count` boxes if they are spread evenly.
    fn guess_radius(&self, count: usize) -> f32 {
        let whole = self.proxies.iter().take(1024).map(|(_, bounds)| *bounds).reduce(|a, b| a.merged(&b));
        let extent = whole.map_or(1.0, |whole| whole.half_extents().max_element());
        let share = (count as f32 / self.proxies.len().max(1) as f32).cbrt();
        (extent * share).max(f32::MIN_POSITIVE)
    }
}

/// The nearest first, smaller ids first among equals.
pub(super) fn sort_neighbours(found: &mut [Neighbour]) {
    found.sort_unstable_by(|a, b| a.distance_squared.total_cmp(&b.distance_squared).then(a.id.cmp(&b.id)));
}
