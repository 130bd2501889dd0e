//! A terrain: heights over a grid in the plane of x and z.

use super::error::{finite, positive};
use super::mesh::topology::falls_away;
use super::{ShapeError, ShapeKind};
use crate::bounds::Aabb;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// How many samples there may be along x and along z: f32 has a number of its own for each of so many.
const MAX_SAMPLES_ALONG: usize = 1 << 24;

/// Heights along y over a regular grid, centred on the origin in x and z. Each cell is two triangles that share the
/// diagonal from its (x, z) corner of least indices to its corner of greatest.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    columns: usize,
    rows: usize,
    heights: Vec<f32>,
    spacing: [f32; 2],
    /// The least and the greatest height.
    range: [f32; 2],
}

impl HeightField {
    /// A height field of `columns` samples along x and `rows` along z, `spacing` apart; `heights[row * columns +
    /// column]` is the height of a sample.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::shape::HeightField;
    ///
    /// let ramp = HeightField::new(3, 2, vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0], [10.0, 10.0])?;
    /// assert_eq!(ramp.vertex(5), Vec3::new(10.0, 2.0, 5.0));
    /// assert_eq!(ramp.triangle_count(), 4);
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn new(columns: usize, rows: usize, heights: Vec<f32>, spacing: [f32; 2]) -> Result<Self, ShapeError> {
        let shape = ShapeKind::HeightField;
        if columns < 2 || rows < 2 {
            return Err(ShapeError::TooFewSamples { columns, rows });
        }
        for (what, count) in [("columns", columns), ("rows", rows)] {
            if count > MAX_SAMPLES_ALONG {
                return Err(ShapeError::TooMany { shape, what, count, limit: MAX_SAMPLES_ALONG });
            }
        }
        if columns.checked_mul(rows) != Some(heights.len()) {
            return Err(ShapeError::WrongSampleCount { found: heights.len(), columns, rows });
        }
        if heights.len() > u32::MAX as usize / 2 {
            let limit = u32::MAX as usize / 2;
            return Err(ShapeError::TooMany { shape, what: "heights", count: heights.len(), limit });
        }
        positive(shape, "spacing along x", spacing[0])?;
        positive(shape, "spacing along z", spacing[1])?;
        finite(shape, "extent along x", spacing[0] * (columns - 1) as f32)?;
        finite(shape, "extent along z", spacing[1] * (rows - 1) as f32)?;
        let range =
            [heights.iter().copied().fold(f32::MAX, f32::min), heights.iter().copied().fold(f32::MIN, f32::max)];
        let field = Self { columns, rows, heights, spacing, range };
        match field.heights.iter().position(|height| !height.is_finite()) {
            None => Ok(field),
            Some(vertex) => Err(ShapeError::VertexNotFinite { shape, vertex, value: field.vertex(vertex) }),
        }
    }

    /// How many samples there are along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many samples there are along z.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The distance between samples along x and along z.
    pub fn spacing(&self) -> [f32; 2] {
        self.spacing
    }

    /// The heights, row by row.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// The point of sample `index`, counted row by row.
    ///
    /// # Panics
    ///
    /// If `index` is not one of [`HeightField::heights`].
    pub fn vertex(&self, index: usize) -> Vec3 {
        let (column, row) = (index % self.columns, index / self.columns);
        let along = |index: usize, count: usize, spacing: f32| (index as f32 - 0.5 * (count - 1) as f32) * spacing;
        Vec3::new(
            along(column, self.columns, self.spacing[0]),
            self.heights[index],
            along(row, self.rows, self.spacing[1]),
        )
    }

    /// How many triangles there are: two a cell.
    pub fn triangle_count(&self) -> usize {
        2 * (self.columns - 1) * (self.rows - 1)
    }

    /// The corners of triangle `index`, counter-clockwise from above. Cells count row by row, two triangles each.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`HeightField::triangle_count`].
    pub fn corners(&self, index: usize) -> [Vec3; 3] {
        self.samples(index).map(|sample| self.vertex(sample))
    }

    /// The samples at the corners of triangle `index`.
    pub(crate) fn samples(&self, index: usize) -> [usize; 3] {
        let cell = index / 2;
        let (column, row) = (cell % (self.columns - 1), cell / (self.columns - 1));
        let least = row * self.columns + column;
        let greatest = least + self.columns + 1;
        if index.is_multiple_of(2) { [least, least + self.columns, greatest] } else { [least, greatest, least + 1] }
    }

    /// Which edges of a triangle can be touched, as [`super::TriangleMesh`] says it of its own.
    pub(crate) fn ridges(&self, index: usize) -> u8 {
        let cell = index / 2;
        let (column, row) = (cell % (self.columns - 1), cell / (self.columns - 1));
        let samples @ [first, second, third] = self.samples(index);
        // The corner off each edge of the triangle beyond it.
        let opposite = if index.is_multiple_of(2) {
            [(column > 0).then(|| first - 1), (row + 2 < self.rows).then(|| third + self.columns), Some(first + 1)]
        } else {
            [
                Some(first + self.columns),
                (column + 2 < self.columns).then(|| second + 1),
                (row > 0).then(|| first - self.columns),
            ]
        };
        let place = |sample: usize| self.vertex(sample).as_dvec3();
        let mut ridges = 0;
        for edge in 0..3 {
            let corners = [0, 1, 2].map(|index| place(samples[(edge + index) % 3]));
            let (from_front, from_back) =
                opposite[edge].map_or((true, true), |opposite| falls_away(corners, place(opposite)));
            ridges |= u8::from(from_front) << edge | u8::from(from_back) << (3 + edge);
        }
        ridges
    }

    /// Calls `visit` with the index and the corners of each triangle whose box overlaps `bounds`.
    ///
    /// ```
    /// use carom::bounds::Aabb;
    /// use carom::prelude::*;
    /// use carom::shape::HeightField;
    ///
    /// let flat = HeightField::new(9, 9, vec![0.0; 81], [1.0, 1.0])?;
    /// let mut found = Vec::new();
    /// flat.visit_overlapping(&Aabb::new(Vec3::new(0.2, -1.0, 0.2), Vec3::new(0.3, 1.0, 0.3)), |triangle, _| {
    ///     found.push(triangle)
    /// });
    /// assert_eq!(found, [72, 73]);
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn visit_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32, [Vec3; 3])) {
        if bounds.min.y > self.range[1] || bounds.max.y < self.range[0] {
            return;
        }
        let columns = self.cells_between(0, bounds.min.x.into(), bounds.max.x.into());
        for row in self.cells_between(1, bounds.min.z.into(), bounds.max.z.into()) {
            for column in columns.clone() {
                let (low, high) = self.cell_heights(column, row);
                if low > bounds.max.y || high < bounds.min.y {
                    continue;
                }
                for triangle in self.cell_triangles(column, row) {
                    let corners @ [a, b, c] = self.corners(triangle as usize);
                    if a.min(b).min(c).cmple(bounds.max).all() && a.max(b).max(c).cmpge(bounds.min).all() {
                        visit(triangle, corners);
                    }
                }
            }
        }
    }

    /// The triangle above or below a place in the plane; none beside the field.
    pub(crate) fn triangle_under(&self, x: f64, z: f64) -> Option<u32> {
        let cell = |axis: usize, coordinate: f64| {
            let (at, _) = self.cell_coordinate(axis, coordinate);
            let cells = self.cells_along(axis) as f64;
            (0.0..=cells).contains(&at).then(|| {
                let cell = at.floor().min(cells - 1.0);
                (cell as usize, at - cell)
            })
        };
        let ((column, along_x), (row, along_z)) = (cell(0, x)?, cell(1, z)?);
        let [lower, upper] = self.cell_triangles(column, row);
        Some(if along_z >= along_x { lower } else { upper })
    }

    /// A box around everything.
    pub(crate) fn bounds(&self) -> Aabb {
        let corner = self.vertex(self.heights.len() - 1);
        Aabb::new(Vec3::new(-corner.x, self.range[0], -corner.z), Vec3::new(corner.x, self.range[1], corner.z))
    }

    /// How many cells there are along x (axis 0) or z (axis 1).
    pub(crate) fn cells_along(&self, axis: usize) -> usize {
        [self.columns, self.rows][axis] - 1
    }

    /// Where a coordinate along x (axis 0) or z (axis 1) falls among the cells, counted from the border, and by how
    /// much the rounding of the samples' coordinates may be mistaken there.
    pub(crate) fn cell_coordinate(&self, axis: usize, coordinate: f64) -> (f64, f64) {
        let cells = self.cells_along(axis) as f64;
        let exact = coordinate / f64::from(self.spacing[axis]) + 0.5 * cells;
        (exact, 1e-9 + f64::from(f32::EPSILON) * cells + 1e-15 * exact.abs())
    }

    /// The cells along x (axis 0) or z (axis 1) that reach into an interval.
    pub(crate) fn cells_between(&self, axis: usize, least: f64, greatest: f64) -> Range<usize> {
        let ((first, doubt), (last, other_doubt)) =
            (self.cell_coordinate(axis, least), self.cell_coordinate(axis, greatest));
        let cells = self.cells_along(axis);
        let (first, last) = (first - doubt, last + other_doubt);
        // Conversions saturate, and make zero of NaN.
        let start = if first > cells as f64 { cells } else { (first.max(0.0) as usize).min(cells - 1) };
        let end = if last < 0.0 { 0 } else { (last as usize).saturating_add(1).min(cells) };
        start..end.max(start)
    }

    /// The least and the greatest height of a cell.
    pub(crate) fn cell_heights(&self, column: usize, row: usize) -> (f32, f32) {
        let least = row * self.columns + column;
        let [a, b] = [self.heights[least], self.heights[least + 1]];
        let [c, d] = [self.heights[least + self.columns], self.heights[least + self.columns + 1]];
        (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }

    /// The two triangles of a cell.
    pub(crate) fn cell_triangles(&self, column: usize, row: usize) -> [u32; 2] {
        let first = 2 * (row * (self.columns - 1) + column) as u32;
        [first, first + 1]
    }

    /// Calls `visit` with each triangle whose cell may be nearer than `limit` to the box from `min` to `max`, which can
    /// be a point: rings of cells around the box, until the rings are too far. What `visit` returns is the new limit,
    /// if it is less.
    pub(crate) fn visit_near(&self, min: DVec3, max: DVec3, mut limit: f64, mut visit: impl FnMut(u32) -> f64) {
        let nearest = |axis: usize, least: f64, greatest: f64| {
            let cells = self.cells_between(axis, least, greatest);
            let last = self.cells_along(axis) - 1;
            (cells.start.min(last), cells.end.saturating_sub(1).clamp(cells.start.min(last), last))
        };
        let (columns, rows) = (nearest(0, min.x, max.x), nearest(1, min.z, max.z));
        let step = f64::from(self.spacing[0].min(self.spacing[1]));
        let rings = self.cells_along(0).max(self.cells_along(1));
        for ring in 0..rings {
            // The box ends within its cells, give or take one by rounding.
            if (ring as f64 - 2.0) * step > limit {
                break;
            }
            let mut cell = |column: usize, row: usize| {
                if self.cell_distance(column, row, min, max) < limit {
                    for triangle in self.cell_triangles(column, row) {
                        limit = visit(triangle).min(limit);
                    }
                }
            };
            let inside = |(first, last): (usize, usize), axis: usize| {
                first.saturating_sub(ring)..(last + ring + 1).min(self.cells_along(axis))
            };
            let (all_columns, all_rows) = (inside(columns, 0), inside(rows, 1));
            for row in all_rows {
                if row + ring == rows.0 || row == rows.1 + ring || ring == 0 {
                    all_columns.clone().for_each(|column| cell(column, row));
                } else {
                    if columns.0 >= ring {
                        cell(columns.0 - ring, row);
                    }
                    if columns.1 + ring < self.cells_along(0) {
                        cell(columns.1 + ring, row);
                    }
                }
            }
        }
    }

    fn cell_distance(&self, column: usize, row: usize, min: DVec3, max: DVec3) -> f64 {
        let (low, high) = self.cell_heights(column, row);
        let least = self.vertex(row * self.columns + column);
        let greatest = self.vertex((row + 1) * self.columns + column + 1);
        let cell_min = DVec3::new(least.x.into(), low.into(), least.z.into());
        let cell_max = DVec3::new(greatest.x.into(), high.into(), greatest.z.into());
        (min - cell_max).max(cell_min - max).max(DVec3::ZERO).length()
    }
}
