//! No catching on the seams between abutting shapes of the world (N6): children of a compound, or bodies side by side
//! that nothing moves.
//!
//! What touches several parts of such a ground, at a place that another of these parts has as well, along a normal that
//! leads into that other part, touches it only because each part is taken for a body of its own; see
//! [`inner_edge`](super::inner_edge). The manifold is dropped if one that leads nowhere is left for the same shape.
//! Bodies that move are not ground for others: only the children of each one are.
//! Cost: a sort of the manifolds on such ground, and a pair test for each two of one shape.

use super::parts::leads_into;
use super::{ContactBuffer, InnerEdges};
use crate::body::Bodies;
use crate::distance::placement::Placement;
use crate::mid::{self, ConvexPart};
use crate::narrow::Manifold;
use crate::shape::Shape;
use glam::DVec3;

/// The manifolds by what rests on the ground, and which of them are dropped; kept to spare allocations.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    members: Vec<Member>,
    is_inner: Vec<bool>,
    is_dropped: Vec<bool>,
}

/// A manifold as one of those of a part with a ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    /// The collider and the part that rests.
    rests: (u32, u32),
    /// The body of the ground, or none for all that nothing moves.
    ground: Option<u32>,
    manifold: u32,
    /// Whether the ground is the first of the manifold's pair.
    is_ground_first: bool,
}

/// Drops the manifolds whose normals lead into another part of the ground.
pub(in crate::narrow) fn drop_inner_seams(manifolds: &mut Vec<Manifold>, bodies: &Bodies, buffer: &mut ContactBuffer) {
    if buffer.inner_edges == InnerEdges::Felt {
        return;
    }
    let Scratch { members, is_inner, is_dropped } = &mut buffer.seams;
    members.clear();
    for (index, manifold) in (0u32..).zip(&*manifolds) {
        let parts = [&manifold.pair.a, &manifold.pair.b];
        for (ground, rests) in [(0, 1), (1, 0)] {
            let (ground_part, rests) = (parts[ground], parts[rests]);
            let moves = bodies.motions()[ground_part.body as usize].is_movable();
            if !moves || is_compound(bodies, ground_part) {
                let (rests, ground_body) = ((rests.collider, rests.part), moves.then_some(ground_part.body));
                members.push(Member { rests, ground: ground_body, manifold: index, is_ground_first: ground == 0 });
            }
        }
    }
    members.sort_unstable();
    is_dropped.clear();
    for group in members.chunk_by(|p, q| (p.rests, p.ground) == (q.rests, q.ground)) {
        if group.len() < 2 {
            continue;
        }
        is_inner.clear();
        is_inner.extend(group.iter().map(|member| {
            let others = group.iter().filter(|other| other.manifold != member.manifold);
            leads_into_any(member, others, manifolds, bodies)
        }));
        if is_inner.contains(&true) && is_inner.contains(&false) {
            is_dropped.resize(manifolds.len(), false);
            for (member, _) in group.iter().zip(&*is_inner).filter(|(_, is_inner)| **is_inner) {
                is_dropped[member.manifold as usize] = true;
            }
        }
    }
    if !is_dropped.is_empty() {
        let mut dropped = is_dropped.iter();
        manifolds.retain(|_| !dropped.next().copied().unwrap_or(false));
    }
}

fn is_compound(bodies: &Bodies, part: &ConvexPart) -> bool {
    bodies.collider(part.collider).is_some_and(|collider| matches!(collider.shape, Shape::Compound(_)))
}

fn ground_of<'a>(member: &Member, manifolds: &'a [Manifold]) -> &'a ConvexPart {
    let pair = &manifolds[member.manifold as usize].pair;
    if member.is_ground_first { &pair.a } else { &pair.b }
}

/// Whether the normal of a member at the middle of its points leads into the ground of another.
fn leads_into_any<'a>(
    member: &Member,
    mut others: impl Iterator<Item = &'a Member>,
    manifolds: &[Manifold],
    bodies: &Bodies,
) -> bool {
    let manifold = &manifolds[member.manifold as usize];
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
        let ground = ground_of(other, manifolds);
        let placement = Placement::new(ground.pose.position - origin, ground.pose.rotation);
        mid::shape_of(bodies, ground).is_some_and(|shape| leads_into(shape, &placement, place, outward))
    })
}
