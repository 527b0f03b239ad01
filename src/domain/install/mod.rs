//! What an installation puts where: which files are written, kept, offered beside or removed, decided from what is on
//! disk and what an earlier installation recorded.
//!
//! The rule behind all of it: a file is okstra's as long as it holds exactly what okstra wrote. What somebody changed, or
//! what was there before, is theirs; it is never written over and never removed.

mod executable_path;
mod permissions;
mod removal;
mod search_path;
pub mod settings;
mod target;
mod version;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use executable_path::render;
pub use permissions::{KEPT_FROM_AGENTS, Offered, offered, rules};
pub use removal::{Removal, RemovalStep, plan_removal};
pub use search_path::{Advice, Shell, advice};
pub use target::{Target, TargetError, parse_targets};
pub use version::is_older;
pub use written::{Journal, Recorded};

/// What the name of a file ends with that is offered beside one that somebody changed.
pub const OFFERED: &str = ".new";

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The executable `okstra`.
    Executable,
    /// What okstra ships, to be read.
    Runtime,
    /// A file of a skill.
    Skill,
    /// An agent that Claude Code can start.
    Agent,
    /// A file of an earlier installation.
    Old,
}

/// A file that the installation should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its absolute path.
    pub path: String,
    /// What it is for.
    pub kind: Kind,
    /// The SHA-256 of its content.
    pub sha256: String,
    /// Whether it can be started.
    pub executable: bool,
}

/// What stands at a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    #[default]
    Missing,
    /// A file.
    File {
        /// The SHA-256 of its content.
        sha256: String,
        /// Whether it can be started.
        executable: bool,
    },
    /// Anything else, as a link: nothing of okstra's.
    Other,
}

/// What is decided on.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The files of this version.
    pub wanted: Vec<Wanted>,
    /// What earlier installations recorded, by path.
    pub recorded: BTreeMap<String, Recorded>,
    /// What stands at the paths of both, and at those where a file would be offered. What is not in it is missing.
    pub found: BTreeMap<String, Found>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is made.
    Create,
    /// What okstra wrote there is replaced.
    Update,
    /// Somebody changed it, or it was there before: it stays.
    Keep,
    /// It is as it should be.
    Unchanged,
    /// What okstra wrote there, and no longer ships, is removed.
    Remove,
}

/// One file, and what happens to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What it is for.
    pub kind: Kind,
    /// Its absolute path.
    pub path: String,
    /// What happens to it.
    pub action: Action,
    /// Of a file that is kept: where okstra's own is offered now.
    pub offered: Option<String>,
}

/// What an installation does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Every file, in the order in which it is done.
    pub steps: Vec<Step>,
    /// Writes of content: where, and of which wanted file.
    pub writes: Vec<Write>,
    /// What is recorded when it is done.
    pub record: BTreeMap<String, Recorded>,
}

/// One file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub path: String,
    /// The path of the wanted file whose content it gets.
    pub content_of: String,
    /// The SHA-256 of what stands there now, which is okstra's.
    pub before: Option<String>,
}

/// Decides what to do with every file.
pub fn plan(facts: &Facts) -> Plan {
    let mut plan = Plan::default();
    for wanted in &facts.wanted {
        plan.want(facts, wanted);
    }
    let live: BTreeSet<_> = facts.wanted.iter().map(|wanted| wanted.path.clone()).collect();
    for (path, recorded) in &facts.recorded {
        if live.contains(path) || plan.record.contains_key(path) {
            continue;
        }
        let action = match facts.found(path) {
            Found::Missing => continue,
            found if recorded.is_of(found) => Action::Remove,
            _ => Action::Keep,
        };
        plan.steps.push(Step { kind: Kind::Old, path: path.clone(), action, offered: None });
    }
    plan
}

impl Plan {
    /// Whether it changes no file.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.steps.iter().all(|step| step.action != Action::Remove)
    }

    /// What is recorded before anything is done, so that a killed installation can be told from a user's work: what the
    /// files will be, what they are now, and what is still there.
    pub fn journal(&self, facts: &Facts) -> BTreeMap<String, Recorded> {
        let mut journal = facts.recorded.clone();
        journal.extend(self.record.clone());
        for write in &self.writes {
            if let Some(recorded) = journal.get_mut(&write.path) {
                recorded.journal = Some(Journal { before: write.before.clone() });
            }
        }
        journal
    }

    fn want(&mut self, facts: &Facts, wanted: &Wanted) {
        let recorded = facts.recorded.get(&wanted.path);
        let found = facts.found(&wanted.path);
        // Who has put the offered file in the place of theirs has taken okstra's.
        let taken = facts.recorded.get(&format!("{}{OFFERED}", wanted.path));
        let is_ours = [recorded, taken].into_iter().flatten().any(|recorded| recorded.is_of(found));
        let action = match found {
            Found::Missing => Action::Create,
            found if wanted.is(found) => Action::Unchanged,
            Found::File { sha256, .. } if *sha256 == wanted.sha256 || is_ours => Action::Update,
            _ => Action::Keep,
        };
        let mut offered = None;
        match action {
            Action::Keep => {
                let changed = recorded.and_then(Recorded::kept);
                // Who changed what is shipped today has nothing new to look at.
                let is_newer = changed.as_ref().is_none_or(|changed| changed.sha256 != wanted.sha256);
                self.record.extend(changed.map(|changed| (wanted.path.clone(), changed)));
                if is_newer {
                    offered = self.offer(facts, wanted);
                }
            }
            Action::Unchanged => self.record(&wanted.path, wanted),
            _ => self.write(&wanted.path, wanted, found),
        }
        self.steps.push(Step { kind: wanted.kind, path: wanted.path.clone(), action, offered });
    }

    /// Puts okstra's file beside one that is somebody else's; once, since who has removed it has dealt with it.
    fn offer(&mut self, facts: &Facts, wanted: &Wanted) -> Option<String> {
        let path = format!("{}{OFFERED}", wanted.path);
        let recorded = facts.recorded.get(&path);
        let found = facts.found(&path);
        let was_offered = recorded.is_some_and(|it| it.sha256 == wanted.sha256 && it.journal.is_none());
        match found {
            Found::Missing if was_offered => self.record(&path, wanted),
            found if wanted.is(found) => self.record(&path, wanted),
            Found::Missing => {
                self.write(&path, wanted, found);
                return Some(path);
            }
            found if recorded.is_some_and(|recorded| recorded.is_of(found)) => {
                self.write(&path, wanted, found);
                return Some(path);
            }
            // Somebody else's again: there is no place left to offer it.
            _ => self.record.extend(recorded.and_then(Recorded::kept).map(|changed| (path, changed))),
        }
        None
    }

    fn write(&mut self, path: &str, wanted: &Wanted, found: &Found) {
        let before = match found {
            Found::File { sha256, .. } => Some(sha256.clone()),
            _ => None,
        };
        self.writes.push(Write { path: path.to_owned(), content_of: wanted.path.clone(), before });
        self.record(path, wanted);
    }

    fn record(&mut self, path: &str, wanted: &Wanted) {
        self.record.insert(path.to_owned(), Recorded { sha256: wanted.sha256.clone(), journal: None });
    }
}

impl Facts {
    fn found(&self, path: &str) -> &Found {
        self.found.get(path).unwrap_or(&Found::Missing)
    }
}

impl Wanted {
    /// Whether `found` is this file, as it should be.
    fn is(&self, found: &Found) -> bool {
        match found {
            Found::File { sha256, executable } => *sha256 == self.sha256 && (*executable || !self.executable),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
