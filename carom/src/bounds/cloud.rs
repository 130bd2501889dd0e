//! What a fit sees of points, a shape or other volumes: balls and stretched balls with the same convex hull.
//!
//! Every measure here (extent, farthest point) is a maximum of a convex function, which a convex hull takes on at its
//! extreme points; so balls around the corners of a polytope, or the two end discs of a cylinder, stand for the whole.

use super::kdop::{AXES, Kdop};
use super::rounding::nearest;
use super::stretched::{Farthest, Stretched};
use super::{BoundingVolume, BoundsError, check_points};
use crate::shape::Shape;
use glam::{DMat3, DQuat, DVec3, Vec3};

/// Coordinates beyond this are refused, so that sizes measured from them are far from the end of f32.
const FARTHEST: f64 = 1e30;

/// How many parts of a compound are asked for their frames.
const FRAMES: usize = 8;

/// All points within `radius` of `center`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub(super) center: DVec3,
    pub(super) radius: f64,
}

/// How much a fit may try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// A few passes: merging two volumes.
    Quick,
    /// A convex hull and many candidates: fitting to points or a shape.
    Thorough,
}

/// Balls and stretched balls around `origin`, all of them grown by `margin`.
#[derive(Debug, Clone)]
pub(super) struct Cloud {
    /// Where the coordinates of this cloud have their zero: a point of f32, so that differences to other such points,
    /// to centres above all, are exact.
    pub(super) origin: DVec3,
    pub(super) effort: Effort,
    /// The radius that is common to all, taken out of the balls.
    pub(super) margin: f64,
    pub(super) balls: Vec<Ball>,
    pub(super) curved: Vec<Stretched>,
    /// How the parts are turned: frames worth trying for volumes with an orientation. The first is not turned.
    pub(super) frames: Vec<DQuat>,
}

impl Cloud {
    pub(super) fn of_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        check_points(points)?;
        let mut parts = Parts::default();
        parts.add_balls(points.iter().map(|point| point.as_dvec3()), 0.0);
        parts.into_cloud()
    }

    pub(super) fn of_shape(shape: &Shape) -> Result<Self, BoundsError> {
        let mut parts = Parts::default();
        parts.add(shape, DQuat::IDENTITY, DVec3::ZERO)?;
        parts.into_cloud()
    }

    /// The cloud of parts of volumes, whose coordinates are relative to `origin`.
    pub(super) fn of(origin: Vec3, mut balls: Vec<Ball>, curved: Vec<Stretched>, frames: &[DQuat]) -> Self {
        let margin = if curved.is_empty() {
            balls.iter().map(|ball| ball.radius).reduce(f64::min).unwrap_or_default()
        } else {
            0.0
        };
        balls.iter_mut().for_each(|ball| ball.radius -= margin);
        let frames = std::iter::once(DQuat::IDENTITY).chain(frames.iter().copied().take(FRAMES)).collect();
        Self { origin: origin.as_dvec3(), effort: Effort::Quick, margin, balls, curved, frames }
    }

    /// The greatest distance from this cloud's origin along any axis.
    pub(super) fn reach(&self) -> f64 {
        DVec3::AXES.iter().map(|&axis| self.extent_along(axis)).fold(0.0, |reach, (a, b)| reach.max(-a).max(b))
    }

    /// The least and greatest product with the unit vector `direction`, from this cloud's origin.
    pub(super) fn extent_along(&self, direction: DVec3) -> (f64, f64) {
        let balls = self.balls.iter().map(|ball| {
            let middle = direction.dot(ball.center);
            (middle - ball.radius, middle + ball.radius)
        });
        let curved = self.curved.iter().map(|part| part.extent_along(direction));
        let whole = balls.chain(curved).fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (whole.0 - self.margin, whole.1 + self.margin)
    }

    /// The middle of the axis-aligned box.
    pub(super) fn box_center(&self) -> DVec3 {
        DVec3::from_array(DVec3::AXES.map(|axis| {
            let (least, greatest) = self.extent_along(axis);
            0.5 * (least + greatest)
        }))
    }

    /// The farthest point from `point`, margin left out.
    pub(super) fn farthest_core_point(&self, point: DVec3) -> Farthest {
        let balls = self.balls.iter().map(|ball| {
            let away = ball.center - point;
            let distance = away.length();
            (distance + ball.radius, *ball, away)
        });
        let nothing = Farthest { point, distance: 0.0 };
        let far_ball = balls.reduce(|a, b| if b.0 > a.0 { b } else { a }).map_or(nothing, |(distance, ball, away)| {
            let outward = if away == DVec3::ZERO { DVec3::X } else { away.normalize() };
            Farthest { point: ball.center + ball.radius * outward, distance }
        });
        let curved = self.curved.iter().map(|part| part.farthest_from(point));
        curved.fold(far_ball, |a, b| if b.distance > a.distance { b } else { a })
    }

    /// How far the cloud reaches from `point`.
    pub(super) fn reach_from_point(&self, point: DVec3) -> f64 {
        self.farthest_core_point(point).distance + self.margin
    }

    /// How far the cloud reaches from the line through `point` along the unit vector `axis`.
    pub(super) fn reach_from_line(&self, point: DVec3, axis: DVec3) -> f64 {
        self.flattened(axis).reach_from_point(point.reject_from_normalized(axis))
    }

    /// The cloud projected on the plane through its origin perpendicular to the unit vector `axis`. Balls stay balls:
    /// seen from within the plane they reach as far as the discs that they project to.
    pub(super) fn flattened(&self, axis: DVec3) -> Self {
        let onto_plane = DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let flat = |ball: &Ball| Ball { center: ball.center.reject_from_normalized(axis), radius: ball.radius };
        Self {
            origin: self.origin,
            effort: self.effort,
            margin: self.margin,
            balls: self.balls.iter().map(flat).collect(),
            curved: self.curved.iter().map(|part| part.mapped(onto_plane, DVec3::ZERO)).collect(),
            frames: self.frames.clone(),
        }
    }

    /// Points of the cloud, margin left out, among which all are that matter: every point, and of each round part its
    /// supports along 26 directions.
    pub(super) fn samples(&self) -> Vec<DVec3> {
        let mut samples = Vec::with_capacity(self.balls.len());
        let directions = || AXES.iter().flat_map(|&axis| [axis, -axis]);
        for ball in &self.balls {
            if ball.radius == 0.0 {
                samples.push(ball.center);
            } else {
                samples.extend(directions().map(|direction| ball.center + ball.radius * direction.normalize()));
            }
        }
        for part in &self.curved {
            samples.extend(directions().map(|direction| part.support(direction)));
        }
        samples
    }

    /// The cloud with its margin put back into the balls.
    pub(super) fn with_margin_in_balls(&self) -> Self {
        let grown = |ball: &Ball| Ball { center: ball.center, radius: ball.radius + self.margin };
        Self { margin: 0.0, balls: self.balls.iter().map(grown).collect(), ..self.clone() }
    }

    /// The centres of the balls, and corners of a polytope around each ball that is larger than the margin.
    pub(super) fn corners(&self) -> Vec<DVec3> {
        let (round, sharp): (Vec<Ball>, Vec<Ball>) = self.balls.iter().partition(|ball| ball.radius > 0.0);
        let as_curved =
            |ball: Ball| Stretched { center: ball.center, axes: DMat3::from_diagonal(DVec3::splat(ball.radius)) };
        let curved = self.curved.iter().copied().chain(round.into_iter().map(as_curved)).collect();
        let cloud = Self { balls: sharp, curved, ..self.clone() }.with_corners_for_curves();
        cloud.balls.iter().map(|ball| ball.center).collect()
    }

    /// The cloud with every stretched ball replaced by corners of a polytope around it: less than 1% larger, or 0.13%
    /// if it is a disc.
    pub(super) fn with_corners_for_curves(&self) -> Self {
        let mut balls = self.balls.clone();
        for part in &self.curved {
            let is_disc = part.axes.z_axis == DVec3::ZERO;
            let corners = if is_disc { circumscribed_polygon::<4>() } else { circumscribed_polytope() };
            balls.extend(
                corners.into_iter().map(|corner| Ball { center: part.center + part.axes * corner, radius: 0.0 }),
            );
        }
        Self { balls, curved: vec![], ..self.clone() }
    }
}

/// The corners of a regular polygon around the unit circle in the plane of x and y, `4 << DOUBLINGS` of them. Made
/// with square roots alone, whose results are the same on every machine.
fn circumscribed_polygon<const DOUBLINGS: usize>() -> Vec<DVec3> {
    let halved = |(cosine, sine): (f64, f64)| {
        let half_cosine = (0.5 + 0.5 * cosine).sqrt();
        (half_cosine, 0.5 * sine / half_cosine)
    };
    let (cosine, sine) = (0..DOUBLINGS).fold((0.0, 1.0), |angle, _| halved(angle));
    let outward = (1.0 + 1e-12) / halved((cosine, sine)).0;
    let mut turn = DVec3::X;
    let corners = (0..4 << DOUBLINGS).map(|_| {
        let corner = turn * outward;
        turn = DVec3::new(turn.x * cosine - turn.y * sine, turn.x * sine + turn.y * cosine, 0.0);
        corner
    });
    corners.collect()
}

/// The corners of a polytope around the unit ball: a polygon around the meridian, turned about z, and each circle that
/// its corners run along replaced by a polygon around that.
fn circumscribed_polytope() -> Vec<DVec3> {
    let meridian = circumscribed_polygon::<3>();
    let circle = circumscribed_polygon::<3>();
    let upper_half = meridian.iter().take(17);
    upper_half.flat_map(|ring| circle.iter().map(|turn| turn * ring.y + DVec3::Z * ring.x)).collect()
}

#[derive(Default)]
struct Parts {
    balls: Vec<Ball>,
    curved: Vec<Stretched>,
    frames: Vec<DQuat>,
}

impl Parts {
    /// Adds a shape, turned and put at `position`.
    fn add(&mut self, shape: &Shape, rotation: DQuat, position: DVec3) -> Result<(), BoundsError> {
        let place = |point: Vec3| position + rotation * point.as_dvec3();
        match shape {
            Shape::Point(_) => self.add_balls([position], 0.0),
            Shape::Segment(segment) => self.add_balls([segment.a(), segment.b()].map(place), 0.0),
            Shape::Triangle(triangle) => self.add_balls(triangle.core().corners().map(place), triangle.radius()),
            Shape::Sphere(sphere) => self.add_balls([position], sphere.radius()),
            Shape::Cuboid(cuboid) => self.add_balls(cuboid.core().corners().map(place), cuboid.radius()),
            Shape::Capsule(capsule) => {
                self.add_balls([capsule.core().a(), capsule.core().b()].map(place), capsule.radius());
            }
            Shape::Cylinder(cylinder) => {
                let top = Vec3::Y * cylinder.half_height();
                self.add_disc(place(top), rotation * DVec3::Y, cylinder.radius());
                self.add_disc(place(-top), rotation * DVec3::Y, cylinder.radius());
            }
            Shape::Cone(cone) => {
                let apex = Vec3::Y * cone.half_height();
                self.add_balls([place(apex)], 0.0);
                self.add_disc(place(-apex), rotation * DVec3::Y, cone.radius());
            }
            Shape::Ellipsoid(ellipsoid) => {
                let radii = DMat3::from_diagonal(ellipsoid.radii().as_dvec3());
                self.curved.push(Stretched { center: position, axes: DMat3::from_quat(rotation) * radii });
            }
            Shape::Hull(hull) => self.add_balls(hull.core().vertices().iter().copied().map(place), hull.radius()),
            Shape::HalfSpace(_) => return Err(BoundsError::Unbounded),
            Shape::Mesh(mesh) => {
                let mut used = vec![false; mesh.vertices().len()];
                mesh.triangles().iter().flatten().for_each(|&corner| used[corner as usize] = true);
                let vertices = mesh.vertices().iter().zip(used).filter(|(_, used)| *used);
                self.add_balls(vertices.map(|(vertex, _)| place(*vertex)), 0.0);
            }
            Shape::HeightField(field) => {
                self.add_balls((0..field.heights().len()).map(|sample| place(field.vertex(sample))), 0.0);
            }
            Shape::Compound(compound) => {
                for part in compound.parts() {
                    let turned = rotation * part.pose.rotation.as_dquat().normalize();
                    self.frames.push(turned);
                    self.add(&part.shape, turned, place(part.pose.position))?;
                }
            }
            // Known by its support map alone, so the corners of a polytope around it stand for it.
            Shape::Custom(_) => {
                let corners = Kdop::<26>::around_shape(shape)?.corners();
                self.add_balls(corners.into_iter().map(|corner| position + rotation * corner), 0.0);
            }
        }
        Ok(())
    }

    /// The cloud around the middle of the parts, if they are not too far away.
    fn into_cloud(mut self) -> Result<Cloud, BoundsError> {
        let centers = || self.balls.iter().map(|ball| ball.center).chain(self.curved.iter().map(|part| part.center));
        let least = centers().reduce(DVec3::min).unwrap_or_default();
        let greatest = centers().reduce(DVec3::max).unwrap_or_default();
        let origin = nearest(0.5 * (least + greatest));
        self.balls.iter_mut().for_each(|ball| ball.center -= origin.as_dvec3());
        self.curved.iter_mut().for_each(|part| part.center -= origin.as_dvec3());
        let cloud = Cloud::of(origin, self.balls, self.curved, &self.frames);
        let reach = cloud.origin.abs().max_element() + cloud.reach();
        if reach < FARTHEST {
            Ok(Cloud { effort: Effort::Thorough, ..cloud })
        } else {
            Err(BoundsError::TooLarge { reach })
        }
    }

    fn add_balls(&mut self, centers: impl IntoIterator<Item = DVec3>, radius: f32) {
        self.balls.extend(centers.into_iter().map(|center| Ball { center, radius: f64::from(radius) }));
    }

    fn add_disc(&mut self, center: DVec3, normal: DVec3, radius: f32) {
        self.curved.push(Stretched::disc(center, normal, f64::from(radius)));
    }
}
