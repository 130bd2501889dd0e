//! Scenes in Box3D, behind a safe face.

use crate::Engine;
use box3d_sys as raw;
use carom_bench_scenes::glam::{Quat, Vec3};
use carom_bench_scenes::{BOUNCE_THRESHOLD, Body, Kind, SUBSTEPS, Scene, Shape, State};
use std::ffi::c_int;
use std::ptr;

pub struct World {
    world: raw::b3WorldId,
    dynamic: Vec<raw::b3BodyId>,
    /// Bodies refer to them, so they go last.
    _shapes: Vec<Made>,
}

impl Engine for World {
    fn new(scene: &Scene, threads: usize) -> Result<Self, String> {
        let shapes = scene.shapes.iter().map(Made::new).collect::<Result<Vec<_>, _>>()?;
        // SAFETY: the definition is Box3D's own with sound values; the world is destroyed once, on drop.
        let world = unsafe {
            let mut definition = raw::b3DefaultWorldDef();
            definition.gravity = vector(scene.gravity);
            definition.enableSleep = false;
            definition.enableContinuous = scene.is_swept;
            definition.workerCount = threads as u32;
            definition.restitutionThreshold = BOUNCE_THRESHOLD;
            raw::b3CreateWorld(&definition)
        };
        let mut built = Self { world, dynamic: Vec::new(), _shapes: shapes };
        for body in &scene.bodies {
            built.add(scene, body);
        }
        Ok(built)
    }

    fn step(&mut self, dt: f32) {
        // SAFETY: the world is alive.
        unsafe { raw::b3World_Step(self.world, dt, SUBSTEPS as c_int) };
    }

    fn states(&self) -> Vec<State> {
        let state = |&body: &raw::b3BodyId| {
            // SAFETY: the body is alive.
            let (position, rotation, velocity, angular_velocity) = unsafe {
                (
                    raw::b3Body_GetPosition(body),
                    raw::b3Body_GetRotation(body),
                    raw::b3Body_GetLinearVelocity(body),
                    raw::b3Body_GetAngularVelocity(body),
                )
            };
            let ours = |vector: raw::b3Vec3| Vec3::new(vector.x, vector.y, vector.z);
            State {
                position: ours(position),
                rotation: Quat::from_xyzw(rotation.v.x, rotation.v.y, rotation.v.z, rotation.s),
                velocity: ours(velocity),
                angular_velocity: ours(angular_velocity),
            }
        };
        self.dynamic.iter().map(state).collect()
    }
}

impl World {
    fn add(&mut self, scene: &Scene, body: &Body) {
        // SAFETY: the definitions are Box3D's own with sound values; the shapes live as long as the world.
        unsafe {
            let mut definition = raw::b3DefaultBodyDef();
            definition.type_ = match body.kind {
                Kind::Fixed => raw::b3BodyType_b3_staticBody,
                Kind::Kinematic => raw::b3BodyType_b3_kinematicBody,
                Kind::Dynamic => raw::b3BodyType_b3_dynamicBody,
            };
            definition.position = vector(body.position);
            let [x, y, z, w] = body.rotation.to_array();
            definition.rotation = raw::b3Quat { v: raw::b3Vec3 { x, y, z }, s: w };
            definition.linearVelocity = vector(body.velocity);
            definition.angularVelocity = vector(body.angular_velocity);
            definition.linearDamping = body.damping;
            definition.angularDamping = body.damping;
            definition.enableSleep = false;
            definition.isBullet = body.is_bullet;
            let id = raw::b3CreateBody(self.world, &definition);
            let mut surface = raw::b3DefaultShapeDef();
            surface.density = body.density;
            surface.baseMaterial.friction = scene.friction;
            surface.baseMaterial.restitution = scene.restitution;
            for &shape in &body.shapes {
                self._shapes[shape].attach(id, &surface);
            }
            if body.kind == Kind::Dynamic {
                self.dynamic.push(id);
            }
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: made by `b3CreateWorld` and destroyed once.
        unsafe { raw::b3DestroyWorld(self.world) };
    }
}

/// A shape as Box3D wants it.
enum Made {
    Sphere(raw::b3Sphere),
    Capsule(raw::b3Capsule),
    Box(std::boxed::Box<raw::b3BoxHull>),
    Hull(*mut raw::b3HullData),
    Mesh(*mut raw::b3MeshData),
}

impl Made {
    fn new(shape: &Shape) -> Result<Self, String> {
        Ok(match shape {
            Shape::Sphere { radius } => Self::Sphere(raw::b3Sphere { center: vector(Vec3::ZERO), radius: *radius }),
            Shape::Cuboid { half } => {
                // SAFETY: it computes from three positive numbers.
                Self::Box(std::boxed::Box::new(unsafe { raw::b3MakeBoxHull(half.x, half.y, half.z) }))
            }
            Shape::Capsule { half_height, radius } => Self::Capsule(raw::b3Capsule {
                center1: vector(Vec3::NEG_Y * *half_height),
                center2: vector(Vec3::Y * *half_height),
                radius: *radius,
            }),
            Shape::Hull { points } => {
                let points: Vec<raw::b3Vec3> = points.iter().map(|&point| vector(point)).collect();
                let count = points.len() as c_int;
                // SAFETY: the points outlive the call, which copies them.
                let hull = unsafe { raw::b3CreateHull(points.as_ptr(), count, count) };
                if hull.is_null() {
                    return Err("Box3D finds no hull of these points".to_owned());
                }
                Self::Hull(hull)
            }
            Shape::Mesh { vertices, triangles } => Self::Mesh(mesh(vertices, triangles)?),
        })
    }

    /// SAFETY: the body is alive, and this shape outlives its world.
    unsafe fn attach(&self, body: raw::b3BodyId, surface: &raw::b3ShapeDef) {
        // SAFETY: promised by the caller.
        unsafe {
            match self {
                Self::Sphere(sphere) => raw::b3CreateSphereShape(body, surface, sphere),
                Self::Capsule(capsule) => raw::b3CreateCapsuleShape(body, surface, capsule),
                Self::Box(hull) => raw::b3CreateHullShape(body, surface, &hull.base),
                Self::Hull(hull) => raw::b3CreateHullShape(body, surface, *hull),
                Self::Mesh(mesh) => raw::b3CreateMeshShape(body, surface, *mesh, vector(Vec3::ONE)),
            };
        }
    }
}

fn mesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<*mut raw::b3MeshData, String> {
    let mut vertices: Vec<raw::b3Vec3> = vertices.iter().map(|&vertex| vector(vertex)).collect();
    let mut indices: Vec<i32> = triangles.iter().flatten().map(|&index| index as i32).collect();
    // SAFETY: lists of the lengths given, alive during the call, which copies them.
    let mesh = unsafe {
        let definition = raw::b3MeshDef {
            vertices: vertices.as_mut_ptr(),
            indices: indices.as_mut_ptr(),
            vertexCount: vertices.len() as c_int,
            triangleCount: triangles.len() as c_int,
            identifyEdges: true,
            ..Default::default()
        };
        raw::b3CreateMesh(&definition, ptr::null_mut(), 0)
    };
    if mesh.is_null() { Err("Box3D cannot make this mesh".to_owned()) } else { Ok(mesh) }
}

fn vector(vector: Vec3) -> raw::b3Vec3 {
    raw::b3Vec3 { x: vector.x, y: vector.y, z: vector.z }
}
