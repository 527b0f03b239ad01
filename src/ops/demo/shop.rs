//! The scratch project: its folders, its git, and the machine as someone sees it who works there.

use std::path::{Path, PathBuf};

use super::script::{self, Act, Doing};
use crate::context::{Clock, Context};
use crate::domain::ids::CommitId;
use crate::domain::names::TaskKey;
use crate::domain::revision::Purpose;
use crate::git::{Git, Repository};
use crate::ops::Error;
use crate::store::Home;

/// Who works on it.
const COMMITTER: (&str, &str) = ("Ada", "ada@example.com");

/// The project in the middle of its story.
pub(super) struct Shop<'a> {
    context: &'a Context,
    scratch: PathBuf,
    /// Seconds since 1970. Whatever happens takes a minute, and is dated by this clock, so that all ids are the same
    /// everywhere.
    time: u64,
}

impl<'a> Shop<'a> {
    /// The project below the folder `scratch`, which holds nothing yet.
    pub(super) fn new(context: &'a Context, scratch: &Path) -> Self {
        Self { context, scratch: scratch.to_owned(), time: script::BEGINNING }
    }

    /// The project root: the main worktree.
    pub(super) fn root(&self) -> PathBuf {
        self.scratch.join("shop")
    }

    /// A file beside the project.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    /// The `OKSTRA_HOME` of the story.
    pub(super) fn home(&self) -> PathBuf {
        self.scratch.join("okstra-home")
    }

    /// Makes the clock stand at nine o'clock of the day `day`, from 0.
    pub(super) fn begin_day(&mut self, day: u64) {
        self.time = script::BEGINNING + day * 24 * 60 * 60;
    }

    /// The machine for someone who stands in `folder`: nothing of the user's own settings reaches it, and nobody is told
    /// of the progress of its short searches.
    pub(super) fn machine(&mut self, folder: &Path) -> Context {
        self.time += 60;
        let environment = self.context.environment().clone().with("OKSTRA_HOME", self.home());
        let environment = environment.with("HOME", &self.scratch).with("XDG_CONFIG_HOME", &self.scratch);
        let environment = self.committer().into_iter().fold(environment, |all, (name, value)| all.with(name, value));
        Context::new(folder, environment)
            .with_clock(Clock::fixed_at(self.time))
            .with_cancel(self.context.cancel().clone())
    }

    /// What makes the commits that okstra makes itself the same everywhere, whatever is set on this machine.
    fn committer(&self) -> [(&'static str, String); 8] {
        let (name, mail) = (COMMITTER.0.to_owned(), COMMITTER.1.to_owned());
        let date = format!("{} +0000", self.time);
        [
            ("GIT_AUTHOR_NAME", name.clone()),
            ("GIT_AUTHOR_EMAIL", mail.clone()),
            ("GIT_AUTHOR_DATE", date.clone()),
            ("GIT_COMMITTER_NAME", name),
            ("GIT_COMMITTER_EMAIL", mail),
            ("GIT_COMMITTER_DATE", date),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" }.to_owned()),
        ]
    }

    /// The folder of the worktree of a task, or of one of its stages.
    pub(super) fn worktree(&mut self, key: &TaskKey, stage: Option<u32>) -> Result<PathBuf, Error> {
        let root = self.root();
        Ok(Home::find(&self.machine(&root))?.worktree(key, stage))
    }

    /// Runs git in `folder`, and gives what it printed, trimmed.
    pub(super) fn git(&mut self, folder: &Path, arguments: &[&str]) -> Result<String, Error> {
        let machine = self.machine(folder);
        let git = Git::at(folder).as_committer(COMMITTER.0, COMMITTER.1, self.time);
        Ok(String::from_utf8_lossy(&git.run(&machine, arguments)?).trim().to_owned())
    }

    /// Does what the script says in `folder`, and gives what of it is shown.
    pub(super) fn act(&mut self, folder: &Path, acts: &[Act]) -> Result<Vec<String>, Error> {
        for act in acts {
            match act.doing {
                Doing::Write(file, text) => crate::fs::replace(&folder.join(file), text.as_bytes())?,
                Doing::Git(arguments) => drop(self.git(folder, arguments)?),
            }
        }
        Ok(acts.iter().filter_map(|act| act.shown).map(str::to_owned).collect())
    }

    /// The commit at which a branch stands.
    pub(super) fn commit(&mut self, branch: &str) -> Result<CommitId, Error> {
        let root = self.root();
        let machine = self.machine(&root);
        let resolved = Repository::discover(&root)?.commit_by_ref(&machine, branch, Purpose::Commit)?;
        let text = branch.to_owned();
        Ok(resolved.map_err(|source| Error::UnresolvableRef { text, source })?.commit)
    }

    /// Whether `commit` is reachable from `main`, which is all that `git branch --merged` goes by.
    pub(super) fn is_reachable(&mut self, commit: CommitId) -> Result<bool, Error> {
        let root = self.root();
        let machine = self.machine(&root);
        let question = ["merge-base", "--is-ancestor", &commit.to_string(), "main"];
        Ok(Git::at(root).ask(&machine, &question)?.is_some())
    }
}
