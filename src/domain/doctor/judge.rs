//! From a fact to a check.

use super::{Advice, AgentState, Check, Fact, Fault, MirrorState, Root, Shared, Sound, Status, setup};
use crate::domain::names::TaskName;
use crate::domain::run::Vendor;

/// The oldest git that can merge without a worktree (`merge-tree --write-tree`).
const OLDEST_GIT: (u32, u32) = (2, 38);

/// What to make of `fact` in the project at `root`.
pub(super) fn judge(fact: &Fact, root: &Root) -> Check {
    match fact {
        Fact::Okstra(version) => ok("okstra", format!("okstra {version}")),
        Fact::Node(version) => setup::node(version),
        Fact::Setup(found) => setup::setup(found.as_ref()),
        Fact::BadSetup(fault) => fault_of("installation", fault, root),
        Fact::Tmux(version) => setup::tmux(version.as_deref()),
        Fact::Git(version) => git(version.as_deref()),
        Fact::GitFails(why) => {
            problem("git", why.clone()).advise("look at what git itself says", words(&["git", "--version"]))
        }
        Fact::NoHome(fault) => fault_of("home", fault, root),
        Fact::Home { path, is_there, fault } => home(path, *is_there, fault.as_deref()),
        Fact::Locks(None) => ok("locks", "locks hold in okstra's own folder".to_owned()),
        Fact::Locks(Some(why)) => problem("locks", format!("locks do not work in okstra's own folder: {why}"))
            .advise("set OKSTRA_HOME to a folder on a local disk", Vec::new()),
        Fact::BadConfig(fault) => fault_of("config", fault, root),
        Fact::UnknownSetting { place, key } => {
            warning("config", format!("`{place}`: `{key}` has no effect: this okstra does not know it"))
                .advise("correct it, or take it out", Vec::new())
        }
        Fact::Agent { vendor, called, config, state, login, unseen } => {
            let check = agent(*vendor, called, config.as_deref(), state);
            match state {
                AgentState::Works(_) => setup::known(check, *vendor, login.as_deref(), unseen.as_deref()),
                _ => check,
            }
        }
        Fact::Outside(why) => ok("project", format!("{why}, so only the machine was checked")),
        Fact::Repository(fault) => fault_of("repository", fault, root),
        Fact::BadFile(fault) => fault_of("state-files", fault, root),
        Fact::BadRegistry(fault) => fault_of("registry", fault, root),
        Fact::Torn(text) => warning("state-files", text.clone())
            .advise("nothing has to be done: the next line that is written seals it off", Vec::new()),
        Fact::NoManifest { task, is_mirrored } => {
            let check = problem("state-files", format!("there are files of task {task}, and no task-manifest.json"));
            if *is_mirrored { check.restore(Some(task), root) } else { check }
        }
        Fact::Moved { key, from } => moved(key, from, root),
        Fact::WorktreeGone { of, path, branch } => worktree_gone(of, path, branch.as_deref(), root),
        Fact::WorktreeStray { path, lost, is_ours } => worktree_stray(path, lost.as_ref(), *is_ours, root),
        Fact::KeepStray { name, commit } => {
            let check = warning("keep-refs", format!("`{name}` keeps a commit that nothing recorded names"));
            let commit = commit.to_string();
            check.advise("let it go if you do not need the commit", root.git(&["update-ref", "-d", name, &commit]))
        }
        Fact::NotKept { task, stage, commit } => {
            let message = format!("no ref keeps {}, which is recorded for stage {stage} of {task}", commit.short());
            warning("commits", message).reconcile("keep it from being collected", task, root)
        }
        Fact::CommitGone { task, stage, why } => {
            let what = stage.map_or_else(|| "the anchor".to_owned(), |stage| format!("stage {stage}"));
            problem("commits", format!("the recorded commit of {what} of {task} does not exist: {why}"))
                .advise("look at what became of it", root.okstra(&["git-reconcile", "--task", &task.to_string()]))
        }
        Fact::Mirror(task, state) => mirror(task, state, root),
        Fact::Shared(shared) => shared_files(shared, root),
        Fact::Sound(what, count) => sound(*what, *count),
    }
}

fn git(version: Option<&str>) -> Check {
    let (major, minor) = OLDEST_GIT;
    let install = format!("install git {major}.{minor} or newer");
    match version {
        None => {
            problem("git", "git is not installed: there is no `git` on PATH".to_owned()).advise(&install, Vec::new())
        }
        Some(text) => match version_of(text) {
            Some(found) if found >= OLDEST_GIT => ok("git", text.to_owned()),
            Some(_) => warning("git", format!("{text} is older than {major}.{minor}")).advise(&install, Vec::new()),
            None => warning("git", format!("`{text}` says no version that is known")).advise(&install, Vec::new()),
        },
    }
}

/// The numbers in what `git --version` says.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("git version ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Without claude nobody leads a run; without the others fewer look at it.
fn agent(vendor: Vendor, called: &str, config: Option<&str>, state: &AgentState) -> Check {
    let (name, vendor_name) = ("agents", vendor.as_str());
    let by = config.map_or_else(String::new, |config| format!(", as `{config}` says"));
    match (state, config) {
        (AgentState::Works(version), _) => ok(name, format!("{vendor_name} is called with `{called}`{by}: {version}")),
        (AgentState::Fails(why), _) => {
            warning(name, format!("{vendor_name} is called with `{called}`{by}, and does not work: {why}"))
                .advise("try it yourself: it has to answer to --version", Vec::new())
        }
        (AgentState::Missing { .. }, Some(_)) => {
            let message = format!("{vendor_name} is called with `{called}`{by}, and there is no such program");
            problem(name, message).advise(&format!("install it, or correct agents.{vendor_name}.command"), Vec::new())
        }
        (AgentState::Missing { install }, None) if vendor == Vendor::Claude => {
            warning(name, "claude is not installed, and okstra run starts it".to_owned())
                .advise("install it", install.clone())
        }
        (AgentState::Missing { .. }, None) => {
            ok(name, format!("{vendor_name} is not installed: runs go on without it"))
        }
    }
}

fn home(path: &str, is_there: bool, fault: Option<&str>) -> Check {
    match (fault, is_there) {
        (None, true) => ok("home", format!("`{path}` can be written to")),
        (None, false) => ok("home", format!("`{path}` is not there yet, and can be made")),
        (Some(why), _) => problem("home", format!("okstra's own folder `{path}` cannot be written to: {why}"))
            .advise("allow it, or set OKSTRA_HOME to a folder that you may write to", Vec::new()),
    }
}

fn fault_of(name: &'static str, fault: &Fault, root: &Root) -> Check {
    let check = problem(name, fault.error.clone());
    match (&fault.mirrored, &fault.hint) {
        (Some(copy), _) => check.advise("compare it with the mirrored copy", root.git(&["show", copy])),
        (None, Some(hint)) => check.advise(hint, Vec::new()),
        (None, None) => check,
    }
}

fn moved(key: &str, from: &str, root: &Root) -> Check {
    let message = format!("`{key}` is held for the clone `{from}`, which is gone, and its records are here");
    problem("registry", message).advise("if this repository was moved, say so", root.okstra(&["doctor", "--restore"]))
}

fn worktree_gone(of: &str, path: &str, branch: Option<&str>, root: &Root) -> Check {
    let check = warning("worktrees", format!("the worktree `{path}` of {of} is gone"));
    match branch {
        Some(branch) => {
            let again = root.git(&["worktree", "add", "--force", path, branch]);
            check.advise("make it anew, after `git worktree prune` where git still lists it", again)
        }
        None => check.advise("its branch is gone too: nothing is left to do with it", Vec::new()),
    }
}

fn worktree_stray(path: &str, lost: Option<&TaskName>, is_ours: bool, root: &Root) -> Check {
    let check = warning("worktrees", format!("`{path}` is in no entry of the registry"));
    match (lost, is_ours) {
        (Some(task), _) => check.restore(Some(task), root),
        (None, true) => check.advise("remove it if nobody works in it", root.git(&["worktree", "remove", path])),
        (None, false) => check.advise("it is no worktree of this repository: look at what it is", Vec::new()),
    }
}

fn mirror(task: &TaskName, state: &MirrorState, root: &Root) -> Check {
    let name = "mirror";
    match state {
        MirrorState::None => warning(name, format!("task {task} is not mirrored")).reconcile("mirror it", task, root),
        MirrorState::Unreadable(why) => problem(name, format!("the mirror of task {task} cannot be read: {why}")),
        MirrorState::NotOnDisk => {
            problem(name, format!("task {task} is mirrored and not on disk")).restore(Some(task), root)
        }
        MirrorState::Lost { files, row } => {
            let files = (*files > 0).then(|| things(*files, "mirrored file"));
            let row = row.then(|| "the registry row".to_owned());
            let lost: Vec<_> = files.into_iter().chain(row).collect();
            problem(name, format!("task {task} has lost {}", lost.join(" and "))).restore(Some(task), root)
        }
        MirrorState::Behind { files } => {
            let message = format!("the mirror of task {task} is behind in {}", things(*files, "record"));
            warning(name, message).reconcile("mirror what is on disk, when no run is at work", task, root)
        }
    }
}

fn shared_files(shared: &Shared, root: &Root) -> Check {
    let Shared { lost, behind, task } = shared;
    match lost.as_slice() {
        [] => {
            let message = format!("the mirrors are behind in {} that all tasks share", things(*behind, "file"));
            warning("mirror", message).reconcile("mirror what is on disk", task, root)
        }
        [first, ..] => {
            let (others, verb) = match lost.len() - 1 {
                0 => (String::new(), "is"),
                more => (format!(" and {}", things(more, "other file")), "are"),
            };
            let message = format!("`{first}`{others} {verb} mirrored and not on disk");
            let is_project = lost.iter().any(|path| path.ends_with("/project.json"));
            let check = if is_project { problem("mirror", message) } else { warning("mirror", message) };
            check.restore(None, root)
        }
    }
}

fn sound(what: Sound, count: usize) -> Check {
    match what {
        Sound::Files => ok("state-files", format!("{} can be read", things(count, "state file"))),
        Sound::Worktrees => {
            ok("worktrees", format!("{} of this project, nothing astray", things(count, "registry entry")))
        }
        Sound::Commits => ok("commits", format!("{} there and kept", are(count, "recorded commit"))),
        Sound::Mirrors => ok("mirror", format!("{} mirrored as on disk", are(count, "task"))),
    }
}

fn are(count: usize, what: &str) -> String {
    format!("{} {}", things(count, what), if count == 1 { "is" } else { "are" })
}

fn things(count: usize, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {what}s"),
    }
}

pub(super) fn ok(name: &'static str, message: String) -> Check {
    Check { name, status: Status::Ok, message, advice: None }
}

pub(super) fn warning(name: &'static str, message: String) -> Check {
    Check { status: Status::Warning, ..ok(name, message) }
}

fn problem(name: &'static str, message: String) -> Check {
    Check { status: Status::Problem, ..ok(name, message) }
}

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Check {
    pub(super) fn advise(self, text: &str, command: Vec<String>) -> Self {
        Self { advice: Some(Advice { text: text.to_owned(), command }), ..self }
    }

    /// Advises to repair the task, which also keeps and mirrors what it records.
    fn reconcile(self, text: &str, task: &TaskName, root: &Root) -> Self {
        self.advise(text, root.okstra(&["git-reconcile", "--task", &task.to_string(), "--apply"]))
    }

    fn restore(self, task: Option<&TaskName>, root: &Root) -> Self {
        let task = task.map(ToString::to_string);
        let named = task.iter().flat_map(|task| ["--task", task.as_str()]);
        let command: Vec<_> = ["doctor", "--restore"].into_iter().chain(named).collect();
        self.advise("bring it back", root.okstra(&command))
    }
}

#[cfg(test)]
mod tests;
