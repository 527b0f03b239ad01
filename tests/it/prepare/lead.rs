//! The lead: how it is started, in which session, and what becomes of its exit code.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::shop::{Shop, manifest};
use crate::common::{OKSTRA, Ran, Run};

/// A lead that says where it is, and each of its words by its first line.
const TELLS: &str = "pwd -P\nfor word; do printf '<%s>\\n' \"$word\" | head -1; done\nexit 7";
const ALL: [&str; 2] = ["--task", "auth/login"];

impl Shop {
    /// The folder of PATH in which the test puts programs.
    fn programs(&self) -> PathBuf {
        self.sandbox.path().join("programs")
    }

    /// Makes a program there, or elsewhere.
    fn program(&self, path: impl AsRef<Path>, script: &str) -> PathBuf {
        let path = self.programs().join(path);
        self.sandbox.program(&path, script);
        path
    }

    /// Runs okstra with these programs, and with variables set.
    fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let git = std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|folder| folder.join("git").exists());
        let path = std::env::join_paths([self.programs(), git.unwrap(), "/usr/bin".into(), "/bin".into()]).unwrap();
        let mut command = self.sandbox.command(OKSTRA);
        command.current_dir(&self.folder).env("OKSTRA_HOME", self.home()).env("PATH", &path);
        command.envs(variables.iter().copied()).args(arguments).ran()
    }

    fn config(&self, text: &str) {
        fs::create_dir_all(self.home()).unwrap();
        fs::write(self.home().join("config.toml"), text).unwrap();
    }

    /// Writes the log that claude would have left of the session `id` in `folder`.
    fn session(&self, claude: &Path, id: &str, folder: &str) {
        let projects = claude.join("projects").join(folder.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        fs::create_dir_all(&projects).unwrap();
        let row = json!({"type": "user", "sessionId": id, "cwd": folder, "message": {"role": "user", "content": "x"}});
        fs::write(
            projects.join(format!("{id}.jsonl")),
            format!("{{\"type\":\"mode\",\"sessionId\":\"{id}\"}}\n{row}\n"),
        )
        .unwrap();
    }
}

/// The words that the lead was given, by their first lines.
fn words(ran: &Ran) -> Vec<&str> {
    ran.stdout.lines().filter_map(|line| line.strip_prefix('<').map(|word| word.trim_end_matches('>'))).collect()
}

#[test]
fn the_lead_gets_the_terminal_the_prompt_and_its_code_is_passed_on() {
    let shop = Shop::new();
    let claude = shop.program("claude", TELLS);
    let brief = shop.brief("Look into it.\n");
    let ran = shop.run_with(&[], &["run", "--task", "auth/login", "--category", "fix", "--brief", &brief]);
    assert_eq!(ran.code, Some(7), "{ran:?}");
    assert!(ran.stdout.contains("of auth/login; all that look at it are of one vendor"), "{ran:?}");
    assert!(ran.stdout.contains("--session-id") && ran.stdout.contains("# You lead this run"), "{ran:?}");
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    assert_eq!(status["open"][0]["status"], "running");
    let launch = fs::read_to_string(status["open"][0]["launchPrompt"].as_str().unwrap()).unwrap();
    assert!(launch.starts_with("# You lead this run"), "{launch}");
    assert!(Path::new(status["open"][0]["folder"].as_str().unwrap()).is_dir(), "{status}");
    // With --json okstra says one document, and nothing else; what follows is the lead's.
    let ran = shop.run_with(&[], &["run", "--task", "auth/login", "--type", "error-analysis", "--json"]);
    let first: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&first["run"], ran.code), (&json!("error-analysis-001"), Some(7)), "{ran:?}");
    // Without a lead nothing is prepared.
    fs::remove_file(&claude).unwrap();
    for arguments in [&["resume", "error-analysis-001"][..], &["run", "--type", "requirements-discovery"]] {
        let ran = shop.run_with(&[], &[arguments, &ALL].concat());
        assert_eq!(ran.code, Some(127), "{ran:?}");
        assert!(ran.stderr.contains("error: `claude` is not installed: it is not on PATH\n"), "{ran:?}");
        assert!(ran.stderr.contains("hint: install it: npm install -g @anthropic-ai/claude-code\n"), "{ran:?}");
        let ran = shop.run_with(&[], &[arguments, &ALL, &["--json"]].concat());
        assert_eq!((ran.code, &ran.json()["code"]), (Some(127), &json!("not-installed")), "{ran:?}");
    }
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    assert_eq!(status["open"].as_array().unwrap().len(), 2, "{status}");
}

#[test]
fn what_became_of_the_run_is_said_when_its_lead_has_ended() {
    let shop = Shop::new();
    shop.program("claude", "exit 7");
    let brief = shop.brief("Look into it.\n");
    let ran = shop.run_with(&[], &["run", "--task", "auth/login", "--category", "fix", "--brief", &brief]);
    let open = "\nrequirements-discovery-001 is still open: its lead ended before it was finished\n\nnext: \
        go on with it\n  okstra resume requirements-discovery-001 --task auth/login\n";
    assert!(ran.code == Some(7) && ran.stderr.ends_with(open), "{ran:?}");
    let report =
        ".okstra/tasks/auth/login/runs/requirements-discovery/reports/final-report-requirements-discovery-001.md";
    let finishes = format!(
        "mkdir -p \"$(dirname {report})\" && echo '# Found' >{report} && \
         \"$OKSTRA\" finish --task auth/login --route direct-implementation-planning --json"
    );
    shop.program("claude", &finishes);
    let ran = shop.run_with(&[("OKSTRA", OKSTRA)], &["resume", "--task", "auth/login"]);
    let next = "okstra run --task auth/login --type implementation-planning\n";
    assert!(
        ran.code == Some(0) && ran.stderr.contains("\nrequirements-discovery-001 is finished\n\nnext: "),
        "{ran:?}"
    );
    assert!(ran.stderr.ends_with(next), "{ran:?}");
}

#[test]
fn a_run_has_one_lead_at_a_time() {
    let shop = Shop::new();
    shop.program("claude", "\"$OKSTRA\" resume error-analysis-001 --task auth/login --json; echo \"then $?\"");
    let brief = shop.brief("Look into it.\n");
    let words = ["run", "--task", "auth/login", "--category", "fix", "--brief", &brief, "--type", "error-analysis"];
    let ran = shop.run_with(&[("OKSTRA", OKSTRA)], &words);
    let refused = ran.stdout.lines().find(|line| line.starts_with('{')).unwrap();
    let refused: Value = serde_json::from_str(refused).unwrap();
    assert_eq!((&refused["code"], ran.stdout.lines().last()), (&json!("lead-there"), Some("then 1")), "{ran:?}");
    let said = refused["error"].as_str().unwrap();
    assert!(said.starts_with("error-analysis-001 has a lead already, started by process "), "{said}");
    // Once it has ended there is room for the next.
    shop.program("claude", "exit 4");
    assert_eq!(shop.run_with(&[], &["resume", "error-analysis-001", "--task", "auth/login"]).code, Some(4));
}

#[test]
fn worktrees_that_were_deleted_are_made_again_for_the_lead_that_goes_on() {
    let shop = Shop::new();
    shop.program("claude", "pwd -P");
    shop.approve();
    let brief = shop.brief("Look into it.\n");
    let prepared = shop.prepare(0, &["--type", "implementation", "--brief", &brief]);
    let (folder, stage) = (prepared["folder"].as_str().unwrap(), prepared["stages"][0]["worktree"].as_str().unwrap());
    shop.build(1, "a.txt");
    for gone in [&[folder][..], &[stage], &[folder, stage]] {
        for gone in gone {
            fs::remove_dir_all(gone).unwrap();
        }
        let ran = shop.run_with(&[], &["resume", "--task", "auth/login"]);
        let is_in_folder = Path::new(ran.stdout.trim_end()) == fs::canonicalize(folder).unwrap();
        assert!(ran.code == Some(0) && is_in_folder, "{ran:?}");
        assert_eq!(ran.stderr.matches("was made again").count(), gone.len(), "{ran:?}");
        assert!(Path::new(stage).join("a.txt").is_file());
    }
    // Whose branch is gone as well is not made up.
    fs::remove_dir_all(stage).unwrap();
    shop.sandbox.git(&shop.folder, &["worktree", "prune"]);
    shop.sandbox.git(&shop.folder, &["branch", "-q", "-D", prepared["stages"][0]["branch"].as_str().unwrap()]);
    let ran = shop.run_with(&[], &["resume", "--task", "auth/login"]);
    assert!(ran.code == Some(0) && !Path::new(stage).exists() && !ran.stderr.contains("again"), "{ran:?}");
}

#[test]
fn whether_the_lead_is_at_work_is_said() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    shop.prepare(0, &["--category", "fix", "--brief", &brief]);
    let is_led = || shop.json(0, &["status", "--task", "auth/login"])["open"][0]["isLed"].clone();
    assert_eq!(is_led(), json!(null));
    shop.program("claude", "\"$OKSTRA\" status --task auth/login");
    let ran = shop.run_with(&[("OKSTRA", OKSTRA)], &["resume", "--task", "auth/login"]);
    assert!(ran.stdout.contains("001 running for ") && ran.stdout.contains(" s, led by claude"), "{ran:?}");
    assert_eq!(is_led(), json!(false));
    let people = shop.run(&["status", "--task", "auth/login"]).stdout;
    assert!(people.contains("its lead, claude, has ended"), "{people}");
    // What is mirrored is what is there.
    let doctor = shop.json(0, &["doctor"]);
    assert!(!doctor.to_string().contains("is behind"), "{doctor}");
}

#[test]
fn the_lead_finds_the_okstra_that_is_installed() {
    let shop = Shop::new();
    let finds = "command -v okstra; exit 0";
    shop.program("claude", finds);
    let brief = shop.brief("Look into it.\n");
    let run = || {
        shop.run_with(
            &[],
            &["run", "--task", "auth/login", "--category", "fix", "--brief", &brief, "--type", "error-analysis"],
        )
    };
    assert!(!run().stdout.lines().any(|line| line.ends_with("/okstra")));
    let installed = shop.program(shop.home().join("bin/okstra"), "exit 0");
    let ran = run();
    assert!(ran.stdout.lines().any(|line| line == installed.to_str().unwrap()), "{ran:?}");
}

#[test]
fn the_command_line_is_replaced_by_the_machines_settings_alone() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    let discovery = ["run", "--task", "auth/login", "--category", "fix", "--brief", &brief];
    // Nothing in the repository, and nothing in the folder that the lead is started in, is ever run.
    for folder in [&shop.folder, &shop.folder.join(".okstra")] {
        shop.program(folder.join("claude"), "echo theirs");
        fs::write(folder.join("config.toml"), "[agents.claude]\ncommand = [\"./claude\"]\n").unwrap();
    }
    assert_eq!(shop.run_with(&[("PATH", ".:/usr/bin:/bin")], &discovery).code, Some(127));
    let mine = shop.program(shop.sandbox.path().join("my tools/lead 'x'"), TELLS);
    let text = format!("[agents.claude]\ncommand = [{:?}, \"--mine\", \"a b\"]\n", mine.to_str().unwrap());
    shop.config(&text);
    let ran = shop.run_with(&[], &discovery);
    assert_eq!((ran.code, &words(&ran)[..3]), (Some(7), &["--mine", "a b", "--session-id"][..]), "{ran:?}");
    assert!(ran.stdout.contains("claude, alone") || ran.stdout.contains("of one vendor"), "{ran:?}");
    // What is wrong with them is said before anything is prepared.
    shop.config("[agents.claude]\ncommand = \"claude --flag\"\n");
    let document = shop.json(1, &["run", "--task", "auth/login", "--type", "error-analysis"]);
    assert_eq!(document["code"], "bad-setting");
    let error = document["error"].as_str().unwrap();
    assert!(error.contains("config.toml:2`: `agents.claude.command` has to be a list of texts"), "{error}");
    assert_eq!(shop.json(1, &["resume", "--task", "auth/login"])["code"], "bad-setting");
    shop.config("[agents.claude\n");
    assert_eq!(
        shop.json(1, &["render-bundle", "--task", "auth/login", "--type", "error-analysis"])["code"],
        "not-toml"
    );
    shop.config("[agents.claude]\ncommand = [\"/nowhere/lead\"]\n");
    let ran = shop.run_with(&[], &["resume", "--task", "auth/login"]);
    let home = shop.home();
    let said = format!(
        "`/nowhere/lead` is not installed: there is no such program; `{}/config.toml` names it",
        home.display()
    );
    assert!(ran.code == Some(127) && ran.stderr.contains(&said), "{ran:?}");
    let status = shop.json(0, &["status", "--task", "auth/login"]);
    assert_eq!(status["open"].as_array().unwrap().len(), 1, "{status}");
}

#[test]
fn workers_are_those_whose_program_is_there_as_it_is_called_here() {
    let shop = Shop::new();
    let brief = shop.brief("Look into it.\n");
    let prepare = ["render-bundle", "--task", "auth/login", "--category", "fix", "--brief", &brief, "--json"];
    assert_eq!(shop.run_with(&[], &prepare).json()["code"], "bad-roster");
    let codex = shop.program(shop.sandbox.path().join("elsewhere/cx"), "exit 0");
    shop.config(&format!("[agents.codex]\ncommand = [{:?}]\n", codex.to_str().unwrap()));
    let manifest = manifest(&shop.run_with(&[], &prepare).json());
    let names: Vec<_> = manifest["workers"].as_array().unwrap().iter().map(|worker| &worker["name"]).collect();
    assert_eq!(names, [&json!("codex"), &json!("report-writer")]);
}

#[test]
fn doctor_says_how_each_agent_is_called() {
    let shop = Shop::new();
    let doctor = |code: i32| {
        let ran = shop.run_with(&[], &["doctor", "--json"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        let checks = ran.json()["checks"].as_array().unwrap().clone();
        let checks = checks.into_iter().filter(|check| check["name"] == "agents" || check["name"] == "config");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        checks.map(|check| format!("{} {}", text(&check["status"]), text(&check["message"]))).collect::<Vec<_>>()
    };
    let none = ["gemini", "codex"].map(|name| format!("ok {name} is not installed: runs go on without it"));
    let [gemini, codex] = none;
    assert_eq!(doctor(0), ["warning claude is not installed, and okstra run starts it", &codex, &gemini]);
    shop.program("claude", "echo \"$*: 2.1.3 (Claude Code)\"; echo more");
    shop.program("codex", "echo broken >&2; exit 3");
    shop.config(
        "comand = 1\n[agents.claude]\ncommand = [\"claude\", \"--x y\"]\n[agents.gemini]\ncommand = [\"gm\"]\n",
    );
    let config = shop.home().join("config.toml").display().to_string();
    let found = doctor(2);
    assert_eq!(found[0], format!("warning `{config}:1`: `comand` has no effect: this okstra does not know it"));
    let said = format!(
        "ok claude is called with `claude '--x y'`, as `{config}` says: --x y --version: 2.1.3 (Claude Code); "
    );
    assert!(found[1].starts_with(&said), "{found:?}");
    assert!(found[2].starts_with("warning codex is called with `codex`, and does not work: "), "{found:?}");
    assert!(found[2].ends_with("ended with exit code 3: broken"), "{found:?}");
    assert_eq!(
        found[3],
        format!("problem gemini is called with `gm`, as `{config}` says, and there is no such program")
    );
    shop.config("[agents.claude]\ncommand = []\n");
    assert!(doctor(2)[0].contains("config.toml:2`: `agents.claude.command` has to be a list"));
}

#[test]
fn a_lead_goes_on_with_its_own_session_where_that_is_there() {
    let shop = Shop::new();
    shop.program("claude", TELLS);
    let brief = shop.brief("Look into it.\n");
    let prepared = shop.prepare(0, &["--category", "fix", "--brief", &brief]);
    let manifest = manifest(&prepared);
    let (id, folder) = (manifest["lead"]["sessionId"].as_str().unwrap(), manifest["lead"]["folder"].as_str().unwrap());
    let resume = |variables: &[(&str, &str)]| {
        let ran = shop.run_with(variables, &["resume", "--task", "auth/login"]);
        assert_eq!(ran.code, Some(7), "{ran:?}");
        assert_eq!(Path::new(ran.stdout.lines().next().unwrap()), fs::canonicalize(folder).unwrap(), "{ran:?}");
        let words = words(&ran).into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words.last().unwrap(), "# Resuming requirements-discovery-001 of shop/auth/login");
        let at = words.iter().position(|word| word == "--add-dir").unwrap();
        words[..at].join(" ")
    };
    // There is none: it begins under the id by which the run knows it.
    assert_eq!(resume(&[]), format!("--session-id {id}"));
    let home = shop.sandbox.path().join("home/.claude");
    shop.session(&home, id, "/another/folder");
    // The id is taken: a session of another.
    assert_eq!(resume(&[]), "");
    shop.session(&home, id, folder);
    assert_eq!(resume(&[]), format!("--resume {id}"));
    let other = shop.sandbox.path().join("other claude");
    let named = [("CLAUDE_CONFIG_DIR", other.to_str().unwrap())];
    assert_eq!(resume(&named), format!("--session-id {id}"));
    shop.session(&other, id, folder);
    assert_eq!(resume(&named), format!("--resume {id}"));
    let third = shop.sandbox.path().join("third");
    shop.config(&format!("[agents.claude]\nhome = {:?}\n", third.to_str().unwrap()));
    assert_eq!(resume(&named), format!("--session-id {id}"));
    // The page comes with the launch prompt, or with where that is for who has it already.
    shop.program("claude", "printf '%s' \"$*\"");
    let said = |variables: &[(&str, &str)]| shop.run_with(variables, &["resume", "--task", "auth/login"]).stdout;
    let is_whole = |text: &str| text.contains("# You lead this run");
    let prompt = format!("\nYour launch prompt holds as before: `{}`.", prepared["launchPrompt"].as_str().unwrap());
    assert!(is_whole(&said(&named)) && !said(&named).contains(&prompt));
    shop.session(&third, id, folder);
    assert!(!is_whole(&said(&[])) && said(&[]).contains(&prompt), "{}", said(&[]));
}
