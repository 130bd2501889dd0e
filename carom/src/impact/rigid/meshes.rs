//! When two meshes that move and turn first come near each other: two trees in tandem at times.
//!
//! The distance at a time, by how fast the two can come nearer, tells for how long nothing meets. A few times as long,
//! only triangles can meet that are a few times as near: these pairs are found with both trees, and each is solved on its
//! own with the best time so far as the end. If they are many, half as long is looked at.
//! Stops: at the first impact, which is that of the pair that meets first, or when nothing can meet in what is left.
//! Source: Tang, Kim, Manocha, C²A (2009), doi 10.1109/ROBOT.2009.5152234, advances by the least step of any pair; here
//! the pairs that are near are solved, so a step is several times as long and the last one ends at the impact.

use super::motion::{Motion, form_reach};
use super::{LocalImpact, Status, Terms, convex};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::minimum_norm::Cache;
use crate::mesh_tree::{Reach, Slot, visit_pairs};
use crate::query::form::{Form, Pieces};
use crate::query::mesh::surface_separation;
use crate::shape::TriangleMesh;
use glam::DVec3;

/// A stretch with so few pairs is not cut further.
const FEW: usize = 64;
/// Nor is one in which the bodies move by less than this share of the smaller.
const SHORT: f64 = 1e-4;
/// How many times as long as is safe by the distance alone.
const LONGER: f64 = 16.0;

pub(super) fn first_contact(
    a: &TriangleMesh,
    b: &TriangleMesh,
    motion: &Motion,
    terms: &Terms,
) -> Result<Option<LocalImpact>, SupportFault> {
    let reach = |mesh, center| form_reach(&Form::Pieces(Pieces::Mesh(mesh)), center);
    let (reach_a, reach_b) = (reach(a, motion.a.center)?, reach(b, motion.b.center)?);
    let offset = motion.greatest_offset(terms.from, terms.until);
    let margin = terms.gap + terms.tolerance(reach_a + reach_b, offset, 0.0);
    // How fast they come nearer: in the world, or seen from the first.
    let in_world = motion.velocity.length() + motion.a.speed * reach_a + motion.b.speed * reach_b;
    let speed = in_world.min(motion.rates_of_second(reach_b, offset, 1.0).0) * (1.0 + 1e-12);
    let short = SHORT * reach_a.min(reach_b) / speed;
    let mut time = terms.from;
    loop {
        let pairs = Pairs { a, b, motion, time, speed, margin };
        let rest = terms.until - time;
        let limit = pairs.limit(terms.until) + f64::MIN_POSITIVE;
        let Some(found) = surface_separation(a, b, &motion.at(time).b_in_a, limit)? else { return Ok(None) };
        let free = (found.lower - margin) / speed;
        let mut length = rest.min(short.max(LONGER * free));
        while length > free && length > short && pairs.count_up_to(FEW + 1, time + length) > FEW {
            length *= 0.5;
        }
        if length > free || free.is_nan() {
            let end = (time + length).min(terms.until);
            let best = pairs.first_contact(end, terms)?;
            if best.is_some() || end >= terms.until {
                return Ok(best);
            }
            time = end;
        } else if free >= rest {
            return Ok(None);
        } else {
            time += free;
        }
    }
}

/// The pairs of triangles that may meet from a time on.
struct Pairs<'p> {
    a: &'p TriangleMesh,
    b: &'p TriangleMesh,
    motion: &'p Motion,
    time: f64,
    speed: f64,
    margin: f64,
}

impl Pairs<'_> {
    fn limit(&self, end: f64) -> f64 {
        self.speed * (end - self.time) + self.margin
    }

    fn visit(&self, end: f64, mut visit: impl FnMut(Slot, Slot) -> f64) {
        let b_in_a = self.motion.at(self.time).b_in_a;
        let corners_of_b = |slot: Slot| slot.wide_corners(self.b.vertices()).map(|point| b_in_a.point_to_outer(point));
        visit_pairs(self.a.tree(), self.b.tree(), &b_in_a, &corners_of_b, self.limit(end), |candidate| {
            let end = visit(candidate.a, candidate.b);
            let limit = if end < self.time { -1.0 } else { self.limit(end) };
            Reach { limit, axis: DVec3::ZERO }
        });
    }

    fn count_up_to(&self, most: usize, end: f64) -> usize {
        let mut count = 0;
        self.visit(end, |_, _| {
            count += 1;
            if count >= most { f64::NEG_INFINITY } else { end }
        });
        count
    }

    fn first_contact(&self, end: f64, terms: &Terms) -> Result<Option<LocalImpact>, SupportFault> {
        let mut best: Option<LocalImpact> = None;
        let mut fault = None;
        self.visit(end, |slot_a, slot_b| {
            let until = best.map_or(end, |best| best.time);
            let terms = Terms { from: self.time, until, ..*terms };
            let face = |corners| Convex { core: Core::Triangle(corners), radius: 0.0 };
            let face_a = face(slot_a.wide_corners(self.a.vertices()));
            let face_b = face(slot_b.wide_corners(self.b.vertices()));
            match convex::first_contact(&face_a, &face_b, self.motion, &terms, &mut Cache::default()) {
                Ok(Some(found)) => best = Some(best.map_or(found, |best| best.earlier(found))),
                Ok(None) => {}
                Err(error) => fault = Some(error),
            }
            match best {
                Some(best) if best.status == Status::AtStart => f64::NEG_INFINITY,
                Some(best) => best.time,
                None => end,
            }
        });
        fault.map_or(Ok(best), Err)
    }
}
