//! Every pair of forms. Mirror pairs call their twin.

use super::form::{Form, Pieces};
use super::mesh::Skin;
use super::{QueryError, escape};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation, Separation, Stop};
use crate::distance::signed::{self, Cache, Signed};
use crate::shape::{HeightField, ShapeKind, TriangleMesh};
use crate::trace::Tracer;
use glam::DVec3;

/// Unit normals whose sum is no longer than this count as opposite.
const OPPOSITE: f64 = 1e-6;

/// The separation of `b` from `a` in the frame of `a`; none if it is proven to be `limit` or more. Closed meshes are solids.
pub(super) fn separation(
    a: &Form<'_>,
    b: &Form<'_>,
    b_in_a: &Placement,
    limit: f64,
    cache: &mut Cache,
    tracer: &mut impl Tracer,
) -> Result<Option<Separation>, SupportFault> {
    let below = |found: Separation| Some(found).filter(|found| found.lower < limit);
    // What is wholly inside a mesh is no nearer to its triangles than what is outside.
    let solid = |found: Option<Separation>| match found {
        Some(found) if found.relation == Relation::Overlapping => Ok(Some(found)),
        found => {
            let common = if limit > 0.0 { nested(a, b, b_in_a)? } else { None };
            Ok(common.map(|common| Separation::overlapping(common, 0.0)).or(found))
        }
    };
    match (a, b) {
        (Form::Convex(a), Form::Convex(b)) => separation::of_convex_traced(a, b, b_in_a, limit, cache, tracer),
        (Form::HalfSpace(normal), Form::Convex(b)) => half_space_to_convex(*normal, b, b_in_a).map(below),
        (Form::HalfSpace(a), Form::HalfSpace(b)) => Ok(below(half_space_to_half_space(*a, *b, b_in_a))),
        (Form::Pieces(Pieces::Mesh(a)), Form::Pieces(Pieces::Mesh(b))) => {
            solid(super::mesh::surface_separation(a, b, b_in_a, limit)?)
        }
        (Form::Pieces(Pieces::Mesh(_)), Form::Convex(_) | Form::Pieces(Pieces::HeightField(_)))
        | (Form::Pieces(Pieces::HeightField(_)), Form::Pieces(Pieces::Mesh(_))) => {
            solid(surfaces(a, b, b_in_a, limit, tracer)?)
        }
        (Form::Pieces(Pieces::Mesh(_)), Form::HalfSpace(_))
        | (
            Form::Pieces(Pieces::HeightField(_)),
            Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(Pieces::HeightField(_)),
        ) => surfaces(a, b, b_in_a, limit, tracer),
        (Form::Pieces(pieces @ Pieces::Compound(_)), Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(_)) => {
            pieces_to(pieces, b, b_in_a, limit, |part, b_in_part, limit| {
                separation(part, b, b_in_part, limit, &mut Cache::default(), tracer)
            })
        }
        (Form::Convex(_), Form::HalfSpace(_) | Form::Pieces(_))
        | (Form::HalfSpace(_), Form::Pieces(_))
        | (Form::Pieces(Pieces::Mesh(_) | Pieces::HeightField(_)), Form::Pieces(Pieces::Compound(_))) => {
            let a_in_b = b_in_a.inverse();
            Ok(separation(b, a, &a_in_b, limit, cache, tracer)?.map(|found| found.mirrored(&a_in_b)))
        }
    }
}

/// The separation of a form from the triangles of a mesh or a height field, whatever is inside of them.
fn surfaces(
    a: &Form<'_>,
    b: &Form<'_>,
    b_in_a: &Placement,
    limit: f64,
    tracer: &mut impl Tracer,
) -> Result<Option<Separation>, SupportFault> {
    let Form::Pieces(pieces) = a else { return separation(a, b, b_in_a, limit, &mut Cache::default(), tracer) };
    pieces_to(pieces, b, b_in_a, limit, |triangle, b_in_piece, limit| match b {
        Form::Pieces(_) => {
            let piece_in_b = b_in_piece.inverse();
            let found = surfaces(b, triangle, &piece_in_b, limit, tracer)?;
            Ok(found.map(|found| found.mirrored(&piece_in_b)))
        }
        Form::Convex(_) | Form::HalfSpace(_) => {
            separation(triangle, b, b_in_piece, limit, &mut Cache::default(), tracer)
        }
    })
}

/// A point of both in the frame of `a`, if one of them is wholly inside a closed mesh of the other; whether surfaces cross
/// is not looked at. One point of each connected piece tells.
pub(super) fn nested(a: &Form<'_>, b: &Form<'_>, b_in_a: &Placement) -> Result<Option<DVec3>, SupportFault> {
    match (a, b) {
        (Form::Pieces(Pieces::Mesh(a)), Form::Pieces(Pieces::Mesh(b))) => Ok(super::mesh::nested_point(a, b, b_in_a)),
        (Form::Pieces(Pieces::Mesh(mesh)), Form::Convex(convex)) => {
            if !mesh.is_closed() {
                return Ok(None);
            }
            let point = b_in_a.point_to_outer(super::mesh::middle(convex)?.0);
            Ok(super::mesh::contains_point(mesh, point).then_some(point))
        }
        (Form::Pieces(Pieces::Mesh(mesh)), Form::Pieces(Pieces::HeightField(field))) => {
            let point = b_in_a.point_to_outer(field.vertex(0).as_dvec3());
            Ok(super::mesh::contains_point(mesh, point).then_some(point))
        }
        (Form::Pieces(pieces @ Pieces::Compound(_)), Form::Convex(_) | Form::Pieces(_)) => {
            for index in 0..pieces.count() {
                let (form, placement) = pieces.piece(index);
                if let Some(point) = nested(&form, b, &placement.inverse().compose(b_in_a))? {
                    return Ok(Some(placement.point_to_outer(point)));
                }
            }
            Ok(None)
        }
        (Form::Convex(_), Form::Pieces(Pieces::Mesh(_) | Pieces::Compound(_)))
        | (Form::Pieces(Pieces::HeightField(_)), Form::Pieces(Pieces::Mesh(_) | Pieces::Compound(_)))
        | (Form::Pieces(Pieces::Mesh(_)), Form::Pieces(Pieces::Compound(_))) => {
            Ok(nested(b, a, &b_in_a.inverse())?.map(|point| b_in_a.point_to_outer(point)))
        }
        // Nothing is inside a surface, and a half-space is not inside of anything.
        (Form::Convex(_) | Form::HalfSpace(_), Form::Convex(_) | Form::HalfSpace(_))
        | (Form::HalfSpace(_), Form::Pieces(_))
        | (Form::Pieces(_), Form::HalfSpace(_))
        | (Form::Convex(_), Form::Pieces(Pieces::HeightField(_)))
        | (Form::Pieces(Pieces::HeightField(_)), Form::Convex(_) | Form::Pieces(Pieces::HeightField(_))) => Ok(None),
    }
}

/// The signed distance of `b` from `a` in the frame of `a`; none if it is proven to be `limit` or more.
pub(super) fn signed(
    a: &Form<'_>,
    b: &Form<'_>,
    b_in_a: &Placement,
    limit: f64,
    tracer: &mut impl Tracer,
) -> Result<Option<Signed>, QueryError> {
    let below = |found: Signed| Some(found).filter(|found| found.lower < limit);
    match (a, b) {
        (Form::Convex(a), Form::Convex(b)) => {
            Ok(signed::signed_traced(a, b, b_in_a, limit, &mut Cache::default(), tracer)?)
        }
        (Form::HalfSpace(normal), Form::Convex(b)) => {
            let (lowest, height, slack) = over_half_space(*normal, b, b_in_a)?;
            Ok(below(signed_over_plane(*normal, lowest, height, slack)))
        }
        (Form::HalfSpace(a), Form::HalfSpace(b)) => {
            let b = b_in_a.direction_to_outer(*b);
            let (position, height) = (b_in_a.position, a.dot(b_in_a.position));
            if (*a + b).length() <= OPPOSITE {
                Ok(below(signed_over_plane(*a, position, height, feature::ROUNDING * position.length())))
            } else {
                Err(QueryError::Endless)
            }
        }
        (Form::Pieces(Pieces::Mesh(a)), Form::Pieces(Pieces::Mesh(b))) => {
            Ok(super::mesh::signed_solids(a, b, b_in_a, limit)?)
        }
        (Form::Pieces(Pieces::HeightField(a)), Form::Pieces(Pieces::Mesh(b))) => {
            Ok(super::mesh::signed_solids(&mesh_of(a)?, b, b_in_a, limit)?)
        }
        (Form::Pieces(Pieces::Mesh(a)), Form::Pieces(Pieces::HeightField(b))) => {
            Ok(super::mesh::signed_solids(a, &mesh_of(b)?, b_in_a, limit)?)
        }
        (Form::Pieces(Pieces::HeightField(a)), Form::Pieces(Pieces::HeightField(b))) => {
            Ok(super::mesh::signed_solids(&mesh_of(a)?, &mesh_of(b)?, b_in_a, limit)?)
        }
        (Form::Pieces(Pieces::Mesh(mesh)), Form::Convex(convex)) => {
            Ok(super::mesh::signed_convex(Skin::Mesh(mesh), convex, b_in_a, limit)?)
        }
        (Form::Pieces(Pieces::HeightField(field)), Form::Convex(convex)) => {
            Ok(super::mesh::signed_convex(Skin::HeightField(field), convex, b_in_a, limit)?)
        }
        (Form::Pieces(pieces @ (Pieces::Mesh(_) | Pieces::HeightField(_))), Form::HalfSpace(normal)) => {
            Ok(below(lowest_corner(pieces, *normal, b_in_a)))
        }
        // All parts leave a half-space along its normal.
        (Form::Pieces(pieces @ Pieces::Compound(_)), Form::HalfSpace(_)) => {
            deepest_piece(pieces, b, b_in_a, limit, &mut |_| {}, tracer)
        }
        (Form::Pieces(pieces @ Pieces::Compound(_)), Form::Convex(_) | Form::Pieces(_)) => {
            let mut parts = Vec::new();
            let deepest = deepest_piece(pieces, b, b_in_a, limit, &mut |found| parts.push(found), tracer)?;
            match deepest {
                Some(deepest) if deepest.distance < 0.0 => escape::from_parts(a, b, b_in_a, &deepest, parts).map(Some),
                Some(_) | None => Ok(deepest),
            }
        }
        (Form::Pieces(Pieces::Mesh(_) | Pieces::HeightField(_)), Form::Pieces(Pieces::Compound(_))) => {
            let a_in_b = b_in_a.inverse();
            Ok(signed(b, a, &a_in_b, limit, tracer)?.map(|found| found.mirrored(&a_in_b)))
        }
        (Form::Convex(_), Form::HalfSpace(_) | Form::Pieces(_)) | (Form::HalfSpace(_), Form::Pieces(_)) => {
            let a_in_b = b_in_a.inverse();
            Ok(signed(b, a, &a_in_b, limit, tracer)?.map(|found| found.mirrored(&a_in_b)))
        }
    }
}

/// The triangles of a height field as a mesh, for what is walked in pairs of trees.
fn mesh_of(field: &HeightField) -> Result<TriangleMesh, QueryError> {
    let vertices = (0..field.columns() * field.rows()).map(|sample| field.vertex(sample)).collect();
    let triangles = (0..field.triangle_count()).map(|index| field.samples(index).map(|sample| sample as u32)).collect();
    // Cells so large or small that their area cannot be told.
    TriangleMesh::new(vertices, triangles)
        .map_err(|_| QueryError::NotSupported { what: "the depth", shape: ShapeKind::HeightField })
}

/// A surface over a half-space, whose outward normal is given in its own frame: the lowest corner decides.
fn lowest_corner(surface: &Pieces<'_>, normal: DVec3, half_space_in_surface: &Placement) -> Signed {
    let up = half_space_in_surface.direction_to_outer(normal);
    let plane = up.dot(half_space_in_surface.position);
    let (mut lowest, mut height, mut reach) = (DVec3::ZERO, f64::INFINITY, half_space_in_surface.position.length());
    for index in 0..surface.count() {
        let Form::Convex(Convex { core: Core::Triangle(corners), .. }) = surface.piece(index).0 else { continue };
        for corner in corners {
            reach = reach.max(corner.length());
            if up.dot(corner) - plane < height {
                (lowest, height) = (corner, up.dot(corner) - plane);
            }
        }
    }
    let slack = 2.0 * feature::ROUNDING * reach;
    Signed {
        normal: -up,
        distance: height,
        on_a: lowest,
        on_b: lowest - height * up,
        lower: height - slack,
        upper: height + slack,
        stop: Stop::Converged,
    }
}

/// Of the two parts that are deepest in each other, or nearest; `tell` is told of all of them.
fn deepest_piece(
    a: &Pieces<'_>,
    b: &Form<'_>,
    b_in_a: &Placement,
    limit: f64,
    tell: &mut dyn FnMut(Signed),
    tracer: &mut impl Tracer,
) -> Result<Option<Signed>, QueryError> {
    let mut best: Option<Signed> = None;
    let mut visit = |form: Form<'_>, placement: Placement, limit: f64| -> Result<f64, QueryError> {
        let b_in_piece = placement.inverse().compose(b_in_a);
        let found = if let Form::Pieces(parts @ Pieces::Compound(_)) = b {
            let piece_in_b = b_in_piece.inverse();
            let mut tell = |found: Signed| tell(found.mirrored(&piece_in_b).placed(&placement));
            let found = deepest_piece(parts, &form, &piece_in_b, limit, &mut tell, tracer)?;
            found.map(|found| found.mirrored(&piece_in_b).placed(&placement))
        } else {
            let found = signed(&form, b, &b_in_piece, limit, tracer)?.map(|found| found.placed(&placement));
            found.into_iter().for_each(&mut *tell);
            found
        };
        if let Some(found) = found {
            best = Some(best.map_or(found, |best| deeper(best, found)));
        }
        // Parts whose boxes overlap are visited however deep the others are.
        Ok(best.map_or(limit, |best| best.upper.max(f64::MIN_POSITIVE)))
    };
    match b.bounds(b_in_a)? {
        Some(bounds) => a.visit_near(&bounds, limit, visit)?,
        None => {
            let mut limit = limit;
            for index in 0..a.count() {
                let (form, placement) = a.piece(index);
                limit = visit(form, placement, limit)?;
            }
        }
    }
    Ok(best)
}

/// The deeper of two, with bounds that hold for both together.
fn deeper(a: Signed, b: Signed) -> Signed {
    let (deep, other) = if b.distance < a.distance { (b, a) } else { (a, b) };
    let (lower, upper) = (deep.lower.min(other.lower), deep.upper.min(other.upper));
    Signed { lower, upper, stop: worse(deep.stop, other.stop), ..deep }
}

/// The same as [`over_plane`], signed.
fn signed_over_plane(normal: DVec3, lowest: DVec3, height: f64, slack: f64) -> Signed {
    Signed {
        normal,
        distance: height,
        on_a: lowest - height * normal,
        on_b: lowest,
        lower: height - slack,
        upper: height + slack,
        stop: Stop::Converged,
    }
}

/// The lowest point of `b` over the plane decides.
fn half_space_to_convex(normal: DVec3, b: &Convex<'_>, b_in_a: &Placement) -> Result<Separation, SupportFault> {
    let (lowest, height, slack) = over_half_space(normal, b, b_in_a)?;
    Ok(over_plane(normal, lowest, height, slack))
}

/// The lowest point of `b`, its height, and how much that may be off.
fn over_half_space(normal: DVec3, b: &Convex<'_>, b_in_a: &Placement) -> Result<(DVec3, f64, f64), SupportFault> {
    let lowest = separation::placed_support(b, b_in_a, -normal)? - b.radius * normal;
    let reach = b.core.reach()?;
    let scale = b_in_a.position.length() + reach + b.radius;
    Ok((lowest, normal.dot(lowest), feature::ROUNDING * scale + b.core.support_error(reach)))
}

/// Two half-spaces overlap unless they face each other. Normals that are opposite up to the rounding of f32 rotations
/// count as opposite; their bounds hold for exactly opposite ones.
pub(super) fn half_space_to_half_space(a: DVec3, b: DVec3, b_in_a: &Placement) -> Separation {
    let b = b_in_a.direction_to_outer(b);
    let position = b_in_a.position;
    let height = a.dot(position);
    if (a + b).length() <= OPPOSITE && height > 0.0 {
        return over_plane(a, position, height, feature::ROUNDING * position.length());
    }
    // Going along -(a + b) leads down under both planes.
    let down = -(a + b);
    // 1 + a·b, without its cancellation.
    let depth_rate = 0.5 * down.length_squared();
    let excess = (-b.dot(position)).max(0.0);
    let common = if height <= 0.0 {
        position
    } else if excess == 0.0 {
        DVec3::ZERO
    } else {
        down * (excess / depth_rate)
    };
    Separation::overlapping(common, 0.0)
}

/// A point `lowest` at `height` over the plane through the origin.
fn over_plane(normal: DVec3, lowest: DVec3, height: f64, slack: f64) -> Separation {
    if height <= slack {
        return Separation::overlapping(lowest, (height + slack).clamp(0.0, 2.0 * slack));
    }
    let lower = (height - slack).max(0.0);
    Separation {
        on_a: lowest - height * normal,
        on_b: lowest,
        normal,
        distance: height,
        lower,
        upper: height + slack,
        relation: if lower > 0.0 { Relation::Apart } else { Relation::Undecided },
        stop: Stop::Converged,
    }
}

/// The least of the separations of the pieces. Pieces whose box is farther than the best so far are left out.
fn pieces_to(
    a: &Pieces<'_>,
    b: &Form<'_>,
    b_in_a: &Placement,
    limit: f64,
    mut of_piece: impl FnMut(&Form<'_>, &Placement, f64) -> Result<Option<Separation>, SupportFault>,
) -> Result<Option<Separation>, SupportFault> {
    let mut best: Option<Separation> = None;
    let mut visit = |form: Form<'_>, placement: Placement, limit: f64| -> Result<f64, SupportFault> {
        let b_in_piece = placement.inverse().compose(b_in_a);
        if let Some(found) = of_piece(&form, &b_in_piece, limit)? {
            best = Some(best.map_or(found.placed(&placement), |best| nearer(best, found.placed(&placement))));
        }
        // Once they overlap nothing is nearer, and no piece passes a limit of zero.
        Ok(best.map_or(limit, |best| if best.relation == Relation::Overlapping { 0.0 } else { best.upper }))
    };
    match b.bounds(b_in_a)? {
        Some(bounds) => a.visit_near(&bounds, limit, visit)?,
        None => {
            let mut limit = limit;
            for index in 0..a.count() {
                let (form, placement) = a.piece(index);
                limit = visit(form, placement, limit)?;
            }
        }
    }
    Ok(best)
}

/// The nearer of two, with bounds that hold for both together.
fn nearer(a: Separation, b: Separation) -> Separation {
    if a.relation == Relation::Overlapping {
        return a;
    }
    if b.relation == Relation::Overlapping {
        return b;
    }
    let (near, far) = if b.upper < a.upper { (b, a) } else { (a, b) };
    let lower = near.lower.min(far.lower);
    let relation = if lower > 0.0 { Relation::Apart } else { Relation::Undecided };
    Separation { lower, relation, stop: worse(near.stop, far.stop), ..near }
}

fn worse(a: Stop, b: Stop) -> Stop {
    match (a, b) {
        (Stop::IterationLimit, _) | (_, Stop::IterationLimit) => Stop::IterationLimit,
        (Stop::Rounding, _) | (_, Stop::Rounding) => Stop::Rounding,
        (Stop::Converged, Stop::Converged) => Stop::Converged,
    }
}
