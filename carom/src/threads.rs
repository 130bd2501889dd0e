//! Workers that go through a list of stages together.
//!
//! A stage is a row of blocks, each done once by whoever takes it; the next stage begins when all of them are done. Every
//! worker has a part of each row that it takes from first, the same in every stage, so that what it has in its cache it
//! meets again; then it helps the others. Nobody waits for a worker that has not come: one that is held up elsewhere
//! finds the stages done. What a block computes does not depend on who does it. [`together`] keeps the workers of a step
//! awake between its lists. Where work is divided once for many short stages, [`run_parts`] lets workers wait less.
//! Cost: an atomic addition a block, in memory that mostly nobody else writes, and one a stage; some 100 ns a stage if
//! nobody has to wait. Nothing is allocated.

mod crew;
mod parts;
mod shared;

pub(crate) use crew::together;
pub(crate) use parts::{Board, Parted, run_parts};
pub(crate) use shared::{Shared, fetch, renew};

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most workers that take part.
pub(crate) const MOST_WORKERS: usize = 32;

/// How many counters are in a line of memory, or in the two that are fetched together.
const LINE: usize = 32;

/// Whether work is shared however little it is.
static IS_SHARED_FINELY: AtomicBool = AtomicBool::new(false);

/// Shares out work in the smallest pieces, however little there is of it, everywhere in the process: so that tests can show
/// with small scenes that results do not depend on threads. It is slow.
#[doc(hidden)]
pub fn share_finely(is_fine: bool) {
    IS_SHARED_FINELY.store(is_fine, Ordering::Relaxed);
}

/// Whether small worlds go the way of large ones.
static IS_FEW_ORDERED: AtomicBool = AtomicBool::new(false);

/// Puts pairs in the order of space whenever one has changed, and colours patches region by region, however few there are,
/// everywhere in the process: so that tests can show with small scenes what holds in large ones.
#[doc(hidden)]
pub fn order_few(is_ordered: bool) {
    IS_FEW_ORDERED.store(is_ordered, Ordering::Relaxed);
}

/// Whether few things are put in order like many.
pub(crate) fn is_few_ordered() -> bool {
    IS_FEW_ORDERED.load(Ordering::Relaxed)
}

/// Whether something is worth calling workers for, which is as usual or always.
pub(crate) fn is_worth(usually: bool) -> bool {
    usually || IS_SHARED_FINELY.load(Ordering::Relaxed)
}

/// How many things are in a block, which is as usual or one.
pub(crate) fn block_size(usual: usize) -> usize {
    if IS_SHARED_FINELY.load(Ordering::Relaxed) { 1 } else { usual }
}

/// The counters of the stages; kept to spare allocations.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// The blocks taken of each worker's part of each stage. Those of one worker's parts are side by side, and none of
    /// another's in the same line of memory: mostly nobody else writes them.
    taken: Vec<AtomicU32>,
    /// Of each stage the blocks done.
    done: Vec<AtomicU32>,
}

/// What a worker is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Task {
    /// Who does it; workers are counted from 0, and each is in one place at a time.
    pub(crate) worker: usize,
    pub(crate) stage: usize,
    pub(crate) block: u32,
}

/// Does all blocks of all stages, `blocks[stage]` of each, one stage after the other, by up to `workers` threads.
pub(crate) fn run(workers: usize, blocks: &[u32], counters: &mut Counters, work: impl Fn(Task) + Sync) {
    let workers = workers.clamp(1, MOST_WORKERS);
    if workers == 1 {
        for (stage, &count) in blocks.iter().enumerate() {
            (0..count).for_each(|block| work(Task { worker: 0, stage, block }));
        }
        return;
    }
    let pitch = blocks.len() + LINE;
    reset(&mut counters.taken, pitch * workers);
    reset(&mut counters.done, blocks.len());
    let round = Round { workers, blocks, pitch, counters, work: &work };
    call_all(workers, &|worker| round.go_through(worker));
}

/// Does one thing that cannot be divided and all blocks of another side by side: one worker begins with the former. With several
/// workers that must not share out anything itself, by [`run`] or by rayon: the others are in the stage, and do not look for it.
pub(crate) fn run_beside(
    workers: usize,
    whole: impl FnOnce() + Send,
    blocks: u32,
    counters: &mut Counters,
    work: impl Fn(usize, u32) + Sync,
) {
    let whole = Mutex::new(Some(whole));
    run(workers, &[blocks + 1], counters, |Task { worker, block, .. }| match block.checked_sub(1) {
        Some(block) => work(worker, block),
        None => do_once(&whole),
    });
}

/// Does two things that cannot be divided, side by side if there are workers for it; see [`run_beside`].
pub(crate) fn run_both(
    workers: usize,
    one: impl FnOnce() + Send,
    other: impl FnOnce() + Send,
    counters: &mut Counters,
) {
    let other = Mutex::new(Some(other));
    run_beside(workers.min(2), one, 1, counters, |_, _| do_once(&other));
}

fn do_once(work: &Mutex<Option<impl FnOnce()>>) {
    let only = work.lock().unwrap_or_else(PoisonError::into_inner).take();
    only.into_iter().for_each(|work| work());
}

/// Sends so many workers out, as far as there are threads; each is given its number.
fn call_all(workers: usize, work: &(dyn Fn(usize) + Sync)) {
    if !crew::call_in(workers, work) {
        call(0..workers, work);
    }
}

/// The same without a crew. Joins need no allocation.
fn call(workers: Range<usize>, work: &(dyn Fn(usize) + Sync)) {
    if workers.len() <= 1 {
        return work(workers.start);
    }
    let middle = workers.start + workers.len() / 2;
    rayon::join(|| call(workers.start..middle, work), || call(middle..workers.end, work));
}

fn reset(counters: &mut Vec<AtomicU32>, count: usize) {
    counters.iter_mut().for_each(|counter| *counter.get_mut() = 0);
    counters.resize_with(count, AtomicU32::default);
}

struct Round<'a, W> {
    workers: usize,
    blocks: &'a [u32],
    /// How far apart the counters of two workers are.
    pitch: usize,
    counters: &'a Counters,
    work: &'a W,
}

impl<W: Fn(Task) + Sync> Round<'_, W> {
    fn go_through(&self, worker: usize) {
        for (stage, &count) in self.blocks.iter().enumerate() {
            let done = &self.counters.done[stage];
            if done.load(Ordering::Acquire) == count {
                continue;
            }
            let mut finished = 0;
            for turn in 0..self.workers {
                let part = (worker + turn) % self.workers;
                let [first, end] = [part, part + 1].map(|part| (count as usize * part / self.workers) as u32);
                let taken = &self.counters.taken[part * self.pitch + stage];
                // Asked before it is written: a line that another worker writes is slow to come.
                while first + taken.load(Ordering::Relaxed) < end {
                    let block = first + taken.fetch_add(1, Ordering::Relaxed);
                    if block >= end {
                        break;
                    }
                    (self.work)(Task { worker, stage, block });
                    finished += 1;
                }
            }
            done.fetch_add(finished, Ordering::Release);
            wait_for(done, count);
        }
    }
}

/// Waits until a stage is done.
fn wait_for(done: &AtomicU32, count: u32) {
    let mut spins = 0;
    while done.load(Ordering::Acquire) != count {
        wait(&mut spins);
    }
}

/// Waits a moment. Others may need the core that this waits on, so it gives it away now and then.
fn wait(spins: &mut u32) {
    *spins = spins.wrapping_add(1);
    if spins.is_multiple_of(4096) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomicU32, Counters, Ordering, Task, run, run_both, together};

    #[test]
    fn every_block_is_done_once_and_stages_keep_their_order() {
        let blocks = [3, 0, 17, 1, 100, 2];
        let mut counters = Counters::default();
        for workers in [1, 2, 3, 8] {
            for _ in 0..50 {
                let seen: Vec<Vec<AtomicU32>> =
                    blocks.iter().map(|&count| (0..count).map(|_| AtomicU32::new(0)).collect()).collect();
                run(workers, &blocks, &mut counters, |Task { stage, block, .. }| {
                    for earlier in &seen[..stage] {
                        assert!(earlier.iter().all(|count| count.load(Ordering::Relaxed) == 1), "{stage} began early");
                    }
                    seen[stage][block as usize].fetch_add(1, Ordering::Relaxed);
                });
                assert!(seen.iter().flatten().all(|count| count.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn two_things_are_done_once_each() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        for workers in [1, 2, 3] {
            let (mut counters, mut one, mut other) = (Counters::default(), 0, 0);
            let go = |_| run_both(workers, || one += 1, || other += 1, &mut counters);
            pool.install(|| together(workers, || (0..300).for_each(go)));
            assert_eq!([one, other], [300; 2]);
        }
    }
}
