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
    // In a folder with a file, which is offered for none of these.
    std::fs::write(machine.sandbox.path().join("a-file"), "").unwrap();
    let complete = |words: &[&str]| {
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let line = format!(
            "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; _okstra okstra {last:?} {before}; echo \"${{COMPREPLY[@]}}\"",
            path.display(),
            words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" "),
            words.len() - 1
        );
        let ran = machine.sandbox.command("bash").args(["-c", &line]).current_dir(machine.sandbox.path()).ran();
        let mut found: Vec<_> = ran.stdout.split_whitespace().map(str::to_owned).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(complete(&["okstra", "sta"]), ["stage", "status"]);
    assert_eq!(complete(&["okstra", "run", "--type", "impl"]), ["implementation", "implementation-planning"]);
    assert_eq!(complete(&["okstra", "run", "--category", "fe"]), ["feat"]);
    assert_eq!(complete(&["okstra", "finish", "--route", "fu"]), ["full"]);
    assert_eq!(complete(&["okstra", "status", "--task", ""]), [""; 0]);
    assert!(complete(&["okstra", "run", "--brief", "a-"]).contains(&"a-file".to_owned()));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let machine = Machine::new();
    let line = format!("'{}' completions zsh | head -n 1; echo \"${{PIPESTATUS[0]}}\"", crate::common::OKSTRA);
    let ran = machine.sandbox.command("bash").args(["-c", &line]).ran();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("#compdef okstra\n0\n", ""));
}
