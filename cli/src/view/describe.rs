//! The scene as pages draw it: shapes, bodies, and which body has which shape where.

use super::message::{raw, text};
use crate::scene::Camera;
use crate::session::Session;
use crate::surface::Surface;
use carom::body::{BodyKind, BodyRef};
use carom::glam::Vec3;
use carom::pose::LocalPose;
use carom::shape::Shape;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Serialize)]
#[serde(tag = "tell", rename = "scene")]
struct SceneMessage<'a> {
    generation: u32,
    name: &'a str,
    shows: &'a str,
    capabilities: &'a [String],
    dt: f32,
    camera: Option<Camera>,
    kept: [u32; 2],
    shapes: Vec<Box<RawValue>>,
    bodies: Vec<DescribedBody>,
}

#[derive(Serialize)]
struct DescribedBody {
    id: String,
    name: Option<String>,
    kind: BodyKind,
    colliders: Vec<DescribedCollider>,
    center: Vec3,
}

#[derive(Serialize)]
struct DescribedCollider {
    slot: u32,
    shape: u32,
    position: Vec3,
    rotation: [f32; 4],
    sensor: bool,
}

/// The message that describes a session's bodies, under a name.
pub(crate) fn scene_message(session: &Session, name: &str, generation: u32) -> String {
    let scene = session.scene();
    let mut shapes = Shapes::default();
    let bodies = session.world().bodies().enumerate();
    let bodies = bodies.map(|(index, body)| described(body, session.name(index), &mut shapes)).collect();
    text(&SceneMessage {
        generation,
        name,
        shows: &scene.shows,
        capabilities: &scene.capabilities,
        dt: scene.dt,
        camera: scene.camera,
        kept: session.kept(),
        shapes: shapes.list,
        bodies,
    })
}

fn described(body: BodyRef<'_>, name: Option<String>, shapes: &mut Shapes) -> DescribedBody {
    let mut colliders = Vec::new();
    for (slot, collider) in body.slots().iter().zip(body.shapes()) {
        each_part(&collider.shape, &collider.pose_in_body, &mut |shape, pose| {
            colliders.push(DescribedCollider {
                slot: *slot,
                shape: shapes.index_of(shape),
                position: pose.position,
                rotation: pose.rotation.to_array(),
                sensor: collider.is_sensor,
            });
        });
    }
    let center = body.rotation().inverse() * (body.center_of_mass() - body.position()).as_vec3();
    DescribedBody { id: body.id().to_string(), name, kind: body.kind(), colliders, center }
}

/// A shape, or the parts of a compound one by one.
pub(crate) fn each_part(shape: &Shape, pose: &LocalPose, visit: &mut impl FnMut(&Shape, &LocalPose)) {
    if let Shape::Compound(compound) = shape {
        for part in compound.parts() {
            each_part(&part.shape, &pose.compose(&part.pose), visit);
        }
    } else {
        visit(shape, pose);
    }
}

/// Shapes that were met, each once.
#[derive(Default)]
struct Shapes {
    list: Vec<Box<RawValue>>,
    index: HashMap<String, u32>,
}

impl Shapes {
    fn index_of(&mut self, shape: &Shape) -> u32 {
        let next = self.list.len() as u32;
        *self.index.entry(key_of(shape)).or_insert_with(|| {
            self.list.push(drawable(shape));
            next
        })
    }
}

/// The same for shapes that look the same.
pub(crate) fn key_of(shape: &Shape) -> String {
    match shape {
        // Large: known by where they are.
        Shape::Mesh(mesh) => format!("mesh {:p}", Arc::as_ptr(mesh)),
        Shape::HeightField(field) => format!("field {:p}", Arc::as_ptr(field)),
        Shape::Custom(custom) => format!("custom {:p}", Arc::as_ptr(custom)),
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Hull(_)
        | Shape::HalfSpace(_)
        | Shape::Compound(_) => serde_json::to_string(shape).unwrap_or_default(),
    }
}

/// Where a shape is in the list of the scene's message.
pub(crate) fn shape_index(session: &Session, shape: &Shape) -> Option<u32> {
    let mut shapes = Shapes::default();
    for body in session.world().bodies() {
        described(body, None, &mut shapes);
    }
    shapes.index.get(&key_of(shape)).copied()
}

#[derive(Serialize)]
struct SurfaceForm {
    surface: SurfaceFields,
}

#[derive(Serialize)]
struct SurfaceFields {
    vertices: Vec<f32>,
    triangles: Vec<u32>,
    edges: Vec<u32>,
    radius: f32,
    kind: &'static str,
}

/// A shape in the library's own form if a page can draw that, else as triangles.
pub(crate) fn drawable(shape: &Shape) -> Box<RawValue> {
    let (kind, radius) = match shape {
        Shape::Hull(hull) => ("hull", hull.radius()),
        Shape::Cuboid(cuboid) if cuboid.radius() > 0.0 => ("cuboid", cuboid.radius()),
        Shape::Triangle(triangle) if triangle.radius() > 0.0 => ("triangle", triangle.radius()),
        Shape::Mesh(_) => ("mesh", 0.0),
        Shape::HeightField(_) => ("height_field", 0.0),
        Shape::Custom(_) => ("custom", 0.0),
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::HalfSpace(_)
        | Shape::Compound(_) => return raw(shape),
    };
    let surface = Surface::of(shape).unwrap_or_default();
    raw(&SurfaceForm {
        surface: SurfaceFields {
            vertices: surface.vertices.iter().flat_map(|vertex| vertex.to_array()).collect(),
            triangles: surface.triangles.concat(),
            edges: surface.edges.concat(),
            radius,
            kind,
        },
    })
}
