//! How the world stood when its last step began.
//!
//! A step finds its contacts where bodies are at its start. Who wants to know whether they are right has to look there,
//! not where the bodies went. And what a broad phase has to follow is the way from those boxes to the present ones.

use carom::bounds::Aabb;
use carom::pose::Pose;
use carom::world::World;

/// Poses and boxes at the start of the last step; none where no step has led here.
#[derive(Debug, Default)]
pub(crate) struct Before {
    poses: Vec<Pose>,
    boxes: Vec<(u32, Aabb)>,
}

impl Before {
    pub(super) fn note(&mut self, world: &World) {
        self.forget();
        self.poses.extend(world.bodies().map(|body| body.pose()));
        self.boxes.extend(world.boxes());
    }

    pub(super) fn forget(&mut self) {
        self.poses.clear();
        self.boxes.clear();
    }

    /// Where a body was, as [`World::bodies`] counts; none of one that was not there.
    pub(crate) fn pose(&self, body: u32) -> Option<Pose> {
        self.poses.get(body as usize).copied()
    }

    /// The boxes as the broad phase had them, by slot.
    pub(crate) fn boxes(&self) -> &[(u32, Aabb)] {
        &self.boxes
    }
}
