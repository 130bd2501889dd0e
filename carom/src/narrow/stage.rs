//! The stage of the narrow phase: from pairs of colliders in the world to manifolds in its axes.
//!
//! Each pair keeps what was found, so that a pile that hardly moves costs little, and so that a point that is known again
//! by its features keeps its impulse. Pairs do not see each other, so they can be collided in any order and by any number
//! of threads.

mod clearance;
mod parts;
mod patches;
mod view;

pub(crate) use clearance::Clearance;
pub(crate) use view::{is_surface, reach};

use super::cache::{Kept, moved_by};
use super::mesh::{self, ContactBuffer, Relative};
use super::{ContactError, Feature, InnerEdges, LocalContact, LocalManifold, MAX_POINTS, PairCache};
use crate::body::{Bodies, Collider, Material};
use crate::bounds::Aabb;
use crate::mid::{ConvexPair, ConvexPart};
use crate::pose::{LocalPose, Pose};
use crate::shape::Shape;
use crate::threads;
use glam::{Vec3, Vec4};
use parts::PartCache;
use patches::{Followed, KeptPatches};
use std::ops::Range;
use view::{Frame, View};

/// One point of contact between two bodies. Its place is where it acts: while the bodies hardly move it stays, up to 1 % of
/// its shorter arm from where they meet now.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contact {
    /// From the centre of mass of the first body, in the axes of the world.
    pub arm_a: Vec3,
    /// From the centre of mass of the second body, in the axes of the world.
    pub arm_b: Vec3,
    /// How far the surfaces are inside each other; negative for a gap.
    pub depth: f32,
    /// Which feature of the first and of the second part makes the point.
    pub features: [Feature; 2],
    /// What it pushed in the last step along the normal, in Ns; not negative.
    pub impulse: f32,
    /// What the next step's solver begins with.
    pub(crate) carried: f32,
}

/// Whether a point is so near to where the held arms end that it may act there.
#[inline(always)]
fn is_near_to([arm_a, arm_b]: [Vec3; 2], [held_a, held_b]: [Vec3; 2], share: f32) -> bool {
    let reach_square = share * share * held_a.length_squared().min(held_b.length_squared());
    arm_a.distance_squared(held_a).max(arm_b.distance_squared(held_b)) < reach_square
}

#[inline(always)]
fn length_squared([x, y, z]: [Vec4; 3]) -> Vec4 {
    x * x + y * y + z * z
}

/// Whether two normals may belong to one contact that moves on.
#[inline(always)]
fn is_alike(before: Vec3, now: Vec3) -> bool {
    before.dot(now) > 0.7
}

/// How two parts of two bodies touch along one normal, in the axes of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
// In this order: what all have first, so that of a single point little is read.
#[repr(C)]
pub struct Manifold {
    /// The parts.
    pub pair: ConvexPair,
    /// From the first body to the second; of unit length.
    pub normal: Vec3,
    /// About how far the smaller part reaches from its origin.
    pub size: f32,
    /// How the two surfaces behave together; their velocity is in the axes of the world.
    pub material: Material,
    /// What friction pushes in a substep at the end of the last step, from the first body to the second, across the normal;
    /// what rebounds have added to it left out.
    pub friction: Vec3,
    /// What friction turns then, around the normal.
    pub twist: f32,
    /// What resistance to rolling turns then, across the normal.
    pub rolling: Vec3,
    /// The normal leads into another part of the same ground (N6): nothing is pushed along it.
    pub(crate) is_inner: bool,
    /// Its points act where they did in the step before.
    pub(crate) is_held: bool,
    /// It was hit in the last step, and parts again: its friction is over.
    pub(crate) rebounds: bool,
    /// A part is round: its points of contact do not turn with it.
    pub(crate) is_round: bool,
    count: u8,
    contacts: [Contact; MAX_POINTS],
}

impl Manifold {
    /// The points.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts[..usize::from(self.count)]
    }

    pub(crate) fn contacts_mut(&mut self) -> &mut [Contact] {
        &mut self.contacts[..usize::from(self.count)]
    }

    /// The greatest depth.
    pub fn deepest(&self) -> f32 {
        self.contacts().iter().map(|contact| contact.depth).fold(f32::NEG_INFINITY, f32::max)
    }

    /// Whether its points act where they did in the step before and along the same normal: they are still near there.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Whether a point of it touches, rather than being about to.
    pub fn is_touching(&self) -> bool {
        self.has_pushed() || self.contacts().iter().any(|contact| contact.depth >= 0.0)
    }

    /// Whether a point of it pushed in the last step.
    pub(crate) fn has_pushed(&self) -> bool {
        self.contacts().iter().any(|contact| contact.impulse > 0.0)
    }

    /// Moves on to where the same points are now, in the same order, and keeps their impulses: what most pairs of a pile
    /// do in most steps. Says no, and has changed nothing, if they are others.
    fn follow(&mut self, local: &LocalManifold, frame: &Frame, holds: bool) -> bool {
        let found = local.contacts();
        let is_same = |(contact, found): (&Contact, &LocalContact)| contact.features == frame.in_order(found.features);
        let normal = frame.outward(local.normal);
        if self.is_inner
            || found.len() != usize::from(self.count)
            || !is_alike(self.normal, normal)
            || !self.contacts().iter().zip(found).all(is_same)
        {
            return false;
        }
        let mut arms = [[Vec3::ZERO; 2]; MAX_POINTS];
        let mut is_near = holds && normal.dot(self.normal) >= HELD_COSINE;
        let share = self.held_share();
        for ((arms, contact), found) in arms.iter_mut().zip(self.contacts_mut()).zip(found) {
            *arms = frame.arms(found);
            is_near = is_near && is_near_to(*arms, [contact.arm_a, contact.arm_b], share);
            contact.depth = found.depth;
            contact.impulse = 0.0;
        }
        (self.is_held, self.size) = (is_near, frame.size);
        if !is_near {
            self.normal = normal;
            for (contact, [arm_a, arm_b]) in self.contacts_mut().iter_mut().zip(arms) {
                (contact.arm_a, contact.arm_b) = (arm_a, arm_b);
            }
        }
        true
    }

    /// The same for points that are moved along, all of them side by side.
    fn follow_kept(&mut self, kept: &Kept, frame: &Frame, far_in_near: &LocalPose, margin: f32) -> bool {
        let features = kept.features();
        let is_same = |(contact, found): (&Contact, &[Feature; 2])| contact.features == frame.in_order(*found);
        if self.is_inner
            || features.len() != usize::from(self.count)
            || !self.contacts().iter().zip(features).all(is_same)
        {
            return false;
        }
        let along = kept.along(far_in_near);
        let normal = frame.outward(along.normal);
        // Of the points that there are.
        let all = (1u32 << features.len()) - 1;
        if !is_alike(self.normal, normal) || along.depths.cmpge(Vec4::splat(-margin)).bitmask() & all != all {
            return false;
        }
        let [from_a, from_b] = frame.from_centers;
        let arms_a = moved_by(&frame.turn, along.places, from_a);
        let arms_b = moved_by(&frame.turn, along.places, from_b);
        let is_held = margin > 0.0 && normal.dot(self.normal) >= HELD_COSINE && {
            let (held_a, held_b) =
                (self.side_by_side(|contact| contact.arm_a), self.side_by_side(|contact| contact.arm_b));
            let share = self.held_share();
            let reach_square = length_squared(held_a).min(length_squared(held_b)) * (share * share);
            let away = |arms: [Vec4; 3], held: [Vec4; 3]| {
                length_squared([arms[0] - held[0], arms[1] - held[1], arms[2] - held[2]])
            };
            away(arms_a, held_a).max(away(arms_b, held_b)).cmplt(reach_square).bitmask() & all == all
        };
        (self.is_held, self.size) = (is_held, frame.size);
        for (index, contact) in self.contacts_mut().iter_mut().enumerate() {
            contact.depth = along.depths[index];
            contact.impulse = 0.0;
            if !is_held {
                contact.arm_a = Vec3::new(arms_a[0][index], arms_a[1][index], arms_a[2][index]);
                contact.arm_b = Vec3::new(arms_b[0][index], arms_b[1][index], arms_b[2][index]);
            }
        }
        if !is_held {
            self.normal = normal;
        }
        true
    }

    /// How far its points may be from where they act, as a share of their shorter arms.
    #[inline(always)]
    fn held_share(&self) -> f32 {
        let is_borne = self.count > 2 && self.contacts().iter().all(|contact| contact.carried > 0.0);
        if is_borne { BORNE_SHARE } else { HELD_SHARE }
    }

    #[inline(always)]
    fn side_by_side(&self, vector: impl Fn(&Contact) -> Vec3) -> [Vec4; 3] {
        let [a, b, c, d] = &self.contacts;
        let (a, b, c, d) = (vector(a), vector(b), vector(c), vector(d));
        [Vec4::new(a.x, b.x, c.x, d.x), Vec4::new(a.y, b.y, c.y, d.y), Vec4::new(a.z, b.z, c.z, d.z)]
    }

    /// Takes over the impulses of what was there before, point by point as their features say; and, if it shall, where
    /// they act.
    fn carry(&mut self, before: &Memory, holds: bool) {
        self.friction = before.friction;
        self.twist = before.twist;
        self.rolling = before.rolling;
        self.rebounds = before.rebounds;
        for contact in self.contacts_mut() {
            let known = before.features.iter().position(|known| *known == contact.features);
            contact.carried = known.map_or(0.0, |known| before.carried[known]);
        }
        if holds {
            self.hold(before);
        }
    }

    /// Lets the points act where they did before and along the same normal, as long as all of them are near there. Their
    /// depths are those of now. Bodies that lean a little do not feel it, so that what stands on springs does not buckle:
    /// a tower of boxes sways and comes to rest. Source: the idea is Catto's, Box3D 2025, contact recycling; there points
    /// are held farther, and depths are not measured anew.
    fn hold(&mut self, before: &Memory) {
        let mut arms = [[Vec3::ZERO; 2]; MAX_POINTS];
        let count = usize::from(self.count);
        if count != before.count || self.normal.dot(before.normal) < HELD_COSINE {
            return;
        }
        let share = self.held_share();
        for (contact, arms) in self.contacts().iter().zip(&mut arms) {
            let mut known = before.features.iter().zip(&before.arms).take(count);
            match known.find(|(features, _)| **features == contact.features) {
                Some((_, held)) if is_near_to([contact.arm_a, contact.arm_b], *held, share) => *arms = *held,
                Some(_) | None => return,
            }
        }
        self.normal = before.normal;
        self.is_held = true;
        for (contact, [arm_a, arm_b]) in self.contacts_mut().iter_mut().zip(arms) {
            (contact.arm_a, contact.arm_b) = (arm_a, arm_b);
        }
    }
}

/// How far a point may be from where it acts, as a share of its shorter arm; and how far the normal may turn.
const HELD_SHARE: f32 = 0.01;
const HELD_COSINE: f32 = 0.9995;
/// The share where all points of a face bear, as in towers: those of 30 boxes sway by more than 1 %, and buckle if they feel it.
/// Were others held so far, piles would gain energy as they fall together.
const BORNE_SHARE: f32 = 0.03;

/// What is left of a manifold when it is found anew.
#[derive(Debug, Clone, Copy)]
struct Memory {
    parts: [u32; 2],
    is_inner: bool,
    normal: Vec3,
    friction: Vec3,
    twist: f32,
    rolling: Vec3,
    rebounds: bool,
    count: usize,
    features: [[Feature; 2]; MAX_POINTS],
    carried: [f32; MAX_POINTS],
    arms: [[Vec3; 2]; MAX_POINTS],
}

impl Memory {
    fn of(manifold: &Manifold) -> Self {
        // Points that are not there push nothing, whatever their features.
        let mut memory = Self {
            parts: [manifold.pair.a.part, manifold.pair.b.part],
            is_inner: manifold.is_inner,
            normal: manifold.normal,
            friction: manifold.friction,
            twist: manifold.twist,
            rolling: manifold.rolling,
            rebounds: manifold.rebounds,
            count: manifold.contacts().len(),
            features: [[Feature::default(); 2]; MAX_POINTS],
            carried: [0.0; MAX_POINTS],
            arms: [[Vec3::ZERO; 2]; MAX_POINTS],
        };
        for (index, contact) in manifold.contacts().iter().enumerate() {
            memory.features[index] = contact.features;
            memory.carried[index] = contact.carried;
            memory.arms[index] = [contact.arm_a, contact.arm_b];
        }
        memory
    }

    fn is_of(&self, manifold: &Manifold) -> bool {
        let parts = [manifold.pair.a.part, manifold.pair.b.part];
        self.parts == parts && !self.is_inner && is_alike(self.normal, manifold.normal)
    }
}

/// The world keeps points while a pair moves by less than this share of the smaller part: depths are measured anew, and
/// what is off is where clipped points are, by as much.
const KEPT_SHARE: f32 = 0.01;

/// What does not touch a surface of triangles is asked how far away it is up to so many margins more.
const BEYOND: f32 = 3.0;

/// What one pair of colliders keeps from step to step. In one piece: to follow pointers through memory takes longer than
/// to collide.
#[derive(Debug, Clone)]
pub(crate) struct Meeting {
    /// Of two convex shapes, with their only manifold.
    cache: PairCache,
    manifold: Option<Manifold>,
    /// Of shapes that may be touched in several places, instead.
    rich: Option<Box<Rich>>,
}

/// What a pair keeps of which one is a surface of triangles or a compound.
#[derive(Debug, Clone)]
struct Rich {
    /// Of the parts of compounds.
    parts: Vec<PartCache>,
    /// Of surfaces.
    patches: KeptPatches,
    manifolds: Vec<Manifold>,
}

/// Room for what is computed pair by pair; one for each worker.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room {
    contacts: ContactBuffer,
    last: Vec<Memory>,
    boxes: Vec<(u32, Aabb, Pose)>,
    /// What the pairs of this step have together.
    pub(super) totals: super::meetings::Totals,
    /// Parts whose contacts could not be computed, for which there are none in this step.
    pub(super) faults: Vec<(ConvexPair, ContactError)>,
}

impl Room {
    pub(crate) fn with_inner_edges(inner_edges: InnerEdges) -> Self {
        Self { contacts: ContactBuffer::with_inner_edges(inner_edges), ..Self::default() }
    }
}

impl Meeting {
    /// Of two convex shapes.
    pub(crate) fn new() -> Self {
        Self { cache: PairCache::pushing(KEPT_SHARE), manifold: None, rich: None }
    }

    /// Of others, with room for so many manifolds.
    pub(crate) fn with_room(room: usize) -> Self {
        let (patches, manifolds) = (KeptPatches::with_room(room), Vec::with_capacity(room));
        Self { rich: Some(Box::new(Rich { parts: Vec::new(), patches, manifolds })), ..Self::new() }
    }

    /// Whether there is room for several manifolds.
    pub(crate) fn is_rich(&self) -> bool {
        self.rich.is_some()
    }

    /// Forgets all, but keeps its room.
    pub(crate) fn clear(&mut self) {
        self.cache = PairCache::pushing(KEPT_SHARE);
        self.manifold = None;
        if let Some(rich) = &mut self.rich {
            rich.parts.clear();
            rich.patches.clear();
            rich.manifolds.clear();
        }
    }

    /// How many bytes it holds.
    pub(crate) fn size(&self) -> usize {
        let of_rich = |rich: &Rich| {
            size_of::<Rich>() + size_of_val(&rich.parts[..]) + rich.patches.size() + size_of_val(&rich.manifolds[..])
        };
        size_of::<Self>() + self.rich.as_deref().map_or(0, of_rich)
    }

    /// Where the manifold with so many points is.
    #[inline(always)]
    pub(crate) fn bytes_of_points(points: usize) -> Range<usize> {
        const START: usize = std::mem::offset_of!(Meeting, manifold);
        const CONTACTS: usize = START + std::mem::offset_of!(Manifold, contacts);
        START..CONTACTS + points.min(MAX_POINTS) * size_of::<Contact>()
    }

    /// Asks for the manifold with so many points, which is needed soon.
    #[inline(always)]
    pub(crate) fn fetch(&self, points: usize) {
        threads::fetch(&raw const self.manifold, Self::bytes_of_points(points).len());
    }

    /// How the pair touches.
    #[inline]
    pub(crate) fn manifolds(&self) -> &[Manifold] {
        self.rich.as_ref().map_or_else(|| self.manifold.as_slice(), |rich| &rich.manifolds)
    }

    #[inline]
    pub(crate) fn manifolds_mut(&mut self) -> &mut [Manifold] {
        match &mut self.rich {
            Some(rich) => &mut rich.manifolds,
            None => self.manifold.as_mut_slice(),
        }
    }

    /// Parts them.
    fn part(&mut self) {
        self.manifold = None;
        if let Some(rich) = &mut self.rich {
            rich.manifolds.clear();
        }
    }

    /// Collides the pair anew. Points with a gap of up to `margin` are found as well. Tells how far the two are apart at
    /// the least, if they do not touch, `wide` is asked for and it can be told.
    pub(crate) fn update(
        &mut self,
        slots: [u32; 2],
        (margin, wide): (f32, Option<f32>),
        bodies: &Bodies,
        room: &mut Room,
    ) -> Option<f32> {
        let (Some(a), Some(b)) = (bodies.collider(slots[0]), bodies.collider(slots[1])) else {
            self.part();
            return None;
        };
        let is_compound = matches!((&a.shape, &b.shape), (Shape::Compound(_), _) | (_, Shape::Compound(_)));
        let sides = [(&a.shape, &a.pose), (&b.shape, &b.pose)];
        if !is_compound && !is_surface(&a.shape) && !is_surface(&b.shape) {
            let part =
                |slot: usize, collider: &Collider| ConvexPart { body: collider.body, collider: slots[slot], part: 0 };
            let pair = ConvexPair { a: part(0, a), b: part(1, b) };
            return self.update_convex(&pair, sides, (margin, wide), bodies).unwrap_or_else(|error| {
                self.part();
                room.faults.push((pair, error));
                None
            });
        }
        let rich = self.rich.as_mut()?;
        room.last.clear();
        let mut followed = 0;
        if is_compound {
            room.last.extend(rich.manifolds.iter().map(Memory::of));
            rich.manifolds.clear();
            room.contacts.look_beyond(0.0);
            rich.update_parts([a, b], slots, margin, bodies, room);
        } else {
            let part =
                |slot: usize, collider: &Collider| ConvexPart { body: collider.body, collider: slots[slot], part: 0 };
            let pair = ConvexPair { a: part(0, a), b: part(1, b) };
            followed = rich.update_surface(&pair, sides, margin, bodies, room).unwrap_or_else(|error| {
                rich.manifolds.clear();
                room.faults.push((pair, error));
                0
            });
        }
        if rich.manifolds.is_empty() {
            return if is_compound { None } else { room.contacts.gap().filter(|gap| *gap > margin) };
        }
        let material = mixed(a, b, bodies);
        rich.manifolds.iter_mut().for_each(|manifold| manifold.material = material);
        for manifold in &mut rich.manifolds[followed..] {
            if let Some(before) = room.last.iter().find(|before| before.is_of(manifold)) {
                manifold.carry(before, margin > 0.0);
            }
        }
        None
    }

    /// Two convex colliders, which have one manifold at the most; tells how far they are apart if they have none.
    fn update_convex(
        &mut self,
        pair: &ConvexPair,
        sides: [(&Shape, &Pose); 2],
        (margin, wide): (f32, Option<f32>),
        bodies: &Bodies,
    ) -> Result<Option<f32>, ContactError> {
        let Some(view) = View::new(sides) else {
            self.manifold = None;
            return Ok(None);
        };
        let material = || match (bodies.collider(pair.a.collider), bodies.collider(pair.b.collider)) {
            (Some(a), Some(b)) => mixed(a, b, bodies),
            (_, _) => Material::default(),
        };
        let frame = Frame::new(pair, &view, bodies);
        if let Some(kept) = self.cache.kept(&view.far_in_near, margin)
            && let Some(known) = &mut self.manifold
            && known.follow_kept(kept, &frame, &view.far_in_near, margin)
        {
            known.material = material();
            return Ok(None);
        }
        let Some(local) = view.contact(margin, &mut self.cache)? else {
            self.manifold = None;
            return Ok(wide.and_then(|wide| view.gap(&self.cache, wide)));
        };
        if let Some(known) = &mut self.manifold
            && known.follow(&local, &frame, margin > 0.0)
        {
            known.material = material();
            return Ok(None);
        }
        let before = self.manifold.as_ref().map(Memory::of);
        let mut manifold = frame.in_world(pair, &local);
        manifold.material = material();
        if let Some(before) = before.filter(|before| before.is_of(&manifold)) {
            manifold.carry(&before, margin > 0.0);
        }
        self.manifold = Some(manifold);
        Ok(None)
    }
}

impl Rich {
    /// A surface of triangles and another shape. Returns how many manifolds, from the first on, have gone on from what they
    /// were in the step before; memories of the others are in the room.
    fn update_surface(
        &mut self,
        pair: &ConvexPair,
        sides: [(&Shape, &Pose); 2],
        margin: f32,
        bodies: &Bodies,
        room: &mut Room,
    ) -> Result<usize, ContactError> {
        let Self { patches, manifolds, .. } = self;
        let Some(view) = View::new(sides) else {
            manifolds.clear();
            return Ok(0);
        };
        let frame = Frame::new(pair, &view, bodies);
        let Room { contacts, last, .. } = room;
        // What did not touch is likely not to: how far it is apart lets it be passed over for some steps.
        contacts.look_beyond(if manifolds.is_empty() { BEYOND * margin } else { 0.0 });
        let (mut followed, mut goes_on) = (0, true);
        on_surface(&view, margin, (Some(patches), contacts), |local| {
            if goes_on && manifolds.get_mut(followed).is_some_and(|known| known.follow(local, &frame, margin > 0.0)) {
                followed += 1;
                return;
            }
            if goes_on {
                last.extend(manifolds.drain(followed..).map(|manifold| Memory::of(&manifold)));
                goes_on = false;
            }
            manifolds.push(frame.in_world(pair, local));
        })?;
        if goes_on {
            manifolds.truncate(followed);
        }
        Ok(followed)
    }
}

/// How the surfaces of two colliders behave together.
#[inline]
fn mixed(a: &Collider, b: &Collider, bodies: &Bodies) -> Material {
    let in_world = |collider: &Collider| {
        let velocity = collider.material.surface_velocity;
        // Rarely anything but zero.
        let turned = if velocity == Vec3::ZERO {
            velocity
        } else {
            bodies.motions()[collider.body as usize].rotation * velocity
        };
        Material { surface_velocity: turned, ..collider.material }
    };
    in_world(a).mixed(in_world(b))
}

/// What a pair of parts keeps, and room to find what it does not.
type Keeps<'a> = (&'a mut PairCache, Option<&'a mut KeptPatches>, &'a mut ContactBuffer);

/// Adds the manifolds of two parts.
fn collide(
    pair: &ConvexPair,
    sides: [(&Shape, &Pose); 2],
    margin: f32,
    (bodies, (cache, patches, contacts)): (&Bodies, Keeps<'_>),
    manifolds: &mut Vec<Manifold>,
) -> Result<(), ContactError> {
    let Some(view) = View::new(sides) else { return Ok(()) };
    let frame = Frame::new(pair, &view, bodies);
    if is_surface(view.near) || is_surface(view.far) {
        on_surface(&view, margin, (patches, contacts), |local| manifolds.push(frame.in_world(pair, local)))?;
    } else if let Some(local) = view.contact(margin, cache)? {
        manifolds.push(frame.in_world(pair, &local));
    }
    Ok(())
}

/// Visits the patches of two parts of which one is a surface of triangles.
fn on_surface(
    view: &View<'_>,
    margin: f32,
    (patches, contacts): (Option<&mut KeptPatches>, &mut ContactBuffer),
    mut visit: impl FnMut(&LocalManifold),
) -> Result<(), ContactError> {
    let relative = Relative { pose: view.far_in_near, placement: view.placement() };
    let (place, size) = (&relative.placement, view.size);
    let mut keeps = None;
    if let Some(patches) = patches.filter(|_| KeptPatches::are_kept(view)) {
        let allowed = KEPT_SHARE * size;
        match patches.follow(place, size, (margin, allowed), &mut visit) {
            Followed::Kept => return Ok(()),
            Followed::Slow => keeps = Some((patches, allowed)),
            Followed::Fast => patches.note_place(place),
        }
    }
    let wide = keeps.as_ref().map_or(margin, |(_, allowed)| margin + 2.0 * allowed);
    let found = mesh::patches_of(view.near, view.far, &relative, wide, contacts)?;
    match keeps {
        Some((patches, allowed)) => patches.take_in((place, size), found, (margin, allowed), visit),
        None => found.iter().for_each(|local| visit(&local.manifold)),
    }
    Ok(())
}
