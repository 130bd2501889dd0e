//! Two boxes: the separating axis of least depth among 15, then the faces clipped or the edges joined (M1).
//!
//! Two convex polytopes are apart exactly if they are apart along a face normal of one of them or a cross product of
//! two edges; of two boxes these are 3 + 3 + 9. If none parts them, the axis of least depth is the way out. An edge must
//! be clearly shallower than a face to be chosen, so that boxes on each other keep their face from frame to frame.
//! Boxes that are apart by no more than the margin are as far apart as the axis says only if their closest features are
//! the ones that it belongs to, which clipping tells; near a corner the general search is asked instead.
//! Always 15 axes at most, no iteration. In f64, so that a cube on a slab of 500 m is as exact as on another cube.
//! Source: Gottschalk, Lin, Manocha 1996, doi 10.1145/237170.237244.

mod faces;

use super::clip::{self, Clipped, Owner, Relation, Touch};
use super::convex::{self, Answer, Purpose};
use super::patch;
use super::{Feature, LocalContact, LocalManifold};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::signed::Cache;
use crate::trace::{AxisKind, AxisStep, StopReason, Tracer};
use faces::Face;
use glam::{DVec3, Vec3};

/// An edge axis must be shallower than the best face by this share of the smaller box's half extent. Where boxes lie on
/// each other, edges are shallower by less than that as often as not, and hold them less well than faces. So is the second
/// box's face than the first one's: the depth is at most twice so much too large.
const FACE_PREFERENCE: f64 = 5e-5;
/// One of two points must be this much farther to be chosen, so that rounding does not choose another in each frame.
const TIE: f64 = 1.001;
/// Where bodies are pushed, faces may be deeper than edges by this share.
const EDGE_PREFERENCE: f64 = 0.025;
/// The cosine of the angle up to which the normal of a face may stand for that of edges.
const SAME_WAY: f64 = 0.97;
/// Edges whose cross product is shorter are so nearly parallel that the faces decide.
const PARALLEL: f64 = 1e-5;
/// Edges whose directions have a lesser cosine cross at a point; others may be side by side.
const OBLIQUE: f64 = 0.999_999;

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
    Ok(match contact(a, b, b_in_a, (margin, Purpose::Knowledge), tracer) {
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
    (margin, purpose): (f64, Purpose),
    tracer: &mut impl Tracer,
) -> Verdict {
    let radii = radius_a + radius_b;
    let limit = margin + radii;
    let (turn, offset) = (b_in_a.rotation, b_in_a.position);
    let sizes = turn.abs();
    let gaps_a = offset.abs() - half_a - sizes * half_b;
    let gaps_b = (turn.transpose() * offset).abs() - half_b - sizes.transpose() * half_a;
    let gaps = [gaps_a.x, gaps_a.y, gaps_a.z, gaps_b.x, gaps_b.y, gaps_b.z];
    let tie = FACE_PREFERENCE * half_a.max_element().min(half_b.max_element());
    // Without branches: which is the widest cannot be foreseen.
    let mut face = usize::from(gaps[1] > gaps[0]);
    face = if gaps[2] > gaps[face] { 2 } else { face };
    // The first box keeps its face unless the other's is better by more than rounding.
    for other in 3..6 {
        face = if gaps[other] > gaps[face] + tie { other } else { face };
    }
    let face_gap = gaps[face];
    let mut best = (face_gap, if face < 3 { Axis::FaceOfA(face) } else { Axis::FaceOfB(face - 3) });
    for (index, gap) in gaps.into_iter().enumerate() {
        let axis = if index < 3 { Axis::FaceOfA(index) } else { Axis::FaceOfB(index - 3) };
        tracer.axis(|| record(axis, gap, b_in_a));
    }
    if best.0 > limit {
        tracer.stop(StopReason::BeyondLimit);
        return Verdict::Apart(normal_of(best.1, b_in_a));
    }

    // Of each axis across an edge of both, its gap times its own size, with its sign; by the second box's edges, and in
    // each by the first's.
    let mut squares = [f64::NEG_INFINITY; 9];
    for j in 0..3 {
        let (k, l) = ((j + 1) % 3, (j + 2) % 3);
        let (along, size) = (turn.col(j), sizes.col(j));
        let across = DVec3::new(
            size.y * size.y + size.z * size.z,
            size.z * size.z + size.x * size.x,
            size.x * size.x + size.y * size.y,
        );
        // All of it as much too large as the cross product of the edges is long.
        let between = offset.cross(along).abs();
        let reach_a = DVec3::new(
            half_a.y * size.z + half_a.z * size.y,
            half_a.z * size.x + half_a.x * size.z,
            half_a.x * size.y + half_a.y * size.x,
        );
        let reach_b = half_b[k] * sizes.col(l) + half_b[l] * sizes.col(k);
        let gaps = between - reach_a - reach_b;
        let ratios = gaps * gaps.abs() / across;
        for i in 0..3 {
            if across[i] > PARALLEL * PARALLEL {
                tracer.axis(|| record(Axis::Edges(i, j), gaps[i] / across[i].sqrt(), b_in_a));
            }
            squares[3 * j + i] = if across[i] > PARALLEL * PARALLEL { ratios[i] } else { f64::NEG_INFINITY };
        }
    }
    let edges = (1..9).fold(0, |best, index| if squares[index] > squares[best] { index } else { best });
    let edge_gap = squares[edges].abs().sqrt().copysign(squares[edges]);
    if edge_gap > face_gap + tie {
        best = (edge_gap, Axis::Edges(edges % 3, edges / 3));
    }
    if best.0 > limit {
        tracer.stop(StopReason::BeyondLimit);
        return Verdict::Apart(normal_of(best.1, b_in_a));
    }
    tracer.stop(StopReason::BoundsMet);
    if radii > 0.0 && best.0 > 0.0 {
        return Verdict::Cornered;
    }
    if let (Axis::Edges(i, j), Purpose::Push, true) = (best.1, purpose, radii == 0.0) {
        let faces = if face < 3 { Axis::FaceOfA(face) } else { Axis::FaceOfB(face - 3) };
        if let Some(clipped) = beside_edges([half_a, half_b], b_in_a, (best.0, [i, j]), faces, margin) {
            return Verdict::Touching(clipped);
        }
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

fn touching<T: Tracer>(
    [half_a, half_b]: [DVec3; 2],
    b_in_a: &Placement,
    (gap, axis): (f64, Axis),
    (radius_a, radius_b): (f64, f64),
    margin: f64,
    tracer: &mut T,
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
            let edges = [Edge::new(half_a, i, corner_a), Edge::new(half_b, j, corner_b)];
            let (on_a, on_b, is_inside) = edges[0].crossing(&edges[1], b_in_a);
            let relation = relate(on_a, on_b);
            let touch = Touch { normal, radii, margin, relation: &relation };
            let shorter = half_a[i].min(half_b[j]);
            let is_deep = is_inside && touch.is_deep(4.0 * shorter * shorter);
            let is_oblique = b_in_a.rotation.col(j)[i].abs() < OBLIQUE;
            let manifold = if is_oblique && is_deep {
                around_crossing([half_a, half_b], b_in_a, &edges, &relation)
            } else if is_oblique && is_inside {
                touch.witness(edges.map(|edge| edge.feature))
            } else {
                let edge_a = patch::of_cuboid_edge(half_a, i, normal);
                let mut edge_b = patch::of_cuboid_edge(half_b, j, -normal_in_b);
                edge_b.place(b_in_a);
                touch.of_edges([&edge_a, &edge_b], || None, Owner::A, tracer).manifold
            };
            return Clipped { manifold, kept_deepest: is_inside, is_normal_of_b: false };
        }
    };
    of_faces(
        [half_a, half_b],
        b_in_a,
        (axis, [axis_a, axis_b]),
        &Touch { normal, radii, margin, relation: &relation },
        tracer,
    )
}

/// What the faces have in common that are along an axis.
fn of_faces<T: Tracer>(
    [half_a, half_b]: [DVec3; 2],
    b_in_a: &Placement,
    (axis, [axis_a, axis_b]): (Axis, [usize; 2]),
    touch: &Touch<'_>,
    tracer: &mut T,
) -> Clipped {
    let normal = touch.normal;
    let normal_in_b = b_in_a.direction_to_inner(normal);
    let (is_front_a, is_front_b) = (normal[axis_a] >= 0.0, -normal_in_b[axis_b] >= 0.0);
    // Boxes that are as good as parallel share the face of the first, whose normal it then is not quite.
    let is_own = match axis {
        Axis::FaceOfB(_) => !clip::is_nearly_flat(DVec3::AXES[axis_a], normal),
        Axis::FaceOfA(_) | Axis::Edges(..) => true,
    };
    if !T::LISTENS && is_own {
        let face_a = Face { half: half_a, axis: axis_a, is_positive: is_front_a };
        let face_b = Face { half: half_b, axis: axis_b, is_positive: is_front_b };
        return match axis {
            Axis::FaceOfB(_) => faces::clipped(touch, Owner::B, [face_b, face_a], &b_in_a.inverse(), b_in_a),
            Axis::FaceOfA(_) | Axis::Edges(..) => faces::clipped(touch, Owner::A, [face_a, face_b], b_in_a, b_in_a),
        };
    }
    let patch_a = patch::of_cuboid_face(half_a, axis_a, is_front_a);
    let mut patch_b = patch::of_cuboid_face(half_b, axis_b, is_front_b);
    patch_b.place(b_in_a);
    touch.of_faces(&patch_a, &patch_b, tracer).unwrap_or_else(|| touch.only_witness(Default::default()))
}

/// The contact along the normal of the best face, though edges that cross are shallower by `gap` along theirs: if it is
/// hardly deeper. What counts is how deep the faces are where both are, not how far a corner beside them reaches; the
/// point where the edges cross is one of the points if it is the deepest. Source: Catto, Box3D 2025, has the same rule.
fn beside_edges(
    [half_a, half_b]: [DVec3; 2],
    b_in_a: &Placement,
    (gap, [i, j]): (f64, [usize; 2]),
    face: Axis,
    margin: f64,
) -> Option<Clipped> {
    let along_edges = normal_of(Axis::Edges(i, j), b_in_a);
    let normal = normal_of(face, b_in_a);
    if along_edges.dot(normal) < SAME_WAY {
        return None;
    }
    let in_b = |direction: DVec3| b_in_a.direction_to_inner(direction);
    let (corner_a, corner_b) = (half_a.copysign(along_edges), half_b.copysign(-in_b(along_edges)));
    let edges = [Edge::new(half_a, i, corner_a), Edge::new(half_b, j, corner_b)];
    let (on_a, on_b, is_inside) = edges[0].crossing(&edges[1], b_in_a);
    if !is_inside {
        return None;
    }
    let axes = match face {
        Axis::FaceOfA(axis) => [axis, patch::largest_axis(in_b(normal).abs())],
        Axis::FaceOfB(axis) => [patch::largest_axis(normal.abs()), axis],
        Axis::Edges(..) => return None,
    };
    let relation = Relation { normal, separation: gap, on_a, on_b };
    let touch = Touch { normal, radii: [0.0; 2], margin, relation: &relation };
    let mut clipped = of_faces([half_a, half_b], b_in_a, (face, axes), &touch, &mut ());
    let most = -gap + EDGE_PREFERENCE * half_a.max_element().min(half_b.max_element());
    if f64::from(clipped.manifold.deepest()) > most {
        return None;
    }
    if !clipped.kept_deepest {
        clipped.manifold.rename([Feature::SURFACE; 2], edges.map(|edge| edge.feature));
    }
    Some(Clipped { kept_deepest: true, ..clipped })
}

/// An edge of a box in its own frame.
struct Edge {
    axis: usize,
    /// Half of its length.
    reach: f64,
    middle: DVec3,
    feature: Feature,
    /// The lower and the upper end.
    vertices: [Feature; 2],
}

impl Edge {
    /// The edge along `axis` at a corner of the box.
    fn new(half: DVec3, axis: usize, corner: DVec3) -> Self {
        let (next, last) = ([1, 2, 0][axis], [2, 0, 1][axis]);
        let side = |axis: usize| u32::from(corner[axis].is_sign_positive());
        let mut middle = corner;
        middle[axis] = 0.0;
        Self {
            axis,
            reach: half[axis],
            middle,
            feature: patch::cuboid_edge(axis, side(next), side(last)),
            vertices: [0, 1].map(|end| patch::cuboid_vertex(axis, end, side(next), side(last))),
        }
    }

    /// Its point that is closest to another edge, the point there, and whether both are between the ends.
    fn crossing(&self, other: &Self, other_in_own: &Placement) -> (DVec3, DVec3, bool) {
        let along = other_in_own.rotation.col(other.axis);
        let middle = other_in_own.point_to_outer(other.middle);
        let between = middle - self.middle;
        let cosine = along[self.axis];
        let (toward, toward_other) = (between[self.axis], between.dot(along));
        // The square of the sine, without the cancellation of one less the square of the cosine.
        let (next, last) = (along[[1, 2, 0][self.axis]], along[[2, 0, 1][self.axis]]);
        let part = 1.0 / (next * next + last * last);
        let (at, at_other) = ((toward - cosine * toward_other) * part, (cosine * toward - toward_other) * part);
        let (held, held_other) = (at.clamp(-self.reach, self.reach), at_other.clamp(-other.reach, other.reach));
        let is_inside = (held - at).abs() < 2e-6 * self.reach && (held_other - at_other).abs() < 2e-6 * other.reach;
        (self.middle + DVec3::AXES[self.axis] * held, middle + along * held_other, is_inside)
    }
}

/// The manifold of two edges that cross deep inside the boxes: where they do, and ends of what of each edge is inside the other
/// box, named after the corner that they are towards. Around one point the boxes would turn and sink in elsewhere.
fn around_crossing(
    [half_a, half_b]: [DVec3; 2],
    b_in_a: &Placement,
    [edge_a, edge_b]: &[Edge; 2],
    relation: &Relation,
) -> LocalManifold {
    let (i, j) = (edge_a.axis, edge_b.axis);
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
        point(place, depth, [edge_a.vertices[end], edge_b.feature])
    };
    let on_edge_b = |end: usize| {
        let depth = span(half_a, on_b + ends_b[end] * along_b, up)[1].max(0.0);
        let place = on_b + ends_b[end] * along_b + 0.5 * depth * normal;
        point(place, depth, [edge_a.feature, edge_b.vertices[end]])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Trace;
    use glam::Quat;

    /// What is told step by step goes through the general clipping, what is not through that of boxes.
    #[test]
    fn boxes_are_clipped_as_any_faces_are() {
        let mut random = fastrand::Rng::with_seed(41);
        let (mut cases, mut others) = (0, 0);
        for case in 0..60_000 {
            let mut number = || random.f64() * 2.0 - 1.0;
            let mut vector = || DVec3::new(number(), number(), number());
            let (half_a, half_b) = (vector().abs() + 0.1, vector().abs() + 0.1);
            let turn = match case % 5 {
                0 => Quat::IDENTITY,
                // As good as parallel.
                4 => Quat::from_rotation_y(3.0 * vector().x as f32) * Quat::from_rotation_x(1e-9 * vector().x as f32),
                1 => Quat::from_rotation_y(vector().x as f32),
                2 => Quat::from_axis_angle(vector().as_vec3().normalize(), 0.02),
                _ => Quat::from_axis_angle(vector().as_vec3().normalize(), 3.0 * vector().x as f32),
            };
            let radius = if case % 7 == 0 { 0.05 } else { 0.0 };
            let b_in_a = Placement::new(vector() * 1.2, turn);
            let boxes = || ((half_a, radius), (half_b, 0.5 * radius));
            let (a, b) = boxes();
            let told = contact(a, b, &b_in_a, (0.02, Purpose::Knowledge), &mut Trace::default());
            let (a, b) = boxes();
            let quick = contact(a, b, &b_in_a, (0.02, Purpose::Knowledge), &mut ());
            match (told, quick) {
                (Verdict::Touching(told), Verdict::Touching(quick)) => {
                    cases += 1;
                    assert_eq!(told.manifold.normal, quick.manifold.normal, "case {case}");
                    assert_eq!(told.kept_deepest, quick.kept_deepest, "case {case}");
                    assert!((told.manifold.deepest() - quick.manifold.deepest()).abs() < 1e-6, "case {case}");
                    let (told, quick) = (told.manifold.contacts(), quick.manifold.contacts());
                    let is_same = |(p, q): (&LocalContact, &LocalContact)| {
                        p.features == q.features && p.point.distance(q.point) < 1e-5 && (p.depth - q.depth).abs() < 1e-6
                    };
                    others += usize::from(told.len() != quick.len() || !told.iter().zip(quick).all(is_same));
                }
                (Verdict::Apart(told), Verdict::Apart(quick)) => assert_eq!(told, quick, "case {case}"),
                (Verdict::Cornered, Verdict::Cornered) => {}
                (told, quick) => panic!("case {case}: {told:?}, {quick:?}"),
            }
        }
        // Of points that are as good as each other, another may be chosen.
        assert!(cases > 10_000 && others * 1000 < cases, "{others} of {cases} differ");
    }

    /// Where bodies are pushed along a face though edges are shallower, that is hardly deeper and nearly the same way; all
    /// else is as it is told.
    #[test]
    fn a_face_is_pushed_only_where_it_is_hardly_deeper_than_edges() {
        let mut random = fastrand::Rng::with_seed(42);
        let mut preferred = 0;
        for case in 0..60_000 {
            let mut number = || random.f64() * 2.0 - 1.0;
            let mut vector = || DVec3::new(number(), number(), number());
            let (half_a, half_b) = (vector().abs() + 0.1, vector().abs() + 0.1);
            let angle = if case % 2 == 0 { 0.2 } else { 3.0 };
            let turn = Quat::from_axis_angle(vector().as_vec3().normalize(), angle * vector().x as f32);
            let b_in_a = Placement::new(vector() * 1.2, turn);
            let ask = |purpose| contact((half_a, 0.0), (half_b, 0.0), &b_in_a, (0.02, purpose), &mut ());
            match (ask(Purpose::Knowledge), ask(Purpose::Push)) {
                (Verdict::Touching(known), Verdict::Touching(pushed)) if known.manifold != pushed.manifold => {
                    preferred += 1;
                    let (known, pushed) = (known.manifold, pushed.manifold);
                    assert!(known.normal.dot(pushed.normal) > SAME_WAY as f32 - 1e-5, "case {case}");
                    let more = f64::from(pushed.deepest() - known.deepest());
                    let most = EDGE_PREFERENCE * half_a.max_element().min(half_b.max_element());
                    // The common part of the faces may end a little before the corner that is deepest.
                    assert!((-1e-4..most + 1e-5).contains(&more), "case {case}: deeper by {more}, allowed {most}");
                    let normal_in_b = b_in_a.direction_to_inner(pushed.normal.as_dvec3());
                    let is_face = |normal: DVec3| (normal.abs().max_element() - 1.0).abs() < 1e-6;
                    assert!(
                        is_face(pushed.normal.as_dvec3()) || is_face(normal_in_b),
                        "case {case}: {}",
                        pushed.normal
                    );
                }
                (Verdict::Touching(known), Verdict::Touching(pushed)) => {
                    assert_eq!(known.is_normal_of_b, pushed.is_normal_of_b, "case {case}");
                }
                (Verdict::Apart(known), Verdict::Apart(pushed)) => assert_eq!(known, pushed, "case {case}"),
                (Verdict::Cornered, Verdict::Cornered) => {}
                (known, pushed) => panic!("case {case}: {known:?}, {pushed:?}"),
            }
        }
        println!("{preferred} of 60,000 pushed along a face");
        assert!(preferred > 100, "{preferred} prove nothing");
    }
}
