//! Where the picture is taken from.

use carom::glam::{DVec2, DVec3};

/// The picture's size, in the SVG's units.
pub(super) const WIDTH: f64 = 1200.0;
pub(super) const HEIGHT: f64 = 720.0;

/// The share of the picture, from its middle, that everything framed must fit in.
const FILL: DVec2 = DVec2::new(0.84, 0.80);

/// From the middle of things to the eye: from the front, a little to the right and above.
const TO_EYE: DVec3 = DVec3::new(0.42, 0.44, 1.0);

/// How many picture widths the eye is from a plane on which one metre is as wide as the picture.
const FOCAL: f64 = 2.1;

/// A perspective view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    pub(super) eye: DVec3,
    /// The middle of what it looks at.
    pub(super) target: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
}

impl Camera {
    /// A camera just far enough away to have all the points in the picture, in the direction `to_eye` of them.
    pub(super) fn around(points: &[DVec3], to_eye: Option<DVec3>) -> Self {
        let to_eye = to_eye.and_then(DVec3::try_normalize).unwrap_or(TO_EYE.normalize());
        let (least, greatest) = points
            .iter()
            .filter(|point| point.is_finite())
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(*point), high.max(*point)));
        let (middle, size) = if least.x <= greatest.x {
            ((least + greatest) / 2.0, (greatest - least).length().max(1e-3))
        } else {
            (DVec3::ZERO, 4.0)
        };
        let mut camera = Self::looking_at(middle, to_eye, 4.0 * size);
        // Move the middle of the projection into the middle of the picture, then go nearer; each makes the other a
        // little wrong, and after a few rounds neither moves any more.
        for _ in 0..12 {
            let seen: Vec<DVec2> = points.iter().filter_map(|point| camera.project(*point)).collect();
            let low = seen.iter().copied().fold(DVec2::INFINITY, DVec2::min);
            let high = seen.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
            if !(low.is_finite() && high.is_finite()) {
                break;
            }
            let distance = camera.eye.distance(camera.target);
            let off = (low + high) / 2.0 - DVec2::new(WIDTH, HEIGHT) / 2.0;
            let metres = distance / (FOCAL * WIDTH);
            let target = camera.target + camera.right * (off.x * metres) - camera.up * (off.y * metres);
            let fill = ((high - low) / (FILL * DVec2::new(WIDTH, HEIGHT))).max_element();
            camera = Self::looking_at(target, to_eye, (distance * fill).max(0.6 * size));
        }
        camera
    }

    fn looking_at(target: DVec3, to_eye: DVec3, distance: f64) -> Self {
        let forward = -to_eye;
        // Straight from above or below there is no right but one that is chosen.
        let right = forward.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
        Self { eye: target - forward * distance, target, right, up: right.cross(forward), forward }
    }

    /// How far in front of the eye a point is.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        (point - self.eye).dot(self.forward)
    }

    /// Where a point is in the picture; none if it is not in front of the eye.
    pub(super) fn project(&self, point: DVec3) -> Option<DVec2> {
        let depth = self.depth(point);
        let arm = point - self.eye;
        let scale = FOCAL * WIDTH / depth;
        let seen = DVec2::new(WIDTH / 2.0 + scale * arm.dot(self.right), HEIGHT / 2.0 - scale * arm.dot(self.up));
        (depth > 1e-6 && seen.is_finite()).then_some(seen)
    }

    /// How wide something of radius 1 around a point looks: the outline of a ball, up to the stretch that perspective
    /// gives it away from the middle.
    pub(super) fn radius_at(&self, centre: DVec3, radius: f64) -> f64 {
        let distance = self.eye.distance(centre);
        FOCAL * WIDTH * radius / (distance * distance - radius * radius).max(1e-9).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_framed_is_in_the_picture_and_fills_it() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let scale = 10f64.powf(random.f64() * 6.0 - 3.0);
            let middle = DVec3::splat(random.f64() * 1e3);
            let points: Vec<DVec3> = (0..random.usize(2..40))
                .map(|_| middle + scale * DVec3::new(random.f64(), random.f64(), random.f64()))
                .collect();
            let camera = Camera::around(&points, None);
            let seen: Vec<DVec2> = points.iter().filter_map(|point| camera.project(*point)).collect();
            assert_eq!(seen.len(), points.len());
            let low = seen.iter().copied().fold(DVec2::INFINITY, DVec2::min);
            let high = seen.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
            assert!(low.min_element() >= 0.0 && high.x <= WIDTH && high.y <= HEIGHT, "{low} {high}");
        }
    }

    #[test]
    fn nothing_or_one_point_still_makes_a_camera() {
        for points in [vec![], vec![DVec3::ONE], vec![DVec3::NAN]] {
            let camera = Camera::around(&points, None);
            assert!(camera.eye.is_finite() && camera.project(camera.target).is_some());
        }
    }
}
