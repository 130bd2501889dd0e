//! The signed distance of two polytopes along the best of all normals that a face of A - B can have: those of the faces
//! of A, those of B turned round, and the products of all edges of A with all edges of B. If the polytopes overlap, its
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
    for edge_a in &edges_a {
        for edge_b in &edges_b {
            let cross = edge_a.along.cross(edge_b.along);
            // Parallel edges span no face.
            if cross.length_squared() <= 1e-18 {
                continue;
            }
            // They span one if along the product neither reaches beyond its edge; most products end here.
            for axis in [cross, -cross] {
                let is_reached = |edge: &Edge, axis: DVec3| edge.into_faces.iter().all(|into| into.dot(axis) <= 1e-6);
                if is_reached(edge_a, axis) && is_reached(edge_b, -axis) {
                    best = best.max(pair.gap(axis.normalize()));
                }
            }
        }
    }
    Some(best)
}

/// A turned edge: its unit direction, and the directions into its faces.
struct Edge {
    along: DVec3,
    into_faces: [DVec3; 2],
}

fn edges(polytope: &Polytope, turn: &DMat3) -> Vec<Edge> {
    let edge = |(edge, into): (&[usize; 2], &[DVec3; 2])| {
        let [from, to] = edge.map(|corner| polytope.corners[corner]);
        Edge { along: *turn * (to - from).normalize(), into_faces: into.map(|into| *turn * into) }
    };
    polytope.edges.iter().zip(&polytope.into_faces).map(edge).collect()
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
