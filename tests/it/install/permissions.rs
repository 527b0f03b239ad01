//! What agents may run without asking, against the commands as they are.

use clap::Command;
use okstra::domain::install::{KEPT_FROM_AGENTS, offered};

/// Options by which a person decides something. `--yes` answers a question that is put to a person.
const DECISIONS: &[&str] = &["yes", "use-ref", "reset-anchor", "take-over", "qa-waiver", "force", "run-checks"];

/// Every command without subcommands, by its words.
fn leaves(command: &Command, words: &str, found: &mut Vec<(String, Command)>) {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let words = format!("{words} {}", below.get_name()).trim_start().to_owned();
        match below.has_subcommands() {
            true => leaves(below, &words, found),
            false => found.push((words, below.clone())),
        }
    }
}

fn commands() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    leaves(&okstra::cli::command(), "", &mut found);
    found
}

#[test]
fn what_is_offered_with_any_arguments_has_no_option_for_a_persons_decision() {
    let commands = commands();
    for offer in offered().iter().filter(|offer| offer.with_arguments) {
        let covered =
            commands.iter().filter(|(words, _)| format!("{words} ").starts_with(&format!("{} ", offer.words)));
        let mut count = 0;
        for (words, command) in covered {
            count += 1;
            let decision =
                command.get_arguments().find_map(|option| option.get_long().filter(|long| DECISIONS.contains(long)));
            assert_eq!(decision, None, "`{words}` is offered to agents");
        }
        assert!(count > 0, "there is no command `{}`", offer.words);
    }
}

#[test]
fn every_command_is_offered_or_kept_from_agents() {
    for (words, _) in commands() {
        let is_offered = offered().iter().any(|offer| offer.with_arguments && offer.words == words);
        let is_kept = KEPT_FROM_AGENTS.iter().any(|(kept, _)| *kept == words);
        assert!(
            is_offered != is_kept,
            "`okstra {words}` has to be in one of the two lists of src/domain/install/permissions.rs: may an agent run it, with any arguments, without asking?"
        );
    }
}

#[test]
fn what_is_offered_exactly_parses() {
    for offer in offered().iter().filter(|offer| !offer.with_arguments) {
        let words = format!("okstra {}", offer.words);
        okstra::cli::command().try_get_matches_from(words.split(' ')).unwrap();
    }
}
