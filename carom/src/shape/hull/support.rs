//! The vertex of a polytope that lies farthest along a direction (S2).
//!
//! The answer is exact: the vertex whose product with the direction is greatest in real arithmetic, and among equals the
//! one with the greatest x, then y, then z. That rule is what an infinitely small turn of the direction would choose, so
//! it picks one vertex, whatever the numbering and the path that leads there.
//!
//! Few vertices are scanned in f32, a register at a time; those within the rounding error of the greatest product, nearly
//! always one, are compared exactly. Many are climbed: from the better of the given start and a table's start for such
//! directions, to the best neighbour, until none is better. The neighbours are those in the exact triangulation, where
//! every vertex but the farthest has a better one, so no climb ends on a plateau. Products are f64; too close ones are
//! compared exactly. It takes a step or two when the start is near; the table, with an entry for eight vertices, leaves
//! about three from cold if vertices are spread evenly, and O(√n) for clusters. Climbing: Cameron 1997,
//! 10.1109/ROBOT.1997.606761; exact sums: Shewchuk 1997, 10.1007/PL00009321.

use super::ConvexHull;
use crate::simd::{self, SCAN_LANES, SCAN_MOST};
use fearless_simd::Simd;
use glam::{DVec3, Vec3};

/// Up to this many vertices are scanned. `cargo xtask bench shapes --only support/scan-vs-climb` times both: without a
/// start the scan is ahead even at 256 vertices (94 ns for 119 on x86-64), from the last answer up to 80 (46 for 47).
/// Here its gain in the one, 1.53 times, still outweighs its loss in the other, 0.76; at 192 1.42 and 0.67 do not.
const SCAN_LIMIT: usize = 160;

/// What a support query needs beside the vertices and their neighbours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SupportIndex {
    /// The largest size of a coordinate along each axis.
    reach: DVec3,
    /// The length of that.
    reach_length: f64,
    /// The neighbours are those of the exact triangulation.
    may_climb: bool,
    finder: Finder,
    /// The coordinates of few enough vertices, as [`in_lanes`] has them.
    coordinates: Vec<f32>,
}

/// How the farthest vertex of a hull is looked for. The answer is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupportMethod {
    /// All vertices are compared, many at a time: best for few.
    Scan,
    /// From neighbour to neighbour: best for many.
    Climb,
}

#[derive(Debug, Clone, PartialEq)]
enum Finder {
    Scan,
    /// For each cell of a cube map of directions, the vertex to start from.
    Climb {
        side: usize,
        starts: Vec<u32>,
    },
}

impl ConvexHull {
    /// The vertex that is farthest along `direction`, exactly; among equals the one with the greatest x, then y, then z.
    ///
    /// `start` may be any vertex; the answer to an earlier, similar question makes it fast. A number that is no vertex,
    /// such as `u32::MAX`, means that there is none. The answer does not depend on it. A direction that is not finite
    /// gives some vertex.
    ///
    /// ```
    /// use carom::shape::ConvexHull;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let hull = ConvexHull::new(&corners.map(Into::into))?;
    /// assert_eq!(hull.support_vertex([0.1, 0.2, 3.0].into(), 0), 3);
    /// # Ok::<(), carom::shape::ShapeError>(())
    /// ```
    pub fn support_vertex(&self, direction: Vec3, start: u32) -> u32 {
        match &self.support.finder {
            Finder::Scan => {
                let along = direction.as_dvec3();
                self.scan(direction, |a, b| if self.is_farther(along, a, b) { a } else { b })
            }
            Finder::Climb { side, starts } => {
                let listed = starts[cell_of(direction, *side)];
                let start = if (start as usize) < self.vertices.len() { start } else { listed };
                self.climb(direction, start, listed)
            }
        }
    }

    /// A vertex that is farthest along a direction in f64, to within a few roundings of f64; which of those that are
    /// as far, may depend on the start.
    #[inline]
    pub(crate) fn support_vertex_wide(&self, direction: DVec3, start: u32) -> u32 {
        match &self.support.finder {
            Finder::Scan => {
                let along = |vertex: u32| direction.dot(self.vertices[vertex as usize].as_dvec3());
                let farther = |a: u32, b: u32| if along(a) > along(b) { a } else { b };
                self.scan(direction.as_vec3(), farther)
            }
            Finder::Climb { side, starts } => {
                let is_started = (start as usize) < self.vertices.len();
                let start = if is_started { start } else { starts[cell_of(direction.as_vec3(), *side)] };
                self.climb_wide(direction, start)
            }
        }
    }

    /// A climb in f64 alone, from one start: a search asks for directions that are near each other. The gain of a step is
    /// computed from the edge, not from its ends, so that its error is one of the edge's length: where no edge gains,
    /// nothing beyond does, but for the same share of the way there.
    fn climb_wide(&self, direction: DVec3, start: u32) -> u32 {
        let at = |vertex: u32| self.vertices[vertex as usize].as_dvec3();
        let mut best = start;
        for _ in 0..self.vertices.len() {
            let (here, place) = (best, at(best));
            let mut most = 0.0;
            for &neighbour in self.triangulated_neighbours(here) {
                let gain = direction.dot(at(neighbour) - place);
                if gain > most {
                    (best, most) = (neighbour, gain);
                }
            }
            if best == here {
                break;
            }
        }
        best
    }

    /// A vertex that is farthest along a direction to within rounding of f32; with a start, [`ConvexHull::doubt`] at the
    /// most.
    #[inline(always)]
    pub(crate) fn support_vertex_quick<S: Simd>(&self, simd: S, direction: DVec3, start: u32) -> u32 {
        let is_climbed = matches!(self.support.finder, Finder::Climb { .. });
        // From a start that is near, a climb is as quick as a scan of so many, and has all digits.
        if self.support.coordinates.is_empty() || is_climbed && (start as usize) < self.vertices.len() {
            return self.support_vertex_wide(direction, start);
        }
        let vertex = simd::greatest(simd, &self.support.coordinates, direction.as_vec3());
        // The filling repeats the first vertex, and so is never the first of equals; what is not a number finds none.
        if (vertex as usize) < self.vertices.len() { vertex } else { 0 }
    }

    /// How far the hull reaches along a direction, to within a few roundings of f64.
    #[inline(always)]
    pub(crate) fn support_along<S: Simd>(&self, simd: S, direction: DVec3, start: u32) -> f64 {
        if matches!(self.support.finder, Finder::Climb { .. }) || self.support.coordinates.is_empty() {
            let farthest = self.support_vertex_wide(direction, start);
            return direction.dot(self.vertices[farthest as usize].as_dvec3());
        }
        simd::greatest_product(simd, &self.support.coordinates, direction)
    }

    /// By how much, for a direction of unit length, the farthest vertex may be farther than the one that is quickly found.
    #[inline]
    pub(crate) fn doubt(&self) -> f64 {
        match self.support.finder {
            // Three roundings of the products, and that of the direction, twice.
            Finder::Scan => 8.0 * f64::from(f32::EPSILON) * self.support.reach.element_sum(),
            Finder::Climb { .. } => 0.0,
        }
    }

    /// How far the hull reaches from the origin, at the most.
    pub(crate) fn reach(&self) -> f64 {
        self.support.reach_length
    }

    /// The same hull, with another way to look for the farthest vertex than its number of vertices would give it. A hull
    /// that rounding has left without an exact triangulation, which is rare, cannot be climbed and stays with the scan.
    ///
    /// ```
    /// use carom::shape::{ConvexHull, hull::SupportMethod};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let hull = ConvexHull::new(&corners.map(Into::into))?.searched_by(SupportMethod::Climb);
    /// assert_eq!(hull.support_vertex([0.1, 0.2, 3.0].into(), 0), 3);
    /// # Ok::<(), carom::shape::ShapeError>(())
    /// ```
    #[must_use]
    pub fn searched_by(mut self, method: SupportMethod) -> Self {
        prepare_for(&mut self, method);
        self
    }

    fn scan(&self, direction: Vec3, farther: impl Fn(u32, u32) -> u32) -> u32 {
        let count = self.vertices.len();
        // Each product is off by at most three roundings and that of the direction, so the farthest vertex is at most
        // eight below the greatest.
        let size = direction.abs().dot(self.support.reach.as_vec3());
        let doubt = 5.0 * f32::EPSILON * size + f32::MIN_POSITIVE;
        if !doubt.is_finite() || count > SCAN_MOST {
            return (1..count as u32).fold(0, |best, vertex| farther(vertex, best));
        }
        let mut best = u32::MAX;
        let candidates = simd::near_greatest(simd::level(), &self.support.coordinates, direction, doubt);
        for (word, &bits) in candidates[..count.div_ceil(64)].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let vertex = (64 * word) as u32 + bits.trailing_zeros();
                bits &= bits - 1;
                if best == u32::MAX {
                    best = vertex;
                } else if (vertex as usize) < count {
                    best = farther(vertex, best);
                }
            }
        }
        if (best as usize) < count { best } else { 0 }
    }

    fn climb(&self, direction: Vec3, start: u32, other_start: u32) -> u32 {
        let direction = direction.as_dvec3();
        // The products are exact in f64; two sums of three and their difference are off by six roundings at most.
        let doubt = 4.0 * f64::EPSILON * direction.abs().dot(self.support.reach);
        let product = |vertex: u32| direction.dot(self.vertices[vertex as usize].as_dvec3());
        let (mut best, mut greatest) = (start, product(start));
        let mut consider = |vertex: u32, best: &mut u32| {
            let along = product(vertex);
            let gap = along - greatest;
            if gap > doubt || (gap >= -doubt && self.is_farther(direction, vertex, *best)) {
                (*best, greatest) = (vertex, along);
            }
        };
        if other_start != start {
            consider(other_start, &mut best);
        }
        // Every step but the last goes strictly farther, so there are no more than vertices.
        for _ in 0..self.vertices.len() {
            let here = best;
            for &neighbour in self.triangulated_neighbours(here) {
                consider(neighbour, &mut best);
            }
            if best == here {
                break;
            }
        }
        best
    }

    /// Whether vertex `a` is farther along the direction than vertex `b`, by the rule above.
    fn is_farther(&self, direction: DVec3, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|vertex| self.vertices[vertex as usize]);
        let (u, v) = (direction * a.as_dvec3(), direction * b.as_dvec3());
        // Quick for what is common: a direction across an axis.
        let sum = if u == v { 0.0 } else { sum_with_right_sign([u.x, u.y, u.z, -v.x, -v.y, -v.z]) };
        sum > 0.0 || (sum == 0.0 && a.to_array() > b.to_array())
    }
}

impl Default for SupportIndex {
    fn default() -> Self {
        Self { reach: DVec3::ZERO, reach_length: 0.0, may_climb: false, finder: Finder::Scan, coordinates: Vec::new() }
    }
}

/// Makes the index of a hull. It may be climbed if its neighbours are those of the exact triangulation.
pub(super) fn prepare(hull: &mut ConvexHull, may_climb: bool) {
    let reach = hull.vertices.iter().fold(Vec3::ZERO, |reach, vertex| reach.max(vertex.abs()));
    hull.support.reach = reach.as_dvec3();
    hull.support.reach_length = hull.support.reach.length();
    hull.support.may_climb = may_climb;
    // A scan is the quickest way to a vertex that is nearly farthest even where climbing is to one that is exactly so.
    hull.support.coordinates = if hull.vertices.len() <= SCAN_MOST { in_lanes(&hull.vertices) } else { Vec::new() };
    let is_small = hull.vertices.len() <= SCAN_LIMIT;
    prepare_for(hull, if is_small { SupportMethod::Scan } else { SupportMethod::Climb });
}

fn prepare_for(hull: &mut ConvexHull, method: SupportMethod) {
    hull.support.finder = if method == SupportMethod::Scan || !hull.support.may_climb {
        Finder::Scan
    } else {
        let side = ((hull.vertices.len() as f32 / 48.0).sqrt() as usize).max(2);
        let mut starts: Vec<u32> = Vec::with_capacity(6 * side * side);
        for cell in 0..6 * side * side {
            let last = starts.last().copied().unwrap_or(0);
            starts.push(hull.climb(centre_of_cell(cell, side), last, last));
        }
        Finder::Climb { side, starts }
    };
}

/// All x, then all y, then all z, each filled up to whole registers with the first vertex.
fn in_lanes(vertices: &[Vec3]) -> Vec<f32> {
    let padding = vertices.len().next_multiple_of(SCAN_LANES) - vertices.len();
    let filling = vertices.first().copied().unwrap_or_default();
    let padded = || vertices.iter().copied().chain(std::iter::repeat_n(filling, padding));
    (0..3).flat_map(|axis| padded().map(move |vertex| vertex[axis])).collect()
}

/// The cell of a cube map with `side`² cells to a face that the direction is in; the first for no direction.
fn cell_of(direction: Vec3, side: usize) -> usize {
    let size = direction.abs();
    let largest = size.max_element();
    let (face, major, u, v) = if size.x == largest {
        (0, direction.x, direction.y, direction.z)
    } else if size.y == largest {
        (2, direction.y, direction.x, direction.z)
    } else {
        (4, direction.z, direction.x, direction.y)
    };
    let face = if major < 0.0 { face + 1 } else { face };
    // A conversion to an integer takes NaN to zero and stops at the ends.
    let place = |coordinate: f32| ((0.5 * (coordinate / largest + 1.0) * side as f32) as usize).min(side - 1);
    (face * side + place(v)) * side + place(u)
}

fn centre_of_cell(cell: usize, side: usize) -> Vec3 {
    let coordinate = |place: usize| (2 * place + 1) as f32 / side as f32 - 1.0;
    let (u, v) = (coordinate(cell % side), coordinate(cell / side % side));
    let face = cell / (side * side);
    let major = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    match face / 2 {
        0 => Vec3::new(major, u, v),
        1 => Vec3::new(u, major, v),
        _ => Vec3::new(u, v, major),
    }
}

/// A number with the sign of the exact sum of the terms: the leading part of the sum as an expansion without overlaps.
fn sum_with_right_sign(terms: [f64; 6]) -> f64 {
    let mut expansion = [0.0; 6];
    for (count, &term) in terms.iter().enumerate() {
        let mut sum = term;
        for part in &mut expansion[..count] {
            let rounded = sum + *part;
            let of_part = rounded - sum;
            let error = (sum - (rounded - of_part)) + (*part - of_part);
            (*part, sum) = (error, rounded);
        }
        expansion[count] = sum;
    }
    expansion.into_iter().rfind(|&part| part != 0.0).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_their_centres() {
        for side in 1..10 {
            for cell in 0..6 * side * side {
                assert_eq!(cell_of(centre_of_cell(cell, side), side), cell);
            }
        }
    }

    #[test]
    fn sums_have_the_sign_of_the_exact_sum() {
        assert_eq!(sum_with_right_sign([1e30, 1.0, -1e30, 1e-30, -1.0, 0.0]), 1e-30);
        assert_eq!(sum_with_right_sign([0.1, 0.2, -0.1, -0.2, 0.3, -0.3]), 0.0);
        assert!(sum_with_right_sign([0.1, 0.2, -0.3, 0.0, 0.0, 0.0]) > 0.0);
        assert!(sum_with_right_sign([-1e-300, 1e300, 0.0, -1e300, 0.0, 0.0]) < 0.0);
    }
}
