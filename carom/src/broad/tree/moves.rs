//! Taking in moved boxes. A tree that no cache holds is gone through from end to end, not as the caller's list happens
//! to be ordered: each box costs several reads far apart, and the next are under way only if they are close by.

use super::super::proxies::{checked, is_sound};
use super::super::{BroadPhaseError, Moved};
use super::build::OUT_OF_CACHE;
use super::{DynamicTree, NONE, follow};
use crate::bounds::Aabb;
use crate::radix::{self, Keyed};
use fearless_simd::dispatch;
use glam::{Vec3, Vec3A};
use std::hint::black_box;

/// A slot in the upper half, and which of the moves is for it in the lower.
#[derive(Debug, Clone, Copy, Default)]
struct Place(u64);

impl Place {
    #[inline(always)]
    fn slot(self) -> u32 {
        (self.0 >> u32::BITS) as u32
    }

    #[inline(always)]
    fn of(self, moves: &[Moved]) -> &Moved {
        &moves[self.0 as u32 as usize]
    }
}

/// Reads from each line of memory that holds some of a move; what is returned means nothing.
#[inline(always)]
fn touch(moved: &Moved) -> u32 {
    moved.id | moved.bounds.min.x.to_bits() | moved.bounds.max.z.to_bits() | moved.displacement.z.to_bits()
}

/// log2 of how many slots may be visited in any order.
const NEIGHBOURHOOD: u32 = 9;

impl Keyed for Place {
    #[inline(always)]
    fn key(&self) -> u64 {
        self.0 >> (u32::BITS + NEIGHBOURHOOD)
    }
}

impl DynamicTree {
    /// Moves many boxes at once: asks for the new box of each proxy and its expected displacement, as in
    /// [`crate::broad::BroadPhase::update`], in the order in which the tree holds them. That is several times as fast as
    /// updates one by one, since the tree is gone through once from end to end. A proxy without an answer stays. At a box
    /// that is not sound it ends; what was answered before has been taken in.
    ///
    /// ```
    /// use carom::bounds::Aabb;
    /// use carom::broad::{BroadPhase, DynamicTree};
    /// use carom::glam::Vec3;
    ///
    /// let mut boxes = vec![Aabb::new(Vec3::ZERO, Vec3::ONE), Aabb::new(Vec3::splat(3.0), Vec3::splat(4.0))];
    /// let mut tree = DynamicTree::from_boxes(&boxes)?;
    /// assert!(tree.changes().began.is_empty());
    /// boxes[1] = Aabb::new(Vec3::splat(0.5), Vec3::splat(1.5));
    /// tree.update_all(|id| Some((&boxes[id as usize], &Vec3::ZERO)))?;
    /// assert_eq!(tree.changes().began.len(), 1);
    /// # Ok::<(), carom::broad::BroadPhaseError>(())
    /// ```
    pub fn update_all<'a>(
        &mut self,
        moved: impl FnMut(u32) -> Option<(&'a Aabb, &'a Vec3)>,
    ) -> Result<(), BroadPhaseError> {
        let level = self.level;
        let outcome = dispatch!(level, _simd => self.move_all(moved));
        self.nodes.refit();
        outcome
    }

    #[inline(always)]
    fn move_all<'a>(
        &mut self,
        mut moved: impl FnMut(u32) -> Option<(&'a Aabb, &'a Vec3)>,
    ) -> Result<(), BroadPhaseError> {
        for slot in 0..self.slots.len() as u32 {
            let id = self.slots.id(slot);
            if id != NONE
                && self.slots.has_box(slot)
                && let Some((bounds, displacement)) = moved(id)
                && let Some(enlarged) = self.move_slot(slot, id, bounds, displacement)?
            {
                self.nodes.set(slot, &enlarged);
            }
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn move_box(&mut self, id: u32, bounds: &Aabb, displacement: &Vec3) -> Result<(), BroadPhaseError> {
        let slot = self.slot(id).ok_or(BroadPhaseError::Unknown { id })?;
        if let Some(enlarged) = self.move_slot(slot, id, bounds, displacement)? {
            self.nodes.enlarge(slot, &enlarged);
        }
        Ok(())
    }

    /// Takes in the box of a slot; returns the enlarged box that it is to be given, if it needs another.
    #[inline(always)]
    fn move_slot(
        &mut self,
        slot: u32,
        id: u32,
        bounds: &Aabb,
        displacement: &Vec3,
    ) -> Result<Option<Aabb>, BroadPhaseError> {
        let (least, greatest) = self.nodes.corners(slot);
        let (min, max) = (Vec3A::from(bounds.min), Vec3A::from(bounds.max));
        // A box that is not sound fits nowhere.
        let fits = (least.cmple(min) & min.cmple(max) & max.cmple(greatest)).all();
        let another =
            if fits && !self.judges_room { None } else { self.another_enlarged(slot, id, *bounds, *displacement)? };
        if self.slots.replace_bounds(slot, min, max) {
            self.slots.mark_moved(slot);
            self.is_current = false;
        }
        Ok(another)
    }

    /// The enlarged box that a slot is to be given for a box. By value and out of line: what is kept in memory for the
    /// few that need it would cost all others.
    #[cold]
    #[inline(never)]
    fn another_enlarged(
        &mut self,
        slot: u32,
        id: u32,
        bounds: Aabb,
        displacement: Vec3,
    ) -> Result<Option<Aabb>, BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        let another = follow::enlarged_if_needed(&self.nodes.get(slot), &bounds, displacement);
        if another.is_some() {
            self.mark_left(slot);
        }
        Ok(another)
    }

    /// See [`BroadPhase::update_many`](super::super::BroadPhase::update_many).
    pub(super) fn move_many(&mut self, moves: &[Moved]) -> Result<(), BroadPhaseError> {
        if self.slots.len() < OUT_OF_CACHE || moves.len() * WORTH_READING < self.slots.len() {
            return moves.iter().try_for_each(|moved| self.move_box(moved.id, &moved.bounds, &moved.displacement));
        }
        let Places { mut places, mut spare } = std::mem::take(&mut self.places);
        places.clear();
        places.reserve_exact(moves.len());
        let mut outcome = Ok(());
        for (index, moved) in (0u64..).zip(moves) {
            match self.slot(moved.id) {
                Some(slot) if is_sound(&moved.bounds) => places.push(Place(u64::from(slot) << u32::BITS | index)),
                // The update that fails says why.
                Some(_) | None => {
                    outcome = self.move_box(moved.id, &moved.bounds, &moved.displacement);
                    break;
                }
            }
        }
        let neighbourhoods = self.slots.len() >> NEIGHBOURHOOD;
        // Stable: of two moves of one box the later stays the later.
        radix::sort(&mut places, &mut spare, usize::BITS - neighbourhoods.leading_zeros());
        for places in places.chunk_by(|a, b| a.key() == b.key()) {
            if let Err(error) = self.move_neighbours(places, moves) {
                outcome = Err(error);
                break;
            }
        }
        self.places = Places { places, spare };
        outcome
    }

    /// Moves boxes whose slots are close to each other.
    fn move_neighbours(&mut self, places: &[Place], moves: &[Moved]) -> Result<(), BroadPhaseError> {
        // Read before it is worked on: so many more reads are under way at a time.
        black_box(places.iter().fold(0, |bits, place| bits | touch(place.of(moves))));
        black_box(places.iter().fold(0, |bits, place| {
            bits | self.slots.touch_box(place.slot()) | self.nodes.touch_block_of(place.slot())
        }));
        places.iter().try_for_each(|place| {
            let (slot, moved) = (place.slot(), place.of(moves));
            if let Some(enlarged) = self.move_slot(slot, moved.id, &moved.bounds, &moved.displacement)? {
                self.nodes.enlarge(slot, &enlarged);
            }
            Ok(())
        })
    }
}

/// Scratch of [`DynamicTree::move_many`].
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    places: Vec<Place>,
    spare: Vec<Place>,
}

impl Places {
    pub(super) fn memory(&self) -> usize {
        (self.places.capacity() + self.spare.capacity()) * size_of::<Place>()
    }
}

/// With fewer than one box in so many there are too few in a neighbourhood to read it for.
pub(super) const WORTH_READING: usize = 32;
