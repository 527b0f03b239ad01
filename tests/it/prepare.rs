//! Preparing runs: the story of a task from its brief to its last stage, driven by hand with plain git.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::{OKSTRA, Ran, Run, Sandbox};

const PLAN: &str = "# Login

## Stage Map

| stage | title | depends-on | step-count | files |
| --- | --- | --- | --- | --- |
| 1 | One | (none) | 1 | `a.txt` |
| 2 | Two | (none) | 1 | `b.txt` |
| 3 | Three | 1, 2 | 1 | `c.txt` |
";

struct Shop {
    sandbox: Sandbox,
    folder: PathBuf,
}

impl Shop {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let folder = sandbox.repository("my shop");
        sandbox.commit(&folder, "a.txt", "a\n", "start");
        let shop = Self { sandbox, folder };
        shop.json(0, &["init", "--project-id", "shop", "--yes"]);
        shop
    }

    fn home(&self) -> PathBuf {
        self.sandbox.path().join("okstra home")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).args(arguments).ran()
    }

    fn json(&self, code: i32, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        ran.json()
    }

    fn prepare(&self, code: i32, arguments: &[&str]) -> Value {
        let fixed = ["render-bundle", "--task", "auth/login", "--workers", "claude,codex"];
        self.json(code, &[&fixed, arguments].concat())
    }

    fn brief(&self, text: &str) -> String {
        let path = self.sandbox.path().join("brief.md");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Approves a plan of three stages, the last of which needs the others.
    fn approve(&self) {
        let section = |number, title| {
            format!(
                "\n## Stage {number}: {title}\n\n### Steps\n\n1. Do it.\n\n### Stage Validation\n\n- post: `git status`\n\n\
                 ### Stage Exit Contract\n\n- Done.\n\n### Rollback\n\nRevert.\n"
            )
        };
        let text = format!("{PLAN}{}{}{}", section(1, "One"), section(2, "Two"), section(3, "Three"));
        let path = self.sandbox.path().join("plan.md");
        fs::write(&path, text).unwrap();
        let plan = path.to_str().unwrap();
        self.json(0, &["plan", "approve", plan, "--task", "auth/login", "--category", "fix", "--by", "Ann", "--yes"]);
    }

    fn build(&self, stage: u32, file: &str) {
        let worktree = self.home().join(format!("worktrees/shop/auth/login-s{stage}"));
        self.sandbox.commit(&worktree, file, &format!("stage {stage}\n"), &format!("stage {stage}"));
        self.json(0, &["stage", "done", "--task", "auth/login", "--stage", &stage.to_string()]);
    }
}

fn manifest(prepared: &Value) -> Value {
    let path = prepared["manifestPath"].as_str().unwrap();
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn stages(prepared: &Value) -> Vec<u64> {
    prepared["stages"].as_array().unwrap().iter().map(|stage| stage["stage"].as_u64().unwrap()).collect()
}

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
    let lead = fs::read_to_string(first["launchPrompt"].as_str().unwrap()).unwrap();
    assert!(lead.contains("- **Stage batch for this implementation run:** `1,2`"), "{lead}");
    // What another open run has is not ready, and is refused by its number.
    assert_eq!(shop.prepare(1, &["--type", "implementation"])["code"], "no-stage-ready");
    let refused = shop.prepare(1, &["--type", "implementation", "--stage", "1"]);
    assert_eq!(refused["code"], "stage-reserved");
    assert!(refused["hint"].as_str().unwrap().contains("--take-over implementation-001"), "{refused}");

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
    assert_eq!(shop.prepare(1, &["--type", "implementation"])["code"], "all-stages-done");
    assert_eq!(shop.prepare(1, &["--type", "final-verification"])["code"], "stage-blocked");
    shop.json(0, &["stage", "integrate", "--task", "auth/login"]);
    let last = shop.prepare(0, &["--type", "final-verification"]);
    assert_eq!(last["run"], "final-verification-001");
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

#[cfg(unix)]
#[test]
fn the_lead_gets_the_terminal_the_prompt_and_its_code_is_passed_on() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::new();
    let programs = shop.sandbox.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let claude = programs.join("claude");
    fs::write(&claude, "#!/bin/sh\npwd\nfor word; do printf '%s\\n' \"$word\" | head -1; done\nexit 7\n").unwrap();
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("git").exists());
    let path = std::env::join_paths([programs.clone(), git.unwrap(), "/usr/bin".into(), "/bin".into()]).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = shop.sandbox.command(OKSTRA);
        command.current_dir(&shop.folder).env("OKSTRA_HOME", shop.home()).env("PATH", &path).args(arguments).ran()
    };
    let brief = shop.brief("Look into it.\n");
    let ran = run(&["run", "--task", "auth/login", "--category", "fix", "--brief", &brief]);
    assert_eq!(ran.code, Some(7), "{ran:?}");
    assert!(ran.stdout.contains("All that look at it are of one vendor"), "{ran:?}");
    assert!(ran.stdout.contains("--session-id") && ran.stdout.contains("# You lead this run"), "{ran:?}");
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    assert_eq!(status["open"][0]["status"], "running");
    assert_eq!(run(&["resume", "--task", "auth/login"]).code, Some(7));
    // With --json okstra says one document, and nothing else; what follows is the lead's.
    let ran = run(&["run", "--task", "auth/login", "--type", "error-analysis", "--json"]);
    let first: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&first["run"], ran.code), (&json!("error-analysis-001"), Some(7)), "{ran:?}");
    fs::remove_file(&claude).unwrap();
    let ran = run(&["resume", "error-analysis-001", "--task", "auth/login"]);
    assert_eq!(ran.code, Some(127), "{ran:?}");
    assert!(ran.stderr.contains("`claude` is not installed"), "{ran:?}");
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
