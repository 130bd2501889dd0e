//! The least distance of two simplices or polytopes by trying every pair of their parts, in f64.
//!
//! The closest points of two polytopes lie inside two of their parts - corners, edges, triangles - and there they solve
//! a least-squares problem without bounds: the weights that bring the two affine spans together. It is solved through
//! orthogonal columns (Gram-Schmidt, twice), for each pair of parts. Columns that depend on each other are left out:
//! their solutions fill a line, which leaves the parts through smaller ones. That covers two triangles, whose four
//! columns in space always depend. Weights are clamped and summed to one before the distance is measured, so every
//! candidate is a pair of points of the two: whatever rounding does, the least of them is no less than the truth.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use carom::glam::DVec3;

/// A column that is left with no more than this share of its length depends on those before it.
const DEPENDENT: f64 = 1e-15;

/// One to three corners of a convex set, and what is between them.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    corners: [DVec3; 3],
    count: usize,
}

impl Part {
    pub fn new(corners: impl IntoIterator<Item = DVec3>) -> Self {
        let mut part = Self { corners: [DVec3::ZERO; 3], count: 0 };
        for corner in corners {
            part.corners[part.count] = corner;
            part.count += 1;
        }
        part
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    /// The point with these weights for the corners but the first, clamped so that it is one of the part. It is told from
    /// the first corner, so that a place far from the origin costs no digits.
    fn offset_at(&self, weights: &[f64]) -> DVec3 {
        let mut all = [1.0 - weights.iter().sum::<f64>(), 0.0, 0.0];
        all[1..self.count].copy_from_slice(weights);
        let all = all.map(|weight| weight.max(0.0));
        let sum: f64 = all.iter().sum();
        let weighted = |(corner, weight): (&DVec3, f64)| (weight / sum) * (*corner - self.corners[0]);
        self.corners().iter().zip(all).map(weighted).sum()
    }
}

/// All corners, edges and triangles of a simplex.
pub fn parts_of_simplex(corners: &[DVec3]) -> Vec<Part> {
    let chosen = |mask: usize| (0..corners.len()).filter(move |corner| mask >> corner & 1 == 1);
    (1..1 << corners.len()).map(|mask| Part::new(chosen(mask).map(|corner| corners[corner]))).collect()
}

/// The least distance of all pairs of parts.
pub fn least_distance(parts_a: &[Part], parts_b: &[Part]) -> f64 {
    let mut least = f64::INFINITY;
    for a in parts_a {
        for b in parts_b {
            if let Some(candidate) = candidate(a, b) {
                least = least.min(candidate);
            }
        }
        if least == 0.0 {
            break;
        }
    }
    least
}

/// The distance of the points of two parts that come out of the problem without bounds, if it has one solution.
fn candidate(a: &Part, b: &Part) -> Option<f64> {
    let (of_a, of_b) = (a.count - 1, b.count - 1);
    let count = of_a + of_b;
    if count > 3 {
        return None;
    }
    let offset = a.corners[0] - b.corners[0];
    let mut columns = [DVec3::ZERO; 3];
    for (column, corner) in columns.iter_mut().zip(&a.corners()[1..]) {
        *column = *corner - a.corners[0];
    }
    for (column, corner) in columns[of_a..].iter_mut().zip(&b.corners()[1..]) {
        *column = b.corners[0] - *corner;
    }
    let columns = &columns[..count];
    let mut axes = [DVec3::ZERO; 3];
    for index in 0..count {
        let mut axis = columns[index];
        for _ in 0..2 {
            for earlier in &axes[..index] {
                axis -= earlier.dot(axis) * *earlier;
            }
        }
        let (left, whole) = (axis.length(), columns[index].length());
        // A column without length as well.
        if left <= DEPENDENT * whole {
            return None;
        }
        axes[index] = axis / left;
    }
    let mut weights = [0.0; 3];
    // The second round takes out what rounding has left in the first.
    for _ in 0..2 {
        let mut rest = columns.iter().zip(weights).fold(offset, |rest, (column, weight)| rest + weight * *column);
        for index in (0..count).rev() {
            let step = -axes[index].dot(rest) / axes[index].dot(columns[index]);
            weights[index] += step;
            rest += step * columns[index];
        }
    }
    Some((offset + a.offset_at(&weights[..of_a]) - b.offset_at(&weights[of_a..count])).length())
}

/// The parts of the convex hull of a few points, and the planes of its triangles: none if it has no volume.
#[derive(Clone, Debug)]
pub struct Polytope {
    pub points: Vec<DVec3>,
    pub parts: Vec<Part>,
    planes: Vec<[DVec3; 2]>,
}

impl Polytope {
    /// Tries all triples: those with everything on one side are triangles of the surface. Faces with more corners come
    /// as all triangles of their corners, which does no harm. Up to three points are a simplex.
    pub fn new(points: Vec<DVec3>) -> Self {
        if points.len() <= 3 {
            return Self { parts: parts_of_simplex(&points), points, planes: Vec::new() };
        }
        let mut parts: Vec<Part> = points.iter().map(|point| Part::new([*point])).collect();
        let mut planes = Vec::new();
        let mut is_edge = vec![false; points.len() * points.len()];
        for c in 0..points.len() {
            for (a, b) in (0..c).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let normal = (points[b] - points[a]).cross(points[c] - points[a]).normalize_or_zero();
                let heights = points.iter().map(|point| normal.dot(*point - points[a]));
                let [lowest, highest] = heights.fold([0.0_f64; 2], |[l, h], height| [l.min(height), h.max(height)]);
                let outward = if highest <= 1e-14 { normal } else { -normal };
                if normal == DVec3::ZERO || (highest > 1e-14 && lowest < -1e-14) {
                    continue;
                }
                planes.push([outward, points[a]]);
                parts.push(Part::new([points[a], points[b], points[c]]));
                for [one, other] in [[a, b], [b, c], [a, c]] {
                    if !std::mem::replace(&mut is_edge[one * points.len() + other], true) {
                        parts.push(Part::new([points[one], points[other]]));
                    }
                }
            }
        }
        Self { points, parts, planes }
    }

    pub fn moved(&self, to: impl Fn(DVec3) -> DVec3) -> Self {
        let moved_part = |part: &Part| Part::new(part.corners().iter().map(|corner| to(*corner)));
        let moved_plane = |[normal, point]: &[DVec3; 2]| [to(*normal) - to(DVec3::ZERO), to(*point)];
        Self {
            points: self.points.iter().map(|point| to(*point)).collect(),
            parts: self.parts.iter().map(moved_part).collect(),
            planes: self.planes.iter().map(moved_plane).collect(),
        }
    }

    /// The outward normals of its triangles.
    pub fn normals(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.planes.iter().map(|[normal, _]| *normal)
    }

    /// The directions of its edges, and of other lines across its faces.
    pub fn edges(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.parts.iter().filter(|part| part.count == 2).map(|part| part.corners[1] - part.corners[0])
    }

    pub fn holds(&self, point: DVec3) -> bool {
        !self.planes.is_empty() && self.planes.iter().all(|[normal, origin]| normal.dot(point - *origin) <= 0.0)
    }

    /// The distance of two solids; 0 if one holds a corner of the other, or an edge of one meets a triangle of the other.
    /// There is no other way for convex sets to have a point in common.
    pub fn distance(&self, other: &Self) -> f64 {
        if self.points.iter().any(|point| other.holds(*point)) || other.points.iter().any(|point| self.holds(*point)) {
            return 0.0;
        }
        least_distance(&self.parts, &other.parts)
    }
}
