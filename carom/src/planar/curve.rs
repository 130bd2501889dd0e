//! Bézier curves against convex figures.
//!
//! A curve lies in the hull of its control points. If a line separates the figure from all of them the two are apart; if
//! an end of the curve is in the figure they meet; else the curve is cut in half (de Casteljau) and both halves are
//! asked. Stops: a piece shorter than the tolerance that could not be separated counts as a hit, so an answer "apart"
//! is sure, and "meet" is right to within the tolerance. Cost: a piece that comes near takes log₂(length/tolerance)
//! cuts; separated pieces are dropped at once.
//! Source: subdivision by hulls is folklore; Lane, Riesenfeld (1980), doi:10.1109/TPAMI.1980.4766968.

use super::{Figure, PlanarError, computable};
use glam::DVec2;

/// A quadratic or cubic Bézier curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bezier([DVec2; 4]);

impl Bezier {
    /// The curve from `points[0]` to `points[3]` with two control points.
    pub fn cubic(points: [DVec2; 4]) -> Result<Self, PlanarError> {
        computable(&points).map(|()| Self(points))
    }

    /// The curve from `points[0]` to `points[2]` with one control point.
    pub fn quadratic(points: [DVec2; 3]) -> Result<Self, PlanarError> {
        computable(&points)?;
        let [a, b, c] = points;
        // The same curve, its degree raised.
        Ok(Self([a, a.lerp(b, 2.0 / 3.0), c.lerp(b, 2.0 / 3.0), c]))
    }

    /// The point at a share of the way in the curve's parameter.
    pub fn at(&self, share: f64) -> DVec2 {
        self.cut(share)[0].0[3]
    }

    fn cut(&self, share: f64) -> [Self; 2] {
        let [a, b, c, d] = self.0;
        let (ab, bc, cd) = (a.lerp(b, share), b.lerp(c, share), c.lerp(d, share));
        let (abc, bcd) = (ab.lerp(bc, share), bc.lerp(cd, share));
        let middle = abc.lerp(bcd, share);
        [Self([a, ab, abc, middle]), Self([middle, bcd, cd, d])]
    }

    fn length(&self) -> f64 {
        self.0.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }
}

/// Whether a curve meets a figure, to within `tolerance`.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{Bezier, Figure, curve_overlaps};
///
/// let square = Figure::rectangle(DVec2::ZERO, DVec2::ONE, 0.0)?;
/// let arc = |height: f64| Bezier::quadratic([DVec2::new(-3.0, 0.0), DVec2::new(0.0, height), DVec2::new(3.0, 0.0)]);
/// // It passes over the middle at half the height of its control point, and over the corners at 4/9 of it.
/// assert!(!curve_overlaps(&arc(2.26)?, &square, 1e-9)?);
/// assert!(curve_overlaps(&arc(2.24)?, &square, 1e-9)?);
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn curve_overlaps(curve: &Bezier, figure: &Figure, tolerance: f64) -> Result<bool, PlanarError> {
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(PlanarError::Size(tolerance));
    }
    let mut pieces = vec![*curve];
    while let Some(piece) = pieces.pop() {
        if is_apart(&piece, figure) {
            continue;
        }
        let middle = piece.at(0.5);
        let is_inside =
            |point: DVec2| super::distance(figure, &Figure { corners: vec![point], radius: 0.0 }).distance <= 0.0;
        let length = piece.length();
        // A piece as short as the spacing of numbers at its place cannot be cut any more.
        let is_short = length <= tolerance || length <= 8.0 * f64::EPSILON * piece.0[0].abs().max_element();
        if is_short || is_inside(middle) || is_inside(piece.0[0]) || is_inside(piece.0[3]) {
            return Ok(true);
        }
        pieces.extend(piece.cut(0.5));
    }
    Ok(false)
}

/// Whether a line separates the control points from the figure: across a side of the figure, along the chord, or from
/// the nearest point of the figure to the middle of the chord.
fn is_apart(piece: &Bezier, figure: &Figure) -> bool {
    let chord = piece.0[3] - piece.0[0];
    let point = Figure { corners: vec![piece.at(0.5)], radius: 0.0 };
    let toward = super::distance(figure, &point).normal;
    let normals = figure.sides().map(|side| -side.perp());
    normals.chain([chord.perp(), -chord.perp(), chord, -chord, toward]).filter_map(DVec2::try_normalize).any(|normal| {
        let least = piece.0.iter().map(|point| normal.dot(*point)).fold(f64::INFINITY, f64::min);
        least > normal.dot(figure.farthest(normal)) + figure.radius
    })
}
