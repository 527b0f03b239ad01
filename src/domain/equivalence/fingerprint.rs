//! What a done record remembers of a stage's content, so that its landing can be proved after its commits are gone.
//!
//! The digest of a change list is the SHA-256 of its entries, sorted by path, each written as
//! `<old mode> <new mode> <old id> <new id> <path>\0` with modes in six octal digits and `-` for the id of nothing
//! (mode `000000`): git's raw diff without rename detection, free of abbreviations and of quoting.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::answer::{ContentMerged, Effect, Status, Verdict};
use super::change::{Entry, RepoPath, Sighting, Stage, Unit};
use super::ladder::Candidate;
use crate::domain::digest::hex;
use crate::domain::ids::ObjectId;

/// The version of the layout and of the digest; records of another version prove nothing.
pub const VERSION: u32 = 1;

/// The content fingerprints of a stage, as stored in the field `content` of its done row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// [`VERSION`].
    pub v: u32,
    /// The tree of the base, full lower-case hex.
    pub base_tree: String,
    /// The tree of the head.
    pub head_tree: String,
    /// Every path that the stage touches, sorted; see [`path_text`].
    pub paths: Vec<String>,
    /// The digest of the whole change list, lower-case hex.
    pub change: String,
    /// The digests of the commits, oldest first; empty where the stage is no line of single parents.
    pub commits: Vec<CommitContent>,
}

/// The fingerprint of one commit of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitContent {
    /// The commit, full lower-case hex.
    pub id: String,
    /// The digest of its change list, lower-case hex.
    pub change: String,
}

/// A path as it stands in JSON: the path itself where it is UTF-8 and does not begin with `"`; otherwise between
/// double quotes with `"`, `\` and every byte outside printable ASCII as a backslash and three octal digits.
pub fn path_text(path: &RepoPath) -> String {
    match std::str::from_utf8(path.as_bytes()) {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        _ => {
            let escaped = path.as_bytes().iter().map(|&byte| match byte {
                b'"' | b'\\' => format!("\\{byte:03o}"),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\{byte:03o}"),
            });
            format!("\"{}\"", escaped.collect::<String>())
        }
    }
}

/// The path that [`path_text`] wrote so; `None` for what it never writes.
pub fn path_of(text: &str) -> Option<RepoPath> {
    let Some(quoted) = text.strip_prefix('"') else { return Some(RepoPath::from(text.as_bytes())) };
    let (mut bytes, mut rest) = (Vec::new(), quoted.strip_suffix('"')?);
    while let Some(character) = rest.chars().next() {
        if character == '\\' {
            bytes.push(u8::from_str_radix(rest.get(1..4)?, 8).ok()?);
            rest = &rest[4..];
        } else {
            bytes.push(u8::try_from(character).ok().filter(|byte| (b' '..=b'~').contains(byte) && *byte != b'"')?);
            rest = &rest[1..];
        }
    }
    Some(RepoPath::from(bytes.as_slice()))
}

/// The answer where the fingerprints were not found; `why` says why they may have been missed.
pub fn not_found(candidate: &Candidate, why: Option<&str>) -> ContentMerged {
    let name = &candidate.name;
    let why = why.map(|why| format!("; {why}, so it may have landed unseen")).unwrap_or_default();
    ContentMerged {
        status: Status::NotMerged,
        matched_commit: None,
        verdict: Verdict::Ask,
        proof: None,
        effect: Effect::Unknown,
        reason: format!("no commit of {name} makes the recorded change{why}"),
    }
}

/// The fingerprints of `stage`, whose base and head have these trees. `None` for a stage that changes nothing.
pub fn content(stage: &Stage, base_tree: ObjectId, head_tree: ObjectId) -> Option<Content> {
    if stage.whole.changes.is_empty() {
        return None;
    }
    Some(Content {
        v: VERSION,
        base_tree: base_tree.to_string(),
        head_tree: head_tree.to_string(),
        paths: stage.paths.iter().map(path_text).collect(),
        change: unit_digest(stage, &stage.whole),
        commits: stage
            .commits
            .iter()
            .flatten()
            .map(|unit| CommitContent { id: unit.commit.to_string(), change: unit_digest(stage, unit) })
            .collect(),
    })
}

/// Where a stage landed, by its fingerprints alone.
///
/// `sightings` are the commits that touch its paths, the nearest to the candidate first, with the slots in the order
/// of [`Content::paths`]. A commit counts when what it changes in the stage's paths has the very digest of the whole,
/// or, for the parts, when every commit of the stage is found so, each on its own. The answer is the place in
/// `sightings` that brought it, followed by those of the other parts.
pub fn landing(
    content: &Content,
    sightings: &[Sighting],
    reaches: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    if content.v != VERSION || content.paths.is_empty() {
        return None;
    }
    let digests: Vec<Option<String>> = sightings.iter().map(|sighting| sighting_digest(content, sighting)).collect();
    let whole = digests.iter().position(|digest| digest.as_ref() == Some(&content.change));
    if let Some(whole) = whole {
        return Some(vec![whole]);
    }
    let empty = digest([]);
    let found: Vec<Vec<usize>> = content
        .commits
        .iter()
        .filter(|commit| commit.change != empty)
        .map(|commit| {
            let same = |(_, digest): &(usize, &Option<String>)| digest.as_ref() == Some(&commit.change);
            digests.iter().enumerate().filter(same).map(|(place, _)| place).collect()
        })
        .collect();
    let top = super::matching::landing(&found, &reaches)?;
    let own = |places: &Vec<usize>| places.iter().copied().find(|&place| place == top || reaches(top, place));
    let mut places = vec![top];
    places.extend(found.iter().filter_map(own).filter(|&place| place != top));
    Some(places)
}

fn unit_digest(stage: &Stage, unit: &Unit) -> String {
    digest(unit.changes.iter().map(|change| {
        let path = path_text(&stage.paths[change.path]);
        (path, change.old.raw(), change.new.raw())
    }))
}

/// `None` where something is missing, or where the commit changes none of the paths.
fn sighting_digest(content: &Content, sighting: &Sighting) -> Option<String> {
    let slots = sighting.before.iter().zip(sighting.after.iter());
    if sighting.is_void || slots.clone().any(|(before, after)| before.is_unknown() || after.is_unknown()) {
        return None;
    }
    let changed = content.paths.iter().zip(slots).map(|(path, (b, a))| (path.clone(), b.raw(), a.raw()));
    let changed: Vec<_> = changed.filter(|(_, before, after)| before != after).collect();
    if changed.is_empty() { None } else { Some(digest(changed)) }
}

fn digest(changes: impl IntoIterator<Item = (String, Option<Entry>, Option<Entry>)>) -> String {
    let mode = |entry: Option<Entry>| entry.map_or(0, |entry| entry.mode.0);
    let id = |entry: Option<Entry>| entry.map_or_else(|| "-".to_owned(), |entry| entry.id.to_string());
    let mut lines: Vec<_> = changes.into_iter().collect();
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let mut hash = Sha256::new();
    for (path, old, new) in lines.into_iter().filter(|(_, old, new)| old != new) {
        hash.update(format!("{:06o} {:06o} {} {} {path}\0", mode(old), mode(new), id(old), id(new)));
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::super::change::{Mode, PathChange, Slot};
    use super::*;
    use crate::domain::ids::CommitId;

    fn id(digit: u8) -> ObjectId {
        ObjectId::from_bytes(&[digit; 20]).unwrap()
    }

    fn file(digit: u8) -> Slot {
        Slot::Entry(Entry { mode: Mode(0o100_644), id: id(digit) })
    }

    fn stage() -> Stage {
        let unit = |commit: u8, changes: &[(usize, u8, u8)]| Unit {
            commit: CommitId(id(commit)),
            changes: changes
                .iter()
                .map(|&(path, old, new)| PathChange { path, old: file(old), new: file(new) })
                .collect(),
        };
        Stage {
            paths: vec![RepoPath::from(&b"a"[..]), RepoPath::from(&b"b"[..])],
            whole: unit(9, &[(0, 1, 2), (1, 3, 4)]),
            commits: Some(vec![unit(8, &[(0, 1, 2)]), unit(7, &[]), unit(9, &[(1, 3, 4)])]),
            known: true,
        }
    }

    fn sighting(before: [u8; 2], after: [u8; 2]) -> Sighting {
        let slots = |ids: [u8; 2]| ids.iter().map(|&digit| file(digit)).collect();
        Sighting { commit: CommitId(id(5)), is_void: false, before: slots(before), after: slots(after) }
    }

    #[test]
    fn a_squash_and_a_rebase_are_found_by_their_digests() {
        let content = content(&stage(), id(1), id(2)).unwrap();
        let line = |a: usize, b: usize| a <= b;
        assert_eq!(landing(&content, &[sighting([1, 3], [2, 4])], line), Some(vec![0]), "squash");
        let rebased = [sighting([2, 3], [2, 4]), sighting([1, 3], [2, 3])];
        assert_eq!(landing(&content, &rebased, line), Some(vec![0, 1]), "rebase");
        assert_eq!(landing(&content, &rebased[..1], line), None, "a part only");
        assert_eq!(landing(&content, &[sighting([1, 3], [2, 5])], line), None, "another content");
        assert_eq!(landing(&content, &[], line), None, "nothing");
    }

    #[test]
    fn another_version_proves_nothing() {
        let content = Content { v: VERSION + 1, ..content(&stage(), id(1), id(2)).unwrap() };
        assert_eq!(landing(&content, &[sighting([1, 3], [2, 4])], |_, _| true), None);
    }

    #[test]
    fn paths_are_told_apart_in_json() {
        let text = |bytes: &[u8]| path_text(&RepoPath::from(bytes));
        assert_eq!(text("füße/a b".as_bytes()), "füße/a b");
        assert_eq!(text(b"\"q"), "\"\\042q\"");
        assert_eq!(text(b"\xff\n"), "\"\\377\\012\"");
        for bytes in ["füße/a b".as_bytes(), b"\"q", b"\xff\n", b"\xff\\\"x", b""] {
            assert_eq!(path_of(&text(bytes)), Some(RepoPath::from(bytes)));
        }
        for wrong in ["\"", "\"a", "\"\\9\"", "\"\\77\"", "\"ü\"", "\"a\"b\""] {
            assert_eq!(path_of(wrong), None, "{wrong}");
        }
    }
}
