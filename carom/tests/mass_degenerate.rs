//! Mass properties at the edge of what is possible: thin, huge, tiny, far away, open, flipped, and no solid at all.

mod meshes;

use carom::glam::Mat3;
use carom::mass::{EdgeFault, InertiaFault, MassError, MassProperties};
use carom::prelude::*;
use carom::shape::{Part, SupportMap};
use meshes::box_mesh;

fn of(shape: &Shape) -> Result<MassProperties, MassError> {
    MassProperties::of_shape(shape, 1.0)
}

/// The closed form of a box, in f64: mass and moments.
fn box_moments(half: Vec3) -> (f64, [f64; 3]) {
    let half = half.as_dvec3();
    let mass = 8.0 * half.element_product();
    let sum = |a: f64, b: f64| mass / 3.0 * (a * a + b * b);
    (mass, [sum(half.y, half.z), sum(half.z, half.x), sum(half.x, half.y)])
}

fn assert_box(name: &str, properties: &MassProperties, half: Vec3, density: f64) {
    let (mass, moments) = box_moments(half);
    let close = |found: f32, exact: f64| (f64::from(found) - exact).abs() <= 1e-6 * exact;
    assert!(close(properties.mass, density * mass), "{name}: {properties:?}");
    for (axis, moment) in moments.into_iter().enumerate() {
        // Relative to each moment itself: a needle's least moment is 1e-8 of its greatest and must not drown in it.
        let (found, exact) = (properties.inertia.col(axis)[axis], density * moment);
        assert!(close(found, exact), "{name}, axis {axis}: {found}, exact {exact}");
    }
}

#[test]
fn needles_and_slabs_keep_their_least_moment() {
    for half in [[1.0, 1e-4, 1e-4], [1.0, 1.0, 1e-4], [1e-4, 1.0, 1e-4], [1.0, 1e-2, 1e-4]].map(Vec3::from) {
        let (vertices, triangles) = box_mesh(half, Vec3::ZERO);
        assert_box("cuboid", &of(&Shape::cuboid(half.x, half.y, half.z).unwrap()).unwrap(), half, 1.0);
        assert_box("mesh", &of(&Shape::mesh(vertices.clone(), triangles).unwrap()).unwrap(), half, 1.0);
        assert_box("hull", &of(&Shape::hull(&vertices).unwrap()).unwrap(), half, 1.0);
    }
}

#[test]
fn a_needle_askew_has_a_sound_inverse_inertia() {
    let mut random = fastrand::Rng::with_seed(1);
    for case in 0..10_000 {
        let thickness = 10.0_f32.powf(-6.0 * random.f32());
        let needle = Shape::capsule(1.0, thickness).unwrap();
        let [x, y, z, w] = [(); 4].map(|()| random.f32() * 2.0 - 1.0);
        // Half of the cases are askew by a little only.
        let tilt = if case % 2 == 0 { 1.0 } else { 10.0_f32.powf(-8.0 * random.f32()) };
        let rotation = Quat::from_xyzw(x * tilt, y * tilt, z * tilt, w + 1e-3).normalize();
        let turned = of(&needle).unwrap().moved(&LocalPose::new(Vec3::ZERO, rotation));
        let (moments, _) = turned.principal();
        let mut sorted = moments.to_array();
        sorted.sort_by(f32::total_cmp);
        assert!(sorted[0] > 0.0 && sorted[2] <= sorted[0] + sorted[1], "{moments}");
        let inverse = turned.inverse_inertia();
        assert!(inverse.is_finite());
        // What f32 can still tell, it must tell: the least moment to within the rounding of the greatest.
        let exact = of(&needle).unwrap().inertia.y_axis.y;
        assert!((sorted[0] - exact).abs() <= 3.0 * f32::EPSILON * sorted[2], "{} and {exact}", sorted[0]);
    }
}

#[test]
fn from_a_ten_billionth_to_ten_billion() {
    for scale in [1e-10_f32, 1e-5, 1.0, 1e5, 1e10] {
        let half = Vec3::new(1.0, 2.0, 0.5) * scale;
        let (vertices, triangles) = box_mesh(half, Vec3::ZERO);
        for (name, shape) in [
            ("cuboid", Shape::cuboid(half.x, half.y, half.z).unwrap()),
            ("mesh", Shape::mesh(vertices.clone(), triangles).unwrap()),
            ("hull", Shape::hull(&vertices).unwrap()),
        ] {
            // A density that keeps the mass near 1.
            let density = scale.powi(-3);
            assert_box(name, &MassProperties::of_shape(&shape, density).unwrap(), half, f64::from(density));
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let too_much = |shape: Shape, density: f32, expected: &str| match MassProperties::of_shape(&shape, density) {
        Err(MassError::OutOfRange { what, .. }) => assert_eq!(what, expected),
        other => panic!("{other:?}"),
    };
    too_much(Shape::sphere(1e20).unwrap(), 1.0, "mass");
    too_much(Shape::sphere(f32::MAX).unwrap(), 1.0, "mass");
    too_much(Shape::sphere(1e10).unwrap(), 1.0, "moment of inertia");
    too_much(Shape::sphere(1e-20).unwrap(), 1.0, "mass");
    too_much(Shape::sphere(1e-45).unwrap(), 1.0, "mass");
    too_much(Shape::sphere(1e-10).unwrap(), 1.0, "moment of inertia");
    too_much(Shape::sphere(1.0).unwrap(), f32::MAX, "mass");
    too_much(Shape::cuboid(f32::MAX, f32::MAX, f32::MAX).unwrap().rounded(1.0).unwrap(), 1.0, "mass");
    let (vertices, triangles) = box_mesh(Vec3::splat(1e20), Vec3::ZERO);
    too_much(Shape::hull(&vertices).unwrap(), 1.0, "mass");
    too_much(Shape::mesh(vertices, triangles).unwrap(), 1.0, "mass");
    let heavy = of(&Shape::sphere(1.0).unwrap()).unwrap().with_mass(1e38).unwrap();
    assert!(matches!(MassProperties::combined([heavy; 4]), Err(MassError::OutOfRange { what: "mass", .. })));
    assert!(matches!(heavy.with_mass(1e-45), Err(MassError::OutOfRange { .. })));
}

#[test]
fn densities_and_masses_must_be_positive_and_finite() {
    let ball = Shape::sphere(1.0).unwrap();
    for bad in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let same = |value: f32| value.to_bits() == bad.to_bits();
        let error = MassProperties::of_shape(&ball, bad).unwrap_err();
        assert!(matches!(error, MassError::NotPositive { what: "density", value } if same(value)), "{error}");
        let error = of(&ball).unwrap().with_mass(bad).unwrap_err();
        assert!(matches!(error, MassError::NotPositive { what: "mass", value } if same(value)), "{error}");
    }
    let error = MassProperties::of_shape(&ball, -2.0).unwrap_err();
    assert_eq!(error.to_string(), "the density is -2; it must be finite and greater than zero");
}

#[test]
fn shapes_without_volume_are_named() {
    let triangle = Shape::triangle([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
    let no_solids = [
        Shape::point(),
        Shape::segment([0.0; 3], [1.0, 0.0, 0.0]).unwrap(),
        triangle.clone(),
        Shape::half_space([0.0, 1.0, 0.0]).unwrap(),
        Shape::height_field(2, 2, vec![0.0; 4], [1.0, 1.0]).unwrap(),
    ];
    for shape in no_solids {
        assert_eq!(of(&shape), Err(MassError::NoVolume { shape: shape.kind() }));
    }
    let sheet = Part { pose: LocalPose::IDENTITY, shape: triangle };
    let ball = Part { pose: LocalPose::IDENTITY, shape: Shape::sphere(1.0).unwrap() };
    let error = of(&Shape::compound(vec![ball, sheet]).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "part 1: a triangle without a finite volume of its own has no mass");
    assert_eq!(MassProperties::combined([]), Err(MassError::NoParts));
}

#[test]
fn open_and_flipped_meshes_are_told_where() {
    let (vertices, triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    let of_triangles = |triangles: Vec<[u32; 3]>| of(&Shape::mesh(vertices.clone(), triangles).unwrap());
    assert!(of_triangles(triangles.clone()).is_ok());

    let mut open = triangles.clone();
    let [a, b, c] = open.remove(7);
    let error = of_triangles(open).unwrap_err();
    let MassError::NotClosed { vertices: edge, fault: EdgeFault::Boundary } = error else { panic!("{error}") };
    assert!(edge.iter().all(|end| [a, b, c].contains(end)), "{edge:?} is no edge of the hole");
    assert_eq!(
        MassError::NotClosed { vertices: [3, 7], fault: EdgeFault::Boundary }.to_string(),
        "mesh: the edge from vertex 3 to vertex 7 belongs to one triangle only, so the mesh encloses no volume"
    );

    let mut flipped = triangles.clone();
    flipped[4].swap(0, 1);
    let error = of_triangles(flipped.clone()).unwrap_err();
    let MassError::NotClosed { vertices: edge, fault: EdgeFault::Inconsistent } = error else { panic!("{error}") };
    assert!(edge.iter().all(|end| flipped[4].contains(end)));

    let mut branching = triangles.clone();
    branching.push([0, 3, 7]);
    let fault = EdgeFault::Branching { triangles: 3 };
    assert_eq!(of_triangles(branching), Err(MassError::NotClosed { vertices: [0, 3], fault }));

    let inside_out = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(of_triangles(inside_out), Err(MassError::InsideOut { volume: -8.0 }));

    // Closed, but flat: two sheets back to back.
    let flat = of_triangles(vec![[0, 1, 2], [0, 2, 1]]);
    assert_eq!(flat, Err(MassError::NoVolume { shape: ShapeKind::Mesh }));
}

#[test]
fn vertices_that_are_repeated_for_their_normals_do_not_open_a_mesh() {
    let (vertices, triangles) = box_mesh(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO);
    // Every triangle has corners of its own, and zero comes with both signs.
    let own: Vec<Vec3> = triangles.iter().flatten().map(|&corner| vertices[corner as usize]).collect();
    let count = own.len() as u32;
    let loose = Shape::mesh(own, (0..count / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    assert_eq!(of(&loose), of(&Shape::mesh(vertices, triangles).unwrap()));
}

#[test]
fn two_boxes_that_touch_along_an_edge_are_closed() {
    let (mut vertices, mut triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    let (other, more) = box_mesh(Vec3::ONE, Vec3::new(2.0, 2.0, 0.0));
    vertices.extend(other);
    triangles.extend(more.iter().map(|corners| corners.map(|corner| corner + 8)));
    let both = of(&Shape::mesh(vertices, triangles).unwrap()).unwrap();
    assert_eq!((both.mass, both.center_of_mass), (16.0, Vec3::new(1.0, 1.0, 0.0)));
}

#[test]
fn a_mesh_far_from_its_origin_keeps_its_inertia() {
    // At 2^20 a step of f32 is 1/8, so these corners are exact there; a hull so thin needs to be nearer.
    let half = Vec3::new(1.0, 0.5, 0.25);
    for (name, far) in [("mesh", 1_048_576.0), ("hull", 65_536.0)] {
        let (vertices, triangles) = box_mesh(half, Vec3::splat(far));
        let shape = if name == "mesh" { Shape::mesh(vertices, triangles) } else { Shape::hull(&vertices) };
        let properties = of(&shape.unwrap()).unwrap();
        assert_box(name, &properties, half, 1.0);
        assert_eq!(properties.center_of_mass, Vec3::splat(far));
        assert!(properties.inertia.x_axis.y.abs() < 1e-6);
    }
}

#[test]
fn properties_of_the_users_own_are_checked() {
    let sound = of(&Shape::cuboid(1.0, 2.0, 3.0).unwrap()).unwrap();
    assert_eq!(sound.checked(), Ok(sound));
    let with = |inertia: Mat3| MassProperties { inertia, ..sound }.checked();
    let fault = |inertia: Mat3| match with(inertia) {
        Err(MassError::Inertia { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let diagonal = |x: f32, y: f32, z: f32| Mat3::from_diagonal(Vec3::new(x, y, z));
    assert_eq!(fault(diagonal(f32::NAN, 1.0, 1.0)), InertiaFault::NotFinite);
    assert_eq!(fault(diagonal(-1.0, 1.0, 1.0)), InertiaFault::NotPositive);
    assert_eq!(fault(Mat3::ZERO), InertiaFault::NotPositive);
    assert_eq!(fault(diagonal(1.0, 1.0, 2.5)), InertiaFault::TriangleInequality);
    let mut skew = diagonal(1.0, 1.0, 1.0);
    skew.x_axis.y = 0.5;
    assert_eq!(fault(skew), InertiaFault::NotSymmetric);
    assert_eq!(fault(skew.transpose()), InertiaFault::NotSymmetric);
    // A lamina is just allowed.
    assert!(with(diagonal(1.0, 1.0, 2.0)).is_ok());
    let bad = MassProperties { center_of_mass: Vec3::new(0.0, f32::NAN, 0.0), ..sound };
    assert!(matches!(bad.checked(), Err(MassError::Center(_))));
    assert!(matches!(MassProperties::combined([sound, bad]), Err(MassError::Part { part: 1, .. })));
    assert!(matches!(MassProperties { mass: -1.0, ..sound }.checked(), Err(MassError::NotPositive { .. })));
}

/// A custom shape that answers with whatever its function says.
struct Given(fn(Vec3) -> Vec3);

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Given")
    }
}

impl SupportMap for Given {
    fn support(&self, direction: Vec3) -> Vec3 {
        (self.0)(direction)
    }
}

#[test]
fn custom_shapes_that_are_no_solids_are_refused() {
    let no_volume = Err(MassError::NoVolume { shape: ShapeKind::Custom });
    assert_eq!(of(&Shape::custom(Given(|_| Vec3::ONE))), no_volume);
    assert_eq!(of(&Shape::custom(Given(|d| Vec3::X * d.x.signum()))), no_volume);
    let disc = Given(|d| Vec3::new(d.x, 0.0, d.z).normalize_or_zero());
    assert_eq!(of(&Shape::custom(disc)), no_volume);
    let tilted = Given(|d| {
        let (u, v) = (Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.48, 0.36, 0.8));
        u * d.dot(u).signum() + v * d.dot(v).signum()
    });
    assert_eq!(of(&Shape::custom(tilted)), no_volume);
    let nan = of(&Shape::custom(Given(|d| if d.x > 0.9 { Vec3::NAN } else { d })));
    assert!(matches!(nan, Err(MassError::SupportNotFinite { .. })));
}
