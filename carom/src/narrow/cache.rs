//! What a pair of parts keeps from one frame to the next, and how it is used.
//!
//! Apart: the axis that parted them; if it still does, nothing else is asked. Touching: the points on both surfaces, in
//! the frame of each, and the normal in the frame of the part whose face it is. While the pair has moved by less than
//! a share of its size since they were found, the depths are measured anew between the same points: exact for the corners
//! of a face contact, and off by the square of the motion for crossing edges. Points that were apart by up to twice that
//! motion are kept as well, so that none that begins to touch is missed.

use super::clip::Clipped;
use super::convex::{self, Answer, Expected, Purpose, Wish};
use super::{ContactError, Feature, LocalContact, LocalManifold, MAX_POINTS, Pair};
use crate::distance::convex::SupportFault;
use crate::distance::placement::Placement;
use crate::distance::signed::Cache;
use crate::pose::LocalPose;
use crate::trace::Tracer;
use glam::{DVec3, Mat3, Vec3, Vec4};

/// The motion during which points are kept, unless said.
const KEPT: f32 = 3e-4;

/// What one pair of shapes keeps between calls of [`super::contact_cached`]; small and free to copy. The default knows
/// nothing.
#[derive(Debug, Clone, Copy)]
pub struct PairCache {
    last: Last,
    search: Cache,
    /// The motion, as a share of the smaller part's reach, during which points are kept.
    kept: f32,
    purpose: Purpose,
}

impl Default for PairCache {
    fn default() -> Self {
        Self { purpose: Purpose::Knowledge, ..Self::pushing(KEPT) }
    }
}

impl PairCache {
    /// A cache of contacts that are pushed at; it keeps points during a motion of this share of the smaller part's reach.
    pub(crate) fn pushing(share: f32) -> Self {
        Self { last: Last::Nothing, search: Cache::default(), kept: share, purpose: Purpose::Push }
    }

    /// An axis in the frame of the first part that is likely to part the pair, as far as the last answer knew one.
    pub(super) fn axis(&self, b_in_a: &LocalPose) -> Option<Vec3> {
        match &self.last {
            Last::Nothing => None,
            Last::Apart(axis) => Some(*axis),
            Last::Touching(kept) if kept.is_normal_of_b => Some(b_in_a.direction_to_outer(kept.normal)),
            Last::Touching(kept) => Some(kept.normal),
        }
    }

    /// The contact that was found last, to be moved along; none if the pair has moved too far or did not touch.
    #[inline]
    pub(super) fn kept(&self, b_in_a: &LocalPose, margin: f32) -> Option<&Kept> {
        match &self.last {
            Last::Touching(kept) if kept.margin == margin && kept.has_hardly_moved(b_in_a) => Some(kept),
            Last::Touching(_) | Last::Nothing | Last::Apart(_) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::large_enum_variant, reason = "a cache is kept in place, with room for the largest")]
enum Last {
    #[default]
    Nothing,
    /// A unit axis that parted the pair, in the frame of the first.
    Apart(Vec3),
    Touching(Kept),
}

/// A manifold that can be moved along.
#[derive(Debug, Clone, Copy)]
// In this order: the normal is read four numbers at a time, of which the last must be none of the tiny ones that integers
// and gaps look like (see `LocalPose`).
#[repr(C)]
pub(super) struct Kept {
    b_in_a: LocalPose,
    /// In the frame of the second part if the normal is its own.
    normal: Vec3,
    margin: f32,
    /// One over the square of how far a point of the second part may move, seen from the first; NaN if f32 cannot tell.
    inverse_square: f32,
    reach_of_b: f32,
    is_normal_of_b: bool,
    count: u8,
    /// On the surface of the first part in its frame, and of the second in its own, side by side: x, y, z.
    on_a: [Vec4; 3],
    on_b: [Vec4; 3],
    features: [[Feature; 2]; MAX_POINTS],
}

/// Points of a manifold that was moved along, side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Along {
    pub(super) normal: Vec3,
    /// x, y, z of where they are.
    pub(super) places: [Vec4; 3],
    pub(super) depths: Vec4,
}

/// The contact of two convex parts, by what is kept or anew.
pub(super) fn contact(
    pair: &Pair<'_>,
    placement: impl FnOnce() -> Placement,
    margin: f32,
    (cache, tracer): (Option<&mut PairCache>, &mut impl Tracer),
) -> Result<Option<LocalManifold>, ContactError> {
    let Some(cache) = cache else {
        let wish = Wish { margin: f64::from(margin), expected: Expected::Anything, purpose: Purpose::Knowledge };
        let answer = convex::answer(pair.a, pair.b, &placement(), wish, (&mut Cache::default(), tracer))?;
        return Ok(match answer {
            Answer::Apart(_) => None,
            Answer::Touching(clipped) => Some(clipped.manifold),
        });
    };
    let mut expected = Expected::Anything;
    match &cache.last {
        Last::Nothing => {}
        Last::Apart(axis) => {
            if still_parts(pair, axis.as_dvec3(), margin)? {
                return Ok(None);
            }
        }
        // Whether it has hardly moved was asked before.
        Last::Touching(kept) => {
            if kept.would_overlap(pair.b_in_a) {
                expected = Expected::Overlap;
            }
        }
    }
    let reach_of_b = pair.b.core.reach()? + pair.b.radius;
    let allowed = f64::from(cache.kept) * reach_of_b.min(pair.a.core.reach()? + pair.a.radius);
    let wide = f64::from(margin) + 2.0 * allowed;
    let wish = Wish { margin: wide, expected, purpose: cache.purpose };
    Ok(match convex::answer(pair.a, pair.b, &placement(), wish, (&mut cache.search, tracer))? {
        Answer::Apart(axis) => {
            let axis = axis.and_then(DVec3::try_normalize);
            cache.last = axis.map_or(Last::Nothing, |axis| Last::Apart(axis.as_vec3()));
            None
        }
        Answer::Touching(clipped) => {
            let kept = Kept::new(&clipped, pair.b_in_a, [allowed as f32, reach_of_b as f32], margin);
            cache.last = Last::Touching(kept);
            within(&clipped.manifold, margin)
        }
    })
}

/// Whether the pair is still farther apart than the margin along a unit axis.
fn still_parts(pair: &Pair<'_>, axis: DVec3, margin: f32) -> Result<bool, ContactError> {
    let (gap, doubt) = gap_along(pair, axis)?;
    Ok(gap > f64::from(margin) + doubt)
}

/// How far the pair is apart along a unit axis, and how wrong that may be. The pair is not nearer than that, whatever the
/// axis.
pub(super) fn gap_along(pair: &Pair<'_>, axis: DVec3) -> Result<(f64, f64), SupportFault> {
    let axis_in_b = pair.b_in_a.direction_to_inner(axis.as_vec3());
    let reach_a = axis.dot(pair.a.core.support(axis)?);
    let lowest = pair.b.core.support(-axis_in_b.as_dvec3())?;
    let reach_b = axis_in_b.as_dvec3().dot(lowest) + axis.dot(pair.b_in_a.position.as_dvec3());
    // The axis was rounded to f32, and so is all that it is measured with.
    let doubt = 1e-6 * (reach_a.abs() + reach_b.abs() + lowest.length());
    Ok((reach_b - reach_a - pair.a.radius - pair.b.radius, doubt))
}

/// What of a manifold is no farther apart than the margin.
pub(super) fn within(manifold: &LocalManifold, margin: f32) -> Option<LocalManifold> {
    let mut kept = LocalManifold::empty(manifold.normal);
    manifold.contacts().iter().filter(|contact| contact.depth >= -margin).for_each(|contact| kept.push(*contact));
    (!kept.contacts().is_empty()).then_some(kept)
}

impl Kept {
    pub(super) fn new(clipped: &Clipped, b_in_a: &LocalPose, [allowed, reach_of_b]: [f32; 2], margin: f32) -> Self {
        let manifold = &clipped.manifold;
        let (mut on_a, mut on_b) = ([Vec4::ZERO; 3], [Vec4::ZERO; 3]);
        let mut features = [[Feature::default(); 2]; MAX_POINTS];
        for (index, contact) in manifold.contacts().iter().enumerate() {
            let half = manifold.normal * (0.5 * contact.depth);
            let [point_a, point_b] = [contact.point + half, b_in_a.point_to_inner(contact.point - half)];
            for axis in 0..3 {
                on_a[axis][index] = point_a[axis];
                on_b[axis][index] = point_b[axis];
            }
            features[index] = contact.features;
        }
        let count = manifold.contacts().len() as u8;
        let is_normal_of_b = clipped.is_normal_of_b;
        let inverse_square = if (1e-17..1e17).contains(&allowed) { 1.0 / (allowed * allowed) } else { f32::NAN };
        let normal = if is_normal_of_b { b_in_a.direction_to_inner(manifold.normal) } else { manifold.normal };
        Self {
            b_in_a: *b_in_a,
            inverse_square,
            reach_of_b,
            margin,
            normal,
            is_normal_of_b,
            count,
            on_a,
            on_b,
            features,
        }
    }

    /// Whether no point of the second part has moved by more than is allowed, seen from the first.
    #[inline]
    fn has_hardly_moved(&self, b_in_a: &LocalPose) -> bool {
        let shift_square = (b_in_a.position - self.b_in_a.position).length_squared();
        // The vector part is half the angle; the scalar part would hide small ones in its rounding.
        let turn_square = 4.0 * (self.b_in_a.rotation.conjugate() * b_in_a.rotation).xyz().length_squared();
        // As shares of what is allowed. √x + √y is at most 1, without roots: 4 x y is at most (1 - x - y)².
        let shift = shift_square * self.inverse_square;
        let turn = turn_square * self.reach_of_b * self.reach_of_b * self.inverse_square;
        let rest = 1.0 - shift - turn;
        rest >= 0.0 && 4.0 * shift * turn <= rest * rest
    }

    /// The contact with the second part where it is now.
    pub(super) fn moved(&self, b_in_a: &LocalPose, margin: f32) -> Option<LocalManifold> {
        let Along { normal, places, depths } = self.along(b_in_a);
        let mut manifold = LocalManifold::empty(normal);
        for (index, features) in self.features().iter().enumerate() {
            let depth = depths[index];
            if depth >= -margin {
                let point = Vec3::new(places[0][index], places[1][index], places[2][index]);
                manifold.push(LocalContact { point, depth, features: *features });
            }
        }
        (!manifold.contacts().is_empty()).then_some(manifold)
    }

    /// Whether one of its points overlaps if moved along however far.
    fn would_overlap(&self, b_in_a: &LocalPose) -> bool {
        self.along(b_in_a).depths.to_array().iter().take(usize::from(self.count)).any(|depth| *depth > 0.0)
    }

    /// Its points with the second part where it is now, however far apart; those beyond their number mean nothing.
    #[inline]
    pub(super) fn along(&self, b_in_a: &LocalPose) -> Along {
        let normal = if self.is_normal_of_b { b_in_a.direction_to_outer(self.normal) } else { self.normal };
        let turn = b_in_a.rotation_matrix();
        let on_b = moved_by(&turn, self.on_b, b_in_a.position);
        let [x, y, z] = [self.on_a[0] - on_b[0], self.on_a[1] - on_b[1], self.on_a[2] - on_b[2]];
        let depths = x * normal.x + y * normal.y + z * normal.z;
        let half = depths * 0.5;
        let [x, y, z] = [half * normal.x, half * normal.y, half * normal.z];
        // From the corner of the part whose face it is not.
        let places = if self.is_normal_of_b {
            [self.on_a[0] - x, self.on_a[1] - y, self.on_a[2] - z]
        } else {
            [on_b[0] + x, on_b[1] + y, on_b[2] + z]
        };
        Along { normal, places, depths }
    }

    /// The features of its points.
    #[inline]
    pub(super) fn features(&self) -> &[[Feature; 2]] {
        &self.features[..usize::from(self.count)]
    }
}

/// Four points turned and shifted.
#[inline(always)]
pub(super) fn moved_by(turn: &Mat3, [x, y, z]: [Vec4; 3], shift: Vec3) -> [Vec4; 3] {
    let Mat3 { x_axis, y_axis, z_axis } = turn;
    [
        x * x_axis.x + y * y_axis.x + z * z_axis.x + shift.x,
        x * x_axis.y + y * y_axis.y + z * z_axis.y + shift.y,
        x * x_axis.z + y * y_axis.z + z * z_axis.z + shift.z,
    ]
}
