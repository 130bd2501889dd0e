//! The door of the world: what is unsound is refused by name, and nothing has changed then, neither at once nor later.

mod law_worlds;

use carom::body::{BodyMut, BodyShape, Material};
use carom::glam::Mat3;
use carom::mass::InertiaFault;
use carom::prelude::*;
use carom::response::{Projection, Solver};
use carom::world::{Continuous, MOST_ITERATIONS, MOST_SUBSTEPS, SHORTEST_STEP, StepError, WorldBuilder};
use law_worlds::{DT, Outcome, SOLVERS, unit_cube};
use std::fmt::Debug;

const NOT_FINITE: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
/// Neither a unit quaternion nor near one.
const NO_ROTATIONS: [Quat; 4] = [
    Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0),
    Quat::from_xyzw(0.0, 0.0, 0.0, f32::NAN),
    Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
    Quat::from_xyzw(0.0, f32::INFINITY, 0.0, 1.0),
];

/// A world that was knocked at, a body in it that falls and one that sleeps; and its twin, which never was.
struct Door {
    world: World,
    twin: World,
    falling: BodyId,
    sleeping: BodyId,
    fixed: BodyId,
}

impl Door {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let build = || -> Result<(World, [BodyId; 3]), Box<dyn std::error::Error>> {
            let mut world = World::default();
            let cube = || Shape::cuboid(0.5, 0.5, 0.5);
            let fixed = world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(9.0, 0.5, 9.0)?))?;
            let sleeping = world.add(Body::dynamic().at([3.0, 0.5, 0.0]).shape(cube()?))?;
            let spin = Vec3::new(0.3, 0.2, 0.1);
            let falling = Body::dynamic().at([0.0, 20.0, 0.0]).angular_velocity(spin).shape(cube()?);
            let falling = world.add(falling)?;
            for _ in 0..60 {
                world.step(DT)?;
            }
            Ok((world, [falling, sleeping, fixed]))
        };
        let (world, [falling, sleeping, fixed]) = build()?;
        let (twin, _) = build()?;
        assert!(world.body(sleeping)?.is_asleep() && !world.body(falling)?.is_asleep());
        assert_eq!(world.hash(), twin.hash());
        Ok(Self { world, twin, falling, sleeping, fixed })
    }

    /// Does what must be refused, with exactly this error. NaN is the same as NaN here.
    fn refuses<T: Debug, E: Debug>(&mut self, knock: impl Fn(&mut World) -> Result<T, E>, expected: impl Debug) {
        match knock(&mut self.world) {
            Ok(value) => panic!("{value:?} was let in and not {expected:?}"),
            Err(error) => assert_eq!(format!("{error:?}"), format!("{expected:?}")),
        }
        assert_eq!(self.world.hash(), self.twin.hash(), "changed by what gave {expected:?}");
        assert_eq!(self.world.len(), self.twin.len());
    }

    /// The same for a new body.
    fn refuses_body(&mut self, body: &Body, expected: &BodyError) {
        self.refuses(|world| world.add(body.clone()), expected);
    }

    /// The same for a change of what is awake, and of what sleeps.
    fn refuses_change(&mut self, change: impl Fn(&mut BodyMut<'_>) -> Result<(), BodyError>, expected: &BodyError) {
        for id in [self.falling, self.sleeping] {
            self.refuses(|world| change(&mut world.body_mut(id)?), expected);
        }
    }

    /// Both worlds go on alike until all that falls has come to rest, and new bodies get the same ids.
    fn goes_on_as_its_twin(mut self) -> Outcome {
        let ball =
            || -> Result<Body, ShapeError> { Ok(Body::dynamic().at([3.0, 5.0, 0.0]).shape(Shape::sphere(0.5)?)) };
        assert_eq!(self.world.add(ball()?)?, self.twin.add(ball()?)?);
        for step in 0..240 {
            self.world.step(DT)?;
            self.twin.step(DT)?;
            assert_eq!(self.world.hash(), self.twin.hash(), "in step {step} after it");
        }
        let speed = self.world.body(self.falling)?.velocity().length();
        assert!(speed < 0.1, "{speed} m/s: it has not met the ground yet");
        Ok(())
    }
}

fn cube() -> Result<Body, ShapeError> {
    Ok(Body::dynamic().at([0.0, 5.0, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))
}

fn no_mass(what: &'static str, value: f32) -> MassError {
    MassError::NotPositive { what, value }
}

fn not_finite(what: &'static str, value: Vec3) -> BodyError {
    BodyError::NotFinite { what, value }
}

#[test]
fn a_body_must_have_a_mass() -> Outcome {
    let mut door = Door::new()?;
    for value in NOT_FINITE.into_iter().chain([0.0, -0.0, -1.0]) {
        let error = BodyError::TotalMass { error: no_mass("mass", value) };
        door.refuses_body(&cube()?.mass(value), &error);
        door.refuses_change(|body| body.set_mass(value), &error);
        // What is not dynamic may become so.
        for kind in [BodyKind::Fixed, BodyKind::Kinematic] {
            let body = || Ok::<_, ShapeError>(Body::new(kind).shape(Shape::sphere(1.0)?));
            door.refuses_body(&body()?.mass(value), &error);
            let of_density = BodyError::TotalMass { error: no_mass("density", value) };
            door.refuses_body(&body()?.density(value), &of_density);
            let properties = MassProperties { mass: value, ..MassProperties::of_shape(&Shape::sphere(1.0)?, 1.0)? };
            door.refuses_body(&body()?.mass_properties(properties), &error);
        }
        let error = BodyError::Mass { index: 0, error: no_mass("density", value) };
        door.refuses_body(&cube()?.density(value), &error);
    }
    let sound = MassProperties::of_shape(&Shape::cuboid(0.5, 0.5, 0.5)?, 1.0)?;
    let inertia = |change: fn(&mut Mat3)| {
        let mut inertia = sound.inertia;
        change(&mut inertia);
        inertia
    };
    let faults = [
        (inertia(|inertia| inertia.y_axis.y = f32::NAN), InertiaFault::NotFinite),
        (inertia(|inertia| inertia.x_axis.z = f32::INFINITY), InertiaFault::NotFinite),
        (inertia(|inertia| inertia.x_axis.y = 0.1), InertiaFault::NotSymmetric),
        (inertia(|inertia| *inertia = -*inertia), InertiaFault::NotPositive),
        (inertia(|inertia| inertia.z_axis.z *= 9.0), InertiaFault::TriangleInequality),
    ];
    let mut unsound: Vec<(MassProperties, MassError)> = faults
        .into_iter()
        .map(|(inertia, fault)| (MassProperties { inertia, ..sound }, MassError::Inertia { inertia, fault }))
        .collect();
    for value in NOT_FINITE {
        unsound.push((MassProperties { mass: value, ..sound }, no_mass("mass", value)));
        let center_of_mass = Vec3::new(0.0, value, 0.0);
        unsound.push((MassProperties { center_of_mass, ..sound }, MassError::Center(center_of_mass)));
    }
    for (properties, error) in unsound {
        let error = BodyError::TotalMass { error };
        door.refuses_change(|body| body.set_mass_properties(properties), &error);
        door.refuses_body(&cube()?.mass_properties(properties), &error);
    }
    // Finite, but one over it is not.
    let light = MassProperties { mass: f32::from_bits(1), ..sound };
    door.refuses_change(|body| body.set_mass_properties(light), &BodyError::TooLight);
    let fixed = door.fixed;
    door.refuses(|world| world.body_mut(fixed)?.set_mass_properties(sound), BodyError::NotDynamic { id: fixed });
    door.goes_on_as_its_twin()
}

/// A ball of rock of 300 m and more. One over its inertia is a number, though its third power is none.
#[test]
fn no_body_is_too_light_for_being_heavy() -> Outcome {
    for radius in [200.0f32, 300.0, 1000.0, 10_000.0] {
        let mut world = World::builder().gravity([0.0; 3]).build()?;
        let id = world.add(Body::dynamic().angular_velocity([0.1, 0.0, 0.0]).shape(Shape::sphere(radius)?));
        let id = id.map_err(|error| format!("a ball of {radius} m: {error}"))?;
        world.step(DT)?;
        assert_eq!(world.body(id)?.angular_velocity(), Vec3::X * 0.1, "{radius} m");
    }
    Ok(())
}

#[test]
fn a_body_must_be_somewhere_and_turned_somehow() -> Outcome {
    let mut door = Door::new()?;
    for rotation in NO_ROTATIONS {
        let error = PoseError::Rotation(rotation);
        door.refuses_body(&cube()?.rotated(rotation), &BodyError::Pose { error });
        let pose = Pose::new(DVec3::new(0.0, 5.0, 0.0), rotation);
        door.refuses_change(|body| body.set_pose(pose), &BodyError::Pose { error });
        let part = LocalPose::new(Vec3::ZERO, rotation);
        let body = cube()?.shape_at(part, Shape::sphere(0.1)?);
        door.refuses_body(&body, &BodyError::ShapePose { index: 1, error });
    }
    for value in NOT_FINITE {
        let place = DVec3::new(0.0, value.into(), 0.0);
        let error = BodyError::Pose { error: PoseError::Position(place) };
        door.refuses_body(&cube()?.at(place), &error);
        door.refuses_change(|body| body.set_pose(Pose::at(place)), &error);
    }
    door.goes_on_as_its_twin()
}

#[test]
fn nothing_acts_on_a_body_that_is_no_number() -> Outcome {
    let mut door = Door::new()?;
    for value in NOT_FINITE {
        for axis in 0..3 {
            let mut vector = Vec3::ONE;
            vector[axis] = value;
            let velocity = not_finite("velocity", vector);
            let spin = not_finite("angular velocity", vector);
            door.refuses_change(|body| body.set_velocity(vector), &velocity);
            door.refuses_change(|body| body.set_angular_velocity(vector), &spin);
            door.refuses_body(&cube()?.velocity(vector), &velocity);
            door.refuses_body(&cube()?.angular_velocity(vector), &spin);
            let force = not_finite("force", vector);
            door.refuses_change(|body| body.apply_force(vector), &force);
            door.refuses_change(|body| body.apply_force_at(vector, [1.0, 2.0, 3.0]), &force);
            door.refuses_change(|body| body.set_constant_force(vector), &force);
            let torque = not_finite("torque", vector);
            door.refuses_change(|body| body.apply_torque(vector), &torque);
            door.refuses_change(|body| body.set_constant_torque(vector), &torque);
            let impulse = not_finite("impulse", vector);
            door.refuses_change(|body| body.apply_impulse(vector), &impulse);
            door.refuses_change(|body| body.apply_impulse_at(vector, [1.0, 2.0, 3.0]), &impulse);
            let turn = not_finite("angular impulse", vector);
            door.refuses_change(|body| body.apply_angular_impulse(vector), &turn);
            // Points are told as seen from the centre of mass.
            for id in [door.falling, door.sleeping] {
                let point = DVec3::from(vector);
                let arm = (point - door.world.body(id)?.position()).as_vec3();
                let error = not_finite("point", arm);
                door.refuses(|world| world.body_mut(id)?.apply_force_at([1.0, 0.0, 0.0], point), &error);
                door.refuses(|world| world.body_mut(id)?.apply_impulse_at([1.0, 0.0, 0.0], point), &error);
            }
        }
    }
    door.goes_on_as_its_twin()
}

/// A step so short that one over it, or over its substeps, is no number any more.
#[test]
fn a_step_must_not_be_too_short() -> Outcome {
    let mut door = Door::new()?;
    for dt in [f32::from_bits(1), f32::MIN_POSITIVE, 1e-38, 1e-20, 0.999 * SHORTEST_STEP] {
        door.refuses(|world| world.step(dt).map(|_| ()), StepError::TimeStep { dt });
    }
    door.goes_on_as_its_twin()?;
    // The shortest of all, cut as small as can be: the speed is that of free fall, and nothing is lost.
    for solver in SOLVERS {
        for continuous in [Continuous::Default, Continuous::Substeps(MOST_SUBSTEPS), Continuous::Adaptive] {
            let mut world = World::builder().solver(solver).continuous(continuous).build()?;
            world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(9.0, 0.5, 9.0)?))?;
            let resting = world.add(Body::dynamic().at([3.0, 0.499, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
            let falling = world.add(cube()?)?;
            world.step(SHORTEST_STEP)?;
            assert_eq!(world.last_step().faults, [], "{solver:?}, {continuous:?}");
            let speed = world.body(falling)?.velocity().y;
            let expected = -9.81 * SHORTEST_STEP;
            assert!((speed / expected - 1.0).abs() < 1e-3, "{solver:?}, {continuous:?}: {speed} m/s");
            let moved = world.body(resting)?.position().distance(DVec3::new(3.0, 0.499, 0.0));
            assert!(moved < 1.1e-3, "{solver:?}, {continuous:?}: moved by {moved} m");
        }
    }
    Ok(())
}

/// What would take for ever, or all memory, is refused; as much as there may be is not.
#[test]
fn substeps_rounds_and_pieces_are_limited() -> Outcome {
    let projection = Projection::Linear;
    let build = |builder: WorldBuilder| builder.build().map(|_| ());
    for count in [0, MOST_SUBSTEPS + 1, u32::MAX] {
        let solver = Solver::SoftStep { substeps: count };
        assert_eq!(build(World::builder().solver(solver)), Err(WorldError::Substeps { substeps: count }));
        let continuous = Continuous::Substeps(count);
        assert_eq!(build(World::builder().continuous(continuous)), Err(WorldError::Pieces { pieces: count }));
    }
    for count in [0, MOST_ITERATIONS + 1, u32::MAX] {
        for solver in [
            Solver::WorstFirst { iterations: count, projection },
            Solver::ProjectedGaussSeidel { iterations: count, warm: true },
        ] {
            assert_eq!(build(World::builder().solver(solver)), Err(WorldError::Iterations { iterations: count }));
        }
    }
    let most = [
        Solver::SoftStep { substeps: MOST_SUBSTEPS },
        Solver::WorstFirst { iterations: MOST_ITERATIONS, projection },
        Solver::ProjectedGaussSeidel { iterations: MOST_ITERATIONS, warm: false },
    ];
    let beyond = [
        Solver::SoftStep { substeps: u32::MAX },
        Solver::WorstFirst { iterations: u32::MAX, projection },
        Solver::ProjectedGaussSeidel { iterations: u32::MAX, warm: false },
    ];
    for (most, beyond) in most.into_iter().zip(beyond) {
        let mut world = World::builder().solver(most).build()?;
        assert_eq!(world.solver(), most);
        assert!(world.set_solver(beyond).is_err(), "{beyond:?}");
        assert_eq!(world.solver(), most);
    }
    Ok(())
}

#[test]
fn a_surface_must_be_of_numbers() -> Outcome {
    let mut door = Door::new()?;
    let sound = Material::default();
    let mut unsound = Vec::new();
    for value in NOT_FINITE {
        for axis in 0..3 {
            let mut velocity = Vec3::ONE;
            velocity[axis] = value;
            let error = not_finite("surface velocity", velocity);
            unsound.push((Material { surface_velocity: velocity, ..sound }, error));
        }
    }
    let most = f32::MAX;
    for value in NOT_FINITE.into_iter().chain([-1e-30, -1.0]) {
        let error = |what, greatest| BodyError::OutOfRange { what, value, least: 0.0, greatest };
        unsound.push((Material { friction: value, ..sound }, error("friction", most)));
        unsound.push((Material { static_friction: value, ..sound }, error("static friction", most)));
        unsound.push((Material { rolling_friction: value, ..sound }, error("rolling friction", most)));
        unsound.push((Material { restitution: value, ..sound }, error("restitution", 1.0)));
    }
    let above_one = 1.0 + f32::EPSILON;
    let error = BodyError::OutOfRange { what: "restitution", value: above_one, least: 0.0, greatest: 1.0 };
    unsound.push((Material { restitution: above_one, ..sound }, error));
    for (material, error) in unsound {
        door.refuses_body(&cube()?.material(material), &error);
        door.refuses_body(&cube()?.part(BodyShape::new(Shape::sphere(0.1)?).material(material)), &error);
        door.refuses_change(|body| body.set_material(material), &error);
        door.refuses_change(|body| body.set_shape_material(0, material), &error);
    }
    door.goes_on_as_its_twin()
}

#[test]
fn nothing_unsound_comes_in_and_nothing_changes() -> Outcome {
    let mut world = World::default();
    let fixed = world.add(Body::fixed().shape(unit_cube()?))?;
    let id = world.add(Body::dynamic().at([0.0, 3.0, 0.0]).shape(unit_cube()?))?;
    let before = world.hash();
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for value in bad {
        assert!(matches!(world.step(value), Err(StepError::TimeStep { .. })));
        let vector = Vec3::new(0.0, value, 0.0);
        let mut body = world.body_mut(id)?;
        assert!(matches!(body.set_velocity(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_angular_velocity(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_force(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_torque(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse_at(vector, [0.0; 3]), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse_at([0.0; 3], vector.as_dvec3()), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_constant_force(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_constant_torque(vector), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.set_pose(Pose::at(vector.as_dvec3())), Err(BodyError::Pose { .. })));
        assert!(matches!(body.set_mass(value), Err(BodyError::TotalMass { .. })));
        assert!(matches!(body.set_damping(value, 0.0), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_damping(0.0, value), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_gravity_scale(value), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_max_speed(Some(value)), Err(BodyError::OutOfRange { .. })));
        assert!(matches!(body.set_max_angular_speed(Some(value)), Err(BodyError::OutOfRange { .. })));
        let surface = Material { friction: value, ..Material::default() };
        assert!(matches!(body.set_material(surface), Err(BodyError::OutOfRange { .. })));
        let part = BodyShape::new(unit_cube()?);
        assert!(world.add(Body::dynamic().part(part.clone().material(surface))).is_err());
        assert!(world.add(Body::dynamic().part(part.at(LocalPose::at(vector)))).is_err());
        assert!(world.add(Body::dynamic().shape(unit_cube()?).max_speed(value)).is_err());
        assert!(World::builder().hit_speed(value).build().is_err());
    }
    assert_eq!(world.hash(), before);
    // Numbers that are finite, but would not leave finite ones behind.
    let mut body = world.body_mut(id)?;
    let huge = [3e38, 0.0, 0.0];
    body.set_mass(1e-3)?;
    body.set_velocity([0.0; 3])?;
    for _ in 0..2 {
        assert!(matches!(body.apply_impulse(huge), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_impulse_at(huge, [0.0, 3.5, 0.0]), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_angular_impulse(huge), Err(BodyError::NotFinite { .. })));
        assert!(matches!(body.apply_force_at(huge, [0.0, 1e9, 0.0]), Err(BodyError::NotFinite { .. })));
    }
    assert_eq!(body.as_ref().velocity(), Vec3::ZERO);
    body.apply_force(huge)?;
    assert!(matches!(body.apply_force(huge), Err(BodyError::NotFinite { .. })));
    assert_eq!(body.as_ref().motion().force, Vec3::from(huge));
    body.apply_force([-3e38, 0.0, 0.0])?;
    body.apply_torque(huge)?;
    assert!(matches!(body.apply_torque(huge), Err(BodyError::NotFinite { .. })));
    body.apply_torque([-3e38, 0.0, 0.0])?;
    body.set_mass(1000.0)?;
    world.body_mut(fixed)?.apply_force(huge)?;
    assert_eq!(world.body(fixed)?.motion().force, Vec3::ZERO);
    assert!(matches!(world.body_mut(fixed)?.set_mass(1.0), Err(BodyError::NotDynamic { .. })));
    assert!(matches!(
        world.body_mut(id)?.set_shape_material(1, Material::default()),
        Err(BodyError::NoShape { index: 1, .. })
    ));
    assert_eq!(world.len(), 2);
    Ok(())
}

#[test]
fn time_and_gravity_must_be_numbers() -> Outcome {
    let mut door = Door::new()?;
    for dt in NOT_FINITE.into_iter().chain([0.0, -0.0, -DT]) {
        door.refuses(|world| world.step(dt).map(|_| ()), StepError::TimeStep { dt });
    }
    for value in NOT_FINITE {
        for axis in 0..3 {
            let mut gravity = Vec3::ZERO;
            gravity[axis] = value;
            let error = World::builder().gravity(gravity).build().map(|_| ());
            assert_eq!(format!("{error:?}"), format!("{:?}", Err::<(), _>(WorldError::Gravity { gravity })));
        }
    }
    door.goes_on_as_its_twin()
}
