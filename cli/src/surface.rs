//! Shapes as triangles, for pages and files that know nothing else.
//!
//! A convex shape's surface is the hull of its farthest points along many directions; polytopes give their corners, with
//! their rounding spread over the same directions.

use carom::glam::Vec3;
use carom::shape::{ConvexHull, HeightField, Shape, SupportMap, TriangleMesh};

/// Triangles over vertices, counter-clockwise from outside, in the shape's frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The edges between faces; empty for meshes and height fields.
    pub(crate) edges: Vec<[u32; 2]>,
}

/// How many directions a curved surface is looked at along.
const DIRECTIONS: usize = 400;
/// And the rounding of each corner of a polytope, within these limits.
const CORNER_DIRECTIONS: [usize; 2] = [60, 200];

impl Surface {
    /// The surface of a shape; none for what has none, is endless, or is made of other shapes.
    pub(crate) fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Point(_) | Shape::Segment(_) | Shape::HalfSpace(_) | Shape::Compound(_) => None,
            Shape::Hull(hull) if hull.radius() == 0.0 => Some(Self::of_hull(hull.core())),
            Shape::Hull(hull) => Self::rounded(hull.core().vertices(), hull.radius()),
            Shape::Cuboid(cuboid) => Self::rounded(&cuboid.core().corners(), cuboid.radius()),
            Shape::Triangle(triangle) if triangle.radius() == 0.0 => Some(Self {
                vertices: triangle.core().corners().to_vec(),
                triangles: vec![[0, 1, 2], [2, 1, 0]],
                edges: vec![[0, 1], [1, 2], [2, 0]],
            }),
            Shape::Triangle(triangle) => Self::rounded(&triangle.core().corners(), triangle.radius()),
            Shape::Capsule(capsule) => Self::rounded(&[capsule.core().a(), capsule.core().b()], capsule.radius()),
            Shape::Cylinder(cylinder) => {
                let (height, radius) = (cylinder.half_height(), cylinder.radius());
                Self::around(&[height, -height].map(|height| ring(height, radius)).concat())
            }
            Shape::Cone(cone) => {
                let mut points = ring(-cone.half_height(), cone.radius());
                points.push(Vec3::Y * cone.half_height());
                Self::around(&points)
            }
            Shape::Sphere(sphere) => Self::sampled(sphere),
            Shape::Ellipsoid(ellipsoid) => Self::sampled(ellipsoid),
            Shape::Custom(custom) => Self::sampled(custom.as_ref()),
            Shape::Mesh(mesh) => Some(Self::of_mesh(mesh)),
            Shape::HeightField(field) => Some(Self::of_height_field(field)),
        }
    }

    /// The hull of points; none if they span no volume.
    pub(crate) fn around(points: &[Vec3]) -> Option<Self> {
        ConvexHull::new(points).ok().map(|hull| Self::of_hull(&hull))
    }

    fn of_hull(hull: &ConvexHull) -> Self {
        let mut triangles = Vec::new();
        for face in 0..hull.face_count() {
            let corners = hull.face_corners(face);
            triangles.extend(corners.windows(2).skip(1).map(|side| [corners[0], side[0], side[1]]));
        }
        let edges = hull.edges().iter().map(|edge| edge.vertices).collect();
        Self { vertices: hull.vertices().to_vec(), triangles, edges }
    }

    fn rounded(corners: &[Vec3], radius: f32) -> Option<Self> {
        if radius == 0.0 {
            return Self::around(corners);
        }
        let [least, most] = CORNER_DIRECTIONS;
        let count = (DIRECTIONS / corners.len().max(1)).clamp(least, most);
        let grown = |corner: &Vec3| {
            let corner = *corner;
            directions(count).map(move |direction| corner + direction * radius)
        };
        let points: Vec<Vec3> = corners.iter().flat_map(grown).collect();
        Self::around(&points).map(|surface| Self { edges: Vec::new(), ..surface })
    }

    fn sampled(map: &dyn SupportMap) -> Option<Self> {
        let points: Vec<Vec3> = directions(DIRECTIONS).map(|direction| map.support(direction)).collect();
        Self::around(&points).map(|surface| Self { edges: Vec::new(), ..surface })
    }

    fn of_mesh(mesh: &TriangleMesh) -> Self {
        Self { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec(), edges: Vec::new() }
    }

    fn of_height_field(field: &HeightField) -> Self {
        let mut surface = Self::default();
        for index in 0..field.triangle_count() {
            let first = surface.vertices.len() as u32;
            surface.vertices.extend(field.corners(index));
            surface.triangles.push([first, first + 1, first + 2]);
        }
        surface
    }
}

/// Unit vectors spread evenly over the sphere: a spiral by the golden angle.
pub(crate) fn directions(count: usize) -> impl Iterator<Item = Vec3> {
    const GOLDEN_ANGLE: f32 = 2.399_963;
    (0..count).map(move |index| {
        let y = 1.0 - (2.0 * index as f32 + 1.0) / count as f32;
        let (sine, cosine) = (index as f32 * GOLDEN_ANGLE).sin_cos();
        let ring = (1.0 - y * y).max(0.0).sqrt();
        Vec3::new(ring * cosine, y, ring * sine)
    })
}

fn ring(height: f32, radius: f32) -> Vec<Vec3> {
    const AROUND: usize = 48;
    let angle = |index: usize| index as f32 * std::f32::consts::TAU / AROUND as f32;
    (0..AROUND).map(|index| Vec3::new(radius * angle(index).cos(), height, radius * angle(index).sin())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the divergence theorem, which holds only for closed surfaces whose triangles all look outward.
    fn volume(surface: &Surface) -> f32 {
        let corner = |index: u32| surface.vertices[index as usize];
        surface.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
    }

    #[test]
    fn surfaces_enclose_the_volume_of_their_shapes() -> Result<(), Box<dyn std::error::Error>> {
        let pi = std::f32::consts::PI;
        for (shape, expected) in [
            (Shape::cuboid(1.0, 2.0, 3.0)?, 48.0),
            (Shape::sphere(0.5)?, pi / 6.0),
            (Shape::cylinder(1.2, 0.7)?, pi * 0.49 * 2.4),
            (Shape::cone(1.2, 0.7)?, pi * 0.49 * 0.8),
            (Shape::capsule(1.2, 0.7)?, pi * 0.49 * (2.4 + 4.0 / 3.0 * 0.7)),
            (Shape::ellipsoid(0.5, 1.0, 2.0)?, 4.0 / 3.0 * pi),
            (Shape::cuboid(1.0, 1.0, 1.0)?.rounded(0.01)?, 8.0 + 24.0 * 0.01),
        ] {
            let found = Surface::of(&shape).map_or(0.0, |surface| volume(&surface));
            assert!((0.94..1.001).contains(&(found / expected)), "{shape:?}: {found} and not {expected}");
        }
        assert!(Surface::of(&Shape::half_space([0.0, 1.0, 0.0])?).is_none());
        Ok(())
    }
}
