//! How deep shapes are in compounds: the way out is walked, and frees from all parts at once; no shorter move than the lower
//! bound does, in any of many directions.

mod distance_shapes;
mod random;

use carom::glam::DVec3;
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Penetration, Status, Stop};
use carom::shape::{Part, Shape};
use distance_shapes::convex;
use fastrand::Rng;
use random::{cube, direction, rotation};

fn moved(pose: &Pose, by: DVec3) -> Pose {
    Pose { position: pose.position + by, ..*pose }
}

fn compound(random: &mut Rng) -> Shape {
    let part = |random: &mut Rng| {
        let pose = LocalPose::new(cube(random).as_vec3(), rotation(random));
        Part { pose, shape: convex(random, 3.0) }
    };
    Shape::compound((0..random.usize(2..5)).map(|_| part(random)).collect()).unwrap()
}

/// Whether the bounds hold: by walking the way out, and by trying to get out on a shorter one.
fn judge(a: &Shape, b: &Shape, pose_b: &Pose, deep: &Penetration, random: &mut Rng) {
    let context = || format!("{a:?}\n{b:?} at {pose_b:?}\n{deep:?}");
    assert!(deep.lower <= deep.depth && deep.depth <= deep.upper, "{}", context());
    assert!(deep.lower > 0.0, "{}", context());
    // The normal is told in f32.
    let out = moved(pose_b, (deep.upper + 1e-6) * deep.normal.as_dvec3());
    let free = query::distance(a, &Pose::IDENTITY, b, &out).unwrap();
    assert!(free.gap().is_some() || free.status() == Status::Touching, "{free:?} {}", context());
    for _ in 0..40 {
        let way = direction(random) * deep.lower * random.f64().sqrt() * (1.0 - 1e-6);
        assert!(query::overlap(a, &Pose::IDENTITY, b, &moved(pose_b, way)).unwrap(), "{way} {}", context());
    }
    assert_eq!(deep.stop == Stop::Converged, deep.upper - deep.lower <= 1.001e-3 * deep.upper, "{}", context());
}

#[test]
fn the_way_out_frees_from_all_parts() {
    let mut random = Rng::with_seed(1);
    let (mut count, mut met, mut worst) = (0, 0, 0.0_f64);
    for case in 0..400 {
        let a = compound(&mut random);
        let b = if case % 3 == 0 { compound(&mut random) } else { convex(&mut random, 3.0) };
        let pose_b = Pose::new(cube(&mut random) * 1.5, rotation(&mut random));
        let deep = query::penetration(&a, &Pose::IDENTITY, &b, &pose_b).unwrap();
        if deep.lower <= 1e-6 {
            continue;
        }
        count += 1;
        judge(&a, &b, &pose_b, &deep, &mut random);
        met += usize::from(deep.stop == Stop::Converged);
        let mirrored = query::penetration(&b, &pose_b, &a, &Pose::IDENTITY).unwrap();
        assert!((mirrored.lower - deep.lower).abs() < 1e-6, "{mirrored:?} {deep:?}");
        // Not far from the best of many directions, along which shorter moves are tried.
        if case % 5 == 0 {
            let mut least = deep.upper;
            for _ in 0..300 {
                let way = direction(&mut random);
                let shorter = (1..20).map(|share| least * f64::from(share) / 20.0);
                for length in shorter {
                    if !query::overlap(&a, &Pose::IDENTITY, &b, &moved(&pose_b, length * way)).unwrap() {
                        least = length;
                        break;
                    }
                }
            }
            worst = worst.max(deep.upper / least);
        }
    }
    println!("{count} overlap, of {met} the bounds meet; at worst {worst:.2} times as long as by 300 directions");
    assert!(count > 150 && met > count / 2 && worst < 1.5, "{count} {met} {worst}");
}

/// A ball between two walls: each of them would push it into the other, and the way out is over their edges.
#[test]
fn a_ball_between_two_walls_gets_out_over_their_edges() {
    let wall = |x: f32| Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::cuboid(0.5, 1.0, 1.5).unwrap() };
    let walls = Shape::compound(vec![wall(-0.9), wall(0.9)]).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    for (x, far) in [(0.0, DVec3::ZERO), (0.03, DVec3::new(1e6, -2e6, 3e6))] {
        let frame = Pose::at(far);
        let deep = query::penetration(&walls, &frame, &ball, &Pose::at(far + DVec3::new(x, 0.0, 0.0))).unwrap();
        // On the way up the last to be left is the nearer edge, at a height of 1.
        let expected = 1.0 + (0.25 - (0.4 - x.abs()).powi(2)).sqrt();
        assert!((deep.upper - expected).abs() < 1e-3 && deep.normal.y.abs() > 0.999, "{deep:?} {expected}");
        assert!((deep.lower - 0.1 - x).abs() < 1e-6 && deep.stop == Stop::IterationLimit, "{deep:?}");
        assert_eq!(deep.status(), Status::Overlapping);
    }
    // Nearer to the edge than to the other wall, it goes out by the wall that it is in.
    let single = query::penetration(&walls, &Pose::IDENTITY, &ball, &Pose::at([2.0, 0.1, 0.0])).unwrap();
    assert!((single.depth - (1.4 + 0.5 - 2.0)).abs() < 1e-6, "{single:?}");
}
