//! Every constructor with every kind of bad input: the error must name the shape, the quantity and the value. Errors
//! are compared by their text, which has all of that, and because NaN is not equal to itself.

use carom::prelude::*;
use carom::shape::{Compound, ConvexHull, Degeneracy, HalfSpace, HeightField, Part, SupportMap, TriangleMesh};
use std::sync::Arc;

fn assert_error<T>(result: Result<T, ShapeError>, expected: &str) {
    match result {
        Ok(_) => panic!("accepted, should have said: {expected}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

/// A constructor of one size, checked with all that a size must not be, and with extreme sizes that it may be.
fn check_size<T>(name: &str, make: impl Fn(f32) -> Result<T, ShapeError>) {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_error(make(bad), &format!("{name} is {bad}, not a finite number"));
    }
    for bad in [0.0, -0.0, -1.0, -f32::MAX, -1e-45] {
        assert_error(make(bad), &format!("{name} is {bad}; it must be greater than zero"));
    }
    for good in [1e-45, f32::MIN_POSITIVE, 1.0, f32::MAX] {
        make(good).unwrap_or_else(|error| panic!("{name} of {good} refused: {error}"));
    }
}

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

#[test]
fn sizes_of_primitives() {
    check_size("sphere: the radius", Shape::sphere);
    check_size("cuboid: the half extent along x", |size| Shape::cuboid(size, 1.0, 1.0));
    check_size("cuboid: the half extent along y", |size| Shape::cuboid(1.0, size, 1.0));
    check_size("cuboid: the half extent along z", |size| Shape::cuboid(1.0, 1.0, size));
    check_size("cylinder: the half height", |size| Shape::cylinder(size, 1.0));
    check_size("cylinder: the radius", |size| Shape::cylinder(1.0, size));
    check_size("cone: the half height", |size| Shape::cone(size, 1.0));
    check_size("cone: the radius", |size| Shape::cone(1.0, size));
    check_size("ellipsoid: the radius along x", |size| Shape::ellipsoid(size, 1.0, 1.0));
    check_size("ellipsoid: the radius along y", |size| Shape::ellipsoid(1.0, size, 1.0));
    check_size("ellipsoid: the radius along z", |size| Shape::ellipsoid(1.0, 1.0, size));
    check_size("capsule: the radius", |size| Shape::capsule(1.0, size));
    // Twice the greatest f32 is none: of this size alone half the greatest is the limit.
    check_size("capsule: the half height", |size| {
        Shape::capsule(if size == f32::MAX { 0.4 * size } else { size }, 1.0)
    });
}

#[test]
fn the_first_bad_size_is_named() {
    assert_error(Shape::cuboid(f32::NAN, -1.0, 0.0), "cuboid: the half extent along x is NaN, not a finite number");
    assert_error(Shape::cone(-1.0, f32::NAN), "cone: the half height is -1; it must be greater than zero");
}

#[test]
fn segments_and_capsules() {
    for bad in BAD {
        let coordinates = Vec3::new(1.0, bad, 0.0);
        for (kind, result) in [
            ("segment", Shape::segment(coordinates, [0.0; 3])),
            ("capsule", Shape::capsule_between(coordinates, [0.0; 3], 1.0)),
        ] {
            assert_error(result, &format!("{kind}: vertex 0 is {coordinates}, not a finite point"));
        }
        let second = Shape::segment([0.0; 3], coordinates);
        assert_error(second, &format!("segment: vertex 1 is {coordinates}, not a finite point"));
    }
    let point = [1.0, -2.0, 3.0];
    assert_error(Shape::segment(point, point), "segment: the length is 0; it must be greater than zero");
    assert_error(Shape::segment([0.0; 3], [-0.0; 3]), "segment: the length is 0; it must be greater than zero");
    assert_error(Shape::capsule_between(point, point, 1.0), "capsule: the length is 0; it must be greater than zero");
    assert_error(
        Shape::capsule_between(point, [0.0; 3], 0.0),
        "capsule: the radius is 0; it must be greater than zero",
    );
    let ends = ([-f32::MAX, 0.0, 0.0], [f32::MAX, 0.0, 0.0]);
    assert_error(Shape::segment(ends.0, ends.1), "segment: the length is inf, not a finite number");
    assert_error(Shape::capsule(f32::MAX, 1.0), "capsule: the length is inf, not a finite number");
    assert!(Shape::segment([0.0; 3], [1e-45, 0.0, 0.0]).is_ok());
    assert!(Shape::segment([0.0; 3], [f32::MAX, 0.0, 0.0]).is_ok());
}

#[test]
fn triangles() {
    let (a, b, c) = (Vec3::ZERO, Vec3::X, Vec3::Y);
    for bad in BAD {
        let vertex = Vec3::new(0.0, 0.0, bad);
        assert_error(Shape::triangle(vertex, b, c), &format!("triangle: vertex 0 is {vertex}, not a finite point"));
        assert_error(Shape::triangle(a, vertex, c), &format!("triangle: vertex 1 is {vertex}, not a finite point"));
        assert_error(Shape::triangle(a, b, vertex), &format!("triangle: vertex 2 is {vertex}, not a finite point"));
    }
    let repeated = "triangle: triangle 0 is degenerate: two of its corners coincide";
    assert_error(Shape::triangle(a, a, c), repeated);
    assert_error(Shape::triangle(a, b, b), repeated);
    assert_error(Shape::triangle(a, b, -a), repeated);
    let collinear = "triangle: triangle 0 is degenerate: its corners lie on one line";
    assert_error(Shape::triangle(a, b, 3.0 * b), collinear);
    assert_error(Shape::triangle([1e6, 1e6, 0.0], [1e6 + 1.0, 1e6 + 1.0, 0.0], [1e6 + 3.0, 1e6 + 3.0, 0.0]), collinear);
    assert_error(Shape::triangle([f32::MAX, 0.0, 0.0], [-f32::MAX, 0.0, 0.0], [0.0; 3]), collinear);
    assert_error(Shape::triangle([1e-45, 0.0, 0.0], [-1e-45, 0.0, 0.0], [0.0; 3]), collinear);
    assert!(Shape::triangle(1e-38 * b, 1e-38 * c, a).is_ok());
    assert!(Shape::triangle(f32::MAX * b, f32::MAX * c, a).is_ok());
}

#[test]
fn a_triangle_is_as_degenerate_from_each_of_its_corners() {
    // So thin that only the long way round can tell; the answer must not depend on which corner comes first.
    for height in [1e-3_f32, 1e-6, 1e-10, 1e-11, 3e-12, 5e-13, 1e-13, 1e-14, 1e-20] {
        for tip in [0.0, 0.5, 1.0] {
            let [a, b, c] = [Vec3::ZERO, Vec3::X, Vec3::new(tip, height, 0.0)];
            let orders = [[a, b, c], [b, c, a], [c, a, b], [c, b, a], [b, a, c], [a, c, b]];
            let refused = orders.map(|[a, b, c]| Shape::triangle(a, b, c).is_err());
            assert!(refused == [true; 6] || refused == [false; 6], "height {height}, tip {tip}: {refused:?}");
        }
    }
}

#[test]
fn half_spaces() {
    for bad in BAD {
        let text = |axis: char| format!("half-space: the normal along {axis} is {bad}, not a finite number");
        assert_error(Shape::half_space([bad, 0.0, 1.0]), &text('x'));
        assert_error(Shape::half_space([0.0, bad, 1.0]), &text('y'));
        assert_error(Shape::half_space([0.0, 1.0, bad]), &text('z'));
    }
    for zero in [0.0, -0.0] {
        assert_error(Shape::half_space([zero; 3]), "half-space: the normal is zero and points nowhere");
    }
    // Any length will do, from the least f32 to the greatest.
    for length in [1e-45, 1e-30, 1.0, 1e30, f32::MAX] {
        let normal = HalfSpace::new([length, length, -length]).unwrap().normal();
        assert!((normal - Vec3::new(1.0, 1.0, -1.0).normalize()).length() < 1e-6, "{length}: {normal}");
    }
}

#[test]
fn hulls() {
    for bad in BAD {
        let mut points = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        points[2].x = bad;
        let expected = format!("convex hull: vertex 2 is {}, not a finite point", points[2]);
        assert_error(ConvexHull::new(&points), &expected);
    }
    assert_error(Shape::hull(&[]), "convex hull: 0 points given, at least 4 are needed");
    assert_error(Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y]), "convex hull: 3 points given, at least 4 are needed");
    let flat =
        |extent: &str, count: usize| format!("convex hull: the {count} points {extent}, so they enclose no volume");
    assert_error(Shape::hull(&[Vec3::ONE; 5]), &flat("all coincide", 5));
    assert_error(Shape::hull(&[0.0, 1.0, 2.0, 3.0].map(|x| Vec3::ONE * x)), &flat("lie on one line", 4));
    let square = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, z]| Vec3::new(x, 2.0, z));
    assert_error(Shape::hull(&square), &flat("lie in one plane", 4));
    assert!(Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).is_ok());
}

#[test]
fn meshes() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, 2.0 * Vec3::X];
    let with = |triangles: &[[u32; 3]]| Shape::mesh(vertices.clone(), triangles.to_vec());
    assert!(with(&[[0, 1, 2]]).is_ok());
    assert_error(Shape::mesh(vec![], vec![]), "mesh: no vertices given");
    assert_error(with(&[]), "mesh: no triangles given");
    assert_error(with(&[[0, 1, 2], [1, 4, 2]]), "mesh: corner 1 of triangle 1 is vertex 4, but there are 4 vertices");
    assert_error(
        with(&[[0, 1, u32::MAX]]),
        "mesh: corner 2 of triangle 0 is vertex 4294967295, but there are 4 vertices",
    );
    assert_error(with(&[[0, 1, 2], [2, 1, 2]]), "mesh: triangle 1 is degenerate: two of its corners coincide");
    assert_error(with(&[[0, 1, 2], [0, 1, 3]]), "mesh: triangle 1 is degenerate: its corners lie on one line");
    let degenerate = with(&[[0, 0, 1]]).unwrap_err();
    let reason = Degeneracy::RepeatedCorner;
    assert_eq!(degenerate, ShapeError::DegenerateTriangle { shape: ShapeKind::Mesh, triangle: 0, reason });
    for bad in BAD {
        // A vertex that no triangle uses is checked all the same.
        let mut vertices = vertices.clone();
        vertices[3].y = bad;
        let expected = format!("mesh: vertex 3 is {}, not a finite point", vertices[3]);
        assert_error(Shape::mesh(vertices.clone(), vec![[0, 1, 2]]), &expected);
        assert_error(TriangleMesh::repaired(&vertices, &[[0, 1, 2]]), &expected);
    }
}

#[test]
fn repairing_merges_and_drops_but_forgives_no_nonsense() {
    let vertices = [Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::ZERO, 2.0 * Vec3::X, Vec3::Z];
    let (mesh, repair) = TriangleMesh::repaired(&vertices, &[[0, 1, 2], [0, 1, 4], [3, 2, 5], [0, 3, 1]]).unwrap();
    assert_eq!((repair.merged_vertices, repair.dropped_triangles), (1, vec![1, 3]));
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 4]]);
    assert_eq!(mesh.corners(1), [Vec3::ZERO, Vec3::Y, Vec3::Z]);
    assert_error(TriangleMesh::repaired(&vertices, &[[0, 3, 1]]), "mesh: no triangles with an area given");
    assert_error(TriangleMesh::repaired(&[], &[]), "mesh: no vertices given");
    assert_error(
        TriangleMesh::repaired(&vertices, &[[0, 1, 6]]),
        "mesh: corner 2 of triangle 0 is vertex 6, but there are 6 vertices",
    );
}

#[test]
fn height_fields() {
    let with = |columns, rows, count: usize| HeightField::new(columns, rows, vec![0.0; count], [1.0, 1.0]);
    assert_error(with(1, 5, 5), "height field: 1 columns by 5 rows; at least 2 by 2 are needed");
    assert_error(with(5, 1, 5), "height field: 5 columns by 1 rows; at least 2 by 2 are needed");
    assert_error(with(0, 0, 0), "height field: 0 columns by 0 rows; at least 2 by 2 are needed");
    assert_error(with(3, 3, 8), "height field: 8 heights given for 3 columns by 3 rows");
    let limit = 1 << 24;
    let count = limit + 1;
    assert_error(with(count, 2, 2 * count), &format!("height field: {count} columns are more than {limit}"));
    assert_error(with(2, count, 2 * count), &format!("height field: {count} rows are more than {limit}"));
    // Their product overflows to the number of heights given.
    let huge = 1 << (usize::BITS / 2);
    assert_error(with(huge, huge, 0), &format!("height field: {huge} columns are more than {limit}"));
    check_size("height field: the spacing along x", |size| spaced([size, 1.0]));
    check_size("height field: the spacing along z", |size| spaced([1.0, size]));
    let far = HeightField::new(4, 2, vec![0.0; 8], [f32::MAX, 1.0]);
    assert_error(far, "height field: the extent along x is inf, not a finite number");
    for bad in BAD {
        let field = HeightField::new(3, 2, vec![0.0, 0.0, 0.0, 0.0, bad, 0.0], [1.0, 2.0]);
        let expected = format!("height field: vertex 4 is {}, not a finite point", Vec3::new(0.0, bad, 1.0));
        assert_error(field, &expected);
    }
}

/// Two samples each way; spacings so small that they would coincide are no concern of this test.
fn spaced(spacing: [f32; 2]) -> Result<HeightField, ShapeError> {
    HeightField::new(2, 2, vec![0.0; 4], spacing)
}

#[test]
fn a_height_field_is_what_it_says() {
    let field = HeightField::new(3, 2, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 10.0]).unwrap();
    assert_eq!(field.vertex(0), Vec3::new(-2.0, 0.0, -5.0));
    assert_eq!(field.vertex(5), Vec3::new(2.0, 5.0, 5.0));
    assert_eq!(field.triangle_count(), 4);
    for triangle in 0..4 {
        let [a, b, c] = field.corners(triangle);
        assert!((b - a).cross(c - a).y > 0.0, "triangle {triangle} does not face up");
    }
    // The two triangles of a cell share its diagonal, and together the triangles cover the plane of the grid.
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * ((b - a).z * (c - a).x - (b - a).x * (c - a).z);
    let covered: f32 = (0..4).map(|triangle| area(field.corners(triangle))).sum();
    assert_eq!(covered, 40.0);
    assert_eq!((field.corners(0)[0], field.corners(0)[2]), (field.corners(1)[0], field.corners(1)[1]));
}

#[test]
fn compounds() {
    let part = |shape: Shape| Part { pose: LocalPose::IDENTITY, shape };
    let ball = || part(Shape::sphere(1.0).unwrap());
    assert_error(Shape::compound(vec![]), "compound: no parts given");
    let plane = part(Shape::half_space([0.0, 1.0, 0.0]).unwrap());
    assert_error(
        Shape::compound(vec![ball(), plane]),
        "compound: child 1 is a half-space, which cannot be part of a compound",
    );
    for bad in BAD {
        let lost = Part { pose: LocalPose::at([0.0, bad, 0.0]), ..ball() };
        let expected = format!("compound: child 2: the position {} is not finite", lost.pose.position.as_dvec3());
        assert_error(Shape::compound(vec![ball(), ball(), lost]), &expected);
        let rotation = Quat::from_xyzw(0.0, 0.0, bad, 1.0);
        let turned = Part { pose: LocalPose::new(Vec3::ZERO, rotation), ..ball() };
        let expected = format!("compound: child 0: the rotation {rotation} is not a unit quaternion");
        assert_error(Shape::compound(vec![turned]), &expected);
    }
    for rotation in [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)] {
        let turned = Part { pose: LocalPose::new(Vec3::ZERO, rotation), ..ball() };
        assert!(matches!(Shape::compound(vec![turned]), Err(ShapeError::ChildPose { child: 0, .. })));
    }
}

#[test]
fn compounds_in_compounds_are_taken_apart() {
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let ball = Part { pose: LocalPose::at([1.0, 0.0, 0.0]), shape: Shape::sphere(1.0).unwrap() };
    let inner = Shape::compound(vec![ball.clone(), ball.clone()]).unwrap();
    let turned = Part { pose: LocalPose::new(Vec3::new(0.0, 0.0, 5.0), quarter), shape: inner };
    let middle = Shape::compound(vec![ball.clone(), turned]).unwrap();
    let outer = Compound::new(vec![Part { pose: LocalPose::at([0.0, 0.0, 1.0]), shape: middle }, ball]).unwrap();
    let kinds: Vec<ShapeKind> = outer.parts().iter().map(|part| part.shape.kind()).collect();
    assert_eq!(kinds, [ShapeKind::Sphere; 4]);
    let at: Vec<Vec3> = outer.parts().iter().map(|part| part.pose.position).collect();
    let expected = [[1.0, 0.0, 1.0], [0.0, 1.0, 6.0], [0.0, 1.0, 6.0], [1.0, 0.0, 0.0]].map(Vec3::from);
    assert!(at.iter().zip(expected).all(|(found, expected)| found.distance(expected) < 1e-6), "{at:?}");

    // Each pose is finite, their composition is not.
    let far = LocalPose::at([f32::MAX, 0.0, 0.0]);
    let inner = Shape::compound(vec![Part { pose: far, shape: Shape::sphere(1.0).unwrap() }]).unwrap();
    let error = Shape::compound(vec![Part { pose: far, shape: inner }]);
    assert_error(error, "compound: child 0: the position [inf, 0, 0] is not finite");
}

#[test]
fn rounding() {
    let triangle = Shape::triangle(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap();
    let cuboid = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let tetrahedron = Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
    check_size("triangle: the rounding radius", |radius| triangle.rounded(radius));
    check_size("cuboid: the rounding radius", |radius| cuboid.rounded(radius));
    check_size("convex hull: the rounding radius", |radius| tetrahedron.rounded(radius));
    check_size("sphere: the radius", |radius| Shape::point().rounded(radius));
    let segment = Shape::segment(Vec3::ZERO, Vec3::X).unwrap();
    check_size("capsule: the radius", |radius| segment.rounded(radius));
    // On top of one another.
    let twice = cuboid.rounded(0.25).unwrap().rounded(0.5).unwrap();
    assert_eq!(twice, cuboid.rounded(0.75).unwrap());
    assert_eq!(Shape::sphere(1.0).unwrap().rounded(0.5), Shape::sphere(1.5));
    assert_error(Shape::sphere(f32::MAX).unwrap().rounded(f32::MAX), "sphere: the radius is inf, not a finite number");
    let big = cuboid.rounded(f32::MAX).unwrap();
    assert_error(big.rounded(f32::MAX), "cuboid: the rounding radius is inf, not a finite number");
    let huge = Shape::cuboid(f32::MAX, 1.0, 1.0).unwrap();
    assert_error(huge.rounded(f32::MAX), "cuboid: the reach with the rounding is inf, not a finite number");
    let part = Part { pose: LocalPose::IDENTITY, shape: cuboid.clone() };
    for round_already in [
        Shape::cylinder(1.0, 1.0).unwrap(),
        Shape::cone(1.0, 1.0).unwrap(),
        Shape::ellipsoid(1.0, 1.0, 2.0).unwrap(),
        Shape::half_space(Vec3::Y).unwrap(),
        Shape::mesh(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap(),
        Shape::height_field(2, 2, vec![0.0; 4], [1.0, 1.0]).unwrap(),
        Shape::compound(vec![part]).unwrap(),
        Shape::custom(Corner),
    ] {
        let kind = round_already.kind();
        assert_error(round_already.rounded(1.0), &format!("a {kind} is not a polytope and has no rounded form"));
    }
}

#[derive(Debug)]
struct Corner;

impl SupportMap for Corner {
    fn support(&self, _direction: Vec3) -> Vec3 {
        Vec3::ONE
    }
}

#[test]
fn cloning_shares_what_is_large() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let mesh = Shape::mesh(vertices, vec![[0, 1, 2]]).unwrap();
    let field = Shape::height_field(2, 2, vec![0.0; 4], [1.0, 1.0]).unwrap();
    let compound = Shape::compound(vec![Part { pose: LocalPose::IDENTITY, shape: mesh.clone() }]).unwrap();
    let hull = Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
    let custom = Shape::custom(Corner);
    for shape in [mesh, field, compound, hull.clone(), hull.rounded(1.0).unwrap(), custom] {
        let shared = match (&shape, &shape.clone()) {
            (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b),
            (Shape::HeightField(a), Shape::HeightField(b)) => Arc::ptr_eq(a, b),
            (Shape::Compound(a), Shape::Compound(b)) => Arc::ptr_eq(a, b),
            (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a.core(), b.core()),
            (Shape::Custom(a), Shape::Custom(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        assert!(shared, "{} was copied", shape.kind());
    }
    // Rounding a hull shares its core as well.
    let (Shape::Hull(sharp), Shape::Hull(rounded)) = (&hull, &hull.rounded(2.0).unwrap()) else { panic!() };
    assert!(Arc::ptr_eq(sharp.core(), rounded.core()));
    assert!(size_of::<Shape>() <= 48, "a shape takes {} bytes", size_of::<Shape>());
}
