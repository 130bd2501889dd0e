//! Recordings from outside: what is recorded runs again with the same hashes, and what does not is named.

// Of which only some is used here.
#[allow(dead_code)]
mod viewer;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::Value;
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
    let mut bytes = b"CAROM-REC\x01".to_vec();
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

/// A frame as it is written: the hashes of the stages, and the bodies' bits.
type Frame = ((u64, u64, u64, u64, u64, u64), Vec<u16>);

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
        frames[17].0.3 ^= 1;
        frames[17].1[5] ^= 0x10;
    });
    let (code, _, said) = replay(&changed);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("frame 17") && said.contains("body 5") && said.contains("velocities"), "{said}");
    let changed = tampered(&path, "contacts.carom", |frames| frames[3].0.1 ^= 1 << 40);
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
    let mut blocks = blocks(&std::fs::read(&path).expect("it was written"));
    // The scene's text is in the header as it is.
    let (header, needle) = (&mut blocks[0].1, b"\"restitution\": 0.5");
    let place = header.windows(needle.len()).position(|window| window == needle).expect("it is there");
    header[place + needle.len() - 1] = b'6';
    let other = self::path("bounce-changed.carom");
    std::fs::write(&other, file_of(&blocks)).expect("the folder for tests is writable");
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

/// A file that the first version wrote. The engine may have learnt to move bodies otherwise since; then the first frame that
/// differs is named. It always opens.
#[test]
fn what_an_older_version_recorded_opens() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-1.carom");
    let output = carom(&["replay", &path.display().to_string(), "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&told["engine"], &told["scene"], &told["frames"]), (&"0.1.0".into(), &"bounce".into(), &60.into()));
    match output.status.code() {
        Some(0) => assert!(told["divergence"].is_null()),
        Some(1) => assert!(told["divergence"]["frame"].is_u64() && said.contains("differs"), "{said}"),
        other => panic!("{other:?}: {said}"),
    }
    let out = self::path("older.glb").display().to_string();
    let output = carom(&["export", &path.display().to_string(), "--glb", &out]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
}
