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
use super::pockets::{BORDER, HullPlanes, Pocket};
use super::reflex::ReflexEdge;
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::PI;

/// How many points the coarse copy of a piece has at the most.
const COARSE: usize = 300;
/// So many of the candidates are followed up.
const FOLLOWED: usize = 12;
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

/// How widely to look for cuts.
struct Breadth {
    /// How many deep points that lie differently propose planes, and at how many angles each.
    points: usize,
    angles: u32,
    /// How many reflex edges.
    edges: usize,
}

const WIDE: Breadth = Breadth { points: 3, angles: 4, edges: 4 };
const NARROW: Breadth = Breadth { points: 2, angles: 2, edges: 2 };
/// So many of the planes that win are turned and moved by less and less, so often.
const REFINED: usize = 2;
const REFINEMENTS: i32 = 3;

impl Search<'_> {
    /// The cuts that promise most, the best first, of a piece whose hull holds the `held` pockets; none if no plane
    /// takes anything off the piece.
    pub(super) fn cuts(&self, fragment: &Fragment, held: Vec<u32>, reflex: Vec<u32>) -> Vec<Cut> {
        let weight = held.iter().map(|&pocket| self.pockets[pocket as usize].weight).sum();
        let fragment = fragment.coarsened(COARSE, 0.25 * self.threshold);
        let root = Node { fragment, pockets: held, reflex, weight };
        let candidates = self.candidates(&root, &WIDE);
        let mut rated: Vec<(Cut, [Node; 2])> =
            candidates.into_par_iter().filter_map(|cut| Some((cut, self.split(&root, &cut)?))).collect();
        let rating = |sides: &[Node; 2]| self.estimate(&sides[0]) + self.estimate(&sides[1]);
        rated.sort_by(|a, b| rating(&a.1).total_cmp(&rating(&b.1)));
        let cost = |(cut, sides): &(Cut, [Node; 2]), limit: f64| {
            // So little that it only decides between equals.
            let tie = 1e-3 * rest(sides) / root.weight.max(f64::MIN_POSITIVE);
            let first = self.pieces_ahead(&sides[0], LEVELS - 1, limit - 1.0);
            (tie + first + self.pieces_ahead(&sides[1], LEVELS - 1, limit - first), *cut)
        };
        // The first sets a limit for all others, which are then independent of each other and of the threads.
        let mut cuts: Vec<(f64, Cut)> = rated.iter().take(1).map(|first| cost(first, f64::INFINITY)).collect();
        let limit = cuts.first().map_or(f64::INFINITY, |first| first.0);
        cuts.par_extend(rated.par_iter().skip(1).take(FOLLOWED - 1).map(|candidate| cost(candidate, limit)));
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let refined: Vec<(f64, Cut)> = cuts
            .par_iter()
            .take(REFINED)
            .map(|&(pieces, cut)| (pieces, self.refined(&root, cut)))
            .filter_map(|(pieces, cut)| Some(cost(&(cut, self.split(&root, &cut)?), pieces)))
            .collect();
        cuts.extend(refined);
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        cuts.into_iter().map(|(_, cut)| cut).chain(rated.iter().skip(FOLLOWED).map(|rated| rated.0)).collect()
    }

    /// About how many hulls a piece will take, by the volume of its pockets. The width of a pocket counts, and not its
    /// volume: half of a torus needs half as many hulls, though its halves hold far less than half of the hole each. The
    /// factors are chosen so that this is about right for rings.
    fn estimate(&self, node: &Node) -> f64 {
        if node.pockets.is_empty() {
            return 1.0;
        }
        let least = 4.0 * self.threshold.powi(3);
        (1.0 + 0.6 * libm::cbrt(node.weight / least)).max(2.0)
    }

    /// About how many hulls a piece will take, from cutting greedily for some levels; infinity as soon as it is more
    /// than the limit.
    fn pieces_ahead(&self, node: &Node, levels: u32, limit: f64) -> f64 {
        if node.pockets.is_empty() || levels == 0 {
            return self.estimate(node);
        }
        if limit < 2.0 {
            return f64::INFINITY;
        }
        let sides = self.candidates(node, &NARROW).into_iter().filter_map(|cut| self.split(node, &cut));
        let Some([above, below]) = sides.min_by(|a, b| rest(a).total_cmp(&rest(b))) else {
            return self.estimate(node);
        };
        let first = self.pieces_ahead(&above, levels - 1, limit - 1.0);
        first + self.pieces_ahead(&below, levels - 1, limit - first)
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
        let deep = self.deep_points(node, breadth.points);
        let Some(deepest) = deep.first() else { return cuts };
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
        for pocket in &deep {
            let (right, up) = upright_pair(pocket.outward);
            for index in 0..breadth.angles {
                let (sine, cosine) = libm::sincos(PI * f64::from(index) / f64::from(breadth.angles));
                add(pocket.point, cosine * right + sine * up);
            }
        }
        add(deepest.point - deepest.depth * deepest.outward, deepest.outward);
        let points = &node.fragment.points;
        let min = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let max = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        for axis in DVec3::AXES {
            add(deepest.point, axis);
            add(0.5 * (min + max), axis);
        }
        cuts
    }

    /// The deepest of the pockets that a piece holds, and the deepest that face in other directions.
    fn deep_points(&self, node: &Node, most: usize) -> Vec<Pocket> {
        let mut chosen: Vec<Pocket> = Vec::with_capacity(most);
        while chosen.len() < most {
            let is_other = |pocket: &&Pocket| chosen.iter().all(|other| other.outward.dot(pocket.outward).abs() < 0.8);
            let held = node.pockets.iter().map(|&pocket| &self.pockets[pocket as usize]);
            let next = held.filter(is_other).reduce(|a, b| if b.depth > a.depth { b } else { a });
            match next {
                Some(next) if chosen.first().is_none_or(|first| next.depth > 0.7 * first.depth) => chosen.push(*next),
                _ => break,
            }
        }
        chosen
    }

    /// Turns and moves a plane as long as that leaves less.
    fn refined(&self, node: &Node, cut: Cut) -> Cut {
        let rest = |cut: &Cut| self.split(node, cut).map_or(f64::INFINITY, |sides| rest(&sides));
        let points = &node.fragment.points;
        let middle = points.iter().copied().sum::<DVec3>() / points.len().max(1) as f64;
        let reach = points.iter().map(|point| point.distance(middle)).fold(0.0, f64::max);
        let (mut best, mut least) = (cut, rest(&cut));
        for round in 0..REFINEMENTS {
            let step = 0.2 * 0.5f64.powi(round);
            let on_plane = middle - best.height(middle) * best.normal;
            let (right, up) = upright_pair(best.normal);
            let moves = [right, -right, up, -up].map(|turn| (on_plane, best.normal + step * turn));
            let shifts = [1.0, -1.0].map(|sign| (on_plane + 0.5 * sign * step * reach * best.normal, best.normal));
            let tried: Vec<(f64, Cut)> = moves
                .into_par_iter()
                .chain(shifts)
                .filter_map(|(point, normal)| Cut::through(point, normal))
                .map(|cut| (rest(&cut), cut))
                .collect();
            for (rest, cut) in tried {
                if rest < least {
                    (least, best) = (rest, cut);
                }
            }
        }
        best
    }

    /// Both sides of a cut; none if one of them is empty or as thin as rounding.
    fn split(&self, node: &Node, cut: &Cut) -> Option<[Node; 2]> {
        let [above, below] = node.fragment.split(cut, self.tolerance);
        let [mut above, mut below] = [self.node(above, cut)?, self.node(below, cut)?];
        for &pocket in &node.pockets {
            let Pocket { point, weight, .. } = self.pockets[pocket as usize];
            let height = cut.height(point);
            for ((side, hull), is_near) in [(&mut above, height > -BORDER), (&mut below, height < BORDER)] {
                if is_near && hull.as_ref().is_some_and(|hull| hull.contains(point)) {
                    side.pockets.push(pocket);
                    side.weight += weight;
                }
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

/// What is left of the pockets on both sides.
fn rest(sides: &[Node; 2]) -> f64 {
    sides[0].weight + sides[1].weight
}

/// Two unit vectors across `direction` and each other, the first as level or as upright as can be: planes along the axes
/// cut most parts that people make well.
fn upright_pair(direction: DVec3) -> (DVec3, DVec3) {
    let least = direction.abs().min_position();
    let right = direction.cross(DVec3::AXES[least]).normalize_or(DVec3::X);
    (right, direction.cross(right))
}
