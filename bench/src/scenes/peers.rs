//! The programs that run a scene in another engine.

use carom_bench_scenes::Outcome;
use std::path::PathBuf;
use std::process::Command;

/// A build of an engine.
#[derive(Clone)]
pub struct Peer {
    pub name: &'static str,
    program: PathBuf,
    threads: Threads,
}

#[derive(Clone, Copy)]
enum Threads {
    One,
    Several,
    Any,
}

/// The folders of the builds below `peers` in the target folder, as xtask names them.
const BUILDS: [(&str, &str, Threads); 5] = [
    ("box3d", "box3d 0.1", Threads::Any),
    ("rapier", "rapier 0.36", Threads::One),
    ("rapier-simd8", "rapier 0.36 simd8", Threads::One),
    ("rapier-parallel", "rapier 0.36 parallel", Threads::Several),
    ("rapier-parallel-simd8", "rapier 0.36 parallel simd8", Threads::Several),
];

/// Those that stand beside this program.
pub fn found() -> Vec<Peer> {
    let Some(target) = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.parent()?.to_owned())) else {
        return Vec::new();
    };
    let peers = BUILDS.iter().map(|&(folder, name, threads)| {
        let file = format!("carom-bench-peer{}", std::env::consts::EXE_SUFFIX);
        Peer { name, program: target.join("peers").join(folder).join("release").join(file), threads }
    });
    peers.filter(|peer| peer.program.is_file()).collect()
}

impl Peer {
    pub fn takes(&self, threads: usize) -> bool {
        match self.threads {
            Threads::One => threads == 1,
            Threads::Several => threads > 1,
            Threads::Any => true,
        }
    }

    pub fn run(&self, scene: &str, threads: usize, steps: usize) -> Result<Outcome, String> {
        let fault = |cause: String| format!("{} on {scene} with {threads} threads: {cause}", self.name);
        let arguments = [scene.to_owned(), threads.to_string(), steps.to_string()];
        let output = Command::new(&self.program).args(arguments).output().map_err(|error| fault(error.to_string()))?;
        if !output.status.success() {
            return Err(fault(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Outcome::from_text(&text).ok_or_else(|| fault("its report cannot be read".to_owned()))
    }
}
