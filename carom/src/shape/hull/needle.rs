//! Vertices that lie within rounding of the edge between two others.
//!
//! They make triangles that are so low that their planes are lost in rounding: two vertices that all but coincide, or
//! three that are all but on a line. The vertex opposite of the longest edge is within the triangle's height of the hull
//! of the others, so it can be left out. A needle is near the plane of its neighbour across that edge, so where no edge
//! is flat there are none.

use super::cloud::ROUNDING;
use super::quickhull::Triangulation;
use glam::DVec3;

/// `is_kept` without such vertices, as long as the edges that they are near keep their ends; none if there are no such
/// vertices. Points have coordinates in [-1, 1].
pub(super) fn without_needles(points: &[DVec3], hull: &Triangulation, is_kept: &[bool]) -> Option<Vec<bool>> {
    let mut is_kept = is_kept.to_vec();
    let mut is_needed = vec![false; points.len()];
    let mut found = false;
    for &corners in &hull.corners {
        let [a, b, c] = corners.map(|corner| points[corner as usize]);
        // Edge i is opposite of corner i.
        let lengths = [(c - b).length_squared(), (a - c).length_squared(), (b - a).length_squared()];
        let longest = (1..3).fold(0, |longest, i| if lengths[i] > lengths[longest] { i } else { longest });
        let twice_area = (b - a).cross(c - a).length_squared();
        if twice_area > ROUNDING * ROUNDING * lengths[longest] {
            continue;
        }
        let [low, end, other_end] = [0, 1, 2].map(|i| corners[(longest + i) % 3] as usize);
        if !is_needed[low] && is_kept[low] && is_kept[end] && is_kept[other_end] {
            is_kept[low] = false;
            is_needed[end] = true;
            is_needed[other_end] = true;
            found = true;
        }
    }
    found.then_some(is_kept)
}
