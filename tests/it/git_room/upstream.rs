//! The upstream of a branch, configured as people do, against what git says.

use okstra::git::Repository;

use super::{Kind, World};

#[test]
fn it_is_what_git_takes_for_it() {
    let world = World::new(Kind::Files).unwrap();
    let clone = world.sandbox.path().join("clone");
    world.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let git = |arguments: &[&str]| world.sandbox.git(&clone, arguments);
    git(&["checkout", "-q", "-b", "feature", "origin/side"]);
    git(&["checkout", "-q", "-b", "ue ü/1".replace(' ', "").as_str(), "--track", "main"]);
    git(&["remote", "add", "other", world.repo.to_str().unwrap()]);
    git(&["config", "remote.other.fetch", "+refs/heads/*:refs/mirror/x/*"]);
    git(&["fetch", "-q", "other"]);
    git(&["branch", "mirrored", "HEAD"]);
    git(&["config", "branch.mirrored.remote", "other"]);
    git(&["config", "branch.mirrored.merge", "refs/heads/side"]);
    git(&["branch", "octopus", "HEAD"]);
    git(&["config", "branch.octopus.remote", "origin"]);
    git(&["config", "--add", "branch.octopus.merge", "refs/heads/side"]);
    git(&["config", "--add", "branch.octopus.merge", "refs/heads/main"]);

    let repository = Repository::discover(&clone).unwrap();
    for branch in ["main", "feature", "ueü/1", "mirrored", "octopus"] {
        let expected = git(&["rev-parse", "--symbolic-full-name", &format!("{branch}@{{upstream}}")]);
        assert_eq!(repository.upstream(&format!("refs/heads/{branch}")), Some(expected), "{branch}");
    }
}

#[test]
fn where_none_is_configured_there_is_none() {
    let world = World::new(Kind::Files).unwrap();
    for (key, value) in [
        ("branch.url.remote", "https://example.com/x.git"),
        ("branch.url.merge", "refs/heads/main"),
        ("branch.half.remote", "origin"),
        ("branch.gone.remote", "gone"),
        ("branch.gone.merge", "refs/heads/main"),
    ] {
        world.git(&["config", key, value]);
    }
    // The user's own configuration has no say.
    let user = "[branch \"main\"]\n\tremote = .\n\tmerge = refs/heads/side\n";
    std::fs::write(world.sandbox.path().join("home/.gitconfig"), user).unwrap();
    let repository = world.open();
    for branch in ["main", "url", "half", "gone", "none"] {
        assert_eq!(repository.upstream(&format!("refs/heads/{branch}")), None, "{branch}");
    }
    assert_eq!(repository.upstream("refs/tags/v1"), None);
}
