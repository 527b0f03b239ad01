//! The command line: help, refusals, streams, colours.

use std::process::Stdio;

use serde_json::json;

use crate::common::{OKSTRA, Run, Sandbox};

const USAGE_HINT: &str = "see `okstra content-merged --help`";

#[test]
fn help_is_complete_and_has_an_example() {
    let sandbox = Sandbox::new();
    for arguments in [&["--help"][..], &["content-merged", "--help"], &["help", "content-merged"]] {
        let ran = sandbox.okstra(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        for part in ["Usage: okstra", "--json", "--color", "Example", "Exit codes: 0", "  okstra "] {
            assert!(ran.stdout.contains(part), "{arguments:?}: no {part:?} in {}", ran.stdout);
        }
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100 && line.trim_end() == line));
    }
}

#[test]
fn the_version_is_one_whole_line() {
    let ran = Sandbox::new().okstra(["--version"]);
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("okstra {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn no_command_is_a_mistake_that_shows_the_help() {
    let sandbox = Sandbox::new();
    let ran = sandbox.okstra::<&str>([]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("Usage: okstra"), "{}", ran.stderr);
    let ran = sandbox.okstra(["--json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (Some(1), &json!("usage")));
}

#[test]
fn what_is_wrong_is_named_and_the_nearest_is_suggested() {
    let sandbox = Sandbox::new();
    let missing = "the following required arguments were not provided: --commit <ID>, --candidate <REF>";
    let cases: [(&[&str], &str, &str); 6] = [
        (
            &["content-mergd"],
            "unrecognized subcommand 'content-mergd'",
            "a similar subcommand exists: 'content-merged'; see `okstra --help`",
        ),
        (
            &["content-merged", "--commti", "x"],
            "unexpected argument '--commti' found",
            "a similar argument exists: '--commit'; see `okstra content-merged --help`",
        ),
        (&["--jsno"], "unexpected argument '--jsno' found", "a similar argument exists: '--json'; see `okstra --help`"),
        (&["content-merged"], missing, USAGE_HINT),
        (&["content-merged", "--commit"], "a value is required for '--commit <ID>' but none was supplied", USAGE_HINT),
        (
            &["content-merged", "--color=pink"],
            "invalid value 'pink' for '--color <WHEN>' [possible values: auto, always, never]",
            USAGE_HINT,
        ),
    ];
    for (arguments, error, hint) in cases {
        let ran = sandbox.okstra(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert_eq!(ran.stderr, format!("error: {error}\n\nhint: {hint}\n"), "{arguments:?}");

        let ran = sandbox.okstra(arguments.iter().chain(&["--json"]).filter(|word| **word != "--commit"));
        if arguments != ["content-merged", "--commit"] {
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{arguments:?}");
            assert_eq!(ran.json(), json!({"error": error, "code": "usage", "hint": hint}), "{arguments:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf8_is_shown_escaped() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let broken = OsStr::from_bytes(b"na\xffme");
    let [command, commit, candidate, json] = ["content-merged", "--commit", "--candidate", "--json"].map(OsStr::new);
    let cases = [
        (
            vec![command, commit, broken, candidate, candidate, json],
            r#"the value "na\xFFme" for `--commit <ID>` is not UTF-8"#,
        ),
        (vec![broken, json], r#"the argument "na\xFFme" is not UTF-8"#),
        (vec![command, broken, json], r#"the argument "na\xFFme" is not UTF-8"#),
    ];
    for (arguments, error) in cases {
        let ran = Sandbox::new().okstra(&arguments);
        let document = ran.json();
        assert_eq!((ran.code, &document["code"], &document["error"]), (Some(1), &json!("not-utf8"), &json!(error)));
    }
}

#[test]
fn a_closed_pipe_changes_nothing() {
    let sandbox = Sandbox::new();
    for (arguments, code) in [(&["--help"][..], 0), (&["--version"], 0), (&["frobnicate", "--json"], 1), (&["frob"], 1)]
    {
        let mut command = sandbox.command(OKSTRA);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let err = writer.try_clone().unwrap();
        let status = command.args(arguments).stdin(Stdio::null()).stdout(writer).stderr(err).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
    let piped = sandbox.command("sh").args(["-c", r#""$0" --help | head -c0"#, OKSTRA]).ran();
    assert_eq!((piped.code, piped.stderr.as_str()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_a_failure() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(OKSTRA);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command.arg("--help").stdin(Stdio::null()).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: cannot write to the standard output\ncaused by: No space left"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn colours_are_for_terminals_unless_someone_says_otherwise() {
    use crate::common::pty::Pty;
    let sandbox = Sandbox::new();
    let plain = &[("NO_COLOR", "1")][..];
    let cases = [
        (&[][..], &[OKSTRA, "frobnicate"][..], true),
        (&[], &[OKSTRA, "--help"], true),
        (plain, &[OKSTRA, "frobnicate"], false),
        (plain, &[OKSTRA, "frobnicate", "--color=always"], true),
        (&[("TERM", "dumb")], &[OKSTRA, "--help"], false),
        (&[], &[OKSTRA, "--help", "--color", "never"], false),
    ];
    for (variables, command, colored) in cases {
        let (_, screen) = Pty::start(&sandbox, 80, variables, command).end();
        assert_eq!(screen.contains("\x1b["), colored, "{variables:?} {command:?}: {screen:?}");
    }
    let piped = sandbox.okstra(["frobnicate"]);
    assert!(!piped.stderr.contains('\x1b'));
    assert!(sandbox.okstra(["frobnicate", "--color", "always"]).stderr.contains('\x1b'));
}

#[cfg(unix)]
#[test]
fn help_fits_the_terminal() {
    use crate::common::pty::Pty;
    let command = [OKSTRA, "content-merged", "-h", "--color=never"];
    let sandbox = Sandbox::new();
    let (status, screen) = Pty::start(&sandbox, 60, &[], &command).end();
    assert_eq!(status.code(), Some(0));
    let description = screen.split("Example:").next().unwrap();
    assert!(description.contains("--candidate"), "{screen}");
    let long: Vec<_> =
        description.lines().filter(|line| !line.starts_with("Usage:") && line.chars().count() > 60).collect();
    assert!(long.is_empty(), "{long:?}");
}
