//! The world: bodies, and the one place that knows the order of the stages.

mod builder;
mod continuous;
mod events;
mod filter;
mod inspect;
mod margins;
mod measure;
mod queries;
mod settings;
mod snapshot;
mod step;

pub use builder::{MOST_ITERATIONS, MOST_SUBSTEPS, WorldBuilder, WorldError};
pub use continuous::{Continuous, Stop};
pub use events::{ContactEvent, Events, HitEvent, SensorEvent, ShapeId};
pub(crate) use filter::PairFilter;
pub use inspect::Met;
pub(crate) use margins::Margins;
pub use measure::{Energy, Momentum};
pub use queries::{Picks, ShapeCast, ShapeDistance, ShapeHit, ShapeProjection, WorldQueryError};
pub(crate) use snapshot::Digest;
pub use snapshot::Snapshot;
pub use step::{SHORTEST_STEP, StageTimes, Step, StepError};

use crate::body::{Bodies, Body, BodyError, BodyId, BodyKind, BodyMut, BodyRef, Collider, ShapeRef};
use crate::broad::{self, BroadPhase, BroadPhaseError, Pair, Placed, Structure};
use crate::island::Islands;
use crate::narrow::{Manifold, Meetings};
use crate::response::{self, Setting, Solver};
use crate::slabs::Slabs;
use crate::threads::{self, Counters};
use continuous::{Around, LEAST_PIECE, Sweeps};
use events::Log;
use fearless_simd::Level;
use glam::Vec3;
use step::Clock;

/// With fewer bodies no crew is called for a step.
const MANY_BODIES: usize = 64;

/// Bodies that move and collide.
///
/// ```
/// use carom::prelude::*;
///
/// let mut world = World::default();
/// world.add(Body::fixed().shape(Shape::cuboid(50.0, 0.5, 50.0)?))?;
/// let ball = world.add(Body::dynamic().at([0.0, 10.0, 0.0]).shape(Shape::sphere(0.5)?).restitution(0.8))?;
/// for _ in 0..1200 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(ball)?.position().y - 1.0).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    bodies: Bodies,
    broad: Box<dyn BroadPhase>,
    structure: Structure,
    filter: PairFilter,
    /// The boxes are right for a step of up to this time, but for those of displaced bodies; none if they are not.
    boxes_for: Option<f32>,
    /// Room for the boxes that overlap one, or for some bodies; kept to spare allocations.
    overlapping: Vec<u32>,
    /// Room for pairs that were none before; as well.
    strangers: Vec<Pair>,
    log: Log,
    gravity: Vec3,
    solver: Solver,
    bounce_threshold: f32,
    threads: usize,
    level: Level,
    placed: Placed,
    meetings: Meetings,
    slabs: Slabs,
    counters: Counters,
    islands: Islands,
    sleeps: bool,
    continuous: Continuous,
    sweeps: Sweeps,
    outcome: response::Outcome,
    step: Step,
    time: f64,
}

impl Default for World {
    fn default() -> Self {
        Self::builder().build_unchecked()
    }
}

impl World {
    /// Settings to choose before building.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::new()
    }

    /// Takes in a body; on an error nothing has changed.
    pub fn add(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let id = self.bodies.add(body)?;
        let dense = self.bodies.resolve(id)?;
        let margins = self.margins(0.0);
        for &slot in &self.bodies.natures[dense].colliders {
            if let Some(collider) = self.bodies.collider(slot) {
                let inserted = self.broad.insert(slot, broad::bounds_of(collider, margins));
                debug_assert_eq!(inserted, Ok(()), "slots are fresh and boxes of checked bodies finite");
            }
        }
        if self.bodies.motions[dense].velocity != Vec3::ZERO {
            self.bodies.displace(dense);
        }
        if self.bodies.natures[dense].kind != BodyKind::Dynamic {
            // Where one sleeps and nothing moves the other, no stage would look at the two.
            self.bodies.put.push(id);
        }
        Ok(id)
    }

    /// Takes out a body and its shapes. Cost: of what its own shapes and those of the last body of [`World::bodies`] are near.
    pub fn remove(&mut self, id: BodyId) -> Result<(), BodyError> {
        let dense = self.bodies.resolve(id)?;
        for place in 0..self.bodies.natures[dense].colliders.len() {
            let removed = self.broad.remove(self.bodies.natures[dense].colliders[place]);
            debug_assert_eq!(removed, Ok(()), "every collider has a proxy");
        }
        // At once: a slot that is used again must not be taken for the old one.
        self.meet();
        self.islands.remove(dense, &mut self.meetings, &self.bodies);
        self.bodies.remove(id)?;
        // The last one takes its number. Its pairs are those whose boxes overlap: they have just been followed.
        let Self { bodies, broad, meetings, overlapping, .. } = self;
        let colliders = bodies.natures.get(dense).map_or(&[][..], |nature| &nature.colliders[..]);
        for &slot in colliders {
            let Some(bounds) = broad.bounds(slot) else { continue };
            overlapping.clear();
            broad.overlapping(&bounds, &mut |other| overlapping.push(other));
            for &other in overlapping.iter().filter(|other| **other != slot) {
                meetings.renumber(Pair::new(slot, other), bodies.len() as u32, dense as u32);
            }
        }
        Ok(())
    }

    /// Which pairs of shapes meet at all, beyond what their groups say. It is asked once when their boxes begin to overlap,
    /// and again after [`World::refilter`]; the shapes come in the order of their slots. It must not remember what it was
    /// asked if steps are to be repeatable. Pairs that overlap already are not asked.
    ///
    /// ```
    /// use carom::body::ShapeRef;
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.set_filter(|a: ShapeRef, b: ShapeRef| a.body.user_data() != b.body.user_data());
    /// let ghost = |y: f64| Body::dynamic().at([0.0, y, 0.0]).user_data(7);
    /// let below = world.add(ghost(0.0).shape(Shape::sphere(1.0)?))?;
    /// world.add(ghost(0.5).shape(Shape::sphere(1.0)?))?;
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.manifolds().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_filter(&mut self, filter: impl Fn(ShapeRef<'_>, ShapeRef<'_>) -> bool + Send + Sync + 'static) {
        self.filter = PairFilter::new(filter);
    }

    /// All pairs meet whose groups do, from now on.
    pub fn clear_filter(&mut self) {
        self.filter = PairFilter::default();
    }

    /// Asks anew, with the next step, whom a body meets: after what the filter looks at has changed.
    pub fn refilter(&mut self, id: BodyId) -> Result<(), BodyError> {
        self.bodies.resolve(id)?;
        self.bodies.refiltered.push(id);
        Ok(())
    }

    /// Asks anew, with the next step, for all bodies whom they meet: after [`World::set_filter`], or when what the filter looks
    /// at has changed for many.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    /// let box_id = world.add(Body::dynamic().at([0.0, 1.0, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.body(box_id)?.is_asleep());
    /// world.set_filter(|_, _| false);
    /// world.refilter_all();
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.body(box_id)?.position().y < 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refilter_all(&mut self) {
        let Bodies { natures, refiltered, .. } = &mut self.bodies;
        refiltered.clear();
        refiltered.extend(natures.iter().map(|nature| nature.id));
    }

    /// Moves everything on by `dt` seconds, at least [`SHORTEST_STEP`].
    ///
    /// Once a scene is warm a step allocates nothing. A step on several threads is handed over to rayon's pool if it is asked for
    /// from another thread: that wakes one, and the pool's queue allocates a block once in some sixty times. Inside of
    /// `rayon::ThreadPool::install`, or `rayon::scope`, neither happens.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let ball = world.add(Body::dynamic().at([0.0, 10.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    /// let step = world.step(0.5)?;
    /// assert!(step.faults.is_empty());
    /// // g·t²/2 = 1.22625 m.
    /// assert!((world.body(ball)?.position().y - 8.77375).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StepError`]: the time step is no number, or too short; or a box could not be moved. A body that goes non-finite is no
    /// error: it is set aside, and named in [`Step::faults`].
    pub fn step(&mut self, dt: f32) -> Result<&Step, StepError> {
        // False for NaN, too.
        if !(SHORTEST_STEP..=f32::MAX).contains(&dt) {
            return Err(StepError::TimeStep { dt });
        }
        if self.is_shared() {
            threads::together(self.threads, || self.go_on(dt))?;
        } else {
            self.go_on(dt)?;
        }
        Ok(&self.step)
    }

    /// Whether a step is worth several threads, and has them.
    fn is_shared(&self) -> bool {
        self.threads > 1 && threads::is_worth(self.bodies.len() >= MANY_BODIES)
    }

    /// What the last step did.
    pub fn last_step(&self) -> &Step {
        &self.step
    }

    /// How the solver of the last step came to its end: the largest change of relative velocity in each of its rounds, in
    /// m/s. Empty for [`Solver::SoftStep`], which has none.
    pub fn convergence(&self) -> &[f32] {
        &self.outcome.residuals
    }

    /// Takes the step, in one piece or in several.
    fn go_on(&mut self, dt: f32) -> Result<(), StepError> {
        let mut times = StageTimes::default();
        match self.continuous {
            Continuous::Off | Continuous::Default => times = self.advance(dt, true)?,
            Continuous::Substeps(count) => {
                self.sweeps.note_forces(&self.bodies);
                for piece in 0..count {
                    times += self.advance(dt / count as f32, piece == 0)?;
                }
            }
            Continuous::Adaptive => {
                self.sweeps.note_forces(&self.bodies);
                let least = LEAST_PIECE * dt;
                let mut rest = dt;
                while rest > 0.0 {
                    let Self { bodies, broad, filter, sweeps, gravity, .. } = self;
                    bodies.list_awake();
                    let share = sweeps.first_impact(bodies, Around { broad: broad.as_ref(), filter }, *gravity, rest);
                    // What is left must not be shorter than the least piece either.
                    let piece = (share * rest).max(least);
                    let piece = if rest - piece < least { rest } else { piece };
                    times += self.advance(piece, rest == dt)?;
                    rest -= piece;
                }
            }
        }
        self.report(times);
        Ok(())
    }

    /// Goes through the stages once, for a step or a piece of one.
    fn advance(&mut self, dt: f32, is_first: bool) -> Result<StageTimes, StepError> {
        let setting = self.setting(dt);
        let margins = self.margins(dt);
        // What a large structure shares out by itself needs the workers.
        let is_small = self.is_shared() && self.broad.len() < broad::SHARED_FROM;
        let mut clock = Clock::start();
        self.bodies.wake_islands();
        self.place_boxes(dt)?;
        if is_first {
            self.log.begin();
            self.step.faults.clear();
            self.step.contact_faults.clear();
            self.step.stops.clear();
        } else {
            self.sweeps.apply_forces(&mut self.bodies);
        }
        let Self { bodies, broad, placed, meetings, slabs, .. } = self;
        let is_unchanged = placed.moves().is_empty() && !bodies.has_changes();
        if !is_unchanged {
            slabs.forget();
        }
        meetings.sort_live(bodies);
        if meetings.is_untidy() {
            bodies.list_awake();
            slabs.find(bodies, setting.workers);
            meetings.tidy(slabs, setting.workers);
        }
        let mut broad_time = clock.lap();
        meetings.begin_colliding(bodies);
        if is_small && is_unchanged && meetings.are_shared() {
            meetings.collide_beside(bodies, setting.workers, margins, || broad.look_ahead());
        }
        let mut narrow = clock.lap();
        self.meet();
        self.heed_changes();
        let Self { bodies, broad, filter, placed, meetings, outcome, islands, sleeps, log, slabs, .. } = self;
        bodies.apply_constant_forces();
        meetings.sort_live(bodies);
        broad_time += clock.lap();
        meetings.collide(bodies, setting.workers, margins);
        self.step.contact_faults.extend_from_slice(meetings.faults());
        if Islands::wake(meetings, bodies) {
            meetings.note_again(bodies);
        }
        bodies.list_awake();
        narrow += clock.lap();
        let looks_between = matches!(self.continuous, Continuous::Default | Continuous::Adaptive);
        if looks_between {
            self.sweeps.note_starts(bodies);
        }
        slabs.find(bodies, setting.workers);
        response::solve(meetings, bodies, (slabs, &setting), outcome);
        self.step.faults.extend_from_slice(&outcome.faults);
        let response = clock.lap();
        if looks_between {
            let around = Around { broad: broad.as_ref(), filter };
            self.sweeps.catch(bodies, around, (dt, margins), setting.workers, &mut self.step.stops);
        }
        let impact = clock.lap();
        broad::place_boxes(bodies, slabs.order(), (dt, margins), setting.workers, placed);
        let mut moved = Ok(());
        let follow = || moved = broad.update_many(placed.moves());
        let tell = || {
            log.take(meetings, bodies);
            slabs.find_anew(bodies, 1);
        };
        threads::run_both(if is_small { setting.workers } else { 1 }, follow, tell, &mut self.counters);
        if *sleeps {
            islands.put_to_sleep(meetings, bodies);
        }
        // What goes wrong is told by the next step, which tries again.
        self.boxes_for = moved.is_ok().then_some(dt);
        self.time += f64::from(dt);
        Ok(StageTimes { broad: broad_time + clock.lap(), narrow, response, impact })
    }

    /// Brings the boxes up to date for a step of `dt`.
    fn place_boxes(&mut self, dt: f32) -> Result<(), BroadPhaseError> {
        let margins = self.margins(dt);
        let Self { bodies, broad, placed, overlapping: whom, .. } = self;
        whom.clear();
        if self.boxes_for.is_some_and(|known| dt <= known) {
            whom.extend(bodies.displaced.iter().filter_map(|id| bodies.resolve(*id).ok()).map(|dense| dense as u32));
        } else {
            whom.extend(0..bodies.len() as u32);
        }
        broad::place_boxes(bodies, whom, (dt, margins), self.threads, placed);
        broad.update_many(placed.moves())?;
        bodies.forget_displaced();
        Ok(())
    }

    /// Follows the broad phase: which pairs there are from now on. What lost something that it touched wakes.
    fn meet(&mut self) {
        let Self { bodies, broad, meetings, filter, log, .. } = self;
        meetings.follow(broad.changes(), bodies, filter, |head| log.end(head, bodies));
        log.wake_parted(bodies);
        bodies.wake_islands();
    }

    /// Does what the user's changes ask for once the boxes are where the bodies are: whom they meet is asked anew, and what
    /// is near something that was put there, or has another surface, wakes.
    fn heed_changes(&mut self) {
        let Self { bodies, broad, meetings, filter, log, islands, overlapping, strangers, .. } = self;
        for place in 0..bodies.refiltered.len() {
            let Ok(dense) = bodies.resolve(bodies.refiltered[place]) else { continue };
            for index in 0..bodies.natures[dense].colliders.len() {
                let slot = bodies.natures[dense].colliders[index];
                let Some(bounds) = broad.bounds(slot) else { continue };
                overlapping.clear();
                broad.overlapping(&bounds, &mut |other| overlapping.push(other));
                overlapping.sort_unstable();
                let pairs = overlapping.iter().filter(|other| **other != slot).map(|other| Pair::new(slot, *other));
                strangers.clear();
                strangers.extend(pairs.filter(|pair| meetings.head_of(*pair).is_none()));
                meetings.refilter(slot, overlapping, bodies, filter, |head| log.end(head, bodies));
                // Where one sleeps and nothing moves the other, no stage would look at the two.
                wake_pairs(strangers.iter().copied(), meetings, bodies);
            }
        }
        bodies.refiltered.clear();
        log.wake_parted(bodies);
        bodies.wake_islands();
        // What has woken since it was put to sleep stays so.
        if !bodies.lulled.is_empty() {
            let mut lulled = std::mem::take(&mut bodies.lulled);
            lulled.retain(|id| bodies.resolve(*id).is_ok_and(|dense| bodies.rests[dense].is_asleep()));
            bodies.lulled = lulled;
        }
        // Shapes whose surfaces are set one by one name their body as often.
        bodies.put.sort_unstable();
        bodies.put.dedup();
        for place in 0..bodies.put.len() {
            let Ok(dense) = bodies.resolve(bodies.put[place]) else { continue };
            for index in 0..bodies.natures[dense].colliders.len() {
                let slot = bodies.natures[dense].colliders[index];
                let Some(bounds) = broad.bounds(slot) else { continue };
                overlapping.clear();
                broad.overlapping(&bounds, &mut |other| overlapping.push(other));
                let pairs = overlapping.iter().filter(|other| **other != slot).map(|other| Pair::new(slot, *other));
                wake_pairs(pairs, meetings, bodies);
            }
        }
        bodies.put.clear();
        bodies.wake_islands();
        if !bodies.lulled.is_empty() {
            islands.lull(meetings, bodies);
        }
    }

    /// What began and ended with the last step.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let floor = world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    /// let ball = world.add(Body::dynamic().at([0.0, 3.0, 0.0]).shape(Shape::sphere(0.5)?))?;
    /// let mut hits = Vec::new();
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    ///     hits.extend_from_slice(world.events().hits());
    /// }
    /// assert_eq!(hits.len(), 1);
    /// assert_eq!((hits[0].a.body, hits[0].b.body), (floor, ball));
    /// // It has fallen by 2 m.
    /// assert!((hits[0].approach_speed - (2.0f32 * 9.81 * 2.0).sqrt()).abs() < 0.2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn events(&self) -> Events<'_> {
        self.log.view(&self.meetings, &self.bodies)
    }

    /// All shapes of all bodies, to read, in the order of their slots.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeRef<'_>> {
        (0..self.bodies.slot_count()).filter_map(|slot| ShapeRef::new(&self.bodies, slot))
    }

    fn setting(&self, dt: f32) -> Setting {
        let substeps = match self.solver {
            Solver::SoftStep { substeps } => substeps,
            Solver::WorstFirst { .. } | Solver::ProjectedGaussSeidel { .. } => 1,
        };
        Setting {
            gravity: self.gravity,
            dt,
            solver: self.solver,
            substeps,
            bounce_threshold: self.bounce_threshold,
            workers: self.threads,
            level: self.level,
        }
    }

    /// Whether contacts are found before shapes touch.
    fn margins(&self, dt: f32) -> Margins {
        match self.solver {
            Solver::SoftStep { .. } => Margins::Wide { dt },
            Solver::WorstFirst { .. } | Solver::ProjectedGaussSeidel { .. } => Margins::None,
        }
    }

    /// A body, to read.
    pub fn body(&self, id: BodyId) -> Result<BodyRef<'_>, BodyError> {
        Ok(BodyRef::new(&self.bodies, self.bodies.resolve(id)?))
    }

    /// A body, to change.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>, BodyError> {
        let dense = self.bodies.resolve(id)?;
        Ok(BodyMut::new(&mut self.bodies, dense))
    }

    /// All bodies, to read.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyRef<'_>> {
        (0..self.bodies.len()).map(|dense| BodyRef::new(&self.bodies, dense))
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Pairs of collider slots whose boxes overlapped in the last step, those left out that do not meet: of one body, of
    /// two that nothing moves, and what filters refuse.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = Pair> {
        self.meetings.heads().iter().map(|head| head.pair)
    }

    /// Where shapes touched in the last step, or were about to, with what the contacts did. Body indices count as
    /// [`World::bodies`] does, and are good until a body is removed.
    pub fn manifolds(&self) -> impl Iterator<Item = &Manifold> {
        self.meetings.manifolds()
    }

    /// The shape in a collider slot: what pairs and convex parts name.
    pub fn collider(&self, slot: u32) -> Option<&Collider> {
        self.bodies.collider(slot)
    }

    /// How many seconds have been simulated.
    pub fn time(&self) -> f64 {
        self.time
    }

    fn report(&mut self, times: StageTimes) {
        let totals = self.meetings.totals();
        self.step.pairs = self.meetings.len();
        (self.step.manifolds, self.step.contacts, self.step.deepest) =
            (totals.manifolds, totals.points, totals.deepest);
        self.step.times = times;
    }
}

/// Wakes the bodies of those of some pairs that meet.
fn wake_pairs(pairs: impl Iterator<Item = Pair>, meetings: &Meetings, bodies: &mut Bodies) {
    for head in pairs.filter_map(|pair| meetings.head_of(pair)).filter(|head| !head.is_sensor) {
        head.bodies.iter().for_each(|body| bodies.wake(*body as usize));
    }
}

#[cfg(test)]
mod tests;
