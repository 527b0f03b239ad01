//! The story of a task from its brief to its last stage, driven by hand with plain git.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::shop::{Shop, manifest, stages};
use crate::common::Sandbox;

#[test]
fn a_first_run_makes_the_task_and_its_texts() {
    let shop = Shop::new();
    let brief = shop.brief("# Login loses the session\n\n{{ this stays }} {% as it is %}\n");
    let prepared = shop.prepare(0, &["--category", "fix", "--brief", &brief]);
    assert_eq!(prepared["run"], "requirements-discovery-001");
    let manifest = manifest(&prepared);
    assert_eq!((&manifest["taskKey"], &manifest["category"]), (&json!("shop/auth/login"), &json!("fix")));
    for prompt in prepared["prompts"].as_array().unwrap() {
        let text = fs::read_to_string(prompt["path"].as_str().unwrap()).unwrap();
        assert_eq!(prompt["bytes"], json!(text.len()), "{prompt}");
        assert!(prompt["worker"] == "lead" || text.contains("{{ this stays }} {% as it is %}"), "{text}");
    }
    assert!(prepared["sharedPrefix"].as_u64().unwrap() > 1000, "{prepared}");
    for worker in manifest["workers"].as_array().unwrap() {
        if let Some(folder) = worker["worktree"].as_str() {
            assert_eq!(fs::read_to_string(Path::new(folder).join("a.txt")).unwrap(), "a\n", "{worker}");
        }
    }
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    assert_eq!((&status["title"], &status["next"]["step"]), (&json!("Login loses the session"), &json!("resume")));
    // The next one has the next number, and the brief of the first.
    let again = shop.prepare(0, &["--type", "requirements-discovery"]);
    assert_eq!(again["run"], "requirements-discovery-002");
}

#[test]
fn what_the_project_sets_holds_until_something_else_is_typed() {
    let shop = Shop::new();
    let config = json!({
        "workers": ["codex", "gemini"],
        "models": { "codex": "big", "claude": "not in this run", "report-writer": "small" },
        "workCategories": ["spike"],
        "convergence": { "maxRounds": 4, "adversarial": false },
    });
    let project = shop.folder.join(".okstra/project.json");
    let mut document: Value = serde_json::from_str(&fs::read_to_string(&project).unwrap()).unwrap();
    document["config"] = config;
    fs::write(&project, document.to_string()).unwrap();
    let brief = shop.brief("What is wrong?\n");
    let prepare = |arguments: &[&str]| {
        let fixed = ["render-bundle", "--task", "auth/login", "--type", "error-analysis"];
        manifest(&shop.json(0, &[&fixed, arguments].concat()))
    };
    let models = |manifest: &Value| {
        let workers = manifest["workers"].as_array().unwrap();
        workers.iter().map(|worker| (worker["name"].clone(), worker["model"].clone())).collect::<Vec<_>>()
    };
    let set = prepare(&["--category", "spike", "--brief", &brief]);
    let expected = [("codex", json!("big")), ("gemini", Value::Null), ("report-writer", json!("small"))];
    assert_eq!(models(&set), expected.map(|(name, model)| (json!(name), model)));
    let convergence =
        json!({ "enabled": true, "maxRounds": 4, "adversarial": false, "verificationMode": "full-reanalysis" });
    assert_eq!(set["convergence"], convergence);

    let typed = ["--workers", "codex", "--model", "codex=other", "--max-rounds", "0", "--adversarial", "true"];
    let typed = prepare(&[&typed[..], &["--verification-mode", "lightweight"]].concat());
    let expected = [("codex", json!("other")), ("report-writer", json!("small"))];
    assert_eq!(models(&typed), expected.map(|(name, model)| (json!(name), model)));
    let convergence =
        json!({ "enabled": true, "maxRounds": 0, "adversarial": true, "verificationMode": "lightweight" });
    assert_eq!(typed["convergence"], convergence);

    document["config"]["convergence"]["maxRounds"] = json!("many");
    fs::write(&project, document.to_string()).unwrap();
    let refused = shop.json(1, &["render-bundle", "--task", "auth/login", "--type", "error-analysis"]);
    assert!(refused["error"].as_str().unwrap().contains("`config.convergence.maxRounds`"), "{refused}");
}

#[test]
fn a_plan_is_built_batch_by_batch() {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    let first = shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    assert_eq!(stages(&first), [1, 2]);
    let worktree = shop.home().join("worktrees/shop/auth/login");
    assert_eq!(
        (&first["taskBranch"], &first["base"], &first["taskWorktree"]),
        (&json!("fix-login"), &json!("refs/heads/main"), &json!(worktree))
    );
    let lead = fs::read_to_string(first["launchPrompt"].as_str().unwrap()).unwrap();
    assert!(lead.contains("- **Stage batch for this implementation run:** `1,2`"), "{lead}");
    // What another open run has is not ready, and is refused by its number.
    let list = "okstra stage list --task auth/login";
    let hinted = |more: &[&str], code: &str, hint: &str| {
        let refused = shop.prepare(1, &[&["--type", "implementation"], more].concat());
        assert_eq!(refused["code"], code, "{refused}");
        assert!(refused["hint"].as_str().unwrap().ends_with(hint), "{hint}: {refused}");
    };
    hinted(&[], "no-stage-ready", list);
    hinted(&["--stage", "3"], "stage-waiting", list);
    hinted(&["--stage", "9"], "unknown-stage", list);
    let over = "okstra run --type implementation --take-over implementation-001 --task auth/login";
    let refused = shop.prepare(1, &["--type", "implementation", "--stage", "1"]);
    assert_eq!(refused["code"], "stage-reserved");
    assert!(refused["hint"].as_str().unwrap().ends_with(over), "{refused}");

    shop.build(1, "a.txt");
    shop.build(2, "b.txt");
    let blocked = shop.prepare(1, &["--type", "implementation"]);
    assert_eq!(blocked["code"], "stage-blocked", "{blocked}");
    assert!(blocked["error"].as_str().unwrap().contains("multi-dependency stage 3: predecessor stage 1"), "{blocked}");
    shop.json(0, &["stage", "integrate", "--task", "auth/login"]);
    let second = shop.prepare(0, &["--type", "implementation"]);
    assert_eq!((stages(&second), &second["run"]), (vec![3], &json!("implementation-002")));
    let carried = fs::read_to_string(Path::new(second["launchPrompt"].as_str().unwrap()).with_file_name("carry-in.md"));
    assert!(carried.unwrap().contains("stage 1") || second["stages"][0]["base"].is_string());
    assert_eq!(shop.prepare(1, &["--type", "final-verification"])["code"], "stage-blocked");
    shop.build(3, "c.txt");
    hinted(&[], "all-stages-done", list);
    hinted(&["--stage", "1"], "done-already", "okstra git-reconcile --task auth/login --apply --stage 1 --use-ref REF");
    assert_eq!(shop.prepare(1, &["--type", "final-verification"])["code"], "stage-blocked");
    shop.json(0, &["stage", "integrate", "--task", "auth/login"]);
    let last = shop.prepare(0, &["--type", "final-verification"]);
    assert_eq!(last["run"], "final-verification-001");
}

/// A task with one stage, which is built and integrated, and its worktree.
fn built() -> (Shop, std::path::PathBuf) {
    let shop = Shop::new();
    shop.approve_stages(&[("One", "(none)", 1, "a.txt")]);
    let brief = shop.brief("Build it.\n");
    shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    shop.build(1, "a.txt");
    shop.json(0, &["stage", "integrate", "--task", "auth/login"]);
    shop.json(0, &["finish", "implementation-001", "--task", "auth/login", "--force", "a test", "--yes"]);
    let worktree = shop.home().join("worktrees/shop/auth/login");
    (shop, worktree)
}

#[test]
fn what_is_verified_is_the_task_branch_also_where_its_worktree_is_gone() {
    let (shop, worktree) = built();
    let tip = shop.sandbox.git(&shop.folder, &["rev-parse", "fix-login"]);
    fs::remove_dir_all(&worktree).unwrap();
    // Others look at the branch.
    let looked = shop.prepare(0, &["--type", "error-analysis"]);
    assert_eq!((&looked["baseCommit"], worktree.exists()), (&json!(tip), false));
    let verified = shop.prepare(0, &["--type", "final-verification"]);
    assert_eq!(verified["baseCommit"], json!(tip));
    assert_eq!(manifest(&verified)["taskWorktree"], json!(worktree));
    assert_eq!(shop.sandbox.git(&worktree, &["rev-parse", "--abbrev-ref", "HEAD"]), "fix-login");
}

#[test]
fn what_is_verified_starts_at_the_work_where_the_branch_is_gone() {
    let (shop, worktree) = built();
    let tip = shop.sandbox.git(&shop.folder, &["rev-parse", "fix-login"]);
    shop.sandbox.git(&shop.folder, &["worktree", "remove", "--force", worktree.to_str().unwrap()]);
    shop.sandbox.git(&shop.folder, &["branch", "-q", "-D", "fix-login"]);
    let verified = shop.prepare(0, &["--type", "final-verification"]);
    assert_eq!(verified["baseCommit"], json!(tip));
    assert_eq!(shop.sandbox.git(&worktree, &["rev-parse", "fix-login"]), tip);
}

#[test]
fn what_workers_only_looked_at_goes_with_an_abandoned_run() {
    let shop = Shop::new();
    let brief = shop.brief("What is wrong?\n");
    let prepared = shop.prepare(0, &["--category", "fix", "--type", "error-analysis", "--brief", &brief]);
    let folders: Vec<String> = manifest(&prepared)["workers"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|worker| worker["worktree"].as_str().map(str::to_owned))
        .collect();
    assert!(!folders.is_empty() && folders.iter().all(|folder| Path::new(folder).is_dir()), "{folders:?}");
    let dirty = Path::new(&folders[0]).join("note.txt");
    fs::write(&dirty, "mine\n").unwrap();
    let words = ["abandon", "error-analysis-001", "--task", "auth/login", "--reason", "no", "--yes"];
    let abandoned = shop.json(0, &words);
    assert_eq!(abandoned["removed"], json!(folders[1..]), "{abandoned}");
    assert!(dirty.exists() && folders[1..].iter().all(|folder| !Path::new(folder).exists()));
    // Nothing was built, so there is no base to ask, and none is needed.
    fs::remove_file(&dirty).unwrap();
    shop.json(0, &["task", "close", "--task", "auth/login", "--yes"]);
    assert!(!Path::new(&folders[0]).exists());
}

#[test]
fn a_stage_done_again_by_a_new_plan_is_told_again() {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    shop.build(1, "a.txt");
    let path = shop.sandbox.path().join("plan.md");
    let changed = fs::read_to_string(&path).unwrap().replacen("1. Do it.", "1. Do it well.", 1);
    fs::write(&path, changed).unwrap();
    let plan = path.to_str().unwrap();
    shop.json(0, &["plan", "approve", plan, "--task", "auth/login", "--by", "Ann", "--yes"]);
    // The run of the first plan is done with it, and is told that this is not enough any more.
    let again = shop.run(&["stage", "done", "--task", "auth/login", "--stage", "1"]);
    assert!(again.code == Some(0) && again.stderr.contains("opened it again"), "{again:?}");
    let words = ["abandon", "implementation-001", "--task", "auth/login", "--reason", "another plan", "--yes"];
    shop.json(0, &words);
    let second = shop.prepare(0, &["--type", "implementation", "--stage", "1"]);
    assert_eq!(stages(&second), [1], "{second}");
    shop.json(0, &["stage", "done", "--task", "auth/login", "--stage", "1"]);
    let timeline = fs::read_to_string(shop.folder.join(".okstra/tasks/auth/login/timeline.jsonl")).unwrap();
    let events = timeline.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let done: Vec<_> = events.filter(|event| event["event"] == "done").map(|event| event["run"].clone()).collect();
    assert_eq!(done, ["implementation-001", "implementation-002"]);
}

#[test]
fn only_what_is_verified_is_handed_off() {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    let words = ["render-bundle", "--task", "auth/login", "--type", "release-handoff", "--brief", &brief];
    let refused = shop.json(1, &words);
    assert!(refused["error"].as_str().unwrap().contains("only what is verified is handed off"), "{refused}");
    assert!(refused["hint"].as_str().unwrap().ends_with("--type final-verification"), "{refused}");
}

#[test]
fn stages_that_were_squashed_by_hand_count_as_integrated_everywhere() {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    shop.build(1, "a.txt");
    shop.build(2, "b.txt");
    let worktree = shop.home().join("worktrees/shop/auth/login");
    for stage in 1..3 {
        shop.sandbox.git(&worktree, &["merge", "-q", "--squash", &format!("fix-login-s{stage}")]);
        shop.sandbox.git(&worktree, &["commit", "-q", "-m", "by hand"]);
    }
    let integrate = || shop.json(0, &["stage", "integrate", "--task", "auth/login"]);
    let integrated = integrate();
    assert_eq!((&integrated["merged"], &integrated["contained"]), (&json!([]), &json!([1, 2])), "{integrated}");
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    assert_eq!((&status["plan"]["integrated"], &status["next"]["step"]), (&json!(2), &json!("resume")), "{status}");
    let before = fs::read_to_string(shop.home().join("worktrees/registry.json")).unwrap();
    integrate();
    assert_eq!(fs::read_to_string(shop.home().join("worktrees/registry.json")).unwrap(), before);
}

#[test]
fn stages_are_taken_over_with_a_persons_word() {
    let shop = Shop::new();
    shop.approve();
    let brief = shop.brief("Build it.\n");
    shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    let over = ["--type", "implementation", "--take-over", "implementation-001"];
    assert_eq!(shop.prepare(1, &over)["code"], "confirmation-needed");
    let taken = shop.prepare(0, &[&over[..], &["--yes"]].concat());
    assert_eq!((stages(&taken), &taken["run"]), (vec![1, 2], &json!("implementation-002")));
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    let open: Vec<_> = status["open"].as_array().unwrap().iter().map(|run| &run["run"]).collect();
    assert_eq!(open, [&json!("implementation-002")]);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_written() {
    let shop = Shop::new();
    let (good, empty) = (shop.brief("x\n"), shop.sandbox.path().join("empty.md"));
    fs::write(&empty, " \n").unwrap();
    let binary = shop.sandbox.path().join("binary");
    fs::write(&binary, b"a\0b").unwrap();
    let (empty, binary) = (empty.to_str().unwrap(), binary.to_str().unwrap());
    let cases: [(&[&str], &str); 11] = [
        (&["--brief", &good], "category-needed"),
        (&["--category", "fix"], "usage"),
        (&["--category", "nonsense", "--brief", &good], "unknown-category"),
        (&["--category", "fix", "--brief", "/nowhere/brief.md"], "file-not-found"),
        (&["--category", "fix", "--brief", empty], "usage"),
        (&["--category", "fix", "--brief", binary], "usage"),
        (&["--category", "fix", "--brief", &good, "--type", "planning"], "usage"),
        (&["--category", "fix", "--brief", &good, "--type", "implementation"], "no-plan"),
        (&["--category", "fix", "--brief", &good, "--stage", "1"], "usage"),
        (&["--category", "fix", "--brief", &good, "--type", "implementation", "--stage", "one"], "bad-stage"),
        (&["--category", "fix", "--brief", &good, "--model", "gemini=x"], "bad-roster"),
    ];
    for (arguments, code) in cases {
        let refused = shop.prepare(1, arguments);
        assert_eq!(refused["code"], code, "{arguments:?}: {refused}");
    }
    assert!(!shop.folder.join(".okstra/tasks").exists());
}

#[test]
fn a_project_without_a_commit_has_nothing_to_start_from() {
    let sandbox = Sandbox::new();
    let folder = sandbox.repository("my shop");
    let shop = Shop { sandbox, folder };
    shop.json(0, &["init", "--project-id", "shop", "--yes"]);
    let brief = shop.brief("Look into it.\n");
    assert_eq!(shop.prepare(1, &["--category", "fix", "--brief", &brief])["code"], "no-commit");
    shop.approve();
    assert_eq!(shop.prepare(1, &["--type", "implementation", "--brief", &brief])["code"], "no-commit");
}
