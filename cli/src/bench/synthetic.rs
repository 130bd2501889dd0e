//! Boxes made to measure with: any number of them, in arrangements that structures find easy or hard.

use crate::scene::SceneError;
use carom::bounds::Aabb;
use carom::broad::Moved;
use carom::glam::Vec3;
use fastrand::Rng;

/// The greatest number of boxes.
const MOST: u32 = 1_000_000;

/// How far boxes go in one step at the most, in their own sizes.
const SPEED: f32 = 0.02;

/// The same in a pile, where neighbours leave no room.
const SPEED_IN_PILE: f32 = 0.002;

/// How far boxes get from their start, in steps at full speed.
const REACH: f32 = 50.0;

/// Boxes of one arrangement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    arrangement: Arrangement,
    count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrangement {
    Uniform,
    Pile,
    Power,
    Clustered,
    Line,
}

/// Boxes that move to and fro, each at its own constant speed.
#[derive(Debug)]
pub(super) struct Drift {
    drifters: Vec<Drifter>,
}

#[derive(Debug)]
struct Drifter {
    id: u32,
    /// Per step, at the start.
    velocity: Vec3,
    /// In which step of its way to and fro it starts.
    phase: f32,
}

impl Kind {
    /// What comes before the colon.
    pub(super) const NAMES: [&'static str; 5] = ["uniform", "pile", "power", "clustered", "line"];

    /// What `KIND:N` says; nothing if the name has not this form.
    pub(super) fn named(name: &str) -> Result<Option<Self>, SceneError> {
        let Some((kind, count)) = name.split_once(':') else { return Ok(None) };
        let arrangement = match kind {
            "uniform" => Arrangement::Uniform,
            "pile" => Arrangement::Pile,
            "power" => Arrangement::Power,
            "clustered" => Arrangement::Clustered,
            "line" => Arrangement::Line,
            // A path may hold a colon, too.
            _ if count.contains(['/', '\\', '.']) || std::path::Path::new(name).exists() => return Ok(None),
            _ => {
                let help = format!("the kinds are {}", Self::NAMES.join(", "));
                return Err(SceneError::refused(format!("there is no kind of boxes `{kind}`"), help));
            }
        };
        match count.parse() {
            Ok(count) if (1..=MOST).contains(&count) => Ok(Some(Self { arrangement, count })),
            _ => {
                let message = format!("`{count}` is not a number of boxes");
                Err(SceneError::refused(message, format!("it is from 1 to {MOST}, as in {kind}:10000")))
            }
        }
    }

    /// The boxes at their start, and how that share of them in percent moves.
    pub(super) fn boxes(self, movers: f64, seed: u64) -> (Vec<Aabb>, Drift) {
        let mut random = Rng::with_seed(seed);
        let start = match self.arrangement {
            Arrangement::Uniform => uniform(self.count, &mut random),
            Arrangement::Pile => pile(self.count, &mut random),
            Arrangement::Power => power(self.count, &mut random),
            Arrangement::Clustered => clustered(self.count, &mut random),
            Arrangement::Line => line(self.count, &mut random),
        };
        let (speed, fixed) = match self.arrangement {
            Arrangement::Pile => (SPEED_IN_PILE, 1),
            _ => (SPEED, 0),
        };
        // The floor of a pile stays where it is.
        let mut ids: Vec<u32> = (fixed..self.count).collect();
        random.shuffle(&mut ids);
        ids.truncate((f64::from(self.count) * movers / 100.0).round() as usize);
        ids.sort_unstable();
        let drifter = |id: u32| {
            let size = 2.0 * start[id as usize].half_extents().max_element();
            let velocity = point(&mut random, Vec3::splat(-1.0), Vec3::ONE) * speed * size;
            Drifter { id, velocity, phase: random.f32() * 4.0 * REACH }
        };
        let drifters = ids.into_iter().map(drifter).collect();
        (start, Drift { drifters })
    }
}

impl Drift {
    /// Where the boxes are after a step, and how far they go in the next.
    pub(super) fn moves<'a>(&'a self, start: &'a [Aabb], step: u32) -> impl Iterator<Item = Moved> + 'a {
        self.drifters.iter().map(move |drifter| {
            let begun = to_and_fro(drifter.phase);
            let [now, next] = [step, step.saturating_add(1)].map(|step| {
                // The remainder first: adding a phase to a great number of steps would round it.
                let step = step % (4.0 * REACH) as u32;
                drifter.velocity * (to_and_fro(drifter.phase + step as f32) - begun)
            });
            let Aabb { min, max } = start[drifter.id as usize];
            Moved { id: drifter.id, bounds: Aabb::new(min + now, max + now), displacement: next - now }
        })
    }
}

/// A triangle wave: from 0 up to the reach, down to minus the reach, and back.
fn to_and_fro(step: f32) -> f32 {
    REACH - ((step + REACH) % (4.0 * REACH) - 2.0 * REACH).abs()
}

fn point(random: &mut Rng, min: Vec3, max: Vec3) -> Vec3 {
    min + Vec3::new(random.f32(), random.f32(), random.f32()) * (max - min)
}

fn around(center: Vec3, size: Vec3) -> Aabb {
    Aabb::new(center - 0.5 * size, center + 0.5 * size)
}

fn any_size(random: &mut Rng) -> Vec3 {
    point(random, Vec3::splat(0.5), Vec3::splat(1.5))
}

/// Each box overlaps one other in the mean: it does so where their centres are within the sum of half their sizes, 1
/// in the mean, along each axis, and there is one box in such a cube.
fn uniform(count: u32, random: &mut Rng) -> Vec<Aabb> {
    let side = Vec3::splat(2.0 * (count as f32).cbrt());
    (0..count).map(|_| around(point(random, Vec3::ZERO, side), any_size(random))).collect()
}

/// A block four times as wide as high on a floor, rows slightly out of line, every box in touch with its neighbours.
fn pile(count: u32, random: &mut Rng) -> Vec<Aabb> {
    let width = (4.0 * count as f32).cbrt().ceil() as u32;
    let side = width as f32;
    let floor = Aabb::new(Vec3::new(-side, -1.0, -side), Vec3::new(2.0 * side, 0.0, 2.0 * side));
    let stacked = (0..count - 1).map(|index| {
        let place = [index % width, index / (width * width), index / width % width].map(|place| place as f32 + 0.5);
        around(Vec3::from_array(place) + point(random, Vec3::splat(-0.02), Vec3::splat(0.02)), Vec3::splat(1.05))
    });
    std::iter::once(floor).chain(stacked).collect()
}

/// The number of boxes above a size falls with its cube, so every octave of sizes fills the same volume.
fn power(count: u32, random: &mut Rng) -> Vec<Aabb> {
    let side = 4.0 * (count as f32).cbrt();
    let made = (0..count).map(|_| {
        let size = (1.0 / (1.0 - random.f32()).cbrt()).min(0.25 * side);
        around(point(random, Vec3::ZERO, Vec3::splat(side)), any_size(random) * size)
    });
    made.collect()
}

/// Heaps of about a thousand, as dense in their middle as the uniform boxes and thinner outward, in a cube a thousand
/// times as large as theirs.
fn clustered(count: u32, random: &mut Rng) -> Vec<Aabb> {
    let side = Vec3::splat(20.0 * (count as f32).cbrt());
    let heaps = (count / 1000).max(1);
    let middles: Vec<Vec3> = (0..heaps).map(|_| point(random, Vec3::ZERO, side)).collect();
    // The sum of three even numbers is nearly a normal one, with a deviation of half their range.
    let range = 1.6 * (count as f32 / heaps as f32).cbrt();
    let part = Vec3::splat(0.5 * range);
    let made = (0..count).map(|index| {
        let from_middle: Vec3 = (0..3).map(|_| point(random, -part, part)).sum();
        around(middles[(index % heaps) as usize] + from_middle, any_size(random))
    });
    made.collect()
}

/// A row in which each box overlaps one other in the mean.
fn line(count: u32, random: &mut Rng) -> Vec<Aabb> {
    let end = Vec3::new(2.0 * count as f32, 0.25, 0.25);
    (0..count).map(|_| around(point(random, Vec3::ZERO, end), any_size(random))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::bounds::BoundingVolume;

    fn kind(name: &str) -> Kind {
        Kind::named(name).ok().flatten().expect(name)
    }

    /// How many others a box overlaps in the mean, counted for every pair.
    fn neighbours(boxes: &[Aabb]) -> f64 {
        let pairs = (0..boxes.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        2.0 * pairs.filter(|&(a, b)| boxes[a].overlaps(&boxes[b])).count() as f64 / boxes.len() as f64
    }

    #[test]
    fn each_kind_is_as_dense_as_its_manual_says() {
        for (name, least, most) in [
            ("uniform:2000", 0.7, 1.3),
            ("pile:2000", 15.0, 27.0),
            ("power:2000", 0.5, 10.0),
            ("clustered:2000", 0.3, 1.5),
            ("line:2000", 0.7, 1.3),
        ] {
            let (boxes, _) = kind(name).boxes(100.0, 7);
            assert_eq!(boxes.len(), 2000);
            let found = neighbours(&boxes);
            assert!((least..=most).contains(&found), "{name}: {found}");
        }
    }

    #[test]
    fn the_seed_decides_and_sound_boxes_come_in_any_number() {
        for name in Kind::NAMES {
            for count in [1, 2, 3, 1001] {
                let kind = kind(&format!("{name}:{count}"));
                let (boxes, _) = kind.boxes(100.0, 1);
                assert_eq!(boxes.len(), count);
                assert!(boxes.iter().all(|it| it.min.is_finite() && it.max.is_finite() && it.min.cmple(it.max).all()));
                assert_eq!(boxes, kind.boxes(100.0, 1).0);
                assert!(count == 1 || boxes != kind.boxes(100.0, 2).0 || name == "pile");
            }
        }
    }

    #[test]
    fn movers_are_as_many_as_asked_for_and_stay_near() {
        for (movers, wanted) in [(0.0, 0), (10.0, 100), (33.3, 333), (100.0, 1000)] {
            let (start, drift) = kind("uniform:1000").boxes(movers, 3);
            let mut last = start.clone();
            for step in (1..=300).chain([u32::MAX]) {
                let moves: Vec<Moved> = drift.moves(&start, step).collect();
                assert_eq!(moves.len(), wanted);
                for moved in moves {
                    let id = moved.id as usize;
                    let size = 2.0 * start[id].half_extents().max_element();
                    assert!(
                        (moved.bounds.min - start[id].min).abs().max_element() <= 2.0 * REACH * SPEED * size * 1.01
                    );
                    assert!(moved.displacement.abs().max_element() <= SPEED * size * 1.01);
                    // Coherent: no farther from where it was than one step's way.
                    let way = (moved.bounds.min - last[id].min).abs().max_element();
                    assert!(step == u32::MAX || way <= SPEED * size * 1.01, "step {step}: {way}");
                    last[id] = moved.bounds;
                }
            }
        }
    }

    #[test]
    fn wrong_names_say_what_is_right() {
        for (name, words) in [
            ("unifrm:10", "no kind"),
            ("uniform:0", "`0`"),
            ("line:1000001", "1000001"),
            ("pile:", "``"),
            ("pile:x", "`x`"),
        ] {
            let error = Kind::named(name).expect_err(name).to_string();
            assert!(error.contains(words), "{name}: {error}");
        }
        for other in ["shower", "a.json", "c:/a.json", "-"] {
            assert_eq!(Kind::named(other).ok(), Some(None), "{other}");
        }
    }
}
