//! Which plane to cut a piece along.
//!
//! Candidates are planes that can take a pocket apart: through its deepest point along the direction to the surface
//! at several angles, through the faces next to reflex edges near it, across the axes. Each is rated by what is left of the
//! pockets in the hulls of the two sides. That alone cannot tell good first cuts from bad ones: halving a torus leaves
//! as much as slicing it like a bagel. So from the best rated ones greedy cutting goes on for some levels, and the one that
//! ends with the fewest pieces and the least left over wins.
//! All of this is on a coarse copy of the piece in f32; only the plane is used of it. Nothing is random.
//! Cost: some hundred hulls of a few hundred points a cut.
//! Sources: the tree search over cuts is that of Wei, Liu, Ling, Su 2022, doi 10.1145/3528223.3530103 (CoACD). Here
//! the deepest point proposes the planes, cutting ahead replaces the random play-outs, and pockets replace sampled
//! surfaces.

use super::cell::Cut;
use super::fragment::Fragment;
use super::pockets::{HullPlanes, Pocket};
use super::reflex::ReflexEdge;
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::PI;

/// How many points the coarse copy of a piece has at the most.
const COARSE: usize = 500;
/// So many of the candidates are followed up.
const FOLLOWED: usize = 8;
/// So many levels of cuts are looked ahead.
const LEVELS: u32 = 3;

/// What the pieces of one solid have in common.
pub(super) struct Search<'a> {
    pub(super) pockets: &'a [Pocket],
    pub(super) reflex: &'a [ReflexEdge],
    pub(super) threshold: f64,
    pub(super) tolerance: f64,
}

/// A piece as the search sees it.
struct Node {
    fragment: Fragment,
    /// The pockets that its hull holds.
    pockets: Vec<u32>,
    /// The reflex edges in its cell.
    reflex: Vec<u32>,
    /// The volume of the pockets.
    weight: f64,
}

/// How many directions to try around the way to the surface, and how many reflex edges.
struct Breadth {
    angles: u32,
    edges: usize,
    has_middles: bool,
}

const WIDE: Breadth = Breadth { angles: 8, edges: 4, has_middles: true };
const NARROW: Breadth = Breadth { angles: 4, edges: 2, has_middles: false };

impl Search<'_> {
    /// The cuts that promise most, the best first, of a piece whose hull holds the `held` pockets; none if no plane
    /// takes anything off the piece.
    pub(super) fn cuts(&self, fragment: &Fragment, held: Vec<u32>, reflex: Vec<u32>) -> Vec<Cut> {
        let weight = held.iter().map(|&pocket| self.pockets[pocket as usize].weight).sum();
        let fragment = fragment.coarsened(COARSE, 0.25 * self.threshold);
        let root = Node { fragment, pockets: held, reflex, weight };
        let candidates = self.candidates(&root, &WIDE);
        let mut rated: Vec<(f64, Cut, [Node; 2])> = candidates
            .into_par_iter()
            .filter_map(|cut| self.split(&root, &cut).map(|sides| (sides[0].weight + sides[1].weight, cut, sides)))
            .collect();
        rated.sort_by(|a, b| a.0.total_cmp(&b.0));
        let followed: Vec<(f64, Cut)> = rated
            .par_iter()
            .take(FOLLOWED)
            .map(|(rest, cut, sides)| {
                let ahead: f64 = sides.iter().map(|side| self.pieces_ahead(side, LEVELS - 1, root.weight)).sum();
                (ahead + 1e-3 * rest / root.weight.max(f64::MIN_POSITIVE), *cut)
            })
            .collect();
        let mut cuts = followed;
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        cuts.into_iter().map(|(_, cut)| cut).chain(rated.iter().skip(FOLLOWED).map(|(_, cut, _)| *cut)).collect()
    }

    /// About how many hulls a piece will take, from cutting greedily for some levels.
    fn pieces_ahead(&self, node: &Node, levels: u32, whole: f64) -> f64 {
        if node.pockets.is_empty() {
            return 1.0;
        }
        if levels == 0 {
            return 2.0 + 16.0 * node.weight / whole.max(f64::MIN_POSITIVE);
        }
        let best = self
            .candidates(node, &NARROW)
            .into_iter()
            .filter_map(|cut| self.split(node, &cut))
            .min_by(|a, b| (a[0].weight + a[1].weight).total_cmp(&(b[0].weight + b[1].weight)));
        match best {
            None => 2.0 + 16.0 * node.weight / whole.max(f64::MIN_POSITIVE),
            Some(sides) => sides.iter().map(|side| self.pieces_ahead(side, levels - 1, whole)).sum(),
        }
    }

    fn candidates(&self, node: &Node, breadth: &Breadth) -> Vec<Cut> {
        let mut cuts: Vec<Cut> = Vec::new();
        let mut add = |point: DVec3, normal: DVec3| {
            let Some(cut) = Cut::through(point, normal) else { return };
            let is_same = |other: &Cut| {
                let alike = other.normal.dot(cut.normal);
                alike.abs() > 0.9999 && (other.offset - alike.signum() * cut.offset).abs() < 0.05 * self.threshold
            };
            if !cuts.iter().any(is_same) {
                cuts.push(cut);
            }
        };
        let depth = |pocket: &&Pocket| pocket.depth;
        let held = node.pockets.iter().map(|&pocket| &self.pockets[pocket as usize]);
        let Some(deepest) = held.reduce(|a, b| if depth(&b) > depth(&a) { b } else { a }) else { return cuts };
        let mut edges: Vec<(f64, &ReflexEdge)> = node
            .reflex
            .iter()
            .map(|&edge| &self.reflex[edge as usize])
            .map(|edge| (edge.middle.distance_squared(deepest.point), edge))
            .collect();
        edges.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, edge) in edges.iter().take(breadth.edges) {
            for normal in edge.normals {
                add(edge.middle, normal);
            }
        }
        let (right, up) = upright_pair(deepest.outward);
        for index in 0..breadth.angles {
            let (sine, cosine) = libm::sincos(PI * f64::from(index) / f64::from(breadth.angles));
            add(deepest.point, cosine * right + sine * up);
        }
        add(deepest.point - deepest.depth * deepest.outward, deepest.outward);
        for axis in DVec3::AXES {
            add(deepest.point, axis);
        }
        if breadth.has_middles {
            let points = &node.fragment.points;
            let min = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let max = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            for axis in DVec3::AXES {
                add(0.5 * (min + max), axis);
            }
        }
        cuts
    }

    /// Both sides of a cut; none if one of them is empty or as thin as rounding.
    fn split(&self, node: &Node, cut: &Cut) -> Option<[Node; 2]> {
        let [above, below] = node.fragment.split(cut, self.tolerance);
        let [mut above, mut below] = [self.node(above, cut)?, self.node(below, cut)?];
        for &pocket in &node.pockets {
            let Pocket { point, weight, .. } = self.pockets[pocket as usize];
            let (side, hull) = if cut.height(point) > 0.0 { &mut above } else { &mut below };
            if hull.as_ref().is_some_and(|hull| hull.contains(point)) {
                side.pockets.push(pocket);
                side.weight += weight;
            }
        }
        for &edge in &node.reflex {
            let height = cut.height(self.reflex[edge as usize].middle);
            if height > self.tolerance {
                above.0.reflex.push(edge);
            } else if height < -self.tolerance {
                below.0.reflex.push(edge);
            }
        }
        Some([above.0, below.0])
    }

    fn node(&self, fragment: Fragment, cut: &Cut) -> Option<(Node, Option<HullPlanes>)> {
        let thickness = fragment.points.iter().map(|&point| cut.height(point).abs()).fold(0.0, f64::max);
        if thickness <= 1e-3 * self.threshold + 4.0 * self.tolerance {
            return None;
        }
        let hull = HullPlanes::around(&fragment.points);
        Some((Node { fragment, pockets: Vec::new(), reflex: Vec::new(), weight: 0.0 }, hull))
    }
}

/// Two unit vectors across `direction` and each other, the first as level or as upright as can be: planes along the axes
/// cut most parts that people make well.
fn upright_pair(direction: DVec3) -> (DVec3, DVec3) {
    let least = direction.abs().min_position();
    let right = direction.cross(DVec3::AXES[least]).normalize_or(DVec3::X);
    (right, direction.cross(right))
}
