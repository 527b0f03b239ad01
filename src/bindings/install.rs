//! `install`, `uninstall`, `completions`: okstra in the folders of agents and shells.

use std::path::Path;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use okstra::cli;
use okstra::ops::{install, uninstall};

use crate::content_merged::word;
use crate::job::{Cancel, Job, start};

/// What to install, and for whom.
#[napi(object)]
pub struct InstallOptions {
    /// The agents, `claude`, `codex`, `gemini`; by default those that it is installed for, else those that are here.
    pub target: Option<Vec<String>>,
    /// Make the repository a project, and let agents run some commands in it without asking.
    pub project: Option<bool>,
    /// With `project`: its root; by default the main worktree of the repository that holds the current folder.
    pub project_root: Option<String>,
    /// With `project`: let agents run nothing without asking.
    pub no_permissions: Option<bool>,
    /// Say what would be done, and do nothing.
    pub dry_run: Option<bool>,
    /// A person agreed; without it the promise is rejected with `confirmation-needed`, where anything would change.
    pub yes: Option<bool>,
}

/// What was done, or would be.
#[napi(object, use_nullable = true)]
pub struct Installed {
    /// The version of okstra.
    pub version: String,
    /// The other version in whose place it comes; null where there is none.
    pub replaces: Option<String>,
    /// Whether this says what would be done, and nothing was.
    pub dry_run: bool,
    /// Whether anything changed, or would.
    pub changed: bool,
    /// The agents that it is installed for.
    #[napi(ts_type = "Array<'claude' | 'codex' | 'gemini'>")]
    pub targets: Vec<String>,
    /// Agents that are on this machine as well.
    #[napi(ts_type = "Array<'claude' | 'codex' | 'gemini'>")]
    pub also_found: Vec<String>,
    /// okstra's own folder.
    pub home: String,
    /// The executable.
    pub executable: String,
    /// Every file, and what happens to it.
    pub files: Vec<InstalledFile>,
    /// How the executable is put on PATH; null where it is.
    pub path_advice: Option<PathAdvice>,
    /// Another `okstra` that comes before it on PATH.
    pub shadowed_by: Option<String>,
    /// What happens in the project, with `project`.
    pub project: Option<InstalledProject>,
}

/// A file, and what happens to it.
#[napi(object, use_nullable = true)]
pub struct InstalledFile {
    /// What it is for; `old` is a file of an earlier installation.
    #[napi(ts_type = "'executable' | 'runtime' | 'skill' | 'agent' | 'old'")]
    pub kind: String,
    /// Its absolute path.
    pub path: String,
    /// It is made; okstra's own is replaced; it was changed, or there before, and stays; it is as it should be; it goes.
    #[napi(ts_type = "'create' | 'update' | 'keep' | 'unchanged' | 'remove'")]
    pub action: String,
    /// Of a file that is kept: where okstra's own is put now.
    pub offered: Option<String>,
}

/// How the executable is put on PATH.
#[napi(object)]
pub struct PathAdvice {
    /// What it is for.
    pub text: String,
    /// The command, for the user's shell.
    pub command: String,
}

/// What happens in a project.
#[napi(object, use_nullable = true)]
pub struct InstalledProject {
    /// Its root.
    pub root: String,
    /// Its id.
    pub id: String,
    /// Whether it is made a project now.
    pub created: bool,
    /// What agents are allowed in it; null with `noPermissions`.
    pub permissions: Option<InstalledPermissions>,
}

/// Permission entries in a project's settings.
#[napi(object, use_nullable = true)]
pub struct InstalledPermissions {
    /// The settings file.
    pub path: String,
    /// The entries that are added.
    pub added: Vec<String>,
    /// Entries of an older okstra that go.
    pub removed: Vec<String>,
    /// Where the file is kept as it was; null where it was not there, or does not change.
    pub backup: Option<String>,
}

/// Puts okstra into the folders of agents, or brings it up to date there. Doing it again changes nothing.
#[napi(ts_return_type = "Promise<Installed>")]
pub fn install(options: InstallOptions, cancel: &Cancel) -> AsyncTask<Job<Installed>> {
    start(cancel, |context| Ok(install::run(context, &options.into())?.into()))
}

impl From<InstallOptions> for install::Options {
    fn from(options: InstallOptions) -> Self {
        let InstallOptions { target, project, project_root, no_permissions, dry_run, yes } = options;
        Self {
            targets: target.unwrap_or_default(),
            project: project.unwrap_or(false),
            project_root: project_root.map(Into::into),
            no_permissions: no_permissions.unwrap_or(false),
            dry_run: dry_run.unwrap_or(false),
            yes: yes.unwrap_or(false),
        }
    }
}

impl From<install::Installed> for Installed {
    fn from(done: install::Installed) -> Self {
        let install::Installed { version, replaces, dry_run, changed, home, executable, path_advice, project, .. } =
            done;
        Self {
            version,
            replaces,
            dry_run,
            changed,
            targets: done.targets.into_iter().map(word).collect(),
            also_found: done.also_found.into_iter().map(word).collect(),
            home: text(&home),
            executable: text(&executable),
            files: done.files.into_iter().map(Into::into).collect(),
            path_advice: path_advice.map(|install::Advice { text, command }| PathAdvice { text, command }),
            shadowed_by: done.shadowed_by.as_deref().map(text),
            project: project.map(Into::into),
        }
    }
}

impl From<install::Step> for InstalledFile {
    fn from(step: install::Step) -> Self {
        let install::Step { kind, path, action, offered } = step;
        Self { kind: word(kind), path, action: word(action), offered }
    }
}

impl From<install::Project> for InstalledProject {
    fn from(project: install::Project) -> Self {
        let install::Project { root, id, created, permissions } = project;
        let permissions = permissions.map(|install::Permissions { path, added, removed, backup }| {
            InstalledPermissions { path: text(&path), added, removed, backup: backup.as_deref().map(text) }
        });
        Self { root: text(&root), id, created, permissions }
    }
}

/// What to take out.
#[napi(object)]
pub struct UninstallOptions {
    /// Remove okstra's own folder as well.
    pub purge: Option<bool>,
    /// Say what would be done, and do nothing.
    pub dry_run: Option<bool>,
    /// A person agreed; without it the promise is rejected with `confirmation-needed`, where anything would go.
    pub yes: Option<bool>,
}

/// What was taken out, or would be.
#[napi(object, use_nullable = true)]
pub struct Uninstalled {
    /// Whether this says what would be done, and nothing was.
    pub dry_run: bool,
    /// Whether anything changed, or would.
    pub changed: bool,
    /// The version that was installed; null where none was.
    pub version: Option<String>,
    /// okstra's own folder.
    pub home: String,
    /// Every file that okstra wrote and that is there, and what happens to it.
    pub files: Vec<UninstalledFile>,
    /// The settings files that okstra's entries are in.
    pub settings: Vec<UninstalledSettings>,
    /// What goes with okstra's own folder, with `purge`.
    pub purged: Option<Purged>,
}

/// A file, and what happens to it.
#[napi(object)]
pub struct UninstalledFile {
    /// Its absolute path.
    pub path: String,
    /// It goes; somebody changed it, and it stays.
    #[napi(ts_type = "'remove' | 'keep'")]
    pub action: String,
}

/// A settings file of a project.
#[napi(object, use_nullable = true)]
pub struct UninstalledSettings {
    /// The file.
    pub path: String,
    /// The entries that go.
    pub removed: Vec<String>,
    /// Why it is left as it is; null where it is not.
    pub left: Option<String>,
}

/// What goes with okstra's own folder.
#[napi(object)]
pub struct Purged {
    /// What is in the folder, name by name.
    pub entries: Vec<String>,
    /// The worktrees in it; their branches stay in their repositories.
    pub worktrees: Vec<String>,
    /// The ignored files in them, which went with them; of a folder in which all is ignored only the folder.
    pub ignored: Vec<String>,
}

/// Takes out what `install` wrote and nobody changed. Doing it again changes nothing.
#[napi(ts_return_type = "Promise<Uninstalled>")]
pub fn uninstall(options: UninstallOptions, cancel: &Cancel) -> AsyncTask<Job<Uninstalled>> {
    let on = |option: Option<bool>| option.unwrap_or(false);
    let options = uninstall::Options { purge: on(options.purge), dry_run: on(options.dry_run), yes: on(options.yes) };
    start(cancel, move |context| Ok(uninstall::run(context, &options)?.into()))
}

impl From<uninstall::Uninstalled> for Uninstalled {
    fn from(done: uninstall::Uninstalled) -> Self {
        let uninstall::Uninstalled { dry_run, changed, version, home, files, settings, purged } = done;
        let file = |step: install::RemovalStep| UninstalledFile { path: step.path, action: word(step.action) };
        let settings = settings.into_iter().map(|uninstall::Settings { path, removed, left }| UninstalledSettings {
            path: text(&path),
            removed,
            left,
        });
        let purged = purged.map(|uninstall::Purged { entries, worktrees, ignored }| Purged {
            entries,
            worktrees: worktrees.iter().map(|path| text(path)).collect(),
            ignored: ignored.iter().map(|path| text(path)).collect(),
        });
        let (files, settings) = (files.into_iter().map(file).collect(), settings.collect());
        Self { dry_run, changed, version, home: text(&home), files, settings, purged }
    }
}

/// Of which shell.
#[napi(object)]
pub struct CompletionsOptions {
    /// The shell.
    #[napi(ts_type = "'bash' | 'elvish' | 'fish' | 'powershell' | 'zsh'")]
    pub shell: String,
}

/// The completions of a shell.
#[napi(object)]
pub struct Completions {
    /// The shell.
    #[napi(ts_type = "'bash' | 'elvish' | 'fish' | 'powershell' | 'zsh'")]
    pub shell: String,
    /// What it reads.
    pub script: String,
}

/// The completions of a shell for the command `okstra`.
#[napi(ts_return_type = "Promise<Completions>")]
pub fn completions(options: CompletionsOptions, cancel: &Cancel) -> AsyncTask<Job<Completions>> {
    start(cancel, move |_| {
        let cli::Completions { shell, script } = cli::completions(&options.shell)?;
        Ok(Completions { shell, script })
    })
}

/// A path as documents have it.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
