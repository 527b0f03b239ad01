//! A machine of its own for each test: an empty home, a cleared environment, a fixed clock for git, nothing of the
//! user's.

#[cfg(unix)]
pub(crate) mod pty;
pub(crate) mod story;

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// The moment of the first commit; every later git call is a minute later.
const START: u64 = 1_767_225_600;

/// A scratch machine; its folder goes with it.
pub(crate) struct Sandbox {
    folder: TempDir,
    git_calls: Cell<u64>,
}

/// How a run of a program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` when a signal killed it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("okstra it ").tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder, git_calls: Cell::new(0) }
    }

    /// The folder that holds everything; it has a space in its name.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// `program`, about to run in the sandbox with nothing of the environment outside.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear().envs([
            ("PATH", search_path().as_os_str()),
            ("HOME", self.path().join("home").as_os_str()),
            ("TMPDIR", self.path().as_os_str()),
            ("LC_ALL", OsStr::new("C.UTF-8")),
            ("TZ", OsStr::new("UTC")),
        ]);
        command
    }

    /// Runs the executable `okstra` in the sandbox.
    pub(crate) fn okstra<I: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = I>) -> Ran {
        self.okstra_in(self.path(), arguments)
    }

    /// Runs the executable `okstra` in `folder`.
    pub(crate) fn okstra_in<I: AsRef<OsStr>>(&self, folder: &Path, arguments: impl IntoIterator<Item = I>) -> Ran {
        self.command(OKSTRA).args(arguments).current_dir(folder).ran()
    }

    /// A new repository `name` with the branch `main` and no commit.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let folder = self.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        self.git(&folder, &["init", "-q", "-b", "main"]);
        folder
    }

    /// Makes the file `path` a program, by a script of the shell.
    pub(crate) fn program(&self, path: &Path, script: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Runs git, which must succeed, and gives what it printed, trimmed. Names and times are the same in every run.
    pub(crate) fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let ran = self.try_git(folder, arguments);
        assert_eq!(ran.code, Some(0), "git {}: {}", arguments.join(" "), ran.stderr);
        ran.stdout.trim().to_owned()
    }

    /// Runs git, which may fail.
    pub(crate) fn try_git(&self, folder: &Path, arguments: &[&str]) -> Ran {
        let date = format!("{} +0000", START + 60 * self.git_calls.replace(self.git_calls.get() + 1));
        let mut git = self.command("git");
        git.args(arguments).current_dir(folder).envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ann Author"),
            ("GIT_AUTHOR_EMAIL", "ann@example.com"),
            ("GIT_COMMITTER_NAME", "Carl Committer"),
            ("GIT_COMMITTER_EMAIL", "carl@example.com"),
            ("GIT_AUTHOR_DATE", &date),
            ("GIT_COMMITTER_DATE", &date),
        ]);
        git.ran()
    }

    /// Writes `content` into `file` of the repository, commits it with `message`, and gives the commit's id.
    pub(crate) fn commit(&self, folder: &Path, file: &str, content: &str, message: &str) -> String {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self.git(folder, &["add", "--", file]);
        self.git(folder, &["commit", "-q", "-m", message]);
        self.git(folder, &["rev-parse", "HEAD"])
    }
}

/// The executable under test.
pub(crate) const OKSTRA: &str = env!("CARGO_BIN_EXE_okstra");

/// The fake host process, an example of this package; `cargo test` builds it.
pub(crate) fn host() -> PathBuf {
    let host = Path::new(OKSTRA).with_file_name("examples").join(format!("host{}", std::env::consts::EXE_SUFFIX));
    assert!(host.exists(), "{} is not built: run `cargo test`, or `cargo build --example host`", host.display());
    host
}

/// What to do with a command that was set up.
pub(crate) trait Run {
    /// Runs it to its end, with an empty standard input unless it was given one.
    fn ran(&mut self) -> Ran;
    /// Starts it with its three streams in our hands.
    fn started(&mut self) -> Started;
}

/// A child that is killed when its test fails before it has ended.
pub(crate) struct Started(Child);

impl Run for Command {
    fn ran(&mut self) -> Ran {
        self.stdin(Stdio::null());
        once_written(|| self.output()).into()
    }

    fn started(&mut self) -> Started {
        self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(once_written(|| self.spawn()))
    }
}

/// Starts a program that a test has just written. A child that another test forked meanwhile may still have it open for
/// writing, until it runs its own program.
fn once_written<T>(mut start: impl FnMut() -> std::io::Result<T>) -> T {
    for _ in 0..200 {
        match start() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10))
            }
            started => return started.unwrap(),
        }
    }
    panic!("a program stays busy")
}

impl std::ops::Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl std::ops::DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Both do nothing to a child that was waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Started {
    /// Waits for the end of a child that says little.
    pub(crate) fn ran(mut self) -> Ran {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        drop(self.0.stdin.take());
        self.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ran { code: self.0.wait().unwrap().code(), stdout, stderr }
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ran {
    /// The one JSON document that is on stdout, which holds nothing else.
    pub(crate) fn json(&self) -> serde_json::Value {
        assert!(self.stdout.ends_with('\n'), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Where git is, and the system's own folders.
fn search_path() -> std::ffi::OsString {
    let outside = std::env::var_os("PATH").unwrap_or_default();
    let git = std::env::split_paths(&outside).find(|folder| folder.join("git").exists());
    std::env::join_paths(git.into_iter().chain(["/usr/bin".into(), "/bin".into()])).unwrap()
}
