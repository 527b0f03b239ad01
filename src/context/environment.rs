//! The environment variables, as one value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The environment variables of the process, or those that a test made up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The value of `name`; `None` where it is not set or empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The home folder: `HOME`, on Windows `USERPROFILE`.
    pub fn home(&self) -> Option<PathBuf> {
        self.get(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from)
    }

    /// The name by which somebody logged in: `USER` or `LOGNAME`, on Windows `USERNAME`.
    pub fn login_name(&self) -> Option<String> {
        let names: &[&str] = if cfg!(windows) { &["USERNAME"] } else { &["USER", "LOGNAME"] };
        names.iter().find_map(|name| self.get(name)).map(|name| name.to_string_lossy().into_owned())
    }

    /// Where programs are looked for: `PATH`.
    pub fn path(&self) -> Option<&OsStr> {
        self.get("PATH")
    }

    /// Where temporary files go: `TMPDIR`, on Windows `TEMP` or `TMP`.
    pub fn temp_folder(&self) -> PathBuf {
        let names: &[&str] = if cfg!(windows) { &["TEMP", "TMP"] } else { &["TMPDIR"] };
        let named = names.iter().find_map(|name| self.get(name)).map(PathBuf::from);
        named.unwrap_or_else(|| PathBuf::from(if cfg!(windows) { r"C:\Windows\Temp" } else { "/tmp" }))
    }

    /// The same variables, with `name` set to `value`.
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// All variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// The arguments that this process was started with, the program's name first. Empty where the system does not tell a
/// library (musl).
pub fn process_arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(variables: T) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
