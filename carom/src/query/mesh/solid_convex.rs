//! How deep a convex shape is in a mesh or a height field: a way out, and a proven bound of the depth.
//!
//! The depth is the length of the shortest move after which the two share no inner point; a closed mesh is a solid, any
//! other surface has nothing inside. A solid holds a ball around the middle of the convex shape's inner ball, as far as
//! the surface is away, so the two balls together bound the depth from below; and a vertex inside the shape must travel to
//! its surface. From above any move does after which the two are found apart. Directions are tried: the shortest way out
//! of the hull of the mesh, which is the best for a convex one; from the middle to the nearest surface; and of the normals
//! of triangles that meet the shape, its own faces and what their edges span, those along which the hull is left soonest.
//! Along each the shape goes out until it is free, then back as far as its distance allows until it touches. Where it
//! touches, the normal there is the next direction: the way along it is shorter unless the first was best nearby.
//! Stops: 24 directions, 24 trials outward and 64 steps back for each. What is found is a way out, mostly
//! the shortest; of a hollow mesh it can be longer than needed, and `lower` says so.
//! Cost: a distance from the surface for each trial and step.

use super::super::form::{Form, Pieces};
use super::contains_point;
use crate::bounds::Aabb;
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature::point_face;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation, Separation, Stop, placed_support};
use crate::distance::signed::{Cache, Signed, signed};
use crate::shape::{ConvexHull, HeightField, TriangleMesh};
use glam::{DVec3, Vec3};
use std::cmp::Ordering;

/// So many directions are tried at the most, and so many trials outward along each.
const MOST_DIRECTIONS: usize = 24;
/// So many are compared beforehand.
const MOST_COMPARED: usize = 512;
/// So many edges of each of the two are crossed.
const MOST_EDGES: usize = 48;
/// Cosine of the angle within which directions are one.
const ALIKE: f64 = 0.9999;

/// The signed distance of a convex shape and a surface in the frame of the surface; none if it is proven to be `limit` or
/// more.
pub(in crate::query) fn signed_convex(
    skin: Skin<'_>,
    convex: &Convex<'_>,
    convex_in_skin: &Placement,
    limit: f64,
) -> Result<Option<Signed>, SupportFault> {
    let pair = Solids { skin, hull: skin.hull(), convex, middle: middle(convex)? };
    if let Some(apart) = pair.apart(convex_in_skin, limit)? {
        return Ok(Some(apart).filter(|found| found.lower < limit));
    }
    let center = convex_in_skin.point_to_outer(pair.middle.0);
    let nearest = skin.nearest(center)?;
    let is_inside = skin.has_inside(center);
    let away = nearest.distance(center) * if is_inside { 1.0 } else { -1.0 };
    let mut lower = (pair.middle.1 + away).max(0.0);
    let mut directions = Directions::default();
    if let Some(hull) = pair.hull {
        let hull = Convex { core: Core::Hull(hull), radius: 0.0 };
        if let Some(found) = signed(&hull, convex, convex_in_skin, f64::INFINITY, &mut Cache::default())? {
            directions.offer(found.normal);
        }
    }
    directions.offer(if is_inside { nearest - center } else { center - nearest });
    pair.add_directions(convex_in_skin, &mut directions, &mut lower)?;
    if directions.list.is_empty() {
        DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).for_each(|axis| directions.offer(axis));
    }

    let mut best: Option<Signed> = None;
    for start in 0..directions.list.len() {
        let mut direction = directions.list[start];
        // The normal where it touches, until that is where it came from.
        for _ in 0..6 {
            let most = best.map_or(f64::INFINITY, |best| -best.distance);
            let Some(found) = pair.way_along(convex_in_skin, direction, lower, most)? else { break };
            best = Some(found.signed);
            if found.touching_normal.dot(direction) > 1.0 - 1e-12 {
                break;
            }
            direction = found.touching_normal;
        }
    }
    let ended = |best: Signed| {
        let lower = lower.min(-best.distance);
        Signed { upper: -lower, stop: Stop::of_bounds(lower, -best.distance), ..best }
    };
    Ok(best.map(ended))
}

/// A point inside a convex shape, and the radius of a ball around it that is inside, too.
pub(in crate::query) fn middle(convex: &Convex<'_>) -> Result<(DVec3, f64), SupportFault> {
    match convex.core.inner_ball() {
        Some((center, radius)) => Ok((center, radius + convex.radius)),
        None => {
            let ends = [convex.core.support(DVec3::X)?, convex.core.support(DVec3::NEG_X)?];
            Ok((0.5 * (ends[0] + ends[1]), convex.radius))
        }
    }
}

/// Directions that are not alike, in the order in which they came.
#[derive(Default)]
struct Directions {
    list: Vec<DVec3>,
}

impl Directions {
    fn offer(&mut self, direction: DVec3) {
        if let Some(unit) = direction.try_normalize()
            && self.list.len() < MOST_COMPARED
            && self.list.iter().all(|other| other.dot(unit) < ALIKE)
        {
            self.list.push(unit);
        }
    }

    /// Keeps the first three, and of the others those of least length.
    fn keep_best(&mut self, length: impl Fn(DVec3) -> f64) {
        let first = self.list.len().min(3);
        self.list[first..].sort_by_cached_key(|direction| Rank(length(*direction)));
        self.list.truncate(MOST_DIRECTIONS);
    }
}

/// A length to sort by.
#[derive(PartialEq)]
struct Rank(f64);

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A way out, and the normal of the mesh where the shape touches it at its end.
struct Way {
    signed: Signed,
    touching_normal: DVec3,
}

/// What the convex shape is in.
#[derive(Debug, Clone, Copy)]
pub(in crate::query) enum Skin<'a> {
    Mesh(&'a TriangleMesh),
    HeightField(&'a HeightField),
}

impl<'a> Skin<'a> {
    fn hull(self) -> Option<&'a ConvexHull> {
        match self {
            Self::Mesh(mesh) => mesh.hull(),
            Self::HeightField(_) => None,
        }
    }

    fn is_closed(self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_closed(),
            Self::HeightField(_) => false,
        }
    }

    fn has_inside(self, point: DVec3) -> bool {
        match self {
            Self::Mesh(mesh) => contains_point(mesh, point),
            Self::HeightField(_) => false,
        }
    }

    fn pieces(self) -> Pieces<'a> {
        match self {
            Self::Mesh(mesh) => Pieces::Mesh(mesh),
            Self::HeightField(field) => Pieces::HeightField(field),
        }
    }

    /// The point of the surface that is nearest to another.
    fn nearest(self, point: DVec3) -> Result<DVec3, SupportFault> {
        let (mut least, mut best) = (f64::INFINITY, point);
        let visit = |form: Form<'_>, _: Placement, _: f64| -> Result<f64, SupportFault> {
            if let Form::Convex(Convex { core: Core::Triangle(corners), .. }) = form {
                let pair = point_face(point, corners);
                if pair.distance() < least {
                    (least, best) = (pair.distance(), pair.on_b);
                }
            }
            Ok(least)
        };
        self.pieces().visit_near(&Aabb::rounded_outward(point, point), f64::INFINITY, visit)?;
        Ok(best)
    }

    /// Calls `visit` with the corners of the triangles that may come into a box.
    fn visit(self, bounds: &Aabb, mut visit: impl FnMut([DVec3; 3])) {
        let mut wide = |_: u32, corners: [Vec3; 3]| visit(corners.map(|corner| corner.as_dvec3()));
        match self {
            Self::Mesh(mesh) => mesh.visit_overlapping(bounds, &mut wide),
            Self::HeightField(field) => field.visit_overlapping(bounds, &mut wide),
        }
    }

    /// How far it reaches along a direction at the most.
    fn reach(self, hull: Option<&ConvexHull>, direction: DVec3) -> f64 {
        let farthest = |points: &[Vec3]| {
            points.iter().map(|point| direction.dot(point.as_dvec3())).fold(f64::NEG_INFINITY, f64::max)
        };
        match (self, hull) {
            (Self::Mesh(_), Some(hull)) => farthest(hull.vertices()) + HULL_ROUNDING * hull.outer_radius(),
            (Self::Mesh(mesh), None) => farthest(mesh.vertices()),
            // That of the box around it, which does not grow with the samples.
            (Self::HeightField(field), Some(_) | None) => {
                let bounds = field.bounds();
                let (center, half) = (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3());
                direction.dot(center) + direction.abs().dot(half)
            }
        }
    }
}

/// Steps end a little before the shape can touch, where its distance and normal are still told.
const SHORT_OF: f64 = 0.999;
/// By how much a point of a cloud may be outside of its hull, as a share of the size.
const HULL_ROUNDING: f64 = 1e-5;

struct Solids<'a> {
    skin: Skin<'a>,
    /// The hull of a mesh, if it has a volume.
    hull: Option<&'a ConvexHull>,
    convex: &'a Convex<'a>,
    /// See [`middle`].
    middle: (DVec3, f64),
}

impl Solids<'_> {
    /// The distance of the two if they are apart or touch; none if they are in each other.
    fn apart(&self, placement: &Placement, limit: f64) -> Result<Option<Signed>, SupportFault> {
        let limit = limit.max(f64::MIN_POSITIVE);
        let found = self.separation(placement)?;
        let is_apart =
            found.relation != Relation::Overlapping && !self.skin.has_inside(placement.point_to_outer(self.middle.0));
        let Separation { on_a, on_b, normal, distance, lower, upper, stop, .. } = found;
        let signed = Signed { normal, distance, on_a, on_b, lower, upper, stop };
        Ok(Some(signed).filter(|found| is_apart && (found.upper > 0.0 || limit > 0.0)))
    }

    /// Of the surface.
    fn separation(&self, placement: &Placement) -> Result<Separation, SupportFault> {
        let mut best: Option<Separation> = None;
        let visit = |form: Form<'_>, _: Placement, limit: f64| -> Result<f64, SupportFault> {
            if let Form::Convex(triangle) = form
                && let Some(found) = separation::of_convex(&triangle, self.convex, placement, limit)?
                && best.is_none_or(|best| found.upper < best.upper)
            {
                best = Some(found);
            }
            // Nothing is nearer than what overlaps.
            Ok(best.map_or(limit, |best| if best.relation == Relation::Overlapping { 0.0 } else { best.upper }))
        };
        self.skin.pieces().visit_near(&self.convex.bounds(placement)?, f64::INFINITY, visit)?;
        // A surface has a triangle, and all are nearer than infinity.
        Ok(best.unwrap_or(Separation::overlapping(placement.position, 0.0)))
    }

    /// The normals of the triangles that meet the shape and those of the shape itself; and what vertices inside it prove.
    fn add_directions(
        &self,
        placement: &Placement,
        directions: &mut Directions,
        lower: &mut f64,
    ) -> Result<(), SupportFault> {
        let bounds: Aabb = self.convex.bounds(placement)?;
        let (mut normals, mut edges): (Vec<DVec3>, Vec<DVec3>) = (Vec::new(), Vec::new());
        let mut fault = None;
        let mut sum = DVec3::ZERO;
        let is_closed = self.skin.is_closed();
        self.skin.visit(&bounds, |corners| {
            let [a, b, c] = corners;
            let triangle = Convex { core: Core::Triangle(corners), radius: 0.0 };
            match signed(&triangle, self.convex, placement, 0.0, &mut Cache::default()) {
                Ok(Some(found)) if found.distance <= 0.0 => {
                    let normal = (b - a).cross(c - a).normalize_or_zero();
                    sum += -found.distance * normal;
                    normals.extend([normal, found.normal]);
                    if !is_closed {
                        normals.push(-normal);
                    }
                    if edges.len() < MOST_EDGES {
                        edges.extend([b - a, c - b, a - c]);
                    }
                }
                Ok(_) => {}
                Err(error) => fault = Some(error),
            }
            for corner in corners {
                let point = Convex { core: Core::Point, radius: 0.0 };
                let seen = Placement { position: placement.position - corner, ..*placement };
                if let Ok(Some(found)) = signed(&point, self.convex, &seen, 0.0, &mut Cache::default()) {
                    *lower = lower.max(-found.upper);
                }
            }
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        directions.offer(sum);
        normals.into_iter().for_each(|normal| directions.offer(normal));
        let own = self.own_edges().into_iter().map(|edge| placement.direction_to_outer(edge));
        let own: Vec<DVec3> = own.take(MOST_EDGES).collect();
        // Those of a box are its faces' normals as well; other faces are given.
        let faces: &[_] = if let Core::Hull(hull) = self.convex.core { hull.planes() } else { &[] };
        faces.iter().for_each(|plane| directions.offer(-placement.direction_to_outer(plane.normal.as_dvec3())));
        if let [p, q, _] = own[..] {
            own.iter()
                .chain([&p.cross(q)])
                .for_each(|way| [*way, -*way].into_iter().for_each(|way| directions.offer(way)));
        }
        for across in edges.iter().flat_map(|edge| own.iter().map(|own| edge.cross(*own))) {
            [across, -across].into_iter().for_each(|way| directions.offer(way));
        }
        let reach = |way: DVec3| {
            let lowest = placed_support(self.convex, placement, -way).map_or(f64::INFINITY, |lowest| lowest.dot(way));
            self.skin.reach(self.hull, way) - lowest
        };
        directions.keep_best(reach);
        Ok(())
    }

    /// The directions of its edges, or of what comes near one.
    fn own_edges(&self) -> Vec<DVec3> {
        match self.convex.core {
            Core::Segment([a, b]) => vec![b - a],
            Core::Triangle([a, b, c]) => vec![b - a, c - b, a - c],
            Core::Hull(hull) => {
                let place = |vertex: u32| hull.vertices()[vertex as usize].as_dvec3();
                hull.edges().iter().map(|edge| place(edge.vertices[1]) - place(edge.vertices[0])).collect()
            }
            Core::Point
            | Core::Cuboid(_)
            | Core::Cylinder { .. }
            | Core::Cone { .. }
            | Core::Ellipsoid(_)
            | Core::Custom(_) => DVec3::AXES.to_vec(),
        }
    }

    /// The way out along a direction, if it is shorter than `most` and none shorter than `lower` is needed.
    fn way_along(
        &self,
        placement: &Placement,
        direction: DVec3,
        lower: f64,
        most: f64,
    ) -> Result<Option<Way>, SupportFault> {
        let moved = |length: f64| Placement { position: placement.position + length * direction, ..*placement };
        // So far their hulls are apart.
        let high = self.skin.reach(self.hull, direction);
        let lowest = placed_support(self.convex, placement, -direction)? - self.convex.radius * direction;
        let whole = (high - direction.dot(lowest)).max(0.0) * (1.0 + 1e-9) + 1e-12 * high.abs() + f64::MIN_POSITIVE;
        let mut length = f64::max(lower * (1.0 + 1e-9), 1e-3 * whole).min(whole);
        let mut found = None;
        for _ in 0..MOST_DIRECTIONS {
            // What is as long as the best way is of no use.
            if length >= most {
                length = most * (1.0 - 1e-9);
            }
            found = self.apart(&moved(length), f64::INFINITY)?;
            if found.is_some() || length >= whole || length >= most * (1.0 - 1e-8) {
                break;
            }
            length = (1.5 * length).min(whole);
        }
        let Some(mut touching) = found else { return Ok(None) };
        let mut normal = touching.normal;
        for _ in 0..64 {
            // No place on the way back is nearer to anything than by this.
            let step = touching.lower;
            if step <= 1e-13 * (whole + length) {
                break;
            }
            let next = (length - SHORT_OF * step).max(0.0);
            let Some(nearer) = self.apart(&moved(next), f64::INFINITY)? else { break };
            if next < length && nearer.distance > 0.0 {
                normal = nearer.normal;
            }
            if next >= length {
                break;
            }
            (length, touching) = (next, nearer);
        }
        if length >= most {
            return Ok(None);
        }
        let on_b = touching.on_b - length * direction;
        let signed = Signed {
            normal: direction,
            distance: -length,
            on_a: on_b + length * direction,
            on_b,
            lower: -length,
            upper: 0.0,
            stop: Stop::Converged,
        };
        Ok(Some(Way { signed, touching_normal: normal.normalize_or(direction) }))
    }
}
