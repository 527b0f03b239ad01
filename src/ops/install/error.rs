//! What can be wrong with an installation.

use std::path::PathBuf;

use crate::domain::hint::Hint;
use crate::domain::install::settings::Fault;
use crate::domain::install::{Target, TargetError};
use crate::domain::shell;

/// Why okstra was not installed, or not taken out. Nothing was changed then, or it was taken back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// A text that names no agent.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The executable that belongs to this okstra is not there.
    #[error("the executable of okstra is not where it should be{}", at(path.as_ref()))]
    NoExecutable {
        /// Where it should be, where that is known.
        path: Option<PathBuf>,
    },
    /// It is there, and is not the one of this version.
    #[error("`{}` is not the executable of okstra {wanted}: {said}", path.display())]
    OtherExecutable {
        /// The executable.
        path: PathBuf,
        /// This version.
        wanted: &'static str,
        /// What it says of itself, a clause.
        said: String,
    },
    /// There is no place for an agent's skills.
    #[error("the home folder is not known, so there is no place for the skills of {target}")]
    NoAgentFolder {
        /// The agent.
        target: Target,
    },
    /// A path that cannot be written down.
    #[error("`{}` is not UTF-8, and what is installed could not be written down", path.display())]
    PathNotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// Settings that are not touched.
    #[error("`{}:{}:{}` is left as it is: {fault}", path.display(), fault.line, fault.column)]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong there.
        fault: Fault,
    },
    /// Somebody wrote a file while okstra was at work.
    #[error("`{}` was changed meanwhile", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Work that would be lost with okstra's own folder.
    #[error("`{}` cannot be removed, since work would be lost:{}", path.display(), listed(reasons))]
    WouldLose {
        /// okstra's own folder.
        path: PathBuf,
        /// What keeps it, a clause each.
        reasons: Vec<String>,
    },
    /// The folder that is to go is the current one, or holds it.
    #[error("`{}` is not removed: the current folder is in it", path.display())]
    StandsIn {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that is not okstra's alone.
    #[error("`{}` is not removed: {why}", path.display())]
    NotOwnFolder {
        /// The folder.
        path: PathBuf,
        /// Why, a clause.
        why: &'static str,
    },
}

impl Hint for InstallError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Target(_) => Some("write it as --target claude,codex,gemini".to_owned()),
            Self::NoExecutable { .. } | Self::OtherExecutable { .. } => {
                Some("install it anew: npx -y okstra@latest install; in a checkout: npm run build".to_owned())
            }
            Self::NoAgentFolder { .. } => Some("set HOME".to_owned()),
            Self::PathNotUtf8 { .. } => {
                Some("set OKSTRA_HOME, or CLAUDE_CONFIG_DIR, to a path that is UTF-8".to_owned())
            }
            Self::Settings { fault, .. } if fault.is_json => {
                Some("correct that place, or allow agents nothing more: --no-permissions".to_owned())
            }
            Self::Settings { .. } => {
                Some("Claude Code reads no file with such a fault: correct it, or allow agents nothing more: --no-permissions".to_owned())
            }
            Self::Changed { .. } => Some("try again".to_owned()),
            Self::WouldLose { .. } => {
                Some("commit it, move it away, unlock it or discard it, as it is said there; or keep the folder: leave --purge out".to_owned())
            }
            Self::StandsIn { .. } => Some("change into another folder first: cd".to_owned()),
            Self::NotOwnFolder { path, .. } => Some(format!(
                "remove what okstra has in it by hand: {}",
                shell::command(["ls", "-A", &path.to_string_lossy()])
            )),
        }
    }
}

fn at(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(": `{}`", path.display())).unwrap_or_default()
}

fn listed(reasons: &[String]) -> String {
    reasons.iter().map(|reason| format!("\n  {reason}")).collect()
}
