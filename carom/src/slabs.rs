//! Who has what: space in slabs across the axis along which bodies are spread most, with about as many of them in each.
//!
//! Stages share out bodies in the order of the slabs, and pairs in the order of their bodies, so that a worker meets in every
//! stage, and in every step, what it has in its cache already: a line of memory that another core has written takes longer
//! to come than most of what is done with it.
//! The axis stays as it is while bodies are not spread much more along another one. A scale along it comes from where all but
//! a few of some bodies are, evenly picked. Bodies are counted by places on the scale, strays at its ends, and slabs are made
//! of neighbouring places. Nothing but the axis before, the positions and the order of the bodies means anything, so slabs are
//! the same on any number of threads.
//! Cost: some ns a body, half of it by all workers.

use crate::body::Bodies;
use crate::threads::{self, Counters, Shared, Task};
use glam::{DVec3, Vec3};

/// How many slabs there are: enough for each worker to have one.
pub(crate) const SLABS: usize = threads::MOST_WORKERS;
/// The slab of what contacts do not move.
pub(crate) const NOWHERE: u8 = u8::MAX;
/// So many places are told apart.
const PLACES: usize = 256;
/// So many bodies are looked at for the scale, of which one in so many on either side may be a stray.
const SAMPLE: usize = 64;
const STRAYS: usize = 16;
/// Another axis is taken if bodies are spread by so much more along it: all that workers have changes hands then.
const SPREAD_MORE: f32 = 1.5;
/// How many bodies are in a block.
const BLOCK: usize = 256;

/// The slabs of bodies; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Slabs {
    axis: usize,
    of_body: Vec<u8>,
    /// Of each body that is awake its place on the scale.
    place_of: Vec<u8>,
    order: Vec<u32>,
    /// Where in the order the bodies begin that contacts move.
    first_movable: usize,
    /// The bodies that were awake when the order was made; and which list of them that was, if nobody was put elsewhere since.
    awake: Vec<u32>,
    found_for: Option<u32>,
    counters: Counters,
}

impl Slabs {
    /// Of each body its slab, or [`NOWHERE`].
    pub(crate) fn of_bodies(&self) -> &[u8] {
        &self.of_body
    }

    /// The bodies that are awake: those that contacts do not move, then slab by slab the others, in their order.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Those that contacts do not move, and the others.
    pub(crate) fn order_by_kind(&self) -> (&[u32], &[u32]) {
        self.order.split_at(self.first_movable)
    }

    /// The axis, which the next slabs depend on.
    pub(crate) fn axis(&self) -> usize {
        self.axis
    }

    pub(crate) fn set_axis(&mut self, axis: usize) {
        self.axis = axis;
        self.forget();
    }

    /// Bodies were put elsewhere.
    pub(crate) fn forget(&mut self) {
        self.found_for = None;
    }

    /// Finds the slabs of the bodies that are awake, unless they were found for where these are.
    pub(crate) fn find(&mut self, bodies: &Bodies, workers: usize) {
        if self.found_for != Some(bodies.awake_list()) {
            self.find_anew(bodies, workers);
        }
    }

    /// The same whatever was found before: bodies have moved.
    pub(crate) fn find_anew(&mut self, bodies: &Bodies, workers: usize) {
        self.found_for = Some(bodies.awake_list());
        let Self { axis, of_body, place_of, order, first_movable, awake, counters, .. } = self;
        of_body.resize(bodies.len(), NOWHERE);
        place_of.resize(bodies.len(), 0);
        if awake != bodies.awake() {
            awake.clear();
            awake.extend_from_slice(bodies.awake());
            of_body.fill(NOWHERE);
            order.clear();
            order.extend_from_slice(awake);
        }
        let movable = awake.iter().filter(|dense| bodies.activity(**dense).moves);
        let scale = Scale::over(movable.step_by(1 + awake.len() / SAMPLE).map(|dense| center(*dense, bodies)), axis);
        let places = Shared::new(place_of);
        let size = threads::block_size(BLOCK);
        let blocks = order.len().div_ceil(size) as u32;
        let workers = if threads::is_worth(blocks >= 4) { workers } else { 1 };
        // Who had a body in the last step looks at it now.
        threads::run(workers, &[blocks], counters, |Task { block, .. }| {
            for dense in order.iter().skip(block as usize * size).take(size) {
                // SAFETY: each body is in one block, and each block has one worker.
                #[allow(unsafe_code)]
                let place = unsafe { places.get_mut(*dense as usize) };
                threads::renew(place, scale.place_of(center(*dense, bodies)));
            }
        });
        let mut counts = [0u32; PLACES];
        let mut still = 0;
        for &dense in &*awake {
            if bodies.activity(dense).moves {
                counts[usize::from(place_of[dense as usize])] += 1;
            } else {
                still += 1;
            }
        }
        *first_movable = still as usize;
        let count = awake.len() - *first_movable;
        let mut slabs = [0u8; PLACES];
        let mut starts = [0; SLABS + 1];
        let mut before = 0;
        for (slab, count_here) in slabs.iter_mut().zip(counts) {
            // That of the middle one among those that are here.
            *slab = ((before + count_here as usize / 2) * SLABS / count.max(1)).min(SLABS - 1) as u8;
            before += count_here as usize;
            starts[usize::from(*slab) + 1] += count_here;
        }
        let mut next = still;
        starts.iter_mut().for_each(|start| {
            next += *start;
            *start = next;
        });
        let mut next_still = 0;
        for &dense in &*awake {
            let (slab, place) = if bodies.activity(dense).moves {
                let slab = slabs[usize::from(place_of[dense as usize])];
                (slab, &mut starts[usize::from(slab)])
            } else {
                (NOWHERE, &mut next_still)
            };
            of_body[dense as usize] = slab;
            order[*place as usize] = dense;
            *place += 1;
        }
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
    /// For bodies of which some are here; the axis is changed if another is much better.
    fn over(centers: impl Iterator<Item = DVec3>, axis: &mut usize) -> Self {
        let mut centers = centers.peekable();
        let origin = centers.peek().copied().unwrap_or(DVec3::ZERO);
        let mut places = [[0.0; SAMPLE]; 3];
        let mut count = 0;
        for center in centers.take(SAMPLE) {
            let place = (center - origin).as_vec3();
            (0..3).for_each(|axis| places[axis][count] = place[axis]);
            count += 1;
        }
        let last = count.max(1) - 1;
        places.iter_mut().for_each(|along| along[..=last].sort_unstable_by(f32::total_cmp));
        let corner = |index: usize| Vec3::from_array(places.map(|along| along[index]));
        let (low, high) = (corner(count / STRAYS), corner(last - count / STRAYS));
        let extents = high - low;
        if extents.max_element() > SPREAD_MORE * extents[*axis] {
            *axis = extents.max_position();
        }
        let axis = *axis;
        // An eighth more on either side; if all are in one place, so be it.
        let least = origin[axis] + f64::from(low[axis] - 0.125 * extents[axis]);
        Self { axis, least, places_a_metre: PLACES as f32 / (1.25 * extents[axis]).max(f32::MIN_POSITIVE) }
    }

    #[inline]
    fn place_of(self, center: DVec3) -> u8 {
        // Held to the ends of the scale, and NaN to its start.
        ((center[self.axis] - self.least) as f32 * self.places_a_metre) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::{NOWHERE, SLABS, Slabs};
    use crate::body::{Bodies, Body};
    use crate::shape::{Shape, ShapeError};
    use glam::DVec3;

    fn bodies(centers: &[DVec3]) -> Result<Bodies, Box<dyn std::error::Error>> {
        let mut bodies = Bodies::default();
        for (index, center) in centers.iter().enumerate() {
            let body = if index % 50 == 7 { Body::kinematic() } else { Body::dynamic() };
            let ball: Result<Shape, ShapeError> = Shape::sphere(0.5);
            bodies.add(body.at(*center).shape(ball?))?;
        }
        bodies.list_awake();
        Ok(bodies)
    }

    /// Every body that is awake is in the order once, those that contacts move slab by slab, along an axis on which slabs do not
    /// overlap, each with about as many; one after the other within a slab. Whoever looked before means nothing.
    #[test]
    fn slabs_divide_space_evenly_and_depend_on_nothing_else() -> Result<(), Box<dyn std::error::Error>> {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut used = Slabs::default();
        for case in 0..60 {
            let count = [0, 1, 2, 40, 700, 3000][case % 6];
            let place = |rng: &mut fastrand::Rng| DVec3::new(rng.f64(), rng.f64(), 30.0 * rng.f64());
            let away = if case % 2 == 0 { 0.0 } else { 1e7 };
            let centers: Vec<DVec3> = (0..count).map(|_| place(&mut rng) + away).collect();
            let bodies = bodies(&centers)?;
            let mut slabs = Slabs::default();
            slabs.find_anew(&bodies, 1);
            used.set_axis(0);
            used.find_anew(&bodies, 1);
            assert_eq!((used.order(), used.of_bodies()), (slabs.order(), slabs.of_bodies()), "case {case}");
            let mut sorted = slabs.order().to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, bodies.awake());
            let (still, movable) = slabs.order_by_kind();
            let slab = |dense: &u32| slabs.of_bodies()[*dense as usize];
            assert!(still.iter().all(|dense| slab(dense) == NOWHERE && !bodies.activity(*dense).moves));
            assert!(movable.is_sorted_by_key(|dense| (slab(dense), *dense)), "case {case}");
            let along = |dense: &u32| centers[*dense as usize].z;
            let slabs_in_order = movable.chunk_by(|a, b| slab(a) == slab(b));
            let ends: Vec<_> = slabs_in_order
                .map(|own| own.iter().map(along).fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z))))
                .collect();
            assert!(ends.windows(2).all(|ends| ends[0].1 <= ends[1].0), "case {case}: {ends:?}");
            if count >= 700 {
                let of_slab = |of: usize| movable.iter().filter(|dense| usize::from(slab(dense)) == of).count();
                let mean = movable.len() / SLABS;
                assert!((0..SLABS).all(|of| of_slab(of) < 2 * mean + 8), "case {case}");
            }
        }
        Ok(())
    }

    /// All in one place, or spread far beyond what f32 can tell apart: nothing is lost.
    #[test]
    fn slabs_of_odd_crowds_lose_nobody() -> Result<(), Box<dyn std::error::Error>> {
        let at_one_place = vec![DVec3::splat(3.0); 100];
        let far_apart: Vec<DVec3> = (0..100).map(|index| DVec3::X * 1e30 * f64::from(index)).collect();
        for centers in [at_one_place, far_apart] {
            let bodies = bodies(&centers)?;
            let mut slabs = Slabs::default();
            slabs.find_anew(&bodies, 1);
            let mut sorted = slabs.order().to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, bodies.awake());
            let (_, movable) = slabs.order_by_kind();
            assert!(movable.iter().all(|dense| usize::from(slabs.of_bodies()[*dense as usize]) < SLABS));
        }
        Ok(())
    }

    /// The axis stays while bodies are not spread much more along another.
    #[test]
    fn the_axis_is_kept() -> Result<(), Box<dyn std::error::Error>> {
        let mut slabs = Slabs::default();
        for (along_z, axis) in [(1.3, 0), (1.7, 2), (0.8, 2), (0.5, 0)] {
            let mut rng = fastrand::Rng::with_seed(8);
            let centers: Vec<DVec3> = (0..2000).map(|_| DVec3::new(rng.f64(), 0.0, along_z * rng.f64())).collect();
            slabs.find_anew(&bodies(&centers)?, 1);
            assert_eq!(slabs.axis(), axis, "{along_z}");
        }
        Ok(())
    }
}
