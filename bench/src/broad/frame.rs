//! Boxes that move coherently: tell the structure of the movers, learn which pairs began and ended.
//!
//! The time of a frame is the mean over many, each taken as the shortest that this frame had in any run.

use super::full::sorted;
use super::scenes::Motion;
use super::{AREA, parry};
use crate::measure::{Row, Times};
use crate::{Effort, Rows};
use carom::bounds::Aabb;
use carom::broad::{BroadPhase as _, BroadPhaseError, DynamicTree, Moved};
use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A structure that follows moving boxes.
pub trait Follower {
    fn peer(&self) -> &'static str;

    /// Takes in the movers and finds what began and ended; returns how many events there were.
    fn frame(&mut self, moves: &[Moved]) -> usize;

    /// All pairs at hand, the smaller id first.
    fn pairs(&self) -> Vec<(u32, u32)>;
}

/// How long a run is and how often it is repeated.
struct Plan {
    warm_up: usize,
    frames: usize,
    least_turns: usize,
    budget: Duration,
}

/// Movers leave the boxes that we enlarge for 16 frames and a little all at once. Whole periods hold as many of these
/// frames in every row.
const PERIOD: usize = 17;

type MakeFollower = fn(&[Aabb]) -> Box<dyn Follower>;

pub fn rows(effort: Effort, only: &str) -> Rows {
    let plan = match effort {
        Effort::Quick => Plan { warm_up: 8, frames: 16, least_turns: 1, budget: Duration::from_millis(700) },
        Effort::Full => Plan { warm_up: 16, frames: 4 * PERIOD, least_turns: 2, budget: Duration::from_secs(4) },
    };
    let cases = [
        ("frame/u10k-100", 10_000, 100),
        ("frame/u10k-10", 10_000, 10),
        ("frame/u100k-100", 100_000, 100),
        ("frame/u100k-10", 100_000, 10),
        ("frame/u1M-10", 1_000_000, 10),
    ];
    let mut rows = Vec::new();
    for (case, count, percent) in cases {
        if case.starts_with(only) && (effort == Effort::Full || count < 1_000_000) {
            // A million boxes take some peers most of a second.
            let plan = if count < 1_000_000 { &plan } else { &Plan { frames: 2 * PERIOD, least_turns: 1, ..plan } };
            compare_all(plan, case, &Motion::new(count, percent), &mut rows)?;
        }
    }
    Ok(rows)
}

fn compare_all(plan: &Plan, case: &str, motion: &Motion, rows: &mut Vec<Row>) -> Result<(), String> {
    let last = after(motion, plan.warm_up + plan.frames);
    let expected = sorted(parry::all_pairs(&last.boxes).into_iter());
    check_our_events(plan, case, motion, &expected)?;

    let makers: &[MakeFollower] = &[
        |boxes| Box::new(parry::AsRapier::new(boxes)),
        #[cfg(feature = "box3d")]
        |boxes| Box::new(super::box3d::AsBox3d::new(boxes)),
    ];
    for make in makers {
        let mut shortest = [vec![Duration::MAX; plan.frames], vec![Duration::MAX; plan.frames]];
        let (mut peer_name, mut note) = ("", String::new());
        let start = Instant::now();
        let mut turn = 0;
        while turn < plan.least_turns || start.elapsed() < plan.budget {
            run(plan, motion, &mut Ours::new(case, &motion.boxes)?, &mut shortest[0]);
            let mut peer = make(&motion.boxes);
            run(plan, motion, peer.as_mut(), &mut shortest[1]);
            if turn == 0 {
                peer_name = peer.peer();
                let found: HashSet<(u32, u32)> = peer.pairs().into_iter().collect();
                if let Some(missing) = expected.iter().find(|pair| !found.contains(pair)) {
                    return Err(format!("{case}: {peer_name} lost the pair {missing:?}"));
                }
                note = format!(
                    "{} pairs at the end; the peer's {}, of enlarged boxes, hold them all",
                    expected.len(),
                    found.len()
                );
            }
            turn += 1;
        }
        let [ours_ns, peer_ns] =
            shortest.map(|frames| frames.iter().sum::<Duration>().as_nanos() as f64 / frames.len() as f64);
        rows.push(Row::new(AREA, case.to_owned(), peer_name, Times { ours_ns, peer_ns: Some(peer_ns) }, note));
    }
    Ok(())
}

/// Times each frame after the warm-up and keeps the shortest time that this frame has had.
fn run(plan: &Plan, motion: &Motion, follower: &mut dyn Follower, shortest: &mut [Duration]) {
    let mut motion = motion.clone();
    for frame in 0..plan.warm_up + plan.frames {
        let moves = motion.advance();
        let start = Instant::now();
        black_box(follower.frame(moves));
        let time = start.elapsed();
        if let Some(shortest) = frame.checked_sub(plan.warm_up).and_then(|frame| shortest.get_mut(frame)) {
            *shortest = time.min(*shortest);
        }
    }
}

fn after(motion: &Motion, frames: usize) -> Motion {
    let mut motion = motion.clone();
    for _ in 0..frames {
        motion.advance();
    }
    motion
}

/// Our events, applied one after the other, must lead to exactly the pairs that overlap at the end.
fn check_our_events(plan: &Plan, case: &str, motion: &Motion, expected: &[(u32, u32)]) -> Result<(), String> {
    let mut motion = motion.clone();
    let mut tree = Ours::new(case, &motion.boxes)?.tree;
    let mut pairs: HashSet<(u32, u32)> = tree.pairs().iter().map(|pair| (pair.a, pair.b)).collect();
    for frame in 0..plan.warm_up + plan.frames {
        move_boxes(&mut tree, motion.advance()).map_err(|error| format!("{case}: {error}"))?;
        let changes = tree.changes();
        let fits = changes.ended.iter().all(|pair| pairs.remove(&(pair.a, pair.b)))
            && changes.began.iter().all(|pair| pairs.insert((pair.a, pair.b)));
        if !fits {
            return Err(format!("{case}: in frame {frame} a pair began twice or ended before it began"));
        }
    }
    if sorted(pairs.into_iter()) != expected || sorted(tree.pairs().iter().map(|pair| (pair.a, pair.b))) != expected {
        return Err(format!("{case}: our events do not lead to the pairs that overlap"));
    }
    Ok(())
}

/// If all boxes move, in the order that suits the tree; else by their list.
fn move_boxes(tree: &mut DynamicTree, moves: &[Moved]) -> Result<(), BroadPhaseError> {
    if moves.len() < tree.len() {
        return tree.update_many(moves);
    }
    tree.update_all(|id| moves.get(id as usize).map(|moved| (&moved.bounds, &moved.displacement)))
}

struct Ours {
    tree: DynamicTree,
}

impl Ours {
    fn new(case: &str, boxes: &[Aabb]) -> Result<Self, String> {
        let mut tree = DynamicTree::from_boxes(boxes).map_err(|error| format!("{case}: {error}"))?;
        // From here on only what changes is told.
        tree.changes();
        Ok(Self { tree })
    }
}

impl Follower for Ours {
    fn peer(&self) -> &'static str {
        "carom"
    }

    fn frame(&mut self, moves: &[Moved]) -> usize {
        // Checked in `check_our_events`: none of these boxes is refused.
        let _ = black_box(move_boxes(&mut self.tree, moves));
        let changes = self.tree.changes();
        changes.began.len() + changes.ended.len()
    }

    fn pairs(&self) -> Vec<(u32, u32)> {
        Vec::new()
    }
}
