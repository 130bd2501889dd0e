//! Two convex polytopes that overlap: the axis of least depth among face normals and crossings of edges (M1, N2).
//!
//! The least depth of two polytopes is along a face normal of one of them or the cross product of two edges whose arcs
//! cross on the Gauss map, where a face is a point, its outward normal, and an edge the arc between those of its faces.
//! Most axes need not be measured: with a ball of radius r around an inner point c of the other hull, the gap along a
//! normal n of a feature through p is at most n·(c - p) - r, so only features that c is high above can beat the best axis
//! so far. The round hulls of games leave some ten of hundreds. Candidates are chosen in f32 with room for its rounding;
//! depths are measured in f64. The gap along a face normal is that to the farthest vertex of the other hull, the gap
//! along a crossing that between the two edges.
//! Ends after all candidates; gives up, for the general search to answer, if there are more than a stack frame holds.
//! Cost: O(faces + edges) for the choice, a support for each face left and a few products for each pair of edges left.
//! Source: Gregorius, The Separating Axis Test between Convex Polyhedra, GDC 2013. The bound by inner balls is added.

use super::clip::{self, Relation};
use super::patch;
use crate::distance::placement::Placement;
use crate::shape::ConvexHull;
use glam::{DVec3, Vec3};

/// The most faces that are told apart on the stack.
const MOST_FACES: usize = 1024;
/// The most edges of a hull that may be left to cross with the other's.
const MOST_EDGES: usize = 128;
/// Edges are tested against so many at a time.
const LANES: usize = 8;
/// An edge axis must be shallower than the best face by this share of the size, and ten times this share of the depth.
const FACE_PREFERENCE: f64 = 1e-5;
/// Hulls that are less deep in each other than this share of the smaller are as likely apart: the distance search finds
/// that out faster.
const SHALLOW: f64 = 0.02;
/// What products of f32 may be off by, as a share of their size.
const DOUBT: f32 = 1e-5;

/// The axis of least depth of the cores of two hulls that overlap; none if an axis parts them, or if there are too many
/// candidates.
pub(super) fn least_depth(a: &ConvexHull, b: &ConvexHull, b_in_a: &Placement) -> Option<Relation> {
    let (inner_a, inner_b) = (a.inner_ball(), b.inner_ball());
    let a_in_b = b_in_a.inverse();
    let scale = (a.outer_radius() + b.outer_radius() + b_in_a.position.length()) as f32;
    let cap = |inner: f32| Cap { inner, doubt: DOUBT * scale + f32::MIN_POSITIVE };
    let (over_a, over_b) = (cap(inner_b.radius), cap(inner_a.radius));
    let (mut heights_a, mut heights_b) = ([0.0; MOST_FACES], [0.0; MOST_FACES]);
    let first_a = heights(a, b_in_a.point_to_outer(inner_b.center.as_dvec3()), &mut heights_a)?;
    let first_b = heights(b, a_in_b.point_to_outer(inner_a.center.as_dvec3()), &mut heights_b)?;

    let small = a.outer_radius().min(b.outer_radius());
    let of_a = best_face(a, (b, b_in_a), (&heights_a, first_a), &over_a, (f64::NEG_INFINITY, small))?;
    // The first hull keeps its face unless the other's is better by more than rounding.
    let tie = FACE_PREFERENCE * (small + 10.0 * of_a.gap.abs());
    let of_b = best_face(b, (a, &a_in_b), (&heights_b, first_b), &over_b, (of_a.gap + tie, small));
    if of_a.gap > -SHALLOW * small || of_b.is_some_and(|face| face.gap > -SHALLOW * small) {
        return None;
    }
    let face = match of_b {
        Some(face) if face.gap > of_a.gap + tie => {
            let normal = -b_in_a.direction_to_outer(face.normal);
            let on_a = b_in_a.point_to_outer(face.vertex);
            Relation { normal, separation: face.gap, on_a, on_b: on_a + face.gap * normal }
        }
        Some(_) | None => Relation {
            normal: of_a.normal,
            separation: of_a.gap,
            on_a: of_a.vertex - of_a.gap * of_a.normal,
            on_b: of_a.vertex,
        },
    };

    let arcs_a = arcs(a, &heights_a, over_a.least(face.separation))?;
    let arcs_b = arcs(b, &heights_b, over_b.least(face.separation))?;
    let tie = FACE_PREFERENCE * (small + 10.0 * face.separation.abs());
    let Some((edges, normal, separation)) = best_crossing((a, &arcs_a), (b, &arcs_b), b_in_a) else {
        return Some(face);
    };
    if separation > 0.0 {
        return None;
    }
    if separation <= face.separation + tie {
        return Some(face);
    }
    let edge_b = patch::of_hull_edge(b, edges[1]).placed(b_in_a);
    let (on_a, on_b, _) = clip::crossing(&patch::of_hull_edge(a, edges[0]), &edge_b);
    Some(Relation { normal, separation, on_a, on_b })
}

/// Which features of a hull can beat an axis.
struct Cap {
    /// The radius of the other hull's inner ball.
    inner: f32,
    doubt: f32,
}

impl Cap {
    /// How high above a feature the other hull's inner point must be to beat this gap.
    fn least(&self, gap: f64) -> f32 {
        gap as f32 + self.inner - self.doubt
    }
}

/// How high a point is above each face, and the face that it is highest above.
fn heights(hull: &ConvexHull, point: DVec3, heights: &mut [f32; MOST_FACES]) -> Option<usize> {
    let (planes, point) = (hull.planes(), point.as_vec3());
    if planes.len() > MOST_FACES {
        return None;
    }
    for (height, plane) in heights.iter_mut().zip(planes) {
        *height = plane.normal.dot(point) - plane.offset;
    }
    let mut first = 0;
    for (index, height) in heights[..planes.len()].iter().enumerate() {
        if *height > heights[first] {
            first = index;
        }
    }
    Some(first)
}

/// The gap above a face, in the frame of its hull.
#[derive(Clone, Copy)]
struct FaceGap {
    gap: f64,
    normal: DVec3,
    /// The nearest vertex of the other hull.
    vertex: DVec3,
}

/// The face of `owner` with the greatest gap to the other hull, among those that may beat `best`. It looks no further
/// once the hulls are known not to be deep in each other, measured by the size of the smaller.
fn best_face(
    owner: &ConvexHull,
    (other, other_in_owner): (&ConvexHull, &Placement),
    (heights, first): (&[f32; MOST_FACES], usize),
    cap: &Cap,
    (best, small): (f64, f64),
) -> Option<FaceGap> {
    let mut start = u32::MAX;
    let mut measure = |face: usize| {
        let plane = owner.planes()[face];
        let normal = plane.normal.as_dvec3().normalize_or(DVec3::Y);
        start = other.support_vertex(other_in_owner.direction_to_inner(-normal).as_vec3(), start);
        let vertex = other_in_owner.point_to_outer(other.vertices()[start as usize].as_dvec3());
        FaceGap { gap: normal.dot(vertex) - f64::from(plane.offset), normal, vertex }
    };
    let mut found: Option<FaceGap> = None;
    let mut least = cap.least(best);
    let others = (0..owner.face_count()).filter(|&face| face != first);
    for face in std::iter::once(first).chain(others) {
        if heights[face] <= least {
            continue;
        }
        let measured = measure(face);
        if measured.gap > found.map_or(best, |found| found.gap) {
            least = cap.least(measured.gap);
            found = Some(measured);
            if measured.gap > -SHALLOW * small {
                break;
            }
        }
    }
    found
}

/// The edges of a hull that may be one of a crossing that beats the best face.
struct Arcs {
    edges: [u32; MOST_EDGES],
    count: usize,
}

fn arcs(hull: &ConvexHull, heights: &[f32; MOST_FACES], least: f32) -> Option<Arcs> {
    let mut arcs = Arcs { edges: [0; MOST_EDGES], count: 0 };
    for (index, (edge, cosine)) in hull.edges().iter().zip(hull.arc_cosines()).enumerate() {
        // A normal on the arc is a mean of those at its ends, made longer to unit length by at most one over the cosine;
        // so is the height of a point above the edge along it.
        let greatest = heights[edge.faces[0] as usize].max(heights[edge.faces[1] as usize]);
        let may_beat = if greatest > 0.0 { greatest > least * cosine } else { greatest > least };
        if may_beat {
            *arcs.edges.get_mut(arcs.count)? = index as u32;
            arcs.count += 1;
        }
    }
    Some(arcs)
}

/// Normals of the two faces and directions of edges, in lanes.
struct Lanes {
    left: [[f32; MOST_EDGES]; 3],
    right: [[f32; MOST_EDGES]; 3],
    along: [[f32; MOST_EDGES]; 3],
}

/// The crossing of edges with the greatest gap: the edges, the normal of both and the gap.
fn best_crossing(
    (a, arcs_a): (&ConvexHull, &Arcs),
    (b, arcs_b): (&ConvexHull, &Arcs),
    b_in_a: &Placement,
) -> Option<([u32; 2], DVec3, f64)> {
    let zero = [[0.0; MOST_EDGES]; 3];
    let mut lanes = Lanes { left: zero, right: zero, along: zero };
    let turn = b_in_a.rotation.as_mat3();
    for (lane, &edge) in arcs_b.edges[..arcs_b.count].iter().enumerate() {
        let edge = b.edges()[edge as usize];
        let [left, right] = edge.faces.map(|face| turn * b.planes()[face as usize].normal);
        let [from, to] = edge.vertices.map(|vertex| b.vertices()[vertex as usize]);
        let along = turn * (to - from);
        for axis in 0..3 {
            lanes.left[axis][lane] = left[axis];
            lanes.right[axis][lane] = right[axis];
            lanes.along[axis][lane] = along[axis];
        }
    }
    let mut best: Option<([u32; 2], DVec3, f64)> = None;
    for &edge_a in &arcs_a.edges[..arcs_a.count] {
        let edge = a.edges()[edge_a as usize];
        let normals = edge.faces.map(|face| a.planes()[face as usize].normal);
        let ends = edge.vertices.map(|vertex| a.vertices()[vertex as usize]);
        for start in (0..arcs_b.count).step_by(LANES) {
            let mut hits = crossing_arcs(normals, ends[1] - ends[0], &lanes, start);
            while hits != 0 {
                let lane = start + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let edge_b = arcs_b.edges[lane];
                if let Some((normal, gap)) = gap_of_edges(ends, normals, (b, edge_b), b_in_a)
                    && best.is_none_or(|best| gap > best.2)
                {
                    best = Some(([edge_a, edge_b], normal, gap));
                }
            }
        }
    }
    best
}

/// Which of the next edges of the second hull have arcs, seen from behind, that cross the arc of an edge of the first.
///
/// With faces left and right of each edge, an arc crosses the great circle of another where the normals at its ends are
/// on either side of that circle, whose axis is the edge.
fn crossing_arcs([left, right]: [Vec3; 2], along: Vec3, lanes: &Lanes, start: usize) -> u32 {
    let mut hits = 0;
    let row = |rows: &[[f32; MOST_EDGES]; 3], axis: usize| -> [f32; LANES] {
        std::array::from_fn(|lane| rows[axis][start + lane])
    };
    let product = |rows: &[[f32; MOST_EDGES]; 3], with: Vec3| -> [f32; LANES] {
        let (x, y, z) = (row(rows, 0), row(rows, 1), row(rows, 2));
        std::array::from_fn(|lane| x[lane] * with.x + y[lane] * with.y + z[lane] * with.z)
    };
    let (left_b, right_b) = (product(&lanes.left, along), product(&lanes.right, along));
    let (left_a, right_a) = (product(&lanes.along, left), product(&lanes.along, right));
    for lane in 0..LANES {
        let is_crossing = (left_b[lane] * right_b[lane] < 0.0)
            & (left_a[lane] * right_a[lane] < 0.0)
            & (left_b[lane] * right_a[lane] < 0.0);
        hits |= u32::from(is_crossing) << lane;
    }
    hits
}

/// The normal of two edges whose arcs cross, and how far they are apart along it; none if they are parallel.
fn gap_of_edges(
    ends: [Vec3; 2],
    normals: [Vec3; 2],
    (b, edge_b): (&ConvexHull, u32),
    b_in_a: &Placement,
) -> Option<(DVec3, f64)> {
    let [from_a, to_a] = ends.map(Vec3::as_dvec3);
    let vertices = b.edges()[edge_b as usize].vertices.map(|vertex| b.vertices()[vertex as usize].as_dvec3());
    let [from_b, to_b] = vertices.map(|vertex| b_in_a.point_to_outer(vertex));
    let normal = (to_a - from_a).cross(to_b - from_b).try_normalize()?;
    let normal = if normal.dot((normals[0] + normals[1]).as_dvec3()) < 0.0 { -normal } else { normal };
    Some((normal, normal.dot(from_b - from_a)))
}
