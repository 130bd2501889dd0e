//! Convex polytopes, sharp or rounded: exact moments by Steiner's decomposition.
//!
//! The points within `r` of a polytope are the polytope, a prism on each face, a sector of a cylinder on each edge
//! (from one face's normal to the other's) and a sector of a ball at each vertex (over the cone of normals there).
//! The first three have textbook moments. A vertex's cone of normals has a solid angle of 2π less the angles of its
//! faces, and is bounded by an arc per edge that lies in the plane across the edge; by the divergence theorem over
//! the sector, the integral of n over the cone is a sum over those arcs. The integrals of nnᵀ are needed only in sum,
//! which is that of the whole sphere. So every edge adds its own terms to the two vertices at its ends, nothing has to
//! be sorted around a vertex, and faces that are nearly in one plane do no harm: no quotient has a small divisor.
//! Linear in the number of edges; exact up to f64 rounding.
//! Source: J. Steiner 1840 (parallel bodies); the sums over arcs are derived here.

use super::moments::{Moments, outer};
use super::wide::Wide;
use crate::shape::hull::{HullEdge, doubled_area};
use crate::shape::{ConvexHull, Rounded, Triangle};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::TAU;

/// A convex polytope by parts; a polygon counts as one with two faces, which enclose nothing.
struct Polytope<'a> {
    vertices: &'a [DVec3],
    faces: &'a [&'a [u32]],
    edges: &'a [HullEdge],
}

/// A hull, at density 1. None if it has no volume that f64 can tell from zero.
pub(super) fn hull(hull: &Rounded<impl AsRef<ConvexHull>>) -> Option<Wide> {
    let core = hull.core().as_ref();
    let faces: Vec<&[u32]> = (0..core.face_count()).map(|face| core.face_corners(face)).collect();
    properties(core.vertices(), &faces, core.edges(), hull.radius())
}

/// A rounded triangle, at density 1. None if the radius is zero.
pub(super) fn triangle(triangle: &Rounded<Triangle>) -> Option<Wide> {
    let edges = [[0, 1], [1, 2], [2, 0]].map(|vertices| HullEdge { vertices, faces: [0, 1] });
    properties(&triangle.core().corners(), &[&[0, 1, 2], &[0, 2, 1]], &edges, triangle.radius())
}

fn properties(vertices: &[Vec3], faces: &[&[u32]], edges: &[HullEdge], radius: f32) -> Option<Wide> {
    // About the middle of the vertices, for digits' sake: the shape may be far from its own origin.
    let origin = vertices.iter().map(|vertex| vertex.as_dvec3()).sum::<DVec3>() / vertices.len() as f64;
    let vertices: Vec<DVec3> = vertices.iter().map(|vertex| vertex.as_dvec3() - origin).collect();
    let polytope = Polytope { vertices: &vertices, faces, edges };
    let mut moments = Moments::new();
    polytope.add_core(&mut moments);
    if radius > 0.0 {
        polytope.add_rounding(f64::from(radius), &mut moments);
    }
    (!moments.is_flat()).then(|| moments.around(origin))
}

impl Polytope<'_> {
    fn vertex(&self, index: u32) -> DVec3 {
        self.vertices[index as usize]
    }

    /// The triangles of a face, as a fan around its first corner.
    fn fan(&self, face: &[u32]) -> impl Iterator<Item = [DVec3; 3]> {
        let first = self.vertex(face[0]);
        face.windows(2).skip(1).map(move |pair| [first, self.vertex(pair[0]), self.vertex(pair[1])])
    }

    fn add_core(&self, moments: &mut Moments) {
        for triangle in self.faces.iter().flat_map(|face| self.fan(face)) {
            moments.add_tetrahedron(triangle);
        }
    }

    fn add_rounding(&self, radius: f64, moments: &mut Moments) {
        let normals: Vec<DVec3> = self.faces.iter().map(|face| self.normal(face)).collect();
        let mut cones = vec![NormalCone::new(); self.vertices.len()];
        for (face, normal) in self.faces.iter().zip(&normals) {
            self.add_prisms(face, *normal, radius, moments);
            self.subtract_angles(face, &mut cones);
        }
        for edge in self.edges {
            let along = self.vertex(edge.vertices[1]) - self.vertex(edge.vertices[0]);
            let arc = Arc::between(along.normalize_or_zero(), edge.faces.map(|face| normals[face as usize]));
            arc.add_cylinder_sector(self.vertex(edge.vertices[0]), along, radius, moments);
            cones[edge.vertices[0] as usize].add_arc(&arc, -arc.axis);
            cones[edge.vertices[1] as usize].add_arc(&arc, arc.axis);
        }
        for (vertex, cone) in self.vertices.iter().zip(&cones) {
            cone.add_ball_sector(*vertex, radius, moments);
        }
    }

    /// The unit normal of a face from all its corners, which f32 rounding has moved off their plane.
    fn normal(&self, face: &[u32]) -> DVec3 {
        doubled_area(face.iter().map(|&corner| self.vertex(corner))).normalize_or_zero()
    }

    fn add_prisms(&self, face: &[u32], normal: DVec3, height: f64, moments: &mut Moments) {
        for [a, b, c] in self.fan(face) {
            let area = 0.5 * (b - a).cross(c - a).dot(normal);
            let middle = (a + b + c) / 3.0;
            let [u, v, w] = [a - middle, b - middle, c - middle];
            let flat = (outer(u, u) + outer(v, v) + outer(w, w)) * (area / 12.0);
            let spread = flat * height + outer(normal, normal) * (area * height * height * height / 12.0);
            moments.add_centered(area * height, middle + normal * (0.5 * height), spread);
        }
    }

    /// Takes the angle of each corner of a face off the solid angle of the cone there.
    fn subtract_angles(&self, face: &[u32], cones: &mut [NormalCone]) {
        let count = face.len();
        for corner in 0..count {
            let here = self.vertex(face[corner]);
            let to_next = self.vertex(face[(corner + 1) % count]) - here;
            let to_last = self.vertex(face[(corner + count - 1) % count]) - here;
            let angle = libm::atan2(to_next.cross(to_last).length(), to_next.dot(to_last));
            cones[face[corner] as usize].solid_angle -= angle;
        }
    }
}

/// The unit vectors between the normals of two faces that meet at an edge.
struct Arc {
    /// Along the edge, counter-clockwise around the first face.
    axis: DVec3,
    /// From one normal to the other.
    angle: f64,
    /// The sine of that.
    sine: f64,
    /// The integral of the unit vectors over the arc: the bisector times 2 sin(angle / 2).
    integral: DVec3,
}

impl Arc {
    fn between(axis: DVec3, [first, second]: [DVec3; 2]) -> Self {
        // The cross product along the axis stays well defined where the two normals are opposite.
        let integral = axis.cross(first - second);
        let sine = axis.dot(first.cross(second)).max(0.0);
        Self { axis, angle: libm::atan2(sine, first.dot(second)), sine, integral }
    }

    /// The sector of a cylinder swept from `start` by `along`.
    fn add_cylinder_sector(&self, start: DVec3, along: DVec3, radius: f64, moments: &mut Moments) {
        let length = along.length();
        let bisector = self.integral.normalize_or_zero();
        let side = self.axis.cross(bisector);
        let middle = start + 0.5 * along;
        let area = 0.5 * radius * radius * self.angle;
        let first = self.integral * (radius * radius * radius / 3.0);
        // ∫cos² and ∫sin² over the arc, measured from the bisector.
        let (half, sine) = (0.5 * self.angle, 0.5 * self.sine);
        let quartic = radius * radius * radius * radius / 4.0;
        let flat = (outer(bisector, bisector) * (half + sine) + outer(side, side) * (half - sine)) * quartic;
        let about_middle = flat * length + outer(along, along) * (area * length / 12.0);
        let volume = area * length;
        let lever = outer(middle, first * length);
        let second = about_middle + lever + lever.transpose() + outer(middle, middle) * volume;
        moments.add(volume, middle * volume + first * length, second);
    }
}

/// Integrals over the outward normals at a vertex, the ends of which fill a spherical polygon.
#[derive(Clone)]
struct NormalCone {
    /// ∫1
    solid_angle: f64,
    /// ∫n
    first: DVec3,
}

impl NormalCone {
    /// The cone of a vertex whose faces and edges are yet to come.
    fn new() -> Self {
        Self { solid_angle: TAU, first: DVec3::ZERO }
    }

    /// Adds a side of the cone. `inward` is the side's normal towards the inside of the cone.
    ///
    /// The sector of the unit ball over the cone has the cone's spherical polygon and, per arc, a plane sector for its
    /// surface. The integral of the outward normal over all of a closed surface is zero, so ∫n = Σ ½ angle · inward.
    fn add_arc(&mut self, arc: &Arc, inward: DVec3) {
        self.first += inward * (0.5 * arc.angle);
    }

    fn add_ball_sector(&self, vertex: DVec3, radius: f64, moments: &mut Moments) {
        let cubed = radius * radius * radius;
        let volume = self.solid_angle * cubed / 3.0;
        let first = self.first * (cubed * radius / 4.0);
        // ∫nnᵀ as if the cone were the same in all directions: over all vertices together that is so.
        let normals = DMat3::from_diagonal(DVec3::splat(self.solid_angle / 3.0));
        let lever = outer(vertex, first);
        let about_vertex = normals * (cubed * radius * radius / 5.0);
        let second = about_vertex + lever + lever.transpose() + outer(vertex, vertex) * volume;
        moments.add(volume, vertex * volume + first, second);
    }
}
