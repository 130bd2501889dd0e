//! The distance of two convex cores: the point of least norm of their difference A - B, in f64.
//!
//! A simplex of at most four points of A - B, each known as a pair of points, holds the best point v so far; |v| is
//! an upper bound. The support w along -v gives the lower bound v·w/|v|, because the plane through w normal to v has
//! all of A - B beyond it. w joins the simplex, and the face of it that is nearest to the origin is kept. v never
//! gets longer, and polytopes end after finitely many steps; smooth bodies converge at least linearly.
//! Stops: when the bounds meet to 1e-12 of the distance or within rounding; when a tetrahedron holds the origin; when
//! rounding lets neither bound move for 12 steps; at 1000 steps. The reason and both bounds are part of the answer.
//! Cost: two supports and at most three triangles a step, about 0.3 µs; boxes and hulls take 2 to 4 steps on average,
//! curved bodies 5 to 26, the worst of random pairs 70.
//! Source: Gilbert, Johnson, Keerthi (1988), doi:10.1109/56.2083; the stop rule is van den Bergen's (1999),
//! doi:10.1080/10867651.1999.10487502. Departs from both: the nearest face is found by measuring candidates
//! (see `feature.rs`) instead of Johnson's determinants, which lose their signs on flat simplices; both bounds are the
//! best of all steps, not of the last.

use super::convex::{Convex, SupportFault};
use super::feature::{Pair, nearest_on_edge, nearest_on_face};
use super::placement::Placement;
use super::separation::{Rounding, Separation, Stop, placed_support};
use glam::DVec3;

const STEP_LIMIT: usize = 1000;

/// Where the bounds have met, relative to the distance: far below f32, because the closest points of smooth bodies
/// are known to the square root of it only.
const RELATIVE_GAP: f64 = 1e-12;

/// After so many steps in a row that moved neither bound, rounding has won.
const FRUITLESS_LIMIT: usize = 12;

/// The separation of the shapes around two cores. Ends early, with bounds only, once it is proven to be at least
/// `limit`.
pub(crate) fn separation(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    rounding: Rounding,
    limit: f64,
) -> Result<Separation, SupportFault> {
    let radius = rounding.radius_a + rounding.radius_b;
    let vertex = |normal: DVec3| -> Result<Vertex, SupportFault> {
        let (on_a, on_b) = (a.core.support(-normal)?, placed_support(b, b_in_a, normal)?);
        Ok(Vertex { on_a, on_b, difference: on_a - on_b })
    };
    let start = (-b_in_a.position).normalize_or(DVec3::X);
    let mut simplex = Simplex::of(vertex(start)?);
    let mut best = simplex;
    let mut upper = simplex.nearest_point().length();
    let (mut lower, mut normal) = (f64::NEG_INFINITY, DVec3::ZERO);
    let mut fruitless_steps = 0;
    for _ in 0..STEP_LIMIT {
        if upper <= radius + rounding.slack {
            return Ok(rounding.separation(best.pair(), normal, lower, Stop::Converged));
        }
        let direction = simplex.direction();
        let farthest = vertex(direction)?;
        let along = direction.dot(farthest.difference);
        fruitless_steps += 1;
        if along > lower {
            (lower, normal, fruitless_steps) = (along, direction, 0);
        }
        let has_met = upper - lower <= RELATIVE_GAP * upper + rounding.tolerance;
        if has_met || lower - radius - rounding.slack >= limit {
            return Ok(rounding.separation(best.pair(), normal, lower, Stop::Converged));
        }
        simplex = simplex.with(farthest);
        if simplex.encloses_the_origin() {
            return Ok(Separation::overlapping(simplex.pair().on_a, 0.0));
        }
        let length = simplex.nearest_point().length();
        if length < upper {
            (best, upper, fruitless_steps) = (simplex, length, 0);
        }
        if fruitless_steps > FRUITLESS_LIMIT {
            return Ok(rounding.separation(best.pair(), normal, lower, Stop::Rounding));
        }
    }
    Ok(rounding.separation(best.pair(), normal, lower, Stop::IterationLimit))
}

/// A point of A - B and where it comes from.
#[derive(Debug, Clone, Copy, Default)]
struct Vertex {
    on_a: DVec3,
    on_b: DVec3,
    difference: DVec3,
}

/// Up to four vertices with weights of sum one: a point of A - B, the nearest to the origin of their hull. The last is
/// the newest; it stays even if rounding takes its weight away, because the plane through it is what comes next.
#[derive(Debug, Clone, Copy)]
struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    count: usize,
}

impl Simplex {
    fn of(vertex: Vertex) -> Self {
        let vertices = [vertex, Vertex::default(), Vertex::default(), Vertex::default()];
        Self { vertices, weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    fn weighted(&self, part: impl Fn(&Vertex) -> DVec3) -> DVec3 {
        let terms = self.vertices.iter().zip(self.weights).take(self.count);
        terms.fold(DVec3::ZERO, |sum, (vertex, weight)| sum + weight * part(vertex))
    }

    fn nearest_point(&self) -> DVec3 {
        self.weighted(|vertex| vertex.difference)
    }

    fn pair(&self) -> Pair {
        Pair { on_a: self.weighted(|vertex| vertex.on_a), on_b: self.weighted(|vertex| vertex.on_b) }
    }

    /// The unit direction of the nearest point. The point itself keeps few digits near contact, and a plane that is
    /// turned by its rounding separates nothing; there the edges of the simplex tell the direction better.
    fn direction(&self) -> DVec3 {
        let nearest = self.nearest_point();
        let length = nearest.length();
        let [a, b, c, _] = self.vertices.map(|vertex| vertex.difference);
        let across = match self.count {
            2 => {
                let along = (b - a).normalize_or_zero();
                nearest - along * along.dot(nearest)
            }
            3 => {
                let (u, v) = (b - a, c - a);
                let normal = u.cross(v);
                let is_wide = normal.length() >= length * u.length().max(v.length());
                let is_idle = self.weights[2] <= 0.0;
                if is_wide || is_idle { normal * normal.dot(nearest).signum() } else { nearest }
            }
            _ => nearest,
        };
        across.normalize_or(nearest.normalize_or(DVec3::X))
    }

    /// Only a simplex that does so keeps four vertices.
    fn encloses_the_origin(&self) -> bool {
        self.count == 4
    }

    /// The face of this simplex and `vertex` together that is nearest to the origin, or all of it around the origin.
    /// Faces without the new vertex need not be asked: it is nearer than their planes.
    fn with(&self, vertex: Vertex) -> Self {
        let mut grown = *self;
        // A simplex is reduced before it grows, so there is room: four vertices enclose or lose one.
        let last = grown.count.min(3);
        grown.vertices[last] = vertex;
        grown.count = last + 1;
        let points = grown.vertices.map(|vertex| vertex.difference);
        let [a, b, c, d] = points;
        grown.weights = match grown.count {
            1 => [1.0, 0.0, 0.0, 0.0],
            2 => spread(nearest_on_edge([a, b]), [0, 1]),
            3 => spread(nearest_on_face([a, b, c]), [0, 1, 2]),
            _ => {
                if let Some(weights) = enclosing(points) {
                    grown.weights = weights;
                    return grown;
                }
                let faces = [
                    spread(nearest_on_face([a, b, d]), [0, 1, 3]),
                    spread(nearest_on_face([b, c, d]), [1, 2, 3]),
                    spread(nearest_on_face([c, a, d]), [2, 0, 3]),
                ];
                let squared = |w: &[f64; 4]| (w[0] * a + w[1] * b + w[2] * c + w[3] * d).length_squared();
                faces.into_iter().min_by(|p, q| squared(p).total_cmp(&squared(q))).unwrap_or(faces[0])
            }
        };
        grown.without_idle_vertices()
    }

    fn without_idle_vertices(&self) -> Self {
        let mut kept = *self;
        kept.count = 0;
        for index in 0..self.count {
            if self.weights[index] > 0.0 || index + 1 == self.count {
                kept.vertices[kept.count] = self.vertices[index];
                kept.weights[kept.count] = self.weights[index];
                kept.count += 1;
            }
        }
        kept
    }
}

/// Weights at their places among four.
fn spread<const N: usize>(weights: [f64; N], places: [usize; N]) -> [f64; 4] {
    let mut spread = [0.0; 4];
    for (place, weight) in places.into_iter().zip(weights) {
        spread[place] = weight;
    }
    spread
}

/// The weights of the origin in a tetrahedron that holds it. A flat tetrahedron holds nothing: its faces come as near.
fn enclosing([a, b, c, d]: [DVec3; 4]) -> Option<[f64; 4]> {
    let (u, v, w) = (b - a, c - a, d - a);
    let volume = u.dot(v.cross(w));
    if volume.abs() <= 1e-13 * u.length() * v.length() * w.length() {
        return None;
    }
    let weight_b = -a.dot(v.cross(w)) / volume;
    let weight_c = -u.dot(a.cross(w)) / volume;
    let weight_d = -u.dot(v.cross(a)) / volume;
    let weights = [1.0 - weight_b - weight_c - weight_d, weight_b, weight_c, weight_d];
    weights.iter().all(|weight| *weight >= 0.0).then_some(weights)
}
