//! For whom it is installed, and what lies where then.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{Entry, Machine, SKILL, told};
use crate::common::{OKSTRA, Run};

#[test]
fn everything_is_where_its_agent_looks_for_it() {
    let machine = Machine::new();
    let done = machine.done(&["install", "--target", "claude,codex,gemini", "--yes"]);
    assert_eq!(done["targets"], json!(["claude", "codex", "gemini"]));
    let expected = [
        "create .okstra/bin/okstra".to_owned(),
        format!("create .claude/{SKILL}"),
        // Codex and Gemini share a folder.
        format!("create .agents/{SKILL}"),
    ];
    assert_eq!(told(&machine, &done), expected);
    let program = machine.at(".okstra/bin/okstra");
    assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read(&program).unwrap(), fs::read(OKSTRA).unwrap());
    let said = machine.sandbox.command(&program).arg("--version").ran();
    assert_eq!(said.stdout, format!("okstra {}\n", env!("CARGO_PKG_VERSION")));
    let runtime = format!(".okstra/runtime/{}", env!("CARGO_PKG_VERSION"));
    assert!(machine.read(&format!("{runtime}/prompts/lead.md")).len() > 100);
    let shipped = machine.read(&format!("{runtime}/{SKILL}"));
    assert!(shipped.contains("`okstra tasks --json`"));
}

#[test]
fn skills_call_the_executable_that_was_installed() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let skill = machine.read(&format!(".claude/{SKILL}"));
    let program = format!("'{}'", machine.at(".okstra/bin/okstra").display());
    assert!(skill.contains(&format!("`{program} tasks --json`")) && !skill.contains("`okstra "), "{skill}");
    // As an agent runs it, with nothing of okstra on PATH.
    let line = format!("{program} tasks --help");
    let ran = machine.sandbox.command("/bin/sh").args(["-c", &line]).ran();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn by_default_it_is_installed_for_the_agents_that_are_here() {
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &["claude"]),
        (&[".codex"], &["codex"]),
        (&[".claude", ".gemini"], &["claude", "gemini"]),
        (&[".claude", ".codex", ".gemini"], &["claude", "codex", "gemini"]),
    ];
    for (folders, targets) in cases {
        let machine = Machine::new();
        folders.iter().for_each(|folder| fs::create_dir(machine.at(folder)).unwrap());
        assert_eq!(machine.done(&["install", "--dry-run"])["targets"], json!(targets), "{folders:?}");
    }
}

#[test]
fn whom_it_was_installed_for_stays_so() {
    let machine = Machine::new();
    fs::create_dir(machine.at(".codex")).unwrap();
    let done = machine.done(&["install", "--target", "claude", "--yes"]);
    assert_eq!((&done["targets"], &done["alsoFound"]), (&json!(["claude"]), &json!(["codex"])));
    assert_eq!(machine.done(&["install", "--yes"])["targets"], json!(["claude"]));
    let more = machine.done(&["install", "--target", "codex", "--yes"]);
    assert_eq!((&more["targets"], &more["alsoFound"]), (&json!(["claude", "codex"]), &json!([])));
    assert_eq!(told(&machine, &more), [format!("create .agents/{SKILL}")]);
}

#[test]
fn the_folders_that_variables_name_are_taken() {
    let machine = Machine::new();
    let (claude, own) = (machine.at("config of claude"), machine.at("own"));
    let ran = machine
        .command(&["install", "--target", "claude", "--yes", "--json"])
        .env("CLAUDE_CONFIG_DIR", &claude)
        .env("OKSTRA_HOME", &own)
        .ran();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(claude.join(SKILL).exists() && own.join("bin/okstra").exists() && own.join("install.json").exists());
    assert!(!machine.at(".claude").exists() && !machine.at(".okstra").exists());
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    let machine = Machine::new();
    let before = machine.tree();
    let planned = machine.done(&["install", "--dry-run"]);
    assert_eq!((&planned["dryRun"], &planned["changed"]), (&json!(true), &json!(true)));
    assert_eq!(machine.tree(), before);
    let text = machine.run(&["install", "--dry-run"]);
    assert!(text.stdout.contains("create  executable") && text.stdout.contains("this is a dry run"), "{text:?}");
    assert_eq!(machine.tree(), before);
    let mut done = machine.done(&["install", "--yes"]);
    done["dryRun"] = json!(true);
    assert_eq!(done, planned);
}

#[test]
fn installing_again_changes_nothing_and_says_so() {
    let machine = Machine::new();
    machine.done(&["install", "--yes"]);
    let before = machine.tree();
    // Nothing would change, so nobody is asked.
    for arguments in
        [&["install"][..], &["install", "--yes"], &["install", "--target", "claude"], &["install", "--dry-run"]]
    {
        assert_eq!(machine.done(arguments)["changed"], json!(false), "{arguments:?}");
        assert_eq!(machine.tree(), before, "{arguments:?}");
    }
    assert!(machine.run(&["install"]).stdout.starts_with("unchanged  okstra "));
    // Also by the executable that was installed.
    let ran = machine.sandbox.command(machine.at(".okstra/bin/okstra")).args(["install", "--json"]).ran();
    assert_eq!(ran.json()["changed"], json!(false));
    assert_eq!(machine.tree(), before);
}

#[test]
fn how_it_gets_on_path_is_said_and_no_file_of_a_shell_is_touched() {
    let machine = Machine::new();
    machine.write(".bashrc", "# mine\n");
    let bin = machine.at(".okstra/bin");
    for (shell, expected) in
        [("/bin/bash", ">> ~/.bashrc"), ("/usr/bin/zsh", ">> ~/.zshrc"), ("/bin/fish", "fish_add_path")]
    {
        let ran = machine.command(&["install", "--yes"]).env("SHELL", shell).ran();
        assert!(ran.stdout.contains(expected), "{shell}: {ran:?}");
    }
    assert_eq!(machine.tree()[std::path::Path::new(".bashrc")], Entry::File(0o644, b"# mine\n".to_vec()));
    let path = std::env::join_paths([bin.clone(), "/usr/bin".into(), "/bin".into()]).unwrap();
    let ran = machine.command(&["install", "--json"]).env("PATH", &path).ran();
    assert_eq!((&ran.json()["pathAdvice"], &ran.json()["shadowedBy"]), (&json!(null), &json!(null)));
    // What the advice does, done.
    let advice = machine.command(&["install", "--json"]).env("SHELL", "/bin/bash").ran().json();
    let command = advice["pathAdvice"]["command"].as_str().unwrap();
    let line = format!("{command}; . ~/.bashrc; okstra --version");
    let ran = machine.sandbox.command("/bin/sh").args(["-c", &line]).ran();
    assert!(ran.stdout.starts_with("okstra "), "{ran:?}");
    // Another okstra before it.
    machine.write("elsewhere/okstra", "");
    fs::set_permissions(machine.at("elsewhere/okstra"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths([machine.at("elsewhere"), bin, "/usr/bin".into()]).unwrap();
    let ran = machine.command(&["install", "--json"]).env("PATH", &path).ran();
    assert_eq!(ran.json()["shadowedBy"], json!(machine.at("elsewhere/okstra")));
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let machine = Machine::new();
    let before = machine.tree();
    assert_eq!(machine.refused(&["install", "--target", "cursor", "--yes"]).0, "unknown-target");
    assert_eq!(machine.refused(&["install"]).0, "confirmation-needed");
    assert_eq!(machine.refused(&["install", "--project-root", "."]).0, "usage");
    let ran = machine.command(&["install", "--yes", "--json"]).env_remove("HOME").ran();
    assert_eq!(ran.json()["code"], "no-home");
    let own = machine.at("own");
    let ran = machine.command(&["install", "--yes", "--json"]).env_remove("HOME").env("OKSTRA_HOME", own).ran();
    assert_eq!(ran.json()["code"], "no-home", "{ran:?}");
    assert_eq!(machine.tree(), before);
}
