//! Poses of pairs: near, far, touching, deep, faces parallel, edges parallel; far from the origin or not.

use super::pair::Pair;
use super::solids::{Kind, Solid};
use crate::random::{cube, direction, rotation};
use carom::glam::{DMat3, DQuat, DVec3, Quat};
use carom::pose::Pose;
use fastrand::Rng;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    Near,
    Far,
    Touching,
    Deep,
    ParallelFaces,
    ParallelEdges,
}

pub const SETTINGS: [Setting; 6] =
    [Setting::Near, Setting::Far, Setting::Touching, Setting::Deep, Setting::ParallelFaces, Setting::ParallelEdges];

/// Solids to choose from: a fixed number of each kind in each of some sizes.
pub struct Stock {
    solids: Vec<(Kind, Vec<Solid>)>,
    small: Vec<(Kind, Vec<Solid>)>,
}

/// The sizes of the second solid of a pair against the first.
const RATIOS: [f32; 6] = [1.0, 1.0, 0.3, 1e-1, 1e-2, 1e-4];

impl Stock {
    pub fn new(kinds: &[Kind], each: u64) -> Self {
        let solids = |ratios: &[f32]| {
            let of_kind = |kind: Kind| {
                let solid = |seed: u64| Solid::random(kind, seed, ratios[(seed / 4) as usize % ratios.len()]);
                (kind, (0..each).map(solid).collect())
            };
            kinds.iter().map(|kind| of_kind(*kind)).collect::<Vec<_>>()
        };
        Self { solids: solids(&[1.0]), small: solids(&RATIOS) }
    }

    /// Two solids, either of which may be the smaller.
    pub fn pick(&self, random: &mut Rng, kinds: [Kind; 2]) -> [&Solid; 2] {
        let from = |stock: &[(Kind, Vec<Solid>)], kind: Kind| {
            stock.iter().position(|(other, _)| *other == kind).unwrap_or_default()
        };
        let (first, second) = if random.bool() { (&self.solids, &self.small) } else { (&self.small, &self.solids) };
        let (first, second) = (&first[from(first, kinds[0])].1, &second[from(second, kinds[1])].1);
        [&first[random.usize(0..first.len())], &second[random.usize(0..second.len())]]
    }
}

/// A pair in a setting, and a direction along which its gap was chosen. In half of the cases the pair is built so that
/// this gap is the distance.
pub fn place<'a>(random: &mut Rng, setting: Setting, a: &'a Solid, b: &'a Solid) -> (Pair<'a>, DVec3) {
    let size = a.size.min(b.size);
    let (turn_a, turn_b, along) = match setting {
        Setting::Near | Setting::Far | Setting::Touching | Setting::Deep => {
            (rotation(random), rotation(random), direction(random))
        }
        Setting::ParallelFaces => {
            let turn_a = if random.bool() { Quat::IDENTITY } else { rotation(random) };
            let normal = matrix(turn_a) * a.face_normal(random);
            let spin = DQuat::from_axis_angle(normal, random.f64() * f64::from(random.u8(0..3)));
            let onto = DQuat::from_rotation_arc(b.face_normal(random), -normal);
            (turn_a, (spin * onto).as_quat().normalize(), normal)
        }
        Setting::ParallelEdges => {
            let turn_a = if random.bool() { Quat::IDENTITY } else { rotation(random) };
            let [edge, out] = a.edge(random).map(|vector| matrix(turn_a) * vector);
            let [other_edge, other_out] = b.edge(random);
            let mine = DMat3::from_cols(edge, -out, edge.cross(-out));
            let other = DMat3::from_cols(other_edge, other_out, other_edge.cross(other_out));
            (turn_a, DQuat::from_mat3(&(mine * other.transpose())).as_quat().normalize(), out)
        }
    };
    let gap = match setting {
        Setting::Near => (random.f64() - 0.5) * 0.2 * size,
        Setting::Far => (a.size + b.size) * 10.0_f64.powf(2.0 * random.f64()),
        Setting::Touching => [0.0, 1e-12, -1e-12, 1e-7, -1e-7, 1e-5, -1e-5][random.usize(0..7)] * size,
        Setting::Deep => -random.f64() * size,
        Setting::ParallelFaces | Setting::ParallelEdges => {
            [0.0, 1e-9, -1e-9, 1e-4, -1e-4, 0.1, -0.1, 1.0, -0.5][random.usize(0..9)] * size * random.f64()
        }
    };
    let away = match random.u8(0..4) {
        0 => DVec3::new(1e6, -1e6, 1e6) + cube(random),
        1 => cube(random),
        _ => DVec3::ZERO,
    };
    let pose_a = Pose::new(away, turn_a);
    let unplaced = Pair::new(a, pose_a, b, Pose::new(away, turn_b));
    let place = if setting == Setting::Deep && random.bool() {
        // Two points that are well inside coincide.
        matrix(turn_a) * a.inner_point(random) - matrix(turn_b) * b.inner_point(random)
    } else {
        let [on_a, on_b] = unplaced.supports(along);
        let aside = if random.bool() { cube(random) * size } else { DVec3::ZERO };
        on_a - on_b + along * gap + (aside - along * along.dot(aside))
    };
    (Pair::new(a, pose_a, b, Pose::new(away + place, turn_b)), along)
}

fn matrix(rotation: Quat) -> DMat3 {
    DMat3::from_quat(rotation.as_dquat().normalize())
}
