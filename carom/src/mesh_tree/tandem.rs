//! Two trees in tandem, one of them turned and moved.
//!
//! A pair of nodes is opened on its larger side: the up to eight boxes there are compared at once with the box around
//! the other node, each in the frame of the other - the gaps along the three axes of either frame bound the distance
//! from below, and where one of them is positive the boxes are apart. These are 6 of the 15 axes that can separate two
//! boxes; the other 9, of pairs of edges, cost more than they save. A search for the nearest pair adds a seventh: the
//! direction of the nearest so far, along which both boxes are measured without the waste of a turned box. At the
//! bottom each triangle of one side, at its place in the other's frame, is compared with the boxes of eight.
//! Everything is computed in f64, so that trees far apart are told apart as well; bounds are lowered by what the sums
//! can lose. Stops: nearest first, when no open pair has a bound below the limit. Allocates nothing.
//! Source: van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees (1997),
//! doi 10.1080/10867651.1997.10487480; here eight boxes wide.

use super::node::{LANES, Node};
use super::{MAX_DEPTH, MeshTree, Slot};
use crate::bounds::Aabb;
use crate::distance::placement::Placement;
use fearless_simd::{Simd, dispatch};
use glam::{DMat3, DVec3};

/// Each opening leaves at most seven pairs of nodes for later, and either side is opened once a level.
const STACK: usize = 2 * MAX_DEPTH * (LANES - 1) + 2;

/// The corners of a triangle of the second mesh at their places in the frame of the first.
pub(crate) trait PlacedCorners: Fn(Slot) -> [DVec3; 3] {}

impl<F: Fn(Slot) -> [DVec3; 3]> PlacedCorners for F {}

/// How far pairs are still wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Pairs that are certainly farther apart are left out. Zero still has the pairs that may touch, and a negative
    /// limit ends the walk.
    pub(crate) limit: f64,
    /// A unit vector from the first mesh to the second, in the frame of the first, along which pairs are told apart as
    /// well: that of the nearest pair so far, since pairs beside it are about as far apart and in about the same
    /// direction. Or zero.
    pub(crate) axis: DVec3,
}

/// A pair of triangles in the frame of the first mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) corners_b: [DVec3; 3],
}

/// Calls `visit` with pairs of triangles, the first of `a`, whose boxes may be no farther apart than `limit`, the
/// nearer ones mostly first. `b_in_a` places the second tree. What `visit` returns holds from then on.
pub(crate) fn visit_pairs(
    a: &MeshTree,
    b: &MeshTree,
    b_in_a: &Placement,
    corners_of_b: &impl PlacedCorners,
    limit: f64,
    mut visit: impl FnMut(Candidate) -> Reach,
) {
    let reach = |tree: &MeshTree| {
        let bounds = tree.bounds();
        bounds.min.abs().max(bounds.max.abs()).as_dvec3().length()
    };
    let slack = 4e-15 * (reach(a) + reach(b) + b_in_a.position.length());
    let walk = Walk { a, b, to_a: Motion::new(b_in_a), to_b: Motion::new(&b_in_a.inverse()), slack };
    dispatch!(a.level, simd => walk.run(simd, corners_of_b, limit, &mut visit));
}

#[derive(Clone, Copy)]
struct Motion {
    rotation: DMat3,
    /// The sizes of the entries: it turns half extents.
    sizes: DMat3,
    translation: DVec3,
}

impl Motion {
    fn new(placement: &Placement) -> Self {
        Self { rotation: placement.rotation, sizes: placement.rotation.abs(), translation: placement.position }
    }
}

/// A box by its middle and half of its extents.
#[derive(Clone, Copy)]
struct Middle {
    center: DVec3,
    half: DVec3,
}

impl Middle {
    #[inline(always)]
    fn new(min: DVec3, max: DVec3) -> Self {
        Self { center: 0.5 * (min + max), half: 0.5 * (max - min) }
    }

    #[inline(always)]
    fn of(bounds: &Aabb) -> Self {
        Self::new(bounds.min.as_dvec3(), bounds.max.as_dvec3())
    }

    /// The box around it in another frame.
    #[inline(always)]
    fn moved(&self, motion: &Motion) -> Self {
        Self { center: motion.rotation * self.center + motion.translation, half: motion.sizes * self.half }
    }
}

struct Walk<'a> {
    a: &'a MeshTree,
    b: &'a MeshTree,
    to_a: Motion,
    to_b: Motion,
    /// How far a computed gap may be too large.
    slack: f64,
}

impl Walk<'_> {
    #[inline(always)]
    fn run<S: Simd>(
        &self,
        _: S,
        corners_of_b: &impl PlacedCorners,
        limit: f64,
        visit: &mut impl FnMut(Candidate) -> Reach,
    ) {
        let mut stack = [(0.0f64, 0u32, 0u32); STACK];
        let mut depth = 1;
        let mut reach = Reach { limit, axis: DVec3::ZERO };
        while depth > 0 {
            depth -= 1;
            let (square, index_a, index_b) = stack[depth];
            if square > reach.limit * reach.limit {
                continue;
            }
            let (node_a, node_b) = (&self.a.nodes[index_a as usize], &self.b.nodes[index_b as usize]);
            let (box_a, box_b) = (Middle::of(&node_a.bounds()), Middle::of(&node_b.bounds()));
            if node_a.is_bottom && node_b.is_bottom {
                let near_a = self.gaps_of_b(node_b, &box_a, reach.axis);
                reach = self.bottom([node_a, node_b], &near_a, corners_of_b, reach, visit);
                if reach.limit < 0.0 {
                    return;
                }
                continue;
            }
            let opens_a =
                node_b.is_bottom || !node_a.is_bottom && box_a.half.length_squared() >= box_b.half.length_squared();
            let (node, squares) = if opens_a {
                (node_a, self.gaps_of_a(node_a, &box_b, reach.axis))
            } else {
                (node_b, self.gaps_of_b(node_b, &box_a, reach.axis))
            };
            let first = depth;
            for (lane, &square) in squares.iter().enumerate().take(usize::from(node.count)) {
                if square > reach.limit * reach.limit || depth >= STACK {
                    debug_assert!(depth < STACK, "deeper than any build");
                    continue;
                }
                let child = node.first + lane as u32;
                let pair = if opens_a { (square, child, index_b) } else { (square, index_a, child) };
                let mut place = depth;
                while place > first && stack[place - 1].0 < pair.0 {
                    stack[place] = stack[place - 1];
                    place -= 1;
                }
                stack[place] = pair;
                depth += 1;
            }
        }
    }

    /// The triangles of two bottom nodes; returns the new reach.
    #[inline(always)]
    fn bottom(
        &self,
        [node_a, node_b]: [&Node; 2],
        near_a: &[f64; LANES],
        corners_of_b: &impl PlacedCorners,
        mut reach: Reach,
        visit: &mut impl FnMut(Candidate) -> Reach,
    ) -> Reach {
        for (lane_b, &square) in near_a.iter().enumerate().take(usize::from(node_b.count)) {
            if square > reach.limit * reach.limit {
                continue;
            }
            let b = self.b.slots[node_b.first as usize + lane_b];
            let corners_b @ [p, q, r] = corners_of_b(b);
            let low = corners_b.map(|corner| reach.axis.dot(corner)).into_iter().fold(f64::INFINITY, f64::min);
            let squares = node_a.distances_squared(p.min(q).min(r) - self.slack, p.max(q).max(r) + self.slack);
            let squares = greater(squares, squared_heights(&Lanes::of(node_a), -reach.axis, -low + self.slack));
            for (lane_a, &square) in squares.iter().enumerate().take(usize::from(node_a.count)) {
                if square <= reach.limit * reach.limit {
                    let a = self.a.slots[node_a.first as usize + lane_a];
                    reach = visit(Candidate { a, b, corners_b });
                    if reach.limit < 0.0 {
                        return reach;
                    }
                }
            }
        }
        reach
    }

    /// Squares of lower bounds of the distances between the boxes of a node of the first tree and a box of the second.
    #[inline(always)]
    fn gaps_of_a(&self, node: &Node, other: &Middle, axis: DVec3) -> [f64; LANES] {
        let lanes = Lanes::of(node);
        let axis_in_b = self.to_b.rotation * axis;
        let low = axis.dot(self.to_a.translation) + axis_in_b.dot(other.center) - axis_in_b.abs().dot(other.half);
        let along = squared_heights(&lanes, -axis, -low + self.slack);
        greater(along, self.squared_gaps(&lanes, other, &other.moved(&self.to_a), &self.to_b))
    }

    /// The same for a node of the second tree and a box of the first.
    #[inline(always)]
    fn gaps_of_b(&self, node: &Node, other: &Middle, axis: DVec3) -> [f64; LANES] {
        let lanes = Lanes::of(node);
        let axis_in_b = self.to_b.rotation * axis;
        let high = axis.dot(other.center) + axis.abs().dot(other.half) - axis.dot(self.to_a.translation);
        let along = squared_heights(&lanes, axis_in_b, high + self.slack);
        greater(along, self.squared_gaps(&lanes, other, &other.moved(&self.to_b), &self.to_a))
    }

    /// Squares of the gaps along the axes of both frames between boxes and another box, which is given in its own frame
    /// and in theirs.
    #[inline(always)]
    fn squared_gaps(&self, lanes: &Lanes, own: &Middle, here: &Middle, to_other: &Motion) -> [f64; LANES] {
        let Lanes { center, half } = lanes;
        let (mut squares_here, mut squares_there) = ([0.0; LANES], [0.0; LANES]);
        for axis in 0..3 {
            let reach = here.half[axis] + self.slack;
            for lane in 0..LANES {
                let gap = (center[axis][lane] - here.center[axis]).abs() - half[axis][lane] - reach;
                let gap = if gap > 0.0 { gap } else { 0.0 };
                squares_here[lane] += gap * gap;
            }
        }
        for axis in 0..3 {
            let row = to_other.rotation.row(axis);
            let sizes = to_other.sizes.row(axis);
            let (reach, offset) = (own.half[axis] + self.slack, to_other.translation[axis] - own.center[axis]);
            for lane in 0..LANES {
                let turned = center[0][lane] * row.x + center[1][lane] * row.y + center[2][lane] * row.z;
                let spread = half[0][lane] * sizes.x + half[1][lane] * sizes.y + half[2][lane] * sizes.z;
                let gap = (turned + offset).abs() - spread - reach;
                let gap = if gap > 0.0 { gap } else { 0.0 };
                squares_there[lane] += gap * gap;
            }
        }
        greater(squares_here, squares_there)
    }
}

/// The boxes of a node by their middles and half extents.
struct Lanes {
    center: [[f64; LANES]; 3],
    half: [[f64; LANES]; 3],
}

impl Lanes {
    #[inline(always)]
    fn of(node: &Node) -> Self {
        let (min, max) = node.wide_sides();
        let mut lanes = Self { center: [[0.0; LANES]; 3], half: [[0.0; LANES]; 3] };
        for axis in 0..3 {
            for lane in 0..LANES {
                lanes.center[axis][lane] = 0.5 * (min[axis][lane] + max[axis][lane]);
                lanes.half[axis][lane] = 0.5 * (max[axis][lane] - min[axis][lane]);
            }
        }
        lanes
    }
}

/// Squares of how far the boxes are above `floor` along a vector of unit length; zero if they are not, or if the
/// vector is zero.
#[inline(always)]
fn squared_heights(lanes: &Lanes, up: DVec3, floor: f64) -> [f64; LANES] {
    let Lanes { center, half } = lanes;
    let sizes = up.abs();
    let mut squares = [0.0; LANES];
    for lane in 0..LANES {
        let middle = center[0][lane] * up.x + center[1][lane] * up.y + center[2][lane] * up.z;
        let spread = half[0][lane] * sizes.x + half[1][lane] * sizes.y + half[2][lane] * sizes.z;
        let height = middle - spread - floor;
        let height = if height > 0.0 { height } else { 0.0 };
        squares[lane] = height * height;
    }
    squares
}

#[inline(always)]
fn greater(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
    let mut greater = [0.0; LANES];
    for lane in 0..LANES {
        greater[lane] = if a[lane] > b[lane] { a[lane] } else { b[lane] };
    }
    greater
}
