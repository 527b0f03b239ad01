//! The completions of each shell.

use serde_json::json;

use super::Machine;
use crate::common::Run;

#[test]
fn every_shell_gets_its_own() {
    let machine = Machine::new();
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef okstra"),
        ("fish", "complete -c okstra"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let ran = machine.run(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(ran.stdout.contains(mark) && ran.stdout.contains("git-reconcile"), "{shell}");
        let document = machine.done(&["completions", shell]);
        assert_eq!(
            (&document["shell"], document["script"].as_str().unwrap().trim_end()),
            (&json!(shell), ran.stdout.trim_end())
        );
    }
    let (code, error) = machine.refused(&["completions", "tcsh"]);
    assert!(code == "usage" && error.contains("tcsh"), "{error}");
}

#[test]
fn bash_completes_with_it() {
    let machine = Machine::new();
    let script = machine.run(&["completions", "bash"]).stdout;
    let path = machine.sandbox.path().join("completions.bash");
    std::fs::write(&path, script).unwrap();
    let line = format!(
        "source '{}'; COMP_WORDS=(okstra sta); COMP_CWORD=1; _okstra okstra sta okstra; echo \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    let ran = machine.sandbox.command("bash").args(["-c", &line]).ran();
    let mut found: Vec<_> = ran.stdout.split_whitespace().collect();
    found.sort_unstable();
    assert_eq!(found, ["stage", "status"], "{ran:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let machine = Machine::new();
    let line = format!("'{}' completions zsh | head -n 1; echo \"${{PIPESTATUS[0]}}\"", crate::common::OKSTRA);
    let ran = machine.sandbox.command("bash").args(["-c", &line]).ran();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("#compdef okstra\n0\n", ""));
}
