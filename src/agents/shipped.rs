//! The skills and agents that are part of the program, so that every door can install them.

macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../", $folder, "/", $name)))),*]
    };
}

/// Each file of a skill with its path in `skills/`: `<name>/SKILL.md`, and `<name>/references/…`.
const SKILLS: &[(&str, &str)] = files!["skills":
    "okstra-run/SKILL.md",
    "okstra-run/references/stale-commits.md",
    "okstra-status/SKILL.md",
];

/// Each agent with its name in `agents/`: `<name>.md`.
const AGENTS: &[(&str, &str)] = files!["agents":];

/// The files of all skills, by their paths.
pub fn skills() -> impl Iterator<Item = (&'static str, &'static str)> {
    SKILLS.iter().copied()
}

/// The agents, by their files.
pub fn agents() -> impl Iterator<Item = (&'static str, &'static str)> {
    AGENTS.iter().copied()
}
