//! What must not matter does not: which shape comes first, any motion of both together, and a mirror, for distance,
//! overlap, depth, contacts and casts of all pairs of shapes of every kind, and for rays and projections onto each.
//!
//! Sizes differ by up to 1 : 10,000, and motions lead up to a million away. `CAROM_CASES=n` runs n times as many cases,
//! `CAROM_ONLY=mesh/` picks pairs.

mod all_shapes;
mod meshes;
mod proof_support;
mod random;

use all_shapes::{Sized, all_shapes, mirrored_pose};
use carom::glam::{DMat3, DVec3, Quat, Vec3};
use carom::narrow::{ContactBuffer, ContactError, contacts};
use carom::pose::Pose;
use carom::query::{self, Cast, Distance, Penetration, QueryError, Ray, Sweep};
use carom::shape::Shape;
use fastrand::Rng;
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted};
use random::{cube, rotation, rotation_often_aligned};

/// Two shapes at poses, one of which is to move.
struct Scene<'a> {
    a: &'a Shape,
    b: &'a Shape,
    pose_a: Pose,
    pose_b: Pose,
    motion: DVec3,
    margin: f32,
}

/// How lengths are judged: the size of the smaller shape, and what the numbers of the computation are as large as.
#[derive(Clone, Copy)]
struct Lengths {
    size: f64,
    scale: f64,
    /// By how much the shapes are moved against each other by rounding.
    rounding: f64,
}

/// All answers about a scene.
struct Answers {
    distance: Result<Distance, QueryError>,
    overlap: Result<bool, QueryError>,
    penetration: Result<Penetration, QueryError>,
    cast: Result<Cast, QueryError>,
    /// The greatest depth and how many patches there are.
    contacts: Result<Option<f64>, ContactError>,
}

impl Scene<'_> {
    fn answers(&self, buffer: &mut ContactBuffer) -> Answers {
        let Self { a, b, pose_a, pose_b, motion, margin } = self;
        let found = contacts(a, b, &Pose::b_in_a(pose_a, pose_b), *margin, buffer);
        let points = || buffer.manifolds().iter().flat_map(|patch| patch.manifold.contacts());
        let deepest = || points().map(|contact| f64::from(contact.depth)).reduce(f64::max);
        Answers {
            distance: query::distance(a, pose_a, b, pose_b),
            overlap: query::overlap(a, pose_a, b, pose_b),
            penetration: query::penetration(a, pose_a, b, pose_b),
            cast: query::cast(a, pose_a, b, pose_b, &Sweep::by(*motion)),
            contacts: found.map(|()| deepest()),
        }
    }

    fn swapped(&self) -> Self {
        let Self { a, b, pose_a, pose_b, motion, margin } = *self;
        Self { a: b, b: a, pose_a: pose_b, pose_b: pose_a, motion: -motion, margin }
    }

    fn moved(&self, turn: Quat, by: DMat3, shift: DVec3) -> Self {
        // A half turn only changes places and signs of numbers, and is not rounded again.
        let is_half_turn = turn.w == 0.0;
        let turned = |pose: &Pose| if is_half_turn { turn * pose.rotation } else { (turn * pose.rotation).normalize() };
        let moved = |pose: &Pose| Pose::new(by * pose.position + shift, turned(pose));
        let (pose_a, pose_b) = (moved(&self.pose_a), moved(&self.pose_b));
        Self { pose_a, pose_b, motion: by * self.motion, ..*self }
    }

    /// How deep the two are in each other later on the way; apart counts as a negative depth.
    fn deepest_later(&self, time: f64) -> f64 {
        let depth = |index: u32| {
            let time = time + (1.0 - time) * f64::from(index) / 32.0;
            let pose = Pose::new(self.pose_a.position + self.motion * time, self.pose_a.rotation);
            query::penetration(self.a, &pose, self.b, &self.pose_b).map_or(0.0, |found| found.depth)
        };
        (0..=32).map(depth).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Compares answers to the same question, asked in two ways. `map` leads from the normals of the first to those of the
/// second.
struct Comparison<'a> {
    tally: &'a mut Tally,
    name: &'a str,
    one: (&'a Scene<'a>, &'a Answers),
    other: (&'a Scene<'a>, &'a Answers),
    lengths: Lengths,
    map: DMat3,
    is_mirrored: bool,
}

impl Comparison<'_> {
    fn note(&mut self, column: &'static str, off: f64, allowed: f64, what: &dyn Fn() -> String) {
        let context = || {
            let pose = |pose: &Pose| format!("{:?} {:?}", pose.position.to_array(), pose.rotation.to_array());
            let scene = |scene: &Scene<'_>| {
                let [a, b] = [scene.a, scene.b].map(|shape| format!("{shape:?}"));
                format!("{a:.300} at {}\n      {b:.300} at {}", pose(&scene.pose_a), pose(&scene.pose_b))
            };
            format!("off by {off:e}: {}\n      {}\n      {}", what(), scene(self.one.0), pose(&self.other.0.pose_b))
        };
        self.tally.error(self.name, column, off / self.lengths.size, context);
        if off > allowed || off.is_nan() {
            self.tally.fail(&format!("{} {column}", self.name), context);
        }
    }

    fn all(&mut self) {
        let (one, other) = (self.one.1, self.other.1);
        self.distances(one, other);
        self.casts(one, other);
        let Lengths { size, scale, rounding } = self.lengths;
        // Poses between two shapes are f32, and so are depths.
        let allowed = 1e-4 * size + 1e-6 * scale + 2.0 * rounding;
        let what = || format!("{:?} {:?}", one.contacts, other.contacts);
        match (&one.contacts, &other.contacts) {
            (Ok(first), Ok(second)) if !self.compares_contacts() => {
                self.tally
                    .count(self.name, if first.is_some() == second.is_some() { "contacts" } else { "one touches" });
            }
            (Ok(first), Ok(second)) => {
                let least = -f64::from(self.one.0.margin);
                let depth = |found: &Option<f64>| found.unwrap_or(least);
                self.note("contacts", (depth(first) - depth(second)).abs(), allowed, &what);
            }
            (Err(first), Err(second)) if same_kind(first, second) => {
                self.tally.count(self.name, "no contacts: both say so");
            }
            (Ok(_) | Err(_), Ok(_) | Err(_)) => self.note("contacts refused", f64::NAN, 0.0, &what),
        }
    }

    fn distances(&mut self, one: &Answers, other: &Answers) {
        let Lengths { size, scale, rounding } = self.lengths;
        let allowed = 1e-12 * scale + rounding;
        let what = || format!("{:?}\n      {:?}", one.distance, other.distance);
        let (Ok(first), Ok(second)) = (&one.distance, &other.distance) else {
            return self.note("distance refused", f64::NAN, 0.0, &what);
        };
        let open = first.upper() - first.lower() + second.upper() - second.lower();
        self.note("distance", ((first.value() - second.value()).abs() - open).max(0.0), allowed, &what);
        if let (Some(gap), Some(other)) = (first.gap(), second.gap()) {
            // The line between shapes that are well apart is the only one.
            let turned = (self.map * gap.normal.as_dvec3() - other.normal.as_dvec3()).length();
            let doubt = (open + allowed) / gap.distance;
            if gap.distance > 1e-3 * size && self.is_convex() {
                self.note("normal", turned * size, (1e-3 + 2.0 * doubt.sqrt()) * size, &what);
            }
        }
        let what = || format!("{:?} {:?}\n      {:?}", one.overlap, other.overlap, one.distance);
        match (&one.overlap, &other.overlap) {
            (Ok(first), Ok(second)) => {
                let touch = first_or_zero(&one.penetration).abs().max(first_or_zero(&other.penetration).abs());
                let off = if first == second { 0.0 } else { touch.max(first_gap(&one.distance)) };
                self.note("yes or no", off, 1e-5 * size + rounding, &what);
            }
            (Err(_), Err(_)) => self.tally.count(self.name, "undecided"),
            (Ok(_) | Err(_), Ok(_) | Err(_)) => self.note("yes or no refused", f64::NAN, 0.0, &what),
        }
        let what = || format!("{:?}\n      {:?}", one.penetration, other.penetration);
        match (&one.penetration, &other.penetration) {
            (Ok(first), Ok(second)) => {
                let open = first.upper - first.lower + second.upper - second.lower;
                let off = ((first.depth - second.depth).abs() - open).max(0.0);
                self.note("depth", off, allowed, &what);
            }
            (Err(first), Err(second)) if same_kind(first, second) => {
                self.tally.count(self.name, "no depth: both say so");
            }
            (Ok(_) | Err(_), Ok(_) | Err(_)) => self.note("depth refused", f64::NAN, 0.0, &what),
        }
    }

    /// Two fields touch triangle by triangle of the one whose turn it is, and the mirror image of a field has its diagonals
    /// the other way round: depths are those of other triangles then.
    fn compares_contacts(&self) -> bool {
        let fields = [self.one.0.a, self.one.0.b].into_iter().filter(|shape| matches!(shape, Shape::HeightField(_)));
        fields.count() < if self.is_mirrored { 1 } else { 2 }
    }

    /// Convex sets have one line between them, others may have several.
    fn is_convex(&self) -> bool {
        [self.one.0.a, self.one.0.b].iter().all(|shape| shape.as_support_map().is_some())
    }

    fn casts(&mut self, one: &Answers, other: &Answers) {
        let Lengths { size, scale, rounding } = self.lengths;
        let what = || format!("{:?}\n      {:?}", one.cast, other.cast);
        let (Ok(first), Ok(second)) = (&one.cast, &other.cast) else {
            return match (&one.cast, &other.cast) {
                (Err(first), Err(second)) if same_kind(first, second) => {
                    self.tally.count(self.name, "no cast: both say so");
                }
                (Ok(_) | Err(_), Ok(_) | Err(_)) => self.note("cast refused", f64::NAN, 0.0, &what),
            };
        };
        // As near as a cast comes to contact, on both sides: 1e-5 of their size, which is that of the larger.
        let allowed = 1e-5 * (scale + size) + 2.0 * rounding;
        let off = match (first.impact(), second.impact()) {
            (None, None) => 0.0,
            (Some(one), Some(other)) => {
                let closing = |impact: &query::Impact, motion: DVec3| motion.dot(impact.normal.as_dvec3()).abs();
                let slower = closing(one, self.one.0.motion).min(closing(other, self.other.0.motion));
                0.5 * (one.time - other.time).abs() * slower
            }
            // One says that they miss: so they must, but for a touch.
            (Some(impact), None) => self.one.0.deepest_later(impact.time).max(0.0),
            (None, Some(impact)) => self.other.0.deepest_later(impact.time).max(0.0),
        };
        self.note("cast", off, allowed, &what);
    }
}

fn first_or_zero(found: &Result<Penetration, QueryError>) -> f64 {
    found.as_ref().map_or(0.0, |found| found.depth)
}

fn first_gap(found: &Result<Distance, QueryError>) -> f64 {
    found.as_ref().map_or(0.0, Distance::value)
}

/// Whether two errors are of one sort, whatever they name.
fn same_kind<E>(one: &E, other: &E) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// A place of the second shape in which the two overlap, touch or are apart, each often.
fn offset(random: &mut Rng, a: &Sized, b: &Sized) -> DVec3 {
    let (small, large) = (a.size.min(b.size), a.size.max(b.size));
    let (small, reach) =
        if small.is_infinite() { (0.5, 0.5) } else { (small, if large.is_finite() { large } else { small }) };
    let place = cube(random) * [0.3, 0.8, 1.5][random.usize(0..3)];
    let place = place * (reach + small);
    // Now and then in line with an axis of the first.
    if random.u8(0..4) == 0 { DVec3::Y * place.y } else { place }
}

fn each_pair(seed: u64, usual: usize, mut check: impl FnMut(&str, [&Sized; 2], &Scene<'_>, Lengths, &mut Rng)) {
    let mut random = Rng::with_seed(seed);
    for round in 0..cases(usual) {
        let large = all_shapes(&mut random, 1.0);
        let scale = [1.0, 0.3, 1e-2, 1e-4][round % 4];
        let other = all_shapes(&mut random, scale);
        for a in &large {
            for b in &other {
                let name = format!("{}/{}", a.name, b.name);
                let pose_a = Pose::new(DVec3::ZERO, rotation_often_aligned(&mut random));
                let mut place = offset(&mut random, a, b);
                if scale < 0.1 && random.bool() {
                    // A small one next to the surface of a large one, where a ray from outside meets it.
                    let ray = Ray::new(place.normalize_or(DVec3::X) * 4.0, -place.normalize_or(DVec3::X).as_vec3());
                    if let Ok(Some(hit)) = query::ray_cast(&a.shape, &pose_a, &ray) {
                        place = hit.point + cube(&mut random) * b.size.min(1.0);
                    }
                }
                let pose_b = Pose::new(place, rotation_often_aligned(&mut random));
                let small = a.size.min(b.size).min(1e3);
                let motion = (place + cube(&mut random) * small) * 1.5;
                let margin = [0.0, 0.1][random.usize(0..2)] * small as f32;
                if is_wanted(&name) {
                    let scene = Scene { a: &a.shape, b: &b.shape, pose_a, pose_b, motion, margin };
                    let sizes = [a.size, b.size].map(|size| if size.is_finite() { size } else { 0.0 });
                    let scale = sizes[0] + sizes[1] + place.length();
                    check(&name, [a, b], &scene, Lengths { size: small, scale, rounding: 0.0 }, &mut random);
                }
            }
        }
    }
}

#[test]
fn the_order_of_the_shapes_does_not_matter() {
    let (mut tally, mut buffer) = (Tally::default(), ContactBuffer::new());
    each_pair(71, 16, |name, _, scene, lengths, _| {
        let swapped = scene.swapped();
        let (one, other) = (scene.answers(&mut buffer), swapped.answers(&mut buffer));
        let map = -DMat3::IDENTITY;
        let tally = &mut tally;
        Comparison { tally, name, one: (scene, &one), other: (&swapped, &other), lengths, map, is_mirrored: false }
            .all();
    });
    tally.conclude("swapped pairs");
}

#[test]
fn motions_of_both_do_not_matter() {
    let (mut tally, mut buffer) = (Tally::default(), ContactBuffer::new());
    each_pair(72, 12, |name, _, scene, lengths, random| {
        let one = scene.answers(&mut buffer);
        // Half turns permute the numbers of a quaternion, so this motion is exact but for the last bit of the shift.
        let half_turn = [Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)][random.usize(0..2)];
        let any_turn = rotation(random);
        let shift = cube(random) * [0.0, 1.0, 1e6][random.usize(0..3)];
        for (turn, exact) in [(half_turn, true), (any_turn, false)] {
            let map = DMat3::from_quat(turn.as_dquat().normalize());
            let moved = scene.moved(turn, map, shift);
            let other = moved.answers(&mut buffer);
            // A rotation that is rounded to f32 turns the shapes by about 1e-7.
            let turned = if exact { 0.0 } else { 1e-6 * lengths.scale };
            let lengths = Lengths { rounding: 4.0 * f64::EPSILON * shift.length() + turned, ..lengths };
            let tally = &mut tally;
            Comparison { tally, name, one: (scene, &one), other: (&moved, &other), lengths, map, is_mirrored: false }
                .all();
        }
    });
    tally.conclude("moved pairs");
}

#[test]
fn a_mirror_does_not_matter() {
    let (mut tally, mut buffer) = (Tally::default(), ContactBuffer::new());
    each_pair(73, 12, |name, [a, b], scene, lengths, _| {
        let map = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        let (pose_a, pose_b) = (mirrored_pose(&scene.pose_a), mirrored_pose(&scene.pose_b));
        let motion = map * scene.motion;
        let image = Scene { a: &a.mirrored, b: &b.mirrored, pose_a, pose_b, motion, margin: scene.margin };
        let (one, other) = (scene.answers(&mut buffer), image.answers(&mut buffer));
        // Hulls are built anew from mirrored points: their faces are flat to f32 only.
        let lengths = Lengths { rounding: 2e-7 * lengths.scale.min(2.0 * lengths.size), ..lengths };
        let tally = &mut tally;
        Comparison { tally, name, one: (scene, &one), other: (&image, &other), lengths, map, is_mirrored: true }.all();
    });
    tally.conclude("mirrored pairs");
}

/// Rays at shapes and points beside and in them, moved with them and in a mirror.
#[test]
fn rays_and_projections_are_moved_along() {
    let mut tally = Tally::default();
    let mut random = Rng::with_seed(74);
    for round in 0..cases(240) {
        let scale = [1.0, 1e-2, 1e-4][round % 3];
        for Sized { name, shape, mirrored, size } in &all_shapes(&mut random, scale) {
            let size = if size.is_finite() { *size } else { f64::from(scale) };
            let pose = Pose::new(cube(&mut random) * size, rotation_often_aligned(&mut random));
            let origin = pose.position + cube(&mut random) * (3.0 * size);
            let aim = pose.position + cube(&mut random) * (0.6 * size) - origin;
            let ray = Ray::new(origin, aim.as_vec3().normalize_or(Vec3::X));
            let half_turn = [Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)][round % 2];
            let turn = DMat3::from_quat(half_turn.as_dquat());
            let shift = cube(&mut random) * [0.0, 1.0, 1e6][random.usize(0..3)];
            let moved = Pose::new(turn * pose.position + shift, half_turn * pose.rotation);
            let image = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
            let ways = [
                ("moved", turn, shift, shape, moved),
                ("mirrored", image, DVec3::ZERO, mirrored, mirrored_pose(&pose)),
            ];
            for (way, map, shift, other, other_pose) in ways {
                let allowed = 1e-11 * size
                    + 8.0 * f64::EPSILON * shift.length()
                    + if way == "mirrored" { 2e-7 * size } else { 0.0 };
                let other_ray = Ray::new(map * origin + shift, (map * ray.direction.as_dvec3()).as_vec3());
                let one = query::ray_cast(shape, &pose, &ray);
                let two = query::ray_cast(other, &other_pose, &other_ray);
                let off = match (&one, &two) {
                    (Ok(Some(one)), Ok(Some(two))) => {
                        tally.count(name, "hits");
                        // A ray that grazes a surface meets it the farther off.
                        let steepness = f64::from(one.normal.dot(ray.direction).abs());
                        (one.distance - two.distance).abs() * steepness
                    }
                    (Ok(None), Ok(None)) => 0.0,
                    (Err(one), Err(two)) if same_kind(one, two) => {
                        tally.count(name, "no ray: both say so");
                        0.0
                    }
                    (Ok(_) | Err(_), Ok(_) | Err(_)) => f64::NAN,
                };
                let context = || format!("{way}: {one:?} {two:?}\n      {shape:?} {pose:?} {ray:?}");
                tally.error(name, "ray", off / size, context);
                if off > allowed || off.is_nan() {
                    tally.fail(&format!("{name} ray {way}"), context);
                }
                let point = origin + aim * random.f64();
                let one = query::project_point(shape, &pose, point);
                let two = query::project_point(other, &other_pose, map * point + shift);
                let off = match (&one, &two) {
                    (Ok(one), Ok(two)) if one.is_inside == two.is_inside => (one.distance - two.distance).abs(),
                    (Ok(one), Ok(two)) => one.distance.max(two.distance),
                    (Err(one), Err(two)) if same_kind(one, two) => {
                        tally.count(name, "no projection: both say so");
                        0.0
                    }
                    (Ok(_) | Err(_), Ok(_) | Err(_)) => f64::NAN,
                };
                let context = || format!("{way}: {one:?} {two:?}\n      {shape:?} {pose:?} {point:?}");
                tally.error(name, "projection", off / size, context);
                if off > allowed || off.is_nan() {
                    tally.fail(&format!("{name} projection {way}"), context);
                }
            }
        }
    }
    tally.conclude("rays and projections");
}
