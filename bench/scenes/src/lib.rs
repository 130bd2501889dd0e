//! Scenes that every engine builds alike, and what an engine reports of a run.
//!
//! Lengths are in m, masses in kg, times in s; y is up. Every floor is a box, since not every engine has planes, and all
//! surfaces of a scene are of one material, since engines mix materials in ways of their own.

mod bullets;
mod outcome;
mod piles;
mod stacks;
mod terrains;

pub use outcome::{Outcome, State};

pub use glam;

use glam::{Quat, Vec3};

/// The time of a step.
pub const DT: f32 = 1.0 / 60.0;
/// How many parts a step is solved in.
pub const SUBSTEPS: u32 = 4;

/// Nothing rebounds that meets slower than this, in m/s. rapier knows no such speed: there a contact rebounds once, when it
/// is new.
pub const BOUNCE_THRESHOLD: f32 = 1.0;

/// Bodies, their shapes, and what should become of them.
pub struct Scene {
    pub gravity: Vec3,
    pub friction: f32,
    pub restitution: f32,
    /// Named by the bodies, so that engines can share what they derive from a shape.
    pub shapes: Vec<Shape>,
    pub bodies: Vec<Body>,
    pub settles: Settles,
    /// Bodies are swept along their paths within a step.
    pub is_swept: bool,
}

/// What a scene should come to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Settles {
    /// All bodies stay where they are.
    Stands,
    /// The bodies fall into a heap and rest.
    Heap,
    /// The bodies go on moving.
    Moves,
}

#[derive(Clone)]
pub enum Shape {
    Sphere {
        radius: f32,
    },
    Cuboid {
        half: Vec3,
    },
    /// Along y.
    Capsule {
        half_height: f32,
        radius: f32,
    },
    Hull {
        points: Vec<Vec3>,
    },
    Mesh {
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Fixed,
    Kinematic,
    Dynamic,
}

#[derive(Clone)]
pub struct Body {
    pub kind: Kind,
    /// Indices into the scene's shapes, each at the origin of the body's frame.
    pub shapes: Vec<usize>,
    pub position: Vec3,
    pub rotation: Quat,
    pub velocity: Vec3,
    pub angular_velocity: Vec3,
    pub density: f32,
    /// Of movement and rotation, in 1/s.
    pub damping: f32,
    /// To be swept against dynamic bodies, too, in engines that make a difference.
    pub is_bullet: bool,
}

/// A scene's name and how it is made.
pub struct Entry {
    pub name: &'static str,
    pub build: fn() -> Scene,
}

/// All scenes, the quick ones first.
pub const SCENES: &[Entry] = &[
    Entry { name: "pyramid", build: stacks::pyramid },
    Entry { name: "stacks", build: stacks::stacks },
    Entry { name: "hulls-on-mesh", build: terrains::hulls_on_mesh },
    Entry { name: "jolt-convex-vs-mesh", build: terrains::jolt_convex_vs_mesh },
    Entry { name: "jolt-pyramid", build: stacks::jolt_pyramid },
    Entry { name: "sparse-spheres", build: piles::sparse_spheres },
    Entry { name: "container", build: piles::container },
    Entry { name: "large-pyramid", build: stacks::large_pyramid },
    Entry { name: "many-pyramids", build: stacks::many_pyramids },
    Entry { name: "convex-pile", build: piles::convex_pile },
    Entry { name: "washer", build: piles::washer },
];

/// Raced apart from the others: here all engines sweep.
pub const SWEPT: &[Entry] = &[Entry { name: "bullets", build: bullets::bullets }];

/// Not raced: they tell how the cost of a body grows with their number.
pub const GROWTH: [(usize, Entry); 2] = [
    (2_000, Entry { name: "container-2k", build: || piles::container_of(2_000) }),
    (20_000, Entry { name: "container-20k", build: || piles::container_of(20_000) }),
];

/// Not raced: they tell what an engine can hold up.
pub const TRIALS: &[Entry] = &[
    Entry { name: "tower-30", build: stacks::tower },
    Entry { name: "heavy-on-light", build: stacks::heavy_on_light },
];

/// The scene of that name.
pub fn by_name(name: &str) -> Option<Scene> {
    let growth = GROWTH.iter().map(|(_, entry)| entry);
    let mut all = SCENES.iter().chain(SWEPT).chain(growth).chain(TRIALS);
    all.find(|entry| entry.name == name).map(|entry| (entry.build)())
}

impl Scene {
    fn new(gravity: f32, friction: f32, settles: Settles) -> Self {
        let gravity = Vec3::NEG_Y * gravity;
        Self { gravity, friction, restitution: 0.0, shapes: Vec::new(), bodies: Vec::new(), settles, is_swept: false }
    }

    /// Takes in a shape and returns its index.
    fn shape(&mut self, shape: Shape) -> usize {
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    fn cuboid(&mut self, half: impl Into<Vec3>) -> usize {
        self.shape(Shape::Cuboid { half: half.into() })
    }

    /// A fixed box below y = 0, of this half width both ways.
    fn floor(&mut self, half_width: f32) {
        self.wall([half_width, 1.0, half_width], [0.0, -1.0, 0.0]);
    }

    /// A fixed box.
    fn wall(&mut self, half: impl Into<Vec3>, position: impl Into<Vec3>) {
        let shape = self.cuboid(half);
        self.bodies.push(Body::new(Kind::Fixed, shape, position.into()));
    }

    fn dynamic(&mut self, shape: usize, position: impl Into<Vec3>) -> &mut Body {
        self.bodies.push(Body::new(Kind::Dynamic, shape, position.into()));
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }
}

impl Body {
    fn new(kind: Kind, shape: usize, position: Vec3) -> Self {
        Self {
            kind,
            shapes: vec![shape],
            position,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            density: 1000.0,
            damping: 0.0,
            is_bullet: false,
        }
    }
}
