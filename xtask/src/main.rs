//! `cargo xtask`: the one door for people and CI.

fn main() {}
