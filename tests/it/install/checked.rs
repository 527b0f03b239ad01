//! What doctor says of an installation and of the agent CLIs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Machine, SKILL};
use crate::common::Run;

/// The checks of that name, as `status: message`.
fn said(machine: &Machine, name: &str) -> Vec<String> {
    let path = std::env::join_paths([machine.at("programs"), "/usr/bin".into(), "/bin".into()]).unwrap();
    let ran = machine.command(&["doctor", "--json"]).env("PATH", path).env("CODEX_API_KEY", "k").ran();
    let document: Value = ran.json();
    let checks = document["checks"].as_array().unwrap().iter().filter(|check| check["name"] == name);
    checks
        .map(|check| format!("{}: {}", check["status"].as_str().unwrap(), check["message"].as_str().unwrap()))
        .collect()
}

fn program(machine: &Machine, name: &str, script: &str) {
    machine.write(&format!("programs/{name}"), &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(machine.at(&format!("programs/{name}")), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_installed_is_compared_with_what_was_written() {
    let machine = Machine::new();
    assert!(said(&machine, "installation")[0].starts_with("ok: okstra is not installed"));
    machine.done(&["install", "--yes"]);
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("ok: okstra {version} is installed for claude, and its 28 files are as they were written");
    assert_eq!(said(&machine, "installation"), [expected]);
    let skill = format!(".claude/{SKILL}");
    machine.write(&skill, "mine\n");
    let changed = format!("warning: `{}` is changed since okstra wrote it", machine.at(&skill).display());
    assert_eq!(said(&machine, "installation"), std::slice::from_ref(&changed));
    program(&machine, "x", "echo okstra 9.9.9");
    fs::copy(machine.at("programs/x"), machine.at(".okstra/bin/okstra")).unwrap();
    let found = said(&machine, "installation");
    assert!(found[0].starts_with("problem: the installed executable says `okstra 9.9.9`; "), "{found:?}");
    fs::remove_file(machine.at(".okstra/bin/okstra")).unwrap();
    let found = said(&machine, "installation");
    assert!(found[0].starts_with("problem: the installed executable cannot be started"), "{found:?}");
    machine.done(&["install", "--yes"]);
    assert_eq!(said(&machine, "installation"), [changed]);
    machine.record(|recorded| {
        recorded["version"] = json!("0.0.9");
        recorded["files"][0]["pending"] = json!(true);
    });
    let found = said(&machine, "installation");
    assert!(found[0].starts_with("warning: an installation was interrupted"), "{found:?}");
    machine.write(".okstra/install.json", "{");
    let found = said(&machine, "installation");
    assert!(found[0].starts_with("problem: ") && found[0].contains("install.json:1:"), "{found:?}");
    // The way out that is named is one.
    let hint = machine.run(&["install", "--yes", "--json"]).json()["hint"].as_str().unwrap().to_owned();
    let path = machine.at(".okstra/install.json").display().to_string();
    assert!(hint.contains(&format!("mv '{path}' '{path}.damaged' && npx -y okstra@latest install")), "{hint}");
    fs::rename(&path, format!("{path}.damaged")).unwrap();
    machine.done(&["install", "--yes"]);
}

#[test]
fn what_agents_find_in_the_place_of_okstras_is_told() {
    let machine = Machine::new();
    let skill = format!(".claude/{SKILL}");
    machine.write(&skill, "mine\n");
    machine.done(&["install", "--yes"]);
    let found = said(&machine, "installation");
    let expected = format!("warning: `{}` is yours and was there before", machine.at(&skill).display());
    assert!(found.len() == 1 && found[0].starts_with(&expected), "{found:?}");
    // Put aside it is okstra's turn.
    fs::rename(machine.at(&skill), machine.at(&format!("{skill}.mine"))).unwrap();
    machine.done(&["install", "--yes"]);
    assert!(said(&machine, "installation")[0].starts_with("ok: "), "{:?}", said(&machine, "installation"));
    // The agent looks in another folder now.
    let other = machine.at("other");
    let ran = machine.command(&["doctor", "--json"]).env("CLAUDE_CONFIG_DIR", &other).ran();
    let document = ran.json();
    let check = document["checks"].as_array().unwrap().iter().find(|check| check["name"] == "installation").unwrap();
    let said = check["message"].as_str().unwrap();
    assert!(said.contains(&*other.to_string_lossy()) && said.contains("not there"), "{check}");
}

#[test]
fn a_program_that_was_there_before_okstras_is_put_aside_by_hand() {
    let machine = Machine::new();
    machine.write(".okstra/bin/okstra", "#!/bin/sh\necho another program\n");
    fs::set_permissions(machine.at(".okstra/bin/okstra"), fs::Permissions::from_mode(0o755)).unwrap();
    machine.done(&["install", "--yes"]);
    let ran = machine.run(&["doctor", "--json"]).json();
    let check = ran["checks"].as_array().unwrap().iter().find(|check| check["name"] == "installation").unwrap();
    let program = machine.at(".okstra/bin/okstra").display().to_string();
    let way_out = format!(": mv '{program}' '{program}.old'");
    assert!(check["status"] == "problem" && check["advice"].as_str().unwrap().ends_with(&way_out), "{check}");
}

#[test]
fn each_agent_is_looked_at_without_a_call() {
    let machine = Machine::new();
    program(&machine, "claude", "echo '2.1.0 (Claude Code)'");
    program(&machine, "codex", "echo codex-cli 0.171.0");
    program(
        &machine,
        "gemini",
        "case \"$1\" in --version) echo 0.61.0;; skills) cat ~/.agents/skills/*/SKILL.md || true;; esac",
    );
    machine.done(&["install", "--target", "claude,gemini", "--yes"]);
    let unknown = "whether it is logged in cannot be told without a call";
    let expected = [
        format!("ok: claude is called with `claude`: 2.1.0 (Claude Code); {unknown}"),
        "ok: codex is called with `codex`: codex-cli 0.171.0; logged in by the key in CODEX_API_KEY".to_owned(),
        format!("ok: gemini is called with `gemini`: 0.61.0; {unknown}; it lists okstra's skills"),
    ];
    assert_eq!(said(&machine, "agents"), expected);
    machine.write(".claude/.credentials.json", "{}");
    fs::remove_dir_all(machine.at(".agents")).unwrap();
    program(&machine, "codex", "echo no >&2; exit 3");
    let found = said(&machine, "agents");
    assert!(found[0].ends_with("; logged in by the login that it keeps"), "{found:?}");
    assert!(found[1].starts_with("warning: codex is called") && found[1].contains("does not work"), "{found:?}");
    assert!(found[2].ends_with("; it does not list okstra-run, okstra-status"), "{found:?}");
}

#[test]
fn an_agent_that_hangs_is_given_up() {
    let machine = Machine::new();
    program(&machine, "gemini", "sleep 60");
    let start = Instant::now();
    let found = said(&machine, "agents");
    assert!(found[2].contains("it took longer than 10 s"), "{found:?}");
    assert!(start.elapsed().as_secs() < 30);
}
