//! Patches that are kept against the same found anew, along many thousands of small motions.
//!
//! What may differ: since patches were found, no point of the shape has moved by more than s, seen from the surface: 1 % of
//! its greatest half extent, up to √3 times as much for the corners of a box; and it has turned by 0.01 at the most. So
//! - a kept point is on the shape's surface still, since it moves along with it; and it is no farther than s from the other
//!   surface, which it may have left by sliding over a ridge. Points of one patch share a normal, which is up to five
//!   degrees from their own: found anew or kept, they are off by that share of half their depth.
//! - Its depth is measured between the same two points. That and the true depth have both changed by s at the most, mostly
//!   alike: the deepest is off by less than 2 s. Over a plane it is the same but for rounding, or for a corner of a hull that
//!   was none of the four and has become the deepest, which is a small share of s.
//! - Its normal is that of a triangle, which does not turn; those of the shape's own faces and of crossing edges turn by
//!   0.01. Where two triangles push about as far, now the one is chosen and now the other: at ridges, in three steps out of
//!   a hundred at the most, it is not the one that is found anew.

use super::super::{collide, reach};
use super::KeptPatches;
use crate::body::{Bodies, Body};
use crate::mid::{ConvexPair, ConvexPart};
use crate::narrow::{Contact, ContactBuffer, Manifold, PairCache};
use crate::pose::{LocalPose, Pose};
use crate::query::project_point;
use crate::shape::Shape;
use fastrand::Rng;
use glam::{DVec3, Quat, Vec3};

const MARGIN: f32 = 0.01;
/// The share of its size by which a shape may move while its patches are kept.
const PROMISED: f32 = 0.01;

fn between(random: &mut Rng, least: f32, greatest: f32) -> f32 {
    least + random.f32() * (greatest - least)
}

fn vector(random: &mut Rng, reach: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| between(random, -reach, reach)))
}

/// A floor of 16 × 16 cells of 0.7, of which each corner is lifted as said, around a middle.
fn floor(random: &mut Rng, middle: Vec3, lift: impl Fn(f32, f32, &mut Rng) -> f32) -> Shape {
    let side = 17;
    let corner = |index: u32, random: &mut Rng| {
        let [x, z] = [index % side, index / side].map(|place| (place as f32 - 8.0) * 0.7);
        middle + Vec3::new(x, lift(x, z, random), z)
    };
    let vertices = (0..side * side).map(|index| corner(index, random)).collect();
    let cells = (0..side - 1).flat_map(|row| (0..side - 1).map(move |column| row * side + column));
    let triangles = cells.flat_map(|a| {
        let (b, c, d) = (a + side, a + side + 1, a + 1);
        if (a * 7) % 3 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    Shape::mesh(vertices, triangles.collect()).expect("sound")
}

/// A block of 6 × 2 × 6 of twelve triangles, whose top has its middle there.
fn block(middle: Vec3) -> Shape {
    let corner = |index: u32| {
        let side = |bit: u32, half: f32| if index >> bit & 1 == 1 { half } else { -half };
        middle + Vec3::new(side(0, 3.0), side(1, 1.0) - 1.0, side(2, 3.0))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let mesh = Shape::mesh((0..8).map(corner).collect(), triangles.collect()).expect("sound");
    assert!(matches!(&mesh, Shape::Mesh(mesh) if mesh.is_solid()));
    mesh
}

fn terrain(random: &mut Rng) -> Shape {
    let heights = (0..17 * 17).map(|_| between(random, -0.1, 0.1)).collect();
    Shape::height_field(17, 17, heights, [0.7, 0.7]).expect("sound")
}

fn hull(random: &mut Rng) -> Shape {
    let points: Vec<Vec3> =
        (0..32).map(|_| vector(random, 1.0).normalize_or(Vec3::X) * Vec3::new(0.5, 0.3, 0.4)).collect();
    Shape::hull(&points).expect("sound")
}

/// A shape and a surface, with what is kept of the two.
struct Pair {
    surface: Shape,
    shape: Shape,
    bodies: Bodies,
    patches: KeptPatches,
    buffer: ContactBuffer,
    /// The greatest half extent of the shape, and how far its farthest point is.
    size: f32,
    reach: f32,
}

impl Pair {
    fn new(surface: Shape, shape: Shape, places: [DVec3; 2]) -> Self {
        let mut bodies = Bodies::default();
        bodies.add(Body::fixed().at(places[0]).shape(surface.clone())).expect("sound");
        bodies.add(Body::dynamic().at(places[1]).shape(shape.clone())).expect("sound");
        let size = reach(&shape);
        let reach = match &shape {
            Shape::Cuboid(cuboid) => cuboid.core().half_extents().length(),
            _ => size,
        };
        Self { surface, shape, bodies, patches: KeptPatches::default(), buffer: ContactBuffer::new(), size, reach }
    }

    /// By how much any point of the shape may have moved since its patches were found.
    fn slack(&self) -> f32 {
        PROMISED * self.reach
    }

    /// How far a point of a manifold is from the surface and from that of the shape, where it should be on both.
    fn misses(&self, poses: [&Pose; 2], (manifold, contact): (&Manifold, &Contact)) -> [f64; 2] {
        let middle = self.bodies.motions()[1].center + contact.arm_b.as_dvec3();
        let half = manifold.normal.as_dvec3() * (0.5 * f64::from(contact.depth));
        let away = |shape: &Shape, pose: &Pose, point: DVec3| {
            project_point(shape, pose, point).expect("it is near by").distance
        };
        [away(&self.surface, poses[0], middle + half), away(&self.shape, poses[1], middle - half)]
    }

    /// The manifolds with the surface and the shape at their poses, by what is kept or anew.
    fn manifolds(&mut self, poses: [&Pose; 2], is_kept: bool) -> Vec<Manifold> {
        let part = |body: u32| ConvexPart { body, collider: body, part: 0 };
        let pair = ConvexPair { a: part(0), b: part(1) };
        let sides = [(&self.surface, poses[0]), (&self.shape, poses[1])];
        let mut found = Vec::new();
        let mut cache = PairCache::default();
        let keeps = (&mut cache, is_kept.then_some(&mut self.patches), &mut self.buffer);
        collide(&pair, sides, MARGIN, (&self.bodies, keeps), &mut found).unwrap();
        found
    }
}

fn deepest(manifolds: &[Manifold]) -> f32 {
    manifolds.iter().map(Manifold::deepest).fold(f32::NEG_INFINITY, f32::max)
}

/// What was seen on a walk: steps, and the worst that kept patches were off by, as shares of what a shape may move.
#[derive(Debug, Default)]
struct Seen {
    steps: u32,
    followed: u32,
    touching: u32,
    apart: u32,
    depth: f32,
    /// By how much a normal is off from the nearest on the other side, and in how many steps that is more than one patch.
    normal: f32,
    other_normals: u32,
    from_surface: f32,
    from_shape: f32,
}

/// How a shape goes over a surface.
#[derive(Debug, Clone, Copy)]
enum Way {
    Slide,
    Roll,
    Jiggle,
    /// Down and up, nothing else.
    Bob,
}

/// Lets a shape go over a surface, lifting off and sinking in all the while, and compares after each step. Steps are
/// far shorter than what patches are kept through.
fn walk(pair: &mut Pair, random: &mut Rng, way: Way, (surface_pose, middle): (Pose, Vec3), steps: u32) -> Seen {
    let mut seen = Seen::default();
    let allowed = PROMISED * pair.size;
    let mut place = middle + Vec3::new(between(random, -1.0, 1.0), pair.size, between(random, -1.0, 1.0));
    let mut rotation = match way {
        Way::Slide | Way::Bob => Quat::from_rotation_y(random.f32() * 6.0),
        Way::Roll | Way::Jiggle => Quat::from_scaled_axis(vector(random, 2.0)),
    };
    let mut heading = random.f32() * 6.0;
    let mut is_near = false;
    for step in 0..steps {
        let pose = surface_pose.compose(&LocalPose::new(place, rotation));
        let anew = pair.manifolds([&surface_pose, &pose], false);
        let depth = deepest(&anew);
        if is_near {
            pair.compare([&surface_pose, &pose], &anew, &mut seen);
        }
        let phase = step as f32 * if matches!(way, Way::Bob) { 0.05 } else { 0.01 };
        let wanted = pair.size * (0.01 + 0.04 * phase.sin());
        let missing = if depth.is_finite() { depth - wanted } else { -0.1 * pair.size };
        let is_far = missing.abs() > 0.2 * pair.size;
        let most = allowed * if is_far { 4.0 } else { 0.5 };
        place.y += missing.clamp(-most, most);
        is_near |= !is_far && depth.is_finite();
        if (place - middle).length() > 3.5 {
            heading = f32::atan2(place.z - middle.z, middle.x - place.x);
        }
        heading += between(random, -0.02, 0.02);
        let along = Quat::from_rotation_y(heading) * Vec3::X;
        let share = allowed * between(random, 0.02, 0.6);
        let turn = share / pair.size;
        match way {
            Way::Slide => {
                place += along * share;
                rotation = Quat::from_rotation_y(between(random, -0.3, 0.3) * turn) * rotation;
            }
            Way::Roll => {
                place += along * 0.5 * share;
                rotation = Quat::from_scaled_axis(Vec3::Y.cross(along) * (0.5 * turn)) * rotation;
            }
            Way::Jiggle => {
                place += vector(random, 0.3 * share);
                rotation = Quat::from_scaled_axis(vector(random, 0.3 * turn)) * rotation;
            }
            Way::Bob => {}
        }
        rotation = rotation.normalize();
    }
    seen
}

impl Pair {
    /// Compares what is kept with what is found anew.
    fn compare(&mut self, poses: [&Pose; 2], anew: &[Manifold], seen: &mut Seen) {
        let before = self.patches.place.map(|place| place.position);
        let kept = self.manifolds(poses, true);
        seen.steps += 1;
        seen.followed += u32::from(before.is_some() && before == self.patches.place.map(|place| place.position));
        seen.touching += u32::from(deepest(anew) > 0.0);
        seen.apart += u32::from(anew.is_empty());
        let s = self.slack();
        let [kept_depth, true_depth] = [&kept, anew].map(|manifolds| deepest(manifolds).max(-MARGIN));
        seen.depth = seen.depth.max((kept_depth - true_depth).abs() / s);
        // What touches by more than may have changed has its like among the others.
        let mut is_other = false;
        for (some, others) in [(&kept[..], anew), (anew, &kept[..])] {
            for manifold in some.iter().filter(|manifold| manifold.deepest() > 2.0 * s) {
                let angle = |other: &Manifold| manifold.normal.cross(other.normal).length();
                let least = others.iter().map(angle).fold(1.0, f32::min);
                is_other |= least > ALIKE;
                seen.normal = seen.normal.max(least);
            }
        }
        seen.other_normals += u32::from(is_other);
        for manifold in &kept {
            for contact in manifold.contacts() {
                let shared = 0.5 * ALIKE * contact.depth.abs();
                let [from_surface, from_shape] = self.misses(poses, (manifold, contact)).map(|miss| miss as f32);
                seen.from_surface = seen.from_surface.max((from_surface - shared) / s);
                seen.from_shape = seen.from_shape.max((from_shape - shared) / s);
            }
        }
    }
}

/// How far the shape is from the surface's own origin, if that is elsewhere.
const ASIDE: Vec3 = Vec3::new(300.0, 20.0, -200.0);

/// The sine of five degrees, and of what a shape may have turned.
const ALIKE: f32 = 0.0895 + 0.0105;

/// Boxes and hulls go over a surface in every way; at home, and far from the origin.
fn compare_over(
    name: &str,
    (most_depth, most_normal): (f32, f32),
    aside: Vec3,
    surface: impl Fn(&mut Rng, Vec3) -> Shape,
) {
    let (mut random, mut faults) = (Rng::with_seed(7), Vec::new());
    let askew = Quat::from_scaled_axis(Vec3::new(0.2, 1.0, -0.3));
    // The surface's own origin beside the shape, or far from it.
    for (home, rotation, middle) in [
        (DVec3::ZERO, Quat::IDENTITY, Vec3::ZERO),
        (DVec3::ZERO, askew, aside),
        (DVec3::new(1e7, -3e6, 5e6), Quat::IDENTITY, Vec3::ZERO),
        (DVec3::new(1e7, -3e6, 5e6), askew, aside),
    ] {
        let surface = surface(&mut random, middle);
        let surface_pose = Pose { position: home, rotation };
        for is_hull in [false, true] {
            for way in [Way::Slide, Way::Roll, Way::Jiggle, Way::Bob] {
                let cuboid = Shape::cuboid(0.5, 0.3, 0.4).expect("sound");
                let shape = if is_hull { hull(&mut random) } else { cuboid };
                let body = surface_pose.compose(&LocalPose::at(middle)).position;
                let mut pair = Pair::new(surface.clone(), shape, [home, body]);
                let seen = walk(&mut pair, &mut random, way, (surface_pose, middle), 2000);
                let case = format!("{name}, {way:?}, hull: {is_hull}, {home}: {seen:?}");
                assert!(seen.steps > 1500 && seen.touching > 500 && seen.apart > 100, "nothing is proven: {case}");
                assert!(2 * seen.followed > seen.steps, "hardly anything is kept: {case}");
                let is_right = seen.depth < most_depth
                    && (seen.normal < most_normal || 100 * seen.other_normals < 3 * seen.steps)
                    && seen.from_surface < 1.0
                    && seen.from_shape < 0.05;
                if !is_right {
                    faults.push(case);
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn kept_patches_are_right_over_a_plane_of_triangles() {
    compare_over("plane", (0.1, 1e-4), ASIDE, |random, middle| floor(random, middle, |_, _, _| 0.0));
}

#[test]
fn kept_patches_are_right_over_a_ridge() {
    compare_over("ridge", (2.0, ALIKE), ASIDE, |random, middle| floor(random, middle, |x, _, _| -0.4 * x.abs()));
}

#[test]
fn kept_patches_are_right_in_a_valley() {
    compare_over("valley", (2.0, ALIKE), ASIDE, |random, middle| floor(random, middle, |x, _, _| 0.4 * x.abs()));
}

#[test]
fn kept_patches_are_right_over_bumps() {
    compare_over("bumps", (2.0, ALIKE), ASIDE, |random, middle| {
        floor(random, middle, |_, _, random| between(random, -0.1, 0.1))
    });
}

#[test]
fn kept_patches_are_right_over_a_solid_and_its_edges() {
    compare_over("block", (2.0, ALIKE), ASIDE, |_, middle| block(middle));
}

#[test]
fn kept_patches_are_right_over_a_height_field() {
    compare_over("terrain", (2.0, ALIKE), Vec3::ZERO, |random, _| terrain(random));
}
