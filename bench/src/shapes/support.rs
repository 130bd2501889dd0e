//! The farthest vertex of a hull along a direction: carom against parry3d, and its scan against its climb, which says
//! from how many vertices on climbing pays.
//!
//! Cold: any directions, and no vertex to start from. Warm: a direction that turns by one degree a query, and the last
//! answer to start from. Eight hulls take turns, so that neither branches nor caches know one of them by heart, and
//! each query waits for the answer before it, as those of GJK do.

use super::{AREA, PEER, to_peer};
use crate::measure::{Row, compare};
use crate::{Effort, Rows, clouds};
use carom::glam::Vec3;
use carom::shape::ConvexHull;
use carom::shape::hull::SupportMethod;
use parry3d::math::Vector;
use parry3d::shape::{ConvexPolyhedron, SupportMap as _};
use std::hint::black_box;

const HULLS: usize = 8;
const DIRECTIONS: usize = 720;

#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Cold,
    Warm,
}

impl Manner {
    fn name(self) -> &'static str {
        match self {
            Manner::Cold => "cold",
            Manner::Warm => "warm",
        }
    }

    fn directions(self) -> Vec<Vec3> {
        let mut rng = fastrand::Rng::with_seed(9);
        let mut coordinate = || rng.f32() * 2.0 - 1.0;
        let turned = |query: usize| {
            let angle = (query as f32).to_radians();
            Vec3::new(angle.cos(), angle.sin(), 0.5 * (0.3 * angle).sin())
        };
        (0..DIRECTIONS)
            .map(|query| match self {
                Manner::Cold => Vec3::new(coordinate(), coordinate(), coordinate()),
                Manner::Warm => turned(query),
            })
            .collect()
    }
}

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    // A quick look at everything leaves out some.
    let counts: &[usize] = match effort {
        Effort::Quick if only.is_empty() => &[16, 32, 80, 160, 256, 1024],
        Effort::Quick | Effort::Full => &[16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 1024],
    };
    let mut rows = Vec::new();
    for &count in counts {
        for manner in [Manner::Cold, Manner::Warm] {
            let ending = format!("{count}-{}", manner.name());
            let (against_peer, within) = (format!("support/{ending}"), format!("support/scan-vs-climb/{ending}"));
            if against_peer.starts_with(only) {
                rows.push(peer_row(effort, against_peer, count, manner)?);
            }
            if within.starts_with(only) && count <= 256 {
                rows.push(method_row(effort, within, count, manner)?);
            }
        }
    }
    Ok(rows)
}

/// The points of several hulls, all of them vertices.
fn points(count: usize) -> Vec<Vec<Vec3>> {
    clouds::sphere(HULLS * count).chunks(count).map(<[Vec3]>::to_vec).collect()
}

fn hulls(case: &str, count: usize) -> Result<Vec<ConvexHull>, String> {
    points(count).iter().map(|points| ConvexHull::new(points).map_err(|error| format!("{case}: {error}"))).collect()
}

fn run(hulls: &[ConvexHull], directions: &[Vec3], manner: Manner) {
    let (mut last, mut answer, nothing) = ([u32::MAX; HULLS], 0, black_box(0.0));
    for &direction in directions {
        for (hull, last) in hulls.iter().zip(&mut last) {
            let start = if manner == Manner::Cold { u32::MAX } else { *last };
            answer = hull.support_vertex(direction + nothing * answer as f32, start);
            *last = answer;
        }
    }
    black_box(answer);
}

/// The method that the hull has chosen against the peer.
fn peer_row(effort: Effort, case: String, count: usize, manner: Manner) -> Result<Row, String> {
    let ours = hulls(&case, count)?;
    let peers: Option<Vec<ConvexPolyhedron>> =
        points(count).iter().map(|points| ConvexPolyhedron::from_convex_hull(&to_peer(points))).collect();
    let peers = peers.ok_or_else(|| format!("{case}: the peer has no hull"))?;
    let directions = manner.directions();
    let peer_directions = to_peer(&directions);
    for (direction, peer_direction) in directions.iter().zip(&peer_directions) {
        for (ours, peer) in ours.iter().zip(&peers) {
            let vertex = ours.vertices()[ours.support_vertex(*direction, u32::MAX) as usize];
            let (along, peer_along) =
                (direction.dot(vertex), peer_direction.dot(peer.local_support_point(*peer_direction)));
            if (along - peer_along).abs() > 1e-6 {
                return Err(format!("{case}: {along} along {direction} for {peer_along}"));
            }
        }
    }
    let run_peer = || {
        let (mut answer, nothing) = (Vector::ZERO, black_box(0.0));
        for &direction in &peer_directions {
            for peer in &peers {
                answer = peer.local_support_point(direction + nothing * answer);
            }
        }
        black_box(answer);
    };
    let times = compare(effort, DIRECTIONS * HULLS, || run(&ours, &directions, manner), Some(run_peer));
    Ok(Row::new(AREA, case, PEER, times, String::new()))
}

/// The scan in our place, the climb in the peer's: above 1 the scan is faster.
fn method_row(effort: Effort, case: String, count: usize, manner: Manner) -> Result<Row, String> {
    let by = |method: SupportMethod| -> Result<Vec<ConvexHull>, String> {
        Ok(hulls(&case, count)?.into_iter().map(|hull| hull.searched_by(method)).collect())
    };
    let (scanned, climbed) = (by(SupportMethod::Scan)?, by(SupportMethod::Climb)?);
    let directions = manner.directions();
    for direction in &directions {
        for (scanned, climbed) in scanned.iter().zip(&climbed) {
            if scanned.support_vertex(*direction, 0) != climbed.support_vertex(*direction, 0) {
                return Err(format!("{case}: scan and climb disagree along {direction}"));
            }
        }
    }
    let run_climb = || run(&climbed, &directions, manner);
    let times = compare(effort, DIRECTIONS * HULLS, || run(&scanned, &directions, manner), Some(run_climb));
    let note = "ours by scanning, the peer is ours by climbing".to_owned();
    Ok(Row::new(AREA, case, "climb", times, note))
}
