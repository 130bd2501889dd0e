//! B1: every box against every other. No order to keep and nothing to rebuild, so it is the baseline that every other
//! structure must agree with, and the fastest for a handful of boxes. Cost: n²/2 tests.

use super::{BroadPhase, BroadPhaseError, Pair};
use crate::bounds::{Aabb, BoundingVolume};
use glam::Vec3;

/// Every box against every other.
#[derive(Debug, Clone, Default)]
pub struct BruteForce {
    /// By id; empty ids hold a box that overlaps nothing.
    bounds: Vec<Aabb>,
}

/// Greater below than above, so that no comparison with it succeeds.
const NOTHING: Aabb = Aabb::new(Vec3::INFINITY, Vec3::NEG_INFINITY);

fn checked(id: u32, bounds: Aabb) -> Result<Aabb, BroadPhaseError> {
    let Aabb { min, max } = bounds;
    // NaN fails the comparison.
    let sound = min.cmple(max).all() && min.is_finite() && max.is_finite();
    if sound { Ok(bounds) } else { Err(BroadPhaseError::BadBox { id, min, max }) }
}

impl BruteForce {
    fn entry(&mut self, id: u32) -> Result<&mut Aabb, BroadPhaseError> {
        match self.bounds.get_mut(id as usize) {
            Some(bounds) if *bounds != NOTHING => Ok(bounds),
            Some(_) | None => Err(BroadPhaseError::Unknown { id }),
        }
    }
}

impl BroadPhase for BruteForce {
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        if self.entry(id).is_ok() {
            return Err(BroadPhaseError::Taken { id });
        }
        let index = id as usize;
        if index >= self.bounds.len() {
            self.bounds.resize(index + 1, NOTHING);
        }
        self.bounds[index] = bounds;
        Ok(())
    }

    fn update(&mut self, id: u32, bounds: Aabb, _displacement: Vec3) -> Result<(), BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        *self.entry(id)? = bounds;
        Ok(())
    }

    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        *self.entry(id)? = NOTHING;
        Ok(())
    }

    fn pairs(&mut self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        for (a, bounds) in self.bounds.iter().enumerate() {
            let later = self.bounds.iter().enumerate().skip(a + 1);
            pairs.extend(
                later.filter(|(_, other)| bounds.overlaps(other)).map(|(b, _)| Pair { a: a as u32, b: b as u32 }),
            );
        }
    }

    fn overlapping(&self, bounds: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        found.extend((0u32..).zip(&self.bounds).filter(|(_, other)| bounds.overlaps(other)).map(|(id, _)| id));
    }
}
