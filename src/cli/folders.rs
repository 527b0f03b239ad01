//! Folders that lie beside one another: what they have in common is printed once, and each by what is left.

use std::path::{Path, PathBuf};

/// The folder that all of `paths` lie in, and the name of each below it; an empty text has no name.
pub(super) fn below_common(paths: &[&str]) -> (Option<PathBuf>, Vec<String>) {
    let mut folders = paths.iter().filter(|path| !path.is_empty()).filter_map(|path| Path::new(path).parent());
    let first = folders.next();
    let common = folders.fold(first.map(Path::to_owned), |common, folder| {
        common?.ancestors().find(|above| folder.starts_with(above)).map(Path::to_owned)
    });
    let name = |path: &&str| {
        let below = common.as_deref().and_then(|common| Path::new(path).strip_prefix(common).ok());
        below.unwrap_or(Path::new(path)).display().to_string()
    };
    let names = paths.iter().map(name).collect();
    (common, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_is_said_once() {
        let cases: [(&[&str], Option<&str>, &[&str]); 5] = [
            (&[], None, &[]),
            (&["/w/a/x"], Some("/w/a"), &["x"]),
            (&["/w/a/x", "", "/w/a/x-s1"], Some("/w/a"), &["x", "", "x-s1"]),
            (&["/w/a/x", "/w/a/.snapshots/y"], Some("/w/a"), &["x", ".snapshots/y"]),
            (&["/w/a/x", "/v/b/y"], Some("/"), &["w/a/x", "v/b/y"]),
        ];
        for (paths, common, names) in cases {
            let found = below_common(paths);
            assert_eq!(
                (found.0.as_deref(), found.1.as_slice()),
                (common.map(Path::new), &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()[..]),
                "{paths:?}"
            );
        }
    }
}
