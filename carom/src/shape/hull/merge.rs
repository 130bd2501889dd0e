//! Which triangles of a hull make up one face.
//!
//! Triangles within rounding of a common plane become one polygon. From the largest triangle not yet used, take all
//! connected triangles near its plane, fit a plane to them, and take all near that one. The region becomes a face if its
//! border is one loop that is convex in the plane; if not, its triangles stay faces of their own, which is always sound.
//!
//! A point with fewer than three faces around it lies within rounding of a face or an edge, and is not a vertex of the
//! polytope. Where leaving such points out would spoil a face, the faces at those points are taken apart again.
//! O(n log n).

use super::border::{BorderEdge, first_edges};
use super::cloud::ROUNDING;
use super::doubled_area;
use super::quickhull::Triangulation;
use glam::DVec3;

const NONE: u32 = u32::MAX;

/// How often spoilt faces are taken apart before all of them are; one round is enough in practice.
const REPAIR_ROUNDS: u32 = 8;

/// How often a triangle may be part of a region that is no convex polygon; so that trying stays O(n).
const TRIALS: u8 = 4;

/// The faces that the triangles of a hull make up.
pub(super) struct Faces {
    pub(super) of_triangle: Vec<u32>,
    pub(super) count: usize,
    /// Whether each point is a vertex of the polytope: a corner of three faces or more.
    pub(super) is_corner: Vec<bool>,
    /// Whether no two triangles that share an edge are near one plane: then there is nothing to merge or to leave out.
    pub(super) is_plain: bool,
}

/// The faces that the triangles make up. Points have coordinates in [-1, 1].
pub(super) fn merge(points: &[DVec3], hull: &Triangulation) -> Faces {
    let mut merger = Merger {
        points,
        hull,
        area: Vec::new(),
        face: Vec::new(),
        trials: Vec::new(),
        region: Vec::new(),
        after: Vec::new(),
        border: Vec::new(),
    };
    let mut seeds = merger.triangles_with_flat_edges();
    if seeds.is_empty() {
        return Faces { is_plain: true, ..Faces::unmerged(points.len(), hull) };
    }
    merger.area.extend(hull.corners.iter().map(|&corners| area_vector(points, corners)));
    merger.face.resize(hull.corners.len(), NONE);
    merger.trials.resize(hull.corners.len(), 0);
    merger.after.resize(points.len(), NONE);
    let size: Vec<f64> = merger.area.iter().map(|area| area.length_squared()).collect();
    // Ties are broken by the points, not by the triangles' numbers, which depend on how the hull was built.
    let sorted = |triangle: u32| {
        let mut corners = hull.corners[triangle as usize];
        corners.sort_unstable();
        corners
    };
    seeds.sort_by(|&a, &b| size[b as usize].total_cmp(&size[a as usize]).then_with(|| sorted(a).cmp(&sorted(b))));
    let mut count = 0;
    for seed in seeds {
        if merger.face[seed as usize] == NONE {
            merger.grow_face(seed, count);
            count += 1;
        }
    }
    for face in merger.face.iter_mut().filter(|face| **face == NONE) {
        *face = count;
        count += 1;
    }
    let mut faces = Faces {
        of_triangle: merger.face,
        count: count as usize,
        is_corner: vec![false; points.len()],
        is_plain: false,
    };
    for _ in 0..REPAIR_ROUNDS {
        faces.find_corners(hull);
        let spoilt = faces.spoilt(points, hull);
        if !spoilt.contains(&true) {
            return faces;
        }
        faces.take_apart(hull, &spoilt);
    }
    Faces::unmerged(points.len(), hull)
}

impl Faces {
    /// Every triangle a face of its own.
    fn unmerged(points: usize, hull: &Triangulation) -> Self {
        let mut is_corner = vec![false; points];
        for &corner in hull.corners.iter().flatten() {
            is_corner[corner as usize] = true;
        }
        let of_triangle = (0..hull.corners.len() as u32).collect();
        Self { of_triangle, count: hull.corners.len(), is_corner, is_plain: false }
    }

    fn find_corners(&mut self, hull: &Triangulation) {
        self.is_corner.fill(false);
        // Up to two different faces seen at each point; a third one makes it a corner.
        let mut seen = vec![[NONE; 2]; self.is_corner.len()];
        for (corners, &face) in hull.corners.iter().zip(&self.of_triangle) {
            for &corner in corners {
                let [first, second] = &mut seen[corner as usize];
                if *first == NONE {
                    *first = face;
                } else if *first != face && *second == NONE {
                    *second = face;
                } else if *first != face && *second != face {
                    self.is_corner[corner as usize] = true;
                }
            }
        }
    }

    /// Whether each face, reduced to its corners, is no convex polygon any more or loses a point that is off its edges.
    fn spoilt(&self, points: &[DVec3], hull: &Triangulation) -> Vec<bool> {
        let mut border = Vec::new();
        let mut polygon = Vec::new();
        let is_spoilt = |first: Option<BorderEdge>| {
            let Some(first) = first else { return true };
            border.clear();
            border.extend(first.around(hull, self).map(|edge| edge.start(hull)));
            polygon.clear();
            polygon.extend(border.iter().filter(|&&at| self.is_corner[at as usize]).map(|&at| points[at as usize]));
            let mut side = 0;
            let stays_near = |&at: &u32| {
                if self.is_corner[at as usize] {
                    side += 1;
                    return true;
                }
                distance_to_segment(points[at as usize], polygon[side - 1], polygon[side % polygon.len()])
                    <= 2.0 * ROUNDING
            };
            let is_sound = border.iter().all(stays_near)
                && polygon.len() >= 3
                && (polygon.len() == 3
                    || is_convex(&polygon, doubled_area(polygon.iter().copied()).normalize_or_zero()));
            !is_sound
        };
        first_edges(hull, self).into_iter().map(is_spoilt).collect()
    }

    /// Takes apart the spoilt faces, and all faces at points that a spoilt face would leave out.
    fn take_apart(&mut self, hull: &Triangulation, spoilt: &[bool]) {
        let mut is_kept = vec![false; self.is_corner.len()];
        for (corners, &face) in hull.corners.iter().zip(&self.of_triangle) {
            for &corner in corners {
                is_kept[corner as usize] |= spoilt[face as usize] && !self.is_corner[corner as usize];
            }
        }
        let mut is_apart = spoilt.to_vec();
        for (corners, &face) in hull.corners.iter().zip(&self.of_triangle) {
            is_apart[face as usize] |= corners.iter().any(|&corner| is_kept[corner as usize]);
        }
        let mut numbers = vec![NONE; self.count];
        let mut count = 0;
        for face in &mut self.of_triangle {
            let old = *face as usize;
            if is_apart[old] || numbers[old] == NONE {
                numbers[old] = count;
                count += 1;
            }
            *face = numbers[old];
        }
        self.count = count as usize;
    }
}

fn distance_to_segment(point: DVec3, from: DVec3, to: DVec3) -> f64 {
    let along = to - from;
    let place = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (point - from - along * place).length()
}

/// Whether a polygon turns left everywhere, up to rounding.
fn is_convex(polygon: &[DVec3], normal: DVec3) -> bool {
    let count = polygon.len();
    (0..count).all(|index| {
        let [a, b, c] = [index, index + 1, index + 2].map(|i| polygon[i % count]);
        let turn = (b - a).cross(c - b).dot(normal);
        turn >= -2.0 * ROUNDING * (c - a).length().max((b - a).length())
    })
}

/// The normal of a triangle, as long as twice its area.
fn area_vector(points: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    (b - a).cross(c - a)
}

struct Merger<'a> {
    points: &'a [DVec3],
    hull: &'a Triangulation,
    area: Vec<DVec3>,
    face: Vec<u32>,
    /// How often each triangle was part of a region that was given up.
    trials: Vec<u8>,
    region: Vec<u32>,
    /// For a point on the border of the region, the point after it.
    after: Vec<u32>,
    border: Vec<DVec3>,
}

/// The points between two parallel planes.
struct Slab {
    normal: DVec3,
    lowest: f64,
    highest: f64,
}

impl Slab {
    fn around(normal: DVec3, middle: f64, rounding: f64) -> Self {
        let half = rounding * normal.abs().element_sum();
        Self { normal, lowest: middle - half, highest: middle + half }
    }

    fn contains(&self, point: DVec3) -> bool {
        (self.lowest..=self.highest).contains(&self.normal.dot(point))
    }
}

impl Merger<'_> {
    fn position(&self, point: u32) -> DVec3 {
        self.points[point as usize]
    }

    /// The triangles with a neighbour that lies near their plane.
    fn triangles_with_flat_edges(&self) -> Vec<u32> {
        let is_flat = |&triangle: &u32| {
            let slab = self.slab_of(triangle);
            (0..3).any(|edge| slab.contains(self.position(self.hull.across(triangle as usize, edge))))
        };
        (0..self.hull.corners.len() as u32).filter(is_flat).collect()
    }

    /// The slab around a triangle's plane is twice as thick, because a plane through three points with errors of their
    /// own is farther off where other points are.
    fn slab_of(&self, triangle: u32) -> Slab {
        let plane = &self.hull.planes[triangle as usize];
        Slab::around(plane.normal, plane.offset, 2.0 * ROUNDING)
    }

    fn is_inside(&self, triangle: u32, slab: &Slab) -> bool {
        self.hull.corners[triangle as usize].iter().all(|&corner| slab.contains(self.position(corner)))
    }

    /// Makes `face` of the triangles around `seed`, or of the seed alone.
    fn grow_face(&mut self, seed: u32, face: u32) {
        self.grow_region(seed, &self.slab_of(seed));
        let slab = self.fitted_slab();
        self.grow_region(seed, &slab);
        if !(self.trace_border(face) && is_convex(&self.border, slab.normal)) {
            for &triangle in &self.region {
                self.trials[triangle as usize] += 1;
            }
            self.region.clear();
            self.region.push(seed);
        }
        for &triangle in &self.region {
            self.face[triangle as usize] = face;
        }
    }

    /// Fills `region` with the unused triangles inside the slab that are connected to `seed`.
    fn grow_region(&mut self, seed: u32, slab: &Slab) {
        self.region.clear();
        self.region.push(seed);
        self.face[seed as usize] = seed;
        let mut done = 0;
        while done < self.region.len() {
            for neighbour in self.hull.neighbours[self.region[done] as usize] {
                let is_free = self.face[neighbour as usize] == NONE && self.trials[neighbour as usize] < TRIALS;
                if is_free && self.is_inside(neighbour, slab) {
                    self.face[neighbour as usize] = seed;
                    self.region.push(neighbour);
                }
            }
            done += 1;
        }
        for &triangle in &self.region {
            self.face[triangle as usize] = NONE;
        }
    }

    /// The slab around the plane that has the region's mean normal and passes midway between its outermost points.
    fn fitted_slab(&self) -> Slab {
        let normal =
            self.region.iter().map(|&triangle| self.area[triangle as usize]).sum::<DVec3>().normalize_or_zero();
        let mut lowest = f64::INFINITY;
        let mut highest = f64::NEG_INFINITY;
        for &triangle in &self.region {
            for corner in self.hull.corners[triangle as usize] {
                let height = normal.dot(self.position(corner));
                lowest = lowest.min(height);
                highest = highest.max(height);
            }
        }
        Slab::around(normal, 0.5 * (lowest + highest), ROUNDING)
    }

    /// Fills `border` with the points around the region in order; false if they are not one simple loop.
    fn trace_border(&mut self, face: u32) -> bool {
        for &triangle in &self.region {
            self.face[triangle as usize] = face;
        }
        let mut edges = 0;
        let mut simple = true;
        let mut start = NONE;
        for &triangle in &self.region {
            let corners = self.hull.corners[triangle as usize];
            for (edge, &neighbour) in self.hull.neighbours[triangle as usize].iter().enumerate() {
                if self.face[neighbour as usize] != face {
                    start = corners[edge];
                    simple &= self.after[start as usize] == NONE;
                    self.after[start as usize] = corners[(edge + 1) % 3];
                    edges += 1;
                }
            }
        }
        self.border.clear();
        let mut point = start;
        while point != NONE && self.border.len() < edges {
            self.border.push(self.position(point));
            point = self.after[point as usize];
            if point == start {
                break;
            }
        }
        for &triangle in &self.region {
            self.face[triangle as usize] = NONE;
            for corner in self.hull.corners[triangle as usize] {
                self.after[corner as usize] = NONE;
            }
        }
        simple && start != NONE && point == start && self.border.len() == edges
    }
}
