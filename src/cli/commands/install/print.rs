//! What install says to people.

use std::path::Path;

use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::domain::install::{Action, Kind, is_older};
use crate::domain::shell;
use crate::ops::install::{Installed, Permissions, Project, Step};

/// What would be done.
pub(super) fn plan(planned: &Installed, output: &mut Output) {
    output.headline(Tone::Strong, "install", &what(planned));
    if let Some(newer) = planned.replaces.as_deref().filter(|other| is_older(&planned.version, other)) {
        output.warning(&format!("okstra {newer}, which is installed, is newer than this okstra {}", planned.version));
    }
    changes(planned, output);
    if let Some(project) = &planned.project {
        in_project(project, false, output);
    }
}

/// What was done; of a dry run, what would be.
pub(super) fn outcome(done: &Installed, output: &mut Output) {
    if done.dry_run && done.changed {
        plan(done, output);
        if let Some(permissions) = done.project.as_ref().and_then(|project| project.permissions.as_ref()) {
            self::permissions(permissions, &done.executable, output);
        }
        return output.title("nothing was done: this is a dry run");
    }
    let what = what(done);
    match done.changed {
        true => output.headline(Tone::Good, "installed", &what),
        false => output.headline(Tone::Quiet, "unchanged", &format!("{what} is installed already")),
    }
    kept(done, output);
    let runtime = done.home.join("runtime");
    let removed = done.with(Action::Remove).filter(|step| !Path::new(&step.path).starts_with(&runtime));
    let rows: Vec<_> = removed.map(|step| vec![Cell::from("removed"), Cell::from(output.place(&step.path))]).collect();
    if !rows.is_empty() {
        output.table(&["no longer shipped, or now in another folder", ""], &rows);
    }
    if let Some(project) = done.project.as_ref().filter(|_| done.changed) {
        in_project(project, true, output);
    }
    next(done, output);
}

/// What is installed, for whom, and in the place of what.
fn what(installed: &Installed) -> String {
    let replaces = installed.replaces.as_ref().map(|other| format!(", in the place of {other}"));
    format!("okstra {} for {}{}", installed.version, agents(installed), replaces.unwrap_or_default())
}

fn agents(installed: &Installed) -> String {
    let names: Vec<_> = installed.targets.iter().map(|target| target.as_str()).collect();
    names.join(", ")
}

/// The files that change, and those that stay although okstra's are others.
fn changes(planned: &Installed, output: &mut Output) {
    let mut rows = Vec::new();
    for (action, word) in [(Action::Create, "create"), (Action::Update, "update"), (Action::Remove, "remove")] {
        let runtime = planned.home.join("runtime");
        let (many, single): (Vec<_>, Vec<_>) =
            planned.with(action).partition(|step| Path::new(&step.path).starts_with(&runtime));
        let row = |kind: Kind, path: String| vec![Cell::from(word), Cell::from(name(kind)), Cell::from(path)];
        rows.extend(single.into_iter().map(|step| row(step.kind, output.place(&step.path))));
        if let Some(first) = many.first() {
            let folder = if action == Action::Remove { runtime } else { runtime.join(&planned.version) };
            let path = if many.len() == 1 { output.place(&first.path) } else { output.place(folder) };
            rows.push(vec![Cell::from(word), Cell::from(files(many.len())), Cell::from(path)]);
        }
    }
    if !rows.is_empty() {
        output.table(&["do", "what", "where"], &rows);
    }
    kept(planned, output);
}

fn kept(installed: &Installed, output: &mut Output) {
    let row = |step: &Step| {
        let beside = match &step.offered {
            Some(offered) => format!("okstra's own is {}", output.place(offered)),
            None => "it stays as it is".to_owned(),
        };
        vec![Cell::of(Tone::Doubtful, "yours"), Cell::from(output.place(&step.path)), Cell::from(beside)]
    };
    let rows: Vec<_> = installed.with(Action::Keep).map(row).collect();
    if !rows.is_empty() {
        output.table(&["kept", "file", "why"], &rows);
    }
}

fn in_project(project: &Project, done: bool, output: &mut Output) {
    let root = output.place(&project.root);
    let (is, becomes) = if done { ("is now", "is") } else { ("becomes", "is") };
    let what = if project.created { is } else { becomes };
    let mut fields = vec![("project".to_owned(), format!("{root} {what} the project {}", project.id))];
    if let Some(permissions) = &project.permissions {
        let path = output.place(&permissions.path);
        let count = |entries: &[String]| entries.len();
        let changed = match (count(&permissions.added), count(&permissions.removed)) {
            (0, 0) => format!("nothing new in {path}"),
            (added, 0) => format!("{added} entries {} {path}", if done { "added to" } else { "for" }),
            (added, removed) => format!("{added} entries more and {removed} fewer in {path}"),
        };
        fields.push(("permissions".to_owned(), changed));
        let backup = permissions.backup.as_ref().filter(|_| done);
        fields.extend(backup.map(|backup| ("backup".to_owned(), output.place(backup))));
    }
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str(), "")).collect();
    output.fields(&fields);
}

/// What agents would be allowed, entry by entry.
pub(super) fn permissions(permissions: &Permissions, executable: &Path, output: &mut Output) {
    let path = output.place(&permissions.path);
    output.title(&format!("permissions for agents, in {path}"));
    let program = shell::word(&executable.to_string_lossy());
    let long = |entry: &String| entry.replacen("Bash(okstra ", &format!("Bash({program} "), 1);
    let (plain, others): (Vec<_>, Vec<_>) =
        permissions.added.iter().partition(|entry| entry.starts_with("Bash(okstra "));
    let is_twice = plain.iter().map(|entry| long(entry)).eq(others.iter().map(|entry| (*entry).clone()));
    let shown = if is_twice { plain } else { permissions.added.iter().collect() };
    shown.iter().for_each(|entry| output.paste(entry));
    if is_twice {
        output.text(&format!("and the same for {program}, which is how skills call it"));
    }
    output.text("They read and record. What a person decides is not among them.");
}

fn next(done: &Installed, output: &mut Output) {
    let executable = done.executable.to_string_lossy();
    let program = if done.path_advice.is_some() { executable.as_ref() } else { "okstra" };
    if let Some(advice) = &done.path_advice {
        output.next(&advice.text, &[]);
        output.paste(&advice.command);
    }
    if let Some(other) = &done.shadowed_by {
        output.next(
            &format!(
                "put {} first on PATH: {} comes before it",
                output.place(done.home.join("bin")),
                output.place(other)
            ),
            &[],
        );
    }
    if !done.also_found.is_empty() {
        let names: Vec<_> = done.also_found.iter().map(|target| target.as_str()).collect();
        output.next(
            &match names.as_slice() {
                [one] => format!("{one} is here too; to install for it"),
                several => format!("{} are here too; to install for them", several.join(" and ")),
            },
            &[program, "install", "--target", &names.join(",")],
        );
    }
    if done.project.as_ref().is_some_and(|project| project.created) {
        let task = ["--task", "GROUP/ID", "--category", "fix", "--brief", "FILE"];
        output.next(
            "commit .okstra/project.json, and begin a task: what is asked for, in a file",
            &[&[program, "run"], &task[..]].concat(),
        );
    }
    if done.project.is_none() && done.changed {
        output.next("in a repository, make it a project", &[program, "install", "--project"]);
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Executable => "executable",
        Kind::Runtime => "runtime",
        Kind::Skill => "skill",
        Kind::Agent => "agent",
        Kind::Old => "old file",
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}
