//! The script of the demo: who does what, and the words around it.

use super::files;

/// When the story begins: 2026-03-02, a Monday, 09:00 UTC, in seconds since 1970. Fixed, so that all ids are the same
/// everywhere.
pub(super) const BEGINNING: u64 = 1_772_442_000;
/// The branch of the first part.
pub(super) const BRANCH: &str = "passwords";
/// The task of the second part.
pub(super) const TASK: &str = "auth/login";
/// What people call it.
pub(super) const TASK_TITLE: &str = "Safe logins";
/// Its work category.
pub(super) const CATEGORY: &str = "feat";
/// Its branch.
pub(super) const TASK_BRANCH: &str = "feat-login";
/// What is asked for in it.
pub(super) const BRIEF: &str =
    "# Safe logins\n\nNobody logs in without a password, or after five failures; logouts are audited.\n";

/// A step, and how it is shown; what goes without saying is not.
pub(super) struct Act {
    pub(super) doing: Doing,
    pub(super) shown: Option<&'static str>,
}

pub(super) enum Doing {
    /// Write a file.
    Write(&'static str, &'static str),
    /// Call git.
    Git(&'static [&'static str]),
}

/// A day of the first part.
pub(super) struct Day {
    pub(super) title: &'static str,
    pub(super) story: &'static str,
    pub(super) acts: &'static [Act],
}

/// The words around a step of the second part.
pub(super) struct StepScript {
    pub(super) title: &'static str,
    pub(super) story: &'static str,
    pub(super) moral: &'static str,
}

/// A stage of the plan.
pub(super) struct PlannedStage {
    pub(super) title: &'static str,
    pub(super) depends_on: &'static [u32],
    pub(super) files: &'static [&'static str],
    /// The command that says whether it is done.
    pub(super) check: &'static str,
}

const fn write(file: &'static str, text: &'static str) -> Act {
    Act { doing: Doing::Write(file, text), shown: None }
}

const fn git(arguments: &'static [&'static str]) -> Act {
    Act { doing: Doing::Git(arguments), shown: None }
}

const fn shown(shown: &'static str, arguments: &'static [&'static str]) -> Act {
    Act { doing: Doing::Git(arguments), shown: Some(shown) }
}

const STAGED: Act = git(&["add", "--all"]);

/// A small project.
pub(super) const PROLOGUE: &[Act] = &[
    git(&["init", "--quiet", "--template=", "--initial-branch=main"]),
    git(&["config", "gc.auto", "0"]),
    write("login.py", files::LOGIN),
    write("README", "A shop.\n"),
    STAGED,
    git(&["commit", "--quiet", "--message=A shop"]),
];

/// The work of the first part: two commits on a branch of their own, while main moves on in the same file.
pub(super) const WORK: &[Act] = &[
    git(&["checkout", "--quiet", "-b", BRANCH]),
    write("login.py", files::CHECKED),
    write("test_login.py", files::TEST),
    STAGED,
    git(&["commit", "--quiet", "--message=Refuse a login without a password"]),
    write("login.py", files::CHECKED_AND_AUDITED),
    git(&["commit", "--quiet", "--all", "--message=Audit every logout"]),
    git(&["checkout", "--quiet", "main"]),
    write("login.py", files::HASHED),
    git(&["commit", "--quiet", "--all", "--message=Hash passwords"]),
];

/// The days of the first part.
pub(super) const DAYS: &[Day] = &[
    Day { title: "Monday", story: "Nobody has merged it; main has moved on in the same file.", acts: &[] },
    Day {
        title: "Tuesday",
        story: "It is squashed, a changelog slips in, and the branch is deleted.",
        acts: &[
            git(&["merge", "--quiet", "--squash", BRANCH]),
            write("CHANGELOG", "- logins need a password\n"),
            STAGED,
            shown(
                "git merge --squash passwords && git commit -m 'Need a password (#7)'",
                &["commit", "--quiet", "--message=Need a password (#7)"],
            ),
            shown("git branch -D passwords", &["branch", "--quiet", "-D", BRANCH]),
        ],
    },
    Day {
        title: "Wednesday",
        story: "It is taken back.",
        acts: &[shown("git revert HEAD", &["revert", "--no-edit", "HEAD"])],
    },
];

/// What the three days mean.
pub(super) const DAYS_MORAL: &str = "Plain git says the same three times. okstra tells apart what is surely not there, what is \
                                     proved to be there, and what only a person can judge.";

/// The project becomes one of okstra's.
pub(super) const INIT: &[Act] = &[STAGED, git(&["commit", "--quiet", "--message=Work with okstra"])];

/// The approved plan.
pub(super) const STAGES: &[PlannedStage] = &[
    PlannedStage {
        title: "Refuse a login without a password",
        depends_on: &[],
        files: &["login.py"],
        check: "git grep -q MissingCredentials -- login.py",
    },
    PlannedStage {
        title: "Lock an account after five failures",
        depends_on: &[],
        files: &["locks.py"],
        check: "git grep -q Locked -- locks.py",
    },
    PlannedStage {
        title: "Audit every logout",
        depends_on: &[1, 2],
        files: &["login.py", "audit.py"],
        check: "git grep -q audit -- login.py",
    },
];

/// What stage 1 does.
pub(super) const FIRST: &[Act] = &[
    write("login.py", files::FIRST),
    git(&["commit", "--quiet", "--all", "--message=Refuse a login without a password"]),
];

/// What stage 2 does.
pub(super) const SECOND: &[Act] = &[
    write("locks.py", files::LOCKS),
    STAGED,
    git(&["commit", "--quiet", "--message=Lock an account after five failures"]),
];

/// What a reviewer adds to the pull request.
pub(super) const REVIEW: &[Act] = &[
    write("CHANGELOG", "- logins need a password, and an account is locked after five failures\n"),
    STAGED,
    shown("git commit -m 'Tell our users'", &["commit", "--quiet", "--message=Tell our users"]),
];

/// What becomes of the pull request.
pub(super) const SQUASH: &[Act] = &[
    write("login.py", files::HASHED_AND_GREETING),
    shown("git commit -am 'Greet our users'", &["commit", "--quiet", "--all", "--message=Greet our users"]),
    git(&["merge", "--quiet", "--squash", TASK_BRANCH]),
    shown(
        "git merge --squash feat-login && git commit -m 'Safe logins (#12)'",
        &["commit", "--quiet", "--message=Safe logins (#12)"],
    ),
    git(&["branch", "--quiet", "-D", TASK_BRANCH, "feat-login-s1", "feat-login-s2"]),
    shown(
        "git branch -D feat-login feat-login-s1 feat-login-s2 && git gc --prune=now",
        &["gc", "--quiet", "--prune=now"],
    ),
];

/// The words around that.
pub(super) const SQUASHED: StepScript = StepScript {
    title: "The pull request is squashed",
    story: "A reviewer adds a commit, main moves on in the same file, all becomes one commit of main, every branch is \
            deleted, and git collects what no branch holds.",
    moral: "No commit of main is stage 1 or stage 2. But stage 1, replayed there, gives exactly what the squash made of its \
            file, and every change of stage 2 is in it, object for object.",
};

/// The words around the third stage.
pub(super) const GOES_ON: StepScript = StepScript {
    title: "The next stage",
    story: "Stage 3 needs both. No branch of the task is left, and nobody told okstra what happened.",
    moral: "That both are in main is proved, so stage 3 starts from main, on a new branch. Were it not, the run would be \
            refused, with the commands that help.",
};

/// What stage 3 does.
pub(super) const THIRD: &[Act] = &[
    write("login.py", files::THIRD),
    write("audit.py", files::AUDIT),
    STAGED,
    git(&["commit", "--quiet", "--message=Audit every logout"]),
];

/// Meanwhile, on main.
pub(super) const MAIN_MOVES: &[Act] =
    &[write("README", "A shop, open every day.\n"), git(&["commit", "--quiet", "--all", "--message=Open every day"])];

/// Someone rebases stage 3.
pub(super) const REBASE: &[Act] = &[shown("git rebase main feat-login-s3", &["rebase", "--quiet", "main"])];

/// The words around that.
pub(super) const REBASED: StepScript = StepScript {
    title: "Someone rebases",
    story: "Stage 3 is built, checked and recorded. Then main moves on, and someone rebases.",
    moral: "The same change under a new id, object for object: proof, so nobody is asked.",
};

/// Someone amends stage 3.
pub(super) const AMEND: &[Act] = &[
    write("audit.py", files::AUDIT_REVIEWED),
    shown("git commit --amend --all --no-edit", &["commit", "--quiet", "--amend", "--all", "--no-edit"]),
];

/// The words around that.
pub(super) const AMENDED: StepScript = StepScript {
    title: "Someone amends in review",
    story: "A reviewer wants the audit to name the user, so the commit is amended.",
    moral: "Other content is another matter. Proof starts from the commit that the stage itself recorded, never from a \
            repair, and no flag makes okstra guess: a person names the ref, and it is recorded as their decision.",
};

/// The words around the end.
pub(super) const LOOKED: StepScript = StepScript {
    title: "Who decided what",
    story: "Everything holds again. The log of the task says how, oldest row first.",
    moral: "",
};

/// What the log means.
pub(super) const LOG_MORAL: &str = "A repair is a row of its own: nothing that was recorded is ever rewritten.";
