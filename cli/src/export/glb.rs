//! An animated glTF 2.0 in one binary file: a node for each body, a mesh for each shape, and linear key frames.
//!
//! A `.glb` is a header, a chunk of JSON and a chunk of bytes that the JSON points into:
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>. Half-spaces are drawn as large squares.

use super::tracks::Tracks;
use crate::session::Session;
use crate::surface::Surface;
use crate::view::{each_part, key_of};
use carom::body::BodyKind;
use carom::glam::{Quat, Vec3};
use carom::pose::LocalPose;
use carom::shape::Shape;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Half the side of the square that stands for a half-space, in m.
const GROUND: f32 = 50.0;

/// The bytes of the file.
pub(super) fn file(session: &Session, tracks: &Tracks) -> io::Result<Vec<u8>> {
    let mut builder = Builder::default();
    let mut roots = Vec::new();
    let times: Vec<f32> = (0..tracks.frames.len()).map(|index| index as f32 * tracks.seconds_per_frame).collect();
    let times = if times.len() > 1 { Some(builder.scalars(&times)) } else { None };
    for (index, (body, track)) in session.world().bodies().zip(&tracks.bodies).enumerate() {
        let mut parts = Vec::new();
        for collider in body.shapes().filter(|collider| !collider.is_sensor) {
            each_part(&collider.shape, &collider.pose_in_body, &mut |shape, pose| {
                if let Some(mesh) = builder.mesh(shape, body.kind()) {
                    parts.push(builder.node(mesh, pose));
                }
            });
        }
        let (Some(position), Some(rotation)) = (track.positions.first(), track.rotations.first()) else { continue };
        let name = session.name(index).unwrap_or_else(|| format!("body {index}"));
        let mut node = json!({
            "name": name,
            "translation": position.to_array(),
            "rotation": rotation.normalize().to_array(),
        });
        if !parts.is_empty() {
            node["children"] = json!(parts);
        }
        let node = builder.push_node(node);
        roots.push(node);
        if let (Some(times), false) = (times, track.is_still()) {
            let translation = builder.vectors(&track.positions);
            let rotation = builder.quaternions(&track.rotations);
            builder.animate(node, "translation", times, translation);
            builder.animate(node, "rotation", times, rotation);
        }
    }
    builder.finish(&session.scene().name, &roots)
}

/// The parts of a file as they come.
#[derive(Default)]
struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    mesh_of: HashMap<String, Option<usize>>,
}

impl Builder {
    /// The mesh of a shape for a kind of body; none for what has no surface.
    fn mesh(&mut self, shape: &Shape, kind: BodyKind) -> Option<usize> {
        let key = format!("{kind:?} {}", key_of(shape));
        if let Some(known) = self.mesh_of.get(&key) {
            return *known;
        }
        let surface = if let Shape::HalfSpace(half_space) = shape {
            Some(ground(half_space.normal()))
        } else {
            Surface::of(shape)
        };
        let mesh = surface.filter(|surface| !surface.triangles.is_empty()).map(|surface| {
            let (places, normals) = flat_shaded(&surface);
            let position = self.vectors(&places);
            let normal = self.vectors(&normals);
            let indices: Vec<u32> = (0..places.len() as u32).collect();
            let indices = self.indices(&indices);
            let primitive = json!({
                "attributes": { "POSITION": position, "NORMAL": normal },
                "indices": indices,
                "material": material(kind),
            });
            self.meshes.push(json!({ "name": shape.kind().to_string(), "primitives": [primitive] }));
            self.meshes.len() - 1
        });
        self.mesh_of.insert(key, mesh);
        mesh
    }

    fn node(&mut self, mesh: usize, pose: &LocalPose) -> usize {
        self.push_node(json!({
            "mesh": mesh,
            "translation": pose.position.to_array(),
            "rotation": pose.rotation.normalize().to_array(),
        }))
    }

    fn push_node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn animate(&mut self, node: usize, path: &str, times: usize, values: usize) {
        self.samplers.push(json!({ "input": times, "output": values, "interpolation": "LINEAR" }));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn scalars(&mut self, values: &[f32]) -> usize {
        let bounds = values.iter().fold((f32::MAX, f32::MIN), |(min, max), value| (min.min(*value), max.max(*value)));
        let view = self.view(values.iter().flat_map(|value| value.to_le_bytes()), None);
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": "SCALAR",
            "min": [bounds.0], "max": [bounds.1],
        }))
    }

    fn vectors(&mut self, values: &[Vec3]) -> usize {
        let start = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
        let (min, max) = values.iter().fold(start, |(min, max), value| (min.min(*value), max.max(*value)));
        let view = self.view(values.iter().flat_map(|value| value.to_array()).flat_map(f32::to_le_bytes), None);
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": "VEC3",
            "min": min.to_array(), "max": max.to_array(),
        }))
    }

    fn quaternions(&mut self, values: &[Quat]) -> usize {
        let parts = values.iter().flat_map(|value| value.normalize().to_array()).flat_map(f32::to_le_bytes);
        let view = self.view(parts, None);
        self.accessor(json!({ "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": "VEC4" }))
    }

    fn indices(&mut self, values: &[u32]) -> usize {
        let view = self.view(values.iter().flat_map(|value| value.to_le_bytes()), Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(
            json!({ "bufferView": view, "componentType": UNSIGNED_INT, "count": values.len(), "type": "SCALAR" }),
        )
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn finish(self, name: &str, roots: &[usize]) -> io::Result<Vec<u8>> {
        let materials = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic].map(described_material);
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("carom ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": name, "nodes": roots }],
            "nodes": self.nodes,
            "materials": materials,
        });
        // Lists may be absent but not empty.
        for (key, list) in [("meshes", self.meshes), ("accessors", self.accessors), ("bufferViews", self.views)] {
            if !list.is_empty() {
                document[key] = Value::Array(list);
            }
        }
        if !self.bytes.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        }
        if !self.channels.is_empty() {
            document["animations"] = json!([{ "name": name, "channels": self.channels, "samplers": self.samplers }]);
        }
        let text = serde_json::to_vec(&document)?;
        container(text, self.bytes)
    }
}

/// The header and the two chunks.
fn container(mut text: Vec<u8>, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    text.resize(text.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let too_large = |_| io::Error::other("a .glb is at most 4 GiB");
    let length = 12 + 8 + text.len() + if bytes.is_empty() { 0 } else { 8 + bytes.len() };
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend(u32::try_from(length).map_err(too_large)?.to_le_bytes());
    for (kind, chunk) in [(b"JSON", text), (b"BIN\0", bytes)] {
        if !chunk.is_empty() {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
    }
    Ok(file)
}

/// Each triangle with corners of its own, so that edges are sharp.
fn flat_shaded(surface: &Surface) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut places = Vec::with_capacity(3 * surface.triangles.len());
    let mut normals = Vec::with_capacity(places.capacity());
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|corner| surface.vertices[corner as usize]);
        // One without an area has no normal, and is not seen.
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        places.extend([a, b, c]);
        normals.extend([normal; 3]);
    }
    (places, normals)
}

fn ground(normal: Vec3) -> Surface {
    let (across, along) = normal.any_orthonormal_pair();
    let corner = |u: f32, v: f32| (across * u + along * v) * GROUND;
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let is_up = (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]).dot(normal) > 0.0;
    let triangles = if is_up { vec![[0, 1, 2], [0, 2, 3]] } else { vec![[0, 2, 1], [0, 3, 2]] };
    Surface { vertices, triangles, edges: Vec::new() }
}

fn material(kind: BodyKind) -> usize {
    match kind {
        BodyKind::Fixed => 0,
        BodyKind::Kinematic => 1,
        BodyKind::Dynamic => 2,
    }
}

fn described_material(kind: BodyKind) -> Value {
    let (name, colour) = match kind {
        BodyKind::Fixed => ("fixed", [0.6, 0.6, 0.62, 1.0]),
        BodyKind::Kinematic => ("kinematic", [0.9, 0.62, 0.0, 1.0]),
        BodyKind::Dynamic => ("dynamic", [0.34, 0.71, 0.91, 1.0]),
    };
    json!({
        "name": name,
        "pbrMetallicRoughness": { "baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.8 },
        "doubleSided": true,
    })
}
