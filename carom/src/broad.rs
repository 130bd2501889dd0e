//! Broad phase: which shapes may touch, by their boxes.

mod brute_force;

pub use brute_force::BruteForce;

use crate::body::Bodies;
use crate::bounds::Aabb;
use glam::Vec3;

/// Two proxies whose boxes overlap, the smaller id first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The smaller id.
    pub a: u32,
    /// The greater id.
    pub b: u32,
}

/// Why a broad phase refused a change; nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// The box is NaN, infinite or turned inside out.
    #[error("the box of proxy {id} from {min} to {max} is not sound")]
    BadBox {
        /// The proxy.
        id: u32,
        /// The box's least corner.
        min: Vec3,
        /// Its greatest corner.
        max: Vec3,
    },
    /// The id is taken.
    #[error("proxy {id} is there already")]
    Taken {
        /// The proxy.
        id: u32,
    },
    /// The id is unknown.
    #[error("there is no proxy {id}")]
    Unknown {
        /// The proxy.
        id: u32,
    },
}

/// Finds overlapping boxes among proxies that come, move and go. Ids are the caller's, small and reused.
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// Takes in a box under a new id.
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError>;

    /// Puts a box in place of the one under this id. `displacement` is how far it is expected to move until the next
    /// update: a hint.
    fn update(&mut self, id: u32, bounds: Aabb, displacement: Vec3) -> Result<(), BroadPhaseError>;

    /// Forgets a box.
    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError>;

    /// Replaces `pairs` by all that overlap now, each once, in ascending order.
    fn pairs(&mut self, pairs: &mut Vec<Pair>);

    /// Replaces `found` by the ids of the boxes that overlap `bounds`, in ascending order.
    fn overlapping(&self, bounds: &Aabb, found: &mut Vec<u32>);
}

/// Which structure a world uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Structure {
    /// Every box against every other.
    #[default]
    BruteForce,
}

impl Structure {
    pub(crate) fn build(self) -> Box<dyn BroadPhase> {
        match self {
            Self::BruteForce => Box::new(BruteForce::default()),
        }
    }
}

/// The stage: moves the boxes to where the bodies are and lists the pairs of colliders that may touch.
pub(crate) fn find_pairs(
    broad: &mut dyn BroadPhase,
    bodies: &Bodies,
    dt: f32,
    pairs: &mut Vec<Pair>,
) -> Result<(), BroadPhaseError> {
    for (dense, nature) in bodies.natures.iter().enumerate() {
        let pose = bodies.pose(dense as u32);
        let displacement = bodies.motions[dense].velocity * dt;
        for &slot in &nature.colliders {
            if let Some(collider) = bodies.collider(slot) {
                let bounds = Aabb::around_shape_at(&collider.shape, &pose.compose(&collider.pose_in_body));
                broad.update(slot, bounds, displacement)?;
            }
        }
    }
    broad.pairs(pairs);
    Ok(())
}
