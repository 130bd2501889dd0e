//! Centres for balls around a cloud: the exact one of the smallest ball, and Ritter's quick one.
//!
//! The smallest ball is fixed by at most four points on its surface (its basis). Starting from any ball, the farthest
//! point outside joins the basis, and the smallest ball of those five at most is found by trying the circumscribed
//! ball of each subset: the least of the balls around their centres that reach all five. The radius grows with each
//! exchange, so no basis comes back and the search ends; in practice after about ten exchanges, each one pass over the
//! cloud. Round parts give their farthest point, and converge instead of ending: stops when that is outside by less
//! than 10⁻⁸ of the radius, or after 200 exchanges; a caller measures from the centre, so stopping early is safe.
//! Source: Welzl, 1991, doi:10.1007/BFb0038202; pivoting by the farthest point after Gärtner, 1999,
//! doi:10.1007/3-540-48481-7_29. Departs from both in the basis step, which needs no tolerance for flat subsets.
//! Ritter's: Ritter, 1990, "An efficient bounding sphere", Graphics Gems, doi:10.1016/B978-0-08-050753-8.50063-2.

use super::cloud::Cloud;
use glam::DVec3;

const RITTER_PASSES: usize = 4;

/// The centre of the smallest ball around the cloud.
pub(super) fn smallest_ball_center(cloud: &Cloud) -> DVec3 {
    let mut basis = Basis { points: [cloud.farthest_core_point(DVec3::ZERO).point; 5], count: 1 };
    let (mut center, mut radius) = (basis.points[0], 0.0);
    for _exchange in 0..200 {
        let farthest = cloud.farthest_core_point(center);
        if farthest.distance <= radius * (1.0 + 1e-8) {
            break;
        }
        let Some((next_center, next_radius)) = basis.exchanged(farthest.point) else { break };
        // Rounding can stop the growth just short of the end.
        if next_radius <= radius {
            break;
        }
        (center, radius) = (next_center, next_radius);
    }
    center
}

/// The centre of the ball that grows from the most distant pair of extreme points along the axes over each point that
/// sticks out. Passes are repeated from the centre found with a radius 5% less, which takes back much of what points
/// met early have cost; the best of all is kept.
pub(super) fn ritter_center(cloud: &Cloud) -> DVec3 {
    let samples = cloud.samples();
    let Some(&first) = samples.first() else { return DVec3::ZERO };
    let extreme =
        |axis: DVec3| samples.iter().copied().fold(first, |a, b| if axis.dot(b) > axis.dot(a) { b } else { a });
    let (a, b) = DVec3::AXES
        .map(|axis| (extreme(-axis), extreme(axis)))
        .into_iter()
        .fold((first, first), |a, b| if b.0.distance_squared(b.1) > a.0.distance_squared(a.1) { b } else { a });
    let (mut center, mut radius) = (0.5 * (a + b), 0.5 * a.distance(b));
    let mut best = (center, f64::INFINITY);
    for pass in 0..RITTER_PASSES {
        for index in 0..samples.len() {
            // There and back again, so that no point always comes first.
            let point = samples[if pass % 2 == 0 { index } else { samples.len() - 1 - index }];
            let distance = center.distance(point);
            if distance > radius {
                let shift = 0.5 * (distance - radius);
                center += (point - center) * (shift / distance);
                radius += shift;
            }
        }
        let reach = samples.iter().map(|point| point.distance_squared(center)).fold(0.0, f64::max);
        if reach < best.1 {
            best = (center, reach);
        }
        radius = 0.95 * reach.sqrt();
    }
    best.0
}

/// Up to four points that fix a ball, and room for the one that joins.
struct Basis {
    points: [DVec3; 5],
    count: usize,
}

impl Basis {
    /// The smallest ball of the basis and `point`, whose own basis takes this one's place.
    fn exchanged(&mut self, point: DVec3) -> Option<(DVec3, f64)> {
        self.points[self.count] = point;
        let all = &self.points[..=self.count];
        let mut best: Option<(DVec3, f64, u32)> = None;
        for subset in 1_u32..1 << all.len() {
            // Without the new point the ball would be no larger than before.
            if subset.count_ones() > 4 || subset >> self.count & 1 == 0 {
                continue;
            }
            let Some(center) = circumcenter(all, subset) else { continue };
            let reach = all.iter().map(|corner| corner.distance_squared(center)).fold(0.0, f64::max);
            if best.is_none_or(|(_, least, _)| reach < least) {
                best = Some((center, reach, subset));
            }
        }
        let (center, reach, subset) = best?;
        let all = self.points;
        self.count = 0;
        for (index, corner) in all.iter().enumerate() {
            if subset >> index & 1 == 1 {
                self.points[self.count] = *corner;
                self.count += 1;
            }
        }
        Some((center, reach.sqrt()))
    }
}

/// The point at equal distance from the points of the subset, in the line, plane or space that they span; none if they
/// span less than their number.
fn circumcenter(points: &[DVec3], subset: u32) -> Option<DVec3> {
    let mut chosen = points.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1).map(|(_, point)| *point);
    let base = chosen.next()?;
    let mut edges = [DVec3::ZERO; 3];
    let mut count = 0;
    for point in chosen {
        edges[count] = point - base;
        count += 1;
    }
    // The centre is base + x with 2·x·e = e·e for each edge e and x in their span.
    let [a, b, c] = edges;
    let offset = match count {
        0 => DVec3::ZERO,
        1 => 0.5 * a,
        2 => {
            let normal = a.cross(b);
            (a.length_squared() * b - b.length_squared() * a).cross(normal) / (2.0 * normal.length_squared())
        }
        _ => {
            let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
            (a.length_squared() * bc + b.length_squared() * ca + c.length_squared() * ab) / (2.0 * a.dot(bc))
        }
    };
    offset.is_finite().then(|| base + offset)
}
