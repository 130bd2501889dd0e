//! Recordings from outside: what is recorded runs again with the same hashes, and what does not is named.

// Of which only some is used here.
#[allow(dead_code)]
mod viewer;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use viewer::Server;

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom")).args(arguments).output().expect("the program starts")
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn record(scene: &str, steps: u32, name: &str) -> PathBuf {
    let path = path(name);
    let output = carom(&["run", scene, "--steps", &steps.to_string(), "--record", &path.display().to_string()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

fn replay(path: &Path) -> (i32, String, String) {
    let output = carom(&["replay", &path.display().to_string()]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("it was not killed"), text(&output.stdout), text(&output.stderr))
}

/// The blocks of a file, unpacked: their kinds and what they hold.
fn blocks(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut blocks = Vec::new();
    let mut at = 10;
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 5..at + 9].try_into().expect("four bytes")) as usize;
        let mut held = Vec::new();
        DeflateDecoder::new(&bytes[at + 13..at + 13 + length]).read_to_end(&mut held).expect("it is packed");
        blocks.push((bytes[at], held));
        at += 13 + length;
    }
    blocks
}

/// The file of blocks, with sound checksums.
fn file_of(blocks: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"CAROM-REC\x02".to_vec();
    for (kind, held) in blocks {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(held).expect("memory can be written to");
        let packed = packer.finish().expect("memory can be written to");
        let mut head = vec![*kind];
        head.extend((held.len() as u32).to_le_bytes());
        head.extend((packed.len() as u32).to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&head);
        hasher.update(&packed);
        bytes.extend(head);
        bytes.extend(hasher.finalize().to_le_bytes());
        bytes.extend(packed);
    }
    bytes
}

/// A frame as it is written: the hashes of pairs, contacts, impulses, velocities, stops, poses and all, and the bodies' bits.
type Frame = ([u64; 7], Vec<u16>);
const CONTACTS: usize = 1;
const VELOCITIES: usize = 3;

/// A keyframe as it is written: its frame, and position, rotation and velocities of each body.
type Keyframe = (u32, Vec<([f64; 3], [f32; 4], [f32; 3], [f32; 3])>);

const FRAMES: u8 = 1;
const KEYFRAME: u8 = 2;

/// Changes the frames of a recording.
fn tampered(path: &Path, name: &str, change: impl Fn(&mut Vec<Frame>)) -> PathBuf {
    let mut blocks = blocks(&std::fs::read(path).expect("it was written"));
    let first = blocks.iter_mut().find(|(kind, _)| *kind == FRAMES).expect("it has frames");
    let mut frames: Vec<Frame> = postcard::from_bytes(&first.1).expect("frames");
    change(&mut frames);
    first.1 = postcard::to_stdvec(&frames).expect("frames");
    let tampered = self::path(name);
    std::fs::write(&tampered, file_of(&blocks)).expect("the folder for tests is writable");
    tampered
}

/// Changes a keyframe of a recording, counted from the first.
fn with_keyframe(path: &Path, name: &str, place: usize, change: impl Fn(&mut Keyframe)) -> PathBuf {
    let mut blocks = blocks(&std::fs::read(path).expect("it was written"));
    let (_, held) = blocks.iter_mut().filter(|(kind, _)| *kind == KEYFRAME).nth(place).expect("it has keyframes");
    let mut keyframe: Keyframe = postcard::from_bytes(held).expect("a keyframe");
    change(&mut keyframe);
    *held = postcard::to_stdvec(&keyframe).expect("a keyframe");
    let tampered = self::path(name);
    std::fs::write(&tampered, file_of(&blocks)).expect("the folder for tests is writable");
    tampered
}

/// Steps times bodies that a scene is run for.
const MOST_WORK: u64 = 60_000;

#[test]
fn every_scene_replays() {
    let list: Value = serde_json::from_slice(&carom(&["scenes", "--json"]).stdout).expect("the list is JSON");
    for scene in list.as_array().expect("a list") {
        let name = scene["name"].as_str().expect("a name");
        let bodies = scene["bodies"].as_u64().expect("a number");
        // Two seconds of most scenes: things have met by then; of crowds what takes as long.
        let steps = (MOST_WORK / bodies.max(1)).clamp(10, 120) as u32;
        let path = record(name, steps, &format!("{name}.carom"));
        let (code, said, error) = replay(&path);
        assert_eq!(code, 0, "{name}: {error}");
        assert!(said.contains("every hash is the same"), "{said}");
    }
}

#[test]
fn a_difference_is_named_by_frame_body_and_stage() {
    let path = record("boxes", 50, "named.carom");
    assert_eq!(blocks(&std::fs::read(&path).expect("it was written")).len(), 4);
    let (code, _, said) = replay(&tampered(&path, "same.carom", |_| {}));
    assert_eq!((code, said.as_str()), (0, ""));
    // Another hash of the velocities, and of one body.
    let changed = tampered(&path, "velocities.carom", |frames| {
        frames[17].0[VELOCITIES] ^= 1;
        frames[17].1[5] ^= 0x10;
    });
    let (code, _, said) = replay(&changed);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 17") && said.contains("body 5") && said.contains("velocities"), "{said}");
    let changed = tampered(&path, "contacts.carom", |frames| frames[3].0[CONTACTS] ^= 1 << 40);
    let (code, _, said) = replay(&changed);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 3 ") && said.contains("narrow phase"), "{said}");
    // Only the bits of a body.
    let changed = tampered(&path, "body.carom", |frames| frames[40].1[9] ^= 1);
    let output = carom(&["replay", &changed.display().to_string(), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&told["divergence"]["frame"], &told["divergence"]["body"]), (&Value::from(40), &Value::from(9)));
}

/// Somebody has rewritten a keyframe and its checksum: the hashes are sound, and what was kept is not what happens.
#[test]
fn a_keyframe_that_is_not_what_happens_is_named() {
    let path = record("boxes", 130, "keyframes.carom");
    let (code, _, said) = replay(&with_keyframe(&path, "same-keyframe.carom", 1, |_| {}));
    assert_eq!((code, said.as_str()), (0, ""));
    // One bit of a place.
    let moved = with_keyframe(&path, "moved.carom", 1, |(frame, bodies)| {
        assert_eq!(*frame, 60);
        bodies[5].0[1] = f64::from_bits(bodies[5].0[1].to_bits() ^ 1);
    });
    let (code, _, said) = replay(&moved);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 60 ") && said.contains("body 5") && said.contains("keyframe (poses)"), "{said}");
    let faster = with_keyframe(&path, "faster.carom", 0, |(_, bodies)| bodies[3].2[0] += 1.0);
    let (code, _, said) = replay(&faster);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 0 ") && said.contains("body 3") && said.contains("keyframe (velocities)"), "{said}");
    let fewer = with_keyframe(&path, "fewer.carom", 2, |(_, bodies)| bodies.truncate(bodies.len() - 1));
    let (code, _, said) = replay(&fewer);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 120 ") && said.contains("number of bodies"), "{said}");
    let elsewhere = with_keyframe(&path, "elsewhere.carom", 2, |(frame, _)| *frame = 131);
    let (code, _, said) = replay(&elsewhere);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("keyframe of frame 131"), "{said}");
    // The viewer tells its page, also one that comes later.
    let server = Server::start(&moved.display().to_string());
    for _ in 0..2 {
        let told = server.open().wait_for("error");
        let told = told["message"].as_str().expect("a message");
        assert!(told.contains("frame 60 ") && told.contains("body 5") && told.contains("keyframe (poses)"), "{told}");
    }
}

/// The scene in the file is another one than what was run.
#[test]
fn another_scene_differs_from_its_start_or_soon_after() {
    let path = record("bounce", 200, "bounce-other.carom");
    let other = with_scene(&path, "bounce-changed.carom", "\"restitution\": 0.5", "\"restitution\": 0.6");
    let (code, _, said) = replay(&other);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("differs") && said.contains("body"), "{said}");
}

#[test]
fn damage_has_a_place_and_an_exit_status() {
    let path = record("bounce", 90, "damaged.carom");
    let bytes = std::fs::read(&path).expect("it was written");
    let mut random = fastrand::Rng::with_seed(8);
    for case in 0..30 {
        let mut damaged = bytes.clone();
        if case % 2 == 0 {
            damaged.truncate(random.usize(9..bytes.len()));
        } else {
            damaged[random.usize(10..bytes.len())] ^= 1 << random.u8(..8);
        }
        std::fs::write(&path, &damaged).expect("the folder for tests is writable");
        let path = path.display().to_string();
        let glb = self::path("never.glb").display().to_string();
        let page = self::path("never.html").display().to_string();
        std::fs::write(&page, b"<title>page</title>").expect("the folder for tests is writable");
        for arguments in [
            &["replay", &path][..],
            &["export", &path, "--glb", &glb],
            &["view", &path, "--page", &page],
            &["microscope", &path, "0", "1"],
        ] {
            let output = carom(arguments);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(3), "{said}");
            assert!(said.contains("byte"), "{said}");
        }
    }
    let (code, _, said) = replay(&self::path("no such file"));
    assert_eq!(code, 3, "{said}");
    std::fs::write(&path, b"{}").expect("the folder for tests is writable");
    let (code, _, said) = replay(&path);
    assert!(code == 3 && said.contains("no recording"), "{said}");
}

/// The scene in a recording, changed in one place; the file.
fn with_scene(path: &Path, name: &str, from: &str, to: &str) -> PathBuf {
    assert_eq!(from.len(), to.len(), "the text keeps its length");
    let mut blocks = blocks(&std::fs::read(path).expect("it was written"));
    let header = &mut blocks[0].1;
    let place = header.windows(from.len()).position(|window| window == from.as_bytes()).expect("it is there");
    header[place..place + to.len()].copy_from_slice(to.as_bytes());
    let changed = self::path(name);
    std::fs::write(&changed, file_of(&blocks)).expect("the folder for tests is writable");
    changed
}

fn recorded_text(name: &str, scene: &Value, steps: u32) -> PathBuf {
    let file = viewer::file(&format!("{name}.json"), scene.to_string().as_bytes());
    record(&file.display().to_string(), steps, &format!("{name}.carom"))
}

/// A bullet that would fly through a wall, recorded with what stops it and run without.
#[test]
fn what_stops_a_body_on_its_way_is_named_as_the_impact() {
    let scene = json!({"gravity": [0, 0, 0], "continuous": "default", "bodies": [
        {"name": "wall", "kind": "fixed", "shape": {"cuboid": {"half_extents": [0.01, 5, 5]}}},
        {"name": "other", "position": [-50, 3, 0], "shape": {"sphere": {"radius": 0.1}}},
        {"name": "bullet", "position": [-10, 0, 0], "velocity": [300, 0, 0], "shape": {"sphere": {"radius": 0.1}}}]});
    let path = recorded_text("bullet", &scene, 20);
    assert_eq!(replay(&path).0, 0);
    let without = with_scene(&path, "bullet-through.carom", "\"default\"", "    \"off\"");
    let output = carom(&["replay", &without.display().to_string(), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let found = &told["divergence"];
    assert_eq!((&found["frame"], &found["body"], &found["name"]), (&2.into(), &2.into(), &"bullet".into()), "{told}");
    assert!(found["stage"].as_str().is_some_and(|stage| stage.starts_with("impact")), "{told}");
}

/// Two pairs whose boxes overlap and whose shapes never touch, of which one is filtered out: nothing moves otherwise, but the
/// state's hash covers all that a step depends on.
#[test]
fn a_scene_that_is_built_otherwise_is_told_before_anything_moves() {
    let ball = |name: &str, x: f64, y: f64, mask: u32| json!({"name": name, "position": [x, y, 0], "mask": mask, "shape": {"sphere": {"radius": 0.5}}});
    let bodies = [ball("a", 0.0, 0.0, 10), ball("b", 0.8, 0.8, 11), ball("c", 9.0, 0.0, 12), ball("d", 9.8, 0.8, 13)];
    let path = recorded_text("pairs", &json!({"gravity": [0, 0, 0], "bodies": bodies}), 5);
    assert_eq!(replay(&path).0, 0);
    // Its groups are all: a mask of 0 meets none.
    let alone = with_scene(&path, "pairs-alone.carom", "\"mask\":13", "\"mask\": 0");
    let (code, _, said) = replay(&alone);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 0 ") && said.contains("start (the scene is built otherwise)"), "{said}");
}

/// A prism, which is not convex, as an OBJ file.
const PRISM: &str = "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\nv 0 1 0\nv 2 1 0\nv 2 1 1\nv 1 1 1\nv 1 1 2\n\
    v 0 1 2\nf 1 2 3 4 5 6\nf 12 11 10 9 8 7\nf 7 8 2 1\nf 8 9 3 2\nf 9 10 4 3\nf 10 11 5 4\nf 11 12 6 5\nf 12 7 1 6\n";

/// Scenes with meshes in files of their own are recorded with these: the recording runs, is exported and is seen in another
/// folder, with the scene and its files gone.
#[test]
fn mesh_files_are_in_the_recording() {
    let here = self::path("with-mesh");
    std::fs::create_dir_all(here.join("meshes")).expect("the folder for tests is writable");
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("it is writable");
    let json = json!({"name": "prisms", "bodies": [
        {"kind": "fixed", "shape": {"half_space": {"normal": [0, 1, 0]}}},
        {"name": "parts", "position": [0, 2, 0], "shape": {"mesh_file": {"path": "meshes/prism.obj", "decompose": {}}}},
        {"kind": "fixed", "position": [5, 0, 0], "shape": {"mesh_file": {"path": "meshes/prism.obj", "scale": 2}}}]});
    let toml = "name = 'prisms'\n[[bodies]]\nkind = 'fixed'\nshape = { half_space = { normal = [0, 1, 0] } }\n\
        [[bodies]]\nposition = [0, 2, 0]\n[bodies.shape.mesh_file]\npath = 'meshes/prism.obj'\ndecompose = {}\n";
    for (name, text) in [("scene.json", json.to_string().as_str()), ("scene.toml", toml)] {
        write("meshes/prism.obj", PRISM);
        write(name, text);
        let elsewhere = self::path("elsewhere");
        std::fs::create_dir_all(&elsewhere).expect("the folder for tests is writable");
        let run = |folder: &Path, arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
            let output = command.args(arguments).current_dir(folder).output().expect("the program starts");
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            output
        };
        run(&here, &["run", name, "--steps", "40", "--record", "a.carom"]);
        std::fs::rename(here.join("a.carom"), elsewhere.join("a.carom")).expect("it was written");
        std::fs::remove_file(here.join("meshes/prism.obj")).expect("it was there");
        std::fs::remove_file(here.join(name)).expect("it was there");
        let said = run(&elsewhere, &["replay", "a.carom"]).stdout;
        assert!(String::from_utf8_lossy(&said).contains("40 frames of"), "{}", String::from_utf8_lossy(&said));
        run(&elsewhere, &["export", "a.carom", "--glb", "a.glb"]);
        run(&elsewhere, &["microscope", "a.carom", "0", "1", "--steps", "30"]);
        // What the viewer keeps of it is as complete.
        let server = Server::start(&elsewhere.join("a.carom").display().to_string());
        let mut page = server.open();
        page.pause();
        page.seek(30);
        page.say(&json!({"do": "record"}));
        let kept = page.wait_for("recording");
        let bytes = STANDARD.decode(kept["base64"].as_str().expect("base64")).expect("base64");
        std::fs::write(elsewhere.join("b.carom"), bytes).expect("the folder for tests is writable");
        run(&elsewhere, &["replay", "b.carom"]);
    }
}

/// What the first version recorded: plainly, and with all that can be done to a scene. The engine may have learnt to move
/// bodies otherwise since; then the first frame that differs is named. It always opens, and all inputs are understood.
#[test]
fn what_an_older_version_recorded_opens() {
    for (name, scene, frames) in [("format-1.carom", "bounce", 60), ("format-1-inputs.carom", "bounce", 80)] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let output = carom(&["replay", &path.display().to_string(), "--json"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!((&told["engine"], &told["scene"]), (&"0.1.0".into(), &scene.into()));
        assert_eq!(told["frames"], frames);
        match output.status.code() {
            Some(0) => assert!(told["divergence"].is_null()),
            Some(1) => assert!(told["divergence"]["frame"].is_u64() && said.contains("differs"), "{said}"),
            other => panic!("{other:?}: {said}"),
        }
        let out = self::path("older.glb").display().to_string();
        let output = carom(&["export", &path.display().to_string(), "--glb", &out]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
        let server = Server::start(&path.display().to_string());
        let mut page = server.open();
        assert_eq!(page.wait_for("scene")["name"], format!("{scene} (recording)"));
        page.pause();
        page.seek(frames);
    }
}

/// The inputs of that recording as they were given: written another way, they would not come back so.
#[test]
fn inputs_of_an_older_version_are_what_they_were() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-1-inputs.carom");
    let server = Server::start(&path.display().to_string());
    let mut page = server.open();
    let bodies = page.wait_for("scene")["bodies"].as_array().map_or(0, Vec::len);
    page.pause();
    page.seek(0);
    // The ball that was shot in frame 0.
    page.say(&json!({"do": "inspect", "body": bodies - 1}));
    let shot = page.wait_for("inspect");
    assert_eq!((&shot["position"], &shot["velocity"]), (&json!([0.0, 3.0, 12.0]), &json!([0.0, 0.0, -30.0])), "{shot}");
    let solver_at = |page: &mut viewer::Page, frame: u32| {
        page.say(&json!({"do": "seek", "frame": frame}));
        page.settle(frame)["solver"].as_str().expect("a solver").to_string()
    };
    let height = |page: &mut viewer::Page| {
        page.say(&json!({"do": "inspect", "body": 1}));
        page.wait_for("inspect")["position"][1].as_f64().expect("a height")
    };
    for (frame, solver) in [
        (39, "soft step"),
        (40, "projected gauss-seidel (warm)"),
        (50, "projected gauss-seidel (cold)"),
        (60, "worst first"),
        (70, "soft step"),
    ] {
        assert_eq!(solver_at(&mut page, frame), solver, "frame {frame}");
    }
    // It was grabbed in frame 10 and dragged up by 3 m.
    page.seek(10);
    let low = height(&mut page);
    page.seek(40);
    let high = height(&mut page);
    assert!(high > low + 0.5, "{low} to {high}");
}
