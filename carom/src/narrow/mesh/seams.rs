//! No catching on the seams between abutting shapes of the world (N6): children of a compound, or bodies side by side.
//!
//! What touches several parts of such a ground, at a place that another of these parts has as well, along a normal that
//! leads into that other part, touches it only because each part is taken for a body of its own; see
//! [`inner_edge`](super::inner_edge). The manifold is left out if one that leads nowhere is there for the same shape.
//! Bodies that move are ground as well for what is about to strike one of them, as far as they move together: little,
//! compared with how fast they are struck. As they give way under a load, a small step between them is none.
//! Cost: passes over the pairs that push, by all threads, and over those on such ground, by one; and for each two manifolds of
//! one shape a test, by all threads. The order of the pairs means nothing.

use super::parts::{is_out_of_reach, leads_into};
use crate::body::Bodies;
use crate::distance::placement::Placement;
use crate::mid::{self, ConvexPart};
use crate::narrow::meetings::{Head, Pushing, PushingList};
use crate::narrow::stage::{Contact, Manifold, Meeting};
use crate::shape::Shape;
use crate::threads::{self, Counters, Shared, Task};
use glam::DVec3;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A step between bodies that move of this share of the smaller part's reach is none.
const STEP: f64 = 2e-3;
/// So much of its reach in a second is the slowest approach that is looked after.
const SLOW: f32 = 0.05;
/// Bodies that move against each other by less than this share of how fast they are struck move together.
const TOGETHER: f32 = 0.2;

/// So many colliders that rest are looked at by a worker in one go.
const BLOCK: usize = 8;

/// The manifolds by what rests on the ground; kept to spare allocations.
#[derive(Debug, Default)]
pub(in crate::narrow) struct SeamScratch {
    /// Of each body whether it is about to strike one that moves, or to be struck.
    has_struck: Vec<AtomicBool>,
    /// The pairs that may rest on ground, in blocks as those that push, and how many of each block there are.
    candidates: Vec<Candidate>,
    found: Vec<u32>,
    /// Of each collider its group while they are made.
    group_of: Vec<u32>,
    groups: Vec<Group>,
    /// The sides of pairs that rest with their groups, and then without them group by group.
    sides: Vec<(u32, Side)>,
    order: Vec<Side>,
    rooms: Vec<Room>,
    counters: Counters,
}

/// One side of a pair: its place among the candidates, and whether it is the second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Side {
    candidate: u32,
    index: u8,
}

/// What of a pair is asked for to list its manifolds: they are looked through one after the other.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    place: u32,
    /// Its place in the block of pairs that push.
    in_block: u32,
    slots: [u32; 2],
    bodies: [u32; 2],
    manifolds: u32,
    has_surface: bool,
    is_compound: [bool; 2],
    /// Of each side whether it rests on the other, and whether its manifolds may prove to lead into other ground.
    rests: [bool; 2],
    is_open: [bool; 2],
}

impl Candidate {
    fn new(pushing: &Pushing, in_block: usize, head: &Head, bodies: &Bodies, is_struck: impl Fn(u32) -> bool) -> Self {
        let &Head { pair, has_ground, has_surface, is_touching, is_about_to_strike, .. } = head;
        let slots = [pair.a, pair.b];
        // Only what counts as ground may be a compound.
        let is_compound = slots.map(|slot| has_ground && is_compound(bodies, slot));
        // What does not strike what moves is told apart by its head: no point of it closes fast enough.
        let strikes = !is_touching && (has_ground || is_about_to_strike);
        let is_on_ground = [1, 0].map(|other| !bodies.activity(pushing.bodies[other]).moves || is_compound[other]);
        Self {
            place: pushing.meeting,
            in_block: in_block as u32,
            slots,
            bodies: pushing.bodies,
            manifolds: pushing.manifolds,
            has_surface,
            is_compound,
            rests: [0, 1].map(|side| is_on_ground[side] || is_struck(pushing.bodies[side])),
            is_open: is_on_ground.map(|is_on_ground| is_on_ground || strikes),
        }
    }
}

/// What of one collider rests.
#[derive(Debug, Clone, Copy)]
struct Group {
    slot: u32,
    /// Where its sides begin in the order, and how many there are; with how many manifolds.
    start: u32,
    sides: u32,
    manifolds: u32,
    /// Whether one may prove to lead into other ground, and whether one is on ground that can be led into.
    is_open: bool,
    has_solid: bool,
}

impl Group {
    fn sides(&self) -> Range<usize> {
        self.start as usize..(self.start + self.sides) as usize
    }

    /// Whether one of its manifolds may lead into the ground of another.
    fn may_lead_inside(&self) -> bool {
        self.manifolds > 1 && self.is_open && self.has_solid
    }
}

/// What a worker needs.
#[derive(Debug, Default)]
struct Room {
    /// Of a group.
    members: Vec<Member>,
    /// The manifolds that lead inside, by candidate and index.
    inner: Vec<(u32, u32)>,
}

/// A manifold as one of those of a part with a ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    candidate: u32,
    /// The part that rests.
    rests: u32,
    /// The body of the ground, or none for all that nothing moves and what is about to be struck.
    ground: Option<u32>,
    /// The part of the ground that is touched.
    part: ConvexPart,
    /// The pair, and which of its manifolds.
    place: (u32, u32),
    /// Whether the ground is the first of the manifold's pair.
    is_ground_first: bool,
    /// Whether it may prove to lead into other ground.
    is_open: bool,
    /// Whether others may prove to lead into its ground, which a surface of triangles does not tell.
    is_solid: bool,
    /// Whether it does.
    leads_inside: bool,
}

impl Member {
    /// Whether the same part rests on the same ground.
    fn is_beside(&self, other: &Self) -> bool {
        (self.rests, self.ground) == (other.rests, other.ground)
    }
}

/// Marks the manifolds whose normals lead into another part of the ground.
pub(in crate::narrow) fn mark_inner_seams(
    (heads, meetings, pushing): (&mut [Head], &mut [Meeting], &mut PushingList),
    bodies: &Bodies,
    workers: usize,
    scratch: &mut SeamScratch,
) {
    scratch.find_candidates((heads, pushing), bodies, workers);
    scratch.group(pushing.block_size(), bodies.slot_count());
    scratch.follow_normals(meetings, bodies, workers);
    let SeamScratch { candidates, rooms, .. } = scratch;
    for (candidate, index) in rooms.iter_mut().flat_map(|room| room.inner.drain(..)) {
        let Candidate { place, in_block, .. } = candidates[candidate as usize];
        let (head, manifolds) = (&mut heads[place as usize], meetings[place as usize].manifolds_mut());
        manifolds[index as usize].is_inner = true;
        head.has_inner = true;
        head.note_approach(manifolds, bodies);
        pushing.pair_mut(candidate as usize / pushing.block_size(), in_block as usize).has_inner = true;
    }
}

impl SeamScratch {
    /// Before pairs are collided: no body is about to strike another.
    pub(in crate::narrow) fn begin(&mut self, bodies: usize) {
        self.has_struck.clear();
        self.has_struck.resize_with(bodies, AtomicBool::default);
    }

    /// Of each body whether it is about to strike one that moves, or to be struck; to be filled as pairs are collided.
    pub(in crate::narrow) fn has_struck(&self) -> &[AtomicBool] {
        &self.has_struck
    }

    /// Lists the pairs that may rest on a ground.
    fn find_candidates(&mut self, (heads, pushing): (&[Head], &PushingList), bodies: &Bodies, workers: usize) {
        let Self { has_struck, candidates, found, counters, .. } = self;
        let is_struck = |body: u32| has_struck[body as usize].load(Ordering::Relaxed);
        let (size, blocks) = (pushing.block_size(), pushing.counts().len());
        candidates.resize(blocks * size, Candidate::default());
        found.resize(blocks, 0);
        let workers = if threads::is_worth(blocks >= 32) { workers } else { 1 };
        let (candidates, found) = (Shared::new(candidates), Shared::new(found));
        threads::run(workers, &[blocks as u32], counters, |Task { block, .. }| {
            let mut next = block as usize * size;
            for (in_block, pair) in pushing.block(block).iter().enumerate() {
                if !(pair.has_ground || is_struck(pair.bodies[0]) || is_struck(pair.bodies[1])) {
                    continue;
                }
                let candidate = Candidate::new(pair, in_block, &heads[pair.meeting as usize], bodies, is_struck);
                if candidate.rests != [false; 2] {
                    // SAFETY: each block is one worker's, with a place for each of its pairs.
                    #[allow(unsafe_code)]
                    unsafe {
                        *candidates.get_mut(next) = candidate;
                    }
                    next += 1;
                }
            }
            // SAFETY: as above.
            #[allow(unsafe_code)]
            unsafe {
                *found.get_mut(block as usize) = (next - block as usize * size) as u32;
            }
        });
    }

    /// Groups what rests by its collider. Groups are in the order of their first pairs, so that who has collided these has most
    /// of a group.
    fn group(&mut self, block_size: usize, slots: u32) {
        let Self { candidates, found, group_of, groups, sides, order, .. } = self;
        group_of.resize(slots as usize, u32::MAX);
        groups.clear();
        sides.clear();
        for (block, count) in found.iter().enumerate() {
            let first = block * block_size;
            for (place, candidate) in (first..).zip(&candidates[first..first + *count as usize]) {
                for index in (0..2).filter(|index| candidate.rests[*index]) {
                    let slot = candidate.slots[index];
                    let group = &mut group_of[slot as usize];
                    if *group == u32::MAX {
                        *group = groups.len() as u32;
                        groups.push(Group { slot, start: 0, sides: 0, manifolds: 0, is_open: false, has_solid: false });
                    }
                    sides.push((*group, Side { candidate: place as u32, index: index as u8 }));
                    let group = &mut groups[*group as usize];
                    group.sides += 1;
                    group.manifolds += candidate.manifolds;
                    group.is_open |= candidate.is_open[index];
                    group.has_solid |= !candidate.has_surface;
                }
            }
        }
        let mut next = 0;
        for group in groups.iter_mut() {
            group_of[group.slot as usize] = u32::MAX;
            group.start = next;
            next += std::mem::take(&mut group.sides);
        }
        order.resize(sides.len(), Side::default());
        for (group, side) in &*sides {
            let group = &mut groups[*group as usize];
            order[(group.start + group.sides) as usize] = *side;
            group.sides += 1;
        }
        groups.retain(Group::may_lead_inside);
    }

    /// Finds the manifolds that lead inside, of each collider by itself.
    fn follow_normals(&mut self, meetings: &[Meeting], bodies: &Bodies, workers: usize) {
        let Self { candidates, groups, order, rooms, counters, .. } = self;
        let size = threads::block_size(BLOCK);
        let blocks = groups.len().div_ceil(size) as u32;
        let workers = if threads::is_worth(blocks >= 8) { workers.clamp(1, threads::MOST_WORKERS) } else { 1 };
        // As much as any of them may need: who does what differs from step to step.
        let counts = || groups.iter().map(|group| group.manifolds as usize);
        let (most, all) = (counts().max().unwrap_or(0), counts().sum());
        rooms.resize_with(rooms.len().max(workers), Room::default);
        for room in rooms.iter_mut() {
            room.members.clear();
            room.members.reserve(most);
            room.inner.reserve(all);
        }
        let shared_rooms = Shared::new(rooms);
        threads::run(workers, &[blocks], counters, |Task { worker, block, .. }| {
            let start = block as usize * size;
            let own = &groups[start..groups.len().min(start + size)];
            for side in own.iter().flat_map(|group| &order[group.sides()]) {
                // They may be in another core's cache.
                let candidate = &candidates[side.candidate as usize];
                if candidate.is_open[usize::from(side.index)] {
                    meetings[candidate.place as usize].fetch(1);
                }
            }
            // SAFETY: each worker has a room of its own.
            #[allow(unsafe_code)]
            let Room { members, inner } = unsafe { shared_rooms.get_mut(worker) };
            for group in own {
                members.clear();
                for side in &order[group.sides()] {
                    list_members(*side, &candidates[side.candidate as usize], (meetings, bodies), members);
                }
                find_inner(members, (meetings, bodies), inner);
            }
        });
    }
}

/// Lists the manifolds of a pair as members of what rests on one side of it.
fn list_members(
    side: Side,
    candidate: &Candidate,
    (meetings, bodies): (&[Meeting], &Bodies),
    members: &mut Vec<Member>,
) {
    let rests = usize::from(side.index);
    let ground = 1 - rests;
    let body = candidate.bodies[ground];
    let is_compound = candidate.is_compound[ground] && bodies.activity(body).moves;
    for index in 0..candidate.manifolds {
        // Of what is in one part nothing else need be read.
        let parts = if candidate.is_compound == [false; 2] {
            [0; 2]
        } else {
            let pair = &meetings[candidate.place as usize].manifolds()[index as usize].pair;
            [pair.a.part, pair.b.part]
        };
        members.push(Member {
            candidate: side.candidate,
            rests: parts[rests],
            ground: is_compound.then_some(body),
            part: ConvexPart { body, collider: candidate.slots[ground], part: parts[ground] },
            place: (candidate.place, index),
            is_ground_first: ground == 0,
            is_open: candidate.is_open[rests],
            is_solid: !candidate.has_surface,
            leads_inside: false,
        });
    }
}

/// Lists which of a collider's manifolds lead inside.
fn find_inner(members: &mut [Member], (meetings, bodies): (&[Meeting], &Bodies), inner: &mut Vec<(u32, u32)>) {
    for index in 0..members.len() {
        let member = &members[index];
        if !member.is_open {
            continue;
        }
        let is_other = |other: &&Member| other.is_solid && other.place != member.place && other.is_beside(member);
        if leads_into_any(member, members.iter().filter(is_other), meetings, bodies) {
            members[index].leads_inside = true;
        }
    }
    for member in members.iter().filter(|member| member.leads_inside) {
        // If all of the same part do, one of them must be right.
        if members.iter().any(|other| !other.leads_inside && other.is_beside(member)) {
            inner.push((member.candidate, member.place.1));
        }
    }
}

/// Whether a pair closes so fast at one of its points that N6 looks after it.
pub(in crate::narrow) fn strike(manifolds: &[Manifold], bodies: &Bodies) -> bool {
    manifolds.iter().any(|manifold| {
        let [a, b] = [manifold.pair.a.body, manifold.pair.b.body].map(|body| &bodies.motions()[body as usize]);
        let speed = |contact: &Contact| a.velocity_at(contact.arm_a) - b.velocity_at(contact.arm_b);
        let mut speeds = manifold.contacts().iter().map(|contact| speed(contact).dot(manifold.normal));
        speeds.any(|speed| speed > SLOW * manifold.size)
    })
}

fn is_compound(bodies: &Bodies, slot: u32) -> bool {
    bodies.collider(slot).is_some_and(|collider| matches!(collider.shape, Shape::Compound(_)))
}

/// Whether the normal of a member at the middle of its points leads into the ground of another.
fn leads_into_any<'a>(
    member: &Member,
    others: impl Iterator<Item = &'a Member>,
    meetings: &[Meeting],
    bodies: &Bodies,
) -> bool {
    let mut others = others.peekable();
    if others.peek().is_none() {
        return false;
    }
    let manifold = &meetings[member.place.0 as usize].manifolds()[member.place.1 as usize];
    let outward = manifold.normal.as_dvec3() * if member.is_ground_first { 1.0 } else { -1.0 };
    // Seen from the middle of what rests, in the axes of the world.
    let rests = if member.is_ground_first { &manifold.pair.b } else { &manifold.pair.a };
    let origin = bodies.motions()[rests.body as usize].center;
    let contacts = manifold.contacts();
    let sum = contacts.iter().fold(DVec3::ZERO, |sum, contact| {
        let arm = if member.is_ground_first { contact.arm_b } else { contact.arm_a };
        sum + arm.as_dvec3() + outward * (0.5 * f64::from(contact.depth))
    });
    let place = sum / contacts.len().max(1) as f64;
    let motion = |part: &ConvexPart| &bodies.motions()[part.body as usize];
    let velocity = |part: &ConvexPart| motion(part).velocity_at((place + origin - motion(part).center).as_vec3());
    let own = &member.part;
    let closing = (velocity(own) - velocity(rests)).dot(outward.as_vec3());
    let is_slow = closing < SLOW * manifold.size;
    if is_slow && member.ground.is_none() && motion(own).is_movable() {
        return false;
    }
    others.any(|other| {
        let ground = &other.part;
        let is_loose = member.ground.is_none() && (motion(own).is_movable() || motion(ground).is_movable());
        if is_loose {
            let apart = (velocity(own) - velocity(ground)).length();
            if is_slow || apart > TOGETHER * closing {
                return false;
            }
        }
        let slack = if is_loose { STEP * f64::from(manifold.size) } else { 0.0 };
        mid::part_of(bodies, ground).is_some_and(|(shape, pose)| {
            let position = pose.position - origin;
            !is_out_of_reach(shape, place - position, slack)
                && leads_into(shape, &Placement::new(position, pose.rotation), (place, outward), slack)
        })
    })
}
