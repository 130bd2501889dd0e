//! Whom fast bodies may meet on their ways, and when they have to stop.
//!
//! What a fast body does among the slow ones depends on no other fast body: that is found in parallel, each by itself.
//! Fast ones among themselves are listed by a sweep along x, and every pair is asked in parallel, with both moving. Then,
//! in the order of the list, stops are noted. Where one has stopped, those that would come by later are asked again: in
//! rounds, in each of which all see where the last one left the others. So the result does not depend on the threads.

use super::Around;
use super::touch::{Mover, first_touch, first_touch_standing, flipped};
use super::ways::{FAST, Fast, NOT_FAST, Ways};
use crate::body::Collider;
use crate::bounds::BoundingVolume;
use crate::broad::Pair;
use crate::impact::rigid::Impact;
use crate::narrow::may_meet;
use crate::threads::{self, Counters, Shared, Task};
use glam::Vec3;

/// What is left of a way is not cut off if it is shorter than this share of half the thickness.
const REST: f32 = 0.25;
/// How often fast bodies are asked again where another was stopped.
const ROUNDS: usize = 8;
/// How many bodies, or pairs, a worker takes at a time.
const BLOCK: usize = 8;

/// Two colliders of two fast bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meet {
    slots: [u32; 2],
    fast: [u32; 2],
    /// For until when they were asked last.
    asked: [f64; 2],
    found: Option<Impact>,
}

/// What the stage reads.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) ways: Ways<'a>,
    pub(super) around: Around<'a>,
    /// Of each body its place among the fast ones, or none.
    pub(super) place_of: &'a [u32],
    /// The longest way of what is not fast.
    pub(super) farthest_slow: f32,
}

impl Scene<'_> {
    fn allows(&self, a: u32, b: u32) -> bool {
        let pair = Pair::new(a, b);
        let solid = |slot: u32| self.ways.bodies.collider(slot).is_some_and(|collider| !collider.is_sensor);
        solid(a) && solid(b) && may_meet(pair, self.ways.bodies) && self.around.filter.allows(pair, self.ways.bodies)
    }

    /// When a fast body first comes to slow ones, in the order of their slots; `visit` says until when it is of interest.
    fn visit_slow(&self, body: &Fast, found: &mut Vec<u32>, mut visit: impl FnMut(Option<([u32; 2], Impact)>) -> f64) {
        let bodies = self.ways.bodies;
        found.clear();
        self.around.broad.overlapping(&body.bounds.enlarged(self.farthest_slow), &mut |slot| {
            let is_met =
                |other: &Collider| self.place_of[other.body as usize] == NOT_FAST && body.can_pass(other, &self.ways);
            if bodies.collider(slot).is_some_and(is_met) {
                found.push(slot);
            }
        });
        if found.is_empty() {
            return;
        }
        found.sort_unstable();
        let mut until = visit(None);
        for &slot in &bodies.natures[body.dense as usize].colliders {
            let Some(collider) = bodies.collider(slot) else { continue };
            let bounds = self.ways.bounds_of(collider).enlarged(self.farthest_slow);
            let mut mover = None;
            for &other_slot in found.iter() {
                let is_near = self.around.broad.bounds(other_slot).is_some_and(|other| other.overlaps(&bounds));
                let Some(other) = bodies.collider(other_slot) else { continue };
                if !is_near || !self.allows(slot, other_slot) {
                    continue;
                }
                let mover = mover.get_or_insert_with(|| Mover::new(collider, Some(body.half_thickness), &self.ways));
                let other = Mover::new(other, None, &self.ways);
                if let Some(impact) = first_touch(mover, &other, &self.ways, until) {
                    until = visit(Some(([slot, other_slot], impact)));
                }
            }
        }
    }

    /// When the two of a meeting first touch, both moving.
    fn time_of(&self, meet: &Meet, fast: &[Fast], most_time: f64) -> Option<Impact> {
        let [a, b] = self.movers(meet, fast)?;
        first_touch(&a, &b, &self.ways, most_time)
    }

    /// When the one that goes on longer comes to the other, which has stopped; the first to the second.
    fn time_of_standing(&self, meet: &Meet, fast: &[Fast], [until_a, until_b]: [f64; 2]) -> Option<Impact> {
        let [a, b] = self.movers(meet, fast)?;
        if until_a > until_b {
            first_touch_standing(&a, &b, until_b..until_a)
        } else {
            first_touch_standing(&b, &a, until_a..until_b).map(flipped)
        }
    }

    fn movers(&self, meet: &Meet, fast: &[Fast]) -> Option<[Mover<'_>; 2]> {
        let mover = |which: usize| {
            let half_thickness = fast[meet.fast[which] as usize].half_thickness;
            Some(Mover::new(self.ways.bodies.collider(meet.slots[which])?, Some(half_thickness), &self.ways))
        };
        Some([mover(0)?, mover(1)?])
    }

    /// Lists the pairs of fast bodies that may meet, by where their ways begin along x. Two that move about as all do
    /// cannot pass each other. With a share of 0 all are listed whose boxes overlap.
    fn list_meets(&self, fast: &[Fast], share: f32, [by_side, odd]: [&mut Vec<u32>; 2], meets: &mut Vec<Meet>) {
        meets.clear();
        by_side.clear();
        by_side.extend(0..fast.len() as u32);
        by_side.sort_unstable_by(|&a, &b| {
            let [a, b] = [a, b].map(|index| fast[index as usize].bounds.min.x);
            a.total_cmp(&b)
        });
        let common = fast.iter().map(|body| body.shift).sum::<Vec3>() / fast.len().max(1) as f32;
        let is_odd = |body: &Fast| (body.shift - common).length() + body.turning > share * body.half_thickness;
        odd.clear();
        odd.extend(by_side.iter().copied().filter(|index| is_odd(&fast[*index as usize])));
        let mut odd_place = 0;
        for (place, &one) in by_side.iter().enumerate() {
            let body = &fast[one as usize];
            let is_odd = odd.get(odd_place) == Some(&one);
            odd_place += usize::from(is_odd);
            for &another in if is_odd { &by_side[place + 1..] } else { &odd[odd_place..] } {
                let other = &fast[another as usize];
                if other.bounds.min.x > body.bounds.max.x {
                    break;
                }
                let way = (body.shift - other.shift).length() + body.turning + other.turning;
                if !body.bounds.overlaps(&other.bounds) || way <= share * (body.half_thickness + other.half_thickness) {
                    continue;
                }
                // The order of bodies, not of places.
                let pair = [one.min(another), one.max(another)];
                let [slots, others] =
                    pair.map(|index| &self.ways.bodies.natures[fast[index as usize].dense as usize].colliders);
                for &slot in slots {
                    for other in others.iter().copied().filter(|other| self.allows(slot, *other)) {
                        meets.push(Meet { slots: [slot, other], fast: pair, asked: [1.0; 2], found: None });
                    }
                }
            }
        }
    }
}

/// The buffers; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Meets {
    list: Vec<Meet>,
    /// The fast bodies by where their ways begin along x, and those of them that move otherwise than most.
    by_side: Vec<u32>,
    odd: Vec<u32>,
    /// Of each worker, the colliders that a body may meet.
    found: Vec<Vec<u32>>,
    counters: Counters,
}

impl Meets {
    /// Finds when each fast body has to stop.
    pub(super) fn find_stops(&mut self, fast: &mut [Fast], scene: &Scene<'_>, workers: usize) {
        self.stop_at_slow(fast, scene, workers);
        scene.list_meets(fast, FAST, [&mut self.by_side, &mut self.odd], &mut self.list);
        self.ask(workers, |meet| {
            // Of two fast ones each stops at this time or before.
            let latest = meet.fast.map(|index| fast[index as usize].until);
            meet.found = scene.time_of(meet, fast, latest[0].max(latest[1]));
        });
        for meet in &self.list {
            if let Some(impact) = meet.found {
                note_stop(&mut fast[meet.fast[0] as usize], meet.slots, impact);
                note_stop(&mut fast[meet.fast[1] as usize], [meet.slots[1], meet.slots[0]], flipped(impact));
            }
        }
        // Where one fast body has stopped early, another may come later.
        for _ in 0..ROUNDS {
            self.ask(workers, |meet| {
                let until = meet.fast.map(|index| fast[index as usize].until);
                let is_news = until[0] != until[1] && until != meet.asked;
                meet.asked = until;
                meet.found = if is_news { scene.time_of_standing(meet, fast, until) } else { None };
            });
            let mut is_settled = true;
            for meet in &self.list {
                let Some(impact) = meet.found else { continue };
                let is_stopped = if meet.asked[0] > meet.asked[1] {
                    note_stop(&mut fast[meet.fast[0] as usize], meet.slots, impact)
                } else {
                    note_stop(&mut fast[meet.fast[1] as usize], [meet.slots[1], meet.slots[0]], flipped(impact))
                };
                is_settled &= !is_stopped;
            }
            if is_settled {
                break;
            }
        }
    }

    /// The share of the step after which any two first meet; 1 if none do.
    pub(super) fn first_impact(&mut self, fast: &[Fast], scene: &Scene<'_>) -> f64 {
        let mut first: f64 = 1.0;
        let mut earlier = |impact: Option<Impact>| {
            first = impact.map_or(first, |impact| impact.time.min(first));
            first
        };
        self.found.resize_with(self.found.len().max(1), Vec::new);
        for body in fast {
            scene.visit_slow(body, &mut self.found[0], |met| earlier(met.map(|(_, impact)| impact)));
        }
        scene.list_meets(fast, 0.0, [&mut self.by_side, &mut self.odd], &mut self.list);
        for meet in &self.list {
            let latest = earlier(None);
            earlier(scene.time_of(meet, fast, latest));
        }
        first
    }

    /// Stops fast bodies at what is slow.
    fn stop_at_slow(&mut self, fast: &mut [Fast], scene: &Scene<'_>, workers: usize) {
        let Self { found, counters, .. } = self;
        found.resize_with(found.len().max(workers.clamp(1, threads::MOST_WORKERS)), Vec::new);
        let size = threads::block_size(BLOCK);
        let blocks = fast.len().div_ceil(size) as u32;
        let workers = if threads::is_worth(blocks >= 4) { workers } else { 1 };
        let (fast, found) = (Shared::new(fast), Shared::new(found));
        threads::run(workers, &[blocks], counters, |Task { worker, block, .. }| {
            let start = block as usize * size;
            for place in start..fast.len().min(start + size) {
                // SAFETY: each block is one worker's, and each worker has a room of its own.
                #[allow(unsafe_code)]
                let (body, found) = unsafe { (fast.get_mut(place), found.get_mut(worker)) };
                let mut stopped = *body;
                scene.visit_slow(body, found, |met| {
                    if let Some((slots, impact)) = met {
                        note_stop(&mut stopped, slots, impact);
                    }
                    stopped.until
                });
                *body = stopped;
            }
        });
    }

    /// Does something with each of the pairs, in parallel.
    fn ask(&mut self, workers: usize, ask: impl Fn(&mut Meet) + Sync) {
        let Self { list, counters, .. } = self;
        let size = threads::block_size(BLOCK);
        let blocks = list.len().div_ceil(size) as u32;
        let workers = if threads::is_worth(blocks >= 4) { workers } else { 1 };
        let list = Shared::new(list);
        threads::run(workers, &[blocks], counters, |Task { block, .. }| {
            let start = block as usize * size;
            for place in start..list.len().min(start + size) {
                // SAFETY: each block is one worker's.
                #[allow(unsafe_code)]
                ask(unsafe { list.get_mut(place) });
            }
        });
    }
}

/// A body stops, unless it has before or has come almost as far as it would; says whether it does.
fn note_stop(fast: &mut Fast, slots: [u32; 2], impact: Impact) -> bool {
    let rest = (1.0 - impact.time as f32) * fast.way;
    let stops = impact.time < fast.until && rest > REST * fast.half_thickness;
    if stops {
        fast.until = impact.time;
        fast.stopped_by = Some((slots, impact));
    }
    stops
}
