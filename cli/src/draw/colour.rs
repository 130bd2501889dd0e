//! Colours and how light changes them.

use carom::glam::{DVec3, Vec3};

/// A colour as light: red, green and blue from 0 to 1, before the screen's gamma.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Colour(Vec3);

/// What moves, in turn.
const BODIES: [u32; 8] = [0xe4572e, 0x2a9d8f, 0xf4a72c, 0x3a6ea5, 0x8ab17d, 0xb5507a, 0x5bb0d6, 0xe98a6b];

impl Colour {
    /// What never moves.
    pub(super) const FIXED: Self = Self(Vec3::new(0.56, 0.60, 0.66));

    /// The colour of a body.
    pub(super) fn of_body(index: usize) -> Self {
        // Fibonacci hashing (Knuth 1973), so that the rows and columns of a scene do not show as colours.
        let code = BODIES[((index as u32).wrapping_mul(0x9e37_79b1) >> 29) as usize];
        let part = |shift: u32| ((code >> shift & 0xff) as f32 / 255.0).powf(2.2);
        Self(Vec3::new(part(16), part(8), part(0)))
    }

    /// The colour of a face in the light: direct light, and light from the sky that is weaker from below.
    pub(super) fn lit(self, normal: DVec3, to_light: DVec3) -> Self {
        let direct = normal.dot(to_light.normalize()).max(0.0);
        let sky = 0.5 + 0.5 * normal.y;
        self.times(0.20 + 0.34 * sky as f32 + 0.72 * direct as f32)
    }

    /// Brighter or darker; what would be brighter than the screen turns white.
    pub(super) fn times(self, factor: f32) -> Self {
        let light = self.0 * factor;
        let excess = (light.max_element() - 1.0).max(0.0);
        Self((light + Vec3::splat(0.6 * excess)).min(Vec3::ONE))
    }

    /// Between this and white.
    pub(super) fn whitened(self, share: f32) -> Self {
        Self(self.0.lerp(Vec3::ONE, share))
    }

    /// As SVG has it, `#rrggbb`.
    pub(super) fn code(self) -> String {
        let [red, green, blue] =
            self.0.to_array().map(|part| (part.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_survives_the_round_trip() {
        let drawn: std::collections::BTreeSet<String> = (0..64).map(|index| Colour::of_body(index).code()).collect();
        assert_eq!(drawn, BODIES.map(|code| format!("#{code:06x}")).into());
    }

    #[test]
    fn light_from_above_is_brighter() {
        let light = |normal| Colour::FIXED.lit(normal, DVec3::Y).0.x;
        assert!(light(DVec3::Y) > light(DVec3::X) && light(DVec3::X) > light(DVec3::NEG_Y));
    }
}
