//! No catching on the seams between abutting shapes of the world (N6): children of a compound, or bodies side by side
//! that nothing moves.
//!
//! What touches several parts of such a ground, at a place that another of these parts has as well, along a normal that
//! leads into that other part, touches it only because each part is taken for a body of its own; see
//! [`inner_edge`](super::inner_edge). The manifold is left out if one that leads nowhere is there for the same shape.
//! Bodies that move are not ground for others: only the children of each one are.
//! Cost: a sort of the manifolds on such ground, and a pair test for each two of one shape.

use super::parts::leads_into;
use crate::body::Bodies;
use crate::distance::placement::Placement;
use crate::mid::{self, ConvexPart};
use crate::narrow::meetings::Head;
use crate::narrow::stage::{Manifold, Meeting};
use crate::shape::Shape;
use glam::DVec3;

/// The manifolds by what rests on the ground; kept to spare allocations.
#[derive(Debug, Clone, Default)]
pub(in crate::narrow) struct SeamScratch {
    members: Vec<Member>,
    is_inner: Vec<bool>,
}

/// A manifold as one of those of a part with a ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    /// The collider and the part that rests.
    rests: (u32, u32),
    /// The body of the ground, or none for all that nothing moves.
    ground: Option<u32>,
    /// The pair, and which of its manifolds.
    place: (u32, u32),
    /// Whether the ground is the first of the manifold's pair.
    is_ground_first: bool,
}

/// Marks the manifolds whose normals lead into another part of the ground.
pub(in crate::narrow) fn mark_inner_seams(
    heads: &mut [Head],
    meetings: &mut [Meeting],
    bodies: &Bodies,
    scratch: &mut SeamScratch,
) {
    let SeamScratch { members, is_inner } = scratch;
    members.clear();
    let on_ground = heads.iter().zip(&*meetings).enumerate().filter(|(_, (head, _))| head.has_ground && head.is_live);
    for (place, (_, meeting)) in on_ground {
        let place = place as u32;
        for (index, manifold) in (0u32..).zip(meeting.manifolds()) {
            let parts = [&manifold.pair.a, &manifold.pair.b];
            for (ground, rests) in [(0, 1), (1, 0)] {
                let (ground_part, rests) = (parts[ground], parts[rests]);
                let moves = bodies.motions()[ground_part.body as usize].is_movable();
                if !moves || is_compound(bodies, ground_part) {
                    let (rests, ground_body) = ((rests.collider, rests.part), moves.then_some(ground_part.body));
                    let (place, is_ground_first) = ((place, index), ground == 0);
                    members.push(Member { rests, ground: ground_body, place, is_ground_first });
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
            leads_into_any(member, others, meetings, bodies)
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
    others.any(|other| {
        let pair = &manifold_of(other, meetings).pair;
        let ground = if other.is_ground_first { &pair.a } else { &pair.b };
        mid::part_of(bodies, ground).is_some_and(|(shape, pose)| {
            let placement = Placement::new(pose.position - origin, pose.rotation);
            leads_into(shape, &placement, place, outward)
        })
    })
}
