//! The viewer's page with a recording in it: one file that plays in any browser, with no network.
//!
//! docs/viewer-protocol.md says what stands where. Positions and rotations are rounded to steps too small to be seen and
//! written as what they differ by from an even movement: mostly zeros and ones, which gzip makes little of.

use super::Fineness;
use super::bounds;
use super::contacts::{self, KeptContact};
use super::tracks::{KeptFrame, Track, Tracks};
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

/// A page holds no more than this, in bytes, of up to so many bodies times seconds; of more in proportion.
const MOST: usize = 3_000_000;
const MOST_IS_FOR: f64 = 12_000.0;
/// Shapes cannot be left out: what they take beyond this, packed, comes on top.
const MOST_SHAPES: usize = 300_000;

/// How many times as much poses may be rounded, and how many times more seldom kept, one after the other, until there is room
/// for them and for contacts; then for them alone.
const COARSER_WITH_CONTACTS: [(u32, usize); 3] = [(1, 1), (2, 1), (4, 1)];
const COARSER: [(u32, usize); 6] = [(1, 1), (2, 1), (4, 1), (4, 2), (8, 2), COARSEST];
const COARSEST: (u32, usize) = (8, 4);

/// Puts a recording into a page: as finely as there is room for. Bounding volumes give way first, then contacts of some
/// frames.
pub(super) fn page(page: &[u8], session: &Session, tracks: &Tracks) -> io::Result<(Vec<u8>, Fineness)> {
    let find = |what: &[u8]| page.windows(what.len()).position(|window| window == what);
    let (at, length) = match find(MARKER) {
        Some(at) => (at, MARKER.len()),
        None => (find(b"<script").ok_or_else(|| io::Error::other("the page has no place for a recording"))?, 0),
    };
    let body_seconds = tracks.bodies.len() as f64 * tracks.frames.len() as f64 * f64::from(tracks.seconds_per_frame);
    let shapes = gzip(scene_message(session, &session.scene().name, 0).as_bytes(), Compression::fast())?.len();
    let most = (MOST as f64 * f64::max(1.0, body_seconds / MOST_IS_FOR)) as usize
        + shapes.saturating_sub(MOST_SHAPES).div_ceil(3) * 4;
    // In base64 three bytes are four.
    let room = most.saturating_sub(page.len() + OPEN.len() + CLOSE.len()) / 4 * 3;
    let (packed, fineness) = held(session, tracks, most, room)?.with_bounds(session, room)?;
    let mut bytes = page[..at].to_vec();
    bytes.extend_from_slice(OPEN);
    bytes.extend_from_slice(STANDARD.encode(packed).as_bytes());
    bytes.extend_from_slice(CLOSE);
    bytes.extend_from_slice(&page[at + length..]);
    Ok((bytes, fineness))
}

const OPEN: &[u8] = b"<script id=\"recording\" type=\"application/octet-stream;base64\">";
const CLOSE: &[u8] = b"</script>";

/// In the place of contacts or of bounding volumes: there are none.
const NONE: [u8; 4] = 0u32.to_le_bytes();

/// What goes into a page: its bytes without bounding volumes, and the same packed.
struct Held {
    bytes: Vec<u8>,
    packed: Vec<u8>,
    fineness: Fineness,
}

impl Held {
    fn of(bytes: Vec<u8>, fineness: Fineness) -> io::Result<Self> {
        let packed = gzip(&[&bytes[..], &NONE].concat(), Compression::best())?;
        Ok(Self { bytes, packed, fineness })
    }

    /// Packed, with bounding volumes if there is room left for them.
    fn with_bounds(self, session: &Session, room: usize) -> io::Result<(Vec<u8>, Fineness)> {
        let Self { bytes, packed, fineness } = self;
        let bounds = bounds::bytes(session);
        if packed.len() + gzip(&bounds, Compression::fast())?.len() <= room {
            let both = gzip(&[bytes, bounds].concat(), Compression::best())?;
            if both.len() <= room {
                return Ok((both, Fineness { bounds: true, ..fineness }));
            }
        }
        Ok((packed, fineness))
    }
}

/// What goes into a page, in no more bytes than there is room for unless that cannot be done.
fn held(session: &Session, tracks: &Tracks, most_bytes: usize, room: usize) -> io::Result<Held> {
    for (rounding, frames) in COARSER_WITH_CONTACTS {
        let poses = bytes(session, tracks, rounding, frames);
        // What is packed in a hurry is seldom smaller than what is packed well.
        let Some(left) = room.checked_sub(gzip(&poses, Compression::fast())?.len()) else { continue };
        for contacts in STRIDES {
            let bytes = contact_bytes(tracks, frames, contacts);
            if gzip(&bytes, Compression::fast())?.len() > left {
                continue;
            }
            let fineness = Fineness { rounding, frames, contacts, bounds: false, most_bytes };
            let held = Held::of([&poses[..], &bytes].concat(), fineness)?;
            if held.packed.len() <= room {
                return Ok(held);
            }
        }
    }
    let without = |rounding: u32, frames: usize| {
        let fineness = Fineness { rounding, frames, contacts: 0, bounds: false, most_bytes };
        Held::of([&bytes(session, tracks, rounding, frames)[..], &NONE].concat(), fineness)
    };
    for (rounding, frames) in COARSER {
        let held = without(rounding, frames)?;
        if held.packed.len() <= room {
            return Ok(held);
        }
    }
    // There is no room for it, however coarse it is.
    without(COARSEST.0, COARSEST.1)
}

/// All but the contacts: every so many frames, with poses rounded to so many times as much as is needed.
fn bytes(session: &Session, tracks: &Tracks, rounding: u32, every: usize) -> Vec<u8> {
    let scene = scene_message(session, &session.scene().name, 0);
    let mut bytes = (scene.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(scene.as_bytes());
    let quantum = (tracks.extent() * POSITION_SHARE).clamp(POSITION_QUANTUM[0], POSITION_QUANTUM[1]);
    let quanta = [quantum, ROTATION_QUANTUM].map(|quantum| quantum * rounding as f32);
    let frames: Vec<&KeptFrame> = tracks.frames.iter().step_by(every).collect();
    for count in [frames.len(), tracks.bodies.len()] {
        bytes.extend((count as u32).to_le_bytes());
    }
    for number in [tracks.seconds_per_frame * every as f32, quanta[0], quanta[1]] {
        bytes.extend(number.to_le_bytes());
    }
    tracks.origin.to_array().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    for track in &tracks.bodies {
        write_track(track, quanta, every, &mut bytes);
    }
    for frame in &frames {
        frame.statistics.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
    frames.iter().for_each(|frame| bytes.extend(frame.hash.to_le_bytes()));
    frames.iter().for_each(|frame| bytes.extend(frame.frame.to_le_bytes()));
    write_states(&frames, tracks.bodies.len(), &mut bytes);
    bytes
}

fn gzip(bytes: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), level);
    packer.write_all(bytes)?;
    packer.finish()
}

/// One written frame in so many has its contacts; rather than still fewer, none.
const STRIDES: [usize; 5] = [1, 2, 4, 8, 16];

/// The contacts of every one, every second, every fourth written frame; before them which.
fn contact_bytes(tracks: &Tracks, every: usize, stride: usize) -> Vec<u8> {
    let frames: Vec<&[KeptContact]> =
        tracks.frames.iter().step_by(every).map(|frame| frame.contacts.as_slice()).collect();
    let mut bytes = (stride as u32).to_le_bytes().to_vec();
    contacts::write(&frames, stride, &mut bytes);
    bytes
}

/// Which bodies' states change in which frame, and into what.
fn write_states(frames: &[&KeptFrame], bodies: usize, bytes: &mut Vec<u8>) {
    let mut last = vec![0; bodies];
    for frame in frames {
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

fn write_track(track: &Track, quanta: [f32; 2], every: usize, bytes: &mut Vec<u8>) {
    let is_still = track.is_still();
    bytes.push(u8::from(!is_still));
    let count = if is_still { 1 } else { track.positions.len() };
    for axis in 0..3 {
        let places = track.positions[..count].iter().step_by(every);
        write_channel(places.map(|place| rounded(place[axis], quanta[0])), bytes);
    }
    for part in 0..4 {
        let parts = track.rotations[..count].iter().step_by(every).map(|rotation| rotation.to_array()[part]);
        write_channel(parts.map(|part| rounded(part, quanta[1])), bytes);
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
    use crate::scene;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn bounding_volumes_give_way_where_there_is_no_room() {
        let scene = scene::find("bounds").expect("the scene is known");
        let world = scene.world().expect("the scene is sound");
        let session = Session::new(scene, world);
        let fineness = Fineness { rounding: 1, frames: 1, contacts: 1, bounds: false, most_bytes: MOST };
        for (room, has_room) in [(MOST, true), (100, false)] {
            let held = Held::of(b"poses".to_vec(), fineness).expect("it is packed");
            let (packed, fineness) = held.with_bounds(&session, room).expect("it is packed");
            let mut bytes = Vec::new();
            GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("gzip");
            assert!(packed.len() <= room && bytes.starts_with(b"poses"), "{} bytes", packed.len());
            assert_eq!(fineness.bounds, has_room);
            assert_eq!(bytes[5..9], if has_room { [7, 0, 0, 0] } else { NONE });
            assert_eq!(bytes.len() > 9, has_room, "{} bytes", bytes.len());
            let said = fineness.left_out(packed.len()).unwrap_or_default();
            assert_eq!(said.contains("bounding volumes are left out"), !has_room, "{said}");
        }
    }

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
