//! No catching on the seams between abutting shapes of the world (N6): children of a compound, or bodies side by side.
//!
//! What touches several parts of such a ground, at a place that another of these parts has as well, along a normal that
//! leads into that other part, touches it only because each part is taken for a body of its own; see
//! [`inner_edge`](super::inner_edge). The manifold is left out if one that leads nowhere is there for the same shape.
//! Bodies that move are ground as well for what is about to strike one of them, as far as they move together: little,
//! compared with how fast they are struck. As they give way under a load, a small step between them is none.
//! Cost: passes over the pairs that push and the manifolds on such ground; and for each two manifolds of one shape a test, by all
//! threads. To list the manifolds by all threads as well was no faster: their lists by body are lines that both write.

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
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Of each body whether it is about to strike one that moves, or to be struck.
    has_struck: Vec<AtomicBool>,
    /// Of each body how many manifolds may rest on ground and whether one is on ground that can be led into, and the pairs
    /// that have them.
    counts: Vec<(u32, bool)>,
    /// The latter, block by block of all pairs: how large blocks are, places for all, and how many of each block are taken.
    block_size: usize,
    candidates: Vec<Candidate>,
    found: Vec<u32>,
    members: Vec<Member>,
    /// The members by the collider that rests: where those of each begin, all of them, and which colliders have several.
    starts: Vec<u32>,
    order: Vec<u32>,
    groups: Vec<Range<u32>>,
    /// In that order, where each leads.
    leads: Vec<Leads>,
    counters: Counters,
}

/// What of a pair is asked for to list its manifolds: they are looked through one after the other.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    place: u32,
    slots: [u32; 2],
    bodies: [u32; 2],
    manifolds: u32,
    has_ground: bool,
    has_surface: bool,
    /// Whether it comes to touch, or does so fast.
    strikes: bool,
}

impl Candidate {
    fn new(place: usize, head: &Head) -> Self {
        let &Head { pair, bodies, manifolds, has_ground, has_surface, is_touching, is_about_to_strike, .. } = head;
        // What does not strike what moves is told apart by its head: no point of it closes fast enough.
        let strikes = !is_touching && (has_ground || is_about_to_strike);
        Self { place: place as u32, slots: [pair.a, pair.b], bodies, manifolds, has_ground, has_surface, strikes }
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
    scratch.find_candidates(heads, marks, workers);
    scratch.find_members(meetings, bodies);
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
    /// Before pairs are collided: no body is about to strike another.
    pub(in crate::narrow) fn begin(&mut self, bodies: usize) {
        self.has_struck.iter_mut().for_each(|flag| threads::renew(flag.get_mut(), false));
        self.has_struck.resize_with(bodies, AtomicBool::default);
    }

    /// Of each body whether it is about to strike one that moves, or to be struck; to be filled as pairs are collided.
    pub(in crate::narrow) fn has_struck(&self) -> &[AtomicBool] {
        &self.has_struck
    }

    /// Lists the pairs that may rest on a ground.
    fn find_candidates(&mut self, heads: &[Head], marks: &[Marks], workers: usize) {
        let Self { has_struck, block_size, candidates, found, counters, .. } = self;
        let is_struck = |body: u32| has_struck[body as usize].load(Ordering::Relaxed);
        let is_on_ground = |head: &Head| head.has_ground || head.bodies.iter().any(|body| is_struck(*body));
        let size = threads::block_size(WORDS);
        *block_size = size * WORD;
        let blocks = marks.len().div_ceil(size);
        candidates.resize(blocks * size * WORD, Candidate::default());
        found.clear();
        found.resize(blocks, 0);
        let workers = if threads::is_worth(blocks >= 8) { workers } else { 1 };
        let (candidates, found) = (Shared::new(candidates), Shared::new(found));
        threads::run(workers, &[blocks as u32], counters, |Task { block, .. }| {
            let start = block as usize * size;
            let mut count = 0;
            for (word, marks) in marks.iter().enumerate().skip(start).take(size) {
                for place in marks::places(word * WORD, marks.pushing()).filter(|place| is_on_ground(&heads[*place])) {
                    // SAFETY: each block is one worker's, and has as many places as pairs.
                    #[allow(unsafe_code)]
                    let candidate = unsafe { candidates.get_mut(start * WORD + count) };
                    *candidate = Candidate::new(place, &heads[place]);
                    count += 1;
                }
            }
            // SAFETY: as above.
            #[allow(unsafe_code)]
            let found = unsafe { found.get_mut(block as usize) };
            *found = count as u32;
        });
    }

    /// Lists the manifolds that touch one of several places of a ground.
    fn find_members(&mut self, meetings: &[Meeting], bodies: &Bodies) {
        let Self { has_struck, counts, block_size, candidates, found, members, .. } = self;
        let is_struck = |body: u32| has_struck[body as usize].load(Ordering::Relaxed);
        let candidates = || {
            let blocks = candidates.chunks((*block_size).max(1)).zip(found.iter());
            blocks.flat_map(|(block, count)| &block[..*count as usize])
        };
        counts.clear();
        counts.resize(bodies.len(), (0, false));
        for head in candidates() {
            for body in head.bodies {
                let (count, has_solid) = &mut counts[body as usize];
                *count += head.manifolds;
                // No normal leads into a surface of triangles.
                *has_solid |= !head.has_surface;
            }
        }
        members.clear();
        for head in candidates() {
            let (place, slots) = (head.place, head.slots);
            // Only what counts as ground may be a compound.
            let [is_compound_a, is_compound_b] =
                if head.has_ground { slots.map(|slot| is_compound(bodies, slot)) } else { [false; 2] };
            for (ground, rests) in [(0, 1), (1, 0)] {
                let (ground_body, rests_body) = (head.bodies[ground], head.bodies[rests]);
                let moves = bodies.activity(ground_body).moves;
                let is_compound = moves && [is_compound_a, is_compound_b][ground];
                let (count, has_solid) = counts[rests_body as usize];
                // What touches the ground once has nothing to be led into.
                if count < 2 || !has_solid || !(!moves || is_compound || is_struck(rests_body)) {
                    continue;
                }
                let is_open = !moves || is_compound || head.strikes;
                for index in 0..head.manifolds {
                    // Of what is in one part nothing else need be read.
                    let parts = if is_compound_a || is_compound_b {
                        let pair = &meetings[place as usize].manifolds()[index as usize].pair;
                        [pair.a.part, pair.b.part]
                    } else {
                        [0; 2]
                    };
                    members.push(Member {
                        rests: (slots[rests], parts[rests]),
                        ground: is_compound.then_some(ground_body),
                        part: ConvexPart { body: ground_body, collider: slots[ground], part: parts[ground] },
                        place: (place, index),
                        is_ground_first: ground == 0,
                        is_open,
                        is_solid: !head.has_surface,
                    });
                }
            }
        }
    }

    /// Sorts the members by the collider that rests, by counting.
    fn sort(&mut self, slots: u32) {
        let Self { members, starts, order, groups, .. } = self;
        starts.clear();
        starts.resize(slots as usize + 1, 0);
        members.iter().for_each(|member| starts[member.rests.0 as usize] += 1);
        groups.clear();
        let mut end = 0;
        for start in starts.iter_mut() {
            let count = std::mem::replace(start, end);
            if count > 1 {
                groups.push(end..end + count);
            }
            end += count;
        }
        order.clear();
        order.resize(members.len(), 0);
        for (place, member) in (0u32..).zip(&*members) {
            let next = &mut starts[member.rests.0 as usize];
            order[*next as usize] = place;
            *next += 1;
        }
    }

    /// Finds out where the normals lead, of each collider by itself.
    fn follow_normals(&mut self, meetings: &[Meeting], bodies: &Bodies, workers: usize) {
        let Self { members, order, groups, leads, counters, .. } = self;
        leads.clear();
        leads.resize(members.len(), Leads::Outside);
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
