//! Recordings come back as they were, and no damage to a file goes unnoticed or does harm.

use super::{FrameDigest, Recorder, Recording, RecordingError};
use crate::scene;
use crate::session::{Input, Session};
use carom::glam::{DVec3, Vec3};

/// A run with a shot in it, and its bytes.
fn recorded(name: &str, frames: u32) -> (Vec<u8>, Vec<u64>) {
    let scene = scene::find(name).expect("the scene is known");
    let world = scene.world().expect("the scene is sound");
    let mut session = Session::new(scene, world);
    let mut recorder = Recorder::new(Vec::new(), session.scene(), session.world()).expect("memory can be written to");
    let mut hashes = vec![session.world().hash()];
    for frame in 1..=frames {
        session.step().expect("steps are taken");
        recorder.step(session.world()).expect("memory can be written to");
        hashes.push(session.world().hash());
        if frame == frames / 2 {
            let shot = Input::Shoot { from: DVec3::new(0.0, 2.0, 8.0), velocity: Vec3::new(0.0, 0.0, -30.0) };
            session.act(shot).expect("a shot");
        }
    }
    (recorder.finish(session.log()).expect("memory can be written to"), hashes)
}

#[test]
fn a_recording_comes_back_and_runs_again_with_the_same_bits() {
    let (bytes, hashes) = recorded("boxes", 130);
    let recording = Recording::parse(&bytes).expect("it is sound");
    assert_eq!(recording.last(), 130);
    assert_eq!(recording.log.len(), 1);
    assert_eq!(recording.keyframes.iter().map(|kept| kept.frame).collect::<Vec<_>>(), [0, 60, 120]);
    let kept: Vec<u64> = recording.digests.iter().map(|digest| digest.stages.all).collect();
    assert_eq!(kept, hashes);
    let mut session = recording.session().expect("its scene is sound");
    for (frame, digest) in recording.digests.iter().enumerate() {
        if frame == 65 {
            // The shot of this frame comes after what was written of it.
            assert_eq!(session.world().len(), digest.bodies.len() + 1);
        } else {
            assert_eq!(FrameDigest::of(session.world()), *digest, "frame {frame}");
        }
        session.step().expect("steps are taken");
    }
}

#[test]
fn every_way_of_cutting_it_short_is_noticed() {
    let (bytes, _) = recorded("bounce", 30);
    for length in 0..bytes.len() {
        match Recording::parse(&bytes[..length]) {
            Err(RecordingError::NotOne) => assert!(length < 9),
            Err(RecordingError::Truncated { at, .. }) => assert_eq!(at, length),
            other => panic!("{length} bytes: {other:?}"),
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (bytes, _) = recorded("bounce", 90);
    let mut random = fastrand::Rng::with_seed(3);
    for case in 0..5_000 {
        let mut damaged = bytes.clone();
        let at = if case < bytes.len() { case } else { random.usize(..bytes.len()) };
        damaged[at] ^= 1 << random.u8(..8);
        let error = Recording::parse(&damaged).expect_err("a bit is wrong");
        let text = error.to_string();
        assert!(at < 10 || text.contains("byte"), "{text}");
    }
}

/// Damage that has a sound checksum: what is inside must not be believed.
#[test]
fn nonsense_with_a_sound_checksum_does_no_harm() {
    let (bytes, _) = recorded("bounce", 90);
    let mut random = fastrand::Rng::with_seed(4);
    let mut refused = 0;
    for _ in 0..3_000 {
        let mut damaged = bytes.clone();
        let starts = block_starts(&bytes);
        let start = starts[random.usize(..starts.len())];
        let length = packed_length(&bytes, start);
        for _ in 0..random.usize(1..4) {
            let at = start + if random.bool() { random.usize(..9) } else { 13 + random.usize(..length.max(1)) };
            if let Some(byte) = damaged.get_mut(at) {
                *byte = random.u8(..);
            }
        }
        let length = packed_length(&damaged, start);
        if let Some(end) = (start + 13).checked_add(length).filter(|end| *end <= damaged.len()) {
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(&damaged[start..start + 9]);
            hasher.update(&damaged[start + 13..end]);
            let sum = hasher.finalize().to_le_bytes();
            damaged[start + 9..start + 13].copy_from_slice(&sum);
        }
        match Recording::parse(&damaged) {
            Err(_) => refused += 1,
            // It is another recording, then; its scene may be refused, and nothing worse.
            Ok(recording) => drop(recording.session()),
        }
    }
    assert!(refused > 1_000, "{refused}");
}

fn packed_length(bytes: &[u8], start: usize) -> usize {
    let word = bytes.get(start + 5..start + 9).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_le_bytes) as usize
}

fn block_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![10];
    while let Some(next) = starts.last().map(|start| start + 13 + packed_length(bytes, *start)) {
        if next >= bytes.len() {
            break;
        }
        starts.push(next);
    }
    starts
}

#[test]
fn another_format_says_so() {
    let (mut bytes, _) = recorded("bounce", 1);
    bytes[9] = 2;
    let error = Recording::parse(&bytes).expect_err("another format");
    assert_eq!(error, RecordingError::Version { found: 2 });
    assert!(error.to_string().contains("format 2") && error.to_string().contains("format 1"), "{error}");
    assert_eq!(Recording::parse(b"").expect_err("nothing"), RecordingError::NotOne);
    assert_eq!(Recording::parse(b"{\"bodies\": []}").expect_err("a scene"), RecordingError::NotOne);
}
