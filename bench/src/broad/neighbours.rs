//! The nearest neighbours of each point of a set.

use super::{AREA, parry, scenes};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::glam::Vec3;
use carom::particles::{Neighbours, PointTree};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use parry3d::bounding_volume::Aabb as PeerAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use std::cell::RefCell;
use std::hint::black_box;
use std::num::NonZeroUsize;

/// How many neighbours.
const COUNT: usize = 8;
/// Peers find the point itself first.
const WITH_ITSELF: usize = COUNT + 1;

/// Finds the neighbours of each point in one way or another.
trait Finder {
    fn peer(&self) -> &'static str;
    fn build(&mut self);

    /// The squared distance of the farthest neighbour of each point.
    fn find(&mut self, farthest: &mut Vec<f32>);
}

pub fn rows(effort: Effort, only: &str) -> Rows {
    let case = "knn/100k";
    if case.starts_with(only) { compare_all(effort, case, &scenes::points(100_000)) } else { Ok(Vec::new()) }
}

fn compare_all(effort: Effort, case: &str, points: &[Vec3]) -> Rows {
    let mut ours = Ours { points, tree: PointTree::default(), near: Neighbours::default() };
    ours.build();
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    ours.find(&mut expected);
    let mut rows = Vec::new();
    let peers: [Box<dyn Finder>; 3] =
        [Box::new(RStar::new(points)), Box::new(Kiddo::new(points)), Box::new(Parry::new(points))];
    for mut peer in peers {
        peer.build();
        peer.find(&mut found);
        let disagrees = |(&one, &other): (&f32, &f32)| (one - other).abs() > 1e-5 * one.max(other);
        if expected.len() != found.len() || expected.iter().zip(&found).any(disagrees) {
            return Err(format!("{case}: our neighbours and those of {} differ", peer.peer()));
        }
        let mut farthest = Vec::new();
        let times = compare(effort, points.len(), || ours.find(&mut expected), Some(|| peer.find(&mut farthest)));
        let note = format!("a point; {COUNT} neighbours of each, tree at hand");
        rows.push(Row::new(AREA, case.to_owned(), peer.peer(), times, note));
        let run_ours = || {
            ours.build();
            ours.find(&mut expected);
        };
        let run_peer = || {
            peer.build();
            peer.find(&mut farthest);
        };
        let times = compare(effort, points.len(), run_ours, Some(run_peer));
        let note = "a point; building the tree included".to_owned();
        rows.push(Row::new(AREA, format!("{case}+build"), peer.peer(), times, note));
    }
    Ok(rows)
}

struct Ours<'a> {
    points: &'a [Vec3],
    tree: PointTree,
    near: Neighbours,
}

impl Finder for Ours<'_> {
    fn peer(&self) -> &'static str {
        "carom"
    }

    fn build(&mut self) {
        // Refused points would show in the comparison of results.
        let _ = black_box(self.tree.rebuild(self.points));
    }

    fn find(&mut self, farthest: &mut Vec<f32>) {
        let _ = black_box(self.tree.nearest_of_each(COUNT, &mut self.near));
        farthest.clear();
        let farthest_of = |point| self.near.of(point).last().map_or(f32::NAN, |last| last.distance * last.distance);
        farthest.extend((0..self.near.len()).map(farthest_of));
    }
}

struct RStar {
    points: Vec<GeomWithData<[f32; 3], u32>>,
    tree: RTree<GeomWithData<[f32; 3], u32>>,
}

impl RStar {
    fn new(points: &[Vec3]) -> Self {
        let points = (0..).zip(points).map(|(id, point)| GeomWithData::new(point.to_array(), id)).collect();
        Self { points, tree: RTree::new() }
    }
}

impl Finder for RStar {
    fn peer(&self) -> &'static str {
        "rstar 0.14"
    }

    fn build(&mut self) {
        self.tree = RTree::bulk_load(self.points.clone());
    }

    fn find(&mut self, farthest: &mut Vec<f32>) {
        farthest.clear();
        for point in &self.points {
            let nearest = self.tree.nearest_neighbor_iter_with_distance_2(*point.geom()).take(WITH_ITSELF);
            farthest
                .push(nearest.map(|(other, distance)| (black_box(other.data), distance).1).last().unwrap_or(f32::NAN));
        }
    }
}

struct Kiddo {
    points: Vec<[f32; 3]>,
    tree: Option<ImmutableKdTree<f32, 3>>,
}

impl Kiddo {
    fn new(points: &[Vec3]) -> Self {
        Self { points: points.iter().map(|point| point.to_array()).collect(), tree: None }
    }
}

impl Finder for Kiddo {
    fn peer(&self) -> &'static str {
        "kiddo 6.3"
    }

    fn build(&mut self) {
        self.tree = ImmutableKdTree::new_from_slice(&self.points).ok();
    }

    fn find(&mut self, farthest: &mut Vec<f32>) {
        const COUNT: NonZeroUsize = NonZeroUsize::new(WITH_ITSELF).unwrap();
        farthest.clear();
        let Some(tree) = &self.tree else { return };
        for point in &self.points {
            let nearest = tree.query(point).nearest_n::<SquaredEuclidean<f32>>(COUNT).execute();
            farthest.push(nearest.last().map_or(f32::NAN, |last| last.distance));
        }
    }
}

/// parry has no search for several neighbours. Its search for the best leaf becomes one if the cost of a leaf is the
/// distance of the last of the best so far: that is what it prunes by.
struct Parry {
    boxes: Vec<PeerAabb>,
    tree: Bvh,
}

impl Parry {
    fn new(points: &[Vec3]) -> Self {
        let at = |point: &Vec3| Vector::new(point.x, point.y, point.z);
        Self { boxes: points.iter().map(|point| PeerAabb::new(at(point), at(point))).collect(), tree: Bvh::new() }
    }
}

impl Finder for Parry {
    fn peer(&self) -> &'static str {
        parry::PARRY
    }

    fn build(&mut self) {
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
    }

    fn find(&mut self, farthest: &mut Vec<f32>) {
        farthest.clear();
        let best = RefCell::new([(f32::INFINITY, u32::MAX); WITH_ITSELF]);
        for own in &self.boxes {
            let point = own.mins;
            best.replace([(f32::INFINITY, u32::MAX); WITH_ITSELF]);
            self.tree.find_best(
                f32::INFINITY,
                |node, _| {
                    let nearest = point.max(node.mins()).min(node.maxs());
                    (nearest - point).length_squared()
                },
                |id, limit| {
                    let distance = (self.boxes[id as usize].mins - point).length_squared();
                    if distance >= limit {
                        return None;
                    }
                    let mut best = best.borrow_mut();
                    let mut place = WITH_ITSELF - 1;
                    while place > 0 && best[place - 1].0 > distance {
                        best[place] = best[place - 1];
                        place -= 1;
                    }
                    best[place] = (distance, id);
                    best[WITH_ITSELF - 1].0.is_finite().then_some(best[WITH_ITSELF - 1].0)
                },
            );
            farthest.push(black_box(best.borrow())[WITH_ITSELF - 1].0);
        }
    }
}
