//! Where a program is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::context::Context;

/// The program `name`: an absolute path is looked at itself, a mere name is looked for in the absolute folders of `PATH`.
/// So where it is never depends on the folder that it is started in.
pub fn find_program(context: &Context, name: &OsStr) -> Option<PathBuf> {
    find_program_in(context, name, |_| true)
}

/// As [`find_program`], in those folders of `PATH` that are `wanted`.
pub fn find_program_in(context: &Context, name: &OsStr, wanted: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return candidates(context, path).into_iter().find(|path| is_program(path));
    }
    let folders = std::env::split_paths(context.environment().path()?);
    let mut folders = folders.filter(|folder| folder.is_absolute() && wanted(folder));
    folders.find_map(|folder| candidates(context, &folder.join(path)).into_iter().find(|path| is_program(path)))
}

/// The files that a path can stand for.
#[cfg(not(windows))]
fn candidates(_: &Context, path: &Path) -> Vec<PathBuf> {
    vec![path.to_owned()]
}

/// Windows adds the endings of programs where none is given.
#[cfg(windows)]
fn candidates(context: &Context, path: &Path) -> Vec<PathBuf> {
    if path.extension().is_some() {
        return vec![path.to_owned()];
    }
    let endings = context.environment().get("PATHEXT").map(|endings| endings.to_string_lossy().into_owned());
    let endings = endings.unwrap_or_else(|| ".COM;.EXE;.BAT;.CMD".to_owned());
    endings.split(';').map(|ending| path.with_extension(ending.trim_start_matches('.'))).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests;
