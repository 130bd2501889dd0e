//! What the laws of mechanics speak of: energy and momentum.

use super::World;
use crate::body::BodyKind;
use glam::DVec3;

/// The energy of all dynamic bodies, in J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of movement and rotation.
    pub kinetic: f64,
    /// Of height in the world's gravity, from the origin.
    pub potential: f64,
}

impl Energy {
    /// Both together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// The momentum of all dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Momentum {
    /// In Ns.
    pub linear: DVec3,
    /// About the origin, in Nms.
    pub angular: DVec3,
}

impl World {
    /// The energy of all dynamic bodies.
    pub fn energy(&self) -> Energy {
        let gravity = self.gravity.as_dvec3();
        self.dynamic_bodies().fold(Energy::default(), |energy, (body, mass)| {
            let nature = &self.bodies.natures[body];
            let motion = &self.bodies.motions[body];
            let spin = (motion.rotation.conjugate() * motion.angular_velocity).as_dvec3();
            let turning = spin.dot(nature.inertia.as_dmat3() * spin);
            let moving = mass * motion.velocity.as_dvec3().length_squared();
            let height = gravity.dot(motion.center) * f64::from(nature.gravity_scale);
            Energy { kinetic: energy.kinetic + 0.5 * (moving + turning), potential: energy.potential - mass * height }
        })
    }

    /// The momentum of all dynamic bodies.
    pub fn momentum(&self) -> Momentum {
        self.dynamic_bodies().fold(Momentum::default(), |momentum, (body, mass)| {
            let nature = &self.bodies.natures[body];
            let motion = &self.bodies.motions[body];
            let linear = motion.velocity.as_dvec3() * mass;
            let rotation = motion.rotation.as_dquat();
            let spin = nature.inertia.as_dmat3() * (rotation.conjugate() * motion.angular_velocity.as_dvec3());
            Momentum {
                linear: momentum.linear + linear,
                angular: momentum.angular + motion.center.cross(linear) + rotation * spin,
            }
        })
    }

    fn dynamic_bodies(&self) -> impl Iterator<Item = (usize, f64)> {
        let natures = self.bodies.natures.iter().enumerate();
        natures
            .filter(|(_, nature)| nature.kind == BodyKind::Dynamic)
            .map(|(body, nature)| (body, f64::from(nature.mass)))
    }
}
