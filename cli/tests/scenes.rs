//! Scenes from outside: the list, meshes in files of their own, and what is said of fields that are wrong.

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom")).args(arguments).output().expect("the program starts")
}

fn written(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("scenes");
    std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the folder for tests is writable");
    path
}

/// The report of a run of one step.
fn run(name: &str, scene: &Value) -> Value {
    let path = written(name, &scene.to_string());
    let output = carom(&["run", &path.display().to_string(), "--steps", "1", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{name}: {said}");
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

/// What is said of a scene that must be refused.
fn refused(name: &str, text: &str) -> String {
    let path = written(name, text);
    let output = carom(&["run", &path.display().to_string(), "--steps", "1"]);
    let said = String::from_utf8(output.stderr).expect("errors are UTF-8");
    assert_eq!(output.status.code(), Some(3), "{name}: {said}");
    said
}

/// A prism over an L, two metres long and high and one deep: as OBJ in quadrilaterals, and as STL in triangles.
const OUTLINE: [[f64; 2]; 6] = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];

fn prism_obj() -> String {
    let mut text = String::from("# a prism\no prism\n");
    for z in [0, 1] {
        for [x, y] in OUTLINE {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    for side in 0..6 {
        let next = (side + 1) % 6;
        text += &format!("f {} {} {} {}\n", side + 1, next + 1, next + 7, side + 7);
    }
    for [a, b, c] in [[1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 6]] {
        text += &format!("f {a} {c} {b}\nf {} {} {}\n", a + 6, b + 6, c + 6);
    }
    text
}

fn tetrahedron_stl() -> String {
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut text = String::from("solid tetrahedron\n");
    for face in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in face.map(|corner: usize| corners[corner]) {
            text += &format!("vertex {x} {y} {z}\n");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid tetrahedron\n"
}

#[test]
fn the_list_has_what_programs_need() {
    let listed: Value = serde_json::from_slice(&carom(&["scenes", "--json"]).stdout).expect("the list is JSON");
    let listed = listed.as_array().expect("an array");
    assert!(listed.len() >= 24);
    for scene in listed {
        for field in ["name", "shows"] {
            assert!(scene[field].as_str().is_some_and(|text| !text.is_empty()), "{scene}");
        }
        assert!(scene["capabilities"].as_array().is_some_and(|ids| !ids.is_empty()), "{scene}");
    }
}

#[test]
fn meshes_are_read_from_files_beside_the_scene() {
    written("prism.obj", &prism_obj());
    written("tetrahedron.stl", &tetrahedron_stl());
    let falling = |shape: Value| json!({ "bodies": [{ "position": [0, 5, 0], "density": 1000, "shape": shape }] });
    // The energy at the start is m g (5 + the height of the centre of mass), so it tells the volume.
    let potential = |report: &Value| report["energy"]["start"]["potential"].as_f64().expect("a number");
    let weigh = |volume: f64, height: f64| 1000.0 * volume * 9.81 * (5.0 + height);
    let as_mesh = run("mesh.json", &falling(json!({ "mesh_file": { "path": "prism.obj" } })));
    let center = (2.0 * 0.5 + 1.5) / 3.0;
    assert!((potential(&as_mesh) / weigh(3.0, center) - 1.0).abs() < 1e-4, "{}", potential(&as_mesh));
    let parts = json!({ "mesh_file": { "path": "prism.obj", "decompose": { "concavity": 0.05 } } });
    let as_parts = run("parts.json", &falling(parts));
    assert!((potential(&as_parts) / weigh(3.0, center) - 1.0).abs() < 1e-3, "{}", potential(&as_parts));
    let as_hull = json!({ "mesh_file": { "path": "prism.obj", "decompose": { "max_hulls": 1 } } });
    let as_hull = run("hull.json", &falling(as_hull));
    assert!(potential(&as_hull) > 1.1 * potential(&as_mesh), "one hull is larger than the prism");
    let scaled = run("stl.json", &falling(json!({ "mesh_file": { "path": "tetrahedron.stl", "scale": 2 } })));
    assert!((potential(&scaled) / weigh(8.0 / 6.0, 0.5) - 1.0).abs() < 1e-4, "{}", potential(&scaled));
}

#[test]
fn toml_scenes_name_mesh_files_too() {
    written("prism.obj", &prism_obj());
    let text = "[[bodies]]\nkind = 'fixed'\nshape = { mesh_file = { path = 'prism.obj' } }\n";
    let path = written("mesh.toml", text);
    let output = carom(&["run", &path.display().to_string(), "--steps", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said = refused("missing.toml", &text.replace("prism.obj", "none.obj"));
    assert!(said.contains("none.obj") && said.contains("missing.toml:3"), "{said}");
}

#[test]
fn broken_mesh_files_are_named_where_the_scene_names_them() {
    written("broken.obj", "v 0 0 zero\nf 1 2 3\n");
    written("short.stl", "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0\n");
    written("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    written("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    written("mesh.ply", "ply\n");
    let scene = |file: &str, more: &str| {
        format!(
            "{{\n\"bodies\": [\n{{\"kind\": \"fixed\",\n\"shape\": {{\"mesh_file\": {{\"path\": \"{file}\"{more}}}}}}}]}}"
        )
    };
    for (file, more, expected) in [
        ("none.obj", "", "none.obj"),
        ("broken.obj", "", "broken.obj"),
        ("short.stl", "", "short.stl"),
        ("flat.obj", "", "flat.obj"),
        ("mesh.ply", "", ".obj or .stl"),
        ("open.obj", ", \"decompose\": {}", "not closed"),
        ("open.obj", ", \"scale\": 0", "scale is 0"),
        ("open.obj", ", \"scale\": 1e39", "scale"),
    ] {
        let said = refused(&format!("{file}.json"), &scene(file, more));
        // Long messages are broken into lines.
        let said = said.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected) && said.contains(&format!("{file}.json:4")), "{file}{more}: {said}");
    }
}

#[test]
fn wrong_fields_are_pointed_at() {
    let body =
        |field: &str| format!("{{\n\"bodies\": [\n{{\"shape\": {{\"sphere\": {{\"radius\": 1}}}},\n{field}}}]}}");
    let scene = |field: &str| format!("{{\n\n\n{field},\n\"bodies\": []}}");
    for (text, expected) in [
        (body("\"rolling_friction\": -1"), "rolling friction"),
        (body("\"linear_damping\": -1"), "linear damping"),
        (body("\"max_speed\": -1"), "greatest speed"),
        (body("\"friction_mixing\": \"most\""), "geometric_mean"),
        (body("\"lock_rotation\": [true]"), "length"),
        (body("\"groups\": -1"), "-1"),
        (body("\"force\": [0, 1e39, 0]"), "force"),
        (scene("\"broad_phase\": \"quick\""), "dynamic_tree"),
        (scene("\"solver\": {\"soft_step\": {\"substeps\": 0}}"), "from 1 to"),
        (scene("\"solver\": {\"worst_first\": {\"iterations\": 100000}}"), "from 1 to"),
        (scene("\"bounce_threshold\": -1"), "bounce threshold"),
        (scene("\"hit_speed\": -1"), "hits"),
        (scene("\"camera\": {\"from\": [1, 1, 1], \"to\": [1, 1, 1]}"), "camera"),
    ] {
        let said = refused("wrong.json", &text);
        assert!(said.contains(expected) && said.contains("wrong.json:4"), "{text}: {said}");
    }
    let said = refused("masses.json", &body("\"mass\": 1, \"density\": 1"));
    assert!(said.contains("only one"), "{said}");
}
