//! Two parts seen from one of them, the smaller or a ball, and the way from there to the axes of the world.

use super::{Contact, Manifold};
use crate::body::{Bodies, Material};
use crate::distance::placement::Placement;
use crate::mid::ConvexPair;
use crate::narrow::{
    ContactError, Feature, LocalContact, LocalManifold, MAX_POINTS, Pair, PairCache, cache, contact_in, convex,
};
use crate::pose::{LocalPose, Pose};
use crate::shape::{HalfSpace, Shape};
use glam::{DVec3, Mat3, Quat, Vec3};

/// Two parts in the frame of the smaller: there the contact is near the origin, however large the other is. Or in that of
/// a ball, which is taken not to be turned: what is seen from there need not be turned back, and rolling changes nothing.
pub(super) struct View<'a> {
    pub(super) near: &'a Shape,
    pub(super) far: &'a Shape,
    /// Where the near one is in the world, and how its frame is turned there.
    position: &'a DVec3,
    turn: Quat,
    far_rotation: Quat,
    /// From the near one to the far one, in the axes of the world.
    offset: DVec3,
    pub(super) far_in_near: LocalPose,
    /// They are seen from the second.
    is_swapped: bool,
    /// About how far the smaller reaches from its origin.
    pub(super) size: f32,
}

impl<'a> View<'a> {
    /// None if they are farther apart than f32 can say: boxes that end at the greatest f32 overlap, the shapes do not.
    #[inline(always)]
    pub(super) fn new([a, b]: [(&'a Shape, &'a Pose); 2]) -> Option<Self> {
        let [reach_a, reach_b] = [reach(a.0), reach(b.0)];
        let is_swapped = match (is_ball(a.0), is_ball(b.0)) {
            (true, false) => reach_a > FAR_LARGER * reach_b,
            (false, true) => reach_b <= FAR_LARGER * reach_a,
            (true, true) | (false, false) => reach_a > reach_b,
        };
        let ((near, pose), (far, far_pose)) = if is_swapped { (b, a) } else { (a, b) };
        let size = reach_a.min(reach_b);
        let far_rotation = far_pose.rotation;
        let offset = if let Shape::HalfSpace(half_space) = far {
            beside(half_space, far_pose, pose)
        } else {
            far_pose.position - pose.position
        };
        let is_seen_from_ball = is_ball(near);
        let turn = if is_seen_from_ball { Quat::IDENTITY } else { pose.rotation };
        // Turned in f32 where its rounding is far below what is felt of the smaller part; and where nobody asks for it but for
        // whether it is finite, since surfaces are seen at their placement.
        let is_near = offset.as_vec3().length_squared() < 100.0 * size * size;
        let far_in_near = if is_seen_from_ball {
            LocalPose::new(offset.as_vec3(), far_rotation)
        } else if is_near || is_surface(far) {
            let back = turn.conjugate();
            LocalPose::new(back * offset.as_vec3(), back * far_rotation)
        } else {
            Pose::b_in_a(
                &Pose { position: DVec3::ZERO, rotation: turn },
                &Pose { position: offset, rotation: far_rotation },
            )
        };
        if !far_in_near.position.is_finite() {
            return None;
        }
        Some(Self { near, far, position: &pose.position, turn, far_rotation, offset, far_in_near, is_swapped, size })
    }

    /// In f64 from the poses themselves: a cube on a wide slab sees where the slab's far middle is to the last digit.
    pub(super) fn placement(&self) -> Placement {
        let near = Pose { position: DVec3::ZERO, rotation: self.turn };
        Placement::seen_from(&Placement::turned(&near), self.offset, self.far_rotation)
    }

    /// How two convex parts touch. The door lets in only shapes with contacts, and poses and margins of the world are sound;
    /// what is left to go wrong is a user's shape that answers NaN later on.
    #[inline]
    pub(super) fn contact(&self, margin: f32, cache: &mut PairCache) -> Result<Option<LocalManifold>, ContactError> {
        match cache.kept(&self.far_in_near, margin) {
            Some(kept) => Ok(kept.moved(&self.far_in_near, margin)),
            None => contact_in(self.near, self.far, &self.far_in_near, || self.placement(), margin, Some(cache)),
        }
    }

    /// How far two convex parts that do not touch are apart at the least, if an axis proves it: the last that the cache
    /// knows, or that of a contact with a wide margin. Users' support maps prove nothing.
    pub(super) fn gap(&self, cache: &PairCache, wide: f32) -> Option<f32> {
        let is_custom = |shape: &Shape| matches!(shape, Shape::Custom(_));
        if is_custom(self.near) || is_custom(self.far) {
            return None;
        }
        let (pose, near) = (&self.far_in_near, convex::of_shape(self.near)?);
        if let Shape::HalfSpace(half_space) = self.far {
            let up = pose.direction_to_outer(half_space.normal()).as_dvec3();
            let lowest = near.core.support(-up).ok()?;
            let (low, ground) = (up.dot(lowest) - near.radius, up.dot(pose.position.as_dvec3()));
            return Some((low - ground - 1e-6 * (lowest.length() + pose.position.as_dvec3().length())) as f32);
        }
        let far = convex::of_shape(self.far)?;
        let axis = cache.axis(pose).or_else(|| {
            let found = contact_in(self.near, self.far, pose, || self.placement(), wide, None).ok()?;
            found.map_or_else(|| pose.position.try_normalize(), |found| Some(found.normal))
        })?;
        let pair = Pair { a: &near, b: &far, b_in_a: pose };
        let (gap, doubt) = cache::gap_along(&pair, axis.as_dvec3()).ok()?;
        Some((gap - doubt) as f32)
    }
}

/// A ball that is up to so many times as large as what is beside it is what the two are seen from.
const FAR_LARGER: f32 = 4.0;

fn is_ball(shape: &Shape) -> bool {
    matches!(shape, Shape::Sphere(_))
}

/// About how far a part reaches from its origin.
#[inline]
pub(crate) fn reach(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Cuboid(cuboid) => cuboid.core().half_extents().max_element() + cuboid.radius(),
        Shape::Capsule(capsule) => capsule.core().a().length().max(capsule.core().b().length()) + capsule.radius(),
        Shape::Hull(hull) => hull.core().outer_radius() as f32 + hull.radius(),
        Shape::Cylinder(cylinder) => cylinder.radius().max(cylinder.half_height()),
        Shape::Cone(cone) => cone.radius().max(cone.half_height()),
        Shape::Ellipsoid(ellipsoid) => ellipsoid.radii().max_element(),
        Shape::Segment(segment) => segment.a().length().max(segment.b().length()),
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.core().corners().map(Vec3::length);
            a.max(b).max(c) + triangle.radius()
        }
        // A mesh is rarely the smaller one, and its middle tells nothing of where it is touched.
        Shape::Mesh(_) | Shape::HeightField(_) => f32::MAX,
        Shape::HalfSpace(_) => f32::INFINITY,
        // Nothing is known of these, or there is nothing to know.
        Shape::Point(_) | Shape::Compound(_) | Shape::Custom(_) => 1.0,
    }
}

/// Whether a part of a body is not convex, but a surface of triangles.
pub(crate) fn is_surface(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::HeightField(_))
}

/// Whether a part rolls: where it touches is then not a point of the body that turns with it.
#[inline]
fn is_round(shape: &Shape) -> bool {
    match shape {
        Shape::Sphere(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::Custom(_) => true,
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Cuboid(_)
        | Shape::Hull(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_) => false,
    }
}

/// From a part to a half-space, moved along its plane to beside the part: that changes nothing but the numbers' size.
fn beside(half_space: &HalfSpace, pose: &Pose, part: &Pose) -> DVec3 {
    let normal = (pose.rotation.as_dquat() * half_space.normal().as_dvec3()).normalize();
    normal * -normal.dot(part.position - pose.position)
}

/// What takes a manifold from the frame of the near part to the axes of the world.
pub(super) struct Frame {
    pub(super) turn: Mat3,
    /// From the centre of mass of each body to the origin of the part that they are seen from.
    pub(super) from_centers: [Vec3; 2],
    is_swapped: bool,
    is_round: bool,
    pub(super) size: f32,
}

impl Frame {
    #[inline]
    pub(super) fn new(pair: &ConvexPair, view: &View<'_>, bodies: &Bodies) -> Self {
        let from_center = |body: u32| {
            let arm = (*view.position - bodies.motions()[body as usize].center).as_vec3();
            // A centre beyond the range of f32 is that of a floor; it has no lever worth the name.
            if arm.is_finite() { arm } else { Vec3::ZERO }
        };
        let from_centers = [from_center(pair.a.body), from_center(pair.b.body)];
        let turn = Mat3::from_quat(view.turn);
        let is_round = is_round(view.near) || is_round(view.far);
        Self { turn, from_centers, is_swapped: view.is_swapped, is_round, size: view.size }
    }

    /// A normal in the frame of the near part as one from the first body to the second.
    #[inline]
    pub(super) fn outward(&self, normal: Vec3) -> Vec3 {
        self.turn * normal * if self.is_swapped { -1.0 } else { 1.0 }
    }

    #[inline]
    pub(super) fn arms(&self, contact: &LocalContact) -> [Vec3; 2] {
        let (from_part, [from_a, from_b]) = (self.turn * contact.point, self.from_centers);
        [from_a + from_part, from_b + from_part]
    }

    /// Features of the near part and of the far one as those of the first and the second.
    #[inline]
    pub(super) fn in_order(&self, [near, far]: [Feature; 2]) -> [Feature; 2] {
        if self.is_swapped { [far, near] } else { [near, far] }
    }

    pub(super) fn in_world(&self, pair: &ConvexPair, local: &LocalManifold) -> Manifold {
        let mut contacts = [Contact::default(); MAX_POINTS];
        for (contact, local) in contacts.iter_mut().zip(local.contacts()) {
            [contact.arm_a, contact.arm_b] = self.arms(local);
            contact.depth = local.depth;
            contact.features = self.in_order(local.features);
        }
        Manifold {
            pair: *pair,
            normal: self.outward(local.normal),
            size: self.size,
            material: Material::default(),
            friction: Vec3::ZERO,
            twist: 0.0,
            rolling: Vec3::ZERO,
            contacts,
            count: local.contacts().len() as u8,
            is_inner: false,
            is_held: false,
            rebounds: false,
            is_round: self.is_round,
        }
    }
}
