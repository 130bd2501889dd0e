//! No catching on the seams between abutting shapes of the world (N6): children of a compound, or bodies side by side.
//!
//! What touches several parts of such a ground, at a place that another of these parts has as well, along a normal that
//! leads into that other part, touches it only because each part is taken for a body of its own; see
//! [`inner_edge`](super::inner_edge). The manifold is left out if one that leads nowhere is there for the same shape.
//! Bodies that move are ground as well for what is about to strike one of them, as far as they move together: little,
//! compared with how fast they are struck. As they give way under a load, a small step between them is none.
//! Cost: a pass over the pairs that push, a sort of the manifolds on such ground, and for each two manifolds of one shape a test;
//! all but the sort by all threads.

use super::parts::{is_out_of_reach, leads_into};
use crate::body::Bodies;
use crate::distance::placement::Placement;
use crate::mid::{self, ConvexPart};
use crate::narrow::meetings::Head;
use crate::narrow::meetings::marks::{self, Marks, WORD};
use crate::narrow::stage::{Contact, Manifold, Meeting};
use crate::shape::Shape;
use crate::threads::{self, Counters, Shared, Task};
use glam::DVec3;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// A step between bodies that move of this share of the smaller part's reach is none.
const STEP: f64 = 2e-3;
/// So much of its reach in a second is the slowest approach that is looked after.
const SLOW: f32 = 0.05;
/// Bodies that move against each other by less than this share of how fast they are struck move together.
const TOGETHER: f32 = 0.2;

/// So many parts that rest are looked at by a worker in one go.
const BLOCK: usize = 8;
/// So many words of pairs are looked through by a worker in one go.
const WORDS: usize = 4;

/// The manifolds by what rests on the ground; kept to spare allocations.
#[derive(Debug, Default)]
pub(in crate::narrow) struct SeamScratch {
    /// Of each body what it has met in this step.
    met: Vec<Met>,
    /// The manifolds block by block of all pairs, with room for all that may be, and of each the collider that rests.
    blocks: Vec<Range<u32>>,
    members: Vec<Member>,
    rests: Vec<u32>,
    /// Of each collider which group is its own, or none; where the next of each group goes; all members by group; and the
    /// groups of several.
    group_of: Vec<u32>,
    next: Vec<u32>,
    order: Vec<u32>,
    groups: Vec<Range<u32>>,
    /// In that order, where each leads.
    leads: Vec<Leads>,
    counters: Counters,
}

const NO_GROUP: u32 = u32::MAX;

/// What a body has met in a step, in bits.
#[derive(Debug, Default)]
pub(in crate::narrow) struct Met(AtomicU8);

impl Met {
    /// It is about to strike a body that moves, or to be struck.
    const STRUCK: u8 = 1;
    /// It touches ground, in several manifolds, and ground that can be led into, which no surface of triangles can.
    const GROUND: u8 = 2;
    const GROUNDS: u8 = 4;
    const SOLID: u8 = 8;

    fn has(&self, bits: u8) -> bool {
        self.0.load(Ordering::Relaxed) & bits == bits
    }

    /// Adds something. Asked first: a line that others write is slow to come.
    fn add(&self, bits: u8) {
        if !self.has(bits) {
            self.0.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Takes note of a manifold, or several, with ground.
    fn add_ground(&self, manifolds: u32, is_solid: bool) {
        if is_solid {
            self.add(Self::SOLID);
        }
        // Whoever comes second says so.
        if !self.has(Self::GROUNDS)
            && (self.0.fetch_or(Self::GROUND, Ordering::Relaxed) & Self::GROUND != 0 || manifolds > 1)
        {
            self.add(Self::GROUNDS);
        }
    }

    /// Whether it may be led from one ground into another. What touches the ground once has nothing to be led into.
    fn may_be_led(&self) -> bool {
        self.has(Self::STRUCK) || self.has(Self::GROUNDS | Self::SOLID)
    }
}

/// Takes note of a pair that pushes, as it is collided.
pub(in crate::narrow) fn note_met(met: &[Met], head: &Head) {
    for body in head.bodies {
        let met = &met[body as usize];
        if head.is_about_to_strike {
            met.add(Met::STRUCK);
        }
        if head.has_ground {
            met.add_ground(head.manifolds, !head.has_surface);
        }
    }
}

/// A manifold as one of those of a part with a ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    /// The collider and the part that rests.
    rests: (u32, u32),
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
}

/// Room for one.
const NOBODY: Member = Member {
    rests: (0, 0),
    ground: None,
    part: ConvexPart { body: 0, collider: 0, part: 0 },
    place: (0, 0),
    is_ground_first: false,
    is_open: false,
    is_solid: false,
};

impl Member {
    /// Whether the same part rests on the same ground.
    fn is_beside(&self, other: &Self) -> bool {
        (self.rests, self.ground) == (other.rests, other.ground)
    }
}

/// Where the normal of a manifold leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leads {
    Outside,
    /// Into other ground.
    Inside,
    /// So do all of the same part: one of them must be right.
    AllInside,
}

/// Marks the manifolds whose normals lead into another part of the ground, and their pairs.
pub(in crate::narrow) fn mark_inner_seams(
    (heads, meetings): (&mut [Head], &mut [Meeting]),
    marks: &mut [Marks],
    bodies: &Bodies,
    workers: usize,
    scratch: &mut SeamScratch,
) {
    scratch.list(heads, meetings, marks, bodies, workers);
    scratch.sort(bodies.slot_count());
    scratch.follow_normals(meetings, bodies, workers);
    let SeamScratch { members, order, leads, .. } = scratch;
    for (member, _) in order.iter().zip(leads).filter(|(_, leads)| **leads == Leads::Inside) {
        let (place, index) = members[*member as usize].place;
        let (head, manifolds) = (&mut heads[place as usize], meetings[place as usize].manifolds_mut());
        manifolds[index as usize].is_inner = true;
        head.has_inner = true;
        marks[place as usize / WORD].note_inner(place as usize);
        head.note_approach(manifolds, bodies);
    }
}

impl SeamScratch {
    /// Before pairs are collided: no body has met anything.
    pub(in crate::narrow) fn begin(&mut self, bodies: usize) {
        self.met.iter_mut().for_each(|met| threads::renew(met.0.get_mut(), 0));
        self.met.resize_with(bodies, Met::default);
    }

    /// Of each body what it has met; to be filled by [`note_met`].
    pub(in crate::narrow) fn met(&self) -> &[Met] {
        &self.met
    }

    /// Lists the manifolds that touch one of several places of a ground.
    fn list(&mut self, heads: &[Head], meetings: &[Meeting], marks: &[Marks], bodies: &Bodies, workers: usize) {
        let Self { met, blocks, members, rests, counters, .. } = self;
        let size = threads::block_size(WORDS);
        let mut room = 0;
        blocks.clear();
        blocks.extend(marks.chunks(size).map(|marks| {
            let first = room;
            // Each of the two may rest on the other.
            room += 2 * marks.iter().map(Marks::manifolds).sum::<u32>();
            first..first
        }));
        members.resize(room as usize, NOBODY);
        rests.resize(room as usize, 0);
        let workers = if threads::is_worth(blocks.len() >= 8) { workers } else { 1 };
        let count = blocks.len() as u32;
        let (blocks, members, rests) = (Shared::new(blocks), Shared::new(members), Shared::new(rests));
        let is_struck = |body: u32| met[body as usize].has(Met::STRUCK);
        threads::run(workers, &[count], counters, |Task { block, .. }| {
            // SAFETY: each block is one worker's.
            #[allow(unsafe_code)]
            let listed = unsafe { blocks.get_mut(block as usize) };
            let words = marks.iter().enumerate().skip(block as usize * size).take(size);
            for place in words.flat_map(|(word, marks)| marks::places(word * WORD, marks.pushing())) {
                let head = &heads[place];
                if head.has_ground || head.bodies.iter().any(|body| is_struck(*body)) {
                    for_each_member(place, head, &meetings[place], (bodies, met), |member| {
                        // SAFETY: as above; each manifold comes twice at most, so there is room for all.
                        #[allow(unsafe_code)]
                        unsafe {
                            *members.get_mut(listed.end as usize) = member;
                            *rests.get_mut(listed.end as usize) = member.rests.0;
                        }
                        listed.end += 1;
                    });
                }
            }
        });
    }

    /// Sorts the members by the collider that rests, by counting. Colliders come in the order of their first manifolds, and so
    /// in the order of space: who has listed them follows them.
    fn sort(&mut self, slots: u32) {
        let Self { blocks, rests, group_of, next, order, groups, .. } = self;
        let all = || blocks.iter().cloned().flatten();
        group_of.resize(slots as usize, NO_GROUP);
        next.clear();
        for member in all() {
            let group = &mut group_of[rests[member as usize] as usize];
            if *group == NO_GROUP {
                *group = next.len() as u32;
                next.push(0);
            }
            next[*group as usize] += 1;
        }
        groups.clear();
        let mut end = 0;
        for start in next.iter_mut() {
            let count = std::mem::replace(start, end);
            if count > 1 {
                groups.push(end..end + count);
            }
            end += count;
        }
        order.clear();
        order.resize(end as usize, 0);
        for member in all() {
            let next = &mut next[group_of[rests[member as usize] as usize] as usize];
            order[*next as usize] = member;
            *next += 1;
        }
        all().for_each(|member| group_of[rests[member as usize] as usize] = NO_GROUP);
    }

    /// Finds out where the normals lead, of each collider by itself.
    fn follow_normals(&mut self, meetings: &[Meeting], bodies: &Bodies, workers: usize) {
        let Self { members, order, groups, leads, counters, .. } = self;
        leads.clear();
        leads.resize(order.len(), Leads::Outside);
        let shared_leads = Shared::new(leads);
        let size = threads::block_size(BLOCK);
        let blocks = groups.len().div_ceil(size) as u32;
        let workers = if threads::is_worth(blocks >= 8) { workers } else { 1 };
        threads::run(workers, &[blocks], counters, |Task { block, .. }| {
            let start = block as usize * size;
            let member_at = |place: usize| &members[order[place] as usize];
            let own = &groups[start..groups.len().min(start + size)];
            for group in own {
                // They may be in another core's cache.
                for place in group.clone().filter(|place| member_at(*place as usize).is_open) {
                    meetings[member_at(place as usize).place.0 as usize].fetch(1);
                }
            }
            for group in own {
                let places = group.start as usize..group.end as usize;
                // SAFETY: each group is in one block, which is one worker's.
                #[allow(unsafe_code)]
                let leads_at = |place: usize| unsafe { shared_leads.get_mut(place) };
                for place in places.clone().filter(|place| member_at(*place).is_open) {
                    let member = member_at(place);
                    let is_other =
                        |other: &&Member| other.is_solid && other.place != member.place && other.is_beside(member);
                    if leads_into_any(member, places.clone().map(member_at).filter(is_other), meetings, bodies) {
                        *leads_at(place) = Leads::Inside;
                    }
                }
                for place in places.clone() {
                    let is_right = |other: usize| {
                        *leads_at(other) == Leads::Outside && member_at(other).is_beside(member_at(place))
                    };
                    if *leads_at(place) == Leads::Inside && !places.clone().any(is_right) {
                        *leads_at(place) = Leads::AllInside;
                    }
                }
            }
        });
    }
}

/// Calls `visit` with the manifolds of a pair as far as what rests may be led from this ground into another, or from another
/// into this.
fn for_each_member(
    place: usize,
    head: &Head,
    meeting: &Meeting,
    (bodies, met): (&Bodies, &[Met]),
    mut visit: impl FnMut(Member),
) {
    let slots = [head.pair.a, head.pair.b];
    // Only what counts as ground may be a compound.
    let are_compounds = if head.has_ground { slots.map(|slot| is_compound(bodies, slot)) } else { [false; 2] };
    // What does not strike what moves is told apart by its head: no point of it closes fast enough.
    let strikes = !head.is_touching && (head.has_ground || head.is_about_to_strike);
    for (ground, rests) in [(0, 1), (1, 0)] {
        let (ground_body, met) = (head.bodies[ground], &met[head.bodies[rests] as usize]);
        let moves = bodies.activity(ground_body).moves;
        let is_compound = moves && are_compounds[ground];
        if !met.may_be_led() || !(!moves || is_compound || met.has(Met::STRUCK)) {
            continue;
        }
        for index in 0..head.manifolds {
            // Of what is in one part nothing else need be read.
            let parts = if are_compounds.contains(&true) {
                let pair = &meeting.manifolds()[index as usize].pair;
                [pair.a.part, pair.b.part]
            } else {
                [0; 2]
            };
            visit(Member {
                rests: (slots[rests], parts[rests]),
                ground: is_compound.then_some(ground_body),
                part: ConvexPart { body: ground_body, collider: slots[ground], part: parts[ground] },
                place: (place as u32, index),
                is_ground_first: ground == 0,
                is_open: !moves || is_compound || strikes,
                is_solid: !head.has_surface,
            });
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
