//! The axis of least depth of two hulls that overlap.
//!
//! The least depth of two polytopes is along a face normal of one of them or the cross product of two edges whose arcs
//! cross on the Gauss map, where a face is a point, its outward normal, and an edge the arc between those of its faces.
//! Few of these axes are measured. Along a normal n of a feature through p the gap to the other hull is at most n·(v - p)
//! for each of its points v, and n·(c - p) - r for a ball of radius r around c inside it. So what cannot beat the best
//! axis for the ball, and then for the few vertices that were found as supports of other axes, is left out; of the faces
//! that remain, the one with the highest bound is measured first.
//! Ends when no bound is above the best gap; gives up if more than 512 edges of a hull are left.
//! Cost: the heights of one point above all faces of both, eight at a time, and then what is left: some 5 supports and 10
//! edges of each. Source: Gregorius, The Separating Axis Test between Convex Polyhedra, GDC 2013. The bounds are added.

use super::super::clip::{self, Relation};
use super::super::patch;
use super::edges::{self, Crossing};
use super::faces::{self, Known};
use super::{FACE_PREFERENCE, FaceGap, Finding, HullPair, Meeting};
use crate::distance::placement::Placement;
use crate::shape::hull::lanes;
use crate::trace::{StopReason, Tracer};
use fearless_simd::Simd;

/// How two hulls overlap; none if an axis parts them or nearly, or if too many edges are left.
#[inline(always)]
pub(super) fn least_depth<S: Simd>(
    simd: S,
    pair: &HullPair<'_>,
    first: FaceGap,
    b_in_a: &Placement,
    tracer: &mut impl Tracer,
) -> Option<Finding> {
    let (above_a, above_b) = (pair.above_a(), pair.above_b());
    let tie = |gap: f32| FACE_PREFERENCE as f32 * (pair.small + (10.0 * gap.abs()).min(2.0 * pair.small));
    let mut known_b = Known::of(first.point);
    let of_a = faces::best_face(simd, &above_a, first, &mut known_b, tracer);
    if of_a.gap > 0.0 {
        return None;
    }
    let (face, _) = lanes::highest(simd, pair.b.plane_blocks(), above_b.center);
    let first_of_b = above_b.measure(simd, face);
    tracer.axis(|| above_b.record(&first_of_b));
    let mut known_a = Known::of(first_of_b.point);
    // The first hull keeps its face unless the other's is better by more than rounding.
    let least = of_a.gap + tie(of_a.gap);
    let start = FaceGap { gap: first_of_b.gap.max(least), ..first_of_b };
    let of_b = faces::best_face(simd, &above_b, start, &mut known_a, tracer);
    let is_of_b = of_b.gap > least;
    let (gap, face) = if is_of_b { (of_b.gap, of_b.face) } else { (of_a.gap, of_a.face) };
    if gap > 0.0 {
        return None;
    }

    let sides = [(&above_a, &known_b), (&above_b, &known_a)];
    let least = gap + tie(gap);
    let crossing = edges::best_crossing(simd, pair, sides, (b_in_a, least), tracer)?;
    tracer.stop(StopReason::BoundsMet);
    let found = match crossing {
        Some(crossing) => relate_edges(simd, pair, &crossing, b_in_a)?,
        None if is_of_b => relate_face_of_b(pair, face, b_in_a),
        None => relate_face_of_a(pair, face, of_a.vertex, b_in_a),
    };
    match found {
        Finding::Touching(relation, _) if relation.separation > 0.0 => None,
        Finding::Touching(..) | Finding::Apart(_) | Finding::Unknown => Some(found),
    }
}

/// The relation along the normal of two edges; none if something sticks out beyond them.
#[inline(always)]
fn relate_edges<S: Simd>(simd: S, pair: &HullPair<'_>, crossing: &Crossing, b_in_a: &Placement) -> Option<Finding> {
    let Crossing { edges, normal, gap } = *crossing;
    let [vertex_a, vertex_b] = pair.supports(simd, normal.as_vec3());
    let farthest_a = pair.vertex_of_a(vertex_a).as_dvec3();
    let farthest_b = b_in_a.point_to_outer(pair.b.vertices()[vertex_b as usize].as_dvec3());
    if normal.dot(farthest_b - farthest_a) < gap - f64::from(pair.doubt()) {
        return None;
    }
    let mut edge_b = patch::of_hull_edge(pair.b, edges[1]);
    edge_b.place(b_in_a);
    let (on_a, on_b, _) = clip::crossing(&patch::of_hull_edge(pair.a, edges[0]), &edge_b);
    Some(Finding::Touching(Relation { normal, separation: gap, on_a, on_b }, Meeting::Edges(edges)))
}

fn relate_face_of_a(pair: &HullPair<'_>, face: u32, near: u32, b_in_a: &Placement) -> Finding {
    let (normal, offset) = patch::hull_face_plane(pair.a, face);
    let vertex_of_b = pair.b.support_vertex_wide(b_in_a.direction_to_inner(-normal), near);
    let on_b = b_in_a.point_to_outer(pair.b.vertices()[vertex_of_b as usize].as_dvec3());
    let separation = normal.dot(on_b) - offset;
    let relation = Relation { normal, separation, on_a: on_b - separation * normal, on_b };
    Finding::Touching(relation, Meeting::FaceOfA { face, vertex_of_b })
}

fn relate_face_of_b(pair: &HullPair<'_>, face: u32, b_in_a: &Placement) -> Finding {
    let (normal_in_b, offset) = patch::hull_face_plane(pair.b, face);
    let normal = -b_in_a.direction_to_outer(normal_in_b);
    let vertex_of_a = pair.a.support_vertex_wide(normal, u32::MAX);
    let on_a = pair.vertex_of_a(vertex_of_a).as_dvec3();
    let separation = normal_in_b.dot(b_in_a.point_to_inner(on_a)) - offset;
    let relation = Relation { normal, separation, on_a, on_b: on_a + separation * normal };
    Finding::Touching(relation, Meeting::FaceOfB { face, vertex_of_a })
}
