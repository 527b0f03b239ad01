//! How a ref that a person wrote is read: as a full name, a branch, a remote branch, a tag, or an id. Never as an
//! expression, and never as a guess: two possible readings are shown to the person.

use super::ids::IdText;

/// One way to read the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As this full ref name; `HEAD` and the per-worktree names `worktrees/<name>/…` and `main-worktree/…` are such.
    Ref(String),
    /// As the id of an object.
    Id(IdText),
}

/// What the ref is for, which decides whether a branch goes before a tag of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A line of work to look in: a branch goes before a tag.
    Candidate,
    /// Anything else: branch and tag of one name are two readings.
    Commit,
}

/// Why a text names no single ref.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// Nothing was given.
    #[error("an empty text names no ref")]
    Empty,
    /// It uses git's revision syntax.
    #[error("`{text}` is a revision expression: name a branch, a tag, a full ref or an id")]
    Expression {
        /// The text as given.
        text: String,
    },
    /// Nothing of that name exists.
    #[error("no branch, remote branch, tag or commit is named `{text}`")]
    Unknown {
        /// The text as given.
        text: String,
    },
    /// Several things of that name exist.
    #[error("`{text}` can be read as {}: give the full name", .readings.join(" or as "))]
    Ambiguous {
        /// The text as given.
        text: String,
        /// The readings that exist, as full names and ids.
        readings: Vec<String>,
    },
}

/// The ways to read `text`, all of which are to be tried, in the order in which they are shown.
///
/// # Errors
/// [`RevisionError::Empty`] and [`RevisionError::Expression`] for a text that can name no ref.
pub fn readings(text: &str) -> Result<Vec<Reading>, RevisionError> {
    if text.trim().is_empty() {
        return Err(RevisionError::Empty);
    }
    if is_expression(text) {
        return Err(RevisionError::Expression { text: text.to_owned() });
    }
    if text == "HEAD" || text.starts_with("refs/") {
        return Ok(vec![Reading::Ref(text.to_owned())]);
    }
    let mut readings = Vec::new();
    if text.starts_with("worktrees/") || text.starts_with("main-worktree/") {
        readings.push(Reading::Ref(text.to_owned()));
    }
    readings.extend(["refs/heads/", "refs/remotes/", "refs/tags/"].map(|kind| Reading::Ref(format!("{kind}{text}"))));
    readings.extend(IdText::parse(text).ok().map(Reading::Id));
    Ok(readings)
}

/// Chooses among the readings of `text` that exist, each with the name to show.
///
/// # Errors
/// [`RevisionError::Unknown`] when none exists, [`RevisionError::Ambiguous`] when several do.
pub fn choose<T>(text: &str, purpose: Purpose, mut existing: Vec<(String, T)>) -> Result<(String, T), RevisionError> {
    let branch = existing.iter().any(|(name, _)| name.starts_with("refs/heads/"));
    if purpose == Purpose::Candidate && branch {
        existing.retain(|(name, _)| !name.starts_with("refs/tags/"));
    }
    if existing.len() > 1 {
        let readings = existing.into_iter().map(|(name, _)| format!("`{name}`")).collect();
        return Err(RevisionError::Ambiguous { text: text.to_owned(), readings });
    }
    existing.pop().ok_or_else(|| RevisionError::Unknown { text: text.to_owned() })
}

/// Whether git would read more into it than a name: see git-check-ref-format(1) and gitrevisions(7).
fn is_expression(text: &str) -> bool {
    text == "@"
        || text == "-"
        || text.starts_with(['-', '^', ':'])
        || text.contains("..")
        || text.contains("@{")
        || text.contains(['~', '^', ':', '?', '*', '[', '\\', ' ', '\x7f'])
        || text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let shown = |reading| match reading {
            Reading::Ref(name) => name,
            Reading::Id(id) => format!("id {}", id.digits()),
        };
        readings(text).unwrap().into_iter().map(shown).collect()
    }

    #[test]
    fn a_short_name_has_these_readings() {
        assert_eq!(names("HEAD"), ["HEAD"]);
        assert_eq!(names("refs/heads/x"), ["refs/heads/x"]);
        assert_eq!(
            names("origin/main"),
            ["refs/heads/origin/main", "refs/remotes/origin/main", "refs/tags/origin/main"]
        );
        assert_eq!(names("worktrees/w/HEAD")[0], "worktrees/w/HEAD");
        assert_eq!(names("ABCDEF0").last().unwrap(), "id abcdef0");
        assert_eq!(names("abcdef").len(), 3);
    }

    #[test]
    fn expressions_are_refused() {
        for text in ["main~1", "main^", "a..b", "HEAD@{1}", "@", ":/fix", "main:file", "-x", "a b", "^main", "a\nb"] {
            assert!(matches!(readings(text), Err(RevisionError::Expression { .. })), "{text:?}");
        }
        assert_eq!(readings(" "), Err(RevisionError::Empty));
    }

    #[test]
    fn a_branch_goes_before_a_tag_for_a_candidate_only() {
        let both = || vec![("refs/heads/v1".to_owned(), 1), ("refs/tags/v1".to_owned(), 2)];
        assert_eq!(choose("v1", Purpose::Candidate, both()), Ok(("refs/heads/v1".to_owned(), 1)));
        let error = choose("v1", Purpose::Commit, both()).unwrap_err();
        assert_eq!(error.to_string(), "`v1` can be read as `refs/heads/v1` or as `refs/tags/v1`: give the full name");
        assert!(matches!(choose::<()>("v1", Purpose::Commit, vec![]), Err(RevisionError::Unknown { .. })));
    }
}
