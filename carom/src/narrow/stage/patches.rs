//! What a box or a hull on a surface of triangles keeps from step to step: all of its patches.
//!
//! While the part has moved by less than a share of its reach, seen from the surface, depths are measured anew between the
//! same points, as [`cache`](crate::narrow::cache) does it for two convex parts; that nothing touches is kept as well. The
//! motion is computed in f64, since the origin of the surface may be far away.

use super::view::{View, is_surface};
use crate::narrow::cache::{Kept, within};
use crate::narrow::clip::Clipped;
use crate::narrow::{LocalManifold, PartManifold};
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DQuat, DVec3};

/// See above.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptPatches {
    /// Where the surface was, seen from the part, and up to which gap patches were asked for; none before.
    found: Option<(Place, f32)>,
    patches: Vec<Kept>,
}

/// Where a surface is, seen from a part.
#[derive(Debug, Clone, Copy)]
struct Place {
    rotation: DQuat,
    position: DVec3,
}

impl Place {
    fn of(view: &View<'_>) -> Self {
        let inward = view.near.1.rotation.as_dquat().normalize().conjugate();
        Self { rotation: inward * view.far.1.rotation.as_dquat().normalize(), position: inward * view.offset }
    }
}

impl KeptPatches {
    /// With room for so many patches.
    pub(super) fn with_room(room: usize) -> Self {
        Self { found: None, patches: Vec::with_capacity(room) }
    }

    /// Forgets all, but keeps its room.
    pub(super) fn clear(&mut self) {
        self.found = None;
        self.patches.clear();
    }

    /// How many bytes it holds beyond its own.
    pub(super) fn size(&self) -> usize {
        size_of_val(&self.patches[..])
    }

    /// Whether patches of these two are kept: those of sharp boxes and hulls. Others are quickly found, and their normals
    /// turn as they roll.
    pub(super) fn are_kept(view: &View<'_>) -> bool {
        let is_sharp = match view.near.0 {
            Shape::Cuboid(cuboid) => cuboid.radius() == 0.0,
            Shape::Hull(hull) => hull.radius() == 0.0,
            Shape::Point(_)
            | Shape::Segment(_)
            | Shape::Triangle(_)
            | Shape::Sphere(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::HalfSpace(_)
            | Shape::Mesh(_)
            | Shape::HeightField(_)
            | Shape::Compound(_)
            | Shape::Custom(_) => false,
        };
        is_sharp && is_surface(view.far.0)
    }

    /// The patches where the surface is now, if it has hardly moved; says whether it has.
    pub(super) fn follow(
        &self,
        view: &View<'_>,
        (margin, allowed): (f32, f32),
        mut visit: impl FnMut(&LocalManifold),
    ) -> bool {
        let Some((before, of_margin)) = self.found else { return false };
        if of_margin != margin {
            return false;
        }
        let now = Place::of(view);
        let turn = now.rotation * before.rotation.conjugate();
        let shift = now.position - turn * before.position;
        // No point of the part's ball is moved farther.
        let moved = shift.length() + 2.0 * turn.xyz().length() * f64::from(view.size);
        // What is not a number has moved.
        if moved.is_nan() || moved > f64::from(allowed) {
            return false;
        }
        let motion = LocalPose::new(shift.as_vec3(), turn.as_quat());
        self.patches.iter().filter_map(|patch| patch.moved(&motion, margin)).for_each(|local| visit(&local));
        true
    }

    /// Takes in all patches, found with a gap of up to `margin` and twice what they may move; tells those within `margin`.
    pub(super) fn take_in(
        &mut self,
        view: &View<'_>,
        found: &[PartManifold],
        (margin, allowed): (f32, f32),
        mut visit: impl FnMut(&LocalManifold),
    ) {
        self.found = Some((Place::of(view), margin));
        self.patches.clear();
        for PartManifold { manifold, .. } in found {
            // Nearly all normals are those of triangles.
            let clipped = Clipped { manifold: *manifold, kept_deepest: true, is_normal_of_b: true };
            self.patches.push(Kept::new(&clipped, &LocalPose::IDENTITY, [allowed, view.size], margin));
            within(manifold, margin).iter().for_each(&mut visit);
        }
    }
}

#[cfg(test)]
mod tests;
