//! Writes the picture.

use super::camera::{Camera, HEIGHT, WIDTH};
use super::colour::Colour;
use super::outline;
use super::solid::{Edges, Face, Form, Solid};
use super::{Ground, TO_LIGHT};
use carom::glam::{DVec2, DVec3};
use std::fmt::Write;

/// All that goes into a picture; the solids are in the painter's order.
pub(super) struct Picture<'a> {
    pub(super) camera: &'a Camera,
    pub(super) solids: &'a [Solid],
    pub(super) grounds: &'a [Ground],
    pub(super) title: &'a str,
}

const DEFINITIONS: &str = r##"<defs>
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="#ffffff"/><stop offset="1" stop-color="#eef2f6"/></linearGradient>
<radialGradient id="near"><stop offset=".42" stop-color="#fff"/><stop offset="1" stop-color="#000"/></radialGradient>
<filter id="soft" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="5"/></filter>
<filter id="close" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="3"/></filter>
"##;

impl Picture<'_> {
    pub(super) fn text(&self) -> String {
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<title>{title}</title>\n"
        );
        out += DEFINITIONS;
        let mut colours: Vec<Colour> = Vec::new();
        for solid in self.solids.iter().filter(|solid| matches!(solid.form, Form::Ball { .. })) {
            if !colours.contains(&solid.colour) {
                colours.push(solid.colour);
                out += &ball_gradient(solid.colour);
            }
        }
        out += "</defs>\n<style>polyline{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-opacity:.6}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"url(#sky)\"/>\n";
        for (index, ground) in self.grounds.iter().enumerate() {
            if (self.camera.eye - ground.point).dot(ground.normal) > 0.0 {
                self.ground(index, ground, &mut out);
            }
        }
        for (index, solid) in self.solids.iter().enumerate() {
            self.solid(index, solid, &mut out);
        }
        out + "</svg>\n"
    }

    /// A disc of a plane with lines a round length apart, which fades towards its rim.
    fn ground(&self, index: usize, ground: &Ground, out: &mut String) {
        let target = self.camera.target;
        let middle = target - ground.normal * (target - ground.point).dot(ground.normal);
        // All of the disc is in front of the eye: no arm in it reaches farther back than its length.
        let reach = 0.86 * self.camera.depth(middle);
        let along = ground.normal.any_orthonormal_vector();
        let (u, v) = if ground.normal.y > 0.99 { (DVec3::X, DVec3::Z) } else { (along, ground.normal.cross(along)) };
        let rim: Vec<DVec3> = (0..72)
            .map(|step| (std::f64::consts::TAU * f64::from(step) / 72.0).sin_cos())
            .map(|(sin, cos)| middle + (u * cos + v * sin) * reach)
            .collect();
        let Some(disc) = self.polygon(&rim).filter(|_| reach > 0.0) else { return };
        let _ = writeln!(out, "<mask id=\"fade{index}\"><path d=\"{disc}\" fill=\"url(#near)\"/></mask>");
        let _ = writeln!(
            out,
            "<g mask=\"url(#fade{index})\">\n<path d=\"{disc}\" fill=\"#dbe2ea\"/>\n<g stroke=\"#c3ccd7\">"
        );
        let spacing = round_length(reach / 24.0);
        let (middle_u, middle_v) = ((middle - ground.point).dot(u), (middle - ground.point).dot(v));
        for (across, middle_across, along, middle_along) in [(u, middle_u, v, middle_v), (v, middle_v, u, middle_u)] {
            let first = ((middle_across - reach) / spacing).ceil() as i64;
            let last = ((middle_across + reach) / spacing).floor() as i64;
            for line in first..=last {
                let at = line as f64 * spacing;
                let half = (reach * reach - (at - middle_across).powi(2)).max(0.0).sqrt();
                let end = |sign: f64| ground.point + across * at + along * (middle_along + sign * half);
                if let (Some(a), Some(b)) = (self.camera.project(end(-1.0)), self.camera.project(end(1.0))) {
                    let _ = writeln!(out, "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>", a.x, a.y, b.x, b.y);
                }
            }
        }
        out.push_str("</g>\n</g>\n");
        self.shadows(None, ground.point, ground.normal, out);
    }

    fn solid(&self, index: usize, solid: &Solid, out: &mut String) {
        match &solid.form {
            Form::Ball { centre, radius } => {
                if let Some(seen) = self.camera.project(*centre) {
                    let (id, radius) = (gradient_id(solid.colour), self.camera.radius_at(*centre, *radius));
                    let _ = writeln!(
                        out,
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"url(#{id})\"/>",
                        seen.x, seen.y
                    );
                }
            }
            Form::Stroke { points } => {
                let seen: Vec<DVec2> = points.iter().filter_map(|point| self.camera.project(*point)).collect();
                let points: Vec<String> = seen.iter().map(|point| format!("{:.1},{:.1}", point.x, point.y)).collect();
                let (points, stroke) = (points.join(" "), solid.colour.code());
                let _ = writeln!(out, "<polyline points=\"{points}\" stroke=\"{stroke}\"/>");
            }
            Form::Polytope { faces, edges } => {
                for face in faces.iter().filter(|face| face.faces_towards(self.camera.eye)) {
                    self.face(face, solid, *edges, out);
                    // Shadows on what lies still and looks up; on everything else they would only be noise.
                    if solid.fixed && *edges == Edges::Sharp && face.normal.y > 0.5 {
                        self.shadows_on_face(index, face, out);
                    }
                }
            }
        }
    }

    fn face(&self, face: &Face, solid: &Solid, edges: Edges, out: &mut String) {
        let Some(outline) = self.polygon(&face.corners) else { return };
        let lit = solid.colour.lit(face.normal, TO_LIGHT);
        let fill = lit.code();
        let (stroke, width) = match edges {
            Edges::Sharp => (lit.times(0.72).code(), 1.0),
            // The stroke closes the seams that smoothing leaves between facets.
            Edges::Smooth => (fill.clone(), 0.7),
        };
        let _ = writeln!(
            out,
            "<path d=\"{outline}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
        );
    }

    fn shadows_on_face(&self, index: usize, face: &Face, out: &mut String) {
        let (Some(outline), Some(corner)) = (self.polygon(&face.corners), face.corners.first()) else { return };
        let mut shadows = String::new();
        self.shadows(Some(index), *corner, face.normal, &mut shadows);
        if !shadows.is_empty() {
            let id =
                format!("c{index}n{:.0}", (face.normal.x * 7.0 + face.normal.y * 49.0 + face.normal.z * 343.0) * 9.0);
            let _ =
                writeln!(out, "<clipPath id=\"{id}\"><path d=\"{outline}\"/></clipPath><g clip-path=\"url(#{id})\">");
            out.push_str(&shadows);
            out.push_str("</g>\n");
        }
    }

    /// The shadows of all solids but one on a plane: one away from the light, and a darker one right below, where the
    /// sky's light does not reach.
    fn shadows(&self, but: Option<usize>, point: DVec3, normal: DVec3, out: &mut String) {
        let mut cast = String::new();
        let mut below = String::new();
        for (index, solid) in self.solids.iter().enumerate() {
            let (low, high) = solid.range(normal);
            let (low, high) = (low - point.dot(normal), high - point.dot(normal));
            let size = high - low;
            if but == Some(index) || high < 1e-3 * size || low < -0.5 * size {
                continue;
            }
            let height = low.max(0.0) / size.max(1e-9);
            for (direction, strength, text) in
                [(TO_LIGHT, 0.26 / (1.0 + 0.25 * height), &mut cast), (normal, 0.42 * (1.0 - 4.0 * height), &mut below)]
            {
                if strength > 0.02
                    && let Some(outline) = self.shadow(solid, point, normal, direction)
                {
                    let _ = writeln!(text, "<path d=\"{outline}\" fill-opacity=\"{strength:.2}\"/>");
                }
            }
        }
        for (filter, shadows) in [("soft", cast), ("close", below)] {
            if !shadows.is_empty() {
                let _ = write!(out, "<g fill=\"#1d2733\" filter=\"url(#{filter})\">\n{shadows}</g>\n");
            }
        }
    }

    /// The outline of a solid's shadow on a plane.
    fn shadow(&self, solid: &Solid, point: DVec3, normal: DVec3, to_light: DVec3) -> Option<String> {
        // The sky's shadow is only dark around the place of contact.
        let share = if to_light == normal { 0.9 } else { 1.0 };
        let from: Vec<DVec3> = match &solid.form {
            Form::Ball { centre, radius } => {
                let u = to_light.normalize().any_orthonormal_vector();
                let v = to_light.normalize().cross(u);
                let radius = radius * if share < 1.0 { 0.62 } else { 1.0 };
                (0..28)
                    .map(|step| {
                        let (sin, cos) = (std::f64::consts::TAU * f64::from(step) / 28.0).sin_cos();
                        *centre + (u * cos + v * sin) * radius
                    })
                    .collect()
            }
            Form::Polytope { .. } => {
                let middle = solid.middle();
                solid.outline().map(|corner| middle + (corner - middle) * share).collect()
            }
            Form::Stroke { .. } => return None,
        };
        let fall = |from: DVec3| from - to_light * ((from - point).dot(normal).max(0.0) / to_light.dot(normal));
        let seen: Option<Vec<DVec2>> = from.into_iter().map(|from| self.camera.project(fall(from))).collect();
        closed_path(&outline::hull(seen?))
    }

    fn polygon(&self, corners: &[DVec3]) -> Option<String> {
        let seen: Option<Vec<DVec2>> = corners.iter().map(|corner| self.camera.project(*corner)).collect();
        closed_path(&seen?)
    }
}

fn closed_path(points: &[DVec2]) -> Option<String> {
    let (first, rest) = points.split_first()?;
    let mut path = format!("M{:.1} {:.1}", first.x, first.y);
    for point in rest {
        let _ = write!(path, "L{:.1} {:.1}", point.x, point.y);
    }
    (points.len() > 2).then_some(path + "Z")
}

fn gradient_id(colour: Colour) -> String {
    format!("ball{}", &colour.code()[1..])
}

/// Light from the upper left, a bright spot, and a little light back from the floor.
fn ball_gradient(colour: Colour) -> String {
    let stop = |offset: f32, colour: Colour| format!("<stop offset=\"{offset}\" stop-color=\"{}\"/>", colour.code());
    format!(
        "<radialGradient id=\"{}\" cx=\".38\" cy=\".3\" r=\".74\">{}{}{}{}{}</radialGradient>\n",
        gradient_id(colour),
        stop(0.0, colour.times(1.25).whitened(0.45)),
        stop(0.22, colour.times(1.2).whitened(0.08)),
        stop(0.6, colour.times(0.85)),
        stop(0.92, colour.times(0.4)),
        stop(1.0, colour.times(0.48)),
    )
}

/// 1, 2 or 5 times a power of ten, not less than `length`.
fn round_length(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|round| *round >= length).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_lines_are_a_round_length_apart() {
        for (length, round) in [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (6.0, 10.0), (0.03, 0.05)] {
            assert!((round_length(length) / round - 1.0).abs() < 1e-9, "{length}");
        }
    }
}
