//! The viewer's page with a recording in it: one file that plays in any browser, with no network.
//!
//! docs/viewer-protocol.md says what stands where. Positions and rotations are rounded to steps too small to be seen and
//! written as what they differ by from an even movement: mostly zeros and ones, which gzip makes little of.

use super::contacts::{self, KeptContact};
use super::tracks::{Track, Tracks};
use crate::session::Session;
use crate::view::scene_message;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// Where the page wants it.
const MARKER: &[u8] = b"<!--recording-->";
/// Rotations are rounded to this part of a unit quaternion: a sixteenth of a degree.
const ROTATION_QUANTUM: f32 = 1.0 / 2048.0;
/// Positions are rounded to this part of the scene's extent, within limits in m.
const POSITION_SHARE: f32 = 1.0 / 40_000.0;
const POSITION_QUANTUM: [f32; 2] = [1e-4, 1e-1];

/// The bytes of the page.
pub(super) fn page(page: &[u8], session: &Session, tracks: &Tracks) -> io::Result<Vec<u8>> {
    let find = |what: &[u8]| page.windows(what.len()).position(|window| window == what);
    let (at, length) = match find(MARKER) {
        Some(at) => (at, MARKER.len()),
        None => (find(b"<script").ok_or_else(|| io::Error::other("the page has no place for a recording"))?, 0),
    };
    let mut held = bytes(session, tracks);
    let contacts = packed_contacts(tracks, gzip(&held, Compression::fast())?.len())?;
    held.extend_from_slice(&contacts);
    let packed = gzip(&held, Compression::best())?;
    let mut whole = page[..at].to_vec();
    whole.extend_from_slice(b"<script id=\"recording\" type=\"application/octet-stream;base64\">");
    whole.extend_from_slice(STANDARD.encode(packed).as_bytes());
    whole.extend_from_slice(b"</script>");
    whole.extend_from_slice(&page[at + length..]);
    Ok(whole)
}

fn bytes(session: &Session, tracks: &Tracks) -> Vec<u8> {
    let scene = scene_message(session, &session.scene().name, 0);
    let mut bytes = (scene.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(scene.as_bytes());
    let quantum = (tracks.extent() * POSITION_SHARE).clamp(POSITION_QUANTUM[0], POSITION_QUANTUM[1]);
    for count in [tracks.frames.len(), tracks.bodies.len()] {
        bytes.extend((count as u32).to_le_bytes());
    }
    for number in [tracks.seconds_per_frame, quantum, ROTATION_QUANTUM] {
        bytes.extend(number.to_le_bytes());
    }
    tracks.origin.to_array().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    for track in &tracks.bodies {
        write_track(track, quantum, &mut bytes);
    }
    for frame in &tracks.frames {
        frame.statistics.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
    tracks.frames.iter().for_each(|frame| bytes.extend(frame.hash.to_le_bytes()));
    tracks.frames.iter().for_each(|frame| bytes.extend(frame.frame.to_le_bytes()));
    write_states(tracks, &mut bytes);
    bytes
}

fn gzip(bytes: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), level);
    packer.write_all(bytes)?;
    packer.finish()
}

/// Contacts may weigh as much as everything else, or this much if that is more, in bytes.
const CONTACTS_BUDGET: usize = 700_000;
/// Contacts are left out rather than shown more seldom than in one kept frame of so many.
const MOST_STRIDE: usize = 16;

/// The contacts of as many frames as there is room for: of every one, every second, every fourth; before them which.
fn packed_contacts(tracks: &Tracks, rest: usize) -> io::Result<Vec<u8>> {
    let frames: Vec<&[KeptContact]> = tracks.frames.iter().map(|frame| frame.contacts.as_slice()).collect();
    let mut stride = 1;
    while stride <= MOST_STRIDE {
        let mut bytes = (stride as u32).to_le_bytes().to_vec();
        contacts::write(&frames, stride, &mut bytes);
        if gzip(&bytes, Compression::fast())?.len() <= CONTACTS_BUDGET.max(rest) {
            return Ok(bytes);
        }
        stride *= 2;
    }
    Ok(0u32.to_le_bytes().to_vec())
}

/// Which bodies' states change in which frame, and into what.
fn write_states(tracks: &Tracks, bytes: &mut Vec<u8>) {
    let mut last = vec![0; tracks.bodies.len()];
    for frame in &tracks.frames {
        let changed: Vec<usize> = (0..frame.states.len()).filter(|body| frame.states[*body] != last[*body]).collect();
        write_integer(changed.len() as i64, bytes);
        let mut before = 0;
        for body in changed {
            write_integer((body - before) as i64, bytes);
            bytes.push(frame.states[body]);
            (last[body], before) = (frame.states[body], body);
        }
    }
}

fn write_track(track: &Track, quantum: f32, bytes: &mut Vec<u8>) {
    let is_still = track.is_still();
    bytes.push(u8::from(!is_still));
    let count = if is_still { 1 } else { track.positions.len() };
    for axis in 0..3 {
        write_channel(track.positions[..count].iter().map(|place| rounded(place[axis], quantum)), bytes);
    }
    for part in 0..4 {
        let parts = track.rotations[..count].iter().map(|rotation| rotation.to_array()[part]);
        write_channel(parts.map(|part| rounded(part, ROTATION_QUANTUM)), bytes);
    }
}

fn rounded(value: f32, quantum: f32) -> i64 {
    // What is not finite or too far to draw is drawn at the edge.
    (f64::from(value) / f64::from(quantum)).round().clamp(-1e9, 1e9) as i64
}

/// Writes what values differ by from the straight line through the two before.
fn write_channel(values: impl Iterator<Item = i64>, bytes: &mut Vec<u8>) {
    let (mut last, mut change) = (0, 0);
    for (index, value) in values.enumerate() {
        write_integer(value - last - change, bytes);
        change = if index == 0 { 0 } else { value - last };
        last = value;
    }
}

/// Zig-zag, then seven bits a byte.
pub(super) fn write_integer(value: i64, bytes: &mut Vec<u8>) {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reader that docs/viewer-protocol.md describes.
    fn read_channel(bytes: &mut &[u8], count: usize) -> Vec<i64> {
        let mut values: Vec<i64> = Vec::new();
        for index in 0..count {
            let (mut word, mut shift) = (0u64, 0);
            loop {
                let (first, rest) = bytes.split_first().expect("there is more");
                *bytes = rest;
                word |= u64::from(first & 0x7f) << shift;
                shift += 7;
                if first & 0x80 == 0 {
                    break;
                }
            }
            let residual = (word >> 1) as i64 ^ -((word & 1) as i64);
            let predicted = match index {
                0 => 0,
                1 => values[0],
                _ => 2 * values[index - 1] - values[index - 2],
            };
            values.push(predicted + residual);
        }
        values
    }

    #[test]
    fn channels_come_back_as_the_protocol_says() {
        let mut random = fastrand::Rng::with_seed(5);
        for count in [1, 2, 3, 4, 100] {
            let size = 1 << random.u32(1..30);
            let values: Vec<i64> = (0..count).map(|_| random.i64(-size..size)).collect();
            let mut bytes = Vec::new();
            write_channel(values.iter().copied(), &mut bytes);
            let mut rest = bytes.as_slice();
            assert_eq!(read_channel(&mut rest, count), values);
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn an_even_movement_costs_a_byte_a_frame() {
        let mut bytes = Vec::new();
        write_channel((0..100).map(|index| 7 * index - 300), &mut bytes);
        assert_eq!(bytes.len(), 101);
        assert!(bytes[3..].iter().all(|byte| *byte == 0));
    }
}
