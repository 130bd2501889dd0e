//! `--threads`: how many threads take the engine's steps.
//!
//! The engine works in rayon's pool, which is made once, before anything asks for it; so the number is set for the whole
//! program and not for one world. Results do not depend on it.

use crate::Failure;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::thread::available_parallelism;

/// More than this is a slip of the hand: no machine has them, and each takes memory for its stack.
const MOST: u64 = 1024;

/// How many threads, as it is said on the command line.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Threads {
    /// How many threads take the steps, instead of one for each core; results are the same for any number.
    #[arg(long = "threads", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST))]
    said: Option<usize>,
}

/// The same for a command that has a browser beside it.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ThreadsBesideBrowser {
    /// How many threads take the steps, instead of one for each core but one, which is left to the browser that draws;
    /// results are the same for any number.
    #[arg(long = "threads", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST))]
    said: Option<usize>,
}

impl Threads {
    /// Makes the pool.
    pub(crate) fn start(self) -> Result<(), Failure> {
        start(self.said)
    }
}

impl ThreadsBesideBrowser {
    /// Makes the pool.
    pub(crate) fn start(self) -> Result<(), Failure> {
        start(self.said.or_else(|| {
            let cores = available_parallelism().map_or(1, usize::from);
            beside_browser(cores, std::env::var("RAYON_NUM_THREADS").ok().as_deref())
        }))
    }
}

/// One core is left to the browser; without a graphics card it draws on the cores that steps are taken on, and a step waits
/// for its slowest thread. Who has set rayon's own variable to a number is asked for nothing else.
fn beside_browser(cores: usize, set_for_rayon: Option<&str>) -> Option<usize> {
    let is_set = set_for_rayon.is_some_and(|text| text.parse().is_ok_and(|threads: usize| threads > 0));
    (!is_set).then_some(cores.saturating_sub(1).max(1))
}

/// Without a number, rayon takes all cores, or as many as its variable `RAYON_NUM_THREADS` says.
fn start(threads: Option<usize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| Failure::Usage(format!("{threads} threads cannot be started: {error}")))
}

/// So many threads, in words.
pub(crate) fn counted(threads: usize) -> String {
    if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_has_a_core_for_itself_if_there_is_more_than_one() {
        for (cores, threads) in [(0, 1), (1, 1), (2, 1), (3, 2), (16, 15)] {
            assert_eq!(beside_browser(cores, None), Some(threads), "{cores} cores");
        }
    }

    #[test]
    fn the_pools_own_variable_says_it_as_well() {
        assert_eq!(beside_browser(8, Some("8")), None);
        for nothing in ["", "0", "many"] {
            assert_eq!(beside_browser(8, Some(nothing)), Some(7), "{nothing}");
        }
    }
}
