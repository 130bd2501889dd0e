//! B9: a BSP tree, built anew over the boxes.
//!
//! Planes of any orientation divide the boxes in three, as in the k-d tree: behind, in front of and cut by the plane.
//! The candidates are the planes of the scene's triangles that lie in the region, and faces of the boxes; each is
//! tried on up to 16 boxes, and the one wins that cuts few boxes and has like numbers on both sides.
//! A node is left out if the asking box does not reach the box around it, or stays beyond the plane of its parent.
//! The latter is safe in floating point: products of f32 are exact in f64 and rounded sums keep order, so a point in
//! both boxes never comes out beyond a plane that one of them lies behind.
//! Stops at sixteen boxes, or where neither candidates nor median planes divide, as in the k-d tree; depth as there.
//! Cost: O(n log n) to build, with the largest factor of all trees here. Source: Fuchs, Kedem, Naylor 1980,
//! doi 10.1145/800250.807481; there polygons are cut, here a cut triangle goes with its middle.
//! Made for walls that few boxes cross, slanted ones above all: rooms of a building. There it saves a few tests over
//! the k-d tree and takes seven times the dynamic tree's time. Loses in open space, where the choice of planes is vain.

use super::box_tree::{BoxTree, Item, divide, gather};
use super::kd_tree::{Sample, divide_at_median, is_even};
use super::{BoxRay, Drawn, Index, Pair, Proxies};
use crate::bounds::Aabb;
use crate::shape::TriangleMesh;
use glam::Vec3;
use std::cmp::Ordering;

/// Boxes up to this many make a leaf.
const LEAF: usize = 16;
/// Boxes that a candidate is tried on.
const TRIED: usize = 16;
/// Triangles of the scene that are candidates at a node.
const TRIANGLES: usize = 8;

/// A BSP tree; [`Rebuilt<Bsp>`](super::Rebuilt) is the broad phase on it.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{BroadPhase, Bsp, Pair, Rebuilt};
/// use carom::glam::Vec3;
///
/// let wall = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 0.0)];
/// let mut broad = Rebuilt::new(Bsp::from_triangles([wall]));
/// broad.insert(0, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
/// broad.insert(1, Aabb::new(Vec3::ONE, Vec3::splat(2.0)))?;
/// assert_eq!(broad.pairs(), [Pair { a: 0, b: 1 }]);
/// # Ok::<(), carom::broad::BroadPhaseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Bsp {
    tree: BoxTree,
    items: Vec<Item>,
    /// Planes of the scene with the middle of their triangles, as they came.
    walls: Vec<ScenePlane>,
    /// The same in the order of the build; each build begins with `walls`, so that like boxes make like trees.
    scene: Vec<ScenePlane>,
    tasks: Vec<Task>,
    medians: Vec<f32>,
    planes: Vec<(usize, Plane)>,
    /// By node: where its boxes lie, unless the box around the node says as much.
    sides: Vec<Option<Side>>,
}

/// The points x with normal · x = offset.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plane {
    normal: Vec3,
    offset: f64,
}

#[derive(Debug, Clone, Copy)]
struct ScenePlane {
    plane: Plane,
    middle: Vec3,
}

/// On one side of a plane, or on it.
#[derive(Debug, Clone, Copy)]
struct Side {
    plane: Plane,
    side: Ordering,
}

#[derive(Debug, Clone, Copy)]
struct Task {
    start: usize,
    end: usize,
    scene_start: usize,
    scene_end: usize,
    depth: u32,
    side: Option<Side>,
}

impl Plane {
    fn across(axis: usize, offset: f32) -> Self {
        Self { normal: Vec3::AXES[axis], offset: f64::from(offset) }
    }

    /// normal · point; exact products, sums always in the same order.
    #[inline(always)]
    fn along(&self, point: Vec3) -> f64 {
        let [x, y, z] = (self.normal.as_dvec3() * point.as_dvec3()).to_array();
        x + y + z
    }

    /// The least and greatest value on a box.
    #[inline(always)]
    fn interval(&self, bounds: &Aabb) -> (f64, f64) {
        let is_positive = self.normal.cmpge(Vec3::ZERO);
        let near = Vec3::select(is_positive, bounds.min, bounds.max);
        let far = Vec3::select(is_positive, bounds.max, bounds.min);
        (self.along(near), self.along(far))
    }

    /// Behind, cut by or in front of the plane; a box that touches it from behind is behind.
    #[inline(always)]
    fn side(&self, bounds: &Aabb) -> Ordering {
        let (least, greatest) = self.interval(bounds);
        if greatest <= self.offset {
            Ordering::Less
        } else if least >= self.offset {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    fn is_across_an_axis(&self) -> bool {
        self.normal.to_array().into_iter().filter(|&coordinate| coordinate != 0.0).count() == 1
    }
}

impl Side {
    /// Whether a box reaches to this side of the plane.
    #[inline(always)]
    fn is_reached_by(&self, bounds: &Aabb) -> bool {
        let (least, greatest) = self.plane.interval(bounds);
        match self.side {
            Ordering::Less => least <= self.plane.offset,
            Ordering::Equal => true,
            Ordering::Greater => greatest >= self.plane.offset,
        }
    }
}

impl Bsp {
    /// An empty tree that will be divided by the planes of these triangles, in the frame of the boxes. Triangles
    /// without an area or that are not finite are left out.
    pub fn from_triangles(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Self {
        let walls = triangles.into_iter().filter_map(|[a, b, c]| {
            let normal = (b.as_dvec3() - a.as_dvec3()).cross(c.as_dvec3() - a.as_dvec3());
            let normal = normal.try_normalize()?.as_vec3();
            let plane = Plane { normal, offset: Plane { normal, offset: 0.0 }.along(a) };
            let middle = a / 3.0 + b / 3.0 + c / 3.0;
            (normal.is_finite() && middle.is_finite()).then_some(ScenePlane { plane, middle })
        });
        Self { walls: walls.collect(), ..Self::default() }
    }

    /// An empty tree that will be divided by the planes of a mesh at the origin of the boxes' frame.
    pub fn from_mesh(mesh: &TriangleMesh) -> Self {
        Self::from_triangles((0..mesh.triangles().len()).map(|index| mesh.corners(index)))
    }

    /// The best candidate by what it does to a few of the boxes.
    fn choose(&self, task: &Task, sample: &Sample) -> Plane {
        let items = &self.items[task.start..task.end];
        let scene = &self.scene[task.scene_start..task.scene_end];
        let tried = items.len().min(TRIED);
        let mut best = (usize::MAX, Plane::across(0, 0.0));
        let mut consider = |plane: Plane| {
            let mut counts = [0usize; 3];
            for index in 0..tried {
                counts[(plane.side(&items[index * items.len() / tried].bounds) as i8 + 1) as usize] += 1;
            }
            // A cut box costs as much as a box out of balance.
            let score = counts[0].abs_diff(counts[2]) + counts[1];
            if score < best.0 {
                best = (score, plane);
            }
        };
        for index in 0..scene.len().min(TRIANGLES) {
            consider(scene[index * scene.len() / scene.len().min(TRIANGLES)].plane);
        }
        // The faces nearest to the medians.
        for &axis in &sample.axes[..2] {
            let median = sample.median(axis);
            let faces = (0..tried).flat_map(|index| {
                let bounds = &items[index * items.len() / tried].bounds;
                [bounds.min[axis], bounds.max[axis]]
            });
            let mut nearest = [f32::INFINITY; 2];
            for face in faces {
                let half = usize::from(face >= median);
                if (face * 0.5 - median * 0.5).abs() < (nearest[half] * 0.5 - median * 0.5).abs() {
                    nearest[half] = face;
                }
            }
            nearest.into_iter().filter(|face| face.is_finite()).for_each(|face| consider(Plane::across(axis, face)));
        }
        best.1
    }

    fn divide(&mut self, task: &Task) -> Option<(Plane, (usize, usize))> {
        let count = task.end - task.start;
        if count <= LEAF {
            return None;
        }
        let sample = Sample::of(&self.items[task.start..task.end]);
        let plane = self.choose(task, &sample);
        let items = &mut self.items[task.start..task.end];
        let parts = divide(items, |item| plane.side(&item.bounds));
        if is_even(parts, count) {
            return Some((plane, parts));
        }
        divide_at_median(items, &sample, &mut self.medians)
            .map(|(axis, offset, parts)| (Plane::across(axis, offset), parts))
    }

    fn grow(&mut self, task: Task) {
        let divided = self.divide(&task);
        self.sides.push(task.side);
        let Some((plane, (cut, front))) = divided else {
            self.tree.push_leaf(&self.items[task.start..task.end], task.depth);
            return;
        };
        let node = self.tree.push_inner(task.depth);
        self.planes.push((node, plane));
        let scene = &mut self.scene[task.scene_start..task.scene_end];
        let (scene_cut, scene_front) = divide(scene, |triangle| plane.along(triangle.middle).total_cmp(&plane.offset));
        let count = task.end - task.start;
        let parts = [
            (front, count, scene_front, scene.len(), Ordering::Greater),
            // Triangles in the plane itself are used up; boxes that it cuts may meet any others.
            (cut, front, scene_front, scene.len(), Ordering::Equal),
            (0, cut, 0, scene_cut, Ordering::Less),
        ];
        for (from, to, scene_from, scene_to, side) in parts {
            if from < to {
                self.tasks.push(Task {
                    start: task.start + from,
                    end: task.start + to,
                    scene_start: task.scene_start + scene_from,
                    scene_end: task.scene_start + scene_to,
                    depth: task.depth + 1,
                    side: (!plane.is_across_an_axis()).then_some(Side { plane, side }),
                });
            }
        }
    }

    /// Whether the plane above a node lets the box through.
    #[inline(always)]
    fn admits(&self, node: usize, bounds: &Aabb) -> bool {
        self.sides[node].is_none_or(|side| side.is_reached_by(bounds))
    }
}

impl Index for Bsp {
    fn rebuild(&mut self, proxies: &Proxies) {
        gather(proxies, &mut self.items);
        self.scene.clone_from(&self.walls);
        self.tree.clear();
        self.planes.clear();
        self.sides.clear();
        self.tasks.clear();
        if !self.items.is_empty() {
            let (end, scene_end) = (self.items.len(), self.scene.len());
            self.tasks.push(Task { start: 0, end, scene_start: 0, scene_end, depth: 0, side: None });
        }
        while let Some(task) = self.tasks.pop() {
            self.grow(task);
        }
        self.tree.close();
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        self.tree.find_pairs(|node, bounds| self.admits(node, bounds), pairs)
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.tree.candidates(bounds, |node, bounds| self.admits(node, bounds), visit);
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        self.tree.ray_candidates(ray, visit);
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        self.tree.draw(sink);
        let mut planes = self.planes.iter().peekable();
        super::preorder::with_depths(&self.tree.nodes, |node, index, depth| {
            if let Some((_, plane)) = planes.next_if(|(at, _)| *at == index) {
                let (normal, offset) = (plane.normal, plane.offset as f32);
                sink(Drawn::Plane { normal, offset, region: node.volume, depth });
            }
        });
    }

    fn memory(&self) -> usize {
        self.tree.memory()
            + self.items.capacity() * size_of::<Item>()
            + (self.walls.capacity() + self.scene.capacity()) * size_of::<ScenePlane>()
            + self.tasks.capacity() * size_of::<Task>()
            + self.medians.capacity() * size_of::<f32>()
            + self.planes.capacity() * size_of::<(usize, Plane)>()
            + self.sides.capacity() * size_of::<Option<Side>>()
    }
}
