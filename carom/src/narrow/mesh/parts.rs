//! Compounds: every child against every part of the other whose boxes meet, and no catching where children abut (N6).
//!
//! The union of convex children has at a point w only the normals that every child with that point has; see
//! [`inner_edge`](super::inner_edge). A patch whose normal leads into another child is dropped, if one that does not is
//! left of the same part of the other shape: at a seam between two flush boxes the one that carries says the right
//! normal, and the other comes in as soon as the shape is farther over it than it is deep.

use super::surface::moved_bounds;
use super::{ContactBuffer, Kind, PartManifold, Relative, contacts_in};
use crate::bounds::{Aabb, BoundingVolume};
use crate::distance::convex::Core;
use crate::distance::placement::Placement;
use crate::narrow::{ContactError, InnerEdges, LocalManifold, contact_in, convex};
use crate::pose::LocalPose;
use crate::shape::hull::FacePlane;
use crate::shape::{Compound, Part, Shape};
use glam::DVec3;

/// How far the planes of a hull may be off, as a share of its reach.
const HULL_ROUNDING: f64 = 1e-6;

/// Adds the contacts of two shapes of which at least one is a compound.
pub(super) fn contacts(
    a: &Shape,
    b: &Shape,
    b_in_a: &Relative,
    margin: f32,
    buffer: &mut ContactBuffer,
) -> Result<(), ContactError> {
    let start = buffer.manifolds.len();
    let whole_b = b_in_a;
    for (child_a, pose_a, part_a) in children(a) {
        let to_a = pose_a.map(|pose| (pose.inverse(), Placement::of_part(pose)));
        let b_in_part = to_a.as_ref().map_or(*whole_b, |(inverse, placement)| Relative {
            pose: inverse.compose(&whole_b.pose),
            placement: placement.inverse().compose(&whole_b.placement),
        });
        let bounds_a = bounds(part_a, &Placement::IDENTITY)?;
        for (child_b, pose_b, part_b) in children(b) {
            let other = pose_b.map_or(b_in_part, |pose| Relative {
                pose: b_in_part.pose.compose(pose),
                placement: b_in_part.placement.compose(&Placement::of_part(pose)),
            });
            if let (Some(own), Some(other)) = (bounds_a, bounds(part_b, &other.placement)?)
                && !own.enlarged(margin * (1.0 + f32::EPSILON)).overlaps(&other)
            {
                continue;
            }
            let first = buffer.manifolds.len();
            contacts_in(part_a, part_b, &other, margin, buffer)?;
            for found in &mut buffer.manifolds[first..] {
                found.parts[0].child = child_a;
                found.parts[1].child = child_b;
                if let Some((_, placement)) = &to_a {
                    found.manifold = placed(&found.manifold, placement);
                }
            }
        }
    }
    if buffer.inner_edges == InnerEdges::Smooth {
        let ContactBuffer { manifolds, flags, .. } = buffer;
        drop_inner(a, b, &b_in_a.placement, start, manifolds, flags);
    }
    Ok(())
}

/// The parts of a shape with their poses; of any but a compound, the shape itself.
fn children(shape: &Shape) -> impl Iterator<Item = (u32, Option<&LocalPose>, &Shape)> {
    let (parts, whole): (&[Part], _) = match Kind::of(shape) {
        Kind::Compound(compound) => (compound.parts(), None),
        Kind::Whole | Kind::HalfSpace(_) | Kind::Surface(_) => (&[], Some((0, None, shape))),
    };
    let parts = (0u32..).zip(parts).map(|(child, part)| (child, Some(&part.pose), &part.shape));
    parts.chain(whole)
}

/// A box around a shape at a placement; none around a half-space.
fn bounds(shape: &Shape, placement: &Placement) -> Result<Option<Aabb>, ContactError> {
    Ok(match Kind::of(shape) {
        Kind::Whole => match convex::of_shape(shape) {
            Some(convex) => Some(convex.bounds(placement)?),
            None => None,
        },
        Kind::Surface(surface) => Some(moved_bounds(&surface.bounds(), placement, 0.0)),
        Kind::HalfSpace(_) | Kind::Compound(_) => None,
    })
}

/// A manifold of a part at a placement, in the frame around it.
fn placed(manifold: &LocalManifold, placement: &Placement) -> LocalManifold {
    let mut moved = LocalManifold::empty(placement.direction_to_outer(manifold.normal.as_dvec3()).as_vec3());
    for contact in manifold.contacts() {
        let mut contact = *contact;
        contact.point = placement.point_to_outer(contact.point.as_dvec3()).as_vec3();
        moved.push(contact);
    }
    moved
}

/// Drops the patches from `start` on whose normals lead into another child.
fn drop_inner(
    a: &Shape,
    b: &Shape,
    b_in_a: &Placement,
    start: usize,
    manifolds: &mut Vec<PartManifold>,
    flags: &mut Vec<[bool; 2]>,
) {
    let found = &manifolds[start..];
    if found.len() < 2 {
        return;
    }
    let is_inner = |patch: &PartManifold| {
        let normal = patch.manifold.normal.as_dvec3();
        let on = |sign: f64| place(&patch.manifold, sign);
        let own = match Kind::of(a) {
            Kind::Compound(compound) => leads_into_another(compound, patch.parts[0].child, on(1.0), normal),
            Kind::Whole | Kind::HalfSpace(_) | Kind::Surface(_) => false,
        };
        own || match Kind::of(b) {
            Kind::Compound(compound) => leads_into_another(
                compound,
                patch.parts[1].child,
                b_in_a.point_to_inner(on(-1.0)),
                b_in_a.direction_to_inner(-normal),
            ),
            Kind::Whole | Kind::HalfSpace(_) | Kind::Surface(_) => false,
        }
    };
    let shares = |patch: &PartManifold, other: &PartManifold| {
        (0..2).any(|side| patch.parts[side].child == other.parts[side].child)
    };
    flags.clear();
    flags.extend(found.iter().map(|patch| [is_inner(patch), false]));
    for index in 0..found.len() {
        let carries = |other: usize| !flags[other][0] && shares(&found[index], &found[other]);
        flags[index][1] = flags[index][0] && (0..found.len()).any(carries);
    }
    let mut index = 0;
    manifolds.retain(|_| {
        index += 1;
        index <= start || !flags[index - 1 - start][1]
    });
}

/// The mean of a patch's points on the surface of the first shape (`sign` 1) or the second (-1).
fn place(manifold: &LocalManifold, sign: f64) -> DVec3 {
    let normal = manifold.normal.as_dvec3();
    let contacts = manifold.contacts();
    let sum = contacts.iter().fold(DVec3::ZERO, |sum, contact| {
        sum + contact.point.as_dvec3() + normal * (0.5 * sign * f64::from(contact.depth))
    });
    sum / contacts.len().max(1) as f64
}

/// Whether a normal of a child at a place, all in the compound's frame, leads into another child that has the place.
fn leads_into_another(compound: &Compound, child: u32, place: DVec3, normal: DVec3) -> bool {
    compound.parts().iter().enumerate().any(|(index, part)| {
        index != child as usize && leads_into(&part.shape, &Placement::of_part(&part.pose), (place, normal), 0.0)
    })
}

/// Whether a place, seen from where a shape is, is farther away than the shape reaches with some slack, whichever way it is
/// turned. Asked before [`leads_into`], which needs to know how it is.
pub(in crate::narrow) fn is_out_of_reach(shape: &Shape, place: DVec3, slack: f64) -> bool {
    let reach = match shape {
        Shape::Sphere(sphere) => f64::from(sphere.radius()),
        Shape::Cuboid(cuboid) => f64::from(cuboid.core().half_extents().length() + cuboid.radius()),
        Shape::Hull(hull) => hull.core().outer_radius() + f64::from(hull.radius()),
        _ => return false,
    };
    place.length_squared() > (1.001 * reach + slack).powi(2)
}

/// Whether a convex shape at a placement has a place, or comes as near to it as `slack`, and more beyond it along the
/// normal.
pub(in crate::narrow) fn leads_into(
    shape: &Shape,
    placement: &Placement,
    (place, normal): (DVec3, DVec3),
    slack: f64,
) -> bool {
    let Some(convex) = convex::of_shape(shape) else { return false };
    let (place, normal) = (placement.point_to_inner(place), placement.direction_to_inner(normal));
    let Ok(farthest) = convex.core.support(normal) else { return false };
    let away = farthest + convex.radius * normal - place;
    let along = normal.dot(away);
    let tolerance = slack.max(1e-5 * (away.length() + place.length()));
    if along <= tolerance {
        return false;
    }
    match convex.core {
        Core::Cuboid(half) => return (place.abs() - half).max(DVec3::ZERO).length() - convex.radius <= tolerance,
        Core::Hull(hull) => {
            // Above the plane of a face: farther away still from the solid.
            let limit = tolerance + convex.radius + HULL_ROUNDING * hull.outer_radius();
            let is_above = |plane: &FacePlane| plane.normal.as_dvec3().dot(place) - f64::from(plane.offset) > limit;
            if hull.planes().iter().any(is_above) {
                return false;
            }
        }
        _ => {}
    }
    let pose = LocalPose::at(place.as_vec3());
    let at = || Placement { position: place, ..Placement::IDENTITY };
    matches!(contact_in(shape, &Shape::point(), &pose, at, tolerance as f32, None), Ok(Some(_)))
}
