//! Rays against convex shapes, in f64.
//!
//! A line meets a convex shape in an interval. Closed forms give it for balls, capsules, boxes, cylinders, ellipsoids
//! and hulls (clipping by the planes of the faces); triangles by exact predicates in the plane across the ray, so that
//! no ray slips between the triangles of a mesh.
//! Cones, rounded polytopes and user-defined shapes are marched on: the distance from the shape is a convex function
//! along the ray, and its tangent is the plane that separates the point from the shape. The ray cannot meet the shape
//! before that plane, so stepping there never passes a hit; it is Newton's method from the left, which converges
//! quadratically to a hit, by half a step at a grazing one, and proves a miss once the plane recedes.
//! Stops: within 1e-12 of the shape's size from the surface, on a miss, or after 400 steps, which is an error.
//! Source: conservative advancement along a ray as in van den Bergen, Ray Casting against General Convex Objects with
//! Application to Continuous Collision Detection (2004), here with the best separating plane at each step; the view
//! along the ray follows Woop, Benthin, Wald, Watertight Ray/Triangle Intersection (2013).

use super::QueryError;
use super::projection::{face_plane, onto_convex};
use super::ray::{LocalHit, LocalRay};
use crate::distance::convex::{Convex, Core};
use crate::distance::feature;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation};
use crate::shape::ConvexHull;
use glam::DVec3;

const STEP_LIMIT: usize = 400;

pub(super) fn cast(convex: &Convex<'_>, ray: &LocalRay) -> Result<Option<LocalHit>, QueryError> {
    let is_sharp = convex.radius == 0.0;
    let span = match convex.core {
        Core::Point if is_sharp => return Ok(through_edge(ray, [DVec3::ZERO; 2])),
        Core::Segment(ends) if is_sharp => return Ok(through_edge(ray, ends)),
        Core::Triangle(corners) if is_sharp => return Ok(through_triangle(ray, corners)),
        Core::Point => ball(ray, DVec3::ZERO, convex.radius),
        Core::Segment(ends) => capsule(ray, ends, convex.radius),
        Core::Cuboid(half) if is_sharp => cuboid(ray, half),
        Core::Cylinder { half_height, radius } => cylinder(ray, half_height, radius),
        Core::Ellipsoid(radii) => ellipsoid(ray, radii),
        Core::Hull(hull) if is_sharp => polytope(ray, hull),
        Core::Triangle(_) | Core::Cuboid(_) | Core::Hull(_) | Core::Cone { .. } | Core::Custom(_) => {
            return march(convex, ray);
        }
    };
    Ok(span.and_then(|span| span.hit(ray)))
}

/// The part of a line that is inside a convex shape.
#[derive(Debug, Clone, Copy)]
struct Span {
    enter: f64,
    leave: f64,
    /// The surface's normal where it enters.
    normal: DVec3,
}

impl Span {
    const EVERYWHERE: Self = Self { enter: f64::NEG_INFINITY, leave: f64::INFINITY, normal: DVec3::ZERO };

    fn and(self, other: Self) -> Option<Self> {
        let later = if other.enter > self.enter { other } else { self };
        let leave = self.leave.min(other.leave);
        (later.enter <= leave).then_some(Self { leave, ..later })
    }

    /// The span of a convex shape that has both parts on the line.
    fn joined(self, other: Self) -> Self {
        let earlier = if other.enter < self.enter { other } else { self };
        Self { leave: self.leave.max(other.leave), ..earlier }
    }

    fn hit(self, ray: &LocalRay) -> Option<LocalHit> {
        if self.leave < 0.0 || self.enter > ray.max_distance {
            None
        } else if self.enter <= 0.0 {
            Some(LocalHit { distance: 0.0, normal: -ray.direction, starts_inside: true })
        } else {
            Some(LocalHit { distance: self.enter, normal: self.normal, starts_inside: false })
        }
    }
}

/// Where |offset + t·along|² ≤ reach², measured from the nearest point of the line so that nothing cancels.
fn quadratic(offset: DVec3, along: DVec3, reach: f64) -> Option<(f64, f64)> {
    let speed_squared = along.length_squared();
    let middle = -offset.dot(along) / speed_squared;
    let nearest = offset + middle * along;
    let half_chord_squared = (reach - nearest.length()) * (reach + nearest.length()) / speed_squared;
    // NaN, from a line that does not move, is no chord either.
    let half_chord = Some(half_chord_squared).filter(|squared| *squared >= 0.0)?.sqrt();
    Some((middle - half_chord, middle + half_chord))
}

fn ball(ray: &LocalRay, center: DVec3, radius: f64) -> Option<Span> {
    let (enter, leave) = quadratic(ray.origin - center, ray.direction, radius)?;
    Some(Span { enter, leave, normal: (ray.at(enter) - center).normalize_or(-ray.direction) })
}

fn ellipsoid(ray: &LocalRay, radii: DVec3) -> Option<Span> {
    let (enter, leave) = quadratic(ray.origin / radii, ray.direction / radii, 1.0)?;
    let normal = (ray.at(enter) / radii / radii).normalize_or(-ray.direction);
    Some(Span { enter, leave, normal })
}

/// The caps are balls, and between the ends the side is a cylinder.
fn capsule(ray: &LocalRay, [a, b]: [DVec3; 2], radius: f64) -> Option<Span> {
    let caps = [ball(ray, a, radius), ball(ray, b, radius)].into_iter().flatten();
    let along = b - a;
    let height = |distance: f64| (ray.at(distance) - a).dot(along) / along.length_squared();
    let across = |vector: DVec3| vector - along * (vector.dot(along) / along.length_squared());
    // Of a ray along the axis the caps are all that is met first.
    let moving = across(ray.direction);
    let side = if moving.length_squared() > 1e-24 { quadratic(across(ray.origin - a), moving, radius) } else { None };
    let on_side = side.into_iter().flat_map(|(enter, leave)| [enter, leave]).filter_map(|distance| {
        let normal = across(ray.at(distance) - a).normalize_or(-ray.direction);
        (0.0..=1.0).contains(&height(distance)).then_some(Span { enter: distance, leave: distance, normal })
    });
    caps.chain(on_side).reduce(Span::joined)
}

fn cuboid(ray: &LocalRay, half: DVec3) -> Option<Span> {
    (0..3).try_fold(Span::EVERYWHERE, |span, axis| {
        span.and(slab(ray.origin[axis], ray.direction[axis], half[axis], DVec3::AXES[axis])?)
    })
}

/// Where a coordinate is within ±`half`.
fn slab(origin: f64, direction: f64, half: f64, axis: DVec3) -> Option<Span> {
    if direction == 0.0 {
        return (origin.abs() <= half).then_some(Span::EVERYWHERE);
    }
    let side = if direction < 0.0 { 1.0 } else { -1.0 };
    let (enter, leave) = ((side * half - origin) / direction, (-side * half - origin) / direction);
    Some(Span { enter, leave, normal: axis * side })
}

fn cylinder(ray: &LocalRay, half_height: f64, radius: f64) -> Option<Span> {
    let caps = slab(ray.origin.y, ray.direction.y, half_height, DVec3::Y)?;
    let flat = |vector: DVec3| DVec3::new(vector.x, 0.0, vector.z);
    if flat(ray.direction) == DVec3::ZERO {
        return (flat(ray.origin).length() <= radius).then_some(caps);
    }
    let (enter, leave) = quadratic(flat(ray.origin), flat(ray.direction), radius)?;
    caps.and(Span { enter, leave, normal: flat(ray.at(enter)).normalize_or(-ray.direction) })
}

fn polytope(ray: &LocalRay, hull: &ConvexHull) -> Option<Span> {
    (0..hull.face_count()).try_fold(Span::EVERYWHERE, |span, face| {
        let (normal, offset) = face_plane(hull, face);
        let (height, climb) = (normal.dot(ray.origin) - offset, normal.dot(ray.direction));
        let crossing = -height / climb;
        if climb < 0.0 {
            span.and(Span { enter: crossing, normal, ..Span::EVERYWHERE })
        } else if climb > 0.0 {
            span.and(Span { leave: crossing, ..Span::EVERYWHERE })
        } else {
            (height <= 0.0).then_some(span)
        }
    })
}

/// A segment has no area: only a ray that passes it within rounding meets it.
fn through_edge(ray: &LocalRay, edge: [DVec3; 2]) -> Option<LocalHit> {
    let reach = edge.iter().map(|end| end.distance(ray.origin)).fold(0.0, f64::max);
    let pair = feature::edge_edge([ray.origin, ray.at(reach)], edge);
    let distance = (pair.on_a - ray.origin).dot(ray.direction).max(0.0);
    let scale = reach + ray.origin.length();
    (pair.distance() <= 4.0 * feature::ROUNDING * scale && distance <= ray.max_distance).then_some(LocalHit {
        distance,
        normal: -ray.direction,
        starts_inside: false,
    })
}

pub(super) fn through_triangle(ray: &LocalRay, corners: [DVec3; 3]) -> Option<LocalHit> {
    let [a, b, c] = corners.map(|corner| corner - ray.origin);
    // Seen along the ray, a corner is the same point in all triangles that share it, and the exact side of each edge
    // on which the ray passes makes the triangles around it cover everything between them.
    let (right, up) = ray.direction.any_orthonormal_pair();
    let seen = |corner: DVec3| robust::Coord { x: right.dot(corner), y: up.dot(corner) };
    let side = |from: DVec3, to: DVec3| robust::orient2d(seen(from), seen(to), robust::Coord { x: 0.0, y: 0.0 });
    let weights = [side(b, c), side(c, a), side(a, b)];
    let area: f64 = weights.iter().sum();
    if area == 0.0 {
        return along_triangle(ray, corners);
    }
    let is_through = weights.iter().all(|weight| *weight >= 0.0) || weights.iter().all(|weight| *weight <= 0.0);
    let distance = ray.direction.dot(weights[0] / area * a + weights[1] / area * b + weights[2] / area * c);
    let normal = (b - a).cross(c - a).normalize_or(-ray.direction);
    let faces_the_ray = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
    (is_through && (0.0..=ray.max_distance).contains(&distance)).then_some(LocalHit {
        distance,
        normal: faces_the_ray,
        starts_inside: false,
    })
}

/// A ray in the plane of a triangle meets the border first, or starts inside it.
fn along_triangle(ray: &LocalRay, corners: [DVec3; 3]) -> Option<LocalHit> {
    let start = feature::point_face(ray.origin, corners);
    if start.distance() <= 4.0 * feature::ROUNDING * (start.on_b.length() + ray.origin.length()) {
        return Some(LocalHit { distance: 0.0, normal: -ray.direction, starts_inside: false });
    }
    let [a, b, c] = corners;
    let hits = [[a, b], [b, c], [c, a]].into_iter().filter_map(|side| through_edge(ray, side));
    hits.min_by(|p, q| p.distance.total_cmp(&q.distance))
}

/// A plane with the shape on one side and a point on the other.
struct Cut {
    /// From the shape to the point.
    normal: DVec3,
    height: f64,
}

fn march(convex: &Convex<'_>, ray: &LocalRay) -> Result<Option<LocalHit>, QueryError> {
    let reach = convex.core.reach()?;
    let tolerance = 1e-12 * (reach + convex.radius) + 2.0 * convex.core.support_error(reach);
    let mut distance = 0.0;
    let mut normal = None;
    let mut height = f64::INFINITY;
    for _ in 0..STEP_LIMIT {
        let Some(cut) = cut(convex, ray.at(distance))?.filter(|cut| cut.height > tolerance) else {
            let starts_inside = normal.is_none();
            return Ok(Some(LocalHit { distance, normal: normal.unwrap_or(-ray.direction), starts_inside }));
        };
        height = cut.height;
        let descent = -cut.normal.dot(ray.direction);
        if descent <= 0.0 {
            return Ok(None);
        }
        let next = distance + cut.height / descent;
        if next > ray.max_distance {
            return Ok(None);
        }
        normal = Some(cut.normal);
        if next <= distance {
            // The step is below the resolution of the distance: the ray starts so far away that this is the surface.
            let normal = cut.normal;
            return Ok(Some(LocalHit { distance, normal, starts_inside: false }));
        }
        distance = next;
    }
    Err(QueryError::Undecided { upper: height })
}

/// The plane that separates the point from the shape best; none if it is not outside.
fn cut(convex: &Convex<'_>, point: DVec3) -> Result<Option<Cut>, QueryError> {
    match convex.core {
        Core::Point
        | Core::Segment(_)
        | Core::Triangle(_)
        | Core::Cuboid(_)
        | Core::Cylinder { .. }
        | Core::Cone { .. }
        | Core::Ellipsoid(_) => {
            let found = onto_convex(convex, point)?;
            let height = found.outward.dot(point - found.point);
            Ok((!found.is_inside).then_some(Cut { normal: found.outward, height }))
        }
        Core::Hull(_) | Core::Custom(_) => {
            let probe = Convex { core: Core::Point, radius: 0.0 };
            let at_point = Placement { position: point, ..Placement::IDENTITY };
            let found = separation::of_convex(convex, &probe, &at_point, f64::INFINITY)?;
            Ok(found.and_then(|found| match found.relation {
                Relation::Apart => Some(Cut { normal: found.normal, height: found.lower }),
                Relation::Overlapping => None,
                Relation::Undecided => Some(Cut { normal: found.normal, height: found.lower }),
            }))
        }
    }
}
