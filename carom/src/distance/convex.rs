//! Convex shapes as a core and a radius around it, with the core's support in f64.
//!
//! Curved cores need the precision: the closest points of smooth bodies converge with the square root of the error
//! of the supports, so f32 supports would leave them three digits.

use crate::bounds::Aabb;
use crate::distance::placement::Placement;
use crate::shape::hull::lanes;
use crate::shape::{ConvexHull, SupportMap};
use fearless_simd::{Simd, dispatch};
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
        let (value, _) = self.support_from(direction, u32::MAX);
        if value.is_finite() { Ok(value) } else { Err(SupportFault { direction, value }) }
    }

    /// A point of the core whose product with a unit direction is greatest, and which corner it is; `u32::MAX` if the
    /// core is curved. The search starts from corner `start`, if there is such. Only the point of a user's map can be
    /// other than finite.
    #[inline]
    pub(crate) fn support_from(&self, direction: DVec3, start: u32) -> (DVec3, u32) {
        let with_sign = |size: f64, along: f64| if along < 0.0 { -size } else { size };
        let curved = |point: DVec3| (point, u32::MAX);
        match self {
            Self::Point => (DVec3::ZERO, 0),
            Self::Segment(ends) => farthest(ends, direction),
            Self::Triangle(corners) => farthest(corners, direction),
            Self::Cuboid(half) => box_support(*half, direction),
            Self::Cylinder { half_height, radius } => {
                curved(rim(*radius, direction) + DVec3::Y * with_sign(*half_height, direction.y))
            }
            Self::Cone { half_height, radius } => {
                let apex = DVec3::Y * *half_height;
                let base = rim(*radius, direction) - apex;
                curved(if direction.dot(apex) >= direction.dot(base) { apex } else { base })
            }
            // The unit ball stretched by the radii E: the support along d is E·(E·d)/|E·d|.
            Self::Ellipsoid(radii) => curved(*radii * (*radii * direction).normalize_or(DVec3::Y)),
            Self::Hull(hull) => {
                let vertex = hull.support_vertex_wide(direction, start);
                (hull.vertices()[vertex as usize].as_dvec3(), vertex)
            }
            Self::Custom(map) => curved(map.support(direction.as_vec3()).as_dvec3()),
        }
    }

    /// Corner `corner` as [`Core::support_from`] numbers them; none if there is no such.
    pub(crate) fn corner(&self, corner: u32) -> Option<DVec3> {
        match self {
            Self::Point => (corner == 0).then_some(DVec3::ZERO),
            Self::Segment(ends) => ends.get(corner as usize).copied(),
            Self::Triangle(corners) => corners.get(corner as usize).copied(),
            Self::Cuboid(half) => {
                let with_sign = |size: f64, place: u32| if corner >> place & 1 == 1 { -size } else { size };
                let place = DVec3::new(with_sign(half.x, 0), with_sign(half.y, 1), with_sign(half.z, 2));
                (corner < 8).then_some(place)
            }
            Self::Hull(hull) => hull.vertices().get(corner as usize).map(|vertex| vertex.as_dvec3()),
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid(_) | Self::Custom(_) => None,
        }
    }

    /// The outward normals of the flat sides that are known by the kind of the core.
    pub(crate) fn flat_sides(&self) -> &'static [DVec3] {
        const ALL: [DVec3; 6] = [DVec3::Y, DVec3::NEG_Y, DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z];
        match self {
            Self::Cuboid(_) => &ALL,
            Self::Cylinder { .. } => &ALL[..2],
            Self::Cone { .. } => &ALL[1..2],
            Self::Point
            | Self::Segment(_)
            | Self::Triangle(_)
            | Self::Ellipsoid(_)
            | Self::Hull(_)
            | Self::Custom(_) => &[],
        }
    }

    /// Whether the core has a smooth part, so that a search along its normals has no last step.
    pub(crate) fn is_curved(&self) -> bool {
        match self {
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid(_) | Self::Custom(_) => true,
            Self::Point | Self::Segment(_) | Self::Triangle(_) | Self::Cuboid(_) | Self::Hull(_) => false,
        }
    }

    /// How far the core reaches from the origin of its frame, at the most.
    #[inline(always)]
    pub(crate) fn reach(&self) -> Result<f64, SupportFault> {
        Ok(match *self {
            Self::Point => 0.0,
            Self::Segment([a, b]) => a.length().max(b.length()),
            Self::Triangle([a, b, c]) => a.length().max(b.length()).max(c.length()),
            Self::Cuboid(half) => half.length(),
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => half_height + radius,
            Self::Ellipsoid(radii) => radii.max_element(),
            Self::Hull(hull) => hull.reach(),
            Self::Custom(_) => {
                let (min, max) = self.extents(&Placement::IDENTITY)?;
                min.abs().max(max.abs()).length()
            }
        })
    }

    /// Not less than [`Core::reach`], and found without a root.
    #[inline(always)]
    pub(crate) fn size(&self) -> Result<f64, SupportFault> {
        let size = |point: DVec3| point.abs().element_sum();
        match *self {
            Self::Segment([a, b]) => Ok(size(a).max(size(b))),
            Self::Triangle([a, b, c]) => Ok(size(a).max(size(b)).max(size(c))),
            Self::Cuboid(half) => Ok(half.element_sum()),
            Self::Point
            | Self::Cylinder { .. }
            | Self::Cone { .. }
            | Self::Ellipsoid(_)
            | Self::Hull(_)
            | Self::Custom(_) => self.reach(),
        }
    }

    /// As [`Core::support_from`], of a hull only to within rounding of f32: see [`Core::doubt`].
    #[inline(always)]
    pub(crate) fn quick_support_from<S: Simd>(&self, simd: S, direction: DVec3, start: u32) -> (DVec3, u32) {
        match self {
            Self::Hull(hull) => {
                let vertex = hull.support_vertex_quick(simd, direction, start);
                (hull.vertices()[vertex as usize].as_dvec3(), vertex)
            }
            Self::Cuboid(half) => box_support(*half, direction),
            Self::Point
            | Self::Segment(_)
            | Self::Triangle(_)
            | Self::Cylinder { .. }
            | Self::Cone { .. }
            | Self::Ellipsoid(_)
            | Self::Custom(_) => self.support_from(direction, start),
        }
    }

    /// How far the core reaches along a direction; `quick` is what a quick support from there has found.
    #[inline(always)]
    pub(crate) fn along<S: Simd>(&self, simd: S, direction: DVec3, start: u32, quick: DVec3) -> f64 {
        match self {
            Self::Hull(hull) => hull.support_along(simd, direction, start),
            Self::Point
            | Self::Segment(_)
            | Self::Triangle(_)
            | Self::Cuboid(_)
            | Self::Cylinder { .. }
            | Self::Cone { .. }
            | Self::Ellipsoid(_)
            | Self::Custom(_) => direction.dot(quick),
        }
    }

    /// How far the core reaches along a direction, with all digits.
    #[inline(always)]
    pub(crate) fn reach_along<S: Simd>(&self, simd: S, direction: DVec3, start: u32) -> f64 {
        // A hull is asked for all of it, whatever was found.
        let is_hull = matches!(self, Self::Hull(_));
        let quick = if is_hull { DVec3::ZERO } else { self.quick_support_from(simd, direction, start).0 };
        self.along(simd, direction, start, quick)
    }

    /// By how much a quick support along a unit direction may fall short.
    #[inline(always)]
    pub(crate) fn doubt(&self) -> f64 {
        if let Self::Hull(hull) = self { hull.doubt() } else { 0.0 }
    }

    /// A ball inside of the core by its middle and radius, which may be zero; none is known of a user's map.
    #[inline(always)]
    pub(crate) fn inner_ball(&self) -> Option<(DVec3, f64)> {
        match self {
            Self::Cuboid(half) => Some((DVec3::ZERO, half.min_element())),
            Self::Cylinder { half_height, radius } => Some((DVec3::ZERO, half_height.min(*radius))),
            Self::Ellipsoid(radii) => Some((DVec3::ZERO, radii.min_element())),
            Self::Hull(hull) => {
                let ball = hull.inner_ball();
                // The planes of the faces, and their vertices, are right to a few roundings.
                Some((ball.center.as_dvec3(), (f64::from(ball.radius) - 1e-5 * hull.reach()).max(0.0)))
            }
            Self::Segment([a, b]) => Some((0.5 * (*a + *b), 0.0)),
            Self::Triangle([a, b, c]) => Some(((*a + *b + *c) / 3.0, 0.0)),
            Self::Point | Self::Cone { .. } => Some((DVec3::ZERO, 0.0)),
            Self::Custom(_) => None,
        }
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
    #[inline(always)]
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

    /// The least and greatest coordinates in the frame in which this core stands at `placement`; those of a hull with room
    /// for the rounding of f32.
    fn extents(&self, placement: &Placement) -> Result<(DVec3, DVec3), SupportFault> {
        if let Self::Hull(hull) = self {
            let axes = DVec3::AXES.map(|axis| placement.direction_to_inner(axis).as_vec3());
            let [least, greatest] =
                dispatch!(crate::simd::level(), simd => lanes::extents(simd, hull.vertex_blocks(), axes));
            // Three products and the direction, of each coordinate: hardly more than four roundings.
            let room = 8.0 * f64::from(f32::EPSILON) * hull.reach();
            let ends = (least.as_dvec3() - room, greatest.as_dvec3() + room);
            // Beyond the range of f32 all of it is measured anew.
            if ends.0.is_finite() && ends.1.is_finite() {
                return Ok((ends.0 + placement.position, ends.1 + placement.position));
            }
        }
        // In closed form where there is one.
        match *self {
            Self::Point => return Ok((placement.position, placement.position)),
            Self::Segment(ends) => {
                let [a, b] = ends.map(|end| placement.point_to_outer(end));
                return Ok((a.min(b), a.max(b)));
            }
            Self::Triangle(corners) => {
                let [a, b, c] = corners.map(|corner| placement.point_to_outer(corner));
                return Ok((a.min(b).min(c), a.max(b).max(c)));
            }
            Self::Cuboid(half) => {
                let reach = placement.rotation.abs() * half;
                return Ok((placement.position - reach, placement.position + reach));
            }
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid(_) | Self::Hull(_) | Self::Custom(_) => {}
        }
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
        let (min, max) = self.core.extents(placement)?;
        let margin = self.radius + self.core.support_error(min.abs().max(max.abs()).element_sum());
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
    /// How far it reaches along a direction.
    #[inline(always)]
    pub(crate) fn reach(self, direction: DVec3) -> f64 {
        match self {
            Self::Point(point) => point.dot(direction),
            Self::Edge([a, b]) => a.dot(direction).max(b.dot(direction)),
            Self::Face([a, b, c]) => a.dot(direction).max(b.dot(direction)).max(c.dot(direction)),
        }
    }

    #[inline(always)]
    pub(crate) fn placed(self, placement: &Placement) -> Self {
        match self {
            Self::Point(point) => Self::Point(placement.point_to_outer(point)),
            Self::Edge([a, b]) => Self::Edge([placement.point_to_outer(a), placement.point_to_outer(b)]),
            Self::Face([a, b, c]) => {
                Self::Face([placement.point_to_outer(a), placement.point_to_outer(b), placement.point_to_outer(c)])
            }
        }
    }
}

/// The corner of a box that lies farthest along `direction`, and which it is: a bit for each axis on which it is negative.
#[inline(always)]
fn box_support(half: DVec3, direction: DVec3) -> (DVec3, u32) {
    let with_sign = |size: f64, along: f64| if along < 0.0 { -size } else { size };
    let corner =
        DVec3::new(with_sign(half.x, direction.x), with_sign(half.y, direction.y), with_sign(half.z, direction.z));
    let bit = |along: f64, place: u32| u32::from(along < 0.0) << place;
    (corner, bit(direction.x, 0) | bit(direction.y, 1) | bit(direction.z, 2))
}

/// The one of the points that lies farthest along `direction`, and which it is; the first of equals.
fn farthest(points: &[DVec3], direction: DVec3) -> (DVec3, u32) {
    let mut best = (DVec3::ZERO, 0);
    let mut most = f64::NEG_INFINITY;
    for (index, point) in points.iter().enumerate() {
        let along = point.dot(direction);
        if along > most {
            (best, most) = ((*point, index as u32), along);
        }
    }
    best
}

/// The rim point of a disc around the y axis in direction (x, z); its centre if there is none.
fn rim(radius: f64, direction: DVec3) -> DVec3 {
    DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * radius
}

#[cfg(test)]
mod tests;
