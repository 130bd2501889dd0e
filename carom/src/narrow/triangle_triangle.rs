//! N3: whether two triangles have a point in common, and the segment that they share.
//!
//! Two closed triangles meet if and only if an edge of one meets the other, because the corners of what they share lie
//! on a border. An edge meets a triangle if its ends are not strictly on one side of the plane and its line passes the
//! three sides in the same sense; in the plane, or for a triangle without area, edges are compared with edges in a
//! projection along an axis that keeps what spans the plane. All of this is decided by the signs of determinants,
//! which are exact for the f64 coordinates given (products below 1e-300 excepted), so the answer is exact; touching
//! counts. The ends of the segment are computed from those determinants and rounded.
//! Stops: no iteration. Cost: most pairs end with the first three determinants; a crossing takes about 20.
//! Source: the determinants as in Guigue, Devillers 2003, doi 10.1080/10867651.2003.10487580, without their table of
//! permutations; exact signs by Shewchuk 1997, doi 10.1007/PL00009321.

use glam::{DVec3, Vec3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// What two triangles share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The ends of the shared segment, equal if it is one point. Of triangles in one plane, which can share an area,
    /// the two points of it that lie farthest apart.
    pub segment: [DVec3; 2],
    /// Whether the triangles lie in one plane.
    pub is_coplanar: bool,
}

/// What two triangles share, none if they are apart; triangles without area are the edges or points that they are.
/// None as well if a coordinate is NaN or infinite.
///
/// ```
/// use carom::narrow::triangle_triangle::crossing;
/// use carom::prelude::*;
///
/// let floor = [Vec3::ZERO, 4.0 * Vec3::X, 4.0 * Vec3::Z];
/// let upright = [Vec3::new(1.0, -1.0, 1.0), Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 0.0, -1.0)];
/// let crossing = crossing(floor, upright).expect("they cross");
/// assert_eq!(crossing.segment[0].distance(crossing.segment[1]), 1.0);
/// # Ok::<(), ShapeError>(())
/// ```
pub fn crossing(a: [Vec3; 3], b: [Vec3; 3]) -> Option<Crossing> {
    let is_finite = a.iter().chain(&b).all(|corner| corner.is_finite());
    if is_finite { of_wide(a.map(|corner| corner.as_dvec3()), b.map(|corner| corner.as_dvec3())) } else { None }
}

/// As [`crossing`], for finite corners in f64.
pub(crate) fn of_wide(a: [DVec3; 3], b: [DVec3; 3]) -> Option<Crossing> {
    let sides_a = a.map(|corner| side(b, corner));
    if are_apart(sides_a) {
        return None;
    }
    let sides_b = b.map(|corner| side(a, corner));
    if are_apart(sides_b) {
        return None;
    }
    let mut shared = Shared::default();
    let is_coplanar = sides_a == [0.0; 3] && sides_b == [0.0; 3];
    for (first, second) in [(0, 1), (1, 2), (2, 0)] {
        shared.add_edge([a[first], a[second]], [sides_a[first], sides_a[second]], b);
        shared.add_edge([b[first], b[second]], [sides_b[first], sides_b[second]], a);
    }
    shared.farthest().map(|segment| Crossing { segment, is_coplanar })
}

/// On which side of the plane of a triangle a point lies: a determinant with the exact sign, zero in the plane.
fn side([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let coord = |point: DVec3| Coord3D { x: point.x, y: point.y, z: point.z };
    orient3d(coord(a), coord(b), coord(c), coord(point))
}

fn are_apart(sides: [f64; 3]) -> bool {
    sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0)
}

/// The most points that two triangles give: six edges with three candidates each, and six corners.
const MOST: usize = 32;

/// Points on the border of what is shared.
struct Shared {
    points: [DVec3; MOST],
    count: usize,
}

impl Default for Shared {
    fn default() -> Self {
        Self { points: [DVec3::ZERO; MOST], count: 0 }
    }
}

impl Shared {
    fn add(&mut self, point: DVec3) {
        if let Some(place) = self.points.get_mut(self.count) {
            *place = point;
            self.count += 1;
        }
    }

    fn farthest(&self) -> Option<[DVec3; 2]> {
        let points = &self.points[..self.count];
        let mut best = [*points.first()?; 2];
        for (index, &p) in points.iter().enumerate() {
            for &q in &points[index + 1..] {
                if p.distance_squared(q) > best[0].distance_squared(best[1]) {
                    best = [p, q];
                }
            }
        }
        Some(best)
    }

    /// Adds the points where an edge meets a triangle; `sides` are the sides of its ends.
    fn add_edge(&mut self, [p, q]: [DVec3; 2], [side_p, side_q]: [f64; 2], face: [DVec3; 3]) {
        if side_p > 0.0 && side_q > 0.0 || side_p < 0.0 && side_q < 0.0 {
            return;
        }
        if side_p == 0.0 && side_q == 0.0 {
            self.add_edge_in_plane([p, q], face);
            return;
        }
        let [a, b, c] = face;
        let passes = [side([a, b, p], q), side([b, c, p], q), side([c, a, p], q)];
        if passes.iter().all(|pass| *pass >= 0.0) || passes.iter().all(|pass| *pass <= 0.0) {
            // An end in the plane is the point itself.
            self.add(if side_p == 0.0 {
                p
            } else if side_q == 0.0 {
                q
            } else {
                between(p, q, side_p, side_q)
            });
        }
    }

    /// An edge in the plane of a triangle, or any edge and a triangle without area.
    fn add_edge_in_plane(&mut self, [p, q]: [DVec3; 2], face: [DVec3; 3]) {
        let [a, b, c] = face;
        if let Some(axis) = axis_that_spans([a, b, c]) {
            for end in [p, q] {
                let turns = [turn(axis, a, b, end), turn(axis, b, c, end), turn(axis, c, a, end)];
                if turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0) {
                    self.add(end);
                }
            }
        }
        for sides in [[a, b], [b, c], [c, a]] {
            self.add_edges([p, q], sides);
        }
    }

    /// The points that two edges share, wherever they are.
    fn add_edges(&mut self, [p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) {
        if side([p, q, a], b) != 0.0 {
            return;
        }
        let spanning = axis_that_spans([p, q, a]).or_else(|| axis_that_spans([p, q, b]));
        if let Some(axis) = spanning.or_else(|| axis_that_spans([a, b, p])) {
            let [a_side, b_side] = [turn(axis, p, q, a), turn(axis, p, q, b)];
            let [p_side, q_side] = [turn(axis, a, b, p), turn(axis, a, b, q)];
            let crosses = |one: f64, other: f64| one >= 0.0 && other <= 0.0 || one <= 0.0 && other >= 0.0;
            // Both zero on one line only, and such do not span the plane unless the edge is a point.
            if crosses(a_side, b_side) && crosses(p_side, q_side) {
                if p_side != q_side {
                    self.add(between(p, q, p_side, q_side));
                } else if a_side != b_side {
                    self.add(between(a, b, a_side, b_side));
                }
            }
            return;
        }
        // All on one line, where the order of coordinates is the order along it.
        let (least_p, most_p) = if before(p, q) { (p, q) } else { (q, p) };
        let (least_a, most_a) = if before(a, b) { (a, b) } else { (b, a) };
        let start = if before(least_p, least_a) { least_a } else { least_p };
        let end = if before(most_p, most_a) { most_p } else { most_a };
        if before(start, end) {
            self.add(start);
            self.add(end);
        }
    }
}

/// Where the value is zero that is `at_p` at `p` and `at_q` at `q`, of opposite signs.
fn between(p: DVec3, q: DVec3, at_p: f64, at_q: f64) -> DVec3 {
    let along = at_p / (at_p - at_q);
    // From the nearer end, whose coordinates are then kept to their last digit.
    if along <= 0.5 { p + along * (q - p) } else { q + (at_q / (at_q - at_p)) * (p - q) }
}

/// The axis along which three points are seen as a triangle with area; none if they lie on one line.
fn axis_that_spans([a, b, c]: [DVec3; 3]) -> Option<usize> {
    let turns = [0, 1, 2].map(|axis| turn(axis, a, b, c).abs());
    let widest = (0..3).fold(0, |best, axis| if turns[axis] > turns[best] { axis } else { best });
    (turns[widest] > 0.0).then_some(widest)
}

/// In which sense three points run, seen along an axis.
fn turn(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let seen = |point: DVec3| Coord { x: point[(axis + 1) % 3], y: point[(axis + 2) % 3] };
    orient2d(seen(a), seen(b), seen(c))
}

/// Whether a point comes before another by its coordinates, or is the same.
fn before(a: DVec3, b: DVec3) -> bool {
    (a.x, a.y, a.z) <= (b.x, b.y, b.z)
}
