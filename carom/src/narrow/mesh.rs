//! Contacts of shapes with many parts: meshes, height fields and compounds against each other and against everything
//! else (M5, N3, N6).
//!
//! A convex shape gathers the triangles around it from the tree of the mesh or the grid of the height field, touches each
//! in its own frame, drops what is an artefact of inner edges ([`inner_edge`]), and the points that are left become
//! patches ([`merge`]). Triangles of an open mesh push to the side on which the shape's middle is; those of a closed mesh
//! and of a height field push outward only, and what has its middle inside is pushed to the nearest surface.

mod ball;
mod clip;
mod cull;
mod general;
mod half_space;
mod hull_planes;
mod inner_edge;
mod merge;
mod pair;
mod parts;
mod polytope;
mod seams;
mod surface;

use super::{ContactError, Feature, LocalManifold, NoContactTest, contact_in, convex, door, patch};
use crate::bounds::Aabb;
use crate::distance::convex::{Convex, Core};
use crate::distance::placement::Placement;
use crate::mesh_tree::Slot;
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::DVec3;
use polytope::Polytope;
use surface::{Face, Sides, Surface};

pub(super) use seams::{SeamScratch, mark_inner_seams, note_met, strike};

/// Which part of a shape: the child of a compound and the triangle of a mesh or height field, each 0 where there is
/// nothing to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PartIndex {
    /// The child of a compound.
    pub child: u32,
    /// The triangle of a mesh or height field; of a patch over several, the one of its deepest point.
    pub triangle: u32,
}

/// A patch of contact between a part of one shape and a part of another, in the frame of the first shape.
///
/// Features of meshes and height fields are numbered over all of the surface: corners as its vertices or samples, edge
/// `i` of triangle `t` as `3 t + i`, faces as triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartManifold {
    /// Which parts.
    pub parts: [PartIndex; 2],
    /// How they touch.
    pub manifold: LocalManifold,
}

/// What contacts do at the inner edges of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerEdges {
    /// Nothing is felt of them.
    #[default]
    Smooth,
    /// Every triangle and every part is a body of its own, and shapes catch where two meet: to compare.
    Felt,
}

/// Where [`contacts`] puts what it finds; to be used again, since a warm buffer allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct ContactBuffer {
    manifolds: Vec<PartManifold>,
    inner_edges: InnerEdges,
    faces: Vec<Face>,
    touches: Vec<Touch>,
    scratch: Scratch,
    /// What is taken from pairs of surfaces until all of their triangles are known.
    gathered: Vec<Touch>,
    triangles: Vec<u32>,
    slots: Vec<Slot>,
    /// How much farther than the margin triangles are looked for, to tell how far away they are.
    beyond: f64,
    /// A convex shape and a surface that do not touch are not nearer than this.
    gap: Option<f64>,
    /// Of each patch whether it leads into another part, and whether it is dropped.
    flags: Vec<[bool; 2]>,
}

impl ContactBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty buffer for contacts with other inner edges.
    pub fn with_inner_edges(inner_edges: InnerEdges) -> Self {
        Self { inner_edges, ..Self::default() }
    }

    /// The patches that were found last.
    pub fn manifolds(&self) -> &[PartManifold] {
        &self.manifolds
    }
}

/// The contacts of any two shapes, patch by patch; those of two convex ones are one patch. The pose of the second is seen
/// from the first, and so is the result. Points with a gap of up to `margin` have a negative depth.
///
/// ```
/// use carom::narrow::{ContactBuffer, contacts};
/// use carom::prelude::*;
///
/// let floor = Shape::height_field(9, 9, vec![0.0; 81], [1.0, 1.0])?;
/// let cube = Shape::cuboid(0.5, 0.5, 0.5)?;
/// let mut buffer = ContactBuffer::new();
/// contacts(&floor, &cube, &LocalPose::at([0.1, 0.49, 0.2]), 0.0, &mut buffer)?;
/// let [patch] = buffer.manifolds() else { panic!("one flat patch of several triangles") };
/// assert_eq!((patch.manifold.normal, patch.manifold.contacts().len()), (Vec3::Y, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ContactError`]: two half-spaces, or a pose, a margin or a user's support map that is not sound. The buffer is empty
/// then.
pub fn contacts(
    a: &Shape,
    b: &Shape,
    b_in_a: &LocalPose,
    margin: f32,
    buffer: &mut ContactBuffer,
) -> Result<(), ContactError> {
    buffer.manifolds.clear();
    let pose = door(b_in_a, margin)?.unwrap_or(*b_in_a);
    let found = contacts_in(a, b, &Relative { placement: Placement::of_part(&pose), pose }, margin, buffer);
    if found.is_err() {
        buffer.manifolds.clear();
    }
    found
}

/// The patches of two shapes that touch, for the world.
pub(super) fn patches_of<'a>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Relative,
    margin: f32,
    buffer: &'a mut ContactBuffer,
) -> Result<&'a [PartManifold], ContactError> {
    buffer.manifolds.clear();
    contacts_in(a, b, b_in_a, margin, buffer)?;
    Ok(&buffer.manifolds)
}

impl ContactBuffer {
    /// Looks for what a convex shape does not touch of a surface as well, up to so much beyond the margin.
    pub(super) fn look_beyond(&mut self, margin: f32) {
        self.beyond = f64::from(margin);
        self.gap = None;
    }

    /// How far a convex shape and a surface are apart at the least that did not touch, as far as it was looked for.
    pub(super) fn gap(&self) -> Option<f32> {
        self.gap.map(|gap| gap as f32)
    }
}

/// Where the second of two parts is, seen from the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    pub(super) pose: LocalPose,
    /// The same with all digits.
    pub(super) placement: Placement,
}

/// A point of contact of a surface and a shape, in the frame of the shape.
#[derive(Debug, Clone, Copy)]
struct Touch {
    /// From the surface to the shape.
    normal: DVec3,
    /// Half way between the two.
    point: DVec3,
    depth: f64,
    /// Of the surface and of the shape.
    features: [Feature; 2],
    triangle: u32,
}

/// Room for what is computed triangle by triangle.
#[derive(Debug, Clone, Default)]
struct Scratch {
    polygon: clip::Polygon,
    planes: hull_planes::HullPlanes,
}

/// Where the touches of one shape and one surface are collected.
struct Touches<'a> {
    sides: Sides,
    margin: f64,
    /// About how far the shape reaches from its middle.
    size: f64,
    /// What counts as one place.
    tolerance: f64,
    feels_inner_edges: bool,
    /// Whether the shape's middle was found behind a triangle.
    is_behind: bool,
    /// Whether the shape's middle is in front of some triangles and behind others.
    is_between: bool,
    /// Whether triangles beyond a ridge are passed over, and whether one was.
    heeds_ridges: bool,
    has_passed_over: bool,
    /// No triangle that was asked is nearer than this.
    gap: f64,
    list: &'a mut Vec<Touch>,
    scratch: &'a mut Scratch,
}

impl Touches<'_> {
    /// A point on the surface, and how deep the shape is there along a normal that leads out of the surface.
    #[inline]
    fn add(&mut self, face: &Face, normal: DVec3, on_surface: DVec3, depth: f64, features: [Feature; 2]) {
        if depth >= -self.margin {
            let point = on_surface - normal * (0.5 * depth);
            self.list.push(Touch { normal, point, depth, features, triangle: face.triangle });
        }
    }

    /// The normal of a triangle on the side to which it pushes a shape with this middle, if it does: what
    /// [`Self::facing`] says, unless a ridge is between them.
    #[inline]
    fn outward(&mut self, face: &Face, center: DVec3, faces: &[Face]) -> Option<DVec3> {
        self.facing(face, center).filter(|_| !self.passes_over(face, center, faces))
    }

    /// The normal of a triangle on the side on which it is, as a shape with this middle sees it; none if the middle is
    /// behind a triangle that pushes to the front only.
    #[inline]
    fn facing(&mut self, face: &Face, center: DVec3) -> Option<DVec3> {
        let is_front = face.height(center) >= 0.0;
        match self.sides {
            Sides::Both => Some(if is_front { face.normal } else { -face.normal }),
            Sides::Front => {
                self.is_behind |= !is_front;
                is_front.then_some(face.normal)
            }
            Sides::Above => Some(face.normal),
        }
    }

    /// Whether a triangle is beyond a ridge, or several. A shape that is on one side of a ridge is on the outer side of it, though
    /// its middle may be behind the triangle beyond.
    #[inline]
    fn passes_over(&mut self, face: &Face, center: DVec3, faces: &[Face]) -> bool {
        if self.sides != Sides::Both || !self.heeds_ridges || !self.is_between {
            return false;
        }
        let is_beyond = is_beyond_ridges(face, center, faces);
        self.has_passed_over |= is_beyond;
        is_beyond
    }

    /// Takes note that the triangle in question is not nearer than this.
    #[inline]
    fn note_gap(&mut self, gap: f64) {
        self.gap = self.gap.min(gap);
    }

    fn count(&self) -> usize {
        self.list.len()
    }

    fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }
}

/// Whether from a triangle one comes, from ridge to ridge, to another on whose other side a point is.
fn is_beyond_ridges(face: &Face, point: DVec3, faces: &[Face]) -> bool {
    /// Around a summit there are some.
    const MOST: usize = 16;
    let is_front = face.height(point) >= 0.0;
    let (mut reached, mut count, mut next) = ([face; MOST], 1, 0);
    while next < count {
        let here = reached[next];
        next += 1;
        for edge in (0..3).filter(|edge| here.is_ridge(*edge, !is_front)) {
            let Some(other) = faces.iter().find(|other| other.is_beyond(here, edge)) else { continue };
            if (other.height(point) >= 0.0) != is_front {
                return true;
            }
            if count < MOST && reached[..count].iter().all(|known| known.triangle != other.triangle) {
                reached[count] = other;
                count += 1;
            }
        }
    }
    false
}

/// A shape, sorted by how it is taken apart.
enum Kind<'a> {
    Whole,
    HalfSpace(DVec3),
    Surface(Surface<'a>),
    Compound(&'a crate::shape::Compound),
}

impl<'a> Kind<'a> {
    fn of(shape: &'a Shape) -> Self {
        match shape {
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
            | Shape::Custom(_) => Self::Whole,
            Shape::HalfSpace(half_space) => Self::HalfSpace(half_space.normal().as_dvec3().normalize_or(DVec3::Y)),
            Shape::Mesh(mesh) => Self::Surface(Surface::Mesh(mesh)),
            Shape::HeightField(field) => Self::Surface(Surface::HeightField(field)),
            Shape::Compound(compound) => Self::Compound(compound),
        }
    }
}

/// Adds the contacts of two shapes to the buffer.
pub(super) fn contacts_in(
    a: &Shape,
    b: &Shape,
    b_in_a: &Relative,
    margin: f32,
    buffer: &mut ContactBuffer,
) -> Result<(), ContactError> {
    let none = Err(ContactError::NoTest(NoContactTest { a: a.kind(), b: b.kind() }));
    let placement = &b_in_a.placement;
    match (Kind::of(a), Kind::of(b)) {
        (Kind::Whole, Kind::Whole | Kind::HalfSpace(_)) | (Kind::HalfSpace(_), Kind::Whole) => {
            if let Some(manifold) = contact_in(a, b, &b_in_a.pose, || b_in_a.placement, margin, None)? {
                buffer.manifolds.push(PartManifold { parts: [PartIndex::default(); 2], manifold });
            }
            Ok(())
        }
        (Kind::HalfSpace(_), Kind::HalfSpace(_)) => none,
        (Kind::Compound(_), Kind::Whole | Kind::HalfSpace(_) | Kind::Surface(_) | Kind::Compound(_))
        | (Kind::Whole | Kind::HalfSpace(_) | Kind::Surface(_), Kind::Compound(_)) => {
            parts::contacts(a, b, b_in_a, margin, buffer)
        }
        (Kind::Surface(surface), Kind::Whole) => {
            with_convex(&surface, b, &placement.inverse(), margin, buffer)?;
            emit_from_surface(placement, buffer);
            Ok(())
        }
        (Kind::Whole, Kind::Surface(surface)) => {
            with_convex(&surface, a, placement, margin, buffer)?;
            emit_from_shape(buffer);
            Ok(())
        }
        (Kind::Surface(surface), Kind::HalfSpace(normal)) => {
            half_space::touch(normal, &surface, &placement.inverse(), f64::from(margin), buffer);
            emit_from_surface(placement, buffer);
            Ok(())
        }
        (Kind::HalfSpace(normal), Kind::Surface(surface)) => {
            half_space::touch(normal, &surface, placement, f64::from(margin), buffer);
            emit_from_shape(buffer);
            Ok(())
        }
        (Kind::Surface(Surface::Mesh(a)), Kind::Surface(Surface::Mesh(b))) if a.is_solid() && b.is_solid() => {
            pair::touch_solids(a, b, &placement.inverse(), f64::from(margin), buffer)?;
            emit_from_surface(placement, buffer);
            Ok(())
        }
        // The more solid of the two is the surface that the other's triangles touch.
        (Kind::Surface(a), Kind::Surface(b)) if a.sides() >= b.sides() => {
            pair::touch_triangles(&a, &b, &placement.inverse(), f64::from(margin), buffer)?;
            emit_from_surface(placement, buffer);
            Ok(())
        }
        (Kind::Surface(a), Kind::Surface(b)) => {
            pair::touch_triangles(&b, &a, placement, f64::from(margin), buffer)?;
            emit_from_shape(buffer);
            Ok(())
        }
    }
}

/// Touches of a surface and a convex shape in whose frame it stands at a placement.
fn with_convex(
    surface: &Surface<'_>,
    shape: &Shape,
    surface_in_shape: &Placement,
    margin: f32,
    buffer: &mut ContactBuffer,
) -> Result<(), ContactError> {
    match convex::of_shape(shape) {
        Some(convex) => {
            let reach = Reach { margin: f64::from(margin), beyond: buffer.beyond };
            buffer.gap = touch_surface(surface, &convex, surface_in_shape, reach, buffer)?;
            Ok(())
        }
        None => Ok(()),
    }
}

/// How far from a shape triangles are looked for.
#[derive(Debug, Clone, Copy)]
struct Reach {
    /// Up to this gap they touch.
    margin: f64,
    /// So much beyond that, how far away they are is told.
    beyond: f64,
}

/// The touches as patches in the frame of the surface, which is the first shape.
fn emit_from_surface(shape_in_surface: &Placement, buffer: &mut ContactBuffer) {
    let ContactBuffer { manifolds, touches, .. } = buffer;
    merge::patches(touches, |patch| {
        let triangle = PartIndex { child: 0, triangle: patch.points[0].triangle };
        let normal = shape_in_surface.direction_to_outer(patch.normal);
        let manifold = patch.manifold(normal, |point| shape_in_surface.point_to_outer(point), true);
        manifolds.push(PartManifold { parts: [triangle, PartIndex::default()], manifold });
    });
}

/// The touches as patches in the frame of the shape, which is the first.
fn emit_from_shape(buffer: &mut ContactBuffer) {
    let ContactBuffer { manifolds, touches, .. } = buffer;
    merge::patches(touches, |patch| {
        let triangle = PartIndex { child: 0, triangle: patch.points[0].triangle };
        let manifold = patch.manifold(-patch.normal, |point| point, false);
        manifolds.push(PartManifold { parts: [PartIndex::default(), triangle], manifold });
    });
}

/// Replaces the touches in the buffer by those of a convex shape and a surface in its frame. If there are none, tells how far
/// the two are apart at the least, as far as it can be told.
fn touch_surface(
    surface: &Surface<'_>,
    convex: &Convex<'_>,
    surface_in_shape: &Placement,
    Reach { margin, beyond }: Reach,
    buffer: &mut ContactBuffer,
) -> Result<Option<f64>, ContactError> {
    let ContactBuffer { faces, touches: list, scratch, inner_edges, slots, .. } = buffer;
    list.clear();
    faces.clear();
    let shape_in_surface = surface_in_shape.inverse();
    let bounds = convex.bounds(&shape_in_surface)?;
    let most = margin + beyond;
    let bounds = if most > 0.0 { bounds.enlarged(most as f32 * (1.0 + f32::EPSILON)) } else { bounds };
    let (center, size) = middle(convex)?;
    let mut touches = Touches {
        sides: surface.sides(),
        margin,
        size,
        tolerance: 1e-5 * size,
        feels_inner_edges: *inner_edges == InnerEdges::Felt,
        is_behind: false,
        is_between: false,
        heeds_ridges: *inner_edges != InnerEdges::Felt,
        has_passed_over: false,
        gap: most,
        list,
        scratch,
    };
    let distance = surface.gather(&bounds, surface_in_shape, (center, size + margin), slots, faces);
    if touches.feels_inner_edges {
        faces.iter_mut().for_each(|face| face.ridges = u8::MAX);
    }
    let fronts = faces.iter().filter(|face| face.height(center) >= 0.0).count();
    touches.is_between = (1..faces.len()).contains(&fronts);
    touch_faces(convex, center, faces, &mut touches)?;
    // What pierces only triangles beyond ridges is pushed out by these.
    if touches.has_passed_over && touches.list.is_empty() {
        touches.heeds_ridges = false;
        touch_faces(convex, center, faces, &mut touches)?;
    }
    let may_be_inside = touches.is_behind || touches.list.is_empty() || surface.is_ambiguous();
    if may_be_inside && surface.has_inner_side() {
        push_out(surface, convex, center, surface_in_shape, &mut touches)?;
    }
    // A height field is touched from below where no triangle is near, and users' support maps prove nothing.
    let is_told = touches.sides != Sides::Above && !matches!(convex.core, Core::Custom(_));
    Ok((is_told && touches.list.is_empty()).then(|| touches.gap.min(distance - size)))
}

/// Adds what each triangle says.
fn touch_faces(
    convex: &Convex<'_>,
    center: DVec3,
    faces: &[Face],
    touches: &mut Touches<'_>,
) -> Result<(), ContactError> {
    match (convex.core, convex.radius) {
        (Core::Point, radius) => {
            faces.iter().for_each(|face| ball::touch_ball(radius, face, faces, touches));
        }
        (Core::Segment(axis), radius) => {
            faces.iter().for_each(|face| ball::touch_capsule(axis, radius, face, faces, touches));
        }
        (Core::Cuboid(half), 0.0) => touch_polytope(&Polytope::Cuboid(half), convex, faces, touches)?,
        (Core::Hull(hull), 0.0) => touch_polytope(&Polytope::Hull(hull), convex, faces, touches)?,
        (_, _) => {
            for face in faces {
                general::touch(convex, center, face, faces, touches)?;
            }
        }
    }
    Ok(())
}

fn touch_polytope(
    solid: &Polytope<'_>,
    convex: &Convex<'_>,
    faces: &[Face],
    touches: &mut Touches<'_>,
) -> Result<(), ContactError> {
    for face in faces {
        if !polytope::touch(solid, face, faces, touches) {
            general::touch(convex, solid.center(), face, faces, touches)?;
        }
    }
    Ok(())
}

/// The contact of a shape whose middle is inside a solid: with the plane across the shortest way to the surface.
fn push_out(
    surface: &Surface<'_>,
    convex: &Convex<'_>,
    center: DVec3,
    surface_in_shape: &Placement,
    touches: &mut Touches<'_>,
) -> Result<(), ContactError> {
    let Some(way) = surface.way_out(surface_in_shape.point_to_inner(center)) else { return Ok(()) };
    if surface.may_look_inward() {
        touches.list.clear();
    }
    let place = surface_in_shape.point_to_outer(way.place);
    let normal = surface_in_shape.direction_to_outer(way.normal);
    let patch = patch::along(convex, -normal)?;
    let surface_place = |corner: DVec3| surface_in_shape.point_to_inner(corner - convex.radius * normal);
    // Corners beside the solid are not held by it, unless all are.
    let is_beside = patch.corners().iter().all(|corner| !surface.has_inside(surface_place(corner.place)));
    for corner in patch.corners() {
        let height = normal.dot(corner.place - place);
        let depth = convex.radius - height;
        if depth < -touches.margin || !is_beside && !surface.has_inside(surface_place(corner.place)) {
            continue;
        }
        let point = corner.place - normal * (height + 0.5 * depth);
        let features = [Feature::face(way.triangle), corner.vertex];
        touches.list.push(Touch { normal, point, depth, features, triangle: way.triangle });
    }
    Ok(())
}

/// A point inside a convex shape, and how far the shape reaches from it.
fn middle(convex: &Convex<'_>) -> Result<(DVec3, f64), ContactError> {
    Ok(match convex.core {
        Core::Point => (DVec3::ZERO, convex.radius),
        Core::Cuboid(half) => (DVec3::ZERO, half.length() + convex.radius),
        Core::Segment([from, to]) => (0.5 * (from + to), 0.5 * from.distance(to) + convex.radius),
        Core::Triangle([a, b, c]) => {
            let center = (a + b + c) / 3.0;
            (center, a.distance(center).max(b.distance(center)).max(c.distance(center)) + convex.radius)
        }
        Core::Hull(hull) => {
            let center = hull.inner_ball().center.as_dvec3();
            (center, hull.outer_radius() + center.length() + convex.radius)
        }
        Core::Cylinder { .. } | Core::Cone { .. } | Core::Ellipsoid(_) => {
            (DVec3::ZERO, convex.core.reach()? + convex.radius)
        }
        Core::Custom(_) => {
            let bounds: Aabb = convex.bounds(&Placement::IDENTITY)?;
            let center = bounds.center().as_dvec3();
            (center, convex.core.reach()? + center.length())
        }
    })
}

#[cfg(test)]
mod tests;
