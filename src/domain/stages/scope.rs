//! Which paths a stage may touch.

use crate::domain::equivalence::RepoPath;
use crate::domain::glob::Glob;

/// Those of `paths` that none of the globs in `files` allows. What is no glob allows nothing.
pub fn outside<'p>(files: &[String], paths: impl IntoIterator<Item = &'p RepoPath>) -> Vec<RepoPath> {
    let globs: Vec<Glob> = files.iter().filter_map(|file| Glob::parse(file).ok()).collect();
    let is_outside = |path: &&RepoPath| !globs.iter().any(|glob| glob.matches(path.as_bytes()));
    paths.into_iter().filter(is_outside).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_glob_allows_is_outside() {
        let path = |text: &str| RepoPath::from(text.as_bytes());
        let paths = ["src/a.rs", "src/deep/b.rs", "docs/x", "é \"q\"", ".env"].map(path);
        let outside = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            outside(&files, &paths).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(outside(&["**"]), Vec::<String>::new());
        assert_eq!(outside(&["src/*", "docs/", "é \"q\""]), ["src/deep/b.rs", ".env"]);
        assert_eq!(outside(&[]).len(), 5);
        assert_eq!(outside(&["/src/**"]).len(), 5, "no glob of ours");
    }
}
