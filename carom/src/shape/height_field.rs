//! A terrain: heights over a grid in the plane of x and z.

use super::error::{finite, positive};
use super::{ShapeError, ShapeKind};
use glam::Vec3;

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
        let field = Self { columns, rows, heights, spacing };
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
        let cell = index / 2;
        let (column, row) = (cell % (self.columns - 1), cell / (self.columns - 1));
        let least = row * self.columns + column;
        let greatest = least + self.columns + 1;
        let sample_indices = if index.is_multiple_of(2) {
            [least, least + self.columns, greatest]
        } else {
            [least, greatest, least + 1]
        };
        sample_indices.map(|sample| self.vertex(sample))
    }
}
