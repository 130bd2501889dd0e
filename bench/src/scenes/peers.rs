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

/// At which numbers of threads a build is raced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// At any, by one thread: it knows no more.
    One,
    /// At more than one. At one it does what the build without threads does, and shares out work besides.
    Several,
    Any,
}

/// The folders of the builds below `peers` in the target folder, as xtask names them. Which of an engine's builds is the best
/// is for the race to tell.
const BUILDS: [(&str, &str, Threads); 5] = [
    ("box3d", "box3d 0.1", Threads::Any),
    ("rapier", "rapier 0.36", Threads::One),
    ("rapier-simd8", "rapier 0.36 simd8", Threads::One),
    ("rapier-parallel", "rapier 0.36 parallel", Threads::Several),
    ("rapier-parallel-simd8", "rapier 0.36 parallel simd8", Threads::Several),
];

/// The builds that stand beside this program, and the names of those that do not.
pub struct Field {
    pub peers: Vec<Peer>,
    pub missing: Vec<&'static str>,
}

pub fn field() -> Field {
    let target = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.parent()?.join("peers")));
    let file = format!("carom-bench-peer{}", std::env::consts::EXE_SUFFIX);
    let mut field = Field { peers: Vec::new(), missing: Vec::new() };
    for (folder, name, threads) in BUILDS {
        match target.as_ref().map(|target| target.join(folder).join("release").join(&file)) {
            Some(program) if program.is_file() => field.peers.push(Peer { name, program, threads }),
            _ => field.missing.push(name),
        }
    }
    field
}

impl Peer {
    pub fn is_rapier(&self) -> bool {
        self.name.starts_with("rapier")
    }

    /// Whether this build knows one thread only.
    pub fn is_serial(&self) -> bool {
        self.threads == Threads::One
    }

    /// Whether this build is raced at so many threads.
    pub fn enters(&self, threads: usize) -> bool {
        threads > 1 || self.threads != Threads::Several
    }

    /// Runs a scene, each step in so many pieces.
    pub fn run(&self, scene: &str, threads: usize, steps: usize, pieces: usize) -> Result<Outcome, String> {
        let fault = |cause: String| format!("{} on {scene} with {threads} threads: {cause}", self.name);
        let threads = match self.threads {
            Threads::One => 1,
            Threads::Several | Threads::Any => threads,
        };
        let numbers = [threads, steps, pieces].map(|number| number.to_string());
        let output = Command::new(&self.program).arg(scene).args(numbers).output();
        let output = output.map_err(|error| fault(error.to_string()))?;
        if !output.status.success() {
            return Err(fault(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Outcome::from_text(&text).ok_or_else(|| fault("its report cannot be read".to_owned()))
    }
}
