//! When a body that moves and turns comes near a half-space that does so as well.
//!
//! The gap is that of the lowest point over the plane, whose normal turns with its body. Followed from step to step it is
//! proven to stay open in between (`walk.rs`), and no other direction is needed.

use super::motion::{Motion, form_reach};
use super::walk::{Gap, Question};
use super::{LocalImpact, Status, Terms};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature::ROUNDING;
use crate::query::form::{Form, Pieces};
use glam::DVec3;

/// Unit normals whose sum is no longer than this count as opposite.
const OPPOSITE: f64 = 1e-6;

/// The first body is the half-space with this normal.
pub(super) fn first_contact(
    normal: DVec3,
    b: &Form<'_>,
    motion: &Motion,
    terms: &Terms,
) -> Result<Option<LocalImpact>, SupportFault> {
    let reach = form_reach(b, motion.b.center)?;
    let at_start = lowest(b, motion.at(terms.from).b_in_a.direction_to_inner(-normal))?;
    let size = reach + at_start.radius;
    Plane { normal, b, motion }.march(reach, size, at_start.error, terms)
}

/// Two half-spaces overlap unless they face each other and turn alike.
pub(super) fn of_two(a: DVec3, b: DVec3, motion: &Motion, terms: &Terms) -> Option<LocalImpact> {
    let b_in_a = motion.at(terms.from).b_in_a;
    let turns_apart = (motion.a.spin() - motion.b.spin()).length() * (terms.until - terms.from) > OPPOSITE;
    let is_opposite = (a + b_in_a.direction_to_outer(b)).length() <= OPPOSITE;
    // A point of the other's border is as good as any: it stays as far.
    let border = Form::Convex(Convex { core: Core::Point, radius: 0.0 });
    if is_opposite && (!turns_apart || a.dot(b_in_a.position) <= 0.0) {
        let found = Plane { normal: a, b: &border, motion }.march(motion.b.center.length(), 0.0, 0.0, terms);
        return found.unwrap_or(None);
    }
    let position = b_in_a.position;
    Some(LocalImpact {
        status: if terms.from == 0.0 { Status::AtStart } else { Status::Hit },
        time: terms.from,
        distance: 0.0,
        on_a: position,
        on_b: position,
        normal: a,
    })
}

struct Plane<'p> {
    normal: DVec3,
    b: &'p Form<'p>,
    motion: &'p Motion,
}

impl Plane<'_> {
    fn march(&self, reach: f64, size: f64, error: f64, terms: &Terms) -> Result<Option<LocalImpact>, SupportFault> {
        let motion = self.motion;
        let offset = motion.greatest_offset(terms.from, terms.until);
        let tolerance = terms.tolerance(size, offset + motion.a.center.length(), error);
        let slack = ROUNDING * (size + offset + motion.a.center.length()) + error;
        let (aim, near) = (terms.gap + 0.5 * tolerance, terms.gap + tolerance);
        // Of a direction that turns with its body, only what is across the axis does.
        let share = motion.a.axis.cross(motion.a.start * self.normal).length();
        let (rate, bend) = motion.rates_of_second(reach, offset, share);
        let mut question = Height { plane: self, aim: aim + slack };
        let mut time = terms.from;
        for step in 0..=terms.iterations {
            let b_in_a = motion.at(time).b_in_a;
            let low = lowest(self.b, b_in_a.direction_to_inner(-self.normal))?;
            let on_b = b_in_a.point_to_outer(low.point) - low.radius * self.normal;
            let height = self.normal.dot(on_b);
            let impact = |status: Status| {
                let (on_a, distance) = (on_b - height * self.normal, height.max(0.0));
                Ok(Some(LocalImpact { status, time, distance, on_a, on_b, normal: self.normal }))
            };
            if height <= near {
                return impact(if time == 0.0 { Status::AtStart } else { Status::Hit });
            }
            let gap = Gap { time, value: height - slack - aim, slope: self.slope(low.point, time), rate, bend };
            let next = if step < terms.iterations { gap.open_until(terms.until, &mut question)? } else { time };
            if next >= terms.until {
                return Ok(None);
            }
            // The end of the iterations, or of the resolution of time.
            if next <= time {
                return impact(Status::Early);
            }
            time = next;
        }
        Ok(None)
    }

    /// How fast a point of the second body rises over the plane.
    fn slope(&self, point: DVec3, time: f64) -> f64 {
        let moment = self.motion.at(time);
        let Motion { a, b, velocity, .. } = self.motion;
        let normal = moment.turned_a * self.normal;
        let arm = moment.turned_a * (moment.b_in_a.point_to_outer(point) - a.center);
        normal.dot(*velocity + b.spin().cross(arm - moment.offset) - a.spin().cross(arm))
    }
}

struct Height<'p> {
    plane: &'p Plane<'p>,
    aim: f64,
}

impl Question for Height<'_> {
    type Fault = SupportFault;

    fn ask(&mut self, time: f64) -> Result<f64, SupportFault> {
        let b_in_a = self.plane.motion.at(time).b_in_a;
        let normal = self.plane.normal;
        let low = lowest(self.plane.b, b_in_a.direction_to_inner(-normal))?;
        Ok(normal.dot(b_in_a.point_to_outer(low.point)) - low.radius - self.aim)
    }
}

/// The farthest point of a form along a direction.
struct Lowest {
    /// Of the core.
    point: DVec3,
    radius: f64,
    /// How much farther another may be.
    error: f64,
}

fn lowest(form: &Form<'_>, direction: DVec3) -> Result<Lowest, SupportFault> {
    let of_points = |points: &mut dyn Iterator<Item = glam::Vec3>| {
        let mut best = (DVec3::ZERO, f64::NEG_INFINITY);
        for point in points {
            let along = direction.dot(point.as_dvec3());
            if along > best.1 {
                best = (point.as_dvec3(), along);
            }
        }
        Lowest { point: best.0, radius: 0.0, error: 0.0 }
    };
    match form {
        Form::Convex(convex) => {
            let error = convex.core.support_error(convex.core.reach()?);
            Ok(Lowest { point: convex.core.support(direction)?, radius: convex.radius, error })
        }
        // Never asked: a half-space has no lowest point.
        Form::HalfSpace(_) => Ok(Lowest { point: DVec3::ZERO, radius: 0.0, error: 0.0 }),
        Form::Pieces(Pieces::Mesh(mesh)) => Ok(of_points(&mut mesh.vertices().iter().copied())),
        Form::Pieces(Pieces::HeightField(field)) => {
            Ok(of_points(&mut (0..field.heights().len()).map(|sample| field.vertex(sample))))
        }
        Form::Pieces(pieces @ Pieces::Compound(_)) => {
            let (mut best, mut most, mut error) = (DVec3::ZERO, f64::NEG_INFINITY, 0.0f64);
            let mut radius = 0.0;
            for index in 0..pieces.count() {
                let (part, placement) = pieces.piece(index);
                let low = lowest(&part, placement.direction_to_inner(direction))?;
                let point = placement.point_to_outer(low.point);
                error = error.max(low.error);
                if direction.dot(point) + low.radius > most {
                    (best, most, radius) = (point, direction.dot(point) + low.radius, low.radius);
                }
            }
            Ok(Lowest { point: best, radius, error })
        }
    }
}
