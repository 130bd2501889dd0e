//! Closest points of points, edges and triangles in f64.
//!
//! The closest pair of two convex features lies in the relative interiors of two of their sub-features, so it is
//! among the unconstrained minima of all pairs of corners, edges and interiors. Each candidate is built as a pair of
//! points that do lie on the features (weights not negative, of sum one) and is judged by its own measured distance,
//! never by the formula that proposed it: an ill-conditioned proposal can lose, but cannot lie. What a nearly
//! parallel or nearly flat case loses in its interior candidate, the neighbouring corner and edge candidates make up
//! to within rounding.
//! Stops: no iteration. Cost: point-edge 1, point-face 4, edge-edge 5, edge-face 27, face-face 57 candidates at most.
//! Source: the case analysis is folklore; see Ericson, Real-Time Collision Detection (2005), ch. 5, which branches on
//! Voronoi regions instead and needs an epsilon for parallel edges.

use super::placement::Placement;
use glam::DVec3;

/// Distances below this share of the input's size are rounding and count as contact.
pub(crate) const ROUNDING: f64 = 4e-15;

/// A point on each of two features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
}

impl Pair {
    pub(crate) fn distance(&self) -> f64 {
        self.on_a.distance(self.on_b)
    }

    /// One common point instead of two that are no farther apart than `tolerance`.
    pub(crate) fn snapped(self, tolerance: f64) -> Self {
        if self.distance() <= tolerance { Self { on_a: self.on_a, on_b: self.on_a } } else { self }
    }

    /// In the frame in which that of the points stands at `placement`.
    pub(crate) fn placed(self, placement: &Placement) -> Self {
        Self { on_a: placement.point_to_outer(self.on_a), on_b: placement.point_to_outer(self.on_b) }
    }

    pub(crate) fn mirrored(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a }
    }

    fn nearer(self, other: Self) -> Self {
        let squared = |pair: &Self| pair.on_a.distance_squared(pair.on_b);
        if squared(&other) < squared(&self) { other } else { self }
    }

    fn nearer_if_any(self, other: Option<Self>) -> Self {
        other.map_or(self, |other| self.nearer(other))
    }
}

pub(crate) fn point_edge(point: DVec3, edge: [DVec3; 2]) -> Pair {
    let [a, b] = edge.map(|end| end - point);
    let weights = nearest_on_edge([a, b]);
    Pair { on_a: point, on_b: weights[0] * edge[0] + weights[1] * edge[1] }
}

pub(crate) fn point_face(point: DVec3, face: [DVec3; 3]) -> Pair {
    let weights = nearest_on_face(face.map(|corner| corner - point));
    Pair { on_a: point, on_b: weights[0] * face[0] + weights[1] * face[1] + weights[2] * face[2] }
}

pub(crate) fn edge_edge(a: [DVec3; 2], b: [DVec3; 2]) -> Pair {
    if let Some(pair) = edge_edge_quickly(a, b) {
        return pair;
    }
    let mut best = point_edge(a[0], b).nearer(point_edge(a[1], b));
    for end in b {
        best = best.nearer(point_edge(end, a).mirrored());
    }
    best.nearer_if_any(inside_both_edges(a, b))
}

/// The closest points of two edges that are well apart and not nearly parallel, proven by how the distance grows from
/// there; none of others.
#[inline]
fn edge_edge_quickly(a: [DVec3; 2], b: [DVec3; 2]) -> Option<Pair> {
    let (u, v, offset) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (from_a, from_b) = (u.dot(offset), v.dot(offset));
    let turn = uu * vv - uv * uv;
    // The lines first; then, of an end that is passed, the nearest point on the other; then that one's nearest.
    let along_a = ((uv * from_b - from_a * vv) / turn).clamp(0.0, 1.0);
    let along_b = ((uv * along_a + from_b) / vv).clamp(0.0, 1.0);
    let along_a = ((uv * along_b - from_a) / uu).clamp(0.0, 1.0);
    let pair = Pair { on_a: a[0] + along_a * u, on_b: b[0] + along_b * v };
    let across = pair.on_a - pair.on_b;
    let (growth_a, growth_b) = (u.dot(across), -v.dot(across));
    let size = uu + vv + across.length_squared();
    // The square of the distance is convex: where no step along the edges makes it less, it is least.
    let rounding = 1e-15 * size;
    let is_least =
        |along: f64, growth: f64| (growth >= -rounding || along == 1.0) && (growth <= rounding || along == 0.0);
    let is_told = turn > 1e-6 * uu * vv && across.length_squared() > 1e-4 * size;
    (is_told && is_least(along_a, growth_a) && is_least(along_b, growth_b)).then_some(pair)
}

pub(crate) fn edge_face(edge: [DVec3; 2], face: [DVec3; 3]) -> Pair {
    let mut best = point_face(edge[0], face).nearer(point_face(edge[1], face));
    for side in sides(face) {
        best = best.nearer(edge_edge(edge, side));
    }
    best.nearer_if_any(crossing(edge, face))
}

pub(crate) fn face_face(a: [DVec3; 3], b: [DVec3; 3]) -> Pair {
    let mut best = point_face(a[0], b);
    for corner in &a[1..] {
        best = best.nearer(point_face(*corner, b));
    }
    for corner in b {
        best = best.nearer(point_face(corner, a).mirrored());
    }
    for side_a in sides(a) {
        best = best.nearer_if_any(crossing(side_a, b));
        for side_b in sides(b) {
            best = best.nearer_if_any(inside_both_edges(side_a, side_b));
        }
    }
    for side_b in sides(b) {
        best = best.nearer_if_any(crossing(side_b, a).map(Pair::mirrored));
    }
    best
}

/// The weights of the point of an edge that is nearest to the origin.
#[inline]
pub(crate) fn nearest_on_edge([a, b]: [DVec3; 2]) -> [f64; 2] {
    let along = b - a;
    let length_squared = along.length_squared();
    // No length, or so little that its square is zero: either end will do.
    if length_squared == 0.0 {
        return [1.0, 0.0];
    }
    let weight = (-a.dot(along) / length_squared).clamp(0.0, 1.0);
    [1.0 - weight, weight]
}

/// The weights of the point of a triangle that is nearest to the origin.
#[inline]
pub(crate) fn nearest_on_face([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let area_squared = normal.length_squared();
    let most = u.length_squared() * v.length_squared();
    let mut interior = None;
    if area_squared > 0.0 {
        // Cross products of edges, not of corners: the error grows with distance over size, not with its square.
        let coordinates =
            |from: DVec3| (normal.dot(v.cross(from)) / area_squared, normal.dot(from.cross(u)) / area_squared);
        let (weight_b, weight_c) = coordinates(a);
        // What rounding has left in the plane of a sliver is taken out once more.
        let (rest_b, rest_c) = coordinates(a + weight_b * u + weight_c * v);
        let (weight_b, weight_c) = (weight_b + rest_b, weight_c + rest_c);
        let weight_a = 1.0 - weight_b - weight_c;
        let is_wide = area_squared > 1e-2 * most;
        match (weight_a >= 0.0, weight_b >= 0.0, weight_c >= 0.0) {
            (true, true, true) if area_squared > 1e-12 * most => return [weight_a, weight_b, weight_c],
            (true, true, true) => interior = Some([weight_a, weight_b, weight_c]),
            // The nearest point of a convex figure is on a side that is turned to the origin; here there is only one.
            (false, true, true) if is_wide => {
                let [b, c] = nearest_on_edge([b, c]);
                return [0.0, b, c];
            }
            (true, false, true) if is_wide => {
                let [c, a] = nearest_on_edge([c, a]);
                return [a, 0.0, c];
            }
            (true, true, false) if is_wide => {
                let [a, b] = nearest_on_edge([a, b]);
                return [a, b, 0.0];
            }
            _ => {}
        }
    }
    let [ab, bc, ca] = [nearest_on_edge([a, b]), nearest_on_edge([b, c]), nearest_on_edge([c, a])];
    let on_edges = [[ab[0], ab[1], 0.0], [0.0, bc[0], bc[1]], [ca[1], 0.0, ca[0]]];
    let squared = |weights: &[f64; 3]| (weights[0] * a + weights[1] * b + weights[2] * c).length_squared();
    interior.into_iter().chain(on_edges).min_by(|p, q| squared(p).total_cmp(&squared(q))).unwrap_or(on_edges[0])
}

/// The closest points of the two lines, if both lie between the ends.
fn inside_both_edges(a: [DVec3; 2], b: [DVec3; 2]) -> Option<Pair> {
    let (u, v, offset) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let normal = u.cross(v);
    let length_squared = normal.length_squared();
    if length_squared == 0.0 {
        return None;
    }
    let along_a = offset.cross(v).dot(normal) / length_squared;
    let along_b = offset.cross(u).dot(normal) / length_squared;
    let between = |along: f64| (0.0..=1.0).contains(&along);
    (between(along_a) && between(along_b)).then(|| Pair { on_a: a[0] + along_a * u, on_b: b[0] + along_b * v })
}

/// Where the edge goes through the triangle.
fn crossing(edge: [DVec3; 2], face: [DVec3; 3]) -> Option<Pair> {
    let (u, v) = (face[1] - face[0], face[2] - face[0]);
    let normal = u.cross(v);
    let [above, below] = edge.map(|end| normal.dot(end - face[0]));
    let drop = above - below;
    if !(above * below <= 0.0 && drop != 0.0) {
        return None;
    }
    let through = edge[0] + (above / drop).clamp(0.0, 1.0) * (edge[1] - edge[0]);
    Some(point_face(through, face))
}

fn sides([a, b, c]: [DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}
