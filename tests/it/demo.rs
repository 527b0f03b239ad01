//! The demo: what it tells is true, it leaves nothing behind, and it can be read everywhere.

use std::fs;

use serde_json::{Value, json};

use crate::common::{OKSTRA, Run, Sandbox};

fn told() -> Value {
    let ran = Sandbox::new().okstra(["demo", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.json()
}

/// The values of a field of each element of a list.
fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a Value> {
    list.as_array().unwrap().iter().map(|one| &one[field]).collect()
}

#[test]
fn one_question_has_three_answers_where_git_has_one() {
    let told = told();
    let verdicts: Vec<&Value> = each(&told["scenes"], "answer").iter().map(|answer| &answer["verdict"]).collect();
    assert_eq!(verdicts, ["absent", "contained", "ask"]);
    assert_eq!(each(&told["scenes"], "reachable"), [false; 3]);
    assert_eq!((&told["folder"], &told["look"]), (&Value::Null, &json!([])));
}

#[test]
fn the_records_of_the_task_are_repaired_or_asked_about() {
    let told = told();
    let task = &told["task"];
    let document = |step: usize, call: usize| &task["steps"][step]["calls"][call]["document"];

    let squashed = document(0, 0);
    assert_eq!(each(&squashed["into"], "proof"), ["replay", "same-change"], "{squashed}");
    assert_eq!(each(&squashed["into"], "verdict"), ["contained"; 2], "{squashed}");
    let recorded = &each(&task["stages"], "commit")[..2];
    let git = &task["steps"][0]["git"];
    assert_eq!(each(git, "commit"), recorded);
    assert_eq!((each(git, "onABranch"), each(git, "foundByCherry")), (vec![&json!(false); 2], vec![&json!(false); 2]));
    assert!(each(git, "keptBy")[1].as_str().unwrap().starts_with("refs/okstra/keep/auth/login/s2-"), "{git}");

    let run = &task["steps"][1]["run"];
    assert_eq!((&run["run"], each(&run["stages"], "stage")), (&json!("implementation-002"), vec![&json!(3)]), "{run}");
    assert_eq!(each(&run["stages"], "base"), [&squashed["into"][0]["matched_commit"]], "{run}");
    assert_eq!(run["notices"].as_array().unwrap().len(), 2, "{run}");

    assert_eq!(each(&document(2, 0)["items"], "classification"), ["auto"]);
    assert_eq!(each(&document(2, 1)["applied"], "reason"), ["auto-patch-id"]);
    assert_eq!(each(&document(3, 0)["items"], "classification"), ["confirm"]);
    assert_eq!(each(&document(3, 1)["applied"], "reason"), ["user-ref"]);
    assert_eq!(document(4, 0), &json!({"items": []}));

    let log = &task["log"];
    assert_eq!(each(log, "stage"), [1, 2, 1, 2, 3, 3, 3]);
    let (auto, none) = (json!("auto-patch-id"), Value::Null);
    assert_eq!(each(log, "reason"), [&none, &none, &auto, &auto, &none, &auto, &json!("user-ref")]);
    let commits = each(log, "commit");
    assert_eq!(each(log, "replaced")[2..4], commits[..2]);
    assert_eq!(each(log, "replaced")[5..], commits[4..6]);
}

#[test]
fn it_is_the_same_everywhere_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    // What the user has set for git, and for okstra, has no part in it.
    let home = sandbox.path().join("home");
    fs::write(home.join(".gitconfig"), "[commit]\n\tgpgsign = true\n[init]\n\tdefaultObjectFormat = sha256\n").unwrap();
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/ignore"), "*\n").unwrap();
    let temp = sandbox.path().join("tmp of its own");
    fs::create_dir(&temp).unwrap();
    let mut command = sandbox.command(OKSTRA);
    let ran = command.args(["demo", "--json"]).env("TMPDIR", &temp).env("OKSTRA_HOME", home.join("okstra")).ran();
    assert_eq!(ran.json(), told());
    assert!(!home.join("okstra").exists() && !home.join(".okstra").exists());
    assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);
}

#[test]
fn what_is_kept_can_be_looked_at_with_the_commands_that_it_names() {
    let sandbox = Sandbox::new();
    let told = sandbox.okstra(["demo", "--keep", "--json"]).json();
    let folder = told["folder"].as_str().unwrap();
    assert!(folder.starts_with(sandbox.path().to_str().unwrap()), "{folder}");
    let script = each_text(&told["look"]).join("\n").replace("\nokstra ", "\n\"$OKSTRA\" ");
    let ran = sandbox.command("sh").args(["-e", "-c", &script]).env("OKSTRA", OKSTRA).ran();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{script}");
    assert!(ran.stdout.starts_with("ok  every recorded commit holds: the anchor, stages 1, 2 and 3\n"), "{ran:?}");
    assert!(ran.stdout.contains("Safe logins (#12)"), "{ran:?}");
}

fn each_text(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn every_command_that_it_shows_can_be_typed() {
    let told = told();
    let calls = told["task"]["steps"].as_array().unwrap().iter().flat_map(|step| each(&step["calls"], "command"));
    let prepared = &told["task"]["steps"][1]["run"]["command"];
    let asked = calls.chain(each(&told["scenes"], "question")).chain([prepared]);
    let commands: Vec<&str> = asked.map(|command| command.as_str().unwrap()).collect();
    assert_eq!(commands.len(), 10);
    for command in commands {
        let parsed = okstra::cli::command().try_get_matches_from(command.split(' '));
        assert!(parsed.is_ok(), "{command}: {parsed:?}");
    }
}

#[test]
fn what_is_missing_is_said_with_the_way_out() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path().join("file"), "").unwrap();
    for (folder, code) in [("none", "file-not-found"), ("file", "wrong-kind-of-file")] {
        let folder = sandbox.path().join(folder);
        let ran = sandbox.command(OKSTRA).args(["demo", "--json"]).env("TMPDIR", &folder).ran();
        let document = ran.json();
        assert_eq!((ran.code, &document["code"]), (Some(1), &json!(code)), "{document}");
        assert!(document["error"].as_str().unwrap().contains(folder.to_str().unwrap()), "{document}");
        assert!(document["hint"].as_str().unwrap().ends_with("TMPDIR=FOLDER okstra demo"), "{document}");
    }
    let ran = sandbox.command(OKSTRA).args(["demo", "--json"]).env("PATH", sandbox.path()).ran();
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("git-not-installed")));
    assert!(ran.json()["hint"].as_str().unwrap().starts_with("install git"), "{ran:?}");
    let left: Vec<_> = fs::read_dir(sandbox.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().starts_with("okstra-demo")), "{left:?}");
}

#[cfg(unix)]
mod on_a_terminal {
    use super::*;
    use crate::common::pty::Pty;

    fn screen(columns: u16, variables: &[(&str, &str)]) -> String {
        let (status, screen) = Pty::start(&Sandbox::new(), columns, variables, &[OKSTRA, "demo"]).end();
        assert!(status.success(), "{screen}");
        screen.replace("\r\n", "\n")
    }

    #[test]
    fn it_fits_and_takes_few_screens() {
        for (columns, most) in [(60, 166), (80, 132), (120, 124)] {
            let told = screen(columns, &[("NO_COLOR", "1")]);
            assert!(!told.contains('\x1b'), "{told}");
            assert!(told.lines().count() <= most, "{columns}: {} lines", told.lines().count());
            // A command is never broken, so that it can be copied.
            let lines = told.lines().filter(|line| !line.contains("$ ") && !line.contains("  okstra git-reconcile"));
            for line in lines {
                assert!(line.chars().count() <= usize::from(columns), "{columns}: {line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }

    #[test]
    fn it_is_coloured() {
        let told = screen(80, &[]);
        for word in ["contained", "absent", "ask", "auto", "confirm"] {
            let coloured = ["\x1b[32m", "\x1b[31m", "\x1b[33m"].map(|color| format!("{color}{word}\x1b[0m"));
            assert!(coloured.iter().any(|word| told.contains(word)), "{word}: {told}");
        }
    }

    #[test]
    fn the_readme_shows_what_it_prints() {
        let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
        let excerpt = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
        let told = screen(80, &[("NO_COLOR", "1")]);
        let mut rest = told.as_str();
        for part in excerpt.split("…\n").map(str::trim) {
            let at = rest.find(part).unwrap_or_else(|| panic!("not in what follows:\n{part}\n---\n{rest}"));
            rest = &rest[at + part.len()..];
        }
    }
}
