//! A polygon clipped to the prism over another, with the names of what crosses at each corner (N4, N5).
//!
//! As [`super::super::clip`] does it for two convex parts; here one of the two is a triangle with names of its own, and
//! the points are kept as they are until those of all triangles are known. Source: Sutherland, Hodgman 1974,
//! doi 10.1145/360767.360802.

use crate::narrow::Feature;
use glam::DVec3;

/// The most corners of a polygon: eight, and one more for each of eight sides.
const MOST: usize = 16;

/// A corner, and where the side after it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) place: DVec3,
    /// What the corner is; of a cut, the edge that was cut.
    vertex: Feature,
    /// The edge from here to the next corner.
    edge: Feature,
    /// What of the other polygon cuts here; none if the corner is inside.
    cut: Option<Feature>,
    /// The side of the other polygon along which the edge from here runs, if it is a cut.
    along_cut: Option<u32>,
}

impl Corner {
    const NONE: Self =
        Self { place: DVec3::ZERO, vertex: Feature::SURFACE, edge: Feature::SURFACE, cut: None, along_cut: None };

    pub(super) fn new(place: DVec3, vertex: Feature, edge: Feature) -> Self {
        Self { place, vertex, edge, cut: None, along_cut: None }
    }

    /// The names of this corner on the other polygon, whose face is `face`, and on its own, whose face is `own_face`.
    pub(super) fn names(&self, face: Feature, own_face: Feature) -> [Feature; 2] {
        match self.cut {
            None => [face, self.vertex],
            Some(cut) if cut.kind() == crate::narrow::FeatureKind::Vertex => [cut, own_face],
            Some(cut) => [cut, self.vertex],
        }
    }
}

/// A polygon, and room for what is left of it.
#[derive(Debug, Clone)]
pub(super) struct Polygon {
    corners: [[Corner; MOST]; 2],
    /// Which of the two it is in.
    current: usize,
    count: usize,
}

impl Default for Polygon {
    fn default() -> Self {
        Self { corners: [[Corner::NONE; MOST]; 2], current: 0, count: 0 }
    }
}

impl Polygon {
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[self.current][..self.count]
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners[self.current].get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    /// Keeps what is on the inner side of side `number` of the other polygon, which goes through `point`; `edge` is its
    /// name, and `vertices` are the names of all of the other's corners.
    pub(super) fn clip(&mut self, point: DVec3, inward: DVec3, number: u32, edge: Feature, vertices: &[Feature]) {
        let mut heights = [0.0; MOST];
        let mut is_cut = false;
        for (height, corner) in heights.iter_mut().zip(self.corners()) {
            *height = inward.dot(corner.place - point);
            is_cut |= *height < 0.0;
        }
        if !is_cut {
            return;
        }
        let (before, count) = (self.current, self.count);
        self.current = 1 - before;
        self.count = 0;
        // A segment has one side, not two, and a point none.
        let sides = if count > 2 { count } else { count.saturating_sub(1) };
        for index in 0..count {
            let corner = self.corners[before][index];
            let here = heights[index];
            if here >= 0.0 {
                self.push(corner);
            }
            let next = if index + 1 < count { index + 1 } else { 0 };
            let there = heights[next];
            if index < sides && (here >= 0.0) != (there >= 0.0) {
                let place = corner.place.lerp(self.corners[before][next].place, here / (here - there));
                // Two cuts meet at a corner of the other polygon.
                let cut = corner.along_cut.and_then(|other| meeting(other, number, vertices)).unwrap_or(edge);
                let along_cut = if here >= 0.0 { Some(number) } else { corner.along_cut };
                self.push(Corner { place, vertex: corner.edge, edge: corner.edge, cut: Some(cut), along_cut });
            }
        }
    }
}

/// The corner between two sides that follow each other; side i begins at corner i.
fn meeting(side: u32, other: u32, vertices: &[Feature]) -> Option<Feature> {
    let count = vertices.len() as u32;
    if (side + 1) % count == other {
        vertices.get(other as usize).copied()
    } else if (other + 1) % count == side {
        vertices.get(side as usize).copied()
    } else {
        None
    }
}
