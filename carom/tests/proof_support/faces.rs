//! The signed distance of two polytopes along the best of all normals that a face of A - B can have: those of the faces of
//! A, those of B turned round, and the products of all edges of A with all edges of B. If the polytopes overlap, its
//! negative is the depth, exactly; if not, it is a gap that there is, and positive.

use super::pair::Pair;
use super::solids::{Form, Polytope};
use carom::glam::{DMat3, DVec3};

/// The widest gap of all such normals; none unless both solids are polytopes.
pub fn widest_gap(pair: &Pair<'_>) -> Option<f64> {
    let (Form::Polytope(a), Form::Polytope(b)) = (&pair.a.form, &pair.b.form) else { return None };
    let mut best = f64::NEG_INFINITY;
    for (normal, _) in &a.planes {
        best = best.max(pair.gap(pair.turned_a() * *normal));
    }
    for (normal, _) in &b.planes {
        best = best.max(pair.gap(pair.turned_b() * -*normal));
    }
    let (edges_a, edges_b) = (edges(a, &pair.turned_a()), edges(b, &pair.turned_b()));
    for (along_a, middle_a) in &edges_a {
        for (along_b, middle_b) in &edges_b {
            let cross = along_a.cross(*along_b);
            let length = cross.length();
            // Parallel edges span no face.
            if length <= 1e-9 {
                continue;
            }
            // The gap is at most that between the two edges, on either side: most products end here.
            let between = (pair.offset + *middle_b - *middle_a).dot(cross);
            if between.abs() <= best * length {
                continue;
            }
            let axis = cross / length;
            for (axis, between) in [(axis, between), (-axis, -between)] {
                if between > best * length {
                    best = best.max(pair.gap(axis));
                }
            }
        }
    }
    Some(best)
}

/// The unit directions and the middles of edges, turned.
fn edges(polytope: &Polytope, turn: &DMat3) -> Vec<(DVec3, DVec3)> {
    let ends = polytope.edges.iter().map(|edge| edge.map(|corner| *turn * polytope.corners[corner]));
    ends.map(|[from, to]| ((to - from).normalize(), (from + to) * 0.5)).collect()
}

/// The widest gap between two boxes along the 15 axes, from their half extents and nothing else.
pub fn fifteen_axes(half_a: DVec3, turn_a: &DMat3, half_b: DVec3, turn_b: &DMat3, offset: DVec3) -> f64 {
    let mut axes: Vec<DVec3> = (0..3).flat_map(|index| [turn_a.col(index), turn_b.col(index)]).collect();
    for first in 0..3 {
        for second in 0..3 {
            let cross = turn_a.col(first).cross(turn_b.col(second));
            if cross.length() > 1e-9 {
                axes.push(cross.normalize());
            }
        }
    }
    let reach = |half: DVec3, turn: &DMat3, axis: DVec3| (turn.transpose() * axis).abs().dot(half);
    let gap = |axis: DVec3| axis.dot(offset).abs() - reach(half_a, turn_a, axis) - reach(half_b, turn_b, axis);
    axes.into_iter().map(gap).fold(f64::NEG_INFINITY, f64::max)
}
