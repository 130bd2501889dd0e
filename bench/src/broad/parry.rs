//! parry3d's tree: built anew, and followed from frame to frame as rapier3d 0.36 does.

use super::frame::Follower;
use super::full::{PairFinder, Sets};
use carom::bounds::Aabb;
use carom::broad::Moved;
use parry3d::bounding_volume::Aabb as PeerAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};
use parry3d::utils::hashmap::HashMap;
use std::time::{Duration, Instant};

pub const PARRY: &str = "parry3d 0.31";

pub fn peer_box(bounds: &Aabb) -> PeerAabb {
    let corner = |corner: carom::glam::Vec3| Vector::new(corner.x, corner.y, corner.z);
    PeerAabb::new(corner(bounds.min), corner(bounds.max))
}

pub fn peer_boxes(boxes: &[Aabb]) -> Vec<PeerAabb> {
    boxes.iter().map(peer_box).collect()
}

/// The pairs that overlap.
pub fn all_pairs(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &peer_boxes(boxes));
    let mut pairs = Vec::new();
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| pairs.push((a, b)));
    pairs
}

/// Builds the tree and walks it against itself. There are two ways to build: a new tree, or new boxes for the leaves
/// of the last one and a rebuild in its memory. Which one is faster depends on the boxes; the faster one is taken.
pub struct Finder {
    sets: [Vec<PeerAabb>; 2],
    tree: Bvh,
    workspace: BvhWorkspace,
    is_new_faster: bool,
    pairs: Vec<(u32, u32)>,
}

impl Finder {
    pub fn new(sets: &Sets) -> Self {
        let sets = [peer_boxes(&sets[0]), peer_boxes(&sets[1])];
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &sets[0]);
        let mut finder =
            Self { sets, tree, workspace: BvhWorkspace::default(), is_new_faster: true, pairs: Vec::new() };
        let mut shortest = [Duration::MAX; 2];
        let turns = if finder.sets[0].len() < 20_000 { 40 } else { 4 };
        for turn in 0..turns {
            finder.is_new_faster = turn % 2 == 0;
            let start = Instant::now();
            finder.run(turn / 2 % 2);
            shortest[turn % 2] = shortest[turn % 2].min(start.elapsed());
        }
        finder.is_new_faster = shortest[0] <= shortest[1];
        finder
    }
}

impl PairFinder for Finder {
    fn peer(&self) -> &'static str {
        PARRY
    }

    fn note(&self) -> &'static str {
        if self.is_new_faster { "new binned tree" } else { "binned rebuild in place" }
    }

    fn run(&mut self, set: usize) {
        let boxes = &self.sets[set];
        if self.is_new_faster {
            let leaves = boxes.iter().copied().enumerate();
            self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        } else {
            for (id, &bounds) in (0u32..).zip(boxes) {
                self.tree.insert_or_update_partially(bounds, id, 0.0);
            }
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
            self.tree.refit(&mut self.workspace);
        }
        self.pairs.clear();
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| self.pairs.push((a, b)));
    }

    fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}

/// How much rapier enlarges a leaf: this share of the length unit, which is 1 and the mean extent of our boxes.
const MARGIN: f32 = 0.04;
/// One in this many changed leaves is much: rapier then refits the whole tree and optimises it.
const MUCH: usize = 16;

/// The steps of rapier3d 0.36's broad phase without its `parallel` feature, boxes given instead of colliders and no
/// filters. It reports pairs of enlarged boxes.
pub struct AsRapier {
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: HashMap<(u32, u32), u32>,
    /// The other half of each pair, for both.
    adjacent: Vec<Vec<u32>>,
    updated: Vec<u32>,
    updated_before: Vec<u32>,
    is_updated: Vec<bool>,
    candidates: Vec<(u32, u32)>,
    stale: Vec<(u32, u32)>,
    changes_since_optimisation: usize,
    reinserts: bool,
    frame: u32,
    began: Vec<(u32, u32)>,
    ended: Vec<(u32, u32)>,
}

impl AsRapier {
    /// Begins with a good tree and all pairs.
    pub fn new(boxes: &[Aabb]) -> Self {
        let enlarged: Vec<Aabb> = boxes.iter().map(|bounds| bounds.enlarged(MARGIN)).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &peer_boxes(&enlarged));
        let mut workspace = BvhWorkspace::default();
        let mut candidates = Vec::new();
        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| candidates.push((a, b)));
        let mut start = Self {
            tree,
            workspace,
            pairs: HashMap::default(),
            adjacent: vec![Vec::new(); boxes.len()],
            updated: Vec::new(),
            updated_before: Vec::new(),
            is_updated: vec![false; boxes.len()],
            candidates,
            stale: Vec::new(),
            changes_since_optimisation: 0,
            reinserts: false,
            frame: 0,
            began: Vec::new(),
            ended: Vec::new(),
        };
        start.add_new_pairs();
        start
    }

    fn update_leaves(&mut self, moves: &[Moved]) {
        self.updated.clear();
        let reinserts = self.reinserts && moves.len() * MUCH < self.leaf_count();
        for moved in moves {
            let bounds = peer_box(&moved.bounds);
            let status = if reinserts {
                self.tree.reinsert_or_update_if_present(bounds, moved.id, MARGIN)
            } else {
                self.tree.update_partially_if_present(bounds, moved.id, MARGIN)
            };
            if status.is_some_and(|status| status != BvhLeafUpdateStatus::Unchanged) {
                self.changes_since_optimisation += usize::from(!reinserts);
                self.updated.push(moved.id);
            }
        }
        self.reinserts = self.updated.len() * MUCH < self.leaf_count();
    }

    /// Whether the tree is optimised after this frame's pairs have been found, as rapier puts it off to then.
    fn wants_optimisation(&mut self) -> bool {
        let leaves = self.leaf_count();
        let wants = self.changes_since_optimisation > 0
            && (self.updated.len() * MUCH >= leaves
                || (self.frame.is_multiple_of(8) && self.changes_since_optimisation * 64 >= leaves));
        if wants {
            self.changes_since_optimisation = 0;
        }
        wants
    }

    fn refit(&mut self) {
        if (self.updated.len() + self.updated_before.len()) * MUCH >= self.leaf_count() {
            self.tree.refit(&mut self.workspace);
        } else {
            self.tree.refit_partial(&self.updated_before, &self.updated);
        }
    }

    fn add_new_pairs(&mut self) {
        self.began.clear();
        for &(a, b) in &self.candidates {
            let pair = (a.min(b), a.max(b));
            if !self.pairs.contains_key(&pair) {
                self.pairs.insert(pair, self.frame);
                self.adjacent[pair.0 as usize].push(pair.1);
                self.adjacent[pair.1 as usize].push(pair.0);
                self.began.push(pair);
            }
        }
    }

    fn remove_stale_pairs(&mut self) {
        for &id in &self.updated {
            self.is_updated[id as usize] = true;
        }
        self.stale.clear();
        for &id in &self.updated {
            let Some(own) = self.tree.leaf_node(id) else { continue };
            for &other in &self.adjacent[id as usize] {
                // Two that both changed are looked at once.
                if id > other && self.is_updated[other as usize] {
                    continue;
                }
                if self.tree.leaf_node(other).is_some_and(|other| !own.intersects(other)) {
                    self.stale.push((id.min(other), id.max(other)));
                }
            }
        }
        self.stale.sort_unstable();
        self.ended.clear();
        for &(a, b) in &self.stale {
            if self.pairs.remove(&(a, b)).is_some() {
                for (one, other) in [(a, b), (b, a)] {
                    let adjacent = &mut self.adjacent[one as usize];
                    if let Some(place) = adjacent.iter().position(|&id| id == other) {
                        adjacent.swap_remove(place);
                    }
                }
                self.ended.push((a, b));
            }
        }
        for &id in &self.updated {
            self.is_updated[id as usize] = false;
        }
    }

    fn leaf_count(&self) -> usize {
        self.tree.leaf_count() as usize
    }
}

impl Follower for AsRapier {
    fn peer(&self) -> &'static str {
        "parry3d 0.31 as in rapier3d 0.36"
    }

    fn frame(&mut self, moves: &[Moved]) -> usize {
        self.frame += 1;
        self.update_leaves(moves);
        let wants_optimisation = self.wants_optimisation();
        self.refit();
        self.candidates.clear();
        let candidates = &mut self.candidates;
        self.tree.traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut |a, b| candidates.push((a, b)));
        self.add_new_pairs();
        self.remove_stale_pairs();
        std::mem::swap(&mut self.updated, &mut self.updated_before);
        if wants_optimisation {
            self.tree.optimize_incremental(&mut self.workspace);
            self.tree.refit_without_resolve(&mut self.workspace);
        }
        self.began.len() + self.ended.len()
    }

    fn pairs(&self) -> Vec<(u32, u32)> {
        self.pairs.keys().copied().collect()
    }
}
