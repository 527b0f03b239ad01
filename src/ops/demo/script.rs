//! The scenes of the demo: who does what.

/// When the story begins: 2026-03-02, 09:00 UTC, in seconds since 1970. Fixed, so that all ids are the same everywhere.
pub(super) const BEGINNING: u64 = 1_772_442_000;
/// The branch that the work is done on.
pub(super) const BRANCH: &str = "feat-login";

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

pub(super) struct Scene {
    /// The folder of its repository.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) story: &'static str,
    pub(super) acts: &'static [Act],
    pub(super) moral: &'static str,
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

const LOGIN: &str = "\
def login(user, password):
    if not user:
        return None
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, password)
";

const LOGIN_CHECKED: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials()
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, password)
";

const LOGIN_DONE: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials()
    return find(user, password)


def logout(session):
    session.close()
    audit(session)


def find(user, password):
    return database.lookup(user, password)
";

const LOGIN_ON_MAIN: &str = "\
def login(user, password):
    if not user:
        return None
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, hashed(password))
";

const LOGIN_REVIEWED: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials(user)
    return find(user, password)


def logout(session):
    session.close()
    audit(session)


def find(user, password):
    return database.lookup(user, hashed(password))
";

const TEST: &str = "\
def test_login_needs_a_password():
    with raises(MissingCredentials):
        login('ada', '')
";

/// A small project.
pub(super) const PROLOGUE: &[Act] = &[
    git(&["init", "--quiet", "--initial-branch=main"]),
    git(&["config", "gc.auto", "0"]),
    write("login.py", LOGIN),
    write("README", "A shop.\n"),
    git(&["add", "--all"]),
    git(&["commit", "--quiet", "--message=A shop"]),
];

/// The work that okstra records: two commits on a branch of their own, while main moves on in the same file.
pub(super) const WORK: &[Act] = &[
    git(&["checkout", "--quiet", "-b", BRANCH]),
    write("login.py", LOGIN_CHECKED),
    write("test_login.py", TEST),
    git(&["add", "--all"]),
    git(&["commit", "--quiet", "--message=Refuse a login without a password"]),
    write("login.py", LOGIN_DONE),
    git(&["commit", "--quiet", "--all", "--message=Audit every logout"]),
    git(&["checkout", "--quiet", "main"]),
    write("login.py", LOGIN_ON_MAIN),
    git(&["commit", "--quiet", "--all", "--message=Hash passwords"]),
];

/// Every scene, in the order in which they are told.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "1-rebase",
        title: "Someone rebases",
        story: "The branch is rebased onto main and merged fast-forward. Every commit has a new id now.",
        acts: &[
            shown("git rebase main feat-login", &["rebase", "--quiet", "main", BRANCH]),
            git(&["checkout", "--quiet", "main"]),
            shown("git merge --ff-only feat-login", &["merge", "--quiet", "--ff-only", BRANCH]),
        ],
        moral: "Replayed on the commit's parent, the work gives that very commit, byte for byte: proved.",
    },
    Scene {
        name: "2-squash",
        title: "Someone squashes and deletes the branch",
        story: "A pull request is merged with “squash and merge”, one more change slips in, and the branch is deleted.",
        acts: &[
            shown("git merge --squash feat-login", &["merge", "--quiet", "--squash", BRANCH]),
            write("CHANGELOG", "- logins need a password\n"),
            git(&["add", "--all"]),
            shown(
                "git commit -m 'Logins need a password (#7)'",
                &["commit", "--quiet", "--message=Logins need a password (#7)"],
            ),
            shown("git branch -D feat-login", &["branch", "--quiet", "-D", BRANCH]),
        ],
        moral: "Two commits became one, with another file besides. It is proved, and what came along is named.",
    },
    Scene {
        name: "3-amend",
        title: "Someone amends in review",
        story: "The same squash, but a reviewer changed one line on the way.",
        acts: &[
            shown("git merge --squash feat-login", &["merge", "--quiet", "--squash", BRANCH]),
            write("login.py", LOGIN_REVIEWED),
            git(&["add", "--all"]),
            shown(
                "git commit -m 'Logins need a password, as reviewed (#7)'",
                &["commit", "--quiet", "--message=Logins need a password, as reviewed (#7)"],
            ),
        ],
        moral: "What landed is not what was recorded. okstra never guesses: a person decides.",
    },
    Scene {
        name: "4-revert",
        title: "Someone reverts",
        story: "The squash landed as it was, and was taken back the next day.",
        acts: &[
            shown("git merge --squash feat-login", &["merge", "--quiet", "--squash", BRANCH]),
            shown(
                "git commit -m 'Logins need a password (#7)'",
                &["commit", "--quiet", "--message=Logins need a password (#7)"],
            ),
            shown("git revert HEAD", &["revert", "--no-edit", "HEAD"]),
        ],
        moral: "The history holds it, the files do not. Landing is not presence: a person decides.",
    },
    Scene {
        name: "5-waiting",
        title: "Nobody has merged it yet",
        story: "The branch waits, while main goes on in the same file.",
        acts: &[
            write("README", "A shop, with passwords.\n"),
            shown("git commit -am 'Say what it is'", &["commit", "--quiet", "--all", "--message=Say what it is"]),
        ],
        moral: "Surely not there, which is more than “not found”: nothing of it landed, whole or in part.",
    },
];
