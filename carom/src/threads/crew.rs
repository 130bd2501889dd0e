//! Workers that stay for all of a step.
//!
//! Between the stages of a step there is work for one only. A worker that sleeps meanwhile wakes late: that costs some
//! 10 µs each time, and a step has ten such places. So the helpers stay awake, look for what they are called to, and do
//! what else the pool has to do. A call is open while its leader is in it; a helper that comes in says so before it looks
//! whether the call is still open, and the leader, having closed it, waits for those that are in.
//! Cost: one join a step, some 100 ns a call. Nothing is allocated.
#![allow(unsafe_code)]

use super::wait;
use std::cell::Cell;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// What a helper is called to: it is given its number.
type Work<'a> = &'a (dyn Fn(usize) + Sync);

struct Call {
    workers: usize,
    work: Work<'static>,
}

#[derive(Default)]
struct Crew {
    /// What is to be done, on the leader's stack, or null.
    open: AtomicPtr<Call>,
    /// How many helpers are in it, or about to look whether it is open.
    inside: AtomicU32,
    is_over: AtomicBool,
}

thread_local! {
    /// The crew that this thread leads, or null.
    static LED: Cell<*const Crew> = const { Cell::new(ptr::null()) };
}

/// Does something while up to `workers - 1` other threads of the pool stand by for [`super::run`] and the like.
pub(crate) fn together<R: Send>(workers: usize, work: impl FnOnce() -> R + Send) -> R {
    let crew = Crew::default();
    let lead = || {
        let _led = Led { crew: &crew, before: LED.replace(&raw const crew) };
        work()
    };
    rayon::join(lead, || crew.help(1..workers.clamp(2, super::MOST_WORKERS))).0
}

/// Calls the crew of this thread; false if it has none. Returns when all have done with it.
pub(super) fn call_in(workers: usize, work: Work<'_>) -> bool {
    let crew = LED.get();
    if crew.is_null() {
        return false;
    }
    // SAFETY: the crew outlives `together`, which takes it from the thread before it goes.
    let crew = unsafe { &*crew };
    // SAFETY: a lie about the lifetime, which the guard makes good: nobody is in the call when it is dropped, and nobody
    // comes in any more.
    let work = unsafe { std::mem::transmute::<Work<'_>, Work<'static>>(work) };
    let mut call = Call { workers, work };
    crew.open.store(&raw mut call, Ordering::SeqCst);
    let _open = Open { crew };
    work(0);
    true
}

impl Crew {
    /// Sends helpers out to stand by.
    fn help(&self, helpers: Range<usize>) {
        if helpers.len() <= 1 {
            return self.stand_by(helpers.start);
        }
        let middle = helpers.start + helpers.len() / 2;
        rayon::join(|| self.help(helpers.start..middle), || self.help(middle..helpers.end));
    }

    fn stand_by(&self, helper: usize) {
        // The leader, which looks for work while it waits: it would wait for itself.
        if ptr::eq(LED.get(), self) {
            return;
        }
        let mut spins = 0;
        while !self.is_over.load(Ordering::Acquire) {
            if !self.open.load(Ordering::Relaxed).is_null() {
                self.inside.fetch_add(1, Ordering::SeqCst);
                let call = self.open.load(Ordering::SeqCst);
                // SAFETY: it was open after this helper had said that it is in, so the leader waits.
                if let Some(call) = unsafe { call.as_ref() }
                    && helper < call.workers
                {
                    (call.work)(helper);
                }
                self.inside.fetch_sub(1, Ordering::SeqCst);
            }
            // Where the broad phase splits its work.
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                spins = 0;
            }
            wait(&mut spins);
        }
    }
}

/// An open call. Closed even if a worker panics, since what it refers to goes away.
struct Open<'a> {
    crew: &'a Crew,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.crew.open.store(ptr::null_mut(), Ordering::SeqCst);
        let mut spins = 0;
        while self.crew.inside.load(Ordering::SeqCst) != 0 {
            wait(&mut spins);
        }
    }
}

/// The leader's hold on its crew.
struct Led<'a> {
    crew: &'a Crew,
    before: *const Crew,
}

impl Drop for Led<'_> {
    fn drop(&mut self) {
        LED.set(self.before);
        self.crew.is_over.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Counters, Task, run};
    use super::together;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_crew_does_every_block_of_many_calls_once() {
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            for workers in [2, 3, 5] {
                let mut counters = Counters::default();
                let call = |call: usize| {
                    let blocks = [1 + call as u32 % 7, 20, 0, 3];
                    let done: Vec<Vec<AtomicU32>> =
                        blocks.iter().map(|&count| (0..count).map(|_| AtomicU32::new(0)).collect()).collect();
                    run(1 + call % workers, &blocks, &mut counters, |Task { stage, block, worker }| {
                        assert!(worker < workers);
                        assert!(done[..stage].iter().flatten().all(|count| count.load(Ordering::Relaxed) == 1));
                        done[stage][block as usize].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(done.iter().flatten().all(|count| count.load(Ordering::Relaxed) == 1));
                };
                pool.install(|| together(workers, || (0..300).for_each(call)));
            }
        }
    }

    #[test]
    fn worlds_within_one_pool_do_not_wait_for_each_other() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        let lead = |_: usize| {
            let sum = AtomicU32::new(0);
            let mut counters = Counters::default();
            together(4, || {
                for _ in 0..50 {
                    run(4, &[10, 10], &mut counters, |_| {
                        sum.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(sum.load(Ordering::Relaxed), 1000);
        };
        pool.install(|| {
            rayon::join(|| (0..20).for_each(lead), || (0..20).for_each(lead));
        });
    }
}
