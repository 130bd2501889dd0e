//! GJK in the plane: the point of least norm of the difference A - B of two convex polygons.
//!
//! A segment of A - B holds the nearest point v so far; its length is an upper bound of the distance. The support w along
//! -v gives the gap across v, a lower bound: when both meet v is the nearest of all; if not, w replaces an end. Once a
//! triangle holds the origin (by exact signs) the polygons overlap, and its nearest side is pushed out (EPA) until it lies
//! on the border, whose nearest point is the depth: the polygon so far proves a least depth, the support a move that frees.
//! The next search of the pair starts from the corners where the last ended: an edge, or a polygon around the origin.
//! Stops: when the bounds meet, or when rounding leaves nothing new to find; at n · m + 16 steps at the latest, and says
//! so. Cost: n + m a step.
//! Source: Gilbert, Johnson, Keerthi (1988), doi:10.1109/56.2083; van den Bergen (2001) for the depth.

use super::separation::{Cores, Found, SLACK, Separation};
use super::{Figure, farthest};
use crate::trace::{DifferencePoint, EpaStep, GjkStep, StopReason, Tracer};
use glam::DVec2;
use robust::{Coord, orient2d};

/// Where the last search of a pair of figures ended; see [`distance_cached`]. Empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairCache {
    /// Corners of the first and the second: one or two near the origin of A - B, or more around it, of which the first two
    /// were its nearest side.
    corners: Vec<[u32; 2]>,
}

/// The signed distance of two figures, with the closest or deepest points.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{Figure, Status, distance};
///
/// let triangle = Figure::polygon(&[DVec2::ZERO, DVec2::X, DVec2::Y])?;
/// let capsule = Figure::polygon(&[DVec2::new(2.0, 2.0), DVec2::new(3.0, 2.0)])?.rounded(0.5)?;
/// let apart = distance(&triangle, &capsule);
/// assert!((apart.distance - (DVec2::new(2.0, 2.0).distance(DVec2::splat(0.5)) - 0.5)).abs() < 1e-12);
/// assert!(apart.lower <= apart.distance && apart.distance <= apart.upper);
/// let Status::Separated(line) = apart.status else { panic!() };
/// assert!(triangle.corners().iter().all(|corner| line.height(*corner) < 0.0));
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn distance(a: &Figure, b: &Figure) -> Separation {
    distance_traced(a, b, &mut PairCache::default(), &mut ())
}

/// [`distance`](fn@distance) from where the last search of the same two figures ended, which makes it fast while they move little.
/// Whatever the cache holds, the answer is right.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{Figure, PairCache, distance, distance_cached};
///
/// let square = Figure::rectangle(DVec2::ZERO, DVec2::ONE, 0.0)?;
/// let mut cache = PairCache::default();
/// for step in 0..10 {
///     let circle = Figure::circle(DVec2::new(3.0, 0.1 * f64::from(step)), 0.5)?;
///     let found = distance_cached(&square, &circle, &mut cache);
///     assert!((found.distance - distance(&square, &circle).distance).abs() < 1e-12);
/// }
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn distance_cached(a: &Figure, b: &Figure, cache: &mut PairCache) -> Separation {
    distance_traced(a, b, cache, &mut ())
}

/// [`distance_cached`], which tells a tracer each step, in the plane z = 0. The face of an [`EpaStep`] is a side here, its
/// second corner told twice.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{Figure, PairCache, distance_traced};
/// use carom::trace::{StopReason, Trace};
///
/// let square = Figure::rectangle(DVec2::ZERO, DVec2::ONE, 0.0)?;
/// let mut trace = Trace::default();
/// let deep = distance_traced(&square, &Figure::circle(DVec2::new(0.5, 0.0), 0.25)?, &mut PairCache::default(), &mut trace);
/// assert_eq!(trace.reasons, [StopReason::Enclosed, StopReason::BoundsMet]);
/// // The circle's centre is that deep in the square, and its radius more.
/// assert!((trace.epa.last().unwrap().upper - 0.5).abs() < 1e-12 && (deep.distance + 0.75).abs() < 1e-12);
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn distance_traced(a: &Figure, b: &Figure, cache: &mut PairCache, tracer: &mut impl Tracer) -> Separation {
    let cores = Cores::of(a, b);
    let limit = cores.a.len() * cores.b.len() + 16;
    cores.separation(&search(&cores, cache, limit, tracer))
}

/// A point of both cores, if they have one.
pub(super) fn common_point(cores: &Cores<'_>, cache: &mut PairCache) -> Option<DVec2> {
    search(cores, cache, cores.a.len() * cores.b.len() + 16, &mut ()).common
}

/// A point of A - B and the corners that it comes from.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    difference: DVec2,
    corners: [u32; 2],
}

impl Cores<'_> {
    fn vertex(&self, corners: [u32; 2]) -> Vertex {
        Vertex { difference: self.a[corners[0] as usize] - self.b[corners[1] as usize], corners }
    }

    fn support(&self, direction: DVec2) -> Vertex {
        self.vertex([farthest(&self.a, direction) as u32, farthest(&self.b, -direction) as u32])
    }

    /// The points of both that a share of the way along an edge of A - B comes from.
    fn points(&self, [p, q]: [Vertex; 2], share: f64) -> [DVec2; 2] {
        let [on_p, on_q] =
            [p, q].map(|vertex| [self.a[vertex.corners[0] as usize], self.b[vertex.corners[1] as usize]]);
        [on_p[0].lerp(on_q[0], share), on_p[1].lerp(on_q[1], share)]
    }

    fn told(&self, vertex: &Vertex) -> DifferencePoint {
        let [on_a, on_b] = self.points([*vertex, *vertex], 0.0).map(|point| self.place(point).extend(0.0));
        DifferencePoint { on_a, on_b, difference: self.difference(vertex.difference).extend(0.0) }
    }
}

impl PairCache {
    /// The corners that the two figures still have.
    fn vertices(&self, cores: &Cores<'_>) -> Vec<Vertex> {
        let is_there = |[a, b]: &&[u32; 2]| (*a as usize) < cores.a.len() && (*b as usize) < cores.b.len();
        self.corners.iter().filter(is_there).map(|corners| cores.vertex(*corners)).collect()
    }

    fn keep(&mut self, vertices: &[Vertex]) {
        self.corners.clear();
        self.corners.extend(vertices.iter().map(|vertex| vertex.corners));
    }
}

fn search(cores: &Cores<'_>, cache: &mut PairCache, limit: usize, tracer: &mut impl Tracer) -> Found {
    let known = cache.vertices(cores);
    if known.len() > 2
        && let polygon = bulging(known.clone())
        && is_around_origin(&polygon)
    {
        return pushed_out(cores, polygon, cache, limit, tracer);
    }
    let mut edge = match known[..] {
        [] => [cores.support(DVec2::X); 2],
        [p] => [p, p],
        [p, q, ..] => [p, q],
    };
    let mut best = (f64::NEG_INFINITY, DVec2::Y);
    for step in 0..=limit {
        let (nearest, share) = nearest_on(edge);
        let length = nearest.length();
        if length <= SLACK {
            tracer.stop(StopReason::Near);
            return pushed_out(cores, edge.to_vec(), cache, limit, tracer);
        }
        let [p, q] = edge;
        let across = (q.difference - p.difference).perp();
        // Across the edge, if it is longer than the nearest point is far: whichever is known better.
        let normal = if share > 0.0 && share < 1.0 && across.length() > length {
            across.normalize_or_zero() * 1.0_f64.copysign(across.dot(p.difference))
        } else {
            nearest / length
        };
        let found = cores.support(-normal);
        let gap = normal.dot(found.difference);
        if gap > best.0 {
            best = (gap, -normal);
        }
        tracer.gjk(|| GjkStep {
            simplex: if p.corners == q.corners { vec![cores.told(&p)] } else { vec![cores.told(&p), cores.told(&q)] },
            nearest: cores.difference(nearest).extend(0.0),
            direction: (-normal).extend(0.0),
            support: cores.difference(found.difference).extend(0.0),
            lower: cores.length(best.0),
            upper: cores.length(length),
        });
        if let Some(triangle) = around_origin([p, q, found]) {
            tracer.stop(StopReason::Enclosed);
            return pushed_out(cores, triangle.to_vec(), cache, limit, tracer);
        }
        let nearer = [[p, found], [q, found]].map(|edge| (nearest_on(edge).0.length(), edge));
        let (next, next_edge) = if nearer[0].0 <= nearer[1].0 { nearer[0] } else { nearer[1] };
        let reason = if length - best.0 <= SLACK {
            StopReason::BoundsMet
        } else if next > length || found.difference == p.difference || found.difference == q.difference {
            StopReason::Rounding
        } else if step == limit {
            StopReason::IterationLimit
        } else {
            edge = next_edge;
            continue;
        };
        tracer.stop(reason);
        cache.keep(&edge);
        let [on_a, on_b] = cores.points(edge, share);
        let has_ended = ended(reason, length - best.0);
        return Found {
            normal: best.1,
            distance: length,
            on_a,
            on_b,
            lower: best.0,
            upper: length,
            common: None,
            has_ended,
        };
    }
    // The last step of the loop returns.
    pushed_out(cores, edge.to_vec(), cache, limit, tracer)
}

/// Whether a search can be said to have ended with bounds so far from each other: rounding leaves little, or else the
/// figures are beyond what it was made for.
fn ended(reason: StopReason, between: f64) -> bool {
    reason != StopReason::IterationLimit && between <= 1e5 * SLACK
}

/// The point of a segment that is nearest to the origin, and its share of the way.
fn nearest_on([p, q]: [Vertex; 2]) -> (DVec2, f64) {
    let along = q.difference - p.difference;
    let length_squared = along.length_squared();
    let share = if length_squared > 0.0 { (-p.difference.dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    (p.difference + share * along, share)
}

/// On which side of the way from one point to another a third is: positive to the left. The sign is exact.
fn side_of(from: DVec2, to: DVec2, point: DVec2) -> f64 {
    let flat = |point: DVec2| Coord { x: point.x, y: point.y };
    orient2d(flat(from), flat(to), flat(point))
}

/// The triangle counter-clockwise, if it holds the origin and has an area.
fn around_origin([p, q, r]: [Vertex; 3]) -> Option<[Vertex; 3]> {
    let area = side_of(p.difference, q.difference, r.difference);
    let triangle = if area > 0.0 { [p, q, r] } else { [p, r, q] };
    (area != 0.0 && is_around_origin(&triangle)).then_some(triangle)
}

/// Whether three points or more go counter-clockwise around the origin once, and around a convex figure with an area.
fn is_around_origin(polygon: &[Vertex]) -> bool {
    let count = polygon.len();
    let at = |index: usize| polygon[index % count].difference;
    let is_left = |index: usize| {
        side_of(at(index), at(index + 1), DVec2::ZERO) >= 0.0 && side_of(at(index), at(index + 1), at(index + 2)) > 0.0
    };
    let rises = (0..count).filter(|index| at(*index).y <= 0.0 && at(index + 1).y > 0.0).count();
    count > 2 && (0..count).all(is_left) && rises == 1
}

/// What is left of a polygon without the corners at which it turns right: after a motion they may be inside.
fn bulging(mut polygon: Vec<Vertex>) -> Vec<Vertex> {
    let is_dent = |polygon: &[Vertex], index: usize| {
        let count = polygon.len();
        let [before, at, after] = [index + count - 1, index, index + 1].map(|place| polygon[place % count].difference);
        side_of(before, at, after) <= 0.0
    };
    while polygon.len() > 3
        && let Some(dent) = (0..polygon.len()).find(|index| is_dent(&polygon, *index))
    {
        polygon.remove(dent);
    }
    polygon
}

/// The point of both cores at the origin of a polygon around it, or of a segment or point at it.
fn common_of(cores: &Cores<'_>, polygon: &[Vertex]) -> DVec2 {
    let [p, q, ..] = *polygon else {
        return polygon.first().map_or(DVec2::ZERO, |vertex| cores.points([*vertex; 2], 0.0)[0]);
    };
    for pair in polygon[1..].windows(2) {
        let weights = [
            side_of(pair[0].difference, pair[1].difference, DVec2::ZERO),
            side_of(pair[1].difference, p.difference, DVec2::ZERO),
            side_of(p.difference, pair[0].difference, DVec2::ZERO),
        ];
        let sum: f64 = weights.iter().sum();
        if sum > 0.0 && weights.iter().all(|weight| *weight >= 0.0) {
            let corners = [p, pair[0], pair[1]].map(|vertex| cores.a[vertex.corners[0] as usize]);
            return (0..3).map(|index| weights[index] / sum * corners[index]).sum();
        }
    }
    cores.points([p, q], nearest_on([p, q]).1)[0]
}

/// Grows a polygon of points of A - B, counter-clockwise around the origin or through it, until its nearest side is on
/// the border. A point or segment grows too: both sides of a segment count.
fn pushed_out(
    cores: &Cores<'_>,
    mut polygon: Vec<Vertex>,
    cache: &mut PairCache,
    limit: usize,
    tracer: &mut impl Tracer,
) -> Found {
    polygon.dedup_by(|p, q| p.difference.distance(q.difference) <= SLACK);
    let common = common_of(cores, &polygon);
    let doubt = if polygon.len() < 3 { SLACK } else { 0.0 };
    if let [only] = polygon[..] {
        // The origin is a corner, so far: look for any other point to make a segment of.
        let away = |vertex: &Vertex| vertex.difference.distance(only.difference);
        let others = [DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y].map(|direction| cores.support(direction));
        match others.into_iter().max_by(|p, q| away(p).total_cmp(&away(q))).filter(|far| away(far) > SLACK) {
            Some(far) => polygon.push(far),
            // Two points in one place: any direction is as good.
            None => {
                tracer.stop(StopReason::Flat);
                cache.keep(&[only]);
                let [on_a, on_b] = cores.points([only, only], 0.0);
                let (normal, distance, common) = (DVec2::Y, 0.0, Some(common));
                return Found { normal, distance, on_a, on_b, lower: 0.0, upper: 0.0, common, has_ended: true };
            }
        }
    }
    let mut best = (f64::INFINITY, DVec2::Y, [common; 2]);
    for step in 0..=limit {
        let count = polygon.len();
        let side = |index: usize| [polygon[index], polygon[(index + 1) % count]];
        // As long as the origin is inside, the nearest side is so by its line and by its points alike.
        let away = |index: usize| nearest_on(side(index)).0.length();
        let mut near = (0, away(0));
        for index in 1..count {
            let away = away(index);
            if away < near.1 {
                near = (index, away);
            }
        }
        let (index, least) = near;
        let [p, q] = side(index);
        let (nearest, share) = nearest_on([p, q]);
        let along = q.difference - p.difference;
        // Across the side, or to its nearest point, whichever is known better.
        let normal = if along.length() >= least { -along.perp().normalize_or_zero() } else { nearest / least };
        let found = cores.support(normal);
        let most = normal.dot(found.difference);
        let is_border = most - least <= SLACK;
        // On the border, the points of this side are as deep as the direction says.
        if is_border || most < best.0 {
            best = (most, normal, cores.points([p, q], share));
        }
        tracer.epa(|| EpaStep {
            face: [p, q, q].map(|vertex| cores.difference(vertex.difference).extend(0.0)),
            normal: normal.extend(0.0),
            support: cores.difference(found.difference).extend(0.0),
            lower: cores.length(least),
            upper: cores.length(best.0),
            faces: count,
        });
        let reason = if is_border {
            StopReason::BoundsMet
        } else if polygon.iter().any(|known| known.difference == found.difference) {
            StopReason::Rounding
        } else if step == limit {
            StopReason::IterationLimit
        } else {
            polygon.insert(index + 1, found);
            polygon = bulging(polygon);
            continue;
        };
        tracer.stop(reason);
        polygon.rotate_left(index);
        cache.keep(&polygon);
        let (most, normal, [on_a, on_b]) = best;
        let has_ended = ended(reason, most - least);
        // If the origin is outside, it is so by no more than at the start.
        return Found {
            normal,
            distance: -most,
            on_a,
            on_b,
            lower: -most,
            upper: 2.0 * doubt - least,
            common: Some(common),
            has_ended,
        };
    }
    // The last step of the loop returns.
    let (most, normal, [on_a, on_b]) = best;
    Found { normal, distance: -most, on_a, on_b, lower: -most, upper: 0.0, common: Some(common), has_ended: false }
}

#[cfg(test)]
mod tests {
    use super::{PairCache, search};
    use crate::planar::separation::{Cores, Status};
    use crate::planar::{Figure, distance};
    use glam::DVec2;
    use std::f64::consts::TAU;

    fn round(centre: DVec2, corners: usize) -> Figure {
        let angle = |index: usize| TAU * (index as f64 + 0.3) / corners as f64;
        let corners: Vec<DVec2> = (0..corners).map(|index| centre + DVec2::from_angle(angle(index))).collect();
        Figure::polygon(&corners).unwrap()
    }

    #[test]
    fn a_search_that_is_cut_short_says_so_and_its_bounds_hold() {
        for away in [0.4, 1.2, 2.5, 7.0] {
            let (a, b) = (round(DVec2::ZERO, 64), round(away * DVec2::from_angle(0.5), 65));
            let cores = Cores::of(&a, &b);
            let truth = distance(&a, &b);
            let mut has_been_limited = false;
            for limit in 0..40 {
                let found = cores.separation(&search(&cores, &mut PairCache::default(), limit, &mut ()));
                assert!(found.lower <= truth.distance && truth.distance <= found.upper, "{limit}: {found:?} {truth:?}");
                has_been_limited |= found.status == Status::IterationLimit;
                assert!(found.status == Status::IterationLimit || (found.distance - truth.distance).abs() < 1e-12);
            }
            assert!(has_been_limited, "{away}");
        }
    }
}
