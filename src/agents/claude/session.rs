//! Whether a session of claude is there to be gone on with, told by its log.
//!
//! claude writes a session's rows to `projects/<folder>/<session id>.jsonl` in its own folder, where `<folder>` is made
//! from the one that it was started in. How, has changed; so all of them are looked through, and the rows say where they
//! were written.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::context::Context;
use crate::fs;

/// How much of a log is read for its first row of a conversation. Pasted files and images can make rows long.
const MOST: u64 = 16 * 1024 * 1024;

/// What is known of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Session {
    /// It has no log: it never began, or on another machine.
    None,
    /// It has a conversation, which began in the folder in question.
    Here,
    /// It has a log and cannot be gone on with: nothing was said, or it began in another folder.
    Elsewhere,
}

/// What is read of a row.
#[derive(Deserialize)]
struct Row {
    #[serde(rename = "type")]
    kind: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

/// The folder in which claude keeps its logs: the one that was set, else `CLAUDE_CONFIG_DIR`, else `~/.claude`.
pub fn home(context: &Context, set: Option<PathBuf>) -> Option<PathBuf> {
    let environment = context.environment();
    let named = || environment.get("CLAUDE_CONFIG_DIR").map(|folder| context.absolute(Path::new(folder)));
    set.or_else(named).or_else(|| Some(environment.home()?.join(".claude")))
}

/// What is known in `home` of the session `id` that began in `folder`. A log that cannot be read is none to go on with.
///
/// # Errors
/// When the folder of the logs cannot be read.
pub fn session(home: &Path, id: &str, folder: &Path) -> Result<Session, fs::Error> {
    let projects = home.join("projects");
    let logs = fs::names_in(&projects)?.into_iter().map(|name| projects.join(name).join(format!("{id}.jsonl")));
    let mut found = Session::None;
    for log in logs.filter(|log| log.is_file()) {
        if conversation(&log, id).is_some_and(|began| is_same(&began, folder)) {
            return Ok(Session::Here);
        }
        found = Session::Elsewhere;
    }
    Ok(found)
}

/// The folder that the conversation in a log began in; `None` where it holds none.
fn conversation(log: &Path, id: &str) -> Option<PathBuf> {
    let mut lines = BufReader::new(File::open(log).ok()?.take(MOST));
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).ok()? > 0 {
        // A row that is torn, or of a kind that is not known, says nothing.
        if let Ok(row) = serde_json::from_slice::<Row>(&line)
            && matches!(row.kind.as_deref(), Some("user" | "assistant"))
            && row.session.as_deref() == Some(id)
        {
            return row.cwd;
        }
        line.clear();
    }
    None
}

/// Whether two paths are of one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Environment;

    const ID: &str = "2cc906ab-a05e-4e68-96cb-a85af5ea2262";

    fn row(kind: &str, session: &str, folder: &Path) -> String {
        let more = "\"parentUuid\":null,\"isSidechain\":false,\"version\":\"2.1.332\"";
        format!(
            "{{{more},\"type\":{},\"sessionId\":{},\"cwd\":{}}}\n",
            text(kind),
            text(session),
            text(&folder.to_string_lossy())
        )
    }

    fn text(text: &str) -> String {
        serde_json::to_string(text).unwrap()
    }

    #[test]
    fn a_conversation_that_began_here_can_be_gone_on_with() {
        let scratch = tempfile::tempdir().unwrap();
        let (home, work) = (scratch.path().join("claude"), scratch.path().join("work \"é\""));
        fs::create_folder(&work).unwrap();
        let ask = || session(&home, ID, &work).unwrap();
        let write = |folder: &str, name: &str, text: &str| {
            let folder = home.join("projects").join(folder);
            fs::create_folder(&folder).unwrap();
            fs::replace(&folder.join(format!("{name}.jsonl")), text.as_bytes()).unwrap();
        };
        assert_eq!(ask(), Session::None);
        write("-work", "another", &row("user", "another", &work));
        assert_eq!(ask(), Session::None);
        let other = scratch.path().join("other");
        let summary = format!("{{\"type\":\"summary\"}}\n{}", row("queue-operation", ID, &work));
        let elsewhere = [
            String::new(),
            "not json\n{\"type\":1}\n[]\n".to_owned(),
            summary.clone(),
            row("user", ID, &other),
            row("user", "another", &work),
            format!("{{\"type\":\"user\",\"sessionId\":\"{ID}\"}}\n"),
            row("user", ID, &work)[..30].to_owned(),
        ];
        for text in elsewhere {
            write("-work", ID, &text);
            assert_eq!(ask(), Session::Elsewhere, "{text}");
        }
        for kind in ["user", "assistant"] {
            write("-work", ID, &format!("{summary}{}", row(kind, ID, &work)));
            assert_eq!(ask(), Session::Here);
        }
        // The same id in the folders of two projects: a copy, made by a person.
        write("-a", ID, &row("user", ID, &other));
        assert_eq!(ask(), Session::Here);
        fs::replace(&scratch.path().join("file"), b"").unwrap();
        assert!(session(&scratch.path().join("file"), ID, &work).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_may_be_named_in_two_ways() {
        let scratch = tempfile::tempdir().unwrap();
        let (work, link) = (scratch.path().join("work"), scratch.path().join("link"));
        fs::create_folder(&work).unwrap();
        std::os::unix::fs::symlink(&work, &link).unwrap();
        let log = scratch.path().join("projects/x");
        fs::create_folder(&log).unwrap();
        fs::replace(&log.join(format!("{ID}.jsonl")), row("user", ID, &work).as_bytes()).unwrap();
        assert_eq!(session(scratch.path(), ID, &link).unwrap(), Session::Here);
    }

    #[cfg(unix)]
    #[test]
    fn where_claude_keeps_its_logs() {
        let ask = |variables: &[(&str, &str)], set: Option<&str>| {
            let environment: Environment = variables.iter().copied().collect();
            home(&Context::new("/cwd", environment), set.map(PathBuf::from))
        };
        let (user, named) = (("HOME", "/home/u"), ("CLAUDE_CONFIG_DIR", "c"));
        assert_eq!(ask(&[user], None), Some("/home/u/.claude".into()));
        assert_eq!(ask(&[user, named], None), Some("/cwd/c".into()));
        assert_eq!(ask(&[user, named], Some("/set")), Some("/set".into()));
        assert_eq!(ask(&[], None), None);
    }
}
