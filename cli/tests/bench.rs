//! `carom bench` from outside: its table, its JSON, its charts, and what it refuses.

use carom::broad::Structure;
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

/// A file of this test alone.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn written(name: &str, text: &str) -> String {
    std::fs::write(file(name), text).expect("the folder for tests is writable");
    file(name).display().to_string()
}

/// Runs a comparison that must succeed; its JSON.
fn compared(arguments: &[&str]) -> Value {
    let output = carom(&[&["bench", "broad"], arguments, &["--json"]].concat());
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    assert_eq!(stderr(&output), "", "no progress bar where there is no terminal");
    serde_json::from_str(&stdout(&output)).expect("the results are JSON")
}

/// Whether every tag is closed in order, every attribute quoted, and every special character escaped.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.strip_prefix("<!DOCTYPE html>\n").unwrap_or(text);
    while let Some(start) = rest.find('<') {
        let (words, tag) = rest.split_at(start);
        assert!(!words.contains('>'), "{words}");
        assert_eq!(
            words.matches('&').count(),
            ["&amp;", "&lt;", "&gt;"].map(|it| words.matches(it).count()).iter().sum::<usize>()
        );
        let end = tag.find('>').expect("a tag ends");
        let inside = &tag[1..end];
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        assert_eq!(inside.matches("=\"").count(), inside.matches('"').count() / 2, "{inside}");
        let name = inside.trim_matches('/').split_whitespace().next().expect("a tag has a name");
        if inside.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !inside.ends_with('/') {
            open.push(name);
        }
        rest = &tag[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
fn without_an_area_it_lists_the_areas() {
    let output = carom(&["bench"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).lines().any(|line| line.starts_with("broad ")), "{}", stdout(&output));
}

#[test]
fn the_table_has_every_structure_and_one_best() {
    let output = carom(&["bench", "broad", "bounce", "--steps", "20"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let table = stdout(&output);
    for structure in Structure::ALL {
        assert_eq!(table.lines().filter(|line| line.starts_with(structure.name())).count(), 1, "{table}");
    }
    let rows: Vec<&str> = table.lines().filter(|line| line.contains(" 1.00  best")).collect();
    assert_eq!(rows.len(), 1, "{table}");
    for word in ["build", "update/step", "tests/step", "pairs/step", "memory", "total", "× best", "20 of 20 steps"] {
        assert!(table.contains(word), "{word} is missing in\n{table}");
    }
}

#[test]
fn the_documented_fields_are_there() {
    let results = compared(&["uniform:500", "--steps", "7", "--movers", "10", "--seed", "5"]);
    assert_eq!(results["scene"], "uniform:500");
    assert_eq!(results["boxes"], 500);
    assert_eq!(results["steps"], 7);
    assert_eq!(results["moves"], 50.0);
    assert_eq!(results["seed"], 5);
    assert_eq!(results["budget_seconds"], 10.0);
    assert_eq!(results["reference"], "brute force");
    assert_eq!(results["checked_steps"], 8);
    assert_eq!(results["disagreements"], serde_json::json!([]));
    assert!(results["pairs"]["mean"].as_f64() > Some(100.0), "{results:#}");
    let help = stdout(&carom(&["bench", "broad", "--help"]));
    let rows = results["structures"].as_array().expect("an array");
    assert_eq!(rows.len(), Structure::ALL.len());
    let mut last = 0.0;
    for row in rows {
        assert_eq!(row["state"], "complete");
        for field in ["build_seconds", "update_seconds", "tests", "pairs", "memory_bytes", "times_best"] {
            assert!(row[field].as_f64() > Some(0.0), "{field} in {row:#}");
        }
        assert_eq!(row["pairs"], results["pairs"]["mean"]);
        let number = |field: &str| row[field].as_f64().expect("a number");
        let total = number("total_seconds");
        assert!(total >= last, "sorted by total");
        assert!((number("build_seconds") + 7.0 * number("update_seconds") - total).abs() < 1e-3 * total);
        last = total;
        for field in row.as_object().expect("an object").keys() {
            assert!(help.contains(field), "{field} is not in the help");
        }
    }
    assert_eq!(rows[0]["times_best"], 1.0);
    for field in results.as_object().expect("an object").keys() {
        assert!(help.contains(field), "{field} is not in the help");
    }
}

#[test]
fn every_kind_of_made_boxes_runs_and_the_seed_decides() {
    for kind in ["uniform", "pile", "power", "clustered", "line"] {
        for count in ["1", "2", "300"] {
            let scene = format!("{kind}:{count}");
            let pairs = |seed: &str| compared(&[&scene, "--steps", "3", "--seed", seed])["pairs"].clone();
            assert_eq!(pairs("1"), pairs("1"), "{scene}");
            assert!(count != "300" || kind == "pile" || pairs("1") != pairs("2"), "{scene}");
        }
    }
    assert_eq!(compared(&["line:50", "--movers", "0", "--steps", "2"])["moves"], 0.0);
}

#[test]
fn many_boxes_do_without_brute_force() {
    let results = compared(&["line:20001", "--steps", "1"]);
    assert_eq!(results["reference"], Structure::default().name());
    let rows = results["structures"].as_array().expect("an array");
    let brute_force = rows.iter().find(|row| row["name"] == "brute force").expect("it is listed");
    assert_eq!(brute_force["state"], "skipped");
    assert_eq!(brute_force["total_seconds"], Value::Null);
    assert!(brute_force["note"].as_str().is_some_and(|note| note.contains("20,000")), "{brute_force}");
    assert_eq!(rows[0]["state"], "complete");
}

#[test]
fn who_takes_too_long_is_over_budget() {
    let results = compared(&["uniform:8000", "--steps", "5", "--budget", "0.000001"]);
    for row in results["structures"].as_array().expect("an array") {
        assert_eq!(row["state"], "over budget", "{row:#}");
        assert!(row["note"].is_string() && row["total_seconds"].is_null());
    }
    assert_eq!(results["pairs"], Value::Null);
}

#[test]
fn a_file_of_boxes_is_a_scene_at_rest() {
    let boxes = written("three.txt", "# a row\n0 0 0 1 1 1\n\n1 0 0 2 1 1\n5 5 5 6 6 6\n");
    let results = compared(&[&boxes]);
    assert_eq!((&results["boxes"], &results["steps"]), (&Value::from(3), &Value::from(0)));
    assert_eq!(results["pairs"]["last"], 1, "touching boxes are a pair");
    assert_eq!(results["structures"][0]["update_seconds"], Value::Null);
    assert_eq!(compared(&[&boxes, "--steps", "4"])["moves"], 0.0);
    assert_eq!(compared(&[&written("none.txt", "")])["boxes"], 0);
    let wrong = written("wrong.txt", "0 0 0 1 1 1\n0 0 0 1 1\n");
    let output = carom(&["bench", "broad", &wrong]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("wrong.txt:2:1") && stderr(&output).contains("six numbers"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn charts_are_written_and_well_formed() {
    let scene = "uniform:3000";
    for (name, arguments) in [
        ("chart.svg", &[scene, "--steps", "2"][..]),
        ("chart.html", &[scene, "--steps", "2"]),
        ("budget.svg", &["uniform:8000", "--steps", "5", "--budget", "0.000001"]),
        ("nothing.html", &[&written("empty & <odd>.txt", "")]),
    ] {
        let path = file(name).display().to_string();
        let output = carom(&[&["bench", "broad", "--plot", &path], arguments].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let chart = std::fs::read_to_string(&path).expect("the chart was written");
        assert_well_formed(&chart);
        assert!(!chart.contains("NaN") && !chart.contains("inf"), "{chart}");
        for structure in Structure::ALL {
            assert!(chart.contains(&format!(">{}</text>", structure.name())), "{name}: {}", structure.name());
        }
        assert_eq!(chart.contains("<table>"), name.ends_with("html"));
        assert!(chart.contains("scale"), "the axis says what it is");
    }
    let unwritable = carom(&["bench", "broad", "line:5", "--plot", "no/such/folder/a.svg"]);
    assert_eq!(code(&unwritable), 3);
    assert!(stderr(&unwritable).contains("cannot be written"));
}

#[test]
fn wrong_usage_is_2() {
    for (arguments, words) in [
        (&["broad"][..], "<SCENE>"),
        (&["broad", "line:5", "--movers", "101"], "0 to 100"),
        (&["broad", "line:5", "--movers", "-1"], "-1"),
        (&["broad", "line:5", "--movers", "NaN"], "0 to 100"),
        (&["broad", "line:5", "--budget", "0"], "greater than zero"),
        (&["broad", "line:5", "--steps", "many"], "many"),
        (&["broad", "line:5", "--plot", "chart.png"], ".svg or .html"),
        (&["broad", "bounce", "--movers", "10"], "--movers is for made boxes"),
        (&["broad", "bounce", "--seed", "10"], "--seed is for made boxes"),
    ] {
        let output = carom(&[&["bench"], arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        let said = stderr(&output);
        assert!(said.starts_with("error: ") && said.contains(words) && stdout(&output).is_empty(), "{said}");
    }
}

#[test]
fn wrong_scenes_are_3() {
    for (scene, words) in [
        ("bouncy", "did you mean bounce"),
        ("unifrm:10", "uniform, pile, power"),
        ("uniform:0", "1 to 1000000"),
        ("uniform:1000001", "1 to 1000000"),
        ("pile:-3", "`-3`"),
        ("pile:", "not a number of boxes"),
        ("gone.txt", "cannot be read"),
        ("gone.json", "cannot be read"),
    ] {
        let output = carom(&["bench", "broad", scene]);
        assert_eq!(code(&output), 3, "{scene}");
        assert!(stderr(&output).contains(words) && stdout(&output).is_empty(), "{scene}: {}", stderr(&output));
    }
}

#[test]
fn a_body_that_goes_non_finite_is_a_finding() {
    let text =
        r#"{"gravity": [0, -3e38, 0], "dt": 1000, "bodies": [{"name": "it", "shape": {"sphere": {"radius": 1}}}]}"#;
    let output = carom(&["bench", "broad", &written("runaway-boxes.json", text), "--steps", "3"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("went non-finite"), "{}", stderr(&output));
}
