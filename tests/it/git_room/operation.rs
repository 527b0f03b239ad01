//! What git was left in the middle of, in states that git itself made.

use std::fs;
use std::path::Path;

use okstra::git::{OperationKind, Repository};

use super::{Kind, World};
use crate::common::{Ran, Run};

/// Git left a world in the middle of something, in the linked worktree on `side`.
fn leave(world: &World, arguments: &[&str]) -> Ran {
    let mut git = world.sandbox.command("git");
    let names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    git.args(arguments).current_dir(&world.linked).envs(names.map(|name| (name, "x@example.com")));
    git.env("GIT_EDITOR", "true").ran()
}

/// Where the heads that tell are files, and where they are not.
fn worlds() -> impl Iterator<Item = (Kind, World)> {
    [Kind::Files, Kind::Reftable].into_iter().filter_map(|kind| Some((kind, World::new(kind)?)))
}

/// Two commits on `main` and two on `side` that cannot be brought together.
fn diverge(world: &World) {
    world.sandbox.commit(&world.repo, "file", "main 1\n", "main 1");
    world.sandbox.commit(&world.repo, "file", "main 2\n", "main 2");
    world.sandbox.commit(&world.linked, "file", "side 1\n", "side 1");
    world.sandbox.commit(&world.linked, "file", "side 2\n", "side 2");
}

fn under_way(world: &World, name: &str) -> Option<(OperationKind, bool)> {
    let in_progress = |folder: &Path| {
        let operation = Repository::discover(folder).unwrap().operation_in_progress(&world.context(), name).unwrap();
        operation.map(|operation| {
            (operation.kind, operation.worktree == world.linked.canonicalize().unwrap_or(world.linked.clone()))
        })
    };
    let (from_main, from_linked) = (in_progress(&world.repo), in_progress(&world.linked));
    if name != "HEAD" {
        assert_eq!(from_main, from_linked, "{name}");
    }
    from_linked
}

#[test]
fn every_operation_is_seen_from_the_branch_and_from_the_worktree() {
    let cases: &[(&[&str], OperationKind)] = &[
        (&["merge", "main"], OperationKind::Merge),
        (&["rebase", "main"], OperationKind::Rebase),
        (&["rebase", "--apply", "main"], OperationKind::Rebase),
        (&["rebase", "-i", "--exec", "false", "main~2"], OperationKind::Rebase),
        (&["cherry-pick", "main"], OperationKind::CherryPick),
        (&["cherry-pick", "main~1", "main"], OperationKind::CherryPick),
        (&["revert", "--no-edit", "HEAD~1"], OperationKind::Revert),
        (&["am", "../main.patch"], OperationKind::Am),
    ];
    for (arguments, expected) in cases {
        for (kind, world) in worlds() {
            diverge(&world);
            let patch = world.git(&["format-patch", "-1", "--stdout", "main"]);
            fs::write(world.sandbox.path().join("main.patch"), format!("{patch}\n")).unwrap();
            for name in ["refs/heads/side", "HEAD"] {
                assert_eq!(under_way(&world, name), None, "{kind:?} before {arguments:?}");
            }
            let ran = leave(&world, arguments);
            assert_ne!(ran.code, Some(0), "{kind:?} {arguments:?} was to stop: {ran:?}");
            for name in ["refs/heads/side", "worktrees/linked-tree/HEAD", "HEAD"] {
                assert_eq!(under_way(&world, name), Some((*expected, true)), "{kind:?} {arguments:?} {name} {ran:?}");
            }
            for name in ["refs/heads/main", "main-worktree/HEAD", "refs/heads/none"] {
                assert_eq!(under_way(&world, name), None, "{kind:?} {arguments:?} {name}");
            }
            leave(&world, &[arguments[0], "--abort"]);
            assert_eq!(under_way(&world, "refs/heads/side"), None, "{kind:?} after {arguments:?}");
        }
    }
}

#[test]
fn between_two_commits_of_a_series_it_goes_on() {
    for (command, expected) in [("cherry-pick", OperationKind::CherryPick), ("revert", OperationKind::Revert)] {
        for (kind, world) in worlds() {
            diverge(&world);
            let commits: &[&str] = if command == "revert" { &["HEAD~1", "HEAD~2"] } else { &["main~1", "main"] };
            leave(&world, &[&[command], commits].concat());
            fs::write(world.linked.join("file"), "resolved\n").unwrap();
            assert_eq!(leave(&world, &["commit", "-a", "--no-edit"]).code, Some(0));
            assert!(!canonical_git_dir(&world).join("CHERRY_PICK_HEAD").exists());
            assert_eq!(under_way(&world, "refs/heads/side"), Some((expected, true)), "{kind:?} {command}");
        }
    }
}

fn canonical_git_dir(world: &World) -> std::path::PathBuf {
    world.repo.join(".git/worktrees/linked-tree")
}

#[test]
fn a_rebase_also_holds_the_branches_that_it_takes_along() {
    let world = World::new(Kind::Files).unwrap();
    diverge(&world);
    world.git(&["branch", "below", "side~1"]);
    leave(&world, &["rebase", "--update-refs", "main"]);
    assert_eq!(under_way(&world, "refs/heads/below"), Some((OperationKind::Rebase, true)));
}

#[test]
fn where_the_folder_is_gone_nothing_goes_on_unless_it_is_locked() {
    let world = World::new(Kind::Files).unwrap();
    diverge(&world);
    leave(&world, &["merge", "main"]);
    fs::remove_dir_all(&world.linked).unwrap();
    let kind = || {
        let operation = world.open().operation_in_progress(&world.context(), "refs/heads/side").unwrap();
        operation.map(|operation| operation.kind)
    };
    assert_eq!(kind(), None);
    world.git(&["worktree", "lock", world.linked.to_str().unwrap()]);
    assert_eq!(kind(), Some(OperationKind::Merge));
}

#[test]
fn the_kinds_are_the_words_of_git() {
    let kinds = ["Rebase", "Am", "Merge", "CherryPick", "Revert"];
    let words = [
        OperationKind::Rebase,
        OperationKind::Am,
        OperationKind::Merge,
        OperationKind::CherryPick,
        OperationKind::Revert,
    ];
    assert_eq!(words.map(|kind| format!("{kind:?}")), kinds);
    assert_eq!(words.map(|kind| kind.to_string()), ["rebase", "am", "merge", "cherry-pick", "revert"]);
}
