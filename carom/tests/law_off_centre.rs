//! Hits beside the centre of mass, by every solver, against the closed form with the full inertia tensor in f64.

mod law_worlds;

use carom::glam::{DMat3, DQuat};
use carom::prelude::*;
use carom::response::{Projection, Solver};
use law_worlds::{DT, Outcome, SOLVERS, world};

/// Short steps: bodies are then no deeper in each other than projection leaves them, so that it turns none.
const SHORT: f32 = 1.0 / 1000.0;
/// So many steps after the blow nothing must have changed. In long ones another corner of a box strikes the ball in the
/// 29th.
const LATER: u32 = 28;
/// How fast the two close, in m/s.
const CLOSING: f64 = 2.0;

/// One of the two bodies, with all digits.
struct Solid {
    shape: Shape,
    mass: f64,
    /// Around the axes of its frame.
    moments: DVec3,
    rotation: Quat,
    center: DVec3,
}

impl Solid {
    fn ball(radius: f64, mass: f64) -> Result<Self, ShapeError> {
        let moments = DVec3::splat(0.4 * mass * radius * radius);
        let shape = Shape::sphere(radius as f32)?;
        Ok(Self { shape, mass, moments, rotation: Quat::IDENTITY, center: DVec3::ZERO })
    }

    fn cuboid(half: DVec3, mass: f64, rotation: Quat) -> Result<Self, ShapeError> {
        let squares = half * half;
        let moments = (DVec3::splat(squares.element_sum()) - squares) * (mass / 3.0);
        let [x, y, z] = half.as_vec3().to_array();
        Ok(Self { shape: Shape::cuboid(x, y, z)?, mass, moments, rotation, center: DVec3::ZERO })
    }

    /// A vector of its frame, in the world.
    fn turned(&self, vector: DVec3) -> DVec3 {
        self.rotation.as_dquat().normalize() * vector
    }

    /// In the axes of the world, were it turned so.
    fn inverse_inertia(&self, rotation: Quat) -> DMat3 {
        let rotation: DMat3 = DMat3::from_quat(DQuat::normalize(rotation.as_dquat()));
        rotation * DMat3::from_diagonal(self.moments.recip()) * rotation.transpose()
    }

    fn inertia(&self, rotation: Quat) -> DMat3 {
        self.inverse_inertia(rotation).inverse()
    }

    fn body(&self, velocity: DVec3, restitution: f32) -> Body {
        let body = Body::dynamic().at(self.center).rotated(self.rotation).velocity(velocity.as_vec3());
        body.shape(self.shape.clone()).mass(self.mass as f32).friction(0.0).restitution(restitution)
    }
}

/// What strikes where.
struct Hit {
    name: &'static str,
    target: Solid,
    striker: Solid,
    /// In the world; the normal is from the target to the striker, which comes straight along it.
    point: DVec3,
    normal: DVec3,
}

/// Hits on all kinds of faces of a box that is askew, on a corner of it, and by a corner of another box. None is on an axis
/// of a face, so that what turns the box is around no principal axis of it.
fn hits(gap: f64) -> Result<Vec<Hit>, ShapeError> {
    let half = DVec3::new(0.3, 0.6, 0.4);
    let askew = Quat::from_euler(carom::glam::EulerRot::XYZ, 0.6, -0.9, 1.3);
    let target = || -> Result<Solid, ShapeError> {
        Ok(Solid { center: DVec3::new(3.0, -2.0, 1.0), ..Solid::cuboid(half, 4.0, askew)? })
    };
    let corner_from = DVec3::new(0.5, 0.3, -0.6).normalize();
    let places = [
        ("a ball on the face across x", DVec3::new(0.3, 0.35, -0.25), DVec3::X),
        ("a ball on the face across y", DVec3::new(-0.2, 0.6, 0.15), DVec3::Y),
        ("a ball on the face across z", DVec3::new(0.1, 0.45, -0.4), DVec3::NEG_Z),
        ("a ball on a corner", DVec3::new(0.3, 0.6, -0.4), corner_from),
    ];
    let mut hits = Vec::new();
    for (name, place, from) in places {
        let target = target()?;
        let (point, normal) = (target.center + target.turned(place), target.turned(from));
        let striker = Solid { center: point + normal * (0.25 + gap), ..Solid::ball(0.25, 2.0)? };
        hits.push(Hit { name, target, striker, point, normal });
    }
    let target = target()?;
    let (point, normal) = (target.center + target.turned(places[0].1), target.turned(places[0].2));
    let corner = DVec3::new(0.2, 0.15, 0.3);
    // Its corner ahead, but its middle aside.
    let ahead = Quat::from_rotation_arc(corner.as_vec3().normalize(), -normal.as_vec3().normalize());
    let mut striker = Solid::cuboid(corner, 1.5, (ahead * Quat::from_rotation_x(0.25)).normalize())?;
    striker.center = point + normal * gap - striker.turned(corner);
    hits.push(Hit { name: "a corner of a box on the face across x", target, striker, point, normal });
    Ok(hits)
}

/// How far velocities and spins are off in the step of the blow, as shares of the closing speed and of the spins, and
/// how far spins are in the steps after it from what they should have become of themselves; velocities must be the same
/// then.
fn errors(hit: &Hit, solver: Solver, dt: f32, restitution: f32) -> Result<[f64; 3], Box<dyn std::error::Error>> {
    let Hit { target, striker, point, normal, .. } = hit;
    let mut world = world(World::builder().gravity([0.0; 3]).solver(solver));
    // Both drift along, which must not matter.
    let drift = DVec3::new(0.3, -0.2, 0.5);
    let target_id = world.add(target.body(drift, restitution))?;
    let striker_id = world.add(striker.body(drift - normal * CLOSING, restitution))?;
    let struck = |world: &World| -> Result<bool, BodyError> {
        Ok(world.body(target_id)?.velocity().as_dvec3().distance(drift) > 0.01)
    };
    let mut steps = 0;
    while !struck(&world)? {
        world.step(dt)?;
        steps += 1;
        assert!(steps < 10, "{}: they miss each other", hit.name);
    }
    // j = (1 + e)·c / (1/mₐ + 1/m_b + (rₐ×n)ᵀIₐ⁻¹(rₐ×n) + (r_b×n)ᵀI_b⁻¹(r_b×n)).
    let arms = [target, striker].map(|solid| *point - solid.center);
    // They have come nearer by then, along the normal, which has no say in r × n.
    let yields = |solid: &Solid, arm: DVec3| {
        let turning = arm.cross(*normal);
        1.0 / solid.mass + turning.dot(solid.inverse_inertia(solid.rotation) * turning)
    };
    let impulse = (1.0 + f64::from(restitution)) * CLOSING / (yields(target, arms[0]) + yields(striker, arms[1]));
    let both = [(target, target_id, arms[0], -impulse, 0.0), (striker, striker_id, arms[1], impulse, CLOSING)];
    let mut worst = [0.0f64; 3];
    for (solid, id, arm, impulse, closing) in both {
        let body = world.body(id)?;
        let velocity = drift + normal * (impulse / solid.mass - closing);
        worst[0] = worst[0].max(body.velocity().as_dvec3().distance(velocity) / CLOSING);
        // The lectures' solvers turn a body after the impact, and keep its momentum as they do; the default tells the
        // spin of the impact itself.
        let is_soft = matches!(solver, Solver::SoftStep { .. });
        let rotation = if is_soft { solid.rotation } else { body.rotation() };
        let spin = solid.inverse_inertia(rotation) * arm.cross(*normal * impulse);
        let off = body.angular_velocity().as_dvec3().distance(spin);
        // A ball does not turn at all.
        worst[1] = worst[1].max(off / spin.length().max(1.0));
    }
    // Later nothing pushes: velocities stay, and as the bodies turn it is not their spins but their angular momenta
    // that stay. Without a rebound the corners of a box that begins to turn may strike again.
    let after = both.map(|(solid, id, ..)| -> Result<_, BodyError> {
        let body = world.body(id)?;
        Ok((body.velocity(), solid.inertia(body.rotation()) * body.angular_velocity().as_dvec3()))
    });
    let steps = if restitution > 0.0 { LATER } else { 0 };
    for _ in 0..steps {
        world.step(dt)?;
        for ((solid, id, ..), after) in both.iter().zip(&after) {
            let (body, (velocity, momentum)) = (world.body(*id)?, after.clone()?);
            worst[0] = worst[0].max(f64::from(body.velocity().distance(velocity)) / CLOSING);
            let spin = body.angular_velocity().as_dvec3();
            let kept = solid.inverse_inertia(body.rotation()) * momentum;
            worst[2] = worst[2].max(spin.distance(kept) / spin.length().max(1.0));
        }
    }
    Ok(worst)
}

/// Lecture 004's impulse with the inertia tensors of both.
#[test]
fn an_off_centre_hit_turns_both_as_their_inertia_tensors_say() -> Outcome {
    off_centre_hits(SHORT, 1e-4)
}

/// In long steps the two are centimetres inside each other before contacts are found where shapes must touch for it. To
/// turn bodies out of each other is to change no spin, which for a body that is no ball is to change its angular
/// momentum a little.
#[test]
fn an_off_centre_hit_in_long_steps_does_the_same() -> Outcome {
    off_centre_hits(DT, 5e-3)
}

fn off_centre_hits(dt: f32, most_if_turned: f64) -> Outcome {
    // They meet in the middle of a step.
    let gap = 3.5 * CLOSING * f64::from(dt);
    let mut faults = Vec::new();
    for solver in SOLVERS {
        let mut worst = [0.0f64; 3];
        for hit in hits(gap)? {
            // Or the test would be no harder than one around a single axis.
            let turning = hit.target.inverse_inertia(Quat::IDENTITY)
                * (hit.target.rotation.as_dquat().conjugate() * (hit.point - hit.target.center).cross(hit.normal));
            let axes = turning.abs() / turning.length();
            assert!(axes.to_array().iter().filter(|share| **share > 0.1).count() >= 2, "{}: {axes}", hit.name);
            for restitution in [0.0f32, 0.5, 1.0] {
                let off = errors(&hit, solver, dt, restitution)?;
                // Those that rebound are apart before depth is taken out.
                let is_turned = restitution == 0.0
                    && matches!(solver, Solver::WorstFirst { projection: Projection::Nonlinear, .. });
                // A body that turns by a tenth of a radian in a step does so with an error of its own.
                let bars = [1e-4, if is_turned { most_if_turned } else { 1e-4 }, 2e-4];
                if off.iter().zip(bars).any(|(off, bar)| *off > bar) {
                    faults.push(format!("{solver:?}, e = {restitution}, {}: {off:?} are more than {bars:?}", hit.name));
                }
                worst = [0, 1, 2].map(|of| worst[of].max(off[of]));
            }
        }
        println!(
            "{solver:?}, steps of {dt} s: velocities are off by {:.1e} at the most, spins by {:.1e}, later by {:.1e}",
            worst[0], worst[1], worst[2]
        );
    }
    assert!(faults.is_empty(), "{faults:#?}");
    Ok(())
}
