//! What doctor makes of the facts that it found: is that fine, a warning or a problem, and what helps.

mod judge;
mod setup;

use std::fmt;

use serde::{Serialize, Serializer};

use super::ids::CommitId;
use super::names::TaskName;
use super::run::Vendor;
use super::shell;
pub use setup::Setup;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// As it should be.
    Ok,
    /// Nothing is lost, and it should be looked at.
    Warning,
    /// Something is lost or does not work.
    Problem,
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, a kebab-case word; several checks may have the same.
    pub name: &'static str,
    /// How it is.
    pub status: Status,
    /// What was found, a sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub advice: Option<Advice>,
}

/// What to do; in a document it is one text, the command at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What it is for.
    pub text: String,
    /// The words of the command, where there is one.
    pub command: Vec<String>,
}

/// Where the checked project is, for commands about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Root {
    /// The project root.
    pub path: String,
    /// Whether commands have to name it, since it is not the one of the current folder.
    pub is_named: bool,
}

/// Something that is recorded and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong and where, a sentence without a full stop.
    pub error: String,
    /// What its error advises.
    pub hint: Option<String>,
    /// Where a mirror has a copy, as git names it.
    pub mirrored: Option<String>,
}

/// How the mirror of a task compares with the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MirrorState {
    /// There is none.
    None,
    /// It cannot be read.
    Unreadable(String),
    /// Nothing of the task is on disk.
    NotOnDisk,
    /// So many of its files are not on disk, and perhaps the registry has lost the row.
    Lost {
        /// How many files.
        files: usize,
        /// Whether the row.
        row: bool,
    },
    /// So many files, or the registry row, are another on disk, or not in the mirror.
    Behind {
        /// How many.
        files: usize,
    },
}

/// How what all tasks share compares with the mirror that was written last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The files that are mirrored and not on disk.
    pub lost: Vec<String>,
    /// How many are another on disk, or not in the mirror.
    pub behind: usize,
    /// The task of that mirror.
    pub task: TaskName,
}

/// What is counted where nothing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sound {
    /// State files that can be read.
    Files,
    /// Registry entries of the project, each with the worktrees it names.
    Worktrees,
    /// Recorded commits that exist and are kept.
    Commits,
    /// Tasks that are mirrored as they are on disk.
    Mirrors,
}

/// How an agent CLI answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// It is not there.
    Missing {
        /// The words of the command that installs it.
        install: Vec<String>,
    },
    /// It says this of its version.
    Works(String),
    /// It cannot be run, and why.
    Fails(String),
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// This okstra.
    Okstra(String),
    /// The version of Node that okstra is a part of.
    Node(String),
    /// What is installed on this machine; `None` where nothing is.
    Setup(Option<Setup>),
    /// What is recorded of the installation cannot be read.
    BadSetup(Fault),
    /// What tmux says of its version; `None` where there is none.
    Tmux(Option<String>),
    /// What git says of its version; `None` where there is no git.
    Git(Option<String>),
    /// git is there and cannot be run.
    GitFails(String),
    /// Nothing says where okstra's own folder is.
    NoHome(Fault),
    /// okstra's own folder.
    Home {
        /// The folder.
        path: String,
        /// Whether it exists.
        is_there: bool,
        /// Why it cannot be written to.
        fault: Option<String>,
    },
    /// Locks in okstra's own folder: why they do not work there.
    Locks(Option<String>),
    /// The settings of the machine cannot be read.
    BadConfig(Fault),
    /// A setting that is not known.
    UnknownSetting {
        /// File and line.
        place: String,
        /// The setting, in full.
        key: String,
    },
    /// An agent CLI.
    Agent {
        /// Whose it is.
        vendor: Vendor,
        /// The command line that starts it.
        called: String,
        /// The file that names that, where the user replaced it.
        config: Option<String>,
        /// How it answers.
        state: AgentState,
        /// How it is logged in, a clause; `None` where that cannot be told without a call.
        login: Option<String>,
        /// The skills of okstra that it does not list; `None` where it was not asked.
        unseen: Option<Vec<String>>,
    },
    /// There is no project to look at, and why; only the machine was checked.
    Outside(String),
    /// The repository cannot be read.
    Repository(Fault),
    /// A state file that cannot be read, or is not what it should be.
    BadFile(Fault),
    /// A line that a crash tore.
    Torn(String),
    /// A folder with records of a task, and without its manifest.
    NoManifest {
        /// The task.
        task: TaskName,
        /// Whether a mirror has it.
        is_mirrored: bool,
    },
    /// The registry cannot be read.
    BadRegistry(Fault),
    /// A task whose records are here, held for a clone that is no longer where it was.
    Moved {
        /// The task key.
        key: String,
        /// Where the clone was, its common git folder.
        from: String,
    },
    /// A registered worktree that is gone.
    WorktreeGone {
        /// Whose it is: a task or a stage.
        of: String,
        /// Where it was.
        path: String,
        /// Its branch, where that exists.
        branch: Option<String>,
    },
    /// A folder where worktrees are that no registry entry names.
    WorktreeStray {
        /// The folder.
        path: String,
        /// The task that has lost its registry entry, where a mirror has that.
        lost: Option<TaskName>,
        /// Whether it is a worktree of this repository.
        is_ours: bool,
    },
    /// A keep ref that nothing recorded names.
    KeepStray {
        /// The ref.
        name: String,
        /// Its commit.
        commit: CommitId,
    },
    /// A recorded commit that no ref keeps.
    NotKept {
        /// The task.
        task: TaskName,
        /// The stage.
        stage: u32,
        /// The commit.
        commit: CommitId,
    },
    /// A recorded commit that does not exist.
    CommitGone {
        /// The task.
        task: TaskName,
        /// The stage; `None` for the anchor.
        stage: Option<u32>,
        /// Why, a clause.
        why: String,
    },
    /// The mirror of a task.
    Mirror(TaskName, MirrorState),
    /// What all tasks share.
    Shared(Shared),
    /// So many of something, and nothing is wrong with them.
    Sound(Sound, usize),
}

impl Fact {
    /// What to make of it.
    pub fn judge(&self, root: &Root) -> Check {
        judge::judge(self, root)
    }
}

impl Root {
    /// A command of okstra about this project.
    fn okstra(&self, words: &[&str]) -> Vec<String> {
        let named = if self.is_named { vec!["--project-root", &self.path] } else { Vec::new() };
        ["okstra"].iter().chain(words).copied().chain(named).map(str::to_owned).collect()
    }

    /// A command of git in this project.
    fn git(&self, words: &[&str]) -> Vec<String> {
        ["git", "-C", &self.path].iter().chain(words).map(|word| (*word).to_owned()).collect()
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.command.as_slice() {
            [] => f.write_str(&self.text),
            command => write!(f, "{}: {}", self.text, shell::command(command)),
        }
    }
}

impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
