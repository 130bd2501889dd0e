//! Mass properties in f64, in which all of this module is computed, and their narrowing to f32.

use super::{MassError, MassProperties};
use glam::{DMat3, DQuat, DVec3};

/// Mass, centre of mass and inertia about it, in f64.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide {
    pub(super) mass: f64,
    pub(super) center: DVec3,
    pub(super) inertia: DMat3,
}

/// The inertia about the origin of a point of the given mass.
pub(super) fn of_point_mass(mass: f64, at: DVec3) -> DMat3 {
    let [x, y, z] = at.to_array();
    // Sums of squares, not |at|² minus a square: that would cancel for points near an axis.
    mass * DMat3::from_cols(
        DVec3::new(y * y + z * z, -x * y, -x * z),
        DVec3::new(-x * y, z * z + x * x, -y * z),
        DVec3::new(-x * z, -y * z, x * x + y * y),
    )
}

impl Wide {
    /// Of parts that hold together: masses add up, and so do inertias about the common centre.
    pub(super) fn combined(parts: &[Self]) -> Option<Self> {
        let first = parts.first()?;
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        // Relative to the first part, so that parts far from the origin lose no digits.
        let lever: DVec3 = parts.iter().map(|part| (part.center - first.center) * (part.mass / mass)).sum();
        let center = first.center + lever;
        let inertia = parts.iter().fold(DMat3::ZERO, |sum, part| sum + part.about(center));
        Some(Self { mass, center, inertia })
    }

    /// The inertia about `point`.
    pub(super) fn about(&self, point: DVec3) -> DMat3 {
        self.inertia + of_point_mass(self.mass, self.center - point)
    }

    /// Turned, then shifted.
    pub(super) fn moved(&self, rotation: DQuat, position: DVec3) -> Self {
        let turn = DMat3::from_quat(rotation);
        let inertia = symmetric(turn * self.inertia * turn.transpose());
        Self { mass: self.mass, center: position + rotation * self.center, inertia }
    }

    /// Everything times `factor` that goes with the mass.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { mass: self.mass * factor, center: self.center, inertia: self.inertia * factor }
    }

    /// In f32, or which quantity does not fit.
    pub(super) fn narrowed(&self) -> Result<MassProperties, MassError> {
        fits("mass", self.mass)?;
        for axis in 0..3 {
            fits("moment of inertia", self.inertia.col(axis)[axis])?;
        }
        let center_of_mass = self.center.as_vec3();
        if !center_of_mass.is_finite() {
            return Err(MassError::Center(center_of_mass));
        }
        Ok(MassProperties { mass: self.mass as f32, center_of_mass, inertia: self.inertia.as_mat3() })
    }
}

impl From<&MassProperties> for Wide {
    fn from(narrow: &MassProperties) -> Self {
        Self { mass: narrow.mass.into(), center: narrow.center_of_mass.as_dvec3(), inertia: narrow.inertia.as_dmat3() }
    }
}

/// The symmetric part.
pub(super) fn symmetric(matrix: DMat3) -> DMat3 {
    0.5 * (matrix + matrix.transpose())
}

/// An error unless `value` is a positive f32 with all its digits.
fn fits(what: &'static str, value: f64) -> Result<(), MassError> {
    let range = f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX);
    if range.contains(&value) { Ok(()) } else { Err(MassError::OutOfRange { what, value }) }
}
