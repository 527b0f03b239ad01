//! Where the worktrees are, and what each has checked out.

use std::fs;

use okstra::git::{Head, Repository, Worktree};

use super::{World, canonical, context, id};
use crate::common::{Run, Sandbox};

fn summary(worktrees: &[Worktree]) -> Vec<(String, Option<Head>)> {
    worktrees.iter().map(|worktree| (worktree.head_name.clone(), worktree.head.clone())).collect()
}

fn branch(name: &str) -> Option<Head> {
    Some(Head::Branch(format!("refs/heads/{name}")))
}

#[test]
fn every_worktree_is_listed_with_what_it_has_checked_out() {
    for (kind, world) in World::each() {
        let detached = world.sandbox.path().join("detached");
        world.git(&["worktree", "add", "-q", "--detach", detached.to_str().unwrap(), &world.first.to_string()]);
        let linked_head = ("worktrees/linked tree/HEAD".replace(' ', "-"), branch("side"));
        let detached_head = ("worktrees/detached/HEAD".to_owned(), Some(Head::Detached(world.first)));
        let context = world.context();

        let listed = world.open().worktrees(&context).unwrap();
        let expected = vec![("HEAD".to_owned(), branch("main")), detached_head.clone(), linked_head.clone()];
        assert_eq!(summary(&listed), expected, "{kind:?}");
        let paths: Vec<_> = listed.iter().map(|worktree| worktree.path.clone()).collect();
        assert_eq!(paths, [&world.repo, &detached, &world.linked].map(|path| canonical(path)), "{kind:?}");
        assert_eq!(listed[2].git_dir, canonical(&world.repo).join(".git/worktrees/linked-tree"), "{kind:?}");

        let from_linked = Repository::discover(&world.linked).unwrap();
        let expected = vec![("main-worktree/HEAD".to_owned(), branch("main")), detached_head, linked_head];
        assert_eq!(summary(&from_linked.worktrees(&context).unwrap()), expected, "{kind:?}");
        assert_eq!(from_linked.common_dir(), world.open().common_dir(), "{kind:?}");
        assert_eq!(from_linked.main_worktree().unwrap(), Some(canonical(&world.repo)), "{kind:?}");
    }
}

#[test]
fn the_head_of_a_folder_is_that_of_the_worktree_whose_root_it_is() {
    for (kind, world) in World::each() {
        let (repository, context) = (world.open(), world.context());
        let head_of = |folder: &std::path::Path| {
            let found = repository.head_of(&context, folder).unwrap();
            found.map(|found| (found.name, found.commit))
        };
        let linked = ("worktrees/linked-tree/HEAD".to_owned(), world.side);
        assert_eq!(head_of(&world.linked), Some(linked.clone()), "{kind:?}");
        assert_eq!(head_of(&world.repo), Some(("HEAD".to_owned(), world.main)), "{kind:?}");
        let from_linked = Repository::discover(&world.linked).unwrap();
        let main = from_linked.head_of(&context, &world.repo).unwrap().unwrap();
        assert_eq!((main.name.as_str(), main.commit), ("main-worktree/HEAD", world.main), "{kind:?}");

        // Another repository, in its place or elsewhere, is not taken for it; nor is a folder inside of it, or nothing.
        let other = world.sandbox.repository("other");
        world.sandbox.commit(&other, "file", "other\n", "other");
        let theirs = other.join("linked-tree");
        world.sandbox.git(&other, &["worktree", "add", "-q", theirs.to_str().unwrap()]);
        fs::create_dir(world.repo.join("folder")).unwrap();
        for folder in
            [&other, &theirs, &world.repo.join("folder"), &world.repo.join(".git"), &world.sandbox.path().join("none")]
        {
            assert_eq!(head_of(folder), None, "{kind:?} {folder:?}");
        }
        let moved = world.sandbox.path().join("moved");
        fs::rename(&world.linked, &moved).unwrap();
        assert_eq!(head_of(&world.linked), None, "{kind:?}");
        assert_eq!(head_of(&moved), Some(linked), "{kind:?}");
        fs::rename(&other, &world.linked).unwrap();
        assert_eq!(head_of(&world.linked), None, "{kind:?}");
    }
}

#[test]
fn one_stands_in_the_worktree_whose_files_one_sees() {
    let world = World::new(super::Kind::Files).unwrap();
    let repository = world.open();
    let (deep, nested) = (world.linked.join("a/b"), world.linked.join("nested"));
    fs::create_dir_all(&deep).unwrap();
    fs::create_dir(&nested).unwrap();
    world.sandbox.git(&nested, &["init", "-q"]);
    let root = |folder: &std::path::Path| repository.worktree_root(folder).unwrap();
    assert_eq!(root(&deep), Some(canonical(&world.linked)));
    assert_eq!(root(&world.linked), Some(canonical(&world.linked)));
    assert_eq!(root(&world.repo), Some(canonical(&world.repo)));
    for folder in [&nested, &world.repo.join(".git"), &world.repo.join(".git/worktrees/linked-tree")] {
        assert_eq!(root(folder), None, "{folder:?}");
    }
    assert_eq!(root(world.sandbox.path()), None);
    assert_eq!(root(&world.sandbox.path().join("none")), None);
}

#[test]
fn a_bare_repository_has_no_main_worktree() {
    let world = World::new(super::Kind::Files).unwrap();
    let (bare, tree) = (world.sandbox.path().join("bare.git"), world.sandbox.path().join("tree"));
    world.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    world.sandbox.git(&bare, &["worktree", "add", "-q", tree.to_str().unwrap(), "side"]);
    let context = world.context();
    for folder in [&bare, &tree] {
        let repository = Repository::discover(folder).unwrap();
        assert_eq!(repository.common_dir(), canonical(&bare));
        assert_eq!(repository.main_worktree().unwrap(), None, "{folder:?}");
        assert_eq!(
            summary(&repository.worktrees(&context).unwrap()),
            [("worktrees/tree/HEAD".to_owned(), branch("side"))]
        );
        assert_eq!(repository.head_of(&context, &bare).unwrap(), None);
        assert_eq!(repository.head_of(&context, &tree).unwrap().unwrap().commit, world.side);
        assert_eq!(repository.worktree_root(&bare).unwrap(), None);
        assert_eq!(repository.worktree_root(&tree).unwrap(), Some(canonical(&tree)));
    }
}

#[test]
fn a_bare_folder_with_a_git_file_beside_it_is_no_worktree() {
    let world = World::new(super::Kind::Files).unwrap();
    let project = world.sandbox.path().join("project");
    fs::create_dir(&project).unwrap();
    world.git(&["clone", "-q", "--bare", ".", project.join(".bare").to_str().unwrap()]);
    fs::write(project.join(".git"), "gitdir: ./.bare\n").unwrap();
    world.sandbox.git(&project, &["worktree", "add", "-q", "side"]);
    let (repository, context) = (Repository::discover(&project).unwrap(), world.context());
    assert_eq!(repository.main_worktree().unwrap(), None);
    assert_eq!(repository.worktree_root(&project).unwrap(), None);
    assert_eq!(repository.head_of(&context, &project).unwrap(), None);
    assert_eq!(repository.head_of(&context, &project.join("side")).unwrap().unwrap().commit, world.side);
}

#[test]
fn the_git_folder_may_be_elsewhere() {
    let sandbox = Sandbox::new();
    let (tree, linked) = (sandbox.path().join("tree"), sandbox.path().join("linked"));
    sandbox.git(sandbox.path(), &["init", "-q", "-b", "main", "--separate-git-dir", "store", "tree"]);
    let commit = id(&sandbox.commit(&tree, "file", "one\n", "one"));
    sandbox.git(&tree, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    let (repository, context) = (Repository::discover(&tree).unwrap(), context(&sandbox));
    assert_eq!(repository.common_dir(), canonical(&sandbox.path().join("store")));
    assert_eq!(repository.main_worktree().unwrap(), Some(canonical(&tree)));
    assert_eq!(repository.worktree_root(&tree).unwrap(), Some(canonical(&tree)));
    let head = repository.head_of(&context, &tree).unwrap().unwrap();
    assert_eq!((head.name.as_str(), head.commit), ("HEAD", commit));
    let names: Vec<_> = repository.worktrees(&context).unwrap().into_iter().map(|worktree| worktree.name).collect();
    assert_eq!(names, [None, Some("linked".to_owned())]);
    // Nothing in the git folder names the main worktree: from a linked one it is known by its folder only.
    let repository = Repository::discover(&linked).unwrap();
    assert_eq!(repository.head_of(&context, &tree).unwrap().unwrap().name, "main-worktree/HEAD");
}

#[test]
fn a_submodule_has_worktrees_of_its_own() {
    let world = World::new(super::Kind::Files).unwrap();
    let (above, linked) = (world.sandbox.repository("above"), world.sandbox.path().join("of the submodule"));
    let url = world.repo.to_str().unwrap();
    world.sandbox.git(&above, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "sub"]);
    let sub = above.join("sub");
    world.sandbox.git(&sub, &["worktree", "add", "-q", "-b", "new", linked.to_str().unwrap()]);
    let context = world.context();
    for (folder, main_name) in [(&sub, "HEAD"), (&linked, "main-worktree/HEAD")] {
        let repository = Repository::discover(folder).unwrap();
        assert_eq!(repository.main_worktree().unwrap(), Some(canonical(&sub)), "{folder:?}");
        let expected =
            [(main_name.to_owned(), branch("main")), ("worktrees/of-the-submodule/HEAD".to_owned(), branch("new"))];
        assert_eq!(summary(&repository.worktrees(&context).unwrap()), expected, "{folder:?}");
        assert_eq!(repository.head_of(&context, &sub).unwrap().unwrap().name, main_name);
        assert_eq!(repository.head_of(&context, &above).unwrap(), None);
        assert_eq!(repository.worktree_root(&sub).unwrap(), Some(canonical(&sub)));
        assert_eq!(repository.worktree_root(&above).unwrap(), None);
    }
}

#[test]
fn the_configuration_may_put_the_worktree_anywhere() {
    let world = World::new(super::Kind::Files).unwrap();
    let (store, home) = (world.sandbox.path().join("dotfiles"), world.sandbox.path().join("home"));
    world.git(&["clone", "-q", "--bare", ".", store.to_str().unwrap()]);
    for (key, value) in [("core.bare", "false"), ("core.worktree", home.to_str().unwrap())] {
        world.sandbox.git(&store, &["config", key, value]);
    }
    let (repository, context) = (Repository::discover(&store).unwrap(), world.context());
    assert_eq!(repository.main_worktree().unwrap(), Some(canonical(&home)));
    assert_eq!(repository.head_of(&context, &home).unwrap().unwrap().commit, world.main);
}

#[test]
fn a_worktree_whose_folder_is_gone_or_whose_head_is_broken_is_listed() {
    for (kind, world) in World::each() {
        fs::remove_dir_all(&world.linked).unwrap();
        let (repository, context) = (world.open(), world.context());
        let listed = repository.worktrees(&context).unwrap();
        assert_eq!((listed[1].head.clone(), listed[1].path.exists()), (branch("side"), false), "{kind:?}");
        assert!(listed[1].path.ends_with("linked tree"), "{kind:?}");
        assert_eq!(repository.head_of(&context, &world.linked).unwrap(), None, "{kind:?}");
        if kind != super::Kind::Reftable {
            fs::write(listed[1].git_dir.join("HEAD"), "nonsense").unwrap();
            let listed = repository.worktrees(&context).unwrap();
            assert_eq!((listed.len(), &listed[1].head), (2, &None), "{kind:?}");
        }
    }
}

#[test]
fn a_head_without_a_commit_is_none() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repository("new");
    let (repository, context) = (Repository::discover(&folder).unwrap(), context(&sandbox));
    assert_eq!(repository.head_of(&context, &folder).unwrap(), None);
    assert_eq!(repository.worktrees(&context).unwrap()[0].head, branch("main"));
}

#[test]
fn a_branch_can_have_the_names_that_git_lets_it_have() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repository("repo");
    let repository = Repository::discover(&folder).unwrap();
    let names = [
        "fix-login",
        "a/b",
        "a/b/c.d",
        "ünï",
        "a@b",
        "@",
        "a{b",
        "HEAD",
        "head",
        "a/HEAD",
        "refs/heads/x",
        "x+y",
        "x,y",
        "x'y",
        "",
        "-x",
        "a/-x",
        "a..b",
        ".a",
        "a/.b",
        "a.",
        "a.lock",
        "a.lock/b",
        "a//b",
        "/a",
        "a/",
        "a b",
        "a~b",
        "a^b",
        "a:b",
        "a?b",
        "a*b",
        "a[b",
        "a\\b",
        "a@{b",
        "@{-1}",
        "a\tb",
        "a\nb",
        "a\u{7f}b",
    ];
    for name in names {
        let asked = sandbox.command("git").current_dir(&folder).args(["check-ref-format", "--branch", name]).ran();
        assert_eq!(repository.is_branch_name(name), asked.code == Some(0), "{name:?}");
    }
}
