//! What pages can draw over the bodies: a section of a frame for each.

use super::frame::Bytes;
use super::wires::Wires;
use super::{ahead, structure};
use crate::session::Session;
use carom::body::{BodyKind, BodyRef, Motion, ShapeRef};
use carom::bounds::{Aabb, BoundingVolume, Motion as SweptMotion};
use carom::glam::{DVec3, Vec3};
use carom::impact::rigid::Sweep;
use carom::narrow::{Contact, Feature, FeatureKind, Manifold};
use carom::particles::ClosePairs;
use carom::pose::LocalPose;
use carom::world::World;

/// Something to draw over the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlay {
    Boxes,
    Structure,
    Pairs,
    Contacts,
    Islands,
    Colours,
    Velocities,
    Centers,
    Swept,
    Impacts,
    Convergence,
    Close,
    Ahead,
}

/// For a body that is in no island.
const NO_ISLAND: u32 = u32::MAX;

impl Overlay {
    pub(super) const ALL: [Self; 13] = [
        Self::Boxes,
        Self::Structure,
        Self::Pairs,
        Self::Contacts,
        Self::Islands,
        Self::Colours,
        Self::Velocities,
        Self::Centers,
        Self::Swept,
        Self::Impacts,
        Self::Convergence,
        Self::Close,
        Self::Ahead,
    ];

    /// What pages call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boxes => "boxes",
            Self::Structure => "structure",
            Self::Pairs => "pairs",
            Self::Contacts => "contacts",
            Self::Islands => "islands",
            Self::Colours => "colours",
            Self::Velocities => "velocities",
            Self::Centers => "centers",
            Self::Swept => "swept",
            Self::Impacts => "impacts",
            Self::Convergence => "convergence",
            Self::Close => "close",
            Self::Ahead => "ahead",
        }
    }

    fn tag(self) -> [u8; 4] {
        *match self {
            Self::Boxes => b"BOXS",
            Self::Structure => b"STRU",
            Self::Pairs => b"PAIR",
            Self::Contacts => b"CONT",
            Self::Islands => b"ISLE",
            Self::Colours => b"COLR",
            Self::Velocities => b"VELO",
            Self::Centers => b"COMS",
            Self::Swept => b"SWEP",
            Self::Impacts => b"HITS",
            Self::Convergence => b"RESI",
            Self::Close => b"NEAR",
            Self::Ahead => b"WAYS",
        }
    }

    /// Its section: tag, length, and what is in it.
    pub(super) fn section(self, session: &Session, origin: DVec3) -> Vec<u8> {
        let mut bytes = Bytes::default();
        self.fill(&mut bytes, session, origin);
        let mut section = self.tag().to_vec();
        section.extend((bytes.0.len() as u32).to_le_bytes());
        section.append(&mut bytes.0);
        section
    }

    fn fill(self, bytes: &mut Bytes, session: &Session, origin: DVec3) {
        let world = session.world();
        match self {
            Self::Boxes => {
                for (slot, bounds) in world.boxes() {
                    bytes.words([slot]);
                    bytes.floats(relative(&bounds, origin));
                }
            }
            Self::Structure => structure::fill(bytes, world, origin),
            Self::Pairs => {
                for met in world.met() {
                    bytes.words([met.pair.a, met.pair.b, u32::from(met.is_touching)]);
                }
            }
            Self::Contacts => {
                let motions = motions(world);
                for manifold in world.manifolds() {
                    for contact in manifold.contacts() {
                        bytes.place(place_of(&motions, manifold, contact), origin);
                        bytes.floats(manifold.normal.to_array());
                        bytes.floats([contact.depth, contact.impulse]);
                        bytes.words([manifold.pair.a.collider, manifold.pair.b.collider]);
                        bytes.words(contact.features.map(feature_word));
                    }
                }
            }
            Self::Islands => world.islands().iter().for_each(|island| bytes.words([island.unwrap_or(NO_ISLAND)])),
            Self::Colours => world.colours().for_each(|(pair, colour)| bytes.words([pair.a, pair.b, colour])),
            Self::Velocities => {
                for body in world.bodies() {
                    bytes.floats(body.velocity().to_array());
                    bytes.floats(body.angular_velocity().to_array());
                }
            }
            Self::Centers => world.bodies().for_each(|body| bytes.place(body.center_of_mass(), origin)),
            Self::Swept => swept(bytes, session, origin),
            Self::Impacts => {
                for hit in world.events().hits() {
                    bytes.place(hit.point, origin);
                    bytes.floats([hit.impulse]);
                    bytes.words([hit.a.slot, hit.b.slot]);
                }
            }
            Self::Convergence => world.convergence().iter().for_each(|residual| bytes.floats([*residual])),
            Self::Close => close(bytes, world, origin),
            Self::Ahead => ahead::fill(bytes, session, origin),
        }
    }
}

/// With more moving shapes than this, boxes stand for the volumes that they sweep: hulls take their time.
const MOST_SWEPT: usize = 1500;

/// What the shapes that move sweep in the next step, if they go on as they move now (M4).
fn swept(bytes: &mut Bytes, session: &Session, origin: DVec3) {
    let dt = session.scene().dt;
    let moves = |shape: &ShapeRef<'_>| {
        let is_still = shape.body.velocity() == Vec3::ZERO && shape.body.angular_velocity() == Vec3::ZERO;
        shape.body.kind() != BodyKind::Fixed && !shape.body.is_asleep() && !is_still
    };
    let are_many = session.world().shapes().filter(moves).count() > MOST_SWEPT;
    for shape in session.world().shapes().filter(moves) {
        let start = shape.body.pose().compose(&shape.collider.pose_in_body);
        let center = start.point_to_local(shape.body.center_of_mass());
        let sweep = Sweep::of(start, shape.body.velocity().as_dvec3()).about(center.as_dvec3());
        let sweep = sweep.turning(shape.body.angular_velocity().as_dvec3());
        let motion = SweptMotion::between(start, sweep.pose_at(f64::from(dt))).about(center);
        let mut wires = Wires::default();
        match motion.volume(&shape.collider.shape) {
            Ok(volume) if !are_many => {
                let turn = LocalPose::new((start.position - origin).as_vec3(), start.rotation);
                wires.shape(&volume, &turn);
            }
            // Surfaces sweep no shape either.
            Ok(_) | Err(_) => {
                let [x, y, z, right, up, out] = relative(&motion.aabb(&shape.collider.shape), origin);
                wires.aabb(&Aabb::new(Vec3::new(x, y, z), Vec3::new(right, up, out)));
            }
        }
        bytes.words([shape.slot, wires.0.len() as u32]);
        wires.0.iter().flatten().for_each(|end| bytes.floats(end.to_array()));
    }
}

/// Pairs of moving bodies whose centres are within R, two and a half times the reach of the middle one of them (B14).
fn close(bytes: &mut Bytes, world: &World, origin: DVec3) {
    let moves = |body: &BodyRef<'_>| body.kind() != BodyKind::Fixed;
    let shapes = world.shapes().filter(|shape| moves(&shape.body));
    let boxes = shapes.filter_map(|shape| Aabb::around_shape(&shape.collider.shape).ok());
    let mut reaches: Vec<f32> = boxes.map(|bounds| bounds.half_extents().max_element()).collect();
    reaches.sort_by(f32::total_cmp);
    let Some(middle) = reaches.get(reaches.len() / 2) else { return };
    let radius = 2.5 * middle;
    let (bodies, points): (Vec<u32>, Vec<Vec3>) = (0..)
        .zip(world.bodies())
        .filter(|(_, body)| moves(body))
        .map(|(index, body)| (index, (body.center_of_mass() - origin).as_vec3()))
        .unzip();
    let mut pairs = ClosePairs::default();
    let Ok(pairs) = pairs.find(&points, radius) else { return };
    bytes.floats([radius]);
    pairs.iter().for_each(|pair| bytes.words([bodies[pair.a as usize], bodies[pair.b as usize]]));
}

/// How all bodies move.
pub(super) fn motions(world: &World) -> Vec<&Motion> {
    world.bodies().map(|body| body.motion()).collect()
}

/// Where a point of contact is in the world. Bodies have moved since it was found; what has not is asked first.
/// `motions` counts as [`World::bodies`] does.
pub(crate) fn place_of(motions: &[&Motion], manifold: &Manifold, contact: &Contact) -> DVec3 {
    match [manifold.pair.a.body, manifold.pair.b.body].map(|body| motions.get(body as usize)) {
        [Some(a), Some(b)] => {
            let [on_a, on_b] = [(a, contact.arm_a), (b, contact.arm_b)].map(|(body, arm)| body.center + arm.as_dvec3());
            match (a.is_movable(), b.is_movable()) {
                (false, _) => on_a,
                (true, false) => on_b,
                (true, true) => (on_a + on_b) * 0.5,
            }
        }
        [Some(_) | None, Some(_) | None] => DVec3::ZERO,
    }
}

/// Its kind in the upper four bits, its index in the others.
pub(crate) fn feature_word(feature: Feature) -> u32 {
    let kind = match feature.kind() {
        FeatureKind::Surface => 0,
        FeatureKind::Vertex => 1,
        FeatureKind::Edge => 2,
        FeatureKind::Face => 3,
    };
    kind << 28 | (feature.index() & 0x0fff_ffff)
}

/// Corners counted from an origin.
pub(super) fn relative(bounds: &Aabb, origin: DVec3) -> [f32; 6] {
    let [min, max] = [bounds.min, bounds.max].map(|corner| (corner.as_dvec3() - origin).as_vec3());
    [min.x, min.y, min.z, max.x, max.y, max.z]
}
