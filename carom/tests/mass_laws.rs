//! Laws that mass properties obey whatever the shape: rigid motions, the parallel axis, principal axes, and the same
//! solid described in several ways.

mod meshes;
mod random;

use carom::glam::{DMat3, DQuat, DVec3, Mat3};
use carom::mass::MassProperties;
use carom::prelude::*;
use carom::shape::Part;
use meshes::box_mesh;
use random::{between, rotation, vector};

const CASES: usize = 10_000;

fn pose(random: &mut fastrand::Rng) -> LocalPose {
    LocalPose::new(vector(random, 5.0), rotation(random))
}

/// The greatest difference of two matrices' elements.
fn difference(a: Mat3, b: Mat3) -> f32 {
    (a - b).to_cols_array().into_iter().fold(0.0, |greatest, element| greatest.max(element.abs()))
}

fn assert_alike(name: &str, a: &MassProperties, b: &MassProperties, tolerance: f32) {
    let size = (a.inertia.x_axis.x + a.inertia.y_axis.y + a.inertia.z_axis.z).abs();
    let reach = a.center_of_mass.length() + (size / a.mass).sqrt();
    assert!((a.mass - b.mass).abs() <= tolerance * a.mass, "{name}: mass {} and {}", a.mass, b.mass);
    let apart = a.center_of_mass.distance(b.center_of_mass);
    assert!(apart <= tolerance * reach, "{name}: centres {} and {}", a.center_of_mass, b.center_of_mass);
    let apart = difference(a.inertia, b.inertia);
    assert!(apart <= tolerance * size, "{name}: inertias {} and {}", a.inertia, b.inertia);
}

/// Point masses with their own sums, in f64.
struct Cloud {
    points: Vec<(f64, DVec3)>,
}

impl Cloud {
    fn new(random: &mut fastrand::Rng) -> Self {
        let count = random.usize(4..12);
        let points = (0..count).map(|_| (random.f64() + 0.1, vector(random, 3.0).as_dvec3())).collect();
        Self { points }
    }

    fn mass(&self) -> f64 {
        self.points.iter().map(|(mass, _)| mass).sum()
    }

    fn center(&self) -> DVec3 {
        self.points.iter().map(|(mass, at)| *at * *mass).sum::<DVec3>() / self.mass()
    }

    /// Σ m (|r|² − r rᵀ) about a point.
    fn inertia_about(&self, point: DVec3) -> DMat3 {
        self.points.iter().fold(DMat3::ZERO, |sum, (mass, at)| {
            let r = *at - point;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            sum + (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * *mass
        })
    }

    fn properties(&self) -> MassProperties {
        MassProperties {
            mass: self.mass() as f32,
            center_of_mass: self.center().as_vec3(),
            inertia: self.inertia_about(self.center()).as_mat3(),
        }
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let turn: DQuat = pose.rotation.as_dquat().normalize();
        Self { points: self.points.iter().map(|(m, at)| (*m, turn * *at + pose.position.as_dvec3())).collect() }
    }
}

#[test]
fn rigid_motions_and_the_parallel_axis_agree_with_point_masses() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..CASES {
        let (cloud, other) = (Cloud::new(&mut random), Cloud::new(&mut random));
        let properties = cloud.properties();
        let point = vector(&mut random, 5.0);
        let expected = cloud.inertia_about(point.as_dvec3()).as_mat3();
        let size = expected.x_axis.x + expected.y_axis.y + expected.z_axis.z;
        assert!(difference(properties.about(point), expected) < 2e-6 * size);

        let motion = pose(&mut random);
        assert_alike("moved", &properties.moved(&motion), &cloud.moved(&motion).properties(), 2e-6);

        let both = Cloud { points: cloud.points.iter().chain(&other.points).copied().collect() };
        let sum = MassProperties::combined([properties, other.properties()]).unwrap();
        assert_alike("combined", &sum, &both.properties(), 2e-6);
    }
}

#[test]
fn moving_there_and_back_changes_nothing() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..CASES {
        let properties = Cloud::new(&mut random).properties();
        let motion = pose(&mut random);
        assert_alike("back", &properties.moved(&motion).moved(&motion.inverse()), &properties, 2e-6);
    }
}

/// A right-handed frame in which the tensor is diagonal, its moments those of a body.
fn check_principal(properties: &MassProperties, tolerance: f32) {
    let (moments, frame) = properties.principal();
    let axes = Mat3::from_quat(frame);
    assert!(difference(axes * axes.transpose(), Mat3::IDENTITY) < 1e-6, "{axes} is not orthonormal");
    assert!(axes.determinant() > 0.0);
    let largest = moments.max_element();
    assert!(moments.min_element() > 0.0, "{moments}");
    assert!(moments.x <= moments.y + moments.z, "{moments}");
    assert!(moments.y <= moments.z + moments.x, "{moments}");
    assert!(moments.z <= moments.x + moments.y, "{moments}");
    let rebuilt = (axes.as_dmat3() * DMat3::from_diagonal(moments.as_dvec3()) * axes.as_dmat3().transpose()).as_mat3();
    let apart = difference(rebuilt, properties.inertia);
    assert!(apart <= tolerance * largest, "{} rebuilt as {rebuilt}, {apart:e} off", properties.inertia);
    let inverse = properties.inverse_inertia();
    assert_eq!(inverse, inverse.transpose());
    assert!(inverse.is_finite());
    let unit = (inverse.as_dmat3() * properties.inertia.as_dmat3()).as_mat3();
    let condition = largest / moments.min_element();
    assert!(difference(unit, Mat3::IDENTITY) < 1e-6 * condition, "{unit} should be the identity");
    // The inverse must not give energy to any spin: eᵀ I⁻¹ e > 0.
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, axes.x_axis, axes.y_axis, axes.z_axis] {
        assert!(axis.dot(inverse * axis) > 0.0, "{inverse} is not positive definite");
    }
}

#[test]
fn principal_axes_rebuild_the_tensor() {
    let mut random = fastrand::Rng::with_seed(3);
    for case in 0..CASES {
        // From equal moments to those of needles, at scales from 1e-12 to 1e12, askew or not.
        let mut spread = [(); 3].map(|()| 10.0_f32.powf(between(&mut random, -3.0, 0.0)));
        match case % 5 {
            0 => spread[1] = spread[0],
            1 => spread = [spread[0]; 3],
            2 => spread[2] = spread[1] * (1.0 + 1e-6),
            _ => {}
        }
        let scale = 10.0_f32.powf(between(&mut random, -12.0, 12.0));
        let [x, y, z] = spread.map(|part| part * scale);
        let inertia = Mat3::from_diagonal(Vec3::new(y + z, z + x, x + y));
        let straight = MassProperties { mass: scale, center_of_mass: Vec3::ZERO, inertia };
        let (moments, frame) = straight.principal();
        assert_eq!(frame, Quat::IDENTITY);
        assert!(difference(Mat3::from_diagonal(moments), inertia) <= 1e-7 * moments.max_element());
        check_principal(&straight, 1e-6);
        let askew = straight.moved(&LocalPose::new(Vec3::ZERO, rotation(&mut random)));
        check_principal(&askew, 1e-6);
        // The moments themselves survive the turn, whatever their order.
        let sorted = |moments: Vec3| {
            let mut sorted = moments.to_array();
            sorted.sort_by(f32::total_cmp);
            Vec3::from(sorted)
        };
        let apart = (sorted(askew.principal().0) - sorted(moments)).abs().max_element();
        assert!(apart <= 1e-6 * moments.max_element(), "{apart:e} off");
    }
}

#[test]
fn density_and_mass_scale_everything_but_the_centre() {
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..1000 {
        let half = vector(&mut random, 2.0).abs() + 0.1;
        let shape = Shape::cuboid(half.x, half.y, half.z).unwrap();
        let (one, two) =
            (MassProperties::of_shape(&shape, 1.0).unwrap(), MassProperties::of_shape(&shape, 7.0).unwrap());
        assert_alike("density", &one.with_mass(two.mass).unwrap(), &two, 3e-7);
        assert_eq!(one.with_mass(5.0).unwrap().mass, 5.0);
    }
}

#[test]
fn a_cuboid_is_the_same_solid_however_it_is_described() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..1000 {
        let half = vector(&mut random, 2.0).abs() + 0.05;
        let cuboid = Shape::cuboid(half.x, half.y, half.z).unwrap();
        let expected = MassProperties::of_shape(&cuboid, 3.0).unwrap();
        let of = |shape: Shape| MassProperties::of_shape(&shape, 3.0).unwrap();
        let (vertices, triangles) = box_mesh(half, Vec3::ZERO);
        assert_alike("hull", &of(Shape::hull(&vertices).unwrap()), &expected, 1e-6);
        assert_alike("mesh", &of(Shape::mesh(vertices.clone(), triangles).unwrap()), &expected, 1e-6);
        let eighth = Shape::cuboid(0.5 * half.x, 0.5 * half.y, 0.5 * half.z).unwrap();
        let parts = vertices.iter().map(|corner| Part { pose: LocalPose::at(0.5 * *corner), shape: eighth.clone() });
        assert_alike("eight eighths", &of(Shape::compound(parts.collect()).unwrap()), &expected, 1e-6);
        // Rounded: closed form against the decomposition of a hull into faces, edges and vertices.
        let radius = between(&mut random, 0.01, 3.0);
        let rounded = of(cuboid.rounded(radius).unwrap());
        assert_alike("rounded hull", &of(Shape::hull(&vertices).unwrap().rounded(radius).unwrap()), &rounded, 1e-6);
    }
}

#[test]
fn a_rounded_sliver_is_nearly_a_capsule_and_a_rounded_speck_nearly_a_sphere() {
    let of = |shape: Shape| MassProperties::of_shape(&shape, 1.0).unwrap();
    let sliver = Shape::triangle([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1e-6, 0.0]).unwrap().rounded(0.5).unwrap();
    let capsule = Shape::capsule_between([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5).unwrap();
    assert_alike("sliver", &of(sliver), &of(capsule), 2e-6);
    let corners = [[0.0, 0.0, 0.0], [1e-6, 0.0, 0.0], [0.0, 1e-6, 0.0], [0.0, 0.0, 1e-6]].map(Vec3::from);
    let speck = Shape::hull(&corners).unwrap().rounded(0.5).unwrap();
    assert_alike("speck", &of(speck), &of(Shape::sphere(0.5).unwrap()), 1e-5);
}

/// The relative error of mass and of the mean moment against a sphere of radius 1.
fn errors_against_sphere(shape: &Shape) -> [f64; 2] {
    let (found, exact) =
        (MassProperties::of_shape(shape, 1.0), MassProperties::of_shape(&Shape::sphere(1.0).unwrap(), 1.0));
    let (found, exact) = (found.unwrap(), exact.unwrap());
    let trace = |m: &MassProperties| f64::from(m.inertia.x_axis.x + m.inertia.y_axis.y + m.inertia.z_axis.z);
    [1.0 - f64::from(found.mass) / f64::from(exact.mass), 1.0 - trace(&found) / trace(&exact)]
}

#[test]
fn the_mesh_of_a_sphere_converges_to_the_sphere() {
    let errors = [16_u32, 32, 64, 128].map(|n| {
        let (rings, around) = (n, 2 * n);
        let mut vertices = vec![Vec3::Y];
        for ring in 1..rings {
            let (height, radius) = (std::f64::consts::PI * f64::from(ring) / f64::from(rings)).sin_cos();
            let (radius, height) = (height, radius);
            for step in 0..around {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(step) / f64::from(around)).sin_cos();
                vertices.push(DVec3::new(radius * sin, height, radius * cos).as_vec3());
            }
        }
        vertices.push(-Vec3::Y);
        let at = |ring: u32, step: u32| 1 + (ring - 1) * around + step % around;
        let south = vertices.len() as u32 - 1;
        let mut triangles = Vec::new();
        for step in 0..around {
            triangles.push([0, at(1, step), at(1, step + 1)]);
            triangles.push([south, at(rings - 1, step + 1), at(rings - 1, step)]);
            for ring in 1..rings - 1 {
                let [a, b] = [at(ring, step), at(ring, step + 1)];
                let [c, d] = [at(ring + 1, step), at(ring + 1, step + 1)];
                triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
        errors_against_sphere(&Shape::mesh(vertices, triangles).unwrap())
    });
    check_second_order(&errors);
}

#[test]
fn the_hull_of_a_sampled_sphere_converges_to_the_sphere() {
    let errors = [250_u32, 1000, 4000].map(|count| {
        let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let points = (0..count).map(|index| {
            let height = 1.0 - (2.0 * f64::from(index) + 1.0) / f64::from(count);
            let radius = (1.0 - height * height).sqrt();
            let (sin, cos) = (golden * f64::from(index)).sin_cos();
            DVec3::new(radius * cos, height, radius * sin).as_vec3()
        });
        errors_against_sphere(&Shape::hull(&points.collect::<Vec<_>>()).unwrap())
    });
    check_second_order(&errors);
}

/// Each value belongs to a grid of half the width of the last: the error is a deficit and falls to about a quarter.
fn check_second_order(errors: &[[f64; 2]]) {
    for pair in errors.windows(2) {
        for (wide, fine) in pair[0].into_iter().zip(pair[1]) {
            assert!(fine > 0.0 && (3.5..4.5).contains(&(wide / fine)), "{errors:?}");
        }
    }
}
