//! What the world used of a pair in its last step, beside the same contact found anew.
//!
//! A step finds contacts where bodies are when it begins. It keeps what it can of the step before: points while a pair hardly
//! moves, places and normals while points stay near. So the contact that pushed is not always the one that a question asked
//! from nothing gives. To tell them apart, a world of the two bodies alone, which has nothing to keep, takes a step from the
//! poses that the last step saw; where its points differ by more than keeping allows, that is said.

use super::pieces::Piece;
use super::{SeenPose, seen_pose};
use crate::session::Session;
use crate::view::feature_name;
use carom::body::{Body, BodyKind, BodyRef};
use carom::glam::{DVec3, Mat3, Vec3};
use carom::mass::MassProperties;
use carom::narrow::{Contact, Manifold};
use carom::pose::Pose;
use carom::world::{Continuous, World};
use serde::Serialize;

/// Both contacts, in the frame in which the first piece was when the step began.
#[derive(Serialize)]
pub(super) struct Used {
    /// Where the second piece was then.
    b: SeenPose,
    /// Patch by patch: what the world had in its last step, and what there is anew.
    world: Vec<Patch>,
    anew: Vec<Patch>,
    pub(super) differs: bool,
    pub(super) says: String,
}

#[derive(Debug, Clone, Serialize)]
struct Patch {
    /// Which parts of compounds.
    parts: [u32; 2],
    normal: Vec3,
    /// Whether the points act where they did in the step before.
    held: bool,
    points: Vec<UsedPoint>,
    /// About how far the smaller part reaches.
    #[serde(skip)]
    size: f32,
}

#[derive(Debug, Clone, Serialize)]
struct UsedPoint {
    position: Vec3,
    depth: f32,
    impulse: f32,
    features: [String; 2],
}

/// What keeping may change, as shares of the smaller part's size, which count up to a metre: depths are measured anew, places
/// are held up to 1 % of an arm, and points are moved along for as long.
const DEPTH_SHARE: f32 = 3e-3;
const PLACE_SHARE: f32 = 0.02;
/// And normals are held up to 1.8°.
const MOST_TURN: f32 = 2.0;

/// One of the two bodies when the step began.
struct Side<'w> {
    slot: u32,
    body: BodyRef<'w>,
    pose: Pose,
}

/// None if no step has led here, or none in one piece; or if neither found a contact.
pub(super) fn look(session: &Session, slots: [u32; 2], [a, b]: [&Piece; 2]) -> Option<Used> {
    if matches!(session.scene().settings.continuous, Continuous::Substeps(_) | Continuous::Adaptive) {
        return None;
    }
    let world = session.world();
    let side = |slot: u32, piece: &Piece| {
        let shape = world.shapes().find(|shape| shape.slot == slot)?;
        let pose = session.before().pose(piece.body)?;
        (!shape.collider.is_sensor).then_some(Side { slot, body: shape.body, pose })
    };
    let sides = [side(slots[0], a)?, side(slots[1], b)?];
    let (from, to) = (sides[0].pose.compose(&a.in_body), sides[1].pose.compose(&b.in_body));
    let patches = |world: &World, sides: &[Side<'_>; 2]| -> Vec<Patch> {
        world.manifolds().filter_map(|manifold| patch(manifold, sides, &from)).collect()
    };
    let used = patches(world, &sides);
    let alone = alone(session, &sides)?;
    let mut bodies = alone.bodies();
    let [first, second] = [bodies.next()?, bodies.next()?];
    // Slots count in the order in which bodies were added.
    let is_swapped = slots[0] > slots[1];
    let (bodies, slots) = if is_swapped { ([second, first], [1, 0]) } else { ([first, second], [0, 1]) };
    let [pose_a, pose_b] = [sides[0].pose, sides[1].pose];
    let [body_a, body_b] = bodies;
    let sides =
        [Side { slot: slots[0], body: body_a, pose: pose_a }, Side { slot: slots[1], body: body_b, pose: pose_b }];
    let anew = patches(&alone, &sides);
    if used.is_empty() && anew.is_empty() {
        return None;
    }
    let (differs, says) = compared(&used, &anew);
    Some(Used { b: seen_pose(Pose::b_in_a(&from, &to)), world: used, anew, differs, says })
}

/// The two bodies with nothing else, after a step from where they were; none if neither can be moved.
fn alone(session: &Session, sides: &[Side<'_>; 2]) -> Option<World> {
    let solver = session.world().solver();
    let builder = session.scene().settings.builder().gravity([0.0; 3]).solver(solver);
    let mut world = builder.continuous(Continuous::Off).sleeping(false).threads(1).build().ok()?;
    let [a, b] = sides;
    for side in if a.slot < b.slot { [a, b] } else { [b, a] } {
        let place = side.body.slots().iter().position(|slot| *slot == side.slot)?;
        let collider = side.body.shapes().nth(place)?;
        let weight = MassProperties { mass: 1.0, center_of_mass: Vec3::ZERO, inertia: Mat3::IDENTITY };
        let body = match side.body.kind() {
            BodyKind::Dynamic => Body::dynamic().mass_properties(weight),
            BodyKind::Fixed | BodyKind::Kinematic => Body::fixed(),
        };
        world.add(body.pose(side.pose).shape_at(collider.pose_in_body, collider.shape.clone())).ok()?;
    }
    world.step(session.scene().dt).ok()?;
    Some(world)
}

/// A manifold of the two, in the frame at `from`; none if it is of others.
fn patch(manifold: &Manifold, [a, b]: &[Side<'_>; 2], from: &Pose) -> Option<Patch> {
    let (first, second) = (manifold.pair.a, manifold.pair.b);
    let is_swapped = match [first.collider, second.collider] {
        slots if slots == [a.slot, b.slot] => false,
        slots if slots == [b.slot, a.slot] => true,
        _ => return None,
    };
    let in_order = |[one, other]: [u32; 2]| if is_swapped { [other, one] } else { [one, other] };
    let point = |contact: &Contact| {
        let (arm_a, arm_b) = if is_swapped { (contact.arm_b, contact.arm_a) } else { (contact.arm_a, contact.arm_b) };
        let mut features = contact.features.map(feature_name);
        if is_swapped {
            features.reverse();
        }
        let ends = [(a, arm_a), (b, arm_b)].map(|(side, arm)| side.center() + arm.as_dvec3());
        let place = match [a, b].map(|side| side.body.motion().is_movable()) {
            [false, _] => ends[0],
            [true, false] => ends[1],
            [true, true] => ends[0].midpoint(ends[1]),
        };
        UsedPoint { position: from.point_to_local(place), depth: contact.depth, impulse: contact.impulse, features }
    };
    let normal = from.rotation.inverse() * manifold.normal;
    Some(Patch {
        parts: in_order([first.part, second.part]),
        normal: if is_swapped { -normal } else { normal },
        held: manifold.is_held(),
        points: manifold.contacts().iter().map(point).collect(),
        size: manifold.size,
    })
}

impl Side<'_> {
    /// Its centre of mass when the step began.
    fn center(&self) -> DVec3 {
        let in_body = self.body.rotation().inverse() * (self.body.center_of_mass() - self.body.position()).as_vec3();
        self.pose.position + (self.pose.rotation * in_body).as_dvec3()
    }
}

/// Whether the two differ by more than keeping allows, and how, in a sentence.
fn compared(used: &[Patch], anew: &[Patch]) -> (bool, String) {
    let size = used.iter().chain(anew).map(|patch| patch.size).fold(1.0, f32::min);
    let points = |patches: &[Patch]| -> Vec<(Patch, UsedPoint)> {
        let each = |patch: &Patch| patch.points.iter().map(|point| (patch.clone(), point.clone())).collect::<Vec<_>>();
        patches.iter().flat_map(each).collect()
    };
    let (used, mut left) = (points(used), points(anew));
    let (mut same, mut missing) = (0, Vec::new());
    let (mut depth, mut place, mut turn) = (0.0f32, 0.0f32, 0.0f32);
    for (patch, point) in &used {
        let is_same = |(other_patch, other): &(Patch, UsedPoint)| {
            other_patch.parts == patch.parts && other.features == point.features
        };
        // Of several with the same features, the nearest.
        let away = |other: &UsedPoint| other.position.distance(point.position);
        let known = (0..left.len()).filter(|index| is_same(&left[*index]));
        match known.min_by(|one, other| away(&left[*one].1).total_cmp(&away(&left[*other].1))) {
            Some(index) => {
                let (other_patch, other) = left.swap_remove(index);
                same += 1;
                depth = depth.max((other.depth - point.depth).abs());
                place = place.max(away(&other));
                turn = turn.max(other_patch.normal.angle_between(patch.normal).to_degrees());
            }
            None => missing.push(point.clone()),
        }
    }
    // What is just not touching may be there or not.
    let counts = |point: &UsedPoint| point.depth > DEPTH_SHARE * size;
    missing.retain(counts);
    let added: Vec<UsedPoint> = left.into_iter().map(|(_, point)| point).filter(counts).collect();
    let listed =
        |points: &[UsedPoint]| points.iter().map(|point| point.features.join(" on ")).collect::<Vec<_>>().join(", ");
    let mut unlike = Vec::new();
    if !missing.is_empty() {
        unlike.push(format!("{} not found anew ({})", counted(missing.len()), listed(&missing)));
    }
    if !added.is_empty() {
        unlike.push(format!("{} found anew only ({})", counted(added.len()), listed(&added)));
    }
    if depth > DEPTH_SHARE * size {
        unlike.push(format!("depths {:.2} mm apart", depth * 1e3));
    }
    if place > PLACE_SHARE * size {
        unlike.push(format!("places {:.1} mm apart", place * 1e3));
    }
    if turn > MOST_TURN {
        unlike.push(format!("normals {turn:.1}° apart"));
    }
    if unlike.is_empty() {
        let within = format!("depths within {:.3} mm, places within {:.2} mm", depth * 1e3, place * 1e3);
        return (
            false,
            format!("the same: {} with the same features, {within}, normals within {turn:.2}°", counted(same)),
        );
    }
    (true, format!("not the same: {}", unlike.join("; ")))
}

fn counted(points: usize) -> String {
    if points == 1 { "1 point".to_string() } else { format!("{points} points") }
}

impl Used {
    /// For a person.
    pub(super) fn table(&self) -> String {
        let mut text = format!("last step beside found anew: {}\n", self.says);
        for (who, patches) in [("used", &self.world), ("anew", &self.anew)] {
            for (patch, point) in patches.iter().flat_map(|patch| patch.points.iter().map(move |point| (patch, point)))
            {
                let held = if patch.held { "  held" } else { "" };
                let UsedPoint { position, depth, impulse, features } = point;
                text += &format!(
                    "{who} {position:.6}  depth {depth:.6}  impulse {impulse:.6}  {}{held}\n",
                    features.join(" on ")
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch_of(depths: &[f32]) -> Patch {
        let point = |(index, depth): (usize, &f32)| UsedPoint {
            position: Vec3::X * index as f32,
            depth: *depth,
            impulse: 1.0,
            features: [format!("vertex {index}"), "face 0".to_string()],
        };
        Patch {
            parts: [0, 0],
            normal: Vec3::Y,
            held: false,
            points: depths.iter().enumerate().map(point).collect(),
            size: 0.5,
        }
    }

    #[test]
    fn every_difference_is_told() {
        let used = patch_of(&[0.01, 0.02]);
        let compared = |anew: Patch| compared(std::slice::from_ref(&used), &[anew]);
        assert!(!compared(used.clone()).0);
        // Gaps may come and go.
        assert!(!compared(patch_of(&[0.01, 0.02, -0.001])).0);
        let mut turned = used.clone();
        turned.normal = Vec3::new(0.1, 1.0, 0.0).normalize();
        let mut moved = used.clone();
        moved.points[1].position.z += 0.02;
        let mut part = used.clone();
        part.parts = [0, 3];
        for (wrong, how) in [
            (patch_of(&[0.01, 0.03]), "depths"),
            (patch_of(&[0.01]), "not found anew"),
            (patch_of(&[0.01, 0.02, 0.02]), "found anew only"),
            (turned, "normals"),
            (moved, "places"),
            (part, "not found anew"),
        ] {
            let (differs, says) = compared(wrong);
            assert!(differs && says.contains(how), "{says}");
        }
    }
}
