//! Two boxes: the separating axis of least depth among 15, then the faces clipped or the edges joined (M1).
//!
//! Two convex polytopes are apart exactly if they are apart along a face normal of one of them or a cross product of
//! two edges; of two boxes these are 3 + 3 + 9. If none parts them, the axis of least depth is the way out. An edge must
//! be clearly shallower than a face to be chosen, so that boxes on each other keep their face from frame to frame.
//! Boxes that are apart by no more than the margin are as far apart as the axis says only if their closest features are
//! the ones that it belongs to, which clipping tells; near a corner the general search is asked instead.
//! Always 15 axes at most, no iteration. In f64, so that a cube on a slab of 500 m is as exact as on another cube.
//! Source: Gottschalk, Lin, Manocha 1996, doi 10.1145/237170.237244.

use super::clip::{Clipped, Owner, Relation, Touch, crossing};
use super::convex::{self, Answer};
use super::patch::{self, Patch};
use super::{Feature, LocalContact, LocalManifold};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::signed::Cache;
use crate::trace::{AxisKind, AxisStep, StopReason, Tracer};
use glam::{DVec3, Vec3};

/// An edge axis must be shallower than the best face by this share of the smaller box's half extent. Where boxes lie on
/// each other, edges are shallower by less than that as often as not, and hold them less well than faces. So is the second
/// box's face than the first one's: the depth is at most twice so much too large.
const FACE_PREFERENCE: f64 = 5e-5;
/// One of two points must be this much farther to be chosen, so that rounding does not choose another in each frame.
const TIE: f64 = 1.001;
/// Edges whose cross product is shorter are so nearly parallel that the faces decide.
const PARALLEL: f64 = 1e-5;

/// What the 15 axes say of two boxes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verdict {
    /// Farther apart than the margin along this unit axis, in the frame of the first.
    Apart(DVec3),
    Touching(Clipped),
    /// Closer than the margin, but at features that no axis stands for.
    Cornered,
}

/// The best of the axes so far.
#[derive(Debug, Clone, Copy)]
enum Axis {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
}

/// The contact of two boxes that keep nothing, given by half of their extents and their roundings.
pub(super) fn contact_alone(
    boxes: [(Vec3, f32); 2],
    b_in_a: &Placement,
    margin: f64,
    tracer: &mut impl Tracer,
) -> Result<Option<LocalManifold>, SupportFault> {
    let [a, b] = boxes.map(|(half, radius)| (half.as_dvec3(), f64::from(radius)));
    Ok(match contact(a, b, b_in_a, margin, tracer) {
        Verdict::Apart(_) => None,
        Verdict::Touching(clipped) => Some(clipped.manifold),
        Verdict::Cornered => {
            let [a, b] = [a, b].map(|(half, radius)| Convex { core: Core::Cuboid(half), radius });
            match convex::searched(&a, &b, b_in_a, margin, (&mut Cache::default(), tracer))? {
                Answer::Apart(_) => None,
                Answer::Touching(clipped) => Some(clipped.manifold),
            }
        }
    })
}

/// The contact of two boxes, given by half of their extents and their roundings, whose cores must overlap to count as
/// touching if they are rounded.
pub(super) fn contact(
    (half_a, radius_a): (DVec3, f64),
    (half_b, radius_b): (DVec3, f64),
    b_in_a: &Placement,
    margin: f64,
    tracer: &mut impl Tracer,
) -> Verdict {
    let radii = radius_a + radius_b;
    let limit = margin + radii;
    let axes_b = b_in_a.rotation;
    let offset = b_in_a.position;
    let offset_in_b = axes_b.transpose() * offset;
    // Entry [j][i] is the cosine of axis i of the first box and axis j of the second.
    let cosines = [axes_b.x_axis.to_array(), axes_b.y_axis.to_array(), axes_b.z_axis.to_array()];
    let sizes = cosines.map(|column| column.map(f64::abs));

    let mut best = (f64::NEG_INFINITY, Axis::FaceOfA(0));
    for i in 0..3 {
        let reach_b = sizes[0][i] * half_b.x + sizes[1][i] * half_b.y + sizes[2][i] * half_b.z;
        let gap = offset[i].abs() - half_a[i] - reach_b;
        tracer.axis(|| record(Axis::FaceOfA(i), gap, b_in_a));
        if gap > best.0 {
            best = (gap, Axis::FaceOfA(i));
        }
    }
    let tie = FACE_PREFERENCE * half_a.max_element().min(half_b.max_element());
    for j in 0..3 {
        let reach_a = sizes[j][0] * half_a.x + sizes[j][1] * half_a.y + sizes[j][2] * half_a.z;
        let gap = offset_in_b[j].abs() - half_b[j] - reach_a;
        tracer.axis(|| record(Axis::FaceOfB(j), gap, b_in_a));
        // The first box keeps its face unless the other's is better by more than rounding.
        if gap > best.0 + tie {
            best = (gap, Axis::FaceOfB(j));
        }
    }
    if best.0 > limit {
        tracer.stop(StopReason::BeyondLimit);
        return Verdict::Apart(normal_of(best.1, b_in_a));
    }

    let face_gap = best.0;
    // The best gap by a numerator with its sign, and the square of what it is too large by: compared without a root.
    let mut edge = (f64::NEG_INFINITY, 1.0, (0, 0));
    for j in 0..3 {
        let (k, l) = ((j + 1) % 3, (j + 2) % 3);
        for i in 0..3 {
            let (m, n) = ((i + 1) % 3, (i + 2) % 3);
            let square = cosines[j][m] * cosines[j][m] + cosines[j][n] * cosines[j][n];
            // Along the cross product of axis i and axis j, all of it as much too large as that is long.
            let between = (offset[n] * cosines[j][m] - offset[m] * cosines[j][n]).abs();
            let reach_a = half_a[m] * sizes[j][n] + half_a[n] * sizes[j][m];
            let reach_b = half_b[k] * sizes[l][i] + half_b[l] * sizes[k][i];
            let gap = between - reach_a - reach_b;
            if square > PARALLEL * PARALLEL {
                tracer.axis(|| record(Axis::Edges(i, j), gap / square.sqrt(), b_in_a));
            }
            let signed_square = gap * gap.abs();
            if square > PARALLEL * PARALLEL && signed_square * edge.1 > edge.0 * square {
                edge = (signed_square, square, (i, j));
            }
        }
    }
    let ratio = edge.0 / edge.1;
    let edge_gap = ratio.abs().sqrt().copysign(ratio);
    if edge_gap > face_gap + tie {
        best = (edge_gap, Axis::Edges(edge.2.0, edge.2.1));
    }
    if best.0 > limit {
        tracer.stop(StopReason::BeyondLimit);
        return Verdict::Apart(normal_of(best.1, b_in_a));
    }
    tracer.stop(StopReason::BoundsMet);
    if radii > 0.0 && best.0 > 0.0 {
        return Verdict::Cornered;
    }
    let clipped = touching([half_a, half_b], b_in_a, best, (radius_a, radius_b), margin, tracer);
    // Clipping may leave no point of faces that turn away from each other: the general search tells where they touch.
    let is_lost = best.0 > 0.0 || clipped.manifold.contacts()[0].features == [Feature::SURFACE; 2];
    if !clipped.kept_deepest && is_lost { Verdict::Cornered } else { Verdict::Touching(clipped) }
}

/// What a tracer is told of an axis.
fn record(axis: Axis, gap: f64, b_in_a: &Placement) -> AxisStep {
    let kind = match axis {
        Axis::FaceOfA(i) => AxisKind::FaceOfA(i as u32),
        Axis::FaceOfB(j) => AxisKind::FaceOfB(j as u32),
        Axis::Edges(i, j) => AxisKind::Edges([i as u32, j as u32]),
    };
    AxisStep { axis: normal_of(axis, b_in_a), gap, kind }
}

/// The unit normal of an axis, from the first box to the second.
fn normal_of(axis: Axis, b_in_a: &Placement) -> DVec3 {
    let normal = match axis {
        Axis::FaceOfA(i) => DVec3::AXES[i],
        Axis::FaceOfB(j) => b_in_a.rotation.col(j),
        Axis::Edges(i, j) => DVec3::AXES[i].cross(b_in_a.rotation.col(j)).normalize_or(DVec3::Y),
    };
    if normal.dot(b_in_a.position) < 0.0 { -normal } else { normal }
}

fn touching(
    [half_a, half_b]: [DVec3; 2],
    b_in_a: &Placement,
    (gap, axis): (f64, Axis),
    (radius_a, radius_b): (f64, f64),
    margin: f64,
    tracer: &mut impl Tracer,
) -> Clipped {
    let normal = normal_of(axis, b_in_a);
    let normal_in_b = b_in_a.direction_to_inner(normal);
    let separation = gap - radius_a - radius_b;
    let relate = |on_a: DVec3, on_b: DVec3| Relation {
        normal,
        separation,
        on_a: on_a + radius_a * normal,
        on_b: on_b - radius_b * normal,
    };
    let radii = [radius_a, radius_b];
    let [corner_a, corner_b] = [(half_a, normal), (half_b, -normal_in_b)].map(|(half, along)| half.copysign(along));
    let (axis_a, axis_b, relation) = match axis {
        Axis::FaceOfA(i) => {
            let on_b = b_in_a.point_to_outer(corner_b);
            (i, patch::largest_axis(normal_in_b.abs()), relate(on_b - gap * normal, on_b))
        }
        Axis::FaceOfB(j) => (patch::largest_axis(normal.abs()), j, relate(corner_a, corner_a + gap * normal)),
        Axis::Edges(i, j) => {
            let edge_a = patch::of_cuboid_edge(half_a, i, normal);
            let mut edge_b = patch::of_cuboid_edge(half_b, j, -normal_in_b);
            edge_b.place(b_in_a);
            let (on_a, on_b, is_inside) = crossing(&edge_a, &edge_b);
            let relation = relate(on_a, on_b);
            let touch = Touch { normal, radii, margin, relation: &relation };
            let mut clipped = touch.of_edges([&edge_a, &edge_b], || None, Owner::A, tracer);
            let shorter = half_a[i].min(half_b[j]);
            if is_inside && touch.is_deep(4.0 * shorter * shorter) && clipped.manifold.contacts().len() == 1 {
                let edges = [(i, &edge_a), (j, &edge_b)];
                clipped.manifold = around_crossing([half_a, half_b], b_in_a, edges, &relation);
            }
            clipped.kept_deepest = is_inside;
            return clipped;
        }
    };
    let patch_a = patch::of_cuboid_face(half_a, axis_a, normal[axis_a] >= 0.0);
    let mut patch_b = patch::of_cuboid_face(half_b, axis_b, -normal_in_b[axis_b] >= 0.0);
    patch_b.place(b_in_a);
    let touch = Touch { normal, radii, margin, relation: &relation };
    touch.of_faces(&patch_a, &patch_b, tracer).unwrap_or_else(|| touch.only_witness(Default::default()))
}

/// The manifold of two edges that cross deep inside the boxes: where they do, and ends of what of each edge is inside the other
/// box, named after the corner that they are towards. Around one point the boxes would turn and sink in elsewhere.
fn around_crossing(
    [half_a, half_b]: [DVec3; 2],
    b_in_a: &Placement,
    [(i, edge_a), (j, edge_b)]: [(usize, &Patch); 2],
    relation: &Relation,
) -> LocalManifold {
    let Relation { normal, separation, on_a, on_b } = *relation;
    let (a_in_b, b_in_b) = (b_in_a.point_to_inner(on_a), b_in_a.point_to_inner(on_b));
    let (along_a, along_b) = (DVec3::AXES[i], b_in_a.rotation.col(j));
    let [along_a_in_b, normal_in_b] = [along_a, normal].map(|direction| b_in_a.direction_to_inner(direction));
    // About the crossing: what is not inside at all, where a box is thinner than the depth, has no ends.
    let ends = |[enter, leave]: [f64; 2], half: f64, at: f64| {
        if enter < leave { [enter.max(-half - at).min(0.0), leave.min(half - at).max(0.0)] } else { [0.0; 2] }
    };
    let ends_a = ends(span(half_b, a_in_b, along_a_in_b.recip()), half_a[i], on_a[i]);
    let ends_b = ends(span(half_a, on_b, along_b.recip()), half_b[j], b_in_b[j]);
    let (up, down_in_b) = (normal.recip(), -normal_in_b.recip());
    let point =
        |place: DVec3, depth: f64, features| LocalContact { point: place.as_vec3(), depth: depth as f32, features };
    let on_edge_a = |end: usize| {
        let depth = span(half_b, a_in_b + ends_a[end] * along_a_in_b, down_in_b)[1].max(0.0);
        let place = on_a + ends_a[end] * along_a - 0.5 * depth * normal;
        point(place, depth, [edge_a.corners()[end].vertex, edge_b.feature])
    };
    let on_edge_b = |end: usize| {
        let depth = span(half_a, on_b + ends_b[end] * along_b, up)[1].max(0.0);
        let place = on_b + ends_b[end] * along_b + 0.5 * depth * normal;
        point(place, depth, [edge_a.feature, edge_b.corners()[end].vertex])
    };
    let edges = [edge_a.feature, edge_b.feature];
    let mut manifold = LocalManifold::of_one(normal.as_vec3(), point(0.5 * (on_a + on_b), -separation, edges));
    // Both ends of one edge, and the farther of the other, which is the farthest of all.
    let farther = |ends: [f64; 2]| if -ends[0] > TIE * ends[1] { (0, -ends[0]) } else { (1, ends[1]) };
    let ((end_a, far_a), (end_b, far_b)) = (farther(ends_a), farther(ends_b));
    let others = if far_b > TIE * far_a {
        [on_edge_a(0), on_edge_a(1), on_edge_b(end_b)]
    } else {
        [on_edge_b(0), on_edge_b(1), on_edge_a(end_a)]
    };
    others.into_iter().for_each(|contact| manifold.push(contact));
    manifold.sort();
    manifold
}

/// From where to where a line is inside a box; of its direction one over each number is given.
#[inline]
fn span(half: DVec3, from: DVec3, along_inverse: DVec3) -> [f64; 2] {
    // Of a slab along the line these are NaN or infinite, and do not count.
    let middle = -from * along_inverse;
    let reach = (half * along_inverse).abs();
    let (enter, leave) = (middle - reach, middle + reach);
    [enter.x.max(enter.y).max(enter.z), leave.x.min(leave.y).min(leave.z)]
}
