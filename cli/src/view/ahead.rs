//! The ways of the few bodies that move, as they move now, checked against all that stands around (T7).
//!
//! Each way is a path of keyed poses for [`Detector::check_path`], which proves it free or finds the first hit, and tells
//! where there is least room.

use super::frame::Bytes;
use crate::session::Session;
use carom::body::{BodyKind, BodyRef};
use carom::detector::{Detector, Key, Object, ObjectId, PathOptions, PathOutcome};
use carom::glam::DVec3;
use carom::impact::rigid::Sweep;
use carom::world::World;

/// It looks this far ahead, in s.
const HORIZON: f64 = 6.0;
/// Keys are no farther apart than this, in s and in radians.
const KEY_TIME: f64 = 0.5;
const KEY_TURN: f64 = 1.0;
/// Of a way that ends in a hit, the least room is that on this share of it.
const BEFORE_HIT: f64 = 0.9;
/// With more bodies or shapes than this, nothing is checked: it is done for every frame.
const MOST_MOVING: usize = 4;
const MOST_SHAPES: usize = 64;

/// Writes the way of each body that moves.
pub(super) fn fill(bytes: &mut Bytes, session: &Session, origin: DVec3) {
    let world = session.world();
    let moves = |body: &BodyRef<'_>| {
        let speed = body.velocity().length() + body.angular_velocity().length();
        body.kind() == BodyKind::Dynamic && !body.is_asleep() && speed > 0.01
    };
    let moving = world.bodies().enumerate().filter(|(_, body)| moves(body));
    let moving: Vec<usize> = moving.map(|(index, _)| index).take(MOST_MOVING + 1).collect();
    if moving.len() > MOST_MOVING || world.shapes().count() > MOST_SHAPES {
        return;
    }
    for body in moving {
        // A way that cannot be checked is not drawn.
        bytes.0.extend(way(world, body, origin).unwrap_or_default().0);
    }
}

fn way(world: &World, mover: usize, origin: DVec3) -> Option<Bytes> {
    let mut detector = Detector::default();
    let mut linked: Vec<ObjectId> = Vec::new();
    let body = world.bodies().nth(mover)?;
    for shape in world.shapes().filter(|shape| !shape.collider.is_sensor) {
        let pose = shape.body.pose().compose(&shape.collider.pose_in_body);
        let id = detector.insert(Object::new(shape.collider.shape.clone(), pose)).ok()?;
        if shape.collider.body as usize == mover {
            linked.push(id);
        }
    }
    let first = body.shapes().find(|collider| !collider.is_sensor)?.pose_in_body;
    let start = body.pose().compose(&first);
    let center = start.point_to_local(body.center_of_mass()).as_dvec3();
    let velocity = body.velocity().as_dvec3();
    let spin = body.angular_velocity().as_dvec3();
    let sweep = Sweep::of(start, velocity).about(center).turning(spin);
    let apart = KEY_TIME.min(KEY_TURN / spin.length().max(1e-9));
    let count = (HORIZON / apart).ceil().min(200.0) as u32;
    let key = |index: u32| {
        let time = f64::from(index) * HORIZON / f64::from(count);
        Key { time, pose: sweep.pose_at(time) }
    };
    let keys: Vec<Key> = (0..=count).map(key).collect();
    let options = PathOptions { center, ..PathOptions::default() };
    let report = detector.check_path(&linked, &keys, &options).ok()?;
    let (outcome, hit) = match &report.outcome {
        PathOutcome::Free => (0, None),
        PathOutcome::Hit(hit) => (1, Some(hit)),
        PathOutcome::Unproven(hit) => (2, Some(hit)),
    };
    let mut bytes = Bytes::default();
    bytes.words([mover as u32, outcome]);
    let end = hit.map_or(HORIZON, |hit| hit.time);
    let middle = body.center_of_mass();
    // At a hit there is no room at all; what counts is how much there was until shortly before.
    let least = match hit {
        None => report.clearance,
        Some(hit) => {
            let end = BEFORE_HIT * hit.time;
            let mut sooner: Vec<Key> = keys.iter().copied().filter(|key| key.time < end).collect();
            sooner.push(Key { time: end, pose: sweep.pose_at(end) });
            detector.check_path(&linked, &sooner, &options).ok().and_then(|report| report.clearance)
        }
    };
    let (room, when) = least.map_or((0.0, 0.0), |least| (least.distance, least.time));
    bytes.floats([end, room, when].map(|value| value as f32));
    bytes.place(least.map_or(middle, |least| least.on_mover), origin);
    bytes.place(least.map_or(middle, |least| least.on_obstacle), origin);
    bytes.place(hit.map_or(middle, |hit| hit.on_obstacle), origin);
    for time in [0.0, end, HORIZON] {
        bytes.place(middle + velocity * time, origin);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;

    /// The bar of the scene passes seven slots and strikes the eighth, which its way tells long before.
    #[test]
    fn the_way_of_the_bar_is_free_up_to_the_wrong_slot() {
        let scene = scene::find("path").expect("the scene is known");
        let world = scene.world().expect("the scene is sound");
        let mut session = Session::new(scene, world);
        (0..60).for_each(|_| session.step().expect("a step"));
        let mut bytes = Bytes::default();
        fill(&mut bytes, &session, DVec3::ZERO);
        assert_eq!(bytes.0.len(), 4 * 23, "one body moves");
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes.0[4 * at + byte]));
        let float = |at: usize| f64::from(f32::from_bits(word(at)));
        assert_eq!(word(1), 1, "a hit");
        // The slots are 0.16 m thick, 1.5 m apart from -4.5 m on; the bar reaches 0.15 m ahead, at 2 m/s from -4 m.
        let expected = (6.0 - 0.08 - 0.15 + 4.0) / 2.0;
        assert!((float(2) - expected).abs() < 0.05, "{} and {expected}", float(2));
        // A slot of 0.6 m by 2.2 m for a bar of 0.24 m by 1.8 m: 0.18 m at the sides if it were not turning.
        assert!(float(3) > 0.05 && float(3) < 0.18, "{}", float(3));
    }
}
