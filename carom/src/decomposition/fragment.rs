//! A part of a mesh's surface, cut along planes.
//!
//! Triangles become convex polygons, and each is cut by itself: no caps are made and nothing has to be closed. That is
//! enough to find the hull of a part of the solid. The extreme points of a solid within a convex cell are corners of
//! its cut polygons, or corners of the cell inside the solid (`cell`).
//! A corner within the tolerance of a plane is on it and belongs to both sides. A polygon in the plane belongs to the
//! side on which the solid lies, or the other side's hull would reach over all of a face that it only touches.
//! Cost: linear. Source of the cut: Sutherland, Hodgman 1974, doi 10.1145/360767.360802.

use super::cell::Cut;
use glam::DVec3;

/// Convex polygons over shared points, counter-clockwise from outside. A polygon of one corner is a loose point.
#[derive(Debug, Clone, Default)]
pub(super) struct Fragment {
    pub(super) points: Vec<DVec3>,
    corners: Vec<u32>,
    /// Where the corners of each polygon end.
    ends: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    On,
    Below,
}

impl Fragment {
    pub(super) fn new(points: Vec<DVec3>, triangles: impl Iterator<Item = [u32; 3]>) -> Self {
        let corners: Vec<u32> = triangles.flatten().collect();
        let ends = (1..=corners.len() as u32 / 3).map(|polygon| 3 * polygon).collect();
        Self { points, corners, ends }
    }

    pub(super) fn add_loose_point(&mut self, point: DVec3) {
        self.corners.push(self.points.len() as u32);
        self.points.push(point);
        self.ends.push(self.corners.len() as u32);
    }

    /// The part above the plane and the part below.
    pub(super) fn split(&self, cut: &Cut, tolerance: f64) -> [Self; 2] {
        let heights: Vec<f64> = self.points.iter().map(|&point| cut.height(point)).collect();
        let mut halves = [Half::new(self), Half::new(self)];
        let mut start = 0;
        for &end in &self.ends {
            let polygon = &self.corners[start..end as usize];
            start = end as usize;
            let (mut has_above, mut has_below) = (false, false);
            for &corner in polygon {
                let height = heights[corner as usize];
                has_above |= height > tolerance;
                has_below |= height < -tolerance;
            }
            match (has_above, has_below) {
                (true, false) => halves[0].copy(self, polygon),
                (false, true) => halves[1].copy(self, polygon),
                (true, true) => self.cut_polygon(polygon, &heights, tolerance, &mut halves),
                (false, false) if polygon.len() == 1 => {
                    halves[0].copy(self, polygon);
                    halves[1].copy(self, polygon);
                }
                (false, false) => {
                    let area =
                        crate::shape::hull::doubled_area(polygon.iter().map(|&corner| self.points[corner as usize]));
                    halves[usize::from(area.dot(cut.normal) > 0.0)].copy(self, polygon);
                }
            }
        }
        halves.map(|half| half.fragment)
    }

    fn cut_polygon(&self, polygon: &[u32], heights: &[f64], tolerance: f64, halves: &mut [Half; 2]) {
        let side = |corner: u32| match heights[corner as usize] {
            height if height > tolerance => Side::Above,
            height if height < -tolerance => Side::Below,
            _ => Side::On,
        };
        let mut last = polygon[polygon.len() - 1];
        for &corner in polygon {
            match (side(last), side(corner)) {
                (Side::Above, Side::Below) | (Side::Below, Side::Above) => {
                    let crossing = self.crossing(last, corner, heights);
                    halves.iter_mut().for_each(|half| half.push_new(crossing));
                }
                _ => {}
            }
            match side(corner) {
                Side::Above => halves[0].push(self, corner),
                Side::Below => halves[1].push(self, corner),
                Side::On => halves.iter_mut().for_each(|half| half.push(self, corner)),
            }
            last = corner;
        }
        halves.iter_mut().for_each(Half::end_polygon);
    }

    /// Where an edge crosses the plane; the same to the bit from both ends.
    fn crossing(&self, from: u32, to: u32, heights: &[f64]) -> DVec3 {
        let is_swapped = self.points[from as usize].to_array() > self.points[to as usize].to_array();
        let [from, to] = if is_swapped { [to, from] } else { [from, to] };
        let share = heights[from as usize] / (heights[from as usize] - heights[to as usize]);
        self.points[from as usize].lerp(self.points[to as usize], share)
    }

    /// A fragment of about `most` points at the most, each one of this fragment: of the points in a cell of a grid
    /// only the first stays. Its polygons need no longer be flat. For a search that need not be exact.
    pub(super) fn coarsened(&self, most: usize, least_pitch: f64) -> Self {
        if self.points.len() <= most {
            return self.clone();
        }
        let mut pitch = least_pitch;
        let (mut order, mut count) = self.clustered(pitch);
        while count > most {
            pitch *= 1.3 * (count as f64 / most as f64).sqrt().min(4.0);
            (order, count) = self.clustered(pitch);
        }
        let mut first = vec![0; self.points.len()];
        for cluster in order.chunk_by(|a, b| a.0 == b.0) {
            for &(_, point) in cluster {
                first[point as usize] = cluster[0].1;
            }
        }
        let mut half = Half::new(self);
        let mut start = 0;
        let mut kept: Vec<u32> = Vec::new();
        for &end in &self.ends {
            kept.clear();
            for &corner in &self.corners[start..end as usize] {
                let corner = first[corner as usize];
                if !kept.contains(&corner) {
                    kept.push(corner);
                }
            }
            let is_loose = end as usize - start == 1;
            start = end as usize;
            if kept.len() >= 3 || is_loose {
                half.copy(self, &kept);
            }
        }
        half.fragment
    }

    /// The points with the cells of a grid that they are in, sorted, and how many cells there are.
    fn clustered(&self, pitch: f64) -> (Vec<([i32; 3], u32)>, usize) {
        let cell = |point: DVec3| (point / pitch).floor().to_array().map(|index| index as i32);
        let mut order: Vec<_> = self.points.iter().zip(0..).map(|(&point, index)| (cell(point), index)).collect();
        order.sort_unstable();
        let count = order.chunk_by(|a, b| a.0 == b.0).count();
        (order, count)
    }
}

const NONE: u32 = u32::MAX;

/// A fragment that is made of parts of another.
struct Half {
    fragment: Fragment,
    /// The number here of each point of the other.
    numbers: Vec<u32>,
}

impl Half {
    fn new(whole: &Fragment) -> Self {
        Self { fragment: Fragment::default(), numbers: vec![NONE; whole.points.len()] }
    }

    fn copy(&mut self, whole: &Fragment, polygon: &[u32]) {
        for &corner in polygon {
            self.push(whole, corner);
        }
        self.end_polygon();
    }

    fn push(&mut self, whole: &Fragment, corner: u32) {
        let number = &mut self.numbers[corner as usize];
        if *number == NONE {
            *number = self.fragment.points.len() as u32;
            self.fragment.points.push(whole.points[corner as usize]);
        }
        self.fragment.corners.push(*number);
    }

    fn push_new(&mut self, point: DVec3) {
        self.fragment.corners.push(self.fragment.points.len() as u32);
        self.fragment.points.push(point);
    }

    fn end_polygon(&mut self) {
        self.fragment.ends.push(self.fragment.corners.len() as u32);
    }
}
