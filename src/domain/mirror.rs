//! What a task's mirror holds, and what may be taken back from one.

use std::collections::BTreeMap;

use super::names::TaskName;
use super::records::Row;
use super::sharing::missing;

/// The registry row of the task, in the mirror.
pub const REGISTRY_ROW: &str = "registry.json";

/// What a file of a mirror is to the task of that mirror. A mirror may come from anywhere, so what is none of these is
/// never written to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The task's row of the registry, which is no file of `.okstra/`.
    RegistryRow,
    /// A file in the task's own folder.
    Own,
    /// A file that all tasks share: `project.json`, or one in `prompts/`.
    Shared,
    /// Nothing that this okstra mirrors: a file of another task, or of a newer okstra.
    Unknown,
}

/// What the file with this path, which goes from `.okstra/` and only down, is to `task`.
pub fn place(task: &TaskName, path: &[u8]) -> Place {
    let own = format!("tasks/{task}/");
    let is_below = |folder: &str| path.strip_prefix(folder.as_bytes()).is_some_and(|rest| !rest.is_empty());
    match path {
        b"registry.json" => Place::RegistryRow,
        _ if !is_mirrored(last(path)) => Place::Unknown,
        b"project.json" => Place::Shared,
        _ if is_below("prompts/") => Place::Shared,
        _ if is_below(&own) => Place::Own,
        _ => Place::Unknown,
    }
}

/// Whether a file of this name is mirrored: no live log, no lock, nothing that a crash left of a write.
pub fn is_mirrored(name: &[u8]) -> bool {
    let ours = name.starts_with(b".okstra-") && name.ends_with(b".tmp");
    !ours && !name.ends_with(b".log") && !name.ends_with(b".lock")
}

/// Whether a file is a log, by its path: lines are added to it, and nothing else.
pub fn is_log(path: &[u8]) -> bool {
    last(path) == b"consumers.jsonl" || last(path) == b"timeline.jsonl"
}

/// Whether two logs say the same: they have the same lines, and those about each stage's being done in the same order. What
/// two clones recorded at the same time stands in one order here and in another there, for ever.
pub fn is_same_log(path: &[u8], ours: &[u8], theirs: &[u8]) -> bool {
    let (Ok(ours), Ok(theirs)) = (std::str::from_utf8(ours), std::str::from_utf8(theirs)) else { return false };
    let ends = ours.ends_with('\n') && theirs.ends_with('\n');
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    is_log(path)
        && ends
        && ours.len() == theirs.len()
        && missing(&ours, &theirs).is_empty()
        && done_rows(&ours) == done_rows(&theirs)
}

/// The lines that say that a stage is done, by stage.
fn done_rows<'a>(lines: &[&'a str]) -> BTreeMap<Option<u32>, Vec<&'a str>> {
    let mut rows = BTreeMap::<Option<u32>, Vec<&str>>::new();
    for line in lines {
        if let Ok(row) = serde_json::from_str::<Row<'_>>(line)
            && row.is_done()
        {
            rows.entry(row.stage).or_default().push(line);
        }
    }
    rows
}

/// When the file with this path is brought back, lower numbers first. What makes a run, a task or the project exist comes
/// after what it is made of, so that what a crash left half restored is not taken for whole.
pub fn rank(path: &[u8]) -> u8 {
    match last(path) {
        b"project.json" => 3,
        b"task-manifest.json" => 2,
        name if name.starts_with(b"run-manifest-") => 1,
        _ => 0,
    }
}

/// The name of the file.
fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tasks_own_files_and_the_shared_ones_are_taken_back() {
        let task: TaskName = "auth/login".parse().unwrap();
        let cases = [
            ("registry.json", Place::RegistryRow),
            ("project.json", Place::Shared),
            ("prompts/a", Place::Shared),
            ("prompts/a/b.md", Place::Shared),
            ("tasks/auth/login/task-manifest.json", Place::Own),
            ("tasks/auth/login/runs/new-type/what a newer one wrote", Place::Own),
            ("tasks/auth/login/\u{e9}\n", Place::Own),
            ("tasks/auth/login", Place::Unknown),
            ("tasks/auth/logins/task-manifest.json", Place::Unknown),
            ("tasks/auth/other/task-manifest.json", Place::Unknown),
            ("tasks/Auth/login/task-manifest.json", Place::Unknown),
            ("tasks/auth/login/a.log", Place::Unknown),
            ("tasks/auth/login/consumers.jsonl.lock", Place::Unknown),
            ("tasks/auth/login/.okstra-x.tmp", Place::Unknown),
            ("prompts", Place::Unknown),
            ("project.json/x", Place::Unknown),
            ("Project.json", Place::Unknown),
            (".gitignore", Place::Unknown),
            ("catalog.json", Place::Unknown),
            ("tasks/auth/login/registry.json", Place::Own),
            ("", Place::Unknown),
        ];
        for (path, expected) in cases {
            assert_eq!(place(&task, path.as_bytes()), expected, "{path:?}");
        }
        assert_eq!(place(&task, b"tasks/auth/login/\xff"), Place::Own);
        assert_eq!(place(&task, REGISTRY_ROW.as_bytes()), Place::RegistryRow);
    }

    #[test]
    fn two_logs_are_the_same_in_another_order_of_what_is_not_of_one_stage() {
        let done = |stage: u32, head: &str| format!(r#"{{"stage":{stage},"status":"done","head_commit":"{head}"}}"#);
        let log = |lines: &[&String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (a, b, c, begun) =
            (done(1, "a"), done(1, "b"), done(2, "c"), r#"{"stage":1,"status":"started"}"#.to_owned());
        let first = log(&[&a, &begun, &b, &c]);
        let cases = [
            ("x/consumers.jsonl", log(&[&a, &begun, &b, &c]), true),
            ("x/consumers.jsonl", log(&[&c, &a, &b, &begun]), true),
            ("x/consumers.jsonl", log(&[&b, &begun, &a, &c]), false),
            ("x/consumers.jsonl", log(&[&a, &begun, &b]), false),
            ("x/consumers.jsonl", log(&[&a, &begun, &b, &c, &c]), false),
            ("x/consumers.jsonl", log(&[&a, &begun, &b, &c]).trim_end().to_owned(), false),
            ("timeline.jsonl", log(&[&c, &a, &b, &begun]), true),
            ("notes.jsonl", log(&[&c, &a, &b, &begun]), false),
        ];
        for (path, other, expected) in cases {
            assert_eq!(is_same_log(path.as_bytes(), first.as_bytes(), other.as_bytes()), expected, "{path} {other}");
        }
    }

    #[test]
    fn what_makes_a_thing_exist_comes_last() {
        let mut paths = [
            "project.json",
            "tasks/g/t/task-manifest.json",
            "tasks/g/t/runs/implementation/manifests/run-manifest-implementation-001.json",
            "tasks/g/t/timeline.jsonl",
        ];
        paths.sort_by_key(|path| rank(path.as_bytes()));
        let names = paths.map(|path| String::from_utf8(last(path.as_bytes()).to_vec()).unwrap());
        let last = ["run-manifest-implementation-001.json", "task-manifest.json", "project.json"];
        assert_eq!(names, ["timeline.jsonl", last[0], last[1], last[2]]);
    }
}
