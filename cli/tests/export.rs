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

/// A thousand bodies of all kinds that rain into a heap for ten seconds.
fn thousand() -> String {
    let mut random = fastrand::Rng::with_seed(2);
    let mut bodies = vec![json!({"kind": "fixed", "shape": {"half_space": {"normal": [0, 1, 0]}}})];
    for index in 0..1000 {
        let shape = match index % 5 {
            0 => json!({"sphere": {"radius": 0.3}}),
            1 => json!({"cuboid": {"half_extents": [0.3, 0.2, 0.25]}}),
            2 => json!({"capsule": {"a": [0, -0.2, 0], "b": [0, 0.2, 0], "radius": 0.2}}),
            3 => json!({"cylinder": {"half_height": 0.25, "radius": 0.3}}),
            _ => json!({"cone": {"half_height": 0.3, "radius": 0.3}}),
        };
        let mut place = || random.f64() * 8.0 - 4.0;
        let (x, z) = (place(), place());
        bodies.push(json!({"position": [x, 1.0 + 0.06 * f64::from(index), z], "shape": shape}));
    }
    let file = path("thousand.json");
    std::fs::write(&file, json!({"name": "thousand", "bodies": bodies}).to_string()).expect("a file");
    file
}

#[test]
fn ten_seconds_of_a_thousand_bodies_are_a_small_page() {
    let recording = recorded(&thousand(), 600, "thousand.carom");
    let page = path("marked.html");
    std::fs::write(&page, "<!doctype html><title>p</title><!--recording--><script>1</script>").expect("a file");
    let out = path("thousand.html");
    let output = carom(&["export", &recording, "--html", &out, "--page", &page]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let html = std::fs::read_to_string(&out).expect("it was written");
    println!(
        "recording {} bytes, page {} bytes",
        std::fs::metadata(&recording).map_or(0, |data| data.len()),
        html.len()
    );
    // The page itself is about a megabyte; together they must be below three.
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
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
