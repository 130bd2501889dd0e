//! Which solid hides which: the painter's order.
//!
//! Two convex solids that do not overlap have a plane between them; the one on the eye's side of it cannot be hidden by
//! the other. The plane is sought among the faces of both and across the line between their middles, and the one with
//! the widest gap is taken, so touching and slightly overlapping solids are ordered too. Only solids whose outlines
//! overlap in the picture need an order. Newell, Newell and Sancha (1972) order polygons so; here it is whole solids, so
//! solids that hide each other in a circle are drawn farthest first instead of being cut.

use super::camera::Camera;
use super::solid::{Form, Solid};
use carom::glam::{DVec2, DVec3};

/// Sorts solids so that each comes after those that it hides.
pub(super) fn back_to_front(solids: &mut Vec<Solid>, camera: &Camera) {
    let frames: Vec<Option<(DVec2, DVec2)>> = solids.iter().map(|solid| frame(solid, camera)).collect();
    let count = solids.len();
    let mut hides: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut hidden_by = vec![0_usize; count];
    for a in 0..count {
        for b in a + 1..count {
            if !overlap(frames[a], frames[b]) {
                continue;
            }
            let (behind, front) = if second_is_nearer(&solids[a], &solids[b], camera.eye) { (a, b) } else { (b, a) };
            hides[behind].push(front);
            hidden_by[front] += 1;
        }
    }
    let depth: Vec<f64> = solids.iter().map(|solid| camera.depth(solid.middle())).collect();
    let mut left: Vec<usize> = (0..count).collect();
    let mut order = Vec::with_capacity(count);
    while !left.is_empty() {
        // Farthest first among those with nothing behind them left; among all if there is a circle.
        let free = |&at: &usize| hidden_by[left[at]] == 0;
        let farther = |&a: &usize, &b: &usize| depth[left[a]].total_cmp(&depth[left[b]]);
        let Some(next) = (0..left.len()).filter(free).max_by(farther).or_else(|| (0..left.len()).max_by(farther))
        else {
            break;
        };
        let next = left.swap_remove(next);
        for front in &hides[next] {
            hidden_by[*front] = hidden_by[*front].saturating_sub(1);
        }
        order.push(next);
    }
    let mut taken: Vec<Option<Solid>> = std::mem::take(solids).into_iter().map(Some).collect();
    solids.extend(order.into_iter().filter_map(|index| taken[index].take()));
}

/// Whether `b` may hide `a` rather than the other way round.
fn second_is_nearer(a: &Solid, b: &Solid, eye: DVec3) -> bool {
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
        (Form::Stroke { .. }, _) if widest < 0.0 => true,
        (_, Form::Stroke { .. }) if widest < 0.0 => false,
        _ => nearer,
    }
}

/// From a ball's centre to the nearest corner of another solid; zero if it is no ball.
fn nearest_corner(other: &Solid, ball: &Solid) -> DVec3 {
    let Form::Ball { centre, .. } = ball.form else { return DVec3::ZERO };
    let arms = other.outline().map(|corner| corner - centre);
    arms.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or_default()
}

fn frame(solid: &Solid, camera: &Camera) -> Option<(DVec2, DVec2)> {
    if let Form::Ball { centre, radius } = solid.form {
        let reach = DVec2::splat(camera.radius_at(centre, radius));
        return camera.project(centre).map(|seen| (seen - reach, seen + reach));
    }
    solid.outline().filter_map(|point| camera.project(point)).fold(None, |frame, seen| {
        let (low, high) = frame.unwrap_or((seen, seen));
        Some((low.min(seen), high.max(seen)))
    })
}

fn overlap(a: Option<(DVec2, DVec2)>, b: Option<(DVec2, DVec2)>) -> bool {
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a, b) else { return false };
    a_low.cmple(b_high).all() && b_low.cmple(a_high).all()
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
        let camera = Camera::around(&solids.iter().flat_map(Solid::outline).collect::<Vec<_>>());
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
