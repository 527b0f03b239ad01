//! `okstra content-merged` as a person and as a program see it; which answers are right is the fixtures' matter.

use std::path::PathBuf;

use serde_json::json;

use crate::common::{Ran, Sandbox};

/// A repository whose branch `feature` landed in `main` by a squash, was taken out again in `reverted`, reworked in
/// `reworked`, and is not in `other`.
struct Squashed {
    sandbox: Sandbox,
    folder: PathBuf,
    base: String,
    feature: String,
    squash: String,
}

impl Squashed {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let folder = sandbox.repository("a 'repository' é");
        let git = |arguments: &[&str]| sandbox.git(&folder, arguments);
        let lines = |changed: &[usize]| -> String {
            (0..40)
                .map(|n| if changed.contains(&n) { format!("line {n}, new\n") } else { format!("line {n}\n") })
                .collect()
        };
        let base = sandbox.commit(&folder, "src/file", &lines(&[]), "base");
        git(&["branch", "feature"]);
        sandbox.commit(&folder, "other", "other\n", "other");
        git(&["branch", "other"]);
        git(&["checkout", "-q", "feature"]);
        sandbox.commit(&folder, "src/file", &lines(&[10]), "one");
        let feature = sandbox.commit(&folder, "src/file", &lines(&[10, 20]), "two");
        git(&["checkout", "-q", "main"]);
        git(&["merge", "-q", "--squash", "feature"]);
        git(&["commit", "-q", "-m", "squash"]);
        let squash = git(&["rev-parse", "HEAD"]);
        git(&["checkout", "-q", "-b", "reverted"]);
        git(&["revert", "--no-edit", "HEAD"]);
        git(&["checkout", "-q", "-b", "feature-reverted", "feature"]);
        git(&["revert", "--no-edit", "HEAD", "HEAD~1"]);
        Self { sandbox, folder, base, feature, squash }
    }

    fn ask(&self, candidate: &str, more: &[&str]) -> Ran {
        let arguments = ["content-merged", "--commit", &self.feature, "--candidate", candidate];
        self.sandbox.okstra_in(&self.folder, arguments.iter().chain(more))
    }
}

#[test]
fn people_read_the_verdict_then_the_facts_then_what_to_do() {
    let repository = Squashed::new();
    let Squashed { feature, squash, .. } = &repository;

    let contained = repository.ask("main", &[]);
    assert_eq!((contained.code, contained.stderr.as_str()), (Some(0), ""));
    let (headline, facts) = contained.stdout.split_once('\n').unwrap();
    assert!(headline.starts_with(&format!("contained  {} landed in refs/heads/main as", &feature[..8])), "{headline}");
    let expected = format!(
        "\n  commit     {feature}\n  candidate  main\n  landed at  {squash}\n  \
         proof      same-change: one commit makes exactly these changes\n  \
         effect     present: merging it changes nothing\n"
    );
    assert_eq!(facts, expected);

    let absent = repository.ask("other", &[]);
    assert_eq!((absent.code, &absent.stdout[..8]), (Some(2), "absent  "));
    assert!(
        absent.stdout.contains("\n  landed at  nowhere\n") && !absent.stdout.contains("next:"),
        "{}",
        absent.stdout
    );

    let gone = repository.ask("reverted", &[]);
    let next = format!("\n\nnext: look at what became of it\n  git log -p {squash}..reverted\n");
    assert_eq!((gone.code, &gone.stdout[..5]), (Some(2), "ask  "));
    assert!(gone.stdout.ends_with(&next), "{}", gone.stdout);

    let unknown = repository.ask("no-such-ref", &[]);
    assert_eq!((unknown.code, &unknown.stdout[..5]), (Some(2), "ask  "));
    assert!(unknown.stdout.ends_with("\n\nnext: check the ids and the ref, and ask again\n"), "{}", unknown.stdout);
}

#[test]
fn programs_read_one_document() {
    let repository = Squashed::new();
    let ran = repository.ask("main", &["--json"]);
    let mut document = ran.json();
    let reason = document.as_object_mut().unwrap().remove("reason").unwrap();
    let expected = json!({
        "status": "patch-equivalent", "matchedCommit": repository.squash, "verdict": "contained",
        "proof": "same-change", "effect": "present",
    });
    assert_eq!((ran.code, document, ran.stderr.as_str()), (Some(0), expected, ""));
    assert!(reason.is_string());
    let absent = repository.ask("other", &["--json"]);
    assert_eq!((absent.code, &absent.json()["proof"]), (Some(2), &json!(null)));
}

#[test]
fn a_reachable_commit_whose_changes_are_gone_is_contained_with_a_warning() {
    let repository = Squashed::new();
    for json in [&["--base", &repository.base][..], &["--base", &repository.base, "--json"]] {
        let ran = repository.ask("feature-reverted", json);
        let warning = "warning: the commit is in feature-reverted, but its changes are not there\n";
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), warning), "{}", ran.stdout);
    }
}

#[test]
fn a_search_that_stops_early_is_not_sure() {
    let ran = Squashed::new().ask("main", &["--max-commits", "0", "--json"]);
    assert_eq!((ran.code, &ran.json()["verdict"]), (Some(2), &json!("ask")));
}

#[test]
fn where_there_is_no_repository_the_way_out_is_named() {
    let repository = Squashed::new();
    let outside = repository.sandbox.path();
    let arguments = ["content-merged", "--commit", &repository.feature, "--candidate", "main"];
    let ran = repository.sandbox.okstra_in(outside, arguments);
    let hint = "run okstra inside a repository, or name one with --project-root";
    let message = format!("`{}` is not in a git repository", outside.display());
    assert_eq!((ran.code, ran.stderr), (Some(1), format!("error: {message}\n\nhint: {hint}\n")));
    let ran = repository.sandbox.okstra_in(outside, arguments.iter().chain(&["--json"]));
    let expected = json!({"error": message, "code": "not-a-repository", "hint": hint});
    assert_eq!((ran.code, ran.json()), (Some(1), expected));

    let folder = repository.folder.join("src").into_os_string().into_string().unwrap();
    let ran = repository.sandbox.okstra_in(outside, arguments.iter().chain(&["--project-root", &folder]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn on_a_terminal_the_verdict_has_a_colour_and_lines_fit() {
    use crate::common::OKSTRA;
    use crate::common::pty::Pty;
    let repository = Squashed::new();
    let folder = repository.folder.to_str().unwrap();
    let words = ["--commit", &repository.feature, "--candidate", "main", "--project-root", folder];
    let command = [&[OKSTRA, "content-merged"], &words[..]].concat();
    let (status, screen) = Pty::start(&repository.sandbox, 60, &[], &command).end();
    assert_eq!(status.code(), Some(0), "{screen}");
    assert!(screen.starts_with("\x1b[1m\x1b[32mcontained\x1b[0m  "), "{screen:?}");
    let (_, plain) = Pty::start(&repository.sandbox, 60, &[("NO_COLOR", "1")], &command).end();
    assert!(plain.lines().all(|line| line.chars().count() <= 60), "{plain}");
}
