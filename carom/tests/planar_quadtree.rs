//! The quadtree in the plane against every box compared with every other.

use carom::glam::DVec2;
use carom::planar::{PlanarBox, PlanarError, Quadtree};
use fastrand::Rng;

fn point(random: &mut Rng) -> DVec2 {
    DVec2::new(random.f64(), random.f64())
}

fn sized(least: DVec2, size: DVec2) -> PlanarBox {
    PlanarBox::new(least, least + size).expect("a sound box")
}

/// All pairs, found by comparing all.
fn expected_pairs(boxes: &[PlanarBox]) -> Vec<(u32, u32)> {
    let overlap = |a: &PlanarBox, b: &PlanarBox| {
        a.min().x <= b.max().x && b.min().x <= a.max().x && a.min().y <= b.max().y && b.min().y <= a.max().y
    };
    let ids = 0..boxes.len();
    let later = |a: usize| (a + 1..boxes.len()).map(move |b| (a, b));
    let pairs = ids.flat_map(later).filter(|&(a, b)| overlap(&boxes[a], &boxes[b]));
    pairs.map(|(a, b)| (a as u32, b as u32)).collect()
}

/// Pairs and box queries of a tree are those of brute force, each once.
fn check(tree: &Quadtree, boxes: &[PlanarBox], scene: &str) {
    let mut pairs = Vec::new();
    tree.visit_pairs(|a, b| pairs.push((a, b)));
    pairs.sort_unstable();
    let expected = expected_pairs(boxes);
    assert_eq!(pairs.len(), expected.len(), "{scene}");
    assert_eq!(pairs, expected, "{scene}");
    assert_eq!((tree.len(), tree.is_empty()), (boxes.len(), boxes.is_empty()), "{scene}");
    for (asked, bounds) in boxes.iter().enumerate().step_by(7) {
        let mut found = Vec::new();
        tree.visit_overlapping(bounds, |id| found.push(id));
        found.sort_unstable();
        let partner = |&(a, b): &(u32, u32)| match asked as u32 {
            asked if asked == a => Some(b),
            asked if asked == b => Some(a),
            _ => None,
        };
        let mut partners: Vec<u32> = expected.iter().filter_map(partner).chain([asked as u32]).collect();
        partners.sort_unstable();
        assert_eq!(found, partners, "{scene}, box {asked}");
    }
}

type Scene = (&'static str, fn(&mut Rng, usize) -> PlanarBox);

const SCENES: &[Scene] = &[
    ("uniform", |random, _| sized(40.0 * point(random), 0.5 + point(random))),
    ("clustered", |random, index| {
        let middle = DVec2::new((index % 7) as f64 * 1e3, (index % 3) as f64 * -1e5);
        sized(middle + point(random), 0.05 * point(random))
    }),
    ("power law", |random, _| sized(200.0 * point(random), point(random) / (random.f64() + 0.005))),
    ("coincident", |_, index| sized(DVec2::splat((index % 5) as f64 * 9.0), DVec2::ONE)),
    ("points", |random, _| sized((12.0 * point(random)).round(), DVec2::ZERO)),
    ("segments", |random, index| {
        let along = if index % 2 == 0 { DVec2::X } else { DVec2::Y };
        sized((9.0 * point(random)).round(), along * (3.0 * random.f64()).round())
    }),
    // Neighbours share whole sides.
    ("touching tiles", |_, index| sized(DVec2::new((index % 20) as f64, (index / 20) as f64), DVec2::ONE)),
    ("far away", |random, _| sized(1e7 + 40.0 * point(random), 0.5 + point(random))),
    ("far apart", |random, index| sized(point(random) * 10f64.powi(index as i32 % 300), point(random))),
    ("from tiny to huge", |random, index| {
        let scale = 10f64.powi(index as i32 % 600 - 300);
        sized((point(random) - 0.5) * scale, point(random) * scale)
    }),
    ("one around all", |random, index| match index {
        0 => sized(DVec2::splat(-1e9), DVec2::splat(2e9)),
        _ => sized(40.0 * point(random), point(random)),
    }),
    ("on a line", |random, _| sized(DVec2::new(400.0 * random.f64(), 3.0), point(random))),
    ("crossing rods", |random, index| {
        let size = if index % 2 == 0 { DVec2::new(30.0, 0.01) } else { DVec2::new(0.01, 30.0) };
        sized(30.0 * point(random), size)
    }),
    ("the greatest numbers", |random, index| {
        let corner = DVec2::splat(f64::MAX) * (1.0 - 0.1 * random.f64());
        match index % 3 {
            0 => PlanarBox::new(-corner, corner).expect("a sound box"),
            1 => PlanarBox::new(corner * 0.5, corner).expect("a sound box"),
            _ => PlanarBox::new(-corner, -corner * 0.9).expect("a sound box"),
        }
    }),
];

#[test]
fn pairs_and_queries_are_those_of_brute_force() {
    let mut random = Rng::with_seed(1);
    // One tree for all: what it held before must not show.
    let mut tree = Quadtree::default();
    for (name, scene) in SCENES {
        for count in [0, 1, 2, 8, 9, 60, 400, 700] {
            let boxes: Vec<PlanarBox> = (0..count).map(|index| scene(&mut random, index)).collect();
            tree.rebuild(&boxes).expect("not too many");
            check(&tree, &boxes, &format!("{count} boxes, {name}"));
            check(&Quadtree::over(&boxes).expect("not too many"), &boxes, &format!("{count} new boxes, {name}"));
        }
    }
}

#[test]
fn random_sets_of_mixed_scenes_agree() {
    let mut random = Rng::with_seed(2);
    for case in 0..2_000 {
        let count = random.usize(0..80);
        let boxes: Vec<PlanarBox> = (0..count)
            .map(|_| {
                let (_, scene) = SCENES[random.usize(0..SCENES.len())];
                let index = random.usize(0..600);
                scene(&mut random, index)
            })
            .collect();
        check(&Quadtree::over(&boxes).expect("not too many"), &boxes, &format!("case {case}"));
    }
}

#[test]
fn boxes_are_compared_with_few_others() {
    let mut random = Rng::with_seed(3);
    let boxes: Vec<PlanarBox> = (0..20_000).map(|_| sized(200.0 * point(&mut random), point(&mut random))).collect();
    let tree = Quadtree::over(&boxes).expect("not too many");
    let (mut nodes, mut deepest, mut reached) = (0, 0, 0);
    tree.visit_nodes(|bounds, depth| {
        nodes += 1;
        deepest = deepest.max(depth);
        reached += usize::from(bounds.overlaps(&boxes[0]));
    });
    // Leaves of eight at the most and four to a node, evenly spread: about log₄(20,000/8) levels.
    assert!((2_500..30_000).contains(&nodes), "{nodes} nodes");
    assert!(deepest <= 12, "{deepest} levels");
    assert!(reached <= 60, "a walk for one box goes through {reached} of {nodes} nodes");
}

#[test]
fn boxes_that_are_not_sound_are_refused() {
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for corner in [DVec2::new(wrong, 0.0), DVec2::new(0.0, wrong)] {
            let as_least = PlanarBox::new(corner, DVec2::ONE);
            assert!(matches!(as_least, Err(PlanarError::NotFinite { index: 0, .. })), "{as_least:?}");
            let as_greatest = PlanarBox::new(DVec2::ZERO, corner);
            assert!(matches!(as_greatest, Err(PlanarError::NotFinite { index: 1, .. })), "{as_greatest:?}");
        }
    }
    let (min, max) = (DVec2::new(0.0, 1.0), DVec2::new(1.0, 0.0));
    assert_eq!(PlanarBox::new(min, max), Err(PlanarError::InsideOut { min, max }));
    assert!(PlanarBox::new(min, min).is_ok(), "a point is a box");
}
