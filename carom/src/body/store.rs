//! The bodies of a world: dense slices for the stages, generational ids for the door.

use super::activity::{Activity, Stir};
use super::motion::{is_round, radius_of_gyration};
use super::thickness::{extent, half_thickness, turning};
use super::{Body, BodyError, BodyId, BodyKind, MassSource, Material, Motion, Nature, Rest};
use crate::detector::Filter;
use crate::narrow::reach;
use crate::pose::{LocalPose, Pose};
use crate::shape::Shape;
use crate::threads;
use crate::world::Digest;
use glam::{DVec3, Mat3, Quat, Vec3};

/// A shape on a body.
#[derive(Debug, Clone)]
// In this order: what every look at a pair asks for is in the first line of memory.
#[repr(C, align(64))]
pub struct Collider {
    /// Where it is in the world.
    pub(crate) pose: Pose,
    /// Points of contact are found when they are this close.
    pub(crate) margin: f32,
    /// How far its points are from its origin at the most, which a turn moves them around; 0 for balls, which it leaves
    /// as they are.
    pub(crate) turning: f32,
    /// The dense index of its body.
    pub body: u32,
    /// Whether it is only told of what touches it, and pushes nothing.
    pub is_sensor: bool,
    /// What it is.
    pub shape: Shape,
    /// How its surface behaves.
    pub material: Material,
    /// Half of its least width, about.
    pub(crate) half_thickness: f32,
    /// Where it is in the body's frame.
    pub pose_in_body: LocalPose,
    /// The groups that it is in and those that it meets.
    pub filter: Filter,
    /// The caller's number.
    pub user_data: u64,
}

impl Collider {
    /// Tells what of it steps depend on.
    pub(crate) fn add_to(&self, digest: &mut Digest) {
        let (pose, material) = (&self.pose_in_body, &self.material);
        digest.floats(pose.position.to_array());
        digest.floats(pose.rotation.to_array());
        digest.floats([self.margin, self.half_thickness]);
        digest.floats([material.friction, material.static_friction, material.restitution, material.rolling_friction]);
        digest.floats(material.surface_velocity.to_array());
        let rules = [material.friction_mixing, material.restitution_mixing];
        digest.word(rules.iter().fold(0, |word, rule| word << 8 | rule.map_or(0, |rule| rule as u64 + 1)));
        digest.word(u64::from(self.filter.groups) << 32 | u64::from(self.filter.mask));
        digest.word(u64::from(self.body) << 1 | u64::from(self.is_sensor));
    }
}

/// How many bytes come from memory at a time.
const LINE: usize = 64;
const _: () =
    assert!(std::mem::offset_of!(Collider, shape) == LINE && std::mem::offset_of!(Motion, inverse_mass) == LINE);

#[derive(Debug, Clone, Copy)]
struct Slot {
    generation: u32,
    dense: Option<u32>,
}

/// The bodies of a world. Index `i` of each slice is the same body; indices change when a body is removed, ids do not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bodies {
    slots: Vec<Slot>,
    free_slots: Vec<u32>,
    pub(crate) natures: Vec<Nature>,
    pub(crate) motions: Vec<Motion>,
    pub(crate) rests: Vec<Rest>,
    /// Of each body where its mass comes from, should it become dynamic.
    pub(super) sources: Vec<MassSource>,
    /// Of each body what it takes part in, and those of which steps may move something, in order; how both have changed.
    pub(super) activities: Vec<Activity>,
    pub(crate) awake: Vec<u32>,
    pub(super) awake_is_behind: bool,
    pub(super) awake_list: u32,
    pub(super) stir: Stir,
    pub(super) connects_otherwise: bool,
    /// Islands that are to wake before the next stage; and the name of the next one that falls asleep.
    pub(super) waking: Vec<u32>,
    pub(super) next_island: u32,
    /// Bodies that the user has put to sleep since the last step: those that contacts connect with them are to follow.
    pub(crate) lulled: Vec<BodyId>,
    /// Bodies whose velocity or pose the user has changed since the boxes were placed; and those near which sleepers are to
    /// wake: they were put elsewhere, or have another surface.
    pub(crate) displaced: Vec<BodyId>,
    pub(crate) put: Vec<BodyId>,
    /// Bodies of which it is to be asked anew whom they meet.
    pub(crate) refiltered: Vec<BodyId>,
    /// Bodies on which a constant force or torque acts.
    driven: Vec<BodyId>,
    /// The least margin that a collider ever had.
    pub(crate) least_margin: Option<f32>,
    /// By slot.
    pub(crate) colliders: Vec<Option<Collider>>,
    free_colliders: Vec<u32>,
}

impl Bodies {
    /// How many bodies there are.
    pub(crate) fn len(&self) -> usize {
        self.motions.len()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.motions.is_empty()
    }

    /// How the bodies move, by dense index.
    #[inline]
    pub(crate) fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// The shape in a collider slot; a slot stays the same as long as its body lives.
    #[inline]
    pub(crate) fn collider(&self, slot: u32) -> Option<&Collider> {
        self.colliders.get(slot as usize)?.as_ref()
    }

    /// Asks for what is known of a collider before its shape is asked for, which is needed soon.
    #[inline(always)]
    pub(crate) fn fetch_place(&self, slot: u32) {
        if let Some(collider) = self.colliders.get(slot as usize) {
            threads::fetch(&raw const *collider, LINE);
        }
    }

    /// Asks for all of a collider.
    #[inline(always)]
    pub(crate) fn fetch_collider(&self, slot: u32) {
        if let Some(collider) = self.colliders.get(slot as usize) {
            threads::fetch(&raw const *collider, size_of::<Collider>());
        }
    }

    /// Asks for how a body moves, which is needed soon.
    #[inline(always)]
    pub(crate) fn fetch_motion(&self, dense: u32) {
        if let Some(motion) = self.motions.get(dense as usize) {
            threads::fetch(&raw const *motion, LINE);
        }
    }

    /// Asks for all that a body is.
    #[inline(always)]
    pub(crate) fn fetch_body(&self, dense: u32) {
        if let (Some(motion), Some(nature)) = (self.motions.get(dense as usize), self.natures.get(dense as usize)) {
            threads::fetch(&raw const *motion, size_of::<Motion>());
            threads::fetch(&raw const *nature, size_of::<Nature>());
        }
    }

    /// Whether the user has changed something since the last step that asks for more than new boxes.
    pub(crate) fn has_changes(&self) -> bool {
        [&self.put, &self.refiltered, &self.lulled].iter().any(|list| !list.is_empty())
    }

    /// How many bytes their lists hold, but for the shapes.
    pub(crate) fn size(&self) -> usize {
        let of_natures: usize = self.natures.iter().map(|nature| size_of_val(&nature.colliders[..])).sum();
        let lists = [&self.free_slots, &self.awake, &self.waking, &self.free_colliders];
        let ids = [&self.displaced, &self.put, &self.refiltered, &self.driven, &self.lulled];
        lists.iter().map(|list| size_of_val(&list[..])).sum::<usize>()
            + ids.iter().map(|list| size_of_val(&list[..])).sum::<usize>()
            + of_natures
            + size_of_val(&self.slots[..])
            + size_of_val(&self.natures[..])
            + size_of_val(&self.motions[..])
            + size_of_val(&self.rests[..])
            + size_of_val(&self.sources[..])
            + size_of_val(&self.activities[..])
            + size_of_val(&self.colliders[..])
    }

    /// How many slots there are, filled or not.
    pub(crate) fn slot_count(&self) -> u32 {
        self.colliders.len() as u32
    }

    /// The world pose of a body's frame.
    pub(crate) fn pose(&self, dense: u32) -> Pose {
        self.natures[dense as usize].pose_of(&self.motions[dense as usize])
    }

    /// Whether the body is left out: it went non-finite or is disabled.
    pub(crate) fn is_set_aside(&self, dense: u32) -> bool {
        self.natures[dense as usize].is_left_out()
    }

    /// How much of gravity the body feels; none if nothing moves it.
    pub(crate) fn gravity_scale(&self, dense: u32) -> f32 {
        let is_movable = self.motions[dense as usize].is_movable();
        if is_movable { self.natures[dense as usize].gravity_scale } else { 0.0 }
    }

    /// The dense index of a body.
    pub(crate) fn resolve(&self, id: BodyId) -> Result<usize, BodyError> {
        match self.slots.get(id.slot as usize) {
            Some(Slot { generation, dense: Some(dense) }) if *generation == id.generation => Ok(*dense as usize),
            Some(_) | None => Err(BodyError::Unknown { id }),
        }
    }

    /// Checks a description and takes it in; on an error nothing has changed.
    pub(crate) fn add(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let body = body.checked()?;
        let properties = match body.kind {
            BodyKind::Dynamic => Some(body.properties()?),
            BodyKind::Fixed | BodyKind::Kinematic => None,
        };
        let dense = self.motions.len() as u32;
        let id = self.new_id(dense);
        let extent = body.shapes.iter().map(|part| extent(&part.shape, &part.pose)).fold(0.0, f32::max);
        let colliders = body.shapes.into_iter().map(|part| {
            let margin = margin_of(&part.shape);
            self.least_margin = Some(self.least_margin.map_or(margin, |least| least.min(margin)));
            self.new_collider(Collider {
                body: dense,
                pose_in_body: part.pose,
                material: part.material.unwrap_or(body.material),
                is_sensor: part.is_sensor,
                filter: part.filter,
                user_data: part.user_data,
                pose: body.pose.compose(&part.pose),
                margin,
                half_thickness: half_thickness(&part.shape),
                turning: turning(&part.shape),
                shape: part.shape,
            })
        });
        let colliders = colliders.collect();
        self.natures.push(Nature {
            id,
            kind: body.kind,
            mass: properties.map_or(0.0, |properties| properties.mass),
            inertia: properties.map_or(Mat3::ZERO, |properties| properties.inertia),
            inverse_inertia: properties.map_or(Mat3::ZERO, |properties| properties.inverse_inertia()),
            center_of_mass: properties.map_or(Vec3::ZERO, |properties| properties.center_of_mass),
            linear_damping: body.linear_damping,
            angular_damping: body.angular_damping,
            gravity_scale: body.gravity_scale,
            colliders,
            set_aside: false,
            is_disabled: !body.is_enabled,
            locked: body.locked,
            locked_rotation: body.locked_rotation,
            most_speed: body.most_speed,
            most_angular_speed: body.most_angular_speed,
            constant: [Vec3::ZERO; 2],
            user_data: body.user_data,
            is_displaced: false,
            extent,
            reach: properties.map_or(0.0, |properties| radius_of_gyration(&properties)),
            is_round: properties.is_none_or(|properties| is_round(properties.inertia)),
            conveys: false,
        });
        let (velocity, angular_velocity) = match body.kind {
            BodyKind::Fixed => (Vec3::ZERO, Vec3::ZERO),
            BodyKind::Kinematic | BodyKind::Dynamic => (body.velocity, body.angular_velocity),
        };
        self.motions.push(Motion {
            center: DVec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity,
            angular_velocity,
            inverse_mass: properties.map_or(0.0, |properties| properties.mass.recip()),
            inverse_mass_along: properties.map_or(Vec3::ZERO, |properties| Vec3::splat(properties.mass.recip())),
            inverse_inertia: Mat3::ZERO,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
        });
        self.rests.push(Rest::new(body.may_sleep));
        self.sources.push(body.mass);
        self.set_pose(dense as usize, body.pose);
        self.natures[dense as usize].apply_locks(&mut self.motions[dense as usize]);
        self.natures[dense as usize].limit(&mut self.motions[dense as usize]);
        self.note_surfaces(dense as usize);
        self.activities.push(self.activity_of(dense as usize));
        self.awake_is_behind = true;
        Ok(id)
    }

    /// Takes a body out; its colliders' slots are returned.
    pub(crate) fn remove(&mut self, id: BodyId) -> Result<Vec<u32>, BodyError> {
        let dense = self.resolve(id)?;
        let nature = self.natures.swap_remove(dense);
        self.motions.swap_remove(dense);
        self.rests.swap_remove(dense);
        self.sources.swap_remove(dense);
        self.activities.swap_remove(dense);
        self.awake_is_behind = true;
        for &slot in &nature.colliders {
            self.colliders[slot as usize] = None;
            self.free_colliders.push(slot);
        }
        let slot = &mut self.slots[id.slot as usize];
        slot.dense = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free_slots.push(id.slot);
        for list in [&mut self.displaced, &mut self.put, &mut self.refiltered, &mut self.driven, &mut self.lulled] {
            list.retain(|other| *other != id);
        }
        if let Some(moved) = self.natures.get(dense) {
            self.slots[moved.id.slot as usize].dense = Some(dense as u32);
            for &slot in &moved.colliders {
                if let Some(collider) = &mut self.colliders[slot as usize] {
                    collider.body = dense as u32;
                }
            }
        }
        Ok(nature.colliders)
    }

    /// The user has changed where a body will be in the next step.
    pub(crate) fn displace(&mut self, dense: usize) {
        let nature = &mut self.natures[dense];
        if !std::mem::replace(&mut nature.is_displaced, true) {
            self.displaced.push(nature.id);
        }
    }

    /// The boxes of all displaced bodies are placed.
    pub(crate) fn forget_displaced(&mut self) {
        for place in 0..self.displaced.len() {
            if let Ok(dense) = self.resolve(self.displaced[place]) {
                self.natures[dense].is_displaced = false;
            }
        }
        self.displaced.clear();
    }

    /// A force and a torque act on a body in every step from now on.
    pub(super) fn set_constant(&mut self, dense: usize, constant: [Vec3; 2]) {
        let nature = &mut self.natures[dense];
        nature.constant = constant;
        let id = nature.id;
        match (self.driven.iter().position(|other| *other == id), constant == [Vec3::ZERO; 2]) {
            (Some(place), true) => {
                self.driven.remove(place);
            }
            (None, false) => self.driven.push(id),
            (Some(_), false) | (None, true) => {}
        }
    }

    /// Adds the constant forces to those of the step that begins. What no force moves gathers none.
    pub(crate) fn apply_constant_forces(&mut self) {
        for place in 0..self.driven.len() {
            let Ok(dense) = self.resolve(self.driven[place]) else { continue };
            if self.motions[dense].is_movable() && !self.rests[dense].is_asleep() {
                let ([force, torque], motion) = (self.natures[dense].constant, &mut self.motions[dense]);
                motion.force += force;
                motion.torque += torque;
            }
        }
    }

    /// Takes note of whether a surface of a body moves along itself.
    pub(super) fn note_surfaces(&mut self, dense: usize) {
        let Self { natures, colliders, .. } = self;
        let of_slot = |slot: &u32| colliders[*slot as usize].as_ref();
        let mut shapes = natures[dense].colliders.iter().filter_map(of_slot);
        natures[dense].conveys = shapes.any(|collider| collider.material.surface_velocity != Vec3::ZERO);
    }

    pub(crate) fn collider_mut(&mut self, slot: u32) -> Option<&mut Collider> {
        self.colliders.get_mut(slot as usize)?.as_mut()
    }

    pub(crate) fn set_pose(&mut self, dense: usize, pose: Pose) {
        let (nature, motion) = (&self.natures[dense], &mut self.motions[dense]);
        motion.rotation = pose.rotation;
        motion.center = pose.position + motion.rotation.as_dquat() * nature.center_of_mass.as_dvec3();
        self.turn_inertia(dense);
        self.place_colliders(dense);
    }

    /// Brings the inverse inertia in the world up to date with the rotation: `R · I⁻¹ · Rᵀ`.
    pub(crate) fn turn_inertia(&mut self, dense: usize) {
        self.natures[dense].turn_inertia(&mut self.motions[dense]);
    }

    /// Brings the poses of a body's colliders up to date with its own.
    pub(crate) fn place_colliders(&mut self, dense: usize) {
        let pose = self.pose(dense as u32);
        let Self { natures, colliders, .. } = self;
        for &slot in &natures[dense].colliders {
            if let Some(collider) = &mut colliders[slot as usize] {
                collider.pose = pose.compose(&collider.pose_in_body);
            }
        }
    }

    fn new_id(&mut self, dense: u32) -> BodyId {
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, dense: None });
            self.slots.len() as u32 - 1
        });
        let entry = &mut self.slots[slot as usize];
        entry.dense = Some(dense);
        BodyId { slot, generation: entry.generation }
    }

    fn new_collider(&mut self, collider: Collider) -> u32 {
        if let Some(slot) = self.free_colliders.pop() {
            self.colliders[slot as usize] = Some(collider);
            slot
        } else {
            self.colliders.push(Some(collider));
            self.colliders.len() as u32 - 1
        }
    }
}

/// The margin of a shape as a share of its size, at the most.
pub(crate) const MARGIN_SHARE: f32 = 0.1;

/// The margin of a shape: a share of its size, up to 2 cm.
fn margin_of(shape: &Shape) -> f32 {
    const MOST: f32 = 0.02;
    MOST.min(MARGIN_SHARE * reach(shape))
}
