//! Where a cell of a cubic grid lies along the Hilbert curve: cells that follow each other share a face, so boxes in
//! this order make compact blocks; the join of two such blocks tests a third fewer boxes than in Morton order.
//!
//! A state is the corner where the curve enters a cube and the direction in which it leaves: 8 × 3. Descending one
//! level maps the octant's three bits to their rank on the curve and to the state inside. A table takes two levels at
//! a time, 24 states × 64 cells. Source: Hamilton, Rau-Chaplin 2008, Compact Hilbert indices,
//! doi 10.1016/j.ipl.2007.08.034.

/// The most bits per axis.
const BITS: u32 = 10;
const CELLS: u32 = 1 << BITS;

const STATES: usize = 24;

/// `next state << 6 | rank` by `state << 6 | cell of two levels`.
static TWO_LEVELS: [u16; STATES * 64] = two_levels();
/// The bits of a coordinate spread to every third place.
static SPREAD: [u32; CELLS as usize] = spread();

/// The rank of a cell along the curve through a cube of `2^bits` cells a side; `bits` is even and at most 10, and
/// coordinates are below `2^bits`. The rank has three times as many bits.
#[inline(always)]
pub(crate) fn rank([x, y, z]: [u32; 3], bits: u32) -> u32 {
    let spread = |coordinate: u32| SPREAD[(coordinate % CELLS) as usize];
    let cell = spread(x) | spread(y) << 1 | spread(z) << 2;
    let mut state = 0usize;
    let mut rank = 0;
    let mut shift = 3 * bits;
    while shift > 0 {
        shift -= 6;
        let entry = TWO_LEVELS[(state << 6 | (cell >> shift & 63) as usize) % (STATES * 64)];
        rank = rank << 6 | u32::from(entry & 63);
        state = (entry >> 6) as usize;
    }
    rank
}

const fn spread() -> [u32; CELLS as usize] {
    let mut table = [0; CELLS as usize];
    let mut value = 0;
    while value < CELLS {
        let mut bit = 0;
        while bit < BITS {
            table[value as usize] |= (value >> bit & 1) << (3 * bit);
            bit += 1;
        }
        value += 1;
    }
    table
}

const fn rotated_right(value: u32, by: u32) -> u32 {
    let by = by % 3;
    (value >> by | value << (3 - by)) & 7
}

const fn rotated_left(value: u32, by: u32) -> u32 {
    rotated_right(value, 3 - by % 3)
}

const fn gray(value: u32) -> u32 {
    value ^ value >> 1
}

/// One level: the octant's rank on the curve and the state inside it.
const fn one_level(state: u32, octant: u32) -> (u32, u32) {
    let (entry, direction) = (state / 3, state % 3);
    let turned = rotated_right(octant ^ entry, direction + 1);
    // The inverse of the Gray code on three bits.
    let rank = turned ^ turned >> 1 ^ turned >> 2;
    let (entry_inside, direction_inside) = if rank == 0 {
        (0, 0)
    } else {
        let trailing = if rank.is_multiple_of(2) { rank - 1 } else { rank };
        (gray(2 * ((rank - 1) / 2)), trailing.trailing_ones() % 3)
    };
    let entry = entry ^ rotated_left(entry_inside, direction + 1);
    let direction = (direction + direction_inside + 1) % 3;
    (rank, entry * 3 + direction)
}

const fn two_levels() -> [u16; STATES * 64] {
    let mut table = [0; STATES * 64];
    let mut state = 0;
    while state < STATES as u32 {
        let mut cell = 0;
        while cell < 64 {
            let (upper, between) = one_level(state, cell >> 3);
            let (lower, inside) = one_level(between, cell & 7);
            table[(state << 6 | cell) as usize] = (inside << 6 | upper << 3 | lower) as u16;
            cell += 1;
        }
        state += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_cells_share_a_face_and_none_is_left_out() {
        // The first 2^18 ranks fill the cube of 64 cells a side at the origin's corner.
        let side = 64;
        let mut cells = vec![None; 1 << 18];
        for x in 0..side {
            for y in 0..side {
                for z in 0..side {
                    let rank = rank([x, y, z], 10) as usize;
                    assert!(rank < 1 << 30);
                    let place = cells.get_mut(rank).expect("the curve fills the corner cube first");
                    assert_eq!(place.replace([x, y, z]), None, "two cells have rank {rank}");
                }
            }
        }
        for pair in cells.windows(2) {
            let [Some(a), Some(b)] = pair else { panic!("a rank is missing") };
            let steps: u32 = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum();
            assert_eq!(steps, 1, "{a:?} {b:?}");
        }
    }
}
