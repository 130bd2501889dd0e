//! Volume and first and second moments, the integrals of 1, x and xxᵀ over a solid, summed up piece by piece.

use super::wide::{Wide, symmetric};
use glam::{DMat3, DVec3};

/// The moments about the origin of the pieces added so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    pub(super) volume: f64,
    pub(super) first: DVec3,
    pub(super) second: DMat3,
    /// The sum of the pieces' volumes without their signs: what the volume's rounding error is relative to.
    gross: f64,
}

/// `a bᵀ`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Moments {
    pub(super) fn new() -> Self {
        Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO, gross: 0.0 }
    }

    /// Adds a piece from its moments.
    pub(super) fn add(&mut self, volume: f64, first: DVec3, second: DMat3) {
        self.volume += volume;
        self.first += first;
        self.second += second;
        self.gross += volume.abs();
    }

    /// Adds a piece from its centre and its second moments about that.
    pub(super) fn add_centered(&mut self, volume: f64, center: DVec3, spread: DMat3) {
        self.add(volume, volume * center, spread + volume * outer(center, center));
    }

    /// Adds the tetrahedron of the origin and a triangle; its volume is negative if the origin sees the corners run
    /// counter-clockwise. Over a closed surface what is outside cancels.
    pub(super) fn add_tetrahedron(&mut self, [a, b, c]: [DVec3; 3]) {
        let volume = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        let second = (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c)) * (volume / 20.0);
        self.add(volume, sum * (volume / 4.0), second);
    }

    /// Whether the volume is no more than the rounding error of summing it up.
    pub(super) fn is_flat(&self) -> bool {
        self.volume.abs() <= 1e-13 * self.gross
    }

    /// The better value from these moments and those of a grid of twice the width, the error going with its square.
    pub(super) fn extrapolated(&self, twice_as_wide: &Self) -> Self {
        Self {
            volume: self.volume + (self.volume - twice_as_wide.volume) / 3.0,
            first: self.first + (self.first - twice_as_wide.first) / 3.0,
            second: self.second + (self.second - twice_as_wide.second) * (1.0 / 3.0),
            gross: self.gross,
        }
    }

    /// The moments of the image under a linear map.
    pub(super) fn mapped(&self, map: DMat3) -> Self {
        let stretch = map.determinant().abs();
        Self {
            volume: stretch * self.volume,
            first: map * self.first * stretch,
            second: map * self.second * map.transpose() * stretch,
            gross: stretch * self.gross,
        }
    }

    /// The mass properties at density 1 of a solid whose moments about `origin` these are.
    pub(super) fn around(&self, origin: DVec3) -> Wide {
        let offset = self.first / self.volume;
        let spread = symmetric(self.second - outer(self.first, offset));
        let [x, y, z] = [spread.x_axis.x, spread.y_axis.y, spread.z_axis.z];
        // The trace minus each diagonal element, written as sums so that thin bodies keep their digits.
        let mut inertia = -spread;
        (inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z) = (y + z, z + x, x + y);
        Wide { mass: self.volume, center: origin + offset, inertia }
    }
}
