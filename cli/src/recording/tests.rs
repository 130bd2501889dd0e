//! Recordings come back as they were, and no damage to a file goes unnoticed or does harm.

use super::{FrameDigest, Recorder, Recording, RecordingError};
use crate::scene;
use crate::session::{Input, Session};
use carom::glam::{DVec3, Vec3};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};

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
            assert_eq!(FrameDigest::of(session.world(), recording.format), *digest, "frame {frame}");
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

/// Damage that has a sound checksum, in what is packed or in what is held: what is inside must not be believed.
#[test]
fn nonsense_with_a_sound_checksum_does_no_harm() {
    let (bytes, _) = recorded("bounce", 90);
    let starts = block_starts(&bytes);
    let mut random = fastrand::Rng::with_seed(4);
    let (mut refused, mut run) = (0, 0);
    for case in 0..4_000 {
        let start = starts[random.usize(..starts.len())];
        let damaged = if case % 2 == 0 {
            damaged_outside(&bytes, start, &mut random)
        } else {
            damaged_inside(&bytes, start, &mut random)
        };
        let Ok(recording) = Recording::parse(&damaged) else {
            refused += 1;
            continue;
        };
        // It is another recording, then; its scene or a step may be refused, and nothing worse.
        let Ok(mut session) = recording.session() else { continue };
        let end = recording.log.last().map_or(0, |logged| logged.frame) + 3;
        while session.frame() < end.min(recording.last()) && session.step().is_ok() {}
        run += 1;
    }
    assert!(refused > 1_000 && run > 500, "{refused} refused, {run} run");
}

/// Some bytes of a block's head or of what is packed in it are others.
fn damaged_outside(bytes: &[u8], start: usize, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let length = packed_length(bytes, start);
    for _ in 0..random.usize(1..4) {
        let at = start + if random.bool() { random.usize(..9) } else { 13 + random.usize(..length.max(1)) };
        if let Some(byte) = damaged.get_mut(at) {
            *byte = random.u8(..);
        }
    }
    let length = packed_length(&damaged, start);
    if let Some(end) = (start + 13).checked_add(length).filter(|end| *end <= damaged.len()) {
        let sum = checksum(&damaged[start..start + 9], &damaged[start + 13..end]);
        damaged[start + 9..start + 13].copy_from_slice(&sum);
    }
    damaged
}

/// Some bytes of what a block holds are others, and it is packed again.
fn damaged_inside(bytes: &[u8], start: usize, random: &mut fastrand::Rng) -> Vec<u8> {
    let end = start + 13 + packed_length(bytes, start);
    let mut held = Vec::new();
    DeflateDecoder::new(&bytes[start + 13..end]).read_to_end(&mut held).expect("it is packed");
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..held.len());
        held[at] = if random.bool() { random.u8(..) } else { held[at] ^ 1 << random.u8(..8) };
    }
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(&held).expect("memory can be written to");
    let packed = packer.finish().expect("memory can be written to");
    let mut block = vec![bytes[start]];
    block.extend((held.len() as u32).to_le_bytes());
    block.extend((packed.len() as u32).to_le_bytes());
    block.extend(checksum(&block, &packed));
    block.extend(packed);
    [&bytes[..start], &block, &bytes[end..]].concat()
}

fn checksum(head: &[u8], packed: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(packed);
    hasher.finalize().to_le_bytes()
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
    for found in [0, 3, 255] {
        bytes[9] = found;
        let error = Recording::parse(&bytes).expect_err("another format");
        assert_eq!(error, RecordingError::Version { found });
        let said = error.to_string();
        assert!(said.contains(&format!("format {found}")) && said.contains("formats 1 to 2"), "{said}");
    }
    // The blocks of the one are not those of the other.
    bytes[9] = 1;
    assert!(matches!(Recording::parse(&bytes), Err(RecordingError::Block { block: "header", .. })));
    assert_eq!(Recording::parse(b"").expect_err("nothing"), RecordingError::NotOne);
    assert_eq!(Recording::parse(b"{\"bodies\": []}").expect_err("a scene"), RecordingError::NotOne);
}
