//! What a scene file may hold, for editors and for people. The reader does not use it; tests hold the two together.

/// The JSON Schema of scene files.
pub(crate) const SCHEMA: &str = include_str!("../../scene.schema.json");

#[cfg(test)]
pub(crate) mod tests {
    use super::super::error::Text;
    use super::super::{SceneError, embedded, file};
    use super::*;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn schema() -> Value {
        serde_json::from_str(SCHEMA).expect("the schema is JSON")
    }

    /// The first thing in `value` that the schema `node` does not allow; of the schema language, what our schema uses.
    pub(crate) fn objection(value: &Value, node: &Value, root: &Value) -> Option<String> {
        for (rule, wanted) in node.as_object()? {
            let number = value.as_f64();
            let items = value.as_array();
            let fields = value.as_object();
            let limit = wanted.as_f64().unwrap_or(f64::NAN);
            let fine = match rule.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let name = wanted.as_str().expect("a reference is a string").rsplit('/').next().unwrap_or_default();
                    return objection(value, &root["$defs"][name], root).or_else(|| {
                        let mut rest = node.clone();
                        rest.as_object_mut().expect("a schema is an object").remove("$ref");
                        objection(value, &rest, root)
                    });
                }
                "type" => match wanted.as_str().expect("one type each") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    "integer" => value.is_u64() || value.is_i64(),
                    other => panic!("no such type: {other}"),
                },
                "anyOf" => {
                    let choices = wanted.as_array().expect("a list");
                    choices.iter().any(|node| objection(value, node, root).is_none())
                }
                "enum" => wanted.as_array().expect("a list").contains(value),
                "minimum" => number.is_none_or(|number| number >= limit),
                "maximum" => number.is_none_or(|number| number <= limit),
                "exclusiveMinimum" => number.is_none_or(|number| number > limit),
                "minItems" => items.is_none_or(|items| items.len() as f64 >= limit),
                "maxItems" => items.is_none_or(|items| items.len() as f64 <= limit),
                "minProperties" => fields.is_none_or(|fields| fields.len() as f64 >= limit),
                "maxProperties" => fields.is_none_or(|fields| fields.len() as f64 <= limit),
                "required" => wanted.as_array().expect("a list").iter().all(|name| {
                    fields.is_none_or(|fields| fields.contains_key(name.as_str().expect("names are strings")))
                }),
                "additionalProperties" => {
                    assert_eq!(*wanted, json!(false));
                    let known = node["properties"].as_object().expect("properties are listed");
                    fields.is_none_or(|fields| fields.keys().all(|name| known.contains_key(name)))
                }
                "properties" => {
                    for (name, inner) in fields.into_iter().flatten() {
                        if let Some(found) = wanted.get(name).and_then(|node| objection(inner, node, root)) {
                            return Some(format!("{name}: {found}"));
                        }
                    }
                    true
                }
                "items" => {
                    if let Some(found) = items.into_iter().flatten().find_map(|item| objection(item, wanted, root)) {
                        return Some(found);
                    }
                    true
                }
                other => panic!("the test does not know the rule {other}"),
            };
            if !fine {
                return Some(format!("{rule} {wanted}, but found {value}"));
            }
        }
        None
    }

    fn read(scene: &Value) -> Result<(), SceneError> {
        file::read(&Text::new("test.json", scene.to_string())).map(drop)
    }

    /// The names that the reader says it knows when it meets `?`.
    fn known_to_reader(scene: &Value) -> BTreeSet<String> {
        let message = read(scene).expect_err("`?` is no field").to_string();
        let (_, expected) = message.split_once('?').expect("the message names what it met");
        expected.split('`').skip(2).step_by(2).map(String::from).collect()
    }

    fn known_to_schema(node: &Value) -> BTreeSet<String> {
        node["properties"].as_object().expect("properties are listed").keys().cloned().collect()
    }

    fn with_shape(shape: &Value) -> Value {
        json!({ "bodies": [{ "kind": "fixed", "shape": shape }] })
    }

    #[test]
    fn the_reader_and_the_schema_know_the_same_fields() {
        let schema = schema();
        let defs = &schema["$defs"];
        assert_eq!(known_to_reader(&json!({ "?": 1 })), known_to_schema(&schema));
        assert_eq!(known_to_reader(&json!({ "bodies": [{ "?": 1 }] })), known_to_schema(&defs["body"]));
        assert_eq!(known_to_reader(&json!({ "bodies": [{ "shapes": [{ "?": 1 }] }] })), known_to_schema(&defs["part"]));
        assert_eq!(known_to_reader(&with_shape(&json!({ "?": {} }))), known_to_schema(&defs["shape"]));
        let compound = json!({ "compound": { "parts": [{ "?": 1 }] } });
        assert_eq!(known_to_reader(&with_shape(&compound)), known_to_schema(&defs["compound_part"]));
        let taken_apart = &defs["shape"]["properties"]["mesh_file"]["properties"]["decompose"];
        let mesh_file = json!({ "mesh_file": { "path": "a.obj", "decompose": { "?": 1 } } });
        assert_eq!(known_to_reader(&with_shape(&mesh_file)), known_to_schema(taken_apart));
        let of_scene = |field: &str, value: Value| known_to_reader(&json!({ field: value, "bodies": [] }));
        assert_eq!(of_scene("camera", json!({ "?": 1 })), known_to_schema(&schema["properties"]["camera"]));
        assert_eq!(of_scene("solver", json!({ "?": {} })), known_to_schema(&defs["solver"]));
        for (name, node) in defs["solver"]["properties"].as_object().expect("solvers are listed") {
            assert_eq!(of_scene("solver", json!({ name: { "?": 1 } })), known_to_schema(node), "{name}");
        }
        let listed = |node: &Value| -> BTreeSet<String> {
            let names = node["enum"].as_array().expect("a list").iter().map(|name| name.as_str().map(String::from));
            names.collect::<Option<_>>().expect("names are strings")
        };
        for word in ["off", "adaptive", "default"] {
            let scene = json!({ "continuous": word, "bodies": [] });
            assert_eq!(objection(&scene, &schema, &schema), None);
            read(&scene).unwrap_or_else(|error| panic!("{error}"));
        }
        let known = of_scene("continuous", json!("?"));
        assert_eq!(json!(known), json!(["adaptive", "default", "off", "substeps"]));
        for field in ["broad_phase", "inner_edges"] {
            assert_eq!(of_scene(field, json!("?")), listed(&schema["properties"][field]), "{field}");
        }
        let mixing = known_to_reader(&json!({ "bodies": [{ "friction_mixing": "?" }] }));
        assert_eq!(mixing, listed(&defs["mixing"]));
        let projection = of_scene("solver", json!({ "worst_first": { "projection": "?" } }));
        assert_eq!(projection, listed(&defs["solver"]["properties"]["worst_first"]["properties"]["projection"]));
        for (name, node) in defs["shape"]["properties"].as_object().expect("shapes are listed") {
            assert_eq!(known_to_reader(&with_shape(&json!({ name: { "?": 1 } }))), known_to_schema(node), "{name}");
        }
        let kinds = known_to_reader(&json!({ "bodies": [{ "kind": "?" }] }));
        assert_eq!(json!(kinds), json!(["dynamic", "fixed", "kinematic"]));
        assert_eq!(
            json!(kinds).as_array().map(Vec::len),
            defs["body"]["properties"]["kind"]["enum"].as_array().map(Vec::len)
        );
    }

    fn one_of_each_shape() -> Vec<Value> {
        let corners = json!([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        vec![
            json!({ "point": {} }),
            json!({ "segment": { "a": [0, 0, 0], "b": [1, 0, 0] } }),
            json!({ "triangle": { "a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0], "radius": 0.1 } }),
            json!({ "sphere": { "radius": 1 } }),
            json!({ "cuboid": { "half_extents": [1, 2, 3], "radius": 0.1 } }),
            json!({ "capsule": { "a": [0, 0, 0], "b": [1, 0, 0], "radius": 1 } }),
            json!({ "cylinder": { "half_height": 1, "radius": 1 } }),
            json!({ "cone": { "half_height": 1, "radius": 1 } }),
            json!({ "ellipsoid": { "radii": [1, 2, 3] } }),
            json!({ "hull": { "points": corners, "radius": 0.1 } }),
            json!({ "half_space": { "normal": [0, 1, 0] } }),
            json!({ "mesh": { "vertices": corners, "triangles": [[0, 1, 2]] } }),
            json!({ "height_field": { "columns": 2, "rows": 2, "heights": [0, 1, 2, 3], "spacing": [1, 1] } }),
            json!({ "compound": { "parts": [{ "position": [0, 0, 0], "rotation": [0, 0, 0, 1], "shape": { "point": {} } }] } }),
        ]
    }

    #[test]
    fn every_shape_with_all_its_fields_passes_both_and_none_without_what_it_needs() {
        let schema = schema();
        let mut seen = BTreeSet::new();
        for shape in one_of_each_shape() {
            let (name, fields) = shape.as_object().and_then(|shape| shape.iter().next()).expect("one shape");
            seen.insert(name.clone());
            let scene = with_shape(&shape);
            assert_eq!(objection(&scene, &schema, &schema), None, "{shape}");
            read(&scene).unwrap_or_else(|error| panic!("{shape}: {error}"));
            let node = &schema["$defs"]["shape"]["properties"][name];
            assert_eq!(
                known_to_schema(node),
                fields.as_object().expect("an object").keys().cloned().collect(),
                "{name}"
            );
            for field in fields.as_object().expect("an object").keys() {
                let mut less = shape.clone();
                less[name].as_object_mut().expect("an object").remove(field);
                let scene = with_shape(&less);
                let is_needed = objection(&scene, &schema, &schema).is_some();
                assert_eq!(read(&scene).is_err(), is_needed, "{name} without {field}");
            }
        }
        // Its own test reads true files.
        seen.insert("mesh_file".into());
        assert_eq!(seen, known_to_schema(&schema["$defs"]["shape"]));
    }

    /// A part and a body with all their fields; of those that exclude each other, the density.
    fn everything() -> Value {
        let surface = json!({
            "restitution": 0.5,
            "friction": 0.5,
            "static_friction": 0.6,
            "rolling_friction": 0.1,
            "surface_velocity": [1, 0, 0],
            "friction_mixing": "min",
            "restitution_mixing": "average",
            "sensor": false,
            "groups": 1,
            "mask": 4294967295u32,
            "user_data": 7,
        });
        let with = |fields: Value| {
            let mut all = surface.clone();
            let object = all.as_object_mut().expect("an object");
            object.extend(fields.as_object().expect("an object").clone());
            all
        };
        let part = with(json!({
            "position": [0, 1, 0],
            "rotation": [0, 0, 0, 1],
            "shape": { "sphere": { "radius": 1 } },
        }));
        let body = with(json!({
            "name": "body",
            "kind": "dynamic",
            "position": [0, 1, 0],
            "rotation": [0, 0, 0, 1],
            "velocity": [0, 1, 0],
            "angular_velocity": [0, 1, 0],
            "shape": { "sphere": { "radius": 1 } },
            "shapes": [part],
            "density": 500,
            "linear_damping": 0.1,
            "angular_damping": 0.1,
            "gravity_scale": 0.5,
            "lock_translation": [false, false, true],
            "lock_rotation": [true, true, false],
            "max_speed": 100,
            "max_angular_speed": 100,
            "force": [1, 0, 0],
            "torque": [0, 1, 0],
            "may_sleep": false,
            "enabled": true,
        }));
        json!({
            "$schema": "scene.schema.json",
            "name": "all",
            "shows": "Everything.",
            "capabilities": ["R1"],
            "gravity": [0, -1.6, 0],
            "broad_phase": "octree",
            "solver": { "projected_gauss_seidel": { "iterations": 5, "warm": false } },
            "inner_edges": "felt",
            "sleeping": false,
            "bounce_threshold": 0.5,
            "hit_speed": 0.1,
            "continuous": { "substeps": 2 },
            "camera": { "from": [0, 1, 5], "to": [0, 1, 0] },
            "dt": 0.01,
            "steps": 5,
            "bodies": [body],
        })
    }

    #[test]
    fn every_field_of_a_scene_and_a_body_passes_both() {
        let scene = everything();
        let schema = schema();
        let fields = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(fields(&scene), known_to_schema(&schema));
        let mut of_body = fields(&scene["bodies"][0]);
        assert_eq!(fields(&scene["bodies"][0]["shapes"][0]), known_to_schema(&schema["$defs"]["part"]));
        of_body.extend(["mass".to_string(), "mass_properties".to_string()]);
        assert_eq!(of_body, known_to_schema(&schema["$defs"]["body"]));
        assert_eq!(objection(&scene, &schema, &schema), None);
        read(&scene).unwrap_or_else(|error| panic!("{error}"));
        let properties = json!({ "mass": 2, "center_of_mass": [0, 0, 0], "inertia": [1, 0, 0, 0, 1, 0, 0, 0, 1] });
        for (field, value) in [("mass", json!(2)), ("mass_properties", properties)] {
            let mut other = scene.clone();
            other["bodies"][0][field] = value;
            assert_eq!(objection(&other, &schema, &schema), None);
            assert!(read(&other).expect_err("two masses").to_string().contains("only one"));
            other["bodies"][0].as_object_mut().expect("an object").remove("density");
            read(&other).unwrap_or_else(|error| panic!("{error}"));
        }
        assert!(objection(&json!({ "steps": 5 }), &schema, &schema).is_some());
        assert!(objection(&with_shape(&json!({ "sphere": { "radius": -1 } })), &schema, &schema).is_some());
        assert!(objection(&with_shape(&json!({ "cuboid": { "half_extents": [1, 2] } })), &schema, &schema).is_some());
    }

    #[test]
    fn what_a_scene_says_reaches_the_world() {
        let text = everything().to_string();
        let scene = file::read(&Text::new("all.json", text)).unwrap_or_else(|error| panic!("{error}"));
        let world = scene.world().unwrap_or_else(|error| panic!("{error}"));
        let body = world.bodies().next().expect("a body");
        assert_eq!(body.user_data(), 7);
        assert_eq!(body.constant_force().to_array(), [1.0, 0.0, 0.0]);
        assert_eq!(body.constant_torque().to_array(), [0.0, 1.0, 0.0]);
        assert_eq!(world.gravity().y, -1.6);
        assert_eq!(scene.settings.broad_phase, carom::broad::Structure::Octree);
        let (shape, part) = (body.shapes().next().expect("a shape"), body.shapes().nth(1).expect("a second"));
        assert_eq!((shape.material.friction, part.material.rolling_friction), (0.5, 0.1));
        assert_eq!((shape.material.static_friction, part.material.static_friction), (0.6, 0.6));
        assert_eq!(part.filter.groups, 1);
        assert_eq!(part.user_data, 7);
        assert_eq!(part.pose_in_body.position.y, 1.0);
    }

    #[test]
    fn the_embedded_scenes_follow_the_schema() {
        let schema = schema();
        for name in embedded::names() {
            let text = embedded::text(name).expect("a listed scene has a text");
            let scene: Value = serde_json::from_str(&text).expect("a scene is JSON");
            assert_eq!(objection(&scene, &schema, &schema), None, "{name}");
        }
    }
}
