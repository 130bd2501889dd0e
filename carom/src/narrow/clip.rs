//! The manifold of two convex parts whose normal is known: the face of one clipped to that of the other (N4, N5).
//!
//! Along the normal each part has a contact patch: a face, a line or a point. If one of them is a flat face across the
//! normal, the other's patch is clipped to that face's sides; what of it lies below the face, or above it by at most the
//! margin, gives the points. Two parallel lines are clipped to each other likewise. Where edges cross deep inside
//! the parts, it is the faces beside them that are clipped, tilted as they are. In all other cases (edges that hardly
//! touch, curved surfaces) the closest points are the one contact. They are added if clipping lost the deepest point.
//! Each clipped corner is named after the two features that cross there, so the names do not depend on which patch was
//! clipped: corner in face, edge over edge, or face under corner. Cost: O(corners of one × sides of the other), at most
//! 8 × 8. Source: Sutherland, Hodgman 1974, doi 10.1145/360767.360802; here each side of the polygon remembers where
//! it comes from.

use super::manifold::{Candidate, LocalManifold, reduced};
use super::patch::{self, Corner, MOST_CORNERS, Patch};
use super::{Feature, LocalContact};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::settling::opposite_points;
use crate::trace::{ClipPoint, ClipStep, Tracer};
use glam::DVec3;

/// Sine of the angle up to which a patch counts as across the normal.
const FLAT: f64 = 1e-3;
/// Square of the sine by which one patch must be flatter than another to be preferred.
const NEARLY_FLAT: f64 = FLAT * FLAT * 1e-3;
/// Sine of the angle up to which two lines count as parallel.
const PARALLEL: f64 = 1e-3;
/// Edges that cross deeper than this share of the shorter one have points beside the crossing. What rests is not so deep:
/// with points beside them the edges of swaying towers would hold these in their sway.
const DEEP: f64 = 0.01;
/// Clipping may lose this share of the patch's size in depth before the closest points are added.
const LOST: f64 = 1e-5;

/// How two parts are related along the best axis, in the frame of the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relation {
    /// From the first to the second; of unit length.
    pub(super) normal: DVec3,
    /// Of the surfaces, roundings included; negative if they overlap.
    pub(super) separation: f64,
    /// The closest, or deepest, points of the surfaces, roundings included.
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
}

/// The manifold of two parts in this relation; its points are at most `margin` apart.
pub(super) fn manifold(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    (relation, margin): (&Relation, f64),
    tracer: &mut impl Tracer,
) -> Result<Clipped, SupportFault> {
    let normal = relation.normal;
    let normal_in_b = b_in_a.direction_to_inner(normal);
    let patch_a = patch::along(a, normal)?;
    let mut patch_b = patch::along(b, -normal_in_b)?;
    patch_b.place(b_in_a);
    let touch = Touch { normal, radii: [a.radius, b.radius], margin, relation };
    if let Some(clipped) = touch.of_faces(&patch_a, &patch_b, tracer) {
        if clipped.kept_deepest {
            return Ok(clipped);
        }
        // The deepest points are opposite each other; what came by other points of a face does not tell them well.
        let aside = relation.on_b - relation.on_a - relation.separation * normal;
        if aside.length_squared() <= 1e-8 * patch_a.size().max(patch_b.size()).powi(2) {
            return Ok(clipped);
        }
        let core_distance = relation.separation + a.radius + b.radius;
        let (on_a, on_b) = if let Some(pair) = opposite_points(a, b, b_in_a, normal, core_distance)? {
            (pair.on_a + a.radius * normal, pair.on_b - b.radius * normal)
        } else if clipped.is_normal_of_b {
            let on_a = a.core.support(normal)? + a.radius * normal;
            (on_a, on_a + relation.separation * normal)
        } else {
            let on_b = b_in_a.point_to_outer(b.core.support(-normal_in_b)?) - b.radius * normal;
            (on_b - relation.separation * normal, on_b)
        };
        let relation = Relation { on_a, on_b, ..*relation };
        let again = Touch { relation: &relation, ..touch }.of_faces(&patch_a, &patch_b, tracer);
        return Ok(again.unwrap_or(clipped));
    }
    let edges = (patch::edge_along(a, normal), patch::edge_along(b, -normal_in_b));
    if let (Some(edge_a), Some(mut edge_b)) = edges {
        edge_b.place(b_in_a);
        // The points are those of the smaller: where a large curved side is touched hangs on digits of the normal that
        // mean nothing to the depth.
        let reference = if a.core.reach()? < b.core.reach()? { Owner::B } else { Owner::A };
        let has_faces = |core: &Core<'_>| matches!(core, Core::Cuboid(_) | Core::Hull(_));
        let faces = (has_faces(&a.core) && has_faces(&b.core)).then_some([patch_a, patch_b]);
        return Ok(touch.of_edges([&edge_a, &edge_b], || faces, reference, tracer));
    }
    Ok(touch.only_witness([patch_a.feature, patch_b.feature]))
}

/// Whether a face with this outward unit normal lies across a unit direction.
pub(super) fn is_flat(normal: DVec3, direction: DVec3) -> bool {
    normal.cross(direction).length_squared() <= FLAT * FLAT
}

/// Whether it is so flat that of two faces the first is the one that is clipped to.
pub(super) fn is_nearly_flat(normal: DVec3, direction: DVec3) -> bool {
    normal.cross(direction).length_squared() <= NEARLY_FLAT
}

/// What the steps of building a manifold share.
pub(super) struct Touch<'a> {
    pub(super) normal: DVec3,
    pub(super) radii: [f64; 2],
    pub(super) margin: f64,
    pub(super) relation: &'a Relation,
}

/// A manifold, and whether clipping left it the deepest point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clipped {
    pub(super) manifold: LocalManifold,
    pub(super) kept_deepest: bool,
    /// The normal is that of a face of the second part, and turns with it.
    pub(super) is_normal_of_b: bool,
}

/// Which part a patch is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    A,
    B,
}

impl Touch<'_> {
    /// The manifold if one of the patches is a flat face across the normal; both are in the frame of the first part.
    pub(super) fn of_faces(&self, a: &Patch, b: &Patch, tracer: &mut impl Tracer) -> Option<Clipped> {
        let tilt = |patch: &Patch| {
            if patch.corners().len() > 2 { patch.normal.cross(self.normal).length_squared() } else { f64::INFINITY }
        };
        let (tilt_a, tilt_b) = (tilt(a), tilt(b));
        if tilt_a.min(tilt_b) > FLAT * FLAT {
            return None;
        }
        // The clearly flatter one is the reference: with the normal exactly its own, depths are exact.
        let (owner, reference, incident) =
            if tilt_a <= tilt_b + NEARLY_FLAT { (Owner::A, a, b) } else { (Owner::B, b, a) };
        Some(self.clipped(owner, reference, incident, tracer))
    }

    /// The manifold of an edge of each part; if they are parallel, the other is clipped to that of `reference`. If they
    /// cross inside the parts, `faces` beside them overlap, too: around one point bodies would turn and sink in elsewhere.
    pub(super) fn of_edges(
        &self,
        [a, b]: [&Patch; 2],
        faces: impl FnOnce() -> Option<[Patch; 2]>,
        reference: Owner,
        tracer: &mut impl Tracer,
    ) -> Clipped {
        let direction = |patch: &Patch| match patch.corners() {
            [from, to] => to.place - from.place,
            _ => DVec3::ZERO,
        };
        let (along_a, along_b) = (direction(a), direction(b));
        let (square_a, square_b) = (along_a.length_squared(), along_b.length_squared());
        let is_flat = |along: DVec3, square: f64| {
            let lean = along.dot(self.normal);
            lean * lean <= PARALLEL * PARALLEL * square
        };
        let (is_flat_a, is_flat_b) = (is_flat(along_a, square_a), is_flat(along_b, square_b));
        if !is_flat_a || !is_flat_b {
            // A corner of one of them: the end that reaches farther.
            let name = |patch: &Patch, lean: f64, is_flat: bool| match patch.corners() {
                [from, to] if !is_flat => {
                    if lean > 0.0 {
                        to.vertex
                    } else {
                        from.vertex
                    }
                }
                _ => patch.feature,
            };
            let (lean_a, lean_b) = (along_a.dot(self.normal), -along_b.dot(self.normal));
            return self.only_witness([name(a, lean_a, is_flat_a), name(b, lean_b, is_flat_b)]);
        }
        if along_a.cross(along_b).length_squared() <= PARALLEL * PARALLEL * square_a * square_b {
            let (clipper, clipped) = if reference == Owner::A { (a, b) } else { (b, a) };
            return self.clipped(reference, clipper, clipped, tracer);
        }
        // Where the edges cross is known better than the general search tells it.
        let (on_a, on_b, is_inside) = crossing(a, b);
        let [radius_a, radius_b] = self.radii;
        let (on_a, on_b) = (on_a + radius_a * self.normal, on_b - radius_b * self.normal);
        let error = |on_a: DVec3, on_b: DVec3| (on_b - on_a).distance_squared(self.normal * self.relation.separation);
        let relation = if is_inside && error(on_a, on_b) < error(self.relation.on_a, self.relation.on_b) {
            Relation { on_a, on_b, ..*self.relation }
        } else {
            *self.relation
        };
        let touch = Touch { relation: &relation, ..*self };
        let edges = [a.feature, b.feature];
        let is_deep = is_inside && self.is_deep(square_a.min(square_b));
        match if is_deep { faces() } else { None } {
            Some([a, b]) => touch.beside(edges, &a, &b, tracer),
            None => touch.only_witness(edges),
        }
    }

    /// Whether edges, of which the square of the shorter one's length is given, cross deep inside sharp parts.
    pub(super) fn is_deep(&self, square: f64) -> bool {
        let depth = -self.relation.separation;
        depth > 0.0 && depth * depth > DEEP * DEEP * square && self.radii == [0.0; 2]
    }

    /// What of two faces overlaps along the normal, and the closest points, which are those of two edges.
    fn beside(&self, edges: [Feature; 2], a: &Patch, b: &Patch, tracer: &mut impl Tracer) -> Clipped {
        let mut clipped = self.clipped(Owner::A, a, b, tracer);
        if !clipped.kept_deepest {
            clipped.manifold.rename([Feature::SURFACE; 2], edges);
        }
        Clipped { kept_deepest: true, ..clipped }
    }

    /// One point, half way between the closest points.
    pub(super) fn witness(&self, features: [Feature; 2]) -> LocalManifold {
        let contact = LocalContact {
            point: (0.5 * (self.relation.on_a + self.relation.on_b)).as_vec3(),
            depth: -self.relation.separation as f32,
            features,
        };
        LocalManifold::of_one(self.normal.as_vec3(), contact)
    }

    /// A manifold of the closest points alone.
    pub(super) fn only_witness(&self, features: [Feature; 2]) -> Clipped {
        Clipped { manifold: self.witness(features), kept_deepest: true, is_normal_of_b: false }
    }

    fn clipped(&self, owner: Owner, reference: &Patch, incident: &Patch, tracer: &mut impl Tracer) -> Clipped {
        // Each side of the reference adds a corner at the most. Faces of boxes need half of the room, which is soon filled.
        if reference.corners().len() + incident.corners().len() <= MOST_CORNERS {
            self.clipped_in::<MOST_CORNERS>(owner, reference, incident, tracer)
        } else {
            self.clipped_in::<{ 2 * MOST_CORNERS }>(owner, reference, incident, tracer)
        }
    }

    /// With room for so many corners.
    fn clipped_in<const ROOM: usize>(
        &self,
        owner: Owner,
        reference: &Patch,
        incident: &Patch,
        tracer: &mut impl Tracer,
    ) -> Clipped {
        // From the reference to the incident part.
        let outward = if owner == Owner::A { self.normal } else { -self.normal };
        let (mut first, mut second) = (Polygon::<ROOM>::of(incident, outward), Polygon::EMPTY);
        let (mut polygon, mut spare) = (&mut first, &mut second);
        let sides = reference.corners();
        for (index, side) in sides.iter().enumerate() {
            let along = sides[(index + 1) % sides.len()].place - side.place;
            // A line has an end at each corner; a face has a side after each.
            let inward = if sides.len() == 2 { along } else { outward.cross(along) };
            if polygon.clip(side.place, inward, index as u32, spare) {
                std::mem::swap(&mut polygon, &mut spare);
            }
        }

        let top = sides.iter().map(|side| outward.dot(side.place)).fold(f64::NEG_INFINITY, f64::max);
        // Beside edges the reference is tilted; how far below it a place is hangs on where that is.
        let lean = reference.normal.dot(outward);
        let is_tilted = sides.len() > 2 && reference.normal.cross(outward).length_squared() > FLAT * FLAT && lean > 0.0;
        let below = |place: DVec3| {
            if is_tilted { reference.normal.dot(sides[0].place - place) / lean } else { top - outward.dot(place) }
        };
        let radius = self.radii[0] + self.radii[1];
        let incident_radius = if owner == Owner::A { self.radii[1] } else { self.radii[0] };
        let mut candidates = [Candidate::default(); ROOM];
        let mut count = 0;
        for (corner, arriving) in polygon.corners_with_arrival() {
            let depth = below(corner.place) + radius;
            if depth < -self.margin {
                continue;
            }
            // The incident surface is `incident_radius` before the corner; half the depth lies beyond it.
            let place = corner.place + outward * (0.5 * depth - incident_radius);
            let (of_reference, of_incident) = corner.names(arriving, reference, incident);
            let features = if owner == Owner::A { [of_reference, of_incident] } else { [of_incident, of_reference] };
            candidates[count] = Candidate { place, depth, features };
            count += 1;
        }
        tracer.clip(|| ClipStep {
            is_reference_of_b: owner == Owner::B,
            reference: places(reference),
            incident: places(incident),
            clipped: polygon.corners_with_arrival().map(|(corner, _)| corner.place).collect(),
            candidates: candidates[..count].iter().map(point_of).collect(),
        });
        let size = || match (reference.size(), incident.size()) {
            (reference, 0.0) => reference,
            (reference, incident) => reference.min(incident),
        };
        self.reduced(owner, &mut candidates[..count], size)
    }

    /// The manifold of the points that clipping left, some of which may be too many; of a patch of this size.
    pub(super) fn reduced(&self, owner: Owner, candidates: &mut [Candidate], size: impl Fn() -> f64) -> Clipped {
        let is_normal_of_b = owner == Owner::B;
        if candidates.is_empty() {
            let witness = self.only_witness([Feature::SURFACE; 2]);
            return Clipped { kept_deepest: false, is_normal_of_b, ..witness };
        }
        let mut manifold = reduced(candidates, self.normal);
        let lost = -self.relation.separation - f64::from(manifold.deepest());
        let rounding = 4.0 * f64::from(f32::EPSILON) * self.relation.separation.abs();
        let kept_deepest = lost <= rounding || lost - rounding <= LOST * size();
        if !kept_deepest {
            manifold.take_in(self.witness([Feature::SURFACE; 2]).contacts()[0]);
        }
        Clipped { manifold, kept_deepest, is_normal_of_b }
    }
}

/// What a tracer is told of a patch's corners.
pub(super) fn places(patch: &Patch) -> Vec<DVec3> {
    patch.corners().iter().map(|corner| corner.place).collect()
}

/// What a tracer is told of a point that may be kept.
pub(super) fn point_of(candidate: &Candidate) -> ClipPoint {
    ClipPoint { point: candidate.place, depth: candidate.depth }
}

/// The closest points of two edges that are not parallel, and whether they are inside both.
pub(super) fn crossing(a: &Patch, b: &Patch) -> (DVec3, DVec3, bool) {
    let ends = |patch: &Patch| match patch.corners() {
        [from, to] => (from.place, to.place - from.place),
        _ => (DVec3::ZERO, DVec3::ZERO),
    };
    let ((from_a, along_a), (from_b, along_b)) = (ends(a), ends(b));
    let between = from_b - from_a;
    let cross = along_a.cross(along_b);
    let square = cross.length_squared();
    if square <= 0.0 {
        return (from_a, from_b, false);
    }
    let (at_a, at_b) = (between.cross(along_b).dot(cross) / square, between.cross(along_a).dot(cross) / square);
    let (held_a, held_b) = (at_a.clamp(0.0, 1.0), at_b.clamp(0.0, 1.0));
    let is_inside = (held_a - at_a).abs().max((held_b - at_b).abs()) < 1e-6;
    (from_a + along_a * held_a, from_b + along_b * held_b, is_inside)
}

/// Where a side of a clipped polygon comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    /// An edge of the polygon itself.
    Own(Feature),
    /// The cut along this side of the reference.
    Cut(u32),
}

#[derive(Debug, Clone, Copy)]
struct ClipCorner {
    place: DVec3,
    vertex: Feature,
    leaving: Side,
}

impl ClipCorner {
    const NONE: Self = Self { place: DVec3::ZERO, vertex: Feature::SURFACE, leaving: Side::Cut(0) };

    /// The features of the reference and of the incident part that meet here.
    fn names(&self, arriving: Side, reference: &Patch, incident: &Patch) -> (Feature, Feature) {
        let corner = |index: u32| reference.corners().get(index as usize).copied().unwrap_or(Corner::default());
        match (arriving, self.leaving) {
            (Side::Own(_), Side::Own(_)) => (reference.feature, self.vertex),
            (Side::Own(edge), Side::Cut(side)) | (Side::Cut(side), Side::Own(edge)) => {
                // The end of a line is a corner, not an edge.
                let is_line = reference.corners().len() == 2;
                (if is_line { corner(side).vertex } else { corner(side).edge }, edge)
            }
            (Side::Cut(_), Side::Cut(side)) => (corner(side).vertex, incident.feature),
        }
    }
}

/// What is left of the incident patch; counter-clockwise seen against the reference's outward direction.
struct Polygon<const ROOM: usize> {
    corners: [ClipCorner; ROOM],
    count: usize,
    /// The one edge of a segment, which both of its corners end.
    line: Option<Side>,
}

impl<const ROOM: usize> Polygon<ROOM> {
    const EMPTY: Self = Self { corners: [ClipCorner::NONE; ROOM], count: 0, line: None };

    fn of(patch: &Patch, outward: DVec3) -> Self {
        let mut polygon = Self::EMPTY;
        let corners = patch.corners();
        if let [from, _] = corners {
            polygon.line = Some(Side::Own(from.edge));
        }
        // It looks the other way, so it is gone round backwards; unless it is tilted by more than a right angle.
        let is_reversed = patch.normal.dot(outward) <= 0.0;
        for index in 0..corners.len() {
            let (here, edge) = if is_reversed {
                let here = corners.len() - 1 - index;
                (here, (here + corners.len() - 1) % corners.len())
            } else {
                (index, index)
            };
            let leaving = Side::Own(corners[edge].edge);
            polygon.push(ClipCorner { place: corners[here].place, vertex: corners[here].vertex, leaving });
        }
        polygon
    }

    fn push(&mut self, corner: ClipCorner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    fn corners_with_arrival(&self) -> impl Iterator<Item = (&ClipCorner, Side)> {
        let corners = &self.corners[..self.count];
        let arrivals = corners.iter().cycle().skip(corners.len().saturating_sub(1)).map(|corner| corner.leaving);
        corners.iter().zip(arrivals.map(|arrival| self.line.unwrap_or(arrival)))
    }

    /// Keeps what is on the inner side of the plane through `point`; true if it is put together in `spare`.
    fn clip(&mut self, point: DVec3, inward: DVec3, side: u32, spare: &mut Self) -> bool {
        let mut heights = [0.0; ROOM];
        let mut is_cut = false;
        for (height, corner) in heights.iter_mut().zip(&self.corners[..self.count]) {
            *height = inward.dot(corner.place - point);
            is_cut |= *height < 0.0;
        }
        if !is_cut {
            return false;
        }
        if self.count == 2 {
            self.clip_segment([heights[0], heights[1]], side);
            return false;
        }
        spare.count = 0;
        for index in 0..self.count {
            let next = if index + 1 < self.count { index + 1 } else { 0 };
            let (here, there) = (heights[index], heights[next]);
            let corner = self.corners[index];
            if here >= 0.0 {
                spare.push(corner);
            }
            if (here >= 0.0) != (there >= 0.0) {
                let place = corner.place.lerp(self.corners[next].place, here / (here - there));
                let leaving = if here >= 0.0 { Side::Cut(side) } else { corner.leaving };
                spare.push(ClipCorner { place, vertex: corner.vertex, leaving });
            }
        }
        true
    }

    /// A segment keeps two corners; the one that is cut off moves to the cut.
    fn clip_segment(&mut self, heights: [f64; 2], side: u32) {
        if heights[0] < 0.0 && heights[1] < 0.0 {
            self.count = 0;
            return;
        }
        let cut = usize::from(heights[1] < 0.0);
        let other = 1 - cut;
        let share = heights[other] / (heights[other] - heights[cut]);
        let place = self.corners[other].place.lerp(self.corners[cut].place, share);
        self.corners[cut] = ClipCorner { place, vertex: self.corners[cut].vertex, leaving: Side::Cut(side) };
    }
}
