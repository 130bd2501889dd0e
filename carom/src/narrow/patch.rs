//! The part of a shape's surface that looks along a direction: a flat face, a straight line or a point.
//!
//! Always one that has the farthest point along the direction among its corners (of round rims: nearly), so that the
//! deepest point of a contact is not lost. Curved caps are polygons of [`RIM`] corners that stay with the shape.

use super::Feature;
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::shape::ConvexHull;
use glam::DVec3;
use std::f64::consts::TAU;

/// The most corners a patch has; of faces with more, evenly chosen ones are taken.
pub(super) const MOST_CORNERS: usize = 8;
/// The corners of a round cap.
const RIM: usize = 8;

/// A corner of a patch, and the edge from it to the next.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Corner {
    pub(super) place: DVec3,
    pub(super) vertex: Feature,
    pub(super) edge: Feature,
}

/// A polygon, counter-clockwise seen from outside, or a segment, or a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    corners: [Corner; MOST_CORNERS],
    count: usize,
    /// The outward unit normal; zero unless it is a polygon.
    pub(super) normal: DVec3,
    pub(super) feature: Feature,
}

impl Patch {
    fn empty(normal: DVec3, feature: Feature) -> Self {
        Self { corners: [Corner::default(); MOST_CORNERS], count: 0, normal, feature }
    }

    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    pub(super) fn point(place: DVec3, vertex: Feature) -> Self {
        let mut patch = Self::empty(DVec3::ZERO, vertex);
        patch.push(Corner { place, vertex, edge: vertex });
        patch
    }

    pub(super) fn segment(ends: [DVec3; 2], vertices: [Feature; 2], edge: Feature) -> Self {
        let mut patch = Self::empty(DVec3::ZERO, edge);
        for (place, vertex) in ends.into_iter().zip(vertices) {
            patch.push(Corner { place, vertex, edge });
        }
        patch
    }

    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// How far a corner is from the first at the most.
    pub(super) fn size(&self) -> f64 {
        let first = self.corners[0].place;
        self.corners().iter().map(|corner| corner.place.distance_squared(first)).fold(0.0, f64::max).sqrt()
    }

    /// Into the frame in which the shape stands at `placement`; in place, for a patch is large.
    #[inline]
    pub(super) fn place(&mut self, placement: &Placement) {
        for corner in &mut self.corners[..self.count] {
            corner.place = placement.point_to_outer(corner.place);
        }
        self.normal = placement.direction_to_outer(self.normal);
    }
}

/// The patch of the core that looks along `direction`, of unit length.
pub(super) fn along(convex: &Convex<'_>, direction: DVec3) -> Result<Patch, SupportFault> {
    Ok(match convex.core {
        Core::Point => Patch::point(DVec3::ZERO, Feature::vertex(0)),
        Core::Segment(ends) => of_segment(ends),
        Core::Triangle(corners) => of_triangle(corners, direction),
        Core::Cuboid(half) => {
            let axis = largest_axis(direction.abs());
            of_cuboid_face(half, axis, direction[axis] >= 0.0)
        }
        Core::Hull(hull) => of_hull_face(hull, hull_face_along(hull, direction)),
        Core::Cylinder { half_height, radius } => {
            if direction.y.abs() * std::f64::consts::SQRT_2 >= 1.0 {
                cap(if direction.y < 0.0 { -half_height } else { half_height }, radius)
            } else {
                let rim = DVec3::new(direction.x, 0.0, direction.z).normalize_or(DVec3::X) * radius;
                side([rim - DVec3::Y * half_height, rim + DVec3::Y * half_height])
            }
        }
        Core::Cone { half_height, radius } => {
            let across = direction.x.hypot(direction.z);
            // The side's normal is (2h, r) in this plane; its line is nearer to the direction than the base is where
            // the direction looks more along it.
            let side_normal = DVec3::new(2.0 * half_height, radius, 0.0).normalize_or(DVec3::X);
            if -direction.y >= side_normal.x * across + side_normal.y * direction.y {
                cap(-half_height, radius)
            } else {
                let rim = DVec3::new(direction.x, 0.0, direction.z).normalize_or(DVec3::X) * radius;
                side([rim - DVec3::Y * half_height, DVec3::Y * half_height])
            }
        }
        Core::Ellipsoid(_) => Patch::point(convex.core.support(direction)?, Feature::SURFACE),
        Core::Custom(_) => felt(&convex.core, direction)?,
    })
}

/// The edge at the farthest point along `direction` that is most across it; none of curved surfaces and points.
pub(super) fn edge_along(convex: &Convex<'_>, direction: DVec3) -> Option<Patch> {
    match convex.core {
        Core::Segment(ends) => Some(of_segment(ends)),
        Core::Triangle(corners) => {
            let patch = of_triangle(corners, direction);
            let height = |index: usize| patch.corners()[index % 3].place.dot(direction);
            // Of the three edges, the one that reaches farthest on the whole.
            let best = (1..3).fold(0, |best, index| {
                let sum = |index: usize| height(index) + height(index + 1);
                if sum(index) > sum(best) { index } else { best }
            });
            let [from, to] = [patch.corners()[best], patch.corners()[(best + 1) % 3]];
            Some(Patch::segment([from.place, to.place], [from.vertex, to.vertex], from.edge))
        }
        Core::Cuboid(half) => {
            let size = direction.abs();
            let axis = if size.x <= size.y && size.x <= size.z {
                0
            } else if size.y <= size.z {
                1
            } else {
                2
            };
            Some(of_cuboid_edge(half, axis, direction))
        }
        Core::Hull(hull) => {
            let vertex = hull.support_vertex(direction.as_vec3(), u32::MAX);
            hull_edge_at(hull, vertex, direction).map(|edge| of_hull_edge(hull, edge))
        }
        Core::Cylinder { half_height, .. } | Core::Cone { half_height, .. } if half_height > 0.0 => {
            along(convex, direction).ok().filter(|patch| patch.count == 2)
        }
        Core::Point | Core::Cylinder { .. } | Core::Cone { .. } | Core::Ellipsoid(_) | Core::Custom(_) => None,
    }
}

fn of_segment(ends: [DVec3; 2]) -> Patch {
    Patch::segment(ends, [Feature::vertex(0), Feature::vertex(1)], Feature::edge(0))
}

fn of_triangle(corners: [DVec3; 3], direction: DVec3) -> Patch {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
    let is_front = normal.dot(direction) >= 0.0;
    // Edge i runs from corner i to the next; from behind it is met the other way round.
    let order = if is_front { [(0, 0), (1, 1), (2, 2)] } else { [(0, 2), (2, 1), (1, 0)] };
    let mut patch = Patch::empty(if is_front { normal } else { -normal }, Feature::face(u32::from(!is_front)));
    for (corner, edge) in order {
        let place = corners[corner as usize];
        patch.push(Corner { place, vertex: Feature::vertex(corner), edge: Feature::edge(edge) });
    }
    patch
}

pub(super) fn largest_axis(size: DVec3) -> usize {
    if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    }
}

/// The face of a box across `axis`, on the positive side or not.
pub(super) fn of_cuboid_face(half: DVec3, axis: usize, is_positive: bool) -> Patch {
    let (u, v) = ([1, 2, 0][axis], [2, 0, 1][axis]);
    let (sign, side) = if is_positive { (1.0, 1) } else { (-1.0, 0) };
    let mut patch = Patch::empty(DVec3::AXES[axis] * sign, Feature::face(2 * axis as u32 + side));
    let middle = DVec3::AXES[axis] * (sign * half[axis]);
    let (along_u, along_v) = (DVec3::AXES[u] * half[u], DVec3::AXES[v] * half[v]);
    // Where each corner is along u and v, and whether the edge to the next is along u.
    const FRONT: [(u32, u32, bool); 4] = [(1, 1, true), (0, 1, false), (0, 0, true), (1, 0, false)];
    const BACK: [(u32, u32, bool); 4] = [(1, 1, false), (1, 0, true), (0, 0, false), (0, 1, true)];
    let order = if is_positive { &FRONT } else { &BACK };
    for (place, &(at_u, at_v, is_along_u)) in patch.corners.iter_mut().zip(order) {
        let edge = if is_along_u { cuboid_edge(u, at_v, side) } else { cuboid_edge(v, side, at_u) };
        *place = Corner {
            place: middle + if at_u == 1 { along_u } else { -along_u } + if at_v == 1 { along_v } else { -along_v },
            vertex: cuboid_vertex(axis, side, at_u, at_v),
            edge,
        };
    }
    patch.count = 4;
    patch
}

/// The edge of a box along `axis` that is farthest along `direction`.
pub(super) fn of_cuboid_edge(half: DVec3, axis: usize, direction: DVec3) -> Patch {
    let is_positive: [bool; 3] = std::array::from_fn(|k| direction[k] >= 0.0);
    let corner = |end: bool| {
        let mut bits = is_positive;
        bits[axis] = end;
        let place = DVec3::from_array(std::array::from_fn(|k| if bits[k] { half[k] } else { -half[k] }));
        (place, Feature::vertex(bits.iter().enumerate().fold(0, |index, (k, &bit)| index | u32::from(bit) << k)))
    };
    let (u, v) = ([1, 2, 0][axis], [2, 0, 1][axis]);
    let (from, to) = (corner(false), corner(true));
    let edge = cuboid_edge(axis, u32::from(is_positive[u]), u32::from(is_positive[v]));
    Patch::segment([from.0, to.0], [from.1, to.1], edge)
}

/// The name of the corner on the positive (1) or negative (0) sides of `axis`, the next one and the one after it.
pub(super) fn cuboid_vertex(axis: usize, side: u32, side_of_next: u32, side_of_last: u32) -> Feature {
    Feature::vertex(side << axis | side_of_next << [1, 2, 0][axis] | side_of_last << [2, 0, 1][axis])
}

/// The name of the edge along `axis` on the positive (1) or negative (0) sides of the next axis and the one after it.
pub(super) fn cuboid_edge(axis: usize, side_of_next: u32, side_of_last: u32) -> Feature {
    Feature::edge(4 * axis as u32 + side_of_next + 2 * side_of_last)
}

/// The face that looks most along `direction` among those at the farthest vertex.
fn hull_face_along(hull: &ConvexHull, direction: DVec3) -> u32 {
    hull_face_at(hull, hull.support_vertex(direction.as_vec3(), u32::MAX), direction)
}

/// The face at a vertex that looks most along `direction`.
pub(super) fn hull_face_at(hull: &ConvexHull, vertex: u32, direction: DVec3) -> u32 {
    let direction = direction.as_vec3();
    let mut best = (0, f32::NEG_INFINITY);
    for &edge in hull.edges_at(vertex) {
        // Each face at the vertex has one edge that leads away from it.
        let edge = hull.edges()[edge as usize];
        let face = edge.faces[usize::from(edge.vertices[0] != vertex)];
        let along = hull.planes()[face as usize].normal.dot(direction);
        if along > best.1 || along == best.1 && face < best.0 {
            best = (face, along);
        }
    }
    best.0
}

/// The face of an edge that looks more along `direction`.
pub(super) fn hull_face_beside(hull: &ConvexHull, edge: u32, direction: DVec3) -> u32 {
    let [one, other] = hull.edges()[edge as usize].faces;
    let along = |face: u32| hull.planes()[face as usize].normal.dot(direction.as_vec3());
    if along(other) > along(one) { other } else { one }
}

/// The edge at a vertex, the farthest along `direction`, that is most across it.
pub(super) fn hull_edge_at(hull: &ConvexHull, vertex: u32, direction: DVec3) -> Option<u32> {
    let place = |vertex: u32| hull.vertices()[vertex as usize].as_dvec3();
    let from = place(vertex);
    let mut best = None;
    let mut least = f64::INFINITY;
    for (&neighbour, &edge) in hull.neighbours(vertex as usize).iter().zip(hull.edges_at(vertex)) {
        let along = from - place(neighbour);
        let fall = along.dot(direction) / along.length();
        if fall < least {
            (best, least) = (Some(edge), fall);
        }
    }
    best
}

/// The outward unit normal of a face, and how far its outermost corner is along it.
pub(super) fn hull_face_plane(hull: &ConvexHull, face: u32) -> (DVec3, f64) {
    let normal = hull_face_normal(hull, face);
    let corners = hull.face_corners(face as usize).iter().take(MOST_CORNERS);
    let heights = corners.map(|&corner| normal.dot(hull.vertices()[corner as usize].as_dvec3()));
    (normal, heights.fold(f64::NEG_INFINITY, f64::max))
}

/// The outward unit normal of a face.
pub(super) fn hull_face_normal(hull: &ConvexHull, face: u32) -> DVec3 {
    hull.planes()[face as usize].normal.as_dvec3().normalize_or(DVec3::Y)
}

pub(super) fn of_hull_face(hull: &ConvexHull, face: u32) -> Patch {
    let corners = hull.face_corners(face as usize);
    let edges = hull.face_edges(face);
    let mut patch = Patch::empty(hull_face_normal(hull, face), Feature::face(face));
    let count = corners.len().min(MOST_CORNERS);
    for index in 0..count {
        let at = index * corners.len() / count;
        patch.push(Corner {
            place: hull.vertices()[corners[at] as usize].as_dvec3(),
            vertex: Feature::vertex(corners[at]),
            edge: Feature::edge(edges[at]),
        });
    }
    patch
}

pub(super) fn of_hull_edge(hull: &ConvexHull, edge: u32) -> Patch {
    let [from, to] = hull.edges()[edge as usize].vertices;
    let ends = [from, to].map(|vertex| hull.vertices()[vertex as usize].as_dvec3());
    Patch::segment(ends, [Feature::vertex(from), Feature::vertex(to)], Feature::edge(edge))
}

/// A disc across the y axis.
fn cap(height: f64, radius: f64) -> Patch {
    let is_top = height > 0.0;
    let normal = if is_top { DVec3::Y } else { DVec3::NEG_Y };
    let number = u32::from(is_top);
    let mut patch = Patch::empty(normal, Feature::face(number));
    for index in 0..RIM {
        // From above, angles from z to x run counter-clockwise.
        let step = if is_top { index } else { RIM - index };
        let (sine, cosine) = libm::sincos(TAU * step as f64 / RIM as f64);
        let corner = (RIM as u32) * number + (step % RIM) as u32;
        patch.push(Corner {
            place: DVec3::new(radius * sine, height, radius * cosine),
            vertex: Feature::vertex(corner),
            edge: Feature::edge(number),
        });
    }
    patch
}

/// A straight line on the side of a cylinder or cone, from the bottom up.
fn side(ends: [DVec3; 2]) -> Patch {
    let number = 2 * RIM as u32;
    Patch::segment(ends, [Feature::vertex(number), Feature::vertex(number + 1)], Feature::edge(2))
}

/// The angle by which a direction is tilted to feel for a face.
const FEELER: f64 = 1e-3;
/// A patch that is smaller than this share of its distance from the origin is a point of a curved surface.
const FELT: f64 = 0.02;

/// The patch of a shape that is known by its supports only: the supports along directions tilted all round, as far as they
/// are in one plane across the direction.
fn felt(core: &Core<'_>, direction: DVec3) -> Result<Patch, SupportFault> {
    let (u, v) = direction.any_orthonormal_pair();
    // The pair is right-handed with the direction, so that the corners come counter-clockwise.
    let v = if u.cross(v).dot(direction) < 0.0 { -v } else { v };
    let farthest = core.support(direction)?;
    let mut patch = Patch::empty(direction, Feature::face(0));
    for index in 0..RIM {
        let (sine, cosine) = libm::sincos(TAU * index as f64 / RIM as f64);
        let place = core.support((direction + FEELER * (cosine * u + sine * v)).normalize())?;
        let is_new = patch.corners().last().is_none_or(|last| last.place != place)
            && (index + 1 < RIM || patch.corners().first().is_none_or(|first| first.place != place));
        if is_new && direction.dot(farthest - place) <= FEELER * farthest.distance(place) + 1e-6 * place.length() {
            let number = index as u32;
            patch.push(Corner { place, vertex: Feature::vertex(number), edge: Feature::edge(number) });
        }
    }
    if patch.count < 2 || patch.size() < FELT * farthest.length() {
        return Ok(Patch::point(farthest, Feature::SURFACE));
    }
    if let [from, to] = *patch.corners() {
        return Ok(Patch::segment([from.place, to.place], [from.vertex, to.vertex], from.edge));
    }
    Ok(patch)
}
