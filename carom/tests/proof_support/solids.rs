//! Random solids of the seven kinds, with their supports and their outsides from first principles.

use crate::random::direction;
use carom::glam::{DVec3, Vec3};
use carom::shape::Shape;
use fastrand::Rng;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Cuboid,
    Hull32,
    Hull256,
    Capsule,
    Cylinder,
    Cone,
    Ellipsoid,
}

pub const KINDS: [Kind; 7] =
    [Kind::Cuboid, Kind::Hull32, Kind::Hull256, Kind::Capsule, Kind::Cylinder, Kind::Cone, Kind::Ellipsoid];

/// All 28 pairs of kinds.
pub fn pairs_of_kinds() -> impl Iterator<Item = [Kind; 2]> {
    KINDS.iter().enumerate().flat_map(|(first, a)| KINDS[first..].iter().map(|b| [*a, *b]))
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuboid => "box",
            Self::Hull32 => "hull32",
            Self::Hull256 => "hull256",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Ellipsoid => "ellipsoid",
        }
    }
}

/// What a solid is made of, in f64 and in its own frame.
#[derive(Debug, Clone)]
pub enum Form {
    Polytope(Polytope),
    /// Half of the segment's length along y, and the radius.
    Capsule(f64, f64),
    /// Half of the height along y, and the radius.
    Cylinder(f64, f64),
    /// Half of the height along y, and the radius of the base.
    Cone(f64, f64),
    /// The radii.
    Ellipsoid(DVec3),
}

#[derive(Debug, Clone, Default)]
pub struct Polytope {
    pub corners: Vec<DVec3>,
    /// Outward unit normals, and how far the planes are from the origin.
    pub planes: Vec<(DVec3, f64)>,
    pub edges: Vec<[usize; 2]>,
    /// Of each edge, the two directions at right angles to it that lead into its faces.
    pub into_faces: Vec<[DVec3; 2]>,
}

#[derive(Debug, Clone)]
pub struct Solid {
    pub shape: Shape,
    pub form: Form,
    /// The radius of the ball around its origin.
    pub size: f64,
    /// What makes it again.
    pub recipe: String,
}

impl Solid {
    /// A solid from a seed. A quarter of them are well rounded, a quarter thin by up to 1 : 100, and a quarter of the
    /// hulls are prisms, with many edges that are parallel.
    pub fn random(kind: Kind, seed: u64, scale: f32) -> Self {
        let mut random = Rng::with_seed(seed * 1_000 + kind as u64);
        let mut part = || match seed % 4 {
            0 => 0.5 + 0.5 * random.f32(),
            3 => 0.01_f32.powf(random.f32()),
            _ => 0.2 + 0.8 * random.f32(),
        };
        let [x, y, z] = [part() * scale, part() * scale, part() * scale];
        let count = if kind == Kind::Hull32 { 32 } else { 256 };
        let shape = match kind {
            Kind::Cuboid => Shape::cuboid(x, y, z),
            Kind::Capsule => Shape::capsule(x, y),
            Kind::Cylinder => Shape::cylinder(x, y),
            Kind::Cone => Shape::cone(x, y),
            Kind::Ellipsoid => Shape::ellipsoid(x, y, z),
            Kind::Hull32 | Kind::Hull256 if seed % 4 == 1 => Shape::hull(&prism(count, Vec3::new(x, y, z))),
            Kind::Hull32 | Kind::Hull256 => {
                let points: Vec<Vec3> =
                    (0..count).map(|_| direction(&mut random).as_vec3() * Vec3::new(x, y, z)).collect();
                Shape::hull(&points)
            }
        };
        let recipe = format!("Solid::random(Kind::{kind:?}, {seed}, {scale:e})");
        Self::of(shape.unwrap(), recipe)
    }

    /// The solid of a shape that is one of the seven kinds.
    pub fn of(shape: Shape, recipe: String) -> Self {
        let form = match &shape {
            Shape::Cuboid(cuboid) => Form::Polytope(Polytope::cuboid(cuboid.core().half_extents().as_dvec3())),
            Shape::Hull(hull) => {
                let hull = hull.core();
                let corners: Vec<DVec3> = hull.vertices().iter().map(|corner| corner.as_dvec3()).collect();
                let faces = (0..hull.face_count()).map(|face| {
                    hull.face_corners(face).iter().map(|&corner| corners[corner as usize]).collect::<Vec<_>>()
                });
                let planes = faces.map(|face| plane(&face)).collect();
                let edges = hull.edges().iter().map(|edge| edge.vertices.map(|corner| corner as usize)).collect();
                Form::Polytope(Polytope::new(corners, planes, edges))
            }
            Shape::Capsule(capsule) => {
                Form::Capsule(f64::from(capsule.core().b().y.abs()), f64::from(capsule.radius()))
            }
            Shape::Cylinder(cylinder) => {
                Form::Cylinder(f64::from(cylinder.half_height()), f64::from(cylinder.radius()))
            }
            Shape::Cone(cone) => Form::Cone(f64::from(cone.half_height()), f64::from(cone.radius())),
            Shape::Ellipsoid(ellipsoid) => Form::Ellipsoid(ellipsoid.radii().as_dvec3()),
            other => panic!("{other:?} is none of the seven kinds"),
        };
        let size = match &form {
            Form::Polytope(polytope) => polytope.corners.iter().map(|corner| corner.length()).fold(0.0, f64::max),
            Form::Capsule(half, radius) => half + radius,
            Form::Cylinder(half, radius) | Form::Cone(half, radius) => half.hypot(*radius),
            Form::Ellipsoid(radii) => radii.max_element(),
        };
        Self { shape, form, size, recipe }
    }

    /// A farthest point along a direction of any length but zero.
    pub fn support(&self, along: DVec3) -> DVec3 {
        let rim = |radius: f64| {
            let length = along.x.hypot(along.z);
            if length > 0.0 { DVec3::new(along.x, 0.0, along.z) * (radius / length) } else { DVec3::ZERO }
        };
        match &self.form {
            Form::Polytope(polytope) => {
                let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
                for &corner in &polytope.corners {
                    let reach = corner.dot(along);
                    if reach > best.0 {
                        best = (reach, corner);
                    }
                }
                best.1
            }
            &Form::Capsule(half, radius) => DVec3::Y * half.copysign(along.y) + along.normalize() * radius,
            &Form::Cylinder(half, radius) => rim(radius) + DVec3::Y * half.copysign(along.y),
            &Form::Cone(half, radius) => {
                let (apex, base) = (DVec3::Y * half, rim(radius) - DVec3::Y * half);
                if apex.dot(along) > base.dot(along) { apex } else { base }
            }
            Form::Ellipsoid(radii) => *radii * *radii * along / (*radii * along).length(),
        }
    }

    /// How far outside a point is: an upper bound, zero inside. For polytopes it is right only next to a face, which is
    /// why callers ask `minimum_norm` where it is not small.
    pub fn outside(&self, point: DVec3) -> f64 {
        let around = point.x.hypot(point.z);
        match &self.form {
            Form::Polytope(polytope) => {
                let above = polytope.planes.iter().map(|(normal, offset)| normal.dot(point) - offset);
                above.fold(0.0, f64::max)
            }
            &Form::Capsule(half, radius) => {
                ((point - DVec3::Y * point.y.clamp(-half, half)).length() - radius).max(0.0)
            }
            &Form::Cylinder(half, radius) => (around - radius).max(0.0).hypot((point.y.abs() - half).max(0.0)),
            &Form::Cone(half, radius) => {
                // In the half-plane of the axis and the point: above the slanted side, or below the base.
                let (side, length) = ((2.0 * half, radius), (2.0 * half).hypot(radius));
                let above = (side.0 * around + side.1 * (point.y - half)) / length;
                if point.y >= -half && above <= 0.0 {
                    return 0.0;
                }
                let share = ((half - point.y) * 2.0 * half + around * radius) / (length * length);
                let share = share.clamp(0.0, 1.0);
                let to_side = (around - share * radius).hypot(point.y - half + share * 2.0 * half);
                let to_base = (around - around.min(radius)).hypot(point.y + half);
                to_side.min(to_base)
            }
            Form::Ellipsoid(radii) => {
                let stretched = (point / *radii).length();
                if stretched <= 1.0 { 0.0 } else { point.length() * (1.0 - 1.0 / stretched) }
            }
        }
    }

    /// A random point well inside.
    pub fn inner_point(&self, random: &mut Rng) -> DVec3 {
        let (p, q) = (self.support(direction(random)), self.support(direction(random)));
        let share = random.f64();
        let middle = if let Form::Polytope(polytope) = &self.form {
            polytope.corners.iter().sum::<DVec3>() / polytope.corners.len() as f64
        } else {
            DVec3::ZERO
        };
        middle + (p * share + q * (1.0 - share) - middle) * (0.95 * random.f64())
    }

    /// The outward normal of a flat face, or of where the surface is flattest.
    pub fn face_normal(&self, random: &mut Rng) -> DVec3 {
        let up_or_down = DVec3::Y * f64::from(random.i8(0..2) * 2 - 1);
        let angle = random.f64() * std::f64::consts::TAU;
        let around = DVec3::new(angle.cos(), 0.0, angle.sin());
        match &self.form {
            Form::Polytope(polytope) => polytope.planes[random.usize(0..polytope.planes.len())].0,
            Form::Capsule(..) => around,
            Form::Cylinder(..) => [up_or_down, around][random.usize(0..2)],
            Form::Cone(half, radius) => {
                let side = (around * (2.0 * half) + DVec3::Y * *radius).normalize();
                [-DVec3::Y, side][random.usize(0..2)]
            }
            Form::Ellipsoid(_) => DVec3::AXES[random.usize(0..3)],
        }
    }

    /// The direction of an edge or of a straight line on the surface, and an outward direction at right angles to it
    /// along which that edge is reached.
    pub fn edge(&self, random: &mut Rng) -> [DVec3; 2] {
        match &self.form {
            Form::Polytope(polytope) => {
                let [from, to] = polytope.edges[random.usize(0..polytope.edges.len())];
                let (from, to) = (polytope.corners[from], polytope.corners[to]);
                let along = (to - from).normalize();
                // Between the normals of its two faces.
                let normals = faces_of_edge(&polytope.planes, from, to);
                let out = normals[0] + normals[1] * (0.2 + random.f64());
                [along, (out - along * along.dot(out)).normalize()]
            }
            Form::Capsule(..) | Form::Cylinder(..) => {
                let angle = random.f64() * std::f64::consts::TAU;
                [DVec3::Y, DVec3::new(angle.cos(), 0.0, angle.sin())]
            }
            Form::Cone(half, radius) => {
                let angle = random.f64() * std::f64::consts::TAU;
                let around = DVec3::new(angle.cos(), 0.0, angle.sin());
                let out = (around * (2.0 * half) + DVec3::Y * *radius).normalize();
                [(around * *radius - DVec3::Y * (2.0 * half)).normalize(), out]
            }
            Form::Ellipsoid(_) => {
                let first = random.usize(0..3);
                [DVec3::AXES[first], DVec3::AXES[(first + 1) % 3]]
            }
        }
    }
}

impl Polytope {
    fn cuboid(half: DVec3) -> Self {
        let corner = |index: usize| {
            let sign = |bit: usize| if index >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        };
        let planes = (0..3).flat_map(|axis| [(DVec3::AXES[axis], half[axis]), (-DVec3::AXES[axis], half[axis])]);
        let edges = (0..8).flat_map(|from| (0..3).map(move |bit| [from, from | 1 << bit])).filter(|[p, q]| p != q);
        Self::new((0..8).map(corner).collect(), planes.collect(), edges.collect())
    }

    fn new(corners: Vec<DVec3>, planes: Vec<(DVec3, f64)>, edges: Vec<[usize; 2]>) -> Self {
        let into_faces = edges.iter().map(|edge| {
            let [from, to] = edge.map(|corner| corners[corner]);
            let normals = faces_of_edge(&planes, from, to);
            [(0, 1), (1, 0)].map(|(one, other)| {
                let into = normals[one].cross(to - from).normalize();
                if into.dot(normals[other]) > 0.0 { -into } else { into }
            })
        });
        let into_faces = into_faces.collect();
        Self { corners, planes, edges, into_faces }
    }
}

/// The normals of the two faces that an edge belongs to: those whose planes come nearest to it.
fn faces_of_edge(planes: &[(DVec3, f64)], from: DVec3, to: DVec3) -> [DVec3; 2] {
    let mut nearest = [(f64::INFINITY, DVec3::ZERO); 2];
    for (normal, offset) in planes {
        let below = (offset - normal.dot(from)).max(offset - normal.dot(to));
        if below < nearest[0].0 {
            nearest = [(below, *normal), nearest[0]];
        } else if below < nearest[1].0 {
            nearest[1] = (below, *normal);
        }
    }
    nearest.map(|(_, normal)| normal)
}

/// The plane of a face that turns counter-clockwise: its normal by all corners, and the farthest corner along it.
fn plane(face: &[DVec3]) -> (DVec3, f64) {
    let fan = (2..face.len()).map(|last| (face[last - 1] - face[0]).cross(face[last] - face[0]));
    let normal = fan.sum::<DVec3>().normalize();
    (normal, face.iter().map(|corner| corner.dot(normal)).fold(f64::NEG_INFINITY, f64::max))
}

/// A prism with this many corners.
fn prism(count: usize, half: Vec3) -> Vec<Vec3> {
    let step = 2.0 * std::f32::consts::TAU / count as f32;
    let corner = |index: usize| {
        let (sine, cosine) = ((index / 2) as f32 * step).sin_cos();
        half * Vec3::new(cosine, if index.is_multiple_of(2) { 1.0 } else { -1.0 }, sine)
    };
    (0..count).map(corner).collect()
}
