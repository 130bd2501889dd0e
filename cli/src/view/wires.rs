//! Outlines of volumes as straight lines, for pages to draw.

use super::describe::each_part;
use carom::bounds::Aabb;
use carom::glam::{Mat3, Quat, Vec3};
use carom::pose::LocalPose;
use carom::shape::{ConvexHull, Shape, SupportMap};

/// Straight pieces of a circle.
const AROUND: usize = 24;

/// Lines from point to point.
#[derive(Debug, Clone, Default)]
pub(super) struct Wires(pub(super) Vec<[Vec3; 2]>);

/// An angle's cosine and sine at each piece of a circle.
fn angles() -> impl Iterator<Item = (f32, f32)> {
    (0..=AROUND).map(|index| (index as f32 * std::f32::consts::TAU / AROUND as f32).sin_cos()).map(|(s, c)| (c, s))
}

impl Wires {
    fn strip(&mut self, points: impl Iterator<Item = Vec3>) {
        let points: Vec<Vec3> = points.collect();
        self.0.extend(points.windows(2).map(|ends| [ends[0], ends[1]]));
    }

    /// A circle, or an ellipse, by two radii of it.
    fn ring(&mut self, center: Vec3, along: Vec3, across: Vec3) {
        self.strip(angles().map(|(cosine, sine)| center + along * cosine + across * sine));
    }

    /// By its three half axes.
    pub(super) fn ellipsoid(&mut self, center: Vec3, [x, y, z]: [Vec3; 3]) {
        [(x, y), (y, z), (z, x)].iter().for_each(|(along, across)| self.ring(center, *along, *across));
    }

    pub(super) fn sphere(&mut self, center: Vec3, radius: f32) {
        self.ellipsoid(center, Vec3::AXES.map(|axis| axis * radius));
    }

    /// Two rings, and lines between them.
    pub(super) fn cylinder(&mut self, ends: [Vec3; 2], axis: Vec3, radius: f32) {
        let (along, across) = axis.any_orthonormal_pair();
        let (along, across) = (along * radius, across * radius);
        ends.iter().for_each(|end| self.ring(*end, along, across));
        self.0.extend([along, -along, across, -across].map(|side| ends.map(|end| end + side)));
    }

    pub(super) fn capsule(&mut self, ends: [Vec3; 2], radius: f32) {
        let axis = (ends[1] - ends[0]).normalize_or(Vec3::Y);
        self.cylinder(ends, axis, radius);
        let (along, across) = axis.any_orthonormal_pair();
        for side in [along, across] {
            for (end, out) in [(ends[0], -axis), (ends[1], axis)] {
                let half = angles().take(AROUND / 2 + 1);
                self.strip(half.map(|(cosine, sine)| end + (side * cosine + out * sine) * radius));
            }
        }
    }

    pub(super) fn cuboid(&mut self, center: Vec3, [x, y, z]: [Vec3; 3]) {
        for (along, aside, up) in [(x, y, z), (y, z, x), (z, x, y)] {
            for (right, high) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let middle = center + aside * right + up * high;
                self.0.push([middle - along, middle + along]);
            }
        }
    }

    pub(super) fn aabb(&mut self, bounds: &Aabb) {
        let half = bounds.half_extents();
        self.cuboid(bounds.center(), [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z]);
    }

    /// The borders of the faces of a polytope, each as far out as the rounding; of one that is mostly rounding, circles.
    pub(super) fn hull(&mut self, hull: &ConvexHull, pose: &LocalPose, radius: f32) {
        let middle = hull.vertices().iter().sum::<Vec3>() / hull.vertices().len() as f32;
        let reach = hull.vertices().iter().map(|vertex| vertex.distance(middle)).fold(0.0, f32::max);
        if radius > 0.3 * reach {
            return self.supports(&Grown { hull, radius }, pose);
        }
        let count = if radius > 0.0 { 2 } else { 1 };
        for edge in hull.edges() {
            for face in &edge.faces[..count] {
                let out = hull.planes()[*face as usize].normal * radius;
                self.0.push(edge.vertices.map(|end| pose.point_to_outer(hull.vertices()[end as usize] + out)));
            }
        }
    }

    /// Around anything convex: the farthest points along directions on circles from pole to pole, and just above and below
    /// the equator, where what is flat has its rims.
    fn supports(&mut self, map: &dyn SupportMap, pose: &LocalPose) {
        let mut circle = |direction: &dyn Fn(f32, f32) -> Vec3| {
            self.strip(angles().map(|(cosine, sine)| pose.point_to_outer(map.support(direction(cosine, sine)))));
        };
        for turn in 0..3 {
            let (sine, cosine) = (turn as f32 * std::f32::consts::FRAC_PI_3).sin_cos();
            let side = Vec3::new(cosine, 0.0, sine);
            circle(&|along, up| side * along + Vec3::Y * up);
        }
        for height in [-0.05, 0.05] {
            circle(&|x, z| Vec3::new(x, height, z));
        }
    }

    /// Around a shape; nothing of what is endless or a surface.
    pub(super) fn shape(&mut self, shape: &Shape, pose: &LocalPose) {
        each_part(shape, pose, &mut |part, pose| {
            let at = |point: Vec3| pose.point_to_outer(point);
            match part {
                Shape::Segment(segment) => self.0.push([at(segment.a()), at(segment.b())]),
                Shape::Sphere(sphere) => self.sphere(pose.position, sphere.radius()),
                Shape::Capsule(capsule) => {
                    self.capsule([at(capsule.core().a()), at(capsule.core().b())], capsule.radius());
                }
                Shape::Hull(hull) => self.hull(hull.core(), pose, hull.radius()),
                Shape::Cuboid(cuboid) => {
                    let axes = Mat3::from_quat(pose.rotation);
                    let half = cuboid.core().half_extents() + cuboid.radius();
                    self.cuboid(pose.position, half_axes(axes, half));
                }
                Shape::Triangle(triangle) => self.supports(triangle.core(), pose),
                Shape::Cylinder(cylinder) => self.supports(cylinder, pose),
                Shape::Cone(cone) => self.supports(cone, pose),
                Shape::Ellipsoid(ellipsoid) => self.supports(ellipsoid, pose),
                Shape::Custom(custom) => self.supports(custom.as_ref(), pose),
                Shape::Point(_) | Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {
                }
            }
        });
    }
}

/// A polytope with its rounding.
#[derive(Debug)]
struct Grown<'h> {
    hull: &'h ConvexHull,
    radius: f32,
}

impl SupportMap for Grown<'_> {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.hull.support(direction) + direction.normalize_or_zero() * self.radius
    }
}

/// The half axes of something turned.
pub(super) fn turned(rotation: Quat, half: Vec3) -> [Vec3; 3] {
    half_axes(Mat3::from_quat(rotation), half)
}

fn half_axes(axes: Mat3, half: Vec3) -> [Vec3; 3] {
    [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z]
}
