//! What is on its way to a page. A page that is slow gets fewer frames, never older ones, and the engine does not wait.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A message for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Letter {
    Text(String),
    Frame(Vec<u8>),
}

/// Letters in order, among them one frame at the most: the newest.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    letters: VecDeque<Letter>,
    is_closed: bool,
}

/// A page that has not fetched so many letters is given up.
const MOST_LETTERS: usize = 1000;

impl Mailbox {
    /// Puts a letter in; a frame takes the place of one that was not fetched.
    pub(super) fn put(&self, letter: Letter) {
        let mut state = self.lock();
        if matches!(letter, Letter::Frame(_)) {
            state.letters.retain(|other| !matches!(other, Letter::Frame(_)));
        }
        if !state.is_closed {
            state.letters.push_back(letter);
            state.is_closed = state.letters.len() > MOST_LETTERS;
        }
        drop(state);
        self.changed.notify_one();
    }

    /// The next letter, when there is one; none when the box is closed and empty.
    pub(super) fn take(&self) -> Option<Letter> {
        let mut state = self.lock();
        loop {
            if let Some(letter) = state.letters.pop_front() {
                return Some(letter);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes in nothing more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nobody panics while holding it; if somebody did, the letters are still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_frame_waits_and_texts_keep_their_order() {
        let mailbox = Mailbox::default();
        let text = |text: &str| Letter::Text(text.to_string());
        for letter in [text("a"), Letter::Frame(vec![1]), text("b"), Letter::Frame(vec![2]), text("c")] {
            mailbox.put(letter);
        }
        mailbox.close();
        mailbox.put(text("late"));
        let taken: Vec<Letter> = std::iter::from_fn(|| mailbox.take()).collect();
        assert_eq!(taken, [text("a"), text("b"), Letter::Frame(vec![2]), text("c")]);
    }

    #[test]
    fn a_page_that_fetches_nothing_is_given_up() {
        let mailbox = Mailbox::default();
        (0..10 * MOST_LETTERS).for_each(|_| mailbox.put(Letter::Text(String::new())));
        assert_eq!(std::iter::from_fn(|| mailbox.take()).count(), MOST_LETTERS + 1);
    }
}
