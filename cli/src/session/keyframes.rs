//! Moments to go back to, in a bounded amount of memory: when it is full, every second one is forgotten and new ones are
//! kept half as often.

use super::input::Held;
use carom::world::Snapshot;

/// A moment: all that the frames after it depend on, before what was done in it.
#[derive(Debug)]
pub(super) struct Keyframe {
    pub(super) frame: u32,
    /// The first input that was not done yet.
    pub(super) next: usize,
    pub(super) held: Option<Held>,
    pub(super) snapshot: Snapshot,
}

/// Keyframes in the order of their frames; that of frame 0 is always there.
#[derive(Debug)]
pub(super) struct Keyframes {
    list: Vec<Keyframe>,
    spacing: u32,
    /// How many bytes there may be.
    budget: usize,
}

/// At first, so many frames are between two keyframes.
const SPACING: u32 = 16;
const BUDGET: usize = 256 << 20;

impl Default for Keyframes {
    fn default() -> Self {
        Self { list: Vec::new(), spacing: SPACING, budget: BUDGET }
    }
}

impl Keyframes {
    /// Whether a frame is to be kept and is not yet.
    pub(super) fn is_due(&self, frame: u32) -> bool {
        frame.is_multiple_of(self.spacing) && self.before(frame).is_none_or(|keyframe| keyframe.frame != frame)
    }

    /// Keeps one that comes after all others or between them.
    pub(super) fn keep(&mut self, keyframe: Keyframe) {
        let place = self.list.partition_point(|other| other.frame < keyframe.frame);
        self.list.insert(place, keyframe);
        while self.list.len() > 1 && self.size() > self.budget {
            self.spacing = self.spacing.saturating_mul(2);
            let spacing = self.spacing;
            self.list.retain(|keyframe| keyframe.frame.is_multiple_of(spacing));
        }
    }

    /// The last one up to a frame.
    pub(super) fn before(&self, frame: u32) -> Option<&Keyframe> {
        let after = self.list.partition_point(|keyframe| keyframe.frame <= frame);
        self.list.get(after.checked_sub(1)?)
    }

    pub(super) fn forget_after(&mut self, frame: u32) {
        self.list.retain(|keyframe| keyframe.frame <= frame);
    }

    fn size(&self) -> usize {
        self.list.iter().map(|keyframe| keyframe.snapshot.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::prelude::*;

    #[test]
    fn memory_is_bounded_and_the_start_is_kept() -> Result<(), Box<dyn std::error::Error>> {
        let mut world = World::default();
        for index in 0..10 {
            world.add(Body::dynamic().at([f64::from(index) * 2.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?))?;
        }
        let budget = 20 * world.snapshot().size();
        let mut keyframes = Keyframes { budget, ..Keyframes::default() };
        for frame in (0..10_000).filter(|frame| frame % SPACING == 0) {
            if keyframes.is_due(frame) {
                keyframes.keep(Keyframe { frame, next: 0, held: None, snapshot: world.snapshot() });
            }
            assert!(keyframes.size() <= budget);
        }
        assert_eq!(keyframes.before(0).map(|keyframe| keyframe.frame), Some(0));
        assert!(keyframes.list.len() >= 8, "{}", keyframes.list.len());
        keyframes.forget_after(0);
        assert_eq!(keyframes.before(u32::MAX).map(|keyframe| keyframe.frame), Some(0));
        Ok(())
    }
}
