//! The difference A − B of the cores of two shapes, which the searches walk on: the origin is inside of it if the cores
//! overlap, and as far from it as they are apart.

use crate::surface::{Surface, directions};
use carom::glam::{DVec3, Vec3};
use carom::pose::LocalPose;
use carom::shape::{Shape, SupportMap};
use carom::trace::{DifferencePoint, GjkStep};
use serde::Serialize;

/// The difference of two cores as triangles; none of them where it has no volume.
#[derive(Serialize)]
pub(super) struct Difference {
    vertices: Vec<f32>,
    triangles: Vec<u32>,
    /// The roundings of both shapes together: they touch when the origin is as near as this.
    pub(super) radius: f32,
}

const DIRECTIONS: usize = 600;
/// All corners of polytopes are taken if there are no more differences than this.
const MOST_DIFFERENCES: usize = 4096;

impl Difference {
    /// The difference of two shapes; none if one of them has no end.
    pub(super) fn of(a: &Shape, b: &Shape, b_in_a: &LocalPose) -> Option<Self> {
        let (core_a, core_b) = (Core::of(a)?, Core::of(b)?);
        let points: Vec<Vec3> = match (core_a.corners(), core_b.corners()) {
            (Some(a), Some(b)) if a.len() * b.len() <= MOST_DIFFERENCES => {
                a.iter().flat_map(|a| b.iter().map(|b| *a - b_in_a.point_to_outer(*b))).collect()
            }
            (Some(_) | None, Some(_) | None) => directions(DIRECTIONS)
                .map(|direction| {
                    let of_b = core_b.support(b_in_a.direction_to_inner(-direction));
                    core_a.support(direction) - b_in_a.point_to_outer(of_b)
                })
                .collect(),
        };
        let flat = |points: &[Vec3]| points.iter().flat_map(|point| point.to_array()).collect();
        let radius = core_a.radius + core_b.radius;
        Some(match Surface::around(&points) {
            Some(surface) => Self { vertices: flat(&surface.vertices), triangles: surface.triangles.concat(), radius },
            None => Self { vertices: flat(&points), triangles: Vec::new(), radius },
        })
    }
}

/// The points of the two cores that the support of a step is the difference of; none if one of the two has no end.
pub(super) fn witness(a: &Shape, b: &Shape, b_in_a: &LocalPose, step: &GjkStep) -> Option<DifferencePoint> {
    let (core_a, core_b) = (Core::of(a)?, Core::of(b)?);
    let (difference, direction) = (step.support, step.direction.as_vec3());
    let farthest = [core_a.support(direction), core_b.support(b_in_a.direction_to_inner(-direction))];
    let found = |[of_a, of_b]: [Vec3; 2]| [of_a, b_in_a.point_to_outer(of_b)].map(|point| point.as_dvec3());
    let error = |[on_a, on_b]: &[DVec3; 2]| (*on_a - *on_b - difference).length_squared();
    // Where several are as far along the direction, the search may have found others.
    let (corners_a, corners_b) = (core_a.corners().unwrap_or_default(), core_b.corners().unwrap_or_default());
    let has_few = corners_a.len() * corners_b.len() <= MOST_DIFFERENCES;
    let others = corners_a.iter().filter(|_| has_few).flat_map(|a| corners_b.iter().map(|b| [*a, *b]));
    let nearest =
        std::iter::once(farthest).chain(others).map(found).min_by(|one, other| error(one).total_cmp(&error(other)));
    let [on_a, on_b] = nearest?;
    Some(DifferencePoint { on_a, on_b, difference })
}

/// What is left of a shape without its rounding.
struct Core<'a> {
    shape: &'a Shape,
    radius: f32,
}

impl<'a> Core<'a> {
    fn of(shape: &'a Shape) -> Option<Self> {
        let radius = match shape {
            Shape::Sphere(sphere) => sphere.radius(),
            Shape::Capsule(capsule) => capsule.radius(),
            Shape::Cuboid(cuboid) => cuboid.radius(),
            Shape::Hull(hull) => hull.radius(),
            Shape::Triangle(triangle) => triangle.radius(),
            Shape::Point(_)
            | Shape::Segment(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Custom(_) => 0.0,
            Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => return None,
        };
        Some(Self { shape, radius })
    }

    /// All its corners, if it is a polytope.
    fn corners(&self) -> Option<Vec<Vec3>> {
        match self.shape {
            Shape::Point(_) | Shape::Sphere(_) => Some(vec![Vec3::ZERO]),
            Shape::Segment(segment) => Some(vec![segment.a(), segment.b()]),
            Shape::Capsule(capsule) => Some(vec![capsule.core().a(), capsule.core().b()]),
            Shape::Triangle(triangle) => Some(triangle.core().corners().to_vec()),
            Shape::Cuboid(cuboid) => Some(cuboid.core().corners().to_vec()),
            Shape::Hull(hull) => Some(hull.core().vertices().to_vec()),
            Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => None,
            Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => None,
        }
    }

    fn support(&self, direction: Vec3) -> Vec3 {
        match self.corners() {
            Some(corners) => {
                let along = |corner: &Vec3| corner.dot(direction);
                corners.into_iter().max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or_default()
            }
            None => self.shape.as_support_map().map_or(Vec3::ZERO, |map: &dyn SupportMap| map.support(direction)),
        }
    }
}
