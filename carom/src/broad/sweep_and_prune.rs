//! B3: incremental sweep and prune.
//!
//! On each axis the ends of all intervals stay sorted from one look at the pairs to the next. What has moved gets its
//! new coordinates, and an insertion sort swaps neighbours until the order holds again: exactly the ends that changed
//! sides meet in a swap. Two boxes begin or cease to overlap only if a beginning and an end change sides on some axis,
//! so pairs are added and removed at such swaps and nowhere else, after comparing the boxes then and now. A sentinel
//! below all ends stops every insertion. At equal coordinates beginnings come first: boxes are closed.
//! New boxes are merged into the axes and find their pairs by a search along one axis; so does everything once an
//! insertion sort takes too many swaps, which ends leaps through a crowd.
//! Cost: linear when little changes sides; the swaps of one box grow with all that shares a coordinate with it, near or
//! far, so it wins with up to some thousand boxes that move little and loses with many, fast or on a common floor.
//! Sources: Cohen, Lin, Manocha, Ponamgi 1995, I-COLLIDE, doi 10.1145/199404.199437; Baraff 1992. Here the axes are
//! arrays sorted at the look at the pairs, not linked lists at each update.

mod axis;

use super::events::Events;
use super::rebuilt::sort_neighbours;
use super::sort_and_sweep::SweptAxis;
use super::{BoxRay, BroadPhase, BroadPhaseError, Changes, Cost, Drawn, Index, Neighbour, Pair, PairSet, Proxies};
use super::{block::NOTHING, distance_squared};
use crate::bounds::{Aabb, BoundingVolume};
use axis::Axis;
use glam::Vec3;

/// Three axes of sorted interval ends that follow moving boxes.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{BroadPhase, Pair, SweepAndPrune};
/// use carom::prelude::Vec3;
///
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// let mut broad = SweepAndPrune::default();
/// broad.insert(0, unit)?;
/// broad.insert(1, unit)?;
/// assert_eq!(broad.changes().began, [Pair { a: 0, b: 1 }]);
/// broad.update(1, Aabb::new(Vec3::splat(2.0), Vec3::splat(3.0)), Vec3::ZERO)?;
/// assert_eq!(broad.changes().ended, [Pair { a: 0, b: 1 }]);
/// # Ok::<(), carom::broad::BroadPhaseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SweepAndPrune {
    proxies: Proxies,
    axes: [Axis; 3],
    /// By id, the boxes that the axes hold; [`NOTHING`] if none.
    settled: Vec<Aabb>,
    /// By id.
    flags: Vec<u8>,
    /// Ids that were touched since the last refresh.
    touched: Vec<u32>,
    set: PairSet,
    pairs: Vec<Pair>,
    events: Events,
    /// Finds the pairs of new boxes.
    search: SweptAxis,
    found: Vec<Pair>,
    tests: u64,
}

/// The box has changed since the last refresh.
const TOUCHED: u8 = 1;
/// It came since the last refresh.
const NEW: u8 = 2;
/// It went since the last refresh.
const GONE: u8 = 4;
/// A pair of it has ended in this refresh.
const PARTED: u8 = 8;

impl SweepAndPrune {
    fn touch(&mut self, id: u32) {
        let index = id as usize;
        if index >= self.flags.len() {
            self.flags.resize(index + 1, 0);
            self.settled.resize(index + 1, NOTHING);
        }
        if self.flags[index] & TOUCHED == 0 {
            self.flags[index] |= TOUCHED;
            self.touched.push(id);
        }
    }

    /// Brings axes, pairs and events up to date with the boxes.
    fn refresh(&mut self) {
        if self.touched.is_empty() {
            return;
        }
        self.events.begin();
        let (mut new, mut gone) = (0, 0);
        for &id in &self.touched {
            let was_there = self.settled[id as usize].min.x <= self.settled[id as usize].max.x;
            let is_there = self.proxies.bounds(id).is_some();
            match (was_there, is_there) {
                (false, true) => {
                    self.flags[id as usize] |= NEW;
                    new += 1;
                }
                (true, false) => {
                    self.flags[id as usize] |= GONE;
                    gone += 1;
                }
                // One that came and went leaves no trace.
                (false, false) => self.flags[id as usize] &= !TOUCHED,
                (true, true) => {}
            }
        }
        self.tests = 0;
        let before = self.events.ended.len();
        let is_sorted = self.sort_axes();
        if !is_sorted || new > 0 {
            self.search_pairs(is_sorted, new);
        }
        self.drop_ended(is_sorted, gone > 0 || self.events.ended.len() > before);
        for id in self.touched.drain(..) {
            self.settled[id as usize] = self.proxies.raw()[id as usize];
            self.flags[id as usize] = 0;
        }
    }

    /// Gives the axes their new coordinates and sorts them, adding and removing pairs at the swaps; false if that was
    /// given up, with the axes sorted all the same.
    fn sort_axes(&mut self) -> bool {
        let Self { proxies, axes, settled, flags, touched, set, pairs, events, tests, .. } = self;
        let now = proxies.raw();
        let mut is_within_budget = true;
        for (number, axis) in axes.iter_mut().enumerate() {
            axis.move_ends(number, now, flags);
            is_within_budget = is_within_budget
                && axis.insertion_sort(|one, other| {
                    *tests += 1;
                    let (a, b) = (one as usize, other as usize);
                    let (was, is) = (settled[a].overlaps(&settled[b]), now[a].overlaps(&now[b]));
                    if was == is {
                        return;
                    }
                    let pair = Pair::new(one, other);
                    if is && set.insert(pair) {
                        pairs.push(pair);
                        events.began.push(pair);
                    } else if was && set.remove(pair) {
                        flags[a] |= PARTED;
                        flags[b] |= PARTED;
                        events.ended.push(pair);
                    }
                });
            if !is_within_budget {
                axis.sort();
            }
            axis.merge_new(number, now, touched.iter().copied().filter(|&id| flags[id as usize] & NEW != 0));
        }
        is_within_budget
    }

    /// The pairs of new boxes, or all pairs if the swaps were given up.
    fn search_pairs(&mut self, is_sorted: bool, new: usize) {
        let Self { proxies, flags, touched, set, pairs, events, search, found, tests, .. } = self;
        search.rebuild(proxies);
        found.clear();
        let is_new = |id: u32| flags[id as usize] & NEW != 0;
        if !is_sorted || 8 * new > proxies.len() {
            *tests += search.find_pairs(proxies, found);
            if is_sorted {
                found.retain(|pair| is_new(pair.a) || is_new(pair.b));
            }
        } else {
            for &id in touched.iter().filter(|&&id| is_new(id)) {
                search.candidates(&proxies.raw()[id as usize], &mut |other| {
                    // Two new ones meet once.
                    if other != id && !(is_new(other) && other < id) {
                        found.push(Pair::new(id, other));
                    }
                });
            }
        }
        for &pair in found.iter() {
            if set.insert(pair) {
                pairs.push(pair);
                events.began.push(pair);
            }
        }
    }

    /// Takes out of the list the pairs that have ended: those removed at swaps, those of boxes that went and, if the
    /// swaps were given up, all that no longer overlap.
    fn drop_ended(&mut self, is_sorted: bool, some_ended: bool) {
        if is_sorted && !some_ended {
            return;
        }
        let Self { proxies, flags, set, pairs, events, .. } = self;
        let now = proxies.raw();
        pairs.retain(|&pair| {
            let (a, b) = (flags[pair.a as usize], flags[pair.b as usize]);
            if (a | b) & GONE != 0 || !(is_sorted || now[pair.a as usize].overlaps(&now[pair.b as usize])) {
                if set.remove(pair) {
                    events.ended.push(pair);
                }
                return false;
            }
            a & b & PARTED == 0 || set.contains(pair)
        });
        flags.iter_mut().for_each(|flags| *flags &= !PARTED);
    }
}

impl BroadPhase for SweepAndPrune {
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        self.proxies.insert(id, bounds)?;
        self.touch(id);
        Ok(())
    }

    fn update(&mut self, id: u32, bounds: Aabb, _displacement: Vec3) -> Result<(), BroadPhaseError> {
        self.proxies.update(id, bounds)?;
        if self.settled.get(id as usize) != Some(&bounds) {
            self.touch(id);
        }
        Ok(())
    }

    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        self.proxies.remove(id)?;
        self.touch(id);
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
        self.events.look()
    }

    // The axes know which ends come before a place, which on average is half of all: a plain pass is as good and sees
    // changes at once.

    fn overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.proxies.iter().filter(|(_, own)| own.overlaps(bounds)).for_each(|(id, _)| visit(id));
    }

    fn cast_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32) {
        let mut limit = ray.limit();
        for (id, bounds) in self.proxies.iter() {
            if let Some(entry) = ray.entry(bounds, limit) {
                limit = limit.min(visit(id, entry));
            }
        }
    }

    fn nearest(&self, point: Vec3, count: usize, found: &mut Vec<Neighbour>) {
        found.clear();
        if count == 0 || !point.is_finite() {
            return;
        }
        let distances = self.proxies.iter();
        found.extend(distances.map(|(id, own)| Neighbour { id, distance_squared: distance_squared(own, point) }));
        sort_neighbours(found);
        found.truncate(count);
    }

    fn draw(&self, sink: &mut dyn FnMut(Drawn)) {
        for (number, axis) in self.axes.iter().enumerate() {
            for id in axis.beginnings() {
                let Aabb { min, max } = self.settled[id as usize];
                sink(Drawn::Interval { axis: number as u32, min: min[number], max: max[number], id });
            }
        }
    }

    fn cost(&self) -> Cost {
        let lists = (self.pairs.capacity() + self.found.capacity()) * size_of::<Pair>() + self.events.memory();
        let by_id = self.settled.capacity() * size_of::<Aabb>() + self.flags.capacity() + self.touched.capacity() * 4;
        let axes: usize = self.axes.iter().map(Axis::memory).sum();
        let memory = lists + by_id + axes + self.proxies.memory() + self.set.memory() + self.search.memory();
        Cost { tests: self.tests, memory }
    }
}
