//! The moments of a convex shape that is known by its support map only.
//!
//! Directions on a grid over the octahedron give support points; joined as the directions are, they make a closed
//! surface inside the shape, which signed tetrahedra measure. Its error falls with the square of the grid's width, so
//! two grids, one twice as fine as the other, give a better value by Richardson's extrapolation (1911,
//! doi:10.1098/rsta.1911.0009). A long or flat shape has most of its surface in few directions: it is first measured
//! coarsely, round by round, and mapped to even proportions (the support of `T·A` along `d` is `T·support_A(Tᵀd)`), so
//! that the accuracy depends little on them. Asks for some 13,000 support points. tests/mass_custom.rs has the
//! accuracy: 1e-4 for smooth and for faceted shapes; detail finer than the grid is cut off.

use super::moments::{Moments, outer};
use super::wide::Wide;
use super::{MassError, principal};
use crate::shape::{ShapeKind, SupportMap};
use glam::{DMat3, DVec3, Vec3};

/// Steps of the fine grid along an edge of the octahedron.
const FINE: u32 = 48;
/// Steps of the grid that measures the proportions.
const COARSE: u32 = 8;
/// How often the proportions are measured at most, each time with the directions that the last time suggested.
const ROUNDS: usize = 8;
/// Proportions that are good enough, as the ratio of the least deviation to the greatest.
const EVEN: f64 = 0.5;
/// How much a round may change the proportions: one that saw only the tips of a needle underrates its thickness.
const MOST_CHANGE: f64 = 1.0 / 32.0;
/// What is thinner than this part of its length counts as flat: f32 points cannot tell.
const FLATNESS: f64 = 1e-6;

/// The solid under a support map, at density 1.
pub(super) fn custom(map: &dyn SupportMap) -> Result<Wide, MassError> {
    let mut surface = Surface { map, origin: DVec3::ZERO, stretch: DMat3::IDENTITY };
    for _ in 0..ROUNDS {
        let (center, deviations, frame) = surface.spread()?;
        let greatest = deviations.max_element();
        surface.origin += surface.stretch * center;
        if greatest == 0.0 || deviations.min_element() > EVEN * greatest {
            break;
        }
        surface.stretch *= frame * DMat3::from_diagonal(deviations.max(DVec3::splat(MOST_CHANGE * greatest)));
    }
    let (thickness, _) = principal::axes(surface.stretch * surface.stretch.transpose());
    if thickness.min_element() <= FLATNESS * FLATNESS * thickness.max_element() {
        return Err(MassError::NoVolume { shape: ShapeKind::Custom });
    }
    let (half, fine) = (surface.moments(FINE / 2)?, surface.moments(FINE)?);
    let moments = fine.extrapolated(&half);
    if moments.is_flat() || moments.volume <= 0.0 {
        return Err(MassError::NoVolume { shape: ShapeKind::Custom });
    }
    Ok(moments.mapped(surface.stretch).around(surface.origin))
}

/// The surface of a shape, seen through a linear map that makes it about as long as wide as high.
struct Surface<'a> {
    map: &'a dyn SupportMap,
    origin: DVec3,
    /// The shape is `origin` plus the image under this of the one that is measured.
    stretch: DMat3,
}

impl Surface<'_> {
    /// The measured shape's support points over one face of the octahedron: row `i` has `steps - i + 1` points.
    fn rows(&self, steps: u32, signs: DVec3) -> Result<Vec<Vec<DVec3>>, MassError> {
        let to_measured = self.stretch.inverse();
        let to_shape = to_measured.transpose();
        let point = |i: u32, j: u32| {
            let grid = DVec3::new(f64::from(i), f64::from(j), f64::from(steps - i - j));
            let direction = (to_shape * (signs * grid)).normalize_or_zero().as_vec3();
            let value: Vec3 = self.map.support(direction);
            if value.is_finite() {
                Ok(to_measured * (value.as_dvec3() - self.origin))
            } else {
                Err(MassError::SupportNotFinite { direction, value })
            }
        };
        (0..=steps).map(|i| (0..=steps - i).map(|j| point(i, j)).collect()).collect()
    }

    /// The mean of the measured shape's support points, their deviations along principal axes, and those axes.
    fn spread(&self) -> Result<(DVec3, DVec3, DMat3), MassError> {
        let mut points = Vec::new();
        for signs in octants() {
            points.extend(self.rows(COARSE, signs)?.into_iter().flatten());
        }
        let share = 1.0 / points.len() as f64;
        let center = points.iter().sum::<DVec3>() * share;
        let variance =
            points.iter().fold(DMat3::ZERO, |sum, &point| sum + outer(point - center, point - center)) * share;
        let (variances, frame) = principal::axes(variance);
        Ok((center, variances.max(DVec3::ZERO).map(f64::sqrt), frame))
    }

    /// The moments of the measured shape over a grid of `steps`.
    fn moments(&self, steps: u32) -> Result<Moments, MassError> {
        let mut moments = Moments::new();
        for signs in octants() {
            let mirrored = signs.element_product() < 0.0;
            let mut add = |a, b, c| moments.add_tetrahedron(if mirrored { [a, c, b] } else { [a, b, c] });
            for pair in self.rows(steps, signs)?.windows(2) {
                let (lower, upper) = (&pair[0], &pair[1]);
                for j in 0..upper.len() {
                    add(lower[j], upper[j], lower[j + 1]);
                    if j > 0 {
                        add(upper[j - 1], upper[j], lower[j]);
                    }
                }
            }
        }
        Ok(moments)
    }
}

/// The signs of the coordinates in each octant.
fn octants() -> impl Iterator<Item = DVec3> {
    (0..8).map(|octant| DVec3::from_array([0, 1, 2].map(|axis| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 })))
}
