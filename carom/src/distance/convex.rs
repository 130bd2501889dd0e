//! Convex shapes as a core and a radius around it, with the core's support in f64.
//!
//! Curved cores need the precision: the closest points of smooth bodies converge with the square root of the error
//! of the supports, so f32 supports would leave them three digits.

use crate::bounds::Aabb;
use crate::distance::placement::Placement;
use crate::shape::{ConvexHull, SupportMap};
use glam::DVec3;

/// What is left of a convex shape when its rounding is taken off. A sphere is a rounded point, a capsule a rounded
/// segment.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Core<'a> {
    Point,
    Segment([DVec3; 2]),
    Triangle([DVec3; 3]),
    /// Half of the extent along each axis.
    Cuboid(DVec3),
    Cylinder {
        half_height: f64,
        radius: f64,
    },
    Cone {
        half_height: f64,
        radius: f64,
    },
    /// The radius along each axis.
    Ellipsoid(DVec3),
    Hull(&'a ConvexHull),
    Custom(&'a dyn SupportMap),
}

/// All points within `radius` of the core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Convex<'a> {
    pub(crate) core: Core<'a>,
    pub(crate) radius: f64,
}

/// A user's support map answered with NaN or infinity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SupportFault {
    pub(crate) direction: DVec3,
    pub(crate) value: DVec3,
}

impl Core<'_> {
    /// A point of the core whose product with `direction` is greatest; the direction is of unit length.
    pub(crate) fn support(&self, direction: DVec3) -> Result<DVec3, SupportFault> {
        let with_sign = |size: f64, along: f64| if along < 0.0 { -size } else { size };
        Ok(match *self {
            Self::Point => DVec3::ZERO,
            Self::Segment(ends) => farthest(&ends, direction),
            Self::Triangle(corners) => farthest(&corners, direction),
            Self::Cuboid(half) => DVec3::new(
                with_sign(half.x, direction.x),
                with_sign(half.y, direction.y),
                with_sign(half.z, direction.z),
            ),
            Self::Cylinder { half_height, radius } => {
                rim(radius, direction) + DVec3::Y * with_sign(half_height, direction.y)
            }
            Self::Cone { half_height, radius } => {
                let apex = DVec3::Y * half_height;
                let base = rim(radius, direction) - apex;
                if direction.dot(apex) >= direction.dot(base) { apex } else { base }
            }
            // The unit ball stretched by the radii E: the support along d is E·(E·d)/|E·d|.
            Self::Ellipsoid(radii) => radii * (radii * direction).normalize_or(DVec3::Y),
            Self::Hull(hull) => {
                let mut vertices = hull.vertices().iter().map(|vertex| vertex.as_dvec3());
                let first = vertices.next().unwrap_or_default();
                vertices
                    .fold((first, first.dot(direction)), |best, vertex| {
                        let along = vertex.dot(direction);
                        if along > best.1 { (vertex, along) } else { best }
                    })
                    .0
            }
            Self::Custom(map) => {
                let value = map.support(direction.as_vec3()).as_dvec3();
                if !value.is_finite() {
                    return Err(SupportFault { direction, value });
                }
                value
            }
        })
    }

    /// How far the core reaches from the origin of its frame, at the most.
    pub(crate) fn reach(&self) -> Result<f64, SupportFault> {
        Ok(match *self {
            Self::Point => 0.0,
            Self::Segment([a, b]) => a.length().max(b.length()),
            Self::Triangle([a, b, c]) => a.length().max(b.length()).max(c.length()),
            Self::Cuboid(half) => half.length(),
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => half_height + radius,
            Self::Ellipsoid(radii) => radii.max_element(),
            Self::Hull(hull) => {
                hull.vertices().iter().map(|vertex| vertex.as_dvec3().length_squared()).fold(0.0, f64::max).sqrt()
            }
            Self::Custom(_) => {
                let (min, max) = self.extents(&Placement::IDENTITY)?;
                min.abs().max(max.abs()).length()
            }
        })
    }

    /// How wrong a support may be, for a core of this reach. Users' maps answer in f32 for a direction in f32.
    pub(crate) fn support_error(&self, reach: f64) -> f64 {
        match self {
            Self::Custom(_) => 1e-6 * reach,
            Self::Point
            | Self::Segment(_)
            | Self::Triangle(_)
            | Self::Cuboid(_)
            | Self::Cylinder { .. }
            | Self::Cone { .. }
            | Self::Ellipsoid(_)
            | Self::Hull(_) => 0.0,
        }
    }

    /// The corners of a core that has at most three: what feature distances take.
    pub(crate) fn corners(&self) -> Option<Corners> {
        match *self {
            Self::Point => Some(Corners::Point(DVec3::ZERO)),
            Self::Segment(ends) => Some(Corners::Edge(ends)),
            Self::Triangle(corners) => Some(Corners::Face(corners)),
            Self::Cuboid(_)
            | Self::Cylinder { .. }
            | Self::Cone { .. }
            | Self::Ellipsoid(_)
            | Self::Hull(_)
            | Self::Custom(_) => None,
        }
    }

    /// The least and greatest coordinates in the frame in which this core stands at `placement`.
    fn extents(&self, placement: &Placement) -> Result<(DVec3, DVec3), SupportFault> {
        let (mut min, mut max) = (DVec3::ZERO, DVec3::ZERO);
        for axis in 0..3 {
            let along = placement.direction_to_inner(DVec3::AXES[axis]);
            max[axis] = along.dot(self.support(along)?) + placement.position[axis];
            min[axis] = along.dot(self.support(-along)?) + placement.position[axis];
        }
        Ok((min, max))
    }
}

impl Convex<'_> {
    /// A box around the shape in the frame in which it stands at `placement`.
    pub(crate) fn bounds(&self, placement: &Placement) -> Result<Aabb, SupportFault> {
        if let Core::Triangle(corners) = self.core {
            let [a, b, c] = corners.map(|corner| placement.point_to_outer(corner));
            return Ok(Aabb::rounded_outward(a.min(b).min(c) - self.radius, a.max(b).max(c) + self.radius));
        }
        let (min, max) = self.core.extents(placement)?;
        let margin = self.radius + self.core.support_error(min.abs().max(max.abs()).length());
        Ok(Aabb::rounded_outward(min - margin, max + margin))
    }
}

/// A core that is one of the features of [`super::feature`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Corners {
    Point(DVec3),
    Edge([DVec3; 2]),
    Face([DVec3; 3]),
}

impl Corners {
    pub(crate) fn placed(self, placement: &Placement) -> Self {
        let placed = |point| placement.point_to_outer(point);
        match self {
            Self::Point(point) => Self::Point(placed(point)),
            Self::Edge(ends) => Self::Edge(ends.map(placed)),
            Self::Face(corners) => Self::Face(corners.map(placed)),
        }
    }
}

/// The one of the points that lies farthest along `direction`; the first of equals.
fn farthest(points: &[DVec3], direction: DVec3) -> DVec3 {
    points
        .iter()
        .copied()
        .reduce(|best, point| if point.dot(direction) > best.dot(direction) { point } else { best })
        .unwrap_or_default()
}

/// The rim point of a disc around the y axis in direction (x, z); its centre if there is none.
fn rim(radius: f64, direction: DVec3) -> DVec3 {
    DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * radius
}
