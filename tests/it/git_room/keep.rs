//! Keep refs: made once, all or none, whoever else is at it.

use std::fs;

use okstra::domain::ids::CommitId;
use okstra::domain::names::TaskName;
use okstra::git::{Error, Repository, keep};

use super::{Kind, World};
use crate::common::Run;

fn task() -> TaskName {
    "auth/fix-login".parse().unwrap()
}

fn stage_ref(stage: u32, commit: CommitId) -> (String, CommitId) {
    (keep::ref_name(&task(), stage, commit), commit)
}

/// A repository in which anything that may stand in the way of a write does.
fn obstruct(world: &World) {
    let hooks = world.failing_hooks();
    for (key, value) in [
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("commit.gpgSign", "true"),
        ("gpg.program", "/bin/false"),
        ("core.autocrlf", "true"),
        ("core.logAllRefUpdates", "always"),
        ("extensions.worktreeConfig", "true"),
    ] {
        world.git(&["config", key, value]);
    }
}

#[test]
fn missing_refs_are_made_and_present_ones_stay() {
    for (kind, world) in World::each() {
        obstruct(&world);
        let context = world.context();
        let mut refs = vec![stage_ref(1, world.first), stage_ref(2, world.main), stage_ref(2, world.main)];
        world.open().keep_commits(&context, &refs).unwrap();
        world.git(&["-c", "core.hooksPath=/dev/null", "pack-refs", "--all"]);
        refs.push((keep::integration_ref_name(&task(), world.side), world.side));
        // From a linked worktree the same refs are meant.
        let linked = Repository::discover(&world.linked).unwrap();
        linked.keep_commits(&context, &refs).unwrap();
        linked.keep_commits(&context, &refs).unwrap();
        linked.keep_commits(&context, &[]).unwrap();
        refs.dedup();
        assert_eq!(world.open().kept(&context, &task()).unwrap(), refs, "{kind:?}");
        assert_eq!(world.open().kept(&context, &"auth/fix".parse().unwrap()).unwrap(), [], "{kind:?}");
        let shown = world.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/okstra"]);
        assert_eq!(shown.lines().count(), 3, "{kind:?} {shown}");
        assert!(!world.repo.join(".git/logs/refs/okstra").exists(), "{kind:?}");
    }
}

#[test]
fn a_bare_repository_keeps_too() {
    let world = World::new(Kind::Files).unwrap();
    let bare = world.sandbox.path().join("bare.git");
    world.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let (repository, context) = (Repository::discover(&bare).unwrap(), world.context());
    repository.keep_commits(&context, &[stage_ref(1, world.main)]).unwrap();
    assert_eq!(repository.kept(&context, &task()).unwrap(), [stage_ref(1, world.main)]);
}

#[test]
fn a_ref_with_another_commit_is_an_error_that_shows_both_and_none_is_made() {
    for (kind, world) in World::each() {
        let (name, other) = (keep::ref_name(&task(), 1, world.main), keep::ref_name(&task(), 2, world.main));
        world.git(&["update-ref", &name, &world.side.to_string()]);
        let refs = [(other, world.main), (name.clone(), world.main)];
        let error = world.open().keep_commits(&world.context(), &refs).unwrap_err();
        let shown = error.to_string();
        for text in [&name, &world.main.to_string(), &world.side.to_string()] {
            assert!(shown.contains(text), "{kind:?} {shown}");
        }
        assert!(matches!(error, Error::RefChanged { .. }), "{kind:?}");
        assert_eq!(world.open().kept(&world.context(), &task()).unwrap().len(), 1, "{kind:?}");
        let twice = [stage_ref(3, world.main), (stage_ref(3, world.main).0, world.first)];
        let error = world.open().keep_commits(&world.context(), &twice).unwrap_err();
        assert!(matches!(error, Error::RefChanged { .. }), "{kind:?}");
    }
}

#[test]
fn a_commit_that_is_not_there_is_not_kept_and_takes_the_others_along() {
    let world = World::new(Kind::Files).unwrap();
    let gone = super::id(&"12".repeat(20));
    let error =
        world.open().keep_commits(&world.context(), &[stage_ref(1, world.main), stage_ref(2, gone)]).unwrap_err();
    assert!(error.to_string().contains("nonexistent object"), "{error}");
    assert_eq!(world.open().kept(&world.context(), &task()).unwrap(), []);
}

#[test]
fn a_partial_clone_fetches_nothing_to_keep_it() {
    let world = World::new(Kind::Files).unwrap();
    let partial = world.sandbox.path().join("partial");
    world.git(&["config", "uploadpack.allowFilter", "true"]);
    world.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", world.repo.display());
    world.git(&["clone", "-q", "--filter=blob:none", "--single-branch", &url, partial.to_str().unwrap()]);
    let (repository, context) = (Repository::discover(&partial).unwrap(), world.context());
    repository.keep_commits(&context, &[stage_ref(1, world.main)]).unwrap();
    let error = repository.keep_commits(&context, &[stage_ref(2, world.side)]).unwrap_err();
    assert!(error.to_string().contains("nonexistent object"), "{error}");
    assert!(repository.commit_by_id(&world.side.to_string()).unwrap().is_err());
}

#[cfg(unix)]
#[test]
fn whose_the_repository_is_makes_no_difference() {
    let world = World::new(Kind::Files).unwrap();
    for folder in [world.repo.clone(), world.repo.join(".git")] {
        if std::os::unix::fs::chown(folder, Some(54_321), None).is_err() {
            return; // Only a superuser may give things away.
        }
    }
    world.open().keep_commits(&world.context(), &[stage_ref(1, world.main)]).unwrap();
}

#[test]
fn two_that_keep_the_same_at_once_both_end_well() {
    for (kind, world) in World::each() {
        let refs: Vec<_> = (1..=16).map(|stage| stage_ref(stage, world.main)).collect();
        std::thread::scope(|scope| {
            let one = |order: Vec<(String, CommitId)>| {
                let (repository, context) = (world.open(), world.context());
                scope.spawn(move || order.chunks(4).for_each(|few| repository.keep_commits(&context, few).unwrap()))
            };
            let reversed = refs.iter().rev().cloned().collect();
            let threads = [one(refs.clone()), one(refs.clone()), one(reversed)];
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert_eq!(world.open().kept(&world.context(), &task()).unwrap().len(), 16, "{kind:?}");
    }
}

#[test]
fn a_lock_that_goes_is_waited_for_and_one_that_stays_is_named() {
    let world = World::new(Kind::Files).unwrap();
    let (name, commit) = stage_ref(1, world.main);
    let lock = world.repo.join(".git").join(format!("{name}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    let error = world.open().keep_commits(&world.context(), &[(name.clone(), commit)]).unwrap_err();
    assert!(matches!(&error, Error::RefLocked { name: named, .. } if *named == name), "{error:?}");
    assert!(error.to_string().contains(".lock"), "{error}");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(700));
            fs::remove_file(&lock).unwrap();
        });
        world.open().keep_commits(&world.context(), &[(name, commit)]).unwrap();
    });
}

#[test]
fn a_lock_of_a_reftable_is_named_too() {
    let Some(world) = World::new(Kind::Reftable) else { return };
    fs::write(world.repo.join(".git/reftable/tables.list.lock"), "").unwrap();
    let error = world.open().keep_commits(&world.context(), &[stage_ref(1, world.main)]).unwrap_err();
    assert!(matches!(error, Error::RefLocked { .. }), "{error:?}");
}

#[cfg(unix)]
#[test]
fn where_nothing_may_be_written_the_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new(Kind::Files).unwrap();
    let refs = world.repo.join(".git/refs");
    fs::set_permissions(&refs, fs::Permissions::from_mode(0o555)).unwrap();
    let may_write = fs::create_dir(refs.join("try")).is_ok();
    let kept = world.open().keep_commits(&world.context(), &[stage_ref(1, world.main)]);
    fs::set_permissions(&refs, fs::Permissions::from_mode(0o755)).unwrap();
    if may_write {
        return; // A superuser may write everywhere.
    }
    let error = kept.unwrap_err().to_string();
    assert!(error.contains("Permission denied") || error.contains("unable to create directory"), "{error}");
    assert!(error.contains(world.repo.file_name().unwrap().to_str().unwrap()), "{error}");
}

#[test]
fn a_kept_commit_survives_the_collection() {
    let world = World::new(Kind::Files).unwrap();
    world.open().keep_commits(&world.context(), &[stage_ref(1, world.side)]).unwrap();
    world.git(&["worktree", "remove", "--force", world.linked.to_str().unwrap()]);
    world.git(&["branch", "-q", "-D", "side"]);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["gc", "-q", "--prune=now"]);
    let there =
        world.sandbox.command("git").args(["cat-file", "-e", &world.side.to_string()]).current_dir(&world.repo).ran();
    assert_eq!(there.code, Some(0));
}

#[test]
fn refs_are_let_go_only_where_they_were_read_to_be() {
    for (kind, world) in World::each() {
        obstruct(&world);
        let context = world.context();
        let refs = [stage_ref(1, world.first), stage_ref(2, world.main), stage_ref(3, world.side)];
        world.open().keep_commits(&context, &refs).unwrap();
        world.git(&["-c", "core.hooksPath=/dev/null", "pack-refs", "--all"]);
        // One is somewhere else by now, one is gone: both are left as they are.
        let moved = (refs[1].0.clone(), world.side);
        let gone = stage_ref(9, world.main);
        let linked = Repository::discover(&world.linked).unwrap();
        linked.let_go(&context, &[refs[0].clone(), moved, gone]).unwrap();
        assert_eq!(world.open().kept(&context, &task()).unwrap(), refs[1..], "{kind:?}");
        world.open().let_go(&context, &refs).unwrap();
        world.open().let_go(&context, &refs).unwrap();
        assert_eq!(world.open().kept(&context, &task()).unwrap(), [], "{kind:?}");
    }
}
