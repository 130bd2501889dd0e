//! Collision in the plane: distance and depth of convex figures, curves against boxes (M1), which of many boxes overlap
//! (B7), and when a moving vertex meets a moving edge (T2).
//!
//! A [`Figure`] is a convex polygon grown by a radius: a point or circle has one corner, a segment or capsule two. Depth
//! is a negative distance, so both are one continuous number, with proven bounds. Everything is f64, and small enough to
//! be read in a lecture: [`distance`] is GJK in the plane, [`separating_axes`] is SAT, and each is the other's test; both
//! tell a tracer their steps. A [`Quadtree`] finds the boxes that are worth asking.

mod curve;
mod gjk;
mod quadtree;
mod sat;
mod separation;
mod vertex_edge;

pub use curve::{Bezier, curve_overlaps};
pub use gjk::{PairCache, distance, distance_cached, distance_traced};
pub use quadtree::{PlanarBox, Quadtree};
pub use sat::{separating_axes, separating_axes_traced};
pub use separation::{Line, Separation, Status};
pub use vertex_edge::vertex_edge;

use glam::DVec2;

/// Corners and radii of figures go as far as this, so that their squares are finite.
const FARTHEST: f64 = 1e150;

/// All points within `radius` of a convex polygon.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    corners: Vec<DVec2>,
    radius: f64,
}

/// Why a figure, curve or box was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanarError {
    /// A corner is NaN or infinite.
    #[error("corner {index} is {value}, not a finite point")]
    NotFinite {
        /// Which corner.
        index: usize,
        /// Its coordinates.
        value: DVec2,
    },
    /// A radius or extent is negative, NaN or infinite.
    #[error("a size is {0}; it must be finite and not negative")]
    Size(f64),
    /// A corner or a radius of a figure, or a point of a curve, is larger than can be computed with.
    #[error("{value:e} is too far to compute with")]
    TooFar {
        /// The coordinate or the radius.
        value: f64,
    },
    /// There is no corner at all.
    #[error("a figure has at least one corner")]
    Empty,
    /// The corners go round clockwise, or not round a convex polygon.
    #[error("the corners turn right at corner {index}; they must go round counter-clockwise")]
    NotConvex {
        /// Where they turn the wrong way.
        index: usize,
    },
    /// A box's least corner is not below its greatest.
    #[error("the box from {min} to {max} is inside out")]
    InsideOut {
        /// The corner that should be the least.
        min: DVec2,
        /// The corner that should be the greatest.
        max: DVec2,
    },
    /// There are more boxes than a tree can hold.
    #[error("{count} boxes are too many for one tree")]
    TooMany {
        /// How many there are.
        count: usize,
    },
}

impl Figure {
    /// A convex polygon, its corners counter-clockwise; one corner is a point, two are a segment.
    ///
    /// ```
    /// use carom::glam::DVec2;
    /// use carom::planar::Figure;
    ///
    /// let triangle = [DVec2::ZERO, DVec2::X, DVec2::Y];
    /// assert!(Figure::polygon(&triangle).is_ok());
    /// assert!(Figure::polygon(&[DVec2::ZERO, DVec2::Y, DVec2::X]).is_err());
    /// ```
    pub fn polygon(corners: &[DVec2]) -> Result<Self, PlanarError> {
        if corners.is_empty() {
            return Err(PlanarError::Empty);
        }
        computable(corners)?;
        let count = corners.len();
        // No square of so small a figure vanishes in its own unit.
        let unit = separation::unit_of(corners.iter().map(|corner| *corner - corners[0]));
        let (mut turned, mut is_flat) = (0.0, true);
        for index in 0..count {
            let [before, at, after] = [index + count - 1, index, index + 1].map(|place| corners[place % count]);
            let (into, out) = ((at - before) / unit, (after - at) / unit);
            let sine = into.perp_dot(out);
            if count > 2 && sine < -1e-12 * into.length() * out.length() {
                return Err(PlanarError::NotConvex { index });
            }
            turned += sine.atan2(into.dot(out));
            is_flat &= sine == 0.0;
        }
        // A star turns left at every corner too, but more than once around.
        if count > 2 && turned > 1.5 * std::f64::consts::TAU {
            return Err(PlanarError::NotConvex { index: 0 });
        }
        if count > 2 && is_flat {
            // All on one line: as a segment it has a direction along which it can be told apart.
            let from = farthest_from(corners, corners[0]);
            return Ok(Self { corners: vec![from, farthest_from(corners, from)], radius: 0.0 });
        }
        Ok(Self { corners: corners.to_vec(), radius: 0.0 })
    }

    /// A circle.
    pub fn circle(centre: DVec2, radius: f64) -> Result<Self, PlanarError> {
        Self::polygon(&[centre])?.rounded(radius)
    }

    /// A box around `centre`, turned by an angle.
    pub fn rectangle(centre: DVec2, half: DVec2, angle: f64) -> Result<Self, PlanarError> {
        size(half.x)?;
        size(half.y)?;
        let turn = DVec2::new(libm::cos(angle), libm::sin(angle));
        let corner = |x: f64, y: f64| centre + turn.rotate(DVec2::new(x * half.x, y * half.y));
        Self::polygon(&[corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
    }

    /// The figure grown by a radius.
    pub fn rounded(mut self, radius: f64) -> Result<Self, PlanarError> {
        self.radius = size(self.radius + size(radius)?)?;
        near_enough(self.radius)?;
        Ok(self)
    }

    /// The corners of what is grown.
    pub fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    /// By how much it is grown.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The corner that lies farthest along a direction.
    fn farthest(&self, direction: DVec2) -> DVec2 {
        self.corners[farthest(&self.corners, direction)]
    }

    /// The directions of the sides.
    fn sides(&self) -> impl Iterator<Item = DVec2> {
        sides(&self.corners)
    }
}

/// Which corner lies farthest along a direction: seen from the first, so that it is told far from the origin, too.
fn farthest(corners: &[DVec2], direction: DVec2) -> usize {
    let (mut best, mut most) = (0, 0.0);
    for (index, corner) in corners.iter().enumerate() {
        let along = direction.dot(*corner - corners[0]);
        if along > most {
            (best, most) = (index, along);
        }
    }
    best
}

/// The directions of the sides of a polygon.
fn sides(corners: &[DVec2]) -> impl Iterator<Item = DVec2> {
    let count = corners.len();
    (0..count).map(move |index| corners[(index + 1) % count] - corners[index])
}

/// Finite, and no farther than can be computed with.
fn computable(corners: &[DVec2]) -> Result<(), PlanarError> {
    finite(corners)?;
    corners.iter().flat_map(|corner| corner.to_array()).try_for_each(near_enough)
}

fn near_enough(value: f64) -> Result<(), PlanarError> {
    if value.abs() <= FARTHEST { Ok(()) } else { Err(PlanarError::TooFar { value }) }
}

fn size(size: f64) -> Result<f64, PlanarError> {
    if size.is_finite() && size >= 0.0 { Ok(size) } else { Err(PlanarError::Size(size)) }
}

fn finite(corners: &[DVec2]) -> Result<(), PlanarError> {
    match corners.iter().enumerate().find(|(_, corner)| !corner.is_finite()) {
        Some((index, &value)) => Err(PlanarError::NotFinite { index, value }),
        None => Ok(()),
    }
}

/// The one of the points that is farthest from `place`.
fn farthest_from(points: &[DVec2], place: DVec2) -> DVec2 {
    let away = |point: &DVec2| point.distance(place);
    points.iter().copied().max_by(|p, q| away(p).total_cmp(&away(q))).unwrap_or(place)
}
