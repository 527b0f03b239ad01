//! What is wrong is one clear error, and leaves nothing half-done; what only looks strange works.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use serde_json::json;

use super::shop::{Shop, stages};
use super::state::State;
use crate::common::{OKSTRA, Run, Sandbox};

const BUILD: [&str; 2] = ["--type", "implementation"];

impl Shop {
    /// The state without what a claim that came to nothing leaves: the empty entry of the task.
    fn settled(&self) -> State {
        let mut state = self.state();
        // It is a cache, which every command that changes something brings up to date.
        state.remove(".okstra/catalog.json");
        let registry = state.get("home/worktrees/registry.json");
        if registry.is_some_and(|text| text.contains("\"shop/auth/login\": {}") || !text.contains("auth/login")) {
            state.remove("home/worktrees/registry.json");
        }
        state
    }

    /// A run is refused with this code, in one error, and nothing is left of it.
    fn refuses(&self, code: &str, arguments: &[&str]) -> String {
        let before = self.settled();
        let refused = self.prepare(1, arguments);
        assert_eq!(refused["code"], code, "{arguments:?}: {refused}");
        assert_eq!(self.settled(), before, "{arguments:?}");
        let text = |field: &str| refused[field].as_str().unwrap_or_default().to_owned();
        format!("{}\n{}", text("error"), text("hint"))
    }

    fn in_way(&self, name: &str) -> PathBuf {
        let folder = self.home().join("worktrees/shop/auth").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("precious"), "x").unwrap();
        folder
    }
}

/// A shop with an approved plan, and its brief.
fn planned() -> (Shop, String) {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    (shop, brief)
}

#[test]
fn every_wrong_value_is_named() {
    let (shop, brief) = planned();
    let long = shop.sandbox.path().join("long.md");
    fs::write(&long, "x".repeat(512 * 1024 + 1)).unwrap();
    let latin = shop.sandbox.path().join("latin.md");
    fs::write(&latin, b"one\ncaf\xe9\n").unwrap();
    let (long, latin, folder) = (long.to_str().unwrap(), latin.to_str().unwrap(), shop.folder.to_str().unwrap());
    let look = ["--type", "error-analysis", "--brief", &brief];
    let build = ["--type", "implementation", "--brief", &brief];
    let cases: [(&[&str], &[&str], &str, &str); 22] = [
        (&[], &["--type", "error-analysis", "--brief", long], "usage", "longer than 512 KiB"),
        (&[], &["--type", "error-analysis", "--brief", latin], "file-not-utf8", "line 2 is not"),
        (&[], &["--type", "error-analysis", "--brief", folder], "wrong-kind-of-file", "it is a folder"),
        (&look, &["--max-rounds", "101"], "usage", "from 0 to 100"),
        (&look, &["--adversarial", "maybe"], "usage", "possible values: true, false"),
        (&look, &["--verification-mode", "x"], "usage", "`x` is no verification mode"),
        (&["--type", "release-handoff", "--brief", &brief], &["--max-rounds", "1"], "usage", "the lead does it alone"),
        (&look, &["--model", "claude"], "usage", "`claude` names no model"),
        (&look, &["--model", "=x"], "usage", "`=x` names no model"),
        (&look, &["--model", "gemini=x"], "bad-roster", "`gemini`"),
        (&look, &["--directive", " "], "usage", "the directive says nothing"),
        (&look, &["--base", "main"], "usage", "--base is not for error-analysis"),
        (&look, &["--category", "docs"], "usage", "is of the category fix"),
        (&build, &["--base", "nowhere"], "unresolvable-ref", "`nowhere`"),
        (&build, &["--base", "main~0"], "unresolvable-ref", "`main~0`"),
        (&build, &["--branch", "a b"], "bad-branch", "`a b`"),
        (&build, &["--stage", "9"], "unknown-stage", "it has 1, 2, 3"),
        (&build, &["--stage", "0"], "bad-stage", "`0` is no stage"),
        (&build, &["--stage", "3"], "stage-waiting", "waits for stages 1, 2"),
        (
            &build,
            &["--take-over", "implementation-001"],
            "confirmation-needed",
            "taking over the stages of implementation-001",
        ),
        (&build, &["--take-over", "implementation-001", "--yes"], "unknown-run", "has no run implementation-001"),
        (&build, &["--take-over", "nonsense", "--yes"], "bad-name", "nonsense"),
    ];
    for (first, more, code, said) in cases {
        let arguments: Vec<&str> = first.iter().chain(more).copied().collect();
        let text = shop.refuses(code, &arguments);
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
}

#[test]
fn a_name_that_is_none_makes_nothing() {
    let (shop, brief) = planned();
    for task in ["a/b/c", "../x", "t/x.lock", "t/é", "Auth/login", "login"] {
        let ran = shop.run(&[
            "render-bundle",
            "--task",
            task,
            "--workers",
            "codex",
            "--category",
            "fix",
            "--brief",
            &brief,
            "--json",
        ]);
        assert_eq!(ran.code, Some(1), "{task}: {ran:?}");
        assert!(ran.json()["error"].as_str().unwrap().contains(task.split('/').next().unwrap()), "{task}: {ran:?}");
    }
    assert_eq!(fs::read_dir(shop.folder.join(".okstra/tasks")).unwrap().count(), 1);
}

#[test]
fn a_task_has_its_base_and_its_branch_once() {
    let (shop, brief) = planned();
    let build = ["--type", "implementation", "--brief", &brief];
    shop.prepare(0, &[&build[..], &["--stage", "1"]].concat());
    shop.sandbox.git(&shop.folder, &["branch", "other"]);
    assert!(
        shop.refuses("usage", &[&BUILD[..], &["--base", "other"]].concat()).contains("grows from `refs/heads/main`")
    );
    assert!(
        shop.refuses("usage", &[&BUILD[..], &["--branch", "other"]].concat()).contains("branch `fix-login` already")
    );
    shop.prepare(0, &[&BUILD[..], &["--base", "main", "--branch", "fix-login"]].concat());
}

#[test]
fn what_is_in_the_way_is_shown_and_stays() {
    let (shop, brief) = planned();
    let build = [&BUILD[..], &["--brief", &brief]].concat();
    for branch in ["fix-login", "fix-login-s2"] {
        shop.sandbox.git(&shop.folder, &["branch", branch]);
        let text = shop.refuses("place-taken", &build);
        assert!(text.contains(&format!("there is a branch `{branch}` already")), "{text}");
        shop.sandbox.git(&shop.folder, &["branch", "-D", branch]);
    }
    for name in ["login", "login-s1"] {
        let folder = shop.in_way(name);
        let text = shop.refuses("place-taken", &build);
        assert!(text.contains(folder.to_str().unwrap()) && text.contains("ls -la"), "{text}");
        assert!(folder.join("precious").exists());
        fs::remove_dir_all(folder).unwrap();
    }
    // A branch that git cannot make beside another.
    shop.sandbox.git(&shop.folder, &["branch", "fix-login-s2/x"]);
    shop.refuses("git-failed", &build);
    shop.sandbox.git(&shop.folder, &["branch", "-D", "fix-login-s2/x"]);
    assert_eq!(stages(&shop.prepare(0, &build)), [1, 2]);
}

#[test]
fn a_template_with_a_mistake_is_named_and_leaves_nothing() {
    let (shop, brief) = planned();
    let prompts = shop.folder.join(".okstra/prompts");
    fs::create_dir_all(prompts.join("workers")).unwrap();
    let cases = [
        ("launch.md", "line\n{{ nope }}\n", &["line 2 of template launch.md", "`nope` is not defined"][..]),
        ("launch.md", "{% if %}\n", &["line 1 of template launch.md", "syntax error"]),
        ("workers/verifyer.md", "x\n", &["workers/verifyer.md` replaces no template"]),
    ];
    for (file, text, said) in cases {
        fs::write(prompts.join(file), text).unwrap();
        let before = shop.settled();
        for task_type in ["implementation", "error-analysis"] {
            let refused = shop.prepare(1, &["--type", task_type, "--brief", &brief]);
            let error = refused["error"].as_str().unwrap();
            assert!(said.iter().all(|said| error.contains(said)), "{error}");
            assert_eq!(shop.settled(), before, "{file} {task_type}");
        }
        fs::remove_file(prompts.join(file)).unwrap();
    }
}

#[test]
fn a_full_disk_leaves_nothing_and_is_named() {
    let (shop, brief) = planned();
    let before = shop.settled();
    let mut failed = Vec::new();
    // In blocks of 512 bytes or of 1 KiB, by the shell.
    for blocks in [1, 2, 4, 8, 64] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = shop.sandbox.command("sh");
        command.current_dir(&shop.folder).env("OKSTRA_HOME", shop.home()).args(["-c", &script, "sh", OKSTRA]);
        command.args(["render-bundle", "--task", "auth/login", "--workers", "codex", "--brief", &brief, "--json"]);
        let ran = command.args(BUILD).ran();
        if ran.code == Some(0) {
            break;
        }
        let error = ran.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains("File too large") || error.contains("worktree add"), "{ran:?}");
        assert_eq!(shop.settled(), before, "{blocks}");
        failed.push(error);
    }
    assert!(failed.len() >= 3 && failed.iter().any(|error| error.contains("instruction-set")), "{failed:?}");
    shop.json(0, &["status", "--task", "auth/login"]);
}

#[test]
fn a_project_that_cannot_be_written_to_is_named() {
    let (shop, brief) = planned();
    let allow = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir_all(shop.home()).unwrap();
    allow(shop.sandbox.path(), 0o755);
    allow(&shop.home(), 0o777);
    let task = shop.folder.join(".okstra/tasks/auth/login");
    let before = shop.settled();
    for folder in [&task, &task.join("runs"), &shop.folder.join(".okstra")] {
        allow(folder, 0o555);
    }
    let mut command = shop.sandbox.command(OKSTRA);
    command.current_dir(&shop.folder).env("OKSTRA_HOME", shop.home());
    if rustix::process::geteuid().is_root() {
        command.uid(65_534);
    }
    command.args(["render-bundle", "--task", "auth/login", "--workers", "codex", "--type", "error-analysis", "--json"]);
    let ran = command.args(["--brief", &brief]).ran();
    for folder in [&task, &task.join("runs"), &shop.folder.join(".okstra")] {
        allow(folder, 0o755);
    }
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("permission-denied")), "{ran:?}");
    assert!(ran.json()["error"].as_str().unwrap().contains(".okstra"), "{ran:?}");
    assert_eq!(shop.settled(), before);
}

#[test]
fn a_task_grows_from_a_ref() {
    let (shop, brief) = planned();
    shop.sandbox.git(&shop.folder, &["checkout", "-q", "--detach"]);
    let build = [&BUILD[..], &["--brief", &brief]].concat();
    assert!(shop.refuses("usage", &build).contains("no branch is checked out"));
    let head = shop.sandbox.git(&shop.folder, &["rev-parse", "HEAD"]);
    assert!(shop.refuses("usage", &[&build[..], &["--base", &head]].concat()).contains("is no ref"));
    // A remote that nobody answers at is nobody's business; its default branch counts where it is known.
    shop.sandbox.git(&shop.folder, &["remote", "add", "origin", "/nowhere"]);
    assert_eq!(stages(&shop.prepare(0, &[&build[..], &["--base", "main"]].concat())), [1, 2]);
}

#[test]
fn strange_repositories_and_paths_work() {
    for (name, format) in [("sp ace 'q' \"d\" é\nline", "sha1"), ("256", "sha256")] {
        let sandbox = Sandbox::new();
        let folder = sandbox.path().join(name);
        fs::create_dir(&folder).unwrap();
        sandbox.git(&folder, &["init", "-q", "-b", "main", "--object-format", format]);
        sandbox.commit(&folder, "a.txt", "a\n", "start");
        let sub = sandbox.repository("sub");
        sandbox.commit(&sub, "x", "x\n", "start");
        if format == "sha1" {
            let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.to_str().unwrap(), "sub"];
            sandbox.git(&folder, &add);
            sandbox.git(&folder, &["commit", "-q", "-m", "sub"]);
        }
        let shop = Shop { sandbox, folder };
        shop.json(0, &["init", "--project-id", "shop", "--yes"]);
        shop.approve();
        let brief = shop.brief("Build it.\n");
        assert_eq!(stages(&shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat())), [1, 2], "{name}");
        shop.build(1, "a.txt");
        shop.build(2, "b.txt");
        shop.json(0, &["stage", "integrate", "--task", "auth/login"]);
        assert_eq!(stages(&shop.prepare(0, &BUILD)), [3], "{name}");
        shop.json(0, &["abandon", "implementation-002", "--task", "auth/login", "--reason", "x", "--yes"]);
    }
    let sandbox = Sandbox::new();
    sandbox.git(sandbox.path(), &["init", "-q", "--bare", "bare.git"]);
    let ran = sandbox.okstra_in(&sandbox.path().join("bare.git"), ["render-bundle", "--task", "a/b", "--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("not-a-project")), "{ran:?}");
}

#[test]
fn a_plan_that_was_changed_after_its_approval_is_not_gone_by() {
    let (shop, brief) = planned();
    let folder = shop.folder.join(".okstra/tasks/auth/login/runs/implementation-planning/plans");
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let text = names.into_iter().find(|path| path.extension().is_some_and(|it| it == "md")).unwrap();
    let json = text.with_extension("json");
    let kept = [&text, &json].map(|path| fs::read_to_string(path).unwrap());
    let build = [&BUILD[..], &["--brief", &brief]].concat();
    let command = kept[1].find("\"post\"").unwrap();
    let other = format!("{}\"post\": [\"echo\"], \"was\"{}", &kept[1][..command], &kept[1][command + 6..]);
    let changes =
        [(&text, format!("{}\nAnd more.\n", kept[0]), "not what was approved"), (&json, other, "its stages are not")];
    for ((path, changed, said), kept) in changes.into_iter().zip(&kept) {
        fs::write(path, changed).unwrap();
        let told = shop.refuses("bad-plan", &build);
        assert!(told.contains(said) && told.contains("okstra doctor names the copy that git has"), "{told}");
        let doctor = shop.run(&["doctor", "--json"]);
        assert!(doctor.code == Some(2) && doctor.stdout.contains(said), "{doctor:?}");
        assert!(doctor.stdout.contains("show refs/okstra/state/auth/login:"), "{doctor:?}");
        fs::write(path, kept).unwrap();
    }
    shop.prepare(0, &build);
}

#[test]
fn the_files_of_a_run_that_do_not_parse_are_told_by_doctor() {
    let (shop, brief) = planned();
    shop.prepare(0, &[&BUILD[..], &["--brief", &brief]].concat());
    let run = shop.folder.join(".okstra/tasks/auth/login/runs/implementation");
    for name in ["manifests/run-manifest-implementation-001.json", "state/team-state-implementation-001.json"] {
        let path = run.join(name);
        let kept = fs::read(&path).unwrap_or_else(|_| b"{\"schemaVersion\":\"1.0\"}".to_vec());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &kept[..kept.len() / 2]).unwrap();
        let doctor = shop.run(&["doctor", "--json"]);
        assert!(doctor.code == Some(2) && doctor.stdout.contains(name), "{name}: {doctor:?}");
        fs::write(&path, &kept).unwrap();
    }
}
