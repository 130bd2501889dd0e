//! The depth of two overlapping cores (EPA): the least distance of the origin from the border of A - B, in f64.
//!
//! A polytope of points of A - B around the origin grows at its nearest face: the support w along that face's normal n
//! either lies on the face, which is then on the border, or becomes a corner. Every direction n proves the depth to be
//! at most n·w, for a move by that much along n separates; the ball up to the nearest face is inside A - B and proves
//! the depth to be at least its radius. A face counts as near as the lowest of its corners along its normal: that is a
//! bound for all of it, however badly rounding has turned the normal of a sliver.
//! Faces in whose plane w lies count as visible from it, so that no new face has w on the line of its edge.
//! Stops: when the bounds meet to the tolerance; when A - B proves flat, whose thin direction is the answer, of depth
//! zero; when rounding breaks the horizon; at 400 corners. The reason and both bounds are part of the answer.
//! Cost: two supports and about six new faces a step; 5 to 20 steps for boxes and hulls, 10 to 80 for curved bodies.
//! Source: van den Bergen (2001), Proximity queries and penetration depth computation on 3D game objects. Departs: the
//! best direction of all steps is kept, not the last; flat sides are tried first; flat, touching and point-like
//! differences are answered.

use super::convex::SupportFault;
use super::feature::{Pair, nearest_on_face};
use super::minimum_norm::Found;
use super::simplex::{Difference, Vertex};
use crate::trace::{EpaStep, StopReason, Tracer};
use glam::DVec3;
use std::cell::Cell;

const CORNER_LIMIT: usize = 400;

/// How deep two cores are in each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth {
    /// The unit direction from `a` to `b` along which they come free soonest.
    pub(crate) normal: DVec3,
    /// Proven: a move of `b` by this along the normal frees them.
    pub(crate) most: f64,
    /// Proven, if not negative: no shorter move frees them.
    pub(crate) least: f64,
    /// The deepest points of both.
    pub(crate) pair: Pair,
    pub(crate) reason: StopReason,
}

/// What counts as nothing and what as equal, as lengths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    /// Where the bounds have met.
    pub(crate) gap: f64,
    /// As thin as this is flat, and as near to a plane is in it.
    pub(crate) thin: f64,
}

/// The depth of cores for which a search has ended with the origin inside its simplex or on it.
pub(crate) fn depth(
    difference: &mut Difference<'_>,
    found: &Found,
    tolerance: Tolerance,
    tracer: &mut impl Tracer,
) -> Result<Depth, SupportFault> {
    // What separates by less than nothing need not be improved, and its pair of points touches.
    let is_touching = -found.lower <= tolerance.gap;
    let mut best = Depth {
        normal: if is_touching { -found.normal } else { DVec3::ZERO },
        most: if is_touching { -found.lower } else { f64::INFINITY },
        least: -found.upper,
        pair: found.pair(),
        reason: StopReason::IterationLimit,
    };
    for direction in difference.promising_directions() {
        let (corner, most) = difference.support(direction)?;
        if most < best.most {
            let pair = Pair { on_a: corner.on_a, on_b: corner.on_b() };
            (best.normal, best.most, best.pair) = (direction, most, pair);
        }
    }
    best.reason = match solid(difference, found.corners().copied(), tolerance.thin)? {
        Start::Flat(normal) => {
            flat(difference, normal, tolerance.thin, &mut best)?;
            StopReason::Flat
        }
        Start::Solid(corners) => {
            // Taken, not borrowed: a user's support map may ask for a depth itself.
            let mut polytope = KEPT.take();
            polytope.restart(corners);
            let reason = polytope.expand(difference, tolerance, &mut best, tracer);
            KEPT.set(polytope);
            reason?
        }
    };
    tracer.stop(best.reason);
    Ok(best)
}

enum Start {
    Solid([Vertex; 4]),
    /// A direction in which the difference has no extent.
    Flat(DVec3),
}

/// A tetrahedron with the given vertices, or as many of them as span something.
fn solid(
    difference: &mut Difference<'_>,
    known: impl Iterator<Item = Vertex>,
    thin: f64,
) -> Result<Start, SupportFault> {
    let mut corners = [Vertex::default(); 4];
    let mut count = 0;
    for vertex in known {
        if count == 0 || span(&corners[..count], &vertex) > thin {
            corners[count] = vertex;
            count += 1;
        }
    }
    while count < 4 {
        let at = |index: usize| corners[index].difference;
        let outlook = difference.outlook();
        let directions = match count {
            0 | 1 => [DVec3::X, DVec3::Y, DVec3::Z],
            2 => {
                let along = (at(1) - at(0)).normalize_or(DVec3::X);
                // The perpendicular that comes nearest to the way from one middle to the other, and one across.
                let across = outlook - along * along.dot(outlook);
                let is_across = across.length() > 1e-6;
                let across = if is_across { across.normalize() } else { along.any_orthonormal_vector() };
                [across, along.cross(across), DVec3::ZERO]
            }
            _ => [(at(1) - at(0)).cross(at(2) - at(0)).normalize_or(DVec3::X), DVec3::ZERO, DVec3::ZERO],
        };
        let mut widest = (Vertex::default(), if count == 0 { -1.0 } else { thin });
        for direction in directions.into_iter().filter(|direction| *direction != DVec3::ZERO) {
            for direction in [direction, -direction] {
                let (vertex, _) = difference.support(direction)?;
                let width = span(&corners[..count], &vertex);
                if width > widest.1 {
                    widest = (vertex, width);
                }
            }
        }
        if count > 0 && widest.1 <= thin {
            return Ok(Start::Flat(if count == 1 { outlook } else { directions[0] }));
        }
        corners[count] = widest.0;
        count += 1;
    }
    Ok(Start::Solid(corners))
}

/// How far a vertex is from the point, line or plane of up to three corners.
fn span(corners: &[Vertex], vertex: &Vertex) -> f64 {
    let offset = |index: usize| corners[index].difference - corners[0].difference;
    let out = vertex.difference - corners.first().map_or(DVec3::ZERO, |corner| corner.difference);
    match corners.len() {
        0 | 1 => out.length(),
        2 => {
            let along = offset(1).normalize_or_zero();
            (out - along * along.dot(out)).length()
        }
        _ => offset(1).cross(offset(2)).normalize_or_zero().dot(out).abs(),
    }
}

/// The better side of a flat difference; of equal ones, the one that `b` is on.
fn flat(difference: &mut Difference<'_>, normal: DVec3, thin: f64, best: &mut Depth) -> Result<(), SupportFault> {
    let facing = if normal.dot(difference.outlook()) < 0.0 { -normal } else { normal };
    let (_, width) = difference.support(facing)?;
    let (_, width_behind) = difference.support(-facing)?;
    let (normal, most) = if width_behind < width - thin { (-facing, width_behind) } else { (facing, width) };
    if most <= best.most {
        (best.normal, best.most) = (normal, most);
    }
    Ok(())
}

/// A triangle of the polytope; `across[i]` is the face beyond the edge from corner i to corner i + 1, and that edge's
/// place there.
#[derive(Debug, Clone, Copy)]
struct Face {
    corners: [u32; 3],
    across: [(u32, u32); 3],
    normal: DVec3,
}

thread_local! {
    /// The lists of the last search of this thread, so that the next allocates nothing.
    static KEPT: Cell<Polytope> = const { Cell::new(Polytope::EMPTY) };
}

#[derive(Debug, Default)]
struct Polytope {
    corners: Vec<Vertex>,
    faces: Vec<Face>,
    /// How near each face is; infinite for faces that are gone.
    offsets: Vec<f64>,
    /// Faces that are gone, to be used again.
    free: Vec<u32>,
    /// The edges around what is visible from a new corner, in order, as edges of the faces beyond.
    horizon: Vec<(u32, u32)>,
    stack: Vec<(u32, u32)>,
    /// Where new faces go.
    places: Vec<u32>,
}

impl Polytope {
    const EMPTY: Self = Self {
        corners: Vec::new(),
        faces: Vec::new(),
        offsets: Vec::new(),
        free: Vec::new(),
        horizon: Vec::new(),
        stack: Vec::new(),
        places: Vec::new(),
    };

    /// Begins anew with a tetrahedron.
    fn restart(&mut self, mut corners: [Vertex; 4]) {
        let [a, b, c, d] = corners.map(|corner| corner.difference);
        if (b - a).cross(c - a).dot(d - a) > 0.0 {
            corners.swap(0, 1);
        }
        self.corners.clear();
        self.faces.clear();
        self.offsets.clear();
        self.free.clear();
        self.corners.extend(corners);
        // Counter-clockwise from outside, now that the fourth corner is below the first three.
        let across =
            [[(1, 0), (2, 0), (3, 0)], [(0, 0), (3, 2), (2, 1)], [(0, 1), (1, 2), (3, 1)], [(0, 2), (2, 2), (1, 1)]];
        for (corners, across) in [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]].into_iter().zip(across) {
            self.add(corners, across);
        }
    }

    fn at(&self, corner: u32) -> DVec3 {
        self.corners[corner as usize].difference
    }

    /// Adds a face; false if it has no area.
    fn add(&mut self, corners: [u32; 3], across: [(u32, u32); 3]) -> bool {
        let points = corners.map(|corner| self.at(corner));
        let [a, b, c] = points;
        let area = (b - a).cross(c - a);
        let normal = area / area.length();
        let has_area = normal.is_finite();
        let face = Face { corners, across, normal: if has_area { normal } else { DVec3::ZERO } };
        // For a face without area nothing is known but that its corners are no nearer than the origin itself.
        let offset = points.into_iter().map(|point| face.normal.dot(point)).fold(f64::INFINITY, f64::min);
        match self.free.pop() {
            Some(place) => (self.faces[place as usize], self.offsets[place as usize]) = (face, offset),
            None => {
                self.faces.push(face);
                self.offsets.push(offset);
            }
        }
        has_area
    }

    fn nearest(&self) -> usize {
        let mut nearest = (0, f64::INFINITY);
        for (face, &offset) in self.offsets.iter().enumerate() {
            if offset < nearest.1 {
                nearest = (face, offset);
            }
        }
        nearest.0
    }

    fn expand(
        &mut self,
        difference: &mut Difference<'_>,
        tolerance: Tolerance,
        best: &mut Depth,
        tracer: &mut impl Tracer,
    ) -> Result<StopReason, SupportFault> {
        loop {
            let face = self.nearest();
            let (normal, least) = (self.faces[face].normal, self.offsets[face]);
            let (corner, most) = difference.support(normal)?;
            best.least = best.least.max(least.min(most));
            if most < best.most {
                (best.normal, best.most, best.pair) = (normal, most, self.deepest(face));
            }
            tracer.epa(|| EpaStep {
                face: self.faces[face].corners.map(|corner| self.at(corner)),
                normal,
                support: corner.difference,
                lower: best.least,
                upper: best.most,
                faces: self.faces.len() - self.free.len(),
            });
            if most - least <= tolerance.gap {
                if most < best.most + tolerance.gap {
                    (best.normal, best.most, best.pair) = (normal, most, self.deepest(face));
                }
                return Ok(StopReason::BoundsMet);
            }
            // A better direction of an earlier step will do if the points that came with it are as deep as it says.
            let is_deep = |best: &Depth| best.normal.dot(best.pair.on_a - best.pair.on_b) >= best.most - tolerance.gap;
            if best.most - least <= tolerance.gap && is_deep(best) {
                return Ok(StopReason::BoundsMet);
            }
            if self.corners.len() >= CORNER_LIMIT {
                return Ok(StopReason::IterationLimit);
            }
            if !self.grow(face, corner, tolerance.thin) {
                return Ok(StopReason::Rounding);
            }
        }
    }

    /// The points of both cores at the place of a face that is nearest to the origin.
    fn deepest(&self, face: usize) -> Pair {
        let corners = self.faces[face].corners.map(|corner| &self.corners[corner as usize]);
        let weights = nearest_on_face(corners.map(|corner| corner.difference));
        let mut pair = Pair { on_a: DVec3::ZERO, on_b: DVec3::ZERO };
        for (corner, weight) in corners.into_iter().zip(weights) {
            pair.on_a += weight * corner.on_a;
            pair.on_b += weight * corner.on_b();
        }
        pair
    }

    /// Replaces the faces that are visible from a corner by those between it and their horizon; false if rounding has
    /// left no such horizon.
    fn grow(&mut self, face: usize, corner: Vertex, thin: f64) -> bool {
        self.find_horizon(face, corner.difference, thin);
        let count = self.horizon.len();
        let ends = |(face, edge): (u32, u32)| {
            let corners = self.faces[face as usize].corners;
            [corners[(edge as usize + 1) % 3], corners[edge as usize]]
        };
        let is_loop =
            (0..count).all(|index| ends(self.horizon[index])[1] == ends(self.horizon[(index + 1) % count])[0]);
        if count < 3 || !is_loop {
            return false;
        }
        let newest = self.corners.len() as u32;
        self.corners.push(corner);
        // The places that `add` is going to take.
        let (free, length) = (self.free.len(), self.faces.len());
        let place =
            |index: usize| if index < free { self.free[free - 1 - index] } else { (length + index - free) as u32 };
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend((0..count).map(place));
        let mut has_area = true;
        for index in 0..count {
            let (beyond, edge) = self.horizon[index];
            let beyond_corners = self.faces[beyond as usize].corners;
            let [start, end] = [beyond_corners[(edge as usize + 1) % 3], beyond_corners[edge as usize]];
            let (next, previous) = (places[(index + 1) % count], places[(index + count - 1) % count]);
            self.faces[beyond as usize].across[edge as usize] = (places[index], 0);
            has_area &= self.add([start, end, newest], [(beyond, edge), (next, 2), (previous, 1)]);
        }
        self.places = places;
        has_area
    }

    /// Takes away what is visible from a point, starting from a face that is, and lists the edges around it in order.
    fn find_horizon(&mut self, start: usize, point: DVec3, thin: f64) {
        self.horizon.clear();
        self.stack.clear();
        self.remove(start, 0);
        self.stack.insert(0, self.faces[start].across[0]);
        while let Some((face, edge)) = self.stack.pop() {
            let place = face as usize;
            if self.offsets[place] == f64::INFINITY {
                continue;
            }
            if self.faces[place].normal.dot(point) - self.offsets[place] > -thin {
                self.remove(place, edge as usize);
            } else {
                self.horizon.push((face, edge));
            }
        }
    }

    /// Takes a face away and puts its neighbours but the one across `edge` on the stack, the next around on top.
    fn remove(&mut self, face: usize, edge: usize) {
        self.offsets[face] = f64::INFINITY;
        self.free.push(face as u32);
        let across = self.faces[face].across;
        self.stack.push(across[(edge + 2) % 3]);
        self.stack.push(across[(edge + 1) % 3]);
    }
}
