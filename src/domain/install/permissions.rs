//! Which commands of okstra an agent may run without asking, if the user agrees to that: those that read, render, wait or
//! record. What a person decides is never among them.
//!
//! A rule allows a command with whatever follows it, so a command that has an option for a person's decision
//! (`git-reconcile --use-ref`, `render-bundle --take-over`, `finish --force`) is offered only as it stands, or not at all.

/// A command that is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its words, without the program.
    pub words: &'static str,
    /// Whether with any arguments; else exactly as it stands.
    pub with_arguments: bool,
}

/// What is offered of the commands that there are, each with what it is for.
const OFFERED: &[Offered] = &[
    // Reading.
    any("content-merged"),
    only("doctor"),
    only("doctor --json"),
    only("git-reconcile"),
    only("git-reconcile --json"),
    any("plan check"),
    any("plan show"),
    any("stage list"),
    any("status"),
    any("tasks"),
    any("validate-workflow"),
    // Recording.
    any("stage done"),
    any("stage integrate"),
];

/// The commands that are not offered with any arguments, and why.
pub const KEPT_FROM_AGENTS: &[(&str, &str)] = &[
    ("abandon", "a person gives a run up"),
    ("completions", "it is for people"),
    ("demo", "it is for people"),
    ("doctor", "--restore brings records back"),
    ("finish", "--force is a person's"),
    ("git-reconcile", "--use-ref and --reset-anchor are a person's"),
    ("init", "a person makes a project"),
    ("install", "a person installs"),
    ("plan approve", "a person approves"),
    ("render-bundle", "--take-over and --qa-waiver are a person's"),
    ("resume", "it takes the terminal"),
    ("run", "it takes the terminal, and --take-over and --qa-waiver are a person's"),
    ("stage remove", "removals are a person's"),
    ("task close", "removals are a person's"),
    ("task fetch", "it merges records of others"),
    ("task share", "it publishes records"),
    ("task sync", "it moves branches"),
    ("uninstall", "removals are a person's"),
];

const fn any(words: &'static str) -> Offered {
    Offered { words, with_arguments: true }
}

const fn only(words: &'static str) -> Offered {
    Offered { words, with_arguments: false }
}

/// The commands that are offered.
pub fn offered() -> &'static [Offered] {
    OFFERED
}

/// The rules for them as Claude Code reads them, for each way in which `programs` name okstra.
pub fn rules(programs: &[&str]) -> Vec<String> {
    let rule = |program: &str, offered: &Offered| {
        let arguments = if offered.with_arguments { ":*" } else { "" };
        format!("Bash({program} {}{arguments})", offered.words)
    };
    programs.iter().flat_map(|program| OFFERED.iter().map(move |offered| rule(program, offered))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_program_and_command() {
        let rules = rules(&["okstra", "'/a b/okstra'"]);
        for rule in ["Bash(okstra status:*)", "Bash(okstra git-reconcile)", "Bash('/a b/okstra' stage done:*)"] {
            assert!(rules.iter().any(|each| each == rule), "{rule}");
        }
        assert_eq!(rules.len(), 2 * OFFERED.len());
    }

    #[test]
    fn no_rule_covers_a_command_that_is_kept_from_agents() {
        for offered in OFFERED.iter().filter(|offered| offered.with_arguments) {
            for (kept, _) in KEPT_FROM_AGENTS {
                assert!(!format!("{kept} ").starts_with(&format!("{} ", offered.words)), "{} {kept}", offered.words);
            }
        }
    }
}
