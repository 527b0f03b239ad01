//! Repositories in which something is missing, broken, forbidden, or gone: a named error, or an answer that says so.

use std::fs;
use std::path::{Path, PathBuf};

use okstra::context::{Context, Environment};
use okstra::domain::equivalence::{Candidate, Proof, Verdict};
use okstra::domain::ids::CommitId;
use okstra::git::{History, Limits, Repository, Span};
use okstra::ops::equivalence::{ask_recorded, fingerprints};

use crate::common::Sandbox;

/// A branch of two commits that landed in `main` as a squash, with loose objects only.
struct Landed {
    sandbox: Sandbox,
    folder: PathBuf,
    base: String,
    head: String,
    squash: String,
}

impl Landed {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let folder = sandbox.repository("repository");
        let base = sandbox.commit(&folder, "file", "one\ntwo\n", "base");
        sandbox.git(&folder, &["checkout", "-q", "-b", "stage"]);
        sandbox.commit(&folder, "file", "ONE\ntwo\n", "first");
        let head = sandbox.commit(&folder, "other", "new\n", "second");
        sandbox.git(&folder, &["checkout", "-q", "main"]);
        sandbox.commit(&folder, "elsewhere", "x\n", "main");
        sandbox.git(&folder, &["merge", "-q", "--squash", "stage"]);
        sandbox.git(&folder, &["commit", "-q", "-m", "squash"]);
        let squash = sandbox.git(&folder, &["rev-parse", "HEAD"]);
        Self { sandbox, folder, base, head, squash }
    }

    fn object(&self, id: &str) -> PathBuf {
        self.folder.join(".git/objects").join(&id[..2]).join(&id[2..])
    }

    fn break_object(&self, id: &str) {
        let path = self.object(id);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "garbage").unwrap();
    }

    fn ask(&self) -> crate::common::Ran {
        let arguments =
            ["content-merged", "--commit", &self.head, "--candidate", "main", "--base", &self.base, "--json"];
        self.sandbox.okstra_in(&self.folder, arguments)
    }
}

#[test]
fn a_broken_commit_is_a_named_error_and_a_broken_object_on_the_way_is_no_evidence() {
    let broken = Landed::new();
    broken.break_object(&broken.head);
    let ran = broken.ask();
    assert_eq!((ran.code, ran.json()["code"].as_str()), (Some(1), Some("broken-object")), "{}", ran.stdout);
    assert!(ran.json()["error"].as_str().unwrap().contains(&broken.head), "{}", ran.stdout);
    assert!(ran.json()["hint"].as_str().unwrap().contains("fsck"), "{}", ran.stdout);

    let damaged = Landed::new();
    let tree = damaged.sandbox.git(&damaged.folder, &["rev-parse", "main^{tree}"]);
    damaged.break_object(&tree);
    let ran = damaged.ask();
    assert_eq!((ran.code, ran.json()["verdict"].as_str()), (Some(2), Some("ask")), "{}", ran.stdout);
    assert!(ran.json()["reason"].as_str().unwrap().contains(&tree), "{}", ran.stdout);
}

#[test]
fn a_broken_ref_is_a_named_error() {
    let landed = Landed::new();
    fs::write(landed.folder.join(".git/refs/heads/main"), "nonsense\n").unwrap();
    let ran = landed.ask();
    assert_eq!((ran.code, ran.json()["code"].as_str()), (Some(1), Some("broken-ref")), "{}", ran.stdout);
}

#[test]
fn a_search_without_time_is_unknown_never_absent() {
    let landed = Landed::new();
    let arguments = ["content-merged", "--commit", &landed.head, "--candidate", "main~0", "--base", &landed.base];
    assert_eq!(landed.sandbox.okstra_in(&landed.folder, arguments).code, Some(2));
    for limit in [["--max-seconds", "0"], ["--max-commits", "1"]] {
        let arguments = ["content-merged", "--commit", &landed.base, "--candidate", "stage", "--json"];
        let ran = landed.sandbox.okstra_in(&landed.folder, arguments.iter().chain(&limit));
        assert_eq!((ran.code, ran.json()["verdict"].as_str()), (Some(2), Some("ask")), "{limit:?} {}", ran.stdout);
    }
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_a_named_error() {
    use std::os::unix::fs::PermissionsExt;

    let landed = Landed::new();
    let path = landed.object(&landed.head);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        return; // A superuser may read everything.
    }
    let ran = landed.ask();
    assert_eq!((ran.code, ran.json()["code"].as_str()), (Some(1), Some("permission-denied")), "{}", ran.stdout);
}

fn commit(id: &str) -> CommitId {
    CommitId(id.parse().unwrap())
}

fn in_process(folder: &Path) -> (Context, Repository) {
    let context = Context::new(folder, Environment::default());
    (context, Repository::discover(folder).unwrap())
}

#[test]
fn a_stage_whose_commits_were_collected_is_proved_by_its_fingerprints() {
    let landed = Landed::new();
    let (base, head) = (commit(&landed.base), commit(&landed.head));
    let (context, repository) = in_process(&landed.folder);
    let content = fingerprints(&mut History::new(&repository), Span { base, head }).unwrap().unwrap();
    let stored = serde_json::to_string(&content).unwrap();

    landed.sandbox.git(&landed.folder, &["branch", "-q", "-D", "stage"]);
    landed.sandbox.git(&landed.folder, &["reflog", "expire", "--expire=now", "--all"]);
    landed.sandbox.git(&landed.folder, &["gc", "-q", "--prune=now"]);
    let (_, repository) = in_process(&landed.folder);
    assert!(repository.commit_by_id(&landed.head).unwrap().is_err(), "the commit is gone");

    let content = serde_json::from_str(&stored).unwrap();
    let ask = |name: &str, id: &str| {
        let candidate = Candidate { name: name.to_owned(), commit: commit(id) };
        let from = (&content, Some(base));
        ask_recorded(&context, &mut History::new(&repository), &candidate, from, Limits::default()).unwrap()
    };
    let answer = ask("refs/heads/main", &landed.squash);
    assert_eq!((answer.verdict, answer.proof), (Verdict::Contained, Some(Proof::Fingerprint)), "{answer:?}");
    assert_eq!(answer.matched_commit, Some(commit(&landed.squash)));

    let before = landed.sandbox.git(&landed.folder, &["rev-parse", "main~1"]);
    let answer = ask("before", &before);
    assert_eq!((answer.verdict, answer.proof), (Verdict::Ask, None), "{answer:?}");

    landed.sandbox.git(&landed.folder, &["revert", "--no-edit", "HEAD"]);
    let reverted = landed.sandbox.git(&landed.folder, &["rev-parse", "main"]);
    let answer = ask("reverted", &reverted);
    assert_eq!((answer.verdict, answer.proof), (Verdict::Ask, Some(Proof::Fingerprint)), "{answer:?}");
}
