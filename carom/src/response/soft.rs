//! R7, the default: a step of several substeps, in which contacts are stiff springs that are well damped.
//!
//! In each substep forces act, contacts push and stop what closes, bodies move, and contacts take back the speed that
//! pushing added. Manifolds are found once a step; between its substeps their gaps follow the movement of the bodies.
//! Impulses of the step before are the first guess of this one. From substep to substep they act anew by themselves: what
//! contacts did to a body's velocity is done to it again before they are asked (the axes and arms do not change within a
//! step), which saves one of three passes. Rebounds come last, from the speeds of impact.
//! Friction acts in the first pass only where points are new or slide. Where they are held it would work against the push,
//! and bend tall stacks and large pyramids; without it what hits a slope is driven in.
//! Cost: 2 passes over all patches a substep, eight at a time, colour by colour on any number of threads; no allocation.
//! Sources: Macklin et al. 2019, Small Steps in Physics Simulation, doi 10.1145/3309486.3340247; Catto 2024, Solver2D.

mod burden;
mod colour;
mod kernel;
mod lanes;
mod pack;
mod passes;
mod prepare;
mod share;
mod state;

use super::{Edge, Fault, FaultCause, FaultStage, Origin, Setting, edge_blocks, for_each_edge, most_edges, motion};
use crate::body::{Bodies, BodyKind, Motion, Nature};
use crate::narrow::{Manifold, Meeting, Meetings};
use crate::slabs::Slabs;
use crate::threads::{self, Counters, Shared, Task};
use burden::Burden;
use colour::{Colouring, Patch, Patches, Placed, Space};
use glam::Vec3;
use pack::{Pack, Points, Softness, WIDTH};
use passes::Kind;
use prepare::{Plan, Source};
use share::Sharing;
use state::{Mass, State};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Springs swing at most this often in a second, and at most at a quarter of the substeps' rate. A column of boxes on
/// softer ones buckles; stiffer ones do not settle in 4 substeps.
const CONTACT_FREQUENCY: f32 = 40.0;
/// Heavily: a push must not swing.
const CONTACT_DAMPING: f32 = 8.0;
/// Springs against the ground are twice as fast, and give way under a load by this share of what they would: a box of 10 cm sinks
/// in by less than 1e-4 of its size. With none at all, what lies on many triangles at a time sinks in more: their patches
/// take the load from each other.
const GROUND_GIVES: f32 = 0.2;
/// Contacts do not make a body turn by more than this in a substep: their arms stay as they are during a step, and what
/// turns much faster than they can follow would gain speed from them. Half a right angle, in radians.
const MOST_TURN: f32 = std::f32::consts::FRAC_PI_4;
/// What a step has pushed at the end is the first guess of the next, but for what is no load: a blow is over by then, and to
/// repeat it would drive bodies apart faster than they came. A load grows from step to step by no more than this factor, and
/// by what changes the speed at a point by so much, in m/s. Rebounds are left out: in a row of balls that touch it is by this
/// that a blow comes to its end.
const MORE_LOAD: f32 = 4.0;
const NEW_LOAD: f32 = 1.0;
/// With fewer packs for each a second thread is not worth its waiting.
const PACKS_A_WORKER: usize = 16;
/// How many bodies or pairs are in a block.
const BLOCK: usize = 64;
/// So many bodies before it is its turn, memory of a body is asked for.
const AHEAD: usize = 8;
/// No row: the body is fixed or asleep.
const NO_ROW: u32 = u32::MAX;

/// The solver's buffers; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Soft {
    colouring: Colouring,
    /// Of each body its row or none, and of each row its body.
    row_of: Vec<u32>,
    body_of: Vec<u32>,
    /// Of each row its slab, the first for those that do not move.
    slab_of: Vec<u8>,
    states: Vec<State>,
    masses: Vec<Mass>,
    packs: Vec<Pack>,
    sharing: Sharing,
    stages: Vec<Kind>,
    /// One over the masses of the heaviest and of the lightest body that contacts move.
    extremes: [f32; 2],
    /// Whether a pack is uneven, and whether one bounces: few worlds have such.
    is_uneven: bool,
    bounces: bool,
    /// Of each row how it stands to far heavier ones; filled where there is such a thing.
    burdens: Vec<Burden>,
    /// Rows of bodies that touch, one of them heavier than the other: the lighter first.
    leaning: Vec<[u32; 2]>,
    counters: Counters,
    /// Of each body that is awake what went wrong.
    broken: Vec<Option<(FaultStage, FaultCause)>>,
    /// How long the last substep was, and how much longer than the one before.
    pub(super) last_dt: Option<f32>,
    stretch: f32,
}

/// The stage: from manifolds to velocities and poses.
pub(super) fn solve(
    meetings: &mut Meetings,
    bodies: &mut Bodies,
    (slabs, setting): (&Slabs, &Setting),
    soft: &mut Soft,
    faults: &mut Vec<Fault>,
) {
    let dt = setting.dt / setting.substeps as f32;
    let frequency = CONTACT_FREQUENCY.min(0.25 / dt);
    let spring = |frequency| Softness::new(frequency, CONTACT_DAMPING, dt);
    let stretch = soft.last_dt.map_or(1.0, |last| dt / last);
    soft.stretch = stretch;
    let plan = Plan {
        gravity: setting.gravity,
        softness: [spring(frequency), spring(2.0 * frequency).hardened(GROUND_GIVES)],
        bounce_threshold: setting.bounce_threshold,
        stretch,
    };
    soft.last_dt = Some(dt);
    let first_movable = soft.find_rows(bodies, slabs);
    soft.colour(meetings, setting, first_movable);
    soft.share_and_fill_rows(bodies, setting, first_movable);
    soft.fill_packs(meetings, bodies, setting, (&plan, first_movable));
    let is_burdened = soft.find_burdened(first_movable);
    if is_burdened && soft.lend_masses(first_movable) {
        soft.fill_packs(meetings, bodies, setting, (&plan, first_movable));
        soft.mark_burdened();
    }
    soft.plan_stages(setting, is_burdened);
    soft.go_through(setting, first_movable);
    soft.store(meetings, setting);
    soft.finish(bodies, (slabs, setting), faults);
}

/// The constraints of a step as patches between rows.
struct Touching<'a> {
    meetings: &'a Meetings,
    row_of: &'a [u32],
    first_movable: u32,
}

impl Patches for Touching<'_> {
    fn blocks(&self) -> u32 {
        edge_blocks(self.meetings)
    }

    fn most(&self, block: u32) -> u32 {
        most_edges(self.meetings, block)
    }

    fn for_each(&self, block: u32, mut visit: impl FnMut(Patch, bool)) {
        for_each_edge(self.meetings, block, |Edge { bodies, origin, is_point }| {
            let rows = bodies.map(|body| self.row_of[body as usize]).map(|row| if row == NO_ROW { 0 } else { row });
            if rows[0].max(rows[1]) >= self.first_movable {
                visit(Patch { origin, rows }, is_point);
            }
        });
    }
}

impl Soft {
    /// Of each patch its pair and its colour.
    pub(super) fn colours(&self) -> impl Iterator<Item = (u32, u32)> {
        self.colouring.placed().map(|Placed { patch, lane }| {
            let (pack, Origin::Contact { meeting, .. }) = (self.sharing.pack_at(lane / WIDTH as u32), patch.origin);
            (meeting, self.colouring.groups().partition_point(|group| group.packs().end <= pack) as u32)
        })
    }

    /// Gives a row to each body that is awake, slab by slab. Returns where movable rows begin.
    fn find_rows(&mut self, bodies: &Bodies, slabs: &Slabs) -> u32 {
        let Self { row_of, body_of, slab_of, .. } = self;
        row_of.clear();
        row_of.resize(bodies.len(), NO_ROW);
        let (still, movable) = slabs.order_by_kind();
        let is_driven = |dense: &&u32| bodies.activity(**dense).is_kinematic && !bodies.is_set_aside(**dense);
        // Row 0 is for all that stands still.
        body_of.clear();
        body_of.push(NO_ROW);
        body_of.extend(still.iter().filter(is_driven));
        let first_movable = body_of.len();
        body_of.extend_from_slice(movable);
        slab_of.clear();
        slab_of.resize(first_movable, 0);
        slab_of.extend(body_of[first_movable..].iter().map(|dense| slabs.of_bodies()[*dense as usize]));
        for (row, dense) in (0..).zip(&*body_of).skip(1) {
            row_of[*dense as usize] = row;
        }
        first_movable as u32
    }

    /// Gives a colour to each patch, but for those that one worker has to look at.
    fn colour(&mut self, meetings: &Meetings, setting: &Setting, first_movable: u32) {
        let Self { colouring, row_of, slab_of, .. } = self;
        let space = Space { slabs: slab_of, first_movable };
        colouring.begin(space, &Touching { meetings, row_of, first_movable }, setting.workers);
    }

    /// Gives a colour to the other patches, a lane of a pack to each, and each pack a worker; and fills the rows of bodies that
    /// something touches, or that touch by themselves. Several workers do both side by side: who is touched is not known yet
    /// then, and all rows are filled.
    fn share_and_fill_rows(&mut self, bodies: &Bodies, setting: &Setting, first_movable: u32) {
        let Self { colouring, body_of, slab_of, states, masses, packs, sharing, counters, extremes, .. } = self;
        // Numbers that are not negative are in the order of their bits.
        let (least, most) = (AtomicU32::new(u32::MAX), AtomicU32::new(0));
        states.resize(body_of.len(), State::STILL);
        masses.resize(body_of.len(), Mass::INFINITE);
        let (states, masses) = (Shared::new(states), Shared::new(masses));
        let fill = |row: usize| {
            if let Some(&ahead) = body_of.get(row + AHEAD) {
                bodies.fetch_body(ahead);
                states.fetch_all_to_write(row + AHEAD);
                masses.fetch_all_to_write(row + AHEAD);
            }
            // SAFETY: each row is filled once, by one worker.
            #[allow(unsafe_code)]
            let (state, mass) = unsafe { (states.get_mut(row), masses.get_mut(row)) };
            *state = set_up(body_of[row], bodies, setting);
            *mass = bodies.motions.get(body_of[row] as usize).map_or(Mass::INFINITE, Mass::of);
            let inverse = mass.greatest_inverse().to_bits();
            // Asked first: what is only read stays with both.
            if inverse > 0 && inverse < least.load(Ordering::Relaxed) {
                least.fetch_min(inverse, Ordering::Relaxed);
            }
            if inverse > most.load(Ordering::Relaxed) {
                most.fetch_max(inverse, Ordering::Relaxed);
            }
        };
        let rows = body_of.len();
        let mut share = || {
            colouring.finish(Space { slabs: slab_of, first_movable });
            packs.resize(colouring.pack_count(), Pack::EMPTY);
            sharing.begin(workers_for(setting, packs.len(), 0), colouring.groups(), slab_of);
        };
        let workers = workers_for(setting, 0, rows);
        if workers == 1 {
            share();
            (0..rows).filter(|row| *row < first_movable as usize || colouring.is_touched(*row as u32)).for_each(fill);
        } else {
            let size = threads::block_size(BLOCK);
            let blocks = rows.div_ceil(size) as u32;
            threads::run_beside(workers, share, blocks, counters, |_, block| {
                block_of(block, size, rows).for_each(fill);
            });
        }
        *extremes = [least, most].map(|bits| f32::from_bits(bits.into_inner()));
        colouring.place(sharing.kept_at(), setting.workers);
    }

    /// Fills the packs.
    fn fill_packs(
        &mut self,
        meetings: &Meetings,
        bodies: &Bodies,
        setting: &Setting,
        (plan, first_movable): (&Plan, u32),
    ) {
        let Self { colouring, masses, packs, sharing, counters, is_uneven, bounces, .. } = self;
        let workers = workers_for(setting, packs.len(), masses.len());
        // Who solves packs later fills them now.
        let (parts, marks) = sharing.split();
        let blocks = [packs.len() as u32, parts.len() as u32];
        let (parts, packs) = (Shared::new(parts), Shared::new(packs));
        let lanes = colouring.lanes();
        let lanes_of = |pack: u32| &lanes[pack as usize * WIDTH..(pack as usize + 1) * WIDTH];
        // Noted on the way: looking through all packs for them would fetch each from memory once more.
        let (any_uneven, any_bounces) = (AtomicBool::new(false), AtomicBool::new(false));
        let source = Source { meetings: meetings.meetings(), bodies, masses, first_movable };
        threads::run(workers, &blocks, counters, |Task { stage, block, .. }| {
            if stage == 1 {
                // SAFETY: each part is one block, and all packs are filled.
                #[allow(unsafe_code)]
                let (part, bodies_of) =
                    unsafe { (parts.get_mut(block as usize), |pack: u32| packs.get(pack as usize).bodies) };
                let is_used = |row: u32| row < first_movable || colouring.is_touched(row);
                return marks.settle(part, colouring.groups(), (is_used, bodies_of));
            }
            let mut place = block as usize;
            for index in 0..parts.len() {
                // SAFETY: parts are written in the stage after this one.
                #[allow(unsafe_code)]
                let part = unsafe { parts.get(index) };
                let listed = part.all_packs();
                let Some(&own) = listed.get(place) else {
                    place -= listed.len();
                    continue;
                };
                // SAFETY: each pack is in the list of one part, once.
                #[allow(unsafe_code)]
                let pack = unsafe { packs.get_mut(own as usize) };
                if let Some(&next) = listed.get(place + 1) {
                    // Single points are together, so that it is mostly as with this one in the last step.
                    source.fetch(lanes_of(next), pack.points.max(1) as usize);
                    packs.fetch_to_write(next as usize, 0..Pack::size_of_points(pack.points.max(1) as usize));
                }
                prepare::fill(setting.level, pack, lanes_of(own), &source, plan);
                marks.note(part, pack);
                if pack.is_uneven {
                    any_uneven.store(true, Ordering::Relaxed);
                }
                if pack.bounces {
                    any_bounces.store(true, Ordering::Relaxed);
                }
                return;
            }
        });
        (*is_uneven, *bounces) = (any_uneven.into_inner(), any_bounces.into_inner());
    }

    /// Impulses go back to the manifolds, from where the next step takes them.
    fn store(&mut self, meetings: &mut Meetings, setting: &Setting) {
        let Self { colouring, packs, counters, stretch, .. } = self;
        let workers = workers_for(setting, packs.len(), 0);
        let (meetings, pushed) = meetings.parts_mut();
        let meetings = Shared::new(meetings);
        threads::run(workers, &[colouring.block_count()], counters, |Task { block, .. }| {
            let mut pushed = pushed.clone();
            let parts = colouring.placed_in(block);
            let all = parts
                .into_iter()
                .flat_map(|part| part.iter().enumerate().map(move |(index, placed)| (part, index, placed)));
            for (part, index, Placed { patch, lane }) in all {
                if let Some(Placed { patch: ahead, lane }) = part.get(index + AHEAD) {
                    let Origin::Contact { meeting, .. } = ahead.origin;
                    let points = packs[*lane as usize / WIDTH].points as usize;
                    meetings.fetch_to_write(meeting as usize, Meeting::bytes_of_points(points));
                }
                let Origin::Contact { meeting: place, manifold } = patch.origin;
                // SAFETY: each pair is in one block of patches, which is one worker's.
                #[allow(unsafe_code)]
                let meeting = unsafe { meetings.get_mut(place as usize) };
                let manifold = &mut meeting.manifolds_mut()[manifold as usize];
                store_lane(&packs[*lane as usize / WIDTH], *lane as usize % WIDTH, *stretch, manifold);
                pushed.tell(place, manifold.has_pushed());
            }
        });
    }

    /// Velocities and poses of all bodies that are awake.
    fn finish(&mut self, bodies: &mut Bodies, (slabs, setting): (&Slabs, &Setting), faults: &mut Vec<Fault>) {
        let Self { colouring, row_of, states, counters, broken, .. } = self;
        let Bodies { natures, motions, rests, .. } = &mut *bodies;
        let order = slabs.order();
        let count = order.len();
        // Nothing is broken here: what was has been told.
        broken.resize(count, None);
        let (shared_motions, shared_broken) = (Shared::new(motions), Shared::new(broken));
        let shared_rests = Shared::new(rests);
        let workers = workers_for(setting, 0, count);
        let size = threads::block_size(BLOCK);
        threads::run(workers, &[count.div_ceil(size) as u32], counters, |Task { block, .. }| {
            for place in block_of(block, size, count) {
                let dense = order[place] as usize;
                if let Some(&ahead) = order.get(place + AHEAD) {
                    shared_motions.fetch_all_to_write(ahead as usize);
                    threads::fetch(&raw const natures[ahead as usize], size_of::<Nature>());
                }
                // SAFETY: each body is in the order once, and each place in one block.
                #[allow(unsafe_code)]
                let (motion, broken, rest) = unsafe {
                    (shared_motions.get_mut(dense), shared_broken.get_mut(place), shared_rests.get_mut(dense))
                };
                let row = row_of[dense];
                let state = states.get(row as usize).filter(|_| colouring.is_touched(row));
                let fault = finish_body(&natures[dense], motion, state, setting);
                if fault.is_some() {
                    *broken = fault;
                }
                rest.follow(&natures[dense], motion, setting.dt);
            }
        });
        let first = faults.len();
        for (place, fault) in broken.iter_mut().enumerate().filter(|(_, fault)| fault.is_some()) {
            if let Some((stage, cause)) = fault.take() {
                let dense = order[place] as usize;
                bodies.set_aside(dense);
                faults.push(Fault { body: bodies.natures[dense].id, stage, cause });
            }
        }
        faults[first..].sort_unstable_by_key(|fault| fault.body);
    }
}

fn workers_for(setting: &Setting, packs: usize, bodies: usize) -> usize {
    let worth = (packs / PACKS_A_WORKER).max(bodies / 512);
    let workers = setting.workers.min(threads::MOST_WORKERS);
    if threads::is_worth(worth >= workers) { workers } else { worth.max(1) }
}

fn block_of(block: u32, size: usize, count: usize) -> Range<usize> {
    let start = block as usize * size;
    start..count.min(start + size)
}

/// The row of a body as a step begins.
fn set_up(body: u32, bodies: &Bodies, setting: &Setting) -> State {
    let (Some(motion), Some(nature)) = (bodies.motions.get(body as usize), bodies.natures.get(body as usize)) else {
        return State::STILL;
    };
    let mut state = State::STILL;
    set_row(&mut state.velocity, motion.velocity, motion.angular_velocity);
    if motion.is_movable() {
        let dt = setting.dt / setting.substeps as f32;
        let [push, turn] = motion::acceleration(nature, motion, setting);
        let gyration = motion::gyration(nature, motion, setting.dt) / setting.dt;
        set_row(&mut state.drive, push * dt, (turn + gyration) * dt);
        let [linear, angular] = [nature.linear_damping, nature.angular_damping].map(|rate| 1.0 / (1.0 + dt * rate));
        set_row(&mut state.damping, linear * nature.free_axes(), Vec3::splat(angular));
    }
    state
}

fn set_row(row: &mut [f32; 8], first: Vec3, second: Vec3) {
    row[..3].copy_from_slice(&first.to_array());
    row[3..6].copy_from_slice(&second.to_array());
}

fn vectors_of(row: &[f32; 8]) -> [Vec3; 2] {
    [Vec3::new(row[0], row[1], row[2]), Vec3::new(row[3], row[4], row[5])]
}

fn store_lane(pack: &Pack, lane: usize, stretch: f32, manifold: &mut Manifold) {
    let vector = |lanes: &[[f32; 8]; 3]| Vec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
    let (normal, tangent) = (vector(&pack.normal), vector(&pack.tangent));
    let across = normal.cross(tangent);
    let both = |lanes: &[[f32; 8]; 2]| tangent * lanes[0][lane] + across * lanes[1][lane];
    manifold.friction = both(&pack.friction_impulse);
    manifold.rolling = if pack.rolls { both(&pack.rolling_impulse) } else { Vec3::ZERO };
    manifold.twist = pack.twist_impulse[lane];
    let mut any_rebounds = false;
    for (point, contact) in manifold.contacts_mut().iter_mut().enumerate() {
        let Points { impulse, mass, .. } = &pack.point[point];
        let most = MORE_LOAD * stretch * contact.carried + NEW_LOAD * mass[lane];
        let rebounds = pack.bounces && pack.rebound[point][lane] > 0.0;
        any_rebounds |= rebounds && pack.point[point].total[lane] > 0.0;
        contact.carried = if rebounds { impulse[lane] } else { impulse[lane].min(most) };
        contact.impulse = pack.point[point].total[lane];
    }
    manifold.rebounds = any_rebounds;
}

/// Moves a body by what the substeps have found, or freely; says what went wrong, and leaves it without velocity then.
fn finish_body(
    nature: &Nature,
    motion: &mut Motion,
    state: Option<&State>,
    setting: &Setting,
) -> Option<(FaultStage, FaultCause)> {
    if nature.kind == BodyKind::Fixed || nature.is_left_out() {
        (motion.force, motion.torque) = (Vec3::ZERO, Vec3::ZERO);
        return None;
    }
    let before = *motion;
    nature.limit(motion);
    let fault = match state.filter(|_| motion.is_movable()) {
        Some(state) => move_by(nature, motion, state, setting),
        None => motion::move_freely(nature, motion, setting),
    };
    nature.limit(motion);
    (motion.force, motion.torque) = (Vec3::ZERO, Vec3::ZERO);
    let fault = fault.or_else(|| FaultCause::of(motion).map(|cause| (FaultStage::Movement, cause)));
    if fault.is_some() {
        *motion = Motion { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..before };
        (motion.force, motion.torque) = (Vec3::ZERO, Vec3::ZERO);
    }
    fault
}

/// How a body would have moved without its contacts, by the same sums.
fn untouched(motion: &Motion, state: &State, setting: &Setting) -> State {
    let mut free = State { movement: [0.0; 8], ..*state };
    set_row(&mut free.velocity, motion.velocity, motion.angular_velocity);
    for _ in 0..setting.substeps {
        free.begin(true);
        free.advance(setting.dt / setting.substeps as f32);
    }
    free
}

fn move_by(nature: &Nature, motion: &mut Motion, state: &State, setting: &Setting) -> Option<(FaultStage, FaultCause)> {
    let [shift, turn] = nature.limited_way(vectors_of(&state.movement), setting.dt);
    let [velocity, angular_velocity] = vectors_of(&state.velocity);
    if let Some(cause) = FaultCause::of_velocities(velocity, angular_velocity) {
        let [push, spin] = vectors_of(&state.drive);
        let by_forces = !(push.is_finite() && spin.is_finite());
        return Some((if by_forces { FaultStage::Forces } else { FaultStage::Contacts }, cause));
    }
    let most_turn = MOST_TURN * setting.substeps as f32 / setting.dt;
    let most_spin = most_turn.max(motion.angular_velocity.length());
    let angular_velocity = angular_velocity.clamp_length_max(most_spin);
    if motion::spins_fast(nature, motion, setting.dt) {
        let free = untouched(motion, state, setting);
        if free.velocity == state.velocity {
            // Nothing has pushed at what was near: how that turns is exact.
            return motion::move_freely(nature, motion, setting);
        }
        let ([_, free_turn], [_, free_spin]) = (vectors_of(&free.movement), vectors_of(&free.velocity));
        motion::turn_pushed(nature, motion, setting, turn - free_turn, [free_spin, angular_velocity]);
    } else {
        motion.angular_velocity = angular_velocity;
        motion::rotate(nature, motion, turn);
    }
    motion.velocity = velocity;
    motion.center += shift.as_dvec3();
    None
}

#[cfg(test)]
mod tests;
