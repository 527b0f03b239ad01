//! Histories as real objects: many of them written into one repository by `git fast-import`.

use std::path::{Path, PathBuf};

use okstra::context::Context;
use okstra::domain::ids::CommitId;
use okstra::process::Command;

use super::model::differing;
use super::world::World;

/// How a repository keeps its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// As the import leaves them: one pack.
    Pack,
    /// Each object in a file of its own.
    Loose,
    /// Packed anew with deltas, with a commit-graph that has changed-path filters.
    Graph,
    /// With SHA-256 ids.
    Sha256,
}

/// A repository of histories.
pub(super) struct Histories {
    pub(super) folder: PathBuf,
    /// The ids of the commits of each history.
    pub(super) ids: Vec<Vec<CommitId>>,
}

impl Histories {
    /// Writes `worlds` into a new repository in `folder`.
    pub(super) fn write(folder: &Path, worlds: &[World], storage: Storage) -> Self {
        let format = if storage == Storage::Sha256 { "sha256" } else { "sha1" };
        let folder = folder.to_owned();
        let marks = folder.join("marks");
        let here = folder.to_string_lossy().into_owned();
        git(&folder, &["init", "-q", "--bare", "--object-format", format, &here], None);
        let limit = if storage == Storage::Loose { "1000000" } else { "1" };
        let marks_file = format!("--export-marks={}", marks.display());
        let import =
            ["-c", &format!("fastimport.unpackLimit={limit}"), "fast-import", "--quiet", "--force", &marks_file];
        git(&folder, &import, Some(stream(worlds)));
        if storage == Storage::Graph {
            git(&folder, &["repack", "-adfq", "--depth=50"], None);
            git(&folder, &["commit-graph", "write", "--reachable", "--changed-paths", "--no-progress"], None);
        }
        let marks = okstra::fs::read_text(&marks).expect("the marks");
        let ids = read_marks(&marks, worlds);
        Self { folder, ids }
    }
}

/// The number of a commit in the stream.
fn mark(world: usize, commit: usize) -> usize {
    1 + world * 1000 + commit
}

fn read_marks(marks: &str, worlds: &[World]) -> Vec<Vec<CommitId>> {
    let parse = |line: &str| {
        let (mark, id) = line.strip_prefix(':')?.split_once(' ')?;
        Some((mark.parse::<usize>().ok()? - 1, CommitId(id.parse().ok()?)))
    };
    let mut ids: Vec<Vec<Option<CommitId>>> = worlds.iter().map(|world| vec![None; world.commits.len()]).collect();
    for (mark, id) in marks.lines().filter_map(parse) {
        ids[mark / 1000][mark % 1000] = Some(id);
    }
    let all = |ids: Vec<Option<CommitId>>| ids.into_iter().map(|id| id.expect("an id for each commit")).collect();
    ids.into_iter().map(all).collect()
}

fn stream(worlds: &[World]) -> Vec<u8> {
    let mut stream = Vec::new();
    for (number, world) in worlds.iter().enumerate() {
        for (place, commit) in world.commits.iter().enumerate() {
            let (time, subject) = (commit.time, &commit.subject);
            let mut head = format!("commit refs/heads/work\nmark :{}\n", mark(number, place));
            head += &format!("committer C <c@example.com> {time} +0000\ndata {}\n{subject}\n", subject.len());
            if commit.parents.is_empty() {
                stream.extend(b"reset refs/heads/work\n\n");
            }
            for (at, parent) in commit.parents.iter().enumerate() {
                head += &format!("{} :{}\n", if at == 0 { "from" } else { "merge" }, mark(number, *parent));
            }
            stream.extend(head.into_bytes());
            let before = commit.parents.first().map(|&parent| &world.commits[parent].tree);
            let nothing = super::model::Tree::new();
            for path in differing(before.map_or(&nothing, |tree| tree), &commit.tree) {
                match commit.tree.get(&path) {
                    None => stream.extend(format!("D \"{path}\"\n").into_bytes()),
                    Some(file) => {
                        let bytes = file.body.bytes();
                        stream.extend(
                            format!("M {} inline \"{path}\"\ndata {}\n", file.mode(), bytes.len()).into_bytes(),
                        );
                        stream.extend(bytes);
                        stream.push(b'\n');
                    }
                }
            }
            stream.push(b'\n');
        }
        let parents: Vec<usize> = world.commits.iter().flat_map(|commit| commit.parents.clone()).collect();
        for tip in (0..world.commits.len()).filter(|commit| !parents.contains(commit)) {
            let lines = format!("reset refs/heads/h{number}/c{tip}\nfrom :{}\n\n", mark(number, tip));
            stream.extend(lines.into_bytes());
        }
    }
    stream
}

fn git(folder: &Path, arguments: &[&str], stdin: Option<Vec<u8>>) {
    let machine = Context::from_process();
    let command = Command::new("git")
        .args(arguments)
        .in_folder(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let command = match stdin {
        Some(bytes) => command.stdin(bytes),
        None => command,
    };
    command.check(&machine).expect("git");
}
