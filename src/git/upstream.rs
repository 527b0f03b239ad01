//! The upstream of a branch, from the repository's own configuration.

use gix::bstr::{BString, ByteSlice};
use gix::refspec::match_group::Item;
use gix::refspec::parse::Operation;
use gix::refspec::{MatchGroup, RefSpecRef};

use super::Repository;

impl Repository {
    /// The full name of the ref that tracks the upstream of `branch`, a full name too, as `git rev-parse @{upstream}`
    /// gives it; a local branch where that is the upstream. `None` when none is configured. It need not exist.
    pub fn upstream(&self, branch: &str) -> Option<String> {
        let short = branch.strip_prefix("refs/heads/")?;
        let local = self.local();
        let config = local.config_snapshot();
        let config = config.plumbing();
        let remote = config.string_by("branch", short, "remote")?;
        // Of several that are merged the first is the upstream.
        let merge = config.strings_by("branch", short, "merge")?.into_iter().next()?;
        if remote == "." {
            let merge = merge.to_str().ok()?;
            return Some(if merge.starts_with("refs/") { merge.to_owned() } else { format!("refs/heads/{merge}") });
        }
        let specs = config.strings_by("remote", &remote, "fetch")?;
        tracked_by(&specs, &merge, local.object_hash())
    }
}

/// What a remote's ref `merge` is fetched to.
fn tracked_by(specs: &[BString], merge: &BString, hash: gix::hash::Kind) -> Option<String> {
    let parsed = specs.iter().filter_map(|spec| gix::refspec::parse(spec.as_bstr(), Operation::Fetch).ok());
    let with_destination = |spec: &RefSpecRef<'_>| spec.source().is_some();
    let group = MatchGroup::from_fetch_specs(parsed.filter(with_destination));
    let item = Item { full_ref_name: merge.as_bstr(), target: &hash.null(), object: None };
    let mappings = group.match_lhs(std::iter::once(item)).mappings;
    let tracked = mappings.into_iter().find_map(|mapping| mapping.rhs)?;
    tracked.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_refspec_that_fits_decides() {
        let cases: &[(&[&str], Option<&str>)] = &[
            (&["+refs/heads/*:refs/remotes/origin/*"], Some("refs/remotes/origin/main")),
            (&["refs/heads/main:refs/remotes/origin/main"], Some("refs/remotes/origin/main")),
            (&["refs/heads/other:refs/a/other", "refs/heads/m*:refs/b/m*"], Some("refs/b/main")),
            (&["refs/heads/*:refs/a/*", "refs/heads/main:refs/b/main"], Some("refs/a/main")),
            (&["refs/heads/*:refs/a/*", "^refs/heads/main"], None),
            (&["refs/heads/main"], None),
            (&["refs/tags/*:refs/tags/*"], None),
            (&["refs/heads/*:no wildcard", "refs/heads/*:refs/a/*"], Some("refs/a/main")),
            (&[], None),
        ];
        for (specs, expected) in cases {
            let texts: Vec<BString> = specs.iter().map(|&spec| spec.into()).collect();
            let found = tracked_by(&texts, &"refs/heads/main".into(), gix::hash::Kind::Sha1);
            assert_eq!(found.as_deref(), *expected, "{specs:?}");
        }
    }
}
