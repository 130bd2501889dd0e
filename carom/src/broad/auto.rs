//! B15: choice by what the scene is like. Few boxes are compared one with another; boxes that are mostly new since the
//! last look are swept or put into a grid, which have nothing to keep; all others are followed by the tree, which is
//! never far from the best and the only one that is cheap when little moves. The thresholds are where the curves of
//! `carom bench broad` cross.

use super::events::Events;
use super::{
    BoxRay, BroadPhase, BroadPhaseError, Changes, Choice, Cost, Drawn, Moved, Neighbour, Pair, Profile, Proxies,
    Structure,
};
use crate::bounds::Aabb;
use glam::Vec3;

/// Up to so many boxes all pairs are tested.
const FEW: usize = 128;
/// Up to so many new boxes one axis is swept.
const SWEPT: usize = 1500;
/// Up to this ratio of the largest box to the median one a grid has cells that fit.
const EVEN: f32 = 4.0;
/// A structure is changed when another has been the better one at so many looks in a row.
const PATIENCE: u32 = 3;

/// Picks a structure for the scene, and another when the scene has changed.
#[derive(Debug)]
pub struct Auto {
    inner: Box<dyn BroadPhase>,
    choice: Choice,
    has_looked: bool,
    /// Boxes inserted and moved since the last look.
    inserted: usize,
    moved: usize,
    /// Another structure would have been picked at so many looks.
    doubts: u32,
    /// Events since the structure was changed, until they have been told.
    events: Events,
    has_events: bool,
}

impl Default for Auto {
    fn default() -> Self {
        // Nothing is built before the first look, so this is where boxes wait.
        let structure = Structure::BruteForce;
        let choice = Choice { structure, profile: Profile::default(), reason: "nothing was asked yet" };
        Self {
            inner: structure.build(),
            choice,
            has_looked: false,
            inserted: 0,
            moved: 0,
            doubts: 0,
            events: Events::default(),
            has_events: false,
        }
    }
}

impl Auto {
    /// What would be picked now, and why.
    fn pick(&self) -> Choice {
        let count = self.inner.len();
        let share = |part: usize| part as f32 / count.max(1) as f32;
        let mut profile = Profile {
            boxes: count,
            new_share: share(self.inserted),
            moving_share: share(self.moved),
            size_spread: 1.0,
        };
        let (structure, reason) = if count <= FEW {
            (Structure::BruteForce, "so few boxes are compared fastest one with another")
        } else if profile.new_share < 0.5 {
            (Structure::DynamicTree, "most boxes were there before, and the tree touches only what has changed")
        } else if count <= SWEPT {
            (Structure::SortAndSweep, "a few hundred new boxes are swept faster than any structure is built")
        } else {
            profile.size_spread = self.size_spread();
            if profile.size_spread <= EVEN {
                (Structure::UniformGrid, "new boxes of like size fill the cells of a grid evenly")
            } else {
                (Structure::DynamicTree, "new boxes of unlike size fit no grid, but a tree")
            }
        };
        Choice { structure, profile, reason }
    }

    /// The largest extent over the median one, of at most a thousand boxes spread over the ids.
    fn size_spread(&self) -> f32 {
        let mut ids = Vec::with_capacity(self.inner.len());
        self.inner.overlapping(&EVERYWHERE, &mut |id| ids.push(id));
        let stride = ids.len().div_ceil(1000).max(1);
        let mut sizes: Vec<f32> = ids
            .iter()
            .step_by(stride)
            .filter_map(|&id| self.inner.bounds(id))
            .map(|bounds| (bounds.max - bounds.min).max_element())
            .collect();
        sizes.sort_unstable_by(f32::total_cmp);
        match (sizes.get(sizes.len() / 2), sizes.last()) {
            (Some(&median), Some(&largest)) if median > 0.0 => largest / median,
            _ => f32::INFINITY,
        }
    }

    /// Before pairs are looked for: changes the structure if another has long been the better one.
    fn prepare(&mut self) {
        if self.inserted == 0 && self.moved == 0 {
            return;
        }
        let choice = self.pick();
        self.inserted = 0;
        self.moved = 0;
        if choice.structure == self.choice.structure {
            self.doubts = 0;
            self.choice = choice;
        } else {
            self.doubts += 1;
            if !self.has_looked || self.doubts >= PATIENCE {
                self.change(choice);
            }
        }
        self.has_looked = true;
    }

    /// Keeps what the structure has to tell, to be told with what comes after.
    fn take_events(&mut self) {
        let changes = self.inner.changes();
        self.events.begin();
        self.events.began.extend_from_slice(changes.began);
        self.events.ended.extend_from_slice(changes.ended);
        self.has_events = true;
    }

    fn change(&mut self, choice: Choice) {
        if self.has_looked {
            self.take_events();
        }
        let mut boxes = Proxies::default();
        let inner = &self.inner;
        inner.overlapping(&EVERYWHERE, &mut |id| {
            if let Some(bounds) = inner.bounds(id) {
                let inserted = boxes.insert(id, bounds);
                debug_assert_eq!(inserted, Ok(()), "a structure names each box once");
            }
        });
        let mut structure = choice.structure.build_over(&boxes);
        if self.has_looked {
            // These are the pairs that the structure before had.
            structure.changes();
        }
        self.inner = structure;
        self.choice = choice;
        self.doubts = 0;
    }
}

const EVERYWHERE: Aabb = Aabb::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));

impl BroadPhase for Auto {
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        self.inner.insert(id, bounds)?;
        self.inserted += 1;
        Ok(())
    }

    fn update(&mut self, id: u32, bounds: Aabb, displacement: Vec3) -> Result<(), BroadPhaseError> {
        self.inner.update(id, bounds, displacement)?;
        self.moved += 1;
        Ok(())
    }

    fn update_many(&mut self, moves: &[Moved]) -> Result<(), BroadPhaseError> {
        self.inner.update_many(moves)?;
        self.moved += moves.len();
        Ok(())
    }

    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        self.inner.remove(id)?;
        self.moved += 1;
        Ok(())
    }

    fn bounds(&self, id: u32) -> Option<Aabb> {
        self.inner.bounds(id)
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn pairs(&mut self) -> &[Pair] {
        self.prepare();
        self.inner.pairs()
    }

    fn changes(&mut self) -> Changes<'_> {
        self.prepare();
        if !std::mem::take(&mut self.has_events) {
            return self.inner.changes();
        }
        self.take_events();
        self.has_events = false;
        self.events.look()
    }

    fn look_ahead(&mut self) {
        self.inner.look_ahead();
    }

    fn overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.inner.overlapping(bounds, visit);
    }

    fn cast_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32) {
        self.inner.cast_ray(ray, visit);
    }

    fn nearest(&self, point: Vec3, count: usize, found: &mut Vec<Neighbour>) {
        self.inner.nearest(point, count, found);
    }

    fn draw(&self, sink: &mut dyn FnMut(Drawn)) {
        self.inner.draw(sink);
    }

    fn cost(&self) -> Cost {
        self.inner.cost()
    }

    fn choice(&self) -> Option<&Choice> {
        Some(&self.choice)
    }
}
