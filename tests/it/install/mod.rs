//! Installing, upgrading and taking out, on machines of their own: what is written, what stays, what is taken back.

mod checked;
mod completions;
mod killed;
mod permissions;
mod project;
mod purge;
mod taken_out;
mod targets;
mod terminal;
mod undone;
mod upgrade;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{OKSTRA, Ran, Run, Sandbox};

/// What stands at a path: a folder, a link, or a file with its mode and content.
#[derive(Clone, PartialEq, Eq)]
enum Entry {
    Folder,
    Link(PathBuf),
    File(u32, Vec<u8>),
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder => f.write_str("folder"),
            Self::Link(to) => write!(f, "link to {}", to.display()),
            Self::File(mode, content) => {
                let text = String::from_utf8_lossy(content);
                write!(f, "{mode:o}, {} bytes: {:.40}…", content.len(), text)
            }
        }
    }
}

/// A machine with nothing of okstra on it.
struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    fn new() -> Self {
        Self { sandbox: Sandbox::new() }
    }

    /// The user's home folder.
    fn home(&self) -> PathBuf {
        self.sandbox.path().join("home")
    }

    /// A path below the home folder.
    fn at(&self, below: &str) -> PathBuf {
        self.home().join(below)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(OKSTRA);
        command.args(arguments).current_dir(self.sandbox.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).ran()
    }

    /// The document of a command that must succeed.
    fn done(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        ran.json()
    }

    /// The code of a command that must fail, and what it says.
    fn refused(&self, arguments: &[&str]) -> (String, String) {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let document = ran.json();
        (document["code"].as_str().unwrap().to_owned(), document["error"].as_str().unwrap().to_owned())
    }

    fn write(&self, below: &str, content: &str) {
        let path = self.at(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.at(below)).unwrap()
    }

    /// Everything below the home folder.
    fn tree(&self) -> BTreeMap<PathBuf, Entry> {
        tree(&self.home())
    }

    /// What is recorded.
    fn recorded(&self) -> Value {
        serde_json::from_str(&self.read(".okstra/install.json")).unwrap()
    }

    /// Makes what is recorded another one.
    fn record(&self, change: impl FnOnce(&mut Value)) {
        let mut recorded = self.recorded();
        change(&mut recorded);
        self.write(".okstra/install.json", &recorded.to_string());
    }
}

/// Everything below a folder.
fn tree(root: &Path) -> BTreeMap<PathBuf, Entry> {
    let (mut found, mut left) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let entry = if metadata.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            Entry::Folder
        } else if metadata.is_symlink() {
            Entry::Link(fs::read_link(&path).unwrap())
        } else {
            Entry::File(metadata.permissions().mode() & 0o777, fs::read(&path).unwrap())
        };
        found.insert(path.strip_prefix(root).unwrap().to_owned(), entry);
    }
    found
}

/// A tree without what only says that okstra was at work.
fn without_locks(mut tree: BTreeMap<PathBuf, Entry>) -> BTreeMap<PathBuf, Entry> {
    tree.retain(|path, _| path.extension().is_none_or(|extension| extension != "lock"));
    tree
}

/// What happens to each file of a document, `action path-below-home`, without what is unchanged and the runtime.
fn told(machine: &Machine, document: &Value) -> Vec<String> {
    let steps = document["files"].as_array().unwrap().iter();
    // Of the skills one stands for all.
    let counts = |step: &&Value| {
        let path = step["path"].as_str().unwrap();
        step["action"] != "unchanged" && step["kind"] != "runtime" && !path.contains("/okstra-run/")
    };
    let told = steps.filter(counts).map(|step| {
        let path = Path::new(step["path"].as_str().unwrap()).strip_prefix(machine.home()).unwrap().to_owned();
        let offered = step["offered"].as_str().map(|_| " +new").unwrap_or_default();
        format!("{} {}{offered}", step["action"].as_str().unwrap(), path.display())
    });
    told.collect()
}

/// The folder of the skill that is there.
const SKILL: &str = "skills/okstra-status/SKILL.md";
