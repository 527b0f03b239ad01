//! Snapshots: what is written is what is read, nothing of the user's is touched, nothing of two writers is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use okstra::domain::ids::CommitId;
use okstra::domain::moment::Moment;
use okstra::git::{Error, History, Limits, NewSnapshot, Repository, Snapshot, SnapshotFile};

use super::{Kind, World, id};
use crate::common::Run;

const NAME: &str = "refs/okstra/state/auth/fix-login";

fn file(path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> SnapshotFile {
    SnapshotFile { path: path.as_ref().into(), content: content.as_ref().to_vec() }
}

fn try_write(world: &World, files: &[SnapshotFile], more_parents: &[CommitId]) -> Result<Snapshot, Error> {
    let at = Moment::from_seconds(1_767_225_600);
    let snapshot = NewSnapshot { files, message: "a snapshot", at, more_parents };
    world.open().write_snapshot(&world.context(), NAME, &snapshot)
}

fn write(world: &World, files: &[SnapshotFile]) -> Snapshot {
    try_write(world, files, &[]).unwrap()
}

fn read(world: &World) -> Option<Vec<SnapshotFile>> {
    world.open().read_snapshot(&world.context(), NAME).unwrap()
}

/// Files that git would change if it were let, with names that it would quote.
fn odd_files() -> Vec<SnapshotFile> {
    vec![
        file(" a b ", "spaces\r\n"),
        file("a\"b'c", "quotes\n"),
        file("a\nb", "line break"),
        file("b.txt", "one\r\ntwo\n"),
        file("bin", [0, 1, 2, 255, 13, 10]),
        file("d/e/f", ""),
        file("d/é/ü", "$Id$ ident\n"),
        file("d.x", "sorts between d and d/\n"),
        file([b'r', 0xff], "not UTF-8"),
        file(".gitattributes", "* text=auto eol=crlf ident filter=bad\n"),
    ]
}

/// The state of everything that is the user's.
fn users(world: &World) -> BTreeMap<String, Vec<u8>> {
    let git = |arguments: &[&str]| world.git(arguments).into_bytes();
    let mut state = BTreeMap::new();
    // Not by `--exclude`: with a reftable git 2.47 then leaves out others too.
    let refs = world.git(&["for-each-ref"]);
    let refs: String = refs.lines().filter(|line| !line.contains("refs/okstra/")).collect();
    state.insert("refs".to_owned(), refs.into_bytes());
    state.insert("stash".to_owned(), git(&["stash", "list"]));
    state.insert("worktrees".to_owned(), git(&["worktree", "list", "--porcelain"]));
    state.insert("reflog".to_owned(), git(&["reflog", "show", "--all"]));
    state.insert("status".to_owned(), git(&["--no-optional-locks", "status", "--porcelain=v2", "--branch"]));
    for path in [".git/index", ".git/config", ".git/HEAD", "file", "untracked"] {
        state.insert(path.to_owned(), fs::read(world.repo.join(path)).unwrap());
    }
    let entries = fs::read_dir(world.repo.join(".git")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    state.insert("git folder".to_owned(), names.join("\n").into_bytes());
    state
}

#[test]
fn what_is_written_is_what_is_read_and_the_user_sees_nothing_of_it() {
    for (kind, world) in World::each() {
        for (name, content) in [("file", "stashed\n"), ("file", "staged\n"), ("untracked", "untracked\n")] {
            fs::write(world.repo.join(name), content).unwrap();
            if content == "stashed\n" {
                world.git(&["stash", "-q"]);
            }
            if content == "staged\n" {
                world.git(&["add", "file"]);
            }
        }
        fs::write(world.repo.join("file"), "edited\n").unwrap();
        let hooks = world.failing_hooks();
        for (key, value) in [
            ("core.hooksPath", hooks.to_str().unwrap()),
            ("commit.gpgSign", "true"),
            ("core.autocrlf", "true"),
            ("core.safecrlf", "true"),
            ("filter.bad.clean", "sed s/^/filtered/"),
            ("core.logAllRefUpdates", "always"),
            ("user.name", "User"),
            ("i18n.commitEncoding", "latin1"),
        ] {
            world.git(&["config", key, value]);
        }
        fs::write(world.repo.join(".git/info/attributes"), "* filter=bad text eol=crlf\n").unwrap();

        let before = users(&world);
        let mut files = odd_files();
        let written = write(&world, &files);
        assert!(written.changed, "{kind:?}");
        let after = users(&world);
        let changed: Vec<_> = before.iter().filter(|(what, state)| after.get(*what) != Some(*state)).collect();
        assert!(changed.is_empty(), "{kind:?} {changed:?}");

        files.sort_by(|a, b| a.path.cmp(&b.path));
        assert_eq!(read(&world), Some(files.clone()), "{kind:?}");
        assert_eq!(world.open().read_snapshot_at(written.commit).unwrap(), files, "{kind:?}");
        let modes = world.git(&["ls-tree", "-r", "-z", "--format=%(objectmode)", NAME]);
        assert_eq!(modes.trim_matches('\0'), vec!["100644"; files.len()].join("\0"), "{kind:?}");
        world.git(&["fsck", "--strict", "--no-dangling"]);
        assert!(!world.repo.join(".git/logs/refs/okstra").exists(), "{kind:?}");
    }
}

#[test]
fn the_commit_is_okstras_and_follows_the_one_before() {
    for (kind, world) in World::each() {
        let show =
            |commit: CommitId| world.git(&["log", "-1", "--format=%an %ae %at %cn %ce %ct|%P|%B", &commit.to_string()]);
        let who = "okstra okstra@localhost 1767225600 okstra okstra@localhost 1767225600";
        let first = write(&world, &[file("a", "1")]);
        assert_eq!(show(first.commit), format!("{who}||a snapshot"), "{kind:?}");
        let again = write(&world, &[file("a", "1")]);
        assert_eq!(again, Snapshot { commit: first.commit, changed: false }, "{kind:?}");
        world.git(&["pack-refs", "--all", "--prune"]);
        let second = write(&world, &[file("b/c", "1"), file("a", "2")]);
        assert_eq!(show(second.commit), format!("{who}|{}|a snapshot", first.commit), "{kind:?}");
        // Exactly these files: what is not given is not there.
        let empty = write(&world, &[]);
        assert_eq!((read(&world), empty.changed), (Some(Vec::new()), true), "{kind:?}");
        world.git(&["fsck", "--strict", "--no-dangling"]);
        let refs = world.open().refs_below(&world.context(), "refs/okstra/state/").unwrap();
        assert_eq!(refs, [(NAME.to_owned(), empty.commit)], "{kind:?}");
    }
}

#[test]
fn other_parents_are_added_unless_they_are_reached_already() {
    let world = World::new(Kind::Files).unwrap();
    let files = [file("a", "1")];
    let first = write(&world, &files).commit;
    world.git(&["update-ref", "refs/okstra/remotes/origin/state/auth/fix-login", &world.side.to_string()]);
    let merge = try_write(&world, &files, &[world.side, first, world.side]).unwrap();
    let parents = world.git(&["log", "-1", "--format=%P", &merge.commit.to_string()]);
    assert_eq!((merge.changed, parents), (true, format!("{first} {}", world.side)));
    let again = try_write(&world, &files, &[world.side, first]).unwrap();
    assert_eq!(again, Snapshot { commit: merge.commit, changed: false });
}

#[test]
fn it_works_from_a_linked_worktree_and_in_a_bare_repository() {
    let world = World::new(Kind::Files).unwrap();
    let bare = world.sandbox.path().join("bare.git");
    world.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let files = [file("a/b", "1\r\n")];
    for folder in [&world.linked, &world.linked.join(".."), &bare] {
        let Ok(repository) = Repository::discover(folder) else { continue };
        let snapshot = NewSnapshot { files: &files, message: "m\n\n", at: Moment::from_seconds(-1), more_parents: &[] };
        let context = world.context();
        let written = repository.write_snapshot(&context, NAME, &snapshot).unwrap();
        assert_eq!(repository.read_snapshot(&context, NAME).unwrap().unwrap(), files, "{folder:?}");
        assert!(written.changed);
        assert_eq!(world.sandbox.git(folder, &["log", "-1", "--format=%at%B", NAME]), "0m");
    }
    assert_eq!(read(&world).unwrap(), files);
}

#[test]
fn nothing_is_lost_when_two_write_at_once() {
    for (kind, world) in World::each() {
        let written: Vec<CommitId> = std::thread::scope(|scope| {
            let writer = |who: &'static str| {
                let world = &world;
                let (repository, context) = (world.open(), world.context());
                scope.spawn(move || {
                    let commits = (0..6).map(|number| {
                        let files = [file(who, format!("{number}"))];
                        let at = Moment::from_seconds(1_767_225_600);
                        let snapshot = NewSnapshot { files: &files, message: who, at, more_parents: &[] };
                        repository.write_snapshot(&context, NAME, &snapshot).unwrap().commit
                    });
                    commits.collect::<Vec<_>>()
                })
            };
            let writers = [writer("one"), writer("two"), writer("three")];
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(world.git(&["rev-list", "--count", NAME]), "18", "{kind:?}");
        let repository = world.open();
        let tip = repository.ref_commit(&world.context(), NAME).unwrap().unwrap();
        let mut history = History::new(&repository);
        for commit in written {
            let reached = history.reaches(&world.context(), tip, commit, Limits::default()).unwrap();
            assert_eq!(reached, Some(true), "{kind:?} {commit}");
        }
    }
}

#[test]
fn paths_that_cannot_be_are_refused_before_anything_is_written() {
    let world = World::new(Kind::Files).unwrap();
    let cases: &[&[&str]] = &[
        &[""],
        &["/a"],
        &["a/"],
        &["a//b"],
        &["../a"],
        &["a/./b"],
        &[".git/config"],
        &["a\0"],
        &["a", "a"],
        &["a/b", "a"],
    ];
    for paths in cases {
        let files: Vec<_> = paths.iter().map(|path| file(path, "")).collect();
        let error = try_write(&world, &files, &[]).unwrap_err();
        assert!(matches!(error, Error::SnapshotPath { .. }), "{paths:?} {error:?}");
    }
    assert_eq!(read(&world), None);
    write(&world, &[file("a", ""), file("a.b", ""), file("ab/a", ""), file("a b/a", "")]);
}

/// Makes a commit whose tree has these entries, as `git mktree` would, without its checks.
fn commit_of(world: &World, entries: &[(&str, &str, String)]) -> CommitId {
    let mut raw = Vec::new();
    for (mode, name, object) in entries {
        raw.extend(format!("{mode} {name}\0").into_bytes());
        raw.extend((0..object.len()).step_by(2).map(|at| u8::from_str_radix(&object[at..at + 2], 16).unwrap()));
    }
    let path = world.sandbox.path().join("raw tree");
    fs::write(&path, raw).unwrap();
    let tree = world.git(&["hash-object", "-t", "tree", "-w", "--literally", path.to_str().unwrap()]);
    id(&world.git(&["commit-tree", "-m", "hostile", &tree]))
}

#[test]
fn a_snapshot_from_elsewhere_cannot_lead_out_of_its_folder() {
    let world = World::new(Kind::Files).unwrap();
    let blob = world.git(&["rev-parse", "main:file"]);
    let tree = world.git(&["rev-parse", "main^{tree}"]);
    for (mode, name, object) in [
        ("100644", "..", &blob),
        ("40000", "..", &tree),
        ("100644", "../../x", &blob),
        ("100644", "/etc/x", &blob),
        ("40000", ".git", &tree),
        ("120000", "link", &blob),
        ("160000", "module", &world.main.to_string()),
    ] {
        let commit = commit_of(&world, &[(mode, name, object.clone())]);
        let error = world.open().read_snapshot_at(commit).unwrap_err();
        let Error::SnapshotPath { entry, .. } = &error else { panic!("{name}: {error:?}") };
        assert_eq!(entry, name);
    }
    let mut bomb = commit_of(&world, &[("100644", "a", blob)]);
    for _ in 0..40 {
        let tree = world.git(&["rev-parse", &format!("{bomb}^{{tree}}")]);
        bomb = commit_of(&world, &[("40000", "a", tree.clone()), ("40000", "b", tree)]);
    }
    assert!(matches!(world.open().read_snapshot_at(bomb), Err(Error::SnapshotPath { .. })));
}

fn object_path(world: &World, object: &str) -> std::path::PathBuf {
    world.repo.join(".git/objects").join(&object[..2]).join(&object[2..])
}

#[test]
fn what_is_missing_of_a_snapshot_is_named_and_comes_back_with_the_next() {
    let world = World::new(Kind::Files).unwrap();
    let files = [file("a", "1"), file("b/c", "2")];
    let commit = write(&world, &files).commit;
    let blob = world.git(&["rev-parse", &format!("{NAME}:b/c")]);
    let tree = world.git(&["rev-parse", &format!("{NAME}^{{tree}}")]);
    for (object, entry) in [(&blob, "b/c"), (&tree, "")] {
        fs::remove_file(object_path(&world, object)).unwrap();
        let error = world.open().read_snapshot_at(commit).unwrap_err();
        let Error::SnapshotGap { entry: named, id, .. } = &error else { panic!("{error:?}") };
        assert_eq!((named.as_str(), id), (entry, object));
        assert_eq!(write(&world, &files), Snapshot { commit, changed: false });
        assert_eq!(read(&world).unwrap(), files);
    }
    fs::remove_file(object_path(&world, &commit.to_string())).unwrap();
    assert!(matches!(try_write(&world, &files, &[]), Err(Error::BrokenRef { .. })));
    assert!(matches!(world.open().read_snapshot_at(commit), Err(Error::SnapshotGap { .. })));
}

#[test]
fn a_symbolic_ref_in_its_place_moves_no_branch() {
    let world = World::new(Kind::Files).unwrap();
    world.git(&["symbolic-ref", NAME, "refs/heads/main"]);
    write(&world, &[file("a", "1")]);
    assert_eq!(world.git(&["rev-parse", "refs/heads/main"]), world.main.to_string());
    assert_eq!(read(&world).unwrap(), [file("a", "1")]);
}

#[test]
fn replace_refs_have_no_say() {
    let world = World::new(Kind::Files).unwrap();
    let first = write(&world, &[file("a", "1")]).commit;
    world.git(&["replace", &first.to_string(), &world.main.to_string()]);
    world.git(&["replace", &world.git(&["rev-parse", "main:file"]), &world.git(&["rev-parse", "main~1:file"])]);
    assert_eq!(write(&world, &[file("a", "1")]), Snapshot { commit: first, changed: false });
    let second = write(&world, &[file("a", "two\n")]).commit;
    assert_eq!(read(&world).unwrap(), [file("a", "two\n")]);
    let raw = world.git(&["--no-replace-objects", "cat-file", "commit", &second.to_string()]);
    assert!(raw.contains(&format!("parent {first}\n")), "{raw}");
}

#[test]
fn where_git_cannot_write_the_error_says_why() {
    let world = World::new(Kind::Files).unwrap();
    let lock = world.repo.join(".git").join(format!("{NAME}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    assert!(matches!(try_write(&world, &[], &[]), Err(Error::RefLocked { .. })));
    fs::remove_file(&lock).unwrap();
    fs::create_dir_all(Path::new(&lock).with_extension("")).unwrap();
    world.git(&["update-ref", &format!("{NAME}/below"), &world.main.to_string()]);
    let error = try_write(&world, &[], &[]).unwrap_err();
    assert!(matches!(&error, Error::GitCommand { message, .. } if message.contains("exists")), "{error:?}");
    let gone = world.sandbox.command("git").args(["rev-parse", "-q", "--verify", NAME]).current_dir(&world.repo).ran();
    assert_ne!(gone.code, Some(0));
}
