//! The neighbours of many points, one row for each.

use super::PointsError;

/// A point near another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Which point, counted from 0.
    pub index: u32,
    /// How far away it is.
    pub distance: f32,
}

/// The neighbours of many points, in one buffer that is reused.
///
/// A neighbour is kept as the bits of its squared distance above those of its index: ordered as integers, nearer ones
/// come first, and of equally near ones the smaller index.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    pub(super) keys: Vec<u64>,
    /// The rows in the order in which they are searched for.
    pub(super) searched: Vec<u64>,
    /// How many neighbours each point has.
    pub(super) count: usize,
    pub(super) rows: usize,
    /// What turns the tree's distances into the caller's.
    pub(super) unit: f64,
    /// Rows whose squared distances are too great for f32, ascending, with the distance of all their points.
    pub(super) far: Vec<(usize, f32)>,
}

/// Behind every neighbour there is.
pub(super) const NONE: u64 = key(f32::INFINITY, u32::MAX);

#[inline(always)]
pub(super) const fn key(distance_squared: f32, index: u32) -> u64 {
    (distance_squared.to_bits() as u64) << 32 | index as u64
}

/// The squared distance in a key.
#[inline(always)]
pub(super) fn distance_squared(key: u64) -> f32 {
    f32::from_bits((key >> 32) as u32)
}

impl Neighbours {
    /// How many points have been asked about.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether no point has been asked about.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many neighbours each point has: as many as were asked for, or all there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The neighbours of a point, the nearest first, of equally near ones the smaller index first. None for a point
    /// that was not asked about.
    pub fn of(&self, point: usize) -> impl ExactSizeIterator<Item = Neighbour> + '_ {
        let row = point.checked_mul(self.count).and_then(|first| self.keys.get(first..first + self.count));
        let far = self.far.binary_search_by_key(&point, |(row, _)| *row).ok().map(|place| self.far[place].1);
        row.unwrap_or_default().iter().map(move |&key| Neighbour {
            index: key as u32,
            distance: far.unwrap_or_else(|| (f64::from(distance_squared(key)).sqrt() * self.unit) as f32),
        })
    }

    /// Empty rows for so many points.
    pub(super) fn start(&mut self, rows: usize, count: usize, unit: f64) -> Result<(), PointsError> {
        let too_many = PointsError::TooManyNeighbours { count, queries: rows };
        (self.rows, self.count, self.unit) = (0, 0, unit);
        self.far.clear();
        let total = rows.checked_mul(count).ok_or(too_many)?;
        reset(&mut self.keys, total).map_err(|_| too_many)?;
        (self.rows, self.count) = (rows, count);
        Ok(())
    }
}

/// So many keys of no neighbour.
pub(super) fn reset(keys: &mut Vec<u64>, total: usize) -> Result<(), std::collections::TryReserveError> {
    keys.clear();
    keys.try_reserve(total)?;
    keys.resize(total, NONE);
    Ok(())
}
