//! The question at a terminal.

use super::shop::{Shop, TASK, login};
use crate::common::OKSTRA;
use crate::common::pty::Pty;

struct Asked {
    shop: Shop,
    home: String,
}

impl Asked {
    fn new() -> Self {
        let shop = Shop::new();
        shop.write("plan.md", &login());
        let home = shop.sandbox.path().join("okstra home").to_str().unwrap().to_owned();
        Self { shop, home }
    }

    fn start(&self, more: &[&str]) -> Pty {
        let root = self.shop.root.to_str().unwrap();
        let plan = self.shop.root.join("plan.md");
        let words = [
            OKSTRA,
            "plan",
            "approve",
            "--project-root",
            root,
            "--task",
            TASK,
            plan.to_str().unwrap(),
            "--category",
            "fix",
        ];
        let variables = [("NO_COLOR", "1"), ("OKSTRA_HOME", self.home.as_str())];
        Pty::start(&self.shop.sandbox, 80, &variables, &[&words, more].concat())
    }

    fn is_approved(&self) -> bool {
        self.shop.task().exists()
    }
}

#[test]
fn a_person_sees_what_is_approved_and_agrees() {
    let asked = Asked::new();
    let mut pty = asked.start(&[]);
    pty.wait_for("Approve this plan? [y/N] ");
    assert!(!asked.is_approved());
    pty.type_in("y\n");
    let (status, screen) = pty.end();
    assert_eq!(status.code(), Some(0), "{screen}");
    assert!(asked.is_approved());
    for shown in [
        "Log in with a password (",
        "3  The login form",
        "after      1, 2",
        "files      src/users/password.rs, tests/users/password*.rs",
        "checks     cargo test users::password\r\n             cargo clippy -- -D warnings",
        "before     cargo check",
        "steps      Add the column `password_hash` to `User`.\r\n             Hash with argon2id: …",
        "task      shop/auth/login: it is made",
        "by        Ann Approver",
        "approved  plan 001-",
    ] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    assert!(screen.lines().all(|line| line.trim_end().chars().count() <= 80), "{screen}");
}

#[test]
fn anything_but_yes_changes_nothing() {
    for answer in ["n\n", "\n", "nope\n", "\x04"] {
        let asked = Asked::new();
        let mut pty = asked.start(&[]);
        pty.wait_for("[y/N] ");
        pty.type_in(answer);
        let (status, screen) = pty.end();
        assert_eq!(status.code(), Some(1), "{answer:?}: {screen}");
        assert!(screen.contains("error: it was not confirmed, and nothing was changed"), "{screen}");
        assert!(!asked.is_approved());
    }
}

#[test]
fn ctrl_c_at_the_question_ends_it_cleanly() {
    use std::os::unix::process::ExitStatusExt;
    let asked = Asked::new();
    let mut pty = asked.start(&[]);
    pty.wait_for("[y/N] ");
    pty.type_in("\x03");
    let (status, screen) = pty.end();
    assert_eq!(status.signal(), Some(2), "{screen}");
    assert!(screen.contains("\r\nerror: stopped on request"), "{screen}");
    assert!(!asked.is_approved());
}

#[test]
fn who_answered_before_is_not_asked() {
    let asked = Asked::new();
    let (status, screen) = asked.start(&["--yes"]).end();
    assert_eq!(status.code(), Some(0), "{screen}");
    assert!(!screen.contains("[y/N]") && asked.is_approved(), "{screen}");
    // Nor is anybody where there is nothing to agree to.
    let (status, screen) = asked.start(&[]).end();
    assert_eq!(status.code(), Some(0), "{screen}");
    assert!(screen.starts_with("unchanged  "), "{screen}");
}

#[test]
fn a_document_is_never_preceded_by_a_question() {
    let asked = Asked::new();
    let (status, screen) = asked.start(&["--json"]).end();
    assert_eq!(status.code(), Some(1), "{screen}");
    assert!(screen.starts_with("{\"error\":") && screen.contains("confirmation-needed"), "{screen}");
    assert!(!asked.is_approved());
}

#[test]
fn reopened_and_kept_stages_are_shown_before_the_question() {
    let asked = Asked::new();
    let first = asked.shop.approve(&login());
    asked.shop.row(1, "done", &first);
    asked.shop.row(2, "done", &first);
    asked.shop.write("plan.md", &login().replace("Add the table `sessions`.", "Add it."));
    let mut pty = asked.start(&[]);
    pty.wait_for("[y/N] ");
    pty.type_in("y\n");
    let (_, screen) = pty.end();
    for shown in ["stay done  1       row and section", "reopened   2       they are done", "replaces  001-"] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
}
