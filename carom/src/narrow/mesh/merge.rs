//! The points of many triangles, merged into patches of at most four points each.
//!
//! A patch is all points whose normals are within five degrees of that of the deepest point that no patch has yet; it
//! takes that normal, which is a real one of the surface. Of its points the deepest is kept, the one farthest from it,
//! and the two that add most area on either side of the line between them, so that depth and area are kept. Nearly
//! equal ones are told apart by the names of their features, so that rounding does not choose others in each frame.
//! Cost: points × patches.

use super::Touch;
use crate::narrow::manifold::LocalManifold;
use crate::narrow::{Feature, LocalContact};
use glam::DVec3;

/// Cosine of the angle within which normals are one patch.
const ALIKE: f64 = 0.996;
/// Differences in place below this share of the patch's size are left to the names.
const TIE: f64 = 1e-3;
/// The same for depths.
const DEPTH_TIE: f64 = 1e-5;

/// A patch in the frame of the shape: its points have the surface's feature first, its normal leads from the surface.
pub(super) struct Patch {
    pub(super) normal: DVec3,
    pub(super) points: [Touch; 4],
    pub(super) count: usize,
}

impl Patch {
    /// As a manifold, its points moved by `place` and its normal turned by `turn`.
    pub(super) fn manifold(
        &self,
        normal: DVec3,
        place: impl Fn(DVec3) -> DVec3,
        is_surface_first: bool,
    ) -> LocalManifold {
        let mut manifold = LocalManifold::empty(normal.as_vec3());
        for touch in &self.points[..self.count] {
            let [surface, shape] = touch.features;
            let features: [Feature; 2] = if is_surface_first { [surface, shape] } else { [shape, surface] };
            manifold.push(LocalContact { point: place(touch.point).as_vec3(), depth: touch.depth as f32, features });
        }
        manifold.sort();
        manifold
    }
}

/// Takes the touches out, patch by patch; the deepest patch first.
pub(super) fn patches(touches: &mut Vec<Touch>, mut visit: impl FnMut(&Patch)) {
    while let Some(first) = best(touches, 0.0, |touch| touch.depth) {
        let normal = first.normal;
        // Those of the patch to the end, the others to the front.
        let mut others = 0;
        for index in 0..touches.len() {
            if touches[index].normal.dot(normal) < ALIKE {
                touches.swap(index, others);
                others += 1;
            }
        }
        visit(&reduced(&touches[others..], normal, first));
        touches.truncate(others);
    }
}

fn reduced(points: &[Touch], normal: DVec3, deepest: Touch) -> Patch {
    let mut patch = Patch { normal, points: [deepest; 4], count: 1 };
    if let [_] = points {
        return patch;
    }
    let middle = points.iter().map(|touch| touch.point).sum::<DVec3>() / points.len() as f64;
    let from_middle = |touch: &Touch| touch.point.distance_squared(middle);
    let reach = points.iter().map(from_middle).fold(0.0, f64::max).sqrt();
    // Points that are one but for rounding.
    if reach <= 1e-7 * deepest.point.length() {
        return patch;
    }
    let tie = TIE * reach;
    // Of the deepest the outermost, so that a level patch keeps its corners.
    let level = deepest.depth - DEPTH_TIE * reach;
    let outermost =
        best(
            points,
            2.0 * tie * reach,
            |touch| {
                if touch.depth >= level { from_middle(touch) } else { f64::NEG_INFINITY }
            },
        );
    let first = outermost.unwrap_or(deepest);
    patch.points[0] = first;
    let mut add = |touch: Touch| {
        patch.points[patch.count] = touch;
        patch.count += 1;
    };
    let away = |touch: &Touch| touch.point.distance_squared(first.point);
    let Some(opposite) = best(points, 4.0 * tie * reach, away) else { return patch };
    add(opposite);
    let across = normal.cross(opposite.point - first.point).normalize_or_zero();
    let beside = |touch: &Touch| across.dot(touch.point - first.point);
    for sign in [1.0, -1.0] {
        if let Some(touch) = best(points, tie, |touch| sign * beside(touch))
            && sign * beside(&touch) > tie
        {
            add(touch);
        }
    }
    patch
}

/// The one of greatest score; of those within `tie` of it the first by name, and the lowest triangle.
fn best(touches: &[Touch], tie: f64, score: impl Fn(&Touch) -> f64) -> Option<Touch> {
    let greatest = touches.iter().map(&score).fold(f64::NEG_INFINITY, f64::max);
    let near = touches.iter().filter(|touch| score(touch) >= greatest - tie);
    near.min_by_key(|touch| (touch.features, touch.triangle)).copied()
}
