//! A segment against a box or a triangle in closed form: the closest points, and how deep one is in the other.
//!
//! Closest to a box: the square of the distance of a point from the box is a sum over the axes of how far it is beyond the
//! sides. Along the segment it is convex, and its slope is a line between the up to six places where a coordinate passes a
//! side: where the slope passes zero is found from its values at these places.
//! Depth: the difference of a segment and a box or a triangle is a polytope whose faces are known: those of the box or both
//! sides of the triangle, and the ones that edges span with the segment. The least distance of the origin from one is the
//! depth, exactly. Moved that far and a little more, the closest points of the two are opposite each other.
//! Always ends. Cost: 8 slopes; 6 or 4 axes. Source: faces of sums as in Gottschalk, Lin, Manocha 1996,
//! doi 10.1145/237170.237244; the slope is folklore.

use super::convex::Core;
use super::feature::{self, Pair};
use glam::DVec3;

/// Square of the sine of the angle below which an edge and a segment span no face.
const PARALLEL: f64 = 1e-20;

/// What a segment is measured against, in the frame of that.
#[derive(Debug, Clone, Copy)]
pub(super) enum Solid {
    Cuboid(DVec3),
    Face([DVec3; 3]),
}

/// How deep a segment is in a solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct SegmentDepth {
    /// The unit direction in which the segment comes free soonest, and how far.
    pub(super) way_out: DVec3,
    pub(super) depth: f64,
    /// The deepest points: of the segment, of the solid.
    pub(super) pair: Pair,
}

impl Solid {
    /// Of a core that is one.
    pub(super) fn of(core: &Core<'_>) -> Option<Self> {
        match *core {
            Core::Cuboid(half) => Some(Self::Cuboid(half)),
            Core::Triangle(corners) => Some(Self::Face(corners)),
            Core::Point
            | Core::Segment(_)
            | Core::Cylinder { .. }
            | Core::Cone { .. }
            | Core::Ellipsoid(_)
            | Core::Hull(_)
            | Core::Custom(_) => None,
        }
    }

    fn closest(&self, ends: [DVec3; 2]) -> Pair {
        match *self {
            Self::Cuboid(half) => to_box(ends, half),
            Self::Face(corners) => feature::edge_face(ends, corners),
        }
    }

    /// Its extent along an axis.
    fn extent(&self, axis: DVec3) -> [f64; 2] {
        match self {
            Self::Cuboid(half) => [-half.dot(axis.abs()), half.dot(axis.abs())],
            Self::Face(corners) => {
                let [a, b, c] = corners.map(|corner| corner.dot(axis));
                [a.min(b).min(c), a.max(b).max(c)]
            }
        }
    }

    /// Its own axes, and its edges.
    fn axes(&self) -> ([DVec3; 3], [DVec3; 3]) {
        match *self {
            Self::Cuboid(_) => (DVec3::AXES, DVec3::AXES),
            Self::Face([a, b, c]) => {
                ([(b - a).cross(c - a).normalize_or_zero(), DVec3::ZERO, DVec3::ZERO], [b - a, c - b, a - c])
            }
        }
    }

    fn size(&self) -> f64 {
        match self {
            Self::Cuboid(half) => half.min_element(),
            Self::Face([a, b, c]) => a.distance(*b).max(b.distance(*c)),
        }
    }

    /// How deep a segment that meets it is in it. None for a segment without length, whose difference has other faces.
    pub(super) fn depth(&self, ends: [DVec3; 2]) -> Option<SegmentDepth> {
        let along = ends[1] - ends[0];
        let square = along.length_squared();
        let (own, edges) = self.axes();
        let crossed = edges.map(|edge| {
            let cross = along.cross(edge);
            if cross.length_squared() > PARALLEL * square * edge.length_squared() {
                cross.normalize_or_zero()
            } else {
                DVec3::ZERO
            }
        });
        let mut best: Option<(f64, DVec3)> = None;
        // Its own faces first: they stay where others are no better.
        for axis in own.into_iter().chain(crossed).filter(|axis| *axis != DVec3::ZERO) {
            let [low, high] = self.extent(axis);
            let [start, end] = ends.map(|end| end.dot(axis));
            let (least, most) = (start.min(end), start.max(end));
            for (depth, way) in [(high - least, axis), (most - low, -axis)] {
                if best.is_none_or(|(shortest, _)| depth < shortest - 1e-12 * shortest.abs()) {
                    best = Some((depth, way));
                }
            }
        }
        let (depth, way_out) = best.filter(|_| square > 0.0)?;
        let length = square.sqrt();
        let way = (depth + 1e-2 * self.size().min(length)) * way_out;
        let pair = self.closest(ends.map(|end| end + way));
        Some(SegmentDepth { way_out, depth, pair: Pair { on_a: pair.on_a - way, on_b: pair.on_b } })
    }
}

/// The closest points of a segment and a box around the origin.
pub(super) fn to_box([from, to]: [DVec3; 2], half: DVec3) -> Pair {
    let along = to - from;
    let slope = |share: f64| {
        let point = from + along * share;
        along.dot(point - point.clamp(-half, half))
    };
    let (start, end) = (slope(0.0), slope(1.0));
    let share = if start > 0.0 {
        0.0
    } else if end < 0.0 {
        1.0
    } else {
        // The last place where the square still falls, the first where it grows, and between which it is level.
        let (mut last, mut first) = ((0.0, start), (1.0, end));
        let (mut level_first, mut level_last) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut offer = |share: f64, slope: f64| {
            if slope < 0.0 && share >= last.0 {
                last = (share, slope);
            } else if slope > 0.0 && share <= first.0 {
                first = (share, slope);
            } else if slope == 0.0 {
                (level_first, level_last) = (level_first.min(share), level_last.max(share));
            }
        };
        offer(0.0, start);
        offer(1.0, end);
        for axis in 0..3 {
            for side in [-half[axis], half[axis]] {
                let share = (side - from[axis]) / along[axis];
                if share > 0.0 && share < 1.0 {
                    offer(share, slope(share));
                }
            }
        }
        if level_first <= level_last {
            0.5 * (level_first + level_last)
        } else {
            last.0 + (first.0 - last.0) * (last.1 / (last.1 - first.1)).clamp(0.0, 1.0)
        }
    };
    let on_a = from + along * share;
    Pair { on_a, on_b: on_a.clamp(-half, half) }
}
