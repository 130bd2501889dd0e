//! `carom path` from outside: what it finds, its exit codes, its picture, and what it says of broken paths.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

const SCENE: &str = r#"{"bodies": [
    {"name": "floor", "kind": "fixed", "shape": {"half_space": {"normal": [0, 1, 0]}}},
    {"name": "post", "kind": "fixed", "position": [0, 1, 1.5], "shape": {"cylinder": {"half_height": 1, "radius": 0.1}}},
    {"name": "rod", "kind": "kinematic", "position": [0, 1, 0],
     "shape": {"cuboid": {"half_extents": [2, 0.05, 0.05]}}}
]}"#;

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the folder for tests is writable");
    path
}

fn ask(test: &str, path: &str, more: &[&str]) -> Output {
    let scene = file(&format!("{test}-scene.json"), SCENE);
    let path = file(&format!("{test}-path.json"), path);
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.arg("path").arg(scene).arg(path).args(more);
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// A rod that turns about its middle strikes the post, though it is free at both ends.
#[test]
fn a_path_that_strikes_is_a_finding() {
    let path = r#"{"bodies": ["rod"], "keys": [{"position": [0, 1, 0]},
        {"position": [0, 1, 0], "rotation": [0, 0.9995, 0, 0.0316]}]}"#;
    let output = ask("strikes", path, &["--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let found: Value = serde_json::from_str(&text(&output.stdout)).expect("the answer is JSON");
    assert_eq!(found["outcome"], "hit");
    assert!(found["hit"]["other"].as_str().is_some_and(|name| name.contains("post")), "{found}");
    // A quarter turn less the angle at which its side is at the post's.
    let angle = found["hit"]["time"].as_f64().expect("a number") * (std::f64::consts::PI - 2.0 * 0.0316f64.asin());
    assert!((angle - (std::f64::consts::FRAC_PI_2 - 0.1f64.asin())).abs() < 1e-3, "{found}");
    let plain = ask("strikes", path, &[]);
    assert!(text(&plain.stdout).contains("post"), "{}", text(&plain.stdout));
}

#[test]
fn a_free_path_tells_its_least_clearance_and_is_drawn() {
    let path =
        r#"{"bodies": ["rod"], "keys": [{"time": 0, "position": [0, 1, 0]}, {"time": 2, "position": [0, 1, -3]}]}"#;
    let picture = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("path.svg");
    let drawn = picture.display().to_string();
    let output = ask("free", path, &["--json", "--draw", &drawn]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found: Value = serde_json::from_str(&text(&output.stdout)).expect("the answer is JSON");
    assert_eq!(found["outcome"], "free");
    let least = &found["clearance"];
    assert!((least["distance"].as_f64().expect("a number") - 0.95).abs() < 1e-6, "{found}");
    assert!(least["proven"].as_f64().is_some_and(|proven| proven > 0.93 && proven <= 0.95), "{found}");
    assert!(std::fs::read_to_string(picture).is_ok_and(|svg| svg.contains("<svg")));
}

#[test]
fn broken_paths_are_refused_with_their_place() {
    let cases = [
        (r#"{"bodies": ["crane"], "keys": [{"position": [0, 1, 0]}]}"#, "crane"),
        (r#"{"bodies": [7], "keys": [{"position": [0, 1, 0]}]}"#, "7"),
        (r#"{"bodies": [], "keys": [{"position": [0, 1, 0]}]}"#, "at least one object"),
        (r#"{"bodies": ["rod"], "keys": []}"#, "at least one key"),
        (r#"{"bodies": ["rod"], "keys": [{"position": [0, 1]}]}"#, "key"),
        (
            r#"{"bodies": ["rod"], "keys": [{"time": 1, "position": [0, 1, 0]}, {"time": 1, "position": [0, 2, 0]}]}"#,
            "key 1",
        ),
        (r#"{"bodies": ["rod"], "keys": [{"position": [0, 1, 0], "rotation": [0, 0, 0, 9]}]}"#, "rotation"),
        (r#"{"bodies": ["rod"], "within": -1, "keys": [{"position": [0, 1, 0]}]}"#, "-1"),
        (r#"{"bodies": ["rod"], "speed": 3, "keys": [{"position": [0, 1, 0]}]}"#, "speed"),
        ("{", "EOF"),
    ];
    for (index, (path, word)) in cases.into_iter().enumerate() {
        let output = ask(&format!("broken{index}"), path, &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{path}: {said}");
        assert!(said.contains(word) || index == 4, "{path}: {said}");
        assert_eq!(text(&output.stdout), "");
    }
}

/// What the manual says to try works as it stands there.
#[test]
fn the_manual_has_a_path_that_is_free() {
    use std::io::Write;
    let help = Command::new(env!("CARGO_BIN_EXE_carom")).args(["path", "--help"]).output().expect("the program starts");
    let help = text(&help.stdout);
    let (_, example) = help.split_once("echo '").expect("an example");
    let (path, rest) = example.split_once('\'').expect("its end");
    assert!(rest.split_whitespace().take(5).eq(["|", "carom", "path", "path", "-"]), "{rest}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["path", "path", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(path.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success() && text(&output.stdout).contains("free"), "{}", text(&output.stdout));
}
