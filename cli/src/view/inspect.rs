//! All there is to know of one body.

use super::message::text;
use super::overlay::{motions, place_of};
use crate::session::Session;
use carom::body::BodyKind;
use carom::narrow::{Feature, FeatureKind};
use serde::Serialize;

#[derive(Serialize)]
#[serde(tag = "tell", rename = "inspect")]
struct Inspected {
    body: u32,
    id: String,
    name: Option<String>,
    kind: BodyKind,
    mass: Option<f32>,
    position: [f64; 3],
    rotation: [f32; 4],
    velocity: [f32; 3],
    angular_velocity: [f32; 3],
    asleep: bool,
    island: Option<u32>,
    colliders: Vec<InspectedCollider>,
    contacts: Vec<InspectedContact>,
    /// Sensors, each with what is in it: those of the body, and those that it is in.
    sensed: Vec<Sensed>,
}

/// Slots of shapes.
#[derive(Serialize)]
struct Sensed {
    sensor: u32,
    other: u32,
}

#[derive(Serialize)]
struct InspectedCollider {
    slot: u32,
    shape: String,
    friction: f32,
    restitution: f32,
    /// Bodies know their mass only.
    density: Option<f32>,
    sensor: bool,
}

#[derive(Serialize)]
struct InspectedContact {
    slots: [u32; 2],
    point: [f64; 3],
    normal: [f32; 3],
    depth: f32,
    impulse: f32,
    features: [String; 2],
}

/// The message about a body; the error says that there is none.
pub(super) fn message(session: &Session, index: u32) -> Result<String, String> {
    let world = session.world();
    let body = world.bodies().nth(index as usize).ok_or_else(|| format!("there is no body {index}"))?;
    let colliders = body.slots().iter().zip(body.shapes()).map(|(slot, collider)| InspectedCollider {
        slot: *slot,
        shape: collider.shape.kind().to_string(),
        friction: collider.material.friction,
        restitution: collider.material.restitution,
        density: None,
        sensor: collider.is_sensor,
    });
    let motions = motions(world);
    let of_body = world.manifolds().filter(|found| [found.pair.a.body, found.pair.b.body].contains(&index));
    let motions = &motions;
    let contacts = of_body.flat_map(|manifold| {
        manifold.contacts().iter().map(move |contact| InspectedContact {
            slots: [manifold.pair.a.collider, manifold.pair.b.collider],
            point: place_of(motions, manifold, contact).to_array(),
            normal: manifold.normal.to_array(),
            depth: contact.depth,
            impulse: contact.impulse,
            features: contact.features.map(feature_name),
        })
    });
    let is_own = |slot: u32| body.slots().contains(&slot);
    let is_sensor = |slot: u32| world.shapes().any(|shape| shape.slot == slot && shape.collider.is_sensor);
    let sensed = world.met().filter(|met| met.is_sensor && met.is_touching).filter_map(|met| {
        let (a, b) = (met.pair.a, met.pair.b);
        let (sensor, other) = if is_sensor(a) { (a, b) } else { (b, a) };
        (is_own(a) || is_own(b)).then_some(Sensed { sensor, other })
    });
    Ok(text(&Inspected {
        body: index,
        id: body.id().to_string(),
        name: session.name(index as usize),
        kind: body.kind(),
        mass: body.mass(),
        position: body.position().to_array(),
        rotation: body.rotation().to_array(),
        velocity: body.velocity().to_array(),
        angular_velocity: body.angular_velocity().to_array(),
        asleep: body.is_asleep(),
        island: world.islands().get(index as usize).copied().flatten(),
        colliders: colliders.collect(),
        contacts: contacts.collect(),
        sensed: sensed.collect(),
    }))
}

/// A feature in words.
pub(crate) fn feature_name(feature: Feature) -> String {
    match feature.kind() {
        FeatureKind::Surface => "surface".to_string(),
        FeatureKind::Vertex => format!("vertex {}", feature.index()),
        FeatureKind::Edge => format!("edge {}", feature.index()),
        FeatureKind::Face => format!("face {}", feature.index()),
    }
}
