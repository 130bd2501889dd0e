//! Distances between features - points, edges and faces - with the closest points on both (S7).
//!
//! Degenerate input is welcome: edges without length and faces without area are answered as the points and edges
//! that they are. Everything is computed in f64 relative to the first point, where differences of f32 numbers are
//! exact or nearly so, and narrowed at the end. The distance is right to within 1e-14 of the size of the input plus
//! the rounding to f32; the closest points are rounded to f32 where they stand. Edges and faces that come closer than
//! 4e-15 of their size have distance 0 and one common point. Distances of whole shapes are in [`crate::query`].

pub(crate) mod box_axes;
mod box_box;
pub(crate) mod capsules;
pub(crate) mod convex;
pub(crate) mod descent;
pub(crate) mod expanding_polytope;
pub(crate) mod feature;
pub(crate) mod guess;
pub(crate) mod minimum_norm;
pub(crate) mod moving;
pub(crate) mod placement;
mod segment;
pub(crate) mod separation;
pub(crate) mod settling;
pub(crate) mod signed;
pub(crate) mod simplex;

use feature::Pair;
use glam::{DVec3, Vec3};

/// How far apart two features are, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// The least distance; 0 where the features have a point in common. Infinite only if it exceeds `f32::MAX`.
    pub distance: f32,
    /// The point of the first feature that is closest to the second.
    pub on_a: Vec3,
    /// The point of the second feature that is closest to the first.
    pub on_b: Vec3,
}

/// Why there is no distance.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceError {
    /// A point is NaN or infinite.
    #[error("point {index} is {value}, not a finite point")]
    NotFinite {
        /// Which point, counted from 0 through the first feature and then the second.
        index: usize,
        /// Its coordinates.
        value: Vec3,
    },
}

/// Two points.
pub fn point_to_point(a: Vec3, b: Vec3) -> Result<Closest, DistanceError> {
    closest([a], [b], |[a], [b]| Pair { on_a: a, on_b: b })
}

/// A point and the edge between two points, which may coincide.
///
/// ```
/// use carom::distance::point_to_edge;
/// use carom::prelude::*;
///
/// let closest = point_to_edge(Vec3::new(5.0, 3.0, 0.0), [Vec3::ZERO, Vec3::X])?;
/// assert_eq!((closest.distance, closest.on_b), (5.0, Vec3::X));
/// # Ok::<(), carom::distance::DistanceError>(())
/// ```
pub fn point_to_edge(a: Vec3, b: [Vec3; 2]) -> Result<Closest, DistanceError> {
    closest([a], b, |[a], b| feature::point_edge(a, b))
}

/// A point and a triangle, which may be flat.
pub fn point_to_face(a: Vec3, b: [Vec3; 3]) -> Result<Closest, DistanceError> {
    closest([a], b, |[a], b| feature::point_face(a, b))
}

/// Two edges.
pub fn edge_to_edge(a: [Vec3; 2], b: [Vec3; 2]) -> Result<Closest, DistanceError> {
    closest(a, b, feature::edge_edge)
}

/// An edge and a triangle.
pub fn edge_to_face(a: [Vec3; 2], b: [Vec3; 3]) -> Result<Closest, DistanceError> {
    closest(a, b, feature::edge_face)
}

/// Two triangles.
///
/// ```
/// use carom::distance::face_to_face;
/// use carom::prelude::*;
///
/// let floor = [Vec3::ZERO, Vec3::X, Vec3::Z];
/// let apart = face_to_face(floor, floor.map(|corner| corner + 2.0 * Vec3::Y))?;
/// assert_eq!(apart.distance, 2.0);
/// let upright = [Vec3::new(0.2, -1.0, 0.2), Vec3::new(0.3, 1.0, 0.2), Vec3::new(0.2, 1.0, 0.3)];
/// let crossing = face_to_face(floor, upright)?;
/// assert_eq!((crossing.distance, crossing.on_a), (0.0, crossing.on_b));
/// # Ok::<(), carom::distance::DistanceError>(())
/// ```
pub fn face_to_face(a: [Vec3; 3], b: [Vec3; 3]) -> Result<Closest, DistanceError> {
    closest(a, b, feature::face_face)
}

/// Moves the points of both features to the first of them in f64, asks the kernel, and narrows its answer.
fn closest<const A: usize, const B: usize>(
    a: [Vec3; A],
    b: [Vec3; B],
    kernel: impl Fn([DVec3; A], [DVec3; B]) -> Pair,
) -> Result<Closest, DistanceError> {
    if let Some((index, &value)) = a.iter().chain(&b).enumerate().find(|(_, point)| !point.is_finite()) {
        return Err(DistanceError::NotFinite { index, value });
    }
    let origin = a[0].as_dvec3();
    let (a, b) = (a.map(|point| point.as_dvec3() - origin), b.map(|point| point.as_dvec3() - origin));
    let mut pair = kernel(a, b);
    // Two single points are exact; anything else carries the rounding of its size.
    if A + B > 3 {
        let size = a.iter().chain(&b).fold(0.0, |size: f64, point| size.max(point.abs().max_element()));
        pair = pair.snapped(feature::ROUNDING * size);
    }
    Ok(Closest {
        distance: pair.distance() as f32,
        on_a: (origin + pair.on_a).as_vec3(),
        on_b: (origin + pair.on_b).as_vec3(),
    })
}
