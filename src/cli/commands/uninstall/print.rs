//! What uninstall says to people.

use crate::cli::commands::say_gone;
use crate::cli::output::{Output, Tone};
use crate::cli::table::Cell;
use crate::domain::install::Removal;
use crate::ops::uninstall::Uninstalled;

/// What would be done.
pub(super) fn plan(planned: &Uninstalled, output: &mut Output) {
    let home = output.place(&planned.home);
    let what = match (&planned.version, &planned.purged) {
        (Some(version), None) => format!("okstra {version}"),
        (Some(version), Some(_)) => format!("okstra {version} and all of {home}"),
        (None, _) => format!("all of {home}; okstra is not installed"),
    };
    output.headline(Tone::Strong, "remove", &what);
    details(planned, output);
}

/// What was done; of a dry run, what would be.
pub(super) fn outcome(done: &Uninstalled, output: &mut Output) {
    if !done.changed {
        return output.headline(Tone::Quiet, "unchanged", "okstra is not installed");
    }
    if done.dry_run {
        plan(done, output);
        return output.title("nothing was done: this is a dry run");
    }
    let files = done.removed();
    let version = done
        .version
        .as_deref()
        .map_or_else(|| "its own folder".to_owned(), |version| format!("okstra {version}, {files} files"));
    output.headline(Tone::Good, "removed", &version);
    stays(done, output);
    if done.purged.is_none() && done.home.join("worktrees").is_dir() {
        output.next(
            "worktrees and their registry are still there; to remove them as well",
            &["npx", "-y", "okstra@latest", "uninstall", "--purge"],
        );
    }
}

fn details(planned: &Uninstalled, output: &mut Output) {
    let mut rows: Vec<_> = planned
        .files
        .iter()
        .filter(|step| {
            step.action == Removal::Remove
                && !std::path::Path::new(&step.path).starts_with(planned.home.join("runtime"))
        })
        .map(|step| vec![Cell::from("file"), Cell::from(output.place(&step.path))])
        .collect();
    let runtime = planned.removed() - rows.len();
    if runtime > 0 {
        let place = format!("{runtime} files in {}", output.place(planned.home.join("runtime")));
        rows.push(vec![Cell::from("runtime"), Cell::from(place)]);
    }
    let settings = planned.settings.iter().filter(|settings| settings.left.is_none());
    rows.extend(settings.map(|settings| {
        let count = settings.removed.len();
        vec![Cell::from("settings"), Cell::from(format!("{count} entries in {}", output.place(&settings.path)))]
    }));
    let mut ignored = Vec::new();
    if let Some(purged) = &planned.purged {
        rows.extend(purged.worktrees.iter().map(|path| vec![Cell::from("worktree"), Cell::from(output.place(path))]));
        let in_home = |name: &String| vec![Cell::from("own folder"), Cell::from(output.place(planned.home.join(name)))];
        rows.extend(purged.entries.iter().map(in_home));
        ignored.extend(purged.ignored.iter().map(|path| output.place(path)));
    }
    if !rows.is_empty() {
        output.table(&["what", "where"], &rows);
    }
    say_gone(&ignored, None, output);
    stays(planned, output);
}

fn stays(planned: &Uninstalled, output: &mut Output) {
    let purged = |path: &str| planned.purged.is_some() && std::path::Path::new(path).starts_with(&planned.home);
    let kept = planned.kept().filter(|path| !purged(path)).map(|path| {
        vec![Cell::of(Tone::Doubtful, "yours"), Cell::from(output.place(path)), Cell::from("you changed it")]
    });
    let left = planned.settings.iter().filter_map(|settings| {
        let why = settings.left.as_ref()?;
        Some(vec![Cell::of(Tone::Doubtful, "settings"), Cell::from(output.place(&settings.path)), Cell::from(why)])
    });
    let rows: Vec<_> = kept.chain(left).collect();
    if !rows.is_empty() {
        output.table(&["stays", "file", "why"], &rows);
    }
}
