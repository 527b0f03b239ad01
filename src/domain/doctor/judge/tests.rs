//! Every fact, and what is made of it.

use super::*;
use crate::domain::doctor::Setup;
use crate::domain::ids::CommitId;
use crate::domain::install::Target;

fn task() -> TaskName {
    "auth/login".parse().unwrap()
}

fn commit() -> CommitId {
    CommitId("0123456789abcdef0123456789abcdef01234567".parse().unwrap())
}

fn fault(mirrored: Option<&str>, hint: Option<&str>) -> Fault {
    Fault { error: "broken".to_owned(), hint: hint.map(str::to_owned), mirrored: mirrored.map(str::to_owned) }
}

/// The check in one line: status, name, message, advice.
fn said(fact: &Fact, is_named: bool) -> String {
    let Check { name, status, message, advice } = fact.judge(&Root { path: "/p r".to_owned(), is_named });
    let advice = advice.map(|advice| format!(" -> {advice}")).unwrap_or_default();
    format!("{status:?} {name}: {message}{advice}")
}

fn table(cases: &[(Fact, &str)]) {
    for (fact, expected) in cases {
        assert_eq!(said(fact, false), *expected, "{fact:?}");
    }
}

/// A sound installation, and what is changed of it.
fn setup(change: impl FnOnce(&mut Setup)) -> Fact {
    let mut setup = Setup {
        version: "1.2.3".to_owned(),
        running: "1.2.3".to_owned(),
        is_interrupted: false,
        targets: vec![Target::Claude, Target::Codex],
        program: "/o/bin/okstra".to_owned(),
        executable: Ok("okstra 1.2.3".to_owned()),
        unchanged: 7,
        missing: Vec::new(),
        changed: Vec::new(),
        foreign: Vec::new(),
        is_program_foreign: false,
    };
    change(&mut setup);
    Fact::Setup(Some(setup))
}

#[test]
fn what_was_there_before_okstra() {
    table(&[
        (
            setup(|setup| setup.foreign = vec!["/c/skills/okstra-run/SKILL.md".to_owned()]),
            "Warning installation: `/c/skills/okstra-run/SKILL.md` is yours and was there before, so agents do not find \
             okstra's -> put yours aside, or give it another name, then install again: okstra install: mv \
             /c/skills/okstra-run/SKILL.md /c/skills/okstra-run/SKILL.md.mine",
        ),
        (
            setup(|setup| {
                setup.is_program_foreign = true;
                setup.executable = Ok("other 1".to_owned());
            }),
            "Problem installation: the installed executable says `other 1` -> put it aside, then install again: npx -y \
             okstra@latest install: mv /o/bin/okstra /o/bin/okstra.old",
        ),
    ]);
}

#[test]
fn what_is_installed() {
    let again = "-> install it again: okstra install";
    let anew = "-> install it again: npx -y okstra@latest install";
    table(&[
        (Fact::Setup(None), "Ok installation: okstra is not installed for any agent; `okstra install` does it"),
        (
            setup(|_| {}),
            "Ok installation: okstra 1.2.3 is installed for claude, codex, and its 7 files are as they were written",
        ),
        (
            setup(|setup| setup.is_interrupted = true),
            &format!("Warning installation: an installation was interrupted {again}"),
        ),
        (
            setup(|setup| setup.running = "2.0.0".to_owned()),
            &format!("Warning installation: okstra 1.2.3 is installed, and this is okstra 2.0.0 {again}"),
        ),
        (
            setup(|setup| setup.running = "1.2.2".to_owned()),
            "Warning installation: okstra 1.2.3 is installed, and this is okstra 1.2.2 -> go by the one that is installed: \
             /o/bin/okstra doctor",
        ),
        (
            setup(|setup| setup.executable = Ok("okstra 1.0.0".to_owned())),
            &format!("Problem installation: the installed executable says `okstra 1.0.0` {anew}"),
        ),
        (
            setup(|setup| {
                setup.executable = Ok("okstra 1.0.0".to_owned());
                setup.changed = vec!["/o/bin/okstra".to_owned()];
            }),
            "Problem installation: the installed executable says `okstra 1.0.0`; `/o/bin/okstra` is changed since okstra \
             wrote it -> put it aside, then install again: npx -y okstra@latest install: mv /o/bin/okstra /o/bin/okstra.old",
        ),
        (
            setup(|setup| {
                setup.executable = Err("gone".to_owned());
                setup.missing = vec!["/a".to_owned(), "/b".to_owned()];
                setup.changed = vec!["/c".to_owned()];
            }),
            &format!(
                "Problem installation: the installed executable cannot be started: gone; `/a` and 1 other file are not there; \
                 `/c` is changed since okstra wrote it {anew}"
            ),
        ),
        (
            setup(|setup| setup.changed = vec!["/a".to_owned(), "/b".to_owned(), "/c".to_owned()]),
            "Warning installation: `/a` and 2 other files are changed since okstra wrote them -> \
             nothing has to be done: what is yours stays when okstra is brought up to date",
        ),
        (Fact::Node("20.17.0".to_owned()), "Ok node: Node 20.17.0"),
        (
            Fact::Node("20.9.1".to_owned()),
            "Warning node: Node 20.9.1 is older than 20.17 -> install Node 20.17 or newer",
        ),
        (Fact::Tmux(Some("tmux 3.4".to_owned())), "Ok tmux: tmux 3.4"),
        (Fact::Tmux(None), "Ok tmux: tmux is not there, and is not needed"),
    ]);
}

#[test]
fn the_agents() {
    let agent = |vendor, called: &str, config: Option<&str>, state| Fact::Agent {
        vendor,
        called: called.to_owned(),
        config: config.map(str::to_owned),
        state,
        login: None,
        unseen: None,
    };
    let known = |login: Option<&str>, unseen: &[&str]| Fact::Agent {
        vendor: Vendor::Gemini,
        called: "gemini".to_owned(),
        config: None,
        state: AgentState::Works("0.61.0".to_owned()),
        login: login.map(str::to_owned),
        unseen: Some(unseen.iter().map(|name| (*name).to_owned()).collect()),
    };
    let works = || AgentState::Works("2.1.3".to_owned());
    let missing = || AgentState::Missing { install: vec!["npm".to_owned(), "install".to_owned()] };
    let (config, fails) = (Some("/o/config.toml"), AgentState::Fails("why".to_owned()));
    table(&[
        (
            agent(Vendor::Claude, "claude", None, works()),
            "Ok agents: claude is called with `claude`: 2.1.3; whether it is logged in cannot be told without a call",
        ),
        (
            known(Some("the key in GEMINI_API_KEY"), &[]),
            "Ok agents: gemini is called with `gemini`: 0.61.0; logged in by the key in GEMINI_API_KEY; it lists okstra's skills",
        ),
        (
            known(None, &["okstra-run"]),
            "Warning agents: gemini is called with `gemini`: 0.61.0; whether it is logged in cannot be told without a call; \
             it does not list okstra-run -> install them again: okstra install --target gemini",
        ),
        (
            agent(Vendor::Codex, "codex -x", config, works()),
            "Ok agents: codex is called with `codex -x`, as `/o/config.toml` says: 2.1.3; whether it is logged in cannot be told \
             without a call",
        ),
        (
            agent(Vendor::Claude, "claude", None, missing()),
            "Warning agents: claude is not installed, and okstra run starts it -> install it: npm install",
        ),
        (agent(Vendor::Gemini, "gemini", None, missing()), "Ok agents: gemini is not installed: runs go on without it"),
        (
            agent(Vendor::Gemini, "/x", config, missing()),
            "Problem agents: gemini is called with `/x`, as `/o/config.toml` says, and there is no such program -> \
             install it, or correct agents.gemini.command",
        ),
        (
            agent(Vendor::Codex, "codex", None, fails),
            "Warning agents: codex is called with `codex`, and does not work: why -> \
             try it yourself: it has to answer to --version",
        ),
    ]);
}

#[test]
fn the_machine() {
    let text = |text: &str| Some(text.to_owned());
    let home = |is_there, fault| Fact::Home { path: "/o".to_owned(), is_there, fault };
    table(&[
        (Fact::Okstra("1.2.3".to_owned()), "Ok okstra: okstra 1.2.3"),
        (Fact::Git(text("git version 2.38.0")), "Ok git: git version 2.38.0"),
        (Fact::Git(text("git version 3.0.1.windows.1")), "Ok git: git version 3.0.1.windows.1"),
        (
            Fact::Git(text("git version 2.37.7 (Apple Git-1)")),
            "Warning git: git version 2.37.7 (Apple Git-1) is older than 2.38 -> install git 2.38 or newer",
        ),
        (Fact::Git(text("gut")), "Warning git: `gut` says no version that is known -> install git 2.38 or newer"),
        (Fact::Git(None), "Problem git: git is not installed: there is no `git` on PATH -> install git 2.38 or newer"),
        (
            Fact::GitFails("it failed".to_owned()),
            "Problem git: it failed -> look at what git itself says: git --version",
        ),
        (Fact::BadConfig(fault(None, Some("correct it"))), "Problem config: broken -> correct it"),
        (
            Fact::UnknownSetting { place: "/o/config.toml:3".to_owned(), key: "a.b".to_owned() },
            "Warning config: `/o/config.toml:3`: `a.b` has no effect: this okstra does not know it -> \
             correct it, or take it out",
        ),
        (Fact::NoHome(fault(None, Some("set it"))), "Problem home: broken -> set it"),
        (home(true, None), "Ok home: `/o` can be written to"),
        (home(false, None), "Ok home: `/o` is not there yet, and can be made"),
        (
            home(true, text("no permission")),
            "Problem home: okstra's own folder `/o` cannot be written to: no permission -> \
             allow it, or set OKSTRA_HOME to a folder that you may write to",
        ),
        (Fact::Locks(None), "Ok locks: locks hold in okstra's own folder"),
        (
            Fact::Locks(text("two at once")),
            "Problem locks: locks do not work in okstra's own folder: two at once -> \
             set OKSTRA_HOME to a folder on a local disk",
        ),
        (Fact::Outside("no project".to_owned()), "Ok project: no project, so only the machine was checked"),
        (Fact::Repository(fault(None, None)), "Problem repository: broken"),
    ]);
}

#[test]
fn state_files() {
    table(&[
        (
            Fact::BadFile(fault(Some("refs/okstra/state/a/b:x"), Some("hint"))),
            "Problem state-files: broken -> compare it with the mirrored copy: git -C '/p r' show refs/okstra/state/a/b:x",
        ),
        (Fact::BadFile(fault(None, Some("hint"))), "Problem state-files: broken -> hint"),
        (Fact::BadRegistry(fault(None, Some("hint"))), "Problem registry: broken -> hint"),
        (
            Fact::Torn("torn".to_owned()),
            "Warning state-files: torn -> nothing has to be done: the next line that is written seals it off",
        ),
        (
            Fact::NoManifest { task: task(), is_mirrored: false },
            "Problem state-files: there are files of task auth/login, and no task-manifest.json",
        ),
        (
            Fact::NoManifest { task: task(), is_mirrored: true },
            "Problem state-files: there are files of task auth/login, and no task-manifest.json -> \
             bring it back: okstra doctor --restore --task auth/login",
        ),
    ]);
}

#[test]
fn worktrees_and_commits() {
    let gone = |branch: Option<&str>| Fact::WorktreeGone {
        of: "stage 1 of p/g/t".to_owned(),
        path: "/w s1".to_owned(),
        branch: branch.map(str::to_owned),
    };
    let stray = |lost, is_ours| Fact::WorktreeStray { path: "/w".to_owned(), lost, is_ours };
    table(&[
        (
            gone(Some("fix-login")),
            "Warning worktrees: the worktree `/w s1` of stage 1 of p/g/t is gone -> make it anew, after \
             `git worktree prune` where git still lists it: git -C '/p r' worktree add --force '/w s1' fix-login",
        ),
        (
            gone(None),
            "Warning worktrees: the worktree `/w s1` of stage 1 of p/g/t is gone -> \
             its branch is gone too: nothing is left to do with it",
        ),
        (
            stray(Some(task()), true),
            "Warning worktrees: `/w` is in no entry of the registry -> \
             bring it back: okstra doctor --restore --task auth/login",
        ),
        (
            stray(None, true),
            "Warning worktrees: `/w` is in no entry of the registry -> \
             remove it if nobody works in it: git -C '/p r' worktree remove /w",
        ),
        (
            stray(None, false),
            "Warning worktrees: `/w` is in no entry of the registry -> \
             it is no worktree of this repository: look at what it is",
        ),
        (
            Fact::KeepStray { name: "refs/okstra/keep/a/b/s1-x".to_owned(), commit: commit() },
            "Warning keep-refs: `refs/okstra/keep/a/b/s1-x` keeps a commit that nothing recorded names -> \
             let it go if you do not need the commit: git -C '/p r' update-ref -d refs/okstra/keep/a/b/s1-x \
             0123456789abcdef0123456789abcdef01234567",
        ),
        (
            Fact::NotKept { task: task(), stage: 2, commit: commit() },
            "Warning commits: no ref keeps 01234567, which is recorded for stage 2 of auth/login -> \
             keep it from being collected: okstra git-reconcile --task auth/login --apply",
        ),
        (
            Fact::CommitGone { task: task(), stage: Some(2), why: "it is gone".to_owned() },
            "Problem commits: the recorded commit of stage 2 of auth/login does not exist: it is gone -> \
             look at what became of it: okstra git-reconcile --task auth/login",
        ),
        (
            Fact::CommitGone { task: task(), stage: None, why: "it is gone".to_owned() },
            "Problem commits: the recorded commit of the anchor of auth/login does not exist: it is gone -> \
             look at what became of it: okstra git-reconcile --task auth/login",
        ),
    ]);
}

#[test]
fn mirrors() {
    let mirror = |state| Fact::Mirror(task(), state);
    let shared = |lost: &[&str], behind| {
        let lost = lost.iter().map(|path| (*path).to_owned()).collect();
        Fact::Shared(Shared { lost, behind, task: task() })
    };
    let back = "bring it back: okstra doctor --restore --task auth/login";
    let lost = |what: &str| format!("Problem mirror: task auth/login has lost {what} -> {back}");
    table(&[
        (
            mirror(MirrorState::None),
            "Warning mirror: task auth/login is not mirrored -> \
             mirror it: okstra git-reconcile --task auth/login --apply",
        ),
        (
            mirror(MirrorState::Unreadable("gap".to_owned())),
            "Problem mirror: the mirror of task auth/login cannot be read: gap",
        ),
        (
            mirror(MirrorState::NotOnDisk),
            &format!("Problem mirror: task auth/login is mirrored and not on disk -> {back}"),
        ),
        (mirror(MirrorState::Lost { files: 1, row: false }), &lost("1 mirrored file")),
        (mirror(MirrorState::Lost { files: 0, row: true }), &lost("the registry row")),
        (mirror(MirrorState::Lost { files: 2, row: true }), &lost("2 mirrored files and the registry row")),
        (
            mirror(MirrorState::Behind { files: 1 }),
            "Warning mirror: the mirror of task auth/login is behind in 1 record -> mirror what is on disk, \
             when no run is at work: okstra git-reconcile --task auth/login --apply",
        ),
        (
            shared(&[], 2),
            "Warning mirror: the mirrors are behind in 2 files that all tasks share -> \
             mirror what is on disk: okstra git-reconcile --task auth/login --apply",
        ),
        (
            shared(&[".okstra/prompts/a"], 2),
            "Warning mirror: `.okstra/prompts/a` is mirrored and not on disk -> bring it back: okstra doctor --restore",
        ),
        (
            shared(&[".okstra/prompts/a", ".okstra/project.json"], 0),
            "Problem mirror: `.okstra/prompts/a` and 1 other file are mirrored and not on disk -> \
             bring it back: okstra doctor --restore",
        ),
    ]);
}

#[test]
fn what_is_sound_is_counted() {
    let cases = [
        (Sound::Files, 0, "Ok state-files: 0 state files can be read"),
        (Sound::Worktrees, 1, "Ok worktrees: 1 registry entry of this project, nothing astray"),
        (Sound::Worktrees, 2, "Ok worktrees: 2 registry entries of this project, nothing astray"),
        (Sound::Commits, 1, "Ok commits: 1 recorded commit is there and kept"),
        (Sound::Mirrors, 3, "Ok mirror: 3 tasks are mirrored as on disk"),
    ];
    for (what, count, expected) in cases {
        assert_eq!(said(&Fact::Sound(what, count), false), expected);
    }
}

#[test]
fn commands_name_a_project_that_was_named() {
    let lost = said(&Fact::Mirror(task(), MirrorState::NotOnDisk), true);
    assert!(lost.ends_with("okstra doctor --restore --task auth/login --project-root '/p r'"), "{lost}");
}
