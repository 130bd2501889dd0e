//! What a box or a hull on a surface of triangles keeps from step to step: all of its patches.
//!
//! While the part has moved by less than a share of its reach, seen from the surface, depths are measured anew between the
//! same points, as [`cache`](crate::narrow::cache) does it for two convex parts; that nothing touches is kept as well. The
//! motion is computed in f64, since the origin of the surface may be far away. Of what moves faster than that nothing is
//! kept but where it was.

use super::is_surface;
use super::view::View;
use crate::distance::placement::Placement;
use crate::narrow::cache::{Kept, within};
use crate::narrow::clip::Clipped;
use crate::narrow::{LocalManifold, PartManifold};
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::DQuat;

/// See above.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptPatches {
    /// Where the surface was, seen from the part; none before.
    place: Option<Placement>,
    /// Up to which gap patches were asked for; none if they are not kept.
    margin: Option<f32>,
    patches: Vec<Kept>,
}

/// What came of following a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// The patches are where they were.
    Kept,
    /// They are to be found anew, and kept.
    Slow,
    /// It moves so fast that they would not be kept for a step.
    Fast,
}

/// What moves by so many times as much as it may is fast.
const FAST: f64 = 2.0;

impl KeptPatches {
    /// With room for so many patches.
    pub(super) fn with_room(room: usize) -> Self {
        Self { place: None, margin: None, patches: Vec::with_capacity(room) }
    }

    /// Forgets all, but keeps its room.
    pub(super) fn clear(&mut self) {
        (self.place, self.margin) = (None, None);
        self.patches.clear();
    }

    /// How many bytes it holds beyond its own.
    pub(super) fn size(&self) -> usize {
        size_of_val(&self.patches[..])
    }

    /// Whether patches of these two are kept: those of sharp boxes and hulls. Others are quickly found, and their normals
    /// turn as they roll.
    pub(super) fn are_kept(view: &View<'_>) -> bool {
        let is_sharp = match view.near {
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
        is_sharp && is_surface(view.far)
    }

    /// The patches where the surface is now, of a part of this size, if it has hardly moved.
    pub(super) fn follow(
        &self,
        now: &Placement,
        size: f32,
        (margin, allowed): (f32, f32),
        mut visit: impl FnMut(&LocalManifold),
    ) -> Followed {
        let Some(before) = &self.place else { return Followed::Slow };
        let shift = now.position - now.direction_to_outer(before.direction_to_inner(before.position));
        let (turn, turn_before) = (now.rotation, before.rotation);
        let trace = turn.x_axis.dot(turn_before.x_axis)
            + turn.y_axis.dot(turn_before.y_axis)
            + turn.z_axis.dot(turn_before.z_axis);
        // The square of the chord of a turn is 2 - 2 cos, and the trace 1 + 2 cos. No point of the part's ball is moved farther.
        let moved = shift.length() + (3.0 - trace).max(0.0).sqrt() * f64::from(size);
        let allowed = f64::from(allowed);
        // What is not a number has moved.
        if moved.is_nan() || moved > FAST * allowed {
            return Followed::Fast;
        }
        if moved > allowed || self.margin != Some(margin) {
            return Followed::Slow;
        }
        let turn = DQuat::from_mat3(&(turn * turn_before.transpose()));
        let motion = LocalPose::new(shift.as_vec3(), turn.as_quat());
        self.patches.iter().filter_map(|patch| patch.moved(&motion, margin)).for_each(|local| visit(&local));
        Followed::Kept
    }

    /// Keeps where a surface is and none of its patches.
    pub(super) fn note_place(&mut self, place: &Placement) {
        (self.place, self.margin) = (Some(*place), None);
        self.patches.clear();
    }

    /// Takes in all patches, found with a gap of up to `margin` and twice what they may move; tells those within `margin`.
    pub(super) fn take_in(
        &mut self,
        (place, size): (&Placement, f32),
        found: &[PartManifold],
        (margin, allowed): (f32, f32),
        mut visit: impl FnMut(&LocalManifold),
    ) {
        (self.place, self.margin) = (Some(*place), Some(margin));
        self.patches.clear();
        for PartManifold { manifold, .. } in found {
            // Nearly all normals are those of triangles.
            let clipped = Clipped { manifold: *manifold, kept_deepest: true, is_normal_of_b: true };
            self.patches.push(Kept::new(&clipped, &LocalPose::IDENTITY, [allowed, size], margin));
            within(manifold, margin).iter().for_each(&mut visit);
        }
    }
}

#[cfg(test)]
mod tests;
