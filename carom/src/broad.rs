//! Broad phase: which shapes may touch, by their boxes.
//!
//! Every structure stands behind [`BroadPhase`] and gives exactly the same pairs; they differ in what they are fast at.
//! Structures that are built anew for every set of boxes implement the smaller [`Index`] and get the rest from
//! [`Rebuilt`].

mod apart;
mod auto;
mod block;
mod box_tree;
mod brute_force;
mod bsp;
mod bvh;
mod cell_walk;
mod columns;
mod drawing;
mod events;
mod hierarchical_grid;
pub(crate) mod hilbert;
mod kd_tree;
mod octree;
mod pair_set;
mod placed;
pub(crate) mod preorder;
mod proxies;
mod ray;
mod rebuilt;
mod sort_and_sweep;
mod sorted_cells;
mod spatial_hash;
mod spread;
mod sweep_and_prune;
mod tree;
mod uniform_grid;

pub use auto::Auto;
pub use brute_force::BruteForce;
pub use bsp::Bsp;
pub use bvh::{Bvh, BvhBuild, BvhError, REBUILD_PAYS, StaticBvh, adjacent_triangles};
pub use drawing::Drawn;
pub use hierarchical_grid::{HierarchicalGrid, Levels};
pub use kd_tree::KdTree;
pub use octree::Octree;
pub use pair_set::PairSet;
pub use proxies::Proxies;
pub use ray::BoxRay;
pub use rebuilt::{Index, Rebuilt};
pub use sort_and_sweep::{SortAndSweep, SweptAxis};
pub use spatial_hash::{HashedCells, SpatialHash};
pub use sweep_and_prune::SweepAndPrune;
pub use tree::DynamicTree;
pub use uniform_grid::{Cells, UniformGrid};

use crate::body::{Bodies, BodyKind, Collider, Motion};
use crate::bounds::Aabb;
use crate::threads::{self, Counters, Shared, Task};
use crate::world::Margins;
use glam::Vec3;
use std::hash::{BuildHasherDefault, Hasher};

/// Two proxies whose boxes overlap, the smaller id first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The smaller id.
    pub a: u32,
    /// The greater id.
    pub b: u32,
}

impl Pair {
    /// The pair of two ids, in either order.
    #[inline(always)]
    pub fn new(one: u32, other: u32) -> Self {
        Self { a: one.min(other), b: one.max(other) }
    }
}

/// For maps and sets of pairs that are asked. Who walks through one sorts what comes: the order means nothing.
pub(crate) type PairHash = BuildHasherDefault<PairHasher>;

/// Fibonacci hashing of words: the upper bits of the product are well mixed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        let product = (self.0 ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ product >> 32;
    }
}

/// The greatest number of proxies; ids are below it.
pub const MAX_PROXIES: u32 = 1 << 31;

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
    /// The id is too great.
    #[error("the id {id} is not below {MAX_PROXIES}")]
    IdTooGreat {
        /// The proxy.
        id: u32,
    },
}

/// What has changed between two looks at the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changes<'a> {
    /// Pairs that overlap now and did not before.
    pub began: &'a [Pair],
    /// Pairs that overlapped before and do not now, or whose proxy is gone.
    pub ended: &'a [Pair],
}

/// A box near a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The proxy.
    pub id: u32,
    /// The squared distance from the point to its box; 0 inside.
    pub distance_squared: f32,
}

/// What a structure that picks another by itself has picked, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What it picked.
    pub structure: Structure,
    /// What it saw.
    pub profile: Profile,
    /// Why that speaks for the structure.
    pub reason: &'static str,
}

/// What a set of boxes is like.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Profile {
    /// How many boxes there are.
    pub boxes: usize,
    /// The share that came since the last look.
    pub new_share: f32,
    /// The share that moved since the last look.
    pub moving_share: f32,
    /// The largest extent over the median one, where it was measured; else 1.
    pub size_spread: f32,
}

/// What a structure costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// How many pairs of boxes the last search for pairs compared.
    pub tests: u64,
    /// How many bytes the structure holds.
    pub memory: usize,
}

/// A box at its new place, for [`BroadPhase::update_many`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// Whose box it is.
    pub id: u32,
    /// The box.
    pub bounds: Aabb,
    /// How far it is expected to move until the next update.
    pub displacement: Vec3,
}

/// Finds overlapping boxes among proxies that come, move and go. Ids are the caller's: small, and reused after removal.
///
/// Boxes are closed: those that touch overlap. Queries see every change at once, whether or not pairs were asked for
/// since. Orders depend on the history of calls only, never on the number of threads.
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// Takes in a box under a new id.
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError>;

    /// Puts a box in place of the one under this id. `displacement` is how far it is expected to move until the next
    /// update: a hint that changes no answer.
    fn update(&mut self, id: u32, bounds: Aabb, displacement: Vec3) -> Result<(), BroadPhaseError>;

    /// Moves many boxes, as by one update after the other: at an error those before it have moved. A structure may go
    /// about it in an order that suits it better than that of the list.
    fn update_many(&mut self, moves: &[Moved]) -> Result<(), BroadPhaseError> {
        moves.iter().try_for_each(|moved| self.update(moved.id, moved.bounds, moved.displacement))
    }

    /// Forgets a box.
    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError>;

    /// The box under an id.
    fn bounds(&self, id: u32) -> Option<Aabb>;

    /// How many boxes there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs that overlap now, each once.
    fn pairs(&mut self) -> &[Pair];

    /// What has changed since the last call of this function.
    fn changes(&mut self) -> Changes<'_>;

    /// Looks for pairs now, so that the next look at them or at changes has less to do: at a time that suits the caller.
    /// It changes no answer.
    fn look_ahead(&mut self) {}

    /// Calls `visit` with each box that overlaps `bounds`, once.
    fn overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32));

    /// Calls `visit` with each box that the ray meets before its limit and the distance where it enters it, in units
    /// of the ray's direction. What `visit` returns is the limit from then on.
    fn cast_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32);

    /// Replaces `found` by the `count` boxes nearest to a point, the nearest first, smaller ids first among equals.
    fn nearest(&self, point: Vec3, count: usize, found: &mut Vec<Neighbour>);

    /// Calls `visit` with each box within `radius` of a point.
    fn within(&self, center: Vec3, radius: f32, visit: &mut dyn FnMut(u32)) {
        // A NaN or negative radius reaches nothing.
        if radius >= 0.0 && center.is_finite() {
            self.overlapping(&Aabb::new(center - radius, center + radius), &mut |id| {
                if self.bounds(id).is_some_and(|bounds| distance_squared(&bounds, center) <= radius * radius) {
                    visit(id);
                }
            });
        }
    }

    /// Shows the structure: calls `sink` with each part of it.
    fn draw(&self, sink: &mut dyn FnMut(Drawn));

    /// What it costs.
    fn cost(&self) -> Cost;

    /// What it has picked and why, if it picks a structure by itself.
    fn choice(&self) -> Option<&Choice> {
        None
    }
}

/// The squared distance from a box to a point; 0 inside.
#[inline(always)]
pub(crate) fn distance_squared(bounds: &Aabb, point: Vec3) -> f32 {
    (bounds.min - point).max(point - bounds.max).max(Vec3::ZERO).length_squared()
}

/// Which structure a world uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Structure {
    /// Every box against every other.
    BruteForce,
    /// Sort and sweep along one axis, anew at every look.
    SortAndSweep,
    /// Three sorted axes that follow moving boxes.
    SweepAndPrune,
    /// One grid with cells for the largest box.
    UniformGrid,
    /// A grid for each octave of sizes.
    HierarchicalGrid,
    /// Cells of all sizes in a hash table.
    SpatialHash,
    /// A tree that follows moving boxes.
    #[default]
    DynamicTree,
    /// Cubes divided in eight.
    Octree,
    /// Median planes across the axes.
    KdTree,
    /// Planes along faces of the boxes.
    Bsp,
    /// A hierarchy of boxes that is refitted while it stays good.
    StaticBvh,
    /// Whichever of these suits the scene.
    Auto,
}

impl Structure {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::BruteForce,
        Self::SortAndSweep,
        Self::SweepAndPrune,
        Self::UniformGrid,
        Self::HierarchicalGrid,
        Self::SpatialHash,
        Self::Octree,
        Self::KdTree,
        Self::Bsp,
        Self::StaticBvh,
        Self::DynamicTree,
        Self::Auto,
    ];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::BruteForce => "brute force",
            Self::SortAndSweep => "sort and sweep",
            Self::SweepAndPrune => "sweep and prune",
            Self::UniformGrid => "uniform grid",
            Self::HierarchicalGrid => "hierarchical grid",
            Self::SpatialHash => "spatial hash",
            Self::DynamicTree => "dynamic tree",
            Self::Octree => "octree",
            Self::KdTree => "k-d tree",
            Self::Bsp => "BSP tree",
            Self::StaticBvh => "static hierarchy",
            Self::Auto => "auto",
        }
    }

    /// The structure, empty.
    pub fn build(self) -> Box<dyn BroadPhase> {
        match self {
            Self::BruteForce => Box::new(BruteForce::default()),
            Self::SortAndSweep => Box::new(SortAndSweep::default()),
            Self::SweepAndPrune => Box::new(SweepAndPrune::default()),
            Self::UniformGrid => Box::new(UniformGrid::default()),
            Self::HierarchicalGrid => Box::new(HierarchicalGrid::default()),
            Self::SpatialHash => Box::new(SpatialHash::default()),
            Self::DynamicTree => Box::new(DynamicTree::default()),
            Self::Octree => Box::new(Rebuilt::<Octree>::default()),
            Self::KdTree => Box::new(Rebuilt::<KdTree>::default()),
            Self::Bsp => Box::new(Rebuilt::<Bsp>::default()),
            Self::StaticBvh => Box::new(Rebuilt::<StaticBvh>::default()),
            Self::Auto => Box::new(Auto::default()),
        }
    }

    /// The structure over boxes that are sound.
    fn build_over(self, boxes: &Proxies) -> Box<dyn BroadPhase> {
        if self == Self::DynamicTree {
            return Box::new(DynamicTree::over(boxes));
        }
        let mut structure = self.build();
        for (id, bounds) in boxes.iter() {
            let inserted = structure.insert(id, *bounds);
            debug_assert_eq!(inserted, Ok(()), "the boxes were checked before");
        }
        structure
    }
}

/// Boxes on their way to the broad phase; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    moves: Vec<Moved>,
    /// Of each block of bodies where its boxes begin.
    firsts: Vec<usize>,
    counters: Counters,
}

impl Placed {
    /// The boxes that were listed last.
    pub(crate) fn moves(&self) -> &[Moved] {
        &self.moves
    }
}

/// From so many boxes on a structure may share out its work by rayon.
pub(crate) const SHARED_FROM: usize = tree::MANY;

/// How many bodies a worker places in one go, and how long before its turn one is asked for.
const PLACED: usize = 64;
const AHEAD: usize = 8;

/// The stage: lists the boxes of these bodies, each of which is here once, where they are and will be `dt` later; but not of
/// those that sleep or stand fixed where they were.
pub(crate) fn place_boxes(
    bodies: &mut Bodies,
    whom: &[u32],
    (dt, margins): (f32, Margins),
    workers: usize,
    placed: &mut Placed,
) {
    let Bodies { natures, motions, rests, colliders, .. } = bodies;
    let Placed { moves, firsts, counters } = placed;
    let slots_of = |dense: u32| {
        let (nature, rest) = (&natures[dense as usize], &rests[dense as usize]);
        let stays = rest.is_asleep() || (nature.kind == BodyKind::Fixed && !nature.is_displaced);
        if stays { &[] } else { &nature.colliders[..] }
    };
    let colliders = Shared::new(colliders);
    // Asks for a body's motion and its first collider, which are needed soon.
    let fetch = |dense: u32| {
        if let Some(&slot) = natures[dense as usize].colliders.first() {
            threads::fetch(&raw const motions[dense as usize], size_of::<Motion>());
            colliders.fetch_all_to_write(slot as usize);
        }
    };
    let place = |dense: u32, list: &mut dyn FnMut(Moved)| {
        let (nature, motion) = (&natures[dense as usize], &motions[dense as usize]);
        for &slot in slots_of(dense) {
            // SAFETY: a collider is one body's, and each body one worker's.
            #[allow(unsafe_code)]
            let Some(collider) = (unsafe { colliders.get_mut(slot as usize) }) else { continue };
            collider.pose = nature.pose_of(motion).compose(&collider.pose_in_body);
            list(moved_to(slot, collider, motion.velocity * dt, margins));
        }
    };
    moves.clear();
    let size = threads::block_size(PLACED);
    let blocks = whom.len().div_ceil(size);
    if workers == 1 || !threads::is_worth(blocks >= 16) {
        for (index, dense) in whom.iter().enumerate() {
            whom.get(index + AHEAD).iter().for_each(|ahead| fetch(**ahead));
            place(*dense, &mut |moved| moves.push(moved));
        }
        return;
    }
    let block_of = |block: u32| whom.iter().skip(block as usize * size).take(size);
    firsts.clear();
    firsts.resize(blocks, 0);
    let shared_firsts = Shared::new(firsts);
    threads::run(workers, &[blocks as u32], counters, |Task { block, .. }| {
        // SAFETY: each block has one worker.
        #[allow(unsafe_code)]
        let count = unsafe { shared_firsts.get_mut(block as usize) };
        *count = block_of(block).map(|dense| slots_of(*dense).len()).sum();
    });
    let mut all = 0;
    firsts.iter_mut().for_each(|first| all += std::mem::replace(first, all));
    moves.resize(all, Moved { id: u32::MAX, bounds: Aabb::new(Vec3::ZERO, Vec3::ZERO), displacement: Vec3::ZERO });
    let shared_moves = Shared::new(moves);
    // By the workers who have moved the bodies, and have them at hand.
    threads::run(workers, &[blocks as u32], counters, |Task { block, .. }| {
        let mut next = firsts[block as usize];
        let ahead = whom.iter().skip(block as usize * size + AHEAD).map(Some).chain(std::iter::repeat(None));
        for (dense, ahead) in block_of(block).zip(ahead) {
            ahead.iter().for_each(|ahead| fetch(**ahead));
            place(*dense, &mut |moved| {
                // SAFETY: each block has places of its own, as many as its bodies have colliders.
                #[allow(unsafe_code)]
                let place = unsafe { shared_moves.get_mut(next) };
                *place = moved;
                next += 1;
            });
        }
    });
}

fn moved_to(slot: u32, collider: &Collider, displacement: Vec3, margins: Margins) -> Moved {
    let bounds = bounds_of(collider, margins);
    let is_fast = displacement.length_squared() > collider.margin * collider.margin;
    // What moves by more than its margin in a step is looked for along its way.
    let bounds = if is_fast { bounds.swept(displacement) } else { bounds };
    Moved { id: slot, bounds, displacement }
}

/// The box of a collider with its margin.
pub(crate) fn bounds_of(collider: &Collider, margins: Margins) -> Aabb {
    placed::bounds_at(&collider.shape, &collider.pose).enlarged(margins.of(collider))
}
