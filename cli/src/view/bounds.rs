//! The library's bounding volumes around the shapes of a scene (S5), as lines in the frames of the shapes.
//!
//! A volume is fitted once to each shape in the shape's own frame and moves with it, as it would in a program that uses it.

use super::describe::key_of;
use super::message::text;
use super::wires::{Wires, turned};
use crate::session::Session;
use carom::body::{BodyKind, ShapeRef};
use carom::bounds::{
    BoundingCapsule, BoundingCylinder, BoundingEllipsoid, BoundingHull, BoundingSphere, BoundingVolume, BoundsError,
    Kdop, OrientedBox,
};
use carom::glam::Vec3;
use carom::pose::LocalPose;
use carom::shape::{ConvexHull, Shape};
use serde::Serialize;
use std::collections::HashMap;

/// So many different shapes are bounded: to fit a volume takes its time.
const MOST_SHAPES: usize = 400;

/// A kind of volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Volume {
    Sphere,
    Capsule,
    OrientedBox,
    Kdop,
    Cylinder,
    Ellipsoid,
    Hull,
}

#[derive(Serialize)]
#[serde(tag = "tell", rename = "bounds")]
struct Message {
    generation: u32,
    volume: &'static str,
    #[serde(flatten)]
    fitted: Fitted,
}

/// A volume around each shape.
#[derive(Serialize)]
pub(crate) struct Fitted {
    /// Of each different shape, in its frame: two points for each line.
    pub(crate) shapes: Vec<Vec<f32>>,
    pub(crate) colliders: Vec<BoundedCollider>,
}

/// Which of the shapes a collider has, and where on its body.
#[derive(Serialize)]
pub(crate) struct BoundedCollider {
    pub(crate) body: u32,
    pub(crate) shape: u32,
    pub(crate) position: [f32; 3],
    pub(crate) rotation: [f32; 4],
}

/// The shapes of what moves, to be bounded elsewhere.
pub(crate) struct Question {
    generation: u32,
    colliders: Vec<(u32, Shape, LocalPose)>,
}

impl Question {
    pub(crate) fn of(session: &Session, generation: u32) -> Self {
        let moving = session.world().shapes().filter(|shape| shape.body.kind() != BodyKind::Fixed);
        let collider =
            |shape: ShapeRef<'_>| (shape.collider.body, shape.collider.shape.clone(), shape.collider.pose_in_body);
        Self { generation, colliders: moving.map(collider).collect() }
    }

    /// The message that answers it.
    pub(super) fn answer(&self, volume: Volume) -> String {
        text(&Message { generation: self.generation, volume: volume.name(), fitted: self.fitted(volume) })
    }

    /// The volume around each of the shapes.
    pub(crate) fn fitted(&self, volume: Volume) -> Fitted {
        let (mut shapes, mut colliders) = (Vec::new(), Vec::new());
        let mut known: HashMap<String, u32> = HashMap::new();
        for (body, shape, pose) in &self.colliders {
            let next = shapes.len() as u32;
            let index = *known.entry(key_of(shape)).or_insert(next);
            if index == next {
                if shapes.len() == MOST_SHAPES {
                    break;
                }
                // What has no bounds is drawn without.
                let wires = volume.around(shape).unwrap_or_default();
                shapes.push(wires.0.iter().flatten().flat_map(|end| end.to_array().map(short)).collect());
            }
            let (position, rotation) = (pose.position.to_array(), pose.rotation.to_array());
            colliders.push(BoundedCollider { body: *body, shape: index, position, rotation });
        }
        Fitted { shapes, colliders }
    }
}

/// To a tenth of a millimetre: nobody sees more.
fn short(value: f32) -> f32 {
    (value * 1e4).round() / 1e4
}

impl Volume {
    pub(crate) const ALL: [Self; 7] =
        [Self::Sphere, Self::Capsule, Self::OrientedBox, Self::Kdop, Self::Cylinder, Self::Ellipsoid, Self::Hull];

    /// What pages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Capsule => "capsule",
            Self::OrientedBox => "oriented box",
            Self::Kdop => "k-dop",
            Self::Cylinder => "cylinder",
            Self::Ellipsoid => "ellipsoid",
            Self::Hull => "hull",
        }
    }

    /// Its outline around a shape.
    fn around(self, shape: &Shape) -> Result<Wires, BoundsError> {
        let mut wires = Wires::default();
        match self {
            Self::Sphere => {
                let found = BoundingSphere::around_shape(shape)?;
                wires.sphere(found.center(), found.radius());
            }
            Self::Capsule => {
                let found = BoundingCapsule::around_shape(shape)?;
                wires.capsule(found.ends(), found.radius());
            }
            Self::OrientedBox => {
                let found = OrientedBox::around_shape(shape)?;
                wires.cuboid(found.center(), turned(found.rotation(), found.half_extents()));
            }
            Self::Kdop => {
                if let Some(hull) = polytope(&Kdop::around_shape(shape)?) {
                    wires.hull(&hull, &LocalPose::IDENTITY, 0.0);
                }
            }
            Self::Cylinder => {
                let found = BoundingCylinder::around_shape(shape)?;
                let (center, up) = (found.center(), found.axis() * found.half_height());
                wires.cylinder([center - up, center + up], found.axis(), found.radius());
            }
            Self::Ellipsoid => {
                let found = BoundingEllipsoid::around_shape(shape)?;
                wires.ellipsoid(found.center(), turned(found.rotation(), found.radii()));
            }
            Self::Hull => {
                let found = BoundingHull::around_shape(shape)?;
                wires.hull(found.hull(), &found.pose(), found.margin());
            }
        }
        Ok(wires)
    }
}

/// The polytope of a 14-DOP: all points in which three of its planes meet and that no other cuts off.
fn polytope(kdop: &Kdop<14>) -> Option<ConvexHull> {
    let planes: Vec<(Vec3, f32)> = kdop
        .intervals()
        .enumerate()
        .flat_map(|(index, (least, greatest))| {
            let direction = Kdop::<14>::direction(index);
            [(direction, greatest), (-direction, -least)]
        })
        .collect();
    let size = planes.iter().map(|(_, reach)| reach.abs()).fold(0.0, f32::max);
    let mut corners = Vec::new();
    for (first, a) in planes.iter().enumerate() {
        for (second, b) in planes.iter().enumerate().skip(first + 1) {
            for c in &planes[second + 1..] {
                let [bc, ca, ab] = [b.0.cross(c.0), c.0.cross(a.0), a.0.cross(b.0)];
                let volume = a.0.dot(bc);
                if volume.abs() < 1e-3 {
                    continue;
                }
                let corner = (bc * a.1 + ca * b.1 + ab * c.1) / volume;
                if planes.iter().all(|(direction, reach)| direction.dot(corner) <= reach + 1e-5 * size) {
                    corners.push(corner);
                }
            }
        }
    }
    ConvexHull::new(&corners).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;
    use carom::bounds::Aabb;

    /// In the scene that shows bounds every volume of every shape is drawn, and what is drawn encloses the shape: along any
    /// direction it reaches as far, but for what straight pieces cut off a circle.
    #[test]
    fn every_volume_encloses_every_shape() {
        let scene = scene::find("bounds").expect("the scene is known");
        let world = scene.world().expect("the scene is sound");
        let session = Session::new(scene, world);
        let question = Question::of(&session, 0);
        assert!(question.colliders.len() >= 8);
        for volume in Volume::ALL {
            for (_, shape, _) in &question.colliders {
                let wires = volume.around(shape).unwrap_or_else(|error| panic!("{volume:?} {shape:?}: {error}"));
                assert!(wires.0.len() >= 9, "{volume:?} {shape:?}: {} lines", wires.0.len());
                let bounds = Aabb::around_shape(shape).expect("a box");
                let points = || wires.0.iter().flatten();
                let max = points().fold(Vec3::NEG_INFINITY, |most, point| most.max(*point));
                let min = points().fold(Vec3::INFINITY, |least, point| least.min(*point));
                let slack = 0.03 * bounds.half_extents().max_element();
                assert!((max + slack).cmpge(bounds.max).all(), "{volume:?} {shape:?}: {max} and {}", bounds.max);
                assert!((min - slack).cmple(bounds.min).all(), "{volume:?} {shape:?}: {min} and {}", bounds.min);
            }
            let told: serde_json::Value = serde_json::from_str(&question.answer(volume)).expect("JSON");
            assert_eq!(told["volume"], volume.name());
            assert_eq!(told["colliders"].as_array().map(Vec::len), Some(question.colliders.len()));
        }
    }
}
