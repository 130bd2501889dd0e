//! The point nearest to the origin of a simplex of up to four points of A - B.
//!
//! A new point w is known to lie beyond the plane through the nearest point so far, towards the origin, so only the
//! faces that have w among their corners are asked. Of a tetrahedron these are the ones which the origin is outside of;
//! if there is none, the origin is inside. Each candidate is a point of the simplex (weights not negative, of sum one)
//! and is judged by its measured distance, as in `feature.rs`: an ill-conditioned simplex can cost progress, but its
//! nearest point is never a lie.
//! Source: the choice of faces by the signs of volumes is in the spirit of Montanari, Petrinic, Barbieri (2017),
//! doi:10.1145/3083724; theirs recurses over projections where this measures.

use super::convex::{Convex, Core, SupportFault};
use super::descent::Face;
use super::feature::{nearest_on_edge, nearest_on_face};
use super::placement::Placement;
use crate::trace::DifferencePoint;
use fearless_simd::Simd;
use glam::DVec3;

/// A point of A - B and where it comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Vertex {
    pub(crate) difference: DVec3,
    pub(crate) on_a: DVec3,
    /// Which corners of the two cores it comes from, where these have corners.
    pub(crate) corners: [u32; 2],
}

impl Vertex {
    pub(crate) const NONE: Self = Self { difference: DVec3::ZERO, on_a: DVec3::ZERO, corners: [0; 2] };

    pub(crate) fn on_b(&self) -> DVec3 {
        self.on_a - self.difference
    }

    pub(crate) fn record(&self) -> DifferencePoint {
        DifferencePoint { on_a: self.on_a, on_b: self.on_b(), difference: self.difference }
    }
}

/// The difference A - B of two cores in the frame of the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference<'p> {
    a: &'p Convex<'p>,
    b: &'p Convex<'p>,
    b_in_a: &'p Placement,
    /// The corners that were found last: good places to start looking for the next.
    last: [u32; 2],
}

impl<'p> Difference<'p> {
    pub(crate) fn new(a: &'p Convex<'_>, b: &'p Convex<'_>, b_in_a: &'p Placement) -> Self {
        Self { a, b, b_in_a, last: [u32::MAX; 2] }
    }

    /// The point that lies farthest along a unit direction, and how far.
    #[inline(always)]
    pub(crate) fn support(&mut self, direction: DVec3) -> Result<(Vertex, f64), SupportFault> {
        let (on_a, corner_a) = self.a.core.support_from(direction, self.last[0]);
        let inward = self.b_in_a.direction_to_inner(-direction);
        let (on_b, corner_b) = self.b.core.support_from(inward, self.last[1]);
        self.last = [corner_a, corner_b];
        let difference = on_a - self.b_in_a.point_to_outer(on_b);
        let along = direction.dot(difference);
        // Only users' maps can be at fault; which one tells when it is asked again.
        if !along.is_finite() {
            self.a.core.support(direction)?;
            self.b.core.support(inward)?;
            return Err(SupportFault { direction, value: difference });
        }
        Ok((Vertex { difference, on_a, corners: self.last }, along))
    }

    /// The same, quickly: the point may be less far than another by [`Difference::doubt`].
    #[inline(always)]
    pub(crate) fn quick_support<S: Simd>(&mut self, simd: S, direction: DVec3) -> Result<(Vertex, f64), SupportFault> {
        let (on_a, corner_a) = self.a.core.quick_support_from(simd, direction, self.last[0]);
        let inward = self.b_in_a.direction_to_inner(-direction);
        let (on_b, corner_b) = self.b.core.quick_support_from(simd, inward, self.last[1]);
        self.last = [corner_a, corner_b];
        let difference = on_a - self.b_in_a.point_to_outer(on_b);
        let along = direction.dot(difference);
        if !along.is_finite() {
            return self.support(direction);
        }
        Ok((Vertex { difference, on_a, corners: self.last }, along))
    }

    /// How far the difference reaches along a direction, of which a quick support has just found the given point.
    #[inline(always)]
    pub(crate) fn along<S: Simd>(&self, simd: S, direction: DVec3, quick: &Vertex) -> f64 {
        let inward = self.b_in_a.direction_to_inner(-direction);
        let on_b = self.b_in_a.point_to_inner(quick.on_b());
        let along_a = self.a.core.along(simd, direction, self.last[0], quick.on_a);
        let along_b = self.b.core.along(simd, inward, self.last[1], on_b);
        along_a + along_b - direction.dot(self.b_in_a.position)
    }

    /// How far the difference reaches along a direction, with all digits.
    #[inline(always)]
    pub(crate) fn reach_along<S: Simd>(&self, simd: S, direction: DVec3) -> f64 {
        let along_a = self.a.core.reach_along(simd, direction, self.last[0]);
        let along_b = self.b.core.reach_along(simd, self.b_in_a.direction_to_inner(-direction), self.last[1]);
        along_a + along_b - direction.dot(self.b_in_a.position)
    }

    /// By how much a quick support along a unit direction may fall short.
    #[inline(always)]
    pub(crate) fn doubt(&self) -> f64 {
        self.a.core.doubt() + self.b.core.doubt()
    }

    /// Whether both cores answer for any direction with all digits; users' maps answer in f32, for unit directions.
    #[inline(always)]
    pub(crate) fn is_precise(&self) -> bool {
        !matches!(self.a.core, Core::Custom(_)) && !matches!(self.b.core, Core::Custom(_))
    }

    /// The vertex of known corners; none if the cores have no such.
    #[inline(always)]
    pub(crate) fn vertex(&mut self, corners: [u32; 2]) -> Option<Vertex> {
        let on_a = self.a.core.corner(corners[0])?;
        let on_b = self.b_in_a.point_to_outer(self.b.core.corner(corners[1])?);
        self.last = corners;
        Some(Vertex { difference: on_a - on_b, on_a, corners })
    }

    /// Directions from `a` to `b` that are likely to be the shortest way out of curved cores, for which a search along
    /// the border would take many steps: across their flat sides, and from middle to middle. None for polytopes.
    pub(crate) fn promising_directions(&self) -> impl Iterator<Item = DVec3> + use<'p> {
        let is_curved = self.a.core.is_curved() || self.b.core.is_curved();
        let [of_a, of_b] = [self.a, self.b].map(|convex| if is_curved { convex.core.flat_sides() } else { &[] });
        let rotation = self.b_in_a.rotation;
        let middle = is_curved.then(|| self.outlook());
        of_a.iter().copied().chain(of_b.iter().map(move |side| -(rotation * *side))).chain(middle)
    }

    /// From the middle of `a` to that of `b`, roughly, or any direction if these coincide.
    pub(crate) fn outlook(&self) -> DVec3 {
        self.b_in_a.position.normalize_or(DVec3::Y)
    }

    /// The same, not of unit length.
    #[inline(always)]
    pub(crate) fn away(&self) -> DVec3 {
        let away = self.b_in_a.position;
        if away == DVec3::ZERO { DVec3::Y } else { away }
    }
}

/// Room for the vertices of two simplices and a new one, so that these only need to know places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertices([Vertex; ROOM]);

const ROOM: usize = 8;

impl Vertices {
    pub(crate) fn new() -> Self {
        Self([Vertex::default(); ROOM])
    }

    /// Puts a vertex where neither simplex has one.
    #[inline(always)]
    pub(crate) fn add(&mut self, vertex: Vertex, current: &Simplex, best: &Simplex) -> u8 {
        let taken = current.taken() | best.taken();
        // Two simplices have at most seven vertices between them when one of them grows.
        let place = (!taken).trailing_zeros() as u8 % ROOM as u8;
        self.0[place as usize] = vertex;
        place
    }

    /// Puts a vertex at one of the first four places.
    pub(crate) fn set(&mut self, place: usize, vertex: Vertex) {
        self.0[place % ROOM] = vertex;
    }

    #[inline(always)]
    fn point(&self, place: u8) -> DVec3 {
        self.0[place as usize % ROOM].difference
    }
}

/// Up to four vertices with weights of sum one: a point of A - B, the nearest to the origin of their hull. The last is
/// the newest; it stays even if rounding takes its weight away, because the plane through it is what comes next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simplex {
    places: [u8; 4],
    count: usize,
    weights: [f64; 4],
    nearest: DVec3,
}

impl Simplex {
    /// The first of the vertices alone.
    pub(crate) fn first(vertices: &Vertices) -> Self {
        Self { places: [0; 4], count: 1, weights: [1.0, 0.0, 0.0, 0.0], nearest: vertices.point(0) }
    }

    /// The nearest face of the first `count` vertices, of which there is at least one.
    pub(crate) fn around_first(vertices: &Vertices, count: usize) -> Self {
        let count = count.clamp(1, 4);
        let places = [0, 1, 2, 3];
        let points = places.map(|place| vertices.point(place));
        let mut simplex = Self { places, count, weights: [1.0, 0.0, 0.0, 0.0], nearest: points[0] };
        simplex.weights = if count == 4 {
            match around_newest(points) {
                Place::Inside(weights) => return Self { weights, nearest: DVec3::ZERO, ..simplex },
                Place::Outside(_) => nearest_of_faces(points, &[[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 1, 2]]),
            }
        } else {
            nearest_of_few(points, count)
        };
        simplex.drop_idle_vertices(points, None);
        simplex
    }

    fn taken(&self) -> u32 {
        self.places[..self.count.min(4)].iter().fold(0, |taken, place| taken | 1 << place)
    }

    pub(crate) fn vertices<'v>(&'v self, vertices: &'v Vertices) -> impl ExactSizeIterator<Item = &'v Vertex> {
        self.places[..self.count.min(4)].iter().map(|place| &vertices.0[*place as usize % ROOM])
    }

    #[inline(always)]
    pub(crate) fn nearest(&self) -> DVec3 {
        self.nearest
    }

    /// The same, with the vertices themselves.
    pub(super) fn write(&self, vertices: &Vertices, face: &mut Face) {
        for (place, vertex) in face.vertices.iter_mut().zip(self.vertices(vertices)) {
            *place = *vertex;
        }
        (face.places, face.count, face.weights, face.nearest) = ([0, 1, 2, 3], self.count, self.weights, self.nearest);
    }

    /// The unit direction of the nearest point. The point itself keeps few digits near contact, and a plane that is
    /// turned by its rounding separates nothing; there the edges of the simplex tell the direction better.
    #[inline(always)]
    pub(crate) fn direction(&self, vertices: &Vertices) -> DVec3 {
        let nearest = self.nearest;
        let across = match self.count {
            2 => {
                let along = vertices.point(self.places[1]) - vertices.point(self.places[0]);
                let length_squared = along.length_squared();
                if length_squared > 0.0 { nearest - along * (along.dot(nearest) / length_squared) } else { nearest }
            }
            3 => {
                let [a, b, c, _] = self.places.map(|place| vertices.point(place));
                let (u, v) = (b - a, c - a);
                let normal = u.cross(v);
                let width = u.length_squared().max(v.length_squared());
                let is_wide = normal.length_squared() >= nearest.length_squared() * width;
                let is_idle = self.weights[2] <= 0.0;
                if is_wide || is_idle { normal * normal.dot(nearest).signum() } else { nearest }
            }
            _ => nearest,
        };
        unit(across, || nearest.normalize_or(DVec3::X))
    }

    /// Only a simplex that does so keeps four vertices.
    #[inline(always)]
    pub(crate) fn encloses_the_origin(&self) -> bool {
        self.count == 4
    }

    /// The face of this simplex and the vertex at `place` together that is nearest to the origin, or all of it around
    /// the origin.
    #[inline(always)]
    pub(crate) fn with(&self, vertices: &Vertices, place: u8) -> Self {
        let mut grown = *self;
        // A simplex is reduced before it grows, so there is room: four vertices enclose or lose one.
        let last = grown.count.min(3);
        grown.places[last] = place;
        grown.count = last + 1;
        let points = grown.places.map(|place| vertices.point(place));
        grown.weights = if last < 3 {
            nearest_of_few(points, grown.count)
        } else {
            match around_newest(points) {
                Place::Inside(weights) => return Self { weights, nearest: DVec3::ZERO, ..grown },
                Place::Outside(weights) => weights,
            }
        };
        grown.drop_idle_vertices(points, Some(last));
        grown
    }

    /// Keeps the vertices that have a weight, and the newest.
    #[inline(always)]
    fn drop_idle_vertices(&mut self, points: [DVec3; 4], newest: Option<usize>) {
        let mut kept = 0;
        let mut nearest = DVec3::ZERO;
        for (index, point) in points.into_iter().enumerate().take(self.count) {
            let weight = self.weights[index];
            if weight > 0.0 || newest == Some(index) {
                self.places[kept] = self.places[index];
                self.weights[kept] = weight;
                nearest += weight * point;
                kept += 1;
            }
        }
        self.count = kept;
        self.nearest = nearest;
    }
}

/// The vector at unit length; `otherwise` if that cannot be.
#[inline(always)]
fn unit(vector: DVec3, otherwise: impl FnOnce() -> DVec3) -> DVec3 {
    let scaled = vector / vector.length();
    if scaled.is_finite() { scaled } else { otherwise() }
}

#[inline(always)]
fn nearest_of_few([a, b, c, _]: [DVec3; 4], count: usize) -> [f64; 4] {
    match count {
        1 => [1.0, 0.0, 0.0, 0.0],
        2 => spread(nearest_on_edge([a, b]), [0, 1]),
        _ => spread(nearest_on_face([a, b, c]), [0, 1, 2]),
    }
}

enum Place {
    Inside([f64; 4]),
    Outside([f64; 4]),
}

/// The origin in a tetrahedron, or the weights of the point nearest to it of the three faces at the last corner.
#[inline(always)]
fn around_newest(points: [DVec3; 4]) -> Place {
    let [a, b, c, d] = points;
    let (u, v, w) = (a - d, b - d, c - d);
    let (beyond_c, beyond_a, beyond_b) = (u.cross(v), v.cross(w), w.cross(u));
    let volume = beyond_c.dot(w);
    let weights = [beyond_a, beyond_b, beyond_c].map(|normal| -d.dot(normal) / volume);
    let [weight_a, weight_b, weight_c] = weights;
    let weight_d = 1.0 - weight_a - weight_b - weight_c;
    let most_squared = u.length_squared() * v.length_squared() * w.length_squared();
    // A flat tetrahedron holds nothing, and in one that is nearly flat the signs do not tell the nearest face.
    if volume * volume > 1e-26 * most_squared && weights.iter().all(|weight| *weight >= 0.0) && weight_d >= 0.0 {
        // What rounding has left of the origin is taken out once more, of a sliver again and again: a time leaves as many
        // digits as its volume has.
        let mut refined = [weight_a, weight_b, weight_c, weight_d];
        for _ in 0..if volume * volume > 1e-12 * most_squared { 1 } else { 4 } {
            let [of_a, of_b, of_c, of_d] = refined;
            let rest = of_a * a + of_b * b + of_c * c + of_d * d;
            let [on_a, on_b, on_c] = [beyond_a, beyond_b, beyond_c].map(|normal| rest.dot(normal) / volume);
            refined = [of_a - on_a, of_b - on_b, of_c - on_c, of_d + on_a + on_b + on_c];
        }
        if refined.iter().all(|weight| *weight >= 0.0) {
            return Place::Inside(refined);
        }
    }
    let is_out = weights.map(|weight| weight < 0.0);
    let is_wide = volume * volume > 1e-4 * most_squared;
    Place::Outside(match is_out {
        [true, false, false] if is_wide => spread(nearest_on_face([b, c, d]), [1, 2, 3]),
        [false, true, false] if is_wide => spread(nearest_on_face([c, a, d]), [2, 0, 3]),
        [false, false, true] if is_wide => spread(nearest_on_face([a, b, d]), [0, 1, 3]),
        _ => nearest_of_faces(points, &[[1, 2, 3], [2, 0, 3], [0, 1, 3]]),
    })
}

/// The weights of the point nearest to the origin of some faces of a tetrahedron.
fn nearest_of_faces(points: [DVec3; 4], faces: &[[usize; 3]]) -> [f64; 4] {
    let mut best = ([0.0, 0.0, 0.0, 1.0], f64::INFINITY);
    for face in faces {
        let corners = face.map(|corner| points[corner]);
        let weights = nearest_on_face(corners);
        let [p, q, r] = corners;
        let squared = (weights[0] * p + weights[1] * q + weights[2] * r).length_squared();
        if squared < best.1 {
            best = (spread(weights, *face), squared);
        }
    }
    best.0
}

/// Weights at their places among four.
#[inline(always)]
fn spread<const N: usize>(weights: [f64; N], places: [usize; N]) -> [f64; 4] {
    let mut spread = [0.0; 4];
    for (place, weight) in places.into_iter().zip(weights) {
        spread[place] = weight;
    }
    spread
}
