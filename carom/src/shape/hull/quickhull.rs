//! The triangulated convex hull of a point cloud.
//!
//! Quickhull: start from a tetrahedron; give each point outside to one face that sees it; add the farthest point of a
//! face, replace the faces it sees by a cone over their rim, and hand their points to the cone; until no face has any.
//!
//! Which faces a point sees is decided exactly: by the f64 plane where its error bound allows, else by Shewchuk's
//! adaptive predicate. Strictly seen faces then form a disc with a simple rim even among coplanar and collinear points,
//! no new triangle is degenerate, and a point outside that saw a removed face sees one of the cone. So the triangles
//! are always a closed convex surface that holds all points, exactly, and each step adds a vertex, which ends it.
//! O(n log n) expected.
//!
//! Barber, Dobkin, Huhdanpaa 1996, 10.1145/235815.235821; Shewchuk 1997, 10.1007/PL00009321. Departs from the former
//! by exact signs: it merges facets on the way to cope with rounding, here that is left to the end (merge.rs).

use super::super::FlatExtent;
use super::cloud::first_tetrahedron;
use glam::DVec3;
use robust::{Coord3D, orient3d};
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// A closed convex surface of triangles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Triangulation {
    /// The corners of each triangle, counter-clockwise from outside, as indices of points.
    pub(super) corners: Vec<[u32; 3]>,
    /// The triangle across the edge from corner `i` to corner `i + 1`.
    pub(super) neighbours: Vec<[u32; 3]>,
    /// The plane of each triangle.
    pub(super) planes: Vec<Plane>,
}

impl Triangulation {
    /// The third corner of the triangle beyond an edge.
    pub(super) fn across(&self, triangle: usize, edge: usize) -> u32 {
        let corners = self.corners[self.neighbours[triangle][edge] as usize];
        let [from, to] = [self.corners[triangle][edge], self.corners[triangle][(edge + 1) % 3]];
        corners.into_iter().find(|&corner| corner != from && corner != to).unwrap_or(from)
    }

    /// Whether this is the only way to triangulate the hull: no two neighbours are exactly coplanar.
    pub(super) fn is_unique(&self, points: &[DVec3]) -> bool {
        (0..self.corners.len()).all(|triangle| {
            let plane = &self.planes[triangle];
            let [a, b, c] = self.corners[triangle].map(|corner| points[corner as usize]);
            (0..3).all(|edge| {
                let far = points[self.across(triangle, edge) as usize];
                plane.height(far) < -plane.doubt || is_above(c, b, a, far)
            })
        })
    }
}

/// The points above a plane have positive height. The normal is as long as twice the area of the triangle, and so are
/// heights: nothing here needs true ones, and roots are slow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    /// The sign is wrong for no height above this, and for none of its negative or below.
    doubt: f64,
}

impl Plane {
    fn through(a: DVec3, b: DVec3, c: DVec3) -> Self {
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let permanent = permanent(u, v);
        let error = PLANE_ERROR * permanent.element_sum();
        // Across an axis the height is one product less another with the same factor. Coordinates that differ do so by
        // 2⁻²⁴ of their size, so the products differ as well, and the sign is right if that of the factor is.
        let is_across_axis = permanent.cmpeq(DVec3::ZERO).bitmask().count_ones() >= 2;
        let doubt = if is_across_axis && normal.abs().max_element() > error { 0.0 } else { error };
        Self { normal, offset: normal.dot(a), doubt }
    }

    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// The components of the cross product with all terms positive: its rounding errors are relative to this.
fn permanent(u: DVec3, v: DVec3) -> DVec3 {
    let (u, v) = (u.abs(), v.abs());
    DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x)
}

/// The hull of points with coordinates in [-1, 1].
pub(super) fn triangulate(points: &[DVec3]) -> Result<Triangulation, FlatExtent> {
    let mut hull = Hull::new(points, first_tetrahedron(points)?);
    while let Some(face) = hull.unfinished.pop() {
        let Face { farthest, first_outside, .. } = hull.faces[face as usize];
        if first_outside != NONE {
            hull.look_from(farthest, face);
            hull.replace_seen_by_cone(farthest);
        }
    }
    Ok(hull.into_triangulation())
}

/// Up to `budget` points, at least four, whose hull is near that of all: always the point farthest from the hull of those
/// before it is next. Distances are measured after `scale` is taken back.
pub(super) fn farthest_first(points: &[DVec3], budget: usize, scale: DVec3) -> Result<Vec<u32>, FlatExtent> {
    let first = first_tetrahedron(points)?;
    let mut hull = Hull::new(points, first);
    let mut chosen = first.to_vec();
    let mut by_distance = BinaryHeap::new();
    while chosen.len() < budget {
        for face in hull.unfinished.drain(..) {
            let Face { farthest, farthest_height, plane, .. } = hull.faces[face as usize];
            let distance = farthest_height / (plane.normal * scale).length();
            // The bits of numbers that are not negative are in the order of the numbers.
            by_distance.push((distance.max(0.0).to_bits(), farthest, face));
        }
        let Some((_, farthest, face)) = by_distance.pop() else { break };
        let Face { farthest: still, first_outside, .. } = hull.faces[face as usize];
        if first_outside != NONE && still == farthest {
            hull.look_from(farthest, face);
            hull.replace_seen_by_cone(farthest);
            chosen.push(farthest);
        }
    }
    Ok(chosen)
}

#[derive(Debug, Clone, Copy)]
struct Face {
    corners: [u32; 3],
    neighbours: [u32; 3],
    plane: Plane,
    /// The points handed to this face are a list linked by `Hull::next`; this is its first.
    first_outside: u32,
    farthest: u32,
    farthest_height: f64,
    /// When the face was last looked at, and whether it was seen then: see `Hull::look`.
    mark: u32,
}

impl Face {
    fn is_removed(&self) -> bool {
        self.corners[0] == NONE
    }
}

struct Hull<'a> {
    points: &'a [DVec3],
    faces: Vec<Face>,
    free: Vec<u32>,
    /// Faces that may have points outside. The last one comes first: its surroundings are still in the cache.
    unfinished: Vec<u32>,
    next: Vec<u32>,
    /// Counts the points looked from, in steps of two.
    look: u32,
    seen: Vec<u32>,
    rim: Vec<RimEdge>,
    orphans: Vec<u32>,
    cone: Vec<u32>,
    cone_planes: Vec<Plane>,
    /// For a vertex on the rim, the new face whose rim edge starts there.
    cone_from: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct RimEdge {
    from: u32,
    to: u32,
    beyond: u32,
}

impl<'a> Hull<'a> {
    fn new(points: &'a [DVec3], [a, b, c, d]: [u32; 4]) -> Self {
        let mut hull = Self {
            points,
            faces: Vec::new(),
            free: Vec::new(),
            unfinished: Vec::new(),
            next: vec![NONE; points.len()],
            look: 0,
            seen: Vec::new(),
            rim: Vec::new(),
            orphans: Vec::new(),
            cone: Vec::new(),
            cone_planes: Vec::new(),
            cone_from: vec![NONE; points.len()],
        };
        for (corners, neighbours) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            let face = hull.add_face(corners, neighbours);
            hull.cone.push(face);
        }
        hull.orphans.extend((0..points.len() as u32).filter(|&point| ![a, b, c, d].contains(&point)));
        hull.hand_out_orphans();
        hull
    }

    /// Fills `seen` with the faces that `point` sees, of which `face` is one, and `rim` with the edges around them.
    fn look_from(&mut self, point: u32, face: u32) {
        self.look = self.look.wrapping_add(2);
        let (hidden, seen) = (self.look, self.look + 1);
        self.seen.clear();
        self.rim.clear();
        self.faces[face as usize].mark = seen;
        self.seen.push(face);
        let mut done = 0;
        while done < self.seen.len() {
            let Face { corners, neighbours, .. } = self.faces[self.seen[done] as usize];
            done += 1;
            for edge in 0..3 {
                let beyond = neighbours[edge];
                let mark = self.faces[beyond as usize].mark;
                if mark == seen {
                    continue;
                }
                if mark != hidden && self.sees(point, beyond) {
                    self.faces[beyond as usize].mark = seen;
                    self.seen.push(beyond);
                } else {
                    self.faces[beyond as usize].mark = hidden;
                    self.rim.push(RimEdge { from: corners[edge], to: corners[(edge + 1) % 3], beyond });
                }
            }
        }
    }

    fn replace_seen_by_cone(&mut self, apex: u32) {
        self.orphans.clear();
        for index in 0..self.seen.len() {
            let removed = &mut self.faces[self.seen[index] as usize];
            removed.corners[0] = NONE;
            let mut point = std::mem::replace(&mut removed.first_outside, NONE);
            while point != NONE {
                if point != apex {
                    self.orphans.push(point);
                }
                point = self.next[point as usize];
            }
        }
        self.free.append(&mut self.seen);
        self.cone.clear();
        for index in 0..self.rim.len() {
            let RimEdge { from, to, beyond } = self.rim[index];
            let face = self.add_face([from, to, apex], [beyond, NONE, NONE]);
            let across = &mut self.faces[beyond as usize];
            // The face beyond runs along the edge the other way, so the edge starts at `to` there.
            let edge = across.corners.iter().position(|&corner| corner == to).unwrap_or(0);
            across.neighbours[edge] = face;
            self.cone_from[from as usize] = face;
            self.cone.push(face);
        }
        for index in 0..self.cone.len() {
            let face = self.cone[index];
            let next = self.cone_from[self.rim[index].to as usize];
            self.faces[face as usize].neighbours[1] = next;
            self.faces[next as usize].neighbours[2] = face;
        }
        self.hand_out_orphans();
    }

    /// Gives each orphan to a face of the cone that sees it; those that see none are inside for good.
    fn hand_out_orphans(&mut self) {
        if self.orphans.is_empty() {
            return;
        }
        self.cone_planes.clear();
        self.cone_planes.extend(self.cone.iter().map(|&face| self.faces[face as usize].plane));
        for &point in &self.orphans {
            let position = self.points[point as usize];
            let mut is_doubtful = false;
            let mut found = None;
            for (index, plane) in self.cone_planes.iter().enumerate() {
                let height = plane.height(position);
                if height > plane.doubt {
                    found = Some((index, height));
                    break;
                }
                is_doubtful |= height > -plane.doubt;
            }
            if is_doubtful && found.is_none() {
                let position = self.points[point as usize];
                let sees = |(plane, &face): (&Plane, &u32)| {
                    plane.height(position) > -plane.doubt && self.is_above_face(position, face)
                };
                let index = self.cone_planes.iter().zip(&self.cone).position(sees);
                found = index.map(|index| (index, self.cone_planes[index].height(position)));
            }
            if let Some((index, height)) = found {
                let face = &mut self.faces[self.cone[index] as usize];
                self.next[point as usize] = face.first_outside;
                face.first_outside = point;
                if height > face.farthest_height {
                    face.farthest = point;
                    face.farthest_height = height;
                }
            }
        }
        let faces = &self.faces;
        self.unfinished.extend(self.cone.iter().copied().filter(|&face| faces[face as usize].first_outside != NONE));
    }

    /// Whether `point` is strictly above the plane of `face`, exactly.
    fn sees(&self, point: u32, number: u32) -> bool {
        let face = &self.faces[number as usize];
        let position = self.points[point as usize];
        let height = face.plane.height(position);
        if height > face.plane.doubt || height <= -face.plane.doubt {
            return height > 0.0;
        }
        self.is_above_face(position, number)
    }

    #[cold]
    fn is_above_face(&self, position: DVec3, face: u32) -> bool {
        let [a, b, c] = self.faces[face as usize].corners.map(|corner| self.points[corner as usize]);
        is_above(a, b, c, position)
    }

    fn add_face(&mut self, corners: [u32; 3], neighbours: [u32; 3]) -> u32 {
        // From the lowest corner on, so that its rounding does not depend on how the hull was built.
        let [a, b, c] = rotated(corners, lowest(corners)).map(|corner| self.points[corner as usize]);
        let face = Face {
            corners,
            neighbours,
            plane: Plane::through(a, b, c),
            first_outside: NONE,
            farthest: NONE,
            farthest_height: f64::NEG_INFINITY,
            mark: self.look,
        };
        if let Some(slot) = self.free.pop() {
            self.faces[slot as usize] = face;
            slot
        } else {
            self.faces.push(face);
            (self.faces.len() - 1) as u32
        }
    }

    fn into_triangulation(self) -> Triangulation {
        let mut number = 0;
        let numbers: Vec<u32> = self
            .faces
            .iter()
            .map(|face| {
                number += u32::from(!face.is_removed());
                number.wrapping_sub(1)
            })
            .collect();
        let kept = || self.faces.iter().filter(|face| !face.is_removed());
        Triangulation {
            corners: kept().map(|face| rotated(face.corners, lowest(face.corners))).collect(),
            neighbours: kept()
                .map(|face| rotated(face.neighbours, lowest(face.corners)).map(|face| numbers[face as usize]))
                .collect(),
            planes: kept().map(|face| face.plane).collect(),
        }
    }
}

/// The three, starting with number `first`.
fn rotated([a, b, c]: [u32; 3], first: usize) -> [u32; 3] {
    match first {
        0 => [a, b, c],
        1 => [b, c, a],
        _ => [c, a, b],
    }
}

/// Which of the corners has the lowest number.
fn lowest([a, b, c]: [u32; 3]) -> usize {
    if a < b && a < c {
        0
    } else if b < c {
        1
    } else {
        2
    }
}

/// A bound on the error of [`Plane::height`], relative to the cross product's permanent. With unit roundoff u: 4u for
/// each component of the cross product and 2u for its scaling, over a distance of at most 2 along each axis, is 12u; 3u
/// each for the products with the point and with the corner; 2u for their difference. That is 20u.
const PLANE_ERROR: f64 = 24.0 * (f64::EPSILON / 2.0);

/// Whether `point` is strictly above the plane through a, b, c (which run counter-clockwise seen from above), exactly.
pub(super) fn is_above(a: DVec3, b: DVec3, c: DVec3, point: DVec3) -> bool {
    // Quick for what the predicate is slow for: if every term is zero, as on faces across an axis, so is the sum.
    if permanent(b - a, c - a).dot((point - a).abs()) == 0.0 {
        return false;
    }
    let coordinates = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // The predicate is positive for points below.
    orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(point)) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Exactly: the triangles close, and no point is above any of them.
    fn assert_is_hull(points: &[DVec3], what: &str) {
        let hull = triangulate(points).unwrap_or_else(|extent| panic!("{what}: the points {extent}"));
        let edges: BTreeSet<[u32; 2]> = hull.corners.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        assert_eq!(edges.len(), 3 * hull.corners.len(), "{what}: an edge is used twice");
        assert!(edges.iter().all(|&[a, b]| edges.contains(&[b, a])), "{what}: not closed");
        let vertices: BTreeSet<u32> = hull.corners.iter().flatten().copied().collect();
        assert_eq!(hull.corners.len(), 2 * vertices.len() - 4, "{what}: not a sphere");
        for (triangle, &corners) in hull.corners.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| points[corner as usize]);
            assert!(points.iter().all(|&point| !is_above(a, b, c, point)), "{what}: a point is outside");
            for edge in 0..3 {
                let [from, to] = [corners[edge], corners[(edge + 1) % 3]];
                let beyond = hull.corners[hull.neighbours[triangle][edge] as usize];
                assert!(beyond.contains(&from) && beyond.contains(&to), "{what}: neighbours are wrong");
            }
        }
    }

    #[test]
    fn every_point_is_inside_or_on_the_hull_exactly() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let count = rng.usize(20..300);
            let mut coordinate = |steps: f64| match steps {
                0.0 => rng.f32() as f64 * 2.0 - 1.0,
                _ => (rng.f64() * 2.0 * steps).round() / steps - 1.0,
            };
            for steps in [0.0, 2.0, 4.0, 32.0] {
                let cube: Vec<DVec3> =
                    (0..count).map(|_| DVec3::new(coordinate(steps), coordinate(steps), coordinate(steps))).collect();
                assert_is_hull(&cube, &format!("cube in steps of 1/{steps}, seed {seed}"));
                // All on one sphere up to rounding, and on a sheared plane grid pushed out by a bump of one rounding.
                let sphere: Vec<DVec3> =
                    cube.iter().map(|p| p.as_vec3().normalize_or(glam::Vec3::X).as_dvec3()).collect();
                if steps != 2.0 {
                    assert_is_hull(&sphere, &format!("sphere in steps of 1/{steps}, seed {seed}"));
                }
                let tilted: Vec<DVec3> =
                    cube.iter().map(|p| (p.as_vec3() * glam::Vec3::new(0.3, 0.7, 0.1)).as_dvec3()).collect();
                assert_is_hull(&tilted, &format!("stretched, steps of 1/{steps}, seed {seed}"));
            }
        }
    }
}
