//! The objects of a detector: generational ids for the door, slots for the tree.

use super::{DetectorError, Filter, Object, ObjectId};
use crate::bounds::{Aabb, BoundingHull, BoundingVolume};
use crate::broad::{BroadPhase, DynamicTree, Pair};
use crate::pose::{LocalPose, Pose};
use crate::shape::Shape;
use glam::{DMat3, DVec3, Vec3};

/// Positions beyond this are refused: boxes are in f32.
const FARTHEST: f64 = 1e30;

/// An object with its id.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its id.
    pub id: ObjectId,
    /// What it is.
    pub object: &'a Object,
}

/// Up to so many slots are gone through one by one; that is faster than a walk down the tree for each.
const FEW: usize = 64;

/// Meshes of more vertices have no outline: it would take long to make.
const OUTLINED: usize = 5000;

/// A hull around a mesh and where it is: what is far from it is far from the mesh.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    own_pose: LocalPose,
    pub(super) shape: Shape,
    pub(super) pose: Pose,
}

/// What is kept of an object.
#[derive(Debug, Clone)]
struct Entry {
    object: Object,
    /// A box around the shape in its own frame, where that is cheaper to turn than the shape.
    own_box: Option<Aabb>,
    /// The box in the tree.
    bounds: Aabb,
    outline: Option<Outline>,
    /// The slots of the objects that it is not compared with, in order.
    ignored: Vec<u32>,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    generation: u32,
    /// Counts the shapes that have been here.
    version: u32,
    entry: Option<Entry>,
}

/// Objects and the tree over their boxes.
#[derive(Debug, Clone, Default)]
pub(super) struct Set {
    slots: Vec<Slot>,
    free: Vec<u32>,
    count: usize,
    tree: DynamicTree,
    /// How often boxes have changed since the tree was brought into order.
    changes: usize,
}

impl Set {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn tree(&self) -> &DynamicTree {
        &self.tree
    }

    /// Brings the tree into order, which changes no answer.
    pub(super) fn settle(&mut self) {
        self.tree.settle();
        self.changes = 0;
    }

    /// Counts a change: what comes, moves and goes leaves a tree behind that is larger than it need be.
    fn count_change(&mut self) {
        self.changes += 1;
        if self.changes > 4 * self.count + FEW {
            self.settle();
        }
    }

    /// Replaces `pairs` by those whose boxes overlap, in order.
    pub(super) fn list_touching(&mut self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        if self.slots.len() > FEW {
            self.changes = 0;
            pairs.extend_from_slice(self.tree.pairs());
            pairs.sort_unstable();
            return;
        }
        for (a, slot) in (0u32..).zip(&self.slots) {
            let Some(one) = &slot.entry else { continue };
            let others = (0u32..).zip(&self.slots[..a as usize]);
            let touching =
                others.filter(|(_, other)| other.entry.as_ref().is_some_and(|b| b.bounds.overlaps(&one.bounds)));
            pairs.extend(touching.map(|(b, _)| Pair::new(a, b)));
        }
        pairs.sort_unstable();
    }

    /// Before questions about many objects: in order if it will be walked.
    pub(super) fn prepare(&mut self) {
        if self.slots.len() > FEW {
            self.settle();
        }
    }

    /// Calls `visit` with each slot from `first` on whose box is not farther from that of `slot` than `limit`; what it
    /// returns is the new limit, if it is less.
    pub(super) fn visit_near(&self, slot: u32, first: u32, mut limit: f64, mut visit: impl FnMut(u32) -> f64) {
        let Some(bounds) = self.bounds(slot) else { return };
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        if self.slots.len() > FEW {
            self.tree.visit_near(min, max, limit, &mut |other, _| {
                if other >= first && other != slot {
                    limit = visit(other).min(limit);
                }
                limit
            });
            return;
        }
        for (other, place) in (0u32..).zip(&self.slots).skip(first as usize) {
            let Some(entry) = place.entry.as_ref().filter(|_| other != slot) else { continue };
            let (own_min, own_max) = (entry.bounds.min.as_dvec3(), entry.bounds.max.as_dvec3());
            let square = (own_min - max).max(min - own_max).max(DVec3::ZERO).length_squared();
            if limit >= 0.0 && square <= limit * limit * (1.0 + 1e-14) {
                limit = visit(other).min(limit);
            }
        }
    }

    pub(super) fn insert(&mut self, object: Object) -> Result<ObjectId, DetectorError> {
        let pose = checked(object.pose)?;
        let object = Object { pose, ..object };
        let own_box = own_box(&object.shape)?;
        let bounds = bounds(&object.shape, own_box.as_ref(), &pose);
        let slot = self.free.last().copied().unwrap_or(self.slots.len() as u32);
        self.tree.insert(slot, bounds)?;
        self.free.pop();
        if slot as usize == self.slots.len() {
            self.slots.push(Slot::default());
        }
        let place = &mut self.slots[slot as usize];
        place.version = place.version.wrapping_add(1);
        let outline = outline(&object.shape, &pose);
        place.entry = Some(Entry { object, own_box, bounds, outline, ignored: Vec::new() });
        let id = ObjectId { slot, generation: place.generation };
        self.count += 1;
        self.count_change();
        Ok(id)
    }

    pub(super) fn remove(&mut self, id: ObjectId) -> Result<Object, DetectorError> {
        self.entry(id)?;
        self.tree.remove(id.slot)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.generation = slot.generation.wrapping_add(1);
        let Some(entry) = slot.entry.take() else { return Err(DetectorError::Unknown { id }) };
        for other in entry.ignored {
            if let Some(other) = self.slots[other as usize].entry.as_mut() {
                other.ignored.retain(|slot| *slot != id.slot);
            }
        }
        self.free.push(id.slot);
        self.count -= 1;
        self.count_change();
        Ok(entry.object)
    }

    pub(super) fn set_pose(&mut self, id: ObjectId, pose: Pose) -> Result<(), DetectorError> {
        let pose = checked(pose)?;
        let entry = self.entry(id)?;
        let bounds = bounds(&entry.object.shape, entry.own_box.as_ref(), &pose);
        self.tree.update(id.slot, bounds, Vec3::ZERO)?;
        let entry = self.entry_mut(id)?;
        entry.object.pose = pose;
        entry.bounds = bounds;
        if let Some(outline) = &mut entry.outline {
            outline.pose = pose.compose(&outline.own_pose);
        }
        self.count_change();
        Ok(())
    }

    pub(super) fn set_shape(&mut self, id: ObjectId, shape: Shape) -> Result<Shape, DetectorError> {
        let own_box = own_box(&shape)?;
        let bounds = bounds(&shape, own_box.as_ref(), &self.entry(id)?.object.pose);
        self.tree.update(id.slot, bounds, Vec3::ZERO)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.version = slot.version.wrapping_add(1);
        let entry = self.entry_mut(id)?;
        entry.own_box = own_box;
        entry.bounds = bounds;
        entry.outline = outline(&shape, &entry.object.pose);
        let old = std::mem::replace(&mut entry.object.shape, shape);
        self.count_change();
        Ok(old)
    }

    pub(super) fn set_filter(&mut self, id: ObjectId, filter: Filter) -> Result<(), DetectorError> {
        self.entry_mut(id)?.object.filter = filter;
        Ok(())
    }

    pub(super) fn set_user_data(&mut self, id: ObjectId, user_data: u64) -> Result<(), DetectorError> {
        self.entry_mut(id)?.object.user_data = user_data;
        Ok(())
    }

    /// Whether the two are compared from now on.
    pub(super) fn set_ignored(&mut self, a: ObjectId, b: ObjectId, is_ignored: bool) -> Result<(), DetectorError> {
        self.entry(a)?;
        self.entry(b)?;
        for (one, other) in [(a, b), (b, a)] {
            let ignored = &mut self.entry_mut(one)?.ignored;
            match (ignored.binary_search(&other.slot), is_ignored) {
                (Err(place), true) => ignored.insert(place, other.slot),
                (Ok(place), false) => {
                    ignored.remove(place);
                }
                (Ok(_), true) | (Err(_), false) => {}
            }
        }
        Ok(())
    }

    pub(super) fn get(&self, id: ObjectId) -> Result<&Object, DetectorError> {
        Ok(&self.entry(id)?.object)
    }

    /// All objects in the order of their slots.
    pub(super) fn members(&self) -> impl Iterator<Item = Member<'_>> {
        (0..self.slots.len() as u32).filter_map(|slot| self.member(slot))
    }

    /// How many slots there are, filled or not.
    pub(super) fn slot_count(&self) -> u32 {
        self.slots.len() as u32
    }

    #[inline]
    pub(super) fn member(&self, slot: u32) -> Option<Member<'_>> {
        let place = self.slots.get(slot as usize)?;
        let object = &place.entry.as_ref()?.object;
        Some(Member { id: ObjectId { slot, generation: place.generation }, object })
    }

    /// Counts the shapes that have been in a slot.
    pub(super) fn version(&self, slot: u32) -> u32 {
        self.slots.get(slot as usize).map_or(0, |slot| slot.version)
    }

    /// Whether two objects are compared at all.
    pub(super) fn meet(&self, a: Member<'_>, b: Member<'_>) -> bool {
        let ignored = self.slots[a.id.slot as usize].entry.as_ref().map_or(&[][..], |entry| &entry.ignored);
        a.object.filter.meets(b.object.filter) && ignored.binary_search(&b.id.slot).is_err()
    }

    /// The hull around an object that has one.
    pub(super) fn outline(&self, slot: u32) -> Option<&Outline> {
        self.slots.get(slot as usize)?.entry.as_ref()?.outline.as_ref()
    }

    fn bounds(&self, slot: u32) -> Option<Aabb> {
        self.slots.get(slot as usize)?.entry.as_ref().map(|entry| entry.bounds)
    }

    fn entry(&self, id: ObjectId) -> Result<&Entry, DetectorError> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.entry.as_ref()).ok_or(DetectorError::Unknown { id })
    }

    fn entry_mut(&mut self, id: ObjectId) -> Result<&mut Entry, DetectorError> {
        let slot = self.slots.get_mut(id.slot as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.entry.as_mut()).ok_or(DetectorError::Unknown { id })
    }
}

/// The pose with its rotation of unit length, if boxes can be computed there.
pub(super) fn checked(pose: Pose) -> Result<Pose, DetectorError> {
    let pose = pose.checked().map_err(|error| DetectorError::Pose { error })?;
    if pose.position.abs().max_element() <= FARTHEST {
        Ok(pose)
    } else {
        Err(DetectorError::TooFar { position: pose.position })
    }
}

/// The box of a shape in its own frame if it has so many points that turning the box is cheaper than asking all of them.
pub(super) fn own_box(shape: &Shape) -> Result<Option<Aabb>, DetectorError> {
    let around = || Aabb::around_shape(shape).map_err(|error| DetectorError::Bounds { shape: shape.kind(), error });
    match shape {
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => around().map(Some),
        Shape::Hull(hull) if hull.core().vertices().len() > 16 => around().map(Some),
        // Asked only for what may be wrong with it.
        Shape::Custom(_) => around().map(|_| None),
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
        | Shape::HalfSpace(_) => Ok(None),
    }
}

/// A hull around a mesh that is not too large, with room for the rounding of its pose.
fn outline(shape: &Shape, pose: &Pose) -> Option<Outline> {
    let Shape::Mesh(mesh) = shape else { return None };
    if mesh.vertices().len() > OUTLINED {
        return None;
    }
    let hull = BoundingHull::around_shape(shape).ok()?;
    let own_pose = hull.pose();
    let reach = own_pose.position.length() + hull.hull().vertices().iter().map(|v| v.length()).fold(0.0, f32::max);
    let shape = Shape::from(hull.hull().clone()).rounded(hull.margin() + 1e-6 * reach).ok()?;
    Some(Outline { pose: pose.compose(&own_pose), own_pose, shape })
}

/// A box around a shape at a pose, rounded outward.
pub(super) fn bounds(shape: &Shape, own_box: Option<&Aabb>, pose: &Pose) -> Aabb {
    let Some(own) = own_box else { return Aabb::around_shape_at(shape, pose) };
    let axes = DMat3::from_quat(pose.rotation.as_dquat().normalize());
    let (min, max) = (own.min.as_dvec3(), own.max.as_dvec3());
    let half = 0.5 * (max - min);
    let center = axes * (0.5 * (min + max));
    let half: DVec3 = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
    let room = 4.0 * f64::from(f32::EPSILON) * (center.abs() + half).max_element();
    Aabb::rounded_outward(pose.position + center - half - room, pose.position + center + half + room)
}
