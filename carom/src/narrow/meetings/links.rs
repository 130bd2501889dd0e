//! What pairs connect: for the islands, which follow it.

use super::Meetings;
use super::marks::{self, WORD};
use crate::body::Bodies;

/// How what a pair connects has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    New,
    Lost,
}

impl Meetings {
    /// For islands: calls `changed` with the bodies of each pair that pushes and did not when this was last asked, or does no
    /// longer.
    pub(crate) fn follow_links(&mut self, mut changed: impl FnMut([u32; 2], Link)) {
        let Self { heads, marks, unlinked, .. } = self;
        unlinked.drain(..).for_each(|bodies| changed(bodies, Link::Lost));
        for (first, marks) in (0..).step_by(WORD).zip(marks) {
            for place in marks::places(first, marks.changed_links()) {
                let head = &mut heads[place];
                head.is_linked = !head.is_linked;
                changed(head.bodies, if head.is_linked { Link::New } else { Link::Lost });
            }
        }
    }

    /// The same from the beginning: `linked` is called with the bodies of every pair that pushes, or did when it was parked.
    pub(crate) fn find_links(&mut self, bodies: &Bodies, mut linked: impl FnMut([u32; 2])) {
        self.unlinked.clear();
        for head in &mut self.heads {
            let is_left_out = head.bodies.iter().any(|body| bodies.activity(*body).is_left_out());
            head.is_linked = head.manifolds > 0 && !head.is_sensor && !is_left_out;
            if head.is_linked {
                linked(head.bodies);
            }
        }
    }

    /// For islands: calls `lost` with the bodies of each pair that pushed and has ended since this was last asked.
    pub(crate) fn take_unlinked(&mut self, lost: impl FnMut([u32; 2])) {
        self.unlinked.drain(..).for_each(lost);
    }
}
