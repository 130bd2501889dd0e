//! Box3D's dynamic tree, behind a safe face, and its broad phase from frame to frame.

use super::frame::Follower;
use super::full::{PairFinder, Sets};
use box3d_sys as raw;
use carom::bounds::{Aabb, BoundingVolume as _};
use carom::broad::Moved;
use carom::glam::Vec3;
use parry3d::utils::hashmap::HashMap;
use std::ffi::{c_int, c_void};

pub const BOX3D: &str = "box3d 0.1";

/// Every proxy is in every category.
const ALL: u64 = u64::MAX;

/// A tree of proxies, each with an id.
pub struct Tree(raw::b3DynamicTree);

impl Tree {
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self::with_capacity(boxes.len());
        for (id, bounds) in (0u32..).zip(boxes) {
            tree.create(bounds, id);
        }
        tree.rebuild(true);
        tree
    }

    fn with_capacity(capacity: usize) -> Self {
        // SAFETY: it allocates and asks nothing but a positive capacity.
        Self(unsafe { raw::b3DynamicTree_Create(capacity.max(16) as c_int) })
    }

    /// Returns the proxy.
    fn create(&mut self, bounds: &Aabb, id: u32) -> c_int {
        // SAFETY: the tree was made by Box3D and the box is sound.
        unsafe { raw::b3DynamicTree_CreateProxy(&mut self.0, peer_box(bounds), ALL, u64::from(id)) }
    }

    /// The proxy must be one of this tree's: private, and so are all proxies.
    fn enlarge(&mut self, proxy: c_int, bounds: &Aabb) {
        // SAFETY: the proxy came from `create` on this tree and proxies are never destroyed.
        unsafe { raw::b3DynamicTree_EnlargeProxy(&mut self.0, proxy, peer_box(bounds)) }
    }

    fn rebuild(&mut self, all: bool) {
        // SAFETY: the tree was made by Box3D.
        unsafe { raw::b3DynamicTree_Rebuild(&mut self.0, all) };
    }

    fn query<F: FnMut(u32)>(&self, bounds: &Aabb, mut visit: F) {
        unsafe extern "C" fn call<F: FnMut(u32)>(_: c_int, id: u64, context: *mut c_void) -> bool {
            // SAFETY: the context is the `visit` below, borrowed by nobody else while the query runs.
            unsafe { (*context.cast::<F>())(id as u32) };
            true
        }
        // SAFETY: the callback gets the context that it expects, and neither outlives the call.
        unsafe {
            let context = (&raw mut visit).cast::<c_void>();
            raw::b3DynamicTree_Query(&self.0, peer_box(bounds), ALL, false, Some(call::<F>), context);
        }
    }

    /// `visit` gets an id and the share of the way beyond which nothing is wanted, and returns the new share.
    pub fn cast_ray<F: FnMut(u32, f32) -> f32>(&self, origin: Vec3, way: Vec3, mut visit: F) {
        unsafe extern "C" fn call<F: FnMut(u32, f32) -> f32>(
            input: *const raw::b3RayCastInput,
            _: c_int,
            id: u64,
            context: *mut c_void,
        ) -> f32 {
            // SAFETY: the input is Box3D's, the context is the `visit` below and borrowed by nobody else.
            unsafe { (*context.cast::<F>())(id as u32, (*input).maxFraction) }
        }
        let input =
            raw::b3RayCastInput { origin: peer_vector(origin), translation: peer_vector(way), maxFraction: 1.0 };
        // SAFETY: the callback gets the context that it expects, and neither outlives the call.
        unsafe {
            let context = (&raw mut visit).cast::<c_void>();
            raw::b3DynamicTree_RayCast(&self.0, &input, ALL, false, Some(call::<F>), context);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: made by `b3DynamicTree_Create` and destroyed once.
        unsafe { raw::b3DynamicTree_Destroy(&mut self.0) }
    }
}

fn peer_vector(vector: Vec3) -> raw::b3Vec3 {
    raw::b3Vec3 { x: vector.x, y: vector.y, z: vector.z }
}

fn peer_box(bounds: &Aabb) -> raw::b3AABB {
    raw::b3AABB { lowerBound: peer_vector(bounds.min), upperBound: peer_vector(bounds.max) }
}

/// Creates all proxies, rebuilds the tree and queries it with each box.
pub struct Finder {
    sets: Sets,
    pairs: Vec<(u32, u32)>,
}

impl Finder {
    pub fn new(sets: &Sets) -> Self {
        Self { sets: sets.clone(), pairs: Vec::new() }
    }
}

impl PairFinder for Finder {
    fn peer(&self) -> &'static str {
        BOX3D
    }

    fn note(&self) -> &'static str {
        "create, rebuild, query each"
    }

    fn run(&mut self, set: usize) {
        let boxes = &self.sets[set];
        let tree = Tree::new(boxes);
        self.pairs.clear();
        for (id, bounds) in (0u32..).zip(boxes) {
            tree.query(bounds, |other| {
                if id < other {
                    self.pairs.push((id, other));
                }
            });
        }
    }

    fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}

/// How much Box3D enlarges a box at the most, in units of length: the mean extent of our boxes is one.
const MOST_MARGIN: f32 = 0.05;
/// How much as a share of the distance from center to corner.
const MARGIN_SHARE: f32 = 0.125;

fn enlarged(bounds: &Aabb) -> Aabb {
    bounds.enlarged(MOST_MARGIN.min(MARGIN_SHARE * bounds.half_extents().length()))
}

/// The steps of Box3D's broad phase, all boxes in its dynamic tree: proxies that left their enlarged boxes get others
/// and are queried, a set of pairs tells what is new, pairs whose enlarged boxes have parted end, the enlarged part of
/// the tree is rebuilt. Unlike Box3D it keeps all pairs where a mover has more than 16, and looks for ended pairs only
/// where one of the two was enlarged. It reports pairs of enlarged boxes.
pub struct AsBox3d {
    tree: Tree,
    proxies: Vec<c_int>,
    enlarged: Vec<Aabb>,
    moved: Vec<u32>,
    is_moved: Vec<bool>,
    set: HashMap<(u32, u32), ()>,
    pairs: Vec<(u32, u32)>,
    began: Vec<(u32, u32)>,
    ended: Vec<(u32, u32)>,
}

impl AsBox3d {
    pub fn new(boxes: &[Aabb]) -> Self {
        let enlarged: Vec<Aabb> = boxes.iter().map(enlarged).collect();
        let mut tree = Tree::with_capacity(boxes.len());
        let proxies = (0u32..).zip(&enlarged).map(|(id, bounds)| tree.create(bounds, id)).collect();
        tree.rebuild(true);
        let count = boxes.len();
        let mut start = Self {
            tree,
            proxies,
            enlarged,
            moved: (0..count as u32).collect(),
            is_moved: vec![true; count],
            set: HashMap::default(),
            pairs: Vec::new(),
            began: Vec::new(),
            ended: Vec::new(),
        };
        start.find_new_pairs();
        start.forget_movers();
        start
    }

    fn find_new_pairs(&mut self) {
        self.began.clear();
        for &id in &self.moved {
            let proxy = self.proxies[id as usize];
            self.tree.query(&self.enlarged[id as usize], |other| {
                // Two that both moved meet once.
                if other == id || (self.proxies[other as usize] < proxy && self.is_moved[other as usize]) {
                    return;
                }
                let pair = (id.min(other), id.max(other));
                if !self.set.contains_key(&pair) {
                    self.began.push(pair);
                }
            });
        }
        for &pair in &self.began {
            self.set.insert(pair, ());
            self.pairs.push(pair);
        }
    }

    fn end_parted_pairs(&mut self) {
        self.ended.clear();
        let Self { is_moved, enlarged, set, ended, .. } = self;
        self.pairs.retain(|&(a, b)| {
            let has_parted =
                (is_moved[a as usize] || is_moved[b as usize]) && !enlarged[a as usize].overlaps(&enlarged[b as usize]);
            if has_parted {
                set.remove(&(a, b));
                ended.push((a, b));
            }
            !has_parted
        });
    }

    fn forget_movers(&mut self) {
        for id in self.moved.drain(..) {
            self.is_moved[id as usize] = false;
        }
    }
}

impl Follower for AsBox3d {
    fn peer(&self) -> &'static str {
        BOX3D
    }

    fn frame(&mut self, moves: &[Moved]) -> usize {
        for moved in moves {
            let own = &mut self.enlarged[moved.id as usize];
            let fits = own.min.cmple(moved.bounds.min).all() && moved.bounds.max.cmple(own.max).all();
            if !fits {
                *own = enlarged(&moved.bounds);
                self.tree.enlarge(self.proxies[moved.id as usize], own);
                self.is_moved[moved.id as usize] = true;
                self.moved.push(moved.id);
            }
        }
        self.find_new_pairs();
        self.tree.rebuild(false);
        self.end_parted_pairs();
        self.forget_movers();
        self.began.len() + self.ended.len()
    }

    fn pairs(&self) -> Vec<(u32, u32)> {
        self.pairs.clone()
    }
}
