//! What a shape is to a query: one convex solid, a half-space, or many pieces. The one place where queries look at
//! the kind of a shape.

use crate::bounds::{Aabb, BoundingVolume};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::shape::{Compound, HeightField, Shape, TriangleMesh};
use glam::DVec3;

/// A shape, sorted by how it is computed with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<'a> {
    Convex(Convex<'a>),
    /// The outward unit normal of everything below a plane through the origin.
    HalfSpace(DVec3),
    Pieces(Pieces<'a>),
}

/// A shape that is answered piece by piece.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pieces<'a> {
    Mesh(&'a TriangleMesh),
    HeightField(&'a HeightField),
    Compound(&'a Compound),
}

impl<'a> Form<'a> {
    #[inline(always)]
    pub(crate) fn of(shape: &'a Shape) -> Self {
        let rounded = |core: Core<'a>, radius: f32| Self::Convex(Convex { core, radius: f64::from(radius) });
        let sharp = |core: Core<'a>| rounded(core, 0.0);
        match shape {
            Shape::Point(_) => sharp(Core::Point),
            Shape::Segment(segment) => sharp(Core::Segment([segment.a(), segment.b()].map(|end| end.as_dvec3()))),
            Shape::Triangle(triangle) => {
                rounded(Core::Triangle(triangle.core().corners().map(|corner| corner.as_dvec3())), triangle.radius())
            }
            Shape::Sphere(sphere) => rounded(Core::Point, sphere.radius()),
            Shape::Cuboid(cuboid) => rounded(Core::Cuboid(cuboid.core().half_extents().as_dvec3()), cuboid.radius()),
            Shape::Capsule(capsule) => {
                let ends = [capsule.core().a(), capsule.core().b()].map(|end| end.as_dvec3());
                rounded(Core::Segment(ends), capsule.radius())
            }
            Shape::Cylinder(cylinder) => sharp(Core::Cylinder {
                half_height: f64::from(cylinder.half_height()),
                radius: f64::from(cylinder.radius()),
            }),
            Shape::Cone(cone) => {
                sharp(Core::Cone { half_height: f64::from(cone.half_height()), radius: f64::from(cone.radius()) })
            }
            Shape::Ellipsoid(ellipsoid) => sharp(Core::Ellipsoid(ellipsoid.radii().as_dvec3())),
            Shape::Hull(hull) => rounded(Core::Hull(hull.core()), hull.radius()),
            Shape::HalfSpace(half_space) => Self::HalfSpace(half_space.normal().as_dvec3().normalize()),
            Shape::Mesh(mesh) => Self::Pieces(Pieces::Mesh(mesh)),
            Shape::HeightField(field) => Self::Pieces(Pieces::HeightField(field)),
            Shape::Compound(compound) => Self::Pieces(Pieces::Compound(compound)),
            Shape::Custom(custom) => sharp(Core::Custom(custom.as_ref())),
        }
    }

    /// A box around the form in the frame in which it stands at `placement`; none around a half-space.
    pub(crate) fn bounds(&self, placement: &Placement) -> Result<Option<Aabb>, SupportFault> {
        match self {
            Self::Convex(convex) => convex.bounds(placement).map(Some),
            Self::HalfSpace(_) => Ok(None),
            Self::Pieces(pieces) => {
                let mut whole: Option<Aabb> = None;
                for index in 0..pieces.count() {
                    let (form, part) = pieces.piece(index);
                    // A half-space is never a piece, so every piece has a box.
                    if let Some(bounds) = form.bounds(&placement.compose(&part))? {
                        whole = Some(whole.map_or(bounds, |whole| whole.merged(&bounds)));
                    }
                }
                Ok(whole)
            }
        }
    }
}

impl<'a> Pieces<'a> {
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::HeightField(field) => field.triangle_count(),
            Self::Compound(compound) => compound.parts().len(),
        }
    }

    /// Piece `index` and where it stands.
    pub(crate) fn piece(&self, index: usize) -> (Form<'a>, Placement) {
        let triangle = |corners: [glam::Vec3; 3]| {
            let core = Core::Triangle(corners.map(|corner| corner.as_dvec3()));
            (Form::Convex(Convex { core, radius: 0.0 }), Placement::IDENTITY)
        };
        match self {
            Self::Mesh(mesh) => triangle(mesh.corners(index)),
            Self::HeightField(field) => triangle(field.corners(index)),
            Self::Compound(compound) => {
                let part = &compound.parts()[index];
                (Form::of(&part.shape), Placement::of_part(&part.pose))
            }
        }
    }

    /// The least distance that piece `index` can have from what is inside `other`.
    pub(crate) fn distance_to_box(&self, index: usize, other: &Aabb) -> Result<f64, SupportFault> {
        let (form, placement) = self.piece(index);
        Ok(form.bounds(&placement)?.map_or(0.0, |own| box_distance(&own, other)))
    }

    /// Calls `visit` for the pieces that may be nearer than the limit that it returns, the most promising one first.
    pub(crate) fn visit_near<E: From<SupportFault>>(
        &self,
        other: &Aabb,
        mut limit: f64,
        mut visit: impl FnMut(Form<'a>, Placement, f64) -> Result<f64, E>,
    ) -> Result<(), E> {
        let (start, mut fault) = (limit, None);
        let mut visit_triangle = |corners: [glam::Vec3; 3]| {
            let core = Core::Triangle(corners.map(|corner| corner.as_dvec3()));
            match visit(Form::Convex(Convex { core, radius: 0.0 }), Placement::IDENTITY, limit) {
                Ok(found) => limit = found.min(limit),
                // No triangle passes a limit of zero.
                Err(error) => (limit, fault) = (0.0, Some(error)),
            }
            limit
        };
        let (min, max) = (other.min.as_dvec3(), other.max.as_dvec3());
        match self {
            Self::Mesh(mesh) => {
                let tree = mesh.tree();
                tree.visit_near(min, max, start, |slot| visit_triangle(slot.corners(mesh.vertices())));
                return fault.map_or(Ok(()), Err);
            }
            Self::HeightField(field) => {
                field.visit_near(min, max, start, |triangle| visit_triangle(field.corners(triangle as usize)));
                return fault.map_or(Ok(()), Err);
            }
            Self::Compound(_) => {}
        }
        let mut first = (0, f64::INFINITY);
        for index in 0..self.count() {
            let bound = self.distance_to_box(index, other)?;
            if bound < first.1 {
                first = (index, bound);
            }
        }
        for index in std::iter::once(first.0).chain((0..self.count()).filter(|index| *index != first.0)) {
            if self.distance_to_box(index, other)? < limit {
                let (form, placement) = self.piece(index);
                limit = visit(form, placement, limit)?.min(limit);
            }
        }
        Ok(())
    }
}

/// The distance of two boxes, in f64.
fn box_distance(a: &Aabb, b: &Aabb) -> f64 {
    let (a_min, a_max, b_min, b_max) = (a.min.as_dvec3(), a.max.as_dvec3(), b.min.as_dvec3(), b.max.as_dvec3());
    (b_min - a_max).max(a_min - b_max).max(DVec3::ZERO).length()
}
