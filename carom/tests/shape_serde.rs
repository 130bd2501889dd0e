//! Shapes as JSON: what is written reads back equal, what is wrong is refused with the constructor's text at the right
//! line, and nothing unknown is let pass.

#![cfg(feature = "serde")]

mod random;

use carom::prelude::*;
use carom::shape::{ConvexHull, Part, SupportMap};
use random::rotation;

/// A vector with components of many sizes.
fn vector(random: &mut fastrand::Rng) -> Vec3 {
    Vec3::from([(); 3].map(|()| (random.f32() * 2.0 - 1.0) * 10.0_f32.powf(random.f32() * 6.0 - 3.0)))
}

/// One of each kind that can be written, sharp and rounded, with random numbers.
fn shapes(random: &mut fastrand::Rng) -> Vec<Shape> {
    let mut size = || 10.0_f32.powf(random.f32() * 6.0 - 3.0);
    let [x, y, z, radius] = [size(), size(), size(), size()];
    let [a, b, c] = [(); 3].map(|()| vector(random));
    let triangle = Shape::triangle(a, b, c).unwrap();
    let cuboid = Shape::cuboid(x, y, z).unwrap();
    let cloud: Vec<Vec3> = (0..20).map(|_| vector(random)).collect();
    // Points inside the cloud have a say in the order of the faces; those of the hull alone are what is written.
    let hull = Shape::hull(ConvexHull::new(&cloud).unwrap().vertices()).unwrap();
    let heights = (0..12).map(|_| random.f32() - 0.5).collect();
    let mut shapes = vec![
        Shape::point(),
        Shape::segment(a, b).unwrap(),
        triangle.rounded(radius).unwrap(),
        triangle,
        Shape::sphere(radius).unwrap(),
        cuboid.rounded(radius).unwrap(),
        cuboid,
        Shape::capsule_between(a, b, radius).unwrap(),
        Shape::capsule(y, radius).unwrap(),
        Shape::cylinder(y, radius).unwrap(),
        Shape::cone(y, radius).unwrap(),
        Shape::ellipsoid(x, y, z).unwrap(),
        hull.rounded(radius).unwrap(),
        hull,
        Shape::half_space(a).unwrap(),
        Shape::mesh(vec![a, b, c, a + b + c], vec![[0, 1, 2], [2, 1, 3]]).unwrap(),
        Shape::height_field(4, 3, heights, [x, z]).unwrap(),
    ];
    let solid = |shape: &&Shape| shape.kind() != ShapeKind::HalfSpace;
    let parts: Vec<Part> = shapes
        .iter()
        .filter(solid)
        .map(|shape| Part { pose: LocalPose::new(vector(random), rotation(random)), shape: shape.clone() })
        .collect();
    let inner = Shape::compound(parts).unwrap();
    let turned = Part { pose: LocalPose::new(vector(random), rotation(random)), shape: inner.clone() };
    shapes.push(Shape::compound(vec![turned]).unwrap());
    shapes.push(inner);
    shapes
}

#[test]
fn every_kind_reads_back_equal() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..300 {
        for shape in shapes(&mut random) {
            for text in [serde_json::to_string(&shape).unwrap(), serde_json::to_string_pretty(&shape).unwrap()] {
                let back: Shape = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
                assert!(back == shape, "{} came back different from {text}", shape.kind());
            }
        }
    }
}

#[test]
fn a_hull_reads_back_with_the_same_vertices_and_faces() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..1000 {
        let cloud: Vec<Vec3> = (0..20).map(|_| vector(&mut random)).collect();
        let shape = Shape::hull(&cloud).unwrap();
        let back: Shape = serde_json::from_str(&serde_json::to_string(&shape).unwrap()).unwrap();
        let (Shape::Hull(written), Shape::Hull(read)) = (&shape, &back) else { panic!() };
        assert_eq!(written.core().vertices(), read.core().vertices());
        let faces = |hull: &ConvexHull| {
            let mut faces: Vec<Vec<u32>> =
                (0..hull.face_count()).map(|face| hull.face_corners(face).to_vec()).collect();
            for face in &mut faces {
                let least = (0..face.len()).min_by_key(|&corner| face[corner]).unwrap();
                face.rotate_left(least);
            }
            faces.sort();
            faces
        };
        assert_eq!(faces(written.core()), faces(read.core()));
    }
}

#[test]
fn the_written_form_is_the_documented_one() {
    let text = |shape: Shape| serde_json::to_string(&shape).unwrap();
    assert_eq!(text(Shape::point()), r#"{"point":{}}"#);
    assert_eq!(text(Shape::sphere(0.1).unwrap()), r#"{"sphere":{"radius":0.1}}"#);
    let cuboid = Shape::cuboid(1.0, 2.0, 3.0).unwrap();
    assert_eq!(text(cuboid.clone()), r#"{"cuboid":{"half_extents":[1.0,2.0,3.0]}}"#);
    assert_eq!(text(cuboid.rounded(0.5).unwrap()), r#"{"cuboid":{"half_extents":[1.0,2.0,3.0],"radius":0.5}}"#);
    // A part's place may be left out.
    let read: Shape =
        serde_json::from_str(r#"{"compound": {"parts": [{"shape": {"sphere": {"radius": 1}}}]}}"#).unwrap();
    let part = Part { pose: LocalPose::IDENTITY, shape: Shape::sphere(1.0).unwrap() };
    assert_eq!(read, Shape::compound(vec![part]).unwrap());
}

/// The message that a text is refused with.
fn refusal(text: &str) -> String {
    match serde_json::from_str::<Vec<Shape>>(text) {
        Ok(shapes) => panic!("accepted {shapes:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_values_have_the_constructors_text_and_the_line() {
    for (shape, expected) in [
        (r#"{"sphere": {"radius": -1}}"#, "sphere: the radius is -1; it must be greater than zero"),
        (r#"{"sphere": {"radius": 1e39}}"#, "sphere: the radius is inf, not a finite number"),
        (r#"{"segment": {"a": [1, 2, 3], "b": [1, 2, 3]}}"#, "segment: the length is 0; it must be greater than zero"),
        (
            r#"{"triangle": {"a": [0, 0, 0], "b": [1, 1, 1], "c": [2, 2, 2]}}"#,
            "triangle: triangle 0 is degenerate: its corners lie on one line",
        ),
        (
            r#"{"cuboid": {"half_extents": [1, 0, 1]}}"#,
            "cuboid: the half extent along y is 0; it must be greater than zero",
        ),
        (
            r#"{"cuboid": {"half_extents": [1, 1, 1], "radius": -0.5}}"#,
            "cuboid: the rounding radius is -0.5; it must be greater than zero",
        ),
        (
            r#"{"capsule": {"a": [0, 0, 0], "b": [0, 0, 0], "radius": 1}}"#,
            "capsule: the length is 0; it must be greater than zero",
        ),
        (
            r#"{"cylinder": {"half_height": 0, "radius": 1}}"#,
            "cylinder: the half height is 0; it must be greater than zero",
        ),
        (r#"{"cone": {"half_height": 1, "radius": 0}}"#, "cone: the radius is 0; it must be greater than zero"),
        (
            r#"{"ellipsoid": {"radii": [1, 1, -1]}}"#,
            "ellipsoid: the radius along z is -1; it must be greater than zero",
        ),
        (r#"{"hull": {"points": [[0, 0, 0]]}}"#, "convex hull: 1 points given, at least 4 are needed"),
        (r#"{"half_space": {"normal": [0, 0, 0]}}"#, "half-space: the normal is zero and points nowhere"),
        (
            r#"{"mesh": {"vertices": [[0, 0, 0]], "triangles": [[0, 0, 7]]}}"#,
            "mesh: corner 2 of triangle 0 is vertex 7, but there are 1 vertices",
        ),
        (
            r#"{"height_field": {"columns": 2, "rows": 2, "heights": [1], "spacing": [1, 1]}}"#,
            "height field: 1 heights given for 2 columns by 2 rows",
        ),
        (r#"{"compound": {"parts": []}}"#, "compound: no parts given"),
        (
            r#"{"compound": {"parts": [{"shape": {"half_space": {"normal": [0, 1, 0]}}}]}}"#,
            "compound: child 0 is a half-space, which cannot be part of a compound",
        ),
        (
            r#"{"compound": {"parts": [{"rotation": [0, 0, 0, 5], "shape": {"point": {}}}]}}"#,
            "compound: child 0: the rotation [0, 0, 0, 5] is not a unit quaternion",
        ),
    ] {
        let text = format!(
            "[\n  {{\"point\": {{}}}},\n  {{\"sphere\": {{\"radius\": 1}}}},\n  {shape},\n  {{\"point\": {{}}}}\n]"
        );
        let message = refusal(&text);
        assert!(message.starts_with(&format!("{expected} at line 4 column ")), "{message}");
    }
}

#[test]
fn the_line_of_a_fault_deep_inside_is_its_own() {
    let text = r#"[
  {"compound": {"parts": [
    {"shape": {"sphere": {"radius": 1}}},
    {"shape": {"sphere": {"radius": 0}}},
    {"shape": {"sphere": {"radius": 2}}}
  ]}}
]"#;
    let message = refusal(text);
    assert!(message.starts_with("sphere: the radius is 0; it must be greater than zero at line 4 "), "{message}");
}

#[test]
fn unknown_and_missing_fields_are_refused() {
    for (text, expected) in [
        (r#"[{"sphere": {"radius": 1, "colour": 2}}]"#, "unknown field `colour`, expected `radius`"),
        (r#"[{"point": {"at": 1}}]"#, "unknown field `at`"),
        (r#"[{"compound": {"parts": [{"shape": {"point": {}}, "positon": [0, 0, 0]}]}}]"#, "unknown field `positon`"),
        (r#"[{"cube": {"half_extents": [1, 1, 1]}}]"#, "unknown variant `cube`"),
        (r#"[{"custom": {}}]"#, "unknown variant `custom`"),
        (r#"[{"cylinder": {"radius": 1}}]"#, "missing field `half_height`"),
        (r#"[{"sphere": {"radius": 1, "radius": 2}}]"#, "duplicate field `radius`"),
        (r#"[{"sphere": {"radius": 1}, "point": {}}]"#, "a shape is of one kind; `point` is a second one"),
        (r#"[{}]"#, "expected"),
        (r#"["point"]"#, "expected a shape, for example"),
        (r#"[{"sphere": {"radius": null}}]"#, "invalid type: null"),
        (r#"[{"sphere": {"radius": "1"}}]"#, "invalid type: string"),
        (r#"[{"segment": {"a": [0, 0], "b": [1, 0, 0]}}]"#, "invalid length 2"),
        (r#"[{"mesh": {"vertices": [], "triangles": [[0, 1, -1]]}}]"#, "invalid value: integer `-1`"),
    ] {
        let message = refusal(text);
        assert!(message.contains(expected), "{message}");
        assert!(message.contains(" at line 1 column "), "{message}");
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
fn a_custom_shape_is_not_written() {
    let error = serde_json::to_string(&Shape::custom(Corner)).unwrap_err();
    assert_eq!(error.to_string(), "a custom shape cannot be written to or read from a file");
}
