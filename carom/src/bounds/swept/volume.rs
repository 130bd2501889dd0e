//! The volume that a convex shape sweeps, as a shape of its own (M4).
//!
//! A displacement sweeps the convex hull of start and end exactly: a sphere a capsule, a polytope a polytope. With a
//! turn the hull is rounded by how far points stray from it (see [`super`]). What sweeps no volume stays a segment; a
//! plane figure becomes a plate 2⁻¹⁷ of its size thick, since a hull must have a volume. Cylinders, cones, ellipsoids
//! and shapes of the user's own, which sweep no polytope, are given by a support map: the farther of the two ends.

use super::reach::{core_reach, cuboid_corners};
use super::{Motion, SLACK, unit};
use crate::pose::LocalPose;
use crate::shape::{Compound, FlatExtent, Part, Shape, ShapeError, ShapeKind, SupportMap, support};
use glam::{DMat3, DQuat, DVec3, Vec3};

/// Half the thickness of what is given to a plane figure, relative to its largest coordinate.
const PLATE: f32 = 1.0 / (1 << 18) as f32;

/// Why there is no swept volume.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// Only the sweep of convex shapes and of compounds of them is a shape.
    #[error("a {shape} is not convex and sweeps no shape")]
    NotConvex {
        /// What was to be swept.
        shape: ShapeKind,
    },
    /// What is swept is too large or too thin for a shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl Motion {
    /// The volume that the shape sweeps, in the frame of the start: place it at `start`. For a displacement it is exact
    /// but for the rounding of corners to f32; with a turn it encloses the sweep.
    pub fn volume(&self, shape: &Shape) -> Result<Shape, SweepError> {
        let world_to_start = unit(self.start.rotation).conjugate();
        let turn = self.turn();
        let sweep = Sweep {
            // Without a turn the rotations cancel exactly.
            rotation: (world_to_start * turn.rotation * unit(self.start.rotation)).normalize(),
            position: world_to_start * (self.end.position - self.start.position),
            pivot: self.pivot.as_dvec3(),
            across: self.across(&turn),
            versine: turn.versine,
        };
        if sweep.is_rest() {
            return Ok(shape.clone());
        }
        sweep.volume(shape, DQuat::IDENTITY, DVec3::ZERO).map(|part| part.shape)
    }
}

/// A motion, in the frame of its start.
struct Sweep {
    /// The end.
    rotation: DQuat,
    position: DVec3,
    pivot: DVec3,
    across: DMat3,
    versine: f64,
}

impl Sweep {
    fn is_rest(&self) -> bool {
        self.versine == 0.0 && self.position == DVec3::ZERO
    }

    /// The volume swept by a shape that is placed at `rotation` and `position` at the start.
    fn volume(&self, shape: &Shape, rotation: DQuat, position: DVec3) -> Result<Part, SweepError> {
        let stray = self.stray(shape, rotation, position);
        let polytope = |corners: &[Vec3], radius: f32| {
            let first = corners.iter().map(|corner| rotation * corner.as_dvec3() + position);
            let ends = first.flat_map(|point| [point, self.rotation * point + self.position]);
            let points: Vec<Vec3> = ends.map(|point| point.as_vec3()).collect();
            hull_of(&points, (f64::from(radius) + stray) as f32)
        };
        let shape = match shape {
            Shape::Point(_) => return polytope(&[Vec3::ZERO], 0.0),
            Shape::Sphere(sphere) => return polytope(&[Vec3::ZERO], sphere.radius()),
            Shape::Segment(segment) => return polytope(&[segment.a(), segment.b()], 0.0),
            Shape::Capsule(capsule) => return polytope(&[capsule.core().a(), capsule.core().b()], capsule.radius()),
            Shape::Triangle(triangle) => return polytope(&triangle.core().corners(), triangle.radius()),
            Shape::Cuboid(cuboid) => return polytope(&cuboid_corners(cuboid.core().half_extents()), cuboid.radius()),
            Shape::Hull(hull) => return polytope(hull.core().vertices(), hull.radius()),
            Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => {
                let start = LocalPose::new(position.as_vec3(), rotation.as_quat());
                let end = LocalPose::new(
                    (self.rotation * position + self.position).as_vec3(),
                    (self.rotation * rotation).normalize().as_quat(),
                );
                Shape::custom(SweptConvex { shape: shape.clone(), ends: [start, end], stray: stray as f32 })
            }
            Shape::Compound(compound) => {
                let parts: Result<Vec<Part>, SweepError> = compound
                    .parts()
                    .iter()
                    .map(|part| self.volume(&part.shape, unit(part.pose.rotation), part.pose.position.as_dvec3()))
                    .collect();
                Shape::from(Compound::new(parts?)?)
            }
            Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) => {
                return Err(SweepError::NotConvex { shape: shape.kind() });
            }
        };
        Ok(Part { pose: LocalPose::IDENTITY, shape })
    }

    /// How far points stray from the hull of start and end, with room for rounding; nothing without a turn.
    fn stray(&self, shape: &Shape, rotation: DQuat, position: DVec3) -> f64 {
        if self.versine == 0.0 {
            return 0.0;
        }
        let center = rotation.conjugate() * (self.pivot - position);
        let reach = core_reach(shape, center, self.across * DMat3::from_quat(rotation));
        let farthest = core_reach(shape, center, DMat3::IDENTITY) + self.pivot.length() + self.position.length();
        self.versine * reach + SLACK * farthest
    }
}

/// The convex hull of points, rounded; with its pose, since only a sphere around the origin is a shape.
fn hull_of(points: &[Vec3], radius: f32) -> Result<Part, SweepError> {
    let round = |shape: Shape| if radius > 0.0 { shape.rounded(radius) } else { Ok(shape) };
    let flat = match Shape::hull(points) {
        Ok(hull) => return Ok(Part { pose: LocalPose::IDENTITY, shape: round(hull)? }),
        Err(ShapeError::FlatHull { extent, .. }) => extent,
        Err(ShapeError::TooFewPoints { .. }) => FlatExtent::Line,
        Err(error) => return Err(error.into()),
    };
    let one = points.first().copied().unwrap_or_default();
    let a = farthest(points, |point| point.as_dvec3().distance(one.as_dvec3()));
    let b = farthest(points, |point| point.as_dvec3().distance(a.as_dvec3()));
    if a == b {
        return Ok(Part { pose: LocalPose::at(a), shape: round(Shape::point())? });
    }
    let shape = match flat {
        FlatExtent::Point | FlatExtent::Line => Shape::segment(b, a)?,
        FlatExtent::Plane => plate_around(points, a.as_dvec3(), b.as_dvec3())?,
    };
    Ok(Part { pose: LocalPose::IDENTITY, shape: round(shape)? })
}

/// A thin plate around points of a plane, `a` and `b` the farthest apart. It is wider as well as thicker than they are,
/// since they may be all but on one line.
fn plate_around(points: &[Vec3], a: DVec3, b: DVec3) -> Result<Shape, ShapeError> {
    let aside = |point: Vec3| (point.as_dvec3() - a).cross(b - a);
    let normal = aside(farthest(points, |point| aside(point).length_squared())).normalize_or_zero();
    let [up, sideward] = [normal, normal.cross(b - a).normalize_or_zero()].map(|axis| axis.as_vec3());
    let size = points.iter().fold(Vec3::ZERO, |size, point| size.max(point.abs())).max_element();
    let mut thickness = PLATE * size;
    loop {
        let offsets = [up, sideward, -up, -sideward].map(|axis| axis * thickness);
        let plate: Vec<Vec3> = points.iter().flat_map(|&point| offsets.map(|offset| point + offset)).collect();
        match Shape::hull(&plate) {
            // The hull may take it for flat still; at a tenth of the size it does not.
            Err(ShapeError::FlatHull { .. }) if thickness < 0.1 * size => thickness *= 2.0,
            result => return result,
        }
    }
}

fn farthest(points: &[Vec3], measure: impl Fn(Vec3) -> f64) -> Vec3 {
    points.iter().copied().max_by(|a, b| measure(*a).total_cmp(&measure(*b))).unwrap_or_default()
}

/// The hull of a convex shape in two poses, rounded.
#[derive(Debug)]
struct SweptConvex {
    shape: Shape,
    ends: [LocalPose; 2],
    stray: f32,
}

impl SupportMap for SweptConvex {
    fn support(&self, direction: Vec3) -> Vec3 {
        let Some(map) = self.shape.as_support_map() else { return Vec3::ZERO };
        let [a, b] = self.ends.each_ref().map(|pose| support::in_pose(map, pose, direction));
        let along = |point: Vec3| direction.as_dvec3().dot(point.as_dvec3());
        let core = if along(b) > along(a) { b } else { a };
        core + direction.as_dvec3().normalize_or_zero().as_vec3() * self.stray
    }
}
