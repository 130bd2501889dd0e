//! Which patches are found to bear a heavy body by way of light ones.

use super::colour::{Placed, Space};
use super::pack::UNEVEN;
use super::{Mass, Origin, Pack, Patch, Soft, WIDTH};

const HEAVY: f32 = 1000.0;
const LIGHT: f32 = 1.0;
/// All that stands still.
const GROUND: u32 = 0;
/// Row 1 is a kinematic body.
const FIRST_MOVABLE: u32 = 2;
const KINEMATIC: u32 = 1;

/// The solver as it is once its packs are filled: bodies by their masses from [`FIRST_MOVABLE`] on, and the patches among
/// them in the order in which the pairs come.
fn filled(masses: &[f32], touching: &[[u32; 2]]) -> Soft {
    let mut soft = Soft { body_of: (0..FIRST_MOVABLE + masses.len() as u32).collect(), ..Soft::default() };
    let patches = (0u32..).zip(touching).map(|(meeting, rows)| {
        let origin = Origin::Contact { meeting, manifold: 0 };
        (Patch { origin, rows: *rows }, meeting % 2 == 0)
    });
    let slabs: Vec<u8> =
        (0..soft.body_of.len()).map(|row| (row as u32).saturating_sub(FIRST_MOVABLE).min(31) as u8).collect();
    let space = Space { slabs: &slabs, first_movable: FIRST_MOVABLE };
    soft.colouring.begin(space, &patches.collect::<Vec<_>>(), 1);
    soft.colouring.finish(space);
    let count = soft.colouring.pack_count() as u32;
    soft.colouring.place(&(0..count).collect::<Vec<_>>(), 1);
    soft.packs.resize(count as usize, Pack::EMPTY);
    soft.masses = vec![Mass::INFINITE; FIRST_MOVABLE as usize];
    let mass_of = |mass: &f32| {
        let inverse = 1.0 / mass;
        Mass { inverse_mass: [inverse, 0.5 * inverse, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..Mass::INFINITE }
    };
    soft.masses.extend(masses.iter().map(mass_of));
    let range = masses.iter().fold([f32::MIN, f32::MAX], |[most, least], mass| [most.max(*mass), least.min(*mass)]);
    soft.extremes = range.map(f32::recip);
    for Placed { patch, lane } in soft.colouring.placed() {
        let (pack, lane) = (&mut soft.packs[*lane as usize / WIDTH], *lane as usize % WIDTH);
        let [a, b] = patch.rows.map(|row| soft.masses[row as usize].greatest_inverse());
        (pack.bodies[0][lane], pack.bodies[1][lane]) = (patch.rows[0], patch.rows[1]);
        pack.loose[lane] = 1.0;
        pack.is_uneven |= a.min(b) > 0.0 && a.max(b) > UNEVEN * a.min(b);
    }
    soft.is_uneven = soft.packs.iter().any(|pack| pack.is_uneven);
    soft
}

/// The pairs of rows whose patches are found to bear a heavy body, in any order of the patches; all orders must agree.
fn burdened(masses: &[f32], touching: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut orders = vec![touching.to_vec(), touching.iter().rev().copied().collect()];
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..20 {
        let mut shuffled = touching.to_vec();
        rng.shuffle(&mut shuffled);
        orders.push(shuffled.iter().map(|&[a, b]| if rng.bool() { [b, a] } else { [a, b] }).collect());
    }
    let found = orders.iter().map(|order| {
        let mut soft = filled(masses, order);
        let has_some = soft.find_burdened(FIRST_MOVABLE);
        let is_tight = |lane: u32| soft.packs[lane as usize / WIDTH].loose[lane as usize % WIDTH] == 0.0;
        let tight: Vec<&Placed> = soft.colouring.placed().filter(|placed| is_tight(placed.lane)).collect();
        assert!(tight.iter().all(|placed| soft.packs[placed.lane as usize / WIDTH].is_burdened));
        let mut rows: Vec<[u32; 2]> = tight.iter().map(|placed| sorted(placed.patch.rows)).collect();
        rows.sort_unstable();
        assert_eq!(has_some, !rows.is_empty());
        assert_eq!(has_some, soft.packs.iter().any(|pack| pack.is_burdened));
        rows
    });
    let found: Vec<_> = found.collect();
    assert!(found.iter().all(|rows| *rows == found[0]), "it depends on the order of the patches");
    found[0].clone()
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn all_of(touching: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut rows: Vec<[u32; 2]> = touching.iter().map(|rows| sorted(*rows)).collect();
    rows.sort_unstable();
    rows
}

/// The rows of a column on the ground, from below, and its patches.
fn column(rows: impl Iterator<Item = u32>) -> Vec<[u32; 2]> {
    let mut below = GROUND;
    rows.map(|row| [std::mem::replace(&mut below, row), row]).collect()
}

#[test]
fn a_burden_is_followed_down_a_column_to_the_ground() {
    // Up to as many layers as are promised, whatever the order.
    for count in [1, 2, 3, 5, 10, 16] {
        let mut masses = vec![LIGHT; count];
        masses.push(HEAVY);
        let touching = column(FIRST_MOVABLE..FIRST_MOVABLE + masses.len() as u32);
        assert_eq!(burdened(&masses, &touching), all_of(&touching), "on {count} light ones");
    }
}

#[test]
fn a_burden_is_followed_down_both_columns_that_bear_it() {
    for count in [1, 2, 3, 5] {
        let heavy = FIRST_MOVABLE + 2 * count;
        let mut masses = vec![LIGHT; 2 * count as usize];
        masses.push(HEAVY);
        let mut touching = column(FIRST_MOVABLE..FIRST_MOVABLE + count);
        touching.extend(column(FIRST_MOVABLE + count..heavy));
        touching.extend([[FIRST_MOVABLE + count - 1, heavy], [heavy - 1, heavy]]);
        assert_eq!(burdened(&masses, &touching), all_of(&touching), "on two columns of {count}");
    }
}

/// What a light body leans on bears as the ground does, be it moved by the user.
#[test]
fn a_kinematic_body_bears_as_the_ground_does() {
    let [light, heavy] = [FIRST_MOVABLE, FIRST_MOVABLE + 1];
    let touching = [[KINEMATIC, light], [light, heavy]];
    assert_eq!(burdened(&[LIGHT, HEAVY], &touching), all_of(&touching));
    // A heavy body on it alone is no burden.
    assert!(burdened(&[LIGHT, HEAVY], &[[KINEMATIC, heavy]]).is_empty());
}

#[test]
fn light_on_heavy_is_no_burden() {
    // Each light one touches the heavy one and nothing else.
    let masses = [HEAVY, LIGHT, LIGHT, LIGHT];
    let heavy = FIRST_MOVABLE;
    let touching = [[GROUND, heavy], [heavy, heavy + 1], [heavy, heavy + 2], [heavy, heavy + 3]];
    assert!(burdened(&masses, &touching).is_empty());
}

#[test]
fn bodies_of_about_one_mass_bear_no_burden() {
    let touching = column(FIRST_MOVABLE..FIRST_MOVABLE + 3);
    assert!(burdened(&[1.0, 1.0, 31.0], &touching).is_empty(), "31 times as heavy is not far heavier");
    assert_eq!(burdened(&[1.0, 1.0, 33.0], &touching), all_of(&touching));
}

/// Each is four times as heavy as the one below it: what bears 64 times itself is found, what bears 16 times itself is not.
#[test]
fn a_burden_is_followed_by_way_of_ever_heavier_ones() {
    let masses = [1.0, 4.0, 16.0, 64.0];
    let touching = column(FIRST_MOVABLE..FIRST_MOVABLE + 4);
    assert_eq!(burdened(&masses, &touching), touching[..2]);
    let masses = [1.0, 4.0, 16.0, 64.0, 256.0];
    let touching = column(FIRST_MOVABLE..FIRST_MOVABLE + 5);
    assert_eq!(burdened(&masses, &touching), touching[..3]);
    // The right way up it is no burden to anybody but by its sides.
    let masses: Vec<f32> = masses.into_iter().rev().collect();
    let top = sorted(touching[4]);
    assert!(!burdened(&masses, &touching).contains(&touching[0]) && top[1] == FIRST_MOVABLE + 4);
}

/// A pebble under one of a thousand heavy boxes that lie side by side: nothing but the pebble's own patches.
#[test]
fn a_pebble_under_a_heavy_body_is_not_felt_by_the_world() {
    let boxes = 1000;
    let mut masses = vec![HEAVY; boxes as usize];
    masses.push(LIGHT);
    let pebble = FIRST_MOVABLE + boxes;
    let mut touching: Vec<[u32; 2]> = (FIRST_MOVABLE..pebble)
        .flat_map(|row| [[GROUND, row], [row, row + 1]])
        .filter(|rows| rows[1] < pebble)
        .collect();
    let borne = FIRST_MOVABLE + boxes / 2;
    let of_pebble = [[GROUND, pebble], [borne, pebble]];
    touching.extend(of_pebble);
    assert_eq!(burdened(&masses, &touching), of_pebble);
    // And it is no way from one heavy body to the light ones on another.
    masses.push(LIGHT);
    touching.push([borne + 1, pebble + 1]);
    assert_eq!(burdened(&masses, &touching), of_pebble);
}

/// Without a body far heavier than another that it touches nothing is looked through at all.
#[test]
fn nothing_is_noted_where_nothing_is_uneven() {
    let mut soft = filled(&[1.0, 1.4, 2.0], &column(FIRST_MOVABLE..FIRST_MOVABLE + 3));
    assert!(!soft.is_uneven && !soft.find_burdened(FIRST_MOVABLE));
    assert!(soft.burdens.is_empty() && soft.packs.iter().all(|pack| !pack.is_burdened));
}
