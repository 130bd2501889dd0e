//! Balls and capsules against triangles, by closest points in closed form.

use super::Touches;
use super::inner_edge::is_inner;
use super::surface::{Face, Sides};
use crate::distance::feature::{edge_face, nearest_on_face};
use crate::narrow::Feature;
use glam::DVec3;

/// The contact of a ball around the origin and a triangle.
pub(super) fn touch_ball(radius: f64, face: &Face, faces: &[Face], touches: &mut Touches<'_>) {
    let height = -face.offset;
    let is_front = height >= 0.0;
    // How far the others are is known before they are asked.
    touches.note_gap(0.0);
    if !is_front && touches.sides == Sides::Front {
        touches.is_behind = true;
        return;
    }
    let weights = nearest_on_face(face.corners);
    let out = if is_front || touches.sides == Sides::Above { face.normal } else { -face.normal };
    let features = |surface: Feature| [surface, Feature::SURFACE];
    if weights.iter().all(|weight| *weight > 0.0) {
        let depth = radius - out.dot(face.normal) * height;
        touches.add(face, out, face.normal * face.offset, depth, features(Feature::face(face.triangle)));
        return;
    }
    let [a, b, c] = face.corners;
    let place = weights[0] * a + weights[1] * b + weights[2] * c;
    let distance = place.length();
    if !is_front && touches.sides == Sides::Above || distance > radius + touches.margin || distance == 0.0 {
        return;
    }
    let normal = -place / distance;
    let Some(feature) = border_feature(face, weights, normal) else { return };
    if touches.feels_inner_edges || !is_inner(faces, place, normal, touches.tolerance) {
        touches.add(face, normal, place, radius - distance, features(feature));
    }
}

/// The corner or edge that the weights of a point on the border name; none if it is an edge that cannot be touched along
/// the normal. An edge that is flat but for a fraction of a degree can, along what is nearly the triangle's own.
fn border_feature(face: &Face, weights: [f64; 3], normal: DVec3) -> Option<Feature> {
    let along = face.normal.dot(normal);
    let zeros = [0, 1, 2].map(|corner| weights[corner] <= 0.0);
    match zeros {
        [false, true, true] => Some(Feature::vertex(face.vertices[0])),
        [true, false, true] => Some(Feature::vertex(face.vertices[1])),
        [true, true, false] => Some(Feature::vertex(face.vertices[2])),
        [_, _, _] => {
            // Edge i begins at corner i, so it is the one after the corner without weight.
            let edge = (zeros.iter().position(|is_zero| *is_zero)? + 1) % 3;
            (along.abs() >= ACROSS || face.is_ridge(edge, along > 0.0)).then(|| face.edge_feature(edge))
        }
    }
}

/// Cosine of the angle up to which a normal is that of the triangle.
const ACROSS: f64 = 0.99995;

/// Sine of the angle from which on an axis is steep.
const STEEP: f64 = 0.1;

/// The contact of a capsule and a triangle.
pub(super) fn touch_capsule(axis: [DVec3; 2], radius: f64, face: &Face, faces: &[Face], touches: &mut Touches<'_>) {
    let center = 0.5 * (axis[0] + axis[1]);
    let Some(out) = touches.facing(face, center) else {
        touches.note_gap(0.0);
        return;
    };
    let side = out.dot(face.normal);
    let heights = axis.map(|end| side * face.height(end));
    let lowest = heights[0].min(heights[1]);
    if lowest > radius + touches.margin {
        touches.note_gap(lowest - radius);
        return;
    }
    if touches.passes_over(face, center, faces) {
        touches.note_gap(0.0);
        return;
    }
    // Nothing of the axis is nearer to the triangle than its lower end to the plane.
    let lower = axis[usize::from(heights[1] < heights[0])];
    if lowest > touches.tolerance && face.is_below(lower) {
        touches.note_gap(lowest - radius);
        over_face(axis, radius, face, out, touches);
        return;
    }
    let pair = edge_face(axis, face.corners);
    let between = pair.on_a - pair.on_b;
    let distance = between.length();
    touches.note_gap(distance - radius);
    if distance > radius + touches.margin {
        return;
    }
    let is_across = distance <= touches.tolerance || out.dot(between).abs() >= ACROSS * distance;
    let is_below = touches.sides == Sides::Above && out.dot(between) < 0.0;
    // What is nearly straight above a ridge that is nearly flat is above none of its triangles.
    if (is_across || is_below) && (over_face(axis, radius, face, out, touches) || is_below || distance == 0.0) {
        return;
    }
    let weights = nearest_on_face(face.corners.map(|corner| corner - pair.on_a));
    let normal = between / distance;
    let Some(feature) = border_feature(face, weights, normal) else { return };
    if touches.feels_inner_edges || !is_inner(faces, pair.on_b, normal, touches.tolerance) {
        let along = pair.on_a.distance(axis[0]);
        let whole = axis[1].distance(axis[0]);
        let of_capsule = if along <= 1e-6 * whole {
            Feature::vertex(0)
        } else if along >= (1.0 - 1e-6) * whole {
            Feature::vertex(1)
        } else {
            Feature::edge(0)
        };
        touches.add(face, normal, pair.on_b, radius - distance, [feature, of_capsule]);
    }
}

/// Both ends of the stretch of an axis that is above a triangle; says whether there is one.
fn over_face([from, to]: [DVec3; 2], radius: f64, face: &Face, out: DVec3, touches: &mut Touches<'_>) -> bool {
    let (mut first, mut last) = ((0.0, None), (1.0, None));
    for edge in 0..3 {
        let (corner, next) = (face.corners[edge], face.corners[(edge + 1) % 3]);
        let inward = face.normal.cross(next - corner);
        // Right above a seam it is above both triangles, not above none.
        let slack = touches.tolerance * inward.length();
        let [start, end] = [from, to].map(|point| inward.dot(point - corner) + slack);
        if start < 0.0 && end < 0.0 {
            return false;
        }
        let share = start / (start - end);
        if start < 0.0 && share > first.0 {
            first = (share, Some(edge));
        } else if end < 0.0 && share < last.0 {
            last = (share, Some(edge));
        }
    }
    if first.0 > last.0 {
        return false;
    }
    let name = |edge: Option<usize>, end: u32| match edge {
        None => [Feature::face(face.triangle), Feature::vertex(end)],
        Some(edge) => [face.edge_feature(edge), Feature::edge(0)],
    };
    // Straight below a slanted axis the surface is farther off than the radius, but for its ends; and only the lower end of
    // a steep one is at the bottom.
    let slope = out.dot((to - from).normalize_or_zero());
    let below = radius / (1.0 - slope * slope).max(0.1).sqrt();
    // Nothing of it is deeper than its lower end.
    let deepest =
        radius - [from, to].map(|end| out.dot(face.normal) * face.height(end)).into_iter().fold(f64::MAX, f64::min);
    let is_low = [slope <= STEEP, slope >= -STEEP];
    let ends = [(first, name(first.1, 0), is_low[1]), (last, name(last.1, 1), is_low[0])];
    for ((share, cut), features, is_low) in ends {
        if !is_low {
            continue;
        }
        let point = from.lerp(to, share);
        let height = face.height(point);
        let radius = if cut.is_some() { below } else { radius };
        let depth = (radius - out.dot(face.normal) * height).min(deepest);
        touches.add(face, out, point - height * face.normal, depth, features);
    }
    true
}
