//! The page that a lead gets when it goes on with a run.

use std::fs;

use okstra::ops::resume_page;

use super::Life;

fn page(life: &Life, run: Option<&str>) -> String {
    let context = life.context();
    resume_page::make(&context, &life.story.task(&context), run).unwrap().markdown
}

#[test]
fn the_page_shows_what_is_there() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1, 2]);
    let first = page(&life, None);
    for said in [
        "# Resuming implementation-001 of shop/auth/login",
        "0 s ago, and is prepared",
        "| codex | verifier | missing |",
        "## Convergence\n\nIt has not begun.",
        "| 1 Stage 1 | not done | `fix-login-s1` |",
        "final-report-implementation-001.md`: missing",
        "Implementation-001 is open. Go on with what is missing above. Dispatch nothing again",
    ] {
        assert!(first.contains(said), "{said:?}: {first}");
    }
    let head = life.story.stage(1, "fix-login", &[("a.txt", 3, "one")]);
    let results = life.path("runs/implementation/worker-results");
    fs::create_dir_all(&results).unwrap();
    for file in ["codex-implementation-001.md", "codex-implementation-001-r1.md", "codex-implementation-002.md"] {
        fs::write(results.join(file), "x").unwrap();
    }
    let convergence = life.path("runs/implementation/state/convergence-implementation-001.json");
    let state = r#"{"schemaVersion":"1.2","findings":[{"id":"F-1","rounds":[{"round":1,"votes":{"codex":{"verdict":"agree"},
        "claude":{}}}]},{"id":"F-2","rounds":[{"round":1,"votes":{"codex":{}}}]},{"id":"F-3"}]}"#;
    fs::create_dir_all(convergence.parent().unwrap()).unwrap();
    fs::write(&convergence, state).unwrap();
    let second = page(&life, Some("implementation-001"));
    for said in [
        "worker-results/codex-implementation-001-r1.md`<br>`.okstra/",
        "3 findings, in `.okstra/",
        "| 1 | claude | 1 |\n| 1 | codex | 2 |",
        &format!("| 1 Stage 1 | done at {head}, not in the task branch |"),
    ] {
        assert!(second.contains(said), "{said:?}: {second}");
    }
    assert!(!second.contains("implementation-002"), "{second}");
    fs::write(&convergence, "[").unwrap();
    let context = life.context();
    let error = resume_page::make(&context, &life.story.task(&context), None).unwrap_err();
    assert!(error.to_string().contains("convergence-implementation-001.json"), "{error}");
}

#[test]
fn what_is_over_is_not_resumed() {
    let life = Life::planned();
    life.prepare("implementation-001", &[1]);
    life.done(&["abandon", "implementation-001", "--reason", "x", "--yes"]);
    let context = life.context();
    let make = |run| resume_page::make(&context, &life.story.task(&context), run).unwrap_err().code();
    assert_eq!((make(Some("implementation-001")), make(None)), ("run-ended", "which-run"));
}
