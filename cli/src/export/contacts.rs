//! The contacts of a recording's frames, packed: each as what it differs by from the frame before.
//!
//! A contact is known again by its slots and features. Its point rides on a body that moves, so that of a body at rest or
//! in even motion nothing is left to write, and between the frames that have contacts it still is where it belongs.
//! docs/viewer-protocol.md says what stands where.

use super::html::write_integer;
use carom::body::{BodyKind, Motion};
use carom::glam::Vec3;
use carom::narrow::{Contact, Manifold};
use carom::world::World;
use std::collections::HashMap;

/// A contact of a frame, rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeptContact {
    /// The slots, the features, and which of those that have the same it is.
    pub(super) key: [u32; 5],
    /// The point in the frame of the body that it rides on, the normal, the depth and the impulse.
    pub(super) values: [i32; VALUES],
}

/// x, y, z; the normal's two numbers; depth; impulse.
pub(super) const VALUES: usize = 7;

/// Points are rounded to this, in m; depths to a tenth of it.
pub(super) const POINT_QUANTUM: f32 = 1e-3;
pub(super) const DEPTH_QUANTUM: f32 = 1e-4;
/// Normals are rounded to this part of the octahedron that they are laid out on: about half a degree.
pub(super) const NORMAL_STEPS: f32 = 255.0;
/// Impulses have so many steps to each doubling, from this on, in N s.
pub(super) const IMPULSE_STEPS: f32 = 4.0;
pub(super) const LEAST_IMPULSE: f32 = 1e-4;

/// All contacts of a world.
pub(super) fn contacts_of(world: &World) -> Vec<KeptContact> {
    let motions: Vec<&Motion> = world.bodies().map(|body| body.motion()).collect();
    let poses: Vec<_> = world.bodies().map(|body| body.pose()).collect();
    let is_dynamic: Vec<bool> = world.bodies().map(|body| body.kind() == BodyKind::Dynamic).collect();
    let mut counts = HashMap::new();
    let mut kept = Vec::new();
    for manifold in world.manifolds() {
        let bodies = [manifold.pair.a.body, manifold.pair.b.body].map(|body| body as usize);
        // A page knows which bodies are dynamic, and rides by the same rule.
        let rides_on = bodies.into_iter().find(|body| is_dynamic[*body]).unwrap_or(bodies[1]);
        for contact in manifold.contacts() {
            let place = crate::view::place_of(&motions, manifold, contact);
            let [on_a, on_b] = contact.features.map(crate::view::feature_word);
            let name = [manifold.pair.a.collider, manifold.pair.b.collider, on_a, on_b];
            let count = counts.entry(name).or_insert(0u32);
            let key = [name[0], name[1], name[2], name[3], *count];
            *count += 1;
            kept.push(KeptContact { key, values: rounded(poses[rides_on].point_to_local(place), manifold, contact) });
        }
    }
    kept
}

fn rounded(point: Vec3, manifold: &Manifold, contact: &Contact) -> [i32; VALUES] {
    let step = |value: f32, quantum: f32| (value / quantum).round().clamp(-1e9, 1e9) as i32;
    let [u, v] = octahedral(manifold.normal);
    let impulse = (1.0 + contact.impulse.max(0.0) / LEAST_IMPULSE).log2() * IMPULSE_STEPS;
    [
        step(point.x, POINT_QUANTUM),
        step(point.y, POINT_QUANTUM),
        step(point.z, POINT_QUANTUM),
        step(u, 1.0 / NORMAL_STEPS),
        step(v, 1.0 / NORMAL_STEPS),
        step(contact.depth, DEPTH_QUANTUM),
        step(impulse, 1.0),
    ]
}

/// A unit vector as a point of a square: the octahedron |x| + |y| + |z| = 1 seen along z, its lower half folded out.
fn octahedral(normal: Vec3) -> [f32; 2] {
    let flat = normal / normal.abs().element_sum().max(f32::MIN_POSITIVE);
    if flat.z >= 0.0 {
        [flat.x, flat.y]
    } else {
        [(1.0 - flat.y.abs()).copysign(flat.x), (1.0 - flat.x.abs()).copysign(flat.y)]
    }
}

/// Writes every `stride`th frame's contacts.
pub(super) fn write(frames: &[&[KeptContact]], stride: usize, bytes: &mut Vec<u8>) {
    let mut last: Vec<KeptContact> = Vec::new();
    for frame in frames.iter().step_by(stride.max(1)) {
        let places: HashMap<[u32; 5], usize> =
            frame.iter().enumerate().map(|(place, contact)| (contact.key, place)).collect();
        let gone: Vec<usize> = (0..last.len()).filter(|index| !places.contains_key(&last[*index].key)).collect();
        write_integer(gone.len() as i64, bytes);
        let mut before = 0;
        for index in gone {
            write_integer((index - before) as i64, bytes);
            before = index;
        }
        let known: HashMap<[u32; 5], usize> =
            last.iter().enumerate().map(|(place, contact)| (contact.key, place)).collect();
        let mut now: Vec<KeptContact> = Vec::with_capacity(frame.len());
        let survivors: Vec<&KeptContact> = last.iter().filter(|contact| places.contains_key(&contact.key)).collect();
        now.extend(survivors.iter().map(|contact| frame[places[&contact.key]]));
        // One kind of number after the other: alike stands beside alike.
        for value in 0..VALUES {
            for (then, now) in survivors.iter().zip(&now) {
                write_integer(i64::from(now.values[value]) - i64::from(then.values[value]), bytes);
            }
        }
        let added: Vec<&KeptContact> = frame.iter().filter(|contact| !known.contains_key(&contact.key)).collect();
        write_integer(added.len() as i64, bytes);
        for contact in &added {
            contact.key[..4].iter().for_each(|part| write_integer(i64::from(*part), bytes));
            contact.values.iter().for_each(|value| write_integer(i64::from(*value), bytes));
        }
        now.extend(added.iter().copied());
        last = now;
    }
}

/// What a reader makes of the two numbers of a normal.
#[cfg(test)]
fn unfolded([u, v]: [f32; 2]) -> Vec3 {
    let z = 1.0 - u.abs() - v.abs();
    let (x, y) = if z >= 0.0 { (u, v) } else { ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)) };
    Vec3::new(x, y, z).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_come_back_within_half_a_degree() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut number = || random.f32() * 2.0 - 1.0;
        for _ in 0..2000 {
            let normal = Vec3::new(number(), number(), number()).normalize();
            let rounded = octahedral(normal).map(|part| (part * NORMAL_STEPS).round() / NORMAL_STEPS);
            assert!(unfolded(rounded).angle_between(normal).to_degrees() < 0.5, "{normal}");
        }
        for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            assert!(unfolded(octahedral(normal)).distance(normal) < 1e-6, "{normal}");
        }
    }

    /// A reader as the protocol describes it.
    fn read(mut bytes: &[u8], moments: usize) -> Vec<Vec<([u32; 4], [i32; VALUES])>> {
        let mut integer = || {
            let (mut word, mut shift) = (0u64, 0);
            loop {
                let (first, rest) = bytes.split_first().expect("there is more");
                bytes = rest;
                word |= u64::from(first & 0x7f) << shift;
                shift += 7;
                if first & 0x80 == 0 {
                    break (word >> 1) as i64 ^ -((word & 1) as i64);
                }
            }
        };
        let mut list: Vec<([u32; 4], [i32; VALUES])> = Vec::new();
        let frames = (0..moments).map(|_| {
            let mut index = 0;
            let gone: Vec<usize> = (0..integer())
                .map(|_| {
                    index += integer() as usize;
                    index
                })
                .collect();
            for index in gone.into_iter().rev() {
                list.remove(index);
            }
            for value in 0..VALUES {
                list.iter_mut().for_each(|contact| contact.1[value] += integer() as i32);
            }
            for _ in 0..integer() {
                let key = std::array::from_fn(|_| integer() as u32);
                list.push((key, std::array::from_fn(|_| integer() as i32)));
            }
            list.clone()
        });
        let frames = frames.collect();
        assert!(bytes.is_empty());
        frames
    }

    #[test]
    fn contacts_come_back_as_the_protocol_says() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut frames: Vec<Vec<KeptContact>> = vec![Vec::new()];
        for _ in 0..60 {
            let mut next = frames[frames.len() - 1].clone();
            next.retain(|_| random.u8(..) > 40);
            next.iter_mut().for_each(|contact| contact.values[random.usize(..VALUES)] += random.i32(-3..3));
            for _ in 0..random.usize(..8) {
                let key = [random.u32(..6), random.u32(..6), u32::MAX, random.u32(..4), 0];
                let values = std::array::from_fn(|_| random.i32(-100_000..100_000));
                if next.iter().all(|contact| contact.key != key) {
                    next.insert(random.usize(..=next.len()), KeptContact { key, values });
                }
            }
            frames.push(next);
        }
        let slices: Vec<&[KeptContact]> = frames.iter().map(Vec::as_slice).collect();
        for stride in [1, 4] {
            let mut bytes = Vec::new();
            write(&slices, stride, &mut bytes);
            let kept: Vec<_> = frames.iter().step_by(stride).collect();
            for (read, written) in read(&bytes, kept.len()).iter_mut().zip(kept) {
                let mut expected: Vec<_> = written
                    .iter()
                    .map(|contact| ([0, 1, 2, 3].map(|part| contact.key[part]), contact.values))
                    .collect();
                expected.sort_unstable();
                read.sort_unstable();
                assert_eq!(*read, expected);
            }
        }
    }
}
