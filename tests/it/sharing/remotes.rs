//! Remotes: which is meant, and those that cannot be reached, take nothing, or are written to by others at once.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{STATE, World};
use crate::common::Run;

#[test]
fn the_remote_that_is_meant() {
    let world = World::planned();
    let a = world.place("a");
    let other = world.sandbox.path().join("other.git");
    world.sandbox.git(world.sandbox.path(), &["init", "-q", "--bare", other.to_str().unwrap()]);
    // That of the checked-out branch, before origin.
    a.git(&["remote", "add", "fork", other.to_str().unwrap()]);
    a.git(&["config", "branch.main.remote", "fork"]);
    assert_eq!(a.share()["remote"], "fork");
    assert_eq!(a.of_task(0, &["task", "share", "--remote", "origin"])["remote"], "origin");
    // Without one, origin; else the only one.
    a.git(&["checkout", "-q", "--detach"]);
    assert_eq!(a.share()["remote"], "origin");
    a.git(&["remote", "rename", "origin", "upstream"]);
    let refused = a.of_task(1, &["task", "share"]);
    assert_eq!(
        (&refused["code"], refused["hint"].as_str()),
        (&json!("no-remote"), Some("name one of them: --remote fork|upstream"))
    );
    a.git(&["remote", "remove", "fork"]);
    assert_eq!(a.share()["remote"], "upstream");
    let refused = a.of_task(1, &["task", "fetch", "--remote", "origin"]);
    assert_eq!(refused["code"], "unknown-remote");
    a.git(&["remote", "remove", "upstream"]);
    for words in [["task", "share"], ["task", "fetch"]] {
        let refused = a.of_task(1, &words);
        assert!(
            refused["code"] == "no-remote" && refused["hint"].as_str().unwrap().contains("remote add"),
            "{refused}"
        );
    }
}

#[test]
fn an_address_that_is_relative_and_one_that_leads_nowhere() {
    let world = World::planned();
    let a = world.place("a");
    a.git(&["remote", "set-url", "origin", "../../origin.git"]);
    a.prepare(&["--stage", "1"]);
    // Also from a linked worktree.
    let mut command = a.command(&["task", "share", "--json"]);
    let ran = command.current_dir(a.home().join("worktrees/shop/auth/login-s1")).ran();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    a.git(&["remote", "set-url", "origin", "/nowhere/at/all"]);
    for words in [["task", "share"], ["task", "fetch"]] {
        let refused = a.of_task(1, &words);
        assert_eq!(refused["code"], "remote-failed", "{refused}");
        assert!(refused["error"].as_str().unwrap().contains("`origin`"), "{refused}");
    }
}

#[test]
fn nothing_waits_for_an_answer() {
    let world = World::planned();
    let a = world.place("a");
    // An ssh that would ask, unless it is told not to.
    let folder = world.sandbox.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let ssh = folder.join("ssh");
    fs::write(&ssh, "#!/bin/sh\ncase \"$*\" in *BatchMode=yes*) echo told >&2; exit 255;; esac\nsleep 60\n").unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    a.git(&["remote", "set-url", "origin", "ssh://nobody@localhost/x"]);
    let began = Instant::now();
    let (quoted, path) =
        (format!("'{}' -v", ssh.display()), format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()));
    for (setting, variable) in
        [(Some(&quoted), None), (None, Some(("GIT_SSH_COMMAND", &quoted))), (None, Some(("PATH", &path)))]
    {
        let mut command = a.command(&["task", "share", "--task", "auth/login", "--json"]);
        match setting {
            Some(ssh) => a.git(&["config", "core.sshCommand", ssh]),
            None => a.world.sandbox.try_git(&a.folder(), &["config", "--unset", "core.sshCommand"]).stdout,
        };
        let ran = command.envs(variable).ran();
        assert!(ran.code == Some(1) && ran.json()["error"].as_str().unwrap().contains("told"), "{ran:?}");
    }
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_a_remote_does_not_take_is_said() {
    let world = World::planned();
    let a = world.place("a");
    a.prepare(&["--stage", "1"]);
    let hook = world.remote.join("hooks/update");
    fs::write(&hook, "#!/bin/sh\ncase \"$1\" in */anchor-*) echo 'no such refs' >&2; exit 1;; esac\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let refused = a.of_task(1, &["task", "share"]);
    assert_eq!(refused["code"], "push-refused", "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("keep/auth/login/anchor-"), "{refused}");
    assert_eq!(world.git(&["for-each-ref", "refs/okstra"]), "");
    // A remote that cannot do all or nothing gets the records last.
    world.git(&["config", "receive.advertiseAtomic", "false"]);
    assert_eq!(a.of_task(1, &["task", "share"])["code"], "push-refused");
    assert_eq!(world.git(&["for-each-ref", STATE]), "");
    fs::remove_file(&hook).unwrap();
    a.share();
    assert_eq!(world.git(&["rev-parse", STATE]), a.git(&["rev-parse", STATE]));
}

#[test]
fn hooks_and_settings_of_the_user_have_no_part_in_it() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    let hook = a.folder().join(".git/hooks/pre-push");
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    for (setting, value) in
        [("push.followTags", "true"), ("push.recurseSubmodules", "on-demand"), ("push.default", "nothing")]
    {
        a.git(&["config", setting, value]);
    }
    a.git(&["tag", "-a", "-m", "mine", "mine"]);
    a.share();
    assert_eq!(world.git(&["tag"]), "");
    // Our own refs are not moved by what is configured to be fetched, and what is there of others is not pruned.
    b.git(&["config", "--add", "remote.origin.fetch", "+refs/okstra/*:refs/okstra/*"]);
    for setting in ["fetch.prune", "fetch.pruneTags", "remote.origin.tagOpt=--tags"] {
        let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
        b.git(&["config", name, value]);
    }
    b.git(&["tag", "kept"]);
    let other = "refs/okstra/remotes/origin/state/auth/other";
    b.git(&["update-ref", other, "main"]);
    b.git(&["update-ref", "refs/okstra/state/auth/own", "main"]);
    b.fetch(0);
    let refs = b.git(&["for-each-ref", "--format=%(refname)"]);
    for kept in ["refs/tags/kept", other, "refs/okstra/state/auth/own"] {
        assert!(refs.lines().any(|name| name == kept), "{kept}: {refs}");
    }
    assert!(!b.folder().join(".git/FETCH_HEAD").exists());
}

#[test]
fn two_at_once() {
    let world = World::planned();
    let (a, b) = (world.place("a"), world.place("b"));
    a.share();
    b.fetch(0);
    a.write("runs/implementation-planning/a.md", "a\n");
    b.write("runs/implementation-planning/b.md", "b\n");
    // Of two that share other records at the same moment one is told to fetch; of two that share the same both are done.
    let share = |place: super::Place<'_>| place.command(&["task", "share", "--task", "auth/login", "--json"]).started();
    let started = [share(a), share(a), share(b), share(b)];
    let ended: Vec<_> = started.map(|child| child.ran()).into_iter().collect();
    let codes: Vec<_> = ended.iter().map(|ran| ran.code).collect();
    assert!(
        codes == [Some(0), Some(0), Some(1), Some(1)] || codes == [Some(1), Some(1), Some(0), Some(0)],
        "{ended:?}"
    );
    for ran in ended.iter().filter(|ran| ran.code == Some(1)) {
        assert_eq!(ran.json()["code"], "fetch-first", "{ran:?}");
    }
    // Two that fetch the same at once.
    let behind = if codes[0] == Some(0) { b } else { a };
    let fetch = || behind.command(&["task", "fetch", "--task", "auth/login", "--json"]).started();
    for ran in [fetch(), fetch()].map(|child| child.ran()) {
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    for file in ["a.md", "b.md"] {
        assert!(behind.path("runs/implementation-planning").join(file).exists(), "{file}");
    }
    behind.share();
}
