//! The rectangle of least area around points in the plane.
//!
//! One of its sides lies along an edge of the convex hull (Freeman and Shapira, 1975, doi:10.1145/360881.360919), so
//! one walk around the hull that carries along the farthest points in the four directions of the rectangle sees the
//! best (rotating calipers; Toussaint, 1983). The hull by sorting (Andrew, 1979, doi:10.1016/0020-0190(79)90072-3).
//! O(n log n). Rounding may lose a hull point by 10⁻¹⁶ of the extent; callers measure again.

use glam::DVec2;

/// The unit direction of one side of the least rectangle; x where the points span no area.
pub(super) fn smallest_rectangle_side(points: &mut Vec<DVec2>) -> DVec2 {
    let hull = convex_polygon(points);
    let count = hull.len();
    if count < 3 {
        return if count == 2 { (hull[1] - hull[0]).try_normalize().unwrap_or(DVec2::X) } else { DVec2::X };
    }
    let (mut right, mut top, mut left) = (0, 0, 0);
    let (mut best_area, mut best_side) = (f64::INFINITY, DVec2::X);
    for edge in 0..count {
        let base = hull[edge];
        let Some(side) = (hull[(edge + 1) % count] - base).try_normalize() else { continue };
        let up = side.perp();
        // Each pointer only ever moves forward, so all the walks together go around twice.
        let climb = |start: usize, direction: DVec2| {
            let mut at = start;
            for _ in 0..count {
                let next = (at + 1) % count;
                if direction.dot(hull[next]) < direction.dot(hull[at]) {
                    break;
                }
                at = next;
            }
            at
        };
        right = climb(if edge == 0 { 0 } else { right }, side);
        top = climb(if edge == 0 { right } else { top }, up);
        left = climb(if edge == 0 { top } else { left }, -side);
        let area = side.dot(hull[right] - hull[left]) * up.dot(hull[top] - base);
        if area < best_area {
            (best_area, best_side) = (area, side);
        }
    }
    best_side
}

/// The corners of the convex hull, counter-clockwise.
fn convex_polygon(points: &mut Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    let mut hull: Vec<DVec2> = Vec::new();
    for upper in [false, true] {
        let start = hull.len();
        let mut add = |point: DVec2| {
            while let [.., a, b] = hull[start..] {
                if (b - a).perp_dot(point - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        };
        if upper {
            points.iter().rev().for_each(|&point| add(point));
        } else {
            points.iter().for_each(|&point| add(point));
        }
        // The last point of each chain is the first of the next.
        if points.len() > 1 {
            hull.pop();
        }
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_direction_gives_a_smaller_rectangle() {
        let mut random = fastrand::Rng::with_seed(3);
        for case in 0..500 {
            let count = random.usize(1..30);
            let mut points: Vec<DVec2> = (0..count)
                .map(|_| match case % 3 {
                    0 => DVec2::new(random.f64(), random.f64()),
                    1 => DVec2::new(random.i32(0..4).into(), random.i32(0..4).into()),
                    _ => DVec2::new(random.f64(), 0.0),
                })
                .collect();
            let area = |side: DVec2| {
                let width = |axis: DVec2| {
                    let along = || points.iter().map(|point| axis.dot(*point));
                    along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
                };
                width(side) * width(side.perp())
            };
            let least =
                (0..1000).map(|step| area(DVec2::from_angle(f64::from(step) * 0.0016))).fold(f64::INFINITY, f64::min);
            let found = area(smallest_rectangle_side(&mut points.clone()));
            assert!(found <= least * (1.0 + 1e-12) + 1e-15, "{found} > {least}: {points:?}");
            points.clear();
        }
    }
}
