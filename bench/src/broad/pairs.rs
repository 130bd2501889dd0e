//! A set of pairs as a bit matrix against the same set as a table: which is faster for how many ids.

use super::AREA;
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::broad::{Pair, PairSet};
use std::hint::black_box;

/// How a set is used.
#[derive(Clone, Copy)]
enum Manner {
    /// Three pairs an id, in a set that keeps its memory from frame to frame.
    Many,
    /// One pair for four ids, kept as well: emptying the set is most of the work.
    Few,
    /// Three pairs an id, in a new set each frame.
    Fresh,
}

/// The cases whose names begin with `only`: the matrix in our place, the table in the peer's, time by operation.
pub fn rows(effort: Effort, only: &str) -> Rows {
    // A quick look at everything leaves out what is far from the switch.
    let counts: &[u32] = match effort {
        Effort::Quick if only.is_empty() => &[1024, 2048, 3072],
        Effort::Quick | Effort::Full => &[256, 512, 1024, 2048, 3072, 4096, 6144, 8192, 16_384],
    };
    let manners = [("", Manner::Many), ("-few", Manner::Few), ("-fresh", Manner::Fresh)];
    let cases =
        counts.iter().flat_map(|&ids| manners.map(|(ending, manner)| (format!("pairs/{ids}{ending}"), ids, manner)));
    let wanted = cases.filter(|(case, ..)| case.starts_with(only));
    wanted.map(|(case, ids, manner)| row(effort, case, ids, manner)).collect()
}

fn row(effort: Effort, case: String, ids: u32, manner: Manner) -> Result<Row, String> {
    let mut rng = fastrand::Rng::with_seed(u64::from(ids));
    let count = match manner {
        Manner::Many | Manner::Fresh => 3 * ids as usize,
        Manner::Few => ids as usize / 4,
    };
    // As neighbours in space have them: in no order, now and then one that is there already.
    let mut pairs = || -> Vec<Pair> {
        let two = |rng: &mut fastrand::Rng| (rng.u32(..ids), rng.u32(..ids));
        let distinct = std::iter::repeat_with(|| two(&mut rng)).filter(|(a, b)| a != b);
        distinct.map(|(a, b)| Pair::new(a, b)).take(count).collect()
    };
    let (now, others) = (pairs(), pairs());
    let (new_matrix, new_table) = (|| PairSet::with_matrix_below(ids), || PairSet::with_matrix_below(0));
    let (mut matrix, mut table) = (new_matrix(), new_table());
    let (in_matrix, in_table) = (frame(&mut matrix, &now, &others), frame(&mut table, &now, &others));
    if in_matrix != in_table {
        return Err(format!("{case}: {in_matrix:?} in the matrix, {in_table:?} in the table"));
    }
    let operations = 3 * count + count / 2;
    let [of_matrix, of_table] = [&matrix, &table].map(|set| set.memory() >> 10);
    let note = format!("ours as a matrix of {of_matrix} KiB, the peer is ours as a table of {of_table}");
    let run = |set: &mut PairSet, new: &dyn Fn() -> PairSet| {
        if let Manner::Fresh = manner {
            *set = new();
        }
        black_box(frame(set, &now, &others));
    };
    let times = compare(effort, operations, || run(&mut matrix, &new_matrix), Some(|| run(&mut table, &new_table)));
    Ok(Row::new(AREA, case, "table", times, note))
}

/// What a structure asks of a set in a frame: all pairs taken in, each looked up, as many that are not there looked up,
/// half of them taken out; first of all what the last frame left is forgotten. Returns how many were new, found, found of the others, taken out, left.
fn frame(set: &mut PairSet, pairs: &[Pair], others: &[Pair]) -> [usize; 5] {
    set.clear();
    let new = pairs.iter().filter(|&&pair| set.insert(black_box(pair))).count();
    let found = pairs.iter().filter(|&&pair| set.contains(black_box(pair))).count();
    let others = others.iter().filter(|&&pair| set.contains(black_box(pair))).count();
    let taken = pairs[..pairs.len() / 2].iter().filter(|&&pair| set.remove(black_box(pair))).count();
    [new, found, others, taken, set.len()]
}
