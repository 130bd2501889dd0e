//! Which solid hides which: the painter's order.
//!
//! Two convex solids that do not overlap have a plane between them; the one on the eye's side of it cannot be hidden by
//! the other. The plane is sought among the faces of both and across the line between their middles, and the one with
//! the widest gap is taken, so touching and slightly overlapping solids are ordered too. Only solids whose outlines
//! overlap in the picture need an order. Newell, Newell and Sancha (1972) order polygons so and cut those that hide each
//! other in a circle; here it is whole solids, and a circle is broken where its gap is narrowest.

use super::camera::Camera;
use super::outline;
use super::solid::{Form, Solid};
use carom::glam::{DVec2, DVec3};

/// Sorts solids so that each comes after those that it hides.
pub(super) fn back_to_front(solids: &mut Vec<Solid>, camera: &Camera) {
    let count = solids.len();
    let outlines: Vec<Outline> = solids.iter().map(|solid| Outline::new(solid, camera)).collect();
    let mut hidden_by: Vec<Vec<usize>> = vec![Vec::new(); count];
    // For each solid, the gaps to those behind it that are still to be drawn.
    let mut waits_for: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    for a in 0..count {
        for b in a + 1..count {
            if outlines[a].overlaps(&outlines[b]) {
                let (second_is_nearer, gap) = second_is_nearer(&solids[a], &solids[b], camera.eye);
                let (behind, front) = if second_is_nearer { (a, b) } else { (b, a) };
                hidden_by[behind].push(front);
                waits_for[front].push((behind, gap));
            }
        }
    }
    let depth: Vec<f64> = solids.iter().map(|solid| camera.depth(solid.middle())).collect();
    let mut left: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while !left.is_empty() {
        // Whoever waits for nobody, farthest first; in a circle, whoever waits across the narrowest gap.
        let widest_wait =
            |solid: usize| waits_for[solid].iter().fold(f64::NEG_INFINITY, |widest, (_, gap)| widest.max(*gap));
        let next = (0..left.len()).min_by(|&a, &b| {
            let (a, b) = (left[a], left[b]);
            widest_wait(a).total_cmp(&widest_wait(b)).then(depth[b].total_cmp(&depth[a]))
        });
        let next = left.swap_remove(next.unwrap_or(0));
        for front in &hidden_by[next] {
            waits_for[*front].retain(|(behind, _)| *behind != next);
        }
        order.push(next);
    }
    let mut taken: Vec<Option<Solid>> = std::mem::take(solids).into_iter().map(Some).collect();
    solids.extend(order.into_iter().filter_map(|index| taken[index].take()));
}

/// Whether `b` may hide `a` rather than the other way round, and the gap between them.
fn second_is_nearer(a: &Solid, b: &Solid, eye: DVec3) -> (bool, f64) {
    let of_a = a.faces().iter().map(|face| face.normal);
    let of_b = b.faces().iter().map(|face| -face.normal);
    let across = [b.middle() - a.middle(), nearest_corner(b, a), -nearest_corner(a, b)];
    let mut widest = f64::NEG_INFINITY;
    let mut nearer = false;
    for normal in of_a.chain(of_b).chain(across.into_iter().filter_map(DVec3::try_normalize)) {
        let (end_of_a, start_of_b) = (a.range(normal).1, b.range(normal).0);
        let gap = start_of_b - end_of_a;
        if gap > widest {
            widest = gap;
            nearer = eye.dot(normal) > (end_of_a + start_of_b) / 2.0;
        }
    }
    // A path ends inside its own body, which is to hide it.
    match (&a.form, &b.form) {
        (Form::Stroke { .. }, _) if widest < 0.0 => (true, widest),
        (_, Form::Stroke { .. }) if widest < 0.0 => (false, widest),
        _ => (nearer, widest),
    }
}

/// From a ball's centre to the nearest corner of another solid; zero if it is no ball.
fn nearest_corner(other: &Solid, ball: &Solid) -> DVec3 {
    let Form::Ball { centre, .. } = ball.form else { return DVec3::ZERO };
    let arms = other.outline().map(|corner| corner - centre);
    arms.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or_default()
}

/// A solid's outline in the picture and the box around it.
struct Outline {
    hull: Vec<DVec2>,
    low: DVec2,
    high: DVec2,
}

impl Outline {
    fn new(solid: &Solid, camera: &Camera) -> Self {
        let seen: Vec<DVec2> = if let Form::Ball { centre, radius } = solid.form {
            let reach = camera.radius_at(centre, radius);
            let around = (0..16).map(|step| DVec2::from_angle(std::f64::consts::TAU * f64::from(step) / 16.0) * reach);
            camera.project(centre).into_iter().flat_map(|seen| around.clone().map(move |arm| seen + arm)).collect()
        } else {
            solid.outline().filter_map(|point| camera.project(point)).collect()
        };
        let low = seen.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = seen.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        Self { hull: outline::hull(seen), low, high }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let boxes = self.low.cmple(other.high).all() && other.low.cmple(self.high).all();
        boxes && outline::overlap(&self.hull, &other.hull)
    }
}

#[cfg(test)]
mod tests {
    use super::super::colour::Colour;
    use super::*;
    use carom::body::BodyKind;
    use carom::pose::Pose;
    use carom::shape::Shape;

    fn solid(half: [f32; 3], position: [f64; 3]) -> Solid {
        let shape = Shape::cuboid(half[0], half[1], half[2]).expect("the sizes are sound");
        Solid::of_shape(&shape, &Pose::at(position), Colour::FIXED, BodyKind::Fixed).remove(0)
    }

    fn middles(mut solids: Vec<Solid>) -> Vec<DVec3> {
        let camera = Camera::around(&solids.iter().flat_map(Solid::outline).collect::<Vec<_>>(), None);
        back_to_front(&mut solids, &camera);
        solids.iter().map(Solid::middle).collect()
    }

    #[test]
    fn a_small_box_on_a_long_one_is_drawn_after_it_wherever_it_stands() {
        // By the distance of their middles, boxes on the far end would be drawn first and then be painted over.
        for z in [-9.0, 0.0, 9.0] {
            let order = middles(vec![solid([0.5; 3], [0.0, 1.0, z]), solid([1.0, 0.5, 10.0], [0.0, 0.0, 0.0])]);
            assert_eq!(order[1].z, z);
        }
    }

    #[test]
    fn towers_are_drawn_from_the_ground_up() {
        let order = middles((0..20).rev().map(|floor| solid([0.5; 3], [0.0, f64::from(floor), 0.0])).collect());
        assert!(order.windows(2).all(|pair| pair[0].y < pair[1].y), "{order:?}");
    }

    #[test]
    fn nothing_is_lost() {
        let mut random = fastrand::Rng::with_seed(5);
        let solids: Vec<Solid> = (0..60).map(|_| solid([0.6; 3], [0.0; 3].map(|_| random.f64() * 5.0))).collect();
        assert_eq!(middles(solids).len(), 60);
    }
}
