//! Convex cells of space between cutting planes.

use glam::DVec3;

/// A plane, `normal · x = offset`, with a unit normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    pub(super) normal: DVec3,
    pub(super) offset: f64,
}

impl Cut {
    /// None if the normal is no direction.
    pub(super) fn through(point: DVec3, normal: DVec3) -> Option<Self> {
        let normal = normal.try_normalize()?;
        Some(Self { normal, offset: normal.dot(point) })
    }

    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    pub(super) fn flipped(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

/// What is below all of a list of planes.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    planes: Vec<Cut>,
}

impl Cell {
    /// The part above the plane and the part below.
    pub(super) fn split(&self, cut: &Cut) -> [Self; 2] {
        [cut.flipped(), *cut].map(|plane| {
            let mut planes = self.planes.clone();
            planes.push(plane);
            Self { planes }
        })
    }

    /// The corners of the cell where three of its planes meet, some of them more than once, as far as they are within
    /// `reach` of the origin. Each plane's face is a large square cut by the other planes.
    pub(super) fn corners(&self, reach: f64) -> Vec<DVec3> {
        let mut corners = Vec::new();
        if self.planes.len() < 3 {
            return corners;
        }
        for (index, plane) in self.planes.iter().enumerate() {
            let (right, up) = plane.normal.any_orthonormal_pair();
            let (right, up) = (4.0 * reach * right, 4.0 * reach * up);
            let middle = plane.normal * plane.offset;
            let mut face = vec![middle - right - up, middle + right - up, middle + right + up, middle - right + up];
            for (other, plane) in self.planes.iter().enumerate() {
                if other != index {
                    face = below(&face, plane);
                }
            }
            corners.extend(face.into_iter().filter(|corner| corner.length_squared() <= reach * reach));
        }
        corners
    }
}

/// The part of a convex polygon below a plane.
fn below(polygon: &[DVec3], plane: &Cut) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    let Some(&(mut last)) = polygon.last() else { return kept };
    for &corner in polygon {
        let (from, to) = (plane.height(last), plane.height(corner));
        if (from > 0.0) != (to > 0.0) {
            kept.push(last.lerp(corner, from / (from - to)));
        }
        if to <= 0.0 {
            kept.push(corner);
        }
        last = corner;
    }
    kept
}
