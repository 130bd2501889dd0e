//! Eight contact patches side by side, as the kernels want them.
//!
//! All that a patch does to its two bodies is a force and a torque at its middle, and all that it sees of them is how
//! they move there against each other: V, the velocity of the second's point seen from the first's, and Ω, the difference
//! of their angular velocities, both along the patch's axes (two tangents u, v and the normal n = u × v). A point of the
//! patch at x·u + y·v from its middle closes at V·n + y·Ω·u − x·Ω·v. So each of the four points is two numbers; to push at
//! one changes what another sees by one number, their coupling; and friction is the rest: V·u, V·v and, for twist, Ω·n.
//! While a step lasts, the axes, the arms and the inertias stay as they are at its start.

use super::lanes::Lanes;

/// How many patches are side by side.
pub(super) const WIDTH: usize = 8;

/// A body that is so many times as heavy as another may be part of a way from something far heavier to something light.
pub(super) const UNEVEN: f32 = 1.5;

/// The pairs of points, as their couplings are listed.
pub(super) const COUPLED: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Eight patches, or fewer: lanes without one have no mass and no friction.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Pack {
    /// Rows of the first and of the second bodies.
    pub(super) bodies: [[u32; WIDTH]; 2],
    /// The most points that a lane has.
    pub(super) points: u32,
    /// Whether a lane has restitution, surfaces that move or resist rolling.
    pub(super) bounces: bool,
    pub(super) rolls: bool,
    /// Whether in a lane one body is heavier than the other by more than [`UNEVEN`], and both move.
    pub(super) is_uneven: bool,
    /// Whether all bodies move alike along every axis, and turn alike around every one: their masses and inertias are one
    /// number each.
    pub(super) is_plain: bool,
    /// Whether in a lane points do not act where they did in the step before.
    pub(super) is_loose: bool,
    /// Whether a lane bears a heavy body by way of a light one.
    pub(super) is_burdened: bool,
    /// A bit for each lane whose points turn with their bodies: none of the two is round.
    pub(super) angular: u8,
    /// So that no lanes are in two lines of memory.
    _room: [u32; 5],
    pub(super) normal: [Lanes; 3],
    /// The first of the two tangents; the second is normal × tangent.
    pub(super) tangent: [Lanes; 3],
    /// From the centres of mass to the middle of the patch.
    pub(super) arms: [[Lanes; 3]; 2],
    /// One over the mass and one over the inertia of the first and of the second bodies, if they are plain.
    pub(super) plain: [[Lanes; 2]; 2],
    /// What a push at one point does to the speed at another: of points 01, 02, 03, 12, 13, 23.
    pub(super) couplings: [Lanes; 6],
    /// The inverse of the response to friction: uu, vv, uv.
    pub(super) friction_mass: [Lanes; 3],
    /// Of packs with several points.
    pub(super) twist_mass: Lanes,
    pub(super) friction: Lanes,
    /// 1 where points do not act where they did in the step before, else 0.
    pub(super) loose: Lanes,
    /// How far from the middle the load is, for twist; of packs with several points.
    pub(super) twist_reach: Lanes,
    /// The velocity of the second surface against the first, along the tangents.
    pub(super) surface: [Lanes; 2],
    pub(super) friction_impulse: [Lanes; 2],
    pub(super) twist_impulse: Lanes,
    /// Of the soft constraint: how fast depth is taken out, and what shares of mass and of impulse are used.
    pub(super) softness: [Lanes; 3],
    /// Near the end, so that those that no lane has are never looked at.
    pub(super) point: [Points; 4],
    /// What follows is set where it is needed. Of packs that are not plain, along each axis of the world; and xx, yy, zz,
    /// xy, yz, zx.
    pub(super) inverse_mass: [[Lanes; 3]; 2],
    pub(super) inverse_inertia: [[Lanes; 6]; 2],
    /// Of packs that roll.
    pub(super) rolling: Lanes,
    pub(super) rolling_impulse: [Lanes; 2],
    /// Of packs that roll or bounce. What a push at V·n, and a turn at Ω·u and Ω·v, does to these three: 00, 11, 22, 01, 12, 02.
    pub(super) response: [Lanes; 6],
    /// Of packs that bounce: how fast each point shall part after an impact.
    pub(super) rebound: [Lanes; 4],
    /// What share of its speed each lane keeps, and how much energy its points may still give back; negative if that is not
    /// known yet.
    pub(super) restitution: Lanes,
    pub(super) rebound_energy: Lanes,
    /// What they have pushed for that, and what friction has added on account of it.
    pub(super) rebound_load: Lanes,
    pub(super) rebound_friction: [Lanes; 2],
}

/// One point of each lane's patch.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Points {
    /// Its place across the tangents, as it turns the patch: y and −x.
    pub(super) levers: [Lanes; 2],
    /// The gap at the start of the step, and as the bodies last moved; negative for depth.
    pub(super) gap: Lanes,
    pub(super) gap_now: Lanes,
    /// One over the response of the point alone to a push at it.
    pub(super) mass: Lanes,
    /// What has been pushed so far, in one substep.
    pub(super) impulse: Lanes,
    /// The same in all substeps.
    pub(super) total: Lanes,
}

impl Points {
    const NONE: Self = Self {
        levers: [NO_LANES; 2],
        gap: NO_LANES,
        gap_now: NO_LANES,
        mass: NO_LANES,
        impulse: NO_LANES,
        total: NO_LANES,
    };
}

const _: () = assert!(std::mem::offset_of!(Pack, normal).is_multiple_of(size_of::<Lanes>()));

const NO_LANES: Lanes = [0.0; WIDTH];
const UNKNOWN: Lanes = [-1.0; WIDTH];

impl Pack {
    /// A pack without patches.
    pub(super) const EMPTY: Self = Self {
        bodies: [[0; WIDTH]; 2],
        points: 0,
        bounces: false,
        rolls: false,
        is_uneven: false,
        is_plain: false,
        is_loose: false,
        is_burdened: false,
        angular: 0,
        _room: [0; 5],
        normal: [NO_LANES; 3],
        tangent: [NO_LANES; 3],
        arms: [[NO_LANES; 3]; 2],
        plain: [[NO_LANES; 2]; 2],
        couplings: [NO_LANES; 6],
        friction_mass: [NO_LANES; 3],
        twist_mass: NO_LANES,
        friction: NO_LANES,
        loose: NO_LANES,
        twist_reach: NO_LANES,
        surface: [NO_LANES; 2],
        friction_impulse: [NO_LANES; 2],
        twist_impulse: NO_LANES,
        softness: [NO_LANES; 3],
        point: [Points::NONE; 4],
        inverse_mass: [[NO_LANES; 3]; 2],
        inverse_inertia: [[NO_LANES; 6]; 2],
        rolling: NO_LANES,
        rolling_impulse: [NO_LANES; 2],
        response: [NO_LANES; 6],
        rebound: [NO_LANES; 4],
        restitution: NO_LANES,
        rebound_energy: UNKNOWN,
        rebound_load: NO_LANES,
        rebound_friction: [NO_LANES; 2],
    };
}

impl Pack {
    /// How many bytes of a pack with so many points are looked at.
    pub(super) fn size_of_points(points: usize) -> usize {
        std::mem::offset_of!(Self, point) + points * size_of::<Points>()
    }

    /// No lane has a point; there will be so many.
    pub(super) fn forget_points(&mut self, points: usize) {
        self.points = points as u32;
        (self.bounces, self.rolls) = (false, false);
        (self.is_uneven, self.is_loose, self.is_burdened) = (false, false, false);
        self.angular = 0;
        self.point[..points].fill(Points::NONE);
    }

    /// A point of a lane that closes this fast shall part at this share of it.
    pub(super) fn bounce(&mut self, point: usize, lane: usize, speed: f32, restitution: f32) {
        if !std::mem::replace(&mut self.bounces, true) {
            self.rebound = [NO_LANES; 4];
            (self.restitution, self.rebound_energy) = (NO_LANES, UNKNOWN);
            (self.rebound_load, self.rebound_friction) = (NO_LANES, [NO_LANES; 2]);
        }
        self.rebound[point][lane] = restitution * speed;
        self.restitution[lane] = restitution;
    }

    /// A lane resists rolling.
    pub(super) fn roll(&mut self, lane: usize, resistance: f32) {
        if !std::mem::replace(&mut self.rolls, true) {
            self.rolling = NO_LANES;
        }
        self.rolling[lane] = resistance;
    }
}

/// What a soft constraint does with depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Softness {
    /// How fast depth is taken out, in 1/s.
    pub(super) rate: f32,
    /// The shares of mass and of impulse.
    pub(super) mass: f32,
    pub(super) impulse: f32,
}

impl Softness {
    /// A spring that swings `frequency` times a second, damped, and seen in steps of `dt`. Source: Catto 2011, Soft
    /// Constraints.
    pub(super) fn new(frequency: f32, damping_ratio: f32, dt: f32) -> Self {
        let omega = std::f32::consts::TAU * frequency;
        let damping = 2.0 * damping_ratio + dt * omega;
        let stiffness = dt * omega * damping;
        let impulse = 1.0 / (1.0 + stiffness);
        Self { rate: omega / damping, mass: stiffness * impulse, impulse }
    }

    /// The same as fast, but giving way under a load by this share only.
    pub(super) fn hardened(self, share: f32) -> Self {
        let impulse = share * self.impulse;
        Self { mass: 1.0 - impulse, impulse, ..self }
    }
}
