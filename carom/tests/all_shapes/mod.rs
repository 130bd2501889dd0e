//! One shape of every kind that there is, each with its mirror image behind the plane x = 0.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use crate::proof_support::solids::{KINDS, Solid};
use crate::random::{cube, direction, rotation};
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::shape::{Part, Shape, SupportMap};
use fastrand::Rng;

/// A shape, its mirror image, and the radius of the ball around its origin; infinite for a half-space.
pub struct Sized {
    pub name: &'static str,
    pub shape: Shape,
    pub mirrored: Shape,
    pub size: f64,
}

/// A user's shape: the convex hull of a few points, as a support map.
#[derive(Debug)]
struct Cloud(Vec<Vec3>);

impl SupportMap for Cloud {
    fn support(&self, along: Vec3) -> Vec3 {
        let reach = |point: &Vec3| along.as_dvec3().dot(point.as_dvec3());
        let farthest = self.0.iter().max_by(|one, other| reach(one).total_cmp(&reach(other)));
        farthest.copied().unwrap_or_default()
    }
}

pub fn mirrored_point(point: Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// The rotation of the mirror image: about the mirrored axis, the other way round.
fn mirrored_turn(turn: Quat) -> Quat {
    Quat::from_xyzw(turn.x, -turn.y, -turn.z, turn.w)
}

pub fn mirrored_pose(pose: &Pose) -> Pose {
    Pose::new(pose.position * DVec3::new(-1.0, 1.0, 1.0), mirrored_turn(pose.rotation))
}

fn mirrored_points(points: &[Vec3]) -> Vec<Vec3> {
    points.iter().copied().map(mirrored_point).collect()
}

/// The mirror image of a shape; of fields, whose heights are not written back to front here, themselves.
fn mirrored(shape: &Shape) -> Shape {
    let image = match shape {
        Shape::Segment(segment) => Shape::segment(mirrored_point(segment.a()), mirrored_point(segment.b())),
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.core().corners().map(mirrored_point);
            let sharp = Shape::triangle(a, b, c);
            if triangle.radius() > 0.0 { sharp.and_then(|sharp| sharp.rounded(triangle.radius())) } else { sharp }
        }
        Shape::Hull(hull) => {
            let sharp = Shape::hull(&mirrored_points(hull.core().vertices()));
            if hull.radius() > 0.0 { sharp.and_then(|sharp| sharp.rounded(hull.radius())) } else { sharp }
        }
        Shape::HalfSpace(half_space) => Shape::half_space(mirrored_point(half_space.normal())),
        Shape::Mesh(mesh) => {
            let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
            Shape::mesh(mirrored_points(mesh.vertices()), triangles)
        }
        Shape::Compound(compound) => {
            let part = |part: &Part| Part {
                pose: LocalPose::new(mirrored_point(part.pose.position), mirrored_turn(part.pose.rotation)),
                shape: mirrored(&part.shape),
            };
            Shape::compound(compound.parts().iter().map(part).collect())
        }
        // The same from both sides.
        Shape::Point(_)
        | Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::HeightField(_)
        | Shape::Custom(_) => Ok(shape.clone()),
    };
    image.expect("what is sound is sound in a mirror")
}

/// Heights that make every cell a plane, so that the mirror image has the same surface; all digits are exact.
fn field(random: &mut Rng, scale: f32) -> [Shape; 2] {
    let mut ramp = || (0..5).map(|_| f32::from(random.u8(0..32)) / 64.0).collect::<Vec<f32>>();
    let (across, along) = (ramp(), ramp());
    // Heights are shares of a power of two, so that no sum is rounded.
    let unit = 2f32.powi(scale.log2().floor() as i32);
    let field = |is_mirrored: bool| {
        let column = |index: usize| if is_mirrored { 4 - index % 5 } else { index % 5 };
        let heights = (0..25).map(|index| (across[column(index)] + along[index / 5]) * unit).collect();
        Shape::height_field(5, 5, heights, [0.4 * scale, 0.4 * scale]).expect("sound heights")
    };
    [field(false), field(true)]
}

/// A ball of triangles with bumps: closed, and not convex.
fn rock(random: &mut Rng, scale: f32) -> Shape {
    let (vertices, triangles) = crate::meshes::box_mesh(Vec3::splat(0.5 * scale), Vec3::ZERO);
    // Each face in four around its middle, and every vertex moved a little.
    let mut points = vertices;
    let mut finer = Vec::new();
    for quad in triangles.chunks(2) {
        let [a, b, c, d] = [quad[0][0], quad[0][1], quad[0][2], quad[1][2]];
        let corners = [a, b, c, d].map(|corner| points[corner as usize]);
        let middle = points.len() as u32;
        points.push(corners.iter().sum::<Vec3>() * (0.25 * (0.6 + 0.8 * random.f32())));
        finer.extend([[a, b, middle], [b, c, middle], [c, d, middle], [d, a, middle]]);
    }
    points.iter_mut().take(8).for_each(|point| *point *= 0.8 + 0.4 * random.f32());
    Shape::mesh(points, finer).expect("a sound mesh")
}

/// A few triangles that have nothing to do with each other.
fn soup(random: &mut Rng, scale: f32) -> Shape {
    let vertices: Vec<Vec3> = (0..18).map(|_| cube(random).as_vec3() * (0.6 * scale)).collect();
    Shape::mesh(vertices, (0..6).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect()).expect("a soup")
}

fn compound(random: &mut Rng, scale: f32, of: &[&Shape]) -> Shape {
    let part = |shape: &&Shape| Part {
        pose: LocalPose::new(cube(random).as_vec3() * (0.5 * scale), rotation(random)),
        shape: (*shape).clone(),
    };
    Shape::compound(of.iter().map(part).collect()).expect("sound parts")
}

/// One shape of each kind, about as large as `scale`.
pub fn all_shapes(random: &mut Rng, scale: f32) -> Vec<Sized> {
    let mut found: Vec<(&'static str, Shape, f64)> = Vec::new();
    for kind in KINDS {
        let solid = Solid::random(kind, random.u64(0..1_000), scale);
        found.push((kind.name(), solid.shape, solid.size));
    }
    let corners = [(); 3].map(|()| cube(random).as_vec3() * scale);
    let size = f64::from(scale) * 3.0_f64.sqrt();
    found.push(("point", Shape::point(), size));
    found.push(("segment", Shape::segment(corners[0], corners[1]).expect("two points"), size));
    found.push(("triangle", Shape::triangle(corners[0], corners[1], corners[2]).expect("three points"), size));
    let radius = 0.3 * scale;
    for (name, from) in [("rounded box", 0), ("rounded hull", 1), ("rounded triangle", 9)] {
        let grown = found[from].1.rounded(radius).expect("a sound radius");
        found.push((name, grown, found[from].2 + f64::from(radius)));
    }
    found.push(("ball", Shape::sphere(radius).expect("a sound radius"), radius.into()));
    let normal = direction(random).as_vec3();
    found.push(("half-space", Shape::half_space(normal).expect("a direction"), f64::INFINITY));
    found.push(("mesh", rock(random, scale), size));
    found.push(("open mesh", soup(random, scale), size));
    let parts = compound(random, scale, &[&found[0].1, &found[1].1, &found[13].1]);
    found.push(("compound", parts, 2.0 * size));
    let parts = compound(random, scale, &[&found[15].1, &found[3].1]);
    found.push(("compound with a mesh", parts, 2.0 * size));
    let sized =
        |(name, shape, size): (&'static str, Shape, f64)| Sized { name, mirrored: mirrored(&shape), shape, size };
    let mut found: Vec<Sized> = found.into_iter().map(sized).collect();
    let cloud: Vec<Vec3> = (0..10).map(|_| cube(random).as_vec3() * (0.6 * scale)).collect();
    let (shape, image) = (Shape::custom(Cloud(cloud.clone())), Shape::custom(Cloud(mirrored_points(&cloud))));
    found.push(Sized { name: "user's", shape, mirrored: image, size });
    let [shape, image] = field(random, scale);
    found.push(Sized { name: "height field", shape, mirrored: image, size });
    found
}
