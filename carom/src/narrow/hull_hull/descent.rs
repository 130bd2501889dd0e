//! The closest points of two hulls that are near: a distance search (GJK) in f32, its end confirmed in f64.
//!
//! The search is that of `distance::minimum_norm`, without its care: it starts from a face and the vertex before it, and
//! ends when the support brings nothing new. Its simplex then names the closest features, whose distance is computed in
//! f64; it is an upper bound, and the supports along its direction prove the lower one, to within f32 rounding. A search
//! that ends otherwise, or fails this proof, has told nothing.
//! Cost: one to six steps of two supports. Source: Gilbert, Johnson, Keerthi (1988), doi:10.1109/56.2083; the regions of
//! a triangle are Ericson's (Real-Time Collision Detection, 2005, 5.1.5).

use super::super::clip::Relation;
use super::{FaceGap, Finding, HullPair, Meeting};
use crate::distance::placement::Placement;
use crate::trace::{DifferencePoint, GjkStep, StopReason, Tracer};
use fearless_simd::Simd;
use glam::{DVec3, Vec3};

const STEP_LIMIT: usize = 20;

/// A point of the difference of the hulls, and the vertices that it is the difference of.
#[derive(Debug, Clone, Copy, Default)]
struct Corner {
    difference: Vec3,
    vertices: [u32; 2],
}

/// One to four corners.
struct Simplex {
    corners: [Corner; 4],
    count: usize,
}

/// The closest points of two hulls that are apart.
pub(super) fn closest<S: Simd>(
    simd: S,
    pair: &HullPair<'_>,
    start: FaceGap,
    question: (&Placement, f64),
    tracer: &mut impl Tracer,
) -> Finding {
    simd.vectorize(
        #[inline(always)]
        || search(simd, pair, start, question, tracer),
    )
}

#[inline(always)]
fn search<S: Simd>(
    simd: S,
    pair: &HullPair<'_>,
    start: FaceGap,
    (b_in_a, limit): (&Placement, f64),
    tracer: &mut impl Tracer,
) -> Finding {
    let doubt = pair.doubt();
    let corner = |vertices: [u32; 2]| Corner {
        difference: pair.vertex_of_a(vertices[0]) - pair.vertex_of_b(vertices[1]),
        vertices,
    };
    let mut simplex = Simplex { corners: [Corner::default(); 4], count: 3 };
    for (place, &vertex) in simplex.corners.iter_mut().zip(pair.a.face_corners(start.face as usize)).take(3) {
        *place = corner([vertex, start.vertex]);
    }
    let mut bounds = [f32::NEG_INFINITY, f32::INFINITY];
    for _ in 0..STEP_LIMIT {
        let Some(nearest) = simplex.reduce() else {
            tracer.stop(StopReason::Enclosed);
            return Finding::Unknown;
        };
        let square = nearest.length_squared();
        if square <= doubt * doubt {
            tracer.stop(StopReason::Near);
            return Finding::Unknown;
        }
        let length = square.sqrt();
        let vertices = pair.supports(simd, -nearest);
        let next = corner(vertices);
        let along = nearest.dot(next.difference);
        tracer.gjk(|| {
            bounds = [bounds[0].max(along / length), bounds[1].min(length)];
            simplex.record(pair, nearest / length, next.difference, bounds)
        });
        if f64::from(along) > (limit + f64::from(doubt)) * f64::from(length) {
            tracer.stop(StopReason::BeyondLimit);
            return Finding::Apart(-nearest.as_dvec3());
        }
        let is_known = simplex.corners[..simplex.count].iter().any(|corner| corner.vertices == vertices);
        if is_known || square - along <= 0.25 * doubt * length {
            tracer.stop(StopReason::BoundsMet);
            return confirmed(simd, pair, &simplex, b_in_a, limit);
        }
        // At most three corners are left.
        simplex.corners[simplex.count % 4] = next;
        simplex.count += 1;
    }
    tracer.stop(StopReason::IterationLimit);
    Finding::Unknown
}

/// The distance of the features that a simplex names, if no others are closer.
#[inline(always)]
fn confirmed<S: Simd>(simd: S, pair: &HullPair<'_>, simplex: &Simplex, b_in_a: &Placement, limit: f64) -> Finding {
    let Some(relation) = simplex.relation(pair, b_in_a) else { return Finding::Unknown };
    let Relation { normal, separation, .. } = relation;
    let [vertex_a, vertex_b] = pair.supports(simd, normal.as_vec3());
    let farthest_a = pair.vertex_of_a(vertex_a).as_dvec3();
    let farthest_b = b_in_a.point_to_outer(pair.b.vertices()[vertex_b as usize].as_dvec3());
    let lower = normal.dot(farthest_b - farthest_a);
    // Written so that NaN is refused.
    let is_proven = separation > f64::from(pair.doubt()) && lower >= separation - f64::from(pair.doubt());
    if !is_proven {
        return Finding::Unknown;
    }
    if separation > limit {
        return Finding::Apart(normal);
    }
    Finding::Touching(relation, Meeting::Vertices(simplex.corners[0].vertices))
}

impl Simplex {
    /// The closest points of the features that the corners name, in f64; none if they are not between the corners, or
    /// if there are four.
    fn relation(&self, pair: &HullPair<'_>, b_in_a: &Placement) -> Option<Relation> {
        let corners = &self.corners[..self.count];
        let mut points = [[DVec3::ZERO; 2]; 3];
        for (points, corner) in points.iter_mut().zip(corners) {
            let on_a = pair.vertex_of_a(corner.vertices[0]).as_dvec3();
            let on_b = b_in_a.point_to_outer(pair.b.vertices()[corner.vertices[1] as usize].as_dvec3());
            *points = [on_a, on_b];
        }
        let difference = points.map(|[on_a, on_b]| on_a - on_b);
        // Of a face, the normal; it has more digits than the difference of the closest points.
        let mut normal = DVec3::ZERO;
        let weights = match corners.len() {
            1 => [1.0, 0.0, 0.0],
            2 => {
                let along = difference[1] - difference[0];
                let share = -difference[0].dot(along) / along.length_squared();
                [1.0 - share, share, 0.0]
            }
            3 => {
                let (u, v) = (difference[1] - difference[0], difference[2] - difference[0]);
                normal = u.cross(v);
                let inverse = 1.0 / normal.length_squared();
                let second = v.cross(difference[0]).dot(normal) * inverse;
                let third = difference[0].cross(u).dot(normal) * inverse;
                [1.0 - second - third, second, third]
            }
            _ => return None,
        };
        // Not so for a simplex without extent: its weights are not numbers.
        if !weights.iter().all(|weight| (-1e-6..=1.0 + 1e-6).contains(weight)) {
            return None;
        }
        let (mut on_a, mut on_b) = (DVec3::ZERO, DVec3::ZERO);
        for ([point_a, point_b], weight) in points.into_iter().zip(weights) {
            on_a += weight * point_a;
            on_b += weight * point_b;
        }
        let between = on_b - on_a;
        if corners.len() < 3 {
            normal = between;
        }
        normal *= (1.0 / normal.length_squared().sqrt()).copysign(normal.dot(between));
        Some(Relation { normal, separation: normal.dot(between), on_a, on_b })
    }

    /// What a tracer is told of a step along a unit direction from the second hull to the first.
    fn record(&self, pair: &HullPair<'_>, direction: Vec3, support: Vec3, bounds: [f32; 2]) -> GjkStep {
        let point = |corner: &Corner| DifferencePoint {
            on_a: pair.vertex_of_a(corner.vertices[0]).as_dvec3(),
            on_b: pair.vertex_of_b(corner.vertices[1]).as_dvec3(),
            difference: corner.difference.as_dvec3(),
        };
        let [lower, upper] = bounds.map(f64::from);
        GjkStep {
            simplex: self.corners[..self.count].iter().map(point).collect(),
            nearest: direction.as_dvec3() * upper,
            direction: -direction.as_dvec3(),
            support: support.as_dvec3(),
            lower,
            upper,
        }
    }

    /// The point nearest to the origin, none if the origin is inside; keeps the corners that it needs.
    #[inline(always)]
    fn reduce(&mut self) -> Option<Vec3> {
        match self.count {
            1 => Some(self.corners[0].difference),
            2 => Some(self.keep(self.on_edge(0, 1))),
            3 => Some(self.keep(self.on_face([0, 1, 2]))),
            _ => self.on_faces_of_newest(),
        }
    }

    /// The three faces at the newest corner: beyond the one across, the origin cannot be.
    #[inline(always)]
    fn on_faces_of_newest(&mut self) -> Option<Vec3> {
        let at = |index: usize| self.corners[index].difference;
        let newest = at(3);
        let mut best: Option<Nearest> = None;
        for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let normal = (at(i) - newest).cross(at(j) - newest);
            let inside = normal.dot(at(k) - newest);
            // The origin is not on the same side as the other corner.
            if -normal.dot(newest) * inside > 0.0 {
                continue;
            }
            let found = self.on_face([i, j, 3]);
            if best.as_ref().is_none_or(|best| found.point.length_squared() < best.point.length_squared()) {
                best = Some(found);
            }
        }
        best.map(|best| self.keep(best))
    }

    #[inline(always)]
    fn keep(&mut self, nearest: Nearest) -> Vec3 {
        let corners = self.corners;
        self.count = nearest.count;
        for (place, &corner) in self.corners.iter_mut().zip(&nearest.corners[..nearest.count]) {
            *place = corners[corner];
        }
        nearest.point
    }

    #[inline(always)]
    fn on_edge(&self, i: usize, j: usize) -> Nearest {
        let (from, to) = (self.corners[i].difference, self.corners[j].difference);
        let along = to - from;
        let (ahead, square) = (-from.dot(along), along.length_squared());
        if ahead <= 0.0 {
            Nearest { point: from, corners: [i, 0, 0], count: 1 }
        } else if ahead >= square {
            Nearest { point: to, corners: [j, 0, 0], count: 1 }
        } else {
            Nearest { point: from + along * (ahead / square), corners: [i, j, 0], count: 2 }
        }
    }

    #[inline(always)]
    fn on_face(&self, [i, j, k]: [usize; 3]) -> Nearest {
        let [a, b, c] = [i, j, k].map(|index| self.corners[index].difference);
        let (ab, ac) = (b - a, c - a);
        let (ab_a, ac_a) = (-ab.dot(a), -ac.dot(a));
        let (ab_b, ac_b) = (-ab.dot(b), -ac.dot(b));
        let (ab_c, ac_c) = (-ab.dot(c), -ac.dot(c));
        let over_a = ab_b * ac_c - ab_c * ac_b;
        let over_b = ab_c * ac_a - ab_a * ac_c;
        let over_c = ab_a * ac_b - ab_b * ac_a;
        if over_a > 0.0 && over_b > 0.0 && over_c > 0.0 {
            let normal = ab.cross(ac);
            let square = normal.length_squared();
            if square > 0.0 {
                return Nearest { point: normal * (normal.dot(a) / square), corners: [i, j, k], count: 3 };
            }
        }
        // Over an edge or a corner: of the edges that the origin is beyond, the nearest.
        let mut best: Option<Nearest> = None;
        for (over, (from, to)) in [(over_c, (i, j)), (over_a, (j, k)), (over_b, (k, i))] {
            if over <= 0.0 {
                let found = self.on_edge(from, to);
                if best.as_ref().is_none_or(|best| found.point.length_squared() < best.point.length_squared()) {
                    best = Some(found);
                }
            }
        }
        best.unwrap_or(self.on_edge(i, j))
    }
}

/// A point of a simplex, and the corners that it lies between.
#[derive(Clone, Copy)]
struct Nearest {
    point: Vec3,
    corners: [usize; 3],
    count: usize,
}
