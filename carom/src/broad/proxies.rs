//! The boxes under their ids, and the checks at the door that all structures share.

use super::BroadPhaseError;
use super::MAX_PROXIES;
use super::block::NOTHING;
use crate::bounds::Aabb;
use glam::Vec3A;

/// Boxes by id. Ids without a box hold one that overlaps nothing.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    bounds: Vec<Aabb>,
    count: usize,
}

/// The box, or the error that says that it is NaN, infinite or inside out.
#[inline(always)]
pub(super) fn checked(id: u32, bounds: Aabb) -> Result<Aabb, BroadPhaseError> {
    let Aabb { min, max } = bounds;
    if is_sound(&bounds) { Ok(bounds) } else { Err(BroadPhaseError::BadBox { id, min, max }) }
}

/// Whether the box is finite and not inside out.
#[inline(always)]
pub(super) fn is_sound(bounds: &Aabb) -> bool {
    let (min, max) = (Vec3A::from(bounds.min), Vec3A::from(bounds.max));
    // NaN fails the comparisons.
    (min.cmple(max) & min.cmpge(Vec3A::splat(-f32::MAX)) & max.cmple(Vec3A::splat(f32::MAX))).all()
}

impl Proxies {
    /// The box under an id.
    #[inline(always)]
    pub fn bounds(&self, id: u32) -> Option<&Aabb> {
        self.bounds.get(id as usize).filter(|bounds| bounds.min.x <= bounds.max.x)
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The boxes in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Aabb)> + Clone {
        (0u32..).zip(&self.bounds).filter(|(_, bounds)| bounds.min.x <= bounds.max.x)
    }

    /// Boxes by id, those of free ids overlapping nothing.
    #[inline(always)]
    pub(super) fn raw(&self) -> &[Aabb] {
        &self.bounds
    }

    /// One above the greatest id that ever was.
    pub(super) fn id_end(&self) -> usize {
        self.bounds.len()
    }

    pub(super) fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        if id >= MAX_PROXIES {
            return Err(BroadPhaseError::IdTooGreat { id });
        }
        if self.bounds(id).is_some() {
            return Err(BroadPhaseError::Taken { id });
        }
        let index = id as usize;
        if index >= self.bounds.len() {
            self.bounds.resize(index + 1, NOTHING);
        }
        self.bounds[index] = bounds;
        self.count += 1;
        Ok(())
    }

    #[inline(always)]
    pub(super) fn update(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        match self.bounds.get_mut(id as usize) {
            Some(place) if place.min.x <= place.max.x => {
                *place = bounds;
                Ok(())
            }
            Some(_) | None => Err(BroadPhaseError::Unknown { id }),
        }
    }

    pub(super) fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        if self.bounds(id).is_none() {
            return Err(BroadPhaseError::Unknown { id });
        }
        self.bounds[id as usize] = NOTHING;
        self.count -= 1;
        Ok(())
    }

    /// How many bytes it holds.
    pub(super) fn memory(&self) -> usize {
        self.bounds.capacity() * size_of::<Aabb>()
    }
}
