//! The program from outside: exit codes, what it prints where, and what it says of broken input.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom")).args(arguments).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was not killed")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is UTF-8")
}

/// A scene file of this test alone.
fn scene_file(name: &str, text: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the folder for tests is writable");
    path
}

/// Runs a scene that must be refused; its name and the text of the refusal.
fn refused(name: &str, text: &str) -> String {
    let path = scene_file(name, text.as_bytes());
    let output = carom(&["run", &path.display().to_string(), "--steps", "1"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 3, "{name}: {said}");
    assert_eq!(stdout(&output), "", "{name}");
    said
}

fn scene_names() -> Vec<String> {
    let listed: Value = serde_json::from_str(&stdout(&carom(&["scenes", "--json"]))).expect("the list is JSON");
    let names = listed.as_array().expect("an array").iter().map(|scene| scene["name"].as_str().map(String::from));
    names.collect::<Option<_>>().expect("every scene has a name")
}

#[test]
fn without_a_command_it_simulates_and_says_what_to_try() {
    let output = carom(&[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "no progress bar where there is no terminal");
    let text = stdout(&output);
    for word in ["bodies", "pairs", "contacts", "energy", "momentum", "broad", "narrow", "response", "carom scenes"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
}

#[test]
fn every_listed_scene_runs() {
    let names = scene_names();
    for wanted in ["bounce", "billiards", "break", "boxes", "shapes", "spin", "ramp"] {
        assert!(names.iter().any(|name| name == wanted), "{wanted} is missing");
    }
    let table = stdout(&carom(&["scenes"]));
    for name in names {
        assert!(table.contains(&name));
        let output = carom(&["run", &name, "--steps", "10"]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
    }
}

#[test]
fn the_documented_fields_are_there() {
    let output = carom(&["run", "bounce", "--steps", "20", "--dt", "0.01", "--json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("the report is JSON");
    assert_eq!(report["scene"], "bounce");
    assert_eq!(report["steps"], 20);
    assert!((report["simulated_seconds"].as_f64().expect("a number") - 0.2).abs() < 1e-6);
    for pointer in [
        "/dt",
        "/wall_seconds",
        "/bodies/total",
        "/bodies/dynamic",
        "/bodies/kinematic",
        "/bodies/fixed",
        "/pairs/last",
        "/pairs/mean",
        "/pairs/peak",
        "/contacts/last",
        "/contacts/mean",
        "/contacts/peak",
        "/deepest",
        "/energy/start/kinetic",
        "/energy/start/potential",
        "/energy/end/total",
        "/momentum/start/linear/0",
        "/momentum/end/angular/2",
        "/stages/broad",
        "/stages/narrow",
        "/stages/response",
        "/end/1/position/2",
        "/end/1/rotation/3",
        "/end/1/velocity/0",
        "/end/1/angular_velocity/0",
    ] {
        assert!(report.pointer(pointer).is_some_and(Value::is_number), "{pointer} in {report:#}");
    }
    assert_eq!(report["faults"], serde_json::json!([]));
    assert_eq!(report["end"][1]["name"], "clay");
    assert_eq!(report["end"][0]["kind"], "fixed");
    // Every top-level field is documented.
    let help = stdout(&carom(&["run", "--help"]));
    for field in report.as_object().expect("an object").keys() {
        assert!(help.contains(field), "{field} is not in the help");
    }
}

#[test]
fn a_falling_ball_is_where_galileo_says() {
    let path =
        scene_file("fall.json", br#"{"bodies": [{"position": [0, 100, 0], "shape": {"sphere": {"radius": 1}}}]}"#);
    let output = carom(&["run", &path.display().to_string(), "--steps", "1000", "--dt", "0.002", "--json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).expect("the report is JSON");
    let height = report["end"][0]["position"][1].as_f64().expect("a number");
    // After two seconds; the integrator's error is of the order of g·t·dt.
    assert!((height - (100.0 - 9.81 / 2.0 * 4.0)).abs() < 0.03, "{height}");
    let (start, end) = (&report["energy"]["start"]["total"], &report["energy"]["end"]["total"]);
    let (start, end) = (start.as_f64().expect("a number"), end.as_f64().expect("a number"));
    assert!((end / start - 1.0).abs() < 1e-3, "{start} {end}");
}

#[test]
fn toml_and_json_mean_the_same() {
    let json = br#"{"name": "same", "dt": 0.01, "bodies": [
        {"kind": "fixed", "shape": {"half_space": {"normal": [0, 1, 0]}}},
        {"name": "b", "position": [0, 1.1, 0], "restitution": 0.5, "density": 10, "shape": {"sphere": {"radius": 1}}}]}"#;
    let toml = b"name = 'same'\ndt = 0.01\n[[bodies]]\nkind = 'fixed'\nshape = { half_space = { normal = [0, 1, 0] } }\n\
        [[bodies]]\nname = 'b'\nposition = [0, 1.1, 0]\nrestitution = 0.5\ndensity = 10\n[bodies.shape.sphere]\nradius = 1\n";
    let run = |path: PathBuf| {
        let output = carom(&["run", &path.display().to_string(), "--steps", "50", "--json"]);
        let mut report: Value = serde_json::from_str(&stdout(&output)).expect("the report is JSON");
        report["wall_seconds"] = Value::Null;
        report["stages"] = Value::Null;
        report
    };
    assert_eq!(run(scene_file("same.json", json)), run(scene_file("same.toml", toml)));
}

#[test]
fn broken_syntax_is_shown_with_its_line() {
    let said = refused("comma.json", "{\n  \"bodies\": [\n    { \"kind\": \"fixed\" },\n  ]\n}\n");
    assert!(said.contains("comma.json:4:3") && said.contains("│   ]"), "{said}");
    let said = refused("cut.json", "{\n  \"bodies\": [\n");
    assert!(said.contains("cut.json:2"), "{said}");
    let said = refused("quote.toml", "dt = 0.01\nname = \"x\n");
    assert!(said.contains("quote.toml:2"), "{said}");
    refused("empty.json", "");
    refused("list.json", "[]");
    refused("empty.toml", "");
}

#[test]
fn unknown_names_are_shown_with_their_line_and_what_is_known() {
    let body =
        "{\n  \"bodies\": [\n    { \"kind\": \"fixed\" },\n    { \"name\": \"ball\",\n      \"mas\": 1 }\n  ]\n}\n";
    let said = refused("field.json", body);
    assert!(said.contains("field.json:5:7") && said.contains("body 1") && said.contains("density"), "{said}");
    let said = refused("shape.json", "{ \"bodies\": [\n  { \"name\": \"it\", \"shape\": { \"ball\": {} } } ] }");
    assert!(said.contains("shape.json:2:30") && said.contains("body 0 (it)") && said.contains("sphere"), "{said}");
    let said = refused("top.json", "{ \"gravty\": [0, 0, 0], \"bodies\": [] }");
    assert!(said.contains("top.json:1:3") && said.contains("gravity"), "{said}");
    let said = refused("field.toml", "[[bodies]]\n[[bodies]]\nname = 'it'\nmas = 1\n");
    assert!(said.contains("field.toml:4:1") && said.contains("body 1 (it)") && said.contains("density"), "{said}");
}

#[test]
fn what_was_probably_meant_is_said() {
    let said = refused("typo.json", "{ \"bodies\": [\n  { \"postion\": [0, 0, 0] } ] }");
    assert!(said.contains("typo.json:2:5") && said.contains("did you mean `position`?"), "{said}");
    let said = refused("typo.toml", "[[bodies]]\nfrictoin = 1\n");
    assert!(said.contains("typo.toml:2:1") && said.contains("did you mean `friction`?"), "{said}");
    let said = refused("kind.json", "{ \"bodies\": [{ \"shape\": { \"spere\": {} } }] }");
    assert!(said.contains("did you mean `sphere`?"), "{said}");
    let said = refused("far.json", "{ \"bodies\": [{ \"qqq\": 1 }] }");
    assert!(!said.contains("did you mean"), "{said}");
    let mesh = scene_file("mesh.obj", b"v 0 0 0\n");
    let output = carom(&["view", &mesh.display().to_string()]);
    assert!(code(&output) == 3 && stderr(&output).contains("mesh_file"), "{}", stderr(&output));
    let output = carom(&["run", "gone.json"]);
    assert!(code(&output) == 3 && stderr(&output).contains("carom scenes"), "{}", stderr(&output));
    let output = carom(&["run", "bounce", "--steps", "1", "--record", "no such folder/a.carom"]);
    assert!(code(&output) == 3 && stderr(&output).contains("there is no folder no such folder"), "{}", stderr(&output));
}

/// On a terminal, what takes long shows that it goes on: reading a scene, as well as taking its steps. `script` gives the
/// program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_sees_that_something_goes_on() {
    let ball = r#"{"kind": "fixed", "shape": {"sphere": {"radius": 1}}}"#;
    let many = vec![ball; 300_000].join(",");
    let path = scene_file("many-still.json", format!("{{\"name\": \"still\", \"bodies\": [{many}]}}").as_bytes());
    let command = format!("{} run {} --steps 0", env!("CARGO_BIN_EXE_carom"), path.display());
    let Ok(output) = Command::new("script").args(["-qec", &command, "/dev/null"]).env("TERM", "xterm").output() else {
        println!("not tried: there is no `script` here");
        return;
    };
    let seen = stdout(&output);
    assert!(seen.contains("reading") && seen.contains("still: 0 steps"), "{seen:?}");
}

#[test]
fn bad_values_are_shown_with_their_line_and_body() {
    let with =
        |rest: &str| format!("{{ \"bodies\": [\n{{ \"kind\": \"fixed\" }},\n{{ \"name\": \"it\",\n{rest} }} ] }}");
    for (name, rest, place, words) in [
        ("radius", "\"shape\": { \"sphere\": { \"radius\": -1 } }", "4:10", "radius is -1"),
        ("infinite", "\"shape\": { \"sphere\": { \"radius\": 1e39 } }", "4:10", "not a finite"),
        ("huge", "\"shape\": { \"sphere\": { \"radius\": 1e999 } }", "4:", "out of range"),
        ("nan", "\"shape\": { \"sphere\": { \"radius\": NaN } }", "4:34", "expected value"),
        ("text", "\"shape\": { \"sphere\": { \"radius\": \"1\" } }", "4:34", "expected f32"),
        ("vector", "\"position\": [1, 2]", "4:", "expected"),
        ("flat", "\"shape\": { \"cuboid\": { \"half_extents\": [1, 0, 1] } }", "4:10", "half extent along y is 0"),
        ("restitution", "\"shape\": { \"sphere\": { \"radius\": 1 } },\n\"restitution\": 2", "5:2", "from 0 to 1"),
        ("friction", "\"shape\": { \"sphere\": { \"radius\": 1 } },\n\"friction\": -1", "5:2", "friction is -1"),
        ("density", "\"shape\": { \"sphere\": { \"radius\": 1 } },\n\"density\": 0", "5:2", "density is 0"),
        ("rotation", "\"shape\": { \"sphere\": { \"radius\": 1 } },\n\"rotation\": [0, 0, 0, 0]", "5:2", "unit"),
        ("massless", "\"restitution\": 0.5", "3:1", "needs a shape"),
    ] {
        let said = refused(&format!("{name}.json"), &with(rest));
        assert!(said.contains(&format!("{name}.json:{place}")) && said.contains(words), "{name}: {said}");
        // What is no JSON at all is found before there are bodies.
        assert!(name == "nan" || name == "huge" || said.contains("body 1"), "{name}: {said}");
    }
    for (name, text, place, words) in [
        ("nan", "[[bodies]]\nname = 'it'\nrestitution = nan\nshape = { sphere = { radius = 1 } }", "3:1", "NaN"),
        ("minus", "[[bodies]]\nname = 'it'\nshape = { sphere = { radius = -1 } }", "3:", "radius is -1"),
        (
            "infinite",
            "[[bodies]]\nname = 'it'\nposition = [0, inf, 0]\nshape = { sphere = { radius = 1 } }",
            "3:1",
            "inf",
        ),
    ] {
        let said = refused(&format!("{name}.toml"), text);
        assert!(said.contains(&format!("{name}.toml:{place}")) && said.contains(words), "{name}: {said}");
        assert!(said.contains("body 0 (it)"), "{name}: {said}");
    }
    for (name, text, words) in [
        ("dt.toml", "dt = nan\nbodies = []", "time step is NaN"),
        ("gravity.toml", "gravity = [0, inf, 0]\nbodies = []", "not finite"),
    ] {
        let said = refused(name, text);
        assert!(said.contains(&format!("{name}:1:1")) && said.contains(words), "{said}");
    }
    refused("dt.json", "{ \"dt\": 0, \"bodies\": [] }");
    refused("steps.json", "{ \"steps\": -1, \"bodies\": [] }");
}

#[test]
fn what_is_no_text_or_no_file_is_refused() {
    let path = scene_file("binary.json", &[0xff, 0xfe, 0x00]);
    for scene in [path.display().to_string().as_str(), env!("CARGO_TARGET_TMPDIR"), "no/such/file.json", "gone.json"] {
        let output = carom(&["run", scene]);
        assert_eq!(code(&output), 3, "{scene}");
        assert!(stderr(&output).contains("cannot be read"), "{}", stderr(&output));
    }
}

#[test]
fn long_lines_are_shown_around_the_place_only() {
    let many = "{\"kind\": \"fixed\"}, ".repeat(50_000);
    let said =
        refused("long.json", &format!("{{\n\"bodies\": [{many}{{\"shape\": {{\"sphere\": {{\"radius\": -1}}}}}}]}}\n"));
    let column = "\"bodies\": [".len() + many.len() + "{\"shape\": ".len() + 1;
    assert!(said.contains(&format!("long.json:2:{column}")) && said.contains("body 50000"), "{said}");
    assert!(said.contains("\"radius\": -1") && said.len() < 2000, "{said}");
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    let deep = format!("{{\"bodies\": [{}", "{\"shapes\": [{\"shape\": ".repeat(20_000));
    refused("deep.json", &deep);
    refused("brackets.json", &"[".repeat(200_000));
    refused("deep.toml", &format!("bodies = {}", "[".repeat(20_000)));
}

#[test]
fn an_unknown_scene_gets_near_names() {
    for (wrong, near) in [("bouncy", "bounce"), ("billards", "billiards"), ("Boxes", "boxes"), ("rampp", "ramp")] {
        let output = carom(&["run", wrong]);
        assert_eq!(code(&output), 3);
        assert!(stderr(&output).contains(&format!("did you mean {near}")), "{}", stderr(&output));
    }
    let far = stderr(&carom(&["draw", "qqq", "--output", "unused.svg"]));
    assert!(scene_names().iter().all(|name| far.contains(name)), "{far}");
}

#[test]
fn wrong_usage_is_2() {
    for arguments in [
        &["fly"][..],
        &["run"],
        &["run", "bounce", "--dt", "0"],
        &["run", "bounce", "--dt", "NaN"],
        &["run", "bounce", "--steps", "-1"],
        &["run", "bounce", "--threads", "0"],
        &["run", "bounce", "--threads", "99999999999999999999"],
        &["view", "bounce", "--threads", "0"],
        &["view", "bounce", "--threads", "1025"],
        &["bench", "broad", "bounce", "--threads", "all"],
        &["draw", "bounce"],
        &["scenes", "extra"],
    ] {
        let output = carom(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).starts_with("error: ") && stdout(&output).is_empty(), "{}", stderr(&output));
    }
    assert_eq!(code(&carom(&["--help"])), 0);
    assert_eq!(code(&carom(&["--version"])), 0);
}

#[test]
fn any_number_of_threads_gives_the_same_state() {
    let told = |command: &str, threads: &[&str]| -> Value {
        let output = carom(&[&[command, "shower", "--steps", "30", "--json"], threads].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_str(&stdout(&output)).expect("the report is JSON")
    };
    let expected = told("run", &[])["hash"].clone();
    for threads in ["1", "2", "5"] {
        assert_eq!(told("run", &["--threads", threads])["hash"], expected, "{threads} threads");
    }
    let measured = told("bench", &["--threads", "3"]);
    assert_eq!((&measured["threads"], &measured["hash"]), (&3.into(), &expected));
}

#[test]
fn a_body_that_goes_non_finite_is_a_finding() {
    let path = scene_file(
        "runaway.json",
        br#"{"gravity": [0, -3e38, 0], "dt": 1000, "bodies": [{"name": "it", "shape": {"sphere": {"radius": 1}}}]}"#,
    );
    let output = carom(&["run", &path.display().to_string(), "--steps", "3", "--json"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("body 0 (it) went non-finite"), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("the report is still JSON");
    assert_eq!(report["faults"][0]["body"], 0);
    assert_eq!(report["faults"][0]["stage"], "forces");
    assert_eq!(report["faults"][0]["cause"], "velocity");
}

#[test]
fn a_picture_shows_every_body() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bounce.svg");
    let output = carom(&["draw", "bounce", "--steps", "30", "--trails", "--output", &path.display().to_string()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("bounce.svg: 6 bodies of bounce after 30 steps"), "{}", stdout(&output));
    let picture = std::fs::read_to_string(&path).expect("the picture was written");
    assert_eq!(picture.matches("<circle").count(), 5);
    assert!(picture.contains("<polyline") && picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
    let unwritable = carom(&["draw", "bounce", "--steps", "1", "--output", "no/such/folder/a.svg"]);
    assert_eq!(code(&unwritable), 3);
}

#[test]
fn the_same_scene_gives_the_same_picture() {
    let draw = |name: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        carom(&["draw", "boxes", "--steps", "60", "--output", &path.display().to_string()]);
        std::fs::read(&path).expect("the picture was written")
    };
    assert!(draw("once.svg") == draw("twice.svg"));
}

#[test]
fn the_schema_is_printed_as_committed() {
    assert_eq!(stdout(&carom(&["schema"])), include_str!("../scene.schema.json"));
}

#[test]
fn a_scene_can_come_from_standard_input() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["run", "-", "--steps", "2", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"{\"bodies\": []}").expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success());
    assert!(stdout(&output).contains("\"total\": 0"));
}
