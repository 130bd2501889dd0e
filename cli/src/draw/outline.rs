//! Outlines in the picture: convex polygons, counter-clockwise with x to the right and y up.

use carom::glam::DVec2;

/// The convex hull of points in the picture, by Andrew's monotone chain (1979).
pub(super) fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for point in points {
            while let [.., before, last] = chain[..]
                && (last - before).perp_dot(point - last) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut points.iter().copied());
    hull.extend(chain(&mut points.iter().rev().copied()));
    hull
}

/// Whether two convex polygons have more than a touch in common: no edge of either has all of the other outside.
pub(super) fn overlap(a: &[DVec2], b: &[DVec2]) -> bool {
    !(has_separating_edge(a, b) || has_separating_edge(b, a))
}

fn has_separating_edge(of: &[DVec2], other: &[DVec2]) -> bool {
    let ends = of.iter().zip(of.iter().cycle().skip(1));
    ends.into_iter().any(|(start, end)| other.iter().all(|point| (*end - *start).perp_dot(*point - *start) <= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_has_the_corners_and_not_what_is_inside() {
        let points = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 2.0], [1.0, 0.0], [0.0, 0.0]];
        let hull = super::hull(points.map(DVec2::from).to_vec());
        assert_eq!(hull, [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from));
    }

    #[test]
    fn outlines_overlap_only_where_they_do() {
        let square =
            |x: f64, y: f64| [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(|[u, v]| DVec2::new(x + u, y + v));
        assert!(overlap(&square(0.0, 0.0), &square(1.0, 1.0)));
        assert!(overlap(&square(0.0, 0.0), &[[0.5, 0.5], [1.0, 0.5], [1.0, 1.0]].map(DVec2::from)));
        assert!(!overlap(&square(0.0, 0.0), &square(2.0, 0.0)));
        // Their boxes overlap, they do not.
        let sliver = [[0.0, 0.1], [1.9, 2.0], [0.0, 2.0]].map(DVec2::from);
        assert!(!overlap(&sliver, &[[0.2, 0.0], [2.0, 0.0], [2.0, 1.8]].map(DVec2::from)));
    }
}
