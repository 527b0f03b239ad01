//! Opening a repository so that nothing but its objects and refs has a say: no environment, no user or system
//! configuration, no replace refs, no grafts.

use std::path::{Path, PathBuf};

use gix::discover::upwards;
use gix::sec::Trust;
use gix::sec::trust::Mapping;

use super::Error;
use super::objects::Objects;

/// A repository, opened for reading.
pub struct Repository {
    pub(super) shared: gix::ThreadSafeRepository,
    /// The folder that it was found from, as it is named in errors.
    pub(super) path: PathBuf,
    /// The worktree that this folder is in, as discovery saw it; configuration may name another one.
    pub(super) discovered_worktree: Option<PathBuf>,
    common_dir: PathBuf,
}

impl Repository {
    /// Opens the repository that holds `folder`: the one whose worktree, or whose bare or git folder, it lies in.
    ///
    /// # Errors
    /// [`Error::NoFolder`], [`Error::NoRepository`], [`Error::Permission`], or [`Error::Open`] when there is one that
    /// cannot be opened.
    pub fn discover(folder: &Path) -> Result<Self, Error> {
        match folder.metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(Error::open(folder, gix::Error::from_error(error)));
            }
            _ => return Err(Error::NoFolder { path: folder.to_owned() }),
        }
        let found = match gix::discover::upwards_opts(folder, trusting()) {
            Ok((found, _)) => found,
            Err(error) => {
                return Err(if error.is_permission_denied() {
                    Error::open(folder, error)
                } else {
                    unreadable(folder).unwrap_or_else(|| Error::NoRepository { path: folder.to_owned() })
                });
            }
        };
        let (git_folder, discovered_worktree) = found.into_repository_and_work_tree_directories();
        let options = gix::open::Options::isolated();
        let shared = gix::ThreadSafeRepository::discover_opts(
            &git_folder,
            trusting(),
            Mapping { full: options.clone(), reduced: options },
        )
        .map_err(|error| Error::open(&git_folder, error))?;
        let common_dir = canonical(shared.to_thread_local().common_dir())
            .map_err(|error| Error::open(&git_folder, gix::Error::from_error(error)))?;
        Ok(Self { shared, path: folder.to_owned(), discovered_worktree, common_dir })
    }

    /// The git folder that all worktrees share: absolute, symbolic links followed. It tells one clone from another.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Whether the folder that it was found from is in a linked worktree, or its git folder.
    pub(super) fn is_linked(&self) -> bool {
        // Where the git folder lies tells nothing: that of a submodule looks like one, with and without worktrees.
        canonical(self.local().git_dir()).is_ok_and(|git_dir| git_dir != self.common_dir)
    }

    /// The same repository, opened as the main worktree has it.
    pub(super) fn main(&self) -> Result<gix::Repository, Error> {
        if !self.is_linked() {
            return Ok(self.local());
        }
        let options = gix::open::Options::isolated().open_path_as_is(true).with(Trust::Full);
        let opened = gix::ThreadSafeRepository::open_opts(&self.common_dir, options);
        opened.map(|main| main.to_thread_local()).map_err(|error| Error::open(&self.common_dir, error))
    }

    /// A reader of its objects, with caches of its own: one for each thread.
    pub(super) fn objects(&self) -> Objects {
        Objects::new(self)
    }

    /// A handle of gix, for refs and configuration.
    pub(super) fn local(&self) -> gix::Repository {
        self.shared.to_thread_local()
    }

    /// The commit-graph, which spares reading commits; `None` where there is none, or it cannot be read: then the
    /// objects themselves are, which only takes longer.
    pub(super) fn commit_graph(&self) -> Option<gix::commitgraph::Graph> {
        self.local().commit_graph_if_enabled().ok().flatten()
    }

    /// Whether history was cut off when it was cloned.
    pub(super) fn is_shallow(&self) -> bool {
        self.local().is_shallow().unwrap_or(false)
    }

    /// Whether refs are stored in the reftable format, which gix opens and then finds no ref in.
    pub(super) fn has_reftable(&self) -> bool {
        let local = self.local();
        let format = local.config_snapshot().string("extensions.refStorage");
        format.is_some_and(|format| format.eq_ignore_ascii_case(b"reftable"))
    }
}

/// The one absolute form of a path that exists, symbolic links followed.
pub(super) fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    let canonical = path.canonicalize()?;
    // Windows marks such paths as verbatim, which neither git nor people write.
    let plain =
        canonical.to_str().and_then(|text| text.strip_prefix(r"\\?\")).filter(|text| text.get(1..2) == Some(":"));
    Ok(plain.map(PathBuf::from).unwrap_or(canonical))
}

/// Why the repository above `folder` that looks like one cannot be opened; `None` where there is none.
fn unreadable(folder: &Path) -> Option<Error> {
    let git_folder = folder.ancestors().map(|above| above.join(".git")).find(|path| path.symlink_metadata().is_ok())?;
    let head = if git_folder.is_file() { git_folder.clone() } else { git_folder.join("HEAD") };
    let source = match std::fs::read(&head) {
        Err(error) => gix::Error::from_error(error),
        Ok(_) => gix::Error::from_error(std::io::Error::other("it is no repository that can be read")),
    };
    Some(Error::open(&git_folder, source))
}

/// Whoever owns the folder: nothing of the repository's configuration is ever run.
fn trusting() -> upwards::Options<'static> {
    upwards::Options { trust: upwards::TrustPolicy::Assume(Trust::Full), ..Default::default() }
}
