//! Bounding volumes in a page: fitted once to each shape, they move with it, so a page needs nothing else to draw them.

use super::html::write_integer;
use crate::session::Session;
use crate::view::{BoundedCollider, Fitted, Question, Volume};

/// Coordinates are kept in steps of this, in m.
const QUANTUM: f32 = 1e-4;

/// All volumes around the shapes of what moves.
pub(super) fn bytes(session: &Session) -> Vec<u8> {
    let question = Question::of(session, 0);
    let mut bytes = (Volume::ALL.len() as u32).to_le_bytes().to_vec();
    for (index, volume) in Volume::ALL.into_iter().enumerate() {
        let Fitted { shapes, colliders } = question.fitted(volume);
        if index == 0 {
            write_colliders(&colliders, &mut bytes);
        }
        write_integer(volume.name().len() as i64, &mut bytes);
        bytes.extend_from_slice(volume.name().as_bytes());
        write_integer(shapes.len() as i64, &mut bytes);
        shapes.iter().for_each(|ends| write_lines(ends, &mut bytes));
    }
    bytes
}

/// They are the same for each volume.
fn write_colliders(colliders: &[BoundedCollider], bytes: &mut Vec<u8>) {
    write_integer(colliders.len() as i64, bytes);
    for BoundedCollider { body, shape, position, rotation } in colliders {
        write_integer(i64::from(*body), bytes);
        write_integer(i64::from(*shape), bytes);
        position.iter().chain(rotation).for_each(|value| bytes.extend(value.to_le_bytes()));
    }
}

/// Each end of a line as what it is away from the one before: lines mostly go on where the last one ended.
fn write_lines(ends: &[f32], bytes: &mut Vec<u8>) {
    write_integer(ends.len() as i64 / 6, bytes);
    let mut last = [0; 3];
    for (index, value) in ends.iter().enumerate() {
        let value = (f64::from(*value) / f64::from(QUANTUM)).round().clamp(-1e9, 1e9) as i64;
        write_integer(value - last[index % 3], bytes);
        last[index % 3] = value;
    }
}
