//! Shapes as what can be drawn: balls, and polytopes with faces. Smooth shapes are taken apart by their support map:
//! over a grid of directions, the farthest points are the corners of facets.

use super::colour::Colour;
use carom::body::BodyKind;
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::Pose;
use carom::shape::{Shape, SupportMap};

/// A convex thing to draw.
#[derive(Debug, Clone)]
pub(super) struct Solid {
    pub(super) form: Form,
    pub(super) colour: Colour,
    pub(super) fixed: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Form {
    /// A ball.
    Ball { centre: DVec3, radius: f64 },
    /// A polytope, or one side of a surface.
    Polytope { faces: Vec<Face>, edges: Edges },
    /// A piece of a line: where a body has been.
    Stroke { points: Vec<DVec3> },
}

/// Whether a polytope's edges are true edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    /// They are, and are drawn.
    Sharp,
    /// They come from sampling a smooth surface, and are hidden.
    Smooth,
}

/// A face: a convex polygon, counter-clockwise from outside.
#[derive(Debug, Clone)]
pub(super) struct Face {
    pub(super) corners: Vec<DVec3>,
    pub(super) normal: DVec3,
}

/// How many directions are sampled once around and from pole to pole.
const AROUND: usize = 40;
const POLE_TO_POLE: usize = 16;

/// How many steps of a path a stroke has.
const STROKE: usize = 6;

impl Solid {
    /// The solids of a shape; none for what has no area, and for half-spaces, which are ground.
    pub(super) fn of_shape(shape: &Shape, pose: &Pose, colour: Colour, kind: BodyKind) -> Vec<Self> {
        let fixed = kind == BodyKind::Fixed;
        let solid = |form| Self { form, colour, fixed };
        let sharp = |faces: Vec<Face>| solid(Form::Polytope { faces, edges: Edges::Sharp });
        let smooth = |map: &dyn SupportMap, axis: Vec3| {
            vec![solid(Form::Polytope { faces: sampled(map, axis, pose), edges: Edges::Smooth })]
        };
        match shape {
            Shape::Point(_) | Shape::Segment(_) | Shape::HalfSpace(_) => Vec::new(),
            Shape::Sphere(ball) => {
                vec![solid(Form::Ball { centre: pose.position, radius: f64::from(ball.radius()) })]
            }
            Shape::Cuboid(cuboid) if cuboid.radius() == 0.0 => {
                vec![sharp(box_faces(cuboid.core().half_extents(), pose))]
            }
            Shape::Cuboid(cuboid) => smooth(cuboid, Vec3::Y),
            Shape::Hull(hull) if hull.radius() == 0.0 => {
                let corners =
                    |face: usize| hull.core().face_corners(face).iter().map(|&at| hull.core().vertices()[at as usize]);
                vec![sharp((0..hull.core().face_count()).filter_map(|face| Face::new(corners(face), pose)).collect())]
            }
            Shape::Hull(hull) => smooth(hull, Vec3::Y),
            Shape::Triangle(triangle) if triangle.radius() == 0.0 => {
                vec![sharp(two_sides(triangle.core().corners(), pose))]
            }
            Shape::Triangle(triangle) => smooth(triangle, Vec3::Y),
            Shape::Capsule(capsule) => smooth(capsule, capsule.core().b() - capsule.core().a()),
            Shape::Cylinder(cylinder) => smooth(cylinder, Vec3::Y),
            Shape::Cone(cone) => smooth(cone, Vec3::Y),
            Shape::Ellipsoid(ellipsoid) => smooth(ellipsoid, Vec3::Y),
            Shape::Custom(custom) => smooth(custom.as_ref(), Vec3::Y),
            Shape::Mesh(mesh) => {
                (0..mesh.triangles().len()).map(|index| sharp(two_sides(mesh.corners(index), pose))).collect()
            }
            Shape::HeightField(field) => {
                (0..field.triangle_count()).map(|index| sharp(two_sides(field.corners(index), pose))).collect()
            }
            Shape::Compound(compound) => compound
                .parts()
                .iter()
                .flat_map(|part| Self::of_shape(&part.shape, &pose.compose(&part.pose), colour, kind))
                .collect(),
        }
    }

    /// A path in pieces short enough to be put in order with the solids around it.
    pub(super) fn strokes(path: &[DVec3], colour: Colour) -> Vec<Self> {
        let starts = (0..path.len().saturating_sub(1)).step_by(STROKE);
        let pieces = starts.map(|start| path[start..(start + STROKE + 1).min(path.len())].to_vec());
        pieces
            .filter(|points| points.iter().any(|point| point.distance(points[0]) > 1e-6))
            .map(|points| Self { form: Form::Stroke { points }, colour, fixed: false })
            .collect()
    }

    /// Points whose hull holds the solid, tightly.
    pub(super) fn outline(&self) -> Box<dyn Iterator<Item = DVec3> + '_> {
        match &self.form {
            Form::Ball { centre, radius } => Box::new((0..26).map(|index| {
                // The middles of the 26 neighbours of a cube, on the ball.
                let neighbour = index + usize::from(index >= 13);
                let part = |power: usize| (neighbour / power % 3) as f64 - 1.0;
                *centre + DVec3::new(part(1), part(3), part(9)).normalize() * *radius
            })),
            Form::Polytope { faces, .. } => Box::new(faces.iter().flat_map(|face| face.corners.iter().copied())),
            Form::Stroke { points } => Box::new(points.iter().copied()),
        }
    }

    /// A point in its middle.
    pub(super) fn middle(&self) -> DVec3 {
        match &self.form {
            Form::Ball { centre, .. } => *centre,
            Form::Polytope { .. } | Form::Stroke { .. } => {
                let (sum, count) =
                    self.outline().fold((DVec3::ZERO, 0.0), |(sum, count), point| (sum + point, count + 1.0));
                sum / f64::max(count, 1.0)
            }
        }
    }

    /// The range of its points along a direction of unit length.
    pub(super) fn range(&self, along: DVec3) -> (f64, f64) {
        match &self.form {
            Form::Ball { centre, radius } => (centre.dot(along) - radius, centre.dot(along) + radius),
            Form::Polytope { .. } | Form::Stroke { .. } => self
                .outline()
                .map(|point| point.dot(along))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at))),
        }
    }

    /// Its faces; none for a ball or a stroke.
    pub(super) fn faces(&self) -> &[Face] {
        match &self.form {
            Form::Ball { .. } | Form::Stroke { .. } => &[],
            Form::Polytope { faces, .. } => faces,
        }
    }
}

impl Face {
    /// A face of points in a frame; none if they have no area.
    fn new(corners: impl IntoIterator<Item = Vec3>, pose: &Pose) -> Option<Self> {
        let mut corners: Vec<DVec3> = corners.into_iter().map(|corner| pose.point_to_world(corner)).collect();
        corners.dedup_by(|a, b| a.distance_squared(*b) < 1e-16);
        let first = *corners.first()?;
        // Twice the area as a vector: right for any polygon, also one that is not quite flat.
        let area: DVec3 = corners.windows(2).map(|edge| (edge[0] - first).cross(edge[1] - first)).sum();
        let normal = area.try_normalize()?;
        Some(Self { corners, normal })
    }

    /// Whether its outside is seen from a point.
    pub(super) fn faces_towards(&self, eye: DVec3) -> bool {
        self.corners.first().is_some_and(|corner| (eye - *corner).dot(self.normal) > 0.0)
    }
}

fn two_sides(corners: [Vec3; 3], pose: &Pose) -> Vec<Face> {
    let [a, b, c] = corners;
    [[a, b, c], [c, b, a]].into_iter().filter_map(|corners| Face::new(corners, pose)).collect()
}

fn box_faces(half: Vec3, pose: &Pose) -> Vec<Face> {
    let mut faces = Vec::with_capacity(6);
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let corner = |u: f32, v: f32| {
                let mut corner = Vec3::ZERO;
                corner[axis] = sign * half[axis];
                corner[(axis + 1) % 3] = sign * u * half[(axis + 1) % 3];
                corner[(axis + 2) % 3] = v * half[(axis + 2) % 3];
                corner
            };
            faces.extend(Face::new([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], pose));
        }
    }
    faces
}

/// Facets between the farthest points along a grid of directions around `axis`.
///
/// Along the equator and the four meridians of the coordinate planes every direction comes twice, a hair to each side:
/// there the farthest point of a cylinder or a rounded box jumps, and the facet in between is exactly its flat side.
fn sampled(map: &dyn SupportMap, axis: Vec3, pose: &Pose) -> Vec<Face> {
    const HAIR: f32 = 1e-4;
    let tilt = Quat::from_rotation_arc(Vec3::Y, axis.normalize_or(Vec3::Y));
    let mut latitudes: Vec<f32> = Vec::new();
    let half_turn = std::f32::consts::PI;
    for step in 0..=POLE_TO_POLE {
        let latitude = half_turn * (step as f32 / POLE_TO_POLE as f32 - 0.5);
        match step {
            0 => latitudes.push(latitude + HAIR),
            POLE_TO_POLE => latitudes.push(latitude - HAIR),
            step if step * 2 == POLE_TO_POLE => latitudes.extend([-HAIR, HAIR]),
            _ => latitudes.push(latitude),
        }
    }
    let mut longitudes: Vec<f32> = Vec::new();
    for step in 0..AROUND {
        let longitude = 2.0 * half_turn * step as f32 / AROUND as f32;
        if step * 4 % AROUND == 0 {
            longitudes.extend([longitude - HAIR, longitude + HAIR]);
        } else {
            longitudes.push(longitude);
        }
    }
    let point = |latitude: f32, longitude: f32| {
        let ring = latitude.cos();
        map.support(tilt * Vec3::new(ring * longitude.sin(), latitude.sin(), ring * longitude.cos()))
    };
    let rings: Vec<Vec<Vec3>> = latitudes
        .iter()
        .map(|&latitude| longitudes.iter().map(|&longitude| point(latitude, longitude)).collect())
        .collect();
    let mut faces = Vec::new();
    for pair in rings.windows(2) {
        let [below, above] = pair else { continue };
        for at in 0..longitudes.len() {
            let next = (at + 1) % longitudes.len();
            faces.extend(Face::new([below[at], below[next], above[next], above[at]], pose));
        }
    }
    if let (Some(bottom), Some(top)) = (rings.first(), rings.last()) {
        faces.extend(Face::new(top.iter().copied(), pose));
        faces.extend(Face::new(bottom.iter().rev().copied(), pose));
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces(shape: &Shape) -> Vec<Face> {
        let solids = Solid::of_shape(shape, &Pose::IDENTITY, Colour::FIXED, BodyKind::Dynamic);
        solids.iter().flat_map(|solid| solid.faces().to_vec()).collect()
    }

    /// By the divergence theorem, which only holds for a closed surface whose faces all look outward.
    fn volume(faces: &[Face]) -> f64 {
        let triangle = |a: DVec3, b: DVec3, c: DVec3| a.dot(b.cross(c)) / 6.0;
        let fan =
            |face: &Face| face.corners.windows(2).map(|edge| triangle(face.corners[0], edge[0], edge[1])).sum::<f64>();
        faces.iter().map(fan).sum()
    }

    #[test]
    fn facets_enclose_the_volume_of_the_shape() {
        let pi = std::f64::consts::PI;
        let (r, h): (f64, f64) = (0.7, 1.2);
        let sound = |shape: Result<Shape, carom::shape::ShapeError>| shape.expect("the sizes are sound");
        for (shape, expected) in [
            (sound(Shape::cuboid(1.0, 2.0, 3.0)), 48.0),
            (sound(Shape::cylinder(1.2, 0.7)), pi * r * r * 2.0 * h),
            (sound(Shape::cone(1.2, 0.7)), pi * r * r * 2.0 * h / 3.0),
            (sound(Shape::capsule(1.2, 0.7)), pi * r * r * (2.0 * h + 4.0 / 3.0 * r)),
            (sound(Shape::capsule_between([0.0; 3], [1.0, 2.0, 2.0], 0.7)), pi * r * r * (3.0 + 4.0 / 3.0 * r)),
            (sound(Shape::ellipsoid(0.5, 1.0, 2.0)), 4.0 / 3.0 * pi),
            (sound(sound(Shape::cuboid(1.0, 2.0, 3.0)).rounded(0.0001)), 48.0),
        ] {
            let found = volume(&faces(&shape));
            // Facets cut off a little of what is round.
            assert!((0.95..1.001).contains(&(found / expected)), "{shape:?}: {found} and not {expected}");
        }
    }

    #[test]
    fn from_any_side_some_faces_are_seen_and_some_are_not() {
        let shape = Shape::cuboid(1.0, 2.0, 3.0).expect("the sizes are sound");
        for eye in [DVec3::new(9.0, 8.0, 7.0), DVec3::new(-9.0, 0.1, 0.2)] {
            let seen = faces(&shape).iter().filter(|face| face.faces_towards(eye)).count();
            assert_eq!(seen, if eye.x > 0.0 { 3 } else { 1 });
        }
    }
}
