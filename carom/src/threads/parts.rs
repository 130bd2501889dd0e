//! Stages that are divided among workers once for all, so that few of them have to wait.
//!
//! Every part goes through the stages in order. In a stage some of what it touches is on its border: other parts touch it
//! too, in other stages. What is on the border is done first, and only once all other parts have done their borders of the
//! stages before; what is inside waits for nobody. So workers run ahead of each other by as long as their insides take,
//! where a common end of each stage would let all wait for the slowest, and for word of it from core to core.
//! Nobody waits for a worker that has not come: a part that nobody has is gone on with by who has nothing better to do. The
//! part that is behind all others can always go on, so there is no deadlock.
//! Cost: a line of memory that is written twice a stage and read by each other part that has a border there, or waits.
//! Nothing is allocated.

use super::{MOST_WORKERS, call_all, wait};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What is done in stages and parts.
pub(crate) trait Parted: Sync {
    /// Whether a part has something on its border in a stage.
    fn has_border(&self, part: usize, stage: usize) -> bool;

    /// Does what is on the border.
    fn border(&self, part: usize, stage: usize);

    /// Does what is inside.
    fn inside(&self, part: usize, stage: usize);
}

/// How far the parts are; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Board {
    lines: Vec<Line>,
}

/// How far one part is. In two lines of memory of its own, which are fetched together.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line {
    /// Whether somebody is at it.
    is_taken: AtomicBool,
    /// The stages whose borders are done, and those that are done; in their order.
    borders: AtomicU32,
    done: AtomicU32,
}

impl Line {
    fn take(&self) -> bool {
        // Asked before it is written: a line that another worker writes is slow to come.
        !self.is_taken.load(Ordering::Relaxed)
            && self.is_taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn leave(&self) {
        self.is_taken.store(false, Ordering::Release);
    }
}

/// Goes through so many stages with as many parts as there are workers.
pub(crate) fn run_parts(parts: usize, stages: usize, board: &mut Board, work: &impl Parted) {
    let parts = parts.clamp(1, MOST_WORKERS);
    if parts == 1 {
        for stage in 0..stages {
            work.border(0, stage);
            work.inside(0, stage);
        }
        return;
    }
    board.lines.clear();
    board.lines.resize_with(parts, Line::default);
    let round = Round { lines: &board.lines, stages: stages as u32, work };
    call_all(parts, &|worker| round.go_through(worker));
}

/// Who has waited so often for others leaves its part until that can go on: should it be held up just then, one of them does.
const PATIENCE: u32 = 64;

struct Round<'a, W> {
    lines: &'a [Line],
    stages: u32,
    work: &'a W,
}

impl<W: Parted> Round<'_, W> {
    fn go_through(&self, worker: usize) {
        let (mut holds, mut spins) = (false, 0);
        loop {
            // Its own part it keeps as long as that goes on.
            holds = holds || ((spins < PATIENCE || self.is_ready(worker)) && self.lines[worker].take());
            if holds && self.go_on(worker) {
                spins = 0;
                continue;
            }
            if holds && spins >= PATIENCE {
                self.lines[worker].leave();
                holds = false;
            }
            let (mut is_over, mut has_helped) = (true, false);
            for (part, line) in self.lines.iter().enumerate() {
                if line.done.load(Ordering::Acquire) == self.stages {
                    continue;
                }
                is_over = false;
                if part != worker && line.take() {
                    has_helped |= self.go_on(part);
                    line.leave();
                }
            }
            if is_over {
                return;
            }
            if !has_helped {
                wait(&mut spins);
            }
        }
    }

    /// Whether a part has a stage to go on with and need not wait.
    #[inline]
    fn is_ready(&self, part: usize) -> bool {
        let stage = self.lines[part].done.load(Ordering::Relaxed);
        let mut others = self.lines.iter().enumerate().filter(|(other, _)| *other != part);
        stage < self.stages
            && (!self.work.has_border(part, stage as usize)
                || others.all(|(_, other)| other.borders.load(Ordering::Acquire) >= stage))
    }

    /// Does the next stage of a part that this worker has, if it is ready.
    #[inline]
    fn go_on(&self, part: usize) -> bool {
        if !self.is_ready(part) {
            return false;
        }
        let line = &self.lines[part];
        let stage = line.done.load(Ordering::Relaxed);
        let index = stage as usize;
        self.work.border(part, index);
        line.borders.store(stage + 1, Ordering::Release);
        self.work.inside(part, index);
        line.done.store(stage + 1, Ordering::Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Board, Parted, run_parts};
    use crate::threads::{Shared, together};
    use std::sync::Mutex;

    /// Cells in a row, of which each stage adds up neighbours: whoever is early or late is seen in the sums.
    struct Sums<'a> {
        parts: usize,
        cells: Shared<'a, u64>,
        log: &'a Mutex<Vec<(usize, usize)>>,
    }

    impl Sums<'_> {
        /// In stage s the cells s, s + 3, s + 6, … take in both neighbours: those of one stage do not touch each other.
        fn work(&self, part: usize, stage: usize, on_border: bool) {
            let count = self.cells.len();
            for cell in (1..count - 1).filter(|cell| cell % 3 == stage % 3 && cell * self.parts / count == part) {
                let is_on_border = [cell - 1, cell, cell + 1].iter().any(|near| self.is_shared(*near));
                if is_on_border == on_border {
                    // SAFETY: cells of several parts are on borders, which are done in the order of the stages.
                    #[allow(unsafe_code)]
                    unsafe {
                        let sum = self.cells.get(cell - 1).wrapping_add(*self.cells.get(cell + 1));
                        let value = self.cells.get_mut(cell);
                        *value = value.wrapping_mul(31).wrapping_add(sum);
                        *self.cells.get_mut(cell - 1) ^= sum >> 3;
                        *self.cells.get_mut(cell + 1) ^= sum << 5;
                    }
                }
            }
        }

        /// Whether two parts touch a cell.
        fn is_shared(&self, cell: usize) -> bool {
            let part = |cell: usize| cell.clamp(1, self.cells.len() - 2) * self.parts / self.cells.len();
            part(cell.saturating_sub(1)) != part(cell + 1)
        }
    }

    impl Parted for Sums<'_> {
        fn has_border(&self, part: usize, stage: usize) -> bool {
            let mut own = (1..self.cells.len() - 1).filter(|cell| cell * self.parts / self.cells.len() == part);
            own.any(|cell| cell % 3 == stage % 3 && [cell - 1, cell, cell + 1].iter().any(|near| self.is_shared(*near)))
        }

        fn border(&self, part: usize, stage: usize) {
            self.log.lock().expect("no panic").push((part, stage));
            self.work(part, stage, true);
        }

        fn inside(&self, part: usize, stage: usize) {
            self.work(part, stage, false);
        }
    }

    fn sums(parts: usize, threads: usize) -> Vec<u64> {
        let mut cells: Vec<u64> = (0..240u64).map(|cell| cell.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let log = Mutex::new(Vec::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let work = Sums { parts, cells: Shared::new(&mut cells), log: &log };
        let mut board = Board::default();
        pool.install(|| together(parts, || (0..5).for_each(|_| run_parts(parts, 60, &mut board, &work))));
        // The borders of a part in order, and no stage twice.
        let log = log.into_inner().expect("no panic");
        for part in 0..parts {
            let stages: Vec<usize> = log.iter().filter(|(of, _)| *of == part).map(|(_, stage)| *stage).collect();
            let rounds = stages.chunk_by(|before, after| before < after).count();
            assert!(parts == 1 || rounds == 5, "{rounds} rounds");
        }
        cells
    }

    #[test]
    fn parts_do_the_same_as_one_by_any_number_of_threads() {
        let alone = sums(1, 1);
        for parts in [2, 3, 5, 8] {
            for threads in [1, 2, 3, 8] {
                for _ in 0..4 {
                    assert_eq!(sums(parts, threads), alone, "{parts} parts on {threads} threads");
                }
            }
        }
    }
}
