//! A hull with fewer vertices that still holds all of the hull it is made from.
//!
//! Seen from a point inside, a plane `n · x = d` is the point `n / d` of the dual space, and leaving planes out is
//! leaving points out there: the solid grows. Reducing the hull of the dual points to k of them by `ConvexHull::with_budget`
//! leaves k planes, which meet in 2k - 4 corners at the most. A second way is to keep some of the vertices and to grow
//! their hull from its middle until it holds the rest; it is the only one where a few planes do not close. The smaller
//! result is taken. Both are grown by what f32 rounding lets stick out.

use crate::shape::{ConvexHull, ShapeError};
use glam::{DVec3, Vec3};

/// A hull, and one around it within the budget of vertices.
pub(super) struct Reduced {
    pub(super) full: ConvexHull,
    outer: Option<ConvexHull>,
}

impl Reduced {
    pub(super) fn new(full: ConvexHull, max_vertices: usize) -> Result<Self, ShapeError> {
        let is_within = full.vertices().len() <= max_vertices;
        let outer = if is_within { None } else { Some(reduced(&full, max_vertices)?) };
        Ok(Self { full, outer })
    }

    pub(super) fn is_reduced(&self) -> bool {
        self.outer.is_some()
    }

    pub(super) fn outer(&self) -> &ConvexHull {
        self.outer.as_ref().unwrap_or(&self.full)
    }

    pub(super) fn into_outer(self) -> ConvexHull {
        self.outer.unwrap_or(self.full)
    }
}

fn reduced(hull: &ConvexHull, max_vertices: usize) -> Result<ConvexHull, ShapeError> {
    let (inner, _) = ConvexHull::with_budget(hull.vertices(), max_vertices)?;
    let grown = grown_around(inner.vertices(), hull)?;
    let fewer_planes = fewer_planes(hull, max_vertices)
        .and_then(|corners| grown_around(&corners, hull).ok())
        .filter(|outer| outer.vertices().len() <= max_vertices && volume(outer) < volume(&grown));
    Ok(fewer_planes.unwrap_or(grown))
}

/// The corners of a polytope made of some of the hull's planes; none if they do not close.
fn fewer_planes(hull: &ConvexHull, max_vertices: usize) -> Option<Vec<Vec3>> {
    let middle = middle(hull.vertices());
    // Brought to the same extent along all axes, so that thin hulls have a dual that is no thinner.
    let extent =
        hull.vertices().iter().fold(DVec3::ZERO, |extent, vertex| extent.max((vertex.as_dvec3() - middle).abs()));
    if extent.min_element() <= 0.0 {
        return None;
    }
    let dual = |face: usize| {
        let normal = hull.doubled_face_area(face);
        let corners = hull.face_corners(face).iter();
        let height = |&corner: &u32| normal.dot(hull.vertices()[corner as usize].as_dvec3() - middle);
        let highest = corners.map(height).fold(f64::NEG_INFINITY, f64::max);
        (normal * extent / highest).as_vec3()
    };
    let points: Vec<Vec3> = (0..hull.face_count()).map(dual).collect();
    let (reduced, _) = ConvexHull::with_budget(&points, max_vertices.div_ceil(2) + 2).ok()?;
    if reduced.planes().iter().any(|plane| plane.offset <= 0.0) || reduced.face_count() > max_vertices {
        return None;
    }
    let corner = |plane: &crate::shape::hull::FacePlane| {
        (plane.normal.as_dvec3() * extent / f64::from(plane.offset) + middle).as_vec3()
    };
    Some(reduced.planes().iter().map(corner).collect())
}

/// The hull of points, scaled up from its middle until it holds another hull.
fn grown_around(points: &[Vec3], hull: &ConvexHull) -> Result<ConvexHull, ShapeError> {
    let mut outer = ConvexHull::new(points)?;
    // Rounding may leave something out after the first round, and hardly ever after the second.
    for _ in 0..8 {
        let middle = middle(outer.vertices());
        let mut growth = 1.0f64;
        for (face, plane) in outer.planes().iter().enumerate() {
            let normal = plane.normal.as_dvec3();
            let height = |vertex: &Vec3| normal.dot(vertex.as_dvec3() - middle);
            let own = outer.face_corners(face).iter().map(|&corner| height(&outer.vertices()[corner as usize]));
            let own = own.fold(f64::INFINITY, f64::min);
            let other = hull.vertices().iter().map(height).fold(f64::NEG_INFINITY, f64::max);
            if own > 0.0 {
                growth = growth.max(other / own);
            }
        }
        if growth <= 1.0 {
            break;
        }
        let growth = growth * (1.0 + f64::from(f32::EPSILON));
        let scaled = |vertex: &Vec3| (middle + growth * (vertex.as_dvec3() - middle)).as_vec3();
        let points: Vec<Vec3> = outer.vertices().iter().map(scaled).collect();
        outer = ConvexHull::new(&points)?;
    }
    Ok(outer)
}

fn middle(vertices: &[Vec3]) -> DVec3 {
    vertices.iter().map(|vertex| vertex.as_dvec3()).sum::<DVec3>() / vertices.len() as f64
}

/// In the coordinates of the hull.
pub(super) fn volume(hull: &ConvexHull) -> f64 {
    let middle = middle(hull.vertices());
    let corner = |corner: u32| hull.vertices()[corner as usize].as_dvec3() - middle;
    let pyramid = |face: usize| hull.doubled_face_area(face).dot(corner(hull.face_corners(face)[0]));
    (0..hull.face_count()).map(pyramid).sum::<f64>() / 6.0
}
