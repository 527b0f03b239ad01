//! The commit of a ref by its full name, and all refs below a prefix.

use std::fs;

use okstra::domain::ids::CommitId;
use okstra::git::{Error, Repository};

use super::{Kind, World};

#[test]
fn a_full_name_gives_its_commit() {
    for (kind, world) in World::each() {
        let (repository, context) = (world.open(), world.context());
        let commit = |name: &str| repository.ref_commit(&context, name).unwrap();
        let cases = [
            ("refs/heads/main", Some(world.main)),
            ("refs/heads/side", Some(world.side)),
            ("refs/tags/v1", Some(world.main)),
            ("HEAD", Some(world.main)),
            ("worktrees/linked-tree/HEAD", Some(world.side)),
            ("worktrees/none/HEAD", None),
            ("refs/heads/none", None),
            ("refs/heads/main/below", None),
            ("main", None),
            ("refs/heads/no name", None),
        ];
        for (name, expected) in cases {
            assert_eq!(commit(name), expected, "{kind:?} {name}");
        }
        world.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/side"]);
        world.git(&["symbolic-ref", "refs/heads/dangling", "refs/heads/unborn"]);
        assert_eq!((commit("refs/heads/alias"), commit("refs/heads/dangling")), (Some(world.side), None), "{kind:?}");
        let from_linked = Repository::discover(&world.linked).unwrap();
        assert_eq!(from_linked.ref_commit(&context, "HEAD").unwrap(), Some(world.side), "{kind:?}");
        assert_eq!(from_linked.ref_commit(&context, "main-worktree/HEAD").unwrap(), Some(world.main), "{kind:?}");
    }
}

#[test]
fn a_broken_ref_is_an_error_that_names_it() {
    let world = World::new(Kind::Files).unwrap();
    let (repository, context) = (world.open(), world.context());
    let tree = world.git(&["rev-parse", "main^{tree}"]);
    world.git(&["update-ref", "refs/tags/tree", &tree]);
    let refs = world.repo.join(".git/refs/heads");
    fs::write(refs.join("nonsense"), "nonsense\n").unwrap();
    fs::write(refs.join("missing"), format!("{}\n", "12".repeat(20))).unwrap();
    for (name, why) in [
        ("refs/heads/nonsense", ""),
        ("refs/heads/missing", "the commit 1212121212121212121212121212121212121212 is missing"),
        ("refs/tags/tree", "is a tree, not a commit"),
    ] {
        let error = repository.ref_commit(&context, name).unwrap_err();
        let Error::BrokenRef { name: named, source, .. } = &error else { panic!("{error:?}") };
        assert_eq!(named, name);
        assert!(source.to_string().contains(why), "{source}");
    }
}

#[test]
fn refs_below_a_prefix_are_listed_by_name() {
    for (kind, world) in World::each() {
        let set = |name: &str, commit: CommitId| {
            world.git(&["update-ref", &format!("refs/okstra/x/{name}"), &commit.to_string()])
        };
        for (name, commit) in [("b/t/1", world.side), ("a/s1", world.first), ("b/t-1", world.main)] {
            set(name, commit);
        }
        world.git(&["pack-refs", "--all"]);
        set("b/t.1", world.first);
        set("b/t/0", world.first);
        world.git(&["symbolic-ref", "refs/okstra/x/b/link", "refs/heads/main"]);
        let below = world.open().refs_below(&world.context(), "refs/okstra/x/b/").unwrap();
        let expected = [("t-1", world.main), ("t.1", world.first), ("t/0", world.first), ("t/1", world.side)];
        let expected = expected.map(|(name, commit)| (format!("refs/okstra/x/b/{name}"), commit));
        assert_eq!(below, expected, "{kind:?}");
        assert_eq!(world.open().refs_below(&world.context(), "refs/okstra/none/").unwrap(), [], "{kind:?}");
    }
}
