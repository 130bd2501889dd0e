//! Scenes in rapier.

use crate::Engine;
use carom_bench_scenes::{Body, Kind, SUBSTEPS, Scene, Shape, State};
use rapier3d::prelude::{
    CoefficientCombineRule, ColliderBuilder, PhysicsWorld, Pose, RigidBodyBuilder, RigidBodyHandle, Rotation,
    SharedShape, TriMeshFlags, Vector,
};

pub struct World {
    world: PhysicsWorld,
    dynamic: Vec<RigidBodyHandle>,
}

impl Engine for World {
    /// The whole run in one pool, of which rapier takes the caller's: a pool that is configured is entered in every step.
    #[cfg(feature = "parallel")]
    fn among_threads<T: Send>(threads: usize, run: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
        pool.install(run)
    }

    fn new(scene: &Scene, threads: usize) -> Result<Self, String> {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::from_array(scene.gravity.to_array());
        world.integration_parameters.num_solver_iterations = SUBSTEPS as usize;
        world.integration_parameters.max_ccd_substeps = usize::from(scene.is_swept);
        if threads > 1 && !cfg!(feature = "parallel") {
            return Err("this build of rapier knows one thread only".to_owned());
        }
        let shapes = scene.shapes.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
        let mut dynamic = Vec::new();
        for body in &scene.bodies {
            let handle = world.insert_body(rigid_body(body));
            for &index in &body.shapes {
                let collider = ColliderBuilder::new(shapes[index].clone())
                    .density(body.density)
                    .friction(scene.friction)
                    .restitution(scene.restitution)
                    .restitution_combine_rule(CoefficientCombineRule::Max);
                world.insert_collider(collider, Some(handle));
            }
            if body.kind == Kind::Dynamic {
                dynamic.push(handle);
            }
        }
        Ok(Self { world, dynamic })
    }

    fn step(&mut self, dt: f32) {
        self.world.integration_parameters.dt = dt;
        self.world.step();
    }

    fn states(&self) -> Vec<State> {
        let state = |&handle: &RigidBodyHandle| {
            let body = &self.world.bodies[handle];
            State {
                position: body.translation().to_array().into(),
                rotation: carom_bench_scenes::glam::Quat::from_array(body.rotation().to_array()),
                velocity: body.linvel().to_array().into(),
                angular_velocity: body.angvel().to_array().into(),
            }
        };
        self.dynamic.iter().map(state).collect()
    }
}

fn rigid_body(body: &Body) -> RigidBodyBuilder {
    let builder = match body.kind {
        Kind::Fixed => RigidBodyBuilder::fixed(),
        Kind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
        Kind::Dynamic => RigidBodyBuilder::dynamic(),
    };
    let rotation = Rotation::from_array(body.rotation.to_array());
    builder
        .pose(Pose::from_parts(vector(body.position), rotation))
        .linvel(vector(body.velocity))
        .angvel(vector(body.angular_velocity))
        .linear_damping(body.damping)
        .angular_damping(body.damping)
        .can_sleep(false)
        .ccd_enabled(body.is_bullet)
}

fn shape(shape: &Shape) -> Result<SharedShape, String> {
    Ok(match shape {
        Shape::Sphere { radius } => SharedShape::ball(*radius),
        Shape::Cuboid { half } => SharedShape::cuboid(half.x, half.y, half.z),
        Shape::Capsule { half_height, radius } => SharedShape::capsule_y(*half_height, *radius),
        Shape::Hull { points } => {
            let points: Vec<Vector> = points.iter().map(|&point| vector(point)).collect();
            SharedShape::convex_hull(&points).ok_or("rapier finds no hull of these points")?
        }
        Shape::Mesh { vertices, triangles } => {
            let vertices = vertices.iter().map(|&vertex| vector(vertex)).collect();
            SharedShape::trimesh_with_flags(vertices, triangles.clone(), TriMeshFlags::FIX_INTERNAL_EDGES)
                .map_err(|error| error.to_string())?
        }
    })
}

fn vector(vector: carom_bench_scenes::glam::Vec3) -> Vector {
    Vector::from_array(vector.to_array())
}
