//! Exports: what they weigh, and that others can read them.

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom")).args(arguments).output().expect("the program starts")
}

fn path(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

fn recorded(scene: &str, steps: u32, name: &str) -> String {
    let recording = path(name);
    let output = carom(&["run", scene, "--steps", &steps.to_string(), "--record", &recording]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    recording
}

/// A thousand boxes in a wall that narrows upwards.
fn pyramid() -> Vec<Value> {
    let mut bodies = vec![json!({"kind": "fixed", "shape": {"half_space": {"normal": [0, 1, 0]}}})];
    let rows = (0..45).flat_map(|row| (0..45 - row).map(move |place| (row, place)));
    bodies.extend(rows.take(1000).map(|(row, place)| {
        let x = 1.02 * (f64::from(place) - f64::from(45 - row) / 2.0);
        json!({"position": [x, 0.5 + f64::from(row), 0], "shape": {"cuboid": {"half_extents": [0.5, 0.5, 0.5]}}})
    }));
    bodies
}

/// A drum that turns, with ribs, and a thousand bodies that tumble in it without end.
fn washer() -> Vec<Value> {
    let (radius, half_length) = (6.0f64, 4.0);
    let side = |angle: f64, at: f64, half_extents: [f64; 3]| {
        let rotation = [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
        let position = [at * angle.cos(), at * angle.sin(), 0.0];
        json!({"position": position, "rotation": rotation, "shape": {"cuboid": {"half_extents": half_extents}}})
    };
    let angle = |index: i32, of: i32| std::f64::consts::TAU * f64::from(index) / f64::from(of);
    let mut parts: Vec<Value> = (0..24).map(|index| side(angle(index, 24), radius, [0.3, 0.85, half_length])).collect();
    parts.extend((0..4).map(|index| side(angle(index, 4), radius - 0.8, [0.6, 0.15, half_length])));
    for z in [-half_length, half_length] {
        parts.push(json!({"position": [0, 0, z], "shape": {"cuboid": {"half_extents": [6.5, 6.5, 0.2]}}}));
    }
    let mut bodies =
        vec![json!({"kind": "kinematic", "angular_velocity": [0, 0, 1.6], "friction": 0.6, "shapes": parts})];
    let places = (-5..=5).flat_map(|x| (-5..=5).flat_map(move |y| (-4..=5).map(move |z| (x, y, z))));
    let inside = places.filter(|(x, y, _)| x * x + y * y <= 33);
    bodies.extend(inside.take(1000).zip(0..).map(|((x, y, z), index)| {
        let place = [0.75 * f64::from(x), 0.75 * f64::from(y), 0.7 * (f64::from(z) - 0.5)];
        let shape = match index % 2 {
            0 => json!({"sphere": {"radius": 0.3}}),
            _ => json!({"cuboid": {"half_extents": [0.3, 0.2, 0.25]}}),
        };
        json!({"position": place, "shape": shape})
    }));
    assert!(bodies.len() > 900, "{}", bodies.len());
    bodies
}

/// With the page that is built in; without one, with a page of the size that it may have.
#[test]
fn ten_seconds_of_a_thousand_bodies_are_below_three_megabytes() {
    let stub = path("stub.html");
    let filler = "x".repeat(999_900);
    std::fs::write(&stub, format!("<title>p</title><!--recording--><script>{filler}</script>")).expect("a file");
    for (name, bodies) in [("thousand-pyramid", pyramid()), ("thousand-washer", washer())] {
        let count = bodies.len();
        let scene = path(&format!("{name}.json"));
        std::fs::write(&scene, json!({"name": name, "bodies": bodies}).to_string()).expect("a file");
        let recording = recorded(&scene, 600, &format!("{name}.carom"));
        let out = path(&format!("{name}.html"));
        let built_in = &["export", &recording, "--html", &out, "--json"][..];
        let output = carom(built_in);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_missing = output.status.code() == Some(3) && said.contains("built without its page");
        let output = if is_missing { carom(&[built_in, &["--page", &stub]].concat()) } else { output };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let written = std::fs::metadata(&out).map_or(0, |data| data.len());
        println!("{name}: {written} bytes, {}", told["fineness"]);
        assert!(written < 3_000_000, "{name}: {written} bytes");
        assert_eq!((&told["bytes"], &told["bodies"]), (&written.into(), &count.into()));
        // What was left out to make it so is said, and hardly anybody would see it.
        let fineness = &told["fineness"];
        let whole =
            json!({"rounding": 1, "frames": 1, "contacts": 1, "bounds": true, "most_bytes": fineness["most_bytes"]});
        let is_whole = *fineness == whole;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.is_empty(), is_whole, "{fineness}: {said}");
        assert!(is_whole || said.contains("to stay below 3.0 MB"), "{said}");
        assert!(fineness["rounding"].as_u64() <= Some(4) && fineness["frames"] == 1, "{name}: {fineness}");
        // Only where everything tumbles and touches something else in every frame is there no room for contacts.
        assert!(is_whole || name == "thousand-washer", "{name}: {fineness}");
    }
}

#[test]
fn a_recording_goes_where_the_page_wants_it() {
    let recording = recorded("bounce", 30, "marked.carom");
    let (page, out) = (path("marked.html"), path("marked-out.html"));
    std::fs::write(&page, "<!doctype html><title>p</title><!--recording--><script>1</script>").expect("a file");
    assert!(carom(&["export", &recording, "--html", &out, "--page", &page]).status.success());
    let html = std::fs::read_to_string(&out).expect("it was written");
    assert!(html.starts_with("<!doctype html><title>p</title><script id=\"recording\""));
    assert!(html.ends_with("</script><script>1</script>"));
}

/// Reads an export as docs/viewer-protocol.md says, and compares it with a plain run.
#[test]
fn the_page_has_the_bodies_where_they_were() {
    use base64::Engine;
    use std::io::Read;
    let recording = recorded("boxes", 120, "there.carom");
    let page = path("marked2.html");
    std::fs::write(&page, "<!--recording--><script>1</script>").expect("a file");
    let out = path("there.html");
    assert!(carom(&["export", &recording, "--html", &out, "--page", &page]).status.success());
    let html = std::fs::read_to_string(&out).expect("it was written");
    let start = html.find('>').expect("a tag") + 1;
    let text = &html[start..html.find("</script>").expect("its end")];
    let packed = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("gzip");
    let mut rest = bytes.as_slice();
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at(count);
        rest = left;
        taken.to_vec()
    };
    let word = |bytes: Vec<u8>| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let length = word(take(4)) as usize;
    let scene: Value = serde_json::from_slice(&take(length)).expect("JSON");
    let (frames, bodies) = (word(take(4)) as usize, word(take(4)) as usize);
    let mut float = || f32::from_bits(word(take(4)));
    let (seconds, quantum, turn) = (float(), float(), float());
    take(24);
    assert_eq!(scene["bodies"].as_array().map_or(0, Vec::len), bodies);
    assert!(seconds > 0.02 && seconds < 0.04, "{seconds}");
    let mut integer = |before: Option<i64>, before_that: Option<i64>| {
        let (mut word, mut shift) = (0u64, 0);
        loop {
            let byte = take(1)[0];
            word |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let residual = (word >> 1) as i64 ^ -((word & 1) as i64);
        residual
            + match (before, before_that) {
                (Some(one), Some(two)) => 2 * one - two,
                (Some(one), None) => one,
                (None, _) => 0,
            }
    };
    let mut last = Vec::new();
    for _ in 0..bodies {
        let moves = integer(None, None) != 0;
        let mut ends = Vec::new();
        for _ in 0..7 {
            let mut values: Vec<i64> = Vec::new();
            for index in 0..if moves { frames } else { 1 } {
                let before = index.checked_sub(1).map(|index| values[index]);
                let before_that = index.checked_sub(2).map(|index| values[index]);
                values.push(integer(before, before_that));
            }
            ends.push(values[values.len() - 1]);
        }
        last.push(ends);
    }
    take(68 * frames + 8 * frames);
    let numbers: Vec<u32> = (0..frames).map(|_| word(take(4))).collect();
    assert!(!rest.is_empty(), "states and contacts follow");
    let end = numbers[frames - 1];
    let output = carom(&["run", "boxes", "--steps", &end.to_string(), "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (body, ends) in report["end"].as_array().expect("bodies").iter().zip(&last) {
        for axis in 0..3 {
            let place = body["position"][axis].as_f64().expect("a number");
            assert!((place - ends[axis] as f64 * f64::from(quantum)).abs() <= f64::from(quantum), "{body}");
        }
        let same: f64 = (0..4)
            .map(|part| body["rotation"][part].as_f64().expect("a number") * ends[3 + part] as f64 * f64::from(turn))
            .sum();
        assert!(same.abs() > 0.999, "{body} {same}");
    }
}

#[test]
fn a_gltf_reader_reads_the_animation() {
    for (scene, steps) in [("boxes", 120), ("shapes", 60), ("bounce", 1)] {
        let recording = recorded(scene, steps, &format!("{scene}-glb.carom"));
        let out = path(&format!("{scene}.glb"));
        let output = carom(&["export", &recording, "--glb", &out]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(&out).expect("it was written");
        // It validates: every index, every bound, every required field.
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).expect("it is valid");
        let blob = blob.expect("it has bytes");
        let default = document.default_scene().expect("a scene");
        let report: Value =
            serde_json::from_slice(&carom(&["run", scene, "--steps", &steps.to_string(), "--json"]).stdout)
                .expect("JSON");
        let bodies = report["end"].as_array().expect("bodies");
        assert_eq!(default.nodes().count(), bodies.len());
        for mesh in document.meshes() {
            for primitive in mesh.primitives() {
                let reader = primitive.reader(|_| Some(&blob));
                let places: Vec<[f32; 3]> = reader.read_positions().expect("places").collect();
                let normals = reader.read_normals().expect("normals").count();
                let indices = reader.read_indices().expect("indices").into_u32().max().expect("some");
                assert!(normals == places.len() && (indices as usize) < places.len());
            }
        }
        if steps < 2 {
            continue;
        }
        let animation = document.animations().next().expect("an animation");
        let mut moved = 0;
        for channel in animation.channels() {
            let reader = channel.reader(|_| Some(&blob));
            let times: Vec<f32> = reader.read_inputs().expect("times").collect();
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
            let body = default.nodes().position(|node| node.index() == channel.target().node().index());
            let body = &bodies[body.expect("a body")];
            if let gltf::animation::util::ReadOutputs::Translations(places) = reader.read_outputs().expect("values") {
                let places: Vec<[f32; 3]> = places.collect();
                assert_eq!(places.len(), times.len());
                let end = places[places.len() - 1];
                for axis in 0..3 {
                    let place = body["position"][axis].as_f64().expect("a number");
                    assert!((place - f64::from(end[axis])).abs() < 1e-3, "{body}");
                }
                moved += 1;
            }
        }
        assert!(moved > 1, "{moved}");
    }
}

#[test]
fn one_form_is_asked_for() {
    let recording = recorded("bounce", 3, "form.carom");
    let out = path("form.glb");
    assert_eq!(carom(&["export", &recording]).status.code(), Some(2));
    assert_eq!(carom(&["export", &recording, "--glb", &out, "--html", &out]).status.code(), Some(2));
    assert_eq!(carom(&["export", &recording, "--glb", "/no such folder/a.glb"]).status.code(), Some(3));
}
