//! A pair as a test in Rust that stands alone: it builds the two shapes with the same bits and asks the same question.

use super::pieces::Piece;
use crate::session::Session;
use carom::glam::{DVec3, Vec3};
use carom::narrow::LocalManifold;
use carom::pose::Pose;
use carom::query::{self, Distance};
use carom::shape::Shape;

/// The text of the test; none if a shape cannot be written down.
pub(super) fn text(
    session: &Session,
    slots: [u32; 2],
    [a, b]: [&Piece; 2],
    (answer, manifold): (&Distance, Option<&LocalManifold>),
) -> Option<String> {
    let (name, frame) = (printable(&session.scene().name), session.frame());
    let mut text = format!("// carom {}: scene {name}, frame {frame}.\n", env!("CARGO_PKG_VERSION"));
    text += &format!("// a: {}, b: {}.\n", a.name, b.name);
    text += "use carom::prelude::*;\n\n#[test]\n";
    text += &format!("fn {}_slots_{}_and_{}_in_frame_{frame}()", identifier(&name), slots[0], slots[1]);
    text += " -> Result<(), Box<dyn std::error::Error>> {\n";
    for (name, piece) in [("a", a), ("b", b)] {
        text += &format!("    let {name} = {};\n", constructor(&piece.shape)?);
        text += &format!("    let pose_{name} = {};\n", pose(&piece.pose));
    }
    text += "\n    let distance = query::distance(&a, &pose_a, &b, &pose_b)?;\n";
    let kind = match answer {
        Distance::Apart(_) => "Apart(_)",
        Distance::Overlapping { .. } => "Overlapping { .. }",
        Distance::Undecided(_) => "Undecided(_)",
    };
    text += &format!("    assert!(matches!(distance, Distance::{kind}), \"{{distance:?}}\");\n");
    match answer {
        Distance::Apart(gap) | Distance::Undecided(gap) => {
            text += &format!("    assert!({}, \"{{distance:?}}\");\n", near("distance.value()", gap.distance));
        }
        Distance::Overlapping { .. } => {
            if let Ok(deep) = query::penetration(&a.shape, &a.pose, &b.shape, &b.pose) {
                text += "    let penetration = query::penetration(&a, &pose_a, &b, &pose_b)?;\n";
                text += &format!("    assert!({}, \"{{penetration:?}}\");\n", near("penetration.depth", deep.depth));
            }
        }
    }
    text += &format!(
        "\n    let contact = carom::narrow::contact(&a, &b, &Pose::b_in_a(&pose_a, &pose_b), {:?})?;\n",
        super::MARGIN
    );
    match manifold {
        None => text += "    assert!(contact.is_none(), \"{contact:?}\");\n",
        Some(manifold) => {
            text += "    let contact = contact.expect(\"they touch, or are about to\");\n";
            text += &format!(
                "    assert_eq!(contact.contacts().len(), {}, \"{{contact:?}}\");\n",
                manifold.contacts().len()
            );
            let normal = vector(manifold.normal);
            text += &format!("    assert!(contact.normal.distance({normal}) <= 1e-4, \"{{contact:?}}\");\n");
            text += "    let has = |point: Vec3, depth: f32| {\n";
            text += "        let mut points = contact.contacts().iter();\n";
            text += "        points.any(|it| it.point.distance(point) <= 1e-4 && (it.depth - depth).abs() <= 1e-5)\n";
            text += "    };\n";
            for point in manifold.contacts() {
                let (place, depth) = (vector(point.point), point.depth);
                text += &format!("    assert!(has({place}, {depth:?}), \"{{contact:?}}\");\n");
            }
        }
    }
    text += "    Ok(())\n}\n";
    Some(text)
}

/// A name on one line.
fn printable(name: &str) -> String {
    name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// What a function may be called, whatever the scene is: it may begin with a digit, or be a word of the language.
fn identifier(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    let word: String = name.chars().map(letter).collect();
    format!("scene_{}", word.trim_matches('_'))
}

/// That a value is the one expected, up to what is left to rounding.
fn near(value: &str, expected: f64) -> String {
    format!("({value} - {expected:?}).abs() <= {:?}", 1e-6 * expected.abs().max(1.0))
}

/// An expression that makes the shape; numbers are written so that they are read back with the same bits.
fn constructor(shape: &Shape) -> Option<String> {
    let rounded = |core: String, radius: f32| {
        if radius == 0.0 { format!("{core}?") } else { format!("{core}?.rounded({radius:?})?") }
    };
    Some(match shape {
        Shape::Point(_) => "Shape::point()".to_string(),
        Shape::Segment(segment) => format!("Shape::segment({}, {})?", vector(segment.a()), vector(segment.b())),
        Shape::Triangle(triangle) => {
            let corners = triangle.core().corners().map(vector).join(", ");
            rounded(format!("Shape::triangle({corners})"), triangle.radius())
        }
        Shape::Sphere(sphere) => format!("Shape::sphere({:?})?", sphere.radius()),
        Shape::Cuboid(cuboid) => {
            let half = cuboid.core().half_extents();
            rounded(format!("Shape::cuboid({:?}, {:?}, {:?})", half.x, half.y, half.z), cuboid.radius())
        }
        Shape::Capsule(capsule) => {
            let [a, b] = [capsule.core().a(), capsule.core().b()].map(vector);
            format!("Shape::capsule_between({a}, {b}, {:?})?", capsule.radius())
        }
        Shape::Cylinder(cylinder) => format!("Shape::cylinder({:?}, {:?})?", cylinder.half_height(), cylinder.radius()),
        Shape::Cone(cone) => format!("Shape::cone({:?}, {:?})?", cone.half_height(), cone.radius()),
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii();
            format!("Shape::ellipsoid({:?}, {:?}, {:?})?", radii.x, radii.y, radii.z)
        }
        Shape::Hull(hull) => {
            let lines: String =
                hull.core().vertices().iter().map(|vertex| format!("        {},\n", vector(*vertex))).collect();
            rounded(format!("Shape::hull(&[\n{lines}    ])"), hull.radius())
        }
        Shape::HalfSpace(half_space) => format!("Shape::half_space({})?", vector(half_space.normal())),
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) | Shape::Custom(_) => return None,
    })
}

fn vector(vector: Vec3) -> String {
    format!("Vec3::new({:?}, {:?}, {:?})", vector.x, vector.y, vector.z)
}

fn pose(Pose { position, rotation }: &Pose) -> String {
    let DVec3 { x, y, z } = *position;
    let [i, j, k, w] = rotation.to_array();
    format!("Pose::new(DVec3::new({x:?}, {y:?}, {z:?}), Quat::from_xyzw({i:?}, {j:?}, {k:?}, {w:?}))")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_function() {
        for (name, expected) in [
            ("boxes", "scene_boxes"),
            ("10k.json", "scene_10k_json"),
            ("fn", "scene_fn"),
            ("Über 3", "scene_ber_3"),
            ("", "scene_"),
        ] {
            assert_eq!(identifier(name), expected);
        }
        assert_eq!(printable("a\nb"), "a b");
    }
}
