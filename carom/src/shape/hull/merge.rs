//! Which triangles of a hull make up one face.
//!
//! Triangles within rounding of a common plane become one polygon. From the largest triangle not yet used, take all
//! connected triangles near its plane, fit a plane to them, and take all near that one. The region becomes a face if its
//! border is one loop that is convex in the plane; if not, its triangles stay faces of their own, which is always sound.
//!
//! A vertex with fewer than three faces around it lies within rounding of a face or an edge: it is to be dropped. The
//! hull of the others is then computed anew rather than patched, so that what is returned is the exact hull of its own
//! vertices. O(n log n).

use super::cloud::ROUNDING;
use super::quickhull::Triangulation;
use glam::DVec3;

const NONE: u32 = u32::MAX;

/// The face of each triangle, and how many faces there are.
pub(super) struct Faces {
    pub(super) of_triangle: Vec<u32>,
    pub(super) count: usize,
}

impl Faces {
    /// Every triangle a face of its own.
    fn unmerged(triangles: usize) -> Self {
        Self { of_triangle: (0..triangles as u32).collect(), count: triangles }
    }
}

/// The faces that the triangles make up. Points have coordinates in [-1, 1].
pub(super) fn merge(points: &[DVec3], hull: &Triangulation) -> Faces {
    let mut merger = Merger {
        points,
        hull,
        area: hull.corners.iter().map(|&corners| area_vector(points, corners)).collect(),
        face: vec![NONE; hull.corners.len()],
        region: Vec::new(),
        after: vec![NONE; points.len()],
        border: Vec::new(),
    };
    let mut seeds: Vec<u32> =
        (0..hull.corners.len() as u32).filter(|&triangle| merger.has_flat_edge(triangle)).collect();
    if seeds.is_empty() {
        return Faces::unmerged(hull.corners.len());
    }
    let size: Vec<f64> = merger.area.iter().map(|area| area.length_squared()).collect();
    seeds.sort_by(|&a, &b| size[b as usize].total_cmp(&size[a as usize]));
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
    Faces { of_triangle: merger.face, count: count as usize }
}

/// Whether each point is a vertex where three faces or more meet.
pub(super) fn corners_of_three(point_count: usize, hull: &Triangulation, faces: &Faces) -> Vec<bool> {
    // Up to two different faces seen at each point; a third one makes it a corner.
    let mut seen = vec![[NONE; 2]; point_count];
    let mut is_corner = vec![false; point_count];
    for (corners, &face) in hull.corners.iter().zip(&faces.of_triangle) {
        for &corner in corners {
            let [first, second] = &mut seen[corner as usize];
            if *first == NONE {
                *first = face;
            } else if *first != face && *second == NONE {
                *second = face;
            } else if *first != face && *second != face {
                is_corner[corner as usize] = true;
            }
        }
    }
    is_corner
}

/// Takes apart every face with a point on it that is not a corner of three.
pub(super) fn take_apart(hull: &Triangulation, faces: &mut Faces, is_corner: &[bool]) {
    let mut sound = vec![true; faces.count];
    for (corners, &face) in hull.corners.iter().zip(&faces.of_triangle) {
        sound[face as usize] &= corners.iter().all(|&corner| is_corner[corner as usize]);
    }
    let mut numbers = vec![NONE; faces.count];
    let mut count = 0;
    for face in &mut faces.of_triangle {
        let old = *face as usize;
        if sound[old] && numbers[old] != NONE {
            *face = numbers[old];
        } else {
            *face = count;
            numbers[old] = count;
            count += 1;
        }
    }
    faces.count = count as usize;
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
    region: Vec<u32>,
    /// For a point on the border of the region, the point after it.
    after: Vec<u32>,
    border: Vec<u32>,
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

    /// Whether a neighbour lies near the plane of the triangle.
    fn has_flat_edge(&self, triangle: u32) -> bool {
        let slab = self.slab_of(triangle);
        self.hull.neighbours[triangle as usize].iter().any(|&neighbour| self.is_inside(neighbour, &slab))
    }

    /// The slab around a triangle's plane is twice as thick, because a plane through three points with errors of their
    /// own is farther off where other points are.
    fn slab_of(&self, triangle: u32) -> Slab {
        let normal = self.area[triangle as usize].normalize_or_zero();
        let on_plane = self.position(self.hull.corners[triangle as usize][0]);
        Slab::around(normal, normal.dot(on_plane), 2.0 * ROUNDING)
    }

    fn is_inside(&self, triangle: u32, slab: &Slab) -> bool {
        self.hull.corners[triangle as usize].iter().all(|&corner| slab.contains(self.position(corner)))
    }

    /// Makes `face` of the triangles around `seed`, or of the seed alone.
    fn grow_face(&mut self, seed: u32, face: u32) {
        self.grow_region(seed, &self.slab_of(seed));
        let slab = self.fitted_slab();
        self.grow_region(seed, &slab);
        let normal = slab.normal;
        if !(self.trace_border(face) && self.border_is_convex(normal)) {
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
                if self.face[neighbour as usize] == NONE && self.is_inside(neighbour, slab) {
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
            self.border.push(point);
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

    /// Whether the border turns left everywhere, up to rounding.
    fn border_is_convex(&self, normal: DVec3) -> bool {
        let count = self.border.len();
        (0..count).all(|index| {
            let [a, b, c] = [index, index + 1, index + 2].map(|i| self.position(self.border[i % count]));
            let turn = (b - a).cross(c - b).dot(normal);
            turn >= -2.0 * ROUNDING * (c - a).length().max((b - a).length())
        })
    }
}
