//! Wherever one goes in a session, the bits are those of a plain run with the same inputs.

use super::{Input, Session, SolverName};
use crate::scene;
use carom::glam::{DVec3, Vec3};

fn session(name: &str) -> Session {
    let scene = scene::find(name).expect("the scene is known");
    let world = scene.world().expect("the scene is sound");
    Session::new(scene, world)
}

fn run_to(session: &mut Session, frame: u32) {
    session.approach(frame);
    while session.frame() < frame {
        session.step().expect("steps are taken");
    }
    assert_eq!(session.frame(), frame);
}

#[test]
fn any_walk_through_time_gives_the_hashes_of_a_plain_run() {
    for name in ["shower", "boxes", "break"] {
        let scene = scene::find(name).expect("the scene is known");
        let mut world = scene.world().expect("the scene is sound");
        let mut hashes = vec![world.hash()];
        for _ in 0..120 {
            world.step(scene.dt).expect("steps are taken");
            hashes.push(world.hash());
        }
        let mut session = session(name);
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..12 {
            let target = random.u32(0..=120);
            run_to(&mut session, target);
            assert_eq!(session.world().hash(), hashes[target as usize], "{name}: frame {target}");
        }
        session.restart();
        assert_eq!(session.world().hash(), hashes[0]);
        assert_eq!(session.kept(), [0, 0]);
    }
}

/// What a step has found is known of every frame, also of those that are kept to go back to.
#[test]
fn a_frame_tells_the_same_whichever_way_it_is_come_to() {
    let told = |session: &Session| {
        let step = session.world().last_step();
        (step.pairs, step.manifolds, step.contacts, step.deepest.to_bits(), step.stops.len())
    };
    for name in ["boxes", "shapes", "bullets"] {
        let mut session = session(name);
        let mut first = Vec::new();
        for frame in 0..=70 {
            run_to(&mut session, frame);
            first.push(told(&session));
        }
        assert!(first[1..].iter().any(|told| told.2 > 0), "{name}: something touches");
        let mut random = fastrand::Rng::with_seed(9);
        let by_chance: Vec<u32> = (0..10).map(|_| random.u32(1..=70)).collect();
        for target in [64, 32, 31, 48, 16, 17, 1, 70, 32, 64].into_iter().chain(by_chance) {
            run_to(&mut session, target);
            assert_eq!(told(&session), first[target as usize], "{name}: frame {target}");
            assert!(!session.world().last_step().times.narrow.is_zero(), "{name}: frame {target}");
        }
    }
}

/// Inputs are part of the past: going back and forth repeats them, and a recording of them does, too.
#[test]
fn inputs_are_repeated() {
    let mut first = session("boxes");
    run_to(&mut first, 20);
    let held = first.world().bodies().position(|body| body.mass().is_some()).expect("something moves") as u32;
    let at = first.world().bodies().nth(held as usize).expect("it is there").position();
    first.act(Input::Grab { body: held, point: at }).expect("it can be grabbed");
    first.act(Input::Drag { to: at + DVec3::new(0.0, 3.0, 0.0) }).expect("it is held");
    run_to(&mut first, 50);
    let lifted = first.world().bodies().nth(held as usize).expect("it is there").position();
    assert!(lifted.y > at.y + 0.5, "{at} to {lifted}");
    first.act(Input::Drop).expect("it is held");
    first.act(Input::Shoot { from: DVec3::new(0.0, 2.0, 8.0), velocity: Vec3::new(0.0, 0.0, -20.0) }).expect("a shot");
    assert_eq!(first.generation(), 1);
    run_to(&mut first, 70);
    first.act(Input::Solve(SolverName::GaussSeidelWarm)).expect("a solver");
    run_to(&mut first, 100);
    let (hash, log) = (first.world().hash(), first.log().to_vec());
    run_to(&mut first, 10);
    assert_eq!(first.world().len(), first.scene().bodies.len(), "the shot is yet to come");
    run_to(&mut first, 55);
    run_to(&mut first, 100);
    assert_eq!(first.world().hash(), hash);

    let scene = scene::find("boxes").expect("the scene is known");
    let world = scene.world().expect("the scene is sound");
    let mut again = Session::recorded(scene, world, log, (100, Vec::new()));
    assert_eq!(again.kept(), [0, 100]);
    run_to(&mut again, 100);
    assert_eq!(again.world().hash(), hash);
    assert!(again.is_at_end_of_recording());
    again.restart();
    assert_eq!(again.kept(), [0, 100], "a recording stays");
}

/// What is done in the past begins another future.
#[test]
fn the_future_is_forgotten_when_the_past_changes() {
    let mut session = session("boxes");
    let shot = Input::Shoot { from: DVec3::new(0.0, 2.0, 8.0), velocity: Vec3::new(0.0, 0.0, -20.0) };
    run_to(&mut session, 60);
    let plain = session.world().hash();
    run_to(&mut session, 30);
    session.act(shot).expect("a shot");
    assert_eq!(session.kept(), [0, 30]);
    run_to(&mut session, 60);
    assert_ne!(session.world().hash(), plain);
    session.restart();
    run_to(&mut session, 60);
    assert_eq!(session.world().hash(), plain, "a new start knows of no shot");
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let mut session = session("boxes");
    run_to(&mut session, 5);
    let hash = session.world().hash();
    let fixed = session.world().bodies().position(|body| body.mass().is_none()).expect("a floor") as u32;
    for wrong in [
        Input::Grab { body: 1_000_000, point: DVec3::ZERO },
        Input::Grab { body: fixed, point: DVec3::ZERO },
        Input::Drag { to: DVec3::ZERO },
        Input::Shoot { from: DVec3::NAN, velocity: Vec3::ONE },
        Input::Shoot { from: DVec3::ZERO, velocity: Vec3::NAN },
        Input::Shoot { from: DVec3::ZERO, velocity: Vec3::splat(1e6) },
    ] {
        assert!(session.act(wrong).is_err(), "{wrong:?}");
    }
    assert_eq!((session.world().hash(), session.log().len(), session.generation()), (hash, 0, 0));
}

/// Who interferes with a recording leaves it; a restart brings it back, to the last bit, wherever that was done.
#[test]
fn a_restart_brings_a_recording_back() {
    let shot = Input::Shoot { from: DVec3::new(0.0, 5.0, 8.0), velocity: Vec3::new(0.0, 0.0, -20.0) };
    let mut original = session("boxes");
    original.act(shot).expect("a ball can be shot");
    run_to(&mut original, 60);
    let (hash, bodies) = (original.world().hash(), original.world().len());
    let scene = scene::find("boxes").expect("the scene is known");
    let world = scene.world().expect("the scene is sound");
    let mut again = Session::recorded(scene, world, original.log().to_vec(), (60, Vec::new()));
    assert_eq!(again.title(), "boxes (recording)");
    for frame in [0, 20, 60] {
        run_to(&mut again, frame);
        assert!(again.is_recorded() && again.world().len() == bodies);
        again.act(shot).expect("a ball can be shot");
        assert!(!again.is_recorded() && again.kept() == [0, frame] && again.world().len() == bodies + 1);
        again.step().expect("steps are taken");
        again.restart();
        assert!(again.is_recorded() && again.kept() == [0, 60] && again.frame() == 0 && again.world().len() == bodies);
        run_to(&mut again, 60);
        assert_eq!(again.world().hash(), hash, "left at frame {frame}");
        again.restart();
    }
}

/// What was done in the very first frame is undone by a restart, too.
#[test]
fn a_restart_undoes_what_was_done_at_the_start() {
    let mut session = session("boxes");
    let hash = session.world().hash();
    session.act(Input::Shoot { from: DVec3::Y * 5.0, velocity: Vec3::X }).expect("a ball can be shot");
    session.restart();
    assert_eq!((session.world().hash(), session.log().len(), session.kept()), (hash, 0, [0, 0]));
}

/// Eight seconds of pulling a body about as a hand does that knows no mercy: into the floor, through others, far away and
/// back within a step. It is never lost: it stays finite, above the floor and where it is pulled to, and comes when called,
/// but for the odd one that was driven into others so that it hangs on them.
#[test]
fn eight_seconds_of_dragging_never_lose_the_body() {
    let runs = (7..11u64).flat_map(|seed| ["boxes", "shapes", "pyramid", "cards"].map(|name| (seed, name)));
    let mut stuck = Vec::new();
    for (seed, name) in runs {
        let mut session = session(name);
        let mut random = fastrand::Rng::with_seed(seed);
        let dynamic: Vec<u32> = (0..)
            .zip(session.world().bodies())
            .filter(|(_, body)| body.mass().is_some())
            .map(|(index, _)| index)
            .collect();
        for turn in 0..2 {
            let body = dynamic[random.usize(..dynamic.len())];
            let place = |session: &Session| {
                session.world().bodies().nth(body as usize).map(|body| (body.position(), body.is_set_aside()))
            };
            let (start, _) = place(&session).expect("it is there");
            session.act(Input::Grab { body, point: start }).expect("it can be grabbed");
            let seconds_in_steps = |seconds: f32| (seconds / session.scene().dt).round() as u32;
            let (pulling, calling) = (seconds_in_steps(8.0), seconds_in_steps(2.0));
            let mut to = start;
            for step in 0..pulling {
                // A few times a second the mouse jumps; in between it glides.
                if step % 12 == 0 {
                    let reach = if random.u8(..) < 32 { 200.0 } else { 5.0 };
                    let mut number = || reach * (2.0 * random.f64() - 1.0);
                    to = DVec3::new(number(), number(), number());
                }
                session.act(Input::Drag { to: to + DVec3::X * 0.01 * f64::from(step % 12) }).expect("it is held");
                session.step().expect("steps are taken");
                let (position, is_aside) = place(&session).expect("it is there");
                assert!(position.is_finite() && !is_aside, "{name}, body {body}, turn {turn}, step {step}: {position}");
                assert!(
                    position.y > -1.0,
                    "{name}, body {body}, turn {turn}, step {step}: through the floor to {position}"
                );
                assert!(position.length() < 500.0, "{name}, body {body}, turn {turn}, step {step}: off to {position}");
            }
            let call = DVec3::new(0.0, 12.0, 0.0);
            session.act(Input::Drag { to: call }).expect("it is held");
            (0..calling).for_each(|_| session.step().expect("steps are taken"));
            let (position, _) = place(&session).expect("it is there");
            if position.distance(call) >= 1.0 {
                stuck.push(format!("{name} {seed}, body {body}, turn {turn}: called to {call}, it is at {position}"));
            }
            session.act(Input::Drop).expect("it is held");
        }
    }
    // One in forty, in many such runs.
    assert!(stuck.len() <= 2, "{}", stuck.join("\n"));
}
