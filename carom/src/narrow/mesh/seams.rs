//! No catching on the seams between abutting shapes of the world (N6): children of a compound, or bodies side by side.
//!
//! What touches several parts of such a ground, at a place that another of these parts has as well, along a normal that
//! leads into that other part, touches it only because each part is taken for a body of its own; see
//! [`inner_edge`](super::inner_edge). The manifold is left out if one that leads nowhere is there for the same shape.
//! Bodies that move are ground as well for what is about to strike one of them, as far as they move together: little,
//! compared with how fast they are struck. As they give way under a load, a small step between them is none.
//! Cost: a sort of the manifolds on such ground, and a pair test for each two of one shape.

use super::parts::leads_into;
use crate::body::Bodies;
use crate::distance::placement::Placement;
use crate::mid::{self, ConvexPart};
use crate::narrow::meetings::Head;
use crate::narrow::stage::{Contact, Manifold, Meeting};
use crate::shape::Shape;
use glam::DVec3;

/// A step between bodies that move of this share of the smaller part's reach is none.
const STEP: f64 = 2e-3;
/// So much of its reach in a second is the slowest approach that is looked after.
const SLOW: f32 = 0.05;
/// Bodies that move against each other by less than this share of how fast they are struck move together.
const TOGETHER: f32 = 0.2;

/// The manifolds by what rests on the ground; kept to spare allocations.
#[derive(Debug, Clone, Default)]
pub(in crate::narrow) struct SeamScratch {
    /// Of each body whether it is about to strike one that moves, or to be struck.
    has_struck: Vec<bool>,
    /// Of each body how many manifolds may rest on ground.
    counts: Vec<u32>,
    members: Vec<Member>,
    is_inner: Vec<bool>,
}

/// A manifold as one of those of a part with a ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    /// The collider and the part that rests.
    rests: (u32, u32),
    /// The body of the ground, or none for all that nothing moves and what is about to be struck.
    ground: Option<u32>,
    /// The pair, and which of its manifolds.
    place: (u32, u32),
    /// Whether the ground is the first of the manifold's pair.
    is_ground_first: bool,
    /// Whether it may prove to lead into other ground.
    is_open: bool,
}

/// Marks the manifolds whose normals lead into another part of the ground.
pub(in crate::narrow) fn mark_inner_seams(
    heads: &mut [Head],
    meetings: &mut [Meeting],
    bodies: &Bodies,
    scratch: &mut SeamScratch,
) {
    let SeamScratch { has_struck, counts, members, is_inner } = scratch;
    members.clear();
    find_struck(heads, bodies, has_struck);
    let is_struck = |body: u32| has_struck.get(body as usize) == Some(&true);
    let is_on_ground = |head: &Head| {
        head.is_live && (head.has_ground || head.pushes() && head.bodies.iter().any(|body| is_struck(*body)))
    };
    counts.clear();
    counts.resize(bodies.len(), 0);
    for head in heads.iter().filter(|head| is_on_ground(head)) {
        head.bodies.iter().for_each(|body| counts[*body as usize] += head.manifolds);
    }
    // What touches the ground once has nothing to be led into. The rest is seldom.
    let rests_on = |rests: u32, ground: u32, slot: u32| {
        let moves = || bodies.motions()[ground as usize].is_movable();
        let is_compound = || bodies.collider(slot).is_some_and(|it| matches!(it.shape, Shape::Compound(_)));
        counts[rests as usize] > 1 && (is_struck(rests) || !moves() || is_compound())
    };
    let on_ground = heads.iter().zip(&*meetings).enumerate().filter(|(_, (head, _))| {
        let ([a, b], pair) = (head.bodies, head.pair);
        is_on_ground(head) && (rests_on(a, b, pair.b) || rests_on(b, a, pair.a))
    });
    for (place, (head, meeting)) in on_ground {
        let place = place as u32;
        for (index, manifold) in (0u32..).zip(meeting.manifolds()) {
            let parts = [&manifold.pair.a, &manifold.pair.b];
            for (ground, rests) in [(0, 1), (1, 0)] {
                let (ground_part, rests) = (parts[ground], parts[rests]);
                let moves = bodies.motions()[ground_part.body as usize].is_movable();
                let is_compound = moves && is_compound(bodies, ground_part);
                if !moves || is_compound || is_struck(rests.body) {
                    let (rests, ground_body) = ((rests.collider, rests.part), is_compound.then_some(ground_part.body));
                    let (place, is_ground_first) = ((place, index), ground == 0);
                    let is_open = !moves || is_compound || !head.is_touching;
                    members.push(Member { rests, ground: ground_body, place, is_ground_first, is_open });
                }
            }
        }
    }
    members.sort_unstable();
    for group in members.chunk_by(|p, q| (p.rests, p.ground) == (q.rests, q.ground)) {
        if group.len() < 2 {
            continue;
        }
        is_inner.clear();
        is_inner.extend(group.iter().map(|member| {
            let others = group.iter().filter(|other| other.place != member.place);
            member.is_open && leads_into_any(member, others, meetings, bodies)
        }));
        let is_held = is_inner.contains(&false);
        for (member, is_inner) in group.iter().zip(&*is_inner) {
            let (place, index) = member.place;
            let manifold = &mut meetings[place as usize].manifolds_mut()[index as usize];
            manifold.is_inner |= *is_inner && is_held;
            heads[place as usize].has_inner |= manifold.is_inner;
        }
    }
}

/// Marks the bodies of pairs that are about to strike each other.
fn find_struck(heads: &[Head], bodies: &Bodies, has_struck: &mut Vec<bool>) {
    has_struck.clear();
    for head in heads.iter().filter(|head| head.is_live && head.is_about_to_strike) {
        has_struck.resize(bodies.len(), false);
        head.bodies.iter().for_each(|body| has_struck[*body as usize] = true);
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

fn is_compound(bodies: &Bodies, part: &ConvexPart) -> bool {
    bodies.collider(part.collider).is_some_and(|collider| matches!(collider.shape, Shape::Compound(_)))
}

fn manifold_of<'a>(member: &Member, meetings: &'a [Meeting]) -> &'a Manifold {
    &meetings[member.place.0 as usize].manifolds()[member.place.1 as usize]
}

/// Whether the normal of a member at the middle of its points leads into the ground of another.
fn leads_into_any<'a>(
    member: &Member,
    mut others: impl Iterator<Item = &'a Member>,
    meetings: &[Meeting],
    bodies: &Bodies,
) -> bool {
    let manifold = manifold_of(member, meetings);
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
    let own = if member.is_ground_first { &manifold.pair.a } else { &manifold.pair.b };
    let closing = (velocity(own) - velocity(rests)).dot(outward.as_vec3());
    let is_slow = closing < SLOW * manifold.size;
    if is_slow && member.ground.is_none() && motion(own).is_movable() {
        return false;
    }
    others.any(|other| {
        let pair = &manifold_of(other, meetings).pair;
        let ground = if other.is_ground_first { &pair.a } else { &pair.b };
        let is_loose = member.ground.is_none() && (motion(own).is_movable() || motion(ground).is_movable());
        if is_loose {
            let apart = (velocity(own) - velocity(ground)).length();
            if is_slow || apart > TOGETHER * closing {
                return false;
            }
        }
        let slack = if is_loose { STEP * f64::from(manifold.size) } else { 0.0 };
        mid::part_of(bodies, ground).is_some_and(|(shape, pose)| {
            let placement = Placement::new(pose.position - origin, pose.rotation);
            leads_into(shape, &placement, (place, outward), slack)
        })
    })
}
